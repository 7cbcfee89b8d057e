/* pattern.h - the pattern of a sparse matrix that a caller gives, checked. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_CORE_PATTERN_H
#define LBR_CORE_PATTERN_H
#include "text.h"

/* m rows: of row i the elements row[i] .. row[i + 1] - 1 of nnz, in columns col, ascending, of n. */
typedef struct lbr_pattern {
    int64_t m, n, nnz;
    const int64_t *row, *col;
} lbr_pattern;

/* whose: "the constraints'"; columns: "positions". */
lbr_status lbr_pattern_check(const lbr_pattern *p, const char *whose, const char *columns, lbr_message *m);
#endif
