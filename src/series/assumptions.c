/* assumptions.c - order from the simplifying assumptions; symplecticity and symmetry of coefficients.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Trees become too many beyond order 13. For collocation-like methods Butcher's theorem needs no trees (HLW II.1.11 and
 * after):
 *
 *     B(p): sum_i b_i c_i^(k-1) = 1/k,  k <= p        C(q): sum_j a_ij c_j^(k-1) = c_i^k/k,  k <= q
 *     D(r): sum_i b_i c_i^(k-1) a_ij = b_j (1 - c_j^k)/k,  k <= r        imply order min(p, 2q+2, q+r+1).
 *
 * A symmetric method has an even one (HLW II.3.2): Lobatto IIIS has C(s-2) and D(s-2), which alone are one order short.
 * For a pair with the same weights, C(q), D(r) of A and C(q^), D(r^) of A^ with the same nodes c, a tree differs from
 * that of the exact solution by terms with one defect of a stage, which D takes away, or with two. With m = min(q, q^)
 * the order is at least
 *
 *     min(p, 2m+2, q+r+1, q^+r^+1, m+min(r, r^)+2).
 *
 * The first defect of A has q+1 vertices and may stand at the end of a chain of matrices of both kinds: from the root
 * on, D turns b c^k A into b (1 - c^(k+1))/(k+1) as long as k < r, and at the end it must do so for the defect's own
 * matrix. Lobatto IIIA-IIIB: C(s), D(s-2) and C(s-2), D(s), order 2s-2 (HLW II.2.2).
 *
 * Residuals are those of the conditions times k. The order of a quadrature formula can only be seen if its error
 * constant is above `tol`; for Gauss B(2s+1) misses by about 16^-s. That it cannot have more than order 2s needs no
 * arithmetic. */
#include "assume.h"

#include <stdio.h>

double lbr_assume_quadrature(const lbr_assumed *m, int k)
{
    lbr_dd sum = dd(0);

    for (int i = 0; i < m->s; i++) sum = dd_add(sum, dd_mul(m->b[i], dd_pow(m->c[i], k - 1)));
    return lbr_dd_size(dd_sub(dd_scale(k, sum), dd(1)));
}

int lbr_assume_reach(const lbr_assumed *m, lbr_assumption *holds, int most, double tol, double *worst)
{
    int k = 0;

    for (; k < most; k++) {
        double r = holds(m, k + 1);

        if (!(r <= tol)) break;
        *worst = lbr_larger(*worst, r);
    }
    return k;
}

static double stages(const lbr_assumed *m, int k)
{
    double worst = 0;

    for (int i = 0; i < m->s; i++) {
        lbr_dd sum = dd(0);

        for (int j = 0; j < m->s; j++) sum = dd_add(sum, dd_mul(m->A[i * m->s + j], dd_pow(m->c[j], k - 1)));
        worst = lbr_larger(worst, lbr_dd_size(dd_sub(dd_scale(k, sum), dd_pow(m->c[i], k))));
    }
    return worst;
}

static double adjoints(const lbr_assumed *m, int k)
{
    double worst = 0;

    for (int j = 0; j < m->s; j++) {
        lbr_dd sum = dd(0), right = dd_mul(m->b[j], dd_sub(dd(1), dd_pow(m->c[j], k)));

        for (int i = 0; i < m->s; i++)
            sum = dd_add(sum, dd_mul(dd_mul(m->b[i], dd_pow(m->c[i], k - 1)), m->A[i * m->s + j]));
        worst = lbr_larger(worst, lbr_dd_size(dd_sub(dd_scale(k, sum), right)));
    }
    return worst;
}

int lbr_assumptions_order(int s, const lbr_dd *A, const lbr_dd *b, const lbr_dd *c, double tol, lbr_order *out)
{
    lbr_assumed m = { .s = s, .A = A, .b = b, .c = c };
    const char *even = "";
    double worst = 0;
    int p = lbr_assume_reach(&m, lbr_assume_quadrature, 2 * s, tol, &worst),
        q = lbr_assume_reach(&m, stages, s, tol, &worst), r = lbr_assume_reach(&m, adjoints, s, tol, &worst);

    *out = (lbr_order){ .order = lbr_least(p, lbr_least(2 * q + 2, q + r + 1)), .residual = worst };
    if (out->order < p && out->order % 2 && lbr_symmetric_residual(s, A, b) <= tol)
        out->order++, even = " and it is symmetric";
    out->exact = out->order == p;
    if (out->exact) {
        out->failing = lbr_assume_quadrature(&m, p + 1), out->constant = out->failing / (p + 1);
        snprintf(out->detail, sizeof out->detail, "B(%d): residual %.1e (B(%d), C(%d), D(%d) hold%s)", p + 1,
                 out->failing, p, q, r, even);
    } else {
        snprintf(out->detail, sizeof out->detail, "order at least %d, as B(%d), C(%d), D(%d) hold%s", out->order, p, q,
                 r, even);
    }
    return 0;
}

int lbr_assumptions_pair(int s, const lbr_dd *A, const lbr_dd *A2, const lbr_dd *b, const lbr_dd *c, double tol,
                         lbr_order *out)
{
    lbr_assumed m = { .s = s, .A = A, .b = b, .c = c }, m2 = { .s = s, .A = A2, .b = b, .c = c };
    const char *even = "";
    double worst = 0;
    int p = lbr_assume_reach(&m, lbr_assume_quadrature, 2 * s, tol, &worst),
        q = lbr_assume_reach(&m, stages, s, tol, &worst), r = lbr_assume_reach(&m, adjoints, s, tol, &worst);
    int q2 = lbr_assume_reach(&m2, stages, s, tol, &worst), r2 = lbr_assume_reach(&m2, adjoints, s, tol, &worst),
        low = lbr_least(q, q2);

    *out = (lbr_order){ .order = lbr_least(lbr_least(p, 2 * low + 2),
                                           lbr_least(lbr_least(q + r, q2 + r2) + 1, low + lbr_least(r, r2) + 2)),
                        .residual = worst };
    if (out->order < p && out->order % 2 && lbr_symmetric_residual(s, A, b) <= tol &&
        lbr_symmetric_residual(s, A2, b) <= tol)
        out->order++, even = " and it is symmetric";
    out->exact = out->order == p && q > 0;
    if (out->exact) {
        out->failing = lbr_assume_quadrature(&m, p + 1), out->constant = out->failing / (p + 1);
        snprintf(out->detail, sizeof out->detail,
                 "B(%d): residual %.1e (B(%d); C(%d), D(%d) for q; C(%d), D(%d) for p hold%s)", p + 1, out->failing, p,
                 q, r, q2, r2, even);
    } else {
        snprintf(out->detail, sizeof out->detail,
                 "order at least %d, as B(%d); C(%d), D(%d) for q; C(%d), D(%d) for p hold%s", out->order, p, q, r, q2,
                 r2, even);
    }
    return 0;
}

double lbr_symplectic_pair_residual(int s, const lbr_dd *A, const lbr_dd *b, const lbr_dd *A2, const lbr_dd *b2)
{
    double worst = 0;

    for (int i = 0; i < s; i++)
        for (int j = 0; j < s; j++) {
            lbr_dd left = dd_add(dd_mul(b[i], A2[i * s + j]), dd_mul(b2[j], A[j * s + i]));
            worst = lbr_larger(worst, lbr_dd_size(dd_sub(left, dd_mul(b[i], b2[j]))));
        }
    return worst;
}

double lbr_weights_residual(int s, const lbr_dd *b, const lbr_dd *b2)
{
    double worst = 0;

    for (int i = 0; i < s; i++) worst = lbr_larger(worst, lbr_dd_size(dd_sub(b[i], b2[i])));
    return worst;
}

double lbr_symplectic_residual(int s, const lbr_dd *A, const lbr_dd *b)
{
    double worst = 0;

    for (int i = 0; i < s; i++)
        for (int j = 0; j <= i; j++) {
            lbr_dd left = dd_add(dd_mul(b[i], A[i * s + j]), dd_mul(b[j], A[j * s + i]));
            worst = lbr_larger(worst, lbr_dd_size(dd_sub(left, dd_mul(b[i], b[j]))));
        }
    return worst;
}

double lbr_symmetric_residual(int s, const lbr_dd *A, const lbr_dd *b)
{
    double worst = 0;

    for (int i = 0; i < s; i++) {
        worst = lbr_larger(worst, lbr_dd_size(dd_sub(b[s - 1 - i], b[i])));
        for (int j = 0; j < s; j++)
            worst = lbr_larger(worst, lbr_dd_size(dd_sub(dd_add(A[(s - 1 - i) * s + s - 1 - j], A[i * s + j]), b[j])));
    }
    return worst;
}

double lbr_palindrome_residual(int n, const lbr_dd *c, const unsigned char *letter)
{
    double worst = 0;

    for (int k = 0; k < n; k++) {
        if (letter && letter[n - 1 - k] != letter[k]) return INFINITY;
        worst = lbr_larger(worst, lbr_dd_size(dd_sub(c[n - 1 - k], c[k])));
    }
    return worst;
}

double lbr_alternation_residual(int n, const lbr_dd *c, const unsigned char *adjoint)
{
    for (int k = 0; k < n; k++)
        if (!adjoint[n - 1 - k] == !adjoint[k]) return INFINITY;
    return lbr_palindrome_residual(n, c, NULL);
}
