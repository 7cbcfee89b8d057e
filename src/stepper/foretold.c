/* foretold.c - first iterates of equations inside a step, from the same equations in the steps before.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Kept are the last solutions, in a ring. A sum of k terms of differences is one of the last k solutions, with binomial
 * coefficients. How many terms are best is looked at in the first steps, and then now and then: for small systems that
 * would cost as much as it saves. */
#include "foretold.h"
#include "starting.h"

#include <math.h>
#include <string.h>

/* Solutions are kept for seven terms and the difference that tells how good these are; fewer where that would take more
 * than ROOM numbers of a state. Less than FEWEST foretell too little to be worth their room. */
enum { SETS = 8, FEWEST = 4, LOOK = 16, ROOM = 1 << 21 };

/* What is kept: of how many steps, and how many unknowns; terms for both blocks, -1: nothing is foretold; the ring. */
enum { STEPS, UNKNOWNS, TERMS, HEAD = TERMS + 2 };

int64_t lbr_foretold_size(const lbr_atom *a, int64_t sets) { return sets ? HEAD * a->series + sets * a->foretold : 0; }

int64_t lbr_foretold_sets(const lbr_setup *set, int64_t unknowns)
{
    int64_t most = unknowns > 0 ? ROOM / unknowns : 0;

    if (set->starting != LBR_STARTING_AUTO && set->starting != LBR_STARTING_EQUISTAGE) return 0;
    return most < FEWEST ? 0 : most < SETS ? most : SETS;
}

lbr_foretold lbr_foretold_next(lbr_work *w, int64_t n, int64_t split)
{
    lbr_foretold s = { w->series > 0 ? w->foretold : NULL, n, split, w->setup->sets };

    if (s.kept) w->foretold += HEAD + s.sets * n, w->series--;
    return s;
}

static int64_t steps(const lbr_foretold *s)
{
    return s->kept && (int64_t)s->kept[UNKNOWNS] == s->n ? (int64_t)s->kept[STEPS] : 0;
}

/* The solution of j steps before the last one. */
static double *solution(const lbr_foretold *s, int64_t j)
{
    return s->kept + HEAD + (steps(s) - 1 - j) % s->sets * s->n;
}

/* x <- C(k, 1) x_n - C(k, 2) x_{n-1} + ..., k terms. */
static void combine(const lbr_foretold *s, int64_t from, int64_t end, int64_t terms, double *x)
{
    static const double C[SETS][SETS] = {
        { 0 },
        { 1 },
        { 2, -1 },
        { 3, -3, 1 },
        { 4, -6, 4, -1 },
        { 5, -10, 10, -5, 1 },
        { 6, -15, 20, -15, 6, -1 },
        { 7, -21, 35, -35, 21, -7, 1 },
    };
    const double *old[SETS], *c = C[terms], *at = solution(s, 0);

    for (int64_t j = 0; j < terms; j++) old[j] = at, at = at > s->kept + HEAD ? at - s->n : at + (s->sets - 1) * s->n;
    for (int64_t l = from; l < end; l++) {
        double sum = 0;

        for (int64_t j = 0; j < terms; j++) sum += c[j] * old[j][l];
        x[l] = sum;
    }
}

/* Is x further from the last solution than this and the one before are from zero? */
static int is_far(const lbr_foretold *s, int64_t from, int64_t end, const double *x)
{
    const double *last = solution(s, 0), *before = solution(s, 1);
    double change = 0, size = 0;

    for (int64_t l = from; l < end; l++) {
        change = fmax(change, fabs(x[l] - last[l]));
        size = fmax(size, fmax(fabs(last[l]), fabs(before[l])));
    }
    return !(change <= size);
}

static int foretell_block(const lbr_foretold *s, int64_t from, int64_t end, double terms, double *x)
{
    if (terms < 0) return 0;
    combine(s, from, end, (int64_t)terms, x);
    return !is_far(s, from, end, x);
}

int lbr_foretell(const lbr_foretold *s, double *x)
{
    return steps(s) >= 2 && foretell_block(s, 0, s->split, s->kept[TERMS], x) &&
           (s->split == s->n || foretell_block(s, s->split, s->n, s->kept[TERMS + 1], x));
}

/* How many terms would have been best in this step, for a block: -1 where not even three quarters of it would have been
 * foretold, since equations then begin as well without. What is 0 is foretold by any number of terms. */
static double best(const lbr_foretold *s, int64_t from, int64_t end, int64_t many)
{
    double size[SETS] = { 0 }, v[SETS];
    int64_t terms = 0;

    for (int64_t l = from; l < end; l++) {
        for (int64_t j = 0; j < many; j++) v[j] = solution(s, j)[l];
        for (int64_t k = 0; k < many; k++) {
            size[k] = fabs(v[0]) > size[k] ? fabs(v[0]) : size[k];
            for (int64_t j = 0; j + 1 < many - k; j++) v[j] -= v[j + 1];
        }
    }
    for (int64_t k = 1; k < many; k++)
        if (size[k] < size[terms]) terms = k;
    return size[0] == 0 ? 1 : size[terms] < size[0] / 4 ? (double)terms : -1;
}

void lbr_foretold_keep(const lbr_foretold *s, const double *x)
{
    int64_t there = steps(s) + 1, many = there < s->sets ? there : s->sets;

    if (!s->kept) return;
    s->kept[STEPS] = (double)there, s->kept[UNKNOWNS] = (double)s->n;
    memcpy(solution(s, 0), x, (size_t)s->n * sizeof *x);
    if (there > 2 * SETS && there % LOOK) return;
    s->kept[TERMS] = best(s, 0, s->split, many), s->kept[TERMS + 1] = best(s, s->split, s->n, many);
}
