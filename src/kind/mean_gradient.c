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

static const lbr_discrete_gradient_claims claims = { 2, 1, "consistent and symmetric",
                                                     "y and y1 have the same part in the mean" };
LBR_DISCRETE_GRADIENT(mean_gradient, "mean", "mean gradient",
                      "McLachlan, Quispel & Robidoux 1999; Quispel & McLaren 2008",
                      "the mean of grad H over the step: H is kept");
