/* rattle.c - RATTLE and its compositions for H = p^T M^-1 p/2 + V(q) with masses: rattle.inc and what it is given.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What is at q (force, G, S and its factors) stays in scratch from step to step and is made anew from q where it is not
 * there: the bits are the same. State: y, its low parts where sums are compensated, and the multipliers of each piece
 * of a step, from which the next solution starts. */
#include "constrained_pair.h"
#include "fuse.h"

#include <math.h>
#include <string.h>

#include "scalar.inc"
#define WATCHED              0
#define FORCE(t, q, f)       a->force(t, q, f, a->ctx)
#define CONSTRAINTS(t, q, r) a->g(t, q, r, a->ctx)
#define JACOBIAN(t, q, G)    a->jacobian(t, q, G, a->ctx)
#define NAME                 one_by_one
#define TOGETHER             1
#include "rattle.inc"
#define NAME     by_twos
#define TOGETHER 2
#include "rattle.inc"
#define NAME     by_threes
#define TOGETHER 3
#include "rattle.inc"

typedef int (*rattle_fn)(lbr_rattle_args *, int64_t k0, int64_t n);
static const rattle_fn through_callbacks[LBR_TOGETHER] = { one_by_one, by_twos, by_threes };
static const char *const defines[LBR_TOGETHER] = { "#define TOGETHER 1\n", "#define TOGETHER 2\n",
                                                   "#define TOGETHER 3\n" };

enum { SLICE = 64 }; /* constraints, whose coordinates are to stay in the nearest memory */

typedef struct constants {
    int64_t force, ph, q1, r, unit, point,
        piece; /* places in scratch; q and q1 change places in a step, and velocities are where the old one was */
    rattle_fn run;
    void *ctx;
    const lbr_slice *slice;
} constants;

/* --- which programs ---------------------------------------------------------------------------------------------- */

static int is(lbr_dd a, double b) { return a.hi == b && a.lo == 0; }

static int is_rattle(const lbr_atom *a)
{
    const lbr_tableau *q = a->tableau, *v = a->second;

    if (a->kind != &lbr_atom_constrained || q->s != 2) return 0;
    return is(q->A[0], 0) && is(q->A[1], 0) && is(q->A[2], 0.5) && is(q->A[3], 0.5) && is(v->A[0], 0.5) &&
           is(v->A[1], 0) && is(v->A[2], 0.5) && is(v->A[3], 0);
}

static int takes(const lbr_setup *set)
{
    if (!set->multipliers || !set->multipliers->mass || set->pre.n || set->post.n) return 0;
    for (int64_t i = 0; i < set->kernel.n; i++)
        if (!is_rattle(&set->atom[set->kernel.term[i].atom])) return 0;
    return 1;
}

/* What is done with all constraints up to some, and before any of the others. */
static int64_t nslices(const lbr_multipliers *mu) { return (mu->m + SLICE - 1) / SLICE; }

static const lbr_slice *slices(const lbr_multipliers *mu, lbr_arena *arena)
{
    int64_t n = nslices(mu), done = mu->nq, ready = 0;
    lbr_slice *s = lbr_arena_alloc(arena, n, sizeof *s);

    for (int64_t k = n - 1; s && k >= 0; k--) {
        s[k] = (lbr_slice){ .rows = (int32_t)(k < n - 1 ? (k + 1) * SLICE : mu->m), .done = (int32_t)done };
        for (int64_t i = k * SLICE; i < s[k].rows; i++)
            if (mu->row[i] < mu->row[i + 1] && mu->col[mu->row[i]] < done) done = mu->col[mu->row[i]];
    }
    for (int64_t k = 0; s && k < n; k++) {
        for (int64_t i = k * SLICE; i < s[k].rows; i++)
            if (mu->row[i] < mu->row[i + 1] && mu->col[mu->row[i + 1] - 1] >= ready)
                ready = mu->col[mu->row[i + 1] - 1] + 1;
        s[k].ready = (int32_t)(k < n - 1 ? ready : mu->nq);
        if (s[k].done > s[k].ready) s[k].done = s[k].ready;
    }
    return s;
}

static lbr_status build(lbr_setup *set, lbr_message *m)
{
    const lbr_multipliers *mu = set->multipliers;
    constants *c = lbr_arena_alloc(set->arena, 1, sizeof *c);
    lbr_fusing ask = { .file = "rattle.inc",
                       .defines = defines[mu->together - 1],
                       .n = 2 * mu->nq,
                       .uses = LBR_USES_FORCE | LBR_USES_CONSTRAINTS,
                       .watch = 1 };
    int64_t nq = mu->nq;
    lbr_fused fused;

    if (!c) return lbr_fail(m, LBR_ENOMEM, "out of memory for the plan");
    *c = (constants){ .force = 0,
                      .ph = nq,
                      .q1 = 2 * nq,
                      .r = 3 * nq,
                      .unit = 3 * nq + mu->m,
                      .point = 3 * nq + 2 * mu->m,
                      .run = through_callbacks[mu->together - 1],
                      .ctx = set->sys.s.ctx,
                      .slice = slices(mu, set->arena) };
    if (!c->slice) return lbr_fail(m, LBR_ENOMEM, "out of memory for the plan");
    c->piece = c->point + lbr_point_size(mu);
    set->nstate = 2 * nq * (set->compensated ? 2 : 1) + set->kernel.n * mu->m;
    set->nscratch = c->piece + 2 * set->kernel.n;
    set->constants = c;
    set->instance = mu->ldl.band >= 0 ? "masses; the constraints' matrix is a band"
                                      : "masses; the constraints' matrix is sparse";
    if (lbr_fuse(set, &ask, &fused)) return lbr_fail(m, LBR_ENOMEM, "out of memory for the plan");
    if (fused.entry) c->run = (rattle_fn)fused.entry, c->ctx = fused.ctx, set->watches = fused.watches;
    return LBR_OK;
}

static void prepare(lbr_work *w)
{
    const lbr_setup *set = w->setup;
    lbr_piece *piece = (lbr_piece *)(w->scratch + ((const constants *)set->constants)->piece);
    lbr_dd h = dd(w->head->h);

    for (int64_t i = 0; i < set->kernel.n; i++)
        piece[i] = (lbr_piece){ dd_mul(set->kernel.term[i].time, h).hi, dd_mul(set->kernel.term[i].c, h).hi };
    w->matrix_ready = 0;
}

static void start(lbr_work *w, const double *y)
{
    memcpy(w->v, y, (size_t)(2 * w->setup->multipliers->nq) * sizeof *y);
}
static lbr_status read_out(lbr_work *w, double *y)
{
    return memcpy(y, w->v, (size_t)(2 * w->setup->multipliers->nq) * sizeof *y), LBR_OK;
}

/* --- steps ------------------------------------------------------------------------------------------------------- */

static lbr_status unsolved(lbr_work *w, const lbr_rattle_args *a, const char *what)
{
    if (a->residual < LBR_FAR)
        return lbr_fail(&w->message, LBR_ENOCONV,
                        "the constraints on %s were not met after %lld iterations: they are still off by %.3g units of "
                        "rounding; try a smaller step",
                        what, (long long)a->most, a->residual);
    return lbr_fail(&w->message, LBR_ENOCONV,
                    "the constraints on %s were not met: the iteration for the multipliers runs away (%lld "
                    "iterations); try a smaller step",
                    what, (long long)a->tries);
}

static lbr_status told(lbr_work *w, const lbr_rattle_args *a, int bad, lbr_point *at)
{
    static const char *const failed[] = { [LBR_RATTLE_FORCE] = "the force",
                                          [LBR_RATTLE_JACOBIAN] = "the constraints' Jacobian",
                                          [LBR_RATTLE_CONSTRAINT] = "a constraint",
                                          [LBR_RATTLE_WATCHED] = "a function that is watched" };

    switch (bad) {
    case 0: return LBR_OK;
    case LBR_RATTLE_POSITIONS: return unsolved(w, a, "positions");
    case LBR_RATTLE_MOMENTA: return unsolved(w, a, "velocities");
    case LBR_RATTLE_SINGULAR: return lbr_point_singular(w->setup->multipliers, at, a->singular, &w->message);
    default: return lbr_fail(&w->message, LBR_ECALLBACK, "%s reported a failure", failed[bad]);
    }
}

static void count(lbr_stats *stats, const lbr_rattle_args *a)
{
    stats->force += a->settled, stats->jacobian += a->settled, stats->constraint += a->settled + a->iterations,
        stats->iterations += a->iterations;
    if (a->worst > stats->worst) stats->worst = a->worst;
}

static int64_t factorise(const void *ldl, const double *S, double *factor) { return lbr_ldl_factor(ldl, S, factor); }
static void solve(const void *ldl, const double *factor, double *x) { lbr_ldl_solve(ldl, factor, x); }

static lbr_status advance(lbr_work *w, int64_t n)
{
    const lbr_setup *set = w->setup;
    const constants *c = set->constants;
    const lbr_multipliers *mu = set->multipliers;
    int64_t nq = mu->nq;
    double *s = w->scratch, *e = set->compensated ? w->v + 2 * nq : NULL;
    lbr_point at;
    lbr_rattle_args a = { .nq = nq,
                          .m = mu->m,
                          .pieces = set->kernel.n,
                          .most = set->max_iterations,
                          .t0 = w->head->t0,
                          .h = w->head->h,
                          .piece = (const lbr_piece *)(s + c->piece),
                          .mass = set->sys.drift == LBR_DRIFT_UNIFORM ? NULL : mu->mass,
                          .one = set->sys.factor,
                          .begin = mu->begin,
                          .at = mu->at,
                          .sbegin = mu->sbegin,
                          .first = mu->first,
                          .left = mu->left,
                          .right = mu->right,
                          .slice = c->slice,
                          .end = c->slice + nslices(mu),
                          .ldl = &mu->ldl,
                          .factorise = factorise,
                          .solve = solve,
                          .force = mu->sys->s.force,
                          .g = mu->c.g,
                          .jacobian = mu->c.G,
                          .ctx = c->ctx,
                          .watch = w->watch,
                          .F = s + c->force,
                          .ph = s + c->ph,
                          .q1 = s + c->q1,
                          .v = s + c->q1,
                          .r = s + c->r,
                          .unit = s + c->unit,
                          .q = w->v,
                          .p = w->v + nq,
                          .eq = e,
                          .ep = e ? e + nq : NULL,
                          .L = w->v + 2 * nq * (set->compensated ? 2 : 1),
                          .ready = (int)w->matrix_ready };
    int bad;

    lbr_point_place(mu, &at, s + c->point);
    a.G = at.G, a.WG = at.WG, a.S = at.S, a.factor = at.factor;
    bad = c->run(&a, w->head->n, n);
    count(&w->head->stats, &a);
    w->matrix_ready = !bad && (n > 0 || a.ready);
    if (n > 0) w->head->primed = 1;
    return told(w, &a, bad, &at);
}

const lbr_stepper lbr_stepper_rattle = {
    .name = "rattle",
    .layout = 1,
    .takes = takes,
    .build = build,
    .prepare = prepare,
    .start = start,
    .advance = advance,
    .read = read_out,
};
