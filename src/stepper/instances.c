/* instances.c - one instantiation of every template and width (irk2.inc: positions.c); compiled once per instruction
 * set. SPDX-License-Identifier: BSD-3-Clause */
#include "instances.h"

#include <math.h>

#include "scalar.inc"
#define WATCHED 0 /* from outside: plan/state.c */
#define UNROLL
#define STAGES            a->stages
#define IMPLICIT          a->implicit
#define SPLIT             a->split
#define FORCE(t, q, f)    a->force(t, q, f, a->ctx)
#define VELOCITY(t, p, v) a->velocity(t, p, v, a->ctx)
#define CAN_TURN          1
#define TURNS             a->turns
#define HALF_P(t, q, f)   a->force(t, q, f, a->half)
#define HALF_Q(t, p, v)   velocities(a, t, p, v)
#define BLOCK_OF_STAGES

static inline int velocities(const lbr_irk_args *a, double t, const double *p, double *v)
{
    if (!a->m) return a->velocity(t, p, v, a->half);
    for (int64_t l = 0; l < a->nq; l++) v[l] = a->m[l] * p[l];
    return 0;
}

/* The name of an instance: irk_4_01 is irk.inc for n = 4, variant 0 (here: not a pair), with compensated sums. */
#define GLUE_(of, w, v, c) of##_##w##_##v##c
#define GLUE(of, w, v, c)  GLUE_(of, w, v, c)
#define INSTANCE(c)        GLUE(OF, WIDTH, VARIANT, c)

/* Widths with an instance of their own. The last one, for any n, has at least four components: fewer always have one.
 * More gain nothing where fma is a call, but those who look for mistakes shall find those of all. Where another
 * instruction set's are as good there is the last one alone (LBR_ANY_WIDTH, instance_choice.c). */
#ifdef __has_feature
    #if __has_feature(address_sanitizer)
        #define ALL_WIDTHS
    #endif
#endif
#ifdef LBR_ANY_WIDTH
    #define WIDTHS(X) X(0)
#elif defined FP_FAST_FMA || defined __FMA__ || defined ALL_WIDTHS
    #define WIDTHS(X) X(1) X(2) X(3) X(4) X(6) X(0)
    #define WIDTH     4
    #include "width.inc"
    #define WIDTH 6
    #include "width.inc"
#else
    #define WIDTHS(X) X(1) X(2) X(3) X(0)
#endif
#ifndef LBR_ANY_WIDTH
    #define WIDTH 1
    #include "width.inc"
    #define WIDTH 2
    #include "width.inc"
    #define WIDTH 3
    #include "width.inc"
#endif
#define WIDTH 0
#include "width.inc"

/* clang-format off */
#define TWO(name, w, v)  { name##_##w##_##v##0, name##_##w##_##v##1 }
#define THREE(name, w)   { TWO(name, w, 0), TWO(name, w, 1), TWO(name, w, 2) }
#define ROW(w)                                                                                                 \
    { w, THREE(driftkick, w), TWO(erk, w, ), { TWO(irk, w, 0), TWO(irk, w, 1) }, THREE(erk_forced, w),         \
      THREE(nystrom, w), THREE(inystrom, w) },
/* clang-format on */

#define PASTE_(a, b) a##b
#define PASTE(a, b)  PASTE_(a, b)
const lbr_instance PASTE(lbr_instances_, LBR_ISA)[] = { WIDTHS(ROW) };
