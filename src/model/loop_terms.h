/* loop_terms.h - the terms of a sum that is a loop, one after the other. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_MODEL_LOOP_TERMS_H
#define LBR_MODEL_LOOP_TERMS_H
#include "graph/dag_walk.h"

typedef struct lbr_loop_terms {
    lbr_dag *dag;
    int loop;
    lbr_ref body;
    int64_t lo, hi;
    lbr_reach reach; /* what of the body is another one in each iteration */
    lbr_ref *image;  /* of each node reached, in the iteration at hand */
    int32_t *inside; /* 1 + the image of each loop; 0: not known yet */
    int nloops;
} lbr_loop_terms;

/* Of a SUM that stands in no loop. 1; 0: its bounds are no constants, or there is no memory. Free it in any case. */
int lbr_loop_terms_open(lbr_loop_terms *t, lbr_dag *dag, lbr_ref sum);
/* The term of index i, in no loop; sums in it are sums with other bounds. */
lbr_ref lbr_loop_term(lbr_loop_terms *t, int64_t i);
void lbr_loop_terms_free(lbr_loop_terms *t);
/* At most so many terms has a node, with all sums inside sums: a bound from the ranges of loops. */
double lbr_loop_terms_most(const lbr_dag *dag, lbr_ref sum);
#endif
