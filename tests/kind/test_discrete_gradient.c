/* test_discrete_gradient.c - discrete gradients of Gonzalez, and the mean: their formulas, what they keep, what they
 * refuse. SPDX-License-Identifier: BSD-3-Clause */
#include "support/discrete.h"

#include <string.h>

#define GONZALEZ "discrete-gradient(gonzalez)"
#define MEAN     "discrete-gradient(mean)"
static const char *const both[] = { GONZALEZ, MEAN };

static int grounds(problem *p)
{
    problem all[] = { volterra(), lie_poisson(), henon_heiles(), kepler(), pendulum(), relativistic(), mixed() };

    memcpy(p, all, sizeof all);
    return sizeof all / sizeof *all;
}

/* --- the formulas ------------------------------------------------------------------------------------------------ */

/* HLW V.5.13, with values of H. */
static void by_gonzalez(const problem *p, const double *y, const double *y1, double *out)
{
    double mid[PROBLEM_DIM], more = energy_of(p, y1) - energy_of(p, y), length = 0;
    int64_t n = p->system.dim;

    for (int64_t i = 0; i < n; i++) mid[i] = (y[i] + y1[i]) / 2, length += (y1[i] - y[i]) * (y1[i] - y[i]);
    gradient_of(p, mid, out);
    for (int64_t i = 0; i < n; i++) more -= out[i] * (y1[i] - y[i]);
    for (int64_t i = 0; i < n; i++) out[i] += more * (y1[i] - y[i]) / length;
}

/* The integral by Simpson's rule on 2000 pieces. */
static void by_simpson(const problem *p, const double *y, const double *y1, double *out)
{
    enum { N = 2000 };
    double x[PROBLEM_DIM], g[PROBLEM_DIM];
    int64_t n = p->system.dim;

    for (int64_t i = 0; i < n; i++) out[i] = 0;
    for (int k = 0; k <= 2 * N; k++) {
        for (int64_t i = 0; i < n; i++) x[i] = y[i] + (y1[i] - y[i]) * k / (2.0 * N);
        gradient_of(p, x, g);
        for (int64_t i = 0; i < n; i++) out[i] += g[i] * (k == 0 || k == 2 * N ? 1 : k % 2 ? 4 : 2) / (6.0 * N);
    }
}

static void formulas(const problem *p)
{
    double a = formula_off(p, GONZALEZ, 4 * p->h, by_gonzalez), b = formula_off(p, MEAN, 4 * p->h, by_simpson);

    ok(a < 3e-14 * (1 + largest(p->system.dim, p->y)), "%s: the formula of Gonzalez, to %.1e", p->system.name, a);
    ok(b < 3e-14 * (1 + largest(p->system.dim, p->y)), "%s: the mean, to %.1e", p->system.name, b);
    ok(formula_off(p, GONZALEZ, 4 * p->h, by_simpson) > 1e-7, "%s: which are not the same", p->system.name);
}

/* --- what they keep ---------------------------------------------------------------------------------------------- */

static void energy(const problem *p)
{
    double size = fabs(energy_of(p, p->y)) + largest(p->system.dim, p->y);

    for (int i = 0; i < 2; i++)
        for (int k = 1; k <= 2; k++) {
            double off = energy_drift(p, both[i], k * p->h, 2000);

            ok(off < 4e-14 * size, "%s on %s, h = %g: H is kept to %.1e in 2000 steps", both[i], p->system.name,
               k * p->h, off);
        }
    ok(energy_drift(p, "midpoint", 4 * p->h, 200) > 1e-6, "midpoint on %s does not", p->system.name);
}

static void orders(const problem *p)
{
    static const struct {
        const char *name;
        int order;
    } row[] = { { GONZALEZ, 2 },
                { MEAN, 2 },
                { "compose(suzuki:4, " MEAN ")", 4 },
                { "compose(suzuki:4, " GONZALEZ ")", 4 },
                { "adjoint(" MEAN ")", 2 } };
    double exact[PROBLEM_DIM], T = 8 * p->h;

    reference(p, T, 64, exact);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        slope s = slope_of(p, row[i].name, NULL, T, exact, row[i].order, 1e-11, 400);
        double a = asymmetry(p, row[i].name, NULL, 2 * p->h) / largest(p->system.dim, p->y);

        ok(fabs(s.order - row[i].order) < 0.2, "%s on %s: order %.3f for %d", row[i].name, p->system.name, s.order,
           row[i].order);
        ok(a < 1e-13, "%s on %s: symmetric, to %.1e", row[i].name, p->system.name, a);
    }
}

/* From (4, 2) over T = 5 (measured independently): order 2.001, H to 3e-15. */
static void published(void)
{
    problem p = volterra();
    double exact[2], e[2];

    reference(&p, 5, 500, exact);
    e[0] = error_after(&p, GONZALEZ, NULL, 5, 200, exact), e[1] = error_after(&p, GONZALEZ, NULL, 5, 400, exact);
    near(log2(e[0] / e[1]), 2.001, 0.004, "Lotka-Volterra from (4, 2), T = 5: the order of Gonzalez' method");
    ok(energy_drift(&p, GONZALEZ, 5.0 / 400, 400) < 6e-15, "with H kept to %.1e",
       energy_drift(&p, GONZALEZ, 5.0 / 400, 400));
}

/* A quadratic H and constant B: all of them are the midpoint rule. */
static void linear(void)
{
    modelled x;
    problem p = { .h = 0.3 };

    if (!ok(open_text(&x, "canonical q[2], p[2]\n"
                          "H = sq(p)/2 + q[1]^2 + q[1]*q[2]/2 + q[2]^2 + q[1]*p[2]/3\n"
                          "start q = [1, 0.2], p = [0.1, -0.4]\n"),
            "an H that is quadratic"))
        return;
    p.system = *x.s, memcpy(p.y, x.m->y0, 4 * sizeof *p.y);
    for (int i = 0; i < 2; i++) {
        double a[4], b[4];

        ok(!problem_run(&p, both[i], NULL, 0.3, 20, a) && !problem_run(&p, "midpoint", NULL, 0.3, 20, b) &&
               distance(4, a, b) < 1e-13,
           "%s is the midpoint rule there", both[i]);
    }
    close_model(&x);
}

/* H(t): t is taken in the middle, so that the order and the symmetry are as ever. */
static void timed(void)
{
    modelled x;
    problem p = { .h = 0.1, .t0 = 0.4 };
    double exact[2];

    if (!ok(open_text(&x, "canonical q, p\n"
                          "H = p^2/2 - cos(q) + q*sin(t) + t^2*q^2/9\n"
                          "start q = 0.4, p = 0.9\n"),
            "an H that depends on t"))
        return;
    p.system = *x.s, p.system.name = "timed", memcpy(p.y, x.m->y0, 2 * sizeof *p.y);
    reference(&p, 0.8, 64, exact);
    for (int i = 0; i < 2; i++) {
        slope s = slope_of(&p, both[i], NULL, 0.8, exact, 2, 1e-9, 400);

        ok(fabs(s.order - 2) < 0.1, "%s with H(t): order %.3f", both[i], s.order);
        ok(asymmetry(&p, both[i], NULL, 0.2) < 1e-14, "%s with H(t): symmetric, to %.1e", both[i],
           asymmetry(&p, both[i], NULL, 0.2));
    }
    close_model(&x);
}

/* Large steps of the planets, where positions and momenta converge in turns: the iteration goes on to the end. */
static void planets(void)
{
    modelled x;
    problem p = { .h = 200 };
    double off;

    if (!ok(open_model(&x, "outer-solar-system"), "the planets")) return;
    p.system = *x.s, p.system.name = "planets", memcpy(p.y, x.m->y0, (size_t)x.s->dim * sizeof *p.y);
    off = energy_drift(&p, MEAN, 200, 100) / fabs(energy_of(&p, p.y));
    ok(off < 3e-14, "H of the planets to %.1e in 100 steps of 200 days", off);
    close_model(&x);
}

/* At rest there is nothing to divide by; where one component rests neither; and close to an equilibrium H has more
 * rounding than increments. */
static void at_rest(void)
{
    static const double q[] = { 0, 1e-300, 1e-12, 1e-8, 1e-5, 1e-3 };
    problem p = pendulum();

    for (int i = 0; i < 2; i++)
        for (size_t k = 0; k < sizeof q / sizeof *q; k++) {
            double y[2];

            p.y[0] = q[k], p.y[1] = 0;
            ok(!problem_run(&p, both[i], NULL, 0.1, 500, y) && fabs(y[0]) <= 1.001 * q[k],
               "%s of a pendulum at %g: stays there", both[i], q[k]);
        }
}

/* Where a derivative of H passes through zero as a difference, and near equilibria that are not at 0, there is nothing
 * but rounding in it. */
static void cancelling(void)
{
    static const struct {
        const char *text;
        double from;
        int steps;
    } row[] = {
        { "state u, v\npoisson {u, v} = u*v\nH = u - log(u) + v - 2*log(v)\nstart u = %.17g, v = 2\n", 1.01, 2000 },
        { "state u, v\npoisson {u, v} = u*v\nH = u - log(u) + v - 2*log(v)\nstart u = %.17g, v = 2\n", 1.5, 4000 },
        { "state u, v\npoisson {u, v} = u*v\nH = u - log(u) + v - 2*log(v)\nstart u = %.17g, v = 2\n", 1 + 1e-11, 500 },
        { "canonical q, p\nH = p^2/2 + (q^2 - 1)^2/4\nstart q = %.17g, p = 0\n", 1.01, 2000 },
        { "canonical q, p\nH = p^2/2 + (q^2 - 1)^2/4\nstart q = %.17g, p = 0\n", 1 + 1e-8, 500 },
        { "canonical q, p\nH = p^2/2 - cos(q)\nstart q = %.17g, p = 0\n", 3.14159265358979, 500 },
    };

    for (size_t k = 0; k < sizeof row / sizeof *row; k++)
        for (int i = 0; i < 2; i++) {
            problem p = { .h = 0.1 };
            char text[300];
            modelled x;
            double y[2];

            snprintf(text, sizeof text, row[k].text, row[k].from);
            if (!ok(open_text(&x, text), "a start at %g", row[k].from)) continue;
            p.system = *x.s, memcpy(p.y, x.m->y0, sizeof y);
            ok(!problem_run(&p, both[i], NULL, 0.1, row[k].steps, y), "%s from %.12g: %d steps", both[i], row[k].from,
               row[k].steps);
            ok(energy_drift(&p, both[i], 0.1, row[k].steps) < 1e-14, "with H kept to %.1e",
               energy_drift(&p, both[i], 0.1, row[k].steps));
            close_model(&x);
        }
}

/* A small component beside a large one is solved for, too (the increment of u is checked against the formula). */
static void small_beside_large(void)
{
    problem p = volterra();
    double off[2];

    p.y[0] = 1e-12, p.y[1] = 3;
    for (int i = 0; i < 2; i++) {
        double y[2], mid[2], g[2], d[2];
        lbr_plan *plan = plan_of(&p, both[i], NULL);

        memcpy(y, p.y, sizeof y), step(plan, 2, 0, 0.5, y);
        (i ? by_simpson : by_gonzalez)(&p, p.y, y, g);
        mid[0] = (y[0] + p.y[0]) / 2, mid[1] = (y[1] + p.y[1]) / 2, turned(&p, mid, g, d);
        off[i] = fabs(y[0] - p.y[0] - 0.5 * d[0]) / fabs(y[0]);
        ok(off[i] < 1e-13, "%s: u = 1e-12 beside v = 3, to %.1e", both[i], off[i]);
        lbr_plan_free(plan);
    }
}

/* --- what is told and refused ------------------------------------------------------------------------------------ */

static void told(void)
{
    for (int i = 0; i < 2; i++) {
        const lbr_method_info *m;

        ok(!lbr_method_describe(&m, both[i]) && m->order == 2 && m->symmetric == 1 && m->symplectic == 0 &&
               m->energy == 1,
           "%s: what is claimed", both[i]);
        ok(!strcmp(m->needs, "poisson") && !strcmp(m->explicitness, "never"), "%s needs %s", both[i], m->needs);
        lbr_method_free(m);
    }
}

static lbr_status made(const char *method, const lbr_system *s, char *text)
{
    lbr_plan *plan;
    lbr_status status = lbr_plan_create(&plan, method, s, NULL);

    strcpy(text, lbr_plan_message(plan));
    lbr_plan_free(plan);
    return status;
}

static int broken_structure(double t, const double *y, const double *v, double *out, void *ctx)
{
    return (void)t, (void)y, (void)v, (void)out, (void)ctx, 7;
}

static void refused(void)
{
    static const char *const bad[] = { "discrete-gradient", "discrete-gradient(gauss)", "discrete-gradient(mean, mean)",
                                       "discrete-gradient(rk4(1))", "discrete-gradient(mean:2)" };
    static const lbr_poisson broken = { sizeof broken, volterra_gradient, broken_structure };
    problem p = volterra(), rates = lotka_volterra();
    double y[2] = { 4, 2 };
    char text[600];
    lbr_plan *plan;

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ok(made(bad[i], &p.system, text) == LBR_EMETHOD && strstr(text, "itoh-abe"), "%s: %s", bad[i], text);
    ok(made(MEAN, &rates.system, text) == LBR_EUNFIT && strstr(text, "H and its derivatives"), "a field alone: %s",
       text);
    p.system.energy = NULL;
    ok(made(MEAN, &p.system, text) == LBR_EUNFIT, "no H: %s", text);
    p = volterra(), p.system.poisson = &broken;
    plan = plan_of(&p, MEAN, NULL);
    ok(plan && lbr_map(plan, 0, 0.1, y) == LBR_ECALLBACK && y[0] == 4 && y[1] == 2, "a structure that fails: %s",
       lbr_plan_message(plan));
    lbr_plan_free(plan);
}

/* In a model, friction and rates that are given have no such structure. */
static void models(void)
{
    static const struct {
        const char *text;
        int good;
    } row[] = { { "canonical q, p\n"
                  "H = p^2/2 - cos(q)\n"
                  "start q = 1, p = 0\n",
                  1 },
                { "canonical q, p\n"
                  "H = p^2/2 - cos(q)\n"
                  "rayleigh = q'^2/2\n"
                  "start q = 1, p = 0\n",
                  0 },
                { "state y\n"
                  "y' = -y\n"
                  "start y = 1\n",
                  0 },
                { "canonical q, p\n"
                  "L = q'^2/2*(1 + q^2) - q^4/4\n"
                  "start q = 1, p = 0\n",
                  1 },
                { DISCRETE_TEXT, 1 } };

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        modelled x;
        char text[600] = "";
        int is = open_text(&x, row[i].text) ? !made(GONZALEZ, x.s, text) : -1;

        ok(is == row[i].good, "model %zu: %s", i + 1, is ? "taken" : text);
        close_model(&x);
    }
}

int main(void)
{
    problem p[8];
    int n = grounds(p);

    for (int i = 0; i < n; i++) formulas(&p[i]), energy(&p[i]), orders(&p[i]);
    published(), linear(), timed(), planets(), at_rest(), cancelling(), small_beside_large(), told(), refused(),
        models();
    close_model(&discrete_model);
    return tap_done();
}
