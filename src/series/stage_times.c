/* stage_times.c - Runge-Kutta methods whose stages have times that are not the sums of their rows.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Stage i is at y + h sum_j a_ij F_j and has the time t + c_i h. Where c_i = sum_j a_ij, t is like any component of y,
 * and nothing is new. Where it is not, as of lobatto-3b:2 or radau-1a:1, orders need c as well, with a tree for each
 * way in which leaves are t; and stages at one place are only one where their times are, too: each stage has an H of
 * its own, H(t + c_i h, .), and b_i a_ij + b_j a_ji = b_i b_j is what makes the map symplectic in (q, p), for all pairs
 * of stages whose H are different (the proof of HLW VI.4.2 asks no more). */
#include "analyse.h"

#include <math.h>

int lbr_tableau_timed(const lbr_tableau *t)
{
    for (int64_t i = 0; t->c && i < t->s; i++)
        if (lbr_tableau_place(t, i).hi != t->c[i].hi) return 1;
    return 0;
}

double lbr_timed_asymmetry(const lbr_tableau *t)
{
    double most = 0;

    for (int64_t i = 0; lbr_tableau_timed(t) && i < t->s; i++)
        most = fmax(most, fabs(dd_double(dd_sub(dd_add(t->c[i], t->c[t->s - 1 - i]), dd(1)))));
    return most;
}

/* The times stand in a column of their own, so that equal rows have equal times; that column and its row go away again.
 */
int lbr_timed_symplectic(const lbr_tableau *t, double tolerance, lbr_arena *arena)
{
    int64_t s = t->s, S = s + 1, n;
    lbr_dd *A = lbr_arena_alloc(arena, S * S, sizeof *A), *b = lbr_arena_alloc(arena, S, sizeof *b), *B;
    const lbr_tableau *r;

    if (!A || !b) return -1;
    for (int64_t i = 0; i < s; i++) {
        for (int64_t j = 0; j < s; j++) A[i * S + j] = t->A[i * s + j];
        A[i * S + s] = t->c[i], b[i] = t->b[i];
    }
    A[S * S - 1] = dd(1000);
    if (!(r = lbr_tableau_reduce(&(lbr_tableau){ .s = S, .A = A, .b = b }, arena))) return -1;
    n = r->s - 1;
    if (!(B = lbr_arena_alloc(arena, n * n, sizeof *B))) return -1;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) B[i * n + j] = r->A[i * r->s + j];
    return lbr_symplectic_residual((int)n, B, r->b) <= tolerance;
}
