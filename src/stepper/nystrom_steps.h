/* nystrom_steps.h - Nystrom steps, explicit and implicit: what the stepper and the atom share.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_STEPPER_NYSTROM_STEPS_H
#define LBR_STEPPER_NYSTROM_STEPS_H
#include "fuse.h"
#include "instances.h"
#include "starting.h"

/* How p' is had, as the templates count: a force and one mass, a force and masses, the second half of a field. */
enum { LBR_NYSTROM_UNIFORM, LBR_NYSTROM_MASSES, LBR_NYSTROM_FIELD };

/* A method made ready for a system: multiples of powers of h. */
typedef struct lbr_nys {
    const lbr_nystrom *method;
    const lbr_bound *bound;
    int kind;
    int64_t s, nq, nz;           /* nz: unknowns of all stages */
    int64_t nonzero, *row, *col; /* explicit: the entries of A and Ahat that are there */
    lbr_starting *starting;      /* implicit: where first iterates come from */
    lbr_dd *S, *T;               /* and what they are made of; T of p */
    lbr_nystrom_fn run;
    lbr_inystrom_fn solve;
    void *ctx;           /* of the functions in them */
    int watches, newton; /* they can watch; there is room for Newton's matrix */
    int64_t slot, own;   /* doubles of scratch */
    int64_t low;         /* implicit: from a number in a slot to its low part */
} lbr_nys;

/* alone: whole steps of the plan, which may be watched. */
lbr_status lbr_nys_build(const lbr_nys **nys, lbr_setup *setup, const lbr_nystrom *method, int field, int alone,
                         lbr_message *message);
void lbr_nys_prepare(const lbr_nys *nys, double h, double *slot);

/* The system's own machine code for the steps in place of instances, if it has some (nystrom_fuse.c). LBR_ENOMEM. */
lbr_status lbr_nys_fuse(lbr_nys *nys, lbr_setup *setup, int alone);

/* Where a sequence of steps stands. */
typedef struct lbr_nys_run {
    const lbr_nys *nys;
    const double *slot;
    double *own;
    double t0, h;           /* step k begins at t0 + k h */
    double *y, *e;          /* e: low parts, or NULL */
    double *F;              /* implicit: those of the step before where there was one */
    double *earlier, *past; /* implicit: what starting values keep (args.h); past NULL: nothing is kept */
    int foretold;           /* F was foretold by the caller, and may be far off */
    const lbr_watch *watch;
} lbr_nys_run;

/* n steps from k. */
lbr_status lbr_nys_steps(lbr_work *work, const lbr_nys_run *run, int64_t k, int64_t n);
/* Before the first step at t: F as if p' had been constant before; of a field, whether it agrees with the masses. */
lbr_status lbr_nys_begin(lbr_work *work, const lbr_nys_run *run, double t);
#endif
