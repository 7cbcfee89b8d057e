/* test_published.c - the numbers of HLW's figures and tables, and others measured on its problems.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A wanted number is text; it must be met to one unit of its last digit. HLW prints the numbers of Table VIII.6.1 and
 * the end values of Figs. II.4.4 and V.6.1; the others were measured with programs of their own (long double or
 * quadruple precision where the error is small), on the data of the figure that is named. */
#include "support/analysis.h"
#include "support/tap.h"

/* One unit of the last digit of "1.958e-3". */
static double unit(const char *text)
{
    const char *dot = strchr(text, '.'), *e = strchr(text, 'e');
    size_t end = e ? (size_t)(e - text) : strlen(text);

    return pow(10, (e ? atof(e + 1) : 0) - (dot ? (double)(end - (size_t)(dot - text) - 1) : 0));
}

__attribute__((format(printf, 4, 5))) static void printed_at(int line, double value, const char *text,
                                                             const char *format, ...)
{
    char label[200];
    va_list ap;

    va_start(ap, format), vsnprintf(label, sizeof label, format, ap), va_end(ap);
    tap_ok(fabs(value - atof(text)) <= 1.0001 * unit(text), __FILE__, line, "%s: %s (%.6g)", label, text, value);
}
#define printed(...) printed_at(__LINE__, __VA_ARGS__)

/* --- the outer solar system -------------------------------------------------------------------------------------- */

static int jupiter(double t, const double *y, double *r, void *ctx)
{
    return (void)t, (void)ctx, *r = euclid(3, y + 3, y), 0;
}
static int saturn(double t, const double *y, double *r, void *ctx)
{
    return (void)t, (void)ctx, *r = euclid(3, y + 6, y), 0;
}

static void solar_energies(void)
{
    static const struct {
        const char *method;
        double h;
        const char *dH, *far;
        int law;
    } row[] = {
        { "stormer-verlet", 200, "1.958e-3", "5.483", 1 }, { "stormer-verlet", 100, "7.50e-4", NULL, 1 },
        { "symplectic-euler", 100, "2.53e-2", NULL, 1 },   { "symplectic-euler-b", 100, "1.16e-2", NULL, 1 },
        { "explicit-euler", 10, "0.66", "18.9", 0 },
    };
    problem p = solar_system();
    double H, L[3], M[3], y[36];

    solar_energy(0, p.y, &H, NULL), solar_momentum(0, p.y, L, NULL);
    printed(H, "-3.215453183208e-8", "outer solar system, HLW I.2.4: energy at the start");
    for (int i = 0; i < 5; i++) {
        int64_t n = (int64_t)(200000 / row[i].h);
        double d;

        printed(excursion(range_of(&p, row[i].method, NULL, row[i].h, n, solar_energy)) / fabs(H), row[i].dH,
                "HLW Fig. I.2.4, %s, h = %g: relative energy error", row[i].method, row[i].h);
        if (row[i].far)
            printed(range_of(&p, row[i].method, NULL, row[i].h, n, jupiter).high, row[i].far,
                    "... Jupiter's largest distance from the sun");
        problem_run(&p, row[i].method, NULL, row[i].h, n, y);
        solar_momentum(0, y, M, NULL);
        d = distance(3, M, L) / largest(3, L);
        ok(row[i].law ? d < 4e-15 : d > 1e-2, "... angular momentum %s: %.2g", row[i].law ? "kept" : "not kept", d);
    }
    printed(range_of(&p, "explicit-euler", NULL, 10, 20000, saturn).high, "36.8",
            "HLW Fig. I.2.4, explicit Euler: Saturn's largest distance");
}

static void solar_places(void)
{
    static const char *const q[18] = { "1.2358425424",   "-0.4899438211", "-0.2461053618", "2.6110795701",
                                       "-5.0795254968",  "-2.2447206779", "-7.6691362474", "-4.0520522455",
                                       "-1.3311156697",  "-5.8247439498", "15.3371737536", "6.7824634099",
                                       "20.6639802475",  "20.5829560425", "7.8947954147",  "36.5669506988",
                                       "-13.7676844013", "-15.0434692218" };
    static const char *const v[18] = { "-0.000000913438", "-0.000003237738", "-0.000001402080", "0.007178878928",
                                       "0.002233579526",  "0.000783748343",  "0.001844790956",  "-0.004772806883",
                                       "-0.002056579050", "-0.003658950057", "-0.001554803834", "-0.000629514555",
                                       "-0.002392874566", "0.001890469682",  "0.000833321370",  "0.001629929248",
                                       "0.002108011560",  "0.000168504843" };
    static const char *const verlet[3] = { "-3.0045752397", "-4.2284320398", "-1.7383846553" };
    static const struct {
        const char *method;
        double h;
    } row[] = { { "kahan-li-8-17", 25 }, { "gauss:6", 100 } };
    lbr_options o = options_of("compensated=yes");
    problem p = solar_system();
    lbr_plan *plan = plan_of(&p, "implicit-euler", NULL);
    double y[36], t, r;

    for (int m = 0; m < 2; m++) {
        problem_run(&p, row[m].method, &o, row[m].h, (int64_t)(200000 / row[m].h), y);
        for (int i = 0; i < 18; i++) {
            printed(y[i], q[i], "outer solar system after 200000 days, %s: q[%d]", row[m].method, i + 1);
            printed(y[18 + i] * solar_inverse[i], v[i], "... v[%d]", i + 1);
        }
    }
    problem_run(&p, "stormer-verlet", NULL, 200, 1000, y);
    for (int i = 0; i < 3; i++)
        printed(y[3 + i] - y[i], verlet[i], "... Verlet, h = 200: Jupiter from the sun, %d", i + 1);
    lbr_start(plan, 0, 10, p.y);
    ok(lbr_run(plan, 20000, 0, NULL, NULL) == LBR_ENOCONV, "HLW Fig. I.2.4, implicit Euler: %s",
       lbr_plan_message(plan));
    lbr_read(plan, &t, y), jupiter(0, y, &r, NULL);
    ok(t > 7900 && t < 8000 && r < 1, "... as Jupiter falls into the sun after 7950 days (t = %g, distance %.3g)", t,
       r);
    lbr_plan_free(plan);
}

/* --- Kepler ------------------------------------------------------------------------------------------------------ */

static void kepler_runs(void)
{
    static const struct {
        const char *method;
        double h;
        int64_t n;
        const char *dH, *source;
    } row[] = {
        { "explicit-euler", 0.0005, 400000, "0.189", "HLW Fig. I.2.2" },
        { "symplectic-euler", 0.05, 4000, "0.0966", "HLW Fig. I.2.2" },
        { "midpoint", 0.05, 4000, "0.0106", "HLW Fig. I.2.2" },
        { "stormer-verlet", 0.05, 4000, "0.0094", "HLW Fig. I.2.2" },
        { "explicit-euler", 1e-4, 500000, "0.0166", "HLW Fig. I.2.3" },
        { "explicit-euler", 1e-4, 1000000, "0.0336", "HLW Fig. I.2.3" },
        { "symplectic-euler", 1e-3, 50000, "1.365e-3", "HLW Fig. I.2.3" },
        { "symplectic-euler", 1e-3, 100000, "1.365e-3", "HLW Fig. I.2.3" },
        { "midpoint", 0.01, 10000, "4.224e-4", "HLW Table I.2.1" },
        { "midpoint", 0.005, 20000, "1.056e-4", "HLW Table I.2.1" },
        { "stormer-verlet", 0.01, 10000, "3.707e-4", "HLW Table I.2.1" },
        { "stormer-verlet", 0.005, 20000, "9.263e-5", "HLW Table I.2.1" },
    };
    static const struct {
        const char *method;
        double h;
        const char *error;
    } global[] = {
        { "midpoint", 0.01, "0.795" },
        { "midpoint", 0.005, "0.203" },
        { "stormer-verlet", 0.01, "0.668" },
        { "stormer-verlet", 0.005, "0.170" },
        { "symplectic-euler", 1e-3, "1.585e-2" },
        { "symplectic-euler", 5e-4, "3.96e-3" },
        { "symplectic-euler", 2.5e-4, "1.61e-3" },
    };
    problem p = kepler();

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        range L = range_of(&p, row[i].method, NULL, row[i].h, row[i].n, kepler_momentum);

        printed(excursion(range_of(&p, row[i].method, NULL, row[i].h, row[i].n, kepler_energy)), row[i].dH,
                "%s, Kepler, %s, h = %g, t <= %g: energy error", row[i].source, row[i].method, row[i].h,
                row[i].h * (double)row[i].n);
        ok(strcmp(row[i].method, "explicit-euler") ? excursion(L) < 1e-13 : excursion(L) > 1e-3,
           "... angular momentum: %.2g", excursion(L));
    }
    for (size_t i = 0; i < sizeof global / sizeof *global; i++)
        printed(global_error(&p, global[i].method, global[i].h, 100, 0.01, 1), global[i].error,
                "HLW Table I.2.1, Kepler, %s, h = %g: error on [0, 100]", global[i].method, global[i].h);
}

/* [0, 7.5], e = 0.6: n steps, composition of drift-kick-drift (the name alone) or kick-drift-kick. */
static void kepler_compositions(void)
{
    static const double exact[4] = { -0.828164402690770818, 0.778898095658635447, -0.856384715343395351,
                                     -0.160552150799838435 }; /* HLW II.4.9, II.4.10 */
    static const struct {
        const char *table;
        int64_t n;
        const char *drift, *kick, *source;
    } row[] = {
        { "triple-jump:4", 800, "3.53e-6", "9.53e-6", "HLW Fig. II.4.4" },
        { "suzuki:4", 480, "5.92e-7", "2.49e-6", "HLW Fig. II.4.4" },
        { "triple-jump:6", 400, NULL, "2.42e-6", "HLW Fig. II.4.4" },
        { "suzuki:6", 160, NULL, "4.21e-8", "HLW Fig. II.4.4" },
        { "triple-jump:8", 320, NULL, "3.92e-7", "HLW Fig. II.4.4" },
        { "suzuki:8", 64, NULL, "1.00e-8", "HLW Fig. II.4.4" },
        { "yoshida-6-7", 400, NULL, "1.34e-7", "HLW Fig. II.4.4" },
        { "suzuki-yoshida-8-15", 200, NULL, "1.28e-9", "HLW Fig. II.4.4" },
        { "suzuki-yoshida-8-15", 400, "5.0e-13", "5.01e-12", "HLW Fig. II.4.4" },
        { "triple-jump:4", 1333, "4.58e-7", "1.24e-6", "HLW Fig. V.3.2" },
        { "suzuki:4", 800, "7.67e-8", "3.23e-7", "HLW Fig. V.3.2" },
        { "yoshida-6-7", 571, "2.40e-9", "1.58e-8", "HLW Fig. V.3.4" },
        { "kahan-li-6-9", 444, "3.23e-10", "1.02e-8", "HLW Fig. V.3.4" },
        { "suzuki-yoshida-8-15", 267, "1.27e-11", "1.27e-10", "HLW Fig. V.3.5" },
        { "kahan-li-8-17", 235, "2.14e-12", "6.78e-11", "HLW Fig. V.3.5" },
        { "sofroniou-spaletta-10-35", 114, "2.8e-12", "3.7e-12", "HLW Fig. V.3.5" },
        { "effective-6-9", 200, NULL, "6.72e-5", "HLW V.3.3" },
        { "effective-6-9", 400, NULL, "4.13e-6", "HLW V.3.3" },
        { "effective-6-9", 800, NULL, "2.57e-7", "HLW V.3.3" },
    };
    static const char *const verlet[2][2] = { { "stormer-verlet", "1.385e-3" }, { "stormer-verlet-b", "3.780e-4" } },
                             *const processed[3] = { "1.58e-6", "2.45e-8", "3.82e-10" };
    lbr_options o = options_of("compensated=yes");
    problem p = kepler();
    char name[128];

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        if (row[i].drift)
            printed(error_after(&p, row[i].table, &o, 7.5, row[i].n, exact), row[i].drift,
                    "%s, %s, drift first, %lld steps", row[i].source, row[i].table, (long long)row[i].n);
        snprintf(name, sizeof name, "compose(%s, stormer-verlet)", row[i].table);
        printed(error_after(&p, name, &o, 7.5, row[i].n, exact), row[i].kick, "%s, %s, kick first, %lld steps",
                row[i].source, row[i].table, (long long)row[i].n);
    }
    for (int i = 0; i < 2; i++)
        printed(error_after(&p, verlet[i][0], &o, 7.5, 1600, exact), verlet[i][1], "HLW Fig. II.4.4, %s, 1600 steps",
                verlet[i][0]);
    for (int i = 0; i < 3; i++)
        printed(error_after(&p, "process(compose(effective-6-9, stormer-verlet), effective-6-9-processor)", &o, 7.5,
                            200 << i, exact),
                processed[i], "HLW V.3.3, processed, %d steps", 200 << i);
}

/* HLW Table VIII.6.1: one period in N steps; NULL: round-off. */
static void kepler_gauss(void)
{
    static const int steps[5] = { 25, 50, 100, 200, 400 };
    static const char *const want[3][5] = { { "9.2e-2", "1.7e-2", "1.3e-3", "8.4e-5", "5.3e-6" },
                                            { "1.1e-3", "6.9e-7", "3.6e-9", "1.8e-11", NULL },
                                            { "2.7e-6", "8.0e-11", NULL, NULL, NULL } };
    lbr_options o = options_of("compensated=yes");
    problem p = kepler();

    for (int s = 0; s < 3; s++)
        for (int i = 0; i < 5; i++) {
            char name[16];
            double y[4], e = NAN;

            snprintf(name, sizeof name, "gauss:%d", 2 * s + 2);
            if (!problem_run(&p, name, &o, 6.283185307179586 / steps[i], steps[i], y)) e = euclid(4, y, p.y);
            if (want[s][i])
                printed(e, want[s][i], "HLW Table VIII.6.1, Gauss of order %d, h = 2 pi/%d", 4 * s + 4, steps[i]);
            else
                ok(e < 1e-13, "HLW Table VIII.6.1, Gauss of order %d, h = 2 pi/%d: round-off (%.2g)", 4 * s + 4,
                   steps[i], e);
        }
}

/* --- Lotka-Volterra, pendulum, Riccati --------------------------------------------------------------------------- */

/* q = v, p = u, so that symplectic Euler is implicit in u and explicit in v. */
static int lotka_pair(double t, const double *y, double *f, void *ctx)
{
    return (void)t, (void)ctx, f[0] = y[0] * (1 - y[1]), f[1] = y[1] * (y[0] - 2), 0;
}
static int lotka_integral(double t, const double *y, double *I, void *ctx)
{
    return (void)t, (void)ctx, *I = log(y[1]) - y[1] + 2 * log(y[0]) - y[0], 0;
}

static void lotka(void)
{
    static const struct {
        const char *method;
        double h;
        int64_t n;
        const char *u, *v;
    } step_[] = {
        { "midpoint", 0.4, 4, "3.00793401", "1.38547674" },
        { "trapezoidal", 0.4, 4, "2.92316798", "1.56140319" },
        { "gauss:2", 0.8, 2, "3.00626215", "1.25450482" },
        { "gauss:8", 0.1, 16, "3.05454324", "1.28464566" },
    };
    static const struct {
        const char *method;
        double u, v;
        const char *low, *high, *low_long, *high_long;
    } row[] = {
        { "explicit-euler", 2, 2, "-7.4833", "-1.9206", NULL, NULL },
        { "implicit-euler", 4, 8, "-6.4548", "-1.7977", NULL, NULL },
        { "symplectic-euler", 4, 2, "-3.6679", "-3.0107", "-3.6679", "-3.0077" },
        { "symplectic-euler", 6, 2, "-6.2294", "-4.3341", "-6.2304", "-4.2650" },
    };

    for (int i = 0; i < 4; i++) {
        problem p = lotka_volterra();
        double y[2] = { NAN, NAN };

        problem_run(&p, step_[i].method, NULL, step_[i].h, step_[i].n, y);
        printed(y[0], step_[i].u, "HLW Fig. II.1.3, Lotka-Volterra, %s, h = %g: u(1.6)", step_[i].method, step_[i].h);
        printed(y[1], step_[i].v, "... v(1.6)");
    }
    for (int i = 0; i < 4; i++) {
        problem p = { LBR_SYSTEM(.name = "lotka-volterra", .dim = 2, .nq = 1, .field = lotka_pair),
                      .y = { row[i].v, row[i].u } };
        range r = range_of(&p, row[i].method, NULL, 0.12, 125, lotka_integral);

        printed(r.low, row[i].low, "HLW Fig. I.1.2, Lotka-Volterra, %s from (%g, %g), 125 steps: I at least",
                row[i].method, row[i].u, row[i].v);
        printed(r.high, row[i].high, "... at most");
        if (!row[i].low_long) continue;
        r = range_of(&p, row[i].method, NULL, 0.12, 100000, lotka_integral);
        printed(r.low, row[i].low_long, "... in 100000 steps at least"),
            printed(r.high, row[i].high_long, "... at most");
    }
}

static void pendulums(void)
{
    static const char *const area[][2] = { { "explicit-euler", "1.453596" },
                                           { "symplectic-euler", "1.000000" },
                                           { "symplectic-euler-b", "1.000000" },
                                           { "stormer-verlet", "1.000000" } };
    static const struct {
        int n;
        const char *H;
    } euler[] = { { 25, "-0.6922" }, { 50, "-0.2954" }, { 75, "0.3066" } };
    static const char *const se[3] = { "0.0419", "0.1519", "0.2935" }, *const sv[3] = { "0.0231", "0.0797", "0.1875" };
    problem p = pendulum();
    double y[2], H, D[4];

    p.y[0] = 1.1, p.y[1] = 0.3;
    for (int i = 0; i < 4; i++) {
        lbr_plan *plan = plan_of(&p, area[i][0], NULL);

        jacobian(plan, 2, 0, 1, p.y, D);
        printed(D[0] * D[3] - D[1] * D[2], area[i][1], "HLW Fig. I.1.3, pendulum, %s, h = 1: area", area[i][0]);
        lbr_plan_free(plan);
    }
    p.y[0] = 0.5, p.y[1] = 0;
    for (int i = 0; i < 3; i++) {
        problem_run(&p, "explicit-euler", NULL, 0.2, euler[i].n, y), pendulum_energy(0, y, &H, NULL);
        printed(H, euler[i].H, "HLW Fig. I.1.4, pendulum, explicit Euler, h = 0.2: H after %d steps", euler[i].n);
    }
    ok(range_of(&p, "explicit-euler", NULL, 0.2, 102, pendulum_energy).high < 1 &&
           range_of(&p, "explicit-euler", NULL, 0.2, 103, pendulum_energy).high > 1,
       "... beyond the separatrix in step 103");
    for (int i = 0; i < 3; i++) {
        p.y[0] = 0, p.y[1] = 0.7 * (i + 1);
        printed(excursion(range_of(&p, "symplectic-euler", NULL, 0.3, 100000, pendulum_energy)), se[i],
                "HLW Fig. I.1.4, symplectic Euler, h = 0.3, p = %g: energy error in 100000 steps", p.y[1]);
        printed(excursion(range_of(&p, "stormer-verlet", NULL, 0.6, 100000, pendulum_energy)), sv[i],
                "... Verlet, h = 0.6");
    }
}

/* The methods of HLW II.1.3 and II.1.8. */
static void riccati_steps(void)
{
    static const struct {
        const char *method;
        int64_t n;
        const char *y;
    } row[] = {
        { "runge-trapezoidal", 1, "1.29132328" }, { "runge-midpoint", 1, "1.03012964" }, { "rk4", 1, "1.38710585" },
        { "kutta-38", 1, "1.37747791" },          { "gauss:8", 10, "1.39221138" },
    };
    problem p = riccati();

    for (int i = 0; i < 5; i++) {
        double y = NAN;

        problem_run(&p, row[i].method, NULL, 1 / (double)row[i].n, row[i].n, &y);
        printed(y, row[i].y, "HLW Fig. II.1.2, y' = t^2 + y^2, %s: y(1)", row[i].method);
    }
}

/* --- many bodies: the chain of HLW I.5, argon of HLW I.4 --------------------------------------------------------- */

static void chains(void)
{
    static const struct {
        const char *method;
        double h;
        const char *low, *high, *mean, *first;
    } row[] = {
        { "midpoint", 0.001, "2.001199", "2.001200", "1.0005", NULL },
        { "symplectic-euler", 0.001, "1.950", "2.001", "0.976", NULL },
        { "symplectic-euler-b", 0.001, "2.001", "2.054", "1.026", NULL },
        { "stormer-verlet", 0.001, "2.000886", "2.001514", "1.0005", "58.9" },
        { "midpoint", 0.03, "2.00034", "2.00142", "1.0006", "90.4" },
        { "symplectic-euler", 0.03, NULL, NULL, "0.571", NULL },
        { "symplectic-euler-b", 0.03, NULL, NULL, "4.012", NULL },
        { "stormer-verlet", 0.03, "1.720", "2.647", "1.1816", NULL },
    };
    static const struct {
        double t;
        const char *I[3], *x[3];
    } at[] = {
        { 10, { "0.956065", "0.025681", "0.000198" }, { "1.0420576", "0.2436356", "-0.1063604" } },
        { 50, { "0.558538", "0.367215", "0.069739" }, { "-0.2283565", "-0.0373506", "-1.1985682" } },
        { 100, { "0.105562", "0.420750", "0.475992" }, { "-0.7655725", "0.2266734", "-0.2509223" } },
        { 150, { "0.012718", "0.048571", "0.952769" }, { "0.4107119", "0.2937042", "1.0328839" } },
        { 200, { "0.010236", "0.159759", "0.834988" }, { "0.056846", "0.797913", "0.229526" } },
    };
    problem p = fpu();
    double y[4 * FPU], I[FPU], H;

    fpu_energy(0, p.y, &H, NULL);
    printed(H, "2.00120008", "HLW I.5.1, chain of springs: energy at the start");
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        springs s = springs_of(row[i].method, row[i].h, 200);

        printed(s.sum / (double)s.n, row[i].mean, "HLW Fig. I.5.3, %s, h = %g: mean of I", row[i].method, row[i].h);
        if (row[i].low) printed(s.H[0], row[i].low, "... H at least");
        if (row[i].high) printed(s.H[1], row[i].high, "... at most");
        if (row[i].first) printed(s.first, row[i].first, "... I_2 is larger than I_1 first at");
        if (!strcmp(row[i].method, "stormer-verlet") && row[i].h > 0.01)
            printed(s.I[0], "0.721", "... I at least"), printed(s.I[1], "1.672", "... at most");
    }
    for (int i = 0; i < 5; i++) {
        problem_run(&p, "kahan-li-8-17", NULL, 0.005, (int64_t)(at[i].t / 0.005 + 0.5), y), fpu_springs(y, I);
        for (int k = 0; k < 3; k++) {
            printed(I[k], at[i].I[k], "HLW Fig. I.5.2, kahan-li-8-17: I_%d(%g)", k + 1, at[i].t);
            printed((y[2 * k] + y[2 * k + 1]) * sqrt(0.5), at[i].x[k], "... x_0,%d", k + 1);
        }
    }
}

static const double boltzmann = 1.380658e-23, argon_mass = 66.34e-27; /* kg, nm, ns; energies in J */
static const double argon_q[14] = {
    0, 0, 0.02, 0.39, 0.34, 0.17, 0.36, -0.21, -0.02, -0.40, -0.35, -0.16, -0.31, 0.21
};
static const double argon_v[14] = { -30, -20, 50, -90, -70, -60, 90, 40, 80, 90, -40, 100, -80, -60 };
static double argon_inverse[14];

/* sum over pairs of 4 eps ((sigma/r)^12 - (sigma/r)^6); f: forces, or NULL. */
static double argon_pairs(const double *q, double *f)
{
    double V = 0, eps = 119.8 * boltzmann, sigma = 0.341;

    for (int i = 0; i < 7; i++)
        for (int j = 0; j < i; j++) {
            double x = q[2 * i] - q[2 * j], y = q[2 * i + 1] - q[2 * j + 1], r2 = x * x + y * y, u = sigma * sigma / r2,
                   u3 = u * u * u, g = 24 * eps * (2 * u3 * u3 - u3) / r2;

            V += 4 * eps * (u3 * u3 - u3);
            if (f) f[2 * i] += g * x, f[2 * i + 1] += g * y, f[2 * j] -= g * x, f[2 * j + 1] -= g * y;
        }
    return V;
}
static int argon_force(double t, const double *q, double *f, void *ctx)
{
    return (void)t, (void)ctx, memset(f, 0, 14 * sizeof *f), argon_pairs(q, f), 0;
}
static int argon_heat(double t, const double *y, double *T, void *ctx)
{
    (void)t, (void)ctx, *T = 0;
    for (int i = 0; i < 14; i++) *T += y[14 + i] * y[14 + i] / argon_mass / (14 * boltzmann);
    return 0;
}
static int argon_energy(double t, const double *y, double *H, void *ctx) /* in units of Boltzmann's constant */
{
    argon_heat(t, y, H, ctx);
    *H = 7 * *H + argon_pairs(y, NULL) / boltzmann;
    return 0;
}

/* The motion is chaotic, so that ranges beyond the first digit belong to one run only. */
static void argon(void)
{
    static const struct {
        const char *method;
        double h, low, high;
    } row[] = {
        { "symplectic-euler", 1e-5, -7.60, 6.72 }, { "symplectic-euler-b", 1e-5, -7.28, 7.63 },
        { "stormer-verlet", 1e-5, -0.153, 0.188 }, { "stormer-verlet", 2e-5, -0.520, 0.610 },
        { "stormer-verlet", 4e-5, -2.18, 2.34 },   { "stormer-verlet", 8e-5, -13.5, 9.96 },
    };
    problem p = { LBR_SYSTEM(.name = "argon", .dim = 28, .nq = 14, .force = argon_force, .inverse_mass = argon_inverse,
                             .energy = argon_energy),
                  .y = { 0 } };
    double H, T, last = 0;

    for (int i = 0; i < 14; i++)
        p.y[i] = argon_q[i], p.y[14 + i] = argon_v[i] * argon_mass, argon_inverse[i] = 1 / argon_mass;
    argon_energy(0, p.y, &H, NULL), argon_heat(0, p.y, &T, NULL);
    printed(H, "-1260.206623", "HLW I.4, frozen argon crystal: H/k at the start"),
        printed(T, "22.720574", "... temperature");
    for (int i = 0; i < 6; i++) {
        range r = range_of(&p, row[i].method, NULL, row[i].h, (int64_t)(0.2 / row[i].h + 0.5), argon_energy);
        double low = r.low - H, high = r.high - H;

        ok(low / row[i].low > 0.6 && low / row[i].low < 1.5 && high / row[i].high > 0.7 && high / row[i].high < 1.4,
           "HLW Fig. I.4.1, %s, %g fs: energy error from %.3g to %.3g for %.3g to %.3g", row[i].method, 1e6 * row[i].h,
           low, high, row[i].low, row[i].high);
        if (i > 2)
            ok((high - low) / last > 3 && (high - low) / last < 6, "... %.2f times that of half the step",
               (high - low) / last);
        last = high - low;
    }
    ok(range_of(&p, "explicit-euler", NULL, 0.5e-6, 400000, argon_energy).high - H > 500,
       "... explicit Euler, 0.5 fs: useless");
}

/* --- Henon-Heiles, rigid body, Lorenz, Airy ---------------------------------------------------------------------- */

/* Crossings of q1 = 0 upwards. */
static int see_cuts(const lbr_view *v, void *ctx)
{
    double *s = ctx;

    s[0] += s[1] < 0 && v->y[0] >= 0;
    s[1] = v->y[0];
    return 0;
}

static problem hh_at(double H)
{
    problem p = henon_heiles();

    p.y[2] = sqrt(2 * H - 0.25 * 0.25 + 2 * 0.25 * 0.25 * 0.25 / 3 - 0.16 * 0.16);
    return p;
}

static void henon(void)
{
    static const double T[] = { 25, 50, 100, 200, 400 };
    static const char *const ee[] = { "1.4e-2", "4.7e-2", "0.196", "0.57", "0.81" }, *const se[] = { "4.0e-4", "8.5e-4",
                                                                                                     "1.7e-3", "3.4e-3",
                                                                                                     "7.0e-3" };
    static const char *const sv[] = { "4.e-5", "8.e-5", "1.5e-4", "3.e-4", "6.2e-4" }, *const chaos[] = {
        "3.8e-5", "1.8e-4", "1.7e-3", "1.9e-2", "1.1"
    };
    problem p = hh_at(1.0 / 12), q = hh_at(1.0 / 8);
    lbr_plan *plan = plan_of(&p, "yoshida-6-7", NULL);
    double y[4], H, H0, cuts[2] = { 0, 0 };

    problem_run(&p, "explicit-euler", NULL, 1e-3, 400000, y);
    hh_energy(0, p.y, &H0, NULL), hh_energy(0, y, &H, NULL);
    printed(H - H0, "0.0402", "HLW Fig. I.3.3, Henon-Heiles, explicit Euler, h = 0.001: growth of H until 400");
    for (int i = 0; i < 5; i++) {
        printed(global_error(&p, "explicit-euler", 1e-3, T[i], 0.1, 1), ee[i],
                "HLW Fig. I.3.4, H = 1/12, explicit Euler, h = 0.001: error until %g", T[i]);
        printed(global_error(&p, "symplectic-euler", 1e-3, T[i], 0.1, 1), se[i], "... symplectic Euler, h = 0.001");
        printed(global_error(&p, "stormer-verlet", 1e-2, T[i], 0.1, 1), sv[i], "... Verlet, h = 0.01");
        printed(global_error(&q, "stormer-verlet", 1e-2, T[i], 0.1, 1), chaos[i], "... H = 1/8, chaos");
    }
    lbr_start(plan, 0, 0.2, p.y);
    lbr_run(plan, 1500000, 1, see_cuts, cuts);
    ok(cuts[0] == 46865, "HLW Fig. I.3.2: 46865 cuts until 300000 (%.0f)", cuts[0]);
    lbr_plan_free(plan);
}

static void body(void)
{
    static const char *const want[3] = { "0.22194337", "0.55944719", "0.79859876" };
    problem p = rigid_body();
    double y[3], H;
    range r;

    p.y[0] = cos(1.1), p.y[1] = 0, p.y[2] = sin(1.1);
    problem_run(&p, "midpoint", NULL, 0.3, 30, y);
    for (int i = 0; i < 3; i++)
        printed(y[i], want[i], "HLW Fig. IV.1.1, rigid body, midpoint, h = 0.3, 30 steps: y%d", i + 1);
    problem_run(&p, "explicit-euler", NULL, 0.05, 320, y), body_energy(0, y, &H, NULL);
    printed(H, "0.690760", "... explicit Euler, h = 0.05, 320 steps: H"),
        printed(sqrt(y[0] * y[0] + y[1] * y[1] + y[2] * y[2]), "1.04955", "... |y|");
    p.y[0] = cos(0.9), p.y[2] = sin(0.9);
    r = range_of(&p, "trapezoidal", NULL, 1, 5000, square);
    printed(r.high, "1.04719", "HLW Fig. V.4.2, rigid body, trapezoidal rule, h = 1, 5000 steps: |y|^2 at most"),
        printed(r.low, "1.00000", "... at least");
    r = range_of(&p, "trapezoidal", NULL, 1, 5000, body_energy);
    printed(r.low, "0.55680", "... H at least"), printed(r.high, "0.58342", "... at most");
}

static const double lorenz_b = 8.0 / 3;
static int lorenz_field(double t, const double *y, double *f, void *ctx)
{
    return (void)t, (void)ctx, f[0] = 10 * (y[1] - y[0]), f[1] = (28 - y[2]) * y[0] - y[1],
                               f[2] = y[0] * y[1] - lorenz_b * y[2], 0;
}

/* HLW V.6.3: (I - h/2 f'(y)) (y1 - y) = h f(y), by elimination without pivoting; symmetric. */
static int lorenz_map(double t, double h, double *y, void *ctx)
{
    double f[3], A[3][3] = { { 1 + 5 * h, -5 * h, 0 },
                             { -h / 2 * (28 - y[2]), 1 + h / 2, h / 2 * y[0] },
                             { -h / 2 * y[1], -h / 2 * y[0], 1 + h / 2 * lorenz_b } };

    lorenz_field(t, y, f, ctx);
    for (int i = 0; i < 3; i++)
        for (int r = 0; r < 3; r++) {
            double q = r == i ? 0 : A[r][i] / A[i][i];

            for (int j = i; j < 3; j++) A[r][j] -= q * A[i][j];
            f[r] -= q * f[i];
        }
    for (int i = 0; i < 3; i++) y[i] += h * f[i] / A[i][i];
    return 0;
}

/* N evaluations, each a step of a map of the system's own. */
static void lorenz(void)
{
    static const lbr_map_def map[] = { { sizeof(lbr_map_def), "polarised", lorenz_map, lorenz_map, NULL, 2, 1, 0 } };
    static const double exact[3] = { 8.635692709892506018, 2.798663387927457052, 33.36063508973142158 };
    static const struct {
        const char *table;
        int stages;
        const char *error[3];
    } row[] = {
        { "yoshida-6-7", 7, { "2.68e-5", "4.20e-7", "6.63e-9" } },
        { "kahan-li-6-9", 9, { "1.38e-5", "2.25e-7", "3.52e-9" } },
        { "suzuki-yoshida-8-15", 15, { "7.88e-6", "3.52e-8", "1.55e-10" } },
        { "kahan-li-8-17", 17, { "3.35e-6", "1.34e-8", "5.4e-11" } },
        { "sofroniou-spaletta-10-35", 35, { "3.85e-6", "4.03e-9", "5.e-12" } },
    };
    problem p = { LBR_SYSTEM(.name = "lorenz", .dim = 3, .field = lorenz_field, .maps = map, .nmaps = 1),
                  .y = { 10, -20, 20 } };

    for (int i = 0; i < 5; i++)
        for (int k = 0; k < 3; k++) {
            int N = 500 << k;
            char name[64];

            snprintf(name, sizeof name, "compose(%s, polarised)", row[i].table);
            printed(error_after(&p, name, NULL, 1, (N + row[i].stages / 2) / row[i].stages, exact), row[i].error[k],
                    "HLW Fig. V.6.1, Lorenz, %s, %d steps of the map", row[i].table, N);
        }
}

static int airy_field(double t, const double *y, double *f, void *ctx)
{
    return (void)ctx, f[0] = y[1], f[1] = -t * y[0], 0;
}

static void airy(void)
{
    static const double h[] = { 0.2, 0.1, 0.05, 0.025, 0.0125 };
    static const char *const g[] = { "2.3e-1", "2.2e-2", "2.6e-3", "1.7e-4", "1.1e-5" }, *const rk[] = {
        "2.7e-1", "2.6e-1", "1.9e-3", "5.4e-4", "4.9e-5"
    };
    problem p = { LBR_SYSTEM(.name = "airy", .dim = 2, .field = airy_field), .y = { 1, 0 } };
    double y[2], exact[2];

    reference(&p, 100, 2000, exact);
    printed(exact[0], "0.26866599", "HLW Ex. IV.15, y'' + t y = 0: y(100)"),
        printed(exact[1], "-1.09600403", "... y'(100)");
    for (int i = 0; i < 5; i++) {
        problem_run(&p, "gauss:2", NULL, h[i], (int64_t)(100 / h[i] + 0.5), y);
        printed(fabs(y[0] - exact[0]), g[i], "HLW Ex. IV.15, Gauss of order 4, h = %g: error of y(100)", h[i]);
        problem_run(&p, "rk4", NULL, h[i], (int64_t)(100 / h[i] + 0.5), y);
        printed(fabs(y[0] - exact[0]), rk[i], "... RK4");
    }
}

int main(void)
{
    solar_energies();
    solar_places();
    kepler_runs();
    kepler_compositions();
    kepler_gauss();
    lotka();
    pendulums();
    riccati_steps();
    chains();
    argon();
    henon();
    body();
    lorenz();
    airy();
    return tap_done();
}
