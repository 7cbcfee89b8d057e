/* sparse_lu.c - real sparse LU without pivoting: column by column, all updates from the left.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A factorisation is the inverse pivots (n), L, U (as many entries each), and room for a row and a column (n each). */
#include "sparse_lu.h"

#include <math.h>
#include <string.h>

int64_t lbr_sparse_lu_size(const lbr_sparse_lu *lu, int is_complex)
{
    return (is_complex ? 2 : 1) * (3 * lu->n + 2 * lu->stored);
}

/* Row and column k, with what earlier ones do to them. The pivot; in *size what it was worked out from. */
static double eliminate(const lbr_sparse_lu *lu, int64_t k, const double *L, const double *U, double pivot, double *row,
                        double *column, double *size)
{
    *size = fabs(pivot);
    for (int64_t e = lu->start[k]; e < lu->start[k + 1]; e++) column[lu->index[e]] = L[e], row[lu->index[e]] = U[e];
    for (int64_t j = lu->left[k]; j < lu->left[k + 1]; j++) {
        const lbr_sparse_left *x = lu->of + j;
        double l = L[x->at], u = U[x->at];

        pivot -= l * u, *size += fabs(l * u);
        for (int64_t e = x->at + 1; e < x->end; e++) {
            column[lu->index[e]] -= L[e] * u;
            row[lu->index[e]] -= l * U[e];
        }
    }
    return pivot;
}

int64_t lbr_sparse_lu_factor(const lbr_sparse_lu *lu, const double *J, double z, double *factor)
{
    int64_t n = lu->n;
    double *D = factor, *L = D + n, *U = L + lu->stored, *row = U + lu->stored, *column = row + n;

    memset(L, 0, (size_t)(2 * lu->stored) * sizeof *L);
    for (int64_t k = 0; k < n; k++) D[k] = 1;
    for (int64_t e = 0; e < lu->entries; e++) factor[lu->place[e]] += z * J[e];
    for (int64_t k = 0; k < n; k++) {
        double size, most = 0, pivot = eliminate(lu, k, L, U, D[k], row, column, &size);

        for (int64_t e = lu->start[k]; e < lu->start[k + 1]; e++) {
            double l = column[lu->index[e]], u = row[lu->index[e]];

            most = fmax(most, fmax(fabs(l), fabs(u)));
            L[e] = l / pivot, U[e] = u;
        }
        if (!(fabs(pivot) > LBR_SPARSE_LOST * size && fabs(pivot) >= LBR_SPARSE_TINY * most && size < INFINITY))
            return lu->order[k];
        D[k] = 1 / pivot;
    }
    return -1;
}

void lbr_sparse_lu_solve(const lbr_sparse_lu *lu, double *factor, double *x)
{
    int64_t n = lu->n;
    const double *D = factor, *L = D + n, *U = L + lu->stored;
    double *y = factor + n + 2 * lu->stored;

    for (int64_t k = 0; k < n; k++) y[k] = x[lu->order[k]];
    for (int64_t k = 0; k < n; k++)
        for (int64_t e = lu->start[k]; e < lu->start[k + 1]; e++) y[lu->index[e]] -= L[e] * y[k];
    for (int64_t k = n - 1; k >= 0; k--) {
        double sum = y[k];

        for (int64_t e = lu->start[k]; e < lu->start[k + 1]; e++) sum -= U[e] * y[lu->index[e]];
        x[lu->order[k]] = y[k] = sum * D[k];
    }
}
