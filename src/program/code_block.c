/* code_block.c - what is done in which order: blocks (the top, the body of a loop), their layers and passes.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "code_make.h"

#include <stdlib.h>

/* --- steps and terms --------------------------------------------------------------------------------------------- */

static const lbr_dag_node *at(const lbr_maker *m, lbr_ref n) { return &m->dag->node[n]; }

/* Without its minus, which changes *sign. */
static lbr_ref bare(const lbr_maker *m, lbr_ref n, int *sign)
{
    if (at(m, n)->op != LBR_OP_NEG) return n;
    *sign ^= 1;
    return at(m, n)->a;
}

lbr_operation lbr_maker_step(const lbr_maker *m, lbr_ref n)
{
    static const int fma_op[2][2] = { { LBR_OP_FMA, LBR_CODE_FMS }, { LBR_CODE_FNMA, LBR_CODE_FNMS } };
    const lbr_dag_node *x = at(m, n);
    lbr_operation s = { x->op, lbr_op_operands[x->op], { x->a, x->b, x->c } };
    int p = 0, q = 0;

    if (x->op == LBR_OP_NEG && at(m, x->a)->op == LBR_OP_MUL)
        return (lbr_operation){ LBR_CODE_NMUL, 2, { at(m, x->a)->a, at(m, x->a)->b, 0 } };
    if (x->op == LBR_OP_ADD || x->op == LBR_OP_SUB) {
        s.x[1] = bare(m, x->b, &p);
        if (p) s.op = x->op == LBR_OP_ADD ? LBR_OP_SUB : LBR_OP_ADD;
    }
    if (x->op == LBR_OP_FMA) {
        s.x[0] = bare(m, x->a, &p), s.x[1] = bare(m, x->b, &p), s.x[2] = bare(m, x->c, &q);
        s.op = fma_op[p][q];
    }
    return s;
}

lbr_operation lbr_maker_term(const lbr_maker *m, lbr_ref n)
{
    int sign = 0;
    lbr_ref p = bare(m, n, &sign);

    if (at(m, p)->op != LBR_OP_MUL) return (lbr_operation){ LBR_CODE_ACC_SUM, 1, { n, 0, 0 } };
    lbr_ref a = bare(m, at(m, p)->a, &sign), b = bare(m, at(m, p)->b, &sign);
    return (lbr_operation){ sign ? LBR_CODE_ACC_FNMA : LBR_CODE_ACC_FMA, 2, { a, b, 0 } };
}

/* --- what a block has to do -------------------------------------------------------------------------------------- */

/* In the order in which equal places are taken; from REDUCE on, loops. */
typedef enum { NODE, ACCUMULATE, ENTRY, ELEMENT, OUTPUT, DENSE, REDUCE, ENTRIES } kind;

typedef struct item {
    int32_t depth;
    kind kind;
    int64_t place; /* in which layer; after which nodes, or which loop */
    int32_t seq;
    int32_t x, y, z; /* node or array; entries [y, z), or accumulator, or slot */
    int64_t address;
} item;

typedef struct block {
    int loop, level;
    item *item;
    int32_t n, most;
    int32_t *node;
    int32_t nnodes, most_nodes; /* those that have registers here */
} block;

static void add(lbr_maker *m, block *b, item i)
{
    if (!lbr_maker_room(m, (void **)&b->item, b->n, &b->most, sizeof i)) return;
    i.seq = b->n;
    b->item[b->n++] = i;
}

static void visit(lbr_maker *m, block *b, lbr_ref n)
{
    if (lbr_maker_level(m, n) < b->level || at(m, n)->op == LBR_OP_CONST || m->stamp[n] == m->stamps) return;
    m->stamp[n] = m->stamps;
    m->stack[m->nstack++] = n;
}

static void visit_step(lbr_maker *m, block *b, lbr_operation s)
{
    for (int i = 0; i < s.n; i++) visit(m, b, s.x[i]);
}

/* An index in equal steps is not computed in a strip, but what it consists of outside is needed. */
static void visit_index(lbr_maker *m, block *b, lbr_ref index, int loop)
{
    lbr_affine f;

    if (lbr_dag_is_const(m->dag, index, NULL)) return;
    if (loop && lbr_maker_affine(m, index, loop, &f)) {
        for (int i = 0; i < f.n; i++) visit(m, b, f.node[i]);
        if (m->wide) return;
    }
    visit(m, b, index);
}

static void visit_operands(lbr_maker *m, block *b, lbr_ref n)
{
    const lbr_dag_node *x = at(m, n);

    if (lbr_is_reduction(x)) {
        if (x->op == LBR_OP_SUM) visit_step(m, b, lbr_maker_term(m, x->a));
        else visit(m, b, x->a);
        visit(m, b, m->dag->loop[x->k].lo), visit(m, b, m->dag->loop[x->k].hi);
    } else if (x->op == LBR_OP_LOAD) visit_index(m, b, x->a, x->scope);
    else visit_step(m, b, lbr_maker_step(m, n));
}

/* Everything of this block's own scope on the way from what is on the stack. */
static void follow(lbr_maker *m, block *b)
{
    while (m->nstack && !m->status) {
        lbr_ref n = m->stack[--m->nstack];
        const lbr_dag_node *x = at(m, n);
        int32_t depth = m->avail[(int64_t)n * m->levels + b->level];

        if (x->scope == b->loop) {
            if (lbr_maker_room(m, (void **)&b->node, b->nnodes, &b->most_nodes, sizeof *b->node))
                b->node[b->nnodes++] = n;
            if (lbr_is_reduction(x)) {
                int strip = !(at(m, x->a)->scope == x->k && m->nest[x->a]);
                add(m, b, (item){ .depth = depth - 1, .kind = REDUCE, .place = 2 * (int64_t)x->k + strip, .x = n });
            } else if (x->op != LBR_OP_INDEX || m->wide)
                add(m, b, (item){ .depth = depth, .kind = NODE, .place = 2 * (int64_t)n, .x = n });
        }
        visit_operands(m, b, n);
    }
    m->nstack = 0;
}

/* The place after two nodes; in a strip after all of them, sums first, so that what is alike stands together. */
static int64_t after(lbr_ref a, lbr_ref b) { return 2 * (int64_t)(a > b ? a : b) + 1; }
static int64_t at_end(const lbr_maker *m, kind k, int64_t place) { return m->wide ? INT64_MAX / 2 + k : place; }

static void want_reduction(lbr_maker *m, block *b, lbr_ref n, int32_t acc)
{
    lbr_ref body = at(m, n)->a;

    if (at(m, n)->op == LBR_OP_SUM) visit_step(m, b, lbr_maker_term(m, body));
    else visit(m, b, body);
    follow(m, b);
    add(m, b,
        (item){ .depth = lbr_maker_avail(m, body, b->level),
                .kind = ACCUMULATE,
                .place = at_end(m, ACCUMULATE, after(body, 0)),
                .x = n,
                .y = acc });
}

/* Entries [e0, e1) of an array, all in this block's loop. */
static void want_entries(lbr_maker *m, block *b, int array, int e0, int e1)
{
    const lbr_entry *entry = m->entry[array];
    int32_t depth = 0;
    int64_t place = 0;

    for (int e = e0; e < e1; e++) {
        if (entry[e].add) visit_step(m, b, lbr_maker_term(m, entry[e].value));
        else visit(m, b, entry[e].value);
        visit_index(m, b, entry[e].index, entry[e].loop);
        for (int k = entry[e].loop; k != b->loop; k = m->dag->loop[k].parent)
            visit(m, b, m->dag->loop[k].lo), visit(m, b, m->dag->loop[k].hi);
        follow(m, b);
    }
    while (e0 < e1) {
        lbr_entries r = lbr_maker_entries(m, array, e0, e1, b->loop, &depth);
        int64_t own = at_end(m, ENTRY, after(entry[e0].index, entry[e0].value));

        if (r.loop != b->loop)
            add(m, b,
                (item){ .depth = r.depth,
                        .kind = ENTRIES,
                        .place = 2 * (int64_t)r.loop + r.strip,
                        .x = array,
                        .y = r.e0,
                        .z = r.e1 });
        else
            add(m, b,
                (item){ .depth = r.depth,
                        .kind = ENTRY,
                        .place = place = own > place ? own : place,
                        .x = array,
                        .y = r.e0 });
        e0 = r.e1;
    }
}

/* --- doing it ---------------------------------------------------------------------------------------------------- */

static int by_place(const void *x, const void *y)
{
    const item *a = x, *b = y;

    if (a->depth != b->depth) return a->depth < b->depth ? -1 : 1;
    if ((a->kind >= REDUCE) != (b->kind >= REDUCE)) return a->kind >= REDUCE ? 1 : -1;
    if (a->place != b->place) return a->place < b->place ? -1 : 1;
    return (a->seq > b->seq) - (a->seq < b->seq);
}

static void run(lbr_maker *m, block *b);

/* One pass through a loop, for n reductions and rows of entries. */
static void through(lbr_maker *m, const item *it, int32_t n)
{
    lbr_around a = { .loop = (int)(it->place >> 1), .strip = (int)(it->place & 1) };
    block b = { .loop = a.loop, .level = m->dag->loop[a.loop].level };
    lbr_ref *reduction = lbr_arena_alloc(&m->temp, 2 * (int64_t)n, sizeof *reduction);

    if (!reduction) {
        lbr_maker_no_memory(m);
        return;
    }
    for (int32_t i = 0; i < n; i++)
        if (it[i].kind == REDUCE) reduction[a.n++] = it[i].x;
    a.reduction = reduction, a.acc = reduction + n;
    lbr_maker_open(m, &a);
    m->stamps++;
    for (int i = 0; i < a.n; i++) want_reduction(m, &b, reduction[i], a.acc[i]);
    for (int32_t i = 0; i < n; i++)
        if (it[i].kind == ENTRIES) want_entries(m, &b, it[i].x, it[i].y, it[i].z);
    run(m, &b);
    for (int32_t i = 0; i < b.nnodes; i++) m->reg[b.node[i]] = 0;
    lbr_maker_close(m, &a);
}

/* An array that is taken as a whole. */
static void whole(lbr_maker *m, int k)
{
    const lbr_array *a = &m->dag->array[k];

    if (a->kind != LBR_ARRAY_INPUT || a->input) return;
    if (m->shift) lbr_maker_fail(m, LBR_EARG, "a function of a part of the state uses all of it");
    m->p->nstate = a->size;
}

static void dense(lbr_maker *m, int k)
{
    const lbr_array *a = &m->dag->array[k];
    lbr_routine *p = m->p;
    int64_t need = a->rows * a->rows + 2 * a->rows;

    whole(m, a->a);
    if (a->kind == LBR_ARRAY_SOLVE) whole(m, a->b);
    if (!lbr_maker_room(m, (void **)&p->dense, p->ndense, &m->most_dense, sizeof *p->dense)) return;
    p->dense[p->ndense] = (lbr_dense){ a->kind,       m->slot[k],
                                       m->slot[a->a], a->kind == LBR_ARRAY_SOLVE ? m->slot[a->b] : 0,
                                       a->rows,       a->cols,
                                       a->transposed };
    if (need > p->scratch) p->scratch = need;
    lbr_maker_emit(m, LBR_CODE_DENSE, 0, p->ndense++, 0, 0);
}

static void plain(lbr_maker *m, const item *i)
{
    switch (i->kind) {
    case NODE: lbr_maker_node(m, i->x); break;
    case ACCUMULATE: lbr_maker_accumulate(m, i->x, i->y); break;
    case ENTRY: lbr_maker_entry(m, i->x, &m->entry[i->x][i->y]); break;
    case ELEMENT: lbr_maker_put(m, i->y, i->address, i->x); break;
    case OUTPUT: lbr_maker_emit(m, LBR_CODE_MOV, i->y, lbr_maker_scalar(m, i->x), 0, 0); break;
    default: dense(m, i->x);
    }
}

/* --- neighbours that do not wait for each other ------------------------------------------------------------------ */

enum { CHUNK = 256 }; /* more would need registers rather than save time */

typedef struct ready {
    int32_t level, op;
    item item;
} ready;

static int by_level(const void *x, const void *y)
{
    const ready *a = x, *b = y;

    if (a->level != b->level) return a->level < b->level ? -1 : 1;
    if (a->op != b->op) return a->op < b->op ? -1 : 1;
    return (a->item.seq > b->item.seq) - (a->item.seq < b->item.seq);
}

/* The longest way to a node from what the chunk finds; nodes know it while their stamp is the chunk's. */
static int32_t level(lbr_maker *m, lbr_ref n)
{
    lbr_operation s = lbr_maker_step(m, n);
    int32_t most = 0;

    for (int i = 0; i < s.n; i++)
        if (m->stamp[s.x[i]] == m->stamps && m->level[s.x[i]] > most) most = m->level[s.x[i]];
    m->stamp[n] = m->stamps;
    return m->level[n] = most + 1;
}

/* Nodes in a row, by levels and in these by operations: what follows each other is independent and of one kind. */
static void level_chunk(lbr_maker *m, item *it, int32_t n)
{
    ready r[CHUNK];

    m->stamps++;
    for (int32_t i = 0; i < n; i++) r[i] = (ready){ level(m, it[i].x), lbr_maker_step(m, it[i].x).op, it[i] };
    for (int32_t i = 0; i < n; i++) r[i].item.seq = i;
    qsort(r, (size_t)n, sizeof *r, by_level);
    for (int32_t i = 0; i < n; i++) it[i] = r[i].item;
}

static void level_all(lbr_maker *m, block *b)
{
    for (int32_t i = 0, n; i < b->n; i += n) {
        for (n = 0;
             i + n < b->n && n < CHUNK && b->item[i + n].kind == NODE && b->item[i + n].depth == b->item[i].depth;)
            n++;
        if (n > 1) level_chunk(m, &b->item[i], n);
        if (!n) n = 1;
    }
}

static void run(lbr_maker *m, block *b)
{
    if (m->status || !b->n) return;
    qsort(b->item, (size_t)b->n, sizeof *b->item, by_place);
    level_all(m, b);
    for (int32_t i = 0, n; i < b->n && !m->status; i += n) {
        const item *x = &b->item[i];

        n = 1;
        if (x->kind < REDUCE) {
            plain(m, x);
            continue;
        }
        while (i + n < b->n && x[n].kind >= REDUCE && x[n].depth == x->depth && x[n].place == x->place) n++;
        through(m, x, n);
    }
}

/* --- the top ----------------------------------------------------------------------------------------------------- */

enum { MOST_PINNED = 256 };

static int computed(const lbr_maker *m, lbr_ref n)
{
    const lbr_dag_node *x = at(m, n);

    return x->op != LBR_OP_CONST && x->op != LBR_OP_LOAD && !lbr_is_reduction(x);
}

/* Node n to out[at]: few of them are computed in registers of a row, which is copied at the end. */
static void want_output(lbr_maker *m, block *b, lbr_ref n, int64_t to, int slot, int pinned)
{
    item i = {
        .depth = lbr_maker_avail(m, n, 0), .kind = ELEMENT, .place = after(n, 0), .x = n, .y = slot, .address = to
    };

    visit(m, b, n), follow(m, b);
    if (pinned) {
        int32_t v = lbr_maker_vreg(m, (lbr_vreg){ .kind = LBR_VREG_OUT, .slot = slot, .address = (int32_t)to });

        if (computed(m, n) && !m->pin[n]) {
            m->pin[n] = v;
            return;
        }
        i.kind = OUTPUT, i.y = v;
    }
    add(m, b, i);
}

static int new_slot(lbr_maker *m, lbr_slot s)
{
    lbr_routine *p = m->p;

    if (!lbr_maker_room(m, (void **)&p->slot, p->nslots, &m->most_slots, sizeof s)) return 0;
    p->slot[p->nslots] = s;
    return p->nslots++;
}

/* Inputs and data where they are, an array that nobody reads where it goes to, the others in the work memory. */
static void settle(lbr_maker *m, const lbr_output *out, int nout)
{
    for (int k = 0; k < m->arrays; k++) m->slot[k] = -1;
    for (int i = 0; i < nout; i++) {
        int k = out[i].array;

        if (k >= 0 && m->dag->array[k].kind >= LBR_ARRAY_MADE && !m->dag->array[k].element && !m->read[k] &&
            m->slot[k] < 0)
            m->slot[k] = new_slot(m, (lbr_slot){ .kind = LBR_SLOT_OUT, .at = out[i].at });
    }
    for (int k = 0; k < m->arrays; k++) {
        const lbr_array *a = &m->dag->array[k];

        if (!m->seen[k] || m->slot[k] >= 0 || (a->element && !m->read[k])) continue;
        if (a->kind == LBR_ARRAY_INPUT) m->slot[k] = new_slot(m, (lbr_slot){ .kind = LBR_SLOT_INPUT, .at = a->input });
        else if (a->kind == LBR_ARRAY_DATA)
            m->slot[k] = new_slot(m, (lbr_slot){ .kind = LBR_SLOT_DATA, .data = a->data });
        else m->slot[k] = new_slot(m, (lbr_slot){ .kind = LBR_SLOT_WORK, .at = m->p->arrays }), m->p->arrays += a->size;
        if (a->kind == LBR_ARRAY_INPUT && a->input == 0 && m->p->nstate < 1) m->p->nstate = 1;
    }
}

static void want_array(lbr_maker *m, block *b, int k)
{
    const lbr_array *a = &m->dag->array[k];

    if (a->kind >= LBR_ARRAY_SOLVE)
        add(m, b, (item){ .depth = m->complete[k], .kind = DENSE, .place = 2 * (int64_t)a->born - 1, .x = k });
    if (a->kind != LBR_ARRAY_MADE) return;
    for (int64_t i = 0; a->element && i < a->size; i++) want_output(m, b, a->element[i], i, m->slot[k], 0);
    if (a->element) return;
    if (m->status) return;
    if (lbr_maker_covered(m, k)) m->p->slot[m->slot[k]].covered = a->size;
    else lbr_maker_emit(m, LBR_CODE_ZERO, 0, m->slot[k], 0, (int32_t)a->size);
    want_entries(m, b, k, 0, a->nentries);
}

/* Outputs that are nodes, or flat arrays of them. */
static void want_outputs(lbr_maker *m, block *b, const lbr_output *out, int nout)
{
    int64_t count = 0;
    int slot = -1;

    for (int i = 0; i < nout; i++)
        count += out[i].array < 0 ? 1 : m->dag->array[out[i].array].element ? m->dag->array[out[i].array].size : 0;
    if (count) slot = new_slot(m, (lbr_slot){ .kind = LBR_SLOT_OUT });
    for (int i = 0; i < nout; i++) {
        const lbr_array *a = out[i].array < 0 ? NULL : &m->dag->array[out[i].array];

        if (!a) want_output(m, b, out[i].node, out[i].at, slot, count <= MOST_PINNED);
        for (int64_t j = 0; a && a->element && j < a->size; j++)
            want_output(m, b, a->element[j], out[i].at + j, slot, count <= MOST_PINNED);
    }
}

/* Arrays that are outputs, but stand elsewhere. */
static void copy_arrays(lbr_maker *m, const lbr_output *out, int nout)
{
    for (int i = 0; i < nout; i++) {
        const lbr_array *a = out[i].array < 0 ? NULL : &m->dag->array[out[i].array];
        int slot;

        if (!a || a->element) continue;
        slot = m->slot[out[i].array];
        if (m->p->slot[slot].kind == LBR_SLOT_OUT && m->p->slot[slot].at == out[i].at) continue;
        whole(m, out[i].array);
        lbr_maker_emit(m, LBR_CODE_COPY, slot, new_slot(m, (lbr_slot){ .kind = LBR_SLOT_OUT, .at = out[i].at }), 0,
                       (int32_t)a->size);
    }
}

lbr_status lbr_maker_top(lbr_maker *m, const lbr_output *out, int nout)
{
    block b = { 0 };

    settle(m, out, nout);
    m->now = &m->main;
    m->stamps++;
    want_outputs(m, &b, out, nout);
    for (int k = 0; k < m->arrays; k++)
        if (m->seen[m->sorted[k]] && m->slot[m->sorted[k]] >= 0) want_array(m, &b, m->sorted[k]);
    run(m, &b);
    if (!m->status) copy_arrays(m, out, nout);
    return m->status;
}
