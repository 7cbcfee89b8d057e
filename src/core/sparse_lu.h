/* sparse_lu.h - sparse systems (I + z J) x = b on a fixed pattern, real and complex.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The structure is made once; factorising and solving then allocate nothing. Pivots are those of the diagonal, in an
 * order that keeps the factors sparse (ldl_order.c), as if J + J^T were factorised: L and U^T have one structure. So a
 * pivot may be too small, and then there is no factorisation; whoever needs one in any case has lu.h. */
#ifndef LBR_CORE_SPARSE_LU_H
#define LBR_CORE_SPARSE_LU_H
#include "mem.h"
#include "pattern.h"

/* An entry of row k of L, left of the diagonal: it is number `at` of all, and its column ends before `end`. */
typedef struct lbr_sparse_left {
    int64_t at, end;
} lbr_sparse_left;

typedef struct lbr_sparse_lu {
    int64_t n, entries;        /* equations; entries of the pattern */
    int64_t stored;            /* entries of L below its diagonal, and as many of U */
    double products;           /* multiplications of a factorisation */
    const int64_t *order;      /* who is eliminated k-th */
    const int64_t *start;      /* column k of L is start[k] .. start[k+1] - 1 of the entries, ascending */
    const int32_t *index;      /* their rows, by turns */
    const int64_t *left;       /* row k of L is left[k] .. left[k+1] - 1 of these: */
    const lbr_sparse_left *of; /* entries of earlier columns */
    const int64_t *place;      /* where the entries of the pattern go in a factorisation */
} lbr_sparse_lu;

/* The pattern of J, square; it is copied. Read-only afterwards, all in the arena. LBR_OK, LBR_ENOMEM. most: the largest
 * number of `stored` that is wanted; with more there is no structure beyond that number. */
lbr_status lbr_sparse_lu_make(lbr_sparse_lu *lu, const lbr_pattern *pattern, int64_t most, lbr_arena *arena);
/* Doubles that a factorisation takes; complex: 0 or 1. */
int64_t lbr_sparse_lu_size(const lbr_sparse_lu *lu, int is_complex);

/* J: values in the order of the pattern. -1, or the equation whose pivot is not finite, below 1e-13 of what it was
 * worked out from, or below 1e-8 of its row or column. */
int64_t lbr_sparse_lu_factor(const lbr_sparse_lu *lu, const double *J, double z, double *factor);
/* x becomes (I + z J)^-1 x. */
void lbr_sparse_lu_solve(const lbr_sparse_lu *lu, double *factor, double *x);

/* The same with complex numbers (sparse_lu_complex.c): z and each of x are two doubles. */
int64_t lbr_sparse_lu_complex_factor(const lbr_sparse_lu *lu, const double *J, const double z[2], double *factor);
void lbr_sparse_lu_complex_solve(const lbr_sparse_lu *lu, double *factor, double *x);

/* What a pivot must exceed: of what it was worked out from, of the largest number in its row and column. */
#define LBR_SPARSE_LOST 1e-13
#define LBR_SPARSE_TINY 1e-8
#endif
