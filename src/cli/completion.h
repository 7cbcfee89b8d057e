/* completion.h - what a shell completes words with, and how each shell is told. SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef LBR_CLI_COMPLETION_H
#define LBR_CLI_COMPLETION_H
#include "flags.h"

/* What words are offered; a set. */
enum {
    OFFER_METHODS = 1,
    OFFER_MODELS = 2,
    OFFER_EXPERIMENTS = 4,
    OFFER_FILES = 8,
    OFFER_FOLDERS = 16,
    OFFER_SHELLS = 32
};

/* A flag as shells see it; words: those that its value is one of, or NULL. */
typedef struct offered {
    const char *name, *doc;
    int has_value;
    unsigned offers;
    const char *words;
} offered;

/* The script of one shell is written by these, in this order: the beginning, for each command the command, its flags
 * and its end, and the end. */
typedef struct shell {
    const char *name;
    void (*begin)(void);
    void (*command)(const command *c);
    void (*flag)(const command *c, const offered *f);
    void (*names)(const command *c, unsigned offers); /* what is no flag; the end of the command */
    void (*end)(void);
} shell;
extern const shell shell_bash, shell_zsh, shell_fish;

/* All words of one kind, with a blank before each. */
void put_words(unsigned offer);
/* A text inside single quotes; `escaped` characters get a backslash. */
void put_quoted(const char *text, const char *escaped);
#endif
