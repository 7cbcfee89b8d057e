/* peer_gsl.c - steppers of the GNU Scientific Library. SPDX-License-Identifier: BSD-3-Clause */
#include "peers.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_odeiv2.h>
#include <string.h>

enum { MOST = 36 };

static int field(double t, const double y[], double dydt[], void *params)
{
    const lbr_system *s = params;

    for (int64_t i = 0; i < s->nq; i++) dydt[i] = s->inverse_mass[i] * y[s->nq + i];
    return s->force(t, y, dydt + s->nq, s->ctx) ? GSL_EFAILED : GSL_SUCCESS;
}

static int steps(const gsl_odeiv2_step_type *type, const lbr_system *s, double h, int64_t n, double *y)
{
    gsl_odeiv2_system system = { field, NULL, (size_t)s->dim, (void *)s };
    gsl_odeiv2_step *step = gsl_odeiv2_step_alloc(type, (size_t)s->dim);
    double error[MOST], in[MOST], out[MOST];
    int bad = !step || field(0, y, in, (void *)s);

    for (int64_t k = 0; k < n && !bad; k++) {
        bad = gsl_odeiv2_step_apply(step, (double)k * h, h, y, error, in, out, &system);
        memcpy(in, out, (size_t)s->dim * sizeof *in);
    }
    if (step) gsl_odeiv2_step_free(step);
    return bad;
}

static int rk4(const lbr_system *s, double h, int64_t n, double *y) { return steps(gsl_odeiv2_step_rk4, s, h, n, y); }
static int rk8pd(const lbr_system *s, double h, int64_t n, double *y)
{
    return steps(gsl_odeiv2_step_rk8pd, s, h, n, y);
}

const peer peers_gsl[] = { { "GSL", "rk4", rk4 }, { "GSL", "rk8pd", rk8pd }, { 0 } };
