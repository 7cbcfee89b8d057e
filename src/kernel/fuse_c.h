/* fuse_c.h - machine code for systems written in C: steppers' templates around the functions of their files.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_KERNEL_FUSE_C_H
#define LBR_KERNEL_FUSE_C_H
#include "cfile.h"

/* From now on plans of `system`, which the file's lbr_model has filled, get kernels (lbr_system.inside). Each kernel
 * has the whole file in it, and so its own copy of the file's data: its own lbr_model is called once, and the kernel is
 * used only if that describes the same system. A system that brings its own keeps it. */
void lbr_cfuse_enable(lbr_cfile *file, lbr_system *system);

/* As lbr_kernels_ask and lbr_kernels_judge (fuse_model.h). */
void lbr_cfuse_ask(lbr_cfile *file, int how, lbr_kernels_report *report);
void lbr_cfuse_judge(lbr_cfile *file, int good);
#endif
