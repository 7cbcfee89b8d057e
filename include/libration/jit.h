/* jit.h - machine code for models, from C. SPDX-License-Identifier: BSD-3-Clause
 *
 * A model's functions are interpreted, which takes a few times as long as compiled C would. Here the system's own C
 * compiler makes one function of a method's steps and the model's functions; the bits stay the same. It is called as a
 * child process (`cc`, or what $LIBRATION_CC names), and what it makes is kept in a cache ($LIBRATION_CACHE; `libration
 * cache` tells where).
 *
 * This is the library ration-jit, which has all of ration in it: link -lration-jit instead of -lration
 * (pkg-config libration-jit, CMake target libration::jit). */
#ifndef LIBRATION_JIT_H
#define LIBRATION_JIT_H
#include "model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* lbr_plan_create for the system of a problem, with machine code where that can be. It waits for the compiler, from a
 * tenth of a second on. What comes of it is not trusted: the first steps of h from the problem's start are made with it
 * and without, and compared to the last bit; a kernel that differs is compiled again with less optimisation, and at
 * last not used. lbr_plan_kernel tells whether there is one ("fused"). h = 0: the step of the file.
 *
 * Where nothing can be compared there is none either: without a step, from a start that is not finite, lies off the
 * constraints or at which the field has no value, or if the first step fails. Then the model is interpreted, and the
 * next call, with another start or step, compares what has been compiled. A kernel that was found right once in this
 * process is used wherever the same kernel is wanted, whatever the start.
 *
 * That there is none is no failure: *note (it may be NULL) says why, or what else should be known, such as that the
 * cache cannot be used; "": nothing. It lives until the next call for this problem. Where only the model's functions
 * become machine code, they are that for all plans of the problem, also for those that lbr_plan_create has made. The
 * plan is freed before the problem is changed or freed, as others are. */
LBR_API lbr_status lbr_jit_plan(lbr_plan **plan, const char *method, lbr_problem *problem, const lbr_options *options,
                                double h, const char **note);

#ifdef __cplusplus
}
#endif
#endif
