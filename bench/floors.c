/* floors.c - integrators as a person writes them for one system; the library is measured against these. SPDX-License-Identifier: BSD-3-Clause
 *
 * Compiled twice (LBR_FLOOR): with fma written out as in the library's templates, and with a * b + c left to the compiler
 * to contract. NQ, the masses and the number of stages are constants wherever a function below is instantiated; the
 * force is called through a pointer, once per stage. */
#include "floors.h"

#define GLUE_(a, b) a##b
#define GLUE(a, b) GLUE_(a, b)
#define CONTRACTED_contract_fast 1
#if GLUE(CONTRACTED_, LBR_FLOOR)
#define FMA(a, b, c) ((a) * (b) + (c))
#else
#define FMA(a, b, c) fma(a, b, c)
#endif

#define INLINE static inline __attribute__((always_inline))
#define ARGUMENTS const lbr_system *s, const table *tab, double h, int64_t n, double *y
#define EACH(i, count) for (int i = 0; i < (count); i++)
enum { MOST_NQ = 18, MOST_S = 17 };

/* Inverse masses are ones where nq is 2. */
INLINE double rate(int nq, const double *m, const double *p, int i) { return nq == 2 ? p[i] : m[i] * p[i]; }

/* --- Stormer-Verlet: momenta half a kick ahead, one force per step ----------------------------------------- */

INLINE int verlet(int nq, ARGUMENTS)
{
    double q[MOST_NQ], p[MOST_NQ], f[MOST_NQ], x[MOST_NQ], m[MOST_NQ];
    int bad = s->force(0, y, f, s->ctx);

    EACH(i, nq) q[i] = y[i], p[i] = FMA(h / 2, f[i], y[nq + i]), m[i] = s->inverse_mass[i];
    for (int64_t k = 1; k <= n; k++) {
        EACH(i, nq) x[i] = q[i] = FMA(h, rate(nq, m, p, i), q[i]);
        bad |= s->force((double)k * h, x, f, s->ctx);
        EACH(i, nq) p[i] = FMA(h, f[i], p[i]);
    }
    EACH(i, nq) y[i] = q[i], y[nq + i] = FMA(-h / 2, f[i], p[i]);
    return (void)tab, bad;
}

/* --- a composition of drift-kick-drift: neighbouring drifts in one, also from step to step ------------------- */

INLINE int composition(int nq, int stages, ARGUMENTS)
{
    double q[MOST_NQ], p[MOST_NQ], f[MOST_NQ], x[MOST_NQ], m[MOST_NQ], a[MOST_S], b[MOST_S];
    double last = h * tab->b[stages - 1] / 2, t = 0;
    int bad = 0;

    EACH(j, stages) b[j] = h * tab->b[j], a[j] = h * (tab->b[j] + tab->b[j > 0 ? j - 1 : stages - 1]) / 2;
    EACH(i, nq) p[i] = y[nq + i], m[i] = s->inverse_mass[i], q[i] = FMA(-last, rate(nq, m, p, i), y[i]);
    for (int64_t k = 0; k < n; k++)
        EACH(j, stages) {
            EACH(i, nq) x[i] = q[i] = FMA(a[j], rate(nq, m, p, i), q[i]);
            bad |= s->force(t += a[j], x, f, s->ctx);
            EACH(i, nq) p[i] = FMA(b[j], f[i], p[i]);
        }
    EACH(i, nq) y[i] = FMA(last, rate(nq, m, p, i), q[i]), y[nq + i] = p[i];
    return bad;
}

/* --- the classical Runge-Kutta method -------------------------------------------------------------------------- */

INLINE int field(int nq, const lbr_system *s, double t, const double *y, double *k)
{
    EACH(i, nq) k[i] = rate(nq, s->inverse_mass, y + nq, i);
    return s->force(t, y, k + nq, s->ctx);
}

INLINE int rk4(int nq, ARGUMENTS)
{
    double K[4][2 * MOST_NQ], x[2 * MOST_NQ];
    int bad = 0;

    for (int64_t k = 0; k < n; k++) {
        double t = (double)k * h;

        bad |= field(nq, s, t, y, K[0]);
        EACH(i, 2 * nq) x[i] = y[i] + h / 2 * K[0][i];
        bad |= field(nq, s, t + h / 2, x, K[1]);
        EACH(i, 2 * nq) x[i] = y[i] + h / 2 * K[1][i];
        bad |= field(nq, s, t + h / 2, x, K[2]);
        EACH(i, 2 * nq) x[i] = y[i] + h * K[2][i];
        bad |= field(nq, s, t + h, x, K[3]);
        EACH(i, 2 * nq) y[i] += FMA(h / 6, K[3][i], FMA(h / 3, K[2][i], FMA(h / 3, K[1][i], h / 6 * K[0][i])));
    }
    return (void)tab, bad;
}

/* --- Gauss by fixed-point iteration: the starting values and the stopping rule of the library ------------------- */

typedef double vectors[6][2 * MOST_NQ];

/* Z = h A F; returns the largest change relative to y, in positions or momenta. */
INLINE double stage_sums(int nq, int stages, double h, const double *A, double (*F)[2 * MOST_NQ], double (*Z)[2 * MOST_NQ], double *w)
{
    double d[2] = { 0, 0 };

    EACH(i, stages) EACH(l, 2 * nq) {
        double z = h * A[i * stages] * F[0][l], change;

        for (int j = 1; j < stages; j++) z = FMA(h * A[i * stages + j], F[j][l], z);
        change = fabs(z - Z[i][l]);
        d[l >= nq] = change > d[l >= nq] ? change : d[l >= nq];
        w[l >= nq] = fabs(z) > w[l >= nq] ? fabs(z) : w[l >= nq];
        Z[i][l] = z;
    }
    return d[0] * w[1] > d[1] * w[0] ? d[0] / w[0] : d[1] / w[1];
}

INLINE int gauss(int nq, int stages, ARGUMENTS)
{
    vectors F, Z;
    double x[2 * MOST_NQ];
    int bad = field(nq, s, 0, y, F[0]);

    for (int j = 1; j < stages; j++) EACH(l, 2 * nq) F[j][l] = F[0][l];
    for (int64_t k = 0; k < n; k++) {
        double w[2] = { 0, 0 }, none[2] = { 1, 1 }, change = 1, last;

        EACH(l, 2 * nq) w[l >= nq] = fabs(y[l]) > w[l >= nq] ? fabs(y[l]) : w[l >= nq];
        stage_sums(nq, stages, h, tab->S, F, Z, none);
        do {
            last = change;
            EACH(i, stages) {
                EACH(l, 2 * nq) x[l] = y[l] + Z[i][l];
                bad |= field(nq, s, (double)k * h + tab->c[i] * h, x, F[i]);
            }
            change = stage_sums(nq, stages, h, tab->A, F, Z, w);
        } while (change > 0 && (change < last || change > 0x1p-42) && !bad);
        EACH(l, 2 * nq) {
            double sum = h * tab->b[0] * F[0][l];

            for (int j = 1; j < stages; j++) sum = FMA(h * tab->b[j], F[j][l], sum);
            y[l] += sum;
        }
    }
    return bad;
}

/* --- instances: the loops over the components with vector instructions, and without ---------------------------- */

#ifdef __clang__
#define SCALAR
#else
#define SCALAR __attribute__((optimize("no-tree-vectorize")))
#endif
#define FLOOR(name, ...)                                            \
    static int name##_vector(ARGUMENTS) { return __VA_ARGS__; }     \
    SCALAR static int name##_scalar(ARGUMENTS) { return __VA_ARGS__; }

FLOOR(verlet_2,  verlet(2, s, tab, h, n, y))
FLOOR(verlet_18, verlet(18, s, tab, h, n, y))
FLOOR(kahan_2,   composition(2, 17, s, tab, h, n, y))
FLOOR(kahan_18,  composition(18, 17, s, tab, h, n, y))
FLOOR(rk4_2,     rk4(2, s, tab, h, n, y))
FLOOR(rk4_18,    rk4(18, s, tab, h, n, y))
FLOOR(gauss2_2,  gauss(2, 2, s, tab, h, n, y))
FLOOR(gauss2_18, gauss(18, 2, s, tab, h, n, y))
FLOOR(gauss6_2,  gauss(2, 6, s, tab, h, n, y))
FLOOR(gauss6_18, gauss(18, 6, s, tab, h, n, y))

#define ROW(method, nq, name) { method, nq, { name##_vector, name##_scalar } }
const floor_row GLUE(floors_, LBR_FLOOR)[] = {
    ROW("stormer-verlet", 2, verlet_2), ROW("stormer-verlet", 18, verlet_18),
    ROW("kahan-li-8-17", 2, kahan_2),   ROW("kahan-li-8-17", 18, kahan_18),
    ROW("rk4", 2, rk4_2),               ROW("rk4", 18, rk4_18),
    ROW("gauss:2", 2, gauss2_2),        ROW("gauss:2", 18, gauss2_18),
    ROW("gauss:6", 2, gauss6_2),        ROW("gauss:6", 18, gauss6_18), { 0 }
};
