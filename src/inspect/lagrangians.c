/* lagrangians.c - derivatives of L and of discrete Lagrangians: that there is an L of which they are, and that it is
 * the one of H. SPDX-License-Identifier: BSD-3-Clause */
#include "inspect.h"

#include <string.h>

enum { SMALL = 32 }; /* positions up to which second derivatives are looked at */

/* --- points ------------------------------------------------------------------------------------------------------ */

/* q and q', in 2 nq numbers; where no rates are known, p stands for q'. 0: they are there. */
static int point(lbr_inspection *z, double *x, double *work)
{
    int64_t nq = z->b.s.nq;

    memcpy(x, z->y, (size_t)(2 * nq) * sizeof *x);
    if (!z->b.partitioned) return 0;
    return lbr_bound_rate_q(&z->b, z->t, z->y, x + nq, work) || lbr_bound_nonfinite(nq, x + nq) >= 0;
}

static double largest_speed(int64_t n, const double *v, double speed)
{
    for (int64_t i = 0; i < n; i++) speed = fmax(speed, fabs(v[i]));
    return speed > 0 ? speed : 1;
}

/* --- L ----------------------------------------------------------------------------------------------------------- */

static int64_t has_L(const lbr_inspection *z) { return z->lagrangian.dLdq && z->lagrangian.dLdv && z->b.s.nq > 0; }
static int64_t has_small_L(const lbr_inspection *z) { return has_L(z) && z->b.s.nq <= SMALL; }
static int64_t has_both(const lbr_inspection *z) { return has_L(z) && z->b.partitioned && !z->constraints.size; }

/* (dLdq, dLdv) of (q, q'). */
static int slopes(const lbr_mapping *f, double t, const double *x, double *out)
{
    const lbr_lagrangian *L = &f->z->lagrangian;
    int64_t nq = f->z->b.s.nq;
    void *ctx = f->z->b.s.ctx;

    return L->dLdq(t, x, x + nq, out, ctx) || L->dLdv(t, x, x + nq, out + nq, ctx);
}

/* All columns of a derivative, n x n, with steps e. 0: they are there. */
static int matrix(lbr_inspection *z, const lbr_mapping *F, const double *x, const double *e, double *M, double *error)
{
    int64_t n = F->n;
    double *v = lbr_inspect_room(z, 3 * n), *column = lbr_after(v, n), *off = lbr_after(column, n);

    for (int64_t j = 0; j < n && v; j++) {
        memset(v, 0, (size_t)n * sizeof *v), v[j] = 1;
        if (lbr_inspect_slope(z, F, x, v, 0, e[j], NULL, column, off)) return 1;
        for (int64_t i = 0; i < n; i++) M[i * n + j] = column[i], error[i * n + j] = off[i];
    }
    return !v;
}

/* The second derivatives of one function are symmetric. */
static void integrable(lbr_inspection *z, int64_t k)
{
    int64_t nq = z->b.s.nq, n = 2 * nq;
    double *x = lbr_inspect_room(z, 4 * n + 2 * n * n), *out = lbr_after(x, n), *e = lbr_after(out, 2 * n),
           *M = lbr_after(e, n), *error = lbr_after(M, n * n);
    lbr_mapping F = { .call = slopes, .n = n, .m = n, .z = z, .name = "dLdq or dLdv" };

    (void)k;
    if (!x || point(z, x, out) || lbr_inspect_call(z, &F, x, out)) return;
    for (int64_t i = 0; i < nq; i++) e[i] = 0.0625 * z->size[i], e[nq + i] = 0.0625 * largest_speed(nq, x + nq, 0);
    if (!matrix(z, &F, x, e, M, error))
        lbr_inspect_symmetric(z, (lbr_numbering){ LBR_NUMBERING_STATE, 0, NULL }, n, M, error, 1);
}

/* dL/dq' = p and dL/dq = p' at q' = H_p. */
static void legendre(lbr_inspection *z, int64_t momentum)
{
    int64_t nq = z->b.s.nq;
    double *x = lbr_inspect_room(z, 12 * nq), *out = lbr_after(x, 2 * nq), *want = lbr_after(out, 2 * nq),
           *work = lbr_after(want, 2 * nq);
    lbr_mapping F = { .call = slopes, .n = 2 * nq, .m = 2 * nq, .z = z, .name = "dLdq or dLdv" };

    if (!x || point(z, x, work) || lbr_inspect_call(z, &F, x, out)) return;
    if (lbr_bound_rate_p(&z->b, z->t, z->y, want, work)) return;
    memcpy(want + nq, z->y + nq, (size_t)nq * sizeof *want);
    lbr_inspect_compare(z, (lbr_numbering){ LBR_NUMBERING_STATE, nq, NULL }, (lbr_numbering){ 0 }, -1, nq,
                        out + momentum * nq, want + momentum * nq, NULL);
}

static void legendre_p(lbr_inspection *z, int64_t k) { (void)k, legendre(z, 1); }
static void legendre_q(lbr_inspection *z, int64_t k) { (void)k, legendre(z, 0); }

/* --- L_h --------------------------------------------------------------------------------------------------------- */

static int64_t has_discrete(const lbr_inspection *z)
{
    return z->lagrangian.D1 && z->lagrangian.D2 && z->b.s.nq > 0 && z->b.s.nq <= SMALL;
}

/* (D1, D2) of (q0, q1), by *u. */
static int discrete(const lbr_mapping *f, double t, const double *x, double *out)
{
    const lbr_lagrangian *L = &f->z->lagrangian;
    int64_t nq = f->z->b.s.nq;
    void *ctx = f->z->b.s.ctx;

    return L->D1(t, *f->u, x, x + nq, out, ctx) || L->D2(t, *f->u, x, x + nq, out + nq, ctx);
}

/* q and q + h q', with an h that is small; work: 2 dim. */
static int two_points(lbr_inspection *z, double *x, double *h, double *work)
{
    int64_t nq = z->b.s.nq;
    double fast = 0;

    if (point(z, x, work)) return 1;
    for (int64_t i = 0; i < nq; i++) fast = fmax(fast, fabs(x[nq + i]) / z->size[i]);
    *h = 0.0625 / (fast > 0 ? fast : 1);
    return 0;
}

static void discrete_integrable(lbr_inspection *z, int64_t k)
{
    int64_t nq = z->b.s.nq, n = 2 * nq;
    double *x = lbr_inspect_room(z, 4 * n + 2 * n * n), *out = lbr_after(x, n), *e = lbr_after(out, 2 * n),
           *M = lbr_after(e, n), *error = lbr_after(M, n * n), h;
    lbr_mapping F = { .call = discrete, .n = n, .m = n, .z = z, .name = "D1 or D2", .u = &h };

    (void)k;
    if (!x || two_points(z, x, &h, out)) return;
    for (int64_t i = 0; i < nq; i++) x[nq + i] = x[i] + h * x[nq + i], e[i] = e[nq + i] = 0.0625 * z->size[i];
    if (lbr_inspect_call(z, &F, x, out) || matrix(z, &F, x, e, M, error)) return;
    lbr_inspect_symmetric(z, (lbr_numbering){ LBR_NUMBERING_STATE, 0, NULL }, n, M, error, 1);
}

typedef struct small_step {
    lbr_mapping F;
    const double *x; /* q, q' */
    double h, *ends;
} small_step;

/* -D1, D2 and (D1 + D2)/h, for q1 = q0 + h q'. */
static int at_step(void *ctx, double s, double *out)
{
    small_step *c = ctx;
    int64_t nq = c->F.z->b.s.nq;

    c->h = s;
    for (int64_t i = 0; i < nq; i++) c->ends[i] = c->x[i], c->ends[nq + i] = c->x[i] + s * c->x[nq + i];
    if (c->F.call(&c->F, c->F.z->t, c->ends, out)) return 1;
    for (int64_t i = 0; i < nq; i++) out[2 * nq + i] = (out[i] + out[nq + i]) / s, out[i] = -out[i];
    return 0;
}

static int64_t has_limit(const lbr_inspection *z) { return has_discrete(z) && has_L(z); }

/* For small h these are dLdv, dLdv and dLdq. */
static void discrete_limit(lbr_inspection *z, int64_t k)
{
    int64_t nq = z->b.s.nq;
    lbr_numbering rows = { LBR_NUMBERING_STATE, nq, NULL };
    double *x = lbr_inspect_room(z, 20 * nq), *ends = lbr_after(x, 2 * nq), *want = lbr_after(ends, 4 * nq),
           *limit = lbr_after(want, 4 * nq), *error = lbr_after(limit, 3 * nq), h;
    lbr_mapping L = { .call = slopes, .n = 2 * nq, .m = 2 * nq, .z = z, .name = "dLdq or dLdv" };
    small_step c = { .x = x, .ends = ends };

    (void)k;
    c.F = (lbr_mapping){ .call = discrete, .n = 2 * nq, .m = 2 * nq, .z = z, .name = "D1 or D2", .u = &c.h };
    if (!x || two_points(z, x, &h, ends) || lbr_inspect_call(z, &L, x, limit)) return;
    memcpy(want, limit + nq, (size_t)nq * sizeof *want), memcpy(want + nq, limit + nq, (size_t)nq * sizeof *want);
    memcpy(want + 2 * nq, limit, (size_t)nq * sizeof *want);
    if (lbr_inspect_limit(z, at_step, &c, 3 * nq, h, 1, want, limit, error)) return;
    for (int i = 0; i < 3; i++)
        lbr_inspect_compare(z, rows, rows, -1, nq, limit + i * nq, want + i * nq, error + i * nq);
}

const lbr_inspector lbr_inspect_lagrangians[] = {
    { "lagrangian", "symmetry of the second derivatives", has_small_L, NULL, integrable, LBR_ANYWHERE },
    { "lagrangian.dLdv", "the momenta, with q' = H_p,", has_both, NULL, legendre_p, LBR_ANYWHERE },
    { "lagrangian.dLdq", "the rates of p, with q' = H_p,", has_both, NULL, legendre_q, LBR_ANYWHERE },
    { "lagrangian.D1 and D2", "symmetry of the second derivatives", has_discrete, NULL, discrete_integrable,
      LBR_ANYWHERE },
    { "lagrangian.D1 and D2", "dLdv, dLdv and dLdq, for small h,", has_limit, NULL, discrete_limit, LBR_ANYWHERE },
    { 0 },
};
