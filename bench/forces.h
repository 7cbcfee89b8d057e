/* forces.h - forces written by hand, for loops that have them inside. SPDX-License-Identifier: BSD-3-Clause
 *
 * Needs FMA(a, b, c): an fma that is written, or a product and a sum that the compiler may contract. */
#ifndef BENCH_FORCES_H
#define BENCH_FORCES_H
#include <math.h>
#include <string.h>

#define BY_HAND static inline __attribute__((always_inline, unused)) int
#define PLACE   double t, const double *q, double *f, void *ctx
typedef int (*force_fn)(PLACE);

BY_HAND hh_by_hand(PLACE)
{
    return (void)t, (void)ctx, f[0] = FMA(-2 * q[0], q[1], -q[0]), f[1] = FMA(-q[0], q[0], FMA(q[1], q[1], -q[1])), 0;
}

BY_HAND kepler_by_hand(PLACE)
{
    double r2 = FMA(q[0], q[0], q[1] * q[1]), w = -1 / (r2 * sqrt(r2));

    return (void)t, (void)ctx, f[0] = w * q[0], f[1] = w * q[1], 0;
}

BY_HAND pendulum_by_hand(PLACE) { return (void)t, (void)ctx, f[0] = -sin(q[0]), 0; }

/* G m_i m_j of the outer solar system (HLW I.2.4). */
enum { BODIES = 6, PAIRS = BODIES * (BODIES - 1) / 2 };
#define BY_MASS(i, j) (2.95912208286e-4 * by_hand_mass[i] * by_hand_mass[j])
static const double by_hand_mass[BODIES] = { 1.00000597682,      0.000954786104043,  0.000285583733151,
                                             0.0000437273164546, 0.0000517759138449, 1 / 1.3e8 };

/* Pair after pair. */
BY_HAND solar_by_hand(PLACE)
{
    (void)t, (void)ctx;
    memset(f, 0, 3 * BODIES * sizeof *f);
    for (int i = 1; i < BODIES; i++)
        for (int j = 0; j < i; j++) {
            const double *a = q + 3 * i, *b = q + 3 * j, x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2],
                         r2 = FMA(x, x, FMA(y, y, z * z));
            double w = BY_MASS(i, j) / (r2 * sqrt(r2)), *fa = f + 3 * i, *fb = f + 3 * j;

            fa[0] = FMA(-w, x, fa[0]), fa[1] = FMA(-w, y, fa[1]), fa[2] = FMA(-w, z, fa[2]);
            fb[0] = FMA(w, x, fb[0]), fb[1] = FMA(w, y, fb[1]), fb[2] = FMA(w, z, fb[2]);
        }
    return 0;
}

/* All differences first, then all weights, then all forces: loops of fifteen in which a compiler sees vectors. */
BY_HAND solar_in_stages(PLACE)
{
    double x[PAIRS], y[PAIRS], z[PAIRS], w[PAIRS];
    int k = 0;

    (void)t, (void)ctx;
    for (int i = 1; i < BODIES; i++)
        for (int j = 0; j < i; j++, k++) {
            const double *a = q + 3 * i, *b = q + 3 * j;

            x[k] = a[0] - b[0], y[k] = a[1] - b[1], z[k] = a[2] - b[2], w[k] = BY_MASS(i, j);
        }
    for (k = 0; k < PAIRS; k++) {
        double r2 = FMA(x[k], x[k], FMA(y[k], y[k], z[k] * z[k]));

        w[k] /= r2 * sqrt(r2);
    }
    memset(f, 0, 3 * BODIES * sizeof *f), k = 0;
    for (int i = 1; i < BODIES; i++)
        for (int j = 0; j < i; j++, k++) {
            double *fa = f + 3 * i, *fb = f + 3 * j;

            fa[0] = FMA(-w[k], x[k], fa[0]), fa[1] = FMA(-w[k], y[k], fa[1]), fa[2] = FMA(-w[k], z[k], fa[2]);
            fb[0] = FMA(w[k], x[k], fb[0]), fb[1] = FMA(w[k], y[k], fb[1]), fb[2] = FMA(w[k], z[k], fb[2]);
        }
    return 0;
}
#endif
