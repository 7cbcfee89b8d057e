/* test_projected_steps.c - symmetric projections with large steps: solved where Newton's method solves them, and to
 * round-off. SPDX-License-Identifier: BSD-3-Clause */
#include "support/manifolds.h"

enum { BODY, PENDULUM, ORBIT, SURFACE, ALL, DIM = 6, MOST = 2 };
static const char *const text[ALL] = {
    "param I1 = 2, I2 = 1, I3 = 2/3\n"
    "state y[3]\n"
    "y' = [(1/I3 - 1/I2)*y[2]*y[3], (1/I1 - 1/I3)*y[3]*y[1], (1/I2 - 1/I1)*y[1]*y[2]]\n"
    "constraint sphere = sq(y) - 1\nstart y = [cos(0.9), 0, sin(0.9)]\n",
    "state q[2], p[2]\n"
    "let lambda = (sq(p) - q[2])/sq(q)\n"
    "q' = p\n"
    "p' = [0, -1] - lambda*q\n"
    "constraint length = sq(q) - 1, velocity = dot(q, p)\n"
    "start q = [cos(0.8), -sin(0.8)], p = 0\n",
    "param e = 0.6\n"
    "canonical q[2], p[2]\n"
    "H = sq(p)/2 - 1/norm(q) - 0.005/norm(q)^3\n"
    "invariant L = q[1]*p[2] - q[2]*p[1]\n"
    "start q = [1 - e, 0], p = [0, sqrt((1 + e)/(1 - e))]\n",
    ellipsoid_text
};
static modelled system_of[ALL];

/* --- steps that were not solved ---------------------------------------------------------------------------------- */

/* G by differences, m x n. */
static void gradient(const modelled *x, const double *y, double *G)
{
    int64_t n = x->m->dim, m = x->s->manifold->m;
    double z[DIM], up[MOST], down[MOST], e = 1e-5;

    for (int64_t j = 0; j < n; j++) {
        memcpy(z, y, (size_t)n * sizeof *z);
        z[j] = y[j] + e, x->s->manifold->g(0, z, up, x->s->ctx);
        z[j] = y[j] - e, x->s->manifold->g(0, z, down, x->s->ctx);
        for (int64_t i = 0; i < m; i++) G[i * n + j] = (up[i] - down[i]) / (2 * e);
    }
}

/* y1 - G(y1)^T mu - M(y0 + G(y0)^T mu), n numbers. */
static int misfit(lbr_plan *M, const modelled *x, double h, const double *y0, const double *y1, const double *mu,
                  double *r)
{
    int64_t n = x->m->dim, m = x->s->manifold->m;
    double G0[MOST * DIM], G1[MOST * DIM], a[DIM];

    gradient(x, y0, G0), gradient(x, y1, G1);
    memcpy(a, y0, (size_t)n * sizeof *a), memcpy(r, y1, (size_t)n * sizeof *r);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) a[j] += mu[i] * G0[i * n + j], r[j] -= mu[i] * G1[i * n + j];
    if (lbr_map(M, 0, h, a)) return 1;
    for (int64_t j = 0; j < n; j++) r[j] -= a[j];
    return 0;
}

/* The least that the equations of a step from y0 to y1 leave, over all mu: by Gauss and Newton. They are more than
 * there are multipliers, so that only a solution leaves nothing. */
static double left(lbr_plan *M, const modelled *x, double h, const double *y0, const double *y1)
{
    int64_t n = x->m->dim, m = x->s->manifold->m;
    double mu[MOST] = { 0 }, r[DIM], J[MOST][DIM], a[2][2], b[2], det, most = 0;

    for (int k = 0; k < 40; k++) {
        if (misfit(M, x, h, y0, y1, mu, r)) return NAN;
        memset(a, 0, sizeof a), memset(b, 0, sizeof b), a[1][1] = m < 2;
        for (int64_t i = 0; i < m; i++) {
            double z[DIM], old = mu[i];

            mu[i] = old + 1e-6;
            if (misfit(M, x, h, y0, y1, mu, z)) return NAN;
            mu[i] = old;
            for (int64_t j = 0; j < n; j++) J[i][j] = (z[j] - r[j]) / 1e-6;
        }
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < n; j++) {
                b[i] += J[i][j] * r[j];
                for (int64_t l = 0; l < m; l++) a[i][l] += J[i][j] * J[l][j];
            }
        det = a[0][0] * a[1][1] - a[0][1] * a[1][0];
        mu[0] -= (a[1][1] * b[0] - a[0][1] * b[1]) / det, mu[1] -= (a[0][0] * b[1] - a[1][0] * b[0]) / det;
    }
    if (misfit(M, x, h, y0, y1, mu, r)) return NAN;
    for (int64_t j = 0; j < n; j++) most = fmax(most, fabs(r[j]));
    return most;
}

static const struct {
    int which;
    const char *M, *method;
    double h;
} far[] = { { BODY, "rk4", "project(symmetric, rk4)", 4 },
            { PENDULUM, "rk4", "project(symmetric, rk4)", 1.3 },
            { PENDULUM, NULL, "project(symmetric, midpoint, at = midpoint)", 1.3 },
            { SURFACE, NULL, "project(symmetric, compose(suzuki:4, midpoint))", 0.6 },
            { SURFACE, NULL, "project(symmetric, rk4)", 0.8 },
            { SURFACE, NULL, "project(symmetric, rk4)", 1 } };

static void solved(int i)
{
    const modelled *x = &system_of[far[i].which];
    lbr_plan *plan = NULL, *M = NULL;
    double y[DIM], z[DIM], worst = 0;
    int n = 0;

    memcpy(y, x->m->y0, (size_t)x->m->dim * sizeof *y);
    if (lbr_plan_create(&plan, far[i].method, x->s, NULL) || (far[i].M && lbr_plan_create(&M, far[i].M, x->s, NULL)))
        printf("# %s%s\n", lbr_plan_message(plan), lbr_plan_message(M));
    for (; n < 60; n++) {
        memcpy(z, y, sizeof z);
        if (lbr_map(plan, 0, far[i].h, z)) break;
        if (M) worst = fmax(worst, left(M, x, far[i].h, y, z));
        memcpy(y, z, sizeof y);
    }
    if (!ok(n == 60, "%s, h = %g: 60 steps", far[i].method, far[i].h)) printf("# %d: %s\n", n, lbr_plan_message(plan));
    if (M) ok(worst < 1e-9, "each of which solves its equations: to %.1e, with gradients by differences", worst);
    lbr_plan_free(plan), lbr_plan_free(M);
}

/* --- to round-off ------------------------------------------------------------------------------------------------ */

/* A step of `method`, and back, along a trajectory: the largest difference. */
static double there_and_back(const modelled *x, const char *method, double h)
{
    double y[DIM], z[DIM], worst = 0;
    lbr_plan *plan;

    memcpy(y, x->m->y0, (size_t)x->m->dim * sizeof *y);
    if (lbr_plan_create(&plan, method, x->s, NULL)) worst = INFINITY;
    for (int n = 0; n < 60 && worst < 1; n++) {
        double before[DIM];

        memcpy(before, y, sizeof before);
        if (lbr_map(plan, 0, h, y)) worst = INFINITY;
        memcpy(z, y, sizeof z);
        if (lbr_map(plan, h, -h, z)) worst = INFINITY;
        worst = fmax(worst, distance(x->m->dim, z, before));
    }
    lbr_plan_free(plan);
    return worst;
}

static void rounding(void)
{
    static const struct {
        int which;
        const char *method;
        double h;
    } row[] = { { BODY, "project(symmetric, trapezoidal)", 2 },
                { BODY, "project(symmetric, gauss:2)", 2 },
                { BODY, "project(symmetric, midpoint, at = midpoint)", 2 },
                { ORBIT, "project(symmetric, gauss:2)", 0.15 },
                { ORBIT, "project(symmetric, gauss:2)", 0.2 },
                { SURFACE, "project(symmetric, gauss:2)", 0.4 } };

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        double d = there_and_back(&system_of[row[i].which], row[i].method, row[i].h);

        ok(d < 6e-15, "%s, h = %g: retraced to %.1e", row[i].method, row[i].h, d);
    }
}

/* --- what is said ------------------------------------------------------------------------------------------------ */

static void said(const modelled *x, const char *method, double h)
{
    lbr_plan *plan;
    double y[DIM];
    lbr_status status;

    memcpy(y, x->m->y0, (size_t)x->m->dim * sizeof *y);
    status = lbr_plan_create(&plan, method, x->s, NULL);
    for (int n = 0; n < 60 && !status; n++) status = lbr_map(plan, 0, h, y);
    ok(status && !strstr(lbr_plan_message(plan), "nan") && !strstr(lbr_plan_message(plan), "inf "), "%s",
       lbr_plan_message(plan));
    lbr_plan_free(plan);
}

int main(void)
{
    for (int k = 0; k < ALL; k++)
        if (!open_text(&system_of[k], text[k])) return printf("Bail out! model %d\n", k), 2;
    for (size_t i = 0; i < sizeof far / sizeof *far; i++) solved((int)i);
    rounding();
    for (double h = 0.15; h < 1; h *= 1.2)
        said(&system_of[ORBIT], "project(symmetric, explicit-euler)", h),
            said(&system_of[ORBIT], "project(standard, explicit-euler, H)", 30 * h);
    for (double h = 2; h < 40; h *= 2)
        said(&system_of[ORBIT], "local(symmetric, explicit-euler)", h),
            said(&system_of[ORBIT], "local(standard, rk4)", h);
    for (int k = 0; k < ALL; k++) close_model(&system_of[k]);
    return tap_done();
}
