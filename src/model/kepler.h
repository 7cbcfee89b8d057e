/* kepler.h - the exact flow of H = |p|^2/(2m) - k/|q|, any eccentricity, any sign of k.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_MODEL_KEPLER_H
#define LBR_MODEL_KEPLER_H
#include <stdint.h>

/* One body in d >= 1 dimensions over the time s of either sign, in place. 0; or -1 and nothing changed: the body is in
 * the centre or falls into it on the way, m is not positive, or a number is not finite or out of range (|q|^2 and |p|^2
 * below 1e250, |q|^2 above 1e-250, s below 2^50 periods). */
int lbr_kepler_flow(int64_t d, double m, double k, double s, double *q, double *p);
/* The same as dq = q(s) - q(0), dp = p(s) - p(0), each with a small error relative to itself however small s is. */
int lbr_kepler_increment(int64_t d, double m, double k, double s, const double *q, const double *p, double *dq,
                         double *dp);
#endif
