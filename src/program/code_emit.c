/* code_emit.c - instructions for nodes, entries and loops, with as many registers as they like.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "code_make.h"

#include <math.h>
#include <string.h>

int32_t lbr_maker_vreg(lbr_maker *m, lbr_vreg v)
{
    if (!lbr_maker_room(m, (void **)&m->vreg, m->nvregs, &m->most_vregs, sizeof v)) return 0;
    v.def = v.last = -1;
    m->vreg[m->nvregs] = v;
    return m->nvregs++;
}

static int32_t fresh(lbr_maker *m)
{
    return lbr_maker_vreg(m, (lbr_vreg){ .kind = m->wide ? LBR_VREG_WIDE : LBR_VREG_SCALAR });
}

static void append(lbr_maker *m, lbr_record_list *list, lbr_rec r)
{
    if (!lbr_maker_room(m, (void **)&m->rec, m->nrecs, &m->most_recs, sizeof r)) return;
    m->rec[m->nrecs] = r;
    lbr_maker_join(m, list, (lbr_record_list){ m->nrecs, m->nrecs });
    m->nrecs++;
}

void lbr_maker_join(lbr_maker *m, lbr_record_list *to, lbr_record_list from)
{
    if (!from.first) return;
    if (to->first) m->rec[to->last].next = from.first;
    else to->first = from.first;
    to->last = from.last;
}

void lbr_maker_emit(lbr_maker *m, int op, int32_t d, int32_t a, int32_t b, int32_t c)
{
    append(m, m->now, (lbr_rec){ .op = (uint16_t)op, .wide = (uint8_t)m->wide, .d = d, .a = a, .b = b, .c = c });
}

/* --- operands ---------------------------------------------------------------------------------------------------- */

int32_t lbr_maker_scalar(lbr_maker *m, lbr_ref n)
{
    double value;

    if (!m->reg[n] && lbr_dag_is_const(m->dag, n, &value))
        m->reg[n] = lbr_maker_vreg(m, (lbr_vreg){ .kind = LBR_VREG_CONST, .value = value });
    if (!m->reg[n]) lbr_maker_fail(m, LBR_EARG, "node %d of the model is used before it is computed", (int)n);
    return m->reg[n];
}

/* A value from outside in all lanes: put there before the outermost loop that it is constant in. */
static int32_t everywhere(lbr_maker *m, lbr_ref n)
{
    int level = lbr_maker_level(m, n), constant = lbr_dag_is_const(m->dag, n, NULL);
    lbr_pass *pass = &m->pass[level];
    int32_t from;

    if (m->spread[n]) return m->spread[n];
    from = lbr_maker_scalar(m, n);
    m->spread[n] = lbr_maker_vreg(m, (lbr_vreg){ .kind = LBR_VREG_WIDE });
    append(m, constant ? &m->prologue : &pass->before,
           (lbr_rec){ .op = LBR_CODE_SPREAD, .d = m->spread[n], .a = from });
    if (constant || !lbr_maker_room(m, (void **)&m->undo, m->nundo, &m->most_undo, sizeof *m->undo))
        return m->spread[n];
    m->undo[m->nundo].node = n, m->undo[m->nundo].next = pass->spread;
    pass->spread = m->nundo++;
    return m->spread[n];
}

/* In a strip, what has a register there is of its loop. */
static int32_t operand(lbr_maker *m, lbr_ref n)
{
    if (!m->wide) return lbr_maker_scalar(m, n);
    return m->reg[n] && m->vreg[m->reg[n]].kind == LBR_VREG_WIDE ? m->reg[n] : everywhere(m, n);
}

/* --- places ------------------------------------------------------------------------------------------------------ */

static int32_t keep_place(lbr_maker *m, lbr_cell p)
{
    lbr_routine *g = m->p;

    if (!lbr_maker_room(m, (void **)&g->place, g->nplaces, &m->most_places, sizeof p)) return 0;
    g->place[g->nplaces] = p;
    return g->nplaces++;
}

static int32_t place(lbr_maker *m, int array, lbr_ref index, int loop)
{
    lbr_affine f;
    lbr_cell p;

    if (lbr_dag_is_const(m->dag, index, NULL)) return keep_place(m, lbr_maker_cell(m, array, index, LBR_CELL_FIXED));
    if (m->wide && lbr_maker_affine(m, index, loop, &f)) {
        p = lbr_maker_cell(m, array, index, LBR_CELL_STRIDE);
        p.stride = f.stride, p.offset += f.offset, p.nregs = f.n;
        for (int i = 0; i < f.n; i++) p.factor[i] = f.factor[i], p.reg[i] = lbr_maker_scalar(m, f.node[i]);
        return keep_place(m, p);
    }
    p = lbr_maker_cell(m, array, index, LBR_CELL_INDEX);
    p.nregs = 1, p.reg[0] = operand(m, index);
    return keep_place(m, p);
}

/* --- nodes ------------------------------------------------------------------------------------------------------- */

static void load(lbr_maker *m, lbr_ref n)
{
    const lbr_dag_node *x = &m->dag->node[n];
    const lbr_array *a = &m->dag->array[x->k];
    int fixed = lbr_dag_is_const(m->dag, x->a, NULL);
    int32_t at;

    if (a->size <= 0) { /* of nothing there is nothing to give */
        lbr_maker_emit(m, LBR_CODE_MOV, m->reg[n] = fresh(m), operand(m, 0), 0, 0);
        return;
    }
    at = place(m, x->k, x->a, x->scope);
    if (!m->status && fixed && m->p->place[at].checked)
        lbr_maker_fail(m, LBR_EARG, "a function of a part of the state uses what is not in it");
    if (m->status) return;
    if (fixed && a->kind == LBR_ARRAY_INPUT)
        m->reg[n] = lbr_maker_vreg(
            m, (lbr_vreg){ .kind = LBR_VREG_IN, .slot = m->slot[x->k], .address = (int32_t)m->p->place[at].offset });
    else if (fixed)
        lbr_maker_emit(m, LBR_CODE_GET, m->reg[n] = fresh(m), m->slot[x->k], (int32_t)m->p->place[at].offset, 0);
    else
        lbr_maker_emit(m, m->p->place[at].kind == LBR_CELL_STRIDE ? LBR_CODE_STRIDED : LBR_CODE_READ,
                       m->reg[n] = fresh(m), at, 0, 0);
}

void lbr_maker_node(lbr_maker *m, lbr_ref n)
{
    lbr_operation s = lbr_maker_step(m, n);
    int32_t x[3] = { 0 };

    if (s.op == LBR_OP_LOAD) {
        load(m, n);
        return;
    }
    for (int i = 0; i < s.n; i++) x[i] = operand(m, s.x[i]);
    m->reg[n] = m->pin[n] ? m->pin[n] : fresh(m);
    lbr_maker_emit(m, s.op, m->reg[n], x[0], x[1], x[2]);
}

void lbr_maker_put(lbr_maker *m, int slot, int64_t address, lbr_ref value)
{
    int32_t at = keep_place(m, (lbr_cell){ .kind = LBR_CELL_FIXED, .slot = slot, .offset = address });

    lbr_maker_emit(m, LBR_CODE_PUT, at, operand(m, value), 0, 0);
}

void lbr_maker_entry(lbr_maker *m, int array, const lbr_entry *e)
{
    lbr_operation s = lbr_maker_term(m, e->value);
    int32_t at, x[2] = { 0 };

    if (m->dag->array[array].size <= 0) return;
    at = place(m, array, e->index, e->loop);
    if (m->status || (m->p->place[at].kind == LBR_CELL_FIXED && m->p->place[at].checked)) return;
    if (!e->add) s = (lbr_operation){ LBR_CODE_PUT, 1, { e->value, 0, 0 } };
    else s.op += LBR_CODE_PUT_ADD - LBR_CODE_ACC_SUM;
    for (int i = 0; i < s.n; i++) x[i] = operand(m, s.x[i]);
    lbr_maker_emit(m, s.op, at, x[0], x[1], 0);
}

/* --- loops ------------------------------------------------------------------------------------------------------- */

void lbr_maker_accumulate(lbr_maker *m, lbr_ref reduction, int32_t acc)
{
    static const int op[] = { LBR_CODE_ACC_SUM, LBR_CODE_ACC_PROD, LBR_CODE_ACC_MAX, LBR_CODE_ACC_MIN };
    const lbr_dag_node *n = &m->dag->node[reduction];
    lbr_operation s = n->op == LBR_OP_SUM ? lbr_maker_term(m, n->a)
                                          : (lbr_operation){ op[n->op - LBR_OP_SUM], 1, { n->a, 0, 0 } };
    int32_t x[2] = { 0 };

    for (int i = 0; i < s.n; i++) x[i] = operand(m, s.x[i]);
    lbr_maker_emit(m, s.op, acc, x[0], x[1], 0);
}

void lbr_maker_open(lbr_maker *m, lbr_around *a)
{
    const lbr_loop *l = &m->dag->loop[a->loop];

    m->pass[l->level - 1] = (lbr_pass){ .spread = -1 };
    a->outside = m->now, m->now = &a->body;
    m->wide = a->strip;
    for (int i = 0; i < a->n; i++) {
        a->acc[i] = fresh(m);
        if (!a->strip) m->reg[a->reduction[i]] = a->acc[i];
    }
    if (!a->strip) m->reg[l->index] = a->index = fresh(m);
}

static int kind_of(const lbr_maker *m, lbr_ref n) { return m->dag->node[n].op - LBR_OP_SUM; }

void lbr_maker_close(lbr_maker *m, lbr_around *a)
{
    const lbr_loop *l = &m->dag->loop[a->loop];
    lbr_pass *pass = &m->pass[l->level - 1];
    int32_t lo, hi;

    m->now = a->outside, m->wide = 0;
    lo = lbr_maker_scalar(m, l->lo), hi = lbr_maker_scalar(m, l->hi);
    lbr_maker_join(m, m->now, pass->before);
    for (int i = 0; i < a->n; i++)
        lbr_maker_emit(m, a->strip ? LBR_CODE_CLEAR : LBR_CODE_FIRST, a->acc[i], kind_of(m, a->reduction[i]), 0, 0);
    lbr_maker_emit(m, a->strip ? LBR_CODE_STRIP : LBR_CODE_OPEN, a->index, lo, hi, 0);
    for (int i = 0; i < a->n && !a->strip; i++)
        lbr_maker_emit(m, LBR_CODE_START, a->acc[i], kind_of(m, a->reduction[i]), 0, 0);
    lbr_maker_join(m, m->now, a->body);
    if (!a->strip) lbr_maker_emit(m, LBR_CODE_NEXT, a->index, 0, hi, 0);
    else lbr_maker_emit(m, LBR_CODE_LAST, 0, 0, 0, 0);
    for (int i = 0; i < a->n && a->strip; i++) {
        m->reg[a->reduction[i]] = fresh(m);
        lbr_maker_emit(m, LBR_CODE_FINISH, m->reg[a->reduction[i]], a->acc[i], kind_of(m, a->reduction[i]), 0);
    }
    if (!a->strip) m->reg[l->index] = 0;
    for (int32_t i = pass->spread; i >= 0 && !m->status; i = m->undo[i].next) m->spread[m->undo[i].node] = 0;
    m->p->nloops++;
}
