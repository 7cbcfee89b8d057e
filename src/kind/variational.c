/* variational.c - one step of the discrete Euler-Lagrange equations. SPDX-License-Identifier: BSD-3-Clause
 *
 *     p0 = -D1 L_h(q0, q1),   p1 = D2 L_h(q0, q1)                                                        (HLW VI.6.11)
 *
 * MacKay's L_h has L at both ends with v = (q1 - q0)/h (HLW VI.6.12). Galerkin's has sum b_i L(Q_i, V_i), Q_i = q0 + h
 * sum a_ij V_j, at its extremum: the partitioned Runge-Kutta equations (HLW VI.6.17), which need no H:
 *
 *     L_v(Q_i, V_i) = p0 + h sum ahat_ij L_q(Q_j, V_j),     ahat_ij = b_j - b_j a_ji/b_i.
 *
 * Unknown are velocities. They are found by iteration with L_vv of the beginning of the step, then, if need be, by
 * Newton's method. */
#include "plan/kind.h"
#include "series/analyse.h"
#include "stepper/implicit.h"
#include "core/difference.h"
#include "core/lu.h"

#include <string.h>

/* Which discrete Lagrangian: the system's own; MacKay's, with L at both ends; Galerkin's, with the stages of a tableau.
 */
enum { OWN, MACKAY, GALERKIN };
typedef struct lagrangian {
    int which;
    lbr_tableau *tableau, *second;
} lagrangian; /* tableaux for positions, for momenta; or NULL */

static const lagrangian *lagrangian_of(const lbr_atom *a) { return a->data; }

typedef struct discrete {
    const lbr_bound *b;
    const lbr_atom *a;
    lbr_stats *stats;
    int64_t n, s; /* positions, stages */
    double t, h;
    const double *y;
    double *K;
    int64_t *pivot;          /* L_vv, factorised */
    double *A, *hat;         /* of Galerkin's */
    double *Q, *Lq, *Lv, *r; /* of the stages */
} discrete;

/* --- L ----------------------------------------------------------------------------------------------------------- */

#define HAS_MEMBER(p, member) \
    ((p) && (p)->size >= (size_t)((const char *)&(p)->member - (const char *)(p)) + sizeof(p)->member)

static int known(const lbr_system *s)
{
    return HAS_MEMBER(s->lagrangian, dLdv) && s->lagrangian->dLdq && s->lagrangian->dLdv;
}
static int own(const lbr_system *s) { return HAS_MEMBER(s->lagrangian, D2) && s->lagrangian->D1 && s->lagrangian->D2; }

/* Where only masses and a force are known, L = v M v/2 - V(q). */
static int momentum(const discrete *d, double t, const double *q, const double *v, double *out)
{
    const lbr_system *s = &d->b->s;

    if (known(s)) return d->stats->gradient++, s->lagrangian->dLdv(t, q, v, out, s->ctx);
    for (int64_t i = 0; i < d->n; i++) out[i] = v[i] / s->inverse_mass[i];
    return 0;
}

static int force(const discrete *d, double t, const double *q, const double *v, double *out)
{
    const lbr_system *s = &d->b->s;

    if (known(s)) return d->stats->gradient++, s->lagrangian->dLdq(t, q, v, out, s->ctx);
    return d->stats->force++, s->force(t, q, out, s->ctx);
}

/* --- the velocity at the beginning: L_v(q0, v) = p0, by Newton's method with steps that are halved until they help ---
 */

static int misfit(const discrete *d, const double *v, double *r, double *size)
{
    if (momentum(d, d->t, d->y, v, r)) return 1;
    for (int64_t i = 0; i < d->n; i++) r[i] -= d->y[d->n + i];
    *size = lbr_bound_nonfinite(d->n, r) < 0 ? lbr_largest(d->n, r) : INFINITY;
    return 0;
}

/* K = L_vv(q0, v) by differences; r: L_v - p0 there. */
static int mass(discrete *d, double *v, const double *r, double *column)
{
    int64_t n = d->n;
    double size = lbr_largest(n, v), most;

    for (int64_t j = 0; j < n; j++) {
        double old = v[j], e = LBR_FORWARD * fmax(fabs(old), size > 0 ? size : 1);

        v[j] = old + e, e = v[j] - old;
        if (misfit(d, v, column, &most)) return v[j] = old, 1;
        v[j] = old;
        for (int64_t i = 0; i < n; i++) d->K[i * n + j] = (column[i] - r[i]) / e;
    }
    return lbr_lu_factor(n, d->K, d->pivot) != 0;
}

/* 0, and K; a bad start is no failure, but a K that is singular is. */
static int begin(discrete *d, double *v, double *r, double *trial)
{
    int64_t n = d->n;
    double size, next, good;

    memset(v, 0, (size_t)n * sizeof *v);
    if (misfit(d, v, r, &size)) return 1;
    good = 1e-8 * fmax(lbr_largest(n, d->y + n), size);
    for (int k = 0; k < LBR_DAMPED_MOST; k++) {
        double step = 1;

        if (mass(d, v, r, trial)) return 1;
        if (size <= good) break;
        lbr_lu_solve(n, d->K, d->pivot, r);
        for (next = INFINITY; step > 0x1p-30; step /= 2) {
            for (int64_t i = 0; i < n; i++) trial[i] = v[i] - step * r[i];
            if (misfit(d, trial, d->r, &next)) return 1;
            if (next <= (1 - step / 4) * size) break;
        }
        if (!(next < size)) break;
        memcpy(v, trial, (size_t)n * sizeof *v), memcpy(r, d->r, (size_t)n * sizeof *r);
        size = next;
    }
    return 0;
}

/* --- the equations ----------------------------------------------------------------------------------------------- */

/* One vector after the other: x - K^-1 F. */
static void improve(const discrete *d, int64_t s, const double *x, const double *F, double *out)
{
    for (int64_t k = 0; k < s; k++) {
        memcpy(d->r, F + k * d->n, (size_t)d->n * sizeof *F);
        lbr_lu_solve(d->n, d->K, d->pivot, d->r);
        for (int64_t i = 0; i < d->n; i++) out[k * d->n + i] = x[k * d->n + i] - d->r[i];
    }
}

/* (L_v(q0, v) + L_v(q1, v))/2 - h/2 L_q(q0, v) = p0, q1 = q0 + h v; everything at both ends stays in Lq, Lv. */
static int mackay(void *ctx, const double *v, double *out)
{
    discrete *d = ctx;
    int64_t n = d->n;
    double h = d->h;

    for (int64_t i = 0; i < n; i++) d->Q[i] = fma(h, v[i], d->y[i]);
    if (momentum(d, d->t, d->y, v, d->Lv) || momentum(d, d->t + h, d->Q, v, d->Lv + n) ||
        force(d, d->t, d->y, v, d->Lq) || force(d, d->t + h, d->Q, v, d->Lq + n))
        return 1;
    for (int64_t i = 0; i < n; i++) d->Q[i] = (d->Lv[i] + d->Lv[n + i]) / 2 - h / 2 * d->Lq[i] - d->y[n + i];
    improve(d, 1, v, d->Q, out);
    return 0;
}

static int galerkin(void *ctx, const double *V, double *out)
{
    discrete *d = ctx;
    int64_t n = d->n, s = d->s;
    const lbr_tableau *T = lagrangian_of(d->a)->tableau;

    for (int64_t k = 0; k < s; k++) {
        double *Q = d->Q + k * n, t = fma(T->c[k].hi, d->h, d->t);

        memcpy(Q, d->y, (size_t)n * sizeof *Q);
        for (int64_t j = 0; j < s; j++)
            for (int64_t i = 0; i < n; i++) Q[i] = fma(d->h * d->A[k * s + j], V[j * n + i], Q[i]);
        if (momentum(d, t, Q, V + k * n, d->Lv + k * n) || force(d, t, Q, V + k * n, d->Lq + k * n)) return 1;
    }
    for (int64_t k = 0; k < s; k++)
        for (int64_t i = 0; i < n; i++) {
            double F = d->Lv[k * n + i] - d->y[n + i];

            for (int64_t j = 0; j < s; j++) F = fma(-d->h * d->hat[k * s + j], d->Lq[j * n + i], F);
            d->Q[k * n + i] = F;
        }
    improve(d, s, V, d->Q, out);
    return 0;
}

/* p0 + D1 L_h(q0, q0 + x) = 0; of the adjoint, -L_h(q1, q0; -h), it is p0 - D2 L_{-h}(q0 + x, q0). */
static int discretely(void *ctx, const double *x, double *out)
{
    discrete *d = ctx;
    const lbr_lagrangian *L = d->b->s.lagrangian;
    void *c = d->b->s.ctx;
    double end = d->t + d->h;

    for (int64_t i = 0; i < d->n; i++) d->Q[i] = d->y[i] + x[i];
    if (d->a->adjoint ? L->D2(end, -d->h, d->Q, d->y, d->Lq, c) : L->D1(d->t, d->h, d->y, d->Q, d->Lq, c)) return 1;
    for (int64_t i = 0; i < d->n; i++) out[i] = x[i] + d->h * (d->y[d->n + i] + (d->a->adjoint ? -d->Lq[i] : d->Lq[i]));
    return 0;
}

/* --- the step ---------------------------------------------------------------------------------------------------- */

static int64_t stages(const lagrangian *d) { return d->which == GALERKIN ? d->tableau->s : 1; }

enum { VELOCITIES_MOST = 4000 };

/* With a discrete Lagrangian of one's own there is no fixed point to iterate. */
static int newton_mode(const lbr_setup *set, const lbr_atom *a)
{
    return lagrangian_of(a)->which == OWN ? 1 : lbr_newton_mode(set, stages(a->data) * set->sys.s.nq);
}

static lbr_status build(lbr_setup *set, lbr_atom *a, lbr_message *m)
{
    const lbr_system *s = &set->sys.s;
    int64_t n = s->nq, k = stages(a->data), both = k > 2 ? k : 2;
    const char *name = s->name ? s->name : "without a name";

    if (lagrangian_of(a)->which == OWN && (n < 1 || !own(s)))
        return lbr_fail(m, LBR_EUNFIT,
                        "variational(own) needs a discrete Lagrangian (lagrangian with D1 and D2), but system '%s' has "
                        "none; variational(midpoint) takes a Lagrangian",
                        name);
    if (lagrangian_of(a)->which != OWN && (n < 1 || !(known(s) || (set->sys.separable && s->inverse_mass))))
        return lbr_fail(m, LBR_EUNFIT,
                        "a variational method needs a Lagrangian (L = ... in a model; lagrangian with dLdq and dLdv, "
                        "or force and inverse_mass, in C) without damping, "
                        "but system '%s' has none; gauss:s and lobatto-3s:s are symplectic for any H",
                        name);
    if (n > VELOCITIES_MOST)
        return lbr_fail(m, LBR_EUNFIT,
                        "a variational method makes a dense matrix of L's second derivatives in %lld velocities; at "
                        "most %d are taken",
                        (long long)n, VELOCITIES_MOST);
    a->own = n * n + n + 2 * k * k + (2 + 4 * both + 2 * k) * n + lbr_solve_size(k * n, newton_mode(set, a));
    a->foretold = k * n, a->series = 1;
    return LBR_OK;
}

static void tables(discrete *d)
{
    const lbr_tableau *T = lagrangian_of(d->a)->tableau;
    int64_t s = d->s;

    for (int64_t i = 0; i < s; i++)
        for (int64_t j = 0; j < s; j++) {
            d->A[i * s + j] = T->A[i * s + j].hi;
            d->hat[i * s + j] = lagrangian_of(d->a)->second->A[i * s + j].hi;
        }
}

/* What the solution x adds to q and p. */
static int increments(discrete *d, const double *x, double *dq, double *dp)
{
    int64_t n = d->n;
    const lbr_tableau *T = lagrangian_of(d->a)->tableau;
    const lbr_lagrangian *L = d->b->s.lagrangian;

    if (lagrangian_of(d->a)->which == OWN) {
        for (int64_t i = 0; i < n; i++) dq[i] = x[i], d->Q[i] = d->y[i] + x[i];
        if (d->a->adjoint ? L->D1(d->t + d->h, -d->h, d->Q, d->y, d->Lq, d->b->s.ctx)
                          : L->D2(d->t, d->h, d->y, d->Q, d->Lq, d->b->s.ctx))
            return 1;
        for (int64_t i = 0; i < n; i++) dp[i] = (d->a->adjoint ? -d->Lq[i] : d->Lq[i]) - d->y[n + i];
        return 0;
    }
    for (int64_t i = 0; i < n; i++) {
        if (!T) {
            dq[i] = d->h * x[i], dp[i] = d->h / 2 * (d->Lq[i] + d->Lq[n + i]);
            continue;
        }
        dq[i] = dp[i] = 0;
        for (int64_t j = 0; j < d->s; j++)
            dq[i] = fma(d->h * T->b[j].hi, x[j * n + i], dq[i]),
            dp[i] = fma(d->h * T->b[j].hi, d->Lq[j * n + i], dp[i]);
    }
    return 0;
}

static lbr_status apply(lbr_work *w, const lbr_atom *a, const double *slot, double *own_, double t, double h, double *y,
                        double *e)
{
    const lbr_bound *b = &w->setup->sys;
    int64_t n = b->s.nq, s = stages(a->data), both = s > 2 ? s : 2, which = lagrangian_of(a)->which;
    double *A = own_ + n * n + n, *v = A + 2 * s * s, *Q = v + n, *x = Q + (4 * both + 1) * n, *from = x + s * n,
           *room = from + s * n;
    discrete d = { b,
                   a,
                   &w->head->stats,
                   n,
                   s,
                   t,
                   h,
                   y,
                   own_,
                   (int64_t *)(own_ + n * n),
                   A,
                   A + s * s,
                   Q,
                   Q + both * n,
                   Q + 2 * both * n,
                   Q + 3 * both * n };
    lbr_equation q = { .n = s * n,
                       .g = which == OWN      ? discretely
                            : which == MACKAY ? mackay
                                              : galerkin,
                       .ctx = &d,
                       .split = s * n,
                       .most = w->setup->max_iterations,
                       .newton = newton_mode(w->setup, a) };
    static const char what[] = "a derivative of L";
    lbr_status status;

    (void)slot;
    memset(from, 0, (size_t)(s * n) * sizeof *from);
    if (which == OWN) q.size[0] = lbr_largest(n, y);
    else {
        if (begin(&d, v, d.Lq, d.Lv))
            return lbr_fail(&w->message, LBR_ECALLBACK,
                            "%s reported a failure, or its matrix in the velocities is singular: L must be regular",
                            what);
        for (int64_t k = 0; k < s * n; k++) from[k] = v[k % n];
        q.size[0] = lbr_largest(n, v);
        if (which == GALERKIN) tables(&d);
    }
    if ((status = lbr_work_solve(w, &q, from, x, room, 0, what))) return status;
    if (which != OWN && q.g(&d, x, d.Q))
        return lbr_fail(&w->message, LBR_ECALLBACK, "%s reported a failure", what); /* L_q of the solution */
    if (increments(&d, x, d.Lv, d.Lv + n)) return lbr_fail(&w->message, LBR_ECALLBACK, "%s reported a failure", what);
    lbr_increment(n, y, e, d.Lv), lbr_increment(n, y + n, e ? e + n : NULL, d.Lv + n);
    return LBR_OK;
}

static const lbr_atom_kind atom = { "variational", 0, build, NULL, apply, 0 };

/* --- what is true of it ------------------------------------------------------------------------------------------ */

/* On the stages of a tableau it is a partitioned Runge-Kutta method (HLW VI.6.4). */
static lbr_status analyse(lbr_base *b, int adjoint, lbr_arena *arena, lbr_analysis *out, lbr_message *m)
{
    const lagrangian *d = b->own;

    (void)adjoint;
    if (d->which == OWN)
        return lbr_fail(m, LBR_EUNFIT,
                        "variational(own) is what the system makes of it: nothing can be said of it without");
    if (d->tableau) {
        lbr_finding none = out->is_explicit;
        lbr_status status = lbr_analyse_pair(d->tableau, d->second, 0, arena, out, m);

        return out->is_explicit = none, status; /* an equation is solved in any case */
    }
    out->order = lbr_found_told(2, "consistent and symmetric, L at both ends (HLW VI.6.2)");
    out->symmetric = lbr_found_told(1, "L_h(q0, q1) = -L_-h(q1, q0)");
    out->symplectic = lbr_found_told(1, "L_h is a generating function (HLW VI.6.1)");
    return LBR_OK;
}

/* --- the kind ---------------------------------------------------------------------------------------------------- */

/* The discrete Lagrangian (HLW VI.6) that a method stands for: MacKay's for the trapezoidal rule, Galerkin's for any
 * other tableau; the system's own. */
static lbr_status run(lbr_flattening *c, lbr_expr *e, lbr_whole *out)
{
    lagrangian *d = lbr_arena_alloc(c->arena, 1, sizeof *d);
    lbr_base base = { .kind = lbr_kind_find("variational"), .own = d, .claims = { LBR_SIZED, .name = e->name } };
    lbr_expr *of = e->nargs == 1 ? e->arg[0] : NULL;
    lbr_status status;

    if (!d) return lbr_flatten_no_memory(c);
    if (!of || of->key || !of->name) return lbr_flatten_misused(c, e);
    if (!strcmp(of->name, "own") && !of->has_args && of->k < 0) return lbr_flatten_base(c, base, &out->kernel);
    if ((status = lbr_flatten_one_tableau(c, e->name, of, &d->tableau))) return status;
    if ((status = lbr_tableau_partner(d->tableau, of->name, &d->second, c->arena, c->m))) return status;
    d->which = strcmp(of->name, "trapezoidal") ? GALERKIN : MACKAY;
    if (d->which == MACKAY) d->tableau = d->second = NULL;
    return lbr_flatten_base(c, base, &out->kernel);
}

static int same(const lbr_base *a, const lbr_base *b)
{
    const lagrangian *d = a->own, *g = b->own;

    return d->which == g->which && lbr_tableau_same(d->tableau, g->tableau);
}

/* The adjoint of a map with a tableau is the map of another tableau. */
static lbr_status bind(lbr_plan *p, lbr_base *b, const lbr_step *s, lbr_program *to)
{
    const lagrangian *d = b->own;
    int mirrored = s->adjoint && d->tableau;

    if (mirrored && !b->bound[1]) {
        lagrangian *other = lbr_arena_alloc(&p->arena, 1, sizeof *other);

        if (other) *other = *d;
        if (!other || !(other->tableau = lbr_tableau_adjoint(d->tableau, &p->arena)) ||
            !(other->second = lbr_tableau_adjoint(d->second, &p->arena)))
            return lbr_bind_no_memory(p);
        b->bound[1] = other->tableau == d->tableau ? d : other;
    }
    lbr_bind_step(
        p, to,
        (lbr_atom){
            .kind = &atom, .data = mirrored ? b->bound[1] : d, .adjoint = s->adjoint && !mirrored, .moves_time = 1 },
        s->c);
    return LBR_OK;
}

static const lbr_operator operators[] = {
    { .name = "variational",
      .run = run,
      .use = "variational(TABLEAU), such as variational(midpoint), variational(trapezoidal), variational(gauss:3); "
             "variational(own) for a discrete Lagrangian of the system" },
    { .name = NULL }
};

const lbr_kind lbr_kind_variational[] = { { .name = "variational",
                                            .operators = operators,
                                            .type = LBR_MAP,
                                            .same = same,
                                            .needs = "lagrangian",
                                            .explicitness = "never",
                                            .bind = bind,
                                            .analyse_one = analyse },
                                          { .name = NULL } };
