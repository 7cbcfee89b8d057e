/* tridiagonal.h - RATTLE on a chain of rigid links of unit masses as one writes it by hand.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The same matrix, start and stopping rule as src/stepper/rattle.inc: both then need the same iterations. */
#ifndef BENCH_TRIDIAGONAL_H
#define BENCH_TRIDIAGONAL_H
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define GRAVITY 9.81
static const double link2 = 0.01; /* links of length 0.1 */

typedef struct loop {
    double *d, *l, *c, *L, *r, *q1, *ph;
    int64_t iterations;
} loop; /* of the matrix: 1/d, l; links; multipliers */

static double between(const double *q, int64_t i, int k) { return q[3 * i + k] - (i ? q[3 * i - 3 + k] : 0); }

/* S of the links c = q_i - q_{i-1}: 8 c.c (4 c.c of the first), -4 c.c' beside it; L D L^T. */
static void matrix(loop *x, int64_t n, const double *q)
{
    double before = 0;

    for (int64_t i = 0; i < n; i++) {
        double s = 0, off = 0;

        for (int k = 0; k < 3; k++) {
            double c = between(q, i, k);

            s += c * c, off += i ? c * x->c[3 * i - 3 + k] : 0, x->c[3 * i + k] = c;
        }
        s *= i ? 8 : 4, off *= -4;
        x->l[i] = i ? off * x->d[i - 1] : 0, before = s - x->l[i] * off, x->d[i] = 1 / before;
    }
}

static void solve(const loop *x, int64_t n, double *r)
{
    for (int64_t i = 1; i < n; i++) r[i] -= x->l[i] * r[i - 1];
    r[n - 1] *= x->d[n - 1];
    for (int64_t i = n - 2; i >= 0; i--) r[i] = r[i] * x->d[i] - x->l[i + 1] * r[i + 1];
}

/* out = by (G^T L), where G has 2 c and -2 c. */
static inline double pull(const loop *x, int64_t n, int64_t i, int k, const double *L)
{
    return 2 * (L[i] * x->c[3 * i + k] - (i + 1 < n ? L[i + 1] * x->c[3 * i + 3 + k] : 0));
}

static double rounding(const loop *x, int64_t i, double size)
{
    return DBL_EPSILON * size * (i ? 4 : 2) * (fabs(x->c[3 * i]) + fabs(x->c[3 * i + 1]) + fabs(x->c[3 * i + 2]));
}

static double worst_of(const loop *x, int64_t n, double size)
{
    double most = 0;

    for (int64_t i = 0; i < n; i++) {
        double unit = rounding(x, i, size);
        if (!(fabs(x->r[i]) <= most * unit)) most = fabs(x->r[i]) / unit;
    }
    return most;
}

static void by_hand(loop *x, int64_t n, double h, int64_t steps, double *q, double *p)
{
    matrix(x, n, q);
    for (int64_t s = 0; s < steps; s++) {
        double last = INFINITY, now = 0, size;

        for (int k = 0; k < 100; k++, last = now) {
            size = 0;
            for (int64_t i = 0; i < n; i++)
                for (int j = 0; j < 3; j++) {
                    double ph = h / 2 * ((j == 2 ? -GRAVITY : 0) - pull(x, n, i, j, x->L)),
                           q1 = q[3 * i + j] + h * (p[3 * i + j] + ph);
                    x->ph[3 * i + j] = ph, x->q1[3 * i + j] = q1, size = fabs(q1) > size ? fabs(q1) : size;
                }
            for (int64_t i = 0; i < n; i++) {
                double u = between(x->q1, i, 0), v = between(x->q1, i, 1), w = between(x->q1, i, 2);
                x->r[i] = u * u + v * v + w * w - link2;
            }
            x->iterations++;
            now = worst_of(x, n, size);
            if (now <= 4 || (now >= last && now <= 1000)) break;
            solve(x, n, x->r);
            for (int64_t i = 0; i < n; i++) x->L[i] += 2 / (h * h) * x->r[i];
        }
        memcpy(q, x->q1, (size_t)(3 * n) * sizeof *q);
        matrix(x, n, q);
        for (int64_t i = 0; i < n; i++) x->ph[3 * i + 2] -= h / 2 * GRAVITY;
        for (int64_t i = 0; i < 3 * n; i++) p[i] += x->ph[i];
        for (int k = 0; k < 100; k++, last = now) {
            size = 0;
            if (!k) last = INFINITY;
            for (int64_t i = 0; i < 3 * n; i++) size = fabs(p[i]) > size ? fabs(p[i]) : size;
            for (int64_t i = 0; i < n; i++) {
                x->r[i] = 0;
                for (int j = 0; j < 3; j++) x->r[i] += 2 * x->c[3 * i + j] * between(p, i, j);
            }
            now = worst_of(x, n, size);
            if (now <= 4 || (now >= last && now <= 1000)) break;
            solve(x, n, x->r);
            for (int64_t i = 0; i < n; i++)
                for (int j = 0; j < 3; j++) p[3 * i + j] -= pull(x, n, i, j, x->r);
        }
    }
}

static loop loop_for(int64_t n)
{
    size_t b = (size_t)n * sizeof(double);
    return (
        loop){ malloc(b), malloc(b), malloc(3 * b), calloc((size_t)n, 8), malloc(b), malloc(3 * b), malloc(3 * b), 0 };
}

static void loop_free(loop *x) { free(x->d), free(x->l), free(x->c), free(x->L), free(x->r), free(x->q1), free(x->ph); }
#endif
