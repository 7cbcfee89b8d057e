/* instances.h - the templates (*.inc) instantiated: for fixed n and run-time n, per instruction set.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_STEPPER_INSTANCES_H
#define LBR_STEPPER_INSTANCES_H
#include "stepper.h"

typedef int (*lbr_driftkick_fn)(const lbr_driftkick_args *, int64_t k0, int64_t n, double *q, double *p, double *f,
                                double *eq, double *ep);
typedef int (*lbr_erk_fn)(const lbr_erk_args *, int64_t k0, int64_t n, double *y, double *e);
typedef int64_t (*lbr_irk_fn)(lbr_irk_args *, int64_t k0, int64_t n, double *y, double *e, double *F);

typedef int (*lbr_nystrom_fn)(const lbr_nystrom_args *, int64_t k0, int64_t n, double *y, double *e);
typedef int64_t (*lbr_inystrom_fn)(lbr_inystrom_args *, int64_t k0, int64_t n, double *y, double *e, double *F);

/* For one width: [compensated], for drift-kick [how T'(p) is had][compensated], for implicit Runge-Kutta [a
 * pair][compensated], for Nystrom [what DRIFT says][compensated]; those that call the force have 2 width components. */
typedef struct lbr_instance {
    int64_t width;
    lbr_driftkick_fn driftkick[3][2];
    lbr_erk_fn erk[2];
    lbr_irk_fn irk[2][2];
    lbr_erk_fn erk_forced[3][2];
    lbr_nystrom_fn nystrom[3][2];
    lbr_inystrom_fn inystrom[3][2];
} lbr_instance;

/* Of irk2.inc, for one width and one number of stages, none of them explicit; 0: for any. [what DRIFT
 * says][compensated]. The last is for all. */
typedef struct lbr_positions {
    int64_t width, stages;
    lbr_irk_fn irk2[2][2];
} lbr_positions;
extern const lbr_positions lbr_positions_baseline[], lbr_positions_v3[], lbr_positions_v4[];

/* The last one, of width 0, is for any n. */
extern const lbr_instance lbr_instances_baseline[], lbr_instances_v3[], lbr_instances_v4[];

/* The instance for n under the setup's instruction set; says in setup->instance which one. NULL: out of memory. */
const lbr_instance *lbr_instance_choose(lbr_setup *setup, int64_t n);
/* The same for nq positions; stages 0: some of them are explicit. */
const lbr_positions *lbr_positions_choose(lbr_setup *setup, int64_t nq, int64_t stages);
#endif
