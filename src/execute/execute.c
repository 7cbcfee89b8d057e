/* execute.c - a run from beginning to end. SPDX-License-Identifier: BSD-3-Clause
 *
 * Refused before the first step: bad input (2). What goes wrong later: the numerics (3) or the machine (4). Steps are
 * taken in slices of about a twentieth of a second, between which signals, checkpoints and the terminal have their
 * turn; bits do not depend on slices. */
#include "executing.h"
#include "core/clock.h"
#include "plan/plan_inside.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MOST_STEPS (INT64_C(1) << 53)
static const double slice_seconds = 0.05, first_save = 0.5, save_seconds = 10; /* the time between saves doubles */

/* --- results ----------------------------------------------------------------------------------------------------- */

int lbr_exit_before(lbr_status status)
{
    return status == LBR_ENOMEM || status == LBR_EIO ? LBR_EXIT_MACHINE : LBR_EXIT_INPUT;
}

int lbr_exec_end(lbr_exec *e, int code, lbr_status status, const char *format, ...)
{
    lbr_result *r = e->result;
    va_list ap;

    if (r->exit && r->exit != LBR_EXIT_INTERRUPTED) return r->exit; /* the first failure is the one to tell */
    va_start(ap, format), vsnprintf(r->text, sizeof r->text, format, ap), va_end(ap);
    r->status = status;
    return r->exit = code;
}

int lbr_exec_no_memory(lbr_exec *e) { return lbr_exec_end(e, LBR_EXIT_MACHINE, LBR_ENOMEM, "out of memory"); }

void lbr_result_note(lbr_result *r, const char *format, ...)
{
    size_t used = strlen(r->note);
    va_list ap;

    if (used && used + 1 < sizeof r->note) r->note[used++] = '\n', r->note[used] = 0;
    va_start(ap, format), vsnprintf(r->note + used, sizeof r->note - used, format, ap), va_end(ap);
}

void lbr_result_warn(lbr_result *r, const char *format, ...)
{
    char text[LBR_MESSAGE];
    va_list ap;

    va_start(ap, format), vsnprintf(text, sizeof text, format, ap), va_end(ap);
    for (int k = 0; k < r->nwarnings; k++)
        if (!strcmp(r->warning[k], text)) return;
    if (r->nwarnings < LBR_WARNINGS && (r->warning[r->nwarnings] = lbr_arena_text(&r->arena, text))) r->nwarnings++;
}

/* --- before the first step --------------------------------------------------------------------------------------- */

static int copy_names(lbr_exec *e)
{
    const lbr_job *job = e->job;
    lbr_result *r = e->result;

    r->model = lbr_arena_text(&r->arena, job->model ? job->model : "");
    r->kernel = lbr_arena_text(&r->arena, job->kernel ? job->kernel : "callback");
    r->method = lbr_arena_text(&r->arena, job->method ? job->method : "");
    if (job->name && !(r->name = lbr_arena_text(&r->arena, job->name))) return lbr_exec_no_memory(e);
    return r->model && r->kernel && r->method ? 0 : lbr_exec_no_memory(e);
}

static int check_numbers(lbr_exec *e)
{
    const lbr_job *job = e->job;

    if (job->steps < 0 || job->steps > MOST_STEPS)
        return lbr_exec_end(e, LBR_EXIT_INPUT, LBR_EARG, "%lld steps are asked for; counts go from 0 to 2^53",
                            (long long)job->steps);
    if (job->roundoff && job->options.precision)
        return lbr_exec_end(e, LBR_EXIT_INPUT, LBR_EUNFIT,
                            "--roundoff is about doubles; extended precision has hardly any to tell of");
    if (job->every < 1)
        return lbr_exec_end(e, LBR_EXIT_INPUT, LBR_EARG, "a sample every %lld steps is asked for; it must be 1 or more",
                            (long long)job->every);
    if (!isfinite(job->h) || job->h == 0)
        return lbr_exec_end(e, LBR_EXIT_INPUT, LBR_EARG, "the step is %g; it must be finite and not zero", job->h);
    if (!isfinite(fma((double)job->steps, job->h, job->t0)))
        return lbr_exec_end(e, LBR_EXIT_INPUT, LBR_EARG, "%lld steps of %g from t = %g lead beyond all finite times",
                            (long long)job->steps, job->h, job->t0);
    return 0;
}

static int make_plan(lbr_exec *e)
{
    const lbr_job *job = e->job;
    lbr_result *r = e->result;
    int code = lbr_exec_plan(e);

    if (code) return code;
    memcpy(&e->sys, job->system, job->system->size < sizeof e->sys ? job->system->size : sizeof e->sys);
    if (!(r->method = lbr_arena_text(&r->arena, lbr_plan_method(e->plan)))) return lbr_exec_no_memory(e);
    return lbr_exec_warn_method(e);
}

static int start(lbr_exec *e)
{
    const lbr_job *job = e->job;
    lbr_status status;

    if (job->resume) return lbr_exec_resume(e);
    if ((status = lbr_state_start(e->state, job->t0, job->h, job->y0)))
        return lbr_exec_end(e, lbr_exit_before(status), status, "%s", lbr_state_message(e->state));
    if (job->y0_low) lbr_state_start_low(e->state, job->y0_low);
    return lbr_exec_start(e);
}

/* Everything that can be refused is refused before a file is touched. */
static int prepare(lbr_exec *e)
{
    int code;

    if ((code = copy_names(e)) || (code = check_numbers(e)) || (code = make_plan(e)) || (code = lbr_exec_columns(e)) ||
        (code = lbr_exec_cross_open(e)))
        return code;
    lbr_exec_options(e);
    return (code = lbr_exec_check_files(e)) || (code = start(e)) || (code = lbr_exec_check_further(e)) ||
                   (code = lbr_exec_check_samples(e)) || (code = lbr_exec_cross_begin(e))
               ? code
               : lbr_exec_open(e);
}

/* --- stepping ---------------------------------------------------------------------------------------------------- */

static int failed(lbr_exec *e, lbr_status status)
{
    const lbr_failure *f = lbr_state_failure(e->state);
    lbr_result *r = e->result;

    if (f) {
        r->failed_step = f->step, r->failed_t = f->t;
        if (f->component >= 0)
            snprintf(r->failed_component, sizeof r->failed_component, "%s", r->component[f->component]);
        if (f->watched >= 0)
            snprintf(r->failed_component, sizeof r->failed_component, "%s", e->name[e->at_energy + f->watched]);
    }
    return lbr_exec_end(e, status == LBR_ENOMEM ? LBR_EXIT_MACHINE : LBR_EXIT_NUMERICS, status, "%s",
                        lbr_state_message(e->state));
}

/* One slice; its length is changed towards slice_seconds. */
static int advance(lbr_exec *e, int64_t *slice, int *stopped)
{
    int64_t left = e->job->steps - lbr_state_count(e->state), n = *slice < left ? *slice : left,
            every = lbr_exec_cadence(e);
    double began = lbr_seconds(), took;
    lbr_status status = lbr_state_run(e->state, n, every, every ? lbr_exec_look : NULL, e);

    took = lbr_seconds() - began;
    e->result->seconds += took;
    lbr_exec_watched(e);
    if (took < slice_seconds / 2 && *slice < MOST_STEPS / 4) *slice *= 2;
    if (took > slice_seconds * 2 && *slice > 1) *slice /= 2;
    if (status == LBR_STOPPED) return *stopped = 1, e->result->exit; /* 0: job->stop has spoken, or a section */
    return status ? failed(e, status) : 0;
}

/* As a shell takes it: between single quotes, unless there is nothing that it would read otherwise. */
static const char *for_a_shell(lbr_exec *e, const char *name)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-+=,:@%";
    char *text, *to;

    if (!name || !name[strspn(name, plain)]) return name;
    if (!(to = text = lbr_arena_alloc(&e->result->arena, 4 * (int64_t)strlen(name) + 3, 1))) return name;
    for (*to++ = '\''; *name; name++)
        if (*name == '\'') memcpy(to, "'\\''", 4), to += 4;
        else *to++ = *name;
    return *to = '\'', text;
}

static int interrupted(lbr_exec *e)
{
    const lbr_job *job = e->job;
    const char *advice = job->checkpoint ? "the same command goes on from there with --resume " : job->advice;
    int64_t n = lbr_state_count(e->state);

    if (!job->interrupt || !*job->interrupt) return 0;
    return lbr_exec_end(e, LBR_EXIT_INTERRUPTED, LBR_STOPPED, "interrupted after %lld of %lld steps%s%s%.300s",
                        (long long)n, (long long)job->steps, advice ? "; " : "", advice ? advice : "",
                        job->checkpoint ? for_a_shell(e, job->checkpoint) : "");
}

/* A run whose files cannot be written any more keeps its last checkpoint: there is one from the beginning on. */
static int save_first(lbr_exec *e) { return e->stream || e->event.stream ? lbr_exec_save(e) : 0; }

static int step(lbr_exec *e)
{
    const lbr_job *job = e->job;
    lbr_progress progress;
    int64_t slice = 1; /* a step may take seconds: signals are looked at soon */
    double saved = lbr_seconds(), between = first_save;
    int code = lbr_exec_watch(e), stopped = 0;

    if (!code) code = lbr_exec_kernel_first(e);
    if (!code) code = lbr_exec_rounding_open(e);
    if (!code && lbr_state_count(e->state) < job->steps) code = save_first(e);
    lbr_progress_start(&progress, job);
    while (!code && !stopped && lbr_state_count(e->state) < job->steps) {
        if ((code = interrupted(e)) || (code = lbr_exec_kernel(e))) break;
        code = advance(e, &slice, &stopped);
        if (!code) lbr_exec_rounding(e);
        if (!code && job->checkpoint && lbr_seconds() > saved + between)
            code = lbr_exec_save(e), saved = lbr_seconds(), between = fmin(2 * between, save_seconds);
        lbr_progress_show(&progress, e->begin, lbr_state_count(e->state), job->steps);
    }
    lbr_progress_end(&progress);
    lbr_exec_rounding_close(e);
    return code;
}

/* --- the end ----------------------------------------------------------------------------------------------------- */

/* Without a Hamiltonian, the invariant H is the energy. */
static void finish_monitors(lbr_exec *e)
{
    lbr_result *r = e->result;

    if (e->job->options.monitor == LBR_MONITOR_OFF) {
        r->energy.worst = NAN, r->residual = (lbr_residuals){ sizeof(lbr_residuals), NAN, NAN, NAN, NAN };
        for (int64_t i = 0; i < r->ninvariants; i++) r->invariant[i].worst = NAN;
    }
    for (int64_t i = 0; !r->has_energy && i < r->ninvariants; i++)
        if (!strcmp(r->invariant[i].name, "H") && r->invariant[i].len == 1)
            r->has_energy = 1, r->energy = r->invariant[i];
}

static void close_streams(lbr_exec *e)
{
    lbr_message why;
    lbr_status status;

    for (int k = 0; k < 2; k++) {
        lbr_stream **stream = k ? &e->event.stream : &e->stream;

        if ((status = lbr_stream_close(*stream, &why))) lbr_exec_end(e, LBR_EXIT_MACHINE, status, "%s", why.text);
        *stream = NULL;
    }
}

static void finish(lbr_exec *e)
{
    lbr_exec_cross_back(e);
    if (!e->result->exit || e->result->exit == LBR_EXIT_INTERRUPTED) lbr_exec_save(e);
    lbr_exec_cross_end(e);
    lbr_exec_last(e);
    lbr_exec_zeros(e);
    finish_monitors(e);
    lbr_exec_kernel_told(e);
    lbr_exec_warn_energy(e);
    close_streams(e);
    if (e->result->exit == LBR_EXIT_MACHINE && e->saved >= 0)
        lbr_result_note(e->result,
                        "the checkpoint is of step %lld: the same command goes on from there with --resume %.300s",
                        (long long)e->saved, e->job->checkpoint);
}

int lbr_execute(const lbr_job *job, lbr_result *result)
{
    lbr_exec e = { .job = job, .result = result, .last_kept = -1, .last_record = -1, .saved = -1 };
    lbr_message why;

    memset(result, 0, sizeof *result);
    result->t = job->t0, result->h = job->h, result->every = job->every, result->compile_seconds = job->compile_seconds,
    result->kernel_from = -1, result->rounding = (lbr_rounding){ NAN, NAN };
    if (!prepare(&e)) {
        if (!lbr_exec_first(&e)) step(&e);
        finish(&e);
    } else {
        lbr_exec_kernel_told(&e);
        result->dim = result->ninvariants = result->ncolumns = result->nmultipliers = 0; /* there is nothing to show */
        result->y = NULL, result->has_energy = 0;
    }
    lbr_stream_close(e.stream, &why), lbr_stream_close(e.event.stream, &why);
    lbr_lock_release(&e.lock);
    lbr_exec_cross_close(&e);
    lbr_plan_free(e.plan);
    return result->exit;
}
