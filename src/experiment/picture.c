/* picture.c - what is drawn of runs when nothing else is said. SPDX-License-Identifier: BSD-3-Clause */
#include "picture.h"
#include "plot.h"

#include <math.h>
#include <string.h>

enum { MOST_CURVES = 12 };

static int64_t column(const lbr_result *r, const char *name)
{
    for (int64_t k = 0; k < r->ncolumns; k++) if (!strcmp(r->column[k], name)) return k;
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

lbr_status lbr_picture(const lbr_result *const *result, int64_t n, const char *path, int keep_script, int force, lbr_message *m)
{
    lbr_arena arena = { 0 };
    lbr_curve c[MOST_CURVES];
    lbr_plot plot;
    int64_t count = 0, energy;
    int bad = energies(&arena, c, &count, result, n);
    lbr_status status;

    energy = count;
    if (!count && n > 0) bad = components(&arena, c, &count, result[0]);
    if (bad) status = lbr_fail(m, LBR_ENOMEM, "out of memory for a picture");
    else if (!count) status = lbr_fail(m, LBR_EARG, "there is nothing to draw");
    else {
        lbr_plot_lines(&plot, c, count, result[0]->model, energy ? "energy error" : NULL);
        plot.xlabel = "t";
        status = lbr_plot_write(&plot, path, keep_script, force, m);
    }
    lbr_arena_free(&arena);
    return status;
}
