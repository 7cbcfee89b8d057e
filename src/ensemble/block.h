/* block.h - many trajectories of one plan at once, in lanes. SPDX-License-Identifier: BSD-3-Clause
 *
 * States stand side by side, W of them in a block, and a kernel steps all lanes of a block together. Every trajectory
 * has the bits that it has alone, whatever W is, which lane it is in and how many others there are. */
#ifndef LBR_ENSEMBLE_BLOCK_H
#define LBR_ENSEMBLE_BLOCK_H
#include "plan/plan_inside.h"

typedef struct lbr_block_run lbr_block_run;

/* For `count` trajectories. LBR_EUNFIT: method or system have no kernel for lanes; LBR_ENOMEM. The plan outlives it. On
 * failure *run is NULL. */
lbr_status lbr_block_create(lbr_block_run **run, const lbr_plan *plan, int64_t count, lbr_message *message);
void lbr_block_free(lbr_block_run *run);

/* All start at t0 with step h; trajectory k from y[k*dim .. k*dim + dim - 1]. A start that is refused refuses all; the
 * message says which. */
lbr_status lbr_block_start(lbr_block_run *run, double t0, double h, const double *y, lbr_message *message);
/* n steps more. A trajectory that fails stays where it was last good, and the others go on. */
lbr_status lbr_block_steps(lbr_block_run *run, int64_t n, lbr_message *message);
/* Where trajectory k is; y may be NULL. Its status: LBR_OK, or why it stopped; *n: the steps that it has taken. */
lbr_status lbr_block_read(lbr_block_run *run, int64_t k, int64_t *n, double *y);

/* States side by side. */
int64_t lbr_block_width(const lbr_block_run *run);
#endif
