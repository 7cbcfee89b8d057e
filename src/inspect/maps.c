/* maps.c - maps of a caller's own: first order, increments, adjoints, and what is promised of them.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "inspect.h"

#include <string.h>

enum { SMALL = 32 }; /* components up to which the whole derivative of a map is looked at */

static const lbr_numbering state = { LBR_NUMBERING_STATE, 0, NULL };

static int64_t maps(const lbr_inspection *z) { return z->b.s.nmaps; }
static const char *map_name(const lbr_inspection *z, int64_t k) { return z->map[k].name; }

/* Map `item` by *u, its adjoint, its increment. */
static int moved(const lbr_mapping *f, double t, const double *x, double *out)
{
    memcpy(out, x, (size_t)f->n * sizeof *out);
    return f->z->map[f->item].map(t, *f->u, out, f->z->b.s.ctx);
}

static int adjoint_moved(const lbr_mapping *f, double t, const double *x, double *out)
{
    memcpy(out, x, (size_t)f->n * sizeof *out);
    return f->z->map[f->item].adjoint(t, *f->u, out, f->z->b.s.ctx);
}

static int incremented(const lbr_mapping *f, double t, const double *x, double *out)
{
    return f->z->map[f->item].increment(t, *f->u, x, out, f->z->b.s.ctx);
}

static lbr_mapping map_of(lbr_inspection *z, int64_t k, const double *h)
{
    return (lbr_mapping){ .call = moved, .n = z->b.s.dim, .m = z->b.s.dim, .z = z, .name = "map", .u = h, .item = k };
}

/* The rates at y, and a step that is small for them. 0: they are known. */
static int rates(lbr_inspection *z, double *f, double *h)
{
    *h = 0.0625;
    if (!f || (z->at && lbr_inspect_is_bound(z)) || (!z->b.field && !z->bodies.size)) return 1;
    if (lbr_inspect_rates_at(z, f)) return 1;
    *h = lbr_inspect_time(z, f);
    return 0;
}

/* --- order 1 ----------------------------------------------------------------------------------------------------- */

static void consistent(lbr_inspection *z, int64_t k)
{
    int64_t n = z->b.s.dim;
    double *f = lbr_inspect_room(z, 3 * n), *slope = lbr_after(f, n), *error = lbr_after(slope, n), h;
    lbr_trail c = { .y = z->y };

    c.map = map_of(z, k, &c.h);
    if (rates(z, f, &h)) return;
    c.h = h;
    if (lbr_inspect_call(z, &c.map, z->y, slope) || z->map[k].order < 1) return;
    if (!lbr_inspect_limit(z, lbr_inspect_on_trail, &c, n, h, 0, f, slope, error))
        lbr_inspect_compare(z, state, state, -1, n, slope, f, error);
    else if (!z->at && !z->why.status) lbr_inspect_say(z, -1, "it fails for every small h, forwards or backwards");
}

static void increment(lbr_inspection *z, int64_t k)
{
    int64_t n = z->b.s.dim;
    double *a = lbr_inspect_room(z, 3 * n), *b = lbr_after(a, n), *error = lbr_after(b, n), h;
    lbr_mapping map = map_of(z, k, &h), by = map;

    by.call = incremented, by.name = "increment";
    rates(z, a, &h);
    if (!a || !z->map[k].increment || lbr_inspect_call(z, &map, z->y, a) || lbr_inspect_call(z, &by, z->y, b)) return;
    for (int64_t i = 0; i < n; i++) error[i] = 0x1p-54 * (fabs(a[i]) + fabs(z->y[i])), a[i] -= z->y[i];
    lbr_inspect_compare(z, state, state, -1, n, b, a, error);
}

/* --- there and back ---------------------------------------------------------------------------------------------- */

/* By h with `first`, and back by -h with the map itself. */
static void back(lbr_inspection *z, int64_t k, int (*first)(const lbr_mapping *, double, const double *, double *))
{
    int64_t n = z->b.s.dim;
    double *f = lbr_inspect_room(z, 3 * n), *there = lbr_after(f, n), *error = lbr_after(there, n), h, minus,
           now = z->t;
    lbr_mapping a = map_of(z, k, &h), b = map_of(z, k, &minus);
    int bad;

    a.call = first, a.name = first == moved ? "map" : "adjoint";
    if (rates(z, f, &h), minus = -h, !f) return;
    if (lbr_inspect_call(z, &a, z->y, there)) return;
    z->t += h;
    bad = lbr_inspect_call(z, &b, there, f);
    z->t = now;
    for (int64_t i = 0; i < n; i++) { /* how far one comes back of how far one went */
        there[i] = there[i] - z->y[i], f[i] = there[i] - (f[i] - z->y[i]), error[i] = 0x1p-42 * z->size[i];
    }
    if (!bad) lbr_inspect_compare(z, state, state, -1, n, f, there, error);
}

static void adjoint(lbr_inspection *z, int64_t k)
{
    if (z->map[k].adjoint) back(z, k, adjoint_moved);
}

static void symmetric(lbr_inspection *z, int64_t k)
{
    if (z->map[k].symmetric) back(z, k, moved);
}

/* --- the derivative keeps dq ^ dp -------------------------------------------------------------------------------- */

static double wedge(const lbr_inspection *z, const double *a, const double *b)
{
    double sum = 0;

    for (int64_t i = 0; i < z->b.s.nq; i++) sum += a[i] * b[z->b.s.nq + i] - a[z->b.s.nq + i] * b[i];
    return sum;
}

static void symplectic(lbr_inspection *z, int64_t k)
{
    int64_t n = z->b.s.dim, nq = z->b.s.nq;
    double *J = lbr_inspect_room(z, n * n + 3 * n), *v = lbr_after(J, n * n), *error = lbr_after(v, n),
           *f = lbr_after(error, n), h, off = 0;
    lbr_mapping map = map_of(z, k, &h);

    if (!J || !z->map[k].symplectic || nq < 1 || n > SMALL || z->at || lbr_inspect_is_bound(z) || rates(z, f, &h))
        return;
    for (int64_t j = 0; j < n; j++) {
        memset(v, 0, (size_t)n * sizeof *v), v[j] = z->size[j];
        if (lbr_inspect_slope(z, &map, z->y, v, 0, 0.0625, NULL, J + j * n, error)) return;
        for (int64_t i = 0; i < n; i++) off = fmax(off, error[i] / z->size[i]);
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < i; j++) {
            double given = wedge(z, J + j * n, J + i * n), size = 0, want = i == j + nq ? z->size[i] * z->size[j] : 0;

            for (int64_t l = 0; l < nq; l++) size += z->size[l] * z->size[nq + l];
            z->compared++;
            if (!(fabs(given - want) <= lbr_inspect_tolerance(given, want, 8 * off * size, size)))
                lbr_inspect_wrong(z, state, i, state, j, given, want, "with its derivative, where dq ^ dp is ");
        }
}

const lbr_inspector lbr_inspect_maps[] = {
    { "maps.%s", "the field, for small h,", maps, map_name, consistent, LBR_ANYWHERE },
    { "maps.%s.increment", "the map", maps, map_name, increment, LBR_ANYWHERE },
    { "maps.%s.adjoint", "going back with the map", maps, map_name, adjoint, LBR_ANYWHERE },
    { "maps.%s.symmetric", "going back with itself", maps, map_name, symmetric, LBR_ANYWHERE },
    { "maps.%s.symplectic", "dq ^ dp", maps, map_name, symplectic, LBR_ANYWHERE },
    { 0 },
};
