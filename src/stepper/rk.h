/* rk.h - Runge-Kutta steps, explicit and implicit, of one tableau or a pair: what the stepper and the atoms share.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_STEPPER_RK_H
#define LBR_STEPPER_RK_H
#include "fuse.h"
#include "instances.h"
#include "starting.h"

typedef int (*lbr_prk_fn)(const lbr_prk_args *, int64_t k0, int64_t n, double *y, double *e);

/* A tableau made ready for a system: multiples of h. */
typedef struct lbr_rk {
    const lbr_bound *sys;
    const lbr_tableau *tableau, *second; /* second: for the components from `split` on, or NULL */
    int64_t s, n, sn, split;
    int is_explicit;
    int64_t nodes, *order;
    int halves;                     /* explicit pairs: what is evaluated, one after the other (prk.h) */
    lbr_prk_fn prk;                 /* their kernel, or NULL */
    int64_t nonzero, *row, *col;    /* explicit: the entries of A that are there */
    int64_t implicit;               /* implicit: so many rows of A, from the first on, are zero */
    lbr_starting *starting;         /* implicit: where first iterates come from, and what they are made of */
    lbr_dd *S, *S2;                 /* S2: of the second tableau */
    struct lbr_rk_reduced *reduced; /* implicit: the constants of irk2.inc; NULL: irk.inc */
    int turns;                      /* of irk.inc: positions and momenta take turns */
    lbr_erk_fn erk;
    lbr_irk_fn irk;
    void *ctx;                    /* of the field in them */
    int watches;                  /* they can watch */
    int newton;                   /* there is room for its matrix */
    struct lbr_rk_matrix *matrix; /* implicit: what that is made of (rk_matrix.h) */
    int64_t slot, own;            /* doubles of scratch */
    int64_t many;                 /* where in own all stages have room at once */
    int64_t low;                  /* implicit: from a number in a slot to its low part */
    /* Where in a slot things begin, beside b, c and A at 0, s and 2 s: S; further places; of a second tableau A, b, S;
     * of irk2.inc E, D, A, S, W, further places. */
    int64_t at_S, at_further, at_second, at_reduced;
} lbr_rk;

/* The stages of the momenta eliminated: A A, b A, A 1, b 1, and what S, nu, M are for irk2.inc; P goes with M. */
typedef struct lbr_rk_reduced {
    lbr_dd *A, *E, *D, *S, W, *nu, *M, *P;
} lbr_rk_reduced;

/* Starting values, and where q'' = m f(t, q) is solved, the constants for that (rk_start.c). alone: steps come one
 * after the other, so that the F of earlier ones are known. LBR_ENOMEM, LBR_EUNFIT. */
lbr_status lbr_rk_start(lbr_rk *rk, lbr_setup *setup, int reduced, int alone, lbr_message *message);

/* How q' follows from p, for field.inc: a factor of one is left out, which changes no bit. */
int lbr_rk_drift(const lbr_bound *bound);

/* For the system `sys`, which may be another than the setup's; second: NULL, or that of a pair. alone: whole steps of
 * the plan, which may be watched. */
lbr_status lbr_rk_build(const lbr_rk **rk, lbr_setup *setup, const lbr_bound *sys, const lbr_tableau *tableau,
                        const lbr_tableau *second, int alone, lbr_message *message);
/* Whether fixed points ask the system for all stages in one call. */
int lbr_rk_asks_together(const lbr_rk *rk);
void lbr_rk_prepare(const lbr_rk *rk, double h, double *slot);

/* The system's own machine code for the steps in place of instances, if it has some (rk_fuse.c). LBR_ENOMEM. */
lbr_status lbr_rk_fuse(lbr_rk *rk, lbr_setup *setup, int alone);

/* Where a sequence of steps stands. */
typedef struct lbr_rk_run {
    const lbr_rk *rk;
    const double *slot;
    double *own;
    double t0, h;        /* step k begins at t0 + k h */
    double *y, *e;       /* e: low parts, or NULL */
    double *F;           /* implicit: s stages; those of the step before where there was one */
    double *point;       /* where Newton's matrix was taken, kept from step to step; NULL: it is taken anew */
    double *G, *earlier; /* implicit: what starting values keep (args.h) */
    double *past; /* how much of that is there, and whether Newton's method does without; NULL: nothing is kept */
    int foretold; /* F was foretold by the caller, and may be far off */
    const lbr_watch *watch; /* what every step watches, or NULL */
} lbr_rk_run;

/* A and B times h for component l of y. */
static inline const double *lbr_rk_A(const lbr_rk_run *r, int64_t l)
{
    return r->slot + (r->rk->second && l >= r->rk->split ? r->rk->at_second : 2 * r->rk->s);
}
static inline const double *lbr_rk_B(const lbr_rk_run *r, int64_t l)
{
    return r->slot + (r->rk->second && l >= r->rk->split ? r->rk->at_second + r->rk->s * r->rk->s : 0);
}

/* n steps from k. */
lbr_status lbr_rk_steps(lbr_work *work, const lbr_rk_run *run, int64_t k, int64_t n);
/* F as if the field had been constant before t: the first step's guess. */
lbr_status lbr_rk_guess(lbr_work *work, const lbr_rk_run *run, double t);
/* What templates are told of starting values. */
lbr_irk_starting lbr_rk_starting(const lbr_rk_run *run, int reduced);

/* Whether Newton's method has taken over. */
static inline int lbr_rk_by_newton(const lbr_work *w, const lbr_rk *rk) { return w->head->newton && rk->newton; }

/* First iterates of a step that Newton's method solves (rk_first.c): two of sn numbers, one after the other, the second
 * one by the continuous output alone. x and next are room, for n and for sn numbers. Not 0: a call failed. */
int lbr_rk_first(lbr_work *work, const lbr_rk_run *run, double t, double *x, double *next);
static inline double *lbr_rk_first_iterate(const lbr_rk_run *r) { return r->own + 2 * r->rk->sn; }
/* The one from which the step starts, and whether its like was near the solution in the step before. */
const double *lbr_rk_nearer(lbr_work *work, const lbr_rk_run *run);
int lbr_rk_is_promising(const lbr_rk_run *run);
/* After the step, whose solution is Z: which one was nearer; far: the nearer one of before was not near. What was used,
 * NULL: y itself, is how far the first iterate was off. */
void lbr_rk_compare(lbr_work *work, const lbr_rk_run *run, const double *Z, const double *used, int far);

/* One step by simplified Newton (HLW VIII.6.17). */
lbr_status lbr_rk_newton(lbr_work *work, const lbr_rk_run *run, int64_t k);
/* Doubles that it needs. */
int64_t lbr_rk_newton_size(const lbr_rk *rk);
/* A kernel for lanes (stepper.h). */
lbr_status lbr_rk_lanes(const lbr_rk *rk, const lbr_setup *setup, lbr_lanes *lanes, lbr_arena *arena,
                        lbr_message *message);
#endif
