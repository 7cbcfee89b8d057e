/* number_read.c - numbers from text, correctly rounded, whatever the locale. SPDX-License-Identifier: BSD-3-Clause */
#include "number.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { DIGITS = 800 }; /* so many decide how a number is rounded, and whether any follow */

static const char *digits(const char *s, const char *end)
{
    while (s < end && *s >= '0' && *s <= '9') s++;
    return s;
}

/* Where the digits, with a point among them, end; NULL if there are none. */
static const char *mantissa(const char *s, const char *end)
{
    const char *from = s;
    ptrdiff_t n = (s = digits(s, end)) - from;

    if (s < end && *s == '.') from = ++s, s = digits(s, end), n += s - from;
    return n ? s : NULL;
}

/* Where an exponent ends that may be here, and what it is. */
static const char *exponent(const char *s, const char *end, long *e)
{
    const char *from = s;
    int negative;

    *e = 0;
    if (s >= end || (*s != 'e' && *s != 'E')) return s;
    negative = ++s < end && *s == '-';
    if (s < end && (*s == '-' || *s == '+')) s++;
    if (digits(s, end) == s) return from;
    for (; s < end && *s >= '0' && *s <= '9'; s++)
        if (*e < 100000000) *e = 10 * *e + (*s - '0');
    if (negative) *e = -*e;
    return s;
}

/* The digits of [s, end) times 10^e. Few digits and a small power of ten: both are exact, so one operation rounds
 * correctly. Otherwise strtod, with all digits before the point, which a locale could write otherwise. */
static double convert(const char *s, const char *end, long e)
{
    static const double ten[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                  1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
    char buffer[DIGITS + 40];
    size_t n = 0;
    int point = 0, more = 0;
    uint64_t small = 0;

    for (; s < end; s++) {
        if (*s == '.') {
            point = 1;
            continue;
        }
        if (n > 0 || *s != '0') {
            if (n < 16) small = 10 * small + (uint64_t)(*s - '0');
            if (n < DIGITS) buffer[n++] = *s;
            else more |= *s != '0', e++;
        }
        e -= point;
    }
    if (n < 16 && e >= -22 && e <= 22) return e < 0 ? (double)small / ten[-e] : (double)small * ten[e];
    if (more) buffer[n++] = '1', e--;
    snprintf(buffer + n, sizeof buffer - n, "e%ld", e);
    return n ? strtod(buffer, NULL) : 0;
}

const char *lbr_number_read(const char *s, const char *end, double *x)
{
    int negative = s < end && *s == '-';
    const char *from = s + (s < end && (*s == '-' || *s == '+')), *stop = mantissa(from, end);
    long e;

    *x = 0;
    if (!stop) return s;
    s = exponent(stop, end, &e);
    *x = convert(from, stop, e);
    if (negative) *x = -*x;
    return s;
}
