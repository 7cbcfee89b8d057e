/* dag_reach.c - what some nodes of a graph rest on, in the order of their numbers.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "dag_make.h"
#include "dag_walk.h"

#include <stdlib.h>

/* Nodes that have been seen wait at the end of `node`, behind those whose operands have been seen too. */
static void see(lbr_reach *r, lbr_dag *dag, lbr_ref a)
{
    const lbr_dag_node *n = &dag->node[a];

    if (r->place[a] || (r->interest.deps && !(n->deps & r->interest.deps))) return;
    if (r->interest.loop && !lbr_dag_within(dag, n->scope, r->interest.loop)) return;
    if (!lbr_dag_room(dag, (void **)&r->node, &r->most, (int64_t)r->n + 1, sizeof a)) return;
    r->node[r->n++] = a;
    r->place[a] = r->n;
}

static void see_bounds(lbr_reach *r, lbr_dag *dag, int loop)
{
    for (; loop; loop = dag->loop[loop].parent) see(r, dag, dag->loop[loop].lo), see(r, dag, dag->loop[loop].hi);
}

/* As deep as solutions are made of solutions, directly. */
static void see_array(lbr_reach *r, lbr_dag *dag, int array)
{
    const lbr_array *a;

    if (array < 0 || r->array_place[array] || (r->interest.deps && !(dag->array[array].deps & r->interest.deps)))
        return;
    if (r->interest.loop || r->interest.shallow ||
        !lbr_dag_room(dag, (void **)&r->array, &r->most_arrays, (int64_t)r->narrays + 1, sizeof array))
        return;
    r->array[r->narrays++] = array;
    r->array_place[array] = r->narrays;
    a = &dag->array[array];
    for (int i = 0; i < a->nentries; i++) {
        see(r, dag, a->entry[i].value), see(r, dag, a->entry[i].index);
        if (i == 0 || a->entry[i].loop != a->entry[i - 1].loop) see_bounds(r, dag, a->entry[i].loop);
    }
    if (a->kind < LBR_ARRAY_SOLVE) return;
    see_array(r, dag, a->a);
    if (a->kind == LBR_ARRAY_SOLVE) see_array(r, dag, a->b);
}

static void see_operands(lbr_reach *r, lbr_dag *dag, const lbr_dag_node *n)
{
    const int32_t operand[3] = { n->a, n->b, n->c };

    for (int i = 0; i < lbr_op_operands[n->op]; i++) see(r, dag, operand[i]);
    if (n->op == LBR_OP_INDEX || n->op >= LBR_OP_SUM) see_bounds(r, dag, n->k);
    if (n->op == LBR_OP_LOAD) see_array(r, dag, n->k);
}

static int by_number(const void *x, const void *y)
{
    int32_t a = *(const int32_t *)x, b = *(const int32_t *)y;

    return (a > b) - (a < b);
}

/* Few of many nodes are sorted; of many, the table of places is in order already. */
static void sort_nodes(lbr_reach *r)
{
    if (r->n < r->known / 16) qsort(r->node, (size_t)r->n, sizeof *r->node, by_number);
    else
        for (int32_t a = 0, i = 0; a < r->known; a++)
            if (r->place[a]) r->node[i++] = a;
    for (int32_t i = 0; i < r->n; i++) r->place[r->node[i]] = i + 1;
}

static int by_key(const void *x, const void *y)
{
    int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;

    return (a > b) - (a < b);
}

/* An array is younger than another if it is complete later; those that became so at the same time are in their order.
 */
static void sort_arrays(lbr_reach *r, lbr_dag *dag)
{
    int64_t *key = lbr_mem_alloc((size_t)r->narrays * sizeof *key);

    if (!key) {
        lbr_dag_no_memory(dag);
        return;
    }
    for (int32_t i = 0; i < r->narrays; i++) key[i] = (int64_t)dag->array[r->array[i]].born << 32 | r->array[i];
    qsort(key, (size_t)r->narrays, sizeof *key, by_key);
    for (int32_t i = 0; i < r->narrays; i++) r->array_place[r->array[i] = (int32_t)(key[i] & INT32_MAX)] = i + 1;
    lbr_mem_free(key);
}

static lbr_status reach(lbr_reach *r, lbr_dag *dag, lbr_interest interest, const lbr_ref *root, int n, int array)
{
    *r = (lbr_reach){ .interest = interest, .known = dag->n, .known_arrays = dag->narrays };
    if (dag->status) return dag->status;
    r->place = lbr_mem_alloc((size_t)dag->n * sizeof *r->place);
    r->array_place = lbr_mem_alloc((size_t)dag->narrays * sizeof *r->array_place);
    if (!r->place || !r->array_place) return lbr_dag_no_memory(dag), dag->status;
    for (int i = 0; i < n; i++) see(r, dag, root[i]);
    see_array(r, dag, array);
    for (int32_t i = 0; i < r->n && !dag->status; i++) see_operands(r, dag, &dag->node[r->node[i]]);
    if (dag->status) return dag->status;
    if (r->n) sort_nodes(r);
    if (r->narrays) sort_arrays(r, dag);
    return dag->status;
}

lbr_status lbr_reach_nodes(lbr_reach *r, lbr_dag *dag, lbr_interest interest, const lbr_ref *root, int n)
{
    return reach(r, dag, interest, root, n, -1);
}
lbr_status lbr_reach_array(lbr_reach *r, lbr_dag *dag, lbr_interest interest, int array)
{
    return reach(r, dag, interest, NULL, 0, array);
}

void lbr_reach_free(lbr_reach *r)
{
    lbr_mem_free(r->node), lbr_mem_free(r->array), lbr_mem_free(r->place), lbr_mem_free(r->array_place);
    *r = (lbr_reach){ 0 };
}
