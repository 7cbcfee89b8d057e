/* observe.h - looking at a trajectory. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LIBRATION_OBSERVE_H
#define LIBRATION_OBSERVE_H
#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What an observer sees; valid during the call. What costs something is computed when asked. */
typedef struct lbr_view {
    size_t size;
    int64_t n;
    double t, h; /* step count since the start, time, step */
    const double *y;
    int64_t dim;
    const void *inside;
} lbr_view;

/* Non-zero stops the run with LBR_STOPPED. */
typedef int (*lbr_observer)(const lbr_view *view, void *ctx);

/* The energy; LBR_EUNFIT if the system has none. */
LBR_API lbr_status lbr_view_energy(const lbr_view *view, double *H);
/* Invariant i of the system, all its components. */
LBR_API lbr_status lbr_view_invariant(const lbr_view *view, int64_t i, double *value);
/* Of constraints g(q) = 0: the multipliers lambda(q, p) of HLW (VII.1.11), one number each; the force -G^T lambda, one
 * number per position; LBR_EUNFIT if the system has none. */
LBR_API lbr_status lbr_view_multipliers(const lbr_view *view, double *lambda);
LBR_API lbr_status lbr_view_constraint_force(const lbr_view *view, double *force);
/* The largest residuals of g(q) = 0 and of G H_p = 0; scaled: in units of the rounding of their own evaluation, eps |G|
 * |q| and eps |G| |v|. */
typedef struct lbr_residuals {
    size_t size; /* fill it in: as many members are given as it has room for */
    double position, velocity, position_scaled, velocity_scaled;
} lbr_residuals;
LBR_API lbr_status lbr_view_residuals(const lbr_view *view, lbr_residuals *residuals);
/* y at t + theta h for -1 <= theta <= 0, within the last step: that of lbr_state_dense (plan.h). LBR_EARG: the view was
 * made by lbr_state_view, and so has no last step. */
LBR_API lbr_status lbr_view_dense(const lbr_view *view, double theta, double *y);

/* Counts of a trajectory since its start, kept through restarts: calls made by stepping. */
typedef struct lbr_stats {
    int64_t force, field, gradient, jacobian, constraint, flow, map;
    int64_t iterations, worst; /* of nonlinear solvers: all, and the most in one solve */
} lbr_stats;

/* Where a run failed; the sentence is lbr_state_message. */
typedef struct lbr_failure {
    size_t size;
    int64_t step;
    double t;          /* the step that failed, counted from 1, and the time at which it began */
    int64_t component; /* of y, or -1 where none can be named */
    int64_t watched;   /* of what is watched, in the order of `first`, or -1; t is then where the step ended */
} lbr_failure;

#ifdef __cplusplus
}
#endif
#endif
