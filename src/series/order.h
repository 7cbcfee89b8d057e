/* order.h - order, symmetry and symplecticity of a method, decided by algebra on its coefficients.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Trees serve Runge-Kutta, partitioned and drift-kick methods (HLW III.1-2), words in non-commuting letters serve
 * splittings and compositions (HLW III.3-5), the assumptions B, C, D serve collocation-like methods of any order (HLW
 * II.1). A condition holds when its residual is at most `tol`: phi(tau) gamma(tau) - 1 for a tree, the plain difference
 * of coefficients for a word. A `max` beyond what can be searched is cut; exact = 0 and the order then say how far the
 * search went. Every function that returns int returns 0, or -1 when memory is gone (then *out is worthless). Nothing
 * is kept between calls. */
#ifndef LBR_SERIES_ORDER_H
#define LBR_SERIES_ORDER_H
#include "core/dd.h"
#include "libration/series.h"

#include <stdint.h>

typedef struct lbr_order {
    int order;        /* all conditions up to this order hold (0: not even consistent) */
    int exact;        /* 1: a condition of order+1 was seen to fail; 0: the search stopped at `max` */
    double residual;  /* the largest residual among the conditions that hold */
    double failing;   /* residual of the first condition that fails */
    double constant;  /* the error constant: the largest difference of coefficients, of trees phi - 1/gamma, among
                         conditions of order+1; 0: not seen */
    char detail[200]; /* the first condition that fails in words, "tree [[.],.] of order 4: residual 3.1e-02" */
} lbr_order;

/* Which trees: one colour; two colours (q' = f(q,p), p' = g(q,p)); two alternating colours (q' = f(p), p' = g(q));
 * the same where f is linear, so that a q-vertex has at most one son (q'' = g(q), HLW III.2.10, III.2.12); and q'' =
 * g(q, q'), where a q-vertex has at most one son, a p-vertex (HLW III.2.10); and y' = f(t, y), where t is a leaf of its
 * own. */
typedef enum {
    LBR_TREES_ROOTED,
    LBR_TREES_BICOLOURED,
    LBR_TREES_SEPARABLE,
    LBR_TREES_NYSTROM,
    LBR_TREES_GENERAL_NYSTROM,
    LBR_TREES_TIMED
} lbr_trees;

/* Number of trees with `order` vertices, both root colours together; -1 when memory is gone. At most 13, or 10 with two
 * colours. */
int64_t lbr_trees_count(lbr_trees kind, int order);

/* A Runge-Kutta method (A by rows, s*s), or a partitioned one: A, b for q, A2, b2 for p (ignored for LBR_TREES_ROOTED).
 * All trees up to `max` (at most 13, or 10 with two colours), then of order max+1 the bushes [.,...,.] alone. */
int lbr_trees_order(lbr_trees kind, int s, const lbr_dd *A, const lbr_dd *b, const lbr_dd *A2, const lbr_dd *b2,
                    int max, double tol, lbr_order *out);

/* A Nystrom method (HLW II.2.11), y and y' alike: trees of q'' = g(q, q') where Ahat is there, else of q'' = g(q). max
 * is at most 10. */
int lbr_trees_nystrom(int s, const lbr_dd *A, const lbr_dd *Ahat, const lbr_dd *bbar, const lbr_dd *b, const lbr_dd *c,
                      int max, double tol, lbr_order *out);

/* A Runge-Kutta method for y' = f(t, y) whose stages have times c that are not the sums of their rows. max is at
 * most 10. */
int lbr_trees_timed(int s, const lbr_dd *A, const lbr_dd *b, const lbr_dd *c, int max, double tol, lbr_order *out);

/* A splitting method for H = T(p) + V(q): step k, in order of application, is the flow of T over c[k] h (kick[k] = 0)
 * or of V (kick[k] = 1). quadratic: T is quadratic, which leaves fewer conditions. max is at most 10. O(n) per tree. */
int lbr_trees_splitting(int n, const lbr_dd *c, const unsigned char *kick, int quadratic, int max, double tol,
                        lbr_order *out);

/* Number of Lyndon words of a degree; weight[i] is the degree of letter i (NULL: all 1). -1 when memory is gone or
 * there are too many words to hold. */
int lbr_words_count(int letters, const int *weight, int degree);

/* The same for a splitting into 2, 3 or 4 parts, by words: step k is the flow of part letter[k] < letters over c[k] h.
 * Degrees up to max+1 are looked at (max at most 10), fewer where the words get too many: up to 11, 8, 6 for 2, 3, 4
 * parts. */
int lbr_words_splitting(int n, const lbr_dd *c, const unsigned char *letter, int letters, int max, double tol,
                        lbr_order *out);

/* Phi_{c[n-1] h} o ... o Phi_{c[0] h}; adjoint[k] != 0 takes Phi* instead (NULL: nowhere). max is at most 10. */
int lbr_words_composition(int n, const lbr_dd *c, const unsigned char *adjoint, int base_order, int base_symmetric,
                          int max, double tol, lbr_order *out);

/* The same for compositions of compositions, level by level, of any length and order. order = 0: the list is none (or
 * its levels are too long). */
int lbr_nested_order(int n, const lbr_dd *c, const unsigned char *adjoint, int base_order, int base_symmetric,
                     double tol, lbr_order *out);

/* chi o K o chi^-1: K composes the nk kernel steps, chi the np processor steps, first entry applied first (HLW V.3.16).
 */
int lbr_words_processed(int nk, const lbr_dd *kernel, int np, const lbr_dd *processor, int base_order,
                        int base_symmetric, int max, double tol, lbr_order *out);

/* min(p, 2q+2, q+r+1) from B(p), C(q), D(r): a lower bound for the order, and the order itself where exact = 1. For
 * many stages `tol` must lie below the error constant, about 16^-s. */
int lbr_assumptions_order(int s, const lbr_dd *A, const lbr_dd *b, const lbr_dd *c, double tol, lbr_order *out);

/* Where letter 0 is a large part and the others are small: order (s_1, s_2, ..) in the modified Hamiltonian, as the
 * number
 * ((s_1 100) + s_2) 100 + ... ; at least two places, and as many as are needed to come down to `order`. 31 steps of
 * degree are looked at. */
enum { LBR_NEAR_DEGREE = 31, LBR_NEAR_PLACES = 3 };
int lbr_near_order(int n, const lbr_dd *c, const unsigned char *letter, int letters, int order, double tol,
                   lbr_order *out);
/* Such a code of a claim, "8,4" (0 of NULL; -1: it is none); the first of its numbers; and as people write it, cut to
 * fit `size` bytes: 804 is (8,4), 100604 is (10,6,4). */
int lbr_near_code(const char *text);
int lbr_near_first(int code);
const char *lbr_near_text(int code, char *text, size_t size);

/* The same for a pair with weights b for both, A for q and A2 for p, from B(p) and C(q), D(r) of each: assumptions.c
 * says how. */
int lbr_assumptions_pair(int s, const lbr_dd *A, const lbr_dd *A2, const lbr_dd *b, const lbr_dd *c, double tol,
                         lbr_order *out);

/* To which order a Runge-Kutta method is conjugate to a symplectic one, by a change of variables chi_h that is a
 * B-series (HLW VI.8): pairs of trees with up to max (at most 8) vertices together. */
int lbr_conjugate_order(int s, const lbr_dd *A, const lbr_dd *b, int max, double tol, lbr_order *out);

/* The same for q'' = g(q), from quadrature, bbar = b (1 - c), CN(eta) and DN(zeta): min(p, 2 eta + 2, eta + zeta), HLW
 * III, exercise 8. */
int lbr_nystrom_assumptions(int s, const lbr_dd *A, const lbr_dd *bbar, const lbr_dd *b, const lbr_dd *c, double tol,
                            lbr_order *out);
/* bbar_i = b_i (1 - c_i) and b_i (bbar_j - a_ij) = b_j (bbar_i - a_ji), HLW VI.4.5; a_ij = A[i stride + j]. */
double lbr_nystrom_symplectic_residual(int s, int stride, const lbr_dd *A, const lbr_dd *bbar, const lbr_dd *b,
                                       const lbr_dd *c);
/* The adjoint is the method itself; Ahat may be NULL. */
double lbr_nystrom_symmetric_residual(int s, const lbr_dd *A, const lbr_dd *Ahat, const lbr_dd *bbar, const lbr_dd *b,
                                      const lbr_dd *c);
/* A = Ahat^2, bbar = b Ahat, c = Ahat 1: the Runge-Kutta method Ahat, b for y' (HLW II.2.10). */
double lbr_nystrom_induced_residual(int s, const lbr_dd *A, const lbr_dd *Ahat, const lbr_dd *bbar, const lbr_dd *b,
                                    const lbr_dd *c);

double lbr_symplectic_residual(int s, const lbr_dd *A, const lbr_dd *b); /* b_i a_ij + b_j a_ji = b_i b_j, HLW VI.4.2 */
double lbr_symplectic_pair_residual(int s, const lbr_dd *A, const lbr_dd *b, const lbr_dd *A2,
                                    const lbr_dd *b2); /* b_i a^_ij + b^_j a_ji = b_i b^_j, HLW VI.4.3 */
double lbr_weights_residual(int s, const lbr_dd *b, const lbr_dd *b2);  /* b^ = b, HLW VI.4.4 */
double lbr_symmetric_residual(int s, const lbr_dd *A, const lbr_dd *b); /* a_{s+1-i,s+1-j} + a_ij = b_j, HLW V.2.4 */
/* c[n-1-k] = c[k] and equal letters (NULL: one letter); INFINITY where the letters differ. */
double lbr_palindrome_residual(int n, const lbr_dd *c, const unsigned char *letter);
/* c[n-1-k] = c[k] and adjoint against not adjoint (HLW V.3.1); INFINITY where they do not alternate. */
double lbr_alternation_residual(int n, const lbr_dd *c, const unsigned char *adjoint);
#endif
