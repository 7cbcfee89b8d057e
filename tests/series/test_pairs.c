/* test_pairs.c - pairs of tableaux for positions and momenta (HLW II.2, VI.4): certificates, and what they do.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support/tap.h"

#include "support/analysis.h"
#include "core/mem.h"
#include "plan/method_rows.h"
#include "series/order.h"

#define TEXTS(...)                                                                                          \
    {                                                                                                       \
        sizeof(const char *[]){ __VA_ARGS__ } / sizeof(const char *), (const char *const[]) { __VA_ARGS__ } \
    }
#define TABLE(name_, A_, b_)                                        \
    {                                                               \
        .size = sizeof(lbr_method), .name = name_, .A = A_, .b = b_ \
    }

static const lbr_method tables[] = {
    TABLE("kutta-3", TEXTS("0", "0", "0", "1/2", "0", "0", "-1", "2", "0"), TEXTS("1/6", "2/3", "1/6")), /* c_3 = 1 */
    TABLE("ralston-3", TEXTS("0", "0", "0", "1/2", "0", "0", "0", "3/4", "0"),
          TEXTS("2/9", "1/3", "4/9")), /* c_3 = 3/4 */
    /* HLW V.2.6, the pair after it, with b = (1/8, 3/8), b^ = (1/6, 1/3) */
    TABLE("forth",
          TEXTS("0", "0", "0", "0", "1/8", "3/8", "0", "0", "1/8", "3/8", "0", "0", "1/8", "3/8", "3/8", "1/8"),
          TEXTS("1/8", "3/8", "3/8", "1/8")),
    TABLE("back", TEXTS("1/6", "0", "0", "0", "1/6", "0", "0", "0", "1/6", "1/3", "1/3", "0", "1/6", "1/3", "1/3", "0"),
          TEXTS("1/6", "1/3", "1/3", "1/6")),
    /* explicit for H = T(p) + V(q), neither a splitting nor strictly triangular */
    TABLE("loose", TEXTS("0", "0", "1/3", "2/3"), TEXTS("1/2", "1/2")),
    TABLE("tied", TEXTS("1/2", "0", "1/4", "0"), TEXTS("1/2", "1/2")),
};

static lbr_options own(const char *text)
{
    lbr_options o = options_of(text);

    o.methods = tables, o.nmethods = sizeof tables / sizeof *tables;
    return o;
}

/* --- certificates ------------------------------------------------------------------------------------------------ */

static int found(const lbr_certificate *z, const char *property)
{
    for (int64_t i = 0; i < z->n; i++)
        if (!strcmp(z->check[i]->property, property)) return z->check[i]->found;
    return -1;
}

/* Orders for any H, for T + V, for quadratic T; symmetric, symplectic, symplectic for T + V, explicit for T + V. */
static void certificates(void)
{
    static const char *const property[] = { "order",     "order_separable", "order_quadratic_kinetic",
                                            "symmetric", "symplectic",      "symplectic_separable",
                                            "explicit" };
    static const struct {
        const char *text;
        int want[7];
    } cases[] = {
        { "hager(rk4)", { 4, 4, 4, 0, 1, 1, 0 } },
        { "hager(kutta-38)", { 4, 4, 4, 0, 1, 1, 0 } },
        { "hager(kutta-3)", { 3, 3, 3, 0, 1, 1, 0 } },
        { "hager(ralston-3)", { 2, 2, 2, 0, 1, 1, 0 } },
        { "hager(explicit-euler)", { 1, 1, 1, 0, 1, 1, 1 } },
        { "adjoint(hager(explicit-euler))", { 1, 1, 1, 0, 1, 1, 1 } },
        { "hager(lobatto-3a:4)", { 6, 6, 6, 1, 1, 1, 0 } },
        { "hager(gauss:3)", { 6, 6, 6, 1, 1, 1, 0 } },
        { "pair(lobatto-3a:3, lobatto-3b:3)", { 4, 4, 4, 1, 1, 1, 0 } },
        { "pair(lobatto-3b:3, lobatto-3a:3)", { 4, 4, 4, 1, 1, 1, 0 } },
        { "pair(lobatto-3a:3, lobatto-3a:3)", { 4, 4, 4, 1, 0, 0, 0 } },
        { "pair(lobatto-3b:3, lobatto-3b:3)", { 4, 4, 4, 1, 0, 0, 0 } },
        { "pair(rk4, kutta-38)", { 2, 2, 2, 0, 0, 0, 1 } },
        { "pair(rk4, rk4)", { 4, 4, 4, 0, 0, 0, 1 } },
        { "pair(forth, back)", { 2, 2, 2, 1, 0, 1, 1 } },
        { "pair(back, forth)", { 2, 2, 2, 1, 0, 1, 1 } },
        { "pair(loose, tied)", { 1, 1, 1, 0, 0, 0, 1 } },
        { "adjoint(pair(rk4, rk4))", { 4, 4, 4, 0, 0, 0, 0 } },
        { "additive(lobatto-3a:3, lobatto-3b:3, A, B)", { 4, -1, -1, 1, 0, -1, 0 } },
        { "additive(gauss:2, gauss:2, A, B)", { 4, -1, -1, 1, 1, -1, 0 } },
        { "additive(rk4, rk4, A, B)", { 4, -1, -1, 0, 0, -1, 1 } },
        { "additive(explicit-euler, implicit-euler, A, B)", { 1, -1, -1, 0, 0, -1, 0 } },
        { "pair(lobatto-3b:2, lobatto-3b:2)", { 2, 2, 2, 1, 1, 1, 0 } },
        { "compose(strang, pair(implicit-euler, implicit-euler))", { 2, -1, -1, 1, 1, 1, -1 } },
        { "compose(strang, pair(rk4, rk4))", { 4, -1, -1, 1, 0, 0, -1 } },
        { "compose(yoshida-6-7, lobatto-3a-3b:2)", { 6, -1, -1, 1, 1, -1, -1 } },
    };
    lbr_options o = own("");

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const lbr_certificate *z;
        int status = lbr_certify(&z, cases[i].text, &o);

        if (!ok(!status, "%s can be certified", cases[i].text)) printf("# %s\n", z->message);
        for (int k = 0; k < 7 && !status; k++)
            ok(found(z, property[k]) == cases[i].want[k], "%s: %s %d (found %d)", cases[i].text, property[k],
               cases[i].want[k], found(z, property[k]));
        lbr_certificate_free(z);
    }
}

/* The numbers of HLW II.2.2 and VI.4.5: orders 2, 4, 6 by all trees with two colours; where the first one fails with s
 * = 4. */
static void published(void)
{
    for (int s = 2; s <= 6; s++) {
        lbr_arena arena = { 0 };
        lbr_message why;
        lbr_method claims;
        lbr_numbers x;
        lbr_order trees, assumed;

        ok(!lbr_row_numbers(lbr_row_find("lobatto-3a-3b"), s, &claims, &x, &arena, &why) &&
               !lbr_trees_order(LBR_TREES_BICOLOURED, s, x.A, x.b, x.A2, x.b2, 10, 1e-26, &trees) &&
               !lbr_assumptions_pair(s, x.A, x.A2, x.b, x.c, 1e-26, &assumed),
           "lobatto-3a-3b:%d", s);
        ok(trees.order == 2 * s - 2 && trees.exact && assumed.order == trees.order,
           "s = %d: order %d by trees and by assumptions (%s)", s, trees.order, assumed.detail);
        if (s == 4) near(trees.failing / 7, 4.76e-4, 5e-7, "the first condition of order 7 misses by 4.76e-4");
        lbr_arena_free(&arena);
    }
}

/* --- a changed entry is noticed ---------------------------------------------------------------------------------- */

enum { MOST = 16 * 17 };
typedef struct copy {
    lbr_method m[2];
    const char *text[2][MOST];
    char digits[2][MOST][LBR_DD_TEXT];
} copy;

static void copy_of(copy *c, int s)
{
    lbr_arena arena = { 0 };
    lbr_message why;
    lbr_numbers x;

    memset(c, 0, sizeof *c);
    lbr_row_numbers(lbr_row_find("lobatto-3a-3b"), s, &c->m[0], &x, &arena, &why);
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < s * s + s; i++)
            c->text[k][i] = lbr_dd_write(i < s * s ? (k ? x.A2 : x.A)[i] : (k ? x.b2 : x.b)[i - s * s], 34,
                                         c->digits[k][i]);
        c->m[k] = (lbr_method){ .size = sizeof *c->m,
                                .name = k ? "momenta" : "positions",
                                .A = { s * s, c->text[k] },
                                .b = { s, c->text[k] + s * s } };
    }
    lbr_arena_free(&arena);
}

static int is_lobatto(copy *c, int s)
{
    lbr_options o;
    const lbr_certificate *z;
    int good;

    lbr_options_init(&o);
    o.methods = c->m, o.nmethods = 2;
    good = !lbr_certify(&z, "pair(positions, momenta)", &o) && found(z, "order") == 2 * s - 2 &&
           found(z, "symmetric") == 1 && found(z, "symplectic") == 1;
    lbr_certificate_free(z);
    return good;
}

static void mutants(void)
{
    static copy c;

    for (int s = 2; s <= 16; s++) {
        int survivors = 0;

        copy_of(&c, s);
        ok(is_lobatto(&c, s), "the digits of lobatto-3a-3b:%d as two tables of the user have its properties", s);
        for (int k = 0; k < 2; k++)
            for (int i = 0; i < s * s + s; i++) {
                char changed[LBR_DD_TEXT];
                const char *old = c.text[k][i];
                lbr_dd x;

                lbr_dd_read(old, &x);
                c.text[k][i] = lbr_dd_write(dd_add(x, dd(1e-20)), 34, changed);
                survivors += is_lobatto(&c, s);
                c.text[k][i] = old;
            }
        ok(survivors == 0, "lobatto-3a-3b:%d: each of %d entries changed by 1e-20 is noticed", s, 2 * s * (s + 1));
    }
}

/* The bound by assumptions is never above what trees find. */
static void bounds(void)
{
    static const char *const names[] = { "gauss:2",      "gauss:3",      "radau-1a:2",   "radau-2a:2",   "radau-2a:3",
                                         "lobatto-3a:3", "lobatto-3b:3", "lobatto-3c:3", "lobatto-3s:3", "lobatto-3a:2",
                                         "lobatto-3b:2", "lobatto-3a:4", "lobatto-3b:4", "lobatto-3s:4" };
    int wrong = 0, sharp = 0, n = 0;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (size_t j = 0; j < sizeof names / sizeof *names; j++) {
            const size_t which[2] = { i, j };
            lbr_arena arena = { 0 };
            lbr_message why;
            lbr_method claims;
            lbr_numbers x[2];
            lbr_order trees, assumed;

            for (int k = 0; k < 2; k++) {
                const char *colon = strchr(names[which[k]], ':');
                char name[32];

                snprintf(name, sizeof name, "%.*s", (int)(colon - names[which[k]]), names[which[k]]);
                lbr_row_numbers(lbr_row_find(name), atoi(colon + 1), &claims, &x[k], &arena, &why);
            }
            if (x[0].s == x[1].s && lbr_weights_residual((int)x[0].s, x[0].b, x[1].b) < 1e-26) {
                lbr_trees_order(LBR_TREES_BICOLOURED, (int)x[0].s, x[0].A, x[0].b, x[1].A, x[1].b, 7, 1e-24, &trees);
                lbr_assumptions_pair((int)x[0].s, x[0].A, x[1].A, x[0].b, x[0].c, 1e-26, &assumed);
                wrong += assumed.order > trees.order + (assumed.order > 7 ? assumed.order - 7 : 0),
                    sharp += assumed.order == trees.order, n++;
            }
            lbr_arena_free(&arena);
        }
    ok(wrong == 0 && n > 30 && sharp > n / 2,
       "the order by assumptions is not above that by trees: %d pairs, equal for %d", n, sharp);
}

/* --- runs -------------------------------------------------------------------------------------------------------- */

/* The largest difference between two methods after n steps. */
static double apart(const problem *a, const char *one, const problem *b, const char *other, const lbr_options *o,
                    double h, int n)
{
    double x[PROBLEM_DIM], y[PROBLEM_DIM];

    return problem_run(a, one, o, h, n, x) || problem_run(b, other, o, h, n, y) ? INFINITY
                                                                                : distance(a->system.dim, x, y);
}

/* Only the field is known: nothing can be explicit. */
static const problem *inner;
static int inner_field(double t, const double *y, double *out, void *ctx)
{
    int64_t nq = inner->system.nq;

    (void)ctx;
    if (inner->system.velocity) inner->system.velocity(t, y + nq, out, NULL);
    else
        for (int64_t i = 0; i < nq; i++) out[i] = inner->system.inverse_mass[i] * y[nq + i];
    return inner->system.force(t, y, out + nq, NULL);
}

static problem as_field(const problem *p)
{
    problem f = *p;

    inner = p;
    f.system = LBR_SYSTEM(.name = p->system.name, .dim = p->system.dim, .nq = p->system.nq, .field = inner_field);
    return f;
}

static void verlet(void)
{
    problem separable[] = { henon_heiles(), kepler(), relativistic(), driven() }, other[] = { mixed(), pushed() };
    lbr_options plain = own(""), compensated = own("compensated=yes"), newton = own("solver=newton");

    for (int i = 0; i < 4; i++) {
        const problem *p = &separable[i];
        problem f = as_field(p);

        ok(apart(p, "lobatto-3a-3b:2", p, "stormer-verlet", &plain, p->h, 50) == 0,
           "%s: lobatto-3a-3b:2 is stormer-verlet, to the bit", p->system.name);
        ok(apart(p, "lobatto-3a-3b:2", p, "stormer-verlet", &compensated, p->h, 50) == 0,
           "%s: also with compensated sums", p->system.name);
        ok(apart(p, "hager(explicit-euler)", p, "symplectic-euler", &plain, p->h, 50) == 0,
           "%s: hager(explicit-euler) is symplectic-euler", p->system.name);
        ok(apart(p, "adjoint(hager(explicit-euler))", p, "symplectic-euler-b", &plain, p->h, 50) == 0,
           "%s: its adjoint is symplectic-euler-b", p->system.name);
        ok(apart(&f, "lobatto-3a-3b:2", p, "stormer-verlet", &plain, p->h, 50) < 2e-13,
           "%s: given by its field, the same to round-off", p->system.name);
        ok(apart(&f, "lobatto-3a-3b:2", p, "stormer-verlet", &newton, p->h, 50) < 2e-13, "%s: by Newton's method too",
           p->system.name);
    }
    for (int i = 0; i < 2; i++) {
        const problem *p = &other[i];

        ok(apart(p, "lobatto-3a-3b:2", p, "stormer-verlet", &plain, p->h, 50) < 1e-13,
           "%s: lobatto-3a-3b:2 is stormer-verlet for any H", p->system.name);
        ok(apart(p, "lobatto-3a-3b:2", p, "stormer-verlet-b", &plain, p->h, 50) > 1e-6, "%s: and not stormer-verlet-b",
           p->system.name);
        ok(apart(p, "hager(explicit-euler)", p, "symplectic-euler", &plain, p->h, 50) < 1e-13,
           "%s: hager(explicit-euler) is symplectic-euler", p->system.name);
        ok(apart(p, "pair(implicit-euler, explicit-euler)", p, "symplectic-euler-b", &plain, p->h, 50) < 1e-13,
           "%s: pair(implicit-euler, explicit-euler) is symplectic-euler-b", p->system.name);
        ok(apart(p, "lobatto-3a-3b:4", p, "lobatto-3a-3b:4", &newton, p->h, 20) == 0 &&
               apart(p, "pair(gauss:2, gauss:2)", p, "gauss:2", &plain, p->h, 20) < 1e-14,
           "%s: a pair of twice the same is that", p->system.name);
    }
}

static int stepper_is(const problem *p, const char *method, const char *name)
{
    lbr_options o = own("");
    lbr_plan *plan = plan_of(p, method, &o);
    int is = plan && !strncmp(lbr_plan_steps(plan), name, strlen(name));

    lbr_plan_free(plan);
    return is;
}

/* Kicks and drifts by hand: HLW VI.4.7, with the order of the factors as in its proof. */
static void splitting(void)
{
    static const double kick[] = { 1.0 / 6, 2.0 / 3, 1.0 / 6 }, h = 0.05;
    problem p = kepler(), f = as_field(&p), loose = relativistic(), swinging = driven(), field, pushed_halves;
    lbr_options o = own("");
    double y[PROBLEM_DIM], x[PROBLEM_DIM], force[2];

    memcpy(y, p.y, sizeof y);
    for (int n = 0; n < 40; n++)
        for (int k = 0; k < 3; k++) {
            kepler_force(0, y, force, NULL);
            for (int i = 0; i < 2; i++) y[2 + i] += kick[k] * h * force[i];
            for (int i = 0; i < 2 && k < 2; i++) y[i] += h / 2 * y[2 + i];
        }
    ok(!problem_run(&p, "pair(forth, back)", &o, h, 40, x) && distance(4, x, y) < 1e-12,
       "an explicit symmetric pair is its splitting");
    ok(stepper_is(&p, "pair(forth, back)", "drift-kick") && stepper_is(&p, "pair(back, forth)", "drift-kick") &&
           stepper_is(&p, "adjoint(hager(explicit-euler))", "drift-kick"),
       "splittings are run as such");
    ok(!stepper_is(&p, "pair(loose, tied)", "drift-kick") && !stepper_is(&p, "pair(rk4, rk4)", "drift-kick") &&
           !stepper_is(&f, "pair(forth, back)", "drift-kick"),
       "and nothing else");
    ok(!problem_run(&f, "pair(forth, back)", &o, h, 40, x) && distance(4, x, y) < 1e-12,
       "its stages, solved for, are the same");
    ok(apart(&p, "pair(loose, tied)", &f, "pair(loose, tied)", &o, 0.02, 30) < 1e-13, "halves of stages, with masses");
    pushed_halves = as_field(&swinging);
    ok(apart(&swinging, "pair(loose, tied)", &pushed_halves, "pair(loose, tied)", &o, 0.1, 30) < 1e-13,
       "halves of stages, with the time in the force");
    field = as_field(&loose);
    ok(apart(&loose, "pair(loose, tied)", &field, "pair(loose, tied)", &o, 0.1, 30) < 1e-13,
       "a pair that is explicit but no splitting: halves of stages one after the other");
    ok(apart(&loose, "pair(rk4, kutta-38)", &field, "pair(rk4, kutta-38)", &o, 0.1, 30) < 1e-13 &&
           apart(&loose, "pair(rk4, rk4)", &loose, "rk4", &o, 0.1, 30) < 1e-14,
       "explicit pairs: whole stages");
}

static int64_t evaluations(const problem *p, const char *method)
{
    lbr_options o = own("");
    lbr_plan *plan = plan_of(p, method, &o);
    int64_t n = -1;

    if (plan && !lbr_start(plan, p->t0, p->h, p->y) && !lbr_run(plan, 10, 0, NULL, NULL))
        n = lbr_plan_stats(plan)->force + lbr_plan_stats(plan)->field;
    lbr_plan_free(plan);
    return n;
}

/* Measured orders on a H that is not separable (slopes as published: 3.99, 4.00; 4.0, 3.95, 3.0, 2.0), and det D = 1.
 */
static void measured(void)
{
    static const struct {
        const char *text;
        int order, symplectic;
    } cases[] = {
        { "lobatto-3a-3b:3", 4, 1 },     { "hager(rk4)", 4, 1 },        { "hager(kutta-38)", 4, 1 },
        { "hager(kutta-3)", 3, 1 },      { "hager(ralston-3)", 2, 1 },  { "pair(lobatto-3a:3, lobatto-3a:3)", 4, 0 },
        { "pair(rk4, kutta-38)", 2, 0 }, { "pair(forth, back)", 2, 0 },
    };
    problem all[] = { mixed(), pushed() };
    lbr_options o = own("");

    for (int i = 0; i < 2; i++) {
        double exact[PROBLEM_DIM];

        reference(&all[i], 2, 64, exact);
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
            slope s = slope_of(&all[i], cases[k].text, &o, 2, exact, cases[k].order, 1e-10, 600);
            double defect = not_symplectic(&all[i], cases[k].text, &o, 0.1);

            ok(fabs(s.order - cases[k].order) < 0.15, "%s on %s: order %.2f", cases[k].text, all[i].system.name,
               s.order);
            ok(cases[k].symplectic ? defect < 1e-11 : defect > 1e-7, "%s on %s: %ssymplectic, defect %.1e",
               cases[k].text, all[i].system.name, cases[k].symplectic ? "" : "not ", defect);
        }
    }
}

/* --- what is refused --------------------------------------------------------------------------------------------- */

static void refused(const char *method, const problem *p, lbr_status want, const char *words)
{
    lbr_options o = own("");
    lbr_plan *plan;
    lbr_status status = lbr_plan_create(&plan, method, &p->system, &o);

    if (!ok(status == want && strstr(lbr_plan_message(plan), words), "%s: refused with '%s'", method, words))
        printf("# %d: %s\n", (int)status, lbr_plan_message(plan));
    lbr_plan_free(plan);
}

static void messages(void)
{
    problem p = kepler(), body = rigid_body();
    lbr_plan *plan;
    double y[PROBLEM_DIM];

    refused("hager(heun-3)", &p, LBR_EMETHOD, "b[2] is 0");
    refused("hager(runge-midpoint)", &p, LBR_EMETHOD, "b[1] is 0");
    refused("hager(stormer-verlet)", &p, LBR_EMETHOD, "takes Runge-Kutta methods");
    refused("hager(rk4, rk4)", &p, LBR_EMETHOD, "used like this");
    refused("hager(hager(rk4))", &p, LBR_EMETHOD, "takes Runge-Kutta methods");
    refused("pair(rk4)", &p, LBR_EMETHOD, "used like this");
    refused("pair(m = rk4, rk4)", &p, LBR_EMETHOD, "used like this");
    refused("pair", &p, LBR_EMETHOD, "needs arguments");
    refused("pair(rk4, heun-3)", &p, LBR_EMETHOD, "'rk4' has 4 and 'heun-3' 3");
    refused("pair(rk4, compose(strang, rk4))", &p, LBR_EMETHOD, "tableau(METHOD)");
    refused("pair(rk4, nothing)", &p, LBR_EMETHOD, "nothing");
    refused("lobatto-3a-3b:1", &p, LBR_EMETHOD, "goes from lobatto-3a-3b:2");
    refused("lobatto-3a-3b:3", &body, LBR_EUNFIT, "positions and momenta");
    ok(!lbr_plan_create(&plan, "lobatto-3a-3b:3", &p.system, NULL) && !lbr_start(plan, 0, 0.01, p.y) &&
           !lbr_run(plan, 3, 0, NULL, NULL) && lbr_state_dense(lbr_plan_state(plan), -0.5, y) == LBR_EUNFIT,
       "a pair has no dense output");
    lbr_plan_free(plan);
}

/* --- additive methods: HLW II.6, exercise 5 ---------------------------------------------------------------------- */

static int drag(double t, const double *y, double *out, void *ctx)
{
    return (void)t, (void)ctx, out[0] = 0.2 * y[1] * y[0], out[1] = -0.3 * y[1] - 0.1 * y[0] * y[0], 0;
}
static int swing(double t, const double *y, double *out, void *ctx)
{
    return (void)ctx, out[0] = y[1] + 0.1 * t, out[1] = -y[0] - y[0] * y[0] * y[0] / 4 + t / (1 + t * t), 0;
}
static int all(double t, const double *y, double *out, void *ctx)
{
    double f[2];

    swing(t, y, f, ctx), drag(t, y, out, ctx);
    return out[0] += f[0], out[1] += f[1], 0;
}

/* u' = f(u + v), v' = g(u + v). */
static int doubled(double t, const double *y, double *out, void *ctx)
{
    double sum[2] = { y[0] + y[2], y[1] + y[3] };

    return swing(t, sum, out, ctx), drag(t, sum, out + 2, ctx);
}

static int failing(double t, const double *y, double *out, void *ctx) { return drag(t, y, out, ctx), t > 1; }

static const lbr_part sum_part[] = { { sizeof(lbr_part), "f", NULL, NULL, NULL, NULL, swing, NULL },
                                     { sizeof(lbr_part), "g", NULL, NULL, NULL, NULL, drag, NULL },
                                     { sizeof(lbr_part), "bad", NULL, NULL, NULL, NULL, failing, NULL } };
static const lbr_parts sum_parts = { sizeof(lbr_parts), 3, sum_part, 0 };

static int drift_rate(double t, const double *y, double *out, void *ctx)
{
    return (void)t, (void)ctx, out[0] = y[1], out[1] = 0, 0;
}
static int kick_rate(double t, const double *y, double *out, void *ctx)
{
    return out[0] = 0, driven_force(t, y, out + 1, ctx);
}
static const lbr_part half_part[] = { { sizeof(lbr_part), "A", NULL, NULL, NULL, NULL, drift_rate, NULL },
                                      { sizeof(lbr_part), "B", NULL, NULL, NULL, NULL, kick_rate, NULL } };
static const lbr_parts half_parts = { sizeof(lbr_parts), 2, half_part, 0 };

static void additive(void)
{
    static const struct {
        const char *m, *n;
        int order;
    } cases[] = { { "rk4", "rk4", 4 },
                  { "rk4", "kutta-38", 2 },
                  { "lobatto-3a:3", "lobatto-3b:3", 4 },
                  { "explicit-euler", "implicit-euler", 1 },
                  { "kutta-3", "ralston-3", 1 } };
    problem p = { LBR_SYSTEM(.name = "sum", .dim = 2, .field = all, .parts = &sum_parts), .h = 0.1,
                  .y = { 0.8, -0.3 } };
    problem twice = { LBR_SYSTEM(.name = "doubled", .dim = 4, .nq = 2, .field = doubled), .h = 0.1,
                      .y = { 0.4, -0.15, 0.4, -0.15 } };
    problem halves = driven(), body = rigid_body(), none = kepler();
    double exact[PROBLEM_DIM], x[PROBLEM_DIM], y[PROBLEM_DIM];
    lbr_options o[] = { own(""), own("solver=newton"), own("compensated=yes") };
    lbr_plan *plan;

    halves.system.parts = &half_parts;
    reference(&p, 2, 64, exact);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char sum[96], pair[96];
        slope s;

        snprintf(sum, sizeof sum, "additive(%s, %s, f, g)", cases[i].m, cases[i].n),
            snprintf(pair, sizeof pair, "pair(%s, %s)", cases[i].m, cases[i].n);
        for (int k = 0; k < 3; k++)
            ok(!problem_run(&p, sum, &o[k], 0.1, 30, x) && !problem_run(&twice, pair, &o[k], 0.1, 30, y) &&
                   fabs(x[0] - y[0] - y[2]) < 1e-13 && fabs(x[1] - y[1] - y[3]) < 1e-13,
               "%s is the pair on the doubled system", sum);
        s = slope_of(&p, sum, &o[0], 2, exact, cases[i].order, 1e-10, 600);
        ok(fabs(s.order - cases[i].order) < 0.15, "%s: order %.2f", sum, s.order);
    }
    ok(evaluations(&p, "additive(rk4, rk4, f, g)") == 80 && evaluations(&none, "pair(loose, tied)") == 20,
       "evaluations are counted: of both parts, of forces");
    ok(apart(&p, "additive(gauss:2, gauss:2, f, g)", &p, "gauss:2", &o[0], 0.1, 30) < 1e-14 &&
           apart(&p, "additive(rk4, rk4, g, f)", &p, "rk4", &o[0], 0.1, 30) < 1e-14,
       "twice the same tableau is that");
    ok(apart(&p, "additive(rk4, kutta-38, f, g)", &p, "additive(kutta-38, rk4, g, f)", &o[0], 0.1, 30) < 1e-14 &&
           apart(&p, "additive(rk4, kutta-38, f, g)", &p, "additive(rk4, kutta-38, g, f)", &o[0], 0.1, 30) > 1e-8,
       "the order of the parts does not matter, which tableau is whose does");
    ok(apart(&halves, "additive(lobatto-3a:3, lobatto-3b:3, A, B)", &halves, "lobatto-3a-3b:3", &o[0], 0.1, 30) < 1e-14,
       "with positions and momenta as parts it is the pair");
    refused("additive(rk4, rk4, f, h)", &p, LBR_EUNFIT, "no part 'h'");
    refused("additive(rk4, rk4, A, B)", &none, LBR_EUNFIT, "parts with fields");
    refused("additive(rk4, rk4, A, B)", &body, LBR_EUNFIT, "field of part 'A'");
    refused("additive(rk4, heun-3, f, g)", &p, LBR_EMETHOD, "'rk4' has 4 and 'heun-3' 3");
    refused("additive(rk4, rk4, f)", &p, LBR_EMETHOD, "used like this");
    refused("additive(rk4, rk4, f, g:2)", &p, LBR_EMETHOD, "used like this");
    ok(!lbr_plan_create(&plan, "additive(rk4, rk4, f, bad)", &p.system, NULL) && !lbr_start(plan, 0, 0.1, p.y) &&
           lbr_run(plan, 20, 0, NULL, NULL) == LBR_ECALLBACK && strstr(lbr_plan_message(plan), "'f' or 'bad'"),
       "a field that fails ends the run");
    lbr_plan_free(plan);
}

/* Velocities and forces that are functions of the time alone: quadrature, with the nodes of both tableaux. */
static int rate_of_q(double t, const double *p, double *v, void *ctx)
{
    return (void)p, (void)ctx, v[0] = cos(3 * t), 0;
}
static int rate_of_p(double t, const double *q, double *f, void *ctx) { return (void)q, (void)ctx, f[0] = exp(-t), 0; }

static void quadrature(void)
{
    static const char *const method[] = { "pair(rk4, kutta-38)", "pair(kutta-38, rk4)",
                                          "hager(rk4)",          "pair(rk4, gauss:4)",
                                          "lobatto-3a-3b:3",     "pair(runge-midpoint, lobatto-3b:2)" };
    const problem p = { LBR_SYSTEM(.name = "quadrature", .dim = 2, .nq = 1, .velocity = rate_of_q, .force = rate_of_p),
                        .h = 0.05, .y = { 0, 0 } };

    for (int i = 0; i < 6; i++) {
        double y[PROBLEM_DIM], off = INFINITY;

        if (!problem_run(&p, method[i], NULL, 0.05, 20, y))
            off = fmax(fabs(y[0] - sin(3.0) / 3), fabs(y[1] - 1 + exp(-1.0)));
        ok(off < (i < 5 ? 1e-4 : 0.01), "%s asks for rates at the times of its stages: %.1e", method[i], off);
    }
}

/* Kicks and drifts cannot, and say so before the first step. */
static void drifts_in_time(void)
{
    static const char *const method[] = { "stormer-verlet", "symplectic-euler-b", "lobatto-3a-3b:2", "yoshida-6-7",
                                          "mclachlan-4-5" };
    const problem p = { LBR_SYSTEM(.name = "quadrature", .dim = 2, .nq = 1, .velocity = rate_of_q, .force = rate_of_p),
                        .h = 0.05, .y = { 0, 0 } };

    for (int i = 0; i < 5; i++) {
        lbr_plan *plan;
        lbr_status status = lbr_plan_create(&plan, method[i], &p.system, NULL);

        if (!status) status = lbr_start(plan, 0, 0.05, p.y);
        ok(status == LBR_EUNFIT && strstr(lbr_plan_message(plan), "depends on t"), "%s: %s", method[i],
           lbr_plan_message(plan));
        lbr_plan_free(plan);
    }
}

int main(void)
{
    quadrature(), drifts_in_time();
    certificates();
    published();
    mutants();
    bounds();
    verlet();
    splitting();
    measured();
    additive();
    messages();
    return tap_done();
}
