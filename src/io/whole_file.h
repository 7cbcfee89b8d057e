/* whole_file.h - files that are there as a whole or not at all: plots, reports, checkpoints.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A file is written beside its target, under the target's name and something random, synced, and renamed; the folder is
 * synced too. A kill on the way may leave the file beside, never a target that is not whole. Statuses: LBR_EARG if the
 * name is at fault (something is there, the folder is not, no permission), LBR_EIO if the disk is. */
#ifndef LBR_IO_WHOLE_FILE_H
#define LBR_IO_WHOLE_FILE_H
#include "core/text.h"

/* What exists (a link too) is replaced only with `force`, a folder never; without `force` nothing is replaced even if
 * it appears meanwhile. */
lbr_status lbr_whole_write(const char *path, const void *bytes, size_t size, int force, lbr_message *message);
/* Removes what a kill has left of such files beside this one. Only for whoever knows that nobody is writing it. */
void lbr_whole_tidy(const char *path);
/* Whether it could: exists and no force, or the folder is not there or not writable. For a check before a long run. */
lbr_status lbr_whole_check(const char *path, int force, lbr_message *message);
/* A regular file (links are followed) of at most `most` bytes, with a 0 behind it; free it with lbr_mem_free. */
lbr_status lbr_whole_read(const char *path, size_t most, char **bytes, size_t *size, lbr_message *message);
#endif
