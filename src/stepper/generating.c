/* generating.c - one step by a generating function made of H and its derivatives. SPDX-License-Identifier: BSD-3-Clause
 *
 *     S^1:  P = p - S_q(q, P),  Q = q + S_P(q, P)          S^3:  Y = y + J^-1 grad S((Y + y)/2)          (HLW VI.5.6, VI.5.8)
 *
 * with y = (q, p). The adjoint has -S(-h) in its place: with S^1 it is Q that is implicit then. H must not depend on t: the terms
 * that this would add to S are not there, and a step over which the gradient changes with t alone is refused. */
#include "implicit.h"

#include <string.h>

enum { ARRAYS = 9 };                               /* of dim doubles, beside the solver's */

typedef struct generator {
    const lbr_bound *b;
    const lbr_derived *f;
    lbr_stats *stats;
    double t, h;                                   /* where S is taken, and its h                                    */
    const double *y;                               /* the state at the beginning                                     */
    int64_t at;                                    /* S^1: where the half that is implicit begins                    */
    double *x, *S, *g, *u, *v, *w, *z;             /* the trial point, grad S there, and room                        */
} generator;

/* (H_q, H_p). */
static int gradient(generator *s, double t, const double *y, double *g)
{
    const lbr_system *c = &s->b->s;
    int64_t nq = c->nq;

    if (!s->b->separable) return s->stats->gradient += 2, c->dHdq(t, y, g, c->ctx) | c->dHdp(t, y, g + nq, c->ctx);
    s->stats->force++;
    if (c->force(t, y, g, c->ctx)) return 1;
    for (int64_t i = 0; i < nq; i++) g[i] = -g[i];
    if (!c->inverse_mass) return c->velocity(t, y + nq, g + nq, c->ctx);
    for (int64_t i = 0; i < nq; i++) g[nq + i] = c->inverse_mass[i] * y[nq + i];
    return 0;
}

static int hessian(const generator *s, const double *v, double *out) { return s->b->s.hessian_vec(s->t, s->x, v, out, s->b->s.ctx); }
static int third(const generator *s, const double *v, const double *w, double *out) { return s->b->s.third(s->t, s->x, v, w, out, s->b->s.ctx); }

static void add(int64_t n, double *to, double c, const double *x) { for (int64_t i = 0; i < n; i++) to[i] = fma(c, x[i], to[i]); }

/* grad of b2 H_PP(H_q, H_q) + b3 H_Pq(H_P, H_q) + b4 H_qq(H_P, H_P), times h^3: with v = (H_P, 0), w = (0, H_q), all products of
 * H''' and H''; what v and w change by with y is H'' again. */
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
    double sign = s->at ? -1 : 1;                  /* at: of the adjoint */

    for (int64_t i = 0; i < 2 * nq; i++) s->x[i] = s->y[i] + d[i] / 2;
    if (third_kind(s)) return 1;
    for (int64_t i = 0; i < nq; i++) out[i] = sign * s->S[nq + i], out[nq + i] = -sign * s->S[i];
    return 0;
}

static int64_t unknowns(const lbr_setup *set, const lbr_atom *a) { return a->derived->which == 1 ? set->sys.s.nq : 2 * set->sys.s.nq; }

static lbr_status build(lbr_setup *set, lbr_atom *a, lbr_message *m)
{
    const lbr_system *s = &set->sys.s;
    const lbr_derived *f = a->derived;
    const char *name = s->name ? s->name : "without a name";
    int64_t n = unknowns(set, a);

    if (!set->sys.separable && !(s->nq > 0 && s->dHdq && s->dHdp))
        return lbr_fail(m, LBR_EUNFIT, "a generating function needs the gradient of H (force and inverse_mass or velocity, or dHdq and dHdp), but system '%s' does not give it; gauss:s is symplectic and takes any field", name);
    if (strstr(f->needs, "hessian") && !s->hessian_vec)
        return lbr_fail(m, LBR_EUNFIT, "this generating function needs second derivatives of H (hessian_vec), but system '%s' does not give them; models have them, and generating-s3:2 does without", name);
    if (strstr(f->needs, "third") && !s->third)
        return lbr_fail(m, LBR_EUNFIT, "this generating function needs third derivatives of H (third), but system '%s' does not give them; models have them, and miesbach-pesch does without", name);
    a->own = ARRAYS * s->dim + lbr_solve_size(n, lbr_newton_mode(set, n));
    return LBR_OK;
}

/* The gradient at both ends of the step in t, at the same y. */
static lbr_status autonomous(lbr_work *w, generator *s, double t, double h)
{
    if (!strstr(s->f->needs, "hessian")) return LBR_OK;
    if (gradient(s, t, s->y, s->g) || gradient(s, t + h, s->y, s->v)) return lbr_fail(&w->message, LBR_ECALLBACK, "a derivative of H reported a failure");
    for (int64_t i = 0; i < s->b->s.dim; i++)
        if (!(s->g[i] == s->v[i]))
            return lbr_fail(&w->message, LBR_EUNFIT, "H depends on t, and this generating function is made for an H that does not; symplectic-euler, midpoint and gauss:s take such an H");
    return LBR_OK;
}

static lbr_status apply(lbr_work *w, const lbr_atom *a, const double *slot, double *own, double t, double h, double *y, double *e)
{
    const lbr_bound *b = &w->setup->sys;
    int64_t nq = b->s.nq, dim = 2 * nq, n = unknowns(w->setup, a), first = a->derived->which == 1, at = !first || a->adjoint ? 0 : nq;
    double *d = own + 7 * dim, *r = own + 8 * dim;
    generator s = { b, a->derived, &w->head->stats, first ? (a->adjoint ? t + h : t) : t + h / 2, a->adjoint ? -h : h, y, first ? at : a->adjoint,
                    own, own + dim, own + 2 * dim, own + 3 * dim, own + 4 * dim, own + 5 * dim, own + 6 * dim };
    lbr_equation q = { .n = n, .g = first ? first_map : third_map, .ctx = &s, .split = nq, .size = { lbr_largest(nq, y + at), lbr_largest(nq, y + nq) },
                       .most = w->setup->max_iterations, .newton = lbr_newton_mode(w->setup, n) };
    lbr_status status = autonomous(w, &s, t, h);

    (void)slot;
    if (status) return status;
    memcpy(s.x, y, (size_t)dim * sizeof *y);
    memset(d, 0, (size_t)n * sizeof *d);
    if ((status = lbr_work_solve(w, &q, d, own + ARRAYS * dim, at, "a derivative of H"))) return status;
    if (!first) return lbr_increment(dim, y, e, d), LBR_OK;
    if (first_map(&s, d, r)) return lbr_fail(&w->message, LBR_ECALLBACK, "a derivative of H reported a failure");
    lbr_increment(nq, y + at, e ? e + at : NULL, d);
    lbr_increment(nq, y + nq - at, e ? e + nq - at : NULL, s.S + at);
    return LBR_OK;
}

const lbr_atom_kind lbr_atom_generating = { "generating function", 0, build, NULL, apply };
