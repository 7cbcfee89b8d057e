/* test_solver.c - implicit equations, solved to round-off or reported; sums with the lost parts kept.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support/analysis.h"
#include "support/tap.h"

/* A run with options given as text; y and the counts at its end. */
typedef struct result {
    lbr_status status;
    lbr_stats stats;
    int64_t count;
    double t, y[PROBLEM_DIM];
    char message[600];
} result;

static result run(const problem *p, const char *method, const char *options, double h, int64_t n)
{
    lbr_options o = options_of(options);
    result r = { .status = LBR_EARG };
    lbr_plan *plan = plan_of(p, method, &o);

    if (!plan) return r;
    r.status = lbr_start(plan, p->t0, h, p->y);
    if (!r.status) r.status = lbr_run(plan, n, 0, NULL, NULL);
    snprintf(r.message, sizeof r.message, "%s", lbr_plan_message(plan));
    r.stats = *lbr_plan_stats(plan);
    r.count = lbr_state_count(lbr_plan_state(plan));
    if (lbr_read(plan, &r.t, r.y)) r.y[0] = NAN;
    lbr_plan_free(plan);
    return r;
}

/* The larger of the distances in q and in p, each relative to the size of its block. */
static double relative(const lbr_system *s, const double *a, const double *b)
{
    int64_t m = s->nq ? s->nq : s->dim;
    double d = distance(m, a, b) / largest(m, b);

    return s->nq ? fmax(d, distance(m, a + m, b + m) / largest(m, b + m)) : d;
}

/* --- the solvers agree ------------------------------------------------------------------------------------------- */

static int code_step(double t, double h, double *y, void *ctx)
{
    double f[4];

    hh_field(t, y, f, ctx);
    for (int i = 0; i < 4; i++) y[i] += h * f[i];
    return 0;
}
static const lbr_map_def code[] = { { sizeof(lbr_map_def), "code", code_step, NULL, NULL, 1, 0, 0 } };

static problem hh_with_code(void)
{
    problem p = hh_as("field");

    p.system.maps = code, p.system.nmaps = 1;
    return p;
}

static void agreement(void)
{
    const struct {
        problem p;
        const char *method;
    } row[] = {
        { henon_heiles(), "implicit-euler" },
        { henon_heiles(), "midpoint" },
        { henon_heiles(), "trapezoidal" },
        { henon_heiles(), "gauss:4" },
        { kepler(), "gauss:6" },
        { relativistic(), "gauss:2" },
        { mixed(), "gauss:3" },
        { mixed(), "symplectic-euler" },
        { mixed(), "stormer-verlet-b" },
        { mixed(), "kahan-li-8-17" },
        { pushed(), "stormer-verlet" },
        { rigid_body(), "midpoint" },
        { rigid_body(), "compose(suzuki:4, midpoint)" },
        { rigid_body(), "gauss:16" },
        { driven(), "gauss:2" },
        { riccati(), "trapezoidal" },
        { hh_with_code(), "adjoint(code)" },
        { solar_system(), "gauss:2" },
    };

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const problem *p = &row[i].p;
        result a = run(p, row[i].method, "solver=fixed-point", p->h, 10),
               b = run(p, row[i].method, "solver=newton", p->h, 10);
        result c = run(p, row[i].method, "", p->h, 10);
        double d = relative(&p->system, b.y, a.y);

        ok(!a.status && !b.status && d < 2e-14, "%s on %s: fixed point and Newton agree to %.2g", row[i].method,
           p->system.name, d);
        ok(a.stats.jacobian == 0 && b.stats.jacobian > 0 && !memcmp(a.y, c.y, sizeof a.y) && c.stats.jacobian == 0,
           "... with %lld and %lld iterations, %lld Jacobians; by itself it stays with the fixed point",
           (long long)a.stats.iterations, (long long)b.stats.iterations, (long long)b.stats.jacobian);
    }
}

static int64_t products;
static int counted_jvp(double t, const double *y, const double *v, double *out, void *ctx)
{
    return products++, body_jvp(t, y, v, out, ctx);
}

/* The system's own products, or differences; in a step of something larger too. */
static void jacobians(void)
{
    static const char *const method[] = { "midpoint", "gauss:3", "compose(suzuki:4, midpoint)" };

    for (int i = 0; i < 3; i++) {
        problem p = rigid_body();
        result a, b, c;
        int64_t used;

        p.system.field_jvp = counted_jvp;
        products = 0;
        a = run(&p, method[i], "solver=newton jacobian=differences", 0.1, 30);
        ok(!a.status && products == 0 && a.stats.jacobian > 0, "%s: with differences no product is asked for",
           method[i]);
        b = run(&p, method[i], "solver=newton jacobian=user", 0.1, 30);
        used = products;
        ok(!b.status && used == 3 * b.stats.jacobian, "... with the system's: %lld products for %lld Jacobians",
           (long long)used, (long long)b.stats.jacobian);
        c = run(&p, method[i], "solver=newton", 0.1, 30);
        ok(!c.status && !memcmp(b.y, c.y, sizeof b.y), "... which is what happens by itself");
        ok(distance(3, a.y, b.y) < 1e-14, "... and the result is the same to %.2g", distance(3, a.y, b.y));
        ok(a.stats.field > b.stats.field, "... for %lld calls instead of %lld", (long long)b.stats.field,
           (long long)a.stats.field);
    }
}

/* --- stiff: fixed-point iteration cannot do it ------------------------------------------------------------------- */

static int decay_field(double t, const double *y, double *f, void *ctx)
{
    return (void)ctx, f[0] = -1000 * (y[0] - cos(t)), 0;
}
static int vdp_field(double t, const double *y, double *f, void *ctx)
{
    return (void)t, (void)ctx, f[0] = y[1], f[1] = 50 * (1 - y[0] * y[0]) * y[1] - y[0], 0;
}
static int robertson_field(double t, const double *y, double *f, void *ctx) /* HLW IV.1.4 */
{
    double a = 0.04 * y[0], b = 1e4 * y[1] * y[2], c = 3e7 * y[1] * y[1];

    (void)t, (void)ctx;
    f[0] = b - a, f[1] = a - b - c, f[2] = c;
    return 0;
}

static void stiff(void)
{
    const struct {
        problem p;
        const char *method;
        double h;
        int64_t n;
    } row[] = {
        { { LBR_SYSTEM(.name = "decay", .dim = 1, .field = decay_field), .y = { 0 } }, "implicit-euler", 0.05, 40 },
        { { LBR_SYSTEM(.name = "decay", .dim = 1, .field = decay_field), .y = { 0 } }, "midpoint", 0.05, 40 },
        { { LBR_SYSTEM(.name = "decay", .dim = 1, .field = decay_field), .y = { 0.5 } }, "gauss:3", 0.05, 40 },
        { { LBR_SYSTEM(.name = "decay", .dim = 1, .field = decay_field), .y = { 0.5 } },
          "compose(suzuki:4, midpoint)",
          0.05,
          40 },
        { { LBR_SYSTEM(.name = "van-der-pol", .dim = 2, .field = vdp_field), .y = { 2, 0 } }, "trapezoidal", 0.05, 40 },
        { { LBR_SYSTEM(.name = "van-der-pol", .dim = 2, .field = vdp_field), .y = { 2, 0 } }, "gauss:4", 0.05, 40 },
        { { LBR_SYSTEM(.name = "robertson", .dim = 3, .field = robertson_field),
            .y = { 0.98517, 3.3864e-5, 1.4794e-2 } },
          "gauss:2",
          0.01,
          40 },
        { { LBR_SYSTEM(.name = "robertson", .dim = 3, .field = robertson_field),
            .y = { 0.98517, 3.3864e-5, 1.4794e-2 } },
          "implicit-euler",
          0.01,
          40 },
    };

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const problem *p = &row[i].p;
        result f = run(p, row[i].method, "solver=fixed-point", row[i].h, row[i].n),
               a = run(p, row[i].method, "", row[i].h, row[i].n);
        result b = run(p, row[i].method, "solver=newton", row[i].h, row[i].n);

        ok(f.status == LBR_ENOCONV && f.count < row[i].n && f.stats.jacobian == 0, "%s on %s: fixed point fails (%s)",
           row[i].method, p->system.name, f.message);
        ok(!a.status && !b.status && a.stats.jacobian > 0,
           "... auto goes over to Newton: %lld iterations, %lld Jacobians in %lld steps (Newton alone: %lld, %lld)%s",
           (long long)a.stats.iterations, (long long)a.stats.jacobian, (long long)row[i].n,
           (long long)b.stats.iterations, (long long)b.stats.jacobian, a.status ? a.message : "");
        ok(a.status || !a.message[0], "... and there is nothing to complain about: \"%s\"", a.message);
        ok(relative(&p->system, a.y, b.y) < 1e-12, "... both with the same result, to %.2g",
           relative(&p->system, a.y, b.y));
        ok(b.stats.iterations < 14 * row[i].n * (strstr(row[i].method, "compose") ? 5 : 1),
           "... in few iterations each");
    }
}

/* Stages that begin at y + h f(y) may overflow where stiff forces are strong; those that begin at y do not (and a NaN
 * is no end of an iteration, whatever comes after it). The equation of the step has to hold. */
static void far_beginnings(void)
{
    const struct {
        lbr_fn field;
        double y[3], h;
        int64_t n;
    } row[] = { { robertson_field, { 1, 0, 0 }, 0.01, 3 },
                { robertson_field, { 1, 0, 0 }, 1, 3 },
                { vdp_field, { 2, -40 }, 0.2, 2 } };
    static const char *const words[] = { "solver=newton", "", "solver=newton starting_values=two-step",
                                         "solver=newton starting_values=field" };

    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 4; k++) {
            lbr_system s = LBR_SYSTEM(.name = "far", .dim = row[i].n, .field = row[i].field);
            lbr_options o = options_of(words[k]);
            double y[3] = { 0 }, f[3], off = 0;
            lbr_plan *p;
            int bad = lbr_plan_create(&p, "implicit-euler", &s, &o) || lbr_start(p, 0, row[i].h, row[i].y) ||
                      lbr_run(p, 1, 0, NULL, NULL) || lbr_read(p, NULL, y);

            row[i].field(0, y, f, NULL);
            for (int l = 0; l < row[i].n; l++)
                off = fmax(off, fabs(y[l] - row[i].y[l] - row[i].h * f[l]) / (1 + fabs(row[i].h * f[l])));
            ok(!bad && off < 1e-10, "%s, system %d, h = %g: a far beginning, residual %.2g%s%s", words[k], i, row[i].h,
               off, bad ? ": " : "", bad ? lbr_plan_message(p) : "");
            lbr_plan_free(p);
        }
}

static void stiff_values(void)
{
    problem d = { LBR_SYSTEM(.name = "decay", .dim = 1, .field = decay_field), .y = { 0 } };
    problem r = { LBR_SYSTEM(.name = "robertson", .dim = 3, .field = robertson_field), .y = { 1, 0, 0 } };
    result a = run(&d, "implicit-euler", "", 0.1, 20), b = run(&r, "gauss:3", "", 0.001, 4000);
    double y = 0;

    for (int n = 1; n <= 20; n++) y = (y + 100 * cos(0.1 * n)) / 101;
    near(a.y[0], y, 1e-14, "implicit Euler on y' = -1000 (y - cos t): the recursion written out");
    near(b.y[0] + b.y[1] + b.y[2], 1, 1e-14,
         "Robertson's reaction: every Runge-Kutta method keeps the mass (HLW IV.1.5)");
    near(b.y[0], 9.0552e-1, 1e-5, "... and y1(4) = 0.90552");
    near(b.y[1], 2.2405e-5, 1e-9, "... y2(4) = 2.2405e-5");
}

/* --- no solution: the Riccati step of HLW Fig. II.1.2 ------------------------------------------------------------ */

static int names_residual(const char *text)
{
    return strstr(text, "residual") || strstr(text, "change") || strstr(text, "not finite");
}

static void no_solution(void)
{
    static const char *const solver[] = { "solver=auto", "solver=fixed-point", "solver=newton" }, *const method[] = {
        "trapezoidal", "midpoint", "compose(strang, explicit-euler)"
    };
    problem p = riccati();
    result r = run(&p, "rk4", "", 1, 1);

    near(r.y[0], 1.38710585, 5e-9, "y' = t^2 + y^2, h = 1: RK4 gives 1.38710585 (HLW Fig. II.1.2)");
    for (int m = 0; m < 3; m++)
        for (int s = 0; s < 3; s++) {
            lbr_options o = options_of(solver[s]);
            lbr_plan *plan = plan_of(&p, method[m], &o);
            double y = 0.46;

            r = run(&p, method[m], solver[s], 1, 1);
            ok(r.status == LBR_ENOCONV, "%s has no solution there (%s): %s", method[m], solver[s], r.message);
            ok(strstr(r.message, "step 1 ") && strstr(r.message, "t = 0") && names_residual(r.message),
               "... the message names step, time and residual");
            ok(r.count == 0 && r.t == 0 && r.y[0] == 0.46, "... and the state is where it was");
            ok(lbr_map(plan, 0, 1, &y) == LBR_ENOCONV && y == 0.46, "... the same for a single map");
            lbr_plan_free(plan);
        }
}

/* The solution leaves through infinity near t = 2: some step has no solution; until there everything is as it was. */
static void until_then(void)
{
    problem p = riccati();
    lbr_options o = options_of("");
    lbr_plan *plan = plan_of(&p, "midpoint", &o);
    lbr_status status = lbr_start(plan, 0, 0.125, p.y);
    int64_t done;
    result r;
    double t, y;
    char want[40];

    if (!status) status = lbr_run(plan, 1000, 0, NULL, NULL);
    done = lbr_state_count(lbr_plan_state(plan));
    lbr_read(plan, &t, &y);
    snprintf(want, sizeof want, "step %lld ", (long long)done + 1);
    ok(status == LBR_ENOCONV && strstr(lbr_plan_message(plan), want), "midpoint stops after %lld steps: %s",
       (long long)done, lbr_plan_message(plan));
    r = run(&p, "midpoint", "", 0.125, done);
    ok(!r.status && r.y[0] == y && r.t == t && t == 0.125 * (double)done, "... in the state of step %lld, bit for bit",
       (long long)done);
    ok(lbr_run(plan, 1, 0, NULL, NULL) == LBR_ENOCONV && !lbr_read(plan, &t, &y) && r.y[0] == y,
       "... and another attempt ends there again");
    lbr_plan_free(plan);
}

/* --- limits and residuals ---------------------------------------------------------------------------------------- */

static void limits(void)
{
    counter c;
    problem p = counted(hh_as("field"), &c);
    lbr_options o = options_of("solver=fixed-point max_iterations=5");
    lbr_plan *plan = plan_of(&p, "gauss:2", &o);
    lbr_status status = lbr_start(plan, 0, 0.5, p.y);
    result r;

    c.field = 0;
    status = lbr_run(plan, 1, 0, NULL, NULL);
    ok(status == LBR_ENOCONV && c.field >= 1 + 5 * 2 && c.field <= 1 + 6 * 2,
       "5 iterations of 2 stages are made: %lld calls, perhaps 2 of them for the message", (long long)c.field);
    ok(strstr(lbr_plan_message(plan), "5 iterations") != NULL, "... and said: %s", lbr_plan_message(plan));
    lbr_plan_free(plan);
    r = run(&p, "gauss:2", "solver=fixed-point", 0.5, 20);
    ok(!r.status && r.stats.worst > 5 && r.stats.worst <= 100 && r.stats.iterations <= 20 * r.stats.worst,
       "with 100 it goes: %lld in 20 steps, at most %lld", (long long)r.stats.iterations, (long long)r.stats.worst);
    ok(r.stats.field == 2 * r.stats.iterations + 1, "... calls: 2 per iteration and one at the start");
}

/* Whatever the limit: the equations are solved to round-off, or it is said that they are not. */
static void solved_or_not(void)
{
    const struct {
        problem p;
        const char *method, *solver;
    } row[] = {
        { mixed(), "symplectic-euler", "fixed-point" },
        { mixed(), "symplectic-euler-b", "newton" },
        { mixed(), "gauss:2", "fixed-point" },
        { mixed(), "gauss:2", "newton" },
        { hh_with_code(), "adjoint(code)", "fixed-point" },
        { hh_with_code(), "adjoint(code)", "newton" },
    };

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        result best = run(&row[i].p, row[i].method, "", 0.2, 1);
        double worst = 0;
        int refused = 0, solved = 0;

        for (int k = 1; k <= 60; k++) {
            char options[64];
            result r;

            snprintf(options, sizeof options, "solver=%s max_iterations=%d", row[i].solver, k);
            r = run(&row[i].p, row[i].method, options, 0.2, 1);
            if (r.status) refused += r.status == LBR_ENOCONV;
            else solved++, worst = fmax(worst, relative(&row[i].p.system, r.y, best.y));
        }
        ok(refused > 1 && refused + solved == 60 && worst < 2e-13,
           "%s, %s: with %d and more iterations solved, to %.2g; with less it says so", row[i].method, row[i].solver,
           refused + 1, worst);
    }
}

/* What is left of the equations of one step, in units of round-off of y. */
static void residuals(void)
{
    static const char *const method[] = { "midpoint", "trapezoidal", "implicit-euler" };
    const problem all[] = { henon_heiles(), kepler(), mixed(), rigid_body(), relativistic() };

    for (int m = 0; m < 3; m++)
        for (int k = 0; k < 5; k++) {
            const problem *p = &all[k];
            int64_t n = p->system.dim;
            counter unused;
            problem c = counted(*p, &unused);
            lbr_plan *plan = plan_of(&c, method[m], NULL);
            double y0[PROBLEM_DIM], y1[PROBLEM_DIM], worst = 0, x[PROBLEM_DIM], f[PROBLEM_DIM], f0[PROBLEM_DIM];
            lbr_plan *euler = plan_of(p, "explicit-euler", NULL);

            memcpy(y0, p->y, sizeof y0);
            for (int i = 0; i < 50; i++, memcpy(y0, y1, sizeof y0)) {
                memcpy(y1, y0, sizeof y1);
                step(plan, n, 0, p->h, y1);
                for (int64_t l = 0; l < n; l++) x[l] = m == 0 ? (y0[l] + y1[l]) / 2 : y1[l];
                memcpy(f, x, sizeof f), memcpy(f0, y0, sizeof f0);
                step(euler, n, 0, p->h, f), step(euler, n, 0, p->h, f0); /* x + h f(x) */
                for (int64_t l = 0; l < n; l++) {
                    double rate = m == 1 ? ((f[l] - x[l]) + (f0[l] - y0[l])) / 2 : f[l] - x[l];
                    worst = fmax(worst, fabs(y1[l] - y0[l] - rate) / largest(n, y0));
                }
            }
            ok(worst < 8 * 0x1p-52, "%s on %s: its equation holds to %.2g units of round-off", method[m],
               p->system.name, worst / 0x1p-52);
            lbr_plan_free(plan), lbr_plan_free(euler);
        }
}

/* --- units: momenta as small as those of atoms in SI units ------------------------------------------------------- */

/* p is measured in a unit of 2^80: a power of two, so that the bits of a run in these units are those of the other. */
static const double tiny = 0x1p-80;
static double tiny_inverse[PROBLEM_DIM];

typedef struct scaled {
    lbr_system inner;
} scaled;

static int scaled_force(double t, const double *q, double *f, void *ctx)
{
    const scaled *s = ctx;
    int bad = s->inner.force(t, q, f, s->inner.ctx);

    for (int64_t i = 0; i < s->inner.nq; i++) f[i] *= tiny;
    return bad;
}
static int scaled_velocity(double t, const double *p, double *v, void *ctx)
{
    const scaled *s = ctx;
    double x[PROBLEM_DIM];

    for (int64_t i = 0; i < s->inner.nq; i++) x[i] = p[i] / tiny;
    return s->inner.velocity(t, x, v, s->inner.ctx);
}
static int scaled_gradient(double t, const double *y, double *out, const scaled *s, lbr_fn f, double by)
{
    double x[PROBLEM_DIM];
    int bad;

    for (int64_t i = 0; i < s->inner.dim; i++) x[i] = i < s->inner.nq ? y[i] : y[i] / tiny;
    bad = f(t, x, out, s->inner.ctx);
    for (int64_t i = 0; i < s->inner.nq; i++) out[i] *= by;
    return bad;
}
static int scaled_dHdq(double t, const double *y, double *out, void *ctx)
{
    const scaled *s = ctx;
    return scaled_gradient(t, y, out, s, s->inner.dHdq, tiny);
}
static int scaled_dHdp(double t, const double *y, double *out, void *ctx)
{
    const scaled *s = ctx;
    return scaled_gradient(t, y, out, s, s->inner.dHdp, 1);
}
/* Explicit Euler as a map. */
static int scaled_code(double t, double h, double *y, void *ctx)
{
    double f[PROBLEM_DIM];

    scaled_dHdp(t, y, f, ctx), scaled_dHdq(t, y, f + 2, ctx);
    for (int i = 0; i < 4; i++) y[i] += (i < 2 ? h : -h) * f[i];
    return 0;
}
static const lbr_map_def scaled_map[] = { { sizeof(lbr_map_def), "code", scaled_code, NULL, NULL, 1, 0, 0 } };

static problem in_units(problem p, scaled *s)
{
    *s = (scaled){ p.system };
    p.system.ctx = s;
    if (p.system.force) p.system.force = scaled_force;
    if (p.system.velocity) p.system.velocity = scaled_velocity;
    if (p.system.inverse_mass) p.system.inverse_mass = tiny_inverse;
    if (p.system.dHdq)
        p.system.dHdq = scaled_dHdq, p.system.dHdp = scaled_dHdp, p.system.maps = scaled_map, p.system.nmaps = 1;
    for (int64_t i = 0; i < p.system.nq; i++) p.y[p.system.nq + i] *= tiny, tiny_inverse[i] = 1 / tiny;
    return p;
}

static void units(void)
{
    static const char *const options[] = { "solver=fixed-point", "solver=newton",
                                           "solver=fixed-point compensated=yes" };
    const struct {
        problem p;
        const char *method;
        int compensated;
    } row[] = {
        { henon_heiles(), "stormer-verlet", 1 },
        { henon_heiles(), "rk4", 1 },
        { henon_heiles(), "gauss:2", 1 },
        { henon_heiles(), "midpoint", 1 },
        { henon_heiles(), "trapezoidal", 1 },
        { kepler(), "gauss:4", 1 },
        { relativistic(), "kahan-li-6-9", 1 },
        { relativistic(), "gauss:2", 1 },
        { relativistic(), "compose(suzuki:4, midpoint)", 1 },
        { mixed(), "gauss:3", 1 },
        { mixed(), "symplectic-euler", 1 },
        { mixed(), "stormer-verlet-b", 1 },
        { mixed(), "implicit-euler", 1 },
        { mixed(), "adjoint(code)", 0 },
    };

    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        for (int k = 0; k < 2 + row[i].compensated; k++) {
            scaled s;
            problem p = in_units(row[i].p, &s);
            const char *twin = strstr(row[i].method, "code") ? "implicit-euler" : row[i].method;
            result a = run(&p, row[i].method, options[k], p.h, 30), b = run(&row[i].p, twin, options[k], p.h, 30);
            double d;

            for (int64_t l = 0; l < p.system.nq; l++) a.y[p.system.nq + l] /= tiny;
            d = relative(&p.system, a.y, b.y);
            ok(!a.status && d < 2e-14, "%s on %s, p in units of 2^80, %s: the same to %.2g%s%s", row[i].method,
               p.system.name, options[k], d, a.status ? ": " : "", a.message);
        }
}

/* --- compensated sums, HLW VIII.5 -------------------------------------------------------------------------------- */

/* Henon-Heiles in x = 3 y: in exact arithmetic every method gives three times the same, so that the difference of the
 * two runs is round-off and nothing else. */
static int triple_force(double t, const double *q, double *f, void *ctx)
{
    double x[2] = { q[0] / 3, q[1] / 3 };

    hh_force(t, x, f, ctx);
    f[0] *= 3, f[1] *= 3;
    return 0;
}
static int triple_dHdq(double t, const double *y, double *f, void *ctx)
{
    return triple_force(t, y, f, ctx), f[0] = -f[0], f[1] = -f[1], 0;
}
static int triple_field(double t, const double *y, double *f, void *ctx)
{
    return f[0] = y[2], f[1] = y[3], triple_force(t, y, f + 2, ctx);
}
static int triple_kick(double t, double s, const double *y, double *d, void *ctx)
{
    return triple_force(t, y, d + 2, ctx), d[0] = d[1] = 0, d[2] *= s, d[3] *= s, 0;
}
static int triple_kick_flow(double t, double s, double *y, void *ctx)
{
    double d[4];

    triple_kick(t, s, y, d, ctx);
    y[2] += d[2], y[3] += d[3];
    return 0;
}
static int euler(lbr_fn field, double t, double h, const double *y, double *d)
{
    field(t, y, d, NULL);
    for (int i = 0; i < 4; i++) d[i] *= h;
    return 0;
}
static int once(double t, double h, double *y, void *ctx)
{
    double d[4];
    (void)ctx, euler(hh_field, t, h, y, d);
    for (int i = 0; i < 4; i++) y[i] += d[i];
    return 0;
}
static int once_d(double t, double h, const double *y, double *d, void *ctx)
{
    return (void)ctx, euler(hh_field, t, h, y, d);
}
static int thrice(double t, double h, double *y, void *ctx)
{
    double d[4];
    (void)ctx, euler(triple_field, t, h, y, d);
    for (int i = 0; i < 4; i++) y[i] += d[i];
    return 0;
}
static int thrice_d(double t, double h, const double *y, double *d, void *ctx)
{
    return (void)ctx, euler(triple_field, t, h, y, d);
}

static const lbr_part triple_part[] = { { sizeof(lbr_part), "T", hh_drift_flow, hh_drift, NULL, NULL, NULL, NULL },
                                        { sizeof(lbr_part), "V", triple_kick_flow, triple_kick, NULL, NULL, NULL,
                                          NULL } };
static const lbr_parts triple_parts = { sizeof(lbr_parts), 2, triple_part, 0 };
static const lbr_map_def single_map[] = { { sizeof(lbr_map_def), "code", once, NULL, once_d, 1, 0, 0 } },
                         triple_map[] = { { sizeof(lbr_map_def), "code", thrice, NULL, thrice_d, 1, 0, 0 } };

/* separable: by its force; otherwise by its gradient. */
static double roundoff(const char *method, int separable, const char *options, double h, int64_t n)
{
    double sum = 0;

    for (int k = 0; k < 4; k++) {
        problem p = hh_as(separable ? "parts" : "gradient"), q;
        result a, b;

        p.y[0] = k / 64.0, p.y[1] = 0.25, p.y[2] = 0.34375, p.y[3] = 0.15625; /* three times these is exact */
        p.system.maps = single_map, p.system.nmaps = 1;
        q = p;
        q.system.maps = triple_map;
        if (separable) q.system.force = triple_force, q.system.parts = &triple_parts;
        else q.system.dHdq = triple_dHdq;
        for (int i = 0; i < 4; i++) q.y[i] *= 3;
        a = run(&p, method, options, h, n), b = run(&q, method, options, h, n);
        for (int i = 0; i < 4; i++) b.y[i] /= 3;
        sum += a.status || b.status ? NAN : pow(distance(4, a.y, b.y), 2);
    }
    return sqrt(sum / 4);
}

static void compensated(void)
{
    static const struct {
        const char *method;
        int separable;
        double h;
    } row[] = {
        { "stormer-verlet", 1, 0.01 },
        { "stormer-verlet-b", 1, 0.01 },
        { "kahan-li-8-17", 1, 0.01 },
        { "process(effective-6-9, effective-6-9-processor)", 1, 0.01 },
        { "rk4", 1, 0.01 },
        { "explicit-euler", 1, 0.001 },
        { "midpoint", 1, 0.01 },
        { "trapezoidal", 1, 0.01 },
        { "gauss:3", 1, 0.01 },
        { "compose(suzuki:4, midpoint)", 1, 0.01 },
        { "split(strang)", 1, 0.01 },
        { "compose(suzuki:4, split(strang))", 1, 0.01 },
        { "stormer-verlet", 0, 0.01 },
        { "suzuki:4", 0, 0.01 },
        { "code", 0, 0.001 },
        { "compose(strang, code)", 0, 0.001 },
        { "adjoint(code)", 0, 0.001 },
    };

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        double plain = roundoff(row[i].method, row[i].separable, "", row[i].h, 10000),
               kept = roundoff(row[i].method, row[i].separable, "compensated=yes", row[i].h, 10000);
        problem p = hh_as("parts");
        result a, b;

        ok(plain > 10 * kept && plain > 1e-15 && kept > 0,
           "%s%s: round-off %.2g in 10000 steps, with compensated sums %.2g: %.0f times less", row[i].method,
           row[i].separable ? "" : ", H by its gradient", plain, kept, plain / kept);
        p.system.maps = single_map, p.system.nmaps = 1;
        a = run(&p, row[i].method, "", 0.1, 20), b = run(&p, row[i].method, "compensated=yes", 0.1, 20);
        ok(!a.status && !b.status && distance(4, a.y, b.y) < 2e-15, "... and otherwise the same: %.2g after 20 steps",
           distance(4, a.y, b.y));
    }
}

/* HLW Fig. VIII.5.2: e = 0.6, the method of order 8 with 15 stages, h = 2 pi/500; means over three directions of the
 * ellipse. The start is rounded, which moves the error of the method by a per cent. */
static void figure(void)
{
    static const int periods[] = { 1, 10, 100 };
    static const double book[] = { 3.9e-13, 1.1e-11, 3.8e-10 }, book_kept[] = { 4.3e-15, 1.9e-13, 1.1e-11 };
    static const char *const method = "compose(suzuki-yoshida-8-15, stormer-verlet)";
    double h = 6.283185307179586 / 500, error[3] = { 0 }, plain[3] = { 0 }, kept[3] = { 0 };
    lbr_dd g[15], y[4];

    exact_steps("suzuki-yoshida-8-15", g);
    for (int k = 0; k < 3; k++) {
        problem p = kepler_turned(k);
        int n = 0;

        for (int i = 0; i < 4; i++) y[i] = dd(p.y[i]);
        for (int m = 0; m < 3; m++) {
            result a = run(&p, method, "", h, 500 * periods[m]),
                   b = run(&p, method, "compensated=yes", h, 500 * periods[m]);
            double x[4];

            for (; n < 500 * periods[m]; n++) exact_step(y, g, 15, h);
            for (int i = 0; i < 4; i++) x[i] = dd_double(y[i]);
            if (k == 0) error[m] = euclid(4, x, p.y);
            plain[m] += euclid(4, a.y, x) / 3, kept[m] += euclid(4, b.y, x) / 3;
        }
    }
    for (int m = 0; m < 3; m++) {
        ok(fabs(error[m] / periods[m] - 1.21e-12) < 0.02e-12,
           "HLW Fig. VIII.5.2, %d periods: error of the method %.4g, linear in time", periods[m], error[m]);
        ok(plain[m] < 3 * book[m], "... round-off %.2g, at most three times the book's run", plain[m]);
        ok(kept[m] < plain[m] / 10 && kept[m] < 3 * book_kept[m], "... with compensated sums %.2g, %.0f times less",
           kept[m], plain[m] / kept[m]);
    }
}

int main(void)
{
    agreement();
    jacobians();
    stiff();
    far_beginnings();
    stiff_values();
    no_solution();
    until_then();
    limits();
    solved_or_not();
    residuals();
    units();
    compensated();
    figure();
    return tap_done();
}
