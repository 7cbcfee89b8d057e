/* precise.h - a second evaluator of a model's graph: plain, in the order that program/code.h defines, or in
 * double-double. SPDX-License-Identifier: BSD-3-Clause
 *
 * Slow: recursion over the nodes, loops as they stand. Plain values have to agree with the interpreter bit for bit.
 * Double-double values (about 29 digits) are what derivatives are compared with: central differences with steps of 1e-9
 * are right to 1e-17. */
#ifndef PRECISE_H
#define PRECISE_H
#include <stdlib.h>
#include <string.h>

#include "ddmath.h"
#include "program/code.h"
#include "graph/op.h"

typedef struct precise {
    const lbr_dag *dag;
    int plain;
    lbr_dd t;
    const lbr_dd *input[8];
    lbr_dd *value, **array;
    long *had, *ticks, tick;      /* when a node was computed; when a loop came where it is */
    double *index;                /* of each loop, where it is */
    char *nested, *needed, *seen; /* of nodes: is a reduction met (1 no, 2 yes); of arrays; of nodes */
    int failed;
} precise;

__attribute__((unused)) static void precise_begin(precise *d, const lbr_dag *dag)
{
    size_t n = (size_t)dag->n, loops = (size_t)dag->nloops + 1, arrays = (size_t)dag->narrays + 1;

    *d = (precise){ .dag = dag, .tick = 1 };
    d->value = malloc(n * sizeof *d->value), d->had = calloc(n, sizeof *d->had), d->nested = calloc(n, 1),
    d->seen = calloc(n, 1);
    d->array = calloc(arrays, sizeof *d->array), d->needed = calloc(arrays, 1);
    d->ticks = calloc(loops, sizeof *d->ticks), d->index = calloc(loops, sizeof *d->index);
}

__attribute__((unused)) static void precise_end(precise *d)
{
    for (int k = 0; k < d->dag->narrays; k++) free(d->array[k]);
    free(d->value), free(d->had), free(d->nested), free(d->seen), free(d->array), free(d->needed), free(d->ticks),
        free(d->index);
}

static lbr_dd precise_value(precise *d, lbr_ref n);
static void precise_go(precise *d, int loop, double i) { d->index[loop] = i, d->ticks[loop] = ++d->tick; }

/* --- operations -------------------------------------------------------------------------------------------------- */

static lbr_dd precise_round(const precise *d, lbr_dd x) { return d->plain ? dd(x.hi) : x; }

static double precise_plain(int op, double a, double b, double c)
{
    switch (op) {
/* clang-format off */
#define CASE(name, expression) case LBR_OP_##name: return expression;
        /* clang-format on */
        LBR_OP_NUMBERS(CASE)
#undef CASE
    }
    return NAN;
}

static lbr_dd precise_one(int op, lbr_dd a)
{
    lbr_dd s, c;

    switch (op) {
    case LBR_OP_NEG: return dd_neg(a);
    case LBR_OP_ABS: return dd_abs(a);
    case LBR_OP_SQRT: return dd_sqrt(a);
    case LBR_OP_CBRT: return ddm_cbrt(a);
    case LBR_OP_EXP: return ddm_exp(a);
    case LBR_OP_LOG: return ddm_log(a);
    case LBR_OP_SIN: return ddm_sincos(a, &s, &c), s;
    case LBR_OP_COS: return ddm_sincos(a, &s, &c), c;
    case LBR_OP_TAN: return ddm_sincos(a, &s, &c), dd_div(s, c);
    case LBR_OP_ASIN: return ddm_asin(a);
    case LBR_OP_ACOS: return ddm_acos(a);
    case LBR_OP_ATAN: return ddm_atan(a);
    case LBR_OP_SINH: return ddm_sinh(a);
    case LBR_OP_COSH: return ddm_cosh(a);
    case LBR_OP_TANH: return ddm_tanh(a);
    case LBR_OP_ASINH: return ddm_asinh(a);
    case LBR_OP_ACOSH: return ddm_acosh(a);
    case LBR_OP_ATANH: return ddm_atanh(a);
    case LBR_OP_ERF: return ddm_erf(a);
    case LBR_OP_FLOOR: return ddm_floor(a);
    default: return dd(precise_plain(op, a.hi, 0, 0)); /* signs and conditions */
    }
}

static lbr_dd precise_many(int op, lbr_dd a, lbr_dd b, lbr_dd c)
{
    switch (op) {
    case LBR_OP_ADD: return dd_add(a, b);
    case LBR_OP_SUB: return dd_sub(a, b);
    case LBR_OP_MUL: return dd_mul(a, b);
    case LBR_OP_DIV: return dd_div(a, b);
    case LBR_OP_POW: return ddm_power(a, b);
    case LBR_OP_ATAN2: return ddm_atan2(a, b);
    case LBR_OP_HYPOT: return dd_sqrt(dd_add(dd_mul(a, a), dd_mul(b, b)));
    case LBR_OP_MIN: return dd_less(b, a) ? b : a;
    case LBR_OP_MAX: return dd_less(a, b) ? b : a;
    case LBR_OP_MOD: return ddm_mod(a, b);
    case LBR_OP_FMA: return dd_add(dd_mul(a, b), c);
    case LBR_OP_SELECT: return a.hi != 0 ? b : c;
    case LBR_OP_LT: return dd(dd_less(a, b));
    case LBR_OP_LE: return dd(!dd_less(b, a));
    default: return dd(precise_plain(op, a.hi, b.hi, c.hi));
    }
}

/* --- reductions -------------------------------------------------------------------------------------------------- */

/* Whether a reduction is met on the way from n through nodes of scope L. */
static int precise_nested(precise *d, lbr_ref n, int L)
{
    const lbr_dag_node *x = &d->dag->node[n];
    const int32_t operand[3] = { x->a, x->b, x->c };
    int found = 0;

    if (x->scope != L) return 0;
    if (x->op >= LBR_OP_SUM) return 1;
    if (d->nested[n]) return d->nested[n] == 2;
    for (int i = 0; i < lbr_op_operands[x->op] && !found; i++) found = precise_nested(d, operand[i], L);
    d->nested[n] = found ? 2 : 1;
    return found;
}

/* sum + term, products fused. */
static lbr_dd precise_with(precise *d, lbr_dd sum, lbr_ref term)
{
    const lbr_dag_node *x = &d->dag->node[term], *y = &d->dag->node[x->a];

    if (d->plain && x->op == LBR_OP_MUL) return dd(fma(precise_value(d, x->a).hi, precise_value(d, x->b).hi, sum.hi));
    if (d->plain && x->op == LBR_OP_NEG && y->op == LBR_OP_MUL)
        return dd(fma(-precise_value(d, y->a).hi, precise_value(d, y->b).hi, sum.hi));
    return d->plain ? dd(sum.hi + precise_value(d, term).hi) : dd_add(sum, precise_value(d, term));
}

static lbr_dd precise_pair(const precise *d, int op, lbr_dd a, lbr_dd b)
{
    return d->plain ? dd(precise_plain(op, a.hi, b.hi, 0)) : precise_many(op, a, b, dd(0));
}

static lbr_dd precise_reduce(precise *d, const lbr_dag_node *x)
{
    static const int pair[] = { LBR_OP_ADD, LBR_OP_MUL, LBR_OP_MAX, LBR_OP_MIN };
    double lo = precise_value(d, d->dag->loop[x->k].lo).hi, hi = precise_value(d, d->dag->loop[x->k].hi).hi,
           here = d->index[x->k];
    int lanes = x->op == LBR_OP_SUM && !precise_nested(d, x->a, x->k) && hi - lo + 1 > 8 ? 8 : 1, k = 0;
    lbr_dd s[8];

    if (hi < lo) return dd(x->op == LBR_OP_SUM ? 0 : x->op == LBR_OP_PROD ? 1 : NAN);
    for (double i = lo; i <= hi; i++, k++) {
        lbr_dd *e = &s[k % lanes];

        precise_go(d, x->k, i);
        if (k < lanes) *e = precise_value(d, x->a);
        else
            *e = x->op == LBR_OP_SUM ? precise_with(d, *e, x->a)
                                     : precise_pair(d, pair[x->op - LBR_OP_SUM], *e, precise_value(d, x->a));
    }
    precise_go(d, x->k, here);
    if (lanes == 1) return s[0];
    for (int half = 4; half; half /= 2) /* ((0+4)+(2+6)) + ((1+5)+(3+7)) */
        for (int i = 0; i < half; i++) s[i] = precise_pair(d, LBR_OP_ADD, s[i], s[i + half]);
    return s[0];
}

static lbr_dd precise_compute(precise *d, const lbr_dag_node *x)
{
    lbr_dd a, b, c;
    double last;

    switch (x->op) {
    case LBR_OP_CONST: return dd(x->value);
    case LBR_OP_TIME: return precise_round(d, d->t);
    case LBR_OP_INDEX: return dd(d->index[x->k]);
    case LBR_OP_LOAD:
        a = precise_value(d, x->a), last = (double)d->dag->array[x->k].size - 1;
        if (!(a.hi >= 0)) a.hi = 0;
        return d->array[x->k][(int64_t)(a.hi > last ? last : a.hi)];
    case LBR_OP_SUM:
    case LBR_OP_PROD:
    case LBR_OP_LARGEST:
    case LBR_OP_SMALLEST: return precise_reduce(d, x);
    }
    a = precise_value(d, x->a), b = c = dd(0);
    if (lbr_op_operands[x->op] > 1) b = precise_value(d, x->b);
    if (lbr_op_operands[x->op] > 2) c = precise_value(d, x->c);
    if (d->plain) return dd(precise_plain(x->op, a.hi, b.hi, c.hi));
    return lbr_op_operands[x->op] == 1 ? precise_one(x->op, a) : precise_many(x->op, a, b, c);
}

static lbr_dd precise_value(precise *d, lbr_ref n)
{
    const lbr_dag_node *x = &d->dag->node[n];

    if (d->had[n] > d->ticks[x->scope]) return d->value[n];
    d->value[n] = precise_compute(d, x);
    d->had[n] = ++d->tick;
    return d->value[n];
}

/* --- arrays ------------------------------------------------------------------------------------------------------ */

static int precise_child(const lbr_dag *g, int loop, int L)
{
    return g->loop[loop].parent == L ? loop : precise_child(g, g->loop[loop].parent, L);
}

static void precise_entry(precise *d, int k, const lbr_entry *e)
{
    double i = precise_value(d, e->index).hi;
    lbr_dd *at = d->array[k];

    if (!(i >= 0 && i < (double)d->dag->array[k].size)) return;
    at += (int64_t)i;
    *at = e->add ? precise_with(d, *at, e->value) : precise_value(d, e->value);
}

static void precise_entries(precise *d, int k, const lbr_entry *e, const lbr_entry *end, int L)
{
    const lbr_dag *g = d->dag;

    while (e < end) {
        const lbr_entry *next = e + 1;
        int C = e->loop == L ? L : precise_child(g, e->loop, L), strip = 1;

        if (C == L) {
            precise_entry(d, k, e++);
            continue;
        }
        while (next < end && next->loop != L && precise_child(g, next->loop, L) == C) next++;
        for (const lbr_entry *x = e; x < next; x++)
            strip &= x->loop == C && !precise_nested(d, x->index, C) && !precise_nested(d, x->value, C);
        for (double i = precise_value(d, g->loop[C].lo).hi, hi = precise_value(d, g->loop[C].hi).hi; i <= hi;
             i += strip ? 8 : 1) {
            if (!strip) precise_go(d, C, i), precise_entries(d, k, e, next, C);
            else
                for (const lbr_entry *x = e; x < next; x++)
                    for (double l = i; l < i + 8 && l <= hi; l++) precise_go(d, C, l), precise_entry(d, k, x);
        }
        e = next;
    }
}

static void precise_made(precise *d, int k, const lbr_array *a)
{
    lbr_entry *sorted = malloc(((size_t)a->nentries + 1) * sizeof *sorted);

    memset(d->array[k], 0, (size_t)a->size * sizeof **d->array);
    for (int64_t i = 0; a->element && i < a->size; i++) d->array[k][i] = precise_value(d, a->element[i]);
    d->failed |= lbr_code_entry_order(d->dag, k, sorted) != 0;
    if (!a->element) precise_entries(d, k, sorted, sorted + a->nentries, 0);
    free(sorted);
}

/* A x = b by elimination with row pivoting, by rows; the determinant. */
static lbr_dd precise_eliminate(int64_t n, int64_t cols, lbr_dd *A, lbr_dd *b)
{
    lbr_dd det = dd(1), s;

    for (int64_t k = 0; k < n; k++) {
        int64_t p = k;

        for (int64_t i = k + 1; i < n; i++) p = fabs(A[i * n + k].hi) > fabs(A[p * n + k].hi) ? i : p;
        for (int64_t j = 0; j < n && p != k; j++) s = A[k * n + j], A[k * n + j] = A[p * n + j], A[p * n + j] = s;
        for (int64_t j = 0; j < cols && p != k; j++)
            s = b[k * cols + j], b[k * cols + j] = b[p * cols + j], b[p * cols + j] = s;
        det = dd_mul(p != k ? dd_neg(det) : det, A[k * n + k]);
        for (int64_t i = 0; i < n; i++) {
            if (i == k) continue;
            s = dd_div(A[i * n + k], A[k * n + k]);
            for (int64_t j = k; j < n; j++) A[i * n + j] = dd_sub(A[i * n + j], dd_mul(s, A[k * n + j]));
            for (int64_t j = 0; j < cols; j++) b[i * cols + j] = dd_sub(b[i * cols + j], dd_mul(s, b[k * cols + j]));
        }
    }
    for (int64_t i = 0; i < n * cols; i++) b[i] = dd_div(b[i], A[i / cols * (n + 1)]);
    return det;
}

static void precise_dense(precise *d, int k, const lbr_array *a)
{
    int64_t n = a->rows, size = a->size, *pivot = malloc((size_t)n * sizeof *pivot);
    lbr_dd *A = malloc((size_t)(n * n) * sizeof *A);
    double *M = malloc((size_t)(n * n) * sizeof *M), *x = malloc((size_t)(n + size) * sizeof *x), *X = x + n;

    for (int64_t i = 0; i < n * n; i++)
        A[i] = d->array[a->a][a->transposed ? i % n * n + i / n : i], M[i] = d->array[a->a][i].hi;
    for (int64_t i = 0; a->kind == LBR_ARRAY_SOLVE && i < size; i++)
        d->array[k][i] = d->array[a->b][i], X[i] = d->array[k][i].hi;
    if (d->plain || a->kind == LBR_ARRAY_EIGEN) {
        if (a->kind == LBR_ARRAY_SOLVE) d->failed |= lbr_code_solve(n, a->cols, a->transposed, M, X, x, pivot) != 0;
        else if (a->kind == LBR_ARRAY_DET) X[0] = lbr_code_det(n, M, pivot);
        else lbr_code_eigen(n, M, X);
        for (int64_t i = 0; i < size; i++) d->array[k][i] = dd(X[i]);
    } else if (a->kind == LBR_ARRAY_SOLVE) precise_eliminate(n, a->cols, A, d->array[k]);
    else d->array[k][0] = precise_eliminate(n, 0, A, NULL);
    free(pivot), free(A), free(M), free(x);
}

static void precise_need_array(precise *d, int k);

static void precise_need(precise *d, lbr_ref n)
{
    const lbr_dag_node *x = &d->dag->node[n];
    const int32_t operand[3] = { x->a, x->b, x->c };

    if (d->seen[n]) return;
    d->seen[n] = 1;
    if (x->op == LBR_OP_LOAD) precise_need_array(d, x->k);
    if (x->op == LBR_OP_INDEX || x->op >= LBR_OP_SUM)
        precise_need(d, d->dag->loop[x->k].lo), precise_need(d, d->dag->loop[x->k].hi);
    for (int i = 0; i < lbr_op_operands[x->op]; i++) precise_need(d, operand[i]);
}

static void precise_need_array(precise *d, int k)
{
    const lbr_array *a = &d->dag->array[k];

    if (d->needed[k]) return;
    d->needed[k] = 1;
    for (int i = 0; i < a->nentries; i++) {
        precise_need(d, a->entry[i].value), precise_need(d, a->entry[i].index);
        for (int l = a->entry[i].loop; l; l = d->dag->loop[l].parent)
            precise_need(d, d->dag->loop[l].lo), precise_need(d, d->dag->loop[l].hi);
    }
    if (a->kind >= LBR_ARRAY_SOLVE) precise_need_array(d, a->a);
    if (a->kind == LBR_ARRAY_SOLVE) precise_need_array(d, a->b);
}

static void precise_array(precise *d, int k)
{
    const lbr_array *a = &d->dag->array[k];
    int64_t size = a->kind == LBR_ARRAY_INPUT && !d->input[a->input] ? 0 : a->size < 1000000 ? a->size : 1000000;

    if (!d->array[k]) d->array[k] = calloc((size_t)size + 1, sizeof **d->array);
    for (int64_t i = 0; a->kind == LBR_ARRAY_INPUT && i < size; i++)
        d->array[k][i] = precise_round(d, d->input[a->input][i]);
    for (int64_t i = 0; a->kind == LBR_ARRAY_DATA && i < size; i++) d->array[k][i] = dd(a->data[i]);
    if (a->kind == LBR_ARRAY_MADE) precise_made(d, k, a);
    if (a->kind >= LBR_ARRAY_SOLVE) precise_dense(d, k, a);
}

/* A made array, or (array -1) a node of the top, at d->t and d->input. Input arrays have the size of the graph's
 * (multipliers: a million at most). */
__attribute__((unused)) static void precise_run(precise *d, int array, lbr_ref node, lbr_dd *out)
{
    const lbr_dag *g = d->dag;

    memset(d->seen, 0, (size_t)g->n), memset(d->needed, 0, (size_t)g->narrays);
    d->ticks[0] = ++d->tick;
    if (array >= 0) precise_need_array(d, array);
    else precise_need(d, node);
    for (int k = 0; k < g->narrays; k++) /* what is given, then the others in the order of their birth */
        if (d->needed[k] && g->array[k].kind <= LBR_ARRAY_DATA) precise_array(d, k);
    for (;;) {
        int next = -1;

        for (int k = 0; k < g->narrays; k++)
            if (d->needed[k] == 1 && g->array[k].kind > LBR_ARRAY_DATA &&
                (next < 0 || g->array[k].born < g->array[next].born))
                next = k;
        if (next < 0) break;
        precise_array(d, next), d->needed[next] = 2;
    }
    if (array < 0) *out = precise_value(d, node);
    else memcpy(out, d->array[array], (size_t)g->array[array].size * sizeof *out);
}
#endif
