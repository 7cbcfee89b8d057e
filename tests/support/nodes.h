/* nodes.h - one graph and short names for making nodes; for the tests of the graph.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef NODES_H
#define NODES_H
#include "tap.h"

#include <string.h>

#include "graph.h"

enum { SIZE = 8 };

static lbr_arena arena;
static lbr_dag dag, *const d = &dag;
static int in, other, data;
static const double numbers[SIZE] = { 1, 2, 4, 8, -1, 0.5, 3, 0 };

__attribute__((unused)) static void begin(void)
{
    lbr_dag_init(d, &arena);
    in = lbr_dag_input(d, SIZE), other = lbr_dag_input(d, SIZE), data = lbr_dag_data(d, numbers, SIZE);
}

__attribute__((unused)) static void end(void) { lbr_dag_free(d), lbr_arena_free(&arena); }

__attribute__((unused)) static lbr_ref con(double x) { return lbr_dag_const(d, x); }
__attribute__((unused)) static lbr_ref var(int i) { return lbr_dag_load(d, in, con(i)); }
__attribute__((unused)) static lbr_ref op(lbr_op o, lbr_ref a, lbr_ref b, lbr_ref c)
{
    return lbr_dag_op(d, o, a, b, c);
}
/* The node or the loop that has just been made: the lists may have moved meanwhile. */
__attribute__((unused)) static lbr_dag_node node_at(lbr_ref a) { return d->node[a]; }
__attribute__((unused)) static lbr_loop loop_at(int l) { return d->loop[l]; }
#define OP(name, a)        op(LBR_OP_##name, a, 0, 0)
#define OP2(name, a, b)    op(LBR_OP_##name, a, b, 0)
#define OP3(name, a, b, c) op(LBR_OP_##name, a, b, c)
#define SAME(a, b)         ok((a) == (b), "%s is %s", #a, #b)
#define DIFFER(a, b)       ok((a) != (b), "%s is not %s", #a, #b)
#endif
