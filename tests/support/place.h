/* place.h - a model at a point, and differences of its functions there in double-double.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_TEST_PLACE_H
#define LBR_TEST_PLACE_H

#include "modelled.h"
#include "precise.h"

static const double STEP = 0x1p-40;

/* A model at a point, and an evaluator of its graph. */
typedef struct place {
    modelled x;
    precise p;
    double *size, *y, t, *w;    /* of components; the point; room */
    lbr_dd *at, *v, *a, *b, *c; /* where the evaluator is, a direction, room */
} place;

static void begin(place *e)
{
    size_t n = (size_t)e->x.m->dim;

    precise_begin(&e->p, &e->x.m->dag);
    e->size = calloc(3 * n, sizeof *e->size), e->y = e->size + n, e->w = e->y + n;
    e->at = calloc(5 * n, sizeof *e->at), e->v = e->at + n, e->a = e->v + n, e->b = e->a + n, e->c = e->b + n;
    e->p.input[0] = e->at, e->p.input[1] = e->v;
    sizes(e->x.m, e->size);
}

static void end(place *e) { precise_end(&e->p), free(e->size), free(e->at); }

/* To y + s v at the time t + s r. */
static void go(place *e, double s, double r)
{
    for (int64_t i = 0; i < e->x.m->dim; i++) e->at[i] = dd_add(dd(e->y[i]), dd_scale(s, e->v[i]));
    e->p.t = dd_add(dd(e->t), dd_prod(s, r));
}

static void run(place *e, const lbr_function *f, lbr_dd *out) { precise_run(&e->p, f->array, f->node, out); }

/* The field, from whatever the model gives. */
static void field(place *e, lbr_dd *out)
{
    const lbr_functions *f = e->x.f;
    int64_t n = e->x.s->nq;

    if (f->field.code) {
        run(e, &f->field, out);
        return;
    }
    run(e, &f->force, out + n);
    if (f->velocity.code) run(e, &f->velocity, out);
    else
        for (int64_t i = 0; i < n; i++) out[i] = dd_scale(f->inverse_mass[i], e->at[n + i]);
}

/* The derivative in the direction v, with t moving at rate r, of a function or (NULL) of the field: (f(+) - f(-))/(2
 * s). */
static void difference(place *e, const lbr_function *f, double r, lbr_dd *out)
{
    int64_t n = f ? f->len : e->x.m->dim;
    lbr_dd *other = malloc((size_t)n * sizeof *other);

    go(e, STEP, r);
    if (f) run(e, f, out);
    else field(e, out);
    go(e, -STEP, r);
    if (f) run(e, f, other);
    else field(e, other);
    for (int64_t i = 0; i < n; i++) out[i] = dd_scale(0.5 / STEP, dd_sub(out[i], other[i]));
    go(e, 0, 0);
    free(other);
}

/* The largest |a - b| weight, over the largest |b| weight. */
static double apart(const lbr_dd *a, const lbr_dd *b, const double *weight, int64_t n)
{
    double worst = 0, most = 0;

    for (int64_t i = 0; i < n; i++) {
        double w = weight ? weight[i] : 1, d = fabs(dd_sub(a[i], b[i]).hi) * w;

        most = fmax(most, fabs(b[i].hi) * w), worst = d <= worst ? worst : isnan(d) ? HUGE_VAL : d;
    }
    return worst / (most > 0 ? most : 1);
}

/* Directions of the size of the variables, and component i alone. */
static void direction(place *e, int64_t seed)
{
    for (int64_t i = 0; i < e->x.m->dim; i++) e->v[i] = dd(e->size[i] * any(seed, i));
}
static void component(place *e, int64_t i)
{
    memset(e->v, 0, (size_t)e->x.m->dim * sizeof *e->v), e->v[i] = dd(e->size[i]);
}

#endif
