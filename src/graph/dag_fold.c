/* dag_fold.c - operations, simplified: constants, 0 and 1, signs, fused products, guards.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What is done is exact, up to the sign of a zero, 0*x = 0, 0/x = 0 and x - x = 0, which are not done where
 * dag->ieee says that infinities count. One form for each value, so that equal
 * expressions meet: signs go outwards, the operands of what commutes are in the order of their numbers.
 *
 * A guard is SELECT(c, v, 0) or SELECT(c, 0, v). It is taken out of products, so that a branch which is not taken gives
 * 0 and never 0 times infinity: derivatives of `if` rest on it. */
#include "dag_make.h"
#include "op.h"
#include "core/dd.h"

enum { NONE = -1, MOST_POWER = 16 };

/* --- questions --------------------------------------------------------------------------------------------------- */

static int is(const lbr_dag *dag, lbr_ref a, lbr_op op) { return dag->node[a].op == op; }
static int equals(const lbr_dag *dag, lbr_ref a, double x)
{
    return is(dag, a, LBR_OP_CONST) && dag->node[a].value == x;
}
static int zero(const lbr_dag *dag, lbr_ref a) { return equals(dag, a, 0); }

/* Whether what is infinite or no number there is to be seen in the result. */
static int counts(const lbr_dag *dag, lbr_ref a) { return dag->ieee && dag->node[a].deps; }
/* A factor 0, which makes a product 0; a guard, likewise. */
static int annuls(const lbr_dag *dag, lbr_ref a, lbr_ref other) { return zero(dag, a) && !counts(dag, other); }
static int guards(const lbr_dag *dag, lbr_ref a, lbr_ref other) { return lbr_dag_guard(dag, a) && !counts(dag, other); }

static int is_condition(const lbr_dag *dag, lbr_ref a)
{
    int op = dag->node[a].op;

    return (op >= LBR_OP_LT && op <= LBR_OP_OR) || op == LBR_OP_NOT || equals(dag, a, 0) || equals(dag, a, 1);
}

static int is_product(const lbr_dag *dag, lbr_ref a)
{
    return is(dag, is(dag, a, LBR_OP_NEG) ? dag->node[a].a : a, LBR_OP_MUL);
}

int lbr_dag_guard(const lbr_dag *dag, lbr_ref a)
{
    const lbr_dag_node *n = &dag->node[a];

    return n->op != LBR_OP_SELECT ? 0 : zero(dag, n->c) ? 1 : zero(dag, n->b) ? 2 : 0;
}

/* --- nodes as they are ------------------------------------------------------------------------------------------- */

static lbr_ref node(lbr_dag *dag, lbr_op op, lbr_ref a, lbr_ref b, lbr_ref c)
{
    return lbr_dag_intern(dag, (lbr_dag_node){ .op = (uint8_t)op, .a = a, .b = b, .c = c });
}

/* a, b in the order of their numbers. */
static lbr_ref ordered(lbr_dag *dag, lbr_op op, lbr_ref a, lbr_ref b, lbr_ref c)
{
    return a <= b ? node(dag, op, a, b, c) : node(dag, op, b, a, c);
}

static lbr_ref op1(lbr_dag *dag, lbr_op op, lbr_ref a) { return lbr_dag_op(dag, op, a, 0, 0); }
static lbr_ref op2(lbr_dag *dag, lbr_op op, lbr_ref a, lbr_ref b) { return lbr_dag_op(dag, op, a, b, 0); }
static lbr_ref choose(lbr_dag *dag, lbr_ref c, lbr_ref a, lbr_ref b) { return lbr_dag_op(dag, LBR_OP_SELECT, c, a, b); }

/* Without its minus, which changes *negative. */
static lbr_ref unsigned_part(const lbr_dag *dag, lbr_ref a, int *negative)
{
    if (!is(dag, a, LBR_OP_NEG)) return a;
    *negative = !*negative;
    return dag->node[a].a;
}

/* --- guards ------------------------------------------------------------------------------------------------------ */

/* What a is where the condition holds (or does not). */
static lbr_ref under(const lbr_dag *dag, lbr_ref a, lbr_ref condition, int holds)
{
    const lbr_dag_node *n = &dag->node[a];

    return n->op != LBR_OP_SELECT || n->a != condition ? a : holds ? n->b : n->c;
}

/* The guard of operand g, a factor, taken out of an operation; where the factor is 0 the result is `rest`. */
static lbr_ref lift(lbr_dag *dag, lbr_op op, lbr_ref g, lbr_ref a, lbr_ref b, lbr_ref c, lbr_ref rest)
{
    lbr_ref condition = dag->node[g].a, inner;
    int holds = lbr_dag_guard(dag, g) == 1;

    inner = lbr_dag_op(dag, op, under(dag, a, condition, holds), under(dag, b, condition, holds),
                       under(dag, c, condition, holds));
    rest = under(dag, rest, condition, !holds);
    return choose(dag, condition, holds ? inner : rest, holds ? rest : inner);
}

/* Two guards with one condition, added or subtracted. */
static lbr_ref both(lbr_dag *dag, lbr_op op, lbr_ref a, lbr_ref b)
{
    lbr_ref c = dag->node[a].a;

    if (!lbr_dag_guard(dag, a) || !lbr_dag_guard(dag, b) || dag->node[b].a != c) return NONE;
    lbr_ref yes = op2(dag, op, dag->node[a].b, dag->node[b].b), no = op2(dag, op, dag->node[a].c, dag->node[b].c);
    return choose(dag, c, yes, no);
}

/* --- sums and products ------------------------------------------------------------------------------------------- */

/* +-product + c. */
static lbr_ref fused(lbr_dag *dag, lbr_ref product, int negative, lbr_ref c)
{
    lbr_ref p = unsigned_part(dag, product, &negative), a = dag->node[p].a, b = dag->node[p].b;

    return lbr_dag_op(dag, LBR_OP_FMA, negative ? lbr_dag_neg(dag, a) : a, b, c);
}

static lbr_ref add(lbr_dag *dag, lbr_ref a, lbr_ref b, lbr_ref unused)
{
    lbr_ref r;

    if (zero(dag, b)) return a;
    if (zero(dag, a)) return b;
    if ((r = both(dag, LBR_OP_ADD, a, b)) != NONE) return r;
    if (is_product(dag, b)) return fused(dag, b, 0, a);
    if (is_product(dag, a)) return fused(dag, a, 0, b);
    if (is(dag, b, LBR_OP_NEG)) return op2(dag, LBR_OP_SUB, a, dag->node[b].a);
    if (is(dag, a, LBR_OP_NEG)) return op2(dag, LBR_OP_SUB, b, dag->node[a].a);
    return ordered(dag, LBR_OP_ADD, a, b, 0);
}

static lbr_ref sub(lbr_dag *dag, lbr_ref a, lbr_ref b, lbr_ref unused)
{
    lbr_ref r;

    if (a == b && !counts(dag, a)) return 0;
    if (zero(dag, b)) return a;
    if (zero(dag, a)) return lbr_dag_neg(dag, b);
    if ((r = both(dag, LBR_OP_SUB, a, b)) != NONE) return r;
    if (is_product(dag, b)) return fused(dag, b, 1, a);
    if (is_product(dag, a)) return fused(dag, a, 0, lbr_dag_neg(dag, b));
    if (is(dag, b, LBR_OP_NEG)) return op2(dag, LBR_OP_ADD, a, dag->node[b].a);
    if (is(dag, a, LBR_OP_NEG)) return lbr_dag_neg(dag, op2(dag, LBR_OP_ADD, dag->node[a].a, b));
    return NONE;
}

static lbr_ref negate(lbr_dag *dag, lbr_ref a, lbr_ref unused, lbr_ref too)
{
    lbr_dag_node n = dag->node[a];

    if (n.op == LBR_OP_NEG) return n.a;
    if (n.op == LBR_OP_SUB) return op2(dag, LBR_OP_SUB, n.b, n.a);
    if (lbr_dag_guard(dag, a)) return lift(dag, LBR_OP_NEG, a, a, 0, 0, 0);
    if ((n.op == LBR_OP_MUL || n.op == LBR_OP_DIV) && is(dag, n.a, LBR_OP_CONST))
        return op2(dag, (lbr_op)n.op, lbr_dag_neg(dag, n.a), n.b);
    if (n.op == LBR_OP_MUL && is(dag, n.b, LBR_OP_CONST)) return op2(dag, LBR_OP_MUL, n.a, lbr_dag_neg(dag, n.b));
    return NONE;
}

static lbr_ref multiply(lbr_dag *dag, lbr_ref a, lbr_ref b, lbr_ref unused)
{
    int negative = 0;

    if (annuls(dag, a, b) || annuls(dag, b, a)) return 0;
    if (equals(dag, a, 1)) return b;
    if (equals(dag, b, 1)) return a;
    if (equals(dag, a, -1)) return lbr_dag_neg(dag, b);
    if (equals(dag, b, -1)) return lbr_dag_neg(dag, a);
    if (guards(dag, a, b)) return lift(dag, LBR_OP_MUL, a, a, b, 0, 0);
    if (guards(dag, b, a)) return lift(dag, LBR_OP_MUL, b, a, b, 0, 0);
    a = unsigned_part(dag, a, &negative), b = unsigned_part(dag, b, &negative);
    a = ordered(dag, LBR_OP_MUL, a, b, 0);
    return negative ? lbr_dag_neg(dag, a) : a;
}

/* 1/x is exact. */
static int power_of_two(double x)
{
    int e;

    return isfinite(x) && fabs(frexp(x, &e)) == 0.5 && isnormal(1 / x);
}

static lbr_ref divide(lbr_dag *dag, lbr_ref a, lbr_ref b, lbr_ref unused)
{
    int negative = 0;

    if (annuls(dag, a, b)) return 0;
    if (is(dag, b, LBR_OP_CONST) && power_of_two(dag->node[b].value))
        return op2(dag, LBR_OP_MUL, a, lbr_dag_const(dag, 1 / dag->node[b].value));
    if (guards(dag, a, b)) return lift(dag, LBR_OP_DIV, a, a, b, 0, 0);
    a = unsigned_part(dag, a, &negative), b = unsigned_part(dag, b, &negative);
    a = node(dag, LBR_OP_DIV, a, b, 0);
    return negative ? lbr_dag_neg(dag, a) : a;
}

static lbr_ref multiply_add(lbr_dag *dag, lbr_ref a, lbr_ref b, lbr_ref c)
{
    int negative = 0;

    if (annuls(dag, a, b) || annuls(dag, b, a)) return c;
    if (zero(dag, c)) return op2(dag, LBR_OP_MUL, a, b);
    if (equals(dag, a, 1)) return op2(dag, LBR_OP_ADD, c, b);
    if (equals(dag, b, 1)) return op2(dag, LBR_OP_ADD, c, a);
    if (equals(dag, a, -1)) return op2(dag, LBR_OP_SUB, c, b);
    if (equals(dag, b, -1)) return op2(dag, LBR_OP_SUB, c, a);
    if (guards(dag, a, b)) return lift(dag, LBR_OP_FMA, a, a, b, c, c);
    if (guards(dag, b, a)) return lift(dag, LBR_OP_FMA, b, a, b, c, c);
    a = unsigned_part(dag, a, &negative), b = unsigned_part(dag, b, &negative);
    if (negative && (is(dag, b, LBR_OP_CONST) || (a > b && !is(dag, a, LBR_OP_CONST)))) b = lbr_dag_neg(dag, b);
    else if (negative) a = lbr_dag_neg(dag, a); /* the constant takes the sign, else the older factor */
    return ordered(dag, LBR_OP_FMA, a, b, c);
}

lbr_ref lbr_dag_power(lbr_dag *dag, lbr_ref a, int n)
{
    int m = n < 0 ? -n : n, bit = MOST_POWER;
    lbr_ref r = a;

    if (n == 0) return lbr_dag_const(dag, 1);
    if (n < -MOST_POWER || n > MOST_POWER) return op2(dag, LBR_OP_POW, a, lbr_dag_const(dag, n));
    while (!(m & bit)) bit >>= 1;
    while (bit >>= 1) {
        r = lbr_dag_mul(dag, r, r);
        if (m & bit) r = lbr_dag_mul(dag, r, a);
    }
    return n < 0 ? lbr_dag_div(dag, lbr_dag_const(dag, 1), r) : r;
}

static lbr_ref power(lbr_dag *dag, lbr_ref a, lbr_ref b, lbr_ref unused)
{
    double n;

    if (!lbr_dag_is_const(dag, b, &n)) return NONE;
    if (n == 0.5) return op1(dag, LBR_OP_SQRT, a);
    return fabs(n) <= MOST_POWER && n == floor(n) ? lbr_dag_power(dag, a, (int)n) : NONE;
}

/* --- conditions and choices -------------------------------------------------------------------------------------- */

/* What a, or -a, is where the condition holds (or does not). */
static lbr_ref signed_under(lbr_dag *dag, lbr_ref a, lbr_ref condition, int holds)
{
    int negative = 0;
    lbr_ref plain = unsigned_part(dag, a, &negative), x = under(dag, plain, condition, holds);

    return x == plain ? a : negative ? op1(dag, LBR_OP_NEG, x) : x;
}

static lbr_ref choice(lbr_dag *dag, lbr_ref c, lbr_ref a, lbr_ref b)
{
    lbr_ref yes = signed_under(dag, a, c, 1), no = signed_under(dag, b, c, 0);
    double value;

    if (lbr_dag_is_const(dag, c, &value)) return value != 0 ? a : b;
    if (a == b) return a;
    if (yes != a || no != b) return choose(dag, c, yes, no);
    if (is(dag, c, LBR_OP_NOT)) return choose(dag, dag->node[c].a, b, a);
    return NONE;
}

static lbr_ref not(lbr_dag * dag, lbr_ref a, lbr_ref unused, lbr_ref too)
{
    return is(dag, a, LBR_OP_NOT) && is_condition(dag, dag->node[a].a) ? dag->node[a].a : NONE;
}

static lbr_ref conjunction(lbr_dag *dag, lbr_ref a, lbr_ref b, lbr_ref unused)
{
    if (zero(dag, a) || zero(dag, b)) return 0;
    if (equals(dag, a, 1) && is_condition(dag, b)) return b;
    if ((equals(dag, b, 1) || a == b) && is_condition(dag, a)) return a;
    return ordered(dag, LBR_OP_AND, a, b, 0);
}

static lbr_ref disjunction(lbr_dag *dag, lbr_ref a, lbr_ref b, lbr_ref unused)
{
    if (equals(dag, a, 1) || equals(dag, b, 1)) return lbr_dag_const(dag, 1);
    if (zero(dag, a) && is_condition(dag, b)) return b;
    if ((zero(dag, b) || a == b) && is_condition(dag, a)) return a;
    return ordered(dag, LBR_OP_OR, a, b, 0);
}

static lbr_ref equality(lbr_dag *dag, lbr_ref a, lbr_ref b, lbr_ref unused) { return ordered(dag, LBR_OP_EQ, a, b, 0); }
static lbr_ref less(lbr_dag *dag, lbr_ref a, lbr_ref b, lbr_ref unused) { return a == b ? 0 : NONE; }
static lbr_ref extreme(lbr_dag *dag, lbr_ref a, lbr_ref b, lbr_ref unused) { return a == b ? a : NONE; }

static lbr_ref absolute(lbr_dag *dag, lbr_ref a, lbr_ref unused, lbr_ref too)
{
    return is(dag, a, LBR_OP_ABS) ? a : is(dag, a, LBR_OP_NEG) ? op1(dag, LBR_OP_ABS, dag->node[a].a) : NONE;
}

/* --- all of them ------------------------------------------------------------------------------------------------- */

/* What an operation is besides itself; NONE: nothing simpler. */
static lbr_ref (*const rule[LBR_OPS])(lbr_dag *dag, lbr_ref a, lbr_ref b, lbr_ref c) = {
    [LBR_OP_ADD] = add,    [LBR_OP_SUB] = sub,          [LBR_OP_NEG] = negate,     [LBR_OP_MUL] = multiply,
    [LBR_OP_DIV] = divide, [LBR_OP_FMA] = multiply_add, [LBR_OP_POW] = power,      [LBR_OP_SELECT] = choice,
    [LBR_OP_NOT] = not,    [LBR_OP_AND] = conjunction,  [LBR_OP_OR] = disjunction, [LBR_OP_EQ] = equality,
    [LBR_OP_LT] = less,    [LBR_OP_MIN] = extreme,      [LBR_OP_MAX] = extreme,    [LBR_OP_ABS] = absolute,
};

static double number(lbr_op op, double a, double b, double c)
{
    switch ((int)op) {
/* clang-format off */
#define CASE(name, expression) case LBR_OP_##name: return expression;
        /* clang-format on */
        LBR_OP_NUMBERS(CASE)
#undef CASE
    }
    return 0;
}

/* Whether the number that an operation gives is not its value, but the nearest double. Of functions it is not asked. */
static int rounds(lbr_op op, double a, double b, double c)
{
    double x = number(op, a, b, c);
    lbr_dd p = op == LBR_OP_FMA ? dd_sum(dd_prod(a, b).hi, c) : dd(0);
    int tiny = x != 0 && fabs(x) < 0x1p-900;

    switch ((int)op) {
    case LBR_OP_ADD: return dd_sum(a, b).lo != 0;
    case LBR_OP_SUB: return dd_sum(a, -b).lo != 0;
    case LBR_OP_MUL: return tiny || dd_prod(a, b).lo != 0;
    case LBR_OP_DIV: return tiny || fma(-x, b, a) != 0;
    case LBR_OP_SQRT: return tiny || fma(-x, x, a) != 0;
    case LBR_OP_FMA: return tiny || p.lo != 0 || dd_prod(a, b).lo != 0;
    }
    if ((op >= LBR_OP_CBRT && op <= LBR_OP_ERF && op != LBR_OP_LOG) || op == LBR_OP_POW) return a != 0;
    return op == LBR_OP_LOG ? a != 1 : op == LBR_OP_ATAN2 || op == LBR_OP_HYPOT || op == LBR_OP_MOD;
}

lbr_ref lbr_dag_op(lbr_dag *dag, lbr_op op, lbr_ref a, lbr_ref b, lbr_ref c)
{
    int n = op < LBR_OPS ? lbr_op_operands[op] : 0;
    double x = 0, y = 0, z = 0;
    lbr_ref r = NONE;

    if (dag->status) return 0;
    if (op < LBR_OP_NEG || op >= LBR_OP_SUM) return lbr_dag_fail(dag, LBR_EARG, "not an operation of numbers"), 0;
    if (n < 2) b = 0;
    if (n < 3) c = 0;
    if (lbr_dag_is_const(dag, a, &x) && lbr_dag_is_const(dag, b, &y) && lbr_dag_is_const(dag, c, &z)) {
        if (!dag->unrounded || !rounds(op, x, y, z)) return lbr_dag_const(dag, number(op, x, y, z));
        if (op != LBR_OP_POW) return node(dag, op, a, b, c);
    }
    if (rule[op]) r = rule[op](dag, a, b, c);
    return r == NONE ? node(dag, op, a, b, c) : r;
}

lbr_ref lbr_dag_add(lbr_dag *dag, lbr_ref a, lbr_ref b) { return op2(dag, LBR_OP_ADD, a, b); }
lbr_ref lbr_dag_sub(lbr_dag *dag, lbr_ref a, lbr_ref b) { return op2(dag, LBR_OP_SUB, a, b); }
lbr_ref lbr_dag_mul(lbr_dag *dag, lbr_ref a, lbr_ref b) { return op2(dag, LBR_OP_MUL, a, b); }
lbr_ref lbr_dag_div(lbr_dag *dag, lbr_ref a, lbr_ref b) { return op2(dag, LBR_OP_DIV, a, b); }
lbr_ref lbr_dag_neg(lbr_dag *dag, lbr_ref a) { return op1(dag, LBR_OP_NEG, a); }
