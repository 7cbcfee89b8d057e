/* derive_rule.c - the derivative of each operation. SPDX-License-Identifier: BSD-3-Clause
 *
 * No call has two arguments that make nodes: which comes first would be the compiler's choice, and the order of nodes
 * decides the order of sums.
 *
 * One reciprocal: a division or a root that is differentiated twice, or in three components, divides once. Constants
 * gather in one factor. */
#include "core/dd.h"
#include "derive_rule.h"

#include <math.h>

#include "dag_make.h"
#include "dag_walk.h"

/* --- products ---------------------------------------------------------------------------------------------------- */

static lbr_ref number(lbr_dag *dag, double x) { return lbr_dag_const(dag, x); }
static lbr_ref op1(lbr_dag *dag, lbr_op op, lbr_ref a) { return lbr_dag_op(dag, op, a, 0, 0); }
static lbr_ref op2(lbr_dag *dag, lbr_op op, lbr_ref a, lbr_ref b) { return lbr_dag_op(dag, op, a, b, 0); }
static lbr_ref choose(lbr_dag *dag, lbr_ref c, lbr_ref a, lbr_ref b) { return lbr_dag_op(dag, LBR_OP_SELECT, c, a, b); }

/* Whether x is a constant that k may be multiplied by, which is done: without rounding, where that is asked for. */
static int taken(const lbr_dag *dag, lbr_ref x, double *k)
{
    double value;

    if (!lbr_dag_is_const(dag, x, &value) || (dag->unrounded && dd_prod(*k, value).lo != 0)) return 0;
    return *k *= value, 1;
}

/* a = k * what is returned. */
static lbr_ref split(lbr_dag *dag, lbr_ref a, double *k)
{
    lbr_dag_node n = dag->node[a];

    if (n.op == LBR_OP_NEG) *k = -*k, a = n.a, n = dag->node[a];
    if (n.op == LBR_OP_MUL && taken(dag, n.a, k)) return n.b;
    if (n.op == LBR_OP_MUL && taken(dag, n.b, k)) return n.a;
    return taken(dag, a, k) ? number(dag, 1) : a;
}

/* A product with the guard SELECT(c, v, 0) as factor i is SELECT(c, the product with v, 0). */
static lbr_ref guarded(lbr_dag *dag, double k, lbr_ref *factor, int n, int i)
{
    lbr_dag_node g = dag->node[factor[i]];
    int first = lbr_dag_guard(dag, factor[i]) == 1;
    lbr_ref v;

    factor[i] = first ? g.b : g.c;
    v = lbr_chain_product(dag, k, factor, n);
    return choose(dag, g.a, first ? v : 0, first ? 0 : v);
}

static int power_of_two(double x)
{
    int e;

    return isnormal(x) && fabs(frexp(x, &e)) == 0.5;
}

/* k*y for a power of two k where that costs nothing, since y = c + z or c*z + d with constants c, d; else 0. All of it
 * is exact. */
static lbr_ref scaled(lbr_dag *dag, double k, lbr_ref y)
{
    lbr_dag_node n = dag->node[y];
    double a, b, c;
    lbr_ref factor;

    if (n.op == LBR_OP_FMA && lbr_dag_is_const(dag, n.c, &c) &&
        (lbr_dag_is_const(dag, n.a, &a) || lbr_dag_is_const(dag, n.b, &a))) {
        if (!isnormal(k * a) || !isnormal(k * c)) return 0;
        factor = number(dag, k * a);
        return lbr_dag_op(dag, LBR_OP_FMA, factor, lbr_dag_is_const(dag, n.a, NULL) ? n.b : n.a, number(dag, k * c));
    }
    if (n.op != LBR_OP_ADD && n.op != LBR_OP_SUB) return 0;
    if (lbr_dag_is_const(dag, n.a, &a) && isnormal(k * a)) {
        factor = number(dag, n.op == LBR_OP_ADD ? k : -k);
        return lbr_dag_op(dag, LBR_OP_FMA, factor, n.b, number(dag, k * a));
    }
    if (!lbr_dag_is_const(dag, n.b, &b) || !isnormal(k * b)) return 0;
    factor = number(dag, k);
    return lbr_dag_op(dag, LBR_OP_FMA, factor, n.a, number(dag, n.op == LBR_OP_ADD ? k * b : -k * b));
}

/* k*r, the constant put into a factor of r if it is free there. */
static lbr_ref times(lbr_dag *dag, double k, lbr_ref r)
{
    lbr_dag_node n = dag->node[r];
    lbr_ref y;

    if (n.op == LBR_OP_MUL && power_of_two(k)) {
        if ((y = scaled(dag, k, n.a))) return lbr_dag_mul(dag, y, n.b);
        if ((y = scaled(dag, k, n.b))) return lbr_dag_mul(dag, n.a, y);
    }
    return lbr_dag_mul(dag, number(dag, k), r);
}

lbr_ref lbr_chain_product(lbr_dag *dag, double k, lbr_ref *factor, int n)
{
    lbr_ref r = number(dag, 1);

    for (int i = 0; i < n; i++)
        if (dag->status || factor[i] == 0) return 0;
    for (int i = 0; i < n; i++)
        if (lbr_dag_guard(dag, factor[i])) return guarded(dag, k, factor, n, i);
    for (int i = 0; i < n; i++) {
        double before = k;
        lbr_ref u = split(dag, factor[i], &k);

        if (!isnormal(k)) k = before, u = factor[i]; /* what would under- or overflow is left as it is */
        r = lbr_dag_mul(dag, r, u);
    }
    return k == 1 ? r : times(dag, k, r);
}

static int is_product(const lbr_dag *dag, lbr_ref a)
{
    if (dag->node[a].op == LBR_OP_NEG) a = dag->node[a].a;
    return dag->node[a].op == LBR_OP_MUL;
}

int32_t lbr_chain_collect(lbr_dag *dag, lbr_ref *term, int32_t n)
{
    enum { MOST = 8 }; /* more are summed in parts, and are rarely alike */
    double k[MOST];
    lbr_ref u[MOST];
    int32_t m = 0, j, at = 0;

    if (n < 2 || n > MOST) return n;
    for (int32_t i = 0; i < n; i++)
        if (lbr_dag_guard(dag, term[i])) return n;
    for (int32_t i = 0; i < n; i++) {
        double factor = 1;
        lbr_ref base = split(dag, term[i], &factor);

        for (j = 0; j < m && u[j] != base; j++)
            ;
        if (j == m || !isnormal(factor) || !isnormal(k[j] + factor)) u[m] = base, k[m] = factor, term[m++] = term[i];
        else k[j] += factor, term[j] = 0;
    }
    for (int32_t i = 0; i < m; i++)
        if (!term[i]) term[i] = lbr_dag_mul(dag, number(dag, k[i]), u[i]);
    for (int products = 0; products < 2; products++) /* what needs no product is ready first */
        for (int32_t i = 0; i < m; i++)
            if (is_product(dag, term[i]) == products) u[at++] = term[i];
    for (int32_t i = 0; i < m; i++) term[i] = u[i];
    return m;
}

lbr_ref lbr_chain_sum(lbr_dag *dag, int loop, lbr_ref term)
{
    double k = 1, lo, hi;
    lbr_ref u = split(dag, term, &k);

    if (dag->status || term == 0) return 0;
    if (!isnormal(k)) return lbr_dag_reduce(dag, LBR_OP_SUM, loop, term);
    if (u == number(dag, 1) && lbr_dag_is_const(dag, dag->loop[loop].lo, &lo) &&
        lbr_dag_is_const(dag, dag->loop[loop].hi, &hi))
        return number(dag, hi < lo ? 0 : k * (hi - lo + 1));
    u = lbr_dag_reduce(dag, LBR_OP_SUM, loop, u);
    return lbr_dag_mul(dag, number(dag, k), u);
}

/* k times all the others. */
#define PRODUCT(k, ...) \
    lbr_chain_product(dag, k, (lbr_ref[]){ __VA_ARGS__ }, (int)(sizeof(lbr_ref[]){ __VA_ARGS__ } / sizeof(lbr_ref)))

static lbr_ref one(lbr_dag *dag) { return number(dag, 1); }
static lbr_ref over(lbr_dag *dag, lbr_ref b) { return lbr_dag_div(dag, one(dag), b); }
/* 1 + x^2, (1 - x)*(1 + x). */
static lbr_ref one_plus_square(lbr_dag *dag, lbr_ref x)
{
    lbr_ref square = lbr_dag_mul(dag, x, x);

    return lbr_dag_add(dag, one(dag), square);
}
static lbr_ref one_minus_square(lbr_dag *dag, lbr_ref x)
{
    lbr_ref below = lbr_dag_sub(dag, one(dag), x), above = lbr_dag_add(dag, one(dag), x);

    return lbr_dag_mul(dag, below, above);
}

/* --- the rules: w times the derivative --------------------------------------------------------------------------- */

/* y is the node, n what it is. */
#define RULE(name) static lbr_ref name(lbr_dag *dag, lbr_ref y, lbr_dag_node n, lbr_ref w)

RULE(same) { return w; }
RULE(negated) { return lbr_dag_neg(dag, w); }
RULE(abs_) { return PRODUCT(1, w, op1(dag, LBR_OP_SIGN, n.a)); }
RULE(sqrt_) { return PRODUCT(0.5, w, over(dag, y)); }
RULE(cbrt_)
{
    lbr_ref square = lbr_dag_mul(dag, y, y);

    return PRODUCT(1, w, over(dag, lbr_dag_mul(dag, number(dag, 3), square)));
}
RULE(exp_) { return PRODUCT(1, w, y); }
RULE(log_) { return PRODUCT(1, w, over(dag, n.a)); }
RULE(sin_) { return PRODUCT(1, w, op1(dag, LBR_OP_COS, n.a)); }
RULE(cos_) { return PRODUCT(-1, w, op1(dag, LBR_OP_SIN, n.a)); }
RULE(tan_) { return PRODUCT(1, w, one_plus_square(dag, y)); }
RULE(asin_) { return PRODUCT(1, w, over(dag, op1(dag, LBR_OP_SQRT, one_minus_square(dag, n.a)))); }
RULE(acos_) { return PRODUCT(-1, w, over(dag, op1(dag, LBR_OP_SQRT, one_minus_square(dag, n.a)))); }
RULE(atan_) { return PRODUCT(1, w, over(dag, one_plus_square(dag, n.a))); }
RULE(sinh_) { return PRODUCT(1, w, op1(dag, LBR_OP_COSH, n.a)); }
RULE(cosh_) { return PRODUCT(1, w, op1(dag, LBR_OP_SINH, n.a)); }
RULE(tanh_) { return PRODUCT(1, w, one_minus_square(dag, y)); }
RULE(asinh_) { return PRODUCT(1, w, over(dag, op1(dag, LBR_OP_SQRT, one_plus_square(dag, n.a)))); }
RULE(acosh_)
{
    lbr_ref below = lbr_dag_sub(dag, n.a, one(dag)), above = lbr_dag_add(dag, n.a, one(dag));

    return PRODUCT(1, w, over(dag, op1(dag, LBR_OP_SQRT, lbr_dag_mul(dag, below, above))));
}
RULE(atanh_) { return PRODUCT(1, w, over(dag, one_minus_square(dag, n.a))); }
RULE(erf_) /* 2/sqrt(pi) exp(-a^2) */
{
    return PRODUCT(1.1283791670955125739, w, op1(dag, LBR_OP_EXP, lbr_dag_neg(dag, lbr_dag_mul(dag, n.a, n.a))));
}

RULE(mul_a) { return PRODUCT(n.a == n.b ? 2 : 1, w, n.b); }
RULE(mul_b) { return n.a == n.b ? 0 : PRODUCT(1, w, n.a); }
RULE(div_a)
{
    int constants = lbr_dag_is_const(dag, w, NULL) && lbr_dag_is_const(dag, n.b, NULL);

    return constants ? lbr_dag_div(dag, w, n.b) : PRODUCT(1, w, over(dag, n.b));
}
RULE(div_b)
{
    lbr_ref r = over(dag, n.b);

    return PRODUCT(-1, w, n.a, r, r);
}

RULE(pow_a) { return PRODUCT(1, w, n.b, op2(dag, LBR_OP_POW, n.a, lbr_dag_sub(dag, n.b, one(dag)))); }
/* 0^b does not change with b. */
RULE(pow_b)
{
    lbr_ref value = PRODUCT(1, w, y, op1(dag, LBR_OP_LOG, n.a));

    return choose(dag, op2(dag, LBR_OP_EQ, n.a, 0), 0, value);
}
static lbr_ref over_squares(lbr_dag *dag, lbr_dag_node n)
{
    lbr_ref a = lbr_dag_mul(dag, n.a, n.a), b = lbr_dag_mul(dag, n.b, n.b);

    return over(dag, lbr_dag_add(dag, a, b));
}
RULE(atan2_a) { return PRODUCT(1, w, n.b, over_squares(dag, n)); }
RULE(atan2_b) { return PRODUCT(-1, w, n.a, over_squares(dag, n)); }
RULE(hypot_a) { return PRODUCT(1, w, n.a, over(dag, y)); }
RULE(hypot_b) { return PRODUCT(1, w, n.b, over(dag, y)); }
/* The one that is taken, as in op.h: the first of equal ones. */
RULE(min_a) { return choose(dag, op2(dag, LBR_OP_LT, n.b, n.a), 0, w); }
RULE(min_b) { return choose(dag, op2(dag, LBR_OP_LT, n.b, n.a), w, 0); }
RULE(max_a) { return choose(dag, op2(dag, LBR_OP_LT, n.a, n.b), 0, w); }
RULE(max_b) { return choose(dag, op2(dag, LBR_OP_LT, n.a, n.b), w, 0); }
RULE(mod_b) { return PRODUCT(-1, w, op1(dag, LBR_OP_FLOOR, lbr_dag_div(dag, n.a, n.b))); }
RULE(choice_b) { return choose(dag, n.a, w, 0); }
RULE(choice_c) { return choose(dag, n.a, 0, w); }

/* The product of the other factors, in a loop inside the first: right for factors that are 0, to every order. */
RULE(prod)
{
    lbr_loop l = dag->loop[n.k];
    int inner = lbr_dag_loop(dag, n.k, l.lo, l.hi);
    lbr_ref body = n.a, same_one;

    if (lbr_dag_move(dag, &body, 1, n.k, inner, NULL)) return 0;
    same_one = op2(dag, LBR_OP_EQ, dag->loop[inner].index, l.index);
    return PRODUCT(1, w, lbr_dag_reduce(dag, LBR_OP_PROD, inner, choose(dag, same_one, one(dag), body)));
}

/* The first iteration that reaches the largest (smallest) value gets everything. */
RULE(extreme)
{
    lbr_ref index = dag->loop[n.k].index, reached = op2(dag, LBR_OP_EQ, n.a, y);
    lbr_ref first = lbr_dag_reduce(dag, LBR_OP_SMALLEST, n.k, choose(dag, reached, index, number(dag, HUGE_VAL)));

    return choose(dag, op2(dag, LBR_OP_EQ, index, first), w, 0);
}

static lbr_ref (*const rule[LBR_OPS][3])(lbr_dag *dag, lbr_ref y, lbr_dag_node n, lbr_ref w) = {
    [LBR_OP_NEG] = { negated },
    [LBR_OP_ABS] = { abs_ },
    [LBR_OP_SQRT] = { sqrt_ },
    [LBR_OP_CBRT] = { cbrt_ },
    [LBR_OP_EXP] = { exp_ },
    [LBR_OP_LOG] = { log_ },
    [LBR_OP_SIN] = { sin_ },
    [LBR_OP_COS] = { cos_ },
    [LBR_OP_TAN] = { tan_ },
    [LBR_OP_ASIN] = { asin_ },
    [LBR_OP_ACOS] = { acos_ },
    [LBR_OP_ATAN] = { atan_ },
    [LBR_OP_SINH] = { sinh_ },
    [LBR_OP_COSH] = { cosh_ },
    [LBR_OP_TANH] = { tanh_ },
    [LBR_OP_ASINH] = { asinh_ },
    [LBR_OP_ACOSH] = { acosh_ },
    [LBR_OP_ATANH] = { atanh_ },
    [LBR_OP_ERF] = { erf_ },
    [LBR_OP_ADD] = { same, same },
    [LBR_OP_SUB] = { same, negated },
    [LBR_OP_MUL] = { mul_a, mul_b },
    [LBR_OP_DIV] = { div_a, div_b },
    [LBR_OP_POW] = { pow_a, pow_b },
    [LBR_OP_ATAN2] = { atan2_a, atan2_b },
    [LBR_OP_HYPOT] = { hypot_a, hypot_b },
    [LBR_OP_MIN] = { min_a, min_b },
    [LBR_OP_MAX] = { max_a, max_b },
    [LBR_OP_MOD] = { same, mod_b },
    [LBR_OP_FMA] = { mul_a, mul_b, same },
    [LBR_OP_SELECT] = { NULL, choice_b, choice_c },
    [LBR_OP_SUM] = { same },
    [LBR_OP_PROD] = { prod },
    [LBR_OP_LARGEST] = { extreme },
    [LBR_OP_SMALLEST] = { extreme },
};

int lbr_chain_exists(lbr_op op, int operand) { return rule[op][operand] != NULL; }

lbr_ref lbr_chain(lbr_dag *dag, lbr_ref y, int operand, lbr_ref w)
{
    lbr_dag_node n = dag->node[y];

    return dag->status || w == 0 || !rule[n.op][operand] ? 0 : rule[n.op][operand](dag, y, n, w);
}
