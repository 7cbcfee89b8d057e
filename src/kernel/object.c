/* object.c - a shared object made from our text: how it is told from others, and loaded. SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE                                  /* pread */
#include "object.h"

#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

#define EXPORTED "lbr_kernel_exported"

typedef struct exported { char digest[(LBR_DIGEST_HEX + 7) / 8 * 8];  void *symbol; } exported;

int lbr_object_export(FILE *text, const lbr_digest *key, const char *symbol)
{
    char hex[LBR_DIGEST_HEX];

    lbr_digest_hex(key, hex);
    return fprintf(text, "\n__attribute__((visibility(\"default\"))) const struct { char digest[%d]; const void *symbol; } " EXPORTED " = { \"%s\", (const void *)&%s };\n",
                   (int)sizeof((exported *)0)->digest, hex, symbol) < 0;
}

void *lbr_object_load(const char *path, const lbr_digest *key, lbr_message *m)
{
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const exported *e = handle ? dlsym(handle, EXPORTED) : NULL;
    char hex[LBR_DIGEST_HEX];

    if (!handle) {
        const char *why = dlerror();
        size_t n = strlen(path);

        if (why && !strncmp(why, path, n) && !strncmp(why + n, ": ", 2)) why += n + 2;       /* a name that says nothing to anybody */
        return lbr_fail(m, LBR_EIO, "the compiled kernel could not be loaded: %.300s", why ? why : "unknown error"), NULL;
    }
    lbr_digest_hex(key, hex);
    if (e && !memcmp(e->digest, hex, sizeof hex)) return e->symbol;
    dlclose(handle);
    return lbr_fail(m, LBR_EIO, "the compiled kernel was made of something else"), NULL;
}

/* --- whole or cut off ------------------------------------------------------------------------------------------------ */

#if defined __linux__ && defined __LP64__
#include <elf.h>

static int reads(int fd, void *to, size_t n, uint64_t at) { return pread(fd, to, n, (off_t)at) == (ssize_t)n; }

static int inside(uint64_t from, uint64_t n, uint64_t size) { return from <= size && n <= size - from; }

/* Linkers put the table of sections last; the segments are what is mapped. */
int lbr_object_whole(int fd, int64_t bytes)
{
    uint64_t size = (uint64_t)bytes;
    Elf64_Ehdr h;
    Elf64_Phdr p;

    if (bytes < (int64_t)sizeof h || !reads(fd, &h, sizeof h, 0) || memcmp(h.e_ident, ELFMAG, SELFMAG) || h.e_ident[EI_CLASS] != ELFCLASS64) return 0;
    if (h.e_type != ET_DYN || h.e_phentsize != sizeof p || !h.e_phnum || !inside(h.e_phoff, (uint64_t)h.e_phnum * sizeof p, size)) return 0;
    if (!inside(h.e_shoff, (uint64_t)h.e_shnum * h.e_shentsize, size)) return 0;
    for (uint64_t i = 0; i < h.e_phnum; i++)
        if (!reads(fd, &p, sizeof p, h.e_phoff + i * sizeof p) || !inside(p.p_offset, p.p_filesz, size)) return 0;
    return 1;
}
#else
int lbr_object_whole(int fd, int64_t size) { return size > 0; }
#endif
