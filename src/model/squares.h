/* squares.h - sums of squares of differences of positions, as distances are. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_MODEL_SQUARES_H
#define LBR_MODEL_SQUARES_H
#include "model_inside.h"

enum { LBR_MOST_SQUARES = 3 * LBR_UNROLLED }; /* in a sum */

/* (q_a - q_b)^2 of components a < b, b -1: q_a^2; and a constant. */
typedef struct lbr_squares {
    int32_t a[LBR_MOST_SQUARES], b[LBR_MOST_SQUARES];
    int n;
    double shift;
} lbr_squares;

/* Whether a node is such a sum. Squares of positions come first, then by b - a. */
int lbr_squares_of(const lbr_model *m, lbr_ref x, lbr_squares *q);
#endif
