/* rk_apart.c - I - h A x J as systems of the size of J, by the Schur form of A. SPDX-License-Identifier: BSD-3-Clause
 */
#include "core/lu.h"
#include "rk_matrix.h"

#include <string.h>

/* I - h lambda J as a dense matrix, its numbers of `width` doubles. */
static void dense(const lbr_rk_matrix *m, int64_t n, const double *J, const double z[2], int width, double *M)
{
    memset(M, 0, (size_t)(n * n * width) * sizeof *M);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t e = lbr_rk_entry(m, n, i), end = lbr_rk_entry(m, n, i + 1); e < end; e++)
            for (int part = 0; part < width; part++)
                M[width * (i * n + lbr_rk_column(m, n, i, e)) + part] = z[part] * J[e];
        M[width * (i * n + i)] += 1;
    }
}

/* The pivots of a dense factorisation stand behind it. */
static int64_t *pivots(double *factor, int64_t n, int width) { return (int64_t *)(factor + width * n * n); }

int64_t lbr_rk_apart_factor(const lbr_rk_run *q, const double *J, double *factors)
{
    const lbr_rk_matrix *m = q->rk->matrix;
    int64_t n = q->rk->n, bad = -1;

    for (int64_t k = 0; k < m->nrows && bad < 0; k++) {
        const lbr_rk_rows *r = m->rows + k;
        double z[2] = { -q->h * r->value[0], -q->h * r->value[1] }, *to = factors + r->factor;

        if (!r->made) continue;
        if (m->sparse)
            bad = r->count == 1 ? lbr_sparse_lu_factor(&m->lu, J, z[0], to)
                                : lbr_sparse_lu_complex_factor(&m->lu, J, z, to);
        else {
            dense(m, n, J, z, (int)r->count, to);
            bad = (r->count == 1 ? lbr_lu_factor(n, to, pivots(to, n, 1))
                                 : lbr_lu_complex_factor(n, to, pivots(to, n, 2))) -
                  1;
        }
    }
    return bad;
}

static void solve_real(const lbr_rk_matrix *m, int64_t n, double *factor, double *x)
{
    if (m->sparse) lbr_sparse_lu_solve(&m->lu, factor, x);
    else lbr_lu_solve(n, factor, pivots(factor, n, 1), x);
}

/* Both rows of a pair, by its eigenvector: x is that of the one which counts once, y of the other. */
static void solve_pair(const lbr_rk_matrix *m, int64_t n, const lbr_rk_rows *r, double *factor, double *x, double *y,
                       double *z)
{
    const double *u = r->mix;

    for (int64_t i = 0; i < n; i++) z[2 * i] = x[i] + u[0] * y[i], z[2 * i + 1] = u[1] * y[i];
    if (m->sparse) lbr_sparse_lu_complex_solve(&m->lu, factor, z);
    else lbr_lu_complex_solve(n, factor, pivots(factor, n, 2), z);
    for (int64_t i = 0; i < n; i++) y[i] = z[2 * i + 1] / u[1], x[i] = z[2 * i] - u[0] * y[i];
}

/* The rows of g from `row` on, `count` of them, plus h J times what R makes of the rows behind them. */
static void from_behind(const lbr_rk_run *q, const double *J, int64_t row, int64_t count, double *g, double *sum)
{
    const lbr_rk_matrix *m = q->rk->matrix;
    int64_t n = q->rk->n, s = q->rk->s;

    for (int64_t k = row; k < row + count; k++) {
        int any = 0;

        memset(sum, 0, (size_t)n * sizeof *sum);
        for (int64_t j = row + count; j < s; j++) {
            double a = q->h * m->R[k * s + j];

            if (a == 0) continue;
            for (int64_t i = 0; i < n; i++) sum[i] += a * g[j * n + i];
            any = 1;
        }
        if (any) lbr_rk_matrix_add(m, n, J, sum, g + k * n);
    }
}

/* to_i = sum_j Q_ij from_j, or Q_ji. */
static void turn(const lbr_rk_run *q, int transposed, const double *from, double *to)
{
    const double *Q = q->rk->matrix->Q;
    int64_t n = q->rk->n, s = q->rk->s;

    memset(to, 0, (size_t)(s * n) * sizeof *to);
    for (int64_t i = 0; i < s; i++)
        for (int64_t j = 0; j < s; j++) {
            double a = transposed ? Q[j * s + i] : Q[i * s + j];

            if (a == 0) continue;
            for (int64_t l = 0; l < n; l++) to[i * n + l] += a * from[j * n + l];
        }
}

void lbr_rk_apart_solve(const lbr_rk_run *q, const double *J, double *factors, double *r, double *g, double *room)
{
    const lbr_rk_matrix *m = q->rk->matrix;
    int64_t n = q->rk->n;

    turn(q, 1, r, g);
    for (int64_t k = m->nrows - 1; k >= 0; k--) {
        const lbr_rk_rows *b = m->rows + k;
        double *x = g + b->row * n, *y = x + n;

        from_behind(q, J, b->row, b->count, g, room);
        if (b->factor < 0) continue;
        if (b->count == 1) solve_real(m, n, factors + b->factor, x);
        else solve_pair(m, n, b, factors + b->factor, b->second ? y : x, b->second ? x : y, room);
    }
    turn(q, 0, g, r);
}
