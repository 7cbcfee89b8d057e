/* implicit.h - what one-step maps share that solve equations. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_STEPPER_IMPLICIT_H
#define LBR_STEPPER_IMPLICIT_H
#include "stepper.h"
#include "solve/solve.h"

/* The largest modulus. */
static inline double lbr_largest(int64_t n, const double *x)
{
    double m = 0;

    for (int64_t i = 0; i < n; i++) m = fmax(m, fabs(x[i]));
    return m;
}

/* Solves; what became of it is said, for unknowns that begin at component `first` of y. `what` may report a failure. */
lbr_status lbr_work_solve(lbr_work *work, lbr_equation *q, double *x, double *scratch, int64_t first, const char *what);
#endif
