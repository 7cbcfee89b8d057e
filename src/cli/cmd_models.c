/* cmd_models.c - libration models: the gallery. SPDX-License-Identifier: BSD-3-Clause */
#include "columns.h"
#include "flags.h"
#include "syntax/gallery.h"

#include <string.h>

typedef struct wish {
    arguments given;
    const char *kind, *name, *grep;
    int json, experiment;
} wish;

static const flag flags[] = {
    { "experiment", NULL, FLAG_YES, offsetof(wish, experiment), "experiments only" },
    { "grep", "WORDS", FLAG_TEXT, offsetof(wish, grep), "only what has all these words in its name, title or source" },
    { "json", NULL, FLAG_YES, offsetof(wish, json), "JSON on standard output, and nothing else there" },
    { 0 }
};

static int wanted(const wish *w, const lbr_gallery_item *item)
{
    const char *const text[] = { item->name, item->title, item->source };

    return (!w->kind || !strcmp(w->kind, item->kind)) && texts_have(text, 3, w->grep);
}

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

/* Chapters of Hairer, Lubich and Wanner's book, which sources name by their numbers: "HLW Fig. VI.9.1". */
static const char *const chapter[][2] = { { "I", "examples" },
                                          { "II", "numerical integrators" },
                                          { "III", "order conditions" },
                                          { "IV", "first integrals, manifolds" },
                                          { "V", "symmetry, reversibility" },
                                          { "VI", "symplectic integration" },
                                          { "VII", "constraints, Poisson systems, rigid bodies" },
                                          { "VIII", "implementation" },
                                          { "IX", "backward error analysis" },
                                          { "X", "Hamiltonian perturbation theory" },
                                          { "XI", "reversible perturbation theory" },
                                          { "XII", "dissipation" },
                                          { "XIII", "constant high frequencies" },
                                          { "XIV", "varying high frequencies" },
                                          { "XV", "multistep methods" } };
enum { CHAPTERS = sizeof chapter / sizeof *chapter };

/* The first one that a source names; CHAPTERS: none. */
static int chapter_of(const char *source)
{
    for (const char *s = strstr(source, "HLW"); s && *s; s++) {
        size_t n = strspn(s, "IVX");

        if (!n) continue;
        for (int k = 0; k < CHAPTERS; k++)
            if (strlen(chapter[k][0]) == n && !strncmp(s, chapter[k][0], n)) return k;
        s += n - 1;
    }
    return CHAPTERS;
}

static int list_chapter(const wish *w, const char *kind, int k, int name)
{
    const lbr_gallery_item *item;
    int n = 0;

    for (int64_t i = 0; (item = lbr_gallery(i)); i++) {
        char text[1000];

        if (!wanted(w, item) || strcmp(item->kind, kind) || chapter_of(item->source) != k) continue;
        if (!n++)
            printf("\n%ss, %s%s%s%s\n", kind, k < CHAPTERS ? "HLW " : "others", k < CHAPTERS ? chapter[k][0] : "",
                   k < CHAPTERS ? ": " : "", k < CHAPTERS ? chapter[k][1] : "");
        printf("  %s%*s", item->name, name + 2 - text_width(item->name), "");
        snprintf(text, sizeof text, *item->source ? "%.480s [%.480s]" : "%.480s", item->title, item->source);
        print_wrapped(text, name + 4, name + 4);
    }
    return n;
}

static int list_people(const wish *w)
{
    static const char *const kinds[] = { "model", "experiment" };
    const lbr_gallery_item *item;
    int found = 0;

    for (int i = 0; i < 2; i++) {
        int name = 0;

        for (int64_t k = 0; (item = lbr_gallery(k)); k++)
            if (wanted(w, item) && !strcmp(item->kind, kinds[i]) && text_width(item->name) > name)
                name = text_width(item->name);
        for (int k = 0; k <= CHAPTERS; k++) found += list_chapter(w, kinds[i], k, name);
    }
    if (!found) return complain("nothing of the gallery has '%.60s' in its name, title or source", w->grep);
    puts("\n"
         "libration models NAME prints a file, --experiment the experiment where a model has the same\n"
         "name; libration run NAME runs it.");
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
                                 .use = "models [NAME] [--experiment] [--grep WORDS] [--json]",
                                 .help = "the gallery; with NAME, prints the file",
                                 .takes = "NAME",
                                 .flags = flags,
                                 .before = "",
                                 .after = "",
                                 .run = run };
