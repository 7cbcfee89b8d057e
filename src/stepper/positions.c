/* positions.c - instances of irk2.inc, some for a number of stages; compiled once per instruction set.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Where the number of stages is a constant, sums over stages are no loops and what they read stays in registers: a
 * tenth of a step of gauss:6. Where fma is a call, nothing of that can be seen. From four components on, blocks of a
 * run-time n are better than a loop over all: what a callback stored last waits for memory before it can be read
 * together. */
#include "instances.h"

#include <math.h>

#include "scalar.inc"
#define WATCHED        0 /* from outside: plan/state.c */
#define FORCE(t, q, f) a->force(t, q, f, a->ctx)
#define BLOCK_OF_STAGES
#define GLUE_(w, s, d, c) irk2_##w##_##s##_##d##c
#define GLUE(w, s, d, c)  GLUE_(w, s, d, c)
#define INSTANCE(c)       GLUE(WIDTH, COUNT, DRIFT, c)
#define ONE(w, s)                                                                                      \
    {                                                                                                  \
        w, s,                                                                                          \
        {                                                                                              \
            { irk2_##w##_##s##_00, irk2_##w##_##s##_01 }, { irk2_##w##_##s##_10, irk2_##w##_##s##_11 } \
        }                                                                                              \
    }

#define WIDTH 1
#define COUNT 0
#include "positions.inc"
#undef WIDTH
#define WIDTH 2
#define COUNT 0
#include "positions.inc"
#undef WIDTH
#define WIDTH 3
#define COUNT 0
#include "positions.inc"
#undef WIDTH
#define WIDTH 0
#define COUNT 0
#include "positions.inc"
#undef WIDTH

#ifdef __has_feature
    #if __has_feature(address_sanitizer) /* where every access is checked, copies take minutes to compile */
        #define FEW_COPIES
    #endif
#endif

#if (defined FP_FAST_FMA || defined __FMA__) && !defined FEW_COPIES
    #define WIDTH 1
    #define COUNT 2
    #include "positions.inc"
    #define COUNT 4
    #include "positions.inc"
    #define COUNT 6
    #include "positions.inc"
    #undef WIDTH
    #define WIDTH 2
    #define COUNT 2
    #include "positions.inc"
    #define COUNT 4
    #include "positions.inc"
    #define COUNT 6
    #include "positions.inc"
    #undef WIDTH
    #define WIDTH 3
    #define COUNT 2
    #include "positions.inc"
    #define COUNT 4
    #include "positions.inc"
    #define COUNT 6
    #include "positions.inc"
    #undef WIDTH
    #define WIDTH 0
    #define COUNT 2
    #include "positions.inc"
    #define COUNT 4
    #include "positions.inc"
    #define COUNT 6
    #include "positions.inc"
    #undef WIDTH
    #define ROW(w) ONE(w, 2), ONE(w, 4), ONE(w, 6), ONE(w, 0)
#else
    #define ROW(w) ONE(w, 0)
#endif

#define PASTE_(a, b) a##b
#define PASTE(a, b)  PASTE_(a, b)
const lbr_positions PASTE(lbr_positions_, LBR_ISA)[] = { ROW(1), ROW(2), ROW(3), ROW(0) };
