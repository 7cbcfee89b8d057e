/* regular_file.c - files that another program has left: read only if they are regular files.
 * SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L
#include "regular_file.h"
#include "core/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

int lbr_regular_open(const char *path, int64_t *size)
{
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    struct stat s;

    if (fd >= 0 && !fstat(fd, &s) && S_ISREG(s.st_mode) && s.st_size >= 0) return *size = s.st_size, fd;
    if (fd >= 0) close(fd);
    return -1;
}

FILE *lbr_regular_stream(const char *path)
{
    int64_t size;
    int fd = lbr_regular_open(path, &size);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "r");

    if (!f && fd >= 0) close(fd);
    return f;
}

char *lbr_regular_read(const char *path, size_t most, int whole, size_t *size)
{
    int64_t bytes = 0;
    int fd = lbr_regular_open(path, &bytes);
    size_t n = (uint64_t)bytes < most ? (size_t)bytes : most;
    char *text = fd < 0 || (whole && (uint64_t)bytes > most) ? NULL : lbr_mem_alloc(n + 1);
    ssize_t got;

    for (*size = 0; text && *size < n; *size += (size_t)got)
        if ((got = read(fd, text + *size, n - *size)) < 0 && errno == EINTR) got = 0;
        else if (got <= 0) break;
    if (fd >= 0) close(fd);
    return text;
}
