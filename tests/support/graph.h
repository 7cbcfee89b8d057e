/* graph.h - a reference evaluator of expression graphs, in complex numbers. SPDX-License-Identifier: BSD-3-Clause
 *
 * Slow and plain: recursion over the nodes, loops as they are written. The real parts are the values (sums in
 * another order than the library's, so the last bits differ); with an input x + i h v, h tiny, the imaginary part over
 * h is the derivative in the direction v, without cancellation. Nothing here knows the rules of differentiation. */
#ifndef GRAPH_H
#define GRAPH_H
#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "graph/dag.h"
#include "graph/op.h"

#undef I
#define GRAPH_STEP 1e-30

typedef double complex number;

typedef struct graph {
    const lbr_dag *dag;
    number t, **input; /* of each input its elements */
    number *value;
    long *stamp; /* of each node, and for which iteration of its loop it holds */
    double *index;
    long *turn, turns; /* of each loop, its index now, and which iteration that is */
    number **array;    /* of each array its elements, once they are known */
} graph;

/* All values are forgotten: after a change of inputs. */
__attribute__((unused)) static void graph_reset(graph *g)
{
    g->turn[0] = ++g->turns;
    for (int i = 0; i < g->dag->narrays; i++) free(g->array[i]), g->array[i] = NULL;
}

__attribute__((unused)) static void graph_begin(graph *g, const lbr_dag *dag)
{
    *g = (graph){ .dag = dag };
    g->input = calloc((size_t)dag->ninputs + 1, sizeof *g->input);
    g->value = calloc((size_t)dag->n, sizeof *g->value), g->stamp = calloc((size_t)dag->n, sizeof *g->stamp);
    g->index = calloc((size_t)dag->nloops, sizeof *g->index), g->turn = calloc((size_t)dag->nloops, sizeof *g->turn);
    g->array = calloc((size_t)dag->narrays + 1, sizeof *g->array);
    for (int i = 0; i < dag->narrays; i++)
        if (dag->array[i].kind == LBR_ARRAY_INPUT)
            g->input[dag->array[i].input] = calloc((size_t)dag->array[i].size + 1, sizeof(number));
    graph_reset(g);
}

__attribute__((unused)) static void graph_end(graph *g)
{
    graph_reset(g);
    for (int i = 0; i < g->dag->ninputs; i++) free(g->input[i]);
    free(g->input), free(g->value), free(g->stamp), free(g->index), free(g->turn), free(g->array);
}

static number graph_node(graph *g, lbr_ref a);
static const number *graph_array(graph *g, int array);

/* --- operations -------------------------------------------------------------------------------------------------- */

/* exp(-z^2) times a series of terms of one sign. */
static number graph_erf(number z)
{
    number term = z, sum = z;

    if (fabs(creal(z)) > 7) return erf(creal(z));
    for (int n = 1; n < 400; n++) term *= 2 * z * z / (2 * n + 1), sum += term;
    return sum * cexp(-z * z) * 2 / sqrt(acos(-1.0));
}

static number graph_pow(number a, number b)
{
    double n = creal(b);
    number r = 1;

    if (cimag(b) != 0 || n != floor(n) || fabs(n) > 40) return creal(a) == 0 && cimag(a) == 0 ? pow(0, n) : cpow(a, b);
    for (int i = 0; i < fabs(n); i++) r *= a;
    return n < 0 ? 1 / r : r;
}

static number graph_root(number z, double n) { return creal(z) < 0 ? -cpow(-z, 1 / n) : cpow(z, 1 / n); }
static number graph_hypot(number a, number b) { return csqrt(a * a + b * b); }
static number graph_atan2(number y, number x)
{
    number r = graph_hypot(x, y);

    return creal(x) >= 0 ? 2 * catan(y / (r + x)) : 2 * catan((r - x) / y);
}

static number graph_op(lbr_op op, number a, number b, number c)
{
    double x = creal(a), y = creal(b);

    switch ((int)op) {
    case LBR_OP_NEG: return -a;
    case LBR_OP_ABS: return x < 0 ? -a : a;
    case LBR_OP_SQRT: return x == 0 && cimag(a) == 0 ? 0 : x < 0 ? NAN : csqrt(a);
    case LBR_OP_CBRT: return graph_root(a, 3);
    case LBR_OP_EXP: return cexp(a);
    case LBR_OP_LOG: return clog(a);
    case LBR_OP_SIN: return csin(a);
    case LBR_OP_COS: return ccos(a);
    case LBR_OP_TAN: return csin(a) / ccos(a);
    case LBR_OP_ASIN: return 2 * catan(a / (1 + csqrt((1 - a) * (1 + a))));
    case LBR_OP_ACOS: return acos(-1.0) / 2 - 2 * catan(a / (1 + csqrt((1 - a) * (1 + a))));
    case LBR_OP_ATAN: return catan(a);
    case LBR_OP_SINH: return csinh(a);
    case LBR_OP_COSH: return ccosh(a);
    case LBR_OP_TANH: return csinh(a) / ccosh(a);
    case LBR_OP_ASINH: return x < 0 ? -clog(-a + csqrt(1 + a * a)) : clog(a + csqrt(1 + a * a));
    case LBR_OP_ACOSH: return clog(a + csqrt((a - 1) * (a + 1)));
    case LBR_OP_ATANH: return clog((1 + a) / (1 - a)) / 2;
    case LBR_OP_ERF: return graph_erf(a);
    case LBR_OP_ADD: return a + b;
    case LBR_OP_SUB: return a - b;
    case LBR_OP_MUL: return a * b;
    case LBR_OP_DIV: return a / b;
    case LBR_OP_POW: return graph_pow(a, b);
    case LBR_OP_ATAN2: return graph_atan2(a, b);
    case LBR_OP_HYPOT: return graph_hypot(a, b);
    case LBR_OP_MIN: return y < x ? b : a;
    case LBR_OP_MAX: return y > x ? b : a;
    case LBR_OP_MOD: return a - floor(x / y) * b;
    case LBR_OP_FMA: return a * b + c;
    case LBR_OP_SELECT: return x != 0 ? b : c;
    case LBR_OP_FLOOR: return floor(x);
    case LBR_OP_SIGN: return lbr_op_sign(x);
    case LBR_OP_NOT: return x == 0;
    case LBR_OP_LT: return x < y;
    case LBR_OP_LE: return x <= y;
    case LBR_OP_EQ: return x == y;
    case LBR_OP_AND: return x != 0 && y != 0;
    case LBR_OP_OR: return x != 0 || y != 0;
    }
    return NAN;
}

/* --- loops and nodes --------------------------------------------------------------------------------------------- */

/* One iteration after the other; what is going on in the loop outside is kept by the caller. */
static void graph_turn(graph *g, int loop, double index) { g->index[loop] = index, g->turn[loop] = ++g->turns; }

static number graph_reduce(graph *g, lbr_op op, int loop, lbr_ref body)
{
    double lo = creal(graph_node(g, g->dag->loop[loop].lo)), hi = creal(graph_node(g, g->dag->loop[loop].hi)),
           old = g->index[loop];
    number r = op == LBR_OP_PROD;
    long turn = g->turn[loop];

    for (double i = lo; i <= hi; i++) {
        number x;

        graph_turn(g, loop, i);
        x = graph_node(g, body);
        if (op == LBR_OP_SUM) r += x;
        else if (op == LBR_OP_PROD) r *= x;
        else if (i == lo || (op == LBR_OP_LARGEST ? creal(x) > creal(r) : creal(x) < creal(r))) r = x;
    }
    g->index[loop] = old, g->turn[loop] = turn;
    return r;
}

static number graph_node(graph *g, lbr_ref a)
{
    const lbr_dag_node *n = &g->dag->node[a];
    number r, x, y, z;

    if (g->stamp[a] == g->turn[n->scope]) return g->value[a];
    if (n->op == LBR_OP_CONST) r = n->value;
    else if (n->op == LBR_OP_TIME) r = g->t;
    else if (n->op == LBR_OP_INDEX) r = g->index[n->k];
    else if (n->op == LBR_OP_LOAD) {
        int64_t at = (int64_t)creal(graph_node(g, n->a));

        r = at < 0 || at >= g->dag->array[n->k].size ? NAN : graph_array(g, n->k)[at];
    } else if (n->op >= LBR_OP_SUM) r = graph_reduce(g, (lbr_op)n->op, n->k, n->a);
    else {
        x = graph_node(g, n->a), y = graph_node(g, n->b), z = graph_node(g, n->c);
        r = graph_op((lbr_op)n->op, x, y, z);
    }
    g->stamp[a] = g->turn[n->scope];
    return g->value[a] = r;
}

/* --- arrays ------------------------------------------------------------------------------------------------------ */

/* All iterations of a loop and of those around it: `loop` is the innermost, level the one to begin. */
static void graph_entry(graph *g, const lbr_entry *e, int level, number *out)
{
    int loop = e->loop;

    if (g->dag->loop[loop].level < level || loop == 0) {
        int64_t at = (int64_t)creal(graph_node(g, e->index));
        number value = graph_node(g, e->value);

        if (e->add) out[at] += value;
        else out[at] = value;
        return;
    }
    while (g->dag->loop[loop].level > level) loop = g->dag->loop[loop].parent;
    double lo = creal(graph_node(g, g->dag->loop[loop].lo)), hi = creal(graph_node(g, g->dag->loop[loop].hi)),
           old = g->index[loop];
    long turn = g->turn[loop];
    for (double i = lo; i <= hi; i++) {
        graph_turn(g, loop, i);
        graph_entry(g, e, level + 1, out);
    }
    g->index[loop] = old, g->turn[loop] = turn;
}

/* Gaussian elimination with row pivoting; det if there is no right side. */
static number graph_solve(int64_t n, int64_t cols, number *A, number *b)
{
    number det = 1;

    for (int64_t k = 0; k < n; k++) {
        int64_t p = k;

        for (int64_t i = k + 1; i < n; i++) p = cabs(A[i * n + k]) > cabs(A[p * n + k]) ? i : p;
        if (p != k) det = -det;
        for (int64_t j = 0; j < n; j++) {
            number s = A[k * n + j];
            A[k * n + j] = A[p * n + j], A[p * n + j] = s;
        }
        for (int64_t j = 0; j < cols; j++) {
            number s = b[k * cols + j];
            b[k * cols + j] = b[p * cols + j], b[p * cols + j] = s;
        }
        det *= A[k * n + k];
        for (int64_t i = 0; i < n; i++) {
            number f = i == k ? 0 : A[i * n + k] / A[k * n + k];

            for (int64_t j = 0; j < n && i != k; j++) A[i * n + j] -= f * A[k * n + j];
            for (int64_t j = 0; j < cols; j++) b[i * cols + j] -= f * b[k * cols + j];
        }
    }
    for (int64_t i = 0; i < n * cols; i++) b[i] /= A[i / cols * (n + 1)];
    return det;
}

static void graph_fill(graph *g, const lbr_array *a, number *out)
{
    int64_t n = a->rows;
    const number *m = a->kind >= LBR_ARRAY_SOLVE ? graph_array(g, a->a) : NULL;
    number *copy = m ? calloc((size_t)(n * n), sizeof *copy) : NULL;

    for (int64_t i = 0; m && i < n * n; i++) copy[i] = a->transposed ? m[i % n * n + i / n] : m[i];
    for (int64_t i = 0; i < a->size && !m; i++)
        out[i] = a->kind == LBR_ARRAY_INPUT ? g->input[a->input][i] : a->data ? a->data[i] : 0;
    for (int i = 0; i < a->nentries; i++) graph_entry(g, &a->entry[i], 1, out);
    for (int64_t i = 0; i < a->size && a->kind == LBR_ARRAY_SOLVE; i++) out[i] = graph_array(g, a->b)[i];
    if (a->kind == LBR_ARRAY_SOLVE) graph_solve(n, a->cols, copy, out);
    if (a->kind == LBR_ARRAY_DET) out[0] = graph_solve(n, 0, copy, NULL);
    free(copy);
}

static const number *graph_array(graph *g, int array)
{
    if (!g->array[array]) {
        number *out = calloc((size_t)g->dag->array[array].size + 1, sizeof *out);

        graph_fill(g, &g->dag->array[array], out);
        g->array[array] = out;
    }
    return g->array[array];
}
#endif
