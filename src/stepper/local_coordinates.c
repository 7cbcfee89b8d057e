/* local_coordinates.c - Runge-Kutta steps in local coordinates of a surface. SPDX-License-Identifier: BSD-3-Clause
 *
 * Near a point a of the surface psi_a(x) = a + x + D(a)^T u, g(psi_a(x)) = 0, with x in the tangent space at a, where
 * y' = f(y) is x' = P f(psi_a(x)), P = 1 - D^T (G D^T)^-1 G (HLW IV.5.8, IV.5.9, without a basis of that space). What x
 * has along D makes no difference to psi_a, so that P may be left out. Standard: a is where the step begins (IV.5.3).
 * Symmetric: a is the point for which the step goes from x = -d/2 to x = d/2 (HLW V.4, Algorithm 4.5); it is found
 * together with the stages. f is asked on the surface alone. */
#include "onto_surface.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct constants {
    lbr_surface s;
    const lbr_tableau *t;
    lbr_dd c;
} constants;

typedef struct step {
    lbr_work *w;
    const constants *c;
    const lbr_surface *s;
    double t, h;
    double *level;
    lbr_normal x;           /* of a */
    double *a, *d, *Y, *to; /* n each: the point; the increment; a place on the surface; room */
    double *K, *L;          /* s n each: rates of stages, old and new */
} step;

static lbr_status build(lbr_setup *set, lbr_atom *a, lbr_message *m)
{
    const lbr_projected *p = a->data;
    const lbr_atom *in = p->inner.n == 1 ? &set->atom[p->inner.term->atom] : NULL;
    constants *c = lbr_arena_alloc(set->arena, 1, sizeof *c);
    lbr_status status;

    if (!c) return lbr_fail(m, LBR_ENOMEM, "out of memory for local coordinates");
    if (set->compensated)
        return lbr_fail(m, LBR_EUNFIT, "local coordinates have no compensated sums; project(symmetric, METHOD) has");
    if (!in || in->kind != &lbr_atom_runge_kutta || in->second)
        return lbr_fail(
            m, LBR_EUNFIT,
            "local coordinates are for one step of a Runge-Kutta method; tableau(METHOD) makes one of a composition");
    if ((status = lbr_surface_make(&c->s, set, p->how, m))) return status;
    c->t = in->tableau, c->c = p->inner.term->c;
    a->constants = c;
    a->own = lbr_normal_size(&c->s) + (4 + 2 * c->t->s) * c->s.n, a->kept = 1 + c->s.m;
    return LBR_OK;
}

static void place(step *z, double *own)
{
    int64_t n = z->s->n, s = z->c->t->s;

    own = lbr_normal_place(z->s, &z->x, own);
    z->a = own, z->d = own + n, z->Y = own + 2 * n, z->to = own + 3 * n, z->K = own + 4 * n, z->L = z->K + s * n;
}

static lbr_status failed(step *z, const char *what)
{
    return lbr_fail(&z->w->message, LBR_ECALLBACK, "%s reported a failure", what);
}

static lbr_status normal_at(step *z, double t)
{
    lbr_stats *stats = &z->w->head->stats;

    if (lbr_surface_gradients(z->s, stats, t, z->a, z->x.G, z->x.room) ||
        lbr_surface_directions(z->s, t, z->a, z->x.G, z->x.D, z->x.room))
        return failed(z, "a derivative of the surface");
    return lbr_normal_factor(z->s, &z->x, NULL, &z->w->message);
}

/* y moves along D(a) onto the surface. */
static lbr_status onto(step *z, double t, double *y)
{
    const lbr_surface *s = z->s;
    lbr_iteration c = lbr_residuals_begin();
    int there = 0;

    for (int64_t k = 0; k <= z->w->setup->max_iterations; k++) {
        if ((there = lbr_onto_there(s, &z->x, &z->w->head->stats, t, y, z->level, &c))) break;
        lbr_normal_solve(s, &z->x, z->x.r);
        lbr_normal_move(s, z->x.D, z->x.r, -1, y);
    }
    if (there == 1) return LBR_OK;
    if (there == -2) return failed(z, "the surface");
    return lbr_fail(&z->w->message, LBR_ENOCONV,
                    "the local coordinates of a step do not reach far enough; try a smaller step");
}

/* New rates of all stages, from x = from d on. Returns their largest change, times h, relative to y; d becomes the new
 * increment. */
static lbr_status sweep(step *z, double from, double *change)
{
    const lbr_bound *b = &z->w->setup->sys;
    const lbr_tableau *a = z->c->t;
    int64_t n = z->s->n, s = a->s;
    double *swap, most = 0;
    lbr_status status;

    lbr_bound_count(b, &z->w->head->stats, s);
    for (int64_t i = 0; i < s; i++) {
        double t = z->t + a->c[i].hi * z->h, *f = z->L + i * n;

        for (int64_t j = 0; j < n; j++) {
            double sum = 0;

            for (int64_t k = 0; k < s; k++) sum += a->A[i * s + k].hi * z->K[k * n + j];
            z->Y[j] = z->a[j] + from * z->d[j] + z->h * sum;
        }
        if ((status = onto(z, t, z->Y))) return status;
        if (b->field(t, z->Y, f, b->ctx)) return failed(z, "the field");
        for (int64_t j = 0; j < n; j++) most = lbr_larger_or_nan(most, fabs(f[j] - z->K[i * n + j]));
    }
    swap = z->K, z->K = z->L, z->L = swap;
    for (int64_t j = 0; j < n; j++) {
        z->d[j] = 0;
        for (int64_t i = 0; i < s; i++) z->d[j] += z->h * a->b[i].hi * z->K[i * n + j];
    }
    *change = most > 0 ? fabs(z->h) * most / lbr_largest_or_nan(n, z->a) : most;
    return LBR_OK;
}

/* The point in the middle, from the increment: y + d/2, moved along D(a) onto the surface. Adds how much it changes. */
static lbr_status middle(step *z, const double *y, double *change)
{
    int64_t n = z->s->n;
    double most = 0;
    lbr_status status;

    for (int64_t j = 0; j < n; j++) z->to[j] = y[j] + z->d[j] / 2;
    if ((status = onto(z, z->t + z->h / 2, z->to))) return status;
    for (int64_t j = 0; j < n; j++) most = lbr_larger_or_nan(most, fabs(z->to[j] - z->a[j]));
    memcpy(z->a, z->to, (size_t)n * sizeof *z->a);
    *change += most > 0 ? most / lbr_largest_or_nan(n, z->a) : most;
    return normal_at(z, z->t + z->h / 2);
}

/* Changes no longer shrink. Places on the surface are as uncertain as the values of g make them: where all gradients
 * are small, as near a saddle of H, that is more than the rounding of y. Is `change`, relative to y, no more than that?
 */
static lbr_status only_rounding(step *z, double change, int *yes)
{
    const lbr_surface *s = z->s;
    int64_t nq = s->sys->s.nq;
    double t = z->t + z->h / 2, a = lbr_largest_or_nan(s->n, z->a), most = a;
    double size[2] = { lbr_largest_or_nan(nq, z->a), lbr_largest_or_nan(s->n - nq, z->a + nq) };

    if (lbr_surface_value(s, &z->w->head->stats, t, z->a, z->level, z->x.r, z->x.room)) return failed(z, "the surface");
    if (lbr_normal_noise(s, &z->x, &z->w->head->stats, t, z->a, size, z->level)) return failed(z, "the surface");
    memset(z->to, 0, (size_t)s->n * sizeof *z->to);
    lbr_normal_uncertain(s, &z->x, NULL, z->x.r, z->Y, z->to);
    for (int64_t j = 0; j < s->n; j++) most = lbr_larger_or_nan(most, z->to[j] / DBL_EPSILON);
    *yes = change * a <= LBR_NOISE * most;
    return LBR_OK;
}

static lbr_status first(step *z, const double *y)
{
    const lbr_bound *b = &z->w->setup->sys;
    int64_t n = z->s->n;
    lbr_status status;

    memcpy(z->a, y, (size_t)n * sizeof *y), memset(z->d, 0, (size_t)n * sizeof *z->d);
    if ((status = normal_at(z, z->t))) return status;
    lbr_bound_count(b, &z->w->head->stats, 1);
    if (b->field(z->t, y, z->K, b->ctx)) return failed(z, "the field");
    for (int64_t i = 1; i < z->c->t->s; i++) memcpy(z->K + i * n, z->K, (size_t)n * sizeof *z->K);
    return LBR_OK;
}

static lbr_status solve(step *z, const double *y, int symmetric)
{
    lbr_stats *stats = &z->w->head->stats;
    lbr_iteration i = lbr_increments_begin();
    lbr_course verdict = LBR_GOES_ON;
    double change = INFINITY;
    lbr_status status = first(z, y);
    int yes;

    for (int64_t k = 1; k <= z->w->setup->max_iterations && !status && verdict != LBR_RUNS_AWAY; k++) {
        if ((status = sweep(z, symmetric ? -0.5 : 0, &change)) || (symmetric && (status = middle(z, y, &change))))
            return status;
        lbr_count_iterations(stats, 1, k);
        verdict = lbr_iteration_next(&i, change);
        if (verdict == LBR_IS_SETTLED) return LBR_OK;
        if (verdict == LBR_STALLS && ((status = only_rounding(z, change, &yes)) || yes)) return status;
    }
    if (status || lbr_iteration_small(&i)) return status;
    if (!isfinite(change))
        return lbr_fail(&z->w->message, LBR_ENOCONV,
                        "the equations of a step in local coordinates were not solved: their iteration ran away, "
                        "beyond all finite numbers; try a smaller step");
    return lbr_fail(&z->w->message, LBR_ENOCONV,
                    "the equations of a step in local coordinates were not solved: stages still change by %.3g, "
                    "relatively; try a smaller step",
                    change);
}

static lbr_status apply(lbr_work *w, const lbr_atom *a, const double *slot, double *own, double t, double h, double *y,
                        double *e)
{
    const constants *c = a->constants;
    double *kept = w->kept + a->kept_at;
    int symmetric = ((const lbr_projected *)a->data)->how->symmetric;
    step z = { .w = w, .c = c, .s = &c->s, .t = t, .h = dd_mul(c->c, dd(h)).hi, .level = kept + 1 };
    lbr_status status;

    (void)slot, (void)e;
    place(&z, own);
    if (*kept == 0) { /* what invariants are is noted once, where a trajectory begins */
        if (lbr_surface_value(z.s, &w->head->stats, t, y, NULL, z.level, z.x.room)) return failed(&z, "the surface");
        for (int64_t i = 0; i < z.s->fixed; i++) z.level[i] = 0;
        *kept = 1;
        if ((status = lbr_surface_kept(z.s, t, z.h, y, z.x.room, &w->message))) return status;
    }
    if ((status = solve(&z, y, symmetric))) return status;
    for (int64_t j = 0; j < z.s->n; j++) z.Y[j] = z.a[j] + (symmetric ? 0.5 : 1) * z.d[j];
    if ((status = onto(&z, t + z.h, z.Y))) return status;
    memcpy(y, z.Y, (size_t)z.s->n * sizeof *y);
    return LBR_OK;
}

const lbr_atom_kind lbr_atom_local = { "local coordinates", 0, build, NULL, apply, 0 };
