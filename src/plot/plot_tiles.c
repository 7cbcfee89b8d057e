/* plot_tiles.c - coloured points on a lattice, as basins are computed, are drawn as tiles without holes.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "plot_parts.h"

#include <math.h>
#include <stdlib.h>

enum {
    FEW = 4,
    MANY = 120000
}; /* values along an axis that make a lattice by themselves; tiles that a file can hold */

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The spacing of n lengths, if they are multiples of one, and how many different there are; 0 if they are not. Sorts
 * them. */
static double spacing(double *u, int64_t n, int few, int64_t *count)
{
    double width, least = INFINITY, near;

    qsort(u, (size_t)n, sizeof *u, compare);
    width = u[n - 1] - u[0], near = 1e-9 * fmax(fmax(fabs(u[0]), fabs(u[n - 1])), width);
    for (int64_t i = 1; i < n; i++)
        if (u[i] - u[i - 1] > near) least = fmin(least, u[i] - u[i - 1]);
    if (!(least <= width / (few - 1)) || !(width / least < MANY)) return 0;
    for (int64_t i = 1; i < n; i++) {
        double k = (u[i] - u[0]) / least;
        if (fabs(k - rint(k)) > 1e-3) return 0;
    }
    *count = 1 + (int64_t)rint(width / least);
    return width / (double)(*count - 1);
}

static lbr_status no_lattice(lbr_message *message)
{
    return lbr_fail(message, LBR_EARG,
                    "a heat map needs its points on a lattice, in equal steps along both axes, and at most %d of them",
                    MANY);
}

/* Why the lengths along an axis, which have been sorted, are not in equal steps. */
static lbr_status no_steps(const lbr_axis *axis, int a, const double *u, int64_t n, lbr_message *message)
{
    static const char *const name[] = { "x", "y" };

    if (u[0] == u[n - 1])
        return lbr_fail(message, LBR_EARG, "a heat map needs two values along each axis, and along %s there is one",
                        name[a]);
    if (axis->log)
        return lbr_fail(message, LBR_EARG,
                        "a heat map needs equal steps along its axes, which those along %s are not with a logarithm",
                        name[a]);
    return no_lattice(message);
}

lbr_status lbr_scene_tiles(lbr_scene *scene, lbr_message *message)
{
    const lbr_plot *p = scene->plot;
    const lbr_curve *c = p->curve;
    int heat = p->style == LBR_PLOT_HEAT, few = heat ? 2 : FEW;
    int64_t n = 0, count[2] = { 0, 0 };
    double *u;
    lbr_status why = LBR_OK;

    if (heat && (p->ncurves != 1 || !c->colour))
        return lbr_fail(message, LBR_EARG, "a heat map is one curve whose points have a colour");
    if (p->ncurves != 1 || !c->colour || (p->style != LBR_PLOT_POINTS && p->style != LBR_PLOT_DOTS && !heat))
        return LBR_OK;
    if (!scene->total || (!heat && scene->total < few * few) || scene->total > MANY)
        return heat ? no_lattice(message) : LBR_OK;
    if (!(u = lbr_mem_alloc((size_t)scene->total * sizeof *u)))
        return lbr_fail(message, LBR_ENOMEM, "out of memory for a picture");
    for (int a = 0; a < 2; a++, n = 0) {
        for (int64_t i = 0; i < c->n; i++)
            if (lbr_scene_shows(scene, c, i)) u[n++] = lbr_axis_length(&scene->axis[a], a ? c->y[i] : c->x[i]);
        if ((scene->half[a] = spacing(u, n, few, &count[a]) / 2) > 0) continue;
        if (heat) why = no_steps(&scene->axis[a], a, u, n, message);
        break;
    }
    lbr_mem_free(u);
    if (why) return why;
    if (heat && scene->total < few * few) return no_lattice(message);
    scene->tiles = scene->half[0] > 0 && scene->half[1] > 0 &&
                   count[0] <= 2 * scene->total / count[1]; /* at least half of it is there */
    return heat && !scene->tiles ? no_lattice(message) : LBR_OK;
}
