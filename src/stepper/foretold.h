/* foretold.h - first iterates of equations inside a step, from the same equations in the steps before (HLW VIII.6.15).
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * In a composition, and wherever else a step is more than the stages of one tableau, equations are solved at several
 * places of the schedule. At each place the solutions of steps of equal length are a smooth function of the number of
 * the step, and so the next one is foretold by backward differences:
 *
 *     x_{n+1} ~ x_n + D x_n + D^2 x_n + ...,    D x_n = x_n - x_{n-1}
 *
 * The error that a sum of k of these terms would have made in the step before is D^k x_n. So as many are taken as would
 * have been best there, in each of two blocks of unknowns. Where none would, because the step is too long for that,
 * nothing is foretold, and the equations begin as they would without; and so they do where a sum would go further away
 * from the last solution than that is large: differences that are as large as that no longer tell anything, and where
 * equations have another solution far away, it might be found. */
#ifndef LBR_STEPPER_FORETOLD_H
#define LBR_STEPPER_FORETOLD_H
#include "stepper.h"

/* One series of solutions, of n unknowns, the second block from `split` on. kept NULL: there is no room for it. */
typedef struct lbr_foretold {
    double *kept;
    int64_t n, split, sets;
} lbr_foretold;

/* The next series that this place of the schedule keeps; an atom asks for them in the same order each time. */
lbr_foretold lbr_foretold_next(lbr_work *work, int64_t n, int64_t split);

/* 1: x is what is foretold. 0: nothing is, and what is in x is of no use. */
int lbr_foretell(const lbr_foretold *series, double *x);
/* x is the solution of this step. */
void lbr_foretold_keep(const lbr_foretold *series, const double *x);

/* Doubles that a place of the schedule keeps for this atom, if it keeps so many sets. */
int64_t lbr_foretold_size(const lbr_atom *atom, int64_t sets);
/* How many sets there shall be, for so many unknowns at all places together; 0: none. */
int64_t lbr_foretold_sets(const lbr_setup *setup, int64_t unknowns);
#endif
