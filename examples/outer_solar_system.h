/* outer_solar_system.h - sun and five outer planets (HLW I.2.4, Table I.2.2): data, forces, invariants.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Units: astronomical units, days, solar masses; 5 September 1994. The sun has the inner planets' mass in it. */
#ifndef OUTER_SOLAR_SYSTEM_H
#define OUTER_SOLAR_SYSTEM_H
#include <libration.h>

#include <math.h>

static const double solar_G = 2.95912208286e-4;
static const double solar_mass[6] = { 1.00000597682,      0.000954786104043,  0.000285583733151,
                                      0.0000437273164546, 0.0000517759138449, 1 / 1.3e8 };
static const double solar_q[18] = { 0,          0,           0,           -3.5023653,  -3.8169847,  -1.5507963,
                                    9.0755314,  -3.0458353,  -1.6483708,  8.3101420,   -16.2901086, -7.2521278,
                                    11.4707666, -25.7294829, -10.8169456, -15.5387357, -25.2225594, -3.1902382 };
static const double solar_v[18] = { 0,          0,          0,          0.00565429, -0.00412490, -0.00190589,
                                    0.00168318, 0.00483525, 0.00192462, 0.00354178, 0.00137102,  0.00055029,
                                    0.00288930, 0.00114527, 0.00039677, 0.00276725, -0.00170702, -0.00136504 };
#define THREE(x) x, x, x
static const double solar_inverse[18] = { THREE(1 / 1.00000597682),      THREE(1 / 0.000954786104043),
                                          THREE(1 / 0.000285583733151),  THREE(1 / 0.0000437273164546),
                                          THREE(1 / 0.0000517759138449), THREE(1.3e8) };

static int solar_force(double t, const double *q, double *f, void *ctx)
{
    (void)t, (void)ctx;
    for (int i = 0; i < 18; i++) f[i] = 0;
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < i; j++) {
            double x = q[3 * i] - q[3 * j], y = q[3 * i + 1] - q[3 * j + 1], z = q[3 * i + 2] - q[3 * j + 2],
                   r2 = x * x + y * y + z * z;
            double c = solar_G * solar_mass[i] * solar_mass[j] / (r2 * sqrt(r2));

            f[3 * i] -= c * x, f[3 * i + 1] -= c * y, f[3 * i + 2] -= c * z;
            f[3 * j] += c * x, f[3 * j + 1] += c * y, f[3 * j + 2] += c * z;
        }
    return 0;
}

static int solar_energy(double t, const double *y, double *H, void *ctx)
{
    double sum = 0;

    (void)t, (void)ctx;
    for (int i = 0; i < 18; i++) sum += y[18 + i] * y[18 + i] * solar_inverse[i] / 2;
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < i; j++) {
            double x = y[3 * i] - y[3 * j], v = y[3 * i + 1] - y[3 * j + 1], z = y[3 * i + 2] - y[3 * j + 2];
            sum -= solar_G * solar_mass[i] * solar_mass[j] / sqrt(x * x + v * v + z * z);
        }
    *H = sum;
    return 0;
}

static int solar_momentum(double t, const double *y, double *L, void *ctx)
{
    (void)t, (void)ctx;
    for (int k = 0; k < 3; k++) {
        L[k] = 0;
        for (int i = 0; i < 6; i++) {
            const double *q = y + 3 * i, *p = y + 18 + 3 * i;
            L[k] += q[(k + 1) % 3] * p[(k + 2) % 3] - q[(k + 2) % 3] * p[(k + 1) % 3];
        }
    }
    return 0;
}

static const lbr_invariant solar_invariant[] = {
    { .size = sizeof(lbr_invariant), .name = "L", .len = 3, .value = solar_momentum }
};
static const lbr_invariants solar_invariants = { sizeof(lbr_invariants), 1, solar_invariant };
#endif
