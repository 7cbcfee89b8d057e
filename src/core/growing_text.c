/* growing_text.c - a text that is put together piece by piece. SPDX-License-Identifier: BSD-3-Clause */
#include "growing_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* For n bytes more and a 0. */
static int room(lbr_text *t, size_t n)
{
    if (!t->status && (n > INT64_MAX / 2 || !LBR_ROOM(t->arena, t->text, (int64_t)t->length, t->room, (int64_t)n + 1)))
        t->status = LBR_ENOMEM;
    return !t->status;
}

void lbr_text_bytes(lbr_text *t, const char *bytes, size_t n)
{
    if (!room(t, n)) return;
    if (n) memcpy(t->text + t->length, bytes, n);
    t->text[t->length += n] = 0;
}

void lbr_text_put(lbr_text *t, const char *text) { lbr_text_bytes(t, text, strlen(text)); }

void lbr_text_format(lbr_text *t, const char *format, ...)
{
    va_list ap, again;
    int n;

    va_start(ap, format), va_copy(again, ap);
    n = vsnprintf(NULL, 0, format, ap);
    if (n < 0) t->status = LBR_ENOMEM;
    if (n >= 0 && room(t, (size_t)n))
        vsnprintf(t->text + t->length, (size_t)n + 1, format, again), t->length += (size_t)n;
    va_end(ap), va_end(again);
}

void lbr_text_free(lbr_text *t)
{
    if (!t->arena) lbr_mem_free(t->text);
    *t = (lbr_text){ .arena = t->arena };
}
