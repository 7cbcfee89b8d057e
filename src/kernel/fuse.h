/* fuse.h - machine code for models: their functions, and steppers' templates around them. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_KERNEL_FUSE_H
#define LBR_KERNEL_FUSE_H
#include "compile.h"
#include "model/system.h"

#include <signal.h>

/* What became of it, added up over a model's kernels; refused, seconds and message since lbr_kernels_told; pending and untried since lbr_kernels_ask. */
typedef struct lbr_kernels_report {
    int kernels, compiled;                               /* in use; of these compiled now, not found in the cache      */
    int refused;                                         /* there was no kernel, and the message says why              */
    int functions;                                       /* the model's functions themselves are machine code          */
    int pending;  size_t bytes;                          /* kernels that are not there yet; the length of their texts  */
    uint64_t key;  double at_least;                      /* of the first of them: which it is; seconds that were not enough for one */
    int untried;                                         /* kernels that nobody has compared with the interpreter      */
    double seconds;                                      /* of compiling                                               */
    lbr_message message;                                 /* what is to be said: why there is no machine code, or why the cache is not used; "" */
} lbr_kernels_report;

/* Adds one that is not there yet. */
void lbr_kernels_pending(lbr_kernels_report *report, const lbr_object *object, size_t bytes);

/* From now on plans of the model's system get kernels (lbr_system.fuse). Call it after lbr_model_system and before plans are made.
 * Kernels live as long as the model. LBR_ENOMEM. */
lbr_status lbr_kernels_enable(lbr_model *model, const volatile sig_atomic_t *interrupt);

/* Machine code for the functions that callbacks evaluate, for methods that no template fuses; isa as in the options. Without a compiler they
 * stay interpreted, and the report says why. */
void lbr_kernels_functions(lbr_model *model, int isa);

/* How plans made from now on get them: LBR_COMPILE_... of compile.h (at first LBR_COMPILE_WAIT), or LBR_KERNELS_NONE: not at all. */
enum { LBR_KERNELS_NONE = -1 };
void lbr_kernels_ask(lbr_model *model, int how);

/* While on, functions are interpreted that have machine code. */
void lbr_kernels_interpret(lbr_model *model, int on);
/* Whether the kernels since lbr_kernels_ask do what the interpreter does. If not they are forgotten, and compiled with less when they are asked for again. */
void lbr_kernels_judge(lbr_model *model, int good);

/* All zero for a model without. */
const lbr_kernels_report *lbr_kernels_of(const lbr_model *model);
/* It was told: what comes now is news, of the next run of the same model. */
void lbr_kernels_told(lbr_model *model);
#endif
