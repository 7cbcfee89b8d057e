/* test_runaway.c - implicit equations whose iterates run away, and states that vanish.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A change may be small only because an iterate, or the matrix that makes it, is enormous: then nothing is solved. And
 * where a state has shrunk to the smallest numbers there are, its changes cannot be small relative to it: that is no
 * failure. */
#include "support/tap.h"

#include <libration.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const methods[] = {
    "implicit-euler", "midpoint",   "trapezoidal",  "gauss:2",      "gauss:4",
    "radau-2a:2",     "radau-2a:3", "lobatto-3c:3", "lobatto-3a:3", "compose(triple-jump:4, midpoint)"
};
enum { METHODS = sizeof methods / sizeof *methods };

static lbr_status run(const lbr_system *s, const char *method, const char *solver, double h, int64_t n, double *y)
{
    lbr_options options;
    lbr_plan *plan;
    lbr_status status;

    lbr_options_init(&options), lbr_option_set(&options, "solver", solver);
    status = lbr_plan_create(&plan, method, s, &options);
    if (!status) status = lbr_start(plan, 0, h, y);
    if (!status) status = lbr_run(plan, n, 0, NULL, NULL);
    if (!status) status = lbr_read(plan, NULL, y);
    if (status) printf("# %s, %s: %s\n", method, solver, lbr_plan_message(plan));
    lbr_plan_free(plan);
    return status;
}

/* A diode: from x = 1 the field is -5e21, at -5e20, where a first iterate leads, it is 1. The solution falls to 0 at
 * once, as a solution of the first step does. */
static int diode(double t, const double *y, double *f, void *ctx) { return f[0] = 1 - exp(50 * y[0]), 0; }

static void runs_away(void)
{
    lbr_system s = LBR_SYSTEM(.name = "diode", .dim = 1, .field = diode);
    static const char *const solver[] = { "auto", "newton" };

    for (int i = 0; i < METHODS; i++)
        for (int k = 0; k < 2; k++) {
            double y = 1;
            lbr_status status = run(&s, methods[i], solver[k], 0.1, 1, &y);

            ok(status == LBR_ENOCONV || status == LBR_ENONFINITE || (!status && y < 1), "%s, %s: %s", methods[i],
               solver[k], status ? "it says that it is not solved" : "solved");
        }
    for (int i = 0; i < METHODS; i++) {
        double y = 0.01;

        ok(!run(&s, methods[i], "auto", 0.001, 100, &y) && fabs(y) < 1e-3, "%s: from a start near by it is solved, %g",
           methods[i], y);
    }
}

static int decay(double t, const double *y, double *f, void *ctx)
{
    return f[0] = -y[0], f[1] = -2 * y[1] + y[0] * y[0], 0;
}
static int decay_jvp(double t, const double *y, const double *v, double *f, void *ctx)
{
    return f[0] = -v[0], f[1] = -2 * v[1] + 2 * y[0] * v[0], 0;
}

static void vanishes(void)
{
    lbr_system s = LBR_SYSTEM(.name = "decay", .dim = 2, .field = decay, .field_jvp = decay_jvp);
    static const char *const solver[] = { "auto", "newton" };

    for (int i = 0; i < METHODS; i++)
        for (int k = 0; k < 2; k++) {
            double y[2] = { 1, 1 };

            ok(!run(&s, methods[i], solver[k], 0.1, 12000, y) && fabs(y[0]) < 1e-300 && fabs(y[1]) < 1e-300,
               "%s, %s: a state that vanishes, %g", methods[i], solver[k], y[0]);
        }
}

int main(void)
{
    runs_away(), vanishes();
    return tap_done();
}
