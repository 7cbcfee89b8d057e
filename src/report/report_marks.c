/* report_marks.c - the marks of a curve: gnuplot writes an element for each, and here thousands of them are one path.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "report_html.h"

#include <stdio.h>
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

static void put(lbr_text *path, const mark *m)
{
    int n = shapes[m->shape].corners;

    if (!n) lbr_text_format(path, "M%.2f,%.2f", m->x, m->y);
    for (int k = 0; k < n; k++)
        lbr_text_format(path, "%c%.2f,%.2f", k ? 'L' : 'M', m->x + m->size * shapes[m->shape].x[k],
                        m->y + m->size * shapes[m->shape].y[k]);
    if (n) lbr_text_put(path, "Z");
}

static int alike(const mark *a, const mark *b)
{
    return a->shape == b->shape && a->size == b->size && !strcmp(a->colour, b->colour);
}

/* A disc is a line of no length with round ends. */
static void open_path(lbr_text *page, const mark *m)
{
    int r = 0, g = 0, b = 0;

    sscanf(m->colour, "rgb(%d,%d,%d", &r, &g, &b);
    lbr_text_format(page, "<path %s=\"#%02x%02x%02x\"", shapes[m->shape].corners ? "stroke=\"none\" fill" : "stroke",
                    (unsigned)r & 255, (unsigned)g & 255, (unsigned)b & 255);
    if (!shapes[m->shape].corners) lbr_text_format(page, " stroke-linecap=\"round\" stroke-width=\"%g\"", 2 * m->size);
    lbr_text_put(page, " d=\"");
}

const char *lbr_html_marks(lbr_text *page, const char *s)
{
    mark first, m;
    const char *next = one(s, &first);
    lbr_text path = { 0 };

    if (!next) return NULL;
    open_path(page, &first);
    put(&path, &first);
    for (s = next; (next = one(s + strspn(s, " \t\r\n"), &m)) && alike(&first, &m); s = next) put(&path, &m);
    if (path.status) page->status = path.status;
    else lbr_html_path(page, path.text, path.length);
    lbr_text_free(&path);
    lbr_text_put(page, "\"/>");
    return s;
}
