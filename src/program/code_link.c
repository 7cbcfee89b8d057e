/* code_link.c - the lists of instructions in one row, with the registers there are.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Linear scan: a register is taken where a value is made and given back after its last use. A value from outside a loop
 * that is used in it is used until the loop's end. What is written never shares a register with what the same
 * instruction reads, so that lanes need not fear it. */
#include "code_make.h"

#include <stdlib.h>
#include <string.h>

typedef struct linker {
    lbr_maker *m;
    int32_t *order, n;     /* records, in the order of the program */
    int32_t *begin, nopen; /* positions of open loops */
    int32_t *dies;         /* vregs by the place of their last use: a list for each place */
    int32_t *next_dead;
    int32_t *spare[2], nspare[2], used[2]; /* free registers of each file */
} linker;

#define SHAPE(name, shape) [LBR_CODE_##name - LBR_OPS] = shape,
static const char *const shapes[] = { LBR_CODE_LIST(SHAPE) };

static const char *shape_of(int op)
{
    static const char *const graph[] = { "D...", "Dr..", "Drr.", "Drrr" };

    return op >= LBR_OPS ? shapes[op - LBR_OPS] : graph[lbr_op_operands[op]];
}

/* --- rows of fixed registers ------------------------------------------------------------------------------------- */

typedef struct fixed {
    int32_t vreg, slot, address;
} fixed;

static int by_address(const void *x, const void *y)
{
    const fixed *a = x, *b = y;

    if (a->slot != b->slot) return a->slot < b->slot ? -1 : 1;
    return (a->address > b->address) - (a->address < b->address);
}

/* All registers of a kind get numbers in the order of their addresses; neighbours are one copy. */
static void rows(linker *k, lbr_vreg_kind kind, int op, lbr_record_list *list)
{
    lbr_maker *m = k->m;
    fixed *f = lbr_arena_alloc(&m->temp, m->nvregs, sizeof *f);
    int32_t n = 0;

    if (!f) {
        lbr_maker_no_memory(m);
        return;
    }
    for (int32_t v = 1; v < m->nvregs; v++)
        if (m->vreg[v].kind == kind) f[n++] = (fixed){ v, m->vreg[v].slot, m->vreg[v].address };
    qsort(f, (size_t)n, sizeof *f, by_address);
    m->now = list;
    for (int32_t i = 0, j; i < n; i = j) {
        for (j = i; j < n && f[j].slot == f[i].slot && f[j].address == f[i].address + (j - i); j++)
            m->vreg[f[j].vreg].number = k->used[0]++;
        lbr_maker_emit(m, op, m->vreg[f[i].vreg].number, f[i].slot, f[i].address, j - i);
    }
}

static void constants(linker *k)
{
    lbr_maker *m = k->m;
    lbr_routine *p = m->p;

    for (int32_t v = 1; v < m->nvregs; v++)
        if (m->vreg[v].kind == LBR_VREG_CONST) m->vreg[v].number = p->nconstants++;
    if (!(p->constant = lbr_arena_alloc(m->keep, p->nconstants, sizeof *p->constant))) lbr_maker_no_memory(m);
    for (int32_t v = 1; v < m->nvregs && !m->status; v++)
        if (m->vreg[v].kind == LBR_VREG_CONST) p->constant[m->vreg[v].number] = m->vreg[v].value;
    k->used[0] = p->nconstants;
}

/* --- how long values live ---------------------------------------------------------------------------------------- */

/* Calls f for every register of an instruction; written ones last. */
typedef void (*touch)(linker *k, int32_t at, int32_t *v, int written);

static void each_register(linker *k, int32_t at, touch f)
{
    lbr_maker *m = k->m;
    lbr_rec *r = &m->rec[k->order[at]];
    int32_t *field[4] = { &r->d, &r->a, &r->b, &r->c };
    const char *shape = shape_of(r->op);

    for (int i = 3; i >= 0; i--) {
        if (shape[i] == 'p') {
            lbr_cell *p = &m->p->place[*field[i]];
            for (int j = 0; j < p->nregs; j++) f(k, at, &p->reg[j], 0);
        } else if (shape[i] != '.') f(k, at, field[i], shape[i] < 'a' && shape[i] != 'A');
    }
}

static void lives(linker *k, int32_t at, int32_t *v, int written)
{
    lbr_vreg *x = &k->m->vreg[*v];
    int32_t last = at;

    if (x->kind > LBR_VREG_WIDE) return;
    if (x->def < 0) x->def = at;
    for (int i = 0; i < k->nopen; i++)
        if (k->begin[i] >= x->def) { /* made outside: lives to the end of the loop */
            last = k->m->rec[k->order[k->begin[i]]].c - 1;
            break;
        }
    if (last > x->last) x->last = last;
}

static int opens(int op) { return op == LBR_CODE_OPEN || op == LBR_CODE_STRIP; }
static int closes(int op) { return op == LBR_CODE_NEXT || op == LBR_CODE_LAST; }

/* Loops know where they end, and ends where the body begins. */
static void match(linker *k)
{
    for (int32_t i = 0; i < k->n; i++) {
        lbr_rec *r = &k->m->rec[k->order[i]];

        if (opens(r->op)) k->begin[k->nopen++] = i;
        if (!closes(r->op)) continue;
        int32_t head = k->begin[--k->nopen];
        k->m->rec[k->order[head]].c = i + 1;
        for (head++; k->m->rec[k->order[head]].op == LBR_CODE_START;) head++;
        r->c = head;
    }
}

static void measure(linker *k)
{
    for (int32_t i = 0; i < k->n; i++) {
        int op = k->m->rec[k->order[i]].op;

        each_register(k, i, lives);
        if (opens(op)) k->begin[k->nopen++] = i;
        if (closes(op)) k->nopen--;
    }
    for (int32_t i = 0; i < k->n; i++) k->dies[i] = 0;
    for (int32_t v = 1; v < k->m->nvregs; v++) {
        const lbr_vreg *x = &k->m->vreg[v];

        if (x->kind <= LBR_VREG_WIDE && x->last >= 0) k->next_dead[v] = k->dies[x->last], k->dies[x->last] = v;
    }
}

static void assign(linker *k, int32_t at, int32_t *v, int written)
{
    lbr_vreg *x = &k->m->vreg[*v];
    int file = x->kind == LBR_VREG_WIDE;

    if (x->kind <= LBR_VREG_WIDE && x->def == at)
        x->number = k->nspare[file] ? k->spare[file][--k->nspare[file]] : k->used[file]++, x->def = -2;
    *v = file ? LBR_WIDE * x->number : x->number;
}

static void allocate(linker *k)
{
    for (int32_t i = 0; i < k->n; i++) {
        each_register(k, i, assign);
        for (int32_t v = k->dies[i]; v; v = k->next_dead[v]) {
            int file = k->m->vreg[v].kind == LBR_VREG_WIDE;
            k->spare[file][k->nspare[file]++] = k->m->vreg[v].number;
        }
    }
}

/* --- the program ------------------------------------------------------------------------------------------------- */

static uint8_t hot(int op)
{
    switch (op) {
/* clang-format off */
#define CASE(name, expression) case LBR_##name: return LBR_HOT_##name;
        /* clang-format on */
        LBR_HOT_LIST(CASE)
#undef CASE
/* clang-format off */
#define CASE(name) case LBR_##name: return LBR_WARM_##name;
        /* clang-format on */
        LBR_WARM_LIST(CASE)
    default: return LBR_WARM;
    }
}

/* What can run in lanes of states. */
static int straight(int op)
{
    if (op < LBR_OPS) return op != LBR_OP_INDEX;
    return op <= LBR_CODE_GET || (op >= LBR_CODE_PUT && op <= LBR_CODE_COPY_OUT) || op == LBR_CODE_END;
}

/* A second program whose registers are the wide ones. */
static lbr_status widen(lbr_maker *m)
{
    lbr_routine *p = m->p;

    if (!(p->wide = lbr_arena_alloc(m->keep, p->ninstr, sizeof *p->wide))) return lbr_maker_no_memory(m);
    for (int64_t i = 0; i < p->ninstr; i++) {
        lbr_instr *in = &p->wide[i];
        const char *shape = shape_of(p->instr[i].op);
        int32_t *field[4] = { &in->d, &in->a, &in->b, &in->c };

        *in = p->instr[i];
        for (int k = 0; k < 4; k++)
            if (shape[k] == 'D' || shape[k] == 'r' ||
                (k == 0 && (in->op == LBR_CODE_COPY_IN || in->op == LBR_CODE_COPY_OUT)))
                *field[k] *= LBR_LANES;
    }
    return LBR_OK;
}

static lbr_status finish(linker *k)
{
    lbr_maker *m = k->m;
    lbr_routine *p = m->p;
    lbr_cell *place = lbr_arena_alloc(m->keep, p->nplaces, sizeof *place);
    lbr_slot *slot = lbr_arena_alloc(m->keep, p->nslots, sizeof *slot);
    lbr_dense *dense = lbr_arena_alloc(m->keep, p->ndense, sizeof *dense);
    int lanes = p->arrays == 0;

    p->instr = lbr_arena_alloc(m->keep, k->n, sizeof *p->instr);
    if (!p->instr || !place || !slot || !dense) return lbr_maker_no_memory(m);
    if (p->nplaces) memcpy(place, p->place, (size_t)p->nplaces * sizeof *place);
    if (p->nslots) memcpy(slot, p->slot, (size_t)p->nslots * sizeof *slot);
    if (p->ndense) memcpy(dense, p->dense, (size_t)p->ndense * sizeof *dense);
    p->place = place, p->slot = slot, p->dense = dense;
    for (int32_t i = 0; i < k->n; i++) {
        const lbr_rec *r = &m->rec[k->order[i]];

        p->instr[i] = (lbr_instr){ hot(r->op), 0, r->op, r->d, r->a, r->b, r->c };
        lanes &= straight(r->op);
    }
    for (int32_t i = k->n - 2; i >= 0; i--)
        if (p->instr[i].hot < LBR_WARM && p->instr[i].hot == p->instr[i + 1].hot && p->instr[i + 1].more < UINT8_MAX)
            p->instr[i].more = (uint8_t)(p->instr[i + 1].more + 1);
    p->ninstr = k->n, p->nscalar = k->used[0], p->nwide = k->used[1];
    return lanes ? widen(m) : LBR_OK;
}

lbr_status lbr_maker_link(lbr_maker *m)
{
    linker k = { .m = m };
    lbr_record_list all = { 0 }, last = { 0 };

    constants(&k);
    rows(&k, LBR_VREG_IN, LBR_CODE_COPY_IN, &all);
    rows(&k, LBR_VREG_OUT, LBR_CODE_COPY_OUT, &last);
    lbr_maker_emit(m, LBR_CODE_END, 0, 0, 0, 0);
    lbr_maker_join(m, &all, m->prologue), lbr_maker_join(m, &all, m->main), lbr_maker_join(m, &all, last);
    k.order = lbr_arena_alloc(&m->temp, m->nrecs, sizeof *k.order),
    k.dies = lbr_arena_alloc(&m->temp, m->nrecs, sizeof *k.dies);
    k.begin = lbr_arena_alloc(&m->temp, LBR_CODE_DEPTH, sizeof *k.begin);
    k.next_dead = lbr_arena_alloc(&m->temp, m->nvregs, sizeof *k.next_dead);
    for (int i = 0; i < 2; i++) k.spare[i] = lbr_arena_alloc(&m->temp, m->nvregs, sizeof *k.spare[i]);
    if (m->status || !k.order || !k.dies || !k.begin || !k.next_dead || !k.spare[0] || !k.spare[1])
        return lbr_maker_no_memory(m);
    for (int32_t r = all.first; r; r = m->rec[r].next) k.order[k.n++] = r;
    match(&k);
    measure(&k);
    allocate(&k);
    return finish(&k);
}
