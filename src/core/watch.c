/* watch.c - H and the invariants along a trajectory, and how far they are from where they began.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "watch.h"

#include <math.h>
#include <stdio.h>

LBR_DISTANCE_TEXT

static int64_t invariants(const lbr_bound *b)
{
    return b->s.invariants && b->s.invariants->count > 0 ? b->s.invariants->count : 0;
}

int64_t lbr_watch_quantities(const lbr_bound *b) { return (b->s.energy != NULL) + invariants(b); }

/* The length of quantity i. */
static int64_t length(const lbr_bound *b, int64_t i)
{
    if (b->s.energy && i-- == 0) return 1;
    return lbr_bound_invariant(b, i)->len;
}

int64_t lbr_watch_components(const lbr_bound *b)
{
    int64_t all = 0;

    for (int64_t i = 0; i < lbr_watch_quantities(b); i++) {
        if (length(b, i) > INT64_MAX / 64 - all) return -1;
        all += length(b, i);
    }
    return all;
}

static int value_of(const lbr_bound *b, int64_t i, double t, const double *y, double *out)
{
    if (b->s.energy && i-- == 0) return b->s.energy(t, y, out, b->s.ctx);
    return lbr_bound_invariant(b, i)->value(t, y, out, lbr_bound_invariant_ctx(b, i));
}

/* Component k of quantity i, or (k < 0) all of it. */
static void name_it(const lbr_bound *b, int64_t i, int64_t k, char *text, size_t size)
{
    const char *name = "H";
    char number[40], some[81];
    int64_t component = k + 1;
    int many = 0;

    if (!b->s.energy || i-- > 0) {
        snprintf(number, sizeof number, "invariant%lld", (long long)i + 1);
        name = lbr_bound_invariant(b, i)->name ? lbr_bound_invariant(b, i)->name : number;
        many = k >= 0 && lbr_bound_invariant(b, i)->len > 1;
    }
    snprintf(some, sizeof some, "%s", name);
    lbr_component_name(text, size, some, many, &component);
}

static int astray(const lbr_bound *b, lbr_stray *s, int64_t i, int64_t k, int64_t at, double value)
{
    if (!s) return 1;
    *s = (lbr_stray){ .component = at, .of_error = k < 0, .value = value };
    name_it(b, i, k, s->name, sizeof s->name);
    return 1;
}

int lbr_watch_step(const lbr_bound *b, double t, const double *y, const double *first, double *worst, double *work,
                   lbr_stray *stray)
{
    int64_t n = lbr_watch_quantities(b), at = 0, all;
    double *error;

    for (int64_t i = 0; i < n; i++) {
        int64_t len = length(b, i);

        if (value_of(b, i, t, y, work + at)) work[at] = NAN;
        for (int64_t k = 0; k < len; k++, at++)
            if (!isfinite(work[at])) return astray(b, stray, i, k, at, work[at]);
    }
    all = at, error = work + all;
    for (int64_t i = 0, from = 0; i < n; from += length(b, i), i++) {
        error[i] = lbr_distance(length(b, i), work + from, first + from);
        if (!isfinite(error[i])) return astray(b, stray, i, -1, from, INFINITY);
    }
    for (int64_t i = 0; i < n; i++)
        if (error[i] > worst[i]) worst[i] = error[i];
    return 0;
}
