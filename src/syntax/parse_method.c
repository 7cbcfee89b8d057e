/* parse_method.c - method expressions in settings: name-with-dashes:k(argument, ...).
 * SPDX-License-Identifier: BSD-3-Clause */
#include "parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* After ":", a number of at most six digits, or the name of an index or a parameter. */
static int stages(lbr_parser *p, lbr_mexpr *m)
{
    const lbr_token *t = &p->lex.token;
    const char *text;

    m->k_place = t->place;
    if (t->kind != LBR_TOKEN_NAME && t->kind != LBR_TOKEN_NUMBER)
        return lbr_parse_expected(p, "a whole number or a name"), 0;
    if (!(text = lbr_parse_token_text(p))) return 0;
    if (t->kind == LBR_TOKEN_NAME) m->k_name = text;
    else if (strlen(text) > 6 || strspn(text, "0123456789") != strlen(text))
        return lbr_parse_fail(p, t->place, "expected a whole number of at most six digits after ':', found '%.40s'",
                              text),
               0;
    else m->k = atoi(text);
    m->has_k = 1;
    lbr_lex_next(&p->lex);
    return 1;
}

/* One number into *text and *value. */
static int number(lbr_parser *p, const char *where, const char **text, double *value)
{
    if (p->lex.token.kind != LBR_TOKEN_NUMBER) return lbr_parse_expected(p, where), 0;
    if (!(*text = lbr_parse_token_text(p))) return 0;
    *value = p->lex.token.number;
    lbr_lex_next(&p->lex);
    return 1;
}

/* number, or number/number, which is one too: all its digits are in its text. */
static lbr_node *fraction(lbr_parser *p)
{
    lbr_place place = p->lex.token.place;
    lbr_node *node = lbr_parse_node(p, LBR_NODE_NUMBER, place, place, p->nstack);
    const char *below;
    char *text;
    double divisor;
    size_t size;

    if (!node || !number(p, "a number after '-'", &node->text, &node->number) || p->lex.token.kind != '/')
        return p->failed ? NULL : node;
    lbr_lex_next(&p->lex);
    place = p->lex.token.place;
    if (!number(p, "a number after '/' (an expression is written in brackets of its own)", &below, &divisor))
        return NULL;
    if (divisor == 0) return lbr_parse_fail(p, place, "a fraction whose denominator is zero");
    size = strlen(node->text) + strlen(below) + 2;
    if (!(text = lbr_parse_memory(p, (int64_t)size, 1))) return NULL;
    snprintf(text, size, "%s/%s", node->text, below);
    node->text = text, node->number /= divisor;
    return node;
}

/* [-] fraction, or (expression). */
static int plain(lbr_parser *p, lbr_mexpr *m)
{
    int kind = p->lex.token.kind;

    if (kind != '-' && kind != '(' && kind != LBR_TOKEN_NUMBER)
        return lbr_parse_expected(p, "a method, a number or an expression in brackets"), 0;
    if (kind == '(') {
        if (!lbr_parse_deeper(p, m->place)) return 0;
        lbr_lex_next(&p->lex);
        m->value = lbr_parse_value(p);
        p->depth--;
        return m->value && lbr_parse_expect(p, ')', "an operator or ')'");
    }
    lbr_parse_accept(p, '-');
    if (!(m->value = fraction(p))) return 0;
    if (kind != '-') return 1;
    return lbr_parse_push(p, m->value, 0, m->place) &&
           (m->value = lbr_parse_node(p, LBR_NODE_NEGATE, m->place, m->place, p->nstack - 1));
}

static lbr_mexpr *argument(lbr_parser *p);

/* The arguments are as few as methods have parts: an array that doubles will do. */
static int arguments(lbr_parser *p, lbr_mexpr *m)
{
    int room = 0;

    m->has_args = 1;
    if (!lbr_parse_deeper(p, p->lex.token.place)) return 0;
    do {
        lbr_lex_next(&p->lex); /* the bracket or a comma */
        if (!LBR_PARSE_ROOM(p, m->arg, m->n, room)) return 0;
        if (!(m->arg[m->n] = argument(p))) return 0;
        m->n++;
    } while (p->lex.token.kind == ',');
    p->depth--;
    return lbr_parse_expect(p, ')', "',' or ')' (an expression is written in brackets of its own)");
}

/* What follows the name of a method. */
static lbr_mexpr *rest(lbr_parser *p, lbr_mexpr *m)
{
    if (lbr_parse_accept(p, ':') && !stages(p, m)) return NULL;
    return p->lex.token.kind != '(' || arguments(p, m) ? m : NULL;
}

static int name(lbr_parser *p, lbr_mexpr *m)
{
    lbr_lex_dashes(&p->lex);
    if (!(m->name = lbr_parse_token_text(p))) return 0;
    lbr_lex_next(&p->lex);
    return 1;
}

/* [name "="] (method | plain) */
static lbr_mexpr *argument(lbr_parser *p)
{
    lbr_mexpr *m = lbr_parse_memory(p, 1, sizeof *m);

    if (!m) return NULL;
    m->place = p->lex.token.place;
    if (p->lex.token.kind != LBR_TOKEN_NAME) return plain(p, m) ? m : NULL;
    if (!name(p, m)) return NULL;
    if (p->lex.token.kind != '=') return rest(p, m);
    if (strchr(m->name, '-')) return lbr_parse_fail(p, m->place, "the name of an argument has no dashes");
    m->key = m->name, m->name = NULL;
    lbr_lex_next(&p->lex);
    m->place = p->lex.token.place;
    if (p->lex.token.kind != LBR_TOKEN_NAME) return plain(p, m) ? m : NULL;
    return name(p, m) ? rest(p, m) : NULL;
}

lbr_mexpr *lbr_parse_method(lbr_parser *p)
{
    lbr_mexpr *m;

    if (p->lex.token.kind != LBR_TOKEN_NAME) return lbr_parse_expected(p, "the name of a method");
    if (!(m = lbr_parse_memory(p, 1, sizeof *m))) return NULL;
    m->place = p->lex.token.place;
    return name(p, m) ? rest(p, m) : NULL;
}
