/* test_locale.c - a program whose locale writes numbers with a comma: the same methods, problems and machine code.
 * SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE
#include <libration.h>
#include <libration/jit.h>
#include "kernel/compiler.h"
#include "kernel/entry.h"
#include "support/comma.h"
#include "support/compilers.h"

#include <fcntl.h>

/* Methods whose numbers are worked out, and coefficients that are. */
static const char file[] = "param a = 0.25, n = 4, e = 1\ncanonical q[2], p[2]\nH = sq(p)/2 - 1/norm(q) - q[1]*p[2]\n"
                           "start q = [e, 0], p = [0, 1]\n"
                           "method points = collocation((a), (3*a))\n"
                           "method halves = composition [1/n, 1/n, 1/n, 1/n]\n"
                           "method split = splitting(a = [a, 2*a, a], b = [2*a, 2*a])\n"
                           "method table = butcher(A = [[2*a]], b = [4*a], c = [2*a])\n"
                           "run method = points, step = 0.125, steps = 10\n";
static const char separable[] = "canonical q, p\nH = p^2/2 - cos(q) + 0.75*q^4\nstart q = 0.5\nobserve o = 1 - q, "
                                "u = -1/(1 + q^2)\nrun method = stormer-verlet, step = 0.125, steps = 10\n";

static int reach(lbr_problem *p, const char *method, int jit, double *y, const char **kernel)
{
    const lbr_system *s = lbr_problem_system(p);
    const lbr_problem_info *info;
    const char *note = "";
    lbr_plan *plan = NULL;
    int good = s && !lbr_problem_describe(p, &info) &&
               !(jit ? lbr_jit_plan(&plan, method, p, NULL, 0, &note)
                     : lbr_plan_create(&plan, method, s, info->options)) &&
               !lbr_start(plan, s->defaults->t0, s->defaults->step, s->defaults->y0) &&
               !lbr_run(plan, 10, 0, NULL, NULL) && !lbr_read(plan, NULL, y);

    *kernel = good && !strcmp(lbr_plan_kernel(plan), "fused") ? "fused" : "callback";
    if (!good || *note) printf("# %s %s%s\n", method, note, plan ? lbr_plan_message(plan) : lbr_problem_message(p));
    lbr_plan_free(plan);
    return good;
}

/* The numbers of all methods, and whether they could be had. */
static int all_numbers(double y[6][4], const char **kernel)
{
    static const char *const name[] = { "points", "compose(halves, midpoint)", "table" };
    lbr_problem *p;
    const char *method, *none;
    int good = !lbr_problem_text(&p, "m", file, NULL) && !lbr_problem_set_number(p, "e", 1.1);

    memset(y, 0, 6 * sizeof *y);
    for (int i = 0; i < 3; i++)
        good = good && (method = lbr_problem_method(p, name[i])) && reach(p, method, 0, y[i], &none);
    if (!good) printf("# %s\n", lbr_problem_message(p));
    lbr_problem_free(p);
    good = !lbr_problem_text(&p, "s", separable, NULL) && good && reach(p, "stormer-verlet", 0, y[3], &none) &&
           reach(p, "stormer-verlet", 1, y[4], kernel) && reach(p, "gauss:3", 1, y[5], &none);
    lbr_problem_free(p);
    return good;
}

static void as_in(const char *what, int there, double want[6][4])
{
    double here_now[6][4];
    const char *kernel = "";

    if (!there) {
        ok(1, "%s # SKIP there is no such locale", what);
        return;
    }
    new_cache(), good_compiler();
    ok(all_numbers(here_now, &kernel), "%s: methods and problems", what);
    ok(!memcmp(here_now, want, sizeof here_now), "... with the numbers of the C locale");
    ok(!strcmp(kernel, "fused"), "... and a kernel");
    setlocale(LC_ALL, "C");
}

/* Seconds of the environment, and those that the cache keeps. */
static void too_long(int there)
{
    lbr_digest key = { 0 };
    int folder;

    if (!there) return;
    setenv("LIBRATION_CC_SECONDS", "0.25", 1);
    ok(lbr_compiler_seconds(7) == 0.25 && !lbr_compiler_odd_seconds(), "seconds of the environment");
    unsetenv("LIBRATION_CC_SECONDS");
    new_cache(), mkdir("cache", 0700), folder = open("cache", O_RDONLY | O_DIRECTORY);
    lbr_entry_keep_late(folder, &key, 0.375);
    ok(lbr_entry_late(folder, &key) == 0.375, "and of the cache");
    close(folder), setlocale(LC_ALL, "C");
    folder = open("cache", O_RDONLY | O_DIRECTORY);
    ok(lbr_entry_late(folder, &key) == 0.375, "which are read in any locale");
    close(folder);
}

static void tests(void)
{
    double want[6][4];
    const char *kernel = "";

    if (!with_compiler()) return;
    new_cache(), good_compiler();
    ok(all_numbers(want, &kernel) && !strcmp(kernel, "fused"), "the C locale");
    as_in("a decimal comma", into_comma(), want);
    as_in("a point of two bytes", into_two_bytes(), want);
    too_long(into_comma());
}

int main(void) { return with_tool(tests); }
