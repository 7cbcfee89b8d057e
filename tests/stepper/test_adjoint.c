/* test_adjoint.c - maps given only as code and their adjoints; implicit steps that only Newton's method can make.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support/tap.h"

#include "support/problems.h"

/* Explicit Euler for y1' = -k (y1 - t^2) + y2^2/10, y2' = t - y2: with the time in it, and stiff where k is large. */
static int field(double t, const double *y, double *out, void *ctx)
{
    out[0] = -*(double *)ctx * (y[0] - t * t) + 0.1 * y[1] * y[1];
    out[1] = t - y[1];
    return 0;
}

static int increment(double t, double h, const double *y, double *dy, void *ctx)
{
    field(t, y, dy, ctx);
    dy[0] *= h, dy[1] *= h;
    return 0;
}

static int euler(double t, double h, double *y, void *ctx)
{
    double dy[2];

    increment(t, h, y, dy, ctx);
    y[0] += dy[0], y[1] += dy[1];
    return 0;
}

static const lbr_map_def maps[] = {
    { .size = sizeof(lbr_map_def), .name = "code", .map = euler, .order = 1 },
    { .size = sizeof(lbr_map_def), .name = "increments", .map = euler, .increment = increment, .order = 1 },
};

/* 20 steps of h; NaN where it fails. */
static void run(double k, const char *method, const char *solver, int64_t most, double h, double *y)
{
    problem p = { LBR_SYSTEM(.name = "stiff", .dim = 2, .field = field, .ctx = &k, .maps = maps, .nmaps = 2), .t0 = 0.3,
                  .y = { 0.5, -0.4 } };
    lbr_options o;

    lbr_options_init(&o);
    lbr_option_set(&o, "solver", solver);
    o.max_iterations = most;
    y[0] = y[1] = NAN;
    problem_run(&p, method, &o, h, 20, y);
}

/* adjoint(code) is implicit Euler, also in time, and also where fixed-point iteration cannot solve for it. */
static void adjoints(void)
{
    static const double stiffness[] = { 1, 60 };
    static const char *const names[] = { "adjoint(code)", "adjoint(increments)" }, *const solvers[] = { "auto",
                                                                                                        "newton",
                                                                                                        "fixed-point" };

    for (int s = 0; s < 2; s++) {
        double want[2], y[2];

        run(stiffness[s], "implicit-euler", "newton", 100, 0.1, want);
        for (int m = 0; m < 2; m++)
            for (int v = 0; v < 3; v++) {
                int solvable = s == 0 || v < 2;

                run(stiffness[s], names[m], solvers[v], s ? 25 : 100, 0.1, y);
                if (solvable)
                    ok(fabs(y[0] - want[0]) < 1e-14 && fabs(y[1] - want[1]) < 1e-14,
                       "%s, %s, k = %g: implicit Euler, to %.1g", names[m], solvers[v], stiffness[s], y[0] - want[0]);
                else ok(isnan(y[0]), "%s, %s, k = %g: not solved", names[m], solvers[v], stiffness[s]);
            }
        run(stiffness[s], "compose(strang, code)", "newton", 25, 0.1, y);
        run(stiffness[s], "compose(strang, explicit-euler)", "newton", 100, 0.1, want);
        ok(fabs(y[0] - want[0]) < 1e-13 * (1 + fabs(want[0])),
           "compose(strang, code), k = %g: the trapezoidal rule, to %.1g", stiffness[s], y[0] - want[0]);
    }
}

/* H = k (q p) + (q^2 + p^2)/2 with h k > 1: symplectic Euler for a general H is a linear equation that contracts only
 * by Newton. */
static int dHdq(double t, const double *y, double *out, void *ctx)
{
    return (void)t, out[0] = *(double *)ctx * y[1] + y[0], 0;
}
static int dHdp(double t, const double *y, double *out, void *ctx)
{
    return (void)t, out[0] = *(double *)ctx * y[0] + y[1], 0;
}

static void general_H(void)
{
    static const char *const solvers[] = { "auto", "newton" };
    double k = -30, h = 0.1;

    for (int v = 0; v < 2; v++) {
        problem p = { LBR_SYSTEM(.name = "mixed linear", .dim = 2, .nq = 1, .dHdq = dHdq, .dHdp = dHdp, .ctx = &k),
                      .y = { 0.7, 0.4 } };
        double y[2] = { NAN, NAN }, p1 = (0.4 - h * 0.7) / (1 + h * k), q1 = 0.7 + h * (k * 0.7 + p1);
        lbr_options o;

        lbr_options_init(&o);
        lbr_option_set(&o, "solver", solvers[v]);
        o.max_iterations = 25;
        problem_run(&p, "symplectic-euler", &o, h, 1, y);
        ok(fabs(y[0] - q1) < 1e-14 && fabs(y[1] - p1) < 1e-14, "symplectic Euler, p implicit, %s: to %.1g", solvers[v],
           y[1] - p1);
        q1 = (0.7 + h * 0.4) / (1 - h * k), p1 = 0.4 - h * (k * 0.4 + q1);
        problem_run(&p, "symplectic-euler-b", &o, h, 1, y);
        ok(fabs(y[0] - q1) < 1e-14 && fabs(y[1] - p1) < 1e-14, "symplectic Euler, q implicit, %s: to %.1g", solvers[v],
           y[0] - q1);
    }
}

/* H = |p|^2 (1 + q1^2/4)/2 + q1 q2 cos t + q2^4/4: neither separable nor constant in time. */
static int turning_dHdq(double t, const double *y, double *out, void *ctx)
{
    (void)ctx;
    out[0] = (y[2] * y[2] + y[3] * y[3]) * y[0] / 4 + y[1] * cos(t), out[1] = y[0] * cos(t) + y[1] * y[1] * y[1];
    return 0;
}
static int turning_dHdp(double t, const double *y, double *out, void *ctx)
{
    (void)t, (void)ctx;
    for (int i = 0; i < 2; i++) out[i] = y[2 + i] * (1 + y[0] * y[0] / 4);
    return 0;
}

/* A step, and back by the adjoint with -h from the time that was reached (HLW II.3.1); the same without "adjoint" must
 * not lead back. */
static void there_and_back(problem p, const char *method, int symmetric)
{
    lbr_options o;
    char adjoint[80];
    double y[PROBLEM_DIM], z[PROBLEM_DIM], far = 0, wrong = 0;
    problem back = p;

    for (int i = 0; i < PROBLEM_DIM; i++) back.y[i] = y[i] = z[i] = NAN;
    lbr_options_init(&o);
    snprintf(adjoint, sizeof adjoint, "adjoint(%s)", method);
    problem_run(&p, method, &o, 0.125, 1, back.y);
    back.t0 = p.t0 + 0.125;
    problem_run(&back, adjoint, &o, -0.125, 1, y), problem_run(&back, method, &o, -0.125, 1, z);
    for (int64_t i = 0; i < p.system.dim; i++) far += fabs(y[i] - p.y[i]), wrong += fabs(z[i] - p.y[i]);
    ok(far < 1e-14 && (symmetric ? wrong < 1e-14 : wrong > 1e-12),
       "%s on %s: the adjoint leads back, to %.1g; the method itself %s, %.1g", method, p.system.name, far,
       symmetric ? "too" : "does not", wrong);
}

static void adjoints_in_time(void)
{
    static const struct {
        const char *method;
        int general, symmetric;
    } row[] = {
        { "symplectic-euler", 1, 0 },
        { "symplectic-euler-b", 1, 0 },
        { "stormer-verlet", 0, 1 },
        { "kahan-li-6-9", 0, 1 },
        { "mclachlan-atela-5-6", 0, 0 },
        { "explicit-euler", 1, 0 },
        { "rk4", 1, 0 },
        { "radau-2a:2", 1, 0 },
        { "lobatto-3c:3", 1, 0 },
        { "gauss:2", 1, 1 },
        { "trapezoidal", 1, 1 },
        { "lobatto-3a-3b:3", 1, 1 },
        { "hager(rk4)", 0, 0 },
        { "pair(explicit-euler, implicit-euler)", 1, 0 },
        { "pair(rk4, gauss:4)", 1, 0 },
        { "compose(strang, implicit-euler)", 1, 1 },
        { "process(effective-6-9, effective-6-9-processor)", 0, 0 },
        { "process(ruth-3-3, effective-6-9-processor)", 0, 0 },
        { "generating-s1:1", 1, 0 },
        { "generating-s3:2", 1, 1 },
        { "nystrom-5", 0, 0 },
        { "nystrom-4-general", 0, 0 },
        { "gauss-nystrom:2", 0, 1 },
        { "nystrom(radau-2a:2)", 0, 0 },
    };
    problem turning = { LBR_SYSTEM(.name = "turning", .dim = 4, .nq = 2, .dHdq = turning_dHdq, .dHdp = turning_dHdp),
                        .t0 = 0.4, .y = { 0.5, -0.3, 0.6, 0.8 } };

    there_and_back(henon_heiles(), "process(kahan-li-6-9, ruth-3-3)", 0),
        there_and_back(henon_heiles(), "process(ruth-3-3, lie-trotter)", 0);
    for (int r = 0; r < (int)(sizeof row / sizeof *row); r++) {
        there_and_back(driven(), row[r].method, row[r].symmetric);
        if (row[r].general) there_and_back(turning, row[r].method, row[r].symmetric);
    }
}

int main(void)
{
    adjoints_in_time();
    adjoints();
    general_H();
    return tap_done();
}
