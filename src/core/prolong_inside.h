/* prolong_inside.h - what is inside a prolonged system. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_CORE_PROLONG_INSIDE_H
#define LBR_CORE_PROLONG_INSIDE_H
#include "libration/prolong.h"
#include "bound_system.h"
#include "mem.h"

typedef struct lbr_prolonged {
    lbr_system s;      /* first, so that one pointer is the other */
    lbr_bound base;    /* what it is of */
    int64_t k;         /* tangents */
    lbr_constraints c; /* g, and G dq_i; its G is never called */
    double *mass;
    lbr_arena names; /* of the tangents */
    lbr_message why;
} lbr_prolonged;

/* The inside, if the constraints are those of a prolonged system; or NULL. */
const lbr_prolonged *lbr_prolonged_of(const lbr_system *system);
/* g''(dq, v) at q, m numbers, and (sum of lambda_i g_i'') dq, nq numbers: with what the system has, or by differences.
 * Non-zero: a callback failed. */
int lbr_prolonged_curve(const lbr_prolonged *p, double t, const double *q, const double *dq, const double *v,
                        double *out);
int lbr_prolonged_bend(const lbr_prolonged *p, double t, const double *q, const double *lambda, const double *dq,
                       double *out);
#endif
