/* test_beside.c - compilers that work beside the run, and kernels that are not what they should be.
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "support/compilers.h"

#define HEILES                                                   \
    "canonical q[2], p[2]\n"                                     \
    "H = sq(p)/2 + sq(q)/2 + q[1]^2*q[2] - q[2]^3/3\n"           \
    "invariant E = sq(p)/2 + sq(q)/2 + q[1]^2*q[2] - q[2]^3/3\n" \
    "start q = [0, 0.1], p = [0.4, 0.2]\n"
#define SHORT               "run method = stormer-verlet, step = 0.05, steps = 200\n"
#define LONG(method, steps) "run method = " method ", step = 0.05, steps = " steps "\n"
#define POLAR                                   \
    "canonical q[2], p[2]\n"                    \
    "H = (p[1]^2 + p[2]^2/q[1]^2)/2 - 1/q[1]\n" \
    "start q = [0.5, 0], p = [0, 1]\n" /* no template: its functions are compiled */

/* --- beside ------------------------------------------------------------------------------------------------------ */

/* A run that lasts longer than its compiler: begun without, ended with a kernel, and the interpreter's answer. */
static void takes_over(const char *what, const char *text, const char *kernel)
{
    spit("m.lbr", text), new_cache(), good_compiler();
    ok(tool("run|m.lbr|--json|--compile|wait") == 0 && is_text("kernel", kernel) &&
           *part("\"t\":", "\"failure\"", expected),
       "%s: the answer of the kernel alone", what);
    new_cache(), compiler("sleep 0.1; compile \"$@\"");
    ok(goes_on(tool("run|m.lbr|--json"), kernel, "") && number("kernel_from") > 0 && number("compile_seconds") > 0.1 &&
           calls() >= 1,
       "%s: the kernel takes over at step %.0f", what, number("kernel_from"));
    ok(goes_on(tool("run|m.lbr|--json"), kernel, "") && number("kernel_from") == 0 && calls() == 0,
       "%s: the next time from the start", what);
}

static void short_runs(void)
{
    model(HEILES SHORT), new_cache(), good_compiler();
    ok(goes_on(tool("run|m.lbr|--json"), "interpreter", "") && is_null("kernel_from") && calls() == 0 && !kernels(),
       "a run that is over sooner than a compiler is not compiled");
    ok(goes_on(tool("run|m.lbr|--json|--compile|wait"), "fused", "") && number("kernel_from") == 0 && calls() == 1,
       "unless one waits for it");
    ok(goes_on(tool("run|m.lbr|--json"), "fused", "") && number("kernel_from") == 0 && calls() == 0,
       "what is in the cache is used");
    ok(goes_on(tool("run|m.lbr|--json|--compile|no"), "interpreter", "") && is_null("kernel_from") && calls() == 0,
       "but for compile = no");
    spit("m.lbr", HEILES LONG("stormer-verlet, compile = wait", "200"));
    new_cache();
    ok(tool("run|m.lbr|--json") == 0 && is_text("kernel", "fused") && calls() == 1, "compile = wait in a file");
    ok(tool("run|m.lbr|--compile|perhaps") == 2 && says("compile|auto wait no"), "other words: %s", told);
}

static void slow_compilers(void)
{
    double began;
    int pid;

    model(HEILES LONG("stormer-verlet", "3000000")), new_cache(), compiler("echo $$ >pid; sleep 60; compile \"$@\"");
    began = seconds();
    ok(goes_on(tool("run|m.lbr|--json"), "interpreter", "") && seconds() - began < 40 && calls() == 1 && !kernels(),
       "nobody waits for a compiler");
    pid = atoi(slurp("pid", out));
    ok(pid > 1 && kill(pid, 0), "which ends with the run");
    ok(goes_on(tool("run|m.lbr|--json"), "interpreter", "") && calls() == 0,
       "that so much time was not enough is remembered: it is not begun again");
}

/* Runs that would each have a kernel of their own: how many compilers were begun, and how many were at work at once. */
static int kernels_of_their_own(const char *text, int *most)
{
    const char *c;
    int working = 0, begun = 0;

    spit("m.lbr", text), new_cache(), compiler("echo + >>log; sleep 0.3; echo - >>log; compile \"$@\""), remove("log");
    ok(tool("run|m.lbr|--json") == 0 && members("runs") == 6, "runs with kernels of their own");
    *most = 0;
    for (c = slurp("log", out); *c; c++) {
        working += (*c == '+') - (*c == '-'), begun += *c == '+';
        if (working > *most) *most = working;
    }
    return begun;
}

#define QUARTIC                               \
    "param n = 2\n"                           \
    "canonical q[n], p[n]\n"                  \
    "H = sq(p)/2 + sum(i = 1..n, q[i]^4)/4\n" \
    "start q = 1\n"
#define SIX "run v[k = 2..7]: n = k\n"

/* On a fast machine they have to be longer: what is over before a compiler would be is not compiled. */
static void one_at_a_time(void)
{
    int most, begun = kernels_of_their_own(QUARTIC LONG("stormer-verlet", "800000") SIX, &most);

    if (!begun) begun = kernels_of_their_own(QUARTIC LONG("stormer-verlet", "6000000") SIX, &most);
    ok(begun >= 1 && most == 1, "%d compilers were begun, never two at once", begun);
}

static void late_compilers(void)
{
    model(HEILES SHORT), new_cache(), compiler("sleep 30"), setenv("LIBRATION_CC_SECONDS", "0.3", 1);
    ok(goes_on(tool("run|m.lbr|--json|--compile|wait"), "interpreter", "0.3 seconds") && calls() == 1,
       "a compiler that takes too long: %s", told);
    ok(goes_on(tool("run|m.lbr|--json|--compile|wait"), "interpreter", "last time|cache --clear") && calls() == 0,
       "is not asked again by another process: %s", told);
    setenv("LIBRATION_CC_SECONDS", "0.4", 1);
    ok(goes_on(tool("run|m.lbr|--json|--compile|wait"), "interpreter", "0.4 seconds") && calls() == 1,
       "unless it is given more time");
    setenv("LIBRATION_CC_SECONDS", "0.3", 1);
    ok(tool("cache|--clear") == 0 && goes_on(tool("run|m.lbr|--json|--compile|wait"), "interpreter", "0.3 seconds") &&
           calls() == 1,
       "or the cache is cleared");
    unsetenv("LIBRATION_CC_SECONDS");
}

/* What cannot run is not compiled first. */
static void refusals(void)
{
    static const struct {
        const char *what, *text, *says;
        int code;
    } row[] = {
        { "a start that is not finite", "canonical q, p\nH = p^2/2 + 1/q\nstart q = 0, p = 1\n" SHORT, "start|inf", 2 },
        { "a constraint that is not met",
          "canonical q[2], p[2]\n"
          "H = sq(p)/2 + q[2]\n"
          "constraint c = sq(q) - 1\n"
          "start q = [2, 0]\n"
          "run method = rattle, step = 0.1, steps = 10\n",
          "c", 2 },
        { "a method that does not fit",
          "state y\n"
          "y' = -y\n"
          "start y = 1\n"
          "run method = stormer-verlet, step = 0.1, steps = 10\n",
          "stormer-verlet", 2 },
    };

    new_cache(), good_compiler();
    for (int i = 0; i < COUNT(row); i++) {
        spit("m.lbr", row[i].text);
        ok(tool("run|m.lbr|--compile|wait") == row[i].code && says(row[i].says) && calls() == 0,
           "%s is said before anything is compiled: %s", row[i].what, told);
    }
    spit("m.lbr", HEILES SHORT), spit("there.csv", "x\n");
    ok(tool("run|m.lbr|--compile|wait|--out|there.csv") == 2 && says("there.csv") && calls() == 0,
       "so is a file that is there already: %s", told);
}

/* The final states of sixty runs. */
static int states(double y[60][4])
{
    char key[40];
    int good = 1;

    for (int i = 0; i < 60; i++) snprintf(key, sizeof key, "runs[%d].state", i), good &= numbers(key, y[i], 4) == 4;
    return good;
}

static void sweeps(void)
{
    static double a[60][4], b[60][4];

    new_cache(), good_compiler();
    spit("m.lbr", HEILES LONG("stormer-verlet", "60000") "run v[k = 1..60]: q = [0, k/1000]\n");
    ok(tool("run|m.lbr|--json|--no-compile") == 0 && is_text("runs[59].kernel", "interpreter") && states(a),
       "sixty runs, interpreted");
    ok(tool("run|m.lbr|--json") == 0 && is_text("runs[0].kernel", "interpreter") &&
           is_text("runs[59].kernel", "fused") && calls() == 1,
       "runs that are short, but many: compiled once on the way");
    ok(states(b) && !memcmp(a, b, sizeof a) && a[0][0] != a[59][0], "and each has the bits that it has without");
}

/* --- kernels that are not what they should be -------------------------------------------------------------------- */

/* A text changed by sed before it is compiled, unless the compiler is told `unless`: what comes of it. */
static void wrong(const char *what, const char *text, const char *sed, const char *unless, const char *kernel,
                  const char *sentence, int asked)
{
    char script[1000];

    snprintf(script, sizeof script,
             "case \"$*\" in *%s*) ;; *) for a; do case $a in *.c) sed -i '%s' \"$a\" ;; esac; done ;; esac\n"
             "compile \"$@\"",
             unless, sed);
    model(text), new_cache(), compiler(script);
    ok(tool("run|m.lbr|--json|--compile|wait") == 0 && is_text("kernel", kernel) && same() && says(sentence) &&
           calls() == asked,
       "%s: %s", what, told);
    ok(tool("run|m.lbr|--json") == 0 && is_text("kernel", kernel) && same() && says(sentence) && calls() == 0,
       "found in the cache, it is noticed again");
}

static void wrong_kernels(void)
{
    static const char force[] = "0,/ = OP_MUL(/s// = OP_ADD(/",
                      watched[] = "s/if (d > worst\\[0\\]) worst\\[0\\] = d;/worst[0] = 1.5*d;/",
                      never[] = "no-such-flag";

    wrong("a force with a wrong sign, where vectors are allowed", HEILES SHORT, force, "-fno-tree-vectorize", "fused",
          "other numbers|less optimisation", 2);
    wrong("a force with a wrong sign, but for -O1", HEILES SHORT, force, "-O1", "fused",
          "other numbers|less optimisation", 3);
    wrong("a force with a wrong sign, always", HEILES SHORT, force, never, "interpreter", "other numbers", 6);
    wrong("an energy error that is wrong", HEILES SHORT, watched, "-fno-tree-vectorize", "fused",
          "other numbers|less optimisation", 2);
    wrong("what is observed", POLAR "observe z = exp(q[1])\n" SHORT, "s/ = OP_EXP(/ = OP_SIN(/", "-fno-tree-vectorize",
          "compiled", "other numbers|less optimisation", 2);
    wrong("the surface of a section", POLAR "section s: cosh(q[1]) = 1.5\n" LONG("stormer-verlet, until = s", "50"),
          "s/ = OP_COSH(/ = OP_EXP(/", "-fno-tree-vectorize", "compiled", "other numbers|less optimisation", 2);
    wrong("functions alone", POLAR SHORT, force, "-fno-tree-vectorize", "compiled", "other numbers|less optimisation",
          2);
}

/* Flags that a compiler adds behind our back. */
static void dishonest(void)
{
    static const char *const flag[] = { "-ffast-math",
                                        "-Ofast",
                                        "-ffp-contract=fast -march=x86-64-v3",
                                        "-fassociative-math -fno-signed-zeros",
                                        "-freciprocal-math",
                                        "-ffinite-math-only" };
    char script[200];

    model(HEILES SHORT);
    for (int i = 0; i < COUNT(flag); i++) {
        snprintf(script, sizeof script, "compile \"$@\" %s", flag[i]);
        new_cache(), compiler(script);
        ok(goes_on(tool("run|m.lbr|--json|--compile|wait"), "interpreter", "what is written|fast-math"),
           "a compiler that adds %s: %s", flag[i], told);
    }
}

static void tests(void)
{
    if (!with_compiler()) return;
    short_runs(), refusals(), late_compilers(), wrong_kernels(), dishonest(), sweeps();
    takes_over("Verlet", HEILES LONG("stormer-verlet", "40000000"), "fused");
    takes_over("Verlet, compensated", HEILES LONG("stormer-verlet, compensated = yes", "40000000"), "fused");
    takes_over("Gauss", HEILES LONG("gauss:4, every = 1000", "10000000"), "fused");
    takes_over("functions alone", POLAR LONG("stormer-verlet", "3000000"), "compiled");
    slow_compilers(), one_at_a_time();
}

int main(void) { return with_tool(tests); }
