/* start_momenta.c - the momenta that belong to the velocities of a start. SPDX-License-Identifier: BSD-3-Clause */
#include "model_inside.h"
#include "program/code.h"
#include "graph/derive.h"
#include "structure.h"
#include "core/largest.h"
#include "core/lu.h"
#include "solve/iteration.h"

#include <math.h>
#include <string.h>

/* Iterations of Newton's method, and the largest matrix that is made for it. */
enum { ITERATIONS = 50, MATRIX_MOST = 1000 };

/* dH/dp = v is to be solved; dH/dp and its derivatives in p as programs. */
typedef struct solving {
    lbr_model *m;
    const double *v;
    lbr_code *velocity, *tangent;
    double *J, *e, *column, *r, *nudged; /* n n; dim: a direction; n; n: v - dH/dp; dim: a state */
    int64_t *pivot;
} solving;

/* --- from H ------------------------------------------------------------------------------------------------------ */

/* r = v - dH/dp at that state. 0: it is not to be had there. */
static int residual(solving *z, const double *y, double *r)
{
    const double *input[40] = { y };

    if (lbr_code_run(z->velocity, z->m->t0, input, r)) return 0;
    for (int64_t i = 0; i < z->m->nq; i++) r[i] = z->v[i] - r[i];
    return isfinite(lbr_largest_or_nan(z->m->nq, r));
}

static int jacobian(solving *z)
{
    const double *input[40] = { z->m->y0, z->e };
    int64_t n = z->m->nq;

    for (int64_t j = 0; j < n; j++) {
        int failed;

        z->e[n + j] = 1, failed = lbr_code_run(z->tangent, z->m->t0, input, z->column), z->e[n + j] = 0;
        if (failed) return 0;
        for (int64_t i = 0; i < n; i++) z->J[i * n + j] = z->column[i];
    }
    return 1;
}

/* Whether what is left of the equations is what rounding leaves of them: not much more than the change when every
 * number is nudged. */
static int is_rounding(solving *z)
{
    int64_t n = z->m->nq;
    double left, noise = 0;

    for (int64_t i = 0; i < z->m->dim; i++) z->nudged[i] = z->m->y0[i] * LBR_NUDGED;
    if (!residual(z, z->m->y0, z->r) || !residual(z, z->nudged, z->column)) return 0;
    for (int64_t i = 0; i < n; i++) noise = fmax(noise, fabs(z->column[i] - z->r[i]));
    return (left = lbr_largest(n, z->r)) == 0 || left <= LBR_POOR * noise;
}

/* Whether the equations are solved, and not only the increments small: beside the velocities and the terms of J p, what
 * is left is nothing. J is that of the last increment. */
static int is_solved(solving *z)
{
    int64_t n = z->m->nq;
    const double *p = z->m->y0 + n;
    double size = 0;

    if (!residual(z, z->m->y0, z->r)) return 0;
    for (int64_t i = 0; i < n; i++) {
        double row = fabs(z->v[i]);

        for (int64_t j = 0; j < n; j++) row += fabs(z->J[i * n + j] * p[j]);
        size = fmax(size, row);
    }
    return lbr_largest(n, z->r) <= LBR_NEAR * size || is_rounding(z);
}

/* By Newton's method; for quadratic H it ends after one increment, and another that is rounding. */
static int iterate(solving *z)
{
    int64_t n = z->m->nq;
    double *p = z->m->y0 + n;
    lbr_iteration it = lbr_newton_begin();

    while (it.n < ITERATIONS) {
        lbr_course course;

        if (!residual(z, z->m->y0, z->r) || !jacobian(z) || lbr_lu_factor(n, z->J, z->pivot)) return 0;
        lbr_lu_solve(n, z->J, z->pivot, z->r);
        for (int64_t i = 0; i < n; i++) p[i] += z->r[i];
        course = lbr_iteration_next(&it, lbr_largest_or_nan(n, z->r) / fmax(lbr_largest(n, p), LBR_SMALLEST));
        if (course == LBR_RUNS_AWAY) return 0;
        if (course == LBR_STALLS && is_rounding(z)) return 1;
        if (course == LBR_IS_SETTLED) break;
    }
    return lbr_iteration_small(&it) && jacobian(z) && is_solved(z);
}

static int newton(solving *z)
{
    int64_t n = z->m->nq, dim = z->m->dim;
    int good = 0;

    z->J = lbr_mem_alloc((size_t)(n * n + 2 * dim + 2 * n) * sizeof *z->J);
    z->pivot = lbr_mem_alloc((size_t)n * sizeof *z->pivot);
    if (z->J && z->pivot) {
        z->e = z->J + n * n, z->nudged = z->e + dim, z->column = z->nudged + dim, z->r = z->column + n;
        good = iterate(z);
    } else {
        z->m->dag.status = LBR_ENOMEM;
    }
    lbr_mem_free(z->J), lbr_mem_free(z->pivot);
    return good;
}

/* Where masses are on the diagonal no matrix is needed. */
static int diagonal(solving *z)
{
    lbr_model *m = z->m;
    int64_t n = m->nq;
    double *e = lbr_mem_alloc((size_t)(m->dim + 3 * n) * sizeof *e), *d = e ? e + m->dim : NULL, *r = e ? d + n : NULL,
           *w = e ? r + n : NULL;
    const double *input[40] = { m->y0, e };
    int good;

    if (!e) return m->dag.status = LBR_ENOMEM, 0;
    for (int64_t i = 0; i < n; i++) e[n + i] = 1;
    good = !lbr_code_run(z->tangent, m->t0, input, d) && !lbr_code_run(z->velocity, m->t0, input, r);
    for (int64_t i = 0; i < n && good; i++) m->y0[n + i] = d[i] != 0 ? (z->v[i] - r[i]) / d[i] : 0;
    good = good && !lbr_code_run(z->velocity, m->t0, input, w);
    for (int64_t i = 0; i < n && good; i++) good = fabs(w[i] - z->v[i]) <= 4e-16 * fabs(z->v[i]);
    lbr_mem_free(e);
    return good;
}

static int momenta_of_h(lbr_model *m, const double *v)
{
    int gradient = lbr_gradient(&m->dag, m->h, m->lo.state), piece, derivative, good;
    lbr_message message = { 0 };
    int64_t n = m->nq;
    solving z = { .m = m, .v = v };

    piece = gradient < 0 ? -1 : lbr_array_piece(&m->lo, gradient, n, 2 * n);
    derivative = piece < 0 ? -1 : lbr_directional_array(&m->dag, piece, m->lo.state, m->direction);
    if (derivative < 0) return 0;
    if (!lbr_affordable(&m->dag, piece, 3) || !lbr_affordable(&m->dag, derivative, 1)) return -1;
    good = !lbr_code_make(&z.velocity, &m->dag, &(lbr_output){ piece, 0, 0 }, 1, 0, &message) &&
           !lbr_code_make(&z.tangent, &m->dag, &(lbr_output){ derivative, 0, 0 }, 1, 0, &message);
    if (!good) m->dag.status = LBR_ENOMEM;
    if (good && !(good = diagonal(&z))) {
        memset(m->y0 + n, 0, (size_t)n * sizeof *m->y0);
        if (n <= MATRIX_MOST) good = lbr_affordable(&m->dag, derivative, 3 * (double)n) ? newton(&z) : -1;
    }
    lbr_code_free(z.velocity), lbr_code_free(z.tangent);
    return good;
}

/* --- from L ------------------------------------------------------------------------------------------------------ */

/* p = dL/dv at the start. */
static int momenta_of_l(lbr_model *m, const double *v)
{
    int gradient = lbr_gradient(&m->dag, m->l, m->lo.rate),
        piece = gradient < 0 ? -1 : lbr_array_piece(&m->lo, gradient, 0, m->nq), good;
    const double *input[40] = { m->y0, NULL, v };
    lbr_message message = { 0 };
    lbr_code *code = NULL;

    if (piece < 0) return 0;
    if (!lbr_affordable(&m->dag, piece, 1)) return -1;
    good = !lbr_code_make(&code, &m->dag, &(lbr_output){ piece, 0, 0 }, 1, 0, &message);
    if (!good) m->dag.status = LBR_ENOMEM;
    good = good && !lbr_code_run(code, m->t0, input, m->y0 + m->nq);
    for (int64_t i = 0; i < m->nq && good; i++) good = isfinite(m->y0[m->nq + i]);
    lbr_code_free(code);
    return good;
}

int lbr_model_momenta(lbr_model *m, const double *v) { return m->h < 0 ? momenta_of_l(m, v) : momenta_of_h(m, v); }
