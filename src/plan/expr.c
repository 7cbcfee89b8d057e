/* expr.c - reading method expressions. SPDX-License-Identifier: BSD-3-Clause */
#include "expr.h"
#include "core/dd.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 4096, DEEPEST = 40, MOST_ARGS = 64 };

typedef struct reader {
    const char *text, *at;
    lbr_arena *arena;
    lbr_message *message;
    lbr_status status;
    int depth;
} reader;

static lbr_expr *complain(reader *r, const char *expected)
{
    int column = (int)(r->at - r->text) + 1;

    r->status = LBR_EMETHOD;
    if (*r->at)
        lbr_fail(r->message, LBR_EMETHOD, "method '%.200s', column %d: expected %s, found '%.20s'", r->text, column,
                 expected, r->at);
    else lbr_fail(r->message, LBR_EMETHOD, "method '%.200s' ends where %s was expected", r->text, expected);
    return NULL;
}

static lbr_expr *no_memory(reader *r)
{
    return r->status = lbr_fail(r->message, LBR_ENOMEM, "out of memory while reading a method"), NULL;
}

static void blanks(reader *r)
{
    while (isspace((unsigned char)*r->at)) r->at++;
}

static char *piece(reader *r, size_t n) { return lbr_arena_format(r->arena, "%.*s", (int)n, r->at); }

static size_t name_length(const char *s)
{
    size_t n = 0;

    if (!isalpha((unsigned char)*s)) return 0;
    while (isalnum((unsigned char)s[n]) || s[n] == '-' || s[n] == '_') n++;
    return n;
}

static lbr_expr *method(reader *r);

/* The text of a number; lbr_dd_read says whether it is one, whatever the locale. */
static lbr_expr *number(reader *r, lbr_expr *e)
{
    size_t n = strspn(r->at, "+-"), digits = strspn(r->at + n, "0123456789.eE/+-");
    lbr_dd value;

    if (!digits) return complain(r, "a method name or a number");
    if (!(e->number = piece(r, n + digits))) return no_memory(r);
    if (lbr_dd_read(e->number, &value)) return complain(r, "a method name or a number");
    r->at += n + digits;
    return e;
}

/* [word "="] (method | number) */
static lbr_expr *argument(reader *r)
{
    const char *key = NULL;
    size_t n;
    lbr_expr *e;

    blanks(r);
    if ((n = name_length(r->at))) {
        const char *after = r->at + n + strspn(r->at + n, " \t");

        if (*after == '=') {
            if (!(key = piece(r, n))) return no_memory(r);
            r->at = after + 1;
            blanks(r);
        }
    }
    if (name_length(r->at)) e = method(r);
    else e = (e = lbr_arena_alloc(r->arena, 1, sizeof *e)) ? number(r, e) : no_memory(r);
    if (e) e->key = key;
    return e;
}

static lbr_expr *arguments(reader *r, lbr_expr *e)
{
    e->has_args = 1;
    if (!(e->arg = lbr_arena_alloc(r->arena, MOST_ARGS, sizeof *e->arg))) return no_memory(r);
    do {
        r->at++; /* the bracket or a comma */
        if (e->nargs == MOST_ARGS) return complain(r, "at most 64 arguments");
        if (!(e->arg[e->nargs++] = argument(r))) return NULL;
        blanks(r);
    } while (*r->at == ',');
    if (*r->at != ')') return complain(r, "',' or ')'");
    r->at++;
    return e;
}

static lbr_expr *method(reader *r)
{
    lbr_expr *e = lbr_arena_alloc(r->arena, 1, sizeof *e);
    size_t n;

    if (!e) return no_memory(r);
    blanks(r);
    if (!(n = name_length(r->at))) return complain(r, "a method name");
    if (!(e->name = piece(r, n))) return no_memory(r);
    r->at += n;
    e->k = -1;
    if (*r->at == ':') {
        size_t digits = strspn(++r->at, "0123456789");

        if (!digits || digits > 6) return complain(r, "a number of at most six digits after ':'");
        e->k = atoi(r->at);
        r->at += digits;
    }
    blanks(r);
    if (*r->at != '(') return e;
    if (++r->depth > DEEPEST) return complain(r, "at most 40 brackets in each other; this is one more");
    e = arguments(r, e);
    r->depth--;
    return e;
}

lbr_status lbr_expr_parse(lbr_expr **expr, const char *text, lbr_arena *arena, lbr_message *message)
{
    reader r = { text, text, arena, message, LBR_OK, 0 };

    if (!text) return lbr_fail(message, LBR_EMETHOD, "no method is named");
    if (strlen(text) > LONGEST)
        return lbr_fail(message, LBR_EMETHOD, "the method expression has more than %d characters", LONGEST);
    if (!(*expr = method(&r))) return r.status;
    blanks(&r);
    if (*r.at) complain(&r, "the end");
    return r.status;
}
