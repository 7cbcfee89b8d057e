/* overhead.c - what a plan and a look cost. SPDX-License-Identifier: BSD-3-Clause */
#include "bench.h"

static const char *const methods[] = {
    "stormer-verlet", "kahan-li-8-17", "suzuki:8", "compose(kahan-li-8-17, midpoint)", "rk4",
    "gauss:2",        "gauss:6",       "gauss:16",
};
static const struct look {
    int system;
    const char *method;
} looks[] = {
    { HENON_HEILES, "stormer-verlet" },
    { SOLAR, "stormer-verlet" },
    { HENON_HEILES, "rk4" },
    { SOLAR, "rk4" },
};

static int observe(const lbr_view *view, void *ctx) { return *(double *)ctx += view->y[0], 0; }

static double plan_microseconds(const char *method, const lbr_system *system)
{
    double least = 1e300;

    for (double stop = now() + 0.1; now() < stop;) {
        double t = now();

        lbr_plan_free(plan_or_exit(method, system, NULL));
        least = fmin(least, now() - t);
    }
    return least * 1e6;
}

/* Nanoseconds per step with a look at every step, or with none. */
static double step_nanoseconds(lbr_plan *plan, const problem *p, int64_t every)
{
    enum { STEPS = 20000 };
    double least = 1e300, sum = 0;

    for (double stop = now() + 0.2; now() < stop;) {
        double t = now();

        lbr_start(plan, p->t0, p->h, p->y);
        lbr_run(plan, STEPS, every, observe, &sum);
        least = fmin(least, now() - t);
    }
    return least / STEPS * 1e9;
}

static void measure_look(const struct look *l)
{
    problem p = bench_system(l->system);
    lbr_plan *plan = plan_or_exit(l->method, &p.system, NULL);
    double none = step_nanoseconds(plan, &p, 0), each = step_nanoseconds(plan, &p, 1);

    printf("%-19s %-15s %9.1f %9.1f %9.1f\n", p.system.name, l->method, none, each, each - none);
    lbr_plan_free(plan);
}

int main(void)
{
    problem p = bench_system(KEPLER);

    printf("Making a plan and freeing it, on Kepler [us]\n\n");
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        printf("%-35s %9.1f\n", methods[i], plan_microseconds(methods[i], &p.system));
    printf("\n"
           "A look at every step [ns per step]\n"
           "\n"
           "system              method           no looks     looks     a look\n");
    for (size_t i = 0; i < sizeof looks / sizeof *looks; i++) measure_look(&looks[i]);
    printf("\n");
    return 0;
}
