/* instructions.c - machine instructions per step, counted by callgrind. SPDX-License-Identifier: BSD-3-Clause
 *
 *     instructions                 counts, where valgrind is installed
 *     instructions ROW WHO STEPS   what is counted: WHO is 0 for the library, 1 and 2 for the loop written by hand, with vectors and without
 *
 * The difference of two counts is free of everything that happens once. valgrind knows no AVX-512, so force and loop are
 * compiled for x86-64-v3, whatever this machine is. */
#define _POSIX_C_SOURCE 200809L
#ifdef __x86_64__
#define ISA "v3"
#pragma GCC target("avx2,fma,bmi,bmi2")
#else
#define ISA "auto"
#endif
#pragma GCC optimize("no-tree-slp-vectorize")
#define LBR_FLOOR counted                    /* the loop with fma written out */
#include "floors.c"

#include <stdlib.h>

enum { LIBRARY, VECTOR, SCALAR_LOOP, ALL };

static const struct row { const char *method;  int solar;  double h; } rows[] = {
    { "stormer-verlet", 0, 0.1 }, { "rk4", 1, 50 }, { "nystrom-5", 1, 100 },
};
enum { ROWS = sizeof rows / sizeof *rows };

static int loop(const struct row *row, problem *p, int variant, int64_t n)
{
    const floor_row *f = floors_counted;

    while (f->nq != p->system.nq || strcmp(f->method, row->method)) f++;
    return f->run[variant](&p->system, NULL, row->h, n, p->y);
}

static int steps(const struct row *row, int which, int64_t n)
{
    problem p = row->solar ? solar_system() : henon_heiles();
    lbr_options options;
    lbr_plan *plan = NULL;
    int bad = 1;

    lbr_options_init(&options);
    if (which != LIBRARY) return loop(row, &p, which - VECTOR, n);
    if (!lbr_option_set(&options, "isa", ISA) && !lbr_plan_create(&plan, row->method, &p.system, &options))
        bad = lbr_start(plan, p.t0, row->h, p.y) || lbr_run(plan, n, 0, NULL, NULL);
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

    snprintf(line, sizeof line, "valgrind --tool=callgrind --callgrind-out-file=/dev/null '%s' %d %d %lld 2>&1", program, row, which, (long long)n);
    if (!(f = popen(line, "r"))) return -1;
    while (fgets(line, sizeof line, f)) sscanf(line, "%*s Collected : %lf", &all);
    return pclose(f) ? -1 : all;
}

int main(int argc, char **argv)
{
    enum { FEW = 2000, MANY = 12000 };

    if (argc == 4) return steps(&rows[atoi(argv[1])], atoi(argv[2]), atoll(argv[3]));
    printf("Instructions per step, " ISA ", the force included (valgrind --tool=callgrind); by hand with vectors and without\n\n"
           "system              method               ours     vector   scalar   ours / fewest\n");
    for (int r = 0; r < ROWS; r++) {
        double each[ALL];

        for (int i = 0; i < ALL; i++) {
            double few = count(argv[0], r, i, FEW), many = few < 0 ? -1 : count(argv[0], r, i, MANY);

            if (many < 0) return printf("not counted: this takes valgrind\n\n"), 0;
            each[i] = (many - few) / (MANY - FEW);
        }
        printf("%-19s %-15s %9.1f  %9.1f%9.1f   %7.3f\n", rows[r].solar ? "outer-solar-system" : "henon-heiles", rows[r].method, each[0], each[1], each[2],
               each[0] / fmin(each[1], each[2]));
        fflush(stdout);
    }
    printf("\nThe aim for stormer-verlet on Henon-Heiles is 64.\n\n");
    return 0;
}
