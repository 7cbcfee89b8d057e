/* dd.c - double-double numbers as text, and roots. SPDX-License-Identifier: BSD-3-Clause */
#include "dd.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static lbr_dd ten_to(int n)
{
    lbr_dd r = dd(1), ten = dd(10);

    for (int k = abs(n); k > 0; k >>= 1, ten = dd_mul(ten, ten))
        if (k & 1) r = dd_mul(r, ten);
    return n < 0 ? dd_div(dd(1), r) : r;
}

/* x <- x - (x^n - a)/(n x^(n-1)), from a double approximation; twice is enough. */
lbr_dd lbr_dd_root(lbr_dd a, int n)
{
    lbr_dd x = dd(pow(a.hi, 1.0 / n));

    for (int k = 0; k < 3; k++) {
        lbr_dd y = dd_pow(x, n - 1);
        x = dd_sub(x, dd_div(dd_sub(dd_mul(y, x), a), dd_scale(n, y)));
    }
    return x;
}

/* One unsigned decimal number; returns the first character after it, or NULL. */
static const char *decimal(const char *s, lbr_dd *value)
{
    lbr_dd v = dd(0);
    int digits = 0, point = 0, exponent = 0;

    for (; isdigit((unsigned char)*s) || (*s == '.' && digits && !point && isdigit((unsigned char)s[1])); s++) {
        if (*s == '.') {
            point = 1;
            continue;
        }
        v = dd_add(dd_scale(10, v), dd(*s - '0'));
        if (++digits > 400) return NULL;
        exponent -= point;
    }
    if (!digits) return NULL;
    if (*s == 'e' || *s == 'E') {
        char *end;
        long e = strtol(s + 1, &end, 10);
        if (end == s + 1 || e > 300 || e < -300) return NULL;
        exponent += (int)e;
        s = end;
    }
    if (exponent > 0) v = dd_mul(v, ten_to(exponent));
    if (exponent < 0) v = dd_div(v, ten_to(-exponent));
    *value = v;
    return s;
}

int lbr_dd_read(const char *text, lbr_dd *value)
{
    int negative;
    lbr_dd a, b;

    if (!text) return -1;
    while (isspace((unsigned char)*text)) text++;
    negative = *text == '-';
    if (*text == '-' || *text == '+') text++;
    if (!(text = decimal(text, &a))) return -1;
    if (*text == '/') {
        if (!(text = decimal(text + 1, &b)) || b.hi == 0) return -1;
        a = dd_div(a, b);
    }
    while (isspace((unsigned char)*text)) text++;
    if (*text || !isfinite(a.hi)) return -1;
    *value = negative ? dd_neg(a) : a;
    return 0;
}

/* Adds one unit in the last place of a string of decimal digits; 1 if it overflowed to 10...0. */
static int round_up(char *digit, int n)
{
    while (n-- > 0) {
        if (digit[n]++ < '9') return 0;
        digit[n] = '0';
    }
    digit[0] = '1';
    return 1;
}

const char *lbr_dd_write(lbr_dd a, int digits, char text[LBR_DD_TEXT])
{
    char digit[40];
    int e, n = digits < 1 ? 1 : digits > 34 ? 34 : digits;
    lbr_dd x = dd_abs(a);

    if (a.hi == 0) return strcpy(text, "0");
    if (!isfinite(a.hi)) return strcpy(text, "nan");
    e = (int)floor(log10(x.hi));
    x = e > 0 ? dd_div(x, ten_to(e)) : dd_mul(x, ten_to(-e));
    if (dd_less(x, dd(1))) x = dd_scale(10, x), e--;
    if (!dd_less(x, dd(10))) x = dd_div(x, dd(10)), e++;
    for (int i = 0; i <= n; i++) {
        int d = (int)floor(x.hi);
        if (d == x.hi && x.lo < 0) d--;
        d = d < 0 ? 0 : d > 9 ? 9 : d;
        digit[i] = (char)('0' + d);
        x = dd_scale(10, dd_sub(x, dd(d)));
    }
    if (digit[n] >= '5' && round_up(digit, n)) e++;
    while (n > 1 && digit[n - 1] == '0') n--;
    digit[n] = 0;
    if (e >= 0 && e < n)
        sprintf(text, "%s%.*s%s%s", a.hi < 0 ? "-" : "", e + 1, digit, n > e + 1 ? "." : "", digit + e + 1);
    else if (e < 0 && e >= -5) sprintf(text, "%s0.%.*s%s", a.hi < 0 ? "-" : "", -1 - e, "00000", digit);
    else sprintf(text, "%s%c%s%se%d", a.hi < 0 ? "-" : "", digit[0], n > 1 ? "." : "", digit + 1, e);
    return text;
}
