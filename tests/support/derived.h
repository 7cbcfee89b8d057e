/* derived.h - a graph with an input, two directions and some constants; helpers of the tests of derivatives.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DERIVED_H
#define DERIVED_H
#include "tap.h"

#include <string.h>

#include "core/mem.h"
#include "graph.h"
#include "graph/derive.h"

enum { SIZE = 6 }; /* of the inputs of most expressions */

typedef struct model {
    lbr_arena arena;
    lbr_dag dag;
    int x, v, u, data;
} model;

static const double numbers[SIZE] = { 0.5, -1.25, 2, 0.75, -0.375, 1.5 };

__attribute__((unused)) static void begin(model *m, int64_t size)
{
    *m = (model){ 0 };
    lbr_dag_init(&m->dag, &m->arena);
    m->x = lbr_dag_input(&m->dag, size), m->v = lbr_dag_input(&m->dag, size), m->u = lbr_dag_input(&m->dag, size);
    m->data = lbr_dag_data(&m->dag, numbers, SIZE);
}

__attribute__((unused)) static void end(model *m)
{
    lbr_dag_free(&m->dag);
    lbr_arena_free(&m->arena);
}

/* x, and directions v and u; x is displaced by h i v (or not). */
__attribute__((unused)) static void set(graph *g, int64_t size, double step, const double *x)
{
    for (int64_t i = 0; i < size; i++) {
        g->input[1][i] = cos(3.0 * (double)i + 1), g->input[2][i] = sin(2.0 * (double)i + 0.5);
        g->input[0][i] = (x ? x[i] : 0.9 * sin(5.0 * (double)i + 2)) + _Complex_I * step * creal(g->input[1][i]);
    }
    g->t = 0.3;
    graph_reset(g);
}

__attribute__((unused)) static lbr_ref number_(lbr_dag *d, double x) { return lbr_dag_const(d, x); }
__attribute__((unused)) static lbr_ref op1(lbr_dag *d, lbr_op op, lbr_ref a) { return lbr_dag_op(d, op, a, 0, 0); }
__attribute__((unused)) static lbr_ref op2(lbr_dag *d, lbr_op op, lbr_ref a, lbr_ref b)
{
    return lbr_dag_op(d, op, a, b, 0);
}
__attribute__((unused)) static lbr_ref choose(lbr_dag *d, lbr_ref c, lbr_ref a, lbr_ref b)
{
    return lbr_dag_op(d, LBR_OP_SELECT, c, a, b);
}
__attribute__((unused)) static lbr_ref x_of(model *m, int64_t i)
{
    return lbr_dag_load(&m->dag, m->x, number_(&m->dag, (double)i));
}

__attribute__((unused)) static double worse(double worst, double a, double b, double scale)
{
    double e = fabs(a - b) / (0.01 + scale);

    return e <= worst ? worst : isnan(e) ? HUGE_VAL : e;
}

__attribute__((unused)) static double largest(const number *a, int64_t n, int imaginary)
{
    double most = 0;

    for (int64_t i = 0; i < n; i++) most = fmax(most, fabs(imaginary ? cimag(a[i]) / GRAPH_STEP : creal(a[i])));
    return most;
}

#endif
