/* constraint.c - constraints as functions: residuals, the Jacobian on its pattern, second derivatives.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "model_system.h"
#include "constraint.h"
#include "graph/derive.h"
#include "gradients.h"
#include "structure.h"

/* Inputs: 0 the positions, 1 and 3 directions, 4 the multipliers (model_declare.c). */
#define OF_POSITIONS(name)                                                                 \
    static int call_##name(double t, const double *q, double *out, void *ctx)              \
    {                                                                                      \
        const double *input[LBR_MODEL_INPUTS] = { q };                                     \
                                                                                           \
        return lbr_code_run(((lbr_functions *)ctx)->constraint->name.code, t, input, out); \
    }
OF_POSITIONS(g)
OF_POSITIONS(G)

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

/* --- the Jacobian ------------------------------------------------------------------------------------------------ */

static int make_jacobian(lbr_model *m, const lbr_rows *rows, int n, lbr_message *message)
{
    lbr_constraints *c = &m->functions->constraints;
    int64_t *row, *col;
    int array;

    c->G = call_G;
    array = lbr_rows_array(m, rows, n, &row, &col);
    if (array >= 0) c->nnz = row[m->m], c->row = row, c->col = col;
    return lbr_function_make(m, &m->functions->constraint->G, array, -1, 0, message);
}

/* The sum of |dg_i/dy_j y_j|, of long sums 0: not known. */
static lbr_ref rounding(lbr_model *m, const lbr_rows *r, lbr_ref *term)
{
    lbr_dag *d = &m->dag;

    for (int k = 0; k < r->n; k++)
        term[k] = lbr_dag_op(d, LBR_OP_ABS, lbr_dag_mul(d, r->value[k], lbr_dag_load(d, m->lo.state, r->column[k])), 0,
                             0);
    return r->n < 0 ? 0 : lbr_dag_sum(d, term, r->n);
}

/* g_i, then that sum for each: a residual is as small as can be when it is a few eps times that. */
static int make_residual(lbr_model *m, const lbr_rows *rows, int n, lbr_message *message)
{
    lbr_dag *d = &m->dag;
    int array = lbr_dag_array(d, 2 * m->m);

    for (int k = 0; k < n && !d->status; k++) {
        lbr_entry g = rows[k].g;
        lbr_ref *term = lbr_arena_alloc(&m->arena, rows[k].n < 0 ? 1 : rows[k].n + 1, sizeof *term);

        if (!term) return lbr_fail(message, LBR_ENOMEM, "out of memory"), 0;
        lbr_dag_entry(d, array, g);
        lbr_dag_entry(d, array,
                      (lbr_entry){ g.loop, lbr_dag_add(d, g.index, lbr_dag_const(d, (double)m->m)),
                                   rounding(m, rows + k, term), 0 });
    }
    lbr_dag_close(d, array);
    return lbr_function_make(m, &m->functions->residual, array, -1, 0, message);
}

/* --- second derivatives ------------------------------------------------------------------------------------------ */

static int zeros(lbr_dag *d, int64_t n)
{
    int zero = lbr_dag_array(d, n);

    lbr_dag_close(d, zero);
    return zero;
}

/* lambda . x of an array x with an element for each constraint: one term for each of its entries, summed over its
 * loops. -1: no memory. */
static lbr_ref along(lbr_model *m, int x)
{
    lbr_dag *d = &m->dag;
    const lbr_array a = d->array[x];
    int64_t n = lbr_array_entries(&a);
    lbr_ref *term = lbr_arena_alloc(&m->arena, n + 1, sizeof *term);

    if (!term) return -1;
    for (int64_t i = 0; i < n && !d->status; i++) {
        lbr_entry e = lbr_array_entry(d, &a, i);

        term[i] = lbr_dag_mul(d, lbr_dag_load(d, m->multiplier, e.index), e.value);
        for (int l = e.loop; l && !d->status; l = d->loop[l].parent)
            term[i] = lbr_dag_reduce(d, LBR_OP_SUM, l, term[i]);
    }
    return lbr_dag_sum(d, term, n);
}

/* g''(u, v), and the gradient of lambda . g'(v), which is (sum of lambda_i g_i'') v. */
static int make_second(lbr_model *m, lbr_constraint_functions *f, lbr_message *message)
{
    lbr_dag *d = &m->dag;
    int first = lbr_directional_array(d, m->g, m->lo.state, m->direction), second, gradient;
    lbr_ref sum;

    if (first == -2) first = zeros(d, m->m);
    second = first < 0 ? -1 : lbr_directional_array(d, first, m->lo.state, m->second);
    if (second == -2) second = zeros(d, m->m);
    if (second < 0 || (sum = along(m, first)) < 0) return lbr_function_make(m, &f->g2, -1, -1, 0, message);
    gradient = lbr_gradient(d, sum, m->lo.state);
    if (gradient >= 0) gradient = lbr_array_piece(&m->lo, gradient, 0, m->nq);
    m->functions->constraints.g2 = call_g2, m->functions->constraints.g2t = call_g2t;
    return lbr_function_make(m, &f->g2, second, -1, 0, message) &&
           lbr_function_make(m, &f->g2t, gradient, -1, 0, message);
}

/* --- the field with its forces ----------------------------------------------------------------------------------- */

static void add(lbr_model *m, int to, int from, int64_t shift, int more)
{
    lbr_dag *d = &m->dag;
    const lbr_array a = d->array[from];

    for (int64_t i = 0; i < lbr_array_entries(&a) && !d->status; i++) {
        lbr_entry e = lbr_array_entry(d, &a, i);

        e.index = lbr_dag_add(d, e.index, lbr_dag_const(d, (double)shift)), e.add |= more;
        lbr_dag_entry(d, to, e);
    }
}

int lbr_constrained_field(lbr_model *m, int field)
{
    lbr_dag *d = &m->dag;
    lbr_ref sum = field < 0 ? -1 : along(m, m->g);
    int force = sum < 0 ? -1 : lbr_gradient(d, lbr_dag_neg(d, sum), m->lo.state), all;

    if (force >= 0) force = lbr_array_piece(&m->lo, force, 0, m->nq);
    if (force < 0) return -1;
    all = lbr_dag_array(d, m->dim);
    add(m, all, field, 0, 0);
    add(m, all, force, m->nq, 1);
    lbr_dag_close(d, all);
    return d->status ? -1 : all;
}

const lbr_function *lbr_constraint_jacobian(const lbr_functions *s) { return &s->constraint->G; }

int lbr_functions_constraints(lbr_model *m, lbr_message *message)
{
    lbr_functions *s = m->functions;
    lbr_constraint_functions *f = lbr_arena_alloc(&m->arena, 1, sizeof *f);
    lbr_rows *rows;
    int n, good;

    if (!f) return lbr_fail(message, LBR_ENOMEM, "out of memory"), 0;
    s->constraint = f;
    if (!lbr_function_make(m, &f->g, m->g, -1, 0, message)) return 0;
    s->g = f->g;
    if (f->g.multiplied)
        return lbr_fail(message, LBR_EARG, "a multiplier follows from the constraints: they cannot be made of one"), 0;
    s->constraints = (lbr_constraints){ .size = sizeof s->constraints, .m = m->m, .names = m->member, .g = call_g };
    good = lbr_rows_make(m, &rows, &n) ? make_residual(m, rows, n, message)
                                       : lbr_function_make(m, &s->residual, -1, -1, 0, message);
    good = good && make_jacobian(m, rows, n, message);
    lbr_rows_free(rows, n);
    if (!good) return 0;
    if (!m->nq && !lbr_model_turns(m)) { /* a manifold of state variables, for projections */
        s->manifold = (lbr_manifold){ .size = sizeof s->manifold,
                                      .m = m->m,
                                      .names = m->member,
                                      .g = call_g,
                                      .G = call_G,
                                      .nnz = s->constraints.nnz,
                                      .row = s->constraints.row,
                                      .col = s->constraints.col };
        s->system.manifold = &s->manifold;
        return 1;
    }
    if (m->nq && !make_second(m, f, message)) return 0;
    s->system.constraints = &s->constraints;
    return 1;
}
