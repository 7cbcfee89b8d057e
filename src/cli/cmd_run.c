/* cmd_run.c - libration run: its arguments, its signals, its report. SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L
#include "run.h"
#include "judge/judge.h"
#include "report/report.h"

#include <math.h>
#include <signal.h>
#include <string.h>

/* --- what there is ----------------------------------------------------------------------------------------------- */

#define AT(field) offsetof(run_settings, field)
static const flag flags[] = {
    { "method", "M", FLAG_TEXT, AT(method), "the method, an expression (libration methods)" },
    { "step", "H", FLAG_NUMBER, AT(step), "the step; may be negative" },
    { "steps", "N", FLAG_COUNT, AT(steps), "how many, counted from the start of the run, also after --resume" },
    { "time", "T", FLAG_NUMBER, AT(time), "how long instead: the largest number of steps that fits (see --land)" },
    { "every", "K", FLAG_POSITIVE, AT(every), "a sample each K steps, beside the first and the last" },
    { "set", "NAME=VALUE", FLAG_SET, 0, "a parameter of the model; may be repeated, and of one name the last counts" },
    { "run", "NAME", FLAG_TEXT, AT(run), "only this one of a file's runs" },
    { "start", "FILE.csv", FLAG_TEXT, AT(start), "where to start: one row of numbers" },
    { "out", "FILE.csv|.h5", FLAG_TEXT, AT(out), "samples into a file" },
    { "events", "FILE.csv|.h5", FLAG_TEXT, AT(events), "events of all sections into a file" },
    { "names", "plain", FLAG_TEXT, AT(names),
      "names of columns and of files as words, q_1_2, and comments on what was run" },
    { "plot", "FILE.svg|.png|.pdf", FLAG_TEXT, AT(plot), "a picture" },
    { "keep-script", NULL, FLAG_YES, AT(keep_script), "keep what the picture was drawn from" },
    { "roundoff", NULL, FLAG_YES, AT(roundoff),
      "estimate what rounding does, from a second run that rounds otherwise: more than twice the time" },
    { "json", NULL, FLAG_YES, AT(json), "one JSON object on standard output, and nothing else there" },
    { "checkpoint", "FILE", FLAG_TEXT, AT(checkpoint),
      "save the run there: every ten seconds (first sooner), when interrupted, and at its end" },
    { "resume", "FILE", FLAG_TEXT, AT(resume), "go on from a checkpoint" },
    { "force", NULL, FLAG_YES, AT(force), "replace files that exist" },
    { "no-compile", NULL, FLAG_YES, AT(no_compile), "interpret the model instead of compiling it" },
    { "option", "NAME=VALUE", FLAG_OPTION, 0, "an option by its name, as below" },
    { "control", "WHAT", FLAG_LATER, 0, NULL },
    { 0 }
};

static int contradictions(run_settings *s)
{
    if (s->names && !(s->plain = !strcmp(s->names, "plain")))
        return complain("--names is '%.60s'; it can be plain: q_1_2 instead of q[1,2]", s->names);
    if (s->names && !s->out && !s->events) return complain("--names is about files: it needs --out or --events");
    if (s->step == 0) return complain("--step must not be 0");
    if (s->steps >= 0 && !isnan(s->time) && !isnan(s->step))
        return complain("--step, --steps and --time: two of them determine the third");
    return LBR_EXIT_DONE;
}

void run_apply_options(const run_settings *s, lbr_options *options)
{
    for (int i = 0; i < s->given.noptions; i++)
        lbr_option_set(options, s->given.option[i].name, s->given.option[i].value);
}

/* --- signals ----------------------------------------------------------------------------------------------------- */

static volatile sig_atomic_t interrupted, ready;

static void interrupt(int signal) { interrupted = signal; }

const volatile sig_atomic_t *run_interrupt(void)
{
    struct sigaction action = { .sa_handler = interrupt, .sa_flags = (int)SA_RESETHAND | SA_RESTART }, before;

    if (ready) return &interrupted;
    ready = 1;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    action.sa_flags = SA_RESTART; /* a terminal that is closed may say so twice; nohup ignores it */
    if (!sigaction(SIGHUP, NULL, &before) && before.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, NULL);
    return &interrupted;
}

/* --- report ------------------------------------------------------------------------------------------------------ */

/* What was told lately. */
enum { LATELY = 8, WARNINGS = 8 };
typedef struct told {
    const char *line[LATELY];
    int n;
} told;

static int known(const told *t, const char *line, size_t n)
{
    for (int i = 0; i < LATELY; i++)
        if (t->line[i] && !strncmp(t->line[i], line, n) && (!t->line[i][n] || t->line[i][n] == '\n')) return 1;
    return 0;
}

static void notes(FILE *out, const char *prefix, const char *note, told *t)
{
    while (*note) {
        size_t n = strcspn(note, "\n");

        if (!known(t, note, n)) {
            fprintf(out, "%snote: %.*s\n", prefix, (int)n, note);
            t->line[t->n++ % LATELY] = note;
        }
        note += n + (note[n] == '\n');
    }
}

int run_tell(const lbr_result *r)
{
    if (r->exit) fflush(stdout), complain("%s%s%s", r->name ? r->name : "", r->name ? ": " : "", r->text);
    return r->exit;
}

/* Warnings of several runs begin with their names, and few are told: a sweep may have thousands of them. */
static void warnings(FILE *out, const char *prefix, const lbr_result *const *list, int64_t count)
{
    int64_t n = 0;

    for (int64_t k = 0; k < count; k++)
        for (int i = 0; i < list[k]->nwarnings; i++)
            if (n++ < WARNINGS)
                fprintf(out, "%snote: %s%s%s\n", prefix, count > 1 && list[k]->name ? list[k]->name : "",
                        count > 1 && list[k]->name ? ": " : "", list[k]->warning[i]);
    if (n > WARNINGS)
        fprintf(out, "%snote: and %lld more warnings, which --json lists\n", prefix, (long long)n - WARNINGS);
}

void run_notes(const run_settings *s, const lbr_result *const *list, int64_t count)
{
    FILE *out = s->json ? stderr : stdout;
    const char *prefix = s->json ? "libration: " : "";
    told t = { .n = 0 };

    for (int64_t k = 0; k < count; k++) notes(out, prefix, list[k]->note, &t);
    warnings(out, prefix, list, count);
}

void run_left_out_points(const run_settings *s, int64_t n)
{
    if (n)
        fprintf(s->json ? stderr : stdout,
                "%snote: points left out, since a logarithmic axis has no place for 0 and below: %lld\n",
                s->json ? "libration: " : "", (long long)n);
}

/* A system in C has no parameters and no measures. */
static void json_run(lbr_json *j, const lbr_result *r)
{
    lbr_report_keys(j, r, NULL, 0);
    lbr_judge_json_measures(NULL, 0, j);
}

int run_report(const run_settings *s, const lbr_result *r)
{
    if (!r->y) return run_tell(r); /* refused: there is nothing to show */
    if (s->json) {
        lbr_json j = { .out = stdout };

        lbr_json_open(&j, NULL, '{');
        lbr_json_text(&j, "title", NULL);
        json_run(&j, r);
        lbr_json_open(&j, "runs", '['), lbr_json_open(&j, NULL, '{');
        json_run(&j, r);
        lbr_json_close(&j, '}'), lbr_json_close(&j, ']');
        lbr_judge_json_claims(NULL, 0, &j), lbr_judge_json_tables(NULL, &j);
        lbr_json_close(&j, '}');
    } else lbr_report_table(stdout, &r, 1);
    run_notes(s, &r, 1);
    return run_tell(r);
}

int run_is_c(const char *file)
{
    size_t n = strlen(file);

    return n > 2 && !strcmp(file + n - 2, ".c");
}

int run_read(run_settings *s, const command *c, int argc, char **argv)
{
    int code = flags_read(&s->given, c, argc, argv);

    if (!code) s->file = s->given.name[0];
    return code;
}

static int run(const command *self, int argc, char **argv)
{
    run_settings s = RUN_NOTHING;
    int code;

    if (!(code = run_read(&s, self, argc, argv)) && !(code = contradictions(&s)))
        code = run_is_c(s.file) ? run_c(&s) : run_model(&s);
    flags_free(&s.given);
    return code;
}

const command command_run = {
    .name = "run",
    .use = "run FILE [--method M] [--step H] [--steps N | --time T] [--every K] [--out FILE.csv] [--json] ...",
    .help = "integrate a system: run --help tells the rest",
    .takes = "FILE",
    .needs = 1,
    .flags = flags,
    .before =
        "FILE is a system in C (mysystem.c, which defines int lbr_model(lbr_system *out)) or a model in the language;\n"
        "a name without a suffix is one of the gallery (libration models), and - is standard input, a model.\n"
        "\n",
    .after = "",
    .run = run
};
