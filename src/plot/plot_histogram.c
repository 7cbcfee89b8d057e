/* plot_histogram.c - how many values fall into equal parts of an axis, as curves that can be drawn.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "plot_parts.h"

#include <math.h>

double lbr_histogram_base(const lbr_plot *plot) { return plot->log_y ? 0.5 : 0; }

/* From the lowest to the highest value of all, as lengths along the axis. */
static void ends(const lbr_plot *plot, const lbr_axis *axis, const lbr_curve *curve, int64_t n, double *lo, double *hi)
{
    *lo = INFINITY, *hi = -INFINITY;
    for (int64_t c = 0; c < n; c++)
        for (int64_t i = 0; i < curve[c].n; i++) {
            double v = curve[c].x[i];

            if (lbr_axis_fits(axis, v)) *lo = fmin(*lo, v), *hi = fmax(*hi, v);
        }
    if (plot->xrange[0] != 0 || plot->xrange[1] != 0) /* of a range that is wrong the scene will speak */
        *lo = fmin(plot->xrange[0], plot->xrange[1]), *hi = fmax(plot->xrange[0], plot->xrange[1]);
    if (!lbr_axis_fits(axis, *lo) || !lbr_axis_fits(axis, *hi)) *lo = *hi = 1;
    *lo = lbr_axis_length(axis, *lo), *hi = lbr_axis_length(axis, *hi);
    if (*hi - *lo < 1e-12 * fmax(fabs(*lo), fabs(*hi)) || *hi == *lo) {
        double half = fmax(0.5e-9 * fabs(*lo), axis->log ? 0.25 : 0.5);

        *lo -= half, *hi += half;
    }
}

/* Up, along, and down again to the base: two points for each part, and one at each end. */
static int outline(lbr_curve *c, const int64_t *count, int64_t bins, const lbr_axis *axis, double lo, double hi,
                   double base, lbr_arena *arena)
{
    double *x = lbr_arena_alloc(arena, 2 * bins + 2, sizeof *x), *y = lbr_arena_alloc(arena, 2 * bins + 2, sizeof *y);

    if (!x || !y) return 0;
    for (int64_t k = 0; k <= bins; k++) {
        x[2 * k] = x[2 * k + 1] = lbr_axis_value(axis, lo + (hi - lo) * (double)k / (double)bins);
        y[2 * k] = k ? fmax((double)count[k - 1], base) : base;
        y[2 * k + 1] = k < bins ? fmax((double)count[k], base) : base;
    }
    c->x = x, c->y = y, c->n = 2 * bins + 2;
    return 1;
}

lbr_status lbr_plot_histogram(const lbr_plot *plot, lbr_curve *curve, int64_t n, int64_t bins, lbr_arena *arena)
{
    lbr_axis axis = { .log = plot->log_x };
    int64_t *count = lbr_arena_alloc(arena, bins, sizeof *count);
    double lo, hi;

    if (!count) return LBR_ENOMEM;
    ends(plot, &axis, curve, n, &lo, &hi);
    for (int64_t c = 0; c < n; c++) {
        int64_t counted = 0;

        for (int64_t k = 0; k < bins; k++) count[k] = 0;
        for (int64_t i = 0; i < curve[c].n; i++) {
            double place = lbr_axis_fits(&axis, curve[c].x[i])
                               ? (lbr_axis_length(&axis, curve[c].x[i]) - lo) / (hi - lo) * (double)bins
                               : -1;

            if (!(place >= 0 && place <= (double)bins)) continue;
            count[place < (double)bins ? (int64_t)place : bins - 1]++, counted++;
        }
        if (!counted) curve[c].n = 0;
        else if (!outline(curve + c, count, bins, &axis, lo, hi, lbr_histogram_base(plot), arena)) return LBR_ENOMEM;
    }
    return LBR_OK;
}
