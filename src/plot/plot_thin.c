/* plot_thin.c - as many points as can be seen: a file of a picture does not grow with its data.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Curves over x keep the first, lowest, highest and last point of every column; on a page, where a column is hardly
 * wider than a line, inside the curve only the lowest and highest. Others lose what repeats itself in
 * cells far smaller than a line is wide; if that is not enough, evenly spread pieces remain, never a chord that was not
 * there. */
#include "plot_parts.h"

#include <math.h>

enum { END = -2, COLUMNS = 4000, PIECE = 64, SEEN = 1 << 19, PAGE_MARKS = 4500 };

static int64_t columns_of(const lbr_scene *scene) { return scene->plot->columns > 0 ? scene->plot->columns : COLUMNS; }

/* Points per curve, five for each column; 75 for each column in all, but 200 of any. */
static int64_t limit_of(const lbr_scene *scene)
{
    int64_t columns = columns_of(scene), share = 75 * columns / (scene->plot->ncurves > 0 ? scene->plot->ncurves : 1);

    return share > 5 * columns ? 5 * columns : share < 200 ? 200 : share;
}

static uint64_t mix(uint64_t z)
{
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* --- columns ----------------------------------------------------------------------------------------------------- */

typedef struct {
    int64_t at, first, low, high, last;
    int tail;
} column; /* first < 0: only gaps; tail: it ends with one */

static int64_t gap(int64_t *keep, int64_t n)
{
    if (n && keep[n - 1] != LBR_GAP) keep[n++] = LBR_GAP;
    return n;
}

/* few: of four points the two in the middle, but at the beginning of a piece and, `over`, at the end. */
static int64_t flush(const column *k, int few, int over, int64_t *keep, int64_t n)
{
    int64_t order[4] = { k->first, k->low < k->high ? k->low : k->high, k->low < k->high ? k->high : k->low, k->last };
    int from = few && n && keep[n - 1] != LBR_GAP, to = few && !over && !k->tail ? 3 : 4;

    if (k->first < 0) return k->tail ? gap(keep, n) : n;
    for (int j = from; j < to; j++)
        if (!n || keep[n - 1] != order[j]) keep[n++] = order[j];
    return n;
}

/* The column of a point; of a gap too, if it has an x. */
static int64_t column_of(const lbr_scene *scene, double x, int64_t columns, int64_t otherwise)
{
    const lbr_axis *axis = &scene->axis[LBR_AXIS_X];
    double place = lbr_axis_fits(axis, x) ? lbr_axis_place(axis, x) : 0;

    if (!lbr_axis_fits(axis, x)) return otherwise;
    return place < 0 ? -1 : place > 1 ? columns : (int64_t)fmin(place * (double)columns, (double)columns - 1);
}

/* A gap inside a column that has points is narrower than can be seen. */
static int64_t by_columns(const lbr_scene *scene, const lbr_curve *c, int64_t columns, int64_t *keep)
{
    column k = { .at = INT32_MIN, .first = -1 };
    int few = scene->plot->columns > 0;
    int64_t n = 0;

    for (int64_t i = 0; i < c->n; i++) {
        int shown = lbr_scene_shows(scene, c, i);
        int64_t at = column_of(scene, c->x[i], columns, k.at);

        if (at != k.at) {
            n = flush(&k, few && k.at >= 0 && k.at < columns && fabs((double)(at - k.at)) == 1, 0, keep, n);
            if (k.tail && at != k.at + 1 && at != k.at - 1) n = gap(keep, n);
            k = (column){ at, -1, -1, -1, -1, 0 };
        }
        k.tail = !shown;
        if (!shown) continue;
        if (k.first < 0) k.first = k.low = k.high = i;
        if (c->y[i] < c->y[k.low]) k.low = i;
        if (c->y[i] > c->y[k.high]) k.high = i;
        k.last = i;
    }
    return flush(&k, few && k.at >= 0 && k.at < columns, 1, keep, n);
}

/* --- cells ------------------------------------------------------------------------------------------------------- */

/* Goes along a curve and gives what is new: points in cells not yet marked, or, where points are joined, segments
 * between cells not yet joined. */
typedef struct {
    const lbr_scene *scene;
    const lbr_curve *c;
    int joined, pen; /* pen: `from` has been given */
    int64_t i, from, nseen;
    uint64_t cell, *seen;
    int64_t queue[2];
    int waiting;
} walker;

/* Whether the key is new; a table half full takes no more. */
static int enter(walker *w, uint64_t key)
{
    uint64_t at = (key = mix(key) | 1) & (2 * SEEN - 1);

    for (; w->seen[at]; at = (at + 1) & (2 * SEEN - 1))
        if (w->seen[at] == key) return 0;
    if (w->nseen < SEEN) w->seen[at] = key, w->nseen++;
    return 1;
}

static uint64_t index_of(const lbr_axis *axis, double v, double cells)
{
    return (uint64_t)(int64_t)floor(fmax(-1e9, fmin(1e9, lbr_axis_place(axis, v) * cells))) & UINT32_MAX;
}

/* On paper points are wider than lines; on a page, neither is much more than a column. */
static uint64_t cell_of(const walker *w, int64_t i)
{
    const lbr_axis *axis = w->scene->axis;
    double across = (w->scene->plot->columns > 0 ? 0.65 : w->joined ? 0.6 : 0.3) * (double)columns_of(w->scene);

    return index_of(&axis[LBR_AXIS_X], w->c->x[i], across) << 32 |
           index_of(&axis[LBR_AXIS_Y], w->c->y[i], across / 1.5);
}

static void lift(walker *w)
{
    if (w->pen) w->queue[w->waiting++] = LBR_GAP;
    w->pen = 0;
}

static void draw_to(walker *w, int64_t i)
{
    uint64_t cell = cell_of(w, i), a = mix(cell + 1), b = mix(w->cell + 1);

    if (w->from >= 0 && cell == w->cell) return;
    if (w->from >= 0 && !enter(w, a + b)) lift(w); /* a sum: there and back is the same segment */
    else if (w->from >= 0) {
        if (!w->pen) w->queue[w->waiting++] = w->from;
        w->queue[w->waiting++] = i;
        w->pen = 1;
    }
    w->from = i, w->cell = cell;
}

/* The next point, LBR_GAP or END. */
static int64_t next(walker *w)
{
    int64_t out;

    while (!w->waiting && w->i < w->c->n) {
        int64_t i = w->i++;

        if (!lbr_scene_shows(w->scene, w->c, i)) lift(w), w->from = -1;
        else if (w->joined) draw_to(w, i);
        else if (lbr_scene_holds(w->scene, w->c, i) && enter(w, cell_of(w, i))) return i;
    }
    if (!w->waiting) return END;
    out = w->queue[0], w->queue[0] = w->queue[1], w->waiting--;
    return out;
}

static void rewind_to_start(walker *w)
{
    for (int64_t k = 0; k < 2 * SEEN; k++) w->seen[k] = 0;
    w->i = w->nseen = w->pen = w->waiting = 0, w->from = -1;
}

/* Whether item j of `all` is among about `most` of them: whole pieces of a path, or points picked without a pattern. */
static int chosen(int joined, int64_t j, int64_t all, int64_t most)
{
    double share = (double)most / (double)all, piece = (double)(j / PIECE);

    if (all <= most) return 1;
    if (!joined) return (double)(mix((uint64_t)j + 1) >> 11) * 0x1p-53 < share;
    return floor((piece + 1) * share) > floor(piece * share);
}

static lbr_status by_cells(const lbr_scene *scene, const lbr_curve *c, int joined, int64_t most, int64_t **keep,
                           int64_t *n)
{
    walker w = { .scene = scene, .c = c, .joined = joined };
    int64_t all = 0, j = 0, size, k;

    if (!(w.seen = lbr_mem_alloc(2 * (size_t)SEEN * sizeof *w.seen))) return LBR_ENOMEM;
    rewind_to_start(&w);
    while ((k = next(&w)) != END) all += k != LBR_GAP;
    rewind_to_start(&w);
    size = 2 * (all < most ? all : most) + 4096;
    *keep = lbr_mem_alloc((size_t)size * sizeof **keep);
    *n = 0;
    while (*keep && *n < size - 1 && (k = next(&w)) != END) {
        if (k != LBR_GAP && chosen(joined, j++, all, most)) (*keep)[(*n)++] = k;
        else if (joined) *n = gap(*keep, *n);
    }
    lbr_mem_free(w.seen);
    return *keep ? LBR_OK : LBR_ENOMEM;
}

/* ----------------------------------------------------------------------------------------------------------------- */

static int64_t all_of(const lbr_scene *scene, const lbr_curve *c, int64_t *keep)
{
    int64_t n = 0;

    for (int64_t i = 0; i < c->n; i++) {
        if (lbr_scene_shows(scene, c, i)) keep[n++] = i;
        else n = gap(keep, n);
    }
    return n;
}

/* Marks alone, at most: on paper three for each that a line would have; on a page so many of all curves together. */
static int64_t most_marks(const lbr_scene *scene)
{
    int64_t n = scene->plot->ncurves > 0 ? scene->plot->ncurves : 1;

    if (!scene->plot->columns) return 3 * limit_of(scene);
    return PAGE_MARKS / n < 200 ? 200 : PAGE_MARKS / n;
}

lbr_status lbr_plot_thin(const lbr_scene *scene, const lbr_curve *c, int64_t **keep, int64_t *n, lbr_message *message)
{
    int joined = lbr_style_joined(scene->plot->style), monotone = joined && lbr_curve_monotone(scene, c);
    int64_t limit = limit_of(scene), all = !joined                            ? limit / 5
                                           : monotone && scene->plot->columns ? 2 * limit / 5
                                                                              : limit;
    lbr_status status = LBR_OK;

    *keep = NULL, *n = 0;
    if (c->n <= all || scene->tiles) {
        if ((*keep = lbr_mem_alloc((size_t)c->n * sizeof **keep))) *n = all_of(scene, c, *keep);
    } else if (monotone) {
        if ((*keep = lbr_mem_alloc(((size_t)limit + 16) * sizeof **keep))) *n = by_columns(scene, c, limit / 5, *keep);
    } else status = by_cells(scene, c, joined, joined ? 3 * limit : most_marks(scene), keep, n);
    if (*keep && !status) return LBR_OK;
    return lbr_mem_free(*keep), *keep = NULL,
                                lbr_fail(message, LBR_ENOMEM, "out of memory for the points of a picture");
}
