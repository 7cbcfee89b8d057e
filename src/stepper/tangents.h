/* tangents.h - constraints of prolonged systems: g = 0 and G dq_i = 0. SPDX-License-Identifier: BSD-3-Clause
 *
 * With multipliers (lambda, lambda_i) the forces on (p, dp_i) are G^T lambda and G^T lambda_i + (sum of lambda_j g_j'')
 * dq_i, the rates of the equations G v and G dv_i + g''(dq_i, v). Where one point's G is kept, t, q and the dq_i are
 * kept behind it. */
#ifndef LBR_STEPPER_TANGENTS_H
#define LBR_STEPPER_TANGENTS_H
#include "multipliers.h"

lbr_status lbr_tangents_make(lbr_setup *set, lbr_multipliers *mu, const struct lbr_prolonged *of, lbr_message *message);
int lbr_tangents_G(const lbr_multipliers *mu, lbr_stats *stats, double t, const double *q, double *G);
/* NaN where a callback fails. */
void lbr_tangents_force(const lbr_multipliers *mu, const double *G, const double *lambda, double by, double *out);
void lbr_tangents_along(const lbr_multipliers *mu, const double *G, const double *v, double *out);
double lbr_tangents_scaled(const lbr_multipliers *mu, const double *G, const double *x, const double *r);
lbr_status lbr_tangents_factor(const lbr_multipliers *mu, lbr_point *point, lbr_stats *stats, double t, const double *y,
                               lbr_message *message);
#endif
