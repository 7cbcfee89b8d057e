/* plot_tics.c - the numbers along an axis: as many as have room, and all logarithmic axes alike.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "plot_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double letter = 0.2, between = 0.35; /* cm */

static void number_line(lbr_text *ink, const char *before, double x, const char *behind)
{
    lbr_text_format(ink, "%s", before);
    lbr_ink_number(ink, x);
    lbr_text_format(ink, "%s", behind);
}

/* --- linear axes ------------------------------------------------------------------------------------------------- */

/* Digits that tell neighbours apart. */
static int digits_of(const lbr_axis *axis)
{
    double width = fabs(axis->hi - axis->lo), most = fmax(fabs(axis->lo), fabs(axis->hi));
    int digits = (int)ceil(log10(most / width)) + 3;

    return digits < 6 ? 6 : digits > 16 ? 16 : digits;
}

/* 1, 2 or 5 times a power of ten: the k-th from 1e-300 upwards. */
static double round_step(int k)
{
    static const double mantissa[] = { 1, 2, 5 };

    return mantissa[k % 3] * pow(10, k / 3 - 300);
}

/* How long the numbers at both ends are; of the multiples of a step. */
static double label_length(const lbr_axis *axis, double step)
{
    int longest = 0;

    for (int side = 0; side < 2; side++) {
        double end = rint((side ? axis->hi : axis->lo) / step) * step;
        int n = snprintf(NULL, 0, "%.*g", digits_of(axis), fabs(end) < 1e-9 * step ? 0 : end);

        longest = n > longest ? n : longest;
    }
    return longest * letter + between;
}

/* The smallest round step between whose multiples there is room, on an axis of so many cm; with none of them in the
 * picture, a step with which one is, alone. */
static void linear(lbr_text *ink, const lbr_axis *axis, const char *name, double cm, int level)
{
    double lo = fmin(axis->lo, axis->hi), hi = fmax(axis->lo, axis->hi), width = hi - lo, step = 0, alone;
    int k = 3 * (int)(floor(log10(width)) + 297);

    lbr_text_format(ink, "set format %s '%%.%dh'\n", name, digits_of(axis));
    if (!(width > 1e-280 && width < 1e280)) return; /* gnuplot's own will do */
    for (k = k < 0 ? 0 : k; k < 1800; k++) {
        step = round_step(k);
        if (step / width * cm >= (level ? fmax(1.1, label_length(axis, step)) : 0.75)) break;
    }
    if (floor(hi / step) >= ceil(lo / step)) {
        lbr_text_format(ink, "set %stics ", name);
        number_line(ink, "", step, "\n");
        return;
    }
    for (; k > 0 && floor(hi / step) < ceil(lo / step); k--) step = round_step(k - 1);
    alone = rint((lo / 2 + hi / 2) / step) * step;
    lbr_text_format(ink, "set %stics (", name);
    number_line(ink, "", alone >= lo && alone <= hi ? alone : ceil(lo / step) * step, ")\n");
}

/* --- logarithmic axes -------------------------------------------------------------------------------------------- */

/* Which multiples of powers of ten have a number, which others have a mark without one; of the powers themselves, each
 * so-many-th has a number. */
typedef struct marks {
    const char *numbers, *minor;
    int every;
} marks;

static const char times[] = "\xc2\xb7";

static void one_tic(lbr_text *ink, int first, int number, int digit, int e, double v)
{
    lbr_text_put(ink, first ? "" : ", ");
    if (!number) lbr_text_put(ink, "'' ");
    else if (digit == 1) lbr_text_format(ink, "'10^{%d}' ", e);
    else lbr_text_format(ink, "'%d%s10^{%d}' ", digit, times, e);
    number_line(ink, "", v, number ? "" : " 1");
}

/* Writes them into a list, if there is ink; how many have a number. */
static int tics(const lbr_axis *axis, const marks *m, lbr_text *ink)
{
    double lo = fmin(axis->lo, axis->hi) * (1 - 1e-9), hi = fmax(axis->lo, axis->hi) * (1 + 1e-9);
    int n = 0, all = 0;

    for (int e = (int)floor(log10(lo)); e <= (int)ceil(log10(hi)); e++)
        for (int digit = 1; digit <= 9; digit++) {
            double v = digit * pow(10, e),
                   inside = fmin(fmax(v, lo * (1 + 2e-9)), hi * (1 - 2e-9)); /* gnuplot rounds */
            int number = strchr(m->numbers, '0' + digit) && e % m->every == 0;

            if (v < lo || v > hi || (!number && !strchr(m->minor, '0' + digit))) continue;
            if (ink) one_tic(ink, !all, number, digit, e, inside);
            n += number, all++;
        }
    return n;
}

/* Of an axis with so many cm for a decade: numbers that have room, and marks that can be told apart. */
static marks of_decades(const lbr_axis *axis, double cm, int level)
{
    static const int every[] = { 1, 2, 5, 10, 20, 50, 100, 200 };
    double most = fmax(fabs(log10(axis->lo)), fabs(log10(axis->hi)));
    double need = level ? (2 + (most >= 99.5 ? 2.8 : most >= 9.5 ? 2.1 : 1.4)) * letter + between : 0.75;
    marks m = { "1", "", 1 };
    size_t k = 0;

    while (k + 1 < sizeof every / sizeof *every && every[k] * cm < need) k++;
    do m.every = every[k];
    while (k-- && !tics(axis, &m, NULL));
    m.minor = m.every == 1 ? "23456789" : cm > 0.12 ? "1" : "";
    return m;
}

static void logarithmic(lbr_text *ink, const lbr_axis *axis, const char *name, double cm, int level)
{
    marks few[] = { { "1", "", 1 }, { "125", "346789", 1 }, { "123456789", "", 1 } };
    int k = 0;

    lbr_text_format(ink, "set logscale %s 10\n", name);
    while (k < 3 && tics(axis, few + k, NULL) < (k ? 2 : 3)) k++;
    if (k == 3) {
        linear(ink, axis, name, cm, level); /* hardly a part of a decade */
        return;
    }
    if (!k) few[0] = of_decades(axis, cm / fabs(log10(axis->hi) - log10(axis->lo)), level);
    lbr_text_format(ink, "set format %s '10^{%%L}'\nset %stics (", name, name);
    tics(axis, few + k, ink);
    lbr_text_format(ink, ")\n");
}

void lbr_plot_tics(lbr_text *ink, const lbr_axis *axis, const char *name, double cm, int level)
{
    lbr_text_format(ink, "set %srange ", name);
    number_line(ink, "[", axis->lo, ":");
    number_line(ink, "", axis->hi, "] noextend\n");
    if (axis->log) logarithmic(ink, axis, name, cm, level);
    else linear(ink, axis, name, cm, level);
}
