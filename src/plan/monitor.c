/* monitor.c - H and the invariants at every step of a trajectory. SPDX-License-Identifier: BSD-3-Clause */
#include "plan_inside.h"

#include <math.h>
#include <string.h>

lbr_status lbr_state_watch(lbr_state *s, const double *first, double *worst)
{
    const lbr_bound *b;
    int64_t n, all;

    if (!s) return LBR_EARG;
    if (!first != !worst)
        return lbr_fail(&s->work.message, LBR_EARG,
                        "watching needs both the values at the start and room for the largest errors");
    b = &s->plan->setup.sys;
    n = lbr_watch_quantities(b), all = lbr_watch_components(b);
    if (first && n > 0 && !s->work.look) {
        if (all < 0 || n > INT64_MAX / 64 || !(s->work.look = lbr_mem_alloc((size_t)(all + 2 * n) * sizeof *worst)))
            return lbr_fail(&s->work.message, LBR_ENOMEM, "out of memory for what is watched");
        s->kept = s->work.look + all + n;
    }
    s->watch = n > 0 ? (lbr_watch){ first, worst, NULL } : (lbr_watch){ 0 };
    return LBR_OK;
}

void lbr_state_watch_low(lbr_state *s, const double *low) { s->watch.low = low; }

void lbr_watch_keep(lbr_state *s)
{
    memcpy(s->kept, s->watch.worst, (size_t)lbr_watch_quantities(&s->plan->setup.sys) * sizeof *s->kept);
}
void lbr_watch_return(lbr_state *s)
{
    memcpy(s->watch.worst, s->kept, (size_t)lbr_watch_quantities(&s->plan->setup.sys) * sizeof *s->kept);
}

lbr_status lbr_watch_look(lbr_state *s, double t, const double *y, lbr_stray *stray)
{
    lbr_work *w = &s->work;

    if (!lbr_watch_step(&w->setup->sys, t, y, s->watch.first, s->watch.worst, w->look, stray)) return LBR_OK;
    return lbr_fail(&w->message, LBR_ENONFINITE, "step %lld (t = %.17g): %s%s became %g", (long long)w->head->n, t,
                    stray->of_error ? "the error of " : "", stray->name,
                    isnan(stray->value) ? fabs(stray->value) : stray->value);
}
