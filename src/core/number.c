/* number.c - %.17g, exactly, at a quarter of its price. SPDX-License-Identifier: BSD-3-Clause
 *
 * 17 digits of x are the integer next to x 10^k with 10^16 <= x 10^k < 10^17. For 0 <= k <= 44 the power is a sum of
 * two doubles exactly, the product is one to 1e-14, and so the next integer is certain unless x 10^k is close to the
 * middle between two of them. The rest is left to printf, of whose output only digits and the exponent are taken: a
 * locale may write the point as it likes. */
#include "number.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dd.h"

enum { DIGITS = 17, MOST = 44 };

static const double ten[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                              1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };

/* x 10^k as an integer-valued double, and what is to be added to it. */
static lbr_dd scaled(double x, int k)
{
    lbr_dd p = k <= 22 ? dd(ten[k]) : dd_prod(ten[22], ten[k - 22]);
    lbr_dd y = dd_prod(x, p.hi);

    return (lbr_dd){ y.hi, y.lo + x * p.lo };
}

/* Digits and exponent of a positive x; 0 if it is not certain. */
static int quick(double x, uint64_t *digits, int *exponent)
{
    int e2, k;
    lbr_dd y;
    double whole, rest;

    if (!(x >= 1e-27 && x < 1e17)) return 0;
    frexp(x, &e2);
    k = DIGITS - 1 - (int)floor((e2 - 1) * 0.30102999566398120); /* right, or one too large */
    if (k > MOST) return 0;
    y = scaled(x, k);
    if (y.hi >= 1e17 && k > 0) y = scaled(x, --k);
    if (!(y.hi > 1e16 && y.hi < 1e17 - 32)) return 0; /* at the edges rounding may change the number of digits */
    whole = floor(y.lo), rest = y.lo - whole;
    if (fabs(rest - 0.5) < 1e-6) return 0;
    *digits = (uint64_t)((int64_t)y.hi + (int64_t)whole + (rest > 0.5));
    *exponent = DIGITS - 1 - k;
    return 1;
}

static void slow(double x, uint64_t *digits, int *exponent)
{
    char text[64];
    const char *e;

    snprintf(text, sizeof text, "%.16e", x);
    e = strchr(text, 'e');
    *digits = 0;
    for (const char *t = text; t < e; t++)
        if (*t >= '0' && *t <= '9') *digits = 10 * *digits + (uint64_t)(*t - '0');
    *exponent = atoi(e + 1);
}

/* The digits as text, and how many remain without zeros at the end. */
static int spell(uint64_t digits, char d[DIGITS + 1])
{
    static const char pairs[] =
        "00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748495051525354"
        "555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";
    uint64_t parts[2] = { digits / 100000000, digits % 100000000 }; /* 9 digits and 8 */
    uint32_t high = (uint32_t)parts[0], low = (uint32_t)parts[1];
    int n = DIGITS;

    for (int i = DIGITS - 2; i >= 9; i -= 2, low /= 100) memcpy(d + i, pairs + 2 * (low % 100), 2);
    for (int i = 7; i >= 1; i -= 2, high /= 100) memcpy(d + i, pairs + 2 * (high % 100), 2);
    d[0] = (char)('0' + high);
    while (n > 1 && d[n - 1] == '0') n--;
    return n;
}

static char *put(char *to, const char *from, int n) { return memcpy(to, from, (size_t)n), to + n; }
static char *zeros(char *to, int n) { return memset(to, '0', (size_t)n), to + n; }

/* Digits d[0..n) with the point behind the first one and an exponent, written as %g does. */
static char *lay_out(char *to, const char *d, int n, int exponent)
{
    if (exponent >= DIGITS || exponent < -4) {
        *to++ = d[0];
        if (n > 1) *to++ = '.', to = put(to, d + 1, n - 1);
        *to++ = 'e', *to++ = exponent < 0 ? '-' : '+';
        exponent = abs(exponent);
        if (exponent >= 100) *to++ = (char)('0' + exponent / 100);
        *to++ = (char)('0' + exponent / 10 % 10), *to++ = (char)('0' + exponent % 10);
    } else if (exponent < 0) {
        to = zeros(put(to, "0.", 2), -exponent - 1);
        to = put(to, d, n);
    } else if (n <= exponent + 1) {
        to = zeros(put(to, d, n), exponent + 1 - n);
    } else {
        to = put(to, d, exponent + 1), *to++ = '.';
        to = put(to, d + exponent + 1, n - exponent - 1);
    }
    return to;
}

size_t lbr_number_write(char text[LBR_NUMBER], double x)
{
    uint64_t digits = 0;
    int exponent = 0;
    char *to = text, d[DIGITS + 1];

    if (isnan(x)) return put(text, "nan", 3), 3;
    if (signbit(x)) *to++ = '-', x = -x;
    if (isinf(x)) return (size_t)(put(to, "inf", 3) - text);
    if (x == 0) return (size_t)(put(to, "0", 1) - text);
    if (!quick(x, &digits, &exponent)) slow(x, &digits, &exponent);
    return (size_t)(lay_out(to, d, spell(digits, d), exponent) - text);
}
