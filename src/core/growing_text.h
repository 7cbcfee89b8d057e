/* growing_text.h - a text that is put together piece by piece. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_CORE_GROWING_TEXT_H
#define LBR_CORE_GROWING_TEXT_H
#include "libration/base.h"
#include "mem.h"

/* All zero is an empty one; text is NULL until something is put there. Once memory is gone status says so, and nothing
 * more happens. */
typedef struct lbr_text {
    char *text; /* with a 0 behind it */
    size_t length, room;
    lbr_status status;
    lbr_arena *arena; /* where it lives, and there is nothing to be freed; NULL: by itself */
} lbr_text;
void lbr_text_put(lbr_text *t, const char *text);
void lbr_text_bytes(lbr_text *t, const char *bytes, size_t n);
void lbr_text_format(lbr_text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void lbr_text_free(lbr_text *t);
#endif
