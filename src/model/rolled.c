/* rolled.c - many entries that differ in their numbers alone, as loops over tables of these. SPDX-License-Identifier: BSD-3-Clause
 *
 * An expression without loops is a list of operations and a list of numbers: its constants, and where it loads. Entries with
 * the same operations become one entry in a loop. */
#include "rolled.h"
#include "dag_make.h"

#include <string.h>

enum { TOKENS = 64, GROUPS = 64, FEW = 16 };             /* operations of one expression; kinds of them; not worth a loop */

typedef struct form { int ntokens, nnumbers;  int32_t token[TOKENS];  double number[TOKENS]; } form;
typedef struct group { form first;  int64_t n; } group;

/* --- operations and numbers ---------------------------------------------------------------------------------------------- */

static int describe(const lbr_dag *d, lbr_ref r, form *f)
{
    const lbr_dag_node *n = &d->node[r];
    const lbr_ref operand[3] = { n->a, n->b, n->c };
    int good = f->ntokens < TOKENS - 1 && n->op < LBR_OP_SUM && n->op != LBR_OP_INDEX && !n->scope;

    if (!good) return 0;
    f->token[f->ntokens++] = n->op == LBR_OP_LOAD ? LBR_OPS + n->k : n->op;
    if (n->op == LBR_OP_CONST) f->number[f->nnumbers++] = n->value;
    for (int i = 0; i < lbr_op_operands[n->op] && good; i++) good = describe(d, operand[i], f);
    return good;
}

/* Of an entry: its value, and its place as the last number. */
static int form_of(const lbr_dag *d, const lbr_entry *e, form *f)
{
    *f = (form){ 0 };
    if (e->loop || !lbr_dag_is_const(d, e->index, &f->number[0]) || !describe(d, e->value, f)) return 0;
    return lbr_dag_is_const(d, e->index, &f->number[f->nnumbers++]);
}

static int same(const form *a, const form *b)
{
    return a->ntokens == b->ntokens && a->nnumbers == b->nnumbers && !memcmp(a->token, b->token, (size_t)a->ntokens * sizeof *a->token);
}

/* --- one loop ------------------------------------------------------------------------------------------------------------ */

typedef struct rolling { lbr_dag *d;  lbr_ref *number, index;  int next; } rolling;

/* The expression again, with the numbers of the loop in the place of its own. */
static lbr_ref again(rolling *x, lbr_ref r)
{
    const lbr_dag_node n = x->d->node[r];
    lbr_ref a, b, c;

    if (n.op == LBR_OP_CONST) return x->number[x->next++];
    a = lbr_op_operands[n.op] > 0 ? again(x, n.a) : 0;
    if (n.op == LBR_OP_LOAD) return lbr_dag_load(x->d, n.k, a);
    b = lbr_op_operands[n.op] > 1 ? again(x, n.b) : 0, c = lbr_op_operands[n.op] > 2 ? again(x, n.c) : 0;
    return n.op == LBR_OP_TIME ? r : lbr_dag_op(x->d, (lbr_op)n.op, a, b, c);
}

/* Number k of all members: one, or a table. */
static lbr_ref tabled(lbr_dag *d, const double *table, int64_t n, lbr_ref index)
{
    int64_t i = 1;

    while (i < n && table[i] == table[0]) i++;
    return i >= n ? lbr_dag_const(d, table[0]) : lbr_dag_load(d, lbr_dag_data(d, table, n), index);
}

static void roll(lbr_dag *d, int array, const lbr_entry *entry, int64_t n, const uint8_t *kind, int which, const group *g)
{
    int loop = lbr_dag_loop(d, 0, 0, lbr_dag_const(d, (double)(g->n - 1))), all = g->first.nnumbers;
    double *table = lbr_arena_alloc(d->arena, (int64_t)all * g->n, sizeof *table);
    lbr_ref number[TOKENS + 1], value;
    const lbr_entry *first = NULL;
    form f;

    if (!table) { lbr_dag_no_memory(d); return; }
    for (int64_t i = 0, at = 0; i < n; i++) {
        if (kind[i] != which + 1) continue;
        form_of(d, entry + i, &f), first = first ? first : entry + i;
        for (int k = 0; k < all; k++) table[k * g->n + at] = f.number[k];
        at++;
    }
    if (d->status) return;
    for (int k = 0; k < all; k++) number[k] = tabled(d, table + k * g->n, g->n, d->loop[loop].index);
    value = again(&(rolling){ d, number, d->loop[loop].index, 0 }, first->value);
    lbr_dag_entry(d, array, (lbr_entry){ loop, number[all - 1], value, 1 });
}

/* --- all of them ---------------------------------------------------------------------------------------------------------- */

void lbr_dag_roll(lbr_dag *d, int array, const lbr_entry *entry, int64_t n)
{
    group *g = lbr_mem_alloc(GROUPS * sizeof *g);
    uint8_t *kind = lbr_mem_alloc((size_t)n);            /* 1 + the group of each entry; 0: none                       */
    int groups = 0, k;
    form f;

    if (!g || !kind) lbr_dag_no_memory(d);
    for (int64_t i = 0; i < n && !d->status; i++) {
        if (!form_of(d, entry + i, &f)) continue;
        for (k = 0; k < groups && !same(&f, &g[k].first); k++) ;
        if (k == GROUPS) continue;
        if (k == groups) g[groups++].first = f;
        g[k].n++, kind[i] = (uint8_t)(k + 1);
    }
    for (k = 0; k < groups && !d->status; k++)
        if (g[k].n >= FEW) roll(d, array, entry, n, kind, k, g + k);
    for (int64_t i = 0; i < n && !d->status; i++)
        if (!kind[i] || g[kind[i] - 1].n < FEW) lbr_dag_entry(d, array, entry[i]);
    lbr_mem_free(g), lbr_mem_free(kind);
}
