/* plot_marks.c - the marks of a curve in an SVG: gnuplot writes an element for each, and here thousands of them are one
 * path. SPDX-License-Identifier: BSD-3-Clause */
#include "plot_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* gnuplot's marks by their numbers: corners about the middle, for a size of 1; none: a disc. */
static const struct {
    int number, corners;
    double x[4], y[4];
} shapes[] = {
    { 4, 4, { -1, 1, 1, -1 }, { -1, -1, 1, 1 } },
    { 6, 0, { 0 }, { 0 } },
    { 8, 3, { 0, -1.33, 1.33 }, { -1.33, 0.67, 0.67 } },
    { 10, 3, { 0, 1.33, -1.33 }, { 1.33, -0.67, -0.67 } },
    { 12, 4, { 0, 1.41, 0, -1.41 }, { -1.41, 0, 1.41, 0 } },
};

typedef struct mark {
    int shape; /* in the table */
    double x, y, size;
    char colour[40];
} mark;

/* A mark at s as gnuplot writes it: what is behind it, or NULL. */
static const char *one(const char *s, mark *m)
{
    char tag[160];
    size_t n = strcspn(s, ">");
    int end = 0, number = -1;

    if (n >= sizeof tag) return NULL;
    memcpy(tag, s, n), tag[n] = 0;
    if (sscanf(tag, "<use xlink:href='#gpPt%d' transform='translate(%lf,%lf) scale(%lf)' color='%39[rgb(), 0-9]'/%n",
               &number, &m->x, &m->y, &m->size, m->colour, &end) != 5 ||
        (size_t)end != n)
        return NULL;
    for (m->shape = 0; m->shape < (int)(sizeof shapes / sizeof *shapes); m->shape++)
        if (shapes[m->shape].number == number) return s[n] ? s + n + 1 : NULL;
    return NULL;
}

static int alike(const mark *a, const mark *b)
{
    return a->shape == b->shape && a->size == b->size && !strcmp(a->colour, b->colour);
}

/* A length to a hundredth, in as few letters as it needs, and with a point in any locale. */
static void length(lbr_text *ink, double x)
{
    int64_t n = llrint(100 * x), m = n < 0 ? -n : n;

    lbr_text_format(ink, "%s%lld", n < 0 ? "-" : "", (long long)(m / 100));
    if (m % 100) lbr_text_format(ink, m % 10 ? ".%02d" : ".%d", (int)(m % 10 ? m % 100 : m % 100 / 10));
}

static void point(lbr_text *ink, const char *before, double x, double y)
{
    lbr_text_put(ink, before), length(ink, x), lbr_text_put(ink, ","), length(ink, y);
}

/* A disc is a line of no length with round ends. */
static void put(lbr_text *ink, const mark *m, double x, double y)
{
    int n = shapes[m->shape].corners;

    if (!n) point(ink, "M", x, y), lbr_text_put(ink, "h0");
    for (int k = 0; k < n; k++)
        point(ink, k ? "L" : "M", x + m->size * shapes[m->shape].x[k], y + m->size * shapes[m->shape].y[k]);
    if (n) lbr_text_put(ink, "Z");
}

static void open_path(lbr_text *ink, const mark *m)
{
    int r = 0, g = 0, b = 0;

    sscanf(m->colour, "rgb(%d,%d,%d", &r, &g, &b);
    lbr_text_format(ink, "<path %s=\"#%02x%02x%02x\"", shapes[m->shape].corners ? "stroke=\"none\" fill" : "stroke",
                    (unsigned)r & 255, (unsigned)g & 255, (unsigned)b & 255);
    if (!shapes[m->shape].corners)
        lbr_text_put(ink, " stroke-linecap=\"round\" stroke-width=\""), length(ink, 2 * m->size),
            lbr_text_put(ink, "\"");
    lbr_text_put(ink, " d=\"");
}

/* --- many -------------------------------------------------------------------------------------------------------- */

typedef struct spot {
    double x, y;
} spot;

/* By bands of a few units, and along them: what refers to the mark before needs few letters. */
static int along(const void *a, const void *b)
{
    const spot *u = a, *v = b;
    double band = floor(u->y / 4) - floor(v->y / 4), x = u->x - v->x, y = u->y - v->y;

    if (band != 0) return band < 0 ? -1 : 1;
    return x != 0 ? (x < 0 ? -1 : 1) : y < 0 ? -1 : y > 0;
}

/* Marks at the beginning of s, as many as are alike, as one path: what is behind them. NULL: there are none, or none
 * that can be. */
static const char *path(lbr_text *ink, const char *s)
{
    mark first, m;
    const char *next = one(s, &first);
    spot *list = NULL;
    int64_t n = 0, most = 0;
    int good = 1;

    if (!next) return NULL;
    m = first;
    do {
        if ((good = LBR_ROOM(NULL, list, n, most, 1))) list[n++] = (spot){ m.x, m.y };
        s = next;
    } while (good && (next = one(s + strspn(s, " \t\r\n"), &m)) && alike(&first, &m));
    if (good) {
        qsort(list, (size_t)n, sizeof *list, along);
        open_path(ink, &first);
        for (int64_t k = 0; k < n; k++) put(ink, &first, list[k].x, list[k].y);
        lbr_text_put(ink, "\"/>");
    } else ink->status = LBR_ENOMEM;
    lbr_mem_free(list);
    return s;
}

void lbr_svg_marks(lbr_text *ink, const char *svg)
{
    const char *s = svg;

    for (const char *use; !ink->status && (use = strstr(s, "<use "));) {
        const char *next;

        lbr_text_format(ink, "%.*s", (int)(use - s), s);
        next = path(ink, use);
        if (!next) lbr_text_put(ink, "<use ");
        s = next ? next : use + 5;
    }
    lbr_text_put(ink, s);
}
