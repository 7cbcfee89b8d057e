/* test_tableaux.c - Runge-Kutta tables of the user, with full rows; starting values of implicit ones.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support/tap.h"

#include "support/problems.h"

#define TEXTS(...)                                                                                          \
    {                                                                                                       \
        sizeof(const char *[]){ __VA_ARGS__ } / sizeof(const char *), (const char *const[]) { __VA_ARGS__ } \
    }

/* Tableaux of HLW II.1 and Table II.1.3, as a user would write them. */
static const lbr_method tables[] = {
    { .size = sizeof(lbr_method),
      .name = "own-kutta-38",
      .A = TEXTS("0", "0", "0", "0", "1/3", "0", "0", "0", "-1/3", "1", "0", "0", "1", "-1", "1", "0"),
      .b = TEXTS("1/8", "3/8", "3/8", "1/8"),
      .c = TEXTS("0", "1/3", "2/3", "1"),
      .order = 4,
      .is_explicit = 1,
      .digits = 30 },
    { .size = sizeof(lbr_method),
      .name = "own-runge-trapezoidal",
      .A = TEXTS("0", "0", "1", "0"),
      .b = TEXTS("1/2", "1/2"),
      .order = 2,
      .is_explicit = 1,
      .digits = 31 },
    { .size = sizeof(lbr_method),
      .name = "own-runge-midpoint",
      .A = TEXTS("0", "0", "1/2", "0"),
      .b = TEXTS("0", "1"),
      .order = 2,
      .is_explicit = 1,
      .digits = 31 },
    { .size = sizeof(lbr_method),
      .name = "radau",
      .A = TEXTS("5/12", "-1/12", "3/4", "1/4"),
      .b = TEXTS("3/4", "1/4"),
      .order = 3,
      .digits = 30 },
    { .size = sizeof(lbr_method),
      .name = "own-lobatto",
      .A = TEXTS("0", "0", "0", "5/24", "1/3", "-1/24", "1/6", "2/3", "1/6"),
      .b = TEXTS("1/6", "2/3", "1/6"),
      .order = 4,
      .symmetric = 1,
      .digits = 30 },
};
enum { TABLES = sizeof tables / sizeof *tables };

static lbr_options options(void)
{
    lbr_options o;

    lbr_options_init(&o);
    o.methods = tables, o.nmethods = TABLES;
    return o;
}

static void certified(void)
{
    lbr_options o = options();

    for (int i = 0; i < TABLES; i++) {
        const lbr_certificate *z;
        lbr_status status = lbr_certify(&z, tables[i].name, &o);
        int held = !status;

        for (int64_t k = 0; !status && k < z->n; k++) {
            held &= z->check[k]->holds;
            if (!z->check[k]->holds)
                printf("# %s: %d claimed, %d found\n", z->check[k]->property, z->check[k]->claimed, z->check[k]->found);
        }
        ok(held, "%s is certified", tables[i].name);
        lbr_certificate_free(z);
    }
}

/* y' = t^2 + y^2, y(0) = 0.46, one step of 1. */
static void riccati_step(void)
{
    static const struct {
        const char *method;
        double want;
    } rows[] = {
        { "own-kutta-38", 1.37747791 },
        { "own-runge-trapezoidal", 1.29132328 },
        { "own-runge-midpoint", 1.03012964 },
        { "rk4", 1.38710585 },
    };
    problem p = riccati();
    lbr_options o = options();
    double y = 0;

    for (int i = 0; i < 4; i++) {
        problem_run(&p, rows[i].method, &o, 1, 1, &y);
        near(y, rows[i].want, 6e-9, rows[i].method);
    }
}

static double error_of(const problem *p, const char *method, const lbr_options *o, int64_t n, const double *exact)
{
    double y[PROBLEM_DIM] = { 0 }, sum = 0;

    problem_run(p, method, o, 4.0 / (double)n, n, y);
    for (int64_t i = 0; i < p->system.dim; i++) sum += (y[i] - exact[i]) * (y[i] - exact[i]);
    return sqrt(sum);
}

static void orders(void)
{
    problem p = mixed();
    lbr_options o = options();
    double exact[PROBLEM_DIM];

    problem_run(&p, "gauss:8", NULL, 0.05, 80, exact);
    for (int i = 0; i < TABLES; i++) {
        double coarse = error_of(&p, tables[i].name, &o, 160, exact),
               fine = error_of(&p, tables[i].name, &o, 320, exact), order = log2(coarse / fine);

        ok(fabs(order - tables[i].order) < 0.25, "%s: measured order %.2f", tables[i].name, order);
    }
}

/* Henon-Heiles as one field, which hides that it is of second order. */
static int hh_field(double t, const double *y, double *f, void *ctx)
{
    return f[0] = y[2], f[1] = y[3], hh_force(t, y, f + 2, ctx);
}

/* HLW VIII.6: the F of the last step give a first iterate that saves iterations, against a start from the field alone.
 */
static void starting_values(problem p, const double *part)
{
    static const char *const methods[] = { "gauss:2", "gauss:4", "gauss:6", "gauss:12", "own-lobatto" };
    lbr_options o = options();

    for (int i = 0; i < 5; i++) {
        int64_t warm, cold = 0, n = 50;
        lbr_plan *plan;

        lbr_plan_create(&plan, methods[i], &p.system, &o);
        lbr_start(plan, 0, 0.05, p.y), lbr_run(plan, n, 0, NULL, NULL);
        warm = lbr_plan_stats(plan)->iterations;
        for (int64_t k = 0; k < n; k++) {
            double y[PROBLEM_DIM];

            lbr_read(plan, NULL, y);
            lbr_start(plan, 0, 0.05, y), lbr_run(plan, 1, 0, NULL, NULL);
            cold += lbr_plan_stats(plan)->iterations;
        }
        ok((double)warm < part[i] * (double)cold, "%s, %s: %.1f iterations per step, %.1f without the step before",
           methods[i], p.system.field ? "a field" : "a force", (double)warm / (double)n, (double)cold / (double)n);
        lbr_plan_free(plan);
    }
}

/* Momenta eliminated: half the iterations, and the same solution. */
static void second_order(void)
{
    static const char *const methods[] = { "gauss:2", "gauss:6", "own-lobatto", "radau-2a:3", "lobatto-3b:4" };
    lbr_options o = options();

    for (int i = 0; i < 5; i++) {
        problem p[2] = { henon_heiles(), henon_heiles() };
        double y[2][PROBLEM_DIM], apart = 0;
        int64_t iterations[2];

        p[1].system.field = hh_field;
        for (int k = 0; k < 2; k++) {
            lbr_plan *plan;

            lbr_plan_create(&plan, methods[i], &p[k].system, &o);
            lbr_start(plan, 0, 0.05, p[k].y), lbr_run(plan, 100, 0, NULL, NULL), lbr_read(plan, NULL, y[k]);
            iterations[k] = lbr_plan_stats(plan)->iterations;
            lbr_plan_free(plan);
        }
        for (int l = 0; l < 4; l++) apart = fmax(apart, fabs(y[0][l] - y[1][l]));
        ok(apart < 2e-15 && (double)iterations[0] < 0.65 * (double)iterations[1],
           "%s: %lld iterations with a force, %lld with a field; apart by %.1e", methods[i], (long long)iterations[0],
           (long long)iterations[1], apart);
    }
}

int main(void)
{
    static const double of_field[] = { 0.95, 0.85, 0.65, 0.55, 0.9 }, of_force[] = { 0.98, 0.85, 0.65, 0.55, 0.95 };
    problem force = henon_heiles(), field = henon_heiles();

    field.system.field = hh_field;
    certified();
    riccati_step();
    orders();
    starting_values(force, of_force);
    starting_values(field, of_field);
    second_order();
    return tap_done();
}
