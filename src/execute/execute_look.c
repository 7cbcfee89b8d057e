/* execute_look.c - looking at a run: monitors and samples. SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE /* _SC_PHYS_PAGES */
#include "executing.h"
#include "core/dd.h"
#include "core/watch.h"
#include "plan/plan_inside.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MOST_MEMORY 0x1p39       /* bytes, as of one state of a plan */
enum { MEMORY = 1, STREAM = 2 }; /* where samples go */

/* --- extended precision ------------------------------------------------------------------------------------------ */

lbr_status lbr_exec_read(lbr_exec *e, double *t, double *y)
{
    if (e->low) return lbr_state_read_both(e->state, t, y, e->low);
    return lbr_state_read(e->state, t, y);
}

/* While functions are called for column `at` of the full record: the state has low parts, and so has what they give. */
static void attend(lbr_exec *e, const double *at)
{
    if (!e->low) return;
    *e->known_low = (lbr_low){ .y = e->low, .out = e->full_low + (at - e->full), .t = e->full_low[0] };
}
static void relax(lbr_exec *e)
{
    if (e->low) *e->known_low = (lbr_low){ 0 };
}

/* What t = t0 + n h has beyond a double. */
static double low_of_time(const lbr_exec *e, int64_t n, double t)
{
    lbr_dd exact = dd_add(dd_prod((double)n, e->job->h), dd(e->job->t0));

    return (exact.hi - t) + exact.lo;
}

static void copy_low(lbr_exec *e, int64_t n, double t)
{
    if (!e->low) return;
    memset(e->full_low, 0, (size_t)e->width * sizeof *e->full_low);
    e->full_low[0] = fabs(low_of_time(e, n, t)) <= fabs(t) * DBL_EPSILON ? low_of_time(e, n, t) : 0;
    memcpy(e->full_low + 1, e->low, (size_t)e->sys.dim * sizeof *e->low);
}

/* --- what is looked at ------------------------------------------------------------------------------------------- */

/* H and the invariants into the full record. NULL, or the name of the first that has no finite value; that value in
 * *bad. */
static const char *evaluate(lbr_exec *e, int64_t n, double t, const double *y, double *bad)
{
    double *at = e->full + e->at_energy;

    e->full[0] = t;
    memcpy(e->full + 1, y, (size_t)e->sys.dim * sizeof *y);
    copy_low(e, n, t);
    if (e->sys.energy) {
        attend(e, at);
        if (e->sys.energy(t, y, at, e->sys.ctx)) *at = NAN;
        relax(e);
        if (!isfinite(*bad = *at)) return "H";
        at++;
    }
    for (int64_t i = 0; i < e->result->ninvariants; i++) {
        const lbr_invariant *v = lbr_exec_invariant(e, i);

        attend(e, at);
        if (v->value(t, y, at, v->ctx ? v->ctx : e->sys.ctx)) *at = NAN;
        relax(e);
        for (int64_t k = 0; k < v->len; k++, at++)
            if (!isfinite(*bad = *at)) return e->name[at - e->full];
    }
    return NULL;
}

/* The next monitor, H first; where its values are in the full record. */
static lbr_monitor *monitor(lbr_exec *e, int64_t i, double **at)
{
    lbr_result *r = e->result;

    if (i == 0) *at = e->full + e->at_energy;
    if (r->has_energy && i-- == 0) return &r->energy;
    return i < r->ninvariants ? &r->invariant[i] : NULL;
}

static void copy_values(lbr_exec *e, int first)
{
    lbr_monitor *m;
    double *at = NULL;

    for (int64_t i = 0; (m = monitor(e, i, &at)); at += m->len, i++) {
        memcpy(first ? m->first : m->last, at, (size_t)m->len * sizeof *at);
        if (e->low)
            memcpy(first ? m->first_low : m->last_low, e->full_low + (at - e->full), (size_t)m->len * sizeof *at);
    }
}

/* How far a quantity is from where it began; in extended precision with all its digits. */
static double error_of(const lbr_exec *e, const lbr_monitor *m, const double *at)
{
    double most = 0, sum = 0;

    if (!e->low) return lbr_distance(m->len, at, m->first);
    for (int pass = 0; pass < 2; pass++)
        for (int64_t k = 0; k < m->len; k++) {
            double d = (at[k] - m->first[k]) + (e->full_low[at - e->full + k] - m->first_low[k]);

            if (!pass && !(fabs(d) <= most)) most = fabs(d);
            if (pass && most > 0) sum += d / most * (d / most);
        }
    return m->len == 1 || !isfinite(most) ? most : most * sqrt(sum);
}

/* --- constraints ------------------------------------------------------------------------------------------------- */

/* Of a manifold of state variables. */
static int manifold(lbr_exec *e, double t, const double *y, lbr_residuals *now)
{
    const lbr_job *j = e->job;

    if (!j->residual || j->residual(t, y, e->residual, j->residual_ctx)) return 0;
    for (int64_t i = 0; i < j->nresidual; i++) {
        double g = fabs(e->residual[i]), scaled = g / (DBL_EPSILON * e->residual[j->nresidual + i]);

        if (g > now->position) now->position = g;
        if (g > 0 && scaled > now->position_scaled) now->position_scaled = scaled;
    }
    return 1;
}

/* The largest residuals so far. */
static void count_residuals(lbr_exec *e, double t, const double *y)
{
    lbr_residuals *most = &e->result->residual, now = { .size = sizeof now };
    lbr_view view = { .size = sizeof view };

    if (e->result->has_velocity) {
        if (lbr_state_view(e->state, t, y, &view) || lbr_view_residuals(&view, &now)) return;
    } else if (!manifold(e, t, y, &now)) return;
    if (now.position > most->position) most->position = now.position;
    if (now.velocity > most->velocity) most->velocity = now.velocity;
    if (now.position_scaled > most->position_scaled) most->position_scaled = now.position_scaled;
    if (now.velocity_scaled > most->velocity_scaled) most->velocity_scaled = now.velocity_scaled;
}

/* NaN where the constraints are degenerate. */
static void multipliers(lbr_exec *e, double t, const double *y, double *lambda)
{
    lbr_view view = { .size = sizeof view };
    int64_t n = e->result->nmultipliers;

    if (n && (lbr_state_view(e->state, t, y, &view) || lbr_view_multipliers(&view, lambda)))
        for (int64_t k = 0; k < n; k++) lambda[k] = NAN;
}

/* The name of a quantity whose error is beyond all numbers, or NULL. */
static const char *count_errors(lbr_exec *e)
{
    lbr_monitor *m;
    double *at = NULL;

    for (int64_t i = 0; (m = monitor(e, i, &at)); at += m->len, i++) {
        double error = error_of(e, m, at);

        if (!isfinite(error)) return m->name;
        if (error > m->worst) m->worst = error;
    }
    return NULL;
}

/* --- samples ----------------------------------------------------------------------------------------------------- */

static void observe(lbr_exec *e, double t, const double *y)
{
    double *at = e->full + e->at_observed;

    for (int64_t i = 0; i < e->job->nobserved; i++) {
        const lbr_quantity *o = &e->job->observed[i];

        attend(e, at);
        if (o->value(t, y, at, o->ctx))
            for (int64_t k = 0; k < o->len; k++) at[k] = NAN;
        relax(e);
        at += o->len;
    }
    if (e->multiplied) multipliers(e, t, y, at);
}

/* What the machine has, in bytes; where it does not say, what a state may take. */
static double memory(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);

    return pages > 0 && size > 0 ? (double)pages * (double)size : MOST_MEMORY;
}

int lbr_exec_check_samples(lbr_exec *e)
{
    const lbr_job *job = e->job;
    double rows = (double)((job->steps - e->begin) / job->every) + 2, bytes = 8 * rows * (double)e->result->ncolumns;

    if (!job->keep || lbr_exec_until(e) || bytes <= memory()) return 0;
    return lbr_exec_end(e, LBR_EXIT_MACHINE, LBR_ENOMEM,
                        "what is measured, drawn or claimed of this run would take %.3g GB for %.3g samples of %lld "
                        "numbers, and the machine has %.3g GB: keep fewer (every), "
                        "or less of each (record)",
                        bytes / 1e9, rows, (long long)e->result->ncolumns, memory() / 1e9);
}

static int grow(lbr_exec *e)
{
    lbr_result *r = e->result;
    size_t row = (size_t)r->ncolumns * sizeof *r->grown;

    if (!lbr_room(NULL, &r->grown, row, r->nsamples, 1, &e->room, sizeof e->room))
        return lbr_exec_end(e, LBR_EXIT_MACHINE, LBR_ENOMEM, "out of memory for %lld samples",
                            (long long)r->nsamples + 1);
    r->sample = r->grown;
    return 0;
}

/* The record goes to those of MEMORY and STREAM that are named, and there. */
static int put(lbr_exec *e, int64_t n, int where)
{
    lbr_result *r = e->result;
    lbr_message why;
    lbr_status status;
    int code;

    for (int64_t k = 0; k < r->ncolumns; k++) e->row[k] = e->full[e->kept[k]];
    for (int64_t k = 0; k < r->ncolumns && e->low; k++) e->row[r->ncolumns + k] = e->full_low[e->kept[k]];
    if (where & MEMORY) {
        if ((code = grow(e))) return code;
        e->last_kept = n;
        memcpy(r->sample + r->nsamples++ * r->ncolumns, e->row, (size_t)r->ncolumns * sizeof *e->row);
    }
    if (where & STREAM) {
        if ((status = lbr_stream_write(e->stream, e->row, &why)))
            return lbr_exec_end(e, LBR_EXIT_MACHINE, status, "%s", why.text);
        e->last_record = n;
    }
    return 0;
}

static int failed(lbr_exec *e, int64_t n, double t, const char *name, const char *what, double value)
{
    if (e->result->exit == LBR_EXIT_NUMERICS) return e->result->exit; /* the first failure is the one to tell */
    snprintf(e->result->failed_component, sizeof e->result->failed_component, "%s", name);
    e->result->failed_step = n, e->result->failed_t = t;
    return lbr_exec_end(e, LBR_EXIT_NUMERICS, LBR_ENONFINITE, "step %lld (t = %.17g): %s%s became %g", (long long)n, t,
                        what, name, isnan(value) ? fabs(value) : value);
}

static int see(lbr_exec *e, int64_t n, double t, const double *y, int watch, int where)
{
    const char *name;
    double bad = 0;

    if ((name = evaluate(e, n, t, y, &bad))) return failed(e, n, t, name, "", bad);
    if (watch && (name = count_errors(e))) return failed(e, n, t, name, "the error of ", INFINITY);
    if (watch) count_residuals(e, t, y);
    if (!where) return 0;
    observe(e, t, y);
    return put(e, n, where);
}

/* --- the looks --------------------------------------------------------------------------------------------------- */

static int places(const lbr_exec *e) { return (e->job->keep ? MEMORY : 0) | (e->stream ? STREAM : 0); }

int lbr_exec_watch(lbr_exec *e)
{
    lbr_result *r = e->result;
    lbr_monitor *m;
    double *at = NULL;
    int64_t quantities = r->has_energy + r->ninvariants;
    lbr_status status;

    if (e->job->options.monitor != LBR_MONITOR_EVERY || r->has_constraint || !quantities || lbr_exec_until(e))
        return 0; /* the step in which a run ends is not watched */
    e->first = lbr_arena_alloc(&r->arena, e->at_observed - e->at_energy, sizeof *e->first);
    e->worst = lbr_arena_alloc(&r->arena, quantities, sizeof *e->worst);
    e->first_low = e->low ? lbr_arena_alloc(&r->arena, e->at_observed - e->at_energy, sizeof *e->first) : NULL;
    if (!e->first || !e->worst || (e->low && !e->first_low)) return lbr_exec_no_memory(e);
    for (int64_t i = 0; (m = monitor(e, i, &at)); at += m->len, i++) {
        memcpy(e->first + (at - e->full - e->at_energy), m->first, (size_t)m->len * sizeof *m->first);
        if (e->low) memcpy(e->first_low + (at - e->full - e->at_energy), m->first_low, (size_t)m->len * sizeof *at);
        e->worst[i] = m->worst;
    }
    status = lbr_state_watch(e->state, e->first, e->worst);
    if (!status && e->low) lbr_state_watch_low(e->state, e->first_low);
    return status ? lbr_exec_end(e, LBR_EXIT_MACHINE, status, "%s", lbr_state_message(e->state)) : 0;
}

void lbr_exec_watched(lbr_exec *e)
{
    lbr_monitor *m;
    double *at = NULL;

    for (int64_t i = 0; e->worst && (m = monitor(e, i, &at)); at += m->len, i++) m->worst = e->worst[i];
}

int64_t lbr_exec_cadence(const lbr_exec *e)
{
    int there = e->result->has_energy || e->result->ninvariants || e->result->has_constraint,
        mode = e->job->options.monitor;

    if (e->job->stop || e->job->ncuts || (there && mode == LBR_MONITOR_EVERY && !e->first)) return 1;
    return places(e) || (there && mode == LBR_MONITOR_SAMPLES) ? e->job->every : 0;
}

int lbr_exec_look(const lbr_view *view, void *ctx)
{
    lbr_exec *e = ctx;
    int due = view->n % e->job->every == 0, mode = e->job->options.monitor;
    int watch = (mode == LBR_MONITOR_EVERY && !e->first) || (mode == LBR_MONITOR_SAMPLES && due),
        where = due ? places(e) : 0;

    if (view->n == e->begin) return 0; /* it has been seen */
    if (e->job->ncuts && lbr_exec_cross(e, view)) return 1;
    if ((watch || where) && e->low && lbr_state_read_both(e->state, NULL, e->result->y, e->low)) return 1;
    if ((watch || where) && see(e, view->n, view->t, view->y, watch, where)) return 1;
    return e->job->stop && e->job->stop(view, e->job->stop_ctx);
}

int lbr_exec_start(lbr_exec *e)
{
    const char *name;
    double t, bad = 0;

    if (lbr_exec_read(e, &t, e->result->y))
        return lbr_exec_end(e, LBR_EXIT_INPUT, LBR_ENONFINITE, "%s", lbr_state_message(e->state));
    if ((name = evaluate(e, 0, t, e->result->y, &bad)))
        return lbr_exec_end(e, LBR_EXIT_INPUT, LBR_ENONFINITE, "%s at the start (t = %.17g) is %g", name, t,
                            isnan(bad) ? fabs(bad) : bad);
    copy_values(e, 1);
    count_residuals(e, t, e->result->y);
    return 0;
}

int lbr_exec_first(lbr_exec *e)
{
    int due = e->begin % e->job->every == 0 && e->last_record != e->begin; /* a stream that goes on may lack it */
    int where = places(e) & (e->continued && !due ? MEMORY : MEMORY | STREAM);
    lbr_status status = lbr_exec_read(e, &e->result->t, e->result->y);

    if (status) return lbr_exec_end(e, LBR_EXIT_NUMERICS, status, "%s", lbr_state_message(e->state));
    return where ? see(e, e->begin, e->result->t, e->result->y, 0, where) : 0;
}

/* What the terms of invariants come to: how much they change where each component changes by a small part of itself.
 * A copy of the state is in the full record. */
static int measure_terms(lbr_exec *e)
{
    static const double part = 0x1p-20;
    lbr_result *r = e->result;

    for (int64_t i = 0; i < r->ninvariants; i++) {
        const lbr_invariant *v = lbr_exec_invariant(e, i);
        lbr_monitor *m = r->invariant + i;
        double *value = lbr_arena_alloc(&r->arena, m->len, sizeof *value), change;

        if (!value) return lbr_exec_no_memory(e);
        for (uint64_t try = 0; try < 4; try++) {
            uint64_t hash = lbr_hash(LBR_HASH, &try, sizeof try);

            for (int64_t k = 0; k < r->dim; k++, hash = hash * UINT64_C(6364136223846793005) + 1442695040888963407)
                r->y[k] = e->full[1 + k] * (1 + (hash >> 63 ? part : -part));
            change = v->value(r->t, r->y, value, v->ctx ? v->ctx : e->sys.ctx)
                         ? 0
                         : lbr_distance(m->len, value, m->last) / part;
            if (isfinite(change)) m->terms = fmax(m->terms, change);
        }
    }
    memcpy(r->y, e->full + 1, (size_t)r->dim * sizeof *r->y);
    return 0;
}

int lbr_exec_last(lbr_exec *e)
{
    lbr_result *r = e->result;
    int64_t n = r->ended ? e->cross.step.n : lbr_state_count(e->state);
    int inside = r->ended && !e->cross.exact,
        where = places(e) & ((inside || e->last_kept != n ? MEMORY : 0) | (inside || e->last_record != n ? STREAM : 0));
    lbr_status status = r->ended ? LBR_OK : lbr_exec_read(e, &r->t, r->y);
    double bad = 0;

    r->steps = n;
    r->stats = r->ended ? e->cross.stats : *lbr_state_stats(e->state);
    r->first_error = lbr_state_first_error(e->state);
    if (r->ended) r->t = e->cross.end_t, memcpy(r->y, e->cross.end_y, (size_t)r->dim * sizeof *r->y);
    if (r->ended && e->low) memset(e->low, 0, (size_t)r->dim * sizeof *e->low); /* events are found in doubles */
    if (e->low) memcpy(r->low, e->low, (size_t)r->dim * sizeof *r->low);
    if (status) return lbr_exec_end(e, LBR_EXIT_NUMERICS, status, "%s", lbr_state_message(e->state));
    if (r->exit != LBR_EXIT_MACHINE) see(e, n, r->t, r->y, e->job->options.monitor != LBR_MONITOR_OFF, where);
    for (int64_t i = e->at_energy; i < e->at_observed; i++) e->full[i] = NAN;
    evaluate(e, n, r->t, r->y, &bad); /* what is not finite, and what comes after it, is missing */
    copy_values(e, 0);
    if (e->low) r->t_low = e->full_low[0];
    if (measure_terms(e)) return r->exit;
    multipliers(e, r->t, r->y, r->multiplier);
    return r->exit;
}
