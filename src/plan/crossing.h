/* crossing.h - where a trajectory crosses a surface. SPDX-License-Identifier: BSD-3-Clause
 *
 * The side of a surface is the sign of its function g at the last step where g was not 0. A step whose g has the other
 * sign is a crossing: at the step before if g was exactly 0 there, and otherwise at a time within the step, which is
 * located. So a state with g = 0 counts once, when the trajectory leaves it to the other side, and not at all if it
 * goes back (it has touched the surface), or if the run began there. Whether a step has crossed a surface twice is not
 * seen. */
#ifndef LBR_PLAN_CROSSING_H
#define LBR_PLAN_CROSSING_H
#include <libration.h>
#include "core/text.h"

/* A surface while the trajectory goes on. */
typedef struct lbr_crossing {
    double g;              /* its function at the last step */
    int side, side_before; /* the sign of g where it was last not 0 (0: nowhere yet); the same a step before */
    int counted;           /* the last look has given an event, for those who keep them */
} lbr_crossing;

/* The step in which one looks: where it began, and what looking needs. The three arrays have dim numbers each. */
typedef struct lbr_stride {
    lbr_state *map; /* for shortened steps, so that the trajectory is not touched */
    int64_t dim, n; /* n: the number of steps before it */
    double t, *y;
    double *image, *best; /* of a shortened step; at the crossing */
} lbr_stride;

/* g, or why it has no value: LBR_ECALLBACK, its function failed; LBR_ENONFINITE, it is NaN, as *g is in both. */
lbr_status lbr_section_value(const lbr_section *s, double t, const double *y, double *g);
/* The same as a sentence's predicate. */
const char *lbr_section_text(lbr_status status);
/* Whether its conditions hold; -1: they have no value. */
int lbr_section_holds(const lbr_section *s, double t, const double *y);

/* At the end of a step that began as `step` says: whether it has crossed the surface. *tau: after which time, with the
 * state there in step->best; NaN: it has not. On failure `why` is the sentence. */
lbr_status lbr_crossing_look(lbr_crossing *c, const lbr_section *s, lbr_stride *step, const lbr_view *view, double *tau,
                             lbr_message *why);
/* *on: whether a run by steps of h that ends where `step` says ends on the surface, having come from one of its sides;
 * but for rounding, that is also if it would be crossed within 1e-9 of another step. LBR_ENOMEM. */
lbr_status lbr_crossing_ends(const lbr_crossing *c, const lbr_section *s, lbr_stride *step, double h, int *on);
#endif
