/* round_off.c - the truth about the rounding of a run: the same run in extended precision.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "round_off.h"
#include "core/clock.h"
#include "plan/plan_inside.h"

#include <math.h>
#include <string.h>

/* States at the samples, n times dim, and their low parts. */
typedef struct lbr_truth {
    struct lbr_truth *next;
    uint64_t key;
    int64_t n;
    double *y, *low;
} lbr_truth;

/* The samples of a run as numbers of its steps, from 0 on. */
static int64_t place(const lbr_trial *run, int64_t i)
{
    return llrint((run->result.sample[i * run->result.ncolumns] - run->job.t0) / run->job.h);
}

static uint64_t key_of(const lbr_trial *run)
{
    const lbr_job *job = &run->job;
    uint64_t key = lbr_hash(LBR_HASH, &job->digest, sizeof job->digest);

    key = lbr_hash(key, job->method, strlen(job->method));
    key = lbr_hash(key, &job->t0, sizeof job->t0);
    key = lbr_hash(key, &job->h, sizeof job->h);
    key = lbr_hash(key, job->y0, (size_t)job->system->dim * sizeof *job->y0);
    for (int64_t i = 0; i < run->result.nsamples; i++) {
        int64_t n = place(run, i);

        key = lbr_hash(key, &n, sizeof n);
    }
    return key;
}

/* As far as step n, in pieces: none of them long. */
static lbr_status run_to(lbr_state *state, int64_t n, const volatile sig_atomic_t *interrupt)
{
    lbr_status status = LBR_OK;
    int64_t piece = 1;

    while (!status && lbr_state_count(state) < n) {
        int64_t left = n - lbr_state_count(state);
        double began = lbr_seconds();

        if (interrupt && *interrupt) return LBR_STOPPED;
        status = lbr_state_run(state, left < piece ? left : piece, 0, NULL, NULL);
        if (lbr_seconds() - began < 0.02 && piece < 1 << 20) piece *= 2;
    }
    return status;
}

static lbr_status integrate(const lbr_trial *run, lbr_state *state, lbr_truth *to, lbr_message *message)
{
    const lbr_job *job = &run->job;
    int64_t dim = job->system->dim;
    lbr_status status = lbr_state_start(state, job->t0, job->h, job->y0);

    if (!status && job->y0_low) lbr_state_start_low(state, job->y0_low);
    for (int64_t i = 0; i < to->n && !status; i++)
        if (!(status = run_to(state, place(run, i), job->interrupt)))
            status = lbr_state_read_both(state, NULL, to->y + i * dim, to->low + i * dim);
    if (status == LBR_STOPPED) return lbr_fail(message, status, "interrupted");
    return status ? lbr_fail(message, status == LBR_ENOMEM ? status : LBR_EARG, "%.400s", lbr_state_message(state))
                  : LBR_OK;
}

/* With a model of its own, whose functions have more digits. */
static lbr_status with_model(lbr_model *model, const lbr_trial *run, lbr_truth *to, lbr_message *message)
{
    lbr_options options = run->job.options;
    lbr_kernels_report report = { 0 };
    lbr_plan *plan = NULL;
    const lbr_system *system = lbr_model_system(model, message);
    lbr_status status = system ? lbr_kernels_enable(model, run->job.interrupt) : LBR_EARG;

    if (status) return status;
    options.precision = 1, options.compensated = 0;
    status = lbr_native_plan(&lbr_native_model, model, LBR_COMPILE_WAIT, run->job.method, system, &options, &plan,
                             &report);
    if (!status) status = integrate(run, lbr_plan_state(plan), to, message);
    else
        status = lbr_fail(message, status == LBR_ENOMEM ? status : LBR_EARG, "%.300s%s%.200s", lbr_plan_message(plan),
                          report.message.text[0] ? ": " : "", report.message.text);
    lbr_plan_free(plan);
    return status;
}

static lbr_status solve(lbr_experiment *x, const lbr_trial *run, uint64_t key, lbr_truth **out, lbr_message *message)
{
    int64_t n = run->result.nsamples, dim = run->job.system->dim;
    lbr_truth *to = lbr_arena_alloc(&x->arena, 1, sizeof *to);
    lbr_trial own = *run;
    lbr_status status;

    if (!to) return LBR_ENOMEM;
    to->key = key, to->n = n;
    to->y = lbr_arena_alloc(&x->arena, n * dim, sizeof *to->y);
    to->low = lbr_arena_alloc(&x->arena, n * dim, sizeof *to->low);
    if (!to->y || !to->low) return LBR_ENOMEM;
    own.owns = 0;
    if ((status = lbr_trial_extended(x, &own))) return lbr_fail(message, status, "%.400s", x->message);
    status = with_model(own.model, run, to, message);
    lbr_model_free(own.model);
    if (status) return status;
    to->next = x->truths, x->truths = *out = to;
    return LBR_OK;
}

double lbr_distance_from_pair(int64_t n, const double *y, const double *a, const double *b)
{
    double most = 0, sum = 0;

    for (int64_t i = 0; i < n; i++)
        if (!(fabs((y[i] - a[i]) - b[i]) <= most))
            most = fabs((y[i] - a[i]) - b[i]); /* a NaN gets into it, and stays */
    if (most == 0 || !isfinite(most)) return most;
    for (int64_t i = 0; i < n; i++) {
        double d = ((y[i] - a[i]) - b[i]) / most;

        sum += d * d;
    }
    return most * sqrt(sum);
}

lbr_status lbr_extended_samples(lbr_experiment *x, lbr_trial *run, const double **y, const double **low,
                                lbr_message *message)
{
    int64_t n = run->result.nsamples;
    lbr_truth *truth = x->truths;
    uint64_t key;
    lbr_status status = LBR_OK;

    message->text[0] = 0;
    if (!run->done || !run->result.sample || n < 1 || !run->job.y0)
        return lbr_fail(message, LBR_EARG, "%s has no samples from its start on", run->label ? run->label : "the run");
    if (!lbr_experiment_system(x, run, message)) return message->status == LBR_ENOMEM ? LBR_ENOMEM : LBR_EARG;
    key = key_of(run);
    while (truth && (truth->key != key || truth->n != n)) truth = truth->next;
    if (!truth) status = solve(x, run, key, &truth, message);
    if (!status) *y = truth->y, *low = truth->low;
    lbr_experiment_trim(x, (int)(run - x->run));
    return status;
}
