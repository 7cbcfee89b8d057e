/* prk.h - explicit steps of a pair of tableaux. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_STEPPER_PRK_H
#define LBR_STEPPER_PRK_H
#include "rk.h"

/* The order in which stages of a pair (A for q, A2 for p; s*s each) can be evaluated one after the other, each from
 * those before. halves = 0: nodes 0 .. s-1 are whole stages. halves = 1, for q' = f(p), p' = g(q): node i < s is f at
 * stage i, node s+i is g at stage i. `order` has room for twice as many. Their number, or 0: the stages are implicit.
 */
int64_t lbr_pair_order(int64_t s, const lbr_dd *A, const lbr_dd *A2, int halves, int64_t *order);

/* The same order where a pair is a splitting for H = T(p) + V(q): node i < s is a drift over b_i h, node s+i a kick
 * over b2_i h, and stages are what one has between them (HLW VI.4.7). 0: it is none. */
int64_t lbr_pair_flows(int64_t s, const lbr_dd *A, const lbr_dd *b, const lbr_dd *A2, const lbr_dd *b2, int64_t *order);

/* Fills is_explicit, halves, nodes and order of a pair. LBR_ENOMEM. */
lbr_status lbr_prk_order(lbr_rk *rk, lbr_setup *setup);
/* n steps from k of an explicit pair. */
lbr_status lbr_prk_steps(lbr_work *work, const lbr_rk_run *run, int64_t k, int64_t n);
#endif
