/* code_extract.c - of a large graph the little that a function needs. SPDX-License-Identifier: BSD-3-Clause
 *
 * The graph of a file's first model grows with every run and every claim that is read; making a function costs what it
 * needs of it, not what there is. Numbers change, their order does not, and bits follow the order. */
#include "code_make.h"

#include <stdlib.h>
#include <string.h>

/* Graphs of fewer nodes are taken as they are, and so is more than an eighth of one. */
enum { LARGE = 1024, PART = 8, FIRST = 64 };

/* Numbers, each once; 1 more than each in a hash table. */
typedef struct set {
    int32_t *item, *slot;
    int32_t n, mask;
} set;

typedef struct extract {
    const lbr_dag *dag;
    lbr_arena *arena;
    set node, array, loop;
    int32_t *rank, *order; /* of arrays: new numbers by old ones, and the other way round */
    int no_memory;
} extract;

static int32_t *slot_of(const set *s, int32_t x)
{
    uint32_t i = (uint32_t)x * 2654435769u >> 7;

    while (s->slot[i &= (uint32_t)s->mask] && s->slot[i] != x + 1) i++;
    return s->slot + i;
}

/* Room for one more; at most half of the table is taken. */
static int wider(extract *e, set *s)
{
    int32_t size = s->mask ? 2 * (s->mask + 1) : 2 * FIRST, *item, *slot;

    if (s->mask && 2 * (s->n + 1) <= s->mask + 1) return 1;
    item = lbr_arena_alloc(e->arena, size / 2, sizeof *item), slot = lbr_arena_alloc(e->arena, size, sizeof *slot);
    if (!item || !slot) return e->no_memory = 1, 0;
    if (s->n) memcpy(item, s->item, (size_t)s->n * sizeof *item);
    s->item = item, s->slot = slot, s->mask = size - 1;
    for (int32_t k = 0; k < s->n; k++) *slot_of(s, item[k]) = item[k] + 1;
    return 1;
}

static void see(extract *e, set *s, int32_t x)
{
    int32_t *place;

    if (e->no_memory || !wider(e, s) || *(place = slot_of(s, x))) return;
    *place = x + 1, s->item[s->n++] = x;
}

static void see_node(extract *e, const lbr_dag_node *n)
{
    const int32_t operand[3] = { n->a, n->b, n->c };

    for (int i = 0; i < lbr_op_operands[n->op]; i++) see(e, &e->node, operand[i]);
    if (n->op == LBR_OP_LOAD) see(e, &e->array, n->k);
    if (n->op == LBR_OP_INDEX || n->op >= LBR_OP_SUM) see(e, &e->loop, n->k);
    see(e, &e->loop, n->scope);
}

static void see_array(extract *e, const lbr_array *a)
{
    for (int64_t i = 0; a->element && i < a->size; i++) see(e, &e->node, a->element[i]);
    for (int i = 0; i < a->nentries; i++) {
        see(e, &e->node, a->entry[i].index), see(e, &e->node, a->entry[i].value);
        see(e, &e->loop, a->entry[i].loop);
    }
    if (a->kind >= LBR_ARRAY_SOLVE) see(e, &e->array, a->a);
    if (a->kind == LBR_ARRAY_SOLVE) see(e, &e->array, a->b);
}

static void see_loop(extract *e, const lbr_loop *l)
{
    see(e, &e->node, l->lo), see(e, &e->node, l->hi), see(e, &e->node, l->index), see(e, &e->loop, l->parent);
}

/* Everything that is needed. 0: too much. */
static int walk(extract *e, const lbr_output *out, int nout)
{
    int32_t node = 0, array = 0, loop = 0, most = e->dag->n / PART;

    see(e, &e->node, 0), see(e, &e->loop, 0);
    for (int i = 0; i < nout; i++)
        if (out[i].array < 0) see(e, &e->node, out[i].node);
        else see(e, &e->array, out[i].array);
    while (!e->no_memory && (node < e->node.n || array < e->array.n || loop < e->loop.n)) {
        if (e->node.n > most) return 0;
        if (node < e->node.n) see_node(e, &e->dag->node[e->node.item[node++]]);
        else if (array < e->array.n) {
            const lbr_array *a = &e->dag->array[e->array.item[array++]];

            if (a->nentries > most || (a->element && a->size > most)) return 0;
            see_array(e, a);
        } else see_loop(e, &e->dag->loop[e->loop.item[loop++]]);
    }
    return 1;
}

/* --- new numbers ------------------------------------------------------------------------------------------------- */

static int ascending(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static void sort(extract *e, int32_t n, int64_t *key)
{
    if (!key) {
        e->no_memory = 1;
        return;
    }
    qsort(key, (size_t)n, sizeof *key, ascending);
}

/* In the order of the old numbers. */
static void sort_set(extract *e, set *s)
{
    int64_t *key = lbr_arena_alloc(e->arena, s->n, sizeof *key);

    for (int32_t k = 0; key && k < s->n; k++) key[k] = s->item[k];
    sort(e, s->n, key);
    for (int32_t k = 0; key && k < s->n; k++) s->item[k] = (int32_t)key[k];
}

/* Arrays are numbered in the order in which they are complete. */
static void sort_arrays(extract *e)
{
    int32_t n = e->array.n;
    int64_t *key = lbr_arena_alloc(e->arena, n, sizeof *key);

    sort_set(e, &e->array);
    e->rank = lbr_arena_alloc(e->arena, n, sizeof *e->rank), e->order = lbr_arena_alloc(e->arena, n, sizeof *e->order);
    if (e->no_memory || !key || !e->rank || !e->order) {
        e->no_memory = 1;
        return;
    }
    for (int32_t k = 0; k < n; k++) key[k] = (int64_t)e->dag->array[e->array.item[k]].born << 32 | k;
    sort(e, n, key);
    for (int32_t k = 0; k < n; k++) e->rank[e->order[k] = (int32_t)(key[k] & INT32_MAX)] = k;
}

/* The new number of x, or of the first that comes after it. */
static int32_t number(const set *s, int32_t x)
{
    int32_t from = 0, to = s->n;

    while (from < to) {
        int32_t half = from + (to - from) / 2;

        if (s->item[half] < x) from = half + 1;
        else to = half;
    }
    return from;
}

static int32_t array_number(const extract *e, int32_t x) { return e->rank[number(&e->array, x)]; }

static lbr_dag_node copied_node(const extract *e, lbr_dag_node n)
{
    int operands = lbr_op_operands[n.op];

    if (operands > 0) n.a = number(&e->node, n.a);
    if (operands > 1) n.b = number(&e->node, n.b);
    if (operands > 2) n.c = number(&e->node, n.c);
    if (n.op == LBR_OP_LOAD) n.k = array_number(e, n.k);
    if (n.op == LBR_OP_INDEX || n.op >= LBR_OP_SUM) n.k = number(&e->loop, n.k);
    n.scope = number(&e->loop, n.scope);
    return n;
}

static void copy_array(extract *e, lbr_array *a)
{
    lbr_entry *entry = lbr_arena_alloc(e->arena, a->nentries, sizeof *entry);
    lbr_ref *element = a->element ? lbr_arena_alloc(e->arena, a->size, sizeof *element) : NULL;

    if (!entry || (a->element && !element)) {
        e->no_memory = 1;
        return;
    }
    for (int i = 0; i < a->nentries; i++)
        entry[i] = (lbr_entry){ number(&e->loop, a->entry[i].loop), number(&e->node, a->entry[i].index),
                                number(&e->node, a->entry[i].value), a->entry[i].add };
    for (int64_t i = 0; element && i < a->size; i++) element[i] = number(&e->node, a->element[i]);
    if (a->kind >= LBR_ARRAY_SOLVE) a->a = array_number(e, a->a);
    if (a->kind == LBR_ARRAY_SOLVE) a->b = array_number(e, a->b);
    a->entry = entry, a->element = element, a->born = number(&e->node, a->born);
}

static int copy(extract *e, const lbr_output *out, int nout, lbr_dag *to, lbr_output *now)
{
    sort_set(e, &e->node), sort_set(e, &e->loop), sort_arrays(e);
    *to = (lbr_dag){ .n = e->node.n, .nloops = e->loop.n, .narrays = e->array.n, .ninputs = e->dag->ninputs };
    to->node = lbr_arena_alloc(e->arena, to->n, sizeof *to->node);
    to->loop = lbr_arena_alloc(e->arena, to->nloops, sizeof *to->loop);
    to->array = lbr_arena_alloc(e->arena, to->narrays, sizeof *to->array);
    if (e->no_memory || !to->node || !to->loop || !to->array) return -1;
    for (int32_t k = 0; k < to->n; k++) to->node[k] = copied_node(e, e->dag->node[e->node.item[k]]);
    for (int32_t k = 0; k < to->nloops; k++) {
        lbr_loop l = e->dag->loop[e->loop.item[k]];

        l.parent = number(&e->loop, l.parent);
        l.lo = number(&e->node, l.lo), l.hi = number(&e->node, l.hi), l.index = number(&e->node, l.index);
        to->loop[k] = l;
    }
    for (int32_t k = 0; k < to->narrays; k++) {
        to->array[k] = e->dag->array[e->array.item[e->order[k]]];
        copy_array(e, to->array + k);
    }
    for (int i = 0; i < nout; i++) {
        now[i] = out[i];
        if (out[i].array < 0) now[i].node = number(&e->node, out[i].node);
        else now[i].array = array_number(e, out[i].array);
    }
    return e->no_memory ? -1 : 1;
}

int lbr_code_extract(const lbr_dag *dag, const lbr_output *out, int nout, lbr_arena *arena, lbr_dag *to,
                     lbr_output *now)
{
    extract e = { .dag = dag, .arena = arena };

    if (dag->n < LARGE) return 0;
    for (int i = 0; i < nout; i++) { /* what is not there is somebody else's to tell */
        if (out[i].array < 0 && (out[i].node < 0 || out[i].node >= dag->n)) return 0;
        if (out[i].array >= dag->narrays || (out[i].array >= 0 && !dag->array[out[i].array].born)) return 0;
    }
    if (!walk(&e, out, nout)) return 0;
    return e.no_memory ? -1 : copy(&e, out, nout, to, now);
}
