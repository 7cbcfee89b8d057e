/* constraint.h - the rows of the Jacobian of constraints: which columns, and where their values stand.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * One entry of the array g, written out or in a loop over the members of a family, is one block of rows: the
 * derivatives of a member are the same expressions in all of them, in columns that follow from the indices. */
#ifndef LBR_MODEL_CONSTRAINT_H
#define LBR_MODEL_CONSTRAINT_H
#include "model_inside.h"

typedef struct lbr_rows {
    lbr_entry g;             /* the entry */
    int64_t members, *row;   /* rows of the block: their numbers */
    int n;                   /* derivatives of a member; -1: some are in loops, see `list` */
    lbr_ref *value, *column; /* in this order, which is that of the columns if it is the same for all */
    int64_t *col;            /* columns: of derivative k and member i at k*members + i; -1: it is not there */
    int ordered;             /* columns ascend in all members, and all are there */
    int add;                 /* if not: some member has two in the same column */
    lbr_entry *list;
    int nlist;     /* of one with long sums: its derivatives, which are added, */
    int64_t ncols; /* and how many columns they reach; these are in col */
} lbr_rows;

/* One block for each entry of the array g; freed by the other. 0: no memory, the graph's status is set. */
int lbr_rows_make(lbr_model *m, lbr_rows **rows, int *n);
void lbr_rows_free(lbr_rows *rows, int n);

/* The pattern, in the arena, by rows with ascending columns, and the array of values in this order; -1: no memory. */
int lbr_rows_array(lbr_model *m, const lbr_rows *rows, int n, int64_t **row, int64_t **col);
#endif
