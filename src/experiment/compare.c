/* compare.c - methods side by side. SPDX-License-Identifier: BSD-3-Clause */
#include "compare.h"
#include "plot/plot.h"
#include "execute/reference.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { PLACES = 64 }; /* of the reference: between the first and the last, to see errors grow */
static const double doubt = 10;

static int give_up(lbr_comparison *c, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));
static int give_up(lbr_comparison *c, int code, const char *format, ...)
{
    va_list ap;

    va_start(ap, format), vsnprintf(c->text, sizeof c->text, format, ap), va_end(ap);
    return code;
}

static int no_memory(lbr_comparison *c) { return give_up(c, LBR_EXIT_MACHINE, "out of memory"); }

/* --- before ------------------------------------------------------------------------------------------------------ */

/* Each method must fit; its canonical spelling goes into all its rows. */
static int check_methods(lbr_comparison *c)
{
    for (int m = 0; m < c->nmethods; m++) {
        lbr_plan *plan;
        lbr_status status = lbr_plan_create(&plan, c->method[m], c->job->system, &c->job->options);
        const char *name = status ? NULL : lbr_arena_text(&c->arena, lbr_plan_method(plan));
        int code = status ? give_up(c, lbr_exit_before(status), "%s", lbr_plan_message(plan)) : name ? 0 : no_memory(c);

        lbr_plan_free(plan);
        if (code) return code;
        for (int k = 0; k < c->nsteps; k++) c->row[m * c->nsteps + k].method = name;
    }
    return 0;
}

static int begin(lbr_comparison *c)
{
    const lbr_job *job = c->job;

    c->end = fma((double)job->steps, job->h, job->t0);
    c->reference_error = NAN;
    if (job->steps < 1 || c->nmethods < 1 || c->nsteps < 1)
        return give_up(c, LBR_EXIT_INPUT, "there is nothing to compare: %lld steps, %d methods", (long long)job->steps,
                       c->nmethods);
    if (job->options.precision)
        return give_up(c, LBR_EXIT_INPUT, "methods are compared in doubles: leave precision = extended out");
    if (!isfinite(c->end))
        return give_up(c, LBR_EXIT_INPUT, "%lld steps of %g from t = %g lead beyond all finite times",
                       (long long)job->steps, job->h, job->t0);
    c->n = (int64_t)c->nmethods * c->nsteps;
    if (!(c->row = lbr_arena_alloc(&c->arena, c->n, sizeof *c->row))) return c->n = 0, no_memory(c);
    return check_methods(c);
}

/* The state at the end, or none: then c->text says why. */
static int reference(lbr_comparison *c, const double **end)
{
    const lbr_job *job = c->job;
    int64_t at[PLACES + 1], dim = job->system->dim;
    lbr_reference_task task = { job->system, job->t0,       (double)job->steps * job->h / PLACES, job->y0, PLACES + 1,
                                at,          job->interrupt };
    lbr_solution s;
    lbr_status status;
    double *copy = NULL;
    int good;

    for (int i = 0; i <= PLACES; i++) at[i] = i;
    if ((status = lbr_reference_solve(&task, &s)) == LBR_STOPPED)
        return give_up(c, LBR_EXIT_INTERRUPTED, "interrupted while a reference solution was computed");
    if (status) return no_memory(c);
    *end = NULL;
    if ((good = s.error <= LBR_REFERENCE_GOOD)) {
        if ((copy = lbr_arena_alloc(&c->arena, dim, sizeof *copy)))
            memcpy(copy, s.y + PLACES * dim, (size_t)dim * sizeof *copy);
        *end = copy, c->reference_error = s.absolute;
    } else give_up(c, 0, "%s", s.why.text);
    lbr_mem_free(s.y);
    return good && !copy ? no_memory(c) : 0;
}

/* --- rows -------------------------------------------------------------------------------------------------------- */

static double distance(int64_t n, const double *a, const double *b)
{
    double sum = 0;

    for (int64_t i = 0; i < n; i++) sum = hypot(sum, a[i] - b[i]);
    return sum;
}

static int fill(lbr_comparison *c, lbr_compared *row, const lbr_result *r, const double *end)
{
    row->evaluations = lbr_evaluations(&r->stats), row->unit = lbr_evaluations_unit(&r->stats);
    row->flows = r->stats.flow + r->stats.map;
    row->seconds = r->seconds;
    if (r->has_energy && !r->exit) row->energy_error = r->energy.worst;
    if (end && !r->exit) row->error = distance(r->dim, r->y, end);
    row->doubtful = row->error < doubt * c->reference_error;
    if (r->exit == LBR_EXIT_MACHINE || r->exit == LBR_EXIT_INTERRUPTED) return give_up(c, r->exit, "%s", r->text);
    if (r->exit && !(row->why = lbr_arena_text(&c->arena, r->text))) return no_memory(c);
    for (int i = 0; i < r->nwarnings; i++)
        if (!(row->warning[row->nwarnings++] = lbr_arena_text(&c->arena, r->warning[i]))) return no_memory(c);
    return 0;
}

static int run(lbr_comparison *c, int m, int k, const double *end)
{
    lbr_compared *row = c->row + m * c->nsteps + k, *before = k ? row - 1 : NULL;
    lbr_job job = *c->job;
    lbr_result result;
    int code;

    job.method = c->method[m], job.steps = job.every = c->steps[k];
    job.h = job.steps == c->job->steps ? c->job->h : c->job->h * (double)c->job->steps / (double)job.steps;
    if (job.options.compile == LBR_NATIVE_AUTO)
        job.options.compile = LBR_NATIVE_WAIT; /* times are compared: all with kernels from the start */
    job.out = job.checkpoint = job.resume = NULL, job.keep = 0, job.record = NULL, job.nrecord = 0, job.ncuts = 0;
    *row = (lbr_compared){ .method = row->method,
                           .step = job.h,
                           .steps = job.steps,
                           .unit = "",
                           .seconds = NAN,
                           .error = NAN,
                           .energy_error = NAN,
                           .order = NAN };
    lbr_execute(&job, &result);
    if (!*c->note) snprintf(c->note, sizeof c->note, "%.*s", (int)strcspn(result.note, "\n"), result.note);
    code = fill(c, row, &result, end);
    lbr_result_free(&result);
    if (!code && before && row->steps != before->steps && before->error > 0 && row->error > 0 && !row->doubtful &&
        !before->doubtful)
        row->order = log(before->error / row->error) / log(before->step / row->step);
    return code;
}

int lbr_compare(lbr_comparison *c)
{
    const double *end = NULL;
    int code = begin(c), failed = 0;

    if (!code) code = reference(c, &end);
    for (int m = 0; m < c->nmethods && !code; m++)
        for (int k = 0; k < c->nsteps && !code; k++) {
            code = run(c, m, k, end);
            failed += c->row[m * c->nsteps + k].why != NULL;
        }
    if (code) return c->n = 0, code;
    if (failed && end) return give_up(c, LBR_EXIT_NUMERICS, "%d of %lld runs failed", failed, (long long)c->n);
    return end ? 0 : LBR_EXIT_NUMERICS;
}

void lbr_comparison_free(lbr_comparison *c) { lbr_arena_free(&c->arena); }

/* --- for programs ------------------------------------------------------------------------------------------------ */

void lbr_comparison_json(const lbr_comparison *c, FILE *out)
{
    lbr_json j = { .out = out };

    lbr_json_open(&j, NULL, '{');
    lbr_json_text(&j, "model", c->job->model);
    lbr_json_number(&j, "t", c->end);
    lbr_json_number(&j, "reference_error", c->reference_error);
    lbr_json_open(&j, "results", '[');
    for (int64_t i = 0; i < c->n; i++) {
        const lbr_compared *r = c->row + i;

        lbr_json_open(&j, NULL, '{');
        lbr_json_text(&j, "method", r->method);
        lbr_json_number(&j, "step", r->step);
        lbr_json_number(&j, "steps", (double)r->steps);
        lbr_json_number(&j, "evaluations", (double)r->evaluations);
        lbr_json_number(&j, "flows", (double)r->flows);
        lbr_json_number(&j, "seconds", r->seconds);
        lbr_json_number(&j, "error", r->error);
        lbr_json_number(&j, "energy_error", r->energy_error);
        lbr_json_text(&j, "failure", r->why);
        lbr_json_open(&j, "warnings", '[');
        for (int k = 0; k < r->nwarnings; k++) lbr_json_text(&j, NULL, r->warning[k]);
        lbr_json_close(&j, ']');
        lbr_json_close(&j, '}');
    }
    lbr_json_close(&j, ']');
    lbr_json_close(&j, '}');
}

/* --- for people -------------------------------------------------------------------------------------------------- */

static void cell(FILE *out, int wide, double value, const char *format, const char *none)
{
    char text[40];

    if (isfinite(value)) snprintf(text, sizeof text, format, value);
    fprintf(out, "  %*s", wide, isfinite(value) ? text : none);
}

static void line(const lbr_comparison *c, int64_t i, int wide, FILE *out)
{
    const lbr_compared *r = c->row + i;
    char work[40];

    snprintf(work, sizeof work, "%lld%s", (long long)r->evaluations, r->unit);
    fprintf(out, "%-*s  %10lld  %11.6g  %12s", wide, i % c->nsteps ? "" : r->method, (long long)r->steps, r->step,
            work);
    cell(out, 9, r->error, "%.3g", r->why ? "failed" : "-");
    putc(r->doubtful ? '*' : ' ', out);
    cell(out, 5, r->order, "%.2f", "");
    cell(out, 12, r->energy_error, "%.3g", "-");
    cell(out, 9, r->seconds, "%.3g", "-");
    putc('\n', out);
}

static void remarks(const lbr_comparison *c, FILE *out)
{
    int doubtful = 0;

    for (int64_t i = 0; i < c->n; i++) doubtful |= c->row[i].doubtful;
    if (doubtful)
        fprintf(out,
                "\n"
                "* within %.0f times the error of the reference: not to be trusted, and no order is given.\n",
                doubt);
    for (int64_t i = 0, said = 0; i < c->n; i++) {
        const lbr_compared *r = c->row + i;

        if (r->why) fprintf(out, "%s%s, %lld steps: %s\n", said++ ? "" : "\n", r->method, (long long)r->steps, r->why);
        for (int k = 0; k < r->nwarnings; k++)
            fprintf(out, "%snote: %s, %lld steps: %s\n", said++ ? "" : "\n", r->method, (long long)r->steps,
                    r->warning[k]);
    }
}

void lbr_comparison_table(const lbr_comparison *c, FILE *out)
{
    int wide = 6;

    if (c->title) fprintf(out, "%s\n\n", c->title);
    for (int64_t i = 0; i < c->n; i++)
        if ((int)strlen(c->row[i].method) > wide) wide = (int)strlen(c->row[i].method);
    fprintf(out, "Errors of the state at t = %.10g; ", c->end);
    if (isfinite(c->reference_error)) fprintf(out, "the reference is known to %.2g.\n\n", c->reference_error);
    else fprintf(out, "there is no reference.\n\n");
    fprintf(out, "%-*s  %10s  %11s  %12s  %9s   %5s  %12s  %9s\n", wide, "method", "steps", "step", "evaluations",
            "error", "order", "energy error", "time [s]");
    for (int64_t i = 0; i < c->n; i++) {
        if (i && i % c->nsteps == 0 && c->nsteps > 1) putc('\n', out);
        line(c, i, wide, out);
    }
    remarks(c, out);
}

/* --- a picture --------------------------------------------------------------------------------------------------- */

lbr_status lbr_comparison_draw(lbr_comparison *c, const char *path, int keep_script, int force, lbr_message *message)
{
    lbr_curve *curve = lbr_arena_alloc(&c->arena, c->nmethods, sizeof *curve);
    double *x = lbr_arena_alloc(&c->arena, c->n, sizeof *x), *y = lbr_arena_alloc(&c->arena, c->n, sizeof *y);
    lbr_plot plot;

    if (!curve || !x || !y) return lbr_fail(message, LBR_ENOMEM, "out of memory for a picture");
    for (int64_t i = 0; i < c->n; i++) x[i] = (double)c->row[i].evaluations, y[i] = c->row[i].error;
    for (int m = 0; m < c->nmethods; m++)
        curve[m] = (lbr_curve){
            .label = c->row[m * c->nsteps].method, .n = c->nsteps, .x = x + m * c->nsteps, .y = y + m * c->nsteps
        };
    lbr_plot_work(&plot, curve, c->nmethods, c->title ? c->title : c->job->model, "evaluations", "error at the end");
    plot.interrupt = c->job->interrupt, c->left_out = lbr_plot_left_out(&plot);
    return lbr_plot_write(&plot, path, keep_script, force, message);
}
