/* flags.h - reading a command's arguments: a FILE, its flags, and the options of the library. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_CLI_FLAGS_H
#define LBR_CLI_FLAGS_H
#include "run.h"

typedef enum { FLAG_TEXT, FLAG_NUMBER, FLAG_COUNT, FLAG_YES, FLAG_SET, FLAG_OPTION, FLAG_LATER } flag_kind;

/* --name, or --name VALUE; offset: where it goes (const char *, double, int64_t, int). A table ends with a row without a name. */
typedef struct flag { const char *name, *value;  flag_kind kind;  size_t offset;  const char *doc; } flag;

/* Settings begin with a run_settings, which is made empty first. name: of the command. Returns DONE, or an exit status after a complaint; call flags_free in any case. */
int flags_read(run_settings *s, const char *name, const flag *flags, int argc, char **argv);
void flags_free(run_settings *s);
/* What the flags mean, and the options. */
void flags_help(const flag *flags, FILE *out);

/* The items of a list, split at commas outside brackets; blanks around them do not count. -1 after a complaint, MACHINE in *code if memory is gone. */
int flags_list(run_settings *s, const char *name, const char *text, const char ***item, int *code);
#endif
