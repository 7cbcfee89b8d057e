/* catalogue.c - the rows of all kinds, and finding one. SPDX-License-Identifier: BSD-3-Clause */
#include "kind.h"

#include <stdio.h>
#include <string.h>

/* The row after `row`, NULL being before the first; NULL after the last. k and kind say where it is. */
static const lbr_row *next(const lbr_row *row, int *k, const lbr_kind **kind)
{
    if (!row) *k = 0, *kind = lbr_kinds[0];
    if (row && row[1].m.name) return row + 1;
    if (row) ++*kind;
    while (lbr_kinds[*k]) {
        for (; (*kind)->name; ++*kind)
            if ((*kind)->rows) return (*kind)->rows;
        *kind = lbr_kinds[++*k];
    }
    return NULL;
}

#define EACH_ROW(r)               \
    int k_ = 0;                   \
    const lbr_kind *kind_ = NULL; \
    for (const lbr_row *r = next(NULL, &k_, &kind_); r; r = next(r, &k_, &kind_))

const lbr_kind *lbr_kind_find(const char *form)
{
    for (int k = 0; lbr_kinds[k]; k++)
        for (const lbr_kind *kind = lbr_kinds[k]; kind->name; kind++)
            if (!strcmp(kind->name, form)) return kind;
    return NULL;
}

const lbr_kind *lbr_kind_of(const lbr_method *row) { return row->form ? lbr_kind_find(row->form) : lbr_kinds[0]; }

int64_t lbr_catalogue_size(void)
{
    int64_t n = 0;

    EACH_ROW(r) n++;
    return n;
}

const lbr_method *lbr_catalogue(int64_t i)
{
    EACH_ROW(r) if (i-- == 0) return &r->m;
    return NULL;
}

const lbr_row *lbr_row_find(const char *name)
{
    EACH_ROW(r) if (!strcmp(r->m.name, name) || (r->m.aliases && lbr_text_find(r->m.aliases, name) >= 0)) return r;
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
    EACH_ROW(r)
    {
        int d = lbr_text_distance(name, r->m.name), a = alias_distance(name, r->m.aliases);

        if (a < d) d = a;
        if (d < *least) *least = d, *near = r->m.name;
    }
}
