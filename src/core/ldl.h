/* ldl.h - sparse symmetric positive definite systems on a fixed pattern, by L D L^T.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The structure is made once, with an ordering that keeps the factor sparse; factorising and solving then allocate
 * nothing. A pattern that is a band as it comes stays one; any other is cut into blocks of columns that share their
 * rows
 * ("supernodes"), each stored densely. A chordal pattern, such as a tree, gets no entry that it did not have. */
#ifndef LBR_CORE_LDL_H
#define LBR_CORE_LDL_H
#include <libration.h>

#include "mem.h"

/* Columns with common rows: a dense array of `height` rows and `width` columns, by columns. The first `width` rows are
 * the block's own: L below the diagonal, 1/d on it, nothing of meaning above. */
typedef struct lbr_ldl_block {
    int64_t start, rows, update;
    int32_t width, height;
} lbr_ldl_block;
/* Rows from `first` on of a block change block `to`, where row b is row place[b - first]. */
typedef struct lbr_ldl_update {
    int64_t place;
    int32_t to, first, end;
} lbr_ldl_update;

typedef struct lbr_ldl {
    int64_t n, entries, size;   /* equations, entries of the pattern, doubles of a factorisation */
    int64_t stored;             /* entries of L with its diagonal */
    int64_t band;               /* the bandwidth if it is a band, in the caller's order; -1: blocks */
    int full, wide;             /* no gap in the band; the processor has vectors of four */
    double tiny;                /* pivots must exceed this part of their diagonal */
    const int64_t *row;         /* of the pattern: entry row[i+1]-1 is the diagonal of equation i */
    const int64_t *place;       /* where the entries of the pattern go */
    int64_t blocks, scratch;    /* number of blocks; where the scratch of a factorisation begins */
    const lbr_ldl_block *block; /* and one more, which says where rows and updates end */
    const lbr_ldl_update *update;
    const int32_t *index, *to; /* rows of blocks as equations of the caller; rows of updates in their block */
} lbr_ldl;

/* The pattern: lower triangle including the diagonal, by rows, 0-based, row[n+1], col ascending, the last of row i
 * being i itself; it is copied. Read-only afterwards, all in the arena. LBR_OK, LBR_ENOMEM. */
lbr_status lbr_ldl_make(lbr_ldl *ldl, int64_t n, const int64_t *row, const int64_t *col, lbr_arena *arena);
/* Doubles that a factorisation takes. */
int64_t lbr_ldl_size(const lbr_ldl *ldl);
/* S: values in the order of the pattern. -1, or the equation (of the caller) whose row depends on those eliminated
 * before it, as far as rounding lets one see (a pivot below 1e-13 of its diagonal, or n units of rounding if that is
 * more), or is not finite. */
int64_t lbr_ldl_factor(const lbr_ldl *ldl, const double *S, double *factor);
/* x becomes S^-1 x. */
void lbr_ldl_solve(const lbr_ldl *ldl, const double *factor, double *x);

/* For the making, and for tests: the same without looking for bands; the processor; who is eliminated when. */
lbr_status lbr_ldl_make_blocks(lbr_ldl *ldl, int64_t n, const int64_t *row, const int64_t *col, lbr_arena *arena);
int lbr_ldl_wide(void);
lbr_status lbr_ldl_order(int64_t n, const int64_t *row, const int64_t *col, int64_t *order);
#endif
