/* rolled.h - many entries that differ in their numbers alone, as loops over tables of these.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_GRAPH_ROLLED_H
#define LBR_GRAPH_ROLLED_H
#include "dag.h"

/* Adds n entries to an array (all of them add, their order is ours). */
void lbr_dag_roll(lbr_dag *dag, int array, const lbr_entry *entry, int64_t n);
#endif
