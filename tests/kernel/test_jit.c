/* test_jit.c - machine code from C: the bits of the interpreter, or none, and why. SPDX-License-Identifier:
 * BSD-3-Clause */
#define _DEFAULT_SOURCE
#include <libration.h>
#include <libration/jit.h>
#include "support/compilers.h"

/* The state after n steps of a plan that was made so. */
static int reach(lbr_problem *p, const char *method, int jit, double *y, const char **kernel, const char **note)
{
    const lbr_system *s = lbr_problem_system(p);
    lbr_plan *plan = NULL;
    int good = s && !(jit ? lbr_jit_plan(&plan, method, p, NULL, 0, note) : lbr_plan_create(&plan, method, s, NULL)) &&
               !lbr_start(plan, s->defaults->t0, s->defaults->step, s->defaults->y0) &&
               !lbr_run(plan, 1000, 0, NULL, NULL) && !lbr_read(plan, NULL, y);

    *kernel = good && !strcmp(lbr_plan_kernel(plan), "fused") ? "fused" : "callback";
    if (!good) printf("# %s\n", plan ? lbr_plan_message(plan) : lbr_problem_message(p));
    lbr_plan_free(plan);
    return good;
}

static void same_bits(const char *model, const char *method, const char *kernel)
{
    lbr_problem *p;
    const char *k = "", *note = "";
    double a[100] = { 0 }, b[100] = { 1 }, c[100] = { 2 };

    ok(!lbr_problem_open(&p, model) && reach(p, method, 0, a, &k, &note), "%s, %s: interpreted", model, method);
    ok(reach(p, method, 1, b, &k, &note) && !strcmp(k, kernel) && !*note == !strcmp(k, "fused"), "... %s: %s", k, note);
    ok(reach(p, method, 0, c, &k, &note) && !strcmp(k, "callback"), "... and without when that is asked for");
    ok(!memcmp(a, b, (size_t)lbr_problem_system(p)->dim * sizeof *a), "... the same bits");
    ok(!memcmp(a, c, (size_t)lbr_problem_system(p)->dim * sizeof *a), "... in all three");
    lbr_problem_free(p);
}

/* A compiler that changes the first product into a sum, unless it is told so. */
#define WRONG(unless)                                                                                               \
    "case \"$*\" in *" unless "*) ;; *) for a; do case $a in *.c) sed -i '0,/ = OP_MUL(/s// = OP_ADD(/' \"$a\" ;; " \
    "esac; done ;; esac\ncompile \"$@\""

/* What a compiler does that is not what it should do. */
static void with(const char *what, const char *script, const char *kernel, const char *says_so)
{
    lbr_problem *p;
    const char *k = "", *note = "";
    double a[100] = { 0 }, b[100] = { 1 };

    new_cache(), compiler(script);
    ok(!lbr_problem_open(&p, "henon-heiles") && reach(p, "stormer-verlet", 0, a, &k, &note), "%s", what);
    ok(reach(p, "stormer-verlet", 1, b, &k, &note) && !strcmp(k, kernel), "... %s", k);
    ok(strstr(note, says_so) != NULL, "... %s", note);
    ok(!memcmp(a, b, 4 * sizeof *a), "... the right numbers");
    lbr_problem_free(p);
}

static void refused(void)
{
    lbr_problem *p;
    lbr_plan *plan;
    const char *note;

    ok(lbr_jit_plan(NULL, "rk4", NULL, NULL, 0, NULL) == LBR_EARG, "nothing");
    ok(lbr_problem_open(&p, "no-such-model") && lbr_jit_plan(&plan, "rk4", p, NULL, 0, &note) == LBR_EARG && !plan,
       "no model");
    lbr_problem_free(p);
    ok(!lbr_problem_open(&p, "kepler") && lbr_jit_plan(&plan, "gauss(", p, NULL, 0, NULL) == LBR_EMETHOD &&
           *lbr_plan_message(plan),
       "no method, and the plan says so");
    lbr_plan_free(plan);
    ok(lbr_jit_plan(&plan, "rattle", p, NULL, 0, NULL) == LBR_EUNFIT && *lbr_plan_message(plan),
       "one that does not fit");
    lbr_plan_free(plan), lbr_problem_free(p);
    ok(!lbr_problem_text(&p, "x", "canonical q, p\nH = p^2/2 - cos(1.25*q)\n", NULL) &&
           !lbr_jit_plan(&plan, "stormer-verlet", p, NULL, 0, &note) && strstr(note, "without a step"),
       "a file that gives no step: nothing can be compared");
    ok(!strcmp(lbr_plan_kernel(plan), "callback"), "so there is no kernel"), lbr_plan_free(plan);
    ok(!lbr_jit_plan(&plan, "stormer-verlet", p, NULL, 0.1, &note) && !strcmp(lbr_plan_kernel(plan), "fused"),
       "with a step there is");
    lbr_plan_free(plan), lbr_problem_free(p);
}

/* From a start that cannot be used nothing can be compared: that is no fault of the compiler, is compiled once, and is
 * not remembered. */
static void no_start(const char *what, const char *model, const char *start, const char *better, const char *method,
                     const char *says_so)
{
    static const char *const after[2] = { "callback", "fused" };
    const char *begin[2] = { start, better }, *note = "";
    char text[400];

    new_cache(), good_compiler();
    for (int i = 0; i < 2; i++) {
        lbr_problem *p = NULL;
        lbr_plan *plan = NULL;

        snprintf(text, sizeof text, "%s%s", model, begin[i]);
        ok(!lbr_problem_text(&p, "a", text, NULL) && !lbr_jit_plan(&plan, method, p, NULL, 0.1, &note), "%s: %s", what,
           begin[i]);
        ok(plan && !strcmp(lbr_plan_kernel(plan), after[i]), "... %s", plan ? lbr_plan_kernel(plan) : "no plan");
        ok(i ? !*note : strstr(note, "cannot be compared") && strstr(note, says_so), "... %s", note);
        lbr_plan_free(plan), lbr_problem_free(p);
    }
    ok(calls() == 1, "... compiled once");
}

/* Functions alone that were not compared are compared when they can be. */
static void functions_later(void)
{
    lbr_problem *p;
    lbr_plan *plan = NULL;
    const char *note = "";

    new_cache(), good_compiler();
    ok(!lbr_problem_text(&p, "a", "state x, y\nx' = y\ny' = -x*y*1.625\nstart x = 1\n", NULL) &&
           !lbr_jit_plan(&plan, "kahan", p, NULL, 0, &note) && strstr(note, "without a step"),
       "functions alone, without a step");
    lbr_plan_free(plan), plan = NULL;
    ok(!lbr_jit_plan(&plan, "kahan", p, NULL, 0.1, &note) && strstr(note, "its functions are"), "... and with one");
    ok(calls() == 1, "... compiled once");
    lbr_plan_free(plan), lbr_problem_free(p);
}

static void starts(void)
{
    static const char kepler[] = "canonical q[2], p[2]\nH = sq(p)/2 - 1.375/norm(q)\n",
                      sphere[] = "canonical q[3], p[3]\nH = sq(p)/2 + 1.375*q[3]\nconstraint c = sq(q) - 1\n",
                      root[] = "canonical q, p\nH = p^2/2 + 1.375*sqrt(q)\n",
                      far[] = "canonical q, p\nH = p^2/2 + 1.375*q*sqrt(q)\n";

    no_start("no force at the start", kepler, "", "start q = [1, 0], p = [0, 1]\n", "gauss:4", "start");
    no_start("off the constraints", sphere, "start q = [1, 1, 0]\n", "start q = [1, 0, 0]\n", "rattle", "constraint");
    no_start("no H at the start", root, "start q = -1\n", "start q = 1\n", "stormer-verlet", "start");
    no_start("no first step", far, "start q = 1, p = -1e9\n", "start q = 1\n", "gauss:2", "step 1");
    functions_later();
}

static void tests(void)
{
    if (!with_compiler()) return;
    usual_cache();
    same_bits("kepler", "stormer-verlet", "fused"), same_bits("henon-heiles", "gauss:4", "fused");
    same_bits("outer-solar-system", "kahan-li-8-17", "fused"),
        same_bits("pendulum", "adjoint(symplectic-euler)", "fused");
    same_bits("lorenz", "kahan", "callback");
    refused();
    starts();
    with("a compiler that fails", "echo no >&2; exit 1", "callback", "no");
    with("one that makes wrong kernels where vectors are allowed", WRONG("-fno-tree-vectorize"), "fused", "");
    with("one that always makes wrong kernels", WRONG("no-such-flag"), "callback", "gives other numbers");
}

int main(void) { return with_tool(tests); }
