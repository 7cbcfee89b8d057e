/* parse_expr.c - expressions and conditions. SPDX-License-Identifier: BSD-3-Clause */
#include "parse.h"

#include <string.h>

#define NO_CONDITION "a condition is not a value: it stands only in 'if', 'count', 'when', claims and sections"

/* --- nodes ------------------------------------------------------------------------------------------------------- */

int lbr_parse_push(lbr_parser *p, lbr_node *node, char op, lbr_place at)
{
    if (!LBR_PARSE_ROOM(p, p->stack, p->nstack, p->stack_size)) return 0;
    p->stack[p->nstack++] = (lbr_pending_operand){ node, op, at };
    return 1;
}

lbr_node **lbr_parse_pop(lbr_parser *p, int base)
{
    int n = p->nstack - base;
    lbr_node **arg = lbr_parse_memory(p, n + 1, sizeof *arg);

    for (int i = 0; arg && i < n; i++) arg[i] = p->stack[base + i].node;
    p->nstack = base;
    return arg;
}

/* Sums and the like are no level of their own; anything else around its arguments is one. */
static int is_flat(lbr_node_kind kind)
{
    return kind == LBR_NODE_CHAIN || kind == LBR_NODE_COMPARE || kind == LBR_NODE_AND || kind == LBR_NODE_OR ||
           kind == LBR_NODE_NOT || kind == LBR_NODE_BINDER;
}

/* Suffixes make deep trees of flat texts, so levels are counted from below too. */
static lbr_node *around(lbr_parser *p, lbr_node *node, int levels)
{
    node->nest += levels;
    if (node->nest <= LBR_NESTING) return node;
    p->depth = LBR_NESTING;
    lbr_parse_deeper(p, node->place);
    return NULL;
}

lbr_node *lbr_parse_node(lbr_parser *p, lbr_node_kind kind, lbr_place place, lbr_place first, int base)
{
    lbr_node *node = lbr_parse_memory(p, 1, sizeof *node);
    int n = p->nstack - base;

    if (!node) return NULL;
    node->kind = kind, node->place = place, node->first = first, node->n = n;
    if (n > 0 && !(node->arg = lbr_parse_pop(p, base))) return NULL;
    for (int i = 0; i < n; i++)
        if (node->arg[i]->nest > node->nest) node->nest = node->arg[i]->nest;
    return around(p, node, n > 0 && !is_flat(kind));
}

/* A node over one or two arguments. */
static lbr_node *over(lbr_parser *p, lbr_node_kind kind, lbr_place place, lbr_node *a, lbr_node *b)
{
    lbr_place first = kind == LBR_NODE_NEGATE || kind == LBR_NODE_NOT || !a ? place : a->first;
    int base = p->nstack;

    if (!a || p->failed || !lbr_parse_push(p, a, 0, place)) return NULL;
    if (b && !lbr_parse_push(p, b, 0, place)) return NULL;
    return lbr_parse_node(p, kind, place, first, base);
}

/* A node of the current token. */
static lbr_node *leaf(lbr_parser *p, lbr_node_kind kind)
{
    const lbr_token *t = &p->lex.token;
    lbr_node *node = lbr_parse_node(p, kind, t->place, t->place, p->nstack);

    if (!node || !(node->text = lbr_parse_token_text(p))) return NULL;
    node->number = t->number;
    lbr_lex_next(&p->lex);
    return node;
}

/* --- from loose to tight ----------------------------------------------------------------------------------------- */

enum { OR, AND, COMPARE, SUM, TERM };

static lbr_node *unary(lbr_parser *p);
static lbr_node *chain(lbr_parser *p, int level);

static lbr_node *negation(lbr_parser *p)
{
    lbr_place place = p->lex.token.place;

    if (!lbr_parse_accept(p, LBR_TOKEN_NOT)) return chain(p, COMPARE);
    return over(p, LBR_NODE_NOT, place, chain(p, COMPARE), NULL);
}

static lbr_node *operand(lbr_parser *p, int level)
{
    return level == TERM ? unary(p) : level == AND ? negation(p) : chain(p, level + 1);
}

/* The operator of a level that the current token is, or 0. */
static char operator_of(const lbr_parser *p, int level)
{
    static const char *const signs[] = { "", "", "=!<l>g", "+-", "*/" };
    int kind = p->lex.token.kind;

    if (kind >= 256) return level == OR && kind == LBR_TOKEN_OR ? 'o' : level == AND && kind == LBR_TOKEN_AND ? 'a' : 0;
    return strchr(signs[level], kind) ? (char)kind : 0;
}

/* Two or more operands are on the stack, from base on: one node with all their operators. */
static lbr_node *collect(lbr_parser *p, int level, int base)
{
    static const lbr_node_kind kinds[] = { LBR_NODE_OR, LBR_NODE_AND, LBR_NODE_COMPARE, LBR_NODE_CHAIN,
                                           LBR_NODE_CHAIN };
    int n = p->nstack - base;
    char *text = lbr_parse_memory(p, n, 1);
    lbr_place *at = lbr_parse_memory(p, n - 1, sizeof *at);
    lbr_node *node;

    if (!text || !at) return NULL;
    for (int i = 0; i < n - 1; i++) text[i] = p->stack[base + i].op, at[i] = p->stack[base + i].at;
    if (!(node = lbr_parse_node(p, kinds[level], at[0], p->stack[base].node->first, base))) return NULL;
    node->text = text, node->at = at;
    return node;
}

static lbr_node *chain(lbr_parser *p, int level)
{
    int base = p->nstack;

    for (;;) {
        lbr_node *node = operand(p, level);
        lbr_place at = p->lex.token.place;
        char op;

        if (!node) return NULL;
        op = operator_of(p, level);
        if (!op && p->nstack == base) return node;
        if (!lbr_parse_push(p, node, op, at)) return NULL;
        if (!op) return collect(p, level, base);
        lbr_lex_next(&p->lex);
    }
}

lbr_node *lbr_parse_expr(lbr_parser *p) { return chain(p, OR); }
lbr_node *lbr_parse_sum(lbr_parser *p) { return chain(p, SUM); }

/* --- ranges ------------------------------------------------------------------------------------------------------ */

static int same(lbr_place a, lbr_place b) { return a.line == b.line && a.column == b.column; }
static int is_bare_name(const lbr_node *n) { return n->kind == LBR_NODE_NAME && same(n->place, n->first); }

/* `i = 1..n`, read up to the two points. */
static lbr_node *range(lbr_parser *p, lbr_node *name, lbr_node *from)
{
    lbr_node *to, *node;

    lbr_lex_next(&p->lex);
    if (!(to = lbr_parse_value(p)) || !(node = over(p, LBR_NODE_BINDER, name->place, from, to))) return NULL;
    node->text = name->text, node->first = name->place;
    return node;
}

/* After a sum that only a value may be: tells a condition and a range that cannot stand here from what is just odd. */
lbr_node *lbr_parse_value(lbr_parser *p)
{
    lbr_node *node = lbr_parse_sum(p);
    lbr_place at = p->lex.token.place;

    if (!node || !(operator_of(p, COMPARE) || operator_of(p, AND) || operator_of(p, OR))) return node;
    if (lbr_parse_accept(p, '=') && is_bare_name(node)) {
        if (!lbr_parse_sum(p)) return NULL;
        if (p->lex.token.kind == LBR_TOKEN_RANGE)
            return lbr_parse_fail(
                p, node->place, "a range cannot stand here: ranges stand on left sides and in sum, prod, max and min");
    }
    return lbr_parse_fail(p, at, NO_CONDITION);
}

lbr_node *lbr_parse_index(lbr_parser *p)
{
    lbr_node *node = lbr_parse_sum(p), *from;

    if (!node || p->lex.token.kind != '=' || !is_bare_name(node)) return node;
    lbr_lex_next(&p->lex);
    if (!(from = lbr_parse_sum(p))) return NULL;
    if (p->lex.token.kind != LBR_TOKEN_RANGE) return lbr_parse_expected(p, "'..' (a range is 'name = from..to')");
    return range(p, node, from);
}

/* Only after the fact is `i = 1` known to be the beginning of a range. */
static lbr_node *argument(lbr_parser *p, const char *callee)
{
    lbr_node *node = lbr_parse_expr(p);

    if (!node || p->lex.token.kind != LBR_TOKEN_RANGE) return node;
    if (node->kind != LBR_NODE_COMPARE || strcmp(node->text, "=") || !is_bare_name(node->arg[0]) ||
        !same(node->first, node->arg[0]->first))
        return lbr_parse_fail(p, p->lex.token.place, "'..' makes a range, which is written 'name = from..to'");
    if (lbr_text_find("sum prod max min", callee) < 0)
        return lbr_parse_fail(p, node->first, "'%.40s' takes no range: only sum, prod, max and min do", callee);
    return range(p, node->arg[0], node->arg[1]);
}

/* --- what binds tightest ----------------------------------------------------------------------------------------- */

/* Values up to the closing bracket; the opening one is the current token. */
static int values(lbr_parser *p, const char *closing)
{
    if (!lbr_parse_deeper(p, p->lex.token.place)) return 0;
    do {
        lbr_node *node;

        lbr_lex_next(&p->lex);
        if (!(node = lbr_parse_value(p)) || !lbr_parse_push(p, node, 0, node->place)) return 0;
    } while (p->lex.token.kind == ',');
    p->depth--;
    return lbr_parse_expect(p, ']', closing);
}

static lbr_node *list(lbr_parser *p)
{
    int base = p->nstack;
    lbr_place place = p->lex.token.place;

    return values(p, "an operator, ',' or ']'") ? lbr_parse_node(p, LBR_NODE_LIST, place, place, base) : NULL;
}

static lbr_node *brackets(lbr_parser *p)
{
    lbr_place place = p->lex.token.place;
    lbr_node *node;

    if (!lbr_parse_deeper(p, place)) return NULL;
    lbr_lex_next(&p->lex);
    if (!(node = lbr_parse_expr(p))) return NULL;
    if (p->lex.token.kind == ',')
        return lbr_parse_fail(p, p->lex.token.place, "expected ')', found ',': a list is written '[a, b]'");
    if (!lbr_parse_expect(p, ')', "an operator or ')'")) return NULL;
    p->depth--;
    node->first = place;
    return around(p, node, 1);
}

/* Ranges come first, then the one thing they run over. */
static lbr_node *check_ranges(lbr_parser *p, lbr_node *call)
{
    int ranges = 0;

    while (ranges < call->n && call->arg[ranges]->kind == LBR_NODE_BINDER) ranges++;
    for (int i = ranges; i < call->n; i++)
        if (call->arg[i]->kind == LBR_NODE_BINDER)
            return lbr_parse_fail(p, call->arg[i]->first, "the ranges of '%s' come before what it runs over",
                                  call->text);
    if (ranges && call->n == ranges)
        return lbr_parse_fail(p, call->first, "after its ranges '%s' needs what it runs over", call->text);
    if (ranges && call->n > ranges + 1)
        return lbr_parse_fail(p, call->arg[ranges + 1]->first, "after its ranges '%s' runs over one expression",
                              call->text);
    return call;
}

/* The file of read("..."): what is read is never written over. */
static int names_file(lbr_parser *p, const lbr_node *call)
{
    lbr_file *f = p->file;

    if (strcmp(call->text, "read") || call->n != 1 || call->arg[0]->kind != LBR_NODE_STRING) return 1;
    if (!LBR_PARSE_ROOM(p, f->reads, f->nreads, f->most_reads)) return 0;
    f->reads[f->nreads++] = call->arg[0]->text;
    return 1;
}

static lbr_node *call(lbr_parser *p, lbr_node *name)
{
    int base = p->nstack;
    lbr_node *node;

    if (!lbr_parse_deeper(p, p->lex.token.place)) return NULL;
    lbr_lex_next(&p->lex);
    if (p->lex.token.kind != ')') do {
            if (!(node = argument(p, name->text)) || !lbr_parse_push(p, node, 0, node->place)) return NULL;
        } while (lbr_parse_accept(p, ','));
    if (!lbr_parse_expect(p, ')', "an operator, ',' or ')'")) return NULL;
    p->depth--;
    if (!(node = lbr_parse_node(p, LBR_NODE_CALL, name->place, name->first, base))) return NULL;
    node->text = name->text;
    return names_file(p, node) ? check_ranges(p, node) : NULL;
}

static lbr_node *atom(lbr_parser *p)
{
    lbr_node *node;

    switch (p->lex.token.kind) {
    case LBR_TOKEN_NUMBER: return leaf(p, LBR_NODE_NUMBER);
    case LBR_TOKEN_STRING: return leaf(p, LBR_NODE_STRING);
    case LBR_TOKEN_NAME: return (node = leaf(p, LBR_NODE_NAME)) && p->lex.token.kind == '(' ? call(p, node) : node;
    case '(': return brackets(p);
    case '[': return list(p);
    case LBR_TOKEN_NOT:
        return lbr_parse_fail(p, p->lex.token.place,
                              "'not' cannot stand here, but only before a comparison: " NO_CONDITION);
    default: return lbr_parse_expected(p, "a value");
    }
}

static lbr_node *index_of(lbr_parser *p, lbr_node *node)
{
    int base = p->nstack;

    if (!lbr_parse_push(p, node, 0, node->place) || !values(p, "an operator, ',' or ']'")) return NULL;
    return lbr_parse_node(p, LBR_NODE_INDEX, node->first, node->first, base);
}

static lbr_node *member(lbr_parser *p, lbr_node *node)
{
    lbr_place place = p->lex.token.place;

    lbr_lex_next(&p->lex);
    if (p->lex.token.kind != LBR_TOKEN_NAME) return lbr_parse_expected(p, "a name after '.'");
    if (!(node = over(p, LBR_NODE_MEMBER, place, node, NULL)) || !(node->text = lbr_parse_token_text(p))) return NULL;
    lbr_lex_next(&p->lex);
    return node;
}

static lbr_node *postfix(lbr_parser *p)
{
    lbr_node *node = atom(p);

    while (node) {
        lbr_place place = p->lex.token.place;

        if (p->lex.token.kind == '[') node = index_of(p, node);
        else if (p->lex.token.kind == '.') node = member(p, node);
        else if (lbr_parse_accept(p, '\'')) node = over(p, LBR_NODE_PRIME, place, node, NULL);
        else if (lbr_parse_accept(p, LBR_TOKEN_TRANSPOSE)) node = over(p, LBR_NODE_TRANSPOSE, place, node, NULL);
        else break;
    }
    return node;
}

static lbr_node *unary(lbr_parser *p)
{
    lbr_place place = p->lex.token.place;
    lbr_node *node, *exponent;

    if (p->lex.token.kind == '-') {
        if (!lbr_parse_deeper(p, place)) return NULL;
        lbr_lex_next(&p->lex);
        node = unary(p);
        p->depth--;
        return over(p, LBR_NODE_NEGATE, place, node, NULL);
    }
    if (!(node = postfix(p)) || p->lex.token.kind != '^') return node;
    place = p->lex.token.place;
    if (!lbr_parse_deeper(p, place)) return NULL;
    lbr_lex_next(&p->lex);
    exponent = unary(p);
    p->depth--;
    return exponent ? over(p, LBR_NODE_POWER, place, node, exponent) : NULL;
}

/* Ranges or values; in the size of a variable values only. */
int lbr_parse_indices(lbr_parser *p, lbr_target *t, lbr_node *(*one)(lbr_parser *))
{
    int base = p->nstack;

    if (!lbr_parse_deeper(p, p->lex.token.place)) return 0;
    do {
        lbr_node *node;

        lbr_lex_next(&p->lex);
        if (!(node = one(p)) || !lbr_parse_push(p, node, 0, node->place)) return 0;
    } while (p->lex.token.kind == ',');
    p->depth--;
    t->n = p->nstack - base;
    return (t->index = lbr_parse_pop(p, base)) && lbr_parse_expect(p, ']', "an operator, ',' or ']'");
}
