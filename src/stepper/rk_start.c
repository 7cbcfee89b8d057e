/* rk_start.c - constants of implicit Runge-Kutta steps: starting values, and what second-order equations need.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "rk.h"

enum { NODES = 8 };

static int same_node(lbr_dd a, lbr_dd b) { return fabs(a.hi - b.hi) < 1e-6; }

/* Up to NODES different places, spread evenly over those that there are: indices of stages. */
static int choose_nodes(const lbr_tableau *t, int64_t *index)
{
    int64_t all[256];
    int n = 0, m;

    for (int64_t i = 0; i < t->s; i++) {
        int seen = 0;
        for (int k = 0; k < n; k++) seen |= same_node(lbr_tableau_place(t, i), lbr_tableau_place(t, all[k]));
        if (!seen) all[n++] = i;
    }
    m = n < NODES ? n : NODES;
    for (int k = 0; k < m; k++) index[k] = all[m == n ? k : (int64_t)k * (n - 1) / (m - 1)];
    return m;
}

/* Coefficients of the Lagrange polynomial l_k over m nodes. */
static void lagrange(int m, const lbr_dd *x, int k, lbr_dd *poly)
{
    for (int i = 0; i < m; i++) poly[i] = dd(i == 0);
    for (int j = 0, degree = 0; j < m; j++) {
        lbr_dd d;

        if (j == k) continue;
        d = dd_sub(x[k], x[j]);
        for (int i = ++degree; i >= 0; i--)
            poly[i] = dd_div(dd_sub(i > 0 ? poly[i - 1] : dd(0), dd_mul(x[j], poly[i])), d);
    }
}

static lbr_dd integral(int m, const lbr_dd *poly, lbr_dd x)
{
    lbr_dd sum = dd(0);

    for (int i = m - 1; i >= 0; i--) sum = dd_mul(x, dd_add(sum, dd_div(poly[i], dd(i + 1))));
    return sum;
}

/* The integral of the integral, both from 0 on. */
static lbr_dd twice(int m, const lbr_dd *poly, lbr_dd x)
{
    lbr_dd sum = dd(0);

    for (int i = m - 1; i >= 0; i--) sum = dd_mul(x, dd_add(sum, dd_div(poly[i], dd((i + 1) * (i + 2)))));
    return dd_mul(x, sum);
}

static void leading_zeros(lbr_rk *rk)
{
    while (rk->implicit < rk->s - 1) {
        for (int64_t j = 0; j < rk->s; j++)
            if (rk->tableau->A[rk->implicit * rk->s + j].hi != 0 ||
                (rk->second && rk->second->A[rk->implicit * rk->s + j].hi != 0))
                return;
        rk->implicit++;
    }
}

/* S_ij = integral of l_j over [1, 1 + c_i]: the polynomial through the last F, prolonged (HLW VIII.6.3); and integrated
 * twice. */
static void start_values(lbr_rk *rk)
{
    const lbr_tableau *t = rk->tableau;
    int64_t index[NODES];
    lbr_dd x[NODES], poly[NODES];
    int m = choose_nodes(t, index);

    for (int k = 0; k < m; k++) x[k] = lbr_tableau_place(t, index[k]);
    for (int k = 0; k < m; k++) {
        lagrange(m, x, k, poly);
        for (int64_t i = 0; i < rk->s; i++) {
            lbr_dd c = lbr_tableau_place(t, i), end = dd_add(dd(1), c), first = integral(m, poly, dd(1));

            rk->S[i * rk->s + index[k]] = dd_sub(integral(m, poly, end), first);
            if (rk->reduced)
                rk->reduced->S[i * rk->s + index[k]] = dd_sub(dd_sub(twice(m, poly, end), twice(m, poly, dd(1))),
                                                              dd_mul(c, first));
        }
    }
}

static lbr_dd sum(int64_t n, const lbr_dd *x)
{
    lbr_dd all = dd(0);

    for (int64_t i = 0; i < n; i++) all = dd_add(all, x[i]);
    return all;
}

/* out = x A */
static void times(int64_t s, const lbr_dd *x, const lbr_dd *A, lbr_dd *out)
{
    for (int64_t j = 0; j < s; j++) {
        out[j] = dd(0);
        for (int64_t k = 0; k < s; k++) out[j] = dd_add(out[j], dd_mul(x[k], A[k * s + j]));
    }
}

static int make_reduced(lbr_setup *set, lbr_rk *rk)
{
    const lbr_tableau *t = rk->tableau;
    int64_t s = rk->s;
    lbr_rk_reduced *reduced = rk->reduced = lbr_arena_alloc(set->arena, 1, sizeof *reduced);

    if (!reduced) return -1;
    reduced->A = lbr_arena_alloc(set->arena, s * s, sizeof *reduced->A);
    reduced->S = lbr_arena_alloc(set->arena, s * s, sizeof *reduced->S);
    reduced->D = lbr_arena_alloc(set->arena, s, sizeof *reduced->D);
    reduced->E = lbr_arena_alloc(set->arena, s, sizeof *reduced->E);
    if (!reduced->A || !reduced->S || !reduced->D || !reduced->E) return -1;
    for (int64_t i = 0; i < s; i++)
        times(s, t->A + i * s, t->A, reduced->A + i * s), reduced->D[i] = sum(s, t->A + i * s);
    times(s, t->b, t->A, reduced->E);
    reduced->W = sum(s, t->b);
    return 0;
}

lbr_status lbr_rk_start(lbr_rk *rk, lbr_setup *set, int reduced)
{
    if (!(rk->S = lbr_arena_alloc(set->arena, rk->s * rk->s, sizeof *rk->S)) || (reduced && make_reduced(set, rk)))
        return LBR_ENOMEM;
    start_values(rk);
    leading_zeros(rk);
    return LBR_OK;
}
