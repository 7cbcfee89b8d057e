/* test_messages.c - a failure on the way names the component that failed. SPDX-License-Identifier: BSD-3-Clause */
#include "support/tap.h"

#include "support/problems.h"

enum { N = 5 };

/* Four quiet components and one, ctx, for which the trapezoidal and the midpoint rule have no solution (HLW Fig.
 * II.1.2). */
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
static const lbr_map_def maps[] = { { .size = sizeof(lbr_map_def), .name = "code", .map = euler, .order = 1 } };

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

/* The same in y'' = g: 1 + q^2 for Nystrom's methods, 1 + p^2 where g has y' too. */
static const double ones[3] = { 1, 1, 1 };
static int force(double t, const double *q, double *out, void *ctx)
{
    (void)t;
    for (int i = 0; i < 3; i++) out[i] = i == *(int *)ctx ? 1 + q[i] * q[i] : -0.1 * q[i];
    return 0;
}
static int damped(double t, const double *y, double *out, void *ctx)
{
    (void)t;
    for (int i = 0; i < 3; i++)
        out[i] = y[3 + i], out[3 + i] = i == *(int *)ctx ? 1 + y[3 + i] * y[3 + i] : -0.1 * y[i];
    return 0;
}

/* Two halves of the first field, and of a partitioned one. */
static int half(double t, const double *y, double *out, void *ctx)
{
    for (int i = (field(t, y, out, ctx), 0); i < N; i++) out[i] /= 2;
    return 0;
}
static int half_p(double t, const double *y, double *out, void *ctx)
{
    (void)t;
    for (int i = 0; i < 6; i++) out[i] = i == *(int *)ctx ? (1 + y[i] * y[i]) / 2 : 0.05 * (1 - y[i]);
    return 0;
}

static void named(const lbr_system *s, const char *method, int solver, double h, const double *y, lbr_status want,
                  const char *component)
{
    lbr_plan *plan;
    lbr_options o;
    lbr_status status;

    lbr_options_init(&o);
    o.solver = solver;
    status = lbr_plan_create(&plan, method, s, &o);
    if (!status) status = lbr_start(plan, 0, h, y);
    if (!status) status = lbr_run(plan, 1, 0, NULL, NULL);
    ok(status == want && strstr(lbr_plan_message(plan), component), "%s, solver %d: %s", method, solver,
       lbr_plan_message(plan));
    lbr_plan_free(plan);
}

/* --- systems that are half given --------------------------------------------------------------------------------- */

static int gradient(double t, const double *y, double *out, void *ctx) { return out[0] = y[0], out[1] = y[1], 0; }
static int turned(double t, const double *y, const double *v, double *out, void *ctx)
{
    return out[0] = v[1], out[1] = -v[0], 0;
}
static int energy(double t, const double *y, double *out, void *ctx)
{
    return *out = (y[0] * y[0] + y[1] * y[1]) / 2, 0;
}

static void lacking(void)
{
    static const lbr_poisson poisson = { sizeof poisson, gradient, turned };
    const struct {
        lbr_system s;
        const char *method, *says;
    } row[] = {
        { LBR_SYSTEM(.dim = 2, .nq = 1, .force = force), "stormer-verlet", "force without inverse_mass or velocity" },
        { LBR_SYSTEM(.dim = 2, .nq = 1, .force = force), "rk4", "force without inverse_mass or velocity" },
        { LBR_SYSTEM(.dim = 2, .nq = 1, .force = force), "kahan", "force without inverse_mass or velocity" },
        { LBR_SYSTEM(.dim = 2, .nq = 1, .force = force), "lobatto-3a-3b:2", "force without inverse_mass or velocity" },
        { LBR_SYSTEM(.dim = 2, .force = force, .inverse_mass = ones), "stormer-verlet", "force without nq" },
        { LBR_SYSTEM(.dim = 2, .force = force, .inverse_mass = ones), "gauss:2", "force without nq" },
        { LBR_SYSTEM(.dim = 2, .dHdq = dHdq, .dHdp = dHdp), "gauss:2", "dHdq and dHdp without nq" },
        { LBR_SYSTEM(.dim = 2, .nq = 1, .dHdq = dHdq), "gauss:2", "dHdq without dHdp" },
        { LBR_SYSTEM(.dim = 2, .nq = 1, .dHdp = dHdp), "gauss:2", "dHdp without dHdq" },
        { LBR_SYSTEM(.dim = 2, .nq = 1, .inverse_mass = ones), "gauss:2", "velocities without force" },
        { LBR_SYSTEM(.dim = 2, .energy = energy, .poisson = &poisson), "midpoint", "poisson alone" },
        { LBR_SYSTEM(.dim = 2, .field = field), "stormer-verlet", "no partition into positions and momenta (nq); rk4" },
        { LBR_SYSTEM(.dim = 2), "midpoint", "neither field nor force" },
    };

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        lbr_plan *plan;
        lbr_status status = lbr_plan_create(&plan, row[i].method, &row[i].s, NULL);

        ok(status == LBR_EUNFIT && strstr(lbr_plan_message(plan), row[i].says), "%s", lbr_plan_message(plan));
        ok(row[i].s.field || !strstr(lbr_plan_message(plan), "fit any field"), "... no method that would not fit");
        lbr_plan_free(plan);
    }
}

/* A force that has no value beyond q = 1. */
static int walled(double t, const double *q, double *out, void *ctx) { return *out = *q > 1 ? NAN : -*q, 0; }

static void no_value(void)
{
    lbr_system s = LBR_SYSTEM(.dim = 2, .nq = 1, .force = walled, .inverse_mass = ones);
    const double y[2] = { 0.9, 3 };

    for (int solver = 0; solver < 3; solver++) named(&s, "gauss:2", solver, 0.1, y, LBR_ENOCONV, "not finite");
}

int main(void)
{
    static const char *const methods[] = { "midpoint", "trapezoidal", "gauss:2", "compose(strang, implicit-euler)",
                                           "adjoint(code)" };
    const double y[N] = { 0.46, 0.46, 0.46, 0.46, 0.46 }, z[6] = { 0.5, 0.5, 0.5, 1, 1, 1 };
    char component[32];

    lacking(), no_value();
    for (int which = 0; which < N; which++) {
        lbr_system s = LBR_SYSTEM(.name = "one of five", .dim = N, .field = field, .ctx = &which, .maps = maps,
                                  .nmaps = 1);

        snprintf(component, sizeof component, "component y[%d] ", which + 1);
        for (int m = 0; m < 5; m++)
            for (int solver = 0; solver < 3; solver++)
                named(&s, methods[m], solver, m == 2 ? 3 : 1.4, y, LBR_ENOCONV, component);
    }
    for (int which = 0; which < 3; which++) {
        lbr_system s = LBR_SYSTEM(.name = "one of three", .dim = 6, .nq = 3, .dHdq = dHdq, .dHdp = dHdp, .ctx = &which);

        snprintf(component, sizeof component, "component q[%d] ", which + 1);
        for (int solver = 0; solver < 3; solver++)
            named(&s, "symplectic-euler-b", solver, 2, z, LBR_ENOCONV, component);
        s.dHdq = dHdq_p, s.dHdp = dHdp_p;
        snprintf(component, sizeof component, "component p[%d] ", which + 1);
        for (int solver = 0; solver < 3; solver++) named(&s, "symplectic-euler", solver, -2, z, LBR_ENOCONV, component);
    }
    for (int which = 0; which < 6; which++) {
        const lbr_part halves[2] = { { sizeof *halves, .name = "A", .field = half },
                                     { sizeof *halves, .name = "B", .field = half } };
        const lbr_part others[2] = { { sizeof *halves, .name = "A", .field = half_p },
                                     { sizeof *halves, .name = "B", .field = half_p } };
        const lbr_parts parts[2] = { { sizeof *parts, 2, halves, 0 }, { sizeof *parts, 2, others, 0 } };
        lbr_system five = LBR_SYSTEM(.name = "one of five", .dim = N, .parts = &parts[0], .ctx = &which),
                   six = LBR_SYSTEM(.name = "one of six", .dim = 6, .nq = 3, .parts = &parts[1], .ctx = &which);
        lbr_system second = LBR_SYSTEM(.name = "second order", .dim = 6, .nq = 3, .force = force, .inverse_mass = ones,
                                       .ctx = &which);
        lbr_system general = LBR_SYSTEM(.name = "with y'", .dim = 6, .nq = 3, .field = damped, .inverse_mass = ones,
                                        .ctx = &which);
        const double far[6] = { 9, 8, 7, 1, 1, 1 };

        for (int solver = 0; solver < 3; solver++) {
            snprintf(component, sizeof component, "component y[%d] ", which + 1);
            if (which < N)
                named(&five, "additive(midpoint, implicit-euler, A, B)", solver, 1.4, y, LBR_ENOCONV, component);
            snprintf(component, sizeof component, "component %c[%d] ", "qp"[which / 3], which % 3 + 1);
            named(&six, "additive(gauss:2, lobatto-3c:2, A, B)", solver, 4, z, LBR_ENOCONV, component);
            if (which < 3) named(&second, "gauss-nystrom:2", solver, 3, z, LBR_ENOCONV, component);
            snprintf(component, sizeof component, "component p[%d] ", which + 1);
            if (which < 3) named(&general, "gauss-nystrom:1", solver, 0.4145, far, LBR_ENOCONV, component);
        }
    }
    return tap_done();
}
