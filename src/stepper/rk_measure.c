/* rk_measure.c - what Newton's iteration of implicit Runge-Kutta steps measures: residuals, changes, what rounding does
 * to them. SPDX-License-Identifier: BSD-3-Clause */
#include "rk_newton.h"
#include "solve/solve.h"

#include <math.h>

/* What earlier steps foretell is near enough if the first increment is so small, relative to the stages'. */
#define FORETOLD 0x1p-4

/* From h J of this size on a step is made of Z, not of F, which has lost as many digits. */
#define STIFF 8

/* sum_j c_j F_j for component l, low parts first: of y, where there is one, and of the coefficients. */
double lbr_newton_sum(const lbr_rk_run *q, const double *c, int64_t l)
{
    int64_t n = q->rk->n, s = q->rk->s;
    double sum = q->e ? q->e[l] : 0;

    for (int64_t j = 0; j < s; j++) sum = fma(c[q->rk->low + j], q->F[j * n + l], sum);
    for (int64_t j = 0; j < s; j++) sum = fma(c[j], q->F[j * n + l], sum);
    return sum;
}

/* r = h A F(y + Z) - Z. */
int lbr_newton_residual(lbr_work *w, const lbr_rk_run *q, lbr_newton_room m, double t)
{
    const lbr_rk *rk = q->rk;
    const lbr_bound *b = q->rk->sys;
    const double *C = q->slot + rk->s;
    int64_t n = rk->n, s = rk->s;
    int bad = 0;

    for (int64_t i = 0; i < s; i++) {
        for (int64_t l = 0; l < n; l++) m.x[l] = q->y[l] + m.Z[i * n + l];
        bad |= b->field(t + C[i], m.x, q->F + i * n, b->ctx);
    }
    lbr_bound_count(b, &w->head->stats, s);
    for (int64_t i = 0; i < s; i++)
        for (int64_t l = 0; l < n; l++) m.r[i * n + l] = lbr_newton_sum(q, lbr_rk_A(q, l) + i * s, l) - m.Z[i * n + l];
    return bad;
}

/* The component in which dZ is largest. */
int64_t lbr_newton_worst(const lbr_rk *rk, const double *dZ)
{
    int64_t worst = 0;

    for (int64_t i = 1; i < rk->sn; i++)
        if (!(fabs(dZ[i]) <= fabs(dZ[worst]))) worst = i;
    return worst % rk->n;
}

/* At least `most`, and as large as every number of x from one on; widest: a NaN is largest. */
static double wide(const double *x, int64_t from, int64_t end, double most)
{
    for (; from < end; from++) most = fabs(x[from]) > most ? fabs(x[from]) : most;
    return most;
}
static double widest(const double *x, int64_t from, int64_t end, double most)
{
    for (; from < end && most == most; from++) most = fabs(x[from]) <= most ? most : fabs(x[from]);
    return most;
}

/* size: of the blocks, at least that of the numbers of x in them. */
static void widen(const lbr_rk_run *q, const double *x, double size[2])
{
    size[0] = wide(x, 0, q->rk->split, size[0]), size[1] = wide(x, q->rk->split, q->rk->n, size[1]);
}

/* NaN where one of them is. */
static double larger_or_nan(double a, double b) { return a != a || a >= b ? a : b; }

/* The largest increment relative to y and Z of its own component, which may be small beside all others. */
double lbr_newton_each_change(const lbr_rk_run *q, lbr_newton_room m)
{
    int64_t n = q->rk->n;
    double most = 0;

    for (int64_t l = 0; l < n; l++) m.x[l] = 0, m.place[l] = fabs(q->y[l]);
    for (int64_t i = 0; i < q->rk->s; i++)
        for (int64_t l = 0; l < n; l++) {
            const double r = fabs(m.r[i * n + l]), Z = fabs(m.Z[i * n + l]);

            m.x[l] = r > m.x[l] ? r : m.x[l], m.place[l] = Z > m.place[l] ? Z : m.place[l];
        }
    for (int64_t l = 0; l < n; l++)
        if (m.x[l] > most * m.place[l]) most = m.x[l] / m.place[l];
    return most;
}

/* Z += dZ; the size of dZ relative to y and Z, per block, which are at least so large. */
double lbr_newton_update(const lbr_rk_run *q, lbr_newton_room m, const double *least)
{
    int64_t n = q->rk->n, split = q->rk->split;
    double d[2] = { 0, 0 }, size[2] = { least[0], least[1] }, a, b;

    widen(q, q->y, size);
    for (int64_t i = 0; i < q->rk->s; i++) {
        double *Z = m.Z + i * n, *r = m.r + i * n;

        widen(q, Z, size);
        for (int64_t l = 0; l < n; l++) Z[l] += r[l];
        d[0] = widest(r, 0, split, d[0]), d[1] = widest(r, split, n, d[1]);
        widen(q, Z, size);
    }
    a = d[0] > 0 ? d[0] / size[0] : d[0];
    b = d[1] > 0 ? d[1] / size[1] : d[1];
    return larger_or_nan(a, b);
}

/* Whether the increments r are small against Z alone, whatever y is: then Z is near the solution that belongs to y, and
 * not by accident. */
int lbr_newton_is_near(const lbr_rk_run *q, lbr_newton_room m)
{
    double d[2] = { 0, 0 }, size[2] = { 0, 0 };

    for (int64_t i = 0; i < q->rk->s; i++) widen(q, m.r + i * q->rk->n, d), widen(q, m.Z + i * q->rk->n, size);
    return d[0] <= FORETOLD * size[0] && d[1] <= FORETOLD * size[1];
}

int lbr_newton_was_far(const lbr_rk_run *q, lbr_newton_room m)
{
    const int64_t n = q->rk->n;
    double d[2] = { 0, 0 }, size[2] = { 0, 0 };

    for (int64_t i = 0; i < q->rk->s; i++) {
        for (int64_t l = 0; l < n; l++) m.x[l] = m.Z[i * n + l] - m.first[i * n + l];
        widen(q, m.x, d), widen(q, m.Z + i * n, size);
    }
    return !(d[0] <= 2 * FORETOLD * size[0] && d[1] <= 2 * FORETOLD * size[1]);
}

/* How large a block would have to be for what rounding does to it here to be noise, as in irk.inc. */
int lbr_newton_rounding(lbr_work *w, const lbr_rk_run *q, lbr_newton_room m, double t, double *least)
{
    const lbr_rk *rk = q->rk;
    const double *C = q->slot + rk->s;
    double *g = m.more, far[2] = { 0, 0 }, size[2] = { 0, 0 }, rate[2] = { 0, 0 };
    int bad = 0;

    widen(q, q->y, size);
    for (int64_t i = 0; i < rk->s; i++) {
        widen(q, m.Z + i * rk->n, size);
        for (int64_t l = 0; l < rk->n; l++) m.x[l] = q->y[l] + m.Z[i * rk->n + l], m.place[l] = m.x[l] * LBR_NUDGED;
        bad |= rk->sys->field(t + C[i], m.x, g, rk->sys->ctx) | rk->sys->field(t + C[i], m.place, m.f, rk->sys->ctx);
        widen(q, g, rate);
        for (int64_t l = 0; l < rk->n; l++) m.f[l] -= g[l];
        widen(q, m.f, far);
    }
    for (int k = 0; k < 2; k++) least[k] = lbr_noise_size(fabs(q->h) * far[k], size[k], fabs(q->h) * rate[k]);
    lbr_bound_count(rk->sys, &w->head->stats, 2 * rk->s);
    return bad;
}

/* Whether what rounding does is here what it was where it was asked for last, or more. -1: a call failed. */
int lbr_newton_as_large(lbr_work *w, const lbr_rk_run *q, lbr_newton_room m, double t, double *least)
{
    const double before[2] = { least[0], least[1] };

    if (lbr_newton_rounding(w, q, m, t, least)) return -1;
    return least[0] >= before[0] / 4 && least[1] >= before[1] / 4;
}

/* How large r is against y and Z, per block: where that is not small, nothing is solved, however small the changes are
 * that a matrix makes of it, which may be far from that of this place. */
double lbr_newton_off(const lbr_rk_run *q, lbr_newton_room m, const double *least)
{
    int64_t n = q->rk->n, split = q->rk->split;
    double most[2] = { 0, 0 }, size[2] = { least[0], least[1] };

    widen(q, q->y, size);
    for (int64_t i = 0; i < q->rk->s; i++) {
        const double *r = m.r + i * n;

        widen(q, m.Z + i * n, size);
        most[0] = widest(r, 0, split, most[0]), most[1] = widest(r, split, n, most[1]);
    }
    return larger_or_nan(most[0] / size[0], most[1] / size[1]);
}

/* How large h J is: the largest sum of a row. */
static double size_of_hJ(const lbr_rk_run *q, lbr_newton_room m)
{
    const lbr_rk_matrix *x = q->rk->matrix;
    int64_t n = q->rk->n;
    double most = 0;

    for (int64_t l = 0; l < n; l++) {
        double sum = 0;

        for (int64_t e = lbr_rk_entry(x, n, l), end = lbr_rk_entry(x, n, l + 1); e < end; e++) sum += fabs(m.J[e]);
        most = fmax(most, sum);
    }
    return fabs(q->h) * most;
}

/* Whether h J is so large that rates have lost digits which increments of stages have. Without a matrix it is. */
int lbr_newton_is_stiff(const lbr_work *w, const lbr_rk_run *q, lbr_newton_room m)
{
    return lbr_rk_by_products(w, q) || size_of_hJ(q, m) > STIFF;
}

/* Whether the equations are solved as far as r tells, which is `far` from 0, relative to the unknowns. Where it is not
 * small, it is all that rounding of y + Z makes of F here, or increments are small for another reason: a matrix that is
 * much larger than that of this place. */
int lbr_newton_is_solved(lbr_work *w, const lbr_rk_run *q, lbr_newton_room m, double t, double far)
{
    const lbr_rk *rk = q->rk;
    const double *C = q->slot + rk->s;
    double noise[2] = { 0, 0 }, size[2] = { LBR_SMALLEST, LBR_SMALLEST };

    if (far <= LBR_NEAR) return 1;
    widen(q, q->y, size);
    for (int64_t i = 0; i < rk->s; i++) {
        const double *Z = m.Z + i * rk->n;

        widen(q, Z, size);
        for (int64_t l = 0; l < rk->n; l++)
            m.x[l] = q->y[l] + Z[l], m.place[l] = m.x[l] + (LBR_NUDGED - 1) * (fabs(q->y[l]) + fabs(Z[l]));
        if (rk->sys->field(t + C[i], m.x, m.more, rk->sys->ctx) | rk->sys->field(t + C[i], m.place, m.f, rk->sys->ctx))
            return 0;
        for (int64_t l = 0; l < rk->n; l++) m.f[l] -= m.more[l];
        widen(q, m.f, noise);
    }
    lbr_bound_count(rk->sys, &w->head->stats, 2 * rk->s);
    return far <= fabs(q->h) * fmax(noise[0] / size[0], noise[1] / size[1]);
}
