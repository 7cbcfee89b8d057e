/* report.h - results of runs, for programs and for people. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_REPORT_REPORT_H
#define LBR_REPORT_REPORT_H
#include "execute/execute.h"
#include "io/json.h"

/* One run as an object; `name` is in it if the run has one, `model` if it has none (then it is the whole answer). The
 * caller closes it, so that claims may follow: lbr_json_close(j, '}'). */
void lbr_report_open(lbr_json *j, const lbr_result *result);

/* A table, one line for each run; of a single one also where it ended. Notes and failures are not in it. */
void lbr_report_table(FILE *out, const lbr_result *const *result, int64_t n);
#endif
