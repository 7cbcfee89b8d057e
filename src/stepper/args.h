/* args.h - what the templates (*.inc) are given. SPDX-License-Identifier: BSD-3-Clause
 *
 * The text of this file stands in the source of compiled kernels too (fuse.h), where whoever writes the source may put
 * it before the system's functions: it needs the types of <stdint.h> and nothing else (the
 * templates need solve/iteration.h too, whose text comes with it). */
#ifndef LBR_STEPPER_ARGS_H
#define LBR_STEPPER_ARGS_H
#include "solve/iteration.h"
#include <stdint.h>

typedef int (*lbr_fn)(double t, const double *y, double *out, void *ctx); /* that of system.h */

/* What is watched: H (if there is one) and then every invariant, each one quantity of one or more components. `first`
 * has the components at the start, one after the other; `worst` the largest |value - first| of each quantity so far
 * (Euclidean norm, as lbr_distance of core/watch.h has it). A value or an error that is not finite: WATCH is not zero,
 * and the run ends there. */
typedef struct lbr_watch {
    const double *first;
    double *worst;
    const double *low; /* low parts of `first` in extended precision; or NULL */
} lbr_watch;

/* One drift and one kick, multiplied by h: A and B with their low parts, and the time C of the kick. */
typedef struct lbr_stage {
    double A, Al, B, Bl, C;
} lbr_stage;

/* Everywhere below: ctx is that of the functions; watch NULL: nothing is watched; instances watch nothing. */
typedef struct lbr_driftkick_args {
    int64_t nq;
    double t0, h;
    const lbr_stage *stage, *end;
    const double *m;
    lbr_fn force, velocity;
    void *ctx;
    double *v; /* nq: T'(p) */
    const lbr_watch *watch;
    /* Between two steps the state need not be the one that is read (driftkick.c). lead: the first kick of the next step
     * has been done already, in one with the last kick of this step; who reads takes it back. trail: the last drift of
     * this step has been left to the next one, where it is done in one with the first drift; who reads does it. */
    int lead, trail;
    const double *read; /* h times the leading kick, its low part, h times the trailing drift, its low part */
    double *y;          /* 2 nq: what one reads */
} lbr_driftkick_args;

typedef struct lbr_erk_args {
    int64_t dim, nq, stages;
    double t0, h;
    const double *A, *B, *C;
    const int64_t *row, *col;
    const double *m;               /* inverse masses, where field.inc needs them */
    lbr_fn field, force, velocity; /* of these, what the instance calls */
    void *ctx;
    double *K, *x;
    const lbr_watch *watch;
} lbr_erk_args;

typedef struct lbr_prk_args {
    int64_t dim, split, stages;
    double t0, h;
    const double *A, *B, *C, *A2, *B2;
    const int64_t *order;
    const double *m;
    lbr_fn field, force, velocity;
    void *ctx;
    double *K, *x;
    const lbr_watch *watch;
} lbr_prk_args;

/* What starting values are made of (starting.h), times h or its square: S, one matrix for the first steps and then
 * those for all others; those of the second block of a pair, else S again; and of the further places of the field.
 *
 * `earlier` has room for `older` sets of F: those of the step before the last one; or, where stages are foretold one by
 * one (differences), the F of that step and its backward differences. `past` says how many of them are there; -1: not
 * even the last F is one of a step. */
enum { LBR_STARTING_OLDER = 7 }; /* the most steps before the last one of which F is kept */
typedef struct lbr_irk_starting {
    const double *S, *S2;
    const double *nu, *mu, *mu_more, *mu_p,
        *place; /* mu: of F, of G, of p (irk2.inc); place: from the step's beginning */
    int64_t older, extras, past;
    int differences;
    double *earlier, *G;
    double *Z0, off; /* room for the first iterate; how far it was off in the last step of all, Euclidean norm */
} lbr_irk_starting;

/* Is this one of the first steps, for which the first matrix is? Differences are of use when there are a few. */
#define LBR_STARTING_FIRST(b) ((b)->past < ((b)->differences ? 3 : (b)->older))

/* The low part of a coefficient stands `low` places behind it. */
typedef struct lbr_irk_args {
    int64_t dim, nq, stages, implicit, split, most, low;
    double t0, h;
    const double *A, *B, *C;
    const double *A2, *B2;   /* of a pair, for the second block; else A and B again */
    const double *D, *E, *W; /* irk2.inc */
    const double *m;
    lbr_fn field, force, velocity;
    int (*block)(int64_t w, const double *t, const double *y, double *out, void *ctx);
    double *many;     /* room for times, places and values of all stages; block: those of the field, or of the force */
                      /* for many states at once (field_block of system.h), instead of one by one; or NULL */
    void *ctx, *half; /* of the field; of force and velocity one by one, where they take turns */
    int turns;
    double *Z, *R, *x;
    lbr_irk_starting start;
    const lbr_watch *watch;
    int64_t iterations, worst, evaluations; /* added up, not cleared */
    double residual;
    int bad, strayed; /* a call failed; of these, WATCH, after which y is that of the step's end */
    int64_t last;     /* of the last solve; its iterations */
} lbr_irk_args;

/* The letters are those of enystrom.inc and inystrom.inc. */
typedef struct lbr_nystrom_args {
    int64_t nq, stages;
    double t0, h;
    const double *P, *A, *G, *C;
    const int64_t *row, *col;
    const double *m;
    lbr_fn force, field;
    void *ctx;
    double *K, *x, *g;
    const lbr_watch *watch;
} lbr_nystrom_args;

typedef struct lbr_inystrom_args {
    int64_t nq, stages, most, low; /* low: as in lbr_irk_args */
    double t0, h;
    const double *P, *A, *G, *D, *B, *C;
    const double *m;
    lbr_fn force, field;
    void *ctx;
    double *Z, *R, *x;      /* x: 4 nq */
    lbr_irk_starting start; /* S2: for G */
    const lbr_watch *watch;
    int64_t iterations, worst, evaluations; /* as in lbr_irk_args */
    double residual;
    int bad, strayed;
    int64_t last;
} lbr_inystrom_args;

/* One flow: its time from that of the step on, and its own step; multiplied by h. */
typedef struct lbr_piece {
    double t, h;
} lbr_piece;

typedef struct lbr_sequence_args {
    int64_t dim;
    double t0, h;
    const lbr_piece *piece; /* of a step; where the last one waits for the next step, it too */
    void *ctx;
    double *d, *x; /* dim each: an increment; what one reads */
    const lbr_watch *watch;
} lbr_sequence_args;

/* Steps in extended precision (extended.inc): a basic map and the multiple of h that is its step; when it begins.
 * Numbers of tables are pairs of doubles, high part and low part. */
enum {
    LBR_EXTENDED_KICK,
    LBR_EXTENDED_DRIFT,
    LBR_EXTENDED_FLOW,
    LBR_EXTENDED_RUNGE_KUTTA,
    LBR_EXTENDED_EULER,
    LBR_EXTENDED_NYSTROM
};
enum { LBR_EXTENDED_UNSOLVED = 1 };
typedef struct lbr_extended_term {
    int64_t kind, stages, part;
    int is_explicit, adjoint;
    double c_hi, c_lo, time_hi, time_lo;
    const double *A, *b, *c, *time; /* Nystrom: b, then bbar; when stages are, where that is not c */
    const double *second;           /* of a pair, A and b; of Nystrom methods for a field, Ahat; or NULL */
} lbr_extended_term;

/* y, K and the others are room for numbers of extended precision, of 16 bytes. */
typedef struct lbr_extended_args {
    int64_t dim, nq, most;
    double t0, h;
    const lbr_extended_term *first, *post;
    int64_t terms, posts;
    void *ctx;
    void *y, *look, *x, *f, *z, *K;
    const lbr_watch *watch;
    int64_t evaluations, flows, iterations, worst; /* added up, not cleared */
    int bad;
    int64_t component;
    double residual; /* of the solve that failed */
} lbr_extended_args;

/* What became of steps with constraints. */
enum {
    LBR_RATTLE_FORCE = 1,
    LBR_RATTLE_JACOBIAN,
    LBR_RATTLE_CONSTRAINT,
    LBR_RATTLE_WATCHED,
    LBR_RATTLE_SINGULAR,
    LBR_RATTLE_POSITIONS,
    LBR_RATTLE_MOMENTA
};
/* A slice of the constraints: those up to `rows`, whose coordinates end before `ready`, while all later ones have no
 * coordinate before `done`. */
typedef struct lbr_slice {
    int32_t rows, ready, done;
} lbr_slice;

typedef struct lbr_rattle_args {
    int64_t nq, m, pieces, most; /* positions, constraints, pieces of a step, iterations */
    double t0, h;
    const lbr_piece *piece;
    const double *mass;
    double one;                                                /* inverse masses; NULL: all are `one` */
    const int32_t *begin, *at, *sbegin, *first, *left, *right; /* of G and S: multipliers.h */
    const lbr_slice *slice, *end;                              /* in the last one `ready` and `done` are nq */
    const void *ldl;
    int64_t (*factorise)(const void *ldl, const double *S, double *factor);
    void (*solve)(const void *ldl, const double *factor, double *x);
    lbr_fn force, g, jacobian;
    void *ctx;
    const lbr_watch *watch;
    double *F, *G, *WG, *S, *factor, *unit; /* at q: force, Jacobian, matrix; 1/(eps sum |G_ij|) */
    double *ph, *q1, *v, *r;                /* room */
    double *q, *p, *eq, *ep, *L;            /* state, low parts or NULL, multipliers of each piece */
    int ready;                              /* what is at q is there */
    int64_t iterations, worst, settled;     /* added up, not cleared */
    int64_t tries, singular;
    double residual; /* of the last solve */
} lbr_rattle_args;
#endif
