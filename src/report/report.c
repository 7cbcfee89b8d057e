/* report.c - results of runs, for programs and for people. SPDX-License-Identifier: BSD-3-Clause */
#include "report.h"

#include <math.h>
#include <string.h>

static int64_t evaluations(const lbr_stats *s) { return s->force + s->field + s->gradient; }

/* --- JSON -------------------------------------------------------------------------------------------------------- */

/* A number, or a list for vectors. */
static void values(lbr_json *j, const char *key, int64_t n, const double *v)
{
    if (n == 1) {
        lbr_json_number(j, key, *v);
        return;
    }
    lbr_json_open(j, key, '[');
    for (int64_t i = 0; i < n; i++) lbr_json_number(j, NULL, v[i]);
    lbr_json_close(j, ']');
}

/* The largest error over the size at the start, for vectors by norms; NaN where that is 0 or nothing was watched. */
static double relative(const lbr_monitor *m)
{
    double size = 0;

    for (int64_t i = 0; i < m->len; i++) size = hypot(size, m->first[i]);
    return size > 0 ? m->worst / size : NAN;
}

static void monitor(lbr_json *j, const char *key, const lbr_monitor *m)
{
    lbr_json_open(j, key, '{');
    values(j, "initial", m->len, m->first);
    values(j, "final", m->len, m->last);
    lbr_json_number(j, "max_error", m->worst);
    lbr_json_number(j, "relative_error", relative(m));
    lbr_json_close(j, '}');
}

static void state(lbr_json *j, const lbr_result *r)
{
    lbr_json_open(j, "state", '[');
    for (int64_t i = 0; i < r->dim; i++) lbr_json_number(j, NULL, r->y[i]);
    lbr_json_close(j, ']');
    lbr_json_open(j, "names", '[');
    for (int64_t i = 0; i < r->dim; i++) lbr_json_text(j, NULL, r->component[i]);
    lbr_json_close(j, ']');
}

static void constraint(lbr_json *j, const lbr_result *r)
{
    const lbr_residuals *e = &r->residual;

    if (r->has_constraint) { /* of a manifold: no velocities */
        lbr_json_open(j, "constraint", '{');
        lbr_json_number(j, "position", e->position);
        lbr_json_number(j, "velocity", r->has_velocity ? e->velocity : NAN);
        lbr_json_number(j, "position_scaled", e->position_scaled);
        lbr_json_number(j, "velocity_scaled", r->has_velocity ? e->velocity_scaled : NAN);
        lbr_json_close(j, '}');
    } else lbr_json_text(j, "constraint", NULL);
    if (r->nmultipliers) {
        lbr_json_open(j, "multipliers", '[');
        for (int64_t i = 0; i < r->nmultipliers; i++) lbr_json_number(j, NULL, r->multiplier[i]);
        lbr_json_close(j, ']');
    } else lbr_json_text(j, "multipliers", NULL);
}

static void kept(lbr_json *j, const lbr_result *r)
{
    if (r->has_energy) monitor(j, "energy", &r->energy);
    else lbr_json_text(j, "energy", NULL);
    lbr_json_open(j, "invariants", '{');
    for (int64_t i = 0; i < r->ninvariants; i++) monitor(j, r->invariant[i].name, &r->invariant[i]);
    lbr_json_close(j, '}');
    constraint(j, r);
}

static void sections(lbr_json *j, const lbr_result *r)
{
    if (!r->nevents) return;
    lbr_json_open(j, "sections", '{');
    for (int64_t k = 0; k < r->nevents; k++) {
        lbr_json_open(j, r->events[k].name, '{');
        lbr_json_number(j, "count", (double)r->events[k].count);
        lbr_json_close(j, '}');
    }
    lbr_json_close(j, '}');
}

static void counts(lbr_json *j, const lbr_stats *s)
{
    const struct {
        const char *key;
        int64_t n;
    } row[] = { { "total", evaluations(s) }, { "force", s->force },       { "field", s->field },
                { "gradient", s->gradient }, { "jacobian", s->jacobian }, { "constraint", s->constraint } };

    lbr_json_open(j, "evaluations", '{');
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) lbr_json_number(j, row[i].key, (double)row[i].n);
    lbr_json_close(j, '}');
    lbr_json_open(j, "iterations", '{');
    lbr_json_number(j, "nonlinear", (double)s->iterations);
    lbr_json_number(j, "worst", (double)s->worst);
    lbr_json_close(j, '}');
}

static void warnings(lbr_json *j, const lbr_result *r)
{
    lbr_json_open(j, "warnings", '[');
    for (int k = 0; k < r->nwarnings; k++) lbr_json_text(j, NULL, r->warning[k]);
    lbr_json_close(j, ']');
}

static void failure(lbr_json *j, const lbr_result *r)
{
    if (!r->exit || r->exit == LBR_EXIT_INTERRUPTED) {
        lbr_json_text(j, "failure", NULL);
        return;
    }
    lbr_json_open(j, "failure", '{');
    lbr_json_text(j, "text", r->text);
    lbr_json_number(j, "step", (double)(r->exit == LBR_EXIT_NUMERICS ? r->failed_step : r->steps));
    lbr_json_number(j, "t", r->exit == LBR_EXIT_NUMERICS ? r->failed_t : r->t);
    lbr_json_text(j, "component", *r->failed_component ? r->failed_component : NULL);
    lbr_json_close(j, '}');
}

void lbr_report_open(lbr_json *j, const lbr_result *r)
{
    lbr_json_open(j, NULL, '{');
    if (r->name) lbr_json_text(j, "name", r->name);
    lbr_json_text(j, "model", r->model);
    lbr_json_text(j, "method", r->method);
    lbr_json_number(j, "step", r->h);
    lbr_json_number(j, "steps", (double)r->steps);
    lbr_json_number(j, "every", (double)r->every);
    lbr_json_number(j, "t", r->t);
    state(j, r);
    kept(j, r);
    sections(j, r);
    counts(j, &r->stats);
    failure(j, r);
    warnings(j, r);
    lbr_json_number(j, "seconds", r->seconds);
    lbr_json_number(j, "compile_seconds", r->compile_seconds);
    lbr_json_text(j, "kernel", r->kernel);
    lbr_json_number(j, "kernel_from", r->kernel_from < 0 ? NAN : (double)r->kernel_from);
}

/* --- for people -------------------------------------------------------------------------------------------------- */

enum { COLUMNS = 12, WIDE = 160 };
typedef struct table {
    char (*cell)[COLUMNS][WIDE];
    int width[COLUMNS];
} table;

/* The invariant that is worst kept, NULL if there is none. */
static const lbr_monitor *worst(const lbr_result *r)
{
    const lbr_monitor *w = NULL;

    for (int64_t i = 0; i < r->ninvariants; i++)
        if (strcmp(r->invariant[i].name, "H") && (!w || r->invariant[i].worst > w->worst)) w = &r->invariant[i];
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

/* Of the start: "-" where that is 0; nothing where nothing was watched. */
static void relative_cell(char *cell, const lbr_monitor *m)
{
    double x = m ? relative(m) : NAN;

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
    snprintf(cell[4], WIDE, "%lld", (long long)evaluations(&r->stats));
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
    fprintf(out, "\nt = %.10g", r->t);
    for (int64_t i = 0; i < r->dim && i < 8; i++) fprintf(out, "  %s = %.10g", r->component[i], r->y[i]);
    if (r->dim > 8) fprintf(out, "  and %lld more", (long long)r->dim - 8);
    putc('\n', out);
}

void lbr_report_table(FILE *out, const lbr_result *const *result, int64_t n)
{
    static const char head[COLUMNS][WIDE] = { "run",         "method",       "step",     "steps",
                                              "evaluations", "energy error", "relative", "worst invariant",
                                              "relative",    "constraint",   "events",   "time" };
    table t = { 0 };

    if (n < 1 || !(t.cell = lbr_mem_alloc((size_t)(n + 1) * sizeof *t.cell))) return;
    memcpy(t.cell[0], head, sizeof head);
    for (int64_t i = 0; i < n; i++) line(t.cell[i + 1], result[i]);
    print(out, &t, n + 1);
    if (n == 1 && result[0]->y) where(out, result[0]);
    lbr_mem_free(t.cell);
}
