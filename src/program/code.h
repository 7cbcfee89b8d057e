/* code.h - a part of the graph made into instructions for a register machine, and the machine.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Bits: what the graph says, in this order, which compiled code keeps too. It follows from the graph alone; what else
 * is computed at the same time never matters.
 *
 * A term is added to a sum as fma(a, b, sum) if its node is MUL(a, b), as fma(-a, b, sum) if it is NEG(MUL(a, b)),
 * else as sum + term. The first term is the sum so far (a product is then rounded). SUM over loop L is innermost
 * unless, on the way from its body through nodes of scope L, there is a reduction (whose loop then stands in L).
 * Innermost, up to 8 iterations: from the left. More: eight partial sums, iteration k (from 0) goes to sum k mod 8,
 * and then ((0+4)+(2+6))+((1+5)+(3+7)). Not innermost: from the left. PROD, LARGEST, SMALLEST: from the left, with *,
 * lbr_op_max(so far, next), lbr_op_min. Empty ranges: SUM 0, PROD 1, the others NaN.
 *
 * A flat array is its element[] nodes. Any other made array is zero, and then gets its entries: an entry that adds
 * does it as a term (see above; the element is the sum, also the first time). If one of them sets, they are taken in
 * their order; if all add, those in the same loop are brought together (lbr_code_entry_order). Then those that follow
 * each other and stand in the same outermost loop go through that loop together; in each iteration of it likewise,
 * with the next inner loops. A loop in which all entries of such a row stand themselves, and no index or value of
 * which needs a reduction in it (as above), runs in strips of 8 iterations: in each strip entry after entry, for each
 * the iterations in order. An entry whose index is out of range is left out.
 *
 * A load whose index is out of range gives the nearest element (of a shifted state, of those from the shift on), for a
 * SELECT to discard. So the pointer to an input must hold every element that an index reaches in any iteration, also
 * in a branch that is not taken. */
#ifndef LBR_PROGRAM_CODE_H
#define LBR_PROGRAM_CODE_H
#include "graph/dag.h"

typedef struct lbr_code lbr_code;

/* What a function gives: an array (array >= 0) to out[at ..], or a node of the top to out[at]. */
typedef struct lbr_output {
    int array;
    lbr_ref node;
    int64_t at;
} lbr_output;

/* The function with these outputs. `shift`, of input 0 (the state): element i is read at [i - shift], so that a
 * function of the momenta alone can be given a pointer to the momenta. What an input's pointer must hold is what is
 * loaded from it. The graph can be freed afterwards; data arrays are borrowed. */
lbr_status lbr_code_make(lbr_code **code, const lbr_dag *dag, const lbr_output *out, int nout, int64_t shift,
                         lbr_message *message);
void lbr_code_free(lbr_code *code);

/* Evaluates. input[i] is input number i of the graph (NULL where nothing is loaded from it); out overlaps none of them.
 * Nothing is allocated but once per thread that is inside at the same time. 0, or -1: no memory, or a matrix that
 * cannot be solved with; out then has no meaning. */
int lbr_code_run(lbr_code *code, double t, const double *const *input, double *out);

/* The same, counted: of *left, evaluations that may still be made, what it takes is taken. LBR_CODE_SPENT, and *left
 * below 0: there were not enough; then it ended before its time, and out has no meaning. Not with machine code. */
int lbr_code_run_within(lbr_code *code, double t, const double *const *input, double *out, double *left);
enum { LBR_CODE_SPENT = -2 };
/* What an operation takes: a call of the C library is one evaluation, a simple operation an eighth of it. */
double lbr_op_weight(int op);

/* w states at once: component i of state l of input 0 is at input[0][i*w + l], of output i at out[i*w + l]; t[l]; the
 * other inputs are shared by all. Every lane has the bits of lbr_code_run. */
int lbr_code_run_block(lbr_code *code, int64_t w, const double *t, const double *const *input, double *out);

/* An instruction set (lbr_isa of stepper.h) instead of the best one there is. All give the same bits. 0, or -1: not
 * here. */
int lbr_code_isa(lbr_code *code, int isa);

/* Machine code for it (emit.h), which lbr_code_run calls from then on; NULL: none. Not while anybody runs it. */
struct lbr_kernel_data;
typedef int (*lbr_native_fn)(double t, const double *const *input, double *out, const struct lbr_kernel_data *data);
void lbr_code_native(lbr_code *code, lbr_native_fn fn, const struct lbr_kernel_data *data);
/* A function in extended precision, which lbr_code_run calls while `low` has low parts of the state (y): values are
 * y + low->y at t + low->t, and what the results have beyond doubles goes to low->out, where that is not NULL. */
typedef struct lbr_low {
    const double *y;
    double *out, t;
} lbr_low;
void lbr_code_extended(lbr_code *code, lbr_native_fn fn, const struct lbr_kernel_data *data, const lbr_low *low);
/* While on, it is interpreted all the same. */
void lbr_code_interpret(lbr_code *code, int on);

/* The entries of a made array as they are taken, to sorted. If all add: by the outermost loops they stand in, in the
 * order in which these first occur among the entries, what stands in no loop last; in each loop likewise, what stands
 * in it itself last. */
lbr_status lbr_code_entry_order(const lbr_dag *dag, int array, lbr_entry *sorted);

/* For people and tests: instructions, registers; loops. */
typedef struct lbr_code_size {
    int64_t instructions, registers, loops, bytes;
} lbr_code_size;
lbr_code_size lbr_code_measure(const lbr_code *code);

/* --- dense linear algebra, for compiled code too: all by rows, M has n*n (and is destroyed) ---------------------- */

/* X, n x cols, becomes M^-1 X (M^-T X). x has n elements. 0, or -1: singular, or not finite. */
int lbr_code_solve(int64_t n, int64_t cols, int transposed, double *M, double *X, double *x, int64_t *pivot);
double lbr_code_det(int64_t n, double *M, int64_t *pivot);
/* Eigenvalues of a symmetric matrix (its upper triangle is read) by cyclic Jacobi rotations, ascending. */
void lbr_code_eigen(int64_t n, double *M, double *lambda);
/* One of them (lbr_array_kind) on arrays that stay; scratch has rows*rows + 2 rows numbers. */
double lbr_dense_cost(int kind, int64_t rows, int64_t cols); /* in evaluations: 0 of any other kind */
int lbr_code_dense(int kind, int64_t rows, int64_t cols, int transposed, const double *a, const double *b, double *to,
                   double *scratch);
#endif
