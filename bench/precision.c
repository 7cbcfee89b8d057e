/* precision.c - work and precision on the Kepler problem, orders 2 to 16. SPDX-License-Identifier: BSD-3-Clause */
#include "bench.h"

enum { COLUMNS = 4 };
static const double end = 7.5;

/* q and p at the end, for e = 0.6. */
static const double exact[4] = { -0.828164402690770818204757585370, 0.77889809565863544708165448079534,
                                 -0.856384715343395351524486215030, -0.160552150799838435254419104102 };

/* The steps of the first column; each column has twice those of the one before. */
static const struct row {
    int order;
    const char *method;
    int64_t steps;
} rows[] = {
    { 2, "stormer-verlet", 600 }, { 4, "rk4", 150 },     { 4, "triple-jump:4", 200 },
    { 4, "suzuki:4", 120 },       { 4, "gauss:2", 50 },  { 6, "yoshida-6-7", 84 },
    { 6, "kahan-li-6-9", 66 },    { 6, "gauss:3", 30 },  { 8, "suzuki-yoshida-8-15", 40 },
    { 8, "kahan-li-8-17", 36 },   { 8, "gauss:4", 24 },  { 10, "sofroniou-spaletta-10-35", 18 },
    { 12, "gauss:6", 14 },        { 16, "gauss:8", 10 },
};

static int64_t evaluations(const lbr_plan *plan)
{
    const lbr_stats *s = lbr_plan_stats(plan);
    return s->force + s->field + s->gradient;
}

/* Microseconds of a run, the least of many. */
static double microseconds(lbr_plan *plan, const problem *p, double h, int64_t n)
{
    double least = 1e300, y[PROBLEM_DIM];

    for (double stop = now() + 0.02; now() < stop;) {
        double t = now();

        steps_or_exit(plan, p, h, n, y);
        least = fmin(least, now() - t);
    }
    return least * 1e6;
}

static void measure(const struct row *row)
{
    problem p = bench_system(KEPLER);
    lbr_plan *plan = plan_or_exit(row->method, &p.system, NULL);

    printf("%5d  %-25s", row->order, row->method);
    for (int i = 0; i < COLUMNS; i++) {
        int64_t n = row->steps << i;
        double y[PROBLEM_DIM], time = microseconds(plan, &p, end / (double)n, n), error = 0;

        steps_or_exit(plan, &p, end / (double)n, n, y);
        for (int k = 0; k < 4; k++) error = fmax(error, fabs(y[k] - exact[k]));
        printf("%7lld%7.1f %8.1e", (long long)evaluations(plan), time, error);
    }
    printf("\n");
    fflush(stdout);
    lbr_plan_free(plan);
}

int main(void)
{
    printf("Work and precision: Kepler, e = 0.6, [0, 7.5]; evaluations, microseconds, error of the end value\n"
           "\n"
           "order  %-25s",
           "method");
    for (int i = 0; i < COLUMNS; i++) printf("  evals     us    error");
    printf("\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) measure(&rows[i]);
    printf("\n");
    return 0;
}
