/* fuse_model.h - machine code for models: their functions, and steppers' templates around them.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_KERNEL_FUSE_MODEL_H
#define LBR_KERNEL_FUSE_MODEL_H
#include "compile.h"
#include "model/model_system.h"

#include <signal.h>

/* What came of asking for machine code. It belongs to whoever asks (a run) and begins as zeros; each time that one asks
 * the first half is made anew, the second added up. */
typedef struct lbr_kernels_report {
    int functions; /* the system's functions themselves are machine code */
    int untried;   /* kernels that nobody has compared with the interpreter */
    int pending;
    size_t bytes;    /* kernels that are not there yet; the length of their texts */
    uint64_t key;    /* of the first of them: which it is; it stays */
    double at_least; /* seconds that were not enough for one */

    int kernels, compiled; /* in use; of these compiled now, not found in the cache */
    double seconds;        /* of compiling */
    int refused;           /* there was no kernel, and the message says why */
    int tentative;         /* the message is about a kernel that is to come */
    lbr_message message;   /* what is to be said: why there is no machine code, or why the cache is not used; "" */
} lbr_kernels_report;

/* For those who answer: one asks anew; an object that came of it, or none; its text has so many bytes. */
void lbr_kernels_anew(lbr_kernels_report *report);
void lbr_kernels_came(lbr_kernels_report *report, const lbr_object *object, lbr_status status, size_t bytes);
/* Says it, if it is the first thing to be said, or why there is no kernel rather than anything else. */
void lbr_kernels_say(lbr_kernels_report *report, lbr_status status, int pending, const char *text);

/* From now on plans of the model's system get kernels (lbr_system.inside). Call it after lbr_model_system and before
 * plans are made. Kernels live as long as the model. LBR_ENOMEM. */
lbr_status lbr_kernels_enable(lbr_model *model, const volatile sig_atomic_t *interrupt);

/* How plans made from now on get them: LBR_COMPILE_... of compile.h (at first LBR_COMPILE_WAIT), or LBR_KERNELS_NONE:
 * not at all. What comes of it goes to the report, or to nobody: it is the plan that asks, by lbr_system.fuse, whose
 * answer is a kernel or none, so that for the time of making a plan, and no longer, the model knows who wants to hear
 * more. Ask for none before the report is gone. */
enum { LBR_KERNELS_NONE = -1 };
void lbr_kernels_ask(lbr_model *model, int how, lbr_kernels_report *report);

/* Machine code for the functions that callbacks evaluate, as was asked for, for methods that no template fuses; isa as
 * in the options. Without a compiler they stay interpreted, and the report says why. */
void lbr_kernels_functions(lbr_model *model, int isa, lbr_kernels_report *report);

/* Where the low parts of a state are put before functions are evaluated in extended precision, and NULL afterwards;
 * NULL: there are no kernels. */
lbr_low *lbr_kernels_low(lbr_model *model);

/* While on, functions are interpreted that have machine code. */
void lbr_kernels_interpret(lbr_model *model, int on);
/* Whether the kernels that were asked for last do what the interpreter does. If not they are forgotten, and compiled
 * with less when they are asked for again. */
void lbr_kernels_judge(lbr_model *model, int good);
/* From now on the model's functions are interpreted, until machine code is asked for again. */
void lbr_kernels_forget(lbr_model *model);
#endif
