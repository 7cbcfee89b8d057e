/* rod.c - a pendulum on a rod, g(q) = |q|^2 - 1 = 0, with all derivatives by hand: libration check rod.c compares them,
 * libration run rod.c runs it. SPDX-License-Identifier: BSD-3-Clause */
#include <libration.h>

static int energy(double t, const double *y, double *H, void *ctx)
{
    (void)t, (void)ctx;
    *H = (y[2] * y[2] + y[3] * y[3]) / 2 + y[1];
    return 0;
}

static int force(double t, const double *q, double *f, void *ctx)
{
    (void)t, (void)q, (void)ctx;
    f[0] = 0, f[1] = -1;
    return 0;
}

static int g(double t, const double *q, double *out, void *ctx)
{
    (void)t, (void)ctx;
    *out = q[0] * q[0] + q[1] * q[1] - 1;
    return 0;
}

static int G(double t, const double *q, double *out, void *ctx)
{
    (void)t, (void)ctx;
    out[0] = 2 * q[0], out[1] = 2 * q[1];
    return 0;
}

static int g2(double t, const double *q, const double *u, const double *v, double *out, void *ctx)
{
    (void)t, (void)q, (void)ctx;
    *out = 2 * (u[0] * v[0] + u[1] * v[1]);
    return 0;
}

static const double ones[] = { 1, 1 }, start[] = { 0.6, -0.8, 0.8, 0.6 };
static const char *const names[] = { "rod" };
static const lbr_constraints rod = { .size = sizeof rod, .m = 1, .names = names, .g = g, .G = G, .g2 = g2 };
static const lbr_defaults defaults = { sizeof defaults, 0, start, "rattle", 0.05, 1000 };

int lbr_model(lbr_system *out);
int lbr_model(lbr_system *out)
{
    *out = LBR_SYSTEM(.name = "rod", .dim = 4, .nq = 2, .energy = energy, .force = force, .inverse_mass = ones,
                      .constraints = &rod, .defaults = &defaults);
    return 0;
}
