/* dag.c - the nodes of the graph: equal ones are one. SPDX-License-Identifier: BSD-3-Clause */
#include "dag_make.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { FIRST = 64 }; /* room at the beginning */

#define OPERANDS(name, n, text) [LBR_OP_##name] = n,
const uint8_t lbr_op_operands[LBR_OPS] = { LBR_OP_LIST(OPERANDS) };

void lbr_dag_fail(lbr_dag *dag, lbr_status status, const char *format, ...)
{
    va_list ap;

    if (dag->status) return;
    dag->status = status;
    va_start(ap, format);
    vsnprintf(dag->message.text, sizeof dag->message.text, format, ap);
    va_end(ap);
}

void lbr_dag_no_memory(lbr_dag *dag)
{
    lbr_dag_fail(dag, LBR_ENOMEM, "not enough memory for the expressions of the model");
}

int lbr_dag_room(lbr_dag *dag, void **array, int32_t *most, int64_t n, size_t size)
{
    if (n <= *most || lbr_room(NULL, array, size, *most, n - *most, most, sizeof *most)) return 1;
    return lbr_dag_no_memory(dag), 0;
}

lbr_status lbr_dag_init(lbr_dag *dag, lbr_arena *arena)
{
    *dag = (lbr_dag){ .arena = arena, .limit = LBR_MOST_NODES };
    if (!lbr_dag_room(dag, (void **)&dag->loop, &dag->most_loops, 1, sizeof *dag->loop)) return dag->status;
    dag->nloops = 1; /* the top: lo, hi and index are node 0 */
    lbr_dag_const(dag, 0);
    return dag->status;
}

void lbr_dag_free(lbr_dag *dag)
{
    lbr_mem_free(dag->node), lbr_mem_free(dag->table);
    lbr_mem_free(dag->loop), lbr_mem_free(dag->loop_table);
    lbr_mem_free(dag->array);
    *dag = (lbr_dag){ .status = LBR_EARG };
}

/* --- equal nodes are one ----------------------------------------------------------------------------------------- */

static uint64_t bits(double x)
{
    uint64_t u;

    memcpy(&u, &x, sizeof u);
    return u;
}

static uint64_t hash(const lbr_dag_node *n)
{
    uint64_t h = lbr_dag_mix(n->op, (uint32_t)n->a | (uint64_t)(uint32_t)n->b << 32);

    return lbr_dag_mix(lbr_dag_mix(h, (uint32_t)n->c | (uint64_t)(uint32_t)n->k << 32), bits(n->value));
}

static int equal(const lbr_dag_node *m, const lbr_dag_node *n)
{
    return m->op == n->op && m->a == n->a && m->b == n->b && m->c == n->c && m->k == n->k &&
           bits(m->value) == bits(n->value);
}

/* The place of a node in the table (which has one): its own, or the empty one where it belongs. */
static int32_t *slot(const lbr_dag *dag, const lbr_dag_node *n)
{
    uint32_t mask = (uint32_t)dag->table_size - 1, i = (uint32_t)hash(n) & mask;

    while (dag->table[i] && !equal(&dag->node[dag->table[i] - 1], n)) i = (i + 1) & mask;
    return &dag->table[i];
}

/* At most half of the table is taken. */
static int wider(lbr_dag *dag)
{
    int32_t *old = dag->table, size = dag->table_size ? 2 * dag->table_size : 4 * FIRST;

    if (2 * (int64_t)(dag->n + 1) <= dag->table_size) return 1;
    if (!(dag->table = lbr_mem_alloc((size_t)size * sizeof *old))) {
        dag->table = old;
        return lbr_dag_no_memory(dag), 0;
    }
    lbr_mem_free(old);
    dag->table_size = size;
    for (int32_t i = 0; i < dag->n; i++) *slot(dag, &dag->node[i]) = i + 1;
    return 1;
}

int lbr_dag_within(const lbr_dag *dag, int inner, int outer)
{
    while (dag->loop[inner].level > dag->loop[outer].level) inner = dag->loop[inner].parent;
    return inner == outer;
}

int lbr_dag_inner(lbr_dag *dag, int s, int t)
{
    if (lbr_dag_within(dag, s, t)) return s;
    if (!lbr_dag_within(dag, t, s))
        lbr_dag_fail(dag, LBR_EARG, "two indices meet in one expression although neither's sum stands in the other's");
    return t;
}

/* Where a node stands and what it depends on: what its operands say, its loop, its array. */
static void inherit(lbr_dag *dag, lbr_dag_node *n)
{
    const int32_t operand[3] = { n->a, n->b, n->c };
    const lbr_loop *l = &dag->loop[n->op == LBR_OP_INDEX || n->op >= LBR_OP_SUM ? n->k : 0];

    n->scope = 0, n->deps = n->op == LBR_OP_TIME ? LBR_DEP_TIME : 0;
    for (int i = 0; i < lbr_op_operands[n->op]; i++) {
        n->scope = lbr_dag_inner(dag, n->scope, dag->node[operand[i]].scope);
        n->deps |= dag->node[operand[i]].deps;
    }
    if (n->op == LBR_OP_LOAD) n->deps |= dag->array[n->k].deps;
    if (n->op == LBR_OP_INDEX) n->scope = n->k;
    if (n->op >= LBR_OP_SUM) n->scope = l->parent;
    if (l != dag->loop) n->deps |= dag->node[l->lo].deps | dag->node[l->hi].deps;
}

lbr_ref lbr_dag_intern(lbr_dag *dag, lbr_dag_node key)
{
    int32_t *place;

    if (dag->status || !wider(dag)) return 0;
    if (*(place = slot(dag, &key))) return *place - 1;
    if (dag->n >= dag->limit) {
        lbr_dag_fail(
            dag, LBR_EARG,
            "more than %d nodes: the expressions of the model, written out, are too long" LBR_RAISED(LBR_MOST_NODES),
            dag->limit);
        return 0;
    }
    if (!lbr_dag_room(dag, (void **)&dag->node, &dag->most, (int64_t)dag->n + 1, sizeof key)) return 0;
    inherit(dag, &key);
    if (dag->status) return 0;
    dag->node[dag->n++] = key;
    return (*place = dag->n) - 1;
}

lbr_ref lbr_dag_const(lbr_dag *dag, double value)
{
    return lbr_dag_intern(dag, (lbr_dag_node){ .op = LBR_OP_CONST, .value = value });
}
lbr_ref lbr_dag_time(lbr_dag *dag) { return lbr_dag_intern(dag, (lbr_dag_node){ .op = LBR_OP_TIME }); }

int lbr_dag_is_const(const lbr_dag *dag, lbr_ref a, double *value)
{
    if (!dag->n || dag->node[a].op != LBR_OP_CONST) return 0;
    if (value) *value = dag->node[a].value;
    return 1;
}
