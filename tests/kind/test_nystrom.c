/* test_nystrom.c - Nystrom methods: identities, published coefficients, y'' = g(t, y, y'), tables of the user, solvers,
 * messages. SPDX-License-Identifier: BSD-3-Clause
 *
 * That each row has its order, symmetry and symplecticity, and that changed entries are noticed, is in test_methods.c
 * and test_certify.c. */
#include "support/analysis.h"
#include "support/tap.h"

#include "kind/shared.h"
#include "plan/flatten.h"
#include "series/order.h"

#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))
#define LIST(...)                                                                                            \
    {                                                                                                        \
        sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *), (const char *const[]) { __VA_ARGS__ } \
    }
#define TABLE(name_) .size = sizeof(lbr_method), .form = "nystrom", .name = name_

/* --- y'' = g(t, y, y'): two damped and driven oscillators of masses 1/2 and 4, p = v/inverse_mass ---------------- */

static const double masses[] = { 2, 0.25 };

static int damped_field(double t, const double *y, double *out, void *ctx)
{
    double v0 = 2 * y[2], v1 = 0.25 * y[3];

    (void)ctx;
    out[0] = v0, out[1] = v1;
    out[2] = -y[0] * y[0] * y[0] - 0.3 * v0 * (1 + y[1] * y[1]) + t / (1 + t * t);
    out[3] = -4 * y[1] + y[0] * y[0] - 0.5 * v0 * v1;
    return 0;
}

static problem damped(void)
{
    return (problem){ LBR_SYSTEM(.name = "damped", .dim = 4, .nq = 2, .field = damped_field, .inverse_mass = masses),
                      .t0 = 0.25, .h = 0.05, .y = { 0.9, -0.4, 0.3, 1.5 } };
}

/* The same where the force does not feel the velocity, once as a force and once as a field. */
static int spring_force(double t, const double *q, double *f, void *ctx)
{
    return (void)ctx, f[0] = -q[0] * q[0] * q[0] + t / (1 + t * t), f[1] = -4 * q[1] + q[0] * q[0], 0;
}
static int spring_field(double t, const double *y, double *out, void *ctx)
{
    return out[0] = 2 * y[2], out[1] = 0.25 * y[3], spring_force(t, y, out + 2, ctx);
}

static problem pair_of_springs(int field)
{
    problem p = damped();

    p.system.name = field ? "springs by field" : "springs";
    p.system.field = field ? spring_field : NULL, p.system.force = field ? NULL : spring_force;
    return p;
}

/* --- the same method by another name ----------------------------------------------------------------------------- */

static void identities(void)
{
    const problem hh = henon_heiles(), kep = kepler(), sun = solar_system(), drive = driven(), damp = damped(),
                  force = pair_of_springs(0), field = pair_of_springs(1);
    const struct {
        const problem *p;
        const char *a;
        const problem *q;
        const char *b;
    } row[] = {
        { &hh, "verlet-nystrom", &hh, "stormer-verlet" },
        { &hh, "leapfrog-nystrom", &hh, "stormer-verlet-b" },
        { &sun, "verlet-nystrom", &sun, "stormer-verlet" },
        { &drive, "verlet-nystrom", &drive, "stormer-verlet" },
        { &drive, "leapfrog-nystrom", &drive, "stormer-verlet-b" },
        { &force, "verlet-nystrom", &force, "stormer-verlet" },
        { &hh, "nystrom(stormer-verlet)", &hh, "verlet-nystrom" },
        { &hh, "nystrom(stormer-verlet-b)", &hh, "leapfrog-nystrom" },
        { &hh, "nystrom(symplectic-euler)", &hh, "symplectic-euler" },
        { &hh, "nystrom(symplectic-euler-b)", &hh, "symplectic-euler-b" },
        { &kep, "nystrom(kahan-li-8-17)", &kep, "kahan-li-8-17" },
        { &drive, "nystrom(suzuki:4)", &drive, "suzuki:4" },
        { &sun, "nystrom(yoshida-6-7)", &sun, "yoshida-6-7" },
        { &drive, "nystrom(compose(suzuki:4, stormer-verlet))", &drive, "compose(suzuki:4, stormer-verlet)" },
        { &hh, "gauss-nystrom:3", &hh, "gauss:3" },
        { &drive, "gauss-nystrom:2", &drive, "gauss:2" },
        { &sun, "gauss-nystrom:4", &sun, "gauss:4" },
        { &force, "gauss-nystrom:8", &force, "gauss:8" },
        { &damp, "gauss-nystrom:3", &damp, "gauss:3" },
        { &damp, "gauss-nystrom:7", &damp, "gauss:7" },
        { &damp, "nystrom(rk4)", &damp, "rk4" },
        { &damp, "nystrom(kutta-38)", &damp, "kutta-38" },
        { &damp, "nystrom(radau-2a:3)", &damp, "radau-2a:3" },
        { &damp, "nystrom(adjoint(rk4))", &damp, "adjoint(rk4)" },
        { &damp, "adjoint(nystrom(rk4))", &damp, "adjoint(rk4)" },
        { &hh, "nystrom(lobatto-3a:3)", &hh, "lobatto-3a:3" },
        { &hh, "nystrom(midpoint)", &hh, "midpoint" },
        { &damp, "compose(suzuki:4, nystrom(midpoint))", &damp, "compose(suzuki:4, midpoint)" },
        { &field, "nystrom-4-general", &force, "nystrom-4-general" },
        { &field, "gauss-nystrom:3", &force, "gauss-nystrom:3" },
        { &hh, "adjoint(adjoint(nystrom-5))", &hh, "nystrom-5" },
        { &hh, "burton-scherer:1", &hh, "leapfrog-nystrom" },
        { &hh, "burton-scherer:4(theta = 0)", &hh, "burton-scherer:4" },
        { &kep, "burton-scherer:2(theta = -0.01933756729740644113)", &kep, "gauss-nystrom:2" },
    };

    for (int i = 0; i < COUNT(row); i++) {
        double a[PROBLEM_DIM], b[PROBLEM_DIM], d = NAN, h = row[i].p->h;
        int64_t n = row[i].p->system.dim;

        if (!problem_run(row[i].p, row[i].a, NULL, h, 20, a) && !problem_run(row[i].q, row[i].b, NULL, h, 20, b))
            d = distance(n, a, b) / largest(n, b);
        ok(d <= 2e-14 && distance(n, a, row[i].p->y) > 0.01 * largest(n, b) / 10,
           "%s (%s) is %s (%s): they differ by %.2g in 20 steps", row[i].a, row[i].p->system.name, row[i].b,
           row[i].q->system.name, d);
    }
}

/* --- coefficients ------------------------------------------------------------------------------------------------ */

static const char *text_of(const lbr_method_info *i, const char *list, int64_t k)
{
    for (int64_t l = 0; l < i->nlists; l++)
        if (!strcmp(i->lists[l].name, list)) return k < i->lists[l].list.n ? i->lists[l].list.text[k] : "nan";
    return "nan";
}

static double entry(const char *method, const char *list, int64_t k)
{
    const lbr_method_info *i;
    double x = lbr_method_describe(&i, method) ? NAN : atof(text_of(i, list, k));

    lbr_method_free(i);
    return x;
}

static void published(void)
{
    static const double r3 = 1.7320508075688772935, theta[] = { 0, -0.02, 0.05 };
    static const double calvo[] = { 0.061758858135626, 0.33897802655364, 0.61479130717558, -0.14054801465937,
                                    0.12501982279453 };
    static const double atela[] = { 0.1193900292875672758, 0.6989273703824752308, -0.1713123582716007754,
                                    0.4012695022513534480, 0.0107050818482359840, -0.0589796254980311632 };
    static const double drift[] = { 0,
                                    0.339839625839110000,
                                    -0.088601336903027329,
                                    0.5858564768259621188,
                                    -0.603039356536491888,
                                    0.3235807965546976394 };
    double d = 0, time = 0, c1 = (3 - r3) / 6, c2 = (3 + r3) / 6;

    near(entry("gauss-nystrom:2", "A", 0), 1.0 / 24, 1e-17, "gauss-nystrom:2: a_11 = 1/24");
    near(entry("gauss-nystrom:2", "A", 1), 1.0 / 8 - r3 / 12, 1e-17, "a_12 = 1/8 - sqrt(3)/12");
    near(entry("gauss-nystrom:2", "A", 2), 1.0 / 8 + r3 / 12, 1e-16, "a_21 = 1/8 + sqrt(3)/12");
    near(entry("gauss-nystrom:2", "bbar", 0), 1.0 / 4 + r3 / 12, 1e-16, "bbar_1 = 1/4 + sqrt(3)/12");
    near(entry("verlet-nystrom", "A", 2), 0.5, 0, "Stormer-Verlet: a_21 = 1/2");
    near(entry("leapfrog-nystrom", "bbar", 0), 0.5, 0, "leapfrog: bbar = 1/2, not 1");
    for (int i = 0; i < 3; i++) {
        char name[64];

        snprintf(name, sizeof name, "burton-scherer:2(theta = %g)", theta[i]);
        d = fmax(fabs(entry(name, "A", 1) - theta[i]), fabs(entry(name, "A", 2) - (theta[i] + (c2 - c1) / 2)));
        d = fmax(d, fmax(fabs(entry(name, "A", 0) - (c1 * c1 / 2 - entry(name, "A", 1))),
                         fabs(entry(name, "A", 3) - (c2 * c2 / 2 - entry(name, "A", 2)))));
        ok(d < 1e-15, "%s has the coefficients of HLW VI, exercise 7, to %.1g", name, d);
    }
    for (int i = d = 0; i < 5; i++) d = fmax(d, fabs(entry("calvo-sanz-serna-4-5", "b", i) - calvo[i]));
    ok(d < 5e-14, "calvo-sanz-serna-4-5: the published digits, to %.1g", d);
    for (int i = d = 0; i < 6; i++)
        d = fmax(d, fmax(fabs(entry("mclachlan-atela-5-6", "b", i) - atela[i]),
                         fabs(entry("mclachlan-atela-5-6", "c", i) - (time += drift[i]))));
    ok(d < 2e-15, "mclachlan-atela-5-6: the published digits, to %.1g", d);
}

/* Trees with a p-vertex as root, HLW III.2: 1, 2, 6, 18, 60, ... for y'' = g(y, y'); below a q-vertex there is one such
 * tree. */
static void trees(void)
{
    static const int want[] = { 1, 2, 6, 18, 60, 204, 730 };

    for (int n = 1; n <= 7; n++) {
        int64_t all = lbr_trees_count(LBR_TREES_GENERAL_NYSTROM, n);

        ok(all == want[n - 1] + (n > 1 ? want[n - 2] : 1), "%d trees of order %d for y'' = g(y, y'), both roots",
           (int)all, n);
    }
}

/* --- certificates ------------------------------------------------------------------------------------------------ */

static int found(const char *method, const lbr_options *o, const char *property)
{
    const lbr_certificate *z;
    int value = -1;

    if (!lbr_certify(&z, method, o))
        for (int64_t i = 0; i < z->n; i++)
            if (!strcmp(z->check[i]->property, property)) value = z->check[i]->found;
    lbr_certificate_free(z);
    return value;
}

/* Leapfrog with the misprint bbar = 1; Nystrom's method of order 4 with stages for y' that have only the right sums;
 * one that is not symplectic by its weights. */
static const lbr_method tables[] = {
    { TABLE("misprint"), .A = LIST("0"), .bbar = LIST("1"), .b = LIST("1"), .c = LIST("1/2") },
    { TABLE("sums"), .A = LIST("0", "0", "0", "1/8", "0", "0", "0", "1/2", "0"),
      .Ahat = LIST("0", "0", "0", "1/2", "0", "0", "0", "1", "0"), .bbar = LIST("1/6", "1/3", "0"),
      .b = LIST("1/6", "2/3", "1/6"), .c = LIST("0", "1/2", "1") },
    { TABLE("kicks"), .b = LIST("1/2", "1/2"), .c = LIST("0", "1") },
    { TABLE("weights"), .A = LIST("0"), .bbar = LIST("0.25"), .b = LIST("1"), .c = LIST("1/2") },
};

static lbr_options with_tables(void)
{
    lbr_options o = options_of("compensated=yes");

    o.methods = tables, o.nmethods = COUNT(tables);
    return o;
}

static void certificates(void)
{
    static const struct {
        const char *method;
        int order, quadratic, symmetric, symplectic;
    } row[] = {
        { "misprint", 1, 1, 0, 0 },
        { "sums", 2, 4, 0, 0 },
        { "kicks", 2, 2, 1, 1 },
        { "weights", 1, 1, 0, 0 },
        { "nystrom(rk4)", 4, 4, 0, 0 },
        { "nystrom(gauss:9)", 18, 18, 1, 1 },
        { "nystrom(lobatto-3b:2)", 2, 2, 1, 1 },
        { "nystrom(lobatto-3a:4)", 6, 6, 1, 0 },
        { "nystrom(symplectic-euler)", 1, 1, 0, 1 },
        { "nystrom(sofroniou-spaletta-10-35)", 10, 10, 1, 1 },
        { "adjoint(mclachlan-atela-5-6)", 5, 5, 0, 1 },
        { "burton-scherer:9(theta = 0.01)", 18, 18, 1, 1 },
        { "burton-scherer:3(theta = -0.3)", 6, 6, 1, 1 },
        { "compose(strang, mclachlan-atela-5-6)", 6, -1, 1, 1 },
        { "compose(triple-jump:4, leapfrog-nystrom)", 4, -1, 1, 1 },
    };
    lbr_options o = with_tables();

    for (int i = 0; i < COUNT(row); i++) {
        int p = found(row[i].method, &o, "order"), q = found(row[i].method, &o, "order_quadratic_kinetic");

        ok(p == row[i].order && (q == row[i].quadratic), "%s: order %d (%d found), %d (%d found) without y'",
           row[i].method, row[i].order, p, row[i].quadratic, q);
        ok(found(row[i].method, &o, "symmetric") == row[i].symmetric &&
               found(row[i].method, &o, "symplectic") == row[i].symplectic,
           "%s: symmetric %d, symplectic %d", row[i].method, row[i].symmetric, row[i].symplectic);
    }
}

/* Slopes on y'' = g(t, y, y'), where what is found by trees must show; "sums" has order 4 without y' in g, and 2 with
 * it. */
static void orders(void)
{
    static const struct {
        const char *method;
        int field, order;
    } row[] = {
        { "nystrom-4-general", 1, 4 },
        { "adjoint(nystrom-4-general)", 1, 4 },
        { "nystrom(rk4)", 1, 4 },
        { "gauss-nystrom:1", 1, 2 },
        { "gauss-nystrom:2", 1, 4 },
        { "gauss-nystrom:3", 1, 6 },
        { "nystrom(radau-1a:2)", 1, 3 },
        { "nystrom(heun-3)", 1, 3 },
        { "compose(suzuki:4, gauss-nystrom:1)", 1, 4 },
        { "sums", 1, 2 },
        { "sums", 0, 4 },
        { "misprint", 0, 1 },
        { "kicks", 0, 2 },
    };
    lbr_options o = with_tables();
    problem p[] = { pair_of_springs(0), damped() };
    double exact[2][PROBLEM_DIM];

    for (int k = 0; k < 2; k++) reference(&p[k], 3, 128, exact[k]);
    for (int i = 0; i < COUNT(row); i++) {
        int k = row[i].field;
        slope s = slope_of(&p[k], row[i].method, &o, 3, exact[k], row[i].order, 1e-13, 3000);

        ok(fabs(s.order - row[i].order) < 0.3, "%s on %s: order %.3f for %d (error %.2g in %lld steps)", row[i].method,
           p[k].system.name, s.order, row[i].order, s.error, (long long)s.n);
    }
}

/* HLW VI, exercise 7. */
static void one_parameter(void)
{
    static const char *const method[] = { "burton-scherer:2(theta = 0)", "burton-scherer:2(theta = -0.02)",
                                          "burton-scherer:2(theta = 0.05)", "burton-scherer:3(theta = 0.04)" };
    lbr_options o = options_of("compensated=yes");
    problem p = kepler(), hh = henon_heiles();
    double exact[PROBLEM_DIM];

    reference(&p, 2, 128, exact);
    for (int i = 0; i < COUNT(method); i++) {
        slope s = slope_of(&p, method[i], &o, 2, exact, i < 3 ? 4 : 6, 1e-13, 3000);
        double j = not_symplectic(&hh, method[i], NULL, 0.4), a = asymmetry(&hh, method[i], NULL, 0.4);

        ok(fabs(s.order - (i < 3 ? 4 : 6)) < 0.3, "%s: order %.3f", method[i], s.order);
        ok(j < 1e-10 && a < 1e-15, "%s: symplectic to %.1g, symmetric to %.1g", method[i], j, a);
    }
}

/* --- solvers, bits, starting values ------------------------------------------------------------------------------ */

static void solvers(void)
{
    static const char *const method[] = { "gauss-nystrom:1", "gauss-nystrom:3", "burton-scherer:4",
                                          "adjoint(nystrom-5)", "nystrom(lobatto-3a:3)" };
    lbr_options fixed = options_of("solver=fixed-point"), newton = options_of("solver=newton"),
                automatic = options_of("");
    problem p[] = { henon_heiles(), pair_of_springs(0), damped() };

    for (int i = 0; i < COUNT(method); i++)
        for (int k = 0; k < COUNT(p); k++) {
            double a[PROBLEM_DIM], b[PROBLEM_DIM];

            if (k == 2 && (i == 2 || i == 3)) continue; /* not for y'' = g(t, y, y') */
            problem_run(&p[k], method[i], &fixed, p[k].h, 30, a), problem_run(&p[k], method[i], &newton, p[k].h, 30, b);
            ok(distance(4, a, b) < 3e-15, "%s on %s: iteration and Newton's method agree to %.1g", method[i],
               p[k].system.name, distance(4, a, b));
        }
    p[0] = driven();
    for (int k = 0; k < COUNT(p); k++) { /* a step where iteration runs away: Newton takes over */
        lbr_plan *plan = plan_of(&p[k], "gauss-nystrom:2", &automatic),
                 *only = plan_of(&p[k], "gauss-nystrom:2", &fixed), *rk = plan_of(&p[k], "gauss:2", &newton);
        double a[PROBLEM_DIM], b[PROBLEM_DIM], h = k == 2 ? 1.6 : 3.5;
        lbr_status status;

        lbr_start(plan, 0, h, p[k].y), lbr_start(only, 0, h, p[k].y), lbr_start(rk, 0, h, p[k].y);
        status = lbr_run(only, 3, 0, NULL, NULL);
        ok(status == LBR_ENOCONV && strstr(lbr_plan_message(only), "solver = newton"), "%s: %s", p[k].system.name,
           lbr_plan_message(only));
        ok(!lbr_run(plan, 3, 0, NULL, NULL) && !lbr_run(rk, 3, 0, NULL, NULL) && !lbr_read(plan, NULL, a) &&
               !lbr_read(rk, NULL, b) && lbr_plan_stats(plan)->jacobian > 0,
           "%s: Newton's method takes over", p[k].system.name);
        ok(distance(p[k].system.dim, a, b) < 1e-9, "... and leads where that of gauss:2 leads, to %.1g",
           distance(p[k].system.dim, a, b));
        lbr_plan_free(plan), lbr_plan_free(only), lbr_plan_free(rk);
    }
}

/* A spring that grows stiff: iteration converges at first, later it does not, and Newton's method goes on from the time
 * that was reached. */
static int stiffening_force(double t, const double *q, double *f, void *ctx)
{
    return (void)ctx, f[0] = -(1 + 40 * t * t) * q[0] + cos(3 * t), 0;
}

static void later(void)
{
    static const double one[] = { 1 };
    problem p = { LBR_SYSTEM(.name = "stiffening", .dim = 2, .nq = 1, .force = stiffening_force, .inverse_mass = one),
                  .h = 0.25, .y = { 1, 0.5 } };
    lbr_options automatic = options_of(""), newton = options_of("solver=newton"),
                fixed = options_of("solver=fixed-point");
    double a[PROBLEM_DIM], b[PROBLEM_DIM];

    ok(!problem_run(&p, "gauss-nystrom:2", &fixed, p.h, 4, a) && problem_run(&p, "gauss-nystrom:2", &fixed, p.h, 24, b),
       "a spring that grows stiff stops the iteration on the way");
    problem_run(&p, "gauss-nystrom:2", &automatic, p.h, 24, a), problem_run(&p, "gauss-nystrom:2", &newton, p.h, 24, b);
    ok(distance(2, a, b) < 1e-9, "... and Newton's method takes over there, to %.1g", distance(2, a, b));
}

/* Calls are counted as they are made: s per step, and one at the start where there is something to look at or to begin
 * with. */
static void counts(void)
{
    static const struct {
        const char *method;
        int field;
        int64_t calls;
    } row[] = {
        { "nystrom-5", 0, 40 },         { "verlet-nystrom", 0, 20 }, { "nystrom-4-general", 0, 40 },
        { "nystrom-4-general", 1, 41 }, { "nystrom(rk4)", 1, 41 },
    };
    lbr_options o = options_of("");

    for (int i = 0; i < COUNT(row); i++) {
        problem p = pair_of_springs(row[i].field);
        lbr_plan *plan = plan_of(&p, row[i].method, &o);
        const lbr_stats *s = lbr_plan_stats(plan);

        lbr_start(plan, 0, p.h, p.y), lbr_run(plan, 10, 0, NULL, NULL);
        ok((row[i].field ? s->field : s->force) == row[i].calls && (row[i].field ? s->force : s->field) == 0,
           "%s on %s: %lld calls of the force, %lld of the field", row[i].method, p.system.name, (long long)s->force,
           (long long)s->field);
        lbr_plan_free(plan);
    }
}

/* q' may differ from inverse_mass .* p by round-off, on either side, not by more. */
static double velocity_off;
static int rounded_field(double t, const double *y, double *out, void *ctx)
{
    return spring_field(t, y, out, ctx), out[0] *= 1 + velocity_off, 0;
}

static void rounded(void)
{
    static const double off[] = { 0x1p-50, -0x1p-50, 1e-11, -1e-11 };
    problem p = pair_of_springs(1);
    lbr_options o = options_of("");
    double y[PROBLEM_DIM];

    p.system.field = rounded_field;
    for (int i = 0; i < 4; i++) {
        lbr_status status = (velocity_off = off[i], problem_run(&p, "nystrom-4-general", &o, p.h, 1, y));
        ok(status == (i < 2 ? LBR_OK : LBR_EUNFIT), "velocities that are off by %.1g are %s", off[i],
           i < 2 ? "taken" : "refused");
    }
}

/* test_bits.c has systems with a force; here the field. Calls, restarts and instruction sets change no bit. */
static void bits(void)
{
    static const char *const method[] = { "nystrom-4-general", "gauss-nystrom:3", "nystrom(trapezoidal)",
                                          "compose(triple-jump:4,gauss-nystrom:2)" };
    static const char *const option[] = { "", "compensated=yes", "solver=newton", "isa=baseline", "isa=v3", "isa=v4" };
    problem p = damped();

    for (int i = 0; i < COUNT(method); i++) {
        double first[PROBLEM_DIM] = { 0 }, y[PROBLEM_DIM];

        for (int k = 0; k < COUNT(option); k++) {
            lbr_options o = options_of(option[k]);
            lbr_plan *plan;
            lbr_state *other = NULL;
            size_t size;
            const void *bytes;
            double want[PROBLEM_DIM];
            int good;

            if (lbr_plan_create(&plan, method[i], &p.system, &o)) {
                lbr_plan_free(plan);
                continue;
            } /* not on this machine */
            good = !lbr_start(plan, p.t0, p.h, p.y) && !lbr_run(plan, 40, 0, NULL, NULL) && !lbr_read(plan, NULL, want);
            good = good && !lbr_start(plan, p.t0, p.h, p.y);
            for (int n = 0; n < 17; n++) good = good && !lbr_run(plan, 1, 0, NULL, NULL);
            bytes = lbr_state_bytes(lbr_plan_state(plan), &size);
            good = good && !lbr_state_create(&other, plan) && !lbr_state_restore(other, bytes, size) &&
                   !lbr_state_run(other, 23, 0, NULL, NULL) && !lbr_state_read(other, NULL, y);
            ok(good && !memcmp(y, want, 4 * sizeof *y), "%s %s: the same bits in pieces and after a restart", method[i],
               option[k]);
            if (k == 0) memcpy(first, want, sizeof first);
            if (k >= 3) ok(!memcmp(first, want, 4 * sizeof *y), "%s: the same bits with %s", method[i], option[k]);
            lbr_state_free(other), lbr_plan_free(plan);
        }
    }
}

static void starting_values(void)
{
    static const char *const method[] = { "gauss-nystrom:2", "gauss-nystrom:4", "gauss-nystrom:8", "burton-scherer:6" };
    static const double part[] = { 0.95, 0.85, 0.65, 0.75 };

    for (int i = 0; i < 2 * COUNT(method) - 1; i++) { /* Burton and Scherer's are not for y'' = g(t, y, y') */
        problem p = i < COUNT(method) ? henon_heiles() : damped();
        lbr_plan *plan = plan_of(&p, method[i % COUNT(method)], NULL);
        int64_t warm, cold = 0;

        lbr_start(plan, 0, 0.05, p.y), lbr_run(plan, 50, 0, NULL, NULL);
        warm = lbr_plan_stats(plan)->iterations;
        for (int k = 0; k < 50; k++) {
            double y[PROBLEM_DIM];

            lbr_read(plan, NULL, y);
            lbr_start(plan, 0, 0.05, y), lbr_run(plan, 1, 0, NULL, NULL);
            cold += lbr_plan_stats(plan)->iterations;
        }
        ok((double)warm < part[i % COUNT(method)] * (double)cold,
           "%s on %s: %.1f iterations per step, %.1f without the step before", method[i % COUNT(method)], p.system.name,
           (double)warm / 50, (double)cold / 50);
        lbr_plan_free(plan);
    }
}

/* --- messages ---------------------------------------------------------------------------------------------------- */

static void refused(const char *method, const lbr_system *s, const lbr_options *o, lbr_status want, const char *words)
{
    lbr_plan *plan;
    lbr_status status = lbr_plan_create(&plan, method, s, o);

    ok(status == want && strstr(lbr_plan_message(plan), words), "%s: %s", method, lbr_plan_message(plan));
    lbr_plan_free(plan);
}

static void unfit(void)
{
    problem hh = henon_heiles(), rel = relativistic(), body = rigid_body(), mix = mixed(), damp = damped(),
            sun = solar_system();
    lbr_options newton = options_of("solver=newton");
    static double ones[40];

    for (int i = 0; i < 40; i++) ones[i] = 1;
    refused("nystrom-5", &rel.system, NULL, LBR_EUNFIT, "gives no inverse_mass");
    refused("gauss-nystrom:3", &body.system, NULL, LBR_EUNFIT, "has no partition");
    refused("gauss-nystrom:3", &mix.system, NULL, LBR_EUNFIT, "gives no inverse_mass");
    refused("nystrom-5", &damp.system, NULL, LBR_EUNFIT, "nystrom-4-general");
    refused("burton-scherer:2", &damp.system, NULL, LBR_EUNFIT, "g(t, q, q')");
    refused("gauss-nystrom:16", &sun.system, &newton, LBR_OK, "");
    sun.system.dim = 80, sun.system.nq = 40, sun.system.inverse_mass = ones;
    refused("gauss-nystrom:16", &sun.system, &newton, LBR_OK, ""); /* 640 unknowns: by products */
    refused("nystrom", &hh.system, NULL, LBR_EMETHOD, "needs arguments");
    refused("nystrom(strang)", &hh.system, NULL, LBR_EMETHOD, "kicks and drifts");
    refused("nystrom(nystrom-5)", &hh.system, NULL, LBR_EMETHOD, "kicks and drifts");
    refused("nystrom(compose(strang, rk4))", &hh.system, NULL, LBR_EMETHOD, "kicks and drifts");
    refused("nystrom(process(effective-6-9, effective-6-9-processor))", &hh.system, NULL, LBR_OK, "");
    refused("nystrom(rk4, rk4)", &hh.system, NULL, LBR_EMETHOD, "is used like this");
    refused("nystrom(compose(suzuki:10, suzuki:4))", &hh.system, NULL, LBR_EMETHOD, "up to 128 steps");
    refused("burton-scherer", &hh.system, NULL, LBR_EMETHOD, "is a family");
    refused("burton-scherer:17", &hh.system, NULL, LBR_EMETHOD, "does not exist");
    refused("burton-scherer:17(theta = 1)", &hh.system, NULL, LBR_EMETHOD, "burton-scherer:16");
    refused("burton-scherer:2(0.1)", &hh.system, NULL, LBR_EMETHOD, "is used like this");
    refused("burton-scherer:2(beta = 0.1)", &hh.system, NULL, LBR_EMETHOD, "theta = NUMBER");
    refused("burton-scherer(theta = 0.1)", &hh.system, NULL, LBR_EMETHOD, "burton-scherer:1");
    refused("split(nystrom-4, A)", &hh.system, NULL, LBR_EMETHOD, "not a table");
}

/* Tables with something wrong. */
static void bad_tables(void)
{
    const struct {
        lbr_method m;
        const char *words;
    } row[] = {
        { { TABLE("mine"), .A = LIST("0"), .b = LIST("1") }, "c has 0 entries" },
        { { TABLE("mine"), .A = LIST("0", "0"), .b = LIST("1"), .c = LIST("1/2") },
          "A has 2 entries; with 1 stages it needs 1" },
        { { TABLE("mine"), .A = LIST("0"), .b = LIST("1"), .c = LIST("1/2"), .bbar = LIST("1/4", "1/4") },
          "bbar has 2 entries" },
        { { TABLE("mine"), .A = LIST("0"), .b = LIST("1"), .c = LIST("1/2"), .Ahat = LIST("0", "0") },
          "Ahat has 2 entries" },
        { { TABLE("mine"), .A = LIST("0"), .b = LIST("0.9"), .c = LIST("1/2") }, "not consistent" },
        { { TABLE("mine"), .A = LIST("x"), .b = LIST("1"), .c = LIST("1/2") }, "entry 1 of A" },
        { { TABLE("mine"), .A = LIST("0"), .c = LIST("1/2") }, "0 coefficients" },
    };
    problem hh = henon_heiles();

    for (int i = 0; i < COUNT(row); i++) {
        lbr_options o = options_of("");

        o.methods = &row[i].m, o.nmethods = 1;
        refused("mine", &hh.system, &o, LBR_EMETHOD, row[i].words);
    }
}

static int failing(double t, const double *y, double *out, void *ctx)
{
    return damped_field(t, y, out, ctx) || t > 0.4;
}

/* What only shows when steps are taken: a field that disagrees with the masses, one that fails. */
static void while_running(void)
{
    static const char *const method[] = { "nystrom-4-general", "gauss-nystrom:2" };
    static const double wrong[] = { 2, 0.5 };

    for (int i = 0; i < 2; i++) {
        problem p = damped(), q = damped();
        lbr_plan *plan, *other;
        double y[PROBLEM_DIM];

        p.system.inverse_mass = wrong, q.system.field = failing;
        plan = plan_of(&p, method[i], NULL), other = plan_of(&q, method[i], NULL);
        lbr_start(plan, p.t0, p.h, p.y), lbr_start(other, q.t0, q.h, q.y);
        ok(lbr_run(plan, 2, 0, NULL, NULL) == LBR_EUNFIT && strstr(lbr_plan_message(plan), "rate of q[2]"), "%s",
           lbr_plan_message(plan));
        ok(lbr_run(other, 9, 0, NULL, NULL) == LBR_ECALLBACK && !lbr_read(other, NULL, y) &&
               strstr(lbr_plan_message(other), "field"),
           "%s", lbr_plan_message(other));
        lbr_plan_free(plan), lbr_plan_free(other);
    }
}

/* --- what is made of others -------------------------------------------------------------------------------------- */

/* The adjoint of a symmetric method is that method itself: it has the same bits, and the same checkpoints. */
static void themselves(void)
{
    static const struct {
        const char *name;
        int symmetric;
    } row[] = { { "gauss-nystrom:1", 1 },      { "gauss-nystrom:2", 1 },     { "gauss-nystrom:5", 1 },
                { "leapfrog-nystrom", 1 },     { "verlet-nystrom", 1 },      { "nystrom(lobatto-3a:3)", 1 },
                { "nystrom(yoshida-6-7)", 1 }, { "nystrom-4", 0 },           { "nystrom-5", 0 },
                { "nystrom(rk4)", 0 },         { "nystrom(radau-2a:2)", 0 }, { "nystrom-4-general", 0 } };

    for (int i = 0; i < COUNT(row); i++) {
        lbr_arena arena = { 0 };
        lbr_message m = { 0 };
        lbr_flat flat = { 0 };
        const lbr_nystrom *n = lbr_flatten(&flat, row[i].name, NULL, 1, &arena, &m) ? NULL
                                                                                    : flat.base[flat.nbases - 1].own;

        ok(n && (lbr_nystrom_adjoint(n, &arena) == n) == row[i].symmetric, "%s is %s %s", row[i].name,
           row[i].symmetric ? "its own adjoint" : "not its own adjoint", m.text);
        lbr_arena_free(&arena);
    }
}

/* Kicks at the same time are one, and none at all where they cancel: b_j and c_j of kicks (0) and their adjoints (1).
 */
static void kicks(void)
{
    lbr_step step[] = { { 0, 1, { 0.25, 0 } }, { 0, 0, { 0.25, 0 } },  { 0, 1, { 0.5, 0 } },
                        { 0, 0, { -0.5, 0 } }, { 0, 1, { 0.125, 0 } }, { 0, 1, { 0.375, 0 } } };
    const double b[] = { 0.5, 0.125, 0.375 }, c[] = { 0.25, 0.625, 1 };
    lbr_arena arena = { 0 };
    const lbr_nystrom *n = lbr_nystrom_of_steps((lbr_steps){ 6, step }, &arena);
    double off = n && n->s == 3 ? 0 : INFINITY;

    for (int i = 0; i < 3 && off == 0; i++) off = fmax(fabs(n->b[i].hi - b[i]), fabs(n->c[i].hi - c[i]));
    ok(off == 0, "six steps of symplectic Euler have three kicks: %d", n ? (int)n->s : -1);
    lbr_arena_free(&arena);
}

int main(void)
{
    themselves(), kicks();
    identities(), published(), trees(), certificates();
    orders(), one_parameter();
    solvers(), later(), counts(), rounded(), bits(), starting_values();
    unfit(), bad_tables(), while_running();
    return tap_done();
}
