/* rk_weights.c - the weights with which a step is made of its stages' increments, for stiff systems.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 *     y1 = y0 + h sum_i b_i F_i = y0 + sum_i d_i Z_i,   d^T A = b^T
 *
 * (Hairer and Wanner, Solving Ordinary Differential Equations II, IV.8.4). F has the errors of Z multiplied by
 * the Jacobian: where that is large the first sum loses the digits that the second one keeps. */
#include "rk_matrix.h"

/* A pivot below this, where entries are about one, is none: A is singular. */
#define NO_PIVOT 1e-24

/* The last row of A is b: the step ends at the last stage, whether A is singular or not. */
static int ends_at_last(const lbr_tableau *t)
{
    for (int64_t j = 0; j < t->s; j++)
        if (fabs(dd_sub(t->A[(t->s - 1) * t->s + j], t->b[j]).hi) > 1e-28) return 0;
    return 1;
}

static void exchange(lbr_dd *a, lbr_dd *b, int64_t n)
{
    for (int64_t j = 0; j < n; j++) {
        lbr_dd x = a[j];

        a[j] = b[j], b[j] = x;
    }
}

/* d from M, rows of A^T with b behind them. 0: M is singular. */
static int eliminate(int64_t s, lbr_dd *M, lbr_dd *d)
{
    int64_t n = s + 1;

    for (int64_t k = 0; k < s; k++) {
        int64_t best = k;

        for (int64_t i = k + 1; i < s; i++)
            if (fabs(M[i * n + k].hi) > fabs(M[best * n + k].hi)) best = i;
        if (fabs(M[best * n + k].hi) < NO_PIVOT) return 0;
        exchange(M + k * n, M + best * n, n);
        for (int64_t i = k + 1; i < s; i++) {
            lbr_dd f = dd_div(M[i * n + k], M[k * n + k]);

            for (int64_t j = k; j < n; j++) M[i * n + j] = dd_sub(M[i * n + j], dd_mul(f, M[k * n + j]));
        }
    }
    for (int64_t k = s - 1; k >= 0; k--) {
        d[k] = M[k * n + s];
        for (int64_t j = k + 1; j < s; j++) d[k] = dd_sub(d[k], dd_mul(M[k * n + j], d[j]));
        d[k] = dd_div(d[k], M[k * n + k]);
    }
    return 1;
}

int lbr_rk_weights(const lbr_tableau *t, lbr_arena *arena, const lbr_dd **out)
{
    int64_t s = t->s, n = s + 1;
    lbr_dd *d = lbr_arena_alloc(arena, s, sizeof *d), *M = lbr_arena_alloc(arena, s * n, sizeof *M);

    *out = NULL;
    if (!d || !M) return -1;
    for (int64_t i = 0; i < s; i++) {
        for (int64_t j = 0; j < s; j++) M[i * n + j] = t->A[j * s + i];
        M[i * n + s] = t->b[i], d[i] = dd(i == s - 1);
    }
    if (ends_at_last(t) || eliminate(s, M, d)) *out = d;
    return 0;
}
