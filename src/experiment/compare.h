/* compare.h - methods side by side: work, and the error at the end against a reference solution.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_EXPERIMENT_COMPARE_H
#define LBR_EXPERIMENT_COMPARE_H
#include "execute/execute.h"
#include "io/json.h"

/* One method with one number of steps. What is not known is NaN. */
typedef struct lbr_compared {
    const char *method; /* canonical */
    double step;
    int64_t steps, evaluations, flows; /* flows: and maps */
    const char *unit;                  /* of evaluations (lbr_evaluations_unit) */
    double seconds;                    /* stepping alone */
    double error;                      /* norm of the difference of the states at the end */
    double energy_error;               /* largest over every step; NaN without an energy */
    double order;                      /* observed, from the row before; NaN where that says nothing */
    int doubtful;                      /* the error is within ten times of the reference's own */
    const char *why;                   /* it has failed, or NULL */
    int nwarnings;
    const char *warning[LBR_WARNINGS]; /* as in its result */
} lbr_compared;

typedef struct lbr_comparison {
    const char *title;  /* of the model, or NULL */
    const lbr_job *job; /* system, start, options; steps of h lead to the end, which all share */
    const char *const *method;
    int nmethods; /* expressions */
    const int64_t *steps;
    int nsteps; /* each 1 or more */
    /* found: */
    double end, reference_error; /* the latter absolute, NaN: there is no reference */
    int64_t n;
    lbr_compared *row;      /* method by method */
    char text[LBR_MESSAGE]; /* why the exit status is not 0 */
    char note[LBR_MESSAGE]; /* what else is to be told, or "" */
    int64_t left_out;       /* points that a picture had no place for */
    lbr_arena arena;
} lbr_comparison;

/* Fills the second half; returns an exit status: 2 for a method that does not fit, before anything is computed; 3 if a
 * row has failed or there is no reference, everything else being there. Free it in any case. */
int lbr_compare(lbr_comparison *c);
void lbr_comparison_free(lbr_comparison *c);

void lbr_comparison_table(const lbr_comparison *c, FILE *out);
void lbr_comparison_json(const lbr_comparison *c, FILE *out);
/* Errors over evaluations, a curve for each method. */
lbr_status lbr_comparison_draw(lbr_comparison *c, const char *path, int keep_script, int force, lbr_message *message);
#endif
