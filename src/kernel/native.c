/* native.c - machine code for a system, of a model or a file in C, as a run sees it. SPDX-License-Identifier: BSD-3-Clause */
#include "native.h"
#include "cfuse.h"

static void ask(void *model, int how) { lbr_kernels_ask(model, how); }
static void functions(void *model, int isa) { lbr_kernels_functions(model, isa); }
static void interpret(void *model, int on) { lbr_kernels_interpret(model, on); }
static void judge(void *model, int good) { lbr_kernels_judge(model, good); }
static const lbr_kernels_report *report(void *model) { return lbr_kernels_of(model); }
static void told(void *model) { lbr_kernels_told(model); }

const lbr_native lbr_native_model = {
    "interpreter", "the model is interpreted: ", "the model's functions alone are compiled: ",
    ask, functions, interpret, judge, report, told,
};

static void file_ask(void *file, int how) { lbr_cfuse_ask(file, how); }
static void file_judge(void *file, int good) { lbr_cfuse_judge(file, good); }
static const lbr_kernels_report *file_report(void *file) { return &((lbr_cfile *)file)->report; }
static void file_told(void *file) { lbr_cfuse_told(file); }

const lbr_native lbr_native_file = {
    "callback", "the system's functions are called, not compiled into the steps: ", "",
    file_ask, NULL, NULL, file_judge, file_report, file_told,
};
