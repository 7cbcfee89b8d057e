/* bench.h - clock, repetitions and plans, for every benchmark. SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H
#include "floors.h"

#include <stdlib.h>
#include <time.h>

enum { REPEATS = 11, CONTENDERS = 5 };

static inline double now(void)
{
    struct timespec t;

    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* A plan, or the end of the program with the reason. */
static inline lbr_plan *plan_or_exit(const char *method, const lbr_system *system, const lbr_options *options)
{
    lbr_plan *plan;

    if (!lbr_plan_create(&plan, method, system, options)) return plan;
    printf("%s on %s: %s\n", method, system->name, lbr_plan_message(plan));
    exit(1);
}

/* n steps from the start; y is the result. */
static inline void steps_or_exit(lbr_plan *plan, const problem *p, double h, int64_t n, double *y)
{
    if (!lbr_start(plan, p->t0, h, p->y) && !lbr_run(plan, n, 0, NULL, NULL) && !lbr_read(plan, NULL, y)) return;
    printf("%s on %s: %s\n", lbr_plan_method(plan), p->system.name, lbr_plan_message(plan));
    exit(1);
}

/* Whoever is timed: n steps from the start, the result in y. Ours has a plan per repetition, each at another place in
 * memory: some places are unlucky, and cost 10 % more. */
typedef struct contender {
    void (*run)(const struct contender *self, int repetition, int64_t n, double *y);
    const problem *problem;
    double h;
    lbr_plan *plan[REPEATS]; /* ours */
    floor_fn loop;
    const table *table;                 /* floors */
    double ns[REPEATS], y[PROBLEM_DIM]; /* per step, ascending; the result */
} contender;

/* Steps that take about so many seconds. */
static inline int64_t calibrate(const contender *c, double seconds)
{
    double y[PROBLEM_DIM], t = 0;
    int64_t n = 500;

    while (t < seconds / 4) {
        t = now();
        c->run(c, 0, n *= 2, y);
        t = now() - t;
    }
    return (int64_t)((double)n * seconds / t) + 1;
}

/* Times all of them in turn, again and again, so that each has the same share of the machine's moods. */
static inline void race(int count, contender *c, double seconds)
{
    int64_t n = calibrate(c, seconds);

    for (int r = 0; r < REPEATS; r++)
        for (int i = 0; i < count; i++) {
            double t = now();

            c[i].run(&c[i], r, n, c[i].y);
            c[i].ns[r] = (now() - t) / (double)n * 1e9;
        }
    for (int i = 0; i < count; i++) qsort(c[i].ns, REPEATS, sizeof c[i].ns[0], ascending);
}
#endif
