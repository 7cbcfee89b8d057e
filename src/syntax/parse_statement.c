/* parse_statement.c - the statements: each begins with its word, a rate with the name of its variable.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "parse.h"

#include <string.h>

/* --- left sides -------------------------------------------------------------------------------------------------- */

typedef enum { NO_PRIME, PRIME, ANY_PRIME } primes;

static int name(lbr_parser *p, const char **text, lbr_place *place, const char *what)
{
    *place = p->lex.token.place;
    if (p->lex.token.kind != LBR_TOKEN_NAME) return lbr_parse_expected(p, what), 0;
    if (!(*text = lbr_parse_token_text(p))) return 0;
    lbr_lex_next(&p->lex);
    return 1;
}

static int target(lbr_parser *p, lbr_target *t, primes prime)
{
    if (!name(p, &t->name, &t->place, "a name")) return 0;
    if (p->lex.token.kind == '[' && !lbr_parse_indices(p, t, lbr_parse_index)) return 0;
    if (p->lex.token.kind == '\'' && prime == NO_PRIME)
        return lbr_parse_fail(p, p->lex.token.place, "a prime makes '%.40s' a rate, which cannot be defined here",
                              t->name),
               0;
    t->prime = lbr_parse_accept(p, '\'');
    if (t->prime && p->lex.token.kind == '\'')
        return lbr_parse_fail(p, p->lex.token.place,
                              "rates are of first order: with a variable v more, write %.40s' = v, v' = ...", t->name),
               0;
    if (!t->prime && prime == PRIME)
        return lbr_parse_fail(p, t->place, "a rate has a prime: %.40s%s' = ... is expected", t->name,
                              t->n ? "[...]" : ""),
               0;
    return 1;
}

static int equals(lbr_parser *p, lbr_item *item)
{
    return lbr_parse_expect(p, '=', "'='") && (item->value = lbr_parse_value(p));
}

/* --- items ------------------------------------------------------------------------------------------------------- */

/* What the items of a statement are; every one is added, so that its name is known even if it is faulty. */
typedef void reader(lbr_parser *p, lbr_item *item);

static void items(lbr_parser *p, lbr_statement *s, reader *read)
{
    do {
        lbr_item item = { 0 };

        read(p, &item);
        if (item.target.name || item.value) lbr_parse_add(p, s, &item);
    } while (!p->failed && lbr_parse_accept(p, ','));
}

static void definition(lbr_parser *p, lbr_item *item)
{
    if (!target(p, &item->target, NO_PRIME)) return;
    if (p->lex.token.kind == '(')
        lbr_parse_fail(p, p->lex.token.place, "expected '=', found '(': functions are defined with 'let'");
    equals(p, item);
}

static void set(lbr_parser *p, lbr_item *item)
{
    if (target(p, &item->target, ANY_PRIME)) equals(p, item);
}
static void rate(lbr_parser *p, lbr_item *item)
{
    if (target(p, &item->target, PRIME)) equals(p, item);
}
static void move(lbr_parser *p, lbr_item *item)
{
    if (target(p, &item->target, NO_PRIME)) equals(p, item);
}

static void variable(lbr_parser *p, lbr_item *item)
{
    if (!name(p, &item->target.name, &item->target.place, "the name of a variable")) return;
    if (p->lex.token.kind == '[' && !lbr_parse_indices(p, &item->target, lbr_parse_value)) return;
    if (p->lex.token.kind == '=')
        lbr_parse_fail(p, p->lex.token.place,
                       "a variable is declared without a value: expected ',' or the end of the statement, found '='");
}

static void plain_name(lbr_parser *p, lbr_item *item)
{
    name(p, &item->target.name, &item->target.place, "the name of a variable");
}

/* name(parameter, ...) = value; the bracket is the current token. */
static void function(lbr_parser *p, lbr_item *item)
{
    int room = 0, places = 0;

    do {
        lbr_lex_next(&p->lex); /* the bracket or a comma */
        if (!LBR_PARSE_ROOM(p, item->param, item->nparams, room) ||
            !LBR_PARSE_ROOM(p, item->param_place, item->nparams, places))
            return;
        if (!name(p, &item->param[item->nparams], &item->param_place[item->nparams], "the name of a parameter")) return;
        item->nparams++;
    } while (p->lex.token.kind == ',');
    if (lbr_parse_expect(p, ')', "',' or ')'")) equals(p, item);
}

static void abbreviation(lbr_parser *p, lbr_item *item)
{
    if (!target(p, &item->target, NO_PRIME)) return;
    if (p->lex.token.kind == '(' && item->target.n == 0) function(p, item);
    else equals(p, item);
}

static void bracket(lbr_parser *p, lbr_item *item)
{
    if (!lbr_parse_expect(p, '{', "'{' (a bracket is '{a, b} = ...')") || !target(p, &item->target, NO_PRIME)) return;
    if (!lbr_parse_expect(p, ',', "','") || !target(p, &item->second, NO_PRIME)) return;
    if (lbr_parse_expect(p, '}', "'}'")) equals(p, item);
}

/* The value of a setting; its target has been read. */
static void setting_value(lbr_parser *p, lbr_item *item)
{
    const lbr_target *t = &item->target;
    size_t from;

    if (!lbr_parse_expect(p, '=', "'='")) return;
    from = p->lex.token.from;
    if (t->n == 0 && !t->prime && lbr_text_find("method control", t->name) >= 0) item->method = lbr_parse_method(p);
    else item->value = lbr_parse_expr(p);
    if (!p->failed) item->source = lbr_parse_source(p, from);
}

static void setting(lbr_parser *p, lbr_item *item)
{
    if (target(p, &item->target, ANY_PRIME)) setting_value(p, item);
}

/* --- statements -------------------------------------------------------------------------------------------------- */

static void text(lbr_parser *p, lbr_statement *s)
{
    s->text_place = p->lex.token.place, s->is_string = 1;
    if (p->lex.token.kind != LBR_TOKEN_STRING) lbr_parse_expected(p, "a string");
    else if ((s->text = lbr_parse_token_text(p))) lbr_lex_next(&p->lex);
}

static void use(lbr_parser *p, lbr_statement *s)
{
    s->text_place = p->lex.token.place, s->is_string = p->lex.token.kind == LBR_TOKEN_STRING;
    if (p->lex.token.kind == LBR_TOKEN_NAME) lbr_lex_dashes(&p->lex);
    else if (!s->is_string) {
        lbr_parse_expected(p, "the name of a gallery model or a file in quotes");
        return;
    }
    if (!(s->text = lbr_parse_token_text(p))) return;
    lbr_lex_next(&p->lex);
    if (lbr_parse_accept(p, ':')) items(p, s, set);
}

static void value(lbr_parser *p, lbr_statement *s)
{
    if (lbr_parse_expect(p, '=', "'='")) s->value = lbr_parse_value(p);
}

static void part(lbr_parser *p, lbr_statement *s)
{
    if (!name(p, &s->text, &s->text_place, "the name of a part")) return;
    if (lbr_parse_accept(p, ':')) items(p, s, rate);
    else if (p->lex.token.kind == '=') value(p, s);
    else lbr_parse_expected(p, "'=' or ':'");
}

static void flow(lbr_parser *p, lbr_statement *s)
{
    if (!name(p, &s->text, &s->text_place, "the name of a part") ||
        !lbr_parse_expect(p, '(', "'(' and the name of the time"))
        return;
    if (!name(p, &s->text2, &s->text2_place, "the name of the time") || !lbr_parse_expect(p, ')', "')'")) return;
    if (lbr_parse_expect(p, ':', "':'")) items(p, s, move);
}

/* left = right, then conditions. */
static void section(lbr_parser *p, lbr_statement *s)
{
    int base = p->nstack;
    lbr_node *node;
    lbr_place at;

    if (!name(p, &s->text, &s->text_place, "the name of a section") || !lbr_parse_expect(p, ':', "':'")) return;
    if (!(node = lbr_parse_sum(p)) || !lbr_parse_push(p, node, '=', at = p->lex.token.place)) return;
    if (!lbr_parse_expect(p, '=', "'=' (a section begins with its surface, 'expression = expression')")) return;
    if (!(node = lbr_parse_value(p)) || !lbr_parse_push(p, node, 0, at)) return;
    if (!(s->value = lbr_parse_node(p, LBR_NODE_COMPARE, at, p->stack[base].node->first, base))) return;
    if (!(s->value->at = lbr_parse_memory(p, 1, sizeof at))) return;
    s->value->at[0] = at, s->value->text = "=";
    while (lbr_parse_accept(p, ','))
        if (!(node = lbr_parse_expr(p)) || !lbr_parse_push(p, node, 0, node->place)) return;
    s->nmore = p->nstack - base;
    s->more = lbr_parse_pop(p, base);
}

static void coefficients(lbr_parser *p, lbr_item *item)
{
    if (p->lex.token.kind != '[') {
        lbr_parse_expected(p, "'[' and a list of coefficients");
        return;
    }
    if ((item->value = lbr_parse_value(p)) && item->value->kind != LBR_NODE_LIST)
        lbr_parse_fail(p, item->value->place, "a list of coefficients stands alone here, '[...]'");
}

static void named_coefficients(lbr_parser *p, lbr_item *item)
{
    if (!name(p, &item->target.name, &item->target.place, "the name of a list, as in 'b = [...]'")) return;
    if (lbr_parse_expect(p, '=', "'='")) coefficients(p, item);
}

/* nystrom(b = [...], ...) is a table; of anything else in the brackets it is an operator. */
static int is_table(const lbr_parser *p)
{
    lbr_lexer ahead = p->lex;

    if (lbr_parse_is(p, "composition") || lbr_parse_is(p, "splitting") || lbr_parse_is(p, "butcher")) return 1;
    if (!lbr_parse_is(p, "nystrom")) return 0;
    lbr_lex_next(&ahead);
    if (ahead.token.kind != '(') return 0;
    lbr_lex_next(&ahead);
    if (ahead.token.kind != LBR_TOKEN_NAME) return 0;
    lbr_lex_next(&ahead);
    return ahead.token.kind == '=';
}

static void method(lbr_parser *p, lbr_statement *s)
{
    lbr_item item = { 0 };

    if (!name(p, &s->text, &s->text_place, "a name for the method") || !lbr_parse_expect(p, '=', "'='")) return;
    s->text2_place = p->lex.token.place;
    if (p->lex.token.kind == LBR_TOKEN_NAME) lbr_lex_dashes(&p->lex);
    if (is_table(p)) {
        if (!(s->text2 = lbr_parse_token_text(p))) return;
        lbr_lex_next(&p->lex);
        if (!strcmp(s->text2, "composition")) {
            coefficients(p, &item), lbr_parse_add(p, s, &item);
            return;
        }
        if (!lbr_parse_expect(p, '(', "'(' and lists of coefficients")) return;
        items(p, s, named_coefficients);
        if (!p->failed) lbr_parse_expect(p, ')', "',' or ')'");
    } else if ((item.method = lbr_parse_method(p))) lbr_parse_add(p, s, &item);
}

/* After ':' the text is at its end, or the next line begins another statement. What could be a setting, such as
 * `L = 1`, is one. */
static int nothing_follows(lbr_parser *p)
{
    lbr_lexer *x = &p->lex;

    if (x->token.kind == LBR_TOKEN_END) return 1;
    if (x->token.from != x->line.from || !lbr_parse_begins(x->text + x->line.from, x->size - x->line.from, 1)) return 0;
    return lbr_lex_rewind(x), 1;
}

/* A target is read, then it is seen whether it was the run's name or the first setting. */
static void run(lbr_parser *p, lbr_statement *s)
{
    lbr_item item = { 0 };
    int good = target(p, &item.target, ANY_PRIME);

    if (good && p->lex.token.kind == '=') {
        setting_value(p, &item);
        lbr_parse_add(p, s, &item);
        if (p->failed || !lbr_parse_accept(p, ',')) return;
    } else {
        s->target = item.target; /* also if something is wrong: the name is known then */
        if (!good) return;
        if (item.target.prime) {
            lbr_parse_fail(p, item.target.place, "the name of a run has no prime");
            return;
        }
        if (!lbr_parse_expect(p, ':', "':' after the name of a run or '=' after a setting") || nothing_follows(p))
            return;
    }
    items(p, s, setting);
}

static void picture(lbr_parser *p, lbr_statement *s)
{
    lbr_lexer ahead = p->lex;

    lbr_lex_next(&ahead);
    if (p->lex.token.kind == LBR_TOKEN_NAME && ahead.token.kind == ':') {
        if (!name(p, &s->text, &s->text_place, "a name")) return;
        lbr_lex_next(&p->lex);
    }
    items(p, s, setting);
}

/* A name that is followed by ':', a string or '[ name =' is a header. */
static int has_header(const lbr_parser *p)
{
    lbr_lexer ahead = p->lex;

    if (ahead.token.kind != LBR_TOKEN_NAME) return 0;
    lbr_lex_next(&ahead);
    if (ahead.token.kind == ':' || ahead.token.kind == LBR_TOKEN_STRING) return 1;
    if (ahead.token.kind != '[') return 0;
    lbr_lex_next(&ahead);
    if (ahead.token.kind != LBR_TOKEN_NAME) return 0;
    lbr_lex_next(&ahead);
    return ahead.token.kind == '=';
}

static void claim(lbr_parser *p, lbr_statement *s)
{
    int header = has_header(p);
    size_t from;

    if (header && !target(p, &s->target, NO_PRIME)) return;
    if (p->lex.token.kind == LBR_TOKEN_STRING) {
        header = 1, s->text_place = p->lex.token.place;
        if (!(s->text = lbr_parse_token_text(p))) return;
        lbr_lex_next(&p->lex);
    }
    if (header && !lbr_parse_expect(p, ':', s->text ? "':'" : "':' or a string")) return;
    from = p->lex.token.from;
    if (!(s->value = lbr_parse_expr(p)) || !(s->source = lbr_parse_source(p, from))) return;
    if (!(s->has_against = lbr_parse_accept(p, LBR_TOKEN_AGAINST))) return;
    items(p, s, setting);
}

/* --- the table of statements ------------------------------------------------------------------------------------- */

static const struct {
    const char *word;
    lbr_statement_kind kind;
    void (*parse)(lbr_parser *p, lbr_statement *s);
    reader *read; /* or this, of all its items */
} statements[] = {
    { "title", LBR_ST_TITLE, text, NULL },
    { "source", LBR_ST_SOURCE, text, NULL },
    { "use", LBR_ST_USE, use, NULL },
    { "param", LBR_ST_PARAM, NULL, definition },
    { "canonical", LBR_ST_CANONICAL, NULL, variable },
    { "state", LBR_ST_STATE, NULL, variable },
    { "rotation", LBR_ST_ROTATION, NULL, variable },
    { "partition", LBR_ST_PARTITION, NULL, plain_name },
    { "let", LBR_ST_LET, NULL, abbreviation },
    { "part", LBR_ST_PART, part, NULL },
    { "poisson", LBR_ST_POISSON, NULL, bracket },
    { "flow", LBR_ST_FLOW, flow, NULL },
    { "constraint", LBR_ST_CONSTRAINT, NULL, definition },
    { "invariant", LBR_ST_INVARIANT, NULL, definition },
    { "observe", LBR_ST_OBSERVE, NULL, definition },
    { "measure", LBR_ST_MEASURE, NULL, definition },
    { "reverse", LBR_ST_REVERSE, NULL, move },
    { "start", LBR_ST_START, NULL, set },
    { "section", LBR_ST_SECTION, section, NULL },
    { "method", LBR_ST_METHOD, method, NULL },
    { "run", LBR_ST_RUN, run, NULL },
    { "plot", LBR_ST_PLOT, picture, NULL },
    { "table", LBR_ST_TABLE, picture, NULL },
    { "claim", LBR_ST_CLAIM, claim, NULL },
    { "H", LBR_ST_H, value, NULL },
    { "L", LBR_ST_L, value, NULL },
    { "rayleigh", LBR_ST_RAYLEIGH, value, NULL },
};
enum { STATEMENTS = sizeof statements / sizeof *statements };

static int row_of(const char *s, size_t n)
{
    for (int i = 0; i < STATEMENTS; i++)
        if (strlen(statements[i].word) == n && !memcmp(statements[i].word, s, n)) return i;
    return -1;
}

/* The statement whose word is nearest to what is written, or -1. */
static int near_row(const char *word)
{
    int best = -1, least = strlen(word) < 4 ? 2 : 3;

    for (int i = 0; i < STATEMENTS; i++) {
        int d = strlen(statements[i].word) > 2 ? lbr_text_distance(word, statements[i].word) : least;

        if (d < least) least = d, best = i;
    }
    return best;
}

/* No statement begins like this. The name it may have been meant to declare counts as known. */
static void unknown(lbr_parser *p, lbr_statement *s, const lbr_token *first, const char *word)
{
    lbr_item item = { .target = { .name = word, .place = first->place } };
    int near = p->lex.token.kind == '=' || p->file->nerrors >= LBR_MOST_ERRORS ? -1 : near_row(word);

    if (p->lex.token.kind == '=')
        lbr_parse_fail(p, first->place,
                       "'%.40s = ...' is not a statement: a rate is %.40s' = ..., a constant 'param %.40s = ...', "
                       "an abbreviation 'let %.40s = ...'",
                       word, word, word, word);
    else if (near >= 0)
        lbr_parse_fail(p, first->place, "'%.40s' begins no statement: did you mean '%s'?", word, statements[near].word);
    else lbr_parse_fail(p, first->place, "'%.40s' begins no statement", word);
    if (near >= 0) s->kind = statements[near].kind;
    if (p->lex.token.kind == LBR_TOKEN_NAME)
        item.target.place = p->lex.token.place, item.target.name = lbr_parse_token_text(p);
    if (item.target.name) lbr_parse_add(p, s, &item);
}

void lbr_parse_statement(lbr_parser *p, lbr_statement *s)
{
    const lbr_token first = p->lex.token;
    const char *word = p->lex.text + first.from;
    int row;

    if (first.kind != LBR_TOKEN_NAME) {
        lbr_parse_expected(p, "a statement");
        return;
    }
    lbr_lex_next(&p->lex);
    if (p->lex.token.kind == '\'' || p->lex.token.kind == '[') {
        s->kind = LBR_ST_RATES;
        lbr_lex_restart(&p->lex); /* a statement is the first thing in its line */
        items(p, s, rate);
    } else if ((row = row_of(word, first.to - first.from)) < 0) {
        if ((word = lbr_parse_text(p, first.from, first.to))) unknown(p, s, &first, word);
    } else {
        s->kind = statements[row].kind;
        if (statements[row].read) items(p, s, statements[row].read);
        else statements[row].parse(p, s);
    }
}

void lbr_parse_values(lbr_parser *p, lbr_statement *s)
{
    s->kind = LBR_ST_START;
    items(p, s, set);
}

void lbr_parse_lone_method(lbr_parser *p, lbr_statement *s)
{
    lbr_item item = { .target = { .place = p->lex.token.place, .name = "method" } };
    size_t from = p->lex.token.from;

    s->kind = LBR_ST_RUN;
    item.method = lbr_parse_method(p);
    if (!p->failed) item.source = lbr_parse_source(p, from);
    lbr_parse_add(p, s, &item);
    if (!p->failed && lbr_parse_accept(p, ',')) items(p, s, setting);
}

/* name[...]' = or name' =, read from behind the name. */
static int is_rate(lbr_lexer *x)
{
    if (x->token.kind == '[') {
        while (x->depth > 0 && x->token.kind != LBR_TOKEN_END) lbr_lex_next(x);
        lbr_lex_next(x);
    }
    if (x->token.kind != '\'') return 0;
    lbr_lex_next(x);
    return x->token.kind == '=';
}

/* A word of the table and then what no expression has there; after a comma `L = 1` and `q' = 1` may be items. */
int lbr_parse_begins(const char *s, size_t n, int item)
{
    const char *end = memchr(s, '\n', n);
    lbr_lexer x;
    int row;

    lbr_lex_start(&x, s, end ? (size_t)(end - s) : n);
    if (x.token.kind != LBR_TOKEN_NAME) return 0;
    row = row_of(s + x.token.from, x.token.to - x.token.from);
    lbr_lex_next(&x);
    if (row < 0 || x.token.kind == '[' || x.token.kind == '\'') return !item && is_rate(&x);
    if (statements[row].parse == value) return !item && x.token.kind == '=';
    return x.token.kind == LBR_TOKEN_NAME || x.token.kind == LBR_TOKEN_STRING || x.token.kind == LBR_TOKEN_NUMBER ||
           x.token.kind == LBR_TOKEN_NOT || x.token.kind == '{';
}
