/* plotting.h - inside plots: what a statement says, the curves that come of it, and what they are called.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_JUDGE_PLOTTING_H
#define LBR_JUDGE_PLOTTING_H
#include "judging.h"
#include "plot/plot.h"

/* Which curve this is: its number among all of the plot and among those of its run, counted as if every run had been
 * made; the run, or the first of the sweep that it is of. */
typedef struct lbr_curve_note {
    int64_t number, within;
    int run, sweep;
} lbr_curve_note;

/* One plot while it is made. */
typedef struct lbr_drawing {
    lbr_judgement *j;
    const lbr_picture_line *p;
    const lbr_item *x, *y, *colour, *labels;
    const lbr_item *main; /* whose pieces are drawn: y, of a histogram x, of a heat map the colour */
    lbr_plot_style style;
    int64_t bins; /* of a histogram */
    lbr_runs *runs;
    int nruns, many; /* groups; whether curves are of several runs or sweeps */
    int section;     /* of the group at hand: whose events are meant, from 1; 0: samples */
    lbr_curve *curve;
    lbr_curve_note *note;
    int64_t n, most, most_notes;
    int64_t planned, within, each; /* curves before the piece at hand: in all, of this run; those of each run */
    int64_t *curves;               /* those of each group, counted before anything runs */
} lbr_drawing;

/* The number of expressions of an item, which may be a list of them; expression k. */
int lbr_pieces(const lbr_item *item);
const lbr_node *lbr_piece(const lbr_item *item, int k);

/* --- judge_curves.c ---------------------------------------------------------------------------------------------- */

/* The curves of all runs; 0 after an error. */
int lbr_curves_make(lbr_drawing *a);

/* --- judge_legend.c ---------------------------------------------------------------------------------------------- */

/* What curve a->n - 1 is called where no labels are given: component c of piece k, a quantity of this shape. NULL: not
 * at all, or no memory (which the judgement then knows). */
char *lbr_curve_label(lbr_drawing *a, int k, const lbr_shape *shape, int64_t c);
/* The texts of `labels`, one for each curve or one for each of a run; 0 after an error. */
int lbr_legend_given(lbr_drawing *a);
#endif
