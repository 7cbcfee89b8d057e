/* text.c - statuses in words, messages, near names, digests. SPDX-License-Identifier: BSD-3-Clause */
#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *lbr_status_text(lbr_status status)
{
    switch ((int)status) {
/* clang-format off */
#define CASE(name, value, text) case value: return text;
        /* clang-format on */
        LBR_STATUS_LIST(CASE)
#undef CASE
    }
    return "unknown status";
}

const char *lbr_version(void) { return LBR_VERSION; }

lbr_status lbr_fail(lbr_message *message, lbr_status status, const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    vsnprintf(message->text, sizeof message->text, format, ap);
    va_end(ap);
    return message->status = status;
}

lbr_status lbr_known(const void *sized, size_t known, const char *what, lbr_message *m)
{
    size_t size = *(const size_t *)sized;

    if (size > LBR_LARGEST_STRUCT)
        return lbr_fail(m, LBR_EARG, "%s: its size field is not set (%zu bytes)", what, size);
    for (size_t i = known; i < size; i++)
        if (((const unsigned char *)sized)[i])
            return lbr_fail(m, LBR_EARG,
                            "%s has %zu bytes, and something in those beyond the %zu that this library (version %s) "
                            "knows: it is made for a newer one",
                            what, size, known, lbr_version());
    return LBR_OK;
}

static int least(int a, int b) { return a < b ? a : b; }

int lbr_text_distance(const char *a, const char *b)
{
    enum { LONG = 48 };
    int d[LONG + 1][LONG + 1], n = least((int)strlen(a), LONG), m = least((int)strlen(b), LONG);

    for (int i = 0; i <= n; i++) d[i][0] = i;
    for (int j = 0; j <= m; j++) d[0][j] = j;
    for (int i = 1; i <= n; i++)
        for (int j = 1; j <= m; j++) {
            d[i][j] = least(d[i - 1][j - 1] + (a[i - 1] != b[j - 1]), least(d[i - 1][j], d[i][j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
        }
    return d[n][m];
}

int lbr_text_far(const char *name)
{
    size_t third = strlen(name) / 3;

    return third < 4 ? (int)third + 1 : 5;
}

const char *lbr_text_word(const char *words, int i, size_t *n)
{
    while (words) {
        words += strspn(words, " ");
        *n = strcspn(words, " ");
        if (!*n) return NULL;
        if (i-- == 0) return words;
        words += *n;
    }
    return NULL;
}

int lbr_text_find(const char *words, const char *word)
{
    const char *w;
    size_t n;

    for (int i = 0; (w = lbr_text_word(words, i, &n)); i++)
        if (strlen(word) == n && !memcmp(w, word, n)) return i;
    return -1;
}

size_t lbr_component_name(char *text, size_t size, const char *name, int n, const int64_t *index)
{
    size_t at = (size_t)snprintf(text, size, "%s", name);

    for (int k = 0; k < n; k++)
        at += (size_t)snprintf(at < size ? text + at : NULL, at < size ? size - at : 0, "%s%lld%s", k ? "," : "[",
                               (long long)index[k], k == n - 1 ? "]" : "");
    return at;
}

char *lbr_arena_component(lbr_arena *arena, const char *name, int n, const int64_t *index)
{
    size_t size = lbr_component_name(NULL, 0, name, n, index) + 1;
    char *text = lbr_arena_alloc(arena, (int64_t)size, 1);

    if (text) lbr_component_name(text, size, name, n, index);
    return text;
}

void lbr_component_index(int64_t k, int n, const int64_t *shape, int64_t *index)
{
    for (int i = n - 1; i >= 0; k /= shape[i], i--) index[i] = k % shape[i] + 1;
}

uint64_t lbr_hash(uint64_t hash, const void *bytes, size_t n)
{
    for (const unsigned char *b = bytes; n > 0; n--) hash = (hash ^ *b++) * UINT64_C(1099511628211);
    return hash;
}
