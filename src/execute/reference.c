/* reference.c - a solution to compare with, and how far it can be trusted. SPDX-License-Identifier: BSD-3-Clause
 *
 * A pass is one integration with the step unit * 2^level, unit being the largest step that meets all samples. Coarse
 * passes meet some of them only, cost little, and show when it is fine enough: where two passes in succession agree,
 * the finer one is taken, or one more with the unit itself. Rounding errors of two passes are independent, so their
 * difference shows these as well. */
#include "reference.h"
#include "executing.h"
#include "core/clock.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* What it may cost, and what it is after. */
static const struct {
    int64_t evaluations;
    double seconds;
    int levels, failures;
} most = { 50000000, 60, 40, 16 };
static const double wanted = 1e-13, least_error = 1e-15;
enum { FEWEST_STEPS = 16, NEWTON_MOST = 40 }; /* beyond this dimension fixed points only: matrices of 8 dim */
static const double asymptotic = 1e-6, shrinks = 8;

typedef struct search {
    const lbr_reference_task *task;
    int64_t dim, unit; /* unit: in steps of the task */
    lbr_plan *plan;
    double began, seconds;
    int64_t evaluations, last; /* seconds, last: what the last pass has cost */
    double *y[2];
    int now;                     /* the last two passes, y[now] is the newer one */
    int level, before;           /* of these two */
    double *difference, *shrunk; /* at each sample, NaN where there is none; and those before */
    lbr_solution *out;
} search;

static int64_t common(int64_t a, int64_t b)
{
    while (b) {
        int64_t r = a % b;
        a = b, b = r;
    }
    return a;
}

static int64_t evaluations(const lbr_stats *s) { return s->force + s->field + s->gradient; }

/* The number of steps after which sample i is met at this level, or -1. */
static int64_t meets(const search *s, int64_t i, int level)
{
    int64_t n = s->task->at[i] / s->unit;

    if (level > 0) return n % (INT64_C(1) << level) ? -1 : n >> level;
    return n > (INT64_MAX / 4) >> -level ? -1 : n << -level;
}

/* --- one pass ---------------------------------------------------------------------------------------------------- */

static lbr_status late(search *s, int64_t spent)
{
    if (s->task->interrupt && *s->task->interrupt) return LBR_STOPPED;
    if (s->evaluations + spent > most.evaluations || lbr_seconds() - s->began > most.seconds) return LBR_EARG;
    return LBR_OK;
}

/* As far as step n, in pieces: none of them long. LBR_EARG: it has taken too long. */
static lbr_status run_to(search *s, int64_t n, int64_t *piece)
{
    lbr_state *state = lbr_plan_state(s->plan);
    lbr_status status = LBR_OK;

    while (!status && lbr_state_count(state) < n) {
        int64_t left = n - lbr_state_count(state);
        double at = lbr_seconds(), took;

        if ((status = late(s, evaluations(lbr_state_stats(state))))) return status;
        status = lbr_state_run(state, left < *piece ? left : *piece, 0, NULL, NULL);
        took = lbr_seconds() - at;
        if (took < 0.02 && *piece < 1 << 20) *piece *= 2;
        if (took > 0.1 && *piece > 1) *piece /= 2;
    }
    return status;
}

/* Fills y with NaN where no sample is met. */
static lbr_status pass(search *s, int level, double *y)
{
    const lbr_reference_task *t = s->task;
    lbr_state *state = lbr_plan_state(s->plan);
    lbr_status status = lbr_state_start(state, t->t0, ldexp(t->h * (double)s->unit, level), t->y0);
    double began = lbr_seconds();
    int64_t piece = 1;

    for (int64_t i = 0; i < t->n * s->dim; i++) y[i] = NAN;
    for (int64_t i = 0; i < t->n && !status; i++) {
        int64_t n = meets(s, i, level);

        if (n >= 0 && !(status = run_to(s, n, &piece))) status = lbr_state_read(state, NULL, y + i * s->dim);
    }
    s->last = evaluations(lbr_state_stats(state));
    s->evaluations += s->last;
    s->seconds = lbr_seconds() - began;
    return status;
}

/* --- two passes -------------------------------------------------------------------------------------------------- */

static double norm(int64_t n, const double *a, const double *b)
{
    double scale = 0, sum = 0;

    for (int64_t i = 0; i < n; i++) scale = fmax(scale, fabs(a[i] - (b ? b[i] : 0)));
    if (scale == 0 || !isfinite(scale)) return scale;
    for (int64_t i = 0; i < n; i++) {
        double x = (a[i] - (b ? b[i] : 0)) / scale;
        sum += x * x;
    }
    return scale * sqrt(sum);
}

/* The newer pass against the one before. */
static void compare(search *s)
{
    lbr_solution *out = s->out;
    double *swap = s->shrunk;

    s->shrunk = s->difference, s->difference = swap;
    out->error = out->absolute = 0;
    for (int64_t i = 0; i < s->task->n; i++) {
        const double *a = s->y[s->now] + i * s->dim, *b = s->y[1 - s->now] + i * s->dim;
        double d = norm(s->dim, a, b), size = fmax(1, norm(s->dim, a, NULL));

        s->difference[i] = NAN;
        if (meets(s, i, s->level) < 0 || meets(s, i, s->before) < 0) continue;
        s->difference[i] = d / size;
        out->error = fmax(out->error, fmax(d / size, least_error));
        out->absolute = fmax(out->absolute, fmax(d, least_error * size));
    }
}

/* Halving the step does not help any more: at the first sample that is not good enough, the difference was small and
 * has hardly shrunk. Later ones, if they are worse, are so because errors grow along the solution. */
static int at_the_floor(const search *s)
{
    for (int64_t i = 0; i < s->task->n; i++)
        if (s->difference[i] > wanted && !isnan(s->shrunk[i]))
            return s->shrunk[i] < asymptotic && s->difference[i] > s->shrunk[i] / shrinks;
    return 0;
}

/* --- the search -------------------------------------------------------------------------------------------------- */

static void forget(search *s)
{
    for (int64_t i = 0; i < s->task->n; i++) s->difference[i] = s->shrunk[i] = NAN;
    s->out->error = s->out->absolute = INFINITY;
}

/* How far one step of this level and two of half of it lead apart, at the start; INFINITY: they cannot be taken. */
static double local(search *s, int level)
{
    const lbr_reference_task *t = s->task;
    lbr_state *state = lbr_plan_state(s->plan);
    double h = ldexp(t->h * (double)s->unit, level), *a = s->y[0], *b = s->y[1];

    memcpy(a, t->y0, (size_t)s->dim * sizeof *a), memcpy(b, t->y0, (size_t)s->dim * sizeof *b);
    if (lbr_state_map(state, t->t0, h, a) || lbr_state_map(state, t->t0, h / 2, b) ||
        lbr_state_map(state, t->t0 + h / 2, h / 2, b))
        return INFINITY;
    return norm(s->dim, a, b) / fmax(1, norm(s->dim, b, NULL));
}

/* The coarsest level that may be good enough, as far as the first step can tell. */
static int first_level(search *s)
{
    int64_t n = s->task->at[s->task->n - 1] / s->unit;
    double before = INFINITY, now;
    int level = 0;

    while (n >> (level + 1) >= FEWEST_STEPS) level++;
    while (level <= 0 && n << -level < FEWEST_STEPS) level--;
    for (int k = 0; k < most.levels / 2 && !late(s, 0); k++, level--, before = now) {
        now = local(s, level);
        if (now <= fmax(wanted / ldexp((double)n, -level), least_error) ||
            (before < asymptotic && now > before / shrinks))
            break;
    }
    return level;
}

/* Passes with smaller and smaller steps until two agree. *found: how many passes of y are there. */
static lbr_status halve(search *s, int *found)
{
    int failed = 1, failures = 0, first = first_level(s);
    lbr_status status;

    for (int level = first; level > first - most.levels && failures < most.failures; level--) {
        if (s->evaluations + s->last > most.evaluations || lbr_seconds() + s->seconds > s->began + most.seconds)
            return LBR_EARG; /* it would not be finished */
        status = pass(s, level, s->y[1 - s->now]);
        if (status == LBR_ENOMEM || status == LBR_STOPPED || status == LBR_EARG) return status;
        if (status) { /* the step is too large, or there is no solution */
            lbr_fail(&s->out->why, status, "%.400s", lbr_state_message(lbr_plan_state(s->plan)));
            forget(s), failures++, failed = 1, *found = 0;
            continue;
        }
        s->now = 1 - s->now, s->before = s->level, s->level = level;
        *found = failed ? 1 : 2;
        if (!failed) compare(s);
        failed = failures = 0, s->out->why.text[0] = 0;
        if (*found == 2 && (s->out->error <= wanted || at_the_floor(s))) return LBR_OK;
    }
    return LBR_EARG;
}

/* All samples: if the steps were coarser than the unit so far, once more with that. */
static lbr_status complete(search *s)
{
    lbr_status status;

    if (s->level <= 0) return LBR_OK;
    if ((status = pass(s, 0, s->y[1 - s->now]))) return status;
    s->now = 1 - s->now, s->before = s->level, s->level = 0;
    compare(s);
    return LBR_OK;
}

static void explain(search *s, lbr_status status, int found)
{
    lbr_solution *out = s->out;
    lbr_message why = out->why;
    char got[64] = "";

    if (out->error <= LBR_REFERENCE_GOOD) {
        out->why.text[0] = 0;
        return;
    }
    if (isfinite(out->error)) snprintf(got, sizeof got, "two of them differ by %.2g (scaled)", out->error);
    else if (found) snprintf(got, sizeof got, "there are no two of them to compare");
    else snprintf(got, sizeof got, "none of them came to the end");
    if (*why.text) lbr_fail(&out->why, status, "no reference solution: %s: %.300s", got, why.text);
    else if (status)
        lbr_fail(&out->why, status, "no reference solution within %lld evaluations and %.0f s: %s",
                 (long long)most.evaluations, most.seconds, got);
    else
        lbr_fail(&out->why, status,
                 "no reference solution: %s, and smaller steps bring them no closer (rounding errors grow too fast, or "
                 "the field is not smooth)",
                 got);
}

static lbr_status solve(search *s)
{
    lbr_status status;
    int found = 0;

    forget(s);
    status = halve(s, &found);
    if (!status) status = complete(s);
    if (status == LBR_ENOMEM || status == LBR_STOPPED) return status;
    explain(s, status, found);
    if (found == 2 && s->level <= 0) s->out->y = s->y[s->now], s->y[s->now] = NULL;
    else s->out->error = s->out->absolute = INFINITY;
    return LBR_OK;
}

static int constrained(const lbr_system *s)
{
    return s->size >= offsetof(lbr_system, constraints) + sizeof s->constraints && s->constraints;
}

static lbr_status make_plan(search *s)
{
    lbr_options o;
    lbr_status status;

    lbr_options_init(&o);
    o.compensated = 1;
    if (s->task->system->dim > NEWTON_MOST) lbr_option_set(&o, "solver", "fixed-point");
    status = lbr_plan_create(&s->plan, constrained(s->task->system) ? "lobatto-3a-3b:6" : "gauss:8", s->task->system,
                             &o);
    if (status && status != LBR_ENOMEM)
        lbr_fail(&s->out->why, status, "no reference solution: %.400s", lbr_plan_message(s->plan));
    return status;
}

lbr_status lbr_reference_solve(const lbr_reference_task *task, lbr_solution *out)
{
    search s = { .task = task, .began = lbr_seconds(), .out = out, .dim = task->system->dim };
    size_t n = (size_t)task->n, bytes;
    lbr_status status;

    *out = (lbr_solution){ .error = INFINITY, .absolute = INFINITY };
    if ((status = make_plan(&s))) return lbr_plan_free(s.plan), status == LBR_ENOMEM ? status : LBR_OK;
    for (int64_t i = 0; i < task->n; i++) s.unit = common(task->at[i], s.unit);
    bytes = n * (size_t)s.dim * sizeof(double);
    s.y[0] = lbr_mem_alloc(bytes), s.y[1] = lbr_mem_alloc(bytes);
    s.difference = lbr_mem_alloc(n * sizeof(double)), s.shrunk = lbr_mem_alloc(n * sizeof(double));
    status = s.y[0] && s.y[1] && s.difference && s.shrunk ? LBR_OK : LBR_ENOMEM;
    if (!status && !s.unit) { /* only the start itself is asked for */
        memcpy(out->y = s.y[0], task->y0, bytes), s.y[0] = NULL;
        out->error = out->absolute = 0;
    } else if (!status) status = solve(&s);
    lbr_mem_free(s.y[0]), lbr_mem_free(s.y[1]), lbr_mem_free(s.difference), lbr_mem_free(s.shrunk);
    lbr_plan_free(s.plan);
    return status;
}

/* --- of runs, kept with the experiment --------------------------------------------------------------------------- */

typedef struct lbr_known {
    struct lbr_known *next;
    uint64_t key;
    int64_t n, dim;
    const double *y;
    double error;
    const char *why;
} known;

/* The samples of a run as numbers of its steps. */
static int64_t *places(const lbr_trial *run)
{
    const lbr_result *r = &run->result;
    int64_t *at = lbr_mem_alloc((size_t)r->nsamples * sizeof *at);

    for (int64_t i = 0; at && i < r->nsamples; i++)
        at[i] = llrint((r->sample[i * r->ncolumns] - run->job.t0) / run->job.h);
    return at;
}

static uint64_t key_of(const lbr_trial *run, const int64_t *at)
{
    const lbr_job *job = &run->job;
    uint64_t key = lbr_hash(LBR_HASH, &job->digest, sizeof job->digest);

    key = lbr_hash(key, &job->t0, sizeof job->t0);
    key = lbr_hash(key, &job->h, sizeof job->h);
    key = lbr_hash(key, job->y0, (size_t)job->system->dim * sizeof *job->y0);
    return lbr_hash(key, at, (size_t)run->result.nsamples * sizeof *at);
}

static known *keep(lbr_experiment *x, const lbr_trial *run, uint64_t key, const lbr_solution *s)
{
    int64_t n = run->result.nsamples, dim = run->job.system->dim;
    known *k = lbr_arena_alloc(&x->arena, 1, sizeof *k);
    double *y = s->y ? lbr_arena_alloc(&x->arena, n * dim, sizeof *y) : NULL;

    if (!k || (s->y && !y)) return NULL;
    if (y) memcpy(y, s->y, (size_t)(n * dim) * sizeof *y);
    *k = (known){ x->references, key, n, dim, y, s->error, lbr_arena_text(&x->arena, s->why.text) };
    if (!k->why) return NULL;
    return x->references = k;
}

static lbr_status look_up(lbr_experiment *x, const lbr_trial *run, const int64_t *at, const known **out,
                          lbr_message *message)
{
    lbr_reference_task task = { run->job.system,      run->job.t0, run->job.h,        run->job.y0,
                                run->result.nsamples, at,          run->job.interrupt };
    uint64_t key = key_of(run, at);
    lbr_solution s;
    lbr_status status;

    for (const known *k = x->references; k; k = k->next)
        if (k->key == key && k->n == task.n && k->dim == task.system->dim) return *out = k, LBR_OK;
    if ((status = lbr_reference_solve(&task, &s)) == LBR_STOPPED) return lbr_fail(message, status, "interrupted");
    if (!status && !(*out = keep(x, run, key, &s))) status = LBR_ENOMEM;
    lbr_mem_free(s.y);
    return status ? lbr_fail(message, status, "out of memory for a reference solution") : LBR_OK;
}

lbr_status lbr_reference(lbr_experiment *x, lbr_trial *run, const double **sample, double *error_estimate,
                         lbr_message *message)
{
    const known *k = NULL;
    lbr_status status;
    int64_t *at;

    *sample = NULL, *error_estimate = INFINITY, message->text[0] = 0;
    if (!run->done || !run->result.sample || run->result.nsamples < 1 || !run->job.y0)
        return lbr_fail(message, LBR_EARG,
                        "%s has no samples from its start on, so there is nothing to compare with a reference",
                        run->label ? run->label : "the run");
    if (!lbr_experiment_system(x, run, message)) return message->status == LBR_ENOMEM ? LBR_ENOMEM : LBR_EARG;
    if (!(at = places(run))) return lbr_fail(message, LBR_ENOMEM, "out of memory for a reference solution");
    status = look_up(x, run, at, &k, message);
    lbr_mem_free(at);
    lbr_experiment_trim(x, (int)(run - x->run));
    if (status) return status;
    *sample = k->y, *error_estimate = k->error;
    return lbr_fail(message, LBR_OK, "%s", k->why);
}
