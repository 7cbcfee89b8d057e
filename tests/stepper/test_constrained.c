/* test_constrained.c - systems with constraints: order, symmetry, symplecticity on the manifold, multipliers, starts,
 * and what is refused. SPDX-License-Identifier: BSD-3-Clause */
#include "support/manifolds.h"
#include "plan/method_rows.h"

enum { DIM = 64 };

/* --- systems ----------------------------------------------------------------------------------------------------- */

static const char sphere_text[] = "canonical q[3], p[3]\n"
                                  "H = sq(p)/2 + q[3]\n"
                                  "constraint length = sq(q) - 1\n"
                                  "invariant Lz = q[1]*p[2] - q[2]*p[1]\n"
                                  "start q = [sin(1.3), 0, cos(1.3)], p = [0.3*cos(1.3), 0.65, -0.3*sin(1.3)]\n";
static const char loop_text[] =
    "param n = 12\n"
    "canonical q[n,3], p[n,3]\n"
    "let angle = 2*pi/n, l2 = 2 - 2*cos(angle)\n"
    "H = sq(p)/2 + sum(i = 1..n, q[i,3]*q[i,1]/3 + q[i,2]^4/5)\n"
    "constraint link[i = 1..n-1] = sq(q[i+1] - q[i]) - l2, closed = sq(q[1] - q[n]) - l2\n"
    "start q[i = 1..n] = [cos(i*angle), sin(i*angle), 0], p[i = 1..n] = [0, 0, 0.2*cos(i)]\n";

static modelled sphere, doubled, ellipsoid, loop;
static struct {
    const char *name, *text;
    modelled *x;
    double T;
} all[] = { { "spherical pendulum", sphere_text, &sphere, 1 },
            { "double spherical pendulum", double_text, &doubled, 0.6 },
            { "ellipsoid", ellipsoid_text, &ellipsoid, 1 },
            { "closed loop", loop_text, &loop, 0.5 } };
enum { ALL = sizeof all / sizeof *all };

/* The spherical pendulum in C, without second derivatives, in two ways: with masses, and as any H. */
static int ball_force(double t, const double *q, double *f, void *ctx)
{
    return (void)t, (void)ctx, (void)q, f[0] = f[1] = 0, f[2] = -1, 0;
}
static int ball_dHdq(double t, const double *y, double *g, void *ctx)
{
    return (void)t, (void)ctx, (void)y, g[0] = g[1] = 0, g[2] = 1, 0;
}
static int ball_dHdp(double t, const double *y, double *g, void *ctx)
{
    return (void)t, (void)ctx, memcpy(g, y + 3, 3 * sizeof *g), 0;
}
static int ball_g(double t, const double *q, double *g, void *ctx)
{
    return (void)t, (void)ctx, g[0] = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] - 1, 0;
}
static int ball_G(double t, const double *q, double *G, void *ctx)
{
    return (void)t, (void)ctx, G[0] = 2 * q[0], G[1] = 2 * q[1], G[2] = 2 * q[2], 0;
}
static const double ones[3] = { 1, 1, 1 };
static const lbr_constraints ball_constraints = { .size = sizeof ball_constraints, .m = 1, .g = ball_g, .G = ball_G };

static lbr_system ball(void)
{
    return LBR_SYSTEM(.name = "ball", .dim = 6, .nq = 3, .force = ball_force, .inverse_mass = ones,
                      .constraints = &ball_constraints);
}

/* --- order, on all systems --------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    int order;
    int64_t n;
} methods[] = {
    { "constrained-euler", 1, 64 },
    { "adjoint(constrained-euler)", 1, 64 },
    { "constrained-implicit-euler", 1, 64 },
    { "compose(strang, constrained-euler)", 2, 32 },
    { "rattle", 2, 32 },
    { "lobatto-3a-3b:2", 2, 32 },
    { "lobatto-3a-3b:3", 4, 16 },
    { "lobatto-3a-3b:4", 6, 16 },
    { "lobatto-3a-3b:5", 8, 6 },
    { "compose(suzuki:4, rattle)", 4, 16 },
    { "compose(yoshida-6-7, rattle)", 6, 16 },
    { "compose(kahan-li-8-17, rattle)", 8, 10 },
    { "compose(suzuki:10, rattle)", 10, 4 },
    { "pair(lobatto-3a:3, lobatto-3b:3)", 4, 16 },
};

static void orders(void)
{
    for (int k = 0; k < ALL; k++) {
        double exact[2 * DIM];
        const modelled *x = all[k].x;

        memcpy(exact, x->m->y0, (size_t)x->m->dim * sizeof *exact);
        if (!ok(!run(x->s, "lobatto-3a-3b:8", NULL, all[k].T / 40, 40, exact), "a reference for the %s", all[k].name))
            continue;
        for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
            double coarse = error_after(x, methods[i].name, all[k].T, methods[i].n, exact),
                   fine = error_after(x, methods[i].name, all[k].T, 2 * methods[i].n, exact);
            double slope = log2(coarse / fine);

            if (!ok(fine < 3e-13 || fabs(slope - methods[i].order) < (methods[i].order > 7 ? 0.8 : 0.35),
                    "%s has order %d on the %s", methods[i].name, methods[i].order, all[k].name))
                printf("# slope %.3f, errors %.3g and %.3g\n", slope, coarse, fine);
        }
    }
}

/* --- the manifold, at every step --------------------------------------------------------------------------------- */

static lbr_residuals worst;

static int look(const lbr_view *v, void *ctx)
{
    lbr_residuals r = { .size = sizeof r };

    (void)ctx;
    if (lbr_view_residuals(v, &r)) return 1;
    worst.position = fmax(worst.position, r.position), worst.velocity = fmax(worst.velocity, r.velocity);
    worst.position_scaled = fmax(worst.position_scaled, r.position_scaled),
    worst.velocity_scaled = fmax(worst.velocity_scaled, r.velocity_scaled);
    return 0;
}

static void stays(const modelled *x, const char *name, const char *method, const char *compensated)
{
    lbr_options o;
    lbr_plan *plan;
    int good;

    lbr_options_init(&o), lbr_option_set(&o, "compensated", compensated);
    worst = (lbr_residuals){ 0 };
    good = !lbr_plan_create(&plan, method, x->s, &o) && !lbr_start(plan, 0, 0.02, x->m->y0) &&
           !lbr_run(plan, 300, 1, look, NULL);
    if (!good) printf("# %s\n", lbr_plan_message(plan));
    ok(good && worst.position_scaled <= 5 && worst.velocity_scaled <= 8,
       "%s keeps g = 0 and G H_p = 0 on the %s, in units of rounding: %.2g, %.2g (compensated: %s)", method, name,
       worst.position_scaled, worst.velocity_scaled, compensated);
    ok(worst.position < 1e-14 && worst.velocity < 1e-14, "that is %.2g and %.2g", worst.position, worst.velocity);
    lbr_plan_free(plan);
}

static void manifold(void)
{
    for (int k = 0; k < ALL; k++) {
        stays(all[k].x, all[k].name, "rattle", "no");
        stays(all[k].x, all[k].name, "lobatto-3a-3b:3", k % 2 ? "yes" : "no");
        stays(all[k].x, all[k].name, "constrained-euler", "no");
    }
}

/* --- symmetry ---------------------------------------------------------------------------------------------------- */

/* |Psi_-h Phi_h - id|. */
static double there_and_back(const modelled *x, const char *there, const char *back, double h)
{
    double y[2 * DIM], d = INFINITY;
    lbr_plan *a, *b;
    lbr_status one = lbr_plan_create(&a, there, x->s, NULL), two = lbr_plan_create(&b, back, x->s, NULL);

    memcpy(y, x->m->y0, (size_t)x->m->dim * sizeof *y);
    if (!one && !two && !lbr_map(a, 0, h, y) && !lbr_map(b, h, -h, y)) d = distance(x->m->dim, y, x->m->y0);
    else printf("# %s%s\n", lbr_plan_message(a), lbr_plan_message(b));
    lbr_plan_free(a), lbr_plan_free(b);
    return d;
}

static void symmetry(void)
{
    static const char *const symmetric[] = { "rattle", "lobatto-3a-3b:3", "lobatto-3a-3b:4",
                                             "compose(suzuki:4, rattle)", "compose(strang, constrained-euler)" };

    for (int k = 0; k < ALL; k++) {
        for (int i = 0; i < 5; i++) {
            double d = there_and_back(all[k].x, symmetric[i], symmetric[i], 0.05);

            ok(d < 2e-13, "%s retraces its step on the %s: %.2g", symmetric[i], all[k].name, d);
        }
        ok(there_and_back(all[k].x, "constrained-euler", "constrained-euler", 0.05) > 1e-5,
           "constrained-euler does not, on the %s", all[k].name);
        ok(there_and_back(all[k].x, "constrained-euler", "adjoint(constrained-euler)", 0.05) < 2e-13,
           "its adjoint retraces it on the %s", all[k].name);
        ok(there_and_back(all[k].x, "adjoint(constrained-euler)", "constrained-euler", 0.05) < 2e-13,
           "and it its adjoint");
    }
}

/* --- symplecticity on the manifold (HLW VII.1.16) ---------------------------------------------------------------- */

static double form(int64_t nq, const double *a, const double *b)
{
    double sum = 0;

    for (int64_t i = 0; i < nq; i++) sum += a[i] * b[nq + i] - a[nq + i] * b[i];
    return sum;
}

/* The image of the tangent vector towards `to`: differences between points that are brought onto the manifold; before:
 * the vector itself. */
static int carried(lbr_plan *plan, const modelled *x, const double *to, double h, double *before, double *after)
{
    int64_t n = x->m->dim;
    double e = 1e-5, a[2 * DIM], b[2 * DIM];

    for (int64_t i = 0; i < n; i++) a[i] = x->m->y0[i] + e * to[i], b[i] = x->m->y0[i] - e * to[i];
    if (lbr_project_start(plan, 0, a) || lbr_project_start(plan, 0, b)) return 0;
    for (int64_t i = 0; i < n; i++) before[i] = (a[i] - b[i]) / (2 * e);
    if (lbr_map(plan, 0, h, a) || lbr_map(plan, 0, h, b)) return 0;
    for (int64_t i = 0; i < n; i++) after[i] = (a[i] - b[i]) / (2 * e);
    return 1;
}

static double defect(const modelled *x, const char *method, double h)
{
    double to[2][2 * DIM], u[2][2 * DIM], v[2][2 * DIM], most = 0;
    int64_t nq = x->m->nq;
    lbr_plan *plan;

    if (lbr_plan_create(&plan, method, x->s, NULL)) most = INFINITY;
    for (int k = 0; k < 4 && most < 1; k++) {
        for (int64_t i = 0; i < x->m->dim; i++) to[0][i] = any(7 + k, i), to[1][i] = any(70 + k, i);
        if (!carried(plan, x, to[0], h, u[0], v[0]) || !carried(plan, x, to[1], h, u[1], v[1])) most = INFINITY;
        else most = fmax(most, fabs(form(nq, v[0], v[1]) - form(nq, u[0], u[1])));
    }
    lbr_plan_free(plan);
    return most;
}

static void symplecticity(void)
{
    static const char *const good[] = { "rattle",          "constrained-euler", "adjoint(constrained-euler)",
                                        "lobatto-3a-3b:3", "lobatto-3a-3b:4",   "compose(suzuki:4, rattle)" };

    for (int k = 0; k < ALL; k++) {
        for (int i = 0; i < 6; i++) {
            double d = defect(all[k].x, good[i], 0.1);

            ok(d < 2e-8, "%s is symplectic on the manifold of the %s: %.1e", good[i], all[k].name, d);
        }
        ok(defect(all[k].x, "constrained-implicit-euler", 0.1) > 1e-3, "implicit Euler is not, on the %s", all[k].name);
    }
}

/* --- multipliers ------------------------------------------------------------------------------------------------- */

static double lambda_error, force_error;

/* On the sphere: lambda = (|p|^2 - q3)/2, and the force is -2 lambda q. */
static int tension(const lbr_view *v, void *ctx)
{
    const double *q = v->y, *p = q + 3;
    double lambda, force[3], want = (p[0] * p[0] + p[1] * p[1] + p[2] * p[2] - q[2]) / 2;

    (void)ctx;
    if (lbr_view_multipliers(v, &lambda) || lbr_view_constraint_force(v, force)) return 1;
    lambda_error = fmax(lambda_error, fabs(lambda - want));
    for (int i = 0; i < 3; i++) force_error = fmax(force_error, fabs(force[i] + 2 * want * q[i]));
    return 0;
}

static void multipliers(void)
{
    lbr_system with_masses = ball(), any_H = LBR_SYSTEM(.name = "ball", .dim = 6, .nq = 3, .dHdq = ball_dHdq,
                                                        .dHdp = ball_dHdp, .constraints = &ball_constraints);
    const struct {
        const char *name;
        const lbr_system *s;
        double tolerance;
    } each[] = { { "a model", sphere.s, 1e-14 },
                 { "masses in C, by differences", &with_masses, 1e-8 },
                 { "any H in C, by differences", &any_H, 1e-8 } };

    for (int i = 0; i < 3; i++) {
        lbr_plan *plan;
        int good;

        lambda_error = force_error = 0;
        good = !lbr_plan_create(&plan, "rattle", each[i].s, NULL) && !lbr_start(plan, 0, 0.01, sphere.m->y0) &&
               !lbr_run(plan, 50, 1, tension, NULL);
        ok(good && lambda_error <= each[i].tolerance && force_error <= each[i].tolerance,
           "multipliers and forces of %s are those of the formula: %.1e, %.1e", each[i].name, lambda_error,
           force_error);
        lbr_plan_free(plan);
    }
    for (int i = 0; i < 2; i++) {
        static const char *const both[] = { "rattle", "compose(suzuki:4, rattle)" };
        double one[6], two[6];

        memcpy(one, sphere.m->y0, sizeof one), memcpy(two, one, sizeof two);
        ok(!run(&with_masses, both[i], NULL, 0.02, 500, one) && !run(&any_H, both[i], NULL, 0.02, 500, two) &&
               distance(6, one, two) < 1e-12,
           "%s: the stepper for masses and that for any H agree to %.1e", both[i], distance(6, one, two));
    }
}

/* --- SHAKE: positions of RATTLE, momenta by central differences -------------------------------------------------- */

static int follow(const lbr_view *v, void *ctx)
{
    double(*at)[6] = ctx;

    if (v->n < 400) memcpy(at[v->n], v->y, sizeof *at);
    return 0;
}

static void shaken(void)
{
    static double rattle[401][6], shake[401][6];
    double h = 0.02, off = 0, central = 0, momenta = 0, half, whole, y[6], exact[6];
    lbr_plan *a, *b;
    int good = !lbr_plan_create(&a, "rattle", sphere.s, NULL) && !lbr_plan_create(&b, "shake", sphere.s, NULL) &&
               !lbr_start(a, 0, h, sphere.m->y0) && !lbr_start(b, 0, h, sphere.m->y0);

    good = good && !lbr_run(a, 400, 1, follow, rattle) && !lbr_run(b, 400, 1, follow, shake);
    for (int n = 0; n < 400; n++)
        for (int i = 0; i < 3; i++) {
            off = fmax(off, fabs(rattle[n][i] - shake[n][i])),
            momenta = fmax(momenta, fabs(rattle[n][3 + i] - shake[n][3 + i]));
            if (n > 0 && n < 399)
                central = fmax(central, fabs(shake[n][3 + i] - (shake[n + 1][i] - shake[n - 1][i]) / (2 * h)));
        }
    ok(good && off < 1e-11, "shake has the positions of rattle: %.1e", off);
    ok(central < 1e-12, "its momenta are central differences: %.1e", central);
    ok(momenta > 1e-6 && momenta < 1e-3, "which are not those of rattle: %.1e", momenta);
    lbr_plan_free(a), lbr_plan_free(b);
    memcpy(exact, sphere.m->y0, sizeof exact), memcpy(y, exact, sizeof y),
        run(sphere.s, "lobatto-3a-3b:6", NULL, 0.02, 50, exact);
    whole = run(sphere.s, "shake", NULL, 0.02, 50, y) ? NAN : distance(6, y, exact), memcpy(y, sphere.m->y0, sizeof y);
    half = run(sphere.s, "shake", NULL, 0.01, 100, y) ? NAN : distance(6, y, exact);
    near(log2(whole / half), 2, 0.1, "shake has order 2");
}

/* --- splitting on the manifold (HLW VII.1.6) --------------------------------------------------------------------- */

#define GREAT_CIRCLES            \
    "canonical q[3], p[3]\n"     \
    "part T = sq(p)/2\n"         \
    "part U = q[3]\n"            \
    "constraint g = sq(q) - 1\n" \
    "let w = norm(p)\n"          \
    "flow T(s): q = cos(s*w)*q + sin(s*w)/w*p, p = cos(s*w)*p - w*sin(s*w)*q\n"

static void splitting(void)
{
    static const char text[] = GREAT_CIRCLES
        "start q = [sin(1.3), 0, cos(1.3)], p = [0.3*cos(1.3), 0.65, -0.3*sin(1.3)]\n";
    static const char straight[] = "canonical q[3], p[3]\n"
                                   "part T = sq(p)/2\n"
                                   "part U = q[3]\n"
                                   "constraint g = sq(q) - 1\n"
                                   "start q = [sin(1.3), 0, cos(1.3)], p = [0.3*cos(1.3), 0.65, -0.3*sin(1.3)]\n";
    static const struct {
        const char *name;
        int order;
    } each[] = { { "split(strang, U, T)", 2 },
                 { "split(strang, T, U)", 2 },
                 { "split(lie-trotter, T, U)", 1 },
                 { "compose(suzuki:4, split(strang, U, T))", 4 } };
    double exact[6];
    modelled x, other;

    memcpy(exact, sphere.m->y0, sizeof exact);
    if (!ok(open_text(&x, text) && open_text(&other, straight) &&
                !run(sphere.s, "lobatto-3a-3b:8", NULL, 0.025, 40, exact),
            "a sphere with great circles"))
        return;
    for (int i = 0; i < 4; i++) {
        double coarse = error_after(&x, each[i].name, 1, 16, exact),
               finer = error_after(&x, each[i].name, 1, 32, exact), d = defect(&x, each[i].name, 0.1);

        near(log2(coarse / finer), each[i].order, 0.2, each[i].name);
        ok(d < 2e-8, "%s is symplectic on the manifold: %.1e", each[i].name, d);
        stays(&x, "sphere", each[i].name, "no");
    }
    ok(there_and_back(&x, "split(strang, U, T)", "split(strang, U, T)", 0.1) < 1e-14 &&
           there_and_back(&x, "split(lie-trotter, T, U)", "split(lie-trotter, T, U)", 0.1) > 1e-4,
       "Strang's splitting retraces its step, and Lie-Trotter's does not");
    refused_in(other.s, "split(strang, U, T)", x.m->y0, 0.1, 1, LBR_EUNFIT,
               "the flow of part 'T' leaves the constraints");
    close_model(&x), close_model(&other);
}

/* --- published numbers ------------------------------------------------------------------------------------------- */

typedef struct range {
    double H0, most, at1, at2;
} range;

static int energy(const lbr_view *v, void *ctx)
{
    range *r = ctx;
    double H;

    if (lbr_view_energy(v, &H)) return 1;
    if (v->n == 0) r->H0 = H;
    r->most = fmax(r->most, fabs(H - r->H0));
    if (v->n == 100) r->at1 = H - r->H0;
    if (v->n == 200) r->at2 = H - r->H0;
    return 0;
}

static range energies(const char *text, const char *method, double h, int64_t n)
{
    range r = { 0 };
    lbr_plan *plan = NULL;
    modelled x;

    if (!open_text(&x, text) || lbr_plan_create(&plan, method, x.s, NULL) || lbr_start(plan, 0, h, x.m->y0) ||
        lbr_run(plan, n, 1, energy, &r))
        r.most = NAN;
    lbr_plan_free(plan), close_model(&x);
    return r;
}

static void published(void)
{
    static const char fig1[] = "canonical q[3], p[3]\n"
                               "H = sq(p)/2 + q[3]\n"
                               "constraint g = sq(q) - 1\n"
                               "start q = [0, sin(0.1), -cos(0.1)], p = [0.06, 0, 0]\n";
    static const char fig2[] = "canonical q[3], p[3]\n"
                               "H = sq(p)/2 + q[3]\n"
                               "constraint g = sq(q) - 1\n"
                               "start q = [sin(1.3), 0, cos(1.3)], p = [3*cos(1.3), 6.5, -3*sin(1.3)]\n";
    static const char fig3[] = GREAT_CIRCLES "start q = [sin(1.3), 0, cos(1.3)], p = [3*cos(1.3), 6.5, -3*sin(1.3)]\n";
    range r = energies(fig1, "constrained-euler", 0.03, 2000);

    near(r.H0, -0.9932041652780, 1e-13, "HLW Fig. VII.1.1: the energy at the start");
    near(r.most, 5.0e-5, 0.06e-5, "constrained-euler errs by 5.0e-5 up to t = 60");
    near(energies(fig1, "rattle", 0.03, 2000).most, 7.2e-7, 0.06e-7, "rattle by 7.2e-7");
    r = energies(fig2, "constrained-euler", 0.01, 10000);
    near(r.H0, 25.8924988286, 1e-9, "HLW Fig. VII.1.2: the energy at the start");
    near(r.most, 3.2e-2, 0.06e-2, "constrained-euler errs by 3.2e-2 up to t = 100");
    near(energies(fig2, "rattle", 0.01, 10000).most, 1.0e-3, 0.06e-3, "rattle by 1.0e-3");
    r = energies(fig2, "constrained-implicit-euler", 0.01, 1000);
    near(energies(fig3, "split(strang, U, T)", 0.01, 10000).most, 3.4e-4, 0.06e-4,
         "Strang's splitting into great circles and kicks errs by 3.4e-4");
    near(r.at1, -8.82, 0.01, "implicit Euler loses 8.82 in one time unit");
    near(r.at2, -13.2, 0.05, "and 13.2 in two");
}

/* --- bits -------------------------------------------------------------------------------------------------------- */

static void bits(void)
{
    double one[2 * DIM], two[2 * DIM];
    lbr_state *s = NULL, *r = NULL;
    lbr_plan *plan;
    const void *bytes;
    size_t size;
    int good = !lbr_plan_create(&plan, "compose(suzuki:4, rattle)", loop.s, NULL) && !lbr_state_create(&s, plan) &&
               !lbr_state_create(&r, plan);

    good = good && !lbr_state_start(s, 0, 0.01, loop.m->y0) && !lbr_state_run(s, 25, 0, NULL, NULL);
    good = good && (bytes = lbr_state_bytes(s, &size)) && !lbr_state_restore(r, bytes, size);
    good = good && !lbr_state_run(s, 30, 7, look, NULL) && !lbr_state_run(r, 30, 0, NULL, NULL) &&
           !lbr_state_read(s, NULL, one) && !lbr_state_read(r, NULL, two);
    ok(good && !memcmp(one, two, (size_t)loop.m->dim * sizeof *one),
       "a restored trajectory goes on to the same bits, whoever looks");
    lbr_state_free(s), lbr_state_free(r), lbr_plan_free(plan);
}

/* --- the time in H ----------------------------------------------------------------------------------------------- */

/* A pendulum whose weight changes: orders show at which times the force is asked for; so do the bits of a trajectory
 * that is restored, of which the force is made again. */
static void driven(void)
{
    static const struct {
        const char *name;
        int order;
        int64_t n;
    } row[] = { { "rattle", 2, 32 },          { "compose(suzuki:4, rattle)", 4, 16 },
                { "lobatto-3a-3b:3", 4, 16 }, { "constrained-euler", 1, 64 },
                { "shake", 2, 32 },           { "compose(triple-jump:4, lobatto-3a-3b:2)", 4, 32 } };
    modelled x;

    if (!ok(open_text(&x, "canonical q[3], p[3]\n"
                          "H = sq(p)/2 + q[3]*(1 + sin(3*t)/2)\n"
                          "constraint length = sq(q) - 1\n"
                          "start q = [sin(1.3), 0, cos(1.3)], p = [0.3*cos(1.3), 0.65, -0.3*sin(1.3)]\n"),
            "a driven pendulum"))
        return;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        double exact[6], coarse, fine, one[6], two[6];
        lbr_state *s = NULL, *r = NULL;
        lbr_plan *plan;
        const void *bytes;
        size_t size;
        int good;

        memcpy(exact, x.m->y0, sizeof exact), run(x.s, "lobatto-3a-3b:8", NULL, 0.025, 40, exact);
        coarse = error_after(&x, row[i].name, 1, row[i].n, exact),
        fine = error_after(&x, row[i].name, 1, 2 * row[i].n, exact);
        ok(fabs(log2(coarse / fine) - row[i].order) < 0.35, "%s has order %d on a driven pendulum: %.2f", row[i].name,
           row[i].order, log2(coarse / fine));
        good = !lbr_plan_create(&plan, row[i].name, x.s, NULL) && !lbr_state_create(&s, plan) &&
               !lbr_state_create(&r, plan) && !lbr_state_start(s, 0, 0.05, x.m->y0) &&
               !lbr_state_run(s, 25, 0, NULL, NULL);
        good = good && (bytes = lbr_state_bytes(s, &size)) && !lbr_state_restore(r, bytes, size) &&
               !lbr_state_run(s, 30, 0, NULL, NULL) && !lbr_state_run(r, 30, 0, NULL, NULL);
        good = good && !lbr_state_read(s, NULL, one) && !lbr_state_read(r, NULL, two);
        ok(good && !memcmp(one, two, sizeof one), "a restored one has the same bits");
        lbr_state_free(s), lbr_state_free(r), lbr_plan_free(plan);
    }
    close_model(&x);
}

/* --- two steps in one -------------------------------------------------------------------------------------------- */

static int counted_dHdp(double t, const double *y, double *g, void *ctx)
{
    return ++*(int *)ctx, ball_dHdp(t, y, g, NULL);
}

/* H_p at the last stage is not asked for either. What else needs it: S by differences, twice a step, and closing steps.
 */
static void twice_counted(const lbr_options *o)
{
    int calls = 0;
    lbr_system s = LBR_SYSTEM(.name = "ball", .dim = 6, .nq = 3, .dHdq = ball_dHdq, .dHdp = counted_dHdp,
                              .constraints = &ball_constraints, .ctx = &calls);
    lbr_plan *plan;
    int good = !lbr_plan_create(&plan, "twice", &s, o) && !lbr_start(plan, 0, 0.02, sphere.m->y0), before = calls, left;

    good = good && !lbr_run(plan, 20, 0, NULL, NULL);
    left = calls - before - 2 * (int)lbr_plan_stats(plan)->iterations;
    ok(good && left >= 0 && left <= 20 * 8,
       "nor is H_p there: two in each of %d sweeps, and %d for the rest of 20 steps",
       (int)lbr_plan_stats(plan)->iterations, left);
    lbr_plan_free(plan);
}

/* Two half steps of constrained Euler as one pair of three stages with b_3 = 0: what the first one's closing multiplier
 * does is done by the second stage's. */
static void twice(void)
{
    static const char *const A[] = { "0", "0", "0", "1/2", "0", "0", "1/2", "1/2", "0" },
                             *const Ahat[] = { "1/2", "0", "0", "1/2", "1/2", "0", "1/2", "1/2", "0" },
                             *const b[] = { "1/2", "1/2", "0" };
    lbr_method m = { LBR_SIZED,         .name = "twice",         .form = "constrained",
                     .A = LBR_TEXTS(A), .Ahat = LBR_TEXTS(Ahat), .b = LBR_TEXTS(b),
                     .order = 1,        .symplectic = 1 };
    lbr_options o;

    lbr_options_init(&o), o.methods = &m, o.nmethods = 1;
    for (int k = 0; k < ALL; k++) {
        const modelled *x = all[k].x;
        double one[2 * DIM], two[2 * DIM], d;
        lbr_plan *plan;
        const lbr_stats *stats;

        memcpy(two, x->m->y0, (size_t)x->m->dim * sizeof *two);
        if (!ok(!run(x->s, "constrained-euler", NULL, 0.01, 40, two) && !lbr_plan_create(&plan, "twice", x->s, &o) &&
                    !lbr_start(plan, 0, 0.02, x->m->y0) && !lbr_run(plan, 20, 0, NULL, NULL) &&
                    !lbr_read(plan, NULL, one),
                "%s: a pair with b_3 = 0", all[k].name))
            continue;
        d = distance(x->m->dim, one, two), stats = lbr_plan_stats(plan);
        ok(d < 1e-13, "%s: two half steps of constrained Euler are one step of it: to %.1e", all[k].name, d);
        if (x->s->force)
            ok(stats->force == 2 * stats->iterations,
               "the force of the last stage, which nobody needs, is not asked for: %d in %d sweeps", (int)stats->force,
               (int)stats->iterations);
        lbr_plan_free(plan);
    }
    twice_counted(&o);
}

/* --- any state --------------------------------------------------------------------------------------------------- */

static void views(void)
{
    double y[6] = { 0, 0.6, -0.8, 1, 0, 0 }, z[6] = { 0, 0, -1, 0.5, 0, 0 }, lambda = 0;
    lbr_view v = { .size = sizeof v }, none = { 0 };
    lbr_system s = ball();
    lbr_residuals r = { .size = sizeof r };
    lbr_plan *plan;
    lbr_state *state = NULL;

    if (!lbr_plan_create(&plan, "rattle", &s, NULL) && !lbr_start(plan, 0, 0.1, y)) state = lbr_plan_state(plan);
    ok(state && !lbr_state_view(state, 3, z, &v), "a view of any state");
    ok(v.t == 3 && v.y == z && v.dim == 6, "at its time, of its values");
    ok(!lbr_view_multipliers(&v, &lambda) && fabs(lambda - (0.25 + 1) / 2) < 1e-9,
       "its multiplier: lambda = (|p|^2 - q3)/2");
    ok(!lbr_view_residuals(&v, &r) && r.position == 0, "its residuals");
    ok(!lbr_read(plan, NULL, z) && !memcmp(y, z, sizeof y), "which changes nothing");
    ok(lbr_state_view(state, 0, z, &none) == LBR_EARG && lbr_state_view(NULL, 0, z, &v) == LBR_EARG &&
           lbr_state_view(state, 0, NULL, &v) == LBR_EARG && lbr_state_view(state, 0, z, NULL) == LBR_EARG,
       "not without a size");
    lbr_plan_free(plan);
}

/* --- starts ------------------------------------------------------------------------------------------------------ */

static void starts(void)
{
    double y[6] = { 0.3, 0.1, -1.2, 0.5, 0.2, 0.1 }, copy[6];
    lbr_system s = ball();
    lbr_status status;
    lbr_plan *plan;

    if (lbr_plan_create(&plan, "rattle", &s, NULL)) printf("# %s\n", lbr_plan_message(plan));
    status = lbr_start(plan, 0, 0.1, y);
    ok(status == LBR_EARG && strstr(lbr_plan_message(plan), "off constraint 1 by 0.54 in position"),
       "a start off the sphere is refused: %s", lbr_plan_message(plan));
    memcpy(copy, y, sizeof y), copy[0] = 0.6, copy[1] = 0, copy[2] = -0.8;
    status = lbr_start(plan, 0, 0.1, copy);
    ok(status == LBR_EARG && strstr(lbr_plan_message(plan), "in velocity"), "and a velocity off it: %s",
       lbr_plan_message(plan));
    ok(!lbr_project_start(plan, 0, y) && fabs(y[0] * y[0] + y[1] * y[1] + y[2] * y[2] - 1) < 1e-15 &&
           fabs(y[0] * y[3] + y[1] * y[4] + y[2] * y[5]) < 1e-15 && !lbr_start(plan, 0, 0.1, y),
       "brought onto it, it is accepted");
    near(y[0] / y[2], 0.3 / -1.2, 1e-14, "straight inwards, as the masses are equal");
    lbr_plan_free(plan);
}

/* --- what is refused --------------------------------------------------------------------------------------------- */

static void refused_text(const char *text, const char *method, double h, lbr_status want, const char *words)
{
    modelled x;

    if (open_text(&x, text)) refused_in(x.s, method, x.m->y0, h, 100, want, words);
    else ok(0, "%s", text);
    close_model(&x);
}

static void refusals(void)
{
    lbr_constraints many = ball_constraints, none = ball_constraints, empty = ball_constraints;
    int64_t row[2] = { 0, 3 }, col[3] = { 0, 2, 1 };
    lbr_constraints twisted = {
        .size = sizeof twisted, .m = 1, .g = ball_g, .G = ball_G, .nnz = 3, .row = row, .col = col
    };
    lbr_system s = ball(), plain = s;

    refused_in(sphere.s, "rk4", sphere.m->y0, 0.1, 1, LBR_EUNFIT, "does not keep");
    refused_in(sphere.s, "stormer-verlet", sphere.m->y0, 0.1, 1, LBR_EUNFIT, "does not keep");
    refused_in(sphere.s, "kahan-li-8-17", sphere.m->y0, 0.1, 1, LBR_EUNFIT, "compose(kahan-li-8-17, rattle)");
    refused_in(sphere.s, "pair(midpoint, midpoint)", sphere.m->y0, 0.1, 1, LBR_EUNFIT, "at least two stages");
    refused_in(sphere.s, "pair(gauss:2, gauss:2)", sphere.m->y0, 0.1, 1, LBR_EUNFIT, "beginning of the step");
    refused_in(sphere.s, "pair(lobatto-3a:3, lobatto-3a:3)", sphere.m->y0, 0.1, 1, LBR_EUNFIT, "must not act");
    refused_in(sphere.s, "rattle", sphere.m->y0, 40, 1, LBR_ENOCONV, "smaller step");
    refused_in(sphere.s, "compose(suzuki:4, shake)", sphere.m->y0, 0.1, 1, LBR_EUNFIT, "cannot be composed");
    refused_in(ellipsoid.s, "shake", ellipsoid.m->y0, 0.1, 1, LBR_EUNFIT, "rattle takes any H");
    plain.constraints = NULL;
    refused_in(&plain, "shake", sphere.m->y0, 0.1, 1, LBR_EUNFIT, "has none");
    refused_in(&plain, "rattle", sphere.m->y0, 0.1, 1, LBR_EUNFIT, "has none");
    many.m = 4, s.constraints = &many;
    refused_in(&s, "rattle", sphere.m->y0, 0.1, 1, LBR_EARG, "more constraints (4) than coordinates (3)");
    none.g = NULL, s.constraints = &none;
    refused_in(&s, "rattle", sphere.m->y0, 0.1, 1, LBR_EARG, "g or G is missing");
    empty.m = 0, s.constraints = &empty;
    refused_in(&s, "rattle", sphere.m->y0, 0.1, 1, LBR_EARG, "at least 1");
    s.constraints = &twisted;
    refused_in(&s, "rattle", sphere.m->y0, 0.1, 1, LBR_EARG, "not ascending");
    refused_text("canonical q[3], p[3]\n"
                 "H = sq(p)/2 + q[3]\n"
                 "constraint a = sq(q) - 1, twice = 2*sq(q) - 2\n"
                 "start q = [1, 0, 0], p = [0, 1, 0]\n",
                 "rattle", 0.1, LBR_ESINGULAR, "'twice' depends on the others");
    refused_text("canonical q[3], p[3]\n"
                 "H = sq(p)/2 + q[3]\n"
                 "constraint flat = q[3]^2\n"
                 "start q = [1, 0, 0], p = [0, 1, 0]\n",
                 "rattle", 0.1, LBR_ESINGULAR, "gradient of constraint 'flat' is zero");
    refused_text("canonical q[3], p[3]\n"
                 "H = (p[1]^2 + p[2]^2)/2 + q[3]\n"
                 "constraint up = q[3]\n"
                 "start q = [1, 0, 0], p = [0, 1, 0]\n",
                 "rattle", 0.1, LBR_ESINGULAR, "meets no mass");
    refused_text("canonical q[2], p[2]\n"
                 "H = sq(p)/2 - 5*q[1]\n"
                 "constraint fold = q[2]^2 - q[1]\n"
                 "start q = [1, 1], q' = [0, 0]\n",
                 "rattle", 0.05, LBR_OK, "");
}

int main(void)
{
    for (int k = 0; k < ALL; k++)
        if (!open_text(all[k].x, all[k].text)) return printf("Bail out! %s\n", all[k].name), 2;
    orders(), manifold(), symmetry(), symplecticity(), multipliers(), shaken(), splitting(), published(), twice(),
        bits(), driven(), views(), starts(), refusals();
    for (int k = 0; k < ALL; k++) close_model(all[k].x);
    return tap_done();
}
