/* surface.c - what projections go onto: equations g(y) = 0, their gradients, and where to move.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "surface.h"
#include "core/difference.h"
#include "core/pattern.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 20000000 }; /* doubles of gradients */

static const char *system_name(const lbr_surface *s) { return s->sys->s.name ? s->sys->s.name : "without a name"; }

/* --- making one -------------------------------------------------------------------------------------------------- */

static int64_t find(const lbr_bound *b, const char *name)
{
    for (int64_t i = 0; b->s.invariants && i < b->s.invariants->count; i++)
        if (lbr_bound_invariant(b, i)->name && !strcmp(lbr_bound_invariant(b, i)->name, name)) return i;
    return b->s.energy && !strcmp(name, "H") ? -1 : -2;
}

static lbr_status no_such(const lbr_surface *s, const char *name, lbr_message *m)
{
    const lbr_bound *b = s->sys;
    const char *first = b->s.invariants && b->s.invariants->count ? lbr_bound_invariant(b, 0)->name : NULL;

    return lbr_fail(m, LBR_EUNFIT, "system '%s' has no invariant '%.60s' to project onto%s%s%s", system_name(s), name,
                    first ? "; its first one is '" : "", first ? first : "", first ? "'" : "");
}

static lbr_status not_kept(const lbr_surface *s, const char *name, const char *why, lbr_message *m)
{
    return lbr_fail(m, LBR_EUNFIT,
                    "'%s' of system '%s' is not kept by the flow, since %s: a projection onto it would keep what "
                    "changes; project onto what is kept, or take the method alone",
                    name, system_name(s), why);
}

/* The invariants: those named; else, if there is nothing else to go onto, all of them, or the energy if there are none.
 */
static lbr_status items(lbr_surface *s, lbr_setup *set, const lbr_projection *how, lbr_message *m)
{
    const lbr_bound *b = s->sys;
    int64_t all = s->m                                        ? 0
                  : b->s.invariants && b->s.invariants->count ? b->s.invariants->count
                                                              : b->s.energy != NULL,
            n = how->n ? how->n : all;
    lbr_surface_item *item = lbr_arena_alloc(set->arena, n, sizeof *item);

    if (!item) return lbr_fail(m, LBR_ENOMEM, "out of memory for what is projected onto");
    for (int64_t k = 0; k < n; k++) {
        int64_t i = how->n ? find(b, how->names[k]) : b->s.invariants && b->s.invariants->count ? k : -1;

        if (i < -1) return no_such(s, how->names[k], m);
        if (i < 0 && b->s.energy_changes) return not_kept(s, "H", b->s.energy_changes, m);
        item[k] = (lbr_surface_item){ i, i < 0 ? 1 : lbr_bound_invariant(b, i)->len };
        s->m += item[k].len;
    }
    s->nitems = n, s->item = item;
    return LBR_OK;
}

static lbr_status given(lbr_surface *s, lbr_message *m)
{
    const lbr_manifold *x = s->sys->s.manifold;

    if (!x) return LBR_OK;
    memcpy(&s->given, x, x->size < sizeof *x ? x->size : sizeof *x);
    x = &s->given;
    if (x->m < 1 || !x->g)
        return lbr_fail(m, LBR_EARG, "the manifold of system '%s' has no equations or no function g", system_name(s));
    if (x->m > s->n)
        return lbr_fail(m, LBR_EARG, "the manifold of system '%s' has more equations (%lld) than components (%lld)",
                        system_name(s), (long long)x->m, (long long)s->n);
    s->m = x->m;
    return x->row ? lbr_pattern_check(&(lbr_pattern){ x->m, s->n, x->nnz, x->row, x->col }, "the manifold's",
                                      "components", m)
                  : LBR_OK;
}

/* By its name and size, or NULL with a sentence. */
static const lbr_invariant *observed(const lbr_surface *s, const char *name, int64_t len, const char *what,
                                     lbr_message *m)
{
    const lbr_invariants *all = s->sys->s.observed;

    for (int64_t i = 0; all && i < all->count; i++) {
        const lbr_invariant *x = lbr_strided(all->item, i);

        if (!x->name || strcmp(x->name, name)) continue;
        if (x->len == len) return x;
        return lbr_fail(m, LBR_EUNFIT, "'%.60s' has %lld numbers, and the %s of this projection are %lld", name,
                        (long long)x->len, what, (long long)len),
               NULL;
    }
    return lbr_fail(m, LBR_EUNFIT,
                    "the %s of a projection are to be '%.60s', and system '%s' observes no quantity of that name", what,
                    name, system_name(s)),
           NULL;
}

static lbr_status masses(lbr_surface *s, lbr_setup *set, int velocities, lbr_message *m)
{
    const lbr_bound *b = s->mu ? s->mu->sys : s->sys;
    double *by = lbr_arena_alloc(set->arena, s->n, sizeof *by);
    const double *w = b->s.inverse_mass;

    if (!by) return lbr_fail(m, LBR_ENOMEM, "out of memory for what is projected onto");
    if (!w || s->n != 2 * b->s.nq)
        return lbr_fail(
            m, LBR_EUNFIT,
            "the weights of a projection are to be made of masses, which system '%s' does not give (inverse_mass)",
            system_name(s));
    for (int64_t i = 0; i < s->n; i++) {
        double x = w[i % b->s.nq];

        if (!(x > 0 && x <= DBL_MAX))
            return lbr_fail(m, LBR_EARG, "inverse mass %lld, which a projection needs for its weights, is not positive",
                            (long long)(i % b->s.nq) + 1);
        if (velocities) by[i] = i < b->s.nq ? 1 : 1 / (x * x);
        else by[i] = i < b->s.nq ? x : 1 / x;
    }
    s->by = by;
    return LBR_OK;
}

static lbr_status words(lbr_surface *s, lbr_setup *set, const lbr_projection *how, lbr_message *m)
{
    if (how->along == LBR_ALONG_POSITIONS && (!s->mu || s->nitems))
        return lbr_fail(
            m, LBR_EUNFIT,
            "'along = positions' is for constraints on positions and their velocities alone, and system '%s' %s",
            system_name(s), s->mu ? "has invariants to be projected onto, too" : "has no such constraints");
    if (how->along == LBR_ALONG_GIVEN && !(s->across = observed(s, how->along_name, s->m * s->n, "directions", m)))
        return LBR_EUNFIT;
    if (how->weights == LBR_WEIGHTS_GIVEN)
        return (s->weights = observed(s, how->weights_name, s->n, "weights", m)) ? LBR_OK : LBR_EUNFIT;
    return how->weights == LBR_WEIGHTS_NONE ? LBR_OK : masses(s, set, how->weights == LBR_WEIGHTS_VELOCITIES, m);
}

lbr_status lbr_surface_make(lbr_surface *s, lbr_setup *set, const lbr_projection *how, lbr_message *m)
{
    lbr_status status;

    *s = (lbr_surface){ .sys = &set->sys, .mu = set->multipliers, .n = set->sys.s.dim, .along = how->along };
    if (s->mu) s->m = 2 * s->mu->m;
    else if ((status = given(s, m))) return status;
    s->fixed = s->m;
    if ((status = items(s, set, how, m))) return status;
    if (!s->m)
        return lbr_fail(
            m, LBR_EUNFIT,
            "system '%s' has nothing to project onto: no constraints, no manifold, no invariants and no energy",
            system_name(s));
    if (s->m > s->n || s->m > MOST / s->n)
        return lbr_fail(m, LBR_EUNFIT, "%lld equations for %lld components are too many to project onto",
                        (long long)s->m, (long long)s->n);
    return words(s, set, how, m);
}

int64_t lbr_surface_room(const lbr_surface *s)
{
    int64_t more = s->given.m ? s->given.nnz : 0;

    return 3 * (s->n + 1) + 8 * s->m + more + (s->mu ? lbr_point_size(s->mu) : 0);
}

/* --- values ------------------------------------------------------------------------------------------------------ */

/* g(q), then G H_p. */
static int constraints(const lbr_surface *s, lbr_stats *stats, double t, const double *y, double *r, double *room)
{
    const lbr_multipliers *mu = s->mu;
    lbr_point p;

    lbr_point_place(mu, &p, room);
    if (lbr_constraint_g(mu, stats, t, y, r) || lbr_constraint_G(mu, stats, t, y, p.G)) return 1;
    if (!mu->sys->separable) lbr_bound_count_rate(mu->sys, stats, 1);
    if (lbr_bound_rate_q(mu->sys, t, y, p.u, p.z)) return 1;
    lbr_constraint_along(mu, p.G, p.u, r + mu->m);
    return 0;
}

static int item_value(const lbr_surface *s, const lbr_surface_item *x, double t, const double *y, double *r)
{
    const lbr_bound *b = s->sys;

    if (x->index < 0) return b->s.energy(t, y, r, b->s.ctx);
    return lbr_bound_invariant(b, x->index)->value(t, y, r, lbr_bound_invariant_ctx(b, x->index));
}

int lbr_surface_value(const lbr_surface *s, lbr_stats *stats, double t, const double *y, const double *level, double *r,
                      double *room)
{
    double *at = r + s->fixed;

    if (s->mu && constraints(s, stats, t, y, r, room)) return 1;
    if (s->given.m && (stats->constraint++, s->given.g(t, y, r, s->sys->s.ctx))) return 1;
    for (int64_t k = 0; k < s->nitems; at += s->item[k].len, k++)
        if (item_value(s, &s->item[k], t, y, at)) return 1;
    for (int64_t i = s->fixed; level && i < s->m; i++) r[i] -= level[i];
    return 0;
}

/* --- what depends on t ------------------------------------------------------------------------------------------- */

typedef struct moving {
    const lbr_surface *s;
    const lbr_surface_item *x;
    const double *y; /* where t moves alone; NULL: it is moved, too */
} moving;

/* z = (t, y). */
static int moved_value(void *ctx, const double *z, double *r)
{
    const moving *m = ctx;

    return item_value(m->s, m->x, z[0], m->y ? m->y : z + 1, r);
}

/* Rates of an invariant: of all, along the field; and of t alone; by differences over e. 1: unknown. */
static int rates(const lbr_surface *s, const lbr_surface_item *x, double t, double e, const double *y, double *all,
                 double *alone, double *room)
{
    double *z = room, *v = z + 1 + s->n, *at = v + 1 + s->n, *other = at + 1 + s->n;
    moving m = { s, x, y };

    z[0] = t, v[0] = 1, memcpy(z + 1, y, (size_t)s->n * sizeof *y);
    if (s->sys->field(t, y, v + 1, s->sys->ctx)) return 1;
    if (lbr_central_difference(moved_value, &m, 1, x->len, z, v, e, at, alone, other)) return 1;
    m.y = NULL;
    return lbr_central_difference(moved_value, &m, 1 + s->n, x->len, z, v, e, at, all, other);
}

/* Does t change it, and the flow not take that back? Two differences must agree, so that neither rounding nor the
 * length of one decides. */
static int changes(const lbr_surface *s, const lbr_surface_item *x, double t, double h, const double *y, double *room)
{
    double *all = room, *alone = all + s->m, *again = alone + s->m;

    room = again + s->m;
    if (!s->sys->field || rates(s, x, t, h * 0x1p-12, y, all, alone, room) ||
        rates(s, x, t, h * 0x1p-16, y, again, alone, room))
        return 0;
    for (int64_t i = 0; i < x->len; i++)
        if (fabs(again[i]) > 0.01 * fabs(alone[i]) && fabs(again[i] - all[i]) <= 0.1 * fabs(again[i]) && alone[i] != 0)
            return 1;
    return 0;
}

lbr_status lbr_surface_kept(const lbr_surface *s, double t, double h, const double *y, double *room, lbr_message *m)
{
    static const double when[] = { 0.3, 0.55, 0.85 };
    double *now = room, *then = now + s->m;

    for (int64_t k = 0; k < s->nitems; k++) {
        const lbr_surface_item *x = &s->item[k];

        if (item_value(s, x, t, y, now)) continue;
        for (size_t i = 0; i < sizeof when / sizeof *when; i++) {
            int differs = 0;

            if (item_value(s, x, t + when[i] * h, y, then)) continue;
            for (int64_t j = 0; j < x->len; j++) differs |= isfinite(now[j]) && isfinite(then[j]) && now[j] != then[j];
            if (differs && (x->index < 0 || changes(s, x, t + when[i] * h, h, y, then + s->m)))
                return not_kept(s, x->index < 0 ? "H" : lbr_bound_invariant(s->sys, x->index)->name, "it depends on t",
                                m);
        }
    }
    return LBR_OK;
}

/* --- gradients --------------------------------------------------------------------------------------------------- */

typedef int value_fn(const lbr_surface *s, const void *what, double t, const double *y, double *r);

static int given_value(const lbr_surface *s, const void *what, double t, const double *y, double *r)
{
    return (void)what, s->given.g(t, y, r, s->sys->s.ctx);
}
static int item_value_of(const lbr_surface *s, const void *what, double t, const double *y, double *r)
{
    return item_value(s, what, t, y, r);
}

typedef struct valued {
    const lbr_surface *s;
    value_fn *f;
    const void *what;
    double t;
} valued;

static int value_at(void *ctx, const double *y, double *r)
{
    const valued *v = ctx;

    return v->f(v->s, v->what, v->t, y, r);
}

/* m rows by differences; the size of y_j is that of the largest component, so that one which passes 0 is no exception.
 */
static int differences(const lbr_surface *s, value_fn *f, const void *what, int64_t m, double t, const double *y,
                       double *G, double *room)
{
    valued v = { s, f, what, t };
    double *x = room, *column = room + s->n, e = lbr_central_step(lbr_largest_or_nan(s->n, y), 1);

    memcpy(x, y, (size_t)s->n * sizeof *x);
    for (int64_t j = 0; j < s->n; j++) {
        if (lbr_central_column(value_at, &v, m, x, j, e, (y[j] + e) - (y[j] - e), column, column + s->m)) return 1;
        for (int64_t i = 0; i < m; i++) G[i * s->n + j] = column[i];
    }
    return 0;
}

static int given_gradients(const lbr_surface *s, lbr_stats *stats, double t, const double *y, double *G, double *room)
{
    const lbr_manifold *x = &s->given;

    stats->constraint++;
    if (!x->G) return differences(s, given_value, NULL, x->m, t, y, G, room);
    if (!x->row) return x->G(t, y, G, s->sys->s.ctx);
    if (x->G(t, y, room, s->sys->s.ctx)) return 1;
    memset(G, 0, (size_t)(x->m * s->n) * sizeof *G);
    for (int64_t i = 0; i < x->m; i++)
        for (int64_t k = x->row[i]; k < x->row[i + 1]; k++) G[i * s->n + x->col[k]] = room[k];
    return 0;
}

/* H' = (-p', q'), where the rates are H's; differences otherwise. */
static int item_gradients(const lbr_surface *s, lbr_stats *stats, const lbr_surface_item *x, double t, const double *y,
                          double *G, double *room)
{
    const lbr_bound *b = s->mu ? s->mu->sys : s->sys;
    int64_t nq = b->s.nq;
    lbr_fn gradient = x->index < 0 ? NULL : lbr_bound_invariant_gradient(s->sys, x->index);

    if (gradient) return gradient(t, y, G, lbr_bound_invariant_ctx(s->sys, x->index));
    if (x->index >= 0 || !b->partitioned || !(b->s.dHdq || b->s.force))
        return differences(s, item_value_of, x, x->len, t, y, G, room);
    lbr_bound_count_rate(b, stats, 1);
    if (lbr_bound_rate_p(b, t, y, G, room) || lbr_bound_rate_q(b, t, y, G + nq, room)) return 1;
    for (int64_t j = 0; j < nq; j++) G[j] = -G[j];
    return 0;
}

/* The rows of constraints, and under them G_i H_p = 0 differentiated: (g_i'' H_p + H_qp G_i^T, H_pp G_i^T). */
static int constraint_gradients(const lbr_surface *s, lbr_stats *stats, double t, const double *y, double *G,
                                double *room)
{
    const lbr_multipliers *mu = s->mu;
    int64_t m = mu->m;
    lbr_point p;

    lbr_point_place(mu, &p, room);
    memset(G, 0, (size_t)(2 * m * s->n) * sizeof *G);
    if (lbr_constraint_G(mu, stats, t, y, p.G)) return 1;
    for (int64_t i = 0; i < m; i++)
        for (int64_t k = mu->row[i]; k < mu->row[i + 1]; k++) G[i * s->n + mu->col[k]] = p.G[k];
    return lbr_point_velocity_rows(mu, &p, stats, t, y, s->along == LBR_ALONG_POSITIONS, G + m * s->n);
}

int lbr_surface_gradients(const lbr_surface *s, lbr_stats *stats, double t, const double *y, double *G, double *room)
{
    double *at = G + s->fixed * s->n;

    if (s->mu && constraint_gradients(s, stats, t, y, G, room)) return 1;
    if (s->given.m && given_gradients(s, stats, t, y, G, room)) return 1;
    for (int64_t k = 0; k < s->nitems; at += s->item[k].len * s->n, k++)
        if (item_gradients(s, stats, &s->item[k], t, y, at, room)) return 1;
    return 0;
}

static int observe(const lbr_surface *s, const lbr_invariant *x, double t, const double *y, double *out)
{
    return x->value(t, y, out, x->ctx ? x->ctx : s->sys->s.ctx);
}

int lbr_surface_directions(const lbr_surface *s, double t, const double *y, const double *G, double *D, double *room)
{
    const double *by = s->by;

    if (s->across) {
        if (observe(s, s->across, t, y, D)) return 1;
    } else memcpy(D, G, (size_t)(s->m * s->n) * sizeof *D);
    for (int64_t i = 0; s->along == LBR_ALONG_POSITIONS && i < s->mu->m; i++)
        memcpy(D + (s->mu->m + i) * s->n + s->mu->nq, G + i * s->n, (size_t)s->mu->nq * sizeof *D);
    if (s->weights) {
        if (observe(s, s->weights, t, y, room)) return 1;
        for (int64_t j = 0; j < s->n; j++) {
            if (!(room[j] > 0 && room[j] <= DBL_MAX)) return 1;
            else room[j] = 1 / room[j];
        }
        by = room;
    }
    for (int64_t i = 0; by && i < s->m; i++)
        for (int64_t j = 0; j < s->n; j++) D[i * s->n + j] *= by[j];
    return 0;
}

/* --- how far off ------------------------------------------------------------------------------------------------- */

/* The rounding of g_i, as far as its gradient and its level tell; q, p: the sizes of positions and momenta. */
static double unit(const lbr_surface *s, int64_t i, const double *level, const double *G, double q, double p)
{
    double sum = level && i >= s->fixed ? fabs(level[i]) : 0;

    for (int64_t j = 0; j < s->n; j++) sum += fabs(G[i * s->n + j]) * (j < s->sys->s.nq ? q : p);
    return DBL_EPSILON * sum;
}

double lbr_surface_scaled(const lbr_surface *s, const double *y, const double *level, const double *G, const double *r)
{
    int64_t nq = s->sys->s.nq;
    double most = 0, q = lbr_largest_or_nan(nq, y), p = lbr_largest_or_nan(s->n - nq, y + nq);

    for (int64_t i = 0; i < s->m; i++) {
        double now = fabs(r[i]);

        if (now != 0) now /= unit(s, i, level, G, q, p);
        most = lbr_larger_or_nan(most, now);
    }
    return most;
}

int lbr_surface_noise(const lbr_surface *s, lbr_stats *stats, double t, const double *y, const double *size,
                      const double *level, const double *G, const double *r, double *noise, double *near, double *room)
{
    static const double by[] = { 0x1p-52, -0x1p-52, 0x1p-51, -0x1p-51, 3 * 0x1p-52 };
    int64_t n = s->n;
    double *other = near + n;

    for (int64_t i = 0; i < s->m; i++) noise[i] = unit(s, i, level, G, size[0], size[1]);
    for (size_t k = 0; k < sizeof by / sizeof *by; k++) {
        for (int64_t j = 0; j < n; j++) near[j] = y[j] * (1 + by[k]);
        if (lbr_surface_value(s, stats, t, near, level, other, room)) return 1;
        for (int64_t i = 0; i < s->m; i++) {
            double off = other[i] - r[i];

            for (int64_t j = 0; j < n; j++) off -= G[i * n + j] * (near[j] - y[j]);
            noise[i] = lbr_larger_or_nan(noise[i], fabs(off));
        }
    }
    return 0;
}

const char *lbr_surface_name(const lbr_surface *s, int64_t i, char *text, size_t size)
{
    int64_t at = s->fixed, k = 0;
    char name[64];

    if (s->mu && i < s->fixed)
        return snprintf(text, size, "constraint %s%s", lbr_constraint_name(s->mu, i % s->mu->m, name, sizeof name),
                        i < s->mu->m ? "" : " (velocity)"),
               text;
    if (i < s->fixed && s->given.names && s->given.names[i])
        return snprintf(text, size, "constraint '%s'", s->given.names[i]), text;
    if (i < s->fixed) return snprintf(text, size, "equation %lld of the manifold", (long long)i + 1), text;
    while (k < s->nitems && i >= at + s->item[k].len) at += s->item[k++].len;
    snprintf(text, size, "invariant '%s'",
             s->item[k].index < 0 ? "H" : lbr_bound_invariant(s->sys, s->item[k].index)->name);
    return text;
}
