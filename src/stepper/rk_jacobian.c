/* rk_jacobian.c - the Jacobian of a field on its pattern, by products with few vectors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Columns that have no row in common are found at once, by the product with the sum of their unit vectors (Curtis,
 * Powell and Reid 1974). Without a pattern every column is found alone. */
#include "rk_matrix.h"
#include "core/difference.h"

#include <string.h>

void lbr_rk_block_sizes(const lbr_bound *b, const double *y, double size[2])
{
    int64_t n = b->s.dim, split = b->s.nq > 0 ? b->s.nq : n;

    size[0] = size[1] = 0;
    for (int64_t i = 0; i < n; i++) size[i >= split] = fmax(size[i >= split], fabs(y[i]));
    for (int k = 0; k < 2; k++)
        if (!(size[k] > 0)) size[k] = 1;
}

/* What one colour needs. */
typedef struct colour {
    const lbr_rk_matrix *m;
    const lbr_bound *b;
    double t;
    const double *y, *f;
    double size[2], *x, *out, *J;
    int user;
} colour;

/* Column c's share in x; the increment that was really made. */
static double push(const colour *k, int64_t c)
{
    double d = LBR_FORWARD * k->size[k->b->s.nq > 0 && c >= k->b->s.nq];

    if (k->user) return k->x[c] = 1;
    k->x[c] = k->y[c] + d;
    return k->x[c] - k->y[c];
}

static double slope(const colour *k, int64_t i, double d) { return k->user ? k->out[i] : (k->out[i] - k->f[i]) / d; }

/* The columns of colour i; x is again what it was. */
static int one_colour(const colour *k, int64_t i)
{
    const lbr_rk_matrix *m = k->m;
    const lbr_bound *b = k->b;
    int64_t n = b->s.dim, from = m->J.row ? m->start[i] : i, end = m->J.row ? m->start[i + 1] : i + 1;
    int bad;

    for (int64_t j = from; j < end; j++) push(k, m->J.row ? m->column[j] : j);
    bad = k->user ? b->s.field_jvp(k->t, k->y, k->x, k->out, b->s.ctx) : b->field(k->t, k->x, k->out, b->ctx);
    for (int64_t j = from; j < end; j++) {
        int64_t c = m->J.row ? m->column[j] : j;
        double d = k->x[c] - k->y[c];

        if (m->J.row)
            for (int64_t e = m->first[c]; e < m->first[c + 1]; e++) k->J[m->entry[e]] = slope(k, m->row[e], d);
        else
            for (int64_t l = 0; l < n; l++) k->J[l * n + c] = slope(k, l, d);
        k->x[c] = k->user ? 0 : k->y[c];
    }
    return bad;
}

static lbr_status failed(lbr_work *w, const lbr_bound *b, int user)
{
    return lbr_work_failing(w, user ? "field_jvp" : lbr_bound_functions(b), 0);
}

int lbr_rk_jacobian_is_given(const lbr_work *w, const lbr_bound *b)
{
    return b->s.field_jvp && w->setup->jacobian != LBR_JACOBIAN_DIFFERENCES;
}

lbr_status lbr_rk_jacobian(lbr_work *w, const lbr_rk_run *q, double t, const double *y, double *J, double *room)
{
    const lbr_bound *b = q->rk->sys;
    int64_t n = q->rk->n;
    colour k = { .m = q->rk->matrix, .b = b, .t = t, .y = y, .x = room, .out = room + n, .f = room + 2 * n, .J = J };
    int bad = 0;

    k.user = lbr_rk_jacobian_is_given(w, b);
    lbr_rk_block_sizes(b, y, k.size);
    if (k.user) memset(k.x, 0, (size_t)n * sizeof *k.x);
    else {
        memcpy(k.x, y, (size_t)n * sizeof *k.x);
        bad = b->field(t, y, room + 2 * n, b->ctx);
        lbr_bound_count(b, &w->head->stats, 1 + k.m->colours);
    }
    for (int64_t i = 0; i < k.m->colours && !bad; i++) bad = one_colour(&k, i);
    w->head->stats.jacobian++;
    return bad ? failed(w, b, k.user) : LBR_OK;
}

void lbr_rk_matrix_add(const lbr_rk_matrix *m, int64_t n, const double *J, const double *x, double *out)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t e = lbr_rk_entry(m, n, i), end = lbr_rk_entry(m, n, i + 1); e < end; e++)
            out[i] += J[e] * x[lbr_rk_column(m, n, i, e)];
}

/* --- whether it is one ------------------------------------------------------------------------------------------- */

/* Of a component of J v: the derivative along v lies between the slopes to both sides, which differ where the field has
 * a kink; slopes over a quarter of the way show how far they may be off. */
enum { VALUE, FORE, BACK, FORE_FAR, BACK_FAR, POINT, PRODUCT, USER, WAY, ROOMS };
#define LOOSE 1e-3
#define TIGHT 1e-5 /* both from field_jvp, which is linear in v but for its rounding */
#define SMALL 0.01

int64_t lbr_rk_check_room(const lbr_rk *rk) { return ROOMS * rk->n; }

static int slopes(lbr_work *w, const lbr_bound *b, double t, const double *y, const double *v, double e, double *room)
{
    int64_t n = b->s.dim;
    double *x = room + POINT * n;
    int bad = b->field(t, y, room + VALUE * n, b->ctx);

    for (int k = FORE; k <= BACK_FAR && !bad; k++) {
        double to = (k == FORE || k == FORE_FAR ? 1 : -1) * (k >= FORE_FAR ? 4 * e : e), *f = room + k * n;

        for (int64_t i = 0; i < n; i++) x[i] = y[i] + to * v[i];
        bad = b->field(t, x, f, b->ctx);
        for (int64_t i = 0; i < n; i++) f[i] = (f[i] - room[VALUE * n + i]) / to;
    }
    lbr_bound_count(b, &w->head->stats, 5);
    return bad;
}

/* Component i of a derivative: is it plainly not that of the field? */
static int is_wrong(int64_t n, int64_t i, double given, double scale, const double *room)
{
    double a = room[FORE * n + i], b = room[BACK * n + i], c = room[FORE_FAR * n + i], d = room[BACK_FAR * n + i],
           slack = LOOSE * fmax(scale, fmax(fabs(a), fabs(b))) + 4 * (fabs(a - c) + fabs(b - d));

    return isfinite(slack) && (given > fmax(a, b) + slack || given < fmin(a, b) - slack);
}

/* A direction with all components. Where one is not small it goes a small part of it, so that no sign changes. */
static void direction(const lbr_bound *b, const double *y, double *v)
{
    double size[2];

    lbr_rk_block_sizes(b, y, size);
    for (int64_t i = 0; i < b->s.dim; i++) {
        double least = SMALL * size[b->s.nq > 0 && i >= b->s.nq];

        v[i] = fmax(fabs(y[i]), least) * (0.5 + 0.5 * fabs(sin((double)(i + 1)))) *
               (sin(1.7 * (double)(i + 1)) < 0 ? -1 : 1);
    }
}

static lbr_status wrong(lbr_work *w, const lbr_bound *b, int64_t i, double product, double slope, int user)
{
    char name[64];

    lbr_system_component(&b->s, i, name, sizeof name);
    w->component = i;
    return user ? lbr_fail(&w->message, LBR_EUNFIT,
                           "field_jvp is not the derivative of the field: along one direction the rate of %s changes "
                           "by %.6g and field_jvp says %.6g (component %lld); lbr_system_check compares all of them",
                           name, slope, product, (long long)i)
                : lbr_fail(&w->message, LBR_EUNFIT,
                           "the pattern of the field's Jacobian lacks an entry in row %lld: along one direction the "
                           "rate of %s changes by %.6g, and by the pattern's entries %.6g; lbr_system_check names the "
                           "columns",
                           (long long)i, name, slope, product);
}

/* The sum of the sizes of what row i of J v is made of. */
static double row_size(const lbr_rk_matrix *m, int64_t n, int64_t i, const double *J, const double *v)
{
    double sum = 0;

    for (int64_t e = lbr_rk_entry(m, n, i), end = lbr_rk_entry(m, n, i + 1); e < end; e++)
        sum += fabs(J[e] * v[lbr_rk_column(m, n, i, e)]);
    return sum;
}

lbr_status lbr_rk_jacobian_check(lbr_work *w, const lbr_rk_run *q, double t, const double *y, const double *J,
                                 double *room)
{
    const lbr_bound *b = q->rk->sys;
    const lbr_rk_matrix *m = q->rk->matrix;
    int64_t n = q->rk->n;
    int user = lbr_rk_jacobian_is_given(w, b);
    double *v = room + WAY * n, *product = room + PRODUCT * n, *told = room + USER * n;

    if (!user && !m->J.row) return LBR_OK; /* all entries are differences */
    direction(b, y, v);
    memset(product, 0, (size_t)n * sizeof *product);
    if (J) lbr_rk_matrix_add(m, n, J, v, product);
    if (J && !m->J.row) memcpy(told, product, (size_t)n * sizeof *told);
    else if (user && b->s.field_jvp(t, y, v, told, b->s.ctx)) return failed(w, b, 1);
    if (slopes(w, b, t, y, v, LBR_CENTRAL, room)) return failed(w, b, 0);
    for (int64_t i = 0; i < n; i++) {
        double given = user ? told[i] : product[i], scale = J ? row_size(m, n, i, J, v) : fabs(given);

        if (user && J && m->J.row && fabs(told[i] - product[i]) > TIGHT * fmax(scale, fabs(told[i])))
            return wrong(w, b, i, product[i], told[i], 0);
        if (is_wrong(n, i, given, scale, room))
            return wrong(w, b, i, given, (room[FORE * n + i] + room[BACK * n + i]) / 2, user);
    }
    return LBR_OK;
}
