/* whole_file.c - files written beside their target and renamed. SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L
#include "whole_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/mem.h"
#include "file.h"
#include "core/clock.h"

enum { BESIDE = 17 }; /* what a name beside has more: a point, 12 digits, .tmp */

/* A name for the file beside; exclusive creation is what makes it safe, this only makes a second try rare. */
static void name_beside(char *name, size_t room, const char *path, unsigned attempt)
{
    double now = lbr_seconds();
    pid_t pid = getpid();
    uint64_t h = lbr_hash(lbr_hash(LBR_HASH, &now, sizeof now), &pid, sizeof pid);

    h = lbr_hash(h, &attempt, sizeof attempt);
    snprintf(name, room, "%s.%012llx.tmp", path, (unsigned long long)(h & UINT64_C(0xffffffffffff)));
}

static lbr_status open_beside(int *fd, char *name, size_t room, const char *path, lbr_message *message)
{
    for (unsigned attempt = 0; attempt < 16; attempt++) {
        name_beside(name, room, path, attempt);
        *fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (*fd >= 0) return LBR_OK;
        if (errno != EEXIST && errno != EINTR) break;
    }
    return lbr_file_fail(message, "create", path, errno);
}

/* Gives the file its name. Without force by a link, which fails if the name is taken, at whatever moment; where the
 * file system has no links, by a file that is made exclusively and then replaced. 0 or the errno. */
static int give_name(const char *name, const char *path, int force)
{
    int fd;

    if (!force) {
        if (!link(name, path)) return unlink(name) ? errno : 0;
        if (errno != EPERM && errno != EOPNOTSUPP && errno != ENOSYS && errno != EMLINK) return errno;
        fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (fd < 0) return errno;
        close(fd);
    }
    return rename(name, path) ? errno : 0;
}

/* A new name is safe once its folder is. Some file systems cannot sync folders, and need not. */
static int sync_folder(const char *name)
{
    int fd = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int error = fd >= 0 && fsync(fd) && errno != EINVAL && errno != ENOTSUP ? errno : 0;

    if (fd >= 0) close(fd);
    return error;
}

/* A name that name_beside may have given. */
static int is_beside(const char *name, const char *of, size_t n)
{
    return !strncmp(name, of, n) && name[n] == '.' && strspn(name + n + 1, "0123456789abcdef") == 12 &&
           !strcmp(name + n + 13, ".tmp");
}

void lbr_whole_tidy(const char *path)
{
    const char *slash = strrchr(path, '/'), *of = slash ? slash + 1 : path;
    char *name = lbr_file_folder(path);
    DIR *d = name ? opendir(name) : NULL;
    struct stat s;

    for (const struct dirent *e; d && (e = readdir(d));)
        if (is_beside(e->d_name, of, strlen(of)) && !fstatat(dirfd(d), e->d_name, &s, AT_SYMLINK_NOFOLLOW) &&
            S_ISREG(s.st_mode))
            unlinkat(dirfd(d), e->d_name, 0);
    if (d) closedir(d);
    lbr_mem_free(name);
}

/* Writes and syncs the file beside, and renames it: 0 or the errno; *what is what failed. */
static int fill(int fd, const char *name, const char *path, const void *bytes, size_t size, int force,
                const char **what)
{
    int error;

    *what = "write";
    error = lbr_file_write(fd, bytes, size, 0, NULL);
    if (!error && fsync(fd)) error = errno;
    if (close(fd) && !error) error = errno;
    if (error) return error;
    *what = "create";
    return give_name(name, path, force);
}

/* `name` has room for the name of the file beside. */
static lbr_status write_beside(const char *path, char *name, size_t room, const void *bytes, size_t size, int force,
                               lbr_message *message)
{
    int fd, error;
    const char *what;
    lbr_status status = open_beside(&fd, name, room, path, message);

    if (status || !(error = fill(fd, name, path, bytes, size, force, &what))) return status;
    unlink(name);
    return error == EEXIST ? lbr_file_exists(path, message) : lbr_file_fail(message, what, path, error);
}

lbr_status lbr_whole_write(const char *path, const void *bytes, size_t size, int force, lbr_message *message)
{
    size_t room = strlen(path) + BESIDE + 1;
    char *name, *dir;
    int error;
    lbr_status status = lbr_whole_check(path, force, message);

    if (status) return status;
    name = lbr_mem_alloc(room), dir = lbr_file_folder(path);
    if (!name || !dir) status = lbr_fail(message, LBR_ENOMEM, "out of memory");
    else status = write_beside(path, name, room, bytes, size, force, message);
    if (!status && (error = sync_folder(dir))) status = lbr_file_fail(message, "write", path, error);
    lbr_mem_free(dir), lbr_mem_free(name);
    return status;
}

lbr_status lbr_whole_check(const char *path, int force, lbr_message *message)
{
    return lbr_file_check(path, force, BESIDE, message);
}

lbr_status lbr_whole_read(const char *path, size_t most, char **bytes, size_t *size, lbr_message *message)
{
    int64_t n;
    int fd, error;
    lbr_status status = lbr_file_open(&fd, &n, path, 0, message);

    *bytes = NULL, *size = 0;
    if (status) return status;
    if ((uint64_t)n > most)
        status = lbr_fail(message, LBR_EARG, "cannot read %.300s: it has more than %llu bytes", path,
                          (unsigned long long)most);
    else if (!(*bytes = lbr_mem_alloc((size_t)n + 1)))
        status = lbr_fail(message, LBR_ENOMEM, "out of memory: %.300s has %lld bytes", path, (long long)n);
    else if ((error = lbr_file_read(fd, *bytes, (size_t)n, 0))) status = lbr_file_fail(message, "read", path, error);
    else *size = (size_t)n;
    close(fd);
    if (status) lbr_mem_free(*bytes), *bytes = NULL;
    return status;
}
