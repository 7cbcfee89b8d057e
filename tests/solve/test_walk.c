/* test_walk.c - energies of implicit methods walk at random, and do not drift (HLW VIII.5): many starts, many steps.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * usage: test_walk [STEPS [SYSTEM [METHOD [yes|no]]]]      make test-long takes 320 000 steps; with 10 000 000, 16
 *        processors take an hour. The last word: compensated sums, or plain ones; otherwise both
 *
 * Steps are so small that the error of the method is lost in rounding. Of 64 starts the root mean square of energy
 * errors has to grow like the square root of time, and their mean has to be within three standard errors of zero, or
 * within a drift that is known (docs/long-runs.md). Where errors are not above the rounding of one value, nothing grows
 * yet. */
#define _DEFAULT_SOURCE
#include "support/tap.h"

#include <libration.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define COUNT(x) ((int)(sizeof(x) / sizeof *(x)))
enum { STARTS = 64, POINTS = 6, BODIES = 3, MOST = 6 * BODIES };

static double some(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) * 0x1p-52 - 1;
}

/* --- three systems ----------------------------------------------------------------------------------------------- */

static int henon_force(double t, const double *q, double *f, void *ctx)
{
    f[0] = -q[0] - 2 * q[0] * q[1];
    f[1] = -q[1] - (q[0] * q[0] - q[1] * q[1]);
    return 0;
}
static long double henon_energy(const double *y)
{
    long double a = y[0], b = y[1], c = y[2], d = y[3];

    return (c * c + d * d + a * a + b * b) / 2 + a * a * b - b * b * b / 3;
}
static void henon_start(uint64_t *seed, double *y)
{
    for (int i = 0; i < 4; i++) y[i] = 0.3 * some(seed);
}

static int kepler_force(double t, const double *q, double *f, void *ctx)
{
    double r2 = q[0] * q[0] + q[1] * q[1], g = -1 / (r2 * sqrt(r2));

    return f[0] = g * q[0], f[1] = g * q[1], 0;
}
static long double kepler_energy(const double *y)
{
    long double a = y[0], b = y[1], c = y[2], d = y[3];

    return (c * c + d * d) / 2 - 1 / sqrtl(a * a + b * b);
}
static void kepler_start(uint64_t *seed, double *y) /* eccentricities up to 0.3, in all directions */
{
    double e = 0.15 + 0.15 * some(seed), a = 3.14 * some(seed), v = sqrt((1 + e) / (1 - e));

    y[0] = (1 - e) * cos(a), y[1] = (1 - e) * sin(a), y[2] = -v * sin(a), y[3] = v * cos(a);
}

/* The sun and two planets of a thousandth and a 3000th of its mass, in space. */
static const double mass[] = { 1, 1e-3, 3e-4 };
static double inverse[3 * BODIES];

static int planets_force(double t, const double *q, double *f, void *ctx)
{
    memset(f, 0, 3 * BODIES * sizeof *f);
    for (int i = 0; i < BODIES; i++)
        for (int j = 0; j < i; j++) {
            double d[3], r2 = 0, g;

            for (int k = 0; k < 3; k++) d[k] = q[3 * i + k] - q[3 * j + k], r2 += d[k] * d[k];
            g = mass[i] * mass[j] / (r2 * sqrt(r2));
            for (int k = 0; k < 3; k++) f[3 * i + k] -= g * d[k], f[3 * j + k] += g * d[k];
        }
    return 0;
}
static long double planets_energy(const double *y)
{
    long double H = 0;

    for (int i = 0; i < BODIES; i++) {
        for (int k = 0; k < 3; k++) {
            long double p = y[3 * BODIES + 3 * i + k];

            H += p * p / 2 * inverse[3 * i + k];
        }
        for (int j = 0; j < i; j++) {
            long double r2 = 0;

            for (int k = 0; k < 3; k++) {
                long double d = (long double)y[3 * i + k] - y[3 * j + k];

                r2 += d * d;
            }
            H -= (long double)mass[i] * mass[j] / sqrtl(r2);
        }
    }
    return H;
}
static void planets_start(uint64_t *seed, double *y)
{
    static const double radius[] = { 0, 1, 1.83 };
    double *p = y + 3 * BODIES;

    memset(y, 0, MOST * sizeof *y);
    for (int i = 1; i < BODIES; i++) {
        double a = 3.14 * some(seed), v = (1 + 0.03 * some(seed)) / sqrt(radius[i]);

        y[3 * i] = radius[i] * cos(a), y[3 * i + 1] = radius[i] * sin(a), y[3 * i + 2] = 0.02 * some(seed);
        p[3 * i] = -mass[i] * v * sin(a), p[3 * i + 1] = mass[i] * v * cos(a),
              p[3 * i + 2] = 1e-2 * mass[i] * some(seed);
        for (int k = 0; k < 3; k++) p[k] -= p[3 * i + k];
    }
}

static const double one[] = { 1, 1 };
static const struct {
    const char *name;
    int64_t nq;
    lbr_fn force;
    const double *inverse_mass;
    long double (*energy)(const double *y);
    void (*start)(uint64_t *seed, double *y);
    double step; /* how long a step may be, beside Henon-Heiles */
} systems[] = { { "henon", 2, henon_force, one, henon_energy, henon_start, 1 },
                { "kepler", 2, kepler_force, one, kepler_energy, kepler_start, 0.5 },
                { "planets", 9, planets_force, inverse, planets_energy, planets_start, 0.5 } };

/* --- methods ----------------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    double h;
    double drift; /* known, in a step and relative to the energy */
} methods[] = { { "gauss:4", 0.05, 0 },
                { "gauss:6", 0.1, 0 },
                { "gauss:8", 0.2, 0 },
                { "lobatto-3a-3b:4", 0.01, 0 },
                { "compose(kahan-li-8-17, midpoint)", 0.05, 0 } };

/* Energy errors of one start, relative to |H|, after n/32, n/16, ... n steps. 0, or it failed. */
static int walk(int system, int method, int compensated, int64_t n, uint64_t *seed, double *error)
{
    lbr_system s = LBR_SYSTEM(.name = systems[system].name, .dim = 2 * systems[system].nq, .nq = systems[system].nq,
                              .force = systems[system].force, .inverse_mass = systems[system].inverse_mass);
    double y[MOST], h = methods[method].h * systems[system].step;
    long double before;
    lbr_options options;
    lbr_plan *plan;
    lbr_status status;

    lbr_options_init(&options), options.compensated = compensated;
    systems[system].start(seed, y), before = systems[system].energy(y);
    status = lbr_plan_create(&plan, methods[method].name, &s, &options);
    if (!status) status = lbr_start(plan, 0, h, y);
    for (int i = 0; i < POINTS && !status; i++) {
        status = lbr_run(plan, i ? n >> (POINTS - i) : n >> (POINTS - 1), 0, NULL, NULL);
        if (!status) status = lbr_read(plan, NULL, y);
        error[i] = (double)((systems[system].energy(y) - before) / fabsl(before));
    }
    if (status) printf("# %s: %s\n", methods[method].name, lbr_plan_message(plan));
    lbr_plan_free(plan);
    return status != LBR_OK;
}

typedef struct run {
    double error[POINTS];
    int failed;
} run;

/* All starts, divided between processes. NULL: that cannot be had. */
static run *many(int system, int method, int compensated, int64_t n)
{
    long jobs = sysconf(_SC_NPROCESSORS_ONLN);
    run *all = mmap(NULL, STARTS * sizeof *all, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    double y[MOST];

    if (all == MAP_FAILED) return NULL;
    jobs = jobs < 1 ? 1 : jobs > STARTS ? STARTS : jobs;
    for (int k = 0; k < STARTS; k++) all[k].failed = 1;
    fflush(stdout);
    for (long j = 0; j < jobs; j++)
        if (fork() == 0) {
            uint64_t seed = 3;

            for (int k = 0; k < STARTS; k++) {
                if (k % jobs != j) systems[system].start(&seed, y);
                else all[k].failed = walk(system, method, compensated, n, &seed, all[k].error);
            }
            fflush(stdout), _exit(0);
        }
    while (wait(NULL) > 0) {}
    return all;
}

static void statistics(int system, int method, int compensated, int64_t n)
{
    double rms[POINTS] = { 0 }, mean = 0, slope = 0, limit;
    run *all = many(system, method, compensated, n);
    int failed = !all;

    for (int k = 0; k < STARTS && !failed; k++) {
        failed = all[k].failed;
        for (int i = 0; i < POINTS; i++) rms[i] += all[k].error[i] * all[k].error[i] / STARTS;
        mean += all[k].error[POINTS - 1] / STARTS;
    }
    if (all) munmap(all, STARTS * sizeof *all);
    for (int i = 0; i < POINTS; i++) slope += (i - 2.5) * log(sqrt(rms[i])) / (17.5 * log(2));
    limit = 3 * sqrt(rms[POINTS - 1] / STARTS) + methods[method].drift * (double)n;
    ok(!failed && fabs(mean) < limit,
       "%s, %s%s: the mean of %d energies is off by %.1e after %lld steps, and %.1e is allowed", systems[system].name,
       methods[method].name, compensated ? ", compensated" : "", STARTS, mean, (long long)n, limit);
    ok(!failed && slope < 0.7 && (slope > 0.35 || sqrt(rms[POINTS - 1]) < 1e-15),
       "%s, %s%s: the root mean square grows like t^%.2f, to %.1e", systems[system].name, methods[method].name,
       compensated ? ", compensated" : "", slope, sqrt(rms[POINTS - 1]));
    fflush(stdout);
}

int main(int argc, char **argv)
{
    int64_t n = argc > 1 ? atoll(argv[1]) : 320000;

    for (int i = 0; i < 3 * BODIES; i++) inverse[i] = 1 / mass[i / 3];
    for (int s = 0; s < COUNT(systems); s++)
        for (int m = 0; m < COUNT(methods); m++)
            for (int compensated = 1; compensated >= 0; compensated--)
                if ((argc < 3 || !strcmp(argv[2], systems[s].name)) &&
                    (argc < 4 || !strcmp(argv[3], methods[m].name)) &&
                    (argc < 5 || compensated == !strcmp(argv[4], "yes")))
                    statistics(s, m, compensated, n);
    return tap_done();
}
