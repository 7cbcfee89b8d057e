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

typedef struct lbr_whole { lbr_steps pre, kernel, post; } lbr_whole;      /* the steps of one map */

/* From an operator and its arguments to steps; `out` is empty before. */
typedef lbr_status lbr_operator_fn(lbr_flattening *c, lbr_expr *e, lbr_whole *out);
lbr_operator_fn lbr_operator_made, lbr_operator_tableau, lbr_operator_pair, lbr_operator_hager, lbr_operator_additive, lbr_operator_variational, lbr_operator_split, lbr_operator_scale, lbr_operator_process, lbr_operator_nystrom, lbr_operator_burton_scherer, lbr_operator_reduced, lbr_operator_project;

/* An argument that is a method, as one list of steps. */
lbr_status lbr_flatten_operand(lbr_flattening *c, lbr_expr *e, lbr_steps *out);
/* The map that an argument composes, if it does; else itself: what a processor of it is made of. */
lbr_status lbr_flatten_inner(lbr_flattening *c, lbr_expr *e, lbr_steps *out);
/* The table that an argument of `op` names; forms: a bit for each that will do. */
lbr_status lbr_flatten_table(lbr_flattening *c, const char *op, lbr_expr *e, unsigned forms, lbr_numbers *x);
/* The steps of a table over a map. */
lbr_status lbr_flatten_over(lbr_flattening *c, const lbr_numbers *x, lbr_steps map, lbr_steps *out);
/* Steps, or their adjoint, with all of them multiplied. */
lbr_status lbr_flatten_multiple(lbr_flattening *c, lbr_steps a, int adjoint, lbr_dd by, lbr_steps *out);
/* One step of a basic map, which is entered where it is new. */
lbr_status lbr_flatten_base(lbr_flattening *c, lbr_base base, lbr_steps *out);
/* One step of a tableau, which must be consistent. */
lbr_status lbr_flatten_tableau(lbr_flattening *c, const lbr_method *claims, const lbr_numbers *x, lbr_steps *out);
/* One step of a Nystrom method; NULL: out of memory. */
lbr_status lbr_flatten_nystrom(lbr_flattening *c, const lbr_method *claims, const lbr_nystrom *n, lbr_steps *out);
/* flat->composed: compose(TABLE, METHOD) with a table for symmetric maps over steps that are not seen to be symmetric; else NULL. */
lbr_status lbr_flatten_composed(lbr_flattening *c, const lbr_method *claims, const lbr_numbers *x, lbr_steps map);
/* The expression compose(...) inside operators that keep its order, or NULL. */
const lbr_expr *lbr_expr_composing(const lbr_expr *e);
/* "'pair' is used like this: ..."; LBR_EMETHOD. */
lbr_status lbr_flatten_misused(lbr_flattening *c, const char *name);
#endif
