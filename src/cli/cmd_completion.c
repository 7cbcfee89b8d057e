/* cmd_completion.c - libration completion: a script for a shell, made of the tables of commands, flags, options,
 * methods and models. SPDX-License-Identifier: BSD-3-Clause */
#include "completion.h"
#include "syntax/gallery.h"

#include <ctype.h>
#include <string.h>

static const shell *const shells[] = { &shell_bash, &shell_zsh, &shell_fish };
enum { SHELLS = sizeof shells / sizeof *shells };

/* --- words ------------------------------------------------------------------------------------------------------- */

static int put_word(const char *word, void *ctx)
{
    (void)ctx;
    return printf(" %s", word) < 0;
}

static void put_gallery(const char *kind)
{
    const lbr_gallery_item *item;

    for (int64_t i = 0; (item = lbr_gallery(i)); i++)
        if (!strcmp(item->kind, kind)) put_word(item->name, NULL);
}

void put_words(unsigned offer)
{
    if (offer == OFFER_METHODS) each_method(put_word, NULL);
    if (offer == OFFER_MODELS) put_gallery("model");
    if (offer == OFFER_EXPERIMENTS) put_gallery("experiment");
    for (int i = 0; i < SHELLS && offer == OFFER_SHELLS; i++) put_word(shells[i]->name, NULL);
}

void put_quoted(const char *text, const char *escaped)
{
    putchar('\'');
    for (; *text; text++) {
        if (*text == '\'') {
            fputs(strchr(escaped, '\'') ? "\\'" : "'\\''", stdout);
            continue;
        }
        if (strchr(escaped, *text)) putchar('\\');
        putchar(*text);
    }
    putchar('\'');
}

/* --- what is offered --------------------------------------------------------------------------------------------- */

/* What the words for values stand for, in the tables of flags and commands. */
static unsigned offers_of(const char *value)
{
    unsigned all = 0;

    if (!strcmp(value, "M") || !strcmp(value, "A,B,C") || strstr(value, "METHOD")) all |= OFFER_METHODS;
    if (strstr(value, "FILE")) all |= OFFER_FILES;
    if (!strcmp(value, "DIR")) all |= OFFER_FOLDERS;
    if (strstr(value, "ID,")) all |= OFFER_EXPERIMENTS;
    if (!strcmp(value, "SHELL")) all |= OFFER_SHELLS;
    return all;
}

/* Names of the gallery go where a file does; a NAME is the command's own. */
static unsigned names_of(const command *c)
{
    if (!c->takes) return 0;
    if (c == &command_methods) return OFFER_METHODS;
    if (c == &command_models) return OFFER_MODELS | OFFER_EXPERIMENTS;
    return offers_of(c->takes) | (strcmp(c->takes, "FILE") ? 0 : OFFER_MODELS | OFFER_EXPERIMENTS);
}

typedef struct writing {
    const shell *to;
    const command *c;
} writing;

static void write_flag(const char *name, const char *value, const char *doc, void *ctx)
{
    const writing *w = ctx;
    offered f = { .name = name, .doc = doc, .has_value = value != NULL, .offers = value ? offers_of(value) : 0 };

    if (value && (strchr(value, ' ') || islower((unsigned char)*value)))
        f.words = value; /* what it stands for is in capitals */
    w->to->flag(w->c, &f);
}

static void write_script(const shell *to)
{
    const command *c;

    to->begin();
    for (int i = 0; (c = command_number(i)); i++) {
        writing w = { to, c };

        to->command(c);
        flags_each(c, write_flag, &w);
        write_flag("help", NULL, "how it is used", &w);
        to->names(c, names_of(c));
    }
    to->end();
}

/* --- the command ------------------------------------------------------------------------------------------------- */

static int script(const char *name)
{
    for (int i = 0; i < SHELLS; i++)
        if (!strcmp(shells[i]->name, name)) return write_script(shells[i]), LBR_EXIT_DONE;
    return complain("there is no completion for '%.60s'; there is one for bash, zsh and fish", name);
}

static int run(const command *self, int argc, char **argv)
{
    arguments given = { 0 };
    int code = flags_read(&given, self, argc, argv);

    if (!code) code = script(given.name[0]);
    flags_free(&given);
    return code;
}

static const flag flags[] = { { 0 } };

const command command_completion = {
    .name = "completion",
    .use = "completion SHELL",
    .help = "a script that completes commands, options, methods and models in bash, zsh or fish",
    .takes = "SHELL",
    .needs = 1,
    .flags = flags,
    .before =
        "SHELL is bash, zsh or fish. The script goes to standard output; installing libration puts it where these "
        "shells look for it.\nFor now and here:\n\n"
        "  bash   source <(libration completion bash)\n"
        "  zsh    source <(libration completion zsh)\n"
        "  fish   libration completion fish | source\n",
    .after = "",
    .run = run
};
