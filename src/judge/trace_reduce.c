/* trace_reduce.c - functions of series and lists: means, extremes, drifts, slopes.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "trace.h"
#include "graph/op.h"

#include <math.h>
#include <string.h>

static const double *sample(const lbr_strand *x, int64_t i) { return x->data + i * x->stride; }

/* --- of one ------------------------------------------------------------------------------------------------------ */

static void nothing(int64_t size, double *out)
{
    for (int64_t k = 0; k < size; k++) out[k] = NAN;
}

static void first(const lbr_strand *x, const lbr_strand *y, int64_t size, double *out)
{
    if (x->n) memcpy(out, sample(x, 0), (size_t)size * sizeof *out);
    else nothing(size, out);
}

static void last(const lbr_strand *x, const lbr_strand *y, int64_t size, double *out)
{
    if (x->n) memcpy(out, sample(x, x->n - 1), (size_t)size * sizeof *out);
    else nothing(size, out);
}

/* What is lost in each addition is added at the end. */
static double average(const lbr_strand *x, int64_t k)
{
    double sum = 0, lost = 0;

    for (int64_t i = 0; i < x->n; i++) {
        double v = sample(x, i)[k], next = sum + v;

        lost += fabs(sum) >= fabs(v) ? (sum - next) + v : (v - next) + sum;
        sum = next;
    }
    return (isfinite(sum) ? sum + lost : sum) / (double)x->n; /* of nothing: NaN */
}

static void mean(const lbr_strand *x, const lbr_strand *y, int64_t size, double *out)
{
    for (int64_t k = 0; k < size; k++) out[k] = average(x, k);
}

static void smallest(const lbr_strand *x, const lbr_strand *y, int64_t size, double *out)
{
    first(x, y, 1, out);
    for (int64_t i = 1; i < x->n; i++) *out = isnan(*out) ? *out : lbr_op_min(*out, *sample(x, i));
}

static void largest(const lbr_strand *x, const lbr_strand *y, int64_t size, double *out)
{
    first(x, y, 1, out);
    for (int64_t i = 1; i < x->n; i++) *out = isnan(*out) ? *out : lbr_op_max(*out, *sample(x, i));
}

static void spread(const lbr_strand *x, const lbr_strand *y, int64_t size, double *out)
{
    double low;

    smallest(x, y, 1, &low), largest(x, y, 1, out);
    *out -= low;
}

double lbr_trace_distance(const double *a, const double *b, int64_t size)
{
    double most = 0, sum = 0;

    for (int64_t k = 0; k < size; k++) most = lbr_op_max(most, fabs(a[k] - b[k]));
    if (size == 1 || most == 0 || !isfinite(most)) return most;
    for (int64_t k = 0; k < size; k++) sum += (a[k] - b[k]) / most * ((a[k] - b[k]) / most);
    return most * sqrt(sum);
}

static void drift(const lbr_strand *x, const lbr_strand *y, int64_t size, double *out)
{
    *out = x->n ? 0 : NAN;
    for (int64_t i = 1; i < x->n && !isnan(*out); i++)
        *out = lbr_op_max(*out, lbr_trace_distance(sample(x, i), sample(x, 0), size));
}

static void rms(const lbr_strand *x, const lbr_strand *y, int64_t size, double *out)
{
    double most = 0, sum = 0;

    for (int64_t i = 0; i < x->n && !isnan(most); i++) most = lbr_op_max(most, fabs(*sample(x, i)));
    for (int64_t i = 0; i < x->n && most > 0 && isfinite(most); i++)
        sum += *sample(x, i) / most * (*sample(x, i) / most);
    *out = !x->n ? NAN : most == 0 || !isfinite(most) ? most : most * sqrt(sum / (double)x->n);
}

/* Of conditions that are unknown somewhere, or have never been looked at, the number is unknown. */
static void count(const lbr_strand *x, const lbr_strand *y, int64_t size, double *out)
{
    *out = x->unseen ? NAN : 0;
    for (int64_t i = 0; i < x->n; i++) *out += *sample(x, i); /* 1, 0, NaN */
}

/* The first time, unless it is unknown whether an earlier one was. */
static void when(const lbr_strand *x, const lbr_strand *y, int64_t size, double *out)
{
    *out = x->unseen ? NAN : INFINITY;
    for (int64_t i = x->n; i-- > 0;)
        if (*sample(x, i) != 0) *out = isnan(*sample(x, i)) ? NAN : x->t[i];
}

/* --- of two ------------------------------------------------------------------------------------------------------ */

static double same(double x) { return x; }

/* Least squares of f(y) over f(x), from their means. */
static double fitted(const lbr_strand *x, const lbr_strand *y, double (*f)(double))
{
    double n = (double)x->n, mx = 0, my = 0, xx = 0, xy = 0;

    for (int64_t i = 0; i < x->n; i++) mx += f(*sample(x, i)) / n, my += f(*sample(y, i)) / n;
    for (int64_t i = 0; i < x->n; i++) {
        double dx = f(*sample(x, i)) - mx, dy = f(*sample(y, i)) - my;

        xx += dx * dx, xy += dx * dy;
    }
    return x->n < 2 || xx == 0 ? NAN : xy / xx;
}

static void slope(const lbr_strand *x, const lbr_strand *y, int64_t size, double *out) { *out = fitted(x, y, same); }
static void exponent(const lbr_strand *x, const lbr_strand *y, int64_t size, double *out) { *out = fitted(x, y, log); }

/* --- the table --------------------------------------------------------------------------------------------------- */

static const lbr_reduction reductions[] = {
    { "first", LBR_REDUCE_KEEP, first },      { "last", LBR_REDUCE_KEEP, last },
    { "mean", LBR_REDUCE_KEEP, mean },        { "min", LBR_REDUCE_NUMBERS, smallest },
    { "max", LBR_REDUCE_NUMBERS, largest },   { "rms", LBR_REDUCE_NUMBERS, rms },
    { "spread", LBR_REDUCE_NUMBERS, spread }, { "drift", LBR_REDUCE_NORM, drift },
    { "count", LBR_REDUCE_TRUTH, count },     { "when", LBR_REDUCE_TIME, when },
    { "slope", LBR_REDUCE_PAIR, slope },      { "exponent", LBR_REDUCE_PAIR, exponent },
};
enum { REDUCTIONS = sizeof reductions / sizeof *reductions };

const lbr_reduction *lbr_reduction_find(const char *name)
{
    for (int i = 0; i < REDUCTIONS; i++)
        if (!strcmp(reductions[i].name, name)) return reductions + i;
    return NULL;
}

const char *lbr_reduction_name(int i) { return i < REDUCTIONS ? reductions[i].name : NULL; }

/* --- over samples, or over members ------------------------------------------------------------------------------- */

static int unfit(const lbr_reduction *r, const lbr_trace *x, lbr_message *why)
{
    int numbers = r->kind == LBR_REDUCE_NUMBERS || r->kind == LBR_REDUCE_PAIR;

    if (numbers && x->shape.rank)
        return lbr_fail(why, LBR_EARG, "%s is for numbers; of vectors take a component or a norm: %s(norm(...))",
                        r->name, r->name);
    if (!x->sampled && r->kind == LBR_REDUCE_TIME)
        return lbr_fail(why, LBR_EARG, "%s needs a condition on a series: what is given has no times", r->name);
    return 0;
}

/* The members of a list one after the other, as samples of one strand. */
static lbr_strand lined_up(const lbr_trace *x, const lbr_trace *fit, lbr_arena *arena)
{
    double *data = lbr_arena_alloc(arena, fit->members * x->size, sizeof *data);
    lbr_strand s = { .n = fit->members, .data = data, .stride = x->size };

    for (int64_t m = 0; data && m < fit->members; m++) {
        memcpy(data + m * x->size, lbr_trace_at(x, m, 0), (size_t)x->size * sizeof *data);
        s.missing |= lbr_trace_strand(x, m)->missing, s.unseen |= lbr_trace_strand(x, m)->unseen;
    }
    return s;
}

static int over_members(const lbr_reduction *r, const lbr_trace *x, const lbr_trace *y, const lbr_trace *fit,
                        lbr_trace *out, double *data, lbr_arena *arena)
{
    lbr_strand a = lined_up(x, fit, arena), b = y ? lined_up(y, fit, arena) : a;

    if (!a.data || !b.data) return 0;
    r->of(&a, &b, x->size, data);
    out->strand[0] = (lbr_strand){ .n = 1, .data = data, .missing = a.missing || b.missing };
    return 1;
}

static void over_samples(const lbr_reduction *r, const lbr_trace *x, const lbr_trace *y, const lbr_trace *fit,
                         lbr_trace *out, double *data)
{
    for (int64_t m = 0; m < out->members; m++) {
        lbr_strand a = *lbr_trace_strand(x, m), b = y ? *lbr_trace_strand(y, m) : a;

        a.n = b.n = fit->strand[m].n, a.t = fit->strand[m].t, a.unseen = fit->strand[m].unseen;
        if (!x->sampled) a.stride = 0;
        if (y && !y->sampled) b.stride = 0;
        r->of(&a, &b, x->size, data + m * out->size);
        out->strand[m] = (lbr_strand){ .n = 1, .data = data + m * out->size, .missing = fit->strand[m].missing };
    }
}

lbr_trace *lbr_trace_reduce(const lbr_reduction *r, const lbr_trace *x, const lbr_trace *y, int dry, lbr_arena *arena,
                            lbr_message *why)
{
    lbr_trace fit = { 0 }, *out;
    double *data;

    why->status = LBR_ENOMEM; /* unless it is something else */
    if (lbr_trace_fit(&fit, (const lbr_trace *const[]){ x, y }, y ? 2 : 1, dry, arena, why)) return NULL;
    if (!fit.sampled && !fit.listed)
        return lbr_fail(why, LBR_EARG, "%s takes a series of a run or a list over a sweep; this is one %s already",
                        r->name, r->kind == LBR_REDUCE_TRUTH ? "condition" : "value"),
               NULL;
    if (unfit(r, x, why) || (y && unfit(r, y, why))) return NULL;
    out = lbr_trace_new(arena, r->kind == LBR_REDUCE_KEEP ? &x->shape : NULL, fit.sampled ? fit.members : 1);
    if (!out) return NULL;
    out->listed = fit.sampled && fit.listed, out->stored = fit.stored, out->row = r->kind == LBR_REDUCE_KEEP && x->row,
    out->name = x->name;
    if (dry) return out;
    if (!(data = lbr_arena_alloc(arena, out->members * out->size, sizeof *data))) return NULL;
    if (fit.sampled) over_samples(r, x, y, &fit, out, data);
    else if (!over_members(r, x, y, &fit, out, data, arena)) return NULL;
    return out;
}

/* --- by time ----------------------------------------------------------------------------------------------------- */

/* Times a hair away from an end are at it. */
static double hair(const lbr_strand *x)
{
    double last = x->n ? fmax(fabs(x->t[0]), fabs(x->t[x->n - 1])) : 0;

    return (x->n > 1 ? 1e-9 * fabs(x->t[x->n - 1] - x->t[0]) / (double)(x->n - 1) : 0) + 1e-14 * last;
}

static lbr_trace *by_time(const char *name, const lbr_trace *x, const lbr_trace *a, const lbr_trace *b, int sampled,
                          int dry, lbr_arena *arena, lbr_message *why)
{
    lbr_trace *out = lbr_trace_new(arena, &x->shape, 1);

    why->status = LBR_ENOMEM; /* unless it is something else */
    if (!out) return NULL;
    if (!x->sampled) return lbr_fail(why, LBR_EARG, "%s takes a series: what is given has no times", name), NULL;
    if (a->sampled || b->sampled || a->shape.rank || b->shape.rank)
        return lbr_fail(why, LBR_EARG, "the times of %s are numbers", name), NULL;
    if (lbr_trace_fit(out, (const lbr_trace *const[]){ x, a, b }, 3, dry, arena, why)) return NULL;
    out->sampled = sampled, out->row = x->row, out->name = x->name;
    return out;
}

lbr_trace *lbr_trace_window(const lbr_trace *x, const lbr_trace *from, const lbr_trace *to, int dry, lbr_arena *arena,
                            lbr_message *why)
{
    lbr_trace *out = by_time("window", x, from, to, 1, dry, arena, why);

    for (int64_t m = 0; out && m < out->members && !dry; m++) {
        const lbr_strand *s = lbr_trace_strand(x, m);
        double eps = hair(s), t1 = *lbr_trace_at(from, m, 0) - eps, t2 = *lbr_trace_at(to, m, 0) + eps;
        int64_t i = 0, n = 0;

        while (i < s->n && !(s->t[i] >= t1 && s->t[i] <= t2)) i++; /* times go one way: what is in it is in one piece */
        while (i + n < s->n && s->t[i + n] >= t1 && s->t[i + n] <= t2) n++;
        out->strand[m].n = n, out->strand[m].t = s->t + i, out->strand[m].data = s->data + i * s->stride,
        out->strand[m].stride = s->stride;
        if (!n && (x->stored || !(t1 <= fmax(s->from, s->to) && t2 >= fmin(s->from, s->to)))) out->strand[m].unseen = 1;
    }
    if (out) out->name = "window(...)";
    return out;
}

static void between(const lbr_strand *s, double t, int64_t size, double *out)
{
    double eps = hair(s), sign = s->n > 1 && s->t[s->n - 1] < s->t[0] ? -1 : 1;
    int64_t i = 0;

    nothing(size, out);
    while (i < s->n && sign * s->t[i] < sign * t - eps) i++;
    if (i == s->n || isnan(t)) return; /* t[i - 1] < t <= t[i] */
    if (fabs(s->t[i] - t) <= eps) memcpy(out, sample(s, i), (size_t)size * sizeof *out);
    else if (i)
        for (int64_t k = 0; k < size; k++) {
            double w = (t - s->t[i - 1]) / (s->t[i] - s->t[i - 1]);

            out[k] = (1 - w) * sample(s, i - 1)[k] + w * sample(s, i)[k];
        }
}

lbr_trace *lbr_trace_interpolate(const lbr_trace *x, const lbr_trace *time, int dry, lbr_arena *arena, lbr_message *why)
{
    lbr_trace *out = by_time("at", x, time, time, 0, dry, arena, why);

    for (int64_t m = 0; out && m < out->members && !dry; m++) {
        double *data = lbr_arena_alloc(arena, x->size, sizeof *data);

        if (!data) return NULL;
        between(lbr_trace_strand(x, m), *lbr_trace_at(time, m, 0), x->size, data);
        out->strand[m] = (lbr_strand){ .n = 1, .data = data, .missing = out->strand[m].missing };
    }
    return out;
}

/* --- angles ------------------------------------------------------------------------------------------------------ */

/* Component k of a strand: how many turns each sample is away from the last one that was a number. */
static void unwrap(const lbr_strand *x, int64_t k, int64_t size, double *out)
{
    static const double turn = 6.28318530717958647692;
    double last = NAN, turns = 0;

    for (int64_t i = 0; i < x->n; i++) {
        double angle = sample(x, i)[k];

        if (isfinite(angle)) {
            if (isfinite(last)) turns -= rint((angle - last) / turn);
            last = angle;
        }
        out[i * size + k] = angle + turn * turns;
    }
}

lbr_trace *lbr_trace_unwrap(const lbr_trace *x, int dry, lbr_arena *arena, lbr_message *why)
{
    lbr_trace *out = lbr_trace_new(arena, &x->shape, 1);

    why->status = LBR_ENOMEM; /* unless it is something else */
    if (!out) return NULL;
    if (!x->sampled)
        return lbr_fail(why, LBR_EARG, "unwrap takes a series of angles: what is given has no times"), NULL;
    if (lbr_trace_fit(out, &x, 1, dry, arena, why)) return NULL;
    out->row = x->row, out->name = "unwrap(...)";
    for (int64_t m = 0; m < out->members && !dry; m++) {
        const lbr_strand *from = lbr_trace_strand(x, m);
        double *data = lbr_arena_alloc(arena, from->n * x->size, sizeof *data);

        if (!data) return NULL;
        for (int64_t k = 0; k < x->size; k++) unwrap(from, k, x->size, data);
        out->strand[m].data = data, out->strand[m].stride = x->size;
    }
    return out;
}
