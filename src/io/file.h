/* file.h - what every file here needs: opened without following links, written to the end, failures in words.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_IO_FILE_H
#define LBR_IO_FILE_H
#include "core/text.h"

/* "cannot WHAT PATH: REASON". LBR_EARG where another name or another permission would help, LBR_EIO where the machine
 * is at fault. */
lbr_status lbr_file_fail(lbr_message *message, const char *what, const char *path, int error);

/* Creates an empty file that only this call can have created, and locks it (lock.h). Something there (a link too) is
 * LBR_EARG; with `force` a file or a link is removed first, never written through, unless another process has it
 * locked. */
lbr_status lbr_file_create(int *fd, const char *path, int force, lbr_message *message);
/* A regular file that is there, and its size; `writing` or only reading. */
lbr_status lbr_file_open(int *fd, int64_t *size, const char *path, int writing, lbr_message *message);

/* What a name stands for; links are not followed. */
enum { LBR_FILE_NONE, LBR_FILE_REGULAR, LBR_FILE_LINK, LBR_FILE_FOLDER, LBR_FILE_OTHER };
int lbr_file_kind(const char *path);

/* The folder of a path ("." if it names none), or NULL: no memory; lbr_mem_free. */
char *lbr_file_folder(const char *path);
/* Whether two names stand for one file, or would: of files that are not there the folders and the last parts are
 * compared. */
int lbr_file_same(const char *a, const char *b);
/* LBR_EARG, and the sentence that it is there and is not replaced. */
lbr_status lbr_file_exists(const char *path, lbr_message *message);
/* Whether a file of this name could be made, for a check before a long run: what is there, its folder, its length with
 * `beside` bytes more. */
lbr_status lbr_file_check(const char *path, int force, int beside, lbr_message *message);

/* Whether `force` may replace it: not while another process has it locked. */
lbr_status lbr_file_free(const char *path, lbr_message *message);

/* All bytes, however many calls it takes. 0, or the errno; *done (if not NULL) is how many came through. */
int lbr_file_write(int fd, const void *bytes, size_t n, int64_t at, size_t *done);
int lbr_file_read(int fd, void *bytes, size_t n, int64_t at);
#endif
