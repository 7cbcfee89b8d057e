/* execute_section.c - crossings of sections: looked for at every step, located by a shortened step. SPDX-License-Identifier: BSD-3-Clause
 *
 * g is the surface's left side minus its right side. The side of a section is the sign of g at the last step where g was not 0. A step
 * whose g has the other sign is a crossing: at the step before if g was exactly 0 there, and otherwise at a time within the step, which is
 * located. So a state with g = 0 counts once, when the trajectory leaves it to the other side, and not at all if it goes back (it has touched
 * the surface), or if the run began there; a run that ends there has arrived. Whether a step has crossed a surface twice is not seen.
 *
 * Within the step from t_n the trajectory is tau -> Phi_tau(y_n), the same method with the step tau from the last state. Its crossing is
 * bracketed until the bracket is as narrow as rounding of h allows. A jump or a pole of g changes its sign too, but g does not become small
 * there: that is no crossing. */
#include "executing.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Where a run begins on a surface but for rounding, as one that goes on from an event does, that is where it begins. In steps. */
static const double at_start = 1e-9;

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

/* --- events --------------------------------------------------------------------------------------------------- */

static double *grown(const double *old, int64_t used, int64_t room)
{
    double *more = room > INT64_MAX / 16 ? NULL : lbr_mem_alloc((size_t)room * sizeof *more);

    if (more && used) memcpy(more, old, (size_t)used * sizeof *more);
    return more;
}

static int grow(lbr_exec *e, lbr_events *v, int states)
{
    int64_t room = v->room ? 2 * v->room : 16, dim = e->sys.dim;
    double *t, *y = NULL;

    if (v->count < v->room) return 0;
    t = grown(v->t, v->count, room);
    if (t && states && room <= INT64_MAX / 16 / dim) y = grown(v->y, v->count * dim, room * dim);
    if (!t || (states && !y)) {
        lbr_mem_free(t);
        return lbr_exec_end(e, LBR_EXIT_MACHINE, LBR_ENOMEM, "out of memory for %lld events of section '%.60s'", (long long)v->count + 1, v->name);
    }
    lbr_mem_free(v->t), lbr_mem_free(v->y);
    v->t = t, v->y = y, v->room = room;
    return 0;
}

static int add(lbr_exec *e, int64_t k, double t, const double *y)
{
    lbr_events *v = e->result->events + k;
    int code = grow(e, v, e->job->cut[k].keep > 1);

    if (code) return code;
    v->t[v->count] = t;
    if (v->y) memcpy(v->y + v->count * e->sys.dim, y, (size_t)e->sys.dim * sizeof *y);
    v->count++;
    return 0;
}

/* --- values ----------------------------------------------------------------------------------------------------- */

static int failed(lbr_exec *e, int64_t k, int64_t n, double t, lbr_status status, const char *why)
{
    lbr_result *r = e->result;

    r->failed_step = n, r->failed_t = t;
    return lbr_exec_end(e, status == LBR_ENOMEM ? LBR_EXIT_MACHINE : LBR_EXIT_NUMERICS, status, "step %lld (from t = %.17g): section '%.60s': %.300s", (long long)n, t, e->job->cut[k].name, why);
}

/* g, or NaN. */
static double surface(const lbr_exec *e, int64_t k, double t, const double *y)
{
    const lbr_cut *c = e->job->cut + k;
    double g;

    return c->surface(t, y, &g, c->surface_ctx) ? NAN : g;
}

static int holds(lbr_exec *e, int64_t k, double t, const double *y, int *met)
{
    const lbr_cut *c = e->job->cut + k;
    double x = 1;

    if (c->holds && c->holds(t, y, &x, c->holds_ctx)) return failed(e, k, e->cross.n + 1, e->cross.t, LBR_ECALLBACK, "its conditions have no value where it is crossed");
    return *met = x != 0, 0;
}

static int sign(double g) { return (g > 0) - (g < 0); }

/* --- the place of a crossing -------------------------------------------------------------------------------------- */

/* A point of the step: tau and g there. */
typedef struct spot { double tau, g; } spot;

/* Phi_tau(y_n) into e->cross.image, and g there. */
static int shortened(lbr_exec *e, int64_t k, double tau, spot *s)
{
    lbr_crossings *c = &e->cross;
    lbr_status status;

    memcpy(c->image, c->y, (size_t)e->sys.dim * sizeof *c->y);
    if ((status = lbr_state_map(c->map, c->t, tau, c->image))) return failed(e, k, c->n + 1, c->t, status, lbr_state_message(c->map));
    *s = (spot){ tau, surface(e, k, c->t + tau, c->image) };
    return isnan(s->g) ? failed(e, k, c->n + 1, c->t, LBR_ENONFINITE, "its surface has no value inside the step") : 0;
}

/* Where to look next, as a part of the way from a to b: inverse quadratic interpolation through a, b and the point before, c, where the
 * three lie so that it is monotone in between; otherwise the middle (Chandrupatla 1997). */
static double next_part(spot a, spot b, spot c)
{
    double x = (a.tau - b.tau) / (c.tau - b.tau), f = (a.g - b.g) / (c.g - b.g);

    if (!(f * f < x && (1 - f) * (1 - f) < 1 - x)) return 0.5;
    return a.g / (b.g - a.g) * (c.g / (b.g - c.g)) + (c.tau - a.tau) / (b.tau - a.tau) * (a.g / (c.g - a.g)) * (b.g / (c.g - b.g));
}

/* Between a and b, where g has opposite signs. *found: where |g| is smallest of what was looked at, with its state in e->cross.best; found->tau
 * is NaN where g jumps. `first` is what stands at b.tau if nothing nearer is found. */
static int locate(lbr_exec *e, int64_t k, spot a, spot b, const double *first, spot *found)
{
    double h = fabs(b.tau - a.tau), most = fmax(fabs(a.g), fabs(b.g)), narrow = DBL_EPSILON * h, part = a.g / (a.g - b.g);
    spot c = a, s = a;
    int code;

    *found = b;
    memcpy(e->cross.best, first, (size_t)e->sys.dim * sizeof *first);
    if (fabs(a.g) < fabs(b.g)) *found = a, memcpy(e->cross.best, e->cross.y, (size_t)e->sys.dim * sizeof *first);
    while (fabs(b.tau - a.tau) > 2 * narrow && found->g != 0) {
        double edge = narrow / fabs(b.tau - a.tau);

        part = part > edge ? part < 1 - edge ? part : 1 - edge : edge;
        if ((code = shortened(e, k, a.tau + part * (b.tau - a.tau), &s))) return code;
        if (fabs(s.g) <= fabs(found->g)) *found = s, memcpy(e->cross.best, e->cross.image, (size_t)e->sys.dim * sizeof *first);
        if (sign(s.g) == sign(a.g)) c = a;
        else c = b, b = a;
        a = s;
        part = next_part(a, b, c);
    }
    if (found->g != 0 && fmax(fabs(a.g), fabs(b.g)) > most / 2) found->tau = NAN;
    return 0;
}

/* --- a step --------------------------------------------------------------------------------------------------------- */

/* Section k has changed sides. In units of tau; NaN: no event. e->cross.best is the state there. */
static int crossed(lbr_exec *e, int64_t k, double g, const lbr_view *view, double *tau)
{
    lbr_crossings *c = &e->cross;
    spot found = { 0, 0 };
    int code = 0, met = 1;

    if (c->cut[k].g == 0) memcpy(c->best, c->y, (size_t)e->sys.dim * sizeof *c->y);
    else code = locate(e, k, (spot){ 0, c->cut[k].g }, (spot){ view->h, g }, view->y, &found);
    if (!code && c->n == 0 && c->cut[k].g != 0 && fabs(found.tau) <= at_start * fabs(view->h)) found.tau = NAN;
    if (!code && !isnan(found.tau)) code = holds(e, k, c->t + found.tau, c->best, &met);
    *tau = met ? found.tau : NAN;
    return code;
}

static void end_here(lbr_exec *e, double tau)
{
    lbr_crossings *c = &e->cross;

    e->result->ended = 1;
    c->end_t = c->t + tau, c->exact = tau == 0;
    memcpy(c->end_y, c->best, (size_t)e->sys.dim * sizeof *c->best);
    c->stats = *lbr_state_stats(e->state);
}

/* Section k at this step. Events behind `limit` are no more the run's. */
static int look(lbr_exec *e, int64_t k, const lbr_view *view, double *limit)
{
    lbr_crossing *c = e->cross.cut + k;
    double g = surface(e, k, view->t, view->y), tau = NAN;
    int side = sign(g), code = 0;

    if (isnan(g)) return failed(e, k, view->n, e->cross.t, LBR_ENONFINITE, "its surface has no value at the end of the step");
    if (side && c->side && side != c->side) code = crossed(e, k, g, view, &tau);
    c->side_before = c->side;
    if (side) c->side = side;
    c->g = g;
    if (code || isnan(tau) || fabs(tau) > *limit) return code;
    if (e->job->cut[k].stop) return *limit = fabs(tau), end_here(e, tau), 0;
    return add(e, k, e->cross.t + tau, e->cross.best);
}

static int remember(lbr_exec *e, int64_t n, double t, const double *y)
{
    lbr_crossings *c = &e->cross;
    const void *bytes;
    size_t size;

    c->n = n, c->t = t;
    memcpy(c->y, y, (size_t)e->sys.dim * sizeof *y);
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

    for (int pass = 1; pass >= 0; pass--)                /* the one that may end the run comes first                   */
        for (int64_t k = 0; k < e->job->ncuts && !code; k++)
            if ((e->job->cut[k].stop != 0) == pass) code = look(e, k, view, &limit);
    if (code || e->result->ended) return 1;
    return remember(e, view->n, view->t, view->y);
}

/* --- the beginning and the end ------------------------------------------------------------------------------------------ */

static int memory(lbr_exec *e)
{
    lbr_result *r = e->result;
    lbr_crossings *c = &e->cross;
    int64_t n = e->job->ncuts, dim = e->sys.dim;

    c->cut = lbr_arena_alloc(&r->arena, n, sizeof *c->cut), r->events = lbr_arena_alloc(&r->arena, n, sizeof *r->events);
    c->y = lbr_arena_alloc(&r->arena, 4 * dim, sizeof *c->y);
    if (!c->cut || !r->events || !c->y || lbr_state_create(&c->map, e->plan)) return lbr_exec_no_memory(e);
    c->image = c->y + dim, c->best = c->image + dim, c->end_y = c->best + dim;
    for (int64_t k = 0; k < n; k++)
        if (!(r->events[k].name = lbr_arena_text(&r->arena, e->job->cut[k].name))) return lbr_exec_no_memory(e);
    r->nevents = n;
    return 0;
}

int lbr_exec_cross_open(lbr_exec *e)
{
    const lbr_job *job = e->job;

    if (!job->ncuts) return 0;
    for (int64_t k = 0; k < job->ncuts && job->resume; k++)
        if (job->cut[k].keep)
            return lbr_exec_end(e, LBR_EXIT_INPUT, LBR_EARG, "a run whose events of section '%.60s' are asked for cannot be resumed: a checkpoint does not keep events", job->cut[k].name);
    return memory(e);
}

int lbr_exec_cross_begin(lbr_exec *e)
{
    lbr_crossings *c = &e->cross;
    lbr_status status;
    double t;

    if (!e->job->ncuts) return 0;
    if ((status = lbr_state_read(e->state, &t, c->image))) return lbr_exec_end(e, LBR_EXIT_INPUT, status, "%s", lbr_state_message(e->state));
    for (int64_t k = 0; k < e->job->ncuts; k++) {
        c->cut[k].g = surface(e, k, t, c->image);
        if (isnan(c->cut[k].g)) return lbr_exec_end(e, LBR_EXIT_INPUT, LBR_ENONFINITE, "the surface of section '%.60s' has no value at the start (t = %.17g)", e->job->cut[k].name, t);
        if (sign(c->cut[k].g)) c->cut[k].side = sign(c->cut[k].g);       /* otherwise what a checkpoint says, if there is one */
    }
    return remember(e, e->begin, t, c->image);
}

int lbr_exec_cross_back(lbr_exec *e)
{
    lbr_crossings *c = &e->cross;
    lbr_status status;

    if (!e->result->ended || !c->bytes) return 0;
    status = lbr_state_restore(e->state, c->bytes, c->size);
    return status ? lbr_exec_end(e, LBR_EXIT_MACHINE, status, "%s", lbr_state_message(e->state)) : 0;
}

int lbr_exec_cross_end(lbr_exec *e)
{
    const lbr_crossings *c = &e->cross;
    int code = 0, met = 0;

    for (int64_t k = 0; k < e->job->ncuts && !code && !e->result->exit; k++) {
        if (e->result->ended) {
            if (e->job->cut[k].stop) code = add(e, k, c->end_t, c->end_y);
        } else if (c->cut[k].g == 0 && c->cut[k].side) {
            if (!(code = holds(e, k, c->t, c->y, &met)) && met) code = add(e, k, c->t, c->y);
        }
    }
    return code;
}

void lbr_exec_cross_close(lbr_exec *e) { lbr_state_free(e->cross.map); }
