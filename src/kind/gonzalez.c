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

static const lbr_discrete_gradient_claims claims = { 2, 1, "consistent and symmetric (HLW V.5.13)",
                                                     "y and y1 have the same part in it (HLW V.5.13)" };
LBR_DISCRETE_GRADIENT(gonzalez, "gonzalez", "discrete gradient of Gonzalez", "HLW V.5.13 (Gonzalez 1996)",
                      "grad H in the middle of the step, corrected so that H is kept");
