/* rk_products.c - Newton's equations by GMRES, where no matrix can be made. SPDX-License-Identifier: BSD-3-Clause
 *
 * A product of I - h A x J with a vector takes one product with J for each stage: field_jvp, or a difference of the
 * field. Unknowns and equations are divided by the size of their block of y, so that norms mean something. */
#include "rk_products.h"
#include "core/difference.h"
#include "core/largest.h"
#include "solve/gmres.h"

#include <string.h>

/* An increment that solves its equations so far makes the iteration contract as much, as long as it is not the field
 * that is far from linear. What is left of more than POOR of it is no solution. */
#define ENOUGH 0x1p-10
#define POOR   0.25
enum { PRODUCTS_MOST = 400 };

/* Where there can be a matrix: so many products cost about as much as what is factorised does in an iteration, and what
 * is not solved by them is left to it. */
enum { PRODUCTS_FIRST = 40 };

/* point: t, y, and the field there. room: products with J of all stages, two vectors, that of GMRES. */
typedef struct operator
{
    lbr_work *w;
    const lbr_rk_run *q;
    const double *point;
    double size[2], *JX, *x, *f, *room;
    int user;
}
operator;

int64_t lbr_rk_products_point(const lbr_rk *rk) { return 1 + 2 * rk->n; }

int64_t lbr_rk_products_size(const lbr_rk *rk)
{
    int64_t solve = rk->sn + 2 * rk->n + lbr_gmres_size(rk->sn), check = lbr_rk_check_room(rk);

    return solve > check ? solve : check;
}

static operator operator_of(lbr_work *w, const lbr_rk_run *q, const double *point, double *room)
{
    const lbr_rk *rk = q->rk;
    operator o = { .w = w, .q = q, .point = point, .JX = room };

    o.x = o.JX + rk->sn, o.f = o.x + rk->n, o.room = o.f + rk->n;
    o.user = lbr_rk_jacobian_is_given(w, rk->sys);
    lbr_rk_block_sizes(rk->sys, point + 1, o.size);
    return o;
}

/* out = J v. */
static int product(const operator* o, const double *v, double *out)
{
    const lbr_bound *b = o->q->rk->sys;
    const double *y = o->point + 1, *f = y + b->s.dim;
    int64_t n = b->s.dim;
    double far = 0, e;

    if (o->user) return b->s.field_jvp(o->point[0], y, v, out, b->s.ctx);
    for (int64_t l = 0; l < n; l++) far = fmax(far, fabs(v[l]) / o->size[l >= o->q->rk->split]);
    if (far == 0) return memset(out, 0, (size_t)n * sizeof *out), 0;
    e = LBR_FORWARD / far;
    for (int64_t l = 0; l < n; l++) o->f[l] = y[l] + e * v[l];
    lbr_bound_count(b, &o->w->head->stats, 1);
    if (b->field(o->point[0], o->f, out, b->ctx)) return 1;
    for (int64_t l = 0; l < n; l++) out[l] = (out[l] - f[l]) / e;
    return 0;
}

/* out = u - h A x J u, both in units of their blocks. */
static int matrix(void *ctx, const double *u, double *out)
{
    const operator* o = ctx;
    const lbr_rk *rk = o->q->rk;
    int64_t n = rk->n, s = rk->s;

    for (int64_t j = 0; j < s; j++) {
        for (int64_t l = 0; l < n; l++) o->x[l] = u[j * n + l] * o->size[l >= rk->split];
        if (product(o, o->x, o->JX + j * n)) return 1;
    }
    for (int64_t i = 0; i < s; i++)
        for (int64_t l = 0; l < n; l++) {
            const double *a = lbr_rk_A(o->q, l) + i * s;
            double sum = 0;

            for (int64_t j = 0; j < s; j++) sum += a[j] * o->JX[j * n + l];
            out[i * n + l] = u[i * n + l] - sum / o->size[l >= rk->split];
        }
    return 0;
}

static lbr_status failed(lbr_work *w, const lbr_bound *b, int user)
{
    return lbr_work_failing(w, user ? "field_jvp" : lbr_bound_functions(b), 0);
}

lbr_status lbr_rk_products_begin(lbr_work *w, const lbr_rk_run *q, double t, const double *y, double *point,
                                 int checked, double *room)
{
    const lbr_bound *b = q->rk->sys;
    int64_t n = b->s.dim;

    point[0] = t, memcpy(point + 1, y, (size_t)n * sizeof *y);
    w->head->stats.jacobian++;
    if (lbr_rk_jacobian_is_given(w, b)) return checked ? lbr_rk_jacobian_check(w, q, t, y, NULL, room) : LBR_OK;
    lbr_bound_count(b, &w->head->stats, 1);
    return b->field(t, y, point + 1 + n, b->ctx) ? failed(w, b, 0) : LBR_OK;
}

/* What else there is where products do not get there: a pattern, which pairs of tableaux do not use. */
static const char *other_way(const lbr_rk *rk)
{
    const int pattern = rk->matrix->J.row != NULL;

    if (rk->second && pattern)
        return ", or take a Runge-Kutta method of one tableau (gauss:s, radau-2a:s, lobatto-3c:s): these use the "
               "pattern "
               "of the Jacobian, which this system has";
    if (rk->second)
        return ", or give the pattern of the Jacobian (lbr_system.jacobian) to a Runge-Kutta method of one tableau "
               "(gauss:s, radau-2a:s, lobatto-3c:s)";
    return pattern ? "" : ", or give the pattern of the Jacobian (lbr_system.jacobian)";
}

lbr_status lbr_rk_products_solve(lbr_work *w, const lbr_rk_run *q, const double *point, double *r, double *room)
{
    operator o = operator_of(w, q, point, room);
    int64_t n = q->rk->n, sn = q->rk->sn, split = q->rk->split;
    lbr_gmres g = { .n = sn, .product = matrix, .ctx = &o, .tolerance = ENOUGH, .most = PRODUCTS_MOST };
    lbr_gmres_outcome out;
    const int only = !q->rk->matrix->products_first;

    if (!only) g.most = PRODUCTS_FIRST;
    for (int64_t i = 0; i < sn; i++) r[i] /= o.size[i % n >= split];
    out = lbr_gmres_solve(&g, r, o.room);
    for (int64_t i = 0; i < sn; i++) r[i] *= o.size[i % n >= split];
    if (out == LBR_GMRES_FAILED) return failed(w, q->rk->sys, o.user);
    if (g.left <= (only ? POOR : ENOUGH)) return LBR_OK;
    return lbr_fail(&w->message, LBR_ENOCONV,
                    "Newton's equations (%lld unknowns, too many for a matrix) were not solved by %lld products with "
                    "the Jacobian: %.2g of the right side is left. Try a smaller step%s",
                    (long long)sn, (long long)g.products, g.left, other_way(q->rk));
}

int lbr_rk_products_add(lbr_work *w, const lbr_rk_run *q, const double *point, const double *x, double *out,
                        double *room)
{
    operator o = operator_of(w, q, point, room);

    if (product(&o, x, o.JX)) return 1;
    for (int64_t l = 0; l < q->rk->n; l++) out[l] += o.JX[l];
    return 0;
}
