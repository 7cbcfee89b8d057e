/* complex.h - complex numbers by their parts, rounded the same on every machine. SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef LBR_CORE_COMPLEX_H
#define LBR_CORE_COMPLEX_H
#include <math.h>

/* A number is two doubles, real part and imaginary part. */

/* to -= a b. */
static inline void lbr_complex_less(double *to, const double *a, const double *b)
{
    to[0] -= a[0] * b[0] - a[1] * b[1];
    to[1] -= a[0] * b[1] + a[1] * b[0];
}

/* to = a b. */
static inline void lbr_complex_times(double *to, const double *a, const double *b)
{
    double re = a[0] * b[0] - a[1] * b[1], im = a[0] * b[1] + a[1] * b[0];

    to[0] = re, to[1] = im;
}

/* to = 1/a, scaled so that squares are neither too large nor too small. */
static inline void lbr_complex_inverse(double *to, const double *a)
{
    double size = fmax(fabs(a[0]), fabs(a[1])), re = a[0] / size, im = a[1] / size, square = re * re + im * im;

    to[0] = re / square / size, to[1] = -im / square / size;
}

/* How large: within a factor of sqrt(2). */
static inline double lbr_complex_size(const double *a) { return fabs(a[0]) + fabs(a[1]); }
#endif
