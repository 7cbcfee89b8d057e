/* rattle.c - RATTLE and its compositions for H = p^T M^-1 p/2 + V(q) with masses. SPDX-License-Identifier: BSD-3-Clause
 *
 *     ph = p - h/2 (V_q(q) + G(q)^T L),   q1 = q + h M^-1 ph,   g(q1) = 0                                  (HLW VII.1.24)
 *     p1 = ph - h/2 V_q(q1) - G(q1)^T M,  G(q1) M^-1 p1 = 0                                              (HLW VII.1.25)
 *
 * L by Newton's method with the matrix S = G M^-1 G^T of the beginning of the step; that of its end serves M, and then the next step. What is at q
 * (force, G, S and its factors) stays in scratch from step to step and is made anew from q where it is not there: the bits are the same. State: y,
 * its low parts where sums are compensated, and the multipliers of each piece of a step, from which the next solution starts. */
#include "constrained.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Residuals in units of their own rounding: below `fine` they are done, above `poor` they have not been solved. */
static const double fine = 4, poor = 1000;

typedef struct constants { int64_t force, ph, q1, r, scale, v, point; } constants;      /* places in scratch */

/* A step of one piece. */
typedef struct step {
    lbr_work *w;
    const lbr_multipliers *mu;
    lbr_point at;
    double *F, *ph, *q1, *r, *scale, *v;           /* force at q; half-way momenta; new positions; residuals; eps sum |G_ij|; M^-1 p */
    double h, *q, *p, *eq, *ep, *L;
    double worst;                                  /* residual, in units of rounding                                 */
} step;

/* --- which programs -------------------------------------------------------------------------------------------------- */

static int is(lbr_dd a, double b) { return a.hi == b && a.lo == 0; }

static int is_rattle(const lbr_atom *a)
{
    const lbr_tableau *q = a->tableau, *v = a->second;

    if (a->kind != &lbr_atom_constrained || q->s != 2) return 0;
    return is(q->A[0], 0) && is(q->A[1], 0) && is(q->A[2], 0.5) && is(q->A[3], 0.5) && is(v->A[0], 0.5) && is(v->A[1], 0) && is(v->A[2], 0.5) && is(v->A[3], 0);
}

static int takes(const lbr_setup *set)
{
    if (!set->multipliers || !set->multipliers->mass || set->pre.n || set->post.n) return 0;
    for (int64_t i = 0; i < set->kernel.n; i++) if (!is_rattle(&set->atom[set->kernel.term[i].atom])) return 0;
    return 1;
}

static lbr_status build(lbr_setup *set, lbr_message *m)
{
    const lbr_multipliers *mu = set->multipliers;
    constants *c = lbr_arena_alloc(set->arena, 1, sizeof *c);
    int64_t nq = mu->nq;

    if (!c) return lbr_fail(m, LBR_ENOMEM, "out of memory for the plan");
    *c = (constants){ 0, nq, 2 * nq, 4 * nq, 4 * nq + mu->m, 3 * nq, 4 * nq + 2 * mu->m };
    set->nstate = 2 * nq * (set->compensated ? 2 : 1) + set->kernel.n * mu->m;
    set->nscratch = c->point + lbr_point_size(mu);
    set->constants = c;
    set->instance = mu->ldl.band >= 0 ? "masses; the constraints' matrix is a band" : "masses; the constraints' matrix is sparse";
    return LBR_OK;
}

static void prepare(lbr_work *w) { w->matrix_ready = 0; }
static void start(lbr_work *w, const double *y) { memcpy(w->v, y, (size_t)(2 * w->setup->multipliers->nq) * sizeof *y); }
static lbr_status read_out(lbr_work *w, double *y) { return memcpy(y, w->v, (size_t)(2 * w->setup->multipliers->nq) * sizeof *y), LBR_OK; }

/* --- one piece --------------------------------------------------------------------------------------------------------- */

static lbr_status failed(step *z, const char *what) { return lbr_fail(&z->w->message, LBR_ECALLBACK, "%s reported a failure", what); }

/* Everything that belongs to positions at time t. */
static lbr_status settle(step *z, double t, const double *q)
{
    const lbr_multipliers *mu = z->mu;
    lbr_stats *stats = &z->w->head->stats;

    stats->force++;
    if (mu->sys->s.force(t, q, z->F, mu->sys->s.ctx)) return failed(z, "the force");
    if (lbr_constraint_G(mu, stats, t, q, z->at.G)) return failed(z, "the constraints' Jacobian");
    for (int64_t i = 0; i < mu->m; i++) {
        double sum = 0;

        for (int64_t k = mu->row[i]; k < mu->row[i + 1]; k++) sum += fabs(z->at.G[k]);
        z->scale[i] = DBL_EPSILON * sum;
    }
    return lbr_point_factor(mu, &z->at, stats, t, q, &z->w->message);
}

/* The largest residual, in units of rounding; `size` is the largest of what G is multiplied with. */
static double scaled(const step *z, double size)
{
    double most = 0;

    for (int64_t i = 0; i < z->mu->m; i++)
        if (!(fabs(z->r[i]) <= most * (z->scale[i] * size))) most = fabs(z->r[i]) / (z->scale[i] * size);
    return most;
}

static int done(double now, double last) { return now <= fine || (now >= last && now <= poor); }

static lbr_status unsolved(step *z, int64_t iterations, const char *what)
{
    if (z->worst < 1e60)
        return lbr_fail(&z->w->message, LBR_ENOCONV, "the constraints on %s were not met after %lld iterations: they are still off by %.3g units of rounding; try a smaller step", what, (long long)iterations, z->worst);
    return lbr_fail(&z->w->message, LBR_ENOCONV, "the constraints on %s were not met: the iteration for the multipliers runs away (%lld iterations); try a smaller step", what, (long long)iterations);
}

/* ph and q1 with the multipliers as they are; the largest |q1|. */
static double move(step *z)
{
    const lbr_multipliers *mu = z->mu;
    const double *m = mu->mass;
    double h = z->h, half = h / 2, most = 0;

    for (int64_t j = 0; j < mu->nq; j++) z->ph[j] = half * z->F[j];
    lbr_constraint_force(mu, z->at.G, z->L, -half, z->ph);
    for (int64_t j = 0; j < mu->nq; j++) {
        double v = m[j] * (z->p[j] + z->ph[j]);

        z->q1[j] = z->q[j] + (z->eq ? fma(h, v, z->eq[j]) : h * v);
        most = fmax(most, fabs(z->q1[j]));
    }
    return most;
}

static lbr_status positions(step *z, double t)
{
    const lbr_multipliers *mu = z->mu;
    lbr_stats *stats = &z->w->head->stats;
    int64_t most = z->w->setup->max_iterations;
    double by = 2 / (z->h * z->h), last = INFINITY;

    for (int64_t k = 1; k <= most; k++) {
        double size = move(z);

        if (lbr_constraint_g(mu, stats, t, z->q1, z->r)) return failed(z, "a constraint");
        z->worst = scaled(z, size);
        stats->iterations++;
        if (k > stats->worst) stats->worst = k;
        if (done(z->worst, last)) return LBR_OK;
        if (!(z->worst < 1e60)) return unsolved(z, k, "positions");
        lbr_point_solve(mu, &z->at, z->r);
        for (int64_t i = 0; i < mu->m; i++) z->L[i] = fma(by, z->r[i], z->L[i]);
        last = z->worst;
    }
    return unsolved(z, most, "positions");
}

/* ph becomes the increment of p: with the force at the end, and without what would lead off the manifold. */
static lbr_status momenta(step *z)
{
    const lbr_multipliers *mu = z->mu;
    double half = z->h / 2, last = INFINITY;

    for (int64_t j = 0; j < mu->nq; j++) z->ph[j] = fma(half, z->F[j], z->ph[j]);
    for (int64_t k = 1; k <= z->w->setup->max_iterations; k++) {
        double size = 0;

        for (int64_t j = 0; j < mu->nq; j++) {
            z->v[j] = mu->mass[j] * (z->p[j] + (z->ep ? z->ep[j] + z->ph[j] : z->ph[j]));
            size = fmax(size, fabs(z->v[j]));
        }
        lbr_constraint_along(mu, z->at.G, z->v, z->r);
        z->worst = scaled(z, size);
        if (done(z->worst, last)) return LBR_OK;
        if (!(z->worst < 1e60)) return unsolved(z, k, "velocities");
        lbr_point_solve(mu, &z->at, z->r);
        lbr_constraint_force(mu, z->at.G, z->r, -1, z->ph);
        last = z->worst;
    }
    return unsolved(z, z->w->setup->max_iterations, "velocities");
}

/* q1 is there: q and its low part follow. */
static void take_positions(step *z)
{
    if (!z->eq) { memcpy(z->q, z->q1, (size_t)z->mu->nq * sizeof *z->q); return; }
    for (int64_t j = 0; j < z->mu->nq; j++) {
        double d = fma(z->h, z->mu->mass[j] * (z->p[j] + z->ph[j]), z->eq[j]), old = z->q[j];

        z->q[j] = z->q1[j];
        z->eq[j] = (old - z->q[j]) + d;
    }
}

static lbr_status piece(step *z, double t, double end)
{
    lbr_status status = positions(z, t);

    if (status) return status;
    take_positions(z);
    if ((status = settle(z, end, z->q)) || (status = momenta(z))) return status;
    lbr_increment(z->mu->nq, z->p, z->ep, z->ph);
    return LBR_OK;
}

static lbr_status advance(lbr_work *w, int64_t n)
{
    const lbr_setup *set = w->setup;
    const constants *c = set->constants;
    const lbr_multipliers *mu = set->multipliers;
    int64_t nq = mu->nq, pieces = set->kernel.n;
    double *s = w->scratch, *e = set->compensated ? w->v + 2 * nq : NULL, *L = w->v + 2 * nq * (set->compensated ? 2 : 1);
    step z = { .w = w, .mu = mu, .F = s + c->force, .ph = s + c->ph, .q1 = s + c->q1, .r = s + c->r, .scale = s + c->scale, .v = s + c->v, .q = w->v, .p = w->v + nq, .eq = e, .ep = e ? e + nq : NULL };
    lbr_status status = LBR_OK;

    lbr_point_place(mu, &z.at, s + c->point);
    if (!w->matrix_ready && n > 0) status = settle(&z, lbr_time(w->head, w->head->n), z.q);
    w->matrix_ready = 0;
    for (int64_t k = w->head->n, last = k + n; k < last && !status; k++) {
        double t = lbr_time(w->head, k);

        for (int64_t i = 0; i < pieces && !status; i++) {
            double end = i + 1 < pieces ? t + dd_mul(set->kernel.term[i + 1].time, dd(w->head->h)).hi : lbr_time(w->head, k + 1);

            z.h = dd_mul(set->kernel.term[i].c, dd(w->head->h)).hi, z.L = L + i * mu->m;
            status = piece(&z, end, end);
        }
    }
    w->matrix_ready = !status;
    if (n > 0) w->head->primed = 1;
    return status;
}

const lbr_stepper lbr_stepper_rattle = { "rattle", 1, takes, build, prepare, start, advance, read_out, NULL, NULL };
