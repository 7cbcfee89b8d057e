/* state.c - trajectories: start, run, read, look. SPDX-License-Identifier: BSD-3-Clause
 *
 * One block of memory holds the handle, three copies of the saved part (the trajectory, the last good one, a trial)
 * and the scratch. Steps are taken in chunks; a chunk that fails is taken back and repeated step by step, so that the
 * message names the step and the state is the last good one. What is watched is watched inside a chunk where the
 * stepper can, and otherwise after steps taken one by one. */
#include "plan_inside.h"

#include <math.h>

#include <string.h>

enum { CHUNK = 1024 };
#define MOST_STEPS (INT64_C(1) << 53) /* counts beyond are not exact as double */

static size_t rounded(size_t n) { return (n + 63) / 64 * 64; }

static double *doubles_of(lbr_head *head) { return (double *)(head + 1); }

/* --- life -------------------------------------------------------------------------------------------------------- */

lbr_status lbr_state_create(lbr_state **state, const lbr_plan *p)
{
    size_t saved, scratch, all, lead = rounded(sizeof(lbr_head)) - sizeof(lbr_head); /* v begins with a cache line */
    lbr_state *s;
    char *at;

    if (!state) return LBR_EARG;
    *state = NULL;
    if (!p || !p->setup.stepper) return LBR_EARG;
    saved = rounded(lead + lbr_saved_bytes(p));
    scratch = rounded((size_t)p->setup.nscratch * sizeof(double));
    all = rounded(sizeof *s) + 3 * saved + scratch +
          (2 * (size_t)p->setup.sys.s.dim + (size_t)lbr_look_size(p)) * sizeof(double) + 64;
    if (!(s = lbr_mem_alloc(all))) return LBR_ENOMEM;
    at = (char *)rounded((size_t)(uintptr_t)(s + 1));
    s->plan = p;
    s->work = s->trial = (lbr_work){ .setup = &p->setup };
    s->work.head = (lbr_head *)(at + lead), at += saved;
    s->trial.head = (lbr_head *)(at + lead), at += saved;
    s->backup = (lbr_head *)(at + lead), at += saved;
    s->work.v = doubles_of(s->work.head), s->trial.v = doubles_of(s->trial.head);
    s->work.scratch = s->trial.scratch = (double *)at, at += scratch;
    s->y = (double *)at;
    s->image = s->y + p->setup.sys.s.dim;
    s->room = s->image + p->setup.sys.s.dim;
    *state = s;
    return LBR_OK;
}

void lbr_state_free(lbr_state *s)
{
    if (s) lbr_mem_free(s->work.look);
    lbr_mem_free(s);
}

const char *lbr_state_message(const lbr_state *s) { return s ? s->work.message.text : lbr_status_text(LBR_ENOMEM); }
const lbr_failure *lbr_state_failure(const lbr_state *s) { return s && s->failed ? &s->failure : NULL; }
int64_t lbr_state_count(const lbr_state *s) { return s ? s->work.head->n : 0; }
const lbr_stats *lbr_state_stats(const lbr_state *s) { return s ? &s->work.head->stats : NULL; }

double lbr_state_first_error(const lbr_state *s)
{
    return s && s->started && s->work.head->n > 0 ? s->work.first_off : NAN;
}

/* --- helpers ----------------------------------------------------------------------------------------------------- */

static const char *component(const lbr_state *s, int64_t i, char name[64])
{
    return lbr_system_component(&s->plan->setup.sys.s, i, name, 64);
}

/* Remembers where it was, for programs; the message is for people. Trials are not the trajectory. */
static void remember(lbr_state *s, const lbr_work *w, int64_t step, double t, int64_t i)
{
    if (w != &s->work) return;
    s->failed = 1;
    s->failure = (lbr_failure){ sizeof s->failure, step, t, i, -1 };
}

/* Scratch is for one step size; the trajectory and trials may differ in it. */
static lbr_status prepare(lbr_state *s, lbr_work *w)
{
    lbr_status status;

    if (w->slot_h == w->head->h) return LBR_OK;
    if ((status = lbr_flows_prepare(w->setup, w->head->h, &w->message))) return status;
    w->setup->stepper->prepare(w);
    s->work.slot_h = s->trial.slot_h = w->head->h;
    s->work.matrix_ready = s->trial.matrix_ready = 0;
    return LBR_OK;
}

static lbr_status read_into(lbr_state *s, lbr_work *w, double *y)
{
    lbr_head before = *w->head; /* looking changes nothing: neither counts nor the choice of solver */
    lbr_status status;
    char name[64];
    int64_t i = -1;

    if (!(status = prepare(s, w))) status = w->setup->stepper->read(w, y);
    *w->head = before;
    if (!status && (i = lbr_bound_nonfinite(w->setup->sys.s.dim, y)) >= 0)
        status = lbr_fail(&w->message, LBR_ENONFINITE, "component %s became %g", component(s, i, name),
                          isnan(y[i]) ? NAN : y[i]);
    if (status) {
        lbr_message why = w->message;
        remember(s, w, w->head->n, lbr_time(w->head, w->head->n), i);
        lbr_fail(&w->message, status, "reading at step %lld (t = %.17g): %.400s", (long long)w->head->n,
                 lbr_time(w->head, w->head->n), why.text);
    }
    return status;
}

static lbr_status check_step(lbr_state *s, double t0, double h)
{
    if (h == 0 || h != h || h - h != 0)
        return lbr_fail(&s->work.message, LBR_EARG, "the step is %g; it must be finite and not zero", h);
    if (t0 - t0 != 0) return lbr_fail(&s->work.message, LBR_EARG, "the time at the start is %g; it must be finite", t0);
    if (!isfinite(t0 + h)) return lbr_fail(&s->work.message, LBR_EARG, "the step %g leads beyond all finite times", h);
    return LBR_OK;
}

static lbr_status check_values(lbr_state *s, const double *y)
{
    char name[64];
    int64_t i;

    if (!y) return lbr_fail(&s->work.message, LBR_EARG, "no values are given to start from");
    i = lbr_bound_nonfinite(s->plan->setup.sys.s.dim, y);
    return i < 0 ? LBR_OK
                 : lbr_fail(&s->work.message, LBR_ENONFINITE, "component %s of the start is %g", component(s, i, name),
                            y[i]);
}

/* The field at the start must be there and finite; maps and flows given as code are not asked. */
static lbr_status check_field(lbr_state *s, double t0, const double *y)
{
    const lbr_bound *b = &s->plan->setup.sys;
    char name[64];
    int64_t i;

    if (!b->field) return LBR_OK;
    if (b->field(t0, y, s->y, b->ctx))
        return lbr_fail(&s->work.message, LBR_ECALLBACK,
                        "the system's functions reported a failure at the start (t = %.17g)%s", t0,
                        b->s.lagrangian ? ", as they do where a Lagrangian is not regular: its mass matrix, d^2 "
                                          "L/dq'^2, is singular"
                                        : "");
    i = lbr_bound_nonfinite(b->s.dim, s->y);
    return i < 0 ? LBR_OK
                 : lbr_fail(&s->work.message, LBR_ENONFINITE, "the rate of component %s at the start (t = %.17g) is %g",
                            component(s, i, name), t0, s->y[i]);
}

/* Kicks and drifts are taken one after the other, and time goes by in the drifts: where velocities depend on t as well,
 * orders would be lost. */
static lbr_status check_drifts(lbr_state *s, double t0, double h, const double *y)
{
    const lbr_setup *set = &s->plan->setup;
    const lbr_system *x = &set->sys.s;
    int64_t drifts = 0;

    for (int64_t i = 0; i < set->natoms; i++) drifts += set->atom[i].kind == &lbr_atom_drift;
    if (!drifts || set->sys.drift != LBR_DRIFT_VELOCITY) return LBR_OK;
    if (x->velocity(t0, y + x->nq, s->y, x->ctx) || x->velocity(t0 + h, y + x->nq, s->image, x->ctx))
        return lbr_fail(&s->work.message, LBR_ECALLBACK,
                        "the system's functions reported a failure at the start (t = %.17g)", t0);
    if (lbr_bound_nonfinite(x->nq, s->y) >= 0 || lbr_bound_nonfinite(x->nq, s->image) >= 0)
        return lbr_fail(&s->work.message, LBR_ENONFINITE, "the velocity is not finite at the start (t = %.17g)", t0);
    for (int64_t i = 0; i < x->nq; i++)
        if (s->y[i] != s->image[i])
            return lbr_fail(&s->work.message, LBR_EUNFIT,
                            "the velocity depends on t: methods made of kicks and drifts would lose their orders; give "
                            "dHdq and dHdp instead of force and velocity");
    return LBR_OK;
}

static void put(lbr_work *w, double t0, double h, const double *y)
{
    memset(w->head, 0, sizeof *w->head + (size_t)w->setup->nstate * sizeof *w->v);
    w->head->t0 = t0, w->head->h = h;
    w->setup->stepper->start(w, y);
}

/* --- start, read, map -------------------------------------------------------------------------------------------- */

lbr_status lbr_state_start(lbr_state *s, double t0, double h, const double *y)
{
    lbr_status status;

    if (!s) return LBR_EARG;
    s->work.message.text[0] = 0;
    if ((status = check_step(s, t0, h)) || (status = check_values(s, y)) || (status = check_field(s, t0, y)) ||
        (status = check_drifts(s, t0, h, y)) || (status = lbr_start_check(s, t0, y)) ||
        (status = lbr_flows_prepare(&s->plan->setup, h, &s->work.message)))
        return status;
    put(&s->work, t0, h, y);
    s->work.matrix_ready = 0, s->failed = 0, s->work.first_off = NAN;
    s->started = 1, s->looked = 0;
    return LBR_OK;
}

lbr_status lbr_state_read(lbr_state *s, double *t, double *y)
{
    lbr_status status;

    if (!s) return LBR_EARG;
    if (!s->started)
        return lbr_fail(&s->work.message, LBR_ENOTSTARTED, "there is nothing to read: the state has not been started");
    if (y && (status = read_into(s, &s->work, s->y))) return status;
    if (t) *t = lbr_time(s->work.head, s->work.head->n);
    if (y) memcpy(y, s->y, (size_t)s->plan->setup.sys.s.dim * sizeof *y);
    return LBR_OK;
}

void lbr_state_start_low(lbr_state *s, const double *low)
{
    const lbr_setup *set = &s->plan->setup;

    if (set->low) memcpy(s->work.v + set->low, low, (size_t)set->sys.s.dim * sizeof *low);
}

lbr_status lbr_state_read_both(lbr_state *s, double *t, double *y, double *low)
{
    lbr_status status = lbr_state_read(s, t, y);
    lbr_head before;

    if (status) return status;
    if (!s->plan->setup.stepper->read_both) return LBR_EUNFIT;
    before = *s->work.head;
    status = s->plan->setup.stepper->read_both(&s->work, y, low);
    *s->work.head = before;
    return status;
}

lbr_status lbr_state_map(lbr_state *s, double t, double h, double *y)
{
    lbr_work *w;
    lbr_status status;

    if (!s) return LBR_EARG;
    w = &s->trial;
    if ((status = check_step(s, t, h)) || (status = check_values(s, y))) return status;
    put(w, t, h, y);
    if (!(status = prepare(s, w))) {
        s->work.matrix_ready = s->trial.matrix_ready = 0;
        status = w->setup->stepper->advance(w, 1);
    }
    w->head->n = 1;
    if (!status) status = read_into(s, w, s->image);
    if (status)
        return lbr_fail(&s->work.message, status, "one step of %.17g from t = %.17g: %.400s", h, t, w->message.text);
    memcpy(y, s->image, (size_t)w->setup->sys.s.dim * sizeof *y);
    return LBR_OK;
}

/* --- run --------------------------------------------------------------------------------------------------------- */

static void take_back(lbr_state *s)
{
    memcpy(s->work.head, s->backup, lbr_saved_bytes(s->plan));
    s->work.matrix_ready = 0;
}

/* Tries n steps, which watch (or not: NULL). On failure the saved part is what it was, and the message (of one step)
 * says why. */
static lbr_status attempt(lbr_state *s, int64_t n, const lbr_watch *watch)
{
    lbr_work *w = &s->work;
    int64_t k = w->head->n, i, dim = w->setup->sys.s.dim;
    lbr_status status;
    lbr_message why;
    char name[64];

    memcpy(s->backup, w->head, lbr_saved_bytes(s->plan));
    if (watch) lbr_watch_keep(s);
    w->component = -1, w->watch = watch;
    status = w->setup->stepper->advance(w, n);
    w->head->n = k + n;
    i = lbr_bound_nonfinite(w->setup->nstate, w->v);
    if (!status && i < 0) return LBR_OK;
    why = w->message;
    if (status) i = status == LBR_ENOCONV ? w->component : -1;
    else
        status = lbr_fail(&why, LBR_ENONFINITE, "component %s became %g", component(s, i % dim, name),
                          isnan(w->v[i]) ? NAN : w->v[i]);
    take_back(s);
    if (watch) lbr_watch_return(s);
    remember(s, w, k + 1, lbr_time(w->head, k), i < 0 ? i : i % dim);
    return lbr_fail(&w->message, status, "step %lld (from t = %.17g): %.400s", (long long)k + 1, lbr_time(w->head, k),
                    why.text);
}

/* One step, and a look at what is watched from outside. */
static lbr_status watched_step(lbr_state *s)
{
    lbr_status status = attempt(s, 1, NULL);
    const lbr_head *head = s->work.head;
    lbr_stray stray = { .component = -1 };

    if (status || !s->watch.first) return status;
    if (!(status = read_into(s, &s->work, s->y)) &&
        !(status = lbr_watch_look(s, lbr_time(head, head->n), s->y, &stray)))
        return LBR_OK;
    if (stray.component >= 0)
        remember(s, &s->work, head->n, lbr_time(head, head->n), -1), s->failure.watched = stray.component;
    take_back(s);
    return status;
}

static lbr_status advance(lbr_state *s, int64_t n)
{
    const lbr_watch *watch = s->watch.first ? &s->watch : NULL;
    int whole = !watch || s->plan->setup.watches;
    lbr_status status = whole ? attempt(s, n, watch) : LBR_OK;

    if (whole && (!status || (n == 1 && !watch))) return status;
    for (int64_t i = 0; i < n; i++) /* again, step by step: which one is it? */
        if ((status = watched_step(s))) return status;
    s->failed = 0;
    return LBR_OK;
}

static lbr_status look(lbr_state *s, lbr_observer observer, void *ctx)
{
    const lbr_head *head = s->work.head;
    lbr_view view = { sizeof view, head->n, lbr_time(head, head->n), head->h, s->y, s->plan->setup.sys.s.dim, s };
    lbr_status status = read_into(s, &s->work, s->y);

    if (status) return status;
    return observer(&view, ctx) ? LBR_STOPPED : LBR_OK;
}

/* The next count at which something is to be seen. */
static int64_t next_stop(int64_t n, int64_t end, int64_t every)
{
    int64_t next = every > 0 ? n - n % every + every : end;
    return next < end ? next : end;
}

static lbr_status check_run(lbr_state *s, int64_t n, int64_t every)
{
    lbr_message *m = &s->work.message;

    m->text[0] = 0, s->failed = 0;
    if (!s->started) return lbr_fail(m, LBR_ENOTSTARTED, "the state has not been started");
    if (n < 0 || n > MOST_STEPS - s->work.head->n)
        return lbr_fail(m, LBR_EARG, "%lld steps are asked for; counts go from 0 to 2^53 in all", (long long)n);
    if (!isfinite(lbr_time(s->work.head, s->work.head->n + n)))
        return lbr_fail(m, LBR_EARG, "%lld steps of %g lead beyond all finite times", (long long)n, s->work.head->h);
    if (every < 0)
        return lbr_fail(m, LBR_EARG, "a look every %lld steps is asked for; it must be 0 or more", (long long)every);
    return LBR_OK;
}

lbr_status lbr_state_run(lbr_state *s, int64_t n, int64_t every, lbr_observer observer, void *ctx)
{
    lbr_head *head;
    int64_t end;
    lbr_status status;

    if (!s) return LBR_EARG;
    if ((status = check_run(s, n, every))) return status;
    head = s->work.head, end = head->n + n;
    if ((status = prepare(s, &s->work))) return status;
    if (observer && head->n == 0 && !s->looked) {
        s->looked = 1;
        if ((status = look(s, observer, ctx))) return status;
    }
    while (head->n < end) {
        int64_t stop = next_stop(head->n, end, observer ? every : 0);

        while (head->n < stop)
            if ((status = advance(s, stop - head->n < CHUNK ? stop - head->n : CHUNK))) return status;
        if ((status = prepare(s, &s->work))) return status;
        if (observer && (status = look(s, observer, ctx))) return status;
        if ((status = prepare(s, &s->work))) return status; /* the observer may have used lbr_state_map */
    }
    s->failed = 0, s->work.message.text[0] = 0; /* what was tried and did not work on the way is no news */
    return LBR_OK;
}
