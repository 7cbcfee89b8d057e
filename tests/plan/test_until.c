/* test_until.c - runs that end at a time or at a section: where that is known. SPDX-License-Identifier: BSD-3-Clause */
#include <libration.h>
#include "support/tap.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/* q'' = -q; the exact flow as a map of its own. */
static int force(double t, const double *q, double *out, void *ctx) { return *out = -*q, 0; }
static int turn(double t, double h, double *y, void *ctx)
{
    double q = y[0], p = y[1];

    y[0] = cos(h) * q + sin(h) * p, y[1] = cos(h) * p - sin(h) * q;
    return 0;
}
static const double one = 1;
static const lbr_map_def exact = { .size = sizeof exact,
                                   .name = "turn",
                                   .map = turn,
                                   .adjoint = turn,
                                   .order = 100,
                                   .symmetric = 1,
                                   .symplectic = 1 };

static int at_zero(double t, const double *y, double *out, void *ctx) { return *out = y[0] - *(double *)ctx, 0; }
static int rising(double t, const double *y, double *out, void *ctx) { return *out = y[1] > 0, 0; }
static int pole(double t, const double *y, double *out, void *ctx) { return *out = 1 / y[0], 0; }
static int missing(double t, const double *y, double *out, void *ctx) { return *out = y[0] < 0.5 ? NAN : 1, 0; }
static int fails(double t, const double *y, double *out, void *ctx) { return 1; }
static int square(double t, const double *y, double *out, void *ctx) { return *out = y[1] * y[1], 0; }

static lbr_plan *plan_of(const char *method, double h)
{
    static lbr_system s;
    lbr_plan *p;
    const double y[] = { 1, 0 };

    s = LBR_SYSTEM(.dim = 2, .nq = 1, .force = force, .inverse_mass = &one, .maps = &exact, .nmaps = 1);
    if (lbr_plan_create(&p, method, &s, NULL) || lbr_start(p, 0, h, y)) printf("# %s\n", lbr_plan_message(p));
    return p;
}

static void times(void)
{
    lbr_plan *p = plan_of("turn", 0.1);
    double t = 0, h = 0.3, y[2];
    int64_t n;

    ok(!lbr_run_to(p, 2, 0, NULL, NULL) && !lbr_read(p, &t, y), "a run to a time");
    near(t, 2, 1e-15, "ends there");
    ok(!lbr_run_to(p, 2.34, 0, NULL, NULL) && !lbr_read(p, &t, y), "a time that the step does not divide");
    near(t, 2.3, 1e-15, "is not passed");
    ok(!lbr_run_to(p, 2.35, 0, NULL, NULL) && !lbr_read(p, &t, y) && lbr_state_count(lbr_plan_state(p)) == 23,
       "less than a step is no step");
    ok(lbr_run_to(p, 2, 0, NULL, NULL) == LBR_EARG && strstr(lbr_plan_message(p), "lies behind"),
       "the past is refused");
    ok(lbr_run_to(p, NAN, 0, NULL, NULL) == LBR_EARG, "no number is no time");
    ok(lbr_run_to(p, 1e300, 0, NULL, NULL) == LBR_EARG && strstr(lbr_plan_message(p), "number of steps"),
       "too many steps are refused");
    ok(!lbr_read(p, &t, NULL) && fabs(t - 2.3) < 1e-15, "what is refused changes nothing");
    ok(!lbr_divide_time(1, &h, &n) && n == 4 && h == 0.25, "0.3 becomes 0.25 where it must divide 1");
    h = -0.25;
    ok(!lbr_divide_time(-1, &h, &n) && n == 4 && h == -0.25, "one that divides stays, backwards too");
    ok(lbr_divide_time(1, &h, &n) == LBR_EARG, "not the other way");
    h = 0;
    ok(lbr_divide_time(1, &h, &n) == LBR_EARG, "no step divides nothing");
    h = 1e-300;
    ok(lbr_divide_time(1, &h, &n) == LBR_EARG, "nor does one that is too small");
    h = 1;
    ok(lbr_divide_time(0x1p53, &h, &n) == LBR_EARG && h == 1, "2^53 steps are too many");
    ok(!lbr_divide_time(0x1p53 - 1, &h, &n) && n == (INT64_C(1) << 53) - 1, "one less is not");
    lbr_plan_free(p);
}

static void crossings(void)
{
    double zero = 0, half = 0.5, t = 0, y[2];
    lbr_section any = { .size = sizeof any, .name = "any", .surface = at_zero, .ctx = &zero }, up = any, level = any;
    lbr_plan *p = plan_of("turn", 0.1);

    up.holds = rising, level.ctx = &half;
    for (int k = 0; k < 5; k++) {
        ok(lbr_run_until(p, &any, 100, &t, y) == LBR_STOPPED, "crossing %d is found", k + 1);
        near(t, (k + 0.5) * pi, 1e-14, "where cos(t) = 0");
        ok(fabs(y[0]) < 1e-15 && fabs(fabs(y[1]) - 1) < 1e-14, "with the state there");
    }
    ok(lbr_run_until(p, &up, 100, &t, y) == LBR_STOPPED && fabs(t - 5.5 * pi) < 1e-14 && y[1] > 0, "a condition");
    ok(lbr_run_until(p, &up, 100, &t, y) == LBR_STOPPED && fabs(t - 7.5 * pi) < 1e-14, "passes over others");
    ok(lbr_run_until(p, &level, 100, &t, NULL) == LBR_STOPPED && fabs(t - (8 * pi - pi / 3)) < 1e-14, "another level");
    ok(lbr_run_until(p, &any, 3, NULL, NULL) == LBR_OK, "none within three steps");
    near((double)lbr_state_count(lbr_plan_state(p)), floor((8 * pi - pi / 3) / 0.1) + 1 + 3, 0,
         "and the steps are taken");
    lbr_plan_free(p);
}

/* On the method's own curve: leapfrog's frequency is not 1. */
static void own_curve(void)
{
    double zero = 0, h = 0.2, t = 0;
    lbr_section any = { .size = sizeof any, .surface = at_zero, .ctx = &zero };
    lbr_plan *p = plan_of("stormer-verlet", h);

    ok(lbr_run_until(p, &any, 100, &t, NULL) == LBR_STOPPED && fabs(t - pi / 2) > 1e-3, "not where the solution is");
    near(t, pi / 4 / asin(h / 2) * h, 5e-4, "but where the method is");
    lbr_plan_free(p);
}

/* The first calls are well. */
static int later(double t, const double *y, double *g, void *ctx) { return *g = 1, (*(int *)ctx)++ > 3; }

static void no_events(void)
{
    double zero = 0, one_ = 1, t;
    int calls = 0;
    lbr_section s = { .size = sizeof s, .name = "s", .surface = pole, .ctx = &zero }, begin = s, touch = s;
    lbr_plan *p = plan_of("turn", 0.1);

    ok(lbr_run_until(p, &s, 100, &t, NULL) == LBR_OK, "a pole is no crossing");
    begin.surface = at_zero, begin.ctx = &one_, touch.surface = square;
    lbr_plan_free(p), p = plan_of("turn", 2 * pi / 64);
    ok(lbr_run_until(p, &begin, 60, &t, NULL) == LBR_OK, "nor is the start");
    ok(lbr_run_until(p, &touch, 200, &t, NULL) == LBR_OK, "nor what is only touched");
    s.surface = missing;
    ok(lbr_run_until(p, &s, 100, &t, NULL) == LBR_ENONFINITE && strstr(lbr_plan_message(p), "'s'"),
       "a surface without a value is an error that names it");
    s.surface = fails;
    ok(lbr_run_until(p, &s, 100, &t, NULL) == LBR_ECALLBACK && strstr(lbr_plan_message(p), "'s' reports a failure"),
       "one whose function fails: %s", lbr_plan_message(p));
    s.surface = later, s.ctx = &calls;
    ok(lbr_run_until(p, &s, 100, &t, NULL) == LBR_ECALLBACK && strstr(lbr_plan_message(p), "reports a failure"),
       "also on the way: %s", lbr_plan_message(p));
    s.surface = at_zero, s.ctx = &zero, s.holds = fails;
    ok(lbr_run_until(p, &s, 100, &t, NULL) == LBR_ECALLBACK && strstr(lbr_plan_message(p), "conditions"),
       "conditions without a value too");
    s.surface = NULL;
    ok(lbr_run_until(p, &s, 100, &t, NULL) == LBR_EARG && lbr_run_until(p, NULL, 1, &t, NULL) == LBR_EARG &&
           lbr_run_until(NULL, &begin, 1, &t, NULL) == LBR_EARG,
       "nothing is refused");
    begin.size = 8;
    ok(lbr_run_until(p, &begin, 1, &t, NULL) == LBR_EARG, "and so is less than a section");
    lbr_plan_free(p);
}

/* A free particle whose steps land on the surface; times that are large beside the step. */
static int none(double t, const double *q, double *out, void *ctx) { return *out = 0, 0; }

static void landings(void)
{
    lbr_system s = LBR_SYSTEM(.dim = 2, .nq = 1, .force = none, .inverse_mass = &one);
    double zero = 0, y[] = { -1, 1 }, t = 0, again = 0, h = 1e10;
    lbr_section at = { .size = sizeof at, .surface = at_zero, .ctx = &zero };
    int wrong = 0, found = 0;
    int64_t n = 0;
    lbr_plan *p;

    ok(!lbr_plan_create(&p, "stormer-verlet", &s, NULL) && !lbr_start(p, 0, 0.25, y), "a free particle");
    ok(lbr_run_until(p, &at, 4, &t, NULL) == LBR_STOPPED && t == 1, "a call that ends on the surface has crossed it");
    ok(lbr_run_until(p, &at, 100, &again, NULL) == LBR_OK, "and the next one does not cross it again");
    lbr_start(p, 0, 0.25, y);
    for (int k = 0; k < 20; k++) found += lbr_run_until(p, &at, 1, &t, NULL) == LBR_STOPPED;
    ok(found == 1 && t == 1, "step by step: once (%d)", found);
    for (int k = 1; k < 2000; k++) {
        lbr_start(p, 1e7, 0.1, y), lbr_run(p, k, 0, NULL, NULL), lbr_read(p, &t, NULL);
        lbr_start(p, 1e7, 0.1, y), lbr_run_to(p, t, 0, NULL, NULL);
        wrong += lbr_state_count(lbr_plan_state(p)) != k;
        lbr_run_to(p, t, 0, NULL, NULL), lbr_read(p, &again, NULL);
        wrong += again != t;
    }
    ok(!wrong, "a time that was read leads back to its step, and stays there (%d)", wrong);
    lbr_start(p, 0, 0.1, y), lbr_run(p, 10, 0, NULL, NULL);
    ok(lbr_run_to(p, 0.95, 0, NULL, NULL) == LBR_EARG, "half a step behind is behind");
    ok(!lbr_divide_time(1, &h, &n) && n == 1 && h == 1, "a step that is far too large becomes one");
    lbr_plan_free(p);
}

int main(void)
{
    landings();
    times();
    crossings();
    own_curve();
    no_events();
    return tap_done();
}
