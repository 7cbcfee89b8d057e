/* dag_copy.c - copies of a part of the graph: other arrays, another loop, other loads.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What does not change is not copied: a node whose operands are the old ones is the old one. */
#include "dag_make.h"
#include "dag_walk.h"

typedef struct copy {
    lbr_dag *dag;
    lbr_reach reach;
    lbr_ref *node;         /* the copy of each node reached */
    int32_t *array, *loop; /* 1 + the copy of each array reached, of each loop; 0: not known yet */
    int under;             /* loops that neither contain this one nor stand in it go there */
    uint32_t deps;         /* reductions that depend on none of these stay (0: none does) */
    lbr_load_fn load;
    void *ctx;
} copy;

static lbr_ref node_of(const copy *c, lbr_ref a)
{
    int32_t place = lbr_reach_place(&c->reach, a);

    return place < 0 ? a : c->node[place];
}

/* As deep as loops are nested. */
static int loop_of(copy *c, int l)
{
    if (lbr_dag_within(c->dag, c->under, l)) return l;
    if (!c->loop[l]) {
        lbr_loop old = c->dag->loop[l];
        int parent = lbr_dag_within(c->dag, c->under, old.parent) ? c->under : loop_of(c, old.parent);
        lbr_ref lo = node_of(c, old.lo), hi = node_of(c, old.hi);

        c->loop[l] = 1 +
                     (parent == old.parent && lo == old.lo && hi == old.hi ? l : lbr_dag_loop(c->dag, parent, lo, hi));
    }
    return c->loop[l] - 1;
}

static int array_of(copy *c, int array);

static lbr_entry entry_of(copy *c, lbr_entry e)
{
    return (lbr_entry){ loop_of(c, e.loop), node_of(c, e.index), node_of(c, e.value), e.add };
}

static int made(copy *c, int array)
{
    lbr_array old = c->dag->array[array];
    int changed = 0, fresh;

    for (int i = 0; i < old.nentries && !changed; i++) {
        lbr_entry e = old.entry[i], f = entry_of(c, e);

        changed = e.loop != f.loop || e.index != f.index || e.value != f.value;
    }
    if (!changed) return array;
    fresh = lbr_dag_array(c->dag, old.size);
    for (int i = 0; i < old.nentries && !c->dag->status; i++) lbr_dag_entry(c->dag, fresh, entry_of(c, old.entry[i]));
    lbr_dag_close(c->dag, fresh);
    return fresh;
}

static int solved(copy *c, int array)
{
    lbr_array old = c->dag->array[array];
    int a = array_of(c, old.a), b = old.kind == LBR_ARRAY_SOLVE ? array_of(c, old.b) : old.b;

    if (a == old.a && b == old.b) return array;
    return old.kind == LBR_ARRAY_SOLVE ? lbr_dag_solve(c->dag, a, b, old.rows, old.cols, old.transposed)
           : old.kind == LBR_ARRAY_DET ? lbr_dag_det(c->dag, a, old.rows)
                                       : lbr_dag_eigen(c->dag, a, old.rows);
}

/* Called for an array when something loads from it: what it is made from has been copied then. */
static int array_of(copy *c, int array)
{
    int32_t place = lbr_reach_array_place(&c->reach, array);

    if (place < 0) return array;
    if (!c->array[place]) {
        lbr_array_kind kind = c->dag->array[array].kind;
        int to = kind == LBR_ARRAY_MADE ? made(c, array) : kind >= LBR_ARRAY_SOLVE ? solved(c, array) : array;

        c->array[place] = 1 + to;
    }
    return c->array[place] - 1;
}

static lbr_ref copied_load(copy *c, lbr_ref old, lbr_dag_node n)
{
    lbr_ref index = node_of(c, n.a);
    int array;

    if (c->load) return c->load(c->dag, c->ctx, n.k, index);
    array = array_of(c, n.k);
    return array == n.k && index == n.a ? old : lbr_dag_load(c->dag, array, index);
}

/* A sum over the loop where all is brought to, or over one around it: it gets a loop of its own there. */
static lbr_ref renamed(copy *c, lbr_dag_node n)
{
    lbr_loop l = c->dag->loop[n.k];
    int inner = lbr_dag_loop(c->dag, c->under, l.lo, l.hi);

    return lbr_dag_move(c->dag, &n.a, 1, n.k, inner, NULL) ? 0 : lbr_dag_reduce(c->dag, (lbr_op)n.op, inner, n.a);
}

static lbr_ref reduced(copy *c, lbr_ref old, lbr_dag_node n)
{
    lbr_ref body = node_of(c, n.a);
    int loop, stays = c->deps && !(n.deps & c->deps) && lbr_dag_within(c->dag, c->under, n.scope);

    if (stays) return old;
    if (lbr_dag_within(c->dag, c->under, n.k)) return renamed(c, n);
    loop = loop_of(c, n.k);
    return loop == n.k && body == n.a ? old : lbr_dag_reduce(c->dag, (lbr_op)n.op, loop, body);
}

static lbr_ref copied(copy *c, lbr_ref old)
{
    lbr_dag_node n = c->dag->node[old];
    lbr_ref x, y, z;

    if (n.op == LBR_OP_LOAD) return copied_load(c, old, n);
    if (n.op == LBR_OP_INDEX) {
        int l = loop_of(c, n.k); /* loops may move */

        return c->dag->loop[l].index;
    }
    if (n.op >= LBR_OP_SUM) return reduced(c, old, n);
    if (lbr_op_operands[n.op] == 0) return old;
    x = node_of(c, n.a), y = node_of(c, n.b), z = node_of(c, n.c);
    return x == n.a && y == n.b && z == n.c ? old : lbr_dag_op(c->dag, (lbr_op)n.op, x, y, z);
}

static lbr_status begin(copy *c, lbr_dag *dag, lbr_interest interest, const lbr_ref *root, int n)
{
    *c = (copy){ .dag = dag };
    if (lbr_reach_nodes(&c->reach, dag, interest, root, n)) return dag->status;
    c->node = lbr_mem_alloc((size_t)c->reach.n * sizeof *c->node);
    c->array = lbr_mem_alloc((size_t)c->reach.narrays * sizeof *c->array);
    c->loop = lbr_mem_alloc((size_t)dag->nloops * sizeof *c->loop);
    if (!c->node || !c->array || !c->loop) lbr_dag_no_memory(dag);
    return dag->status;
}

static void work(copy *c, lbr_ref *root, int n)
{
    for (int32_t i = 0; i < c->reach.n && !c->dag->status; i++) c->node[i] = copied(c, c->reach.node[i]);
    for (int i = 0; i < n && !c->dag->status; i++) root[i] = node_of(c, root[i]);
}

static lbr_status end(copy *c)
{
    lbr_mem_free(c->node), lbr_mem_free(c->array), lbr_mem_free(c->loop);
    lbr_reach_free(&c->reach);
    return c->dag->status;
}

lbr_status lbr_dag_move(lbr_dag *dag, lbr_ref *node, int n, int from, int to, int *inner)
{
    copy c;

    if (!begin(&c, dag, (lbr_interest){ .loop = from }, node, n)) {
        c.loop[from] = 1 + to;
        work(&c, node, n);
        if (inner) *inner = loop_of(&c, *inner);
    }
    return end(&c);
}

lbr_status lbr_dag_under(lbr_dag *dag, lbr_ref *node, int loop, uint32_t deps, lbr_load_fn load, void *ctx)
{
    copy c;

    if (!begin(&c, dag, (lbr_interest){ .shallow = 1 }, node, 1)) {
        c.under = loop, c.deps = deps, c.load = load, c.ctx = ctx;
        work(&c, node, 1);
    }
    return end(&c);
}

lbr_ref lbr_dag_replace(lbr_dag *dag, lbr_ref node, int from, int to)
{
    copy c;

    if (dag->status) return 0;
    if (from < 0 || to < 0 || from >= dag->narrays || to >= dag->narrays ||
        dag->array[from].size != dag->array[to].size)
        return lbr_dag_fail(dag, LBR_EARG, "an array is replaced by one of another size"), 0;
    if (!begin(&c, dag, (lbr_interest){ .deps = dag->array[from].kind == LBR_ARRAY_INPUT ? dag->array[from].deps : 0 },
               &node, 1)) {
        int32_t place = lbr_reach_array_place(&c.reach, from);

        if (place >= 0) c.array[place] = 1 + to;
        work(&c, &node, 1);
    }
    return end(&c) ? 0 : node;
}
