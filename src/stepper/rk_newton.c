/* rk_newton.c - implicit Runge-Kutta steps by simplified Newton iteration. SPDX-License-Identifier: BSD-3-Clause
 *
 *     (I - h A x J) dZ = h A F(Z) - Z,    Z <- Z + dZ                            (HLW VIII.6.17, VIII.6.18)
 *
 * J is the Jacobian at one point, kept as long as the iteration is quick; where that fails, each stage gets the
 * Jacobian of its own place, anew in every iteration. The point and its time are part of the state, the factorised
 * matrix is not: a restored trajectory makes the same one again. */
#include "rk.h"
#include "core/difference.h"
#include "core/lu.h"
#include "solve/solve.h"

#include <string.h>

/* An iteration is slow if its increment is more than SLOW times the one before. With an exact matrix that happens only
 * where there is no solution nearby, with an old one also where the solution has moved away: more than SLOW_MOST such
 * iterations, or more than OLD in all, and another matrix is taken. */
#define SLOW 0.9
enum { SLOW_MOST = 4, OLD = 8 };

/* own of lbr_rk: Z (sn), R (sn), which is not used here, first iterates (2 sn), x (n); then what is here. */
typedef struct room {
    double *Z, *x, *f, *place, *r, *J, *M;
    int64_t *pivot;
} room;

int64_t lbr_rk_newton_size(const lbr_rk *rk) { return 2 * rk->n + rk->sn + rk->n * rk->n + rk->sn * rk->sn + rk->sn; }

static room room_of(const lbr_rk_run *q)
{
    const lbr_rk *rk = q->rk;
    room m = { .Z = q->own, .x = q->own + 4 * rk->sn };

    m.f = m.x + rk->n;
    m.place = m.f + rk->n;
    m.r = m.place + rk->n;
    m.J = m.r + rk->sn;
    m.M = m.J + rk->n * rk->n;
    m.pivot = (int64_t *)(m.M + rk->sn * rk->sn);
    return m;
}

/* The size of y in the block (positions, momenta, or all) that component c is in. */
static double block_size(const lbr_bound *b, const double *y, int64_t c)
{
    int64_t n = b->s.dim, split = b->s.nq > 0 ? b->s.nq : n;
    double most = 0;

    for (int64_t i = c < split ? 0 : split, end = c < split ? split : n; i < end; i++) most = fmax(most, fabs(y[i]));
    return most > 0 ? most : 1;
}

/* Column c of the Jacobian at (t, y) into out; x and f are work. */
static int column(lbr_work *w, const lbr_rk_run *q, double t, const double *y, int64_t c, int user, const double *f0,
                  double *x, double *out)
{
    const lbr_bound *b = q->rk->sys;
    int64_t n = b->s.dim;
    double d;
    int bad;

    if (user) {
        memset(x, 0, (size_t)n * sizeof *x);
        x[c] = 1;
        return b->s.field_jvp(t, y, x, out, b->s.ctx);
    }
    memcpy(x, y, (size_t)n * sizeof *x);
    d = LBR_FORWARD * block_size(b, y, c);
    x[c] = y[c] + d;
    d = x[c] - y[c]; /* the increment that was really made */
    bad = b->field(t, x, out, b->ctx);
    lbr_bound_count(b, &w->head->stats, 1);
    for (int64_t i = 0; i < n; i++) out[i] = (out[i] - f0[i]) / d;
    return bad;
}

/* The Jacobian at (t, y), by columns, into m.J. */
static lbr_status jacobian(lbr_work *w, const lbr_rk_run *q, room m, double t, const double *y)
{
    const lbr_bound *b = q->rk->sys;
    int64_t n = q->rk->n;
    int user = b->s.field_jvp && w->setup->jacobian != LBR_JACOBIAN_DIFFERENCES, bad = 0;

    if (!user) bad = b->field(t, y, m.f, b->ctx), lbr_bound_count(b, &w->head->stats, 1);
    for (int64_t c = 0; c < n && !bad; c++) bad = column(w, q, t, y, c, user, m.f, m.x, m.J + c * n);
    w->head->stats.jacobian++;
    return bad ? lbr_fail(&w->message, LBR_ECALLBACK, "the system's field%s reported a failure", user ? "_jvp" : "")
               : LBR_OK;
}

/* Columns of M that belong to stage j: delta_ij I - h a_ij J. */
static void fill(const lbr_rk_run *q, room m, int64_t j)
{
    int64_t n = q->rk->n, s = q->rk->s, N = q->rk->sn;

    for (int64_t i = 0; i < s; i++)
        for (int64_t l = 0; l < n; l++) {
            double a = lbr_rk_A(q, l)[i * s + j];
            for (int64_t c = 0; c < n; c++) m.M[(i * n + l) * N + j * n + c] = (i == j && l == c) - a * m.J[c * n + l];
        }
}

static lbr_status factorise(lbr_work *w, const lbr_rk_run *q, room m)
{
    int64_t singular = lbr_lu_factor(q->rk->sn, m.M, m.pivot);

    return !singular
               ? LBR_OK
               : lbr_fail(&w->message, LBR_ENOCONV,
                          "Newton's matrix of the stage equations is singular (column %lld of %lld); try another step",
                          (long long)singular, (long long)q->rk->sn);
}

/* M = I - h A x J with one J, at (t, y): simplified Newton. */
static lbr_status make_matrix(lbr_work *w, const lbr_rk_run *q, room m, double t, const double *y)
{
    lbr_status status = jacobian(w, q, m, t, y);

    for (int64_t j = 0; j < q->rk->s && !status; j++) fill(q, m, j);
    return status ? status : factorise(w, q, m);
}

/* Every stage with the J of its own place: full Newton. */
static lbr_status make_full_matrix(lbr_work *w, const lbr_rk_run *q, room m, double t)
{
    const double *C = q->slot + q->rk->s;
    int64_t n = q->rk->n;
    lbr_status status = LBR_OK;

    for (int64_t j = 0; j < q->rk->s && !status; j++) {
        for (int64_t l = 0; l < n; l++) m.place[l] = q->y[l] + m.Z[j * n + l];
        if (!(status = jacobian(w, q, m, t + C[j], m.place))) fill(q, m, j);
    }
    return status ? status : factorise(w, q, m);
}

/* The matrix that the state asks for: the one in scratch, the one of the saved point, or a new one at (t, y). */
static lbr_status matrix(lbr_work *w, const lbr_rk_run *q, room m, double t, int fresh)
{
    lbr_status status;
    lbr_stats before = w->head->stats;

    if (q->point && !fresh && w->head->matrix) {
        if (w->matrix_ready) return LBR_OK;
        status = make_matrix(w, q, m, w->head->matrix_t, q->point);
        w->head->stats = before; /* made once already, before the restart */
    } else {
        status = make_matrix(w, q, m, t, q->y);
        if (q->point) memcpy(q->point, q->y, (size_t)q->rk->n * sizeof *q->y);
        w->head->matrix = q->point != NULL, w->head->matrix_t = t;
    }
    w->matrix_ready = !status && q->point;
    return status;
}

/* sum_j c_j F_j for component l, low parts first: of y, where there is one, and of the coefficients. */
static double total(const lbr_rk_run *q, const double *c, int64_t l)
{
    int64_t n = q->rk->n, s = q->rk->s;
    double sum = q->e ? q->e[l] : 0;

    for (int64_t j = 0; j < s; j++) sum = fma(c[q->rk->low + j], q->F[j * n + l], sum);
    for (int64_t j = 0; j < s; j++) sum = fma(c[j], q->F[j * n + l], sum);
    return sum;
}

/* r = h A F(y + Z) - Z. */
static int residual(lbr_work *w, const lbr_rk_run *q, room m, double t)
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
        for (int64_t l = 0; l < n; l++) m.r[i * n + l] = total(q, lbr_rk_A(q, l) + i * s, l) - m.Z[i * n + l];
    return bad;
}

/* The component in which dZ is largest. */
static int64_t largest(const lbr_rk *rk, const double *dZ)
{
    int64_t worst = 0;

    for (int64_t i = 1; i < rk->sn; i++)
        if (!(fabs(dZ[i]) <= fabs(dZ[worst]))) worst = i;
    return worst % rk->n;
}

/* Z += dZ; the size of dZ relative to y and Z, per block, which are at least so large. */
static double update(const lbr_rk_run *q, room m, const double *least)
{
    int64_t n = q->rk->n, split = q->rk->split;
    double d[2] = { 0, 0 }, size[2] = { least[0], least[1] }, a, b;

    for (int64_t i = 0; i < q->rk->sn; i++) {
        int k = i % n >= split;

        size[k] = fmax(size[k], fmax(fabs(q->y[i % n]), fabs(m.Z[i])));
        m.Z[i] += m.r[i];
        if (!(fabs(m.r[i]) <= d[k])) d[k] = fabs(m.r[i]);
        size[k] = fmax(size[k], fabs(m.Z[i]));
    }
    a = d[0] > 0 ? d[0] / size[0] : d[0];
    b = d[1] > 0 ? d[1] / size[1] : d[1];
    return !(a >= b) ? b : a;
}

/* How large a block would have to be for what rounding does to it to be noise, as in irk.inc. */
static int rounding(lbr_work *w, const lbr_rk_run *q, room m, double t, double *least)
{
    const lbr_rk *rk = q->rk;
    const double *C = q->slot + rk->s;
    int bad = 0;

    for (int64_t i = 0; i < rk->s; i++) {
        for (int64_t l = 0; l < rk->n; l++) m.x[l] = q->y[l] + m.Z[i * rk->n + l], m.place[l] = m.x[l] * LBR_NUDGED;
        bad |= rk->sys->field(t + C[i], m.x, m.r, rk->sys->ctx) | rk->sys->field(t + C[i], m.place, m.f, rk->sys->ctx);
        for (int64_t l = 0; l < rk->n; l++)
            least[l >= rk->split] = fmax(least[l >= rk->split], fabs(q->h) * fabs(m.f[l] - m.r[l]) / LBR_NOISE);
    }
    lbr_bound_count(rk->sys, &w->head->stats, 2 * rk->s);
    return bad;
}

/* How large r is against y and Z, per block: where that is not small, nothing is solved, however small the changes are
 * that a matrix makes of it, which may be far from that of this place. */
static double off(const lbr_rk_run *q, room m, const double *least)
{
    int64_t n = q->rk->n, split = q->rk->split;
    double most[2] = { 0, 0 }, size[2] = { least[0], least[1] };

    for (int64_t i = 0; i < q->rk->sn; i++) {
        int k = i % n >= split;

        size[k] = fmax(size[k], fmax(fabs(q->y[i % n]), fabs(m.Z[i])));
        if (!(fabs(m.r[i]) <= most[k])) most[k] = fabs(m.r[i]);
    }
    return !(most[0] / size[0] >= most[1] / size[1]) ? most[1] / size[1] : most[0] / size[0];
}

/* Iterates from the first iterate; full: with a new matrix each time. 1: solved, 0: not, -1: a call failed. */
static int solve(lbr_work *w, const lbr_rk_run *q, room m, double t, int full, double *change, int64_t *its)
{
    double least[2] = { LBR_SMALLEST, LBR_SMALLEST }, far = INFINITY;
    lbr_iteration i = lbr_newton_begin();
    int64_t slow = 0, asked = 0;

    memcpy(m.Z, lbr_rk_nearer(w, q), (size_t)q->rk->sn * sizeof *m.Z);
    for (*its = 1; *its <= w->setup->max_iterations; (*its)++) {
        if (residual(w, q, m, t)) return -1;
        far = off(q, m, least);
        if (full && make_full_matrix(w, q, m, t)) return 0;
        lbr_lu_solve(q->rk->sn, m.M, m.pivot, m.r);
        *change = update(q, m, least);
        switch (lbr_iteration_next(&i, *change)) {
        case LBR_RUNS_AWAY: return 0;
        case LBR_IS_SETTLED: return far <= LBR_NEAR;
        default: break;
        }
        if (i.now >= i.last && !asked++) { /* at once: a Newton iteration does not creep */
            if (rounding(w, q, m, t, least)) return -1;
            i = lbr_newton_begin();
            continue;
        }
        slow += i.now > SLOW * i.last;
        if (slow > SLOW_MOST) break; /* it does not contract, or not any more */
    }
    if (*its > w->setup->max_iterations) --*its;
    return lbr_iteration_small(&i) && far <= LBR_NEAR;
}

static void finish(const lbr_rk_run *q, room m)
{
    for (int64_t l = 0; l < q->rk->n; l++) m.x[l] = total(q, lbr_rk_B(q, l), l);
    lbr_add_whole(q->rk->n, q->y, q->e, m.x);
}

/* First with the matrix at hand, then with a new one at the beginning of the step, then with a new one in every
 * iteration. */
lbr_status lbr_rk_newton(lbr_work *w, const lbr_rk_run *q, int64_t k)
{
    enum { AT_HAND, FRESH, FULL } way = q->point && w->head->matrix ? AT_HAND : FRESH;
    room m = room_of(q);
    double t = fma((double)k, q->h, q->t0), change = NAN;
    lbr_status status = LBR_OK;
    int64_t its = 0;
    int solved = 0;

    solved = lbr_rk_first(w, q, t, m.x, m.r) ? -1 : 0;
    for (; way <= FULL && solved == 0; way++) {
        if (way == FULL) w->head->matrix = w->matrix_ready = 0;
        else if ((status = matrix(w, q, m, t, way == FRESH))) continue;
        solved = solve(w, q, m, t, way == FULL, &change, &its);
        status = LBR_OK;
        lbr_count_iterations(&w->head->stats, its, its);
    }
    if (status) return status;
    if (solved < 0) return lbr_fail(&w->message, LBR_ECALLBACK, "the system's field reported a failure");
    if (!solved) return lbr_work_unsolved(w, largest(q->rk, m.r), change, its);
    if (its > OLD) w->head->matrix = 0; /* slow: a new one next time */
    lbr_rk_compare(w, q, m.Z);
    finish(q, m);
    return LBR_OK;
}
