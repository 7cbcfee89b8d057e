/* mem.h - every allocation of the library goes through here. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_CORE_MEM_H
#define LBR_CORE_MEM_H
#include <stddef.h>
#include <stdint.h>

/* Zeroed memory, or NULL. */
void *lbr_mem_alloc(size_t bytes);
void lbr_mem_free(void *p);

/* An arena: many small pieces that live and die together. All zero is an empty one. */
typedef struct lbr_arena { struct lbr_chunk *chunks; } lbr_arena;

/* count*size zeroed bytes, aligned for any type, or NULL; a product that overflows is NULL too. */
void *lbr_arena_alloc(lbr_arena *arena, int64_t count, size_t size);
char *lbr_arena_text(lbr_arena *arena, const char *text);
char *lbr_arena_format(lbr_arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));
void lbr_arena_free(lbr_arena *arena);
#endif
