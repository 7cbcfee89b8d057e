/* method_rows.h - rows of the catalogue, and their numbers. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_PLAN_METHOD_ROWS_H
#define LBR_PLAN_METHOD_ROWS_H
#include "libration/method.h"
#include "core/dd.h"
#include "core/mem.h"
#include "core/text.h"

typedef struct lbr_kind lbr_kind;

/* A table as numbers, expanded: a Runge-Kutta method has A, b, c with s stages; everything else s steps b and, for
 * alternations, which of them are steps of the adjoint. A pair has A, b, c for positions and A2, b2, c2 for momenta
 * (with or without constraints), a Nystrom method A, b, c, bbar, and Ahat or NULL. */
typedef struct lbr_numbers {
    const lbr_kind *kind;
    int64_t s;
    lbr_dd *A, *b, *c, *A2, *b2, *c2;
    unsigned char *adjoint;
    lbr_dd *bbar, *Ahat;
} lbr_numbers;

/* Of a family: computes member k; fills the claims that depend on k, and numbers from the arena. 0, or -1: out of
 * memory. */
typedef int (*lbr_member_fn)(int k, lbr_method *claims, lbr_numbers *numbers, lbr_arena *arena);

typedef struct lbr_row {
    lbr_method m;
    lbr_member_fn member;
} lbr_row;

#define LBR_SIZED .size = sizeof(lbr_method)
/* A text list of literal strings. */
#define LBR_TEXTS(name)                  \
    {                                    \
        sizeof name / sizeof *name, name \
    }
/* Ends a file's rows. */
#define LBR_END              \
    {                        \
        .m = {.name = NULL } \
    }

/* A row by its name or alias; NULL if there is none. */
const lbr_row *lbr_row_find(const char *name);
/* Puts the catalogue's name (or alias) nearest to a misspelt one into *near, if it is nearer than *least. */
void lbr_row_nearest(const char *name, int *least, const char **near);

/* The first argument of LBR_TEXTS is a list made by this. */
#define LBR_LIST(name, ...) static const char *const name[] = { __VA_ARGS__ }

/* --- how kinds read the text of a table (numbers.c) -------------------------------------------------------------- */

enum { LBR_TABLEAU_LARGEST = 256 };

/* The numbers of a list, whatever its length; `what` names it in messages. */
lbr_status lbr_read_list(const lbr_method *r, const char *what, lbr_list list, lbr_dd **out, lbr_arena *arena,
                         lbr_message *m);
/* The same of a list that must have n entries. */
lbr_status lbr_read_exactly(const lbr_method *r, const char *what, lbr_list list, int64_t n, lbr_dd **out,
                            lbr_arena *arena, lbr_message *m);
/* A, b, c of a Runge-Kutta method. */
lbr_status lbr_read_tableau(const lbr_method *r, lbr_numbers *x, lbr_arena *arena, lbr_message *m);
/* Steps b, all of them where a half is given; at odd places of the adjoint, where the kind alternates. */
lbr_status lbr_read_steps(const lbr_method *r, lbr_numbers *x, lbr_arena *arena, lbr_message *m);

/* Numbers and claims of a row (k: which member of a family, -1 otherwise). Claims are a copy with `order` and so on
 * filled in. LBR_EMETHOD with a sentence where k or a user's text is wrong. */
lbr_status lbr_row_numbers(const lbr_row *row, int k, lbr_method *claims, lbr_numbers *numbers, lbr_arena *arena,
                           lbr_message *message);
#endif
