/* report_summary.c - many runs for people: what they have in common, and how what differs is spread.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GROUPS = 20 }; /* the most that are told one by one */

/* --- spread ------------------------------------------------------------------------------------------------------ */

typedef struct one {
    double x;
    const char *name;
} one;

static int by_size(const void *a, const void *b)
{
    const one *u = a, *v = b;

    return (u->x > v->x) - (u->x < v->x);
}

/* Of each run a number; NaN: it has none. */
typedef double (*quantity)(const lbr_result *r);

static double energy(const lbr_result *r) { return r->has_energy ? r->energy.worst : NAN; }
static double relative(const lbr_result *r) { return r->has_energy ? lbr_report_relative(&r->energy) : NAN; }
static double constraint(const lbr_result *r)
{
    return r->has_constraint ? fmax(r->residual.position, r->residual.velocity) : NAN;
}
static double steps(const lbr_result *r) { return (double)r->steps; }
static double step(const lbr_result *r) { return r->h; }
static double evaluations(const lbr_result *r) { return (double)lbr_evaluations(&r->stats); }
static double reached(const lbr_result *r) { return r->t; }
static double rounding(const lbr_result *r) { return r->rounding.state; }
static double seconds(const lbr_result *r) { return r->seconds; }

static const struct row {
    const char *name;
    quantity of;
} rows[] = { { "step", step },
             { "steps", steps },
             { "t", reached },
             { "evaluations", evaluations },
             { "energy error", energy },
             { "relative", relative },
             { "constraint", constraint },
             { "round-off", rounding },
             { "seconds", seconds } };

/* A line with the least, the middle one and the largest of k numbers, and whose that is; or the one value that all
 * runs have. */
static void spread(FILE *out, const char *name, one *list, int64_t k, int64_t all)
{
    if (!k) return;
    qsort(list, (size_t)k, sizeof *list, by_size);
    if (list[0].x == list[k - 1].x) fprintf(out, "  %-14s %12.6g%s\n", name, list[0].x, all > 1 ? "  for all" : "");
    else
        fprintf(out, "  %-14s %12.6g %12.6g %12.6g  (%s, %s)\n", name, list[0].x, list[k / 2].x, list[k - 1].x,
                list[0].name ? list[0].name : "", list[k - 1].name ? list[k - 1].name : "");
}

static void spread_result(FILE *out, const struct row *row, const lbr_result *const *r, int64_t n, one *list)
{
    int64_t k = 0;

    for (int64_t i = 0; i < n; i++)
        if (isfinite(row->of(r[i]))) list[k++] = (one){ row->of(r[i]), r[i]->name };
    spread(out, row->name, list, k, n);
}

static void spread_row(FILE *out, const char *name, const double *x, const lbr_result *const *r, int64_t n, one *list)
{
    int64_t k = 0;

    for (int64_t i = 0; i < n; i++)
        if (isfinite(x[i])) list[k++] = (one){ x[i], r[i]->name };
    spread(out, name, list, k, n);
}

/* --- groups ------------------------------------------------------------------------------------------------------ */

/* The name of a run without its indices. */
static size_t stem(const lbr_result *r) { return r->name ? strcspn(r->name, "[") : 0; }

static int same(const lbr_result *a, const lbr_result *b)
{
    return stem(a) == stem(b) && !strncmp(a->name ? a->name : "", b->name ? b->name : "", stem(a));
}

/* A sweep; or runs with names of their own, up to the next sweep. */
static int64_t group_at(const lbr_result *const *r, int64_t n)
{
    int64_t k = 1;

    while (k < n && same(r[0], r[k])) k++;
    if (k == 1)
        while (k < n && (k + 1 == n || !same(r[k], r[k + 1]))) k++;
    return k;
}

static void heading(FILE *out, const lbr_result *const *r, int64_t n, const char *method)
{
    if (r[0]->name) fputs(r[0]->name, out);
    if (n > 1) fprintf(out, " .. %s", r[n - 1]->name ? r[n - 1]->name : "");
    fprintf(out, ": %lld run%s with %s", (long long)n, n == 1 ? "" : "s", method ? method : "several methods");
}

static void group(FILE *out, const lbr_result *const *r, int64_t n, one *list)
{
    const char *method = r[0]->method;
    int64_t failed = 0;

    for (int64_t i = 0; i < n; i++) {
        failed += r[i]->exit != 0;
        if (method && (!r[i]->method || strcmp(method, r[i]->method))) method = NULL;
    }
    heading(out, r, n, method);
    if (failed) fprintf(out, ", %lld failed", (long long)failed);
    if (n > 1) fprintf(out, "\n  %-14s %12s %12s %12s", "", "least", "median", "largest");
    putc('\n', out);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) spread_result(out, rows + k, r, n, list);
}

void lbr_report_summary(FILE *out, const lbr_result *const *result, int64_t n, const lbr_report_row *row, int64_t nrows)
{
    one *list = lbr_mem_alloc((size_t)n * sizeof *list);
    int64_t groups = 0;

    if (!list) return;
    for (int64_t i = 0; i < n; i += group_at(result + i, n - i)) groups++;
    for (int64_t i = 0, k; i < n; i += k) {
        k = groups > GROUPS ? n : group_at(result + i, n - i);
        if (i) putc('\n', out);
        group(out, result + i, k, list);
        for (int64_t j = 0; j < nrows; j++) spread_row(out, row[j].name, row[j].value + i, result + i, k, list);
    }
    lbr_mem_free(list);
}
