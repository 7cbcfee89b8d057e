/* operators.h - what operators of method expressions work with: one function each, and a row in the table of flatten.c. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_PLAN_OPERATORS_H
#define LBR_PLAN_OPERATORS_H
#include "flatten.h"

typedef struct lbr_flattening {
    const lbr_names *names;
    lbr_arena *arena;
    lbr_message *m;
    lbr_flat *flat;                                 /* the bases are collected here */
} lbr_flattening;

typedef struct lbr_whole { lbr_steps pre, kernel, post, processor; } lbr_whole;      /* the steps of one map */

/* From an operator and its arguments to steps; `out` is empty before. */
typedef lbr_status lbr_operator_fn(lbr_flattening *c, lbr_expr *e, lbr_whole *out);
lbr_operator_fn lbr_operator_made, lbr_operator_tableau, lbr_operator_pair, lbr_operator_hager, lbr_operator_additive;

/* An argument that is a method, as one list of steps. */
lbr_status lbr_flatten_operand(lbr_flattening *c, lbr_expr *e, lbr_steps *out);
/* One step of a basic map, which is entered where it is new. */
lbr_status lbr_flatten_base(lbr_flattening *c, lbr_base base, lbr_steps *out);
/* One step of a tableau, which must be consistent. */
lbr_status lbr_flatten_tableau(lbr_flattening *c, const lbr_method *claims, const lbr_numbers *x, lbr_steps *out);
/* "'pair' is used like this: ..."; LBR_EMETHOD. */
lbr_status lbr_flatten_misused(lbr_flattening *c, const char *name);
#endif
