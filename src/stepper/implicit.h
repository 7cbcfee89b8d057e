/* implicit.h - what one-step maps share that solve equations. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_STEPPER_IMPLICIT_H
#define LBR_STEPPER_IMPLICIT_H
#include "stepper.h"
#include "core/largest.h"
#include "solve/solve.h"

/* Solves for x, from what is foretold (foretold.h: atoms set foretold = q->n, series = 1), or else from `from`, which
 * is NULL for zeros and is not x. What became of it is said, for unknowns that begin at component `first` of y. `what`
 * may report a failure. */
lbr_status lbr_work_solve(lbr_work *work, lbr_equation *q, const double *from, double *x, double *scratch,
                          int64_t first, const char *what);
/* The same, nothing said: LBR_ENOCONV, LBR_ECALLBACK. */
lbr_status lbr_work_solve_quietly(lbr_work *work, lbr_equation *q, const double *from, double *x, double *scratch);
#endif
