/* volume.c - a sweep over the components of a field without divergence, which keeps the volume.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * f is a sum of fields that are Hamiltonian in two neighbouring components each (HLW VI.9.3), and a step of symplectic
 * Euler for one after the other is, for k = 1, 2, .., n,
 *
 *     Y_k = y_k + h f_k(Y_1, .., Y_k, y_k+1, ..)
 *           + h (g_k(Y_1, .., Y_k, y_k+1, ..) - g_k(Y_1, .., Y_k-1, y_k, ..))          (HLW VI.9.4)
 *
 * with dg_k/dy_k = d_1 f_1 + .. + d_k-1 f_k-1, which for k = n is -d_n f_n: Y_n is explicit. The adjoint goes from n
 * down to 1, and has f_k before and minus the difference of g_k (HLW VI.9.5). What differs of g_k is the integral over
 * one component between its two values: Gauss' formula on one, two, four, .. pieces, until they agree. */
#include "plan/kind.h"
#include "series/analyse.h"
#include "stepper/implicit.h"

#include <string.h>

enum { POINTS = 6, MOST_PIECES = 64 };

/* Gauss' formula with 6 points in (-1, 1). */
static const double node[POINTS] = { -0.93246951420315202781, -0.66120938646626451366, -0.23861918608319690863,
                                     0.23861918608319690863,  0.66120938646626451366,  0.93246951420315202781 };
static const double weight[POINTS] = { 0.17132449237917034504, 0.36076157304813860757, 0.46791393457269104739,
                                       0.46791393457269104739, 0.36076157304813860757, 0.17132449237917034504 };

typedef struct sweep {
    const lbr_bound *b;
    lbr_stats *stats;
    int adjoint;
    int64_t n, k;             /* components; the one that moves */
    double t, h, from;        /* its value before */
    double *x, *f, *unit, *z; /* all components as they are now; the field there; room */
} sweep;

/* d_j f_j at x. */
static int diagonal(sweep *s, int64_t j, double *out)
{
    int bad;

    s->unit[j] = 1;
    s->stats->jacobian++;
    bad = s->b->s.field_jvp(s->t, s->x, s->unit, s->z, s->b->s.ctx);
    s->unit[j] = 0;
    return *out = s->z[j], bad;
}

/* d_1 f_1 + .. + d_m f_m; and the sum of what they are in size. */
static int divergence(sweep *s, int64_t m, double *sum, double *size)
{
    double d;

    *sum = *size = 0;
    for (int64_t j = 0; j < m; j++) {
        if (diagonal(s, j, &d)) return 1;
        *sum += d, *size += fabs(d);
    }
    return 0;
}

/* The integral of d_1 f_1 + .. + d_k-1 f_k-1 over component k, over `pieces` of the same length. */
static int integral(sweep *s, double to, int pieces, double *sum, double *size)
{
    double length = (to - s->from) / pieces, here = s->x[s->k], d, a;

    *sum = *size = 0;
    for (int p = 0; p < pieces; p++)
        for (int i = 0; i < POINTS; i++) {
            s->x[s->k] = s->from + length * (p + (1 + node[i]) / 2);
            if (divergence(s, s->k, &d, &a)) return s->x[s->k] = here, 1;
            *sum = fma(weight[i], d, *sum), *size = fma(weight[i], a, *size);
        }
    s->x[s->k] = here;
    *sum *= length / 2, *size *= fabs(length) / 2;
    return 0;
}

static int difference(sweep *s, double to, double *out)
{
    double next, size;
    int pieces = 1;

    *out = 0;
    if (s->k == 0 || to == s->from) return 0;
    if (integral(s, to, pieces, out, &size)) return 1;
    while (size > 0 && pieces < MOST_PIECES) {
        double last = *out;

        if (integral(s, to, pieces *= 2, &next, &size)) return 1;
        *out = next;
        if (fabs(next - last) <= (LBR_NUDGED - 1) * size) break;
    }
    return 0;
}

static int field(sweep *s)
{
    lbr_bound_count(s->b, s->stats, 1);
    return s->b->field(s->t, s->x, s->f, s->b->ctx);
}

/* The increment of component k, where it is d. Of the adjoint f_k is taken before, but for the last component. */
static int moved(void *ctx, const double *d, double *out)
{
    sweep *s = ctx;
    double g = 0, to = s->from + *d;
    int last = s->k == s->n - 1, old = last != s->adjoint;

    s->x[s->k] = old ? s->from : to;
    if (field(s)) return 1;
    if (!last && difference(s, to, &g)) return 1;
    s->x[s->k] = s->from;
    *out = s->h * (s->f[s->k] + (s->adjoint ? -g : g));
    return 0;
}

/* The last component forth, the first one back: nothing to solve. */
static int explicit(const sweep *s) { return s->k == (s->adjoint ? 0 : s->n - 1); }

static lbr_status build(lbr_setup *set, lbr_atom *a, lbr_message *m)
{
    const lbr_system *s = &set->sys.s;

    if (!set->sys.field || !s->field_jvp)
        return lbr_fail(m, LBR_EUNFIT,
                        "feng-shang needs the field and its derivatives (field and field_jvp), but system '%s' does "
                        "not give them; models have them",
                        s->name ? s->name : "without a name");
    if (s->dim < 2) return lbr_fail(m, LBR_EUNFIT, "feng-shang is for fields of at least two components");
    a->own = 4 * s->dim + 1 + lbr_solve_size(1, 1);
    a->foretold = a->series = s->dim;
    return LBR_OK;
}

/* What cancels in the divergence leaves at most this of it. */
static const double nothing = 1e-11;

static lbr_status check(lbr_work *w, sweep *s)
{
    double sum, size;

    if (divergence(s, s->n, &sum, &size))
        return lbr_fail(&w->message, LBR_ECALLBACK, "the derivative of the field reported a failure");
    if (fabs(sum) <= nothing * size || sum != sum) return LBR_OK;
    return lbr_fail(&w->message, LBR_EUNFIT,
                    "the divergence of the field is %.6g at t = %.6g: feng-shang is for fields without divergence, "
                    "since only their flow keeps the volume",
                    sum, s->t);
}

static lbr_status apply(lbr_work *w, const lbr_atom *a, const double *slot, double *own, double t, double h, double *y,
                        double *e)
{
    const lbr_bound *b = &w->setup->sys;
    int64_t n = b->s.dim;
    double *d = own + 4 * n, scale = lbr_largest(n, y);
    sweep s = { b,   &w->head->stats, a->adjoint,  n,          0, a->adjoint ? t + h : t, h, 0,
                own, own + n,         own + 2 * n, own + 3 * n };
    lbr_status status;

    (void)slot;
    memcpy(s.x, y, (size_t)n * sizeof *y);
    memset(s.unit, 0, (size_t)n * sizeof *s.unit);
    if ((status = check(w, &s))) return status;
    for (int64_t i = 0; i < n; i++) {
        lbr_equation q = { .n = 1,
                           .g = moved,
                           .ctx = &s,
                           .split = 1,
                           .size = { scale },
                           .most = w->setup->max_iterations,
                           .newton = lbr_newton_mode(w->setup, 1) };

        s.k = a->adjoint ? n - 1 - i : i;
        s.from = s.x[s.k], *d = 0; /* where explicit */
        if (explicit(&s))
            status = moved(&s, d, d) ? lbr_fail(&w->message, LBR_ECALLBACK, "the field reported a failure") : LBR_OK;
        else status = lbr_work_solve(w, &q, NULL, d, d + 1, s.k, "the field or its derivative");
        if (status) return status;
        lbr_increment(1, y + s.k, e ? e + s.k : NULL, d);
        s.x[s.k] = y[s.k];
    }
    return LBR_OK;
}

static const lbr_atom_kind atom = { "volume", 0, build, NULL, apply, 0 };

/* --- what is true of it ------------------------------------------------------------------------------------------ */

static lbr_status analyse(lbr_base *b, int adjoint, lbr_arena *arena, lbr_analysis *out, lbr_message *m)
{
    (void)b, (void)adjoint, (void)arena, (void)m;
    out->order = lbr_found_told(1, "one step of symplectic Euler for each pair of neighbours (HLW VI.9.4)");
    out->symmetric = lbr_found_told(0, "the adjoint goes through the components the other way");
    out->symplectic = lbr_found_told(0, "it keeps the volume (HLW VI.9.3), which is less");
    return LBR_OK;
}

static lbr_status keeps_volume(const lbr_flat *f, int symplectic, lbr_arena *arena, lbr_finding *out, lbr_message *m)
{
    (void)f, (void)symplectic, (void)arena, (void)m;
    *out = lbr_found_told(LBR_VOLUME_ALWAYS,
                          "a composition of maps that are symplectic in two components each (HLW VI.9.3)");
    return LBR_OK;
}

static int self_adjoint(const lbr_base *b, lbr_arena *arena) { return (void)b, (void)arena, 0; }

/* --- the kind ---------------------------------------------------------------------------------------------------- */

LBR_LIST(halves, "1/2", "1/2");

static const lbr_row rows[] = { { .m = { LBR_SIZED, .name = "feng-shang", .family = "volume", .form = "volume",
                                         .source = "HLW VI.9.4, VI.9.5 (Feng & Shang 1995)",
                                         .about = "keeps the volume of any field without divergence",
                                         .b = LBR_TEXTS(halves), .order = 2, .symmetric = 1, .digits = 31 } },
                                LBR_END };

/* b lists steps of the sweep over all components, from the first to the last (HLW VI.9.4), and, at odd places, of its
 * adjoint (VI.9.5). */
const lbr_kind lbr_kind_volume[] = { { .name = "volume",
                                       .rows = rows,
                                       .type = LBR_MAP,
                                       .table = LBR_ALTERNATES,
                                       .list = "beta_alpha",
                                       .read = lbr_read_steps,
                                       .self_adjoint = self_adjoint,
                                       .needs = "field divergence-free",
                                       .explicitness = "never",
                                       .atom = &atom,
                                       .analyse_one = analyse,
                                       .volume = keeps_volume },
                                     { .name = NULL } };
