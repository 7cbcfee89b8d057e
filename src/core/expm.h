/* expm.h - exact flows of linear fields with constant coefficients, y' = A y + b. SPDX-License-Identifier: BSD-3-Clause
 *
 * y(s) - y(0) = F y(0) + c with F = exp(sA) - 1 and c = (integral of exp(uA) b over u from 0 to s), by Taylor series,
 * scaling and squaring in double-double arithmetic: the result is that of the exact numbers, rounded, also where |sA|
 * is large. Variables that do not act on each other are separate blocks, so many small systems cost what they are
 * worth. */
#ifndef LBR_CORE_EXPM_H
#define LBR_CORE_EXPM_H
#include "text.h"

typedef struct lbr_linear_flow lbr_linear_flow;

/* An element of A, 0-based; several of one place add up. */
typedef struct lbr_triplet {
    int64_t row, column;
    double value;
} lbr_triplet;

/* Blocks of more than 128 variables are computed in plain double (errors about |sA| times round-off); of more than
 * 1024 they are refused (LBR_EUNFIT), because nobody would wait for them. */
enum { LBR_LINEAR_EXACT = 128, LBR_LINEAR_MOST = 1024 };

/* b: n numbers, or NULL for 0. All is copied. On failure *flow is NULL: LBR_EARG (an index, a value that is not
 * finite), LBR_EUNFIT, LBR_ENOMEM. */
lbr_status lbr_linear_flow_create(lbr_linear_flow **flow, int64_t n, int64_t count, const lbr_triplet *A,
                                  const double *b, lbr_message *message);
void lbr_linear_flow_free(lbr_linear_flow *flow);

/* dy = y(s) - y(0), n numbers; dy may not be y. What belongs to s is computed at the first call and kept for up to 1024
 * values of s (1 GiB in all). Any number of threads, no locks; the bits do not depend on who comes first. 0, or -1: no
 * memory, or not finite. */
int lbr_linear_flow_increment(lbr_linear_flow *flow, double s, const double *y, double *dy);
/* The same in place, y = y(s). */
int lbr_linear_flow_apply(lbr_linear_flow *flow, double s, double *y);
/* Computes what belongs to s now, so that the calls above allocate nothing for it. -1: no memory; what is not finite
 * they say themselves. */
int lbr_linear_flow_prepare(lbr_linear_flow *flow, double s);

/* For people: how many blocks, and the size of the largest. */
int64_t lbr_linear_flow_blocks(const lbr_linear_flow *flow, int64_t *largest);

/* F = exp(sA) - 1 and, where b is not NULL, c as above; dense n x n by rows. 0, or -1: no memory, or not finite. */
int lbr_expm(int64_t n, const double *A, const double *b, double s, double *F, double *c);
#endif
