/* cache.h - the folder of compiled kernels. SPDX-License-Identifier: BSD-3-Clause
 *
 * It is ours alone, or it is not used: what lies there is run. An entry's name is the digest of all that it was made
 * of; it is a shared object and, behind it, a checksum (entry.c). Entries are written beside and renamed, so that they
 * are there as a whole or not at all; whoever finds a bad one removes it. Any number of processes may do all of this at
 * once. */
#ifndef LBR_KERNEL_CACHE_H
#define LBR_KERNEL_CACHE_H
#include "core/text.h"

/* Where it is, for people: $LIBRATION_CACHE, or libration in $XDG_CACHE_HOME or $HOME/.cache; "" if none of these is
 * set. */
void lbr_cache_path(char *path, size_t size);

/* What is in it. LBR_EIO: it is not usable, and the message says why. No folder: all zero. */
typedef struct lbr_cache_size {
    int64_t kernels, bytes;
} lbr_cache_size;
lbr_status lbr_cache_measure(lbr_cache_size *size, lbr_message *message);
/* Removes our files, nothing else. */
lbr_status lbr_cache_clear(lbr_cache_size *removed, lbr_message *message);

/* --- for whoever compiles ---------------------------------------------------------------------------------------- */

/* Opens the folder (with `make` it is made if it is not there); close it. LBR_EIO: the message says why it is not used;
 * *folder is then -1, as it is when there is none and none is made. */
lbr_status lbr_cache_open(int make, int *folder, lbr_message *message);
/* After a new entry: those that were used least recently go until at most LBR_CACHE_KERNELS and LBR_CACHE_BYTES are
 * left. */
enum { LBR_CACHE_KERNELS = 2000, LBR_CACHE_BYTES = 256 << 20 };
void lbr_cache_trim(int folder);
#endif
