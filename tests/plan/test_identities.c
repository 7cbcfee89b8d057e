/* test_identities.c - methods that are others by another name; what is known exactly of the simplest: calls, matrices
 * of a step. SPDX-License-Identifier: BSD-3-Clause */
#include "support/analysis.h"
#include "support/tap.h"

/* --- identities -------------------------------------------------------------------------------------------------- */

/* Explicit Euler as code alone; as code with increments; and with its partner. */
static int code_euler(double t, double h, double *y, void *ctx)
{
    double f[4];

    hh_field(t, y, f, ctx);
    for (int i = 0; i < 4; i++) y[i] += h * f[i];
    return 0;
}
static int code_increment(double t, double h, const double *y, double *d, void *ctx)
{
    hh_field(t, y, d, ctx);
    for (int i = 0; i < 4; i++) d[i] *= h;
    return 0;
}
/* Symplectic Euler and its adjoint. */
static int code_kick_drift(double t, double h, double *y, void *ctx)
{
    return hh_kick_flow(t, h, y, ctx), hh_drift_flow(t, h, y, ctx);
}
static int code_drift_kick(double t, double h, double *y, void *ctx)
{
    return hh_drift_flow(t, h, y, ctx), hh_kick_flow(t, h, y, ctx);
}

static const lbr_map_def codes[] = {
    { sizeof *codes, "code", code_euler, NULL, NULL, 1, 0, 0 },
    { sizeof *codes, "code-inc", code_euler, NULL, code_increment, 1, 0, 0 },
    { sizeof *codes, "couple", code_kick_drift, code_drift_kick, NULL, 1, 0, 1 },
};

static problem hh_with_maps(void)
{
    problem p = hh_as("field");

    p.system.maps = codes, p.system.nmaps = sizeof codes / sizeof *codes;
    return p;
}

/* The driven oscillator in parts: the clock goes with the drift. */
static int driven_drift(double t, double s, double *y, void *ctx)
{
    return (void)t, (void)ctx, y[0] = fma(s, y[1], y[0]), 0;
}
static int driven_kick(double t, double s, double *y, void *ctx)
{
    double f;
    return driven_force(t, y, &f, ctx), y[1] = fma(s, f, y[1]), 0;
}
static const lbr_part driven_part[] = { { sizeof(lbr_part), "V", driven_kick, NULL, NULL, NULL, NULL, NULL },
                                        { sizeof(lbr_part), "T", driven_drift, NULL, NULL, NULL, NULL, NULL } };
static const lbr_parts driven_parts = { sizeof(lbr_parts), 2, driven_part, 1 };

static problem driven_in_parts(void)
{
    problem p = driven();

    p.system.parts = &driven_parts;
    return p;
}

static void identities(void)
{
    const problem hh = hh_as("parts"), gradient = hh_as("gradient"), field = hh_as("field"), maps_ = hh_with_maps(),
                  mix = mixed(), body = rigid_body(), drive = driven_in_parts();
    const struct {
        const problem *p;
        const char *a;
        const problem *q;
        const char *b;
    } row[] = {
        { &hh, "compose(strang, explicit-euler)", &hh, "trapezoidal" },
        { &hh, "compose(strang, implicit-euler)", &hh, "midpoint" },
        { &mix, "compose(strang, explicit-euler)", &mix, "trapezoidal" },
        { &mix, "compose(strang, implicit-euler)", &mix, "midpoint" },
        { &mix, "gauss:1", &mix, "midpoint" },
        { &hh, "compose(lie-trotter, rk4)", &hh, "rk4" },
        { &hh, "adjoint(explicit-euler)", &hh, "implicit-euler" },
        { &hh, "adjoint(implicit-euler)", &hh, "explicit-euler" },
        { &hh, "adjoint(adjoint(rk4))", &hh, "rk4" },
        { &mix, "adjoint(adjoint(symplectic-euler))", &mix, "symplectic-euler" },
        { &hh, "adjoint(symplectic-euler)", &hh, "symplectic-euler-b" },
        { &mix, "adjoint(symplectic-euler)", &mix, "symplectic-euler-b" },
        { &hh, "compose(strang, symplectic-euler)", &hh, "stormer-verlet" },
        { &mix, "compose(strang, symplectic-euler)", &mix, "stormer-verlet" },
        { &hh, "compose(strang, symplectic-euler-b)", &hh, "stormer-verlet-b" },
        { &mix, "compose(strang, symplectic-euler-b)", &mix, "stormer-verlet-b" },
        { &hh, "compose(kahan-li-8-17, stormer-verlet-b)", &hh, "kahan-li-8-17" },
        { &hh, "split(strang, V, T)", &hh, "stormer-verlet" },
        { &hh, "split(strang)", &hh, "stormer-verlet-b" },
        { &hh, "split(lie-trotter, V, T)", &hh, "symplectic-euler" },
        { &hh, "split(lie-trotter, T, V)", &hh, "symplectic-euler-b" },
        { &hh, "compose(yoshida-6-7, split(strang, V, T))", &hh, "compose(yoshida-6-7, stormer-verlet)" },
        { &hh, "stormer-two-step", &hh, "stormer-verlet" },
        { &drive, "stormer-two-step", &drive, "stormer-verlet" },
        { &hh, "adjoint(stormer-two-step)", &hh, "stormer-verlet" },
        { &hh, "compose(yoshida-6-7, stormer-two-step)", &hh, "compose(yoshida-6-7, stormer-verlet)" },
        { &drive, "compose(suzuki:4, stormer-two-step)", &drive, "compose(suzuki:4, stormer-verlet)" },
        { &drive, "split(strang, V, T)", &drive, "stormer-verlet" },
        { &drive, "split(strang, T, V)", &drive, "stormer-verlet-b" },
        { &drive, "compose(kahan-li-6-9, split(strang, T, V))", &drive, "kahan-li-6-9" },
        { &body, "adjoint(split(lie-trotter, A, B, C))", &body, "split(lie-trotter, C, B, A)" },
        { &body, "compose(strang, split(lie-trotter, A, B, C))", &body, "split(strang)" },
        { &gradient, "stormer-verlet", &hh, "stormer-verlet" },
        { &gradient, "kahan-li-8-17", &hh, "kahan-li-8-17" },
        { &gradient, "symplectic-euler-b", &hh, "symplectic-euler-b" },
        { &field, "stormer-verlet", &hh, "stormer-verlet" },
        { &field, "yoshida-6-7", &hh, "yoshida-6-7" },
        { &gradient, "gauss:3", &hh, "gauss:3" },
        { &field, "rk4", &hh, "rk4" },
        { &maps_, "code", &hh, "explicit-euler" },
        { &maps_, "adjoint(code)", &hh, "implicit-euler" },
        { &maps_, "adjoint(code-inc)", &hh, "implicit-euler" },
        { &maps_, "adjoint(adjoint(code))", &hh, "explicit-euler" },
        { &maps_, "compose(strang, code)", &hh, "trapezoidal" },
        { &maps_, "compose(strang, couple)", &hh, "stormer-verlet" },
        { &maps_, "adjoint(couple)", &hh, "symplectic-euler-b" },
        { &maps_, "compose(kahan-li-6-9, compose(strang, couple))", &hh, "compose(kahan-li-6-9, stormer-verlet)" },
        { &maps_, "compose(kahan-li-6-9, compose(strang, code))", &hh, "compose(kahan-li-6-9, trapezoidal)" },
    };

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        double a[PROBLEM_DIM], b[PROBLEM_DIM], d = NAN, h = row[i].p->h, moved;

        if (!problem_run(row[i].p, row[i].a, NULL, h, 20, a) && !problem_run(row[i].q, row[i].b, NULL, h, 20, b))
            d = distance(row[i].p->system.dim, a, b);
        moved = distance(row[i].p->system.dim, a, row[i].p->y);
        ok(d <= 2e-14 && moved > 0.01, "%s (%s) is %s (%s): they differ by %.2g in 20 steps", row[i].a,
           row[i].p->system.name, row[i].b, row[i].q->system.name, d);
    }
}

/* q_{n+1} - 2 q_n + q_{n-1} = h^2 f(q_n) (HLW I.1.15) for all forms of Verlet; for the second in the middles of the
 * drifts. */
static void two_step(void)
{
    static const char *const name[] = { "stormer-verlet", "stormer-verlet-b", "stormer-two-step" };

    for (int m = 0; m < 3; m++) {
        problem p = henon_heiles();
        double y[4], q[3][2], f[2], d = 0, h = p.h;
        lbr_plan *plan = plan_of(&p, name[m], NULL);

        lbr_start(plan, 0, h, p.y);
        for (int n = 0; n < 50; n++) {
            if (n) lbr_run(plan, 1, 0, NULL, NULL);
            lbr_read(plan, NULL, y);
            for (int i = 0; i < 2; i++) q[n % 3][i] = m == 1 ? y[i] + h / 2 * y[2 + i] : y[i];
            if (n < 2) continue;
            hh_force(0, q[(n - 1) % 3], f, NULL);
            for (int i = 0; i < 2; i++)
                d = fmax(d, fabs(q[n % 3][i] - 2 * q[(n - 1) % 3][i] + q[(n - 2) % 3][i] - h * h * f[i]));
        }
        ok(d < 1e-15, "%s satisfies the two-step formula, HLW I.1.15, to %.2g", name[m], d);
        lbr_plan_free(plan);
    }
}

/* What is rounded in each step: Kepler over [0, 100] against the same steps in twice the precision (HLW I, exercise 8).
 */
static void round_off(void)
{
    static const struct {
        const char *method, *options;
        double low, high;
    } row[] = { { "stormer-verlet", "", 0, 3e-11 },
                { "stormer-two-step", "", 3e-10, 1e-8 },
                { "stormer-two-step", "compensated=yes", 0, 3e-11 } };
    problem p = kepler();
    lbr_dd y[4], g[1] = { dd(1) };
    int n = 100000;

    for (int i = 0; i < 4; i++) y[i] = dd(p.y[i]);
    for (int k = 0; k < n; k++) exact_step(y, g, 1, 0.001);
    for (int i = 0; i < 3; i++) {
        lbr_options o = options_of(row[i].options);
        double x[4] = { NAN }, want[4], d;

        for (int l = 0; l < 4; l++) want[l] = dd_double(y[l]);
        d = problem_run(&p, row[i].method, &o, 0.001, n, x) ? NAN : distance(2, x, want);
        ok(d >= row[i].low && d <= row[i].high, "%s %s: round-off of %.1e after %d steps on Kepler", row[i].method,
           row[i].options, d, n);
    }
}

/* Inside a composition the low parts of positions go from step to step; momenta are rounded, which in so short a time
 * moves nothing. */
static void low_parts(void)
{
    lbr_options yes = options_of("compensated=yes");
    problem p = { henon_heiles().system, .y = { 0.3, 0.4, 0.5, 0.6 } };
    double a[4], b[4], c[4], d = NAN, without = NAN;

    if (!problem_run(&p, "compose(suzuki:4, stormer-verlet)", &yes, 1e-7, 20000, a)) {
        if (!problem_run(&p, "compose(suzuki:4, stormer-two-step)", &yes, 1e-7, 20000, b))
            d = fmax(fabs(a[0] - b[0]), fabs(a[1] - b[1]));
        if (!problem_run(&p, "compose(suzuki:4, stormer-two-step)", NULL, 1e-7, 20000, c))
            without = fmax(fabs(a[0] - c[0]), fabs(a[1] - c[1]));
    }
    ok(d <= 1e-15 && without > 1e-12,
       "100000 small steps of stormer-two-step in a composition: compensated, positions are those of stormer-verlet to "
       "%.1e, else to %.1e",
       d, without);
}

/* Masses, and what it does not take. */
static void two_step_fits(void)
{
    problem p = solar_system(), other = mixed();
    double a[PROBLEM_DIM], b[PROBLEM_DIM], d = NAN;
    lbr_status status;
    lbr_plan *plan;

    if (!problem_run(&p, "stormer-two-step", NULL, p.h, 20, a) && !problem_run(&p, "stormer-verlet", NULL, p.h, 20, b))
        d = distance(p.system.dim, a, b) / largest(p.system.dim, b);
    ok(d < 1e-14, "stormer-two-step (%s) is stormer-verlet: they differ by %.2g in 20 steps", p.system.name, d);
    status = lbr_plan_create(&plan, "stormer-two-step", &other.system, NULL);
    ok(status == LBR_EUNFIT && strstr(lbr_plan_message(plan), "inverse_mass"), "%s", lbr_plan_message(plan));
    lbr_plan_free(plan);
}

/* --- linear stability, HLW I.5 ----------------------------------------------------------------------------------- */

static double grown(const char *method, double h, int n)
{
    problem p = oscillator();
    double y[2];

    return problem_run(&p, method, NULL, h, n, y) ? NAN : y[0] * y[0] + y[1] * y[1];
}

static void stability(void)
{
    static const char *const limited[] = { "stormer-verlet", "stormer-verlet-b", "symplectic-euler",
                                           "symplectic-euler-b" };
    static const double z = 1.5, want[4] = { 1 - 1.125, 1.5, -1.5 * (1 - 2.25 / 4), 1 - 1.125 };
    problem p = oscillator();
    lbr_plan *plan = plan_of(&p, "stormer-verlet", NULL);
    double D[4];

    for (int i = 0; i < 4; i++) {
        double below = grown(limited[i], 1.99, 2000), above = grown(limited[i], 2.01, 200);
        ok(below < 1e4 && above > 1e10,
           "%s is stable for h w = 1.99, |y|^2 = %.2g after 2000 steps, but not for 2.01: %.2g after 200", limited[i],
           below, above);
    }
    jacobian(plan, 2, 0, z, p.y, D);
    ok(distance(4, D, want) < 1e-12, "the matrix of Verlet at h w = 1.5: trace %.15g for 2 - z^2, determinant %.15g",
       D[0] + D[3], D[0] * D[3] - D[1] * D[2]);
    near(grown("explicit-euler", 0.1, 100), pow(1.01, 100), 1e-12, "explicit Euler: |y|^2 grows as (1 + h^2)^n");
    near(grown("implicit-euler", 0.1, 100), pow(1.01, -100), 1e-13, "implicit Euler: it falls as (1 + h^2)^-n");
    near(grown("midpoint", 10, 1000), 1, 1e-12, "midpoint: constant, even for h w = 10");
    near(grown("gauss:3", 10, 1000), 1, 1e-12, "gauss:3: the same");
    lbr_plan_free(plan);
}

/* --- calls ------------------------------------------------------------------------------------------------------- */

static void forces(void)
{
    static const struct {
        const char *name;
        int each, once, read;
    } row[] = {
        { "symplectic-euler", 1, 1, 0 },
        { "symplectic-euler-b", 1, 0, 0 },
        { "stormer-verlet", 1, 1, 0 },
        { "stormer-two-step", 1, 0, 1 },
        { "stormer-verlet-b", 1, 0, 0 },
        { "adjoint(stormer-verlet)", 1, 1, 0 },
        { "explicit-euler", 1, 0, 0 },
        { "rk4", 4, 0, 0 },
        { "triple-jump:4", 3, 0, 0 },
        { "suzuki:10", 625, 0, 0 },
        { "yoshida-6-7", 7, 0, 0 },
        { "kahan-li-6-9", 9, 0, 0 },
        { "suzuki-yoshida-8-15", 15, 0, 0 },
        { "kahan-li-8-17", 17, 0, 0 },
        { "compose(kahan-li-8-17, stormer-verlet)", 17, 1, 0 },
        { "sofroniou-spaletta-10-35", 35, 0, 0 },
        { "process(effective-6-9, effective-6-9-processor)", 9, 6, 6 },
        { "process(compose(effective-6-9, stormer-verlet), effective-6-9-processor)", 9, 8, 7 },
    };

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        counter c;
        problem p = counted(henon_heiles(), &c);
        lbr_plan *plan = plan_of(&p, row[i].name, NULL);
        int64_t stepping, n = 300;

        lbr_start(plan, 0, 0.05, p.y);
        c.force = 0;
        lbr_run(plan, n, 0, NULL, NULL);
        stepping = c.force;
        lbr_read(plan, NULL, p.y);
        ok(lbr_plan_stats(plan)->force == row[i].each * n + row[i].once && stepping == row[i].each * n + row[i].once &&
               c.force == stepping + row[i].read,
           "%s: %lld forces in %lld steps, %lld to read", row[i].name, (long long)stepping, (long long)n,
           (long long)(c.force - stepping));
        lbr_plan_free(plan);
    }
}

int main(void)
{
    identities();
    two_step();
    round_off();
    low_parts();
    two_step_fits();
    stability();
    forces();
    return tap_done();
}
