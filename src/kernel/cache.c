/* cache.c - the folder of compiled kernels: where, whether it is ours, what is in it, what goes.
 * SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE /* openat, st_mtim, dirfd */
#include "cache.h"
#include "core/mem.h"
#include "digest.h"
#include "entry.h"
#include "folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { STALE = 3600 }; /* seconds after which nobody is writing a file any more */

/* --- where, and whether it is ours ------------------------------------------------------------------------------- */

/* NULL: it is not set. The rule of XDG is that a path that is not absolute counts as none. */
static const char *set(const char *name, int absolute)
{
    const char *value = getenv(name);

    return value && *value && (!absolute || *value == '/') ? value : NULL;
}

void lbr_cache_path(char *path, size_t size)
{
    const char *own = set("LIBRATION_CACHE", 0), *xdg = set("XDG_CACHE_HOME", 1), *home = set("HOME", 1);
    int n = own    ? snprintf(path, size, "%s", own)
            : xdg  ? snprintf(path, size, "%s/libration", xdg)
            : home ? snprintf(path, size, "%s/.cache/libration", home)
                   : 0;

    if (n <= 0 || (size_t)n >= size) path[0] = 0;
    else
        while (n > 1 && path[n - 1] == '/') path[--n] = 0; /* behind a slash a link would be followed */
}

/* The folders of a path, those above first; 0, or errno says why not. */
static int make_folders(char *path)
{
    int failed = 0;

    for (char *c = path + 1;; c++) {
        char was = *c;

        if (was && was != '/') continue;
        *c = 0, failed = mkdir(path, 0700) && errno != EEXIST, *c = was;
        if (!was) return failed; /* one above may be there and not be ours to make */
    }
}

/* The cache would be in a home folder that is not there: it is not ours to make. */
static int homeless(void)
{
    struct stat s;

    return !set("LIBRATION_CACHE", 0) && !set("XDG_CACHE_HOME", 1) && stat(set("HOME", 1), &s);
}

static const char *fault(int fd, const char *path)
{
    int why = errno;
    struct stat s;

    if (fd < 0)
        return lstat(path, &s)       ? strerror(why)
               : S_ISLNK(s.st_mode)  ? "it is a link"
               : !S_ISDIR(s.st_mode) ? "it is not a folder"
                                     : strerror(why);
    if (fstat(fd, &s)) return strerror(errno);
    if (s.st_uid != geteuid()) return "it belongs to another user";
    if (s.st_mode & (S_IWGRP | S_IWOTH)) return "others may write to it";
    return NULL;
}

static int open_folder(const char *path) { return open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC); }

lbr_status lbr_cache_open(int make, int *folder, lbr_message *m)
{
    char path[LBR_PATH];
    const char *why;
    int fd;

    *folder = -1;
    lbr_cache_path(path, sizeof path);
    if (!*path)
        return lbr_fail(m, LBR_EIO, "compiled kernels are not kept: %s",
                        set("LIBRATION_CACHE", 0) || set("XDG_CACHE_HOME", 1) || set("HOME", 1)
                            ? "the name of their folder is too long"
                            : "neither LIBRATION_CACHE nor XDG_CACHE_HOME nor HOME names a folder");
    fd = open_folder(path);
    if (fd < 0 && errno == ENOENT) {
        if (!make) return LBR_OK;
        if (homeless())
            return lbr_fail(m, LBR_EIO, "compiled kernels are not kept: the home folder '%.250s' is not there",
                            getenv("HOME"));
        if (!make_folders(path)) fd = open_folder(path);
    }
    if ((why = fault(fd, path))) {
        if (fd >= 0) close(fd);
        return lbr_fail(m, LBR_EIO, "compiled kernels are not kept in '%.250s': %.100s", path, why);
    }
    *folder = fd;
    return LBR_OK;
}

/* --- what is in it ----------------------------------------------------------------------------------------------- */

typedef struct item {
    char name[LBR_ENTRY_NAME];
    int kernel, late;
    int64_t bytes;
    struct timespec used;
} item;

/* Calls visit for each of our files until it is not 0; nothing else is ours to look at. */
static int each(int folder, int (*visit)(int folder, const item *it, void *ctx), void *ctx)
{
    int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), stop = 0;
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    const struct dirent *e;

    if (!d && fd >= 0) close(fd);
    while (d && !stop && (e = readdir(d))) {
        item it = { .kernel = lbr_entry_is(e->d_name) == LBR_ENTRY_KERNEL,
                    .late = lbr_entry_is(e->d_name) == LBR_ENTRY_LATE };
        struct stat s;

        if (!lbr_entry_is(e->d_name) || fstatat(folder, e->d_name, &s, AT_SYMLINK_NOFOLLOW) || S_ISDIR(s.st_mode))
            continue;
        memcpy(it.name, e->d_name, strlen(e->d_name) + 1); /* ours are not longer */
        it.bytes = s.st_size, it.used = s.st_mtim;
        stop = visit(folder, &it, ctx);
    }
    if (d) closedir(d);
    return !d || stop;
}

static int count(int folder, const item *it, void *ctx)
{
    lbr_cache_size *size = ctx;

    size->kernels += it->kernel, size->bytes += it->bytes;
    return 0;
}

static int clear(int folder, const item *it, void *ctx)
{
    return unlinkat(folder, it->name, 0) ? errno != ENOENT : count(folder, it, ctx);
}

static lbr_status whole(int (*visit)(int folder, const item *it, void *ctx), lbr_cache_size *size, lbr_message *m)
{
    char path[LBR_PATH];
    int folder, failed;
    lbr_status status = lbr_cache_open(0, &folder, m);

    memset(size, 0, sizeof *size);
    if (status || folder < 0) return status;
    failed = each(folder, visit, size);
    if (failed) lbr_cache_path(path, sizeof path), lbr_fail(m, LBR_EIO, "'%.250s': %.100s", path, strerror(errno));
    close(folder);
    return failed ? LBR_EIO : LBR_OK;
}

lbr_status lbr_cache_measure(lbr_cache_size *size, lbr_message *m) { return whole(count, size, m); }
lbr_status lbr_cache_clear(lbr_cache_size *removed, lbr_message *m) { return whole(clear, removed, m); }

/* --- what goes --------------------------------------------------------------------------------------------------- */

typedef struct list {
    item *at;
    int64_t n, most;
} list;

static int take(int folder, const item *it, void *ctx)
{
    list *l = ctx;

    if (it->kernel && l->n < l->most) l->at[l->n++] = *it;
    else if (!it->kernel && it->used.tv_sec + (it->late ? LBR_ENTRY_FORGOTTEN : STALE) < time(NULL))
        unlinkat(folder, it->name, 0); /* a writer that was killed */
    return 0;
}

static int older_first(const void *a, const void *b)
{
    const struct timespec *s = &((const item *)a)->used, *t = &((const item *)b)->used;

    if (s->tv_sec != t->tv_sec) return s->tv_sec < t->tv_sec ? -1 : 1;
    return (s->tv_nsec > t->tv_nsec) - (s->tv_nsec < t->tv_nsec);
}

void lbr_cache_trim(int folder)
{
    lbr_cache_size size = { 0, 0 };
    list l = { NULL, 0, 0 };

    if (each(folder, count, &size) || !(l.at = lbr_mem_alloc((size_t)(size.kernels + 1) * sizeof *l.at))) return;
    l.most = size.kernels;
    each(folder, take, &l);
    size = (lbr_cache_size){ 0, 0 };
    for (int64_t i = 0; i < l.n; i++) count(folder, &l.at[i], &size);
    qsort(l.at, (size_t)l.n, sizeof *l.at, older_first);
    for (int64_t i = 0; i < l.n && (size.kernels > LBR_CACHE_KERNELS || size.bytes > LBR_CACHE_BYTES); i++) {
        unlinkat(folder, l.at[i].name, 0);
        size.kernels--, size.bytes -= l.at[i].bytes;
    }
    lbr_mem_free(l.at);
}
