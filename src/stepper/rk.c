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

static int constants(lbr_setup *set, lbr_rk *rk)
{
    const lbr_system *s = &rk->sys->s;
    int reduced = rk->sys->separable && s->inverse_mass && !s->field && !rk->second && set->solver != LBR_SOLVER_NEWTON;

    if (rk->second && lbr_prk_order(rk, set)) return -1;
    if (rk->is_explicit ? !rk->second && sparse_rows(set, rk) : lbr_rk_start(rk, set, reduced)) return -1;
    return choose_instances(set, rk);
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
    if (constants(set, rk)) return lbr_fail(m, LBR_ENOMEM, "out of memory for the plan");
    if (!rk->is_explicit && (status = lbr_rk_matrix_make(rk, set, m))) return status;
    if (lbr_rk_fuse(rk, set, alone)) return lbr_fail(m, LBR_ENOMEM, "out of memory for the plan");
    rk->slot = second ? 3 * s * s + 3 * s : t->is_explicit ? rk->nonzero + 2 * s : 2 * s * s + 2 * s;
    if (rk->reduced) rk->slot += 2 * s * s + 2 * s + 1;
    rk->slot = (rk->slot + 7) / 8 * 8; /* what follows begins with a cache line */
    if (!rk->is_explicit) rk->low = rk->slot, rk->slot *= 2;
    rk->own = (rk->is_explicit ? 1 : 2) * s * n + n + (rk->newton ? lbr_rk_newton_size(rk) : n);
    *out = rk;
    return LBR_OK;
}

/* --- slots: B, C, A, S, and A and B of a second tableau, times h; or E, D, A, S, W of irk2.inc ------------------- */

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

static void prepare_reduced(const lbr_rk *rk, lbr_dd h, double *slot)
{
    const lbr_rk_reduced *d = rk->reduced;
    int64_t s = rk->s;
    lbr_dd h2 = dd_mul(h, h);

    slot = times(rk, h2, s, d->E, slot);
    slot = times(rk, h, s, d->D, slot);
    slot = times(rk, h2, s * s, d->A, slot);
    slot = times(rk, h2, s * s, d->S, slot);
    times(rk, h, 1, &d->W, slot);
}

void lbr_rk_prepare(const lbr_rk *rk, double h, double *slot)
{
    const lbr_tableau *t = rk->tableau;
    int64_t s = rk->s;

    slot = times(rk, dd(h), s, t->b, slot);
    slot = times(rk, dd(h), s, t->c, slot);
    if (t->is_explicit && !rk->second) {
        for (int64_t i = 0; i < s; i++)
            for (int64_t e = rk->row[i]; e < rk->row[i + 1]; e++) slot[e] = dd_mul(t->A[i * s + rk->col[e]], dd(h)).hi;
    } else {
        slot = times(rk, dd(h), s * s, t->A, slot);
        slot = rk->S ? times(rk, dd(h), s * s, rk->S, slot) : slot + s * s;
    }
    if (rk->reduced) prepare_reduced(rk, dd(h), slot);
    if (rk->second) times(rk, dd(h), s, rk->second->b, times(rk, dd(h), s * s, rk->second->A, slot));
}

/* --- stepping ---------------------------------------------------------------------------------------------------- */

lbr_status lbr_rk_guess(lbr_work *w, const lbr_rk_run *r, double t)
{
    const lbr_bound *b = r->rk->sys;
    int reduced = r->rk->reduced && !lbr_rk_by_newton(w, r->rk);
    int64_t n = reduced ? b->s.nq : r->rk->n;
    int bad = reduced ? b->s.force(t, r->y, r->F, b->s.ctx) : b->field(t, r->y, r->F, b->ctx);

    lbr_bound_count(b, &w->head->stats, 1);
    for (int64_t i = 1; i < r->rk->s; i++) memcpy(r->F + i * n, r->F, (size_t)n * sizeof *r->F);
    return bad ? lbr_fail(&w->message, LBR_ECALLBACK, "the system's field reported a failure") : LBR_OK;
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
    return rk->erk(&a, k, n, r->y, r->e) ? lbr_fail(&w->message, LBR_ECALLBACK, "the system's field reported a failure")
                                         : LBR_OK;
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

/* Up to n steps by fixed-point iteration; *done of them. */
static lbr_status fixed_point(lbr_work *w, const lbr_rk_run *r, int64_t k, int64_t n, int64_t *done)
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
        .S = r->slot + 2 * s + s * s,
        .A2 = lbr_rk_A(r, rk->n - 1),
        .B2 = lbr_rk_B(r, rk->n - 1),
        .m = b->s.inverse_mass,
        .field = b->field,
        .force = b->s.force,
        .ctx = rk->ctx,
        .watch = r->watch,
        .Z = r->own,
        .R = r->own + rk->sn,
        .x = r->own + 2 * rk->sn,
        .worst = w->head->stats.worst,
    };

    if (rk->reduced) {
        const double *next = r->slot + 2 * s + 2 * s * s;

        a.E = next, a.D = next + s, a.A = next + 2 * s, a.S = next + 2 * s + s * s, a.W = next + 2 * s + 2 * s * s;
    }
    *done = rk->irk(&a, k, n, r->y, r->e, r->F);
    lbr_bound_count(b, &w->head->stats, a.evaluations);
    w->head->stats.iterations += a.iterations;
    w->head->stats.worst = a.worst;
    if (*done == n) return LBR_OK;
    if (a.bad) return lbr_fail(&w->message, LBR_ECALLBACK, "the system's field reported a failure");
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
    int64_t done, end = k + n;
    lbr_status status;

    if (r->rk->is_explicit) return r->rk->second ? lbr_prk_steps(w, r, k, n) : explicit_steps(w, r, k, n);
    if (w->setup->solver == LBR_SOLVER_NEWTON) w->head->newton = 1;
    while (k < end) {
        if (lbr_rk_by_newton(w, r->rk)) {
            if ((status = lbr_rk_newton(w, r, k++)) || (status = see(w, r, k))) return status;
            continue;
        }
        if (!(status = fixed_point(w, r, k, end - k, &done))) return LBR_OK;
        k += done;
        if (!r->rk->newton || status == LBR_ECALLBACK) return status;
        w->head->newton = 1; /* from here on: Newton */
        if ((status = lbr_rk_guess(w, r, fma((double)k, r->h, r->t0)))) return status;
    }
    return LBR_OK;
}
