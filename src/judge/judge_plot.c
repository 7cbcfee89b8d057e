/* judge_plot.c - plots: the curves of each, and where they are drawn. SPDX-License-Identifier: BSD-3-Clause */
#include "judging.h"
#include "plot/plot.h"

#include <math.h>
#include <string.h>

/* One plot while it is made. */
typedef struct picture {
    lbr_judgement *j;
    const lbr_picture_line *p;
    const lbr_item *x, *y, *colour;
    lbr_runs *runs;
    int nruns, many; /* groups; whether curves are of several runs or sweeps */
    int section;     /* of the group at hand: whose events are meant, from 1; 0: samples */
    lbr_curve *curve;
    int64_t n, most;
} picture;

static int pieces(const lbr_item *item) { return item->value->kind == LBR_NODE_LIST ? item->value->n : 1; }
static const lbr_node *piece(const lbr_item *item, int k)
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

static int settings(lbr_frame *f, const lbr_line *line, lbr_plot *plot)
{
    int log = -1, style = 0, equal = 0;

    if (!word(f, line, "log", "x y xy yx", &log) || !word(f, line, "style", "lines points dots linespoints", &style) ||
        !word(f, line, "equal", "no yes", &equal))
        return 0;
    if (!range(f, line, "xrange", plot->xrange) || !range(f, line, "yrange", plot->yrange)) return 0;
    plot->log_x = log == 0 || log >= 2, plot->log_y = log >= 1, plot->equal = equal,
    plot->style = (lbr_plot_style)style;
    for (int k = 0; k < line->statement->n; k++) {
        const lbr_item *item = line->statement->item + k;

        if (lbr_text_find("title xlabel ylabel", item->target.name) >= 0 && !text_of(line, item->target.name))
            return lbr_lower_fail(f->lo, item->target.place, "%s is a text in quotes", item->target.name), 0;
    }
    plot->title = text_of(line, "title"), plot->xlabel = text_of(line, "xlabel"),
    plot->ylabel = text_of(line, "ylabel");
    return 1;
}

static int open_picture(picture *a, lbr_plot *plot)
{
    const lbr_line *line = a->p->line;
    lbr_frame f;
    int good;

    a->x = lbr_picture_item(line, "x"), a->y = lbr_picture_item(line, "y"),
    a->colour = lbr_picture_item(line, "colour");
    lbr_frame_open(&f, a->j, -1, line->file, a->p->known);
    good = settings(&f, line, plot);
    if (good && (!a->x || !a->y || !a->x->value || !a->y->value))
        lbr_lower_fail(f.lo, line->statement->place, "a plot needs x = ... and y = ..."), good = 0;
    else if (good && pieces(a->x) > 1 && pieces(a->x) != pieces(a->y))
        lbr_lower_fail(f.lo, a->y->target.place, "x is a list of %d and y of %d: they go in pairs", pieces(a->x),
                       pieces(a->y)),
            good = 0;
    if (good && !plot->xlabel && pieces(a->x) == 1) plot->xlabel = lbr_piece_of(a->j->scratch, a->x, 0);
    if (good && !plot->ylabel && pieces(a->y) == 1) plot->ylabel = lbr_piece_of(a->j->scratch, a->y, 0);
    if (good && a->colour) plot->colour_label = lbr_piece_of(a->j->scratch, a->colour, 0);
    if (!lbr_frame_close(&f) || !good) return 0;
    if (!(a->nruns = lbr_picture_runs(a->j, a->p, &a->runs))) return 0;
    a->many = a->nruns > 1;
    return 1;
}

/* --- curves ------------------------------------------------------------------------------------------------------ */

/* x, y and colour of one run, for piece k. */
typedef struct triple {
    const lbr_trace *x, *y, *c;
    lbr_trace fit;
} triple;

static int look(picture *a, int run, int k, triple *t)
{
    lbr_judgement *j = a->j;
    lbr_message why = { 0 };
    lbr_frame f;

    *t = (triple){ 0 };
    lbr_frame_open(&f, j, run, a->p->line->file, a->p->known);
    f.section = a->section;
    if ((t->x = lbr_frame_value(&f, piece(a->x, pieces(a->x) > 1 ? k : 0))) &&
        (t->y = lbr_frame_value(&f, piece(a->y, k))) &&
        (!a->colour || (t->c = lbr_frame_value(&f, a->colour->value)))) {
        if (t->x->size > 1 && t->x->size != t->y->size)
            lbr_lower_fail(f.lo, a->x->value->first, "x has %lld components and y %lld: they go in pairs",
                           (long long)t->x->size, (long long)t->y->size);
        else if (t->c && t->c->size > 1)
            lbr_lower_fail(f.lo, a->colour->value->first, "the colour of a point is a number");
        else if (lbr_trace_fit(&t->fit, (const lbr_trace *const[]){ t->x, t->y, t->c }, t->c ? 3 : 2, j->dry,
                               j->scratch, &why))
            lbr_frame_fail(&f, a->y->value->first, &why);
        if (j->dry) j->seen[run].needed |= t->fit.stored;
    }
    return lbr_frame_close(&f);
}

static char *label_of(picture *a, int run, int sweep, int k, const lbr_trace *y, int64_t component)
{
    lbr_arena *arena = a->j->scratch;
    const char *who = sweep ? a->j->x->run[run].family : a->j->x->run[run].label, *what = lbr_piece_of(arena, a->y, k);
    int named = pieces(a->y) > 1 || y->size > 1;
    char *text = named ? lbr_arena_component(arena, what, y->size > 1, &(int64_t){ component + 1 }) : NULL;

    if (a->many && named) return text ? lbr_arena_format(arena, "%s: %s", who ? who : "", text) : NULL;
    return a->many && who ? lbr_arena_text(arena, who) : text;
}

/* Room for n points. */
static lbr_curve *new_curve(picture *a, int64_t n)
{
    lbr_arena *arena = a->j->scratch;

    if (!LBR_ROOM(arena, a->curve, a->n, a->most, 1)) return a->j->no_memory = 1, NULL;
    a->curve[a->n] = (lbr_curve){ .n = n,
                                  .x = lbr_arena_alloc(arena, n, sizeof(double)),
                                  .y = lbr_arena_alloc(arena, n, sizeof(double)),
                                  .colour = a->colour ? lbr_arena_alloc(arena, n, sizeof(double)) : NULL };
    if (!a->curve[a->n].x || !a->curve[a->n].y || (a->colour && !a->curve[a->n].colour))
        return a->j->no_memory = 1, NULL;
    return a->curve + a->n++;
}

/* Point `at` of a curve: sample i of component c. */
static void point(lbr_curve *k, int64_t at, const triple *t, int64_t c, int64_t i, int gone)
{
    ((double *)k->x)[at] = gone ? NAN : lbr_trace_at(t->x, 0, i)[t->x->size > 1 ? c : 0];
    ((double *)k->y)[at] = gone ? NAN : lbr_trace_at(t->y, 0, i)[c];
    if (t->c) ((double *)k->colour)[at] = gone ? NAN : *lbr_trace_at(t->c, 0, i);
}

static int curves_of_run(picture *a, int run, int k, const triple *t)
{
    int64_t n = t->fit.strand[0].n;

    for (int64_t c = 0; c < t->y->size; c++) {
        lbr_curve *curve = new_curve(a, n);

        if (!curve) return 0;
        curve->label = label_of(a, run, 0, k, t->y, c);
        for (int64_t i = 0; i < n; i++) point(curve, i, t, c, i, 0);
    }
    return 1;
}

/* Numbers of each run: one curve over the sweep. What has failed is a gap. */
static int curves_of_sweep(picture *a, const lbr_runs *r, int k, triple *t)
{
    int64_t first = a->n, size = t->y->size;

    for (int64_t c = 0; c < size; c++) {
        lbr_curve *curve = new_curve(a, r->count);

        if (!curve) return 0;
        curve->label = label_of(a, r->first, 1, k, t->y, c);
    }
    for (int i = 0; i < r->count; i++) {
        if (i && !look(a, r->first + i, k, t)) return 0;
        for (int64_t c = 0; c < size && c < t->y->size; c++)
            point(a->curve + first + c, i, t, c, 0, t->fit.strand[0].missing);
    }
    return 1;
}

/* The runs that have been made are those at the beginning. */
static lbr_runs made(const picture *a, lbr_runs r)
{
    for (int i = 0; i < r.count && !a->j->dry; i++)
        if (!a->j->x->run[r.first + i].done) r.count = i;
    return r;
}

static int group(picture *a, const lbr_runs *all)
{
    lbr_runs some = made(a, *all), *r = &some;

    a->section = all->section;
    for (int k = 0; k < pieces(a->y) && r->count; k++) {
        triple t;

        if (!look(a, r->first, k, &t)) return 0;
        if (a->j->dry) {
            for (int i = 1; i < r->count; i++) a->j->seen[r->first + i].needed |= t.fit.stored;
        } else if (!t.fit.sampled) {
            if (!curves_of_sweep(a, r, k, &t)) return 0;
        } else {
            a->many |= r->count > 1;
            for (int i = 0; i < r->count; i++)
                if ((i && !look(a, r->first + i, k, &t)) || !curves_of_run(a, r->first + i, k, &t)) return 0;
        }
    }
    return 1;
}

int lbr_plot_build(lbr_judgement *j, int k, lbr_plot *plot)
{
    picture a = { .j = j, .p = j->plot + k };
    int good = open_picture(&a, plot);

    for (int i = 0; i < a.nruns && good; i++) good = group(&a, a.runs + i);
    plot->curve = a.curve, plot->ncurves = a.n;
    return good;
}

int lbr_plot_open(lbr_judgement *j, const lbr_line *line, int known)
{
    lbr_arena scratch = { 0 };
    lbr_plot plot = { 0 };
    int good;

    j->plot[j->nplots++] = (lbr_picture_line){ line, known };
    j->scratch = &scratch;
    good = lbr_picture_words(line, "of x y log style xrange yrange equal title xlabel ylabel colour") &&
           lbr_plot_build(j, j->nplots - 1, &plot);
    j->scratch = NULL;
    lbr_arena_free(&scratch);
    return good;
}

/* --- files ------------------------------------------------------------------------------------------------------- */

int64_t lbr_judge_plots(const lbr_judgement *j) { return j ? j->nplots : 0; }

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

lbr_status lbr_judge_draw(lbr_judgement *j, const char *path, int keep_script, int force, lbr_message *message)
{
    lbr_status status = LBR_OK;

    for (int k = 0; j && k < j->nplots && !status; k++) {
        lbr_arena scratch = { 0 };
        lbr_plot plot = { 0 };
        const char *file;

        j->scratch = &scratch;
        if (!lbr_plot_build(j, k, &plot))
            status = lbr_experiment_fail(j->x, j->no_memory ? LBR_ENOMEM : LBR_EARG),
            lbr_fail(message, status, "%.500s", j->x->message);
        else if (!(file = lbr_judge_draw_file(j, k, path, &scratch)))
            status = lbr_fail(message, LBR_ENOMEM, "out of memory");
        else plot.interrupt = j->x->over.interrupt, status = lbr_plot_write(&plot, file, keep_script, force, message);
        j->scratch = NULL;
        lbr_arena_free(&scratch);
    }
    return status;
}
