/* report_path.c - the path of a curve in fewer letters: from point to point, to a tenth of a unit, and without points
 * that nobody would miss. SPDX-License-Identifier: BSD-3-Clause */
#include "report_html.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { AHEAD = 48 };              /* points that one straight line may replace */
static const double unseen = 0.2; /* a unit is at most a pixel and a half on a screen, and a line as wide */

typedef struct spot {
    double x, y;
} spot;

/* --- numbers ----------------------------------------------------------------------------------------------------- */

/* What is before a number: a letter, or a number with a point or without. */
typedef enum { LETTER, WHOLE, POINTED } before;

/* So many tenths: 12.3, .5, -7. A sign needs no blank before it, nor does a second point. */
static before tenths(lbr_text *page, int64_t n, before what)
{
    int64_t m = n < 0 ? -n : n;
    int bare = m < 10 && m;

    lbr_text_put(page, n < 0 ? "-" : what == LETTER || (what == POINTED && bare) ? "" : " ");
    if (!bare) lbr_text_format(page, "%lld", (long long)(m / 10));
    if (m % 10) lbr_text_format(page, ".%d", (int)(m % 10));
    return m % 10 ? POINTED : WHOLE;
}

typedef struct pen {
    lbr_text *page;
    int64_t x, y, from_x, from_y; /* where it is, and where its line began, in tenths */
    before what;
    char last; /* the letter of the command before */
} pen;

static void go(pen *p, char how, spot to)
{
    int64_t x = llrint(10 * to.x), y = llrint(10 * to.y);

    if (how == 'l' && x == p->x && y == p->y) return;
    if (how == 'l') how = y == p->y ? 'h' : x == p->x ? 'v' : 'l';
    if (how != p->last || how == 'm') lbr_text_format(p->page, "%c", how), p->what = LETTER;
    if (how != 'v') p->what = tenths(p->page, x - p->x, p->what);
    if (how != 'h') p->what = tenths(p->page, y - p->y, p->what);
    p->x = x, p->y = y, p->last = how;
    if (how == 'm') p->from_x = x, p->from_y = y;
}

/* --- points that are on the way ---------------------------------------------------------------------------------- */

/* How far p is from the straight way between a and b. */
static double aside(spot a, spot b, spot p)
{
    double dx = b.x - a.x, dy = b.y - a.y, length = dx * dx + dy * dy,
           share = length > 0 ? ((p.x - a.x) * dx + (p.y - a.y) * dy) / length : 0;

    share = fmin(fmax(share, 0), 1);
    return hypot(p.x - a.x - share * dx, p.y - a.y - share * dy);
}

static int straight(const spot *s, int64_t from, int64_t to)
{
    for (int64_t k = from + 1; k < to; k++)
        if (aside(s[from], s[to], s[k]) > unseen) return 0;
    return 1;
}

/* From one point to the farthest that can be reached straight. */
static void line(pen *p, const spot *s, int64_t n)
{
    go(p, 'm', s[0]);
    for (int64_t i = 0, j; i < n - 1; i = j) {
        for (j = i + 1; j + 1 < n && j - i < AHEAD && straight(s, i, j + 1); j++)
            ;
        go(p, 'l', s[j]);
    }
    if (n == 1) lbr_text_put(p->page, "h0"), p->last = 'h';
}

/* --- from text to text ------------------------------------------------------------------------------------------- */

/* The number at *s, and what is behind it; 0: there is none. */
static int number(const char **s, double *x)
{
    char *end;

    *s += strspn(*s, " ,\t\r\n");
    *x = strtod(*s, &end);
    if (end == *s || !(fabs(*x) < 1e7)) return 0;
    *s = end;
    return 1;
}

/* A polyline "x,y L x,y ...", behind its M: its points, at most `most` of them. */
static int64_t polyline(const char **s, spot *spots, int64_t most)
{
    int64_t n = 0;

    while (n < most && number(s, &spots[n].x) && number(s, &spots[n].y)) {
        n++;
        *s += strspn(*s, " \t\r\n");
        if (**s == 'L') ++*s;
        else if (!strchr("0123456789.-", **s)) break;
    }
    return n;
}

/* Only M, L and Z with numbers behind them are read, and h0 behind a point alone. A decimal comma would be the
 * locale's: numbers have points. */
int lbr_html_path(lbr_text *page, const char *d, size_t length)
{
    char *text = lbr_mem_alloc(length + 1);
    spot *spots = lbr_mem_alloc((length / 3 + 2) * sizeof *spots);
    pen p = { .page = page };
    lbr_text out = { 0 };
    const char *s = text;
    int good = text && spots;

    if (!good) page->status = LBR_ENOMEM;
    if (good) memcpy(text, d, length), text[length] = 0, p.page = &out;
    while (good && *(s += strspn(s, " \t\r\n"))) {
        if (*s == 'Z' || *s == 'z') s++, lbr_text_put(&out, "z"), p.last = 'z', p.x = p.from_x, p.y = p.from_y;
        else if (*s == 'M') {
            int64_t n = (s++, polyline(&s, spots, (int64_t)(length / 3 + 2)));

            if ((good = n > 0)) line(&p, spots, n);
            if (n == 1 && !strncmp(s, "h0", 2)) s += 2; /* a disc */
        } else good = 0;
    }
    if (out.status) page->status = out.status;
    else if (good) lbr_text_put(page, out.text ? out.text : "");
    lbr_mem_free(text), lbr_mem_free(spots), lbr_text_free(&out);
    return good;
}
