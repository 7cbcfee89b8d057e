/* folder.c - a private temporary folder. SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE /* mkdtemp, dirfd */
#include "folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEEPEST = 16 };

const char *lbr_folder_base(void)
{
    const char *told = getenv("TMPDIR");

    return told && *told == '/' ? told : "/tmp";
}

lbr_status lbr_folder_make(lbr_folder *f, lbr_message *m)
{
    const char *base = lbr_folder_base();

    if (snprintf(f->path, sizeof f->path, "%s/libration-XXXXXX", base) < (int)sizeof f->path && mkdtemp(f->path))
        return LBR_OK;
    f->path[0] = 0;
    return lbr_fail(m, LBR_EIO, "no temporary folder could be made in '%.200s' (TMPDIR): %s", base, strerror(errno));
}

/* What is in the folder `fd`, which is closed. */
static void empty(int fd, int depth)
{
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    const struct dirent *e;

    if (!d && fd >= 0) close(fd);
    while (d && (e = readdir(d))) {
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") || !unlinkat(dirfd(d), e->d_name, 0)) continue;
        if (depth < DEEPEST)
            empty(openat(dirfd(d), e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), depth + 1);
        unlinkat(dirfd(d), e->d_name, AT_REMOVEDIR);
    }
    if (d) closedir(d);
}

void lbr_folder_remove(lbr_folder *f)
{
    if (!f->path[0]) return;
    empty(open(f->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), 0);
    rmdir(f->path);
    f->path[0] = 0;
}
