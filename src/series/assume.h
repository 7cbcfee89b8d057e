/* assume.h - what simplifying assumptions have in common: residuals, and up to where one holds.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_SERIES_ASSUME_H
#define LBR_SERIES_ASSUME_H
#include "order.h"

/* bbar: of a Nystrom method. */
typedef struct lbr_assumed {
    int s;
    const lbr_dd *A, *bbar, *b, *c;
} lbr_assumed;

/* The residual of an assumption at k. */
typedef double lbr_assumption(const lbr_assumed *m, int k);

/* sum b_i c_i^(k-1) = 1/k, times k. */
double lbr_assume_quadrature(const lbr_assumed *m, int k);
/* The largest k, not above `most`, up to which an assumption holds; the largest residual of those that do goes into
 * *worst. */
int lbr_assume_reach(const lbr_assumed *m, lbr_assumption *holds, int most, double tol, double *worst);

static inline double lbr_dd_size(lbr_dd a) { return fabs(dd_double(a)); }
/* fmax would hide a NaN. */
static inline double lbr_larger(double a, double b) { return isnan(a) || a >= b ? a : b; }
static inline int lbr_least(int a, int b) { return a < b ? a : b; }
#endif
