/* emit.h - functions of a graph as C text. SPDX-License-Identifier: BSD-3-Clause
 *
 * The text says what the instructions of code.h say, in the same order, so that it has the same bits. A function is
 *
 *     static int NAME(double t, const REAL *x0, const double *x1, ..., REAL *out, const lbr_kernel_data *c)
 *
 * with the inputs that it reads (x0, the state, always), and gives 0 or non-zero as lbr_code_run. REAL is a number or
 * lanes of them. What does not depend on the inputs stays a number (SPLAT makes lanes of it). Sizes are in the text;
 * constants are not: they are c->K[0], K[1], ... in the order of their appearance, so that models that differ in
 * parameters only have the same text. Of the model's own text there is nothing in it: names are ours.
 *
 * lbr_emit_prelude defines what the text uses: REAL, OP_..., S_... (operations on REALs and on numbers), SPLAT.
 * `exact`: lanes call libm number by number; else they have what vector.inc has. In extended precision `double` itself
 * is a number of 113 bits, and c->K has such numbers; doubles are called lbr_half then. */
#ifndef LBR_PROGRAM_EMIT_H
#define LBR_PROGRAM_EMIT_H
#include "code.h"
#include "core/growing_text.h"

/* The functions of one C file: their text and the constants of all. */
typedef struct lbr_unit {
    lbr_text text;
    double *K;
    int64_t nK, most;
    int dense;            /* something is solved with: not for lanes */
    int loops;            /* not everything is written out */
    int64_t live;         /* the most values that are alive at one time in any function */
    int own_times;        /* each lane has its own t, which is a REAL, too */
    int64_t slow, called; /* divisions and roots, or groups of them: a processor waits for each; functions of libm */
} lbr_unit;

/* The flow of a part that is not written as C: what plans call. */
typedef struct lbr_kernel_flow {
    int (*flow)(double t, double h, double *y, void *ctx);
    int (*increment)(double t, double h, const double *y, double *dy, void *ctx);
    void *ctx;
} lbr_kernel_flow;

/* What compiled functions are given beside their arguments. The structs as C text are part of the prelude. */
typedef struct lbr_kernel_data {
    const double *K;
    int (*dense)(int kind, int64_t rows, int64_t cols, int transposed, const double *a, const double *b, double *to,
                 double *scratch);
    const lbr_kernel_flow *part; /* one for each part of the model, where the text calls flows */
    struct lbr_low *low;         /* of functions in extended precision: low parts that go with the call, or NULLs */
} lbr_kernel_data;

/* The definitions before all functions; REAL is a number (width 1), a vector of so many, or one number of extended
 * precision. */
enum { LBR_EXTENDED = 0 };
/* row > 1: before that come `functions` for which REAL is a vector of `row` numbers, and what templates say of such
 * vectors: ROW, ROW_WIDTH, row_of(number), row_fma, row_larger, row_size (the absolute value). */
void lbr_emit_prelude(lbr_text *to, int width, int exact, int row, const char *functions);
/* One function; arguments as those of lbr_code_make. inputs: bit i set if input i (i > 0) is a parameter. */
lbr_status lbr_emit_function(lbr_unit *unit, const char *name, const lbr_dag *dag, const lbr_output *out, int nout,
                             int64_t shift, unsigned *inputs, lbr_message *message);
void lbr_unit_free(lbr_unit *unit);
#endif
