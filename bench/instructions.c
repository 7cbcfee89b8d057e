/* instructions.c - machine instructions per step on Henon-Heiles, counted by callgrind. SPDX-License-Identifier: BSD-3-Clause
 *
 *     instructions             counts, where valgrind is installed
 *     instructions WHO STEPS   what is counted: WHO is 0 for the library, 1 for the loop written by hand
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

enum { LIBRARY, LOOP };
static const char *const who[] = { "Libration, all checks on", "loop written by hand" };

static int steps(int which, int64_t n)
{
    problem p = henon_heiles();
    lbr_options options;
    lbr_plan *plan = NULL;
    int bad = 1;

    lbr_options_init(&options);
    if (which == LOOP) return floors_counted[0].run[1](&p.system, NULL, p.h, n, p.y);
    if (!lbr_option_set(&options, "isa", ISA) && !lbr_plan_create(&plan, "stormer-verlet", &p.system, &options))
        bad = lbr_start(plan, p.t0, p.h, p.y) || lbr_run(plan, n, 0, NULL, NULL);
    if (bad) fputs(lbr_plan_message(plan), stderr);
    lbr_plan_free(plan);
    return bad;
}

/* Instructions of a whole run of this program; -1: not counted. */
static double count(const char *program, int which, int64_t n)
{
    char line[1024];
    double all = -1;
    FILE *f;

    snprintf(line, sizeof line, "valgrind --tool=callgrind --callgrind-out-file=/dev/null '%s' %d %lld 2>&1", program, which, (long long)n);
    if (!(f = popen(line, "r"))) return -1;
    while (fgets(line, sizeof line, f)) sscanf(line, "%*s Collected : %lf", &all);
    return pclose(f) ? -1 : all;
}

int main(int argc, char **argv)
{
    enum { FEW = 10000, MANY = 60000 };

    if (argc == 3) return steps(atoi(argv[1]), atoll(argv[2]));
    printf("Instructions per step: stormer-verlet on Henon-Heiles, " ISA ", the force included (valgrind --tool=callgrind)\n\n");
    for (int i = LIBRARY; i <= LOOP; i++) {
        double few = count(argv[0], i, FEW), many = few < 0 ? -1 : count(argv[0], i, MANY);

        if (many < 0) return printf("not counted: this takes valgrind\n\n"), 0;
        printf("%-26s %6.1f\n", who[i], (many - few) / (MANY - FEW));
    }
    printf("\nThe aim is 64.\n\n");
    return 0;
}
