/* pendulum.c - a system for the tool: libration run pendulum.c --out pendulum.csv.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <libration.h>

#include <math.h>

static int energy(double t, const double *y, double *H, void *ctx)
{
    (void)t, (void)ctx;
    *H = 0.5 * y[1] * y[1] - cos(y[0]);
    return 0;
}
static int force(double t, const double *q, double *f, void *ctx)
{
    (void)t, (void)ctx;
    *f = -sin(*q);
    return 0;
}

static const double one = 1, start[] = { 1.5, 0 };
static const lbr_defaults defaults = { sizeof defaults, 0, start, "stormer-verlet", 0.1, 1000 };

int lbr_model(lbr_system *out)
{
    *out = LBR_SYSTEM(.name = "pendulum", .dim = 2, .nq = 1, .energy = energy, .force = force, .inverse_mass = &one,
                      .defaults = &defaults);
    return 0;
}
