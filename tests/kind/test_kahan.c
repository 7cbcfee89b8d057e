/* test_kahan.c - Kahan's method for quadratic fields: its formula, what it keeps, and what it refuses.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support/analysis.h"
#include "support/modelled.h"

enum { MOST = 5 };
static modelled held;
static problem grounds[MOST];

static int lorenz_field(double t, const double *y, double *f, void *ctx)
{
    (void)t, (void)ctx;
    f[0] = 10 * (y[1] - y[0]), f[1] = -y[0] * y[2] + 28 * y[0] - y[1], f[2] = y[0] * y[1] - 8.0 / 3 * y[2];
    return 0;
}

static problem lorenz(void)
{
    return (problem){ LBR_SYSTEM(.name = "lorenz", .dim = 3, .field = lorenz_field), .h = 0.01, .y = { 10, -20, 20 } };
}

/* By its force; by its field; with derivatives, as a model has them; without a partition; the time in it. */
static void make_grounds(void)
{
    problem all[MOST] = { henon_heiles(), lotka_volterra(), { .h = 0.1 }, lorenz(), riccati() };

    if (!open_text(&held, "state x, y, z\n"
                          "x' = y*z/2 - x*cos(t)\n"
                          "y' = -x*z + z\n"
                          "z' = x*y/2 + y^2/3 + sin(t)\n"
                          "start x = 0.4, y = 0.3, z = -0.2\n"))
        printf("Bail out! the model\n"), exit(2);
    all[2].system = *held.s, all[2].system.name = "model";
    memcpy(all[2].y, held.m->y0, 3 * sizeof(double));
    memcpy(grounds, all, sizeof all);
}

/* --- the formula ------------------------------------------------------------------------------------------------- */

/* Products polarised, linear terms averaged, for Lorenz (HLW V.6.3): what is left of both sides. */
static void formula(void)
{
    problem p = lorenz();
    double y[3], h = 0.02, r[3], s = 10, rho = 28, b = 8.0 / 3;
    const double *x = p.y;
    lbr_plan *plan = plan_of(&p, "kahan", NULL);

    memcpy(y, p.y, sizeof y), step(plan, 3, 0, h, y);
    r[0] = y[0] - x[0] - h * s * ((y[1] + x[1]) / 2 - (y[0] + x[0]) / 2);
    r[1] = y[1] - x[1] - h * (-(x[0] * y[2] + y[0] * x[2]) / 2 + rho * (y[0] + x[0]) / 2 - (y[1] + x[1]) / 2);
    r[2] = y[2] - x[2] - h * ((x[0] * y[1] + y[0] * x[1]) / 2 - b * (y[2] + x[2]) / 2);
    ok(largest(3, r) < 1e-13, "each product becomes (y_i Y_j + Y_i y_j)/2: to %.1e", largest(3, r));
    lbr_plan_free(plan);
}

/* On a quadratic field it is a Runge-Kutta method with three stages. */
static void tableau(const problem *p)
{
    static const char *const A[] = { "0", "0", "0", "-1/4", "1", "-1/4", "-1/2", "2", "-1/2" }, *const b[] = { "-1/2",
                                                                                                               "2",
                                                                                                               "-1/2" };
    const lbr_method same = {
        .size = sizeof same, .name = "same", .form = "runge-kutta", .A = { 9, A }, .b = { 3, b }
    };
    lbr_options o = options_of("");
    double x[PROBLEM_DIM], y[PROBLEM_DIM], z[PROBLEM_DIM], d = NAN;

    o.methods = &same, o.nmethods = 1;
    if (!problem_run(p, "same", &o, p->h, 10, x) && !problem_run(p, "kahan", NULL, p->h, 10, y) &&
        !problem_run(p, "midpoint", NULL, p->h, 10, z))
        d = distance(p->system.dim, x, y) / largest(p->system.dim, x);
    ok(d < 1e-13, "%s: Y = y + h (2 f((y + Y)/2) - f(y)/2 - f(Y)/2), to %.1e", p->system.name, d);
    ok(distance(p->system.dim, y, z) > 1e-6, "%s: and not the midpoint rule", p->system.name);
}

/* y' = y^2 is solved exactly: (Y - y)/h = y Y. */
static int square_field(double t, const double *y, double *f, void *ctx)
{
    return (void)t, (void)ctx, f[0] = y[0] * y[0], 0;
}

static void exactly(void)
{
    problem p = { LBR_SYSTEM(.name = "square", .dim = 1, .field = square_field), .h = 0.1, .y = { 0.5 } };
    double y;

    problem_run(&p, "kahan", NULL, 0.25, 7, &y);
    near(y, 0.5 / (1 - 0.5 * 1.75), 1e-14, "y' = y^2 is solved exactly");
    problem_run(&p, "kahan", NULL, 0.75, 4, &y);
    near(y, 0.5 / (1 - 0.5 * 3), 1e-14, "beyond its pole, too");
}

/* --- order and symmetry ------------------------------------------------------------------------------------------ */

static void orders(const problem *p)
{
    static const struct {
        const char *name;
        int order;
    } row[] = { { "kahan", 2 },
                { "compose(suzuki:4, kahan)", 4 },
                { "compose(kahan-li-6-9, kahan)", 6 },
                { "compose(kahan-li-8-17, kahan)", 8 },
                { "adjoint(kahan)", 2 } };
    lbr_options o = options_of("compensated=yes");
    double exact[PROBLEM_DIM], T = 8 * p->h, a;

    reference(p, T, 64, exact);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        slope s = slope_of(p, row[i].name, &o, T, exact, row[i].order, 1e-13 * largest(p->system.dim, p->y), 3000);

        ok(fabs(s.order - row[i].order) < 0.5, "%s on %s: order %.3f for %d", row[i].name, p->system.name, s.order,
           row[i].order);
        a = asymmetry(p, row[i].name, NULL, p->h) / largest(p->system.dim, p->y);
        ok(a < 2e-14, "%s on %s: symmetric, to %.1e", row[i].name, p->system.name, a);
    }
}

/* Numbers of steps of the map, and errors at t = 1 (HLW Fig. V.6.1, measured anew in 30 digits). */
static void lorenz_errors(void)
{
    static const struct {
        const char *name;
        int stages;
        double error[4];
    } row[] = {
        { "yoshida-6-7", 7, { 2.68e-5, 4.20e-7, 6.63e-9, 1.05e-10 } },
        { "kahan-li-6-9", 9, { 1.38e-5, 2.25e-7, 3.52e-9, 5.49e-11 } },
        { "suzuki-yoshida-8-15", 15, { 7.88e-6, 3.52e-8, 1.55e-10, 5.94e-13 } },
        { "kahan-li-8-17", 17, { 3.35e-6, 1.34e-8, 5.44e-11, 2.22e-13 } },
    };
    static const double exact[] = { 8.635692709892506017930544628639, 2.798663387927457052023080059065,
                                    33.36063508973142157789185846267 };
    lbr_options o = options_of("compensated=yes");
    problem p = lorenz();
    char name[64];

    for (size_t i = 0; i < 4; i++)
        for (int k = 0, steps = 500; k < 4; k++, steps *= 2) {
            double e;

            snprintf(name, sizeof name, "compose(%s, kahan)", row[i].name);
            e = error_after(&p, name, &o, 1, (steps + row[i].stages / 2) / row[i].stages, exact);
            ok(fabs(e / row[i].error[k] - 1) < (row[i].error[k] < 1e-12 ? 0.2 : 0.05),
               "%s on lorenz: error %.2e with %d steps of the map, for %.2e", name, e, steps, row[i].error[k]);
        }
}

/* --- what it keeps ----------------------------------------------------------------------------------------------- */

/* H + h/3 H'(y) (I - h/2 f'(y))^-1 f(y) of a cubic H (Celledoni, McLachlan, Owren & Quispel 2013); h (I - h/2 f')^-1 f
 * is the next increment. */
static double modified(lbr_plan *plan, double h, const double *y)
{
    double z[4], g[4], H;

    memcpy(z, y, sizeof z), step(plan, 4, 0, h, z);
    hh_energy(0, y, &H, NULL), hh_force(0, y, g, NULL);
    g[0] = -g[0], g[1] = -g[1], g[2] = y[2], g[3] = y[3];
    for (int i = 0; i < 4; i++) H += g[i] * (z[i] - y[i]) / 3;
    return H;
}

static void energy(void)
{
    problem p = henon_heiles();
    double y[4], m[4], worst = 0, other = 0, plain = 0, h = 0.25, H, H0;
    lbr_plan *kahan = plan_of(&p, "kahan", NULL), *midpoint = plan_of(&p, "midpoint", NULL);

    memcpy(y, p.y, sizeof y), memcpy(m, p.y, sizeof m);
    hh_energy(0, y, &H0, NULL);
    for (int k = 0; k < 2000; k++) {
        step(kahan, 4, 0, h, y), step(midpoint, 4, 0, h, m);
        worst = fmax(worst, fabs(modified(kahan, h, y) - modified(kahan, h, p.y))),
        other = fmax(other, fabs(modified(kahan, h, m) - modified(kahan, h, p.y)));
        hh_energy(0, y, &H, NULL), plain = fmax(plain, fabs(H - H0));
    }
    ok(worst < 1e-14 && plain > 1e-4, "a modified energy of Henon-Heiles is kept to %.1e, where H moves by %.1e", worst,
       plain);
    ok(other > 1e-6, "the midpoint rule does not keep it: %.1e", other);
    lbr_plan_free(kahan), lbr_plan_free(midpoint);
}

/* du dv/(uv) of Lotka-Volterra (Sanz-Serna 1994). */
static void areas(void)
{
    static const struct {
        const char *name;
        int keeps;
    } row[] = { { "kahan", 1 }, { "compose(suzuki:4, kahan)", 1 }, { "midpoint", 0 }, { "trapezoidal", 0 } };
    problem p = lotka_volterra();

    for (int i = 0; i < 4; i++) {
        lbr_plan *plan = plan_of(&p, row[i].name, NULL);
        double y[2] = { 1.5, 2.5 }, x[2] = { 1.5, 2.5 }, D[4], d;

        jacobian(plan, 2, 0, 0.12, x, D), step(plan, 2, 0, 0.12, y);
        d = (D[0] * D[3] - D[1] * D[2]) * x[0] * x[1] / (y[0] * y[1]) - 1;
        ok(row[i].keeps ? fabs(d) < 1e-11 : fabs(d) > 1e-6, "%s: du dv/(uv) of Lotka-Volterra is %s, %.1e", row[i].name,
           row[i].keeps ? "kept" : "not kept", d);
        lbr_plan_free(plan);
    }
}

/* --- derivatives, and what does not go --------------------------------------------------------------------------- */

static void derivatives(void)
{
    lbr_options differences = options_of("jacobian=differences");
    const problem *p = &grounds[2];
    double a[PROBLEM_DIM], b[PROBLEM_DIM], d = NAN;

    if (!problem_run(p, "kahan", NULL, 0.1, 50, a) && !problem_run(p, "kahan", &differences, 0.1, 50, b))
        d = distance(3, a, b);
    ok(d > 0 && d < 1e-13, "differences, which are exact for quadratic fields, in place of derivatives: %.1e", d);
}

/* For a field that is not quadratic the formula is not symmetric: one step of q' = p, p' = -sin q there and back. */
static double pendulum_formula(double h)
{
    double q = 1.2, p = 0.5;

    for (int k = 0; k < 2; k++, h = -h) {
        double s = sin(q), c = cos(q), det = 1 + h * h / 4 * c, dq = (h * p - h * h / 2 * s) / det,
               dp = (-h * s - h * h / 2 * c * p) / det;

        q += dq, p += dp;
    }
    return fabs(q - 1.2) + fabs(p - 0.5);
}

static int growth(double t, const double *y, double *f, void *ctx)
{
    return (void)t, (void)ctx, f[0] = 20 * y[0] + 1, f[1] = y[0] * y[1], 0;
}
static int broken(double t, const double *y, double *f, void *ctx)
{
    return growth(t, y, f, ctx), y[0] != 1 || y[1] != 1;
}
static int positive(double t, const double *y, double *f, void *ctx)
{
    return (void)t, (void)ctx, f[0] = y[0] * (y[1] - 2), f[1] = y[1] * (1 - y[0]),
                               y[0] < 1.9 || y[1] < 1.9 || y[0] > 2.3 || y[1] > 2.3;
}
static int loud(double t, const double *y, const double *v, double *out, void *ctx)
{
    return (void)t, (void)y, (void)v, (void)ctx, out[0] = out[1] = 0, 1;
}
static int quiet(double t, const double *y, const double *v, double *out, void *ctx)
{
    return (void)t, (void)ctx, out[0] = v[0] * (y[1] - 2) + y[0] * v[1], out[1] = v[1] * (1 - y[0]) - y[1] * v[0], 0;
}

static void refuses(const problem *p, lbr_status want, const char *words)
{
    lbr_plan *plan;
    lbr_status status = lbr_plan_create(&plan, "kahan", &p->system, NULL);

    if (!status) status = lbr_start(plan, 0, p->h, p->y);
    if (!status) status = lbr_run(plan, 1, 0, NULL, NULL);
    ok(status == want && strstr(lbr_plan_message(plan), words), "%s: %s", p->system.name,
       status ? lbr_plan_message(plan) : "runs");
    lbr_plan_free(plan);
}

static void refusals(void)
{
    problem all[] = { pendulum(), kepler(), relativistic(), mixed() },
            bad = { LBR_SYSTEM(.name = "bad", .dim = 2, .field = growth), .h = 0.1, .y = { 1, 1 } };
    problem guarded = { LBR_SYSTEM(.name = "guarded", .dim = 2, .field = positive, .field_jvp = quiet), .h = 0.01,
                        .y = { 2, 2 } };
    double y[2];

    for (int i = 0; i < 4; i++) refuses(&all[i], LBR_EUNFIT, "third difference");
    ok(pendulum_formula(0.2) > 1e-6 && pendulum_formula(0.1) < pendulum_formula(0.2) / 6,
       "the formula would not be symmetric there: %.1e, %.1e", pendulum_formula(0.2), pendulum_formula(0.1));
    for (int i = 0; i < 4; i++) all[i].h = 1e-7, refuses(&all[i], LBR_EUNFIT, "quadratic");
    refuses(&bad, LBR_ENOCONV, "singular");
    bad.system.field_jvp = loud, refuses(&bad, LBR_ECALLBACK, "field_jvp");
    bad.system.field_jvp = NULL, bad.system.field = broken, refuses(&bad, LBR_ECALLBACK, "field");
    ok(!problem_run(&guarded, "kahan", NULL, 0.01, 3, y), "a field that fails elsewhere is not asked there twice");
    bad = (problem){ LBR_SYSTEM(.name = "large", .dim = 30000, .field = growth), .h = 0.1 };
    refuses(&bad, LBR_EUNFIT, "30000 rows");
}

int main(void)
{
    make_grounds();
    formula();
    for (int i = 0; i < MOST; i++) {
        if (i != 2 && i != 4) tableau(&grounds[i]); /* the tableau sees the time at its nodes */
        orders(&grounds[i]);
    }
    exactly();
    lorenz_errors();
    energy();
    areas();
    derivatives();
    refusals();
    close_model(&held);
    return tap_done();
}
