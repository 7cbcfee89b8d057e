/* tableaux.h - Runge-Kutta tableaux that are made: of nodes, of weights, of other tableaux.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_PLAN_TABLEAUX_H
#define LBR_PLAN_TABLEAUX_H
#include "expr.h"
#include "method_rows.h"
#include "stepper/stepper.h"

enum { LBR_NODES_MOST = 16, LBR_TABLEAU_MOST = 256 };

/* The same coefficients; two that are not there are the same, too. */
int lbr_tableau_same(const lbr_tableau *a, const lbr_tableau *b);

/* Made of tableaux. NULL: out of memory.
 * a*_ij = b_{s+1-j} - a_{s+1-i,s+1-j} (HLW V.2.1); the same tableau if it is symmetric. */
lbr_tableau *lbr_tableau_adjoint(lbr_tableau *t, lbr_arena *arena);
/* Step c[0] of part[0], then c[1] of part[1] and so on as one tableau (HLW III.1.28). */
lbr_tableau *lbr_tableau_compose(int64_t n, const lbr_dd *c, const lbr_tableau *const *part, lbr_arena *arena);

/* The symplectic partner: b^ = b, a^_ij = b_j - b_j a_ji/b_i (HLW VI.10.6). LBR_EMETHOD where a b_i is 0: `name` has
 * none. */
lbr_status lbr_tableau_partner(const lbr_tableau *t, const char *name, lbr_tableau **out, lbr_arena *arena,
                               lbr_message *m);

/* Lagrange's polynomials over m nodes. */
typedef struct lbr_lagrange {
    int m, k;
    lbr_dd x[LBR_NODES_MOST], d[LBR_NODES_MOST]; /* nodes; 1/prod (x_j - x_k) */
    lbr_dd g[LBR_NODES_MOST], w[LBR_NODES_MOST]; /* Gauss' formula with k points, exact for degree m - 1 */
} lbr_lagrange;

/* The nodes are different, or values are NaN. */
void lbr_lagrange_init(lbr_lagrange *l, int m, const lbr_dd *x);
lbr_dd lbr_lagrange_value(const lbr_lagrange *l, int j, lbr_dd x);
lbr_dd lbr_lagrange_integral(const lbr_lagrange *l, int j, lbr_dd from, lbr_dd to);
#endif
