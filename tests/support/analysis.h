/* analysis.h - measuring what a method does: errors, slopes, Jacobians of maps, calls; and a few more systems.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEST_ANALYSIS_H
#define TEST_ANALYSIS_H
#include <stdio.h>
#include <stdlib.h>
#include "core/dd.h"
#include "problems.h"

/* --- small things ------------------------------------------------------------------------------------------------ */

UNUSED static double largest(int64_t n, const double *a)
{
    double d = 0;

    for (int64_t i = 0; i < n; i++) d = fabs(a[i]) <= d ? d : fabs(a[i]); /* NaN stays */
    return d;
}

static double distance(int64_t n, const double *a, const double *b)
{
    double d = 0;

    for (int64_t i = 0; i < n; i++) d = fabs(a[i] - b[i]) <= d ? d : fabs(a[i] - b[i]);
    return d;
}

/* Options from "name=value name=value ..."; a wrong one is a mistake in the test. */
UNUSED static lbr_options options_of(const char *text)
{
    lbr_options o;
    char name[64], value[64];

    lbr_options_init(&o);
    for (int used; sscanf(text, " %63[^=]=%63s%n", name, value, &used) == 2; text += used)
        if (lbr_option_set(&o, name, value)) printf("Bail out! option %s=%s\n", name, value), exit(2);
    return o;
}

static lbr_plan *plan_of(const problem *p, const char *method, const lbr_options *o)
{
    lbr_plan *plan;

    if (!lbr_plan_create(&plan, method, &p->system, o)) return plan;
    printf("# %s on %s: %s\n", method, p->system.name, lbr_plan_message(plan));
    lbr_plan_free(plan);
    return NULL;
}

/* One step of h from (t, y) in place; NaN everywhere on failure. */
static void step(lbr_plan *plan, int64_t dim, double t, double h, double *y)
{
    if (!plan || lbr_map(plan, t, h, y))
        for (int64_t i = 0; i < dim; i++) y[i] = NAN;
}

/* --- errors and slopes ------------------------------------------------------------------------------------------- */

/* The state after time T by Gauss's method of order 24 in small steps: right to a few units of round-off. */
UNUSED static void reference(const problem *p, double T, int64_t n, double *y)
{
    lbr_options o = options_of("compensated=yes");

    if (problem_run(p, "gauss:12", &o, T / (double)n, n, y)) y[0] = NAN;
}

/* The error in the maximum norm after n steps over T; a run that fails has an infinite one. */
static double error_after(const problem *p, const char *method, const lbr_options *o, double T, int64_t n,
                          const double *exact)
{
    double y[PROBLEM_DIM], h = T / (double)n;
    lbr_plan *plan = plan_of(p, method, o);
    lbr_status status = plan ? lbr_start(plan, p->t0, h, p->y) : LBR_EARG;

    if (!status) status = lbr_run(plan, n, 0, NULL, NULL);
    if (!status) status = lbr_read(plan, NULL, y);
    lbr_plan_free(plan);
    return status ? INFINITY : distance(p->system.dim, y, exact);
}

typedef struct slope {
    double order, overall, error;
    int64_t n;
} slope;

/* Runs with more and more steps while the error is above `floor` and there are fewer than `most`; n grows so that a
 * method of order `expected` gains a factor of 20 each time, but at most twofold. order: between the last two;
 * overall: since the first error below 1e-3. */
UNUSED static slope slope_of(const problem *p, const char *method, const lbr_options *o, double T, const double *exact,
                             int expected, double floor, int64_t most)
{
    slope s = { NAN, NAN, INFINITY, 2 };
    double ratio = fmin(2, pow(20, 1.0 / expected)), first = 0, begin = 0;

    for (double x = 3; x < (double)most; x = fmax(x * ratio, (double)s.n + 1)) {
        int64_t n = (int64_t)(x + 0.5);
        double e = error_after(p, method, o, T, n, exact);

        if (e < floor) break;
        s.order = log(s.error / e) / log((double)n / (double)s.n);
        if (!first && e < 1e-3) first = e, begin = (double)n;
        s.overall = log(first / e) / log((double)n / begin);
        s.error = e, s.n = n;
    }
    return s;
}

/* --- maps -------------------------------------------------------------------------------------------------------- */

/* |Phi_{-h}(Phi_h(y)) - y|: zero for a symmetric method (HLW V.1.4). */
UNUSED static double asymmetry(const problem *p, const char *method, const lbr_options *o, double h)
{
    lbr_plan *plan = plan_of(p, method, o);
    double y[PROBLEM_DIM];
    int64_t n = p->system.dim;

    memcpy(y, p->y, sizeof y);
    step(plan, n, p->t0, h, y);
    step(plan, n, p->t0 + h, -h, y);
    lbr_plan_free(plan);
    return distance(n, y, p->y);
}

/* Two steps forth and two back, as runs. */
UNUSED static double return_trip(const problem *p, const char *method, const lbr_options *o, double h)
{
    lbr_plan *plan = plan_of(p, method, o);
    double y[PROBLEM_DIM], d = NAN;

    if (plan && !lbr_start(plan, p->t0, h, p->y) && !lbr_run(plan, 2, 0, NULL, NULL) && !lbr_read(plan, NULL, y) &&
        !lbr_start(plan, p->t0 + 2 * h, -h, y) && !lbr_run(plan, 2, 0, NULL, NULL) && !lbr_read(plan, NULL, y))
        d = distance(p->system.dim, y, p->y);
    lbr_plan_free(plan);
    return d;
}

/* D[i][j] = d Phi_h(y)_i / d y_j by central differences of order 8. */
UNUSED static void jacobian(lbr_plan *plan, int64_t n, double t, double h, const double *y, double *D)
{
    static const double weight[4] = { 4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280 }, d = 0x1p-8;

    memset(D, 0, (size_t)(n * n) * sizeof *D);
    for (int64_t j = 0; j < n; j++)
        for (int k = -4; k <= 4; k++) {
            double x[PROBLEM_DIM];

            if (k == 0) continue;
            memcpy(x, y, (size_t)n * sizeof *x);
            x[j] += k * d;
            step(plan, n, t, h, x);
            for (int64_t i = 0; i < n; i++) D[i * n + j] += (k < 0 ? -1 : 1) * weight[abs(k) - 1] / d * x[i];
        }
}

/* The largest entry of D^T J D - J with y = (q, p): zero for a symplectic map (HLW VI.2.5). */
UNUSED static double not_symplectic(const problem *p, const char *method, const lbr_options *o, double h)
{
    lbr_plan *plan = plan_of(p, method, o);
    int64_t n = p->system.dim, m = n / 2;
    double D[16 * 16], worst = 0;

    jacobian(plan, n, p->t0, h, p->y, D);
    lbr_plan_free(plan);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            double sum = j == i + m ? -1 : i == j + m ? 1 : 0;

            for (int64_t k = 0; k < m; k++)
                sum += D[k * n + i] * D[(m + k) * n + j] - D[(m + k) * n + i] * D[k * n + j];
            worst = fabs(sum) <= worst ? worst : fabs(sum);
        }
    return worst;
}

/* --- along a run ------------------------------------------------------------------------------------------------- */

typedef struct range {
    lbr_fn f;
    void *ctx;
    double first, low, high;
    int64_t n;
} range;

/* An observer: the first value and the range of a function of (t, y). */
UNUSED static int see_range(const lbr_view *v, void *ctx)
{
    range *r = ctx;
    double value;

    if (r->f(v->t, v->y, &value, r->ctx)) return 1;
    if (r->n++ == 0) r->first = r->low = r->high = value;
    r->low = fmin(r->low, value), r->high = fmax(r->high, value);
    return 0;
}

/* The range of f over n steps, looking at every one. */
UNUSED static range range_of(const problem *p, const char *method, const lbr_options *o, double h, int64_t n, lbr_fn f)
{
    range r = { .f = f, .first = NAN, .low = NAN, .high = NAN };
    lbr_plan *plan = plan_of(p, method, o);

    if (plan && !lbr_start(plan, p->t0, h, p->y)) {
        lbr_status status = lbr_run(plan, n, 1, see_range, &r);
        if (status) printf("# %s on %s: %s\n", method, p->system.name, lbr_plan_message(plan)), r.first = NAN;
    }
    lbr_plan_free(plan);
    return r;
}

/* How far it went from its first value. */
UNUSED static double excursion(range r) { return fmax(r.high - r.first, r.first - r.low); }

UNUSED static double euclid(int64_t n, const double *a, const double *b)
{
    double sum = 0;

    for (int64_t i = 0; i < n; i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(sum);
}

/* The largest Euclidean error on [0, T], looking every dt; the reference takes `finer` steps in dt. */
UNUSED static double global_error(const problem *p, const char *method, double h, double T, double dt, int64_t finer)
{
    lbr_options o = options_of("compensated=yes");
    lbr_plan *a = plan_of(p, method, NULL), *b = plan_of(p, "gauss:6", &o);
    double worst = 0, x[PROBLEM_DIM], y[PROBLEM_DIM];
    int64_t each = (int64_t)(dt / h + 0.5);

    if (!a || !b || lbr_start(a, p->t0, h, p->y) || lbr_start(b, p->t0, dt / (double)finer, p->y)) return NAN;
    for (int64_t k = (int64_t)(T / dt + 0.5); k > 0; k--) {
        if (lbr_run(a, each, 0, NULL, NULL) || lbr_run(b, finer, 0, NULL, NULL) || lbr_read(a, NULL, x) ||
            lbr_read(b, NULL, y))
            return NAN;
        worst = fmax(worst, euclid(p->system.dim, x, y));
    }
    lbr_plan_free(a), lbr_plan_free(b);
    return worst;
}

/* --- calls ------------------------------------------------------------------------------------------------------- */

/* A problem whose functions count their calls. */
typedef struct counter {
    lbr_system inner;
    int64_t force, field, gradient;
} counter;

static int counted_force(double t, const double *q, double *f, void *ctx)
{
    counter *c = ctx;
    return c->force++, c->inner.force(t, q, f, c->inner.ctx);
}
static int counted_field(double t, const double *y, double *f, void *ctx)
{
    counter *c = ctx;
    return c->field++, c->inner.field(t, y, f, c->inner.ctx);
}
static int counted_dHdq(double t, const double *y, double *f, void *ctx)
{
    counter *c = ctx;
    return c->gradient++, c->inner.dHdq(t, y, f, c->inner.ctx);
}
static int counted_dHdp(double t, const double *y, double *f, void *ctx)
{
    counter *c = ctx;
    return c->gradient++, c->inner.dHdp(t, y, f, c->inner.ctx);
}

UNUSED static problem counted(problem p, counter *c)
{
    *c = (counter){ .inner = p.system };
    p.system.ctx = c;
    if (p.system.force) p.system.force = counted_force;
    if (p.system.field) p.system.field = counted_field;
    if (p.system.dHdq) p.system.dHdq = counted_dHdq;
    if (p.system.dHdp) p.system.dHdp = counted_dHdp;
    return p;
}

/* --- more systems ------------------------------------------------------------------------------------------------ */

/* Henon-Heiles by its gradient (the path for any H), by its field, and with the flows of T and V as parts beside. */
static int hh_dHdq(double t, const double *y, double *out, void *ctx)
{
    hh_force(t, y, out, ctx);
    out[0] = -out[0], out[1] = -out[1];
    return 0;
}
static int hh_dHdp(double t, const double *y, double *out, void *ctx)
{
    return (void)t, (void)ctx, out[0] = y[2], out[1] = y[3], 0;
}
static int hh_field(double t, const double *y, double *out, void *ctx)
{
    return out[0] = y[2], out[1] = y[3], hh_force(t, y, out + 2, ctx);
}

static int hh_drift(double t, double s, const double *y, double *d, void *ctx)
{
    (void)t, (void)ctx;
    d[0] = s * y[2], d[1] = s * y[3], d[2] = d[3] = 0;
    return 0;
}
static int hh_kick(double t, double s, const double *y, double *d, void *ctx)
{
    hh_force(t, y, d + 2, ctx);
    d[0] = d[1] = 0, d[2] *= s, d[3] *= s;
    return 0;
}
static int hh_drift_flow(double t, double s, double *y, void *ctx)
{
    return (void)t, (void)ctx, y[0] = fma(s, y[2], y[0]), y[1] = fma(s, y[3], y[1]), 0;
}
static int hh_kick_flow(double t, double s, double *y, void *ctx)
{
    double f[2];

    hh_force(t, y, f, ctx);
    y[2] = fma(s, f[0], y[2]), y[3] = fma(s, f[1], y[3]);
    return 0;
}

static const lbr_part hh_part[] = { { sizeof(lbr_part), "T", hh_drift_flow, hh_drift, NULL, NULL, NULL, NULL },
                                    { sizeof(lbr_part), "V", hh_kick_flow, hh_kick, NULL, NULL, NULL, NULL } };
static const lbr_parts hh_parts = { sizeof(lbr_parts), 2, hh_part, 0 };

UNUSED static problem hh_as(const char *how)
{
    problem p = henon_heiles();

    p.system = LBR_SYSTEM(.name = how, .dim = 4, .nq = 2, .energy = hh_energy);
    if (!strcmp(how, "gradient")) p.system.dHdq = hh_dHdq, p.system.dHdp = hh_dHdp;
    if (!strcmp(how, "field")) p.system.field = hh_field;
    if (!strcmp(how, "parts"))
        p.system.parts = &hh_parts, p.system.force = hh_force, p.system.inverse_mass = problem_ones;
    return p;
}

/* H neither separable nor constant: H = (1 + q^2/2) p^2/2 + q^4/4 - q t/(1 + t^2). */
static int pushed_dHdq(double t, const double *y, double *out, void *ctx)
{
    return (void)ctx, out[0] = y[0] * y[1] * y[1] / 2 + y[0] * y[0] * y[0] - t / (1 + t * t), 0;
}
static int pushed_dHdp(double t, const double *y, double *out, void *ctx)
{
    return (void)t, (void)ctx, out[0] = (1 + y[0] * y[0] / 2) * y[1], 0;
}

UNUSED static problem pushed(void)
{
    return (problem){ LBR_SYSTEM(.name = "pushed", .dim = 2, .nq = 1, .dHdq = pushed_dHdq, .dHdp = pushed_dHdp),
                      .t0 = 0.25, .h = 0.1, .y = { 0.7, 0.2 } };
}

/* The time in both parts: q' = p + g'(t) with g = 1/(1 + t^2), with which the clock goes, and p' = -q^3 + t/(1 + t^2).
 */
static double clock_g(double t) { return 1 / (1 + t * t); }
static int clock_field(double t, const double *y, double *f, void *ctx)
{
    return f[0] = y[1] - 2 * t * clock_g(t) * clock_g(t), driven_force(t, y, f + 1, ctx);
}
static int clock_drift(double t, double s, const double *y, double *d, void *ctx)
{
    return (void)ctx, d[0] = s * y[1] + (clock_g(t + s) - clock_g(t)), d[1] = 0, 0;
}
static int clock_kick(double t, double s, const double *y, double *d, void *ctx)
{
    return driven_force(t, y, d + 1, ctx), d[0] = 0, d[1] *= s, 0;
}
static int clock_drift_flow(double t, double s, double *y, void *ctx)
{
    double d[2];
    return clock_drift(t, s, y, d, ctx), y[0] += d[0], 0;
}
static int clock_kick_flow(double t, double s, double *y, void *ctx)
{
    double d[2];
    return clock_kick(t, s, y, d, ctx), y[1] += d[1], 0;
}
static const lbr_part clock_part[] = { { sizeof(lbr_part), "T", clock_drift_flow, clock_drift, NULL, NULL, NULL, NULL },
                                       { sizeof(lbr_part), "V", clock_kick_flow, clock_kick, NULL, NULL, NULL, NULL } };
static const lbr_parts clock_parts = { sizeof(lbr_parts), 2, clock_part, 0 };

UNUSED static problem clock_in_parts(void)
{
    return (problem){ LBR_SYSTEM(.name = "clock", .dim = 2, .field = clock_field, .parts = &clock_parts), .t0 = 0.25,
                      .h = 0.1, .y = { 0.7, 0.2 } };
}

/* The harmonic oscillator with frequency 1. */
static int oscillator_force(double t, const double *q, double *f, void *ctx)
{
    return (void)t, (void)ctx, f[0] = -q[0], 0;
}

UNUSED static problem oscillator(void)
{
    return (problem){ LBR_SYSTEM(.name = "oscillator", .dim = 2, .nq = 1, .force = oscillator_force,
                                 .inverse_mass = problem_ones),
                      .h = 0.1, .y = { 1, 0 } };
}

/* The rigid body with increments of its flows, which compensated sums need: cos a - 1 = -2 sin(a/2)^2. */
static int body_increment(int axis, double angle, const double *y, double *d)
{
    int j = (axis + 1) % 3, k = (axis + 2) % 3;
    double c = -2 * sin(angle / 2) * sin(angle / 2), s = sin(angle);

    d[axis] = 0, d[j] = c * y[j] + s * y[k], d[k] = c * y[k] - s * y[j];
    return 0;
}
static int body_d1(double t, double s, const double *y, double *d, void *ctx)
{
    return (void)t, (void)ctx, body_increment(0, s * 0.5 * y[0], y, d);
}
static int body_d2(double t, double s, const double *y, double *d, void *ctx)
{
    return (void)t, (void)ctx, body_increment(1, s * 1.0 * y[1], y, d);
}
static int body_d3(double t, double s, const double *y, double *d, void *ctx)
{
    return (void)t, (void)ctx, body_increment(2, s * 1.5 * y[2], y, d);
}

static const lbr_part body_exact[] = {
    { sizeof(lbr_part), "A", body_flow1, body_d1, NULL, NULL, NULL, NULL },
    { sizeof(lbr_part), "B", body_flow2, body_d2, NULL, NULL, NULL, NULL },
    { sizeof(lbr_part), "C", body_flow3, body_d3, NULL, NULL, NULL, NULL },
};
static const lbr_parts body_exact_parts = { sizeof(lbr_parts), 3, body_exact, 0 };

UNUSED static problem body_with_increments(void)
{
    problem p = rigid_body();

    p.system.parts = &body_exact_parts;
    return p;
}

/* The chain of alternating soft and stiff springs (HLW I.5.1): m = 3, omega = 50. */
enum { FPU = 3 };
static const double fpu_omega = 50;

static double fpu_soft(const double *q, int i) { return (i < FPU ? q[2 * i] : 0) - (i > 0 ? q[2 * i - 1] : 0); }
static double fpu_stiff(const double *q, int i) { return q[2 * i + 1] - q[2 * i]; }

static int fpu_force(double t, const double *q, double *f, void *ctx)
{
    (void)t, (void)ctx;
    for (int i = 0; i < FPU; i++) f[2 * i] = fpu_omega * fpu_omega / 2 * fpu_stiff(q, i), f[2 * i + 1] = -f[2 * i];
    for (int i = 0; i <= FPU; i++) {
        double d = fpu_soft(q, i), g = 4 * d * d * d;

        if (i < FPU) f[2 * i] -= g;
        if (i > 0) f[2 * i - 1] += g;
    }
    return 0;
}

static int fpu_energy(double t, const double *y, double *H, void *ctx)
{
    double sum = 0;

    (void)t, (void)ctx;
    for (int i = 0; i < 2 * FPU; i++) sum += y[2 * FPU + i] * y[2 * FPU + i] / 2;
    for (int i = 0; i < FPU; i++) sum += fpu_omega * fpu_omega / 4 * fpu_stiff(y, i) * fpu_stiff(y, i);
    for (int i = 0; i <= FPU; i++) sum += pow(fpu_soft(y, i), 4);
    *H = sum;
    return 0;
}

/* I_1, I_2, I_3: the energies of the stiff springs (HLW I.5.3). */
static void fpu_springs(const double *y, double I[FPU])
{
    for (int i = 0; i < FPU; i++) {
        double x = fpu_stiff(y, i), v = fpu_stiff(y + 2 * FPU, i);
        I[i] = (v * v + fpu_omega * fpu_omega * x * x) / 4;
    }
}

UNUSED static problem fpu(void)
{
    problem p = { LBR_SYSTEM(.name = "fpu", .dim = 4 * FPU, .nq = 2 * FPU, .force = fpu_force,
                             .inverse_mass = problem_ones, .energy = fpu_energy),
                  .h = 0.001 };
    double s = sqrt(0.5), x = 1 / fpu_omega;

    p.y[0] = (1 - x) * s, p.y[1] = (1 + x) * s, p.y[2 * FPU + 1] = 2 * s;
    return p;
}

typedef struct springs {
    double H[2], I[2], sum, first;
    int64_t n;
} springs;

/* An observer: ranges of H and of I = I_1 + I_2 + I_3, the sum of I, and when I_2 is first larger than I_1. */
UNUSED static int see_springs(const lbr_view *v, void *ctx)
{
    springs *s = ctx;
    double H, I[FPU], all;

    fpu_energy(v->t, v->y, &H, NULL), fpu_springs(v->y, I);
    all = I[0] + I[1] + I[2];
    if (s->n++ == 0) s->H[0] = s->H[1] = H, s->I[0] = s->I[1] = all;
    s->H[0] = fmin(s->H[0], H), s->H[1] = fmax(s->H[1], H), s->I[0] = fmin(s->I[0], all), s->I[1] = fmax(s->I[1], all);
    s->sum += all;
    if (!s->first && I[1] > I[0]) s->first = v->t;
    return 0;
}

UNUSED static springs springs_of(const char *method, double h, double T)
{
    problem p = fpu();
    springs s = { .n = 0 };
    lbr_plan *plan = plan_of(&p, method, NULL);

    if (!plan || lbr_start(plan, 0, h, p.y) || lbr_run(plan, (int64_t)(T / h + 1e-6), 1, see_springs, &s)) s.sum = NAN;
    lbr_plan_free(plan);
    return s;
}

/* Kepler's problem with the ellipse turned by an angle: other roundings, the same motion. */
UNUSED static problem kepler_turned(double angle)
{
    problem p = kepler();
    double c = cos(angle), s = sin(angle);

    p.y[0] = 0.4 * c, p.y[1] = 0.4 * s, p.y[2] = -2 * s, p.y[3] = 2 * c;
    return p;
}

/* The steps of a composition with all their digits; returns how many. */
UNUSED static int exact_steps(const char *table, lbr_dd *g)
{
    const lbr_method_info *info;
    int n = 0;

    if (!lbr_method_describe(&info, table))
        for (; n < info->lists[0].list.n; n++) lbr_dd_read(info->lists[0].list.text[n], &g[n]);
    lbr_method_free(info);
    return n;
}

/* Kepler's problem by a composition of Verlet, kick first, in double-double arithmetic: free of round-off. */
UNUSED static void exact_step(lbr_dd y[4], const lbr_dd *g, int s, double h)
{
    for (int i = 0; i < 2 * s; i++) { /* half a kick, a drift; half a kick */
        lbr_dd c = dd_mul(g[i / 2], dd(h)), half = dd_scale(0.5, c);

        lbr_dd r2 = dd_add(dd_mul(y[0], y[0]), dd_mul(y[1], y[1])), k = dd_div(half, dd_mul(r2, dd_sqrt(r2)));
        for (int l = 0; l < 2; l++) y[2 + l] = dd_sub(y[2 + l], dd_mul(k, y[l]));
        if (i % 2 == 0)
            for (int l = 0; l < 2; l++) y[l] = dd_add(y[l], dd_mul(c, y[2 + l]));
    }
}

/* |y|^2: a quadratic invariant of the rigid body. */
UNUSED static int square(double t, const double *y, double *out, void *ctx)
{
    return (void)t, (void)ctx, *out = y[0] * y[0] + y[1] * y[1] + y[2] * y[2], 0;
}
#endif
