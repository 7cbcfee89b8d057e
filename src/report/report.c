/* report.c - results of runs, for people. SPDX-License-Identifier: BSD-3-Clause */
#include "report.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* At the start; 0 where it is that up to rounding. */
static double size_of(const lbr_monitor *m)
{
    double size = 0;

    for (int64_t i = 0; i < m->len; i++) size = hypot(size, m->first[i]);
    return size > 64 * DBL_EPSILON * m->terms && !m->zero ? size : 0;
}

double lbr_report_relative(const lbr_monitor *m)
{
    double size = size_of(m);

    return size > 0 ? m->worst / size : NAN;
}

enum { COLUMNS = 12, WIDE = 160 };
typedef struct table {
    char (*cell)[COLUMNS][WIDE];
    int width[COLUMNS];
} table;

/* How badly it is kept: of what is zero at the start, in comparison with its terms. */
static double rank(const lbr_monitor *m)
{
    double size = size_of(m);

    return m->worst / (size > 0 ? size : m->terms > 0 ? m->terms : 1);
}

/* The invariant that is worst kept, NULL if there is none. */
static const lbr_monitor *worst(const lbr_result *r)
{
    const lbr_monitor *w = NULL;

    for (int64_t i = 0; i < r->ninvariants; i++)
        if (strcmp(r->invariant[i].name, "H") && (!w || rank(&r->invariant[i]) > rank(w))) w = &r->invariant[i];
    return w;
}

static void number_cell(char *cell, double x)
{
    if (!isfinite(x)) snprintf(cell, WIDE, "not watched");
    else snprintf(cell, WIDE, "%.3g", x);
}

static void error_cell(char *cell, const lbr_monitor *m)
{
    if (!m) snprintf(cell, WIDE, "-");
    else number_cell(cell, m->worst);
}

/* Of the start: "-" where that is 0 but for rounding; nothing where nothing was watched. */
static void relative_cell(char *cell, const lbr_monitor *m)
{
    double x = m ? lbr_report_relative(m) : NAN;

    if (m && isfinite(m->worst)) snprintf(cell, WIDE, isfinite(x) ? "%.3g" : "-", x);
}

/* "46865 cut, 3 far" */
static void events_cell(char *cell, const lbr_result *r)
{
    size_t n = 0;

    for (int64_t k = 0; k < r->nevents && n < WIDE; k++)
        n += (size_t)snprintf(cell + n, WIDE - n, "%s%lld %.60s", k ? ", " : "", (long long)r->events[k].count,
                              r->events[k].name);
}

static void time_cell(char *cell, double seconds)
{
    if (seconds < 1e-3) snprintf(cell, WIDE, "%.0f us", 1e6 * seconds);
    else if (seconds < 1) snprintf(cell, WIDE, "%.3g ms", 1e3 * seconds);
    else snprintf(cell, WIDE, "%.4g s", seconds);
}

static void line(char cell[COLUMNS][WIDE], const lbr_result *r)
{
    const lbr_monitor *w = worst(r);
    size_t n;

    snprintf(cell[0], WIDE, "%s", r->name ? r->name : "");
    snprintf(cell[1], WIDE, "%s", r->method ? r->method : "");
    snprintf(cell[2], WIDE, "%.6g", r->h);
    snprintf(cell[3], WIDE, "%lld", (long long)r->steps);
    snprintf(cell[4], WIDE, "%lld%s", (long long)lbr_evaluations(&r->stats), lbr_evaluations_unit(&r->stats));
    error_cell(cell[5], r->has_energy ? &r->energy : NULL);
    relative_cell(cell[6], r->has_energy ? &r->energy : NULL);
    error_cell(cell[7], w);
    n = strlen(cell[7]);
    if (w) snprintf(cell[7] + n, WIDE - n, " (%.100s)", w->name);
    relative_cell(cell[8], w);
    if (r->has_constraint) number_cell(cell[9], fmax(r->residual.position, r->residual.velocity));
    events_cell(cell[10], r);
    time_cell(cell[11], r->seconds);
}

/* Names to the left, numbers to the right; a column with nothing in it is left out. */
static void print(FILE *out, table *t, int64_t rows)
{
    static const char left[COLUMNS] = { 1, 1 };

    for (int64_t i = 0; i < rows; i++)
        for (int c = 0; c < COLUMNS; c++)
            if (i && t->width[c] < (int)strlen(t->cell[i][c])) t->width[c] = (int)strlen(t->cell[i][c]);
    for (int c = 0; c < COLUMNS; c++)
        if (t->width[c] && t->width[c] < (int)strlen(t->cell[0][c])) t->width[c] = (int)strlen(t->cell[0][c]);
    for (int64_t i = 0; i < rows; i++) {
        for (int c = 0; c < COLUMNS; c++)
            if (t->width[c])
                fprintf(out, left[c] ? "%-*s  " : c == COLUMNS - 1 ? "%*s" : "%*s  ", t->width[c], t->cell[i][c]);
        putc('\n', out);
    }
}

static void where(FILE *out, const lbr_result *r)
{
    int at = fprintf(out, "\nt = %.10g", r->t);

    for (int64_t i = 0; i < r->dim && i < 8; i++) {
        char text[200];
        int n = snprintf(text, sizeof text, "  %.150s = %.10g", r->component[i], r->y[i]);

        if (at + n > 100) at = fprintf(out, "\n") - 1;
        at += fprintf(out, "%s", at ? text : text + 2);
    }
    if (r->dim > 8) fprintf(out, "  and %lld more", (long long)r->dim - 8);
    putc('\n', out);
}

void lbr_report_table(FILE *out, const lbr_result *const *result, int64_t n)
{
    static const char head[COLUMNS][WIDE] = { "run",         "method",       "step",     "steps",
                                              "evaluations", "energy error", "relative", "worst invariant",
                                              "relative",    "constraint",   "events",   "time" };
    table t = { 0 };

    if (n > LBR_MANY) {
        lbr_report_summary(out, result, n, NULL, 0);
        return;
    }
    if (n < 1 || !(t.cell = lbr_mem_alloc((size_t)(n + 1) * sizeof *t.cell))) return;
    memcpy(t.cell[0], head, sizeof head);
    for (int64_t i = 0; i < n; i++) line(t.cell[i + 1], result[i]);
    print(out, &t, n + 1);
    if (n == 1 && result[0]->y) where(out, result[0]);
    lbr_mem_free(t.cell);
}
