/* file.c - files opened without following links, written to the end; failures in words.
 * SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L
#include "file.h"
#include "lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/mem.h"

/* The errors that the caller of the program can do something about. */
static int of_the_name(int error)
{
    static const int list[] = { ENOENT, ENOTDIR,      EISDIR, EEXIST, EACCES, EPERM, ELOOP,
                                EMLINK, ENAMETOOLONG, EROFS,  EINVAL, ENXIO,  EBUSY };

    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (list[i] == error) return 1;
    return 0;
}

lbr_status lbr_file_fail(lbr_message *message, const char *what, const char *path, int error)
{
    char reason[128] = "";

    if (strerror_r(error, reason, sizeof reason) || !*reason) snprintf(reason, sizeof reason, "error %d", error);
    return lbr_fail(message, of_the_name(error) ? LBR_EARG : LBR_EIO, "cannot %s %.300s: %s", what, path, reason);
}

int lbr_file_kind(const char *path)
{
    struct stat s;

    if (lstat(path, &s)) return LBR_FILE_NONE; /* or out of reach: opening it will say why */
    return S_ISREG(s.st_mode)   ? LBR_FILE_REGULAR
           : S_ISLNK(s.st_mode) ? LBR_FILE_LINK
           : S_ISDIR(s.st_mode) ? LBR_FILE_FOLDER
                                : LBR_FILE_OTHER;
}

lbr_status lbr_file_exists(const char *path, lbr_message *message)
{
    return lbr_fail(message, LBR_EARG, "%.300s is there already, and nothing is overwritten without --force", path);
}

/* --- names ------------------------------------------------------------------------------------------------------- */

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

char *lbr_file_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t n = slash ? (size_t)(slash - path) + (slash == path) : 1;
    char *name = lbr_mem_alloc(n + 1);

    if (name) memcpy(name, slash ? path : ".", n);
    return name;
}

static int one_inode(const char *a, const char *b, int *there)
{
    struct stat x, y;
    int first = !stat(a, &x), second = !stat(b, &y);

    *there = first || second;
    return first && second && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

int lbr_file_same(const char *a, const char *b)
{
    int there, same = !strcmp(a, b) || one_inode(a, b, &there);
    char *in_a, *in_b;

    if (same || there || strcmp(last_part(a), last_part(b))) return same;
    in_a = lbr_file_folder(a), in_b = lbr_file_folder(b);
    same = in_a && in_b && one_inode(in_a, in_b, &there);
    lbr_mem_free(in_a), lbr_mem_free(in_b);
    return same;
}

lbr_status lbr_file_check(const char *path, int force, int beside, lbr_message *message)
{
    size_t n = strlen(path), length = strlen(last_part(path));
    int error, kind = lbr_file_kind(path);
    struct stat s;
    char *name;
    long most;

    if (!n || path[n - 1] == '/') return lbr_fail(message, LBR_EARG, "'%.300s' is not the name of a file", path);
    if (kind == LBR_FILE_FOLDER) return lbr_fail(message, LBR_EARG, "cannot write %.300s: it is a folder", path);
    if (kind == LBR_FILE_OTHER)
        return lbr_fail(message, LBR_EARG, "cannot write %.300s: it is not a regular file", path);
    if (kind && !force) return lbr_file_exists(path, message);
    if (!(name = lbr_file_folder(path))) return lbr_fail(message, LBR_ENOMEM, "out of memory");
    error = !stat(name, &s) && !S_ISDIR(s.st_mode) ? ENOTDIR : access(name, W_OK | X_OK) ? errno : 0;
    most = pathconf(name, _PC_NAME_MAX);
    lbr_mem_free(name);
    if (error) return lbr_file_fail(message, "write", path, error);
    if (most <= 0 || length + (size_t)beside <= (size_t)most) return LBR_OK;
    return lbr_fail(message, LBR_EARG,
                    "cannot write %.300s: its name is too long, %zu bytes, and at most %ld can be used here", path,
                    length, most - beside);
}

/* --- opening ----------------------------------------------------------------------------------------------------- */

/* What may be replaced, open and locked (-1: nothing, or what cannot be opened): not a file that somebody is writing.
 * What cannot be opened nobody writes who could. */
static lbr_status hold(int *to, const char *path, lbr_message *message)
{
    int kind = lbr_file_kind(path), fd = -1;

    *to = -1;
    if (kind == LBR_FILE_FOLDER) return lbr_fail(message, LBR_EARG, "cannot replace %.300s: it is a folder", path);
    if (kind == LBR_FILE_OTHER)
        return lbr_fail(message, LBR_EARG, "cannot replace %.300s: it is not a regular file", path);
    if (kind == LBR_FILE_REGULAR && (fd = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)) < 0)
        fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    *to = fd;
    return fd >= 0 ? lbr_lock_file(fd, path, message) : LBR_OK;
}

lbr_status lbr_file_free(const char *path, lbr_message *message)
{
    int fd;
    lbr_status status = hold(&fd, path, message);

    if (fd >= 0) close(fd);
    return status;
}

static lbr_status make_room(const char *path, lbr_message *message)
{
    int fd;
    lbr_status status = hold(&fd, path, message);

    if (!status && unlink(path) && errno != ENOENT) status = lbr_file_fail(message, "replace", path, errno);
    if (fd >= 0) close(fd);
    return status;
}

lbr_status lbr_file_create(int *fd, const char *path, int force, lbr_message *message)
{
    lbr_status status = force ? make_room(path, message) : LBR_OK;

    *fd = -1;
    if (status) return status;
    do *fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    while (*fd < 0 && errno == EINTR);
    if (*fd < 0 && errno == EEXIST && force)
        return lbr_fail(message, LBR_EARG, "cannot replace %.300s: another process has just made it", path);
    if (*fd < 0 && errno == EEXIST) return lbr_file_exists(path, message);
    if (*fd < 0) return lbr_file_fail(message, "create", path, errno);
    if ((status = lbr_lock_file(*fd, path, message))) close(*fd), *fd = -1;
    return status;
}

lbr_status lbr_file_open(int *fd, int64_t *size, const char *path, int writing, lbr_message *message)
{
    struct stat s;

    /* Not to wait for a writer, should it be a pipe. */
    do *fd = open(path, (writing ? O_RDWR | O_NOFOLLOW : O_RDONLY) | O_NONBLOCK | O_CLOEXEC);
    while (*fd < 0 && errno == EINTR);
    if (*fd < 0 && errno == ELOOP)
        return lbr_fail(message, LBR_EARG, "cannot open %.300s: it is a link, and links are not written through", path);
    if (*fd < 0) return lbr_file_fail(message, "open", path, errno);
    if (!fstat(*fd, &s) && S_ISREG(s.st_mode)) return *size = s.st_size, LBR_OK;
    close(*fd), *fd = -1;
    return lbr_fail(message, LBR_EARG, "cannot open %.300s: it is not a regular file", path);
}

int lbr_file_write(int fd, const void *bytes, size_t n, int64_t at, size_t *done)
{
    const char *b = bytes;
    size_t k = 0;
    int error = 0;

    while (k < n && !error) {
        ssize_t m = pwrite(fd, b + k, n - k, (off_t)(at + (int64_t)k));

        if (m > 0) k += (size_t)m;
        else if (m == 0) error = ENOSPC;
        else if (errno != EINTR) error = errno;
    }
    if (done) *done = k;
    return error;
}

int lbr_file_read(int fd, void *bytes, size_t n, int64_t at)
{
    char *b = bytes;

    for (size_t k = 0; k < n;) {
        ssize_t m = pread(fd, b + k, n - k, (off_t)(at + (int64_t)k));

        if (m > 0) k += (size_t)m;
        else if (m == 0) return EIO; /* shorter than it was a moment ago */
        else if (errno != EINTR) return errno;
    }
    return 0;
}
