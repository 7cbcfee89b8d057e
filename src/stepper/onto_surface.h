/* onto_surface.h - Newton's method that brings a state onto a surface. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_STEPPER_ONTO_SURFACE_H
#define LBR_STEPPER_ONTO_SURFACE_H
#include "surface.h"
#include "solve/solve.h"

/* Gradients and directions at one point, and the matrix of their products, with both divided by their lengths. */
typedef struct lbr_normal {
    double *G, *D, *N;       /* m x n, m x n, m x m */
    double *rows, *cols, *r; /* m each: lengths of G_i, of D_j; residuals, and m more of room */
    /* m: the rounding of residuals, where it was asked for; n + m of room */
    double *noise, *near;
    int64_t *rank; /* 2 m: equations and directions in the order of their pivots */
    double *room;  /* of the surface */
} lbr_normal;

int64_t lbr_normal_size(const lbr_surface *s);
double *lbr_normal_place(const lbr_surface *s, lbr_normal *x, double *at);

/* out += by D^T mu. */
void lbr_normal_move(const lbr_surface *s, const double *D, const double *mu, double by, double *out);
/* N = G D^T (with `more`, G (D + more)^T), factorised. LBR_ESINGULAR, with what depends on the others. */
lbr_status lbr_normal_factor(const lbr_surface *s, lbr_normal *x, const double *more, lbr_message *message);
/* r becomes N^-1 r. */
void lbr_normal_solve(const lbr_surface *s, const lbr_normal *x, double *r);

/* The rounding of g at y, where x->r is its value, into x->noise; as lbr_surface_noise. 1: a callback failed. */
int lbr_normal_noise(const lbr_surface *s, lbr_normal *x, lbr_stats *stats, double t, const double *y,
                     const double *size, const double *level);
/* move += what multipliers are uncertain by, since the values of g are: |(D + more)^T N^-1 noise_i|, summed over i.
 * more: or NULL; mu: m, one: n of room. */
void lbr_normal_uncertain(const lbr_surface *s, const lbr_normal *x, const double *more, double *mu, double *one,
                          double *move);

/* One look of an iteration towards g = level, of residuals. 1: y is on the surface, as far as rounding lets one say; 0:
 * x->r says how far it is off; -1: beyond hope; -2: a callback failed. */
int lbr_onto_there(const lbr_surface *s, lbr_normal *x, lbr_stats *stats, double t, const double *y,
                   const double *level, lbr_iteration *iteration);

/* y becomes y + D(y)^T lambda with g = level (HLW IV.4.4, IV.4.5); e: low parts of y, or NULL. step: n doubles of room.
 */
lbr_status lbr_onto(const lbr_surface *s, lbr_normal *x, lbr_stats *stats, int64_t most, double t, const double *level,
                    double *y, double *e, double *step, lbr_message *message);
#endif
