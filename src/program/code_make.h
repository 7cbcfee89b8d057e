/* code_make.h - what the files that make programs share. SPDX-License-Identifier: BSD-3-Clause
 *
 * In order: what is needed and when it can be had (code_need.c), where indices point (code_index.c), what is assigned
 * for sure (code_cover.c), what is done in which loop together (code_block.c), instructions with registers without end
 * (code_emit.c), the registers there are (code_link.c). */
#ifndef LBR_PROGRAM_CODE_MAKE_H
#define LBR_PROGRAM_CODE_MAKE_H
#include "code_machine.h"

enum { LBR_CODE_DEPTH = 32 }; /* loops in each other */

/* An instruction in a list; d, a, b, c are virtual registers where the machine has registers. Number 0 is none. */
typedef struct lbr_rec {
    int32_t next;
    uint16_t op;
    uint8_t wide;
    int32_t d, a, b, c;
} lbr_rec;
typedef struct lbr_record_list {
    int32_t first, last;
} lbr_record_list;

/* A virtual register. Fixed ones live all the time: constants, what is read and written in rows. */
typedef enum { LBR_VREG_SCALAR, LBR_VREG_WIDE, LBR_VREG_CONST, LBR_VREG_IN, LBR_VREG_OUT } lbr_vreg_kind;
typedef struct lbr_vreg {
    lbr_vreg_kind kind;
    int32_t slot, address; /* of IN, OUT */
    double value;          /* of CONST */
    int32_t def, last, number;
} lbr_vreg;

/* All values of a node, over all iterations; whole: integers. Unknown: infinite. */
typedef struct lbr_range {
    double lo, hi;
    int whole;
} lbr_range;

/* A loop being emitted: what goes before it, and which nodes have been spread over lanes for it. */
typedef struct lbr_pass {
    lbr_record_list before;
    int32_t spread;
} lbr_pass;

typedef struct lbr_maker {
    const lbr_dag *dag;
    int32_t nodes, arrays; /* of the graph: from here on nothing is needed */
    lbr_routine *p;
    lbr_arena *keep, temp;
    lbr_message *message;
    lbr_status status;
    int64_t shift;
    int levels, dynamic; /* of loops, the top being one; some index is not constant */
    /* of each node */
    uint8_t *need, *nest; /* nest: a reduction of its own scope is in it */
    int32_t *avail;       /* [levels]: see lbr_maker_avail */
    lbr_range *range;     /* NULL if nothing is indexed */
    int32_t *reg, *spread, *pin, *stamp, *level;
    int32_t stamps;
    int32_t *stack;
    int32_t nstack, most_stack;
    /* of each array */
    uint8_t *seen, *read;
    lbr_entry **entry;                 /* in the order in which they are taken */
    int32_t *complete, *slot, *sorted; /* complete: the depth from which it can be read */
    /* what is made */
    lbr_rec *rec;
    int32_t nrecs, most_recs;
    lbr_vreg *vreg;
    int32_t nvregs, most_vregs;
    int32_t most_places, most_slots, most_dense;
    struct {
        int32_t node, next;
    } * undo;
    int32_t nundo, most_undo;
    lbr_record_list prologue, main, *now;
    int wide; /* in a strip */
    lbr_pass pass[LBR_CODE_DEPTH];
} lbr_maker;

/* Room for one more element after n; 0 if memory is gone. */
int lbr_maker_room(lbr_maker *m, void **array, int32_t n, int32_t *most, size_t size);
lbr_status lbr_maker_fail(lbr_maker *m, lbr_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
lbr_status lbr_maker_no_memory(lbr_maker *m);

static inline int lbr_maker_level(const lbr_maker *m, lbr_ref n) { return m->dag->loop[m->dag->node[n].scope].level; }
static inline int lbr_is_reduction(const lbr_dag_node *n) { return n->op >= LBR_OP_SUM; }

/* In a block (the top, the body of a loop) things are done in layers: what needs no loop, then loops; what needs their
 * results; loops again. The layer of the block of level l in which a node can be had: 0 if it comes from outside. */
static inline int32_t lbr_maker_avail(const lbr_maker *m, lbr_ref n, int l)
{
    return lbr_maker_level(m, n) < l ? 0 : m->avail[(int64_t)n * m->levels + l];
}

/* --- code.c: all but the last step ------------------------------------------------------------------------------- */

lbr_status lbr_maker_translate(lbr_maker *m, const lbr_output *out, int nout);

/* --- code_need.c ------------------------------------------------------------------------------------------------- */

/* What these outputs need of a large graph as a graph of its own, in the arena, and what they are called there. 1; 0:
 * the graph is small, or they need much of it; -1: no memory. */
int lbr_code_extract(const lbr_dag *dag, const lbr_output *out, int nout, lbr_arena *arena, lbr_dag *to,
                     lbr_output *now);
lbr_status lbr_maker_need(lbr_maker *m, const lbr_output *out, int nout);

/* Entries [e0, e1) of an array that go through a loop of the block of loop L together; or, if loop is L, one that is
 * put there. */
typedef struct lbr_entries {
    int array, e0, e1, loop, strip;
    int32_t depth;
} lbr_entries;
/* Those that begin with e0, of entries up to e1. *depth is the layer reached so far. */
lbr_entries lbr_maker_entries(const lbr_maker *m, int array, int e0, int e1, int L, int32_t *depth);

/* --- code_index.c ------------------------------------------------------------------------------------------------ */

lbr_status lbr_maker_ranges(lbr_maker *m);
/* An index in the strip of loop L: stride*iteration + offset + factors times nodes from outside. 0: it is something
 * else. */
typedef struct lbr_affine {
    int64_t stride, offset, factor[2];
    lbr_ref node[2];
    int n;
} lbr_affine;
int lbr_maker_affine(const lbr_maker *m, lbr_ref index, int L, lbr_affine *f);
/* A place without its registers. */
lbr_cell lbr_maker_cell(lbr_maker *m, int array, lbr_ref index, lbr_cell_kind kind);

/* --- code_cover.c ------------------------------------------------------------------------------------------------ */

/* Whether the entries of a made array assign every element: then it need not begin with zeros. */
int lbr_maker_covered(lbr_maker *m, int array);

/* --- code_block.c ------------------------------------------------------------------------------------------------ */

/* How a node is computed, signs taken into the operation: op and n operands. */
typedef struct lbr_operation {
    int op, n;
    lbr_ref x[3];
} lbr_operation;
lbr_operation lbr_maker_step(const lbr_maker *m, lbr_ref n);
/* How a term is added: ACC_SUM, ACC_FMA, ACC_FNMA. */
lbr_operation lbr_maker_term(const lbr_maker *m, lbr_ref n);
lbr_status lbr_maker_top(lbr_maker *m, const lbr_output *out, int nout);

/* --- code_emit.c ------------------------------------------------------------------------------------------------- */

int32_t lbr_maker_vreg(lbr_maker *m, lbr_vreg v);
void lbr_maker_emit(lbr_maker *m, int op, int32_t d, int32_t a, int32_t b, int32_t c);
void lbr_maker_join(lbr_maker *m, lbr_record_list *to, lbr_record_list from);
int32_t lbr_maker_scalar(lbr_maker *m, lbr_ref n); /* the register that has it */
void lbr_maker_node(lbr_maker *m, lbr_ref n);
void lbr_maker_entry(lbr_maker *m, int array, const lbr_entry *e);
void lbr_maker_put(lbr_maker *m, int slot, int64_t address, lbr_ref value);
/* Around a loop: begin before its body is emitted (in the list of the body), then close. kind and acc: its reductions.
 */
typedef struct lbr_around {
    int loop, strip, n;
    const lbr_ref *reduction;
    int32_t *acc;
    lbr_record_list body, *outside;
    int32_t index;
} lbr_around;
void lbr_maker_open(lbr_maker *m, lbr_around *a);
void lbr_maker_close(lbr_maker *m, lbr_around *a);
void lbr_maker_accumulate(lbr_maker *m, lbr_ref reduction, int32_t acc);

/* --- code_link.c ------------------------------------------------------------------------------------------------- */

lbr_status lbr_maker_link(lbr_maker *m);
#endif
