/* source.c - files read and used. SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L
#include "source.h"
#include "gallery.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_USES = 20 }; /* files inside each other */

/* A text; key: what tells it from others. */
typedef struct opened {
    const char *name, *text, *folder;
    size_t size;
    const char *key;
} opened;

/* --- texts ------------------------------------------------------------------------------------------------------- */

static lbr_status no_memory(lbr_source *s) { return s->message = "out of memory", LBR_ENOMEM; }

static lbr_status bad(lbr_source *s, lbr_status status, const char *text)
{
    if (status == LBR_ENOMEM || !(s->message = lbr_arena_text(&s->arena, text))) return no_memory(s);
    return status;
}

/* A regular file; anything else is refused and cannot make it wait. */
static lbr_status slurp(lbr_arena *arena, const char *path, const char **out, size_t *size, char *why, size_t room)
{
    lbr_status status = LBR_EARG;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    struct stat st;
    char *text = NULL;
    ssize_t n = 0;

    if (fd < 0 || fstat(fd, &st)) snprintf(why, room, "%.200s: %s", path, strerror(errno));
    else if (!S_ISREG(st.st_mode)) snprintf(why, room, "%.200s: not a regular file", path);
    else if (st.st_size > LBR_LONGEST_TEXT)
        snprintf(why, room, "%.200s: longer than %d bytes, the limit of a text" LBR_RAISED(LBR_LONGEST_TEXT), path,
                 LBR_LONGEST_TEXT);
    else status = (text = lbr_arena_alloc(arena, st.st_size + 1, 1)) ? LBR_OK : LBR_ENOMEM;
    for (*size = 0; text && *size < (size_t)st.st_size; *size += (size_t)n)
        if ((n = read(fd, text + *size, (size_t)st.st_size - *size)) <= 0) break;
    if (text && n < 0) snprintf(why, room, "%.200s: %s", path, strerror(errno)), status = LBR_EARG;
    if (fd >= 0) close(fd);
    *out = text;
    return status;
}

static int is_gallery(const char *what) { return !strpbrk(what, "/."); }

static lbr_status find_gallery(opened *o, const char *kind, const char *what, char *why, size_t room)
{
    const lbr_gallery_item *item = lbr_gallery_find(kind, what), *near;

    if (item) return *o = (opened){ item->name, item->text, NULL, item->size, item->text }, LBR_OK;
    near = lbr_gallery_nearest(kind, what);
    if (near)
        snprintf(why, room,
                 "there is no model '%.60s' in the gallery; did you mean '%s'? (libration models lists them; a file is "
                 "written with its suffix, %.60s.lbr)",
                 what, near->name, what);
    else
        snprintf(why, room,
                 "there is no model '%.60s' in the gallery (libration models lists them; a file is written with its "
                 "suffix, %.60s.lbr)",
                 what, what);
    return LBR_EARG;
}

static lbr_status find_file(lbr_source *s, opened *o, const char *path, char *why, size_t room)
{
    const char *slash = strrchr(path, '/');
    char *folder = lbr_arena_text(&s->arena, slash ? path : ".");
    lbr_status status = slurp(&s->arena, path, &o->text, &o->size, why, room);

    o->name = lbr_arena_text(&s->arena, path);
    if (folder && slash) folder[slash == path ? 1 : slash - path] = 0;
    o->folder = folder, o->key = o->name;
    return folder && o->name ? status : LBR_ENOMEM;
}

/* --- the list of statements -------------------------------------------------------------------------------------- */

static int append(lbr_source *s, lbr_line **list, int *n, lbr_line line)
{
    if (!LBR_ROOM_FOR_ONE(&s->arena, *list, *n)) return 0;
    (*list)[(*n)++] = line;
    return 1;
}

lbr_line lbr_line_after(lbr_file *file, const char *folder)
{
    return (lbr_line){ .file = file, .folder = folder, .order = LBR_AFTER_ALL };
}

static int is_extra(lbr_statement_kind kind)
{
    return kind == LBR_ST_RUN || kind == LBR_ST_MEASURE || kind == LBR_ST_PLOT || kind == LBR_ST_TABLE ||
           kind == LBR_ST_CLAIM;
}

static lbr_status include(lbr_source *s, const opened *o, int depth, const char **above);

static lbr_status use(lbr_source *s, const opened *o, lbr_file *file, const lbr_statement *st, int depth,
                      const char **above)
{
    char why[LBR_MESSAGE] = "", *path;
    opened next;
    lbr_status found;

    path = lbr_source_path(&s->arena, st->is_string ? o->folder : NULL, st->text);
    if (!path) return LBR_ENOMEM;
    if (st->is_string && !o->folder)
        return lbr_file_error(file, st->place, "a model of the gallery, or a text without a folder, uses no files"),
               LBR_EARG;
    if (depth + 1 >= MOST_USES)
        return lbr_file_error(file, st->place, "more than %d files that use each other: cyclic?", MOST_USES), LBR_EARG;
    found = st->is_string ? find_file(s, &next, path, why, sizeof why)
                          : find_gallery(&next, "model", path, why, sizeof why);
    if (found == LBR_ENOMEM) return found;
    if (found) return lbr_file_error(file, st->text_place.line ? st->text_place : st->place, "%s", why), LBR_EARG;
    for (int k = 0; k <= depth; k++)
        if (!strcmp(above[k], next.key) ||
            (st->is_string && !strncmp(next.key, "./", 2) && !strcmp(above[k], next.key + 2)))
            return lbr_file_error(file, st->place, "cyclic use: this file is being read already"), LBR_EARG;
    return include(s, &next, depth + 1, above);
}

/* One statement of a file at its place in the list. */
static lbr_status place_one(lbr_source *s, const opened *o, lbr_file *file, const lbr_statement *st, int depth,
                            const char **above, int *seen)
{
    lbr_line line = { file, st, o->folder, depth, 0, LBR_AFTER_ALL };

    switch (st->kind) {
    case LBR_ST_TITLE:
        if (!depth || !s->title) s->title = st->text;
        return LBR_OK;
    case LBR_ST_SOURCE:
        if (!depth || !s->origin) s->origin = st->text;
        return LBR_OK;
    case LBR_ST_USE:
        if (*seen)
            return lbr_file_error(file, st->place, "use stands once in a file, first but for title and source"),
                   LBR_EARG;
        *seen = 1;
        if (!st->faulty) {
            lbr_status status = use(s, o, file, st, depth, above);

            if (status) return status;
        }
        break;
    case LBR_ST_NONE: return LBR_OK;
    default: *seen |= !st->faulty;
    }
    if (is_extra(st->kind) && depth) {
        if (st->kind != LBR_ST_RUN || st->faulty || (s->nfirst && s->first_run[s->nfirst - 1].file == file))
            return LBR_OK;
        return append(s, &s->first_run, &s->nfirst, line) ? LBR_OK : LBR_ENOMEM;
    }
    if (is_extra(st->kind)) return append(s, &s->extra, &s->nextra, line) ? LBR_OK : LBR_ENOMEM;
    line.order = s->nlines + 1;
    return append(s, &s->line, &s->nlines, line) ? LBR_OK : LBR_ENOMEM;
}

static lbr_file *parse(lbr_source *s, const opened *o, lbr_status *status)
{
    lbr_file **files = lbr_arena_alloc(&s->arena, s->nfiles + 1, sizeof *files),
             *file = lbr_arena_alloc(&s->arena, 1, sizeof *file);

    *status = LBR_ENOMEM;
    if (!files || !file) return NULL;
    for (int k = 0; k < s->nfiles; k++) files[k] = s->file[k];
    s->file = files, files[s->nfiles++] = file;
    *status = lbr_file_parse(file, o->name, o->text, o->size, &s->arena), file->folder = o->folder;
    return file;
}

static lbr_status include(lbr_source *s, const opened *o, int depth, const char **above)
{
    lbr_status status, worst;
    lbr_file *file = parse(s, o, &worst);
    int seen = 0;

    if (!file || worst == LBR_ENOMEM) return LBR_ENOMEM;
    above[depth] = o->key;
    s->digest = lbr_hash(s->digest, o->text, o->size);
    for (int k = 0; k < file->nstatements; k++) {
        status = place_one(s, o, file, file->statement + k, depth, above, &seen);
        if (status == LBR_ENOMEM) return status;
        if (status) worst = status;
    }
    return worst;
}

/* --- the doors --------------------------------------------------------------------------------------------------- */

static char *short_name(lbr_arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');
    char *name = lbr_arena_text(arena, slash ? slash + 1 : path), *dot = name ? strrchr(name, '.') : NULL;

    if (dot && dot > name) *dot = 0;
    return name;
}

static lbr_status opened_source(lbr_source *s, const opened *o)
{
    const char *above[MOST_USES + 1];
    lbr_status status;

    s->name = short_name(&s->arena, o->name);
    status = s->name ? include(s, o, 0, above) : LBR_ENOMEM;
    return status == LBR_EARG ? lbr_source_report(s) : status ? no_memory(s) : LBR_OK;
}

lbr_status lbr_source_open(lbr_source *s, const char *what)
{
    char why[LBR_MESSAGE] = "";
    opened o;
    lbr_status status;

    *s = (lbr_source){ .digest = LBR_HASH };
    status = is_gallery(what) ? find_gallery(&o, NULL, what, why, sizeof why) : find_file(s, &o, what, why, sizeof why);
    if (status) return bad(s, status, why);
    return opened_source(s, &o);
}

lbr_status lbr_source_text(lbr_source *s, const char *name, const char *text, size_t size, const char *folder)
{
    *s = (lbr_source){ .digest = LBR_HASH };
    return opened_source(s, &(opened){ name, text, folder, size, name });
}

/* The same setting is asked for by every run: it is read once. */
static lbr_file *known(const lbr_source *s, const char *name, const char *text)
{
    for (int k = 0; k < s->ngiven; k++)
        if (!strcmp(s->given[k]->name, name) && !strcmp(s->given[k]->text, text)) return s->given[k];
    return NULL;
}

lbr_status lbr_source_given(lbr_source *s, const char *name, const char *text, lbr_given what, lbr_file **file)
{
    lbr_file **all, *next;
    lbr_status status;

    if ((*file = known(s, name, text))) return LBR_OK;
    all = lbr_arena_alloc(&s->arena, s->ngiven + 1, sizeof *all), next = lbr_arena_alloc(&s->arena, 1, sizeof *next);
    name = lbr_arena_text(&s->arena, name), text = lbr_arena_text(&s->arena, text);
    if (!all || !next || !name || !text) return no_memory(s);
    if ((status = lbr_given_parse(next, name, text, what, &s->arena)) == LBR_ENOMEM) return no_memory(s);
    for (int k = 0; k < s->ngiven; k++) all[k] = s->given[k];
    all[s->ngiven++] = *file = next, s->given = all;
    if (!status) return LBR_OK;
    status = lbr_source_report(s), s->ngiven--; /* whoever asks again hears it again */
    return status;
}

/* File k of all that may have errors, or NULL after the last. */
static lbr_file *any_file(const lbr_source *s, int k)
{
    return k < s->nfiles ? s->file[k] : k < s->nfiles + s->ngiven ? s->given[k - s->nfiles] : NULL;
}

char *lbr_source_path(lbr_arena *arena, const char *folder, const char *name)
{
    return name[0] == '/' || !folder ? lbr_arena_text(arena, name) : lbr_arena_format(arena, "%s/%s", folder, name);
}

/* What the command line gives is read beside the last file; which one that is, is not asked here. */
int lbr_source_reads(lbr_source *s, const char ***list)
{
    int n = 0, most = 0;

    *list = NULL;
    for (int k = 0; any_file(s, k); k++)
        for (int f = 0; f < (k < s->nfiles ? 1 : s->nfiles); f++) {
            const lbr_file *file = any_file(s, k), *beside = k < s->nfiles ? file : s->file[f];

            for (int i = 0; beside->folder && i < file->nreads; i++)
                if (!LBR_ROOM(&s->arena, *list, n, most, 1) ||
                    !((*list)[n++] = lbr_source_path(&s->arena, beside->folder, file->reads[i])))
                    return -1;
        }
    return n;
}

/* The mistakes of all files, as they will be told one by one. 0: no memory. */
static int keep_mistakes(lbr_source *s)
{
    int n = 0;

    for (int k = 0; any_file(s, k); k++)
        n += any_file(s, k)->nerrors < LBR_MOST_ERRORS ? any_file(s, k)->nerrors : LBR_MOST_ERRORS;
    s->nmistakes = 0;
    if (!(s->mistake = lbr_arena_alloc(&s->arena, n + 1, sizeof *s->mistake))) return 0;
    for (int k = 0; any_file(s, k); k++)
        for (int i = 0; i < any_file(s, k)->nerrors && i < LBR_MOST_ERRORS; i++) {
            const lbr_error *e = any_file(s, k)->error + i;

            s->mistake[s->nmistakes++] = (lbr_mistake){ sizeof(lbr_mistake), any_file(s, k)->name, e->place.line,
                                                        e->place.column, e->text };
        }
    return 1;
}

int lbr_source_errors(const lbr_source *s)
{
    int n = 0;

    for (int k = 0; any_file(s, k); k++) n += any_file(s, k)->nerrors;
    return n;
}

lbr_status lbr_source_report(lbr_source *s)
{
    const char *all = "";
    int k = 0;

    if (!keep_mistakes(s)) return no_memory(s);
    for (lbr_file *file; (file = any_file(s, k)); k++) {
        const char *text = file->nerrors ? lbr_file_report(file, &s->arena) : "";

        if (!text || file->no_memory ||
            !(all = lbr_arena_format(&s->arena, "%s%s%s", all, *all && *text ? "\n" : "", text)))
            return no_memory(s);
        file->nerrors = 0;
    }
    s->message = all;
    return LBR_EARG;
}

void lbr_source_free(lbr_source *s)
{
    lbr_arena_free(&s->arena);
    *s = (lbr_source){ 0 };
}
