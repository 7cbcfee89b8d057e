/* quadrature.c - the formulas of Gauss, Radau and Lobatto, to all digits. SPDX-License-Identifier: BSD-3-Clause */
#include "quadrature.h"

#include <math.h>

const lbr_formula lbr_gauss_points = { 0, 0, 0.5, 0.75, 0.5 }, lbr_radau_left = { 1, 1, 1, 0.25, 0 },
                  lbr_radau_right = { 1, 1, 0, 0.25, 0 }, lbr_lobatto_points = { 2, -1, 0.5, 0.25, -0.5 };

/* P_0 .. P_n at x by the three-term recursion, and P'_k = P'_{k-2} + (2k - 1) P_{k-1}. */
static void legendre(int n, lbr_dd x, lbr_dd *P, lbr_dd *dP)
{
    P[0] = dd(1), P[1] = x;
    dP[0] = dd(0), dP[1] = dd(1);
    for (int k = 2; k <= n; k++) {
        P[k] = dd_div(dd_sub(dd_scale(2 * k - 1, dd_mul(x, P[k - 1])), dd_scale(k - 1, P[k - 2])), dd(k));
        dP[k] = dd_add(dP[k - 2], dd_scale(2 * k - 1, P[k - 1]));
    }
}

/* The i-th node in [-1, 1], ascending, by Newton. What is known exactly is exact. */
static lbr_dd zero(const lbr_formula *f, int s, int i)
{
    lbr_dd x = dd(-cos(3.14159265358979323846 * (i + f->a) / (s + f->d))), P[LBR_QUADRATURE_MOST + 1],
           dP[LBR_QUADRATURE_MOST + 1];

    if (i == 0 && f->ends) return dd(-1);
    if (2 * i + 1 == s && f->mirror == 0.5) return dd(0);
    for (int k = 0; k < 8; k++) {
        lbr_dd value, slope;

        legendre(s, x, P, dP);
        value = f->ends ? dd_add(P[s], dd_scale(f->sign, P[s - f->ends])) : P[s];
        slope = f->ends ? dd_add(dP[s], dd_scale(f->sign, dP[s - f->ends])) : dP[s];
        x = dd_sub(x, dd_div(value, slope));
    }
    return x;
}

void lbr_quadrature_node(const lbr_formula *f, int s, int i, lbr_dd *node, lbr_dd *weight, lbr_dd *w)
{
    lbr_dd z = i < (int)(f->mirror * s) ? zero(f, s, i) : dd_neg(zero(f, s, s - 1 - i)), sum = dd(0),
           P[LBR_QUADRATURE_MOST + 1], dP[LBR_QUADRATURE_MOST + 1];

    legendre(s, z, P, dP);
    for (int k = 0; k < s; k++) {
        w[k] = dd_mul(dd_sqrt(dd(2 * k + 1)), P[k]);
        sum = dd_add(sum, f->ends < 2 || k < s - 1 ? dd_mul(w[k], w[k])
                                                   : dd_div(dd_scale(s - 1, dd_mul(w[k], w[k])), dd(2 * s - 1)));
    }
    *node = dd_scale(0.5, dd_add(dd(1), z));
    *weight = dd_div(dd(1), sum);
}
