/* native.h - machine code for a system, of a model or a file in C, as a run sees it.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_KERNEL_NATIVE_H
#define LBR_KERNEL_NATIVE_H
#include "compile.h"
#include "fuse_model.h"

typedef struct lbr_native {
    const char *plain;           /* what evaluates the system without: "interpreter", "callback" */
    const char *without, *alone; /* begins what is said where there is no kernel; where only */
                                 /* functions are compiled */
    void (*ask)(void *ctx, int how, lbr_kernels_report *report);       /* as lbr_kernels_ask */
    void (*functions)(void *ctx, int isa, lbr_kernels_report *report); /* machine code for functions alone; or NULL */
    void (*interpret)(void *ctx, int on);                              /* while on, there is no machine code; or NULL */
    void (*judge)(void *ctx, int good); /* whether kernels since `ask` do what they should */
    lbr_low *(*low)(void *ctx);         /* as lbr_kernels_low; or NULL: there is no extended precision */
} lbr_native;

/* A plan with the kernels that can be had so (LBR_COMPILE_...); where it has none, and none is coming, its functions
 * are asked for. What came of it is in the report. The status and the plan are lbr_plan_create's. */
lbr_status lbr_native_plan(const lbr_native *native, void *ctx, int how, const char *method, const lbr_system *system,
                           const lbr_options *options, lbr_plan **plan, lbr_kernels_report *report);

extern const lbr_native lbr_native_model; /* ctx: an lbr_model whose kernels are enabled */
extern const lbr_native lbr_native_file;  /* ctx: an lbr_cfile */
#endif
