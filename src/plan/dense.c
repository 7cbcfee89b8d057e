/* dense.c - between the steps: the polynomial of a collocation method. SPDX-License-Identifier: BSD-3-Clause
 *
 *     u(t1 + theta h) = y1 - h sum_j F_j int_{1+theta}^1 l_j,    -1 <= theta <= 0         (HLW II.1.3, Lemma 1.6)
 *
 * with the F of the last step, which the state of an implicit method holds for its next starting values. Nothing is
 * changed. */
#include "kind.h"

#include <math.h>

static double size(lbr_dd a) { return fabs(dd_double(a)); }

/* A and b are those of collocation at c, which is to say C(s) and B(s); tables of a user have as many digits as a
 * double. Nodes that are equal make NaN, and do not. */
static int collocates(const lbr_tableau *t, const lbr_lagrange *l)
{
    for (int j = 0; j < l->m; j++) {
        double worst = size(dd_sub(t->b[j], lbr_lagrange_integral(l, j, dd(0), dd(1))));

        for (int i = 0; i < l->m; i++)
            worst = fmax(worst, size(dd_sub(t->A[i * l->m + j], lbr_lagrange_integral(l, j, dd(0), t->c[i]))));
        if (!(worst < 1e-13)) return 0;
    }
    return 1;
}

lbr_status lbr_dense_prepare(lbr_plan *p)
{
    const lbr_stepper *stepper = p->setup.stepper;
    const lbr_tableau *t = stepper->tableau ? stepper->tableau(&p->setup) : NULL;
    lbr_lagrange *l;

    if (!t || t->s > LBR_NODES_MOST) return LBR_OK;
    if (!(l = lbr_arena_alloc(&p->arena, 1, sizeof *l)))
        return lbr_fail(&p->message, LBR_ENOMEM, "out of memory for the plan");
    lbr_lagrange_init(l, (int)t->s, t->c);
    if (collocates(t, l)) p->dense = l;
    return LBR_OK;
}

lbr_status lbr_state_dense(lbr_state *s, double theta, double *y)
{
    const lbr_lagrange *l;
    const double *F;
    char some[LBR_OFFERED];
    int64_t n;

    if (!s || !y) return LBR_EARG;
    if (!s->started)
        return lbr_fail(&s->work.message, LBR_ENOTSTARTED,
                        "there is nothing between steps: the state has not been started");
    if (!(l = s->plan->dense))
        return lbr_fail(&s->work.message, LBR_EUNFIT,
                        "method '%s' has no dense output; implicit collocation methods alone have one: %s",
                        s->plan->flat.name, lbr_kinds_offer(LBR_OFFERS_DENSE, some));
    if (!(theta >= -1 && theta <= 0))
        return lbr_fail(&s->work.message, LBR_EARG,
                        "dense output goes from -1, the beginning of the last step, to 0, its end; %g is not there",
                        theta);
    if (s->work.head->n == 0 && theta < 0)
        return lbr_fail(&s->work.message, LBR_EARG,
                        "no step has been taken yet, so that there is nothing before this moment");
    F = s->plan->setup.stepper->stages(&s->work), n = s->plan->setup.sys.s.dim;
    for (int64_t i = 0; i < n; i++) y[i] = 0;
    for (int j = 0; j < l->m && theta < 0; j++) {
        double c = dd_mul(dd(s->work.head->h), lbr_lagrange_integral(l, j, dd_sum(1, theta), dd(1))).hi;

        for (int64_t i = 0; i < n; i++) y[i] = fma(c, F[j * n + i], y[i]);
    }
    for (int64_t i = 0; i < n; i++) y[i] = s->work.v[i] - y[i];
    return LBR_OK;
}
