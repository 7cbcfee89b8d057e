/* lu_complex.c - dense LU of complex matrices with row pivoting. SPDX-License-Identifier: BSD-3-Clause */
#include "complex.h"
#include "lu.h"

static int64_t largest(int64_t n, const double *M, int64_t k)
{
    int64_t best = k;

    for (int64_t i = k + 1; i < n; i++)
        if (lbr_complex_size(M + 2 * (i * n + k)) > lbr_complex_size(M + 2 * (best * n + k))) best = i;
    return best;
}

int64_t lbr_lu_complex_factor(int64_t n, double *M, int64_t *pivot)
{
    for (int64_t k = 0; k < n; k++) {
        int64_t r = pivot[k] = largest(n, M, k);
        double size = lbr_complex_size(M + 2 * (r * n + k)), one[2];

        if (!(size > 0 && size < INFINITY)) return k + 1;
        for (int64_t j = 0; j < 2 * n && r != k; j++) {
            double swap = M[2 * k * n + j];
            M[2 * k * n + j] = M[2 * r * n + j], M[2 * r * n + j] = swap;
        }
        lbr_complex_inverse(one, M + 2 * (k * n + k));
        for (int64_t i = k + 1; i < n; i++) {
            double *l = M + 2 * (i * n + k);

            lbr_complex_times(l, l, one);
            for (int64_t j = k + 1; j < n; j++) lbr_complex_less(M + 2 * (i * n + j), l, M + 2 * (k * n + j));
        }
    }
    return 0;
}

void lbr_lu_complex_solve(int64_t n, const double *M, const int64_t *pivot, double *x)
{
    for (int64_t k = 0; k < n; k++)
        for (int part = 0; part < 2; part++) {
            double swap = x[2 * k + part];
            x[2 * k + part] = x[2 * pivot[k] + part], x[2 * pivot[k] + part] = swap;
        }
    for (int64_t i = 1; i < n; i++)
        for (int64_t j = 0; j < i; j++) lbr_complex_less(x + 2 * i, M + 2 * (i * n + j), x + 2 * j);
    for (int64_t i = n - 1; i >= 0; i--) {
        double one[2];

        for (int64_t j = i + 1; j < n; j++) lbr_complex_less(x + 2 * i, M + 2 * (i * n + j), x + 2 * j);
        lbr_complex_inverse(one, M + 2 * (i * n + i));
        lbr_complex_times(x + 2 * i, x + 2 * i, one);
    }
}
