/* data_file.h - a matrix of numbers from a text file. SPDX-License-Identifier: BSD-3-Clause
 *
 * One row per line; fields are separated by blanks or by one comma (blanks around it do not count). From # on a line is
 * a comment; empty lines do not count; a first line of words is skipped. A number may be written 1, -1.5, +.5, 2.,
 * 1e-3, 1E5, and is rounded correctly whatever the locale. Messages say the line and the field, and never show what
 * stands there. */
#ifndef LBR_SYNTAX_DATA_FILE_H
#define LBR_SYNTAX_DATA_FILE_H
#include "core/text.h"

enum { LBR_TABLE_BYTES = 256 << 20, LBR_TABLE_NUMBERS = LBR_TABLE_BYTES / 8 }; /* of the text; of the matrix */

/* By rows; free *data with lbr_mem_free. On failure *data is NULL: LBR_EARG, LBR_ENOMEM. */
lbr_status lbr_table_parse(const char *text, size_t size, double **data, int64_t *rows, int64_t *columns,
                           lbr_message *message);
/* The same of a regular file (or a link to one); anything else is refused and cannot make it wait. */
lbr_status lbr_table_read(const char *path, double **data, int64_t *rows, int64_t *columns, lbr_message *message);
#endif
