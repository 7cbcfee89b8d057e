/* multipliers.c - the matrix G H_pp G^T of constraints, and what is solved with it.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tangents.h"
#include "core/difference.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- one point --------------------------------------------------------------------------------------------------- */

int64_t lbr_point_size(const lbr_multipliers *mu) { return 2 * mu->nnz + mu->ns + lbr_ldl_size(&mu->ldl) + 8 * mu->nq; }

double *lbr_point_place(const lbr_multipliers *mu, lbr_point *p, double *at)
{
    p->G = at, at += mu->nnz;
    p->WG = at, at += mu->nnz;
    p->S = at, at += mu->ns;
    p->factor = at, at += lbr_ldl_size(&mu->ldl);
    p->u = at, at += 2 * mu->nq;
    p->v = at, at += 2 * mu->nq;
    p->z = at, at += 2 * mu->nq;
    p->x = at, at += mu->nq;
    p->w = at, at += mu->nq;
    return at;
}

int lbr_constraint_g(const lbr_multipliers *mu, lbr_stats *stats, double t, const double *q, double *r)
{
    return stats->constraint++, mu->c.g(t, q, r, mu->sys->s.ctx);
}

int lbr_constraint_G(const lbr_multipliers *mu, lbr_stats *stats, double t, const double *q, double *G)
{
    if (mu->base) return lbr_tangents_G(mu, stats, t, q, G);
    return stats->constraint++, mu->c.G(t, q, G, mu->sys->s.ctx);
}

void lbr_constraint_force(const lbr_multipliers *mu, const double *G, const double *lambda, double by, double *out)
{
    if (mu->base) {
        lbr_tangents_force(mu, G, lambda, by, out);
        return;
    }
    for (int64_t i = 0; i < mu->m; i++) {
        double x = by * lambda[i];

        for (int64_t k = mu->row[i]; k < mu->row[i + 1]; k++) out[mu->col[k]] += x * G[k];
    }
}

void lbr_constraint_along(const lbr_multipliers *mu, const double *G, const double *v, double *out)
{
    if (mu->base) {
        lbr_tangents_along(mu, G, v, out);
        return;
    }
    for (int64_t i = 0; i < mu->m; i++) {
        double sum = 0;

        for (int64_t k = mu->row[i]; k < mu->row[i + 1]; k++) sum += G[k] * v[mu->col[k]];
        out[i] = sum;
    }
}

double lbr_constraint_scaled(const lbr_multipliers *mu, const double *G, const double *x, const double *r)
{
    double most = 0, size = DBL_EPSILON * lbr_largest_or_nan(mu->nq, x);

    if (mu->base) return lbr_tangents_scaled(mu, G, x, r);
    for (int64_t i = 0; i < mu->m; i++) {
        double sum = 0, now = fabs(r[i]);

        for (int64_t k = mu->row[i]; k < mu->row[i + 1]; k++) sum += fabs(G[k]);
        if (now != 0) now /= size * sum; /* nothing to round and yet not 0: infinite */
        most = lbr_larger_or_nan(most, now);
    }
    return most;
}

const char *lbr_constraint_name(const lbr_multipliers *mu, int64_t i, char *text, size_t size)
{
    if (mu->c.names && mu->c.names[i]) snprintf(text, size, "'%s'", mu->c.names[i]);
    else snprintf(text, size, "%lld", (long long)i + 1);
    return text;
}

/* H_p; counted where it costs a call that is counted. */
static int rate_q(const lbr_multipliers *mu, lbr_stats *stats, double t, const double *y, double *out, double *work)
{
    if (!mu->sys->separable) lbr_bound_count_rate(mu->sys, stats, 1);
    return lbr_bound_rate_q(mu->sys, t, y, out, work);
}

/* What differences are taken of, as functions of a state that stands in p->v, or of positions. */
typedef struct at {
    const lbr_multipliers *mu;
    lbr_point *p;
    lbr_stats *stats;
    double t;
    const double *v;
} at;

/* H_p; H_q; G v. */
static int rate_of_positions(void *ctx, const double *x, double *out)
{
    const at *a = ctx;

    (void)x;
    return rate_q(a->mu, a->stats, a->t, a->p->v, out, a->p->z);
}

static int slope_of_positions(void *ctx, const double *x, double *out)
{
    const at *a = ctx;

    (void)x;
    if (lbr_bound_rate_p(a->mu->sys, a->t, a->p->v, out, a->p->z)) return 1;
    for (int64_t j = 0; j < a->mu->nq; j++) out[j] = -out[j];
    return 0;
}

static int rate_of_constraints(void *ctx, const double *q, double *out)
{
    const at *a = ctx;

    if (lbr_constraint_G(a->mu, a->stats, a->t, q, a->p->WG)) return 1;
    return lbr_constraint_along(a->mu, a->p->WG, a->v, out), 0;
}

/* out = H_pp(y) v, with a Hessian, or by differences of H_p, which are exact up to rounding where H is quadratic in p.
 */
static int mass_times(const lbr_multipliers *mu, lbr_point *p, lbr_stats *stats, double t, const double *y,
                      const double *v, double *out)
{
    const lbr_bound *b = mu->sys;
    int64_t nq = mu->nq;
    at of = { .mu = mu, .p = p, .stats = stats, .t = t };
    double length;

    if (b->s.hessian_vec) {
        memset(p->v, 0, (size_t)nq * sizeof *v), memcpy(p->v + nq, v, (size_t)nq * sizeof *v);
        if (b->s.hessian_vec(t, y, p->v, p->z, b->s.ctx)) return 1;
        memcpy(out, p->z + nq, (size_t)nq * sizeof *out);
        return 0;
    }
    if ((length = lbr_largest(nq, v)) == 0) return memset(out, 0, (size_t)nq * sizeof *out), 0;
    memcpy(p->v, y, (size_t)nq * sizeof *y);
    return lbr_central_difference(rate_of_positions, &of, nq, nq, y + nq, v,
                                  lbr_central_step(lbr_largest(nq, y + nq), length), p->v + nq, out, p->x);
}

static int dense_matrix(const lbr_multipliers *mu, lbr_point *p, lbr_stats *stats, double t, const double *y)
{
    double *row = p->u, *out = p->u + mu->nq;

    for (int64_t i = 0; i < mu->m; i++) {
        memset(row, 0, (size_t)mu->nq * sizeof *row);
        for (int64_t k = mu->row[i]; k < mu->row[i + 1]; k++) row[mu->col[k]] = p->G[k];
        if (mass_times(mu, p, stats, t, y, row, out)) return 1;
        for (int64_t e = mu->srow[i]; e < mu->srow[i + 1]; e++) {
            double sum = 0;

            for (int64_t k = mu->row[mu->scol[e]]; k < mu->row[mu->scol[e] + 1]; k++) sum += p->G[k] * out[mu->col[k]];
            p->S[e] = sum;
        }
    }
    return 0;
}

static void sparse_matrix(const lbr_multipliers *mu, lbr_point *p)
{
    for (int64_t k = 0; k < mu->nnz; k++) p->WG[k] = mu->mass[mu->col[k]] * p->G[k];
    for (int64_t e = 0; e < mu->ns; e++) {
        double sum = 0;

        for (int64_t k = mu->first[e]; k < mu->first[e + 1]; k++)
            for (int64_t j = 0; j < mu->together; j++) sum += p->WG[mu->left[k] + j] * p->G[mu->right[k] + j];
        p->S[e] = sum;
    }
}

lbr_status lbr_point_singular(const lbr_multipliers *mu, const lbr_point *p, int64_t i, lbr_message *m)
{
    char name[64];
    double size = 0;

    lbr_constraint_name(mu, i, name, sizeof name);
    for (int64_t k = mu->row[i]; k < mu->row[i + 1]; k++) {
        if (!isfinite(p->G[k]))
            return lbr_fail(m, LBR_ENONFINITE, "the derivatives of constraint %s are not finite", name);
        size = fmax(size, fabs(p->G[k]));
    }
    if (size == 0)
        return lbr_fail(m, LBR_ESINGULAR, "the gradient of constraint %s is zero: it is degenerate here", name);
    if (!(p->S[mu->srow[i + 1] - 1] > 0))
        return lbr_fail(
            m, LBR_ESINGULAR,
            "constraint %s meets no mass: G H_pp G^T, by which its multiplier is found, is not positive definite",
            name);
    return lbr_fail(m, LBR_ESINGULAR,
                    "constraint %s depends on the others: G H_pp G^T, by which the multipliers are found, is singular; "
                    "drop a redundant constraint",
                    name);
}

lbr_status lbr_point_factor(const lbr_multipliers *mu, lbr_point *p, lbr_stats *stats, double t, const double *y,
                            lbr_message *m)
{
    int64_t bad;

    if (mu->base) return lbr_tangents_factor(mu, p, stats, t, y, m);
    if (mu->mass) sparse_matrix(mu, p);
    else if (dense_matrix(mu, p, stats, t, y))
        return lbr_fail(m, LBR_ECALLBACK, "a derivative of H reported a failure");
    stats->jacobian++;
    bad = lbr_ldl_factor(&mu->ldl, p->S, p->factor);
    return bad < 0 ? LBR_OK : lbr_point_singular(mu, p, bad, m);
}

/* --- the multipliers of a state ---------------------------------------------------------------------------------- */

/* g''(v, v), by differences of G v where it is not given. r: room. */
static int curvature(const lbr_multipliers *mu, lbr_stats *stats, double t, const double *q, const double *v,
                     lbr_point *p, double *r, double *out)
{
    at of = { .mu = mu, .p = p, .stats = stats, .t = t, .v = v };
    int64_t nq = mu->nq;
    double length;

    stats->constraint++;
    if (mu->c.g2) return mu->c.g2(t, q, v, v, out, mu->sys->s.ctx);
    if ((length = lbr_largest(nq, v)) == 0) return memset(out, 0, (size_t)mu->m * sizeof *out), 0;
    return lbr_central_difference(rate_of_constraints, &of, nq, mu->m, q, v,
                                  lbr_central_step(lbr_largest(nq, q), length), p->z, out, r);
}

/* u: the rate of H_p(y) along the field f without multipliers, H_pq H_p - H_pp H_q. */
static int turning(const lbr_multipliers *mu, lbr_point *p, lbr_stats *stats, double t, const double *y,
                   const double *f, double *u)
{
    const lbr_bound *b = mu->sys;
    int64_t nq = mu->nq;
    at of = { .mu = mu, .p = p, .stats = stats, .t = t };
    double length;

    if (mu->mass) {
        for (int64_t j = 0; j < nq; j++) u[j] = mu->mass[j] * f[nq + j];
        return 0;
    }
    if (b->s.hessian_vec) {
        if (b->s.hessian_vec(t, y, f, p->z, b->s.ctx)) return 1;
        memcpy(u, p->z + nq, (size_t)nq * sizeof *u);
        return 0;
    }
    length = lbr_largest(2 * nq, f);
    return lbr_central_difference(rate_of_positions, &of, 2 * nq, nq, y, f,
                                  lbr_central_step(lbr_largest(2 * nq, y), length > 0 ? length : 1), p->v, u, p->x);
}

/* S lambda = g''(H_p, H_p) + G (H_pq H_p - H_pp H_q) (HLW VII.1.11, VII.1.12). */
lbr_status lbr_point_multipliers(const lbr_multipliers *mu, lbr_point *p, lbr_stats *stats, double t, const double *y,
                                 double *lambda, lbr_message *m)
{
    const lbr_bound *b = mu->sys;
    int64_t nq = mu->nq;
    lbr_status status;
    double *f = p->u;

    if (lbr_constraint_G(mu, stats, t, y, p->G))
        return lbr_fail(m, LBR_ECALLBACK, "the derivatives of the constraints reported a failure");
    if ((status = lbr_point_factor(mu, p, stats, t, y, m))) return status;
    if (rate_q(mu, stats, t, y, f, p->z) || lbr_bound_rate_p(b, t, y, f + nq, p->z))
        return lbr_fail(m, LBR_ECALLBACK, "a derivative of H reported a failure");
    if (b->separable) lbr_bound_count_rate(b, stats, 1);
    if (curvature(mu, stats, t, y, f, p, p->v, lambda))
        return lbr_fail(m, LBR_ECALLBACK, "the derivatives of the constraints reported a failure");
    if (turning(mu, p, stats, t, y, f, p->w)) return lbr_fail(m, LBR_ECALLBACK, "a derivative of H reported a failure");
    lbr_constraint_along(mu, p->G, p->w, p->x);
    for (int64_t i = 0; i < mu->m; i++) lambda[i] += p->x[i];
    lbr_point_solve(mu, p, lambda);
    return LBR_OK;
}

int lbr_point_moves(const lbr_multipliers *mu, lbr_point *p, lbr_stats *stats, double t, const double *y,
                    const double *x)
{
    memset(p->u, 0, (size_t)mu->nq * sizeof *p->u);
    lbr_constraint_force(mu, p->G, x, 1, p->u);
    if (!mu->mass) return mass_times(mu, p, stats, t, y, p->u, p->w);
    for (int64_t j = 0; j < mu->nq; j++) p->w[j] = mu->mass[j] * p->u[j];
    return 0;
}

lbr_status lbr_point_residuals(const lbr_multipliers *mu, lbr_point *p, lbr_stats *stats, double t, const double *y,
                               double *r, lbr_residuals *out, lbr_message *m)
{
    if (lbr_constraint_g(mu, stats, t, y, r) || lbr_constraint_G(mu, stats, t, y, p->G))
        return lbr_fail(m, LBR_ECALLBACK, "the constraints reported a failure");
    out->position = lbr_largest_or_nan(mu->m, r), out->position_scaled = lbr_constraint_scaled(mu, p->G, y, r);
    if (rate_q(mu, stats, t, y, p->u, p->z)) return lbr_fail(m, LBR_ECALLBACK, "a derivative of H reported a failure");
    lbr_constraint_along(mu, p->G, p->u, r);
    out->velocity = lbr_largest_or_nan(mu->m, r), out->velocity_scaled = lbr_constraint_scaled(mu, p->G, p->u, r);
    return LBR_OK;
}

/* --- the velocities that constraints leave, differentiated ------------------------------------------------------- */

/* As lbr_central_step, but numbers that are all 0 are taken as tiny ones, and not as 1: about 0, where H_q is as good
 * as linear in p, and G in q, the differences of tiny steps are the exact ones. */
static double short_step(int64_t n, const double *x, const double *v)
{
    return lbr_central_step(fmax(lbr_largest_or_nan(n, x), 1e-300), fmax(lbr_largest_or_nan(n, v), 1e-300));
}

/* out = H'' (0, v), with a Hessian or by differences of the rates. */
static int momenta_hessian(const lbr_multipliers *mu, lbr_point *p, lbr_stats *stats, double t, const double *y,
                           const double *v, double *out)
{
    const lbr_bound *b = mu->sys;
    int64_t nq = mu->nq;
    at of = { .mu = mu, .p = p, .stats = stats, .t = t };

    if (mu->mass) {
        for (int64_t j = 0; j < nq; j++) out[nq + j] = mu->mass[j] * v[j];
        return 0;
    }
    if (b->s.hessian_vec) {
        memset(p->v, 0, (size_t)nq * sizeof *v), memcpy(p->v + nq, v, (size_t)nq * sizeof *v);
        return b->s.hessian_vec(t, y, p->v, out, b->s.ctx);
    }
    if (mass_times(mu, p, stats, t, y, v, out + nq)) return 1;
    lbr_bound_count_rate(b, stats, 2);
    memcpy(p->v, y, (size_t)nq * sizeof *y);
    return lbr_central_difference(slope_of_positions, &of, nq, nq, y + nq, v, short_step(nq, y + nq, v), p->v + nq, out,
                                  p->x);
}

/* Adds g_i'' v to the rows, by differences of G where it is not given: each side of a difference is added by itself,
 * since there is no room for G at both. */
static int add_curvatures(const lbr_multipliers *mu, lbr_point *p, lbr_stats *stats, double t, const double *q,
                          const double *v, double *rows)
{
    int64_t nq = mu->nq;
    double e = short_step(nq, q, v), *unit = p->S;

    if (mu->c.g2t) {
        memset(unit, 0, (size_t)mu->m * sizeof *unit);
        for (int64_t i = 0; i < mu->m; i++) {
            stats->constraint++, unit[i] = 1;
            if (mu->c.g2t(t, q, unit, v, p->x, mu->sys->s.ctx)) return 1;
            for (int64_t j = 0; j < nq; j++) rows[i * 2 * nq + j] += p->x[j];
            unit[i] = 0;
        }
        return 0;
    }
    for (int sign = -1; sign <= 1; sign += 2) {
        for (int64_t j = 0; j < nq; j++) p->z[j] = q[j] + sign * e * v[j];
        if (lbr_constraint_G(mu, stats, t, p->z, p->WG)) return 1;
        for (int64_t i = 0; i < mu->m; i++)
            for (int64_t k = mu->row[i]; k < mu->row[i + 1]; k++)
                rows[i * 2 * nq + mu->col[k]] += sign * p->WG[k] / (2 * e);
    }
    return 0;
}

int lbr_point_velocity_rows(const lbr_multipliers *mu, lbr_point *p, lbr_stats *stats, double t, const double *y,
                            int first, double *rows)
{
    int64_t nq = mu->nq;

    for (int64_t i = 0; i < mu->m; i++) {
        memset(p->w, 0, (size_t)nq * sizeof *p->w);
        for (int64_t k = mu->row[i]; k < mu->row[i + 1]; k++) p->w[mu->col[k]] = p->G[k];
        if (momenta_hessian(mu, p, stats, t, y, p->w, rows + i * 2 * nq)) return 1;
        if (first) memset(rows + i * 2 * nq, 0, (size_t)nq * sizeof *rows);
    }
    if (first) return 0;
    return rate_q(mu, stats, t, y, p->u, p->z) || add_curvatures(mu, p, stats, t, y, p->u, rows);
}
