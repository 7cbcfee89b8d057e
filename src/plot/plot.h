/* plot.h - pictures of curves, drawn by gnuplot: .svg, .png or .pdf, by the name of the file.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_PLOT_PLOT_H
#define LBR_PLOT_PLOT_H
#include "core/mem.h"
#include "core/text.h"

#include <signal.h>

/* HISTOGRAM: outlines that lbr_plot_histogram has made. HEAT: one curve with a colour, on a lattice. */
typedef enum {
    LBR_PLOT_LINES,
    LBR_PLOT_POINTS,
    LBR_PLOT_DOTS,
    LBR_PLOT_LINESPOINTS,
    LBR_PLOT_HISTOGRAM,
    LBR_PLOT_HEAT
} lbr_plot_style;
enum { LBR_PLOT_BINS = 40, LBR_PLOT_MOST_BINS = 10000 }; /* of a histogram: if nothing is said, and at most */

/* Points in their order. Values that are not finite, beyond 1e300, or not positive on a logarithmic axis are gaps. */
typedef struct lbr_curve {
    const char *label; /* in the legend, or NULL */
    int64_t n;
    const double *x, *y;
    const double *colour; /* a third value, or NULL: shown by a palette */
} lbr_curve;

/* All zero is a good start. Texts are UTF-8, appear as they are, and may be NULL. Everything is borrowed. */
typedef struct lbr_plot {
    const char *title, *xlabel, *ylabel, *colour_label;
    int log_x, log_y, log_colour;
    int equal;                   /* one unit is as long in x as in y */
    double xrange[2], yrange[2]; /* both 0: from the data */
    lbr_plot_style style;
    const lbr_curve *curve;
    int64_t ncurves;
    int columns;                            /* that can be told apart across it, for thinning; 0: 4000, as on paper */
    double seconds;                         /* that gnuplot may take; 0: 60 */
    const volatile sig_atomic_t *interrupt; /* or NULL: gnuplot is ended once it becomes non-zero */
} lbr_plot;

/* What is usual for quantities over time: lines, and a logarithmic y axis where nothing is negative and the values span
 * three decades. */
void lbr_plot_lines(lbr_plot *plot, const lbr_curve *curve, int64_t ncurves, const char *title, const char *ylabel);
/* And for errors over work or step sizes: marks joined by lines, logarithmic axes where the values allow them. */
void lbr_plot_work(lbr_plot *plot, const lbr_curve *curve, int64_t ncurves, const char *title, const char *xlabel,
                   const char *ylabel);

/* Of each curve the values x become the outline of their histogram: `bins` equal parts of the x axis, from the lowest
 * to the highest value of all curves or over the given range, and how many values are in each. Of the plot log_x, log_y
 * and xrange count. LBR_OK or LBR_ENOMEM. */
lbr_status lbr_plot_histogram(const lbr_plot *plot, lbr_curve *curve, int64_t n, int64_t bins, lbr_arena *arena);

/* The names of the styles, as many as there are, with blanks between them; the place of one of them, or -1. */
extern const char lbr_plot_styles[];
int lbr_plot_style_find(const char *word);

/* Whether it has no point that its axes can show: finite, and positive where they are logarithmic. */
int lbr_plot_empty(const lbr_plot *plot);
/* How many points have no place on a logarithmic axis: 0 or below. */
int64_t lbr_plot_left_out(const lbr_plot *plot);

/* Whether it could be drawn, for a check before a long run: the suffix, gnuplot (LIBRATION_GNUPLOT, or in PATH), the
 * files. */
lbr_status lbr_plot_check(const char *path, int keep_script, int force, lbr_message *message);

/* Draws. With keep_script, NAME.gp and NAME.dat are written beside NAME.svg: "gnuplot NAME.gp" in that folder draws it
 * again. What exists is replaced only with `force`. LBR_EARG: a wrong description or nothing to draw, a file in the
 * way; LBR_EIO: no gnuplot, it failed, the disk; LBR_STOPPED: interrupted. */
lbr_status lbr_plot_write(const lbr_plot *plot, const char *path, int keep_script, int force, lbr_message *message);
#endif
