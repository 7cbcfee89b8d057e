/* manifolds.h - systems with constraints as texts, and runs of them; for tests.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef MANIFOLDS_H
#define MANIFOLDS_H
#include "modelled.h"
#include "libration.h"

static const char double_text[] =
    "canonical a[3], pa[3], b[3], pb[3]\n"
    "H = sq(pa - pb)/2 + sq(pb)/4 + a[3] + 2*(a[3] + b[3])\n"
    "constraint first = sq(a) - 1, second = sq(b) - 0.64\n"
    "start a = [0.6, 0, -0.8], b = 0.8*[0, 0.6, -0.8], a' = [0, 0.3, 0], b' = [-0.2, 0, 0]\n";
static const char ellipsoid_text[] = "canonical q[3], p[3]\n"
                                     "let M = [[1 + q[1]^2/2, 0.2, 0], [0.2, 1.5, 0.1*q[3]], [0, 0.1*q[3], 1]]\n"
                                     "H = p^T*M^-1*p/2 + q[3]\n"
                                     "constraint surface = (q[1]/2)^2 + q[2]^2 + (q[3]/1.5)^2 - 1\n"
                                     "start q = [2*cos(0.5), sin(0.5), 0], q' = [-0.8*sin(0.5), 0.4*cos(0.5), 0.9]\n";

static lbr_status run(const lbr_system *s, const char *method, const lbr_options *o, double h, int64_t n, double *y)
{
    lbr_plan *plan;
    lbr_status status = lbr_plan_create(&plan, method, s, o);

    if (!status) status = lbr_start(plan, 0, h, y);
    if (!status) status = lbr_run(plan, n, 0, NULL, NULL);
    if (!status) status = lbr_read(plan, NULL, y);
    if (status) printf("# %s: %s\n", method, lbr_plan_message(plan));
    lbr_plan_free(plan);
    return status;
}

static double distance(int64_t n, const double *a, const double *b)
{
    double d = 0;

    for (int64_t i = 0; i < n; i++) d = fabs(a[i] - b[i]) <= d ? d : fabs(a[i] - b[i]);
    return d;
}

enum { MANIFOLD_DIM = 256 };

/* How far from `exact` n steps to time T end. */
__attribute__((unused)) static double error_after(const modelled *x, const char *method, double T, int64_t n,
                                                  const double *exact)
{
    double y[MANIFOLD_DIM];

    memcpy(y, x->m->y0, (size_t)x->m->dim * sizeof *y);
    return run(x->s, method, NULL, T / (double)n, n, y) ? INFINITY : distance(x->m->dim, y, exact);
}

/* A step from the start by one method, and back by another: how far off. */
__attribute__((unused)) static double retraced(const modelled *x, const char *there, const char *back, double h)
{
    lbr_plan *a = NULL, *b = NULL;
    double y[MANIFOLD_DIM], d = INFINITY;

    memcpy(y, x->m->y0, (size_t)x->m->dim * sizeof *y);
    if (!lbr_plan_create(&a, there, x->s, NULL) && !lbr_plan_create(&b, back, x->s, NULL) && !lbr_map(a, 0, h, y) &&
        !lbr_map(b, h, -h, y))
        d = distance(x->m->dim, y, x->m->y0);
    else printf("# %s, %s: %s%s\n", there, back, lbr_plan_message(a), lbr_plan_message(b));
    lbr_plan_free(a), lbr_plan_free(b);
    return d;
}

/* A plan, a start or one of n steps is refused, with these words. */
__attribute__((unused)) static void refused_in(const lbr_system *s, const char *method, const double *y, double h,
                                               int64_t n, lbr_status want, const char *words)
{
    lbr_plan *plan;
    lbr_status status = lbr_plan_create(&plan, method, s, NULL);

    if (!status) status = lbr_start(plan, 0, h, y);
    if (!status) status = lbr_run(plan, n, 0, NULL, NULL);
    if (!ok(status == want && strstr(lbr_plan_message(plan), words), "%s: %s", method, lbr_plan_message(plan)))
        printf("# status %d\n", status);
    lbr_plan_free(plan);
}
#endif
