/* cmd_compare.c - libration compare: methods side by side. SPDX-License-Identifier: BSD-3-Clause */
#include "run.h"
#include "experiment/compare.h"
#include "plot/plot.h"

#include <math.h>
#include <string.h>

/* Beside what run has; its own --steps is a list. */
typedef struct compare_settings {
    run_settings run;
    const char *methods, *list;
} compare_settings;

#define AT(field) offsetof(compare_settings, field)
static const flag flags[] = {
    { "methods", "A,B,C", FLAG_TEXT, AT(methods), "the methods, split at commas outside brackets" },
    { "steps", "N1,N2,...", FLAG_TEXT, AT(list),
      "numbers of steps for the whole time; without it the file's times 1/2, 1, 2, 4, 8" },
    { "time", "T", FLAG_NUMBER, AT(run.time), "how long, instead of what the file says" },
    { "set", "NAME=VALUE", FLAG_SET, 0, "a parameter of the model; may be repeated, and of one name the last counts" },
    { "run", "NAME", FLAG_TEXT, AT(run.run), "which one of a file's runs; without it the first" },
    { "start", "FILE.csv", FLAG_TEXT, AT(run.start), "where to start: one row of numbers" },
    { "plot", "FILE.svg|.png|.pdf", FLAG_TEXT, AT(run.plot),
      "a picture: errors over evaluations, a curve for each method" },
    { "keep-script", NULL, FLAG_YES, AT(run.keep_script), "keep what the picture was drawn from" },
    { "json", NULL, FLAG_YES, AT(run.json), "one JSON object on standard output, and nothing else there" },
    { "force", NULL, FLAG_YES, AT(run.force), "replace files that exist" },
    { "no-compile", NULL, FLAG_YES, AT(run.no_compile), "interpret the model instead of compiling it" },
    { "option", "NAME=VALUE", FLAG_OPTION, 0, "an option by its name, as below" },
    { 0 }
};

/* --- what is compared -------------------------------------------------------------------------------------------- */

static int counts_given(compare_settings *s, lbr_comparison *c)
{
    const char **item;
    int64_t *steps;
    int code = LBR_EXIT_DONE, n = flags_list(&s->run.given, "steps", s->list, &item, &code);

    if (n < 0) return code;
    if (!(steps = lbr_arena_alloc(&s->run.given.arena, n, sizeof *steps)))
        return complain("out of memory"), LBR_EXIT_MACHINE;
    for (int i = 0; i < n; i++) {
        if (!flags_whole(item[i], 1, FLAGS_MOST, steps + i))
            return complain("--steps needs whole numbers from 1 to 2^53, not '%.60s'", item[i]);
    }
    c->steps = steps, c->nsteps = n;
    return LBR_EXIT_DONE;
}

/* Half as many as the file has, as many, twice as many, ... */
static int counts_usual(compare_settings *s, lbr_comparison *c)
{
    int64_t *steps = lbr_arena_alloc(&s->run.given.arena, 5, sizeof *steps), n = c->job->steps;

    if (!steps) return complain("out of memory"), LBR_EXIT_MACHINE;
    if (n < 1) return complain("'%.200s' takes no steps: there is nothing to compare", s->run.file);
    c->steps = steps;
    if (n > 1) steps[c->nsteps++] = n / 2;
    for (int k = 0; k < 4; k++) steps[c->nsteps++] = n << k;
    return LBR_EXIT_DONE;
}

static int tell(compare_settings *s, lbr_comparison *c, int code)
{
    lbr_message why;
    lbr_status status;
    int drawn = LBR_EXIT_DONE;

    if (c->n && s->run.json) lbr_comparison_json(c, stdout);
    else if (c->n) lbr_comparison_table(c, stdout);
    if (*c->note) fprintf(s->run.json ? stderr : stdout, "%snote: %s\n", s->run.json ? "libration: " : "\n", c->note);
    if (code) fflush(stdout), complain("%s", c->text);
    if (c->n && s->run.plot && (status = lbr_comparison_draw(c, s->run.plot, s->run.keep_script, s->run.force, &why)))
        drawn = run_refuse(why.text, status);
    run_left_out_points(&s->run, c->left_out);
    return code ? code : drawn;
}

/* With the job there: numbers of steps, everything else. */
static int compared(compare_settings *s, lbr_comparison *c)
{
    lbr_message why;
    lbr_status status;
    int code = s->list ? counts_given(s, c) : counts_usual(s, c);

    if (!code && s->run.plot && (status = lbr_plot_check(s->run.plot, s->run.keep_script, s->run.force, &why)))
        code = run_unfit(why.text, status);
    if (!code) code = tell(s, c, lbr_compare(c));
    lbr_comparison_free(c);
    return code;
}

/* Whether a picture is none of the files that the command reads: before anything is read, and once it is known what a
 * model or a system in C consists of. */
static int check_files(compare_settings *s, lbr_source *source, const lbr_csystem *system)
{
    run_files files = { .arena = &s->run.given.arena };

    run_files_begin(&files, &s->run);
    if (source) run_files_model(&files, source);
    if (system) run_files_system(&files, system);
    run_files_plot(&files, s->run.plot, s->run.keep_script);
    return run_files_check(&files);
}

/* --- a model ----------------------------------------------------------------------------------------------------- */

/* A run at whose end another one starts goes first. */
static int execute_before(lbr_experiment *x, int i)
{
    int from = x->run[i].from, code;
    lbr_status status;

    if (from < 0) return LBR_EXIT_DONE;
    if ((code = execute_before(x, from))) return code;
    if ((status = lbr_experiment_prepare(x, from))) return run_refuse(x->message, status);
    x->run[from].job.progress = 1, x->run[from].job.interrupt = run_interrupt();
    lbr_execute(&x->run[from].job, &x->run[from].result);
    x->run[from].done = 1;
    return run_tell(&x->run[from].result);
}

/* The methods as plans read them: names of the file may occur. The first is there already, as the job's. */
static int expressions(compare_settings *s, lbr_experiment *x, lbr_trial *r, lbr_comparison *c)
{
    const char **text = lbr_arena_alloc(&s->run.given.arena, c->nmethods, sizeof *text);
    lbr_job job = r->job;

    if (!text) return complain("out of memory"), LBR_EXIT_MACHINE;
    for (int m = 0; m < c->nmethods; m++) {
        x->over.method = c->method[m], lbr_experiment_anew(x);
        if (!lbr_settings_job(x, r)) return run_refuse(x->message, lbr_experiment_fail(x, LBR_EARG));
        text[m] = r->job.method;
    }
    c->method = text, r->job = job;
    return LBR_EXIT_DONE;
}

static int model(compare_settings *s, lbr_problem **problem, lbr_comparison *c)
{
    lbr_experiment *x;
    lbr_status status;
    int code = run_open(&s->run, problem), i;

    if (code || (code = check_files(s, &(*problem)->source, NULL))) return code;
    x = &(*problem)->x;
    i = s->run.run ? lbr_experiment_find(x, s->run.run) : 0;
    if ((code = execute_before(x, i))) return code;
    x->over.method = c->method[0];
    if ((status = lbr_experiment_prepare(x, i))) return run_refuse(x->message, status);
    if ((code = expressions(s, x, x->run + i, c))) return code;
    x->run[i].job.interrupt = run_interrupt(), x->run[i].job.progress = 1;
    c->job = &x->run[i].job, c->title = (*problem)->source.title;
    if (x->nruns > 1 && !s->run.run)
        fprintf(stderr, "libration: note: of %d runs the first is taken, %s\n", x->nruns, x->run[i].label);
    return compared(s, c);
}

static int compare_model(compare_settings *s, lbr_comparison *c)
{
    lbr_problem *problem = NULL;
    int code = model(s, &problem, c);

    lbr_problem_free(problem);
    return code;
}

/* --- a system in C ----------------------------------------------------------------------------------------------- */

static int compare_c(compare_settings *s, lbr_comparison *c)
{
    lbr_csystem system;
    lbr_arena arena = { 0 };
    lbr_message note = { 0 };
    lbr_job job;
    int code;

    if (s->run.given.nsets || s->run.run)
        return complain("%s: a system in C has no parameters and no runs with names",
                        s->run.given.nsets ? "--set" : "--run");
    if (s->run.no_compile) return complain("--no-compile: a system in C must be compiled");
    s->run.method = c->method[0];
    if ((code = run_c_load(&s->run, &system)) || (code = check_files(s, NULL, &system))) return code;
    c->job = &job;
    if (!(code = run_c_job(&s->run, &system, &job, &arena, &note))) code = compared(s, c);
    lbr_arena_free(&arena);
    return code;
}

static int run(const command *self, int argc, char **argv)
{
    compare_settings s = { .run = RUN_NOTHING };
    lbr_comparison c = { 0 };
    const char **method;
    int code = run_read(&s.run, self, argc, argv), n;

    if (!code && !s.methods)
        code = complain("compare needs --methods A,B,C; libration methods --fits FILE lists those that fit");
    if (!code && s.run.keep_script && !s.run.plot) code = complain("--keep-script needs --plot");
    if (!code && (n = flags_list(&s.run.given, "methods", s.methods, &method, &code)) > 0) {
        c.method = method, c.nmethods = n;
        if (!(code = check_files(&s, NULL, NULL)))
            code = run_is_c(s.run.file) ? compare_c(&s, &c) : compare_model(&s, &c);
    }
    flags_free(&s.run.given);
    return code;
}

const command command_compare = {
    .name = "compare",
    .use = "compare FILE --methods A,B,C [--steps N1,N2,...] [--set a=1] [--plot FILE] [--json] ...",
    .help = "work and precision of methods, against a tight reference: compare --help tells the rest",
    .takes = "FILE",
    .needs = 1,
    .flags = flags,
    .before =
        "Each method integrates the run of FILE with each number of steps. The error is the norm of the difference "
        "of the states at the\n"
        "end, against a solution by Gauss's method with 8 stages (with constraints: Lobatto's pair with 6) at "
        "steps halved until two of\n"
        "them agree; that difference is the reference's own error. The energy error is the largest over every "
        "step.\n"
        "\n",
    .after = "",
    .run = run
};
