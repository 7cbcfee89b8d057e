/* test_methods.c - what is claimed of the methods, measured: order, symmetry, symplecticity, invariants, calls.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The catalogue is the list of tests: every row becomes cases (a table with several maps), every case meets every
 * problem that it fits, and each claim of lbr_method_describe is tested for and against. */
#include "support/analysis.h"
#include "support/tap.h"
#include "support/share.h"

enum { FIELD = 1, PARTITION = 2, PARTS = 4, SECOND_ORDER = 8, MOST_CASES = 600, MOST_STEPS = 5000 };

/* --- cases ------------------------------------------------------------------------------------------------------- */

typedef struct kase {
    char name[128];
    int order[2], symmetric, symplectic, needs;
} kase; /* order[1]: for quadratic T */

static kase cases[MOST_CASES];
static int ncases;

static void add(const char *format, const char *a, const char *b)
{
    kase *k = &cases[ncases];
    const lbr_method_info *i;

    snprintf(k->name, sizeof k->name, format, a, b);
    if (!ok(!lbr_method_describe(&i, k->name) && ncases < MOST_CASES - 1, "%s can be described", k->name))
        printf("# %s\n", i->message);
    else {
        k->order[0] = i->order, k->order[1] = i->order_quadratic, k->symmetric = i->symmetric,
        k->symplectic = i->symplectic;
        k->needs = strstr(i->needs, "parts")               ? PARTS
                   : strstr(i->needs, "partition")         ? PARTITION
                   : strstr(i->needs, "quadratic-kinetic") ? SECOND_ORDER
                                                           : FIELD;
        ncases++;
    }
    lbr_method_free(i);
}

/* How rows of a form are used, alone and with maps; NULL: not with all of these systems. */
static const char *const *uses_of(const char *form)
{
    static const struct {
        const char *form, *use[6];
    } all[] = {
        { "runge-kutta", { "%s" } },
        { "partitioned", { "%s" } },
        { "pair", { "%s" } },
        { "nystrom", { "%s" } },
        { "composition",
          { "%s", "compose(%s, stormer-verlet)", "compose(%s, midpoint)", "compose(%s, trapezoidal)",
            "compose(%s, split(strang))" } },
        { "alternation", { "%s", "split(%s)", "compose(%s, symplectic-euler)", "compose(%s, explicit-euler)" } },
        { "processor",
          { "process(%2$s, %1$s)", "process(compose(%2$s, midpoint), %1$s)", "adjoint(process(%2$s, %1$s))" } },
        { "corrector", { "process(%2$s, %1$s)", "process(split(%2$s), %1$s)" } },
    };

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!strcmp(all[i].form, form)) return all[i].use;
    return NULL;
}

/* `name` is the row's own, or that of a member. */
static void cases_of(const lbr_method *r, const char *name)
{
    for (const char *const *u = uses_of(r->form); *u; u++) add(*u, name, r->kernel ? r->kernel : "");
}

static void make_cases(void)
{
    for (int64_t i = 0; i < lbr_catalogue_size(); i++) {
        const lbr_method *r = lbr_catalogue(i);
        char name[64];

        if (!uses_of(r->form)) continue; /* not for all of these systems: test_generating.c and kin */
        if (!r->first) cases_of(r, r->name);
        for (int k = r->first; r->first && k <= r->last; k += r->stride) {
            snprintf(name, sizeof name, "%s:%d", r->name, k);
            cases_of(r, name);
        }
    }
    add("adjoint(explicit-euler)", "", "");
    add("adjoint(rk4)", "", "");
    add("stormer-two-step", "", "");
    add("compose(triple-jump:4, stormer-two-step)", "", "");
    add("hager(rk4)", "", "");
    add("adjoint(hager(runge-trapezoidal))", "", "");
    add("pair(lobatto-3a:3, lobatto-3a:3)", "", "");
    add("pair(explicit-euler, implicit-euler)", "", "");
    add("compose(yoshida-6-7, lobatto-3a-3b:2)", "", "");
    add("adjoint(symplectic-euler)", "", "");
    add("compose(suzuki:6, gauss:2)", "", "");
    add("process(stormer-verlet, effective-6-9-processor)", "", "");
}

/* limit: the largest order that shows before round-off; h: a large step. */
typedef struct ground {
    problem p;
    double T, h;
    int64_t n;
    int has, limit, quadratic;
    double exact[PROBLEM_DIM];
} ground;
static ground grounds[] = {
    { .T = 8, .h = 0.4, .n = 128, .has = FIELD | PARTITION | PARTS | SECOND_ORDER, .limit = 10, .quadratic = 1 },
    /* Henon-Heiles */
    { .T = 2, .h = 0.05, .n = 128, .has = FIELD | PARTITION | SECOND_ORDER, .limit = 8, .quadratic = 1 }, /* Kepler */
    { .T = 4, .h = 0.3, .n = 128, .has = FIELD | PARTITION, .limit = 8, .quadratic = 0 },  /* T not quadratic */
    { .T = 3, .h = 0.2, .n = 128, .has = FIELD | PARTITION, .limit = 10, .quadratic = 0 }, /* H not separable */
    { .T = 4, .h = 0.4, .n = 128, .has = FIELD | PARTITION | SECOND_ORDER, .limit = 8, .quadratic = 1 }, /* the time in
                                                                                                            the force */
    { .T = 4, .h = 0.3, .n = 128, .has = FIELD | PARTITION, .limit = 8, .quadratic = 0 }, /* the time in a H that is not
                                                                                             separable */
    { .T = 20, .h = 0.25, .n = 512, .has = FIELD | PARTS, .limit = 14, .quadratic = 0 }, /* no partition; three parts */
    { .T = 4, .h = 0.3, .n = 128, .has = FIELD | PARTS, .limit = 8, .quadratic = 0 },    /* the time in both parts */
    { .T = 1.2, .h = 0.25, .n = 128, .has = FIELD, .limit = 8, .quadratic = 0 },         /* the time in the field */
};
enum { GROUNDS = sizeof grounds / sizeof *grounds };

static void make_grounds(void)
{
    const problem all[GROUNDS] = { hh_as("parts"), kepler(), relativistic(),         mixed(),
                                   driven(),       pushed(), body_with_increments(), clock_in_parts(),
                                   riccati() };

    for (int i = 0; i < GROUNDS; i++) {
        grounds[i].p = all[i];
        reference(&all[i], grounds[i].T, grounds[i].n, grounds[i].exact);
    }
}

/* --- what is claimed --------------------------------------------------------------------------------------------- */

/* A property that a case claims must have a small defect, one that it does not claim a large one. */
static void claim(const kase *k, const ground *g, const char *what, int claimed, double defect, double small,
                  double large)
{
    if (claimed) ok(defect <= small, "%s on %s: %s, defect %.2g", k->name, g->p.system.name, what, defect);
    else ok(defect >= large, "%s on %s: not %s, defect %.2g", k->name, g->p.system.name, what, defect);
}

/* Slopes near the round-off of compensated sums, within a band that the neighbouring orders are not in (those of
 * symmetric methods are even). The error of suzuki:8 and suzuki:10 may sink to round-off before the order settles, and
 * so may that of methods that are not symmetric; lobatto-3b:8 is in resonance with the rigid body at 34 steps.
 * Splittings into parts do not know that one of them is quadratic. */
static void order(const kase *k, const ground *g)
{
    lbr_options o = options_of("compensated=yes");
    int tenth = strstr(k->name, "suzuki:10") != NULL, p = k->order[g->quadratic], early = !k->symmetric && p > 6;
    int one_sided = tenth || early || (strstr(k->name, "suzuki:8") && g == &grounds[2]) ||
                    !strcmp(k->name, "lobatto-3b:8") || (k->needs == PARTS && strstr(k->name, "-rkn-"));
    double band = k->symmetric && p > 6 ? 0.7 : 0.3;
    slope s;

    if (p > g->limit || (tenth && g != grounds)) return;
    s = slope_of(&g->p, k->name, &o, g->T, g->exact, p, k->needs == PARTS ? 1e-12 : 1e-13, MOST_STEPS);
    ok(one_sided ? s.overall > p - 1.7 : fabs(s.order - p) < band,
       "%s: order %.3f for %d%s on %s (error %.2g in %lld steps)", k->name, one_sided ? s.overall : s.order, p,
       one_sided ? " or more" : "", g->p.system.name, s.error, (long long)s.n);
}

static double from_adjoint(const kase *k, const ground *g)
{
    char name[160];
    double a[PROBLEM_DIM], b[PROBLEM_DIM];
    lbr_plan *one = plan_of(&g->p, k->name, NULL), *other;

    snprintf(name, sizeof name, "adjoint(%s)", k->name);
    other = plan_of(&g->p, name, NULL);
    memcpy(a, g->p.y, sizeof a), memcpy(b, g->p.y, sizeof b);
    step(one, g->p.system.dim, g->p.t0, g->h, a), step(other, g->p.system.dim, g->p.t0, g->h, b);
    lbr_plan_free(one), lbr_plan_free(other);
    return distance(g->p.system.dim, a, b);
}

/* A method that lacks a property deviates by O(h^(p+1)): too little to see above order 4. */
static int visible(const kase *k, int has) { return has || k->order[0] <= 4; }

static void maps(const kase *k, const ground *g)
{
    if (visible(k, k->symmetric))
        claim(k, g, "symmetric", k->symmetric, asymmetry(&g->p, k->name, NULL, g->h), 2e-12, 1e-11);
    if (k->symmetric) claim(k, g, "there and back again", 1, return_trip(&g->p, k->name, NULL, g->h / 2), 1e-12, 0);
    if (visible(k, k->symmetric)) claim(k, g, "its own adjoint", k->symmetric, from_adjoint(k, g), 2e-12, 1e-11);
    if (g->p.system.nq && visible(k, k->symplectic))
        claim(k, g, "symplectic", k->symplectic, not_symplectic(&g->p, k->name, NULL, g->h), 1e-9, 5e-8);
}

/* Quadratic invariants (HLW IV.2): those of Runge-Kutta methods go with symplecticity; the parts of the body are
 * rotations. */
static void invariants(const kase *k, const ground *g)
{
    lbr_fn f = g->p.system.nq ? kepler_momentum : square;
    double d = excursion(range_of(&g->p, k->name, NULL, g->h, 20, f));

    if (visible(k, k->symplectic))
        claim(k, g, "keeps a quadratic invariant", k->symplectic || k->needs == PARTS, d, 1e-12, 5e-8);
}

/* --- calls ------------------------------------------------------------------------------------------------------- */

static int see_nothing(const lbr_view *v, void *ctx) { return (void)v, (void)ctx, 0; }
static int64_t calls(const counter *c) { return c->force + c->field + c->gradient; }

/* What the statistics say is what was called, whoever looks. */
static void statistics(const kase *k, const ground *g)
{
    counter c;
    problem p = counted(g->p, &c);
    lbr_plan *plan = plan_of(&p, k->name, NULL);
    const lbr_stats *s = lbr_plan_stats(plan);
    int64_t once, again;

    if (k->needs == PARTS || !plan) return (void)lbr_plan_free(plan);
    lbr_start(plan, p.t0, g->h / 4, p.y);
    c.force = c.field = c.gradient = 0;
    lbr_run(plan, 7, 0, NULL, NULL);
    once = calls(&c);
    ok(s->force + s->field + s->gradient == once && once > 0, "%s on %s: %lld calls in 7 steps, as counted", k->name,
       p.system.name, (long long)once);
    again = s->force + s->field + s->gradient;
    lbr_start(plan, p.t0, g->h / 4, p.y);
    lbr_run(plan, 7, 1, see_nothing, NULL);
    lbr_read(plan, NULL, p.y);
    ok(s->force + s->field + s->gradient == again, "%s on %s: looking is not stepping", k->name, p.system.name);
    lbr_plan_free(plan);
}

/* --- Gauss methods of any order ---------------------------------------------------------------------------------- */

/* y' = L_{s-1}(t)^2 + L_{s-1}(t) L_s(t), of degree 2s - 1, and y' = L_s(t)^2, with shifted Legendre polynomials. */
static int legendre_field(double t, const double *y, double *out, void *ctx)
{
    const int *s = ctx; /* s, and which of the two */
    double x = 2 * t - 1, a = 1, b = x;

    (void)y;
    for (int k = 2; k <= s[0]; k++) {
        double c = ((2 * k - 1) * x * b - (k - 1) * a) / k;
        a = b, b = c;
    }
    return *out = s[1] ? b * b : a * a + a * b, 0;
}

static void gauss(void)
{
    lbr_options o = options_of("compensated=yes");
    const ground *g = &grounds[6];
    double last = INFINITY;

    for (int s = 1; s <= 16; s++) {
        int which[2] = { s, 0 };
        problem p = { LBR_SYSTEM(.name = "quadrature", .dim = 1, .field = legendre_field, .ctx = which), .h = 1,
                      .y = { 0 } };
        char name[16];
        double y = NAN, e;

        snprintf(name, sizeof name, "gauss:%d", s);
        problem_run(&p, name, NULL, 1, 1, &y);
        ok(fabs(y * (2 * s - 1) - 1) < 1e-14, "%s: polynomials of degree %d are integrated exactly, to %.1g", name,
           2 * s - 1, y * (2 * s - 1) - 1);
        which[1] = 1;
        problem_run(&p, name, NULL, 1, 1, &y);
        ok(fabs(y) < 1e-14,
           "%s: the square of its polynomial has integral %.2g instead of %.3g: the order is not higher", name, y,
           1.0 / (2 * s + 1));
        e = error_after(&g->p, name, &o, g->T, 20, g->exact);
        ok(e < fmax(1e-13, last / 5), "%s: error %.2g in 20 steps on %s: a fifth or less per stage, down to round-off",
           name, e, g->p.system.name);
        last = e;
    }
}

/* --- tolerances bite --------------------------------------------------------------------------------------------- */

typedef struct mutant {
    lbr_method m;
    lbr_options o;
    const char *text[128];
    char number[128][32];
} mutant;

/* The coefficients of a method as a table of ours, `mine`. */
static void mutate(mutant *u, const lbr_method *r, const char *name)
{
    const lbr_method_info *i;
    int n = 0;

    lbr_method_describe(&i, name);
    lbr_options_init(&u->o);
    u->m = (lbr_method){ .size = sizeof u->m,
                         .name = "mine",
                         .form = r->form,
                         .order = i->order,
                         .symmetric = r->symmetric,
                         .symplectic = r->symplectic };
    for (int64_t k = 0; k < i->nlists; k++)
        for (int64_t l = 0; l < i->lists[k].list.n; l++, n++) {
            snprintf(u->number[n], sizeof u->number[n], "%.17g", atof(i->lists[k].list.text[l]));
            u->text[n] = u->number[n];
        }
    n = !strcmp(r->form, "runge-kutta") ? (int)i->lists[0].list.n : 0;
    u->m.A = (lbr_list){ n, u->text };
    u->m.b = (lbr_list){ i->lists[n > 0].list.n, u->text + n };
    u->o.methods = &u->m, u->o.nmethods = 1, u->o.compensated = 1;
    lbr_method_free(i);
}

static void change(mutant *u, int at, double by)
{
    snprintf(u->number[at], sizeof u->number[at], "%.17g", atof(u->number[at]) + by);
}

/* Two opposite entries moved, the middle one against them: symmetric, consistent, but of order 2. */
static void mutant_orders(const lbr_method *r, double by)
{
    const ground *g = grounds;
    int caught = 0, all = 0, s;
    mutant u;

    mutate(&u, r, r->name);
    s = (int)u.m.b.n;
    for (int k = 0; k < s / 2; k++, all++) {
        slope d;

        mutate(&u, r, r->name);
        change(&u, k, by), change(&u, s - 1 - k, by), change(&u, s / 2, -2 * by);
        d = slope_of(&g->p, "mine", &u.o, g->T, g->exact, r->order, 1e-13, 1000);
        caught += !(fabs(d.order - r->order) < 0.7);
    }
    ok(caught == all && all > 0, "%s with two entries changed by %g loses its order: %d of %d", r->name, by, caught,
       all);
}

/* Neighbours moved against each other: not symmetric any more. */
static void mutant_symmetries(const lbr_method *r, double by)
{
    const ground *g = grounds;
    double least = INFINITY;
    mutant u;

    mutate(&u, r, r->name);
    for (int k = 0; k + 1 < u.m.b.n; k++) {
        mutate(&u, r, r->name);
        change(&u, k, by), change(&u, k + 1, -by);
        least = fmin(least, asymmetry(&g->p, "mine", &u.o, g->h));
    }
    ok(least > 1e-12, "%s with two entries changed by %g is not symmetric: %.2g at least", r->name, by, least);
}

static void mutant_tableaux(void)
{
    static const struct {
        const char *name;
        int entries;
    } row[] = { { "midpoint", 2 }, { "gauss", 6 } };
    const ground *g = &grounds[3];

    for (int i = 0; i < 2; i++)
        for (int k = 0; k < row[i].entries; k++) {
            static const lbr_method tableau = { .form = "runge-kutta", .symmetric = 1, .symplectic = 1 };
            mutant u;
            double d, e;

            mutate(&u, &tableau, i ? "gauss:2" : row[i].name);
            change(&u, k, 1e-6);
            d = not_symplectic(&g->p, "mine", &u.o, g->h), e = asymmetry(&g->p, "mine", &u.o, g->h);
            ok(d > 1e-9 && e > 1e-12,
               "%s with entry %d changed by 1e-6 is neither symplectic nor symmetric: %.2g, %.2g", row[i].name, k + 1,
               d, e);
        }
}

static void mutants(void)
{
    for (int64_t i = 0; i < lbr_catalogue_size(); i++) {
        const lbr_method *r = lbr_catalogue(i);

        if (strcmp(r->form, "composition") || r->first || !in_share(i, 1, 4)) continue;
        mutant_orders(r, 1e-3), mutant_symmetries(r, 1e-3), mutant_symmetries(r, 1e-6);
        if (r->order > 4) mutant_orders(r, 1e-6);
    }
    mutant_tableaux();
}

int main(void)
{
    make_cases();
    make_grounds();
    for (int i = 0; i < ncases; i++)
        for (int j = 0, fits = 0; j < GROUNDS; j++) {
            if (!(cases[i].needs & grounds[j].has)) continue;
            if (fits++ && !in_share(i + j, 3, 9)) continue; /* the first always */
            order(&cases[i], &grounds[j]);
            maps(&cases[i], &grounds[j]);
            statistics(&cases[i], &grounds[j]);
            if (j == 1 || j == 6) invariants(&cases[i], &grounds[j]);
        }
    gauss();
    mutants();
    return tap_done();
}
