/* test_prolong.c - tangent maps by prolonged systems, with and without constraints.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support/manifolds.h"

enum { DIM = 128 };

static const char sphere_text[] = "canonical q[3], p[3]\n"
                                  "H = sq(p)/2 + q[3]\n"
                                  "constraint length = sq(q) - 1\n"
                                  "start q = [sin(1.3), 0, cos(1.3)], p = [0.3*cos(1.3), 0.65, -0.3*sin(1.3)]\n";
static const char loop_text[] =
    "param n = 6\n"
    "canonical q[n,3], p[n,3]\n"
    "let angle = 2*pi/n, l2 = 2 - 2*cos(angle)\n"
    "H = sq(p)/2 + sum(i = 1..n, q[i,3]*q[i,1]/3 + q[i,2]^4/5)\n"
    "constraint link[i = 1..n-1] = sq(q[i+1] - q[i]) - l2, closed = sq(q[1] - q[n]) - l2\n"
    "start q[i = 1..n] = [cos(i*angle), sin(i*angle), 0], p[i = 1..n] = [0, 0, 0.2*cos(i)]\n";

/* --- any system -------------------------------------------------------------------------------------------------- */

/* y, d_1, ..., d_k as the prolonged system has them. */
static void spread(const lbr_system *s, int64_t k, const double *y, int64_t which, double *Y)
{
    int64_t n = s->nq, all = n * (k + 1), rest = s->dim - 2 * n;

    memcpy(Y + which * n, y, (size_t)n * sizeof *y), memcpy(Y + all + which * n, y + n, (size_t)n * sizeof *y),
        memcpy(Y + 2 * all + which * rest, y + 2 * n, (size_t)rest * sizeof *y);
}

static void collect(const lbr_system *s, int64_t k, const double *Y, int64_t which, double *y)
{
    int64_t n = s->nq, all = n * (k + 1), rest = s->dim - 2 * n;

    memcpy(y, Y + which * n, (size_t)n * sizeof *y), memcpy(y + n, Y + all + which * n, (size_t)n * sizeof *y),
        memcpy(y + 2 * n, Y + 2 * all + which * rest, (size_t)rest * sizeof *y);
}

/* The tangent map of n steps by differences, and by the prolonged system: how far apart. */
static double apart(const lbr_system *s, const double *y0, const char *method, double h, int64_t n)
{
    double d[DIM], up[DIM], down[DIM], Y[2 * DIM], got[DIM], base[DIM], worst = 0, e = 1e-5;
    const lbr_system *p;

    for (int64_t i = 0; i < s->dim; i++) d[i] = any(7, i), up[i] = y0[i] + e * d[i], down[i] = y0[i] - e * d[i];
    if (lbr_prolong(&p, s, 1)) return printf("# %s\n", lbr_prolong_message(p)), lbr_prolong_free(p), INFINITY;
    spread(s, 1, y0, 0, Y), spread(s, 1, d, 1, Y), memcpy(base, y0, (size_t)s->dim * sizeof *base);
    if (run(p, method, NULL, h, n, Y) || run(s, method, NULL, h, n, up) || run(s, method, NULL, h, n, down) ||
        run(s, method, NULL, h, n, base))
        worst = INFINITY;
    collect(s, 1, Y, 1, got);
    for (int64_t i = 0; i < s->dim; i++) worst = fmax(worst, fabs(got[i] - (up[i] - down[i]) / (2 * e)));
    collect(s, 1, Y, 0, got);
    if (!(distance(s->dim, got, base) < 1e-12)) worst = INFINITY;
    lbr_prolong_free(p);
    return worst;
}

static int pendulum_field(double t, const double *y, double *f, void *ctx)
{
    return (void)t, (void)ctx, f[0] = y[1], f[1] = -sin(y[0]), 0;
}
static int pendulum_force(double t, const double *q, double *f, void *ctx)
{
    return (void)t, (void)ctx, f[0] = -sin(q[0]), 0;
}

/* Two of them, H = p^2/2 - cos q + q^2 p^2/10 each. */
static int pendulum_dHdq(double t, const double *y, double *g, void *ctx)
{
    (void)t, (void)ctx;
    for (int k = 0; k < 2; k++) g[k] = sin(y[k]) + y[k] * y[2 + k] * y[2 + k] / 5;
    return 0;
}

static int pendulum_dHdp(double t, const double *y, double *g, void *ctx)
{
    (void)t, (void)ctx;
    for (int k = 0; k < 2; k++) g[k] = y[2 + k] + y[k] * y[k] * y[2 + k] / 5;
    return 0;
}

static int pendulum_hessian(double t, const double *y, const double *v, double *out, void *ctx)
{
    (void)t, (void)ctx;
    for (int k = 0; k < 2; k++) {
        double q = y[k], p = y[2 + k];

        out[k] = (cos(q) + p * p / 5) * v[k] + 2 * q * p / 5 * v[2 + k],
        out[2 + k] = 2 * q * p / 5 * v[k] + (1 + q * q / 5) * v[2 + k];
    }
    return 0;
}

static void unconstrained(void)
{
    lbr_system hessian = LBR_SYSTEM(.name = "pendulums", .dim = 4, .nq = 2, .dHdq = pendulum_dHdq,
                                    .dHdp = pendulum_dHdp, .hessian_vec = pendulum_hessian);
    static const struct {
        const char *model;
        double h;
        const char *method[4];
    } row[] = { { "henon-heiles", 0.1, { "stormer-verlet", "rk4", "gauss:2", "compose(suzuki:4, stormer-verlet)" } },
                { "lorenz", 0.01, { "rk4", "midpoint", "radau-2a:2", NULL } },
                { "double-pendulum", 0.02, { "gauss:2", "symplectic-euler", "lobatto-3a-3b:3", NULL } } };
    static const double one[1] = { 1 };
    lbr_system field = LBR_SYSTEM(.name = "pendulum", .dim = 2, .field = pendulum_field),
               force = LBR_SYSTEM(.name = "pendulum", .dim = 2, .nq = 1, .force = pendulum_force, .inverse_mass = one);
    double y[4] = { 1, 0.5, 0.2, -0.7 };

    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        modelled x;

        if (!ok(open_model(&x, row[k].model), "%s", row[k].model)) continue;
        for (int i = 0; i < 4 && row[k].method[i]; i++) {
            double d = apart(x.s, x.m->y0, row[k].method[i], row[k].h, 10);
            ok(d < 1e-7, "%s on %s: the tangent map, and differences: %.1e apart", row[k].method[i], row[k].model, d);
        }
        close_model(&x);
    }
    ok(apart(&field, y, "rk4", 0.1, 10) < 1e-7 && apart(&force, y, "stormer-verlet", 0.1, 10) < 1e-7,
       "without derivatives of the field, or of the force: by differences of them");
    ok(apart(&hessian, y, "gauss:2", 0.1, 10) < 1e-7 && apart(&hessian, y, "symplectic-euler", 0.1, 10) < 1e-7,
       "with second derivatives of H");
}

/* --- symplecticity ----------------------------------------------------------------------------------------------- */

static double form(int64_t nq, const double *a, const double *b)
{
    double sum = 0;

    for (int64_t i = 0; i < nq; i++) sum += a[nq + i] * b[i] - a[i] * b[nq + i];
    return sum;
}

/* dq with G dq = 0; dp is put right by the first step. */
static void tangent(const lbr_system *s, const double *y, int64_t seed, double *d)
{
    const lbr_constraints *c = s->constraints;
    double G[DIM * DIM], r[DIM];

    for (int64_t i = 0; i < s->dim; i++) d[i] = any(seed, i);
    c->G(0, y, G, s->ctx);
    for (int pass = 0; pass < 2000; pass++) /* row by row, again and again */
        for (int64_t i = 0; i < c->m; i++) {
            double size = 0;

            r[0] = 0;
            for (int64_t k = c->row[i]; k < c->row[i + 1]; k++) r[0] += G[k] * d[c->col[k]], size += G[k] * G[k];
            for (int64_t k = c->row[i]; k < c->row[i + 1]; k++) d[c->col[k]] -= r[0] / size * G[k];
        }
}

/* By how much n steps change the form of two tangents, relatively, after the first step. */
static double changed(const lbr_system *s, const double *y0, const char *method, double h, int64_t n,
                      const char *solver)
{
    double Y[3 * DIM], a[DIM], b[DIM], before = 0, after = NAN;
    lbr_plan *plan = NULL;
    const lbr_system *p;
    lbr_options o;

    lbr_options_init(&o), lbr_option_set(&o, "solver", solver);
    if (lbr_prolong(&p, s, 2)) return lbr_prolong_free(p), INFINITY;
    spread(s, 2, y0, 0, Y);
    for (int i = 1; i <= 2; i++) {
        if (s->constraints) tangent(s, y0, 10 + i, a);
        else
            for (int64_t j = 0; j < s->dim; j++) a[j] = any(10 + i, j);
        spread(s, 2, a, i, Y);
    }
    if (!lbr_plan_create(&plan, method, p, &o) && !lbr_start(plan, 0, h, Y) && !lbr_run(plan, 1, 0, NULL, NULL) &&
        !lbr_read(plan, NULL, Y)) {
        collect(s, 2, Y, 1, a), collect(s, 2, Y, 2, b), before = form(s->nq, a, b);
        if (!lbr_run(plan, n, 0, NULL, NULL) && !lbr_read(plan, NULL, Y))
            collect(s, 2, Y, 1, a), collect(s, 2, Y, 2, b), after = form(s->nq, a, b);
    }
    if (!(after == after)) printf("# %s: %s\n", method, lbr_plan_message(plan));
    lbr_plan_free(plan), lbr_prolong_free(p);
    return fabs(after - before) / (1 + fabs(before));
}

static void symplectic(void)
{
    static const char *const yes[] = { "rattle",          "constrained-euler", "adjoint(constrained-euler)",
                                       "lobatto-3a-3b:3", "lobatto-3a-3b:4",   "compose(suzuki:4, rattle)" };
    static const struct {
        const char *name, *text;
    } all[] = { { "spherical pendulum", sphere_text },
                { "double spherical pendulum", double_text },
                { "ellipsoid", ellipsoid_text },
                { "closed loop", loop_text } };
    modelled x;

    for (int k = 0; k < 4; k++) {
        if (!ok(open_text(&x, all[k].text), "%s", all[k].name)) continue;
        for (int i = 0; i < 6; i++) {
            double d = changed(x.s, x.m->y0, yes[i], 0.05, 40, "auto");
            ok(d < 3e-12, "%s is symplectic on the manifold of the %s, to the solver's level: %.1e", yes[i],
               all[k].name, d);
        }
        ok(changed(x.s, x.m->y0, "constrained-implicit-euler", 0.05, 40, "auto") > 1e-2,
           "constrained-implicit-euler is not: %.1e",
           changed(x.s, x.m->y0, "constrained-implicit-euler", 0.05, 40, "auto"));
        close_model(&x);
    }
    if (ok(open_model(&x, "henon-heiles"), "without constraints")) {
        ok(changed(x.s, x.m->y0, "stormer-verlet", 0.1, 200, "auto") < 1e-12 &&
               changed(x.s, x.m->y0, "gauss:3", 0.1, 200, "auto") < 1e-12 &&
               changed(x.s, x.m->y0, "gauss:3", 0.1, 200, "newton") < 1e-12,
           "Verlet and Gauss are symplectic");
        ok(changed(x.s, x.m->y0, "rk4", 0.1, 200, "auto") > 1e-7, "rk4 is not: %.1e",
           changed(x.s, x.m->y0, "rk4", 0.1, 200, "auto"));
    }
    close_model(&x);
}

/* On the manifold: tangents and differences of starts that are brought onto it. */
static void differences(void)
{
    double d[DIM], up[DIM], down[DIM], Y[2 * DIM], got[DIM], e = 1e-5, worst = 0;
    const lbr_system *p;
    lbr_plan *plan = NULL;
    modelled x;

    if (!ok(open_text(&x, loop_text), "a closed loop")) return;
    tangent(x.s, x.m->y0, 3, d);
    for (int64_t i = 0; i < x.m->dim; i++) up[i] = x.m->y0[i] + e * d[i], down[i] = x.m->y0[i] - e * d[i];
    ok(!lbr_plan_create(&plan, "rattle", x.s, NULL) && !lbr_project_start(plan, 0, up) &&
           !lbr_project_start(plan, 0, down),
       "two starts beside it");
    for (int64_t i = 0; i < x.m->dim; i++) d[i] = (up[i] - down[i]) / (2 * e);
    ok(!lbr_prolong(&p, x.s, 1), "prolonged");
    spread(x.s, 1, x.m->y0, 0, Y), spread(x.s, 1, d, 1, Y);
    tangent(x.s, x.m->y0, 3, got), spread(x.s, 1, d, 1, Y);
    memcpy(Y + x.s->nq, got,
           (size_t)x.s->nq * sizeof *Y); /* G dq = 0 to round-off, where differences have it to 1e-10 */
    ok(!run(p, "rattle", NULL, 0.02, 20, Y) && !run(x.s, "rattle", NULL, 0.02, 20, up) &&
           !run(x.s, "rattle", NULL, 0.02, 20, down),
       "20 steps of all");
    collect(x.s, 1, Y, 1, got);
    for (int64_t i = 0; i < x.m->dim; i++) worst = fmax(worst, fabs(got[i] - (up[i] - down[i]) / (2 * e)));
    ok(worst < 1e-7, "the tangent map of RATTLE on a closed loop, and differences: %.1e apart", worst);
    lbr_plan_free(plan), lbr_prolong_free(p), close_model(&x);
}

/* All elements of G, also those that are 0. */
static const lbr_system *full;

static int full_G(double t, const double *q, double *out, void *ctx)
{
    const lbr_constraints *c = full->constraints;
    double G[DIM * DIM];
    int bad = c->G(t, q, G, ctx);

    memset(out, 0, (size_t)(c->m * full->nq) * sizeof *out);
    for (int64_t i = 0; i < c->m; i++)
        for (int64_t k = c->row[i]; k < c->row[i + 1]; k++) out[i * full->nq + c->col[k]] = G[k];
    return bad;
}

/* Constraints without second derivatives, sparse and dense: differences of G take their place. */
static void by_differences(void)
{
    static const struct {
        const char *name, *text, *method;
    } all[] = { { "spherical pendulum", sphere_text, "rattle" },
                { "double spherical pendulum", double_text, "lobatto-3a-3b:3" },
                { "ellipsoid", ellipsoid_text, "constrained-euler" },
                { "closed loop", loop_text, "rattle" } };

    for (int k = 0; k < 8; k++) {
        const char *name = all[k % 4].name, *method = all[k % 4].method;
        modelled x;
        lbr_constraints c;
        lbr_system less;
        const lbr_system *p = NULL, *q = NULL;
        double Y[2 * DIM], Z[2 * DIM], d[DIM], off = NAN, size = 0;

        if (!ok(open_text(&x, all[k % 4].text), "%s", name)) continue;
        c = *x.s->constraints, c.g2 = NULL, c.g2t = NULL, less = *x.s, less.constraints = &c, full = x.s;
        if (k >= 4) c.G = full_G, c.row = c.col = NULL, c.nnz = 0;
        tangent(x.s, x.m->y0, 7, d);
        spread(x.s, 1, x.m->y0, 0, Y), spread(x.s, 1, d, 1, Y), memcpy(Z, Y, sizeof Z);
        if (!lbr_prolong(&p, x.s, 1) && !lbr_prolong(&q, &less, 1) && !run(p, method, NULL, 0.02, 20, Y) &&
            !run(q, method, NULL, 0.02, 20, Z))
            off = distance(p->dim, Y, Z);
        for (int64_t i = 0; i < 2 * x.m->dim; i++) size = fmax(size, fabs(Y[i]));
        ok(x.s->constraints->g2 && off < 1e-10 * size && off > 0,
           "%s, %s, G %s: tangents without second derivatives of constraints are %.1e off", name, method,
           k < 4 ? "sparse" : "dense", off / size);
        lbr_prolong_free(p), lbr_prolong_free(q), close_model(&x);
    }
}

/* A pendulum on the sphere whose system says all that it knows: force, masses, derivatives of H, the whole field. */
static int sphere_force(double t, const double *q, double *f, void *ctx)
{
    return (void)t, (void)q, (void)ctx, f[0] = 0, f[1] = 0, f[2] = -1, 0;
}

static int sphere_dHdq(double t, const double *y, double *g, void *ctx)
{
    return (void)t, (void)y, (void)ctx, g[0] = 0, g[1] = 0, g[2] = 1, 0;
}

static int sphere_dHdp(double t, const double *y, double *g, void *ctx)
{
    return (void)t, (void)ctx, g[0] = y[3], g[1] = y[4], g[2] = y[5], 0;
}

static int sphere_field(double t, const double *y, double *f, void *ctx)
{
    return sphere_dHdp(t, y, f, ctx) || sphere_force(t, y, f + 3, ctx);
}

static int sphere_jvp(double t, const double *y, const double *d, double *f, void *ctx)
{
    (void)t, (void)y, (void)ctx;
    for (int k = 0; k < 3; k++) f[k] = d[3 + k], f[3 + k] = 0;
    return 0;
}

/* Whatever of it is given, with or without derivatives, rattle gives the same tangents. */
static void redundant(void)
{
    static const double one[3] = { 1, 1, 1 };
    lbr_system all[] = {
        LBR_SYSTEM(.name = "force and masses", .dim = 6, .nq = 3, .force = sphere_force, .inverse_mass = one),
        LBR_SYSTEM(.name = "a field beside them", .dim = 6, .nq = 3, .force = sphere_force, .inverse_mass = one,
                   .field = sphere_field),
        LBR_SYSTEM(.name = "its derivative, too", .dim = 6, .nq = 3, .force = sphere_force, .inverse_mass = one,
                   .field = sphere_field, .field_jvp = sphere_jvp),
        LBR_SYSTEM(.name = "derivatives of H", .dim = 6, .nq = 3, .dHdq = sphere_dHdq, .dHdp = sphere_dHdp),
        LBR_SYSTEM(.name = "a field beside them", .dim = 6, .nq = 3, .dHdq = sphere_dHdq, .dHdp = sphere_dHdp,
                   .field = sphere_field),
        LBR_SYSTEM(.name = "a field alone", .dim = 6, .nq = 3, .field = sphere_field)
    };
    double Y[2 * DIM], Z[2 * DIM] = { 0 }, d[DIM];
    modelled x;

    if (!ok(open_text(&x, sphere_text), "a spherical pendulum")) return;
    tangent(x.s, x.m->y0, 7, d);
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        const lbr_system *p = NULL;
        lbr_status status;

        all[k].constraints = x.s->constraints, all[k].ctx = x.s->ctx;
        spread(x.s, 1, x.m->y0, 0, Y), spread(x.s, 1, d, 1, Y);
        status = lbr_prolong(&p, &all[k], 1);
        if (!status) status = run(p, "rattle", NULL, 0.02, 20, Y);
        if (k == 0) memcpy(Z, Y, sizeof Z);
        ok(!status && distance(12, Y, Z) < 1e-10, "the tangent map of rattle by %s: %.1e off", all[k].name,
           distance(12, Y, Z));
        lbr_prolong_free(p);
    }
    close_model(&x);
}

/* --- refused ----------------------------------------------------------------------------------------------------- */

static void refused(void)
{
    lbr_system nothing = LBR_SYSTEM(.name = "nothing", .dim = 2),
               big = LBR_SYSTEM(.name = "big", .dim = 2000, .field = pendulum_field),
               good = LBR_SYSTEM(.name = "pendulum", .dim = 2, .field = pendulum_field);
    const lbr_system *p;
    lbr_status status;

    ok(lbr_prolong(NULL, &good, 1) == LBR_EARG, "NULL");
    status = lbr_prolong(&p, NULL, 1);
    ok(status == LBR_EARG && p && !strstr(lbr_prolong_message(p), "memory"), "no system: %s", lbr_prolong_message(p)),
        lbr_prolong_free(p);
    status = lbr_prolong(&p, &good, 0);
    ok(status == LBR_EARG && strstr(lbr_prolong_message(p), "1 to 1000"), "no tangent: %s", lbr_prolong_message(p)),
        lbr_prolong_free(p);
    status = lbr_prolong(&p, &nothing, 1);
    ok(status != LBR_OK && *lbr_prolong_message(p), "no rates: %s", lbr_prolong_message(p)), lbr_prolong_free(p);
    status = lbr_prolong(&p, &big, 1);
    ok(status == LBR_EUNFIT && strstr(lbr_prolong_message(p), "components"), "too large: %s", lbr_prolong_message(p)),
        lbr_prolong_free(p);
    lbr_prolong_free(NULL);
}

/* A failure can be understood only if the tangents have names of their own. */
static void names(void)
{
    static const int64_t two[] = { 2 };
    static const lbr_block blocks[] = { { sizeof *blocks, "x", LBR_POSITION, 0, NULL },
                                        { sizeof *blocks, "v", LBR_MOMENTUM, 0, NULL } },
                           whole[] = { { sizeof *whole, "z", LBR_VECTOR, 1, two } };
    static const double one = 1;
    const struct {
        lbr_system s;
        const char *names;
    } row[] = {
        { LBR_SYSTEM(.dim = 2, .field = pendulum_field), "y[1] y[2] d1.y[1] d1.y[2] d2.y[1] d2.y[2] " },
        { LBR_SYSTEM(.dim = 2, .nq = 1, .field = pendulum_field), "q d1.q d2.q p d1.p d2.p " },
        { LBR_SYSTEM(.dim = 2, .nq = 1, .field = pendulum_field, .blocks = blocks, .nblocks = 2, .inverse_mass = &one),
          "x d1.x d2.x v d1.v d2.v " },
        { LBR_SYSTEM(.dim = 2, .nq = 1, .field = pendulum_field, .blocks = whole, .nblocks = 1),
          "q[1] q[2] q[3] p[1] p[2] p[3] " }, /* no border between positions and momenta */
    };

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const lbr_system *p;
        char text[200] = "", name[64];
        lbr_plan *plan = NULL;

        if (!lbr_prolong(&p, &row[i].s, 2))
            for (int64_t k = 0; k < p->dim; k++)
                strcat(strcat(text, lbr_system_component(p, k, name, sizeof name)), " ");
        ok(!strcmp(text, row[i].names), "%s", text);
        ok(!lbr_plan_create(&plan, "rk4", p, NULL), "... %s", lbr_plan_message(plan));
        lbr_plan_free(plan), lbr_prolong_free(p);
    }
}

int main(void)
{
    names();
    unconstrained(), symplectic(), differences(), by_differences(), redundant(), refused();
    return tap_done();
}
