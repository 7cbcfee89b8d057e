/* constrained_pair.h - pairs of tableaux that keep constraints. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_STEPPER_CONSTRAINED_PAIR_H
#define LBR_STEPPER_CONSTRAINED_PAIR_H
#include "multipliers.h"

/* What multipliers do in a pair (q: the tableau of the positions, v: of the momenta), which has s stages, the first at
 * the beginning and the last at the end of the step. There are s - 1 of them inside; number k acts at stage[k], on the
 * momenta of stage i with AL[i (s-1) + k], and on those of the end with bL[k]; one more closes the step. inverse: of (A
 * AL), stages 2..s by multipliers. */
typedef struct lbr_constrained_tableaux {
    int64_t s, n; /* n = s - 1 */
    int64_t *stage;
    lbr_dd *AL, *bL;
    double *inverse;
} lbr_constrained_tableaux;

/* The sentence about a pair that lbr_constrained_tableaux_make refuses. */
#define LBR_JAY_LACKS "the pair of tableaux cannot keep constraints: %s (Hairer 2003, (2.10))"

/* Fills it, or names the condition of Hairer 2003 (2.10) that the pair lacks. LBR_OK, LBR_EUNFIT, LBR_ENOMEM. */
lbr_status lbr_constrained_tableaux_make(lbr_constrained_tableaux *jay, const lbr_tableau *q, const lbr_tableau *v,
                                         lbr_arena *arena, lbr_message *message);
#endif
