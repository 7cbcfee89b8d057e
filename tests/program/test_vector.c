/* test_vector.c - exp, log, sin, cos and tan in lanes: near to libm's, whatever the neighbours.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support/tap.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#define N_LANES 2
typedef double REAL __attribute__((vector_size(8 * N_LANES)));
static inline REAL SPLAT(double x) { return (REAL){ x, x }; }
static inline REAL OP_FMA(REAL a, REAL b, REAL c) { return (REAL){ fma(a[0], b[0], c[0]), fma(a[1], b[1], c[1]) }; }
#include "stepper/vector.inc"

/* Units in the last place between two numbers. */
static double ulps(double a, double b)
{
    if (memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b))) return 0;
    if (isnan(a) || isnan(b) || isinf(a) || isinf(b) || signbit(a) != signbit(b)) return INFINITY;
    return fabs(a - b) / (nextafter(fabs(b), INFINITY) - fabs(b));
}

static uint64_t seed = 88172645463325252u;
static double uniform(void)
{
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return (double)(seed >> 11) * 0x1p-53;
}

typedef struct row {
    const char *name;
    REAL (*vector)(REAL);
    double (*libm)(double), from, to;
    int by_exponent;
    double most;
} row;
static REAL v_exp(REAL x) { return vector_exp(x); }
static REAL v_log(REAL x) { return vector_log(x); }
static REAL v_sin(REAL x) { return vector_sin(x); }
static REAL v_cos(REAL x) { return vector_cos(x); }
static REAL v_tan(REAL x) { return vector_tan(x); }

/* libm's own error is about half a unit: 1 here is 1.5 in truth. */
static const row rows[] = {
    { "exp", v_exp, exp, -1, 1, 0, 1 },
    { "exp", v_exp, exp, -750, 715, 0, 1 },
    { "exp of small ones", v_exp, exp, -60, 2, 1, 1 },
    { "log", v_log, log, 0, 3, 0, 1 },
    { "log of all exponents", v_log, log, -1074, 1024, 1, 1 },
    { "log near 1", v_log, log, 0.999, 1.001, 0, 1 },
    { "sin", v_sin, sin, -7, 7, 0, 1 },
    { "sin of all sizes", v_sin, sin, -60, 60, 1, 1 },
    { "sin of millions", v_sin, sin, -1e9, 1e9, 0, 1 },
    { "cos", v_cos, cos, -7, 7, 0, 1 },
    { "cos of all sizes", v_cos, cos, -60, 60, 1, 1 },
    { "cos of millions", v_cos, cos, -1e9, 1e9, 0, 1 },
    { "tan", v_tan, tan, -7, 7, 0, 2 },
    { "tan of all sizes", v_tan, tan, -60, 60, 1, 2 },
};

static double argument(const row *r)
{
    double x = r->from + (r->to - r->from) * uniform();

    return r->by_exponent ? exp2(x) : x;
}

static void near_libm(const row *r)
{
    double worst = 0, at = 0;

    for (int k = 0; k < 200000; k++) {
        REAL x = { argument(r), argument(r) }, y = r->vector(x);

        for (int l = 0; l < N_LANES; l++)
            if (!(ulps(y[l], r->libm(x[l])) <= worst)) worst = ulps(y[l], r->libm(x[l])), at = x[l];
    }
    ok(worst > 0 && worst <= r->most, "%s: within %g units of libm's (at %.17g), and not libm itself", r->name, worst,
       at);
}

/* Near multiples of pi/2 what is left of x has few digits of its own: continued fractions give the worst ones. */
static void near_quarters(void)
{
    double worst = 0;

    for (int64_t n = 1; n < 400000; n += 1 + n / 1000) {
        double x = nearbyint((double)n * 0x1.921fb54442d18p+0 * 0x1p20) * 0x1p-20, z = (double)n * 0x1.921fb54442d18p+0;
        double all[] = { x, z, nextafter(z, 0), nextafter(z, 1e9) };

        for (int l = 0; l < 4; l++)
            worst = fmax(worst, fmax(ulps(vector_sin(SPLAT(all[l]))[0], sin(all[l])),
                                     ulps(vector_cos(SPLAT(all[l]))[1], cos(all[l]))));
    }
    ok(worst <= 1, "sin and cos at their zeros: %g", worst);
}

static void special(void)
{
    const double all[] = { 0.0,
                           -0.0,
                           1,
                           -1,
                           INFINITY,
                           -INFINITY,
                           NAN,
                           0x1p-1074,
                           -0x1p-1074,
                           0x1p-1022,
                           0x1.fffffffffffffp1023,
                           709.8,
                           709.7,
                           -745.1,
                           -745.2,
                           -746,
                           1e300,
                           -1e300,
                           0x1p30,
                           0x1p31,
                           -0x1p52 };
    const row kinds[] = { rows[0], rows[3], rows[6], rows[9], rows[12] };

    for (size_t f = 0; f < 5; f++) {
        double worst = 0;

        for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
            REAL y = kinds[f].vector(SPLAT(all[k]));

            if (!(ulps(y[1], kinds[f].libm(all[k])) <= worst)) worst = ulps(y[1], kinds[f].libm(all[k]));
        }
        ok(worst <= kinds[f].most, "%s: zeros, infinities, NaN, the smallest and the largest numbers", kinds[f].name);
    }
}

/* The same bits in every lane, beside whatever. */
static void lanes(void)
{
    int bad = 0;

    for (size_t f = 0; f < sizeof rows / sizeof *rows; f++)
        for (int k = 0; k < 2000; k++) {
            const double odd[] = { NAN, INFINITY, -1, 1e200 };
            double x = argument(&rows[f]);
            REAL y = rows[f].vector(SPLAT(x)), left = { x, odd[k % 4] }, right = { argument(&rows[f]), x };

            left = rows[f].vector(left), right = rows[f].vector(right);
            bad += memcmp((double[]){ y[0], y[0], y[0] }, (double[]){ y[1], left[0], right[1] }, 3 * sizeof(double)) !=
                   0;
        }
    ok(!bad, "a lane does not know its place or its neighbours");
}

int main(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) near_libm(&rows[i]);
    near_quarters();
    special();
    lanes();
    return tap_done();
}
