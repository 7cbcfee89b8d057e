/* reduce.c - Runge-Kutta tableaux freed of stages that are the same. SPDX-License-Identifier: BSD-3-Clause */
#include "analyse.h"

static lbr_tableau *new_tableau(int64_t s, lbr_arena *arena, lbr_dd **A, lbr_dd **b)
{
    lbr_tableau *t = lbr_arena_alloc(arena, 1, sizeof *t);

    *A = lbr_arena_alloc(arena, s * s, sizeof **A);
    *b = lbr_arena_alloc(arena, s, sizeof **b);
    if (!t || !*A || !*b) return NULL;
    *t = (lbr_tableau){ .s = s, .A = *A, .b = *b };
    return t;
}

/* The sum of row i over the columns of one class. */
static lbr_dd row_sum(const lbr_tableau *t, const int64_t *class, int64_t which, int64_t i)
{
    lbr_dd sum = dd(0);

    for (int64_t k = 0; k < t->s; k++)
        if (class[k] == which) sum = dd_add(sum, t->A[i * t->s + k]);
    return sum;
}

static int same_rows(const lbr_tableau *t, const int64_t *class, int64_t classes, int64_t i, int64_t j)
{
    for (int64_t k = 0; k < classes; k++)
        if (fabs(dd_double(dd_sub(row_sum(t, class, k, i), row_sum(t, class, k, j)))) > LBR_RESIDUAL) return 0;
    return 1;
}

/* Splits classes whose members have different rows in t or u; the new number of classes. */
static int64_t refine(const lbr_tableau *t, const lbr_tableau *u, const int64_t *class, int64_t classes, int64_t *next)
{
    int64_t n = 0;

    for (int64_t i = 0; i < t->s; i++) {
        int64_t j = 0;

        while (j < i && (class[i] != class[j] || !same_rows(t, class, classes, i, j) ||
                         (u && !same_rows(u, class, classes, i, j))))
            j++;
        next[i] = j < i ? next[j] : n++;
    }
    return n;
}

/* Stages of one class as one. */
static lbr_tableau *join(const lbr_tableau *t, const int64_t *class, int64_t n, lbr_arena *arena)
{
    lbr_dd *A, *b;
    lbr_tableau *out = new_tableau(n, arena, &A, &b);

    for (int64_t i = 0; out && i < t->s; i++) {
        b[class[i]] = dd_add(b[class[i]], t->b[i]);
        for (int64_t k = 0; k < n; k++) A[class[i] * n + k] = row_sum(t, class, k, i);
    }
    return out;
}

int lbr_pair_reduce(const lbr_tableau **t, const lbr_tableau **u, lbr_arena *arena)
{
    int64_t *class = lbr_arena_alloc(arena, (*t)->s, sizeof *class),
            *next = lbr_arena_alloc(arena, (*t)->s, sizeof *next), n = 1, m;

    if (!class || !next) return -1;
    while ((m = refine(*t, u ? *u : NULL, class, n, next)) != n) {
        int64_t *swap = class;
        class = next, next = swap, n = m;
    }
    *t = join(*t, next, n, arena);
    if (u) *u = join(*u, next, n, arena);
    return *t && (!u || *u) ? 0 : -1;
}

lbr_tableau *lbr_tableau_reduce(const lbr_tableau *t, lbr_arena *arena)
{
    return lbr_pair_reduce(&t, NULL, arena) ? NULL : (lbr_tableau *)t;
}
