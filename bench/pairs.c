/* pairs.c - forces between bodies with vectors written by hand, and the best plain loops.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "floors.h"

/* The list that this file is in is compiled twice; once is enough. */
#define ONCE_contract_off 1
#define GLUE_(a, b)       a##b
#define GLUE(a, b)        GLUE_(a, b)
#if GLUE(ONCE_, LBR_FLOOR)
    #define FMA(a, b, c) fma(a, b, c)
    #include "forces.h"
    #include "vectors.h"

    /* --- the outer solar system: a component of six bodies is a vector, fifteen pairs are two
     * ----------------------------
     *
     * Pairs i, j of the vector A are those with j - i = 1 (mod 6) and two with 2, of B the others and one for nothing.
     */
    #define PICK(x, ...) __builtin_shufflevector(x, x, __VA_ARGS__)
    #define FIRST_A      0, 1, 2, 3, 4, 5, 0, 1
    #define SECOND_A     1, 2, 3, 4, 5, 0, 2, 3
    #define FIRST_B      2, 3, 4, 5, 0, 1, 2, 0
    #define SECOND_B     4, 5, 0, 1, 3, 4, 5, 1

static inline void solar_force_vectors(const vec *q, const vec *c, vec *f)
{
    const vec sign = { 1, 1, 1, -1, -1, -1, 0, 0 };
    vec A[3], B[3], a, b;

    for (int k = 0; k < 3; k++)
        A[k] = PICK(q[k], SECOND_A) - PICK(q[k], FIRST_A), B[k] = PICK(q[k], SECOND_B) - PICK(q[k], FIRST_B);
    a = weight(c[0], A, 0), b = weight(c[1], B, 0);
    for (int k = 0; k < 3; k++) {
        vec x = a * A[k], y = b * B[k];

        f[k] = x - PICK(x, 5, 0, 1, 2, 3, 4, 6, 7);
        f[k] += __builtin_shufflevector(x, y, 6, 7, 8, 9, 10, 11, 6, 7) -
                __builtin_shufflevector(x, y, 10, 11, 6, 7, 8, 9, 6, 7);
        f[k] = vfma(sign, PICK(y, 4, 5, 6, 4, 5, 6, 6, 7), f[k]);
    }
}

int by_hand_solar(const lbr_system *system, const table *tab, double h, int64_t n, double *y)
{
    static const int first[2][8] = { { FIRST_A }, { FIRST_B } }, second[2][8] = { { SECOND_A }, { SECOND_B } };
    vec q[3] = { { 0 } }, p[3] = { { 0 } }, f[3], c[2], rate = { 0 };

    (void)system, (void)tab;
    for (int v = 0; v < 2; v++)
        for (int i = 0; i < 8; i++) c[v][i] = v && i == 7 ? 0 : BY_MASS(first[v][i], second[v][i]);
    for (int i = 0; i < BODIES; i++) {
        rate[i] = h / by_hand_mass[i];
        for (int k = 0; k < 3; k++) q[k][i] = y[3 * i + k], p[k][i] = y[3 * (BODIES + i) + k];
    }
    solar_force_vectors(q, c, f);
    for (int k = 0; k < 3; k++) p[k] = vfma(all(h / 2), f[k], p[k]);
    for (int64_t step = 0; step < n; step++) {
        for (int k = 0; k < 3; k++) q[k] = vfma(rate, p[k], q[k]);
        solar_force_vectors(q, c, f);
        for (int k = 0; k < 3; k++) p[k] = vfma(all(h), f[k], p[k]);
    }
    for (int i = 0; i < BODIES; i++)
        for (int k = 0; k < 3; k++) y[3 * i + k] = q[k][i], y[3 * (BODIES + i) + k] = fma(-h / 2, f[k][i], p[k][i]);
    return 0;
}

/* --- n bodies: each pair once ------------------------------------------------------------------------------------ */

/* As one writes it: the positions as they are, one pair after the other. */
static void by_pairs(int n, double soft, const double *q, double *f)
{
    double c = 1.0 / ((double)n * n), soft2 = soft * soft;

    memset(f, 0, 3 * (size_t)n * sizeof *f);
    for (int i = 1; i < n; i++) {
        double X = q[3 * i], Y = q[3 * i + 1], Z = q[3 * i + 2], a = 0, b = 0, d = 0;

        for (int j = 0; j < i; j++) {
            double x = X - q[3 * j], y = Y - q[3 * j + 1], z = Z - q[3 * j + 2],
                   r2 = fma(x, x, fma(y, y, fma(z, z, soft2))), w = c / (r2 * sqrt(r2));

            a = fma(w, x, a), b = fma(w, y, b), d = fma(w, z, d);
            f[3 * j] = fma(w, x, f[3 * j]), f[3 * j + 1] = fma(w, y, f[3 * j + 1]),
                  f[3 * j + 2] = fma(w, z, f[3 * j + 2]);
        }
        f[3 * i] -= a, f[3 * i + 1] -= b, f[3 * i + 2] -= d;
    }
}

/* Components apart, and eight sums in turn: what a compiler can make vectors of. */
enum { MOST = 1024, LANES = 8 };
typedef struct apart {
    double x[MOST], y[MOST], z[MOST];
} apart;

static void take_apart(int n, const double *q, apart *a)
{
    for (int i = 0; i < n; i++) a->x[i] = q[3 * i], a->y[i] = q[3 * i + 1], a->z[i] = q[3 * i + 2];
}

static void put_together(int n, const apart *a, double *f)
{
    for (int i = 0; i < n; i++) f[3 * i] = a->x[i], f[3 * i + 1] = a->y[i], f[3 * i + 2] = a->z[i];
}

static double total(const double *s)
{
    double sum = 0;

    for (int l = 0; l < LANES; l++) sum += s[l];
    return sum;
}

/* Lanes past the end of a row have the weight zero: no loop for what is left over. */
static void by_strips(int n, double soft, const double *q, double *f)
{
    static apart at, to;
    const double c = 1.0 / ((double)n * n), soft2 = soft * soft;

    take_apart(n, q, &at), memset(&to, 0, sizeof to);
    for (int i = 1; i < n; i++) {
        const double X = at.x[i], Y = at.y[i], Z = at.z[i];
        double a[LANES] = { 0 }, b[LANES] = { 0 }, d[LANES] = { 0 };

        for (int j = 0; j < i; j += LANES)
            for (int l = 0; l < LANES; l++) {
                const double x = X - at.x[j + l], y = Y - at.y[j + l], z = Z - at.z[j + l],
                             r2 = fma(x, x, fma(y, y, fma(z, z, soft2)));
                const double w = (j + l < i ? c : 0) / (r2 * sqrt(r2));

                a[l] = fma(w, x, a[l]), b[l] = fma(w, y, b[l]), d[l] = fma(w, z, d[l]);
                to.x[j + l] = fma(w, x, to.x[j + l]), to.y[j + l] = fma(w, y, to.y[j + l]),
                         to.z[j + l] = fma(w, z, to.z[j + l]);
            }
        to.x[i] -= total(a), to.y[i] -= total(b), to.z[i] -= total(d);
    }
    put_together(n, &to, f);
}

/* The same with vectors. */
static void by_vectors(int n, double soft, const double *q, double *f)
{
    static apart at, to;
    const double c = 1.0 / ((double)n * n), soft2 = soft * soft;
    double *in[3] = { at.x, at.y, at.z }, *out[3] = { to.x, to.y, to.z };

    take_apart(n, q, &at), memset(&to, 0, sizeof to);
    for (int i = 1; i < n; i++) {
        vec X[3] = { all(at.x[i]), all(at.y[i]), all(at.z[i]) }, sum[3] = { { 0 } };

        for (int j = 0; j < i; j += LANES) {
            vec d[3], t, w = all(c);

            if (j + LANES > i)
                for (int l = 0; l < LANES; l++) w[l] = j + l < i ? c : 0;
            for (int k = 0; k < 3; k++) memcpy(&t, in[k] + j, sizeof t), d[k] = X[k] - t;
            w = weight(w, d, soft2);
            for (int k = 0; k < 3; k++) {
                sum[k] = vfma(w, d[k], sum[k]);
                memcpy(&t, out[k] + j, sizeof t), t = vfma(w, d[k], t), memcpy(out[k] + j, &t, sizeof t);
            }
        }
        for (int k = 0; k < 3; k++) out[k][i] -= total((double *)&sum[k]);
    }
    put_together(n, &to, f);
}

const pairs_row by_hand_pairs[] = { { "pair after pair", 1, by_pairs },
                                    { "eight sums in turn", 1, by_strips },
                                    { "vectors", 0, by_vectors },
                                    { 0 } };
#endif
