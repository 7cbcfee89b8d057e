/* largest.h - the largest of several numbers. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_CORE_LARGEST_H
#define LBR_CORE_LARGEST_H

#include <math.h>
#include <stdint.h>

/* Of absolute values; NaN is passed over. */
static inline double lbr_largest(int64_t n, const double *x)
{
    double most = 0;

    for (int64_t i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

/* NaN where any is. */
static inline double lbr_larger_or_nan(double most, double x) { return x <= most || isnan(most) ? most : x; }

/* Of absolute values. */
static inline double lbr_largest_or_nan(int64_t n, const double *x)
{
    double most = 0;

    for (int64_t i = 0; i < n; i++) most = lbr_larger_or_nan(most, fabs(x[i]));
    return most;
}

#endif
