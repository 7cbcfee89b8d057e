/* emit_group.c - square roots and divisions four at a time, where C is written without loops.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A processor takes as long for four of them as for one, and compilers do not find them. Four (or three) that wait for
 * nothing are one QUAD g<number>; what is done with its lanes, each alone and with all of them, is done with the QUAD,
 * too. Bits stay what they are: every lane is computed as it was. */
#include "emit_make.h"

#include <string.h>

enum { QUAD = 4, FEWEST = 3, AHEAD = 256 }; /* lanes; lanes that are worth it; instructions that are looked through */

static const struct {
    int op, operands, begins;
    const char *name;
} rows[] = { { LBR_OP_SQRT, 1, 1, "SQRT" },
             { LBR_OP_DIV, 2, 1, "DIV" },
             { LBR_OP_MUL, 2, 0, "MUL" },
             { LBR_OP_ADD, 2, 0, "ADD" },
             { LBR_OP_SUB, 2, 0, "SUB" } };

static int row_of(int op)
{
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        if (rows[k].op == op) return (int)k;
    return -1;
}

static int32_t operand(const lbr_emitter *e, const lbr_rec *r, int k)
{
    int32_t v = k ? r->b : r->a;

    while (e->alias[v]) v = e->alias[v];
    return v;
}

/* Written before: it can be used here. */
static int had(const lbr_emitter *e, int32_t v) { return e->had[v] || e->m->vreg[v].kind == LBR_VREG_CONST; }

/* The lane that all operands are in, -1 if they are not; and of each the QUAD (0: it is a number). */
static int lane_of(const lbr_emitter *e, const lbr_rec *r, int operands, int32_t *quad)
{
    int lane = -1;

    for (int k = 0; k < operands; k++) {
        int32_t v = operand(e, r, k), home = e->home[v];

        quad[k] = 0;
        if (!had(e, v)) return -1;
        if (lbr_emit_is_number(e, v)) continue;
        if (!home || (lane >= 0 && lane != home % QUAD)) return -1;
        lane = home % QUAD, quad[k] = home / QUAD;
    }
    return lane;
}

/* Loops and what ends them: nothing is looked for beyond. */
static int is_loop(int op)
{
    return op == LBR_CODE_OPEN || op == LBR_CODE_STRIP || op == LBR_CODE_NEXT || op == LBR_CODE_LAST;
}

/* Those that go on with the lanes of the same QUADs as r, each in its place. */
static int followers(const lbr_emitter *e, int32_t i, int row, int32_t *mate, int32_t *quad)
{
    int n = rows[row].operands, count = 0, lane;
    int32_t other[2] = { 0, 0 };

    if (lane_of(e, &e->m->rec[i], n, quad) < 0) return 0;
    for (int ahead = 0; i && ahead < AHEAD && !is_loop(e->m->rec[i].op); i = e->m->rec[i].next, ahead++) {
        if (e->m->rec[i].op != rows[row].op || e->taken[i]) continue;
        if ((lane = lane_of(e, &e->m->rec[i], n, other)) < 0 || mate[lane] || memcmp(quad, other, sizeof other))
            continue;
        mate[lane] = i, count++;
    }
    return count;
}

/* Whether an operation is one for lanes, and all that it needs is there. */
static int ready(const lbr_emitter *e, const lbr_rec *r, int operands)
{
    int numbers = 1;

    for (int k = 0; k < operands; k++) {
        int32_t v = operand(e, r, k);

        if (!had(e, v)) return 0;
        numbers &= lbr_emit_is_number(e, v);
    }
    return !numbers;
}

/* The next ones that are of the same kind and wait for nothing. */
static int equals(const lbr_emitter *e, int32_t i, int row, int32_t *mate)
{
    int count = 0;

    for (int ahead = 0; i && ahead < AHEAD && count < QUAD && !is_loop(e->m->rec[i].op); i = e->m->rec[i].next, ahead++)
        if (e->m->rec[i].op == rows[row].op && !e->taken[i] && ready(e, &e->m->rec[i], rows[row].operands))
            mate[count++] = i;
    return count;
}

/* Operand k of all lanes; a lane that is not used has what the first one has. */
static void write_operand(lbr_emitter *e, const int32_t *mate, int32_t first, int k, int32_t quad)
{
    if (quad) {
        lbr_text_format(e->to, "g%d", (int)quad);
        return;
    }
    for (int l = 0; l < QUAD; l++)
        lbr_text_format(e->to, "%s%s", l ? ", " : "QUAD_OF(",
                        lbr_emit_real(e, operand(e, &e->m->rec[mate[l] ? mate[l] : first], k)));
    lbr_text_put(e->to, ")");
}

static void write_quad(lbr_emitter *e, int row, const int32_t *mate, int32_t first, const int32_t *quad)
{
    int32_t number = ++e->quads;

    e->unit->slow += rows[row].begins;
    lbr_text_format(e->to, "    const QUAD g%d = QUAD_%s(", (int)number, rows[row].name);
    for (int k = 0; k < rows[row].operands; k++) {
        if (k) lbr_text_put(e->to, ", ");
        write_operand(e, mate, first, k, quad[k]);
    }
    lbr_text_put(e->to, ");\n");
    for (int l = 0; l < QUAD; l++) {
        int32_t d = mate[l] ? e->m->rec[mate[l]].d : 0;

        if (!d) continue;
        e->taken[mate[l]] = 1, e->had[d] = 1, e->plain[d] = 1, e->home[d] = QUAD * number + l;
        lbr_text_format(e->to, "    const REAL r%d = LANE(g%d, %d);\n", (int)d, (int)number, l);
    }
}

int lbr_emit_group(lbr_emitter *e, int32_t i)
{
    int row = row_of(e->m->rec[i].op);
    int32_t mate[QUAD] = { 0 }, quad[2] = { 0, 0 };

    if (row < 0) return 0;
    if (followers(e, i, row, mate, quad) < FEWEST) {
        memset(mate, 0, sizeof mate), memset(quad, 0, sizeof quad);
        if (!rows[row].begins || !ready(e, &e->m->rec[i], rows[row].operands) || equals(e, i, row, mate) < FEWEST)
            return 0;
    }
    write_quad(e, row, mate, i, quad);
    return 1;
}
