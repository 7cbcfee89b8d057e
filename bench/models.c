/* models.c - the functions that a model gives to plans, called as plans call them, against the same forces written in
 * C. SPDX-License-Identifier: BSD-3-Clause
 *
 * Uses the inside of the library. The C is compiled for x86-64-v3, with fma where it pays. The difference column tells
 * that both compute the same. */
#if defined __x86_64__ && !defined __clang__
    #pragma GCC target("avx2,fma,bmi,bmi2")
#endif
#include "model/model_system.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void)
{
    struct timespec t;

    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* --- by hand ----------------------------------------------------------------------------------------------------- */

static void henon_heiles(const double *q, double *f)
{
    f[0] = -fma(2 * q[0], q[1], q[0]), f[1] = fma(q[1], q[1], -fma(q[0], q[0], q[1]));
}

static void kepler(const double *q, double *f)
{
    double r2 = fma(q[0], q[0], q[1] * q[1]), w = -1 / (r2 * sqrt(r2));

    f[0] = w * q[0], f[1] = w * q[1];
}

static void solar(const double *q, double *f)
{
    static const double m[6] = { 1.00000597682,      0.000954786104043,  0.000285583733151,
                                 0.0000437273164546, 0.0000517759138449, 1 / 1.3e8 };

    memset(f, 0, 18 * sizeof *f);
    for (int i = 1; i < 6; i++)
        for (int j = 0; j < i; j++) {
            double x = q[3 * i] - q[3 * j], y = q[3 * i + 1] - q[3 * j + 1], z = q[3 * i + 2] - q[3 * j + 2],
                   r2 = fma(x, x, fma(y, y, z * z));
            double w = 2.95912208286e-4 * m[i] * m[j] / (r2 * sqrt(r2));

            f[3 * i] = fma(-w, x, f[3 * i]), f[3 * i + 1] = fma(-w, y, f[3 * i + 1]),
                  f[3 * i + 2] = fma(-w, z, f[3 * i + 2]);
            f[3 * j] = fma(w, x, f[3 * j]), f[3 * j + 1] = fma(w, y, f[3 * j + 1]),
                  f[3 * j + 2] = fma(w, z, f[3 * j + 2]);
        }
}

static void argon(const double *q, double *f)
{
    const double eps = 119.8 * 1.380658e-23, s2 = 0.341 * 0.341;

    memset(f, 0, 14 * sizeof *f);
    for (int i = 1; i < 7; i++)
        for (int j = 0; j < i; j++) {
            double x = q[2 * i] - q[2 * j], y = q[2 * i + 1] - q[2 * j + 1], u = 1 / fma(x, x, y * y), a = s2 * u,
                   a3 = a * a * a, w = 24 * eps * u * fma(2 * a3, a3, -a3);

            f[2 * i] = fma(w, x, f[2 * i]), f[2 * i + 1] = fma(w, y, f[2 * i + 1]), f[2 * j] = fma(-w, x, f[2 * j]),
                  f[2 * j + 1] = fma(-w, y, f[2 * j + 1]);
        }
}

enum { BODIES = 1000, RING = 64 };

static void nbody(const double *q, double *f)
{
    const double c = 1.0 / ((double)BODIES * BODIES), soft = 0.02 * 0.02;

    memset(f, 0, 3 * BODIES * sizeof *f);
    for (int i = 1; i < BODIES; i++) {
        double X = q[3 * i], Y = q[3 * i + 1], Z = q[3 * i + 2], a = 0, b = 0, d = 0;

        for (int j = 0; j < i; j++) {
            double x = X - q[3 * j], y = Y - q[3 * j + 1], z = Z - q[3 * j + 2],
                   r2 = fma(x, x, fma(y, y, fma(z, z, soft))), w = c / (r2 * sqrt(r2));

            a = fma(w, x, a), b = fma(w, y, b), d = fma(w, z, d);
            f[3 * j] = fma(w, x, f[3 * j]), f[3 * j + 1] = fma(w, y, f[3 * j + 1]),
                  f[3 * j + 2] = fma(w, z, f[3 * j + 2]);
        }
        f[3 * i] -= a, f[3 * i + 1] -= b, f[3 * i + 2] -= d;
    }
}

/* The whole field: u' = H_v, v' = -H_u. */
static void schroedinger(const double *y, double *f)
{
    const double dx = 2 * acos(-1.0) / RING, c = 1 / (dx * dx);
    const double *u = y, *v = y + RING;

    for (int k = 0; k < RING; k++) {
        int next = k + 1 < RING ? k + 1 : 0, last = k ? k - 1 : RING - 1;
        double rho = fma(u[k], u[k], v[k] * v[k]);

        f[k] = fma(c, 2 * v[k] - v[next] - v[last], -rho * v[k]),
        f[RING + k] = -fma(c, 2 * u[k] - u[next] - u[last], -rho * u[k]);
    }
}

/* --- both, in turn ----------------------------------------------------------------------------------------------- */

static const struct row {
    const char *model;
    void (*by_hand)(const double *y, double *f);
    int64_t each;
    const char *unit;
} rows[] = {
    { "henon-heiles", henon_heiles, 1, "" },
    { "kepler", kepler, 1, "" },
    { "outer-solar-system", solar, 1, "" },
    { "argon", argon, 1, "" },
    { "schroedinger", schroedinger, RING, "per point" },
    { "nbody", nbody, BODIES *(BODIES - 1) / 2, "per pair" },
};

enum { REPEATS = 7 };
static double sink;

/* The least of several times of n evaluations, each beginning at a place that depends on the one before. */
static double least(const struct row *row, const lbr_system *s, double *y, double *f, int ours, int64_t n)
{
    double best = 1e300;

    for (int r = 0; r < REPEATS; r++) {
        double t = now(), y0 = y[0];

        for (int64_t i = 0; i < n; i++) {
            if (!ours) row->by_hand(y, f);
            else if ((s->force ? s->force : s->field)(0, y, f, s->ctx)) exit(1);
            y[0] = fma(1e-300, f[0], y0);
        }
        sink += f[0];
        best = fmin(best, now() - t);
    }
    return best / (double)n * 1e9;
}

static void measure(const struct row *row)
{
    lbr_source source;
    lbr_model *m = NULL;
    const lbr_system *s;
    lbr_message message = { 0 };
    double start = now(), *f[2], apart = 0, most = 0, ns[2];
    int64_t n, len;

    if (lbr_source_open(&source, row->model) || lbr_model_make(&m, &source, NULL, 0) ||
        !(s = lbr_model_system(m, &message))) {
        printf("%s: %s\n", row->model, source.message ? source.message : message.text);
        exit(1);
    }
    start = now() - start, len = s->force ? s->nq : s->dim;
    f[0] = calloc((size_t)s->dim, sizeof **f), f[1] = calloc((size_t)s->dim, sizeof **f);
    n = (int64_t)(2e7 / (40.0 + 8.0 * (double)row->each)) + 1;
    for (int ours = 0; ours < 2; ours++) ns[ours] = least(row, s, m->y0, f[ours], ours, n) / (double)row->each;
    for (int64_t i = 0; i < len; i++) apart = fmax(apart, fabs(f[0][i] - f[1][i])), most = fmax(most, fabs(f[0][i]));
    printf("%-19s %9.2f %9.2f  %7.2f  %10.1e  %9.1f  %s\n", row->model, ns[1], ns[0], ns[1] / ns[0], apart / most,
           1e3 * start, row->unit);
    fflush(stdout);
    free(f[0]), free(f[1]), lbr_model_free(m), lbr_source_free(&source);
}

int main(void)
{
    printf("%-19s %9s %9s  %7s  %10s  %9s\n", "force (field), ns", "model", "by hand", "ratio", "difference",
           "load, ms");
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) measure(&rows[k]);
    return sink == 12345;
}
