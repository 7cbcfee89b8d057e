/* fuse_make.h - a model's kernel while it is being written: shared by the files that write it.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_KERNEL_FUSE_MAKE_H
#define LBR_KERNEL_FUSE_MAKE_H
#include "program/emit.h"
#include "model/model_system.h"
#include "stepper/kernel.h"

enum { LBR_WRITTEN_FUNCTIONS = 512 };

/* A C file: definitions, functions, names for the template, the table of functions for callbacks. */
typedef struct lbr_writing {
    lbr_model *model;
    int width, exact, groups; /* lanes of a REAL (1: numbers), whether they call libm one by one, and how many REALs for
                                 each component */
    int row;                  /* stages side by side in a ROW; 0: each is a number */
    lbr_unit unit;
    lbr_text head, rows, names, table; /* rows: functions of ROWs */
    const lbr_function *native[LBR_WRITTEN_FUNCTIONS];
    unsigned inputs[LBR_WRITTEN_FUNCTIONS];
    int natives;
    lbr_kernel_flow *part; /* what it calls: one for each part of the model, or NULL */
    lbr_message message;
} lbr_writing;

/* f<i>: the function, its place in the table, and its number in *i; its parameters are in inputs[*i]
 * (lbr_emit_function). */
lbr_status lbr_write_function(lbr_writing *w, const lbr_function *f, int *i);

/* FLOW or INCREMENT for the parts of the request. */
lbr_status lbr_write_flows(lbr_writing *w, const lbr_kernel_request *request);
#endif
