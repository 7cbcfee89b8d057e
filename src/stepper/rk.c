/* rk.c - Runge-Kutta steps, of one tableau or a pair: constants, slots, and the choice of solver.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "prk.h"
#include "core/watch.h"
#include "rk_matrix.h"

#include <string.h>

/* --- building ---------------------------------------------------------------------------------------------------- */

static int sparse_rows(lbr_setup *set, lbr_rk *rk)
{
    int64_t s = rk->s;

    rk->row = lbr_arena_alloc(set->arena, s + 1, sizeof *rk->row);
    rk->col = lbr_arena_alloc(set->arena, s * s, sizeof *rk->col);
    if (!rk->row || !rk->col) return -1;
    for (int64_t i = 0; i < s; i++) {
        for (int64_t j = 0; j < i; j++)
            if (rk->tableau->A[i * s + j].hi != 0) rk->col[rk->nonzero++] = j;
        rk->row[i + 1] = rk->nonzero;
    }
    return 0;
}

int lbr_rk_drift(const lbr_bound *b)
{
    return b->drift == LBR_DRIFT_UNIFORM && b->factor == 1 ? 0 : b->s.inverse_mass ? 1 : 2;
}

/* Whoever gives a field has it called; a field that would be put together is put together in the templates. */
static int choose_instances(lbr_setup *set, lbr_rk *rk)
{
    const lbr_bound *b = rk->sys;
    int forced = rk->reduced || (rk->is_explicit && b->separable && !b->s.field), c = set->compensated;

    if (rk->reduced) {
        const lbr_positions *one = lbr_positions_choose(set, b->s.nq, rk->implicit == 0 ? rk->s : 0);

        if (!one) return -1;
        rk->irk = one->irk2[lbr_rk_drift(b)][c];
    } else {
        const lbr_instance *one = lbr_instance_choose(set, forced ? b->s.nq : b->s.dim);

        if (!one) return -1;
        rk->erk = forced ? one->erk_forced[lbr_rk_drift(b)][c] : one->erk[c];
        rk->irk = one->irk[rk->second != NULL][c];
    }
    rk->ctx = forced ? b->s.ctx : b->ctx;
    return 0;
}

static lbr_status constants(lbr_setup *set, lbr_rk *rk, int alone, lbr_message *m)
{
    const lbr_system *s = &rk->sys->s;
    int apart = rk->sys->separable && !s->field && set->solver != LBR_SOLVER_NEWTON,
        reduced = apart && s->inverse_mass && !rk->second;
    lbr_status status = LBR_OK;
    int full = rk->second && lbr_prk_order(rk, set); /* which also finds out whether the pair is explicit */

    rk->turns = apart && !reduced && !rk->is_explicit;
    if (!full && !rk->is_explicit && (status = lbr_rk_start(rk, set, reduced, alone, m))) return status;
    if (full || (rk->is_explicit && !rk->second && sparse_rows(set, rk)) || choose_instances(set, rk))
        return lbr_fail(m, LBR_ENOMEM, "out of memory for the plan");
    return LBR_OK;
}

/* Where things are in a slot, and how long it is. */
static void lay_out(lbr_rk *rk)
{
    int64_t s = rk->s, all, further;

    if (rk->is_explicit) {
        rk->at_second = 2 * s + 2 * s * s;
        rk->slot = rk->second ? 3 * s * s + 3 * s : rk->nonzero + 2 * s;
    } else {
        all = rk->starting->matrices * s * s;
        further = rk->starting->extras * (2 * s + rk->starting->extras + 1);
        rk->at_S = 2 * s + s * s, rk->at_further = rk->at_S + all, rk->at_second = rk->at_further + further;
        rk->at_reduced = rk->at_second + (rk->second ? s * s + s + all : 0);
        rk->slot = rk->at_reduced + (rk->reduced ? s * s + 2 * s + 1 + all + further : 0);
    }
    rk->slot = (rk->slot + 7) / 8 * 8; /* what follows begins with a cache line */
    if (!rk->is_explicit) rk->low = rk->slot, rk->slot *= 2;
}

/* The function that evaluates what the equations have for many states at once, or NULL. Large states wait for memory,
 * which turning them around would need more of. */
static lbr_block_fn block_of(const lbr_rk *rk)
{
    enum { LARGE = 512 };
    const lbr_bound *b = rk->sys;

    if (rk->is_explicit || rk->s < 2 || rk->turns || rk->n > LARGE) return NULL;
    return rk->reduced ? b->s.force_block : b->field == b->s.field ? b->s.field_block : NULL;
}

int lbr_rk_asks_together(const lbr_rk *rk) { return block_of(rk) != NULL; }

/* Room for all stages at once, where the system evaluates many states in one call; 0: it does not. */
static int64_t blocks_of_stages(const lbr_rk *rk)
{
    int64_t n = rk->reduced ? rk->sys->s.nq : rk->n;

    return block_of(rk) ? rk->s * (2 * n + 1) : 0;
}

lbr_status lbr_rk_build(const lbr_rk **out, lbr_setup *set, const lbr_bound *sys, const lbr_tableau *t,
                        const lbr_tableau *second, int alone, lbr_message *m)
{
    lbr_rk *rk = lbr_arena_alloc(set->arena, 1, sizeof *rk);
    int64_t s = t->s, n = sys->s.dim;
    lbr_status status = LBR_OK;

    if (!rk) return lbr_fail(m, LBR_ENOMEM, "out of memory for the plan");
    *rk = (lbr_rk){ .sys = sys,
                    .tableau = t,
                    .second = second,
                    .s = s,
                    .n = n,
                    .sn = s * n,
                    .split = sys->s.nq > 0 ? sys->s.nq : n,
                    .is_explicit = t->is_explicit };
    if ((status = constants(set, rk, alone, m))) return status;
    if (!rk->is_explicit && (status = lbr_rk_matrix_make(rk, set, m))) return status;
    if (lbr_rk_fuse(rk, set, alone)) return lbr_fail(m, LBR_ENOMEM, "out of memory for the plan");
    lay_out(rk);
    rk->own = (rk->is_explicit ? 1 : 4) * s * n + n + (rk->newton ? lbr_rk_newton_size(rk) : n);
    rk->many = rk->own, rk->own += blocks_of_stages(rk);
    *out = rk;
    return LBR_OK;
}

/* --- slots: lbr_rk tells where things are in them ---------------------------------------------------------------- */

/* Numbers times h; implicit methods have their low parts, too. */
static double *times(const lbr_rk *rk, lbr_dd h, int64_t n, const lbr_dd *c, double *slot)
{
    for (int64_t i = 0; i < n; i++) {
        lbr_dd x = dd_mul(c[i], h);

        slot[i] = x.hi;
        if (rk->low) slot[rk->low + i] = x.lo;
    }
    return slot + n;
}

/* Of further places: nu, M, N, how far the places are from the beginning of the step; or P, where stages of momenta are
 * eliminated. */
static void further(const lbr_rk *rk, lbr_dd h, double *slot)
{
    const lbr_starting *z = rk->starting;
    int64_t m = z->extras, s = rk->s;

    slot = times(rk, h, s * m, z->nu, slot);
    slot = times(rk, h, m * s, z->M, slot);
    slot = times(rk, h, m * m, z->N, slot);
    for (int64_t k = 0; k < m; k++) slot[k] = dd_mul(dd_sub(z->mu[k], dd(1)), h).hi;
}

static void prepare_reduced(const lbr_rk *rk, lbr_dd h, double *slot)
{
    const lbr_rk_reduced *d = rk->reduced;
    int64_t s = rk->s, m = rk->starting->extras;
    lbr_dd h2 = dd_mul(h, h);

    slot = times(rk, h2, s, d->E, slot);
    slot = times(rk, h, s, d->D, slot);
    slot = times(rk, h2, s * s, d->A, slot);
    slot = times(rk, h2, rk->starting->matrices * s * s, d->S, slot);
    slot = times(rk, h, 1, &d->W, slot);
    slot = times(rk, h2, s * m, d->nu, slot);
    slot = times(rk, h2, m * s, d->M, slot);
    times(rk, h, m, d->P, slot);
}

static void prepare_implicit(const lbr_rk *rk, lbr_dd h, double *slot)
{
    const lbr_tableau *t = rk->second;
    int64_t s = rk->s, all = rk->starting->matrices * s * s;
    double *next = slot + rk->at_second;

    times(rk, h, s * s, rk->tableau->A, slot + 2 * s);
    times(rk, h, all, rk->S, slot + rk->at_S);
    further(rk, h, slot + rk->at_further);
    if (t) next = times(rk, h, s * s, t->A, next), next = times(rk, h, s, t->b, next), times(rk, h, all, rk->S2, next);
    if (rk->reduced) prepare_reduced(rk, h, slot + rk->at_reduced);
}

void lbr_rk_prepare(const lbr_rk *rk, double h, double *slot)
{
    const lbr_tableau *t = rk->tableau;
    int64_t s = rk->s;

    times(rk, dd(h), s, t->b, slot);
    times(rk, dd(h), s, t->c, slot + s);
    if (!rk->is_explicit) {
        prepare_implicit(rk, dd(h), slot);
    } else if (rk->second) {
        times(rk, dd(h), s * s, t->A, slot + 2 * s);
        times(rk, dd(h), s, rk->second->b, times(rk, dd(h), s * s, rk->second->A, slot + rk->at_second));
    } else {
        for (int64_t i = 0; i < s; i++)
            for (int64_t e = rk->row[i]; e < rk->row[i + 1]; e++)
                slot[2 * s + e] = dd_mul(t->A[i * s + rk->col[e]], dd(h)).hi;
    }
}

/* --- stepping ---------------------------------------------------------------------------------------------------- */

/* The first iterate is y + h f(y), a little beside it: where that is a solution by accident, but one from which the
 * iteration would be driven away, nothing else would be looked for (y' = -2 y^2, y = 1, h = 1, implicit Euler: -1). */
#define FIRST (1 + 0x1p-30)

lbr_status lbr_rk_guess(lbr_work *w, const lbr_rk_run *r, double t)
{
    const lbr_bound *b = r->rk->sys;
    int reduced = r->rk->reduced && !lbr_rk_by_newton(w, r->rk);
    int64_t n = reduced ? b->s.nq : r->rk->n;
    int bad = reduced ? b->s.force(t, r->y, r->F, b->s.ctx) : b->field(t, r->y, r->F, b->ctx);

    lbr_bound_count(b, &w->head->stats, 1);
    for (int64_t l = 0; l < n; l++) r->F[l] *= FIRST;
    for (int64_t i = 1; i < r->rk->s; i++) memcpy(r->F + i * n, r->F, (size_t)n * sizeof *r->F);
    if (r->past) r->past[0] = -1;
    return bad ? lbr_work_failing(w, reduced ? "force" : lbr_bound_functions(b), 0) : LBR_OK;
}

static lbr_status explicit_steps(lbr_work *w, const lbr_rk_run *r, int64_t k, int64_t n)
{
    const lbr_rk *rk = r->rk;
    const lbr_bound *b = r->rk->sys;
    lbr_erk_args a = {
        .dim = rk->n,
        .nq = b->s.nq,
        .stages = rk->s,
        .t0 = r->t0,
        .h = r->h,
        .B = r->slot,
        .C = r->slot + rk->s,
        .A = r->slot + 2 * rk->s,
        .row = rk->row,
        .col = rk->col,
        .m = b->s.inverse_mass,
        .field = b->field,
        .force = b->s.force,
        .velocity = b->s.velocity,
        .ctx = rk->ctx,
        .watch = r->watch,
        .K = r->own,
        .x = r->own + rk->sn,
    };

    lbr_bound_count(b, &w->head->stats, n * rk->s);
    return rk->erk(&a, k, n, r->y, r->e) ? lbr_work_failing(w, lbr_bound_functions(b), 0) : LBR_OK;
}

/* The component that a failed iteration has driven away most, or made not finite: for the message only. */
static int64_t farthest(const lbr_rk_run *r, int64_t n)
{
    int64_t worst = 0;
    double most = 0;

    for (int64_t i = 0; i < r->rk->s * n; i++) {
        double far = fabs(r->own[i] / r->y[i % n]); /* own begins with Z */

        if (!(far <= most)) most = far, worst = i % n;
        if (most != most) break;
    }
    return worst;
}

lbr_irk_starting lbr_rk_starting(const lbr_rk_run *r, int reduced)
{
    const lbr_rk *rk = r->rk;
    const lbr_starting *z = rk->starting;
    int64_t s = rk->s, m = z->extras, all = z->matrices * s * s;
    const double *S = r->slot + rk->at_S, *nu = r->slot + rk->at_further, *next = r->slot + rk->at_reduced;
    lbr_irk_starting b = { .S = S,
                           .S2 = rk->second ? r->slot + rk->at_second + s * s + s : S,
                           .nu = nu,
                           .mu = nu + s * m,
                           .mu_more = nu + 2 * s * m,
                           .place = nu + 2 * s * m + m * m,
                           .older = r->past ? z->older : 0,
                           .differences = r->past && z->way == LBR_STARTING_EQUISTAGE,
                           .extras = r->past ? m : 0,
                           .past = r->past ? (int64_t)*r->past : -1,
                           .earlier = r->earlier,
                           .G = r->G,
                           .Z0 = lbr_rk_first_iterate(r),
                           .off = NAN };

    if (reduced) {
        b.S = b.S2 = next + 2 * s + s * s;
        b.nu = b.S + all + 1, b.mu = b.nu + s * m, b.mu_p = b.mu + m * s;
    }
    return b;
}

/* What fixed-point iteration calls, for a sentence. */
static const char *functions(const lbr_rk *rk)
{
    if (block_of(rk)) return rk->reduced ? "force or force_block" : "field or field_block";
    return rk->reduced ? "force" : rk->turns ? "force or velocity function" : lbr_bound_functions(rk->sys);
}

/* Up to n steps by fixed-point iteration; *done of them. */
static lbr_status fixed_point(lbr_work *w, const lbr_rk_run *r, int64_t k, int64_t n, int64_t *done, int *strayed)
{
    const lbr_rk *rk = r->rk;
    const lbr_bound *b = r->rk->sys;
    int64_t s = rk->s;
    lbr_irk_args a = {
        .dim = rk->n,
        .nq = b->s.nq,
        .stages = s,
        .implicit = rk->implicit,
        .split = rk->split,
        .most = w->setup->max_iterations,
        .low = rk->low,
        .t0 = r->t0,
        .h = r->h,
        .B = r->slot,
        .C = r->slot + s,
        .A = r->slot + 2 * s,
        .A2 = lbr_rk_A(r, rk->n - 1),
        .B2 = lbr_rk_B(r, rk->n - 1),
        .m = b->s.inverse_mass,
        .field = b->field,
        .force = b->s.force,
        .velocity = b->s.velocity,
        .block = block_of(rk),
        .many = r->own + rk->many,
        .ctx = rk->ctx,
        .half = b->s.ctx,
        .turns = rk->turns,
        .watch = r->watch,
        .Z = r->own,
        .R = r->own + rk->sn,
        .x = r->own + 4 * rk->sn,
        .start = lbr_rk_starting(r, rk->reduced != NULL),
        .worst = w->head->stats.worst,
    };

    if (rk->reduced) {
        const double *next = r->slot + rk->at_reduced;

        a.E = next, a.D = next + s, a.A = next + 2 * s;
        a.W = a.A + s * s + rk->starting->matrices * s * s;
    }
    *done = rk->irk(&a, k, n, r->y, r->e, r->F);
    if (r->past) r->past[0] = (double)a.start.past, w->first_off = *done == n ? a.start.off : NAN;
    lbr_bound_count(b, &w->head->stats, a.evaluations);
    w->head->stats.iterations += a.iterations;
    w->head->stats.worst = a.worst;
    *strayed = a.strayed;
    if (*done == n) return LBR_OK;
    if (a.bad) return lbr_work_failing(w, functions(rk), 1);
    return lbr_work_unsolved(w, farthest(r, rk->reduced ? b->s.nq : rk->n), a.residual, a.last);
}

/* A step that ends at k, taken outside the templates. Whoever hears that it failed finds out what is wrong. */
static lbr_status see(lbr_work *w, const lbr_rk_run *r, int64_t k)
{
    if (!r->watch || !lbr_watch_step(&w->setup->sys, fma((double)k, r->h, r->t0), r->y, r->watch->first,
                                     r->watch->worst, w->look, NULL))
        return LBR_OK;
    return lbr_fail(&w->message, LBR_ENONFINITE, "H or an invariant is not finite");
}

lbr_status lbr_rk_steps(lbr_work *w, const lbr_rk_run *r, int64_t k, int64_t n)
{
    int64_t done, end = k + n, again = r->past && r->past[0] < 0 ? k : -1;
    lbr_status status;
    int strayed;

    if (r->rk->is_explicit) return r->rk->second ? lbr_prk_steps(w, r, k, n) : explicit_steps(w, r, k, n);
    if (w->setup->solver == LBR_SOLVER_NEWTON && !w->head->newton) w->head->newton = 1;
    while (k < end) {
        if (lbr_rk_by_newton(w, r->rk)) {
            if ((status = lbr_rk_newton(w, r, k++)) || (status = see(w, r, k))) return status;
            continue;
        }
        if (!(status = fixed_point(w, r, k, end - k, &done, &strayed))) return LBR_OK;
        k += done;
        if (strayed) return status;
        if (again == k || !(r->past || r->foretold)) {
            if (!r->rk->newton || status == LBR_ECALLBACK) return status;
            w->head->newton = 1; /* from here on */
        }
        again = k; /* once more, as if nothing was known of the steps before */
        if ((status = lbr_rk_guess(w, r, fma((double)k, r->h, r->t0)))) return status;
    }
    return LBR_OK;
}
