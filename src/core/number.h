/* number.h - numbers as text that reads back exactly, whatever the locale. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_CORE_NUMBER_H
#define LBR_CORE_NUMBER_H
#include <stddef.h>

enum { LBR_NUMBER = 25 };
/* What printf writes for %.17g in the C locale (nan, inf and -inf for what is not finite), without a 0 at the end; its
 * length. */
size_t lbr_number_write(char text[LBR_NUMBER], double x);

/* hi + lo, lo being less than a last digit of hi, with 34 digits in the same way. */
enum { LBR_NUMBER_PAIR = 48 };
size_t lbr_number_write_pair(char text[LBR_NUMBER_PAIR], double hi, double lo);

/* The nearest number to [sign] digits [. digits] [e [sign] digits], with a digit on at least one side of the point, and
 * where that ends, which is before `end`; where it begins, and *x = 0, if there is no number. */
const char *lbr_number_read(const char *s, const char *end, double *x);
#endif
