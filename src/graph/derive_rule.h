/* derive_rule.h - the chain rule for one operation; both modes of differentiation use it.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_GRAPH_DERIVE_RULE_H
#define LBR_GRAPH_DERIVE_RULE_H
#include "dag.h"

/* w times the derivative of node y with respect to its operand 0, 1 or 2. For SUM and its kin w and the result stand in
 * the loop: the term of one iteration. An operand that occurs twice in a product gives everything the first time. */
lbr_ref lbr_chain(lbr_dag *dag, lbr_ref y, int operand, lbr_ref w);

/* Whether an operation has a derivative with respect to the operand that is not 0 everywhere. */
int lbr_chain_exists(lbr_op op, int operand);

/* k times n factors (which may be changed), from the left; their own constants are multiplied first and stand outside,
 * guards too. */
lbr_ref lbr_chain_product(lbr_dag *dag, double k, lbr_ref *factor, int n);
/* Terms that are to be summed: those that differ in a constant factor become one, and products come last, to be fused.
 * How many are left. */
int32_t lbr_chain_collect(lbr_dag *dag, lbr_ref *term, int32_t n);
/* The sum of a term over a loop, constant factors outside. */
lbr_ref lbr_chain_sum(lbr_dag *dag, int loop, lbr_ref term);

/* f, a node that `loop` contains, in a form in which what depends on `deps` stands in that loop or is an input. In
 * place. */
lbr_status lbr_derive_inline(lbr_dag *dag, lbr_ref *f, int loop, uint32_t deps);

/* --- linear algebra ---------------------------------------------------------------------------------------------- */

typedef void (*lbr_put_fn)(void *ctx, lbr_entry entry);

/* Of X = solve(A, B): the array dX, given dA and dB (-2: 0). Of a determinant the same. */
int lbr_chain_solve(lbr_dag *dag, int x, int da, int db);
int lbr_chain_det(lbr_dag *dag, int x, int da);
/* The other direction: given the adjoint of X, puts that of A, of B. */
void lbr_chain_solve_a(lbr_dag *dag, int x, int w, lbr_put_fn put, void *ctx);
void lbr_chain_solve_b(lbr_dag *dag, int x, int w, lbr_put_fn put, void *ctx);
void lbr_chain_det_a(lbr_dag *dag, int x, int xbar, lbr_put_fn put, void *ctx);
#endif
