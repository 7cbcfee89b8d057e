/* known_conditions.c - whether a condition of measured numbers is known: it is not where it compares what is no number
 * and that would decide it. SPDX-License-Identifier: BSD-3-Clause */
#include "lower.h"

static lbr_ref both(lbr_dag *d, lbr_ref a, lbr_ref b) { return lbr_dag_op(d, LBR_OP_AND, a, b, 0); }
static lbr_ref either(lbr_dag *d, lbr_ref a, lbr_ref b) { return lbr_dag_op(d, LBR_OP_OR, a, b, 0); }
static lbr_ref no(lbr_dag *d, lbr_ref a) { return lbr_dag_op(d, LBR_OP_NOT, a, 0, 0); }
static lbr_ref at_most(lbr_dag *d, lbr_ref a, lbr_ref b) { return lbr_dag_op(d, LBR_OP_LE, a, b, 0); }

/* Of two conditions: if both are known, or one that decides alone, as it is `deciding`. */
static lbr_ref of_two(lbr_dag *d, lbr_dag_node n, int deciding)
{
    lbr_ref a = lbr_condition_known(d, n.a), b = lbr_condition_known(d, n.b), ready;

    ready = both(d, a, b);
    ready = either(d, ready, both(d, a, deciding ? n.a : no(d, n.a)));
    return either(d, ready, both(d, b, deciding ? n.b : no(d, n.b)));
}

lbr_ref lbr_condition_known(lbr_dag *d, lbr_ref condition)
{
    const lbr_dag_node n = d->node[condition];
    lbr_ref less;

    switch (n.op) {
    case LBR_OP_LT:
    case LBR_OP_LE:
    case LBR_OP_EQ: less = at_most(d, n.a, n.b); return either(d, less, at_most(d, n.b, n.a));
    case LBR_OP_NOT: return lbr_condition_known(d, n.a);
    case LBR_OP_AND: return of_two(d, n, 0);
    case LBR_OP_OR: return of_two(d, n, 1);
    default: return lbr_dag_const(d, 1);
    }
}
