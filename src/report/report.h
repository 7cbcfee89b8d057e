/* report.h - results of runs, for programs and for people. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_REPORT_REPORT_H
#define LBR_REPORT_REPORT_H
#include "execute/execute.h"
#include "io/json.h"

/* What is told of one run, as keys of an object that the caller has opened; its name and what was measured are the
 * caller's, too. */
void lbr_report_keys(lbr_json *j, const lbr_result *result, const lbr_parameter *const *parameter, int64_t nparameters);

/* The largest error over the size at the start, for vectors by norms; NaN where that is 0, but for rounding, or nothing
 * was watched. */
double lbr_report_relative(const lbr_monitor *monitor);

/* A table, one line for each run; of a single one also where it ended; of more than LBR_MANY a summary. Notes and
 * failures are not in it. */
void lbr_report_table(FILE *out, const lbr_result *const *result, int64_t n);
/* The summary, with more rows: numbers of each run, NaN where there is none. */
typedef struct lbr_report_row {
    const char *name;
    const double *value;
} lbr_report_row;
void lbr_report_summary(FILE *out, const lbr_result *const *result, int64_t n, const lbr_report_row *row,
                        int64_t nrows);
#endif
