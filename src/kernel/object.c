/* object.c - a shared object made from our text: how it is told from others, and loaded.
 * SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE /* pread */
#include "object.h"

#include <dlfcn.h>
#include <fenv.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#define EXPORTED "lbr_kernel_exported"

/* What a compiler must not do behind our back (-ffast-math and its kin, -ffp-contract=fast): fuse, associate, multiply
 * by an inverse, take it for granted that nothing is NaN or that zeros have no signs, flush what is small. Where x
 * comes from, it cannot know. */
#define PROBE_TEXT                                                                               \
    void lbr_probe(const double *x, double *y)                                                   \
    {                                                                                            \
        const double a = x[3], b = x[4], c = x[5], d = x[6], e = x[7];                           \
        y[0] = x[0] * x[1] + x[2], y[1] = (a + b) - a, y[2] = b / d, y[3] = c / d, y[4] = e / d; \
        y[5] = x[8] != x[8] ? b : c, y[6] = b / (x[9] + 0.0), y[7] = x[10] * x[11];              \
    }
#define TEXT_(...) #__VA_ARGS__
#define TEXT(...)  TEXT_(__VA_ARGS__)

enum { PROBED = 8 };
typedef struct exported {
    char digest[(LBR_DIGEST_HEX + 7) / 8 * 8];
    void *symbol;
    void (*probe)(const double *x, double *y);
} exported;

const char *lbr_object_probe(void) { return TEXT(PROBE_TEXT); }

int lbr_object_export(FILE *text, const lbr_digest *key, const char *symbol)
{
    char hex[LBR_DIGEST_HEX];

    lbr_digest_hex(key, hex);
    return fprintf(text,
                   "\n"
                   "static __attribute__((noinline)) " TEXT(
                       PROBE_TEXT) "\n"
                                   "__attribute__((visibility(\"default\"))) const struct { char digest[%d]; const "
                                   "void *symbol; void "
                                   "(*probe)(const double *, double *); } " EXPORTED
                                   " = { \"%s\", (const void *)&%s, lbr_probe };\n",
                   (int)sizeof((exported *)0)->digest, hex, symbol) < 0;
}

static __attribute__((noinline)) PROBE_TEXT

    /* Whether it computes as written, and has left the processor as it was: an object linked by -ffast-math changes its
       mode when it is loaded. */
    static int
    honest(const exported *e)
{
    static const volatile double given[] = { 1 + 0x1p-30, 1 - 0x1p-30, -1,  0x1p60, 1,        3,
                                             7,           5,           NAN, -0.0,   0x1p-600, 0x1.8p-460 };
    double x[sizeof given / sizeof *given], ours[PROBED], theirs[PROBED];

    for (size_t i = 0; i < sizeof given / sizeof *given; i++) x[i] = given[i];
    lbr_probe(x, ours), e->probe(x, theirs);
    return ours[PROBED - 1] > 0 && !memcmp(ours, theirs, sizeof ours);
}

void *lbr_object_load(const char *path, const lbr_digest *key, lbr_message *m)
{
    fenv_t before;
    int saved = !fegetenv(&before);
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const exported *e = handle ? dlsym(handle, EXPORTED) : NULL;
    char hex[LBR_DIGEST_HEX];
    int good = e != NULL;

    if (saved) fesetenv(&before); /* whatever it has done to the processor when it was loaded */

    if (!handle) {
        const char *why = dlerror();
        size_t n = strlen(path);

        if (why && !strncmp(why, path, n) && !strncmp(why + n, ": ", 2))
            why += n + 2; /* a name that says nothing to anybody */
        return lbr_fail(m, LBR_EIO, "the compiled kernel could not be loaded: %.300s", why ? why : "unknown error"),
               NULL;
    }
    lbr_digest_hex(key, hex);
    good = good && !memcmp(e->digest, hex, sizeof hex);
    if (good && honest(e)) return e->symbol;
    dlclose(handle);
    if (!good) return lbr_fail(m, LBR_EIO, "the compiled kernel was made of something else"), NULL;
    return lbr_fail(m, LBR_EIO, "the compiler does not compute what is written (-ffast-math, -ffp-contract=fast?)"),
           NULL;
}

/* --- whole or cut off -------------------------------------------------------------------------------------------- */

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

    if (bytes < (int64_t)sizeof h || !reads(fd, &h, sizeof h, 0) || memcmp(h.e_ident, ELFMAG, SELFMAG) ||
        h.e_ident[EI_CLASS] != ELFCLASS64)
        return 0;
    if (h.e_type != ET_DYN || h.e_phentsize != sizeof p || !h.e_phnum ||
        !inside(h.e_phoff, (uint64_t)h.e_phnum * sizeof p, size))
        return 0;
    if (!inside(h.e_shoff, (uint64_t)h.e_shnum * h.e_shentsize, size)) return 0;
    for (uint64_t i = 0; i < h.e_phnum; i++)
        if (!reads(fd, &p, sizeof p, h.e_phoff + i * sizeof p) || !inside(p.p_offset, p.p_filesz, size)) return 0;
    return 1;
}
#else
int lbr_object_whole(int fd, int64_t size) { return size > 0; }
#endif
