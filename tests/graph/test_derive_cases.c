/* test_derive_cases.c - derivatives at branches, of products and extremes; what forces cost; what is refused.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support/derived.h"

#include <time.h>

#include "graph/dag_walk.h"

/* --- branches ---------------------------------------------------------------------------------------------------- */

static lbr_ref root(lbr_dag *d, lbr_ref a) { return op1(d, LBR_OP_SQRT, a); }
static lbr_ref above(lbr_dag *d, lbr_ref a, double x) { return op2(d, LBR_OP_LT, number_(d, x), a); }
static lbr_ref if_above(lbr_dag *d, lbr_ref a, double x, lbr_ref yes) { return choose(d, above(d, a, x), yes, 0); }

static lbr_ref simple(model *m)
{
    lbr_dag *d = &m->dag;
    lbr_ref x = x_of(m, 0);
    return if_above(d, x, 0, root(d, x));
}
static lbr_ref otherwise(model *m)
{
    lbr_dag *d = &m->dag;
    lbr_ref x = x_of(m, 0);
    return choose(d, op2(d, LBR_OP_LE, x, 0), 0, op1(d, LBR_OP_LOG, x));
}
static lbr_ref nested(model *m)
{
    lbr_dag *d = &m->dag;
    lbr_ref x = x_of(m, 0), y = x_of(m, 1),
            inner = choose(d, above(d, y, 0), root(d, lbr_dag_mul(d, x, y)), lbr_dag_div(d, number_(d, 1), x));

    return lbr_dag_mul(d, if_above(d, x, 0, inner), op1(d, LBR_OP_COS, y));
}
static lbr_ref shared(model *m)
{
    lbr_dag *d = &m->dag;
    lbr_ref x = x_of(m, 0), s = root(d, x);

    return lbr_dag_add(d, if_above(d, x, 0, lbr_dag_mul(d, s, s)), if_above(d, x, 1, lbr_dag_mul(d, number_(d, 3), s)));
}
static lbr_ref in_loop(model *m)
{
    lbr_dag *d = &m->dag;
    int l = lbr_dag_loop(d, 0, 0, number_(d, SIZE - 1));
    lbr_ref x = lbr_dag_load(d, m->x, d->loop[l].index);

    return lbr_dag_reduce(d, LBR_OP_SUM, l, if_above(d, x, 0, root(d, x)));
}
static lbr_ref around_loop(model *m)
{
    lbr_dag *d = &m->dag;
    int l = lbr_dag_loop(d, 0, 0, number_(d, SIZE - 1));
    lbr_ref x = x_of(m, 0), i = d->loop[l].index, c = op2(d, LBR_OP_AND, above(d, x, 0), above(d, i, 2));

    return lbr_dag_reduce(d, LBR_OP_SUM, l, choose(d, c, lbr_dag_mul(d, root(d, x), i), 0));
}
static lbr_ref in_array(model *m, int written_out)
{
    lbr_dag *d = &m->dag;
    int l = lbr_dag_loop(d, 0, 0, number_(d, SIZE - 1)), a = lbr_dag_array(d, SIZE);
    lbr_ref i = d->loop[l].index, x = lbr_dag_load(d, m->x, i);

    if (!written_out) lbr_dag_entry(d, a, (lbr_entry){ l, i, root(d, x), 0 });
    for (int k = 0; k < SIZE && written_out; k++)
        lbr_dag_entry(d, a, (lbr_entry){ 0, number_(d, k), root(d, x_of(m, k)), 0 });
    lbr_dag_close(d, a);
    return lbr_dag_reduce(d, LBR_OP_SUM, l, if_above(d, x, 0, lbr_dag_load(d, a, i)));
}
static lbr_ref in_made_array(model *m) { return in_array(m, 0); }
static lbr_ref in_flat_array(model *m) { return in_array(m, 1); }
static lbr_ref sinc(model *m)
{
    lbr_dag *d = &m->dag;
    lbr_ref x = x_of(m, 0);
    return choose(d, op2(d, LBR_OP_EQ, x, 0), number_(d, 1), lbr_dag_div(d, op1(d, LBR_OP_SIN, x), x));
}
/* Against: a product with 0 is not a branch. */
static lbr_ref product(model *m)
{
    lbr_dag *d = &m->dag;
    lbr_ref x = x_of(m, 0);
    return lbr_dag_mul(d, above(d, x, 0), root(d, x));
}

/* The derivatives at x: are they finite, and how far from the complex step? */
static double at_branch(lbr_ref (*f)(model *m), const double *x)
{
    double worst = 0;
    graph g;
    model m;

    begin(&m, SIZE);
    lbr_ref node = f(&m), df = lbr_directional(&m.dag, node, m.x, m.v);
    int gradient = lbr_gradient(&m.dag, node, m.x), hv = lbr_directional_array(&m.dag, gradient, m.x, m.v);
    graph_begin(&g, &m.dag);
    set(&g, SIZE, 0, x);
    const number *G = graph_array(&g, gradient);
    double dot = 0, slope = creal(graph_node(&g, df)), finite = 0;
    for (int i = 0; i < SIZE; i++) dot += creal(G[i]) * creal(g.input[1][i]);
    for (int i = 0; i < SIZE && hv >= 0; i++) finite += creal(graph_array(&g, hv)[i]);
    worst = worse(0, slope, dot, 0);
    if (!isfinite(finite) || !isfinite(dot)) worst = HUGE_VAL;
    set(&g, SIZE, GRAPH_STEP, x);
    if (x[0] != 0 && x[1] != 0) worst = worse(worst, cimag(graph_node(&g, node)) / GRAPH_STEP, dot, 0);
    graph_end(&g);
    end(&m);
    return worst;
}

static void branches(void)
{
    static const struct {
        const char *name;
        lbr_ref (*f)(model *m);
    } all[] = {
        { "if", simple },
        { "if, the other way", otherwise },
        { "if in if", nested },
        { "what two ifs share", shared },
        { "if in a sum", in_loop },
        { "a sum of ifs of something outside", around_loop },
        { "if of an array", in_made_array },
        { "if of an array of nodes", in_flat_array },
        { "sin(x)/x", sinc },
    };
    static const double places[][SIZE] = { { 0, 0, 0, 0, 0, 0 },
                                           { -1, 2, -1, 3, 0, 1 },
                                           { 0, 2, 1, -1, 1, 1 },
                                           { 0.5, 0.25, 1, 2, 3, 4 },
                                           { 2, -1, 1, 1, 0, 1 } };

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        double worst = 0;

        for (size_t k = 0; k < sizeof places / sizeof *places; k++) worst = fmax(worst, at_branch(all[i].f, places[k]));
        ok(worst < 1e-12, "%s: nothing of the branch that is not taken (%.1e)", all[i].name, worst);
    }
    ok(!(at_branch(product, places[0]) < HUGE_VAL), "a product with 0 would show it");
}

/* The derivative of if(x > 0, sqrt(x), 0) is exactly 0 where it is not taken. */
static void exactly_zero(void)
{
    static const double x[2][SIZE] = { { 0 }, { -1 } };
    graph g;
    model m;

    begin(&m, SIZE);
    int gradient = lbr_gradient(&m.dag, simple(&m), m.x);
    graph_begin(&g, &m.dag);
    for (int k = 0; k < 2; k++) {
        set(&g, SIZE, 0, x[k]);
        ok(graph_array(&g, gradient)[0] == 0, "the derivative of if(x > 0, sqrt(x), 0) at %g is 0", x[k][0]);
    }
    graph_end(&g);
    end(&m);
}

/* --- products, extremes ------------------------------------------------------------------------------------------ */

static void reduced(lbr_op op, const double *x, const double *want, const double *want2, const char *what)
{
    double worst = 0;
    graph g;
    model m;

    begin(&m, 4);
    int l = lbr_dag_loop(&m.dag, 0, 0, number_(&m.dag, 3));
    lbr_ref f = lbr_dag_reduce(&m.dag, op, l, lbr_dag_load(&m.dag, m.x, m.dag.loop[l].index));
    int gradient = lbr_gradient(&m.dag, f, m.x), hv = lbr_directional_array(&m.dag, gradient, m.x, m.v);
    graph_begin(&g, &m.dag);
    set(&g, 4, 0, x);
    for (int i = 0; i < 4; i++) g.input[1][i] = 1; /* rows of the second derivative, summed */
    for (int i = 0; i < 4; i++) {
        worst = fmax(worst, fabs(creal(graph_array(&g, gradient)[i]) - want[i]));
        worst = fmax(worst, fabs((hv < 0 ? 0 : creal(graph_array(&g, hv)[i])) - want2[i]));
    }
    graph_end(&g);
    end(&m);
    ok(worst == 0, "%s", what);
}

static void reductions(void)
{
    static const double none[4] = { 0 };

    reduced(LBR_OP_PROD, (const double[]){ 2, 3, 0, 5 }, (const double[]){ 0, 0, 30, 0 },
            (const double[]){ 15, 10, 31, 6 }, "a product with one factor 0");
    reduced(LBR_OP_PROD, (const double[]){ 2, 0, 0, 5 }, none, (const double[]){ 0, 10, 10, 0 },
            "a product with two factors 0");
    reduced(LBR_OP_LARGEST, (const double[]){ 1, 4, 4, 2 }, (const double[]){ 0, 1, 0, 0 }, none,
            "the first of equal largest ones");
    reduced(LBR_OP_SMALLEST, (const double[]){ 3, 4, 1, 1 }, (const double[]){ 0, 0, 1, 0 }, none,
            "the first of equal smallest ones");
}

/* --- many bodies ------------------------------------------------------------------------------------------------- */

static lbr_ref pair(model *m, lbr_ref i, lbr_ref j, lbr_ref mi, lbr_ref mj)
{
    lbr_dag *d = &m->dag;
    lbr_ref square[3], three = number_(d, 3);

    for (int c = 0; c < 3; c++) {
        lbr_ref a = lbr_dag_load(d, m->x, lbr_dag_add(d, lbr_dag_mul(d, i, three), number_(d, c)));
        lbr_ref b = lbr_dag_load(d, m->x, lbr_dag_add(d, lbr_dag_mul(d, j, three), number_(d, c)));

        square[c] = lbr_dag_mul(d, lbr_dag_sub(d, a, b), lbr_dag_sub(d, a, b));
    }
    return lbr_dag_div(d, lbr_dag_mul(d, mi, mj), op1(d, LBR_OP_SQRT, lbr_dag_sum(d, square, 3)));
}

static lbr_ref in_loops(model *m, int n, int masses)
{
    lbr_dag *d = &m->dag;
    int k = lbr_dag_loop(d, 0, number_(d, 1), number_(d, n - 1)),
        l = lbr_dag_loop(d, k, 0, lbr_dag_sub(d, d->loop[k].index, number_(d, 1)));
    lbr_ref i = d->loop[k].index, j = d->loop[l].index,
            f = pair(m, i, j, lbr_dag_load(d, masses, i), lbr_dag_load(d, masses, j));

    return lbr_dag_neg(d, lbr_dag_reduce(d, LBR_OP_SUM, k, lbr_dag_reduce(d, LBR_OP_SUM, l, f)));
}

static lbr_ref written_out(model *m, int n, int masses)
{
    lbr_dag *d = &m->dag;
    lbr_ref *term = calloc((size_t)n * (size_t)n, sizeof *term), sum;
    int64_t terms = 0;

    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
            lbr_ref a = number_(d, i), b = number_(d, j);

            term[terms++] = pair(m, a, b, lbr_dag_load(d, masses, a), lbr_dag_load(d, masses, b));
        }
    sum = lbr_dag_neg(d, lbr_dag_sum(d, term, terms));
    free(term);
    return sum;
}

/* How many nodes of an operation an array rests on. */
static int count(lbr_dag *d, int array, lbr_op op)
{
    lbr_reach reach;
    int n = 0;

    lbr_reach_array(&reach, d, (lbr_interest){ 0 }, array);
    for (int32_t i = 0; i < reach.n; i++) n += d->node[reach.node[i]].op == op;
    lbr_reach_free(&reach);
    return n;
}

/* The one entry of a gradient. */
static lbr_ref only(model *m, lbr_ref f)
{
    int gradient = lbr_gradient(&m->dag, f, m->x);

    return gradient >= 0 && m->dag.array[gradient].nentries == 1 ? m->dag.array[gradient].entry[0].value : -1;
}

/* Derivatives are as simple as one would write them: constants are multiplied beforehand. */
static void simple_ones(void)
{
    model m;

    begin(&m, SIZE);
    lbr_dag *d = &m.dag;
    int l = lbr_dag_loop(d, 0, 0, number_(d, SIZE - 1));
    lbr_ref x = x_of(&m, 0), sine = op1(d, LBR_OP_SIN, x), i = d->loop[l].index, at_i = lbr_dag_load(d, m.data, i),
            s = op1(d, LBR_OP_SQRT, x);
    ok(only(&m, lbr_dag_mul(d, number_(d, 0.5), lbr_dag_mul(d, x, x))) == x, "x^2/2: x");
    ok(only(&m, lbr_dag_div(d, lbr_dag_mul(d, number_(d, 5), x), number_(d, 3))) == number_(d, 5 * (1.0 / 3)),
       "5 x/3: a constant");
    ok(only(&m, lbr_dag_div(d, x, number_(d, 7))) == number_(d, 1.0 / 7), "x/7: the constant 1/7");
    ok(only(&m, lbr_dag_mul(d, number_(d, 3), op1(d, LBR_OP_COS, x))) == lbr_dag_mul(d, number_(d, -3), sine),
       "3 cos(x): -3 sin(x)");
    ok(only(&m, lbr_dag_neg(d, op1(d, LBR_OP_COS, lbr_dag_mul(d, number_(d, 2), x)))) ==
           lbr_dag_mul(d, number_(d, 2), op1(d, LBR_OP_SIN, lbr_dag_mul(d, number_(d, 2), x))),
       "-cos(2 x): 2 sin(2 x)");
    ok(only(&m, lbr_dag_mul(d, number_(d, 4), s)) == lbr_dag_mul(d, number_(d, 2), lbr_dag_div(d, number_(d, 1), s)),
       "4 sqrt(x): 2*(1/sqrt(x))");
    ok(only(&m, lbr_dag_reduce(d, LBR_OP_SUM, l, lbr_dag_mul(d, number_(d, -3), x))) == number_(d, -3.0 * SIZE),
       "the sum of -3 x: a constant");
    ok(only(&m, lbr_dag_reduce(d, LBR_OP_SUM, l, lbr_dag_mul(d, lbr_dag_mul(d, number_(d, 3), x), at_i))) ==
           lbr_dag_mul(d, number_(d, 3), lbr_dag_reduce(d, LBR_OP_SUM, l, at_i)),
       "the sum of 3 x a[i]: 3 times a sum");
    end(&m);
}

/* 0^b for b > 1. */
static void zero_to_a_power(void)
{
    static const double x[SIZE] = { 0, 2.5 };
    graph g;
    model m;

    begin(&m, SIZE);
    int gradient = lbr_gradient(&m.dag, op2(&m.dag, LBR_OP_POW, x_of(&m, 0), x_of(&m, 1)), m.x);
    graph_begin(&g, &m.dag);
    set(&g, SIZE, 0, x);
    ok(graph_array(&g, gradient)[0] == 0 && graph_array(&g, gradient)[1] == 0,
       "0^b has derivative 0, also with respect to b");
    graph_end(&g);
    end(&m);
}

static double seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

static void bodies(void)
{
    enum { N = 1000 };
    static double mass[N];
    double start = seconds();
    model m;

    for (int i = 0; i < N; i++) mass[i] = 1 + 0.5 * sin(i);
    begin(&m, 3 * N);
    lbr_ref f = in_loops(&m, N, lbr_dag_data(&m.dag, mass, N));
    int gradient = lbr_gradient(&m.dag, f, m.x), hv = lbr_directional_array(&m.dag, gradient, m.x, m.v);
    ok(hv >= 0 && m.dag.n < 200, "the forces of %d bodies and their derivatives are %d nodes", N, m.dag.n);
    printf("# in %.4f s\n", seconds() - start);
    ok(count(&m.dag, gradient, LBR_OP_SQRT) == 1 && count(&m.dag, gradient, LBR_OP_DIV) == 1,
       "one root and one division in each pair");
    ok(count(&m.dag, gradient, LBR_OP_MUL) + count(&m.dag, gradient, LBR_OP_FMA) <= 17,
       "%d products and %d fused ones, indices included", count(&m.dag, gradient, LBR_OP_MUL),
       count(&m.dag, gradient, LBR_OP_FMA));
    ok(count(&m.dag, hv, LBR_OP_SQRT) == 1 && count(&m.dag, hv, LBR_OP_DIV) == 1, "also in the second derivative");
    end(&m);
}

static int outermost(const lbr_dag *d, int loop)
{
    return d->loop[loop].level <= 1 ? loop : outermost(d, d->loop[loop].parent);
}

/* Entries of one loop are neighbours, also of one outermost loop. */
static int in_order(const lbr_dag *d, int array)
{
    const lbr_entry *e = d->array[array].entry;
    int n = d->array[array].nentries, good = 1;

    for (int i = 0; i < n; i++)
        for (int j = i + 2; j < n; j++) {
            good &= e[i].loop != e[j].loop || e[j - 1].loop == e[i].loop;
            good &= outermost(d, e[i].loop) != outermost(d, e[j].loop) ||
                    outermost(d, e[j - 1].loop) == outermost(d, e[i].loop);
        }
    return good;
}

/* Loops whose numbers mix: a, b, then one in a and one in b; and something at a constant place. */
static void neighbours(void)
{
    model m;

    begin(&m, SIZE);
    lbr_dag *d = &m.dag;
    int a = lbr_dag_loop(d, 0, 0, number_(d, 1)), b = lbr_dag_loop(d, 0, 0, number_(d, 2)),
        in_a = lbr_dag_loop(d, a, 0, number_(d, 3)), in_b = lbr_dag_loop(d, b, 0, number_(d, 4));
    int loop[4] = { in_a, in_b, a, b };
    lbr_ref f = lbr_dag_mul(d, x_of(&m, 0), x_of(&m, 0));
    for (int i = 0; i < 4; i++) {
        lbr_ref x = lbr_dag_load(d, m.x, d->loop[loop[i]].index),
                s = lbr_dag_reduce(d, LBR_OP_SUM, loop[i], lbr_dag_mul(d, x, x));

        f = lbr_dag_add(d, f, i < 2 ? lbr_dag_reduce(d, LBR_OP_SUM, loop[i + 2], s) : s);
    }
    int gradient = lbr_gradient(d, f, m.x), all_add = 1;
    for (int i = 0; i < d->array[gradient].nentries; i++) all_add &= d->array[gradient].entry[i].add;
    ok(d->array[gradient].nentries == 5 && in_order(d, gradient) && all_add, "entries of one loop are neighbours");
    end(&m);
}

static void both_ways(void)
{
    enum { N = 40 };
    static double mass[N];
    double worst = 0, worst2 = 0, most = 0;
    graph g;
    model m;

    for (int i = 0; i < N; i++) mass[i] = 1 + 0.5 * sin(i);
    begin(&m, 3 * N);
    int masses = lbr_dag_data(&m.dag, mass, N), before, after;
    lbr_ref loops = in_loops(&m, N, masses), written = written_out(&m, N, masses);
    before = m.dag.n;
    int a = lbr_gradient(&m.dag, loops, m.x), b = lbr_gradient(&m.dag, written, m.x);
    after = m.dag.n;
    int c = lbr_directional_array(&m.dag, a, m.x, m.v), e = lbr_directional_array(&m.dag, b, m.x, m.v);
    ok(after < 3 * before, "a gradient written out has as many nodes as the function (%d, then %d)", before, after);
    ok(m.dag.array[b].flat && !m.dag.array[b].entry[0].add && in_order(&m.dag, a),
       "entries at constant places are set");
    graph_begin(&g, &m.dag);
    set(&g, 3 * N, 0, NULL);
    for (int i = 0; i < 3 * N; i++) most = fmax(most, fabs(creal(graph_array(&g, c)[i])));
    for (int i = 0; i < 3 * N; i++) {
        worst = worse(worst, creal(graph_array(&g, a)[i]), creal(graph_array(&g, b)[i]),
                      fabs(creal(graph_array(&g, a)[i])));
        worst2 = worse(worst2, creal(graph_array(&g, c)[i]), creal(graph_array(&g, e)[i]), most);
    }
    ok(worst < 1e-11 && worst2 < 1e-13, "in loops and written out: the same to %.1e, %.1e", worst, worst2);
    graph_end(&g);
    end(&m);
}

/* A chain of many nodes: linear in their number, no deep recursion. */
static void long_chain(void)
{
    enum { LONG = 100000 };
    double start = seconds();
    model m;

    begin(&m, SIZE);
    lbr_ref f = x_of(&m, 0);
    for (int i = 0; i < LONG; i++) f = op1(&m.dag, LBR_OP_SIN, lbr_dag_add(&m.dag, f, x_of(&m, i % SIZE)));
    int gradient = lbr_gradient(&m.dag, f, m.x);
    lbr_ref d = lbr_directional(&m.dag, f, m.x, m.v);
    ok(gradient >= 0 && d && m.dag.n < 10 * LONG, "a chain of %d operations: %d nodes", LONG, m.dag.n);
    printf("# in %.2f s\n", seconds() - start);
    end(&m);
}

/* --- what cannot be ---------------------------------------------------------------------------------------------- */

static void refusals(void)
{
    model m;

    begin(&m, 4);
    int values = lbr_dag_eigen(&m.dag, m.x, 2);
    ok(lbr_gradient(&m.dag, lbr_dag_load(&m.dag, values, 0), m.x) == -1 && m.dag.status == LBR_EARG &&
           strstr(m.dag.message.text, "eigenvalues"),
       "eigenvalues, backwards");
    end(&m);
    begin(&m, 4);
    values = lbr_dag_eigen(&m.dag, m.x, 2);
    ok(lbr_directional_array(&m.dag, values, m.x, m.v) == -1 && m.dag.status == LBR_EARG &&
           strstr(m.dag.message.text, "eigenvalues"),
       "eigenvalues, forwards");
    end(&m);
    begin(&m, 4);
    ok(lbr_directional_array(&m.dag, m.data, m.x, m.v) == -2 && lbr_directional_array(&m.dag, m.x, m.x, m.v) == m.v,
       "constants, and the input itself");
    ok(lbr_directional(&m.dag, lbr_dag_time(&m.dag), m.x, m.v) == 0 && lbr_time_derivative(&m.dag, x_of(&m, 1)) == 0,
       "what does not depend");
    ok(lbr_directional(&m.dag, x_of(&m, 1), m.x, m.data) == 0 && m.dag.status == LBR_EARG &&
           strstr(m.dag.message.text, "direction"),
       "a direction of another size");
    end(&m);
    begin(&m, 4);
    ok(lbr_directional(&m.dag, x_of(&m, 1), m.x, -1) == 0 && m.dag.status == LBR_EARG, "no direction");
    end(&m);
    begin(&m, 4);
    ok(lbr_gradient(&m.dag, x_of(&m, 1), m.data) == -1 && m.dag.status == LBR_EARG &&
           strstr(m.dag.message.text, "input"),
       "with respect to constants");
    end(&m);
    begin(&m, 4);
    int loop = lbr_dag_loop(&m.dag, 0, 0, number_(&m.dag, 3));
    ok(lbr_gradient(&m.dag, m.dag.loop[loop].index, m.x) == -1 && strstr(m.dag.message.text, "without its sum"),
       "of a term without its sum");
    end(&m);
    begin(&m, 4);
    m.dag.limit = m.dag.n + 12;
    lbr_ref f = x_of(&m, 0);
    for (int i = 0; i < 5; i++) f = op1(&m.dag, LBR_OP_TAN, f);
    ok(lbr_gradient(&m.dag, f, m.x) == -1 && strstr(m.dag.message.text, "nodes"), "too many nodes");
    end(&m);
}

int main(void)
{
    branches();
    exactly_zero();
    reductions();
    simple_ones();
    zero_to_a_power();
    bodies();
    neighbours();
    both_ways();
    long_chain();
    refusals();
    return tap_done();
}
