/* damped.c - F(x) = 0 by Newton's method with steps that are halved until they help.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The matrix is made of differences, anew in each iteration; where F is small already, it stays as long as one step
 * makes F ten times smaller. For equations that simpler iterations have not solved: it is dense and asks for F n times.
 */
#include "damped.h"
#include "core/lu.h"

#include <math.h>
#include <string.h>

static const double small = 0x1p-40, shortest = 0x1p-12; /* of sizes of F; of steps */

typedef struct room {
    double *J, *F, *step, *trial, *other;
    int64_t *pivot;
} room;

int64_t lbr_damped_size(int64_t n) { return n * n + 5 * n; }

static int jacobian(const lbr_damped *q, const double *x, const room *r)
{
    double size;

    memcpy(r->trial, x, (size_t)q->n * sizeof *x);
    for (int64_t j = 0; j < q->n; j++) {
        double e;

        r->trial[j] = x[j] + 0x1p-24 * q->scale[j], e = r->trial[j] - x[j];
        if (e == 0 || q->F(q->ctx, r->trial, r->other, &size)) return 1;
        for (int64_t i = 0; i < q->n; i++) r->J[i * q->n + j] = (r->other[i] - r->F[i]) / e;
        r->trial[j] = x[j];
    }
    return lbr_lu_factor(q->n, r->J, r->pivot) != 0;
}

/* x goes along a step as far as F becomes smaller. 0: nowhere. */
static int go(lbr_damped *q, double *x, const room *r)
{
    double least = q->size <= small ? 1 : shortest, size;

    memcpy(r->step, r->F, (size_t)q->n * sizeof *r->step);
    lbr_lu_solve(q->n, r->J, r->pivot, r->step);
    for (double by = 1; by >= least; by /= 2) {
        for (int64_t j = 0; j < q->n; j++) r->trial[j] = x[j] - by * r->step[j];
        if (q->F(q->ctx, r->trial, r->other, &size) || !(size < (1 - by / 8) * q->size)) continue;
        memcpy(x, r->trial, (size_t)q->n * sizeof *x), memcpy(r->F, r->other, (size_t)q->n * sizeof *r->F);
        q->size = size;
        return 1;
    }
    return 0;
}

int lbr_damped_newton(lbr_damped *q, double *x, double *work)
{
    int64_t n = q->n;
    room r = { .J = work,
               .F = work + n * n,
               .step = work + n * n + n,
               .trial = work + n * n + 2 * n,
               .other = work + n * n + 3 * n,
               .pivot = (int64_t *)(work + n * n + 4 * n) };
    int fresh = 0;

    q->iterations = 0, q->size = INFINITY;
    if (q->F(q->ctx, x, r.F, &q->size) || !(q->size < INFINITY)) return 1;
    while (q->size > 0 && q->iterations < q->most) {
        double before = q->size;

        if (!fresh && jacobian(q, x, &r)) break;
        q->iterations++;
        if (!go(q, x, &r)) {
            if (!fresh) break; /* with a matrix of this place it does not help either */
            fresh = 0;
            continue;
        }
        fresh = q->size <= small && q->size < 0.1 * before;
    }
    return q->F(q->ctx, x, r.F, &q->size) != 0;
}
