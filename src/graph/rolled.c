/* rolled.c - many entries that differ in their numbers alone, as loops over tables.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * An expression without loops is a list of operations and a list of numbers: its constants, and where it loads. Entries
 * with the same operations become one, in loops. */
#include "rolled.h"
#include "dag_make.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TOKENS = 64, GROUPS = 64, FEW = 16 }; /* operations of an expression; kinds of them; not worth a loop */

typedef struct form {
    int ntokens, nnumbers;
    int32_t token[TOKENS];
    double number[TOKENS];
} form;
typedef struct group {
    form first;
    int64_t n;
} group;

/* --- operations and numbers -------------------------------------------------------------------------------------- */

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
    if (a->ntokens != b->ntokens || a->nnumbers != b->nnumbers) return 0;
    return !memcmp(a->token, b->token, (size_t)a->ntokens * sizeof *a->token);
}

/* --- one loop ---------------------------------------------------------------------------------------------------- */

typedef struct rolling {
    lbr_dag *d;
    const lbr_ref *number;
    int next;
} rolling;

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

/* A number of all members: one, in equal steps, or from a table. */
static lbr_ref tabled(lbr_dag *d, const double *table, int64_t n, lbr_ref index)
{
    double step = n > 1 ? table[1] - table[0] : 0;
    int64_t i = 1;

    while (i < n && table[i] == table[0] + (double)i * step && step == rint(step)) i++;
    if (i < n) return lbr_dag_load(d, lbr_dag_data(d, table, n), index);
    if (step != 0) index = lbr_dag_mul(d, index, lbr_dag_const(d, step));
    return step == 0 ? lbr_dag_const(d, table[0]) : lbr_dag_add(d, index, lbr_dag_const(d, table[0]));
}

typedef struct member {
    double place;
    int64_t entry;
} member;

static int by_place(const void *x, const void *y)
{
    const member *a = x, *b = y;

    return a->place != b->place ? (a->place > b->place) - (a->place < b->place)
                                : (a->entry > b->entry) - (a->entry < b->entry);
}

/* Where the members of each place begin, the end behind them; the places. How many places. */
static int64_t places_of(const member *list, int64_t n, double *begin, double *place)
{
    int64_t places = 0;

    for (int64_t i = 0; i < n; i++)
        if (!i || list[i].place != list[i - 1].place) begin[places] = (double)i, place[places++] = list[i].place;
    return begin[places] = (double)n, places;
}

/* For each place the sum of its members: a loop over places, and in it one over them. */
static void roll(lbr_dag *d, int array, const lbr_entry *entry, const member *list, const group *g)
{
    int64_t n = g->n, all = g->first.nnumbers - 1, places;
    double *table = lbr_arena_alloc(d->arena, (all + 2) * n + 1, sizeof *table),
           *place = table ? table + all * n : NULL, *begin = place + n;
    lbr_ref number[TOKENS + 1], value, from, to;
    int outer, inner;
    form f;

    if (!table) {
        lbr_dag_no_memory(d);
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        form_of(d, entry + list[i].entry, &f);
        for (int64_t k = 0; k < all; k++) table[k * n + i] = f.number[k];
    }
    places = places_of(list, n, begin, place);
    outer = lbr_dag_loop(d, 0, 0, lbr_dag_const(d, (double)(places - 1)));
    if (d->status) return;
    from = tabled(d, begin, places, d->loop[outer].index), to = tabled(d, begin + 1, places, d->loop[outer].index);
    inner = lbr_dag_loop(d, outer, from, lbr_dag_sub(d, to, lbr_dag_const(d, 1)));
    if (d->status) return;
    for (int64_t k = 0; k < all; k++) number[k] = tabled(d, table + k * n, n, d->loop[inner].index);
    value = again(&(rolling){ d, number, 0 }, entry[list[0].entry].value);
    value = lbr_dag_reduce(d, LBR_OP_SUM, inner, value);
    lbr_dag_entry(d, array, (lbr_entry){ outer, tabled(d, place, places, d->loop[outer].index), value, 1 });
}

/* The members of a group, by place; then rolled. */
static void roll_group(lbr_dag *d, int array, const lbr_entry *entry, int64_t n, const uint8_t *kind, int which,
                       const group *g)
{
    member *list = lbr_mem_alloc((size_t)g->n * sizeof *list);

    if (!list) {
        lbr_dag_no_memory(d);
        return;
    }
    for (int64_t i = 0, k = 0; i < n; i++)
        if (kind[i] == which + 1) list[k++] = (member){ d->node[entry[i].index].value, i };
    qsort(list, (size_t)g->n, sizeof *list, by_place);
    roll(d, array, entry, list, g);
    lbr_mem_free(list);
}

/* --- all of them ------------------------------------------------------------------------------------------------- */

void lbr_dag_roll(lbr_dag *d, int array, const lbr_entry *entry, int64_t n)
{
    group *g = lbr_mem_alloc(GROUPS * sizeof *g);
    uint8_t *kind = lbr_mem_alloc((size_t)n); /* 1 + the group of each entry; 0: none */
    int groups = 0, k;
    form f;

    if (!g || !kind) lbr_dag_no_memory(d);
    for (int64_t i = 0; i < n && !d->status; i++) {
        if (!form_of(d, entry + i, &f)) continue;
        for (k = 0; k < groups && !same(&f, &g[k].first); k++)
            ;
        if (k == GROUPS) continue;
        if (k == groups) g[groups++].first = f;
        g[k].n++, kind[i] = (uint8_t)(k + 1);
    }
    for (k = 0; k < groups && !d->status; k++)
        if (g[k].n >= FEW) roll_group(d, array, entry, n, kind, k, g + k);
    for (int64_t i = 0; i < n && !d->status; i++)
        if (!kind[i] || g[kind[i] - 1].n < FEW) lbr_dag_entry(d, array, entry[i]);
    lbr_mem_free(g), lbr_mem_free(kind);
}
