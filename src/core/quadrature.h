/* quadrature.h - the formulas of Gauss, Radau and Lobatto, to all digits. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_CORE_QUADRATURE_H
#define LBR_CORE_QUADRATURE_H
#include "dd.h"

enum { LBR_QUADRATURE_MOST = 16 };

/* The nodes are the zeros of P_s + sign P_{s-ends}; `ends` of them are -1 or 1. Those from the place `mirror` s on are
 * those on the left with the other sign. The others are near -cos(pi (i + a)/(s + d)). The formula has order 2s - ends.
 */
typedef struct lbr_formula {
    int ends;
    double sign, mirror, a, d;
} lbr_formula;

extern const lbr_formula lbr_gauss_points, lbr_radau_left, lbr_radau_right, lbr_lobatto_points;

/* Node i of s in [0, 1], i = 0 .. s - 1, and its weight; and row i (s numbers) of the matrix W of the orthonormal
 * Legendre polynomials of [0, 1] there: W^T B W = I, but with Lobatto the last entry is (2s - 1)/(s - 1), so that b_i
 * sum_k w_ik^2 = 1 with its inverse as a factor. */
void lbr_quadrature_node(const lbr_formula *f, int s, int i, lbr_dd *node, lbr_dd *weight, lbr_dd *w);
#endif
