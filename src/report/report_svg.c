/* report_svg.c - a picture of gnuplot's inside a page: only what draws is taken over, and its names become its own.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The picture has texts of the model in it, and many pictures stand in one page. So elements and attributes are copied
 * if they are on a list, everything else is left out, and the names by which elements refer to each other begin with
 * the number of the picture. What draws nothing is left out too: definitions that nobody refers to, empty groups,
 * attributes that say what holds anyway. */
#include "report_html.h"

#include <stdio.h>
#include <string.h>

static const char elements[] = "svg g defs title circle ellipse path rect line polygon polyline use text tspan "
                               "filter feFlood feComposite linearGradient stop clipPath";
static const char attributes[] =
    "viewBox clip-path clip-rule color cx cy d dx dy fill fill-opacity fill-rule filter filterUnits flood-color "
    "flood-opacity font-family font-size font-style font-weight "
    "height in in2 offset opacity operator points r result rx ry shape-rendering stop-color stroke stroke-dasharray "
    "stroke-linecap "
    "stroke-linejoin stroke-opacity stroke-width "
    "text-anchor transform width x x1 x2 y y1 y2 xml:space";

/* What holds where nothing is said: by itself, or since the style of the page says so. */
static const struct {
    const char *name, *value;
} usual[] = {
    { "stroke-linecap", "butt" }, { "stroke-linejoin", "miter" }, { "font-family", "sans-serif" },
    { "fill", "none" },           { "color", "black" },           { "stroke", "currentColor" },
    { "stroke-width", "0.66" },   { "font-size", "12.00" },
};
enum { FOR_ALL = 3 }; /* the first ones hold everywhere, the others of groups ... */

/* ... but of those with texts, of which the style says this, g[text-anchor], and of paths: tics have this colour. */
static const struct {
    const char *name, *value;
} usual_of_text[] = { { "stroke", "none" }, { "fill", "rgb(34,34,34)" } },
  usual_of_path = { "stroke", "rgb( 85,  85,  85)" };

typedef struct copying {
    lbr_text *page;
    int number;
    const char *svg, *defs, *defs_end; /* NULL: it has none */
    int in_text;                       /* blanks between elements count there */
    int in_group, in_path;             /* in the tag of one */
    int of_text;                       /* of one with texts, which says how these are aligned */
    uint64_t bare_spans, bare_groups;  /* of those that are open the ones without attributes; the last is bit 0 */
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

static void colour(copying *c, unsigned r, unsigned g, unsigned b)
{
    int twice = r % 17 == 0 && g % 17 == 0 && b % 17 == 0; /* #222222 is #222 */

    lbr_text_format(c->page, twice ? "#%x%x%x" : "#%02x%02x%02x", twice ? r / 17 : r, twice ? g / 17 : g,
                    twice ? b / 17 : b);
}

/* A value between quotation marks; '<' cannot be in it, '"' is written otherwise. */
static void value(copying *c, const char *s, size_t n)
{
    int r, g, b, end = 0;

    if (n < 24 && sscanf(s, "rgb(%d,%d,%d)%n", &r, &g, &b, &end) == 3 && (size_t)end == n && !((r | g | b) & ~255)) {
        colour(c, (unsigned)r, (unsigned)g, (unsigned)b);
        return;
    }
    for (size_t i = 0; i < n;) {
        size_t plain = strcspn(s + i, "\"<");

        if (plain > n - i) plain = n - i;
        put(c->page, s + i, plain), i += plain;
        if (i < n) lbr_text_put(c->page, s[i++] == '"' ? "&quot;" : "&lt;");
    }
}

static int is(const char *s, size_t n, const char *word) { return strlen(word) == n && !strncmp(s, word, n); }

static int is_usual(const copying *c, const char *name, size_t length, const char *s, size_t n)
{
    for (int k = 0; k < 2 && c->of_text; k++)
        if (is(name, length, usual_of_text[k].name)) return is(s, n, usual_of_text[k].value);
    if (c->in_path && is(name, length, usual_of_path.name)) return is(s, n, usual_of_path.value);
    for (size_t k = 0; k < (c->in_group ? sizeof usual / sizeof *usual : FOR_ALL); k++)
        if (is(name, length, usual[k].name) && is(s, n, usual[k].value)) return 1;
    return 0;
}

/* --- what is referred to ----------------------------------------------------------------------------------------- */

/* The name that the element at s has, within its tag: its length, 0 if it has none. */
static size_t id_of(const char *s, const char **id)
{
    size_t tag = strcspn(s, ">");
    const char *at = strstr(s, " id=");

    if (!at || at > s + tag || (at[4] != '"' && at[4] != '\'')) return 0;
    *id = at + 5;
    return name_length(at + 5);
}

static int in_defs(const copying *c, const char *s) { return c->defs_end && s > c->defs && s < c->defs_end; }

/* Whether something refers to this name that is drawn itself: what is inside of <defs> is, if it is referred to. */
static int wanted(const copying *c, const char *id, size_t n, int depth)
{
    for (const char *s = c->svg; n && depth < 4 && (s = strchr(s, '#')); s++) {
        const char *tag = s, *other = NULL;
        size_t m;

        if (name_length(s + 1) != n || strncmp(s + 1, id, n)) continue;
        if (!in_defs(c, s)) return 1;
        while (tag > c->defs && *tag != '<') tag--;
        if ((m = id_of(tag, &other)) && wanted(c, other, m, depth + 1)) return 1;
    }
    return 0;
}

/* --- elements ---------------------------------------------------------------------------------------------------- */

static void attribute(copying *c, const char *name, size_t length, const char *s, size_t n)
{
    int refers = n > 1 && *s == '#', points = n > 6 && !strncmp(s, "url(#", 5);

    if (is_usual(c, name, length, s, n)) return;
    if (is(name, length, "id")) {
        if (!wanted(c, s, n, 0)) return;
        lbr_text_format(c->page, " id=\"p%d-", c->number), value(c, s, n);
    } else if (is(name, length, "d")) {
        lbr_text_put(c->page, " d=\"");
        if (in_defs(c, s) || !lbr_html_path(c->page, s, n)) value(c, s, n);
    } else if (refers && (listed("href xlink:href", name, length)))
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

/* Behind the end of the element at s, whatever is in it. */
static const char *behind(const char *s, const char *name, size_t n)
{
    const char *end = s + strcspn(s, ">");

    if (!*end || end[-1] == '/') return *end ? end + 1 : end;
    for (; (end = strstr(end, "</")); end += 2)
        if (name_length(end + 2) == n && !strncmp(end + 2, name, n)) return end + strcspn(end, ">") + 1;
    return s + strlen(s);
}

/* The white page itself: the page around it is white there. */
static int is_page(const char *s)
{
    static const char corner[] = "<rect x=\"0\" y=\"0\" ";

    return !strncmp(s, corner, strlen(corner)) && strcspn(s, "#") < strcspn(s, ">") &&
           !strncmp(strchr(s, '#'), "#ffffff", 7);
}

/* Where the copy goes on if the element at s is left out with all that is in it; NULL: it is not. */
static const char *left_out(const copying *c, const char *s, const char *name, size_t n)
{
    const char *id = NULL, *inside;
    size_t m;

    if (is(name, n, "desc") || is_page(s)) return behind(s, name, n);
    if (is(name, n, "tspan") && !strncmp(s + strcspn(s, ">"), "></tspan>", 9)) return behind(s, name, n);
    if (in_defs(c, s)) return (m = id_of(s, &id)) && !wanted(c, id, m, 0) ? behind(s, name, n) : NULL;
    if (!is(name, n, "g")) return NULL;
    inside = s + strcspn(s, ">"), inside += *inside != 0, inside += strspn(inside, " \t\r\n");
    return !strncmp(inside, "</g>", 4) ? inside + 4 : NULL;
}

/* Whether a word occurs in a tag. */
static int says(const char *tag, const char *word)
{
    const char *at = strstr(tag, word);

    return at && at < tag + strcspn(tag, ">");
}

/* What is in the tag whose name is at s. */
static void enter(copying *c, const char *s, size_t n)
{
    c->in_group = is(s, n, "g"), c->in_path = is(s, n, "path") && !in_defs(c, s);
    c->of_text = c->in_group && says(s, "text-anchor=");
}

static const char *tag(copying *c, const char *s, size_t n, int closing)
{
    lbr_text_put(c->page, closing ? "</" : "<"), put(c->page, s, n);
    enter(c, s, n);
    return rest(c, s + n, 1);
}

/* A span or a group whose name is at s, or its end: one without attributes does nothing. */
static const char *maybe_bare(copying *c, const char *s, size_t n, int closing, uint64_t *open)
{
    size_t before = c->page->length;
    int bare;

    if (closing) {
        bare = *open & 1, *open >>= 1;
        return bare ? rest(c, s + n, 0) : tag(c, s, n, 1);
    }
    s = tag(c, s, n, 0);
    if ((bare = c->page->length == before + n + 2)) c->page->text[c->page->length = before] = 0;
    *open = *open << 1 | (uint64_t)bare;
    return s;
}

static const char *element(copying *c, const char *s)
{
    int closing = s[1] == '/';
    const char *name = s + 1 + closing, *next;
    size_t n = name_length(name);
    int taken = listed(elements, name, n);

    if (!strncmp(s, "<title>Gnuplot</title>", 22)) return s + 22;  /* it would be shown beside the pointer */
    if (!n) return s + strcspn(s, ">") + (strchr(s, '>') != NULL); /* <?xml ... ?>, <!-- --> */
    if (!closing && (next = left_out(c, s, name, n))) return next;
    if (is(name, n, "text") || is(name, n, "title")) c->in_text = !closing;
    if (is(name, n, "g")) return maybe_bare(c, name, n, closing, &c->bare_groups);
    if (is(name, n, "tspan")) return maybe_bare(c, name, n, closing, &c->bare_spans);
    return taken ? tag(c, name, n, closing) : rest(c, name + n, 0);
}

/* ----------------------------------------------------------------------------------------------------------------- */

void lbr_html_svg(lbr_text *page, const char *svg, int number)
{
    copying c = { .page = page, .number = number, .svg = svg, .defs = strstr(svg, "<defs>") };
    const char *s = strstr(svg, "<svg");

    c.defs_end = c.defs ? strstr(c.defs, "</defs>") : NULL;
    while (s && *s) {
        size_t n = strcspn(s, "<");

        if (c.in_text || strspn(s, " \t\r\n") < n) put(page, s, n);
        s += n;
        if (*s) s = element(&c, s);
    }
}
