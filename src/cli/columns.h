/* columns.h - texts for people within the width of a page. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_CLI_COLUMNS_H
#define LBR_CLI_COLUMNS_H
#include <stddef.h>
#include <stdint.h>

enum { PAGE_WIDTH = 100 };

/* Characters, not bytes: continuation bytes of UTF-8 are not counted. */
int text_width(const char *text);
/* A text that stands at column `at` (from 0) already, broken at blanks; lines after the first begin at `indent`. */
void print_wrapped(const char *text, int at, int indent);
/* Whether each of these words, separated by blanks, is somewhere in one of n texts, in capitals or not. No words, or
 * NULL, are in all. */
int texts_have(const char *const *text, size_t n, const char *words);
/* The value of a claim, behind two blanks: [3], [-] where it is no number, of a sweep [least .. largest]; of none,
 * nothing. */
void print_value(int64_t n, const double *value);
#endif
