/* test_stiff_steps.c - implicit steps that are long for a stiff system: no digit is lost, and of several solutions it
 * is the one that belongs to the step. SPDX-License-Identifier: BSD-3-Clause */
#include "support/tap.h"

#include <libration.h>

#include <math.h>

#define COUNT(x) ((int)(sizeof(x) / sizeof *(x)))

static lbr_status run(const lbr_system *s, const char *method, const char *solver, double h, int64_t n, double *y)
{
    lbr_options options;
    lbr_plan *plan;
    lbr_status status;

    lbr_options_init(&options);
    lbr_option_set(&options, "solver", solver);
    status = lbr_plan_create(&plan, method, s, &options);
    if (!status) status = lbr_start(plan, 0, h, y);
    if (!status) status = lbr_run(plan, n, 0, NULL, NULL);
    if (!status) status = lbr_read(plan, NULL, y);
    if (status) printf("# %s, %s: %s\n", method, solver, lbr_plan_message(plan));
    lbr_plan_free(plan);
    return status;
}

/* --- y' = -2 y^2: implicit steps have two solutions ----------------------------------------------------------------
 */

static int square(double t, const double *y, double *f, void *ctx) { return f[0] = -2 * y[0] * y[0], 0; }

/* y1 = y0 - 2 h y1^2: the solution that goes to y0 as h goes to 0 is the positive one. With y0 = 1 and h = 1 it is 1/2;
 * the other one is y0 + h f(y0) = -1, where many an iteration begins. */
static void of_two_solutions(void)
{
    static const char *const solver[] = { "auto", "newton" };
    static const double h[] = { 1, 0.3, 2, 10, 1000 };
    lbr_system s = LBR_SYSTEM(.name = "square", .dim = 1, .field = square);

    for (int i = 0; i < COUNT(solver); i++)
        for (int k = 0; k < COUNT(h); k++)
            for (int n = 1; n < 200; n = 3 * n + 1) {
                double y[] = { 1 }, want = 1;

                for (int j = 0; j < n; j++) want = 2 * want / (1 + sqrt(1 + 8 * h[k] * want));
                ok(!run(&s, "implicit-euler", solver[i], h[k], n, y), "%s, h = %g: %d steps", solver[i], h[k], n);
                near(y[0], want, 1e-12 * want, "the positive solution");
            }
}

/* --- y' = -L y: one step multiplies by R(-L h) ---------------------------------------------------------------------
 */

static int decay(double t, const double *y, double *f, void *ctx) { return f[0] = -*(const double *)ctx * y[0], 0; }

static double one(double z) { return (1 + z / 2) / (1 - z / 2); }
static double euler(double z) { return 1 / (1 - z); }
static double two(double z) { return (1 + z / 2 + z * z / 12) / (1 - z / 2 + z * z / 12); }
static double three(double z)
{
    double a = 1 + z * z / 10, b = z / 2 + z * z * z / 120;

    return (a + b) / (a - b);
}
static double radau(double z) { return (1 + z / 3) / (1 - 2 * z / 3 + z * z / 6); }
static double lobatto(double z) { return 1 / (1 - z + z * z / 2); }

/* HW II, IV.3 has these functions: Gauss methods (s, s), Radau IIA (s - 1, s), Lobatto IIIC (s - 2, s). */
static void multiplies(void)
{
    static const struct {
        const char *method;
        double (*R)(double z);
    } m[] = { { "midpoint", one },  { "implicit-euler", euler }, { "gauss:2", two },
              { "gauss:3", three }, { "radau-2a:2", radau },     { "lobatto-3c:2", lobatto } };

    for (int i = 0; i < COUNT(m); i++)
        for (double L = 30; L < 1e10; L *= 10) {
            lbr_system s = LBR_SYSTEM(.name = "decay", .dim = 1, .field = decay, .ctx = &L);
            double y[] = { 0.7 }, want = 0.7 * m[i].R(-L * 0.1);

            ok(!run(&s, m[i].method, "newton", 0.1, 1, y), "%s, L = %g", m[i].method, L);
            near(y[0], want, 5e-16, "R(z), with all digits");
        }
}

/* Where h L is beyond all digits, R(z) is its limit; errors are those of rounding y. */
static void without_end(void)
{
    static const struct {
        const char *method;
        double R;
    } m[] = { { "midpoint", -1 }, { "implicit-euler", 0 }, { "gauss:2", 1 }, { "gauss:3", -1 }, { "radau-2a:3", 0 } };

    for (int i = 0; i < COUNT(m); i++)
        for (double L = 1e15; L < 1e120; L *= 1e7) {
            lbr_system s = LBR_SYSTEM(.name = "decay", .dim = 1, .field = decay, .ctx = &L);
            double y[] = { 0.7 };

            ok(!run(&s, m[i].method, i % 2 ? "newton" : "auto", 0.1, 3, y), "%s, L = %g", m[i].method, L);
            near(y[0], m[i].R * 0.7, 1e-12, "R(z) at infinity");
        }
}

/* --- components of other sizes ----------------------------------------------------------------------------------- */

/* x' = -w x; y' = -2 (y^3/e^2 + y): y is about e, and nothing to do with x. */
static int of_two_sizes(double t, const double *y, double *f, void *ctx)
{
    double e = *(double *)ctx;

    return f[0] = -0.01 * y[0], f[1] = -2 * (y[1] * y[1] / e * (y[1] / e) + y[1]), 0;
}

static int its_derivative(double t, const double *y, const double *v, double *out, void *ctx)
{
    double e = *(double *)ctx;

    return out[0] = -0.01 * v[0], out[1] = -2 * (3 * (y[1] / e) * (y[1] / e) + 1) * v[1], 0;
}

/* The smaller component ends where it does without the larger one. */
static void small_ones(void)
{
    static const char *const method[] = { "gauss:1", "gauss:3", "radau-2a:2", "implicit-euler", "lobatto-3c:3" };

    for (int i = 0; i < COUNT(method); i++)
        for (double e = 1; e > 1e-30; e /= 1024) {
            lbr_system s = LBR_SYSTEM(.name = "two sizes", .dim = 2, .field = of_two_sizes, .field_jvp = its_derivative,
                                      .ctx = &e);
            double both[] = { 1, 1.1 * e }, alone[] = { 0, 1.1 * e };

            ok(!run(&s, method[i], "newton", 0.1, 10, both) && !run(&s, method[i], "newton", 0.1, 10, alone),
               "%s, e = %g", method[i], e);
            near(both[1] / alone[1], 1, 1e-12, "the small component beside the large one");
        }
}

/* y' = a y - b y^3 + c: one real solution, which simplified Newton iteration creeps up to (Cardano's formula in long
 * double says 2.10185516240095391). */
static int cubic(double t, const double *y, double *f, void *ctx) { return f[0] = -y[0] + y[0] * y[0] * y[0] - 0.3, 0; }

static void creeping(void)
{
    lbr_system s = LBR_SYSTEM(.name = "cubic", .dim = 1, .field = cubic);
    double y[] = { -1.34 };

    ok(!run(&s, "implicit-euler", "newton", 0.5, 1, y), "a cubic");
    near(y[0], 2.10185516240095391, 2e-14, "its root, to the last digits");
}

int main(void)
{
    without_end();
    small_ones();
    creeping();
    of_two_solutions();
    multiplies();
    return tap_done();
}
