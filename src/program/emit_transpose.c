/* emit_transpose.c - arrays of points turned around: all first components, all second ones, ...
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A strip in a loop that goes through x[3*k + 1] in threes reads and writes what a vector holds in pieces. Where all
 * strips go through the state or the result in the same stride, the function has a copy that is turned around, turned
 * once for as much work as the loops in each other make. The order of everything, and so every bit, stays. */
#include "emit_make.h"

#include <stdio.h>

enum { FEWEST = 48, MOST = 6000, STRIDES = 8 }; /* elements of such an array */

/* Whether the loops around a strip take it to other elements, and not to about the same again. */
static int travels(const lbr_cell *p)
{
    for (int k = 0; k < p->nregs; k++)
        if (p->factor[k] > STRIDES * p->stride || p->factor[k] < -STRIDES * p->stride) return 1;
    return 0;
}

/* The stride of all strips that go through a slot; 0: there is none, or several, or one that comes to each element
 * once. */
static int64_t stride_of(const lbr_emitter *e, int32_t slot)
{
    int64_t stride = 0;

    for (int32_t i = 0; i < e->m->p->nplaces; i++) {
        const lbr_cell *p = &e->m->p->place[i];

        if (p->slot != slot) continue;
        if (p->checked) return 0;
        if (p->kind != LBR_CELL_STRIDE) continue;
        if (p->stride < 2 || p->stride > STRIDES || (stride && p->stride != stride)) return 0;
        if (travels(p)) return 0;
        stride = p->stride;
        for (int k = 0; k < p->nregs; k++)
            if (p->factor[k] % stride) return 0;
    }
    return stride;
}

/* Whether there are loops in each other; and the result begins with zeros everywhere, or is assigned everywhere, and is
 * not taken as a whole. */
static int fit(const lbr_emitter *e, int32_t slot, int written)
{
    int loops = 0, zero = !written || e->m->p->slot[slot].covered == e->m->p->nout;

    for (int32_t i = 1; i < e->m->nrecs; i++) {
        const lbr_rec *r = &e->m->rec[i];

        loops |= r->op == LBR_CODE_OPEN;
        if (written && (r->op == LBR_CODE_DENSE || (r->op == LBR_CODE_GET && r->a == slot) ||
                        (r->op == LBR_CODE_COPY && (r->a == slot || r->d == slot))))
            return 0;
        zero |= r->op == LBR_CODE_ZERO && r->a == slot && r->c == e->m->p->nout;
    }
    for (int32_t v = 1; v < e->m->nvregs; v++)
        if (written && e->m->vreg[v].kind == LBR_VREG_OUT) return 0;
    return loops && zero;
}

void lbr_emit_turn(lbr_emitter *e)
{
    for (int32_t i = 0; i < e->m->p->nslots; i++) {
        const lbr_slot *s = &e->m->p->slot[i];
        int written = s->kind == LBR_SLOT_OUT;
        int64_t length = written ? e->m->p->nout : e->m->p->nstate, stride = stride_of(e, i);

        if (s->at || (s->kind != LBR_SLOT_INPUT && !written) || length < FEWEST || length > MOST || !stride ||
            length % stride || !fit(e, i, written))
            continue;
        e->turn[i] = (int32_t)stride, e->rows[i] = length / stride;
        lbr_text_format(e->to, "    REAL q%d[%lld];\n", (int)i, (long long)length);
        if (!written)
            lbr_text_format(
                e->to,
                "    for (int k = 0; k < %lld; k++) for (int j = 0; j < %d; j++) q%d[%lld*j + k] = x0[%d*k + j];\n",
                (long long)e->rows[i], (int)stride, (int)i, (long long)e->rows[i], (int)stride);
    }
}

void lbr_emit_turn_back(lbr_emitter *e)
{
    for (int32_t i = 0; i < e->m->p->nslots; i++)
        if (e->turn[i] && e->m->p->slot[i].kind == LBR_SLOT_OUT)
            lbr_text_format(
                e->to,
                "    for (int k = 0; k < %lld; k++) for (int j = 0; j < %d; j++) out[%d*k + j] = q%d[%lld*j + k];\n",
                (long long)e->rows[i], (int)e->turn[i], (int)e->turn[i], (int)i, (long long)e->rows[i]);
}

void lbr_emit_turned_address(lbr_emitter *e, const lbr_cell *p, int strip)
{
    int64_t stride = e->turn[p->slot], rows = e->rows[p->slot], column = (p->offset % stride + stride) % stride,
            row = (p->offset - column) / stride;

    if (p->kind == LBR_CELL_INDEX) {
        lbr_text_format(e->to, "((int)%s + %lld) %% %lld*%lld + ", lbr_emit_number(e, p->reg[0]), (long long)p->offset,
                        (long long)stride, (long long)rows);
        lbr_text_format(e->to, "((int)%s + %lld)/%lld", lbr_emit_number(e, p->reg[0]), (long long)p->offset,
                        (long long)stride);
        return;
    }
    lbr_text_format(e->to, "%lld", (long long)(column * rows + row));
    if (p->kind == LBR_CELL_FIXED) return;
    lbr_text_format(e->to, " + k%d", strip);
    for (int i = 0; i < p->nregs; i++)
        lbr_text_format(e->to, " + %lld*(int)%s", (long long)(p->factor[i] / stride), lbr_emit_number(e, p->reg[i]));
}
