/* prk.c - explicit steps of a pair of tableaux: each stage, or each half of one, from those before. SPDX-License-Identifier: BSD-3-Clause
 *
 *     Q_i = q + h sum_j a_ij f(P_j),    P_i = p + h sum_j a^_ij g(Q_j)                                   (HLW II.2.2)
 *
 * For H = T(p) + V(q) each P_i needs only forces and each Q_i only velocities, so that a pair can be explicit although neither tableau
 * is. Those that are splittings (HLW VI.4.7) never come here: plan/bind.c makes kicks and drifts of them. The time is a position, as everywhere: stage i sees t + c_i h with the row sums c of A. */
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

            if (!same(A[j * s + i], drift_first ? b[i] : dd(0)) || !same(A2[i * s + j], drift_first ? dd(0) : b2[j])) n = 0;
        }
    return n;
}

lbr_status lbr_prk_order(lbr_rk *rk, lbr_setup *set)
{
    const lbr_dd *A = rk->tableau->A, *A2 = rk->second->A;

    if (!(rk->order = lbr_arena_alloc(set->arena, 4 * rk->s, sizeof *rk->order))) return LBR_ENOMEM;
    rk->halves = rk->sys->separable && !(rk->nodes = lbr_pair_order(rk->s, A, A2, 0, rk->order));
    if (!rk->nodes) rk->nodes = lbr_pair_order(rk->s, A, A2, rk->halves, rk->order);
    rk->is_explicit = rk->nodes > 0;
    return LBR_OK;
}

/* --- stepping ------------------------------------------------------------------------------------------ */

/* x = y + sum_j A_ij K_j for the components from .. to - 1, which all have the same A. Zeros stand for stages that may not be there yet. */
static void place(const lbr_rk_run *r, int64_t i, int64_t from, int64_t to, const double *K, double *x)
{
    const double *a = lbr_rk_A(r, from) + i * r->rk->s;
    int64_t n = r->rk->n;

    for (int64_t l = from; l < to; l++) x[l] = 0;
    for (int64_t j = 0; j < r->rk->s; j++)
        if (a[j] != 0) for (int64_t l = from; l < to; l++) x[l] = fma(a[j], K[j * n + l], x[l]);
    for (int64_t l = from; l < to; l++) x[l] = r->y[l] + x[l];
}

/* f at P_i, or g at Q_i, where H = T(p) + V(q). */
static int half(const lbr_rk_run *r, int64_t node, double t, double *K, double *x)
{
    const lbr_system *sys = &r->rk->sys->s;
    int64_t s = r->rk->s, n = r->rk->n, nq = r->rk->split;

    if (node >= s) {
        place(r, node - s, 0, nq, K, x);
        return sys->force(t, x, K + (node - s) * n + nq, sys->ctx);
    }
    place(r, node, nq, n, K, x);
    if (!sys->inverse_mass) return sys->velocity(t, x + nq, K + node * n, sys->ctx);
    for (int64_t l = 0; l < nq; l++) K[node * n + l] = sys->inverse_mass[l] * x[nq + l];
    return 0;
}

static int whole(const lbr_rk_run *r, int64_t i, double t, double *K, double *x)
{
    const lbr_rk *rk = r->rk;

    place(r, i, 0, rk->split, K, x);
    place(r, i, rk->split, rk->n, K, x);
    return rk->sys->field(t, x, K + i * rk->n, rk->sys->ctx);
}

lbr_status lbr_prk_steps(lbr_work *w, const lbr_rk_run *r, int64_t k, int64_t n)
{
    const lbr_rk *rk = r->rk;
    const double *C = r->slot + rk->s;
    double *K = r->own, *x = K + rk->sn;

    if (rk->halves) w->head->stats.force += n * rk->s;
    else lbr_bound_count(rk->sys, &w->head->stats, n * rk->s);
    for (int64_t end = k + n; k < end; k++) {
        double t = fma((double)k, r->h, r->t0);
        int bad = 0;

        for (int64_t e = 0; e < rk->nodes; e++) {
            int64_t node = rk->order[e];
            bad |= rk->halves ? half(r, node, t + C[node % rk->s], K, x) : whole(r, node, t + C[node], K, x);
        }
        if (bad) return lbr_fail(&w->message, LBR_ECALLBACK, "the system's %s reported a failure", rk->halves ? "force or velocity" : "field");
        for (int64_t l = 0; l < rk->n; l++) {
            const double *B = lbr_rk_B(r, l);

            x[l] = B[0] * K[l];
            for (int64_t i = 1; i < rk->s; i++) x[l] = fma(B[i], K[i * rk->n + l], x[l]);
        }
        lbr_increment(rk->n, r->y, r->e, x);
    }
    return LBR_OK;
}
