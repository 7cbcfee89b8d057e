/* test_iteration.c - when an iteration is at its end: the rule that all of them share (solve/iteration.h).
 * SPDX-License-Identifier: BSD-3-Clause */
#include "solve/iteration.h"
#include "solve/solve.h"
#include "support/tap.h"

#define COUNT(x) ((int)(sizeof(x) / sizeof *(x)))

/* The verdict on the last of n measures, all before being told to go on. */
static int verdict(lbr_iteration i, const double *x, int n)
{
    for (int k = 0; k + 1 < n; k++)
        if (lbr_iteration_next(&i, x[k]) != LBR_GOES_ON) return -1;
    return (int)lbr_iteration_next(&i, x[n - 1]);
}

typedef struct row {
    const char *what;
    double x[6];
    int n, verdict;
} row;

static void rows(lbr_iteration begin, const row *r, int n)
{
    for (int k = 0; k < n; k++) {
        int v = verdict(begin, r[k].x, r[k].n);

        if (!ok(v == r[k].verdict, "%s", r[k].what)) printf("# verdict %d instead of %d\n", v, r[k].verdict);
    }
}

static void increments(void)
{
    static const row all[] = {
        { "the first increment is no end, however small", { 1e-300 }, 1, LBR_GOES_ON },
        { "one that is zero is, the first time, too", { 0 }, 1, LBR_IS_SETTLED },
        { "increments that shrink go on, however small", { 1e-3, 1e-8, 1e-15, 1e-19 }, 4, LBR_GOES_ON },
        { "one halt is not the end", { 1e-3, 1e-15, 2e-15 }, 3, LBR_GOES_ON },
        { "small ones that grow are, the second time", { 1e-3, 1e-16, 2e-16, 3e-16 }, 4, LBR_IS_SETTLED },
        { "and so are small ones that stay", { 1e-3, 1e-15, 1e-15, 1e-15 }, 4, LBR_IS_SETTLED },
        { "and those that go up and down", { 1e-3, 1e-15, 2e-15, 1.5e-15 }, 4, LBR_IS_SETTLED },
        { "not those that come down every second time", { 4e-14, 8e-14, 2e-14, 4e-14, 1e-14, 2e-14 }, 6, LBR_GOES_ON },
        { "nor is an accident in the beginning the end", { 1e-16, 1e-3, 1e-10, 1e-14 }, 4, LBR_GOES_ON },
        { "above LBR_EXACT two halts are not enough", { 1e-3, 1e-14, 1e-14, 1e-14 }, 4, LBR_GOES_ON },
        { "but LBR_PATIENCE are", { 1e-14, 1e-14, 1e-14, 1e-14, 1e-14 }, 5, LBR_IS_SETTLED },
        { "exactly LBR_NOISE is small", { LBR_NOISE, LBR_NOISE, LBR_NOISE, LBR_NOISE, LBR_NOISE }, 5, LBR_IS_SETTLED },
        { "a little more is not",
          { LBR_NOISE, LBR_NOISE, LBR_NOISE, LBR_NOISE, LBR_NOISE * (1 + 0x1p-52) },
          5,
          LBR_STALLS },
        { "large ones that grow go on", { 1e-3, 1e-2, 1 }, 3, LBR_GOES_ON },
        { "up to LBR_FAR", { 1, LBR_FAR * (1 - 0x1p-52) }, 2, LBR_GOES_ON },
        { "LBR_FAR itself runs away", { 1, LBR_FAR }, 2, LBR_RUNS_AWAY },
        { "and so does infinity, the first time, too", { INFINITY }, 1, LBR_RUNS_AWAY },
        { "NaN runs away", { 1, NAN }, 2, LBR_RUNS_AWAY },
    };

    rows(lbr_increments_begin(), all, COUNT(all));
}

static void newton(void)
{
    static const row all[] = {
        { "Newton: the first increment is no end", { 1e-300 }, 1, LBR_GOES_ON },
        { "one that is zero is", { 0 }, 1, LBR_IS_SETTLED },
        { "small ones that grow are the end at once", { 1e-3, 1e-15, 2e-15 }, 3, LBR_IS_SETTLED },
        { "and so are small ones that stay", { 1e-3, 1e-15, 1e-15 }, 3, LBR_IS_SETTLED },
        { "those that shrink are not", { 1e-3, 1e-15, 1e-19 }, 3, LBR_GOES_ON },
    };

    rows(lbr_newton_begin(), all, COUNT(all));
}

static void residuals(void)
{
    static const row all[] = {
        { "a residual of LBR_FINE is the end, the first time, too", { LBR_FINE }, 1, LBR_IS_SETTLED },
        { "a little more is not", { LBR_FINE * (1 + 0x1p-52) }, 1, LBR_GOES_ON },
        { "residuals that no longer shrink are the end up to LBR_POOR",
          { 1e9, LBR_POOR, LBR_POOR },
          3,
          LBR_IS_SETTLED },
        { "beyond they are not", { 1e9, LBR_POOR, LBR_POOR + 1 }, 3, LBR_GOES_ON },
        { "those that shrink are not either", { 1e9, 900, 5 }, 3, LBR_GOES_ON },
        { "they run away like increments", { 1e9, 1e61 }, 2, LBR_RUNS_AWAY },
        { "NaN is no residual that is solved", { 1e9, NAN }, 2, LBR_RUNS_AWAY },
    };

    rows(lbr_residuals_begin(), all, COUNT(all));
}

/* Who needs another rule changes its numbers. */
static void other_rules(void)
{
    static const row any[] = { { "small is infinite: whatever grows is the end", { 1, 2, 3, 4, 5 }, 5, LBR_IS_SETTLED },
                               { "but NaN", { 1, NAN }, 2, LBR_RUNS_AWAY } },
                     near_by[] = { { "far is 1000: it runs away earlier", { 1, 1000 }, 2, LBR_RUNS_AWAY } };
    lbr_iteration i = lbr_increments_begin();

    i.small = INFINITY;
    rows(i, any, COUNT(any));
    i = lbr_increments_begin(), i.far = 1000;
    rows(i, near_by, COUNT(near_by));
}

/* How many iterations pass until a stall is told, each factor times the one before. */
static int stalls_after(double factor, int most)
{
    lbr_iteration i = lbr_increments_begin();
    double x = 1e-6;

    for (int k = 0; k < most; k++, x *= factor)
        if (lbr_iteration_next(&i, x) == LBR_STALLS) return k;
    return -1;
}

static void stalls(void)
{
    lbr_iteration i = lbr_increments_begin();
    int told = 0;

    ok(stalls_after(1, 20) == LBR_PATIENCE, "increments that stay are a stall after LBR_PATIENCE iterations");
    ok(stalls_after(1.5, 20) == LBR_PATIENCE, "and so are those that grow");
    ok(stalls_after(0.9, 100) == -1, "those that shrink by a tenth are none");
    ok(stalls_after(0.999, 100) == LBR_PATIENCE, "those that creep are one");
    ok(stalls_after(0.997, 100) == -1, "but not if they come down by a hundredth in LBR_PATIENCE iterations");
    for (int k = 0; k < 40; k++) told += lbr_iteration_next(&i, pow(0.5, k / 2) * (k % 2 ? 2 : 1)) == LBR_STALLS;
    ok(told == 0, "those that become smaller every second time are none");
    i = lbr_increments_begin();
    for (int k = 0; k <= 3 * LBR_PATIENCE; k++) told += lbr_iteration_next(&i, 1e-6) == LBR_STALLS;
    ok(told == 3, "a stall that lasts is told again after LBR_PATIENCE more (%d times)", told);
}

static void ends(void)
{
    lbr_iteration i = lbr_increments_begin();

    ok(!lbr_iteration_small(&i), "an iteration that has not begun has not solved anything");
    lbr_iteration_next(&i, 1e-3);
    ok(!lbr_iteration_small(&i), "nor has one whose last increment is large");
    lbr_iteration_next(&i, 1e-14);
    ok(!lbr_iteration_small(&i), "nor one that still shrinks above the level of rounding");
    lbr_iteration_next(&i, 1e-15);
    ok(lbr_iteration_small(&i), "one that ends while it shrinks has, if the increment is down there");
    lbr_iteration_next(&i, NAN);
    ok(!lbr_iteration_small(&i), "not with NaN");
}

/* An iteration that converges to sqrt(2) and one that does not: what the rule makes of real ones. */
static int solve(double (*g)(double), double *x)
{
    lbr_iteration i = lbr_increments_begin();

    for (int k = 0; k < 100; k++) {
        double next = g(*x);
        lbr_course v = lbr_iteration_next(&i, fabs(next - *x) / fabs(next));

        *x = next;
        if (v == LBR_IS_SETTLED || v == LBR_RUNS_AWAY) return (int)v;
    }
    return LBR_GOES_ON;
}

static double heron(double x) { return (x + 2 / x) / 2; }
static double logistic(double x) { return 3.9 * x * (1 - x); }
static double squared(double x) { return x * x; }

static void real_ones(void)
{
    double x = 1, y = 0.3, z = 3;

    ok(solve(heron, &x) == LBR_IS_SETTLED && fabs(x - sqrt(2)) <= 0x1p-52, "Heron's iteration ends at the root of 2");
    ok(solve(logistic, &y) == LBR_GOES_ON, "one without an end never ends");
    ok(solve(squared, &z) == LBR_RUNS_AWAY, "one that squares runs away");
}

static void counts(void)
{
    lbr_stats s = { .iterations = 10, .worst = 4 };

    lbr_count_iterations(&s, 3, 3);
    ok(s.iterations == 13 && s.worst == 4, "iterations are added up, and the worst stays");
    lbr_count_iterations(&s, 1, 7);
    ok(s.iterations == 14 && s.worst == 7, "until there is a longer one");
}

int main(void)
{
    increments();
    newton();
    residuals();
    other_rules();
    stalls();
    ends();
    real_ones();
    counts();
    return tap_done();
}
