/* emit_make.h - what the files that write C share. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_PROGRAM_EMIT_MAKE_H
#define LBR_PROGRAM_EMIT_MAKE_H
#include "code_make.h"
#include "emit.h"

/* One function being written. A register of the maker is a variable r<number>, or another one's (alias), or a constant.
 */
typedef struct lbr_emitter {
    lbr_unit *unit;
    lbr_text *to;
    lbr_maker *m;
    int32_t *alias;       /* of each register: the one whose value it has, or 0 */
    int32_t *constant;    /* 1 + its place in K, or 0 */
    uint8_t *number;      /* it is a number, not lanes */
    uint8_t *plain;       /* no fma can be behind it: see negate in emit.c */
    uint8_t *had, *taken; /* of each register: it is written; of each instruction: so is it, in a QUAD */
    int32_t *home, quads; /* of each register: 4 times its QUAD + lane, or 0; QUADs so far */
    int32_t *turn;
    int64_t *rows;  /* of each slot: the stride it is turned around by, or 0; its length by that */
    int32_t zero;   /* 1 + the place of -0 in K, or 0 */
    int64_t *data;  /* of each slot of constants: where in K it is, or -1 */
    int32_t strips; /* loops so far, to number their variables */
    int cut, strip; /* the function is long: values outside of strips are kept in memory; where we are */
    uint8_t *kept;  /* of each register: a home in memory, below */
    int32_t since;  /* instructions since the last cut */
    char text[16][48];
    int next; /* operands being written */
} lbr_emitter;

enum { LBR_KEPT_REAL = 1, LBR_KEPT_NUMBER, LBR_KEPT_INPUT };

/* --- emit.c ------------------------------------------------------------------------------------------------------ */

/* A register as an operand: as it is (a number), or as REAL. Good until fifteen more have been asked for. */
const char *lbr_emit_number(lbr_emitter *e, int32_t v);
const char *lbr_emit_real(lbr_emitter *e, int32_t v);
int lbr_emit_is_number(const lbr_emitter *e, int32_t v);
/* The elements of a slot: its name; whether they are numbers. */
const char *lbr_emit_slot(lbr_emitter *e, int32_t slot, int *numbers);
/* The same where places are: perhaps turned around. */
const char *lbr_emit_array(lbr_emitter *e, int32_t slot, int *numbers);
/* A whole number that is known. */
int lbr_emit_whole(const lbr_emitter *e, int32_t v, int64_t *value);
/* One instruction that is no loop and no sum. */
void lbr_emit_instruction(lbr_emitter *e, const lbr_rec *r, int strip);
/* Everything from a record on, up to (not including) the one that closes the loop; gives that one. */
int32_t lbr_emit_list(lbr_emitter *e, int32_t from);

/* --- emit_group.c ------------------------------------------------------------------------------------------------ */

/* An instruction and others that follow in one; 0: it is none for that. */
int lbr_emit_group(lbr_emitter *e, int32_t i);

/* --- emit_transpose.c --------------------------------------------------------------------------------------------- */

/* Before and after a function's instructions; an address in what is turned around, q<slot>. */
void lbr_emit_turn(lbr_emitter *e);
void lbr_emit_turn_back(lbr_emitter *e);
void lbr_emit_turned_address(lbr_emitter *e, const lbr_cell *p, int strip);

/* --- emit_loop.c ------------------------------------------------------------------------------------------------- */

/* The address at a place, as an expression; in strip `strip` (-1: outside) the iteration is k<strip>. */
void lbr_emit_address(lbr_emitter *e, const lbr_cell *p, int strip);
void lbr_emit_put(lbr_emitter *e, const lbr_rec *r, int strip, const char *a, const char *b);
int32_t lbr_emit_loop(lbr_emitter *e, int32_t open); /* both: gives the record that closes it */
int32_t lbr_emit_strip(lbr_emitter *e, int32_t strip);
void lbr_emit_finish(lbr_emitter *e, const lbr_rec *r);
#endif
