/* prk.c - explicit pairs of tableaux: in which order stages, or halves of them, can be had; their steps (prk.inc).
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * For H = T(p) + V(q) each P_i needs only forces and each Q_i only velocities, so that a pair can be explicit although
 * neither tableau is. Those that are splittings (HLW VI.4.7) never come here: plan/bind.c makes kicks and drifts of
 * them. The time is a position, as everywhere: stage i sees t + c_i h with the row sums c of A. */
#include "prk.h"

/* Whether node x uses node y (prk.h). */
static int uses(int64_t s, const lbr_dd *A, const lbr_dd *A2, int halves, int64_t x, int64_t y)
{
    if (!halves) return A[x * s + y].hi != 0 || A2[x * s + y].hi != 0;
    if (x < s) return y >= s && A2[x * s + y - s].hi != 0;
    return y < s && A[(x - s) * s + y].hi != 0;
}

int64_t lbr_pair_order(int64_t s, const lbr_dd *A, const lbr_dd *A2, int halves, int64_t *order)
{
    int64_t nodes = halves ? 2 * s : s, n = 0, x = 0, *done = &order[nodes];

    for (int64_t y = 0; y < nodes; y++) done[y] = 0;
    while (n < nodes && x < nodes) {
        int ready = !done[x];

        for (int64_t y = 0; y < nodes && ready; y++) ready = !uses(s, A, A2, halves, x, y) || done[y];
        if (ready) done[x] = 1, order[n++] = x, x = 0;
        else x++;
    }
    return n == nodes ? nodes : 0;
}

static int same(lbr_dd a, lbr_dd b) { return fabs(dd_double(dd_sub(a, b))) < 1e-28; }

/* a_ji is b_i where drift i comes before kick j, and 0 else; a^_ij likewise. */
int64_t lbr_pair_flows(int64_t s, const lbr_dd *A, const lbr_dd *b, const lbr_dd *A2, const lbr_dd *b2, int64_t *order)
{
    int64_t n = lbr_pair_order(s, A, A2, 1, order), *place = &order[2 * s];

    for (int64_t k = 0; k < n; k++) place[order[k]] = k;
    for (int64_t i = 0; i < s && n; i++)
        for (int64_t j = 0; j < s && n; j++) {
            int drift_first = place[i] < place[s + j];

            if (!same(A[j * s + i], drift_first ? b[i] : dd(0)) || !same(A2[i * s + j], drift_first ? dd(0) : b2[j]))
                n = 0;
        }
    return n;
}

lbr_status lbr_prk_order(lbr_rk *rk, lbr_setup *set)
{
    const lbr_dd *A = rk->tableau->A, *A2 = rk->second->A;

    if (!(rk->order = lbr_arena_alloc(set->arena, 4 * rk->s, sizeof *rk->order))) return LBR_ENOMEM;
    rk->halves = rk->sys->separable && !(rk->nodes = lbr_pair_order(rk->s, A, A2, 0, rk->order));
    if (!rk->nodes) rk->nodes = lbr_pair_order(rk->s, A, A2, rk->halves, rk->order);
    rk->is_explicit = rk->nodes > 0, rk->halves &= rk->is_explicit;
    return LBR_OK;
}

/* --- stepping ---------------------------------------------------------------------------------------------------- */

#include "scalar.inc"
#define WATCHED 0 /* from outside: plan/state.c */
#define UNROLL
#define N              a->dim
#define SPLIT          a->split
#define STAGES         a->stages
#define FIELD(t, y, f) a->field(t, y, f, a->ctx)
#define FORCE(t, q, f) a->force(t, q, f, a->ctx)
#define RATES(t, p, v) rates(a, t, p, v)

static int rates(const lbr_prk_args *a, double t, const double *p, double *v)
{
    if (!a->m) return a->velocity(t, p, v, a->ctx);
    for (int64_t l = 0; l < a->split; l++) v[l] = a->m[l] * p[l];
    return 0;
}

#define HALVES      0
#define COMPENSATED 0
#define NAME        steps_00
#include "prk.inc"
#define HALVES      0
#define COMPENSATED 1
#define NAME        steps_01
#include "prk.inc"
#define HALVES      1
#define COMPENSATED 0
#define NAME        steps_10
#include "prk.inc"
#define HALVES      1
#define COMPENSATED 1
#define NAME        steps_11
#include "prk.inc"

static const lbr_prk_fn instances[2][2] = { { steps_00, steps_01 }, { steps_10, steps_11 } };

lbr_status lbr_prk_steps(lbr_work *w, const lbr_rk_run *r, int64_t k, int64_t n)
{
    const lbr_rk *rk = r->rk;
    const lbr_bound *b = rk->sys;
    lbr_prk_args a = {
        .dim = rk->n,
        .split = rk->split,
        .stages = rk->s,
        .t0 = r->t0,
        .h = r->h,
        .A = lbr_rk_A(r, 0),
        .B = lbr_rk_B(r, 0),
        .C = r->slot + rk->s,
        .A2 = lbr_rk_A(r, rk->n - 1),
        .B2 = lbr_rk_B(r, rk->n - 1),
        .order = rk->order,
        .m = b->s.inverse_mass,
        .field = b->field,
        .force = b->s.force,
        .velocity = b->s.velocity,
        .ctx = rk->prk      ? rk->ctx
               : rk->halves ? b->s.ctx
                            : b->ctx,
        .K = r->own,
        .x = r->own + rk->sn,
        .watch = r->watch,
    };

    if (rk->halves) w->head->stats.force += n * rk->s;
    else lbr_bound_count(b, &w->head->stats, n * rk->s);
    if (!(rk->prk ? rk->prk : instances[rk->halves][w->setup->compensated])(&a, k, n, r->y, r->e)) return LBR_OK;
    return lbr_fail(&w->message, LBR_ECALLBACK, "the system's %s reported a failure",
                    rk->halves ? "force or velocity" : "field");
}
