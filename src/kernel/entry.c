/* entry.c - one kernel in the cache: kept, found, loaded. SPDX-License-Identifier: BSD-3-Clause
 *
 * A file is the shared object and behind it, where loaders do not look, a mark and the digest of the key and of all
 * bytes before: what is cut off, changed, or lies under another name is known before it is mapped. */
#define _DEFAULT_SOURCE /* openat, futimens */
#include "entry.h"
#include "cache.h"
#include "folder.h"
#include "object.h"
#include "core/number.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PIECE = 1 << 14, MOST_BYTES = 64 << 20, TRIES = 100 };
static const char mark[8] = "lbrkern1";
typedef struct trailer {
    char mark[sizeof mark];
    lbr_digest sum;
} trailer;

static void name_of(const lbr_digest *key, char name[LBR_ENTRY_NAME])
{
    lbr_digest_hex(key, name);
    strcat(name, ".so");
}

/* 64 digits and ".so" or ".late", or 64 digits, a point, anything, and ".new". */
int lbr_entry_is(const char *name)
{
    size_t n = strlen(name), hex = strspn(name, "0123456789abcdef");

    if (hex != LBR_DIGEST_HEX - 1 || n >= LBR_ENTRY_NAME) return 0;
    if (!strcmp(name + hex, ".so")) return LBR_ENTRY_KERNEL;
    if (!strcmp(name + hex, ".late")) return LBR_ENTRY_LATE;
    return name[hex] == '.' && n > hex + 4 && !strcmp(name + n - 4, ".new") ? LBR_ENTRY_UNFINISHED : 0;
}

/* --- keeping ----------------------------------------------------------------------------------------------------- */

static int put(int fd, const void *bytes, size_t n)
{
    for (const char *from = bytes; n;) {
        ssize_t k = write(fd, from, n);

        if (k < 0 && errno == EINTR) continue;
        if (k <= 0) return 1;
        from += k, n -= (size_t)k;
    }
    return 0;
}

/* The next piece, or what there is of it; -1: it could not be read. */
static ssize_t get(int fd, void *bytes, size_t n)
{
    ssize_t k;

    while ((k = read(fd, bytes, n)) < 0 && errno == EINTR)
        ;
    return k;
}

static int copy(int from, int to, const lbr_digest *key)
{
    char piece[PIECE];
    lbr_digester d;
    trailer t;
    ssize_t n;

    lbr_digest_begin(&d);
    lbr_digest_add(&d, key, sizeof *key);
    while ((n = get(from, piece, sizeof piece)) > 0) {
        if (put(to, piece, (size_t)n)) return 1;
        lbr_digest_add(&d, piece, (size_t)n);
    }
    memcpy(t.mark, mark, sizeof mark);
    lbr_digest_end(&d, &t.sum);
    return n < 0 || put(to, &t, sizeof t);
}

/* A new file beside the entry, which nobody else has. */
static int beside(int folder, const lbr_digest *key, char name[LBR_ENTRY_NAME])
{
    char hex[LBR_DIGEST_HEX];
    int fd = -1;

    lbr_digest_hex(key, hex);
    for (int i = 0; i < TRIES && fd < 0; i++) {
        snprintf(name, LBR_ENTRY_NAME, "%s.%ld-%d.new", hex, (long)getpid(), i);
        fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (fd < 0 && errno != EEXIST) break;
    }
    return fd;
}

lbr_status lbr_entry_keep(int folder, const lbr_digest *key, const char *object, lbr_message *m)
{
    char name[LBR_ENTRY_NAME], entry[LBR_ENTRY_NAME], path[LBR_PATH];
    int from = open(object, O_RDONLY | O_NONBLOCK | O_CLOEXEC), to = from < 0 ? -1 : beside(folder, key, name),
        failed = to < 0, why;

    name_of(key, entry);
    if (to >= 0) {
        failed = copy(from, to, key), why = errno;
        if (close(to) && !failed) failed = 1, why = errno;
        errno = why;
        if (!failed) failed = renameat(folder, name, folder, entry);
        why = errno;
        if (failed) unlinkat(folder, name, 0);
    } else why = errno;
    if (from >= 0) close(from);
    if (!failed) return lbr_cache_trim(folder), LBR_OK;
    lbr_cache_path(path, sizeof path);
    return lbr_fail(m, LBR_EIO, "the compiled kernel is not kept in '%.250s': %.100s", path, strerror(why));
}

/* --- finding ----------------------------------------------------------------------------------------------------- */

/* Ours, and every byte as it was written. */
static int sound(int fd, const lbr_digest *key)
{
    char piece[PIECE];
    lbr_digester d;
    lbr_digest sum;
    struct stat s;
    trailer t;

    if (fstat(fd, &s) || !S_ISREG(s.st_mode) || s.st_uid != geteuid() || (s.st_mode & (S_IWGRP | S_IWOTH))) return 0;
    if (s.st_size <= (off_t)sizeof t || s.st_size > MOST_BYTES) return 0;
    lbr_digest_begin(&d);
    lbr_digest_add(&d, key, sizeof *key);
    for (size_t left = (size_t)s.st_size - sizeof t; left;) {
        ssize_t n = get(fd, piece, left < sizeof piece ? left : sizeof piece);

        if (n <= 0) return 0;
        lbr_digest_add(&d, piece, (size_t)n), left -= (size_t)n;
    }
    lbr_digest_end(&d, &sum);
    return get(fd, &t, sizeof t) == (ssize_t)sizeof t && !memcmp(t.mark, mark, sizeof mark) &&
           !memcmp(&t.sum, &sum, sizeof sum);
}

/* A path by which the loader comes to this folder, whatever the folders above it have become; it has the entry's name,
 * which no other object has: the loader takes objects of one name for one. */
static int reach(int folder, const char *entry, char *path, size_t size)
{
    char plain[LBR_PATH];
    int n = snprintf(path, size, "/proc/self/fd/%d/%s", folder, entry);

    if (access(path, R_OK))
        lbr_cache_path(plain, sizeof plain),
            n = snprintf(path, size, "%s%s/%s", *plain == '/' ? "" : "./", plain, entry);
    return n < 0 || (size_t)n >= size;
}

/* Whether the machine has nothing left to open a file with: no fault of the entry. */
static int is_short(int folder)
{
    int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), error = errno;

    if (fd >= 0) close(fd);
    return fd < 0 && (error == EMFILE || error == ENFILE || error == ENOMEM);
}

void *lbr_entry_load(int folder, const lbr_digest *key, lbr_message *m)
{
    char entry[LBR_ENTRY_NAME], path[LBR_PATH + LBR_ENTRY_NAME];
    int fd;
    void *symbol = NULL;

    m->text[0] = 0;
    name_of(key, entry);
    fd = openat(folder, entry, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT) return NULL;
    if (fd < 0 && is_short(folder))
        return lbr_fail(m, LBR_EIO, "a compiled kernel in the cache could not be read: too many files are open"), NULL;
    if (fd < 0 || !sound(fd, key) || reach(folder, entry, path, sizeof path))
        lbr_fail(m, LBR_EIO, "a compiled kernel in the cache was damaged, and is compiled again");
    else symbol = lbr_object_load(path, key, m);
    if (symbol) futimens(fd, NULL); /* used now: the others go first */
    else if (is_short(folder))
        lbr_fail(m, LBR_EIO, "a compiled kernel in the cache could not be loaded: too many files are open");
    else unlinkat(folder, entry, 0);
    if (fd >= 0) close(fd);
    return symbol;
}

/* --- what took too long ------------------------------------------------------------------------------------------ */

static void late_name(const lbr_digest *key, char name[LBR_ENTRY_NAME])
{
    lbr_digest_hex(key, name);
    strcat(name, ".late");
}

void lbr_entry_keep_late(int folder, const lbr_digest *key, double seconds)
{
    char name[LBR_ENTRY_NAME], text[LBR_NUMBER + 1];
    size_t n = lbr_number_write(text, seconds);
    int fd;

    late_name(key, name);
    unlinkat(folder, name, 0);
    fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) return;
    text[n++] = '\n';
    if (put(fd, text, n)) unlinkat(folder, name, 0);
    close(fd);
}

double lbr_entry_late(int folder, const lbr_digest *key)
{
    char name[LBR_ENTRY_NAME], text[40];
    double seconds;
    struct stat s;
    int fd;
    ssize_t n;

    late_name(key, name);
    fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    n = fd < 0 || fstat(fd, &s) || !S_ISREG(s.st_mode) || s.st_mtim.tv_sec + LBR_ENTRY_FORGOTTEN < time(NULL)
            ? 0
            : get(fd, text, sizeof text - 1);
    if (fd >= 0) close(fd);
    lbr_number_read(text, text + (n > 0 ? n : 0), &seconds);
    return seconds > 0 && seconds < LBR_ENTRY_FORGOTTEN ? seconds : 0;
}
