/* code_machine.h - the register machine: its instructions, and a program of them. SPDX-License-Identifier: BSD-3-Clause
 *
 * Two files of registers: scalars, and wide ones for two strips of eight lanes. Straight code and outer loops are
 * scalar. An innermost loop is a strip: its instructions are for lanes, and run once for eight iterations. Code without
 * loops can also run whole in lanes, eight states at once; scalar register r is then wide register 8*r. Wide registers
 * of strips have the numbers 0, 16, 32, ... */
#ifndef LBR_PROGRAM_CODE_MACHINE_H
#define LBR_PROGRAM_CODE_MACHINE_H
#include "code.h"

enum { LBR_LANES = 8, LBR_WIDE = 16 }; /* lanes of a strip; of a wide register: two strips */

/* The operations of the graph, and these. X(name, what d, a, b, c are):
 * D, r: written, read, of the file of the place (wide in strips). S, V: written in the scalar, in the wide file; s, v:
 * read; A: read and written, of the file of the place; p: a place; '.': a number or nothing. */
/* clang-format off */
#define LBR_CODE_LIST(X)                                                                                               \
    X(FMS, "Drrr") X(FNMA, "Drrr") X(FNMS, "Drrr") /* a*b - c, c - a*b, -a*b - c */                                    \
    X(NMUL, "Drr.") X(MOV, "Dr..") /* -a*b; a */                                                                       \
    X(GET, "D...") /* element b of slot a */                                                                           \
    X(READ, "Dp..") X(STRIDED, "Dp..") /* at place a: by an index; in strips, by the iteration */                      \
    X(PUT, "pr..") X(PUT_ADD, "pr..") X(PUT_FMA, "prr.") X(PUT_FNMA, "prr.") /* to place d */                          \
    X(COPY_IN, "....") X(COPY_OUT, "....") /* c elements of slot a from b on to (from) registers from d */             \
    X(ZERO, "....") X(COPY, "....") /* c elements of slot a; from slot d */                                            \
    X(FIRST, "S...") /* the number of kind a, before a scalar loop */                                                  \
    X(OPEN, "Sss.") X(START, "A...") X(NEXT, "A.s.") /* index d, lo a, hi b, beyond c; as FIRST; back to c */          \
    X(ACC_SUM, "Ar..") X(ACC_FMA, "Arr.") X(ACC_FNMA, "Arr.") X(ACC_PROD, "Ar..") \
    X(ACC_MAX, "Ar..") X(ACC_MIN, "Ar..") \
    X(CLEAR, "V...") /* START for lanes */                                                                             \
    X(STRIP, ".ss.") X(LAST, "....") /* from a to b, beyond c */                                                       \
    X(FINISH, "Sv..") /* the result of kind b of a strip just run */                                                   \
    X(SPREAD, "Vs..") /* a scalar into all lanes */                                                                    \
    X(DENSE, "....") X(END, "....")                     /* number a */
#define LBR_CODE_ENUM(name, shape) LBR_CODE_##name,
/* clang-format on */
enum { LBR_CODE_BEGIN = LBR_OPS - 1, LBR_CODE_LIST(LBR_CODE_ENUM) LBR_CODES };

/* The most frequent ones, to be told apart first. */
/* clang-format off */
#define LBR_HOT_LIST(X)                                                                                                \
    X(OP_ADD, a + b) X(OP_SUB, a - b) X(OP_MUL, a * b) X(OP_FMA, fma(a, b, c)) X(CODE_FNMA, fma(-a, b, c))             \
    X(OP_DIV, a / b) X(CODE_FMS, fma(a, b, -c)) X(CODE_NMUL, -a * b)
#define LBR_WARM_LIST(X) \
    X(CODE_STRIDED) X(CODE_ACC_SUM) X(CODE_ACC_FMA) X(CODE_ACC_FNMA) X(CODE_PUT_FMA) X(CODE_PUT_FNMA) \
    X(OP_SQRT) X(CODE_LAST)
#define LBR_HOT_ENUM(name, expression) LBR_HOT_##name,
#define LBR_WARM_ENUM(name) LBR_WARM_##name,
/* clang-format on */
enum { LBR_HOT_LIST(LBR_HOT_ENUM) LBR_HOT, LBR_WARM_BEGIN = LBR_HOT - 1, LBR_WARM_LIST(LBR_WARM_ENUM) LBR_WARM };

/* `hot` is its number among the most frequent ones everywhere or (warm) in strips; so many `more` of the same follow.
 */
typedef struct lbr_instr {
    uint8_t hot, more;
    uint16_t op;
    int32_t d, a, b, c;
} lbr_instr;

/* Kinds of reductions: START, FINISH. */
enum { LBR_KIND_SUM, LBR_KIND_PROD, LBR_KIND_MAX, LBR_KIND_MIN };

/* Where something is read or put: address = offset, plus register index (INDEX), or plus stride*iteration plus
 * factor*scalar registers (STRIDE; in strips only). */
typedef enum { LBR_CELL_FIXED, LBR_CELL_INDEX, LBR_CELL_STRIDE } lbr_cell_kind;
typedef struct lbr_cell {
    lbr_cell_kind kind;
    int32_t slot, nregs, reg[2];
    int64_t factor[2], stride, offset;
    int64_t lo, hi; /* addresses that are there */
    int checked;    /* the address may be another one */
} lbr_cell;

/* Where an array is when the machine runs. */
typedef enum { LBR_SLOT_INPUT, LBR_SLOT_DATA, LBR_SLOT_WORK, LBR_SLOT_OUT } lbr_slot_kind;
typedef struct lbr_slot {
    lbr_slot_kind kind;
    int64_t at, covered;
    const double *data;
} lbr_slot; /* covered: elements, all of which get values */

typedef struct lbr_dense {
    lbr_array_kind kind;
    int32_t to, a, b;
    int64_t rows, cols;
    int transposed;
} lbr_dense;

typedef struct lbr_routine {
    lbr_instr *instr, *wide;
    int64_t ninstr, nloops; /* wide: the same for lanes of states, if that can be */
    lbr_cell *place;
    int32_t nplaces;
    lbr_slot *slot;
    int32_t nslots;
    double *constant;
    int32_t nconstants; /* scalar registers 0, 1, ... */
    lbr_dense *dense;
    int32_t ndense;
    int32_t nscalar, nwide;
    int64_t arrays, scratch; /* doubles of made arrays; for dense algebra */
    int64_t nstate, nout;    /* what is read of input 0, written of out, from 0 on */
} lbr_routine;

/* Work memory of doubles, from its beginning: wide registers, scalars, made arrays, scratch. left, or NULL: evaluations
 * that may still be made, of which each loop takes its own before it begins; LBR_CODE_SPENT if there are not enough. */
typedef int (*lbr_code_fn)(const lbr_routine *p, double *work, double *const *slot, double t, double *left);
/* m <= 8 states, lanes of w states; slots of input 0 and out begin at the first of these. */
typedef void (*lbr_code_block_fn)(const lbr_routine *p, double *work, double *const *slot, const double *t, int64_t w,
                                  int m);
typedef struct lbr_code_machine {
    lbr_code_fn run;
    lbr_code_block_fn block;
} lbr_code_machine;
extern const lbr_code_machine lbr_code_machine_baseline, lbr_code_machine_v3, lbr_code_machine_v4;

/* The program itself. */
const lbr_routine *lbr_code_routine(const lbr_code *code);
/* What the instructions in .. end - 1 take, without those of the loops among them. */
double lbr_code_weight(const lbr_routine *p, const lbr_instr *in, const lbr_instr *end);
/* Does dense operation i. 0, or -1. */
int lbr_code_dense_run(const lbr_routine *p, int i, double *scratch, double *const *slot);
#endif
