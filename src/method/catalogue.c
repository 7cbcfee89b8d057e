/* catalogue.c - the list of all rows, and finding one. SPDX-License-Identifier: BSD-3-Clause */
#include "method.h"

#include <stdio.h>
#include <string.h>

#define NAME(file) lbr_rows_##file,
static const lbr_row *const files[] = { LBR_ROW_FILES(NAME) };
enum { FILES = sizeof files / sizeof *files };

static const lbr_row *row_at(int64_t i)
{
    for (int k = 0; k < FILES; k++)
        for (const lbr_row *r = files[k]; r->m.name; r++)
            if (i-- == 0) return r;
    return NULL;
}

int64_t lbr_catalogue_size(void)
{
    int64_t n = 0;

    while (row_at(n)) n++;
    return n;
}

const lbr_method *lbr_catalogue(int64_t i)
{
    const lbr_row *r = i < 0 ? NULL : row_at(i);
    return r ? &r->m : NULL;
}

const lbr_row *lbr_row_find(const char *name)
{
    for (int k = 0; k < FILES; k++)
        for (const lbr_row *r = files[k]; r->m.name; r++)
            if (!strcmp(r->m.name, name) || (r->m.aliases && lbr_text_find(r->m.aliases, name) >= 0)) return r;
    return NULL;
}

static int alias_distance(const char *name, const char *aliases)
{
    const char *word;
    char alias[64];
    size_t n;
    int best = 1000;

    for (int i = 0; (word = lbr_text_word(aliases, i, &n)); i++) {
        int d = (snprintf(alias, sizeof alias, "%.*s", (int)n, word), lbr_text_distance(name, alias));
        if (d < best) best = d;
    }
    return best;
}

void lbr_row_nearest(const char *name, int *least, const char **near)
{
    for (int k = 0; k < FILES; k++)
        for (const lbr_row *r = files[k]; r->m.name; r++) {
            int d = lbr_text_distance(name, r->m.name), a = alias_distance(name, r->m.aliases);

            if (a < d) d = a;
            if (d < *least) *least = d, *near = r->m.name;
        }
}
