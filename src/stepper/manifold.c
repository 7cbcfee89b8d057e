/* manifold.c - flows of parts on the manifold of constraints: splittings for H = T + V there.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Part i is q' = H^i_p, p' = -H^i_q - G^T L, with 0 = G H_p of the whole H (HLW VII.1.44). Where H^i depends on
 * positions alone its flow is a kick and then what is left of the momenta on the manifold, p - G^T S^-1 G H_p, if H is
 * quadratic in p; so the flow of each part is followed by that projection. A flow that keeps g = 0 is not changed by
 * it. One that does not is no flow of this kind, and is refused; rounding is taken away. */
#include "multipliers.h"
#include "solve/iteration.h"

#include <math.h>
#include <string.h>

/* In units of rounding: beyond this the flow has left the constraints, and what is left of them is not rounding. Up to
 * there two or three corrections are all; MOST is for residuals that go up and down within their rounding. */
static const double left = 1e7;
enum { MOST = 20 };

static lbr_status build(lbr_setup *set, lbr_atom *a, lbr_message *m)
{
    lbr_status status = lbr_atom_flow.build(set, a, m);

    if (status) return status;
    if (set->compensated)
        return lbr_fail(
            m, LBR_EUNFIT,
            "splittings on the manifold of constraints have no compensated sums; rattle and lobatto-3a-3b:s have");
    a->own += lbr_point_size(set->multipliers) + set->multipliers->m;
    return LBR_OK;
}

/* What rounding has left of g, taken from the positions. */
static lbr_status positions(lbr_work *w, const lbr_atom *a, lbr_point *p, double *r, double t, double *y)
{
    const lbr_multipliers *mu = w->setup->multipliers;
    lbr_stats *stats = &w->head->stats;
    lbr_iteration i = lbr_residuals_begin();
    lbr_status status;

    i.small = INFINITY; /* whether it has left the constraints is asked below, before it is corrected */
    for (int k = 0; k < MOST; k++) {
        if (lbr_constraint_g(mu, stats, t, y, r) || lbr_constraint_G(mu, stats, t, y, p->G))
            return lbr_fail(&w->message, LBR_ECALLBACK, "a constraint reported a failure");
        lbr_iteration_put(&i, lbr_constraint_scaled(mu, p->G, y, r));
        if (!(i.now <= left))
            return lbr_fail(
                &w->message, LBR_EUNFIT,
                "the flow of part '%s' leaves the constraints: a splitting needs flows on their manifold (HLW "
                "VII.1.44), and positions alone, or a flow of one's own, for each part; rattle needs none",
                lbr_bound_part(&w->setup->sys, a->index)->name);
        if ((status = lbr_point_factor(mu, p, stats, t, y, &w->message))) return status;
        if (lbr_iteration_settled(&i)) return LBR_OK;
        lbr_point_solve(mu, p, r);
        if (lbr_point_moves(mu, p, stats, t, y, r))
            return lbr_fail(&w->message, LBR_ECALLBACK, "a derivative of H reported a failure");
        for (int64_t j = 0; j < mu->nq; j++) y[j] -= p->w[j];
    }
    return LBR_OK;
}

static lbr_status momenta(lbr_work *w, lbr_point *p, double *r, double t, double *y)
{
    const lbr_multipliers *mu = w->setup->multipliers;
    lbr_stats *stats = &w->head->stats;
    lbr_residuals found;
    lbr_iteration i = lbr_residuals_begin();
    lbr_status status;

    i.small = INFINITY; /* one correction is exact where H is quadratic in p: what it leaves is rounding */
    for (int k = 0; k < MOST; k++) {
        if ((status = lbr_point_residuals(mu, p, stats, t, y, r, &found, &w->message))) return status;
        lbr_iteration_put(&i, found.velocity_scaled);
        if (lbr_iteration_settled(&i)) return LBR_OK;
        lbr_point_solve(mu, p, r);
        lbr_constraint_force(mu, p->G, r, -1, y + mu->nq);
    }
    return LBR_OK;
}

static lbr_status apply(lbr_work *w, const lbr_atom *a, const double *slot, double *own, double t, double h, double *y,
                        double *e)
{
    const lbr_multipliers *mu = w->setup->multipliers;
    lbr_status status = lbr_atom_flow.apply(w, a, slot, own, t, h, y, e);
    double *r, after = a->moves_time ? t + h : t;
    lbr_point p;

    if (status) return status;
    r = lbr_point_place(mu, &p, own + w->setup->sys.s.dim);
    if ((status = positions(w, a, &p, r, after, y))) return status;
    return momenta(w, &p, r, after, y);
}

const lbr_atom_kind lbr_atom_manifold_flow = { "flow on the manifold of constraints", 1, build, NULL, apply, 1 };
