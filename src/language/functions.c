/* functions.c - the functions of the language: one table, read by calls, by messages and by the manual.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "lower.h"
#include "graph/derive.h"
#include "random.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct function function;
typedef const lbr_value *reader(lbr_lower *lo, const lbr_node *node, const function *f, const lbr_value **arg);

struct function {
    const char *name;
    int least, most; /* arguments */
    reader *read;
    lbr_op op;
};

/* --- of scalars -------------------------------------------------------------------------------------------------- */

/* Argument k as a number, or -1. */
static lbr_ref number(lbr_lower *lo, const lbr_node *node, const lbr_value **arg, int k)
{
    if (!arg[k]->shape.rank) return arg[k]->node;
    return lbr_lower_fail(lo, node->arg[k]->first, "%s is for numbers, not for %s: the shapes do not fit", node->text,
                          lbr_shape_text(lo, arg[k])),
           -1;
}

static const lbr_value *of_numbers(lbr_lower *lo, const lbr_node *node, const function *f, const lbr_value **arg)
{
    lbr_ref a = number(lo, node, arg, 0), b = node->n > 1 ? number(lo, node, arg, 1) : 0;

    for (int k = 2; k < node->n && a >= 0 && b >= 0; k++) { /* min and max of several */
        a = lbr_apply(lo, f->op, a, b, node->place, f->name);
        b = number(lo, node, arg, k);
    }
    return a < 0 || b < 0 ? NULL : lbr_value_scalar(lo, lbr_apply(lo, f->op, a, b, node->place, f->name));
}

static const lbr_value *delta(lbr_lower *lo, const lbr_node *node, const function *f, const lbr_value **arg)
{
    lbr_ref a = number(lo, node, arg, 0), b = number(lo, node, arg, 1);

    if (a < 0 || b < 0) return NULL;
    return lbr_value_scalar(
        lo, lbr_dag_op(lo->dag, LBR_OP_SELECT, lbr_dag_op(lo->dag, LBR_OP_EQ, a, b, 0), lbr_dag_const(lo->dag, 1), 0));
}

static const lbr_value *wrap(lbr_lower *lo, const lbr_node *node, const function *f, const lbr_value **arg)
{
    lbr_ref k = number(lo, node, arg, 0), n = number(lo, node, arg, 1), one = lbr_dag_const(lo->dag, 1);

    if (k < 0 || n < 0) return NULL;
    k = lbr_apply(lo, LBR_OP_MOD, lbr_dag_sub(lo->dag, k, one), n, node->place, "wrap");
    return k < 0 ? NULL : lbr_value_scalar(lo, lbr_dag_add(lo->dag, k, one));
}

/* --- of arrays --------------------------------------------------------------------------------------------------- */

static int same(lbr_lower *lo, const lbr_node *node, const lbr_value **arg)
{
    if (lbr_shape_equal(&arg[0]->shape, &arg[1]->shape) && arg[0]->row == arg[1]->row) return 1;
    return lbr_lower_fail(lo, node->arg[1]->first, "%s of %s and %s: the shapes must be equal", node->text,
                          lbr_shape_text(lo, arg[0]), lbr_shape_text(lo, arg[1])),
           0;
}

static const lbr_value *dot(lbr_lower *lo, const lbr_node *node, const function *f, const lbr_value **arg)
{
    return same(lo, node, arg) ? lbr_value_scalar(lo, lbr_value_dot(lo, arg[0], arg[1])) : NULL;
}

static const lbr_value *sq(lbr_lower *lo, const lbr_node *node, const function *f, const lbr_value **arg)
{
    return lbr_value_scalar(lo, lbr_value_dot(lo, arg[0], arg[0]));
}

static const lbr_value *norm(lbr_lower *lo, const lbr_node *node, const function *f, const lbr_value **arg)
{
    lbr_ref s;

    if (!arg[0]->shape.rank) return lbr_value_scalar(lo, lbr_dag_op(lo->dag, LBR_OP_ABS, arg[0]->node, 0, 0));
    s = lbr_value_dot(lo, arg[0], arg[0]);
    return s < 0 ? NULL : lbr_value_scalar(lo, lbr_dag_op(lo->dag, LBR_OP_SQRT, s, 0, 0));
}

static const lbr_value *listed(lbr_lower *lo, const lbr_ref *x, int64_t n)
{
    const lbr_value **item = lbr_arena_alloc(lo->arena, n, sizeof *item);

    if (!item) return lbr_lower_no_memory(lo);
    for (int64_t k = 0; k < n; k++)
        if (!(item[k] = lbr_value_scalar(lo, x[k]))) return NULL;
    return lbr_value_list(lo, item, n);
}

/* n x n numbers by rows. */
static const lbr_value *matrix(lbr_lower *lo, const lbr_ref *x, int64_t n)
{
    const lbr_value **row = lbr_arena_alloc(lo->arena, n, sizeof *row);

    if (!row) return lbr_lower_no_memory(lo);
    for (int64_t k = 0; k < n; k++)
        if (!(row[k] = listed(lo, x + k * n, n))) return NULL;
    return lbr_value_list(lo, row, n);
}

static int vector(lbr_lower *lo, const lbr_node *node, const lbr_value **arg, int k, int64_t n)
{
    const lbr_value *v = arg[k];

    if (v->shape.rank == 1 && !v->row && (!n || v->shape.n[0] == n)) return 1;
    if (n)
        lbr_lower_fail(lo, node->arg[k]->first, "%s needs a vector of %lld, not %s: the shapes do not fit", node->text,
                       (long long)n, lbr_shape_text(lo, v));
    else
        lbr_lower_fail(lo, node->arg[k]->first, "%s needs a vector, not %s: the shapes do not fit", node->text,
                       lbr_shape_text(lo, v));
    return 0;
}

static lbr_ref wedge(lbr_lower *lo, const lbr_value **v, int i, int j)
{
    lbr_dag *d = lo->dag;

    lbr_ref a = lbr_value_at(lo, v[0], i), b = lbr_value_at(lo, v[1], j), c = lbr_value_at(lo, v[0], j),
            e = lbr_value_at(lo, v[1], i);

    if (a < 0 || b < 0 || c < 0 || e < 0) return -1;
    a = lbr_dag_mul(d, a, b), c = lbr_dag_mul(d, c, e);
    return lbr_dag_sub(d, a, c);
}

static const lbr_value *cross(lbr_lower *lo, const lbr_node *node, const function *f, const lbr_value **arg)
{
    lbr_ref x[3];

    if (arg[0]->shape.rank == 1 && arg[0]->shape.n[0] == 2 && !arg[0]->row)
        return vector(lo, node, arg, 1, 2) ? lbr_value_scalar(lo, wedge(lo, arg, 0, 1)) : NULL;
    if (!vector(lo, node, arg, 0, 3) || !vector(lo, node, arg, 1, 3)) return NULL;
    for (int k = 0; k < 3; k++) x[k] = wedge(lo, arg, (k + 1) % 3, (k + 2) % 3);
    return listed(lo, x, 3);
}

static const lbr_value *size(lbr_lower *lo, const lbr_node *node, const function *f, const lbr_value **arg)
{
    int64_t k = 1;

    if (!arg[0]->shape.rank) return lbr_lower_fail(lo, node->arg[0]->first, "a number has no size");
    if (node->n > 1 && !lbr_lower_integer(lo, node->arg[1], "the number of an index", 1, arg[0]->shape.rank, &k))
        return NULL;
    return lbr_value_number(lo, (double)arg[0]->shape.n[k - 1]);
}

static lbr_ref diagonal_element(lbr_lower *lo, const lbr_value *v, const lbr_ref *index)
{
    lbr_ref x = v->a ? lbr_value_element(lo, v->a, index) : lbr_dag_const(lo->dag, 1);

    return x < 0 ? -1 : lbr_dag_op(lo->dag, LBR_OP_SELECT, lbr_dag_op(lo->dag, LBR_OP_EQ, index[0], index[1], 0), x, 0);
}

static const lbr_value *diagonal(lbr_lower *lo, const lbr_value *a, int64_t n)
{
    lbr_shape shape = { 2, { n, n } };
    lbr_value *v = lbr_value_open(lo, &shape, diagonal_element);

    if (v) v->a = a;
    return v;
}

static const lbr_value *identity(lbr_lower *lo, const lbr_node *node, const function *f, const lbr_value **arg)
{
    int64_t n;

    return lbr_lower_integer(lo, node->arg[0], "the size of a matrix", 1, 3162, &n) ? diagonal(lo, NULL, n) : NULL;
}

static const lbr_value *diag(lbr_lower *lo, const lbr_node *node, const function *f, const lbr_value **arg)
{
    if (!vector(lo, node, arg, 0, 0)) return NULL;
    if (arg[0]->shape.n[0] > 3162)
        return lbr_lower_fail(
            lo, node->place,
            "the matrix is too large: the limit is %d components of one array" LBR_RAISED(LBR_MOST_COMPONENTS),
            LBR_MOST_COMPONENTS);
    return diagonal(lo, arg[0], arg[0]->shape.n[0]);
}

static int square(lbr_lower *lo, const lbr_node *node, const lbr_value *v)
{
    if (v->shape.rank == 2 && v->shape.n[0] == v->shape.n[1]) return 1;
    return lbr_lower_fail(lo, node->arg[0]->first, "%s needs a square matrix, not %s: the shapes do not fit",
                          node->text, lbr_shape_text(lo, v)),
           0;
}

static lbr_ref trace_element(lbr_lower *lo, const lbr_value *v, const lbr_ref *index)
{
    lbr_ref both[2] = { index[0], index[0] };

    return lbr_value_element(lo, v->a, both);
}

static const lbr_value *trace(lbr_lower *lo, const lbr_node *node, const function *f, const lbr_value **arg)
{
    lbr_value *v;

    if (!square(lo, node, arg[0])) return NULL;
    v = lbr_value_open(lo, &(lbr_shape){ 1, { arg[0]->shape.n[0] } }, trace_element);
    if (v) v->a = arg[0];
    return v ? lbr_value_scalar(lo, lbr_value_dot(lo, v, NULL)) : NULL;
}

/* Along the first row; what is left out of it are columns, a set of bits. */
static lbr_ref expanded(lbr_lower *lo, const lbr_value *m, int64_t row, unsigned out)
{
    int64_t n = m->shape.n[0], terms = 0;
    lbr_ref term[4], a, b;

    if (row == n) return lbr_dag_const(lo->dag, 1);
    for (int64_t j = 0; j < n; j++) {
        if (out >> j & 1) continue;
        a = lbr_value_at(lo, m, row * n + j), b = expanded(lo, m, row + 1, out | 1u << j);
        if (a < 0 || b < 0) return -1;
        term[terms] = lbr_dag_mul(lo->dag, a, b);
        if (terms % 2) term[terms] = lbr_dag_neg(lo->dag, term[terms]);
        terms++;
    }
    return lbr_dag_sum(lo->dag, term, terms);
}

static const lbr_value *det(lbr_lower *lo, const lbr_node *node, const function *f, const lbr_value **arg)
{
    int64_t n;
    int array;

    if (!square(lo, node, arg[0])) return NULL;
    n = arg[0]->shape.n[0];
    if (n <= 4) return lbr_value_scalar(lo, expanded(lo, arg[0], 0, 0));
    if (lo->at.loop)
        return lbr_lower_fail(lo, node->place,
                              "det of a matrix larger than 4 x 4 inside a long sum or family; name it before, outside");
    array = lbr_value_store(lo, arg[0]);
    return array < 0 ? NULL : lbr_value_scalar(lo, lbr_dag_load(lo->dag, lbr_dag_det(lo->dag, array, n), 0));
}

static const lbr_value *hat(lbr_lower *lo, const lbr_node *node, const function *f, const lbr_value **arg)
{
    lbr_ref w[3], x[9] = { 0 };

    if (!vector(lo, node, arg, 0, 3)) return NULL;
    for (int k = 0; k < 3; k++)
        if ((w[k] = lbr_value_at(lo, arg[0], k)) < 0) return NULL;
    x[1] = lbr_dag_neg(lo->dag, w[2]), x[2] = w[1], x[3] = w[2], x[5] = lbr_dag_neg(lo->dag, w[0]),
    x[6] = lbr_dag_neg(lo->dag, w[1]), x[7] = w[0];
    return matrix(lo, x, 3);
}

/* The rotation of a quaternion (HLW VII.5.9): e0^2 + e1^2 - e2^2 - e3^2 and so on, over |e|^2. */
void lbr_rotation_matrix(lbr_lower *lo, const lbr_ref *e, lbr_ref *x)
{
    lbr_dag *d = lo->dag;
    lbr_ref two = lbr_dag_const(d, 2), s[4];

    for (int k = 0; k < 4; k++) s[k] = lbr_dag_mul(d, e[k], e[k]);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            int k = 3 - i - j, l = (i + 1) % 3, m = (i + 2) % 3;

            if (i == j) {
                x[4 * i] = lbr_dag_sub(d, lbr_dag_sub(d, lbr_dag_add(d, s[0], s[i + 1]), s[l + 1]), s[m + 1]);
                continue;
            }
            x[3 * i + j] = lbr_dag_mul(d, e[i + 1], e[j + 1]);
            {
                lbr_ref turn = lbr_dag_mul(d, e[0], e[k + 1]);

                x[3 * i + j] = (j - i + 3) % 3 == 1 ? lbr_dag_sub(d, x[3 * i + j], turn)
                                                    : lbr_dag_add(d, x[3 * i + j], turn);
                x[3 * i + j] = lbr_dag_mul(d, two, x[3 * i + j]);
            }
        }
}

static const lbr_value *quaternion(lbr_lower *lo, const lbr_node *node, const function *f, const lbr_value **arg)
{
    lbr_ref e[4], x[9], s[4];

    for (int k = 0; k < 4; k++) {
        if ((e[k] = number(lo, node, arg, k)) < 0) return NULL;
        s[k] = lbr_dag_mul(lo->dag, e[k], e[k]);
    }
    lbr_rotation_matrix(lo, e, x);
    s[0] = lbr_dag_sum(lo->dag, s, 4);
    for (int k = 0; k < 9; k++)
        if ((x[k] = lbr_apply(lo, LBR_OP_DIV, x[k], s[0], node->place, "quaternion")) < 0) return NULL;
    return matrix(lo, x, 3);
}

/* --- calculus ---------------------------------------------------------------------------------------------------- */

static const lbr_value *grad(lbr_lower *lo, const lbr_node *node, const function *f, const lbr_value **arg)
{
    const lbr_node *name = node->arg[1];
    const lbr_variable *q = lbr_lower_variable(lo, name);
    lbr_ref x;

    if (!lbr_derivable(lo, node->arg[0])) return NULL;
    if (!q) return lbr_lower_fail(lo, name->first, "grad(f, x): x must be a variable of the state");
    arg[0] = lbr_lower_value(lo, node->arg[0]);
    if (!arg[0]) return NULL;
    if ((x = number(lo, node, arg, 0)) < 0) return NULL;
    if (lo->dag->node[x].scope)
        return lbr_lower_fail(lo, node->place, "a gradient inside a long sum or family; name it before, outside");
    if (q->kind == LBR_VAR_ATTITUDE)
        return lbr_lower_fail(lo, name->first, "a gradient with respect to an attitude comes with a later version");
    return lbr_value_view(lo, lbr_gradient(lo->dag, x, lo->state), q->offset, &q->shape);
}

static const lbr_value *bracket(lbr_lower *lo, const lbr_node *node, const function *f, const lbr_value **arg)
{
    for (int k = 0; k < 2; k++) {
        if (number(lo, node, arg, k) < 0) return NULL;
        if (lo->dag->node[arg[k]->node].scope)
            return lbr_lower_fail(lo, node->place, "a bracket inside a long sum or family; name it before, outside");
    }
    if (!lbr_derivable(lo, node->arg[0]) || !lbr_derivable(lo, node->arg[1])) return NULL;
    if (!lo->bracket) return lbr_lower_fail(lo, node->place, "there is no bracket here");
    return lo->bracket(lo, node, arg[0], arg[1], lo->model);
}

/* --- constants only ---------------------------------------------------------------------------------------------- */

static const lbr_value *draw(lbr_lower *lo, const lbr_node *node, const function *f, const lbr_value **arg)
{
    int64_t index[LBR_RANDOM_INDICES + 1];

    for (int k = 0; k < node->n; k++) {
        lbr_ref x = number(lo, node, arg, k);
        double v;

        if (x < 0) return NULL;
        if (lo->dag->node[x].deps)
            return lbr_lower_fail(lo, node->arg[k]->first, "%s takes constants only", node->text);
        if (lo->dag->node[x].scope) return lo->asked = 1, lbr_value_number(lo, 0.6180339887498949);
        x = lbr_fold(lo, x, node->arg[k]->first);
        if (x < 0 || !lbr_dag_is_const(lo->dag, x, &v)) return NULL;
        if (v != rint(v) || fabs(v) > 9e15 || (!k && v < 0))
            return lbr_lower_fail(lo, node->arg[k]->first, "%s takes integers%s, not %.17g", node->text,
                                  k ? "" : " from 0 on", v);
        index[k] = (int64_t)v;
    }
    lo->evaluations++;
    return lbr_value_number(lo, (f->op ? lbr_normal : lbr_random)((uint64_t)index[0], index + 1, node->n - 1));
}

static const lbr_value *read_table(lbr_lower *lo, const lbr_node *node, const function *f, const lbr_value **arg)
{
    return lbr_lower_table(lo, node);
}

static const lbr_value *choice(lbr_lower *lo, const lbr_node *node, const function *f, const lbr_value **arg)
{
    return lbr_lower_choice(lo, node);
}

/* --- observed only ----------------------------------------------------------------------------------------------- */

static const lbr_value *eigenvalues(lbr_lower *lo, const lbr_node *node, const function *f, const lbr_value **arg)
{
    lbr_shape shape = { 1, { 0 } };
    int array;

    if (!(lo->at.where & (LBR_WHERE_OBSERVED | LBR_WHERE_MEASURE)))
        return lbr_lower_fail(lo, node->place, "eigenvalues stand only in observe and measure");
    if (!square(lo, node, arg[0])) return NULL;
    if (lo->at.loop)
        return lbr_lower_fail(lo, node->place, "eigenvalues inside a long sum or family; name them before, outside");
    shape.n[0] = arg[0]->shape.n[0];
    array = lbr_value_store(lo, arg[0]);
    return array < 0 ? NULL : lbr_value_view(lo, lbr_dag_eigen(lo->dag, array, shape.n[0]), 0, &shape);
}

static const lbr_value *multiplier(lbr_lower *lo, const lbr_node *node, const function *f, const lbr_value **arg)
{
    if (!(lo->at.where & (LBR_WHERE_OBSERVED | LBR_WHERE_MEASURE)) || !lo->multiplier)
        return lbr_lower_fail(lo, node->place, "multiplier stands only in observe, measures, claims and plots");
    return lo->multiplier(lo, node, lo->model);
}

/* --- the table --------------------------------------------------------------------------------------------------- */

static const function functions[] = {
#define ONE(name, op)                       \
    {                                       \
        name, 1, 1, of_numbers, LBR_OP_##op \
    }
    ONE("sqrt", SQRT),
    ONE("cbrt", CBRT),
    ONE("exp", EXP),
    ONE("log", LOG),
    ONE("sin", SIN),
    ONE("cos", COS),
    ONE("tan", TAN),
    ONE("asin", ASIN),
    ONE("acos", ACOS),
    ONE("atan", ATAN),
    ONE("sinh", SINH),
    ONE("cosh", COSH),
    ONE("tanh", TANH),
    ONE("asinh", ASINH),
    ONE("acosh", ACOSH),
    ONE("atanh", ATANH),
    ONE("abs", ABS),
    ONE("erf", ERF),
    ONE("floor", FLOOR),
    ONE("sign", SIGN),
    { "atan2", 2, 2, of_numbers, LBR_OP_ATAN2 },
    { "hypot", 2, 2, of_numbers, LBR_OP_HYPOT },
    { "mod", 2, 2, of_numbers, LBR_OP_MOD },
    { "min", 2, 1000, of_numbers, LBR_OP_MIN },
    { "max", 2, 1000, of_numbers, LBR_OP_MAX },
    { "delta", 2, 2, delta, 0 },
    { "wrap", 2, 2, wrap, 0 },
    { "dot", 2, 2, dot, 0 },
    { "sq", 1, 1, sq, 0 },
    { "norm", 1, 1, norm, 0 },
    { "cross", 2, 2, cross, 0 },
    { "size", 1, 2, size, 0 },
    { "identity", 1, 1, identity, 0 },
    { "diag", 1, 1, diag, 0 },
    { "trace", 1, 1, trace, 0 },
    { "det", 1, 1, det, 0 },
    { "hat", 1, 1, hat, 0 },
    { "quaternion", 4, 4, quaternion, 0 },
    { "if", 3, 3, choice, 0 },
    { "grad", 2, 2, grad, 0 },
    { "bracket", 2, 2, bracket, 0 },
    { "random", 1, 5, draw, 0 },
    { "normal", 1, 5, draw, 1 },
    { "read", 1, 1, read_table, 0 },
    { "eigenvalues", 1, 1, eigenvalues, 0 },
    { "multiplier", 1, 1, multiplier, 0 },
    { "sum", 0, 0, NULL, 0 },
    { "prod", 0, 0, NULL, 0 },
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

static const function *find(const char *name)
{
    for (int i = 0; i < FUNCTIONS; i++)
        if (!strcmp(functions[i].name, name)) return functions + i;
    return NULL;
}

int lbr_function_exists(const char *name) { return find(name) != NULL; }
const char *lbr_function_name(int i) { return i < FUNCTIONS ? functions[i].name : NULL; }

/* Functions that look at the text of their arguments themselves. */
static int by_text(const function *f)
{
    return f->read == choice || f->read == read_table || f->read == multiplier || f->read == grad;
}

const lbr_value *lbr_call_function(lbr_lower *lo, const lbr_node *node, int *known)
{
    const function *f = find(node->text);
    const lbr_value **arg;

    *known = f != NULL;
    if (!f) return NULL;
    if (!f->read) return lbr_lower_fail(lo, node->place, "%s needs a range: %s(i = 1..n, ...)", f->name, f->name);
    if (node->n < f->least || node->n > f->most)
        return lbr_lower_fail(lo, node->place,
                              f->least == f->most ? "%s takes %d argument%s, not %d"
                                                  : "%s takes at least %d argument%s, not %d",
                              f->name, f->least, f->least == 1 ? "" : "s", node->n);
    arg = lbr_arena_alloc(lo->arena, node->n, sizeof *arg);
    if (!arg) return lbr_lower_no_memory(lo);
    for (int k = 0; k < node->n && !by_text(f); k++)
        if (!(arg[k] = lbr_lower_value(lo, node->arg[k]))) return NULL;
        else if (arg[k]->row)
            return lbr_lower_fail(lo, node->arg[k]->first,
                                  "a row is added, scaled, multiplied and transposed, nothing else: %s is not for rows",
                                  f->name);
    return f->read(lo, node, f, arg);
}
