/* fuse.h - machine code for models: their functions, and steppers' templates around them. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_KERNEL_FUSE_H
#define LBR_KERNEL_FUSE_H
#include "model/system.h"

#include <signal.h>

/* What became of it, added up over a model's kernels; refused, seconds and message since lbr_kernels_told. */
typedef struct lbr_kernels_report {
    int kernels, compiled;                               /* in use; of these compiled now, not found in the cache      */
    int refused;                                         /* there was no kernel, and the message says why              */
    int functions;                                       /* the model's functions themselves are machine code          */
    double seconds;                                      /* of compiling                                               */
    lbr_message message;                                 /* what is to be said: why there is no machine code, or why the cache is not used; "" */
} lbr_kernels_report;

/* From now on plans of the model's system get kernels (lbr_system.fuse). Call it after lbr_model_system and before plans are made.
 * Kernels live as long as the model. LBR_ENOMEM. */
lbr_status lbr_kernels_enable(lbr_model *model, const volatile sig_atomic_t *interrupt);

/* Machine code for the functions that callbacks evaluate, for methods that no template fuses; isa as in the options. Without a compiler they
 * stay interpreted, and the report says why. */
void lbr_kernels_functions(lbr_model *model, int isa);

/* All zero for a model without. */
const lbr_kernels_report *lbr_kernels_of(const lbr_model *model);
/* It was told: what comes now is news, of the next run of the same model. */
void lbr_kernels_told(lbr_model *model);
#endif
