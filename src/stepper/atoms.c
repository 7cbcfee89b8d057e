/* atoms.c - one-step maps other than Runge-Kutta: flows of parts, symplectic Euler for any H, maps of the user.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "foretold.h"
#include "implicit.h"
#include "starting.h"
#include "core/watch.h"

#include <string.h>

static lbr_status no_increment(lbr_message *m, const char *what, const char *name)
{
    return lbr_fail(m, LBR_EUNFIT,
                    "compensated summation needs increments, but %s '%s' of the system has no increment function", what,
                    name);
}

static void begin_at(const lbr_equation *q, const double *from, double *x)
{
    for (int64_t i = 0; i < q->n; i++) x[i] = from ? from[i] : 0;
}

/* x = from + what is foretold of the rest, if it is; what is kept is the rest. Newton's method, which is for steps that
 * are long, begins at `from`, unless one asked for something else: what is foretold may be nearer to another solution
 * (rk_newton.c). */
lbr_status lbr_work_solve_quietly(lbr_work *w, lbr_equation *q, const double *from, double *x, double *work)
{
    const int newton = q->newton, asked = w->setup->starting != LBR_STARTING_AUTO;
    lbr_foretold series = lbr_foretold_next(w, q->n, q->split);
    int told = (newton != 1 || asked) && lbr_foretell(&series, x);
    lbr_status status = LBR_ENOCONV;

    for (int64_t i = 0; i < q->n && told; i++) x[i] += from ? from[i] : 0;
    if (told && !asked) q->newton = 0;
    if (told) status = lbr_solve(q, x, work, &w->head->stats);
    if (status && told && newton && !asked) {
        q->newton = 1, begin_at(q, from, x);
        status = lbr_solve(q, x, work, &w->head->stats);
    }
    q->newton = newton;
    if (status) {
        begin_at(q, from, x);
        status = lbr_solve(q, x, work, &w->head->stats);
    }
    if (status || !series.kept) return status;
    w->first_off = lbr_distance(q->n, x, lbr_solve_first(q, work));
    for (int64_t i = 0; i < q->n; i++) work[i] = x[i] - (from ? from[i] : 0);
    lbr_foretold_keep(&series, work);
    return LBR_OK;
}

lbr_status lbr_work_solve(lbr_work *w, lbr_equation *q, const double *from, double *x, double *work, int64_t first,
                          const char *what)
{
    lbr_status status = lbr_work_solve_quietly(w, q, from, x, work);

    if (status == LBR_ECALLBACK) lbr_fail(&w->message, status, "%s reported a failure", what);
    if (status == LBR_ENOCONV) lbr_work_unsolved(w, first + q->worst, q->change, q->iterations);
    return status;
}

/* --- kick and drift: the drift-kick stepper runs them in its own way --------------------------------------------- */

static lbr_status build_rate(lbr_setup *set, lbr_atom *a, lbr_message *m)
{
    return (void)m, a->own = set->sys.s.nq, LBR_OK;
}

/* p += h f(q), or q += h H_p(p): of systems that have both as functions, so that nothing else is worked out. */
static lbr_status apply_rate(lbr_work *w, int drift, double *own, double t, double h, double *y, double *e)
{
    const lbr_bound *b = &w->setup->sys;
    int64_t nq = b->s.nq, at = drift ? 0 : nq;
    double *d = own;

    if (!drift) lbr_bound_count_rate(b, &w->head->stats, 1);
    if (drift ? lbr_bound_rate_q(b, t, y, d, NULL) : lbr_bound_rate_p(b, t, y, d, NULL))
        return lbr_fail(&w->message, LBR_ECALLBACK, "%s reported a failure", drift ? "the velocity" : "the force");
    for (int64_t i = 0; i < nq; i++) d[i] *= h;
    lbr_increment(nq, y + at, e ? e + at : NULL, d);
    return LBR_OK;
}

static lbr_status apply_kick(lbr_work *w, const lbr_atom *a, const double *slot, double *own, double t, double h,
                             double *y, double *e)
{
    return (void)a, (void)slot, apply_rate(w, 0, own, t, h, y, e);
}
static lbr_status apply_drift(lbr_work *w, const lbr_atom *a, const double *slot, double *own, double t, double h,
                              double *y, double *e)
{
    return (void)a, (void)slot, apply_rate(w, 1, own, t, h, y, e);
}

const lbr_atom_kind lbr_atom_kick = { "kick", 1, build_rate, NULL, apply_kick, 0 },
                    lbr_atom_drift = { "drift", 1, build_rate, NULL, apply_drift, 0 };

/* --- the exact flow of a part ------------------------------------------------------------------------------------ */

static lbr_status build_flow(lbr_setup *set, lbr_atom *a, lbr_message *m)
{
    const lbr_part *p = lbr_bound_part(&set->sys, a->index);

    a->own = set->sys.s.dim;
    return set->compensated && !p->increment ? no_increment(m, "part", p->name) : LBR_OK;
}

lbr_status lbr_work_no_flow(lbr_work *w, const lbr_atom *a)
{
    return lbr_fail(&w->message, LBR_ECALLBACK, "the flow of part '%s' reported a failure",
                    lbr_bound_part(&w->setup->sys, a->index)->name);
}

static lbr_status apply_flow(lbr_work *w, const lbr_atom *a, const double *slot, double *own, double t, double h,
                             double *y, double *e)
{
    const lbr_bound *b = &w->setup->sys;
    const lbr_part *p = lbr_bound_part(b, a->index);
    void *ctx = lbr_bound_part_ctx(b, a->index);
    int bad = e ? p->increment(t, h, y, own, ctx) : p->flow(t, h, y, ctx);

    (void)slot;
    w->head->stats.flow++;
    if (bad) return lbr_work_no_flow(w, a);
    if (e) lbr_increment(b->s.dim, y, e, own);
    return LBR_OK;
}

const lbr_atom_kind lbr_atom_flow = { "flow", 1, build_flow, NULL, apply_flow, 1 };

static lbr_status prepared(const lbr_setup *set, const lbr_atom *a, double h, lbr_message *m)
{
    if (a->kind != &lbr_atom_flow && a->kind != &lbr_atom_manifold_flow) return LBR_OK;
    if (!lbr_bound_part_prepare(&set->sys, a->index, h)) return LBR_OK;
    return lbr_fail(m, LBR_ENOMEM, "out of memory for the flow of part '%s'",
                    lbr_bound_part(&set->sys, a->index)->name);
}

static lbr_status all_prepared(const lbr_setup *set, const lbr_program *p, double h, lbr_message *m)
{
    lbr_status status = LBR_OK;

    for (int64_t i = 0; i < p->n && !status; i++) {
        const lbr_atom *a = &set->atom[p->term[i].atom];
        double step = dd_mul(p->term[i].c, dd(h)).hi;

        status = a->inner ? all_prepared(set, a->inner, step, m) : prepared(set, a, step, m);
    }
    return status;
}

lbr_status lbr_flows_prepare(const lbr_setup *set, double h, lbr_message *m)
{
    const lbr_term *first = set->kernel.term, *last = first + set->kernel.n - 1;
    lbr_status status = all_prepared(set, &set->pre, h, m);

    if (!status) status = all_prepared(set, &set->kernel, h, m);
    if (!status && set->kernel.n > 1 && first->atom == last->atom) /* between steps they are one */
        status = prepared(set, &set->atom[first->atom], dd_mul(dd_add(first->c, last->c), dd(h)).hi, m);
    return status ? status : all_prepared(set, &set->post, h, m);
}

/* --- symplectic Euler for any H (HLW I.1.9); adjoint: the variant with q implicit ---------------------------
 * Unknown is the increment d of p (of q); time is a coordinate that moves with q. */

typedef struct euler {
    const lbr_bound *b;
    lbr_stats *stats;
    double t, h, *y;    /* y: the state, its implicit half replaced by trial values */
    const double *half; /* the implicit half at the beginning */
    double *work;
    int adjoint;
} euler;

static int euler_map(void *ctx, const double *d, double *out)
{
    euler *u = ctx;
    int64_t nq = u->b->s.nq;
    double *trial = u->adjoint ? u->y : u->y + nq;
    int bad;

    for (int64_t i = 0; i < nq; i++) trial[i] = u->half[i] + d[i];
    bad = u->adjoint ? lbr_bound_rate_q(u->b, u->t, u->y, out, u->work)
                     : lbr_bound_rate_p(u->b, u->t, u->y, out, u->work);
    lbr_bound_count_rate(u->b, u->stats, 1);
    for (int64_t i = 0; i < nq; i++) out[i] *= u->h;
    return bad;
}

static lbr_status build_euler(lbr_setup *set, lbr_atom *a, lbr_message *m)
{
    (void)m;
    a->own = 3 * set->sys.s.dim + lbr_solve_size(set->sys.s.nq, lbr_newton_mode(set, set->sys.s.nq));
    a->foretold = set->sys.s.nq, a->series = 1;
    return LBR_OK;
}

static lbr_status apply_euler(lbr_work *w, const lbr_atom *a, const double *slot, double *own, double t, double h,
                              double *y, double *e)
{
    const lbr_bound *b = &w->setup->sys;
    int64_t nq = b->s.nq, at = a->adjoint ? 0 : nq, other = nq - at;
    double *trial = own, *d = own + 2 * nq, *r = d + nq;
    euler u = { b, &w->head->stats, a->adjoint ? t + h : t, h, trial, y + at, r + nq, a->adjoint };
    lbr_equation q = { .n = nq,
                       .g = euler_map,
                       .ctx = &u,
                       .split = nq,
                       .size = { lbr_largest(nq, y + at) },
                       .most = w->setup->max_iterations,
                       .newton = lbr_newton_mode(w->setup, nq) };
    lbr_status status;
    int bad;

    (void)slot;
    memcpy(trial, y, (size_t)(2 * nq) * sizeof *y);
    if ((status = lbr_work_solve(w, &q, NULL, d, r + 3 * nq, at, "a derivative of H"))) return status;
    for (int64_t i = 0; i < nq; i++) trial[at + i] = y[at + i] + d[i];
    bad = a->adjoint ? lbr_bound_rate_p(b, u.t, trial, r, u.work) : lbr_bound_rate_q(b, u.t, trial, r, u.work);
    lbr_bound_count_rate(b, u.stats, 1);
    if (bad) return lbr_fail(&w->message, LBR_ECALLBACK, "a derivative of H reported a failure");
    for (int64_t i = 0; i < nq; i++) r[i] *= h;
    lbr_increment(nq, y + at, e ? e + at : NULL, d);
    lbr_increment(nq, y + other, e ? e + other : NULL, r);
    return LBR_OK;
}

const lbr_atom_kind lbr_atom_euler = { "symplectic-euler", 0, build_euler, NULL, apply_euler, 0 };

/* --- a map of the user ------------------------------------------------------------------------------------------- */

static lbr_status build_map(lbr_setup *set, lbr_atom *a, lbr_message *m)
{
    const lbr_map_def *map = a->data;

    a->own = set->sys.s.dim;
    return set->compensated && (a->adjoint || !map->increment)
               ? no_increment(m, a->adjoint ? "the adjoint of map" : "map", map->name)
               : LBR_OK;
}

static lbr_status apply_map(lbr_work *w, const lbr_atom *a, const double *slot, double *own, double t, double h,
                            double *y, double *e)
{
    const lbr_bound *b = &w->setup->sys;
    const lbr_map_def *map = a->data;
    int bad = e ? map->increment(t, h, y, own, b->s.ctx) : (a->adjoint ? map->adjoint : map->map)(t, h, y, b->s.ctx);

    (void)slot;
    w->head->stats.map++;
    if (bad) return lbr_fail(&w->message, LBR_ECALLBACK, "map '%s' of the system reported a failure", map->name);
    if (e) lbr_increment(b->s.dim, y, e, own);
    return LBR_OK;
}

const lbr_atom_kind lbr_atom_map = { "map", 0, build_map, NULL, apply_map, 0 };

/* --- the adjoint of a map given only as code: Phi_{-h}(y1) = y0 (HLW II.3.1) ------------------------------------- */

typedef struct inverse {
    const lbr_atom *a;
    const lbr_bound *b;
    lbr_stats *stats;
    double t, h;
    const double *y0;
    double *y1;
} inverse;

/* d <- d + y0 - Phi_{-h}(y0 + d), or -(Phi_{-h} - id)(y0 + d) where the map gives increments. */
static int inverse_map(void *ctx, const double *d, double *out)
{
    inverse *v = ctx;
    const lbr_map_def *map = v->a->data;
    int64_t n = v->b->s.dim;
    int bad;

    v->stats->map++;
    for (int64_t i = 0; i < n; i++) v->y1[i] = v->y0[i] + d[i];
    if (map->increment) {
        bad = map->increment(v->t + v->h, -v->h, v->y1, out, v->b->s.ctx);
        for (int64_t i = 0; i < n; i++) out[i] = -out[i];
        return bad;
    }
    bad = map->map(v->t + v->h, -v->h, v->y1, v->b->s.ctx);
    for (int64_t i = 0; i < n; i++) out[i] = d[i] + (v->y0[i] - v->y1[i]);
    return bad;
}

static lbr_status build_inverse(lbr_setup *set, lbr_atom *a, lbr_message *m)
{
    const lbr_map_def *map = a->data;
    int64_t n = set->sys.s.dim;

    a->own = 2 * n + lbr_solve_size(n, lbr_newton_mode(set, n));
    a->foretold = n, a->series = 1;
    return set->compensated && !map->increment ? no_increment(m, "map", map->name) : LBR_OK;
}

static lbr_status apply_inverse(lbr_work *w, const lbr_atom *a, const double *slot, double *own, double t, double h,
                                double *y, double *e)
{
    const lbr_bound *b = &w->setup->sys;
    int64_t n = b->s.dim, split = b->s.nq > 0 ? b->s.nq : n;
    double *d = own + n;
    inverse v = { a, b, &w->head->stats, t, h, y, own };
    lbr_equation q = { .n = n,
                       .g = inverse_map,
                       .ctx = &v,
                       .split = split,
                       .size = { lbr_largest(split, y), lbr_largest(n - split, y + split) },
                       .most = w->setup->max_iterations,
                       .newton = lbr_newton_mode(w->setup, n) };
    lbr_status status;

    (void)slot;
    if ((status = lbr_work_solve(w, &q, NULL, d, d + n, 0, "a map of the system"))) return status;
    lbr_increment(n, y, e, d);
    return LBR_OK;
}

const lbr_atom_kind lbr_atom_inverse = { "adjoint by solution", 0, build_inverse, NULL, apply_inverse, 0 };
