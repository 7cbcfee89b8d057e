/* solve.c - fixed-point and Newton iteration for x = g(x). SPDX-License-Identifier: BSD-3-Clause
 *
 * Both go on until the changes stop shrinking at the level of round-off (iteration.h). Derivatives are differences: a
 * matrix of them, or, where that would be too large, products with vectors (gmres.h). */
#include "solve.h"
#include "core/difference.h"
#include "core/largest.h"
#include "core/lu.h"
#include "gmres.h"

#include <math.h>
#include <string.h>

/* Of equations that are too many for a matrix: an increment that solves them so far makes the iteration contract as
 * much; one that leaves more than POOR is none. */
#define ENOUGH 0x1p-10
#define POOR   0.25
enum { PRODUCTS_MOST = 400 };

int64_t lbr_solve_size(int64_t n, int newton)
{
    if (!newton) return 3 * n;
    return 3 * n + (n <= LBR_SOLVE_MATRIX_MOST ? n * n + n : n + lbr_gmres_size(n));
}

/* The largest change, relative to the size of its block; NaN as soon as there is one. */
static double change_of(lbr_equation *q, const double *x, const double *y)
{
    double most = 0;

    for (int64_t from = 0, to = q->split; from < q->n && most == most; from = to, to = q->n) {
        double d = 0, size = fmax(q->size[from > 0], LBR_SMALLEST);
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

static outcome fixed_point(lbr_equation *q, double *x, double *next)
{
    lbr_iteration i = lbr_increments_begin();

    for (q->iterations = 1; q->iterations <= q->most; q->iterations++) {
        lbr_course verdict;

        if (q->g(q->ctx, x, next)) return CALL_FAILED;
        verdict = lbr_iteration_next(&i, change_of(q, x, next));
        memcpy(x, next, (size_t)q->n * sizeof *x);
        if (verdict == LBR_RUNS_AWAY) return NOT_SOLVED;
        if (verdict == LBR_IS_SETTLED) return SOLVED;
    }
    q->iterations--;
    return i.now <= i.small ? SOLVED : NOT_SOLVED;
}

/* I - g'(x) by differences, factorised; gx = g(x). */
static outcome matrix(const lbr_equation *q, double *x, const double *gx, double *column, double *M, int64_t *pivot)
{
    for (int64_t c = 0; c < q->n; c++) {
        double old = x[c], d = LBR_FORWARD * fmax(fabs(old), q->size[c >= q->split] + 1e-300);

        x[c] = old + d;
        d = x[c] - old;
        if (q->g(q->ctx, x, column)) return x[c] = old, CALL_FAILED;
        x[c] = old;
        for (int64_t i = 0; i < q->n; i++) M[i * q->n + c] = (i == c) - (column[i] - gx[i]) / d;
    }
    return lbr_lu_factor(q->n, M, pivot) ? NOT_SOLVED : SOLVED;
}

/* Where x is, what g is there, room. */
typedef struct tangent {
    const lbr_equation *q;
    const double *x, *gx;
    double *at;
} tangent;

static double unit(const lbr_equation *q, int64_t i)
{
    double size = q->size[i >= q->split];

    return size > 0 ? size : 1;
}

/* out = v - g'(x) v, all in units of their blocks. */
static int product(void *ctx, const double *v, double *out)
{
    const tangent *t = ctx;
    const lbr_equation *q = t->q;
    double far = lbr_largest_or_nan(q->n, v), e = LBR_FORWARD / far;

    if (far == 0) return memset(out, 0, (size_t)q->n * sizeof *out), 0;
    for (int64_t i = 0; i < q->n; i++) t->at[i] = t->x[i] + e * v[i] * unit(q, i);
    if (q->g(q->ctx, t->at, out)) return 1;
    for (int64_t i = 0; i < q->n; i++) out[i] = v[i] - (out[i] - t->gx[i]) / (e * unit(q, i));
    return 0;
}

/* r <- (I - g'(x))^-1 r, nearly. */
static outcome by_products(const lbr_equation *q, const double *x, const double *gx, double *r, double *room)
{
    tangent t = { q, x, gx, room };
    lbr_gmres g = { .n = q->n, .product = product, .ctx = &t, .tolerance = ENOUGH, .most = PRODUCTS_MOST };
    lbr_gmres_outcome out;

    for (int64_t i = 0; i < q->n; i++) r[i] /= unit(q, i);
    out = lbr_gmres_solve(&g, r, room + q->n);
    for (int64_t i = 0; i < q->n; i++) r[i] *= unit(q, i);
    return out == LBR_GMRES_FAILED ? CALL_FAILED : g.left <= POOR ? SOLVED : NOT_SOLVED;
}

/* r <- the increment of x; M is its matrix, or room where that would be too large. stale: it is made anew. */
static outcome increment(const lbr_equation *q, double *x, const double *gx, double *r, double *M, int stale)
{
    int64_t *pivot = (int64_t *)(M + q->n * q->n);
    int small = q->n <= LBR_SOLVE_MATRIX_MOST;
    outcome made = small && stale ? matrix(q, x, gx, r, M, pivot) : SOLVED;

    if (made != SOLVED) return made;
    for (int64_t i = 0; i < q->n; i++) r[i] = gx[i] - x[i];
    if (!small) return by_products(q, x, gx, r, M);
    lbr_lu_solve(q->n, M, pivot, r);
    return SOLVED;
}

/* Whether x is a solution as far as x - g(x) tells, which is `off`, relative to x: where it is not small, whether
 * rounding of what x is compared with makes as much of it. nudged, room: n numbers each. */
static outcome is_solution(lbr_equation *q, const double *x, const double *gx, double *nudged, double *room, double off)
{
    const double change = q->change;
    const int64_t worst = q->worst;
    double noise;

    if (off <= LBR_NEAR) return SOLVED;
    for (int64_t i = 0; i < q->n; i++)
        nudged[i] = x[i] + (LBR_NUDGED - 1) * (fabs(x[i]) + fmax(q->size[i >= q->split], 0));
    if (q->g(q->ctx, nudged, room)) return CALL_FAILED;
    noise = change_of(q, gx, room), q->change = change, q->worst = worst;
    return off <= noise ? SOLVED : NOT_SOLVED;
}

/* The matrix is taken anew whenever the changes do not fall to a third. */
static outcome newton(lbr_equation *q, double *x, double *work, lbr_stats *stats)
{
    double *gx = work, *r = gx + q->n, *M = work + 3 * q->n, off;
    lbr_iteration it = lbr_newton_begin();
    lbr_course verdict;
    int stale = 1;
    outcome made;

    for (q->iterations = 1; q->iterations <= q->most; q->iterations++) {
        if (q->g(q->ctx, x, gx)) return CALL_FAILED;
        off = change_of(q, x, gx);
        if ((made = increment(q, x, gx, r, M, stale)) != SOLVED) return made;
        stats->jacobian += stale;
        for (int64_t i = 0; i < q->n; i++) r[i] += x[i];
        verdict = lbr_iteration_next(&it, change_of(q, x, r));
        memcpy(x, r, (size_t)q->n * sizeof *x);
        if (verdict == LBR_RUNS_AWAY) return NOT_SOLVED;
        if (verdict == LBR_IS_SETTLED)
            return is_solution(q, x, gx, r, M, off); /* a small change by a matrix that is wrong is no solution */
        stale = it.now > it.last / 3 && it.now > it.small;
    }
    q->iterations--;
    return lbr_iteration_small(&it) ? SOLVED : NOT_SOLVED;
}

static outcome counted(lbr_equation *q, lbr_stats *stats, outcome out)
{
    lbr_count_iterations(stats, q->iterations, q->iterations);
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
