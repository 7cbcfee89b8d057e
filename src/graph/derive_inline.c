/* derive_inline.c - a node of a loop brought into a form in which all it depends on stands in that loop.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The derivative of one iteration has no room for sums and arrays that are made once, outside: their adjoints would
 * differ from iteration to iteration. So sums are copied into the loop, and a load from a made array becomes the sum of
 * those entries whose index is the one loaded. */
#include "dag_make.h"
#include "dag_walk.h"
#include "derive_rule.h"

typedef struct inlined {
    int loop;
    uint32_t deps;
} inlined;

/* An entry where its index is `index`, summed over its loops, which stand in loop s now. */
static lbr_ref entry_at(lbr_dag *dag, lbr_entry e, int s, lbr_ref index)
{
    lbr_ref node[2] = { e.index, e.value };
    int l = e.loop, top = l;
    lbr_ref value;

    while (dag->loop[top].parent) top = dag->loop[top].parent;
    if (l && lbr_dag_move(dag, node, 2, top, lbr_dag_loop(dag, s, dag->loop[top].lo, dag->loop[top].hi), &l)) return 0;
    value = node[0] == index
                ? node[1]
                : lbr_dag_op(dag, LBR_OP_SELECT, lbr_dag_op(dag, LBR_OP_EQ, node[0], index, 0), node[1], 0);
    if (!e.loop) return value;
    for (; l != s && !dag->status; l = dag->loop[l].parent) value = lbr_dag_reduce(dag, LBR_OP_SUM, l, value);
    return value;
}

static lbr_ref load(lbr_dag *dag, void *ctx, int array, lbr_ref index)
{
    const inlined *in = ctx;
    lbr_array a = dag->array[array];
    int s = lbr_dag_inner(dag, dag->node[index].scope, in->loop);
    lbr_ref sum = 0;

    if (!(a.deps & in->deps) || a.kind <= LBR_ARRAY_DATA) return lbr_dag_load(dag, array, index);
    if (a.kind != LBR_ARRAY_MADE)
        lbr_dag_fail(dag, LBR_EARG, "the derivative, inside a sum, of a linear system solved outside it");
    for (int i = 0; i < a.nentries && !dag->status; i++)
        sum = lbr_dag_add(dag, sum, entry_at(dag, a.entry[i], s, index));
    return sum;
}

lbr_status lbr_derive_inline(lbr_dag *dag, lbr_ref *f, int loop, uint32_t deps)
{
    inlined in = { loop, deps };
    lbr_ref before;

    do {
        before = *f;
        if (lbr_dag_under(dag, f, loop, deps, load, &in)) return dag->status;
    } while (*f != before);
    return LBR_OK;
}
