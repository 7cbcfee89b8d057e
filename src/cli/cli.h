/* cli.h - what the commands share. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_CLI_CLI_H
#define LBR_CLI_CLI_H
#include <libration.h>

#include "experiment/json.h"

#include <stdio.h>

/* Exit statuses. */
enum { DONE = 0, NOT_HELD = 1, BAD_INPUT = 2, NUMERICS = 3, MACHINE = 4, INTERRUPTED = 130 };

typedef struct command {
    const char *name, *use, *help;
    int (*run)(int argc, char **argv);              /* argv[0] is the command's name */
    void (*more)(FILE *out);                        /* the rest of its help, or NULL */
} command;

int command_methods(int argc, char **argv);
int command_check(int argc, char **argv);
int command_models(int argc, char **argv);
int command_cache(int argc, char **argv);
int command_run(int argc, char **argv);
void help_run(FILE *out);
int command_compare(int argc, char **argv);
void help_compare(FILE *out);
int command_reproduce(int argc, char **argv);
void help_reproduce(FILE *out);

/* From here on nothing that is printed steers the terminal (terminal.c). */
void terminal_open(void);
/* n bytes as they are shown, into `to` (6 times as many at most, and 1); *taken: how many, fewer only if a character
 * is not at its end. The length. */
size_t terminal_shown(char *to, const char *from, size_t n, size_t *taken);

/* A line on the terminal in the place of the one before; "": none. */
void terminal_status(const char *text);

/* "libration: ..." on stderr; returns BAD_INPUT. */
int complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* What a failed call of the library means for the exit status. */
int status_exit(lbr_status status);

/* Calls visit with the name of every method of the catalogue, families member by member, until it returns non-zero. */
int each_method(int (*visit)(const char *name, void *ctx), void *ctx);
#endif
