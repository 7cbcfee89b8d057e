/* energy.c - steps that keep H on a Kepler orbit, against loops written for it.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "bench.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { ROUNDS = 9, STEPS = 4000, POINTS = 4 };

static const double node[POINTS] = { 0.06943184420297371, 0.33000947820757187, 0.66999052179242813,
                                     0.93056815579702629 };
static const double weight[POINTS] = { 0.17392742256872693, 0.32607257743127307, 0.32607257743127307,
                                       0.17392742256872693 };

static int slopes(double t, const double *s, double *out, void *ctx)
{
    return (void)t, (void)ctx, out[0] = 0.5 / (s[0] * sqrt(s[0])), 0;
}

static const int64_t first[] = { 0 }, second[] = { -1 };
static const lbr_pairs pairs = { sizeof pairs, 1, 2, first, second, slopes };

/* The callbacks, as ours has them: called through pointers. */
static lbr_fn volatile force_of = kepler_force, slopes_of = slopes;

/* The mean of the gradient by four points of Gauss, iterated until it stops changing. */
static void mean(double h, int64_t n, double *y)
{
    lbr_fn force = force_of;

    for (int64_t s = 0; s < n; s++) {
        double d[4] = { 0 }, last = INFINITY, before = INFINITY, f[2], x[2];

        for (int k = 0; k < 100; k++) {
            double g[2] = { 0, 0 }, e[4], change = 0;

            for (int i = 0; i < POINTS; i++) {
                x[0] = y[0] + node[i] * d[0], x[1] = y[1] + node[i] * d[1];
                force(0, x, f, NULL);
                g[0] += weight[i] * f[0], g[1] += weight[i] * f[1];
            }
            e[0] = h * (y[2] + d[2] / 2), e[1] = h * (y[3] + d[3] / 2), e[2] = h * g[0], e[3] = h * g[1];
            for (int i = 0; i < 4; i++) change = fmax(change, fabs(e[i] - d[i])), d[i] = e[i];
            if (change <= DBL_EPSILON || change >= before) break;
            before = last, last = change;
        }
        for (int i = 0; i < 4; i++) y[i] += d[i];
    }
}

/* HLW V.5.3 with the mean of W' in place of the quotient. */
static void modified(double h, int64_t n, double *y)
{
    lbr_fn slope = slopes_of;

    for (int64_t s = 0; s < n; s++) {
        double d[4] = { 0 }, last = INFINITY, before = INFINITY, s0 = y[0] * y[0] + y[1] * y[1];

        for (int k = 0; k < 100; k++) {
            double sigma = 0, e[4], change = 0, q[2] = { y[0] + d[0] / 2, y[1] + d[1] / 2 },
                   grown = 2 * (q[0] * d[0] + q[1] * d[1]), at, w;

            for (int i = 0; i < POINTS; i++) at = s0 + node[i] * grown, slope(0, &at, &w, NULL), sigma += weight[i] * w;
            e[0] = h * (y[2] + d[2] / 2), e[1] = h * (y[3] + d[3] / 2), e[2] = -2 * h * sigma * q[0],
            e[3] = -2 * h * sigma * q[1];
            for (int i = 0; i < 4; i++) change = fmax(change, fabs(e[i] - d[i])), d[i] = e[i];
            if (change <= DBL_EPSILON || change >= before) break;
            before = last, last = change;
        }
        for (int i = 0; i < 4; i++) y[i] += d[i];
    }
}

int main(void)
{
    static const struct {
        const char *method;
        void (*by_hand)(double, int64_t, double *);
    } row[] = { { "discrete-gradient(mean)", mean },
                { "discrete-gradient(gonzalez)", mean },
                { "discrete-gradient(itoh-abe)", mean },
                { "modified-midpoint", modified } };
    problem p = kepler();

    p.system.pairs = &pairs;
    printf("steps that keep H, Kepler, e = 0.6, h = 0.02, through callbacks: ns per step; by hand: always four points\n"
           "%-30s%10s%10s%10s%14s%12s\n",
           "", "ours", "by hand", "ratio", "difference", "H, ours");
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        double ours = 1e300, hand = 1e300, y[4], z[4], t, H, H0;

        for (int r = 0; r < ROUNDS; r++) {
            lbr_plan *plan = plan_or_exit(row[k].method, &p.system, NULL);

            if (lbr_start(plan, 0, 0.02, p.y)) exit(1);
            t = now();
            if (lbr_run(plan, STEPS, 0, NULL, NULL)) exit(1);
            ours = fmin(ours, 1e9 * (now() - t) / STEPS), lbr_read(plan, NULL, y), lbr_plan_free(plan);
            memcpy(z, p.y, sizeof z);
            t = now(), row[k].by_hand(0.02, STEPS, z), hand = fmin(hand, 1e9 * (now() - t) / STEPS);
        }
        kepler_energy(0, y, &H, NULL), kepler_energy(0, p.y, &H0, NULL);
        printf("%-30s%10.0f%10.0f%10.2f%14.1e%12.1e\n", row[k].method, ours, hand, ours / hand,
               fmax(fabs(y[0] - z[0]), fabs(y[1] - z[1])), fabs(H - H0));
    }
    return 0;
}
