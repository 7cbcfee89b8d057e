/* plot_left_out.c - points for which logarithmic axes have no place. SPDX-License-Identifier: BSD-3-Clause */
#include "plot.h"

int64_t lbr_plot_left_out(const lbr_plot *plot)
{
    int64_t n = 0;

    for (const lbr_curve *c = plot->curve; c < plot->curve + plot->ncurves; c++)
        for (int64_t i = 0; i < c->n && plot->style != LBR_PLOT_HISTOGRAM; i++)
            n += (plot->log_x && c->x[i] <= 0) || (plot->log_y && c->y[i] <= 0) ||
                 (plot->log_colour && c->colour && c->colour[i] <= 0);
    return n;
}
