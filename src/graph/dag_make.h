/* dag_make.h - what the files that build the graph share. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_GRAPH_DAG_MAKE_H
#define LBR_GRAPH_DAG_MAKE_H
#include "dag.h"

/* The node with this op, a, b, c, k and value: the one that is there, or a new one whose scope and deps follow. No
 * simplification. */
lbr_ref lbr_dag_intern(lbr_dag *dag, lbr_dag_node key);

/* Keeps the first failure. */
void lbr_dag_fail(lbr_dag *dag, lbr_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));
void lbr_dag_no_memory(lbr_dag *dag);

/* Room for n elements of `size` bytes in *array, which has room for *most: at least doubled if it is too small. 0 if
 * there is none. */
int lbr_dag_room(lbr_dag *dag, void **array, int32_t *most, int64_t n, size_t size);

/* Of two loops that contain each other the inner one; anything else is a mistake of the caller. */
int lbr_dag_inner(lbr_dag *dag, int s, int t);

/* Is it SELECT(c, v, 0): 1; SELECT(c, 0, v): 2; neither: 0. */
int lbr_dag_guard(const lbr_dag *dag, lbr_ref a);

/* For tables of nodes and loops with open addressing. */
static inline uint64_t lbr_dag_mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15); /* small integers differ in their highest bits only ... */
    hash = (hash ^ hash >> 32) * UINT64_C(0xd6e8feb86659fd93); /* ... which must reach the lowest */
    return hash ^ hash >> 32;
}
#endif
