/* mean_gradient.c - the mean of grad H over the step as a discrete gradient: the average vector field.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 *     gradb H(y, y1) = int_0^1 grad H(y + tau (y1 - y)) dtau
 *
 * It is not in HLW; for canonical variables and constant B it is a method with a B-series (McLachlan, Quispel &
 * Robidoux 1999; Quispel & McLaren 2008). */
#include "discrete_gradient.h"
#include "stepper/gradient.h"

#include <math.h>
#include <string.h>

static int gradient(const lbr_chord *c, const double *d, double *out)
{
    memset(out, 0, (size_t)c->n * sizeof *out);
    for (int64_t k = 0; k < c->points; k++) {
        for (int64_t i = 0; i < c->n; i++) c->x[i] = fma(c->node[k], d[i], c->y[i]);
        if (lbr_gradient_of_energy(c->b, c->stats, c->t, c->x, c->g)) return 1;
        for (int64_t i = 0; i < c->n; i++) out[i] = fma(c->weight[k], c->g[i], out[i]);
    }
    return 0;
}

static lbr_status apply(lbr_work *w, const lbr_atom *a, const double *slot, double *own, double t, double h, double *y,
                        double *e)
{
    (void)slot;
    return lbr_discrete_gradient_apply(w, a, own, t, h, y, e, gradient);
}

static const lbr_atom_kind atom = { "mean gradient", 0, lbr_discrete_gradient_build, NULL, apply, 0 };

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
    out->order = lbr_found_told(2, "consistent and symmetric");
    out->symmetric = lbr_found_told(1, "y and y1 have the same part in the mean");
    out->symplectic = lbr_found_told(0, "it keeps H, which symplectic methods do not");
    return LBR_OK;
}

static const lbr_operator operators[] = { { .name = "discrete-gradient",
                                            .word = "mean",
                                            .run = lbr_discrete_gradient_operator,
                                            .source = "McLachlan, Quispel & Robidoux 1999; Quispel & McLaren 2008",
                                            .about = "the mean of grad H over the step: H is kept",
                                            .use = LBR_DISCRETE_GRADIENT_USE },
                                          { .name = NULL } };

const lbr_kind lbr_kind_mean_gradient[] = { { .name = "discrete-gradient mean",
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
