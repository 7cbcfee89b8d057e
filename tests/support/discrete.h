/* discrete.h - systems y' = B(y) grad H, and what discrete gradients must do on them; for tests.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DISCRETE_H
#define DISCRETE_H
#include "analysis.h"
#include "modelled.h"

/* Lotka-Volterra with its bracket {u, v} = u v (HLW VII.2.3): u' = u (v - 2), v' = v (1 - u). */
static int volterra_energy(double t, const double *y, double *H, void *ctx)
{
    return (void)t, (void)ctx, *H = y[0] - log(y[0]) + y[1] - 2 * log(y[1]), 0;
}
static int volterra_gradient(double t, const double *y, double *g, void *ctx)
{
    return (void)t, (void)ctx, g[0] = 1 - 1 / y[0], g[1] = 1 - 2 / y[1], 0;
}
static int volterra_structure(double t, const double *y, const double *v, double *out, void *ctx)
{
    (void)t, (void)ctx;
    out[0] = y[0] * y[1] * v[1], out[1] = -y[0] * y[1] * v[0];
    return 0;
}

static const lbr_poisson volterra_poisson = { sizeof(lbr_poisson), volterra_gradient, volterra_structure };

UNUSED static problem volterra(void)
{
    return (problem){ LBR_SYSTEM(.name = "volterra", .dim = 2, .field = lotka_field, .energy = volterra_energy,
                                 .poisson = &volterra_poisson),
                      .h = 0.1, .y = { 4, 2 } };
}

/* An H that mixes everything, with a bracket that is linear in y: as models give it. */
static modelled discrete_model;
#define DISCRETE_TEXT                                      \
    "state x, y, z\n"                                      \
    "poisson {x, y} = z, {y, z} = x, {z, x} = y\n"         \
    "H = x^2/2 + y^2 + 3*z^2/4 + x*y*z/3 + sin(x + y)/5\n" \
    "start x = 0.8, y = 0.4, z = 1.1\n"

UNUSED static problem lie_poisson(void)
{
    problem p = { .h = 0.1 };

    if (!discrete_model.s && !open_text(&discrete_model, DISCRETE_TEXT)) printf("Bail out! the model\n"), exit(2);
    p.system = *discrete_model.s, p.system.name = "lie-poisson";
    memcpy(p.y, discrete_model.m->y0, 3 * sizeof *p.y);
    return p;
}

static double energy_of(const problem *p, const double *y)
{
    double H = NAN;

    return p->system.energy(0, y, &H, p->system.ctx) ? NAN : H;
}

UNUSED static int gradient_of(const problem *p, const double *y, double *g)
{
    const lbr_system *s = &p->system;
    int64_t nq = s->nq;

    if (s->poisson) return s->poisson->gradient(0, y, g, s->ctx);
    if (s->dHdq) return s->dHdq(0, y, g, s->ctx) | s->dHdp(0, y, g + nq, s->ctx);
    if (s->force(0, y, g, s->ctx) || (s->velocity && s->velocity(0, y + nq, g + nq, s->ctx))) return 1;
    for (int64_t i = 0; i < nq; i++) g[i] = -g[i];
    for (int64_t i = 0; i < nq && !s->velocity; i++) g[nq + i] = s->inverse_mass[i] * y[nq + i];
    return 0;
}

static void turned(const problem *p, const double *y, const double *v, double *out)
{
    int64_t nq = p->system.nq;

    if (p->system.poisson) {
        p->system.poisson->structure(0, y, v, out, p->system.ctx);
        return;
    }
    for (int64_t i = 0; i < nq; i++) out[i] = v[nq + i], out[nq + i] = -v[i];
}

/* The largest change of H over n steps. */
UNUSED static double energy_drift(const problem *p, const char *method, double h, int n)
{
    double y[PROBLEM_DIM], worst = 0, H0 = energy_of(p, p->y);
    lbr_plan *plan = plan_of(p, method, NULL);

    memcpy(y, p->y, sizeof y);
    for (int k = 0; k < n; k++) {
        double off;

        step(plan, p->system.dim, 0, h, y);
        off = fabs(energy_of(p, y) - H0);
        worst = off <= worst ? worst : off;
    }
    lbr_plan_free(plan);
    return worst;
}

/* How far one step is from y1 = y + h B((y + y1)/2) gradb(y, y1), `gradb` being worked out in another way. */
typedef void gradient_fn(const problem *p, const double *y, const double *y1, double *out);
UNUSED static double formula_off(const problem *p, const char *method, double h, gradient_fn *gradb)
{
    double y[PROBLEM_DIM], mid[PROBLEM_DIM], g[PROBLEM_DIM], d[PROBLEM_DIM], off = 0;
    lbr_plan *plan = plan_of(p, method, NULL);
    int64_t n = p->system.dim;

    memcpy(y, p->y, sizeof y), step(plan, n, 0, h, y);
    gradb(p, p->y, y, g);
    for (int64_t i = 0; i < n; i++) mid[i] = (y[i] + p->y[i]) / 2;
    turned(p, mid, g, d);
    for (int64_t i = 0; i < n; i++) {
        double r = fabs(y[i] - p->y[i] - h * d[i]);
        off = r <= off ? off : r;
    }
    lbr_plan_free(plan);
    return off;
}
#endif
