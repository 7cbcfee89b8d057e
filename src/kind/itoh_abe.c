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

static const lbr_discrete_gradient_claims claims = {
    1, 0, "consistent; 2 where H is a sum of functions of one component each",
    "the adjoint goes through the components the other way (HLW V.5.12)"
};
LBR_DISCRETE_GRADIENT(itoh_abe, "itoh-abe", "discrete gradient of Itoh and Abe", "HLW V.5.12 (Itoh & Abe 1988)",
                      "increments of H component by component: H is kept");
