/* catalogue.c - the rows of all kinds, and finding one. SPDX-License-Identifier: BSD-3-Clause */
#include "kind.h"

#include <stdio.h>
#include <string.h>

const lbr_kind *lbr_kind_next(const lbr_kind *kind, int *k)
{
    if (!kind) *k = 0, kind = lbr_kinds[0];
    else kind++;
    while (kind && !kind->name) kind = lbr_kinds[++*k];
    return kind;
}

#define EACH_KIND(kind) \
    int k_ = 0;         \
    for (const lbr_kind *kind = lbr_kind_next(NULL, &k_); kind; kind = lbr_kind_next(kind, &k_))

const lbr_kind *lbr_kind_find(const char *form)
{
    EACH_KIND(kind) if (!strcmp(kind->name, form)) return kind;
    return NULL;
}

const lbr_kind *lbr_kind_of(const lbr_method *row)
{
    if (row->form) return lbr_kind_find(row->form);
    EACH_KIND(kind) if (kind->formless) return kind;
    return NULL;
}

/* --- what kinds offer -------------------------------------------------------------------------------------------- */

/* Number i of what all kinds offer, or NULL. */
static const char *offer(lbr_offer what, int i)
{
    EACH_KIND(kind)
    for (const char *const *text = kind->offers[what]; text && *text; text++)
        if (i-- == 0) return *text;
    return NULL;
}

const char *lbr_kinds_offer_first(lbr_offer what)
{
    const char *first = offer(what, 0);

    return first ? first : "";
}

const char *lbr_kinds_offer(lbr_offer what, char text[LBR_OFFERED])
{
    const char *one;
    size_t n = 0;

    text[0] = 0;
    for (int i = 0; n < LBR_OFFERED && (one = offer(what, i)); i++)
        n += (size_t)snprintf(text + n, LBR_OFFERED - n, "%s%s", !i ? "" : offer(what, i + 1) ? ", " : " and ", one);
    return text;
}

/* --- rows -------------------------------------------------------------------------------------------------------- */

/* The row after `row`, NULL being before the first; NULL after the last. k and kind say where it is. */
static const lbr_row *next(const lbr_row *row, int *k, const lbr_kind **kind)
{
    if (row && row[1].m.name) return row + 1;
    do *kind = lbr_kind_next(*kind, k);
    while (*kind && !(*kind)->rows);
    return *kind ? (*kind)->rows : NULL;
}

#define EACH_ROW(r)               \
    int k_ = 0;                   \
    const lbr_kind *kind_ = NULL; \
    for (const lbr_row *r = next(NULL, &k_, &kind_); r; r = next(r, &k_, &kind_))

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
