/* text.h - messages, names and digests. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_CORE_TEXT_H
#define LBR_CORE_TEXT_H
#include "libration/base.h"
#include "mem.h"

enum { LBR_MESSAGE = 512, LBR_LARGEST_STRUCT = 65536 };

/* How a limit that is a constant of the library is raised: the end of a sentence about it. */
#define LBR_RAISED(name) " (it is raised by building with -D" #name "=N)"
typedef struct lbr_message {
    char text[LBR_MESSAGE];
    lbr_status status;
} lbr_message;

/* Sets the sentence and the status, and returns that, so that a failure is one statement. */
lbr_status lbr_fail(lbr_message *message, lbr_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A struct of a caller, which begins with its size: beyond the `known` bytes there must be zeros. LBR_EARG: `what`
 * comes from a newer header. */
lbr_status lbr_known(const void *sized, size_t known, const char *what, lbr_message *message);

/* Number of edits between two names (insert, delete, replace, swap of neighbours); long names are cut. */
int lbr_text_distance(const char *a, const char *b);
/* As many edits make of a name one that is no longer near: more than one in three letters, and 5 in any case. */
int lbr_text_far(const char *name);

/* Of `words` (separated by blanks) word i, its length in *n; NULL after the last one. */
const char *lbr_text_word(const char *words, int i, size_t *n);
/* The place of `word` among `words`, or -1. */
int lbr_text_find(const char *words, const char *word);

/* x, x[2], x[2,1]: the name of a component with n indices. The length that it has, or would have with more room. */
size_t lbr_component_name(char *text, size_t size, const char *name, int n, const int64_t *index);
char *lbr_arena_component(lbr_arena *arena, const char *name, int n, const int64_t *index); /* NULL: no memory */
/* Element k (from 0) of an array, row by row: its indices (from 1). */
void lbr_component_index(int64_t k, int n, const int64_t *shape, int64_t *index);

/* FNV-1a, 64 bits; begin with LBR_HASH. */
#define LBR_HASH UINT64_C(14695981039346656037)
uint64_t lbr_hash(uint64_t hash, const void *bytes, size_t n);
#endif
