/* dag_loop.c - sums: terms in a row, loops and what is reduced over them. SPDX-License-Identifier: BSD-3-Clause */
#include "dag_make.h"

enum { LANES = 8 };

/* Two partial sums: one that is a product alone is rounded first, as in a loop, and not fused with the other. */
static lbr_ref joined(lbr_dag *dag, lbr_ref a, lbr_ref b)
{
    const lbr_dag_node *x = &dag->node[a], *y = &dag->node[b];
    int product = x->op == LBR_OP_MUL || y->op == LBR_OP_MUL ||
                  (x->op == LBR_OP_NEG && dag->node[x->a].op == LBR_OP_MUL) ||
                  (y->op == LBR_OP_NEG && dag->node[y->a].op == LBR_OP_MUL);

    if (dag->status || !a || !b || !product) return lbr_dag_add(dag, a, b);
    return lbr_dag_intern(dag, (lbr_dag_node){ .op = LBR_OP_ADD, .a = a <= b ? a : b, .b = a <= b ? b : a });
}

lbr_ref lbr_dag_sum(lbr_dag *dag, const lbr_ref *term, int64_t n)
{
    int64_t lanes = n <= LANES ? 1 : LANES;
    lbr_ref s[LANES] = { 0 };

    for (int64_t i = 0; i < n; i++) s[i % lanes] = i < lanes ? term[i] : lbr_dag_add(dag, s[i % lanes], term[i]);
    if (lanes == 1) return s[0];
    for (int half = LANES / 2; half > 0; half /= 2)
        for (int i = 0; i < half; i++) s[i] = joined(dag, s[i], s[i + half]);
    return s[0];
}

static int32_t *slot(const lbr_dag *dag, int parent, lbr_ref lo, lbr_ref hi)
{
    uint32_t mask = (uint32_t)dag->loop_table_size - 1;
    uint32_t i = (uint32_t)lbr_dag_mix(lbr_dag_mix((uint32_t)parent, (uint32_t)lo), (uint32_t)hi) & mask;

    for (;; i = (i + 1) & mask) {
        const lbr_loop *l = &dag->loop[dag->loop_table[i]];

        if (!dag->loop_table[i] || (l->parent == parent && l->lo == lo && l->hi == hi)) return &dag->loop_table[i];
    }
}

static int wider(lbr_dag *dag)
{
    int32_t *old = dag->loop_table, size = dag->loop_table_size ? 2 * dag->loop_table_size : 16;

    if (2 * (int64_t)(dag->nloops + 1) <= dag->loop_table_size) return 1;
    if (!(dag->loop_table = lbr_mem_alloc((size_t)size * sizeof *old))) {
        dag->loop_table = old;
        return lbr_dag_no_memory(dag), 0;
    }
    lbr_mem_free(old);
    dag->loop_table_size = size;
    for (int32_t i = 1; i < dag->nloops; i++) *slot(dag, dag->loop[i].parent, dag->loop[i].lo, dag->loop[i].hi) = i;
    return 1;
}

int lbr_dag_loop(lbr_dag *dag, int parent, lbr_ref lo, lbr_ref hi)
{
    int32_t *place, l = dag->nloops;
    lbr_ref index;

    if (dag->status || !wider(dag)) return 0;
    if (*(place = slot(dag, parent, lo, hi))) return *place;
    if (!lbr_dag_within(dag, parent, dag->node[lo].scope) || !lbr_dag_within(dag, parent, dag->node[hi].scope))
        return lbr_dag_fail(dag, LBR_EARG, "the bounds of a sum use an index that the sum does not stand in"), 0;
    if (l >= LBR_MOST_LOOPS) return lbr_dag_fail(dag, LBR_EARG, "more than %d different sums", LBR_MOST_LOOPS), 0;
    if (!lbr_dag_room(dag, (void **)&dag->loop, &dag->most_loops, (int64_t)l + 1, sizeof *dag->loop)) return 0;
    dag->loop[l] = (lbr_loop){ .parent = parent, .level = dag->loop[parent].level + 1, .lo = lo, .hi = hi };
    index = lbr_dag_intern(dag, (lbr_dag_node){ .op = LBR_OP_INDEX, .k = l });
    if (dag->status) return 0;
    dag->loop[l].index = index;
    dag->nloops++;
    return *place = l;
}

/* Nothing to do: whether the bounds are constants and no integer lies between them. */
static int empty(const lbr_dag *dag, int loop)
{
    double lo, hi;

    return lbr_dag_is_const(dag, dag->loop[loop].lo, &lo) && lbr_dag_is_const(dag, dag->loop[loop].hi, &hi) && hi < lo;
}

/* A sum of guarded terms whose condition is the same in all iterations is guarded itself; signs come out. */
static lbr_ref sum_of(lbr_dag *dag, int loop, lbr_ref body)
{
    lbr_dag_node n = dag->node[body];
    int guard = lbr_dag_guard(dag, body);
    lbr_ref s;

    if (empty(dag, loop) || body == 0) return 0;
    if (n.op == LBR_OP_NEG) return lbr_dag_neg(dag, sum_of(dag, loop, n.a));
    if (!guard || lbr_dag_within(dag, dag->node[n.a].scope, loop))
        return lbr_dag_intern(dag, (lbr_dag_node){ .op = LBR_OP_SUM, .a = body, .k = loop });
    s = sum_of(dag, loop, guard == 1 ? n.b : n.c);
    return lbr_dag_op(dag, LBR_OP_SELECT, n.a, guard == 1 ? s : 0, guard == 1 ? 0 : s);
}

lbr_ref lbr_dag_reduce(lbr_dag *dag, lbr_op op, int loop, lbr_ref body)
{
    double value;

    if (dag->status) return 0;
    if (op < LBR_OP_SUM || op >= LBR_OPS || loop <= 0 || loop >= dag->nloops)
        return lbr_dag_fail(dag, LBR_EARG, "a sum needs a loop"), 0;
    if (!lbr_dag_within(dag, loop, dag->node[body].scope))
        return lbr_dag_fail(dag, LBR_EARG, "what is summed uses an index that the sum does not stand in"), 0;
    if (op == LBR_OP_SUM) return sum_of(dag, loop, body);
    if (op == LBR_OP_PROD && (empty(dag, loop) || (lbr_dag_is_const(dag, body, &value) && value == 1)))
        return lbr_dag_const(dag, 1);
    return lbr_dag_intern(dag, (lbr_dag_node){ .op = (uint8_t)op, .a = body, .k = loop });
}
