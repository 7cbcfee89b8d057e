/* difference.c - derivatives by differences. SPDX-License-Identifier: BSD-3-Clause */
#include "difference.h"

int lbr_central_difference(lbr_difference_fn *F, void *ctx, int64_t n, int64_t m, const double *x, const double *v,
                           double e, double *at, double *out, double *other)
{
    for (int64_t j = 0; j < n; j++) at[j] = x[j] + e * v[j];
    if (F(ctx, at, out)) return 1;
    for (int64_t j = 0; j < n; j++) at[j] = x[j] - e * v[j];
    if (F(ctx, at, other)) return 1;
    for (int64_t i = 0; i < m; i++) out[i] = (out[i] - other[i]) / (2 * e);
    return 0;
}

int lbr_central_column(lbr_difference_fn *F, void *ctx, int64_t m, double *x, int64_t j, double e, double apart,
                       double *out, double *other)
{
    const double old = x[j];
    int bad;

    x[j] = old + e;
    bad = F(ctx, x, out);
    x[j] = old - e;
    bad = bad || F(ctx, x, other);
    x[j] = old;
    for (int64_t i = 0; i < m && !bad; i++) out[i] = (out[i] - other[i]) / apart;
    return bad;
}
