/* test_code.c - the interpreter of the graph: bits, loops, arrays, lanes, threads, memory.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Random graphs against an evaluator that follows the definition in code.h word by word. Linked with --wrap=malloc and
 * kin. */
#include "support/definition.h"
#include "support/heap.h"
#include "support/tap.h"

#include "program/emit.h"
#include "stepper/stepper.h"

#include <math.h>
#include <threads.h>
#include <time.h>

/* --- agreement --------------------------------------------------------------------------------------------------- */

static int same(const double *a, const double *b, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (memcmp(&a[i], &b[i], sizeof *a) && !(a[i] != a[i] && b[i] != b[i])) return 0;
    return 1;
}

static void fill(double *x, int n)
{
    for (int i = 0; i < n; i++) x[i] = ldexp(uniform() - 0.5, below(6));
}

static const int isas[] = { LBR_ISA_BASELINE, LBR_ISA_V3, LBR_ISA_V4 };

/* w states: each like alone. */
static int blocks_agree(lbr_code *code, const graph *g, int w)
{
    double *y = malloc((size_t)(w * (STATE + MOST_OUT + 1)) * sizeof *y), *f = y + w * STATE, *t = f + w * MOST_OUT,
           other[OTHER], x[STATE], want[MOST_OUT] = { 0 }, got[MOST_OUT];
    const double *input[2] = { y, other }, *one[2] = { x, other };
    int good;

    fill(y, w * STATE), fill(other, OTHER), fill(t, w);
    for (int i = 0; i < w * MOST_OUT; i++) f[i] = 0;
    good = !lbr_code_run_block(code, w, t, input, f);
    for (int l = 0; l < w; l++) {
        for (int i = 0; i < STATE; i++) x[i] = y[i * w + l];
        for (int i = 0; i < MOST_OUT; i++) got[i] = f[i * w + l];
        good &= !lbr_code_run(code, t[l], one, want) && same(want, got, g->size);
    }
    free(y);
    return good;
}

/* One random graph: 0 if all agree. */
static int disagrees(definition *d, unsigned long long s)
{
    static graph g;
    static double want[MOST_OUT], got[MOST_OUT], state[STATE], other[OTHER];
    const double *input[2] = { state, other };
    lbr_message message = { 0 };
    lbr_code *code;
    int bad = 0;

    seed = s;
    random_graph(&g);
    fill(state, STATE), fill(other, OTHER);
    if (g.dag.status || g.dag.n > MOST_NODES) return drop(&g), 0;
    if (lbr_code_make(&code, &g.dag, g.out, g.nout, 0, &message))
        return printf("# graph %llu: %s\n", s, message.text), drop(&g), 1;
    memset(want, 0xa5, sizeof want); /* what is not written stays; what is made must not be taken for zero */
    define(d, &g.dag, g.out, g.nout, 0.7, input, want);
    for (size_t i = 0; i < sizeof isas / sizeof *isas; i++) {
        if (lbr_code_isa(code, isas[i])) continue;
        memset(got, 0xa5, sizeof got);
        bad |= lbr_code_run(code, 0.7, input, got) || !same(want, got, g.size);
        bad |= !blocks_agree(code, &g, 1 + below(20)) << 1;
    }
    if (bad) printf("# graph %llu: %d\n", s, bad);
    lbr_code_free(code), drop(&g);
    return bad;
}

static int many(int from, int n, int scalars)
{
    static definition d;
    int bad = 0;

    scalar_only = scalars;
    for (int s = from; s < from + n && bad < 5; s++) bad += !!disagrees(&d, (unsigned long long)s * 7919 + 17);
    return bad;
}

/* The same function of a graph with much before it and after it: the same bits, without memory for what it does not
 * need. 0 if all agree. */
static int disturbed(unsigned long long s, int more)
{
    static graph g, h;
    static double want[MOST_OUT], got[MOST_OUT], state[STATE], other[OTHER];
    const double *input[2] = { state, other };
    lbr_message message = { 0 };
    lbr_code *code = NULL, *again = NULL;
    int bad;

    seed = s, random_graph(&g);
    seed = s, nodes_before = more, random_graph(&h), nodes_before = 0;
    fill(state, STATE), fill(other, OTHER);
    if (g.dag.status || !g.nout) return drop(&g), drop(&h), 0;
    for (int i = 0; i < more; i++) lbr_dag_const(&h.dag, i + 0.456), i % 64 || lbr_dag_array(&h.dag, 1);
    memset(want, 0xa5, sizeof want), memset(got, 0xa5, sizeof got);
    bad = lbr_code_make(&code, &g.dag, g.out, g.nout, 0, &message) || lbr_code_run(code, 0.7, input, want);
    heap.most = heap_wrapped() ? (size_t)1 << 18 : SIZE_MAX;
    bad = bad || lbr_code_make(&again, &h.dag, h.out, h.nout, 0, &message);
    heap.most = SIZE_MAX;
    bad = bad || lbr_code_run(again, 0.7, input, got) || !same(want, got, g.size) ||
          lbr_code_measure(code).instructions != lbr_code_measure(again).instructions;
    if (bad) printf("# graph %llu: %s\n", s, message.text);
    lbr_code_free(code), lbr_code_free(again), drop(&g), drop(&h);
    return bad;
}

static int all_disturbed(int n, int more)
{
    int bad = 0;

    scalar_only = 0;
    for (int s = 0; s < n && bad < 5; s++) bad += disturbed((unsigned long long)s * 6007 + 5, more);
    return bad;
}

/* --- sums -------------------------------------------------------------------------------------------------------- */

typedef struct small {
    lbr_arena arena;
    lbr_dag dag;
    lbr_code *code;
    lbr_message message;
} small;

static void begin(small *s) { memset(s, 0, sizeof *s), lbr_dag_init(&s->dag, &s->arena); }
static void end(small *s) { lbr_code_free(s->code), lbr_dag_free(&s->dag), lbr_arena_free(&s->arena); }
static lbr_ref number(small *s, double x) { return lbr_dag_const(&s->dag, x); }
static int loop_to(small *s, int parent, double n)
{
    return lbr_dag_loop(&s->dag, parent, number(s, 0), number(s, n - 1));
}
static lbr_status make(small *s, const lbr_output *out, int n, int64_t shift)
{
    return lbr_code_make(&s->code, &s->dag, out, n, shift, &s->message);
}

static double from_left(const double *x, int n)
{
    double s = n ? x[0] : 0;

    for (int i = 1; i < n; i++) s += x[i];
    return s;
}

static double of_parts(const double *s) { return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7])); }

/* n terms of wildly different size: 1 if their sum and the sum of their squares are right; how often another order
 * would show. */
static int sum_agrees(int n, int *order, int *rounding)
{
    double x[20], square[20], part[8] = { 0 }, fused[8] = { 0 }, left = 0, want, out[2];
    const double *input[1] = { x };
    lbr_output to[2] = { { -1, 0, 0 }, { -1, 0, 1 } };
    small s;
    int good;

    begin(&s);
    for (int i = 0; i < 20; i++) x[i] = ldexp(uniform() - 0.5, 3 * (i % 7) + i % 2), square[i] = x[i] * x[i];
    for (int k = 0; k < n; k++) {
        part[k % 8] = k < 8 ? x[k] : part[k % 8] + x[k];
        fused[k % 8] = k < 8 ? square[k] : fma(x[k], x[k], fused[k % 8]);
        left = k ? fma(x[k], x[k], left) : square[k];
    }
    int array = lbr_dag_input(&s.dag, 20), L = loop_to(&s, 0, n);
    lbr_ref term = lbr_dag_load(&s.dag, array, s.dag.loop[L].index);
    to[0].node = lbr_dag_reduce(&s.dag, LBR_OP_SUM, L, term),
    to[1].node = lbr_dag_reduce(&s.dag, LBR_OP_SUM, L, lbr_dag_mul(&s.dag, term, term));
    good = !make(&s, to, 2, 0) && !lbr_code_run(s.code, 0, input, out);
    want = n <= 8 ? from_left(x, n) : of_parts(part);
    good &= out[0] == want && out[1] == (n <= 8 ? left : of_parts(fused));
    *order += n > 8 && want != from_left(x, n), *rounding += n > 1 && n <= 8 && left != from_left(square, n);
    end(&s);
    return good;
}

static void sums(void)
{
    int good = 1, order = 0, rounding = 0;

    for (int i = 0; i < 210; i++) good &= sum_agrees(i % 21, &order, &rounding);
    ok(good, "sums of 0 to 20 terms in the order of the language, products fused");
    ok(order > 60, "from the left they would have other bits: %d times of 120", order);
    ok(rounding > 10, "without fma, too: %d times of 70", rounding);
}

/* --- passes ------------------------------------------------------------------------------------------------------ */

static void passes(void)
{
    double y[30], out[3];
    const double *input[1] = { y };
    lbr_output to[3];
    small s;

    begin(&s), fill(y, 30);
    int array = lbr_dag_input(&s.dag, 30), L = loop_to(&s, 0, 30);
    lbr_ref x = lbr_dag_load(&s.dag, array, s.dag.loop[L].index);
    lbr_ref sum = lbr_dag_reduce(&s.dag, LBR_OP_SUM, L, x), most = lbr_dag_reduce(&s.dag, LBR_OP_LARGEST, L, x);
    lbr_ref off = lbr_dag_sub(&s.dag, x, lbr_dag_div(&s.dag, sum, number(&s, 30))),
            spread = lbr_dag_reduce(&s.dag, LBR_OP_SUM, L, lbr_dag_mul(&s.dag, off, off));
    to[0] = (lbr_output){ -1, sum, 0 }, to[1] = (lbr_output){ -1, most, 1 }, to[2] = (lbr_output){ -1, spread, 2 };
    ok(!make(&s, to, 2, 0) && lbr_code_measure(s.code).loops == 1, "two reductions over one loop are one pass");
    lbr_code_free(s.code);
    ok(!make(&s, to, 3, 0) && lbr_code_measure(s.code).loops == 2,
       "one that needs the result of another is a second pass");
    ok(!lbr_code_run(s.code, 0, input, out) && out[2] >= 0, "and runs");
    end(&s);
}

/* --- what is assigned everywhere is not made zero before --------------------------------------------------------- */

enum { COVERED = 20, ENTRIES = 3 };
/* Entries first + slope*i for i = 0 .. n - 1, each in a loop of its own; nested: + inner*j for j = 0 .. m - 1; floor:
 * through an expression that is not looked into. */
typedef struct covering {
    const char *what;
    int zeros;
    struct {
        int n, first, slope, m, inner, add, floor;
    } entry[ENTRIES];
} covering;

static const covering coverings[] = {
    { "all in one loop", 0, { { 20, 0, 1, 0, 0, 0, 0 } } },
    { "backwards", 0, { { 20, 19, -1, 0, 0, 0, 0 } } },
    { "even and odd ones", 0, { { 10, 0, 2, 0, 0, 0, 0 }, { 10, 1, 2, 0, 0, 0, 0 } } },
    { "a loop in a loop", 0, { { 4, 0, 5, 5, 1, 0, 0 } } },
    { "one twice, and all", 0, { { 1, 7, 0, 0, 0, 0, 0 }, { 20, 0, 1, 0, 0, 0, 0 } } },
    { "one added to before all are assigned, one after",
      0,
      { { 1, 3, 0, 0, 0, 1, 0 }, { 20, 0, 1, 0, 0, 0, 0 }, { 1, 4, 0, 0, 0, 1, 0 } } },
    { "the last one is missing", 1, { { 19, 0, 1, 0, 0, 0, 0 } } },
    { "the first one is, and one is beyond", 1, { { 20, 1, 1, 0, 0, 0, 0 } } },
    { "one in the middle is missing", 1, { { 10, 0, 1, 0, 0, 0, 0 }, { 9, 11, 1, 0, 0, 0, 0 } } },
    { "all are added to", 1, { { 20, 0, 1, 0, 0, 1, 0 } } },
    { "one is added to only", 1, { { 19, 0, 1, 0, 0, 0, 0 }, { 1, 19, 0, 0, 0, 1, 0 } } },
    { "loops that overlap, one is beyond", 0, { { 5, 0, 4, 5, 1, 0, 0 } } },
    { "a place that is not known before", 1, { { 20, 0, 1, 0, 0, 0, 1 } } },
};

/* The entry in the graph; and what it does to an array. */
static void enter(small *s, int array, int input, const covering *c, int k, const double *y, double *want)
{
    int n = c->entry[k].n, m = c->entry[k].m, add = c->entry[k].add, first = c->entry[k].first, L = loop_to(s, 0, n),
        M = m ? loop_to(s, L, m) : L;
    lbr_ref at = lbr_dag_add(&s->dag, lbr_dag_mul(&s->dag, s->dag.loop[L].index, number(s, c->entry[k].slope)),
                             number(s, first)),
            value = lbr_dag_load(&s->dag, input, s->dag.loop[M].index);

    if (m) at = lbr_dag_add(&s->dag, at, lbr_dag_mul(&s->dag, s->dag.loop[M].index, number(s, c->entry[k].inner)));
    if (c->entry[k].floor) at = lbr_dag_op(&s->dag, LBR_OP_FLOOR, lbr_dag_mul(&s->dag, at, number(s, 1.0625)), 0, 0);
    lbr_dag_entry(&s->dag, array, (lbr_entry){ M, at, value, add });
    for (int i = 0; i < n; i++)
        for (int j = 0; j < (m ? m : 1); j++) {
            int to = first + c->entry[k].slope * i + c->entry[k].inner * j;

            if (c->entry[k].floor) to = (int)floor(1.0625 * to);
            if (to >= 0 && to < COVERED) want[to] = y[m ? j : i] + (add ? want[to] : 0);
        }
}

static void covers(const covering *c)
{
    double y[COVERED], want[COVERED] = { 0 }, got[COVERED];
    const double *input[1] = { y };
    unsigned inputs;
    lbr_unit unit = { 0 };
    small s;

    begin(&s), fill(y, COVERED), memset(got, 0xa5, sizeof got);
    int in = lbr_dag_input(&s.dag, COVERED), array = lbr_dag_array(&s.dag, COVERED);
    for (int k = 0; k < ENTRIES && c->entry[k].n; k++) enter(&s, array, in, c, k, y, want);
    lbr_dag_close(&s.dag, array);
    lbr_output out = { array, 0, 0 };
    if (lbr_emit_function(&unit, "f", &s.dag, &out, 1, 0, &inputs, &s.message)) printf("# %s\n", s.message.text);
    ok(!make(&s, &out, 1, 0) && !lbr_code_run(s.code, 0, input, got) && same(want, got, COVERED) && unit.text.text &&
           !strstr(unit.text.text, "memset(") == !c->zeros,
       "%s: %s", c->what, c->zeros ? "zeros first" : "no zeros");
    lbr_unit_free(&unit), end(&s);
}

/* --- arguments --------------------------------------------------------------------------------------------------- */

static void arguments(void)
{
    double p[3] = { 3, 4, 5 }, out[4] = { 0, 0, 0, 7 };
    const double *input[1] = { p };
    lbr_output to[2] = { { -1, 0, 0 }, { -1, 0, 1 } };
    small s;

    begin(&s);
    int array = lbr_dag_input(&s.dag, 6), L = lbr_dag_loop(&s.dag, 0, number(&s, 3), number(&s, 5)),
        open = lbr_dag_array(&s.dag, 2);
    lbr_ref i = s.dag.loop[L].index, x = lbr_dag_load(&s.dag, array, lbr_dag_sub(&s.dag, i, number(&s, 1)));
    to[0].node = lbr_dag_reduce(
        &s.dag, LBR_OP_SUM, L,
        lbr_dag_op(&s.dag, LBR_OP_SELECT, lbr_dag_op(&s.dag, LBR_OP_LT, number(&s, 3), i, 0), x, number(&s, 100)));
    to[1].node = lbr_dag_load(&s.dag, array, number(&s, 5));
    ok(!make(&s, to, 2, 3) && !lbr_code_run(s.code, 0, input, out),
       "a function of the momenta takes a pointer to them");
    ok(out[0] == 107 && out[1] == 5 && out[3] == 7, "an element before them is not read");
    ok(!lbr_code_run_block(s.code, 0, NULL, input, out) && !lbr_code_run_block(s.code, 1, p, input, out) &&
           out[0] == 107,
       "blocks of no state, of one state");
    ok(lbr_code_isa(s.code, 99) == -1, "an instruction set that is not there");
    lbr_code_free(s.code);
    ok(make(&s, &(lbr_output){ -1, i, 0 }, 1, 0) == LBR_EARG && !s.code && strstr(s.message.text, "index"),
       "a node of a loop is no output");
    ok(make(&s, &(lbr_output){ open, 0, 0 }, 1, 0) == LBR_EARG && strstr(s.message.text, "complete"),
       "nor an array that is open");
    ok(make(&s, &(lbr_output){ 9, 0, 0 }, 1, 0) == LBR_EARG &&
           make(&s, &(lbr_output){ -1, 1 << 20, 0 }, 1, 0) == LBR_EARG,
       "nor what is not there");
    ok(make(&s, &(lbr_output){ array, 0, 0 }, 1, 3) == LBR_EARG && strstr(s.message.text, "part of the state"),
       "a function of the momenta does not give the state");
    ok(make(&s, &(lbr_output){ -1, lbr_dag_load(&s.dag, array, number(&s, 1)), 0 }, 1, 3) == LBR_EARG &&
           strstr(s.message.text, "not in it"),
       "nor is of a position");
    ok(!make(&s, NULL, 0, 0) && !lbr_code_run(s.code, 0, NULL, NULL), "no output at all");
    end(&s);
}

static void singular(void)
{
    double M[4] = { 1, 2, 2, 4 }, out[4];
    const double *input[1] = { M };
    small s;

    begin(&s);
    int a = lbr_dag_input(&s.dag, 4), x = lbr_dag_solve(&s.dag, a, a, 2, 2, 0), det = lbr_dag_det(&s.dag, a, 2),
        eigen = lbr_dag_eigen(&s.dag, a, 2);
    lbr_output both[2] = { { det, 0, 0 }, { eigen, 0, 1 } };
    ok(!make(&s, &(lbr_output){ x, 0, 0 }, 1, 0) && lbr_code_run(s.code, 0, input, out) == -1,
       "a singular matrix cannot be solved with");
    M[3] = 5;
    ok(!lbr_code_run(s.code, 0, input, out) && out[0] == 1 && out[1] == 0 && out[2] == 0 && out[3] == 1,
       "a regular one can, with the same code");
    lbr_code_free(s.code), M[3] = 4;
    ok(!make(&s, both, 2, 0) && !lbr_code_run(s.code, 0, input, out) && out[0] == 0, "its determinant is 0");
    near(out[1], 0, 1e-15, "its eigenvalues are 0");
    near(out[2], 5, 1e-15, "and 5");
    M[0] = NAN;
    ok(!lbr_code_run(s.code, 0, input, out) && out[0] != out[0], "the determinant of what is no number is none");
    end(&s);
}

/* Symmetric matrices: the sum of the eigenvalues is the trace, their product the determinant; ascending. */
static void eigenvalues(void)
{
    double worst = 0, worse = 0;
    int order = 1;

    for (int n = 1; n <= 12; n++) {
        double M[144], A[144], lambda[12], trace = 0, sum = 0, product = 1;
        int64_t pivot[12];

        fill(M, n * n);
        for (int i = 0; i < n; i++) trace += M[i * n + i];
        for (int i = 0; i < n * n; i++) A[i] = M[i / n < i % n ? i : i % n * n + i / n];
        lbr_code_eigen(n, M, lambda);
        for (int i = 0; i < n; i++) sum += lambda[i], product *= lambda[i], order &= !i || lambda[i] >= lambda[i - 1];
        worst = fmax(worst, fabs(sum - trace)), worse = fmax(worse, fabs(product / lbr_code_det(n, A, pivot) - 1));
    }
    ok(order && worst < 1e-12 && worse < 1e-11, "eigenvalues: trace to %.1e, determinant to %.1e", worst, worse);
}

/* --- large codes ------------------------------------------------------------------------------------------------- */

/* n nodes in a row of short chains. */
static double seconds_to_make(small *s, int n)
{
    enum { SUMMANDS = 1000 };
    lbr_ref x, *all = malloc(SUMMANDS * sizeof *all);
    clock_t start;

    begin(s);
    x = lbr_dag_load(&s->dag, lbr_dag_input(&s->dag, 1), number(s, 0));
    for (int i = 0; i < SUMMANDS; i++) all[i] = x;
    for (int i = 0; i < n; i++)
        all[i % SUMMANDS] = lbr_dag_op(&s->dag, i % 3 ? LBR_OP_ADD : LBR_OP_MUL,
                                       lbr_dag_op(&s->dag, LBR_OP_ABS, all[i % SUMMANDS], 0, 0), number(s, i + 2), 0);
    x = lbr_dag_sum(&s->dag, all, SUMMANDS);
    free(all);
    start = clock();
    if (make(s, &(lbr_output){ -1, x, 0 }, 1, 0)) return 1e9;
    return (double)(clock() - start) / CLOCKS_PER_SEC;
}

static void large(void)
{
    double few, many, x = 1, f;
    const double *input[1] = { &x };
    small s;

    few = seconds_to_make(&s, 5000), end(&s);
    many = seconds_to_make(&s, 100000);
    printf("# made in %.3f and %.3f s\n", few, many);
    ok(many < 200 * (few + 1e-3), "twenty times as many nodes do not take four hundred times as long");
    ok(!lbr_code_run(s.code, 0, input, &f) && f > 0, "and run");
    ok(lbr_code_measure(s.code).instructions > 100000 && lbr_code_measure(s.code).registers < 103000 + 2000,
       "a constant each, and few registers besides: %d", (int)lbr_code_measure(s.code).registers);
    end(&s);
}

/* Zeros are not written one by one. */
static void zeros(void)
{
    enum { N = 100000 };
    static double f[N];
    int array, good = 1;
    small s;

    begin(&s);
    array = lbr_dag_array(&s.dag, N), lbr_dag_close(&s.dag, array);
    for (int i = 0; i < N; i++) f[i] = NAN;
    good = lbr_dag_load(&s.dag, array, lbr_dag_const(&s.dag, N - 1)) == lbr_dag_const(&s.dag, 0) &&
           !lbr_code_make(&s.code, &s.dag, &(lbr_output){ array, 0, 0 }, 1, 0, &s.message);
    good = good && !lbr_code_run(s.code, 0, NULL, f);
    for (int i = 0; i < N; i++) good &= f[i] == 0;
    ok(good && lbr_code_measure(s.code).instructions < 10, "an array of %d zeros in %d instructions", N,
       good ? (int)lbr_code_measure(s.code).instructions : -1);
    end(&s);
}

/* --- threads, memory --------------------------------------------------------------------------------------------- */

enum { THREADS = 4, BIG = 3000 };

/* A code that does not fit on the stack: squares of BIG elements, read again. */
static void big(small *s)
{
    begin(s);
    int y = lbr_dag_input(&s->dag, BIG), a = lbr_dag_array(&s->dag, BIG), L = loop_to(s, 0, BIG);
    lbr_ref i = s->dag.loop[L].index, x = lbr_dag_load(&s->dag, y, i);
    lbr_dag_entry(&s->dag, a, (lbr_entry){ L, i, lbr_dag_mul(&s->dag, x, x), 0 });
    lbr_dag_close(&s->dag, a);
    x = lbr_dag_load(&s->dag, a, lbr_dag_sub(&s->dag, number(s, BIG - 1), i));
    x = lbr_dag_reduce(&s->dag, LBR_OP_SUM, L, lbr_dag_mul(&s->dag, x, lbr_dag_load(&s->dag, y, i)));
    make(s, &(lbr_output){ -1, x, 0 }, 1, 0);
}

typedef struct job {
    lbr_code *code;
    const double *y;
    double want;
    int starved; /* no memory is to be had */
    int good;
} job;

static int work(void *p)
{
    job *j = p;
    const double *input[1] = { j->y };
    double f;

    j->good = 1, heap.calls = 0, heap.refuse = j->starved, heap.on = j->starved;
    for (int i = 0; i < 300; i++) {
        heap.refused = 0;
        j->good &= lbr_code_run(j->code, 0, input, &f) ? heap.refused != 0 : f == j->want;
    }
    return 0;
}

static void together_in_threads(int starved)
{
    static double y[THREADS][BIG];
    job j[THREADS];
    thrd_t thread[THREADS];
    const double *input[1];
    small s;
    int good = 1;

    big(&s);
    for (int i = 0; i < THREADS; i++) {
        fill(y[i], BIG), input[0] = y[i];
        j[i] = (job){ s.code, y[i], 0, starved, 0 };
        good &= !lbr_code_run(s.code, 0, input, &j[i].want);
    }
    for (int i = 0; i < THREADS; i++) good &= thrd_create(&thread[i], work, &j[i]) == thrd_success;
    for (int i = 0; i < THREADS; i++) good &= thrd_join(thread[i], NULL) == thrd_success && j[i].good;
    ok(good, "%d threads in one code: each with its own bits%s", THREADS,
       starved ? ", or no memory, where all that is there is in use" : "");
    end(&s);
}

static void memory(void)
{
    static graph g;
    static double y[BIG];
    const double *input[2] = { y, y };
    int refusals = 0, good = 1, graphs = 0;
    double f;
    small s;

    fill(y, BIG);
    for (scalar_only = 0, seed = 99; graphs < 40; graphs++) {
        long live = heap.live, n = 0;
        lbr_status status = LBR_ENOMEM;

        heap.refuse = 0, random_graph(&g);
        while (status == LBR_ENOMEM && ++n < 500) {
            lbr_code *code;
            lbr_message message = { 0 };
            long before = heap.live;

            heap.calls = 0, heap.refuse = n;
            status = lbr_code_make(&code, &g.dag, g.out, g.nout, 0, &message);
            good &= status ? !code && message.text[0] : 1;
            refusals += status == LBR_ENOMEM;
            heap.refuse = 0;
            lbr_code_free(code);
            good &= heap.live == before;
        }
        good &= !status, drop(&g);
        good &= heap.live == live;
    }
    ok(good && refusals > 100,
       "making a code with each allocation refused: %d times no memory, said so, nothing left behind", refusals);
    big(&s);
    heap.calls = 0, heap.refuse = 1;
    for (int i = 0; i < 10; i++) good &= !lbr_code_run(s.code, 0, input, &f);
    heap.refuse = 0;
    ok(good && heap.calls == 0, "runs allocate nothing, not even the first");
    end(&s);
}

int main(void)
{
    ok(!many(1, 2000, 1),
       "2000 random graphs without loops: the bits of the definition, on all instruction sets, in blocks too");
    ok(!many(10000, 4000, 0), "4000 random graphs with loops, arrays, matrices: the bits of the definition, on all "
                              "instruction sets, in blocks too");
    ok(!all_disturbed(1000, 20000), "the same bits between 40000 other nodes, with less memory than they take");
    sums();
    passes();
    for (size_t i = 0; i < sizeof coverings / sizeof *coverings; i++) covers(&coverings[i]);
    arguments();
    singular();
    eigenvalues();
    large();
    zeros();
    together_in_threads(0), together_in_threads(1);
    memory();
    return tap_done();
}
