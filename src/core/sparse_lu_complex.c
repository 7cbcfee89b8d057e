/* sparse_lu_complex.c - as sparse_lu.c, with complex numbers. SPDX-License-Identifier: BSD-3-Clause */
#include "complex.h"
#include "sparse_lu.h"

#include <string.h>

/* Row and column k, with what earlier ones do to them; what the pivot was worked out from. */
static double eliminate(const lbr_sparse_lu *lu, int64_t k, const double *L, const double *U, double *pivot,
                        double *row, double *column)
{
    double size = lbr_complex_size(pivot);

    for (int64_t e = lu->start[k]; e < lu->start[k + 1]; e++) {
        memcpy(column + 2 * (int64_t)lu->index[e], L + 2 * e, 2 * sizeof *L);
        memcpy(row + 2 * (int64_t)lu->index[e], U + 2 * e, 2 * sizeof *U);
    }
    for (int64_t j = lu->left[k]; j < lu->left[k + 1]; j++) {
        const lbr_sparse_left *x = lu->of + j;
        const double *l = L + 2 * x->at, *u = U + 2 * x->at;

        lbr_complex_less(pivot, l, u);
        size += lbr_complex_size(l) * lbr_complex_size(u);
        for (int64_t e = x->at + 1; e < x->end; e++) {
            lbr_complex_less(column + 2 * (int64_t)lu->index[e], L + 2 * e, u);
            lbr_complex_less(row + 2 * (int64_t)lu->index[e], l, U + 2 * e);
        }
    }
    return size;
}

int64_t lbr_sparse_lu_complex_factor(const lbr_sparse_lu *lu, const double *J, const double z[2], double *factor)
{
    int64_t n = lu->n;
    double *D = factor, *L = D + 2 * n, *U = L + 2 * lu->stored, *row = U + 2 * lu->stored, *column = row + 2 * n;

    memset(D, 0, (size_t)(2 * n + 4 * lu->stored) * sizeof *D);
    for (int64_t k = 0; k < n; k++) D[2 * k] = 1;
    for (int64_t e = 0; e < lu->entries; e++) {
        factor[2 * lu->place[e]] += z[0] * J[e];
        factor[2 * lu->place[e] + 1] += z[1] * J[e];
    }
    for (int64_t k = 0; k < n; k++) {
        double *pivot = D + 2 * k, one[2], most = 0, size = eliminate(lu, k, L, U, pivot, row, column),
               is = lbr_complex_size(pivot);

        lbr_complex_inverse(one, pivot);
        for (int64_t e = lu->start[k]; e < lu->start[k + 1]; e++) {
            const double *l = column + 2 * (int64_t)lu->index[e], *u = row + 2 * (int64_t)lu->index[e];

            most = fmax(most, fmax(lbr_complex_size(l), lbr_complex_size(u)));
            lbr_complex_times(L + 2 * e, l, one);
            memcpy(U + 2 * e, u, 2 * sizeof *U);
        }
        if (!(is > LBR_SPARSE_LOST * size && is >= LBR_SPARSE_TINY * most && size < INFINITY)) return lu->order[k];
        memcpy(pivot, one, sizeof one);
    }
    return -1;
}

void lbr_sparse_lu_complex_solve(const lbr_sparse_lu *lu, double *factor, double *x)
{
    int64_t n = lu->n;
    const double *D = factor, *L = D + 2 * n, *U = L + 2 * lu->stored;
    double *y = factor + 2 * n + 4 * lu->stored;

    for (int64_t k = 0; k < n; k++) memcpy(y + 2 * k, x + 2 * lu->order[k], 2 * sizeof *y);
    for (int64_t k = 0; k < n; k++)
        for (int64_t e = lu->start[k]; e < lu->start[k + 1]; e++)
            lbr_complex_less(y + 2 * (int64_t)lu->index[e], L + 2 * e, y + 2 * k);
    for (int64_t k = n - 1; k >= 0; k--) {
        for (int64_t e = lu->start[k]; e < lu->start[k + 1]; e++)
            lbr_complex_less(y + 2 * k, U + 2 * e, y + 2 * (int64_t)lu->index[e]);
        lbr_complex_times(y + 2 * k, y + 2 * k, D + 2 * k);
        memcpy(x + 2 * lu->order[k], y + 2 * k, 2 * sizeof *y);
    }
}
