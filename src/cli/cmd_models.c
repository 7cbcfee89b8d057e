/* cmd_models.c - libration models: the gallery. SPDX-License-Identifier: BSD-3-Clause */
#include "flags.h"
#include "syntax/gallery.h"

#include <string.h>

typedef struct wish {
    arguments given;
    const char *kind, *name;
    int json, experiment;
} wish;

static const flag flags[] = { { "experiment", NULL, FLAG_YES, offsetof(wish, experiment), "experiments only" },
                              { "json", NULL, FLAG_YES, offsetof(wish, json),
                                "JSON on standard output, and nothing else there" },
                              { 0 } };

static int wanted(const wish *w, const lbr_gallery_item *item) { return !w->kind || !strcmp(w->kind, item->kind); }

/* --- JSON -------------------------------------------------------------------------------------------------------- */

static void entry(lbr_json *j, const lbr_gallery_item *item, int with_text)
{
    lbr_json_open(j, NULL, '{');
    lbr_json_text(j, "name", item->name);
    lbr_json_text(j, "kind", item->kind);
    lbr_json_text(j, "title", item->title);
    lbr_json_text(j, "source", item->source);
    if (with_text) lbr_json_text(j, "text", item->text);
    lbr_json_close(j, '}');
}

static int list_json(const wish *w)
{
    lbr_json j = { .out = stdout };
    const lbr_gallery_item *item;

    lbr_json_open(&j, NULL, '[');
    for (int64_t i = 0; (item = lbr_gallery(i)); i++)
        if (wanted(w, item)) entry(&j, item, 0);
    lbr_json_close(&j, ']');
    return LBR_EXIT_DONE;
}

/* --- for people -------------------------------------------------------------------------------------------------- */

/* Characters, not bytes: continuation bytes of UTF-8 are not counted. */
static int width(const char *s)
{
    int n = 0;

    for (; *s; s++) n += ((unsigned char)*s & 0xc0) != 0x80;
    return n;
}

static void column(const char *s, int wide) { printf("%s%*s", s, wide - width(s), ""); }

static int list_people(const wish *w)
{
    const lbr_gallery_item *item;
    const char *kind = "";
    int name = 0, title = 0;

    for (int64_t i = 0; (item = lbr_gallery(i)); i++) {
        if (width(item->name) > name) name = width(item->name);
        if (width(item->title) > title) title = width(item->title);
    }
    for (int64_t i = 0; (item = lbr_gallery(i)); i++) {
        if (!wanted(w, item)) continue;
        if (strcmp(kind, item->kind)) printf("%s%ss\n", *kind ? "\n" : "", item->kind);
        kind = item->kind;
        printf("  "), column(item->name, name + 2);
        if (*item->source) column(item->title, title + 2);
        printf("%s\n", *item->source ? item->source : item->title);
    }
    puts("\n"
         "libration models NAME prints a file, --experiment the experiment where a model has the same name; libration "
         "run NAME runs it.");
    return LBR_EXIT_DONE;
}

static int one(const wish *w)
{
    const lbr_gallery_item *item = lbr_gallery_find(w->kind, w->name);
    lbr_json j = { .out = stdout };

    if (!item) {
        const char *what = w->kind ? w->kind : "model or experiment";

        item = lbr_gallery_nearest(w->kind, w->name);
        if (!item) return complain("the gallery has no %s '%.60s'; libration models lists it", what, w->name);
        return complain("the gallery has no %s '%.60s'; did you mean '%s'? (libration models)", what, w->name,
                        item->name);
    }
    if (w->json) entry(&j, item, 1);
    else fwrite(item->text, 1, item->size, stdout); /* whether it was written is asked at the end, in main */
    return LBR_EXIT_DONE;
}

static int run(const command *self, int argc, char **argv)
{
    wish w = { .kind = NULL };
    int code = flags_read(&w.given, self, argc, argv);

    if (w.experiment) w.kind = "experiment";
    if (w.given.nnames) w.name = w.given.name[0];
    if (!code) code = w.name ? one(&w) : w.json ? list_json(&w) : list_people(&w);
    flags_free(&w.given);
    return code;
}

const command command_models = { .name = "models",
                                 .use = "models [NAME] [--experiment] [--json]",
                                 .help = "the gallery; with NAME, prints the file",
                                 .takes = "NAME",
                                 .flags = flags,
                                 .before = "",
                                 .after = "",
                                 .run = run };
