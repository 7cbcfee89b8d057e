/* test_itoh_abe.c - the discrete gradient of coordinate increments: its formula, what it keeps, what it is not.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support/discrete.h"

#define ITOH_ABE "discrete-gradient(itoh-abe)"

/* HLW V.5.12, with values of H. */
static void by_values(const problem *p, const double *y, const double *y1, double *out)
{
    double x[PROBLEM_DIM], before, after;
    int64_t n = p->system.dim;

    memcpy(x, y, (size_t)n * sizeof *x);
    before = energy_of(p, x);
    for (int64_t i = 0; i < n; i++, before = after) {
        x[i] = y1[i], after = energy_of(p, x);
        out[i] = (after - before) / (y1[i] - y[i]);
    }
}

/* The other way. */
static void by_values_back(const problem *p, const double *y, const double *y1, double *out)
{
    by_values(p, y1, y, out);
}

static void formula(const problem *p)
{
    double a = formula_off(p, ITOH_ABE, 2 * p->h, by_values),
           b = formula_off(p, "adjoint(" ITOH_ABE ")", 2 * p->h, by_values_back);

    ok(a < 1e-13 * (1 + largest(p->system.dim, p->y)), "%s: the formula, to %.1e", p->system.name, a);
    ok(b < 1e-13 * (1 + largest(p->system.dim, p->y)), "%s: the adjoint has the components in the other order, to %.1e",
       p->system.name, b);
}

static void keeps(const problem *p)
{
    double size = fabs(energy_of(p, p->y)) + largest(p->system.dim, p->y), off = energy_drift(p, ITOH_ABE, p->h, 1000),
           y[PROBLEM_DIM], z[PROBLEM_DIM];
    lbr_plan *forth = plan_of(p, ITOH_ABE, NULL), *back = plan_of(p, "adjoint(" ITOH_ABE ")", NULL);

    ok(off < 4e-14 * size, "%s: H is kept to %.1e in 1000 steps", p->system.name, off);
    memcpy(y, p->y, sizeof y), step(forth, p->system.dim, 0, p->h, y);
    memcpy(z, y, sizeof z), step(back, p->system.dim, 0, -p->h, y), step(forth, p->system.dim, 0, -p->h, z);
    ok(distance(p->system.dim, y, p->y) < 1e-13, "%s: its adjoint leads back", p->system.name);
    ok(distance(p->system.dim, z, p->y) > 1e-6, "%s: and it does not by itself", p->system.name);
    lbr_plan_free(forth), lbr_plan_free(back);
}

static void order(const problem *p, const char *method, int expected)
{
    double exact[PROBLEM_DIM];
    slope s;

    reference(p, 8 * p->h, 64, exact);
    s = slope_of(p, method, NULL, 8 * p->h, exact, expected, 1e-9, 800);
    ok(fabs(s.order - expected) < 0.15, "%s on %s: order %.3f for %d", method, p->system.name, s.order, expected);
}

/* For a sum of functions of one component each it is symmetric (HLW V.5, of Lotka-Volterra), measured order 2.000. */
static void separate(void)
{
    problem p = volterra();
    double a = asymmetry(&p, ITOH_ABE, NULL, p.h);

    ok(a < 1e-14, "Lotka-Volterra: symmetric there, to %.1e", a);
    order(&p, ITOH_ABE, 2);
}

int main(void)
{
    problem p[] = { lie_poisson(), henon_heiles(), kepler(), mixed() }, v = volterra();
    const lbr_method_info *m;

    formula(&v);
    for (int i = 0; i < 4; i++)
        formula(&p[i]), keeps(&p[i]), order(&p[i], ITOH_ABE, 1), order(&p[i], "compose(strang, " ITOH_ABE ")", 2);
    separate();
    ok(!lbr_method_describe(&m, ITOH_ABE) && m->order == 1 && !m->symmetric && !m->symplectic && m->energy,
       "what is claimed");
    lbr_method_free(m);
    close_model(&discrete_model);
    return tap_done();
}
