/* itoh_abe.c - the discrete gradient of coordinate increments (Itoh & Abe 1988; HLW V.5.12).
 * SPDX-License-Identifier: BSD-3-Clause
 *
 *     gradb H(y, y1)_i = (H(y1_1, .., y1_i, y_i+1, ..) - H(y1_1, .., y1_i-1, y_i, ..))/(y1_i - y_i)
 *
 * for i = 1, .., n in the order of the state: the mean of dH/dy_i over the way of component i. The adjoint goes through
 * the components the other way. */
#include "discrete_gradient.h"
#include "stepper/gradient.h"

#include <math.h>
#include <string.h>

static int gradient(const lbr_chord *c, const double *d, double *out)
{
    memcpy(c->x, c->y, (size_t)c->n * sizeof *c->x);
    for (int64_t k = 0; k < c->n; k++) {
        int64_t i = c->adjoint ? c->n - 1 - k : k;

        out[i] = 0;
        for (int64_t p = 0; p < c->points; p++) {
            c->x[i] = fma(c->node[p], d[i], c->y[i]);
            if (lbr_gradient_of_energy(c->b, c->stats, c->t, c->x, c->g)) return 1;
            out[i] = fma(c->weight[p], c->g[i], out[i]);
        }
        c->x[i] = c->y[i] + d[i];
    }
    return 0;
}

static lbr_status apply(lbr_work *w, const lbr_atom *a, const double *slot, double *own, double t, double h, double *y,
                        double *e)
{
    (void)slot;
    return lbr_discrete_gradient_apply(w, a, own, t, h, y, e, gradient);
}

static const lbr_atom_kind atom = {
    "discrete gradient of Itoh and Abe", 0, lbr_discrete_gradient_build, NULL, apply, 0
};

static int self_adjoint(const lbr_base *b, lbr_arena *arena) { return (void)b, (void)arena, 0; }

static lbr_status analyse(lbr_base *b, int adjoint, lbr_arena *arena, lbr_analysis *out, lbr_message *m)
{
    (void)b, (void)adjoint, (void)arena, (void)m;
    out->order = lbr_found_told(1, "consistent; 2 where H is a sum of functions of one component each");
    out->symmetric = lbr_found_told(0, "the adjoint goes through the components the other way (HLW V.5.12)");
    out->symplectic = lbr_found_told(0, "it keeps H, which symplectic methods do not");
    return LBR_OK;
}

static const lbr_operator operators[] = { { .name = "discrete-gradient",
                                            .word = "itoh-abe",
                                            .run = lbr_discrete_gradient_operator,
                                            .source = "HLW V.5.12 (Itoh & Abe 1988)",
                                            .about = "increments of H component by component: H is kept",
                                            .use = LBR_DISCRETE_GRADIENT_USE },
                                          { .name = NULL } };

const lbr_kind lbr_kind_itoh_abe[] = { { .name = "discrete-gradient itoh-abe",
                                         .operators = operators,
                                         .type = LBR_MAP,
                                         .self_adjoint = self_adjoint,
                                         .needs = "poisson",
                                         .explicitness = "never",
                                         .describe = lbr_discrete_gradient_describe,
                                         .atom = &atom,
                                         .analyse_one = analyse,
                                         .volume = lbr_discrete_gradient_volume },
                                       { .name = NULL } };
