/* solve.h - nonlinear equations x = g(x), to round-off. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_SOLVE_SOLVE_H
#define LBR_SOLVE_SOLVE_H
#include "libration/observe.h"
#include "iteration.h"

typedef struct lbr_equation {
    int64_t n;
    int (*g)(void *ctx, const double *x, double *out); /* non-zero: failed */
    void *ctx;
    int64_t split;
    double size[2]; /* what a change of x is compared with: before, and from component split */
    int64_t most;   /* iterations */
    int newton;     /* 0: fixed point; 1: Newton; 2: the former, then the latter */
    int64_t worst;  /* out: the component that changed most in the last iteration */
    int64_t iterations;
    double change; /* out: of the last try, relative to the size */
} lbr_equation;

/* Iterates from x until the changes stop shrinking; x is then the solution. `work` has lbr_solve_size doubles.
 * LBR_ENOCONV or LBR_ECALLBACK otherwise. */
lbr_status lbr_solve(lbr_equation *equation, double *x, double *work, lbr_stats *stats);
int64_t lbr_solve_size(int64_t n, int newton);
/* After a call: the x from which it began. */
static inline const double *lbr_solve_first(const lbr_equation *equation, const double *work)
{
    return work + 2 * equation->n;
}

/* Counts `more` iterations of a solve that has had `all` of them by now. */
static inline void lbr_count_iterations(lbr_stats *stats, int64_t more, int64_t all)
{
    stats->iterations += more;
    if (all > stats->worst) stats->worst = all;
}

/* The largest system that Newton's dense matrix is made for; larger ones are solved by products. */
enum { LBR_SOLVE_MATRIX_MOST = 600 };
#endif
