/* execute_section.c - sections of a run: events kept, a run that ends at one; crossings are found by plan/crossing.c.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "executing.h"

#include <math.h>
#include <string.h>

const lbr_events *lbr_result_events(const lbr_result *r, const char *name)
{
    for (int64_t k = 0; k < r->nevents; k++)
        if (!strcmp(r->events[k].name, name)) return r->events + k;
    return NULL;
}

int lbr_exec_until(const lbr_exec *e)
{
    for (int64_t k = 0; k < e->job->ncuts; k++)
        if (e->job->cut[k].stop) return 1;
    return 0;
}

/* --- events ------------------------------------------------------------------------------------------------------ */

static int grow(lbr_exec *e, lbr_events *v, int states)
{
    size_t state = (size_t)e->sys.dim * sizeof *v->y;
    int64_t room = v->room; /* of the times; the states have as much */

    if (LBR_ROOM(NULL, v->t, v->count, room, 1) &&
        (!states || lbr_room(NULL, &v->y, state, v->count, 1, &v->room, sizeof v->room))) {
        v->room = room;
        return 0;
    }
    return lbr_exec_end(e, LBR_EXIT_MACHINE, LBR_ENOMEM, "out of memory for %lld events of section '%.60s'",
                        (long long)v->count + 1, v->name);
}

static int add(lbr_exec *e, int64_t k, double t, const double *y)
{
    const lbr_cut *cut = e->job->cut + k;
    lbr_events *v = e->result->events + k;
    int states = (cut->keep & LBR_EVENTS_STATES) != 0, code = 0;

    lbr_exec_event(e, k, t, y);
    if (cut->keep & (LBR_EVENTS_TIMES | LBR_EVENTS_STATES) || cut->stop) code = grow(e, v, states);
    if (code) return code;
    if (v->t) v->t[v->count] = t;
    if (v->y) memcpy(v->y + v->count * e->sys.dim, y, (size_t)e->sys.dim * sizeof *y);
    v->count++;
    return 0;
}

/* --- values ------------------------------------------------------------------------------------------------------ */

static int failed(lbr_exec *e, int64_t k, int64_t n, double t, lbr_status status, const char *why)
{
    lbr_result *r = e->result;

    r->failed_step = n, r->failed_t = t;
    return lbr_exec_end(e, status == LBR_ENOMEM ? LBR_EXIT_MACHINE : LBR_EXIT_NUMERICS, status,
                        "step %lld (from t = %.17g): section '%.60s': %.300s", (long long)n, t, e->job->cut[k].at.name,
                        why);
}

static int holds(lbr_exec *e, int64_t k, double t, const double *y, int *met)
{
    *met = lbr_section_holds(&e->job->cut[k].at, t, y);
    return *met < 0 ? failed(e, k, e->cross.step.n + 1, e->cross.step.t, LBR_ECALLBACK,
                             "its conditions have no value where it is crossed")
                    : 0;
}

/* --- a step ------------------------------------------------------------------------------------------------------ */

static void end_here(lbr_exec *e, double tau)
{
    lbr_crossings *c = &e->cross;

    e->result->ended = 1;
    c->end_t = c->step.t + tau, c->exact = tau == 0;
    memcpy(c->end_y, c->step.best, (size_t)e->sys.dim * sizeof *c->end_y);
    c->stats = *lbr_state_stats(e->state);
}

/* Section k at this step. Events behind `limit` are no more the run's. */
static int look(lbr_exec *e, int64_t k, const lbr_view *view, double *limit)
{
    lbr_stride *step = &e->cross.step;
    lbr_message why = { 0 };
    double tau;
    lbr_status status = lbr_crossing_look(e->cross.cut + k, &e->job->cut[k].at, step, view, &tau, &why);

    if (status) return failed(e, k, view->n, step->t, status, why.text);
    e->cross.cut[k].counted = fabs(tau) <= *limit;
    if (isnan(tau) || fabs(tau) > *limit) return 0;
    if (e->job->cut[k].stop) return *limit = fabs(tau), end_here(e, tau), 0;
    return add(e, k, step->t + tau, step->best);
}

/* A run that an event of another section has ended: whether it ends exactly on surface k, coming from one of its sides.
 */
static int on_surface(lbr_exec *e, int64_t k)
{
    const lbr_crossings *c = &e->cross;
    double g;

    return !c->cut[k].counted && c->cut[k].side_before &&
           !lbr_section_value(&e->job->cut[k].at, c->end_t, c->end_y, &g) && g == 0;
}

/* The event that has ended a run; at the same time, before it, those of surfaces on which it has. */
static int last_events(lbr_exec *e)
{
    const lbr_crossings *c = &e->cross;
    int code = 0, met = 0;

    for (int pass = 0; pass < 2; pass++)
        for (int64_t k = 0; k < e->job->ncuts && !code; k++) {
            if ((e->job->cut[k].stop != 0) != pass) continue;
            met = pass;
            if (!pass && on_surface(e, k)) code = holds(e, k, c->end_t, c->end_y, &met);
            if (!code && met) code = add(e, k, c->end_t, c->end_y);
        }
    return code;
}

static int remember(lbr_exec *e, int64_t n, double t, const double *y)
{
    lbr_crossings *c = &e->cross;
    const void *bytes;
    size_t size;

    c->step.n = n, c->step.t = t;
    memcpy(c->step.y, y, (size_t)e->sys.dim * sizeof *y);
    if (!e->job->checkpoint || !lbr_exec_until(e)) return 0;
    bytes = lbr_state_bytes(e->state, &size);
    if (!c->bytes && !(c->bytes = lbr_arena_alloc(&e->result->arena, (int64_t)size, 1))) return lbr_exec_no_memory(e);
    memcpy(c->bytes, bytes, c->size = size);
    return 0;
}

int lbr_exec_cross(lbr_exec *e, const lbr_view *view)
{
    double limit = INFINITY;
    int code = 0;

    for (int pass = 1; pass >= 0; pass--) /* the one that may end the run comes first */
        for (int64_t k = 0; k < e->job->ncuts && !code; k++)
            if ((e->job->cut[k].stop != 0) == pass) code = look(e, k, view, &limit);
    if (!code) code = lbr_exec_events_write(e);
    if (code || e->result->ended) return 1;
    return remember(e, view->n, view->t, view->y);
}

/* --- the beginning and the end ----------------------------------------------------------------------------------- */

int lbr_exec_cross_open(lbr_exec *e)
{
    lbr_result *r = e->result;
    lbr_crossings *c = &e->cross;
    int64_t n = e->job->ncuts, dim = e->sys.dim;

    if (!n) return 0;
    c->cut = lbr_arena_alloc(&r->arena, n, sizeof *c->cut),
    r->events = lbr_arena_alloc(&r->arena, n, sizeof *r->events);
    c->step.y = lbr_arena_alloc(&r->arena, 4 * dim, sizeof *c->step.y);
    if (!c->cut || !r->events || !c->step.y || lbr_state_create(&c->step.map, e->plan)) return lbr_exec_no_memory(e);
    c->step.image = c->step.y + dim, c->step.best = c->step.image + dim, c->end_y = c->step.best + dim;
    c->step.dim = dim;
    for (int64_t k = 0; k < n; k++)
        if (!(r->events[k].name = lbr_arena_text(&r->arena, e->job->cut[k].at.name))) return lbr_exec_no_memory(e);
    r->nevents = n;
    return 0;
}

int lbr_exec_cross_begin(lbr_exec *e)
{
    lbr_crossings *c = &e->cross;
    lbr_status status;
    double t;

    if (!e->job->ncuts) return 0;
    if ((status = lbr_state_read(e->state, &t, c->step.image)))
        return lbr_exec_end(e, LBR_EXIT_INPUT, status, "%s", lbr_state_message(e->state));
    for (int64_t k = 0; k < e->job->ncuts; k++) {
        if ((status = lbr_section_value(&e->job->cut[k].at, t, c->step.image, &c->cut[k].g)))
            return lbr_exec_end(e, LBR_EXIT_INPUT, status, "the surface of section '%.60s' %s at the start (t = %.17g)",
                                e->job->cut[k].at.name, lbr_section_text(status), t);
        if (c->cut[k].g == 0 && c->blind)
            return lbr_exec_end(e, LBR_EXIT_INPUT, LBR_ECHECKPOINT,
                                "the checkpoint '%.200s' is of a run that did not look for the same sections, and it "
                                "is on the surface of '%.60s'",
                                e->job->resume, e->job->cut[k].at.name);
        if (c->cut[k].g != 0)
            c->cut[k].side = c->cut[k].g > 0 ? 1 : -1; /* otherwise what a checkpoint says, if there is one */
    }
    return remember(e, e->begin, t, c->step.image);
}

int lbr_exec_cross_back(lbr_exec *e)
{
    lbr_crossings *c = &e->cross;
    lbr_status status;

    if (!e->result->ended || !c->bytes) return 0;
    status = lbr_state_restore(e->state, c->bytes, c->size);
    return status ? lbr_exec_end(e, LBR_EXIT_MACHINE, status, "%s", lbr_state_message(e->state)) : 0;
}

/* Section k of a run that no event has ended: it may end on the surface. */
static int end_on(lbr_exec *e, int64_t k)
{
    lbr_crossings *c = &e->cross;
    int met = 0, code = 0;

    if (lbr_crossing_ends(c->cut + k, &e->job->cut[k].at, &c->step, e->job->h, &met)) return lbr_exec_no_memory(e);
    if (met) code = holds(e, k, c->step.t, c->step.y, &met);
    return code || !met ? code : add(e, k, c->step.t, c->step.y);
}

int lbr_exec_cross_end(lbr_exec *e)
{
    int code = 0;

    if (e->result->ended && !e->result->exit) code = last_events(e);
    for (int64_t k = 0; k < e->job->ncuts && !code && !e->result->exit && !e->result->ended; k++) code = end_on(e, k);
    return code ? code : lbr_exec_events_write(e);
}

void lbr_exec_cross_close(lbr_exec *e) { lbr_state_free(e->cross.step.map); }
