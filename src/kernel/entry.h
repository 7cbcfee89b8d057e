/* entry.h - one kernel in the cache: kept, found, loaded. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_KERNEL_ENTRY_H
#define LBR_KERNEL_ENTRY_H
#include "core/text.h"
#include "digest.h"

/* What a name in the folder is: 0 not ours, a kernel, one that is being written, or the mark of one that took too long.
 */
enum { LBR_ENTRY_KERNEL = 1, LBR_ENTRY_UNFINISHED, LBR_ENTRY_LATE, LBR_ENTRY_NAME = LBR_DIGEST_HEX + 40 };
int lbr_entry_is(const char *name);

/* Keeps a copy of the shared object `object` under its key. */
lbr_status lbr_entry_keep(int folder, const lbr_digest *key, const char *object, lbr_message *message);
/* The address that it exports. NULL: there is no such entry, and the message is ""; or it was not what it should be,
 * which the message says, and is removed. */
void *lbr_entry_load(int folder, const lbr_digest *key, lbr_message *message);

/* That so many seconds were not enough to compile it; and how many were not, or 0. Both are forgotten after a month. */
enum { LBR_ENTRY_FORGOTTEN = 30 * 86400 };
void lbr_entry_keep_late(int folder, const lbr_digest *key, double seconds);
double lbr_entry_late(int folder, const lbr_digest *key);
#endif
