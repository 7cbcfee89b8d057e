/* onto.h - Newton's method that brings a state onto a surface. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_STEPPER_ONTO_H
#define LBR_STEPPER_ONTO_H
#include "surface.h"

/* Residuals in units of their own rounding: below the first they are done, above the second they have not been solved. */
#define LBR_ONTO_FINE 4
#define LBR_ONTO_POOR 1000

/* Gradients and directions at one point, and the matrix of their products, with both divided by their lengths. */
typedef struct lbr_normal {
    double *G, *D, *N;                             /* m x n, m x n, m x m                                            */
    double *rows, *cols, *r;                       /* m each: lengths of G_i, of D_j; residuals, and m more of room  */
    int64_t *rank;                                 /* 2 m: equations and directions in the order of their pivots     */
    double *room;                                  /* of the surface                                                 */
} lbr_normal;

int64_t lbr_normal_size(const lbr_surface *s);
double *lbr_normal_place(const lbr_surface *s, lbr_normal *x, double *at);

/* out += by D^T mu. */
void lbr_normal_move(const lbr_surface *s, const double *D, const double *mu, double by, double *out);
/* N = G D^T (with `more`, G (D + more)^T), factorised. LBR_ESINGULAR, with what depends on the others. */
lbr_status lbr_normal_factor(const lbr_surface *s, lbr_normal *x, const double *more, lbr_message *message);
/* r becomes N^-1 r. */
void lbr_normal_solve(const lbr_surface *s, const lbr_normal *x, double *r);

/* y becomes y + D(y)^T lambda with g = level (HLW IV.4.4, IV.4.5); e: low parts of y, or NULL. step: n doubles of room. */
lbr_status lbr_onto(const lbr_surface *s, lbr_normal *x, lbr_stats *stats, int64_t most, double t, const double *level, double *y, double *e, double *step, lbr_message *message);
#endif
