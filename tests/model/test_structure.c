/* test_structure.c - what is seen in the equations of a model, and which functions plans get for it.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * For and against: each H that has a structure stands beside one that has it not. */
#include "support/modelled.h"
#include "libration.h"

#include "graph/derive.h"
#include "model/structure.h"

enum { SEPARABLE = 1, QUADRATIC = 2, DIAGONAL = 4, AUTONOMOUS = 8 };
enum { ALL = SEPARABLE | QUADRATIC | DIAGONAL | AUTONOMOUS };

typedef struct structured {
    int want;
    const char *text;
} structured;

#define Q1   "canonical q, p\n"
#define Q2   "canonical q[2], p[2]\n"
#define Q3   "canonical q[3], p[3]\n"
#define N200 "param n = 200, m[i = 1..n] = 1 + i/7\ncanonical q[n], p[n]\n"

static const structured energies[] = {
    { ALL, Q1 "H = p^2/2 - cos(q)" },
    { ALL, Q1 "H = p^2/2 + q^2/2 + 3" },
    { ALL, Q2 "H = sq(p)/2" }, /* no force: V = 0 */
    { ALL, Q2 "H = p[1]^2/(2*0.3) + p[2]^2*7 + sin(q[1]*q[2])" },
    { ALL, Q2 "H = p[1]^2/2 + q[2]^2" }, /* a momentum that is not there */
    { ALL & ~AUTONOMOUS, Q1 "H = p^2/2 + q^4 - q*cos(2*t)" },
    { AUTONOMOUS, Q1 "H = p^2/2 + p*q" },
    { AUTONOMOUS, Q1 "H = p^2*(1 + q^2)/2" },
    { AUTONOMOUS, Q1 "H = p^2/2 + if(q > p, q, 0)" },
    { AUTONOMOUS, Q2 "H = (p^T*[[2 + q[1]^2, 0.1], [0.1, 1]]^-1*p)/2" }, /* p^T M(q)^-1 p */
    { AUTONOMOUS, "canonical r, pr, phi, pphi\nH = (pr^2 + pphi^2/r^2)/2 - 1/r\nstart r = 1" },
    { SEPARABLE | AUTONOMOUS, Q2 "H = sqrt(1 + sq(p)) - 1/norm(q - [3, 0])" }, /* a fast particle */
    { SEPARABLE | AUTONOMOUS, Q1 "H = p^4/4 + q^2" },
    { SEPARABLE | AUTONOMOUS, Q1 "H = if(p > 0, p^2/2, p^2) + q^2" },
    { SEPARABLE | AUTONOMOUS, Q1 "H = abs(p) + q^2" }, /* its second derivative is 0, almost everywhere */
    { SEPARABLE | AUTONOMOUS, Q1 "H = p^2/2 + p*floor(p) + q^2" },
    { SEPARABLE | AUTONOMOUS, Q1 "H = p - exp(p) + 2*q - exp(q)" }, /* Lotka-Volterra in logarithms */
    { 0, Q1 "H = p^2/(2 + sin(t)) + q^2" }, /* a mass that changes: a drift would have to know when */
    { SEPARABLE | QUADRATIC | AUTONOMOUS, Q1 "H = (p - 0.3)^2/2 + q^2" },
    { SEPARABLE | QUADRATIC | AUTONOMOUS, Q1 "H = 2*p + q^2" },
    { SEPARABLE | QUADRATIC | AUTONOMOUS, Q2 "H = p[1]*p[2] + sq(q)" },
    { SEPARABLE | QUADRATIC | AUTONOMOUS, Q2 "H = sq(p)/2 + 1e-9*p[1]*p[2] + sq(q)" },
    { SEPARABLE | QUADRATIC | AUTONOMOUS, Q3 "H = p^T*[[2, 0.5, 0], [0.5, 1, 0.1], [0, 0.1, 1]]^-1*p/2 + q[1]" },
    { ALL, Q3 "H = p^T*diag([2, 1, 3])^-1*p/2 + q[1]*q[2]" },
    { ALL, Q2 "let T(x) = sq(x)/2, K = T(p), c = 1/2\nlet U = c*sq(q)\nH = K + U" }, /* hidden in names */
    { AUTONOMOUS, Q2 "let f(x, y) = sq(x - y)/2\nH = f(p, q)" },
    { ALL, Q1 "part a = p^2/2\npart b = cos(q)" },
    { AUTONOMOUS, Q1 "part a = p^2/2 + p*q\npart b = cos(q)" },
    { ALL, N200 "H = sum(i = 1..n, p[i]^2/(2*m[i])) + sum(i = 1..n, j = 1..i-1, cos(q[i] - q[j]))" },
    { ALL, N200 "H = sq(p)/2 + sum(i = 1..n, if(i < n, (q[i+1] - q[i])^4, q[i]^2))" }, /* q[n+1] would be p[1] */
    { ALL, N200 "H = sq(p)/2 + sum(i = 1..n+1, (if(i <= n, q[i], 0) - if(i > 1, q[i-1], 0))^4)" },
    { AUTONOMOUS, N200 "H = sq(p)/2 + sum(i = 1..n, q[i]*p[wrap(i + 1, n)])" },
    { ALL, N200 "param k[i = 1..n] = wrap(3*i, n)\n"
                "H = sq(p)/2 + sum(i = 1..n, q[k[i]]^4*q[i])" }, /* a table of neighbours */
    { SEPARABLE | QUADRATIC | AUTONOMOUS, N200 "H = sq(p)/2 + sum(i = 2..n, p[i]*p[i-1])/9 + sum(i = 1..n, q[i]^4)" },
    { SEPARABLE | AUTONOMOUS, N200 "H = sum(i = 1..n, sqrt(1 + p[i]^2) + cos(q[i]))" },
    { ALL, "canonical x, px, y[3], py[3]\nH = px^2/2 + sq(py) + x*y[2]" },
    { AUTONOMOUS, Q2 "L = sq(q')/2*(1 + q[1]^2) - q[2]" },
    { SEPARABLE | QUADRATIC | AUTONOMOUS, Q2 "L = sq(q')/2 + q[1]'*q[2]'/2 - sq(q)" },
    { AUTONOMOUS, Q1 "H = p^2/2 - cos(q)\n"
                     "rayleigh = 0.1*q'^2/2" }, /* damped: a field, and nothing more */
    { 0, Q1 "H = p^2/2 - cos(q)\nrayleigh = t^2*q'^2/2" },
};

static int made(modelled *x, const char *text, const char *end)
{
    static char all[8000];

    snprintf(all, sizeof all, "%s\n%s\nrun method = rk4, step = 1, steps = 1\n", text, end);
    return open_text(x, all);
}

static int found(const lbr_structure *x)
{
    return (x->separable ? SEPARABLE : 0) | (x->quadratic ? QUADRATIC : 0) | (x->diagonal_mass ? DIAGONAL : 0) |
           (x->autonomous ? AUTONOMOUS : 0);
}

/* Exactly the functions that belong to it. */
static int callbacks(const lbr_system *s, const lbr_model *m)
{
    const lbr_structure *x = &m->structure;
    int damped = m->rayleigh >= 0, whole = !x->separable;

    return s->energy && s->field_jvp && s->hessian_vec && s->nq == m->nq && s->dim == 2 * s->nq &&
           !!s->force == !whole && !!s->force_jvp == !whole && !!s->force_block == !whole &&
           !!s->inverse_mass == (x->diagonal_mass || damped) && !!s->velocity == (!whole && !x->diagonal_mass) &&
           !!s->field == whole && !!s->field_block == whole && !!s->dHdq == (whole && !damped) &&
           !!s->dHdp == (whole && !damped);
}

static void of_energies(void)
{
    for (size_t k = 0; k < sizeof energies / sizeof *energies; k++) {
        modelled x;
        int got = -1, right = 0;
        const char *h = strstr(energies[k].text, "\nH = "), *l = strstr(energies[k].text, "\nL = ");

        if (made(&x, energies[k].text, "")) got = found(&x.m->structure), right = callbacks(x.s, x.m);
        h = h ? h + 1 : l ? l + 1 : strstr(energies[k].text, "part");
        if (!ok(got == energies[k].want && right, "%.90s", h))
            printf("# found %d, expected %d; functions %d\n", got, energies[k].want, right);
        close_model(&x);
    }
}

/* The masses themselves. */
static void masses(void)
{
    modelled x;
    double worst = 0;

    if (ok(made(&x, N200 "H = sum(i = 1..n, p[i]^2/(2*m[i])) + sum(i = 1..n, q[i]^4)", "") && x.s->inverse_mass,
           "two hundred masses"))
        for (int64_t i = 0; i < 200; i++)
            worst = fmax(worst, fabs(x.s->inverse_mass[i] * (1 + (double)(i + 1) / 7) - 1));
    ok(worst < 4e-16, "and what they are: %.1e", worst);
    close_model(&x);
    if (ok(made(&x, Q2 "H = p[1]^2/2 + q[2]^2", "") && x.s->inverse_mass, "a variable without a momentum in H"))
        ok(x.s->inverse_mass[0] == 1 && x.s->inverse_mass[1] == 0, "it rests");
    close_model(&x);
}

/* --- variables of state ------------------------------------------------------------------------------------------ */

static const struct {
    const char *what;
    int separated, halves, masses;
    const char *text;
} states[] = {
    { "a partition into functions of each other", 1, 1, 0,
      "state q[2], p[2]\n"
      "partition p\n"
      "q' = [exp(p[1]) - 1, p[2]]\n"
      "p' = [sin(q[2]), q[1]]" },
    { "a pendulum with rates", 1, 1, 1, "state q, p\npartition p\nq' = p\np' = -sin(q)" },
    { "a partition that mixes", 0, 1, 0,
      "state u, v\n"
      "partition v\n"
      "u' = u*(v - 2)\n"
      "v' = v*(1 - u)\n"
      "start u = 1, v = 1" },
    { "a partition of which one half mixes", 0, 1, 1, "state u, v\npartition v\nu' = v\nv' = u - v/9" },
    { "unequal halves", 0, 0, 0, "state x, y, z\npartition z\nx' = sin(z)\ny' = cos(z)\nz' = x" },
    { "no partition", 0, 0, 0, "state x, y\nx' = y\ny' = -x" },
    { "a partition in loops", 1, 1, 0,
      "param n = 100\n"
      "state q[n], p[n]\n"
      "partition p\n"
      "q[i = 1..n]' = p[i]^3\n"
      "p[i = 1..n]' = q[wrap(i + 1, n)] - q[i]" },
};

static void of_states(void)
{
    for (size_t k = 0; k < sizeof states / sizeof *states; k++) {
        modelled x;
        int good = made(&x, states[k].text, "");

        good = good && !!x.s->force == states[k].separated &&
               !!x.s->velocity == (states[k].separated && !states[k].masses) && !!x.s->field != states[k].separated &&
               x.s->field_jvp && !x.s->energy && !x.s->dHdq && !!x.s->inverse_mass == states[k].masses &&
               !!x.s->nq == states[k].halves;
        ok(good, "%s", states[k].what);
        close_model(&x);
    }
}

/* The separated functions are halves of the field, as callbacks with pointers to one half only. */
static void halves(void)
{
    modelled x;
    double *q = malloc(200 * sizeof *q), *p = malloc(200 * sizeof *p), *f = malloc(200 * sizeof *f),
           *v = malloc(200 * sizeof *v), worst = 0;

    if (ok(made(&x,
                N200 "H = sum(i = 1..n, p[i]^4/4 + p[i]*p[wrap(i + 3, n)]) + sum(i = 1..n, if(i < n, q[i+1] - q[i], "
                     "q[1])^4/4)",
                "") &&
               x.s->force && x.s->velocity,
           "two hundred, separable")) {
        for (int i = 0; i < 200; i++)
            q[i] = sin(i), p[i] = cos(3.0 * i); /* blocks of their own: a reading beyond them is seen by sanitizers */
        ok(!x.s->force(0, q, f, x.s->ctx) && !x.s->velocity(0, p, v, x.s->ctx), "each from its own variables");
        for (int i = 0; i < 200; i++) {
            double next = i < 199 ? pow(q[i + 1] - q[i], 3) : -0.0, last = i ? pow(q[i] - q[i - 1], 3) : pow(q[0], 3);

            worst = fmax(worst, fabs(f[i] - (next - last))),
            worst = fmax(worst, fabs(v[i] - (pow(p[i], 3) + p[(i + 3) % 200] + p[(i + 197) % 200])));
        }
        ok(worst < 1e-13, "and what they are: %.1e", worst);
    }
    close_model(&x);
    free(q), free(p), free(f), free(v);
}

/* --- what depends on what ---------------------------------------------------------------------------------------- */

static void dependence(void)
{
    modelled x;
    char marked[8] = { 0, 1, 0, 1, 0, 1, 0, 1 };
    int g;

    if (!ok(made(&x,
                 "param n = 4\n"
                 "state x[2*n]\n"
                 "let s = sum(i = 1..n, x[2*i-1]^2)\n"
                 "x[i = 1..2*n]' = s*t",
                 ""),
            "odd components only")) {
        close_model(&x);
        return;
    }
    g = x.m->rates;
    ok(lbr_touches_array(&x.m->lo, g, x.m->lo.state, 0, 1) && lbr_touches_array(&x.m->lo, g, x.m->lo.state, 0, 8),
       "it depends on the first");
    ok(!lbr_touches_array(&x.m->lo, g, x.m->lo.state, 7, 8) && !lbr_touches_marked(&x.m->lo, g, x.m->lo.state, marked),
       "on none of the even ones");
    marked[2] = 1;
    ok(lbr_touches_marked(&x.m->lo, g, x.m->lo.state, marked), "but on the third");
    ok(lbr_touches_time(&x.m->dag, g) && !lbr_applies(&x.m->lo, g, LBR_OPS_THAT_JUMP) &&
           lbr_applies(&x.m->lo, g, LBR_OP_BIT(MUL) | LBR_OP_BIT(FMA)),
       "on t, smoothly");
    close_model(&x);
    if (!ok(made(&x,
                 "param n = 100\n"
                 "state x[2*n]\n"
                 "x[i = 1..n]' = sum(j = 1..n, x[2*j-1]*i)\n"
                 "x[i = n+1..2*n]' = if(i < 150, floor(x[1]), if(x[1] > 0, 1, 2))",
                 ""),
            "in loops")) {
        close_model(&x);
        return;
    }
    {
        char even[200] = { 0 };

        for (int i = 1; i < 200; i += 2) even[i] = 1;
        ok(!lbr_touches_marked(&x.m->lo, x.m->rates, x.m->lo.state, even), "none of the even ones");
        even[0] = 1;
        ok(lbr_touches_marked(&x.m->lo, x.m->rates, x.m->lo.state, even), "but one of these");
    }
    ok(lbr_applies(&x.m->lo, x.m->rates, LBR_OP_BIT(FLOOR)) && lbr_applies(&x.m->lo, x.m->rates, LBR_OP_BIT(SELECT)) &&
           !lbr_applies(&x.m->lo, x.m->rates, LBR_OP_BIT(SIN)),
       "jumps are seen");
    close_model(&x);
}

/* Piece by piece the same numbers, also where entries lie across the border. */
static void pieces(void)
{
    modelled x;
    double whole[100], part[100], y[100];
    int good = 1;

    if (!ok(made(&x,
                 "param n = 100, k[i = 1..n] = wrap(7*i, n)\n"
                 "state x[n]\n"
                 "x[i = 1..n]' = x[k[i]]*i",
                 ""),
            "a field")) {
        close_model(&x);
        return;
    }
    {
        int g = lbr_gradient(&x.m->dag, lbr_dag_load(&x.m->dag, x.m->rates, lbr_dag_const(&x.m->dag, 4)),
                             x.m->lo.state);
        const int64_t cut[] = { 0, 33, 70, 100 };
        lbr_function f = { 0 };

        for (int i = 0; i < 100; i++) y[i] = i;
        good = lbr_function_make(x.m, &f, g, -1, 0, &x.message) && !lbr_function_call(0, y, whole, &f);
        for (int k = 0; k < 3 && good; k++) {
            lbr_function h = { 0 };

            good = lbr_function_make(x.m, &h, lbr_array_piece(&x.m->lo, g, cut[k], cut[k + 1]), -1, 0, &x.message) &&
                   h.len == cut[k + 1] - cut[k] && !lbr_function_call(0, y, part + cut[k], &h);
        }
        ok(good && !memcmp(whole, part, sizeof whole) && whole[34] == 5, "three pieces are the whole");
    }
    close_model(&x);
}

/* --- flows that are wrong, but not at the start ------------------------------------------------------------------ */

static void wrong_flows(void)
{
    static const struct {
        const char *part, *flow, *start, *why; /* NULL: it is right */
    } row[] = {
        { "q*sin(t)", "p = p - s*sin(t)", "start q = 1", NULL },
        { "q*sin(t)", "p = p", "start q = 1", "at another time" },
        { "q*sin(t)", "p = p - s*sin(2*t)", "start q = 1", "at another time" },
        { "q*cos(t)", "p = p - s", "start q = 1", "at another time" },
        { "q^4/4", "p = p - s*q^3", "start p = 1", NULL },
        { "q^4/4", "p = p", "start p = 1", "near the start" },
        { "q^2/2 + q^4/4", "p = p - s*(q - q^3)", "start p = 1", "near the start" },
        { "q^6/6 + q^2/2", "p = p - s*(q - q^5)", "start p = 1", "away from the start" },
    };

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char text[400];
        modelled x;
        int good;

        snprintf(text, sizeof text, Q1 "part A = p^2/2\npart U = %s\nflow U(s): %s", row[i].part, row[i].flow);
        good = made(&x, text, row[i].start);
        ok(row[i].why ? !good && x.m && strstr(x.message.text, row[i].why) : good, "U = %s, flow %s: %s", row[i].part,
           row[i].flow, x.message.text);
        close_model(&x);
    }
}

/* --- what cannot be ---------------------------------------------------------------------------------------------- */

static void refusals(void)
{
    modelled x;

    ok(!made(&x,
             Q1 "let a = q*p\n"
                "H = p^2/2\n"
                "constraint c = a",
             "") &&
           !x.m && strstr(x.source.message, "positions"),
       "a constraint of momenta under another name");
    close_model(&x);
    ok(!made(&x,
             Q1 "part A = p^2/2\n"
                "flow A(s): q = q - s*p",
             "start p = 1") &&
           x.m && strstr(x.message.text, "not the flow"),
       "a system that cannot be made");
    if (x.m) ok(!lbr_model_system(x.m, &x.message) && strstr(x.message.text, "before"), "a second try is no better");
    close_model(&x);
    wrong_flows();
    if (ok(made(&x,
                Q2 "H = sq(p)/2\n"
                   "constraint c = sq(q) - 1\n"
                   "observe f = multiplier(c)",
                "start q = [1, 0]"),
           "a multiplier that is looked at")) {
        double y[4] = { 1, 0, 0, 1 }, out;

        ok(!lbr_function_call(0, y, &out, (void *)&lbr_model_observed(x.m, 0)->f) && fabs(out - 0.5) < 1e-15,
           "is half of the square of the speed");
    }
    close_model(&x);
}

/* Where the kinetic part depends on t, methods made of drifts and kicks still have their orders. */
static void changing_masses(void)
{
    static const char *const text[] = { "canonical q, p\n"
                                        "H = p^2/2*(1 + sin(3*t)/2) + q^4/4\n"
                                        "start q = 1, p = 0.2",
                                        "state q, p\n"
                                        "partition p\n"
                                        "q' = p*(1 + sin(3*t)/2)\n"
                                        "p' = -q^3\n"
                                        "start q = 1, p = 0.2" };
    static const struct {
        const char *name;
        int order;
    } row[] = { { "stormer-verlet", 2 },
                { "stormer-verlet-b", 2 },
                { "symplectic-euler", 1 },
                { "lobatto-3a-3b:2", 2 },
                { "blanes-moan-4-6", 4 },
                { "yoshida-6-7", 6 },
                { "rk4", 4 } };

    for (int k = 0; k < 2; k++) {
        modelled x;
        double y[2], exact[2] = { 0 };

        if (!ok(made(&x, text[k], ""), "a mass that changes")) continue;
        for (int i = -1; i < (int)(sizeof row / sizeof *row); i++) {
            double error[2] = { NAN, NAN };

            for (int fine = 0; fine < 2; fine++) {
                lbr_plan *plan;
                int64_t n = i < 0 ? 200 : 20 << fine;

                if (!lbr_plan_create(&plan, i < 0 ? "gauss:6" : row[i].name, x.s, NULL) &&
                    !lbr_start(plan, 0, 1 / (double)n, x.m->y0) && !lbr_run(plan, n, 0, NULL, NULL) &&
                    !lbr_read(plan, NULL, y))
                    error[fine] = hypot(y[0] - exact[0], y[1] - exact[1]);
                lbr_plan_free(plan);
            }
            if (i < 0) memcpy(exact, y, sizeof exact);
            else
                ok(fabs(log2(error[0] / error[1]) - row[i].order) < 0.25,
                   "%s has order %d with a mass that changes: %.2f", row[i].name, row[i].order,
                   log2(error[0] / error[1]));
        }
        close_model(&x);
    }
}

int main(void)
{
    changing_masses();
    of_energies(), masses(), of_states(), halves(), dependence(), pieces(), refusals();
    return tap_done();
}
