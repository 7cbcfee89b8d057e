/* parse.h - what the files of the parser share. SPDX-License-Identifier: BSD-3-Clause
 *
 * A function that reads something leaves the parser at the first token after it. When it fails it has said why, by
 * lbr_parse_fail or lbr_parse_expected, and gives NULL or 0; its callers give up until the statement is left. */
#ifndef LBR_SYNTAX_PARSE_H
#define LBR_SYNTAX_PARSE_H
#include "lex.h"

/* An operand on its way into a node, with the operator after it. */
typedef struct lbr_pending_operand {
    lbr_node *node;
    char op;
    lbr_place at;
} lbr_pending_operand;

typedef struct lbr_parser {
    lbr_file *file;
    lbr_lexer lex;
    lbr_status status; /* LBR_ENOMEM once there is no memory */
    int failed;        /* this statement has an error: place, message */
    int certain;       /* it is one whatever the brackets are */
    lbr_place place;
    char message[LBR_MESSAGE];
    int line;  /* where this statement begins */
    int depth; /* of the recursion */
    lbr_pending_operand *stack;
    int nstack, stack_size; /* operands, of all levels */
    char *pool;
    size_t pool_left;
    int items_size; /* how many fit into the statement's items */
} lbr_parser;

/* --- parse.c: the rest of the machine ---------------------------------------------------------------------------- */

/* The first one in a statement counts. NULL always. */
void *lbr_parse_fail(lbr_parser *p, lbr_place place, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* "expected ..., found ..." at the current token. */
void *lbr_parse_expected(lbr_parser *p, const char *what);
/* Takes a token of this kind if it is there. */
int lbr_parse_accept(lbr_parser *p, int kind);
/* Takes it, or fails: `what` says it in words. */
int lbr_parse_expect(lbr_parser *p, int kind, const char *what);
/* One level more; 0: there were too many. */
int lbr_parse_deeper(lbr_parser *p, lbr_place place);
/* Zeroed memory, or NULL and the status is LBR_ENOMEM. */
void *lbr_parse_memory(lbr_parser *p, int64_t count, size_t size);
/* Room for one more in an array of the file. */
#define LBR_PARSE_ROOM(p, array, used, most) (LBR_ROOM((p)->file->arena, array, used, most, 1) || lbr_parse_starved(p))
int lbr_parse_starved(lbr_parser *p); /* no memory is left: 0 */
/* The bytes from .. to of the text. */
const char *lbr_parse_text(lbr_parser *p, size_t from, size_t to);
/* The current token's text; of a string without quotes and escapes. */
const char *lbr_parse_token_text(lbr_parser *p);
/* The text from a byte to the last token, comments left out and blanks made one. */
const char *lbr_parse_source(lbr_parser *p, size_t from);
/* Whether the current token is this word. */
int lbr_parse_is(const lbr_parser *p, const char *word);
/* Another item of a statement. */
void lbr_parse_add(lbr_parser *p, lbr_statement *s, const lbr_item *item);

/* --- parse_expr.c ------------------------------------------------------------------------------------------------ */

lbr_node *lbr_parse_expr(lbr_parser *p);  /* with conditions */
lbr_node *lbr_parse_sum(lbr_parser *p);   /* without; what follows is not looked at */
lbr_node *lbr_parse_value(lbr_parser *p); /* without; a condition is an error */
lbr_node *lbr_parse_index(lbr_parser *p); /* of a left side: a range or a value */
/* [index, ...] of a left side, each read by `one`. */
int lbr_parse_indices(lbr_parser *p, lbr_target *t, lbr_node *(*one)(lbr_parser *));
/* A node over operands base .. of the stack, which are taken off. */
lbr_node *lbr_parse_node(lbr_parser *p, lbr_node_kind kind, lbr_place place, lbr_place first, int base);
int lbr_parse_push(lbr_parser *p, lbr_node *node, char op, lbr_place at);
/* The operands base .. of the stack, which are taken off. */
lbr_node **lbr_parse_pop(lbr_parser *p, int base);

/* --- parse_method.c ---------------------------------------------------------------------------------------------- */

lbr_mexpr *lbr_parse_method(lbr_parser *p);

/* --- parse_statement.c ------------------------------------------------------------------------------------------- */

void lbr_parse_statement(lbr_parser *p, lbr_statement *s);
/* The items of one without its first word: lbr_given. */
void lbr_parse_values(lbr_parser *p, lbr_statement *s);
void lbr_parse_lone_method(lbr_parser *p, lbr_statement *s);
/* Whether these bytes, the beginning of a line, look like that of a statement; or of an item, if that may be. */
int lbr_parse_begins(const char *s, size_t n, int item);
#endif
