/* test_volume.c - volumes: the splitting of Feng and Shang keeps them for any field without divergence, others do not.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support/analysis.h"
#include "support/modelled.h"

static problem of_model(modelled *x, const char *text, const char *name)
{
    problem p = { .h = 0.1 };

    if (!open_text(x, text)) printf("Bail out! %s\n", name), exit(2);
    p.system = *x->s, p.system.name = name;
    memcpy(p.y, x->m->y0, (size_t)x->m->dim * sizeof *p.y);
    return p;
}

/* Three components with a diagonal, four with one that does not vanish anywhere, and the time in it. */
static const char *const text[] = {
    "state x, y, z\n"
    "x' = sin(z)/2 + cos(y)\n"
    "y' = sin(x) + cos(z)/2\n"
    "z' = sin(y) + cos(x)\n"
    "start x = 0.3, y = 0.2, z = 0.1\n",
    "state x, y, z\n"
    "x' = x*y + sin(z)\n"
    "y' = y^2*z/2 - y + x*z\n"
    "z' = -y*z - y*z^2/2 + z + cos(x*y)\n"
    "start x = 0.4, y = 0.3, z = -0.2\n",
    "state a, b, c, d\n"
    "a' = sin(a)*b + d\n"
    "b' = exp(b/2)*cos(c) + a*d\n"
    "c' = -c*cos(a)*b - exp(b/2)*sin(c)/2 - c*cos(d) + a^2\n"
    "d' = sin(d) + a*b*c\n"
    "start a = 0.4, b = 0.3, c = -0.2, d = 0.5\n",
    "state x, y, z\n"
    "x' = x*y*cos(t) + z\n"
    "y' = -y^2*cos(t)/2 + x*sin(t)\n"
    "z' = sin(x + t)\n"
    "start x = 0.4, y = 0.3, z = -0.2\n",
    "state x, y\nx' = sin(y) + x^2\ny' = -2*x*y - cos(x)\nstart x = 0.4, y = 0.3\n",
};
static const char *const names[] = { "ABC", "three", "four", "driven", "two" };
enum { SYSTEMS = 5 };
static modelled held[SYSTEMS];
static problem systems[SYSTEMS];

static double determinant(int n, double *M)
{
    double det = 1;

    for (int k = 0; k < n; k++) {
        int p = k;

        for (int i = k; i < n; i++)
            if (fabs(M[i * n + k]) > fabs(M[p * n + k])) p = i;
        for (int j = 0; j < n && p != k; j++) {
            double swap = M[k * n + j];
            M[k * n + j] = M[p * n + j], M[p * n + j] = swap;
        }
        det *= p != k ? -M[k * n + k] : M[k * n + k];
        for (int i = k + 1; i < n; i++)
            for (int j = n - 1; j >= k; j--) M[i * n + j] -= M[i * n + k] / M[k * n + k] * M[k * n + j];
    }
    return det;
}

/* What one step does to volumes, at y. */
static double swelling(const problem *p, const char *method, double h, const double *y)
{
    lbr_plan *plan = plan_of(p, method, NULL);
    double D[64];

    jacobian(plan, p->system.dim, p->t0, h, y, D);
    lbr_plan_free(plan);
    return determinant((int)p->system.dim, D) - 1;
}

/* --- Feng and Shang ---------------------------------------------------------------------------------------------- */

static void feng_shang(const problem *p)
{
    static const struct {
        const char *name;
        int order;
    } row[] = { { "feng-shang", 2 },
                { "compose(triple-jump:4, feng-shang)", 4 },
                { "compose(yoshida-6-7, feng-shang)", 6 },
                { "adjoint(feng-shang)", 2 } };
    lbr_options o = options_of("compensated=yes");
    double exact[PROBLEM_DIM], d, a;

    reference(p, 1, 64, exact);
    for (int i = 0; i < 4; i++) {
        slope s = slope_of(p, row[i].name, &o, 1, exact, row[i].order, 1e-12, 400);

        ok(fabs(s.order - row[i].order) < 0.15, "%s on %s: order %.3f for %d", row[i].name, p->system.name, s.order,
           row[i].order);
        d = swelling(p, row[i].name, 0.15, p->y), a = asymmetry(p, row[i].name, NULL, 0.15);
        ok(fabs(d) < 1e-11, "%s on %s: volume kept to %.1e", row[i].name, p->system.name, d);
        ok(a < 3e-15, "%s on %s: symmetric, to %.1e", row[i].name, p->system.name, a);
    }
    d = swelling(p, "rk4", 0.15, p->y);
    ok(fabs(d) > 1e-10, "rk4 on %s does not keep it: %.1e", p->system.name, d);
    d = swelling(p, "midpoint", 0.15, p->y);
    if (p->system.dim > 2) ok(fabs(d) > 1e-7, "nor does the midpoint rule: %.1e", d);
}

/* x' = f(z), z' = g(x): then it is symplectic Euler forth and back, which is Verlet (HLW VI.9). */
static void verlet(void)
{
    modelled x;
    problem p = of_model(&x,
                         "canonical q[2], p[2]\n"
                         "H = sq(p)/2 + q[1]^4/4 + q[1]*q[2]^2 + q[2]^2/2\n"
                         "start q = [0.4, 0.3], p = [0.2, 0.1]\n",
                         "H");
    double a[PROBLEM_DIM], b[PROBLEM_DIM], d = NAN;

    if (!problem_run(&p, "feng-shang", NULL, 0.1, 20, a) && !problem_run(&p, "stormer-verlet-b", NULL, 0.1, 20, b))
        d = distance(4, a, b);
    ok(d < 1e-14, "for H = T(p) + V(q) feng-shang is stormer-verlet-b: %.1e", d);
    close_model(&x);
}

/* --- Gauss' methods for y' = f(z), z' = g(y): HLW VI.9.4, (9.12), Fig. 9.2 --------------------------------------- */

static void gauss(void)
{
    modelled x;
    problem p;
    static const struct {
        const char *name;
        double low, high;
    } row[] = { { "gauss:1", 0, 5e-12 },
                { "gauss:2", 0, 5e-12 },
                { "gauss:3", 1.2e-5, 1.3e-5 },
                { "gauss:4", 1e-7, 1e-6 },
                { "feng-shang", 0, 5e-12 } };

    if (!open_model(&x, "volume-flow")) {
        ok(0, "volume-flow opens");
        return;
    }
    p = (problem){ .system = *x.s, .h = 0.8 };
    for (int i = 0; i < 5; i++) {
        lbr_plan *plan = plan_of(&p, row[i].name, NULL);
        double y[3] = { 0 }, worst = 0;

        for (int k = 0; k < 100; k++)
            worst = fmax(worst, fabs(swelling(&p, row[i].name, 0.8, y))), step(plan, 3, 0, 0.8, y);
        ok(worst >= row[i].low && worst <= row[i].high, "%s on HLW VI.9.12: a step changes volumes by at most %.4g",
           row[i].name, worst);
        lbr_plan_free(plan);
    }
    close_model(&x);
}

/* --- what does not go is said ------------------------------------------------------------------------------------ */

static int loud(double t, const double *y, const double *v, double *out, void *ctx)
{
    return (void)t, (void)y, (void)v, (void)ctx, out[0] = out[1] = 0, 1;
}
static int turn(double t, const double *y, double *f, void *ctx)
{
    return (void)t, (void)ctx, f[0] = y[1], f[1] = -y[0], 0;
}

static void refusals(void)
{
    const problem hh = henon_heiles();
    problem bad = { LBR_SYSTEM(.name = "bad", .dim = 2, .field = turn, .field_jvp = loud), .h = 0.1, .y = { 1, 0 } };
    lbr_plan *plan;
    lbr_status status = lbr_plan_create(&plan, "feng-shang", &hh.system, NULL);
    modelled x;
    problem p = of_model(&x,
                         "state x, y, z\n"
                         "x' = y\n"
                         "y' = -x\n"
                         "z' = z - z^2/2 + 0.2\n"
                         "start x = 1, y = 0, z = 0.25\n",
                         "swells");

    ok(status == LBR_EUNFIT && strstr(lbr_plan_message(plan), "field_jvp"), "%s", lbr_plan_message(plan));
    lbr_plan_free(plan);
    plan = plan_of(&p, "feng-shang", NULL);
    ok(plan && !lbr_start(plan, 0, 0.1, p.y) && lbr_run(plan, 1, 0, NULL, NULL) == LBR_EUNFIT &&
           strstr(lbr_plan_message(plan), "is 0.75"),
       "%s", lbr_plan_message(plan));
    lbr_plan_free(plan);
    plan = plan_of(&bad, "feng-shang", NULL);
    ok(plan && !lbr_start(plan, 0, 0.1, bad.y) && lbr_run(plan, 1, 0, NULL, NULL) == LBR_ECALLBACK,
       "a derivative that fails: %s", lbr_plan_message(plan));
    lbr_plan_free(plan), close_model(&x);
}

/* --- what is told ------------------------------------------------------------------------------------------------ */

static void told(void)
{
    static const char *const row[][2] = { { "feng-shang", "yes" },
                                          { "compose(triple-jump:4, feng-shang)", "yes" },
                                          { "rk4", "no" },
                                          { "trapezoidal", "no" },
                                          { "gauss:1", "partitioned" },
                                          { "gauss:2", "partitioned" },
                                          { "gauss:3", "canonical" },
                                          { "stormer-verlet", "partitioned" },
                                          { "kahan-li-8-17", "partitioned" },
                                          { "compose(yoshida-6-7, gauss:2)", "partitioned" },
                                          { "strang", "parts" },
                                          { "miesbach-pesch", "canonical" },
                                          { "variational(gauss:2)", "canonical" },
                                          { "lobatto-3b:2", "partitioned" },
                                          { "lobatto-3b:3", "no" } };

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const lbr_method_info *info;
        const lbr_certificate *z;
        lbr_status status = lbr_method_describe(&info, row[i][0]);
        int certified = -1;

        if (!lbr_certify(&z, row[i][0], NULL))
            for (int64_t k = 0; k < z->n; k++)
                if (!strcmp(z->check[k]->property, "volume_preserving")) certified = z->check[k]->found;
        ok(!status && !strcmp(info->volume_preserving, row[i][1]) && !strcmp(lbr_volume_text(certified), row[i][1]),
           "%s keeps volumes: %s", row[i][0], status ? info->message : info->volume_preserving);
        lbr_method_free(info), lbr_certificate_free(z);
    }
    ok(!*lbr_volume_text(-1) && !*lbr_volume_text(99), "of no code there is no text");
}

/* Where rates depend on the time alone they are taken at both ends of the step: the trapezoidal rule. */
static void times(void)
{
    modelled x;
    problem p = of_model(&x, "state x, y\nx' = cos(3*t)\ny' = exp(t)\nstart x = 0, y = 0\n", "rates");
    double y[PROBLEM_DIM], want[2] = { 0 }, h = 0.25, off;

    for (int k = 0; k < 4; k++)
        want[0] += h / 2 * (cos(3 * k * h) + cos(3 * (k + 1) * h)), want[1] += h / 2 * (exp(k * h) + exp((k + 1) * h));
    off = problem_run(&p, "feng-shang", NULL, h, 4, y) ? INFINITY : distance(2, y, want);
    ok(off < 1e-15, "rates that depend on t alone are taken at both ends: %.1e", off);
    close_model(&x);
}

int main(void)
{
    for (int i = 0; i < SYSTEMS; i++) systems[i] = of_model(&held[i], text[i], names[i]);
    for (int i = 0; i < SYSTEMS; i++) feng_shang(&systems[i]);
    verlet(), gauss(), refusals(), told(), times();
    for (int i = 0; i < SYSTEMS; i++) close_model(&held[i]);
    return tap_done();
}
