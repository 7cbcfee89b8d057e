/* test_large_steps.c - an implicit step that is said to be done solves its equations, however large it is: nothing that
 * rounding excuses near a solution is excused far from one. SPDX-License-Identifier: BSD-3-Clause */
#include "support/share.h"
#include "support/tap.h"

#include <libration.h>

#include <math.h>
#include <string.h>

#define COUNT(x) ((int)(sizeof(x) / sizeof *(x)))

/* --- systems ----------------------------------------------------------------------------------------------------- */

static int sinh_field(double t, const double *y, double *f, void *ctx)
{
    return f[0] = sinh(y[1]), f[1] = -sinh(y[0]), 0;
}

/* H = p1^2 (1 + q2^2)/2 + p2^2/(2 + cos q1) + q1^4/4 + q2^2/2 + q1 q2 p1/4 */
static int tangled(double t, const double *y, double *f, void *ctx)
{
    double q1 = y[0], q2 = y[1], p1 = y[2], p2 = y[3], d = 2 + cos(q1);

    f[0] = p1 * (1 + q2 * q2) + q1 * q2 / 4;
    f[1] = 2 * p2 / d;
    f[2] = -(p2 * p2 * sin(q1) / (d * d) + q1 * q1 * q1 + q2 * p1 / 4);
    f[3] = -(p1 * p1 * q2 + q2 + q1 * p1 / 4);
    return 0;
}

static int stiff_cubic(double t, const double *y, double *f, void *ctx)
{
    return f[0] = -100 * y[0] * y[0] * y[0] + y[1], f[1] = -y[0], 0;
}

/* Lotka and Volterra's equations for the logarithms of both populations. */
static int populations(double t, const double *y, double *f, void *ctx)
{
    return f[0] = exp(y[1]) - 1, f[1] = 1 - exp(y[0]), 0;
}

static int square(double t, const double *y, double *f, void *ctx) { return f[0] = -2 * y[0] * y[0], 0; }

static int fast_sine(double t, const double *y, double *f, void *ctx)
{
    return f[0] = y[1], f[1] = -1000 * sin(30 * y[0]), 0;
}

static int van_der_pol(double t, const double *y, double *f, void *ctx)
{
    return f[0] = y[1], f[1] = 50 * (1 - y[0] * y[0]) * y[1] - y[0], 0;
}

static int toda(double t, const double *y, double *f, void *ctx)
{
    double a = exp(y[0] - y[1]), b = exp(y[1] - y[2]), c = exp(y[2] - y[0]);

    f[0] = y[3], f[1] = y[4], f[2] = y[5];
    return f[3] = c - a, f[4] = a - b, f[5] = b - c, 0;
}

static const lbr_system systems[] = {
    LBR_SYSTEM(.name = "sinh", .dim = 2, .nq = 1, .field = sinh_field),
    LBR_SYSTEM(.name = "tangled", .dim = 4, .nq = 2, .field = tangled),
    LBR_SYSTEM(.name = "stiff cubic", .dim = 2, .field = stiff_cubic),
    LBR_SYSTEM(.name = "populations", .dim = 2, .nq = 1, .field = populations),
    LBR_SYSTEM(.name = "square", .dim = 1, .field = square),
    LBR_SYSTEM(.name = "fast sine", .dim = 2, .nq = 1, .field = fast_sine),
    LBR_SYSTEM(.name = "van der Pol", .dim = 2, .field = van_der_pol),
    LBR_SYSTEM(.name = "Toda", .dim = 6, .nq = 3, .field = toda),
};

/* --- one step ---------------------------------------------------------------------------------------------------- */

/* How far y1 = y0 + h f(at) is off, where at = y0 + part (y1 - y0); against what 1e-13 of all that is in it does. */
static double off(const lbr_system *s, double part, double h, const double *y0, const double *y1)
{
    double at[6], f[6], g[6], size = 0, most = 0, error = 0;

    for (int64_t l = 0; l < s->dim; l++) {
        at[l] = y0[l] + part * (y1[l] - y0[l]);
        most = fmax(most, fmax(fabs(y0[l]), fabs(y1[l])));
    }
    s->field(0, at, f, NULL);
    for (int64_t l = 0; l < s->dim; l++) {
        if (!isfinite(y1[l]) || !isfinite(f[l])) return INFINITY;
        size = fmax(size, fmax(most, fabs(h * f[l]))), error = fmax(error, fabs(y1[l] - y0[l] - h * f[l]));
    }
    for (int64_t k = 0; k < s->dim; k++) {
        double was = at[k];

        at[k] += 1e-13 * most, s->field(0, at, g, NULL), at[k] = was;
        for (int64_t l = 0; l < s->dim; l++) size = fmax(size, 1e13 * fabs(h * (g[l] - f[l])));
    }
    return error / (1e-13 * size);
}

/* Numbers between -1 and 1, always the same ones. */
static double some(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) * 0x1p-52 - 1;
}

static lbr_status step(lbr_plan *plan, double h, double *y)
{
    lbr_status status = lbr_start(plan, 0, h, y);

    if (!status) status = lbr_run(plan, 1, 0, NULL, NULL);
    return status ? status : lbr_read(plan, NULL, y);
}

static void large_steps(const lbr_system *s, const char *method, double part, const char *solver, int64_t n)
{
    lbr_options options;
    lbr_plan *plan;
    uint64_t seed = 7;
    int64_t wrong = 0, done = 0;
    double most = 0;

    lbr_options_init(&options);
    lbr_option_set(&options, "solver", solver);
    if (!ok(!lbr_plan_create(&plan, method, s, &options), "%s with %s: a plan", method, solver)) return;
    for (int64_t k = 0; k < n; k++) {
        double y[6], z[6], h = exp(2.5 * some(&seed) - 0.5), error;

        for (int64_t l = 0; l < s->dim; l++) z[l] = y[l] = 2 * some(&seed);
        if (step(plan, h, z)) continue;
        error = off(s, part, h, y, z);
        done++, wrong += !(error < 20), most = fmax(most, error);
    }
    ok(!wrong && (!strcmp(solver, "fixed-point") || done > n / 2),
       "%s: of %d large steps by %s (%s), %d are done, %d of them wrong, by %.1e", s->name, (int)n, method, solver,
       (int)done, (int)wrong, most);
    lbr_plan_free(plan);
}

/* --- positions alone: the first iterate may be far beyond them --------------------------------------------------- */

static int lennard_jones(double t, const double *q, double *f, void *ctx)
{
    double r6 = 1 / (q[0] * q[0] * q[0] * q[0] * q[0] * q[0]);

    return f[0] = (48 * r6 * r6 - 24 * r6) / q[0], 0;
}
static int inverse(double t, const double *q, double *f, void *ctx) { return f[0] = 1 / q[0], 0; }
static int wall(double t, const double *q, double *f, void *ctx) { return f[0] = exp(-30 * q[0]), f[1] = -q[1], 0; }

/* Of H = p^2/2 + V(q): p1 = p + h f(at), q1 = q + h (p + part (p1 - p)), relative to what is there. */
static double off_positions(const lbr_system *s, double part, double h, const double *y0, const double *y1)
{
    double at[2], near[2], f[2], g[2], most = 0;
    int64_t n = s->nq;

    for (int64_t l = 0; l < n; l++) at[l] = y0[l] + part * (y1[l] - y0[l]), near[l] = at[l] * (1 + 1e-12);
    s->force(0, at, f, NULL), s->force(0, near, g, NULL);
    for (int64_t l = 0; l < n; l++) {
        double p = y0[n + l], p1 = y1[n + l], q = h * (p + part * (p1 - p)),
               size_q = fmax(fabs(y0[l]), fmax(fabs(y1[l]), fabs(q))),
               size_p = fmax(fabs(p), fmax(fabs(p1), fabs(h * (g[l] - f[l])) * 1e12));

        most = fmax(most, fabs(y1[l] - y0[l] - q) / size_q);
        most = fmax(most, fabs(p1 - p - h * f[l]) / size_p);
        if (!isfinite(f[l]) || !isfinite(p1)) return INFINITY;
    }
    return most;
}

static void of_positions(const lbr_system *s, const char *method, double part, const char *solver, int64_t n)
{
    lbr_options options;
    lbr_plan *plan;
    uint64_t seed = 5;
    int64_t wrong = 0, done = 0;
    double most = 0;

    lbr_options_init(&options);
    lbr_option_set(&options, "solver", solver);
    if (!ok(!lbr_plan_create(&plan, method, s, &options), "%s with %s: a plan", method, solver)) return;
    for (int64_t k = 0; k < n; k++) {
        double y[4], z[4], h = exp(4 * some(&seed) - 2), error;

        for (int64_t l = 0; l < s->dim; l++) z[l] = y[l] = l < s->nq ? exp(3 * some(&seed) - 2) : 2 * some(&seed);
        if (step(plan, h, z)) continue;
        error = off_positions(s, part, h, y, z);
        done++, wrong += !(error < 1e-10), most = fmax(most, error);
    }
    ok(!wrong && done > n / 10, "%s: of %d large steps by %s (%s), %d are done, %d of them wrong, by %.1e", s->name,
       (int)n, method, solver, (int)done, (int)wrong, most);
    lbr_plan_free(plan);
}

static void positions(int64_t n)
{
    static const double ones[2] = { 1, 1 };
    const lbr_system of[] = {
        LBR_SYSTEM(.name = "Lennard-Jones", .dim = 2, .nq = 1, .force = lennard_jones, .inverse_mass = ones),
        LBR_SYSTEM(.name = "1/q", .dim = 2, .nq = 1, .force = inverse, .inverse_mass = ones),
        LBR_SYSTEM(.name = "wall", .dim = 4, .nq = 2, .force = wall, .inverse_mass = ones),
    };

    for (int i = 0; i < COUNT(of); i++) {
        of_positions(&of[i], "midpoint", 0.5, "auto", n), of_positions(&of[i], "midpoint", 0.5, "fixed-point", n);
        of_positions(&of[i], "implicit-euler", 1, "auto", n),
            of_positions(&of[i], "implicit-euler", 1, "fixed-point", n);
    }
}

/* --- many steps: what was done before does not lead to other solutions ---------------------------------------------
 */

/* n steps at once, and n first steps, each from where the one before ended: but for what grows so fast that rounding is
 * seen, both are the same. */
static void many_steps(const lbr_system *s, const char *method, int64_t n, int64_t starts)
{
    lbr_options options;
    lbr_plan *plan;
    uint64_t seed = 11;
    int64_t other = 0, done = 0;

    lbr_options_init(&options);
    lbr_option_set(&options, "solver", "newton");
    if (!ok(!lbr_plan_create(&plan, method, s, &options), "%s: a plan", method)) return;
    for (int64_t k = 0; k < starts; k++) {
        double y[6], z[6], h = exp(2.5 * some(&seed) - 0.5), far = 0, size = 0;
        lbr_status status;

        for (int64_t l = 0; l < s->dim; l++) z[l] = y[l] = 2 * some(&seed);
        status = lbr_start(plan, 0, h, y);
        if (!status) status = lbr_run(plan, n, 0, NULL, NULL);
        if (!status) status = lbr_read(plan, NULL, y);
        for (int64_t i = 0; i < n && !status; i++) status = step(plan, h, z);
        if (status) continue;
        for (int64_t l = 0; l < s->dim; l++) far = fmax(far, fabs(y[l] - z[l])), size = fmax(size, fabs(y[l]));
        done++, other += !(far <= 1e-9 * size);
    }
    ok(done > starts / 2 && other <= done / 10,
       "%s: of %d runs of %d large steps by %s, %d end elsewhere than first steps", s->name, (int)done, (int)n, method,
       (int)other);
    lbr_plan_free(plan);
}

int main(void)
{
    static const char *const solver[] = { "auto", "fixed-point", "newton" };
    static const char *const method[] = { "midpoint", "implicit-euler", "gauss:2" };
    int64_t n = share(3000, 3000, 500);

    for (int i = 0; i < COUNT(systems); i++)
        for (int k = 0; k < COUNT(solver); k++) {
            large_steps(&systems[i], "midpoint", 0.5, solver[k], n);
            large_steps(&systems[i], "implicit-euler", 1, solver[k], n);
        }
    positions(n);
    for (int i = 0; i < COUNT(systems); i++)
        for (int k = 0; k < COUNT(method); k++) many_steps(&systems[i], method[k], 3, n);
    return tap_done();
}
