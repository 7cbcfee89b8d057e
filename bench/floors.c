/* floors.c - integrators as a person writes them for one system; the library is measured against these.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Compiled twice (LBR_FLOOR): with fma written out as in the library's templates, and with a * b + c left to the
 * compiler to contract. NQ and the number of stages are constants wherever a function below is instantiated; the force
 * is called through a pointer, once per stage, or (inlined_...) written into the loop, where compiled models are to be.
 */
#include "floors.h"

#define GLUE_(a, b)              a##b
#define GLUE(a, b)               GLUE_(a, b)
#define CONTRACTED_contract_fast 1
#if GLUE(CONTRACTED_, LBR_FLOOR)
    #define FMA(a, b, c) ((a) * (b) + (c))
#else
    #define FMA(a, b, c) fma(a, b, c)
#endif

#include "forces.h"

#define INLINE         static inline __attribute__((always_inline))
#define ARGUMENTS      const lbr_system *s, const table *tab, double h, int64_t n, double *y
#define GIVEN          s, tab, h, n, y
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

/* --- Stormer-Verlet: momenta half a kick ahead, one force per step ----------------------------------------------- */

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

/* --- a composition of drift-kick-drift: neighbouring drifts in one, also from step to step ----------------------- */

INLINE int composition(int nq, int stages, force_fn force, ARGUMENTS)
{
    double q[MOST_NQ], p[MOST_NQ], f[MOST_NQ], x[2], m[MOST_NQ], a[MOST_S], b[MOST_S];
    double last = h * tab->b[stages - 1] / 2, t = 0;
    int bad = 0;

    EACH(j, stages) b[j] = h * tab->b[j], a[j] = h * (tab->b[j] + tab->b[j > 0 ? j - 1 : stages - 1]) / 2;
    EACH(i, nq) p[i] = y[nq + i], m[i] = s->inverse_mass[i], q[i] = FMA(-last, rate(nq, m, p, i), y[i]);
    for (int64_t k = 0; k < n; k++) EACH(j, stages)
        {
            EACH(i, nq) q[i] = FMA(a[j], rate(nq, m, p, i), q[i]);
            bad |= force(t += a[j], outside(nq, q, x), f, s->ctx);
            EACH(i, nq) p[i] = FMA(b[j], f[i], p[i]);
        }
    EACH(i, nq) y[i] = FMA(last, rate(nq, m, p, i), q[i]), y[nq + i] = p[i];
    return bad;
}

/* --- Runge-Kutta methods of four stages -------------------------------------------------------------------------- */

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

/* The 3/8 rule. */
INLINE int kutta(int nq, force_fn force, ARGUMENTS)
{
    double K[4][2 * MOST_NQ], x[2 * MOST_NQ];
    int bad = 0;

    for (int64_t k = 0; k < n; k++) {
        double t = (double)k * h;

        bad |= field(nq, force, s, t, y, K[0]);
        EACH(i, 2 * nq) x[i] = y[i] + h / 3 * K[0][i];
        bad |= field(nq, force, s, t + h / 3, x, K[1]);
        EACH(i, 2 * nq) x[i] = y[i] + FMA(h, K[1][i], -h / 3 * K[0][i]);
        bad |= field(nq, force, s, t + h * 2 / 3, x, K[2]);
        EACH(i, 2 * nq) x[i] = y[i] + FMA(h, K[2][i], FMA(-h, K[1][i], h * K[0][i]));
        bad |= field(nq, force, s, t + h, x, K[3]);
        EACH(i, 2 * nq) y[i] += FMA(h / 8, K[3][i], FMA(h * 3 / 8, K[2][i], FMA(h * 3 / 8, K[1][i], h / 8 * K[0][i])));
    }
    return (void)tab, bad;
}

/* --- Nystrom's method of order 5, four stages -------------------------------------------------------------------- */

INLINE int nystrom5(int nq, force_fn force, ARGUMENTS)
{
    double K[4][MOST_NQ], x[MOST_NQ], d[2 * MOST_NQ], *q = y, *p = y + nq, g = h * h;
    const double *m = s->inverse_mass;
    int bad = 0;

    for (int64_t k = 0; k < n; k++) {
        double t = (double)k * h;

        bad |= force(t, q, K[0], s->ctx);
        EACH(i, nq) d[i] = FMA(g / 50, K[0][i], h / 5 * p[i]);
        EACH(i, nq) x[i] = q[i] + rate(nq, m, d, i);
        bad |= force(t + h / 5, x, K[1], s->ctx);
        EACH(i, nq) d[i] = FMA(g * 7 / 27, K[1][i], FMA(-g / 27, K[0][i], h * 2 / 3 * p[i]));
        EACH(i, nq) x[i] = q[i] + rate(nq, m, d, i);
        bad |= force(t + h * 2 / 3, x, K[2], s->ctx);
        EACH(i, nq) d[i] = FMA(g * 9 / 35, K[2][i], FMA(-g * 2 / 35, K[1][i], FMA(g * 3 / 10, K[0][i], h * p[i])));
        EACH(i, nq) x[i] = q[i] + rate(nq, m, d, i);
        bad |= force(t + h, x, K[3], s->ctx);
        EACH(i, nq) d[i] = FMA(g * 9 / 56, K[2][i], FMA(g * 25 / 84, K[1][i], FMA(g / 24, K[0][i], h * p[i])));
        EACH(i, nq) q[i] += rate(nq, m, d, i);
        EACH(i, nq)
        p[i] += FMA(h * 5 / 48, K[3][i], FMA(h * 27 / 56, K[2][i], FMA(h * 125 / 336, K[1][i], h / 24 * K[0][i])));
    }
    return (void)tab, bad;
}

/* --- Gauss by fixed-point iteration: the starting values and the stopping rule of the library -------------------- */

/* With the stages of the momenta eliminated (HLW II.2.11), where the equations are q'' = m f: half the iterations. */

typedef double vectors[6][MOST_NQ];

INLINE double larger(double a, double b) { return a > b ? a : b; }

/* m (c p + sum_j A_j F_j) */
INLINE void stage(int nq, int stages, const double *m, double c, const double *A, const double *p, double (*F)[MOST_NQ],
                  double *z)
{
    EACH(l, nq) z[l] = c * p[l];
    EACH(j, stages) EACH(l, nq) z[l] = FMA(A[j], F[j][l], z[l]);
    if (nq > 2) EACH(l, nq) z[l] *= m[l];
}

/* All Z anew; returns the largest change. */
INLINE double stage_sums(int nq, int stages, const double *m, const double *hc, const double *A, const double *p,
                         double (*F)[MOST_NQ], double (*Z)[MOST_NQ])
{
    double z[MOST_NQ], d[MOST_NQ] = { 0 }, most = 0;

    EACH(i, stages)
    {
        stage(nq, stages, m, hc[i], A + i * stages, p, F, z);
        EACH(l, nq) d[l] = larger(fabs(z[l] - Z[i][l]), d[l]), Z[i][l] = z[l];
    }
    EACH(l, nq) most = larger(d[l], most);
    return most;
}

INLINE double sizes(int nq, int stages, const double *q, double (*Z)[MOST_NQ])
{
    double size = 0;

    EACH(l, nq) size = larger(fabs(q[l]), size);
    EACH(i, stages) EACH(l, nq) size = larger(fabs(Z[i][l]), size);
    return size;
}

INLINE int gauss(int nq, int stages, force_fn force, ARGUMENTS)
{
    vectors F, Z = { { 0 } };
    double x[MOST_NQ], q[MOST_NQ], p[MOST_NQ], m[MOST_NQ], A[36], S[36], C[6], B[6], E[6];
    int bad = force(0, y, F[0], s->ctx);

    EACH(i, stages * stages) A[i] = h * h * tab->AA[i], S[i] = h * h * tab->SS[i];
    EACH(i, stages) B[i] = h * tab->b[i], C[i] = h * tab->c[i], E[i] = h * h * tab->bA[i];
    EACH(l, nq) q[l] = y[l], p[l] = y[nq + l], m[l] = s->inverse_mass[l];
    for (int j = 1; j < stages; j++) EACH(l, nq) F[j][l] = F[0][l];
    for (int64_t k = 0; k < n; k++) {
        double change = INFINITY, last;

        EACH(i, stages) stage(nq, stages, m, C[i], S + i * stages, p, F, Z[i]);
        do {
            last = change;
            EACH(i, stages)
            {
                EACH(l, nq) x[l] = q[l] + Z[i][l];
                bad |= force((double)k * h + C[i], x, F[i], s->ctx);
            }
            change = stage_sums(nq, stages, m, C, A, p, F, Z);
        } while (change > 0 && (change < last || change > 0x1p-42 * sizes(nq, stages, q, Z)) && !bad);
        stage(nq, stages, m, h, E, p, F, x);
        EACH(l, nq) q[l] += x[l];
        EACH(l, nq)
        {
            double sum = B[0] * F[0][l];

            for (int j = 1; j < stages; j++) sum = FMA(B[j], F[j][l], sum);
            p[l] += sum;
        }
    }
    EACH(l, nq) y[l] = q[l], y[nq + l] = p[l];
    return bad;
}

/* --- instances: the loops over the components with vector instructions, and without ------------------------------ */

#ifdef __clang__
    #define SCALAR
#else
    #define SCALAR __attribute__((optimize("no-tree-vectorize")))
#endif
#define FLOOR(name, ...)                                        \
    static int name##_vector(ARGUMENTS) { return __VA_ARGS__; } \
    SCALAR static int name##_scalar(ARGUMENTS) { return __VA_ARGS__; }

FLOOR(verlet_2, verlet(2, s->force, GIVEN))
FLOOR(verlet_18, verlet(18, s->force, GIVEN))
FLOOR(kahan_2, composition(2, 17, s->force, GIVEN))
FLOOR(kahan_18, composition(18, 17, s->force, GIVEN))
FLOOR(rk4_2, rk4(2, s->force, GIVEN))
FLOOR(rk4_18, rk4(18, s->force, GIVEN))
FLOOR(kutta_2, kutta(2, s->force, GIVEN))
FLOOR(kutta_18, kutta(18, s->force, GIVEN))
FLOOR(nystrom_2, nystrom5(2, s->force, GIVEN))
FLOOR(nystrom_18, nystrom5(18, s->force, GIVEN))
FLOOR(gauss2_2, gauss(2, 2, s->force, GIVEN))
FLOOR(gauss2_18, gauss(18, 2, s->force, GIVEN))
FLOOR(gauss4_2, gauss(2, 4, s->force, GIVEN))
FLOOR(gauss4_18, gauss(18, 4, s->force, GIVEN))
FLOOR(gauss6_2, gauss(2, 6, s->force, GIVEN))
FLOOR(gauss6_18, gauss(18, 6, s->force, GIVEN))

#define ROW(method, nq, name)                        \
    {                                                \
        method, nq, { name##_vector, name##_scalar } \
    }
const floor_row GLUE(floors_, LBR_FLOOR)[] = { ROW("stormer-verlet", 2, verlet_2),
                                               ROW("stormer-verlet", 18, verlet_18),
                                               ROW("kahan-li-8-17", 2, kahan_2),
                                               ROW("kahan-li-8-17", 18, kahan_18),
                                               ROW("rk4", 2, rk4_2),
                                               ROW("rk4", 18, rk4_18),
                                               ROW("kutta-38", 2, kutta_2),
                                               ROW("kutta-38", 18, kutta_18),
                                               ROW("nystrom-5", 2, nystrom_2),
                                               ROW("nystrom-5", 18, nystrom_18),
                                               ROW("gauss:2", 2, gauss2_2),
                                               ROW("gauss:2", 18, gauss2_18),
                                               ROW("gauss:4", 2, gauss4_2),
                                               ROW("gauss:4", 18, gauss4_18),
                                               ROW("gauss:6", 2, gauss6_2),
                                               ROW("gauss:6", 18, gauss6_18),
                                               { 0 } };

/* --- the same with the force inside: what a compiled model is measured against ----------------------------------- */

#ifdef __clang__
    #define GROUPED
#else
    #define GROUPED __attribute__((optimize("tree-slp-vectorize")))
#endif
#define INLINED(name, ...) \
    FLOOR(name, __VA_ARGS__) GROUPED static int name##_grouped(ARGUMENTS) { return __VA_ARGS__; }

INLINED(hh_verlet, verlet(2, hh_by_hand, GIVEN))
INLINED(kepler_verlet, verlet(2, kepler_by_hand, GIVEN))
INLINED(pendulum_verlet, verlet(1, pendulum_by_hand, GIVEN))
INLINED(solar_verlet, verlet(18, solar_by_hand, GIVEN))
INLINED(staged_verlet, verlet(18, solar_in_stages, GIVEN))
INLINED(hh_kahan, composition(2, 17, hh_by_hand, GIVEN))
INLINED(kepler_kahan, composition(2, 17, kepler_by_hand, GIVEN))
INLINED(solar_kahan, composition(18, 17, solar_by_hand, GIVEN))
INLINED(hh_rk4, rk4(2, hh_by_hand, GIVEN))
INLINED(kepler_rk4, rk4(2, kepler_by_hand, GIVEN))
INLINED(solar_rk4, rk4(18, solar_by_hand, GIVEN))
INLINED(hh_nystrom, nystrom5(2, hh_by_hand, GIVEN))
INLINED(kepler_nystrom, nystrom5(2, kepler_by_hand, GIVEN))
INLINED(solar_nystrom, nystrom5(18, solar_by_hand, GIVEN))
INLINED(hh_gauss2, gauss(2, 2, hh_by_hand, GIVEN))
INLINED(kepler_gauss2, gauss(2, 2, kepler_by_hand, GIVEN))
INLINED(solar_gauss2, gauss(18, 2, solar_by_hand, GIVEN))
INLINED(hh_kutta, kutta(2, hh_by_hand, GIVEN))
INLINED(kepler_kutta, kutta(2, kepler_by_hand, GIVEN))
INLINED(solar_kutta, kutta(18, solar_by_hand, GIVEN))
INLINED(hh_gauss4, gauss(2, 4, hh_by_hand, GIVEN))
INLINED(kepler_gauss4, gauss(2, 4, kepler_by_hand, GIVEN))
INLINED(solar_gauss4, gauss(18, 4, solar_by_hand, GIVEN))
INLINED(hh_gauss6, gauss(2, 6, hh_by_hand, GIVEN))
INLINED(kepler_gauss6, gauss(2, 6, kepler_by_hand, GIVEN))
INLINED(solar_gauss6, gauss(18, 6, solar_by_hand, GIVEN))

#define INSIDE(system, method, name)                                     \
    {                                                                    \
        system, method, { name##_vector, name##_scalar, name##_grouped } \
    }
const inlined_row GLUE(inlined_, LBR_FLOOR)[] = { INSIDE("henon-heiles", "stormer-verlet", hh_verlet),
                                                  INSIDE("kepler", "stormer-verlet", kepler_verlet),
                                                  INSIDE("pendulum", "stormer-verlet", pendulum_verlet),
                                                  INSIDE("outer-solar-system", "stormer-verlet", solar_verlet),
                                                  INSIDE("outer-solar-system", "stormer-verlet", staged_verlet),
                                                  INSIDE("henon-heiles", "kahan-li-8-17", hh_kahan),
                                                  INSIDE("kepler", "kahan-li-8-17", kepler_kahan),
                                                  INSIDE("outer-solar-system", "kahan-li-8-17", solar_kahan),
                                                  INSIDE("henon-heiles", "rk4", hh_rk4),
                                                  INSIDE("kepler", "rk4", kepler_rk4),
                                                  INSIDE("outer-solar-system", "rk4", solar_rk4),
                                                  INSIDE("henon-heiles", "nystrom-5", hh_nystrom),
                                                  INSIDE("kepler", "nystrom-5", kepler_nystrom),
                                                  INSIDE("outer-solar-system", "nystrom-5", solar_nystrom),
                                                  INSIDE("henon-heiles", "gauss:2", hh_gauss2),
                                                  INSIDE("kepler", "gauss:2", kepler_gauss2),
                                                  INSIDE("outer-solar-system", "gauss:2", solar_gauss2),
                                                  INSIDE("henon-heiles", "kutta-38", hh_kutta),
                                                  INSIDE("kepler", "kutta-38", kepler_kutta),
                                                  INSIDE("outer-solar-system", "kutta-38", solar_kutta),
                                                  INSIDE("henon-heiles", "gauss:4", hh_gauss4),
                                                  INSIDE("kepler", "gauss:4", kepler_gauss4),
                                                  INSIDE("outer-solar-system", "gauss:4", solar_gauss4),
                                                  INSIDE("henon-heiles", "gauss:6", hh_gauss6),
                                                  INSIDE("kepler", "gauss:6", kepler_gauss6),
                                                  INSIDE("outer-solar-system", "gauss:6", solar_gauss6),
                                                  { 0 } };
