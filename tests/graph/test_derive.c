/* test_derive.c - derivatives of random expressions against the complex step, first and second.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The reference (graph.h) knows no rule of differentiation and is exact to round-off, so that tolerances are a few
 * hundred units of it: a wrong digit in a rule is seen. No call has two arguments that draw or make nodes, so that
 * every compiler makes the same expressions. */
#include "support/derived.h"

#define FIRST  1e-12 /* relative errors of first derivatives, of second ones */
#define SECOND 1e-11

static unsigned long long seed = 1;
static unsigned draw(unsigned n)
{
    return (unsigned)((seed = seed * 6364136223846793005ULL + 1442695040888963407ULL) >> 33) % n;
}

/* --- random expressions ------------------------------------------------------------------------------------------ */

static lbr_ref expression(model *m, int loop, int depth);

/* Brought to where an operation is smooth and its derivatives moderate. */
static lbr_ref bounded(lbr_dag *d, lbr_ref a) { return op1(d, draw(2) ? LBR_OP_SIN : LBR_OP_TANH, a); }
static lbr_ref positive(lbr_dag *d, lbr_ref a) { return a = bounded(d, a), lbr_dag_add(d, number_(d, 1.25), a); }

static lbr_ref some_index(model *m, int loop)
{
    lbr_dag *d = &m->dag;
    lbr_ref i = d->loop[loop].index;

    while (draw(3) == 0 && loop) loop = d->loop[loop].parent, i = d->loop[loop].index;
    i = lbr_dag_mul(d, i, number_(d, 1 + draw(3)));
    i = lbr_dag_add(d, i, number_(d, draw(SIZE)));
    return op2(d, LBR_OP_MOD, i, number_(d, SIZE));
}

static lbr_ref leaf(model *m, int loop)
{
    switch (draw(8)) {
    case 0: return number_(&m->dag, 0.25 * draw(9) - 1);
    case 1: return lbr_dag_load(&m->dag, m->data, some_index(m, loop));
    case 2: return lbr_dag_time(&m->dag);
    case 3: return loop ? lbr_dag_mul(&m->dag, number_(&m->dag, 0.125), m->dag.loop[loop].index) : x_of(m, 2);
    default: return lbr_dag_load(&m->dag, m->x, some_index(m, loop));
    }
}

static lbr_ref unary(model *m, int loop, int depth)
{
    static const lbr_op any[] = { LBR_OP_NEG,   LBR_OP_ABS, LBR_OP_SIN,   LBR_OP_COS,  LBR_OP_ATAN, LBR_OP_TANH,
                                  LBR_OP_ASINH, LBR_OP_ERF, LBR_OP_FLOOR, LBR_OP_SIGN, LBR_OP_NOT };
    static const lbr_op small[] = { LBR_OP_EXP,  LBR_OP_TAN,  LBR_OP_ASIN, LBR_OP_ACOS,
                                    LBR_OP_SINH, LBR_OP_COSH, LBR_OP_ATANH };
    static const lbr_op more[] = { LBR_OP_SQRT, LBR_OP_CBRT, LBR_OP_LOG, LBR_OP_ACOSH };
    lbr_dag *d = &m->dag;
    lbr_ref a = expression(m, loop, depth - 1);

    switch (draw(3)) {
    case 0: return op1(d, any[draw(sizeof any / sizeof *any)], a);
    case 1:
        a = bounded(d, a), a = lbr_dag_mul(d, number_(d, 0.75), a);
        return op1(d, small[draw(sizeof small / sizeof *small)], a);
    default:
        a = positive(d, a), a = lbr_dag_add(d, number_(d, 1), a);
        return op1(d, more[draw(sizeof more / sizeof *more)], a);
    }
}

static lbr_ref binary(model *m, int loop, int depth)
{
    static const lbr_op any[] = { LBR_OP_ADD, LBR_OP_SUB, LBR_OP_MUL, LBR_OP_MUL, LBR_OP_ADD, LBR_OP_MIN, LBR_OP_MAX };
    lbr_dag *d = &m->dag;
    lbr_ref a = expression(m, loop, depth - 1), b = expression(m, loop, depth - 1), c;

    switch (draw(8)) {
    case 0: return lbr_dag_div(d, a, positive(d, b));
    case 1: b = draw(2) ? bounded(d, b) : number_(d, 0.5 * draw(9) - 2); return op2(d, LBR_OP_POW, positive(d, a), b);
    case 2: b = positive(d, b); return op2(d, LBR_OP_ATAN2, a, lbr_dag_sub(d, b, number_(d, 3.5 * draw(2))));
    case 3: return op2(d, LBR_OP_HYPOT, a, positive(d, b));
    case 4: return op2(d, LBR_OP_MOD, a, positive(d, b));
    case 5:
        c = expression(m, loop, depth - 1), c = op2(d, draw(2) ? LBR_OP_LT : LBR_OP_LE, a, c);
        return choose(d, c, b, expression(m, loop, depth - 1));
    default: return op2(d, any[draw(sizeof any / sizeof *any)], a, b);
    }
}

static lbr_ref reduction(model *m, int loop, int depth)
{
    lbr_dag *d = &m->dag;
    lbr_ref lo = number_(d, draw(2)), hi = loop && draw(2) ? d->loop[loop].index : number_(d, 1 + draw(3));
    int inner = lbr_dag_loop(d, loop, lo, lbr_dag_add(d, hi, number_(d, draw(2))));
    lbr_op op = draw(2) ? LBR_OP_SUM : (lbr_op)(LBR_OP_SUM + (int)draw(4));
    lbr_ref body = expression(m, inner, depth - 1);

    if (op >= LBR_OP_LARGEST) { /* an empty range is an error there */
        inner = lbr_dag_loop(d, loop, 0, number_(d, 2)), body = expression(m, inner, depth - 1);
    }
    return lbr_dag_reduce(d, op, inner,
                          op == LBR_OP_PROD  ? positive(d, body)
                          : op == LBR_OP_SUM ? bounded(d, body)
                                             : body);
}

static lbr_ref small_one(model *m, int loop, int depth)
{
    lbr_ref a = expression(m, loop, depth);

    return a = bounded(&m->dag, a), lbr_dag_mul(&m->dag, number_(&m->dag, 0.25), a);
}

static void put(model *m, int array, int loop, lbr_ref index, lbr_ref value, int add)
{
    lbr_dag_entry(&m->dag, array, (lbr_entry){ loop, index, value, add });
}

/* Four elements in two loops, and one that is added to in each iteration. */
static int nested(model *m, int depth)
{
    lbr_dag *d = &m->dag;
    int array = lbr_dag_array(d, 4), k = lbr_dag_loop(d, 0, 0, number_(d, 1)),
        l = lbr_dag_loop(d, k, 0, draw(2) ? number_(d, 1) : d->loop[k].index);
    lbr_ref twice = lbr_dag_mul(d, number_(d, 2), d->loop[k].index), index = lbr_dag_add(d, twice, d->loop[l].index),
            one = number_(d, 1);

    put(m, array, l, index, small_one(m, l, depth - 1), 0);
    put(m, array, k, one, small_one(m, k, depth - 1), 1);
    lbr_dag_close(d, array);
    return array;
}

/* n entries, each set once (all at constant places, or one loop), then something added. */
static int made(model *m, int64_t n, int depth, lbr_ref diagonal, int64_t rows)
{
    lbr_dag *d = &m->dag;
    int array = lbr_dag_array(d, n), loop = draw(2) ? 0 : lbr_dag_loop(d, 0, 0, number_(d, (double)(n - 1)));

    for (int64_t i = 0; i < (loop ? 1 : n); i++) {
        lbr_ref value = small_one(m, loop, depth - 1);

        put(m, array, loop, loop ? d->loop[loop].index : number_(d, (double)i), value, 0);
    }
    for (int64_t i = 0; i < rows; i++) put(m, array, 0, number_(d, (double)(i * (rows + 1))), diagonal, 1);
    if (draw(2)) {
        lbr_ref value = small_one(m, 0, depth - 1);

        put(m, array, 0, number_(d, draw((unsigned)n)), value, 1);
    }
    lbr_dag_close(d, array);
    return array;
}

static lbr_ref element(model *m, int loop, int array)
{
    lbr_ref n = number_(&m->dag, (double)m->dag.array[array].size), i = some_index(m, loop);

    return lbr_dag_load(&m->dag, array, op2(&m->dag, LBR_OP_MOD, i, n));
}

static lbr_ref from_array(model *m, int loop, int depth)
{
    int64_t rows = 1 + draw(3), cols = 1 + draw(2);
    int a, b;

    if (draw(8) == 0) rows = 7, cols = 9; /* too large to be written out */
    if (draw(4) == 0) return a = nested(m, depth), element(m, loop, a);
    if (draw(3)) return a = made(m, 1 + draw(5), depth, 0, 0), element(m, loop, a);
    a = made(m, rows * rows, depth, number_(&m->dag, 3), rows);
    if (draw(3) == 0)
        return a = lbr_dag_det(&m->dag, a, rows),
               lbr_dag_mul(&m->dag, number_(&m->dag, 0.0625), lbr_dag_load(&m->dag, a, 0));
    b = rows * cols == SIZE && draw(2) ? m->x : made(m, rows * cols, depth, 0, 0);
    b = lbr_dag_solve(&m->dag, a, b, rows, cols, draw(2));
    return element(m, loop, b);
}

static lbr_ref expression(model *m, int loop, int depth)
{
    if (depth <= 0) return leaf(m, loop);
    switch (draw(12)) {
    case 0: return m->dag.loop[loop].level < 3 ? reduction(m, loop, depth) : leaf(m, loop);
    case 1: return depth > 1 ? from_array(m, loop, depth - 1) : leaf(m, loop);
    case 2:
    case 3:
    case 4: return unary(m, loop, depth);
    case 5: return leaf(m, loop);
    default: return binary(m, loop, depth);
    }
}

/* --- random expressions: all derivatives ------------------------------------------------------------------------- */

typedef struct errors {
    double first, directional, second, symmetry, time;
    int used;
} errors;

/* Derivatives of `derived` against the complex step of f, both the same unless a mistake is wanted; where the
 * expression itself is wild (or not finite) it is not used. */
static void compare(model *m, lbr_ref f, lbr_ref derived, errors *e)
{
    lbr_dag *d = &m->dag;
    int exact = lbr_gradient(d, f, m->x), gradient = lbr_gradient(d, derived, m->x),
        hv = lbr_directional_array(d, gradient, m->x, m->v), hu = lbr_directional_array(d, gradient, m->x, m->u);
    lbr_ref df = lbr_directional(d, derived, m->x, m->v), dt = lbr_time_derivative(d, derived);
    double slope, uhv = 0, vhu = 0, dot = 0, size, size2;
    graph g;

    if (d->status) e->first = HUGE_VAL, printf("# %s\n", d->message.text);
    if (d->status) return;
    graph_begin(&g, d);
    set(&g, SIZE, GRAPH_STEP, NULL);
    slope = cimag(graph_node(&g, f)) / GRAPH_STEP;
    const number *G = graph_array(&g, gradient), *H = graph_array(&g, exact), *V = hv < 0 ? NULL : graph_array(&g, hv),
                 *U = hu < 0 ? NULL : graph_array(&g, hu);
    size = largest(G, SIZE, 0), size2 = largest(G, SIZE, 1);
    if (isfinite(size) && isfinite(slope) && size < 1e3 && size2 < 1e3) {
        for (int i = 0; i < SIZE; i++) {
            double v = creal(g.input[1][i]), u = creal(g.input[2][i]), h = V ? creal(V[i]) : 0;

            dot += creal(G[i]) * v, uhv += u * h, vhu += U ? v * creal(U[i]) : 0;
            e->second = worse(e->second, cimag(H[i]) / GRAPH_STEP, h, size2);
        }
        e->first = worse(e->first, slope, dot, size);
        e->directional = worse(e->directional, slope, creal(graph_node(&g, df)), size);
        e->symmetry = worse(e->symmetry, uhv, vhu, size2);
        set(&g, SIZE, 0, NULL);
        g.t += _Complex_I * GRAPH_STEP;
        slope = cimag(graph_node(&g, f)) / GRAPH_STEP;
        if (fabs(slope) < 1e3) e->time = worse(e->time, slope, creal(graph_node(&g, dt)), fabs(slope));
        e->used++;
    }
    graph_end(&g);
}

/* `off` is the relative error that is put in: the comparison must see it. */
static errors all_random(int count, double off)
{
    errors e = { 0 };

    for (int k = 0; k < count; k++) {
        errors one = { 0 };
        lbr_ref f;
        model m;

        seed = 0x9e3779b97f4a7c15ULL * (unsigned long long)(k + 1);
        begin(&m, SIZE);
        f = expression(&m, 0, 3 + k % 4);
        compare(&m, f, lbr_dag_mul(&m.dag, f, number_(&m.dag, 1 + off)), &one);
        if (!off && (one.first > FIRST || one.directional > FIRST || one.second > SECOND || one.symmetry > SECOND ||
                     one.time > FIRST))
            printf("# expression %d: %.1e %.1e %.1e %.1e %.1e\n", k, one.first, one.directional, one.second,
                   one.symmetry, one.time);
        e.first = fmax(e.first, one.first), e.directional = fmax(e.directional, one.directional),
        e.second = fmax(e.second, one.second);
        e.symmetry = fmax(e.symmetry, one.symmetry), e.time = fmax(e.time, one.time), e.used += one.used;
        end(&m);
    }
    return e;
}

static void random_expressions(void)
{
    enum { COUNT = 2000 };
    errors e = all_random(COUNT, 0), off = all_random(200, 1e-10);

    ok(e.used > COUNT * 9 / 10, "%d of %d random expressions are tame enough to compare", e.used, COUNT);
    ok(e.first < FIRST, "gradients: %.1e", e.first);
    ok(e.directional < FIRST, "derivatives in a direction: %.1e", e.directional);
    ok(e.time < FIRST, "derivatives with respect to time: %.1e", e.time);
    ok(e.second < SECOND, "second derivatives: %.1e", e.second);
    ok(e.symmetry < SECOND, "they are symmetric: %.1e", e.symmetry);
    ok(off.first > FIRST && off.directional > FIRST && off.time > FIRST && off.second > SECOND,
       "a relative error of 1e-10 would be seen");
}

/* --- one iteration of a loop ------------------------------------------------------------------------------------- */

/* The product of the partial derivatives of each iteration with v, as an array; -1: cannot be had. */
static int product_with(model *m, lbr_ref f, int loop)
{
    lbr_dag *d = &m->dag;
    lbr_entry *e;
    int n = lbr_partials(d, f, loop, m->x, &e), out = n < 0 ? -1 : lbr_dag_array(d, 3), good = 1;

    for (int i = 0; i < n; i++) {
        good &= lbr_dag_within(d, e[i].loop, loop) && e[i].add;
        lbr_dag_entry(d, out,
                      (lbr_entry){ e[i].loop, d->loop[loop].index,
                                   lbr_dag_mul(d, e[i].value, lbr_dag_load(d, m->v, e[i].index)), 1 });
    }
    lbr_dag_close(d, out);
    return good ? out : -1;
}

/* The worst error of the derivatives of f in a loop over 0, 1, 2; -1 if there are none. */
static double one_iteration(model *m, lbr_ref f, int loop)
{
    lbr_dag *d = &m->dag;
    int values = lbr_dag_array(d, 3), product;
    double worst = 0;
    graph g;

    lbr_dag_entry(d, values, (lbr_entry){ loop, d->loop[loop].index, f, 0 });
    lbr_dag_close(d, values);
    if ((product = product_with(m, f, loop)) < 0) return -1;
    graph_begin(&g, d);
    set(&g, SIZE, GRAPH_STEP, NULL);
    const number *y = graph_array(&g, values), *p = graph_array(&g, product);
    for (int i = 0; i < 3; i++)
        if (fabs(cimag(y[i])) < 1e3 * GRAPH_STEP)
            worst = worse(worst, cimag(y[i]) / GRAPH_STEP, creal(p[i]), largest(y, 3, 1));
    graph_end(&g);
    return worst;
}

static void iterations(void)
{
    int solved = 0, other = 0;
    double worst = 0;

    for (int k = 0; k < 600; k++) {
        double e;
        model m;
        int loop;

        seed = 0xbf58476d1ce4e5b9ULL * (unsigned long long)(k + 1);
        begin(&m, SIZE);
        loop = lbr_dag_loop(&m.dag, 0, 0, number_(&m.dag, 2));
        lbr_ref outside = expression(&m, 0, 2), inside = expression(&m, loop, 3);
        outside = op1(&m.dag, LBR_OP_SIN, outside);
        e = one_iteration(&m, lbr_dag_mul(&m.dag, outside, inside), loop);
        if (e > FIRST) printf("# iteration of expression %d: %.1e\n", k, e);
        if (e >= 0) worst = fmax(worst, e);
        else if (m.dag.status == LBR_EARG && strstr(m.dag.message.text, "linear system")) solved++;
        else other++;
        end(&m);
    }
    ok(worst < FIRST && !other, "derivatives of single iterations: %.1e", worst);
    ok(solved < 200, "where a linear system stands outside that is said (%d times)", solved);
}

int main(void)
{
    random_expressions();
    iterations();
    return tap_done();
}
