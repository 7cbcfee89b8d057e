/* run_c.c - libration run FILE.c: a system that is compiled and loaded. SPDX-License-Identifier: BSD-3-Clause */
#include "run.h"
#include "execute/csystem.h"
#include "plot/picture.h"
#include "plot/plot.h"

#include <math.h>
#include <string.h>

/* What the language has and C has not. */
static int refuse(const run_settings *s)
{
    if (s->given.nsets) return complain("--set: a system in C has no parameters that could be set by name");
    if (s->events) return complain("--events: a system in C has no sections that the tool knows");
    if (s->run) return complain("--run: a system in C has one run, without a name");
    if (s->no_compile) return complain("--no-compile: a system in C must be compiled");
    if (s->keep_script && !s->plot) return complain("--keep-script needs --plot");
    if (s->resume && s->start) return complain("--start and --resume contradict each other");
    return LBR_EXIT_DONE;
}

/* Before it is compiled, and once it is known what it includes. */
static int check_files(const run_settings *s, const lbr_csystem *c, lbr_arena *arena)
{
    run_files files = { .arena = arena };
    int code;

    run_files_begin(&files, s);
    if (c) run_files_system(&files, c);
    run_files_plot(&files, s->plot, s->keep_script);
    return (code = run_files_check(&files)) ? code : run_files_out(&files, s, "--out", s->out);
}

static lbr_defaults defaults_of(const lbr_system *system)
{
    lbr_defaults d = { 0 };

    if (system->size >= offsetof(lbr_system, defaults) + sizeof system->defaults && system->defaults)
        memcpy(&d, system->defaults, system->defaults->size < sizeof d ? system->defaults->size : sizeof d);
    return d;
}

/* Step and number of steps: of --step, --steps and --time two determine the third; the system's defaults fill up. */
static int how_long(const run_settings *s, const lbr_defaults *d, lbr_job *job, lbr_message *note)
{
    lbr_message why;

    job->h = isnan(s->step) ? d->step : s->step;
    job->steps = s->steps >= 0 ? s->steps : d->steps;
    if (s->steps > 0 && !isnan(s->time)) job->h = s->time / (double)s->steps;
    if (job->h == 0) return complain("'%.200s' has no default step: --step is needed", s->file);
    if (s->steps >= 0) return LBR_EXIT_DONE;
    if (!isnan(s->time))
        return lbr_span(s->time, job->options.land, &job->h, &job->steps, &why, note) ? complain("%s", why.text)
                                                                                      : LBR_EXIT_DONE;
    return job->steps > 0 ? LBR_EXIT_DONE
                          : complain("'%.200s' does not say how long: --steps or --time is needed", s->file);
}

static int where_from(const run_settings *s, const lbr_defaults *d, lbr_job *job, lbr_arena *arena)
{
    int64_t dim = job->system->dim;
    lbr_status status = LBR_OK;
    lbr_message why;
    double *y;

    job->t0 = d->t0, job->y0 = d->y0;
    if (s->resume && s->start) return complain("--start and --resume contradict each other");
    if (!s->start && !d->y0 && !s->resume)
        return complain("'%.200s' has no default start: --start is needed, a file with one row of numbers", s->file);
    if (dim < 1 || dim > 1000000000) return LBR_EXIT_DONE; /* the plan will say so */
    if (s->resume || (!s->start && !job->options.project_start)) return LBR_EXIT_DONE;
    if (!(y = lbr_arena_alloc(arena, dim, sizeof *y))) return complain("out of memory"), LBR_EXIT_MACHINE;
    if (s->start) status = lbr_start_read(s->start, dim, y, &why);
    else memcpy(y, d->y0, (size_t)dim * sizeof *y);
    if (!status && job->options.project_start) status = lbr_start_project(job, 0, y, &why);
    if (status) return complain("%s", why.text), status == LBR_ENOMEM ? LBR_EXIT_MACHINE : LBR_EXIT_INPUT;
    job->y0 = y;
    return LBR_EXIT_DONE;
}

static int draw(const run_settings *s, const lbr_result *r)
{
    lbr_message why;
    lbr_status status;

    if (!s->plot || (r->exit && r->exit != LBR_EXIT_NUMERICS && r->exit != LBR_EXIT_INTERRUPTED)) return LBR_EXIT_DONE;
    if (!(status = lbr_picture(&r, 1, NULL, s->plot, s->keep_script, s->force, run_interrupt(), &why)))
        return LBR_EXIT_DONE;
    return run_refuse(why.text, status);
}

static int execute(const run_settings *s, lbr_job *job, const lbr_message *note)
{
    lbr_result result;
    lbr_message why;
    lbr_status status;
    int code, drawn, part;

    if (s->plot && !s->resume && (status = lbr_plot_check(s->plot, s->keep_script, s->force, &why)))
        return run_unfit(why.text, status);
    lbr_execute(job, &result);
    part = run_left_out(s, NULL, &result);
    if (*note->text) lbr_result_warn(&result, "%s", note->text);
    code = run_report(s, &result);
    drawn = part ? LBR_EXIT_DONE : draw(s, &result);
    lbr_result_free(&result);
    return code ? code : drawn;
}

int run_c_job(const run_settings *s, const lbr_csystem *c, lbr_job *job, lbr_arena *arena, lbr_message *note)
{
    lbr_defaults d = defaults_of(&c->system);
    int code;

    *job = (lbr_job){ .model = s->file,
                      .method = s->method ? s->method : d.method,
                      .system = &c->system,
                      .every = s->every > 0 ? s->every : 1,
                      .out = s->out,
                      .plain_names = s->plain,
                      .force = s->force,
                      .checkpoint = s->checkpoint,
                      .resume = s->resume,
                      .roundoff = s->roundoff,
                      .digest = c->digest,
                      .kernel = "callback",
                      .native = &lbr_native_file,
                      .native_ctx = c->file,
                      .compile_seconds = c->seconds,
                      .keep = s->plot != NULL,
                      .progress = 1,
                      .interrupt = run_interrupt() };
    lbr_options_init(&job->options);
    run_apply_options(s, &job->options);
    if (!job->method) return complain("'%.200s' has no default method: --method is needed", s->file);
    return (code = how_long(s, &d, job, note)) ? code : where_from(s, &d, job, arena);
}

int run_c_load(const run_settings *s, lbr_csystem *c)
{
    lbr_options options;
    lbr_message why;
    int code;

    lbr_options_init(&options);
    run_apply_options(s, &options);
    guard_begin(s->file);
    code = lbr_csystem_load(c, s->file, options.isa, run_interrupt(), &why);
    if (c->said) fprintf(stderr, "%s\n", c->said);
    lbr_mem_free(c->said);
    c->said = NULL;
    return code ? (complain("%s", why.text), code) : LBR_EXIT_DONE;
}

int run_c(const run_settings *s)
{
    lbr_csystem c;
    lbr_arena arena = { 0 };
    lbr_message note = { 0 };
    lbr_job job;
    int code;

    if ((code = refuse(s)) || (code = check_files(s, NULL, &arena)) || (code = run_c_load(s, &c)) ||
        (code = check_files(s, &c, &arena)))
        return lbr_arena_free(&arena), code;
    if (!(code = run_c_job(s, &c, &job, &arena, &note))) job.advice = RUN_ADVICE, code = execute(s, &job, &note);
    lbr_arena_free(&arena);
    return code;
}
