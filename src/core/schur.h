/* schur.h - the real Schur form of a small matrix. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_CORE_SCHUR_H
#define LBR_CORE_SCHUR_H
#include <stdint.h>

/* A = Q R Q^T with orthogonal Q, all n x n by rows. R is upper triangular but for blocks of two rows, where
 * R[k+1][k] is not zero, whose eigenvalues are a complex pair. A triangular A keeps its diagonal to the last digit.
 * room: n doubles. 0: done; 1: the iteration has no end, or A is not finite. */
int lbr_schur(int64_t n, const double *A, double *Q, double *R, double *room);
#endif
