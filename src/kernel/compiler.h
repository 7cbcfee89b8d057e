/* compiler.h - the system's compiler: which one, how it is called. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_KERNEL_COMPILER_H
#define LBR_KERNEL_COMPILER_H
#include "command.h"
#include "digest.h"
#include "folder.h"

enum { LBR_COMPILER_FLAGS = 64 };
typedef struct lbr_compiler {
    const char *name;    /* $LIBRATION_CC, or cc */
    char path[LBR_PATH]; /* where it was found */
    const char *flag[LBR_COMPILER_FLAGS];
    int nflags;     /* of every call, without files */
    double seconds; /* that a call may take */
    int gentle;     /* others go first */
    const volatile sig_atomic_t *interrupt;
} lbr_compiler;

/* $LIBRATION_CC, or cc. */
const char *lbr_compiler_name(void);
/* $LIBRATION_CC_SECONDS, or what is usual. */
double lbr_compiler_seconds(double usual);
/* What is there, if it is no time between 0 and a day: then it does not count. NULL: all is well. */
const char *lbr_compiler_odd_seconds(void);

/* Finds it. LBR_EUNFIT: there is none. */
lbr_status lbr_compiler_find(lbr_compiler *c, lbr_message *message);
/* The flags of all kernels, for this isa (lbr_isa), and then those of the caller, which must stay. LBR_EARG: the
 * machine lacks the isa, or too many. */
lbr_status lbr_compiler_flags(lbr_compiler *c, int isa, const char *const *flags, int nflags, lbr_message *message);
/* Adds who it is and its flags to a digest. */
void lbr_compiler_digest(const lbr_compiler *c, lbr_digester *d);

/* Begins it in a folder of ours with its flags and `more` (ended by NULL) behind them; then (command.h) it is waited
 * for or asked, and ended. A failure gives a status and a sentence, with what it said. */
lbr_status lbr_compiler_begin(const lbr_compiler *c, const lbr_folder *folder, const char *const *more,
                              lbr_process *process, lbr_message *message);
lbr_status lbr_compiler_end(const lbr_compiler *c, const lbr_folder *folder, lbr_process *process,
                            lbr_message *message);
#endif
