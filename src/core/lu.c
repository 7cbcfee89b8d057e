/* lu.c - dense LU with row pivoting. SPDX-License-Identifier: BSD-3-Clause */
#include "lu.h"

#include <math.h>

static int64_t largest(int64_t n, const double *M, int64_t k)
{
    int64_t best = k;

    for (int64_t i = k + 1; i < n; i++)
        if (fabs(M[i * n + k]) > fabs(M[best * n + k])) best = i;
    return best;
}

int64_t lbr_lu_factor(int64_t n, double *M, int64_t *pivot)
{
    for (int64_t k = 0; k < n; k++) {
        int64_t r = pivot[k] = largest(n, M, k);
        double size = fabs(M[r * n + k]);

        if (!(size > 0 && size < INFINITY)) return k + 1;
        for (int64_t j = 0; j < n && r != k; j++) {
            double swap = M[k * n + j];
            M[k * n + j] = M[r * n + j], M[r * n + j] = swap;
        }
        for (int64_t i = k + 1; i < n; i++) {
            double l = M[i * n + k] /= M[k * n + k];
            for (int64_t j = k + 1; j < n; j++) M[i * n + j] -= l * M[k * n + j];
        }
    }
    return 0;
}

void lbr_lu_solve(int64_t n, const double *M, const int64_t *pivot, double *x)
{
    for (int64_t k = 0; k < n; k++) {
        double swap = x[k];
        x[k] = x[pivot[k]], x[pivot[k]] = swap;
    }
    for (int64_t i = 1; i < n; i++)
        for (int64_t j = 0; j < i; j++) x[i] -= M[i * n + j] * x[j];
    for (int64_t i = n - 1; i >= 0; i--) {
        for (int64_t j = i + 1; j < n; j++) x[i] -= M[i * n + j] * x[j];
        x[i] /= M[i * n + i];
    }
}
