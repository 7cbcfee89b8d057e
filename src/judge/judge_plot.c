/* judge_plot.c - plots: the curves of each, and where they are drawn. SPDX-License-Identifier: BSD-3-Clause */
#include "plotting.h"

#include <string.h>

int lbr_pieces(const lbr_item *item) { return item->value->kind == LBR_NODE_LIST ? item->value->n : 1; }
const lbr_node *lbr_piece(const lbr_item *item, int k)
{
    return item->value->kind == LBR_NODE_LIST ? item->value->arg[k] : item->value;
}

/* --- settings ---------------------------------------------------------------------------------------------------- */

static const char *text_of(const lbr_line *line, const char *name)
{
    const lbr_item *item = lbr_picture_item(line, name);

    return item && item->value && item->value->kind == LBR_NODE_STRING ? item->value->text : NULL;
}

static int range(lbr_frame *f, const lbr_line *line, const char *name, double *range)
{
    const lbr_item *item = lbr_picture_item(line, name);

    if (!item) return 1;
    if (!item->value || item->value->kind != LBR_NODE_LIST || item->value->n != 2)
        return lbr_lower_fail(f->lo, item->target.place, "%s takes two numbers: %s = [0, 10]", name, name), 0;
    return lbr_lower_constant(f->lo, item->value->arg[0], range) &&
           lbr_lower_constant(f->lo, item->value->arg[1], range + 1);
}

static int word(lbr_frame *f, const lbr_line *line, const char *name, const char *words, int *which)
{
    const lbr_item *item = lbr_picture_item(line, name);

    if (!item) return 1;
    *which = lbr_text_find(words, item->source ? item->source : "");
    return *which >= 0 || (lbr_lower_fail(f->lo, item->target.place, "%s is one of: %s", name, words), 0);
}

/* Where each is needed, and where it makes no sense. */
static int fits(lbr_frame *f, const lbr_drawing *a)
{
    const lbr_line *line = a->p->line;
    const lbr_item *bins = lbr_picture_item(line, "bins"), *extra = NULL;
    const char *why = NULL;

    if (bins && a->style != LBR_PLOT_HISTOGRAM) extra = bins, why = "bins are those of a histogram: style = histogram";
    else if (a->style == LBR_PLOT_HISTOGRAM && (a->y || a->colour))
        extra = a->y ? a->y : a->colour, why = "a histogram counts the values of x: it has no y and no colour";
    else if (a->style == LBR_PLOT_HEAT && a->labels) extra = a->labels, why = "a heat map has no curves, and no labels";
    if (why) return lbr_lower_fail(f->lo, extra->target.place, "%s", why), 0;
    if (a->style == LBR_PLOT_HISTOGRAM && !a->x) why = "a histogram needs x = ...";
    else if (a->style == LBR_PLOT_HEAT && !a->colour) why = "a heat map needs colour = ...";
    else if (a->style < LBR_PLOT_HISTOGRAM && !a->y) why = "a plot needs x = ... and y = ...";
    return !why || (lbr_lower_fail(f->lo, line->statement->place, "%s", why), 0);
}

/* The values that are drawn, each given once; which of them is the main one. */
static int quantities(lbr_frame *f, lbr_drawing *a)
{
    const lbr_line *line = a->p->line;

    a->x = lbr_picture_item(line, "x"), a->y = lbr_picture_item(line, "y"),
    a->colour = lbr_picture_item(line, "colour"), a->labels = lbr_picture_item(line, "labels");
    for (int k = 0; k < line->statement->n; k++)
        if (lbr_text_find("x y colour labels", line->statement->item[k].target.name) >= 0 &&
            !line->statement->item[k].value)
            return lbr_lower_fail(f->lo, line->statement->item[k].target.place, "expected an expression"), 0;
    if (!fits(f, a)) return 0;
    a->main = a->style == LBR_PLOT_HISTOGRAM ? a->x : a->style == LBR_PLOT_HEAT && !(a->x && a->y) ? a->colour : a->y;
    if (a->x && lbr_pieces(a->x) > 1 && lbr_pieces(a->x) != lbr_pieces(a->main))
        return lbr_lower_fail(f->lo, a->main->target.place, "x is a list of %d and y of %d: they go in pairs",
                              lbr_pieces(a->x), lbr_pieces(a->main)),
               0;
    if (a->style == LBR_PLOT_HEAT && lbr_pieces(a->main) > 1)
        return lbr_lower_fail(f->lo, a->main->target.place, "a heat map shows one quantity"), 0;
    return 1;
}

static int settings(lbr_frame *f, lbr_drawing *a, lbr_plot *plot)
{
    const lbr_line *line = a->p->line;
    const lbr_item *bins = lbr_picture_item(line, "bins");
    int log = -1, style = 0, equal = 0;

    if (!word(f, line, "log", "x y xy yx", &log) || !word(f, line, "style", lbr_plot_styles, &style) ||
        !word(f, line, "equal", "no yes", &equal))
        return 0;
    if (!range(f, line, "xrange", plot->xrange) || !range(f, line, "yrange", plot->yrange)) return 0;
    plot->log_x = log == 0 || log >= 2, plot->log_y = log >= 1, plot->equal = equal,
    plot->style = a->style = (lbr_plot_style)style;
    for (int k = 0; k < line->statement->n; k++) {
        const lbr_item *item = line->statement->item + k;

        if (lbr_text_find("title xlabel ylabel", item->target.name) >= 0 && !text_of(line, item->target.name))
            return lbr_lower_fail(f->lo, item->target.place, "%s is a text in quotes", item->target.name), 0;
    }
    plot->title = text_of(line, "title"), plot->xlabel = text_of(line, "xlabel"),
    plot->ylabel = text_of(line, "ylabel");
    a->bins = LBR_PLOT_BINS;
    return !bins || (bins->value && lbr_lower_integer(f->lo, bins->value, "bins", 1, LBR_PLOT_MOST_BINS, &a->bins));
}

/* What stands beside an axis for which there is no text. */
static const char *axis_text(lbr_drawing *a, const lbr_item *item)
{
    return item && lbr_pieces(item) == 1 ? lbr_piece_of(a->j->scratch, item, 0) : NULL;
}

/* Beside the axis of a profile or a heat map that is not given: what counts there. */
static const char *counted_text(lbr_drawing *a, const lbr_item *counted)
{
    const char *what, *text = "component";

    if (lbr_pieces(counted) > 1) return text;
    if (!(what = lbr_piece_of(a->j->scratch, counted, 0)) ||
        !(text = lbr_arena_format(a->j->scratch, "component of %s", what)))
        a->j->no_memory = 1;
    return text;
}

/* A matrix has its first index along x. */
static void name_axes(lbr_drawing *a, lbr_plot *plot)
{
    int heat = a->style == LBR_PLOT_HEAT, profile = !heat && a->y && !a->x;

    if (!plot->xlabel && a->x) plot->xlabel = axis_text(a, a->x);
    else if (!plot->xlabel && profile) plot->xlabel = counted_text(a, a->y);
    else if (!plot->xlabel && heat) plot->xlabel = a->y ? counted_text(a, a->colour) : "first index";
    if (!plot->ylabel && a->style == LBR_PLOT_HISTOGRAM) plot->ylabel = "count";
    else if (!plot->ylabel && a->y) plot->ylabel = axis_text(a, a->y);
    else if (!plot->ylabel && heat) plot->ylabel = a->x ? counted_text(a, a->colour) : "second index";
    if (a->colour) plot->colour_label = lbr_piece_of(a->j->scratch, a->colour, 0);
}

static int open_picture(lbr_drawing *a, lbr_plot *plot)
{
    lbr_frame f;
    int good;

    lbr_frame_open(&f, a->j, -1, a->p->line->file, a->p->known);
    good = settings(&f, a, plot) && quantities(&f, a);
    if (good) name_axes(a, plot);
    if (!lbr_frame_close(&f) || !good || a->j->no_memory) return 0;
    if (!(a->nruns = lbr_picture_runs(a->j, a->p, &a->runs))) return 0;
    a->many = a->nruns > 1;
    if (a->style != LBR_PLOT_HEAT || (a->nruns == 1 && (a->runs->count == 1 || a->main != a->colour))) return 1;
    lbr_frame_open(&f, a->j, -1, a->p->line->file, a->p->known);
    lbr_lower_fail(f.lo, a->p->line->statement->place, "a heat map shows one run: of = ...");
    return lbr_frame_close(&f), 0;
}

/* Values become the outlines of their histograms. */
static int count_values(lbr_drawing *a, lbr_plot *plot)
{
    if (a->style != LBR_PLOT_HISTOGRAM || a->j->dry) return 1;
    if (lbr_plot_histogram(plot, a->curve, a->n, a->bins, a->j->scratch)) a->j->no_memory = 1;
    return !a->j->no_memory;
}

int lbr_plot_build(lbr_judgement *j, int k, lbr_plot *plot)
{
    lbr_drawing a = { .j = j, .p = j->plot + k, .curves = j->plot[k].curves };

    if (!open_picture(&a, plot)) return 0;
    if (j->dry && !(j->plot[k].curves = a.curves = lbr_arena_alloc(&j->arena, a.nruns, sizeof *a.curves)))
        return j->no_memory = 1, 0;
    if (!lbr_curves_make(&a) || !lbr_legend_given(&a) || !count_values(&a, plot)) return 0;
    plot->curve = a.curve, plot->ncurves = a.n;
    if (!j->dry) j->left_out += lbr_plot_left_out(plot);
    return 1;
}

int lbr_plot_open(lbr_judgement *j, const lbr_line *line, int known)
{
    lbr_arena scratch = { 0 };
    lbr_plot plot = { 0 };
    int good;

    j->plot[j->nplots++] = (lbr_picture_line){ .line = line, .known = known };
    j->scratch = &scratch;
    good = lbr_picture_words(line, "of x y log style xrange yrange equal title xlabel ylabel colour labels bins") &&
           lbr_plot_build(j, j->nplots - 1, &plot);
    j->scratch = NULL;
    lbr_arena_free(&scratch);
    return good;
}

/* --- files ------------------------------------------------------------------------------------------------------- */

int64_t lbr_judge_plots(const lbr_judgement *j) { return j ? j->nplots : 0; }
int64_t lbr_judge_left_out(const lbr_judgement *j) { return j ? j->left_out : 0; }

const char *lbr_judge_draw_file(const lbr_judgement *j, int64_t k, const char *path, lbr_arena *arena)
{
    const char *dot = strrchr(path, '.'), *name = j->plot[k].line->statement->text;

    if (j->nplots == 1) return path;
    if (!dot || strchr(dot, '/')) dot = path + strlen(path);
    return name ? lbr_arena_format(arena, "%.*s-%s%s", (int)(dot - path), path, name, dot)
                : lbr_arena_format(arena, "%.*s-%d%s", (int)(dot - path), path, (int)k + 1, dot);
}

lbr_status lbr_judge_draw_check(const lbr_judgement *j, const char *path, int keep_script, int force,
                                lbr_message *message)
{
    lbr_arena arena = { 0 };
    lbr_status status = LBR_OK;

    for (int k = 0; j && k < j->nplots && !status; k++) {
        const char *file = lbr_judge_draw_file(j, k, path, &arena);

        status = file ? lbr_plot_check(file, keep_script, force, message)
                      : lbr_fail(message, LBR_ENOMEM, "out of memory");
    }
    lbr_arena_free(&arena);
    return status;
}

/* "cut was not drawn: ..." */
static lbr_status not_drawn(const lbr_judgement *j, int64_t k, const lbr_message *why, lbr_message *message)
{
    const char *name = j->plot[k].line->statement->text;

    if (name) return lbr_fail(message, why->status, "%.100s was not drawn: %.380s", name, why->text);
    if (j->nplots == 1) return lbr_fail(message, why->status, "the picture was not drawn: %.380s", why->text);
    return lbr_fail(message, why->status, "plot %lld was not drawn: %.380s", (long long)k + 1, why->text);
}

lbr_status lbr_judge_draw(lbr_judgement *j, int64_t k, const char *path, int keep_script, int force, int *empty,
                          lbr_message *message)
{
    lbr_arena scratch = { 0 };
    lbr_plot plot = { 0 };
    lbr_message why = { 0 };
    lbr_status status;
    const char *file;

    *empty = 0, j->scratch = &scratch;
    if (!lbr_plot_build(j, (int)k, &plot))
        status = lbr_experiment_fail(j->x, j->no_memory ? LBR_ENOMEM : LBR_EARG),
        lbr_fail(&why, status, "%.380s", j->x->message);
    else if (!(file = lbr_judge_draw_file(j, k, path, &scratch))) status = lbr_fail(&why, LBR_ENOMEM, "out of memory");
    else {
        plot.interrupt = j->x->over.interrupt, *empty = lbr_plot_empty(&plot);
        status = lbr_plot_write(&plot, file, keep_script, force, &why);
    }
    j->scratch = NULL;
    lbr_arena_free(&scratch);
    return status ? not_drawn(j, k, &why, message) : LBR_OK;
}
