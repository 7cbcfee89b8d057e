/* test_projected_time.c - what depends on t is projected onto only where the flow keeps it.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support/manifolds.h"

static const char *const methods[] = {
    "project(standard, rk4, H)", "project(symmetric, midpoint, H)", "project(post, rk4, H)",
    "local(standard, rk4, H)",   "local(symmetric, midpoint, H)",   "compose(suzuki:4, project(symmetric, midpoint, H))"
};
enum { METHODS = sizeof methods / sizeof *methods };

/* --- models: known when a plan is made --------------------------------------------------------------------------- */

static const struct {
    const char *text, *words;
} refused[] = {
    { "canonical q, p\nH = p^2/2 + q^2/2 - q*sin(t)\nstart q = 1, p = 0\n", "depends on t" },
    { "canonical q, p\nH = p^2/2 + cos(t)*q^2/2\ninvariant C = 0*q + 1\nstart q = 1, p = 0\n", "depends on t" },
    { "canonical q[3], p[3]\n"
      "H = sq(p)/2 + q[3]*(1 + sin(t))\n"
      "constraint length = sq(q) - 1\n"
      "start q = [1, 0, 0], p = [0, 1, 0]\n",
      "depends on t" },
    { "canonical q, p\nH = p^2/2 + q^2/2\nrayleigh = 0.1*q'^2/2\nstart q = 1, p = 0\n", "friction" },
};

static void in_models(void)
{
    for (size_t k = 0; k < sizeof refused / sizeof *refused; k++) {
        modelled x;

        if (!ok(open_text(&x, refused[k].text), "model %d", (int)k + 1)) continue;
        for (int i = 0; i < METHODS; i++) {
            lbr_plan *plan;
            lbr_status status = lbr_plan_create(&plan, methods[i], x.s, NULL);

            ok(status == LBR_EUNFIT && strstr(lbr_plan_message(plan), refused[k].words) &&
                   strstr(lbr_plan_message(plan), "not kept"),
               "%s: %s", methods[i], lbr_plan_message(plan));
            lbr_plan_free(plan);
        }
        close_model(&x);
    }
}

/* Without a name, where there is nothing else to go onto. */
static void unnamed(void)
{
    modelled x;

    if (ok(open_text(&x, refused[0].text), "H(t) alone"))
        refused_in(x.s, "project(standard, rk4)", x.m->y0, 0.1, 1, LBR_EUNFIT, "depends on t");
    close_model(&x);
}

/* --- invariants with t in them ----------------------------------------------------------------------------------- */

static const char falling_text[] = "canonical q, p\n"
                                   "H = p^2/2 + 2*q + sin(3*t)*q\n"
                                   "invariant I = p + 2*t - cos(3*t)/3, bad = p + 2*t, cosine = p^2*cos(t - t^3)\n"
                                   "start q = 1, p = 0.5\n";

/* One that the flow keeps is kept, at its own times. */
static void invariants(void)
{
    static const char *const good[] = { "project(standard, explicit-euler, I)", "project(symmetric, midpoint, I)",
                                        "project(post, rk4, I)", "local(symmetric, midpoint, I)" };
    static const char *const bad[] = { "project(standard, explicit-euler, bad)",
                                       "project(symmetric, midpoint, bad)",
                                       "project(post, rk4, bad)",
                                       "local(standard, rk4, bad)",
                                       "local(symmetric, midpoint, bad)",
                                       "project(standard, rk4, cosine)" };
    modelled x;

    if (!ok(open_text(&x, falling_text), "a fall")) return;
    for (int i = 0; i < 4; i++) {
        double y[2];

        memcpy(y, x.m->y0, sizeof y);
        ok(!run(x.s, good[i], NULL, 0.05, 40, y), "%s goes on", good[i]);
        near(y[1], 0.5 - 1.0 / 3 - 4 + cos(6) / 3, 1e-14, "and is right in p");
    }
    for (int i = 0; i < 6; i++) refused_in(x.s, bad[i], x.m->y0, 0.1, 3, LBR_EUNFIT, "not kept");
    close_model(&x);
}

/* --- in C: seen where a trajectory starts ------------------------------------------------------------------------ */

static int force(double t, const double *q, double *f, void *ctx) { return f[0] = -q[0] + *(double *)ctx * cos(t), 0; }
static int energy(double t, const double *y, double *H, void *ctx)
{
    return *H = (y[0] * y[0] + y[1] * y[1]) / 2 - *(double *)ctx * y[0] * cos(t), 0;
}

static void in_c(void)
{
    static const double one[] = { 1 }, y0[] = { 1, 0 };
    double by = 1;
    lbr_system s = LBR_SYSTEM(.name = "driven", .ctx = &by, .dim = 2, .nq = 1, .force = force, .inverse_mass = one,
                              .energy = energy);

    for (int i = 0; i < METHODS; i++) refused_in(&s, methods[i], y0, 0.1, 3, LBR_EUNFIT, "depends on t");
    by = 0;
    for (int i = 0; i < METHODS; i++) {
        double y[2] = { 1, 0 };

        ok(!run(&s, methods[i], NULL, 0.1, 3, y), "%s, where nothing depends on t", methods[i]);
    }
}

int main(void)
{
    in_models(), unnamed(), invariants(), in_c();
    return tap_done();
}
