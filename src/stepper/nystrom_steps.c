/* nystrom_steps.c - Nystrom steps: constants, slots, and the choice of solver. SPDX-License-Identifier: BSD-3-Clause */
#include "nystrom_steps.h"
#include "core/largest.h"
#include "core/watch.h"
#include "solve/solve.h"

#include <string.h>

/* --- building ---------------------------------------------------------------------------------------------------- */

/* Rows of A with Ahat, then bbar, then b. */
static const lbr_dd *row_of(const lbr_nystrom *m, int64_t i)
{
    return i < m->s ? m->A + i * m->s : i == m->s ? m->bbar : m->b;
}

static int sparse_rows(lbr_setup *set, lbr_nys *y)
{
    const lbr_nystrom *m = y->method;
    int64_t s = y->s;

    y->row = lbr_arena_alloc(set->arena, s + 3, sizeof *y->row);
    y->col = lbr_arena_alloc(set->arena, s * s + 2 * s, sizeof *y->col);
    if (!y->row || !y->col) return -1;
    for (int64_t i = 0; i < s + 2; i++) {
        for (int64_t j = 0; j < s; j++)
            if (row_of(m, i)[j].hi != 0 || (i < s && y->kind == LBR_NYSTROM_FIELD && m->Ahat[i * s + j].hi != 0))
                y->col[y->nonzero++] = j;
        y->row[i + 1] = y->nonzero;
    }
    return 0;
}

static lbr_status start_values(lbr_setup *set, lbr_nys *y, int alone, lbr_message *m)
{
    const lbr_nystrom *q = y->method;
    lbr_status status = lbr_starting_make(&y->starting, alone ? set->starting : LBR_STARTING_GIVEN, y->s, q->c, NULL,
                                          !q->Ahat || lbr_starting_curve(y->s, q->c, q->Ahat), set->arena, m);

    if (status) return status;
    y->S = lbr_starting_values(y->starting, q->A, 0, set->arena);
    if (y->kind == LBR_NYSTROM_FIELD) y->T = lbr_starting_values(y->starting, q->Ahat, 0, set->arena);
    return y->S && (y->T || y->kind != LBR_NYSTROM_FIELD) ? LBR_OK
                                                          : lbr_fail(m, LBR_ENOMEM, "out of memory for the plan");
}

/* Numbers in S. */
static int64_t matrices(const lbr_nys *y) { return y->starting->matrices * y->s * y->s; }

lbr_status lbr_nys_build(const lbr_nys **out, lbr_setup *set, const lbr_nystrom *method, int field, int alone,
                         lbr_message *m)
{
    lbr_nys *y = lbr_arena_alloc(set->arena, 1, sizeof *y);
    const lbr_instance *one = lbr_instance_choose(set, set->sys.s.nq);
    int64_t s = method->s, nq = set->sys.s.nq;
    int kind = field                                 ? LBR_NYSTROM_FIELD
               : set->sys.drift == LBR_DRIFT_UNIFORM ? LBR_NYSTROM_UNIFORM
                                                     : LBR_NYSTROM_MASSES;
    lbr_status status = LBR_OK;

    if (!y || !one) return lbr_fail(m, LBR_ENOMEM, "out of memory for the plan");
    *y = (lbr_nys){ .method = method,
                    .bound = &set->sys,
                    .kind = kind,
                    .s = s,
                    .nq = nq,
                    .nz = (field ? 2 : 1) * s * nq,
                    .ctx = set->sys.s.ctx,
                    .run = one->nystrom[kind][set->compensated],
                    .solve = one->inystrom[kind][set->compensated] };
    if (method->is_explicit && sparse_rows(set, y)) return lbr_fail(m, LBR_ENOMEM, "out of memory for the plan");
    if (!method->is_explicit && (status = start_values(set, y, alone, m))) return status;
    y->newton = !method->is_explicit && lbr_newton_mode(set, y->nz);
    if (lbr_nys_fuse(y, set, alone)) return lbr_fail(m, LBR_ENOMEM, "out of memory for the plan");
    y->slot = 4 * s + 1 + 2 * (method->is_explicit ? y->nonzero : s * s + matrices(y));
    if (!method->is_explicit) y->low = y->slot, y->slot *= 2;
    y->own = 4 * nq + (method->is_explicit ? s * nq : 3 * y->nz + (y->newton ? lbr_solve_size(y->nz, 1) : 0));
    *out = y;
    return LBR_OK;
}

/* --- slots: P (and that of the whole step), D, B, C, then A (of explicit methods with D, B), G, and S, T --------- */

typedef struct slot {
    const double *P, *D, *B, *C, *A, *G, *S, *T;
} slot;

static slot slot_of(const lbr_nys *y, const double *v)
{
    int64_t s = y->s, n = y->method->is_explicit ? y->nonzero : s * s;
    slot t = { .P = v, .D = v + s + 1, .B = v + 2 * s + 1, .C = v + 3 * s + 1, .A = v + 4 * s + 1 };

    t.G = t.A + n, t.S = t.G + n;
    if (!y->method->is_explicit) t.T = t.S + matrices(y);
    return t;
}

/* Numbers times h; implicit methods have their low parts, too. */
static double *times(const lbr_nys *y, lbr_dd h, int64_t n, const lbr_dd *c, double *v)
{
    for (int64_t i = 0; i < n; i++) {
        lbr_dd x = c ? dd_mul(c[i], h) : dd(0);

        v[i] = x.hi;
        if (y->low) v[y->low + i] = x.lo;
    }
    return v + n;
}

/* One mass for all is a factor of what moves q. */
void lbr_nys_prepare(const lbr_nys *y, double step, double *v)
{
    const lbr_nystrom *m = y->method;
    lbr_dd h = dd(step), one = y->kind == LBR_NYSTROM_UNIFORM ? dd_mul(h, dd(y->bound->factor)) : h,
           two = dd_mul(h, one), whole = dd(1);
    const lbr_dd *Ahat = y->kind == LBR_NYSTROM_FIELD ? m->Ahat : NULL;
    int64_t s = y->s;

    v = times(y, one, s, m->c, v), v = times(y, one, 1, &whole, v);
    v = times(y, two, s, m->bbar, v), v = times(y, h, s, m->b, v), v = times(y, h, s, m->time ? m->time : m->c, v);
    if (!m->is_explicit) {
        v = times(y, two, s * s, m->A, v), v = times(y, h, s * s, Ahat, v);
        v = times(y, two, matrices(y), y->S, v), times(y, h, matrices(y), Ahat ? y->T : NULL, v);
        return;
    }
    for (int64_t i = 0; i < s + 2; i++)
        for (int64_t e = y->row[i]; e < y->row[i + 1]; e++) {
            v[e] = dd_mul(row_of(m, i)[y->col[e]], i <= s ? two : h).hi;
            v[y->nonzero + e] = Ahat && i < s ? dd_mul(Ahat[i * s + y->col[e]], h).hi : 0;
        }
}

/* --- stepping ---------------------------------------------------------------------------------------------------- */

static void count(lbr_work *w, const lbr_nys *y, int64_t n)
{
    if (y->kind == LBR_NYSTROM_FIELD) w->head->stats.field += n;
    else w->head->stats.force += n;
}

static lbr_status failed(lbr_work *w, const lbr_nys *y)
{
    return lbr_fail(&w->message, LBR_ECALLBACK, "the system's %s reported a failure",
                    y->kind == LBR_NYSTROM_FIELD ? "field" : "force");
}

/* q' of the field against inverse_mass .* p. */
static lbr_status check_masses(lbr_work *w, const lbr_nys_run *r, const double *rate)
{
    const lbr_system *s = &w->setup->sys.s;
    char name[64];

    for (int64_t i = 0; i < s->nq; i++) {
        double want = s->inverse_mass[i] * r->y[s->nq + i];

        if (!(fabs(rate[i] - want) > 1e-12 * (fabs(want) + fabs(rate[i])))) continue;
        lbr_system_component(s, i, name, sizeof name);
        return lbr_fail(&w->message, LBR_EUNFIT,
                        "a Nystrom method needs q' = inverse_mass .* p, but the field's rate of %s is %.15g instead of "
                        "%.15g; rk4 and gauss:s take any field",
                        name, rate[i], want);
    }
    return LBR_OK;
}

lbr_status lbr_nys_begin(lbr_work *w, const lbr_nys_run *r, double t)
{
    const lbr_nys *y = r->nys;
    const lbr_system *s = &w->setup->sys.s;
    int field = y->kind == LBR_NYSTROM_FIELD;
    double *g = r->own;
    lbr_status status;

    if (y->method->is_explicit && !field) return LBR_OK;
    count(w, y, 1);
    if (field ? s->field(t, r->y, g, s->ctx) : s->force(t, r->y, g, s->ctx)) return failed(w, y);
    if (field && (status = check_masses(w, r, g))) return status;
    for (int64_t i = 0; i < y->s && !y->method->is_explicit; i++)
        memcpy(r->F + i * y->nq, field ? g + y->nq : g, (size_t)y->nq * sizeof *g);
    if (r->past) r->past[0] = -1;
    return LBR_OK;
}

static lbr_status explicit_steps(lbr_work *w, const lbr_nys_run *r, int64_t k, int64_t n)
{
    const lbr_nys *y = r->nys;
    const lbr_system *s = &w->setup->sys.s;
    slot c = slot_of(y, r->slot);
    lbr_nystrom_args a = {
        .nq = y->nq,
        .stages = y->s,
        .t0 = r->t0,
        .h = r->h,
        .P = c.P,
        .A = c.A,
        .G = c.G,
        .C = c.C,
        .row = y->row,
        .col = y->col,
        .m = s->inverse_mass,
        .force = s->force,
        .field = s->field,
        .ctx = y->ctx,
        .x = r->own,
        .g = r->own + 2 * y->nq,
        .K = r->own + 4 * y->nq,
        .watch = r->watch,
    };

    count(w, y, n * y->s);
    return y->run(&a, k, n, r->y, r->e) ? failed(w, y) : LBR_OK;
}

/* The component that a failed iteration has driven away most, or made not finite: for the message only. */
static int64_t farthest(const lbr_nys_run *r, const double *Z)
{
    int64_t sn = r->nys->s * r->nys->nq, worst = 0;
    double most = 0;

    for (int64_t i = 0; i < r->nys->nz && most == most; i++) {
        int64_t c = i % r->nys->nq + (i < sn ? 0 : r->nys->nq);
        double far = fabs(Z[i] / r->y[c]);

        if (!(far <= most)) most = far, worst = c;
    }
    return worst;
}

/* What templates are told of starting values. */
static lbr_irk_starting starting(const lbr_nys_run *r, const slot *c)
{
    return (lbr_irk_starting){ .S = c->S,
                               .S2 = c->T,
                               .older = r->past ? r->nys->starting->older : 0,
                               .differences = r->past && r->nys->starting->way == LBR_STARTING_EQUISTAGE,
                               .past = r->past ? (int64_t)*r->past : -1,
                               .earlier = r->earlier,
                               .Z0 = r->own + 4 * r->nys->nq + 2 * r->nys->nz,
                               .off = NAN };
}

/* Up to n steps by fixed-point iteration; *done of them. */
static lbr_status fixed_point(lbr_work *w, const lbr_nys_run *r, int64_t k, int64_t n, int64_t *done, int *strayed)
{
    const lbr_nys *y = r->nys;
    const lbr_system *s = &w->setup->sys.s;
    slot c = slot_of(y, r->slot);
    lbr_inystrom_args a = {
        .nq = y->nq,
        .stages = y->s,
        .most = w->setup->max_iterations,
        .low = y->low,
        .t0 = r->t0,
        .h = r->h,
        .P = c.P,
        .A = c.A,
        .G = c.G,
        .D = c.D,
        .B = c.B,
        .C = c.C,
        .m = s->inverse_mass,
        .force = s->force,
        .field = s->field,
        .ctx = y->ctx,
        .x = r->own,
        .Z = r->own + 4 * y->nq,
        .R = r->own + 4 * y->nq + y->nz,
        .start = starting(r, &c),
        .watch = r->watch,
        .worst = w->head->stats.worst,
    };

    *done = y->solve(&a, k, n, r->y, r->e, r->F);
    if (r->past) r->past[0] = (double)a.start.past, w->first_off = *done == n ? a.start.off : NAN;
    count(w, y, a.evaluations);
    w->head->stats.iterations += a.iterations;
    w->head->stats.worst = a.worst;
    *strayed = a.strayed;
    if (*done == n) return LBR_OK;
    return a.bad ? failed(w, y) : lbr_work_unsolved(w, farthest(r, a.Z), a.residual, a.last);
}

/* --- one step by Newton's method: Z = m A F(Z), and Z = G F(Z) behind it ----------------------------------------- */

typedef struct equations {
    lbr_work *w;
    const lbr_nys_run *r;
    slot c;
    double t;
} equations;

static int stages(equations *q, const double *Z)
{
    const lbr_nys_run *r = q->r;
    const lbr_nys *y = r->nys;
    const lbr_system *s = &q->w->setup->sys.s;
    int64_t nq = y->nq;
    double *x = r->own, *g = x + 2 * nq;
    int bad = 0;

    for (int64_t i = 0; i < y->s; i++) {
        for (int64_t l = 0; l < nq; l++) {
            double d = q->c.P[i] * r->y[nq + l];

            x[l] = r->y[l] + ((y->kind == LBR_NYSTROM_UNIFORM ? d : s->inverse_mass[l] * d) + Z[i * nq + l]);
            if (y->kind == LBR_NYSTROM_FIELD) x[nq + l] = r->y[nq + l] + Z[(y->s + i) * nq + l];
        }
        bad |= y->kind == LBR_NYSTROM_FIELD ? s->field(q->t + q->c.C[i], x, g, s->ctx)
                                            : s->force(q->t + q->c.C[i], x, g + nq, s->ctx);
        memcpy(r->F + i * nq, g + nq, (size_t)nq * sizeof *g);
    }
    count(q->w, y, y->s);
    return bad;
}

/* sum + sum_j c_j F_j for component l, the low parts of c first. */
static double add(const equations *q, const double *c, int64_t l, double sum)
{
    const lbr_nys *y = q->r->nys;
    const double *F = q->r->F + l;

    for (int64_t j = 0; j < y->s; j++) sum = fma(c[y->low + j], F[j * y->nq], sum);
    for (int64_t j = 0; j < y->s; j++) sum = fma(c[j], F[j * y->nq], sum);
    return sum;
}

/* What moves q_l: m sum, and the low part of q_l. */
static double drift(const equations *q, int64_t l, double sum)
{
    const lbr_nys_run *r = q->r;

    if (r->nys->kind != LBR_NYSTROM_UNIFORM) sum *= q->w->setup->sys.s.inverse_mass[l];
    return r->e ? r->e[l] + sum : sum;
}

/* The low parts of P and p for component l of q, as far as they count; i: the stage, or s for the whole step. */
static double low_drift(const equations *q, int64_t i, int64_t l)
{
    const lbr_nys_run *r = q->r;
    int64_t nq = r->nys->nq;
    double sum = q->c.P[r->nys->low + i] * r->y[nq + l];

    return r->e ? fma(q->c.P[i], r->e[nq + l], sum) : sum;
}

/* out = m A F and, behind it, G F: G stands behind A in a slot. With all low parts. */
static void combine(const equations *q, const double *A, double *out)
{
    const lbr_nys *y = q->r->nys;
    const double *e = q->r->e;
    int64_t s = y->s, nq = y->nq;

    for (int64_t i = 0; i < y->nz; i++) {
        const double *c = A + i / nq * s;
        int64_t l = i % nq;

        out[i] = i < s * nq ? drift(q, l, add(q, c, l, low_drift(q, i / nq, l))) : add(q, c, l, e ? e[nq + l] : 0);
    }
}

static int equation(void *ctx, const double *Z, double *out)
{
    equations *q = ctx;
    int bad = stages(q, Z);

    combine(q, q->c.A, out);
    return bad;
}

static void finish(const equations *q)
{
    const lbr_nys_run *r = q->r;
    int64_t nq = r->nys->nq, s = r->nys->s;
    double *x = r->own;

    for (int64_t l = 0; l < nq; l++) {
        double d = add(q, q->c.D, l, low_drift(q, s, l));

        x[l] = drift(q, l, fma(q->c.P[s], r->y[nq + l], d));
        x[nq + l] = add(q, q->c.B, l, r->e ? r->e[nq + l] : 0);
    }
    lbr_add_whole(2 * nq, r->y, r->e, x);
}

/* Z += m S F, and behind it S2 F. */
static void add_first(const equations *q, const double *S, const double *S2, const double *F, double *Z)
{
    const lbr_nys *y = q->r->nys;
    const double *m = y->kind != LBR_NYSTROM_UNIFORM ? q->w->setup->sys.s.inverse_mass : NULL;
    int64_t s = y->s, nq = y->nq, sn = s * nq;

    for (int64_t i = 0; i < y->nz; i++) {
        const double *c = (i < sn ? S : S2) + i / nq % s * s;
        double sum = 0;

        for (int64_t j = 0; j < s; j++) sum = fma(c[j], F[j * nq + i % nq], sum);
        Z[i] += m && i < sn ? m[i % nq] * sum : sum;
    }
}

/* The first iterate, as in implicit_frame.inc. next is room, for all F. */
static void first_iterate(const equations *q, double *Z, double *next)
{
    const lbr_nys_run *r = q->r;
    lbr_irk_starting b = starting(r, &q->c);
    int64_t s = r->nys->s, nq = r->nys->nq, s2 = s * s, first = b.past < 0 || LBR_STARTING_FIRST(&b),
            at = first ? 0 : s2, two = !b.differences && b.older > 0;

    if (b.differences && b.past >= 0) lbr_starting_foretell(&b, s, nq, nq, r->F, next, Z);
    memset(Z, 0, (size_t)r->nys->nz * sizeof *Z);
    add_first(q, b.S + at, b.S2 + at, b.differences && !first ? next : r->F, Z);
    if (!first && two) add_first(q, b.S + 2 * s2, b.S2 + 2 * s2, b.earlier, Z);
    if (two && b.past >= 0) memcpy(b.earlier, r->F, (size_t)(s * nq) * sizeof *r->F);
    if (r->past) r->past[0] = (double)(b.past + (b.past < b.older));
}

/* Of equations that are too many for a matrix: who has one, where the system may have a pattern. */
static lbr_status with_other_way(lbr_work *w, const lbr_nys *y)
{
    const lbr_message so_far = w->message;

    if (y->nz <= LBR_SOLVE_MATRIX_MOST || !w->setup->sys.s.jacobian) return so_far.status;
    return lbr_fail(&w->message, so_far.status,
                    "%.300s, or a Runge-Kutta method of one tableau (gauss:s, radau-2a:s, lobatto-3c:s): these use the "
                    "pattern of the Jacobian",
                    so_far.text);
}

static lbr_status newton(lbr_work *w, const lbr_nys_run *r, int64_t k)
{
    const lbr_nys *y = r->nys;
    int64_t nq = y->nq, sn = y->s * nq;
    double *Z = r->own + 4 * nq, *Z0 = Z + 2 * y->nz; /* between them: R, which is not used here */
    equations q = { w, r, slot_of(y, r->slot), fma((double)k, r->h, r->t0) };
    lbr_equation e = { .n = y->nz,
                       .g = equation,
                       .ctx = &q,
                       .split = sn,
                       .size = { lbr_largest(nq, r->y), lbr_largest(nq, r->y + nq) },
                       .most = w->setup->max_iterations,
                       .newton = 1 };
    lbr_status status;

    first_iterate(&q, Z, Z + y->nz);
    memcpy(Z0, Z, (size_t)y->nz * sizeof *Z);
    status = lbr_solve(&e, Z, Z + 3 * y->nz, &w->head->stats);
    if (r->past) w->first_off = lbr_distance(y->nz, Z, Z0);
    if (status == LBR_ECALLBACK || (!status && stages(&q, Z))) return failed(w, y);
    if (status == LBR_ENOCONV) {
        lbr_work_unsolved(w, e.worst % nq + (e.worst < sn ? 0 : nq), e.change, e.iterations);
        return with_other_way(w, y);
    }
    if (!status) finish(&q);
    return status;
}

/* A step that ends at k, taken outside the templates. Whoever hears that it failed finds out what is wrong. */
static lbr_status see(lbr_work *w, const lbr_nys_run *r, int64_t k)
{
    if (!r->watch || !lbr_watch_step(&w->setup->sys, fma((double)k, r->h, r->t0), r->y, r->watch->first,
                                     r->watch->worst, w->look, NULL))
        return LBR_OK;
    return lbr_fail(&w->message, LBR_ENONFINITE, "H or an invariant is not finite");
}

lbr_status lbr_nys_steps(lbr_work *w, const lbr_nys_run *r, int64_t k, int64_t n)
{
    int64_t done, end = k + n, again = r->past && r->past[0] < 0 ? k : -1;
    lbr_status status;
    int strayed;

    if (r->nys->method->is_explicit) return explicit_steps(w, r, k, n);
    if (w->setup->solver == LBR_SOLVER_NEWTON && !w->head->newton) w->head->newton = 1;
    while (k < end) {
        if (w->head->newton && r->nys->newton) {
            if ((status = newton(w, r, k++)) || (status = see(w, r, k))) return status;
            continue;
        }
        if (!(status = fixed_point(w, r, k, end - k, &done, &strayed))) return LBR_OK;
        k += done;
        if (strayed) return status;
        if (again == k || !(r->past || r->foretold)) {
            if (!r->nys->newton || status == LBR_ECALLBACK) return status;
            w->head->newton = 1; /* from here on */
        }
        again = k; /* once more, as if nothing was known of the steps before */
        if ((status = lbr_nys_begin(w, r, fma((double)k, r->h, r->t0)))) return status;
    }
    return LBR_OK;
}
