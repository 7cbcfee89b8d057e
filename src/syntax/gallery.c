/* gallery.c - finding a model or an experiment of the gallery. SPDX-License-Identifier: BSD-3-Clause */
#include "gallery.h"
#include "core/text.h"

#include <string.h>

const lbr_gallery_item *lbr_gallery(int64_t i)
{
    const lbr_gallery_item *item = lbr_gallery_items;

    if (i < 0) return NULL;
    while (i > 0 && item->name) item++, i--;
    return item->name ? item : NULL;
}

static int of_kind(const lbr_gallery_item *item, const char *kind) { return !kind || !strcmp(item->kind, kind); }

const lbr_gallery_item *lbr_gallery_find(const char *kind, const char *name)
{
    for (const lbr_gallery_item *item = lbr_gallery_items; item->name; item++)
        if (of_kind(item, kind) && !strcmp(item->name, name)) return item;
    return NULL;
}

/* What two names share at their beginnings. */
static size_t shared(const char *a, const char *b)
{
    size_t n = 0;

    while (a[n] && a[n] == b[n]) n++;
    return n;
}

/* Near is: an edit in three letters or less; or else a name that begins like it, as henon for henon-heiles. */
const lbr_gallery_item *lbr_gallery_nearest(const char *kind, const char *name)
{
    const lbr_gallery_item *near = NULL, *like = NULL;
    size_t most = 3;
    int least = lbr_text_far(name);

    for (const lbr_gallery_item *item = lbr_gallery_items; item->name; item++) {
        int d = of_kind(item, kind) ? lbr_text_distance(name, item->name) : least;
        size_t n = of_kind(item, kind) ? shared(name, item->name) : 0;

        if (d < least) least = d, near = item;
        if (n > most) most = n, like = item;
    }
    return near ? near : like;
}
