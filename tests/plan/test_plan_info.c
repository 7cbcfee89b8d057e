/* test_plan_info.c - what a plan tells of its method: tables of the user's, maps of the system, and what its name does
 * not say. SPDX-License-Identifier: BSD-3-Clause */
#include "support/tap.h"
#include "support/problems.h"

#include <fenv.h>
#include <string.h>

enum { SAID = 512 };
#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

/* --- a system with parts, and maps of its own -------------------------------------------------------------------- */

static int drift(double t, double h, double *y, void *ctx)
{
    return (void)t, (void)ctx, y[0] += h * y[2], y[1] += h * y[3], 0;
}

static int kick(double t, double h, double *y, void *ctx)
{
    double f[2];

    hh_force(t, y, f, ctx);
    return y[2] += h * f[0], y[3] += h * f[1], 0;
}

static int kick_drift(double t, double h, double *y, void *ctx) { return kick(t, h, y, ctx) || drift(t, h, y, ctx); }
static int drift_kick(double t, double h, double *y, void *ctx) { return drift(t, h, y, ctx) || kick(t, h, y, ctx); }
static int verlet(double t, double h, double *y, void *ctx)
{
    return kick(t, h / 2, y, ctx) || drift(t, h, y, ctx) || kick(t, h / 2, y, ctx);
}

static const lbr_part part[] = { { sizeof *part, "T", drift, NULL, NULL, NULL, NULL, NULL },
                                 { sizeof *part, "V", kick, NULL, NULL, NULL, NULL, NULL } };
static const lbr_parts parts = { sizeof parts, 2, part, 0 };
static const lbr_map_def map[] = { { sizeof *map, "first", kick_drift, drift_kick, NULL, 1, 0, 1 },
                                   { sizeof *map, "second", verlet, verlet, NULL, 2, 1, 1 },
                                   { sizeof *map, "silent", verlet, verlet, NULL, 0, 0, 0 } };

/* --- tables of the user's ---------------------------------------------------------------------------------------- */

#define LIST(name, ...) static const char *const name[] = { __VA_ARGS__ }
#define TEXTS(name)       \
    {                     \
        COUNT(name), name \
    }
LIST(jump, "1.3512071919596578", "-1.7024143839193153", "1.3512071919596578");
LIST(heun_A, "0", "0", "1", "0");
LIST(heun_b, "1/2", "1/2");
LIST(kicks, "0", "0.5", "0.5", "0");
static const lbr_method table[] = {
    { .size = sizeof *table, .name = "jump", .form = "composition", .b = TEXTS(jump), .digits = 16 },
    { .size = sizeof *table,
      .name = "own-heun",
      .form = "runge-kutta",
      .A = TEXTS(heun_A),
      .b = TEXTS(heun_b),
      .order = 7 },
    { .size = sizeof *table,
      .name = "drifts",
      .form = "partitioned",
      .b = TEXTS(kicks),
      .family = "mine",
      .source = "a letter",
      .about = "leapfrog" }
};

static problem with_all(void)
{
    problem p = henon_heiles();

    p.system.parts = &parts, p.system.maps = map, p.system.nmaps = COUNT(map);
    return p;
}

static void options(lbr_options *o) { lbr_options_init(o), o->methods = table, o->nmethods = COUNT(table); }

/* How the error falls when the step is halved. */
static double slope(const problem *p, const char *method, const lbr_options *o)
{
    double exact[PROBLEM_DIM], y[PROBLEM_DIM], error[2] = { 0 };

    if (problem_run(p, "gauss:6", NULL, 1.0 / 64, 64, exact)) return NAN;
    for (int k = 0; k < 2; k++) {
        if (problem_run(p, method, o, (k ? 0.5 : 1) / 16, k ? 32 : 16, y)) return NAN;
        for (int i = 0; i < p->system.dim; i++) error[k] += fabs(y[i] - exact[i]);
    }
    return log2(error[0] / error[1]);
}

/* --- what is told ------------------------------------------------------------------------------------------------ */

static const struct {
    const char *text;
    int order, stages, symmetric, symplectic, measured;
    const char *note;
} row[] = {
    { "jump", 4, 3, 1, 1, 1, "" },
    { "own-heun", 2, 2, 0, 0, 1, "" },
    { "drifts", 2, 1, 1, 1, 1, "" },
    { "compose(jump, midpoint)", 4, 3, 1, 1, 1, "" },
    { "compose(jump, own-heun)", 3, 3, 0, 0, 1, "order 3|'jump' has order 4|'own-heun' is not symmetric" },
    { "compose(jump, first)", 1, 3, 0, 1, 1, "order 1|'jump' has order 4|'first'" },
    { "compose(jump, second)", 4, 3, 1, 1, 1, "" },
    { "first", 1, 1, 0, 1, 1, "" },
    { "adjoint(first)", 1, 1, 0, 1, 1, "" },
    { "second", 2, 1, 1, 1, 1, "" },
    { "compose(strang, first)", 2, 2, 1, 1, 1, "" },
    { "compose(yoshida-6-7, explicit-euler)", 1, 7, 0, 0, 1,
      "order 1|'yoshida-6-7' has order 6|'explicit-euler' is not symmetric" },
    { "compose(yoshida-6-7, stormer-verlet)", 6, 14, 1, 1, 0, "" },
    { "compose(yoshida-6-7, symplectic-euler)", 1, 7, 0, 1, 1, "order 1|'symplectic-euler'" },
    { "compose(yoshida-6-7, adjoint(symplectic-euler))", 1, 7, 0, 1, 1, "'adjoint(symplectic-euler)'" },
    { "adjoint(compose(yoshida-6-7, explicit-euler))", 1, 7, 0, 0, 1, "order 1" },
    { "compose(yoshida-6-7, gauss:3)", 6, 7, 1, 1, 0, "" },
    { "compose(yoshida-6-7, rk4)", 5, 7, 0, 0, 0, "order 5" },
    { "compose(suzuki:4, compose(suzuki:4, stormer-verlet))", 4, 50, 1, 1, 1, "" },
    { "compose(suzuki:4, rk4)", 4, 5, 0, 0, 0, "" },
    { "compose(strang, explicit-euler)", 2, 2, 1, 0, 1, "" },
    { "gauss:2", 4, 2, 1, 1, 1, "" },
    { "rk4", 4, 4, 0, 0, 1, "" },
    { "process(trapezoidal, scale(1/2, explicit-euler))", 2, 1, 1, 1, 1, "" },
    { "process(trapezoidal, scale(-1/2, explicit-euler))", 2, 1, 1, 1, 1, "" },
    { "process(rk4, scale(1/10, midpoint))", 3, 1, 0, 0, 0, "" },
    { "process(rk4, scale(2, explicit-euler))", 2, 1, 0, 0, 1, "" },
    { "process(midpoint, scale(1/3, gauss:2))", 2, 1, 0, 1, 1, "" },
    { "split(strang)", 2, 2, 1, 1, 1, "" },
    { "split(strang, V, T)", 2, 2, 1, 1, 1, "" },
    { "split(strang, T)", 0, 2, 1, 1, 0, "leaves out part 'V' of system 'henon-heiles'|another field|every part" },
    { "split(strang, T, T, V)", 0, 2, 1, 1, 0, "part 'T'|through 2 of a step" },
    { "project(standard, split(strang, V), H)", 0, 2, 0, 0, 0, "leaves out part 'T'" },
    { "compose(suzuki:4, split(strang, T))", 0, 10, 1, 1, 0, "leaves out part 'V'" },
    { "process(split(lie-trotter, T, V), scale(1/2, split(lie-trotter, T)))", 2, 1, 1, 1, 0, "" },
};

static int has(const char *text, const char *parts_of)
{
    char one[128];
    size_t n;

    for (; (n = strcspn(parts_of, "|")) > 0; parts_of += n + (parts_of[n] == '|')) {
        snprintf(one, sizeof one, "%.*s", (int)n, parts_of);
        if (!strstr(text, one)) return 0;
    }
    return 1;
}

static void tell(const problem *p, const lbr_options *o, int i)
{
    const lbr_method_info *info = NULL;
    lbr_plan *plan;
    lbr_status status = lbr_plan_create(&plan, row[i].text, &p->system, o),
               told = status ? status : lbr_plan_info(&info, plan);

    if (!ok(!told && info->order == row[i].order && info->stages == row[i].stages &&
                !info->symmetric == !row[i].symmetric && !info->symplectic == !row[i].symplectic,
            "%s: order %d", row[i].text, row[i].order))
        printf("# %s; order %d, stages %d, symmetric %d, symplectic %d\n",
               told ? info ? info->message : lbr_plan_message(plan) : "", told ? -1 : info->order,
               told ? -1 : info->stages, told ? -1 : info->symmetric, told ? -1 : info->symplectic);
    ok(!told && !*info->note == !*row[i].note && has(info->note, row[i].note) &&
           !strcmp(info->name, lbr_plan_method(plan)),
       "with this note: %s", told ? "" : info->note);
    if (row[i].measured) near(slope(p, row[i].text, o), row[i].order, 0.35, "and that is how its error falls");
    lbr_method_free(info);
    lbr_plan_free(plan);
}

/* The same of an expression without a system. */
static void described(void)
{
    const lbr_method_info *info;

    ok(!lbr_method_describe(&info, "compose(yoshida-6-7, explicit-euler)") && info->order == 1 &&
           has(info->note, "order 1|order 6"),
       "a description has the note too");
    lbr_method_free(info);
    ok(!lbr_method_describe(&info, "kahan-li-8-17") && info->note && !*info->note,
       "a method of the catalogue has none");
    lbr_method_free(info);
}

static void texts(const problem *p, const lbr_options *o)
{
    const lbr_method_info *info;
    lbr_plan *plan;

    lbr_plan_create(&plan, "drifts", &p->system, o);
    ok(!lbr_plan_info(&info, plan) && !strcmp(info->family, "mine") && !strcmp(info->source, "a letter") &&
           !strcmp(info->about, "leapfrog"),
       "what a table says of itself");
    lbr_method_free(info), lbr_plan_free(plan);
    lbr_plan_create(&plan, "jump", &p->system, o);
    ok(!lbr_plan_info(&info, plan) && *info->family && !*info->source && *info->about,
       "or does not say, and its coefficients");
    ok(info->nlists == 1 && info->lists[0].list.n == 3 && !strcmp(info->lists[0].list.text[0], jump[0]),
       "and its coefficients");
    lbr_method_free(info), lbr_plan_free(plan);
    lbr_plan_create(&plan, "first", &p->system, o);
    ok(!lbr_plan_info(&info, plan) && !strcmp(info->needs, "map") && !strcmp(info->explicitness, "always"),
       "a map of the system");
    lbr_method_free(info), lbr_plan_free(plan);
}

/* --- what cannot be told ----------------------------------------------------------------------------------------- */

/* The status of lbr_plan_info of a method, and what it says. */
static lbr_status refused(const problem *p, const lbr_options *o, const char *method, char said[SAID])
{
    const lbr_method_info *info = NULL;
    lbr_plan *plan;
    lbr_status status;

    lbr_plan_create(&plan, method, &p->system, o);
    status = lbr_plan_info(&info, plan);
    snprintf(said, SAID, "%s", info ? info->message : "");
    lbr_method_free(info), lbr_plan_free(plan);
    return status;
}

static void refusals(const problem *p, const lbr_options *o)
{
    const lbr_method_info *info = NULL;
    char said[SAID];

    ok(refused(p, o, "compose(strang, silent)", said) == LBR_EUNFIT && has(said, "'silent'|promises no order"),
       "a map that promises nothing: %s", said);
    ok(refused(p, o, "nothing", said) == LBR_EARG && strchr(said, ' '), "a plan that was not made: %s", said);
    ok(lbr_plan_info(&info, NULL) == LBR_EARG && lbr_plan_info(NULL, NULL) == LBR_EARG,
       "no plan, and nowhere to put it");
    lbr_method_free(info);
}

/* --- rounding ---------------------------------------------------------------------------------------------------- */

static void rounding(const problem *p)
{
    static const int mode[] = { FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO, FE_TONEAREST };

    const volatile double tiny = 0x1p-60;

    for (int i = 0; i < COUNT(mode); i++) {
        char said[SAID];
        lbr_plan *plan;
        lbr_status status;
        int refused_it, turned;

        fesetround(mode[i]);
        turned = mode[i] == FE_TONEAREST || tiny + 1.0 != 1.0 - tiny || 1.0 + tiny != 1.0 || 1.0 - tiny != 1.0;
        status = lbr_plan_create(&plan, "stormer-verlet", &p->system, NULL);
        fesetround(FE_TONEAREST);
        snprintf(said, sizeof said, "%s", lbr_plan_message(plan)),
            refused_it = status == LBR_EARG && strstr(said, "rounding to nearest");
        lbr_plan_free(plan);
        if (!turned) ok(1, "rounding mode %d # SKIP the processor does not take it (valgrind's does not)", i);
        else ok(mode[i] == FE_TONEAREST ? !status : refused_it, "rounding mode %d: %s", i, said);
    }
}

int main(void)
{
    problem p = with_all();
    lbr_options o;

    options(&o);
    for (int i = 0; i < COUNT(row); i++) tell(&p, &o, i);
    described(), texts(&p, &o), refusals(&p, &o), rounding(&p);
    return tap_done();
}
