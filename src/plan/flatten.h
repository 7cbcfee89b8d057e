/* flatten.h - a method expression as steps of basic maps, before any system is known. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_PLAN_FLATTEN_H
#define LBR_PLAN_FLATTEN_H
#include "libration/options.h"
#include "libration/system.h"
#include "tableaux.h"

typedef enum { LBR_BASE_EULER, LBR_BASE_PARTS, LBR_BASE_RUNGE_KUTTA, LBR_BASE_MAP, LBR_BASE_PAIR, LBR_BASE_ADDITIVE, LBR_BASE_DERIVED, LBR_BASE_NYSTROM, LBR_BASE_PROJECTED, LBR_BASE_RIGID } lbr_base_kind;

typedef struct lbr_step { int32_t base, adjoint;  lbr_dd c; } lbr_step;
typedef struct lbr_steps { int64_t n;  lbr_step *step; } lbr_steps;

typedef struct lbr_base {
    lbr_base_kind kind;
    lbr_tableau *tableau, *adjoint;                  /* Runge-Kutta; the adjoint is made when it is needed             */
    lbr_tableau *second, *second_adjoint;            /* of a pair: for the momenta; additive: for the second part      */
    int constrained;                                 /* a pair for systems with constraints alone                      */
    lbr_method claims;
    int64_t nparts;  const char **part;              /* parts by name, the first one applied first; none: all of them  */
    lbr_tableau **by, **by_adjoint;                  /* of parts: what steps each; NULL: its exact flow                */
    const lbr_map_def *map;                          /* of the user                                                    */
    const lbr_nystrom *nystrom;
    const lbr_derived *derived, *mirror;             /* of more than rates; its adjoint, where it is another table     */
    int rigid;                                       /* how the kinetic part of rigid bodies is split: LBR_RIGID_...   */
    const struct lbr_projection *projection;         /* of what is projected: how, the steps, and when a plan has bound them, they and their adjoint */
    lbr_steps inner;
    const lbr_projected *projected[2];
} lbr_base;

typedef struct lbr_flat {
    const char *name;                                /* canonical spelling                                             */
    int64_t nbases;  lbr_base *base;
    lbr_steps pre, kernel, post;
    int reduced;                                     /* on the differential equation under constraints (reduced.c)     */
    int projected;                                   /* bits LBR_PROJECTED_... (project.c)                             */
    int digits;                                      /* the fewest that a table of the user in it says it has; 0: none */
    int is_row;                                      /* the expression is one row of a catalogue; then:                */
    lbr_method claims;  lbr_numbers numbers;
} lbr_flat;

enum { LBR_RIGID_VESELOV, LBR_RIGID_THREE, LBR_RIGID_SYMMETRIC };
enum { LBR_PROJECTED_STANDARD = 1, LBR_PROJECTED_SYMMETRIC = 2, LBR_PROJECTED_POST = 4 };

/* The same method without its projections: for what is known of it without them. */
lbr_status lbr_flat_unprojected(const lbr_flat *flat, lbr_flat *plain, lbr_arena *arena, lbr_message *message);

/* Names that a system and options add to the catalogue. */
typedef struct lbr_names {
    const lbr_map_def *maps;  int64_t nmaps;
    const lbr_method *methods;  int64_t nmethods;
} lbr_names;

/* as_map = 0 also takes tables that are no method by themselves (processors); they have no steps. */
lbr_status lbr_flatten(lbr_flat *flat, const char *text, const lbr_names *names, int as_map, lbr_arena *arena, lbr_message *message);

/* Nystrom methods: from numbers; from a tableau for y' (HLW II.2.10); from steps of symplectic Euler and its adjoint (each one's `kick` is what
 * stands in `adjoint`, 0 being kick, then drift); the adjoint, which is the same one if it is symmetric. NULL: out of memory. */
const lbr_nystrom *lbr_nystrom_of_numbers(const lbr_numbers *x, lbr_arena *arena);
const lbr_nystrom *lbr_nystrom_of_tableau(const lbr_tableau *t, lbr_arena *arena);
const lbr_nystrom *lbr_nystrom_of_steps(lbr_steps steps, lbr_arena *arena);
const lbr_nystrom *lbr_nystrom_adjoint(const lbr_nystrom *n, lbr_arena *arena);
int lbr_nystrom_same(const lbr_nystrom *a, const lbr_nystrom *b);
#endif
