/* test_tableaux_made.c - Runge-Kutta tableaux that are made of nodes, weights and other methods.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support/analysis.h"
#include "plan/flatten.h"
#include "plan/tableaux.h"
#include "series/order.h"
#include "support/tap.h"

enum { MOST = 64 };

typedef struct tableau {
    int s;
    lbr_dd A[MOST * MOST], b[MOST], c[MOST];
} tableau;

static double gap(lbr_dd a, lbr_dd b) { return fabs(dd_double(dd_sub(a, b))); }

/* The tableau that an expression is. */
static int load(const char *text, tableau *t)
{
    lbr_arena arena = { 0 };
    lbr_message why = { 0 };
    lbr_flat f;
    lbr_status status = lbr_flatten(&f, text, NULL, 1, &arena, &why);
    const lbr_tableau *x = status || f.nbases != 1 || f.kernel.n != 1 ? NULL : f.base->tableau;

    if (x && x->s <= MOST) {
        t->s = (int)x->s;
        memcpy(t->A, x->A, (size_t)(x->s * x->s) * sizeof *x->A), memcpy(t->b, x->b, (size_t)x->s * sizeof *x->b),
            memcpy(t->c, x->c, (size_t)x->s * sizeof *x->c);
    } else ok(0, "%s: %s", text, why.text);
    lbr_arena_free(&arena);
    return x != NULL;
}

/* The largest difference between entries; INFINITY where there are more of them, or zeros are not the same. */
static double difference(const tableau *t, const tableau *u)
{
    double worst = 0;

    if (t->s != u->s) return INFINITY;
    for (int i = 0; i < t->s; i++) worst = fmax(worst, fmax(gap(t->b[i], u->b[i]), gap(t->c[i], u->c[i])));
    for (int i = 0; i < t->s * t->s; i++) {
        worst = fmax(worst, gap(t->A[i], u->A[i]));
        if ((t->A[i].hi == 0) != (u->A[i].hi == 0)) return INFINITY;
    }
    return worst;
}

static double apart(const char *a, const char *b)
{
    tableau t, u;

    return load(a, &t) && load(b, &u) ? difference(&t, &u) : NAN;
}

/* What is found out about an expression; -1 where nothing is. */
static int found(const char *text, const char *property)
{
    const lbr_certificate *z;
    int value = -1;

    if (!lbr_certify(&z, text, NULL))
        for (int64_t k = 0; k < z->n && value < 0; k++)
            if (!strcmp(z->check[k]->property, property)) value = z->check[k]->found;
    lbr_certificate_free(z);
    return value;
}

static void is(const char *text, int order, int symmetric, int symplectic)
{
    int p = found(text, "order"), m = found(text, "symmetric"), y = found(text, "symplectic");

    ok(p == order && m == symmetric && y == symplectic, "%s: order %d, %ssymmetric, %ssymplectic", text, p,
       m ? "" : "not ", y ? "" : "not ");
}

/* --- collocation ------------------------------------------------------------------------------------------------- */

/* Appends numbers with all their digits. */
static void add(char *text, size_t size, const char *before, const lbr_dd *x, int n)
{
    char digits[LBR_DD_TEXT];

    for (int i = 0; i < n; i++) {
        size_t used = strlen(text);
        snprintf(text + used, size - used, "%s%s", i ? ", " : before, lbr_dd_write(x[i], 34, digits));
    }
}

/* The expression with the nodes of a family's member, and weights where collocation is discontinuous there. */
static void spell(const tableau *t, int left, int right, char *text, size_t size)
{
    snprintf(text, size, left || right ? "discontinuous-collocation" : "collocation");
    if (left) add(text, size, "(b1 = ", t->b, 1);
    if (right) add(text, size, left ? ", bs = " : "(bs = ", t->b + t->s - 1, 1);
    add(text, size, left || right ? ", " : "(", t->c + left, t->s - left - right);
    strcat(text, ")");
}

/* HLW II.1.3, II.1.4: five families are collocation at their nodes, continuous or not. No digit is lost on the way. */
static void families(void)
{
    static const struct {
        const char *name;
        int first, left, right;
    } row[] = {
        { "gauss", 1, 0, 0 },    { "radau-2a", 1, 0, 0 },   { "lobatto-3a", 2, 0, 0 },
        { "radau-1a", 1, 1, 0 }, { "lobatto-3b", 2, 1, 1 }, { "lobatto-3c", 2, 1, 0 },
    };

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        double worst = 0;

        for (int s = row[i].first; s <= 16; s++) {
            char name[32], text[2048];
            tableau t, u;

            snprintf(name, sizeof name, "%s:%d", row[i].name, s);
            if (!load(name, &t)) continue;
            spell(&t, row[i].left, row[i].right, text, sizeof text);
            if (load(text, &u)) worst = fmax(worst, difference(&t, &u));
        }
        ok(worst < 2e-31, "%s is collocation at its nodes for up to 16 stages, to %.1g, zero where it is zero",
           row[i].name, worst);
    }
    ok(apart("collocation(0.5000000001)", "midpoint") > 5e-11, "a node that is wrong in its tenth digit is seen");
    ok(apart("discontinuous-collocation(b1 = 0.1666666666, bs = 1/6, 1/2)", "lobatto-3b:3") > 5e-11,
       "and so is a weight");
}

/* HLW II.6, exercise 3: the tableau digit by digit. */
static void exercise_3(void)
{
    static const char *const A[] = { "1/8", "-1/4", "1/8", "0", "1/8", "1/4", "-1/24", "0",
                                     "1/8", "5/12", "1/8", "0", "1/8", "1/4", "5/8",   "0" };
    static const char *const b[] = { "1/8", "3/8", "3/8", "1/8" }, *const c[] = { "0", "1/3", "2/3", "1" };
    const char *text = "discontinuous-collocation(b1 = 1/8, bs = 1/8, 1/3, 2/3)";
    tableau t = { .s = 0 }, u = { .s = 4 };
    double d;

    for (int i = 0; i < 16; i++) lbr_dd_read(A[i], &u.A[i]);
    for (int i = 0; i < 4; i++) lbr_dd_read(b[i], &u.b[i]), lbr_dd_read(c[i], &u.c[i]);
    d = load(text, &t) ? difference(&t, &u) : NAN;
    ok(d < 1e-31, "HLW exercise II.3: the tableau, to %.1g", d);
    is(text, 4, 1, 0);
    is("discontinuous-collocation(2/3, bs = 1/8, 1/3, b1 = 1/8)", 4, 1, 0);
    is("discontinuous-collocation(b1 = 1/8, bs = 0.1250000001, 1/3, 2/3)", 2, 0, 0);
    is("discontinuous-collocation(b1 = 1/7, bs = 1/7, 1/3, 2/3)", 2, 1, 0);
}

/* Ends alone and an end without a weight. */
static void ends(void)
{
    ok(apart("discontinuous-collocation(b1 = 1/2, bs = 1/2)", "lobatto-3b:2") == 0,
       "no nodes, two ends: Lobatto IIIB with two stages");
    ok(apart("discontinuous-collocation(b1 = 1)", "radau-1a:1") == 0, "one end: Radau IA with one stage");
    ok(apart("discontinuous-collocation(b1 = 0, 1/3, 1)", "collocation(1/3, 1)") == 0, "a weight of zero: no stage");
    ok(apart("collocation(1, 1/3)", "radau-2a:2") < 1e-32 && apart("collocation(1/2)", "midpoint") == 0 &&
           apart("collocation(0, 1)", "trapezoidal") < 1e-32,
       "the midpoint rule, the trapezoidal rule, Radau IIA; the order of nodes is of no matter");
    is("discontinuous-collocation(bs = 1/4, 1/3)", 3, 0,
       0); /* b_s alone (Butcher 1964): the order of the formula, here Radau's and Simpson's (HLW II.1.9) */
    is("discontinuous-collocation(bs = 1/6, 0, 1/2)", 4, 0, 0);
    is("discontinuous-collocation(bs = 1/4, 0, 1/2)", 2, 0, 0);
}

/* HLW II.6, exercise 1: order 3 where 1/3 - (c1 + c2)/2 + c1 c2 = 0, order 4 for Gauss' nodes alone. */
static void exercise_1(void)
{
    static const struct {
        const char *c1, *c2;
        int order;
    } row[] = {
        { "0", "2/3", 3 },
        { "1/3", "1", 3 },
        { "1/4", "5/6", 3 },
        { "1/5", "7/9", 3 },
        { "-1", "5/9", 3 },
        { "2", "4/9", 3 },
        { "0", "1", 2 },
        { "1/3", "2/3", 2 },
        { "1/4", "3/4", 2 },
        { "1/4", "0.8333333333", 2 },
        { "0.2113248654", "0.7886751346", 2 },
        { "0.21132486540518711774542560974902", "0.78867513459481288225457439025098", 4 },
    };

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        lbr_dd x, y;
        char text[128];
        double d;

        lbr_dd_read(row[i].c1, &x), lbr_dd_read(row[i].c2, &y);
        d = dd_double(dd_add(dd_sub(dd_div(dd(1), dd(3)), dd_scale(0.5, dd_add(x, y))), dd_mul(x, y)));
        snprintf(text, sizeof text, "collocation(%s, %s)", row[i].c1, row[i].c2);
        ok(found(text, "order") == row[i].order && (fabs(d) < 1e-30) == (row[i].order > 2),
           "HLW exercise II.1, %s: order %d, condition %.1e", text, row[i].order, d);
    }
}

/* Any nodes: order at least s, and that of the quadrature formula (HLW II.1.5). */
static void any_nodes(void)
{
    is("collocation(0.1, 0.4, 0.45, 1.3)", 4, 0, 0);
    is("collocation(0, 1/3, 2/3, 1)", 4, 1, 0);
    is("collocation(0, 1/4, 1/2, 3/4, 1)", 6, 1, 0); /* Boole's rule */
    is("collocation(-3, 7)", 2, 0, 0);
    is("collocation(0, 1/15, 2/15, 1/5, 4/15, 1/3, 2/5, 7/15, 8/15, 3/5, 2/3, 11/15, 4/5, 13/15, 14/15, 1)", 16, 1, 0);
}

/* --- diagonally implicit ----------------------------------------------------------------------------------------- */

/* y after one step of a method. */
static void one_step(const problem *p, const char *method, double t, double h, double *y)
{
    lbr_plan *plan = plan_of(p, method, NULL);

    if (!plan || lbr_map(plan, t, h, y)) y[0] = NAN;
    lbr_plan_free(plan);
}

static void maps_agree(const char *a, const char *b)
{
    problem p = mixed();
    double y[PROBLEM_DIM], z[PROBLEM_DIM];

    memcpy(y, p.y, sizeof y), memcpy(z, p.y, sizeof z);
    one_step(&p, a, p.t0, 0.1, y), one_step(&p, b, p.t0, 0.1, z);
    ok(distance(p.system.dim, y, z) < 1e-15, "%s and %s are the same map (%.1e)", a, b, distance(p.system.dim, y, z));
}

/* HLW VI.4.4: symplectic DIRK methods are compositions of the midpoint rule. */
static void symplectic_dirk(void)
{
    maps_agree("dirk(1/4, 1/2, 1/4)", "tableau(dirk(1/4, 1/2, 1/4))");
    ok(apart("dirk(1)", "midpoint") == 0, "one weight: the midpoint rule");
    is("dirk(1/4, 1/2, 1/4)", 2, 1, 1);
    is("dirk(2/3, 1/3)", 2, 0, 1);
    is("dirk(1/4, 1/2, 1/4, a2 = 0.2500000001)", 1, 0, 0);
    is("dirk(1.3512071919596576340476878089715, -1.7024143839193152680953756179429, 1.3512071919596576340476878089715)",
       4, 1, 1);
    is("dirk(1.3512071919, -1.7024143838, 1.3512071919)", 2, 1, 1);
    ok(apart("dirk(1.3512071919596576340476878089715, -1.7024143839193152680953756179429, "
             "1.3512071919596576340476878089715)",
             "tableau(compose(triple-jump:4, midpoint))") < 1e-31,
       "the triple jump over the midpoint rule, entry by entry");
    maps_agree("dirk(1.3512071919596576340476878089715, -1.7024143839193152680953756179429, "
               "1.3512071919596576340476878089715)",
               "compose(triple-jump:4, midpoint)");
}

/* HLW V.2.6 to V.2.9: symmetric DIRK methods are compositions of theta-methods and their adjoints. */
static void symmetric_dirk(void)
{
    static const char *const alpha[5] = { "0.25", "0.3", "0.5", "0.7", "0.75" };
    static const double b[5] = { 0.25, 0.375, -0.25, 0.375, 0.25 };
    const char *text = "dirk(0.25, 0.375, -0.25, 0.375, 0.25, a1 = 0.0625, a2 = 0.1125, a4 = 0.2625, a5 = 0.1875)";
    problem p = mixed();
    double y[PROBLEM_DIM], z[PROBLEM_DIM], t = p.t0, h = 0.1;

    memcpy(y, p.y, sizeof y), memcpy(z, p.y, sizeof z);
    one_step(&p, text, t, h, y);
    for (int i = 0; i < 5; i++) {
        char name[32];

        snprintf(name, sizeof name, "theta(%s)", alpha[i]);
        one_step(&p, name, t, b[i] * h, z), t += b[i] * h;
    }
    ok(distance(p.system.dim, y, z) < 1e-15, "HLW V.2.9: five theta-methods are one DIRK step (%.1e)",
       distance(p.system.dim, y, z));
    is(text, 2, 1, 0);
    is("dirk(0.25, 0.375, -0.25, 0.375, 0.25, a1 = 0.0625, a2 = 0.1125, a4 = 0.2625, a5 = 0.1874999999)", 1, 0, 0);
    ok(apart("tableau(adjoint(theta(1/4)))", "theta(3/4)") == 0 &&
           apart("tableau(adjoint(theta(1/4)))", "theta(1/4)") > 0.4,
       "the adjoint of theta(1/4) is theta(3/4)");
    ok(apart("theta(0)", "explicit-euler") == 0 && apart("theta(1)", "implicit-euler") == 0 &&
           apart("theta(1/2)", "midpoint") == 0,
       "theta = 0, 1/2, 1: Euler, midpoint, Euler");
    is("theta(1/2)", 2, 1, 1), is("theta(0.5000000001)", 1, 0, 0), is("compose(strang, theta(1/3))", 2, 1, 0);
}

/* --- compositions as one tableau --------------------------------------------------------------------------------- */

/* Elementary weights obey Butcher's product (HLW III.1.28): trees find for the tableau what words find for the
 * composition. */
static void compositions(void)
{
    static const char *const text[] = {
        "compose(suzuki:4, midpoint)",
        "compose(triple-jump:6, midpoint)",
        "compose(strang, explicit-euler)",
        "compose(strang, implicit-euler)",
        "compose(strang, heun-3)",
        "compose(kahan-li-6-9, gauss:2)",
        "compose(yoshida-6-7, trapezoidal)",
        "compose(strang, radau-2a:2)",
        "adjoint(radau-1a:2)",
        "adjoint(rk4)",
        "compose(suzuki:4, rk4)",
        "process(compose(triple-jump:4, midpoint), strang)",
        "compose(triple-jump:4, adjoint(collocation(1/4, 3/4)))",
        "compose(kahan-li-8-17, midpoint)",
        "rk4",
        "compose(sofroniou-spaletta-10-35, midpoint)",
    };

    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        char one[128];
        int same = 1;

        snprintf(one, sizeof one, "tableau(%s)", text[i]);
        for (int k = 0; k < 3; k++) {
            const char *what = ((const char *const[]){ "order", "symmetric", "symplectic" })[k];
            int a = found(text[i], what), b = found(one, what);

            if (a != b || a < 0) same = 0, printf("# %s: %d, as one tableau %d\n", what, a, b);
        }
        ok(same, "%s: its certificate says what that of the composition does", one);
        maps_agree(one, text[i]);
    }
    is("tableau(compose(suzuki:4, midpoint))", 4, 1, 1);
    ok(found("tableau(compose(strang, explicit-euler))", "explicit") == 0 &&
           found("tableau(compose(suzuki:4, rk4))", "explicit") == 1,
       "explicit is what is made of explicit methods");
    ok(apart("tableau(tableau(compose(suzuki:4, gauss:2)))", "tableau(compose(suzuki:4, gauss:2))") == 0,
       "a tableau of a tableau is the same");
    ok(apart("tableau(rk4)", "rk4") == 0 && apart("tableau(adjoint(radau-1a:3))", "radau-1a:3") > 0.01,
       "of one method: itself");
}

/* The first stage's time comes after all that was done before. */
static void times(void)
{
    tableau t;
    double worst = 0;

    if (!load("tableau(compose(suzuki:4, gauss:3))", &t)) return;
    for (int i = 0; i < t.s; i++) {
        lbr_dd sum = dd(0);

        for (int j = 0; j < t.s; j++) sum = dd_add(sum, t.A[i * t.s + j]);
        worst = fmax(worst, gap(sum, t.c[i]));
    }
    ok(t.s == 15 && worst < 1e-31, "times of stages are sums of rows (%.1e)", worst);
}

/* So that steps of a symmetric method and of its adjoint are steps of the same map. */
static void adjoints(void)
{
    static const struct {
        const char *text;
        int same;
    } row[] = { { "gauss:5", 1 },
                { "lobatto-3b:4", 1 },
                { "dirk(1/4, 1/2, 1/4)", 1 },
                { "dirk(1/4, 3/4)", 0 },
                { "theta(1/3)", 0 },
                { "radau-2a:2", 0 },
                { "rk4", 0 } };

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        lbr_arena arena = { 0 };
        lbr_message why = { 0 };
        lbr_flat f;
        lbr_tableau *t = lbr_flatten(&f, row[i].text, NULL, 1, &arena, &why) ? NULL : f.base->tableau;

        ok(t && (lbr_tableau_adjoint(t, &arena) == t) == row[i].same, "the adjoint of %s is %s", row[i].text,
           row[i].same ? "itself" : "another tableau");
        lbr_arena_free(&arena);
    }
}

/* The symplectic partner of the 3/8 rule: what defines it (HLW VI.4.3 (4.4)), and its nodes, which are sums of its
 * rows. */
static void partner(void)
{
    static const double third = 1 / 3., rule[16] = { 0, 0, 0, 0, 1 / 3., 0, 0, 0, -1 / 3., 1, 0, 0, 1, -1, 1, 0 },
                        weight[4] = { 0.125, 0.375, 0.375, 0.125 };
    lbr_dd A[16], b[4], c[4] = { dd(0), dd(third), dd(2 * third), dd(1) };
    lbr_tableau t = { 4, 1, A, b, c }, *u;
    lbr_arena arena = { 0 };
    lbr_message m;
    double off = 0, nodes = 0;

    for (int i = 0; i < 16; i++) A[i] = dd(rule[i]);
    for (int i = 0; i < 4; i++) b[i] = dd(weight[i]);
    if (ok(!lbr_tableau_partner(&t, "rule", &u, &arena, &m), "the partner of the 3/8 rule"))
        for (int i = 0; i < 4; i++) {
            double sum = 0;

            for (int j = 0; j < 4; j++)
                off = fmax(off,
                           fabs(weight[i] * u->A[4 * i + j].hi + weight[j] * rule[4 * j + i] - weight[i] * weight[j])),
                sum += u->A[4 * i + j].hi;
            nodes = fmax(nodes, fabs(sum - u->c[i].hi));
        }
    ok(off < 1e-16 && nodes < 1e-15, "b_i a^_ij + b_j a_ji = b_i b_j to %.1e, nodes to %.1e", off, nodes);
    lbr_arena_free(&arena);
}

static void described(void)
{
    static const struct {
        const char *text, *family, *source;
        int stages;
    } row[] = {
        { "collocation(1/3, 1)", "Runge-Kutta", "HLW II.1.3", 2 },
        { "tableau(compose(suzuki:4, gauss:2))", "Runge-Kutta", "HLW III.1.28", 10 },
        { "dirk(1/4, 3/4)", "Runge-Kutta", "HLW V.2.7, VI.4.4", 2 },
        { "adjoint(radau-1a:3)", "expression", "", 3 },
        { "theta(0.3)", "Runge-Kutta", "HLW V.2.8", 1 },
    };

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const lbr_method_info *info;
        int64_t s = row[i].stages;
        int good = !lbr_method_describe(&info, row[i].text) && info->stages == s && info->nlists == 3 &&
                   info->lists[0].list.n == s * s && info->lists[1].list.n == s && info->lists[2].list.n == s &&
                   !strcmp(info->lists[0].name, "A") && !strcmp(info->lists[1].name, "b") &&
                   !strcmp(info->lists[2].name, "c") && !strcmp(info->family, row[i].family) &&
                   !strcmp(info->source, row[i].source) && !strcmp(info->name, row[i].text);

        ok(good, "%s is described with A, b and c of its %lld stages", row[i].text, (long long)s);
        lbr_method_free(info);
    }
}

/* --- bad input --------------------------------------------------------------------------------------------------- */

static void refused(void)
{
    static const struct {
        const char *text, *word;
    } row[] = {
        { "collocation", "collocation(1/3, 1)" },
        { "collocation()", "number" },
        { "collocation(1/3, 2/6)", "equal" },
        { "collocation(0.5, 0.50000001)", "nearly" },
        { "collocation(0,0.05,0.1,0.15,0.2,0.25,0.3,0.35,0.4,0.45,0.5,0.55,0.6,0.65,0.7,0.75,0.8)",
          "at most 16 nodes" },
        { "collocation(rk4)", "'rk4' is not one" },
        { "collocation(1/3, gauss:2)", "'gauss'" },
        { "collocation(c = 1)", "no argument 'c" },
        { "collocation(1e300)", "up to 1000" },
        { "collocation(1e300/1e-300)", "number" },
        { "collocation(1/0)", "number" },
        { "collocation(0.5.5)", "number" },
        { "collocation(1//2)", "number" },
        { "collocation(--1)", "number" },
        { "colocation(1)", "'collocation'" },
        { "discontinuous-collocation(b1 = 1/4, bs = 1/2)", "it is 0.75" },
        { "discontinuous-collocation(b1 = 1/4, b1 = 1/4, 1/2)", "twice" },
        { "discontinuous-collocation(b2 = 1, 1/2)", "'b2" },
        { "discontinuous-collocation(b1 = rk4, 1/2)", "'rk4' is not one" },
        { "discontinuous-collocation(b1 = 1/6, 1/2, 1/2)", "equal" },
        { "dirk(1/2, 1/3)", "instead of 1" },
        { "dirk(1, 0)", "weight 2 is zero" },
        { "dirk(a1 = 1)", "needs weights" },
        { "dirk(1, a2 = 1)", "'a2" },
        { "dirk(1, a0 = 1)", "'a0" },
        { "dirk(1, a01 = 1)", "'a01" },
        { "dirk(1, a = 1)", "'a " },
        { "dirk(1, a99999999999 = 1)", "'a99999999999" },
        { "dirk(1, a1 = 1, a1 = 1)", "twice" },
        { "dirk(1, a1 = rk4)", "'rk4'" },
        { "dirk(midpoint)", "'midpoint'" },
        { "theta(1/2, 1/2)", "one number" },
        { "theta(x = 1/2)", "one number" },
        { "theta(rk4)", "'rk4'" },
        { "theta", "theta(1/2)" },
        { "tableau(stormer-verlet)", "'stormer-verlet' is not" },
        { "tableau(compose(suzuki:4, symplectic-euler))", "Runge-Kutta" },
        { "tableau(strang)", "'strang' is not" },
        { "tableau(rk4, rk4)", "tableau(METHOD)" },
        { "tableau(x = rk4)", "tableau(METHOD)" },
        { "tableau(1/2)", "1/2" },
        { "tableau(compose(suzuki:10, rk4))", "256 stages" },
        { "compose(dirk(1/2, 1/2), midpoint)", "compose(TABLE" },
        { "collocation:2(1/2)", "without ':2'" },
    };

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const lbr_method_info *info;
        lbr_status status = lbr_method_describe(&info, row[i].text);

        if (!ok(status == LBR_EMETHOD && info && strstr(info->message, row[i].word), "%s is refused: %s", row[i].text,
                info ? info->message : ""))
            printf("# status %d, want '%s'\n", status, row[i].word);
        lbr_method_free(info);
    }
}

int main(void)
{
    families();
    exercise_3();
    ends();
    exercise_1();
    any_nodes();
    symplectic_dirk();
    symmetric_dirk();
    compositions();
    times();
    adjoints();
    partner();
    described();
    refused();
    return tap_done();
}
