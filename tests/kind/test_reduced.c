/* test_reduced.c - reduced(M): a method on the differential equation under constraints; and which pairs of tableaux are
 * certified to keep them. SPDX-License-Identifier: BSD-3-Clause */
#include "support/manifolds.h"
#include "libration/series.h"

enum { DIM = 16 };

static const char sphere_text[] = "canonical q[3], p[3]\n"
                                  "H = sq(p)/2 + q[3]\n"
                                  "constraint length = sq(q) - 1\n"
                                  "start q = [sin(1.3), 0, cos(1.3)], p = [0.3*cos(1.3), 0.65, -0.3*sin(1.3)]\n";

static modelled sphere, doubled, ellipsoid;
static struct {
    const char *name, *text;
    modelled *x;
    double T;
} all[] = { { "spherical pendulum", sphere_text, &sphere, 1 },
            { "double spherical pendulum", double_text, &doubled, 0.6 },
            { "ellipsoid", ellipsoid_text, &ellipsoid, 1 } };
enum { ALL = sizeof all / sizeof *all };

/* --- the order is the method's ----------------------------------------------------------------------------------- */

static void orders(void)
{
    static const struct {
        const char *name;
        int order;
        int64_t n;
    } methods[] = { { "reduced(explicit-euler)", 1, 200 },
                    { "reduced(symplectic-euler)", 1, 200 },
                    { "adjoint(reduced(symplectic-euler))", 1, 200 },
                    { "reduced(stormer-verlet)", 2, 64 },
                    { "reduced(midpoint)", 2, 64 },
                    { "reduced(rk4)", 4, 40 },
                    { "reduced(gauss:2)", 4, 20 },
                    { "reduced(lobatto-3a-3b:3)", 4, 20 },
                    { "compose(suzuki:4, reduced(midpoint))", 4, 20 },
                    { "reduced(compose(suzuki:4, stormer-verlet))", 4, 20 } };

    for (int k = 0; k < ALL; k++) {
        const modelled *x = all[k].x;
        double exact[DIM];

        memcpy(exact, x->m->y0, (size_t)x->m->dim * sizeof *exact);
        if (!ok(!run(x->s, "lobatto-3a-3b:8", NULL, all[k].T / 40, 40, exact), "a reference for the %s", all[k].name))
            continue;
        for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
            double coarse = error_after(x, methods[i].name, all[k].T, methods[i].n, exact),
                   fine = error_after(x, methods[i].name, all[k].T, 2 * methods[i].n, exact),
                   slope = log2(coarse / fine);

            if (!ok(fabs(slope - methods[i].order) < 0.3, "%s has order %d on the %s", methods[i].name,
                    methods[i].order, all[k].name))
                printf("# slope %.3f, errors %.3g and %.3g\n", slope, coarse, fine);
        }
    }
}

/* --- but the manifold is left ------------------------------------------------------------------------------------ */

typedef struct seen {
    lbr_residuals worst;
    double H0, H[7], g[7], lambda;
    int64_t every;
} seen;

static int look(const lbr_view *v, void *ctx)
{
    seen *s = ctx;
    lbr_residuals r = { .size = sizeof r };
    double H, lambda[2], g = v->y[0] * v->y[0] + v->y[1] * v->y[1] + v->y[2] * v->y[2] - 1;

    if (lbr_view_residuals(v, &r) || lbr_view_energy(v, &H) || lbr_view_multipliers(v, lambda)) return 1;
    if (v->n == 0) s->H0 = H;
    s->worst.position = fmax(s->worst.position, r.position), s->worst.velocity = fmax(s->worst.velocity, r.velocity);
    if (s->every && v->n % s->every == 0 && v->n / s->every < 7)
        s->H[v->n / s->every] = H - s->H0, s->g[v->n / s->every] = g;
    s->lambda = lambda[0];
    return 0;
}

static seen watched(const modelled *x, const char *method, double h, int64_t n, int64_t every)
{
    seen s = { .every = every };
    lbr_plan *plan;

    if (lbr_plan_create(&plan, method, x->s, NULL) || lbr_start(plan, 0, h, x->m->y0) || lbr_run(plan, n, 1, look, &s))
        printf("# %s: %s\n", method, lbr_plan_message(plan)), s.worst.position = NAN;
    lbr_plan_free(plan);
    return s;
}

static void drift(void)
{
    for (int k = 0; k < ALL; k++) {
        seen rk4 = watched(all[k].x, "reduced(rk4)", 0.1, 200, 0),
             half = watched(all[k].x, "reduced(rk4)", 0.05, 400, 0), rattle = watched(all[k].x, "rattle", 0.05, 400, 0);

        ok(rk4.worst.position > 1e-7 && rk4.worst.velocity > 1e-7,
           "reduced(rk4) leaves the manifold of the %s: by %.1e and %.1e", all[k].name, rk4.worst.position,
           rk4.worst.velocity);
        ok(rk4.worst.position > 8 * half.worst.position && half.worst.position > 1e-10,
           "by much less with half the step: %.1e", half.worst.position);
        ok(rattle.worst.position < 1e-14 && rattle.worst.velocity < 1e-14, "rattle stays: %.1e and %.1e",
           rattle.worst.position, rattle.worst.velocity);
    }
}

/* HLW Fig. VII.1.1: symplectic Euler with h = 0.003; energy and constraint at t = 10, 20, ..., 60. */
static void published(void)
{
    modelled x;
    seen s = { 0 };

    if (!ok(open_text(&x, "canonical q[3], p[3]\n"
                          "H = sq(p)/2 + q[3]\n"
                          "constraint g = sq(q) - 1\n"
                          "start q = [0, sin(0.1), -cos(0.1)], p = [0.06, 0, 0]\n"),
            "the pendulum of HLW Fig. VII.1.1"))
        return;
    s = watched(&x, "reduced(symplectic-euler)", 0.003, 20000, 3333);
    near(s.H[1], 9.6e-5, 0.06e-5, "reduced(symplectic-euler): the energy grows by 9.6e-5 up to t = 10");
    near(s.H[2], 2.0e-4, 0.06e-4, "by 2.0e-4 up to t = 20");
    near(s.H[6], 6.1e-4, 0.06e-4, "by 6.1e-4 up to t = 60: linearly");
    near(s.g[1], -2.0e-4, 0.06e-4, "the constraint is off by -2.0e-4 at t = 10");
    near(s.g[6], -1.2e-3, 0.06e-3, "and by -1.2e-3 at t = 60");
    close_model(&x);
}

/* --- nor is it symplectic there (HLW VII.1.16) ------------------------------------------------------------------- */

static double form(int64_t nq, const double *a, const double *b)
{
    double sum = 0;

    for (int64_t i = 0; i < nq; i++) sum += a[i] * b[nq + i] - a[nq + i] * b[i];
    return sum;
}

/* A tangent vector as the difference of two points of the manifold, and what becomes of it in ten steps. One step of
 * symplectic Euler from the manifold is symplectic, since G dq = 0 there: where it begins off the manifold it is not.
 */
static int carried(lbr_plan *plan, const modelled *x, int key, double h, double *before, double *after)
{
    int64_t n = x->m->dim;
    double e = 1e-5, a[DIM], b[DIM];

    for (int64_t i = 0; i < n; i++) a[i] = x->m->y0[i] + e * any(key, i), b[i] = x->m->y0[i] - e * any(key, i);
    if (lbr_project_start(plan, 0, a) || lbr_project_start(plan, 0, b)) return 0;
    for (int64_t i = 0; i < n; i++) before[i] = (a[i] - b[i]) / (2 * e);
    for (int k = 0; k < 10; k++)
        if (lbr_map(plan, k * h, h, a) || lbr_map(plan, k * h, h, b)) return 0;
    for (int64_t i = 0; i < n; i++) after[i] = (a[i] - b[i]) / (2 * e);
    return 1;
}

static double defect(const modelled *x, const char *method, double h)
{
    double u[2][DIM], v[2][DIM], most = 0;
    lbr_plan *plan;

    if (lbr_plan_create(&plan, method, x->s, NULL)) most = NAN;
    for (int k = 0; k < 4; k++) {
        if (!carried(plan, x, 7 + k, h, u[0], v[0]) || !carried(plan, x, 70 + k, h, u[1], v[1])) most = NAN;
        else most = fmax(most, fabs(form(x->m->nq, v[0], v[1]) - form(x->m->nq, u[0], u[1])));
    }
    lbr_plan_free(plan);
    return most;
}

static void symplecticity(void)
{
    static const struct {
        const char *name;
        double least;
    } bad[] = { { "reduced(symplectic-euler)", 1e-2 }, { "reduced(midpoint)", 3e-4 }, { "reduced(gauss:2)", 1e-7 } };

    for (int k = 0; k < ALL; k++) {
        for (int i = 0; i < 3; i++) {
            double d = defect(all[k].x, bad[i].name, 0.1);

            ok(d > bad[i].least, "%s is not symplectic on the manifold of the %s: %.1e", bad[i].name, all[k].name, d);
        }
        ok(defect(all[k].x, "rattle", 0.1) < 2e-8, "rattle is: %.1e", defect(all[k].x, "rattle", 0.1));
    }
}

/* --- bits, counts, multipliers ----------------------------------------------------------------------------------- */

static void bits(void)
{
    double one[DIM], two[DIM];
    lbr_state *s = NULL, *r = NULL;
    lbr_plan *plan;
    const void *bytes;
    size_t size;
    seen all_of = { 0 };
    int good = !lbr_plan_create(&plan, "reduced(gauss:2)", doubled.s, NULL) && !lbr_state_create(&s, plan) &&
               !lbr_state_create(&r, plan);

    good = good && !lbr_state_start(s, 0, 0.05, doubled.m->y0) && !lbr_state_run(s, 25, 0, NULL, NULL) &&
           (bytes = lbr_state_bytes(s, &size)) && !lbr_state_restore(r, bytes, size);
    good = good && !lbr_state_run(s, 30, 7, look, &all_of) && !lbr_state_run(r, 30, 0, NULL, NULL) &&
           !lbr_state_read(s, NULL, one) && !lbr_state_read(r, NULL, two);
    ok(good && !memcmp(one, two, (size_t)doubled.m->dim * sizeof *one),
       "a restored trajectory goes on to the same bits, whoever looks");
    lbr_state_free(s), lbr_state_free(r), lbr_plan_free(plan);
}

static void counts(void)
{
    seen s = watched(&sphere, "reduced(rk4)", 0.01, 100, 0), r = watched(&sphere, "rattle", 0.01, 100, 0);
    const lbr_stats *stats;
    lbr_plan *plan;
    double y[DIM];

    near(s.lambda, r.lambda, 1e-4, "the multipliers are looked at as those of other methods");
    memcpy(y, sphere.m->y0, sizeof y);
    ok(!lbr_plan_create(&plan, "reduced(rk4)", sphere.s, NULL) && !lbr_start(plan, 0, 0.01, y) &&
           !lbr_run(plan, 10, 0, NULL, NULL) && (stats = lbr_plan_stats(plan))->field == 40 && stats->force == 0,
       "10 steps of reduced(rk4) are 40 evaluations of its field");
    lbr_plan_free(plan);
}

/* --- what is refused --------------------------------------------------------------------------------------------- */

static void refused(const lbr_system *s, const char *method, const double *y, lbr_status want, const char *words)
{
    lbr_plan *plan;
    lbr_status status = lbr_plan_create(&plan, method, s, NULL);

    if (!status) status = lbr_start(plan, 0, 0.1, y);
    if (!status) status = lbr_run(plan, 1, 0, NULL, NULL);
    ok(status == want && strstr(lbr_plan_message(plan), words), "%s: %s", method, lbr_plan_message(plan));
    if (status != want) printf("# status %d\n", status);
    lbr_plan_free(plan);
}

static int dead(double t, const double *y, double *out, void *ctx) { return (void)t, (void)y, (void)out, (void)ctx, 1; }

static void refusals(void)
{
    static const char chain[] = "param n = 600\n"
                                "canonical q[n], p[n]\n"
                                "H = sq(p)/2\n"
                                "constraint link[i = 1..n-1] = q[i+1]^2 - 1\n"
                                "start q[i = 1..n] = 1, p[1] = 1\n";
    lbr_system plain = *sphere.s, broken = *sphere.s;
    modelled x;

    refused(sphere.s, "reduced(rattle)", sphere.m->y0, LBR_EMETHOD, "'rattle' is not one");
    refused(sphere.s, "reduced(compose(suzuki:4, constrained-euler))", sphere.m->y0, LBR_EMETHOD, "need a field alone");
    refused(sphere.s, "reduced(split(strang, A, B))", sphere.m->y0, LBR_EMETHOD, "need a field alone");
    refused(sphere.s, "reduced(nystrom-4)", sphere.m->y0, LBR_EMETHOD, "need a field alone");
    refused(sphere.s, "reduced(generating-s3:2)", sphere.m->y0, LBR_EMETHOD, "need a field alone");
    refused(sphere.s, "reduced(rk4, rk4)", sphere.m->y0, LBR_EMETHOD, "used like this");
    refused(sphere.s, "reduced", sphere.m->y0, LBR_EMETHOD, "needs arguments");
    refused(sphere.s, "process(rattle, reduced(midpoint))", sphere.m->y0, LBR_EMETHOD, "mixes");
    plain.constraints = NULL;
    refused(&plain, "reduced(rk4)", sphere.m->y0, LBR_EUNFIT, "has none");
    broken.dHdq = broken.dHdp = broken.force = broken.field = dead;
    refused(&broken, "reduced(rk4)", sphere.m->y0, LBR_ECALLBACK, "");
    if (ok(open_text(&x, chain), "600 links")) refused(x.s, "reduced(rk4)", x.m->y0, LBR_EUNFIT, "too large");
    close_model(&x);
}

/* --- certificates ------------------------------------------------------------------------------------------------ */

static const lbr_check *certified(const lbr_certificate *z, const char *property)
{
    for (int64_t i = 0; i < z->n; i++)
        if (!strcmp(z->check[i]->property, property)) return z->check[i];
    return NULL;
}

/* What is certified is what plans do. */
static void keeps(const char *method, const char *why)
{
    const lbr_certificate *z;
    const lbr_method_info *i;
    lbr_plan *plan;
    lbr_status status = lbr_certify(&z, method, NULL), made = lbr_plan_create(&plan, method, sphere.s, NULL);
    const lbr_check *c = status ? NULL : certified(z, "constraints");

    ok(c && c->found == !why && c->holds && (!why || strstr(c->detail, why)), "%s is certified %s: %s", method,
       why ? "not to keep constraints" : "to keep constraints", c ? c->detail : "?");
    ok(why ? made == LBR_EUNFIT && strstr(lbr_plan_message(plan), why) : made == LBR_OK, "and so plans have it%s%s",
       why ? ": " : "", lbr_plan_message(plan));
    ok(!lbr_method_describe(&i, method) && i->constraints == !why, "and descriptions");
    lbr_certificate_free(z), lbr_plan_free(plan), lbr_method_free(i);
}

static void pairs(void)
{
    char name[32];

    for (int s = 2; s <= 16; s++) snprintf(name, sizeof name, "lobatto-3a-3b:%d", s), keeps(name, NULL);
    keeps("rattle", NULL), keeps("constrained-euler", NULL), keeps("adjoint(constrained-euler)", NULL),
        keeps("constrained-implicit-euler", NULL);
    keeps("compose(suzuki:4, rattle)", NULL), keeps("compose(strang, constrained-euler)", NULL);
    keeps("pair(lobatto-3a:4, lobatto-3b:4)", NULL), keeps("hager(lobatto-3a:3)", NULL);
    keeps("pair(gauss:2, gauss:2)", "beginning of the step"),
        keeps("pair(lobatto-3b:3, lobatto-3a:3)", "beginning of the step"),
        keeps("pair(radau-2a:2, radau-1a:2)", "beginning of the step");
    keeps("hager(rk4)", "end of the step"), keeps("pair(lobatto-3a:3, lobatto-3a:3)", "must not act"),
        keeps("pair(lobatto-3a:3, gauss:3)", "same weights"), keeps("hager(midpoint)", "at least two stages");
}

static int keeps_them(const lbr_options *o, char detail[200])
{
    const lbr_certificate *z;
    lbr_status status = lbr_certify(&z, "mine", o);
    int found = status ? -1 : certified(z, "constraints")->found;

    snprintf(detail, 200, "%s", status ? z->message : certified(z, "constraints")->detail);
    lbr_certificate_free(z);
    return found;
}

/* A table of the user: RATTLE, with one entry changed, and one that cannot find its multipliers. */
static void own_tables(void)
{
    const char *A[4] = { "0", "0", "1/2", "1/2" }, *b[2] = { "1/2", "1/2" }, *Ahat[4] = { "1/2", "0", "1/2", "0" };
    const char **entry[] = { A, A + 1, A + 2, A + 3, Ahat + 1, Ahat + 3 };
    lbr_method mine = {
        .size = sizeof mine, .name = "mine", .form = "constrained", .A = { 4, A }, .b = { 2, b }, .Ahat = { 4, Ahat }
    };
    lbr_options o;
    char detail[200];

    lbr_options_init(&o), o.methods = &mine, o.nmethods = 1;
    ok(keeps_them(&o, detail) == 1, "RATTLE as a table of the user keeps constraints");
    for (int i = 0; i < 6; i++) {
        const char *old = *entry[i];
        int found;

        *entry[i] = !strcmp(old, "0") ? "0.00000000001" : "0.50000000001";
        found = keeps_them(&o, detail);
        ok(found == 0, "with entry %d changed by 1e-11 it does not: %s", i + 1, detail);
        *entry[i] = old;
    }
    Ahat[2] = "-1/2";
    ok(keeps_them(&o, detail) == 0 && strstr(detail, "no inverse"), "A Ahat must have an inverse");
}

/* Radau IIA with the beginning of the step as a further stage: its multipliers act at stages 2 and 3, which shows whose
 * columns they have. */
static void multipliers_at_the_end(void)
{
    const char *A[9] = { "0", "0", "0", "0", "5/12", "-1/12", "0", "3/4", "1/4" }, *b[3] = { "0", "3/4", "1/4" };
    lbr_method mine = {
        .size = sizeof mine, .name = "mine", .form = "constrained", .A = { 9, A }, .b = { 3, b }, .Ahat = { 9, A }
    };
    lbr_options o;

    lbr_options_init(&o), o.methods = &mine, o.nmethods = 1;
    for (int k = 0; k < ALL; k++) {
        const modelled *x = all[k].x;
        size_t bytes = (size_t)x->m->dim * sizeof(double);
        double exact[DIM], coarse[DIM], fine[DIM], slope;
        int good;

        memcpy(exact, x->m->y0, bytes), memcpy(coarse, exact, bytes), memcpy(fine, exact, bytes);
        good = !run(x->s, "lobatto-3a-3b:8", NULL, all[k].T / 40, 40, exact) &&
               !run(x->s, "mine", &o, all[k].T / 32, 32, coarse) && !run(x->s, "mine", &o, all[k].T / 64, 64, fine);
        slope = good ? log2(distance(x->m->dim, coarse, exact) / distance(x->m->dim, fine, exact)) : NAN;
        ok(fabs(slope - 3) < 0.35,
           "Radau IIA, which begins with the beginning of the step, has order 3 on the %s: %.2f", all[k].name, slope);
    }
}

static void reduced_certificates(void)
{
    static const struct {
        const char *name;
        int order;
    } row[] = { { "reduced(rk4)", 4 },
                { "reduced(gauss:3)", 6 },
                { "reduced(stormer-verlet)", 2 },
                { "compose(suzuki:4, reduced(midpoint))", 4 } };

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const lbr_certificate *z;
        const lbr_method_info *d;
        lbr_status status = lbr_certify(&z, row[i].name, NULL);

        ok(!status && certified(z, "order")->found == row[i].order && certified(z, "symplectic")->found == 0 &&
               certified(z, "constraints")->found == 0 && !certified(z, "symplectic_separable"),
           "%s has order %d, is not symplectic and keeps no constraints", row[i].name, row[i].order);
        status = lbr_method_describe(&d, row[i].name);
        ok(!status && !strcmp(d->needs, "constraints") && !d->symplectic &&
               !strcmp(d->explicitness, i ? "never" : "always"),
           "it needs constraints to be reduced; it is explicit: %s", d->explicitness);
        lbr_certificate_free(z), lbr_method_free(d);
    }
}

int main(void)
{
    for (int k = 0; k < ALL; k++)
        if (!open_text(all[k].x, all[k].text)) return printf("Bail out! %s\n", all[k].name), 2;
    orders(), drift(), published(), symplecticity(), bits(), counts(), refusals(), pairs(), own_tables(),
        multipliers_at_the_end(), reduced_certificates();
    for (int k = 0; k < ALL; k++) close_model(all[k].x);
    return tap_done();
}
