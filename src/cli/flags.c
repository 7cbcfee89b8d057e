/* flags.c - reading a command's arguments. SPDX-License-Identifier: BSD-3-Clause */
#include "flags.h"
#include "core/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct reading {
    arguments *to;
    const command *c;
    char *seen; /* of each flag: whether it has been given */
} reading;

/* --- help -------------------------------------------------------------------------------------------------------- */

/* The first option of the library, if the command takes them; NULL if not. */
static const lbr_option *options_of(const command *c)
{
    for (const flag *f = c->flags; f->name; f++)
        if (f->kind == FLAG_OPTION) return lbr_option_next(NULL);
    return NULL;
}

static const char *range_of(const lbr_option *o, char text[128])
{
    size_t n = 0;

    for (const char *c = o->values; *c && n < 127; c++) text[n++] = *c == ' ' ? '|' : *c;
    text[n] = 0;
    return text;
}

/* max_iterations is --max-iterations */
static const char *dashed(const char *name, char text[64])
{
    size_t n = 0;

    for (; *name && n < 63; name++) text[n++] = *name == '_' ? '-' : *name;
    text[n] = 0;
    return text;
}

void flags_help(const command *c, FILE *out)
{
    const lbr_option *o = options_of(c);
    char left[256], name[64], range[128];

    fprintf(out, "usage: libration %s\n%s\n\n%s", c->use, c->help, c->before);
    for (const flag *f = c->flags; f->name; f++) {
        if (!f->doc) continue;
        snprintf(left, sizeof left, "--%s %s", f->name, f->value ? f->value : "");
        fprintf(out, "  %-34s %s\n", left, f->doc);
    }
    if (o) fputs("\nOptions of the library:\n", out);
    for (; o; o = lbr_option_next(o)) {
        snprintf(left, sizeof left, "--%s %s", dashed(o->name, name),
                 o->type == LBR_OPTION_FLAG ? "" : range_of(o, range));
        fprintf(out, "  %-34s %s\n", left, o->doc);
    }
    fputs(c->after, out);
}

void flags_each(const command *c, void (*visit)(const char *name, const char *value, const char *doc, void *ctx),
                void *ctx)
{
    char name[64];

    for (const flag *f = c->flags; f->name; f++)
        if (f->doc) visit(f->name, f->value, f->doc, ctx);
    for (const lbr_option *o = options_of(c); o; o = lbr_option_next(o))
        visit(dashed(o->name, name), o->type == LBR_OPTION_FLAG ? NULL : o->values, o->doc, ctx);
}

/* --- what is wrong ----------------------------------------------------------------------------------------------- */

static int no_memory(void) { return complain("out of memory"), LBR_EXIT_MACHINE; }

static int unknown(const reading *r, const char *name)
{
    const char *whose = r->c->name, *best = NULL;
    int least = lbr_text_far(name);
    char text[64], near[64];

    for (const flag *f = r->c->flags; f->name; f++)
        if (f->doc && lbr_text_distance(name, f->name) < least) least = lbr_text_distance(name, best = f->name);
    for (const lbr_option *o = options_of(r->c); o; o = lbr_option_next(o))
        if (lbr_text_distance(name, dashed(o->name, text)) < least)
            least = lbr_text_distance(name, best = strcpy(near, text));
    if (lbr_text_distance(name, "help") < least) best = "help";
    if (best) return complain("%s has no option '--%.60s'; did you mean '--%s'?", whose, name, best);
    return complain("%s has no option '--%.60s'; see libration %s --help", whose, name, whose);
}

/* Of one dash. */
static int short_option(const command *c, const char *argument)
{
    if (c->takes && strstr(c->takes, "FILE"))
        return complain("%s has no option '%.60s'; a file of that name is given as ./%.60s", c->name, argument,
                        argument);
    return complain("%s has no option '%.60s'; see libration %s --help", c->name, argument, c->name);
}

static int twice(const char *name) { return complain("--%.60s is given twice", name); }

/* --- values ------------------------------------------------------------------------------------------------------ */

static int same(const char *a, const char *b)
{
    for (; *a && *b; a++, b++)
        if (*a != *b && !(strchr("-_", *a) && strchr("-_", *b))) return 0;
    return *a == *b;
}

static int add_option(const reading *r, const char *name, const char *value)
{
    arguments *to = r->to;
    lbr_options scratch;
    char text[64];

    lbr_options_init(&scratch);
    for (const lbr_option *o = lbr_option_next(NULL); o; o = lbr_option_next(o)) {
        if (!same(o->name, name)) continue;
        for (int i = 0; i < to->noptions; i++)
            if (to->option[i].name == o->name) return twice(dashed(o->name, text));
        if (lbr_option_set(&scratch, o->name, value))
            return complain("option %s has no value '%.60s'; it is one of: %s", o->name, value, o->values);
        to->option[to->noptions++] = (lbr_pair){ o->name, value };
        return LBR_EXIT_DONE;
    }
    return complain("there is no option '%.60s'; see libration %s --help", name, r->c->name);
}

/* NAME=VALUE */
static int add_pair(const reading *r, const flag *f, const char *text)
{
    const char *equals = strchr(text, '=');
    arguments *to = r->to;
    char *name;

    if (!equals || equals == text) return complain("--%s needs NAME=VALUE, not '%.60s'", f->name, text);
    if (!(name = lbr_arena_format(&to->arena, "%.*s", (int)(equals - text), text))) return no_memory();
    if (f->kind == FLAG_OPTION) return add_option(r, name, equals + 1);
    to->set[to->nsets++] = (lbr_pair){ name, equals + 1 };
    return LBR_EXIT_DONE;
}

/* A number in decimal digits, without blanks: strtod takes more. */
static int number_of(const char *text, double *x)
{
    char *end;

    if (!*text || text[strspn(text, "+-.0123456789eE")]) return 0;
    *x = strtod(text, &end);
    return !*end && isfinite(*x);
}

int flags_whole(const char *text, int64_t least, int64_t most, int64_t *value)
{
    double x;

    if (!number_of(text, &x) || !(x >= (double)least && x <= (double)most) || x != floor(x)) return 0;
    *value = (int64_t)x;
    return 1;
}

static int add_number(const flag *f, const char *text, double *to)
{
    return number_of(text, to) ? LBR_EXIT_DONE : complain("--%s needs a number, not '%.60s'", f->name, text);
}

static int add_count(const flag *f, const char *text, int64_t *to)
{
    static const struct {
        int64_t least, most;
        const char *words;
    } range[] = { [FLAG_COUNT] = { 0, FLAGS_MOST, "0 to 2^53" },
                  [FLAG_POSITIVE] = { 1, FLAGS_MOST, "1 to 2^53" },
                  [FLAG_ORDER] = { 1, 1000, "1 to 1000" } };

    if (flags_whole(text, range[f->kind].least, range[f->kind].most, to)) return LBR_EXIT_DONE;
    return complain("--%s needs a whole number from %s, not '%.60s'", f->name, range[f->kind].words, text);
}

static int add(const reading *r, const flag *f, const char *value)
{
    void *to = (char *)r->to + f->offset;

    if (f->kind != FLAG_SET && f->kind != FLAG_OPTION && r->seen[f - r->c->flags]++) return twice(f->name);
    switch (f->kind) {
    case FLAG_YES: return *(int *)to = 1, LBR_EXIT_DONE;
    case FLAG_TEXT:
        return *(const char **)to = value, *value ? LBR_EXIT_DONE : complain("--%s needs %s", f->name, f->value);
    case FLAG_NUMBER: return add_number(f, value, to);
    case FLAG_COUNT:
    case FLAG_POSITIVE:
    case FLAG_ORDER: return add_count(f, value, to);
    case FLAG_SET:
    case FLAG_OPTION: return add_pair(r, f, value);
    default: return complain("--%s comes with a later version: steps are constant so far", f->name);
    }
}

/* --- arguments --------------------------------------------------------------------------------------------------- */

/* --name value or --name=value; next: the argument behind it, which is no value if it is a flag; *used: arguments
 * taken. */
static int take(const reading *r, const char *argument, const char *next, int *used)
{
    size_t n = strcspn(argument + 2, "=");
    const char *value = argument[2 + n] ? argument + 3 + n : NULL;
    char name[64];

    snprintf(name, sizeof name, "%.*s", (int)n, argument + 2);
    if (next && !strncmp(next, "--", 2)) next = NULL;
    for (const flag *f = r->c->flags; f->name; f++) {
        if (strcmp(f->name, name)) continue;
        if (!f->value && value) return complain("--%s takes no value", f->name);
        if (f->value && !value && (value = next)) *used = 2;
        if (f->value && !value && f->kind != FLAG_LATER) return complain("--%s needs %s", f->name, f->value);
        return add(r, f, value);
    }
    for (const lbr_option *o = options_of(r->c); o; o = lbr_option_next(o)) {
        if (!same(o->name, name)) continue;
        if (o->type == LBR_OPTION_FLAG) return add_option(r, o->name, value ? value : "yes");
        if (!value && (value = next)) *used = 2;
        return value ? add_option(r, o->name, value) : complain("--%s needs a value: %s", name, o->values);
    }
    return unknown(r, name);
}

static int no_name(const command *c)
{
    return complain("%s needs a%s %s; see libration %s --help", c->name, strchr("AEIO", *c->takes) ? "n" : "", c->takes,
                    c->name);
}

static int add_name(const reading *r, const char *name)
{
    const command *c = r->c;

    if (!c->takes) return complain("%s has no argument '%.60s'; see libration %s --help", c->name, name, c->name);
    if (!*name) return no_name(c);
    if (r->to->nnames && !c->many) return complain("%s takes one %s; '%.60s' is a second one", c->name, c->takes, name);
    r->to->name[r->to->nnames++] = name;
    return LBR_EXIT_DONE;
}

static int read_all(const reading *r, int argc, char **argv)
{
    const command *c = r->c;
    int only_names = 0, code, used;

    for (int i = 1; i < argc; i += used) {
        used = 1;
        if (!only_names && !strcmp(argv[i], "--")) only_names = 1;
        else if (!only_names && !strncmp(argv[i], "--", 2)) {
            if ((code = take(r, argv[i], i + 1 < argc ? argv[i + 1] : NULL, &used))) return code;
        } else if (!only_names && argv[i][0] == '-' && argv[i][1]) return short_option(c, argv[i]);
        else if ((code = add_name(r, argv[i]))) return code;
    }
    return c->needs && !r->to->nnames ? no_name(c) : LBR_EXIT_DONE;
}

int flags_read(arguments *a, const command *c, int argc, char **argv)
{
    reading r = { .to = a, .c = c };
    int n = 1;

    for (const flag *f = c->flags; f->name; f++) n++;
    a->name = lbr_arena_alloc(&a->arena, argc, sizeof *a->name);
    a->set = lbr_arena_alloc(&a->arena, argc, sizeof *a->set);
    a->option = lbr_arena_alloc(&a->arena, argc, sizeof *a->option);
    r.seen = lbr_arena_alloc(&a->arena, n, 1);
    if (!a->name || !a->set || !a->option || !r.seen) return no_memory();
    return read_all(&r, argc, argv);
}

void flags_free(arguments *a) { lbr_arena_free(&a->arena); }

int flags_either(const arguments *a, int all, const char *name, const char *needs)
{
    if (all && a->nnames) return complain("--%s and '%.60s': one or the other", name, a->name[0]);
    return all || a->nnames ? LBR_EXIT_DONE : complain("%s", needs);
}

/* --- lists ------------------------------------------------------------------------------------------------------- */

static size_t item_length(const char *text)
{
    int depth = 0;
    size_t n = 0;

    for (; text[n] && (text[n] != ',' || depth > 0); n++)
        depth += (strchr("([{", text[n]) != NULL) - (strchr(")]}", text[n]) != NULL);
    return n;
}

int flags_list(arguments *a, const char *name, const char *text, const char ***item, int *code)
{
    int64_t most = 1;
    int count = 0;

    for (const char *c = text; *c; c++) most += *c == ',';
    if (!(*item = lbr_arena_alloc(&a->arena, most, sizeof **item))) return *code = no_memory(), -1;
    for (;; text++) {
        size_t n = item_length(text), from = strspn(text, " \t"), to = n;

        while (to > from && strchr(" \t", text[to - 1])) to--;
        if (to <= from) return *code = complain("--%s has an empty place in its list", name), -1;
        if (!((*item)[count++] = lbr_arena_format(&a->arena, "%.*s", (int)(to - from), text + from)))
            return *code = no_memory(), -1;
        text += n;
        if (!*text) return count;
    }
}
