/* test_round_off.c - implicit steps are solved to the last digits, and what rounding is left in them has no direction
 * (HLW VIII.5). SPDX-License-Identifier: BSD-3-Clause */
#include "support/share.h"
#include "support/tap.h"

#include <libration.h>

#include <math.h>
#include <string.h>

#define COUNT(x) ((int)(sizeof(x) / sizeof *(x)))

/* Numbers between -1 and 1, always the same ones. */
static double some(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) * 0x1p-52 - 1;
}

static lbr_status run(const lbr_system *s, const char *method, const char *words, double h, int64_t n, double *y)
{
    lbr_options options;
    lbr_plan *plan;
    lbr_status status;

    lbr_options_init(&options);
    options.compensated = strstr(words, "compensated") != NULL;
    lbr_option_set(&options, "solver", strstr(words, "newton") ? "newton" : "auto");
    status = lbr_plan_create(&plan, method, s, &options);
    if (!status) status = lbr_start(plan, 0, h, y);
    if (!status) status = lbr_run(plan, n, 0, NULL, NULL);
    if (!status) status = lbr_read(plan, NULL, y);
    if (status) printf("# %s, %s: %s\n", method, words, lbr_plan_message(plan));
    lbr_plan_free(plan);
    return status;
}

/* --- single steps: fixed point against Newton -------------------------------------------------------------------- */

/* H = p1^2 (1 + q2^2)/2 + p2^2/(2 + cos q1) + q1^4/4 + q2^2/2 + q1 q2 p1/4 */
static int tangled(double t, const double *y, double *f, void *ctx)
{
    double q1 = y[0], q2 = y[1], p1 = y[2], p2 = y[3], d = 2 + cos(q1);

    f[0] = p1 * (1 + q2 * q2) + q1 * q2 / 4;
    f[1] = 2 * p2 / d;
    f[2] = -(p2 * p2 * sin(q1) / (d * d) + q1 * q1 * q1 + q2 * p1 / 4);
    f[3] = -(p1 * p1 * q2 + q2 + q1 * p1 / 4);
    return 0;
}

/* How many of n large steps differ by more than 1e-15, and the largest difference. */
static int differ(const char *method, int64_t n, double *most)
{
    lbr_system s = LBR_SYSTEM(.name = "tangled", .dim = 4, .nq = 2, .field = tangled);
    uint64_t seed = 7;
    int bad = 0;

    *most = 0;
    for (int64_t k = 0; k < n; k++) {
        double y[4], z[4], h = 0.85 + 0.65 * some(&seed), off = 0;

        for (int i = 0; i < 4; i++) z[i] = y[i] = some(&seed);
        if (run(&s, method, "", h, 1, y) || run(&s, method, "newton", h, 1, z)) continue;
        for (int i = 0; i < 4; i++) off = fmax(off, fabs(y[i] - z[i]) / fmax(1, fabs(z[i])));
        if (off < 1e-3) *most = fmax(*most, off), bad += off > 1e-15; /* otherwise: another solution */
    }
    return bad;
}

static void single_steps(void)
{
    static const char *const method[] = { "midpoint", "gauss:2", "gauss:4", "lobatto-3a-3b:3" };
    int64_t n = share(4000, 600, 300);

    for (int i = 0; i < COUNT(method); i++) {
        double most;
        int bad = differ(method[i], n, &most);

        ok(bad <= n / 40 && most < 4e-13, "%s: of %d large steps %d differ by more than 1e-15 from Newton's, by %.1e",
           method[i], (int)n, bad, most);
    }
}

/* --- at rest: momenta become as small as the rounding of forces --------------------------------------------------- */

static int hanging(double t, const double *y, double *f, void *ctx)
{
    return f[0] = y[1], f[1] = -10 * sin(y[0] - 3) - y[1], 0;
}

static void rests(void)
{
    static const char *const method[] = { "midpoint", "gauss:2", "gauss:4", "lobatto-3a-3b:3", "radau-2a:2" };
    static const char *const words[] = { "", "compensated", "newton" };
    lbr_system s = LBR_SYSTEM(.name = "hanging", .dim = 2, .nq = 1, .field = hanging);

    for (int i = 0; i < COUNT(method); i++)
        for (int k = 0; k < COUNT(words); k++) {
            double y[] = { 2, 0 };

            ok(!run(&s, method[i], words[k], 0.05, 4000, y), "%s %s: what comes to rest is no failure", method[i],
               words[k]);
            ok(fabs(y[0] - 3) < 1e-13 && fabs(y[1]) < 1e-13, "%s %s: and is at rest", method[i], words[k]);
        }
}

/* --- many steps: the mean of energies ---------------------------------------------------------------------------- */

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

static int rod_force(double t, const double *q, double *f, void *ctx) { return f[0] = 0, f[1] = -1, 0; }
static int rod(double t, const double *q, double *g, void *ctx) { return g[0] = fma(q[0], q[0], q[1] * q[1]) - 1, 0; }
static int rod_G(double t, const double *q, double *G, void *ctx) { return G[0] = 2 * q[0], G[1] = 2 * q[1], 0; }
static long double rod_energy(const double *y)
{
    return ((long double)y[2] * y[2] + (long double)y[3] * y[3]) / 2 + y[1];
}
static void rod_start(uint64_t *seed, double *y)
{
    double a = some(seed), v = 0.75 + 0.25 * some(seed);

    y[0] = sin(a), y[1] = -cos(a), y[2] = v * cos(a), y[3] = v * sin(a);
}

typedef struct many {
    const char *method, *words;
    double h;
    int64_t steps;
    double least; /* the mean of energy errors has to be below; ten times that is what was wrong once */
} many;

/* The mean of the energy errors of some starts. */
static double drift(const lbr_system *s, const many *m, void (*start)(uint64_t *, double *),
                    long double (*energy)(const double *))
{
    enum { STARTS = 8 };
    uint64_t seed = 3;
    long double sum = 0;

    for (int k = 0; k < STARTS; k++) {
        double y[4];
        long double before;

        start(&seed, y), before = energy(y);
        if (run(s, m->method, m->words, m->h, m->steps, y)) return NAN;
        sum += energy(y) - before;
    }
    return (double)(sum / STARTS);
}

static void drifts(void)
{
    static const many free_ones[] = { { "gauss:6", "compensated", 0.1, 100000, 2e-16 },
                                      { "gauss:8", "compensated", 0.2, 100000, 1e-15 },
                                      { "compose(kahan-li-8-17, midpoint)", "compensated", 0.05, 20000, 3e-16 } },
                      held[] = { { "compose(kahan-li-8-17, rattle)", "compensated", 0.04, 20000, 4e-15 } };
    static const double one[] = { 1, 1 };
    lbr_system henon = LBR_SYSTEM(.name = "henon", .dim = 4, .nq = 2, .force = henon_force, .inverse_mass = one);
    lbr_constraints c = { sizeof c, .m = 1, .g = rod, .G = rod_G };
    lbr_system pendulum = henon;

    pendulum.name = "pendulum", pendulum.force = rod_force, pendulum.constraints = &c;
    for (int i = 0; i < COUNT(free_ones) + COUNT(held); i++) {
        int free_one = i < COUNT(free_ones);
        const many *m = free_one ? free_ones + i : held + (i - COUNT(free_ones));
        double mean = free_one ? drift(&henon, m, henon_start, henon_energy)
                               : drift(&pendulum, m, rod_start, rod_energy);

        ok(fabs(mean) < m->least, "%s %s: the mean of 8 energies is off by %.1e after %d steps", m->method, m->words,
           mean, (int)m->steps);
    }
}

int main(void)
{
    single_steps();
    rests();
    drifts();
    return tap_done();
}
