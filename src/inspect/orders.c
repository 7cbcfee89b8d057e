/* orders.c - the order that is promised of a map of a caller's own: its errors in steps that are halved, against a fine
 * solution. SPDX-License-Identifier: BSD-3-Clause
 *
 * One step of order p has an error of C h^(p+1). Steps are halved as long as the error is far above rounding and above
 * what the fine solution lacks; what two pairs of steps agree on is the order. Beyond order 4 rounding leaves too few
 * of them: a higher promise is looked at as far as 4. */
#include "inspect.h"

#include <string.h>

enum { HIGHEST = 4, HALVINGS = 7, FINE = 64 };
static const double rounding = 0x1p-44; /* of an error, beside the size of the components: below, nothing is known */

static int64_t maps(const lbr_inspection *z) { return z->b.s.nmaps; }
static const char *map_name(const lbr_inspection *z, int64_t k) { return z->map[k].name; }

/* y by n steps of the classical method of order 4 over the time h; room: 3 dim numbers. 1: the field fails. */
static int solved(const lbr_inspection *z, double h, int n, double *y, double *room)
{
    static const double at[] = { 0, 0.5, 0.5, 1 }, weight[] = { 1, 2, 2, 1 };
    int64_t dim = z->b.s.dim;
    double *k = room, *stage = k + dim, *sum = stage + dim;

    for (int step = 0; step < n; step++) {
        memset(sum, 0, (size_t)dim * sizeof *sum), memset(k, 0, (size_t)dim * sizeof *k);
        for (int i = 0; i < 4; i++) {
            for (int64_t j = 0; j < dim; j++) stage[j] = y[j] + h / n * at[i] * k[j];
            if (z->b.field(z->t + h / n * (step + at[i]), stage, k, z->b.ctx)) return 1;
            for (int64_t j = 0; j < dim; j++) sum[j] += weight[i] * k[j] / 6;
        }
        for (int64_t j = 0; j < dim; j++) y[j] += h / n * sum[j];
    }
    return lbr_bound_nonfinite(dim, y) >= 0;
}

/* The largest difference, in parts of the components. */
static double apart(const lbr_inspection *z, const double *a, const double *b)
{
    double most = 0;

    for (int64_t i = 0; i < z->b.s.dim; i++) most = fmax(most, fabs(a[i] - b[i]) / z->size[i]);
    return most;
}

/* A step in which neither the state nor the field changes much. */
static double first_step(const lbr_inspection *z, double *room)
{
    int64_t n = z->b.s.dim;
    double h, *y = room + n, *f = y + n, change, way;

    if (z->b.field(z->t, z->y, room, z->b.ctx)) return 0;
    h = lbr_inspect_time(z, room);
    for (int64_t i = 0; i < n; i++) y[i] = z->y[i] + h * 0.25 * room[i] + 0x1p-10 * z->size[i];
    if (z->b.field(z->t, y, f, z->b.ctx)) return 0;
    way = apart(z, y, z->y), change = apart(z, f, room);
    return change > 0 ? fmin(h, 0.125 * way / change) : h;
}

/* Of a step by h: its error; NaN where it cannot be told from that of the fine solution or from rounding. -1: something
 * fails. room: 6 dim numbers. */
static double error_of(lbr_inspection *z, int64_t k, double h, double *room)
{
    int64_t n = z->b.s.dim;
    double *y = room, *fine = y + n, *coarse = fine + n, error, lacks;

    memcpy(y, z->y, (size_t)n * sizeof *y), memcpy(fine, y, (size_t)n * sizeof *y);
    memcpy(coarse, y, (size_t)n * sizeof *y);
    if (solved(z, h, FINE, fine, coarse + n) || solved(z, h, FINE / 2, coarse, coarse + n) ||
        z->map[k].map(z->t, h, y, z->b.s.ctx) || lbr_bound_nonfinite(n, y) >= 0)
        return -1;
    error = apart(z, y, fine), lacks = apart(z, fine, coarse);
    return error > rounding && error > 16 * lacks ? error : NAN;
}

/* The order on which the last two pairs of three steps agree that follow each other; NaN: they do not, and *small says
 * whether it is because there is no error to speak of. */
static double order_of(lbr_inspection *z, int64_t k, double *room, int *small)
{
    double h = first_step(z, room), error[HALVINGS], order = NAN, before = NAN;
    int known = 0;

    *small = 0;
    for (int i = 0; i < HALVINGS && h > 0; i++, h /= 2) {
        error[i] = error_of(z, k, h, room);
        if (error[i] < 0) return NAN;
        known += !isnan(error[i]);
        if (i && !isnan(error[i]) && !isnan(error[i - 1])) {
            double now = log2(error[i - 1] / error[i]) - 1;

            if (fabs(now - before) < 0.2) order = now;
            before = now;
        } else before = NAN;
    }
    *small = h > 0 && !known;
    return order;
}

static void promised(lbr_inspection *z, int64_t k)
{
    int want = z->map[k].order < HIGHEST ? z->map[k].order : HIGHEST, small;
    double *room = z->map[k].order > 1 ? lbr_inspect_room(z, 6 * z->b.s.dim) : NULL, found;

    if (!room || !z->map[k].map) return;
    if (!z->b.field || lbr_inspect_is_bound(z)) {
        if (!z->at)
            lbr_inspect_say(z, -1,
                            "order %d is promised, which is compared without constraints, attitudes and "
                            "manifolds only, and where there is a field",
                            z->map[k].order);
        return;
    }
    found = order_of(z, k, room, &small);
    if (found < want - 0.5)
        lbr_inspect_say(z, 0, "order %d is promised, and errors of steps that are halved show order %.1f",
                        z->map[k].order, fmax(0, found));
    else if (found >= want - 0.5 || small) z->compared++;
    else if (!z->at)
        lbr_inspect_say(z, -1,
                        "order %d is promised; errors of steps that are halved show none, for rounding or since "
                        "the field is not smooth",
                        z->map[k].order);
}

const lbr_inspector lbr_inspect_orders[] = {
    { "maps.%s.order", "a fine solution, as far as order 4,", maps, map_name, promised, LBR_ANYWHERE },
    { 0 },
};
