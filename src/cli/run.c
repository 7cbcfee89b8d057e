/* run.c - libration run: its arguments, its signals, its report. SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L
#include "run.h"
#include "experiment/report.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* --- what there is ------------------------------------------------------------------------------------------- */

typedef enum { TEXT, NUMBER, COUNT, FLAG, SET, OPTION, LATER } kind;
typedef struct flag { const char *name, *value;  kind kind;  size_t offset;  const char *doc; } flag;

#define AT(field) offsetof(run_settings, field)
static const flag flags[] = {
    { "method", "M", TEXT, AT(method), "the method, an expression (libration methods)" },
    { "step", "H", NUMBER, AT(step), "the step; may be negative" },
    { "steps", "N", COUNT, AT(steps), "how many, counted from the start of the run, also after --resume" },
    { "time", "T", NUMBER, AT(time), "how long instead: the largest number of steps that fits (see --land)" },
    { "every", "K", COUNT, AT(every), "a sample each K steps, beside the first and the last" },
    { "set", "NAME=VALUE", SET, 0, "a parameter of the model; may be repeated" },
    { "run", "NAME", TEXT, AT(run), "only this one of a file's runs" },
    { "start", "FILE.csv", TEXT, AT(start), "where to start: one row of numbers" },
    { "out", "FILE.csv|.h5", TEXT, AT(out), "samples into a file" },
    { "plot", "FILE.svg|.png|.pdf", TEXT, AT(plot), "a picture" },
    { "keep-script", NULL, FLAG, AT(keep_script), "keep what the picture was drawn from" },
    { "json", NULL, FLAG, AT(json), "one JSON object on standard output, and nothing else there" },
    { "checkpoint", "FILE", TEXT, AT(checkpoint), "save the run there: every ten seconds, when interrupted, and at its end" },
    { "resume", "FILE", TEXT, AT(resume), "go on from a checkpoint" },
    { "force", NULL, FLAG, AT(force), "replace files that exist" },
    { "no-compile", NULL, FLAG, AT(no_compile), "interpret the model instead of compiling it" },
    { "option", "NAME=VALUE", OPTION, 0, "an option by its name, as below" },
    { "control", "WHAT", LATER, 0, NULL },
    { 0 }
};

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

void help_run(FILE *out)
{
    char left[256], name[64], range[128];

    fputs("\nFILE is a system in C (mysystem.c, which defines int lbr_model(lbr_system *out)) or a model in the language.\n\n", out);
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

/* --- reading arguments ----------------------------------------------------------------------------------------- */

static int unknown(const char *name)
{
    const char *best = NULL;
    int least = 4;
    char text[64], near[64];

    for (const flag *f = flags; f->name; f++)
        if (f->doc && lbr_text_distance(name, f->name) < least) least = lbr_text_distance(name, best = f->name);
    for (const lbr_option *o = lbr_option_table(); o->name; o++)
        if (lbr_text_distance(name, dashed(o->name, text)) < least) least = lbr_text_distance(name, best = strcpy(near, text));
    if (best) return complain("run has no option '--%.60s'; did you mean '--%s'?", name, best);
    return complain("run has no option '--%.60s'; see libration run --help", name);
}

static int same(const char *a, const char *b)
{
    for (; *a && *b; a++, b++) if (*a != *b && !(strchr("-_", *a) && strchr("-_", *b))) return 0;
    return *a == *b;
}

static int add_option(run_settings *s, const char *name, const char *value)
{
    lbr_options scratch;

    lbr_options_init(&scratch);
    for (const lbr_option *o = lbr_option_table(); o->name; o++) {
        if (!same(o->name, name)) continue;
        if (lbr_option_set(&scratch, o->name, value)) return complain("option %s has no value '%.60s'; it is one of: %s", o->name, value, o->values);
        s->option[s->noptions++] = (run_pair){ o->name, value };
        return DONE;
    }
    return complain("there is no option '%.60s'; see libration run --help", name);
}

/* NAME=VALUE */
static int add_pair(run_settings *s, const flag *f, const char *text)
{
    const char *equals = strchr(text, '=');
    char *name;

    if (!equals || equals == text) return complain("--%s needs NAME=VALUE, not '%.60s'", f->name, text);
    if (!(name = lbr_arena_format(&s->arena, "%.*s", (int)(equals - text), text))) return complain("out of memory"), MACHINE;
    if (f->kind == OPTION) return add_option(s, name, equals + 1);
    s->set[s->nsets++] = (run_pair){ name, equals + 1 };
    return DONE;
}

static int add_number(run_settings *s, const flag *f, const char *text)
{
    char *end;
    double x = strtod(text, &end);

    if (!*text || *end || !isfinite(x)) return complain("--%s needs a number, not '%.60s'", f->name, text);
    if (f->kind == NUMBER) return *(double *)((char *)s + f->offset) = x, DONE;
    if (x < 0 || x > 9007199254740992.0 || x != floor(x)) return complain("--%s needs a whole number from 0 to 2^53, not '%.60s'", f->name, text);
    *(int64_t *)((char *)s + f->offset) = (int64_t)x;
    return DONE;
}

static int add(run_settings *s, const flag *f, const char *value)
{
    switch (f->kind) {
    case FLAG: return *(int *)((char *)s + f->offset) = 1, DONE;
    case TEXT: return *(const char **)((char *)s + f->offset) = value, *value ? DONE : complain("--%s needs %s", f->name, f->value);
    case NUMBER: case COUNT: return add_number(s, f, value);
    case SET: case OPTION: return add_pair(s, f, value);
    default: return complain("--%s comes with a later version: steps are constant so far", f->name);
    }
}

/* --name value or --name=value; *used: arguments taken. */
static int take(run_settings *s, const char *argument, const char *next, int *used)
{
    size_t n = strcspn(argument + 2, "=");
    const char *value = argument[2 + n] ? argument + 3 + n : NULL;
    char name[64];

    snprintf(name, sizeof name, "%.*s", (int)n, argument + 2);
    for (const flag *f = flags; f->name; f++) {
        if (strcmp(f->name, name)) continue;
        if (!f->value && value) return complain("--%s takes no value", f->name);
        if (f->value && !value && (value = next)) *used = 2;
        if (f->value && !value && f->kind != LATER) return complain("--%s needs %s", f->name, f->value);
        return add(s, f, value);
    }
    for (const lbr_option *o = lbr_option_table(); o->name; o++) {
        if (!same(o->name, name)) continue;
        if (o->type == LBR_OPTION_FLAG) return add_option(s, o->name, value ? value : "yes");
        if (!value && (value = next)) *used = 2;
        return value ? add_option(s, o->name, value) : complain("--%s needs a value: %s", name, o->values);
    }
    return unknown(name);
}

static int arguments(run_settings *s, int argc, char **argv)
{
    int only_files = 0, code, used;

    for (int i = 1; i < argc; i += used) {
        used = 1;
        if (!only_files && !strcmp(argv[i], "--")) only_files = 1;
        else if (!only_files && !strncmp(argv[i], "--", 2)) { if ((code = take(s, argv[i], i + 1 < argc ? argv[i + 1] : NULL, &used))) return code; }
        else if (!only_files && argv[i][0] == '-' && argv[i][1]) return complain("run has no option '%.60s'; a file of that name is given as ./%.60s", argv[i], argv[i]);
        else if (s->file) return complain("run takes one FILE; '%.60s' is a second one", argv[i]);
        else s->file = argv[i];
    }
    if (!s->file || !*s->file) return complain("run needs a FILE; see libration run --help");
    if (s->every == 0) return complain("--every needs 1 or more");
    if (s->step == 0) return complain("--step must not be 0");
    if (s->steps >= 0 && !isnan(s->time) && !isnan(s->step)) return complain("--step, --steps and --time: two of them determine the third");
    return DONE;
}

void run_apply_options(const run_settings *s, lbr_options *options)
{
    for (int i = 0; i < s->noptions; i++) lbr_option_set(options, s->option[i].name, s->option[i].value);
}

/* --- signals ------------------------------------------------------------------------------------------------------ */

static volatile sig_atomic_t interrupted;

static void interrupt(int signal) { interrupted = signal; }

const volatile sig_atomic_t *run_interrupt(void)
{
    struct sigaction action = { .sa_handler = interrupt, .sa_flags = (int)SA_RESETHAND | SA_RESTART };

    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    return &interrupted;
}

/* --- report --------------------------------------------------------------------------------------------------------- */

static void notes(FILE *out, const char *prefix, const char *note)
{
    while (*note) {
        size_t n = strcspn(note, "\n");

        fprintf(out, "%snote: %.*s\n", prefix, (int)n, note);
        note += n + (note[n] == '\n');
    }
}

int run_tell(const lbr_result *r)
{
    if (r->exit) fflush(stdout), complain("%s%s%s", r->name ? r->name : "", r->name ? ": " : "", r->text);
    return r->exit;
}

void run_notes(const run_settings *s, const lbr_result *r)
{
    notes(s->json ? stderr : stdout, s->json ? "libration: " : "", r->note);
}

int run_report(const run_settings *s, const lbr_result *r)
{
    if (!r->y) return run_tell(r);                  /* refused: there is nothing to show */
    if (s->json) {
        lbr_json j = { .out = stdout };

        lbr_report_open(&j, r);
        lbr_json_close(&j, '}');
    } else lbr_report_table(stdout, &r, 1);
    run_notes(s, r);
    return run_tell(r);
}

int command_run(int argc, char **argv)
{
    run_settings s = { .step = NAN, .time = NAN, .steps = -1, .every = -1 };
    size_t n;
    int code;

    s.set = lbr_arena_alloc(&s.arena, argc, sizeof *s.set);
    s.option = lbr_arena_alloc(&s.arena, argc, sizeof *s.option);
    if (!s.set || !s.option) code = complain("out of memory"), code = MACHINE;
    else if (!(code = arguments(&s, argc, argv))) {
        n = strlen(s.file);
        code = n > 2 && !strcmp(s.file + n - 2, ".c") ? run_c(&s) : run_model(&s);
    }
    lbr_arena_free(&s.arena);
    return code;
}
