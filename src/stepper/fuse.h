/* fuse.h - asking a system for machine code of a template; the templates as text.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_STEPPER_FUSE_H
#define LBR_STEPPER_FUSE_H
#include "kernel.h"
#include "stepper.h"

/* The text of solve/iteration.h, or of args.h or *.inc of this folder. Templates that it includes stand in their
 * places, other #include lines are left out. NULL: there is no such file. */
const char *lbr_template(const char *file);

/* All of them, ended by one without a name; written by the build. */
typedef struct lbr_template_item {
    const char *file, *text;
} lbr_template_item;
extern const lbr_template_item lbr_template_items[];

/* What is asked for: a template, what it needs defined, and the functions that it calls. */
typedef struct lbr_fusing {
    const char *file; /* "driftkick.inc" */
    const char *rows; /* NULL; or the template to be taken where `stages` stages can be put side by side */
    int64_t stages;
    const char *defines; /* lines */
    unsigned uses;       /* LBR_USES_..., but for LBR_USES_WATCH */
    int64_t n;           /* components */
    int whole;           /* FIELD is put together by field.inc */
    int watch;           /* it can watch, if there is something to be watched */
    const int64_t *part;
    int64_t nparts; /* as in the request */
} lbr_fusing;

/* The most components that are kept in local variables. */
enum { LBR_FUSED_MOST = 32 };
/* Doubles of all stages that are local variables; and stages and doubles up to which loops over stages are written out.
 */
enum { LBR_FUSED_LOCAL = 512, LBR_FUSED_STAGES = 8, LBR_FUSED_UNROLLED = 64 };

/* "0, 1, 3": n numbers below 10^6, n >= 1, for what is defined. NULL: out of memory. */
const char *lbr_fuse_list(lbr_arena *arena, int64_t n, const int64_t *x);

/* What there is: entry NULL, the system has none, and instances do the work. */
typedef struct lbr_fused {
    void (*entry)(void);
    void *ctx;
    int watches;
} lbr_fused;

/* A kernel for lanes of a system's states, ask->n being the components of one state; segment and m are left to the
 * caller. LBR_EUNFIT: there is none. */
lbr_status lbr_fuse_lanes(const lbr_setup *setup, const lbr_fusing *ask, lbr_lanes *lanes, lbr_message *message);

/* LBR_OK with or without a kernel; LBR_ENOMEM. Says in setup->instance what it is. */
lbr_status lbr_fuse(lbr_setup *setup, const lbr_fusing *ask, lbr_fused *fused);
#endif
