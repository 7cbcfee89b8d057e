/* arithmetic.c - the operators of the language on values of any shape. SPDX-License-Identifier: BSD-3-Clause */
#include "lower.h"

#include <math.h>

/* --- scalars ----------------------------------------------------------------------------------------------------- */

static const char *complaint(lbr_op op, double a, double b)
{
    if ((op == LBR_OP_DIV || op == LBR_OP_MOD) && b == 0) return "division by zero";
    if (op == LBR_OP_POW && a == 0 && b < 0) return "zero to a negative power";
    if (isinf(a) || isinf(b)) return "a value that is not finite";
    return NULL;
}

lbr_ref lbr_apply(lbr_lower *lo, lbr_op op, lbr_ref a, lbr_ref b, lbr_place place, const char *name)
{
    lbr_dag *d = lo->dag;
    double x = 0, y = 0, z;
    lbr_ref r;

    if (a < 0 || b < 0) return -1;
    if ((op == LBR_OP_DIV || op == LBR_OP_MOD) && lbr_dag_is_const(d, b, &y) && y == 0)
        return lbr_lower_fail(lo, place, "%s", complaint(op, x, y)), -1;
    r = op == LBR_OP_ADD ? lbr_dag_add(d, a, b) : op == LBR_OP_SUB ? lbr_dag_sub(d, a, b) : lbr_dag_op(d, op, a, b, 0);
    if (!lbr_dag_is_const(d, r, &z) || isfinite(z)) return r;
    lbr_dag_is_const(d, a, &x), lbr_dag_is_const(d, b, &y);
    if (complaint(op, x, y)) lbr_lower_fail(lo, place, "%s", complaint(op, x, y));
    else if (isinf(z)) lbr_lower_fail(lo, place, "the value of %s is too large for a number", name);
    else lbr_lower_fail(lo, place, "%s of %g is not a real number", name, x);
    return -1;
}

/* --- operations on each element ---------------------------------------------------------------------------------- */

static lbr_ref combine(lbr_lower *lo, const lbr_value *v, lbr_ref a, lbr_ref b)
{
    lbr_dag *d = lo->dag;

    if (a < 0 || b < 0) return -1;
    switch (v->op) {
    case LBR_OP_ADD: return lbr_dag_add(d, a, b);
    case LBR_OP_SUB: return lbr_dag_sub(d, a, b);
    case LBR_OP_MUL: return lbr_dag_mul(d, a, b);
    case LBR_OP_DIV: return lbr_dag_div(d, a, b);
    case LBR_OP_SELECT: return lbr_dag_op(d, LBR_OP_SELECT, v->node, a, b);
    default: return lbr_dag_neg(d, a);
    }
}

static lbr_ref pointwise_element(lbr_lower *lo, const lbr_value *v, const lbr_ref *index)
{
    lbr_ref a = v->a->shape.rank ? lbr_value_element(lo, v->a, index) : v->a->node;
    lbr_ref b = !v->b ? 0 : v->b->shape.rank ? lbr_value_element(lo, v->b, index) : v->b->node;

    return combine(lo, v, a, b);
}

static lbr_ref pointwise_flat(lbr_lower *lo, const lbr_value *v, lbr_ref f)
{
    lbr_ref a = lbr_value_flat(lo, v->a, f), b = v->b ? lbr_value_flat(lo, v->b, f) : 0;

    return combine(lo, v, a, b);
}

static const lbr_value *pointwise(lbr_lower *lo, lbr_op op, const lbr_value *a, const lbr_value *b)
{
    const lbr_value *shaped = a->shape.rank || !b ? a : b;
    lbr_value *v = lbr_value_open(lo, &shaped->shape, pointwise_element);

    if (!v) return NULL;
    v->op = op, v->a = a, v->b = b, v->row = shaped->row, v->flat = pointwise_flat;
    return v;
}

const lbr_value *lbr_value_choose(lbr_lower *lo, lbr_ref condition, const lbr_value *a, const lbr_value *b)
{
    lbr_value *v;

    if (!a->shape.rank) return lbr_value_scalar(lo, lbr_dag_op(lo->dag, LBR_OP_SELECT, condition, a->node, b->node));
    v = (lbr_value *)pointwise(lo, LBR_OP_SELECT, a, b);
    if (v) v->node = condition;
    return v;
}

const lbr_value *lbr_value_neg(lbr_lower *lo, const lbr_value *a)
{
    if (!a->shape.rank) return lbr_value_scalar(lo, lbr_dag_neg(lo->dag, a->node));
    return pointwise(lo, LBR_OP_NEG, a, NULL);
}

const lbr_value *lbr_value_add(lbr_lower *lo, const lbr_value *a, const lbr_value *b, int minus, lbr_place place)
{
    lbr_op op = minus ? LBR_OP_SUB : LBR_OP_ADD;

    if (!lbr_shape_equal(&a->shape, &b->shape) || a->row != b->row)
        return lbr_lower_fail(lo, place, "%s and %s cannot be %s: the shapes must be equal", lbr_shape_text(lo, a),
                              lbr_shape_text(lo, b), minus ? "subtracted" : "added");
    if (!a->shape.rank)
        return lbr_value_scalar(lo, lbr_apply(lo, op, a->node, b->node, place, minus ? "the difference" : "the sum"));
    return pointwise(lo, op, a, b);
}

/* --- products ---------------------------------------------------------------------------------------------------- */

static int deeper(lbr_lower *lo, int a, int b) { return lo->dag->loop[a].level >= lo->dag->loop[b].level ? a : b; }

static lbr_ref term_of(lbr_lower *lo, const lbr_value *v, const lbr_ref *index, lbr_ref k)
{
    lbr_ref left[2] = { index[0], k }, right[2] = { k, v->b->shape.rank > 1 ? index[v->shape.rank - 1] : 0 }, a, b;

    if (v->a->shape.rank == 1) left[0] = k;
    a = lbr_value_element(lo, v->a, left), b = lbr_value_element(lo, v->b, right);
    return a < 0 || b < 0 ? -1 : lbr_dag_mul(lo->dag, a, b);
}

/* Matrix times matrix or vector, row times matrix: the last index of a is the first one of b. */
static lbr_ref product_element(lbr_lower *lo, const lbr_value *v, const lbr_ref *index)
{
    lbr_dag *d = lo->dag;
    int64_t n = v->b->shape.n[0];
    int outer = lo->at.loop;
    lbr_ref term[LBR_UNROLLED], x;

    if (n <= LBR_UNROLLED) {
        for (int64_t k = 0; k < n; k++)
            if ((term[k] = term_of(lo, v, index, lbr_dag_const(d, (double)(k + 1)))) < 0) return -1;
        return lbr_dag_sum(d, term, n);
    }
    lo->at.loop = v->loop;
    for (int k = 0; k < v->shape.rank; k++) lo->at.loop = deeper(lo, lo->at.loop, d->node[index[k]].scope);
    lo->at.loop = lbr_dag_loop(d, lo->at.loop, lbr_dag_const(d, 1), lbr_dag_const(d, (double)n));
    x = term_of(lo, v, index, d->loop[lo->at.loop].index);
    x = x < 0 ? -1 : lbr_dag_reduce(d, LBR_OP_SUM, lo->at.loop, x);
    lo->at.loop = outer;
    return x;
}

static lbr_ref outer_element(lbr_lower *lo, const lbr_value *v, const lbr_ref *index)
{
    lbr_ref a = lbr_value_element(lo, v->a, index), b = lbr_value_element(lo, v->b, index + 1);

    return a < 0 || b < 0 ? -1 : lbr_dag_mul(lo->dag, a, b);
}

/* A large product inside a product is worked out once. */
static const lbr_value *operand(lbr_lower *lo, const lbr_value *v)
{
    const lbr_value *w;

    if (v->element != product_element || v->loop || lbr_shape_size(&v->shape) <= LBR_UNROLLED) return v;
    w = lbr_value_view(lo, lbr_value_store(lo, v), 0, &v->shape);
    if (w) ((lbr_value *)w)->row = v->row;
    return w;
}

static const lbr_value *contraction(lbr_lower *lo, const lbr_value *a, const lbr_value *b)
{
    lbr_shape shape = { 0 };
    lbr_value *v;

    a = operand(lo, a), b = operand(lo, b);
    if (!a || !b) return NULL;
    if (a->shape.rank == 2) shape.n[shape.rank++] = a->shape.n[0];
    if (b->shape.rank == 2) shape.n[shape.rank++] = b->shape.n[1];
    v = lbr_value_open(lo, &shape, product_element);
    if (v) v->a = a, v->b = b, v->row = a->row;
    return v;
}

/* --- matrices: transposes, powers, equations --------------------------------------------------------------------- */

static lbr_ref transpose_element(lbr_lower *lo, const lbr_value *v, const lbr_ref *index)
{
    lbr_ref swapped[2] = { index[1], index[0] };

    return v->shape.rank == 1 ? lbr_value_element(lo, v->a, index) : lbr_value_element(lo, v->a, swapped);
}

const lbr_value *lbr_value_transpose(lbr_lower *lo, const lbr_value *a, lbr_place place)
{
    lbr_shape shape = a->shape;
    lbr_value *v;

    if (a->condition || a->shape.rank < 1 || a->shape.rank > 2)
        return lbr_lower_fail(lo, place, "^T is for vectors and matrices, not for %s", lbr_shape_text(lo, a));
    if (a->element == transpose_element) return a->a;
    if (shape.rank == 2) shape.n[0] = a->shape.n[1], shape.n[1] = a->shape.n[0];
    v = lbr_value_open(lo, &shape, transpose_element);
    if (v) v->a = a, v->row = shape.rank == 1 && !a->row;
    return v;
}

/* The transpose, of a vector without making it a row. */
static const lbr_value *plain(lbr_lower *lo, const lbr_value *v)
{
    lbr_value *w;

    if (!v->row) return v;
    if (v->element == transpose_element) return v->a;
    w = lbr_value_open(lo, &v->shape, transpose_element);
    if (w) w->a = v;
    return w;
}

/* det(A), and the adjugate over it: for small matrices inside loops, where an array cannot be solved with. */
static lbr_ref at2(lbr_lower *lo, const lbr_value *m, int64_t i, int64_t j)
{
    return lbr_value_at(lo, m, i * m->shape.n[1] + j);
}

static lbr_ref minor_of(lbr_lower *lo, const lbr_value *m, int64_t i, int64_t j)
{
    int64_t n = m->shape.n[0], r = i == 0, s = i == 2 || n == 2 ? 1 : 2, c = j == 0, e = j == 2 || n == 2 ? 1 : 2;
    lbr_dag *d = lo->dag;
    lbr_ref x, y, z, w;

    if (n == 1) return lbr_dag_const(d, 1);
    if (n == 2) return at2(lo, m, 1 - i, 1 - j);
    x = at2(lo, m, r, c), y = at2(lo, m, s, e), z = at2(lo, m, r, e), w = at2(lo, m, s, c);
    x = lbr_dag_mul(d, x, y), z = lbr_dag_mul(d, z, w);
    return lbr_dag_sub(d, x, z);
}

static lbr_ref small_inverse(lbr_lower *lo, const lbr_value *m, int64_t i, int64_t j)
{
    lbr_dag *d = lo->dag;
    lbr_ref term[3], cofactor = minor_of(lo, m, j, i);
    int64_t n = m->shape.n[0];

    for (int64_t k = 0; k < n; k++) {
        lbr_ref x = at2(lo, m, 0, k), y = minor_of(lo, m, 0, k);

        term[k] = lbr_dag_mul(d, x, y);
        if (k == 1) term[k] = lbr_dag_neg(d, term[k]);
    }
    if ((i + j) % 2) cofactor = lbr_dag_neg(d, cofactor);
    return lbr_dag_div(d, cofactor, lbr_dag_sum(d, term, n));
}

static lbr_ref inverse_element(lbr_lower *lo, const lbr_value *v, const lbr_ref *index)
{
    double i, j;

    if (v->stored) return lbr_value_element(lo, v->b, index);
    if (!lbr_dag_is_const(lo->dag, index[0], &i) || !lbr_dag_is_const(lo->dag, index[1], &j))
        return lo->at.failed = 1, -1;
    return small_inverse(lo, v->a, (int64_t)i - 1, (int64_t)j - 1);
}

static lbr_ref identity_element(lbr_lower *lo, const lbr_value *v, const lbr_ref *index)
{
    return lbr_dag_op(lo->dag, LBR_OP_SELECT, lbr_dag_op(lo->dag, LBR_OP_EQ, index[0], index[1], 0),
                      lbr_dag_const(lo->dag, 1), 0);
}

/* x of m x = b (or m^T x = b). */
static const lbr_value *solved(lbr_lower *lo, const lbr_value *m, const lbr_value *b, int transposed)
{
    int64_t n = m->shape.n[0], cols = b->shape.rank == 2 ? b->shape.n[1] : 1;
    int a = lbr_value_store(lo, m), right = a < 0 ? -1 : lbr_value_store(lo, b);

    return right < 0 ? NULL : lbr_value_view(lo, lbr_dag_solve(lo->dag, a, right, n, cols, transposed), 0, &b->shape);
}

static const lbr_value *inverse(lbr_lower *lo, const lbr_value *m, lbr_place place)
{
    lbr_value *v = lbr_value_open(lo, &m->shape, inverse_element);
    int64_t n = m->shape.n[0];

    if (!v) return NULL;
    v->a = m;
    if (!lo->at.loop) v->b = solved(lo, m, lbr_value_new(lo, &m->shape, identity_element), 0), v->stored = 1;
    else if (n > 3)
        return lbr_lower_fail(
            lo, place,
            "a matrix larger than 3 x 3 cannot be solved with inside a long sum or family; name it before, outside");
    return v->stored && !v->b ? NULL : v;
}

/* a/b of matrices: what multiplies an inverse is solved for. NULL, and *handled is 0, if neither is one. */
static const lbr_value *with_inverse(lbr_lower *lo, const lbr_value *a, const lbr_value *b, int *handled)
{
    const lbr_value *x;

    *handled = 0;
    if (lo->at.loop) return NULL;
    if (a->element == inverse_element && !b->row) return *handled = 1, solved(lo, a->a, b, 0);
    if (b->element != inverse_element) return NULL;
    *handled = 1;
    if (a->shape.rank == 1) {
        x = solved(lo, b->a, plain(lo, a), 1);
        if (x) ((lbr_value *)x)->row = 1;
        return x;
    }
    x = lbr_value_transpose(lo, a, (lbr_place){ 0, 0 }); /* a b^-1 = (b^-T a^T)^T */
    x = x ? solved(lo, b->a, x, 1) : NULL;
    return x ? lbr_value_transpose(lo, x, (lbr_place){ 0, 0 }) : NULL;
}

/* --- the product ------------------------------------------------------------------------------------------------- */

static const lbr_value *mismatch(lbr_lower *lo, const lbr_value *a, const lbr_value *b, lbr_place place)
{
    if (a->shape.rank == 1 && b->shape.rank == 1 && a->row == b->row)
        return lbr_lower_fail(lo, place, "two vectors: write dot(a, b), cross(a, b), a^T*b or a*b^T");
    return lbr_lower_fail(lo, place, "%s times %s: the shapes do not fit", lbr_shape_text(lo, a),
                          lbr_shape_text(lo, b));
}

const lbr_value *lbr_value_mul(lbr_lower *lo, const lbr_value *a, const lbr_value *b, lbr_place place)
{
    int ra = a->shape.rank, rb = b->shape.rank, handled;
    const lbr_value *x;
    lbr_value *v;

    if (!ra && !rb) return lbr_value_scalar(lo, lbr_apply(lo, LBR_OP_MUL, a->node, b->node, place, "the product"));
    if (!ra || !rb) return pointwise(lo, LBR_OP_MUL, a, b);
    if (ra > 2 || rb > 2) return mismatch(lo, a, b, place);
    if (ra == 1 && rb == 1 && !a->row && b->row) {
        lbr_shape shape = { 2, { a->shape.n[0], b->shape.n[0] } };

        v = lbr_value_open(lo, &shape, outer_element);
        if (v) v->a = a, v->b = b;
        return v;
    }
    if ((ra == 1 && !a->row) || b->row || a->shape.n[ra - 1] != b->shape.n[0]) return mismatch(lo, a, b, place);
    x = with_inverse(lo, a, b, &handled);
    if (handled) return x;
    if (ra == 1 && rb == 1) return lbr_value_scalar(lo, lbr_value_dot(lo, a, b));
    return contraction(lo, a, b);
}

const lbr_value *lbr_value_div(lbr_lower *lo, const lbr_value *a, const lbr_value *b, lbr_place place)
{
    double x;

    if (b->shape.rank)
        return lbr_lower_fail(lo, place, "division by %s: only by a number%s", lbr_shape_text(lo, b),
                              b->shape.rank == 2 ? "; write M^-1*x to solve" : "");
    if (!a->shape.rank) return lbr_value_scalar(lo, lbr_apply(lo, LBR_OP_DIV, a->node, b->node, place, "the quotient"));
    if (lbr_dag_is_const(lo->dag, b->node, &x) && x == 0) return lbr_lower_fail(lo, place, "division by zero");
    return pointwise(lo, LBR_OP_DIV, a, b);
}

/* m^n, n > 0: binary from the left, as powers of numbers are. */
static const lbr_value *matrix_power(lbr_lower *lo, const lbr_value *m, int n, lbr_place place)
{
    const lbr_value *x = m;
    int bit = 1;

    while (bit <= n / 2) bit *= 2;
    for (bit /= 2; bit && x; bit /= 2) {
        x = lbr_value_mul(lo, x, x, place);
        if (x && n & bit) x = lbr_value_mul(lo, x, m, place);
    }
    return x;
}

const lbr_value *lbr_value_power(lbr_lower *lo, const lbr_value *a, const lbr_value *b, lbr_place place)
{
    double n;
    int whole = !b->shape.rank && lbr_dag_is_const(lo->dag, b->node, &n) && n == rint(n);
    const lbr_value *x;

    if (b->shape.rank) return lbr_lower_fail(lo, place, "the exponent must be a number, not %s", lbr_shape_text(lo, b));
    if (!a->shape.rank) {
        if (whole && fabs(n) <= 16) {
            lbr_ref r = lbr_dag_power(lo->dag, a->node, (int)n);
            double value;

            if (lbr_dag_is_const(lo->dag, r, &value) && !isfinite(value))
                return lbr_lower_fail(lo, place,
                                      n < 0 ? "zero to a negative power" : "the power is too large for a number");
            return lbr_value_scalar(lo, r);
        }
        return lbr_value_scalar(lo, lbr_apply(lo, LBR_OP_POW, a->node, b->node, place, "this power"));
    }
    if (a->shape.rank != 2 || a->shape.n[0] != a->shape.n[1])
        return lbr_lower_fail(lo, place, "a power of %s: only numbers and square matrices have powers%s",
                              lbr_shape_text(lo, a), a->shape.rank == 1 ? "; sq(v) is the square of the norm" : "");
    if (!whole || fabs(n) > 64)
        return lbr_lower_fail(lo, place, "the exponent of a matrix must be a constant integer, at most 64");
    if (n == 0) return lbr_value_new(lo, &a->shape, identity_element);
    x = matrix_power(lo, a, (int)fabs(n), place);
    return !x || n > 0 ? x : inverse(lo, x, place);
}
