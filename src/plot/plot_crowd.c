/* plot_crowd.c - whether a line covers areas of the picture: then it is drawn thin, so that one sees into them. What
 * counts is what is drawn, not how many points it has. SPDX-License-Identifier: BSD-3-Clause */
#include "plot_parts.h"

#include <math.h>

/* A line of fewer points covers no area. Cells are as wide as a line is, and an area is where all neighbours of a cell
 * are covered too. */
enum { FEW = 400 };
static const double cell = 0.04, most = 0.2; /* cm; of the cells that are covered, those inside areas */

typedef struct {
    int64_t w, h; /* with a border that stays free */
    char *covered;
} grid;

/* The part of a way from a by d that is within [0, size]. */
static void cut(double a, double d, double size, double *from, double *to)
{
    double s = -a / d, e = (size - a) / d;

    if (d == 0 && (a < 0 || a > size)) *to = -1;
    if (d != 0) *from = fmax(*from, fmin(s, e)), *to = fmin(*to, fmax(s, e));
}

/* From one place to another, in cells. */
static void draw(grid *g, double xa, double ya, double xb, double yb)
{
    double from = 0, to = 1, dx = xb - xa, dy = yb - ya, steps;

    cut(xa, dx, (double)g->w - 2.001, &from, &to), cut(ya, dy, (double)g->h - 2.001, &from, &to);
    if (!(from <= to)) return;
    steps = ceil((to - from) * fmax(fabs(dx), fabs(dy))) + 1;
    for (double k = 0; k <= steps; k++) {
        double s = from + (to - from) * k / steps;
        int64_t x = (int64_t)fmax(0, xa + s * dx), y = (int64_t)fmax(0, ya + s * dy);

        if (x < g->w - 2 && y < g->h - 2) g->covered[(y + 1) * g->w + x + 1] = 1;
    }
}

static int inside(const grid *g, int64_t at)
{
    int n = 0;

    for (int64_t k = -1; k <= 1; k++)
        n += g->covered[at + k * g->w - 1] + g->covered[at + k * g->w] + g->covered[at + k * g->w + 1];
    return n == 9;
}

lbr_status lbr_plot_crowded(const lbr_scene *scene, const lbr_curve *c, const int64_t *keep, int64_t n, int *crowded,
                            lbr_message *message)
{
    const lbr_axis *X = &scene->axis[LBR_AXIS_X], *Y = &scene->axis[LBR_AXIS_Y];
    double w = scene->across / cell, h = scene->up / cell;
    grid g = { .w = (int64_t)fmax(1, w) + 2, .h = (int64_t)fmax(1, h) + 2 };
    int64_t all = 0, full = 0;

    *crowded = 0;
    if (n < FEW || !lbr_style_joined(scene->plot->style)) return LBR_OK;
    if (!(g.covered = lbr_mem_alloc((size_t)(g.w * g.h))))
        return lbr_fail(message, LBR_ENOMEM, "out of memory for a picture");
    for (int64_t j = 1; j < n; j++)
        if (keep[j] != LBR_GAP && keep[j - 1] != LBR_GAP)
            draw(&g, w * lbr_axis_place(X, c->x[keep[j - 1]]), h * lbr_axis_place(Y, c->y[keep[j - 1]]),
                 w * lbr_axis_place(X, c->x[keep[j]]), h * lbr_axis_place(Y, c->y[keep[j]]));
    for (int64_t y = 1; y < g.h - 1; y++)
        for (int64_t x = 1; x < g.w - 1; x++)
            if (g.covered[y * g.w + x]) all++, full += inside(&g, y * g.w + x);
    lbr_mem_free(g.covered);
    *crowded = (double)full > most * (double)all;
    return LBR_OK;
}
