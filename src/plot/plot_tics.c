/* plot_tics.c - the numbers along an axis: as many as have room, and all logarithmic axes alike.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "plot_parts.h"

#include <math.h>
#include <stdio.h>

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

/* Which multiples of powers of ten have a number: where there are few powers, some or all of the others too. */
static const char *const multiples[] = { "1", "125", "123456789" };

static int tics(const lbr_axis *axis, const char *which, lbr_text *ink)
{
    double lo = fmin(axis->lo, axis->hi) * (1 - 1e-9), hi = fmax(axis->lo, axis->hi) * (1 + 1e-9);
    int n = 0;

    for (int e = (int)floor(log10(lo)); e <= (int)ceil(log10(hi)); e++)
        for (const char *m = which; *m; m++) {
            double v = (*m - '0') * pow(10, e);

            if (v < lo || v > hi) continue;
            if (ink && *m == '1') lbr_text_format(ink, "%s'10^{%d}' ", n ? ", " : "", e);
            else if (ink)
                lbr_text_format(ink,
                                "%s'%c\xc2\xb7"
                                "10^{%d}' ",
                                n ? ", " : "", *m, e);
            if (ink) lbr_ink_number(ink, fmin(fmax(v, lo * (1 + 2e-9)), hi * (1 - 2e-9))); /* gnuplot rounds too */
            n++;
        }
    return n;
}

/* Powers of ten, whatever the length; gnuplot leaves some out of very many. */
static void logarithmic(lbr_text *ink, const lbr_axis *axis, const char *name, double cm, int level)
{
    int k = 0;

    lbr_text_format(ink, "set logscale %s 10\n", name);
    while (k < 3 && tics(axis, multiples[k], NULL) < (k ? 2 : 3)) k++;
    if (k == 3) {
        linear(ink, axis, name, cm, level); /* hardly a part of a decade */
        return;
    }
    lbr_text_format(ink, "set format %s '10^{%%L}'\n", name);
    if (!k) return;
    lbr_text_format(ink, "set %stics (", name);
    tics(axis, multiples[k], ink);
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
