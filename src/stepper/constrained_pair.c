/* constrained_pair.c - one step of a pair of tableaux on the manifold of constraints, for any H.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The equations are those of constrained_tableaux.c. One sweep evaluates rates and G at all stages, then P, then H_p
 * and Q, then g(Q); multipliers are improved by Newton's method with the matrix of the step's beginning, which for all
 * stages at once is h^2 (A AL) x S: s - 1 solutions with S. Sweeps go on until g is zero as far as rounding lets one
 * say, and nothing changes any more. The closing multiplier is found likewise. */
#include "constrained_pair.h"
#include "solve/solve.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct constants {
    lbr_constrained_tableaux jay;
    int *force, *rate;
} constants; /* which stages need H_q, H_p */

/* Coefficients times h, those of multipliers times -h; behind all of them their low parts. */
typedef struct slot {
    const double *A, *Ahat, *b, *AL, *bL;
    int64_t size; /* without the low parts */
} slot;

static slot slot_of(int64_t s, const double *v)
{
    int64_t n = s - 1, at[] = { s * s, 2 * s * s, 2 * s * s + s, 2 * s * s + s + s * n };

    if (!v) return (slot){ .size = at[3] + n };
    return (slot){ v, v + at[0], v + at[1], v + at[2], v + at[3], at[3] + n };
}

typedef struct step {
    lbr_work *w;
    const lbr_multipliers *mu;
    const lbr_tableau *q, *v;
    const constants *c;
    slot times_h;
    lbr_point at; /* of the beginning, then of the end */
    double t, h;
    double *y, *e;            /* the state at the beginning; its low parts, or NULL */
    double *P, *Q, *F, *V;    /* of stages: s nq each */
    double *lost;             /* s nq: what rounding took from Q; used where there are low parts */
    double *G, *GL, *L;       /* of multipliers: nnz, nq and m each */
    double *r, *x;            /* n m; m */
    double *d, *stage, *room; /* nq: an increment; 2 nq: a state; 2 nq */
    double change, residual;  /* of the last sweep */
    int64_t worst;
} step;

static int64_t own_size(const lbr_multipliers *mu, int64_t s)
{
    int64_t n = s - 1;

    return lbr_point_size(mu) + 5 * s * mu->nq + n * (mu->nnz + mu->nq) + 2 * n * mu->m + mu->m + 5 * mu->nq;
}

static lbr_status unfit(lbr_message *m, const char *what) { return lbr_fail(m, LBR_EUNFIT, LBR_JAY_LACKS, what); }

static lbr_status build(lbr_setup *set, lbr_atom *a, lbr_message *m)
{
    const lbr_tableau *q = a->tableau, *v = a->second;
    constants *c = lbr_arena_alloc(set->arena, 1, sizeof *c);
    int64_t s = q->s;
    lbr_status status = lbr_multipliers_make(set, m);
    lbr_message lacks;

    if (status) return status;
    if (!c || !(c->force = lbr_arena_alloc(set->arena, s, sizeof *c->force)) ||
        !(c->rate = lbr_arena_alloc(set->arena, s, sizeof *c->rate)))
        return lbr_fail(m, LBR_ENOMEM, "out of memory for the constraints");
    if ((status = lbr_constrained_tableaux_make(&c->jay, q, v, set->arena, &lacks)))
        return status == LBR_EUNFIT ? unfit(m, lacks.text) : lbr_fail(m, status, "%s", lacks.text);
    for (int64_t j = 0; j < s; j++) {
        c->force[j] = v->b[j].hi != 0, c->rate[j] = q->b[j].hi != 0;
        for (int64_t i = 0; i < s; i++) c->force[j] |= v->A[i * s + j].hi != 0, c->rate[j] |= q->A[i * s + j].hi != 0;
    }
    a->constants = c;
    a->own = own_size(set->multipliers, s), a->kept = c->jay.n * set->multipliers->m;
    a->slot = 2 * slot_of(s, NULL).size;
    return LBR_OK;
}

static double *times(double h, int64_t n, const lbr_dd *c, int64_t low, double *v)
{
    for (int64_t i = 0; i < n; i++) {
        lbr_dd x = dd_mul(c[i], dd(h));

        v[i] = x.hi, v[low + i] = x.lo;
    }
    return v + n;
}

static void prepare(const lbr_atom *a, double h, double *v)
{
    const constants *c = a->constants;
    int64_t s = a->tableau->s, low = slot_of(s, NULL).size;

    v = times(h, s * s, a->tableau->A, low, v), v = times(h, s * s, a->second->A, low, v);
    v = times(h, s, a->second->b, low, v);
    times(-h, s - 1, c->jay.bL, low, times(-h, s * (s - 1), c->jay.AL, low, v));
}

static void place(step *z, double *own)
{
    int64_t s = z->q->s, n = s - 1, nq = z->mu->nq;

    own = lbr_point_place(z->mu, &z->at, own);
    z->P = own, z->Q = z->P + s * nq, z->F = z->Q + s * nq, z->V = z->F + s * nq, z->lost = z->V + s * nq,
    own = z->lost + s * nq;
    z->G = own, z->GL = z->G + n * z->mu->nnz, z->r = z->GL + n * nq, z->x = z->r + n * z->mu->m;
    z->d = z->x + z->mu->m, z->stage = z->d + nq, z->room = z->stage + 2 * nq;
}

static lbr_status failed(step *z, const char *what)
{
    return lbr_fail(&z->w->message, LBR_ECALLBACK, "%s reported a failure", what);
}

/* The state of stage i, for callbacks. */
static const double *state(step *z, int64_t i)
{
    int64_t nq = z->mu->nq;

    memcpy(z->stage, z->Q + i * nq, (size_t)nq * sizeof(double)),
        memcpy(z->stage + nq, z->P + i * nq, (size_t)nq * sizeof(double));
    return z->stage;
}

/* y + d with the low part, as lbr_increment has it. */
static double sum(const step *z, int64_t i, double d) { return z->y[i] + (z->e ? z->e[i] + d : d); }

/* Puts a new value and notes how much it changed. */
static void put(double *to, double x, double *change) { *change = fmax(*change, fabs(x - *to)), *to = x; }

/* d += c v */
static void add(step *z, double c, const double *v)
{
    for (int64_t i = 0; c != 0 && i < z->mu->nq; i++) z->d[i] += c * v[i];
}

/* d += sum_j c_j v_j, where c is in a slot. The low parts come first: without them the coefficients would be those of
 * another method, which is not quite symplectic, and energies would drift. */
static void combine(step *z, int64_t n, const double *c, const double *v)
{
    const double *low = c + slot_of(z->q->s, NULL).size;

    for (int64_t j = 0; j < n; j++) add(z, low[j], v + j * z->mu->nq);
    for (int64_t j = 0; j < n; j++) add(z, c[j], v + j * z->mu->nq);
}

/* d = h sum of `by` times forces, minus h sum of `with` times G^T L. */
static void impulse(step *z, const double *by, const double *with)
{
    memset(z->d, 0, (size_t)z->mu->nq * sizeof *z->d);
    combine(z, z->q->s, by, z->F);
    combine(z, z->q->s - 1, with, z->GL);
}

/* Forces and G^T L at all stages, then P. */
static lbr_status momenta(step *z, double *change)
{
    const lbr_bound *b = z->mu->sys;
    lbr_stats *stats = &z->w->head->stats;
    int64_t nq = z->mu->nq, s = z->q->s, n = s - 1;

    for (int64_t i = 0; i < s; i++) {
        if (!z->c->force[i]) continue;
        if (lbr_bound_rate_p(b, z->t + z->q->c[i].hi * z->h, state(z, i), z->F + i * nq, z->room))
            return failed(z, "a derivative of H");
        lbr_bound_count_rate(b, stats, 1);
    }
    for (int64_t k = 0; k < n; k++) {
        double *G = z->G + k * z->mu->nnz, *to = z->GL + k * nq;

        if (lbr_constraint_G(z->mu, stats, z->t, z->Q + z->c->jay.stage[k] * nq, G))
            return failed(z, "the constraints' Jacobian");
        memset(to, 0, (size_t)nq * sizeof *to);
        lbr_constraint_force(z->mu, G, z->L + k * z->mu->m, 1, to);
    }
    for (int64_t i = 0; i < s; i++) {
        impulse(z, z->times_h.Ahat + i * s, z->times_h.AL + i * n);
        for (int64_t j = 0; j < nq; j++) put(&z->P[i * nq + j], sum(z, nq + j, z->d[j]), change);
    }
    return LBR_OK;
}

/* H_p at all stages, then Q. */
static lbr_status positions(step *z, double *change)
{
    const lbr_bound *b = z->mu->sys;
    int64_t nq = z->mu->nq, s = z->q->s;

    for (int64_t i = 0; i < s; i++) {
        if (!z->c->rate[i]) continue;
        if (lbr_bound_rate_q(b, z->t + z->q->c[i].hi * z->h, state(z, i), z->V + i * nq, z->room))
            return failed(z, "a derivative of H");
        if (!b->separable) lbr_bound_count_rate(b, &z->w->head->stats, 1);
    }
    for (int64_t i = 1; i < s; i++) {
        memset(z->d, 0, (size_t)nq * sizeof *z->d);
        combine(z, s, z->times_h.A + i * s, z->V);
        for (int64_t l = 0; l < nq; l++) {
            double x = sum(z, l, z->d[l]);

            put(&z->Q[i * nq + l], x, change);
            if (z->e) z->lost[i * nq + l] = (z->y[l] - x) + (z->e[l] + z->d[l]);
        }
    }
    return LBR_OK;
}

/* g at the stages, its largest value in units of rounding; then better multipliers. */
static lbr_status multipliers(step *z)
{
    const lbr_multipliers *mu = z->mu;
    int64_t n = z->q->s - 1, m = mu->m;

    z->residual = 0;
    for (int64_t i = 0; i < n; i++) {
        double *r = z->r + i * m;

        if (lbr_constraint_g(mu, &z->w->head->stats, z->t, z->Q + (i + 1) * mu->nq, r))
            return failed(z, "a constraint");
        if (z->e) { /* g of what Q is with its low part: multipliers do not answer to rounding */
            lbr_constraint_along(mu, z->at.G, z->lost + (i + 1) * mu->nq, z->x);
            for (int64_t l = 0; l < m; l++) r[l] += z->x[l];
        }
        z->residual = lbr_larger_or_nan(z->residual, lbr_constraint_scaled(mu, z->at.G, z->Q + (i + 1) * mu->nq, r));
    }
    for (int64_t i = 0; i < n; i++) lbr_point_solve(mu, &z->at, z->r + i * m);
    for (int64_t k = 0; k < n; k++)
        for (int64_t i = 0; i < n; i++)
            for (int64_t l = 0; l < m; l++)
                z->L[k * m + l] += z->c->jay.inverse[k * n + i] / (z->h * z->h) * z->r[i * m + l];
    return LBR_OK;
}

static lbr_status unsolved(step *z, int64_t iterations)
{
    if (z->residual < LBR_FAR)
        return lbr_fail(&z->w->message, LBR_ENOCONV,
                        "the constraints were not met after %lld iterations: they are still off by %.3g units of "
                        "rounding; try a smaller step",
                        (long long)iterations, z->residual);
    return lbr_fail(&z->w->message, LBR_ENOCONV,
                    "the constraints were not met: the iteration for the multipliers runs away (%lld iterations); try "
                    "a smaller step",
                    (long long)iterations);
}

static lbr_status count(step *z, int64_t iterations)
{
    lbr_count_iterations(&z->w->head->stats, iterations, iterations);
    return LBR_OK;
}

/* Changes of positions have to be small, and g in its own rounding. Changes of momenta need not be: they have h G^T L
 * in them, and multipliers are known no better than g/h^2, so that for small h it is enough if they no longer shrink.
 */
static lbr_status solve_stages(step *z)
{
    int64_t nq = z->mu->nq, s = z->q->s, most = z->w->setup->max_iterations;
    lbr_iteration changes = lbr_newton_begin(), residuals = lbr_residuals_begin();
    lbr_status status;

    changes.small = INFINITY;
    for (int64_t k = 1; k <= most; k++) {
        double p = 0, q = 0;

        if ((status = momenta(z, &p)) || (status = positions(z, &q)) || (status = multipliers(z))) return status;
        q = q > 0 ? q / lbr_largest_or_nan(s * nq, z->Q) : q;
        lbr_iteration_put(&changes, q + (p > 0 ? p / lbr_largest_or_nan(s * nq, z->P) : p));
        lbr_iteration_put(&residuals, z->residual);
        if (lbr_iteration_away(&changes) || lbr_iteration_away(&residuals)) return count(z, k), unsolved(z, k);
        if (q <= LBR_NOISE && lbr_iteration_settled(&changes) && lbr_iteration_settled(&residuals)) return count(z, k);
    }
    return count(z, most), unsolved(z, most);
}

/* d without G^T x; how much that is, in units of the rounding of p + d. */
static double correct(step *z)
{
    int64_t nq = z->mu->nq;
    double size = fmax(lbr_largest_or_nan(nq, z->y + nq), lbr_largest_or_nan(nq, z->d));

    memset(z->P, 0, (size_t)nq * sizeof *z->P);
    lbr_constraint_force(z->mu, z->at.G, z->x, -1, z->P);
    for (int64_t i = 0; i < nq; i++) z->d[i] += z->P[i];
    return lbr_largest_or_nan(nq, z->P) / (DBL_EPSILON * size);
}

/* The closing multiplier: p + d - h G^T M with G H_p = 0 at the end. */
static lbr_status close_step(step *z, double *dq)
{
    const lbr_multipliers *mu = z->mu;
    lbr_stats *stats = &z->w->head->stats;
    int64_t nq = mu->nq, s = z->q->s;
    double *q1 = z->Q + (s - 1) * nq, *y1 = z->room, *v = z->V, t1 = z->t + z->h;
    lbr_iteration it = lbr_residuals_begin();
    lbr_status status;

    memcpy(dq, z->d, (size_t)nq * sizeof *dq);
    impulse(z, z->times_h.b, z->times_h.bL);
    memcpy(y1, q1, (size_t)nq * sizeof *y1);
    if (lbr_constraint_G(mu, stats, t1, q1, z->at.G)) return failed(z, "the constraints' Jacobian");
    for (int64_t k = 1; k <= z->w->setup->max_iterations; k++) {
        for (int64_t i = 0; i < nq; i++) y1[nq + i] = sum(z, nq + i, z->d[i]);
        if (k == 1 && (status = lbr_point_factor(mu, &z->at, stats, t1, y1, &z->w->message))) return status;
        if (lbr_bound_rate_q(mu->sys, t1, y1, v, z->P)) return failed(z, "a derivative of H");
        if (!mu->sys->separable) lbr_bound_count_rate(mu->sys, stats, 1);
        lbr_constraint_along(mu, z->at.G, v, z->x);
        z->residual = lbr_constraint_scaled(mu, z->at.G, v, z->x);
        lbr_iteration_put(&it, z->residual);
        if (lbr_iteration_settled(&it)) return LBR_OK;
        if (lbr_iteration_away(&it)) return unsolved(z, k);
        lbr_point_solve(mu, &z->at, z->x);
        it.small = correct(z) <= LBR_FINE ? INFINITY : LBR_POOR; /* below the rounding of p: it gets no better */
    }
    return unsolved(z, z->w->setup->max_iterations);
}

static lbr_status apply(lbr_work *w, const lbr_atom *a, const double *coefficients, double *own, double t, double h,
                        double *y, double *e)
{
    const lbr_multipliers *mu = w->setup->multipliers;
    int64_t nq = mu->nq, s = a->tableau->s, n = (s - 1) * mu->m;
    step z = { .w = w, .mu = mu, .q = a->tableau, .v = a->second, .c = a->constants, .t = t, .h = h, .y = y, .e = e };
    double *L = own + a->own - n;
    lbr_status status;

    z.times_h = slot_of(s, coefficients);
    place(&z, own);
    z.L = L;
    if (w->kept) memcpy(L, w->kept + a->kept_at, (size_t)n * sizeof *L);
    else memset(L, 0, (size_t)n * sizeof *L);
    for (int64_t i = 0; i < s; i++)
        memcpy(z.Q + i * nq, y, (size_t)nq * sizeof *y), memcpy(z.P + i * nq, y + nq, (size_t)nq * sizeof *y);
    if (lbr_constraint_G(mu, &w->head->stats, t, y, z.at.G)) return failed(&z, "the constraints' Jacobian");
    if ((status = lbr_point_factor(mu, &z.at, &w->head->stats, t, y, &w->message)) || (status = solve_stages(&z)))
        return status;
    if ((status = close_step(&z, z.stage))) return status;
    lbr_increment(nq, y, e, z.stage);
    lbr_increment(nq, y + nq, e ? e + nq : NULL, z.d);
    if (w->kept) memcpy(w->kept + a->kept_at, L, (size_t)n * sizeof *L);
    return LBR_OK;
}

const lbr_atom_kind lbr_atom_constrained = { "pair with constraints", 0, build, prepare, apply, 0 };
