/* flatten.h - a method expression as steps of basic maps, before any system is known.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_PLAN_FLATTEN_H
#define LBR_PLAN_FLATTEN_H
#include "libration/options.h"
#include "libration/system.h"
#include "tableaux.h"

typedef struct lbr_step {
    int32_t base, adjoint;
    lbr_dd c;
} lbr_step;
typedef struct lbr_steps {
    int64_t n;
    lbr_step *step;
} lbr_steps;

/* A basic map: what the steps of a method are steps of. */
typedef struct lbr_base {
    const lbr_kind *kind;
    lbr_method claims;
    lbr_tableau *tableau, *adjoint;       /* of kinds that have one; the adjoint is made when it is needed */
    lbr_tableau *second, *second_adjoint; /* of a pair: for the momenta; additive: for the second part */
    const void *own;                      /* what only its kind can read */
    const void *bound[2];                 /* what a plan has made of it, and of its adjoint */
    lbr_steps inner;                      /* steps of other maps that it is made around; or none */
} lbr_base;

/* compose(TABLE, METHOD), where the table is one for symmetric maps and the method is not seen to be symmetric. */
typedef struct lbr_composed {
    const char *table, *over;
    int order;
    lbr_numbers numbers;
} lbr_composed;

enum { LBR_AROUND_MOST = 8 };

typedef struct lbr_flat {
    const char *name; /* canonical spelling */
    int64_t nbases;
    lbr_base *base;
    lbr_steps pre, kernel, post;
    const lbr_kind *around[LBR_AROUND_MOST]; /* kinds that change a whole method, the innermost first */
    int naround;
    const lbr_composed *composed; /* if the whole method is one, or NULL */
    int digits;                   /* the fewest that a table of the user's claims; 0: none does */
    int is_row;                   /* the expression is one row of a catalogue; then: */
    lbr_method claims;
    lbr_numbers numbers;
} lbr_flat;

/* Names that a system and options add to the catalogue. */
typedef struct lbr_names {
    const lbr_map_def *maps;
    int64_t nmaps;
    const lbr_method *methods;
    int64_t nmethods;
} lbr_names;
/* The tables of options, checked, as an array of structs of this library's size. LBR_EARG, LBR_ENOMEM: the message. */
lbr_status lbr_tables_of(const lbr_options *options, lbr_arena *arena, const lbr_method **methods, lbr_message *m);

/* as_map = 0 also takes tables that are no method by themselves (processors); they have no steps. */
lbr_status lbr_flatten(lbr_flat *flat, const char *text, const lbr_names *names, int as_map, lbr_arena *arena,
                       lbr_message *message);
#endif
