/* test_variational.c - discrete Lagrangians: what they are for constant masses, order, symplecticity, Noether's
 * theorem, any regular L. SPDX-License-Identifier: BSD-3-Clause */
#include "support/analysis.h"
#include "support/modelled.h"

static problem of_model(modelled *x, const char *text, const char *name)
{
    problem p = { .h = 0.1 };

    if (!open_text(x, text)) printf("Bail out! %s\n", name), exit(2);
    p.system = *x->s, p.system.name = name;
    memcpy(p.y, x->m->y0, (size_t)x->m->dim * sizeof *p.y);
    return p;
}

/* A mass matrix M(q), with a term linear in the velocities; rotations of q leave this one as it is: a particle on a
 * surface of revolution. */
static const char pendulum_text[] =
    "canonical q[2], p[2]\n"
    "L = (3*q[1]'^2 + q[2]'^2 + 2*q[1]'*q[2]'*cos(q[1] - q[2]))/2 + q[1]^2*q[2]'/4 + 3*cos(q[1]) + cos(q[2])\n"
    "start q = [0.5, 1.1], q' = [0.3, -0.4]\n";
static const char surface_text[] = "canonical q[2], p[2]\n"
                                   "let r2 = sq(q)\n"
                                   "L = (sq(q') + (q[1]*q[1]' + q[2]*q[2]')^2/(1 + r2))/2 - r2^2/4\n"
                                   "start q = [0.8, 0.1], q' = [0.2, 0.9]\n";
/* Not quadratic in the velocities: a relativistic particle in a potential, and the same by its H. */
static const char relativistic_text[] = "canonical q[2], p[2]\n"
                                        "L = -sqrt(1 - sq(q')) - q[1]^4/4 - q[2]^2/2 - q[1]*q[2]/5\n"
                                        "start q = [0.8, 0.1], q' = [0.2, 0.9]\n";
static const char relativistic_h_text[] = "canonical q[2], p[2]\n"
                                          "H = sqrt(1 + sq(p)) + q[1]^4/4 + q[2]^2/2 + q[1]*q[2]/5\n"
                                          "start q = [0.8, 0.1], q' = [0.2, 0.9]\n";
/* The time in L, also with the velocity. */
static const char driven_text[] = "canonical q, p\n"
                                  "L = (1 + q^2 + t/4)*q'^2/2 - q^4/4 + q*sin(t)\n"
                                  "start q = 0.7, q' = 0.2\n";

static modelled held[5];
static problem systems[5];
enum { PENDULUM, SURFACE, RELATIVISTIC, RELATIVISTIC_H, DRIVEN };

/* --- constant masses: known methods ------------------------------------------------------------------------------ */

static void identities(void)
{
    static const struct {
        const char *a, *b;
    } row[] = {
        { "variational(trapezoidal)", "stormer-verlet" },
        { "variational(midpoint)", "midpoint" },
        { "variational(gauss:1)", "midpoint" },
        { "variational(gauss:2)", "gauss:2" },
        { "variational(gauss:5)", "gauss:5" },
        { "variational(lobatto-3a:2)", "stormer-verlet" },
        { "variational(explicit-euler)", "symplectic-euler" },
        { "adjoint(variational(explicit-euler))", "symplectic-euler-b" },
        { "variational(implicit-euler)", "symplectic-euler-b" },
        { "compose(yoshida-6-7, variational(trapezoidal))", "compose(yoshida-6-7, stormer-verlet)" },
    };
    const problem all[] = { henon_heiles(), kepler(), pendulum(), driven() };

    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        for (int k = 0; k < 4; k++) {
            double a[PROBLEM_DIM], b[PROBLEM_DIM], d = NAN;

            if (!problem_run(&all[k], row[i].a, NULL, all[k].h / 2, 20, a) &&
                !problem_run(&all[k], row[i].b, NULL, all[k].h / 2, 20, b))
                d = distance(all[k].system.dim, a, b);
            ok(d <= 1e-13, "%s is %s on %s: %.1e after 20 steps", row[i].a, row[i].b, all[k].system.name, d);
        }
}

/* A Galerkin method from L is the partitioned Runge-Kutta method for H: Gauss's for any L (HLW VI.6.4). For M(q)
 * MacKay's is not Verlet. */
static void from_h(void)
{
    static const int of[][2] = {
        { PENDULUM, PENDULUM }, { SURFACE, SURFACE }, { RELATIVISTIC, RELATIVISTIC_H }, { DRIVEN, DRIVEN }
    };

    for (int s = 1; s <= 4; s++)
        for (int k = 0; k < 4; k++) {
            char a[32], b[32];
            double x[PROBLEM_DIM], y[PROBLEM_DIM], d = NAN;

            snprintf(a, sizeof a, "variational(gauss:%d)", s), snprintf(b, sizeof b, "gauss:%d", s);
            if (!problem_run(&systems[of[k][0]], a, NULL, 0.1, 20, x) &&
                !problem_run(&systems[of[k][1]], b, NULL, 0.1, 20, y))
                d = distance(systems[of[k][0]].system.dim, x, y);
            ok(d <= 2e-13, "%s from L is %s from H on %s: %.1e after 20 steps", a, b, systems[of[k][0]].system.name, d);
        }
    {
        double x[PROBLEM_DIM], y[PROBLEM_DIM];

        problem_run(&systems[SURFACE], "variational(trapezoidal)", NULL, 0.1, 1, x),
            problem_run(&systems[SURFACE], "stormer-verlet", NULL, 0.1, 1, y);
        ok(distance(4, x, y) > 1e-6, "where the mass depends on q MacKay's is not Verlet: they differ by %.1e",
           distance(4, x, y));
    }
}

/* --- order, symplecticity, symmetry ------------------------------------------------------------------------------ */

static const struct {
    const char *name;
    int order, symmetric;
} all[] = {
    { "variational(midpoint)", 2, 1 },     { "variational(trapezoidal)", 2, 1 },
    { "variational(gauss:2)", 4, 1 },      { "variational(lobatto-3a:2)", 2, 1 },
    { "variational(lobatto-3a:3)", 4, 1 }, { "variational(lobatto-3a:4)", 6, 1 },
    { "variational(radau-2a:2)", 3, 0 },   { "adjoint(variational(radau-2a:2))", 3, 0 },
    { "variational(rk4)", 4, 0 },          { "compose(suzuki:4, variational(trapezoidal))", 4, 1 },
};
enum { ALL = sizeof all / sizeof *all };

static void claims(int which, int i)
{
    const problem *p = &systems[which], *h = which == RELATIVISTIC ? &systems[RELATIVISTIC_H] : p;
    lbr_options o = options_of("compensated=yes");
    const lbr_method_info *info;
    double exact[PROBLEM_DIM], d, T = 1.5;
    slope s;
    int found;

    reference(h, T, 64, exact);
    s = slope_of(p, all[i].name, &o, T, exact, all[i].order, 2e-12, 800);
    found = lbr_method_describe(&info, all[i].name) ? -1 : info->order;
    ok(found == all[i].order && fabs(s.order - all[i].order) < 0.25,
       "%s on %s: order %.3f for %d, and it is said to be %d", all[i].name, p->system.name, s.order, all[i].order,
       found);
    lbr_method_free(info);
    d = not_symplectic(p, all[i].name, NULL, 0.1);
    ok(d < 1e-10, "%s on %s: symplectic to %.1e", all[i].name, p->system.name, d);
    d = asymmetry(p, all[i].name, NULL, 0.1);
    ok(all[i].symmetric ? d < 1e-14 : d > 1e-9, "%s on %s: %ssymmetric, %.1e", all[i].name, p->system.name,
       all[i].symmetric ? "" : "not ", d);
}

/* --- Noether: L_h is invariant under rotations, so is what follows from it (HLW VI.6.7) -------------------------- */

static void noether(void)
{
    static const char *const keeps[] = { "variational(midpoint)",   "variational(trapezoidal)",
                                         "variational(gauss:3)",    "variational(lobatto-3a:3)",
                                         "variational(radau-2a:2)", "variational(rk4)" };

    for (int i = 0; i < 6; i++) {
        double d = excursion(range_of(&systems[SURFACE], keeps[i], NULL, 0.1, 300, kepler_momentum));
        ok(d < 1e-13, "%s keeps the angular momentum of a motion on a surface: %.1e in 300 steps", keeps[i], d);
    }
    {
        double d = excursion(range_of(&systems[SURFACE], "rk4", NULL, 0.1, 300, kepler_momentum));
        ok(d > 1e-6, "rk4 does not: %.1e", d);
    }
    {
        const problem *h = &systems[RELATIVISTIC_H];
        range r = { .f = h->system.energy, .ctx = h->system.ctx };
        lbr_plan *plan = plan_of(&systems[RELATIVISTIC], "variational(lobatto-3a:3)", NULL);

        if (plan && !lbr_start(plan, 0, 0.05, h->y)) lbr_run(plan, 2000, 1, see_range, &r);
        ok(r.n == 2001 && excursion(r) < 1e-5 && excursion(r) > 1e-12,
           "the energy of the relativistic particle, which it does not know, stays within %.1e in 2000 steps",
           excursion(r));
        lbr_plan_free(plan);
    }
}

/* --- a discrete Lagrangian of one's own -------------------------------------------------------------------------- */

/* L_h = h (|q1 - q0|^2/(2 h^2) - (V(t, q0) + V(t + h, q1))/2): MacKay's of two driven quartic oscillators. Another one
 * has V at q0 only. */
static int pair_force(double t, const double *q, double *f, void *ctx)
{
    (void)ctx;
    for (int i = 0; i < 2; i++) f[i] = -q[i] * q[i] * q[i] - (1 + sin(t)) * q[1 - i] / 5;
    return 0;
}

/* out = by (b - a)/h + c f. */
static int slope_and_force(double by, double h, const double *a, const double *b, double c, double t, const double *q,
                           double *out)
{
    double f[2];

    pair_force(t, q, f, NULL);
    for (int i = 0; i < 2; i++) out[i] = by * (b[i] - a[i]) / h + c * f[i];
    return 0;
}

static int d1(double t, double h, const double *a, const double *b, double *out, void *ctx)
{
    return (void)ctx, slope_and_force(-1, h, a, b, h / 2, t, a, out);
}
static int d2(double t, double h, const double *a, const double *b, double *out, void *ctx)
{
    return (void)ctx, slope_and_force(1, h, a, b, h / 2, t + h, b, out);
}
static int e1(double t, double h, const double *a, const double *b, double *out, void *ctx)
{
    return (void)ctx, slope_and_force(-1, h, a, b, h, t, a, out);
}
static int e2(double t, double h, const double *a, const double *b, double *out, void *ctx)
{
    return (void)ctx, slope_and_force(1, h, a, b, 0, t, a, out);
}

static void of_ones_own(void)
{
    static const lbr_lagrangian even = { .size = sizeof even, .D1 = d1, .D2 = d2 },
                                first = { .size = sizeof first, .D1 = e1, .D2 = e2 };
    const problem quartic = { LBR_SYSTEM(.name = "quartic", .dim = 4, .nq = 2, .force = pair_force,
                                         .inverse_mass = problem_ones),
                              .h = 0.1, .y = { 0.7, -0.4, 0.9, 0.3 } };
    const struct {
        const lbr_lagrangian *L;
        const char *method, *same;
    } row[] = {
        { &even, "variational(own)", "stormer-verlet" },
        { &even, "adjoint(variational(own))", "stormer-verlet" },
        { &first, "variational(own)", "symplectic-euler" },
        { &first, "adjoint(variational(own))", "symplectic-euler-b" },
        { &first, "compose(strang, variational(own))", "stormer-verlet" },
    };

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        problem p = { LBR_SYSTEM(.name = "discrete", .dim = 4, .nq = 2, .lagrangian = row[i].L), .h = 0.1,
                      .y = { 0.7, -0.4, 0.9, 0.3 } };
        double a[4], b[4], d = NAN;

        if (!problem_run(&p, row[i].method, NULL, 0.1, 30, a) && !problem_run(&quartic, row[i].same, NULL, 0.1, 30, b))
            d = distance(4, a, b);
        ok(d < 5e-14, "%s of a discrete Lagrangian alone is %s: %.1e after 30 steps", row[i].method, row[i].same, d);
    }
}

/* --- what does not go is said ------------------------------------------------------------------------------------ */

static void refused(const problem *p, const char *method, lbr_status want, const char *word)
{
    lbr_plan *plan;
    lbr_status status = lbr_plan_create(&plan, method, &p->system, NULL);

    ok(status == want && strstr(lbr_plan_message(plan), word), "%s on %s: %s", method, p->system.name,
       lbr_plan_message(plan));
    lbr_plan_free(plan);
}

static int flat(double t, const double *q, const double *v, double *out, void *ctx)
{
    return (void)t, (void)q, (void)v, (void)ctx, out[0] = 1, 0;
}

static void refusals(void)
{
    static const char *const A[] = { "0", "0", "1", "0" }, *const b[] = { "1", "0" };
    static const lbr_method zero = {
        .size = sizeof zero, .name = "zero", .form = "runge-kutta", .A = { 4, A }, .b = { 2, b }
    };
    static const lbr_lagrangian singular = { .size = sizeof singular, .dLdq = flat, .dLdv = flat };
    lbr_options o = options_of("");
    problem p = mixed(),
            q = { LBR_SYSTEM(.name = "flat", .dim = 2, .nq = 1, .lagrangian = &singular), .h = 0.1, .y = { 0.7, 0.9 } };
    lbr_plan *plan;
    lbr_status status;
    modelled x;

    refused(&p, "variational(midpoint)", LBR_EUNFIT, "Lagrangian"), refused(&p, "variational(own)", LBR_EUNFIT, "D1"),
        refused(&systems[RELATIVISTIC], "rk4", LBR_EUNFIT, "field");
    refused(&p, "variational(stormer-verlet)", LBR_EMETHOD, "Runge-Kutta methods"),
        refused(&p, "variational", LBR_EMETHOD, "arguments"),
        refused(&p, "variational(midpoint, midpoint)", LBR_EMETHOD, "used like this");
    refused(&p, "variational(gauss)", LBR_EMETHOD, "family"),
        refused(&systems[SURFACE], "variational(own)", LBR_EUNFIT, "D1");
    o.methods = &zero, o.nmethods = 1;
    status = lbr_plan_create(&plan, "variational(zero)", &systems[SURFACE].system, &o);
    ok(status == LBR_EMETHOD && strstr(lbr_plan_message(plan), "zero"), "%s", lbr_plan_message(plan));
    lbr_plan_free(plan);
    plan = plan_of(&q, "variational(midpoint)", NULL);
    ok(plan && !lbr_start(plan, 0, 0.1, q.y) && lbr_run(plan, 1, 0, NULL, NULL) == LBR_ECALLBACK &&
           strstr(lbr_plan_message(plan), "regular"),
       "%s", lbr_plan_message(plan));
    lbr_plan_free(plan);
    ok(!open_text(&x, "canonical q, p\n"
                      "L = q'^4 - q^2\n"
                      "rayleigh = q'^2\n"
                      "start q = 1\n"),
       "damping needs an L that is quadratic in the velocities");
    close_model(&x);
}

int main(void)
{
    systems[PENDULUM] = of_model(&held[0], pendulum_text, "pendulum"),
    systems[SURFACE] = of_model(&held[1], surface_text, "surface");
    systems[RELATIVISTIC] = of_model(&held[2], relativistic_text, "relativistic"),
    systems[RELATIVISTIC_H] = of_model(&held[3], relativistic_h_text, "relativistic by H");
    systems[DRIVEN] = of_model(&held[4], driven_text, "driven");
    ok(distance(4, systems[RELATIVISTIC].y, systems[RELATIVISTIC_H].y) < 1e-12,
       "velocities at the start give the momenta of L");
    ok(!systems[RELATIVISTIC].system.energy && !systems[RELATIVISTIC].system.field,
       "an L that is not quadratic has no H");
    identities(), from_h();
    for (int i = 0; i < ALL; i++) claims(PENDULUM, i), claims(SURFACE, i), claims(RELATIVISTIC, i), claims(DRIVEN, i);
    noether(), of_ones_own(), refusals();
    for (int i = 0; i < 5; i++) close_model(&held[i]);
    return tap_done();
}
