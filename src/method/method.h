/* method.h - rows of the catalogue, and their numbers. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_METHOD_METHOD_H
#define LBR_METHOD_METHOD_H
#include "libration/method.h"
#include "core/dd.h"
#include "core/mem.h"
#include "core/text.h"

/* A table as numbers, expanded: a Runge-Kutta method has A, b, c with s stages; everything else s steps b
 * and, for alternations, which of them are steps of the adjoint. A pair has A, b, c for positions and A2, b2, c2 for momenta (with or without constraints),
 * a Nystrom method A, b, c, bbar, and Ahat or NULL. */
typedef struct lbr_numbers {
    lbr_form form;
    int64_t s;
    lbr_dd *A, *b, *c, *A2, *b2, *c2;
    unsigned char *adjoint;
    lbr_dd *bbar, *Ahat;
} lbr_numbers;

/* Of a family: computes member k; fills the claims that depend on k, and numbers from the arena. 0, or -1: out of memory. */
typedef int (*lbr_member_fn)(int k, lbr_method *claims, lbr_numbers *numbers, lbr_arena *arena);

typedef struct lbr_row { lbr_method m;  lbr_member_fn member; } lbr_row;

#define LBR_SIZED .size = sizeof (lbr_method)
/* A text list of literal strings. */
#define LBR_TEXTS(name)  { sizeof name / sizeof *name, name }
/* Ends a file's rows. */
#define LBR_END { .m = { .name = NULL } }

/* The files with rows, in the order in which they are listed. To add one: the file, and its name here. */
#define LBR_ROW_FILES(X) X(runge_kutta) X(quadrature) X(partitioned) X(nystrom) X(splitting) X(splitting_rkn) X(near) X(corrector) X(composition) X(processed) X(generating) X(volume) X(kahan) X(constrained) X(rigid) X(moser_veselov)
#define LBR_ROWS_DECLARE(name) extern const lbr_row lbr_rows_##name[];
LBR_ROW_FILES(LBR_ROWS_DECLARE)

/* Forms that are no method by themselves. */
static inline int lbr_is_processor(lbr_form form) { return form == LBR_PROCESSOR || form == LBR_CORRECTOR; }

/* A row by its name or alias; NULL if there is none. */
const lbr_row *lbr_row_find(const char *name);
/* Puts the catalogue's name (or alias) nearest to a misspelt one into *near, if it is nearer than *least. */
void lbr_row_nearest(const char *name, int *least, const char **near);

/* The member of the family of Burton and Scherer with s stages and a_1s = theta (method/nystrom.c). 0, or -1: out of memory. */
int lbr_burton_scherer(int s, lbr_dd theta, lbr_method *claims, lbr_numbers *numbers, lbr_arena *arena);
enum { LBR_BURTON_SCHERER_MOST = 16 };

/* Numbers and claims of a row (k: which member of a family, -1 otherwise). Claims are a copy with `order` and so on
 * filled in. LBR_EMETHOD with a sentence where k or a user's text is wrong. */
lbr_status lbr_row_numbers(const lbr_row *row, int k, lbr_method *claims, lbr_numbers *numbers, lbr_arena *arena, lbr_message *message);
#endif
