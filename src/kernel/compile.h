/* compile.h - C text made into a loaded object: by the system's compiler, or from the cache.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_KERNEL_COMPILE_H
#define LBR_KERNEL_COMPILE_H
#include "core/text.h"

#include <signal.h>

/* How long one waits: until it is there; not at all, and the compiler works beside, after others that do (one at a
 * time, with less claim to the processor than we have); not at all, and nothing is begun. */
enum { LBR_COMPILE_WAIT, LBR_COMPILE_BESIDE, LBR_COMPILE_LOOK };

/* What is asked. The text must define what `symbol` names (a function or data; static is well); it is compiled as one
 * C17 file, and includes headers of the system only. */
typedef struct lbr_compile {
    const char *const *text;
    int64_t ntext; /* pieces of C, in order */
    const char *symbol;
    int isa; /* lbr_isa: x86-64-v2, -v3, -v4; AUTO: the best that is here */
    const char *const *flags;
    int nflags;                             /* beside those that all have; of constant text */
    int how;                                /* LBR_COMPILE_... */
    const volatile sig_atomic_t *interrupt; /* or NULL */
} lbr_compile;

/* What there is. Objects stay loaded until the process ends. */
typedef struct lbr_object {
    void *symbol;   /* its address */
    double seconds; /* of compiling; 0: it was there already */
    int cached;     /* it came from the cache, or this process had it already */
    int pending;    /* there is none yet, and nothing was wrong */
    uint64_t key;
    double at_least;     /* of one that is pending: which it is; seconds that were not enough for it before */
    int judged;          /* it was found good (lbr_compile_judge) */
    int less;            /* so much less was allowed, as what was made before was not good */
    lbr_message message; /* why there is none, or what is wrong with the cache; or "" */
} lbr_object;

/* LBR_OK, or why there is no object (the sentence is in object->message): LBR_EUNFIT no compiler, or object->pending;
 * LBR_EARG it failed or took too long, LBR_EIO disk and the like, LBR_STOPPED. May be called from several threads; a
 * text that was compiled in this process, or could not be, is not compiled again. */
lbr_status lbr_compile_object(const lbr_compile *c, lbr_object *object);

/* What such an object does was compared with what it should do. One that is not good is not given any more: the text is
 * compiled again without vectors, then with -O1, and then it counts as one that cannot be compiled. */
void lbr_compile_judge(const void *symbol, int good);

/* Of compilers that work beside: takes what they have made, and gives the number of those that still work. For one
 * thread. */
int lbr_compile_poll(void);
/* Waits for them all. */
void lbr_compile_wait(void);
/* Ends them all and removes what they have left: before the process ends. That their time was not enough is remembered
 * in the cache. */
void lbr_compile_end(void);
#endif
