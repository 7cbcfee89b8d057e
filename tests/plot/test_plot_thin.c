/* test_plot_thin.c - of a million points as many are drawn as can be seen, and nothing that can be seen is lost or made
 * up. SPDX-License-Identifier: BSD-3-Clause */
#include "support/tap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot/plot_parts.h"

enum { N = 1000000 };
static double x[N], y[N], z[N];
static int64_t *keep, n;
static lbr_scene scene;
static lbr_curve curve;
static lbr_plot plot;
static lbr_message message;

/* Thins the first `points` points; 0 if all is well. A statement of its own, so that what is printed is what came out.
 */
static int bad;
static void thin(int64_t points, lbr_plot_style style)
{
    curve.label = "c", curve.n = points, curve.x = x, curve.y = y;
    plot.style = style, plot.curve = &curve, plot.ncurves = plot.ncurves ? plot.ncurves : 1;
    lbr_mem_free(keep), keep = NULL;
    bad = lbr_scene_create(&scene, &plot, &message) || lbr_plot_thin(&scene, &curve, &keep, &n, &message);
}

static void reset(void) { memset(&plot, 0, sizeof plot), memset(&curve, 0, sizeof curve); }

/* Indices go up, gaps are alone, and every index is a point that can be shown. */
static int in_order(void)
{
    for (int64_t j = 0, last = -1; j < n; j++) {
        if (keep[j] == LBR_GAP && (j == 0 || keep[j - 1] == LBR_GAP)) return 0;
        if (keep[j] == LBR_GAP) continue;
        if (keep[j] < 0 || keep[j] >= curve.n || keep[j] <= last || !lbr_scene_shows(&scene, &curve, keep[j])) return 0;
        last = keep[j];
    }
    return 1;
}

/* The largest difference of the envelopes, over columns a thousandth of the width. */
static double envelope(void)
{
    static double lo[2][1000], hi[2][1000];
    double worst = 0;

    for (int k = 0; k < 1000; k++) lo[0][k] = lo[1][k] = INFINITY, hi[0][k] = hi[1][k] = -INFINITY;
    for (int64_t j = 0; j < curve.n + n; j++) {
        int64_t i = j < curve.n ? j : keep[j - curve.n];
        int set = j >= curve.n, k;

        if (i == LBR_GAP || !lbr_scene_shows(&scene, &curve, i)) continue;
        k = (int)fmin(999, 1000 * lbr_axis_place(&scene.axis[LBR_AXIS_X], x[i]));
        lo[set][k] = fmin(lo[set][k], y[i]), hi[set][k] = fmax(hi[set][k], y[i]);
    }
    for (int k = 0; k < 1000; k++)
        if (lo[0][k] < INFINITY) worst = fmax(worst, fmax(fabs(lo[0][k] - lo[1][k]), fabs(hi[0][k] - hi[1][k])));
    return worst;
}

static int has(int64_t i)
{
    for (int64_t j = 0; j < n; j++)
        if (keep[j] == i) return 1;
    return 0;
}

static void over_x(void)
{
    reset();
    for (int64_t i = 0; i < N; i++) x[i] = 1e-3 * (double)i, y[i] = sin(0.37 * (double)i) * (1 + 1e-6 * (double)i);
    y[654321] = 50, y[333333] = -7;
    thin(N, LBR_PLOT_LINES);
    ok(!bad && n <= 20000 && n > 5000 && in_order(), "a million points over x become %lld", (long long)n);
    ok(has(0) && has(N - 1) && has(654321) && has(333333), "first and last, and single peaks, are among them");
    ok(envelope() == 0, "and in every column the lowest and the highest");
    thin(20000, LBR_PLOT_LINES);
    ok(!bad && n == 20000, "twenty thousand stay as they are");
    for (int64_t i = 0; i < N; i++) x[i] = -x[i];
    thin(N, LBR_PLOT_LINESPOINTS);
    ok(!bad && n <= 20000 && in_order() && envelope() == 0, "backwards too");
    for (int64_t i = 0; i < N; i++) x[i] = 1 + (double)i, y[i] = fabs(sin(0.37 * (double)i)) + 1e-9;
    plot.log_x = plot.log_y = 1;
    thin(N, LBR_PLOT_LINES);
    ok(!bad && n <= 20000 && in_order() && envelope() == 0, "on logarithmic axes: %lld", (long long)n);
    plot.xrange[0] = 1000, plot.xrange[1] = 31000, plot.log_x = 0;
    thin(N, LBR_PLOT_LINES);
    ok(!bad && n <= 20000 && n > 10000 && has(N - 1), "a range is looked at closely: %lld", (long long)n);
    reset();
    for (int64_t i = 0; i < N; i++) x[i] = 3;
    thin(N, LBR_PLOT_LINES);
    ok(!bad && n <= 20000 && in_order(), "all at one x: %lld", (long long)n);
}

static uint64_t seed = 1;
static double uniform(void)
{
    return (double)((seed = seed * 6364136223846793005ULL + 1442695040888963407ULL) >> 11) * 0x1p-53;
}

/* The same for a curve among several that are alike. */
static void thin_one_of(int curves)
{
    static lbr_curve list[20];

    for (int c = 0; c < curves; c++) list[c] = curve;
    plot.curve = list, plot.ncurves = curves;
    lbr_mem_free(keep), keep = NULL;
    bad = lbr_scene_create(&scene, &plot, &message) || lbr_plot_thin(&scene, &curve, &keep, &n, &message);
}

/* For a page, which has fewer columns than paper. */
static void on_a_page(void)
{
    reset();
    plot.columns = 500;
    for (int64_t i = 0; i < N; i++) x[i] = 1e-3 * (double)i, y[i] = sin(0.37 * (double)i) * (1 + 1e-6 * (double)i);
    y[654321] = 50;
    thin(N, LBR_PLOT_LINES);
    ok(!bad && n <= 1003 && n > 500 && in_order(), "a million points become %lld on 500 columns", (long long)n);
    ok(has(0) && has(N - 1) && has(654321), "and a single peak is among them");
    thin(2500, LBR_PLOT_LINES);
    ok(!bad && n <= 1003 && has(0) && has(2499), "and so do two thousand and five hundred: %lld", (long long)n);
    thin(1000, LBR_PLOT_LINES);
    ok(!bad && n == 1000, "a thousand stay as they are");
    plot.xrange[0] = 100, plot.xrange[1] = 200;
    thin(N, LBR_PLOT_LINES);
    ok(!bad && has(99999) && has(200001), "where the curve comes into the frame and leaves it, nothing is missing");
    plot.xrange[0] = plot.xrange[1] = 0;
    for (int64_t i = 0; i < N; i++) x[i] = cos(1e-4 * (double)i), y[i] = sin(1e-4 * (double)i);
    thin(N, LBR_PLOT_DOTS);
    ok(!bad && n <= 7500 && n > 600, "a circle of dots becomes %lld", (long long)n);
    thin(2000, LBR_PLOT_DOTS);
    ok(!bad && n < 600, "dots on top of each other are one, also of few: %lld of 2000", (long long)n);
    for (int64_t i = 0; i < N; i++) x[i] = uniform(), y[i] = uniform();
    thin(N, LBR_PLOT_DOTS);
    ok(!bad && n > 4000 && n < 6000, "of a cloud enough is left for a pattern: %lld", (long long)n);
    thin_one_of(5);
    ok(!bad && n > 800 && n < 1200, "which several curves share: %lld", (long long)n);
}

/* Whether there is a gap between points i and j of the curve. */
static int gap_between(int64_t i, int64_t j)
{
    for (int64_t k = 0, inside = 0; k < n; k++) {
        if (keep[k] != LBR_GAP && keep[k] >= j) return 0;
        if (keep[k] != LBR_GAP && keep[k] <= i) inside = 1;
        if (keep[k] == LBR_GAP && inside && (k + 1 == n || keep[k + 1] >= j)) return 1;
    }
    return 0;
}

static void gaps(void)
{
    int holes = 0;

    reset();
    for (int64_t i = 0; i < N; i++) x[i] = (double)i, y[i] = i % 3 ? sin(1e-5 * (double)i) : NAN;
    for (int64_t i = 400000; i < 410000; i++) y[i] = NAN;
    thin(N, LBR_PLOT_LINES);
    ok(!bad && n <= 20000 && in_order() && gap_between(399998, 410000), "a wide gap stays one: %lld", (long long)n);
    for (int64_t j = 0; j < n; j++) holes += keep[j] == LBR_GAP;
    ok(holes == 1, "those narrower than can be seen do not: %d", holes);
    for (int64_t i = 400000; i < 410000; i++) x[i] = NAN;
    thin(N, LBR_PLOT_LINES);
    ok(!bad && n <= 20000 && in_order() && gap_between(399998, 410000), "without an x too");
    for (int64_t i = 0; i < N; i++)
        if (i % 3 == 0) x[i] = (double)((i * 7919) % N);
    thin(N, LBR_PLOT_LINES);
    ok(!bad && in_order() && n < 200000, "and where the gaps' x is anywhere: %lld", (long long)n);
    for (int64_t i = 0; i < N; i++) x[i] = (double)i, y[i] = i == 77 ? 1 : NAN;
    thin(N, LBR_PLOT_LINES);
    ok(!bad && has(77) && in_order(), "a point alone");
}

/* The longest way between neighbours of the drawn path. */
static double longest_chord(void)
{
    double worst = 0;

    for (int64_t j = 1; j < n; j++)
        if (keep[j] != LBR_GAP && keep[j - 1] != LBR_GAP)
            worst = fmax(worst, hypot(x[keep[j]] - x[keep[j - 1]], y[keep[j]] - y[keep[j - 1]]));
    return worst;
}

/* How many places of a grid of 200 by 200 have points of the curve, but none that is kept in them or beside them. */
static int uncovered(void)
{
    static char covered[2][202][202];
    int count = 0;

    memset(covered, 0, sizeof covered);
    for (int64_t j = 0; j < curve.n + n; j++) {
        int64_t i = j < curve.n ? j : keep[j - curve.n];

        if (i != LBR_GAP)
            covered[j >= curve.n][1 + (int)(199 * lbr_axis_place(&scene.axis[0], x[i]))]
                   [1 + (int)(199 * lbr_axis_place(&scene.axis[1], y[i]))] = 1;
    }
    for (int a = 1; a <= 200; a++)
        for (int b = 1; b <= 200; b++) {
            int near_it = 0;

            for (int k = 0; k < 9; k++) near_it |= covered[1][a + k / 3 - 1][b + k % 3 - 1];
            count += covered[0][a][b] && !near_it;
        }
    return count;
}

static void paths(void)
{
    double step = 0.05;

    reset();
    for (int64_t i = 0; i < N; i++) x[i] = cos(step * (double)i), y[i] = sin(step * (double)i);
    thin(N, LBR_PLOT_LINES);
    ok(!bad && n < 60100 && n > 100 && in_order() && !uncovered(), "a circle, eight thousand times: %lld points",
       (long long)n);
    ok(longest_chord() < 1.2 * step, "and no chord: %.3f", longest_chord());
    for (int64_t i = 0; i < N; i++)
        x[i] = cos(6.283185307179586 * (double)(i % 100) / 100),
        y[i] = sin(12.566370614359172 * (double)(i % 100) / 100);
    thin(N, LBR_PLOT_LINES);
    ok(!bad && n < 250 && n >= 100 && in_order() && !uncovered(), "a closed path is drawn once: %lld", (long long)n);
    for (int64_t i = 0; i < N; i++)
        x[i] = cos(step * (double)i) * (1 + 0.3 * cos(1e-4 * (double)i)), y[i] = sin(step * 1.41421356 * (double)i);
    thin(N, LBR_PLOT_LINES);
    ok(!bad && n < 130000 && in_order() && longest_chord() < 3 * step,
       "one that fills an area: %lld, longest chord %.3f", (long long)n, longest_chord());
    ok(uncovered() < 400, "is still everywhere, but for %d of 40000 places", uncovered());
    for (int64_t i = 0; i < N; i++)
        x[i] = cos(step * (double)i) * (1 + 0.3 * cos(1e-4 * (double)i)), y[i] = i % 1000 ? y[i] : NAN;
    thin(N, LBR_PLOT_LINES);
    ok(!bad && in_order() && longest_chord() < 3 * step, "with gaps");
}

static void clouds(void)
{
    int64_t left = 0;

    reset();
    for (int64_t i = 0; i < N; i++) x[i] = uniform() < 0.9 ? uniform() : 1 + uniform(), y[i] = uniform();
    thin(N, LBR_PLOT_DOTS);
    ok(!bad && n < 64000 && n > 40000 && in_order(), "a cloud of a million: %lld", (long long)n);
    for (int64_t j = 0; j < n; j++) left += x[keep[j]] < 1;
    ok((double)left / (double)n > 0.6, "where it is dense it stays denser: %.2f", (double)left / (double)n);
    for (int64_t i = 0; i < N; i++) x[i] = (double)(i % 100), y[i] = (double)(i / 100 % 100);
    thin(N, LBR_PLOT_POINTS);
    ok(!bad && n == 10000, "points one upon the other are one: %lld", (long long)n);
    for (int64_t i = 0; i < 15000; i++) x[i] = (double)(i % 100), y[i] = (double)(i % 7);
    thin(15000, LBR_PLOT_DOTS);
    ok(!bad && n == 700, "also of fewer: %lld of 15000", (long long)n);
    plot.xrange[0] = -1, plot.xrange[1] = 9.5;
    thin(15000, LBR_PLOT_DOTS);
    ok(!bad && n == 70, "and those beyond a range are left out: %lld", (long long)n);
}

static void tiles(void)
{
    reset();
    curve.colour = z;
    for (int64_t i = 0; i < 10000; i++)
        x[i] = -1 + 0.02 * (double)(i % 100), y[i] = 0.3 * (double)(i / 100), z[i] = (double)i;
    thin(10000, LBR_PLOT_POINTS);
    ok(!bad && scene.tiles && n == 10000 && fabs(scene.half[0] - 0.01) < 1e-12 && fabs(scene.half[1] - 0.15) < 1e-12,
       "a lattice is seen as one");
    near(scene.axis[0].lo, -1.01, 1e-9, "and its tiles fill the frame");
    z[5] = NAN, x[77] = NAN;
    thin(10000, LBR_PLOT_POINTS);
    ok(!bad && scene.tiles, "with holes too");
    x[77] = -1 + 0.02 * 77, x[500] += 0.005;
    thin(10000, LBR_PLOT_POINTS);
    ok(!bad && !scene.tiles, "not if a point is off it");
    x[500] -= 0.005;
    thin(10000, LBR_PLOT_LINES);
    ok(!bad && !scene.tiles, "nor where lines are asked for");
    for (int64_t i = 0; i < 10000; i++) y[i] = pow(2, (double)(i / 100));
    thin(10000, LBR_PLOT_POINTS);
    ok(!bad && !scene.tiles, "powers of two are no lattice");
    plot.log_y = 1;
    thin(10000, LBR_PLOT_POINTS);
    ok(!bad && scene.tiles, "but on a logarithmic axis they are");
    for (int64_t i = 0; i < 10000; i++) x[i] = uniform(), y[i] = uniform();
    thin(10000, LBR_PLOT_POINTS);
    ok(!bad && !scene.tiles, "nor is a cloud");
    for (int64_t i = 0; i < 100; i++) x[i] = y[i] = (double)i + 1;
    thin(100, LBR_PLOT_POINTS);
    ok(!bad && !scene.tiles, "nor a diagonal");
}

static void many_curves(void)
{
    static lbr_curve list[500];
    int64_t sum = 0;

    reset();
    for (int64_t i = 0; i < N; i++) x[i] = (double)i, y[i] = sin((double)i);
    for (int c = 0; c < 500; c++) list[c] = (lbr_curve){ "c", 100000, x, y, NULL };
    plot.curve = list, plot.ncurves = 500;
    ok(!lbr_scene_create(&scene, &plot, &message) && scene.graded && !scene.legend, "many curves are graded");
    for (int c = 0; c < 500; c += 50)
        lbr_mem_free(keep), lbr_plot_thin(&scene, &list[c], &keep, &n, &message), sum += 50 * n;
    ok(sum < 400000 && sum > 100000, "and share the room: %lld points", (long long)sum);
}

/* Legends: in a corner that is free, or outside. */
static void legends(void)
{
    lbr_curve two[2] = { { "a", 100, x, y, NULL }, { "b", 100, x, z, NULL } };
    static const struct {
        double slope, level;
        const char *where;
    } list[] = { { 1, 0, "inside top left" }, { -1, 100, "inside top right" }, { 0, 0, NULL } };

    for (int k = 0; k < 3; k++) {
        reset();
        for (int i = 0; i < 100; i++) x[i] = i, y[i] = list[k].level + list[k].slope * i, z[i] = y[i] + 1;
        for (int i = 0; i < 100 && !list[k].where; i++) y[i] = i % 2, z[i] = 1 - y[i];
        plot = (lbr_plot){ .curve = two, .ncurves = 2 };
        bad = lbr_scene_create(&scene, &plot, &message);
        ok(!bad && scene.legend &&
               (list[k].where ? !strcmp(scene.legend, list[k].where) : !strncmp(scene.legend, "outside", 7)),
           "legend %s", scene.legend);
    }
    two[0].label = "a name of a method that is much too long for this";
    ok(!lbr_scene_create(&scene, &plot, &message) && !strncmp(scene.legend, "at screen", 9) && scene.height > 11,
       "long labels go below");
    plot.ncurves = 1;
    ok(!lbr_scene_create(&scene, &plot, &message) && !scene.legend, "one curve needs none");
}

/* Curves that could not be told apart are graded: there are seven colours, and lines go on dashed. */
static void told_apart(void)
{
    static const struct {
        lbr_plot_style style;
        int curves, graded;
    } row[] = { { LBR_PLOT_LINES, 12, 0 },       { LBR_PLOT_LINES, 13, 1 }, { LBR_PLOT_DOTS, 7, 0 },
                { LBR_PLOT_DOTS, 8, 1 },         { LBR_PLOT_POINTS, 7, 0 }, { LBR_PLOT_POINTS, 8, 1 },
                { LBR_PLOT_LINESPOINTS, 12, 0 }, { LBR_PLOT_DOTS, 12, 1 },  { LBR_PLOT_HISTOGRAM, 12, 0 } };

    reset();
    for (int i = 0; i < 100; i++) x[i] = i, y[i] = sin(i);
    for (int k = 0; k < (int)(sizeof row / sizeof *row); k++) {
        curve = (lbr_curve){ "c", 100, x, y, NULL }, plot.style = row[k].style;
        thin_one_of(row[k].curves);
        ok(!bad && scene.graded == row[k].graded && (scene.legend == NULL) == row[k].graded, "style %d, %d curves: %s",
           (int)row[k].style, row[k].curves, row[k].graded ? "graded" : "a legend");
    }
}

/* Lines are thin where they cover areas, however many points they have. */
static void crowds(void)
{
    static const struct {
        const char *what;
        double turns, to; /* over all points; the end of a range, of 1 */
        int64_t points;
        int crowded;
    } row[] = { { "smooth, with many points", 3, 0, 20000, 0 },
                { "smooth in a range", 100, 0.02, 20000, 0 },
                { "up and down", 500, 0, 20000, 1 },
                { "of few points", 500, 0, 2000, 1 },
                { "once through the picture", 0.25, 0, N, 0 },
                { "up and down a million times", 1e5, 0, N, 1 } };
    int crowded = -1;

    for (int k = 0; k < (int)(sizeof row / sizeof *row); k++) {
        reset(), plot.xrange[1] = row[k].to;
        for (int64_t i = 0; i < row[k].points; i++)
            x[i] = (double)i / (double)row[k].points, y[i] = sin(6.283185307179586 * row[k].turns * x[i]);
        thin(row[k].points, LBR_PLOT_LINES);
        ok(!bad && !lbr_plot_crowded(&scene, &curve, keep, n, &crowded, &message) && crowded == row[k].crowded,
           "%s: %s", row[k].what, row[k].crowded ? "thin" : "thick");
    }
    reset();
    for (int64_t i = 0; i < N; i++) x[i] = cos(0.05 * (double)i), y[i] = sin(0.05 * (double)i);
    thin(N, LBR_PLOT_LINES);
    ok(!bad && !lbr_plot_crowded(&scene, &curve, keep, n, &crowded, &message) && !crowded,
       "a circle many times: thick");
    for (int64_t i = 0; i < N; i++) x[i] *= 1 + 1e-6 * (double)i, y[i] *= 1 + 1e-6 * (double)i;
    thin(N, LBR_PLOT_LINES);
    ok(!bad && !lbr_plot_crowded(&scene, &curve, keep, n, &crowded, &message) && crowded, "a ring: thin");
}

int main(void)
{
    over_x();
    on_a_page();
    gaps();
    paths();
    clouds();
    tiles();
    many_curves();
    legends();
    told_apart();
    crowds();
    lbr_mem_free(keep);
    return tap_done();
}
