/* rk_start.c - constants of implicit Runge-Kutta steps: starting values, and what second-order equations need.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "rk.h"

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

/* Where the field is asked at further places, if only forces are: q there is q + m (P h p + h^2 M f), with the momenta
 * of the stages, P_j = p_n + h sum_i (a_ji - b_i) f_i, and those of earlier places, p_n + h sum_i M_ki f_i. */
static void further(const lbr_rk *rk, lbr_rk_reduced *d)
{
    const lbr_starting *z = rk->starting;
    const lbr_tableau *t = rk->tableau;
    int64_t s = rk->s, m = z->extras;

    for (int64_t k = 0; k < m; k++) {
        d->P[k] = dd_sub(z->mu[k], dd(1));
        for (int64_t i = 0; i < s; i++) {
            lbr_dd x = dd(0);

            for (int64_t j = 0; j < s; j++) x = dd_add(x, dd_mul(z->M[k * s + j], dd_sub(t->A[j * s + i], t->b[i])));
            for (int64_t j = 0; j < k; j++) x = dd_add(x, dd_mul(z->N[k * m + j], z->M[j * s + i]));
            d->M[k * s + i] = x;
        }
    }
    for (int64_t i = 0; i < s; i++)
        for (int64_t k = 0; k < m; k++)
            for (int64_t j = 0; j < s; j++)
                d->nu[i * m + k] = dd_add(d->nu[i * m + k], dd_mul(t->A[i * s + j], z->nu[j * m + k]));
}

static int make_reduced(lbr_setup *set, lbr_rk *rk)
{
    const lbr_tableau *t = rk->tableau;
    int64_t s = rk->s, m = rk->starting->extras;
    lbr_rk_reduced *d = rk->reduced = lbr_arena_alloc(set->arena, 1, sizeof *d);

    if (!d) return -1;
    d->A = lbr_arena_alloc(set->arena, s * s, sizeof *d->A);
    d->D = lbr_arena_alloc(set->arena, s, sizeof *d->D);
    d->E = lbr_arena_alloc(set->arena, s, sizeof *d->E);
    d->nu = lbr_arena_alloc(set->arena, s * m + 1, sizeof *d->nu);
    d->M = lbr_arena_alloc(set->arena, m * s + 1, sizeof *d->M);
    d->P = lbr_arena_alloc(set->arena, m + 1, sizeof *d->P);
    if (!d->A || !d->D || !d->E || !d->nu || !d->M || !d->P) return -1;
    if (!(d->S = lbr_starting_values(rk->starting, t->A, 1, set->arena))) return -1;
    for (int64_t i = 0; i < s; i++) times(s, t->A + i * s, t->A, d->A + i * s), d->D[i] = sum(s, t->A + i * s);
    times(s, t->b, t->A, d->E);
    d->W = sum(s, t->b);
    further(rk, d);
    return 0;
}

lbr_status lbr_rk_start(lbr_rk *rk, lbr_setup *set, int reduced, int alone, lbr_message *m)
{
    const lbr_tableau *t = rk->tableau;
    lbr_dd *place = lbr_arena_alloc(set->arena, rk->s, sizeof *place);
    lbr_status status;

    for (int64_t i = 0; place && i < rk->s; i++) place[i] = lbr_tableau_place(t, i);
    if (!place) return lbr_fail(m, LBR_ENOMEM, "out of memory for the plan");
    status = lbr_starting_make(&rk->starting, alone ? set->starting : LBR_STARTING_GIVEN, rk->s, place,
                               rk->second ? NULL : t->A, !rk->second && lbr_starting_curve(rk->s, place, t->A),
                               set->arena, m);
    if (status) return status;
    rk->S = lbr_starting_values(rk->starting, t->A, 0, set->arena);
    if (rk->second) rk->S2 = lbr_starting_values(rk->starting, rk->second->A, 0, set->arena);
    if (!rk->S || (rk->second && !rk->S2) || (reduced && make_reduced(set, rk)))
        return lbr_fail(m, LBR_ENOMEM, "out of memory for the plan");
    leading_zeros(rk);
    return LBR_OK;
}
