/* dag_walk.h - the part of a graph that some nodes rest on, in order; copies of it with something replaced.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_GRAPH_DAG_WALK_H
#define LBR_GRAPH_DAG_WALK_H
#include "dag.h"

/* What is of interest: nodes and arrays that depend on one of these bits (0: all), nodes inside this loop (0: all),
 * nodes without what their arrays are made of. What the others rest on is not reached. */
typedef struct lbr_interest {
    uint32_t deps;
    int loop, shallow;
} lbr_interest;

/* Nodes by their numbers, so that operands come before results. A LOAD is followed into its array: the values, indices
 * and bounds of its entries are older than the LOAD. */
typedef struct lbr_reach {
    lbr_interest interest;
    lbr_ref *node;
    int32_t n, most;
    int32_t *array;
    int32_t narrays, most_arrays; /* by age: an array comes after those it is made from */
    int32_t *place;
    int32_t known; /* of nodes < known: 1 + their place in `node`, or 0 */
    int32_t *array_place;
    int32_t known_arrays;
} lbr_reach;

/* Adds what these nodes, or an array, rest on; then sorts. */
lbr_status lbr_reach_nodes(lbr_reach *reach, lbr_dag *dag, lbr_interest interest, const lbr_ref *root, int n);
lbr_status lbr_reach_array(lbr_reach *reach, lbr_dag *dag, lbr_interest interest, int array);
void lbr_reach_free(lbr_reach *reach);

/* The place of a node or an array among those reached, or -1. */
static inline int32_t lbr_reach_place(const lbr_reach *r, lbr_ref a) { return a < r->known ? r->place[a] - 1 : -1; }
static inline int32_t lbr_reach_array_place(const lbr_reach *r, int a)
{
    return a >= 0 && a < r->known_arrays ? r->array_place[a] - 1 : -1;
}

/* Copies of n nodes of loop `from` that stand in loop `to` instead: its index and the loops inside follow. In place. Of
 * *inner, `from` or a loop inside it, the copy. */
lbr_status lbr_dag_move(lbr_dag *dag, lbr_ref *node, int n, int from, int to, int *inner);

/* A copy of a node of `loop` (of its parents, too) whose sums all stand inside that loop, except those that depend on
 * none of `deps`; what is loaded is what `load` makes of it. In place. */
typedef lbr_ref (*lbr_load_fn)(lbr_dag *dag, void *ctx, int array, lbr_ref index);
lbr_status lbr_dag_under(lbr_dag *dag, lbr_ref *node, int loop, uint32_t deps, lbr_load_fn load, void *ctx);
#endif
