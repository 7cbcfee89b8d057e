/* test_turns.c - implicit Runge-Kutta steps for H = T(p) + V(q), in which positions and momenta take turns within an
 * iteration: the results of a field that is given as a whole, after half the iterations. SPDX-License-Identifier:
 * BSD-3-Clause */
#include "libration.h"
#include "support/tap.h"

#include <math.h>
#include <string.h>

/* T depends on t and is not quadratic; V depends on t. */
static int velocity(double t, const double *p, double *v, void *ctx)
{
    double size = sqrt(1 + p[0] * p[0] + p[1] * p[1]);

    for (int i = 0; i < 2; i++) v[i] = (1 + 0.2 * sin(t)) * p[i] / size;
    return *(int *)ctx += 1, 0;
}

static int masses(const double *p, double *v) { return v[0] = 0.5 * p[0], v[1] = 1.5 * p[1], 0; }

static int force(double t, const double *q, double *f, void *ctx)
{
    f[0] = -q[0] - 2 * q[0] * q[1] * cos(0.3 * t), f[1] = -q[1] - q[0] * q[0] + q[1] * q[1];
    return *(int *)ctx += 1, 0;
}

static int field(double t, const double *y, double *f, void *ctx)
{
    return velocity(t, y + 2, f, ctx) | force(t, y, f + 2, ctx);
}

static int field_of_masses(double t, const double *y, double *f, void *ctx)
{
    return *(int *)ctx += 1, masses(y + 2, f) | force(t, y, f + 2, ctx);
}

static const double half[] = { 0.5, 1.5 };
static int calls;

/* Of one motion: in two functions, and in one. */
static lbr_system systems(int massive, int whole)
{
    lbr_system s = LBR_SYSTEM(.name = "turns", .dim = 4, .nq = 2, .force = force, .ctx = &calls);

    if (massive) s.inverse_mass = half;
    else s.velocity = velocity;
    if (whole) s.field = massive ? field_of_masses : field;
    return s;
}

static int64_t run(const lbr_system *s, const char *method, int compensated, double *y)
{
    static const double start[] = { 0.1, -0.3, 0.35, 0.2 };
    lbr_options o;
    lbr_plan *p;
    int64_t its = -1;

    lbr_options_init(&o);
    o.compensated = compensated, calls = 0;
    if (!lbr_plan_create(&p, method, s, &o) && !lbr_start(p, 0.2, 0.1, start) && !lbr_run(p, 200, 0, NULL, NULL) &&
        !lbr_read(p, NULL, y))
        its = lbr_plan_stats(p)->iterations;
    else printf("# %s: %s\n", method, lbr_plan_message(p));
    return lbr_plan_free(p), its;
}

static double distance(const double *a, const double *b)
{
    double most = 0;

    for (int i = 0; i < 4; i++) most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

static void one_method(const char *method, int massive)
{
    lbr_system apart = systems(massive, 0), whole = systems(massive, 1);
    double y[4] = { 0 }, z[4] = { 1 }, e[4] = { 2 };
    int64_t fewer = run(&apart, method, 0, y), now = calls, many = run(&whole, method, 0, z), before = calls;

    ok(distance(y, z) < 2e-14, "%s%s: what the whole field gives, to %.2g", method, massive ? ", masses" : "",
       distance(y, z));
    ok(fewer > 0 && (double)fewer < 0.72 * (double)many, "... in %lld iterations instead of %lld", (long long)fewer,
       (long long)many);
    ok((double)now < 0.75 * (double)before, "... and %lld calls instead of %lld", (long long)now, (long long)before);
    run(&apart, method, 1, e);
    ok(distance(e, z) < 2e-14 && memcmp(e, y, sizeof e), "... and with compensated sums, to %.2g", distance(e, z));
}

int main(void)
{
    static const char *const list[] = { "gauss:1",
                                        "gauss:2",
                                        "gauss:3",
                                        "gauss:4",
                                        "radau-2a:3",
                                        "lobatto-3a:3",
                                        "lobatto-3a-3b:3",
                                        "pair(gauss:3, lobatto-3a:3)",
                                        "compose(suzuki:4, gauss:2)" };

    for (size_t k = 0; k < sizeof list / sizeof *list; k++) one_method(list[k], 0);
    one_method("lobatto-3a-3b:4", 1);
    one_method("compose(triple-jump:4, lobatto-3a-3b:3)", 1);
    return tap_done();
}
