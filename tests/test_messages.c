/* test_messages.c - a failure on the way names the component that failed. SPDX-License-Identifier: BSD-3-Clause */
#include "tap.h"

#include "problems.h"

enum { N = 5 };

/* Four quiet components and one, ctx, for which the trapezoidal and the midpoint rule have no solution (HLW Fig. II.1.2). */
static int field(double t, const double *y, double *out, void *ctx)
{
    for (int i = 0; i < N; i++) out[i] = i == *(int *)ctx ? t * t + y[i] * y[i] : 0.1 * (1 - y[i]);
    return 0;
}

/* The same hidden in a map: explicit Euler, so that its adjoint is implicit Euler. */
static int euler(double t, double h, double *y, void *ctx)
{
    double f[N];

    field(t, y, f, ctx);
    for (int i = 0; i < N; i++) y[i] += h * f[i];
    return 0;
}
static const lbr_map_def maps[] = { { .size = sizeof (lbr_map_def), .name = "code", .map = euler, .order = 1 } };

/* H = p2 q2^2 and the like has rates that run away: q' = 1 + q^2 in the component ctx. */
static int dHdq(double t, const double *y, double *out, void *ctx)
{
    (void)t;
    for (int i = 0; i < 3; i++) out[i] = i == *(int *)ctx ? 2 * y[i] * y[3 + i] : 0.1 * y[i];
    return 0;
}
static int dHdp(double t, const double *y, double *out, void *ctx)
{
    (void)t;
    for (int i = 0; i < 3; i++) out[i] = i == *(int *)ctx ? 1 + y[i] * y[i] : 0.1 * y[3 + i];
    return 0;
}

/* The same for p: p' = -(1 + p^2) has no step of symplectic Euler with p implicit. */
static int dHdq_p(double t, const double *y, double *out, void *ctx)
{
    (void)t;
    for (int i = 0; i < 3; i++) out[i] = i == *(int *)ctx ? 1 + y[3 + i] * y[3 + i] : 0.1 * y[i];
    return 0;
}
static int dHdp_p(double t, const double *y, double *out, void *ctx)
{
    (void)t;
    for (int i = 0; i < 3; i++) out[i] = i == *(int *)ctx ? 2 * y[i] * y[3 + i] : 0.1 * y[3 + i];
    return 0;
}

static void named(const lbr_system *s, const char *method, int solver, double h, const double *y, lbr_status want, const char *component)
{
    lbr_plan *plan;
    lbr_options o;
    lbr_status status;

    lbr_options_init(&o);
    o.solver = solver;
    status = lbr_plan_create(&plan, method, s, &o);
    if (!status) status = lbr_start(plan, 0, h, y);
    if (!status) status = lbr_run(plan, 1, 0, NULL, NULL);
    ok(status == want && strstr(lbr_plan_message(plan), component), "%s, solver %d: %s", method, solver, lbr_plan_message(plan));
    lbr_plan_free(plan);
}

int main(void)
{
    static const char *const methods[] = { "midpoint", "trapezoidal", "gauss:2", "compose(strang, implicit-euler)", "adjoint(code)" };
    const double y[N] = { 0.46, 0.46, 0.46, 0.46, 0.46 }, z[6] = { 0.5, 0.5, 0.5, 1, 1, 1 };
    char component[32];

    for (int which = 0; which < N; which++) {
        lbr_system s = LBR_SYSTEM(.name = "one of five", .dim = N, .field = field, .ctx = &which, .maps = maps, .nmaps = 1);

        snprintf(component, sizeof component, "component y[%d] ", which + 1);
        for (int m = 0; m < 5; m++)
            for (int solver = 0; solver < 3; solver++)
                named(&s, methods[m], solver, m == 2 ? 3 : 1.4, y, LBR_ENOCONV, component);
    }
    for (int which = 0; which < 3; which++) {
        lbr_system s = LBR_SYSTEM(.name = "one of three", .dim = 6, .nq = 3, .dHdq = dHdq, .dHdp = dHdp, .ctx = &which);

        snprintf(component, sizeof component, "component q[%d] ", which + 1);
        for (int solver = 0; solver < 3; solver++) named(&s, "symplectic-euler-b", solver, 2, z, LBR_ENOCONV, component);
        s.dHdq = dHdq_p, s.dHdp = dHdp_p;
        snprintf(component, sizeof component, "component p[%d] ", which + 1);
        for (int solver = 0; solver < 3; solver++) named(&s, "symplectic-euler", solver, -2, z, LBR_ENOCONV, component);
    }
    return tap_done();
}
