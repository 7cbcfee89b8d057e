/* derive_solve.c - derivatives of solved systems and of determinants. SPDX-License-Identifier: BSD-3-Clause
 *
 *   A X = B:   dX = A^-1 (dB - dA X);   with W = A^-T Xbar:  Bbar = W,  Abar = -W X^T.
 *   d = det A: dd = d tr(A^-1 dA),                           Abar = dbar d A^-T.
 * Small matrices are written out, so that their elements stay nodes; others are loops. */
#include "dag_make.h"
#include "derive_rule.h"

enum { WRITTEN_OUT = 36, TERMS = 8 };

static lbr_ref number(lbr_dag *dag, double x) { return lbr_dag_const(dag, x); }

/* Element i, j of an array by rows. */
static lbr_ref at(lbr_dag *dag, int64_t cols, lbr_ref i, lbr_ref j)
{
    return lbr_dag_add(dag, lbr_dag_mul(dag, i, number(dag, (double)cols)), j);
}
static lbr_ref load(lbr_dag *dag, int array, int64_t cols, lbr_ref i, lbr_ref j)
{
    return lbr_dag_load(dag, array, at(dag, cols, i, j));
}

typedef struct fill fill;
struct fill {
    lbr_dag *dag;
    lbr_ref (*element)(const fill *f, int loop, lbr_ref i, lbr_ref j);
    int x, y;
    int64_t inner; /* what the elements are made of */
    int transposed;
    lbr_ref factor;
    lbr_put_fn put;
    void *ctx;
};

/* Puts all elements of a rows x cols matrix. */
static void put_all(const fill *f, int64_t rows, int64_t cols)
{
    lbr_dag *dag = f->dag;

    if (rows * cols > WRITTEN_OUT) {
        int l = lbr_dag_loop(dag, 0, 0, number(dag, (double)(rows - 1))),
            m = lbr_dag_loop(dag, l, 0, number(dag, (double)(cols - 1)));
        lbr_ref i = dag->loop[l].index, j = dag->loop[m].index, index = at(dag, cols, i, j);

        f->put(f->ctx, (lbr_entry){ m, index, f->element(f, m, i, j), 1 });
        return;
    }
    for (int64_t k = 0; k < rows * cols && !dag->status; k++) {
        lbr_ref i = number(dag, (double)(k / cols)), j = number(dag, (double)(k % cols)),
                index = number(dag, (double)k);

        f->put(f->ctx, (lbr_entry){ 0, index, f->element(f, 0, i, j), 1 });
    }
}

/* sum over k < n of term(k), in a loop if there are many. */
static lbr_ref sum_up(const fill *f, int loop, int64_t n, lbr_ref i, lbr_ref j,
                      lbr_ref (*term)(const fill *f, lbr_ref i, lbr_ref j, lbr_ref k))
{
    lbr_dag *dag = f->dag;
    lbr_ref list[TERMS];

    if (n > TERMS) {
        int l = lbr_dag_loop(dag, loop, 0, number(dag, (double)(n - 1)));

        return lbr_dag_reduce(dag, LBR_OP_SUM, l, term(f, i, j, dag->loop[l].index));
    }
    for (int64_t k = 0; k < n; k++) list[k] = term(f, i, j, number(dag, (double)k));
    return lbr_dag_sum(dag, list, n);
}

/* --- forward ----------------------------------------------------------------------------------------------------- */

static void put_entry(void *ctx, lbr_entry e)
{
    const fill *f = ctx;

    lbr_dag_entry(f->dag, (int)f->inner, e);
}

/* dA(i, k) X(k, j), or with the transpose of dA. */
static lbr_ref matrix_term(const fill *f, lbr_ref i, lbr_ref j, lbr_ref k)
{
    int64_t rows = f->dag->array[f->y].rows, cols = f->dag->array[f->y].cols;
    lbr_ref a = load(f->dag, f->x, rows, f->transposed ? k : i, f->transposed ? i : k),
            x = load(f->dag, f->y, cols, k, j);

    return lbr_dag_mul(f->dag, a, x);
}

static lbr_ref minus_product(const fill *f, int loop, lbr_ref i, lbr_ref j)
{
    return lbr_dag_neg(f->dag, sum_up(f, loop, f->dag->array[f->y].rows, i, j, matrix_term));
}

static lbr_ref element_of(const fill *f, int loop, lbr_ref i, lbr_ref j)
{
    lbr_ref e = load(f->dag, f->x, f->dag->array[f->y].cols, i, j);

    return f->factor ? lbr_chain_product(f->dag, 1, (lbr_ref[]){ f->factor, e }, 2) : e;
}

int lbr_chain_solve(lbr_dag *dag, int x, int da, int db)
{
    lbr_array s = dag->array[x];
    fill f = { .dag = dag, .y = x, .transposed = s.transposed, .put = put_entry };
    int right = db;

    f.ctx = &f;
    if (da >= 0) { /* dB - dA X, in an array of its own */
        f.inner = right = lbr_dag_array(dag, s.size);
        f.element = element_of, f.x = db;
        if (db >= 0) put_all(&f, s.rows, s.cols);
        f.element = minus_product, f.x = da;
        put_all(&f, s.rows, s.cols);
        lbr_dag_close(dag, right);
    }
    return lbr_dag_solve(dag, s.a, right, s.rows, s.cols, s.transposed);
}

static lbr_ref diagonal_term(const fill *f, lbr_ref i, lbr_ref j, lbr_ref k)
{
    return load(f->dag, f->x, f->dag->array[f->x].rows, k, k);
}

int lbr_chain_det(lbr_dag *dag, int x, int da)
{
    lbr_array d = dag->array[x];
    int made = lbr_dag_array(dag, 1);
    fill f = { .dag = dag, .x = lbr_dag_solve(dag, d.a, da, d.rows, d.rows, 0) };
    lbr_ref trace = dag->status ? 0 : sum_up(&f, 0, d.rows, 0, 0, diagonal_term);

    lbr_dag_entry(dag, made, (lbr_entry){ 0, 0, lbr_dag_mul(dag, lbr_dag_load(dag, x, 0), trace), 0 });
    lbr_dag_close(dag, made);
    return made;
}

/* --- reverse ----------------------------------------------------------------------------------------------------- */

void lbr_chain_solve_b(lbr_dag *dag, int x, int w, lbr_put_fn put, void *ctx)
{
    fill f = { .dag = dag, .element = element_of, .x = w, .y = x, .put = put, .ctx = ctx };

    put_all(&f, dag->array[x].rows, dag->array[x].cols);
}

/* W(i, k) X(j, k). */
static lbr_ref outer_term(const fill *f, lbr_ref i, lbr_ref j, lbr_ref k)
{
    lbr_ref w = load(f->dag, f->x, f->inner, i, k), x = load(f->dag, f->y, f->inner, j, k);

    return lbr_dag_mul(f->dag, w, x);
}

static lbr_ref minus_outer(const fill *f, int loop, lbr_ref i, lbr_ref j)
{
    return lbr_dag_neg(f->dag, sum_up(f, loop, f->inner, i, j, outer_term));
}

void lbr_chain_solve_a(lbr_dag *dag, int x, int w, lbr_put_fn put, void *ctx)
{
    lbr_array s = dag->array[x];
    fill f = { .dag = dag,
               .element = minus_outer,
               .x = s.transposed ? x : w,
               .y = s.transposed ? w : x,
               .inner = s.cols,
               .put = put,
               .ctx = ctx };

    put_all(&f, s.rows, s.rows);
}

void lbr_chain_det_a(lbr_dag *dag, int x, int xbar, lbr_put_fn put, void *ctx)
{
    lbr_array d = dag->array[x];
    double *one = lbr_arena_alloc(dag->arena, d.rows * d.rows, sizeof *one);
    fill f = { .dag = dag, .element = element_of, .put = put, .ctx = ctx };

    if (!one) {
        lbr_dag_no_memory(dag);
        return;
    }
    for (int64_t i = 0; i < d.rows; i++) one[i * d.rows + i] = 1;
    f.x = f.y = lbr_dag_solve(dag, d.a, lbr_dag_data(dag, one, d.rows * d.rows), d.rows, d.rows, 1);
    f.factor = lbr_dag_load(dag, xbar, 0);
    f.factor = lbr_chain_product(dag, 1, (lbr_ref[]){ f.factor, lbr_dag_load(dag, x, 0) }, 2);
    if (f.factor && !dag->status) put_all(&f, d.rows, d.rows);
}
