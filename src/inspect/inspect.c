/* inspect.c - a system compared with itself: the points, and all comparisons in turn.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "inspect.h"
#include "core/largest.h"

#include <stdio.h>
#include <string.h>

static const lbr_inspector *const all[] = { lbr_inspect_incomplete, lbr_inspect_rates,       lbr_inspect_slopes,
                                            lbr_inspect_patterns,   lbr_inspect_surfaces,    lbr_inspect_quantities,
                                            lbr_inspect_flows,      lbr_inspect_maps,        lbr_inspect_orders,
                                            lbr_inspect_structures, lbr_inspect_lagrangians, lbr_inspect_bodies_rows };

/* --- what the system points to ----------------------------------------------------------------------------------- */

static void whole(void *to, size_t full, const void *from)
{
    size_t size = from ? *(const size_t *)from : 0;

    if (size) memcpy(to, from, size < full ? size : full), memcpy(to, &full, sizeof full);
}

static int lists(lbr_inspection *z)
{
    const lbr_system *s = &z->b.s;
    lbr_arena *a = &z->arena;

    z->part = s->parts ? lbr_full_array(a, s->parts->part, s->parts->count, sizeof *z->part) : NULL;
    z->map = s->maps ? lbr_full_array(a, s->maps, s->nmaps, sizeof *z->map) : NULL;
    z->invariant = s->invariants ? lbr_full_array(a, s->invariants->item, s->invariants->count, sizeof *z->invariant)
                                 : NULL;
    z->observed = s->observed ? lbr_full_array(a, s->observed->item, s->observed->count, sizeof *z->observed) : NULL;
    return (!s->parts || z->part) && (!s->maps || z->map) && (!s->invariants || z->invariant) &&
           (!s->observed || z->observed);
}

static lbr_status taken(lbr_inspection *z, const lbr_system *system)
{
    const lbr_system *s = &z->b.s;
    lbr_status status = lbr_bound_init(&z->b, system, &z->why);

    if (status) return status;
    whole(&z->constraints, sizeof z->constraints, s->constraints), whole(&z->manifold, sizeof z->manifold, s->manifold);
    whole(&z->bodies, sizeof z->bodies, s->bodies), whole(&z->lagrangian, sizeof z->lagrangian, s->lagrangian);
    whole(&z->defaults, sizeof z->defaults, s->defaults);
    whole(&z->poisson, sizeof z->poisson, s->poisson), whole(&z->pairs, sizeof z->pairs, s->pairs);
    return lists(z) ? LBR_OK : lbr_fail(&z->why, LBR_ENOMEM, "out of memory");
}

/* --- the points -------------------------------------------------------------------------------------------------- */

/* Components are as large as the largest of their kind: of their block, positions, momenta. */
static void measured(const lbr_inspection *z, int64_t from, int64_t to)
{
    double size = lbr_largest(to - from, z->point[0] + from);

    for (int64_t i = from; i < to; i++) z->size[i] = size > 0 ? size : 1;
}

static void measure(const lbr_inspection *z)
{
    const lbr_system *s = &z->b.s;
    int64_t from = 0;

    if (s->nq > 0) {
        measured(z, 0, s->nq), measured(z, s->nq, s->dim);
        return;
    }
    measured(z, 0, s->dim);
    for (int64_t k = 0; s->blocks && k < s->nblocks; k++) {
        const lbr_block *b = lbr_strided(s->blocks, k);
        int64_t n = b->kind == LBR_ROTATION ? 4 : b->kind == LBR_COMPLEX ? 2 : 1;

        for (int64_t i = 0; i < b->rank; i++) n *= b->shape[i];
        measured(z, from, from + n), from += n;
    }
}

/* Whether rates and energy are there. */
static int is_good(const lbr_inspection *z, double t, const double *y, double *f)
{
    if (z->b.field && (z->b.field(t, y, f, z->b.ctx) || lbr_bound_nonfinite(z->b.s.dim, f) >= 0)) return 0;
    if (z->b.s.energy && (z->b.s.energy(t, y, f, z->b.s.ctx) || !isfinite(*f))) return 0;
    return 1;
}

/* The solution after some time, by the classical method of order 4, whose error does not matter here; on constraints it
 * would leave them. 0: there is none. */
static int moved_on(lbr_inspection *z, double *y, double *k)
{
    static const double at[] = { 0, 0.5, 0.5, 1 }, weight[] = { 1, 2, 2, 1 };
    int64_t n = z->b.s.dim;
    double h, t = z->t, *stage = k + n, *sum = stage + n;

    if (!z->b.field || lbr_inspect_is_bound(z) || z->b.field(t, y, k, z->b.ctx)) return 0;
    h = 0.25 * lbr_inspect_time(z, k);
    for (int step = 0; step < 32; step++, t += h) {
        memset(sum, 0, (size_t)n * sizeof *sum), memset(k, 0, (size_t)n * sizeof *k);
        for (int i = 0; i < 4; i++) {
            for (int64_t j = 0; j < n; j++) stage[j] = y[j] + h * at[i] * k[j];
            if (z->b.field(t + h * at[i], stage, k, z->b.ctx)) return 0;
            for (int64_t j = 0; j < n; j++) sum[j] += weight[i] * k[j] / 6;
        }
        for (int64_t j = 0; j < n; j++) y[j] += h * sum[j];
    }
    z->later_t = t;
    return is_good(z, z->t, y, k);
}

/* Another time: what is 0 at the first one, as sin(t) is, is not. About as far as one looks by default, but not so far
 * that what decays is gone; nearer where there are no rates. A system that is for one time only has none. */
static void timed(lbr_inspection *z, const lbr_defaults *d, double *room)
{
    double span = fabs(d->step * (double)d->steps),
           shift = 0.731 * (span > 0 && isfinite(span) ? fmin(span, fmax(1, span / 100)) : 1);

    z->other_t = NAN;
    for (int k = 0; k < 3 && isnan(z->other_t); k++, shift /= 16)
        if (is_good(z, z->t + shift, z->point[1] ? z->point[1] : z->point[0], room)) z->other_t = z->t + shift;
}

static lbr_status placed(lbr_inspection *z, const double *y)
{
    const lbr_system *s = &z->b.s;
    int64_t n = s->dim, bad;
    double *room;

    if (!y) y = z->defaults.y0;
    if (!y) return lbr_fail(&z->why, LBR_EARG, "there is no y, and the system has no start in its defaults");
    if ((bad = lbr_bound_nonfinite(n, y)) >= 0)
        return lbr_fail(&z->why, LBR_EARG, "component %lld of y is %g", (long long)bad + 1, y[bad]);
    if (!isfinite(z->defaults.t0))
        return lbr_fail(&z->why, LBR_EARG, "t0 in the defaults of the system is %g; it must be finite", z->defaults.t0);
    if (!(room = lbr_arena_alloc(&z->arena, 8 * n, sizeof *y))) return lbr_fail(&z->why, LBR_ENOMEM, "out of memory");
    z->point[0] = room, z->size = room + n;
    memcpy(room, y, (size_t)n * sizeof *y);
    z->t = z->defaults.t0;
    measure(z);
    for (double by = 0x1p-7; by > 0x1p-20 && !z->point[1]; by /= 8) {
        for (int64_t i = 0; i < n; i++) room[2 * n + i] = y[i] + by * z->size[i] * lbr_random_sign((uint64_t)i + 5000);
        lbr_inspect_unit(z, room + 2 * n);
        if (is_good(z, z->t, room + 2 * n, room + 4 * n)) z->point[1] = room + 2 * n;
    }
    timed(z, &z->defaults, room + 4 * n);
    memcpy(room + 3 * n, y, (size_t)n * sizeof *y);
    if (moved_on(z, room + 3 * n, room + 4 * n)) z->later = room + 3 * n;
    return LBR_OK;
}

/* --- all of it --------------------------------------------------------------------------------------------------- */

/* At look z->at: the start, a point near it or later on the solution, another time. 0: there is no such look. */
static int stand(lbr_inspection *z, int where)
{
    int later = z->at == 1 && where == LBR_ON_SOLUTION;

    z->y = later ? z->later : z->at && z->point[1] ? z->point[1] : z->point[0];
    if (z->at == 1) {
        if (where == LBR_ONLY_THERE || !(later ? z->later : z->point[1])) return 0;
        if (later) z->t = z->later_t;
    }
    if (z->at == 2) {
        if (where != LBR_ANYWHERE || isnan(z->other_t)) return 0;
        z->t = z->other_t;
    }
    return 1;
}

static void one(lbr_inspection *z, const lbr_inspector *row, int64_t k)
{
    const char *name = row->name ? row->name(z, k) : NULL;
    char what[200], number[32];

    snprintf(number, sizeof number, "%lld", (long long)k + 1);
    if (!row->name) snprintf(what, sizeof what, "%s", row->what);
    else { /* one %s */ const char *hole = strstr(row->what, "%s");

        snprintf(what, sizeof what, "%.*s%.100s%s", (int)(hole - row->what), row->what, name ? name : number, hole + 2);
    }
    lbr_inspect_begin(z, what, row->against);
    for (z->at = 0; z->at < 3 && !z->why.status; z->at++) {
        const double now = z->t;

        if (!stand(z, row->where)) continue;
        row->run(z, k);
        z->t = now;
    }
    lbr_inspect_end(z);
}

static lbr_status compared(lbr_inspection *z)
{
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (const lbr_inspector *row = all[i]; row->what; row++) {
            int64_t count = row->count(z);

            for (int64_t k = 0; k < count && !z->why.status; k++) one(z, row, k);
        }
    return z->why.status;
}

void lbr_system_report_free(const lbr_system_report *report)
{
    lbr_inspection *z = (lbr_inspection *)report;

    if (!z) return;
    lbr_arena_free(&z->arena), lbr_arena_free(&z->scratch);
    lbr_mem_free(z);
}

lbr_status lbr_system_check(const lbr_system *system, const double *y, const lbr_system_report **report)
{
    lbr_inspection *z;
    lbr_status status;

    if (!report) return LBR_EARG;
    *report = NULL;
    if (!(z = lbr_mem_alloc(sizeof *z))) return LBR_ENOMEM;
    z->report.size = sizeof z->report, z->report.message = "";
    if ((status = taken(z, system)) || (status = placed(z, y)) || (status = compared(z))) {
        if (status == LBR_ENOMEM) return lbr_system_report_free(&z->report), status;
        z->report.message = z->why.text;
    }
    *report = &z->report;
    return status;
}
