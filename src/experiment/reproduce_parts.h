/* reproduce_parts.h - inside: an experiment while it is reproduced. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_EXPERIMENT_REPRODUCE_PARTS_H
#define LBR_EXPERIMENT_REPRODUCE_PARTS_H
#include "reproduce.h"
#include "execute/executing.h"

typedef struct lbr_reproducer {
    const lbr_reproducing *how;
    lbr_source source;
    lbr_experiment x;
    lbr_judgement *j;
    lbr_reproduction *out;
    double *cost;
    char *wanted; /* of each run */
    int strict;   /* a claim that nothing must break is an error */
} lbr_reproducer;

/* Claims by their texts, before anything runs; after the runs, what the report shows: runs, tables, pictures,
 * parameters. Exit statuses. */
int lbr_reproduce_names(lbr_reproducer *p);
int lbr_reproduce_show(lbr_reproducer *p);
#endif
