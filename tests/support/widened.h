/* widened.h - a system padded with coordinates at rest to a width for which there is no instance.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEST_WIDENED_H
#define TEST_WIDENED_H
#include "problems.h"

enum { WIDE = 5 };

static const lbr_system *within(void *ctx) { return &((const problem *)ctx)->system; }

/* Between y of the padded system and y of the one inside; back puts zeros where there is nothing. */
static void pick(const lbr_system *s, const double *y, double *x)
{
    for (int64_t i = 0; i < s->dim; i++) x[i] = y[s->nq > 0 && i >= s->nq ? WIDE + i - s->nq : i];
}

static void put(const lbr_system *s, const double *x, double *y)
{
    memset(y, 0, (s->nq > 0 ? 2 : 1) * WIDE * sizeof *y);
    for (int64_t i = 0; i < s->dim; i++) y[s->nq > 0 && i >= s->nq ? WIDE + i - s->nq : i] = x[i];
}

static void rest(const lbr_system *s, double *out)
{
    for (int64_t i = s->nq; i < WIDE; i++) out[i] = 0;
}

static int wide_force(double t, const double *q, double *f, void *ctx)
{
    return rest(within(ctx), f), within(ctx)->force(t, q, f, NULL);
}
static int wide_velocity(double t, const double *p, double *v, void *ctx)
{
    return rest(within(ctx), v), within(ctx)->velocity(t, p, v, NULL);
}

#define WIDE_FN(name, callback, whole)                                 \
    static int name(double t, const double *y, double *out, void *ctx) \
    {                                                                  \
        const lbr_system *s = within(ctx);                             \
        double x[PROBLEM_DIM], f[PROBLEM_DIM];                         \
        int bad = (pick(s, y, x), s->callback(t, x, f, NULL));         \
        if (whole) return put(s, f, out), bad;                         \
        memcpy(out, f, (size_t)s->nq * sizeof *f);                     \
        return rest(s, out), bad;                                      \
    }
WIDE_FN(wide_field, field, 1)
WIDE_FN(wide_dHdq, dHdq, 0)
WIDE_FN(wide_dHdp, dHdp, 0)

static int wide_jvp(double t, const double *y, const double *v, double *out, void *ctx)
{
    double x[PROBLEM_DIM], u[PROBLEM_DIM], f[PROBLEM_DIM];
    int bad = (pick(within(ctx), y, x), pick(within(ctx), v, u), within(ctx)->field_jvp(t, x, u, f, NULL));

    return put(within(ctx), f, out), bad;
}

static lbr_system widened(const problem *p)
{
    const lbr_system *s = &p->system;

    return LBR_SYSTEM(.name = s->name, .ctx = (void *)p, .dim = s->nq > 0 ? 2 * WIDE : WIDE, .nq = s->nq > 0 ? WIDE : 0,
                      .inverse_mass = s->inverse_mass, .field = s->field ? wide_field : NULL,
                      .force = s->force ? wide_force : NULL, .velocity = s->velocity ? wide_velocity : NULL,
                      .dHdq = s->dHdq ? wide_dHdq : NULL, .dHdp = s->dHdp ? wide_dHdp : NULL,
                      .field_jvp = s->field_jvp ? wide_jvp : NULL);
}
#endif
