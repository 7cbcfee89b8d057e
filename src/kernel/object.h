/* object.h - a shared object made from our text: how it is told from others, and loaded.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_KERNEL_OBJECT_H
#define LBR_KERNEL_OBJECT_H
#include "core/text.h"
#include "digest.h"

#include <stdio.h>

/* Ends a C text: the digest of what it is, and the address of `symbol`, which may be static; 0, or it could not be
 * written. */
int lbr_object_export(FILE *text, const lbr_digest *key, const char *symbol);

/* What every object has in it beside its text, for digests. */
const char *lbr_object_probe(void);

/* Loads what was made from such a text, for good. Another digest, or none, or a compiler that does not compute what is
 * written (-ffast-math): not loaded, NULL, and the sentence says it. */
void *lbr_object_load(const char *path, const lbr_digest *key, lbr_message *message);

/* Whether a file is a shared object that is not cut off: loading one that is would kill the process (SIGBUS), not fail.
 */
int lbr_object_whole(int fd, int64_t size);
#endif
