/* poisson.c - brackets that are given by hand: read; antisymmetric, and with the Jacobi identity, at the start.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * With T_k = the derivative of B in the direction of column k of B, the Jacobi identity (HLW VII.2.3) is
 * T_k[i][j] + T_i[j][k] + T_j[k][i] = 0 for all i, j, k. For large B it is looked at along a few covectors u, v, w
 * instead of the axes: u.(D_{Bw} B)v + v.(D_{Bu} B)w + w.(D_{Bv} B)u = 0. */
#include "model_inside.h"
#include "program/code.h"
#include "graph/derive.h"

#include <math.h>
#include <string.h>

/* --- the statement ----------------------------------------------------------------------------------------------- */

typedef struct bracketing {
    lbr_model *m;
    const lbr_item *item;
    const lbr_variable *x[2];
    lbr_ref index[2][LBR_RANK];
    int n[2];
} bracketing;

static lbr_ref component(lbr_model *m, const lbr_variable *x, const lbr_ref *index)
{
    lbr_dag *d = &m->dag;
    lbr_ref at = lbr_dag_const(d, (double)x->offset);
    int64_t step = 1;

    for (int k = x->shape.rank - 1; k >= 0; step *= x->shape.n[k], k--)
        at = lbr_dag_add(d, at,
                         lbr_dag_mul(d, lbr_dag_sub(d, index[k], lbr_dag_const(d, 1)), lbr_dag_const(d, (double)step)));
    return at;
}

/* The elements of {x, y}: shapes of what is left of x, then of y. */
static void bracket_entries(bracketing *b)
{
    lbr_model *m = b->m;
    const lbr_value *v = lbr_lower_value(&m->lo, b->item->value);
    lbr_shape left = { 0 };

    if (!v) return;
    for (int side = 0; side < 2; side++)
        for (int k = b->n[side]; k < b->x[side]->shape.rank; k++)
            left.n[left.rank++ % LBR_RANK] = b->x[side]->shape.n[k];
    if (left.rank > LBR_RANK || !lbr_shape_equal(&left, &v->shape)) {
        lbr_value want = { .shape = left };

        lbr_lower_fail(&m->lo, b->item->value->first, "the bracket is %s, the right side %s: the shapes must be equal",
                       lbr_shape_text(&m->lo, &want), lbr_shape_text(&m->lo, v));
        return;
    }
    for (int64_t k = 0; k < lbr_shape_size(&left) && !m->lo.at.failed; k++) {
        int64_t rest = k;
        lbr_bracket_def *e = lbr_model_push(m, &m->bracket, &m->nbrackets, sizeof *e);
        lbr_ref x = lbr_value_at(&m->lo, v, k);

        if (!e || x < 0) {
            m->lo.at.failed = 1;
            return;
        }
        for (int side = 1; side >= 0; side--)
            for (int r = b->x[side]->shape.rank - 1; r >= b->n[side]; r--) {
                b->index[side][r] = lbr_dag_const(&m->dag, (double)(rest % b->x[side]->shape.n[r] + 1));
                rest /= b->x[side]->shape.n[r];
            }
        *e = (lbr_bracket_def){ 0,
                                component(m, b->x[0], b->index[0]),
                                component(m, b->x[1], b->index[1]),
                                x,
                                0,
                                m->lo.at.file,
                                b->item->target.place };
    }
}

static void bracket_indices(bracketing *b, int side, int k)
{
    lbr_lower *lo = &b->m->lo;
    const lbr_target *t = side ? &b->item->second : &b->item->target;
    int64_t from, to;

    if (lo->at.failed) return;
    if (k == t->n && !side) {
        bracket_indices(b, 1, 0);
        return;
    }
    if (k == t->n) {
        bracket_entries(b);
        return;
    }
    if (t->index[k]->kind != LBR_NODE_BINDER) {
        if (!lbr_lower_integer(lo, t->index[k], "an index", 1, b->x[side]->shape.n[k], &from)) return;
        b->index[side][k] = lbr_dag_const(lo->dag, (double)from);
        bracket_indices(b, side, k + 1);
        return;
    }
    if (!lbr_lower_integer(lo, t->index[k]->arg[0], "the beginning of a range", 1, LBR_MOST_COMPONENTS, &from)) return;
    if (!lbr_lower_integer(lo, t->index[k]->arg[1], "the end of a range", -1, b->x[side]->shape.n[k], &to)) return;
    for (int64_t i = from; i <= to && !lo->at.failed; i++) {
        b->index[side][k] = lbr_dag_const(lo->dag, (double)i);
        if (!lbr_local_push(lo, t->index[k]->text, lbr_value_number(lo, (double)i), 1)) return;
        bracket_indices(b, side, k + 1);
        lbr_local_pop(lo, 1);
    }
}

void lbr_model_bracket_define(lbr_model *m, const lbr_item *item)
{
    bracketing b = { .m = m, .item = item, .n = { item->target.n, item->second.n } };

    for (int side = 0; side < 2; side++) {
        const lbr_target *t = side ? &item->second : &item->target;

        b.x[side] = lbr_model_variable(m, t->name);
        if (!b.x[side]) {
            lbr_name_unknown(&m->lo, t->name, t->place, 0);
            return;
        }
        if (b.x[side]->kind != LBR_VAR_STATE) {
            lbr_lower_fail(&m->lo, t->place, "brackets are of variables of state, and '%.60s' is none", t->name);
            return;
        }
        if (t->n > b.x[side]->shape.rank) {
            lbr_lower_fail(&m->lo, t->place, "too many indices for '%.60s'", t->name);
            return;
        }
    }
    bracket_indices(&b, 0, 0);
}

/* --- at the start ------------------------------------------------------------------------------------------------ */

enum { FULL = 64, SAMPLES = 8 }; /* components up to which all of it is looked at; otherwise covectors */

typedef struct checking {
    lbr_model *m;
    int64_t n, nb;
    lbr_code *value, *slope;    /* of all brackets that are given; in a direction. NULL: constant */
    double *b, *db, *direction; /* their values */
    double *B, *T;              /* T: n*n per direction */
    int said;                   /* what is wrong has been */
} checking;

static void close_all(checking *c)
{
    lbr_code_free(c->value), lbr_code_free(c->slope);
    lbr_mem_free(c->b), lbr_mem_free(c->B), lbr_mem_free(c->T);
}

static int wrong(checking *c, int64_t k, const char *what)
{
    lbr_file_error(c->m->bracket[k].file, c->m->bracket[k].place, "%s", what);
    c->said = 1;
    return 0;
}

/* --- B and its derivatives --------------------------------------------------------------------------------------- */

static int64_t place(const lbr_dag *d, lbr_ref r) { return (int64_t)d->node[r].value; }

/* The matrix of values that belong to the brackets; the half that is not given follows. */
static void matrix(const checking *c, const double *values, double *M)
{
    const lbr_dag *d = &c->m->dag;

    memset(M, 0, (size_t)(c->n * c->n) * sizeof *M);
    for (int64_t k = 0; k < c->nb; k++) {
        const lbr_bracket_def *x = c->m->bracket + k;
        int64_t i = place(d, x->row), j = place(d, x->col);

        M[i * c->n + j] = values[k];
        if (x->mirrored) M[j * c->n + i] = -values[k];
    }
}

static int make_code(checking *c)
{
    lbr_dag *d = &c->m->dag;
    lbr_message message = { 0 };
    int array = lbr_dag_array(d, c->nb), tangent;

    for (int64_t k = 0; k < c->nb; k++)
        lbr_dag_entry(d, array, (lbr_entry){ 0, lbr_dag_const(d, (double)k), c->m->bracket[k].value, 0 });
    lbr_dag_close(d, array);
    tangent = d->status ? -1 : lbr_directional_array(d, array, c->m->lo.state, c->m->direction);
    if (tangent == -1) return 0;
    if (!lbr_affordable(d, array, 1) || !lbr_affordable(d, tangent, c->n <= FULL ? (double)c->n : 3 * SAMPLES))
        return wrong(c, 0, "checking these brackets at the start takes too long");
    if (lbr_code_make(&c->value, d, &(lbr_output){ array, 0, 0 }, 1, 0, &message)) return 0;
    return tangent == -2 || !lbr_code_make(&c->slope, d, &(lbr_output){ tangent, 0, 0 }, 1, 0, &message);
}

/* D B in a direction, as a matrix. */
static int slope(const checking *c, const double *direction, double *M)
{
    const double *input[40] = { c->m->y0, direction };

    if (lbr_code_run(c->slope, c->m->t0, input, c->db)) return 0;
    matrix(c, c->db, M);
    return 1;
}

/* --- what is wrong ----------------------------------------------------------------------------------------------- */

/* {x, y} + {y, x} = 0 where both are given, {x, x} = 0. */
static int antisymmetric(checking *c)
{
    const lbr_dag *d = &c->m->dag;
    double largest = 0;

    for (int64_t k = 0; k < c->nb; k++) {
        if (!isfinite(c->b[k])) return wrong(c, k, "this bracket is not finite at the start");
        largest = fmax(largest, fabs(c->b[k]));
    }
    for (int64_t k = c->nb - 1; k >= 0; k--) { /* of two that contradict each other the later one */
        const lbr_bracket_def *x = c->m->bracket + k;
        int64_t i = place(d, x->row), j = place(d, x->col);
        double a = c->B[i * c->n + j], b = c->B[j * c->n + i];

        if (fabs(a + b) > 1e-10 * (fabs(a) + fabs(b)) + 1e-14 * largest)
            return wrong(
                c, k,
                i == j
                    ? "the bracket of a variable with itself must be 0, and is not at the start"
                    : "a contradiction: both halves of this bracket are given, and at the start {x, y} is not -{y, x}");
    }
    return 1;
}

/* The first bracket that is given between two of three components. */
static int64_t between(const checking *c, int64_t i, int64_t j, int64_t k)
{
    const lbr_dag *d = &c->m->dag;

    for (int64_t b = 0; b < c->nb; b++) {
        int64_t r = place(d, c->m->bracket[b].row), s = place(d, c->m->bracket[b].col);

        if (r != s && (r == i || r == j || r == k) && (s == i || s == j || s == k)) return b;
    }
    return 0;
}

static const char jacobi[] =
    "these brackets do not satisfy the Jacobi identity {{x, y}, z} + {{y, z}, x} + {{z, x}, y} = 0 at the start";

/* Along the axes: all of it. */
static int jacobi_full(checking *c)
{
    int64_t n = c->n;
    double largest = 0;

    for (int64_t k = 0; k < n; k++) {
        for (int64_t l = 0; l < n; l++) c->direction[l] = c->B[l * n + k];
        if (!slope(c, c->direction, c->T + k * n * n)) return 0;
    }
    for (int64_t k = 0; k < n * n * n; k++) largest = fmax(largest, fabs(c->T[k]));
    if (!isfinite(largest)) return wrong(c, 0, "the derivatives of the brackets are not finite at the start");
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < i; j++)
            for (int64_t k = 0; k < j; k++) {
                double x = c->T[(k * n + i) * n + j], y = c->T[(i * n + j) * n + k], z = c->T[(j * n + k) * n + i];

                if (fabs(x + y + z) > 1e-9 * (fabs(x) + fabs(y) + fabs(z)) + 1e-12 * largest)
                    return wrong(c, between(c, i, j, k), jacobi);
            }
    return 1;
}

/* Along three covectors without relation, and the size of what is added. */
static int jacobi_sample(checking *c, int sample)
{
    int64_t n = c->n;
    double *u[3] = { c->T + n * n, c->T + n * n + n, c->T + n * n + 2 * n }, sum = 0, size = 0;

    for (int a = 0; a < 3; a++)
        for (int64_t i = 0; i < n; i++) u[a][i] = sin((double)(i + 1) * (1.2345 + a + 3 * sample) + a);
    for (int a = 0; a < 3; a++) {
        const double *v = u[(a + 1) % 3], *w = u[(a + 2) % 3];

        for (int64_t i = 0; i < n; i++) {
            c->direction[i] = 0;
            for (int64_t l = 0; l < n; l++) c->direction[i] += c->B[i * n + l] * u[a][l];
        }
        if (!slope(c, c->direction, c->T)) return 0;
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++)
                sum += v[i] * c->T[i * n + j] * w[j], size += fabs(v[i] * c->T[i * n + j] * w[j]);
    }
    return fabs(sum) > 1e-9 * size ? wrong(c, 0, jacobi) : 1;
}

static int looked_at(checking *c)
{
    const double *input[40] = { c->m->y0 };
    int64_t n = c->n, room = n <= FULL ? n * n * n : n * n + 3 * n;

    c->b = lbr_mem_alloc((size_t)(2 * c->nb + n) * sizeof *c->b), c->B = lbr_mem_alloc((size_t)(n * n) * sizeof *c->B);
    c->T = c->slope ? lbr_mem_alloc((size_t)room * sizeof *c->T) : NULL;
    if (!c->b || !c->B || (c->slope && !c->T)) {
        c->m->dag.status = LBR_ENOMEM;
        return 0;
    }
    c->db = c->b + c->nb, c->direction = c->db + c->nb;
    if (lbr_code_run(c->value, c->m->t0, input, c->b))
        return wrong(c, 0, "the brackets cannot be worked out at the start");
    matrix(c, c->b, c->B);
    if (!antisymmetric(c) || !c->slope) return !c->said;
    if (n <= FULL) return jacobi_full(c);
    for (int s = 0; s < SAMPLES; s++)
        if (!jacobi_sample(c, s)) return 0;
    return 1;
}

int lbr_model_poisson_check(lbr_model *m)
{
    checking c = { .m = m, .n = m->dim, .nb = m->nbrackets };
    int good;

    if (!m->nbrackets) return 1;
    good = make_code(&c);
    if (!good && !m->dag.status && !c.said) m->dag.status = LBR_ENOMEM;
    good = good && looked_at(&c);
    close_all(&c);
    if (!good && !m->dag.status && !c.said) wrong(&c, 0, "the brackets cannot be worked out at the start");
    return good;
}
