/* instructions.c - machine instructions per step, counted by callgrind. SPDX-License-Identifier: BSD-3-Clause
 *
 *     instructions                 counts, where valgrind is installed
 *     instructions ROW WHO STEPS   what is counted: WHO is 0 for the library, 1 for the loop written by hand
 *
 * The difference of two counts is free of everything that happens once. valgrind knows no AVX-512, so force and loop
 * are compiled for x86-64-v3, whatever this machine is. */
#define _POSIX_C_SOURCE 200809L
#ifdef __x86_64__
    #define ISA "v3"
    #pragma GCC target("avx2,fma,bmi,bmi2")
#else
    #define ISA "auto"
#endif
#pragma GCC optimize("no-tree-slp-vectorize")
#define LBR_FLOOR counted /* the loop with fma written out */
#include "floors.c"

#include "tables.h"

enum { LIBRARY, LOOP, FEW = 500, MANY = 3500 };

static const struct row {
    const char *method;
    problem (*system)(void);
    double h;
} rows[] = { { "stormer-verlet", henon_heiles, 0.1 },
             { "rk4", kepler, 0.05 },
             { "rk4", solar_system, 50 },
             { "kutta-38", solar_system, 50 },
             { "nystrom-5", solar_system, 100 },
             { "gauss:2", kepler, 0.05 },
             { "gauss:6", kepler, 0.1 },
             { "gauss:6", solar_system, 200 } };
enum { ROWS = sizeof rows / sizeof *rows };

static int by_hand(const struct row *r, problem *p, int64_t n)
{
    const floor_row *f = floors_counted;
    table t = { 0 };

    table_of(r->method, &t);
    while (strcmp(f->method, r->method) || f->nq != (p->system.nq > 2 ? p->system.nq : 2)) f++;
    return f->run[p->system.nq <= 2](&p->system, &t, r->h, n, p->y);
}

static int steps(const struct row *r, int which, int64_t n)
{
    problem p = r->system();
    lbr_options options;
    lbr_plan *plan = NULL;
    int bad = 1;

    lbr_options_init(&options);
    if (which == LOOP) return by_hand(r, &p, n);
    if (!lbr_option_set(&options, "isa", ISA) && !lbr_plan_create(&plan, r->method, &p.system, &options))
        bad = lbr_start(plan, p.t0, r->h, p.y) || lbr_run(plan, n, 0, NULL, NULL);
    if (bad) fputs(lbr_plan_message(plan), stderr);
    lbr_plan_free(plan);
    return bad;
}

/* Instructions of a whole run of this program; -1: not counted. */
static double count(const char *program, int row, int which, int64_t n)
{
    char line[1024];
    double all = -1;
    FILE *f;

    snprintf(line, sizeof line, "valgrind --tool=callgrind --callgrind-out-file=/dev/null '%s' %d %d %lld 2>&1",
             program, row, which, (long long)n);
    if (!(f = popen(line, "r"))) return -1;
    while (fgets(line, sizeof line, f)) sscanf(line, "%*s Collected : %lf", &all);
    return pclose(f) ? -1 : all;
}

int main(int argc, char **argv)
{
    if (argc == 4) return steps(&rows[atoi(argv[1]) % ROWS], atoi(argv[2]), atoll(argv[3]));
    printf("Instructions per step, " ISA ", the force included (valgrind --tool=callgrind)\n\n"
           "%-19s %-15s %10s %10s %7s\n",
           "system", "method", "ours", "by hand", "ratio");
    for (int r = 0; r < ROWS; r++) {
        double each[2];

        for (int i = LIBRARY; i <= LOOP; i++) {
            double few = count(argv[0], r, i, FEW), many = few < 0 ? -1 : count(argv[0], r, i, MANY);

            if (many < 0) return printf("not counted: this takes valgrind\n\n"), 0;
            each[i] = (many - few) / (MANY - FEW);
        }
        printf("%-19s %-15s %10.1f %10.1f %7.2f\n", rows[r].system().system.name, rows[r].method, each[LIBRARY],
               each[LOOP], each[LIBRARY] / each[LOOP]);
    }
    printf("\nThe aim for stormer-verlet on henon-heiles is 64.\n\n");
    return 0;
}
