/* native.c - machine code for a system, of a model or a file in C, as a run sees it.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "native.h"
#include "fuse_c.h"

#include <string.h>

lbr_status lbr_native_plan(const lbr_native *native, void *ctx, int how, const char *method, const lbr_system *system,
                           const lbr_options *options, lbr_plan **plan, lbr_kernels_report *report)
{
    lbr_status status;

    native->ask(ctx, how, report);
    status = lbr_plan_create(plan, method, system, options);
    if (!status && strcmp(lbr_plan_kernel(*plan), "fused") && !report->pending && native->functions)
        native->functions(ctx, options->isa, report);
    native->ask(ctx, LBR_KERNELS_NONE, NULL);
    return status;
}

static void ask(void *model, int how, lbr_kernels_report *report) { lbr_kernels_ask(model, how, report); }
static void functions(void *model, int isa, lbr_kernels_report *report) { lbr_kernels_functions(model, isa, report); }
static void interpret(void *model, int on) { lbr_kernels_interpret(model, on); }
static void judge(void *model, int good) { lbr_kernels_judge(model, good); }
static lbr_low *low(void *model) { return lbr_kernels_low(model); }

const lbr_native lbr_native_model = {
    "interpreter",
    "the model is interpreted: ",
    "the model's functions alone are compiled: ",
    ask,
    functions,
    interpret,
    judge,
    low,
};

static void file_ask(void *file, int how, lbr_kernels_report *report) { lbr_cfuse_ask(file, how, report); }
static void file_judge(void *file, int good) { lbr_cfuse_judge(file, good); }

const lbr_native lbr_native_file = {
    "callback", "the system's functions are called, not compiled into the steps: ",
    "",         file_ask,
    NULL,       NULL,
    file_judge, NULL,
};
