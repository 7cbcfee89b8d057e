/* damped.h - F(x) = 0 by Newton's method with steps that are halved until they help.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_SOLVE_DAMPED_H
#define LBR_SOLVE_DAMPED_H
#include <stdint.h>

typedef struct lbr_damped {
    int64_t n, most; /* unknowns; iterations */
    /* F, and how large it is, all things being relative: *size. Non-zero: it cannot be had here. */
    int (*F)(void *ctx, const double *x, double *F, double *size);
    void *ctx;
    const double *scale; /* n: how large a change of each unknown is one of size 1 */
    int64_t iterations;
    double size; /* out: how many, and what is left of F */
} lbr_damped;

/* From x until F no longer becomes smaller: x is then the best that was found, and F there has been asked for last.
 * `work` has lbr_damped_size doubles. 1: F is not to be had at x. */
int lbr_damped_newton(lbr_damped *q, double *x, double *work);
int64_t lbr_damped_size(int64_t n);
#endif
