/* round_off.h - the truth about the rounding of a run: the same run in extended precision.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_EXECUTE_ROUND_OFF_H
#define LBR_EXECUTE_ROUND_OFF_H
#include "execute.h"
#include "runs/experiment.h"

/* How far the state of a run that is done is from that of the same steps in extended precision (Euclidean norm), at
 * each of its samples, whose states are at y, one every `stride` numbers. Kept with the experiment: runs that differ
 * only in compensation are compared with the same numbers. LBR_OK, LBR_ENOMEM, LBR_STOPPED, or LBR_EARG and why there
 * is no such run: no compiler, a method that is not made for it, a failure. */
lbr_status lbr_round_off(lbr_experiment *x, lbr_trial *run, const double *y, int64_t stride, double *distance,
                         lbr_message *message);
#endif
