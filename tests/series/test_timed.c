/* test_timed.c - stages whose times are not where they are: nodes that are not the sums of their rows.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support/manifolds.h"

static const char driven_text[] = "canonical q, p\n"
                                  "H = p^2/2 + (1 + sin(3*t)/2)*q^2/2 + q^4/4 - q*cos(2*t)\n"
                                  "start q = 0.7, p = 0.3\n";
static const char still_text[] = "canonical q, p\nH = p^2/2 + q^2/2 + q^4/4 - q\nstart q = 0.7, p = 0.3\n";
static const char lagrange_text[] = "canonical q, p\n"
                                    "L = q'^2/2 - (1 + sin(3*t)/2)*q^2/2 - q^4/4 + q*cos(2*t)\n"
                                    "start q = 0.7, q' = 0.3\n";
static modelled driven, still, lagrange;

#define LIST(name, ...) static const char *const name[] = { __VA_ARGS__ }
#define TEXTS(name)                             \
    {                                           \
        (int)(sizeof name / sizeof *name), name \
    }
LIST(A_3b, "1/2", "0", "1/2", "0");
LIST(halves, "1/2", "1/2");
LIST(ends, "0", "1");
LIST(early, "0.3", "0.3");
LIST(late, "0.9", "0.1");
LIST(A_heun, "0", "0", "1", "0");
static const lbr_method table[] = { { .size = sizeof *table,
                                      .name = "own-3b",
                                      .form = "runge-kutta",
                                      .A = TEXTS(A_3b),
                                      .b = TEXTS(halves),
                                      .c = TEXTS(ends) },
                                    { .size = sizeof *table,
                                      .name = "early",
                                      .form = "runge-kutta",
                                      .A = TEXTS(A_heun),
                                      .b = TEXTS(halves),
                                      .c = TEXTS(early) },
                                    { .size = sizeof *table,
                                      .name = "late",
                                      .form = "runge-kutta",
                                      .A = TEXTS(A_3b),
                                      .b = TEXTS(halves),
                                      .c = TEXTS(early) },
                                    { .size = sizeof *table,
                                      .name = "swapped",
                                      .form = "runge-kutta",
                                      .A = TEXTS(A_3b),
                                      .b = TEXTS(halves),
                                      .c = TEXTS(late) } };

static void one_step(const modelled *x, const char *method, const lbr_options *o, double t, double h, double *y)
{
    lbr_plan *plan;

    if (lbr_plan_create(&plan, method, x->s, o) || lbr_map(plan, t, h, y))
        printf("# %s: %s\n", method, lbr_plan_message(plan)), y[0] = NAN;
    lbr_plan_free(plan);
}

/* How far one step from the same place, by two methods, ends apart. */
static double apart(const modelled *x, const char *method, const modelled *z, const char *other, const lbr_options *o)
{
    double a[2] = { 0.7, 0.3 }, b[2] = { 0.7, 0.3 };

    one_step(x, method, o, 0.4, 0.2, a), one_step(z, other, o, 0.4, 0.2, b);
    return isnan(a[0] + b[0]) ? NAN : distance(2, a, b);
}

/* The area of what a step makes of a small square, by central differences. */
static double area(const modelled *x, const char *method)
{
    double J[2][2], e = 1e-4;

    for (int k = 0; k < 2; k++) {
        double a[2] = { 0.7, 0.3 }, b[2] = { 0.7, 0.3 };

        a[k] += e, b[k] -= e;
        one_step(x, method, NULL, 0.4, 0.2, a), one_step(x, method, NULL, 0.4, 0.2, b);
        for (int i = 0; i < 2; i++) J[i][k] = (a[i] - b[i]) / (2 * e);
    }
    return J[0][0] * J[1][1] - J[0][1] * J[1][0];
}

/* --- the same method by other ways ------------------------------------------------------------------------------- */

static void ways(void)
{
    static const char *const M[] = { "radau-1a:1",
                                     "lobatto-3b:2",
                                     "lobatto-3s:2",
                                     "lobatto-3b:3",
                                     "discontinuous-collocation(b1 = 1/4, bs = 3/4)",
                                     "adjoint(radau-1a:1)" };
    char text[120];

    for (int i = 0; i < 6; i++) {
        snprintf(text, sizeof text, "nystrom(%s)", M[i]);
        ok(apart(&driven, M[i], &driven, text, NULL) < 1e-14, "%s is the same: %.1e apart", text,
           apart(&driven, M[i], &driven, text, NULL));
        snprintf(text, sizeof text, "tableau(%s)", M[i]);
        ok(apart(&driven, M[i], &driven, text, NULL) < 1e-15, "%s", text);
    }
    ok(apart(&driven, "nystrom(adjoint(radau-1a:1))", &driven, "adjoint(nystrom(radau-1a:1))", NULL) < 1e-14,
       "the adjoint has the times of the adjoint");
    ok(apart(&driven, "midpoint", &driven, "nystrom(lobatto-3b:2)", NULL) > 1e-5,
       "which are not those of the midpoint rule");
    ok(apart(&lagrange, "variational(lobatto-3s:2)", &driven, "lobatto-3s:2", NULL) < 1e-14,
       "variational(lobatto-3s:2) is lobatto-3s:2, at its own times");
}

/* By hand: both stages at Q = q + h/2 p + ..., at t and at t + h. */
static double g(double t, double q) { return -(1 + sin(3 * t) / 2) * q - q * q * q + cos(2 * t); }

static void by_hand(void)
{
    double q = 0.7, p = 0.3, t = 0.4, h = 0.2, P = p, Q = q, y[2] = { q, p };

    for (int k = 0; k < 200; k++) Q = q + h / 2 * P, P = p + h / 2 * g(t, Q);
    one_step(&driven, "nystrom(lobatto-3b:2)", NULL, t, h, y);
    near(y[1], p + h / 2 * (g(t, Q) + g(t + h, Q)), 1e-14, "nystrom(lobatto-3b:2): the momentum, by hand");
    near(y[0], q + h * P, 1e-14, "and the position");
    y[0] = q, y[1] = p, Q = q + h / 2 * p, P = p + h / 2 * (g(t, Q) + g(t + h, Q));
    one_step(&lagrange, "variational(lobatto-3b:2)", NULL, t, h, y);
    near(y[1], P, 1e-14, "variational(lobatto-3b:2), whose momenta are those of 3a: the momentum, by hand");
    near(y[0], q + h / 2 * (p + P), 1e-14, "and the position");
}

/* --- symplectic, or not ------------------------------------------------------------------------------------------ */

static void told(const modelled *x, const char *method, int symplectic, int note)
{
    const lbr_method_info *info = NULL;
    lbr_plan *plan;

    if (!ok(!lbr_plan_create(&plan, method, x->s, NULL) && !lbr_plan_info(&info, plan) &&
                info->symplectic == symplectic && !*info->note == !note && (!note || strstr(info->note, "depend on t")),
            "a plan of %s says that it is%s symplectic here", method, symplectic ? "" : " not"))
        printf("# symplectic %d, note %s\n", info ? info->symplectic : -1, info ? info->note : "");
    lbr_method_free(info), lbr_plan_free(plan);
}

static void areas(void)
{
    static const struct {
        const char *method;
        int moving;
    } row[] = { { "lobatto-3b:2", 0 },
                { "nystrom(lobatto-3b:2)", 0 },
                { "compose(suzuki:4, lobatto-3b:2)", 0 },
                { "lobatto-3s:2", 1 },
                { "lobatto-3s:3", 1 },
                { "nystrom(lobatto-3s:2)", 1 },
                { "midpoint", 1 },
                { "gauss:2", 1 } };

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const lbr_method_info *info;
        double there = area(&still, row[i].method) - 1, moving = area(&driven, row[i].method) - 1;

        ok(fabs(there) < 1e-9, "%s keeps areas where H has no t: %.1e", row[i].method, there);
        ok(row[i].moving ? fabs(moving) < 1e-9 : fabs(moving) > 1e-8, "%s where it has: %.1e",
           row[i].moving ? "and" : "not", moving);
        told(&still, row[i].method, 1, 0), told(&driven, row[i].method, row[i].moving, !row[i].moving);
        ok(!lbr_method_describe(&info, row[i].method) && info->symplectic == 1 && (*info->note == 0) == row[i].moving,
           "described %s", row[i].moving ? "without a note" : "with one");
        lbr_method_free(info);
    }
}

/* What energy_changes says is for people: of t, energy_of_time alone speaks, and without it nothing is claimed. */
static void in_words(void)
{
    static const struct {
        const char *changes;
        int of_time, symplectic;
        const char *what;
    } row[] = { { "the drive is periodic in time", 1, 0, "in words of one's own, and told" },
                { "the drive is periodic in time", 0, 0, "in words alone" },
                { "it depends on the temperature", -1, 1, "of something else, and told" },
                { "it depends on the temperature", 0, 0, "of what is not told" },
                { NULL, 1, 0, "told without words" },
                { NULL, 0, 1, "of nothing" },
                { NULL, -1, 1, "of nothing, as is told" } };
    modelled x = driven;
    lbr_system s = *driven.s;
    lbr_plan *plan;

    x.s = &s;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        printf("# energy_changes %s\n", row[i].what);
        s.energy_changes = row[i].changes, s.energy_of_time = row[i].of_time;
        told(&x, "lobatto-3b:2", row[i].symplectic, !row[i].symplectic);
    }
    s.energy_changes = NULL, s.energy_of_time = 1;
    ok(lbr_plan_create(&plan, "project(standard, rk4, H)", &s, NULL) == LBR_EUNFIT &&
           strstr(lbr_plan_message(plan), "it depends on t"),
       "nobody projects onto an H that is told to depend on t");
    lbr_plan_free(plan);
}

/* --- nodes of the user's ----------------------------------------------------------------------------------------- */

static double slope(const char *method, const lbr_options *o)
{
    double exact[2] = { 0.7, 0.3 }, error[2];

    run(driven.s, "gauss:6", NULL, 0.02, 50, exact);
    for (int k = 0; k < 2; k++) {
        double y[2] = { 0.7, 0.3 };

        run(driven.s, method, o, 0.02 / (k + 1), 50 * (k + 1), y);
        error[k] = distance(2, y, exact);
    }
    return log2(error[0] / error[1]);
}

static void own(void)
{
    const lbr_method_info *info = NULL;
    lbr_options o;
    lbr_plan *plan;

    lbr_options_init(&o), o.methods = table, o.nmethods = 4;
    ok(apart(&driven, "lobatto-3b:2", &driven, "own-3b", &o) == 0,
       "a table with the nodes of lobatto-3b:2 is that method");
    ok(!lbr_plan_create(&plan, "own-3b", driven.s, &o) && !lbr_plan_info(&info, plan) && info->order == 2 &&
           !info->symplectic,
       "of order 2");
    near(slope("own-3b", &o), 2, 0.2, "measured");
    lbr_method_free(info), lbr_plan_free(plan), info = NULL;
    ok(!lbr_plan_create(&plan, "early", driven.s, &o) && !lbr_plan_info(&info, plan) && info->order == 1,
       "Heun's rows with nodes that do not fit: order 1");
    near(slope("early", &o), 1, 0.2, "measured");
    lbr_method_free(info), lbr_plan_free(plan), info = NULL;
    ok(!lbr_plan_create(&plan, "late", driven.s, &o) && !lbr_plan_info(&info, plan) && info->order == 1 &&
           !info->symmetric,
       "nodes that are not symmetric");
    lbr_method_free(info), lbr_plan_free(plan);
    ok(apart(&driven, "late", &driven, "adjoint(late)", &o) > 1e-4, "have an adjoint with others");
    ok(apart(&driven, "compose(strang, late)", &driven, "compose(strang, own-3b)", &o) > 1e-5,
       "and what differs in nodes alone is not the same");
    ok(apart(&driven, "own-3b", &driven, "adjoint(own-3b)", &o) == 0 &&
           apart(&driven, "swapped", &driven, "adjoint(swapped)", &o) == 0,
       "symmetric ones are their own");
}

int main(void)
{
    if (!open_text(&driven, driven_text) || !open_text(&still, still_text) || !open_text(&lagrange, lagrange_text))
        return printf("Bail out! no model\n"), 2;
    ways(), by_hand(), areas(), in_words(), own();
    close_model(&driven), close_model(&still), close_model(&lagrange);
    return tap_done();
}
