/* heap.h - memory that is counted, and refused when a test says so. SPDX-License-Identifier: BSD-3-Clause
 *
 * For programs that are linked with --wrap=malloc and its kin (LBR_WRAP in cmake/sources.cmake): the linker turns every
 * call of malloc in the program and in the library, which is linked statically, into one of __wrap_malloc, and
 * __real_malloc is the one of the system. What the C library allocates for itself does not come here. In a program that
 * is linked otherwise nothing is counted. Each thread has counts of its own, so that threads do not disturb them. */
#ifndef TEST_HEAP_H
#define TEST_HEAP_H
#include <stddef.h>
#include <stdint.h>

static _Thread_local struct heap {
    long calls, live; /* calls so far; blocks that have not been freed */
    long refuse;      /* the call that gets no memory, counted from 1; 0: none */
    int on;           /* and no call after it does */
    size_t most;      /* nor does one that asks for more bytes */
    long refused;     /* whether there was one */
} heap = { .most = SIZE_MAX };

void *__real_malloc(size_t n) __attribute__((weak));
void *__real_calloc(size_t n, size_t size) __attribute__((weak));
void *__real_realloc(void *p, size_t n) __attribute__((weak));
void __real_free(void *p) __attribute__((weak));
void *__wrap_malloc(size_t n), *__wrap_calloc(size_t n, size_t size), *__wrap_realloc(void *p, size_t n),
    __wrap_free(void *p);

/* Whether the program is linked for it. */
__attribute__((unused)) static int heap_wrapped(void) { return __real_calloc != NULL; }

static int heap_refuses(size_t bytes)
{
    int wanted = ++heap.calls == heap.refuse || (heap.on && heap.refuse && heap.calls > heap.refuse);

    if (!wanted && bytes <= heap.most) return 0;
    return heap.refused = 1, 1;
}

static void *heap_counted(void *p) { return heap.live += p != NULL, p; }

void *__wrap_malloc(size_t n) { return heap_refuses(n) ? NULL : heap_counted(__real_malloc(n)); }
void *__wrap_calloc(size_t n, size_t size)
{
    return heap_refuses(n * size) ? NULL : heap_counted(__real_calloc(n, size));
}
void *__wrap_realloc(void *p, size_t n)
{
    return heap_refuses(n) ? NULL : (heap.live -= p != NULL, heap_counted(__real_realloc(p, n)));
}
void __wrap_free(void *p) { heap.live -= p != NULL, __real_free(p); }
#endif
