/* instances.c - one instantiation of every template and width (irk2.inc: positions.c); compiled once per instruction set. SPDX-License-Identifier: BSD-3-Clause */
#include "instances.h"

#include <math.h>

#include "scalar.inc"
#define WATCHED 0                                    /* from outside: plan/state.c */
#define UNROLL
#define STAGES a->stages
#define IMPLICIT a->implicit
#define SPLIT a->split
#define FORCE(t, q, f) a->force(t, q, f, a->ctx)
#define VELOCITY(t, p, v) a->velocity(t, p, v, a->ctx)

#define WIDTH 1
#include "width.inc"
#define WIDTH 2
#include "width.inc"
#define WIDTH 3
#include "width.inc"
#define WIDTH 4
#include "width.inc"
#define WIDTH 6
#include "width.inc"
#define WIDTH 0
#include "width.inc"

#define THREE(name, w) { { name##_##w##_00, name##_##w##_01 }, { name##_##w##_10, name##_##w##_11 }, { name##_##w##_20, name##_##w##_21 } }
#define ROW(w) { w, { { driftkick_##w##_00, driftkick_##w##_01 }, { driftkick_##w##_10, driftkick_##w##_11 },  \
                      { driftkick_##w##_20, driftkick_##w##_21 } },                                         \
                 { erk_##w##_0, erk_##w##_1 }, { { irk_##w##_00, irk_##w##_01 }, { irk_##w##_10, irk_##w##_11 } },  \
                 { { erk_forced_##w##_00, erk_forced_##w##_01 }, { erk_forced_##w##_10, erk_forced_##w##_11 },  \
                   { erk_forced_##w##_20, erk_forced_##w##_21 } },                                          \
                 THREE(nystrom, w), THREE(inystrom, w) },

#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)
const lbr_instance PASTE(lbr_instances_, LBR_ISA)[LBR_NWIDTHS] = { LBR_WIDTHS(ROW) };
