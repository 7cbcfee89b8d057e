/* rk_matrix.h - what Newton's matrix of implicit Runge-Kutta steps is made of: a Jacobian on its pattern, and the
 * tableau by its Schur form. SPDX-License-Identifier: BSD-3-Clause
 *
 * With A = Q R Q^T, R a triangle with blocks of two where eigenvalues are a complex pair, the system with the matrix
 * I - h A x J falls into systems of n equations, one after the other from the last: I - h lambda J for a real
 * eigenvalue, the same with complex numbers for a pair (Hairer and Wanner, Solving Ordinary Differential Equations II,
 * IV.8, have a diagonal in place of R, which not every A has). */
#ifndef LBR_STEPPER_RK_MATRIX_H
#define LBR_STEPPER_RK_MATRIX_H
#include "rk.h"
#include "core/sparse_lu.h"

/* Rows of R: one, with a real eigenvalue; or two, with a pair. Of a pair (1, mix), or (mix, 1) if `second`, is a left
 * eigenvector. */
typedef struct lbr_rk_rows {
    int64_t row, count, factor; /* factor: where its factorisation begins; -1: the eigenvalue is zero */
    int made;                   /* it is factorised here; else its eigenvalue is one of those before */
    double value[2], mix[2];
    int second;
} lbr_rk_rows;

typedef struct lbr_rk_matrix {
    lbr_pattern J;                      /* row NULL: all entries, by rows */
    int64_t entries, colours;           /* of J; products with a vector that give all of it */
    const int64_t *start, *column;      /* with a pattern: the columns of each colour */
    const int64_t *first, *row, *entry; /* and by columns: rows, places among the values */
    int sparse;                         /* lu is used, not dense matrices */
    lbr_sparse_lu lu;
    int64_t nrows; /* 0: A is not taken apart; the matrix has s n rows */
    lbr_rk_rows *rows;
    double *Q, *R;
    int full;                 /* there is room for a matrix with s n rows */
    int by_products;          /* there is no matrix: systems are solved by products with J (rk_products.h) */
    int products_first;       /* ... as long as that gets there, and then there is one (lbr_rk_by_products) */
    int64_t factors;          /* doubles of what is factorised */
    double price;             /* of a new matrix, in calls of the field */
    const lbr_dd *weights[2]; /* of Z in the step, for each of the tableaux; NULL: there are none (rk_weights.c) */
} lbr_rk_matrix;

/* The weights of a tableau, or NULL: A is singular. -1: out of memory. */
int lbr_rk_weights(const lbr_tableau *tableau, lbr_arena *arena, const lbr_dd **weights);

/* Whether this trajectory has no matrix, or has none yet: WITH_MATRIX of head->newton is part of the state. */
enum { LBR_NEWTON_WITH_MATRIX = 2 };
static inline int lbr_rk_by_products(const lbr_work *w, const lbr_rk_run *q)
{
    const lbr_rk_matrix *m = q->rk->matrix;

    return m->by_products || (m->products_first && w->head->newton < LBR_NEWTON_WITH_MATRIX);
}

/* Sets rk->matrix and rk->newton. Says what Newton's method lacks where it was asked for. */
lbr_status lbr_rk_matrix_make(lbr_rk *rk, lbr_setup *setup, lbr_message *message);

/* The Jacobian at (t, y) into J; room: 3 n. For the first one of a trajectory: whether it is one, of this pattern. */
lbr_status lbr_rk_jacobian(lbr_work *work, const lbr_rk_run *run, double t, const double *y, double *J, double *room);
/* J NULL: of products alone. */
lbr_status lbr_rk_jacobian_check(lbr_work *work, const lbr_rk_run *run, double t, const double *y, const double *J,
                                 double *room);
int64_t lbr_rk_check_room(const lbr_rk *rk);
/* Whether products with the Jacobian are those of field_jvp, and not differences. */
int lbr_rk_jacobian_is_given(const lbr_work *work, const lbr_bound *bound);
/* The size of y in its blocks, positions and momenta, or all: 1 where it is 0. */
void lbr_rk_block_sizes(const lbr_bound *bound, const double *y, double size[2]);
/* out += J x. */
void lbr_rk_matrix_add(const lbr_rk_matrix *m, int64_t n, const double *J, const double *x, double *out);

/* Factorises I - h A x J, taken apart, and solves with it: r, s n numbers. room: s n, and 4 n. -1, or the component
 * that has no pivot. */
int64_t lbr_rk_apart_factor(const lbr_rk_run *run, const double *J, double *factors);
void lbr_rk_apart_solve(const lbr_rk_run *run, const double *J, double *factors, double *r, double *room, double *more);

static inline int64_t lbr_rk_entry(const lbr_rk_matrix *m, int64_t n, int64_t row)
{
    return m->J.row ? m->J.row[row] : row * n;
}
static inline int64_t lbr_rk_column(const lbr_rk_matrix *m, int64_t n, int64_t row, int64_t entry)
{
    return m->J.row ? m->J.col[entry] : entry - row * n;
}
#endif
