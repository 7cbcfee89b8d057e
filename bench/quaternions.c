/* quaternions.c - rigid bodies with quaternions against loops written for one of them.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "bench.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 21, STEPS = 50000 };

static const double I[3] = { 0.5, 0.85, 1 }, h = 0.1;

/* U = q33: the torque -e3' x e3 in the body, e3' = Q^T e3. */
static int torque(double t, const double *y, double *out, void *ctx)
{
    return (void)t, (void)ctx, out[0] = 2 * (y[2] * y[3] + y[0] * y[1]), out[1] = -2 * (y[1] * y[3] - y[0] * y[2]),
                               out[2] = 0, 0;
}

/* Called through a pointer, as ours is. */
static lbr_fn volatile torque_of = torque;

/* One free step: HLW VII.5.24 put right, e1, e2, e3 in turn, and the attitude, whose length is put right to first
 * order. */
static inline void free_step(double *q, double *y)
{
    const double a = I[2] - I[1], b = I[0] - I[2], c = I[1] - I[0], m1 = h / 2 * y[0], m2 = h / 2 * y[1],
                 m3 = h / 2 * y[2];
    double e0 = 1, e1 = m1 / I[0], e2 = m2 / I[1], e3 = m3 / I[2], last = INFINITY, p, r, s, t, length;

    for (int k = 0; k < 100; k++) {
        double n1 = (m1 - a * e2 * e3) / (e0 * I[0]), n2 = (m2 - b * e3 * n1) / (e0 * I[1]),
               n3 = (m3 - c * n1 * n2) / (e0 * I[2]), n0 = sqrt(1 - (n1 * n1 + n2 * n2 + n3 * n3));
        double now = fabs(n1 - e1) + fabs(n2 - e2) + fabs(n3 - e3) + fabs(n0 - e0);

        e0 = n0, e1 = n1, e2 = n2, e3 = n3;
        if (now == 0 || (now >= last && now < 0x1p-42)) break;
        last = now;
    }
    y[0] -= 4 / h * a * e2 * e3, y[1] -= 4 / h * b * e3 * e1, y[2] -= 4 / h * c * e1 * e2;
    p = q[0] * e0 - q[1] * e1 - q[2] * e2 - q[3] * e3, r = q[1] * e0 + q[0] * e1 + q[2] * e3 - q[3] * e2;
    s = q[2] * e0 + q[0] * e2 + q[3] * e1 - q[1] * e3, t = q[3] * e0 + q[0] * e3 + q[1] * e2 - q[2] * e1;
    length = 1.5 - 0.5 * (p * p + r * r + s * s + t * t);
    q[0] = p * length, q[1] = r * length, q[2] = s * length, q[3] = t * length;
}

static void free_body(int64_t n, double *y)
{
    for (int64_t k = 0; k < n; k++) free_step(y, y + 4);
}

static void heavy_top(int64_t n, double *y)
{
    lbr_fn f = torque_of;
    double d[3];

    f(0, y, d, NULL);
    for (int64_t k = 0; k < n; k++) {
        for (int i = 0; i < 3; i++) y[4 + i] += (k ? h : h / 2) * d[i];
        free_step(y, y + 4);
        f((double)(k + 1) * h, y, d, NULL);
    }
    for (int i = 0; i < 3; i++) y[4 + i] += h / 2 * d[i];
}

int main(void)
{
    static lbr_bodies still = { .size = sizeof still, .n = 1, .inertia = I },
                      pulled = { .size = sizeof pulled, .n = 1, .inertia = I, .forces = torque };
    static const struct {
        const char *name;
        const lbr_bodies *bodies;
        void (*by_hand)(int64_t, double *);
    } row[] = { { "free body", &still, free_body }, { "heavy top", &pulled, heavy_top } };
    const double start[7] = { 0.4, 0.2, 0.4, 0.8, 0.2, 1, 0.4 };
    int missed = 0;

    printf("rattle on rigid bodies with quaternions, through callbacks: ns per step\n"
           "%-14s%10s%10s%10s%14s%14s\n",
           "", "ours", "by hand", "ratio", "iterations", "difference");
    for (int k = 0; k < 2; k++) {
        lbr_system s = LBR_SYSTEM(.name = row[k].name, .dim = 7, .bodies = row[k].bodies);
        double ours = 1e300, hand = 1e300, y[7], z[7], t, iterations = 0, off = 0;

        for (int r = 0; r < ROUNDS; r++) {
            lbr_plan *plan = plan_or_exit("rattle", &s, NULL);

            if (lbr_start(plan, 0, h, start)) exit(1);
            t = now();
            if (lbr_run(plan, STEPS, 0, NULL, NULL)) exit(1);
            ours = fmin(ours, 1e9 * (now() - t) / STEPS), lbr_read(plan, NULL, y),
            iterations = (double)lbr_plan_stats(plan)->iterations / STEPS, lbr_plan_free(plan);
            memcpy(z, start, sizeof z);
            t = now(), row[k].by_hand(STEPS, z), hand = fmin(hand, 1e9 * (now() - t) / STEPS);
        }
        for (int i = 0; i < 7; i++) off = fmax(off, fabs(y[i] - z[i]));
        missed += ours > 1.2 * hand;
        printf("%-14s%10.1f%10.1f%10.2f%14.2f%14.1e\n", row[k].name, ours, hand, ours / hand, iterations, off);
    }
    printf("asked: 1.2; %d not met\n", missed);
    return 0;
}
