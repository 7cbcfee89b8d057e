/* stages.c - Gauss methods with eight stages in one vector, written by hand. SPDX-License-Identifier: BSD-3-Clause
 *
 * The starting values and the stopping rule of the library, without low parts of coefficients. */
#include "floors.h"

/* The list that this file is in is compiled twice; once is enough. */
#define ONCE_contract_off 1
#define GLUE_(a, b)       a##b
#define GLUE(a, b)        GLUE_(a, b)
#if GLUE(ONCE_, LBR_FLOOR)
    #define FMA(a, b, c) fma(a, b, c)
    #include "forces.h"
    #include "vectors.h"

enum { STAGES = 8, MOST_NQ = 18 };
    #define INLINE     static inline __attribute__((always_inline))
    #define EACH(i, n) for (int i = 0; i < (n); i++)

typedef double row[STAGES] __attribute__((aligned(64)));
typedef void (*stages_fn)(const v8 *q, v8 *f);

INLINE v8 load(const double *x) { return *(const v8 *)x; }
INLINE double largest(v8 x)
{
    double most = 0;

    EACH(i, STAGES) most = x[i] > most ? x[i] : most;
    return most;
}

/* Columns of a matrix as vectors of stages, times h^2. */
INLINE void columns(const double *A, double h, v8 *to)
{
    EACH(j, STAGES) EACH(i, STAGES) to[j][i] = h * h * A[i * STAGES + j];
}

/* c p + sum_j A_j F_j */
INLINE v8 sum(const v8 *A, v8 cp, const double *F)
{
    EACH(j, STAGES) cp = vfma(A[j], all(F[j]), cp);
    return cp;
}

INLINE double along(v8 b, const double *F)
{
    v8 x = b * load(F);
    double total = 0;

    EACH(i, STAGES) total += x[i];
    return total;
}

INLINE int gauss(const int nq, const double *m, stages_fn force, const table *tab, double h, int64_t n, double *y)
{
    v8 A[STAGES], last[STAGES], before[STAGES], C, B, E, x[MOST_NQ], f[MOST_NQ], z[MOST_NQ];
    row F[MOST_NQ], G[MOST_NQ];
    double q[MOST_NQ], p[MOST_NQ];

    columns(tab->AA, h, A), columns(tab->last, h, last), columns(tab->before, h, before);
    EACH(i, STAGES) C[i] = h * tab->c[i], B[i] = h * tab->b[i], E[i] = h * h * tab->bA[i];
    EACH(l, nq) q[l] = y[l], p[l] = y[nq + l], x[l] = all(q[l]);
    force(x, f);
    EACH(l, nq) memcpy(F[l], &f[l], sizeof F[l]), memcpy(G[l], &f[l], sizeof G[l]);
    for (int64_t k = 0; k < n; k++) {
        double change = INFINITY, was, size;

        EACH(l, nq)
        {
            z[l] = all(m[l]) * sum(before, sum(last, C * all(p[l]), F[l]), G[l]);
            memcpy(G[l], F[l], sizeof G[l]);
        }
        do {
            v8 most = all(0);

            EACH(l, nq) x[l] = all(q[l]) + z[l];
            force(x, f);
            EACH(l, nq)
            {
                v8 now;

                memcpy(F[l], &f[l], sizeof F[l]);
                now = all(m[l]) * sum(A, C * all(p[l]), F[l]);
                most = vmax(vabs(now - z[l]), most), z[l] = now;
            }
            was = change, change = largest(most), size = 0;
            if (change >= was) EACH(l, nq) size = fmax(size, fmax(fabs(q[l]), largest(vabs(z[l]))));
        } while (change > 0 && (change < was || change > 0x1p-42 * size));
        EACH(l, nq) q[l] += m[l] * fma(h, p[l], along(E, F[l])), p[l] += along(B, F[l]);
    }
    EACH(l, nq) y[l] = q[l], y[nq + l] = p[l];
    return 0;
}

INLINE void force_kepler(const v8 *q, v8 *f)
{
    v8 r2 = vfma(q[0], q[0], q[1] * q[1]), w = all(-1) / (r2 * vsqrt(r2));

    f[0] = w * q[0], f[1] = w * q[1];
}

INLINE void force_solar(const v8 *q, v8 *f)
{
    EACH(l, 3 * BODIES) f[l] = all(0);
    #pragma GCC unroll 6
    EACH(i, BODIES)
    #pragma GCC unroll 6
    EACH(j, i)
    {
        v8 d[3], w;

        EACH(k, 3) d[k] = q[3 * i + k] - q[3 * j + k];
        w = weight(all(BY_MASS(i, j)), d, 0);
        EACH(k, 3) f[3 * i + k] = vfma(-w, d[k], f[3 * i + k]), f[3 * j + k] = vfma(w, d[k], f[3 * j + k]);
    }
}

int by_hand_stages_kepler(const lbr_system *system, const table *tab, double h, int64_t n, double *y)
{
    static const double one[2] = { 1, 1 };

    return (void)system, gauss(2, one, force_kepler, tab, h, n, y);
}

int by_hand_stages_solar(const lbr_system *system, const table *tab, double h, int64_t n, double *y)
{
    double m[MOST_NQ];

    EACH(l, 3 * BODIES) m[l] = 1 / by_hand_mass[l / 3];
    return (void)system, gauss(3 * BODIES, m, force_solar, tab, h, n, y);
}
#endif
