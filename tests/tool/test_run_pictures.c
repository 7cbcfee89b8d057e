/* test_run_pictures.c - pictures that the tool draws of a file: each that can be, whatever the others are; their files.
 * SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE
#include "support/tool.h"

#define SWING                \
    "canonical q, p\n"       \
    "H = p^2/2 + q^2/2\n"    \
    "start q = 1\n"          \
    "section never: q = 5\n" \
    "run method = midpoint, step = 0.1, time = 10\n"
#define CUT  "plot cut: of = a.never, x = q, y = p\n"
#define GOOD "plot good: of = a, x = t, y = q\n"

/* --- those that cannot be drawn ---------------------------------------------------------------------------------- */

static void apart(void)
{
    spit("m.lbr", SWING "run a:\n" CUT GOOD "plot of = a.never, x = t, y = H\nplot of = a, x = q, y = p\n");
    ok(tool("run|m.lbr|--plot|x.svg") == 0, "a picture without points is no failure beside others: %s", told);
    ok(there("x-good.svg") && there("x-4.svg"), "which are drawn");
    ok(!there("x-cut.svg") && !there("x-3.svg"), "and it is not");
    ok(says("cut was not drawn: |the picture has no points"), "it is told by its name: %s", told);
    ok(says("plot 3 was not drawn: "), "or by its number");
    ok(tool("run|m.lbr|--plot|j.svg|--json") == 0 && is_json() && says("cut was not drawn"), "with --json too: %s",
       told);
    spit("m.lbr", SWING "run a:\n" CUT);
    ok(tool("run|m.lbr|--plot|y.svg") == 2 && says("cut was not drawn"), "the only one is: %s", told);
    spit("m.lbr", SWING "plot x = never.q, y = never.p\n");
    ok(tool("run|m.lbr|--plot|y.svg") == 2 && says("the picture was not drawn"), "without a name: %s", told);
    spit("m.lbr", SWING "run a:\nplot odd: of = a, x = q, y = p, colour = t, style = heat\n" GOOD);
    ok(tool("run|m.lbr|--plot|z.svg") == 2 && says("odd was not drawn: a heat map needs") && there("z-good.svg"),
       "one that is described wrongly is refused, after the others: %s", told);
    spit("m.lbr", SWING "run a:\nrun b: method = explicit-euler, step = 1e200, steps = 10\nmeasure dH = drift(H)\n"
                        "plot far: of = b, x = dH, style = histogram\n" GOOD);
    ok(tool("run|m.lbr|--plot|f.svg") == 3 && there("f-good.svg") && says("far was not drawn"),
       "of a run that has failed: %s", told);
}

/* --- how they look ----------------------------------------------------------------------------------------------- */

static long size_of(const char *file)
{
    struct stat s;

    return stat(file, &s) ? -1 : (long)s.st_size;
}

static void looks(void)
{
    static char script[MOST];

    spit("m.lbr", "canonical q, p\nH = p^2/2 + q^2/2\nrun method = midpoint, step = 0.01, time = 100\n"
                  "run v[k = 1..8]: q = k\nplot x = t, y = q, xrange = [0, 10]\n");
    ok(tool("run|m.lbr|--plot|w.svg|--keep-script") == 0, "many samples of which a few are seen: %s", told);
    slurp("w.gp", script);
    ok(count(script, "lw 1.4 dt") == 16 && !strstr(script, "lw 0.7 dt"), "smooth lines are thick, in the legend too");
    spit("m.lbr", "canonical q, p\nH = p^2/2 + q^2/2\nrun method = midpoint, step = 0.1, time = 10000\n"
                  "run v[k = 1..2]: q = k\nplot x = t, y = q\n");
    ok(tool("run|m.lbr|--plot|n.svg|--keep-script") == 0, "lines that cover everything: %s", told);
    slurp("n.gp", script);
    ok(count(script, "lw 0.7 dt") == 4 && !strstr(script, "lw 1.4 dt"), "are thin, in the legend too");
    spit("m.lbr", "canonical q, p\nH = p^2/2 - cos(q)\nrun method = symplectic-euler, step = 0.7, steps = 100\n"
                  "run v[k = 1..10]: q = k/3.5, p = 0.01\nplot x = q, y = p, style = dots\n");
    ok(tool("run|m.lbr|--plot|d.svg|--keep-script") == 0, "ten curves of dots: %s", told);
    slurp("d.gp", script);
    ok(strstr(script, "lc palette") && !strstr(script, "lc rgb '#0072b2'"), "have colours of a scale");
    ok(strstr(script, "'v[1]' 0, 'v[2]' 1, ") && strstr(script, "'v[10]' 9)"), "which names all of them");
    spit("m.lbr", "canonical q[2], p[2]\nH = sq(p)/2 + sq(q)/2 + q[1]^2*q[2] - q[2]^3/3\n"
                  "start q = [0, 0.1], p = [0.5, 0]\nrun method = stormer-verlet, step = 0.1, steps = 105000\n"
                  "plot x = q[1], y = q[2], style = dots\n");
    ok(tool("run|m.lbr|--plot|large.svg") == 0 && size_of("large.svg") > 300000, "many dots: %s", told);
    ok(size_of("large.svg") < 1500000, "have less than 1.5 MB: %ld", size_of("large.svg"));
}

static void all(void)
{
    if (have_gnuplot()) apart(), looks();
}

int main(void) { return with_tool(all); }
