/* op.h - what each operation does to numbers: for constants, for the interpreter, for its lanes.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_GRAPH_OP_H
#define LBR_GRAPH_OP_H
#include <math.h>

/* mod: x brought into [0, m), never m itself, and not -0. min: the first one unless the second is smaller; a NaN stays.
 * A macro, so that kernels can have the text. */
#define LBR_OP_FUNCTIONS                                                                    \
    static inline double lbr_op_mod(double x, double m)                                     \
    {                                                                                       \
        double r = fmod(x, m);                                                              \
        if (r != 0 && (r < 0) != (m < 0)) r += m;                                           \
        return r == m ? 0 : r + 0.0;                                                        \
    }                                                                                       \
    static inline double lbr_op_sign(double x) { return (x > 0) - (x < 0); }                \
    static inline double lbr_op_min(double a, double b) { return b < a || b != b ? b : a; } \
    static inline double lbr_op_max(double a, double b) { return b > a || b != b ? b : a; }
LBR_OP_FUNCTIONS

/* X(op, expression in a, b, c): every operation of numbers alone. */
/* clang-format off */
#define LBR_OP_NUMBERS(X)                                                                                              \
    X(NEG, -a) X(ABS, fabs(a)) X(SQRT, sqrt(a)) X(CBRT, cbrt(a)) X(EXP, exp(a)) X(LOG, log(a)) X(SIN, sin(a))          \
    X(COS, cos(a)) X(TAN, tan(a)) X(ASIN, asin(a)) X(ACOS, acos(a)) X(ATAN, atan(a)) X(SINH, sinh(a)) X(COSH, cosh(a)) \
    X(TANH, tanh(a)) X(ASINH, asinh(a)) X(ACOSH, acosh(a)) X(ATANH, atanh(a)) X(ERF, erf(a)) X(FLOOR, floor(a))        \
    X(SIGN, lbr_op_sign(a)) X(NOT, (double)(a == 0)) X(ADD, a + b) X(SUB, a - b) X(MUL, a * b) X(DIV, a / b)           \
    X(POW, pow(a, b)) X(ATAN2, atan2(a, b)) X(HYPOT, hypot(a, b)) X(MIN, lbr_op_min(a, b)) X(MAX, lbr_op_max(a, b))    \
    X(MOD, lbr_op_mod(a, b)) X(LT, (double)(a < b)) X(LE, (double)(a <= b)) X(EQ, (double)(a == b))                    \
    X(AND, (double)(a != 0 && b != 0)) X(OR, (double)(a != 0 || b != 0)) X(FMA, fma(a, b, c)) X(SELECT, a != 0 ? b : c)
/* clang-format on */

/* Those with a sign taken in. */
/* clang-format off */
#define LBR_OP_SIGNED(X) X(FMS, fma(a, b, -c)) X(FNMA, fma(-a, b, c)) X(FNMS, fma(-a, b, -c)) X(NMUL, -a * b) X(MOV, a)
/* clang-format on */
#endif
