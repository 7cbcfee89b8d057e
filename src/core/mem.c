/* mem.c - allocation: one door, and arenas. SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE /* madvise */
#include "mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 1 << 21, LARGE = 2 * PAGE };       /* of the large pages that processors have */
enum { FIRST = 1024, MOST = 65536, ALIGN = 64 }; /* sizes of chunks: each twice the one before it */
enum { FEW = 4 };                                /* elements of an array that grows, at first */

struct lbr_chunk {
    struct lbr_chunk *next;
    size_t used, size;
};

/* Whoever streams through large arrays would wait for many small pages to be found. A wish: where it is not granted
 * nothing changes. */
static void wish_for_large_pages(void *p, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    uintptr_t from = ((uintptr_t)p + PAGE - 1) / PAGE * PAGE, end = ((uintptr_t)p + bytes) / PAGE * PAGE;

    if (end > from) (void)madvise((void *)from, end - from, MADV_HUGEPAGE);
#else
    (void)p, (void)bytes;
#endif
}

void *lbr_mem_alloc(size_t bytes)
{
    void *p = calloc(1, bytes ? bytes : 1);

    if (p && bytes >= LARGE) wish_for_large_pages(p, bytes);
    return p;
}
void lbr_mem_free(void *p) { free(p); }

static struct lbr_chunk *grow(lbr_arena *arena, size_t bytes)
{
    size_t size = arena->chunks ? 2 * arena->chunks->size : FIRST;
    struct lbr_chunk *c;

    if (size > MOST) size = MOST;
    if (size < bytes) size = bytes;
    if (!(c = lbr_mem_alloc(sizeof *c + ALIGN + size))) return NULL;
    c->size = size;
    c->next = arena->chunks;
    return arena->chunks = c;
}

void *lbr_arena_alloc(lbr_arena *arena, int64_t count, size_t size)
{
    struct lbr_chunk *c = arena->chunks;
    size_t bytes;
    char *base;

    if (count < 0 || (count > 0 && size > (SIZE_MAX >> 1) / (size_t)count)) return NULL;
    bytes = ((size_t)count * size + ALIGN) / ALIGN * ALIGN;
    if (!c || c->size - c->used < bytes) c = grow(arena, bytes);
    if (!c) return NULL;
    base = (char *)(((uintptr_t)(c + 1) + ALIGN - 1) / ALIGN * ALIGN);
    base += c->used;
    c->used += bytes;
    return base;
}

char *lbr_arena_text(lbr_arena *arena, const char *text) { return lbr_arena_format(arena, "%s", text); }

char *lbr_arena_format(lbr_arena *arena, const char *format, ...)
{
    va_list ap;
    char *text;
    int n;

    va_start(ap, format), n = vsnprintf(NULL, 0, format, ap), va_end(ap);
    if (n < 0 || !(text = lbr_arena_alloc(arena, n + 1, 1))) return NULL;
    va_start(ap, format), vsnprintf(text, (size_t)n + 1, format, ap), va_end(ap);
    return text;
}

void lbr_arena_free(lbr_arena *arena)
{
    for (struct lbr_chunk *c = arena->chunks, *next; c; c = next) {
        next = c->next;
        lbr_mem_free(c);
    }
    arena->chunks = NULL;
}

/* --- arrays that grow -------------------------------------------------------------------------------------------- */

/* For how many there is room: what the counter says or, without one, the power of two that `used` has come to. */
static int64_t counted(const void *most, size_t bytes, int64_t used)
{
    int64_t n = used ? FEW : 0;
    int32_t narrow;

    if (!most) {
        while (n < used) n *= 2;
        return n;
    }
    if (bytes == sizeof n) return memcpy(&n, most, sizeof n), n;
    return memcpy(&narrow, most, sizeof narrow), narrow;
}

static void count(void *most, size_t bytes, int64_t n)
{
    int32_t narrow = (int32_t)n;

    if (most) memcpy(most, bytes == sizeof n ? (void *)&n : (void *)&narrow, bytes);
}

int lbr_room(lbr_arena *arena, void *array, size_t size, int64_t used, int64_t more, void *most, size_t most_bytes)
{
    int64_t limit = most_bytes == sizeof(int32_t) ? INT32_MAX : INT64_MAX, n = counted(most, most_bytes, used);
    void *before, *after;

    if (used < 0 || more < 0 || more > limit - used) return 0;
    if (used + more <= n) return 1;
    n = n > limit / 2 ? limit : n ? 2 * n : FEW;
    if (n < used + more) n = used + more;
    if (size > (SIZE_MAX >> 1) / (size_t)n) return 0;
    if (!(after = arena ? lbr_arena_alloc(arena, n, size) : lbr_mem_alloc((size_t)n * size))) return 0;
    memcpy(&before, array, sizeof before);
    if (used) memcpy(after, before, (size_t)used * size);
    if (!arena) lbr_mem_free(before);
    memcpy(array, &after, sizeof after);
    count(most, most_bytes, n);
    return 1;
}
