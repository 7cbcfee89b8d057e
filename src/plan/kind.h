/* kind.h - what is known of a kind of method: the one description that src/kind gives of each.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A kind is a file of src/kind and its name in src/kind/list.inc. It brings rows of the catalogue, operators of method
 * expressions, a basic map, or several of these; what it leaves out is NULL, and mostly has a default. `plan` and
 * `series` know kinds through this struct alone. */
#ifndef LBR_PLAN_KIND_H
#define LBR_PLAN_KIND_H
#include "flatten.h"
#include "plan_inside.h"

struct lbr_analysis;
struct lbr_finding;
struct lbr_sequence;

typedef struct lbr_flattening {
    const lbr_names *names;
    lbr_arena *arena;
    lbr_message *m;
    lbr_flat *flat; /* the bases are collected here */
} lbr_flattening;

/* A list of coefficients with its name. */
typedef struct lbr_named_numbers {
    const char *name;
    int64_t n;
    const lbr_dd *x;
} lbr_named_numbers;
enum { LBR_LISTS_MOST = 6 };

/* Iterations that an implicit stage is taken to need, where costs are guessed. */
enum { LBR_GUESSED_ITERATIONS = 8 };

typedef struct lbr_whole {
    lbr_steps pre, kernel, post;
} lbr_whole; /* the steps of one map */

/* An operator of method expressions. */
typedef struct lbr_operator {
    const char *name;
    const char *word; /* NULL; or one of several: the one whose first argument is this word */
    lbr_status (*run)(lbr_flattening *c, lbr_expr *e, lbr_whole *out); /* `out` is empty before */
    const char *use;            /* for people: how it is written, with an example */
    const char *source, *about; /* of what it makes, if that is one step of a basic map; or NULL */
    int keeps;                  /* the argument, from 1, whose order the whole has; 0: there is none */
    int composes;               /* it is a table (first argument) over a map (second argument) */
    int no_method;              /* its steps do not make a whole one: for processors only */
    lbr_status (*alternating)(lbr_flattening *c, lbr_expr *e,
                              lbr_steps *out); /* the map that it alternates with its adjoint */
} lbr_operator;

/* What the numbers of a table are good for. */
enum {
    LBR_COMPOSES = 1,   /* steps of a symmetric map: compose(TABLE, M) */
    LBR_ALTERNATES = 2, /* at odd places of the adjoint */
    LBR_SPLITS = 4,     /* split(TABLE, A, B), compose(TABLE, M) */
    LBR_PROCESSES = 8,  /* process(M, TABLE) only */
    LBR_CORRECTS = 16,  /* the same, of the map that M alternates with its adjoint */
    LBR_ANY_SUM = 32    /* b need not have the sum 1 */
};

/* What messages that refuse a method offer others for. */
typedef enum { LBR_OFFERS_CONSTRAINTS, LBR_OFFERS_DENSE, LBR_OFFERS } lbr_offer;

struct lbr_kind {
    const char *name;                      /* what lbr_method.form says */
    int formless;                          /* rows that name no form are of this kind */
    const char *const *offers[LBR_OFFERS]; /* methods that keep constraints, that have dense output: as they are
                                              written, the best first, and NULL; NULL: none */
    const lbr_row *rows;                   /* of the catalogue, also of other kinds' forms */
    const lbr_operator *operators;         /* the last one has no name */
    const lbr_stepper *stepper;            /* for programs that are steps of this kind alone */

    /* Tables. */
    lbr_type type;    /* of a row */
    unsigned table;   /* bits LBR_COMPOSES, ... */
    const char *list; /* the name of its numbers b: "gamma" */
    lbr_status (*read)(const lbr_method *, lbr_numbers *, lbr_arena *,
                       lbr_message *); /* text to numbers; NULL: rows have members only */
    lbr_status (*flatten)(lbr_flattening *, const lbr_method *, const lbr_numbers *,
                          lbr_whole *);                                     /* NULL: steps b of this kind's basic map */
    lbr_status (*inner)(lbr_flattening *, const lbr_method *, lbr_steps *); /* the map that a row composes */
    lbr_status (*alternating)(lbr_flattening *, const lbr_method *,
                              lbr_steps *); /* the map that it alternates with its adjoint */
    int (*stages)(const lbr_numbers *);     /* NULL: as many as there are b */

    /* Basic maps, before a system is known. */
    int (*same)(const lbr_base *,
                const lbr_base *); /* of two with the same tableaux; NULL: what is its own is the same */
    int (*self_adjoint)(const lbr_base *, lbr_arena *); /* without algebra; -1: out of memory; NULL: as is claimed */
    const char *needs, *explicitness;                   /* of lbr_method_info */
    lbr_status (*describe)(const lbr_flat *, lbr_arena *, lbr_method_info *,
                           lbr_message *); /* where it depends on numbers */
    double (*cost)(const lbr_base *, const lbr_step *, const lbr_step *before,
                   const lbr_system *); /* evaluations in a step, guessed; NULL: 1 */

    /* Basic maps of a system. */
    const lbr_atom_kind *atom; /* what a step becomes, with `own` as its data; or: */
    lbr_status (*bind)(lbr_plan *, lbr_base *, const lbr_step *, lbr_program *);
    int64_t (*terms)(const lbr_base *, const lbr_system *); /* the most terms that a step becomes; NULL: 1 */
    int (*field_alone)(const lbr_base *);                   /* whether it needs the field and nothing else; NULL: no */
    int maps_of_systems;   /* its basic maps are those that systems bring; `own` is one */
    int takes_constraints; /* systems with constraints are taken */

    /* What is true of it (series). */
    lbr_status (*analyse)(const lbr_flat *, const struct lbr_sequence *, lbr_arena *, struct lbr_analysis *,
                          lbr_message *); /* all steps; or: */
    lbr_status (*analyse_one)(lbr_base *, int adjoint, lbr_arena *, struct lbr_analysis *,
                              lbr_message *); /* one whole step */
    lbr_status (*analyse_together)(const struct lbr_sequence *, lbr_base *, lbr_arena *, struct lbr_analysis *,
                                   lbr_message *); /* more, of steps none of which is symplectic; NULL */
    int (*mixes)(
        const lbr_flat *); /* whether these several basic maps, of which the first is of this kind, can be told apart */
    lbr_status (*analyse_mixed)(const lbr_flat *, lbr_arena *, struct lbr_analysis *, lbr_message *);
    int (*timed)(const lbr_base *, lbr_tableau *); /* whether stages have times of their own; the tableau with them */
    lbr_status (*conjugate)(const lbr_base *, lbr_arena *, struct lbr_finding *, lbr_message *);
    lbr_status (*volume)(const lbr_flat *, int symplectic, lbr_arena *, struct lbr_finding *, lbr_message *);
    lbr_status (*constraints)(const lbr_flat *, double tolerance, lbr_arena *, struct lbr_finding *, lbr_message *);
    int (*lists)(const lbr_base *, lbr_named_numbers *); /* the coefficients of one step; NULL: its tableaux, or b */

    /* Kinds that change a whole method (lbr_flatten_around). */
    lbr_status (*prepare)(lbr_plan *); /* before steps are bound */
    lbr_status (*inside)(const lbr_flat *, lbr_flat *inner, lbr_arena *,
                         lbr_message *); /* the same method without it */
    lbr_status (*analyse_around)(const lbr_flat *, double tolerance, lbr_arena *, struct lbr_analysis *, lbr_message *);
    lbr_status (*describe_around)(const lbr_flat *, lbr_arena *, lbr_method_info *, lbr_message *);
    int on_manifold;                       /* it stays on the system's manifold, where the start must be */
    int (*keeps_energy)(const lbr_plan *); /* whether it does so for the plan's system */
};

/* All kinds, file by file; each file's end without a name, and the whole with NULL. Defined in src/kind/list.c: the one
 * place where a lower layer refers to a higher one. */
extern const lbr_kind *const lbr_kinds[];
/* The kind of a table, which need not have a form; the kind that a form names. NULL: there is none. */
const lbr_kind *lbr_kind_of(const lbr_method *row);
const lbr_kind *lbr_kind_find(const char *form);
/* The kind after `kind`, NULL being before the first; NULL after the last. k says where it is. */
const lbr_kind *lbr_kind_next(const lbr_kind *kind, int *k);
/* What all kinds offer, "A, B and C", in the order of kinds; returns text. And the first one, or "". */
enum { LBR_OFFERED = 256 };
const char *lbr_kinds_offer(lbr_offer what, char text[LBR_OFFERED]);
const char *lbr_kinds_offer_first(lbr_offer what);

/* Whether a method has steps of an adjoint. */
static inline int lbr_flat_back(const lbr_flat *f)
{
    int back = 0;

    for (int64_t k = 0; k < f->kernel.n; k++) back |= f->kernel.step[k].adjoint;
    return back;
}

/* Takes a kind away from those around a method. */
static inline void lbr_flat_drop(lbr_flat *f, const lbr_kind *kind)
{
    int n = 0;

    for (int i = 0; i < f->naround; i++)
        if (f->around[i] != kind) f->around[n++] = f->around[i];
    f->naround = n;
}

/* --- for operators and rows: making steps (flatten.c) ------------------------------------------------------------ */

/* One step of a basic map, which is entered where it is new. */
lbr_status lbr_flatten_base(lbr_flattening *c, lbr_base base, lbr_steps *out);
/* An argument that is a method, as one list of steps. */
lbr_status lbr_flatten_operand(lbr_flattening *c, lbr_expr *e, lbr_steps *out);
/* The map that an argument composes, or, if `alternating`, the one that it alternates with its adjoint; itself, if it
 * does not: what processors of it are made of. */
lbr_status lbr_flatten_inner(lbr_flattening *c, lbr_expr *e, int alternating, lbr_steps *out);
/* The table that argument e of operator `op` names; `good` has a bit of lbr_kind.table for each that will do. */
lbr_status lbr_flatten_table(lbr_flattening *c, const lbr_expr *op, lbr_expr *e, unsigned good, lbr_method *claims,
                             lbr_numbers *x);
/* The steps of a table over a map. */
lbr_status lbr_flatten_over(lbr_flattening *c, const lbr_numbers *x, lbr_steps map, lbr_steps *out);
/* Steps, or their adjoint, with all of them multiplied. */
lbr_status lbr_flatten_multiple(lbr_flattening *c, lbr_steps a, int adjoint, lbr_dd by, lbr_steps *out);
/* The method is one of a kind that changes the whole; entered once. */
lbr_status lbr_flatten_around(lbr_flattening *c, const lbr_kind *kind);
/* LBR_EMETHOD where b does not have the sum 1, and should. */
lbr_status lbr_flatten_consistent(lbr_flattening *c, const char *name, const lbr_numbers *x);
/* For operator `op`, from a method that is one whole step of a Runge-Kutta method, or of its adjoint; from one that is
 * made of such steps. The bases of what is inside are of no use afterwards (operands.c). */
lbr_status lbr_flatten_one_tableau(lbr_flattening *c, const char *op, lbr_expr *e, lbr_tableau **t);
lbr_status lbr_flatten_as_tableau(lbr_flattening *c, const char *op, lbr_expr *e, lbr_tableau **t);
/* One step of a tableau, or of two (kind/pair.c, kind/runge_kutta.c use it): from numbers. NULL: out of memory. */
lbr_tableau *lbr_flatten_new_tableau(lbr_flattening *c, int64_t s, const lbr_dd *A, const lbr_dd *b,
                                     const lbr_dd *nodes);
/* flat->composed: compose(TABLE, METHOD) with a table for symmetric maps over steps that are not seen to be symmetric;
 * else NULL (composed.c). */
lbr_status lbr_flatten_composed(lbr_flattening *c, const lbr_method *claims, const lbr_numbers *x, lbr_steps map);
/* The expression compose(...) inside operators that keep its order, or NULL. */
const lbr_expr *lbr_expr_composing(const lbr_expr *e);
/* The operator of an expression, or NULL. */
const lbr_operator *lbr_operator_of(const lbr_expr *e);
/* "'pair' is used like this: ..."; LBR_EMETHOD. */
lbr_status lbr_flatten_misused(lbr_flattening *c, const lbr_expr *e);
/* LBR_ENOMEM. */
lbr_status lbr_flatten_no_memory(lbr_flattening *c);

/* --- for basic maps: making atoms (bind.c) ----------------------------------------------------------------------- */

/* The index of an atom among those of the plan, entered where it is new. Checkpoints know atoms by it: the order of
 * entering is for ever. */
int32_t lbr_bind_atom(lbr_plan *p, lbr_atom atom);
/* Appends a step of an atom; the same flow again only adds to its step. */
void lbr_bind_push(lbr_plan *p, lbr_program *to, int32_t atom, lbr_dd c);
/* Both. */
void lbr_bind_step(lbr_plan *p, lbr_program *to, lbr_atom atom, lbr_dd c);
/* A program of its own, which begins at that time, in steps from the beginning of the step. */
lbr_status lbr_bind_program(lbr_plan *p, lbr_steps steps, lbr_dd time, lbr_program *out);
/* Makes the adjoints of the base's tableaux, if the step asks for them; -1: out of memory. */
int lbr_bind_adjoints(lbr_plan *p, lbr_base *b, const lbr_step *s);
/* Its name, for messages. */
const char *lbr_bind_system(const lbr_plan *p);
lbr_status lbr_bind_no_memory(lbr_plan *p);
#endif
