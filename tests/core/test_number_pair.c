/* test_number_pair.c - sums of two doubles as text with 34 digits (core/number.h). SPDX-License-Identifier:
 * BSD-3-Clause
 */
#include "core/dd.h"
#include "core/number.h"
#include "support/tap.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static double uniform(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (double)(*seed >> 11) * 0x1p-53;
}

static const char *text_of(double hi, double lo)
{
    static char text[LBR_NUMBER_PAIR + 1];

    text[lbr_number_write_pair(text, hi, lo)] = 0;
    return text;
}

static void known(void)
{
    static const struct {
        double hi, lo;
        const char *text;
    } row[] = { { 0, 0, "0" },
                { 1, 0, "1" },
                { -1, 0, "-1" },
                { 0.1, 0, "0.1000000000000000055511151231257827" },
                { 0.5, -0x1p-56, "0.4999999999999999861222121921855432" },
                { 0.5, 0x1p-56, "0.5000000000000000138777878078144568" },
                { 1, 0x1p-110, "1.000000000000000000000000000000001" },
                { 1, -0x1p-120, "1" },
                { -123456, 0.25, "-123455.75" },
                { 1e22, 1, "10000000000000000000001" },
                { 1e33, 0, "999999999999999945575230987042816" },
                { 1e34, 0, "9999999999999999455752309870428160" },
                { 1e35, 0, "9.999999999999999686336610791797555e+34" },
                { 1e-4, 0, "0.0001000000000000000047921736023859296" },
                { 1e-5, 0, "1.00000000000000008180305391403131e-05" },
                { 0x1p-1074, 0, "4.940656458412465441765687928682214e-324" },
                { DBL_MAX, 0, "1.797693134862315708145274237317044e+308" },
                { DBL_MAX, DBL_MAX * 0x1p-54, "1.797693134862315807937289714053023e+308" },
                { INFINITY, 0, "inf" },
                { -INFINITY, 0, "-inf" },
                { NAN, 0, "nan" } };

    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        const char *text = text_of(row[k].hi, row[k].lo);

        ok(!strcmp(text, row[k].text), "%s", text);
    }
}

/* Digits and exponent without zeros at the end, as one text. */
static void reduce(const char *text, char *to)
{
    const char *e = strchr(text, 'e');
    int exponent = e ? atoi(e + 1) : 0, seen = 0, point = 0, n = 0;

    for (; *text && text != e; text++) {
        if (*text == '.') point = 1;
        if (*text < '0' || *text > '9') continue;
        if (!seen && *text != '0') seen = 1, exponent -= point;
        if (seen) to[n++] = *text;
        if (seen && !point && n > 1) exponent++;
        if (!seen && point) exponent--;
    }
    while (n > 1 && to[n - 1] == '0') n--;
    snprintf(to + n, 32, "e%d", exponent);
}

/* Against printf, which rounds exactly, for one double of any size. */
static void as_printf(void)
{
    uint64_t seed = 7;
    int wrong = 0;

    for (int k = 0; k < 20000; k++) {
        char want[64], a[128], b[128];
        double x = ldexp(1 + uniform(&seed), (int)(uniform(&seed) * 2090) - 1070);

        snprintf(want, sizeof want, "%.33e", x);
        reduce(want, a), reduce(text_of(x, 0), b);
        wrong += strcmp(a, b) != 0;
    }
    ok(!wrong, "20000 doubles of all sizes are written as printf does: %d are not", wrong);
}

/* The text of hi + lo, read in two halves. */
static void back(void)
{
    uint64_t seed = 11;
    double worst = 0;

    for (int k = 0; k < 20000; k++) {
        double hi = ldexp(1 + uniform(&seed), (int)(uniform(&seed) * 40) - 20),
               lo = hi * 0x1p-54 * (2 * uniform(&seed) - 1), rest;
        char text[64], digits[64];
        const char *e;
        int n = 0, exponent;
        lbr_dd x = dd(0);

        snprintf(text, sizeof text, "%s", text_of(hi, lo)), reduce(text, digits);
        e = strchr(digits, 'e'), exponent = atoi(e + 1);
        for (; digits + n < e; n++) x = dd_add(dd_mul(x, dd(10)), dd(digits[n] - '0'));
        x = dd_mul(x, exponent >= n - 1 ? dd_pow(dd(10), exponent - n + 1)
                                        : dd_div(dd(1), dd_pow(dd(10), n - 1 - exponent)));
        rest = (x.hi - hi) + (x.lo - lo);
        worst = fmax(worst, fabs(rest / hi));
    }
    ok(worst < 2e-31, "20000 sums are read back to 1e-31: %.2g", worst);
}

int main(void)
{
    known();
    as_printf();
    back();
    return tap_done();
}
