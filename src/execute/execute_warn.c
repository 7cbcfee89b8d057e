/* execute_warn.c - why the result of a run may not be what one thinks. SPDX-License-Identifier: BSD-3-Clause */
#include "executing.h"
#include "core/largest.h"
#include "plan/kind.h"

#include <math.h>
#include <string.h>

enum { COMPONENTS_MOST = 4096 };        /* for which H is asked four times each, where a warning is at stake */
static const double ROUNDING = 0x1p-40; /* what is less, beside what there could be, is rounding */

/* Whether it makes more than one step of maps that a system brings: what comes of that depends on what they promise. */
static int composes_maps(const lbr_flat *f)
{
    if (f->pre.n + f->kernel.n + f->post.n < 2) return 0;
    for (int64_t i = 0; i < f->nbases; i++)
        if (f->base[i].kind->maps_of_systems) return 1;
    return 0;
}

/* A split that leaves a part out, a composition that has less than its order, or one that nothing is known of: asked
 * only where there is something to tell. */
int lbr_exec_warn_method(lbr_exec *e)
{
    const lbr_method_info *info;
    lbr_status status;

    if (!e->plan->partial && !e->plan->flat.composed && !composes_maps(&e->plan->flat)) return 0;
    status = lbr_plan_info(&info, e->plan);
    if (!status && *info->note) lbr_result_warn(e->result, "%s", info->note);
    if (status == LBR_EUNFIT) lbr_result_warn(e->result, "%s", e->plan->partial ? e->plan->partial : info->message);
    lbr_method_free(info);
    return status == LBR_ENOMEM ? lbr_exec_no_memory(e) : 0;
}

/* What an energy error is compared with, and how that is called. NaN: no memory, no values. */
typedef struct {
    double size;
    const char *what;
} scale;

/* |a b|, summed over components, and the same by norms: the largest of a times the sum of |b|. */
typedef struct {
    double each, norms;
} product;

static product product_of(int64_t n, const double *a, const double *b)
{
    product p = { 0, 0 };

    for (int64_t i = 0; i < n; i++) p.each += fabs(a[i] * b[i]), p.norms += fabs(b[i]);
    p.norms *= lbr_largest(n, a);
    return p;
}

/* q H_q and p H_p. 0: no memory, no values. */
static int products(const lbr_exec *e, double t, const double *y, product *q, product *p)
{
    const lbr_bound *b = &e->plan->setup.sys;
    int64_t n = b->s.nq;
    double *rate = lbr_mem_alloc((size_t)(2 * n + b->s.dim) * sizeof *rate);
    int good = rate && !lbr_bound_rate_q(b, t, y, rate, rate + 2 * n) &&
               !lbr_bound_rate_p(b, t, y, rate + n, rate + 2 * n);

    if (good) *p = product_of(n, y + n, rate), *q = product_of(n, y, rate + n);
    lbr_mem_free(rate);
    return good;
}

/* |y H_y| by differences, each over a 2^-17th of its component; 0 where there are too many. NaN: no memory, no values.
 */
static product all_of(const lbr_exec *e, const double *y)
{
    int64_t n = e->plan->setup.sys.s.dim;
    double *z = n <= COMPONENTS_MOST ? lbr_mem_alloc((size_t)n * sizeof *z) : NULL, most = lbr_largest(n, y);
    product sum = { z || n > COMPONENTS_MOST ? 0 : NAN, 0 };

    if (!z) return sum;
    memcpy(z, y, (size_t)n * sizeof *z);
    for (int64_t i = 0; i < n; i++)
        for (int norms = 0; norms < 2; norms++) {
            double up, down, by = norms ? most : y[i];

            z[i] = y[i] + by * 0x1p-17;
            if (e->sys.energy(e->job->t0, z, &up, e->sys.ctx)) sum.each = NAN;
            z[i] = y[i] - by * 0x1p-17;
            if (e->sys.energy(e->job->t0, z, &down, e->sys.ctx)) sum.each = NAN;
            z[i] = y[i];
            if (norms) sum.norms += fabs(up - down) * 0x1p16;
            else sum.each += fabs(up - down) * 0x1p16;
        }
    lbr_mem_free(z);
    return sum;
}

/* The largest of |H| and the products; NaN stays. Where that is nothing but rounding, the norms: a pendulum that is let
 * go at the height of its pivot has neither potential nor kinetic energy, but will. */
static scale at_start(double H, const product *a, const product *b, const char *each, const char *norms)
{
    double size = lbr_larger_or_nan(lbr_larger_or_nan(H, a->each), b->each), all = fmax(a->norms, b->norms);

    if (size <= ROUNDING * all) return (scale){ all, norms };
    return (scale){ size, each };
}

/* max(|H|, |p H_p|, |q H_q|) at the start; max(|H|, |y H_y|) where there are no q and p. */
static scale scale_of(const lbr_exec *e)
{
    const double *y = e->job->y0;
    double H = fabs(e->result->energy.first[0]);
    product q = { 0, 0 }, p = { 0, 0 };

    if (!e->sys.energy) return (scale){ H, "|H|" };
    if (!y) return (scale){ NAN, "" };
    if (!e->plan->setup.sys.partitioned) {
        q = all_of(e, y);
        return at_start(H, &q, &p, "max(|H|, |y H_y|)", "max |y| |H_y|");
    }
    if (!products(e, e->job->t0, y, &q, &p)) return (scale){ NAN, "" };
    return at_start(H, &p, &q, "max(|H|, |p H_p|, |q H_q|)", "max(|p| |H_p|, |q| |H_q|)");
}

/* |p H_p| at the end, since there may have been little energy at the start. Angles may have grown by then, momenta
 * mean something. 0: there are none. */
static double moving(const lbr_exec *e)
{
    product q, p;

    if (!e->sys.energy || !e->plan->setup.sys.partitioned) return 0;
    return products(e, e->result->t, e->result->y, &q, &p) ? p.each : 0;
}

/* Whether H changes by itself: what the model says; of systems in C, which say nothing, what H says at other times. */
static int driven(const lbr_exec *e)
{
    const double *y[] = { e->job->y0, e->result->y }, at[] = { 1, 0.3819660112501051 };

    if (e->job->lossy) return 1;
    for (int k = 0; e->sys.energy && k < 4; k++) {
        double t0 = e->job->t0, t = fma(at[k % 2], e->result->t - t0, t0), H[2];

        if (!y[k / 2]) continue;
        if (e->sys.energy(t0, y[k / 2], H, e->sys.ctx) || e->sys.energy(t, y[k / 2], H + 1, e->sys.ctx)) return 1;
        if (H[0] != H[1]) return 1;
    }
    return 0;
}

/* What the method claims that has to do with energy; NULL: nothing, or it is not known. */
static const char *claim(const lbr_exec *e)
{
    const lbr_method_info *info;
    lbr_status status = lbr_plan_info(&info, e->plan);
    const char *what = NULL;

    if (!status)
        what = info->energy ? "made to keep H" : info->symplectic ? "symplectic" : info->symmetric ? "symmetric" : NULL;
    lbr_method_free(info);
    return what;
}

/* Where a part is left out another H is kept, and that has been said. */
void lbr_exec_warn_energy(lbr_exec *e)
{
    lbr_result *r = e->result;
    const char *what;
    scale s;

    if (!r->has_energy || e->plan->partial || !(r->energy.worst > fabs(r->energy.first[0]) / 10)) return;
    s = scale_of(e);
    if (!(s.size > 0 && r->energy.worst > s.size / 10) || r->energy.worst <= moving(e) / 10) return;
    if (driven(e) || !(what = claim(e))) return;
    lbr_result_warn(r,
                    "the energy error is %.3g, more than a tenth of %s = %.3g at the start, although "
                    "the method is %s: the step %.6g is too large for this motion",
                    r->energy.worst, s.what, s.size, what, r->h);
}
