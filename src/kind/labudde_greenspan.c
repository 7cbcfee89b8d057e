/* labudde_greenspan.c - energy and momenta of particles that attract or repel each other are kept (HLW V.5.1).
 * SPDX-License-Identifier: BSD-3-Clause
 *
 *     q1 = q + h M^-1 pb,    p1_i = p_i + h sum_j sigma_ij (qb_i - qb_j)                  (V.5.5)
 *     sigma_ij = -(V_ij(r1) - V_ij(r))/((r1 - r) (r + r1)/2),    r = |q_i - q_j|           (V.5.6)
 *
 * with qb = (q + q1)/2 and pb = (p + p1)/2, of LaBudde and Greenspan (1974). With V as a function W of s = r^2 it is
 * sigma = -2 (W(s1) - W(s))/(s1 - s): the mean of W' between both ends, which loses no digits where they are close. It
 * is a discrete gradient: (-sum sigma (qb_i - qb_j), M^-1 pb). One particle and a fixed centre: the modified midpoint
 * rule (V.5.3). */
#include "discrete_gradient.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static int whole(const lbr_pairs *p)
{
    return p && p->size >= offsetof(lbr_pairs, slopes) + sizeof p->slopes && p->count > 0 && p->space > 0 && p->first &&
           p->second && p->slopes;
}

/* Component k of q_i - q_j, at q + by d. */
static double apart(const lbr_pairs *p, int64_t pair, int64_t k, const double *q, const double *d, double by)
{
    int64_t i = p->first[pair] + k, j = p->second[pair] + k;
    double x = fma(by, d[i], q[i]);

    return p->second[pair] < 0 ? x : x - fma(by, d[j], q[j]);
}

/* The squares of all distances at q + by d. */
static void squares(const lbr_pairs *p, const double *q, const double *d, double by, double *s)
{
    for (int64_t pair = 0; pair < p->count; pair++) {
        double sum = 0;

        for (int64_t k = 0; k < p->space; k++) {
            double x = apart(p, pair, k, q, d, by);
            sum = fma(x, x, sum);
        }
        s[pair] = sum;
    }
}

/* s1 - s = 2 (q_i - q_j)b . (d_i - d_j). */
static double grown(const lbr_pairs *p, int64_t pair, const double *q, const double *d)
{
    double sum = 0;

    for (int64_t k = 0; k < p->space; k++) {
        int64_t i = p->first[pair] + k, j = p->second[pair] + k;

        sum = fma(apart(p, pair, k, q, d, 0.5), d[i] - (p->second[pair] < 0 ? 0 : d[j]), sum);
    }
    return 2 * sum;
}

static int gradient(const lbr_chord *c, const double *d, double *out)
{
    const lbr_system *sys = &c->b->s;
    const lbr_pairs *p = sys->pairs;
    int64_t nq = sys->nq, room = p->count > sys->dim ? p->count : sys->dim;
    double *s = c->extra, *at = s + room, *slope = at + room, *mean = slope + room;

    squares(p, c->y, d, 0, s);
    memset(mean, 0, (size_t)p->count * sizeof *mean);
    for (int64_t k = 0; k < c->points; k++) {
        for (int64_t i = 0; i < p->count; i++) at[i] = fma(c->node[k], grown(p, i, c->y, d), s[i]);
        c->stats->force++;
        if (p->slopes(c->t, at, slope, sys->ctx)) return 1;
        for (int64_t i = 0; i < p->count; i++) mean[i] = fma(c->weight[k], slope[i], mean[i]);
    }
    memset(out, 0, (size_t)nq * sizeof *out);
    for (int64_t i = 0; i < p->count; i++)
        for (int64_t k = 0; k < p->space; k++) {
            double x = 2 * mean[i] * apart(p, i, k, c->y, d, 0.5);

            out[p->first[i] + k] += x;
            if (p->second[i] >= 0) out[p->second[i] + k] -= x;
        }
    for (int64_t i = 0; i < nq; i++) out[nq + i] = sys->inverse_mass[i] * (c->y[nq + i] + d[nq + i] / 2);
    return 0;
}

/* --- the atom ---------------------------------------------------------------------------------------------------- */

static lbr_status build(lbr_setup *set, lbr_atom *a, lbr_message *m)
{
    const lbr_system *s = &set->sys.s;
    const char *name = s->name ? s->name : "without a name";
    int64_t room = whole(s->pairs) && s->pairs->count > s->dim ? s->pairs->count : s->dim;
    lbr_status status;

    if (!whole(s->pairs) || s->nq < 1 || !s->inverse_mass)
        return lbr_fail(m, LBR_EUNFIT,
                        "method '%s' is for particles with masses and no friction whose potential is a sum over their "
                        "distances, without t (in a model, of at most 25000; lbr_system.pairs in C), which is not "
                        "known of system '%s'; "
                        "discrete-gradient(mean) takes any H",
                        (const char *)a->data, name);
    if (a->index && (s->pairs->count != 1 || s->pairs->second[0] >= 0))
        return lbr_fail(m, LBR_EUNFIT,
                        "modified-midpoint is for one particle about a fixed centre, and system '%s' has more; "
                        "labudde-greenspan is for such systems",
                        name);
    if ((status = lbr_discrete_gradient_build(set, a, m))) return status;
    a->own += 4 * room;
    return LBR_OK;
}

static lbr_status apply(lbr_work *w, const lbr_atom *a, const double *slot, double *own, double t, double h, double *y,
                        double *e)
{
    (void)slot;
    return lbr_discrete_gradient_apply(w, a, own, t, h, y, e, gradient);
}

static const lbr_atom_kind atom = { "LaBudde and Greenspan's step", 0, build, NULL, apply, 0 };

/* --- the kinds --------------------------------------------------------------------------------------------------- */

/* It is its own adjoint. */
static lbr_status bind(lbr_plan *p, lbr_base *b, const lbr_step *s, lbr_program *to)
{
    lbr_bind_step(p, to,
                  (lbr_atom){ .kind = &atom,
                              .data = b->kind->name,
                              .index = !strcmp(b->kind->name, "modified-midpoint"),
                              .moves_time = 1 },
                  s->c);
    return LBR_OK;
}

static int self_adjoint(const lbr_base *b, lbr_arena *arena) { return (void)b, (void)arena, 1; }

static lbr_status analyse(lbr_base *b, int adjoint, lbr_arena *arena, lbr_analysis *out, lbr_message *m)
{
    (void)b, (void)adjoint, (void)arena, (void)m;
    out->order = lbr_found_told(2, "consistent and symmetric (HLW Theorem V.5.1)");
    out->symmetric = lbr_found_told(1, "both ends have the same part in sigma (HLW V.5.6)");
    out->symplectic = lbr_found_told(0, "it keeps H, which symplectic methods do not");
    return LBR_OK;
}

LBR_LIST(one, "1");

#define ROW(name_, source_, about_)        \
    {                                      \
        .m = {                             \
            LBR_SIZED,                     \
            .name = name_,                 \
            .family = "discrete gradient", \
            .form = name_,                 \
            .source = source_,             \
            .about = about_,               \
            .b = LBR_TEXTS(one),           \
            .order = 2,                    \
            .symmetric = 1,                \
            .digits = 31                   \
        }                                  \
    }

static const lbr_row rows[] = { ROW("labudde-greenspan", "HLW V.5.5, V.5.6 (LaBudde & Greenspan 1974)",
                                    "particles with forces along their distances: energy and momenta are kept"),
                                ROW("modified-midpoint", "HLW V.5.1-V.5.3 (Simo, Tarnow & Wong 1992)",
                                    "one particle about a centre: energy and angular momentum are kept"),
                                LBR_END };

/* b lists steps of the method. */
#define KIND(name_)                                                                                          \
    .name = name_, .type = LBR_MAP, .list = "gamma", .read = lbr_read_steps, .self_adjoint = self_adjoint,   \
    .needs = "quadratic-kinetic pairs", .explicitness = "never", .describe = lbr_discrete_gradient_describe, \
    .bind = bind, .analyse_one = analyse, .volume = lbr_discrete_gradient_volume

const lbr_kind lbr_kind_labudde_greenspan[] = { { KIND("labudde-greenspan"), .rows = rows },
                                                { KIND("modified-midpoint") },
                                                { .name = NULL } };
