/* flags.c - reading a command's arguments. SPDX-License-Identifier: BSD-3-Clause */
#include "flags.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct reading { run_settings *s;  const char *command;  const flag *flags; } reading;

/* --- help ---------------------------------------------------------------------------------------------------- */

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

void flags_help(const flag *flags, FILE *out)
{
    char left[256], name[64], range[128];

    for (const flag *f = flags; f->name; f++) {
        if (!f->doc) continue;
        snprintf(left, sizeof left, "--%s %s", f->name, f->value ? f->value : "");
        fprintf(out, "  %-34s %s\n", left, f->doc);
    }
    fputs("\nOptions of the library:\n", out);
    for (const lbr_option *o = lbr_option_table(); o->name; o++) {
        snprintf(left, sizeof left, "--%s %s", dashed(o->name, name), o->type == LBR_OPTION_FLAG ? "" : range_of(o, range));
        fprintf(out, "  %-34s %s\n", left, o->doc);
    }
}

/* --- values -------------------------------------------------------------------------------------------------- */

static int unknown(const reading *r, const char *name)
{
    const char *best = NULL;
    int least = 4;
    char text[64], near[64];

    for (const flag *f = r->flags; f->name; f++)
        if (f->doc && lbr_text_distance(name, f->name) < least) least = lbr_text_distance(name, best = f->name);
    for (const lbr_option *o = lbr_option_table(); o->name; o++)
        if (lbr_text_distance(name, dashed(o->name, text)) < least) least = lbr_text_distance(name, best = strcpy(near, text));
    if (best) return complain("%s has no option '--%.60s'; did you mean '--%s'?", r->command, name, best);
    return complain("%s has no option '--%.60s'; see libration %s --help", r->command, name, r->command);
}

static int same(const char *a, const char *b)
{
    for (; *a && *b; a++, b++) if (*a != *b && !(strchr("-_", *a) && strchr("-_", *b))) return 0;
    return *a == *b;
}

static int add_option(const reading *r, const char *name, const char *value)
{
    lbr_options scratch;

    lbr_options_init(&scratch);
    for (const lbr_option *o = lbr_option_table(); o->name; o++) {
        if (!same(o->name, name)) continue;
        if (lbr_option_set(&scratch, o->name, value)) return complain("option %s has no value '%.60s'; it is one of: %s", o->name, value, o->values);
        r->s->option[r->s->noptions++] = (run_pair){ o->name, value };
        return DONE;
    }
    return complain("there is no option '%.60s'; see libration %s --help", name, r->command);
}

/* NAME=VALUE */
static int add_pair(const reading *r, const flag *f, const char *text)
{
    const char *equals = strchr(text, '=');
    char *name;

    if (!equals || equals == text) return complain("--%s needs NAME=VALUE, not '%.60s'", f->name, text);
    if (!(name = lbr_arena_format(&r->s->arena, "%.*s", (int)(equals - text), text))) return complain("out of memory"), MACHINE;
    if (f->kind == FLAG_OPTION) return add_option(r, name, equals + 1);
    r->s->set[r->s->nsets++] = (run_pair){ name, equals + 1 };
    return DONE;
}

static int add_number(const reading *r, const flag *f, const char *text)
{
    char *end;
    double x = strtod(text, &end);

    if (!*text || *end || !isfinite(x)) return complain("--%s needs a number, not '%.60s'", f->name, text);
    if (f->kind == FLAG_NUMBER) return *(double *)((char *)r->s + f->offset) = x, DONE;
    if (x < 0 || x > 9007199254740992.0 || x != floor(x)) return complain("--%s needs a whole number from 0 to 2^53, not '%.60s'", f->name, text);
    *(int64_t *)((char *)r->s + f->offset) = (int64_t)x;
    return DONE;
}

static int add(const reading *r, const flag *f, const char *value)
{
    switch (f->kind) {
    case FLAG_YES: return *(int *)((char *)r->s + f->offset) = 1, DONE;
    case FLAG_TEXT: return *(const char **)((char *)r->s + f->offset) = value, *value ? DONE : complain("--%s needs %s", f->name, f->value);
    case FLAG_NUMBER: case FLAG_COUNT: return add_number(r, f, value);
    case FLAG_SET: case FLAG_OPTION: return add_pair(r, f, value);
    default: return complain("--%s comes with a later version: steps are constant so far", f->name);
    }
}

/* --- arguments ----------------------------------------------------------------------------------------------- */

/* --name value or --name=value; *used: arguments taken. */
static int take(const reading *r, const char *argument, const char *next, int *used)
{
    size_t n = strcspn(argument + 2, "=");
    const char *value = argument[2 + n] ? argument + 3 + n : NULL;
    char name[64];

    snprintf(name, sizeof name, "%.*s", (int)n, argument + 2);
    for (const flag *f = r->flags; f->name; f++) {
        if (strcmp(f->name, name)) continue;
        if (!f->value && value) return complain("--%s takes no value", f->name);
        if (f->value && !value && (value = next)) *used = 2;
        if (f->value && !value && f->kind != FLAG_LATER) return complain("--%s needs %s", f->name, f->value);
        return add(r, f, value);
    }
    for (const lbr_option *o = lbr_option_table(); o->name; o++) {
        if (!same(o->name, name)) continue;
        if (o->type == LBR_OPTION_FLAG) return add_option(r, o->name, value ? value : "yes");
        if (!value && (value = next)) *used = 2;
        return value ? add_option(r, o->name, value) : complain("--%s needs a value: %s", name, o->values);
    }
    return unknown(r, name);
}

static int arguments(const reading *r, int argc, char **argv)
{
    run_settings *s = r->s;
    int only_files = 0, code, used;

    for (int i = 1; i < argc; i += used) {
        used = 1;
        if (!only_files && !strcmp(argv[i], "--")) only_files = 1;
        else if (!only_files && !strncmp(argv[i], "--", 2)) { if ((code = take(r, argv[i], i + 1 < argc ? argv[i + 1] : NULL, &used))) return code; }
        else if (!only_files && argv[i][0] == '-' && argv[i][1]) return complain("%s has no option '%.60s'; a file of that name is given as ./%.60s", r->command, argv[i], argv[i]);
        else if (s->file) return complain("%s takes one FILE; '%.60s' is a second one", r->command, argv[i]);
        else s->file = argv[i];
    }
    return s->file && *s->file ? DONE : complain("%s needs a FILE; see libration %s --help", r->command, r->command);
}

int flags_read(run_settings *s, const char *name, const flag *flags, int argc, char **argv)
{
    reading r = { s, name, flags };

    *s = (run_settings){ .step = NAN, .time = NAN, .steps = -1, .every = -1 };
    s->set = lbr_arena_alloc(&s->arena, argc, sizeof *s->set);
    s->option = lbr_arena_alloc(&s->arena, argc, sizeof *s->option);
    if (!s->set || !s->option) return complain("out of memory"), MACHINE;
    return arguments(&r, argc, argv);
}

void flags_free(run_settings *s) { lbr_arena_free(&s->arena); }

/* --- lists --------------------------------------------------------------------------------------------------- */

static size_t item_length(const char *text)
{
    int depth = 0;
    size_t n = 0;

    for (; text[n] && (text[n] != ',' || depth > 0); n++) depth += (strchr("([{", text[n]) != NULL) - (strchr(")]}", text[n]) != NULL);
    return n;
}

int flags_list(run_settings *s, const char *name, const char *text, const char ***item, int *code)
{
    int64_t most = 1;
    int count = 0;

    for (const char *c = text; *c; c++) most += *c == ',';
    if (!(*item = lbr_arena_alloc(&s->arena, most, sizeof **item))) return complain("out of memory"), *code = MACHINE, -1;
    for (;; text++) {
        size_t n = item_length(text), from = strspn(text, " \t"), to = n;

        while (to > from && strchr(" \t", text[to - 1])) to--;
        if (to <= from) return *code = complain("--%s has an empty place in its list", name), -1;
        if (!((*item)[count++] = lbr_arena_format(&s->arena, "%.*s", (int)(to - from), text + from))) return complain("out of memory"), *code = MACHINE, -1;
        text += n;
        if (!*text) return count;
    }
}
