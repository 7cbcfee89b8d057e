/* constraint.c - constraints as functions: residuals, the Jacobian on its pattern, second derivatives. SPDX-License-Identifier: BSD-3-Clause */
#include "system.h"
#include "derive.h"

#include <stdlib.h>
#include <string.h>

typedef struct lbr_constraint_functions { lbr_function g, G, g2, g2t;  const char **name; } lbr_constraint_functions;

static int call_g(double t, const double *q, double *out, void *ctx)
{
    const double *input[40] = { q };

    return lbr_code_run(((lbr_functions *)ctx)->constraint->g.code, t, input, out);
}

static int call_G(double t, const double *q, double *out, void *ctx)
{
    const double *input[40] = { q };

    return lbr_code_run(((lbr_functions *)ctx)->constraint->G.code, t, input, out);
}

static int call_g2(double t, const double *q, const double *u, const double *v, double *out, void *ctx)
{
    const double *input[40] = { q, u, NULL, v };

    return lbr_code_run(((lbr_functions *)ctx)->constraint->g2.code, t, input, out);
}

static int call_g2t(double t, const double *q, const double *lambda, const double *v, double *out, void *ctx)
{
    const double *input[40] = { q, v, NULL, NULL, lambda };

    return lbr_code_run(((lbr_functions *)ctx)->constraint->g2t.code, t, input, out);
}

/* --- the Jacobian ----------------------------------------------------------------------------------------------------------------------------- */

typedef struct element { int64_t col;  lbr_ref value; } element;

static int by_column(const void *a, const void *b)
{
    int64_t x = ((const element *)a)->col, y = ((const element *)b)->col;

    return (x > y) - (x < y);
}

/* Row i: its partial derivatives, by columns, equal ones added. */
static int row_of(lbr_model *m, lbr_ref g, element **out)
{
    lbr_entry *entry;
    int n = lbr_partials(&m->dag, g, 0, m->lo.state, &entry), k = 0;
    element *e = n < 0 ? NULL : lbr_arena_alloc(&m->arena, n + 1, sizeof *e);
    double at;

    if (!e) return -1;
    for (int i = 0; i < n; i++) {
        if (!lbr_dag_is_const(&m->dag, entry[i].index, &at)) return -2;
        e[i] = (element){ (int64_t)at, entry[i].value };
    }
    qsort(e, (size_t)n, sizeof *e, by_column);
    for (int i = 0; i < n; i++) {
        if (k && e[k - 1].col == e[i].col) e[k - 1].value = lbr_dag_add(&m->dag, e[k - 1].value, e[i].value);
        else e[k++] = e[i];
    }
    *out = e;
    return k;
}

static int make_jacobian(lbr_model *m, lbr_constraint_functions *f, lbr_message *message)
{
    lbr_functions *s = m->functions;
    int64_t *row = lbr_arena_alloc(&m->arena, m->m + 1, sizeof *row), *col = NULL, nnz = 0, most = 0;
    element **rows = lbr_arena_alloc(&m->arena, m->m, sizeof *rows);
    int array;

    if (!row || !rows) return lbr_fail(message, LBR_ENOMEM, "out of memory"), 0;
    for (int64_t i = 0; i < m->m; i++) {
        int n = row_of(m, lbr_dag_load(&m->dag, m->g, lbr_dag_const(&m->dag, (double)i)), rows + i);

        if (n == -2) { most = -1; break; }               /* long sums inside a constraint: dense                       */
        if (n < 0) return lbr_fail(message, LBR_ENOMEM, "%s", m->dag.message.text), 0;
        row[i + 1] = row[i] + n;
    }
    if (most < 0) return lbr_fail(message, LBR_EUNFIT, "a constraint that contains a sum of more than %d terms comes with a later version", LBR_UNROLLED), 0;
    nnz = row[m->m];
    col = lbr_arena_alloc(&m->arena, nnz + 1, sizeof *col);
    array = lbr_dag_array(&m->dag, nnz);
    if (!col) return lbr_fail(message, LBR_ENOMEM, "out of memory"), 0;
    for (int64_t i = 0; i < m->m; i++)
        for (int64_t k = row[i]; k < row[i + 1]; k++) {
            col[k] = rows[i][k - row[i]].col;
            lbr_dag_entry(&m->dag, array, (lbr_entry){ 0, lbr_dag_const(&m->dag, (double)k), rows[i][k - row[i]].value, 0 });
        }
    lbr_dag_close(&m->dag, array);
    s->constraints.nnz = nnz, s->constraints.row = row, s->constraints.col = col;
    return lbr_function_make(m, &f->G, array, -1, 0, message);
}

/* --- second derivatives --------------------------------------------------------------------------------------------------------------------------- */

static int make_second(lbr_model *m, lbr_constraint_functions *f, lbr_message *message)
{
    lbr_dag *d = &m->dag;
    int first = lbr_directional_array(d, m->g, m->lo.state, m->direction), second, gradient, zero = lbr_dag_array(d, m->m);
    lbr_ref *term = lbr_arena_alloc(&m->arena, m->m, sizeof *term);

    lbr_dag_close(d, zero);
    if (first == -2) first = zero;
    second = first < 0 ? -1 : lbr_directional_array(d, first, m->lo.state, m->second);
    if (second == -2) second = zero;
    if (!term || first < 0 || second < 0) return lbr_fail(message, LBR_ENOMEM, "out of memory"), 0;
    for (int64_t i = 0; i < m->m; i++) {
        lbr_ref at = lbr_dag_const(d, (double)i);

        term[i] = lbr_dag_mul(d, lbr_dag_load(d, m->multiplier, at), lbr_dag_load(d, first, at));
    }
    gradient = lbr_gradient(d, lbr_dag_sum(d, term, m->m), m->lo.state);
    return lbr_function_make(m, &f->g2, second, -1, 0, message) && lbr_function_make(m, &f->g2t, gradient, -1, 0, message);
}

static int make_names(lbr_model *m, lbr_constraint_functions *f)
{
    f->name = lbr_arena_alloc(&m->arena, m->m + 1, sizeof *f->name);
    for (int k = 0; f->name && k < m->nconstraints; k++)
        for (int64_t i = 0; i < m->constraint[k].count; i++) {
            const lbr_constraint_def *c = m->constraint + k;
            char *name = c->count == 1 && !c->family ? lbr_arena_text(&m->arena, c->name) : lbr_arena_format(&m->arena, "%s[%lld]", c->name, (long long)i + 1);

            if (!(f->name[c->first + i] = name)) return 0;
        }
    return f->name != NULL;
}

int lbr_functions_constraints(lbr_model *m, lbr_message *message)
{
    lbr_functions *s = m->functions;
    lbr_constraint_functions *f = lbr_arena_alloc(&m->arena, 1, sizeof *f);

    if (!f || !make_names(m, f)) return lbr_fail(message, LBR_ENOMEM, "out of memory"), 0;
    s->constraint = f;
    if (!lbr_function_make(m, &f->g, m->g, -1, 0, message)) return 0;
    s->g = f->g;
    if (!m->nq) return 1;                                /* a manifold of state variables: looked at, for projections  */
    s->constraints = (lbr_constraints){ .size = sizeof s->constraints, .m = m->m, .names = f->name, .g = call_g, .G = call_G, .g2 = call_g2, .g2t = call_g2t };
    if (!make_jacobian(m, f, message) || !make_second(m, f, message)) return 0;
    s->system.constraints = &s->constraints;
    return 1;
}
