/* multipliers.h - constraints g(q) = 0 of a system, and the forces -G^T lambda that keep them.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 *     q' = H_p,   p' = -H_q - G(q)^T lambda,   g(q) = 0,   G = g'                                        (HLW VII.1.9)
 *
 * All methods solve with the symmetric matrix S = G H_pp G^T (HLW VII.1.13), which has a row for each constraint. With
 * masses its pattern follows from that of G: two constraints meet where they share a coordinate. Otherwise it is taken
 * as dense. */
#ifndef LBR_STEPPER_MULTIPLIERS_H
#define LBR_STEPPER_MULTIPLIERS_H
#include "stepper.h"
#include "core/largest.h"
#include "core/ldl.h"

enum { LBR_TOGETHER = 3 }; /* coordinates that are taken together: at most this many */

typedef struct lbr_multipliers {
    const lbr_bound *sys;
    lbr_constraints c;        /* a copy; what a shorter struct lacks is zero */
    int64_t m, nq, nnz, ns;   /* constraints, positions, elements of G, of the lower half of S */
    const int64_t *row, *col; /* of G, by rows */
    const double *mass;       /* inverse masses: H_pp is diagonal; or NULL */
    int64_t *srow, *scol;     /* of S, its lower half by rows */
    /* With masses, in half the memory and less (what is streamed through costs time): the elements of G are `together`
     * neighbours by neighbours, 1, 2 or 3 as points have coordinates. The groups of row i are begin[i] .. begin[i + 1]
     * - 1, the first column of group k is at[k]; row i of S begins at sbegin[i] and its element e is the sum of the
     * products of groups WG[left[k]..] and G[right[k]..], first[e] <= k < first[e + 1]. */
    int64_t together;
    int32_t *begin, *at, *sbegin, *first, *left, *right;
    lbr_ldl ldl;
    int64_t blocks;                 /* equations with the same matrix: 1, and one for each tangent */
    const struct lbr_prolonged *of; /* of a prolonged system (tangents.h), with those of the system itself: nnz is then
                                       what is kept of a point; or NULL */
    const struct lbr_multipliers *base;
} lbr_multipliers;

/* What is known at one point: G, G with the masses, S and its factorisation, room for vectors. */
typedef struct lbr_point {
    double *G, *WG, *S, *factor;
    double *u, *v; /* 2 nq each */
    double *z;     /* 2 nq: what rates are made with */
    double *x, *w; /* nq each */
} lbr_point;

/* Checks the system's constraints; in the arena, the second time the same. Their sentence, or "out of memory". */
lbr_status lbr_multipliers_make(lbr_setup *set, lbr_message *message);
int64_t lbr_point_size(const lbr_multipliers *mu);
/* Places the arrays of a point; returns what follows them. */
double *lbr_point_place(const lbr_multipliers *mu, lbr_point *point, double *at);

/* g and G; 0, or what the callback says. */
int lbr_constraint_g(const lbr_multipliers *mu, lbr_stats *stats, double t, const double *q, double *r);
int lbr_constraint_G(const lbr_multipliers *mu, lbr_stats *stats, double t, const double *q, double *G);
/* out += by G^T lambda; out = G v; the largest of |r_i|/(eps |x| sum_j |G_ij|), |x| being the largest |x_j|: the
 * residual in units of the rounding of its own evaluation. */
void lbr_constraint_force(const lbr_multipliers *mu, const double *G, const double *lambda, double by, double *out);
void lbr_constraint_along(const lbr_multipliers *mu, const double *G, const double *v, double *out);
double lbr_constraint_scaled(const lbr_multipliers *mu, const double *G, const double *x, const double *r);
/* The name of a constraint. */
const char *lbr_constraint_name(const lbr_multipliers *mu, int64_t i, char *text, size_t size);

/* S at y from point->G, factorised. LBR_OK; LBR_ECALLBACK; LBR_ESINGULAR. Sentences. */
lbr_status lbr_point_factor(const lbr_multipliers *mu, lbr_point *point, lbr_stats *stats, double t, const double *y,
                            lbr_message *message);
/* Why S has no inverse: equation i. */
lbr_status lbr_point_singular(const lbr_multipliers *mu, const lbr_point *point, int64_t i, lbr_message *message);
/* x becomes S^-1 x. */
static inline void lbr_point_solve(const lbr_multipliers *mu, const lbr_point *point, double *x)
{
    for (int64_t b = 0; b < mu->blocks; b++) lbr_ldl_solve(&mu->ldl, point->factor, x + b * mu->ldl.n);
}

/* lambda(q, p) of HLW (VII.1.11); G and S become those of y. */
lbr_status lbr_point_multipliers(const lbr_multipliers *mu, lbr_point *point, lbr_stats *stats, double t,
                                 const double *y, double *lambda, lbr_message *message);

/* w = H_pp G^T x: how positions move where multipliers x push. */
int lbr_point_moves(const lbr_multipliers *mu, lbr_point *point, lbr_stats *stats, double t, const double *y,
                    const double *x);

/* G H_p = 0 differentiated, G being there: m rows (g_i'' H_p + H_qp G_i^T, H_pp G_i^T) of 2 nq numbers, which are zero
 * before; `first`: without second derivatives of g and H_qp, (0, H_pp G_i^T). */
int lbr_point_velocity_rows(const lbr_multipliers *mu, lbr_point *point, lbr_stats *stats, double t, const double *y,
                            int first, double *rows);

/* The largest residuals of g = 0 and of G H_p = 0, as they are and scaled; G becomes that of y, u begins with H_p, and
 * r (m doubles) is G H_p. */
lbr_status lbr_point_residuals(const lbr_multipliers *mu, lbr_point *point, lbr_stats *stats, double t, const double *y,
                               double *r, lbr_residuals *out, lbr_message *message);
#endif
