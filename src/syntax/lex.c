/* lex.c - the words of a model file: blanks, comments, lines that go on, names, numbers, strings, signs.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "lex.h"
#include "core/number.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* --- characters -------------------------------------------------------------------------------------------------- */

static int is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static int is_digit(char c) { return c >= '0' && c <= '9'; }
static int is_word(char c) { return is_letter(c) || is_digit(c) || c == '_'; }

/* The i-th byte after the current position; 0 beyond the end. */
static char look(const lbr_lexer *x, size_t i) { return i < x->size - x->at ? x->text[x->at + i] : '\0'; }

/* Over n bytes of this line; columns count characters, so the later bytes of one do not count. */
static void pass(lbr_lexer *x, size_t n)
{
    for (; n > 0; n--) x->here.column += ((unsigned char)x->text[x->at++] & 0xc0) != 0x80;
}

size_t lbr_lex_character(const char *s, size_t n, uint32_t *code)
{
    static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    const unsigned char *b = (const unsigned char *)s;
    size_t m = n == 0 ? 0 : b[0] < 0x80 ? 1 : b[0] < 0xc0 ? 0 : b[0] < 0xe0 ? 2 : b[0] < 0xf0 ? 3 : b[0] < 0xf8 ? 4 : 0;

    if (m == 0 || m > n) return 0;
    *code = m == 1 ? b[0] : b[0] & (0x7fu >> m);
    for (size_t i = 1; i < m; i++) {
        if ((b[i] & 0xc0) != 0x80) return 0;
        *code = *code << 6 | (b[i] & 0x3f);
    }
    return *code < least[m] || *code > 0x10ffff || (*code >= 0xd800 && *code < 0xe000) ? 0 : m;
}

const char *lbr_lex_unreadable(const char *text, size_t size, lbr_place *place)
{
    uint32_t code = 0;

    *place = (lbr_place){ 1, 1 };
    for (size_t i = 0, n; i < size; i += n, place->column++) {
        if (!(n = lbr_lex_character(text + i, size - i, &code)))
            return "this is not UTF-8 text: save the file as UTF-8";
        if (code == 0) return "there is a zero byte here: this is not a text file";
        if (code == '\r' && (i + 1 == size || text[i + 1] != '\n'))
            return "there is a carriage return without a line feed: lines end in a line feed";
        if (code == '\n') place->line++, place->column = 0;
    }
    return NULL;
}

/* How much of a long word a message shows. */
static size_t shown(size_t n) { return n < 30 ? n : 30; }

__attribute__((format(printf, 2, 3))) static int problem(lbr_lexer *x, const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    vsnprintf(x->problem, sizeof x->problem, format, ap);
    va_end(ap);
    return LBR_TOKEN_BAD;
}

/* --- numbers ----------------------------------------------------------------------------------------------------- */

/* Digits have been passed that are followed by what no number has. The rest of the word goes with them. */
static int no_number(lbr_lexer *x, size_t from)
{
    const char *s = x->text + from;
    int n;
    char c = look(x, 0);

    while (is_word(look(x, 0))) pass(x, 1);
    n = (int)shown(x->at - from);
    if (c == '_') return problem(x, "'%.*s' is not a number: there is no '_' in numbers", n, s);
    if (c == 'e' || c == 'E')
        return problem(x, "'%.*s' is not a number: an exponent is a small e and digits, a product needs its '*'", n, s);
    return problem(x, "'%.*s' is not a number: a product needs its '*'", n, s);
}

static int number(lbr_lexer *x)
{
    size_t from = x->at, n;
    const char *s = x->text + from;

    while (is_digit(look(x, 0))) pass(x, 1);
    if (look(x, 0) == '.' && look(x, 1) != '.') {
        if (!is_digit(look(x, 1))) {
            n = shown(x->at - from);
            pass(x, 1);
            return problem(x, "a point in a number needs a digit after it: write '%.*s' or '%.*s.0'", (int)n, s, (int)n,
                           s);
        }
        do pass(x, 1);
        while (is_digit(look(x, 0)));
    }
    if (look(x, 0) == 'e') {
        n = look(x, 1) == '-' || look(x, 1) == '+' ? 2 : 1;
        if (is_digit(look(x, n)))
            for (pass(x, n); is_digit(look(x, 0));) pass(x, 1);
    }
    if (is_word(look(x, 0))) return no_number(x, from);
    lbr_number_read(s, x->text + x->at, &x->token.number);
    if (isfinite(x->token.number)) return LBR_TOKEN_NUMBER;
    return problem(x, "this number is too large: the largest is about 1.8e308");
}

/* --- names, strings, signs --------------------------------------------------------------------------------------- */

static int name(lbr_lexer *x)
{
    static const char *const words[] = { "and", "or", "not", "against" };
    size_t from = x->at;

    while (is_word(look(x, 0))) pass(x, 1);
    for (int i = 0; i < 4; i++)
        if (strlen(words[i]) == x->at - from && !memcmp(words[i], x->text + from, x->at - from))
            return LBR_TOKEN_AND + i;
    return LBR_TOKEN_NAME;
}

void lbr_lex_dashes(lbr_lexer *x)
{
    while (is_word(look(x, 0)) || (look(x, 0) == '-' && (is_letter(look(x, 1)) || is_digit(look(x, 1))))) pass(x, 1);
    x->token.to = x->at;
}

static int string(lbr_lexer *x)
{
    int kind = LBR_TOKEN_STRING;

    for (pass(x, 1);; pass(x, 1)) {
        char c = look(x, 0);

        if (x->at == x->size || c == '\n' || c == '\r')
            return problem(x, "this string is not ended: a '\"' is expected on the same line");
        if (c == '"') return pass(x, 1), kind;
        if ((c >= '\0' && c < ' ' && c != '\t') || c == 0x7f)
            kind = problem(x, "there is a control character in this string");
        if (c != '\\') continue;
        pass(x, 1);
        c = look(x, 0);
        if (c != '"' && c != '\\') kind = problem(x, "in a string only '\\\"' and '\\\\' begin with '\\'");
        if (x->at == x->size || c == '\n' || c == '\r')
            return problem(x, "this string is not ended: a '\"' is expected on the same line");
    }
}

/* What is no sign of the language, and what to write for it. */
static const struct {
    const char *wrong, *right;
} unknown[] = {
    { "==", "equality is written '='" },
    { "**", "a power is written '^'" },
    { "&&", "write 'and'" },
    { "||", "write 'or'" },
    { "!", "write 'not' or '!='" },
    { "%", "a remainder is mod(a, b)" },
    { ";", "a statement ends with its line" },
    { "\xe2\x88\x92", "write '-'" },
    { "\xe2\x80\x93", "write '-'" },
    { "\xc2\xb7", "write '*'" },
    { "\xc3\x97", "write '*'" },
    { "\xe2\x89\xa4", "write '<='" },
    { "\xe2\x89\xa5", "write '>='" },
    { "\xe2\x89\xa0", "write '!='" },
    { "\xe2\x80\x99", "write \"'\"" },
    { "\xe2\x80\xb2", "write \"'\"" },
    { "\xe2\x80\x9c", "write '\"'" },
    { "\xe2\x80\x9d", "write '\"'" },
    { "\xc2\xa0", "this is a blank that does not break; write a plain one" },
};

static int unknown_sign(lbr_lexer *x)
{
    uint32_t code = 0;
    size_t left = x->size - x->at, n = lbr_lex_character(x->text + x->at, left, &code);
    const char *s = x->text + x->at;

    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        size_t m = strlen(unknown[i].wrong);

        if (m > left || memcmp(s, unknown[i].wrong, m)) continue;
        pass(x, m);
        return problem(x, "'%s' is not a sign of this language: %s", unknown[i].wrong, unknown[i].right);
    }
    pass(x, n ? n : 1);
    if (code < 0x20 || (code >= 0x7f && code < 0xa0))
        return problem(x, "there is a control character (U+%04X) here", (unsigned)code);
    if (code >= 0x80)
        return problem(x, "the character U+%04X cannot stand here: names have letters a-z, A-Z, digits and '_'",
                       (unsigned)code);
    return problem(x, "'%c' is not a sign of this language", (int)code);
}

static void open_bracket(lbr_lexer *x, char c)
{
    if (x->depth <= LBR_NESTING) x->open[x->depth].bracket = c, x->open[x->depth].place = x->token.place;
    x->depth++;
}

/* Closes the innermost bracket if it is of its kind. */
static void close_bracket(lbr_lexer *x, char opening)
{
    if (x->depth > LBR_NESTING + 1 || (x->depth > 0 && x->open[x->depth - 1].bracket == opening)) x->depth--;
    else x->token.stray = 1;
}

static int sign(lbr_lexer *x)
{
    char c = look(x, 0), next = look(x, 1);

    if ((c == '=' && next == '=') || (c == '*' && next == '*')) return unknown_sign(x);
    if (c == '.' && next == '.') return pass(x, 2), LBR_TOKEN_RANGE;
    if (c == '.' && is_digit(next)) {
        for (pass(x, 2); is_word(look(x, 0));) pass(x, 1);
        return problem(x, "a point in a number needs a digit before it: write '0%.*s'",
                       (int)shown(x->at - x->token.from), x->text + x->token.from);
    }
    if (c == '^' && next == 'T' && !is_word(look(x, 2))) return pass(x, 2), LBR_TOKEN_TRANSPOSE;
    if (next == '=' && (c == '!' || c == '<' || c == '>')) return pass(x, 2), c == '<' ? 'l' : c == '>' ? 'g' : '!';
    if (!c || !strchr("()[]{},:=<>+-*/^.'", c)) return unknown_sign(x);
    if (c == '(' || c == '[' || c == '{') open_bracket(x, c);
    if (c == ')') close_bracket(x, '(');
    if (c == ']') close_bracket(x, '[');
    if (c == '}') close_bracket(x, '{');
    return pass(x, 1), c;
}

/* --- lines ------------------------------------------------------------------------------------------------------- */

int lbr_lex_goes_on(int kind)
{
    if (kind >= 256)
        return kind == LBR_TOKEN_AND || kind == LBR_TOKEN_OR || kind == LBR_TOKEN_NOT || kind == LBR_TOKEN_RANGE;
    return strchr(",:=!<l>g+-*/^", kind) != NULL;
}

static int against(const lbr_lexer *x)
{
    static const char word[] = "against";

    for (size_t i = 0; i < 7; i++)
        if (look(x, i) != word[i]) return 0;
    return !is_word(look(x, 7));
}

/* Over blanks, comments and ends of lines to what comes next; how many lines ended. */
static int gap(lbr_lexer *x)
{
    int lines = 0;

    for (;;) {
        char c = look(x, 0);

        if (c == ' ' || c == '\t' || c == '\r') pass(x, 1);
        else if (c == '#')
            while (x->at < x->size && look(x, 0) != '\n') pass(x, 1);
        else if (c == '\n') x->at++, x->here.line++, x->here.column = 1, lines++;
        else return lines;
    }
}

static int scan(lbr_lexer *x)
{
    char c = look(x, 0);

    if (x->at == x->size) return LBR_TOKEN_END;
    return is_letter(c) ? name(x) : is_digit(c) ? number(x) : c == '"' ? string(x) : sign(x);
}

void lbr_lex_next(lbr_lexer *x)
{
    int before = x->token.kind, lines;

    x->last = x->token, x->end = x->here;
    lines = gap(x);
    x->token = (lbr_token){ .place = x->here, .from = x->at, .to = x->at };
    if (lines && before != LBR_TOKEN_LINE && x->depth == 0 && !lbr_lex_goes_on(before) && x->at < x->size &&
        !against(x)) {
        x->token.kind = LBR_TOKEN_LINE, x->token.place = x->end;
        return;
    }
    if (lines || before == LBR_TOKEN_LINE) x->line.from = x->at, x->line.place = x->here, x->line.last = x->last;
    x->token.kind = scan(x);
    x->token.to = x->at;
    if (x->token.kind == LBR_TOKEN_END) x->token.place = x->end;
}

void lbr_lex_start(lbr_lexer *x, const char *text, size_t size)
{
    *x = (lbr_lexer){ .text = text, .size = size, .here = { 1, 1 }, .token.kind = LBR_TOKEN_LINE };
    lbr_lex_next(x);
}

void lbr_lex_rewind(lbr_lexer *x)
{
    x->at = x->line.from, x->here = x->line.place, x->depth = 0;
    x->token.kind = LBR_TOKEN_LINE;
}

void lbr_lex_restart(lbr_lexer *x) { lbr_lex_rewind(x), lbr_lex_next(x); }
