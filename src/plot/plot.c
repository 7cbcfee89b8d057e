/* plot.c - a picture from its description to its file: a private folder, gnuplot, and the whole file in its place.
 * SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L
#include "plot_parts.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/file.h"
#include "io/whole_file.h"
#include "kernel/folder.h"

enum { PICTURE_MOST = 256 << 20 };

const char lbr_plot_styles[] = "lines points dots linespoints histogram heat";

int lbr_plot_style_find(const char *word) { return lbr_text_find(lbr_plot_styles, word); }

/* --- what is usual ----------------------------------------------------------------------------------------------- */

/* Whether values (0: x, 1: y) suit a logarithmic axis: none negative, and positive ones `decades` apart. */
static int spans(const lbr_curve *curve, int64_t ncurves, int which, double decades)
{
    double lo = INFINITY, hi = 0;

    for (int64_t c = 0; c < ncurves; c++)
        for (int64_t i = 0; i < curve[c].n; i++) {
            double v = which ? curve[c].y[i] : curve[c].x[i];

            if (v < 0) return 0;
            if (v > 0 && v < INFINITY) lo = fmin(lo, v), hi = fmax(hi, v);
        }
    return hi > 0 && log10(hi) - log10(lo) >= decades;
}

void lbr_plot_lines(lbr_plot *plot, const lbr_curve *curve, int64_t ncurves, const char *title, const char *ylabel)
{
    *plot = (lbr_plot){
        .title = title, .xlabel = "t", .ylabel = ylabel, .style = LBR_PLOT_LINES, .curve = curve, .ncurves = ncurves
    };
    plot->log_y = spans(curve, ncurves, 1, 3);
}

void lbr_plot_work(lbr_plot *plot, const lbr_curve *curve, int64_t ncurves, const char *title, const char *xlabel,
                   const char *ylabel)
{
    *plot = (lbr_plot){ .title = title,
                        .xlabel = xlabel,
                        .ylabel = ylabel,
                        .style = LBR_PLOT_LINESPOINTS,
                        .curve = curve,
                        .ncurves = ncurves };
    plot->log_x = spans(curve, ncurves, 0, 0.5);
    plot->log_y = spans(curve, ncurves, 1, 0.5);
}

/* --- the files --------------------------------------------------------------------------------------------------- */

/* Where things are: the target's folder and name, the script and the data beside it, and the private folder. */
typedef struct {
    lbr_arena arena;
    const lbr_plot_kind *kind;
    const char *path, *stem, *script, *data; /* stem: the name without folder and suffix */
    const char *program;
    char *folder; /* NULL: not there */
} place;

static lbr_status no_memory(lbr_message *message)
{
    return lbr_fail(message, LBR_ENOMEM, "out of memory for a picture");
}

static lbr_status name_files(place *at, const char *path, int keep_script, lbr_message *message)
{
    const char *name = path ? strrchr(path, '/') : NULL, *dot;

    if (!path) return lbr_fail(message, LBR_EARG, "the picture has no file name");
    name = name ? name + 1 : path;
    dot = strrchr(name, '.');
    at->kind = dot && dot > name ? lbr_plot_kind_find(dot + 1) : NULL;
    if (!at->kind)
        return lbr_fail(message, LBR_EARG,
                        "'%.200s' is not a picture that can be drawn: its name must end with .svg, .png or .pdf", path);
    at->path = path;
    at->stem = lbr_arena_format(&at->arena, "%.*s", (int)(dot - name), name);
    at->script = lbr_arena_format(&at->arena, "%.*s.gp", (int)(dot - path), path);
    at->data = lbr_arena_format(&at->arena, "%.*s.dat", (int)(dot - path), path);
    if (!at->stem || !at->script || !at->data) return no_memory(message);
    if (keep_script && !lbr_ink_plain(at->stem))
        return lbr_fail(
            message, LBR_EARG,
            "the script of a picture can be kept only if the file's name has no control characters and is valid UTF-8");
    return LBR_OK;
}

static lbr_status look(place *at, const char *path, int keep_script, int force, lbr_message *message)
{
    lbr_status status;

    memset(at, 0, sizeof *at);
    if ((status = name_files(at, path, keep_script, message)) || (status = lbr_whole_check(at->path, force, message)))
        return status;
    if (keep_script && ((status = lbr_whole_check(at->script, force, message)) ||
                        (status = lbr_whole_check(at->data, force, message))))
        return status;
    return lbr_gnuplot_find(&at->program, &at->arena, message);
}

lbr_status lbr_plot_check(const char *path, int keep_script, int force, lbr_message *message)
{
    place at;
    lbr_status status = look(&at, path, keep_script, force, message);

    return lbr_arena_free(&at.arena), status;
}

/* --- the private folder ------------------------------------------------------------------------------------------ */

static lbr_status make_folder(place *at, lbr_message *message)
{
    char *name = lbr_arena_format(&at->arena, "%s/libration-XXXXXX", lbr_folder_base());

    if (!name) return no_memory(message);
    if (!mkdtemp(name))
        return lbr_fail(message, LBR_EIO, "the temporary folder %.200s could not be made: %s", name, strerror(errno));
    at->folder = name;
    return LBR_OK;
}

static void remove_folder(place *at)
{
    DIR *folder = at->folder ? opendir(at->folder) : NULL;

    for (struct dirent *e; folder && (e = readdir(folder));)
        if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..")) unlinkat(dirfd(folder), e->d_name, 0);
    if (folder) closedir(folder);
    if (at->folder) rmdir(at->folder);
}

/* It need not survive anything, so it is not synced. */
static lbr_status put(const place *at, const char *name, const lbr_text *ink, lbr_message *message)
{
    lbr_arena arena = { 0 };
    const char *path = lbr_arena_format(&arena, "%s/%s", at->folder, name);
    int fd = -1, error = 0;
    lbr_status status = path ? lbr_file_create(&fd, path, 0, message) : no_memory(message);

    if (!status) {
        error = lbr_file_write(fd, ink->text, ink->length, 0, NULL);
        if (close(fd) && !error) error = errno;
    }
    if (error) status = lbr_file_fail(message, "write", path, error);
    return lbr_arena_free(&arena), status;
}

/* --- drawing ----------------------------------------------------------------------------------------------------- */

/* The picture that gnuplot has left in the folder. Its beginning and its end are there, or the disk filled up on the
 * way. */
static lbr_status fetch(const place *at, char **bytes, size_t *size, lbr_message *message)
{
    lbr_arena arena = { 0 };
    const char *path = lbr_arena_format(&arena, "%s/picture.%s", at->folder, at->kind->suffix);
    size_t head = strlen(at->kind->head), tail = strlen(at->kind->tail), n;
    lbr_message detail;
    lbr_status status = path ? lbr_whole_read(path, PICTURE_MOST, bytes, size, &detail) : LBR_ENOMEM;

    lbr_arena_free(&arena);
    if (status == LBR_ENOMEM) return no_memory(message);
    if (status)
        return lbr_fail(message, LBR_EIO, "gnuplot has not written the picture; is it built for .%s files?",
                        at->kind->suffix);
    for (n = *size; n && strchr("\r\n", (*bytes)[n - 1]); n--)
        ;
    if (n >= head + tail && !memcmp(*bytes, at->kind->head, head) && !memcmp(*bytes + n - tail, at->kind->tail, tail))
        return LBR_OK;
    lbr_mem_free(*bytes);
    return lbr_fail(message, LBR_EIO, "gnuplot has not finished the picture; is there room left in %.200s?",
                    at->folder);
}

/* gnuplot's SVG leaves a ]]> of a text as it is, which XML forbids outside of CDATA. */
static void escape(lbr_text *ink, const char *svg)
{
    for (const char *end; (end = strstr(svg, "]]>")); svg = end + 3)
        lbr_text_format(ink, "%.*s]]&gt;", (int)(end - svg), svg);
    lbr_text_put(ink, svg);
}

/* What gnuplot has written in a new text: `how` says which. */
static lbr_status rewrite(char **bytes, size_t *size, void (*how)(lbr_text *, const char *), lbr_message *message)
{
    lbr_text ink = { 0 };

    how(&ink, *bytes);
    lbr_mem_free(*bytes);
    *bytes = ink.text, *size = ink.length;
    return ink.status ? no_memory(message) : LBR_OK;
}

/* An SVG is made right, and many times smaller where it has many marks. */
static lbr_status mend(const place *at, char **bytes, size_t *size, lbr_message *message)
{
    lbr_status status = LBR_OK;

    if (strcmp(at->kind->suffix, "svg")) return LBR_OK;
    if (strstr(*bytes, "]]>") && !strstr(*bytes, "<![CDATA[")) status = rewrite(bytes, size, escape, message);
    return status ? status : rewrite(bytes, size, lbr_svg_marks, message);
}

static lbr_status draw(const place *at, const lbr_scene *scene, const lbr_drawn *drawn, const lbr_text *data,
                       lbr_message *message)
{
    double seconds = scene->plot->seconds > 0 ? fmin(scene->plot->seconds, 86400) : 60;
    lbr_text script = { 0 };
    lbr_status status;

    lbr_plot_script(&script, scene, drawn, "picture", at->kind);
    if (script.status) status = no_memory(message);
    else if (!(status = put(at, "picture.gp", &script, message)) && !(status = put(at, "picture.dat", data, message)))
        status = lbr_gnuplot_run(at->program, at->folder, "picture.gp", seconds, scene->plot->interrupt, message);
    lbr_mem_free(script.text);
    return status;
}

/* The picture comes last: if it is there, so is what belongs to it. */
static lbr_status deliver(const place *at, const lbr_scene *scene, const lbr_drawn *drawn, const lbr_text *data,
                          int keep_script, int force, lbr_message *message)
{
    lbr_text script = { 0 };
    char *bytes = NULL;
    size_t n = 0;
    lbr_status status = fetch(at, &bytes, &n, message);

    if (status) return status;
    status = mend(at, &bytes, &n, message);
    if (keep_script && !status) {
        lbr_plot_script(&script, scene, drawn, at->stem, at->kind);
        if (script.status) status = no_memory(message);
        if (!status) status = lbr_whole_write(at->data, data->text, data->length, force, message);
        if (!status) status = lbr_whole_write(at->script, script.text, script.length, force, message);
    }
    if (!status) status = lbr_whole_write(at->path, bytes, n, force, message);
    lbr_mem_free(script.text);
    lbr_mem_free(bytes);
    return status;
}

lbr_status lbr_plot_write(const lbr_plot *plot, const char *path, int keep_script, int force, lbr_message *message)
{
    lbr_text data = { 0 };
    lbr_drawn *drawn = NULL;
    lbr_scene scene;
    place at;
    lbr_status status = look(&at, path, keep_script, force, message);

    if (!status) status = lbr_scene_create(&scene, plot, message);
    if (!status && !(drawn = lbr_mem_alloc((size_t)plot->ncurves * sizeof *drawn))) status = no_memory(message);
    if (!status) status = lbr_plot_data(&data, &scene, drawn, message);
    if (!status) status = make_folder(&at, message);
    if (!status) status = draw(&at, &scene, drawn, &data, message);
    if (!status) status = deliver(&at, &scene, drawn, &data, keep_script, force, message);
    remove_folder(&at);
    lbr_mem_free(data.text);
    lbr_mem_free(drawn);
    lbr_arena_free(&at.arena);
    return status;
}
