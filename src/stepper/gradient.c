/* gradient.c - y' = B(y) grad H(y): the gradient of H, and B times a vector, of whatever a system gives.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "gradient.h"

#include <stddef.h>

/* The Poisson structure, if it is there whole. */
static const lbr_poisson *structure(const lbr_bound *b)
{
    const lbr_poisson *p = b->s.poisson;

    return p && p->size >= offsetof(lbr_poisson, structure) + sizeof p->structure && p->gradient && p->structure ? p
                                                                                                                 : NULL;
}

static int canonical(const lbr_bound *b)
{
    return b->s.nq > 0 && b->s.dim == 2 * b->s.nq && (b->separable || (b->s.dHdq && b->s.dHdp));
}

int lbr_gradient_known(const lbr_bound *b) { return structure(b) || canonical(b); }

int lbr_gradient_of_energy(const lbr_bound *b, lbr_stats *stats, double t, const double *y, double *g)
{
    const lbr_system *s = &b->s;
    int64_t nq = s->nq;

    if (structure(b)) return stats->gradient++, s->poisson->gradient(t, y, g, s->ctx);
    if (!b->separable) return stats->gradient += 2, s->dHdq(t, y, g, s->ctx) | s->dHdp(t, y, g + nq, s->ctx);
    stats->force++;
    if (s->force(t, y, g, s->ctx)) return 1;
    for (int64_t i = 0; i < nq; i++) g[i] = -g[i];
    if (!s->inverse_mass) return s->velocity(t, y + nq, g + nq, s->ctx);
    for (int64_t i = 0; i < nq; i++) g[nq + i] = s->inverse_mass[i] * y[nq + i];
    return 0;
}

int lbr_gradient_turned(const lbr_bound *b, double t, const double *y, const double *v, double *out)
{
    int64_t nq = b->s.nq;

    if (structure(b)) return b->s.poisson->structure(t, y, v, out, b->s.ctx);
    for (int64_t i = 0; i < nq; i++) out[i] = v[nq + i], out[nq + i] = -v[i];
    return 0;
}
