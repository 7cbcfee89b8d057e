/* extrapolated.c - derivatives by differences that are extrapolated, with how far they are off.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Central differences with steps e, e/4, e/16, ... are extrapolated (Neville, Ridders); the best number of the table is
 * the one that differs least from its neighbours. Coarse steps see nothing of what is narrower than they are, and all
 * agree on a wrong number then: what does not agree with finer differences is made again without the coarsest. */
#include "inspect.h"
#include "core/largest.h"

#include <string.h>

enum { K = LBR_INSPECT_LEVELS };

typedef struct table {
    int64_t m;
    double *value, *noise; /* level by level, m numbers each */
    int n, even;
} table;

/* What rounding does to the difference of level k. tail: what it does to the last one, as far as that is known. */
static double noise(const table *a, int64_t i, int k, double tail)
{
    return fmax(a->noise[k * a->m + i], a->even ? tail : ldexp(tail, 2 * (k - a->n + 1)));
}

/* The best number that levels from `first` on give for component i. */
static double extrapolated(const table *a, int64_t i, int first, double tail, double *error)
{
    int last = a->n - 1;
    double row[K], before[K], best = a->value[last * a->m + i];

    *error = INFINITY;
    for (int k = first; k <= last; k++) {
        double factor = 1;

        memcpy(before, row, sizeof row);
        row[0] = a->value[k * a->m + i];
        for (int j = 1; j <= k - first; j++) {
            double off;

            factor *= 16;
            row[j] = row[j - 1] + (row[j - 1] - before[j - 1]) / (factor - 1);
            off = fmax(fabs(row[j] - row[j - 1]), fabs(row[j] - before[j - 1])) + noise(a, i, k, tail);
            if (off <= *error) *error = off, best = row[j];
        }
    }
    return best;
}

/* Whether a number can be the limit: it is no farther from any difference than that is from the one before, which has a
 * larger step, or than rounding has it. */
static int agrees(const table *a, int64_t i, int first, double tail, double best, double error)
{
    for (int k = first + 1; k < a->n; k++) {
        double value = a->value[k * a->m + i], before = a->value[(k - 1) * a->m + i];

        if (!(fabs(best - value) <= fabs(value - before) + 16 * noise(a, i, k, tail) + error)) return 0;
    }
    return 1;
}

/* Between the finest steps there is nothing but rounding, so that one sees how large it is. */
static double tail_of(const table *a, int64_t i)
{
    const double *end = a->value + (a->n - 1) * a->m + i;

    return a->n < K ? 0 : fmax(fabs(end[0] - end[-a->m]), 4 * fabs(end[-a->m] - end[-2 * a->m]));
}

/* The best number that agrees with all differences whose steps are not too coarse. Where rounding is no noise but a
 * bias, steps of different sizes lead to different numbers, each for sure: one that is `given` (or NULL) is taken. */
static double trusted(const table *a, int64_t i, const double *given, double *error)
{
    double best, tail = tail_of(a, i);

    for (int first = 0; first <= a->n - 3 && given; first++) {
        best = extrapolated(a, i, first, tail, error);
        if (*error <= 0x1p-24 * fabs(best) && fabs(given[i] - best) <= lbr_inspect_tolerance(given[i], best, *error, 0))
            return best;
    }
    for (int first = 0; first <= a->n - 3; first++) {
        best = extrapolated(a, i, first, tail, error);
        if (agrees(a, i, first, tail, best, *error)) return best;
    }
    *error = INFINITY;
    return a->value[(a->n - 1) * a->m + i];
}

/* Whether all numbers are known well, and are those that are expected. */
static int settled(const table *a, const double *given, double *limit, double *error)
{
    double largest = 0;

    if (a->n < 4) return 0;
    for (int64_t i = 0; i < a->m; i++) {
        limit[i] = extrapolated(a, i, 0, 0, error + i);
        largest = fmax(largest, fmax(fabs(limit[i]), fabs(given[i])));
    }
    for (int64_t i = 0; i < a->m; i++)
        if (!(error[i] <= 0x1p-24 * fabs(limit[i]) + 0x1p-40 * largest &&
              fabs(given[i] - limit[i]) <= lbr_inspect_tolerance(given[i], limit[i], error[i], largest)))
            return 0;
    return 1;
}

/* One more level. 1: F fails there. */
static int more(table *a, lbr_curve_fn *F, void *ctx, double e, int even, double *other)
{
    double *value = a->value + a->n * a->m, *rounding = a->noise + a->n * a->m;

    if (F(ctx, e, value) || lbr_bound_nonfinite(a->m, value) >= 0) return 1;
    if (F(ctx, -e, other) || lbr_bound_nonfinite(a->m, other) >= 0) return 1;
    for (int64_t i = 0; i < a->m; i++) {
        rounding[i] = 0x1p-52 * fmax(fabs(value[i]), fabs(other[i])) / (even ? 1 : e);
        value[i] = even ? 0.5 * (value[i] + other[i]) : (value[i] - other[i]) / (2 * e);
    }
    a->n++;
    return 0;
}

int lbr_inspect_limit(lbr_inspection *z, lbr_curve_fn *F, void *ctx, int64_t m, double e, int even, const double *given,
                      double *limit, double *error)
{
    lbr_arena arena = { 0 };
    double *room = lbr_arena_alloc(&arena, (2 * K + 1) * m, sizeof *room);
    table a = { .m = m, .value = room, .noise = lbr_after(room, K * m), .even = even };
    int done = 0;

    if (!room) return lbr_fail(&z->why, LBR_ENOMEM, "out of memory"), 1;
    for (int tries = 0; tries < 8 && !a.n; tries++)
        if (more(&a, F, ctx, e, even, room + 2 * K * m)) e /= 16;
    while (a.n && a.n < K && !done) {
        if (more(&a, F, ctx, e /= 4, even, room + 2 * K * m)) break;
        done = given && settled(&a, given, limit, error);
    }
    for (int64_t i = 0; i < m && !done && a.n; i++) limit[i] = trusted(&a, i, given, error + i);
    lbr_arena_free(&arena);
    return !a.n;
}

/* --- along a line ------------------------------------------------------------------------------------------------ */

typedef struct line {
    const lbr_mapping *F;
    const double *x, *v;
    double tau, *at;
} line;

static int on_line(void *ctx, double s, double *out)
{
    const line *l = ctx;

    for (int64_t i = 0; i < l->F->n; i++) l->at[i] = l->x[i] + s * l->v[i];
    return l->F->call(l->F, l->F->z->t + s * l->tau, l->at, out);
}

int lbr_inspect_slope(lbr_inspection *z, const lbr_mapping *F, const double *x, const double *v, double tau, double e,
                      const double *given, double *slope, double *error)
{
    double *at = lbr_mem_alloc((size_t)F->n * sizeof *at);
    line l = { F, x, v, tau, at };
    int bad;

    if (!at) return lbr_fail(&z->why, LBR_ENOMEM, "out of memory"), 1;
    bad = lbr_inspect_limit(z, on_line, &l, F->m, e, 0, given, slope, error);
    lbr_mem_free(at);
    return bad;
}

void lbr_inspect_direction(const lbr_inspection *z, int64_t from, int64_t n, int64_t k, double *v)
{
    for (int64_t i = 0; i < n; i++) v[i] = z->size[from + i] * lbr_random_sign((uint64_t)(977 * (k + 1) + i));
}

/* --- whole derivatives ------------------------------------------------------------------------------------------- */

typedef struct columns {
    double *v, *given, *slope, *error, *other, *off, *at;
    lbr_numbering rows, columns;
} columns;

/* Whether a number is not what it should be. */
static int is_off(const columns *c, int64_t m)
{
    double largest = fmax(lbr_largest(m, c->given), lbr_largest(m, c->slope));

    for (int64_t i = 0; i < m; i++)
        if (!(fabs(c->given[i] - c->slope[i]) <= lbr_inspect_tolerance(c->given[i], c->slope[i], c->error[i], largest)))
            return 1;
    return 0;
}

/* What is given may be rounded badly, and what is differentiated too: how far both jump where the point hardly moves is
 * added to the error. */
static void add_jumps(lbr_inspection *z, const lbr_mapping *F, const lbr_mapping *D, const double *x, columns *c,
                      double e)
{
    lbr_mapping beside = *D;

    for (int k = 0; k < 3; k++) {
        for (int64_t i = 0; i < F->n; i++)
            c->at[i] = x[i] + 0x1p-34 * z->size[c->columns.from + i] * lbr_random_sign((uint64_t)(61 * k + i));
        if (!lbr_inspect_slope(z, F, c->at, c->v, 0, e, NULL, c->other, c->off))
            for (int64_t i = 0; i < F->m; i++) c->error[i] += 0.5 * fabs(c->other[i] - c->slope[i]);
        beside.at = c->at;
        if (!D->at || beside.call(&beside, z->t, c->v, c->other) || lbr_bound_nonfinite(D->m, c->other) >= 0) continue;
        for (int64_t i = 0; i < D->m; i++) c->error[i] += fabs(c->other[i] - c->given[i]);
    }
}

/* 0: it has been compared. */
static int along(lbr_inspection *z, const lbr_mapping *F, const lbr_mapping *D, const double *x, columns *c,
                 int64_t column, double e)
{
    if (lbr_inspect_call(z, D, c->v, c->given)) return 1;
    if (lbr_inspect_slope(z, F, x, c->v, 0, e, c->given, c->slope, c->error)) {
        if (!z->why.status && !z->at) lbr_inspect_say(z, -1, "%s fails at every point near y", F->name);
        return 1;
    }
    if (is_off(c, F->m)) add_jumps(z, F, D, x, c, e);
    lbr_inspect_compare(z, c->rows, c->columns, column, F->m, c->given, c->slope, c->error);
    return 0;
}

/* Of how many columns of n all are looked at, or some. */
static int64_t columns_of(int64_t n)
{
    int64_t most = (INT64_C(1) << 15) / n;

    most = most < 4 ? 4 : most > LBR_INSPECT_COLUMNS ? LBR_INSPECT_COLUMNS : most;
    return n < most ? n : most;
}

void lbr_inspect_derivative(lbr_inspection *z, const lbr_mapping *F, const lbr_mapping *D, const double *x,
                            lbr_numbering rows, lbr_numbering names)
{
    int64_t n = F->n, m = F->m, most = columns_of(n);
    double *room = lbr_inspect_room(z, 2 * n + 5 * m), *out = lbr_after(room, n);
    columns c = { .v = room, .given = out, .rows = rows, .columns = names };

    if (!room) return;
    c.slope = out + m, c.error = out + 2 * m, c.other = out + 3 * m, c.off = out + 4 * m, c.at = out + 5 * m;
    if (lbr_inspect_call(z, F, x, c.given)) return;
    for (int64_t k = 0; k < most; k++) {
        int64_t j = k * n / most;

        memset(c.v, 0, (size_t)n * sizeof *c.v);
        c.v[j] = 1;
        if (along(z, F, D, x, &c, j, 0.0625 * z->size[names.from + j])) return;
    }
    for (int64_t k = 0; k < (n > most ? 4 : 1); k++) {
        lbr_inspect_direction(z, names.from, n, k, c.v);
        if (along(z, F, D, x, &c, -2, 0.0625)) return;
    }
}

int lbr_inspect_on_trail(void *ctx, double s, double *out)
{
    lbr_trail *c = ctx;

    c->h = s;
    return c->map.call(&c->map, c->map.z->t, c->y, out);
}
