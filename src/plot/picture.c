/* picture.c - what is drawn of runs when nothing else is said. SPDX-License-Identifier: BSD-3-Clause */
#include "picture.h"
#include "plot.h"

#include <math.h>
#include <string.h>

enum { MOST_CURVES = 12 };

static int64_t column(const lbr_result *r, const char *name)
{
    for (int64_t k = 0; k < r->ncolumns; k++)
        if (!strcmp(r->column[k], name)) return k;
    return -1;
}

/* Column k over t; with `base`, its distance from there. */
static int curve(lbr_arena *arena, lbr_curve *c, const lbr_result *r, int64_t k, const double *base, const char *label)
{
    double *x = lbr_arena_alloc(arena, r->nsamples, sizeof *x), *y = lbr_arena_alloc(arena, r->nsamples, sizeof *y);

    if (!x || !y) return 1;
    for (int64_t i = 0; i < r->nsamples; i++) {
        x[i] = r->sample[i * r->ncolumns], y[i] = r->sample[i * r->ncolumns + k];
        if (base) y[i] = fabs(y[i] - *base);
    }
    *c = (lbr_curve){ .label = label, .n = r->nsamples, .x = x, .y = y };
    return 0;
}

static int energies(lbr_arena *arena, lbr_curve *c, int64_t *count, const lbr_result *const *result, int64_t n)
{
    for (int64_t i = 0; i < n && *count < MOST_CURVES; i++) {
        const lbr_result *r = result[i];
        int64_t k = r->has_energy ? column(r, "H") : -1;

        if (k < 0 || !r->nsamples) continue;
        if (curve(arena, &c[(*count)++], r, k, r->energy.first, r->name ? r->name : r->method)) return 1;
    }
    return 0;
}

static int components(lbr_arena *arena, lbr_curve *c, int64_t *count, const lbr_result *r)
{
    for (int64_t i = 0; i < r->dim && *count < MOST_CURVES; i++) {
        int64_t k = r->nsamples ? column(r, r->component[i]) : -1;

        if (k >= 0 && curve(arena, &c[(*count)++], r, k, NULL, r->component[i])) return 1;
    }
    return 0;
}

/* --- paths ------------------------------------------------------------------------------------------------------- */

/* How the components begin: n of them share the first one's name, in bodies of d components ("q[2,1]"); 0, 0: a scalar.
 */
typedef struct layout {
    int64_t n, d;
} layout;

static layout layout_of(const lbr_result *r)
{
    const char *first = r->component[0], *bracket = strchr(first, '[');
    size_t stem = bracket ? (size_t)(bracket - first) + 1 : 0;
    layout l = { 0, 0 };

    if (!bracket || strchr(first, '.')) return l;
    for (; l.n < r->dim && !strncmp(r->component[l.n], first, stem); l.n++)
        ;
    l.d = l.n;
    if (strchr(bracket, ',')) {
        size_t body = (size_t)(strchr(bracket, ',') - first) + 1;

        if (strchr(first + body, ',')) return (layout){ 0, 0 };
        for (l.d = 0; l.d < l.n && !strncmp(r->component[l.d], first, body); l.d++)
            ;
    }
    return l;
}

/* Column j over column i. */
static int path(lbr_arena *arena, lbr_curve *c, const lbr_result *r, int64_t i, int64_t j, const char *label)
{
    int64_t k = column(r, r->component[i]), bad = curve(arena, c, r, column(r, r->component[j]), NULL, label);
    double *x = (double *)c->x;

    for (int64_t n = 0; n < r->nsamples && !bad; n++) x[n] = r->sample[n * r->ncolumns + k];
    return bad != 0;
}

/* Positions in the plane (or their first two coordinates), one curve a body; of two variables, one over the other. -1:
 * nothing of the kind. */
static int paths(lbr_arena *arena, lbr_curve *c, int64_t *count, const lbr_result *r, lbr_plot *plot)
{
    layout l = layout_of(r);
    int64_t bodies = l.d ? l.n / l.d : 0;
    int plane = bodies >= 1 && bodies <= MOST_CURVES && l.d >= 2 && l.d <= 3 && r->dim == 2 * l.n, bad = 0;

    if (!r->nsamples || (!plane && r->dim != 2 && !(r->dim == 3 && l.d == 3))) return -1;
    for (int64_t i = 0; i < (plane ? l.n : 2); i++)
        if (column(r, r->component[i]) < 0) return -1;
    if (!plane) bad = path(arena, &c[(*count)++], r, 0, 1, NULL);
    for (int64_t b = 0; b < bodies && plane && !bad; b++) {
        char *label = bodies > 1 ? lbr_arena_format(arena, "%lld", (long long)b + 1) : NULL;

        bad = path(arena, &c[(*count)++], r, b * l.d, b * l.d + 1, label);
    }
    plot->equal = plane;
    if (bodies > 1 && plane) return plot->xlabel = "x", plot->ylabel = "y", bad;
    plot->xlabel = r->component[0], plot->ylabel = r->component[1];
    return bad;
}

/* --- the picture ------------------------------------------------------------------------------------------------- */

lbr_status lbr_picture(const lbr_result *const *result, int64_t n, const char *title, const char *file, int keep_script,
                       int force, const volatile sig_atomic_t *interrupt, lbr_message *m)
{
    lbr_arena arena = { 0 };
    lbr_curve c[MOST_CURVES] = { { 0 } };
    lbr_plot plot = { 0 };
    int64_t count = 0, energy = 0;
    int bad = n == 1 ? paths(&arena, c, &count, result[0], &plot) : -1;
    lbr_status status;

    if (bad < 0) {
        bad = energies(&arena, c, &count, result, n);
        energy = count;
        if (!count && n > 0) bad = components(&arena, c, &count, result[0]);
        lbr_plot_lines(&plot, c, count, NULL, energy ? "energy error" : NULL);
        plot.xlabel = "t";
    }
    plot.title = title || n < 1 ? title : result[0]->model, plot.curve = c, plot.ncurves = count,
    plot.interrupt = interrupt;
    if (bad) status = lbr_fail(m, LBR_ENOMEM, "out of memory for a picture");
    else if (!count) status = lbr_fail(m, LBR_EARG, "there is nothing to draw");
    else status = lbr_plot_write(&plot, file, keep_script, force, m);
    lbr_arena_free(&arena);
    return status;
}
