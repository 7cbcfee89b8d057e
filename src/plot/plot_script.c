/* plot_script.c - the script and the data that gnuplot reads. SPDX-License-Identifier: BSD-3-Clause
 *
 * Foreign text is written by lbr_ink_quoted alone, and gnuplot is told not to read markup in it. */
#include "plot_parts.h"

#include <math.h>
#include <string.h>

enum { LABEL_MOST = 120, LEGEND_MOST = 60, NAME_MOST = 100000 };

/* Letters of 9 points, lines of the same width in every kind of file. */
static const lbr_plot_kind kinds[] = {
    { "svg", "svg", 37.8, "", "font 'sans-serif,12' linewidth 1.1", "<?xml", "</svg>" },
    { "png", "pngcairo", 118.1, "", "font 'sans,12' fontscale 2.7 linewidth 3.4 pointscale 4.4", "\x89PNG",
      "IEND\xae\x42\x60\x82" },
    { "pdf", "pdfcairo", 1, "cm", "font 'sans,12' fontscale 0.65 linewidth 1.6 pointscale 1.05", "%PDF-", "%%EOF" },
};

const lbr_plot_kind *lbr_plot_kind_find(const char *suffix)
{
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (!strcmp(suffix, kinds[k].suffix)) return &kinds[k];
    return NULL;
}

/* Okabe and Ito's colours, which also the colour-blind tell apart, without yellow, which nobody sees on white; and
 * marks. */
static const struct {
    const char *rgb;
    int mark;
} looks[] = {
    { "#0072b2", 7 },  { "#d55e00", 5 }, { "#009e73", 9 }, { "#cc79a7", 13 },
    { "#e69f00", 11 }, { "#56b4e9", 6 }, { "#444444", 4 },
};
enum { LOOKS = sizeof looks / sizeof *looks };
_Static_assert((int)LOOKS == (int)LBR_LEGEND_MARKS, "as many curves of marks have a legend as there are colours");

static void label_line(lbr_text *ink, const char *which, const char *text, const char *offset)
{
    if (!text || !*text) return;
    lbr_text_format(ink, "set %s ", which);
    lbr_ink_quoted(ink, text, LABEL_MOST, 0);
    lbr_text_format(ink, " noenhanced offset %s\n", offset);
}

/* Above the middle of the frame, and no wider than the page is there: a long one in smaller letters, a very long one
 * cut off. */
static void title(lbr_text *ink, const lbr_scene *scene)
{
    const char *text = scene->plot->title;
    int width = lbr_ink_width(text), fits = (int)(scene->title / 0.19), /* letters, at 0.19 cm each */
        size = width <= fits ? 100 : 100 * fits / width;

    if (!text || !*text) return;
    if (size < 60) size = 60;
    lbr_text_format(ink, "set title ");
    lbr_ink_quoted(ink, text, width * size > 100 * fits ? 100 * fits / size - 2 : width, 0);
    lbr_text_format(ink, " noenhanced offset 0,-0.3");
    if (size < 100) lbr_text_format(ink, " font ',%d'", size * 11 / 100);
    lbr_text_format(ink, "\n");
}

/* A margin in cm, at the right or upper side of the page or not. */
static void margin_line(lbr_text *ink, const char *which, double margin, double page, int far)
{
    double place = far ? 1 - margin / page : margin / page;

    if (margin <= 0) return;
    lbr_text_format(ink, "set %s at screen ", which);
    lbr_ink_number(ink, rint(1000 * place) / 1000);
    lbr_text_format(ink, "\n");
}

static void look_lines(lbr_text *ink)
{
    lbr_text_format(ink, "set encoding utf8\n"
                         "set border 15 lw 0.6 lc rgb '#555555'\n"
                         "set tics out nomirror scale 0.5,0.25 textcolor rgb '#222222'\n"
                         "set xtics offset 0,0.2\n"
                         "set grid xtics ytics lt 1 lw 0.5 lc rgb '#e8e8e8'\n"
                         "set samples 2\n");
}

/* For many curves, the labels of some of them stand beside the colours; all, where there is room. */
static void graded_lines(lbr_text *ink, const lbr_plot *p)
{
    int64_t last = p->ncurves - 1, parts = p->ncurves > LBR_LEGEND_MOST ? 4 : last;
    const char *between = "";

    lbr_text_format(ink, "set cbrange [0:%lld]\nset cbtics (", (long long)last);
    for (int64_t k = 0; k <= parts; k++) {
        int64_t c = last * k / parts;

        if (!p->curve[c].label || !*p->curve[c].label) continue;
        lbr_text_format(ink, "%s", between);
        lbr_ink_quoted(ink, p->curve[c].label, LBR_LEGEND_WIDE, 1);
        lbr_text_format(ink, " %lld", (long long)c);
        between = ", ";
    }
    lbr_text_format(ink, ") noenhanced\n");
    if (!*between) lbr_text_format(ink, "unset colorbox\n");
}

static void colour_lines(lbr_text *ink, const lbr_scene *scene)
{
    lbr_text_format(ink, "set palette defined (0 '#2b2d5b', 1 '#2a5d8f', 2 '#2a8f8c', 3 '#7bb662', 4 '#e8c93f')\n"
                         "set colorbox vertical noborder\n"
                         "set cbtics out scale 0.4\n");
    if (scene->graded) graded_lines(ink, scene->plot);
    else lbr_plot_tics(ink, &scene->axis[LBR_AXIS_COLOUR], "cb", scene->up, 0);
    label_line(ink, "cblabel", scene->plot->colour_label, "1.2,0");
}

/* How a curve looks: few points are large, many are small, and lines that cover areas are thin. */
static void style_words(lbr_text *ink, const lbr_scene *scene, int64_t c, lbr_drawn d)
{
    static const char *const width[] = { "1.4", "0.7" };
    static const char *const mark[] = { "0.6", "0.45", "0.3",
                                        "0.2" }; /* of marks: to 200, 2000, 10000 points, and beyond */
    lbr_plot_style style = scene->plot->style == LBR_PLOT_LINES && d.lonely ? LBR_PLOT_POINTS : scene->plot->style;
    int joined = lbr_style_joined(style), k = (int)(c % LOOKS), round = (int)(c / LOOKS % LOOKS);
    int crowd = (d.seen > 200) + (d.seen > 2000) + (d.seen > 10000);

    lbr_text_format(ink, " with %s", style == LBR_PLOT_LINESPOINTS ? "linespoints" : joined ? "lines" : "points");
    if (scene->graded || scene->plot->curve[c].colour) lbr_text_format(ink, " lc palette");
    else lbr_text_format(ink, " lc rgb '%s'", looks[k].rgb);
    if (joined) lbr_text_format(ink, " lw %s dt %s", width[d.crowded], !scene->graded && round % 2 ? "2" : "solid");
    if (style == LBR_PLOT_DOTS) lbr_text_format(ink, " pt 7 ps %s", d.seen > 10000 ? "0.13" : d.n ? "0.2" : mark[0]);
    else if (style != LBR_PLOT_LINES && style != LBR_PLOT_HISTOGRAM)
        lbr_text_format(ink, " pt %d ps %s", scene->graded ? 7 : looks[(k + 3 * round) % LOOKS].mark, mark[crowd]);
    if (style == LBR_PLOT_LINESPOINTS && d.seen > 60) lbr_text_format(ink, " pi %lld", (long long)(d.seen / 30));
}

/* An entry of the legend by itself, so that its mark is large enough to be seen and curves without points have one too.
 */
static void legend_entry(lbr_text *ink, const lbr_scene *scene, int64_t c, const lbr_drawn *d)
{
    const char *label = scene->plot->curve[c].label;

    if (!scene->legend || !lbr_ink_width(label)) return;
    lbr_text_format(ink, ", \\\n     NaN");
    style_words(ink, scene, c, (lbr_drawn){ .lonely = d->lonely, .crowded = d->crowded });
    lbr_text_format(ink, " title ");
    lbr_ink_quoted(ink, label, LEGEND_MOST, 0);
    lbr_text_format(ink, " noenhanced");
}

static const char next_line[] = ", \\\n"
                                "     ";

/* Below the outline of a histogram, so thin that others are seen through it. */
static void filling(lbr_text *ink, const lbr_scene *scene, int64_t c, int64_t index)
{
    lbr_text_format(ink, "%sdata index %lld using 1:2 with filledcurves y=", index ? next_line : "", (long long)index);
    lbr_ink_number(ink, lbr_histogram_base(scene->plot));
    lbr_text_format(ink, " fillstyle transparent solid 0.25 noborder lc rgb '%s' notitle", looks[c % LOOKS].rgb);
}

/* Of a gradation, where all curves are one. */
static lbr_drawn together(const lbr_drawn *drawn, int64_t n)
{
    lbr_drawn d = { .lonely = 1 };

    for (int64_t c = 0; c < n; c++) {
        d.n += drawn[c].n, d.seen += drawn[c].seen, d.crowded |= drawn[c].crowded;
        d.lonely &= !drawn[c].n || drawn[c].lonely;
    }
    return d;
}

static void curve_lines(lbr_text *ink, const lbr_scene *scene, const lbr_drawn *drawn, const char *data)
{
    const lbr_plot *p = scene->plot;
    int64_t index = 0;

    lbr_text_format(ink, "data = ");
    lbr_ink_quoted(ink, data, NAME_MOST, 0);
    lbr_text_format(ink, "\nplot ");
    if (scene->tiles)
        lbr_text_format(ink,
                        "data using 1:2:4:5:6:7:3 with boxxyerror fillstyle solid 1.0 noborder lc palette notitle");
    if (scene->graded) {
        lbr_text_format(ink, "data using 1:2:3");
        style_words(ink, scene, 0, together(drawn, p->ncurves));
        lbr_text_format(ink, " notitle");
    }
    for (int64_t c = 0; c < p->ncurves && !scene->tiles && !scene->graded; c++) {
        if (!drawn[c].n) continue;
        if (p->style == LBR_PLOT_HISTOGRAM) filling(ink, scene, c, index);
        lbr_text_format(ink, "%sdata index %lld using 1:2%s", index || p->style == LBR_PLOT_HISTOGRAM ? next_line : "",
                        (long long)index, p->curve[c].colour ? ":3" : "");
        style_words(ink, scene, c, drawn[c]);
        lbr_text_format(ink, " notitle");
        index++;
    }
    for (int64_t c = 0; c < p->ncurves; c++) legend_entry(ink, scene, c, &drawn[c]);
    lbr_text_format(ink, "\n");
}

/* ./STEM.SUFFIX: a name that begins with <, | or ~ would mean something else to gnuplot. */
static const char *beside(lbr_arena *arena, const char *stem, const char *suffix)
{
    return lbr_arena_format(arena, "./%s.%s", stem, suffix);
}

static void length(lbr_text *ink, double cm, const lbr_plot_kind *kind, const char *behind)
{
    lbr_ink_number(ink, kind->per_cm > 1 ? rint(cm * kind->per_cm) : rint(100 * cm) / 100);
    lbr_text_format(ink, "%s%s", kind->unit, behind);
}

void lbr_plot_script(lbr_text *ink, const lbr_scene *scene, const lbr_drawn *drawn, const char *stem,
                     const lbr_plot_kind *kind)
{
    const lbr_plot *p = scene->plot;
    lbr_arena arena = { 0 };
    const char *picture = beside(&arena, stem, kind->suffix), *data = beside(&arena, stem, "dat");

    if (!picture || !data) ink->status = LBR_ENOMEM, picture = data = "";
    lbr_text_format(ink, "set terminal %s size ", kind->terminal);
    length(ink, scene->width, kind, ",");
    length(ink, scene->height, kind, " ");
    lbr_text_format(ink, "%s background '#ffffff' dashlength 0.7\n", kind->look);
    lbr_text_format(ink, "set output ");
    lbr_ink_quoted(ink, picture, NAME_MOST, 0);
    lbr_text_format(ink, "\n");
    look_lines(ink);
    title(ink, scene);
    label_line(ink, "xlabel", p->xlabel, "0,0.4");
    label_line(ink, "ylabel", p->ylabel, "0,0");
    lbr_plot_tics(ink, &scene->axis[LBR_AXIS_X], "x", scene->across, 1);
    lbr_plot_tics(ink, &scene->axis[LBR_AXIS_Y], "y", scene->up, 0);
    if (p->equal) lbr_text_format(ink, "set size ratio -1\n");
    margin_line(ink, "rmargin", scene->right, scene->width, 1);
    margin_line(ink, "bmargin", scene->bottom, scene->height, 0);
    if (scene->coloured || scene->graded) colour_lines(ink, scene);
    if (scene->legend)
        lbr_text_format(ink, "set key %s Left reverse samplen 2 spacing 1.1 font ',10'\n", scene->legend);
    else lbr_text_format(ink, "unset key\n");
    curve_lines(ink, scene, drawn, data);
    lbr_text_format(ink, "set output\n");
    lbr_arena_free(&arena);
}

/* --- data -------------------------------------------------------------------------------------------------------- */

static void row(lbr_text *ink, const double *v, int n)
{
    for (int k = 0; k < n; k++) {
        if (k) lbr_text_format(ink, " ");
        lbr_ink_number(ink, v[k]);
    }
    lbr_text_format(ink, "\n");
}

static void point(lbr_text *ink, const lbr_scene *scene, int64_t c, int64_t i)
{
    const lbr_curve *k = &scene->plot->curve[c];
    double v[7] = { k->x[i], k->y[i], k->colour ? k->colour[i] : (double)c };

    for (int a = 0; a < 2 && scene->tiles; a++) {
        double u = lbr_axis_length(&scene->axis[a], v[a]), half = scene->half[a];

        v[3 + 2 * a] = lbr_axis_value(&scene->axis[a], u - half);
        v[4 + 2 * a] = lbr_axis_value(&scene->axis[a], u + 1.3 * half); /* under the next one: no seams */
    }
    row(ink, v, scene->tiles ? 7 : k->colour || scene->graded ? 3 : 2);
}

static void curve_data(lbr_text *ink, const lbr_scene *scene, int64_t c, const int64_t *keep, lbr_drawn *d)
{
    d->lonely = d->n > 0, d->seen = 0;
    for (int64_t j = 0; j < d->n; j++) {
        d->seen += keep[j] != LBR_GAP && lbr_scene_holds(scene, &scene->plot->curve[c], keep[j]);
        if (j && keep[j] != LBR_GAP && keep[j - 1] != LBR_GAP) d->lonely = 0;
        if (keep[j] == LBR_GAP) lbr_text_format(ink, "\n");
        else point(ink, scene, c, keep[j]);
    }
}

/* A blank line is a gap, two of them begin the next curve; in a gradation all curves are one. */
lbr_status lbr_plot_data(lbr_text *ink, const lbr_scene *scene, lbr_drawn *drawn, lbr_message *message)
{
    for (int64_t c = 0; c < scene->plot->ncurves; c++) {
        int64_t *keep, n;
        lbr_status status = lbr_plot_thin(scene, &scene->plot->curve[c], &keep, &n, message);

        if (status) return status;
        while (n && keep[n - 1] == LBR_GAP) n--;
        drawn[c].n = n;
        status = lbr_plot_crowded(scene, &scene->plot->curve[c], keep, n, &drawn[c].crowded, message);
        if (status) return lbr_mem_free(keep), status;
        if (n && ink->length) lbr_text_format(ink, scene->graded ? "\n" : "\n\n");
        curve_data(ink, scene, c, keep, &drawn[c]);
        lbr_mem_free(keep);
    }
    return ink->status ? lbr_fail(message, LBR_ENOMEM, "out of memory for the data of a picture") : LBR_OK;
}
