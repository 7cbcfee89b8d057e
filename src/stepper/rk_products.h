/* rk_products.h - Newton's equations of implicit Runge-Kutta steps by products with the Jacobian, where no matrix can
 * be made. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_STEPPER_RK_PRODUCTS_H
#define LBR_STEPPER_RK_PRODUCTS_H
#include "rk_matrix.h"

/* The point of the Jacobian, and the field there where products are differences: numbers that it needs, in `point`. */
int64_t lbr_rk_products_point(const lbr_rk *rk);
/* Room for all that follows. */
int64_t lbr_rk_products_size(const lbr_rk *rk);

/* The Jacobian is that at (t, y) from now on. checked: for the first one of a trajectory, whether field_jvp is one. */
lbr_status lbr_rk_products_begin(lbr_work *work, const lbr_rk_run *run, double t, const double *y, double *point,
                                 int checked, double *room);
/* r <- (I - h A x J)^-1 r, well enough for an iteration: LBR_ENOCONV if it is not, LBR_ECALLBACK. */
lbr_status lbr_rk_products_solve(lbr_work *work, const lbr_rk_run *run, const double *point, double *r, double *room);
/* out += J x. Not 0: a call failed. */
int lbr_rk_products_add(lbr_work *work, const lbr_rk_run *run, const double *point, const double *x, double *out,
                        double *room);
#endif
