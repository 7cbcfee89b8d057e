/* number_pair.c - a sum of two doubles as text, with 34 digits. SPDX-License-Identifier: BSD-3-Clause
 *
 * Digit by digit from whole numbers of any size: |x| = n/d, and a digit is how often d goes into n. */
#include "number.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { DIGITS = 34, LIMBS = 160 }; /* of 32 bits: 10^308 times the bits from 2^-1074 to 2^1024 */

typedef struct whole {
    int n;
    uint32_t limb[LIMBS]; /* the lowest first; n of them, the last one not 0 */
} whole;

static void trim(whole *x)
{
    while (x->n && !x->limb[x->n - 1]) x->n--;
}

/* x <- x f + c. */
static void times(whole *x, uint32_t f, uint32_t c)
{
    uint64_t carry = c;

    for (int i = 0; i < x->n; i++, carry >>= 32) carry += (uint64_t)x->limb[i] * f, x->limb[i] = (uint32_t)carry;
    if (carry) x->limb[x->n++] = (uint32_t)carry;
}

static void ten_to(whole *x, int power)
{
    for (; power >= 9; power -= 9) times(x, 1000000000, 0);
    for (; power > 0; power--) times(x, 10, 0);
}

static void two_to(whole *x, int power)
{
    for (; power >= 31; power -= 31) times(x, UINT32_C(1) << 31, 0);
    times(x, UINT32_C(1) << power, 0);
}

static int compare(const whole *a, const whole *b)
{
    if (a->n != b->n) return a->n < b->n ? -1 : 1;
    for (int i = a->n - 1; i >= 0; i--)
        if (a->limb[i] != b->limb[i]) return a->limb[i] < b->limb[i] ? -1 : 1;
    return 0;
}

/* a <- a - b, or a + b; the result is not negative. */
static void add(whole *a, const whole *b, int minus)
{
    int64_t carry = 0;
    int n = a->n > b->n ? a->n : b->n;

    for (int i = 0; i < n; i++) {
        int64_t x = i < a->n ? a->limb[i] : 0, y = i < b->n ? b->limb[i] : 0;

        carry += minus ? x - y : x + y;
        a->limb[i] = (uint32_t)carry, carry >>= 32;
    }
    a->n = n;
    if (carry > 0) a->limb[a->n++] = (uint32_t)carry;
    trim(a);
}

/* m 2^e, m below 2^53. */
static whole of(double x, int *e)
{
    uint64_t m = (uint64_t)ldexp(frexp(fabs(x), e), 53);
    whole w = { 2, { (uint32_t)m, (uint32_t)(m >> 32) } };

    *e -= 53;
    trim(&w);
    return w;
}

/* |hi + lo| = n/d, where lo is small beside hi. */
static void fraction(double hi, double lo, whole *n, whole *d)
{
    int e, f;
    whole low = of(lo, &f);

    *n = of(hi, &e);
    if (lo == 0) f = e;
    if (e > f) two_to(n, e - f), e = f;
    else two_to(&low, f - e);
    add(n, &low, (hi < 0) != (lo < 0));
    *d = (whole){ 1, { 1 } };
    if (e > 0) two_to(n, e);
    else two_to(d, -e);
}

/* One more in the last place; 1: it has become 1 and zeros, one place further on. */
static int rounded_up(char *digit)
{
    int i = DIGITS - 1;

    while (i >= 0 && digit[i] == '9') digit[i--] = '0';
    if (i >= 0) return digit[i]++, 0;
    digit[0] = '1';
    return 1;
}

/* The digits of n/d; the exponent of the first one. */
static int spell(whole *n, whole *d, int guess, char *digit)
{
    int exponent = guess, half;
    whole ten;

    if (guess > 0) ten_to(d, guess);
    else ten_to(n, -guess);
    for (; compare(n, d) < 0; exponent--) times(n, 10, 0);
    for (ten = *d, times(&ten, 10, 0); compare(n, &ten) >= 0; exponent++) *d = ten, times(&ten, 10, 0);
    for (int i = 0; i < DIGITS; i++, times(n, 10, 0))
        for (digit[i] = '0'; compare(n, d) >= 0; digit[i]++) add(n, d, 1);
    times(d, 5, 0);
    half = compare(n, d);
    return exponent + ((half > 0 || (half == 0 && digit[DIGITS - 1] % 2)) && rounded_up(digit)); /* '0' is even */
}

size_t lbr_number_write_pair(char text[LBR_NUMBER_PAIR], double hi, double lo)
{
    char digit[DIGITS + 1] = "";
    int n = DIGITS, exponent;
    size_t used = hi < 0;
    whole a, b;

    if (!isfinite(hi) || hi == 0) return lbr_number_write(text, hi);
    fraction(hi, isfinite(lo) ? lo : 0, &a, &b);
    exponent = spell(&a, &b, (int)floor(log10(fabs(hi))), digit);
    while (n > 1 && digit[n - 1] == '0') n--;
    if (used) *text = '-';
    if (exponent < -4 || exponent >= DIGITS)
        used += (size_t)sprintf(text + used, "%c%s%.*se%+03d", *digit, n > 1 ? "." : "", n - 1, digit + 1, exponent);
    else if (exponent < 0) used += (size_t)sprintf(text + used, "0.%.*s%.*s", -exponent - 1, "000", n, digit);
    else if (n <= exponent + 1) /* zeros up to the point are digits, too */
        used += (size_t)sprintf(text + used, "%.*s", exponent + 1, digit);
    else used += (size_t)sprintf(text + used, "%.*s.%.*s", exponent + 1, digit, n - exponent - 1, digit + exponent + 1);
    return used;
}
