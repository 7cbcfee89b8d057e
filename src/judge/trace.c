/* trace.c - series and lists: how they go together. SPDX-License-Identifier: BSD-3-Clause */
#include "trace.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

lbr_trace *lbr_trace_new(lbr_arena *arena, const lbr_shape *shape, int64_t members)
{
    lbr_trace *s = lbr_arena_alloc(arena, 1, sizeof *s);

    if (!s || !(s->strand = lbr_arena_alloc(arena, members, sizeof *s->strand))) return NULL;
    if (shape) s->shape = *shape;
    s->size = lbr_shape_size(&s->shape), s->members = members;
    return s;
}

lbr_trace *lbr_trace_number(lbr_arena *arena, double x)
{
    lbr_trace *s = lbr_trace_new(arena, NULL, 1);
    double *data = lbr_arena_alloc(arena, 1, sizeof *data);

    if (!s || !data) return NULL;
    *data = x;
    s->strand[0] = (lbr_strand){ .n = 1, .data = data };
    return s;
}

lbr_trace *lbr_trace_keep(lbr_arena *arena, const lbr_trace *s)
{
    lbr_trace *k = lbr_trace_new(arena, &s->shape, s->members);
    lbr_strand *strand;

    if (!k) return NULL;
    strand = k->strand, *k = *s, k->strand = strand;
    for (int64_t m = 0; m < s->members; m++) {
        const lbr_strand *from = s->strand + m;
        int64_t n = from->stride ? from->n : from->n > 0, bytes = s->size * (int64_t)sizeof(double);
        char *data = from->data ? lbr_arena_alloc(arena, n * s->size + 1, sizeof(double)) : NULL;

        if (from->data && !data) return NULL;
        for (int64_t i = 0; data && i < n; i++) memcpy(data + i * bytes, from->data + i * from->stride, (size_t)bytes);
        strand[m] = *from, strand[m].data = (double *)(void *)data, strand[m].stride = from->stride ? s->size : 0;
    }
    return k;
}

const lbr_strand *lbr_trace_strand(const lbr_trace *s, int64_t m) { return s->strand + (s->listed ? m : 0); }

const double *lbr_trace_at(const lbr_trace *s, int64_t m, int64_t i)
{
    const lbr_strand *x = lbr_trace_strand(s, m);

    return x->data + (s->sampled ? i * x->stride : 0);
}

/* --- several together -------------------------------------------------------------------------------------------- */

static const char *called(const lbr_trace *s, const char *otherwise) { return s->name ? s->name : otherwise; }

/* Up to round-off: n*h is not the same number for h and for two steps of h/2 each time. */
static int same_times(const lbr_strand *a, const lbr_strand *b)
{
    double last, between;

    if (a->t == b->t && a->n == b->n) return 1;
    if (a->n != b->n) return 0;
    if (!a->n) return 1;
    last = fmax(fabs(a->t[0]), fabs(a->t[a->n - 1]));
    between = a->n > 1 ? fabs(a->t[a->n - 1] - a->t[0]) / (double)(a->n - 1) : 0;
    for (int64_t i = 0; i < a->n; i++)
        if (!(fabs(a->t[i] - b->t[i]) <= 1e-9 * between + 1e-14 * last)) return 0;
    return 1;
}

static lbr_status lengths(lbr_trace *out, const lbr_trace *const *in, int n, lbr_message *why)
{
    const lbr_trace *first = NULL;

    for (int k = 0; k < n; k++) {
        out->sampled |= in[k]->sampled, out->listed |= in[k]->listed, out->stored |= in[k]->stored;
        if (!in[k]->listed) continue;
        if (first && first->members != in[k]->members)
            return lbr_fail(why, LBR_EARG,
                            "%.60s has %lld members and %.60s has %lld: lists that meet must be equally long",
                            called(first, "this list"), (long long)first->members, called(in[k], "the other one"),
                            (long long)in[k]->members);
        if (!first) first = in[k];
    }
    out->members = first ? first->members : 1;
    return LBR_OK;
}

lbr_status lbr_trace_fit(lbr_trace *out, const lbr_trace *const *in, int n, int dry, lbr_arena *arena, lbr_message *why)
{
    lbr_status status = lengths(out, in, n, why);

    if (status) return status;
    if (!(out->strand = lbr_arena_alloc(arena, out->members, sizeof *out->strand)))
        return lbr_fail(why, LBR_ENOMEM, "out of memory");
    for (int64_t m = 0; m < out->members; m++) {
        lbr_strand *s = out->strand + m;
        const lbr_trace *clock = NULL;

        s->n = !out->sampled;
        for (int k = 0; k < n && !dry; k++) {
            const lbr_strand *x = lbr_trace_strand(in[k], m);
            int whole = !s->missing && !x->missing;

            s->missing |= x->missing, s->unseen |= x->unseen;
            if (!in[k]->sampled) continue;
            if (clock && whole && !same_times(s, x))
                return lbr_fail(
                    why, LBR_EARG, "%.60s and %.60s are not sampled at the same times (%lld and %lld samples)",
                    called(clock, "this series"), called(in[k], "the other one"), (long long)s->n, (long long)x->n);
            if (!clock || x->n < s->n) s->n = x->n, s->t = x->t; /* of a run that failed there are fewer */
            if (!clock) s->from = x->from, s->to = x->to;
            if (!clock) clock = in[k];
        }
    }
    return LBR_OK;
}

/* --- conditions -------------------------------------------------------------------------------------------------- */

static int compared(char op, double a, double b)
{
    switch (op) {
    case '=': return a == b;
    case '!': return a != b;
    case '<': return a < b;
    case 'l': return a <= b;
    case '>': return a > b;
    default: return a >= b;
    }
}

/* Of three values: true, false, unknown. */
static double joined(char op, double a, double b)
{
    switch (op) {
    case '~': return isnan(a) ? a : a == 0;
    case '&': return a == 0 || b == 0 ? 0 : a + b; /* 2, or NaN */
    case '|': return a > 0 || b > 0 ? 1 : a + b;
    default: return isnan(a) || isnan(b) ? NAN : compared(op, a, b);
    }
}

/* One strand. What is missing is unknown, at one time at least. */
static int join_strand(char op, const lbr_trace *a, const lbr_trace *b, lbr_trace *out, int64_t m, lbr_arena *arena)
{
    static const double nowhen = NAN;
    lbr_strand *s = out->strand + m;
    int numbers = !strchr("~&|", op), known = 1, none = !s->n && s->missing;
    double *data = lbr_arena_alloc(arena, s->n + none, sizeof *data);

    if (!data) return 0;
    for (int64_t i = 0; i < s->n; i++) {
        double x = s->missing && numbers ? NAN : joined(op, *lbr_trace_at(a, m, i), *lbr_trace_at(b, m, i));

        data[i] = x > 0 ? 1 : x, known &= !isnan(x);
    }
    if (none) s->n = 1, s->t = &nowhen, data[0] = NAN, known = 0;
    s->data = data, s->stride = 1, s->missing = s->missing && !known;
    return 1;
}

lbr_trace *lbr_trace_join(char op, const lbr_trace *a, const lbr_trace *b, int dry, lbr_arena *arena, lbr_message *why)
{
    lbr_trace *out = lbr_trace_new(arena, NULL, 1);

    why->status = LBR_ENOMEM; /* unless it is something else */
    if (!out || lbr_trace_fit(out, (const lbr_trace *const[]){ a, b }, 2, dry, arena, why)) return NULL;
    for (int64_t m = 0; m < out->members && !dry; m++)
        if (!join_strand(op, a, b, out, m, arena)) return NULL;
    return out;
}

double lbr_trace_truth(const lbr_trace *s)
{
    double all = s->members > 0 ? 1 : NAN;

    for (int64_t m = 0; m < s->members; m++) {
        if (!s->strand[m].n) all = NAN;
        for (int64_t i = 0; i < s->strand[m].n; i++) {
            double x = s->strand[m].data[i * s->strand[m].stride];

            if (x == 0) return 0;
            if (isnan(x)) all = NAN;
        }
    }
    return all;
}
