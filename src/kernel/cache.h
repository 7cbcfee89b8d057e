/* cache.h - the folder of compiled kernels. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_KERNEL_CACHE_H
#define LBR_KERNEL_CACHE_H
#include "core/text.h"

/* Where it is, for people: $LIBRATION_CACHE, or libration in $XDG_CACHE_HOME or $HOME/.cache; "" if none of these is set. */
void lbr_cache_path(char *path, size_t size);

/* What is in it. LBR_EIO: it is not usable, and the message says why. No folder: all zero. */
typedef struct lbr_cache_size { int64_t kernels, bytes; } lbr_cache_size;
lbr_status lbr_cache_measure(lbr_cache_size *size, lbr_message *message);
/* Removes our files, nothing else. */
lbr_status lbr_cache_clear(lbr_cache_size *removed, lbr_message *message);
#endif
