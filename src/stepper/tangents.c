/* tangents.c - constraints of prolonged systems: g = 0 and G dq_i = 0. SPDX-License-Identifier: BSD-3-Clause */
#include "tangents.h"
#include "core/prolong_inside.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { ROOM = 1024 }; /* positions that are prolonged at most (core/prolong.c) */

/* S and all that is solved with it are those of the system itself: equations of tangents have the same matrix. */
lbr_status lbr_tangents_make(lbr_setup *set, lbr_multipliers *mu, const lbr_prolonged *of, lbr_message *m)
{
    lbr_setup *inside = lbr_arena_alloc(set->arena, 1, sizeof *inside);
    lbr_status status;

    if (!inside) return lbr_fail(m, LBR_ENOMEM, "out of memory for the constraints");
    inside->sys = of->base, inside->arena = set->arena;
    if ((status = lbr_multipliers_make(inside, m))) return status;
    inside->multipliers->sys = &of->base;
    mu->of = of, mu->base = inside->multipliers, mu->blocks = of->k + 1;
    mu->nnz = mu->base->nnz + 1 + mu->nq, mu->ns = mu->base->ns, mu->ldl = mu->base->ldl;
    return LBR_OK;
}

int lbr_tangents_G(const lbr_multipliers *mu, lbr_stats *stats, double t, const double *q, double *G)
{
    G[mu->base->nnz] = t;
    memcpy(G + mu->base->nnz + 1, q, (size_t)mu->nq * sizeof *q);
    return lbr_constraint_G(mu->base, stats, t, q, G);
}

void lbr_tangents_force(const lbr_multipliers *mu, const double *G, const double *lambda, double by, double *out)
{
    const lbr_multipliers *b = mu->base;
    const double *q = G + b->nnz + 1;
    double bend[ROOM];

    for (int64_t i = 0; i < mu->blocks; i++) {
        lbr_constraint_force(b, G, lambda + i * b->m, by, out + i * b->nq);
        if (!i) continue;
        if (lbr_prolonged_bend(mu->of, q[-1], q, lambda, q + i * b->nq, bend)) bend[0] = NAN;
        for (int64_t j = 0; j < b->nq; j++) out[i * b->nq + j] += by * bend[j];
    }
}

void lbr_tangents_along(const lbr_multipliers *mu, const double *G, const double *v, double *out)
{
    const lbr_multipliers *b = mu->base;
    const double *q = G + b->nnz + 1;
    double curve[ROOM];

    for (int64_t i = 0; i < mu->blocks; i++) {
        lbr_constraint_along(b, G, v + i * b->nq, out + i * b->m);
        if (!i) continue;
        if (lbr_prolonged_curve(mu->of, q[-1], q, q + i * b->nq, v, curve)) curve[0] = NAN;
        for (int64_t j = 0; j < b->m; j++) out[i * b->m + j] += curve[j];
    }
}

/* Tangents are compared with the largest of all that their equations are made of. */
double lbr_tangents_scaled(const lbr_multipliers *mu, const double *G, const double *x, const double *r)
{
    const lbr_multipliers *b = mu->base;
    double most = lbr_constraint_scaled(b, G, x, r),
           size = DBL_EPSILON * fmax(lbr_largest_or_nan(mu->nq, x), lbr_largest_or_nan(mu->nq, G + b->nnz + 1));

    for (int64_t i = b->m; i < mu->m; i++) {
        double sum = 0, now = fabs(r[i]);

        for (int64_t k = b->row[i % b->m]; k < b->row[i % b->m + 1]; k++) sum += fabs(G[k]);
        if (now != 0) now /= size * sum;
        most = lbr_larger_or_nan(most, now);
    }
    return most;
}

lbr_status lbr_tangents_factor(const lbr_multipliers *mu, lbr_point *p, lbr_stats *stats, double t, const double *y,
                               lbr_message *m)
{
    int64_t nq = mu->base->nq;

    memcpy(p->w, y, (size_t)nq * sizeof *y),
        memcpy(p->w + nq, y + mu->nq, (size_t)nq * sizeof *y); /* w: as many as all positions, at least 2 nq */
    return lbr_point_factor(mu->base, p, stats, t, p->w, m);
}
