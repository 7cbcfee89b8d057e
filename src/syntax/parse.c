/* parse.c - a file, statement by statement; errors, and how to go on after one.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "parse.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* --- memory ------------------------------------------------------------------------------------------------------ */

/* Nodes and names are small and many: they are cut from larger pieces of the arena. */
int lbr_parse_starved(lbr_parser *p)
{
    p->status = LBR_ENOMEM, p->failed = 1;
    return 0;
}

void *lbr_parse_memory(lbr_parser *p, int64_t count, size_t size)
{
    enum { PIECE = 1 << 16, LARGE = 1 << 12 };
    size_t bytes = ((size_t)count * size + 7) / 8 * 8;
    void *m = NULL;

    if (bytes > LARGE) m = lbr_arena_alloc(p->file->arena, count, size);
    else {
        if (bytes > p->pool_left) p->pool = lbr_arena_alloc(p->file->arena, PIECE, 1), p->pool_left = PIECE;
        if ((m = p->pool)) p->pool += bytes, p->pool_left -= bytes;
    }
    if (!m) p->pool_left = 0, lbr_parse_starved(p);
    return m;
}

const char *lbr_parse_text(lbr_parser *p, size_t from, size_t to)
{
    char *s = lbr_parse_memory(p, (int64_t)(to - from + 1), 1);

    return s ? memcpy(s, p->lex.text + from, to - from) : NULL;
}

const char *lbr_parse_token_text(lbr_parser *p)
{
    const lbr_token *t = &p->lex.token;
    const char *s = p->lex.text + t->from, *end = p->lex.text + t->to;
    char *text, *to;

    if (t->kind != LBR_TOKEN_STRING) return lbr_parse_text(p, t->from, t->to);
    if (!(text = to = lbr_parse_memory(p, end - s, 1))) return NULL;
    for (s++, end--; s < end; s++) {
        if (*s == '\\') s++;
        *to++ = *s;
    }
    return text;
}

const char *lbr_parse_source(lbr_parser *p, size_t from)
{
    const char *s = p->lex.text + from, *end = p->lex.text + p->lex.last.to;
    char *text = s < end ? lbr_parse_memory(p, end - s + 1, 1) : NULL, *to = text;
    int string = 0;

    if (!text) return NULL;
    for (; s < end; s++) {
        if (*s == '"') string = !string;
        if (string && *s == '\\') *to++ = *s++;
        if (!string && *s == '#')
            while (s + 1 < end && s[1] != '\n') s++;
        else if (string || !strchr(" \t\r\n", *s)) *to++ = *s;
        else if (to[-1] != ' ') *to++ = ' ';
    }
    return text;
}

void lbr_parse_add(lbr_parser *p, lbr_statement *s, const lbr_item *item)
{
    if (LBR_PARSE_ROOM(p, s->item, s->n, p->items_size)) s->item[s->n++] = *item;
}

/* --- errors ------------------------------------------------------------------------------------------------------ */

void *lbr_parse_fail(lbr_parser *p, lbr_place place, const char *format, ...)
{
    va_list ap;

    if (p->failed) return NULL;
    p->failed = 1, p->place = place;
    va_start(ap, format);
    vsnprintf(p->message, sizeof p->message, format, ap);
    va_end(ap);
    return NULL;
}

static void describe(const lbr_parser *p, char *buffer, size_t size)
{
    const lbr_token *t = &p->lex.token;
    int n = (int)(t->to - t->from < 40 ? t->to - t->from : 40);

    if (t->kind == LBR_TOKEN_END) snprintf(buffer, size, "the end of the text");
    else if (t->kind == LBR_TOKEN_LINE) snprintf(buffer, size, "the end of the line");
    else if (t->kind == LBR_TOKEN_STRING) snprintf(buffer, size, "a string");
    else snprintf(buffer, size, "'%.*s'", n, p->lex.text + t->from);
}

/* What cannot be read says so itself; a closing bracket too many is just that; after a comma or an operator at the end
 * of the text, that is the place. */
void *lbr_parse_expected(lbr_parser *p, const char *what)
{
    const lbr_lexer *x = &p->lex;
    int kind = x->token.kind;
    char found[80];

    if (kind == LBR_TOKEN_BAD) {
        p->certain |= !p->failed;
        return lbr_parse_fail(p, x->token.place, "%s", x->problem);
    }
    if (kind == LBR_TOKEN_END && lbr_lex_goes_on(x->last.kind))
        return lbr_parse_fail(p, x->last.place, "expected %s after '%.*s', found the end of the text", what,
                              (int)(x->last.to - x->last.from), x->text + x->last.from);
    if (kind == LBR_TOKEN_AGAINST)
        return lbr_parse_fail(p, x->token.place,
                              "expected %s, found 'against', which belongs after the condition of a claim", what);
    describe(p, found, sizeof found);
    return lbr_parse_fail(p, x->token.place, "expected %s, found %s", what, found);
}

int lbr_parse_accept(lbr_parser *p, int kind)
{
    if (p->lex.token.kind != kind) return 0;
    lbr_lex_next(&p->lex);
    return 1;
}

int lbr_parse_expect(lbr_parser *p, int kind, const char *what)
{
    if (lbr_parse_accept(p, kind)) return 1;
    lbr_parse_expected(p, what);
    return 0;
}

int lbr_parse_deeper(lbr_parser *p, lbr_place place)
{
    if (++p->depth <= LBR_NESTING) return 1;
    p->certain |= !p->failed;
    lbr_parse_fail(p, place,
                   "this nests more than %d levels deep, which is the limit: give parts of it names with 'let'",
                   LBR_NESTING);
    return 0;
}

int lbr_parse_is(const lbr_parser *p, const char *word)
{
    const lbr_token *t = &p->lex.token;
    size_t n = strlen(word);

    return t->kind == LBR_TOKEN_NAME && t->to - t->from == n && !memcmp(p->lex.text + t->from, word, n);
}

/* --- going on after an error ------------------------------------------------------------------------------------- */

static int begins(const lbr_parser *p)
{
    const lbr_lexer *x = &p->lex;

    return x->line.place.line > p->line &&
           lbr_parse_begins(x->text + x->line.from, x->size - x->line.from, x->line.last.kind == ',');
}

/* A name after a comma is one that the statement declares, or does no harm. */
static void known(lbr_parser *p, lbr_statement *s)
{
    lbr_item item = { .target.place = p->lex.token.place };

    if (p->lex.token.kind != LBR_TOKEN_NAME || p->lex.last.kind != ',') return;
    if ((item.target.name = lbr_parse_token_text(p))) lbr_parse_add(p, s, &item);
}

/* To the next statement: the end of this one, or, where a bracket or a comma has swallowed that, a line that begins
 * like one. Gives 1 if the `open` brackets of the error were closed on the way. */
static int skip(lbr_parser *p, lbr_statement *s, int open)
{
    lbr_lexer *x = &p->lex;
    int closed = x->depth < open;

    if (begins(p)) return lbr_lex_restart(x), closed;
    while (x->token.kind != LBR_TOKEN_END && x->token.kind != LBR_TOKEN_LINE) {
        if (x->token.from == x->line.from && begins(p)) break;
        known(p, s);
        lbr_lex_next(x);
        if (x->depth < open) closed = 1;
    }
    x->depth = 0;
    return closed;
}

static int is_opening(int kind) { return kind == '(' || kind == '[' || kind == '{'; }

/* Reports the error of a statement, which is another one if a bracket is never closed, or if it ran into the next
 * statement. */
static void recover(lbr_parser *p, lbr_statement *s)
{
    lbr_lexer *x = &p->lex;
    int open = x->depth - is_opening(x->token.kind), wrong = x->token.stray ? x->token.kind : 0, swallowed = begins(p);
    lbr_token last = x->line.last;
    lbr_place place = p->place;
    char bracket = 0;

    if (open > LBR_NESTING + 1) open = LBR_NESTING + 1;
    if (open > 0) bracket = x->open[open - 1].bracket, place = x->open[open - 1].place;
    if (!skip(p, s, open) && open > 0 && !p->certain) {
        if (wrong)
            lbr_file_error(p->file, place, "the bracket '%c' is never closed: '%c' comes before", bracket, wrong);
        else lbr_file_error(p->file, place, "the bracket '%c' is never closed", bracket);
    } else if (swallowed && open == 0 && !p->certain)
        lbr_file_error(p->file, last.place,
                       "after '%.*s' the statement goes on in the next line, but there another one begins",
                       (int)(last.to - last.from), x->text + last.from);
    else lbr_file_error(p->file, p->place, "%s", p->message);
}

/* --- the file ---------------------------------------------------------------------------------------------------- */

static void add_statement(lbr_parser *p, const lbr_statement *s, int *size)
{
    lbr_file *f = p->file;

    if (LBR_PARSE_ROOM(p, f->statement, f->nstatements, *size)) f->statement[f->nstatements++] = *s;
}

/* What may follow a statement as far as it has been read. */
static const char *what_follows(const lbr_statement *s)
{
    if (s->n > 0)
        return s->item[s->n - 1].value ? "an operator, ',' or the end of the statement"
                                       : "',' or the end of the statement";
    if (s->kind == LBR_ST_SECTION) return "an operator, ',' or the end of the statement";
    if (s->kind == LBR_ST_CLAIM) return "an operator, 'against' or the end of the statement";
    if (s->kind == LBR_ST_USE) return "':' or the end of the statement";
    return s->value ? "an operator or the end of the statement" : "the end of the statement";
}

typedef void reader(lbr_parser *p, lbr_statement *s);

static void statement(lbr_parser *p, int *size, reader *read)
{
    lbr_statement s = { .place = p->lex.token.place };

    p->failed = p->certain = p->depth = p->nstack = p->items_size = 0;
    p->line = s.place.line;
    read(p, &s);
    if (!p->failed && p->lex.token.kind != LBR_TOKEN_END && p->lex.token.kind != LBR_TOKEN_LINE) {
        if (p->lex.token.stray)
            lbr_parse_fail(p, p->lex.token.place, "'%c' closes nothing: no such bracket is open", p->lex.token.kind);
        else lbr_parse_expected(p, what_follows(&s));
    }
    if (p->failed && p->status == LBR_OK) s.faulty = 1, recover(p, &s);
    if (p->status == LBR_OK) add_statement(p, &s, size);
}

static lbr_status parse(lbr_file *file, const char *name, const char *text, size_t size, lbr_arena *arena,
                        reader *first)
{
    lbr_parser p = { .file = file };
    lbr_place place = { 1, 1 };
    const char *unreadable;
    int room = 0;

    if (size >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
        text += 3, size -= 3; /* some editors put this mark before a text */
    *file = (lbr_file){ .name = name, .text = text = size ? text : "", .size = size, .arena = arena };
    if (size > LBR_LONGEST_TEXT)
        lbr_file_error(file, place,
                       "the text has %zu bytes, the limit is 1 MiB (%d bytes): put tables into files for 'read', "
                       "models into files for 'use'",
                       size, LBR_LONGEST_TEXT);
    else if ((unreadable = lbr_lex_unreadable(text, size, &place))) lbr_file_error(file, place, "%s", unreadable);
    else {
        lbr_lex_start(&p.lex, text, size);
        while (p.lex.token.kind != LBR_TOKEN_END && p.status == LBR_OK)
            if (!lbr_parse_accept(&p, LBR_TOKEN_LINE)) statement(&p, &room, first), first = lbr_parse_statement;
    }
    if (file->no_memory) return LBR_ENOMEM;
    return p.status != LBR_OK ? p.status : file->nerrors ? LBR_EARG : LBR_OK;
}

lbr_status lbr_file_parse(lbr_file *file, const char *name, const char *text, size_t size, lbr_arena *arena)
{
    return parse(file, name, text, size, arena, lbr_parse_statement);
}

lbr_status lbr_given_parse(lbr_file *file, const char *name, const char *text, lbr_given what, lbr_arena *arena)
{
    return parse(file, name, text, strlen(text), arena,
                 what == LBR_GIVEN_METHOD ? lbr_parse_lone_method : lbr_parse_values);
}
