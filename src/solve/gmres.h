/* gmres.h - linear systems A x = b of which only products with A are known. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_SOLVE_GMRES_H
#define LBR_SOLVE_GMRES_H
#include <stdint.h>

typedef struct lbr_gmres {
    int64_t n;
    int (*product)(void *ctx, const double *x, double *out); /* out = A x; non-zero: failed */
    void *ctx;
    double tolerance; /* |b - A x| against |b|, in the Euclidean norm: all components should be of one size */
    int64_t most;     /* products */
    int64_t products; /* out: so many there were */
    double left;      /* out: what is left of |b| */
} lbr_gmres;

typedef enum { LBR_GMRES_SOLVED, LBR_GMRES_UNSOLVED, LBR_GMRES_FAILED } lbr_gmres_outcome;

/* x is b, and then the solution; or the best that was found, if the tolerance is not reached. `work` has
 * lbr_gmres_size doubles. */
lbr_gmres_outcome lbr_gmres_solve(lbr_gmres *g, double *x, double *work);
int64_t lbr_gmres_size(int64_t n);
#endif
