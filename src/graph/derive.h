/* derive.h - exact derivatives of nodes, as new nodes and arrays of the same graph.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_GRAPH_DERIVE_H
#define LBR_GRAPH_DERIVE_H
#include "dag.h"

/* Reverse mode: the gradient of f (a node of the top) with respect to an input array: a made array of its size. In its
 * loops the body is evaluated again; what an index points to is scattered. -1: out of memory or nodes. */
int lbr_gradient(lbr_dag *dag, lbr_ref f, int input);

/* The same for f in a loop: the partial derivatives of one iteration, as entries (in loops inside that one; `add`
 * always 1) that the caller puts where it likes. *entry is in the arena. The number of entries, or -1. */
int lbr_partials(lbr_dag *dag, lbr_ref f, int loop, int input, lbr_entry **entry);

/* Forward mode: the derivative of a node (in any loop) in the direction of array v: sum of df/dx_i v_i. */
lbr_ref lbr_directional(lbr_dag *dag, lbr_ref f, int input, int v);
/* The same for all elements of a made, solved or input array; the array of derivatives. 0 derivative: -2. Out of
 * memory: -1. */
int lbr_directional_array(lbr_dag *dag, int array, int input, int v);

/* With respect to time, t being the only variable. */
lbr_ref lbr_time_derivative(lbr_dag *dag, lbr_ref f);
#endif
