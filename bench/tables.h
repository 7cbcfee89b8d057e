/* tables.h - coefficients for the loops written by hand. SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_TABLES_H
#define BENCH_TABLES_H
#include "floors.h"

#include <stdlib.h>

/* The steps of a composition of the catalogue. */
static inline void composition_table(const char *name, table *t)
{
    for (int64_t i = 0; i < lbr_catalogue_size(); i++) {
        const lbr_method *m = lbr_catalogue(i);
        int64_t s = m->half ? 2 * m->b.n - 1 : m->b.n;

        if (strcmp(m->name, name)) continue;
        for (int64_t j = 0; j < s; j++) t->b[j] = strtod(m->b.text[j < m->b.n ? j : s - 1 - j], NULL);
    }
}

/* The Legendre polynomial of degree s at x, and its derivative. */
static inline double legendre(int s, double x, double *slope)
{
    double last = 1, p = x;

    for (int k = 2; k <= s; k++) {
        double next = ((2 * k - 1) * x * p - (k - 1) * last) / k;
        last = p, p = next;
    }
    *slope = s * (x * p - last) / (x * x - 1);
    return p;
}

/* The integral of l_j(x) (end - x) over [from, end], by the quadrature formula itself; plain: of l_j. */
static inline double lagrange_integral(int s, const table *t, int j, double from, double length, int plain)
{
    double sum = 0;

    for (int k = 0; k < s; k++) {
        double product = length * t->b[k] * (plain ? 1 : length * (1 - t->c[k]));

        for (int i = 0; i < s; i++)
            if (i != j) product *= (from + length * t->c[k] - t->c[i]) / (t->c[j] - t->c[i]);
        sum += product;
    }
    return sum;
}

/* Gauss (HLW II.1.3), and the first iterate from the step before (HLW VIII.6.3). */
static inline void gauss_table(int s, table *t)
{
    for (int i = 0; i < s; i++) {
        double x = -cos(3.14159265358979324 * (i + 0.75) / (s + 0.5)), slope, p = 1;

        for (int k = 0; k < 20 && p != 0; k++) p = legendre(s, x, &slope), x -= p / slope;
        legendre(s, x, &slope);
        t->c[i] = (1 + x) / 2;
        t->b[i] = 1 / ((1 - x * x) * slope * slope);
    }
    for (int i = 0; i < s; i++)
        for (int j = 0; j < s; j++) {
            t->AA[i * s + j] = 0;
            for (int k = 0; k < s; k++)
                t->AA[i * s + j] += lagrange_integral(s, t, k, 0, t->c[i], 1) *
                                    lagrange_integral(s, t, j, 0, t->c[k], 1);
            t->SS[i * s + j] = lagrange_integral(s, t, j, 1, t->c[i], 0);
        }
    for (int j = 0; j < s; j++) t->bA[j] = t->b[j] * (1 - t->c[j]); /* HLW II.1: Gauss satisfies D(1) */
}

/* X <- M^-1 X, with m columns; M is lost. */
static inline void solve_table(int n, double *M, int m, double *X)
{
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++) {
            double f = M[i * n + k] / M[k * n + k];

            if (i == k) continue;
            for (int j = k; j < n; j++) M[i * n + j] -= f * M[k * n + j];
            for (int j = 0; j < m; j++) X[i * m + j] -= f * X[k * m + j];
        }
    for (int k = 0; k < n; k++)
        for (int j = 0; j < m; j++) X[k * m + j] /= M[k * n + k];
}

/* Polynomials up to degree r - 1 at x in [0, 3], which are about one there. */
static inline double some_polynomial(int k, double x) { return cos(k * acos(1 - 2 * x / 3)); }

/* The first iterate from two steps: F is foretold exactly where it is a polynomial of degree s + 2 (at most 9), with
 * the shortest rows; and put into the equations. */
static inline void two_step_table(int s, table *t)
{
    int r = s + 3 < 10 ? s + 3 : 10, n = 2 * s;
    double V[160], W[80], Q[100];

    for (int k = 0; k < r; k++)
        for (int j = 0; j < 3 * s; j++)
            *(j < n ? &V[k * n + j] : &W[k * s + j - n]) = some_polynomial(k, t->c[j % s] + j / s);
    for (int k = 0; k < r; k++)
        for (int l = 0; l < r; l++) {
            Q[k * r + l] = 0;
            for (int j = 0; j < n; j++) Q[k * r + l] += V[k * n + j] * V[l * n + j];
        }
    solve_table(r, Q, s, W);
    memset(t->last, 0, sizeof t->last), memset(t->before, 0, sizeof t->before);
    for (int i = 0; i < s; i++)
        for (int m = 0; m < s; m++)
            for (int j = 0; j < n; j++)
                for (int k = 0; k < r; k++)
                    (j < s ? t->before : t->last)[i * s + j % s] += t->AA[i * s + m] * W[k * s + m] * V[k * n + j];
}

static inline void table_of(const char *method, table *t)
{
    if (!strncmp(method, "gauss:", 6)) gauss_table(atoi(method + 6), t), two_step_table(atoi(method + 6), t);
    else composition_table(method, t);
}
#endif
