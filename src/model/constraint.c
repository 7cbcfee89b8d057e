/* constraint.c - constraints as functions: residuals, the Jacobian on its pattern, second derivatives. SPDX-License-Identifier: BSD-3-Clause */
#include "system.h"
#include "derive.h"
#include "structure.h"

#include <stdlib.h>

typedef struct lbr_constraint_functions { lbr_function g, G, g2, g2t; } lbr_constraint_functions;

/* Inputs: 0 the positions, 1 and 3 directions, 4 the multipliers (model_declare.c). */
#define OF_POSITIONS(name)                                                                                               \
    static int call_##name(double t, const double *q, double *out, void *ctx)                                            \
    {                                                                                                                     \
        const double *input[LBR_MODEL_INPUTS] = { q };                                                                    \
                                                                                                                          \
        return lbr_code_run(((lbr_functions *)ctx)->constraint->name.code, t, input, out);                                \
    }
OF_POSITIONS(g) OF_POSITIONS(G)

static int call_g2(double t, const double *q, const double *u, const double *v, double *out, void *ctx)
{
    const double *input[LBR_MODEL_INPUTS] = { q, u, NULL, v };

    return lbr_code_run(((lbr_functions *)ctx)->constraint->g2.code, t, input, out);
}

static int call_g2t(double t, const double *q, const double *lambda, const double *v, double *out, void *ctx)
{
    const double *input[LBR_MODEL_INPUTS] = { q, v, NULL, NULL, lambda };

    return lbr_code_run(((lbr_functions *)ctx)->constraint->g2t.code, t, input, out);
}

/* --- the Jacobian ----------------------------------------------------------------------------------------------------------------------------- */

typedef struct element { int64_t col;  int order;  lbr_ref value; } element;

static int by_column(const void *a, const void *b)
{
    const element *x = a, *y = b;

    return x->col != y->col ? (x->col > y->col) - (x->col < y->col) : x->order - y->order;
}

/* One row: its partial derivatives by columns, those of one column added in their order. How many; -1: no memory; -2: a column is not known. */
static int row_of(lbr_model *m, lbr_ref g, element **out)
{
    lbr_entry *entry;
    int n = lbr_partials(&m->dag, g, 0, m->lo.state, &entry), k = 0;
    element *e = n < 0 ? NULL : lbr_arena_alloc(&m->arena, n + 1, sizeof *e);
    double at;

    if (!e) return -1;
    for (int i = 0; i < n; i++) {
        if (!lbr_dag_is_const(&m->dag, entry[i].index, &at)) return -2;
        e[i] = (element){ (int64_t)at, i, entry[i].value };
    }
    qsort(e, (size_t)n, sizeof *e, by_column);
    for (int i = 0; i < n; i++) {
        if (k && e[k - 1].col == e[i].col) e[k - 1].value = lbr_dag_add(&m->dag, e[k - 1].value, e[i].value);
        else e[k++] = e[i];
    }
    *out = e;
    return k;
}

/* With long sums, whose terms are not nodes of their own: a dense matrix. */
static int make_dense(lbr_model *m, lbr_constraint_functions *f, lbr_message *message)
{
    lbr_dag *d = &m->dag;
    int array;

    if (m->m * m->nq > LBR_MOST_COMPONENTS)
        return lbr_fail(message, LBR_EUNFIT, "%lld constraints with sums of more than %d terms: their derivatives have more than %d elements", (long long)m->m, LBR_UNROLLED, LBR_MOST_COMPONENTS), 0;
    array = lbr_dag_array(d, m->m * m->nq);
    for (int64_t i = 0; i < m->m && !d->status; i++) {
        lbr_entry *entry;
        int n = lbr_partials(d, lbr_dag_load(d, m->g, lbr_dag_const(d, (double)i)), 0, m->lo.state, &entry);

        for (int e = 0; e < n; e++) entry[e].index = lbr_dag_add(d, entry[e].index, lbr_dag_const(d, (double)(i * m->nq))), lbr_dag_entry(d, array, entry[e]);
    }
    lbr_dag_close(d, array);
    m->functions->constraints.nnz = m->m * m->nq, m->functions->constraints.G = call_G;
    return lbr_function_make(m, &f->G, array, -1, 0, message);
}

/* All rows, as entries of one array; row and col become the pattern. */
static int make_jacobian(lbr_model *m, lbr_constraint_functions *f, lbr_message *message)
{
    lbr_constraints *c = &m->functions->constraints;
    lbr_dag *d = &m->dag;
    int64_t *row = lbr_arena_alloc(&m->arena, m->m + 1, sizeof *row), *col;
    element **rows = lbr_arena_alloc(&m->arena, m->m, sizeof *rows);
    int array;

    if (!row || !rows) return lbr_fail(message, LBR_ENOMEM, "out of memory"), 0;
    for (int64_t i = 0; i < m->m; i++) {
        int n = row_of(m, lbr_dag_load(d, m->g, lbr_dag_const(d, (double)i)), rows + i);

        if (n == -2) return make_dense(m, f, message);
        if (n < 0) return lbr_function_make(m, &f->G, -1, -1, 0, message);
        row[i + 1] = row[i] + n;
    }
    if (!(col = lbr_arena_alloc(&m->arena, row[m->m] + 1, sizeof *col))) return lbr_fail(message, LBR_ENOMEM, "out of memory"), 0;
    array = lbr_dag_array(d, row[m->m]);
    for (int64_t i = 0; i < m->m; i++)
        for (int64_t k = row[i]; k < row[i + 1]; k++) {
            col[k] = rows[i][k - row[i]].col;
            lbr_dag_entry(d, array, (lbr_entry){ 0, lbr_dag_const(d, (double)k), rows[i][k - row[i]].value, 0 });
        }
    lbr_dag_close(d, array);
    c->nnz = row[m->m], c->row = row, c->col = col, c->G = call_G;
    return lbr_function_make(m, &f->G, array, -1, 0, message);
}

/* g_i, then the sum of |dg_i/dy_j y_j| for each: a residual is as small as can be when it is a few eps times that. */
static int make_residual(lbr_model *m, lbr_message *message)
{
    lbr_dag *d = &m->dag;
    int array = lbr_dag_array(d, 2 * m->m);

    for (int64_t i = 0; i < m->m && !d->status; i++) {
        lbr_ref at = lbr_dag_const(d, (double)i), g = lbr_dag_load(d, m->g, at), *term;
        element *row = NULL;
        int n = row_of(m, g, &row);

        if (n == -1 || !(term = lbr_arena_alloc(&m->arena, n < 0 ? 1 : n + 1, sizeof *term))) return lbr_fail(message, LBR_ENOMEM, "out of memory"), 0;
        for (int k = 0; k < n; k++) {
            lbr_ref y = lbr_dag_load(d, m->lo.state, lbr_dag_const(d, (double)row[k].col));

            term[k] = lbr_dag_op(d, LBR_OP_ABS, lbr_dag_mul(d, row[k].value, y), 0, 0);
        }
        lbr_dag_entry(d, array, (lbr_entry){ 0, at, g, 0 });
        at = lbr_dag_const(d, (double)(m->m + i));
        lbr_dag_entry(d, array, (lbr_entry){ 0, at, n < 0 ? lbr_dag_const(d, 0) : lbr_dag_sum(d, term, n), 0 });     /* long sums: not known  */
    }
    lbr_dag_close(d, array);
    return lbr_function_make(m, &m->functions->residual, array, -1, 0, message);
}

/* --- second derivatives --------------------------------------------------------------------------------------------------------------------------- */

static int zeros(lbr_dag *d, int64_t n)
{
    int zero = lbr_dag_array(d, n);

    lbr_dag_close(d, zero);
    return zero;
}

/* g''(u, v), and the gradient of lambda . g'(v), which is (sum of lambda_i g_i'') v. */
static int make_second(lbr_model *m, lbr_constraint_functions *f, lbr_message *message)
{
    lbr_dag *d = &m->dag;
    int first = lbr_directional_array(d, m->g, m->lo.state, m->direction), second, gradient;
    lbr_ref *term = lbr_arena_alloc(&m->arena, m->m, sizeof *term);

    if (first == -2) first = zeros(d, m->m);
    second = first < 0 ? -1 : lbr_directional_array(d, first, m->lo.state, m->second);
    if (second == -2) second = zeros(d, m->m);
    if (!term || second < 0) return lbr_function_make(m, &f->g2, -1, -1, 0, message);
    for (int64_t i = 0; i < m->m; i++) {
        lbr_ref at = lbr_dag_const(d, (double)i), x = lbr_dag_load(d, m->multiplier, at), y = lbr_dag_load(d, first, at);

        term[i] = lbr_dag_mul(d, x, y);
    }
    gradient = lbr_gradient(d, lbr_dag_sum(d, term, m->m), m->lo.state);
    if (gradient >= 0) gradient = lbr_array_piece(d, gradient, 0, m->nq);
    m->functions->constraints.g2 = call_g2, m->functions->constraints.g2t = call_g2t;
    return lbr_function_make(m, &f->g2, second, -1, 0, message) && lbr_function_make(m, &f->g2t, gradient, -1, 0, message);
}

const lbr_function *lbr_constraint_jacobian(const lbr_functions *s) { return &s->constraint->G; }

int lbr_functions_constraints(lbr_model *m, lbr_message *message)
{
    lbr_functions *s = m->functions;
    lbr_constraint_functions *f = lbr_arena_alloc(&m->arena, 1, sizeof *f);

    if (!f) return lbr_fail(message, LBR_ENOMEM, "out of memory"), 0;
    s->constraint = f;
    if (!lbr_function_make(m, &f->g, m->g, -1, 0, message)) return 0;
    s->g = f->g;
    if (f->g.multiplied) return lbr_fail(message, LBR_EARG, "a multiplier follows from the constraints: they cannot be made of one"), 0;
    if (!make_residual(m, message)) return 0;
    if (!m->nq) return 1;                                /* a manifold of state variables: looked at, for projections  */
    s->constraints = (lbr_constraints){ .size = sizeof s->constraints, .m = m->m, .names = m->member, .g = call_g };
    if (!make_jacobian(m, f, message) || !make_second(m, f, message)) return 0;
    s->system.constraints = &s->constraints;
    return 1;
}
