/* mistakes.c - errors of a model file, as they are kept and as people read them.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "lex.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static int before(lbr_place a, lbr_place b) { return a.line < b.line || (a.line == b.line && a.column < b.column); }

/* They are kept in the order of the text, whatever found them; beyond the array the first ones. */
void lbr_file_error(lbr_file *file, lbr_place place, const char *format, ...)
{
    int n = file->nerrors < LBR_MOST_ERRORS ? file->nerrors : LBR_MOST_ERRORS, k = n;
    char text[LBR_MESSAGE];
    lbr_error *e;
    va_list ap;

    file->nerrors++;
    while (k > 0 && before(place, file->error[k - 1].place)) k--;
    if (k == LBR_MOST_ERRORS) return;
    for (int i = n < LBR_MOST_ERRORS ? n : LBR_MOST_ERRORS - 1; i > k; i--) file->error[i] = file->error[i - 1];
    e = &file->error[k];
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    e->place = place;
    if (!(e->text = lbr_arena_text(file->arena, text)))
        file->no_memory = 1, e->text = "there is no memory left to say what";
}

/* --- the line that is shown -------------------------------------------------------------------------------------- */

enum { WIDTH = 160, BEFORE = 100, INDENT = 4 }; /* so many characters are shown, so many of them before the caret */

/* Line `line` of the text, without its end. */
static const char *find_line(const lbr_file *file, int line, size_t *n)
{
    const char *s = file->text, *all = file->text + file->size, *end = NULL;

    while (line-- > 1 && (end = memchr(s, '\n', (size_t)(all - s)))) s = end + 1;
    end = s < all ? memchr(s, '\n', (size_t)(all - s)) : NULL;
    if (!end) end = all;
    *n = (size_t)(end - s);
    if (*n && s[*n - 1] == '\r' && end < all) --*n;
    return s;
}

/* What would move the writing about: control characters, and those that turn its direction. */
static int is_unseen(uint32_t c)
{
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x200e || c == 0x200f || (c >= 0x2028 && c <= 0x202e) ||
           (c >= 0x2066 && c <= 0x2069) || c == 0xfeff;
}

/* One character, made visible, to `to`: at most 4 bytes. Gives how many bytes it was. */
static size_t show(const char *s, size_t n, char **to)
{
    uint32_t code = 0;
    size_t m = lbr_lex_character(s, n, &code);
    const char *seen = s;
    char picture[4] = "\xe2\x90"; /* U+2400 and on: pictures of the control characters */
    size_t length = m;

    if (!m || (is_unseen(code) && code >= 0x80)) seen = "\xef\xbf\xbd", length = 3;
    else if (code == '\t') seen = " ";
    else if (is_unseen(code)) picture[2] = (char)(0x80 + (code < 0x20 ? code : 0x21)), seen = picture, length = 3;
    memcpy(*to, seen, length);
    *to += length;
    return m ? m : 1;
}

/* The line around a column, cut where it is too long, and the caret under it. */
static char *show_line(const lbr_file *file, lbr_place place, char *to)
{
    size_t n, i = 0;
    const char *s = find_line(file, place.line, &n);
    int column = 1, from = place.column > WIDTH ? place.column - BEFORE : 1,
        caret = place.column > from ? place.column - from : 0;

    while (i < n && column < from) { /* what is cut off at the left */
        char skipped[4], *t = skipped;

        i += show(s + i, n - i, &t), column++;
    }
    to += sprintf(to, "%*s", INDENT, "");
    if (from > 1) to += sprintf(to, "... "), caret += 4;
    for (column = 0; i < n && column < WIDTH; column++) i += show(s + i, n - i, &to);
    if (i < n) to += sprintf(to, " ...");
    return to + sprintf(to, "\n%*s^", INDENT + caret, "");
}

const char *lbr_file_report(const lbr_file *file, lbr_arena *arena)
{
    int n = file->nerrors < LBR_MOST_ERRORS ? file->nerrors : LBR_MOST_ERRORS;
    size_t size = 100, line = 4 * WIDTH + WIDTH + 100;
    char *text, *to;

    for (int i = 0; i < n; i++) size += strlen(file->name) + strlen(file->error[i].text) + line + 40;
    if (!(text = to = lbr_arena_alloc(arena, (int64_t)size, 1))) return NULL;
    for (int i = 0; i < n; i++) {
        const lbr_error *e = &file->error[i];

        if (i) to += sprintf(to, "\n\n");
        to += sprintf(to, "%s:%d:%d: %s\n", file->name, (int)e->place.line, (int)e->place.column, e->text);
        to = show_line(file, e->place, to);
    }
    if (file->nerrors > n) sprintf(to, "\n\n%d errors; the first %d are shown", file->nerrors, n);
    return text;
}
