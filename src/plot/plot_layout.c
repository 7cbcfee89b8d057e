/* plot_layout.c - where the legend is: in a corner without data, otherwise outside; and the size of the page.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "plot_parts.h"

#include <math.h>

/* A rectangle in places of the axes. */
typedef struct {
    double x0, x1, y0, y1;
} box;

/* Whether the segment between two places meets the box: what is left of it after cutting at each side. */
static int meets(const box *b, double xa, double ya, double xb, double yb)
{
    double from = 0, to = 1, start[2] = { xa, ya }, along[2] = { xb - xa, yb - ya }, lo[2] = { b->x0, b->y0 },
           hi[2] = { b->x1, b->y1 };

    for (int k = 0; k < 2; k++) {
        double s = (lo[k] - start[k]) / along[k], e = (hi[k] - start[k]) / along[k];

        if (along[k] == 0) {
            if (start[k] < lo[k] || start[k] > hi[k]) return 0;
            continue;
        }
        from = fmax(from, fmin(s, e)), to = fmin(to, fmax(s, e));
    }
    return from <= to;
}

/* Points of the curve are joined by lines or not; a point alone is a segment of no length. */
static int covered(const lbr_scene *scene, const lbr_curve *c, const box *b)
{
    const lbr_axis *X = &scene->axis[LBR_AXIS_X], *Y = &scene->axis[LBR_AXIS_Y];
    int joined = lbr_style_joined(scene->plot->style), before = 0;
    double x, y, x0 = 0, y0 = 0;

    for (int64_t i = 0; i < c->n; i++, x0 = x, y0 = y) {
        int shown = lbr_scene_shows(scene, c, i);

        x = y = 0;
        if (shown) x = lbr_axis_place(X, c->x[i]), y = lbr_axis_place(Y, c->y[i]);
        if (shown && meets(b, joined && before ? x0 : x, joined && before ? y0 : y, x, y)) return 1;
        before = shown;
    }
    return 0;
}

static int is_free(const lbr_scene *scene, const box *b)
{
    for (int64_t c = 0; c < scene->plot->ncurves; c++)
        if (covered(scene, &scene->plot->curve[c], b)) return 0;
    return 1;
}

static int longer(int so_far, const char *label)
{
    int width = lbr_ink_width(label);
    return width > so_far ? width : so_far;
}

/* In a corner, at the right, or below if there are long labels. Returns how much room it takes at the right, in cm. */
static double place_legend(lbr_scene *scene, int labels, int longest)
{
    static const struct {
        const char *words;
        int right, top;
    } corner[] = {
        { "inside top right", 1, 1 },
        { "inside top left", 0, 1 },
        { "inside bottom right", 1, 0 },
        { "inside bottom left", 0, 0 },
    };
    double w = 0.11 + 0.0165 * longest,
           h = 0.03 + 0.05 * labels; /* of a frame of 13.5 cm by 8.5 cm with letters of 8 points */

    for (int k = 0; k < 4 && !scene->plot->equal && w <= 0.6 && h <= 0.6; k++) {
        box b = { corner[k].right ? 1 - w : 0, corner[k].right ? 1 : w, corner[k].top ? 1 - h : 0,
                  corner[k].top ? 1 : h };

        if (is_free(scene, &b)) return scene->legend = corner[k].words, 0;
    }
    scene->legend = "outside right top vertical";
    if (longest <= LBR_LEGEND_WIDE && !scene->coloured) return 1.6 + 0.18 * longest;
    scene->legend = "at screen 0.5,0.01 center bottom vertical maxcols 1";
    scene->bottom = 1.7 + 0.43 * labels, scene->height = 9.4 + scene->bottom;
    return 0;
}

/* 16 cm by 11 cm, or higher if the legend is below; where scales are equal, what the frame leaves over is cut off. */
void lbr_scene_layout(lbr_scene *scene)
{
    const lbr_axis *X = &scene->axis[LBR_AXIS_X], *Y = &scene->axis[LBR_AXIS_Y];
    const lbr_plot *p = scene->plot;
    double beside = 2.2, above, middle, title, aspect = fabs(X->hi - X->lo) / fabs(Y->hi - Y->lo);
    int labels = 0, longest = 0;

    for (int64_t c = 0; c < p->ncurves; c++)
        labels += lbr_ink_width(p->curve[c].label) > 0, longest = longer(longest, p->curve[c].label);
    scene->width = 16, scene->height = 11;
    if (labels && p->ncurves > 1 && !scene->graded) beside += place_legend(scene, labels, longest);
    if (scene->coloured || scene->graded) {
        int wide = !scene->graded ? 4 : longest > LBR_LEGEND_WIDE ? LBR_LEGEND_WIDE : longest;

        beside += scene->right = 1.8 + 0.19 * wide + (p->colour_label ? 0.5 : 0);
    }
    above = 2.4 - 1.5 * (scene->bottom > 0) + scene->bottom;
    title = fabs(beside - 3.4) + 0.3 + 0.116 * lbr_ink_width(p->title); /* its least width, and what is beside it */
    if (p->equal) {
        scene->width = fmin(16, fmax(fmax(9, title), beside + (scene->height - above) * aspect));
        scene->height = fmin(scene->height, fmax(6, above + (16 - beside) / aspect));
    }
    scene->across = scene->width - beside, scene->up = scene->height - above;
    if (p->equal) scene->across = fmin(scene->across, scene->up * aspect), scene->up = scene->across / aspect;
    middle = 1.7 + (scene->width - beside) / 2;
    scene->title = 2 * fmin(middle, scene->width - middle) - 0.2;
}
