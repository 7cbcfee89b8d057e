/* test_long.c - long runs: energy without drift, round-off as a random walk. SPDX-License-Identifier: BSD-3-Clause */
#include "support/analysis.h"
#include "support/tap.h"

/* --- bounded energy errors --------------------------------------------------------------------------------------- */

/* HLW Fig. I.2.4 a hundred times longer: no drift. */
static void solar(void)
{
    static const struct {
        const char *method;
        double h, short_, long_, tolerance;
    } row[] = {
        { "stormer-verlet", 200, 1.958e-3, 1.970e-3, 1e-6 },
        { "symplectic-euler", 100, 2.53e-2, 2.53e-2, 1e-4 },
    };
    problem p = solar_system();
    double H, L[3], M[3], y[36];

    solar_energy(0, p.y, &H, NULL), solar_momentum(0, p.y, L, NULL);
    for (int i = 0; i < 2; i++) {
        double a = excursion(range_of(&p, row[i].method, NULL, row[i].h, (int64_t)(2e5 / row[i].h), solar_energy)) /
                   fabs(H);
        double b = excursion(range_of(&p, row[i].method, NULL, row[i].h, (int64_t)(2e7 / row[i].h), solar_energy)) /
                   fabs(H),
               d;

        ok(fabs(a - row[i].short_) < row[i].tolerance && fabs(b - row[i].long_) < row[i].tolerance,
           "outer solar system, %s, h = %g: relative energy error %.4g in 2e5 days, %.4g in 2e7", row[i].method,
           row[i].h, a, b);
        problem_run(&p, row[i].method, NULL, row[i].h, (int64_t)(2e7 / row[i].h), y);
        solar_momentum(0, y, M, NULL);
        d = distance(3, M, L) / largest(3, L);
        ok(d < 1e-12, "... angular momentum to %.2g", d);
    }
}

/* HLW Fig. I.5.3, h = 0.03, a thousand times longer. */
static void chain(void)
{
    springs s = springs_of("stormer-verlet", 0.03, 2e5);

    ok(fabs(s.H[0] - 1.718) < 1e-3 && fabs(s.H[1] - 2.649) < 1e-3,
       "chain of springs, Verlet, h = 0.03, t <= 200000: H from %.4f to %.4f", s.H[0], s.H[1]);
    ok(fabs(s.sum / (double)s.n - 1.1816) < 1e-4, "... mean of I %.5f", s.sum / (double)s.n);
}

/* Means of f over ten windows of a run. */
typedef struct windows {
    lbr_fn f;
    int64_t each;
    double mean[10];
} windows;

static int see_windows(const lbr_view *v, void *ctx)
{
    windows *w = ctx;
    double value;

    w->f(v->t, v->y, &value, NULL);
    if (v->n > 0) w->mean[(v->n - 1) / w->each] += value / (double)w->each;
    return 0;
}

/* The slope of the means per window, and what is left beside it. */
static void drift_of(const windows *w, double *slope_, double *rest)
{
    double sum = 0, mean = 0;

    for (int i = 0; i < 10; i++) sum += (i - 4.5) * w->mean[i] / 82.5, mean += w->mean[i] / 10;
    *slope_ = sum, *rest = 0;
    for (int i = 0; i < 10; i++) *rest = fmax(*rest, fabs(w->mean[i] - mean - sum * (i - 4.5)));
}

static void drift(void)
{
    static const struct {
        const char *method;
        double h;
        int drifts;
    } row[] = {
        { "stormer-verlet", 0.1, 0 },
        { "stormer-verlet-b", 0.1, 0 },
        { "symplectic-euler", 0.05, 0 },
        { "kahan-li-8-17", 0.5, 0 },
        { "suzuki:4", 0.3, 0 },
        { "midpoint", 0.1, 0 },
        { "gauss:2", 0.3, 0 },
        { "trapezoidal", 0.1, 0 },
        { "process(effective-6-9, effective-6-9-processor)", 0.3, 0 },
        { "rk4", 0.1, 1 },
        { "explicit-euler", 1e-5, 1 },
        { "implicit-euler", 1e-4, 1 },
        { "adjoint(rk4)", 0.1, 1 },
    };

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        problem p = henon_heiles();
        windows w = { .f = hh_energy, .each = 40000 };
        lbr_plan *plan = plan_of(&p, row[i].method, NULL);
        double error = excursion(range_of(&p, row[i].method, NULL, row[i].h, 1000, hh_energy)), s = NAN, rest = NAN;

        if (plan && !lbr_start(plan, 0, row[i].h, p.y) && !lbr_run(plan, 10 * w.each, 1, see_windows, &w))
            drift_of(&w, &s, &rest);
        ok(row[i].drifts ? fabs(9 * s) > 10 * rest : fabs(9 * s) < error / 100,
           "%s, h = %g, 400000 steps: the energy drifts by %.2g, beside %.2g (error in 1000 steps %.2g)", row[i].method,
           row[i].h, 9 * s, rest, error);
        lbr_plan_free(plan);
    }
}

/* --- round-off --------------------------------------------------------------------------------------------------- */

typedef struct walk {
    double rms[3], mean[3];
} walk;

/* The error of the energy after n/16, n/4 and n steps, over 16 directions of the ellipse. */
static walk walk_of(const char *method, const char *options, double h, int64_t n)
{
    enum { RUNS = 16 };
    const int64_t until[] = { 0, n / 16, n / 4, n };
    lbr_options o = options_of(options);
    walk w = { .rms = { 0 } };

    for (int k = 0; k < RUNS; k++) {
        problem p = kepler_turned(0.37 * k);
        lbr_plan *plan = plan_of(&p, method, &o);
        double y[4] = { NAN }, H, H0;

        kepler_energy(0, p.y, &H0, NULL);
        lbr_start(plan, 0, h, p.y);
        for (int i = 0; i < 3; i++) {
            lbr_run(plan, until[i + 1] - until[i], 0, NULL, NULL), lbr_read(plan, NULL, y);
            kepler_energy(0, y, &H, NULL);
            w.rms[i] += (H - H0) * (H - H0) / RUNS, w.mean[i] += (H - H0) / RUNS;
        }
        lbr_plan_free(plan);
    }
    for (int i = 0; i < 3; i++) w.rms[i] = sqrt(w.rms[i]);
    return w;
}

/* HLW VIII.5: where the error of the method is nil, that of the energy is a random walk, four times as large after 16
 * times as many steps, with mean zero. For implicit methods that means: their equations are solved to the end (HLW
 * VIII.6). */
static void random_walk(void)
{
    static const struct {
        const char *method;
        double h;
    } row[] = {
        { "sofroniou-spaletta-10-35", 0.02 },
        { "gauss:6", 0.02 },
        { "compose(kahan-li-8-17, midpoint)", 0.01 },
        { "kahan-li-8-17", 0.005 },
    };

    for (int i = 0; i < 4; i++) {
        walk w = walk_of(row[i].method, "", row[i].h, 16000),
             c = walk_of(row[i].method, "compensated=yes", row[i].h, 16000);

        ok(w.rms[2] / w.rms[0] > 1.5 && w.rms[2] / w.rms[0] < 9,
           "%s, h = %g: energy error %.2g, %.2g, %.2g after 1000, 4000, 16000 steps: a random walk", row[i].method,
           row[i].h, w.rms[0], w.rms[1], w.rms[2]);
        ok(fabs(w.mean[2]) < w.rms[2], "... with mean %.2g", w.mean[2]);
        ok(c.rms[2] < w.rms[2] / 5, "... with compensated sums %.2g", c.rms[2]);
    }
}

/* HLW Fig. VIII.5.2 to its end, 1000 periods: round-off 1.3e-8, with compensated sums 3.0e-11, both like t^(3/2). */
static void figure(void)
{
    static const char *const method = "compose(suzuki-yoshida-8-15, stormer-verlet)";
    problem p = kepler();
    double h = 6.283185307179586 / 500, x[4], a[4], b[4];
    lbr_options o = options_of("compensated=yes");
    lbr_dd g[15], y[4];

    exact_steps("suzuki-yoshida-8-15", g);
    for (int i = 0; i < 4; i++) y[i] = dd(p.y[i]);
    for (int n = 0; n < 500000; n++) exact_step(y, g, 15, h);
    for (int i = 0; i < 4; i++) x[i] = dd_double(y[i]);
    problem_run(&p, method, NULL, h, 500000, a), problem_run(&p, method, &o, h, 500000, b);
    ok(fabs(euclid(4, x, p.y) / 1.215e-9 - 1) < 0.01, "HLW Fig. VIII.5.2, 1000 periods: error of the method %.4g",
       euclid(4, x, p.y));
    ok(euclid(4, a, x) < 4e-8, "... round-off %.2g", euclid(4, a, x));
    ok(euclid(4, b, x) < 3e-10 && euclid(4, b, x) < euclid(4, a, x) / 10, "... with compensated sums %.2g",
       euclid(4, b, x));
}

int main(void)
{
    solar();
    chain();
    drift();
    random_walk();
    figure();
    return tap_done();
}
