/* plot_scene.c - what a picture shows: which points, on which axes. SPDX-License-Identifier: BSD-3-Clause */
#include "plot_parts.h"

#include <math.h>
#include <string.h>

double lbr_axis_length(const lbr_axis *axis, double value) { return axis->log ? log10(value) : value; }
double lbr_axis_value(const lbr_axis *axis, double length) { return axis->log ? pow(10, length) : length; }

double lbr_axis_place(const lbr_axis *axis, double value)
{
    double lo = lbr_axis_length(axis, axis->lo), hi = lbr_axis_length(axis, axis->hi);
    return (lbr_axis_length(axis, value) - lo) / (hi - lo);
}

/* gnuplot's own arithmetic ends near 1e307; so do pictures that mean something. */
int lbr_axis_fits(const lbr_axis *axis, double v) { return fabs(v) <= 1e300 && (!axis->log || v >= 1e-300); }

int lbr_scene_shows(const lbr_scene *scene, const lbr_curve *c, int64_t i)
{
    return lbr_axis_fits(&scene->axis[LBR_AXIS_X], c->x[i]) && lbr_axis_fits(&scene->axis[LBR_AXIS_Y], c->y[i]) &&
           (!c->colour || lbr_axis_fits(&scene->axis[LBR_AXIS_COLOUR], c->colour[i]));
}

int lbr_scene_holds(const lbr_scene *scene, const lbr_curve *c, int64_t i)
{
    double x, y;

    if (!lbr_scene_shows(scene, c, i)) return 0;
    x = lbr_axis_place(&scene->axis[LBR_AXIS_X], c->x[i]), y = lbr_axis_place(&scene->axis[LBR_AXIS_Y], c->y[i]);
    return x >= -1e-9 && x <= 1 + 1e-9 && y >= -1e-9 && y <= 1 + 1e-9;
}

int lbr_style_joined(lbr_plot_style style)
{
    return style == LBR_PLOT_LINES || style == LBR_PLOT_LINESPOINTS || style == LBR_PLOT_HISTOGRAM;
}

int lbr_curve_monotone(const lbr_scene *scene, const lbr_curve *c)
{
    int up = 1, down = 1;
    double last = NAN;

    for (int64_t i = 0; i < c->n && (up || down); i++) {
        if (!lbr_axis_fits(&scene->axis[LBR_AXIS_X], c->x[i])) continue;
        if (c->x[i] < last) up = 0;
        if (c->x[i] > last) down = 0;
        last = c->x[i];
    }
    return up || down;
}

static lbr_status check_range(lbr_axis *axis, const double range[2], const char *name, lbr_message *message)
{
    axis->fixed = range[0] != 0 || range[1] != 0; /* NaN counts as given, and is refused */
    if (!axis->fixed) return LBR_OK;
    axis->lo = range[0], axis->hi = range[1];
    if (!(fabs(range[0]) <= 1e300 && fabs(range[1]) <= 1e300) || range[0] == range[1])
        return lbr_fail(message, LBR_EARG, "the range of the %s axis, %g to %g, needs two different finite numbers",
                        name, range[0], range[1]);
    if (axis->log && !(lbr_axis_fits(axis, range[0]) && lbr_axis_fits(axis, range[1])))
        return lbr_fail(message, LBR_EARG, "the %s axis is logarithmic, so its range, %g to %g, must be positive", name,
                        range[0], range[1]);
    return LBR_OK;
}

static lbr_status check(lbr_scene *scene, lbr_message *message)
{
    const lbr_plot *p = scene->plot;
    lbr_status status;

    if ((unsigned)p->style > LBR_PLOT_HEAT)
        return lbr_fail(message, LBR_EARG, "there is no style number %d of a picture", (int)p->style);
    if (p->ncurves < 0 || (p->ncurves && !p->curve))
        return lbr_fail(message, LBR_EARG, "the list of curves is missing");
    if (p->equal && (p->log_x || p->log_y))
        return lbr_fail(message, LBR_EARG, "axes of equal scale cannot be logarithmic: leave one of the two out");
    for (int64_t c = 0; c < p->ncurves; c++) {
        const lbr_curve *k = &p->curve[c];

        if (k->n < 0 || (k->n && (!k->x || !k->y)))
            return lbr_fail(message, LBR_EARG, "curve %lld has no points", (long long)c + 1);
        scene->coloured |= k->colour != NULL;
    }
    scene->graded = p->ncurves > (lbr_style_joined(p->style) ? LBR_LEGEND_MOST : LBR_LEGEND_MARKS) && !scene->coloured;
    if ((status = check_range(&scene->axis[LBR_AXIS_X], p->xrange, "x", message))) return status;
    return check_range(&scene->axis[LBR_AXIS_Y], p->yrange, "y", message);
}

static int inside(const lbr_axis *a, double v)
{
    return !a->fixed || (v >= fmin(a->lo, a->hi) && v <= fmax(a->lo, a->hi));
}

/* Counts the points that can be drawn; the extremes of those which the given ranges let through. Of gaps, x counts:
 * time begins with the first sample, though an error is zero there. */
static void extremes(lbr_scene *scene, double lo[LBR_AXES], double hi[LBR_AXES])
{
    for (int a = 0; a < LBR_AXES; a++) lo[a] = INFINITY, hi[a] = -INFINITY;
    for (int64_t c = 0; c < scene->plot->ncurves; c++) {
        const lbr_curve *k = &scene->plot->curve[c];

        for (int64_t i = 0; i < k->n; i++) {
            double v[LBR_AXES] = { k->x[i], k->y[i], k->colour ? k->colour[i] : NAN };

            if (lbr_axis_fits(&scene->axis[LBR_AXIS_X], v[0]) && inside(&scene->axis[LBR_AXIS_X], v[0]))
                lo[0] = fmin(lo[0], v[0]), hi[0] = fmax(hi[0], v[0]);
            if (!lbr_scene_shows(scene, k, i)) continue;
            scene->total++;
            if (!inside(&scene->axis[LBR_AXIS_X], v[0]) || !inside(&scene->axis[LBR_AXIS_Y], v[1])) continue;
            for (int a = 0; a < LBR_AXES; a++) lo[a] = fmin(lo[a], v[a]), hi[a] = fmax(hi[a], v[a]);
        }
    }
}

/* From the extremes to the ends of an axis: a margin, and never so narrow that its tics could not be told apart. */
static void frame(lbr_axis *axis, double lo, double hi, double margin, double half)
{
    double least;

    if (axis->fixed) return;
    if (!(lo <= hi)) lo = hi = axis->log ? 1 : 0;
    lo = lbr_axis_length(axis, lo), hi = lbr_axis_length(axis, hi);
    least = axis->log ? 0.5 : lo == hi ? 0.1 * fabs(lo) : 1e-13 * fmax(fabs(lo), fabs(hi));
    if (least < 1e-290) least = lo == hi ? 2 : 1e-290;
    if (hi - lo < least) {
        double middle = lo / 2 + hi / 2;
        lo = middle - least / 2, hi = middle + least / 2;
    }
    margin = half > 0 ? half : margin * (hi - lo);
    lo -= margin, hi += margin;
    if (axis->log && half <= 0 && hi - lo < 1.5)
        lo = floor(lo), hi = ceil(hi); /* or no decade might be among the tics */
    if (axis->log) lo = fmax(lo, -305), hi = fmin(hi, 305);
    axis->lo = lbr_axis_value(axis, lo), axis->hi = lbr_axis_value(axis, hi);
}

int lbr_plot_empty(const lbr_plot *plot)
{
    const lbr_scene scene = { .axis = { { .log = plot->log_x }, { .log = plot->log_y }, { .log = plot->log_colour } } };

    for (int64_t c = 0; c < plot->ncurves; c++)
        for (int64_t i = 0; i < plot->curve[c].n; i++)
            if (lbr_scene_shows(&scene, &plot->curve[c], i)) return 0;
    return 1;
}

static lbr_status nothing(const lbr_scene *scene, lbr_message *message)
{
    const lbr_plot *p = scene->plot;
    const char *which = p->log_x && p->log_y ? "x and y axes"
                        : p->log_x           ? "x axis"
                        : p->log_y           ? "y axis"
                        : p->log_colour      ? "colour scale"
                                             : NULL;
    int64_t n = 0;

    for (int64_t c = 0; c < p->ncurves; c++) n += p->curve[c].n;
    if (!n) return lbr_fail(message, LBR_EARG, "there is nothing to draw: the picture has no points");
    if (!which)
        return lbr_fail(message, LBR_EARG, "there is nothing to draw: none of the %lld points is finite", (long long)n);
    return lbr_fail(
        message, LBR_EARG,
        "there is nothing to draw: none of the %lld points is positive and finite, as the logarithmic %s needs",
        (long long)n, which);
}

lbr_status lbr_scene_create(lbr_scene *scene, const lbr_plot *plot, lbr_message *message)
{
    double lo[LBR_AXES], hi[LBR_AXES], margin[LBR_AXES] = { 0, 0.04, 0 };
    lbr_status status;

    memset(scene, 0, sizeof *scene);
    scene->plot = plot;
    scene->axis[LBR_AXIS_X].log = plot->log_x, scene->axis[LBR_AXIS_Y].log = plot->log_y,
    scene->axis[LBR_AXIS_COLOUR].log = plot->log_colour;
    if ((status = check(scene, message))) return status;
    extremes(scene, lo, hi);
    if (!scene->total) return nothing(scene, message);
    if ((status = lbr_scene_tiles(scene, message))) return status;
    if ((plot->style != LBR_PLOT_LINES && plot->style != LBR_PLOT_HISTOGRAM) || plot->equal) margin[0] = 0.03;
    for (int64_t c = 0; c < plot->ncurves && margin[0] == 0; c++)
        if (!lbr_curve_monotone(scene, &plot->curve[c])) margin[0] = 0.03;
    for (int a = 0; a < LBR_AXES; a++)
        frame(&scene->axis[a], lo[a], hi[a], margin[a], scene->tiles && a < LBR_AXIS_COLOUR ? scene->half[a] : 0);
    if (plot->style == LBR_PLOT_HISTOGRAM && !scene->axis[LBR_AXIS_Y].fixed)
        scene->axis[LBR_AXIS_Y].lo = lbr_histogram_base(plot);
    lbr_scene_layout(scene);
    return LBR_OK;
}
