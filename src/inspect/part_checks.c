/* part_checks.c - parts: flows, increments and fields, against each other and against the whole field.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "inspect.h"

#include <string.h>

static const lbr_numbering state = { LBR_NUMBERING_STATE, 0, NULL };

static int64_t parts(const lbr_inspection *z) { return z->b.s.parts ? z->b.s.parts->count : 0; }
static const char *part_name(const lbr_inspection *z, int64_t k) { return z->part[k].name; }
static void *part_ctx(const lbr_inspection *z, int64_t k) { return z->part[k].ctx ? z->part[k].ctx : z->b.s.ctx; }

/* --- calls ------------------------------------------------------------------------------------------------------- */

/* The flow of part `item` by *u, from x; and its increment. */
static int moved(const lbr_mapping *f, double t, const double *x, double *out)
{
    const lbr_part *p = &f->z->part[f->item];

    memcpy(out, x, (size_t)f->n * sizeof *out);
    if (p->prepare && p->prepare(*f->u, part_ctx(f->z, f->item))) return 1;
    return p->flow(t, *f->u, out, part_ctx(f->z, f->item));
}

static int incremented(const lbr_mapping *f, double t, const double *x, double *out)
{
    const lbr_part *p = &f->z->part[f->item];

    if (p->prepare && p->prepare(*f->u, part_ctx(f->z, f->item))) return 1;
    return p->increment(t, *f->u, x, out, part_ctx(f->z, f->item));
}

static lbr_mapping flow_of(lbr_inspection *z, int64_t k, const double *h)
{
    return (lbr_mapping){ .call = moved, .n = z->b.s.dim, .m = z->b.s.dim, .z = z, .name = "flow", .u = h, .item = k };
}

/* The derivative of a flow at h = 0; e: the first step. */
static int flow_slope(lbr_inspection *z, int64_t k, double e, const double *given, double *slope, double *error)
{
    lbr_trail c = { .y = z->y };

    c.map = flow_of(z, k, &c.h);
    return lbr_inspect_limit(z, lbr_inspect_on_trail, &c, z->b.s.dim, e, 0, given, slope, error);
}

/* How far a part goes in one look: by its own field, by that of the system, or by something. */
static double step_of(lbr_inspection *z, int64_t k)
{
    double *f = lbr_inspect_room(z, z->b.s.dim), h = 0.0625;

    if (!f) return h;
    if (z->part[k].field && !z->part[k].field(z->t, z->y, f, part_ctx(z, k)) && lbr_bound_nonfinite(z->b.s.dim, f) < 0)
        return lbr_inspect_time(z, f);
    if (z->b.field && !z->b.field(z->t, z->y, f, z->b.ctx) && lbr_bound_nonfinite(z->b.s.dim, f) < 0)
        h = lbr_inspect_time(z, f);
    return h;
}

/* --- each part --------------------------------------------------------------------------------------------------- */

static void flow_against_field(lbr_inspection *z, int64_t k)
{
    int64_t n = z->b.s.dim;
    double *f = lbr_inspect_room(z, 3 * n), *slope = lbr_after(f, n), *error = lbr_after(slope, n), h = step_of(z, k);
    lbr_mapping flow = flow_of(z, k, &h);
    lbr_mapping field = lbr_mapping_fn(z, "field", z->part[k].field, part_ctx(z, k), n, n);

    if (!f || !z->part[k].flow || lbr_inspect_call(z, &flow, z->y, slope)) return;
    if (!z->part[k].field || lbr_inspect_call(z, &field, z->y, f)) return;
    if (flow_slope(z, k, h, f, slope, error)) {
        if (!z->at && !z->why.status) lbr_inspect_say(z, 0, "flow fails for every small h, forwards or backwards");
        return;
    }
    lbr_inspect_compare(z, state, state, -1, n, slope, f, error);
}

/* Twice by h is once by 2 h: it is a flow. Away from y, so that little changes are seen. */
static void flow_twice(lbr_inspection *z, int64_t k)
{
    int64_t n = z->b.s.dim;
    double *a = lbr_inspect_room(z, 3 * n), *b = lbr_after(a, n), *error = lbr_after(b, n), h = step_of(z, k),
           twice = 2 * h, now = z->t;
    lbr_mapping once = flow_of(z, k, &h), both = flow_of(z, k, &twice);
    int bad;

    if (!a || !z->part[k].flow || lbr_inspect_call(z, &once, z->y, error) || lbr_inspect_call(z, &both, z->y, b))
        return;
    if (k == z->b.s.parts->clock) z->t += h;
    bad = lbr_inspect_call(z, &once, error, a);
    z->t = now;
    for (int64_t i = 0; i < n; i++) a[i] -= z->y[i], b[i] -= z->y[i], error[i] = 0x1p-45 * z->size[i];
    if (!bad) lbr_inspect_compare(z, state, state, -1, n, b, a, error);
}

static void increment(lbr_inspection *z, int64_t k)
{
    int64_t n = z->b.s.dim;
    double *a = lbr_inspect_room(z, 3 * n), *b = lbr_after(a, n), *error = lbr_after(b, n), h = step_of(z, k);
    lbr_mapping flow = flow_of(z, k, &h), by = flow;

    by.call = incremented, by.name = "increment";
    if (!a || !z->part[k].flow || !z->part[k].increment) return;
    if (lbr_inspect_call(z, &flow, z->y, a) || lbr_inspect_call(z, &by, z->y, b)) return;
    for (int64_t i = 0; i < n; i++) error[i] = 0x1p-54 * (fabs(a[i]) + fabs(z->y[i])), a[i] -= z->y[i];
    lbr_inspect_compare(z, state, state, -1, n, b, a, error);
}

/* --- all of them ------------------------------------------------------------------------------------------------- */

static int64_t has_sum(const lbr_inspection *z) { return parts(z) > 0 && z->b.field; }

/* Adds what part k contributes. 1: it is not known. */
static int share(lbr_inspection *z, int64_t k, double *sum, double *off)
{
    int64_t n = z->b.s.dim;
    double *slope = lbr_inspect_room(z, 2 * n), *error = lbr_after(slope, n);

    if (!slope) return 1;
    if (z->part[k].field) {
        if (z->part[k].field(z->t, z->y, slope, part_ctx(z, k))) return 1;
        memset(error, 0, (size_t)n * sizeof *error);
    } else if (!z->part[k].flow || flow_slope(z, k, step_of(z, k), NULL, slope, error)) return 1;
    for (int64_t i = 0; i < n; i++) sum[i] += slope[i], off[i] += error[i] + 0x1p-48 * fabs(slope[i]);
    return 0;
}

static void sum(lbr_inspection *z, int64_t k)
{
    int64_t n = z->b.s.dim;
    double *all = lbr_inspect_room(z, 3 * n), *off = lbr_after(all, n), *f = lbr_after(off, n);
    lbr_mapping field = lbr_mapping_fn(z, "field", z->b.field, z->b.ctx, n, n);

    (void)k;
    if (!all) return;
    for (int64_t i = 0; i < parts(z); i++)
        if (share(z, i, all, off)) {
            if (!z->at && !z->why.status)
                lbr_inspect_say(z, -1, "part '%.60s' has neither a field nor a flow that could be differentiated",
                                z->part[i].name);
            return;
        }
    if (!lbr_inspect_call(z, &field, z->y, f)) lbr_inspect_compare(z, state, state, -1, n, all, f, off);
}

const lbr_inspector lbr_inspect_flows[] = {
    { "parts.%s.flow", "its field", parts, part_name, flow_against_field, LBR_ANYWHERE },
    { "parts.%s.flow", "two steps of half the length", parts, part_name, flow_twice, LBR_ANYWHERE },
    { "parts.%s.increment", "its flow", parts, part_name, increment, LBR_ANYWHERE },
    { "parts", "the field, which is their sum,", has_sum, NULL, sum, LBR_ANYWHERE },
    { 0 },
};
