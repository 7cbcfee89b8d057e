/* lock.h - one process for one file: locks that end with whoever holds them. SPDX-License-Identifier: BSD-3-Clause
 *
 * A lock belongs to an open file (fcntl's of open file descriptions), is never waited for, and is only among programs
 * that ask for it: readers are not kept out. It ends when the file is closed, and so with the process, however it ends.
 * Where the file system knows no locks there are none, and nothing is refused. */
#ifndef LBR_IO_LOCK_H
#define LBR_IO_LOCK_H
#include "core/text.h"

/* Locks an open file, which `path` names, until it is closed. LBR_EARG: another process has it, or the name stands for
 * another file by now. */
lbr_status lbr_lock_file(int fd, const char *path, lbr_message *message);

/* For a file that is replaced as a whole again and again: an empty file beside it, NAME.lock, is locked as long as
 * somebody writes it. */
typedef struct lbr_lock {
    int fd;
    char *path;
} lbr_lock;
/* Once it is had, what kills have left beside the file by lbr_whole_write is removed. LBR_EARG: another process has it,
 * or there is something else of that name. All zero is a lock that is not had. */
lbr_status lbr_lock_take(lbr_lock *lock, const char *path, lbr_message *message);
void lbr_lock_release(lbr_lock *lock);
#endif
