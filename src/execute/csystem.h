/* csystem.h - a system written in C: compiled, loaded, asked. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_EXECUTE_CSYSTEM_H
#define LBR_EXECUTE_CSYSTEM_H
#include "execute.h"

typedef struct lbr_csystem {
    lbr_system system;      /* what it points to stays until the process ends */
    uint64_t digest;        /* of the file and of what it includes */
    double seconds;         /* of compiling it; 0: it was in the cache */
    struct lbr_cfile *file; /* what it was loaded from (kernel/cfile.h) */
    char *said;             /* what the compiler said, or NULL; lbr_mem_free */
} lbr_csystem;

/* Compiles FILE.c with $LIBRATION_CC (or cc) for an instruction set (lbr_options.isa), or finds it in the cache; loads
 * it, and calls its int lbr_model(lbr_system *out). Plans of the system get kernels. Returns an exit status. */
int lbr_csystem_load(lbr_csystem *c, const char *path, int isa, const volatile sig_atomic_t *interrupt,
                     lbr_message *message);
/* The names of the files it consists of, each ended by a zero and the last by two; NULL: not known. */
const char *lbr_csystem_files(const lbr_csystem *c);
#endif
