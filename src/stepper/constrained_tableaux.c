/* constrained_tableaux.c - which pairs of tableaux keep constraints, and where their multipliers act.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 *     P_i = p - h sum_j ahat_ij H_q(P_j, Q_j) - h sum_k AL_ik G(Q_k)^T L_k
 *     Q_i = q + h sum_j a_ij H_p(P_j, Q_j),                  g(Q_i) = 0, i = 2..s
 *     p1  = p - h sum_j b_j H_q(P_j, Q_j) - h sum_k bL_k G(Q_k)^T L_k - h G(q1)^T M,         G(q1) H_p(p1, q1) = 0
 *
 * with a_1j = 0 and a_sj = b_j, so that Q_1 = q and Q_s = q1 (Hairer 2003, (2.6)-(2.10)). Jay's pairs have ahat_is = 0:
 * multipliers act at stages 1..s-1 with AL = ahat. Where b_1 = 0 nothing of stage 1 acts; then its multiplier acts with
 * weight 1 everywhere, which is the adjoint of what Hairer's Example 2.3 does where b_s = 0. A pair whose first column
 * is zero and whose last one is not has its multipliers at stages 2..s: implicit Euler, which shows what symplecticity
 * is good for (HLW VII.1, after (1.22)). */
#include "constrained_pair.h"
#include "core/lu.h"

#include <math.h>
#include <string.h>

static int is(lbr_dd a, double b) { return fabs(a.hi - b) < 1e-13; }
static int same(lbr_dd a, lbr_dd b) { return fabs(dd_sub(a, b).hi) < 1e-13; }

/* What the conditions (2.10) say of a pair that lacks one. */
static lbr_status lacks(lbr_message *m, const char *what) { return lbr_fail(m, LBR_EUNFIT, "%s", what); }

static const char *missing(const lbr_tableau *q, const lbr_tableau *v)
{
    int64_t s = q->s;

    if (s < 2) return "it needs at least two stages";
    for (int64_t j = 0; j < s; j++) {
        if (!is(q->A[j], 0))
            return "its first stage must be the beginning of the step (a_1j = 0 in the positions' tableau)";
        if (!same(q->A[(s - 1) * s + j], q->b[j]))
            return "its last stage must be the end of the step (a_sj = b_j in the positions' tableau)";
        if (!same(q->b[j], v->b[j])) return "both tableaux must have the same weights b";
    }
    return NULL;
}

static int zero_column(const lbr_tableau *v, int64_t j)
{
    for (int64_t i = 0; i < v->s; i++)
        if (!is(v->A[i * v->s + j], 0)) return 0;
    return 1;
}

/* (A AL) inverted, column by column; 0: it has no inverse. */
static int invert(lbr_constrained_tableaux *y, const lbr_tableau *q, lbr_arena *arena)
{
    int64_t n = y->n, s = y->s, *pivot = lbr_arena_alloc(arena, n, sizeof *pivot);
    double *C = lbr_arena_alloc(arena, n * n, sizeof *C), *x = lbr_arena_alloc(arena, n, sizeof *x);

    if (!pivot || !C || !x) return -1;
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < n; k++)
            for (int64_t j = 0; j < s; j++) C[i * n + k] += q->A[(i + 1) * s + j].hi * y->AL[j * n + k].hi;
    if (lbr_lu_factor(n, C, pivot)) return 0;
    for (int64_t k = 0; k < n; k++) {
        memset(x, 0, (size_t)n * sizeof *x), x[k] = 1;
        lbr_lu_solve(n, C, pivot, x);
        for (int64_t i = 0; i < n; i++)
            if (!(fabs(y->inverse[i * n + k] = x[i]) < 1e12)) return 0;
    }
    return 1;
}

lbr_status lbr_constrained_tableaux_make(lbr_constrained_tableaux *y, const lbr_tableau *q, const lbr_tableau *v,
                                         lbr_arena *arena, lbr_message *m)
{
    int64_t s = q->s, n = s - 1, from = 0;
    const char *why = missing(q, v);
    int free_end, done;

    if (why) return lacks(m, why);
    free_end = zero_column(v, s - 1);
    if (!free_end && zero_column(v, 0)) from = 1;
    else if (!free_end)
        return lacks(m, "the last stage must not act on the others (a_is = 0 in the momenta's tableau)");
    *y = (lbr_constrained_tableaux){ s,
                                     n,
                                     lbr_arena_alloc(arena, n, sizeof *y->stage),
                                     lbr_arena_alloc(arena, s * n, sizeof *y->AL),
                                     lbr_arena_alloc(arena, n, sizeof *y->bL),
                                     lbr_arena_alloc(arena, n * n, sizeof *y->inverse) };
    if (!y->stage || !y->AL || !y->bL || !y->inverse)
        return lbr_fail(m, LBR_ENOMEM, "out of memory for the constraints");
    for (int64_t k = 0; k < n; k++) {
        int alone = from == 0 && k == 0 && is(v->b[0], 0) && zero_column(v, 0);

        y->stage[k] = k + from, y->bL[k] = alone ? dd(1) : v->b[k + from];
        for (int64_t i = 0; i < s; i++) y->AL[i * n + k] = alone ? dd(1) : v->A[i * s + k + from];
    }
    done = invert(y, q, arena);
    return done > 0   ? LBR_OK
           : done < 0 ? lbr_fail(m, LBR_ENOMEM, "out of memory for the constraints")
                      : lacks(m, "the product of its two tableaux, by which multipliers are found, has no inverse");
}
