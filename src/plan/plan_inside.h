/* plan_inside.h - what is inside a plan and a state. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_PLAN_PLAN_INSIDE_H
#define LBR_PLAN_PLAN_INSIDE_H
#include "libration/plan.h"
#include "flatten.h"
#include "core/watch.h"

struct lbr_plan {
    lbr_arena arena; /* everything that the plan points to */
    lbr_message message;
    lbr_setup setup;
    lbr_flat flat;
    const char *steps;
    const char *partial;       /* a sentence, if some part of the field is not moved through the whole step, or NULL */
    const lbr_lagrange *dense; /* of a collocation method; NULL: there is no dense output */
    uint64_t digest, name;     /* of all that a checkpoint must agree on; of the system's name */
    lbr_state *own;
};

struct lbr_state {
    const lbr_plan *plan;
    lbr_work work;     /* head and v: the trajectory */
    lbr_work trial;    /* the same scratch, other head and v: for lbr_map and for looking ahead */
    lbr_head *backup;  /* the last good bytes, while a chunk of steps is tried */
    double *y, *image; /* what observers see; what lbr_map makes */
    double *room;      /* for looking at constraints */
    int started, looked, failed;
    lbr_failure failure; /* if failed */
    lbr_watch watch;     /* what is watched at every step, or all NULL */
    double *kept;        /* the largest errors before a chunk */
};

/* The size of what is saved of a state: its head and its doubles. */
static inline size_t lbr_saved_bytes(const lbr_plan *p)
{
    return sizeof(lbr_head) + (size_t)p->setup.nstate * sizeof(double);
}

/* What decides the bits of a trajectory, beside the callbacks themselves; named: and the system's name, which was a
 * part of it in checkpoints of the first format; older: as it was when states were shorter (lbr_setup.grown). */
uint64_t lbr_plan_digest(const lbr_plan *plan, int named, int older);

/* lbr_state_read with the low parts of y: in extended precision; LBR_EUNFIT for other plans. */
lbr_status lbr_state_read_both(lbr_state *state, double *t, double *y, double *low);

/* After lbr_state_start of a plan in extended precision: the low parts of y. */
void lbr_state_start_low(lbr_state *state, const double *low);

/* After a step from `before` (what lbr_state_read gave): moves the state by about as much as rounding has, at random.
 */
void lbr_state_perturb(lbr_state *state, const double *before, uint64_t *seed);

/* lbr_state_restore for whoever knows in another way that it is the same system: names may differ. */
lbr_status lbr_state_restore_renamed(lbr_state *state, const void *bytes, size_t size);

/* What is watched, at y after a step; a sentence if something is not finite (plan/monitor.c). */
lbr_status lbr_watch_look(lbr_state *state, double t, const double *y, lbr_stray *stray);
/* After lbr_state_watch: low parts of `first`, for plans in extended precision. */
void lbr_state_watch_low(lbr_state *state, const double *low);
/* The largest errors are kept before a chunk of steps, and put back if it is taken back. */
void lbr_watch_keep(lbr_state *state);
void lbr_watch_return(lbr_state *state);

/* Doubles of room that looking at constraints takes; whether a start is on them (plan/constraint_state.c). */
int64_t lbr_look_size(const lbr_plan *plan);
lbr_status lbr_start_check(lbr_state *state, double t, const double *y);

/* Whether there is dense output (plan/dense.c). LBR_ENOMEM. */
lbr_status lbr_dense_prepare(lbr_plan *plan);

/* |time/h|, an integer where it is one but for rounding: to 1e-9, or, of more than 1e6 steps, whose quotient is itself
 * not known so well, to a few of its last digits. NaN: more than 2^53 (plan/until.c). */
double lbr_steps_through(double time, double h);

/* plan->partial, once atoms and programs are there. LBR_ENOMEM. */
lbr_status lbr_partial(lbr_plan *plan);
/* Atoms and programs for the plan's system, from plan->flat. */
lbr_status lbr_bind(lbr_plan *plan);
#endif
