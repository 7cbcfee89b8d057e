/* lock.c - one process for one file: locks that end with whoever holds them. SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* F_OFD_SETLK, flock */
#include "lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/mem.h"
#include "file.h"
#include "whole_file.h"

enum { TRIES = 16 };

static lbr_status taken(const char *path, lbr_message *message)
{
    return lbr_fail(message, LBR_EARG,
                    "cannot write %.300s: another process is writing it; "
                    "wait until that has ended, or name another file",
                    path);
}

/* Whether the name stands for this open file. */
static int is_there(int fd, const char *path)
{
    struct stat a, b;

    return !fstat(fd, &a) && !lstat(path, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* flock would keep readers of HDF5 files out while they grow: HDF5's own library asks for one to read. */
static int ask(int fd)
{
#ifdef F_OFD_SETLK
    return fcntl(fd, F_OFD_SETLK, &(struct flock){ .l_type = F_WRLCK, .l_whence = SEEK_SET });
#else
    return flock(fd, LOCK_EX | LOCK_NB);
#endif
}

/* 1: locked; 0: another process has it; -1: there are no locks here. */
static int try(int fd)
{
    int code;

    do code = ask(fd);
    while (code && errno == EINTR);
    return !code ? 1 : errno == EWOULDBLOCK || errno == EACCES ? 0 : -1;
}

lbr_status lbr_lock_file(int fd, const char *path, lbr_message *message)
{
    return !try(fd) || !is_there(fd, path) ? taken(path, message) : LBR_OK;
}

/* A file that its owner has removed between our opening and our locking it is tried again. */
lbr_status lbr_lock_take(lbr_lock *lock, const char *path, lbr_message *message)
{
    size_t room = strlen(path) + sizeof ".lock";
    struct stat s;
    int got;

    lock->fd = -1;
    if (!(lock->path = lbr_mem_alloc(room))) return lbr_fail(message, LBR_ENOMEM, "out of memory");
    snprintf(lock->path, room, "%s.lock", path);
    for (int i = 0; i < TRIES; i++) {
        lock->fd = open(lock->path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
        if (lock->fd < 0) return lbr_file_fail(message, "open", lock->path, errno);
        if (fstat(lock->fd, &s) || !S_ISREG(s.st_mode))
            return lbr_fail(message, LBR_EARG, "cannot open %.300s: it is not a regular file", lock->path);
        if (!(got = try(lock->fd))) return taken(path, message);
        if (got > 0 && is_there(lock->fd, lock->path)) return lbr_whole_tidy(path), LBR_OK;
        if (got < 0) return LBR_OK;
        close(lock->fd), lock->fd = -1;
    }
    return taken(path, message);
}

/* Only a file that is empty and still there is ours to remove. While it is locked nobody else takes it for his. */
void lbr_lock_release(lbr_lock *lock)
{
    struct stat s;

    if (lock->path && lock->fd >= 0) {
        if (try(lock->fd) && !fstat(lock->fd, &s) && S_ISREG(s.st_mode) && !s.st_size && is_there(lock->fd, lock->path))
            unlink(lock->path);
        close(lock->fd);
    }
    lbr_mem_free(lock->path);
    *lock = (lbr_lock){ .fd = -1 };
}
