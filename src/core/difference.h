/* difference.h - derivatives by differences. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_CORE_DIFFERENCE_H
#define LBR_CORE_DIFFERENCE_H
#include <stdint.h>

/* What is differentiated; not zero: it cannot be had here. */
typedef int lbr_difference_fn(void *ctx, const double *x, double *out);

/* How far one goes, in sizes of x. Central differences leave out a term with the square of this, and lose the rounding
 * divided by it: the sum is least near the cube root of the rounding. Differences to one side leave out a term with the
 * first power, so that it is the square root. */
#define LBR_CENTRAL 0x1p-17
#define LBR_FORWARD 0x1p-26

/* The e for which e v is small beside x: of x the size is given, of v the length, which is not 0. A state of size 0 is
 * taken as one of size 1. */
static inline double lbr_central_step(double size, double length)
{
    return LBR_CENTRAL * (size > 0 ? size : 1) / length;
}

/* out (m) = (F(x + e v) - F(x - e v))/(2 e), x and v having n numbers. at: n, in which the two points are made and
 * where F finds them, so that they may stand in something larger; other: m. 1: F failed. */
int lbr_central_difference(lbr_difference_fn *F, void *ctx, int64_t n, int64_t m, const double *x, const double *v,
                           double e, double *at, double *out, double *other);
/* The same by component j alone: out (m) = (F(x + e_j) - F(x - e_j))/apart. x is changed and changed back; apart is 2
 * e, or the distance of the two numbers that x_j really has. */
int lbr_central_column(lbr_difference_fn *F, void *ctx, int64_t m, double *x, int64_t j, double e, double apart,
                       double *out, double *other);
#endif
