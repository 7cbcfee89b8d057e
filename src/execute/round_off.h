/* round_off.h - the truth about the rounding of a run: the same run in extended precision.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_EXECUTE_ROUND_OFF_H
#define LBR_EXECUTE_ROUND_OFF_H
#include "execute.h"
#include "runs/experiment.h"

/* The states of a run that is done at its samples, if its steps are taken in extended precision: nsamples x dim
 * numbers, by rows, and their low parts. Kept with the experiment: runs that differ only in compensation are compared
 * with the same numbers. LBR_OK, LBR_ENOMEM, LBR_STOPPED, or LBR_EARG and why there is no such run: no compiler, a
 * method that is not made for it, a failure. */
lbr_status lbr_extended_samples(lbr_experiment *x, lbr_trial *run, const double **y, const double **low,
                                lbr_message *message);

/* |y - (a + b)|, the Euclidean norm, where a + b is close to y. */
double lbr_distance_from_pair(int64_t n, const double *y, const double *a, const double *b);
#endif
