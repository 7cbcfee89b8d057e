/* test_wisdom_holman.c - the outer solar system in heliocentric coordinates is the outer solar system, and its parts
 * are what they seem. SPDX-License-Identifier: BSD-3-Clause */
#include "support/modelled.h"

#include <libration.h>

enum { PLANETS = 5, BODIES = 6, SMALL = 3 * PLANETS, LARGE = 3 * BODIES };

static const double mass[BODIES] = { 1.00000597682,      0.000954786104043,  0.000285583733151,
                                     0.0000437273164546, 0.0000517759138449, 1 / (1.3e8) };

/* n steps; 0: it failed, and why. */
static int integrated(const modelled *x, const char *method, double h, int n, double *y)
{
    lbr_plan *plan;
    int good = !lbr_plan_create(&plan, method, x->s, NULL) && !lbr_start(plan, 0, h, x->m->y0) &&
               !lbr_run(plan, n, 0, NULL, NULL) && !lbr_read(plan, NULL, y);

    if (!good) printf("# %s: %s\n", method, plan ? lbr_plan_message(plan) : "no memory");
    lbr_plan_free(plan);
    return good;
}

/* Q_i = q_i - q_0, P_i = p_i - m_i/M sum p. */
static void heliocentric(const double *y, double *out)
{
    double M = 0, sum[3] = { 0 };

    for (int b = 0; b < BODIES; b++) M += mass[b];
    for (int i = 0; i < LARGE; i++) sum[i % 3] += y[LARGE + i];
    for (int i = 0; i < SMALL; i++) {
        out[i] = y[3 + i] - y[i % 3];
        out[SMALL + i] = y[LARGE + 3 + i] - mass[1 + i / 3] / M * sum[i % 3];
    }
}

/* Relative to each planet's own position and momentum. */
static double apart(const double *a, const double *b)
{
    double worst = 0;

    for (int i = 0; i < 2 * SMALL; i += 3) {
        double d = hypot(hypot(a[i] - b[i], a[i + 1] - b[i + 1]), a[i + 2] - b[i + 2]),
               size = hypot(hypot(b[i], b[i + 1]), b[i + 2]);
        worst = fmax(worst, d / size);
    }
    return worst;
}

/* The exact solution, and that of Verlet's method, which does not see linear coordinates (HLW VI.4). */
static void the_same_system(const modelled *wide, const modelled *narrow)
{
    static const struct {
        const char *method;
        double h;
        int n;
        double small;
    } run[] = { { "gauss:6", 50, 400, 1e-12 },
                { "stormer-verlet", 100, 200, 1e-12 },
                { "kahan-li-8-17", 200, 100, 1e-12 } };
    double a[2 * LARGE], b[2 * SMALL], c[2 * SMALL];

    heliocentric(wide->m->y0, c);
    ok(apart(narrow->m->y0, c) < 1e-15, "the same start: %.1e", apart(narrow->m->y0, c));
    for (size_t k = 0; k < sizeof run / sizeof *run; k++) {
        int good = integrated(wide, run[k].method, run[k].h, run[k].n, a) &&
                   integrated(narrow, run[k].method, run[k].h, run[k].n, b);

        if (good) heliocentric(a, c);
        ok(good && apart(b, c) < run[k].small, "%s: the same orbits, %.1e", run[k].method, good ? apart(b, c) : NAN);
    }
}

/* Splittings converge to them: of higher order than theirs as long as the steps are so large that the small parts do
 * not matter. */
static void splittings(const modelled *x)
{
    static const struct {
        const char *method;
        double order;
    } list[] = {
        { "split(strang, kepler, kick, jump)", 2 },
        { "split(strang, jump, kepler, kick)", 2 },
        { "split(blanes-near-864-7, kepler, kick, jump)", 4 },
        { "split(blanes-moan-4-6, kepler, jump, kick)", 4 },
    };
    double exact[2 * SMALL], y[2][2 * SMALL];

    integrated(x, "gauss:8", 50, 400, exact);
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        int good = integrated(x, list[k].method, 400, 50, y[0]) && integrated(x, list[k].method, 200, 100, y[1]);
        double order = good ? log2(apart(y[0], exact) / apart(y[1], exact)) : NAN;

        ok(order > list[k].order - 0.3 && apart(y[1], exact) < 1e-4, "%s: order %.2f, error %.1e", list[k].method,
           order, apart(y[1], exact));
    }
    integrated(x, "split(lie-trotter, kick, jump)", 400, 20, y[0]),
        integrated(x, "split(lie-trotter, jump, kick)", 400, 20, y[1]);
    ok(apart(y[0], y[1]) < 1e-13, "kick and jump commute: %.1e", apart(y[0], y[1]));
    integrated(x, "split(lie-trotter, kepler, jump)", 400, 20, y[0]),
        integrated(x, "split(lie-trotter, jump, kepler)", 400, 20, y[1]);
    ok(apart(y[0], y[1]) > 1e-6, "kepler and jump do not: %.1e", apart(y[0], y[1]));
}

/* Whoever looks at a processed method sees chi K^n chi^-1, whenever he looks. */
static void looking(const modelled *x)
{
    static const char *const method = "process(split(strang, kepler, kick, jump), wisdom-holman-corrector:6)";
    double a[2 * SMALL], b[2 * SMALL];
    lbr_plan *plan;
    int good = integrated(x, method, 200, 50, a) && !lbr_plan_create(&plan, method, x->s, NULL);

    if (good) {
        good = !lbr_start(plan, 0, 200, x->m->y0);
        for (int k = 0; k < 50 && good; k++) good = !lbr_run(plan, 1, 0, NULL, NULL) && !lbr_read(plan, NULL, b);
        lbr_plan_free(plan);
    }
    ok(good && !memcmp(a, b, sizeof a), "a corrected step has the same bits however often one looks");
}

int main(void)
{
    modelled wide, narrow;

    if (ok(open_model(&wide, "outer-solar-system"), "outer-solar-system") &
        ok(open_model(&narrow, "wisdom-holman"), "wisdom-holman")) {
        for (int k = 0; k < 3; k++)
            ok(narrow.s->parts->part[k].flow && narrow.s->parts->part[k].field, "part %s has an exact flow and a field",
               narrow.s->parts->part[k].name);
        the_same_system(&wide, &narrow), splittings(&narrow), looking(&narrow);
    }
    close_model(&wide), close_model(&narrow);
    return tap_done();
}
