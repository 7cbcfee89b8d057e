/* included.h - what a file in C consists of: itself and the files of its own that it includes.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_KERNEL_INCLUDED_H
#define LBR_KERNEL_INCLUDED_H
#include <stdint.h>

/* The digest of the bytes of all files that a rule for make names (as compilers write them, -MMD), in their order,
 * without their names: where they lie does not matter. Those of Libration in the folder `own` ("": none) are left out,
 * since its version is told elsewhere. 0: the rule or a file of it could not be read, and nothing is known. */
uint64_t lbr_included_digest(const char *rule, const char *own);
/* The names of these files, all of them, each ended by a zero and the last by two (lbr_mem_free). NULL: not known, or
 * no memory. */
char *lbr_included_names(const char *rule);
/* Adds one file to a digest; 0: it could not be read. */
int lbr_included_file(const char *name, uint64_t *digest);
#endif
