/* definition.h - an evaluator of the graph that follows program/code.h word by word, and random graphs for it.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEST_DEFINITION_H
#define TEST_DEFINITION_H
#include "program/code.h"
#include "graph/op.h"

#include <stdlib.h>
#include <string.h>

/* --- the definition ---------------------------------------------------------------------------------------------- */

enum { MOST_ARRAYS = 64, MOST_ELEMENTS = 64, MOST_NODES = 4096, MOST_LOOPS = 64, MOST_ENTRIES = 16 };

typedef struct definition {
    const lbr_dag *dag;
    double t;
    const double *const *input;
    double array[MOST_ARRAYS][MOST_ELEMENTS];
    double index[MOST_LOOPS];                      /* where each loop is */
    long tick, ticks[MOST_LOOPS], had[MOST_NODES]; /* when it came there; when a node was computed */
    double value[MOST_NODES];
    int failed;
} definition;

static double value(definition *d, lbr_ref n);

static void go(definition *d, int loop, double i) { d->index[loop] = i, d->ticks[loop] = ++d->tick; }

/* Whether a reduction is met on the way from n through nodes of scope L. */
static int nested(const lbr_dag *g, lbr_ref n, int L)
{
    const lbr_dag_node *x = &g->node[n];
    const int32_t operand[3] = { x->a, x->b, x->c };
    int found = 0;

    if (x->scope != L) return 0;
    if (x->op >= LBR_OP_SUM) return 1;
    for (int i = 0; i < lbr_op_operands[x->op] && !found; i++) found = nested(g, operand[i], L);
    return found;
}

/* sum + term. */
static double with(definition *d, double sum, lbr_ref term)
{
    const lbr_dag_node *x = &d->dag->node[term], *y = &d->dag->node[x->a];

    if (x->op == LBR_OP_MUL) return fma(value(d, x->a), value(d, x->b), sum);
    if (x->op == LBR_OP_NEG && y->op == LBR_OP_MUL) return fma(-value(d, y->a), value(d, y->b), sum);
    return sum + value(d, term);
}

static double reduction(definition *d, const lbr_dag_node *x)
{
    double lo = value(d, d->dag->loop[x->k].lo), hi = value(d, d->dag->loop[x->k].hi), s[8] = { 0 }, n = hi - lo + 1;
    int lanes = x->op == LBR_OP_SUM && !nested(d->dag, x->a, x->k) && n > 8 ? 8 : 1, k = 0;
    double here = d->index[x->k]; /* it may be called in this very loop, for a value from outside */

    if (hi < lo) return x->op == LBR_OP_SUM ? 0 : x->op == LBR_OP_PROD ? 1 : NAN;
    for (double i = lo; i <= hi; i++, k++) {
        double *e = &s[k % lanes];

        go(d, x->k, i);
        if (k < lanes) *e = value(d, x->a);
        else if (x->op == LBR_OP_SUM) *e = with(d, *e, x->a);
        else if (x->op == LBR_OP_PROD) *e = *e * value(d, x->a);
        else *e = x->op == LBR_OP_LARGEST ? lbr_op_max(*e, value(d, x->a)) : lbr_op_min(*e, value(d, x->a));
    }
    go(d, x->k, here);
    return lanes == 1 ? s[0] : ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

static double element(definition *d, int array, double i)
{
    double last = (double)d->dag->array[array].size - 1;

    return d->array[array][(int)(i < 0 ? 0 : i > last ? last : i)];
}

static double compute(definition *d, const lbr_dag_node *x)
{
    double a = 0, b = 0, c = 0;

    if (x->op >= LBR_OP_SUM) return reduction(d, x);
    if (lbr_op_operands[x->op] > 0) a = value(d, x->a);
    if (lbr_op_operands[x->op] > 1) b = value(d, x->b);
    if (lbr_op_operands[x->op] > 2) c = value(d, x->c);
    switch (x->op) {
    case LBR_OP_CONST: return x->value;
    case LBR_OP_TIME: return d->t;
    case LBR_OP_INDEX: return d->index[x->k];
    case LBR_OP_LOAD:
        return element(d, x->k, a);
/* clang-format off */
#define CASE(name, expression) case LBR_OP_##name: return expression;
        /* clang-format on */
        LBR_OP_NUMBERS(CASE)
    default: return 0;
    }
}

static double value(definition *d, lbr_ref n)
{
    const lbr_dag_node *x = &d->dag->node[n];

    if (x->op != LBR_OP_CONST && d->had[n] > d->ticks[x->scope]) return d->value[n];
    d->value[n] = compute(d, x);
    d->had[n] = ++d->tick;
    return d->value[n];
}

static void entry(definition *d, int k, const lbr_entry *e)
{
    double i = value(d, e->index), *at = d->array[k];

    if (!(i >= 0 && i < (double)d->dag->array[k].size)) return;
    at += (int)i;
    *at = e->add ? with(d, *at, e->value) : value(d, e->value);
}

static int child(const lbr_dag *g, int loop, int L)
{
    return g->loop[loop].parent == L ? loop : child(g, g->loop[loop].parent, L);
}

/* Entries that only add, brought together: those of the loops in L, in order of appearance, then those of L itself. */
static lbr_entry *together(const lbr_dag *g, const lbr_entry *e, int n, int L, lbr_entry *to)
{
    lbr_entry part[MOST_ENTRIES];
    int seen[MOST_LOOPS] = { 0 };

    for (int i = 0; i < n; i++) {
        int C = e[i].loop == L ? L : child(g, e[i].loop, L), count = 0;

        if (C == L || seen[C]++) continue;
        for (int j = i; j < n; j++)
            if (e[j].loop != L && child(g, e[j].loop, L) == C) part[count++] = e[j];
        to = together(g, part, count, C, to);
    }
    for (int i = 0; i < n; i++)
        if (e[i].loop == L) *to++ = e[i];
    return to;
}

static void entries(definition *d, int k, const lbr_entry *e, const lbr_entry *end, int L)
{
    const lbr_dag *g = d->dag;

    while (e < end) {
        const lbr_entry *next = e + 1;
        int C = e->loop == L ? L : child(g, e->loop, L), strip = 1;

        if (C == L) {
            entry(d, k, e++);
            continue;
        }
        while (next < end && next->loop != L && child(g, next->loop, L) == C) next++;
        for (const lbr_entry *x = e; x < next; x++)
            strip &= x->loop == C && !nested(g, x->index, C) && !nested(g, x->value, C);
        for (double i = value(d, g->loop[C].lo), hi = value(d, g->loop[C].hi); i <= hi; i += strip ? 8 : 1) {
            if (!strip) go(d, C, i), entries(d, k, e, next, C);
            else
                for (const lbr_entry *x = e; x < next; x++)
                    for (double l = i; l < i + 8 && l <= hi; l++) go(d, C, l), entry(d, k, x);
        }
        e = next;
    }
}

static void array(definition *d, int k)
{
    const lbr_array *a = &d->dag->array[k];
    double M[MOST_ELEMENTS], x[MOST_ELEMENTS];
    int64_t pivot[MOST_ELEMENTS];
    lbr_entry e[MOST_ENTRIES];
    int adds = 1;

    if (a->kind >= LBR_ARRAY_SOLVE) memcpy(M, d->array[a->a], sizeof M);
    switch (a->kind) {
    case LBR_ARRAY_INPUT: memcpy(d->array[k], d->input[a->input], (size_t)a->size * sizeof *M); break;
    case LBR_ARRAY_DATA: memcpy(d->array[k], a->data, (size_t)a->size * sizeof *M); break;
    case LBR_ARRAY_MADE:
        memset(d->array[k], 0, sizeof d->array[k]);
        for (int i = 0; a->element && i < a->size; i++) d->array[k][i] = value(d, a->element[i]);
        for (int i = 0; i < a->nentries; i++) e[i] = a->entry[i], adds &= e[i].add;
        if (adds) together(d->dag, a->entry, a->nentries, 0, e);
        if (!a->element) entries(d, k, e, e + a->nentries, 0);
        break;
    case LBR_ARRAY_SOLVE:
        memcpy(d->array[k], d->array[a->b], sizeof d->array[k]);
        d->failed |= lbr_code_solve(a->rows, a->cols, a->transposed, M, d->array[k], x, pivot);
        break;
    case LBR_ARRAY_DET: d->array[k][0] = lbr_code_det(a->rows, M, pivot); break;
    case LBR_ARRAY_EIGEN: lbr_code_eigen(a->rows, M, d->array[k]);
    }
}

/* All arrays in the order of their birth, then the outputs. */
static int define(definition *d, const lbr_dag *g, const lbr_output *out, int nout, double t,
                  const double *const *input, double *result)
{
    memset(d, 0, sizeof *d);
    d->dag = g, d->t = t, d->input = input, d->tick = 1;
    for (lbr_ref n = 0; n <= g->n; n++)
        for (int k = 0; k < g->narrays; k++)
            if (g->array[k].born == n) array(d, k);
    for (int i = 0; i < nout; i++) {
        if (out[i].array < 0) result[out[i].at] = value(d, out[i].node);
        else memcpy(result + out[i].at, d->array[out[i].array], (size_t)g->array[out[i].array].size * sizeof *result);
    }
    return d->failed;
}

/* --- random graphs ----------------------------------------------------------------------------------------------- */

enum { STATE = 24, OTHER = 10, TABLE = 12, POOL = 40, MOST_OUT = 400, CHAIN = 4 };

static unsigned long long seed = 1;
static double uniform(void)
{
    return (double)((seed = seed * 6364136223846793005ULL + 1442695040888963407ULL) >> 11) * 0x1p-53;
}
static int below(int n) { return (int)(uniform() * n); }

typedef struct graph {
    lbr_arena arena;
    lbr_dag dag;
    lbr_ref pool[MOST_LOOPS][POOL];
    int npool[MOST_LOOPS]; /* some nodes of each scope */
    int readable[MOST_ARRAYS], nreadable;
    double table[TABLE];
    lbr_output out[64];
    int nout;
    int64_t size;
} graph;

static void keep(graph *g, lbr_ref n)
{
    int L = g->dag.node[n].scope;

    if (g->npool[L] < POOL) g->pool[L][g->npool[L]++] = n;
    else g->pool[L][below(POOL)] = n;
}

/* Any node that may stand in loop L. */
static lbr_ref some(graph *g, int L)
{
    while (L && (below(3) == 0 || !g->npool[L])) L = g->dag.loop[L].parent;
    return below(12) == 0 ? lbr_dag_const(&g->dag, below(2) ? below(4) - 1 : uniform() - 0.5)
                          : g->pool[L][below(g->npool[L])];
}

/* An integer of loop L: in equal steps, or folded, or out of a table. */
static lbr_ref integer(graph *g, int L, int64_t size)
{
    lbr_dag *d = &g->dag;
    lbr_ref i = lbr_dag_const(d, below(3));

    for (int k = L; k; k = d->loop[k].parent)
        if (k == L || below(2)) i = lbr_dag_add(d, i, lbr_dag_mul(d, lbr_dag_const(d, below(5) - 1), d->loop[k].index));
    if (L && below(4) == 0) i = lbr_dag_op(d, LBR_OP_MOD, i, lbr_dag_const(d, (double)size), 0);
    if (L && below(6) == 0) i = lbr_dag_op(d, LBR_OP_FLOOR, lbr_dag_mul(d, i, lbr_dag_const(d, 0.5)), 0, 0);
    if (L && below(5) == 0) i = lbr_dag_load(d, 2, i); /* the table */
    if (L && below(8) == 0)
        i = lbr_dag_op(d, LBR_OP_SELECT, lbr_dag_op(d, LBR_OP_LT, i, lbr_dag_const(d, 3), 0),
                       lbr_dag_op(d, LBR_OP_MAX, i, d->loop[L].index, 0), i);
    return lbr_dag_is_const(d, i, NULL) ? lbr_dag_const(d, below((int)size)) : i;
}

static lbr_ref grow(graph *g, int L)
{
    static const lbr_op ops[] = { LBR_OP_ADD,   LBR_OP_SUB, LBR_OP_MUL,    LBR_OP_MUL,  LBR_OP_MUL,   LBR_OP_FMA,
                                  LBR_OP_FMA,   LBR_OP_NEG, LBR_OP_DIV,    LBR_OP_SQRT, LBR_OP_SIN,   LBR_OP_MIN,
                                  LBR_OP_MAX,   LBR_OP_LT,  LBR_OP_SELECT, LBR_OP_ABS,  LBR_OP_FLOOR, LBR_OP_EXP,
                                  LBR_OP_ATAN2, LBR_OP_MOD, LBR_OP_EQ,     LBR_OP_SIGN };
    lbr_op op = ops[below((int)(sizeof ops / sizeof *ops))];
    int k = g->readable[below(g->nreadable)];

    if (below(3) == 0) return lbr_dag_load(&g->dag, k, integer(g, L, g->dag.array[k].size));
    return lbr_dag_op(&g->dag, op, some(g, L), some(g, L), some(g, L));
}

/* Up to CHAIN loops in each other; triangular ones, empty ones, long ones. */
static int some_loop(graph *g)
{
    lbr_dag *d = &g->dag;
    int L = 0, levels = 1 + below(3);

    for (int i = 0; i < levels; i++) {
        lbr_ref lo = lbr_dag_const(d, below(3)), hi = lbr_dag_const(d, below(levels == 1 ? 22 : 10) - 1);

        if (L && below(3) == 0) hi = lbr_dag_add(d, d->loop[L].index, lbr_dag_const(d, below(3) - 1));
        if (L && below(5) == 0) lo = d->loop[L].index;
        if (d->nloops < MOST_LOOPS - 2) L = lbr_dag_loop(d, L, lo, hi);
        if (!g->npool[L]) keep(g, d->loop[L].index);
    }
    return L;
}

/* A few nodes in a loop, reduced all the way to the top. */
static void add_sum(graph *g)
{
    lbr_dag *d = &g->dag;
    int L = some_loop(g);

    for (int k = L; k; k = d->loop[k].parent)
        for (int i = below(8) + 2; i; i--) keep(g, grow(g, k));
    for (; L; L = d->loop[L].parent)
        for (int i = below(3) + 1; i; i--)
            keep(g, lbr_dag_reduce(d, below(3) ? LBR_OP_SUM : (lbr_op)(LBR_OP_SUM + below(4)), L,
                                   below(2) ? some(g, L) : lbr_dag_mul(d, some(g, L), some(g, L))));
}

static void add_array(graph *g)
{
    lbr_dag *d = &g->dag;
    int k = lbr_dag_array(d, 3 + below(14));
    int L = 0, only_add = below(2);

    for (int i = below(6) + 1; i; i--) {
        if (below(3)) L = below(5) ? some_loop(g) : 0;
        for (int j = below(4); j; j--) keep(g, grow(g, L));
        lbr_ref v = below(2) ? some(g, L) : lbr_dag_mul(d, some(g, L), some(g, L));
        if (below(4) == 0) v = lbr_dag_neg(d, v);
        lbr_dag_entry(d, k, (lbr_entry){ L, integer(g, L, d->array[k].size), v, only_add || below(3) });
        if (L && below(4) == 0) L = d->loop[L].parent;
    }
    lbr_dag_close(d, k);
    g->readable[g->nreadable++] = k;
}

/* A matrix with a strong diagonal, and what is done with it. */
static void add_matrix(graph *g)
{
    lbr_dag *d = &g->dag;
    int n = 2 + below(4), a = lbr_dag_array(d, n * n), L = lbr_dag_loop(d, 0, 0, lbr_dag_const(d, n * n - 1)),
        D = lbr_dag_loop(d, 0, 0, lbr_dag_const(d, n - 1)), x;

    lbr_dag_entry(d, a, (lbr_entry){ L, d->loop[L].index, lbr_dag_load(d, 0, d->loop[L].index), 0 });
    lbr_dag_entry(d, a,
                  (lbr_entry){ D, lbr_dag_mul(d, d->loop[D].index, lbr_dag_const(d, n + 1)), lbr_dag_const(d, 50), 1 });
    lbr_dag_close(d, a);
    x = below(2) ? lbr_dag_solve(d, a, a, n, n, below(2)) : below(2) ? lbr_dag_det(d, a, n) : lbr_dag_eigen(d, a, n);
    g->readable[g->nreadable++] = a, g->readable[g->nreadable++] = x;
}

static void output(graph *g, int array, lbr_ref node)
{
    int64_t size = array < 0 ? 1 : g->dag.array[array].size;

    if (g->nout == 64 || g->size + size > MOST_OUT) return;
    g->out[g->nout++] = (lbr_output){ array, node, g->size };
    g->size += size + below(2);
}

static int scalar_only;

static int nodes_before; /* that have nothing to do with it */

static void random_graph(graph *g)
{
    memset(g, 0, sizeof *g);
    lbr_dag_init(&g->dag, &g->arena);
    for (int i = 0; i < nodes_before; i++) lbr_dag_const(&g->dag, i + 0.123);
    for (int i = 0; i < TABLE; i++) g->table[i] = below(TABLE);
    g->readable[g->nreadable++] = lbr_dag_input(&g->dag, STATE),
    g->readable[g->nreadable++] = lbr_dag_input(&g->dag, OTHER);
    g->readable[g->nreadable++] = lbr_dag_data(&g->dag, g->table, TABLE);
    keep(g, lbr_dag_time(&g->dag));
    for (int i = below(20) + 4; i; i--)
        keep(g, i % 2 ? lbr_dag_load(&g->dag, below(2), lbr_dag_const(&g->dag, below(OTHER))) : grow(g, 0));
    for (int i = below(7); i && !scalar_only; i--) {
        int what = below(5);

        if (what < 2) add_sum(g);
        else if (what < 4) add_array(g);
        else add_matrix(g);
    }
    for (int i = below(8); i; i--) output(g, -1, some(g, 0));
    for (int i = 3; i < g->nreadable; i++)
        if (below(2)) output(g, g->readable[i], 0);
    if (below(10) == 0) output(g, g->readable[below(g->nreadable)], 0);
}

static void drop(graph *g) { lbr_dag_free(&g->dag), lbr_arena_free(&g->arena); }
#endif
