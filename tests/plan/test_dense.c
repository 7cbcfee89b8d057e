/* test_dense.c - dense output of collocation methods: HLW II.1.3 and Lemma II.1.6, for and against.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support/analysis.h"
#include "support/tap.h"

#define TEXTS(...)                                                                                          \
    {                                                                                                       \
        sizeof(const char *[]){ __VA_ARGS__ } / sizeof(const char *), (const char *const[]) { __VA_ARGS__ } \
    }
enum { DEGREE = 8 };

/* Stages, and how many orders the ends gain over the inside: local errors are h^(s+1) there, h^(s+1+gain) here (HLW
 * II.1.5). */
static const struct method {
    const char *name;
    int s, gain;
    double c[3];
} methods[] = {
    { "midpoint", 1, 1, { 0.5 } },
    { "trapezoidal", 2, 0, { 0, 1 } },
    { "gauss:2", 2, 2, { 0.2113248654051871177, 0.7886751345948128823 } },
    { "gauss:3", 3, 3, { 0.1127016653792583115, 0.5, 0.8872983346207416885 } },
    { "radau-2a:2", 2, 1, { 1 / 3.0, 1 } },
    { "lobatto-3a:3", 3, 1, { 0, 0.5, 1 } },
    { "collocation(1/4, 5/6)", 2, 1, { 0.25, 5 / 6.0 } },
    { "collocation(0.2, 0.7)", 2, 0, { 0.2, 0.7 } },
    { "collocation(0, 1/3, 0.9)", 3, 0, { 0, 1 / 3.0, 0.9 } },
    { "theta(1)", 1, 0, { 1 } },
    { "adjoint(radau-2a:2)", 2, 1, { 0, 2 / 3.0 } },
};
enum { METHODS = sizeof methods / sizeof *methods };

/* A started plan after n steps, or NULL. */
static lbr_plan *after(const problem *p, const char *method, const lbr_options *o, double h, int64_t n)
{
    lbr_plan *plan = plan_of(p, method, o);

    if (plan && !lbr_start(plan, p->t0, h, p->y) && !lbr_run(plan, n, 0, NULL, NULL)) return plan;
    lbr_plan_free(plan);
    return NULL;
}

/* --- the polynomial ---------------------------------------------------------------------------------------------- */

/* The ends are the method's own values: the last one to the bit. */
static void ends(const problem *p)
{
    for (int i = 0; i < METHODS; i++) {
        lbr_plan *plan = after(p, methods[i].name, NULL, 0.1, 3);
        double y0[PROBLEM_DIM], y1[PROBLEM_DIM], u0[PROBLEM_DIM], u1[PROBLEM_DIM];
        int good = plan && !lbr_read(plan, NULL, y0) && !lbr_run(plan, 1, 0, NULL, NULL) && !lbr_read(plan, NULL, y1) &&
                   !lbr_state_dense(lbr_plan_state(plan), -1, u0) && !lbr_state_dense(lbr_plan_state(plan), 0, u1);

        ok(good && distance(p->system.dim, u0, y0) < 1e-15 && distance(p->system.dim, u1, y1) == 0,
           "%s on %s: u = y at both ends", methods[i].name, p->system.name);
        lbr_plan_free(plan);
    }
}

/* u at s + 1 equidistant places, and there its Lagrange polynomial and its derivative with respect to theta. */
static int sample(lbr_plan *plan, int s, double u[][PROBLEM_DIM])
{
    for (int k = 0; k <= s; k++)
        if (lbr_state_dense(lbr_plan_state(plan), -1 + (double)k / s, u[k])) return 0;
    return 1;
}

static double slope_at(int s, double u[][PROBLEM_DIM], int64_t i, double theta)
{
    double sum = 0;

    for (int k = 0; k <= s; k++) {
        double x = -1 + (double)k / s, d = 0;

        for (int m = 0; m <= s; m++) {
            double product = 1;

            if (m == k) continue;
            for (int l = 0; l <= s; l++)
                if (l != k && l != m) product *= (theta + 1 - (double)l / s) / (x + 1 - (double)l / s);
            d += product / (x + 1 - (double)m / s);
        }
        sum += d * u[k][i];
    }
    return sum;
}

/* The field, of forces too. */
static void rates(const problem *p, double t, const double *y, double *f)
{
    const lbr_system *s = &p->system;

    if (s->field) s->field(t, y, f, s->ctx);
    else s->force(t, y, f + s->nq, s->ctx);
    for (int64_t i = 0; !s->field && i < s->nq; i++) f[i] = s->inverse_mass[i] * y[s->nq + i];
}

/* |u' - f(u)| at theta. */
static double defect(const problem *p, lbr_plan *plan, int s, double t, double h, double theta)
{
    double u[DEGREE][PROBLEM_DIM], here[PROBLEM_DIM], f[PROBLEM_DIM], worst = 0;

    if (!sample(plan, s, u) || lbr_state_dense(lbr_plan_state(plan), theta, here)) return NAN;
    rates(p, t + theta * h, here, f);
    for (int64_t i = 0; i < p->system.dim; i++) worst = fmax(worst, fabs(slope_at(s, u, i, theta) / h - f[i]));
    return worst;
}

/* u has degree s and satisfies the equation at the nodes, and nowhere between them. */
static void collocates(const problem *p)
{
    double h = 0.125;

    for (int i = 0; i < METHODS; i++) {
        lbr_plan *plan = after(p, methods[i].name, NULL, h, 2);
        double t, at = 0, between = 0;

        if (!plan) {
            ok(0, "%s runs", methods[i].name);
            continue;
        }
        lbr_read(plan, &t, NULL);
        for (int k = 0; k < methods[i].s; k++) at = fmax(at, defect(p, plan, methods[i].s, t, h, methods[i].c[k] - 1));
        for (int k = 1; k < 10; k++) between = fmax(between, defect(p, plan, methods[i].s, t, h, -k / 10.0));
        ok(at < 2e-13 && between > 1e-6, "%s on %s: u' = f(u) at its nodes (%.1e), not elsewhere (%.1e)",
           methods[i].name, p->system.name, at, between);
        lbr_plan_free(plan);
    }
}

/* The piecewise parabolas of HLW II.6, exercise 2, and their kin: differences of degree s + 1 vanish, those before do
 * not. */
static double differences(int n, double u[][PROBLEM_DIM])
{
    double d[DEGREE + 1];

    for (int k = 0; k <= n; k++) d[k] = u[k][0];
    for (int m = n; m > 0; m--)
        for (int k = 0; k < m; k++) d[k] = d[k + 1] - d[k];
    return fabs(d[0]);
}

static void degree(void)
{
    problem p = lotka_volterra();

    for (int s = 1; s <= 5; s++) {
        char name[16];
        double u[DEGREE][PROBLEM_DIM], v[DEGREE][PROBLEM_DIM];
        lbr_plan *plan = (snprintf(name, sizeof name, "gauss:%d", s), after(&p, name, NULL, 0.4, 2));

        ok(plan && sample(plan, s, u) && sample(plan, s + 1, v) && differences(s, u) > 1e-5 &&
               differences(s + 1, v) < 1e-13,
           "%s: a polynomial of degree %d", name, s);
        lbr_plan_free(plan);
    }
}

/* --- order ------------------------------------------------------------------------------------------------------- */

/* The largest error of one step of h, inside (theta from -0.9 to -0.1) and at the end. */
static void errors(const problem *p, const char *method, double h, double *inside, double *end)
{
    lbr_plan *plan = after(p, method, NULL, h, 1);
    double u[PROBLEM_DIM], exact[PROBLEM_DIM];

    *inside = plan ? 0 : NAN, *end = NAN;
    for (int k = 10; k >= 1 && plan; k--) {
        double e;

        reference(p, h * k / 10, 4, exact);
        lbr_state_dense(lbr_plan_state(plan), -1 + k / 10.0, u);
        e = distance(p->system.dim, u, exact);
        if (k == 10) *end = e;
        else *inside = fmax(*inside, e);
    }
    lbr_plan_free(plan);
}

static void orders(const problem *p, double h)
{
    for (int i = 0; i < METHODS; i++) {
        double coarse, fine, coarse_end, fine_end, inside, end;
        int s = methods[i].s;

        errors(p, methods[i].name, h, &coarse, &coarse_end), errors(p, methods[i].name, h / 2, &fine, &fine_end);
        inside = log2(coarse / fine), end = log2(coarse_end / fine_end);
        ok(fabs(inside - (s + 1)) < 0.3 && fabs(end - (s + 1 + methods[i].gain)) < 0.5,
           "%s on %s: error h^%.2f inside a step, h^%.2f at its end (want %d and %d)", methods[i].name, p->system.name,
           inside, end, s + 1, s + 1 + methods[i].gain);
    }
}

/* --- what it must not do ----------------------------------------------------------------------------------------- */

typedef struct looks {
    double last[PROBLEM_DIM];
    int bad;
    int64_t n;
} looks;

static int look(const lbr_view *view, void *ctx)
{
    looks *l = ctx;

    for (int k = 0; k <= 4; k++) {
        lbr_status status = lbr_view_dense(view, -k / 4.0, l->last);

        l->bad += status != (view->n == 0 && k ? LBR_EARG : LBR_OK) ||
                  (k == 0 && distance(view->dim, l->last, view->y) != 0);
    }
    l->n++;
    return 0;
}

/* Asking changes no bit of the state; a restored state gives the same answers at once. */
static void changes_nothing(void)
{
    static const char *const words[] = { "", "compensated=yes", "solver=newton", "compensated=yes solver=newton" };
    problem p = kepler();

    for (int i = 0; i < 4; i++) {
        lbr_options o = options_of(words[i]);
        lbr_plan *a = plan_of(&p, "gauss:3", &o), *b = plan_of(&p, "gauss:3", &o);
        looks l = { .n = 0 };
        size_t size, other;
        const void *x, *y;
        double u[4], v[4];
        int same;

        lbr_start(a, 0, 0.05, p.y), lbr_start(b, 0, 0.05, p.y);
        lbr_run(a, 200, 1, look, &l), lbr_run(b, 200, 0, NULL, NULL);
        x = lbr_state_bytes(lbr_plan_state(a), &size), y = lbr_state_bytes(lbr_plan_state(b), &other);
        same = size == other && !memcmp(x, y, size);
        ok(same && l.n == 201 && !l.bad, "asked at every step or never%s%s: the same bytes", *words[i] ? ", " : "",
           words[i]);
        lbr_state_dense(lbr_plan_state(a), -0.3, u);
        lbr_start(b, 1, 0.1, p.y);
        ok(!lbr_state_restore(lbr_plan_state(b), x, size) && !lbr_state_dense(lbr_plan_state(b), -0.3, v) &&
               !memcmp(u, v, sizeof u),
           "... and from a checkpoint the same answer");
        lbr_plan_free(a), lbr_plan_free(b);
    }
}

/* After a step that failed, the last good one is still there. */
static void after_failure(void)
{
    problem p = riccati();
    lbr_plan *plan = plan_of(&p, "gauss:2", NULL);
    looks l = { .n = 0 };
    double u[PROBLEM_DIM] = { NAN };
    lbr_status status = (lbr_start(plan, 0, 0.25, p.y), lbr_run(plan, 1000, 1, look, &l));

    ok(status < 0 && l.n > 3 && !lbr_state_dense(lbr_plan_state(plan), -1, u) && u[0] == l.last[0],
       "a run that fails after %lld steps keeps its last polynomial", (long long)l.n - 1);
    lbr_plan_free(plan);
}

static void refused(void)
{
    static const char *const none[] = { "rk4",
                                        "explicit-euler",
                                        "lobatto-3b:3",
                                        "radau-1a:2",
                                        "lobatto-3c:3",
                                        "lobatto-3s:3",
                                        "dirk(1/2, 1/2)",
                                        "stormer-verlet",
                                        "compose(suzuki:4, gauss:2)",
                                        "tableau(compose(suzuki:4, gauss:2))",
                                        "discontinuous-collocation(b1 = 1/8, bs = 1/8, 1/3, 2/3)",
                                        "lobatto-3b:2" };
    problem p = henon_heiles();
    double u[PROBLEM_DIM];
    lbr_view view = { .size = sizeof view };
    lbr_plan *plan;
    lbr_state *s;

    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        lbr_status status = (plan = after(&p, none[i], NULL, 0.1, 2)) ? lbr_state_dense(lbr_plan_state(plan), -0.5, u)
                                                                      : LBR_OK;

        ok(status == LBR_EUNFIT && strstr(lbr_plan_message(plan), none[i]) && strstr(lbr_plan_message(plan), "gauss:s"),
           "%s has none: %s", none[i], lbr_plan_message(plan));
        lbr_plan_free(plan);
    }
    plan = plan_of(&p, "gauss:2", NULL), s = lbr_plan_state(plan);
    ok(lbr_state_dense(s, 0, u) == LBR_ENOTSTARTED, "not started: %s", lbr_plan_message(plan));
    lbr_start(plan, 0, 0.1, p.y);
    ok(lbr_state_dense(s, -0.5, u) == LBR_EARG && strstr(lbr_plan_message(plan), "no step"),
       "before the first step: %s", lbr_plan_message(plan));
    ok(!lbr_state_dense(s, 0, u) && distance(4, u, p.y) == 0, "but the start itself is there");
    lbr_run(plan, 1, 0, NULL, NULL);
    ok(lbr_state_dense(s, 0.1, u) == LBR_EARG && strstr(lbr_plan_message(plan), "0.1") &&
           lbr_state_dense(s, -1.01, u) == LBR_EARG && lbr_state_dense(s, NAN, u) == LBR_EARG,
       "outside of the step: %s", lbr_plan_message(plan));
    ok(!lbr_state_view(s, 0.1, p.y, &view), "a view of other values");
    ok(view.n == 1 && view.h == 0.1, "has the count and the step of the trajectory");
    ok(lbr_view_dense(&view, -0.5, u) == LBR_EARG && strstr(lbr_plan_message(plan), "were given"),
       "no step has led to them: %s", lbr_plan_message(plan));
    ok(lbr_state_dense(NULL, 0, u) == LBR_EARG && lbr_state_dense(s, 0, NULL) == LBR_EARG &&
           lbr_view_dense(NULL, 0, u) == LBR_EARG,
       "NULL");
    lbr_plan_free(plan);
}

/* A user's table with as many digits as a double has is collocation; one that is wrong in its tenth is not. */
static void own_tables(void)
{
    const lbr_method tables[] = {
        { .size = sizeof(lbr_method),
          .name = "mine",
          .A = TEXTS("0.4166666666666667", "-0.08333333333333333", "0.75", "0.25"),
          .b = TEXTS("0.75", "0.25") },
        { .size = sizeof(lbr_method),
          .name = "wrong",
          .A = TEXTS("0.4166666667", "-0.0833333333", "0.75", "0.25"),
          .b = TEXTS("0.75", "0.25") },
    };
    problem p = henon_heiles();
    lbr_options o = options_of("");
    double u[PROBLEM_DIM], v[PROBLEM_DIM];
    lbr_plan *a, *b, *c;

    o.methods = tables, o.nmethods = 2;
    a = after(&p, "mine", &o, 0.1, 2), b = after(&p, "radau-2a:2", NULL, 0.1, 2), c = after(&p, "wrong", &o, 0.1, 2);
    ok(a && b && !lbr_state_dense(lbr_plan_state(a), -0.4, u) && !lbr_state_dense(lbr_plan_state(b), -0.4, v) &&
           distance(4, u, v) < 1e-15,
       "a table of the user that is collocation");
    ok(c && lbr_state_dense(lbr_plan_state(c), -0.4, u) == LBR_EUNFIT, "a table that is not, by 3e-11");
    lbr_plan_free(a), lbr_plan_free(b), lbr_plan_free(c);
}

int main(void)
{
    problem p = lotka_volterra(), q = riccati(), forces = henon_heiles();

    ends(&p), ends(&q), ends(&forces);
    collocates(&p), collocates(&q), collocates(&forces);
    degree();
    orders(&p, 0.05), orders(&q, 0.05);
    changes_nothing();
    after_failure();
    refused();
    own_tables();
    return tap_done();
}
