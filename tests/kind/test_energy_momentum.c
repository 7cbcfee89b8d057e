/* test_energy_momentum.c - LaBudde and Greenspan's method, the modified midpoint rule, and potentials that are sums
 * over distances. SPDX-License-Identifier: BSD-3-Clause */
#include "support/discrete.h"

#define METHOD "labudde-greenspan"

/* --- given in C: three particles in the plane with masses, V = -m m/sqrt(r^2 + 1/4) + r^2/9 ---------------------- */

static const double weight[] = { 1, 0.5, 2 }, inverse[] = { 1, 1, 2, 2, 0.5, 0.5 };
static const int64_t first[] = { 0, 0, 2 }, second[] = { 2, 4, 4 };

static double potential(int k, double r)
{
    return -weight[first[k] / 2] * weight[second[k] / 2] / sqrt(r * r + 0.25) + r * r / 9;
}

static double apart(const double *q, int k)
{
    return hypot(q[first[k]] - q[second[k]], q[first[k] + 1] - q[second[k] + 1]);
}

static int three_energy(double t, const double *y, double *H, void *ctx)
{
    (void)t, (void)ctx;
    *H = 0;
    for (int i = 0; i < 6; i++) *H += inverse[i] * y[6 + i] * y[6 + i] / 2;
    for (int k = 0; k < 3; k++) *H += potential(k, apart(y, k));
    return 0;
}

/* dV/ds with s = r^2: m m/(2 (s + 1/4)^(3/2)) + 1/9. */
static int three_slopes(double t, const double *s, double *out, void *ctx)
{
    (void)t, (void)ctx;
    for (int k = 0; k < 3; k++)
        out[k] = weight[first[k] / 2] * weight[second[k] / 2] / (2 * (s[k] + 0.25) * sqrt(s[k] + 0.25)) + 1.0 / 9;
    return 0;
}

static int three_force(double t, const double *q, double *f, void *ctx)
{
    double s[3], w[3];

    for (int k = 0; k < 3; k++) s[k] = apart(q, k) * apart(q, k);
    three_slopes(t, s, w, ctx);
    memset(f, 0, 6 * sizeof *f);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 2; i++) {
            double x = 2 * w[k] * (q[first[k] + i] - q[second[k] + i]);

            f[first[k] + i] -= x, f[second[k] + i] += x;
        }
    return 0;
}

static const lbr_pairs three_pairs = { sizeof(lbr_pairs), 3, 2, first, second, three_slopes };

static problem three(void)
{
    return (problem){ LBR_SYSTEM(.name = "three", .dim = 12, .nq = 6, .force = three_force, .inverse_mass = inverse,
                                 .energy = three_energy, .pairs = &three_pairs),
                      .h = 0.05, .y = { 1, 0.2, -0.8, 0.5, 0.1, -1, 0.1, 0.6, -0.3, -0.2, 0.2, -0.4 } };
}

/* HLW V.5.5, V.5.6 as they are printed, as a discrete gradient. */
static void printed(const problem *p, const double *y, const double *y1, double *out)
{
    memset(out, 0, 12 * sizeof *out);
    for (int k = 0; k < 3; k++) {
        double r = apart(y, k), r1 = apart(y1, k),
               sigma = -(potential(k, r1) - potential(k, r)) / (r1 - r) / ((r + r1) / 2);

        for (int i = 0; i < 2; i++) {
            double x = sigma * ((y[first[k] + i] + y1[first[k] + i]) / 2 - (y[second[k] + i] + y1[second[k] + i]) / 2);

            out[first[k] + i] -= x, out[second[k] + i] += x;
        }
    }
    for (int i = 0; i < 6; i++) out[6 + i] = inverse[i] * (y[6 + i] + y1[6 + i]) / 2;
    (void)p;
}

/* P and L. */
static void momenta(const double *y, double *m)
{
    memset(m, 0, 3 * sizeof *m);
    for (int i = 0; i < 3; i++) {
        m[0] += y[6 + 2 * i], m[1] += y[7 + 2 * i];
        m[2] += y[2 * i] * y[7 + 2 * i] - y[2 * i + 1] * y[6 + 2 * i];
    }
}

static void given(void)
{
    problem p = three();
    double off = formula_off(&p, METHOD, 0.1, printed), exact[PROBLEM_DIM], before[3], now[3], y[12], worst = 0, a;
    lbr_plan *plan = plan_of(&p, METHOD, NULL);
    slope s;

    ok(off < 2e-14, "the formula as it is printed, to %.1e", off);
    ok(formula_off(&p, "discrete-gradient(gonzalez)", 0.1, printed) > 1e-7 &&
           formula_off(&p, "midpoint", 0.1, printed) > 1e-7,
       "which no other method has");
    ok(energy_drift(&p, METHOD, 0.1, 2000) < 2e-14, "H is kept to %.1e", energy_drift(&p, METHOD, 0.1, 2000));
    momenta(p.y, before), memcpy(y, p.y, sizeof y);
    for (int k = 0; k < 2000; k++)
        step(plan, 12, 0, 0.1, y), momenta(y, now), a = distance(3, before, now), worst = a <= worst ? worst : a;
    ok(worst < 2e-14, "momentum and angular momentum to %.1e", worst);
    lbr_plan_free(plan);
    reference(&p, 0.4, 64, exact);
    s = slope_of(&p, METHOD, NULL, 0.4, exact, 2, 1e-9, 500);
    ok(fabs(s.order - 2) < 0.1, "order %.3f", s.order);
    s = slope_of(&p, "compose(suzuki:4, " METHOD ")", NULL, 0.4, exact, 4, 1e-11, 200);
    ok(fabs(s.order - 4) < 0.3, "of a composition %.3f", s.order);
    ok(asymmetry(&p, METHOD, NULL, 0.1) < 1e-13, "symmetric, to %.1e", asymmetry(&p, METHOD, NULL, 0.1));
}

/* --- in models --------------------------------------------------------------------------------------------------- */

/* Kepler, e = 0.6, T = 7.5 (measured independently): the errors of 250, 500 and 1000 steps. */
static void published(void)
{
    static const double want[] = { 9.77e-3, 2.46e-3, 6.15e-4 };
    modelled x;
    problem p = { .h = 0.03 };
    double exact[4], e[3];

    if (!ok(open_model(&x, "kepler"), "the Kepler problem")) return;
    p.system = *x.s, memcpy(p.y, x.m->y0, 4 * sizeof *p.y);
    reference(&p, 7.5, 750, exact);
    for (int k = 0; k < 3; k++) {
        double y[4], d = 0;

        ok(!problem_run(&p, METHOD, NULL, 7.5 / (250 << k), 250 << k, y), "%d steps", 250 << k);
        for (int i = 0; i < 4; i++) d += (y[i] - exact[i]) * (y[i] - exact[i]);
        e[k] = sqrt(d);
        ok(fabs(e[k] / want[k] - 1) < 0.01 || fabs(distance(4, y, exact) / want[k] - 1) < 0.01 ||
               fabs(hypot(y[0] - exact[0], y[1] - exact[1]) / want[k] - 1) < 0.01,
           "error %.3e (all), %.3e (largest), %.3e (positions) for %.2e", e[k], distance(4, y, exact),
           hypot(y[0] - exact[0], y[1] - exact[1]), want[k]);
    }
    near(log2(e[1] / e[2]), 1.998, 0.004, "order");
    ok(energy_drift(&p, METHOD, 0.0075, 1000) < 6e-15, "H to %.1e", energy_drift(&p, METHOD, 0.0075, 1000));
    for (int k = 0; k < 2; k++) {
        double y[4], z[4];

        ok(!problem_run(&p, METHOD, NULL, 0.1, 50, y) && !problem_run(&p, "modified-midpoint", NULL, 0.1, 50, z) &&
               !memcmp(y, z, sizeof y),
           "modified-midpoint is the same here");
    }
    close_model(&x);
}

/* What is found, and what is not: -1 none; else the number of pairs. */
static void found(void)
{
    static const struct {
        const char *text;
        int pairs, space;
    } row[] = {
        { "canonical q[3], p[3]\nH = sq(p)/2 - 1/norm(q)\n", 1, 3 },
        { "canonical q[2], p[2]\nH = sq(p)/2 + sq(q)/2 + 1/sq(q) - 1/norm(q)\n", 1, 2 },
        { "canonical q[3,2], p[3,2]\n"
          "H = sq(p)/2 - sum(i = 2..3, j = 1..i-1, 1/sqrt(sq(q[i] - q[j]) + 0.01)) + sum(i = 1..3, sq(q[i]))/7\n",
          6, 2 },
        { "canonical q[3,2], p[3,2]\n"
          "let V(r) = 4*(r^-12 - r^-6)\n"
          "H = sq(p)/3 + sum(i = 1..3, j = i+1..3, V(norm(q[j] - q[i])))\n",
          3, 2 },
        { "canonical a[3], pa[3], b[3], pb[3]\nH = sq(pa)/2 + sq(pb)/4 - 1/norm(a - b)\n", 1, 3 },
        { "canonical q, p\nH = p^2/2 + q^4/4\n", 1, 1 },
        { "canonical q[2], p[2]\nH = sq(p)/2 + q[1]^2 + 2*q[2]^2 + q[1]^4 + q[2]^4\n", 2, 1 },
        { "canonical q, p\nH = p^2/2 + q^3/3\n", -1, 0 },
        { "canonical q[2], p[2]\nH = sq(p)/2 - 1/norm(q) + q[1]/10\n", -1, 0 },
        { "canonical q[2], p[2]\nH = sq(p)/2 - 1/sqrt(q[1]^2 + 2*q[2]^2)\n", -1, 0 },
        { "canonical q[2], p[2]\nH = sq(p)/2 - 1/norm(q) + q[1]*p[1]/9\n", -1, 0 },
        { "canonical q[2], p[2]\nH = sq(p)/2 - norm(q)*norm(q - [1, 0])\n", -1, 0 },
        { "canonical q[2], p[2]\nH = sq(p)/2 - (1 + t)/norm(q)\n", -1, 0 },
        { "canonical q[3,2], p[3,2]\nH = sq(p)/2 + norm(q[1] - q[2])*norm(q[2] - q[3])\n", -1, 0 },
    };

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char text[400];
        modelled x;
        int is = -2;

        snprintf(text, sizeof text, "%sstart %s\n", row[i].text,
                 strstr(row[i].text, "canonical a") ? "a = [1, 0, 0.1], b = [0, 0.3, 0]"
                 : strstr(row[i].text, "q[3,2]")    ? "q = [[0, 0], [1, 0.1], [0.3, 1]]"
                 : strstr(row[i].text, "q[3]")      ? "q = [1, 0, 0.1]"
                 : strstr(row[i].text, "q[2]")      ? "q = [0.5, 0.1]"
                                                    : "q = 1");
        if (open_text(&x, text)) is = x.s->pairs ? (int)x.s->pairs->count : -1;
        ok(is == row[i].pairs && (is < 0 || x.s->pairs->space == row[i].space), "model %zu has %d pairs, for %d", i + 1,
           is, row[i].pairs);
        close_model(&x);
    }
}

/* Slopes give the forces. */
static void slopes_and_forces(void)
{
    modelled x;
    double f[6], g[6] = { 0 }, s[12] = { 0 }, w[12];

    if (!ok(open_text(&x, "canonical q[3,2], p[3,2]\n"
                          "param m = [1, 2, 3]\n"
                          "H = sum(i = 1..3, sq(p[i])/(2*m[i])) - sum(i = 2..3, j = 1..i-1, m[i]*m[j]/norm(q[i] - "
                          "q[j])) + sum(i = 1..3, exp(-sq(q[i])))\n"
                          "start q = [[0.1, 0.4], [1, 0.1], [0.3, 1]]\n") &&
                x.s->pairs && x.s->pairs->count == 6,
            "masses and a fixed centre"))
        return;
    for (int k = 0; k < 6; k++) {
        const double *q = x.m->y0, *a = q + x.s->pairs->first[k],
                     *b = x.s->pairs->second[k] < 0 ? NULL : q + x.s->pairs->second[k];

        s[k] = pow(a[0] - (b ? b[0] : 0), 2) + pow(a[1] - (b ? b[1] : 0), 2);
    }
    x.s->force(0, x.m->y0, f, x.s->ctx), x.s->pairs->slopes(0, s, w, x.s->ctx);
    for (int k = 0; k < 6; k++)
        for (int i = 0; i < 2; i++) {
            int64_t a = x.s->pairs->first[k] + i, b = x.s->pairs->second[k] + i;
            double d = 2 * w[k] * (x.m->y0[a] - (x.s->pairs->second[k] < 0 ? 0 : x.m->y0[b]));

            g[a] -= d;
            if (x.s->pairs->second[k] >= 0) g[b] += d;
        }
    ok(distance(6, f, g) < 1e-14, "the slopes of all pairs make the force, to %.1e", distance(6, f, g));
    close_model(&x);
}

/* --- what is refused --------------------------------------------------------------------------------------------- */

static lbr_status made(const char *method, const lbr_system *s, char *text)
{
    lbr_plan *plan;
    lbr_status status = lbr_plan_create(&plan, method, s, NULL);

    strcpy(text, lbr_plan_message(plan));
    lbr_plan_free(plan);
    return status;
}

static int no_slopes(double t, const double *s, double *out, void *ctx)
{
    return (void)t, (void)s, (void)out, (void)ctx, 3;
}

static void refused(void)
{
    static const int64_t far[] = { 0, 0, 5 }, itself[] = { 0, 0, 4 };
    lbr_pairs bad[] = { { sizeof(lbr_pairs), 3, 2, far, second, three_slopes },
                        { sizeof(lbr_pairs), 3, 2, itself, second, three_slopes },
                        { sizeof(lbr_pairs), 3, 0, first, second, three_slopes },
                        { sizeof(lbr_pairs), 3, 2, first, NULL, three_slopes },
                        { sizeof(lbr_pairs), 3, 7, first, second, three_slopes },
                        { sizeof(lbr_pairs), 3, 2, first, second, no_slopes } };
    problem p = three(), h = henon_heiles();
    double y[12];
    char text[600];
    lbr_plan *plan;

    for (int i = 0; i < 5; i++)
        p.system.pairs = &bad[i], ok(made(METHOD, &p.system, text) == LBR_EARG && strstr(text, "pair"), "%s", text);
    ok(made(METHOD, &h.system, text) == LBR_EUNFIT && strstr(text, "discrete-gradient(mean)"), "no pairs: %s", text);
    p = three();
    ok(made("modified-midpoint", &p.system, text) == LBR_EUNFIT && strstr(text, "labudde-greenspan"),
       "more than one: %s", text);
    p.system.pairs = &bad[5], plan = plan_of(&p, METHOD, NULL), memcpy(y, p.y, sizeof y);
    ok(plan && lbr_map(plan, 0, 0.1, y) == LBR_ECALLBACK && !memcmp(y, p.y, sizeof y), "slopes that fail: %s",
       lbr_plan_message(plan));
    lbr_plan_free(plan);
}

int main(void)
{
    given(), published(), found(), slopes_and_forces(), refused();
    return tap_done();
}
