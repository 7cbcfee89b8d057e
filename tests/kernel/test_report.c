/* test_report.c - what came of asking for machine code belongs to whoever asks. SPDX-License-Identifier: BSD-3-Clause
 *
 * There is no compiler: nothing is compiled, and each who asks is told why. */
#define _DEFAULT_SOURCE
#include "support/modelled.h"
#include "support/tap.h"
#include "kernel/native.h"

#include <stdlib.h>
#include <string.h>

static modelled x;

static lbr_plan *made(int how, lbr_kernels_report *report)
{
    lbr_options options;
    lbr_plan *plan;

    lbr_options_init(&options);
    if (lbr_native_plan(&lbr_native_model, x.m, how, "stormer-verlet", x.s, &options, &plan, report))
        printf("# %s\n", lbr_plan_message(plan));
    return plan;
}

int main(void)
{
    lbr_kernels_report a = { 0 }, b = { 0 }, before;
    lbr_plan *plan;

    setenv("LIBRATION_CC", "/nowhere/cc", 1);
    if (!ok(open_model(&x, "kepler") && !lbr_kernels_enable(x.m, NULL), "a system")) return tap_done();
    lbr_plan_free(plan = made(LBR_COMPILE_WAIT, &a));
    ok(a.refused && strstr(a.message.text, "/nowhere/cc") && !a.kernels && !a.functions && !a.pending,
       "who asks is told that there is no compiler: %s", a.message.text);
    before = a;
    lbr_plan_free(plan = made(LBR_COMPILE_WAIT, &b));
    ok(b.refused && !strcmp(a.message.text, b.message.text),
       "so is the next one, though the first has not passed it on");
    ok(!memcmp(&a, &before, sizeof a), "and the first hears nothing of it");
    before = b;
    if (!lbr_plan_create(&plan, "stormer-verlet", x.s, NULL))
        ok(!strcmp(lbr_plan_kernel(plan), "callback") && !memcmp(&b, &before, sizeof b),
           "a plan that is made without asking gets no kernel, and nobody hears of it");
    lbr_plan_free(plan);
    lbr_kernels_ask(x.m, LBR_COMPILE_LOOK, NULL);
    ok(!lbr_plan_create(&plan, "stormer-verlet", x.s, NULL) && !memcmp(&b, &before, sizeof b),
       "one may ask and not listen");
    lbr_plan_free(plan);
    close_model(&x);
    return tap_done();
}
