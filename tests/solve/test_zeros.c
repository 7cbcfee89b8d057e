/* test_zeros.c - iterations where components pass zero: rounding is no failure. SPDX-License-Identifier: BSD-3-Clause
 *
 * Each start is what a step back from a place makes of it where some components, or all positions, or all momenta, are
 * small, or exactly 0: the step then ends there, and what it adds is far larger than what it makes. */
#include "support/modelled.h"
#include "support/share.h"

#include "libration/plan.h"

/* of each kind: 10^4 of each model, where steps are symmetric */
enum { MANY = 1250, SOME = 250, KINDS = 8, MOST = 64 };
typedef enum { ANYWHERE, ONE_SMALL, SMALL_Q, SMALL_P, ONE_ZERO, ALL_SMALL, ZERO_P, ZERO_Q } kind;
static const char *const kind_name[KINDS] = { "anywhere", "one small", "small q", "small p",
                                              "one zero", "all small", "p = 0",   "q = 0" };

/* without: bits of kinds at which gradients depend on one another */
typedef struct row {
    const char *model;
    double h;
    unsigned without;
} row;
static const row models[] = {
    { "pendulum", 0.05, 0 },     { "double-well", 0.05, 0 },    { "harmonic-oscillator", 0.05, 0 },
    { "henon-heiles", 0.05, 0 }, { "fpu-alpha-beta", 0.05, 0 }, { "toda", 0.05, 1u << ALL_SMALL }
};

static int64_t drawn;
static double draw(void) { return any(16, drawn++); } /* in (-1, 1) */

static void place(const modelled *x, const double *size, kind what, double *y)
{
    int64_t n = x->m->dim, nq = x->s->nq, one = (int64_t)((draw() + 1) / 2 * (double)n) % n;
    double small = pow(10, -10 * (1 + draw()));

    for (int64_t i = 0; i < n; i++) y[i] = x->m->y0[i] + 0.5 * size[i] * draw();
    if (what == ONE_SMALL) y[one] = small * size[one] * draw();
    if (what == ONE_ZERO) y[one] = 0;
    for (int64_t i = 0; i < n; i++) {
        if (what == ALL_SMALL) y[i] *= small;
        if (what == (i < nq ? SMALL_Q : SMALL_P)) y[i] = small * size[i] * draw();
        if (what == (i < nq ? ZERO_Q : ZERO_P)) y[i] = 0;
    }
}

/* A step back and one forward, which is to come back; *far: how far it is off, relative to all of y, or to 1: near an
 * equilibrium H tells no more than half of the digits. 0: a step failed. */
static int there_and_back(lbr_plan *plan, const modelled *x, double h, const double *y, double *far)
{
    double z[MOST], off = 0, size = 1;

    memcpy(z, y, (size_t)x->m->dim * sizeof *z);
    if (lbr_map(plan, x->m->t0, -h, z) || lbr_map(plan, x->m->t0, h, z)) return 0;
    for (int64_t i = 0; i < x->m->dim; i++) off = fmax(off, fabs(z[i] - y[i])), size = fmax(size, fabs(y[i]));
    return *far = fmax(*far, off / size), 1;
}

/* worst: what is left after both steps; rounding for symmetric methods, their error otherwise. */
static void starts(const row *r, const char *method, const char *compensated, int n, double worst)
{
    double size[MOST], y[MOST], far = 0;
    lbr_options o;
    lbr_plan *plan = NULL;
    modelled x;
    int bad = 0, made = open_model(&x, r->model);

    n /= (int)share(1, 2, 10); /* make test: half of them, under sanitizers a tenth */
    lbr_options_init(&o), lbr_option_set(&o, "compensated", compensated);
    made = made && !lbr_plan_create(&plan, method, x.s, &o);
    if (made) sizes(x.m, size);
    for (int what = 0; made && what < KINDS; what++) {
        for (int k = 0; k < n && !(r->without >> what & 1); k++) {
            place(&x, size, (kind)what, y);
            if (there_and_back(plan, &x, r->h, y, &far) || bad++) continue;
            printf("# %s: %s; from", kind_name[what], lbr_plan_message(plan));
            for (int64_t i = 0; i < x.m->dim; i++) printf(" %.17g", y[i]);
            puts("");
        }
    }
    ok(made && !bad && far <= worst, "%s: %s, compensated = %s: %d of %d starts fail, and back to %.2g", r->model,
       method, compensated, bad, KINDS * n, far);
    lbr_plan_free(plan), close_model(&x);
}

/* What has no solution, or none that iterations find, is reported as before. */
static void failures(void)
{
    static const char *const method[] = { "project(symmetric, rk4)", "project(standard, rk4)",
                                          "local(symmetric, midpoint)" };
    const double y[] = { 0.3, 0.9 };
    double back[2] = { y[0], y[1] };
    modelled x;
    int made = open_model(&x, "double-well");
    lbr_plan *far;

    ok(made && !lbr_plan_create(&far, "project(symmetric, midpoint)", x.s, NULL) && !lbr_map(far, 0, 5, back) &&
           !lbr_map(far, 0, -5, back) && fabs(back[0] - y[0]) + fabs(back[1] - y[1]) < 1e-12,
       "double-well: project(symmetric, midpoint) with a step of 5 is found by Newton's method, and retraced");
    if (made) lbr_plan_free(far);

    for (size_t i = 0; made && i < sizeof method / sizeof *method; i++) {
        double z[2] = { y[0], y[1] };
        lbr_plan *plan;
        lbr_status status = lbr_plan_create(&plan, method[i], x.s, NULL);

        if (!status) status = lbr_map(plan, 0, 5, z);
        ok(status == LBR_ENOCONV && z[0] == y[0] && z[1] == y[1], "double-well: %s with a step of 5: %s", method[i],
           lbr_plan_message(plan));
        lbr_plan_free(plan);
    }
    close_model(&x);
}

int main(void)
{
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        starts(&models[i], "project(symmetric, midpoint)", "no", MANY, 1e-7);
        starts(&models[i], "project(symmetric, midpoint)", "yes", SOME, 1e-7);
        starts(&models[i], "project(symmetric, rk4)", "no", MANY, 0.03);
        starts(&models[i], "project(standard, midpoint)", "no", SOME, 0.03);
        starts(&models[i], "local(standard, midpoint)", "no", SOME, 0.03);
        starts(&models[i], "local(symmetric, midpoint)", "no", SOME, 1e-7);
    }
    failures();
    return tap_done();
}
