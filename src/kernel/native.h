/* native.h - machine code for a system, of a model or a file in C, as a run sees it. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_KERNEL_NATIVE_H
#define LBR_KERNEL_NATIVE_H
#include "compile.h"
#include "fuse.h"

typedef struct lbr_native {
    const char *plain;                              /* what evaluates the system without: "interpreter", "callback"   */
    const char *without, *alone;                    /* begins what is said where there is no kernel; where only       */
                                                    /* functions are compiled                                         */
    void (*ask)(void *ctx, int how);                /* plans made from now on get kernels so: LBR_COMPILE_..., or     */
                                                    /* LBR_KERNELS_NONE                                               */
    void (*functions)(void *ctx, int isa);          /* machine code for functions alone; or NULL                      */
    void (*interpret)(void *ctx, int on);           /* while on, there is no machine code; or NULL                    */
    void (*judge)(void *ctx, int good);             /* whether kernels since `ask` do what they should                */
    const lbr_kernels_report *(*report)(void *ctx);
    void (*told)(void *ctx);                        /* of the report                                                  */
} lbr_native;

extern const lbr_native lbr_native_model;           /* ctx: an lbr_model whose kernels are enabled                    */
extern const lbr_native lbr_native_file;            /* ctx: an lbr_cfile                                              */
#endif
