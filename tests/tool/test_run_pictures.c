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

static void all(void)
{
    if (have_gnuplot()) apart();
}

int main(void) { return with_tool(all); }
