/* completion_fish.c - words completed in fish. SPDX-License-Identifier: BSD-3-Clause */
#include "completion.h"

static void kind(const char *name, unsigned k) { printf("set -g __libration_%s", name), put_words(k), putchar('\n'); }

static void begin(void)
{
    fputs("# fish completion of libration, made by: libration completion fish\n", stdout);
    kind("methods", OFFER_METHODS), kind("models", OFFER_MODELS), kind("experiments", OFFER_EXPERIMENTS);
    kind("shells", OFFER_SHELLS);
    fputs("complete -c libration -f\n"
          "complete -c libration -n __fish_use_subcommand -l help\n"
          "complete -c libration -n __fish_use_subcommand -l version\n",
          stdout);
}

static void described(const char *doc) { fputs(" -d ", stdout), put_quoted(doc, "\\'"); }

static void command_(const command *c)
{
    printf("complete -c libration -n __fish_use_subcommand -a %s", c->name);
    described(c->help), putchar('\n');
}

static void offer(unsigned offers)
{
    fputs(" -a \"", stdout);
    if (offers & OFFER_METHODS) fputs("$__libration_methods ", stdout);
    if (offers & OFFER_MODELS) fputs("$__libration_models ", stdout);
    if (offers & OFFER_EXPERIMENTS) fputs("$__libration_experiments ", stdout);
    if (offers & OFFER_SHELLS) fputs("$__libration_shells ", stdout);
    if (offers & OFFER_FOLDERS) fputs("(__fish_complete_directories)", stdout);
    fputs(offers & OFFER_FILES ? "\" -F" : "\"", stdout);
}

static void flag_(const command *c, const offered *f)
{
    printf("complete -c libration -n '__fish_seen_subcommand_from %s' -l %s", c->name, f->name);
    if (f->has_value) fputs(" -r", stdout);
    if (f->words) printf(" -a '%s'", f->words);
    else if (f->has_value) offer(f->offers);
    described(f->doc), putchar('\n');
}

static void names(const command *c, unsigned offers)
{
    if (!offers) return;
    printf("complete -c libration -n '__fish_seen_subcommand_from %s'", c->name), offer(offers), putchar('\n');
}

static void end(void) {}

const shell shell_fish = { "fish", begin, command_, flag_, names, end };
