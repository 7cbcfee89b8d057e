/* iteration.h - when an iteration is at its end: one rule, and the numbers in it. SPDX-License-Identifier: BSD-3-Clause
 *
 * Equations are solved to round-off, with no tolerance to choose (HLW VIII.6): an iteration goes on as long as what it
 * measures becomes smaller. It measures either its increments, relative to the size of the unknowns, or the residuals
 * of its equations, in units of the rounding with which they are evaluated. When the measure no longer shrinks, the
 * equations are solved if it is small, and the iteration goes on if it is not, until it has used all the iterations
 * that it may.
 *
 * The text of this file stands in the source of compiled kernels too (stepper/fuse.c): it needs <math.h> and nothing
 * else. The templates (*.inc) take the numbers and LBR_SETTLED from it. */
#ifndef LBR_SOLVE_ITERATION_H
#define LBR_SOLVE_ITERATION_H
#include <math.h>

/* --- numbers ----------------------------------------------------------------------------------------------------- */

/* An increment that no longer shrinks is small up to here: 1024 units of rounding, since sums over stages and
 * components, and the Lipschitz constant of a field, add up to some hundreds. */
#define LBR_NOISE 0x1p-42

/* An increment up to here is what rounding leaves, eight units of it: an iteration that converges slowly is at its end
 * here and not before, however small its increments have become. */
#define LBR_EXACT 0x1p-49

/* An increment that no longer shrinks and is not small may be rounding that is larger than expected, as where a field
 * depends on the last digits of a large angle, or where momenta are as small as the rounding of forces because all has
 * come to rest. What rounding does to a field is seen by changing every number by four units of it: a change by a
 * single one may be lost in the field's first operation. */
#define LBR_NUDGED (1 + 0x1p-50)

/* An iteration runs away if it measures as much as this: no iteration comes back from there, and whatever is made of
 * such numbers (squares, products of four) is still finite. */
#define LBR_FAR 1e60

/* What increments are compared with is at least so large: below, the distance between numbers is no longer relative to
 * them. */
#define LBR_SMALLEST 0x1p-980

/* Residuals in units of their own rounding: up to the first there is nothing left to be solved, since a sum of a few
 * terms is as uncertain as that. Beyond the second they have not been solved, whether they shrink or not: rounding of a
 * thousand units would have to come from a thousand terms. */
#define LBR_FINE 4.0
#define LBR_POOR 1000.0

/* So many times in a row the measure has to stay as large as its least value before (times LBR_SHRUNK, since some
 * iterations creep) until it is asked whether that is rounding: iterations in which two kinds of unknowns take turns
 * come down only every second time. */
#define LBR_PATIENCE 4
#define LBR_SHRUNK   0.99

/* The equations of Newton's method are solved only where their residual, relative to the unknowns, is below this, or
 * as small as rounding leaves it there: a matrix that was taken far away, or by differences that are too wide, can make
 * increments small that should not be. */
#define LBR_NEAR 0x1p-26

/* Steps of a Newton method that halves its steps until they help: it doubles the digits near the solution, and from
 * far away each step gains something, so that more would not help either. */
#define LBR_DAMPED_MOST 60

/* An iteration whose changes are below this is so near its end that small corrections, of the size of rounding, need
 * not be worked out anew. */
#define LBR_ROUGH 0x1p-12

/* Whether unknowns of this size are far from any solution: where rounding makes more noise in what the equations make
 * of them than they can bear, F is either nothing but rounding (all is at rest), or what is made is much larger than
 * they are. Rounding excuses nothing there. */
#define LBR_BEARABLE 0x1p-10
static inline int lbr_is_far(double noise, double size, double made)
{
    return noise > LBR_BEARABLE * size && noise < LBR_BEARABLE * made;
}

/* The size with which changes of a block are compared, so that what rounding does to it is noise: the size for which
 * `noise`, the most that the nudge does to its unknowns, is as much as an increment may be that is small. */
static inline double lbr_noise_size(double noise, double size, double made)
{
    return lbr_is_far(noise, size, made) || !(noise / LBR_NOISE > LBR_SMALLEST) ? LBR_SMALLEST : noise / LBR_NOISE;
}

/* --- the rule ---------------------------------------------------------------------------------------------------- */

/* Is the iteration at its end, with what it measured now? Up to `fine` in any case; up to `small` if it no longer
 * shrinks: `over`. No NaN is an end. */
#define LBR_SETTLED(now, over, fine, small) ((now) <= (fine) || ((over) && (now) <= (small)))

/* An iteration and its rule. It begins as one of those below; who needs another rule changes fine, small or far. */
typedef struct lbr_iteration {
    double fine, small, far; /* as in LBR_SETTLED; what runs away */
    int turns;               /* unknowns may take turns: see lbr_iteration_put */
    double now, last;        /* what was measured, and the time before */
    int halt, over;          /* of lbr_iteration_put */
    double least;            /* the smallest so far */
    int stalls, n;           /* how often in a row it was not below that; how many were measured */
} lbr_iteration;

typedef enum { LBR_GOES_ON, LBR_IS_SETTLED, LBR_RUNS_AWAY, LBR_STALLS } lbr_course;

/* Measured are increments of a fixed-point iteration, relative to the unknowns: only one that is zero ends it before
 * they stop shrinking. */
static inline lbr_iteration lbr_increments_begin(void)
{
    return (lbr_iteration){ 0, LBR_NOISE, LBR_FAR, 1, INFINITY, INFINITY, 0, 0, INFINITY, 0, 0 };
}

/* Measured are increments of Newton's method, in which no unknowns take turns. */
static inline lbr_iteration lbr_newton_begin(void)
{
    return (lbr_iteration){ 0, LBR_NOISE, LBR_FAR, 0, INFINITY, INFINITY, 0, 0, INFINITY, 0, 0 };
}

/* Measured are residuals, in units of their own rounding, of a Newton method. */
static inline lbr_iteration lbr_residuals_begin(void)
{
    return (lbr_iteration){ LBR_FINE, LBR_POOR, LBR_FAR, 0, INFINITY, INFINITY, 0, 0, INFINITY, 0, 0 };
}

/* The parts of the rule, for iterations that measure two things at once.
 *
 * What is measured now no longer shrinks, `over`, if it is not below what was measured last. That is enough where no
 * unknowns take turns. In a fixed-point iteration two kinds often do, such as positions and momenta: the measure comes
 * down only every second time, or goes up and down while it becomes smaller on the whole. There a halt is a measure
 * that is not below the smaller one of the two before. At the level of rounding two halts in a row are the end; above,
 * where more can be lost, the least measure must not have become smaller for LBR_PATIENCE iterations. A slow iteration
 * goes up and down slowly: it is given an eighth of the iterations so far in addition. */
static inline void lbr_iteration_put(lbr_iteration *i, double now)
{
    const int halt = now >= i->now || now >= i->last, over = now >= i->now;

    i->last = i->now, i->now = now, i->n++;
    if (now < LBR_SHRUNK * i->least) i->least = now, i->stalls = 0;
    else i->stalls++;
    if (!i->turns) i->over = over;
    else
        i->over = halt && i->stalls >= i->n / 8 + (now <= LBR_EXACT ? 0 : LBR_PATIENCE) && (now > LBR_EXACT || i->halt);
    i->halt = halt;
}
static inline int lbr_iteration_settled(const lbr_iteration *i)
{
    return LBR_SETTLED(i->now, i->over, i->fine, i->small);
}
static inline int lbr_iteration_away(const lbr_iteration *i) { return !(i->now < i->far); }
/* 1: it has not become smaller for LBR_PATIENCE iterations, of which it then forgets. */
static inline int lbr_iteration_stalls(lbr_iteration *i) { return i->stalls < LBR_PATIENCE ? 0 : (i->stalls = 0, 1); }

/* What to do after an iteration that has measured `now`. LBR_STALLS: it goes on, but whoever can tell rounding from
 * the rest should look. */
static inline lbr_course lbr_iteration_next(lbr_iteration *i, double now)
{
    lbr_iteration_put(i, now);
    if (lbr_iteration_settled(i)) return LBR_IS_SETTLED;
    if (lbr_iteration_away(i)) return LBR_RUNS_AWAY;
    return lbr_iteration_stalls(i) ? LBR_STALLS : LBR_GOES_ON;
}

/* Is it solved, where all iterations have been used? What still shrinks has to be down to rounding: of an iteration
 * that creeps much more is left than its last increment. */
static inline int lbr_iteration_small(const lbr_iteration *i)
{
    return lbr_iteration_settled(i) || (i->now <= i->small && (i->fine > 0 || i->now <= LBR_EXACT));
}
#endif
