/* reference.h - a solution to compare with: Gauss with 8 stages (with constraints, Lobatto IIIA-IIIB with 6), at steps
 * that are halved until two of them agree. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_EXECUTE_REFERENCE_H
#define LBR_EXECUTE_REFERENCE_H
#include "execute.h"
#include "runs/experiment.h"

/* An error estimate beyond this is none: the value it belongs to is null. */
#define LBR_REFERENCE_GOOD 1e-11

/* Where a solution is wanted: after at[0] < at[1] < ... steps of h from t0, y0. Everything is borrowed during the call.
 */
typedef struct lbr_reference_task {
    const lbr_system *system;
    double t0, h;
    const double *y0;
    int64_t n;
    const int64_t *at;
    const volatile sig_atomic_t *interrupt; /* or NULL */
} lbr_reference_task;

typedef struct lbr_solution {
    double *y;              /* n x dim, by rows; NULL: there is none; lbr_mem_free */
    double error, absolute; /* of the last two solutions the largest difference, scaled by max(1, |y|) and as it is;
                               INFINITY: not known */
    lbr_message why;        /* why it is not better than LBR_REFERENCE_GOOD; "" if it is */
} lbr_solution;

/* LBR_OK also where no solution is found: `error` and `why` tell. LBR_STOPPED: interrupted; LBR_ENOMEM. */
lbr_status lbr_reference_solve(const lbr_reference_task *task, lbr_solution *solution);

/* The states at the samples of a run that is done and has kept them (nsamples x dim, by rows; NULL: there are none),
 * and an estimate of their error, scaled by max(1, |y|). Where that exceeds LBR_REFERENCE_GOOD the message says why.
 * Kept with the experiment: the same model, start and times are solved once. Statuses as above, and LBR_EARG for a run
 * without samples. */
lbr_status lbr_reference(lbr_experiment *x, lbr_trial *run, const double **sample, double *error_estimate,
                         lbr_message *message);
#endif
