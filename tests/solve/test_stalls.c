/* test_stalls.c - iterations that stop shrinking early: where that is rounding they are done, where it is not they are
 * reported; and how many they are. SPDX-License-Identifier: BSD-3-Clause */
#include "support/analysis.h"
#include "support/tap.h"

static int64_t calls; /* of a field */
typedef struct result {
    lbr_status status;
    int64_t iterations, miscounted;
    double y[PROBLEM_DIM];
    char message[600];
} result;

static result run(const problem *p, const char *method, const char *options, double h, int64_t n)
{
    lbr_options o = options_of(options);
    result r = { .status = LBR_EARG };
    lbr_plan *plan = plan_of(p, method, &o);

    if (!plan) return r;
    r.status = lbr_start(plan, p->t0, h, p->y), calls = 0;
    if (!r.status) r.status = lbr_run(plan, n, 0, NULL, NULL);
    snprintf(r.message, sizeof r.message, "%s", lbr_plan_message(plan));
    r.iterations = lbr_plan_stats(plan)->iterations, r.miscounted = lbr_plan_stats(plan)->field - calls;
    if (lbr_read(plan, NULL, r.y)) r.y[0] = NAN;
    lbr_plan_free(plan);
    return r;
}

static int turning_field(double t, const double *y, double *f, void *ctx)
{
    return calls++, (void)t, (void)ctx, f[0] = y[1], f[1] = -sin(y[0]), 0;
}
static double over(double y, double where) { return y < 1 + where ? 1e-9 : -1e-9; }

/* ctx: the places of the steps. Nobody is to ask for times before the beginning. */
static int step_field(double t, const double *y, double *f, void *ctx)
{
    const double *where = ctx;

    return calls++, f[0] = over(y[0], where[0]) + (t < 0), f[1] = over(y[1], where[1]) + (t < 0), 0;
}

/* A pendulum that has turned many times: the last digit of its angle is more than noise in the momentum. */
static void large_angles(void)
{
    static const struct {
        const char *method;
        double h, error;
    } row[] = { { "gauss:4", 0.5, 2e-7 }, { "gauss:4", 1, 1e-4 },      { "gauss:6", 1, 1e-6 },
                { "midpoint", 0.5, 0.1 }, { "lobatto-3a:4", 1, 1e-2 }, { "lobatto-3a-3b:4", 0.5, 1e-5 } };
    static const char *const solver[] = { "solver=fixed-point", "solver=newton", "solver=auto" };

    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        for (int k = 0; k < 3; k++)
            for (double turns = 0; turns <= 2e6; turns = turns > 0 ? 100 * turns : 2e2) {
                problem p = { LBR_SYSTEM(.name = "turning pendulum", .dim = 2, .nq = 1, .field = turning_field),
                              .y = { 6.283185307179586 * turns + 0.3, 2.2 } };
                result r = run(&p, row[i].method, solver[k], row[i].h, 2000);
                double H = r.y[1] * r.y[1] / 2 - cos(r.y[0]) - (2.2 * 2.2 / 2 - cos(p.y[0]));

                ok(!r.status && fabs(H) < row[i].error && !r.miscounted,
                   "%s, h = %g, %s: a pendulum after %g turns, calls counted, H to %.2g%s%s", row[i].method, row[i].h,
                   solver[k], turns, H, r.status ? ": " : "", r.message);
            }
}

/* Each step starts from what the last ones knew, positions and momenta alike: about as many iterations with a partition
 * as without, and with a pair that is one tableau (which starts in another way where stages are few). Without what is
 * known of momenta there would be twice as many. */
static void partitions(void)
{
    static const char *const method[] = { "gauss:2", "gauss:3", "gauss:5" }, *const pair[] = {
        "pair(gauss:2, gauss:2)", "pair(gauss:3, gauss:3)", "pair(gauss:5, gauss:5)"
    };

    for (int i = 0; i < 3; i++) {
        problem p = { LBR_SYSTEM(.name = "pendulum", .dim = 2, .field = turning_field), .y = { 0.3, 1.2 } }, q = p;
        result a = run(&p, method[i], "solver=fixed-point", 0.05, 2000), b, c;

        q.system.nq = 1, b = run(&q, method[i], "solver=fixed-point", 0.05, 2000),
        c = run(&q, pair[i], "solver=fixed-point", 0.05, 2000);
        ok(!a.status && !b.status && !c.status && llabs(a.iterations - b.iterations) < a.iterations / 10 &&
               llabs(a.iterations - c.iterations) < a.iterations / 10,
           "%s: %lld iterations, with a partition %lld, as a pair %lld", method[i], (long long)a.iterations,
           (long long)b.iterations, (long long)c.iterations);
    }
}

/* The same with velocities, for methods that know them: v' = -sin(v), tan(v/2) = tan(v0/2) e^-t. */
static int slowing_field(double t, const double *y, double *f, void *ctx)
{
    return calls++, (void)t, (void)ctx, f[0] = y[1], f[1] = -sin(y[1]), 0;
}

static void large_velocities(void)
{
    static const double one = 1;

    for (int s = 2; s <= 4; s++)
        for (double turns = 0; turns <= 2e6; turns = turns > 0 ? 100 * turns : 2e2) {
            char method[40];
            problem p = { LBR_SYSTEM(.name = "slowing", .dim = 2, .nq = 1, .field = slowing_field,
                                     .inverse_mass = &one),
                          .y = { 1, 6.283185307179586 * turns + 2.2 } };
            double want = 2 * atan(tan(p.y[1] / 2) * exp(-2)), off;
            result r;

            snprintf(method, sizeof method, "gauss-nystrom:%d", s),
                r = run(&p, method, "solver=fixed-point", 0.1, 20),
                off = fabs(sin(r.y[1] / 2) - sin(want / 2)) + fabs(fabs(cos(r.y[1] / 2)) - fabs(cos(want / 2)));
            ok(!r.status && off < 1e-5 && !r.miscounted, "%s: a velocity of %g turns, to %.1e%s%s", method, turns, off,
               r.status ? ": " : "", r.message);
        }
}

/* A force that is there in the middle of steps of 1/2 alone, where the midpoint rule asks: rounding must be asked for
 * there, too. */
static int middle_field(double t, const double *y, double *f, void *ctx)
{
    double s = 2 * t - floor(2 * t) - 0.5;

    return calls++, (void)ctx, f[0] = y[1], f[1] = fabs(s) < 1e-6 ? -sin(y[0]) : 0, 0;
}

static void in_the_middle(void)
{
    static const char *const solver[] = { "solver=fixed-point", "solver=newton", "solver=auto" };

    for (int k = 0; k < 3; k++) {
        problem p = { LBR_SYSTEM(.name = "turning pendulum", .dim = 2, .nq = 1, .field = middle_field),
                      .y = { 6.283185307179586 * 2e6 + 0.3, 2.2 } };
        result r = run(&p, "midpoint", solver[k], 0.5, 2000);
        double H = r.y[1] * r.y[1] / 2 - cos(r.y[0]) - (2.2 * 2.2 / 2 - cos(p.y[0]));

        ok(!r.status && fabs(H) < 0.1 && r.iterations > 2000,
           "%s: forces in the middle of steps, H to %.2g, %lld iterations%s%s", solver[k], H, (long long)r.iterations,
           r.status ? ": " : "", r.message);
    }
}

/* Against: the iteration goes to and fro over a step of the field, by a little that is not rounding. */
static void no_rounding(void)
{
    static const char *const method[] = { "midpoint", "gauss:2", "radau-2a:2", "gauss:4" }, *const solver[] = {
        "solver=fixed-point", "solver=newton"
    };
    static const char *const stalls[] = { "both components", "the position", "the momentum" };

    for (int m = 0; m < 8; m++)
        for (int k = 0; k < 18; k++) {
            double where[2] = { k / 6 < 2 ? 4e-11 * (k % 6 + 1) : 1,
                                k / 6 != 1 ? 3e-11 * (k % 6 + 3) : 1 }; /* 1: out of reach */
            problem p = { LBR_SYSTEM(.name = "step", .dim = 2, .nq = k / 6 > 0, .field = step_field, .ctx = where),
                          .y = { 1, 1 } };
            result r = run(&p, method[m % 4], solver[m / 4], 1, 5);

            ok(r.status == LBR_ENOCONV && strstr(r.message, "e-") && !strncmp(r.message, "step 1 ", 7),
               "%s, %s, %s over steps of the field at %g and %g: %s", method[m % 4], solver[m / 4], stalls[k / 6],
               where[0], where[1], r.message);
        }
}

int main(void)
{
    large_angles();
    partitions();
    large_velocities();
    in_the_middle();
    no_rounding();
    return tap_done();
}
