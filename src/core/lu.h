/* lu.h - dense linear systems, by LU with row pivoting. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_CORE_LU_H
#define LBR_CORE_LU_H
#include <stdint.h>

/* Factorises the n x n matrix M (by rows) in place; pivot has n entries. 0, or the 1-based column where it is singular.
 */
int64_t lbr_lu_factor(int64_t n, double *M, int64_t *pivot);
/* Solves in place. */
void lbr_lu_solve(int64_t n, const double *M, const int64_t *pivot, double *x);

/* The same with complex numbers: real part, imaginary part (lu_complex.c). */
int64_t lbr_lu_complex_factor(int64_t n, double *M, int64_t *pivot);
void lbr_lu_complex_solve(int64_t n, const double *M, const int64_t *pivot, double *x);
#endif
