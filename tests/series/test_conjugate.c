/* test_conjugate.c - conjugate symplecticity (HLW VI.8): by trees, against the theorems, and as an identity of maps.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support/analysis.h"
#include "support/tap.h"
#include "series/analyse.h"

/* --- a(u, v) by hand --------------------------------------------------------------------------------------------- */

typedef struct table {
    int s;
    double A[36], b[6];
} table;

static table table_of(const char *name)
{
    const lbr_method_info *i;
    table t = { 0 };

    if (!lbr_method_describe(&i, name)) {
        t.s = (int)i->lists[1].list.n;
        for (int k = 0; k < t.s * t.s; k++) t.A[k] = atof(i->lists[0].list.text[k]);
        for (int k = 0; k < t.s; k++) t.b[k] = atof(i->lists[1].list.text[k]);
    }
    lbr_method_free(i);
    return t;
}

/* "[.,[.]]": the product over the sons of A times theirs, at each stage. */
static const char *weights(const table *t, const char *tree, double *u)
{
    for (int i = 0; i < t->s; i++) u[i] = 1;
    if (*tree == '.') return tree + 1;
    while (*tree != ']') {
        double son[6];

        tree = weights(t, tree + 1, son);
        for (int i = 0; i < t->s; i++) {
            double sum = 0;

            for (int j = 0; j < t->s; j++) sum += t->A[i * t->s + j] * son[j];
            u[i] *= sum;
        }
    }
    return tree + 1;
}

static double phi(const table *t, const char *tree)
{
    double u[6], sum = 0;

    weights(t, tree, u);
    for (int i = 0; i < t->s; i++) sum += t->b[i] * u[i];
    return sum;
}

/* u o v as text: v becomes the last son of u. */
static void grafted(const char *u, const char *v, char *out)
{
    if (*u == '.') sprintf(out, "[%s]", v);
    else sprintf(out, "%.*s,%s]", (int)strlen(u) - 1, u, v);
}

static double pair(const table *t, const char *u, const char *v)
{
    char uv[64], vu[64];

    grafted(u, v, uv), grafted(v, u, vu);
    return phi(t, u) * phi(t, v) - phi(t, uv) - phi(t, vu);
}

/* The residuals of HLW VI.8.2 (order 2, up to 4) and VI.8.3 (order 4, up to 5). */
static double theorem_2(const table *t)
{
    double c = pair(t, ".", "[[.]]");

    return fmax(fabs(pair(t, ".", "[.,.]") - 2 * c), fabs(pair(t, "[.]", "[.]") - 2 * c));
}

static double theorem_3(const table *t)
{
    double d = pair(t, ".", "[[[.]]]"), x = pair(t, ".", "[[.,.]]") - 2 * d,
           y = pair(t, ".", "[.,.,.]") - 3 * pair(t, ".", "[.,[.]]") + 3 * d,
           z = pair(t, "[.]", "[.,.]") - pair(t, ".", "[.,[.]]") - 2 * pair(t, "[.]", "[[.]]") + 3 * d;

    return fmax(fabs(x), fmax(fabs(y), fabs(z)));
}

/* --- the search against the theorems ----------------------------------------------------------------------------- */

static int found(const table *t, int max)
{
    lbr_dd A[36], b[6];
    lbr_order o = { 0 };

    for (int i = 0; i < t->s * t->s; i++) A[i] = dd(t->A[i]);
    for (int i = 0; i < t->s; i++) b[i] = dd(t->b[i]);
    return lbr_conjugate_order(t->s, A, b, max, 1e-13, &o) ? -1 : o.order;
}

static double chance(unsigned *seed) { return (double)((*seed = *seed * 1664525u + 1013904223u) >> 8) / 0x1p24 - 0.5; }

/* Tableaux of order 2 with chance in them; every third one is the trapezoidal rule in disguise, its second stage split
 * in two. */
static table made_up(int k, unsigned *seed)
{
    double x = chance(seed), sum = 0;
    table t = { 3, { 0, 0, 0, 0.5, x, 0.5 - x, 0.5, x, 0.5 - x }, { 0.5, 0.2, 0.3 } };

    if (k % 3 == 0) return t;
    for (int i = 0; i < 9; i++) t.A[i] = chance(seed), sum += t.b[i / 3] * t.A[i];
    t.A[8] += (0.5 - sum) / t.b[2];
    return t;
}

static void against_theorems(void)
{
    static const char *const fourth[] = { "lobatto-3a:3", "lobatto-3b:3", "lobatto-3c:3", "lobatto-3s:3",
                                          "gauss:2",      "rk4",          "kutta-38" };
    unsigned seed = 1;
    int good = 0, bad = 0, wrong = 0;

    for (int k = 0; k < 60; k++) {
        table t = made_up(k, &seed);
        int is = theorem_2(&t) < 1e-12, r = found(&t, 4);

        wrong += r != (is ? 4 : 3), good += is, bad += !is;
    }
    ok(!wrong && good > 10 && bad > 10,
       "HLW VI.8.2: methods of order 2 reach 3 always, and 4 when it says so: %d do, %d do not", good, bad);
    for (size_t i = 0; i < sizeof fourth / sizeof *fourth; i++) {
        table t = table_of(fourth[i]);
        double r = theorem_3(&t);

        ok(found(&t, 5) == (r < 1e-14 ? 5 : 4), "HLW VI.8.3: %s reaches order %d, its residual is %.1e", fourth[i],
           found(&t, 5), r);
    }
}

/* HLW VI, example 8.4. */
static void lobatto(void)
{
    static const char *const u[] = { ".", ".", ".", ".", "[.]", "[.]" }, *const v[] = { "[.,.,.]", "[.,[.]]", "[[.,.]]",
                                                                                        "[[[.]]]", "[.,.]",   "[[.]]" };
    static const double a[] = { 0, 0, 0, 0, -1.0 / 144, -1.0 / 288 }, b[] = { 0, 0, 0, 0, 1.0 / 144, 0 };
    const table A = table_of("lobatto-3a:3"), B = table_of("lobatto-3b:3");

    for (int i = 0; i < 6; i++) {
        ok(fabs(pair(&A, u[i], v[i]) - a[i]) < 1e-16, "Lobatto IIIA: a(%s, %s) = %.10g", u[i], v[i], a[i]);
        ok(fabs(pair(&B, u[i], v[i]) - b[i]) < 1e-16, "Lobatto IIIB: a(%s, %s) = %.10g", u[i], v[i], b[i]);
    }
    ok(theorem_3(&A) < 1e-16 && theorem_3(&B) > 1e-3, "IIIA satisfies Theorem 8.3, IIIB does not");
}

/* --- what is told ------------------------------------------------------------------------------------------------ */

static void told(void)
{
    static const struct {
        const char *name;
        int order;
    } row[] = {
        { "trapezoidal", LBR_ALL_ORDERS },
        { "lobatto-3a:2", LBR_ALL_ORDERS },
        { "midpoint", LBR_ALL_ORDERS },
        { "stormer-verlet", LBR_ALL_ORDERS },
        { "adjoint(trapezoidal)", LBR_ALL_ORDERS },
        { "lobatto-3a:3", 6 },
        { "lobatto-3a:4", 8 },
        { "lobatto-3b:3", 4 },
        { "lobatto-3b:4", 6 },
        { "rk4", 4 },
        { "explicit-euler", 1 },
        { "runge-midpoint", 3 },
        { "compose(triple-jump:4, trapezoidal)", 4 },
    };
    table t = table_of("trapezoidal");

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const lbr_method_info *info;
        const lbr_certificate *z;
        int is = lbr_method_describe(&info, row[i].name) ? -1 : info->conjugate_symplectic, certified = -1;

        if (!lbr_certify(&z, row[i].name, NULL))
            for (int64_t k = 0; k < z->n; k++)
                if (!strcmp(z->check[k]->property, "conjugate_symplectic")) certified = z->check[k]->found;
        ok(is == row[i].order && certified == is, "%s: conjugate to a symplectic method to order %d", row[i].name, is);
        lbr_method_free(info), lbr_certificate_free(z);
    }
    ok(found(&t, 8) == 8, "the trapezoidal rule by trees, to the end of the search");
    t.A[2] += 1e-9, t.b[0] += 1e-9, t.b[1] -= 1e-9;
    ok(found(&t, 8) < 4, "and not if its coefficients change by 1e-9");
}

/* --- maps -------------------------------------------------------------------------------------------------------- */

/* chi o Phi_T = Phi_M o chi; Phi_T itself changes areas. */
static void maps(void)
{
    problem p = pendulum();
    double h = 0.5, a[2] = { 1.2, 0.5 }, b[2] = { 1.2, 0.5 }, D[4];
    lbr_plan *T = plan_of(&p, "trapezoidal", NULL), *M = plan_of(&p, "midpoint", NULL),
             *E = plan_of(&p, "explicit-euler", NULL);
    range r;

    step(T, 2, 0, h, a), step(E, 2, h, h / 2, a);
    step(E, 2, 0, h / 2, b), step(M, 2, h / 2, h, b);
    ok(distance(2, a, b) <= 3e-16,
       "half a step of explicit Euler after the trapezoidal rule is the midpoint rule after it: %.1e",
       distance(2, a, b));
    jacobian(T, 2, 0, h, (const double[]){ 1.2, 0.5 }, D);
    near(D[0] * D[3] - D[1] * D[2] - 1, 7.7e-3, 1e-4, "one step of the trapezoidal rule changes areas by 7.7e-3");
    jacobian(M, 2, 0, h, (const double[]){ 1.2, 0.5 }, D);
    near(D[0] * D[3] - D[1] * D[2], 1, 1e-12, "one of the midpoint rule does not");
    lbr_plan_free(T), lbr_plan_free(M), lbr_plan_free(E);
    p.y[0] = 1.2, p.y[1] = 0.5;
    r = range_of(&p, "trapezoidal", NULL, h, 20000, pendulum_energy);
    ok(excursion(r) < 0.02, "and yet it keeps the energy within %.1e in 20000 steps", excursion(r));
    r = range_of(&p, "runge-trapezoidal", NULL, h, 20000, pendulum_energy);
    ok(!(excursion(r) < 0.5), "Runge's method, conjugate to order 3 only, does not: %.1e", excursion(r));
}

int main(void)
{
    lobatto(), against_theorems(), told(), maps();
    return tap_done();
}
