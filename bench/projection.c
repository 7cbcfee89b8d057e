/* projection.c - projected steps of a rigid body on its sphere, against loops written for it.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "bench.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { ROUNDS = 15, STEPS = 20000 };

static int field(double t, const double *y, double *f, void *ctx)
{
    return (void)t, (void)ctx, f[0] = 0.5 * y[1] * y[2], f[1] = -y[2] * y[0], f[2] = 0.5 * y[0] * y[1],
                               0; /* I = (2, 1, 2/3) */
}

static int g(double t, const double *y, double *r, void *ctx)
{
    return (void)t, (void)ctx, r[0] = y[0] * y[0] + y[1] * y[1] + y[2] * y[2] - 1, 0;
}
static int G(double t, const double *y, double *r, void *ctx)
{
    return (void)t, (void)ctx, r[0] = 2 * y[0], r[1] = 2 * y[1], r[2] = 2 * y[2], 0;
}

static const lbr_manifold sphere = { .size = sizeof sphere, .m = 1, .g = g, .G = G };

/* The callbacks, as ours has them: called through pointers. */
static lbr_fn volatile field_of = field, g_of = g, G_of = G;

static double unit_of(const double *y, const double *d)
{
    double most = fmax(fabs(y[0]), fmax(fabs(y[1]), fabs(y[2])));

    return DBL_EPSILON * most * (fabs(d[0]) + fabs(d[1]) + fabs(d[2]));
}

static void standard(double h, int64_t n, double *y)
{
    lbr_fn f = field_of, value = g_of, gradient = G_of;

    for (int64_t s = 0; s < n; s++) {
        double k[4][3], x[3], d[3], r, last = INFINITY, now, N;

        f(0, y, k[0], NULL);
        for (int i = 0; i < 3; i++) x[i] = y[i] + h / 2 * k[0][i];
        f(0, x, k[1], NULL);
        for (int i = 0; i < 3; i++) x[i] = y[i] + h / 2 * k[1][i];
        f(0, x, k[2], NULL);
        for (int i = 0; i < 3; i++) x[i] = y[i] + h * k[2][i];
        f(0, x, k[3], NULL);
        for (int i = 0; i < 3; i++) y[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
        gradient(0, y, d, NULL), N = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        for (int j = 0; j < 100; j++, last = now) {
            value(0, y, &r, NULL), now = fabs(r) / unit_of(y, d);
            if (now <= 4 || now >= last) break;
            for (int i = 0; i < 3; i++) y[i] -= d[i] * r / N;
        }
    }
}

static void symmetric(double h, int64_t n, double *y)
{
    lbr_fn f = field_of, value = g_of, gradient = G_of;

    for (int64_t s = 0; s < n; s++) {
        double K[2][3], L[2][3], D0[3], D1[3], d[3], y1[3], from[3], x[3], defect[3],
            mu = 0, r, N = 0, change = INFINITY, last = INFINITY;

        gradient(0, y, D0, NULL), f(0, y, K[0], NULL), memcpy(K[1], K[0], sizeof K[0]);
        for (int i = 0; i < 3; i++) d[i] = h * K[0][i];
        for (int j = 0; j < 100; j++) {
            double along = 0, step, most = 0, size = 0;

            for (int i = 0; i < 3; i++) y1[i] = y[i] + d[i];
            gradient(0, y1, D1, NULL), value(0, y1, &r, NULL);
            if (change <= 0x1p-42 && (change == 0 || change >= last) && fabs(r) <= 4 * unit_of(y1, D1)) break;
            for (int i = 0; i < 3 && !j; i++) N += D1[i] * (D0[i] + D1[i]);
            for (int i = 0; i < 3; i++) from[i] = y[i] + mu * D0[i], x[i] = from[i] + h / 2 * (K[0][i] + K[1][i]);
            f(0, from, L[0], NULL), f(0, x, L[1], NULL);
            for (int i = 0; i < 3; i++)
                defect[i] = d[i] - mu * (D0[i] + D1[i]) - h / 2 * (L[0][i] + L[1][i]), along += D1[i] * defect[i];
            memcpy(K, L, sizeof K);
            step = (along - r) / N, mu += step;
            for (int i = 0; i < 3; i++) {
                double e = step * (D0[i] + D1[i]) - defect[i];

                d[i] += e, most = fmax(most, fabs(e)), size = fmax(size, fabs(y1[i]));
            }
            last = change, change = most / size;
        }
        for (int i = 0; i < 3; i++) y[i] += d[i];
    }
}

int main(void)
{
    static const struct {
        const char *method;
        void (*by_hand)(double, int64_t, double *);
    } row[] = { { "project(standard, rk4)", standard }, { "project(symmetric, trapezoidal)", symmetric } };
    static const lbr_system s = {
        .size = sizeof s, .name = "rigid body", .dim = 3, .field = field, .manifold = &sphere
    };
    const double start[3] = { cos(0.9), 0, sin(0.9) }, h = 0.1;

    printf("projections of a rigid body onto its sphere, through callbacks: ns per step\n"
           "%-34s%10s%10s%10s%14s\n",
           "", "ours", "by hand", "ratio", "difference");
    for (int k = 0; k < 2; k++) {
        double ours = 1e300, hand = 1e300, y[3], z[3], t;

        for (int r = 0; r < ROUNDS; r++) {
            lbr_plan *plan = plan_or_exit(row[k].method, &s, NULL);

            if (lbr_start(plan, 0, h, start)) exit(1);
            t = now();
            if (lbr_run(plan, STEPS, 0, NULL, NULL)) exit(1);
            ours = fmin(ours, 1e9 * (now() - t) / STEPS), lbr_read(plan, NULL, y), lbr_plan_free(plan);
            memcpy(z, start, sizeof z);
            t = now(), row[k].by_hand(h, STEPS, z), hand = fmin(hand, 1e9 * (now() - t) / STEPS);
        }
        printf("%-34s%10.1f%10.1f%10.2f%14.1e\n", row[k].method, ours, hand, ours / hand,
               fmax(fabs(y[0] - z[0]), fmax(fabs(y[1] - z[1]), fabs(y[2] - z[2]))));
    }
    return 0;
}
