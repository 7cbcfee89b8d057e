/* test_run_many.c - files with many runs and many claims take time in proportion. SPDX-License-Identifier: BSD-3-Clause
 *
 * What eight times as many take is compared, in seconds of the processor: 8 times as long where all is well, 64 times
 * where each looks at all others. */
#define _DEFAULT_SOURCE
#include "support/tool.h"

enum { FEW = 1000, TIMES = 8, MOST_TIMES = 3 * TIMES };
static const double least = 0.02; /* seconds: what is less is not known well */

static const char runs[] = "canonical q, p\nH = p^2/2 + q^2/2\nstart q = 1, p = 0\n"
                           "run method = stormer-verlet, step = 0.1, steps = 5\nrun v[k = 1..%d]: q = k/1000\n";

static double processor(void)
{
    struct rusage r;

    getrusage(RUSAGE_CHILDREN, &r);
    return (double)r.ru_utime.tv_sec + 1e-6 * (double)r.ru_utime.tv_usec;
}

/* The status of a run of this file, and what it takes. */
static int timed(const char *format, int n, double *seconds)
{
    char text[1000];
    double before = processor();
    int code;

    snprintf(text, sizeof text, format, n, n), spit("many.lbr", text);
    code = tool("run|many.lbr|--compile|no");
    *seconds = processor() - before;
    return code;
}

static void proportional(const char *what, const char *format)
{
    double few, many;

    ok(timed(format, FEW, &few) == 0, "%d %s%s", FEW, what, told);
    ok(timed(format, TIMES * FEW, &many) == 0, "%d %s%s", TIMES * FEW, what, told);
    ok(many <= MOST_TIMES * fmax(few, least), "take %.2f and %.2f s", few, many);
}

static void all(void)
{
    char claims[1000];

    proportional("runs", runs);
    snprintf(claims, sizeof claims, "%s%s", runs, "claim small[k = 1..%d]: v[k].energy_error < 1\n");
    proportional("runs and claims", claims);
}

int main(void) { return with_tool(all); }
