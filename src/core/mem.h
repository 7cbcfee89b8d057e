/* mem.h - every allocation of the library goes through here. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_CORE_MEM_H
#define LBR_CORE_MEM_H
#include <stddef.h>
#include <stdint.h>

/* Zeroed memory, or NULL. */
void *lbr_mem_alloc(size_t bytes);
void lbr_mem_free(void *p);

/* An arena: many small pieces that live and die together. All zero is an empty one. */
typedef struct lbr_arena {
    struct lbr_chunk *chunks;
} lbr_arena;

/* count*size zeroed bytes, aligned for any type, or NULL; a product that overflows is NULL too. */
void *lbr_arena_alloc(lbr_arena *arena, int64_t count, size_t size);
char *lbr_arena_text(lbr_arena *arena, const char *text);
char *lbr_arena_format(lbr_arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));
void lbr_arena_free(lbr_arena *arena);

/* An array that grows: room for `more` elements behind the first `used`, by doubling. array: a pointer to elements,
 * which moves; most: for how many there is room, an integer of 4 or 8 bytes. In an arena what was there before stays
 * behind; without one (NULL) it is freed. 0: there is no memory, or it would be more than `most` can count; nothing has
 * changed then. */
#define LBR_ROOM(arena, array, used, most, more) \
    lbr_room(arena, &(array), sizeof *(array), used, more, &(most), sizeof(most))
/* The same for one more, in an array that never gets shorter: for how many there is room follows from `used`. */
#define LBR_ROOM_FOR_ONE(arena, array, used) lbr_room(arena, &(array), sizeof *(array), used, 1, NULL, 0)
int lbr_room(lbr_arena *arena, void *array, size_t size, int64_t used, int64_t more, void *most, size_t most_bytes);
#endif
