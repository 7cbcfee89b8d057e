/* ast.h - a model file as it is written: statements and expressions with their places.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The parser knows the grammar and nothing else: names are not looked up, shapes are not checked. Everything lives in
 * the arena of its file.
 *
 * Sums, products, comparisons and conditions of any length are one node each, so that a tree is as deep as its text is
 * nested, no deeper: at most LBR_NESTING levels of brackets, signs, powers and suffixes. It may be walked by recursion.
 */
#ifndef LBR_SYNTAX_AST_H
#define LBR_SYNTAX_AST_H
#include "core/mem.h"
#include "core/text.h"

/* The limits of a text: its bytes, how deep it nests, how many of its errors are kept. */
#ifndef LBR_LONGEST_TEXT
    #define LBR_LONGEST_TEXT (1 << 20)
#endif
enum { LBR_NESTING = 200, LBR_MOST_ERRORS = 20 };

/* A place in a text: line and column count from 1, columns in characters (not bytes). */
typedef struct lbr_place {
    int32_t line, column;
} lbr_place;

typedef enum {
    LBR_NODE_NUMBER,    /* number, and its text */
    LBR_NODE_STRING,    /* text, without quotes and escapes */
    LBR_NODE_NAME,      /* text */
    LBR_NODE_CALL,      /* text(arg, ...); of sum, prod, max, min: ranges (LBR_NODE_BINDER), then one expression */
    LBR_NODE_INDEX,     /* arg[0][arg[1], ...] */
    LBR_NODE_MEMBER,    /* arg[0].text */
    LBR_NODE_PRIME,     /* arg[0]' */
    LBR_NODE_TRANSPOSE, /* arg[0]^T */
    LBR_NODE_NEGATE,    /* -arg[0] */
    LBR_NODE_POWER,     /* arg[0]^arg[1] */
    LBR_NODE_CHAIN,     /* arg[0] text[0] arg[1] text[1] arg[2] ..., from the left; text is of + and -, or of * and / */
    LBR_NODE_COMPARE,   /* the same with comparisons, each between its neighbours: = ! < l > g for = != < <= > >= */
    LBR_NODE_NOT,       /* not arg[0] */
    LBR_NODE_AND,
    LBR_NODE_OR,    /* arg[0] and arg[1] and ... */
    LBR_NODE_LIST,  /* [arg, ...] */
    LBR_NODE_BINDER /* text = arg[0] .. arg[1] */
} lbr_node_kind;

typedef struct lbr_node {
    lbr_node_kind kind;
    int n;
    struct lbr_node **arg;
    const char *text;
    double number;
    lbr_place place; /* of an operator: the (first) operator; of anything else: its first character */
    lbr_place first; /* the first character of the whole expression, a bracket around it included */
    lbr_place *at;   /* of CHAIN, COMPARE, AND, OR: where its n - 1 operators are */
    int nest;        /* levels in it: 0 of a name, at most LBR_NESTING */
} lbr_node;

/* name[index, ...]' on a left side; an index is an expression or a binder. */
typedef struct lbr_target {
    lbr_place place;
    const char *name;
    int n;
    lbr_node **index;
    int prime;
} lbr_target;

/* A method in a setting: mname[:k](arg, ...). k is a number or a name; arguments are methods, numbers or (expressions).
 */
typedef struct lbr_mexpr {
    lbr_place place;
    const char *name; /* with its dashes; NULL: value is an argument that is a number or (expression) */
    const char *key;  /* word before "=", or NULL */
    int has_k, k;
    const char *k_name; /* after ":" */
    lbr_place k_place;
    int n, has_args;
    struct lbr_mexpr **arg;
    lbr_node *value;
} lbr_mexpr;

/* One item of a statement: target = value. What value is depends on the statement and on the target's name. */
typedef struct lbr_item {
    lbr_target target, second; /* second: of {first, second} = ... in poisson */
    int nparams;
    const char **param;
    lbr_place *param_place; /* of a function name(param, ...) */
    lbr_node *value;        /* an expression, a word (a name) or a string */
    lbr_mexpr *method;      /* instead, after method = and control = */
    const char *source;     /* of a setting: its value as it is written ("fixed-point" is an expression) */
} lbr_item;

typedef enum {
    LBR_ST_NONE, /* none of the following: always faulty */
    LBR_ST_TITLE,
    LBR_ST_SOURCE, /* text */
    LBR_ST_USE,    /* text; is_string: a file, otherwise a gallery name; items: sets */
    LBR_ST_PARAM,
    LBR_ST_CANONICAL,
    LBR_ST_STATE,
    LBR_ST_ROTATION,
    LBR_ST_PARTITION, /* items; of variables only target */
    LBR_ST_LET,
    LBR_ST_H,
    LBR_ST_L,
    LBR_ST_RAYLEIGH, /* value */
    LBR_ST_PART,     /* text: its name; value, or items with primes */
    LBR_ST_RATES,    /* items with primes */
    LBR_ST_POISSON,
    LBR_ST_FLOW, /* flow: text its part, text2 its time */
    LBR_ST_CONSTRAINT,
    LBR_ST_INVARIANT,
    LBR_ST_OBSERVE,
    LBR_ST_MEASURE,
    LBR_ST_REVERSE,
    LBR_ST_START,
    LBR_ST_SECTION, /* text; value: left = right as a COMPARE of two; more: conditions */
    LBR_ST_METHOD,  /* text; item[0].method, or coefficients: text2 is composition, splitting or butcher,
                       items the lists, each with its name as target (of a composition: none) */
    LBR_ST_RUN,     /* target (its name NULL if there is none); items: settings */
    LBR_ST_PLOT,
    LBR_ST_TABLE, /* text: name or NULL; items: settings */
    LBR_ST_CLAIM  /* target (or none), text: label or NULL; value; items: against */
} lbr_statement_kind;

/* A faulty statement has an error. It holds what was read before it, and as items without value the names that follow:
 * it is there so that these names count as known, and for nothing else. */
typedef struct lbr_statement {
    lbr_statement_kind kind;
    lbr_place place; /* of its first word */
    int faulty;
    const char *text, *text2;
    lbr_place text_place, text2_place;
    int is_string, has_against;
    lbr_target target;
    lbr_node *value;
    int nmore;
    lbr_node **more;
    int n;
    lbr_item *item;
    const char *source; /* of a claim: the text of its condition, on one line, without comments */
} lbr_statement;

/* One error: where, and what was found and expected. */
typedef struct lbr_error {
    lbr_place place;
    const char *text;
} lbr_error;

/* A text and what was read of it. The text is the caller's and must live as long. */
typedef struct lbr_file {
    const char *name, *text;
    size_t size;
    lbr_arena *arena;
    int nstatements;
    lbr_statement *statement;
    int nerrors;
    lbr_error error[LBR_MOST_ERRORS]; /* nerrors counts all, also those beyond the array */
    int no_memory;                    /* an error found no memory for its text */
    const char *folder;               /* of what it names (source.c); NULL: none */
    const char **reads;               /* the names in read("...") */
    int nreads, most_reads;
} lbr_file;

/* Reads a text of `size` bytes (need not end in 0). LBR_OK, or LBR_EARG where there are errors, or LBR_ENOMEM. */
lbr_status lbr_file_parse(lbr_file *file, const char *name, const char *text, size_t size, lbr_arena *arena);

/* The same of what the command line gives: settings NAME = VALUE, as they stand in `start`, or a method and settings,
 * as they stand in `run`. There is no word before them; file->statement[0] has the items, in `run` the method first. */
typedef enum { LBR_GIVEN_VALUE, LBR_GIVEN_METHOD } lbr_given;
lbr_status lbr_given_parse(lbr_file *file, const char *name, const char *text, lbr_given what, lbr_arena *arena);

/* Adds an error at a place; one per statement is the caller's business. */
void lbr_file_error(lbr_file *file, lbr_place place, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* All errors as people read them: file:line:column: text, the line, a caret; then the count if there are more than 20.
 * NULL: out of memory. */
const char *lbr_file_report(const lbr_file *file, lbr_arena *arena);
#endif
