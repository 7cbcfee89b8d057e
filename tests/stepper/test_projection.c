/* test_projection.c - projections onto manifolds, constraints and invariants: HLW IV.4 and V.4, Hairer 2000.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support/manifolds.h"

enum { DIM = 16 };

/* --- systems ----------------------------------------------------------------------------------------------------- */

static const char body_text[] = "param I1 = 2, I2 = 1, I3 = 2/3\n"
                                "state y[3]\n"
                                "y' = [(1/I3 - 1/I2)*y[2]*y[3], (1/I1 - 1/I3)*y[3]*y[1], (1/I2 - 1/I1)*y[1]*y[2]]\n"
                                "constraint sphere = sq(y) - 1\n"
                                "invariant H = (y[1]^2/I1 + y[2]^2/I2 + y[3]^2/I3)/2\n"
                                "start y = [cos(0.9), 0, sin(0.9)]\n";
static const char cartesian_text[] = "param eps = 0.2\n"
                                     "state q[2], p[2]\n"
                                     "let lambda = (sq(p) - q[2])/sq(q)\n"
                                     "q' = p\n"
                                     "p' = [0, -1] - lambda*q\n"
                                     "constraint length = sq(q) - 1, velocity = dot(q, p)\n"
                                     "invariant H = sq(p)/2 + q[2]\n"
                                     "observe A = [[eps, 1, 0, 0], [eps, 0, 0, 1]], vertical = [[0, 1, 0, 0], [0, 0, "
                                     "0, 1]], exchanged = [[0, 0, 0, 1], [0, 1, 0, 0]], w = [1, 2, 0.5, 3]\n"
                                     "start q = [cos(0.8), -sin(0.8)], p = 0\n";
static const char orbit_text[] = "param e = 0.6\n"
                                 "canonical q[2], p[2]\n"
                                 "H = sq(p)/2 - 1/norm(q) - 0.005/norm(q)^3\n"
                                 "invariant L = q[1]*p[2] - q[2]*p[1]\n"
                                 "start q = [1 - e, 0], p = [0, sqrt((1 + e)/(1 - e))]\n";

static const char driven_text[] =
    "state y[3]\n"
    "let s = sqrt(1 + t/2), x = [y[1], s*y[2], y[3]], v = cross(x, [1 + cos(3*t), sin(2*t), x[1]*sin(t)])\n"
    "y' = [v[1], v[2]/s - y[2]/(4*s^2), v[3]]\n"
    "constraint ellipsoid = sq(x) - 1\n"
    "start y = [cos(0.9), 0, sin(0.9)]\n";

static modelled body, cartesian, orbit, ellipsoid, doubled, driven;
static struct {
    const char *name, *text;
    modelled *x;
    double T;
} all[] = { { "rigid body", body_text, &body, 2 },
            { "Cartesian pendulum", cartesian_text, &cartesian, 2 },
            { "perturbed Kepler", orbit_text, &orbit, 0.5 },
            { "ellipsoid", ellipsoid_text, &ellipsoid, 1 },
            { "double spherical pendulum", double_text, &doubled, 0.5 },
            { "moving ellipsoid", driven_text, &driven, 1 } };
enum { ALL = sizeof all / sizeof *all };

/* --- order, and that it is kept ---------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    int order;
    int64_t n;
} methods[] = { { "project(standard, explicit-euler)", 1, 400 },
                { "project(standard, rk4)", 4, 20 },
                { "project(standard, trapezoidal)", 2, 50 },
                { "project(symmetric, trapezoidal)", 2, 50 },
                { "project(symmetric, explicit-euler)", 1, 400 },
                { "project(symmetric, gauss:2)", 4, 20 },
                { "project(symmetric, rk4)", 4, 20 },
                { "project(symmetric, midpoint, at = midpoint)", 2, 50 },
                { "project(post, rk4)", 4, 20 },
                { "compose(suzuki:4, project(symmetric, trapezoidal))", 4, 20 },
                { "project(symmetric, compose(suzuki:4, trapezoidal))", 4, 20 },
                { "project(standard, rk4, weights = none, along = gradients)", 4, 20 },
                { "adjoint(project(symmetric, explicit-euler))", 1, 400 },
                { "local(standard, rk4)", 4, 20 },
                { "local(standard, trapezoidal)", 2, 50 },
                { "local(symmetric, trapezoidal)", 2, 50 },
                { "local(symmetric, gauss:2)", 4, 20 },
                { "compose(suzuki:4, local(symmetric, midpoint))", 4, 20 },
                { "adjoint(local(symmetric, implicit-euler))", 1, 400 },
                { "compose(strang, project(symmetric, explicit-euler))", 2, 50 } };

static void orders(void)
{
    for (int k = 0; k < ALL; k++) {
        double exact[DIM];
        const modelled *x = all[k].x;

        memcpy(exact, x->m->y0, (size_t)x->m->dim * sizeof *exact);
        if (!ok(!run(x->s, x->s->constraints ? "lobatto-3a-3b:6" : "gauss:6", NULL, all[k].T / 40, 40, exact),
                "a reference for the %s", all[k].name))
            continue;
        for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
            double coarse = error_after(x, methods[i].name, all[k].T, methods[i].n, exact),
                   fine = error_after(x, methods[i].name, all[k].T, 2 * methods[i].n, exact),
                   slope = log2(coarse / fine);

            if (!ok(fabs(slope - methods[i].order) < 0.35, "%s has order %d on the %s: %.2f", methods[i].name,
                    methods[i].order, all[k].name, slope))
                printf("# errors %.3g and %.3g\n", coarse, fine);
        }
    }
}

/* The largest |g|: of the manifold; of constraints with G H_p; or of invariants, from those of the start. */
static double off(const modelled *x, double t, const double *y)
{
    double r[DIM], r0[DIM], most = 0;

    if (x->s->manifold) {
        x->s->manifold->g(t, y, r, x->s->ctx);
        for (int64_t i = 0; i < x->s->manifold->m; i++) most = fmax(most, fabs(r[i]));
    } else if (!x->s->constraints)
        for (int64_t i = 0; i < x->s->invariants->count; i++) {
            const lbr_invariant *v = &x->s->invariants->item[i];

            v->value(0, y, r, v->ctx), v->value(0, x->m->y0, r0, v->ctx);
            most = fmax(most, fabs(r[0] - r0[0]));
        }
    return most;
}

typedef struct seen {
    const modelled *x;
    double off;
} seen;

static int look(const lbr_view *v, void *ctx)
{
    seen *s = ctx;
    lbr_residuals r = { .size = sizeof r };

    if (s->x->s->constraints) {
        if (lbr_view_residuals(v, &r)) return 1;
        s->off = fmax(s->off, fmax(r.position, r.velocity));
    } else s->off = fmax(s->off, off(s->x, v->t, v->y));
    return 0;
}

static double worst(const modelled *x, const char *method, double h, int64_t n)
{
    seen s = { x, 0 };
    lbr_plan *plan;

    if (lbr_plan_create(&plan, method, x->s, NULL) || lbr_start(plan, 0, h, x->m->y0) || lbr_run(plan, n, 1, look, &s))
        s.off = INFINITY, printf("# %s: %s\n", method, lbr_plan_message(plan));
    lbr_plan_free(plan);
    return s.off;
}

static void kept(void)
{
    static const char *const method[] = { "project(standard, rk4)",
                                          "project(symmetric, trapezoidal)",
                                          "project(symmetric, rk4)",
                                          "project(post, rk4)",
                                          "compose(suzuki:4, project(symmetric, midpoint))",
                                          "local(standard, rk4)",
                                          "local(symmetric, gauss:2)" };

    for (int k = 0; k < ALL; k++) {
        for (size_t i = 0; i < sizeof method / sizeof *method; i++)
            ok(worst(all[k].x, method[i], 0.05, 300) < 2e-14, "%s stays on what the %s keeps, at every step: %.1e",
               method[i], all[k].name, worst(all[k].x, method[i], 0.05, 300));
        ok(worst(all[k].x, all[k].x->s->constraints ? "reduced(rk4)" : "rk4", 0.05, 300) > 1e-10, "rk4 alone does not");
    }
}

/* --- there and back ---------------------------------------------------------------------------------------------- */

static void symmetry(void)
{
    static const char *const yes[] = { "project(symmetric, trapezoidal)",
                                       "project(symmetric, midpoint, at = midpoint)",
                                       "project(symmetric, gauss:3)",
                                       "project(symmetric, compose(strang, explicit-euler))",
                                       "compose(suzuki:4, project(symmetric, trapezoidal))",
                                       "compose(strang, project(symmetric, explicit-euler))",
                                       "local(symmetric, trapezoidal)",
                                       "local(symmetric, gauss:3)" };
    static const char *const no[] = { "local(standard, trapezoidal)", "local(symmetric, explicit-euler)",
                                      "project(standard, trapezoidal)", "project(symmetric, explicit-euler)",
                                      "compose(suzuki:4, project(standard, trapezoidal))" };

    for (int k = 0; k < ALL; k++) {
        for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
            ok(retraced(all[k].x, yes[i], yes[i], 0.1) < 1e-14, "%s retraces its step on the %s: %.1e", yes[i],
               all[k].name, retraced(all[k].x, yes[i], yes[i], 0.1));
        for (size_t i = 0; i < sizeof no / sizeof *no; i++)
            ok(retraced(all[k].x, no[i], no[i], 0.1) > 1e-9, "%s does not on the %s: %.1e", no[i], all[k].name,
               retraced(all[k].x, no[i], no[i], 0.1));
        ok(retraced(all[k].x, "project(symmetric, explicit-euler)", "adjoint(project(symmetric, explicit-euler))",
                    0.05) < 1e-14,
           "the adjoint of the projection is the projection of the adjoint on the %s", all[k].name);
    }
    ok(retraced(&cartesian, "project(symmetric, trapezoidal, at = start)",
                "project(symmetric, trapezoidal, at = start)", 0.1) > 1e-7,
       "not with the gradients of the beginning for both ends");
    ok(retraced(&cartesian, "project(symmetric, trapezoidal, along = A, at = start)",
                "project(symmetric, trapezoidal, along = A, at = start)", 0.1) < 1e-14,
       "unless they do not change");
    ok(retraced(&cartesian, "project(symmetric, trapezoidal, along = A)", "project(symmetric, trapezoidal, along = A)",
                0.1) < 1e-14,
       "along directions of one's own");
    ok(retraced(&cartesian, "project(symmetric, trapezoidal, weights = w)",
                "project(symmetric, trapezoidal, weights = w)", 0.1) < 1e-14,
       "with weights of one's own");
    ok(retraced(&doubled, "project(symmetric, trapezoidal, along = positions)",
                "project(symmetric, trapezoidal, along = positions)", 0.1) < 1e-14,
       "positions, then velocities: %.1e",
       retraced(&doubled, "project(symmetric, trapezoidal, along = positions)",
                "project(symmetric, trapezoidal, along = positions)", 0.1));
    ok(retraced(&orbit, "project(symmetric, stormer-verlet, H, L, weights = masses)",
                "project(symmetric, stormer-verlet, H, L, weights = masses)", 0.03) < 1e-14,
       "onto two invariants, in the metric of masses");
}

/* --- the equations, by other means ------------------------------------------------------------------------------- */

/* On the sphere the nearest point is y/|y|; and the symmetric projection of the trapezoidal rule has mu with all of
 * (2.1)-(2.3). */
static void sphere(void)
{
    double y[3], z[3], f0[3], f1[3], a[3], b[3], mu, off = 0, size, h = 0.4;
    lbr_plan *p = NULL, *q = NULL, *s = NULL;

    memcpy(y, body.m->y0, sizeof y), memcpy(z, y, sizeof z);
    ok(!lbr_plan_create(&p, "project(standard, rk4)", body.s, NULL) && !lbr_plan_create(&q, "rk4", body.s, NULL) &&
           !lbr_map(p, 0, 1, y) && !lbr_map(q, 0, 1, z),
       "one step of 1");
    size = sqrt(z[0] * z[0] + z[1] * z[1] + z[2] * z[2]);
    for (int i = 0; i < 3; i++) z[i] /= size;
    ok(distance(3, y, z) < 1e-15 && fabs(size - 1) > 1e-6, "the nearest point of the sphere, from %.1e away: %.1e",
       size - 1, distance(3, y, z));
    memcpy(y, body.m->y0, sizeof y);
    ok(!lbr_plan_create(&s, "project(symmetric, trapezoidal)", body.s, NULL) && !lbr_map(s, 0, h, y),
       "a symmetric step");
    for (int pass = 0; pass < 100; pass++) { /* mu from the first component, by secants of its residual: G = 2 y */
        static double last, last_mu;
        double now;

        if (!pass) mu = 0;
        for (int i = 0; i < 3; i++) a[i] = body.m->y0[i] * (1 + 2 * mu), b[i] = y[i] * (1 - 2 * mu);
        body.s->field(0, a, f0, body.s->ctx), body.s->field(0, b, f1, body.s->ctx);
        now = b[0] - a[0] - h / 2 * (f0[0] + f1[0]);
        if (fabs(now) < 1e-16) break;
        if (pass) {
            double next = mu - now * (mu - last_mu) / (now - last);
            last = now, last_mu = mu, mu = next;
        } else last = now, last_mu = mu, mu = 1e-3;
    }
    for (int i = 0; i < 3; i++) off = fmax(off, fabs(b[i] - a[i] - h / 2 * (f0[i] + f1[i])));
    ok(off < 2e-15 && fabs(mu) > 1e-6, "Hairer 2000, (2.1)-(2.3): mu = %.3g solves all of it to %.1e", mu, off);
    lbr_plan_free(p), lbr_plan_free(q), lbr_plan_free(s);
}

/* y~ of M alone, and y1 of its projection, from the start. */
static int one_step(const modelled *x, const char *M, const char *projected, double h, double *before, double *after)
{
    lbr_plan *p = NULL, *q = NULL;
    int good;

    memcpy(before, x->m->y0, (size_t)x->m->dim * sizeof *before),
        memcpy(after, before, (size_t)x->m->dim * sizeof *after);
    good = !lbr_plan_create(&p, M, x->s, NULL) && !lbr_plan_create(&q, projected, x->s, NULL) &&
           !lbr_map(p, 0, h, before) && !lbr_map(q, 0, h, after);
    lbr_plan_free(p), lbr_plan_free(q);
    return good;
}

/* How far d is from being a multiple of g, componentwise d_j w_j against g_j. */
static double askew(int64_t n, const double *after, const double *before, const double *w, const double *g)
{
    double dg = 0, gg = 0, worst = 0, most = 0;

    for (int64_t j = 0; j < n; j++)
        dg += (after[j] - before[j]) * w[j] * g[j], gg += g[j] * g[j],
            most = fmax(most, fabs((after[j] - before[j]) * w[j]));
    for (int64_t j = 0; j < n; j++) worst = fmax(worst, fabs((after[j] - before[j]) * w[j] - dg / gg * g[j]));
    return worst / most;
}

/* Where a projection moves: with weights along W^-1 G^T, with masses and velocities likewise, and positions and momenta
 * each along G^T. */
static void moves(void)
{
    static const char weighted_text[] =
        "param I1 = 2, I2 = 1, I3 = 2/3\n"
        "state y[3]\n"
        "y' = [(1/I3 - 1/I2)*y[2]*y[3], (1/I1 - 1/I3)*y[3]*y[1], (1/I2 - 1/I1)*y[1]*y[2]]\n"
        "constraint sphere = sq(y) - 1\n"
        "observe w = [1, 2, 0.5]\n"
        "start y = [0.6, 0.48, 0.64]\n";
    static const char masses_text[] = "canonical q[2], p[2]\n"
                                      "H = p[1]^2/2 + p[2]^2/8 + q[1]^2/2 + q[2]^4\n"
                                      "start q = [0.6, 0.5], p = [0.3, 1.2]\n";
    static const char ball_text[] = "canonical q[3], p[3]\n"
                                    "H = sq(p)/2 + q[3] + q[1]*q[2]\n"
                                    "constraint length = sq(q) - 1\n"
                                    "start q = [0.6, 0.48, 0.64], p = [0.48, -0.6, 0]\n";
    static const double w[3] = { 1, 2, 0.5 }, ones[4] = { 1, 1, 1, 1 }, mass[4] = { 1, 4, 1, 0.25 },
                        velocity[4] = { 1, 1, 1, 1 / 16.0 };
    double y[6], z[6], g[4], far[12], near_[12];
    modelled x;

    if (ok(open_text(&x, weighted_text), "a body with weights") &&
        ok(one_step(&x, "rk4", "project(standard, rk4, weights = w)", 1, y, z), "one step"))
        ok(askew(3, z, y, w, y) < 1e-10, "with weights along W^-1 G^T, to %.1e", askew(3, z, y, w, y));
    close_model(&x);
    if (ok(open_text(&x, masses_text), "two masses")) {
        ok(one_step(&x, "rk4", "project(standard, rk4, weights = masses)", 0.5, y, z), "one step");
        g[0] = y[0], g[1] = 4 * y[1] * y[1] * y[1], g[2] = y[2], g[3] = y[3] / 4;
        ok(askew(4, z, y, mass, g) < 1e-10, "in the metric of masses, to %.1e", askew(4, z, y, mass, g));
        ok(one_step(&x, "rk4", "project(standard, rk4, weights = velocities)", 0.5, y, z), "one step");
        ok(askew(4, z, y, velocity, g) < 1e-10, "in positions and velocities, to %.1e", askew(4, z, y, velocity, g));
        ok(one_step(&x, "rk4", "project(standard, rk4)", 0.5, y, z) && askew(4, z, y, ones, g) < 1e-10 &&
               askew(4, z, y, mass, g) > 1e-2,
           "and without weights along G^T");
    }
    close_model(&x);
    if (ok(open_text(&x, ball_text), "a ball") &&
        ok(one_step(&x, "reduced(rk4)", "project(standard, rk4, along = positions)", 0.5, y, z), "one step"))
        ok(askew(3, z, y, ones, y) < 1e-9 && askew(3, z + 3, y + 3, ones, y) < 1e-9,
           "positions along G^T, momenta along G^T: to %.1e and %.1e", askew(3, z, y, ones, y),
           askew(3, z + 3, y + 3, ones, y));
    close_model(&x);
    if (ok(one_step(&doubled, "reduced(rk4)", "project(standard, rk4, along = positions)", 0.3, far, near_),
           "one step of two pendulums, whose masses are coupled"))
        for (int k = 0; k < 4; k++)
            ok(askew(3, near_ + 3 * k, far + 3 * k, ones, far + 3 * (k % 2)) < 1e-8, "%s along its rod, to %.1e",
               k < 2 ? "a position" : "a momentum", askew(3, near_ + 3 * k, far + 3 * k, ones, far + 3 * (k % 2)));
}

/* In tandem or with a solver of its own inside: the same step, and far fewer evaluations. */
static void tandem(void)
{
    static const char *const solver[] = { "fixed-point", "newton" };
    double y[2][DIM];
    int64_t calls[2];

    for (int k = 0; k < ALL; k++) {
        for (int i = 0; i < 2; i++) {
            lbr_options o;
            lbr_plan *plan;

            lbr_options_init(&o), lbr_option_set(&o, "solver", solver[i]);
            if (!ok(!lbr_plan_create(&plan, "project(symmetric, gauss:2)", all[k].x->s, &o) &&
                        !lbr_start(plan, 0, 0.05, all[k].x->m->y0) && !lbr_run(plan, 20, 0, NULL, NULL) &&
                        !lbr_read(plan, NULL, y[i]),
                    "%s: %s", all[k].name, solver[i]))
                printf("# %s\n", lbr_plan_message(plan));
            calls[i] = lbr_plan_stats(plan)->field + lbr_plan_stats(plan)->gradient;
            lbr_plan_free(plan);
        }
        ok(distance(all[k].x->m->dim, y[0], y[1]) < 1e-13, "%s: in tandem and with Newton's method inside: %.1e apart",
           all[k].name, distance(all[k].x->m->dim, y[0], y[1]));
        if (k < 2)
            ok(calls[0] < 20 * 2 * 14 && 5 * calls[0] < 4 * calls[1],
               "%d evaluations in tandem for 20 steps, %d otherwise", (int)calls[0], (int)calls[1]);
    }
}

/* A manifold, or constraints, and an invariant with them. */
static void both(void)
{
    static const char ball_text[] = "canonical q[3], p[3]\n"
                                    "H = sq(p)/2 + q[3]\n"
                                    "constraint length = sq(q) - 1\n"
                                    "invariant Lz = q[1]*p[2] - q[2]*p[1]\n"
                                    "start q = [sin(1.3), 0, cos(1.3)], p = [0.3*cos(1.3), 0.65, -0.3*sin(1.3)]\n";
    static const char *const method[] = { "project(standard, rk4, H)", "project(symmetric, trapezoidal, H)",
                                          "local(symmetric, trapezoidal, H)" };
    modelled ball;
    double H, H0;
    int good;

    if (!ok(open_text(&ball, ball_text), "a ball")) return;
    for (int i = 0; i < 3; i++) {
        double y[3], z[6];

        memcpy(y, body.m->y0, sizeof y), memcpy(z, ball.m->y0, sizeof z);
        body.s->invariants->item->value(0, y, &H0, body.s->invariants->item->ctx);
        good = !run(body.s, method[i], NULL, 0.2, 50, y) &&
               !body.s->invariants->item->value(0, y, &H, body.s->invariants->item->ctx);
        ok(good && fabs(H - H0) < 1e-14 && off(&body, 0, y) < 1e-14,
           "%s on the rigid body: the sphere to %.1e, H to %.1e", method[i], off(&body, 0, y), H - H0);
        ball.s->energy(0, z, &H0, ball.s->ctx);
        good = !run(ball.s, method[i], NULL, 0.05, 50, z) && !ball.s->energy(0, z, &H, ball.s->ctx);
        ok(good && fabs(H - H0) < 1e-14 && fabs(z[0] * z[0] + z[1] * z[1] + z[2] * z[2] - 1) < 1e-14 &&
               fabs(z[0] * z[3] + z[1] * z[4] + z[2] * z[5]) < 1e-14,
           "on a ball: the sphere, its tangents, H to %.1e", H - H0);
    }
    close_model(&ball);
}

/* Directions along which velocities are corrected have second derivatives in them: where a system gives none,
 * differences serve, to the digits that they have. */
static void by_differences(void)
{
    static const char *const method[] = { "project(standard, explicit-euler)", "project(symmetric, explicit-euler)" };
    const modelled *const of[] = { &ellipsoid, &doubled };

    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++) {
            lbr_constraints c = *of[k]->s->constraints;
            lbr_system plain = *of[k]->s;
            double given[DIM], found[DIM], apart;

            c.g2 = NULL, c.g2t = NULL, plain.constraints = &c, plain.hessian_vec = NULL;
            memcpy(given, of[k]->m->y0, (size_t)of[k]->m->dim * sizeof *given), memcpy(found, given, sizeof given);
            apart = run(of[k]->s, method[i], NULL, 0.03, 20, given) || run(&plain, method[i], NULL, 0.03, 20, found)
                        ? INFINITY
                        : distance(of[k]->m->dim, given, found);
            ok(apart < 1e-8, "%s goes along the same directions with differences instead of second derivatives: %.1e",
               method[i], apart);
        }
}

/* Which direction belongs to which equation does not matter: both are moved along together. */
static void exchanged(void)
{
    double y[4], z[4];

    memcpy(y, cartesian.m->y0, sizeof y), memcpy(z, y, sizeof z);
    ok(!run(cartesian.s, "project(symmetric, trapezoidal, along = vertical)", NULL, 0.1, 50, y) &&
           !run(cartesian.s, "project(symmetric, trapezoidal, along = exchanged)", NULL, 0.1, 50, z),
       "50 steps of both");
    ok(distance(4, y, z) < 1e-13, "directions in another order: %.1e", distance(4, y, z));
}

/* --- published --------------------------------------------------------------------------------------------------- */

typedef struct range {
    double first, last, least, most;
} range;

static int energy(const lbr_view *v, void *ctx)
{
    range *r = ctx;
    double H;

    if (lbr_view_energy(v, &H) && lbr_view_invariant(v, 0, &H)) return 1;
    if (v->n == 0) r->first = r->least = r->most = H;
    r->last = H, r->least = fmin(r->least, H), r->most = fmax(r->most, H);
    return 0;
}

static range energies(const modelled *x, const char *method, double h, int64_t n, const double *y0)
{
    range r = { NAN, NAN, NAN, NAN };
    lbr_plan *plan;

    if (lbr_plan_create(&plan, method, x->s, NULL) || lbr_start(plan, 0, h, y0) || lbr_run(plan, n, 1, energy, &r))
        printf("# %s: %s\n", method, lbr_plan_message(plan)), r.last = NAN;
    lbr_plan_free(plan);
    return r;
}

static void published(void)
{
    double up[4] = { cos(0.8), sin(0.8), 0, 0 };
    range r = energies(&body, "project(standard, trapezoidal)", 1, 5000, body.m->y0);

    near(r.first, 0.556801, 1e-6, "HLW Fig. V.4.2: the energy at the start");
    near(r.last, 0.56339, 1e-5, "with standard projection it has drifted to 0.56339 after 5000 steps");
    r = energies(&body, "project(symmetric, trapezoidal)", 1, 5000, body.m->y0);
    near(r.most, 0.557111, 2e-6, "with symmetric projection it stays below 0.557111");
    near(r.least, 0.556801, 2e-6, "and above 0.556801");
    r = energies(&cartesian, "project(symmetric, trapezoidal)", 0.1, 2000, cartesian.m->y0);
    near(fmax(r.most - r.first, r.first - r.least), 4.19e-4, 5e-6, "HLW Fig. V.4.3, left, orthogonal, h = 0.1");
    r = energies(&cartesian, "project(symmetric, trapezoidal)", 0.05, 4000, cartesian.m->y0);
    near(fmax(r.most - r.first, r.first - r.least), 1.05e-4, 2e-6, "h = 0.05");
    r = energies(&cartesian, "project(symmetric, trapezoidal, along = vertical)", 0.1, 2000, cartesian.m->y0);
    near(fmax(r.most - r.first, r.first - r.least), 6.44e-4, 5e-6, "vertical, h = 0.1");
    r = energies(&cartesian, "project(symmetric, trapezoidal)", 0.1, 2000, up);
    near(fmax(r.most - r.first, r.first - r.least), 1.52e-2, 1e-4, "right, orthogonal, h = 0.1");
    r = energies(&cartesian, "project(symmetric, trapezoidal, along = A)", 0.1, 2000, cartesian.m->y0);
    ok(r.last - r.first < -1.1e-3, "HLW Fig. V.4.4: symmetric, not reversible: the energy is %.2e off",
       r.last - r.first);
}

/* HLW Fig. IV.4.3: symplectic Euler with its energy alone put right falls into the centre, and the last projection is
 * at t = 25.2. */
static void falls(void)
{
    double t = 0;
    lbr_plan *plan;
    int good = !lbr_plan_create(&plan, "project(standard, adjoint(symplectic-euler), H)", orbit.s, NULL) &&
               !lbr_start(plan, 0, 0.03, orbit.m->y0);

    good = good && lbr_run(plan, 6666, 0, NULL, NULL) == LBR_ENOCONV && !lbr_read(plan, &t, NULL);
    ok(good, "no projection onto the energy any more: %s", lbr_plan_message(plan));
    near(t + 0.03, 25.23, 1e-9, "the step that fails ends at t = 25.23");
    lbr_plan_free(plan);
    ok(worst(&orbit, "project(standard, explicit-euler, H, L)", 0.03, 6666) < 1e-13,
       "explicit Euler with both has both to the end");
}

/* --- when one looks; states; sums -------------------------------------------------------------------------------- */

static void post(void)
{
    double y[3], z[3], size;
    lbr_plan *p = NULL, *q = NULL;
    int good = !lbr_plan_create(&p, "project(post, rk4)", body.s, NULL) && !lbr_plan_create(&q, "rk4", body.s, NULL) &&
               !lbr_start(p, 0, 0.8, body.m->y0) && !lbr_start(q, 0, 0.8, body.m->y0);

    good = good && !lbr_run(p, 25, 3, NULL, NULL) && !lbr_run(q, 25, 0, NULL, NULL) && !lbr_read(p, NULL, y) &&
           !lbr_read(q, NULL, z);
    size = sqrt(z[0] * z[0] + z[1] * z[1] + z[2] * z[2]);
    for (int i = 0; i < 3; i++) z[i] /= size;
    ok(good && fabs(size - 1) > 1e-4 && distance(3, y, z) < 2e-15,
       "project(post, rk4): what rk4 has after 25 steps, %.1e off the sphere, put back onto it: %.1e", size - 1,
       distance(3, y, z));
    lbr_plan_free(p), lbr_plan_free(q);
}

/* What invariants were at the start is part of the state. */
static void restored(const char *method, const char *compensated)
{
    double one[DIM], two[DIM];
    lbr_state *s = NULL, *r = NULL;
    lbr_plan *plan;
    const void *bytes;
    size_t size;
    lbr_options o;
    int good;

    lbr_options_init(&o), lbr_option_set(&o, "compensated", compensated);
    good = !lbr_plan_create(&plan, method, orbit.s, &o) && !lbr_state_create(&s, plan) && !lbr_state_create(&r, plan);
    good = good && !lbr_state_start(s, 0, 0.02, orbit.m->y0) && !lbr_state_run(s, 25, 0, NULL, NULL);
    good = good && (bytes = lbr_state_bytes(s, &size)) && !lbr_state_restore(r, bytes, size);
    good = good && !lbr_state_run(s, 300, 7, NULL, NULL) && !lbr_state_run(r, 300, 0, NULL, NULL) &&
           !lbr_state_read(s, NULL, one) && !lbr_state_read(r, NULL, two);
    ok(good && !memcmp(one, two, 4 * sizeof *one),
       "%s, compensated: %s: a restored trajectory goes on to the same bits", method, compensated);
    ok(good && off(&orbit, 0, one) < 1e-14, "L is what it was at the very start: %.1e", off(&orbit, 0, one));
    memcpy(two, orbit.m->y0, 4 * sizeof *two);
    good = good && !run(orbit.s, method, NULL, 0.02, 325, two);
    ok(good && distance(4, one, two) < 1e-11, "and without compensated sums it is nearly the same: %.1e",
       distance(4, one, two));
    lbr_state_free(s), lbr_state_free(r), lbr_plan_free(plan);
}

/* x grows by the same amount in each step, beside a projection that leaves it alone: compensated sums have it to the
 * last bit. */
static void sums(const char *method)
{
    static const char text[] = "state y[2], x\n"
                               "x' = 0.1\n"
                               "y' = [-y[2], y[1]]\n"
                               "constraint circle = sq(y) - 1\n"
                               "start x = 1, y = [1, 0]\n";
    double y[3], z[3], product = 0.1 * 0.1, low = fma(0.1, 0.1, -product), n = 20000,
                       exact = 1 + (n * product + (fma(n, product, -(n * product)) + n * low));
    lbr_options o;
    modelled x;
    int good;

    lbr_options_init(&o), lbr_option_set(&o, "compensated", "yes");
    if (!ok(open_text(&x, text), "a drift and a circle")) return;
    memcpy(y, x.m->y0, sizeof y), memcpy(z, y, sizeof z);
    good = !run(x.s, method, &o, 0.1, 20000, y) && !run(x.s, method, NULL, 0.1, 20000, z);
    ok(good && fabs(y[2] - exact) < 4e-14 && fabs(z[2] - exact) > 3e-13,
       "%s, 20000 steps: x is off by %.1e with compensated sums, by %.1e without", method, y[2] - exact, z[2] - exact);
    close_model(&x);
}

/* --- systems and maps in C --------------------------------------------------------------------------------------- */

static int circle_map(double t, double h, double *y, void *ctx)
{
    double x = y[0];
    return (void)t, (void)ctx, y[0] = x - h * y[1], y[1] = y[1] + h * x, 0;
} /* explicit Euler on a circle */
static int circle_field(double t, const double *y, double *f, void *ctx)
{
    return (void)t, (void)ctx, f[0] = -y[1], f[1] = y[0], 0;
}
static int circle_g(double t, const double *y, double *g, void *ctx)
{
    return (void)t, (void)ctx, g[0] = y[0] * y[0] + y[1] * y[1] - 1, 0;
}
static int circle_twice(double t, const double *y, double *g, void *ctx)
{
    return circle_g(t, y, g, ctx), g[1] = 3 * g[0], 0;
}
static int circle_nan(double t, const double *y, double *g, void *ctx)
{
    return (void)t, (void)ctx, (void)y, g[0] = t > 0.3 ? NAN : 0, 0;
}
static int circle_never(double t, const double *y, double *g, void *ctx)
{
    return (void)ctx, t > 0.3 ? -1 : circle_g(t, y, g, ctx);
}
static int circle_flat(double t, const double *y, double *g, void *ctx)
{
    return (void)t, (void)y, (void)ctx, g[0] = 0, 0;
}

static lbr_map_def circle_maps[] = {
    { .size = sizeof *circle_maps, .name = "euler-map", .map = circle_map, .order = 1 }
};

static void in_c(void)
{
    lbr_manifold circle = { .size = sizeof circle, .m = 1, .g = circle_g };
    lbr_system s = LBR_SYSTEM(.name = "circle", .dim = 2, .field = circle_field, .manifold = &circle,
                              .maps = circle_maps, .nmaps = 1);
    double y[2] = { 1, 0 }, z[2] = { 1, 0 }, angle = atan(0.1);
    int good;

    good = !run(&s, "project(standard, euler-map)", NULL, 0.1, 10, y);
    ok(good && fabs(y[0] - cos(10 * angle)) < 1e-12 && fabs(y[1] - sin(10 * angle)) < 1e-12,
       "a map in C, projected, with differences for G: rotations by arctan h, to %.1e", y[0] - cos(10 * angle));
    ok(!run(&s, "project(symmetric, euler-map)", NULL, 0.1, 10, z) && fabs(hypot(z[0], z[1]) - 1) < 1e-15 &&
           fabs(z[0] - cos(10 * angle)) < 1e-10,
       "symmetrically too: the same rotations, as the circle is the circle");
}

/* --- refused ----------------------------------------------------------------------------------------------------- */

static void refused(const lbr_system *s, const char *method, const double *y, double h, lbr_status want,
                    const char *words)
{
    refused_in(s, method, y, h, 100, want, words);
}

static void refusals(void)
{
    static const char plain[] = "state x[2]\n"
                                "x' = [-x[2], x[1]]\n"
                                "start x = [1, 0]\n",
                      three[] = "canonical q[2], p[2]\n"
                                "H = sq(p)/2 - 1/norm(q)\n"
                                "let C = q[1]*p[2] - q[2]*p[1]\n"
                                "invariant L = C, A = [p[2]*C, -p[1]*C] - q/norm(q)\n"
                                "start q = [0.4, 0], p = [0, 2]\n";
    lbr_manifold twice = { .size = sizeof twice, .m = 2, .g = circle_twice },
                 not_a_number = { .size = sizeof twice, .m = 1, .g = circle_nan },
                 never = { .size = sizeof twice, .m = 1, .g = circle_never },
                 flat = { .size = sizeof twice, .m = 1, .g = circle_flat },
                 none = { .size = sizeof twice, .m = 0, .g = circle_g };
    static const int64_t row[3] = { 0, 1, 3 }, col[3] = { 0, 0, 2 };
    lbr_manifold outside = {
        .size = sizeof twice, .m = 2, .g = circle_twice, .G = circle_twice, .nnz = 3, .row = row, .col = col
    };
    lbr_system s = LBR_SYSTEM(.name = "circle", .dim = 2, .field = circle_field);
    double y[3] = { 1, 0, 0.2 };
    modelled x;

    refused(body.s, "project(symmetrical, rk4)", body.m->y0, 0.1, LBR_EMETHOD, "is used like this");
    refused(body.s, "project(symmetric)", body.m->y0, 0.1, LBR_EMETHOD, "is used like this");
    refused(body.s, "project(standard, rk4, at = midpoint)", body.m->y0, 0.1, LBR_EMETHOD,
            "a standard one has none to choose");
    refused(body.s, "project(symmetric, rk4, at = sunset)", body.m->y0, 0.1, LBR_EMETHOD,
            "one of: ends, midpoint, start");
    refused(body.s, "project(symmetric, rk4, above = all)", body.m->y0, 0.1, LBR_EMETHOD, "no setting 'above'");
    refused(body.s, "local(post, rk4)", body.m->y0, 0.1, LBR_EMETHOD, "is used like this");
    refused(body.s, "local(standard, rk4, at = midpoint)", body.m->y0, 0.1, LBR_EMETHOD, "no setting 'at'");
    refused(body.s, "local(standard, compose(suzuki:4, midpoint))", body.m->y0, 0.1, LBR_EUNFIT,
            "one step of a Runge-Kutta method");
    refused(orbit.s, "local(standard, stormer-verlet)", orbit.m->y0, 0.01, LBR_EUNFIT,
            "one step of a Runge-Kutta method");
    {
        lbr_options o;
        lbr_plan *plan;
        lbr_status status;

        lbr_options_init(&o), lbr_option_set(&o, "compensated", "yes");
        status = lbr_plan_create(&plan, "local(standard, rk4)", body.s, &o);
        ok(status == LBR_EUNFIT && strstr(lbr_plan_message(plan), "no compensated sums"), "local(standard, rk4): %s",
           lbr_plan_message(plan));
        lbr_plan_free(plan);
    }
    refused(body.s, "adjoint(local(standard, rk4))", body.m->y0, 0.1, LBR_EUNFIT, "which is not known");
    refused(body.s, "local(symmetric, midpoint)", body.m->y0, 40, LBR_ENOCONV, "try a smaller step");
    refused(body.s, "project(standard, rk4, E)", body.m->y0, 0.1, LBR_EUNFIT, "no invariant 'E'");
    refused(body.s, "project(standard, rk4, along = positions)", body.m->y0, 0.1, LBR_EUNFIT, "no such constraints");
    refused(body.s, "project(standard, rk4, along = A)", body.m->y0, 0.1, LBR_EUNFIT, "observes no quantity");
    refused(cartesian.s, "project(standard, rk4, along = w)", cartesian.m->y0, 0.1, LBR_EUNFIT, "has 4 numbers");
    refused(body.s, "project(standard, rk4, weights = masses)", body.m->y0, 0.1, LBR_EUNFIT,
            "does not give (inverse_mass)");
    refused(body.s, "adjoint(project(standard, rk4))", body.m->y0, 0.1, LBR_EUNFIT,
            "the adjoint of a standard projection");
    refused(body.s, "project(standard, rk4)", y, 0.1, LBR_EARG, "the start is off constraint 'sphere'");
    if (ok(open_text(&x, plain), "a system without anything"))
        refused(x.s, "project(standard, rk4)", x.m->y0, 0.1, LBR_EUNFIT, "nothing to project onto");
    close_model(&x);
    if (ok(open_text(&x, three), "Kepler"))
        refused(x.s, "project(standard, rk4, H, L, A)", x.m->y0, 0.01, LBR_ESINGULAR,
                "step 1 (from t = 0): no projection: the gradient of invariant");
    close_model(&x);
    if (ok(open_text(&x, "canonical q[2], p[2]\n"
                         "H = sq(p)/2 + sq(q)/2\n"
                         "let C = q[1]*p[2] - q[2]*p[1]\n"
                         "invariant A = [C, H - C], B = 3\n"
                         "start q = [0.4, 0], p = [0, 2]\n"),
           "an invariant that does not change at all")) {
        refused(x.s, "project(standard, rk4, A, B)", x.m->y0, 0.01, LBR_ESINGULAR,
                "the gradient of invariant 'B' is zero here");
        refused(x.s, "project(standard, rk4, B, A)", x.m->y0, 0.01, LBR_ESINGULAR,
                "the gradient of invariant 'B' is zero here");
    }
    close_model(&x);
    s.manifold = &twice,
    refused(&s, "project(standard, rk4)", y, 0.1, LBR_ESINGULAR, "equation 2 of the manifold depends on the others");
    s.manifold = &not_a_number, refused(&s, "project(standard, rk4)", y, 0.1, LBR_ESINGULAR, "zero");
    s.manifold = &never,
    refused(&s, "project(symmetric, midpoint)", y, 0.1, LBR_ECALLBACK, "what is projected onto reported a failure");
    s.manifold = &flat, refused(&s, "project(symmetric, midpoint)", y, 0.1, LBR_ESINGULAR, "is zero here");
    s.manifold = &outside, refused(&s, "project(standard, rk4)", y, 0.1, LBR_EARG, "not components");
    s.manifold = &none, refused(&s, "project(symmetric, midpoint)", y, 0.1, LBR_EARG, "no equations");
    if (ok(open_text(&x, "state x, y\nx' = 1 + x^2\ny' = -(1 + x^2)\ninvariant S = x + y\nstart x = 1, y = 2\n"),
           "a step without a solution: x = 4 + x^2"))
        refused(x.s, "project(symmetric, trapezoidal, S)", x.m->y0, 2, LBR_ENOCONV, "try a smaller step");
    close_model(&x);
}

static void starts(void)
{
    double y[3] = { 1, 0.1, 0.2 };
    lbr_plan *plan;
    int good = !lbr_plan_create(&plan, "project(symmetric, trapezoidal)", body.s, NULL) &&
               !lbr_project_start(plan, 0, y) && !lbr_start(plan, 0, 0.1, y);

    ok(good, "a start off the sphere, brought onto it: %s", lbr_plan_message(plan));
    near(y[1] / y[0], 0.1, 1e-14, "straight inwards");
    lbr_plan_free(plan);
}

static void described(void)
{
    static const struct {
        const char *name;
        int order, symmetric;
    } row[] = { { "project(symmetric, trapezoidal)", 2, 1 },
                { "project(standard, gauss:3)", 6, 0 },
                { "project(symmetric, rk4)", 4, 0 },
                { "project(post, gauss:2)", 4, 1 },
                { "compose(suzuki:4, project(symmetric, midpoint))", 4, 1 },
                { "project(symmetric, compose(suzuki:6, midpoint), H)", 6, 1 } };

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const lbr_method_info *info;
        lbr_status status = lbr_method_describe(&info, row[i].name);

        ok(!status && info->order == row[i].order && info->symmetric == row[i].symmetric && info->symplectic == 0 &&
               strstr(info->needs, "manifold"),
           "%s: order %d, symmetric %d, needs %s", row[i].name, info->order, info->symmetric, info->needs);
        lbr_method_free(info);
    }
}

int main(void)
{
    for (int k = 0; k < ALL; k++)
        if (!open_text(all[k].x, all[k].text)) return printf("Bail out! %s\n", all[k].name), 2;
    orders(), kept(), symmetry(), sphere(), moves(), tandem(), both(), by_differences(), exchanged(), published(),
        falls(), post(), restored("project(standard, rk4)", "no"), restored("project(symmetric, midpoint)", "yes"),
        restored("project(symmetric, stormer-verlet)", "yes"), restored("local(symmetric, midpoint)", "no"),
        sums("project(symmetric, compose(strang, explicit-euler))"), sums("project(symmetric, midpoint)"),
        sums("project(standard, rk4)"), in_c(), refusals(), starts(), described();
    for (int k = 0; k < ALL; k++) close_model(all[k].x);
    return tap_done();
}
