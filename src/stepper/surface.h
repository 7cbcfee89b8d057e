/* surface.h - what projections go onto: equations g(y) = 0, their gradients, and where to move.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The manifold that a system gives; or its constraints on positions, with the velocities that they leave, g(q) = 0 and
 * G H_p = 0; or invariants, at the values that they had at the start (HLW IV.4). */
#ifndef LBR_STEPPER_SURFACE_H
#define LBR_STEPPER_SURFACE_H
#include "multipliers.h"

/* Directions: the gradients; G for positions and for momenta, which needs no second derivatives; a quantity of the
 * system, m x dim. */
typedef enum { LBR_ALONG_GRADIENTS, LBR_ALONG_POSITIONS, LBR_ALONG_GIVEN } lbr_along;
/* What distances are measured in: y; M for positions and its inverse for momenta; positions and velocities; a quantity
 * of the system, dim weights. */
typedef enum { LBR_WEIGHTS_NONE, LBR_WEIGHTS_MASSES, LBR_WEIGHTS_VELOCITIES, LBR_WEIGHTS_GIVEN } lbr_weights;

/* Of a symmetric step: each end its own; both those of the middle; both those of the beginning (symmetric only where
 * they do not change). */
typedef enum { LBR_AT_ENDS, LBR_AT_MIDPOINT, LBR_AT_START } lbr_at;

typedef struct lbr_projection {
    int symmetric, local, post; /* local: in coordinates of the surface; post: when one looks */
    lbr_at at;                  /* whose directions a symmetric step has */
    lbr_along along;
    const char *along_name;
    lbr_weights weights;
    const char *weights_name;
    int64_t n;
    const char *const *names; /* invariants, by name; none: all that there is */
} lbr_projection;

typedef struct lbr_surface_item {
    int64_t index, len;
} lbr_surface_item; /* an invariant; -1: the energy */

typedef struct lbr_surface {
    const lbr_bound *sys;
    const lbr_multipliers *mu; /* of constraints on positions, or NULL */
    lbr_manifold given;        /* m = 0: none */
    int64_t n, m, fixed;       /* components of y; equations; those before the invariants */
    int64_t nitems;
    const lbr_surface_item *item;
    lbr_along along;
    const lbr_invariant *across, *weights; /* the quantities that directions, and weights, are; or NULL */
    const double *by;                      /* what directions are multiplied with: 1/weights of masses, or NULL */
} lbr_surface;

/* LBR_EUNFIT: what the system lacks. */
lbr_status lbr_surface_make(lbr_surface *surface, lbr_setup *set, const lbr_projection *how, lbr_message *message);
/* Doubles of room for the following. */
int64_t lbr_surface_room(const lbr_surface *surface);

/* r = g(y) - level, m numbers (level NULL: 0, which gives levels); G: m x n gradients; D: m x n directions, G being
 * there. 0, or what a callback says; also where a weight is not positive. */
int lbr_surface_value(const lbr_surface *s, lbr_stats *stats, double t, const double *y, const double *level, double *r,
                      double *room);
int lbr_surface_gradients(const lbr_surface *s, lbr_stats *stats, double t, const double *y, double *G, double *room);
int lbr_surface_directions(const lbr_surface *s, double t, const double *y, const double *G, double *D, double *room);
/* LBR_EUNFIT where H, or an invariant that the flow does not keep, depends on t, as far as the times of one step tell.
 */
lbr_status lbr_surface_kept(const lbr_surface *s, double t, double h, const double *y, double *room,
                            lbr_message *message);
/* The largest |r_i| in units of the rounding of its own evaluation. */
double lbr_surface_scaled(const lbr_surface *s, const double *y, const double *level, const double *G, const double *r);
/* The rounding of each g_i, m numbers: what its gradient, the sizes of what positions and momenta are sums of, and
 * its level tell; or, if that is more, by how much values beside y, n + m numbers of room in `near`, are off the
 * tangent: where g is a small difference of large terms, nothing else knows. */
int lbr_surface_noise(const lbr_surface *s, lbr_stats *stats, double t, const double *y, const double *size,
                      const double *level, const double *G, const double *r, double *noise, double *near, double *room);
/* What equation i is of, for people. */
const char *lbr_surface_name(const lbr_surface *s, int64_t i, char *text, size_t size);
#endif
