/* speed.c - time per step through callbacks, against loops written by hand. SPDX-License-Identifier: BSD-3-Clause */
#include "bench.h"
#include "tables.h"

/* exact: the floor's coefficients are the library's to the last bit, so the results must be. */
static const struct row {
    int system;
    const char *method;
    double h;
    int exact;
} rows[] = {
    { HENON_HEILES, "stormer-verlet", 0.1, 1 },
    { KEPLER, "stormer-verlet", 0.05, 1 },
    { SOLAR, "stormer-verlet", 50, 1 },
    { KEPLER, "kahan-li-8-17", 0.2, 0 },
    { SOLAR, "kahan-li-8-17", 200, 0 },
    { KEPLER, "rk4", 0.05, 1 },
    { SOLAR, "rk4", 50, 1 },
    { KEPLER, "kutta-38", 0.05, 0 },
    { SOLAR, "kutta-38", 50, 0 },
    { KEPLER, "nystrom-5", 0.05, 0 },
    { SOLAR, "nystrom-5", 100, 0 },
    { KEPLER, "gauss:2", 0.05, 0 },
    { SOLAR, "gauss:2", 50, 0 },
    { KEPLER, "gauss:4", 0.1, 0 },
    { SOLAR, "gauss:4", 100, 0 },
    { KEPLER, "gauss:6", 0.1, 0 },
    { SOLAR, "gauss:6", 200, 0 },
};
enum { ROWS = sizeof rows / sizeof *rows, RACES = 6 };

static void run_ours(const contender *c, int repetition, int64_t n, double *y)
{
    steps_or_exit(c->plan[repetition], c->problem, c->h, n, y);
}

static void run_floor(const contender *c, int repetition, int64_t n, double *y)
{
    (void)repetition;
    memcpy(y, c->problem->y, sizeof c->problem->y);
    if (c->loop(&c->problem->system, c->table, c->h, n, y)) exit(1);
}

static floor_fn find(const floor_row *row, const char *method, int64_t nq, int variant)
{
    while (row->nq != nq || strcmp(row->method, method)) row++;
    return row->run[variant];
}

static void print_row(const struct row *row, const problem *p, const contender *c, const double *ns)
{
    double least = 1e300, middle = 1e300;

    printf("%-19s %-15s %9.2f  ", p->system.name, row->method, ns[0]);
    for (int i = 1; i < CONTENDERS; i++) {
        printf("%9.2f", ns[i]);
        least = fmin(least, ns[i]), middle = fmin(middle, c[i].ns[REPEATS / 2]);
    }
    printf("  %7.3f %7.3f   %s\n", ns[0] / least, c[0].ns[REPEATS / 2] / middle,
           !row->exact                                                      ? "-"
           : memcmp(c[0].y, c[1].y, (size_t)p->system.dim * sizeof(double)) ? "NO"
                                                                            : "yes");
    fflush(stdout);
}

/* Ours first, then fma written and contracted, each with vector instructions and without. */
static void measure(const struct row *row)
{
    problem p = bench_system(row->system);
    table t = { 0 };
    contender c[CONTENDERS] = { { .run = run_ours } };
    double ns[CONTENDERS];

    table_of(row->method, &t);
    for (int r = 0; r < REPEATS; r++) c[0].plan[r] = plan_or_exit(row->method, &p.system, NULL);
    for (int i = 0; i < CONTENDERS; i++) {
        c[i].problem = &p, c[i].h = row->h, c[i].table = &t;
        if (i == 0) continue;
        c[i].run = run_floor;
        c[i].loop = find(i <= 2 ? floors_contract_off : floors_contract_fast, row->method, p.system.nq, (i - 1) % 2);
    }
    for (int i = 0; i < CONTENDERS; i++) ns[i] = 1e300;
    for (int k = 0; k < RACES; k++) { /* short ones: between them a machine with other work is free now and then */
        race(CONTENDERS, c, 0.002);
        for (int i = 0; i < CONTENDERS; i++) ns[i] = fmin(ns[i], c[i].ns[0]);
    }
    print_row(row, &p, c, ns);
    for (int r = 0; r < REPEATS; r++) lbr_plan_free(c[0].plan[r]);
}

static void print_machine(void)
{
    FILE *f = fopen("/proc/cpuinfo", "r");
    char line[256], model[256] = " unknown";
    problem p = bench_system(HENON_HEILES);
    lbr_plan *plan = plan_or_exit("stormer-verlet", &p.system, NULL);

    while (f && fgets(line, sizeof line, f))
        if (!strncmp(line, "model name", 10) && sscanf(line, "%*[^:]:%255[^\n]", model) == 1) break;
    if (f) fclose(f);
    printf("Libration %s: %s\n"
           "processor%s\n"
           "compiler  %s\n"
           "floors    the same and -march=native; contracted: -ffp-contract=fast\n"
           "\n",
           lbr_version(), lbr_plan_steps(plan), model, LBR_FLAGS);
    lbr_plan_free(plan);
}

int main(void)
{
    print_machine();
    printf(
        "Time per step through callbacks, and of loops written by hand around the same force [ns, least of %d short "
        "runs]\n"
        "\n"
        "                                               fma written     contracted by compiler  ours / fastest   same\n"
        "system              method               ours     vector   scalar   vector   scalar    least  median   bits\n",
        RACES * REPEATS);
    for (int i = 0; i < ROWS; i++) measure(&rows[i]);
    printf("\nours / fastest: the least times, and the medians of the last race; the aim is 1.10.\n"
           "same bits: the final state against fma written out; - where the coefficients are rounded in another way.\n"
           "\n");
    return 0;
}
