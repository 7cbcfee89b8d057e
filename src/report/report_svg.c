/* report_svg.c - a picture of gnuplot's inside a page: only what draws is taken over, and its names become its own.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The picture has texts of the model in it, and many pictures stand in one page. So elements and attributes are copied
 * if they are on a list, everything else is left out, and the names by which elements refer to each other begin with
 * the number of the picture. */
#include "report_html.h"

#include <stdio.h>
#include <string.h>

static const char elements[] = "svg g defs desc title circle ellipse path rect line polygon polyline use text tspan "
                               "filter feFlood feComposite linearGradient stop clipPath";
static const char attributes[] =
    "viewBox class clip-path clip-rule color cx cy d dx dy fill fill-opacity fill-rule filter filterUnits flood-color "
    "flood-opacity font-family font-size font-style font-weight "
    "height in in2 offset opacity operator points r result rx ry stop-color stroke stroke-dasharray stroke-linecap "
    "stroke-linejoin stroke-opacity stroke-width "
    "text-anchor transform width x x1 x2 y y1 y2 xml:space";

typedef struct copying {
    lbr_text *page;
    int number;
} copying;

static void put(lbr_text *t, const char *s, size_t n) { lbr_text_format(t, "%.*s", (int)n, s); }

/* n characters as a word of a list. */
static int listed(const char *list, const char *s, size_t n)
{
    char word[32];

    if (!n || n >= sizeof word) return 0;
    memcpy(word, s, n), word[n] = 0;
    return lbr_text_find(list, word) >= 0;
}

static size_t name_length(const char *s)
{
    return strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:_-");
}

/* A value between quotation marks; '<' cannot be in it, '"' is written otherwise. */
static void value(copying *c, const char *s, size_t n)
{
    for (size_t i = 0; i < n;) {
        size_t plain = strcspn(s + i, "\"<");

        if (plain > n - i) plain = n - i;
        put(c->page, s + i, plain), i += plain;
        if (i < n) lbr_text_put(c->page, s[i++] == '"' ? "&quot;" : "&lt;");
    }
}

static void attribute(copying *c, const char *name, size_t length, const char *s, size_t n)
{
    int refers = n > 1 && *s == '#', points = n > 6 && !strncmp(s, "url(#", 5);

    if (length == 2 && !strncmp(name, "id", 2)) lbr_text_format(c->page, " id=\"p%d-", c->number), value(c, s, n);
    else if (refers && (listed("href xlink:href", name, length)))
        lbr_text_format(c->page, " href=\"#p%d-", c->number), value(c, s + 1, n - 1);
    else if (points && listed("filter clip-path fill", name, length))
        lbr_text_put(c->page, " "), put(c->page, name, length), lbr_text_format(c->page, "=\"url(#p%d-", c->number),
            value(c, s + 5, n - 5);
    else if (listed(attributes, name, length) && !(n > 3 && !strncmp(s, "url", 3)))
        lbr_text_put(c->page, " "), put(c->page, name, length), lbr_text_put(c->page, "=\""), value(c, s, n);
    else return;
    lbr_text_put(c->page, "\"");
}

/* From behind the name of an element to behind its '>'. */
static const char *rest(copying *c, const char *s, int taken)
{
    for (;;) {
        size_t length, n;
        const char *name;

        s += strspn(s, " \t\r\n");
        if (!*s || *s == '>') break;
        if (*s == '/' && s[1] == '>') {
            if (taken) lbr_text_put(c->page, "/");
            s++;
            break;
        }
        if (!(length = name_length(name = s))) {
            s++;
            continue;
        }
        s += length, s += strspn(s, " \t\r\n");
        if (*s != '=') continue;
        s++, s += strspn(s, " \t\r\n");
        if (*s != '"' && *s != '\'') continue;
        n = strcspn(s + 1, *s == '"' ? "\"" : "'");
        if (!s[n + 1]) return s + n + 1;
        if (taken) attribute(c, name, length, s + 1, n);
        s += n + 2;
    }
    if (taken) lbr_text_put(c->page, ">");
    return *s ? s + 1 : s;
}

static const char *element(copying *c, const char *s)
{
    int closing = s[1] == '/';
    const char *name = s + 1 + closing;
    size_t n = name_length(name);
    int taken = listed(elements, name, n);

    if (!strncmp(s, "<title>Gnuplot</title>", 22)) return s + 22;  /* it would be shown beside the pointer */
    if (!n) return s + strcspn(s, ">") + (strchr(s, '>') != NULL); /* <?xml ... ?>, <!-- --> */
    if (taken) lbr_text_put(c->page, closing ? "</" : "<"), put(c->page, name, n);
    return rest(c, name + n, taken);
}

/* --- discs: tens of thousands of them are one path, a dot each --------------------------------------------------- */

typedef struct disc {
    double x, y, r;
    char colour[40];
} disc;

/* A disc at s as gnuplot draws it: what is behind it, or NULL. */
static const char *one_disc(const char *s, disc *d)
{
    char tag[160];
    size_t n = strcspn(s, ">");
    int end = 0;

    if (n >= sizeof tag) return NULL;
    memcpy(tag, s, n), tag[n] = 0;
    if (sscanf(tag, "<use xlink:href='#gpPt6' transform='translate(%lf,%lf) scale(%lf)' color='%39[rgb(), 0-9]'/%n",
               &d->x, &d->y, &d->r, d->colour, &end) != 4 ||
        (size_t)end != n)
        return NULL;
    return s[n] ? s + n + 1 : NULL;
}

/* As many as follow each other in one size and colour; NULL: there is none here. */
static const char *discs(copying *c, const char *s)
{
    disc first, d;
    const char *next = one_disc(s, &first);

    if (!next) return NULL;
    lbr_text_format(c->page,
                    "<path fill=\"none\" stroke=\"%s\" stroke-linecap=\"round\" stroke-width=\"%g\" d=\"M%.6g %.6gh0",
                    first.colour, 2 * first.r, first.x, first.y);
    for (s = next; (next = one_disc(s + strspn(s, " \t\r\n"), &d)) && d.r == first.r && !strcmp(d.colour, first.colour);
         s = next)
        lbr_text_format(c->page, "M%.6g %.6gh0", d.x, d.y);
    lbr_text_put(c->page, "\"/>");
    return s;
}

void lbr_html_svg(lbr_text *page, const char *svg, int number)
{
    copying c = { page, number };
    const char *s = strstr(svg, "<svg");

    while (s && *s) {
        size_t n = strcspn(s, "<");
        const char *next;

        put(page, s, n), s += n;
        next = *s ? discs(&c, s) : NULL;
        if (*s) s = next ? next : element(&c, s);
    }
}
