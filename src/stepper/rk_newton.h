/* rk_newton.h - Newton's iteration inside: its room, and what it measures. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_STEPPER_RK_NEWTON_H
#define LBR_STEPPER_RK_NEWTON_H
#include "rk_matrix.h"

/* own of lbr_rk: Z (sn), R (sn), in which systems are solved here, first iterates (2 sn), x (n); then what is here. */
typedef struct lbr_newton_room {
    const double *first; /* where iterations begin; NULL: at y itself */
    double *Z, *R, *x, *f, *place, *r, *more, *J, *M;
    int64_t *pivot;
} lbr_newton_room;

/* sum_j c_j F_j for component l, low parts first: of y, where there is one, and of the coefficients. */
double lbr_newton_sum(const lbr_rk_run *q, const double *c, int64_t l);
/* r = h A F(y + Z) - Z. Not 0: a call failed. */
int lbr_newton_residual(lbr_work *w, const lbr_rk_run *q, lbr_newton_room m, double t);
/* The component in which dZ is largest. */
int64_t lbr_newton_worst(const lbr_rk *rk, const double *dZ);
/* The largest increment relative to y and Z of its own component, which may be small beside all others. */
double lbr_newton_each_change(const lbr_rk_run *q, lbr_newton_room m);
/* Z += dZ; the size of dZ relative to y and Z, per block, which are at least so large. */
double lbr_newton_update(const lbr_rk_run *q, lbr_newton_room m, const double *least);
/* Whether the increments r are small against Z alone, whatever y is. */
int lbr_newton_is_near(const lbr_rk_run *q, lbr_newton_room m);
/* After a step: whether its first iterate was so far from the solution that its increments were not small. */
int lbr_newton_was_far(const lbr_rk_run *q, lbr_newton_room m);
/* How large a block would have to be for what rounding does to it here to be noise. Not 0: a call failed. */
int lbr_newton_rounding(lbr_work *w, const lbr_rk_run *q, lbr_newton_room m, double t, double *least);
/* Whether what rounding does is here what it was where it was asked for last, or more. -1: a call failed. */
int lbr_newton_as_large(lbr_work *w, const lbr_rk_run *q, lbr_newton_room m, double t, double *least);
/* How large r is against y and Z, per block. */
double lbr_newton_off(const lbr_rk_run *q, lbr_newton_room m, const double *least);
/* Whether h J is so large that rates have lost digits which increments of stages have. */
int lbr_newton_is_stiff(const lbr_work *w, const lbr_rk_run *q, lbr_newton_room m);
/* Whether the equations are solved as far as r tells, which is `far` from 0, relative to the unknowns. */
int lbr_newton_is_solved(lbr_work *w, const lbr_rk_run *q, lbr_newton_room m, double t, double far);
#endif
