/* regular_file.h - files that another program has left: read only if they are regular files.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_KERNEL_REGULAR_FILE_H
#define LBR_KERNEL_REGULAR_FILE_H
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Opened for reading, its size in *size; -1: it is not there, or something else (a pipe does not make it wait). */
int lbr_regular_open(const char *path, int64_t *size);
/* The same as a stream, or NULL. */
FILE *lbr_regular_stream(const char *path);
/* The first `most` bytes at most, with a 0 behind them (lbr_mem_free), how many in *size; with `whole` a longer file is
 * none. NULL: none, or no memory. */
char *lbr_regular_read(const char *path, size_t most, int whole, size_t *size);
#endif
