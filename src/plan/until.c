/* until.c - runs that end at a time or at a section. SPDX-License-Identifier: BSD-3-Clause */
#include "plan_inside.h"
#include "crossing.h"

#include <math.h>
#include <string.h>

#define MOST_STEPS 9007199254740992.0 /* counts beyond are not exact as double */

double lbr_steps_through(double time, double h)
{
    double x = fabs(time) / fabs(h), whole = nearbyint(x);

    if (!(x <= MOST_STEPS)) return NAN;
    return fabs(x - whole) <= fmax(1e-9, 4 * 0x1p-52 * x) ? whole : x;
}

lbr_status lbr_divide_time(double time, double *h, int64_t *n)
{
    double x = h && isfinite(*h) && *h != 0 && isfinite(time) ? ceil(lbr_steps_through(time, *h)) : NAN;

    if (!(x < MOST_STEPS) || !n || (time != 0 && (time < 0) != (*h < 0))) return LBR_EARG;
    *n = time != 0 && x < 1 ? 1 : (int64_t)x;
    if (*n) *h = time / (double)*n;
    return LBR_OK;
}

/* Steps from now on that lead to T, counted from the start: times are t0 + n h, so that a time that was read leads back
 * to its step, however large t0 is beside h. -1: T lies behind; -2: too many. */
static int64_t steps_to(const lbr_head *head, double T)
{
    double most = 2 * (0x1p-52 * (fabs(T) + fabs(head->t0)) / fabs(head->h)), x = (T - head->t0) / head->h,
           slack = fmax(fmax(1e-9, most), 4 * 0x1p-52 * fabs(x)), whole = nearbyint(x);

    if (!(fabs(x) <= MOST_STEPS)) return -2;
    if (fabs(x - whole) > slack) whole = floor(x);
    if (x < (double)head->n - slack) return -1;
    return (int64_t)whole > head->n ? (int64_t)whole - head->n : 0;
}

lbr_status lbr_state_run_to(lbr_state *s, double T, int64_t every, lbr_observer observer, void *ctx)
{
    lbr_status status;
    int64_t n;
    double t;

    if (!s) return LBR_EARG;
    if ((status = lbr_state_read(s, &t, NULL))) return status;
    n = isfinite(T) ? steps_to(s->work.head, T) : -2;
    if (n == -2)
        return lbr_fail(&s->work.message, LBR_EARG,
                        "a run from t = %.10g to %.10g by steps of %g has no number of steps", t, T, s->work.head->h);
    if (n == -1)
        return lbr_fail(&s->work.message, LBR_EARG, "the time %.10g lies behind: it is t = %.10g, and the step is %g",
                        T, t, s->work.head->h);
    return lbr_state_run(s, n, every, observer, ctx);
}

lbr_status lbr_run_to(lbr_plan *p, double T, int64_t every, lbr_observer observer, void *ctx)
{
    return p ? lbr_state_run_to(lbr_plan_state(p), T, every, observer, ctx) : LBR_EARG;
}

/* --- sections ---------------------------------------------------------------------------------------------------- */

/* A run until a section is crossed. */
typedef struct quest {
    const lbr_section *section;
    lbr_crossing crossing;
    lbr_stride step;
    double tau; /* NaN: not yet */
    lbr_status status;
    lbr_message why;
} quest;

static int look(const lbr_view *view, void *ctx)
{
    quest *q = ctx;

    if (view->n == q->step.n) return 0; /* where it began */
    q->status = lbr_crossing_look(&q->crossing, q->section, &q->step, view, &q->tau, &q->why);
    if (q->status || !isnan(q->tau)) return 1;
    q->step.n = view->n, q->step.t = view->t;
    memcpy(q->step.y, view->y, (size_t)view->dim * sizeof *view->y);
    return 0;
}

static lbr_status no_memory(lbr_state *s)
{
    return lbr_fail(&s->work.message, LBR_ENOMEM, "out of memory for a section");
}

static lbr_status begin(lbr_state *s, quest *q)
{
    lbr_status status = lbr_state_read(s, &q->step.t, q->step.y);

    if (status) return status;
    q->step.n = lbr_state_count(s);
    if ((status = lbr_section_value(q->section, q->step.t, q->step.y, &q->crossing.g)))
        return lbr_fail(&s->work.message, status, "the surface of section '%.60s' %s at t = %.17g",
                        q->section->name ? q->section->name : "", lbr_section_text(status), q->step.t);
    q->crossing.side = (q->crossing.g > 0) - (q->crossing.g < 0);
    return lbr_state_create(&q->step.map, s->plan) ? no_memory(s) : LBR_OK;
}

/* The last step has ended exactly on the surface, and the next call would begin there: this is where it is crossed. */
static lbr_status arrived(quest *q)
{
    int met = lbr_section_holds(q->section, q->step.t, q->step.y);

    if (met < 0)
        return q->status = lbr_fail(&q->why, LBR_ECALLBACK, "its conditions have no value where it is crossed");
    if (!met) return LBR_OK;
    q->tau = 0;
    memcpy(q->step.best, q->step.y, (size_t)q->step.dim * sizeof *q->step.y);
    return LBR_STOPPED;
}

lbr_status lbr_state_until(lbr_state *s, const lbr_section *section, int64_t most, double *t, double *y)
{
    quest q = { .section = section, .tau = NAN };
    int64_t dim = s ? s->plan->setup.sys.s.dim : 0;
    lbr_section own;
    lbr_status status;

    if (!s) return LBR_EARG;
    if (!section || section->size < offsetof(lbr_section, holds_ctx) + sizeof section->holds_ctx || !section->surface)
        return lbr_fail(&s->work.message, LBR_EARG, "there is no section: it has no function or its size is not set");
    if ((status = lbr_known(section, sizeof *section, "the section", &s->work.message))) return status;
    own = *section, q.section = &own;
    q.step.dim = dim;
    if (!(q.step.y = lbr_mem_alloc(3 * (size_t)dim * sizeof *q.step.y))) return no_memory(s);
    q.step.image = q.step.y + dim, q.step.best = q.step.image + dim;
    if (!(status = begin(s, &q))) status = lbr_state_run(s, most, 1, look, &q);
    if (!status && q.crossing.g == 0 && q.crossing.side) status = arrived(&q);
    if (q.status)
        status = lbr_fail(&s->work.message, q.status, "step %lld (from t = %.17g): section '%.60s': %.300s",
                          (long long)q.step.n + 1, q.step.t, own.name ? own.name : "", q.why.text);
    if (status == LBR_STOPPED && t) *t = q.step.t + q.tau;
    if (status == LBR_STOPPED && y) memcpy(y, q.step.best, (size_t)dim * sizeof *y);
    lbr_state_free(q.step.map), lbr_mem_free(q.step.y);
    return status;
}

lbr_status lbr_run_until(lbr_plan *p, const lbr_section *section, int64_t most, double *t, double *y)
{
    return p ? lbr_state_until(lbr_plan_state(p), section, most, t, y) : LBR_EARG;
}
