/* plot_parts.h - the parts of drawing a picture: text, axes, choice of points, script, process.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_PLOT_PLOT_PARTS_H
#define LBR_PLOT_PLOT_PARTS_H
#include "core/growing_text.h"
#include "core/mem.h"
#include "plot.h"

/* --- plot_text.c: text for gnuplot; lbr_text_format writes no numbers with a point, which a locale may change ------
 */

void lbr_ink_number(lbr_text *ink, double x); /* reads back exactly */
/* Foreign text in single quotes, where gnuplot interprets nothing: at most `most` characters, on one line, valid UTF-8;
 * `percent`: a % is doubled, as labels of tics need it. */
void lbr_ink_quoted(lbr_text *ink, const char *text, int most, int percent);
int lbr_ink_plain(const char *text); /* nothing in it would be replaced */
int lbr_ink_width(const char *text); /* its characters */

/* --- plot_scene.c: what is to be seen, and where ----------------------------------------------------------------- */

enum { LBR_AXIS_X, LBR_AXIS_Y, LBR_AXIS_COLOUR, LBR_AXES };
/* More curves are told apart by a gradation, and more of marks alone: so many colours there are, and lines go on
 * dashed. Longer labels go below. */
enum { LBR_LEGEND_MOST = 12, LBR_LEGEND_MARKS = 7, LBR_LEGEND_WIDE = 26 };
typedef struct lbr_axis {
    int log, fixed;
    double lo, hi;
} lbr_axis;

typedef struct lbr_scene {
    const lbr_plot *plot;
    lbr_axis axis[LBR_AXES];
    int coloured, graded; /* by third values; by the number of the curve */
    int tiles;
    double half[2];                      /* coloured points on a lattice; half its spacing, as lengths */
    const char *legend;                  /* gnuplot's words for where it is, NULL if none */
    double width, height, right, bottom; /* of the page, in cm; its margins there, 0: as gnuplot likes */
    double across, up;                   /* about the size of the frame, in cm */
    double title;                        /* room for the title, in cm */
    int64_t total;                       /* points that can be drawn */
} lbr_scene;

lbr_status lbr_scene_create(lbr_scene *scene, const lbr_plot *plot, lbr_message *message);
int lbr_axis_fits(const lbr_axis *axis, double value); /* finite, and positive if it is logarithmic */
int lbr_scene_shows(const lbr_scene *scene, const lbr_curve *curve, int64_t i); /* point i is no gap */
int lbr_scene_holds(const lbr_scene *scene, const lbr_curve *curve, int64_t i); /* and within the frame */
double lbr_axis_length(const lbr_axis *axis, double value); /* the value, or its decimal logarithm */
double lbr_axis_value(const lbr_axis *axis, double length);
double lbr_axis_place(const lbr_axis *axis, double value);              /* 0 at its low end, 1 at its high end */
int lbr_style_joined(lbr_plot_style style);                             /* lines between its points */
int lbr_curve_monotone(const lbr_scene *scene, const lbr_curve *curve); /* in x, up or down */

/* --- plot_histogram.c -------------------------------------------------------------------------------------------- */

double lbr_histogram_base(const lbr_plot *plot); /* where its outlines begin and end: 0, or half a value */

/* --- plot_tiles.c: whether coloured points are a lattice --------------------------------------------------------- */

lbr_status lbr_scene_tiles(lbr_scene *scene, lbr_message *message);

/* --- plot_layout.c: a corner for the legend that is free, and the size of the page ------------------------------- */

void lbr_scene_layout(lbr_scene *scene);

/* --- plot_thin.c: as many points as can be seen ------------------------------------------------------------------ */

enum { LBR_GAP = -1 };
/* The points of a curve that are drawn, in order, LBR_GAP between pieces: (*keep)[0 .. *n-1], free it with
 * lbr_mem_free. */
lbr_status lbr_plot_thin(const lbr_scene *scene, const lbr_curve *curve, int64_t **keep, int64_t *n,
                         lbr_message *message);

/* --- plot_crowd.c ------------------------------------------------------------------------------------------------- */

/* Whether these points, joined by lines, cover areas. */
lbr_status lbr_plot_crowded(const lbr_scene *scene, const lbr_curve *curve, const int64_t *keep, int64_t n,
                            int *crowded, lbr_message *message);

/* --- plot_tics.c: range, scale and numbers of an axis ------------------------------------------------------------ */

/* Named x, y or cb, of so many cm; level: its numbers stand side by side. */
void lbr_plot_tics(lbr_text *ink, const lbr_axis *axis, const char *name, double cm, int level);

/* --- plot_script.c: what gnuplot reads --------------------------------------------------------------------------- */

/* The kinds of files: gnuplot's words, its unit of length, and how a whole file begins and ends. */
typedef struct lbr_plot_kind {
    const char *suffix, *terminal;
    double per_cm;
    const char *unit, *look, *head, *tail;
} lbr_plot_kind;
const lbr_plot_kind *lbr_plot_kind_find(const char *suffix); /* without its point; NULL if there is none */

/* What is drawn of a curve: n points, `seen` of them within the frame; `lonely` if no two are neighbours, so that there
 * are no lines to see; `crowded` if its lines cover areas. */
typedef struct lbr_drawn {
    int64_t n, seen;
    int lonely, crowded;
} lbr_drawn;

/* The data, and drawn[c] for each curve. */
lbr_status lbr_plot_data(lbr_text *ink, const lbr_scene *scene, lbr_drawn *drawn, lbr_message *message);
/* The script for the files ./STEM.SUFFIX and ./STEM.dat; STEM may be anything. */
void lbr_plot_script(lbr_text *ink, const lbr_scene *scene, const lbr_drawn *drawn, const char *stem,
                     const lbr_plot_kind *kind);

/* --- plot_marks.c ------------------------------------------------------------------------------------------------- */

/* An SVG of gnuplot's, with the marks of each curve as one path. */
void lbr_svg_marks(lbr_text *ink, const char *svg);

/* --- plot_run.c: gnuplot ----------------------------------------------------------------------------------------- */

/* The program, found; the path is in the arena. */
lbr_status lbr_gnuplot_find(const char **program, lbr_arena *arena, lbr_message *message);
/* Runs `program -d script` in the folder, for at most `seconds`, or until *interrupt (if not NULL) becomes non-zero:
 * LBR_STOPPED. One that is so already was meant for something else. Whatever goes wrong is a sentence. */
lbr_status lbr_gnuplot_run(const char *program, const char *folder, const char *script, double seconds,
                           const volatile sig_atomic_t *interrupt, lbr_message *message);
#endif
