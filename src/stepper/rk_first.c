/* rk_first.c - starting values of implicit Runge-Kutta steps that are solved by Newton's method.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * As in implicit_frame.inc. But Newton's method also takes steps that are long for the fastest motions of a system,
 * which then are no smooth functions of the number of the step: what foretells them best elsewhere may be far off. So
 * the continuous output of the last step is prolonged, too, and the next step starts as was nearer in this one. */
#include "rk.h"

#include <string.h>

/* past[1], of the last step: the continuous output was nearer; the iterate that was taken for the nearer one was far.
 */
enum { OUTPUT = 1, FAR = 2 };

/* Z += S F; S2 in the second block of a pair. */
static void add(const lbr_rk *rk, const double *S, const double *S2, const double *F, double *Z)
{
    int64_t n = rk->n, s = rk->s, split = rk->second ? rk->split : n;

    for (int64_t i = 0; i < s; i++)
        for (int64_t j = 0; j < s; j++) {
            for (int64_t l = 0; l < split; l++) Z[i * n + l] = fma(S[i * s + j], F[j * n + l], Z[i * n + l]);
            for (int64_t l = split; l < n; l++) Z[i * n + l] = fma(S2[i * s + j], F[j * n + l], Z[i * n + l]);
        }
}

/* G, and what it adds to Z. */
static int further(lbr_work *w, const lbr_rk_run *q, const lbr_irk_starting *b, double t, double *x, double *Z)
{
    const lbr_bound *sys = q->rk->sys;
    int64_t n = q->rk->n, s = q->rk->s, e = b->extras;
    int bad = 0;

    if (e > 1) memcpy(b->past < 0 ? b->G + n : b->G, b->past < 0 ? q->F : b->G + n, (size_t)n * sizeof *b->G);
    if (b->past < 0) return 0;
    for (int64_t k = e > 1; k < e; k++) {
        for (int64_t l = 0; l < n; l++) {
            double sum = 0;

            for (int64_t j = 0; j < s; j++) sum = fma(b->mu[k * s + j], q->F[j * n + l], sum);
            for (int64_t j = 0; j < k; j++) sum = fma(b->mu_more[k * e + j], b->G[j * n + l], sum);
            x[l] = q->y[l] + sum;
        }
        bad |= sys->field(t + b->place[k], x, b->G + k * n, sys->ctx);
        lbr_bound_count(sys, &w->head->stats, 1);
    }
    for (int64_t i = 0; i < s; i++)
        for (int64_t k = 0; k < e; k++)
            for (int64_t l = 0; l < n; l++) Z[i * n + l] = fma(b->nu[i * e + k], b->G[k * n + l], Z[i * n + l]);
    return bad;
}

int lbr_rk_first(lbr_work *w, const lbr_rk_run *q, double t, double *x, double *next)
{
    const lbr_rk *rk = q->rk;
    lbr_irk_starting b = lbr_rk_starting(q, 0);
    int64_t s2 = rk->s * rk->s, first = b.past < 0 || LBR_STARTING_FIRST(&b), two = !b.differences && b.older > 0;
    double *Z = lbr_rk_first_iterate(q), *plain = Z + rk->sn;
    size_t size = (size_t)rk->sn * sizeof *Z;
    int bad = 0;

    if (b.differences && b.past >= 0) lbr_starting_foretell(&b, rk->s, rk->n, rk->split, q->F, next, plain);
    memset(Z, 0, 2 * size); /* and plain */
    add(rk, b.S, b.S2, q->F, plain);
    if (first) memcpy(Z, plain, size);
    else add(rk, b.S + s2, b.S2 + s2, b.differences ? next : q->F, Z);
    if (!first && two) add(rk, b.S + 2 * s2, b.S2 + 2 * s2, b.earlier, Z);
    if (b.extras) bad = further(w, q, &b, t, x, Z);
    if (two && b.past >= 0) memcpy(b.earlier, q->F, size);
    if (q->past) q->past[0] = (double)(b.past + (b.past < b.older));
    return bad;
}

const double *lbr_rk_nearer(lbr_work *w, const lbr_rk_run *q)
{
    const double *Z = lbr_rk_first_iterate(q);

    return q->past && (int)q->past[1] & OUTPUT && w->setup->starting == LBR_STARTING_AUTO ? Z + q->rk->sn : Z;
}

int lbr_rk_is_promising(const lbr_rk_run *q) { return !q->past || !((int)q->past[1] & FAR); }

void lbr_rk_compare(lbr_work *w, const lbr_rk_run *q, const double *Z, const double *used, int far)
{
    const double *first = lbr_rk_first_iterate(q);
    double d[2] = { 0, 0 }, off = 0;
    int64_t sn = q->rk->sn;

    if (!q->past) return;
    for (int64_t i = 0; i < 2 * sn; i++) {
        double x = Z[i % sn] - first[i];

        d[i >= sn] = fma(x, x, d[i >= sn]);
    }
    for (int64_t i = 0; i < sn && !used; i++) off = fma(Z[i], Z[i], off);
    w->first_off = sqrt(used ? d[used > first] : off);
    q->past[1] = (d[1] < d[0] ? OUTPUT : 0) + (far ? FAR : 0);
}
