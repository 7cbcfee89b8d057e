/* completion_zsh.c - words completed in zsh. SPDX-License-Identifier: BSD-3-Clause */
#include "completion.h"

/* Signs that have a meaning in what _arguments and _describe take. */
static const char signs[] = ":[]\\";

/* A function that offers words of one kind. */
static void kind(const char *name, unsigned k)
{
    printf("_libration_%s() {\n    local -a words_of\n    words_of=(", name);
    put_words(k);
    printf(")\n    compadd -a words_of\n}\n");
}

static void begin(void)
{
    const command *c;

    fputs("#compdef libration\n# zsh completion of libration, made by: libration completion zsh\n", stdout);
    kind("methods", OFFER_METHODS), kind("models", OFFER_MODELS), kind("experiments", OFFER_EXPERIMENTS);
    kind("shells", OFFER_SHELLS);
    fputs("_libration() {\n    local -a commands\n    commands=(\n", stdout);
    for (int i = 0; (c = command_number(i)); i++) {
        printf("        %s:", c->name), put_quoted(c->help, signs);
        putchar('\n');
    }
    fputs("    )\n"
          "    if (( CURRENT == 2 )); then\n"
          "        _describe command commands\n"
          "        compadd -- --help --version\n"
          "        return\n"
          "    fi\n"
          "    shift words\n"
          "    (( CURRENT-- ))\n"
          "    case $words[1] in\n",
          stdout);
}

static void command_(const command *c) { printf("    %s)\n        _arguments", c->name); }

static void action(unsigned offers)
{
    static const struct {
        unsigned offer;
        const char *function;
    } row[] = { { OFFER_METHODS, "_libration_methods" },
                { OFFER_MODELS, "_libration_models" },
                { OFFER_EXPERIMENTS, "_libration_experiments" },
                { OFFER_SHELLS, "_libration_shells" },
                { OFFER_FILES, "_files" },
                { OFFER_FOLDERS, "_path_files -/" } };
    int n = 0;

    fputs("{ ", stdout);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        if (offers & row[i].offer) printf("%s; ", row[i].function), n++;
    fputs(n ? "}" : ": }", stdout);
}

static void flag_(const command *c, const offered *f)
{
    (void)c;
    printf(" \\\n            '--%s%s['", f->name, f->has_value ? "=" : ""), put_quoted(f->doc, signs),
        fputs("']", stdout);
    if (f->words) printf(":value:(%s)", f->words);
    else if (f->has_value) fputs(":value:", stdout), action(f->offers);
    putchar('\'');
}

static void names(const command *c, unsigned offers)
{
    if (c->takes) fputs(" \\\n            '*:name:", stdout), action(offers), putchar('\'');
    fputs(" ;;\n", stdout);
}

static void end(void)
{
    fputs("    esac\n}\n"
          "if [[ $funcstack[1] == _libration ]]; then _libration \"$@\"; else compdef _libration libration; fi\n",
          stdout);
}

const shell shell_zsh = { "zsh", begin, command_, flag_, names, end };
