/* plan.h - a system and a method joined, and the trajectories under it. SPDX-License-Identifier: BSD-3-Clause
 *
 * A plan is read-only once created and may be shared by threads; a state is one trajectory and belongs to one
 * thread at a time. The plan brings one state of its own for lbr_start, lbr_run, lbr_read and lbr_map. */
#ifndef LIBRATION_PLAN_H
#define LIBRATION_PLAN_H
#include "base.h"
#include "system.h"
#include "options.h"
#include "observe.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lbr_plan lbr_plan;
typedef struct lbr_state lbr_state;

/* A surface in the space of times and states, which a trajectory crosses where `surface` (one number) changes its sign
 * and `holds` (one number; NULL: always) is not 0. A trajectory that only touches it, or begins on it, has not crossed
 * it. */
typedef struct lbr_section {
    size_t size;
    const char *name;
    lbr_fn surface, holds;
    void *ctx, *holds_ctx; /* of the two functions */
} lbr_section;

/* options NULL: all defaults. The processor must round to nearest, as programs begin (else LBR_EARG), and go on so
 * while the plan is used, which is not looked at again. On failure *plan still holds the message and must be freed;
 * NULL only when memory is gone. */
LBR_API lbr_status lbr_plan_create(lbr_plan **plan, const char *method, const lbr_system *system,
                                   const lbr_options *options);
LBR_API void lbr_plan_free(lbr_plan *plan);
LBR_API const char *lbr_plan_message(
    const lbr_plan *plan); /* the last failure of the plan or of its own state, a full sentence; "" if none */
LBR_API const char *lbr_plan_method(const lbr_plan *plan); /* canonical spelling */
LBR_API const char *lbr_plan_steps(
    const lbr_plan *plan); /* which stepper, width and instruction set were chosen, for people */
/* "fused": steps are machine code with the system's functions inside. "callback": they are the library's own and call
 * the system's functions, whatever those are: C, a model's interpreter, or its functions compiled alone (jit.h, whose
 * note tells). */
LBR_API const char *lbr_plan_kernel(const lbr_plan *plan);

/* What is known of the plan's method, as lbr_method_describe tells it: tables of the options and maps of the system
 * too, by algebra on their coefficients and by what maps promise. It is not asked whether T(p) is quadratic in this
 * system: where it is, order_quadratic counts instead of order, if it is not 0. A method that does not move every part
 * of this system has order 0 here, and a note. LBR_EUNFIT: it mixes maps so that nothing can be said. To be freed by
 * lbr_method_free, before the plan; NULL only when memory is gone. */
LBR_API lbr_status lbr_plan_info(const lbr_method_info **info, const lbr_plan *plan);

/* Moves y onto the constraints, positions first and then momenta; a start that is off them by more than 1e-8 (scaled)
 * is refused. Without constraints nothing happens. LBR_ENOCONV: y is too far off, and is left as it was. */
LBR_API lbr_status lbr_project_start(lbr_plan *plan, double t0, double *y);
LBR_API lbr_status lbr_start(lbr_plan *plan, double t0, double h, const double *y); /* copies y in */
LBR_API lbr_status lbr_run(lbr_plan *plan, int64_t n, int64_t every, lbr_observer observer,
                           void *ctx); /* n more steps */
LBR_API lbr_status lbr_run_to(lbr_plan *plan, double T, int64_t every, lbr_observer observer, void *ctx);
LBR_API lbr_status lbr_run_until(lbr_plan *plan, const lbr_section *section, int64_t most, double *t, double *y);
LBR_API lbr_status lbr_read(lbr_plan *plan, double *t, double *y);         /* either may be NULL; changes nothing */
LBR_API lbr_status lbr_map(lbr_plan *plan, double t, double h, double *y); /* one step of y in place; keeps nothing */
LBR_API const lbr_stats *lbr_plan_stats(const lbr_plan *plan);             /* counts of its own state */

/* States of your own: free them before the plan. On failure *state is NULL. */
LBR_API lbr_status lbr_state_create(lbr_state **state, const lbr_plan *plan);
LBR_API void lbr_state_free(lbr_state *state);
LBR_API const char *lbr_state_message(const lbr_state *state);
LBR_API lbr_status lbr_state_start(lbr_state *state, double t0, double h, const double *y);

/* n more steps. The observer (or NULL) is called at step counts divisible by `every`, at step 0 once, and at the last
 * step of the call; every = 0: only at the last. On failure the state is the last good one. */
LBR_API lbr_status lbr_state_run(lbr_state *state, int64_t n, int64_t every, lbr_observer observer, void *ctx);

/* The same until the time T: as many whole steps as lead there and not beyond, by h as it was given to the start. Where
 * h does not divide the time that is left (to 1e-9 of a step), the last one ends before T: lbr_divide_time gives a step
 * that does. LBR_EARG: T lies behind. */
LBR_API lbr_status lbr_state_run_to(lbr_state *state, double T, int64_t every, lbr_observer observer, void *ctx);
/* n steps of *h, which is shortened, lead through `time`. LBR_EARG: h leads the other way, or n is not below 2^53. */
LBR_API lbr_status lbr_divide_time(double time, double *h, int64_t *n);

/* At most so many steps, until one crosses the section. LBR_STOPPED: one has; *t and y (dim numbers; either may be
 * NULL) are where, located on the method's own curve by a shortened step from the state before, to the last digits of
 * h. The trajectory stands at the end of that step and goes on from there. A call whose last step ends exactly
 * on the surface has crossed it, since the next one begins there. LBR_OK: none has. */
LBR_API lbr_status lbr_state_until(lbr_state *state, const lbr_section *section, int64_t most, double *t, double *y);

/* Watches every step of lbr_state_run from now on: H, if there is one, and then every invariant of the system, at what
 * lbr_state_read would give. `first` has their values, all components one after the other; worst[i] becomes the largest
 * distance (Euclidean, for more than one component) of quantity i from them, if that is more than what is there. Both
 * belong to the caller and are used until the next call; NULL, NULL: no more. A value or a distance that is not finite
 * fails the step. */
LBR_API lbr_status lbr_state_watch(lbr_state *state, const double *first, double *worst);
LBR_API lbr_status lbr_state_read(lbr_state *state, double *t, double *y);
LBR_API lbr_status lbr_state_map(lbr_state *state, double t, double h, double *y);

/* A view of y at time t for the functions of observe.h, as if the trajectory were there: fill in view->size. y is
 * borrowed; view->n and view->h are the count and the step of the trajectory itself, wherever y is. */
LBR_API lbr_status lbr_state_view(lbr_state *state, double t, const double *y, lbr_view *view);

/* Dense output: y at t + theta h, -1 <= theta <= 0, by the polynomial of the last step, which has degree s and an error
 * of O(h^(s+1)); at -1 and 0 it is the method's own values, which may be far better. Implicit collocation methods alone
 * have it (gauss:s, radau-2a:s, lobatto-3a:s, trapezoidal, collocation(...), tables with C(s)); LBR_EUNFIT for others.
 * Nothing is computed anew, nothing changes. */
LBR_API lbr_status lbr_state_dense(lbr_state *state, double theta, double *y);
LBR_API int64_t lbr_state_count(const lbr_state *state); /* steps since the start */
LBR_API const lbr_stats *lbr_state_stats(const lbr_state *state);
/* How far the first iterate of the last step was from the solution of its equations (HLW VIII.6.1): Euclidean norm of
 * all stages together, of positions alone where the momenta are eliminated. NaN if the last call made no step of an
 * implicit Runge-Kutta or Nystrom method that stands alone. */
LBR_API double lbr_state_first_error(const lbr_state *state);
LBR_API const lbr_failure *lbr_state_failure(const lbr_state *state); /* of the last run; NULL if it did not fail */

/* Checkpoints: the bytes of a state, valid until its next call. Restoring refuses (LBR_ECHECKPOINT) whatever is damaged
 * or was made under another layout, method, option that influences bits, or system name and shape; the state is then as
 * before. What the callbacks compute, the parameters of a model for example, is not known here: that is the caller's.
 */
LBR_API const void *lbr_state_bytes(lbr_state *state, size_t *size);
LBR_API lbr_status lbr_state_restore(lbr_state *state, const void *bytes, size_t size);
LBR_API lbr_state *lbr_plan_state(lbr_plan *plan); /* the plan's own; not to be freed */

#ifdef __cplusplus
}
#endif
#endif
