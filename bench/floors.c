/* floors.c - integrators as a person writes them for one system; the library is measured against these. SPDX-License-Identifier: BSD-3-Clause
 *
 * Compiled twice (LBR_FLOOR): with fma written out as in the library's templates, and with a * b + c left to the compiler
 * to contract. NQ and the number of stages are constants wherever a function below is instantiated; the
 * force is called through a pointer, once per stage, or (inlined_...) written into the loop, where compiled models are to be. */
#include "floors.h"

#define GLUE_(a, b) a##b
#define GLUE(a, b) GLUE_(a, b)
#define CONTRACTED_contract_fast 1
#if GLUE(CONTRACTED_, LBR_FLOOR)
#define FMA(a, b, c) ((a) * (b) + (c))
#else
#define FMA(a, b, c) fma(a, b, c)
#endif

#include "forces.h"

#define INLINE static inline __attribute__((always_inline))
#define ARGUMENTS const lbr_system *s, const table *tab, double h, int64_t n, double *y
#define GIVEN s, tab, h, n, y
#define EACH(i, count) for (int i = 0; i < (count); i++)
enum { MOST_NQ = 18, MOST_S = 17 };

/* Inverse masses are ones where nq is 1 or 2. */
INLINE double rate(int nq, const double *m, const double *p, int i) { return nq <= 2 ? p[i] : m[i] * p[i]; }

/* What the force is given: a copy of few positions, which then stay in registers; many positions themselves. */
INLINE const double *outside(int nq, const double *q, double *x)
{
    if (nq > 2) return q;
    EACH(i, nq) x[i] = q[i];
    return x;
}

/* --- Stormer-Verlet: momenta half a kick ahead, one force per step ----------------------------------------- */

INLINE int verlet(int nq, force_fn force, ARGUMENTS)
{
    double q[MOST_NQ], p[MOST_NQ], f[MOST_NQ], x[2], m[MOST_NQ];
    int bad = force(0, y, f, s->ctx);

    EACH(i, nq) q[i] = y[i], p[i] = FMA(h / 2, f[i], y[nq + i]), m[i] = s->inverse_mass[i];
    for (int64_t k = 1; k <= n; k++) {
        EACH(i, nq) q[i] = FMA(h, rate(nq, m, p, i), q[i]);
        bad |= force((double)k * h, outside(nq, q, x), f, s->ctx);
        EACH(i, nq) p[i] = FMA(h, f[i], p[i]);
    }
    EACH(i, nq) y[i] = q[i], y[nq + i] = FMA(-h / 2, f[i], p[i]);
    return (void)tab, bad;
}

/* --- a composition of drift-kick-drift: neighbouring drifts in one, also from step to step ------------------- */

INLINE int composition(int nq, int stages, force_fn force, ARGUMENTS)
{
    double q[MOST_NQ], p[MOST_NQ], f[MOST_NQ], x[2], m[MOST_NQ], a[MOST_S], b[MOST_S];
    double last = h * tab->b[stages - 1] / 2, t = 0;
    int bad = 0;

    EACH(j, stages) b[j] = h * tab->b[j], a[j] = h * (tab->b[j] + tab->b[j > 0 ? j - 1 : stages - 1]) / 2;
    EACH(i, nq) p[i] = y[nq + i], m[i] = s->inverse_mass[i], q[i] = FMA(-last, rate(nq, m, p, i), y[i]);
    for (int64_t k = 0; k < n; k++)
        EACH(j, stages) {
            EACH(i, nq) q[i] = FMA(a[j], rate(nq, m, p, i), q[i]);
            bad |= force(t += a[j], outside(nq, q, x), f, s->ctx);
            EACH(i, nq) p[i] = FMA(b[j], f[i], p[i]);
        }
    EACH(i, nq) y[i] = FMA(last, rate(nq, m, p, i), q[i]), y[nq + i] = p[i];
    return bad;
}

/* --- the classical Runge-Kutta method -------------------------------------------------------------------------- */

INLINE int field(int nq, force_fn force, const lbr_system *s, double t, const double *y, double *k)
{
    EACH(i, nq) k[i] = rate(nq, s->inverse_mass, y + nq, i);
    return force(t, y, k + nq, s->ctx);
}

INLINE int rk4(int nq, force_fn force, ARGUMENTS)
{
    double K[4][2 * MOST_NQ], x[2 * MOST_NQ];
    int bad = 0;

    for (int64_t k = 0; k < n; k++) {
        double t = (double)k * h;

        bad |= field(nq, force, s, t, y, K[0]);
        EACH(i, 2 * nq) x[i] = y[i] + h / 2 * K[0][i];
        bad |= field(nq, force, s, t + h / 2, x, K[1]);
        EACH(i, 2 * nq) x[i] = y[i] + h / 2 * K[1][i];
        bad |= field(nq, force, s, t + h / 2, x, K[2]);
        EACH(i, 2 * nq) x[i] = y[i] + h * K[2][i];
        bad |= field(nq, force, s, t + h, x, K[3]);
        EACH(i, 2 * nq) y[i] += FMA(h / 6, K[3][i], FMA(h / 3, K[2][i], FMA(h / 3, K[1][i], h / 6 * K[0][i])));
    }
    return (void)tab, bad;
}

/* --- Gauss by fixed-point iteration: the starting values and the stopping rule of the library ------------------- */

typedef double vectors[6][2 * MOST_NQ];

INLINE double larger(double a, double b) { return a > b ? a : b; }

/* The largest of d and |z - Z|, and of w and |z|, over n components; z goes into Z. */
INLINE double changes(int n, const double *z, double *Z, double d, double *w)
{
    EACH(l, n) {
        d = larger(fabs(z[l] - Z[l]), d);
        *w = larger(fabs(z[l]), *w);
        Z[l] = z[l];
    }
    return d;
}

/* Z = h A F; returns the largest change relative to y, in positions or momenta. */
INLINE double stage_sums(int nq, int stages, const double *hA, double (*F)[2 * MOST_NQ], double (*Z)[2 * MOST_NQ], double *w)
{
    double z[2 * MOST_NQ], dq = 0, dp = 0;

    EACH(i, stages) {
        EACH(l, 2 * nq) z[l] = hA[i * stages] * F[0][l];
        for (int j = 1; j < stages; j++) EACH(l, 2 * nq) z[l] = FMA(hA[i * stages + j], F[j][l], z[l]);
        dq = changes(nq, z, Z[i], dq, &w[0]);
        dp = changes(nq, z + nq, Z[i] + nq, dp, &w[1]);
    }
    return dq * w[1] > dp * w[0] ? dq / w[0] : dp / w[1];
}

INLINE int gauss(int nq, int stages, force_fn force, ARGUMENTS)
{
    vectors F, Z = { { 0 } };
    double x[2 * MOST_NQ], A[36], S[36];
    int bad = field(nq, force, s, 0, y, F[0]);

    EACH(i, stages * stages) A[i] = h * tab->A[i], S[i] = h * tab->S[i];
    for (int j = 1; j < stages; j++) EACH(l, 2 * nq) F[j][l] = F[0][l];
    for (int64_t k = 0; k < n; k++) {
        double w[2] = { 0, 0 }, none[2] = { 1, 1 }, change = 1, last;

        stage_sums(nq, stages, S, F, Z, none);
        EACH(l, nq) w[0] = larger(fabs(y[l]), w[0]), w[1] = larger(fabs(y[nq + l]), w[1]);
        do {
            last = change;
            EACH(i, stages) {
                EACH(l, 2 * nq) x[l] = y[l] + Z[i][l];
                bad |= field(nq, force, s, (double)k * h + tab->c[i] * h, x, F[i]);
            }
            change = stage_sums(nq, stages, A, F, Z, w);
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

FLOOR(verlet_2,  verlet(2, s->force, GIVEN))
FLOOR(verlet_18, verlet(18, s->force, GIVEN))
FLOOR(kahan_2,   composition(2, 17, s->force, GIVEN))
FLOOR(kahan_18,  composition(18, 17, s->force, GIVEN))
FLOOR(rk4_2,     rk4(2, s->force, GIVEN))
FLOOR(rk4_18,    rk4(18, s->force, GIVEN))
FLOOR(gauss2_2,  gauss(2, 2, s->force, GIVEN))
FLOOR(gauss2_18, gauss(18, 2, s->force, GIVEN))
FLOOR(gauss6_2,  gauss(2, 6, s->force, GIVEN))
FLOOR(gauss6_18, gauss(18, 6, s->force, GIVEN))

#define ROW(method, nq, name) { method, nq, { name##_vector, name##_scalar } }
const floor_row GLUE(floors_, LBR_FLOOR)[] = {
    ROW("stormer-verlet", 2, verlet_2), ROW("stormer-verlet", 18, verlet_18),
    ROW("kahan-li-8-17", 2, kahan_2),   ROW("kahan-li-8-17", 18, kahan_18),
    ROW("rk4", 2, rk4_2),               ROW("rk4", 18, rk4_18),
    ROW("gauss:2", 2, gauss2_2),        ROW("gauss:2", 18, gauss2_18),
    ROW("gauss:6", 2, gauss6_2),        ROW("gauss:6", 18, gauss6_18), { 0 }
};

/* --- the same with the force inside: what a compiled model is measured against ----------------------------------- */

#ifdef __clang__
#define GROUPED
#else
#define GROUPED __attribute__((optimize("tree-slp-vectorize")))
#endif
#define INLINED(name, ...) FLOOR(name, __VA_ARGS__) GROUPED static int name##_grouped(ARGUMENTS) { return __VA_ARGS__; }

INLINED(hh_verlet,       verlet(2, hh_by_hand, GIVEN))
INLINED(kepler_verlet,   verlet(2, kepler_by_hand, GIVEN))
INLINED(pendulum_verlet, verlet(1, pendulum_by_hand, GIVEN))
INLINED(solar_verlet,    verlet(18, solar_by_hand, GIVEN))
INLINED(staged_verlet,   verlet(18, solar_in_stages, GIVEN))
INLINED(hh_kahan,        composition(2, 17, hh_by_hand, GIVEN))
INLINED(kepler_kahan,    composition(2, 17, kepler_by_hand, GIVEN))
INLINED(solar_kahan,     composition(18, 17, solar_by_hand, GIVEN))
INLINED(hh_rk4,          rk4(2, hh_by_hand, GIVEN))
INLINED(kepler_rk4,      rk4(2, kepler_by_hand, GIVEN))
INLINED(solar_rk4,       rk4(18, solar_by_hand, GIVEN))
INLINED(hh_gauss2,       gauss(2, 2, hh_by_hand, GIVEN))
INLINED(kepler_gauss2,   gauss(2, 2, kepler_by_hand, GIVEN))
INLINED(solar_gauss2,    gauss(18, 2, solar_by_hand, GIVEN))
INLINED(hh_gauss6,       gauss(2, 6, hh_by_hand, GIVEN))
INLINED(kepler_gauss6,   gauss(2, 6, kepler_by_hand, GIVEN))
INLINED(solar_gauss6,    gauss(18, 6, solar_by_hand, GIVEN))

#define INSIDE(system, method, name) { system, method, { name##_vector, name##_scalar, name##_grouped } }
const inlined_row GLUE(inlined_, LBR_FLOOR)[] = {
    INSIDE("henon-heiles", "stormer-verlet", hh_verlet), INSIDE("kepler", "stormer-verlet", kepler_verlet), INSIDE("pendulum", "stormer-verlet", pendulum_verlet),
    INSIDE("outer-solar-system", "stormer-verlet", solar_verlet), INSIDE("outer-solar-system", "stormer-verlet", staged_verlet),
    INSIDE("henon-heiles", "kahan-li-8-17", hh_kahan), INSIDE("kepler", "kahan-li-8-17", kepler_kahan), INSIDE("outer-solar-system", "kahan-li-8-17", solar_kahan),
    INSIDE("henon-heiles", "rk4", hh_rk4), INSIDE("kepler", "rk4", kepler_rk4), INSIDE("outer-solar-system", "rk4", solar_rk4),
    INSIDE("henon-heiles", "gauss:2", hh_gauss2), INSIDE("kepler", "gauss:2", kepler_gauss2), INSIDE("outer-solar-system", "gauss:2", solar_gauss2),
    INSIDE("henon-heiles", "gauss:6", hh_gauss6), INSIDE("kepler", "gauss:6", kepler_gauss6), INSIDE("outer-solar-system", "gauss:6", solar_gauss6), { 0 }
};
