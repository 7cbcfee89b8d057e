/* constraint_state.c - starts on the constraints, and what constraints do at a state one looks at.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kind.h"
#include "stepper/body_steps.h"
#include "stepper/onto_surface.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* How far off a start may be, relative to what it is made of. */
static const double limit = 1e-8;
enum { MOST = 60 };

/* What is looked at: arrays of the state's room, and counts that are thrown away. */
typedef struct look {
    const lbr_multipliers *mu;
    lbr_point at;
    double *r, *x; /* m each */
    lbr_stats stats;
} look;

int64_t lbr_look_size(const lbr_plan *p)
{
    const lbr_multipliers *mu = p->setup.multipliers;

    return mu ? lbr_point_size(mu) + 2 * mu->m : 0;
}

static int look_at(look *l, lbr_state *s)
{
    l->mu = s->plan->setup.multipliers;
    if (!l->mu || l->mu->base) return 0; /* of tangents nothing is checked */
    l->r = lbr_point_place(l->mu, &l->at, s->room), l->x = l->r + l->mu->m;
    l->stats = (lbr_stats){ 0 };
    return 1;
}

/* --- at the start ------------------------------------------------------------------------------------------------ */

/* The first constraint of which |r_i| is more than the limit times sum |G_ij| times the size of x, or -1. */
static int64_t off(const look *l, double size)
{
    const lbr_multipliers *mu = l->mu;

    for (int64_t i = 0; i < mu->m; i++) {
        double sum = 0;

        for (int64_t k = mu->row[i]; k < mu->row[i + 1]; k++) sum += fabs(l->at.G[k]);
        if (!(fabs(l->r[i]) <= limit * sum * size)) return i;
    }
    return -1;
}

static double size_of(const look *l, const double *x)
{
    double most = 0;

    for (int64_t j = 0; j < l->mu->nq; j++) most = fmax(most, fabs(x[j]));
    return most;
}

/* Of velocities: where all rests, what rounding left of one is none. */
static double speed_of(const look *l, const double *y) { return size_of(l, l->at.u) + 1e-6 * size_of(l, y); }

static lbr_status off_by(const look *l, int64_t i, const char *in, lbr_message *m)
{
    char name[64];

    return lbr_fail(m, LBR_EARG,
                    "the start is off constraint %s by %.3g in %s (the limit is %g, scaled); project_start = "
                    "yes (lbr_project_start in C) brings it onto the constraints",
                    lbr_constraint_name(l->mu, i, name, sizeof name), l->r[i], in, limit);
}

/* --- a manifold, which only projections know of ------------------------------------------------------------------ */

typedef struct manifold {
    lbr_arena arena;
    lbr_surface s;
    lbr_normal x;
    double *step, *level;
    lbr_stats stats;
} manifold;

/* What the plan's system gives; lbr_arena_free(&m->arena) in any case. */
static lbr_status manifold_of(manifold *x, lbr_plan *p, lbr_message *m)
{
    static const lbr_projection plain = { .symmetric = 0 };
    lbr_arena *arena = p->setup.arena;
    lbr_status status;
    double *at;

    *x = (manifold){ .level = NULL };
    p->setup.arena = &x->arena;
    status = lbr_surface_make(&x->s, &p->setup, &plain, m);
    p->setup.arena = arena;
    if (status) return status;
    if (!(at = lbr_arena_alloc(&x->arena, lbr_normal_size(&x->s) + x->s.n + x->s.m, sizeof *at)))
        return lbr_fail(m, LBR_ENOMEM, "out of memory for the manifold");
    x->step = lbr_normal_place(&x->s, &x->x, at), x->level = x->step + x->s.n;
    return LBR_OK;
}

static lbr_status manifold_check(lbr_state *s, double t, const double *y, lbr_message *m)
{
    char name[128];
    manifold x;
    lbr_status status = manifold_of(&x, (lbr_plan *)s->plan, m);

    if (!status && (lbr_surface_value(&x.s, &x.stats, t, y, NULL, x.x.r, x.x.room) ||
                    lbr_surface_gradients(&x.s, &x.stats, t, y, x.x.G, x.x.room)))
        status = lbr_fail(m, LBR_ECALLBACK, "the manifold cannot be worked out at the start");
    for (int64_t i = 0; i < x.s.m && !status; i++) {
        double r = x.x.r[i];

        for (int64_t k = 0; k < x.s.m; k++) x.x.r[k] = k == i ? r : 0;
        if (!(lbr_surface_scaled(&x.s, y, NULL, x.x.G, x.x.r) <= limit / DBL_EPSILON))
            status = lbr_fail(m, LBR_EARG,
                              "the start is off %s by %.3g (the limit is %g, scaled); project_start = "
                              "yes (lbr_project_start in C) brings it onto the manifold",
                              lbr_surface_name(&x.s, i, name, sizeof name), r, limit);
    }
    lbr_arena_free(&x.arena);
    return status;
}

/* Whether the method stays on a manifold. */
static int projects(const lbr_flat *f)
{
    for (int i = 0; i < f->naround; i++)
        if (f->around[i]->on_manifold) return 1;
    return 0;
}

lbr_status lbr_start_check(lbr_state *s, double t, const double *y)
{
    lbr_message *m = &s->work.message;
    lbr_residuals found;
    int64_t i;
    look l;

    if (s->plan->setup.rigid) return lbr_rigid_start(s->plan->setup.rigid, y, m);
    if (!look_at(&l, s))
        return s->plan->setup.sys.s.manifold && projects(&s->plan->flat) ? manifold_check(s, t, y, m) : LBR_OK;
    if (lbr_constraint_g(l.mu, &l.stats, t, y, l.r) || lbr_constraint_G(l.mu, &l.stats, t, y, l.at.G))
        return lbr_fail(m, LBR_ECALLBACK, "the constraints cannot be worked out at the start");
    if ((i = off(&l, size_of(&l, y))) >= 0) return off_by(&l, i, "position", m);
    if (lbr_point_residuals(l.mu, &l.at, &l.stats, t, y, l.r, &found, m))
        return lbr_fail(m, LBR_ECALLBACK, "the velocities cannot be worked out at the start");
    if ((i = off(&l, speed_of(&l, y))) >= 0) return off_by(&l, i, "velocity", m);
    return lbr_point_factor(l.mu, &l.at, &l.stats, t, y, m);
}

/* q -= H_pp G^T S^-1 g until g is zero: the nearest point, in the metric of the masses, to first order. */
static lbr_status project_positions(look *l, double t, double *y, lbr_message *m)
{
    const lbr_multipliers *mu = l->mu;
    int64_t nq = mu->nq;
    double last = INFINITY;
    lbr_status status;

    for (int k = 0; k < MOST; k++) {
        double now;

        if (lbr_constraint_g(mu, &l->stats, t, y, l->r) || lbr_constraint_G(mu, &l->stats, t, y, l->at.G))
            return lbr_fail(m, LBR_ECALLBACK, "the constraints cannot be worked out on the way from the start to them");
        now = lbr_constraint_scaled(mu, l->at.G, y, l->r);
        if (now == 0 || (now >= last && off(l, size_of(l, y)) < 0)) return LBR_OK;
        if ((status = lbr_point_factor(mu, &l->at, &l->stats, t, y, m))) return status;
        lbr_point_solve(mu, &l->at, l->r);
        if (lbr_point_moves(mu, &l->at, &l->stats, t, y, l->r))
            return lbr_fail(m, LBR_ECALLBACK, "a derivative of H reported a failure");
        for (int64_t j = 0; j < nq; j++) y[j] -= l->at.w[j];
        last = now;
    }
    return lbr_fail(m, LBR_ENOCONV, "the start could not be brought onto the constraints; give one that is nearer");
}

/* p -= G^T S^-1 G H_p until G H_p is zero. */
static lbr_status project_momenta(look *l, double t, double *y, lbr_message *m)
{
    const lbr_multipliers *mu = l->mu;
    double last = INFINITY;
    lbr_residuals found;
    lbr_status status;

    for (int k = 0; k < MOST; k++) {
        if ((status = lbr_point_residuals(mu, &l->at, &l->stats, t, y, l->r, &found, m))) return status;
        if (found.velocity_scaled == 0 || (found.velocity_scaled >= last && off(l, speed_of(l, y)) < 0)) return LBR_OK;
        if ((status = lbr_point_factor(mu, &l->at, &l->stats, t, y, m))) return status;
        lbr_point_solve(mu, &l->at, l->r);
        lbr_constraint_force(mu, l->at.G, l->r, -1, y + mu->nq);
        last = found.velocity_scaled;
    }
    return lbr_fail(
        m, LBR_ENOCONV,
        "the velocities at the start could not be brought onto the constraints; give a start that is nearer");
}

/* The nearest point, to first order. */
static lbr_status project_manifold(lbr_plan *p, double t, double *y, lbr_message *m)
{
    manifold x;
    lbr_status status = manifold_of(&x, p, m);

    if (!status) status = lbr_onto(&x.s, &x.x, &x.stats, MOST, t, x.level, y, NULL, x.step, m);
    lbr_arena_free(&x.arena);
    return status;
}

lbr_status lbr_project_start(lbr_plan *p, double t, double *y)
{
    lbr_state *s = p ? p->own : NULL;
    lbr_status status;
    look l;

    if (!s || !y) return LBR_EARG;
    memcpy(s->image, y, (size_t)p->setup.sys.s.dim * sizeof *y);
    if (!look_at(&l, s)) status = p->setup.sys.s.manifold ? project_manifold(p, t, s->image, &s->work.message) : LBR_OK;
    else if (!(status = project_positions(&l, t, s->image, &s->work.message)))
        status = project_momenta(&l, t, s->image, &s->work.message);
    if (status) return status;
    memcpy(y, s->image, (size_t)p->setup.sys.s.dim * sizeof *y);
    return LBR_OK;
}

/* --- what observers may ask -------------------------------------------------------------------------------------- */

static lbr_state *state_of(const lbr_view *view) { return (lbr_state *)view->inside; }

lbr_status lbr_view_multipliers(const lbr_view *view, double *lambda)
{
    look l;

    if (!view || !lambda) return LBR_EARG;
    if (!look_at(&l, state_of(view))) return LBR_EUNFIT;
    return lbr_point_multipliers(l.mu, &l.at, &l.stats, view->t, view->y, lambda, &state_of(view)->work.message);
}

lbr_status lbr_view_constraint_force(const lbr_view *view, double *force)
{
    lbr_status status;
    look l;

    if (!view || !force) return LBR_EARG;
    if (!look_at(&l, state_of(view))) return LBR_EUNFIT;
    if ((status = lbr_point_multipliers(l.mu, &l.at, &l.stats, view->t, view->y, l.x, &state_of(view)->work.message)))
        return status;
    memset(force, 0, (size_t)l.mu->nq * sizeof *force);
    lbr_constraint_force(l.mu, l.at.G, l.x, -1, force);
    return LBR_OK;
}

lbr_status lbr_view_residuals(const lbr_view *view, lbr_residuals *out)
{
    look l;
    lbr_residuals own;
    lbr_status status;

    if (!view || !out || out->size < sizeof out->size || out->size > LBR_LARGEST_STRUCT) return LBR_EARG;
    if (!look_at(&l, state_of(view))) return LBR_EUNFIT;
    status = lbr_point_residuals(l.mu, &l.at, &l.stats, view->t, view->y, l.r, &own, &state_of(view)->work.message);
    if (status) return status;
    own.size = out->size;
    memcpy(out, &own, out->size < sizeof own ? out->size : sizeof own);
    return LBR_OK;
}
