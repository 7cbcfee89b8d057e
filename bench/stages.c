/* stages.c - Gauss methods with their eight stages in vectors, written by hand. SPDX-License-Identifier: BSD-3-Clause
 *
 * The starting values and the stopping rule of the library, without low parts of coefficients. The list that this file
 * is in is compiled twice: once all stages are one vector, once two of four, without AVX-512. */
#define OF_FOUR_contract_off  0
#define OF_FOUR_contract_fast 1
#define GLUE_(a, b)           a##b
#define GLUE(a, b)            GLUE_(a, b)
#define OF_FOUR               GLUE(OF_FOUR_, LBR_FLOOR)
#if OF_FOUR && defined __AVX512F__
    #pragma GCC target("arch=x86-64-v3,tune=native")
#endif
#define VECTOR_WIDTH (OF_FOUR ? 4 : 8)
#include "floors.h"
#include "../src/solve/iteration.h"
#define FMA(a, b, c) fma(a, b, c)
#include "forces.h"
#include "vectors.h"

enum { STAGES = 8, SETS = STAGES / VECTOR_WIDTH, MOST_NQ = 18 };
#define INLINE     static inline __attribute__((always_inline))
#define EACH(i, n) for (int i = 0; i < (n); i++)

typedef double row[STAGES] __attribute__((aligned(64)));
typedef struct stages {
    vec of[SETS];
} stages;
typedef void (*stages_fn)(const vec *q, vec *f);

INLINE double largest(vec x)
{
    double most = 0;

    EACH(i, VECTOR_WIDTH) most = x[i] > most ? x[i] : most;
    return most;
}

/* Columns of a matrix as vectors of stages, times h^2. */
INLINE void columns(const double *A, double h, stages *to)
{
    EACH(j, STAGES) EACH(i, STAGES) to[j].of[i / VECTOR_WIDTH][i % VECTOR_WIDTH] = h * h * A[i * STAGES + j];
}

/* x + sum_j A_j F_j */
INLINE stages sum(const stages *A, stages x, const double *F)
{
    EACH(j, STAGES) EACH(g, SETS) x.of[g] = vfma(A[j].of[g], all(F[j]), x.of[g]);
    return x;
}

INLINE stages times(stages C, double p)
{
    EACH(g, SETS) C.of[g] = C.of[g] * all(p);
    return C;
}

INLINE double along(stages b, const double *F)
{
    double total = 0;

    EACH(g, SETS)
    {
        vec x = b.of[g] * *(const vec *)(F + g * VECTOR_WIDTH);

        EACH(i, VECTOR_WIDTH) total += x[i];
    }
    return total;
}

/* What does not change from step to step. */
typedef struct constants {
    stages A[STAGES], last[STAGES], before[STAGES], C, B, E;
} constants;

INLINE void prepare(constants *c, const table *tab, double h)
{
    columns(tab->AA, h, c->A), columns(tab->last, h, c->last), columns(tab->before, h, c->before);
    EACH(i, STAGES)
    {
        int g = i / VECTOR_WIDTH, u = i % VECTOR_WIDTH;

        c->C.of[g][u] = h * tab->c[i], c->B.of[g][u] = h * tab->b[i], c->E.of[g][u] = h * h * tab->bA[i];
    }
}

/* Forces of all stages. */
INLINE void forces(const int nq, stages_fn force, const double *q, const stages *z, row *F)
{
    EACH(g, SETS)
    {
        vec x[MOST_NQ], f[MOST_NQ];

        EACH(l, nq) x[l] = all(q[l]) + z[l].of[g];
        force(x, f);
        EACH(l, nq) * (vec *)(F[l] + g * VECTOR_WIDTH) = f[l];
    }
}

/* The first z; their size, or that of q. */
INLINE double first(const int nq, const constants *c, const double *m, const double *q, const double *p, row *F, row *G,
                    stages *z)
{
    vec most = all(0);
    double size;

    EACH(l, nq)
    {
        z[l] = sum(c->before, sum(c->last, times(c->C, p[l]), F[l]), G[l]);
        EACH(g, SETS) z[l].of[g] = all(m[l]) * z[l].of[g], most = vmax(vabs(z[l].of[g]), most);
        memcpy(G[l], F[l], sizeof G[l]);
    }
    size = largest(most);
    EACH(l, nq) size = fabs(q[l]) > size ? fabs(q[l]) : size;
    return size;
}

/* New z; their largest change. */
INLINE double iterate(const int nq, const constants *c, const double *m, const double *p, row *F, stages *z)
{
    vec most = all(0);

    EACH(l, nq)
    {
        stages now = sum(c->A, times(c->C, p[l]), F[l]);

        EACH(g, SETS)
        {
            now.of[g] = all(m[l]) * now.of[g];
            most = vmax(vabs(now.of[g] - z[l].of[g]), most);
        }
        z[l] = now;
    }
    return largest(most);
}

INLINE int gauss(const int nq, const double *m, stages_fn force, const table *tab, double h, int64_t n, double *y)
{
    constants c;
    stages z[MOST_NQ];
    row F[MOST_NQ], G[MOST_NQ];
    double q[MOST_NQ], p[MOST_NQ];

    prepare(&c, tab, h);
    EACH(l, nq) q[l] = y[l], p[l] = y[nq + l], memset(&z[l], 0, sizeof z[l]);
    forces(nq, force, q, z, F);
    EACH(l, nq) memcpy(G[l], F[l], sizeof G[l]);
    for (int64_t k = 0; k < n; k++) {
        lbr_iteration i = lbr_increments_begin();
        double size = first(nq, &c, m, q, p, F, G, z);

        do {
            forces(nq, force, q, z, F);
            lbr_iteration_put(&i, iterate(nq, &c, m, p, F, z) / size);
        } while (!lbr_iteration_settled(&i));
        EACH(l, nq) q[l] += m[l] * fma(h, p[l], along(c.E, F[l])), p[l] += along(c.B, F[l]);
    }
    EACH(l, nq) y[l] = q[l], y[nq + l] = p[l];
    return 0;
}

INLINE void force_kepler(const vec *q, vec *f)
{
    vec r2 = vfma(q[0], q[0], q[1] * q[1]), w = all(-1) / (r2 * vsqrt(r2));

    f[0] = w * q[0], f[1] = w * q[1];
}

INLINE void force_solar(const vec *q, vec *f)
{
    EACH(l, 3 * BODIES) f[l] = all(0);
#pragma GCC unroll 6
    EACH(i, BODIES)
#pragma GCC unroll 6
    EACH(j, i)
    {
        vec d[3], w;

        EACH(k, 3) d[k] = q[3 * i + k] - q[3 * j + k];
        w = weight(all(BY_MASS(i, j)), d, 0);
        EACH(k, 3) f[3 * i + k] = vfma(-w, d[k], f[3 * i + k]), f[3 * j + k] = vfma(w, d[k], f[3 * j + k]);
    }
}

#define KEPLER GLUE(by_hand_stages_kepler_, LBR_FLOOR)
#define SOLAR  GLUE(by_hand_stages_solar_, LBR_FLOOR)

int KEPLER(const lbr_system *system, const table *tab, double h, int64_t n, double *y)
{
    static const double one[2] = { 1, 1 };

    return (void)system, gauss(2, one, force_kepler, tab, h, n, y);
}

int SOLAR(const lbr_system *system, const table *tab, double h, int64_t n, double *y)
{
    double m[MOST_NQ];

    EACH(l, 3 * BODIES) m[l] = 1 / by_hand_mass[l / 3];
    return (void)system, gauss(3 * BODIES, m, force_solar, tab, h, n, y);
}
