/* test_dag_arrays.c - loops and arrays of the graph, its limits, copies, failing memory.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Linked with --wrap=malloc and its kin. */
#include "support/nodes.h"
#include "support/heap.h"

#include "graph/derive.h"

/* --- loops ------------------------------------------------------------------------------------------------------- */

static int fails(const char *word)
{
    int good = d->status == LBR_EARG && strstr(d->message.text, word) && con(17) == 0 && var(0) == 0 &&
               lbr_dag_loop(d, 0, 0, 0) == 0 && lbr_dag_input(d, 3) == -1 && lbr_dag_array(d, 3) == -1 &&
               lbr_dag_reduce(d, LBR_OP_SUM, 1, 0) == 0 && lbr_dag_time(d) == 0;

    if (!good) printf("# %d: %s\n", d->status, d->message.text);
    end();
    return good;
}

static void loops(void)
{
    begin();
    int k = lbr_dag_loop(d, 0, 0, con(5)), l = lbr_dag_loop(d, k, 0, d->loop[k].index),
        m = lbr_dag_loop(d, 0, con(1), con(5));
    lbr_ref i = d->loop[k].index, j = d->loop[l].index, ij = OP2(ADD, i, j), s, x = lbr_dag_load(d, in, j);

    ok(lbr_dag_loop(d, k, 0, i) == l && m != k && d->nloops == 4, "equal loops are one");
    ok(d->node[i].op == LBR_OP_INDEX && d->node[i].k == k && d->node[i].scope == k && d->node[j].scope == l,
       "the index stands in its loop");
    ok(d->node[ij].scope == l && d->node[x].scope == l && node_at(OP2(ADD, i, var(0))).scope == k &&
           node_at(var(0)).scope == 0,
       "a node stands in the innermost one");
    ok(lbr_dag_within(d, l, k) && lbr_dag_within(d, l, 0) && lbr_dag_within(d, k, k) && !lbr_dag_within(d, k, l) &&
           !lbr_dag_within(d, m, k),
       "loops contain each other");
    s = lbr_dag_reduce(d, LBR_OP_SUM, l, x);
    ok(d->node[s].scope == k && node_at(lbr_dag_reduce(d, LBR_OP_SUM, l, var(3))).scope == k,
       "a sum stands around its loop, and no further out");
    ok(node_at(lbr_dag_reduce(d, LBR_OP_SUM, k, s)).scope == 0, "at last at the top");
    DIFFER(lbr_dag_reduce(d, LBR_OP_SUM, l, x), lbr_dag_reduce(d, LBR_OP_PROD, l, x));
    SAME(lbr_dag_reduce(d, LBR_OP_SUM, lbr_dag_loop(d, 0, con(1), 0), var(1)), 0);
    SAME(lbr_dag_reduce(d, LBR_OP_PROD, lbr_dag_loop(d, 0, con(1), 0), var(1)), con(1));
    SAME(lbr_dag_reduce(d, LBR_OP_SUM, k, 0), 0);
    SAME(lbr_dag_reduce(d, LBR_OP_PROD, k, con(1)), con(1));
    ok(node_at(lbr_dag_reduce(d, LBR_OP_PROD, k, con(2))).op == LBR_OP_PROD, "a product of other constants stays");
    ok(node_at(lbr_dag_reduce(d, LBR_OP_LARGEST, lbr_dag_loop(d, 0, con(1), 0), con(1))).op == LBR_OP_LARGEST,
       "and the largest of nothing");
    ok(d->node[x].deps == LBR_DEP_INPUT &&
           node_at(OP2(ADD, lbr_dag_time(d), s)).deps == (LBR_DEP_INPUT | LBR_DEP_TIME) && !d->node[ij].deps,
       "what nodes depend on");
    lbr_dag_add(d, j, d->loop[m].index);
    ok(fails("indices"), "indices of two loops side by side do not meet");
    begin();
    k = lbr_dag_loop(d, 0, 0, con(5)), m = lbr_dag_loop(d, 0, con(1), con(5));
    lbr_dag_reduce(d, LBR_OP_SUM, m, d->loop[k].index);
    ok(fails("index"), "a sum over another loop than its term's");
    begin();
    k = lbr_dag_loop(d, 0, 0, con(5));
    lbr_dag_loop(d, 0, 0, d->loop[k].index);
    ok(fails("bounds"), "bounds with an index from inside");
    begin();
    for (int n = 0; n < 300; n++) lbr_dag_loop(d, lbr_dag_loop(d, 0, 0, con(n)), 0, con(n + 1));
    k = d->nloops;
    for (int n = 0; n < 300; n++) lbr_dag_loop(d, lbr_dag_loop(d, 0, 0, con(n)), 0, con(n + 1));
    ok(d->nloops == k && k == 601, "many loops, found again");
    lbr_dag_reduce(d, LBR_OP_SUM, 601, 0);
    ok(fails("loop"), "no such loop");
    begin();
    lbr_dag_reduce(d, LBR_OP_SUM, 0, var(0));
    ok(fails("loop"), "the top is not a loop");
    begin();
    lbr_dag_reduce(d, LBR_OP_ADD, lbr_dag_loop(d, 0, 0, con(3)), 0);
    ok(fails("loop"), "not a sum");
    begin();
    lbr_dag_op(d, LBR_OP_SUM, 0, 0, 0);
    ok(fails("operation"), "not an operation of numbers");
    begin();
    for (int n = 0; n < LBR_MOST_LOOPS + 1; n++) lbr_dag_loop(d, 0, 0, con(n));
    ok(fails("100000 different sums"), "too many loops");
}

static void limits(void)
{
    begin();
    int n = d->n;
    for (int i = 0; i < 200000; i++) con(i + 0.5);
    ok(d->n == n + 200000, "many nodes");
    for (int i = 0; i < 200000; i++) con(i + 0.5);
    ok(d->n == n + 200000, "which are found again");
    char text[64];
    snprintf(text, sizeof text, "more than %d nodes", d->limit = d->n + 10);
    for (int i = 0; i < 10; i++) con(-i - 0.5);
    ok(d->status == LBR_OK && d->n == d->limit && con(-0.5), "as many as allowed");
    con(0.1);
    ok(fails(text), "one more is one too many");
    begin();
    d->limit = LBR_MOST_NODES + 1;
    end();
    ok(d->status == LBR_EARG && con(1) == 0 && !lbr_dag_is_const(d, 0, NULL), "nothing after the end");
}

/* --- arrays ------------------------------------------------------------------------------------------------------ */

static void put(int array, int loop, lbr_ref index, lbr_ref value, int add)
{
    lbr_dag_entry(d, array, (lbr_entry){ loop, index, value, add });
}

static void arrays(void)
{
    begin();
    lbr_ref x = var(0), y = var(1), z = var(2);
    int flat = lbr_dag_array(d, 4), k = lbr_dag_loop(d, 0, 0, con(3)), made = lbr_dag_array(d, 4);
    lbr_ref i = d->loop[k].index;

    put(flat, 0, con(0), x, 0), put(flat, 0, con(1), x, 1), put(flat, 0, con(1), y, 1), put(flat, 0, con(1), z, 0),
        put(flat, 0, con(1), y, 1), put(flat, 0, con(0), z, 1);
    put(flat, 0, con(3), lbr_dag_time(d), 0);
    lbr_dag_close(d, flat);
    put(made, k, i, lbr_dag_load(d, in, i), 0), put(made, 0, con(2), x, 1);
    lbr_dag_close(d, made);
    ok(d->array[flat].flat && !d->array[made].flat && d->array[made].born <= d->n, "flat and not");
    SAME(lbr_dag_load(d, flat, con(0)), OP2(ADD, x, z));
    SAME(lbr_dag_load(d, flat, con(1)), OP2(ADD, z, y));
    SAME(lbr_dag_load(d, flat, con(2)), 0);
    SAME(lbr_dag_load(d, data, con(3)), con(8));
    lbr_ref from_flat = lbr_dag_load(d, flat, i), from_made = lbr_dag_load(d, made, con(2));
    ok(d->node[from_flat].op == LBR_OP_LOAD && d->node[from_flat].scope == k && d->node[from_made].op == LBR_OP_LOAD &&
           d->node[from_made].scope == 0,
       "other loads are nodes");
    ok(d->node[from_flat].deps == (LBR_DEP_INPUT | LBR_DEP_TIME) && d->node[from_made].deps == LBR_DEP_INPUT,
       "which depend on what the array depends on");
    int often = lbr_dag_array(d, 1), nothing = lbr_dag_array(d, 0);
    put(often, k, 0, x, 1);
    lbr_dag_close(d, often), lbr_dag_close(d, nothing), lbr_dag_close(d, often);
    ok(!d->array[often].flat && node_at(lbr_dag_load(d, often, 0)).op == LBR_OP_LOAD && nothing > often,
       "one element, added to many times; no elements");
    ok(from_made >= d->array[made].born && from_flat >= d->array[flat].born, "and are younger");
    int solved = lbr_dag_solve(d, flat, data, 2, 3, 0);
    ok(solved == -1, "a right side of another size");
    ok(fails("not a matrix of 2 by 3"), "is named");
    for (int n = 0; n < 40; n++) begin(), end();
    begin();
    for (int n = 2; n < 40; n++) x = lbr_dag_load(d, lbr_dag_input(d, 1), 0);
    ok(d->node[x].deps == 1u << 31, "late inputs share a bit");
    end();
}

static void mistakes(void)
{
    static const double no_place[] = { -1, SIZE, 0.5, NAN };

    for (int i = 0; i < 4; i++) {
        begin();
        lbr_dag_load(d, in, con(no_place[i]));
        ok(fails("of an array of 8"), "there is no element %g", no_place[i]);
        begin();
        put(lbr_dag_array(d, SIZE), 0, con(no_place[i]), 0, 0);
        ok(fails("of an array of 8"), "nor to write to");
    }
    begin();
    lbr_dag_load(d, lbr_dag_array(d, 1), 0);
    ok(fails("not complete"), "an open array is not read");
    begin();
    int a = lbr_dag_array(d, 1);
    lbr_dag_close(d, a), put(a, 0, 0, 0, 0);
    ok(fails("complete"), "a closed one not written");
    begin();
    put(in, 0, 0, 0, 0);
    ok(fails("complete"), "nor an input");
    begin();
    put(lbr_dag_array(d, 4), 0, 0, loop_at(lbr_dag_loop(d, 0, 0, con(3))).index, 0);
    ok(fails("index"), "an entry stands in its loop");
    begin();
    lbr_dag_array(d, -1);
    ok(fails("-1 elements"), "no array is that small");
    begin();
    ok(lbr_dag_det(d, in, 3) == -1 && fails("matrix of 3 by 3"), "a matrix is square");
    begin();
    ok(lbr_dag_load(d, 99, 0) == 0 && fails("not there"), "no such array");
}

/* --- copies ------------------------------------------------------------------------------------------------------ */

/* Something with loops, made arrays, a solution and a determinant of array x. */
static lbr_ref everything(int x)
{
    int k = lbr_dag_loop(d, 0, 0, con(3)), l = lbr_dag_loop(d, k, 0, d->loop[k].index), a = lbr_dag_array(d, 4),
        b = lbr_dag_array(d, 2), solved, m = lbr_dag_array(d, 4);
    lbr_ref i = d->loop[k].index, j = d->loop[l].index,
            body = OP2(MUL, lbr_dag_load(d, x, i), OP(SIN, lbr_dag_load(d, x, j))), sum;

    for (int n = 0; n < 4; n++) put(a, 0, con(n), OP2(ADD, lbr_dag_load(d, x, con(n)), con(n % 3 ? 0 : 5)), 0);
    for (int n = 0; n < 2; n++) put(b, 0, con(n), OP(COS, lbr_dag_load(d, x, con(n + 4))), 0);
    put(m, l, j, body, 1);
    lbr_dag_close(d, a), lbr_dag_close(d, b), lbr_dag_close(d, m);
    solved = lbr_dag_solve(d, a, b, 2, 1, 1);
    sum = lbr_dag_reduce(d, LBR_OP_SUM, k, lbr_dag_reduce(d, LBR_OP_SUM, l, OP2(MUL, body, lbr_dag_load(d, m, i))));
    return OP2(ADD, OP2(MUL, sum, lbr_dag_load(d, solved, con(1))), lbr_dag_load(d, lbr_dag_det(d, a, 2), 0));
}

static double value_at(lbr_ref f)
{
    double r;
    graph g;

    graph_begin(&g, d);
    for (int i = 0; i < SIZE; i++) g.input[0][i] = 0.2 * i + 0.1, g.input[1][i] = cos(i);
    r = creal(graph_node(&g, f));
    graph_end(&g);
    return r;
}

static void replaced(void)
{
    begin();
    lbr_ref f = everything(in), g = everything(other), h = lbr_dag_replace(d, f, in, other),
            back = lbr_dag_replace(d, h, other, in);
    int n = d->n, made = lbr_dag_array(d, SIZE), k = lbr_dag_loop(d, 0, 0, con(SIZE - 1));

    ok(value_at(h) == value_at(g) && value_at(h) != value_at(f), "an input in place of another");
    ok(value_at(back) == value_at(f), "and back");
    SAME(lbr_dag_replace(d, f, other, in), f);
    SAME(lbr_dag_replace(d, con(3), in, other), con(3));
    put(made, k, d->loop[k].index, lbr_dag_load(d, other, d->loop[k].index), 0);
    lbr_dag_close(d, made);
    ok(value_at(lbr_dag_replace(d, f, in, made)) == value_at(g), "an array that is made in place of an input");
    lbr_ref from = lbr_dag_add(d, lbr_dag_load(d, made, con(2)), OP(SIN, lbr_dag_time(d)));
    ok(value_at(lbr_dag_replace(d, from, made, in)) == value_at(var(2)) && d->n > n, "and an input in place of one");
    SAME(lbr_dag_replace(d, lbr_dag_add(d, f, lbr_dag_load(d, made, con(2))), made, in), lbr_dag_add(d, f, var(2)));
    ok(lbr_dag_replace(d, f, in, 99) == 0 && d->status == LBR_EARG, "nor by none");
    end();
    begin();
    f = var(0);
    ok(lbr_dag_replace(d, f, in, lbr_dag_input(d, 3)) == 0 && fails("another size"), "not of another size");
}

/* --- failing memory ---------------------------------------------------------------------------------------------- */

static lbr_status all_of_it(void)
{
    lbr_status status = lbr_dag_init(d, &arena);

    if (status) return end(), status;
    in = lbr_dag_input(d, SIZE), other = lbr_dag_input(d, SIZE), data = lbr_dag_data(d, numbers, SIZE);
    lbr_ref f = everything(in), p = lbr_dag_reduce(d, LBR_OP_PROD, lbr_dag_loop(d, 0, 0, con(3)), con(2)), h;
    lbr_entry *entry;
    int l = lbr_dag_loop(d, 0, 0, con(SIZE - 1)), gradient;

    p = lbr_dag_add(d, p, lbr_dag_reduce(d, LBR_OP_PROD, l, lbr_dag_load(d, in, d->loop[l].index)));
    for (int i = 0; i < 300; i++) f = OP2(ADD, OP(SIN, f), lbr_dag_mul(d, var(i % SIZE), p));
    gradient = lbr_gradient(d, f, in);
    if (gradient >= 0) lbr_directional_array(d, gradient, in, other);
    h = lbr_dag_replace(d, f, in, other);
    lbr_time_derivative(d, h);
    lbr_partials(d, lbr_dag_mul(d, lbr_dag_load(d, in, d->loop[l].index), p), l, in, &entry);
    status = d->status;
    end();
    return status;
}

static void failing(void)
{
    long before = heap.live, n = 0;
    int good = 1;

    do {
        lbr_status status;

        heap.calls = heap.refused = 0, heap.refuse = ++n;
        status = all_of_it();
        heap.refuse = 0;
        good &= status == (heap.refused ? LBR_ENOMEM : LBR_OK) && heap.live == before;
        if (!good) printf("# allocation %ld: status %d, %ld blocks left\n", n, status, heap.live - before);
    } while (heap.refused && good && n < 5000);
    ok(good && n > 50, "%ld failing allocations are taken well", n - 1);
}

int main(void)
{
    loops();
    limits();
    arrays();
    mistakes();
    replaced();
    failing();
    return tap_done();
}
