/* json.h - writing JSON: values with the commas between them put in. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_IO_JSON_H
#define LBR_IO_JSON_H
#include <stdint.h>
#include <stdio.h>

typedef struct lbr_json {
    FILE *out;
    int depth, first;
} lbr_json;

/* key: NULL in lists and outermost. */
void lbr_json_open(lbr_json *j, const char *key, char bracket);
void lbr_json_close(lbr_json *j, char bracket);
void lbr_json_text(lbr_json *j, const char *key,
                   const char *value); /* NULL: null; bytes that are not UTF-8 become U+FFFD */
void lbr_json_number(lbr_json *j, const char *key, double value); /* not finite: null */
/* Lists in lists by a shape, the last index fastest; rank 0: a number. */
void lbr_json_array(lbr_json *j, const char *key, int64_t rank, const int64_t *shape, const double *value);
/* The same of numbers with low parts (NULL: none), with 34 digits. */
void lbr_json_pairs(lbr_json *j, const char *key, int64_t rank, const int64_t *shape, const double *value,
                    const double *low);
void lbr_json_flag(lbr_json *j, const char *key, int value);
#endif
