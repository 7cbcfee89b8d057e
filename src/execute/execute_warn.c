/* execute_warn.c - why the result of a run may not be what one thinks. SPDX-License-Identifier: BSD-3-Clause */
#include "executing.h"
#include "plan/plan.h"

#include <math.h>
#include <string.h>

enum { COMPONENTS_MOST = 4096 }; /* for which H is asked twice each, where a warning is at stake */

/* A split that leaves a part out, a composition that has less than its order: asked only where there is something
 * to tell. */
int lbr_exec_warn_method(lbr_exec *e)
{
    const lbr_method_info *info;
    lbr_status status;

    if (!e->plan->partial && !e->plan->flat.composed) return 0;
    status = lbr_plan_info(&info, e->plan);
    if (!status && *info->note) lbr_result_warn(e->result, "%s", info->note);
    if (status == LBR_EUNFIT && e->plan->partial) lbr_result_warn(e->result, "%s", e->plan->partial);
    lbr_method_free(info);
    return status == LBR_ENOMEM ? lbr_exec_no_memory(e) : 0;
}

static double size_of(int64_t n, const double *a, const double *b)
{
    double sum = 0;

    for (int64_t i = 0; i < n; i++) sum += fabs(a[i] * b[i]);
    return sum;
}

/* |y H_y|, by differences, each over a 2^-17th of its component; 0 where there are too many. NaN: no memory, no values.
 */
static double all_of(const lbr_exec *e, const double *y)
{
    int64_t n = e->plan->setup.sys.s.dim;
    double *z = n <= COMPONENTS_MOST ? lbr_mem_alloc((size_t)n * sizeof *z) : NULL, sum = 0;

    if (n > COMPONENTS_MOST) return 0;
    if (!z) return NAN;
    memcpy(z, y, (size_t)n * sizeof *z);
    for (int64_t i = 0; i < n; i++) {
        double up, down;

        z[i] = y[i] * (1 + 0x1p-17);
        if (e->sys.energy(e->job->t0, z, &up, e->sys.ctx)) sum = NAN;
        z[i] = y[i] * (1 - 0x1p-17);
        if (e->sys.energy(e->job->t0, z, &down, e->sys.ctx)) sum = NAN;
        z[i] = y[i], sum += fabs(up - down) * 0x1p16;
    }
    lbr_mem_free(z);
    return sum;
}

/* max(|H|, |p H_p|, |q H_q|) at the start, products being sums over components; max(|H|, |y H_y|) where there are no q
 * and p. NaN: no memory, no values. */
static double scale(const lbr_exec *e)
{
    const lbr_bound *b = &e->plan->setup.sys;
    const double *y = e->job->y0;
    double size = fabs(e->result->energy.first[0]), *rate, *work;
    int64_t n = b->s.nq;

    if (!e->sys.energy) return size;
    if (!y) return NAN;
    if (!b->partitioned) return size + fmax(0, all_of(e, y) - size);
    if (!(rate = lbr_mem_alloc((size_t)(n + b->s.dim) * sizeof *rate))) return NAN;
    work = rate + n;
    if (lbr_bound_rate_q(b, e->job->t0, y, rate, work)) size = NAN;
    else size = fmax(size, size_of(n, y + n, rate));
    if (lbr_bound_rate_p(b, e->job->t0, y, rate, work)) size = NAN;
    else size += fmax(0, size_of(n, y, rate) - size); /* the larger one; NaN stays */
    lbr_mem_free(rate);
    return size;
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
    double size;

    if (!r->has_energy || e->plan->partial || !(r->energy.worst > fabs(r->energy.first[0]) / 10)) return;
    size = scale(e);
    if (!(size > 0 && r->energy.worst > size / 10) || driven(e) || !(what = claim(e))) return;
    lbr_result_warn(r,
                    "the energy error is %.3g, more than a tenth of %s = %.3g at the start, although "
                    "the method is %s: the step %.6g is too large for this motion",
                    r->energy.worst,
                    e->plan->setup.sys.partitioned ? "max(|H|, |p H_p|, |q H_q|)" : "max(|H|, |y H_y|)", size, what,
                    r->h);
}
