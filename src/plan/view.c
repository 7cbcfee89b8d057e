/* view.c - what an observer may ask. SPDX-License-Identifier: BSD-3-Clause */
#include "plan_inside.h"

#include <string.h>

static lbr_state *state_of(const lbr_view *view) { return (lbr_state *)view->inside; }
static const lbr_bound *bound(const lbr_view *view) { return &state_of(view)->plan->setup.sys; }

lbr_status lbr_state_view(lbr_state *s, double t, const double *y, lbr_view *view)
{
    lbr_view own;

    if (!s || !y || !view || view->size < sizeof view->size || view->size > 4096) return LBR_EARG;
    own = (lbr_view){ view->size, s->work.head->n, t, s->work.head->h, y, s->plan->setup.sys.s.dim, s };
    memcpy(view, &own, view->size < sizeof own ? view->size : sizeof own);
    return LBR_OK;
}

lbr_status lbr_view_energy(const lbr_view *view, double *H)
{
    const lbr_bound *b;

    if (!view || !H) return LBR_EARG;
    b = bound(view);
    if (!b->s.energy) return LBR_EUNFIT;
    return b->s.energy(view->t, view->y, H, b->s.ctx) ? LBR_ECALLBACK : LBR_OK;
}

lbr_status lbr_view_invariant(const lbr_view *view, int64_t i, double *value)
{
    const lbr_bound *b;

    if (!view || !value) return LBR_EARG;
    b = bound(view);
    if (!b->s.invariants || i < 0 || i >= b->s.invariants->count) return LBR_EARG;
    return lbr_bound_invariant(b, i)->value(view->t, view->y, value, lbr_bound_invariant_ctx(b, i)) ? LBR_ECALLBACK
                                                                                                    : LBR_OK;
}

/* There is a last step only where the trajectory stands, which observers are shown in memory of the state's own. */
lbr_status lbr_view_dense(const lbr_view *view, double theta, double *y)
{
    lbr_state *s;

    if (!view) return LBR_EARG;
    if (view->y != (s = state_of(view))->y)
        return lbr_fail(&s->work.message, LBR_EARG,
                        "this view is of values that were given (lbr_state_view): no step has led there, so that there "
                        "is nothing between; lbr_state_dense is for the trajectory itself");
    return lbr_state_dense(s, theta, y);
}
