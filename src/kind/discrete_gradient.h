/* discrete_gradient.h - methods that keep H: y1 = y + h B((y + y1)/2) gradb H(y, y1).
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A discrete gradient has gradb H(y, y1) . (y1 - y) = H(y1) - H(y) and gradb H(y, y) = grad H(y) (HLW V.5.9, V.5.10); B
 * is skew, so that H is kept. The difference of two values of H, divided by a small increment, would lose all its
 * digits. Here it is the mean of grad H on the way from one to the other, which is the same number: Gauss' formula,
 * with as many points as it takes until it stops changing. */
#ifndef LBR_KIND_DISCRETE_GRADIENT_H
#define LBR_KIND_DISCRETE_GRADIENT_H
#include "shared.h"

/* One step, as a discrete gradient sees it. */
typedef struct lbr_chord {
    const lbr_bound *b;
    lbr_stats *stats;
    int64_t n;
    double t, h; /* where H and B are taken, the middle of the step; the step */
    const double *y;
    int adjoint;
    int64_t points;
    const double *node, *weight; /* of the formula for the mean over 0 .. 1 */
    double *x, *g;               /* room: a point, and the gradient there; n numbers each */
    double *extra;               /* room that the kind's build has asked for, beside the rest */
} lbr_chord;

/* gradb H(y, y + d), n numbers. 0, or what a callback says. */
typedef int lbr_discrete_gradient_fn(const lbr_chord *c, const double *d, double *out);

/* The parts of an atom: build and apply call these with the kind's own function. */
lbr_status lbr_discrete_gradient_build(lbr_setup *set, lbr_atom *a, lbr_message *m);
lbr_status lbr_discrete_gradient_apply(lbr_work *w, const lbr_atom *a, double *own, double t, double h, double *y,
                                       double *e, lbr_discrete_gradient_fn *f);

/* The operator discrete-gradient(WORD), for whichever kind has this word. */
lbr_status lbr_discrete_gradient_operator(lbr_flattening *c, lbr_expr *e, lbr_whole *out);

/* lbr_kind.describe: H is kept. .volume: nothing is known. */
lbr_status lbr_discrete_gradient_describe(const lbr_flat *f, lbr_arena *arena, lbr_method_info *i, lbr_message *m);
lbr_status lbr_discrete_gradient_volume(const lbr_flat *f, int symplectic, lbr_arena *arena, lbr_finding *out,
                                        lbr_message *m);

/* What is told of a discrete gradient; the texts say why. One that is symmetric is its own adjoint. */
typedef struct lbr_discrete_gradient_claims {
    int order, symmetric;
    const char *why_order, *why_symmetric;
} lbr_discrete_gradient_claims;
lbr_status lbr_discrete_gradient_analyse(const lbr_discrete_gradient_claims *claims, lbr_analysis *out);

/* All of a kind but the function, which the file of the kind has as `gradient`, and its claims. */
#define LBR_DISCRETE_GRADIENT(kind_, word_, atom_, source_, about_)                                                    \
    static lbr_status apply(lbr_work *w, const lbr_atom *a, const double *slot, double *own, double t, double h,       \
                            double *y, double *e)                                                                      \
    {                                                                                                                  \
        (void)slot;                                                                                                    \
        return lbr_discrete_gradient_apply(w, a, own, t, h, y, e, gradient);                                           \
    }                                                                                                                  \
    static const lbr_atom_kind atom = { atom_, 0, lbr_discrete_gradient_build, NULL, apply, 0 };                       \
    static lbr_status bind(lbr_plan *p, lbr_base *b, const lbr_step *s, lbr_program *to)                               \
    {                                                                                                                  \
        (void)b;                                                                                                       \
        lbr_bind_step(p, to, (lbr_atom){ .kind = &atom, .adjoint = s->adjoint && !claims.symmetric, .moves_time = 1 }, \
                      s->c);                                                                                           \
        return LBR_OK;                                                                                                 \
    }                                                                                                                  \
    static int self_adjoint(const lbr_base *b, lbr_arena *arena) { return (void)b, (void)arena, claims.symmetric; }    \
    static lbr_status analyse(lbr_base *b, int adjoint, lbr_arena *arena, lbr_analysis *out, lbr_message *m)           \
    {                                                                                                                  \
        (void)b, (void)adjoint, (void)arena, (void)m;                                                                  \
        return lbr_discrete_gradient_analyse(&claims, out);                                                            \
    }                                                                                                                  \
    static const lbr_operator operators[] = { { .name = "discrete-gradient",                                           \
                                                .word = word_,                                                         \
                                                .run = lbr_discrete_gradient_operator,                                 \
                                                .source = source_,                                                     \
                                                .about = about_,                                                       \
                                                .use = "discrete-gradient(" word_ ")" },                               \
                                              { .name = NULL } };                                                      \
    const lbr_kind lbr_kind_##kind_[] = { { .name = "discrete-gradient " word_,                                        \
                                            .operators = operators,                                                    \
                                            .type = LBR_MAP,                                                           \
                                            .self_adjoint = self_adjoint,                                              \
                                            .needs = "poisson",                                                        \
                                            .explicitness = "never",                                                   \
                                            .describe = lbr_discrete_gradient_describe,                                \
                                            .bind = bind,                                                              \
                                            .analyse_one = analyse,                                                    \
                                            .volume = lbr_discrete_gradient_volume },                                  \
                                          { .name = NULL } }
#endif
