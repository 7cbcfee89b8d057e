/* rk_stepper.c - a Runge-Kutta method, or a pair, on its own (stepper), and as a step of something larger (atom).
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * State: y, its low parts where sums are compensated, and for implicit methods the F of the last step (of second-order
 * equations the forces, in the first half of the room), from which the next one's starting values come, the point of
 * Newton's matrix, and what else starting values are made of. */
#include "foretold.h"
#include "rk.h"

#include <string.h>

static int takes(const lbr_setup *set)
{
    const lbr_term *t = set->kernel.term;

    return set->pre.n == 0 && set->post.n == 0 && set->kernel.n == 1 &&
           set->atom[t->atom].kind == &lbr_atom_runge_kutta && t->c.hi == 1 && t->c.lo == 0;
}

static lbr_status build(lbr_setup *set, lbr_message *m)
{
    const lbr_rk *rk = set->atom[set->kernel.term->atom].constants;
    int64_t n = set->sys.s.dim;

    if (!set->fused && set->solver != LBR_SOLVER_NEWTON && lbr_rk_asks_together(rk) &&
        !(set->instance = lbr_arena_format(set->arena, "%s, stages together", set->instance)))
        return lbr_fail(m, LBR_ENOMEM, "out of memory for the plan");
    set->constants = (void *)rk;
    set->grown = rk->is_explicit ? 0 : lbr_starting_kept(rk->starting, rk->sn, n);
    set->nstate = n + (set->compensated ? n : 0) + (rk->is_explicit ? 0 : rk->sn + n + set->grown);
    set->nscratch = rk->slot + rk->own;
    set->watches = rk->watches;
    return LBR_OK;
}

static lbr_rk_run run_of(lbr_work *w)
{
    const lbr_rk *rk = w->setup->constants;
    double *y = w->v, *F = y + rk->n * (w->setup->compensated ? 2 : 1), *G = F + rk->sn + rk->n;
    int64_t extras = rk->is_explicit ? 0 : rk->starting->extras;

    return (lbr_rk_run){ .rk = rk,
                         .slot = w->scratch,
                         .own = w->scratch + rk->slot,
                         .t0 = w->head->t0,
                         .h = w->head->h,
                         .y = y,
                         .e = w->setup->compensated ? y + rk->n : NULL,
                         .F = F,
                         .point = F + rk->sn,
                         .G = G,
                         .earlier = G + extras * rk->n,
                         .past = rk->is_explicit ? NULL : y + w->setup->nstate - LBR_STARTING_STANDS,
                         .watch = w->watch };
}

/* The stages of the momenta from the forces: P_j = p1 + h sum_i (a_ji - b_i) f_i. */
static const double *rates(const lbr_rk_run *r)
{
    const lbr_rk *rk = r->rk;
    const lbr_tableau *t = rk->tableau;
    int64_t s = rk->s, n = rk->n, nq = rk->split;
    double *F = r->own;

    for (int64_t j = 0; j < s; j++)
        for (int64_t l = 0; l < nq; l++) {
            double sum = r->y[nq + l];

            for (int64_t i = 0; i < s; i++)
                sum = fma(dd_mul(dd(r->h), dd_sub(t->A[j * s + i], t->b[i])).hi, r->F[i * nq + l], sum);
            F[j * n + l] = rk->sys->s.inverse_mass[l] * sum;
            F[j * n + nq + l] = r->F[j * nq + l];
        }
    return F;
}

static const lbr_tableau *implicit_tableau(const lbr_setup *set)
{
    const lbr_rk *rk = set->constants;

    return rk->is_explicit || rk->second ? NULL : rk->tableau;
}

/* Stage after stage; perhaps in scratch. */
static const double *last_stages(lbr_work *w)
{
    lbr_rk_run r = run_of(w);

    return r.rk->reduced && !lbr_rk_by_newton(w, r.rk) ? rates(&r) : r.F;
}

static void prepare(lbr_work *w) { lbr_rk_prepare(w->setup->constants, w->head->h, w->scratch); }

static void start(lbr_work *w, const double *y) { memcpy(w->v, y, (size_t)w->setup->sys.s.dim * sizeof *y); }

static lbr_status advance(lbr_work *w, int64_t n)
{
    lbr_rk_run r = run_of(w);
    lbr_status status;

    if (n > 0 && !w->head->primed && !r.rk->is_explicit && (status = lbr_rk_guess(w, &r, w->head->t0))) return status;
    w->head->primed |= n > 0;
    return lbr_rk_steps(w, &r, w->head->n, n);
}

static lbr_status read_out(lbr_work *w, double *y)
{
    memcpy(y, w->v, (size_t)w->setup->sys.s.dim * sizeof *y);
    return LBR_OK;
}

static lbr_status lanes(const lbr_setup *set, lbr_lanes *l, lbr_arena *arena, lbr_message *m)
{
    return lbr_rk_lanes(set->constants, set, l, arena, m);
}

static int advance_lanes(lbr_work *w, const lbr_lanes *l, int64_t k, int64_t n, double *V)
{
    const lbr_rk *rk = w->setup->constants;
    lbr_erk_args a = { .dim = rk->n,
                       .stages = rk->s,
                       .t0 = w->head->t0,
                       .h = w->head->h,
                       .B = w->scratch,
                       .C = w->scratch + rk->s,
                       .A = w->scratch + 2 * rk->s,
                       .row = rk->row,
                       .col = rk->col,
                       .m = l->m,
                       .ctx = l->ctx };

    return ((lbr_erk_fn)l->entry)(&a, k, n, V, w->setup->compensated ? V + l->groups * l->segment * l->width : NULL);
}

const lbr_stepper lbr_stepper_runge_kutta = {
    .name = "runge-kutta",
    .layout = 2,
    .takes = takes,
    .build = build,
    .prepare = prepare,
    .start = start,
    .advance = advance,
    .read = read_out,
    .lanes = lanes,
    .advance_lanes = advance_lanes,
    .tableau = implicit_tableau,
    .stages = last_stages,
};

/* --- the atom ---------------------------------------------------------------------------------------------------- */

static lbr_status build_atom(lbr_setup *set, lbr_atom *a, lbr_message *m)
{
    const lbr_rk *rk;
    lbr_status status = lbr_rk_build(&rk, set, &set->sys, a->tableau, a->second, takes(set), m);

    if (status) return status;
    a->constants = (void *)rk;
    a->slot = rk->slot;
    a->own = rk->own + (rk->is_explicit ? 0 : rk->sn);
    if (!rk->is_explicit) a->foretold = rk->sn, a->series = 1;
    return LBR_OK;
}

static void prepare_atom(const lbr_atom *a, double h, double *slot) { lbr_rk_prepare(a->constants, h, slot); }

/* One step, from what is foretold of F: rates of all stages, or forces alone. */
static lbr_status implicit_step(lbr_work *w, lbr_rk_run *r)
{
    const lbr_rk *rk = r->rk;
    int forces = rk->reduced && !lbr_rk_by_newton(w, rk);
    int64_t n = forces ? rk->s * rk->split : rk->sn;
    lbr_foretold F = lbr_foretold_next(w, rk->sn, rk->sn);
    lbr_status status;

    F.n = F.split = n;
    r->foretold = lbr_foretell(&F, r->F);
    if (!r->foretold && (status = lbr_rk_guess(w, r, r->t0))) return status;
    if ((status = lbr_rk_steps(w, r, 0, 1))) return status;
    if (forces == (rk->reduced && !lbr_rk_by_newton(w, rk))) lbr_foretold_keep(&F, r->F);
    return LBR_OK;
}

static lbr_status apply(lbr_work *w, const lbr_atom *a, const double *slot, double *own, double t, double h, double *y,
                        double *e)
{
    const lbr_rk *rk = a->constants;
    lbr_rk_run r = { .rk = rk, .slot = slot, .own = own, .t0 = t, .h = h, .y = y, .e = e, .F = own + rk->own };
    return rk->is_explicit ? lbr_rk_steps(w, &r, 0, 1) : implicit_step(w, &r);
}

const lbr_atom_kind lbr_atom_runge_kutta = { "runge-kutta", 0, build_atom, prepare_atom, apply, 0 };
