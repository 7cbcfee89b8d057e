/* kernel.h - a template around a system's own functions: what steppers ask for, and what they get.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A stepper that is built for a system with `fuse` (lbr_inside) asks it for machine code of its template with the
 * system's functions inside. Whoever answers puts the functions before the text of the request, compiles, and gives
 * the entry. If there is none (no compiler, a function that cannot be written as C) the stepper goes on with the
 * instances it has: all give the same bits.
 *
 * The text defines a static function `entry`, which has the arguments struct `a` among its parameters, and uses these
 * names, which come from the system:
 *     FORCE(t, q, f)  VELOCITY(t, p, v)  FIELD(t, y, f)       as in system.h, through a->ctx; non-zero: it failed
 *     FLOW(i, t, h, y)  INCREMENT(i, t, h, y, dy)   flow and increment of part i, a literal; non-zero: it failed
 *     CONSTRAINTS(t, q, g)  JACOBIAN(t, q, G)                 constraints, and G in the order of its pattern
 *     WATCH(t, y, w)                                          H and invariants at y against those in w (lbr_watch)
 * It may use fma, fabs, NAN, INFINITY and the types of <stdint.h>. Functions that need the structs of args.h put
 * lbr_template("args.h") before themselves: the text has it again, behind its guard.
 *
 * `fuse` returns 0; or that bit of `uses` which it cannot write as C, so that it can be asked for less (without
 * LBR_USES_WATCH the steps are watched from outside); or anything else if there is no kernel, as for a bit that it
 * does not know. */
#ifndef LBR_STEPPER_KERNEL_H
#define LBR_STEPPER_KERNEL_H
#include "libration/system.h"
#include "args.h"

enum {
    LBR_USES_FORCE = 1,
    LBR_USES_VELOCITY = 2,
    LBR_USES_FIELD = 4,
    LBR_USES_WATCH = 8,
    LBR_USES_FLOWS = 16,
    LBR_USES_INCREMENTS = 32,
    LBR_USES_CONSTRAINTS = 64
};

typedef struct lbr_kernel_request lbr_kernel_request;
typedef struct lbr_kernel lbr_kernel;

/* A system that can compile itself: fills the kernel that is asked for; not 0: there is none. */
struct lbr_inside {
    int (*fuse)(const lbr_kernel_request *request, lbr_kernel *kernel, void *ctx);
};

struct lbr_kernel_request {
    size_t size;
    const char *name; /* of the template, for people */
    const char *const *text;
    int64_t ntext;  /* pieces of C, in order */
    unsigned uses;  /* LBR_USES_...: what the text calls */
    int isa;        /* lbr_isa */
    int64_t n;      /* components that the text keeps in registers; 0: in memory */
    int64_t lanes;  /* 0; or for many states at once: the components of one of them, and */
                    /* then REAL is a vector, and there are GROUPS of them (stepper.h) */
    int64_t stages; /* > 0: so many stages may be put side by side; then IN_ROWS is 1, there are FORCE_ROWS(t, q, f), */
                    /* VELOCITY_ROWS or FIELD_ROWS of what `uses` says, and rows of stages are ROWs (program/emit.h) */
    int exact_lanes; /* lanes call libm number by number */
    int extended;    /* in extended precision (extended.inc): all functions, and what watches, have such numbers */
    const int64_t *part;
    int64_t nparts; /* parts of FLOW or INCREMENT, one for every place in the text */
};

struct lbr_kernel {
    size_t size;
    void (*entry)(void);   /* `entry` of the text */
    void *ctx;             /* for a->ctx; lives as long as the system */
    const char *name;      /* what it is, for people */
    int64_t groups, width; /* with lanes: GROUPS, and the numbers in a REAL */
};
#endif
