/* compile.h - C text made into a loaded object: by the system's compiler, or from the cache. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_KERNEL_COMPILE_H
#define LBR_KERNEL_COMPILE_H
#include "core/text.h"

#include <signal.h>

/* What is asked. The text must define what `symbol` names (a function or data; static is well); it is compiled as one C17 file. */
typedef struct lbr_compile {
    const char *const *text;  int64_t ntext;             /* pieces of C, in order                                      */
    const char *symbol;
    int isa;                                             /* lbr_isa: x86-64-v2, -v3, -v4; AUTO: the best that is here  */
    const char *const *flags;  int nflags;               /* beside those that all have                                 */
    const char *folder;                                  /* for #include "...", or NULL: headers of the system only    */
    const volatile sig_atomic_t *interrupt;              /* or NULL                                                    */
} lbr_compile;

/* What there is. Objects stay loaded until the process ends. */
typedef struct lbr_object {
    void *symbol;                                        /* its address                                                */
    double seconds;                                      /* of compiling; 0: it was there already                      */
    int cached;                                          /* it came from the cache, or this process had it already     */
    lbr_message message;                                 /* one sentence if something is to be said: why there is none, or why the cache is not used; else "" */
} lbr_object;

/* LBR_OK, or why there is no object (the sentence is in object->message): LBR_EUNFIT no compiler, LBR_EARG it failed or took too long, LBR_EIO disk
 * and the like, LBR_STOPPED. May be called from several threads; a text that was compiled in this process, or could not be, is not compiled again. */
lbr_status lbr_compile_object(const lbr_compile *c, lbr_object *object);
#endif
