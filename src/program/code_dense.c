/* code_dense.c - matrices in programs: systems, determinants, eigenvalues. SPDX-License-Identifier: BSD-3-Clause */
#include "code_machine.h"
#include "core/lu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void transpose(int64_t n, double *M)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < i; j++) {
            double swap = M[i * n + j];
            M[i * n + j] = M[j * n + i], M[j * n + i] = swap;
        }
}

int lbr_code_solve(int64_t n, int64_t cols, int transposed, double *M, double *X, double *x, int64_t *pivot)
{
    if (transposed) transpose(n, M);
    if (lbr_lu_factor(n, M, pivot)) return -1;
    for (int64_t j = 0; j < cols; j++) {
        for (int64_t i = 0; i < n; i++) x[i] = X[i * cols + j];
        lbr_lu_solve(n, M, pivot, x);
        for (int64_t i = 0; i < n; i++) X[i * cols + j] = x[i];
    }
    return 0;
}

double lbr_code_det(int64_t n, double *M, int64_t *pivot)
{
    int64_t bad = lbr_lu_factor(n, M, pivot) - 1;
    double det = 1;

    if (bad >= 0) return M[pivot[bad] * n + bad] == 0 ? 0 : NAN;
    for (int64_t i = 0; i < n; i++) det *= pivot[i] == i ? M[i * n + i] : -M[i * n + i];
    return det;
}

/* Element (p, q) becomes 0 by a rotation in the plane of p and q. */
static void rotate(int64_t n, double *M, int64_t p, int64_t q)
{
    double a = M[p * n + q], theta, t, c, s;

    if (a == 0) return;
    theta = (M[q * n + q] - M[p * n + p]) / (2 * a);
    t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
    c = 1 / sqrt(t * t + 1), s = t * c;
    M[p * n + p] -= t * a, M[q * n + q] += t * a;
    M[p * n + q] = M[q * n + p] = 0;
    for (int64_t i = 0; i < n; i++) {
        double x, y;

        if (i == p || i == q) continue;
        x = M[i * n + p], y = M[i * n + q];
        M[i * n + p] = M[p * n + i] = c * x - s * y;
        M[i * n + q] = M[q * n + i] = s * x + c * y;
    }
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Elements so small that they change neither eigenvalue beside them count as 0. */
static int negligible(int64_t n, const double *M, int64_t i, int64_t j)
{
    double a = fabs(M[i * n + j]);

    return fabs(M[i * n + i]) + a == fabs(M[i * n + i]) && fabs(M[j * n + j]) + a == fabs(M[j * n + j]);
}

void lbr_code_eigen(int64_t n, double *M, double *lambda)
{
    enum { SWEEPS = 60 };
    int again = 1;

    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < i; j++) M[i * n + j] = M[j * n + i];
    for (int sweep = 0; sweep < SWEEPS && again; sweep++) {
        again = 0;
        for (int64_t p = 0; p < n; p++)
            for (int64_t q = p + 1; q < n; q++) {
                if (sweep > 3 && negligible(n, M, p, q)) M[p * n + q] = M[q * n + p] = 0;
                again |= M[p * n + q] != 0;
                rotate(n, M, p, q);
            }
    }
    for (int64_t i = 0; i < n; i++) lambda[i] = M[i * n + i];
    qsort(lambda, (size_t)n, sizeof *lambda, ascending);
}

double lbr_dense_cost(int kind, int64_t rows, int64_t cols)
{
    double n = (double)rows;

    if (kind == LBR_ARRAY_SOLVE) return (n * n * n / 3 + n * n * (double)cols) / 8;
    return kind == LBR_ARRAY_DET ? n * n * n / 24 : kind == LBR_ARRAY_EIGEN ? 4 * n * n * n : 0;
}

int lbr_code_dense(int kind, int64_t rows, int64_t cols, int transposed, const double *a, const double *b, double *to,
                   double *scratch)
{
    double *M = scratch, *x = M + rows * rows;
    int64_t *pivot = (int64_t *)(void *)(x + rows);

    memcpy(M, a, (size_t)(rows * rows) * sizeof *M);
    if (kind == LBR_ARRAY_DET) to[0] = lbr_code_det(rows, M, pivot);
    else if (kind == LBR_ARRAY_EIGEN) lbr_code_eigen(rows, M, to);
    else {
        memcpy(to, b, (size_t)(rows * cols) * sizeof *to);
        return lbr_code_solve(rows, cols, transposed, M, to, x, pivot);
    }
    return 0;
}

int lbr_code_dense_run(const lbr_routine *p, int i, double *scratch, double *const *slot)
{
    const lbr_dense *d = &p->dense[i];

    return lbr_code_dense(d->kind, d->rows, d->cols, d->transposed, slot[d->a],
                          d->kind == LBR_ARRAY_SOLVE ? slot[d->b] : NULL, slot[d->to], scratch);
}
