/* gradient.h - y' = B(y) grad H(y): the gradient of H, and B times a vector, of whatever a system gives.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_STEPPER_GRADIENT_H
#define LBR_STEPPER_GRADIENT_H
#include "core/bound_system.h"

/* Whether a system has both: a Poisson structure, or canonical variables with the derivatives of H. */
int lbr_gradient_known(const lbr_bound *b);
/* (H_q, H_p) of canonical variables, or what the Poisson structure says; dim numbers. 0, or what a callback says. */
int lbr_gradient_of_energy(const lbr_bound *b, lbr_stats *stats, double t, const double *y, double *g);
/* B(y) v: of canonical variables (v_p, -v_q). */
int lbr_gradient_turned(const lbr_bound *b, double t, const double *y, const double *v, double *out);
#endif
