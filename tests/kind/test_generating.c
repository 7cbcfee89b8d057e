/* test_generating.c - methods given by generating functions: order, symplecticity, symmetry, what they are and what
 * they need. SPDX-License-Identifier: BSD-3-Clause */
#include "support/analysis.h"
#include "support/modelled.h"
#include "plan/method_rows.h"

/* H = (1 + q^2) p^2/2 + q^4/4, with all its derivatives in C; y = (q, p). */
static int own_dHdq(double t, const double *y, double *g, void *ctx)
{
    return (void)t, (void)ctx, g[0] = y[0] * y[1] * y[1] + y[0] * y[0] * y[0], 0;
}
static int own_dHdp(double t, const double *y, double *g, void *ctx)
{
    return (void)t, (void)ctx, g[0] = (1 + y[0] * y[0]) * y[1], 0;
}

static int own_hessian(double t, const double *y, const double *v, double *out, void *ctx)
{
    double q = y[0], p = y[1];

    (void)t, (void)ctx;
    out[0] = (p * p + 3 * q * q) * v[0] + 2 * q * p * v[1];
    out[1] = 2 * q * p * v[0] + (1 + q * q) * v[1];
    return 0;
}

static int own_third(double t, const double *y, const double *v, const double *w, double *out, void *ctx)
{
    double q = y[0], p = y[1], mixed = v[0] * w[1] + v[1] * w[0];

    (void)t, (void)ctx;
    out[0] = 6 * q * v[0] * w[0] + 2 * p * mixed + 2 * q * v[1] * w[1];
    out[1] = 2 * p * v[0] * w[0] + 2 * q * mixed;
    return 0;
}

static problem own(void)
{
    return (problem){ LBR_SYSTEM(.name = "own", .dim = 2, .nq = 1, .dHdq = own_dHdq, .dHdp = own_dHdp,
                                 .hessian_vec = own_hessian, .third = own_third),
                      .h = 0.1, .y = { 0.7, 0.4 } };
}

/* Two degrees of freedom, from a text; the pendulum, whose H is separable. */
static const char coupled_text[] =
    "canonical q[2], p[2]\n"
    "H = (1 + q[1]^2)*p[1]^2/2 + exp(q[2])*p[2]^2/2 + p[1]*p[2]*sin(q[1])/3 + q[1]^4/4 + q[2]^2/2 + q[1]*q[2]^2/5\n"
    "start q = [0.4, -0.3], p = [0.5, 0.2]\n";
static const char pendulum_text[] = "canonical q, p\nH = p^2/2 - cos(q)\nstart q = 1.2, p = 0.5\n";

static modelled coupled_model, pendulum_model;
static problem systems[3];

static problem of_model(modelled *x, const char *text, const char *name)
{
    problem p = { .h = 0.1 };

    if (!open_text(x, text)) printf("Bail out! %s\n", name), exit(2);
    p.system = *x->s, p.system.name = name;
    memcpy(p.y, x->m->y0, (size_t)x->m->dim * sizeof *p.y);
    return p;
}

/* --- what is claimed --------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    int order, symmetric;
} all[] = {
    { "generating-s1:1", 1, 0 },
    { "generating-s1:2", 2, 0 },
    { "generating-s1:3", 3, 0 },
    { "generating-s3:2", 2, 1 },
    { "generating-s3:4", 4, 1 },
    { "miesbach-pesch", 4, 1 },
    { "compose(strang, generating-s1:3)", 4, 1 },
    { "compose(triple-jump:4, generating-s3:2)", 4, 1 },
    { "adjoint(generating-s1:2)", 2, 0 },
    { "compose(suzuki:6, miesbach-pesch)", 6, 1 },
};
enum { ALL = sizeof all / sizeof *all };

static void claims(const problem *p, int i)
{
    double exact[PROBLEM_DIM], T = 1.5, a, d;
    lbr_options o = options_of("compensated=yes");
    slope s;

    reference(p, T, 64, exact);
    s = slope_of(p, all[i].name, &o, T, exact, all[i].order, 1e-12, 3000);
    ok(fabs(s.order - all[i].order) < 0.12, "%s on %s: order %.3f for %d", all[i].name, p->system.name, s.order,
       all[i].order);
    d = not_symplectic(p, all[i].name, NULL, 0.15);
    ok(d < 1e-11, "%s on %s: symplectic to %.1e", all[i].name, p->system.name, d);
    a = asymmetry(p, all[i].name, NULL, 0.15);
    ok(all[i].symmetric ? a < 1e-14 : a > 1e-7, "%s on %s: %ssymmetric, %.1e", all[i].name, p->system.name,
       all[i].symmetric ? "" : "not ", a);
}

/* adjoint(Phi)_h Phi_{-h} = id, HLW II.3.1. */
static void adjoints(const problem *p, int i)
{
    char name[96];
    double y[PROBLEM_DIM];
    lbr_plan *a = plan_of(p, all[i].name, NULL), *b;

    snprintf(name, sizeof name, "adjoint(%s)", all[i].name);
    b = plan_of(p, name, NULL);
    memcpy(y, p->y, sizeof y);
    step(a, p->system.dim, 0.1, -0.1, y), step(b, p->system.dim, 0, 0.1, y);
    ok(distance(p->system.dim, y, p->y) < 2e-15, "%s on %s: its adjoint undoes a step back, to %.1e", all[i].name,
       p->system.name, distance(p->system.dim, y, p->y));
    lbr_plan_free(a), lbr_plan_free(b);
}

/* --- what they are ----------------------------------------------------------------------------------------------- */

static void identities(const problem *p)
{
    static const struct {
        const char *a, *b;
        double far;
    } row[] = {
        { "generating-s1:1", "symplectic-euler", 1e-15 },
        { "adjoint(generating-s1:1)", "symplectic-euler-b", 1e-15 },
        { "generating-s3:2", "midpoint", 2e-14 },
        { "compose(strang, generating-s1:1)", "stormer-verlet", 1e-14 },
    };

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        double a[PROBLEM_DIM], b[PROBLEM_DIM], d = NAN;

        if (!problem_run(p, row[i].a, NULL, 0.1, 20, a) && !problem_run(p, row[i].b, NULL, 0.1, 20, b))
            d = distance(p->system.dim, a, b);
        ok(d <= row[i].far, "%s is %s on %s: %.1e after 20 steps", row[i].a, row[i].b, p->system.name, d);
    }
}

/* The oscillator H = (p^2 + q^2)/2, y = (q, p) = (1, 0): S^3 = c (p^2 + q^2)/2 rotates by 2 atan(c/2), and c = h +
 * h^3/12 for the series, h + h^3 sum b c^2 for the points. Worked out by hand, so that a factor in the code cannot be
 * wrong in both. */
static void oscillation(void)
{
    modelled x;
    problem p = of_model(&x, "canonical q, p\nH = (p^2 + q^2)/2\nstart q = 1\n", "oscillator");
    double h = 0.4, y[2], angle = 2 * atan((h + h * h * h / 12) / 2);
    static const char *const name[] = { "generating-s3:4", "miesbach-pesch" };

    for (int i = 0; i < 2; i++) {
        y[0] = NAN;
        problem_run(&p, name[i], NULL, h, 1, y);
        ok(fabs(y[0] - cos(angle)) < 1e-15 && fabs(y[1] + sin(angle)) < 1e-15,
           "%s turns the oscillator by 2 atan((h + h^3/12)/2)", name[i]);
    }
    /* S^1 = h (P^2 + q^2)/2 + h^2/2 P q + h^3/6 (P^2 + q^2): P = p - S_q, Q = q + S_P. */
    problem_run(&p, "generating-s1:3", NULL, h, 1, y);
    {
        double a = h + h * h * h / 3, b = h * h / 2, P = -a / (1 + b), Q = 1 + a * P + b;

        ok(fabs(y[0] - Q) < 1e-15 && fabs(y[1] - P) < 1e-15, "generating-s1:3 on the oscillator is what its S^1 says");
    }
    close_model(&x);
}

/* --- a wrong coefficient is noticed ------------------------------------------------------------------------------ */

/* Of S^3 = sum b H(w + h c f): with sum b c^2 off by 0.003 it has order 2. */
static void wrong(void)
{
    static const char *const b[] = { "5/18", "4/9", "5/18" }, *const c[] = { "0.3925", "0", "-0.3925" },
                             *const good[] = { "1/2", "1/2" },
                             *const c2[] = { "0.28867513459481288225457439025097872782380",
                                             "-0.28867513459481288225457439025097872782380" },
                             *const s1[] = { "1", "1/2", "1/6", "1/6", "1/5" };
    const lbr_method own_tables[] = {
        { .size = sizeof(lbr_method), .name = "off", .form = "generating-s3", .b = LBR_TEXTS(b), .c = LBR_TEXTS(c) },
        { .size = sizeof(lbr_method),
          .name = "two-points",
          .form = "generating-s3",
          .b = LBR_TEXTS(good),
          .c = LBR_TEXTS(c2) },
        { .size = sizeof(lbr_method), .name = "off1", .form = "generating-s1", .b = LBR_TEXTS(s1) },
        { .size = sizeof(lbr_method), .name = "three", .form = "generating-s1", .b = { 3, s1 } },
        { .size = sizeof(lbr_method), .name = "long", .form = "generating-s3", .b = LBR_TEXTS(b) },
        { .size = sizeof(lbr_method),
          .name = "uneven",
          .form = "generating-s3",
          .b = LBR_TEXTS(b),
          .c = LBR_TEXTS(c2) },
    };
    lbr_options o = options_of("compensated=yes");
    const struct {
        const char *name;
        int order;
    } row[] = { { "off", 2 }, { "two-points", 4 }, { "off1", 2 } };
    double exact[PROBLEM_DIM];
    const problem p = own();

    o.methods = own_tables, o.nmethods = 6;
    reference(&p, 1.5, 64, exact);
    for (int i = 0; i < 3; i++) {
        const lbr_certificate *z;
        lbr_status status = lbr_certify(&z, row[i].name, &o);
        slope s = slope_of(&p, row[i].name, &o, 1.5, exact, row[i].order, 1e-12, 3000);

        ok(!status && z->check[0]->found == row[i].order, "table '%s' is certified to have order %d", row[i].name,
           row[i].order);
        ok(fabs(s.order - row[i].order) < 0.1, "and has it: %.3f", s.order);
        lbr_certificate_free(z);
    }
    for (int i = 3; i < 6; i++) {
        const lbr_certificate *z;
        lbr_status status = lbr_certify(&z, own_tables[i].name, &o);

        ok(status == LBR_EMETHOD && z->message[0], "table '%s': %s", own_tables[i].name, z->message);
        lbr_certificate_free(z);
    }
}

/* In 20 000 small steps the low parts of q and p are what keeps two ways of one method together. */
static void low_parts(const problem *p)
{
    static const char *const row[][2] = { { "generating-s1:1", "symplectic-euler" },
                                          { "adjoint(generating-s1:1)", "symplectic-euler-b" },
                                          { "generating-s3:2", "midpoint" } };
    lbr_options o[] = { options_of("compensated=no"), options_of("compensated=yes") };

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        double a[PROBLEM_DIM], b[PROBLEM_DIM], d[2] = { NAN, NAN };

        for (int k = 0; k < 2; k++)
            if (!problem_run(p, row[i][0], &o[k], 0.001, 20000, a) &&
                !problem_run(p, row[i][1], &o[1], 0.001, 20000, b))
                d[k] = distance(p->system.dim, a, b);
        ok(d[0] > 1e-14 && d[1] < 3e-15, "%s and %s, 20 000 steps: %.1e apart with compensated sums, %.1e without",
           row[i][0], row[i][1], d[1], d[0]);
    }
}

/* --- third derivatives of models --------------------------------------------------------------------------------- */

/* H'''(v, w) against central differences of H'' v, and its symmetry. */
static void thirds(const char *name)
{
    modelled x;
    double far = 0, size = 0, skew = 0;

    if (!open_model(&x, name) || !x.s->third) {
        ok(0, "%s has third derivatives", name);
        close_model(&x);
        return;
    }
    {
        int64_t n = x.m->dim;
        double *r = malloc((size_t)(8 * n) * sizeof *r), *y = r, *v = r + n, *w = r + 2 * n, *a = r + 3 * n,
               *b = r + 4 * n, *c = r + 5 * n, *z = r + 6 * n, e = 0x1p-14;

        for (int64_t i = 0; i < n; i++) y[i] = x.m->y0[i] + 0.01 * any(7, i), v[i] = any(8, i), w[i] = any(9, i);
        x.s->third(x.m->t0, y, v, w, a, x.s->ctx), x.s->third(x.m->t0, y, w, v, z, x.s->ctx);
        for (int64_t i = 0; i < n; i++) skew = fmax(skew, fabs(a[i] - z[i]));
        for (int64_t i = 0; i < n; i++) z[i] = y[i] + e * w[i];
        x.s->hessian_vec(x.m->t0, z, v, b, x.s->ctx);
        for (int64_t i = 0; i < n; i++) z[i] = y[i] - e * w[i];
        x.s->hessian_vec(x.m->t0, z, v, c, x.s->ctx);
        for (int64_t i = 0; i < n; i++)
            far = fmax(far, fabs(a[i] - (b[i] - c[i]) / (2 * e))), size = fmax(size, fabs(a[i]));
        ok(far <= 1e-5 * size && skew <= 1e-13 * size,
           "%s: H''' is the derivative of H'' and symmetric: %.1e, %.1e of %.1e", name, far, skew, size);
        free(r);
    }
    close_model(&x);
}

/* --- what is lacking is said ------------------------------------------------------------------------------------- */

static void refused(const problem *p, const char *method, const char *word)
{
    lbr_plan *plan;
    lbr_status status = lbr_plan_create(&plan, method, &p->system, NULL);

    ok(status == LBR_EUNFIT && strstr(lbr_plan_message(plan), word), "%s on %s: %s", method, p->system.name,
       lbr_plan_message(plan));
    lbr_plan_free(plan);
}

static void lacking(void)
{
    problem p = own(), t = pushed(), f = hh_as("field");
    lbr_plan *plan;

    p.system.third = NULL;
    refused(&p, "generating-s1:3", "third"), refused(&p, "generating-s3:4", "third");
    plan = plan_of(&p, "miesbach-pesch", NULL), ok(plan != NULL, "miesbach-pesch needs no third derivatives"),
    lbr_plan_free(plan);
    p.system.hessian_vec = NULL;
    refused(&p, "generating-s1:2", "hessian_vec"), refused(&p, "miesbach-pesch", "hessian_vec"),
        refused(&f, "generating-s1:1", "gradient");
    plan = plan_of(&p, "generating-s3:2", NULL), ok(plan != NULL, "generating-s3:2 needs no second derivatives"),
    lbr_plan_free(plan);
    t.system.hessian_vec = own_hessian, t.system.third = own_third;
    plan = plan_of(&t, "miesbach-pesch", NULL);
    ok(plan && !lbr_start(plan, 0.25, 0.1, t.y) && lbr_run(plan, 1, 0, NULL, NULL) == LBR_EUNFIT &&
           strstr(lbr_plan_message(plan), "depends on t"),
       "H with t: %s", lbr_plan_message(plan));
    lbr_plan_free(plan);
}

static int broken(double t, const double *y, const double *v, double *out, void *ctx)
{
    return own_hessian(t, y, v, out, ctx), y[0] > 0.75;
}

static void failing(void)
{
    problem p = own();
    lbr_plan *plan;

    p.system.hessian_vec = broken;
    plan = plan_of(&p, "miesbach-pesch", NULL);
    ok(plan && !lbr_start(plan, 0, 0.1, p.y) && lbr_run(plan, 100, 0, NULL, NULL) == LBR_ECALLBACK &&
           strstr(lbr_plan_message(plan), "failure"),
       "a callback that fails: %s", lbr_plan_message(plan));
    lbr_plan_free(plan);
}

/* The same bits however often one looks, and after a restart. */
static int see(const lbr_view *v, void *ctx) { return (void)v, (void)ctx, 0; }

static void bits(const char *method)
{
    const problem *p = &systems[1];
    lbr_plan *a = plan_of(p, method, NULL), *b = plan_of(p, method, NULL);
    double x[4], y[4];
    const void *bytes;
    size_t size;
    int good;

    lbr_start(a, 0, 0.1, p->y), lbr_start(b, 0, 0.1, p->y);
    lbr_run(a, 30, 1, see, NULL), lbr_read(a, NULL, x);
    lbr_run(b, 11, 0, NULL, NULL);
    bytes = lbr_state_bytes(lbr_plan_state(b), &size);
    lbr_start(a, 0, 0.1, p->y);
    good = !lbr_state_restore(lbr_plan_state(a), bytes, size) && !lbr_run(a, 19, 0, NULL, NULL) &&
           !lbr_read(a, NULL, y);
    ok(good && !memcmp(x, y, sizeof x), "%s: the same bits after a restart and for any looks", method);
    lbr_plan_free(a), lbr_plan_free(b);
}

int main(void)
{
    static const char *const models[] = { "kepler",    "henon-heiles", "double-pendulum", "outer-solar-system",
                                          "fpu-chain", "toda" };

    systems[0] = own(), systems[1] = of_model(&coupled_model, coupled_text, "coupled"),
    systems[2] = of_model(&pendulum_model, pendulum_text, "pendulum");
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < ALL; i++) claims(&systems[k], i), adjoints(&systems[k], i);
        identities(&systems[k]);
    }
    low_parts(&systems[2]);
    oscillation(), wrong(), lacking(), failing();
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) thirds(models[i]);
    for (int i = 0; i < ALL; i++) bits(all[i].name);
    close_model(&coupled_model), close_model(&pendulum_model);
    return tap_done();
}
