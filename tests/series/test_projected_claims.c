/* test_projected_claims.c - order and symmetry of projected methods as they are stated, and as they are.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support/manifolds.h"

/* A manifold that moves and has no symmetry, and constraints with masses that depend on positions. */
static const char driven_text[] =
    "state y[3]\nlet s = sqrt(1 + t/2), x = [y[1], s*y[2], y[3]], v = cross(x, [1 + cos(3*t), sin(2*t), x[1]*sin(t)])\n"
    "y' = [v[1], v[2]/s - y[2]/(4*s^2), v[3]]\nconstraint ellipsoid = sq(x) - 1\nstart y = [cos(0.9), 0, sin(0.9)]\n";

static modelled driven, surface;

/* n: steps to begin with where the slope is measured; 0: it is not. note: what has to be in it; "": there is none.
 * looked: one step there and back says nothing of the trajectory, which nobody has projected; or what is projected is
 * on the surface anyway. */
static const struct claim {
    const char *text;
    int order, symmetric;
    int64_t n;
    const char *note;
    int looked;
} row[] = {
    { "project(symmetric, midpoint)", 2, 1, 20, "", 0 },
    { "project(standard, midpoint)", 2, 0, 20, "", 0 },
    { "local(standard, midpoint)", 2, 0, 20, "", 0 },
    { "project(symmetric, midpoint, at = midpoint)", 2, 1, 20, "", 0 },
    { "project(symmetric, midpoint, at = start)", 2, 0, 20, "", 0 },
    { "project(symmetric, gauss:2, at = start)", 4, 0, 10, "", 0 },
    { "project(post, midpoint)", 2, 1, 20, "", 1 },
    { "project(standard, compose(suzuki:4, midpoint))", 4, 0, 10, "", 0 },
    { "project(post, compose(suzuki:4, midpoint))", 4, 1, 10, "", 1 },
    { "compose(suzuki:4, project(symmetric, midpoint))", 4, 1, 10, "", 0 },
    { "compose(suzuki:4, local(symmetric, midpoint))", 4, 1, 10, "", 0 },
    { "compose(suzuki:4, project(symmetric, midpoint, at = midpoint))", 4, 1, 10, "", 0 },
    { "compose(suzuki:4, project(standard, midpoint))", 3, 0, 10, "'project(standard, midpoint)' is not symmetric", 0 },
    { "compose(suzuki:4, project(post, midpoint))", 3, 0, 10, "'project(post, midpoint)' is not symmetric", 0 },
    { "compose(suzuki:4, local(standard, midpoint))", 3, 0, 10, "'local(standard, midpoint)' is not symmetric", 0 },
    { "compose(suzuki:4, project(symmetric, midpoint, at = start))", 3, 0, 10, "at = start)' is not symmetric", 0 },
    { "compose(suzuki:4, project(post, compose(strang, midpoint)))", 3, 0, 10, "is not symmetric", 0 },
    { "compose(yoshida-6-7, project(standard, midpoint))", 3, 0, 10, "'yoshida-6-7' has order 6", 0 },
    { "compose(yoshida-6-7, project(symmetric, midpoint))", 6, 1, 0, "", 0 },
    { "compose(suzuki:6, project(standard, gauss:2))", 5, 0, 3, "'suzuki:6' has order 6", 0 },
    { "compose(suzuki:4, project(standard, gauss:2))", 4, 0, 10, "", 0 },
    { "compose(suzuki:4, compose(suzuki:4, project(standard, midpoint)))", 3, 0, 0, "is not symmetric", 0 },
    { "project(standard, compose(suzuki:4, project(symmetric, midpoint)))", 4, 0, 10, "", 1 },
    { "project(symmetric, compose(suzuki:4, project(standard, midpoint)))", 3, 0, 10, "is not symmetric", 0 },
    { "compose(suzuki:4, project(symmetric, explicit-euler))", 1, 0, 0, "'suzuki:4' has order 4", 0 },
    { "compose(strang, project(symmetric, explicit-euler))", 2, 1, 20, "", 0 },
    { "adjoint(project(symmetric, explicit-euler))", 1, 0, 200, "", 0 },
};
enum { ROWS = sizeof row / sizeof *row };

static double exact[MANIFOLD_DIM];

/* What is stated must be what is measured, neither more nor less. */
static void stated(const struct claim *r)
{
    const lbr_method_info *info = NULL, *planned = NULL;
    lbr_plan *plan = NULL;
    lbr_status status = lbr_method_describe(&info, r->text);

    if (!ok(!status && info->order == r->order && info->symmetric == r->symmetric, "%s: order %d, %s", r->text,
            r->order, r->symmetric ? "symmetric" : "not symmetric"))
        printf("# %s; order %d, symmetric %d\n", info ? info->message : "", info ? info->order : -1,
               info ? info->symmetric : -1);
    ok(!status && !*info->note == !*r->note && strstr(info->note, r->note), "with this note: %s",
       status ? "" : info->note);
    ok(!lbr_plan_create(&plan, r->text, surface.s, NULL) && !lbr_plan_info(&planned, plan) &&
           planned->order == r->order && planned->symmetric == r->symmetric && !*planned->note == !*r->note,
       "a plan tells the same");
    lbr_method_free(info), lbr_method_free(planned), lbr_plan_free(plan);
}

static void measured(const struct claim *r)
{
    double back = retraced(&driven, r->text, r->text, 0.2), coarse, fine;

    if (!r->looked)
        ok(r->symmetric ? back < 1e-14 : back > 1e-11, "%s %s: %.1e", r->text,
           r->symmetric ? "retraces its step" : "does not retrace", back);
    if (!r->n) return;
    coarse = error_after(&driven, r->text, 1, r->n, exact), fine = error_after(&driven, r->text, 1, 2 * r->n, exact);
    near(log2(coarse / fine), r->order, 0.35, "and its error falls like that");
}

/* The same expressions as the certificates have them. */
static void certified(void)
{
    const lbr_certificate *c;
    int order = -1, symmetric = -1;

    ok(!lbr_certify(&c, "compose(suzuki:4, project(standard, midpoint))", NULL), "a certificate");
    for (int64_t i = 0; i < c->n; i++) {
        if (!strcmp(c->check[i]->property, "order")) order = c->check[i]->found;
        if (!strcmp(c->check[i]->property, "symmetric")) symmetric = c->check[i]->found;
    }
    ok(order == 3 && symmetric == 0, "has order 3 and no symmetry");
    lbr_certificate_free(c);
}

/* With the directions of the beginning the adjoint has those of the end; where they do not change, the step retraces,
 * which nobody can know beforehand. */
static void refusals(void)
{
    refused_in(driven.s, "adjoint(project(symmetric, midpoint, at = start))", driven.m->y0, 0.1, 1, LBR_EUNFIT,
               "'at = start'");
    refused_in(driven.s, "compose(strang, project(symmetric, explicit-euler, at = start))", driven.m->y0, 0.1, 1,
               LBR_EUNFIT, "'at = start'");
    refused_in(driven.s, "adjoint(project(post, explicit-euler))", driven.m->y0, 0.1, 1, LBR_EUNFIT, "the adjoint of");
    refused_in(driven.s, "adjoint(local(standard, explicit-euler))", driven.m->y0, 0.1, 1, LBR_EUNFIT,
               "the adjoint of");
}

int main(void)
{
    if (!open_text(&driven, driven_text) || !open_text(&surface, ellipsoid_text))
        return printf("Bail out! no model\n"), 2;
    memcpy(exact, driven.m->y0, (size_t)driven.m->dim * sizeof *exact);
    ok(!run(driven.s, "gauss:6", NULL, 1.0 / 40, 40, exact), "a reference");
    for (int i = 0; i < ROWS; i++) stated(&row[i]), measured(&row[i]);
    certified(), refusals();
    close_model(&driven), close_model(&surface);
    return tap_done();
}
