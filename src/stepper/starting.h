/* starting.h - starting values of implicit steps from the steps before (HLW VIII.6.1).
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The equations of a step are Z_i = h sum_j a_ij F_j. The first iterate is made of the F of earlier steps, which an
 * implicit method keeps in its state, and perhaps of the field at further places:
 *
 *     Z_i = h sum_l sum_j S^l_ij F_{j,n-1-l} + h sum_m nu_im G_m
 *     G_m = f(t_{n-1} + mu_m h, y_n + h sum_j M_mj F_{j,n-1} + h sum_k N_mk G_k)
 *
 * Most ways foretell the F of the next step, by matrices E^l, and put them into the equations: S^l = A E^l, or A A E^l
 * where the stages of momenta are eliminated. In the first steps, when not enough is known, the continuous output of
 * the last step is prolonged; before the very first one F is taken for constant. */
#ifndef LBR_STEPPER_STARTING_H
#define LBR_STEPPER_STARTING_H
#include "stepper.h"

/* As the values of option starting_values. */
typedef enum {
    LBR_STARTING_AUTO,
    LBR_STARTING_FIELD,     /* the field at y_n */
    LBR_STARTING_OUTPUT,    /* (A): the continuous output of the last step, prolonged (6.4) */
    LBR_STARTING_ONE_CALL,  /* (B), order s + 1 (6.7) */
    LBR_STARTING_TWO_CALLS, /* (B), order s + 2 */
    LBR_STARTING_EQUISTAGE, /* (C): each stage from those of the same number (6.15) */
    LBR_STARTING_TWO_STEP,  /* the stages of the last two steps (7.1) */
    LBR_STARTING_GIVEN      /* no option: F is what the caller takes for that of this step (foretold.h) */
} lbr_starting_way;

typedef struct lbr_starting {
    lbr_starting_way way; /* not auto */
    int64_t s, older;     /* stages; so many sets of F are kept beside that of the last step */
    int64_t extras;       /* so many G */
    int64_t matrices;     /* s x s each: for the first steps; and then for the last step, and for the one before */
    int foretells;        /* 1: the later matrices are E; 0: S itself */
    const lbr_dd *E;
    const lbr_dd *mu, *M, *N, *nu; /* extras; extras x s; extras x extras; s x extras */
} lbr_starting;

/* Does the tableau integrate polynomials of degree s - 1 up to each stage: C(s)? */
int lbr_starting_curve(int64_t s, const lbr_dd *place, const lbr_dd *A);

/* A way for stages at these places; A: of the tableau, or NULL where the equations are others, or two tableaux take
 * part; curve: the stages lie on a common curve, as with C(s). LBR_EUNFIT: this way does not go with this method. */
lbr_status lbr_starting_make(lbr_starting **starting, int way, int64_t s, const lbr_dd *place, const lbr_dd *A,
                             int curve, lbr_arena *arena, lbr_message *message);

/* All S, without h, for equations with the matrix A; twice: with A A. NULL: out of memory. */
lbr_dd *lbr_starting_values(const lbr_starting *starting, const lbr_dd *A, int twice, lbr_arena *arena);

/* Those of lbr_irk_starting.differences, outside templates. */
void lbr_starting_foretell(lbr_irk_starting *b, int64_t s, int64_t rates, int64_t split, const double *F, double *next,
                           double *now);

/* What a trajectory keeps for it, in numbers of the state: G, n numbers each; `older` sets of F, `rates` numbers each;
 * how many of them are there, and whether the continuous output alone was nearer. */
enum { LBR_STARTING_STANDS = 2 };
static inline int64_t lbr_starting_kept(const lbr_starting *q, int64_t rates, int64_t n)
{
    return q->extras * n + q->older * rates + LBR_STARTING_STANDS;
}
#endif
