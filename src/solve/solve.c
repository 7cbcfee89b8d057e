/* solve.c - fixed-point and Newton iteration for x = g(x). SPDX-License-Identifier: BSD-3-Clause
 *
 * Both go on until the changes stop shrinking at the level of round-off (HLW VIII.6): no tolerance to choose. */
#include "solve.h"
#include "core/lu.h"

#include <math.h>
#include <string.h>

static const double noise = 0x1p-42, far = 0x1p-7;

/* What changes are compared with is at least so large: below, the distance between numbers is no longer relative. */
static const double smallest = 0x1p-980;

int64_t lbr_solve_size(int64_t n, int newton) { return 3 * n + (newton ? n * n + n : 0); }

/* The largest change, relative to the size of its block; NaN as soon as there is one. */
static double change_of(lbr_equation *q, const double *x, const double *y)
{
    double most = 0;

    for (int64_t from = 0, to = q->split; from < q->n && most == most; from = to, to = q->n) {
        double d = 0, size = fmax(q->size[from > 0], smallest);
        int64_t worst = from;

        for (int64_t i = from; i < to && d == d; i++) {
            if (!(fabs(x[i] - y[i]) <= d)) d = fabs(x[i] - y[i]), worst = i;
            size = fmax(size, fmax(fabs(x[i]), fabs(y[i])));
        }
        d = d > 0 ? d / size : d;
        if (!(d <= most)) most = d, q->worst = worst;
    }
    return q->change = most;
}

typedef enum { SOLVED, NOT_SOLVED, CALL_FAILED } outcome;

/* Is the iteration at an end? now: this change, last: the one before. */
static int settled(double now, double last) { return now == 0 || (now >= last && now <= noise); }

static outcome fixed_point(lbr_equation *q, double *x, double *next)
{
    double last = INFINITY, now;

    for (q->iterations = 1; q->iterations <= q->most; q->iterations++) {
        if (q->g(q->ctx, x, next)) return CALL_FAILED;
        now = change_of(q, x, next);
        memcpy(x, next, (size_t)q->n * sizeof *x);
        if (!(now < 1e60)) return NOT_SOLVED;
        if (settled(now, last)) return SOLVED;
        last = now;
    }
    q->iterations--;
    return last <= noise ? SOLVED : NOT_SOLVED;
}

/* I - g'(x) by differences, factorised; gx = g(x). */
static outcome matrix(const lbr_equation *q, double *x, const double *gx, double *column, double *M, int64_t *pivot)
{
    for (int64_t c = 0; c < q->n; c++) {
        double old = x[c], d = 0x1p-26 * fmax(fabs(old), q->size[c >= q->split] + 1e-300);

        x[c] = old + d;
        d = x[c] - old;
        if (q->g(q->ctx, x, column)) return x[c] = old, CALL_FAILED;
        x[c] = old;
        for (int64_t i = 0; i < q->n; i++) M[i * q->n + c] = (i == c) - (column[i] - gx[i]) / d;
    }
    return lbr_lu_factor(q->n, M, pivot) ? NOT_SOLVED : SOLVED;
}

/* The matrix is taken anew whenever the changes do not fall to a third. */
static outcome newton(lbr_equation *q, double *x, double *work, lbr_stats *stats)
{
    double *gx = work, *r = gx + q->n, *M = work + 3 * q->n, last = INFINITY, now, off;
    int64_t *pivot = (int64_t *)(M + q->n * q->n);
    int stale = 1;
    outcome made;

    for (q->iterations = 1; q->iterations <= q->most; q->iterations++) {
        if (q->g(q->ctx, x, gx)) return CALL_FAILED;
        if (stale && (made = matrix(q, x, gx, r, M, pivot)) != SOLVED) return made;
        stats->jacobian += stale;
        off = change_of(q, x, gx);
        for (int64_t i = 0; i < q->n; i++) r[i] = gx[i] - x[i];
        lbr_lu_solve(q->n, M, pivot, r);
        for (int64_t i = 0; i < q->n; i++) r[i] += x[i];
        now = change_of(q, x, r);
        memcpy(x, r, (size_t)q->n * sizeof *x);
        if (!(now < 1e60)) return NOT_SOLVED;
        if (settled(now, last)) return off <= far ? SOLVED : NOT_SOLVED;     /* a small change by a matrix that is wrong is no solution */
        stale = now > last / 3 && now > noise;
        last = now;
    }
    q->iterations--;
    return last <= noise ? SOLVED : NOT_SOLVED;
}

static outcome counted(lbr_equation *q, lbr_stats *stats, outcome out)
{
    stats->iterations += q->iterations;
    if (q->iterations > stats->worst) stats->worst = q->iterations;
    return out;
}

lbr_status lbr_solve(lbr_equation *q, double *x, double *work, lbr_stats *stats)
{
    double *first = work + 2 * q->n;
    outcome out = NOT_SOLVED;

    q->change = NAN, q->worst = 0;
    memcpy(first, x, (size_t)q->n * sizeof *x);
    if (q->newton != 1) out = counted(q, stats, fixed_point(q, x, work));
    if (q->newton && out != SOLVED) {
        memcpy(x, first, (size_t)q->n * sizeof *x);
        out = counted(q, stats, newton(q, x, work, stats));
    }
    return out == SOLVED ? LBR_OK : out == CALL_FAILED ? LBR_ECALLBACK : LBR_ENOCONV;
}
