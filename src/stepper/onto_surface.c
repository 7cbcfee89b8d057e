/* onto_surface.c - Newton's method that brings a state onto a surface. SPDX-License-Identifier: BSD-3-Clause */
#include "onto_surface.h"

#include <math.h>
#include <string.h>

/* Of gradients as vectors of length 1: what is left of one after the others are taken away. */
static const double dependent = 1e-13;

int64_t lbr_normal_size(const lbr_surface *s)
{
    return 2 * s->m * s->n + s->m * s->m + 8 * s->m + s->n + lbr_surface_room(s);
}

double *lbr_normal_place(const lbr_surface *s, lbr_normal *x, double *at)
{
    x->G = at, at += s->m * s->n;
    x->D = at, at += s->m * s->n;
    x->N = at, at += s->m * s->m;
    x->rows = at, at += s->m;
    x->cols = at, at += s->m;
    x->r = at, at += 2 * s->m;
    x->noise = at, at += s->m;
    x->near = at, at += s->n + s->m;
    x->rank = (int64_t *)at, at += 2 * s->m;
    x->room = at, at += lbr_surface_room(s);
    return at;
}

void lbr_normal_move(const lbr_surface *s, const double *D, const double *mu, double by, double *out)
{
    for (int64_t i = 0; i < s->m; i++)
        for (int64_t j = 0; j < s->n; j++) out[j] += by * mu[i] * D[i * s->n + j];
}

static double product(int64_t n, const double *a, const double *b)
{
    double sum = 0;

    for (int64_t j = 0; j < n; j++) sum += a[j] * b[j];
    return sum;
}

/* --- Gauss elimination with complete pivoting, which tells what depends on what ---------------------------------- */

static void largest(int64_t m, const double *N, const int64_t *row, const int64_t *col, int64_t k, int64_t *i,
                    int64_t *j)
{
    double most = -1;

    *i = *j = k;
    for (int64_t a = k; a < m; a++)
        for (int64_t b = k; b < m; b++)
            if (fabs(N[row[a] * m + col[b]]) > most) most = fabs(N[row[a] * m + col[b]]), *i = a, *j = b;
}

/* -1, or the direction that is left over. */
static int64_t eliminate(int64_t m, double *N, int64_t *row, int64_t *col)
{
    for (int64_t k = 0; k < m; k++) row[k] = col[k] = k;
    for (int64_t k = 0; k < m; k++) {
        int64_t i, j, swap;

        largest(m, N, row, col, k, &i, &j);
        swap = row[k], row[k] = row[i], row[i] = swap, swap = col[k], col[k] = col[j], col[j] = swap;
        if (!(fabs(N[row[k] * m + col[k]]) > dependent)) return col[k];
        for (int64_t a = k + 1; a < m; a++) {
            double l = N[row[a] * m + col[k]] /= N[row[k] * m + col[k]];

            for (int64_t b = k + 1; b < m; b++) N[row[a] * m + col[b]] -= l * N[row[k] * m + col[b]];
        }
    }
    return -1;
}

static void substitute(int64_t m, const double *N, const int64_t *row, const int64_t *col, double *x, double *z)
{
    for (int64_t k = 0; k < m; k++) {
        z[k] = x[row[k]];
        for (int64_t b = 0; b < k; b++) z[k] -= N[row[k] * m + col[b]] * z[b];
    }
    for (int64_t k = m; k-- > 0; x[col[k]] = z[k]) {
        for (int64_t b = k + 1; b < m; b++) z[k] -= N[row[k] * m + col[b]] * z[b];
        z[k] /= N[row[k] * m + col[k]];
    }
}

/* --- the matrix -------------------------------------------------------------------------------------------------- */

static lbr_status singular(const lbr_surface *s, int64_t i, const char *why, lbr_message *m)
{
    char name[128];

    return lbr_fail(m, LBR_ESINGULAR, "no projection: the gradient of %s %s", lbr_surface_name(s, i, name, sizeof name),
                    why);
}

lbr_status lbr_normal_factor(const lbr_surface *s, lbr_normal *x, const double *more, lbr_message *m)
{
    int64_t n = s->n, bad;

    for (int64_t i = 0; i < s->m; i++) {
        const double *D = x->D + i * n, *also = more ? more + i * n : NULL;

        x->rows[i] = sqrt(product(n, x->G + i * n, x->G + i * n));
        x->cols[i] = sqrt(product(n, D, D) + (also ? product(n, also, also) + 2 * product(n, D, also) : 0));
        if (!isfinite(x->rows[i] + x->cols[i])) return singular(s, i, "is not finite", m);
        if (x->rows[i] == 0 || x->cols[i] == 0) return singular(s, i, "is zero here", m);
    }
    for (int64_t i = 0; i < s->m; i++)
        for (int64_t j = 0; j < s->m; j++)
            x->N[i * s->m + j] = (product(n, x->G + i * n, x->D + j * n) +
                                  (more ? product(n, x->G + i * n, more + j * n) : 0)) /
                                 (x->rows[i] * x->cols[j]);
    bad = eliminate(s->m, x->N, x->rank, x->rank + s->m);
    return bad < 0 ? LBR_OK : singular(s, bad, "depends on the others, or its direction does not meet it", m);
}

void lbr_normal_solve(const lbr_surface *s, const lbr_normal *x, double *r)
{
    for (int64_t i = 0; i < s->m; i++) r[i] /= x->rows[i];
    substitute(s->m, x->N, x->rank, x->rank + s->m, r, x->r + s->m);
    for (int64_t i = 0; i < s->m; i++) r[i] /= x->cols[i];
}

int lbr_normal_noise(const lbr_surface *s, lbr_normal *x, lbr_stats *stats, double t, const double *y,
                     const double *size, const double *level)
{
    return lbr_surface_noise(s, stats, t, y, size, level, x->G, x->r, x->noise, x->near, x->room);
}

void lbr_normal_uncertain(const lbr_surface *s, const lbr_normal *x, const double *more, double *mu, double *one,
                          double *move)
{
    for (int64_t i = 0; i < s->m; i++) {
        memset(mu, 0, (size_t)s->m * sizeof *mu), memset(one, 0, (size_t)s->n * sizeof *one);
        mu[i] = x->noise[i];
        lbr_normal_solve(s, x, mu);
        lbr_normal_move(s, x->D, mu, 1, one);
        if (more) lbr_normal_move(s, more, mu, 1, one);
        for (int64_t j = 0; j < s->n; j++) move[j] += fabs(one[j]);
    }
}

/* --- Newton's method --------------------------------------------------------------------------------------------- */

/* It no longer helps: is what is left rounding? -2: a callback failed. */
static int only_rounding(const lbr_surface *s, lbr_normal *x, lbr_stats *stats, double t, const double *y,
                         const double *level)
{
    int64_t nq = s->sys->s.nq;
    double size[2] = { lbr_largest_or_nan(nq, y), lbr_largest_or_nan(s->n - nq, y + nq) };

    if (lbr_normal_noise(s, x, stats, t, y, size, level)) return -2;
    for (int64_t i = 0; i < s->m; i++)
        if (!(fabs(x->r[i]) <= LBR_POOR * x->noise[i])) return 0;
    return 1;
}

int lbr_onto_there(const lbr_surface *s, lbr_normal *x, lbr_stats *stats, double t, const double *y,
                   const double *level, lbr_iteration *iteration)
{
    if (lbr_surface_value(s, stats, t, y, level, x->r, x->room)) return -2;
    switch (lbr_iteration_next(iteration, lbr_surface_scaled(s, y, level, x->G, x->r))) {
    case LBR_IS_SETTLED: return 1;
    case LBR_RUNS_AWAY: return -1;
    case LBR_STALLS: return only_rounding(s, x, stats, t, y, level);
    default: return 0;
    }
}

lbr_status lbr_onto(const lbr_surface *s, lbr_normal *x, lbr_stats *stats, int64_t most, double t, const double *level,
                    double *y, double *e, double *step, lbr_message *m)
{
    lbr_iteration c = lbr_residuals_begin();
    lbr_status status;
    int there = 0;

    if (lbr_surface_gradients(s, stats, t, y, x->G, x->room) || lbr_surface_directions(s, t, y, x->G, x->D, x->room))
        return lbr_fail(m, LBR_ECALLBACK, "the derivatives of what is projected onto reported a failure");
    if ((status = lbr_normal_factor(s, x, NULL, m))) return status;
    for (int64_t k = 0; k <= most; k++) {
        if ((there = lbr_onto_there(s, x, stats, t, y, level, &c))) break;
        lbr_normal_solve(s, x, x->r);
        memset(step, 0, (size_t)s->n * sizeof *step);
        lbr_normal_move(s, x->D, x->r, -1, step);
        lbr_increment(s->n, y, e, step);
        stats->iterations++;
    }
    if (there == 1) return LBR_OK;
    if (there == -2) return lbr_fail(m, LBR_ECALLBACK, "what is projected onto reported a failure");
    if (!isfinite(c.now))
        return lbr_fail(
            m, LBR_ENOCONV,
            "no projection was found: its iteration ran away, beyond all finite numbers; try a smaller step");
    return lbr_fail(m, LBR_ENOCONV,
                    "no projection was found in %lld iterations: what is projected onto is still off "
                    "by %.3g units of rounding; try a smaller step",
                    (long long)most, c.now);
}
