/* flags.h - the arguments of commands: names, flags, and the options of the library.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A command has one table of its flags: whoever reads arguments, tells help or complains reads that one. */
#ifndef LBR_CLI_FLAGS_H
#define LBR_CLI_FLAGS_H
#include "cli.h"
#include "core/mem.h"
#include "runs/experiment.h"

typedef enum {
    FLAG_YES,
    FLAG_TEXT,
    FLAG_NUMBER,
    FLAG_COUNT,    /* whole numbers: from 0, */
    FLAG_POSITIVE, /* from 1, */
    FLAG_ORDER,    /* from 1 to 1000 */
    FLAG_SET,
    FLAG_OPTION,
    FLAG_LATER
} flag_kind;

/* --name, or --name VALUE; offset: where it goes in the command's settings (int, const char *, double, int64_t; what
 * FLAG_SET and FLAG_OPTION give goes into lists). A command with a row FLAG_OPTION takes the options of the library as
 * flags, too. A table ends with a row without a name; a row without `doc` is not told. */
typedef struct flag {
    const char *name, *value;
    flag_kind kind;
    size_t offset;
    const char *doc;
} flag;

struct command {
    const char *name, *use, *help;
    const char *takes; /* what its names are: FILE, NAME; NULL: it has none */
    int needs, many;   /* it cannot do without a name; takes several */
    const flag *flags;
    const char *before, *after; /* in its help, before and after the flags; "" or whole lines */
    int (*run)(const command *self, int argc, char **argv); /* argv[0] is the command's name */
};

/* What is given to a command, beside what the offsets of its flags say; its settings begin with it. */
typedef struct arguments {
    const char **name; /* what is no flag, in its order */
    int nnames;
    lbr_pair *set, *option; /* in their order: of equal names in `set` the last one counts; options are known and their
                               values valid */
    int nsets, noptions;
    lbr_arena arena;
} arguments;

/* a: all zero, at the beginning of the settings. Returns LBR_EXIT_DONE, or an exit status after a complaint; call
 * flags_free in any case. */
int flags_read(arguments *a, const command *c, int argc, char **argv);
void flags_free(arguments *a);
/* How it is used, what its flags mean, and the options. */
void flags_help(const command *c, FILE *out);

/* Every flag that its help tells, and the options of the library: value NULL if there is none, of an option its words
 * with blanks between them. */
void flags_each(const command *c, void (*visit)(const char *name, const char *value, const char *doc, void *ctx),
                void *ctx);
/* Command i of all; NULL after the last. */
const command *command_number(int i);

/* Either --name, which is given if `all`, or names; needs: the complaint if there is neither. An exit status. */
int flags_either(const arguments *a, int all, const char *name, const char *needs);

/* The items of a list, split at commas outside brackets; blanks around them do not count. -1 after a complaint,
 * LBR_EXIT_MACHINE in *code if memory is gone. */
int flags_list(arguments *a, const char *name, const char *text, const char ***item, int *code);
/* A whole number from least to most in decimal digits, also as 1e6; 0: it is none. */
int flags_whole(const char *text, int64_t least, int64_t most, int64_t *value);
#define FLAGS_MOST ((int64_t)1 << 53)
#endif
