/* code_need.c - what an output needs, and in which layer of its loop it can be had.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "code_make.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int lbr_maker_room(lbr_maker *m, void **array, int32_t n, int32_t *most, size_t size)
{
    if (m->status) return 0;
    return lbr_room(&m->temp, array, size, n, 1, most, sizeof *most) || (lbr_maker_no_memory(m), 0);
}

lbr_status lbr_maker_fail(lbr_maker *m, lbr_status status, const char *format, ...)
{
    va_list ap;

    if (m->status) return m->status;
    va_start(ap, format), vsnprintf(m->message->text, sizeof m->message->text, format, ap), va_end(ap);
    return m->status = m->message->status = status;
}

lbr_status lbr_maker_no_memory(lbr_maker *m)
{
    return lbr_maker_fail(m, LBR_ENOMEM, "not enough memory for the program of a model");
}

/* --- marking: nodes n and arrays ~k on one stack, each once ------------------------------------------------------ */

static void want_node(lbr_maker *m, lbr_ref n)
{
    if (m->need[n]) return;
    m->need[n] = 1;
    m->stack[m->nstack++] = n;
}

static void want_array(lbr_maker *m, int k, int read)
{
    m->read[k] |= (uint8_t)read;
    if (m->seen[k]) return;
    m->seen[k] = 1;
    m->stack[m->nstack++] = ~k;
}

static void want_loop(lbr_maker *m, int loop)
{
    for (; loop; loop = m->dag->loop[loop].parent) {
        const lbr_loop *l = &m->dag->loop[loop];

        if (l->level >= m->levels) m->levels = l->level + 1;
        want_node(m, l->lo), want_node(m, l->hi), want_node(m, l->index);
    }
}

static void mark_node(lbr_maker *m, lbr_ref n)
{
    const lbr_dag_node *x = &m->dag->node[n];
    const int32_t operand[3] = { x->a, x->b, x->c };

    for (int i = 0; i < lbr_op_operands[x->op]; i++) want_node(m, operand[i]);
    if (x->op == LBR_OP_INDEX || lbr_is_reduction(x)) want_loop(m, x->k);
    if (x->op == LBR_OP_LOAD) {
        want_array(m, x->k, 1);
        m->dynamic |= !lbr_dag_is_const(m->dag, x->a, NULL);
    }
}

static void mark_array(lbr_maker *m, int k)
{
    const lbr_array *a = &m->dag->array[k];

    if (a->kind >= LBR_ARRAY_SOLVE) want_array(m, a->a, 1);
    if (a->kind == LBR_ARRAY_SOLVE) want_array(m, a->b, 1);
    if (a->kind != LBR_ARRAY_MADE) return;
    for (int64_t i = 0; a->element && i < a->size; i++) want_node(m, a->element[i]);
    for (int i = 0; !a->element && i < a->nentries; i++) {
        want_node(m, a->entry[i].index), want_node(m, a->entry[i].value);
        want_loop(m, a->entry[i].loop);
        m->dynamic = 1;
    }
}

static void mark(lbr_maker *m, const lbr_output *out, int nout)
{
    m->levels = 1;
    for (int i = 0; i < nout; i++) {
        if (out[i].array >= 0) want_array(m, out[i].array, 0);
        else want_node(m, out[i].node);
        while (m->nstack) {
            int32_t x = m->stack[--m->nstack];

            if (x >= 0) mark_node(m, x);
            else mark_array(m, ~x);
        }
    }
}

/* --- layers ------------------------------------------------------------------------------------------------------ */

static int32_t later(int32_t a, int32_t b) { return a > b ? a : b; }

static int32_t bounds(const lbr_maker *m, int loop, int l)
{
    return later(lbr_maker_avail(m, m->dag->loop[loop].lo, l), lbr_maker_avail(m, m->dag->loop[loop].hi, l));
}

/* A reduction of loop L is needed for it in each iteration. */
static int inner(const lbr_maker *m, lbr_ref n, int L) { return m->dag->node[n].scope == L && m->nest[n]; }

static int child(const lbr_maker *m, int loop, int L)
{
    while (m->dag->loop[loop].parent != L) loop = m->dag->loop[loop].parent;
    return loop;
}

lbr_entries lbr_maker_entries(const lbr_maker *m, int array, int e0, int e1, int L, int32_t *depth)
{
    const lbr_entry *e = m->entry[array];
    lbr_entries r = { array, e0, e0, e[e0].loop == L ? L : child(m, e[e0].loop, L), 1, *depth };
    int l = m->dag->loop[L].level;

    do {
        const lbr_entry *x = &e[r.e1++];

        r.depth = later(r.depth, later(lbr_maker_avail(m, x->index, l), lbr_maker_avail(m, x->value, l)));
        for (int k = x->loop; k != L; k = m->dag->loop[k].parent) r.depth = later(r.depth, bounds(m, k, l));
        r.strip &= x->loop == r.loop && !inner(m, x->index, r.loop) && !inner(m, x->value, r.loop);
    } while (r.loop != L && r.e1 < e1 && e[r.e1].loop != L && child(m, e[r.e1].loop, L) == r.loop);
    *depth = r.depth + (r.loop != L);
    return r;
}

static int32_t array_depth(const lbr_maker *m, int k)
{
    const lbr_array *a = &m->dag->array[k];
    int32_t depth = 0;

    if (a->kind >= LBR_ARRAY_SOLVE) depth = m->complete[a->a];
    if (a->kind == LBR_ARRAY_SOLVE) depth = later(depth, m->complete[a->b]);
    if (a->kind != LBR_ARRAY_MADE) return depth;
    for (int64_t i = 0; a->element && i < a->size; i++) depth = later(depth, lbr_maker_avail(m, a->element[i], 0));
    for (int e = 0; !a->element && e < a->nentries;) e = lbr_maker_entries(m, k, e, a->nentries, 0, &depth).e1;
    return depth;
}

static void node_depth(lbr_maker *m, lbr_ref n)
{
    const lbr_dag_node *x = &m->dag->node[n];
    const int32_t operand[3] = { x->a, x->b, x->c };
    int loop = x->op == LBR_OP_INDEX || lbr_is_reduction(x) ? x->k : 0, level = lbr_maker_level(m, n);

    m->nest[n] = (uint8_t)lbr_is_reduction(x);
    for (int i = 0; i < lbr_op_operands[x->op] && !m->nest[n]; i++)
        m->nest[n] = (uint8_t)inner(m, operand[i], x->scope);
    for (int l = 0; l <= level; l++) {
        int32_t depth = loop ? bounds(m, loop, l) : 0;

        for (int i = 0; i < lbr_op_operands[x->op]; i++) depth = later(depth, lbr_maker_avail(m, operand[i], l));
        if (x->op == LBR_OP_LOAD && l == 0) depth = later(depth, m->complete[x->k]);
        m->avail[(int64_t)n * m->levels + l] = depth + (lbr_is_reduction(x) && l == level);
    }
}

static lbr_status order_entries(lbr_maker *m)
{
    for (int k = 0; k < m->arrays; k++) {
        const lbr_array *a = &m->dag->array[k];

        if (!m->seen[k] || a->kind != LBR_ARRAY_MADE || a->element) continue;
        m->entry[k] = lbr_arena_alloc(&m->temp, a->nentries, sizeof *m->entry[k]);
        if (!m->entry[k] || lbr_code_entry_order(m->dag, k, m->entry[k])) return lbr_maker_no_memory(m);
    }
    return LBR_OK;
}

/* Arrays in the order in which they are complete. */
static int earlier(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static int sort_arrays(lbr_maker *m)
{
    int n = m->arrays;
    int64_t *key = lbr_arena_alloc(&m->temp, n, sizeof *key);

    if (!key) return 0;
    for (int k = 0; k < n; k++) key[k] = (int64_t)m->dag->array[k].born << 32 | k;
    qsort(key, (size_t)n, sizeof *key, earlier);
    for (int k = 0; k < n; k++) m->sorted[k] = (int32_t)(key[k] & INT32_MAX);
    return 1;
}

lbr_status lbr_maker_need(lbr_maker *m, const lbr_output *out, int nout)
{
    int64_t n = m->nodes, na = m->arrays;
    int k = 0;

    m->need = lbr_arena_alloc(&m->temp, n, 1), m->nest = lbr_arena_alloc(&m->temp, n, 1);
    m->seen = lbr_arena_alloc(&m->temp, na, 1), m->read = lbr_arena_alloc(&m->temp, na, 1);
    m->complete = lbr_arena_alloc(&m->temp, na, sizeof *m->complete),
    m->sorted = lbr_arena_alloc(&m->temp, na, sizeof *m->sorted);
    m->entry = lbr_arena_alloc(&m->temp, na, sizeof *m->entry);
    m->stack = lbr_arena_alloc(&m->temp, n + na, sizeof *m->stack);
    if (!m->need || !m->nest || !m->seen || !m->read || !m->complete || !m->sorted || !m->entry || !m->stack ||
        !sort_arrays(m))
        return lbr_maker_no_memory(m);
    m->most_stack = (int32_t)(n + na);
    mark(m, out, nout);
    if (m->levels > LBR_CODE_DEPTH)
        return lbr_maker_fail(m, LBR_EARG, "more than %d sums in each other", LBR_CODE_DEPTH - 1);
    if (order_entries(m)) return m->status;
    if (!(m->avail = lbr_arena_alloc(&m->temp, n * m->levels, sizeof *m->avail))) return lbr_maker_no_memory(m);
    for (lbr_ref i = 0; i <= n; i++) {
        for (; k < na && m->dag->array[m->sorted[k]].born <= i; k++)
            if (m->seen[m->sorted[k]]) m->complete[m->sorted[k]] = array_depth(m, m->sorted[k]);
        if (i < n && m->need[i]) node_depth(m, i);
    }
    return LBR_OK;
}
