/* cli.h - what the commands share. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_CLI_CLI_H
#define LBR_CLI_CLI_H
#include <libration.h>

#include "execute/execute.h"
#include "io/json.h"

#include <stdio.h>

/* The commands, each in a file of its own (flags.h). */
typedef struct command command;
extern const command command_run, command_methods, command_check, command_compare, command_models, command_reproduce,
    command_cache, command_completion;

/* From here on nothing that is printed steers the terminal (terminal.c). */
void terminal_open(void);
/* n bytes as they are shown, into `to` (6 times as many at most, and 1); *taken: how many, fewer only if a character
 * is not at its end. The length. */
size_t terminal_shown(char *to, const char *from, size_t n, size_t *taken);

/* A line on the terminal in the place of the one before; "": none. */
void terminal_status(const char *text);

/* "libration: ..." on stderr; returns LBR_EXIT_INPUT. */
int complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* What a failed call of the library means for the exit status. */
int status_exit(lbr_status status);

/* From guard_begin on it is expected that functions of a system in C end the program (by exit() or a fault): then a
 * sentence names the file, and the exit status is not 0; guard_end: what follows is the tool's own (guard.c). */
void guard_begin(const char *file);
void guard_end(void);
/* work(data) in a process of its own, which such functions may end; `data` comes back as it left it. Its exit status.
 */
int guard_apart(const char *file, int (*work)(void *data), void *data, size_t size);

/* Calls visit with the name of every method of the catalogue, families member by member, until it returns non-zero. */
int each_method(int (*visit)(const char *name, void *ctx), void *ctx);
#endif
