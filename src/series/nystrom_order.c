/* nystrom_order.c - Nystrom methods: order from simplifying assumptions, symplecticity and symmetry of coefficients.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 *     CN(eta): sum_j a_ij c_j^(k-2) = c_i^k/(k (k-1)),
 *         DN(zeta): sum_i b_i c_i^(k-2) a_ij = b_j (c_j^k/(k (k-1)) - c_j/(k-1) + 1/k)
 *
 * for k = 2 .. eta, 2 .. zeta (HLW III, exercise 8); k = 1 is no condition. Residuals are those of the conditions
 * times k (k-1); the ones of quadrature times k. */
#include "assume.h"

#include <stdio.h>

static double stages(const lbr_assumed *m, int k)
{
    double worst = 0;

    for (int i = 0; i < m->s && k > 1; i++) {
        lbr_dd sum = dd(0);

        for (int j = 0; j < m->s; j++) sum = dd_add(sum, dd_mul(m->A[i * m->s + j], dd_pow(m->c[j], k - 2)));
        worst = lbr_larger(worst, lbr_dd_size(dd_sub(dd_scale(k * (k - 1), sum), dd_pow(m->c[i], k))));
    }
    return worst;
}

static double adjoints(const lbr_assumed *m, int k)
{
    double worst = 0;

    for (int j = 0; j < m->s && k > 1; j++) {
        lbr_dd sum = dd(0), right = dd_add(dd_sub(dd_pow(m->c[j], k), dd_scale(k, m->c[j])), dd(k - 1));

        for (int i = 0; i < m->s; i++)
            sum = dd_add(sum, dd_mul(dd_mul(m->b[i], dd_pow(m->c[i], k - 2)), m->A[i * m->s + j]));
        worst = lbr_larger(worst, lbr_dd_size(dd_sub(dd_scale(k * (k - 1), sum), dd_mul(m->b[j], right))));
    }
    return worst;
}

/* bbar_i = b_i (1 - c_i): the conditions of y follow from those of y'. */
static double weights(const lbr_assumed *m)
{
    double worst = 0;

    for (int i = 0; i < m->s; i++)
        worst = lbr_larger(worst, lbr_dd_size(dd_sub(m->bbar[i], dd_mul(m->b[i], dd_sub(dd(1), m->c[i])))));
    return worst;
}

int lbr_nystrom_assumptions(int s, const lbr_dd *A, const lbr_dd *bbar, const lbr_dd *b, const lbr_dd *c, double tol,
                            lbr_order *out)
{
    lbr_assumed m = { .s = s, .A = A, .bbar = bbar, .b = b, .c = c };
    double worst = weights(&m);
    int p, q, r;

    *out = (lbr_order){ .failing = worst };
    if (!(worst <= tol))
        return snprintf(out->detail, sizeof out->detail, "bbar_i = b_i (1 - c_i): residual %.1e", worst), 0;
    p = lbr_assume_reach(&m, lbr_assume_quadrature, 2 * s, tol, &worst),
    q = lbr_assume_reach(&m, stages, s, tol, &worst), r = lbr_assume_reach(&m, adjoints, s, tol, &worst);
    *out = (lbr_order){ .order = lbr_least(p, lbr_least(2 * q + 2, q + r)), .residual = worst };
    out->exact = out->order == p;
    if (out->exact) out->failing = lbr_assume_quadrature(&m, p + 1);
    snprintf(out->detail, sizeof out->detail,
             out->exact ? "quadrature of order %d and no higher, CN(%d), DN(%d), bbar = b (1 - c)"
                        : "order at least %d, as CN(%d), DN(%d), bbar = b (1 - c) hold",
             out->order, q, r);
    return 0;
}

double lbr_nystrom_symplectic_residual(int s, int stride, const lbr_dd *A, const lbr_dd *bbar, const lbr_dd *b,
                                       const lbr_dd *c)
{
    lbr_assumed m = { .s = s, .A = A, .bbar = bbar, .b = b, .c = c };
    double worst = weights(&m);

    for (int i = 0; i < s; i++)
        for (int j = 0; j < i; j++) {
            lbr_dd left = dd_mul(b[i], dd_sub(bbar[j], A[i * stride + j])),
                   right = dd_mul(b[j], dd_sub(bbar[i], A[j * stride + i]));

            worst = lbr_larger(worst, lbr_dd_size(dd_sub(left, right)));
        }
    return worst;
}

/* Against the adjoint, as in plan/nystrom.c. */
double lbr_nystrom_symmetric_residual(int s, const lbr_dd *A, const lbr_dd *Ahat, const lbr_dd *bbar, const lbr_dd *b,
                                      const lbr_dd *c)
{
    double worst = 0;

    for (int i = 0, u = s - 1; i < s; i++, u--) {
        worst = lbr_larger(worst, lbr_dd_size(dd_sub(dd_add(c[i], c[u]), dd(1))));
        worst = lbr_larger(worst, lbr_dd_size(dd_sub(b[i], b[u])));
        worst = lbr_larger(worst, lbr_dd_size(dd_sub(dd_add(bbar[i], bbar[u]), b[i])));
        for (int j = 0, v = s - 1; j < s; j++, v--) {
            lbr_dd a = dd_add(dd_sub(A[u * s + v], bbar[v]), dd_mul(dd_sub(dd(1), c[u]), b[v]));

            worst = lbr_larger(worst, lbr_dd_size(dd_sub(a, A[i * s + j])));
            if (Ahat) worst = lbr_larger(worst, lbr_dd_size(dd_sub(dd_add(Ahat[u * s + v], Ahat[i * s + j]), b[j])));
        }
    }
    return worst;
}

double lbr_nystrom_induced_residual(int s, const lbr_dd *A, const lbr_dd *Ahat, const lbr_dd *bbar, const lbr_dd *b,
                                    const lbr_dd *c)
{
    double worst = 0;

    for (int i = 0; i <= s; i++) { /* the last row: b */
        const lbr_dd *row = i < s ? Ahat + i * s : b;
        lbr_dd total = dd(0);

        for (int j = 0; j < s; j++) {
            lbr_dd sum = dd(0);

            for (int k = 0; k < s; k++) sum = dd_add(sum, dd_mul(row[k], Ahat[k * s + j]));
            worst = lbr_larger(worst, lbr_dd_size(dd_sub(sum, i < s ? A[i * s + j] : bbar[j])));
            total = dd_add(total, row[j]);
        }
        worst = lbr_larger(worst, lbr_dd_size(dd_sub(total, i < s ? c[i] : dd(1))));
    }
    return worst;
}
