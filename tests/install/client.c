/* client.c - a pendulum, as a program outside the project writes it. SPDX-License-Identifier: BSD-3-Clause */
#include <libration.h>
#include <math.h>
#include <stdio.h>

static int energy(double t, const double *y, double *H, void *ctx)
{
    *H = y[1] * y[1] / 2 - cos(y[0]);
    return 0;
}
static int force(double t, const double *q, double *f, void *ctx)
{
    f[0] = -sin(q[0]);
    return 0;
}

static int observe(const lbr_view *view, void *ctx)
{
    double *worst = ctx, H;

    if (lbr_view_energy(view, &H)) return 1;
    *worst = fmax(*worst, fabs(H + cos(1.0)));
    return 0;
}

int main(void)
{
    double t, y[2] = { 1, 0 }, one[1] = { 1 }, worst = 0;
    lbr_system pendulum = LBR_SYSTEM(.name = "pendulum", .dim = 2, .nq = 1, .energy = energy, .force = force,
                                     .inverse_mass = one);
    lbr_plan *plan;

    if (lbr_plan_create(&plan, "kahan-li-8-17", &pendulum, NULL) || lbr_start(plan, 0.0, 0.1, y) ||
        lbr_run(plan, 1000, 10, observe, &worst) || lbr_read(plan, &t, y)) {
        fprintf(stderr, "%s\n", plan ? lbr_plan_message(plan) : "out of memory");
        lbr_plan_free(plan);
        return 1;
    }
    printf("libration %s: q(%g) = %.12f, energy error %.1e\n", lbr_version(), t, y[0], worst);
    lbr_plan_free(plan);
    return worst < 1e-8 && fabs(t - 100) < 1e-9 ? 0 : 1;
}
