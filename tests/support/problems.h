/* problems.h - the systems that the tests integrate, from HLW Chapters I, II and V.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Each is a `problem`: a system, a start and a step that suits its time scale. Plain arithmetic and sqrt only, but
 * for the pendulum, so that results do not depend on a mathematical library. */
#ifndef TEST_PROBLEMS_H
#define TEST_PROBLEMS_H
#include <libration.h>
#include <math.h>
#include <string.h>

enum { PROBLEM_DIM = 36 };

typedef struct problem {
    lbr_system system;
    double t0, h, y[PROBLEM_DIM];
} problem;

#define UNUSED __attribute__((unused))
static const double problem_ones[PROBLEM_DIM] = { 1, 1, 1, 1, 1, 1, 1, 1 };

/* --- Henon-Heiles (HLW I.3.2): quadratic T, nq = 2 --------------------------------------------------------------- */

static int hh_force(double t, const double *q, double *f, void *ctx)
{
    (void)t, (void)ctx;
    f[0] = -q[0] - 2 * q[0] * q[1];
    f[1] = -q[1] - q[0] * q[0] + q[1] * q[1];
    return 0;
}

static int hh_energy(double t, const double *y, double *H, void *ctx)
{
    (void)t, (void)ctx;
    *H = (y[0] * y[0] + y[1] * y[1] + y[2] * y[2] + y[3] * y[3]) / 2 + y[0] * y[0] * y[1] - y[1] * y[1] * y[1] / 3;
    return 0;
}

UNUSED static problem henon_heiles(void)
{
    return (problem){ LBR_SYSTEM(.name = "henon-heiles", .dim = 4, .nq = 2, .force = hh_force,
                                 .inverse_mass = problem_ones, .energy = hh_energy),
                      .h = 0.1, .y = { 0, 0.25, 0.34, 0.16 } };
}

/* --- Kepler (HLW I.2.2), e = 0.6 --------------------------------------------------------------------------------- */

static int kepler_force(double t, const double *q, double *f, void *ctx)
{
    double r2 = q[0] * q[0] + q[1] * q[1], r3 = r2 * sqrt(r2);

    (void)t, (void)ctx;
    f[0] = -q[0] / r3, f[1] = -q[1] / r3;
    return 0;
}

static int kepler_energy(double t, const double *y, double *H, void *ctx)
{
    (void)t, (void)ctx;
    *H = (y[2] * y[2] + y[3] * y[3]) / 2 - 1 / sqrt(y[0] * y[0] + y[1] * y[1]);
    return 0;
}

static int kepler_momentum(double t, const double *y, double *L, void *ctx)
{
    (void)t, (void)ctx;
    *L = y[0] * y[3] - y[1] * y[2];
    return 0;
}

static const lbr_invariant kepler_invariant[] = {
    { .size = sizeof(lbr_invariant), .name = "L", .len = 1, .value = kepler_momentum }
};
static const lbr_invariants kepler_invariants = { sizeof(lbr_invariants), 1, kepler_invariant };

UNUSED static problem kepler(void)
{
    return (problem){ LBR_SYSTEM(.name = "kepler", .dim = 4, .nq = 2, .force = kepler_force,
                                 .inverse_mass = problem_ones, .energy = kepler_energy,
                                 .invariants = &kepler_invariants),
                      .h = 0.05, .y = { 0.4, 0, 0, 2 } };
}

/* --- the pendulum (HLW I.1.12): nq = 1 --------------------------------------------------------------------------- */

static int pendulum_force(double t, const double *q, double *f, void *ctx)
{
    return (void)t, (void)ctx, f[0] = -sin(q[0]), 0;
}
static int pendulum_energy(double t, const double *y, double *H, void *ctx)
{
    return (void)t, (void)ctx, *H = y[1] * y[1] / 2 - cos(y[0]), 0;
}

UNUSED static problem pendulum(void)
{
    return (problem){ LBR_SYSTEM(.name = "pendulum", .dim = 2, .nq = 1, .force = pendulum_force,
                                 .inverse_mass = problem_ones, .energy = pendulum_energy),
                      .h = 0.1, .y = { 0.5, 1.2 } };
}

/* --- T(p) not quadratic: a relativistic particle, T = sum sqrt(1 + p^2), quartic potential with coupling; nq = 3 ---
 */

static int relativistic_force(double t, const double *q, double *f, void *ctx)
{
    double s = q[0] + q[1] + q[2];

    (void)t, (void)ctx;
    for (int i = 0; i < 3; i++) f[i] = -q[i] * q[i] * q[i] - 0.5 * s;
    return 0;
}

static int relativistic_velocity(double t, const double *p, double *v, void *ctx)
{
    double e = sqrt(1 + p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);

    (void)t, (void)ctx;
    for (int i = 0; i < 3; i++) v[i] = p[i] / e;
    return 0;
}

static int relativistic_energy(double t, const double *y, double *H, void *ctx)
{
    double s = y[0] + y[1] + y[2], sum = sqrt(1 + y[3] * y[3] + y[4] * y[4] + y[5] * y[5]) + s * s / 4;

    (void)t, (void)ctx;
    for (int i = 0; i < 3; i++) sum += y[i] * y[i] * y[i] * y[i] / 4;
    *H = sum;
    return 0;
}

UNUSED static problem relativistic(void)
{
    return (problem){ LBR_SYSTEM(.name = "relativistic", .dim = 6, .nq = 3, .force = relativistic_force,
                                 .velocity = relativistic_velocity, .energy = relativistic_energy),
                      .h = 0.1, .y = { 0.9, -0.3, 0.5, 0.4, 0.8, -0.6 } };
}

/* --- H not separable: H = (1 + q^2) p^2/2 + q^2/2 + q^4/4 with a second degree of freedom coupled; nq = 2 -------- */

static int mixed_dHdq(double t, const double *y, double *out, void *ctx)
{
    (void)t, (void)ctx;
    out[0] = y[0] * y[2] * y[2] + y[0] + y[0] * y[0] * y[0] + 0.3 * y[1];
    out[1] = 0.3 * y[0] + y[1] + 0.2 * y[2] * y[3];
    return 0;
}

static int mixed_dHdp(double t, const double *y, double *out, void *ctx)
{
    (void)t, (void)ctx;
    out[0] = (1 + y[0] * y[0]) * y[2] + 0.2 * y[1] * y[3];
    out[1] = y[3] + 0.2 * y[1] * y[2];
    return 0;
}

static int mixed_energy(double t, const double *y, double *H, void *ctx)
{
    (void)t, (void)ctx;
    *H = (1 + y[0] * y[0]) * y[2] * y[2] / 2 + y[0] * y[0] / 2 + y[0] * y[0] * y[0] * y[0] / 4 + y[3] * y[3] / 2 +
         y[1] * y[1] / 2 + 0.3 * y[0] * y[1] + 0.2 * y[1] * y[2] * y[3];
    return 0;
}

UNUSED static problem mixed(void)
{
    return (problem){ LBR_SYSTEM(.name = "mixed", .dim = 4, .nq = 2, .dHdq = mixed_dHdq, .dHdp = mixed_dHdp,
                                 .energy = mixed_energy),
                      .h = 0.1, .y = { 0.6, -0.2, 0.3, 0.5 } };
}

/* --- a field without partition: the free rigid body (HLW IV.1.4), I = (2, 1, 2/3); dim = 3 ----------------------- */

static int body_field(double t, const double *y, double *out, void *ctx)
{
    (void)t, (void)ctx;
    out[0] = (1.5 - 1.0) * y[1] * y[2];
    out[1] = (0.5 - 1.5) * y[2] * y[0];
    out[2] = (1.0 - 0.5) * y[0] * y[1];
    return 0;
}

static int body_jvp(double t, const double *y, const double *v, double *out, void *ctx)
{
    (void)t, (void)ctx;
    out[0] = 0.5 * (v[1] * y[2] + y[1] * v[2]);
    out[1] = -(v[2] * y[0] + y[2] * v[0]);
    out[2] = 0.5 * (v[0] * y[1] + y[0] * v[1]);
    return 0;
}

static int body_energy(double t, const double *y, double *H, void *ctx)
{
    (void)t, (void)ctx;
    *H = (y[0] * y[0] / 2 + y[1] * y[1] + y[2] * y[2] * 1.5) / 2;
    return 0;
}

/* Exact flows of its three parts: rotations about the axes, for the Lie-Poisson splitting (HLW VII.5.3). */
static int body_turn(int axis, double angle, double *y)
{
    int j = (axis + 1) % 3, k = (axis + 2) % 3;
    double c = cos(angle), s = sin(angle), a = y[j], b = y[k];

    y[j] = c * a + s * b, y[k] = c * b - s * a;
    return 0;
}
static int body_flow1(double t, double s, double *y, void *ctx)
{
    return (void)t, (void)ctx, body_turn(0, s * 0.5 * y[0], y);
}
static int body_flow2(double t, double s, double *y, void *ctx)
{
    return (void)t, (void)ctx, body_turn(1, s * 1.0 * y[1], y);
}
static int body_flow3(double t, double s, double *y, void *ctx)
{
    return (void)t, (void)ctx, body_turn(2, s * 1.5 * y[2], y);
}

static const lbr_part body_part[] = {
    { sizeof(lbr_part), "A", body_flow1, NULL, NULL, NULL, NULL, NULL },
    { sizeof(lbr_part), "B", body_flow2, NULL, NULL, NULL, NULL, NULL },
    { sizeof(lbr_part), "C", body_flow3, NULL, NULL, NULL, NULL, NULL },
};
static const lbr_parts body_parts = { sizeof(lbr_parts), 3, body_part, 0 };

UNUSED static problem rigid_body(void)
{
    return (problem){ LBR_SYSTEM(.name = "rigid-body", .dim = 3, .field = body_field, .field_jvp = body_jvp,
                                 .energy = body_energy, .parts = &body_parts),
                      .h = 0.1, .y = { 1.04, 0.3, 2.05 } };
}

/* --- Lotka-Volterra (HLW I.1.1); dim = 2, as parts with exact flows ---------------------------------------------- */

static int lotka_field(double t, const double *y, double *out, void *ctx)
{
    (void)t, (void)ctx;
    out[0] = y[0] * (y[1] - 2), out[1] = y[1] * (1 - y[0]);
    return 0;
}

UNUSED static problem lotka_volterra(void)
{
    return (problem){ LBR_SYSTEM(.name = "lotka-volterra", .dim = 2, .field = lotka_field), .h = 0.1,
                      .y = { 0.2, 3.3 } };
}

/* --- time-dependent: y' = t^2 + y^2 (HLW Fig. II.1.2), dim = 1; and a driven oscillator with partition ----------- */

static int riccati_field(double t, const double *y, double *out, void *ctx)
{
    return (void)ctx, out[0] = t * t + y[0] * y[0], 0;
}

UNUSED static problem riccati(void)
{
    return (problem){ LBR_SYSTEM(.name = "riccati", .dim = 1, .field = riccati_field), .h = 0.1, .y = { 0.46 } };
}

static int driven_force(double t, const double *q, double *f, void *ctx)
{
    return (void)ctx, f[0] = -q[0] * q[0] * q[0] + t / (1 + t * t), 0;
}

UNUSED static problem driven(void)
{
    return (
        problem){ LBR_SYSTEM(.name = "driven", .dim = 2, .nq = 1, .force = driven_force, .inverse_mass = problem_ones),
                  .t0 = 0.25, .h = 0.1, .y = { 0.7, 0.2 } };
}

/* --- the outer solar system (HLW I.2.4): six bodies, nq = 18, masses --------------------------------------------- */

#include "../examples/outer_solar_system.h"

UNUSED static problem solar_system(void)
{
    problem p = { LBR_SYSTEM(.name = "outer-solar-system", .dim = 36, .nq = 18, .force = solar_force,
                             .inverse_mass = solar_inverse, .energy = solar_energy, .invariants = &solar_invariants),
                  .h = 50 };

    for (int i = 0; i < 18; i++) p.y[i] = solar_q[i], p.y[18 + i] = solar_v[i] / solar_inverse[i];
    return p;
}

/* A start followed by n steps; y is the result. */
UNUSED static lbr_status problem_run(const problem *p, const char *method, const lbr_options *o, double h, int64_t n,
                                     double *y)
{
    lbr_plan *plan;
    lbr_status status = lbr_plan_create(&plan, method, &p->system, o);

    if (!status) status = lbr_start(plan, p->t0, h, p->y);
    if (!status) status = lbr_run(plan, n, 0, NULL, NULL);
    if (!status) status = lbr_read(plan, NULL, y);
    if (status) printf("# %s on %s: %s\n", method, p->system.name, lbr_plan_message(plan));
    lbr_plan_free(plan);
    return status;
}
#endif
