/* lex.h - the words of a model file, one at a time. SPDX-License-Identifier: BSD-3-Clause
 *
 * The current token is all that has been read: what follows it is read when it is asked for, so that the parser can say
 * that a name goes on over dashes. A lexer may be copied to look further ahead. */
#ifndef LBR_SYNTAX_LEX_H
#define LBR_SYNTAX_LEX_H
#include "ast.h"

/* A token is a character that stands for itself, or ! l g for != <= >=, or one of these. */
enum {
    LBR_TOKEN_END = 256,
    LBR_TOKEN_LINE, /* the end of the text, of a statement */
    LBR_TOKEN_BAD,  /* what cannot be read; lexer.problem says why */
    LBR_TOKEN_NUMBER,
    LBR_TOKEN_STRING,
    LBR_TOKEN_NAME,
    LBR_TOKEN_AND,
    LBR_TOKEN_OR,
    LBR_TOKEN_NOT,
    LBR_TOKEN_AGAINST,
    LBR_TOKEN_RANGE,
    LBR_TOKEN_TRANSPOSE /* .. and ^T */
};

typedef struct lbr_token {
    int kind;
    lbr_place place;
    size_t from, to; /* its bytes */
    double number;
    int stray; /* a closing bracket: not that of the innermost open one */
} lbr_token;

typedef struct lbr_lexer {
    const char *text;
    size_t size, at;       /* at: what follows the token */
    lbr_place here;        /* the place of that */
    lbr_token token, last; /* the current one, and the one before */
    lbr_place end;         /* where the one before ends */
    struct {
        size_t from;
        lbr_place place;
        lbr_token last;
    } line;    /* the first token of this line of text, and the one before it */
    int depth; /* brackets open; those that may be are kept */
    struct {
        char bracket;
        lbr_place place;
    } open[LBR_NESTING + 1];
    char problem[160];
} lbr_lexer;

/* Before the first token; text must be valid UTF-8. */
void lbr_lex_start(lbr_lexer *lexer, const char *text, size_t size);

/* To the next token. */
void lbr_lex_next(lbr_lexer *lexer);

/* Forgets what is open and reads on from the first token of this line of text, as the beginning of a statement. */
void lbr_lex_restart(lbr_lexer *lexer);
/* The same, one token before: at the end of the statement that came before this line. */
void lbr_lex_rewind(lbr_lexer *lexer);

/* The current token is a name: it goes on over dashes. */
void lbr_lex_dashes(lbr_lexer *lexer);

/* Whether a line that ends in such a token goes on in the next one. */
int lbr_lex_goes_on(int kind);

/* The first byte that is not text (not UTF-8, a zero, a lone carriage return): its place and what it is, or NULL. */
const char *lbr_lex_unreadable(const char *text, size_t size, lbr_place *place);

/* The length of the UTF-8 character that begins with *s, of which n bytes are there, and its number; 0: it is none. */
size_t lbr_lex_character(const char *s, size_t n, uint32_t *code);
#endif
