/* test_methods.c - what is claimed of the methods, measured: order, symmetry, symplecticity, invariants, calls. SPDX-License-Identifier: BSD-3-Clause
 *
 * The catalogue is the list of tests: every row becomes cases (a table with several maps), every case meets every
 * problem that it fits, and each claim of lbr_method_describe is tested for and against. */
#include "analysis.h"
#include "tap.h"

enum { FIELD = 1, PARTITION = 2, PARTS = 4, SECOND_ORDER = 8, MOST_CASES = 600, MOST_STEPS = 5000 };

/* --- cases -------------------------------------------------------------------------------------------------- */

typedef struct kase { char name[128];  int order[2], symmetric, symplectic, needs; } kase;          /* order[1]: for quadratic T */

static kase cases[MOST_CASES];
static int ncases;

static void add(const char *format, const char *a, const char *b)
{
    kase *k = &cases[ncases];
    const lbr_method_info *i;

    snprintf(k->name, sizeof k->name, format, a, b);
    if (!ok(!lbr_method_describe(&i, k->name) && ncases < MOST_CASES - 1, "%s can be described", k->name)) printf("# %s\n", i->message);
    else {
        k->order[0] = i->order, k->order[1] = i->order_quadratic, k->symmetric = i->symmetric, k->symplectic = i->symplectic;
        k->needs = strstr(i->needs, "parts") ? PARTS : strstr(i->needs, "partition") ? PARTITION : strstr(i->needs, "quadratic-kinetic") ? SECOND_ORDER : FIELD;
        ncases++;
    }
    lbr_method_free(i);
}

/* What a row stands for, alone and with maps; `name` is its own, or that of a member. */
static void cases_of(const lbr_method *r, const char *name)
{
    static const char *const use[][6] = {
        [LBR_RUNGE_KUTTA] = { "%s" },
        [LBR_PARTITIONED] = { "%s" },
        [LBR_PAIR] = { "%s" },
        [LBR_NYSTROM] = { "%s" },
        [LBR_COMPOSITION] = { "%s", "compose(%s, stormer-verlet)", "compose(%s, midpoint)", "compose(%s, trapezoidal)", "compose(%s, split(strang))" },
        [LBR_ALTERNATION] = { "%s", "split(%s)", "compose(%s, symplectic-euler)", "compose(%s, explicit-euler)" },
        [LBR_PROCESSOR] = { "process(%2$s, %1$s)", "process(compose(%2$s, midpoint), %1$s)", "adjoint(process(%2$s, %1$s))" },
        [LBR_CORRECTOR] = { "process(%2$s, %1$s)", "process(split(%2$s), %1$s)" },
    };

    for (const char *const *u = use[r->form]; *u; u++) add(*u, name, r->kernel ? r->kernel : "");
}

static void make_cases(void)
{
    for (int64_t i = 0; i < lbr_catalogue_size(); i++) {
        const lbr_method *r = lbr_catalogue(i);
        char name[64];

        if (r->form >= LBR_GENERATING_S1) continue;              /* made of derivatives that these systems do not give: test_generating.c and kin */
        if (!r->first) cases_of(r, r->name);
        for (int k = r->first; r->first && k <= r->last; k += r->stride) {
            snprintf(name, sizeof name, "%s:%d", r->name, k);
            cases_of(r, name);
        }
    }
    add("adjoint(explicit-euler)", "", "");
    add("adjoint(rk4)", "", "");
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
typedef struct ground { problem p;  double T, h;  int64_t n;  int has, limit, quadratic;  double exact[PROBLEM_DIM]; } ground;
static ground grounds[] = {
    { .T = 8, .h = 0.4, .n = 128, .has = FIELD | PARTITION | PARTS | SECOND_ORDER, .limit = 10, .quadratic = 1 },    /* Henon-Heiles                           */
    { .T = 2, .h = 0.05, .n = 128, .has = FIELD | PARTITION | SECOND_ORDER, .limit = 8, .quadratic = 1 },            /* Kepler                                 */
    { .T = 4, .h = 0.3, .n = 128, .has = FIELD | PARTITION, .limit = 8, .quadratic = 0 },             /* T not quadratic                        */
    { .T = 3, .h = 0.2, .n = 128, .has = FIELD | PARTITION, .limit = 10, .quadratic = 0 },            /* H not separable                        */
    { .T = 4, .h = 0.4, .n = 128, .has = FIELD | PARTITION | SECOND_ORDER, .limit = 8, .quadratic = 1 },             /* the time in the force                  */
    { .T = 4, .h = 0.3, .n = 128, .has = FIELD | PARTITION, .limit = 8, .quadratic = 0 },             /* the time in a H that is not separable  */
    { .T = 20, .h = 0.25, .n = 512, .has = FIELD | PARTS, .limit = 14, .quadratic = 0 },              /* no partition; three parts              */
    { .T = 4, .h = 0.3, .n = 128, .has = FIELD | PARTS, .limit = 8, .quadratic = 0 },                 /* the time in both parts                 */
    { .T = 1.2, .h = 0.25, .n = 128, .has = FIELD, .limit = 8, .quadratic = 0 },                      /* the time in the field                  */
};
enum { GROUNDS = sizeof grounds / sizeof *grounds };

static void make_grounds(void)
{
    const problem all[GROUNDS] = { hh_as("parts"), kepler(), relativistic(), mixed(), driven(), pushed(), body_with_increments(), clock_in_parts(), riccati() };

    for (int i = 0; i < GROUNDS; i++) {
        grounds[i].p = all[i];
        reference(&all[i], grounds[i].T, grounds[i].n, grounds[i].exact);
    }
}

/* --- what is claimed ------------------------------------------------------------------------------------------ */

/* A property that a case claims must have a small defect, one that it does not claim a large one. */
static void claim(const kase *k, const ground *g, const char *what, int claimed, double defect, double small, double large)
{
    if (claimed) ok(defect <= small, "%s on %s: %s, defect %.2g", k->name, g->p.system.name, what, defect);
    else ok(defect >= large, "%s on %s: not %s, defect %.2g", k->name, g->p.system.name, what, defect);
}

/* Slopes near the round-off of compensated sums, within a band that the neighbouring orders are not in (those of
 * symmetric methods are even). The error of suzuki:8 and suzuki:10 may sink to round-off before the order settles, and so may that of
 * methods that are not symmetric; lobatto-3b:8 is in resonance with the rigid body at 34 steps. Splittings into parts do not
 * know that one of them is quadratic. */
static void order(const kase *k, const ground *g)
{
    lbr_options o = options_of("compensated=yes");
    int tenth = strstr(k->name, "suzuki:10") != NULL, p = k->order[g->quadratic], early = !k->symmetric && p > 6;
    int one_sided = tenth || early || (strstr(k->name, "suzuki:8") && g == &grounds[2]) || !strcmp(k->name, "lobatto-3b:8")
        || (k->needs == PARTS && strstr(k->name, "-rkn-"));
    double band = k->symmetric && p > 6 ? 0.7 : 0.3;
    slope s;

    if (p > g->limit || (tenth && g != grounds)) return;
    s = slope_of(&g->p, k->name, &o, g->T, g->exact, p, k->needs == PARTS ? 1e-12 : 1e-13, MOST_STEPS);
    ok(one_sided ? s.overall > p - 1.5 : fabs(s.order - p) < band, "%s: order %.3f for %d%s on %s (error %.2g in %lld steps)", k->name, one_sided ? s.overall : s.order, p,
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
    if (visible(k, k->symmetric)) claim(k, g, "symmetric", k->symmetric, asymmetry(&g->p, k->name, NULL, g->h), 2e-12, 1e-11);
    if (k->symmetric) claim(k, g, "there and back again", 1, return_trip(&g->p, k->name, NULL, g->h / 2), 1e-12, 0);
    if (visible(k, k->symmetric)) claim(k, g, "its own adjoint", k->symmetric, from_adjoint(k, g), 2e-12, 1e-11);
    if (g->p.system.nq && visible(k, k->symplectic)) claim(k, g, "symplectic", k->symplectic, not_symplectic(&g->p, k->name, NULL, g->h), 1e-9, 5e-8);
}

/* Quadratic invariants (HLW IV.2): those of Runge-Kutta methods go with symplecticity; the parts of the body are rotations. */
static void invariants(const kase *k, const ground *g)
{
    lbr_fn f = g->p.system.nq ? kepler_momentum : square;
    double d = excursion(range_of(&g->p, k->name, NULL, g->h, 20, f));

    if (visible(k, k->symplectic)) claim(k, g, "keeps a quadratic invariant", k->symplectic || k->needs == PARTS, d, 1e-12, 5e-8);
}

/* --- calls ------------------------------------------------------------------------------------------------------ */

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
    ok(s->force + s->field + s->gradient == once && once > 0, "%s on %s: %lld calls in 7 steps, as counted", k->name, p.system.name, (long long)once);
    again = s->force + s->field + s->gradient;
    lbr_start(plan, p.t0, g->h / 4, p.y);
    lbr_run(plan, 7, 1, see_nothing, NULL);
    lbr_read(plan, NULL, p.y);
    ok(s->force + s->field + s->gradient == again, "%s on %s: looking is not stepping", k->name, p.system.name);
    lbr_plan_free(plan);
}

static void forces(void)
{
    static const struct { const char *name; int each, once, read; } row[] = {
        { "symplectic-euler", 1, 1, 0 }, { "symplectic-euler-b", 1, 0, 0 }, { "stormer-verlet", 1, 1, 0 }, { "stormer-verlet-b", 1, 0, 0 },
        { "adjoint(stormer-verlet)", 1, 1, 0 }, { "explicit-euler", 1, 0, 0 }, { "rk4", 4, 0, 0 }, { "triple-jump:4", 3, 0, 0 },
        { "suzuki:10", 625, 0, 0 }, { "yoshida-6-7", 7, 0, 0 }, { "kahan-li-6-9", 9, 0, 0 }, { "suzuki-yoshida-8-15", 15, 0, 0 },
        { "kahan-li-8-17", 17, 0, 0 }, { "compose(kahan-li-8-17, stormer-verlet)", 17, 1, 0 }, { "sofroniou-spaletta-10-35", 35, 0, 0 },
        { "process(effective-6-9, effective-6-9-processor)", 9, 6, 6 },
        { "process(compose(effective-6-9, stormer-verlet), effective-6-9-processor)", 9, 8, 7 },
    };

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        counter c;
        problem p = counted(henon_heiles(), &c);
        lbr_plan *plan = plan_of(&p, row[i].name, NULL);
        int64_t stepping, n = 300;

        lbr_start(plan, 0, 0.05, p.y);
        c.force = 0;
        lbr_run(plan, n, 0, NULL, NULL);
        stepping = c.force;
        lbr_read(plan, NULL, p.y);
        ok(lbr_plan_stats(plan)->force == row[i].each * n + row[i].once && stepping == row[i].each * n + row[i].once && c.force == stepping + row[i].read,
           "%s: %lld forces in %lld steps, %lld to read", row[i].name, (long long)stepping, (long long)n, (long long)(c.force - stepping));
        lbr_plan_free(plan);
    }
}

/* --- identities --------------------------------------------------------------------------------------------------- */

/* Explicit Euler as code alone; as code with increments; and with its partner. */
static int code_euler(double t, double h, double *y, void *ctx)
{
    double f[4];

    hh_field(t, y, f, ctx);
    for (int i = 0; i < 4; i++) y[i] += h * f[i];
    return 0;
}
static int code_increment(double t, double h, const double *y, double *d, void *ctx)
{
    hh_field(t, y, d, ctx);
    for (int i = 0; i < 4; i++) d[i] *= h;
    return 0;
}
/* Symplectic Euler and its adjoint. */
static int code_kick_drift(double t, double h, double *y, void *ctx) { return hh_kick_flow(t, h, y, ctx), hh_drift_flow(t, h, y, ctx); }
static int code_drift_kick(double t, double h, double *y, void *ctx) { return hh_drift_flow(t, h, y, ctx), hh_kick_flow(t, h, y, ctx); }

static const lbr_map_def codes[] = {
    { sizeof *codes, "code", code_euler, NULL, NULL, 1, 0, 0 }, { sizeof *codes, "code-inc", code_euler, NULL, code_increment, 1, 0, 0 },
    { sizeof *codes, "couple", code_kick_drift, code_drift_kick, NULL, 1, 0, 1 },
};

static problem hh_with_maps(void)
{
    problem p = hh_as("field");

    p.system.maps = codes, p.system.nmaps = sizeof codes / sizeof *codes;
    return p;
}

/* The driven oscillator in parts: the clock goes with the drift. */
static int driven_drift(double t, double s, double *y, void *ctx) { return (void)t, (void)ctx, y[0] = fma(s, y[1], y[0]), 0; }
static int driven_kick(double t, double s, double *y, void *ctx) { double f; return driven_force(t, y, &f, ctx), y[1] = fma(s, f, y[1]), 0; }
static const lbr_part driven_part[] = { { sizeof (lbr_part), "V", driven_kick, NULL, NULL, NULL, NULL }, { sizeof (lbr_part), "T", driven_drift, NULL, NULL, NULL, NULL } };
static const lbr_parts driven_parts = { sizeof (lbr_parts), 2, driven_part, 1 };

static problem driven_in_parts(void)
{
    problem p = driven();

    p.system.parts = &driven_parts;
    return p;
}

static void identities(void)
{
    const problem hh = hh_as("parts"), gradient = hh_as("gradient"), field = hh_as("field"), maps_ = hh_with_maps(), mix = mixed(), body = rigid_body(), drive = driven_in_parts();
    const struct { const problem *p; const char *a; const problem *q; const char *b; } row[] = {
        { &hh, "compose(strang, explicit-euler)", &hh, "trapezoidal" }, { &hh, "compose(strang, implicit-euler)", &hh, "midpoint" },
        { &mix, "compose(strang, explicit-euler)", &mix, "trapezoidal" }, { &mix, "compose(strang, implicit-euler)", &mix, "midpoint" },
        { &mix, "gauss:1", &mix, "midpoint" }, { &hh, "compose(lie-trotter, rk4)", &hh, "rk4" },
        { &hh, "adjoint(explicit-euler)", &hh, "implicit-euler" }, { &hh, "adjoint(implicit-euler)", &hh, "explicit-euler" },
        { &hh, "adjoint(adjoint(rk4))", &hh, "rk4" }, { &mix, "adjoint(adjoint(symplectic-euler))", &mix, "symplectic-euler" },
        { &hh, "adjoint(symplectic-euler)", &hh, "symplectic-euler-b" }, { &mix, "adjoint(symplectic-euler)", &mix, "symplectic-euler-b" },
        { &hh, "compose(strang, symplectic-euler)", &hh, "stormer-verlet" }, { &mix, "compose(strang, symplectic-euler)", &mix, "stormer-verlet" },
        { &hh, "compose(strang, symplectic-euler-b)", &hh, "stormer-verlet-b" }, { &mix, "compose(strang, symplectic-euler-b)", &mix, "stormer-verlet-b" },
        { &hh, "compose(kahan-li-8-17, stormer-verlet-b)", &hh, "kahan-li-8-17" },
        { &hh, "split(strang, V, T)", &hh, "stormer-verlet" }, { &hh, "split(strang)", &hh, "stormer-verlet-b" },
        { &hh, "split(lie-trotter, V, T)", &hh, "symplectic-euler" }, { &hh, "split(lie-trotter, T, V)", &hh, "symplectic-euler-b" },
        { &hh, "compose(yoshida-6-7, split(strang, V, T))", &hh, "compose(yoshida-6-7, stormer-verlet)" },
        { &drive, "split(strang, V, T)", &drive, "stormer-verlet" }, { &drive, "split(strang, T, V)", &drive, "stormer-verlet-b" },
        { &drive, "compose(kahan-li-6-9, split(strang, T, V))", &drive, "kahan-li-6-9" },
        { &body, "adjoint(split(lie-trotter, A, B, C))", &body, "split(lie-trotter, C, B, A)" },
        { &body, "compose(strang, split(lie-trotter, A, B, C))", &body, "split(strang)" },
        { &gradient, "stormer-verlet", &hh, "stormer-verlet" }, { &gradient, "kahan-li-8-17", &hh, "kahan-li-8-17" },
        { &gradient, "symplectic-euler-b", &hh, "symplectic-euler-b" }, { &field, "stormer-verlet", &hh, "stormer-verlet" },
        { &field, "yoshida-6-7", &hh, "yoshida-6-7" }, { &gradient, "gauss:3", &hh, "gauss:3" }, { &field, "rk4", &hh, "rk4" },
        { &maps_, "code", &hh, "explicit-euler" }, { &maps_, "adjoint(code)", &hh, "implicit-euler" }, { &maps_, "adjoint(code-inc)", &hh, "implicit-euler" },
        { &maps_, "adjoint(adjoint(code))", &hh, "explicit-euler" }, { &maps_, "compose(strang, code)", &hh, "trapezoidal" },
        { &maps_, "compose(strang, couple)", &hh, "stormer-verlet" }, { &maps_, "adjoint(couple)", &hh, "symplectic-euler-b" },
        { &maps_, "compose(kahan-li-6-9, compose(strang, couple))", &hh, "compose(kahan-li-6-9, stormer-verlet)" },
        { &maps_, "compose(kahan-li-6-9, compose(strang, code))", &hh, "compose(kahan-li-6-9, trapezoidal)" },
    };

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        double a[PROBLEM_DIM], b[PROBLEM_DIM], d = NAN, h = row[i].p->h, moved;

        if (!problem_run(row[i].p, row[i].a, NULL, h, 20, a) && !problem_run(row[i].q, row[i].b, NULL, h, 20, b)) d = distance(row[i].p->system.dim, a, b);
        moved = distance(row[i].p->system.dim, a, row[i].p->y);
        ok(d <= 2e-14 && moved > 0.01, "%s (%s) is %s (%s): they differ by %.2g in 20 steps", row[i].a, row[i].p->system.name, row[i].b, row[i].q->system.name, d);
    }
}

/* q_{n+1} - 2 q_n + q_{n-1} = h^2 f(q_n) (HLW I.1.15) for both forms of Verlet; for the second in the middles of the drifts. */
static void two_step(void)
{
    static const char *const name[] = { "stormer-verlet", "stormer-verlet-b" };

    for (int m = 0; m < 2; m++) {
        problem p = henon_heiles();
        double y[4], q[3][2], f[2], d = 0, h = p.h;
        lbr_plan *plan = plan_of(&p, name[m], NULL);

        lbr_start(plan, 0, h, p.y);
        for (int n = 0; n < 50; n++) {
            if (n) lbr_run(plan, 1, 0, NULL, NULL);
            lbr_read(plan, NULL, y);
            for (int i = 0; i < 2; i++) q[n % 3][i] = m ? y[i] + h / 2 * y[2 + i] : y[i];
            if (n < 2) continue;
            hh_force(0, q[(n - 1) % 3], f, NULL);
            for (int i = 0; i < 2; i++) d = fmax(d, fabs(q[n % 3][i] - 2 * q[(n - 1) % 3][i] + q[(n - 2) % 3][i] - h * h * f[i]));
        }
        ok(d < 1e-15, "%s satisfies the two-step formula, HLW I.1.15, to %.2g", name[m], d);
        lbr_plan_free(plan);
    }
}

/* --- linear stability, HLW I.5 ------------------------------------------------------------------------------------ */

static double grown(const char *method, double h, int n)
{
    problem p = oscillator();
    double y[2];

    return problem_run(&p, method, NULL, h, n, y) ? NAN : y[0] * y[0] + y[1] * y[1];
}

static void stability(void)
{
    static const char *const limited[] = { "stormer-verlet", "stormer-verlet-b", "symplectic-euler", "symplectic-euler-b" };
    static const double z = 1.5, want[4] = { 1 - 1.125, 1.5, -1.5 * (1 - 2.25 / 4), 1 - 1.125 };
    problem p = oscillator();
    lbr_plan *plan = plan_of(&p, "stormer-verlet", NULL);
    double D[4];

    for (int i = 0; i < 4; i++) {
        double below = grown(limited[i], 1.99, 2000), above = grown(limited[i], 2.01, 200);
        ok(below < 1e4 && above > 1e10, "%s is stable for h w = 1.99, |y|^2 = %.2g after 2000 steps, but not for 2.01: %.2g after 200", limited[i], below, above);
    }
    jacobian(plan, 2, 0, z, p.y, D);
    ok(distance(4, D, want) < 1e-12, "the matrix of Verlet at h w = 1.5: trace %.15g for 2 - z^2, determinant %.15g", D[0] + D[3], D[0] * D[3] - D[1] * D[2]);
    near(grown("explicit-euler", 0.1, 100), pow(1.01, 100), 1e-12, "explicit Euler: |y|^2 grows as (1 + h^2)^n");
    near(grown("implicit-euler", 0.1, 100), pow(1.01, -100), 1e-13, "implicit Euler: it falls as (1 + h^2)^-n");
    near(grown("midpoint", 10, 1000), 1, 1e-12, "midpoint: constant, even for h w = 10");
    near(grown("gauss:3", 10, 1000), 1, 1e-12, "gauss:3: the same");
    lbr_plan_free(plan);
}

/* --- Gauss methods of any order ------------------------------------------------------------------------------------- */

/* y' = L_{s-1}(t)^2 + L_{s-1}(t) L_s(t), of degree 2s - 1, and y' = L_s(t)^2, with shifted Legendre polynomials. */
static int legendre_field(double t, const double *y, double *out, void *ctx)
{
    const int *s = ctx;                              /* s, and which of the two */
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
        problem p = { LBR_SYSTEM(.name = "quadrature", .dim = 1, .field = legendre_field, .ctx = which), .h = 1, .y = { 0 } };
        char name[16];
        double y = NAN, e;

        snprintf(name, sizeof name, "gauss:%d", s);
        problem_run(&p, name, NULL, 1, 1, &y);
        ok(fabs(y * (2 * s - 1) - 1) < 1e-14, "%s: polynomials of degree %d are integrated exactly, to %.1g", name, 2 * s - 1, y * (2 * s - 1) - 1);
        which[1] = 1;
        problem_run(&p, name, NULL, 1, 1, &y);
        ok(fabs(y) < 1e-14, "%s: the square of its polynomial has integral %.2g instead of %.3g: the order is not higher", name, y, 1.0 / (2 * s + 1));
        e = error_after(&g->p, name, &o, g->T, 20, g->exact);
        ok(e < fmax(1e-13, last / 5), "%s: error %.2g in 20 steps on %s: a fifth or less per stage, down to round-off", name, e, g->p.system.name);
        last = e;
    }
}

/* --- tolerances bite --------------------------------------------------------------------------------------------------- */

typedef struct mutant { lbr_method m;  lbr_options o;  const char *text[128];  char number[128][32]; } mutant;

/* The coefficients of a method as a table of ours, `mine`. */
static void mutate(mutant *u, const lbr_method *r, const char *name)
{
    const lbr_method_info *i;
    int n = 0;

    lbr_method_describe(&i, name);
    lbr_options_init(&u->o);
    u->m = (lbr_method){ .size = sizeof u->m, .name = "mine", .form = r->form, .order = i->order, .symmetric = r->symmetric, .symplectic = r->symplectic };
    for (int64_t k = 0; k < i->nlists; k++)
        for (int64_t l = 0; l < i->lists[k].list.n; l++, n++) {
            snprintf(u->number[n], sizeof u->number[n], "%.17g", atof(i->lists[k].list.text[l]));
            u->text[n] = u->number[n];
        }
    n = r->form == LBR_RUNGE_KUTTA ? (int)i->lists[0].list.n : 0;
    u->m.A = (lbr_list){ n, u->text };
    u->m.b = (lbr_list){ i->lists[n > 0].list.n, u->text + n };
    u->o.methods = &u->m, u->o.nmethods = 1, u->o.compensated = 1;
    lbr_method_free(i);
}

static void change(mutant *u, int at, double by) { snprintf(u->number[at], sizeof u->number[at], "%.17g", atof(u->number[at]) + by); }

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
    ok(caught == all && all > 0, "%s with two entries changed by %g loses its order: %d of %d", r->name, by, caught, all);
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
    static const struct { const char *name; int entries; } row[] = { { "midpoint", 2 }, { "gauss", 6 } };
    const ground *g = &grounds[3];

    for (int i = 0; i < 2; i++)
        for (int k = 0; k < row[i].entries; k++) {
            static const lbr_method tableau = { .form = LBR_RUNGE_KUTTA, .symmetric = 1, .symplectic = 1 };
            mutant u;
            double d, e;

            mutate(&u, &tableau, i ? "gauss:2" : row[i].name);
            change(&u, k, 1e-6);
            d = not_symplectic(&g->p, "mine", &u.o, g->h), e = asymmetry(&g->p, "mine", &u.o, g->h);
            ok(d > 1e-9 && e > 1e-12, "%s with entry %d changed by 1e-6 is neither symplectic nor symmetric: %.2g, %.2g", row[i].name, k + 1, d, e);
        }
}

static void mutants(void)
{
    for (int64_t i = 0; i < lbr_catalogue_size(); i++) {
        const lbr_method *r = lbr_catalogue(i);

        if (r->form != LBR_COMPOSITION || r->first) continue;
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
        for (int j = 0; j < GROUNDS; j++) {
            if (!(cases[i].needs & grounds[j].has)) continue;
            order(&cases[i], &grounds[j]);
            maps(&cases[i], &grounds[j]);
            statistics(&cases[i], &grounds[j]);
            if (j == 1 || j == 6) invariants(&cases[i], &grounds[j]);
        }
    forces();
    identities();
    two_step();
    stability();
    gauss();
    mutants();
    return tap_done();
}
