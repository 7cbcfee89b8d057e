/* test_failing_functions.c - where a function of the system fails in a step, the message names the one that was given.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support/tap.h"
#include "libration/options.h"
#include "libration/plan.h"

#include <math.h>
#include <string.h>

static double one[1] = { 1 };

/* A pendulum that falls from rest at 1 and may not come below 0.92; all functions know only their side of that. */
static int force(double t, const double *q, double *f, void *ctx)
{
    (void)t, (void)ctx;
    return *f = -sin(*q), *q < 0.92;
}

static int velocity(double t, const double *p, double *v, void *ctx) { return (void)t, (void)ctx, *v = *p, 0; }
static int dHdq(double t, const double *y, double *g, void *ctx) { return (void)t, (void)ctx, *g = sin(*y), *y < 0.92; }
static int dHdp(double t, const double *y, double *g, void *ctx) { return (void)t, (void)ctx, *g = y[1], 0; }

static int field(double t, const double *y, double *f, void *ctx)
{
    (void)t, (void)ctx;
    return f[0] = y[1], f[1] = -sin(*y), *y < 0.92;
}

static int force_block(int64_t w, const double *t, const double *q, double *f, void *ctx)
{
    int bad = 0;

    for (int64_t l = 0; l < w; l++) bad |= force(t[l], q + l, f + l, ctx);
    return bad;
}

/* The message of a run that fails. */
static const char *told(const lbr_system *s, const char *method, const char *solver)
{
    static char text[500];
    const double y[] = { 1, 0 };
    lbr_options o;
    lbr_plan *p = NULL;
    lbr_status status;

    lbr_options_init(&o), lbr_option_set(&o, "solver", solver);
    if (!(status = lbr_plan_create(&p, method, s, &o)) && !(status = lbr_start(p, 0, 0.1, y)))
        status = lbr_run(p, 100, 0, NULL, NULL);
    snprintf(text, sizeof text, "%d %s", status == LBR_ECALLBACK, p ? lbr_plan_message(p) : "");
    lbr_plan_free(p);
    return text;
}

static void names(const lbr_system *s, const char *method, const char *solver, const char *what)
{
    const char *text = told(s, method, solver);
    char start[200];

    snprintf(start, sizeof start, "the system's %s reported a failure", what);
    ok(*text == '1' && strstr(text, start), "%s, %s: %s", method, solver, text);
}

int main(void)
{
    const lbr_system forced = LBR_SYSTEM(.dim = 2, .nq = 1, .force = force, .inverse_mass = one),
                     blocked = LBR_SYSTEM(.dim = 2, .nq = 1, .force = force, .force_block = force_block,
                                          .inverse_mass = one),
                     moving = LBR_SYSTEM(.dim = 2, .nq = 1, .force = force, .velocity = velocity),
                     gradient = LBR_SYSTEM(.dim = 2, .nq = 1, .dHdq = dHdq, .dHdp = dHdp),
                     whole = LBR_SYSTEM(.dim = 2, .field = field);

    names(&forced, "gauss:2", "fixed-point", "force"), names(&forced, "rk4", "fixed-point", "force");
    names(&blocked, "gauss:2", "fixed-point", "force or force_block");
    names(&moving, "gauss:2", "fixed-point", "force or velocity function");
    names(&moving, "rk4", "fixed-point", "force or velocity function");
    names(&gradient, "gauss:2", "fixed-point", "dHdq or dHdp"), names(&gradient, "rk4", "fixed-point", "dHdq or dHdp");
    names(&whole, "gauss:2", "fixed-point", "field"), names(&whole, "rk4", "fixed-point", "field");
    ok(strstr(told(&forced, "gauss:2", "fixed-point"), "try a smaller step"), "implicit steps: try a smaller step");
    ok(!strstr(told(&forced, "rk4", "fixed-point"), "smaller"), "explicit steps: no word of it");
    return tap_done();
}
