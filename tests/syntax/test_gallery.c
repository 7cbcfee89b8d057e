/* test_gallery.c - the models and experiments that come with the tool, as texts.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support/parsed.h"

#include <libration.h>

#include "syntax/gallery.h"

/* --- the table --------------------------------------------------------------------------------------------------- */

static void table(void)
{
    const lbr_gallery_item *item, *last = NULL;
    int count[2] = { 0 }, sorted = 1, whole = 1, found = 1;
    int64_t n = 0;

    for (; (item = lbr_gallery(n)); n++, last = item) {
        int experiment = !strcmp(item->kind, "experiment");

        count[experiment]++;
        if (last && !strcmp(last->kind, item->kind)) sorted &= strcmp(last->name, item->name) < 0;
        else sorted &= !last || experiment; /* models first; a kind is in one piece */
        whole &= item->size == strlen(item->text) && item->text[item->size - 1] == '\n';
        found &= lbr_gallery_find(item->kind, item->name) == item;
    }
    ok(count[0] >= 73 && count[1] >= 20, "%d models and %d experiments", count[0], count[1]);
    ok(sorted, "models, then experiments, each once and by name");
    ok(whole, "sizes are those of the texts");
    ok(found, "each is found by its kind and name");
    ok(!lbr_gallery(n) && !lbr_gallery(n + 1) && !lbr_gallery(-1),
       "there is nothing before the first and after the last");
    ok(!lbr_gallery_find("experiment", "riccati") && !lbr_gallery_find(NULL, "") &&
           !lbr_gallery_find("model", "kepler.lbr"),
       "what is not there is not found");
    item = lbr_gallery_find(NULL, "outer-solar-system");
    ok(item && !strcmp(item->kind, "model"), "of a model and an experiment of one name, the model comes first");
    item = lbr_gallery_find("experiment", "outer-solar-system");
    ok(item && !strcmp(item->kind, "experiment"), "and the other one if it is asked for");
}

static void nearest(void)
{
    static const struct {
        const char *kind, *name, *near;
    } names[] = {
        { NULL, "keplr", "kepler" },
        { NULL, "Kepler", "kepler" },
        { NULL, "henon", "henon-heiles" },
        { NULL, "outer-solar", "outer-solar-system" },
        { NULL, "lotka-voltera", "lotka-volterra" },
        { "experiment", "kepler", "kepler-orbits" },
        { "experiment", "kepler-oders", "kepler-orders" },
        { NULL, "qqq", NULL },
        { NULL, "", NULL },
        { NULL, "x", NULL },
        { "nothing", "kepler", NULL },
    };

    for (size_t i = 0; i < COUNT(names); i++) {
        const lbr_gallery_item *item = lbr_gallery_nearest(names[i].kind, names[i].name);
        const char *near = item ? item->name : NULL;

        if (!ok(names[i].near ? near && !strcmp(near, names[i].near) : !near, "nearest to '%s': %s", names[i].name,
                names[i].near ? names[i].near : "nothing"))
            printf("# got %s\n", near ? near : "nothing");
    }
}

/* --- the files --------------------------------------------------------------------------------------------------- */

static int same_as_file(const lbr_gallery_item *item)
{
    char path[1000], *text = malloc(item->size + 2);
    size_t n = 0;
    FILE *f;

    snprintf(path, sizeof path, "%s/../../%ss/%s.lbr", LBR_TEST_DATA, item->kind, item->name);
    if (text && (f = fopen(path, "rb"))) n = fread(text, 1, item->size + 1, f), fclose(f);
    n = n == item->size && !memcmp(text, item->text, n);
    free(text);
    return (int)n;
}

/* Files of a folder that the gallery does not have. */
static int strangers(const char *kind)
{
    char path[1000], name[300];
    struct dirent *entry;
    DIR *d;
    int n = 0;

    snprintf(path, sizeof path, "%s/../../%ss", LBR_TEST_DATA, kind);
    if (!(d = opendir(path))) return -1;
    while ((entry = readdir(d))) {
        size_t length = strlen(entry->d_name);

        if (length < 5 || length > 250 || strcmp(entry->d_name + length - 4, ".lbr")) continue;
        snprintf(name, sizeof name, "%.*s", (int)(length - 4), entry->d_name);
        n += !lbr_gallery_find(kind, name);
    }
    closedir(d);
    return n;
}

static void files(void)
{
    const lbr_gallery_item *item;
    int same = 1;

    for (int64_t i = 0; (item = lbr_gallery(i)); i++)
        if (!same_as_file(item)) same = 0, printf("# %s %s differs\n", item->kind, item->name);
    ok(same, "every text is its file, byte for byte");
    ok(strangers("model") == 0 && strangers("experiment") == 0, "no file is missing");
}

/* --- what is in them --------------------------------------------------------------------------------------------- */

typedef struct found {
    int title, source, use, run, start, claim, bare, unlabelled, read, unknown_model, unknown_method, state;
    const char *title_text, *source_text, *method, *unknown;
} found;

static int reads(const lbr_node *e)
{
    int n = e->kind == LBR_NODE_CALL && !strcmp(e->text, "read");

    for (int i = 0; i < e->n; i++) n += reads(e->arg[i]);
    return n;
}

/* Methods that the file defines, and members whose number is an index, are known elsewhere. */
static int describable(const lbr_file *f, const lbr_item *item)
{
    const lbr_method_info *info;
    lbr_status status;

    for (int i = 0; i < f->nstatements; i++)
        if (f->statement[i].kind == LBR_ST_METHOD && strstr(item->source, f->statement[i].text)) return 1;
    if (item->method->k_name) return 1;
    status = lbr_method_describe(&info, item->source);
    lbr_method_free(info);
    return status == LBR_OK;
}

static void method_of(const lbr_file *f, const lbr_item *item, found *x)
{
    x->method = item->source;
    if (!describable(f, item)) x->unknown = item->source, x->unknown_method++;
}

static void look(const lbr_file *f, const lbr_statement *s, found *x)
{
    x->title += s->kind == LBR_ST_TITLE, x->source += s->kind == LBR_ST_SOURCE;
    if (s->kind == LBR_ST_TITLE) x->title_text = s->text;
    if (s->kind == LBR_ST_SOURCE) x->source_text = s->text;
    x->use += s->kind == LBR_ST_USE, x->run += s->kind == LBR_ST_RUN, x->start += s->kind == LBR_ST_START,
        x->claim += s->kind == LBR_ST_CLAIM;
    x->state += s->kind == LBR_ST_STATE || s->kind == LBR_ST_CANONICAL || s->kind == LBR_ST_ROTATION;
    if (s->kind == LBR_ST_USE) x->unknown_model += s->is_string || !lbr_gallery_find("model", s->text);
    if (s->kind == LBR_ST_CLAIM) x->bare += !s->has_against, x->unlabelled += !s->text;
    for (int i = 0; i < s->n; i++)
        if (s->item[i].method && s->kind != LBR_ST_METHOD) method_of(f, &s->item[i], x);
    if (s->value) x->read += reads(s->value);
    for (int i = 0; i < s->n; i++)
        if (s->item[i].value) x->read += reads(s->item[i].value);
}

static found find_in(const lbr_file *f)
{
    found x = { .title_text = "", .source_text = "" };

    for (int i = 0; i < f->nstatements; i++) look(f, &f->statement[i], &x);
    return x;
}

static void contents(void)
{
    const lbr_gallery_item *item;
    parsed a;

    for (int64_t i = 0; (item = lbr_gallery(i)); i++) {
        const lbr_file *f = parse_bytes(&a, item->text, item->size);
        found x = find_in(f);
        int named = x.title == 1 && x.source == 1 && !strcmp(x.title_text, item->title) &&
                    !strcmp(x.source_text, item->source) && *item->title && *item->source;

        if (!ok(a.status == LBR_OK && f->nerrors == 0, "%s %s is read", item->kind, item->name))
            printf("# %s\n", lbr_file_report(f, &a.arena));
        ok(named && strlen(item->title) <= 80, "%s has a title and a source, as the table says", item->name);
        ok(!x.read, "%s needs no other file", item->name);
        if (!strcmp(item->kind, "model")) {
            ok(!x.use && x.state >= 1 && x.start >= 1, "%s has variables and a start", item->name);
            ok(x.run == 1 && x.method, "one run, with a method");
            ok(x.claim == 0, "and claims nothing");
        } else {
            ok((x.use == 1 || x.state >= 1) && !x.unknown_model, "%s uses a model of the gallery or has its own",
               item->name);
            ok(x.run >= 2 && x.claim >= 2, "has runs and claims");
            ok(!x.bare, "each with an against");
            ok(!x.unlabelled, "and with a label");
        }
        if (strcmp(item->kind, "model") && !ok(!x.unknown_method, "%s needs methods of the catalogue only", item->name))
            printf("# %s is not one\n", x.unknown);
        forget(&a);
    }
}

/* Against: each of these questions must find what is wrong. */
static void against(void)
{
    parsed a;
    found x = find_in(parse(&a, "param m = read(\"a.csv\")\n"
                                "claim a < 1\n"
                                "use nosuchmodel\n"
                                "run method = nosuchmethod, step = 1\n"));

    ok(a.status == LBR_OK && x.read, "a file with mistakes is read");
    ok(x.bare == 1 && x.unlabelled == 1 && x.unknown_model == 1 && x.unknown_method == 1,
       "what a file may not have would be found");
    forget(&a);
}

int main(void)
{
    table();
    nearest();
    files();
    contents();
    against();
    return tap_done();
}
