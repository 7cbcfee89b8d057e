/* gonzalez.c - Gonzalez' discrete gradient: that of the middle, corrected along the step (HLW V.5.13).
 * SPDX-License-Identifier: BSD-3-Clause
 *
 *     gradb H(y, y1) = grad H(yb) + (H(y1) - H(y) - grad H(yb) . d) d/(d . d),    yb = (y + y1)/2,  d = y1 - y
 *
 * H(y1) - H(y) is the mean of grad H along the step, times d. */
#include "discrete_gradient.h"
#include "stepper/gradient.h"

#include <math.h>

static int gradient(const lbr_chord *c, const double *d, double *out)
{
    double more = 0, length = 0;

    for (int64_t i = 0; i < c->n; i++) c->x[i] = c->y[i] + d[i] / 2, length = hypot(length, d[i]);
    if (lbr_gradient_of_energy(c->b, c->stats, c->t, c->x, out)) return 1;
    if (length == 0) return 0;
    for (int64_t k = 0; k < c->points; k++) {
        double sum = 0;

        for (int64_t i = 0; i < c->n; i++) c->x[i] = fma(c->node[k], d[i], c->y[i]);
        if (lbr_gradient_of_energy(c->b, c->stats, c->t, c->x, c->g)) return 1;
        for (int64_t i = 0; i < c->n; i++) sum = fma(c->g[i] - out[i], d[i] / length, sum);
        more = fma(c->weight[k], sum, more);
    }
    for (int64_t i = 0; i < c->n; i++) out[i] = fma(more, d[i] / length, out[i]);
    return 0;
}

static lbr_status apply(lbr_work *w, const lbr_atom *a, const double *slot, double *own, double t, double h, double *y,
                        double *e)
{
    (void)slot;
    return lbr_discrete_gradient_apply(w, a, own, t, h, y, e, gradient);
}

static const lbr_atom_kind atom = { "discrete gradient of Gonzalez", 0, lbr_discrete_gradient_build, NULL, apply, 0 };

static lbr_status bind(lbr_plan *p, lbr_base *b, const lbr_step *s, lbr_program *to)
{
    (void)b;
    lbr_bind_step(p, to, (lbr_atom){ .kind = &atom, .moves_time = 1 }, s->c); /* it is its own adjoint */
    return LBR_OK;
}

static int self_adjoint(const lbr_base *b, lbr_arena *arena) { return (void)b, (void)arena, 1; }

static lbr_status analyse(lbr_base *b, int adjoint, lbr_arena *arena, lbr_analysis *out, lbr_message *m)
{
    (void)b, (void)adjoint, (void)arena, (void)m;
    out->order = lbr_found_told(2, "consistent and symmetric (HLW V.5.13)");
    out->symmetric = lbr_found_told(1, "y and y1 have the same part in it (HLW V.5.13)");
    out->symplectic = lbr_found_told(0, "it keeps H, which symplectic methods do not");
    return LBR_OK;
}

static const lbr_operator operators[] = { { .name = "discrete-gradient",
                                            .word = "gonzalez",
                                            .run = lbr_discrete_gradient_operator,
                                            .source = "HLW V.5.13 (Gonzalez 1996)",
                                            .about = "grad H in the middle of the step, corrected so that H is kept",
                                            .use = LBR_DISCRETE_GRADIENT_USE },
                                          { .name = NULL } };

const lbr_kind lbr_kind_gonzalez[] = { { .name = "discrete-gradient gonzalez",
                                         .operators = operators,
                                         .type = LBR_MAP,
                                         .self_adjoint = self_adjoint,
                                         .needs = "poisson",
                                         .explicitness = "never",
                                         .describe = lbr_discrete_gradient_describe,
                                         .bind = bind,
                                         .analyse_one = analyse,
                                         .volume = lbr_discrete_gradient_volume },
                                       { .name = NULL } };
