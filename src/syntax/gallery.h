/* gallery.h - the models and experiments that come with the tool, kept in it as text.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * models/NAME.lbr and experiments/NAME.lbr, embedded by tools/embed: no path is searched. A model and an experiment may
 * have the same name. */
#ifndef LBR_SYNTAX_GALLERY_H
#define LBR_SYNTAX_GALLERY_H
#include <stddef.h>
#include <stdint.h>

typedef struct lbr_gallery_item {
    const char *name, *kind;    /* kind: "model" or "experiment" */
    const char *title, *source; /* of its statements; source may be "" */
    const char *text;
    size_t size; /* the file; a 0 follows that size does not count */
} lbr_gallery_item;

/* Generated; the models, then the experiments, each by name; ends with an item without name. */
extern const lbr_gallery_item lbr_gallery_items[];

/* Item i, or NULL if there are not so many. */
const lbr_gallery_item *lbr_gallery(int64_t i);
/* An item by its name; kind NULL: a model, or else an experiment. NULL if there is none. */
const lbr_gallery_item *lbr_gallery_find(const char *kind, const char *name);
/* The item whose name is nearest to a misspelt one; NULL if none is near. */
const lbr_gallery_item *lbr_gallery_nearest(const char *kind, const char *name);
#endif
