/* cfile.h - a system written in C: its file compiled or found in the cache, loaded, and kept as text.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_KERNEL_CFILE_H
#define LBR_KERNEL_CFILE_H
#include "fuse_model.h"
#include "stepper/kernel.h"

/* One that is loaded, which it is until the process ends. */
typedef struct lbr_cfile {
    int (*answer)(const lbr_kernel_request *, lbr_kernel *,
                  struct lbr_cfile *); /* first: the object calls it; of fuse_c.c */
    int (*model)(lbr_system *out);     /* its lbr_model; NULL: it has none */
    lbr_inside inside;                 /* a function in it, which calls `answer` with this file */
    char *text;                        /* what the preprocessor made of it; NULL: it could not */
    uint64_t digest;                   /* of what it consists of (included.h): what the numbers depend on */
    char *names;                       /* of these files, each ended by a zero and the last by two; NULL: not known */
    int outside; /* the assembler reads files too, of which the text knows nothing: neither kept nor fused */
    char *object;
    size_t size;    /* the shared object, byte by byte: it has names */
    void *base;     /* where that is loaded */
    int isa;        /* lbr_isa: for which both were made */
    double seconds; /* of compiling; 0: it was in the cache */
    const volatile sig_atomic_t *interrupt;
    lbr_system system;          /* for kernels (fuse_c.h) */
    lbr_kernels_report *report; /* of whoever asks while a plan is made; or NULL */
    int how;                    /* LBR_COMPILE_..., or LBR_KERNELS_NONE */
    const void *lately[8];
    int nlately; /* kernels since lbr_cfuse_ask */
} lbr_cfile;

/* Compiles FILE.c with $LIBRATION_CC (or cc), run by exec under limits of time ($LIBRATION_CC_SECONDS) and memory in a
 * private folder that is removed; or finds it in the cache, if nothing that it includes has changed and the compiler
 * had nothing to say. `include` is a flag, -I..., or
 * ""; *said what the compiler said, or NULL (lbr_mem_free). NULL: *status says why (LBR_EUNFIT no compiler, LBR_EARG it
 * failed or took too long, LBR_EIO, LBR_ENOMEM, LBR_STOPPED), and the message. */
lbr_cfile *lbr_cfile_load(const char *path, int isa, const char *include, const volatile sig_atomic_t *interrupt,
                          char **said, lbr_status *status, lbr_message *message);

/* What decides bits: of the compiler's own ideas about functions only those are left that cannot change a result. For
 * the file and for kernels. */
enum { LBR_CFILE_FLAGS = 38 };
extern const char *const lbr_cfile_flags[LBR_CFILE_FLAGS];
#endif
