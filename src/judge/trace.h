/* trace.h - what measures and claims are made of: numbers, series over the samples of a run, lists over the runs of a
 * sweep. SPDX-License-Identifier: BSD-3-Clause
 *
 * A value has a shape and one strand, or, as a list, one for each member; a strand has one sample, or, as a series, one
 * for each time. A list of series is both. A number goes with each element of whatever it meets. */
#ifndef LBR_JUDGE_TRACE_H
#define LBR_JUDGE_TRACE_H
#include "language/lower.h"

/* Sample i is at data + i*stride. */
typedef struct lbr_strand {
    int64_t n;       /* samples: 1 where it is no series */
    const double *t; /* their times; NULL where it is no series */
    const double *data;
    int64_t stride;  /* stride 0: the same at all times */
    int missing;     /* of a run that failed, or without a reference: nothing is known of it */
    int unseen;      /* no samples lie there, as in a window beside the run: nothing can be counted */
    double from, to; /* of events: the times between which they were looked for */
} lbr_strand;

typedef struct lbr_trace {
    lbr_shape shape;
    int row;
    int64_t size;        /* numbers in one sample */
    int sampled, listed; /* over times; over runs */
    int64_t members;
    lbr_strand *strand; /* members is 1 where it is no list */
    int stored;         /* the samples of runs are needed for it */
    const char *name;   /* for messages, or NULL */
    int partial, run;
    int64_t first;
    lbr_shape whole; /* some components of a quantity of this shape, which begins at column `first` of a full
                        record: the samples of the run as they are kept */
} lbr_trace;

/* Without data. NULL: no memory. */
lbr_trace *lbr_trace_new(lbr_arena *arena, const lbr_shape *shape, int64_t members);
/* One number. */
lbr_trace *lbr_trace_number(lbr_arena *arena, double x);
/* A copy that needs nothing of the arena in which it was made. */
lbr_trace *lbr_trace_keep(lbr_arena *arena, const lbr_trace *s);
/* The strand that goes with member m of a list. */
const lbr_strand *lbr_trace_strand(const lbr_trace *s, int64_t m);
/* The numbers of sample i that goes with member m. */
const double *lbr_trace_at(const lbr_trace *s, int64_t m, int64_t i);

/* What n values are together: `out` becomes sampled, listed, stored as they are, its strands get numbers of samples and
 * times (but no data). Two lists must be equally long, two series sampled at the same times. `dry`: there are no
 * samples yet. */
lbr_status lbr_trace_fit(lbr_trace *out, const lbr_trace *const *in, int n, int dry, lbr_arena *arena,
                         lbr_message *why);

/* Numbers compared (= ! < l > g, as in LBR_NODE_COMPARE), conditions joined (& |) or turned (~, of a alone), element by
 * element: 1, 0, or NaN where it is unknown, since a number is missing or not one. Of two conditions one decides alone
 * where the other cannot change it: a false one in &, a true one in |. NULL: why; LBR_ENOMEM has no sentence. */
lbr_trace *lbr_trace_join(char op, const lbr_trace *a, const lbr_trace *b, int dry, lbr_arena *arena, lbr_message *why);
/* Whether a condition holds everywhere: 1; 0 where it is false somewhere; else NaN, also where there is nothing. */
double lbr_trace_truth(const lbr_trace *s);

/* |a - b| of n numbers, without overflow on the way. */
double lbr_trace_distance(const double *a, const double *b, int64_t n);

/* --- trace_reduce.c: functions of series ------------------------------------------------------------------------ */

typedef enum {
    LBR_REDUCE_KEEP,    /* a value of the same shape */
    LBR_REDUCE_NUMBERS, /* of numbers a number */
    LBR_REDUCE_NORM,    /* of anything a number */
    LBR_REDUCE_TRUTH,   /* of a condition a number */
    LBR_REDUCE_TIME,    /* of a condition on a series a time */
    LBR_REDUCE_PAIR     /* of two that go together a number */
} lbr_reduction_kind;

typedef struct lbr_reduction {
    const char *name;
    lbr_reduction_kind kind;
    void (*of)(const lbr_strand *x, const lbr_strand *y, int64_t size, double *out);
} lbr_reduction;

/* first last mean min max rms spread drift count when slope exponent; NULL: none of these. */
const lbr_reduction *lbr_reduction_find(const char *name);
/* The names, one after the other; NULL after the last. */
const char *lbr_reduction_name(int i);

/* Over the samples of each series, or else over the members of the list; y: of a PAIR. NULL: why, as there. */
lbr_trace *lbr_trace_reduce(const lbr_reduction *r, const lbr_trace *x, const lbr_trace *y, int dry, lbr_arena *arena,
                            lbr_message *why);
/* The samples with from <= t <= to. */
lbr_trace *lbr_trace_window(const lbr_trace *x, const lbr_trace *from, const lbr_trace *to, int dry, lbr_arena *arena,
                            lbr_message *why);
/* The value at a time, between two samples on the straight line; NaN outside. */
lbr_trace *lbr_trace_interpolate(const lbr_trace *x, const lbr_trace *time, int dry, lbr_arena *arena,
                                 lbr_message *why);
/* Angles of a series, component by component, without jumps: multiples of 2 pi are added so that two samples that
 * follow each other differ by at most pi. What is not finite is left out of this. */
lbr_trace *lbr_trace_unwrap(const lbr_trace *x, int dry, lbr_arena *arena, lbr_message *why);
#endif
