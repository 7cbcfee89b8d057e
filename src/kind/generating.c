/* generating.c - methods given by a generating function made of H and its derivatives.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 *     S^1:  P = p - S_q(q, P),  Q = q + S_P(q, P)          (HLW VI.5.6)
 *     S^3:  Y = y + J^-1 grad S((Y + y)/2)                 (HLW VI.5.8)
 *
 * with y = (q, p). Whatever S is, the map is symplectic; the order is that to which S solves the Hamilton-Jacobi
 * equation. The adjoint has -S(-h) in its place: with S^1 it is Q that is implicit then. H must not depend on t: the
 * terms that this would add to S are not there, and a step over which the gradient changes with t alone is refused. */
#include "plan/kind.h"
#include "series/analyse.h"
#include "stepper/gradient.h"
#include "stepper/implicit.h"

#include <stdio.h>
#include <string.h>

enum { ARRAYS = 9 }; /* of dim doubles, beside the solver's */

/* What S is made of. */
typedef struct function {
    int first;
    int64_t n;
    const lbr_dd *b, *c;
    int hessian, third;
} function;

typedef struct generator {
    const lbr_bound *b;
    const function *f;
    lbr_stats *stats;
    double t, h;                       /* where S is taken, and its h */
    const double *y;                   /* the state at the beginning */
    int64_t at;                        /* S^1: where the half that is implicit begins */
    double *x, *S, *g, *u, *v, *w, *z; /* the trial point, grad S there, and room */
} generator;

static int gradient(generator *s, double t, const double *y, double *g)
{
    return lbr_gradient_of_energy(s->b, s->stats, t, y, g);
}

static int hessian(const generator *s, const double *v, double *out)
{
    return s->b->s.hessian_vec(s->t, s->x, v, out, s->b->s.ctx);
}
static int third(const generator *s, const double *v, const double *w, double *out)
{
    return s->b->s.third(s->t, s->x, v, w, out, s->b->s.ctx);
}

static void add(int64_t n, double *to, double c, const double *x)
{
    for (int64_t i = 0; i < n; i++) to[i] = fma(c, x[i], to[i]);
}

/* grad of b2 H_PP(H_q, H_q) + b3 H_Pq(H_P, H_q) + b4 H_qq(H_P, H_P), times h^3: with v = (H_P, 0), w = (0, H_q), all
 * products of H''' and H''; what v and w change by with y is H'' again. */
static int cubic(generator *s, double *A, double *B, double *T)
{
    int64_t nq = s->b->s.nq, n = 2 * nq;
    double h3 = s->h * s->h * s->h, b2 = s->f->b[2].hi, b3 = s->f->b[3].hi, b4 = s->f->b[4].hi;

    if (third(s, s->w, s->w, T)) return 1;
    add(n, s->S, h3 * b2, T);
    if (third(s, s->v, s->w, T)) return 1;
    add(n, s->S, h3 * b3, T);
    if (third(s, s->v, s->v, T)) return 1;
    add(n, s->S, h3 * b4, T);
    for (int64_t i = 0; i < nq; i++) {
        T[i] = 2 * b2 * B[nq + i] + b3 * A[nq + i];
        T[nq + i] = 2 * b4 * A[i] + b3 * B[i];
    }
    if (hessian(s, T, A)) return 1;
    add(n, s->S, h3, A);
    return 0;
}

/* grad S^1 at x = (q, P). */
static int first_kind(generator *s)
{
    int64_t nq = s->b->s.nq, n = 2 * nq;
    double h = s->h;

    if (gradient(s, s->t, s->x, s->g)) return 1;
    for (int64_t i = 0; i < n; i++) s->S[i] = h * s->f->b[0].hi * s->g[i];
    if (s->f->n == 1) return 0;
    for (int64_t i = 0; i < nq; i++) s->v[i] = s->g[nq + i], s->v[nq + i] = 0, s->w[i] = 0, s->w[nq + i] = s->g[i];
    if (hessian(s, s->v, s->u) || hessian(s, s->w, s->z)) return 1;
    add(n, s->S, h * h * s->f->b[1].hi, s->u), add(n, s->S, h * h * s->f->b[1].hi, s->z);
    return s->f->n > 2 ? cubic(s, s->u, s->z, s->g) : 0;
}

/* f'(x)^T u = H''(-u_p, u_q), with f = (H_p, -H_q). */
static int transposed(generator *s, const double *u, double *room, double *out)
{
    int64_t nq = s->b->s.nq;

    for (int64_t i = 0; i < nq; i++) room[i] = -u[nq + i], room[nq + i] = u[i];
    return hessian(s, room, out);
}

/* h sum b_i H(x + h c_i f(x)). */
static int points(generator *s)
{
    int64_t n = s->b->s.dim;

    memset(s->S, 0, (size_t)n * sizeof *s->S), memset(s->u, 0, (size_t)n * sizeof *s->u);
    for (int64_t k = 0; k < s->f->n; k++) {
        double b = s->f->b[k].hi, c = s->f->c[k].hi;

        for (int64_t i = 0; i < n; i++) s->z[i] = fma(s->h * c, s->v[i], s->x[i]);
        if (gradient(s, s->t, s->z, s->g)) return 1;
        add(n, s->S, s->h * b, s->g), add(n, s->u, s->h * s->h * b * c, s->g);
    }
    if (transposed(s, s->u, s->w, s->z)) return 1;
    add(n, s->S, 1, s->z);
    return 0;
}

/* grad S^3 at x = (y + Y)/2. */
static int third_kind(generator *s)
{
    int64_t nq = s->b->s.nq, n = 2 * nq;
    double h = s->h;

    if (gradient(s, s->t, s->x, s->g)) return 1;
    for (int64_t i = 0; i < nq; i++) s->v[i] = s->g[nq + i], s->v[nq + i] = -s->g[i];
    if (s->f->c) return points(s);
    for (int64_t i = 0; i < n; i++) s->S[i] = h * s->f->b[0].hi * s->g[i];
    if (s->f->n == 1) return 0;
    if (third(s, s->v, s->v, s->z) || hessian(s, s->v, s->u) || transposed(s, s->u, s->w, s->g)) return 1;
    add(n, s->S, h * h * h * s->f->b[1].hi, s->z), add(n, s->S, 2 * h * h * h * s->f->b[1].hi, s->g);
    return 0;
}

/* The increment of the implicit half is minus the derivative in the other one. */
static int first_map(void *ctx, const double *d, double *out)
{
    generator *s = ctx;
    int64_t nq = s->b->s.nq;

    for (int64_t i = 0; i < nq; i++) s->x[s->at + i] = s->y[s->at + i] + d[i];
    if (first_kind(s)) return 1;
    for (int64_t i = 0; i < nq; i++) out[i] = -s->S[nq - s->at + i];
    return 0;
}

static int third_map(void *ctx, const double *d, double *out)
{
    generator *s = ctx;
    int64_t nq = s->b->s.nq;
    double sign = s->at ? -1 : 1; /* at: of the adjoint */

    for (int64_t i = 0; i < 2 * nq; i++) s->x[i] = s->y[i] + d[i] / 2;
    if (third_kind(s)) return 1;
    for (int64_t i = 0; i < nq; i++) out[i] = sign * s->S[nq + i], out[nq + i] = -sign * s->S[i];
    return 0;
}

static int64_t unknowns(const lbr_setup *set, const lbr_atom *a)
{
    return ((const function *)a->data)->first ? set->sys.s.nq : 2 * set->sys.s.nq;
}

static lbr_status build(lbr_setup *set, lbr_atom *a, lbr_message *m)
{
    const lbr_system *s = &set->sys.s;
    const function *f = a->data;
    const char *name = s->name ? s->name : "without a name";
    int64_t n = unknowns(set, a);

    if (!set->sys.separable && !(s->nq > 0 && s->dHdq && s->dHdp))
        return lbr_fail(m, LBR_EUNFIT,
                        "a generating function needs the gradient of H (force and inverse_mass or velocity, or dHdq "
                        "and dHdp), but system '%s' does not give it; gauss:s is symplectic and takes any field",
                        name);
    if (f->hessian && !s->hessian_vec)
        return lbr_fail(m, LBR_EUNFIT,
                        "this generating function needs second derivatives of H (hessian_vec), but system '%s' does "
                        "not give them; models have them, and generating-s3:2 does without",
                        name);
    if (f->third && !s->third)
        return lbr_fail(m, LBR_EUNFIT,
                        "this generating function needs third derivatives of H (third), but system '%s' does not give "
                        "them; models have them, and miesbach-pesch does without",
                        name);
    a->own = ARRAYS * s->dim + lbr_solve_size(n, lbr_newton_mode(set, n));
    a->foretold = n, a->series = 1;
    return LBR_OK;
}

/* The gradient at both ends of the step in t, at the same y. */
static lbr_status autonomous(lbr_work *w, generator *s, double t, double h)
{
    if (!s->f->hessian) return LBR_OK;
    if (gradient(s, t, s->y, s->g) || gradient(s, t + h, s->y, s->v))
        return lbr_fail(&w->message, LBR_ECALLBACK, "a derivative of H reported a failure");
    for (int64_t i = 0; i < s->b->s.dim; i++)
        if (!(s->g[i] == s->v[i]))
            return lbr_fail(&w->message, LBR_EUNFIT,
                            "H depends on t, and this generating function is made for an H that does not; "
                            "symplectic-euler, midpoint and gauss:s take such an H");
    return LBR_OK;
}

static lbr_status apply(lbr_work *w, const lbr_atom *a, const double *slot, double *own, double t, double h, double *y,
                        double *e)
{
    const lbr_bound *b = &w->setup->sys;
    const function *f = a->data;
    int64_t nq = b->s.nq, dim = 2 * nq, n = unknowns(w->setup, a), first = f->first, at = !first || a->adjoint ? 0 : nq;
    double *d = own + 7 * dim, *r = own + 8 * dim;
    generator s = { b,
                    f,
                    &w->head->stats,
                    first ? (a->adjoint ? t + h : t) : t + h / 2,
                    a->adjoint ? -h : h,
                    y,
                    first ? at : a->adjoint,
                    own,
                    own + dim,
                    own + 2 * dim,
                    own + 3 * dim,
                    own + 4 * dim,
                    own + 5 * dim,
                    own + 6 * dim };
    lbr_equation q = { .n = n,
                       .g = first ? first_map : third_map,
                       .ctx = &s,
                       .split = nq,
                       .size = { lbr_largest(nq, y + at), lbr_largest(nq, y + nq) },
                       .most = w->setup->max_iterations,
                       .newton = lbr_newton_mode(w->setup, n) };
    lbr_status status = autonomous(w, &s, t, h);

    (void)slot;
    if (status) return status;
    memcpy(s.x, y, (size_t)dim * sizeof *y);
    if ((status = lbr_work_solve(w, &q, NULL, d, own + ARRAYS * dim, at, "a derivative of H"))) return status;
    if (!first) return lbr_increment(dim, y, e, d), LBR_OK;
    if (first_map(&s, d, r)) return lbr_fail(&w->message, LBR_ECALLBACK, "a derivative of H reported a failure");
    lbr_increment(nq, y + at, e ? e + at : NULL, d);
    lbr_increment(nq, y + nq - at, e ? e + nq - at : NULL, s.S + at);
    return LBR_OK;
}

static const lbr_atom_kind atom = { "generating function", 0, build, NULL, apply, 0 };

/* --- what is true of it ------------------------------------------------------------------------------------------ */

typedef struct condition {
    int order;
    const char *term;
    double want;
} condition;

/* A condition that does not hold ends the order below it. */
static int fails(const condition *k, lbr_dd value, lbr_analysis *out)
{
    double r = fabs(dd_double(dd_sub(value, dd_div(dd(1), dd(k->want)))));

    if (k->want == 0) r = fabs(dd_double(value));
    if (r <= out->tolerance) return out->order.residual = fmax(out->order.residual, r), 0;
    snprintf(out->order.detail, sizeof out->order.detail, "term %s of S, order %d: residual %.1e", k->term, k->order,
             r);
    return 1;
}

/* S^1 = h H + h^2/2 H_P H_q + h^3/6 (H_PP(H_q, H_q) + H_Pq(H_P, H_q) + H_qq(H_P, H_P)) + O(h^4)     (HLW VI.5.18)
 * S^3 = h H + h^3/24 H''(f, f) + O(h^5),   f = J^-1 grad H                                          (HLW VI.5.20)
 *
 * whose terms are independent; H at points w + h c f has sum b c^k/k! of h^(k+1) H^(k)(f, .., f), and H'(f) = 0.
 * want: one over the coefficient; 0: there is none. */
static const condition s1_conditions[] = {
    { 1, "h H", 1 },
    { 2, "h^2 H_P H_q", 2 },
    { 3, "h^3 H_PP(H_q, H_q)", 6 },
    { 3, "h^3 H_Pq(H_P, H_q)", 6 },
    { 3, "h^3 H_qq(H_P, H_P)", 6 },
};
static const condition s3_conditions[] = { { 1, "h H", 1 }, { 3, "h^3 H''(f, f)", 24 }, { 4, "h^4 H'''(f, f, f)", 0 } };
enum {
    S1_CONDITIONS = sizeof s1_conditions / sizeof *s1_conditions,
    S3_CONDITIONS = sizeof s3_conditions / sizeof *s3_conditions
};

/* sum b c^k/k!, k = 0, 2, 3. */
static lbr_dd moment(const function *d, int k)
{
    lbr_dd sum = dd(0);

    for (int64_t i = 0; i < d->n; i++) {
        lbr_dd x = d->b[i];

        for (int j = 1; j <= k; j++) x = dd_div(dd_mul(x, d->c[i]), dd(j));
        sum = dd_add(sum, x);
    }
    return sum;
}

/* b_{n+1-i} = b_i, c_{n+1-i} = -c_i: S^3 is odd in h (HLW VI.5.21). */
static double even(const function *d)
{
    double r = 0;

    for (int64_t i = 0; d->c && i < d->n; i++) {
        r = fmax(r, fabs(dd_double(dd_sub(d->b[i], d->b[d->n - 1 - i]))));
        r = fmax(r, fabs(dd_double(dd_add(d->c[i], d->c[d->n - 1 - i]))));
    }
    return r;
}

static void order_of_s1(const function *d, lbr_analysis *out)
{
    for (int i = 0; i < S1_CONDITIONS; i++) {
        if (fails(&s1_conditions[i], i < d->n ? d->b[i] : dd(0), out)) return;
        if (i == S1_CONDITIONS - 1 || s1_conditions[i + 1].order > s1_conditions[i].order)
            out->order.value = s1_conditions[i].order;
    }
    snprintf(out->order.detail, sizeof out->order.detail, "term of S of order 4: there is none");
}

/* There is no term of order 2, and none of order 4: a method of order 1 has order 2, one that is of order 3 and odd 4.
 */
static void order_of_s3(const function *d, lbr_analysis *out)
{
    static const int power[] = { 0, 2, 3 };

    for (int i = 0; i < S3_CONDITIONS; i++) {
        lbr_dd value = d->c ? moment(d, power[i]) : i < d->n ? d->b[i] : dd(0);

        if (fails(&s3_conditions[i], value, out)) return;
        out->order.value = i == 0 ? 2 : s3_conditions[i].order;
    }
    snprintf(out->order.detail, sizeof out->order.detail, "term of S of order 5: not of this form");
}

static lbr_status analyse(lbr_base *b, int adjoint, lbr_arena *arena, lbr_analysis *out, lbr_message *m)
{
    const function *d = b->own;
    double r = even(d);

    (void)adjoint, (void)arena, (void)m;
    out->order.value = 0;
    if (d->first) order_of_s1(d, out);
    else order_of_s3(d, out);
    out->symmetric = lbr_found_told(0, "the adjoint has Q implicit in place of P (HLW VI.5.7)");
    if (!d->first) out->symmetric = lbr_found_small(r, out->tolerance, "S^3 is odd in h (HLW VI.5.21)");
    out->symplectic = lbr_found_told(1, "any generating function gives a symplectic map (HLW VI.5.3)");
    return LBR_OK;
}

/* --- the rows ---------------------------------------------------------------------------------------------------- */

/* HLW VI.5.22: h H + h^2/2 H_P H_q + h^3/6 (H_PP(H_q, H_q) + H_Pq(H_P, H_q) + H_qq(H_P, H_P)). Denominators. */
static const double s1_terms[] = { 1, 2, 6, 6, 6 };
/* h H + h^3/24 H''(f, f). */
static const double s3_terms[] = { 1, 24 };

/* HLW VI.5.23; c = +-sqrt(15)/10: sum b = 1, sum b c^2 = 1/12. */
LBR_LIST(points_b, "5/18", "4/9", "5/18");
LBR_LIST(points_c, "0.3872983346207416885179265399782399610833", "0", "-0.3872983346207416885179265399782399610833");

static int some_terms(int64_t n, const double *denominator, lbr_numbers *x, lbr_arena *arena)
{
    x->s = n;
    if (!(x->b = lbr_arena_alloc(arena, n, sizeof *x->b))) return -1;
    for (int64_t i = 0; i < n; i++) x->b[i] = dd_div(dd(1), dd(denominator[i]));
    return 0;
}

static int s1(int order, lbr_method *claims, lbr_numbers *x, lbr_arena *arena)
{
    claims->order = order;
    return some_terms(order == 3 ? 5 : order, s1_terms, x, arena);
}

static int s3(int order, lbr_method *claims, lbr_numbers *x, lbr_arena *arena)
{
    claims->order = order;
    return some_terms(order / 2, s3_terms, x, arena);
}

#define COMMON LBR_SIZED, .family = "generating", .symplectic = 1

static const lbr_row rows[] = {
    { .m = { COMMON, .name = "generating-s1", .form = "generating-s1", .source = "HLW VI.5.22 (Feng Kang 1986)",
             .about = "S^1 = h H + h^2 G_2 + ..; order 1 is symplectic Euler", .digits = 31, .first = 1, .last = 3,
             .stride = 1 },
      s1 },
    { .m = { COMMON, .name = "generating-s3", .form = "generating-s3", .source = "HLW VI.5.4 (Feng Kang 1986)",
             .about = "S^3 = h H + h^3 G_3; order 2 is the midpoint rule", .digits = 31, .symmetric = 1, .first = 2,
             .last = 4, .stride = 2 },
      s3 },
    { .m = { COMMON, .name = "miesbach-pesch", .form = "generating-s3", .source = "HLW VI.5.23 (Miesbach & Pesch 1992)",
             .about = "S^3 from H at three points: second derivatives only", .b = LBR_TEXTS(points_b),
             .c = LBR_TEXTS(points_c), .order = 4, .symmetric = 1, .digits = 30 },
      NULL },
    LBR_END
};

/* --- the kinds --------------------------------------------------------------------------------------------------- */

static int is_first(const lbr_numbers *x);

/* How many coefficients there may be: the terms of orders 1, 2, 3; of S^3 also any number of points. */
static lbr_status read_table(const lbr_method *r, lbr_numbers *x, lbr_arena *arena, lbr_message *m)
{
    lbr_status status = lbr_read_steps(r, x, arena, m);
    int64_t n = x->s;
    int first = is_first(x);

    if (status || (!first && r->c.n && (status = lbr_read_list(r, "c", r->c, &x->c, arena, m)))) return status;
    if (first && n != 1 && n != 2 && n != 5)
        return lbr_fail(m, LBR_EMETHOD,
                        "table '%s': S^1 has 1, 2 or 5 coefficients, for terms up to h, h^2, h^3; not %lld", r->name,
                        (long long)n);
    if (!first && !x->c && n > 2)
        return lbr_fail(m, LBR_EMETHOD,
                        "table '%s': S^3 without points c has 1 or 2 coefficients, for terms up to h, h^3; not %lld",
                        r->name, (long long)n);
    if (x->c && r->c.n != n)
        return lbr_fail(m, LBR_EMETHOD, "table '%s' has %lld points c for %lld weights b", r->name, (long long)r->c.n,
                        (long long)n);
    return LBR_OK;
}

/* Which terms there are says what is needed. */
static lbr_status flatten(lbr_flattening *c, const lbr_method *claims, const lbr_numbers *x, lbr_whole *out)
{
    function *f = lbr_arena_alloc(c->arena, 1, sizeof *f);
    int first = is_first(x);

    if (!f) return lbr_flatten_no_memory(c);
    *f = (function){ .first = first,
                     .n = x->s,
                     .b = x->b,
                     .c = x->c,
                     .hessian = x->c || x->s > 1,
                     .third = !x->c && x->s > (first ? 2 : 1) };
    return lbr_flatten_base(c, (lbr_base){ .kind = x->kind, .own = f, .claims = *claims }, &out->kernel);
}

static int same_list(int64_t n, const lbr_dd *a, const lbr_dd *b)
{
    return a && b ? !memcmp(a, b, (size_t)n * sizeof *a) : a == b;
}

static int same(const lbr_base *a, const lbr_base *b)
{
    const function *f = a->own, *g = b->own;

    return f->n == g->n && same_list(f->n, f->b, g->b) && same_list(f->n, f->c, g->c);
}

static lbr_status describe(const lbr_flat *f, lbr_arena *arena, lbr_method_info *i, lbr_message *m)
{
    const function *d = f->base->own;

    (void)arena, (void)m;
    i->needs = d->third ? "partition hessian third-derivatives" : d->hessian ? "partition hessian" : "partition";
    return LBR_OK;
}

#define KIND(name_)                                                                                            \
    .name = name_, .type = LBR_MAP, .table = LBR_ANY_SUM, .list = "b", .read = read_table, .flatten = flatten, \
    .same = same, .explicitness = "never", .describe = describe, .atom = &atom, .analyse_one = analyse

const lbr_kind lbr_kind_generating[] = { { KIND("generating-s1"), .rows = rows },
                                         { KIND("generating-s3") },
                                         { .name = NULL } };

static int is_first(const lbr_numbers *x) { return x->kind == lbr_kind_generating; }
