/* emit.c - instructions written as C. SPDX-License-Identifier: BSD-3-Clause */
#include "emit_make.h"
#include "graph/op.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STACK = 16384, INLINED = 600 }; /* numbers of local arrays; instructions of what is always written in place */
/* Compilers take a time that grows with the square of what is alive at once. A function of more than LONG instructions
 * keeps its values in memory, and every PIECE instructions nothing but memory goes on: time grows with length alone. */
enum { LONG = 2500, PIECE = 100 };

#define NAME(name, expression)        [LBR_OP_##name] = #name,
#define SIGNED_NAME(name, expression) [LBR_CODE_##name] = #name,
static const char *const names[] = { LBR_OP_NUMBERS(NAME) LBR_OP_SIGNED(SIGNED_NAME) };

/* --- operands ---------------------------------------------------------------------------------------------------- */

static int32_t resolved(const lbr_emitter *e, int32_t v)
{
    while (e->alias[v]) v = e->alias[v];
    return v;
}

int lbr_emit_is_number(const lbr_emitter *e, int32_t v)
{
    v = resolved(e, v);
    return e->m->vreg[v].kind == LBR_VREG_CONST || e->number[v];
}

/* K[...] of a constant, which is put there. */
static int64_t keep(lbr_unit *u, const double *x, int64_t n)
{
    int64_t at = u->nK;

    if (!LBR_ROOM(NULL, u->K, at, u->most, n)) return u->text.status = LBR_ENOMEM, 0;
    if (n) memcpy(u->K + at, x, (size_t)n * sizeof *x);
    u->nK += n;
    return at;
}

const char *lbr_emit_number(lbr_emitter *e, int32_t v)
{
    char *text = e->text[e->next++ % 16];
    const lbr_vreg *x = &e->m->vreg[v = resolved(e, v)];

    if (e->kept[v] == LBR_KEPT_INPUT) {
        int numbers;

        snprintf(text, sizeof *e->text, "%.24s[%d]", lbr_emit_slot(e, x->slot, &numbers), (int)x->address);
    } else if (x->kind != LBR_VREG_CONST)
        snprintf(text, sizeof *e->text, e->kept[v] == LBR_KEPT_REAL ? "R[%d]" : e->kept[v] ? "N[%d]" : "r%d", (int)v);
    else if (x->value == 0 || fabs(x->value) == 1)
        snprintf(text, sizeof *e->text, signbit(x->value) ? "(-%d.0)" : "%d.0", abs((int)x->value));
    else {
        if (!e->constant[v]) e->constant[v] = 1 + (int32_t)keep(e->unit, &x->value, 1);
        snprintf(text, sizeof *e->text, "K[%d]", (int)e->constant[v] - 1);
    }
    return text;
}

const char *lbr_emit_real(lbr_emitter *e, int32_t v)
{
    char *text;
    const char *number = lbr_emit_number(e, v);

    if (!lbr_emit_is_number(e, v)) return number;
    text = e->text[e->next++ % 16];
    snprintf(text, sizeof *e->text, "SPLAT(%.30s)", number);
    return text;
}

int lbr_emit_whole(const lbr_emitter *e, int32_t v, int64_t *value)
{
    const lbr_vreg *x = &e->m->vreg[resolved(e, v)];

    if (x->kind != LBR_VREG_CONST || x->value != floor(x->value) || fabs(x->value) > 1e9) return 0;
    *value = (int64_t)x->value;
    return 1;
}

/* The size of the array that a slot of constants holds. */
static int64_t slot_size(const lbr_emitter *e, int32_t slot)
{
    for (int k = 0; k < e->m->arrays; k++)
        if (e->m->slot[k] == slot) return e->m->dag->array[k].size;
    return 0;
}

const char *lbr_emit_array(lbr_emitter *e, int32_t slot, int *numbers)
{
    char *text;

    if (!e->turn[slot]) return lbr_emit_slot(e, slot, numbers);
    text = e->text[e->next++ % 16], *numbers = 0;
    snprintf(text, sizeof *e->text, "q%d", (int)slot);
    return text;
}

const char *lbr_emit_slot(lbr_emitter *e, int32_t slot, int *numbers)
{
    const lbr_slot *s = &e->m->p->slot[slot];
    char *text = e->text[e->next++ % 16];

    *numbers = s->kind == LBR_SLOT_DATA || (s->kind == LBR_SLOT_INPUT && s->at > 0);
    if (s->kind == LBR_SLOT_DATA && e->data[slot] < 0) e->data[slot] = keep(e->unit, s->data, slot_size(e, slot));
    switch (s->kind) {
    case LBR_SLOT_INPUT: snprintf(text, sizeof *e->text, "x%d", (int)s->at); break;
    case LBR_SLOT_DATA: snprintf(text, sizeof *e->text, "(K + %lld)", (long long)e->data[slot]); break;
    case LBR_SLOT_WORK: snprintf(text, sizeof *e->text, "w%d", (int)slot); break;
    case LBR_SLOT_OUT: snprintf(text, sizeof *e->text, s->at ? "(out + %lld)" : "out", (long long)s->at);
    }
    return text;
}

/* --- instructions ------------------------------------------------------------------------------------------------ */

/* const REAL r7 = ..., or a number. */
static void declare(lbr_emitter *e, int32_t v, int number)
{
    e->number[v] = (uint8_t)number, e->had[v] = 1;
    if (e->cut && e->strip < 0) e->kept[v] = number ? LBR_KEPT_NUMBER : LBR_KEPT_REAL;
    if (e->kept[v]) lbr_text_format(e->to, "    %s = ", lbr_emit_number(e, v));
    else lbr_text_format(e->to, "    const %s r%d = ", number ? "double" : "REAL", (int)v);
}

static void operation(lbr_emitter *e, const lbr_rec *r)
{
    const int32_t x[3] = { r->a, r->b, r->c };
    int n = r->op < LBR_OPS          ? lbr_op_operands[r->op]
            : r->op == LBR_CODE_MOV  ? 1
            : r->op == LBR_CODE_NMUL ? 2
                                     : 3,
        number = 1;

    for (int i = 0; i < n; i++) number &= lbr_emit_is_number(e, x[i]);
    declare(e, r->d, number);
    e->plain[r->d] = r->op < LBR_OPS && r->op != LBR_OP_FMA && r->op != LBR_OP_SELECT && r->op != LBR_OP_MIN &&
                     r->op != LBR_OP_MAX;
    lbr_text_format(e->to, "%s_%s(", number ? "S" : "OP", names[r->op]);
    for (int i = 0; i < 3; i++)
        lbr_text_format(e->to, "%s%s", i ? ", " : "",
                        number ? lbr_emit_number(e, x[i < n ? i : 0]) : lbr_emit_real(e, x[i < n ? i : 0]));
    lbr_text_put(e->to, ");\n");
}

/* gcc makes one instruction of the minus of an fma, -(a b) - c, which has another sign where the result is zero. So the
 * minus of what may be an fma is hidden from it: behind a barrier, or, in loops that shall become vectors, as -0 - x.
 */
static void negate(lbr_emitter *e, const lbr_rec *r, int strip)
{
    static const double zero = -0.0;
    int number = lbr_emit_is_number(e, r->a);

    if (e->plain[resolved(e, r->a)]) {
        operation(e, r);
        return;
    }
    if (strip >= 0 && !e->zero) e->zero = 1 + (int32_t)keep(e->unit, &zero, 1);
    declare(e, r->d, number);
    if (strip >= 0 && number)
        lbr_text_format(e->to, "S_SUB(K[%d], %s, 0);\n", (int)e->zero - 1, lbr_emit_number(e, r->a));
    else if (strip >= 0)
        lbr_text_format(e->to, "OP_SUB(SPLAT(K[%d]), %s, SPLAT(0.0));\n", (int)e->zero - 1, lbr_emit_real(e, r->a));
    else
        lbr_text_format(e->to, "%s_MINUS(%s);\n", number ? "S" : "OP",
                        number ? lbr_emit_number(e, r->a) : lbr_emit_real(e, r->a));
}

static void load(lbr_emitter *e, const lbr_rec *r, int strip)
{
    const lbr_cell *p = &e->m->p->place[r->a];
    int numbers;
    const char *slot = lbr_emit_array(e, p->slot, &numbers);

    declare(e, r->d, numbers);
    e->plain[r->d] = numbers || e->m->p->slot[p->slot].kind == LBR_SLOT_INPUT;
    lbr_text_format(e->to, "%s[", slot), lbr_emit_address(e, p, strip), lbr_text_put(e->to, "];\n");
}

static void dense(lbr_emitter *e, const lbr_dense *d)
{
    int numbers;
    const char *a = lbr_emit_slot(e, d->a, &numbers),
               *b = d->kind == LBR_ARRAY_SOLVE ? lbr_emit_slot(e, d->b, &numbers) : "0",
               *to = lbr_emit_slot(e, d->to, &numbers);

    e->unit->dense = 1;
    lbr_text_format(e->to, "    if (c->dense(%d, %lld, %lld, %d, %s, %s, %s, dense)) return -1;\n", (int)d->kind,
                    (long long)d->rows, (long long)d->cols, d->transposed, a, b, to);
}

/* Whole arrays. */
static void whole(lbr_emitter *e, const lbr_rec *r)
{
    int numbers;
    const char *to = lbr_emit_array(e, r->a, &numbers);

    if (r->op == LBR_CODE_ZERO) lbr_text_format(e->to, "    memset(%s, 0, %lld*sizeof(REAL));\n", to, (long long)r->c);
    else
        lbr_text_format(e->to, "    memcpy(%s, %s, %lld*sizeof(REAL));\n", to, lbr_emit_slot(e, r->d, &numbers),
                        (long long)r->c);
}

/* Element b of slot a. */
static void get(lbr_emitter *e, const lbr_rec *r)
{
    int numbers;
    const char *slot = lbr_emit_slot(e, r->a, &numbers);

    declare(e, r->d, numbers);
    lbr_text_format(e->to, "%s[%lld];\n", slot, (long long)r->b);
}

/* A function of libm, which vectors call for each lane. */
static int is_called(int op)
{
    return (op >= LBR_OP_CBRT && op <= LBR_OP_ERF) || op == LBR_OP_POW || op == LBR_OP_ATAN2 || op == LBR_OP_HYPOT ||
           op == LBR_OP_MOD;
}

void lbr_emit_instruction(lbr_emitter *e, const lbr_rec *r, int strip)
{
    static const char *const empty[] = { "0.0", "1.0", "NAN", "NAN" };

    e->strip = strip;
    e->unit->slow += r->op == LBR_OP_DIV || r->op == LBR_OP_SQRT, e->unit->called += is_called(r->op);
    switch (r->op) {
    case LBR_OP_NEG: negate(e, r, strip); break;
    case LBR_OP_TIME: declare(e, r->d, !e->unit->own_times), lbr_text_put(e->to, "t;\n"); break;
    case LBR_OP_INDEX: declare(e, r->d, 1), lbr_text_format(e->to, "(double)k%d;\n", strip); break;
    case LBR_CODE_GET: get(e, r); break;
    case LBR_CODE_READ:
    case LBR_CODE_STRIDED: load(e, r, strip); break;
    case LBR_CODE_PUT:
    case LBR_CODE_PUT_ADD:
    case LBR_CODE_PUT_FMA:
    case LBR_CODE_PUT_FNMA:
        lbr_emit_put(e, r, strip, lbr_emit_real(e, r->a),
                     r->op == LBR_CODE_PUT_FMA || r->op == LBR_CODE_PUT_FNMA ? lbr_emit_real(e, r->b) : "");
        break;
    case LBR_CODE_ZERO:
    case LBR_CODE_COPY: whole(e, r); break;
    case LBR_CODE_SPREAD: e->alias[r->d] = r->a; break;
    case LBR_CODE_FIRST: lbr_text_format(e->to, "    REAL r%d = SPLAT(%s);\n", (int)r->d, empty[r->a]); break;
    case LBR_CODE_CLEAR:
        lbr_text_format(e->to, "    REAL s%d[8];\n", (int)r->d);
        break; /* set where the strip begins */
    case LBR_CODE_ACC_SUM:
        lbr_text_format(e->to, "    r%d = OP_ADD(r%d, %s, SPLAT(0.0));\n", (int)r->d, (int)r->d,
                        lbr_emit_real(e, r->a));
        break;
    case LBR_CODE_ACC_FMA:
    case LBR_CODE_ACC_FNMA:
        lbr_text_format(e->to, "    r%d = OP_%s(%s, %s, r%d);\n", (int)r->d, r->op == LBR_CODE_ACC_FMA ? "FMA" : "FNMA",
                        lbr_emit_real(e, r->a), lbr_emit_real(e, r->b), (int)r->d);
        break;
    case LBR_CODE_ACC_PROD:
    case LBR_CODE_ACC_MAX:
    case LBR_CODE_ACC_MIN:
        lbr_text_format(e->to, "    r%d = OP_%s(r%d, %s, SPLAT(0.0));\n", (int)r->d,
                        r->op == LBR_CODE_ACC_PROD  ? "MUL"
                        : r->op == LBR_CODE_ACC_MAX ? "MAX"
                                                    : "MIN",
                        (int)r->d, lbr_emit_real(e, r->a));
        break;
    case LBR_CODE_FINISH: lbr_emit_finish(e, r); break;
    case LBR_CODE_DENSE: dense(e, &e->m->p->dense[r->a]); break;
    default: operation(e, r);
    }
}

int32_t lbr_emit_list(lbr_emitter *e, int32_t from)
{
    for (int32_t i = from; i; i = e->m->rec[i].next) {
        const lbr_rec *r = &e->m->rec[i];

        if (r->op == LBR_CODE_NEXT || r->op == LBR_CODE_LAST) return i;
        if (r->op == LBR_CODE_OPEN) i = lbr_emit_loop(e, i);
        else if (r->op == LBR_CODE_STRIP) i = lbr_emit_strip(e, i);
        else if (!e->taken[i] && (e->cut || !lbr_emit_group(e, i))) lbr_emit_instruction(e, r, -1);
        if (e->cut && ++e->since % PIECE == 0)
            lbr_text_put(e->to, "    __asm__ volatile(\"\" : : \"r\"(R), \"r\"(N) : \"memory\");\n");
    }
    return 0;
}

/* --- functions --------------------------------------------------------------------------------------------------- */

/* Inputs that are parameters, in order. */
static unsigned parameters(const lbr_emitter *e)
{
    unsigned bits = 0;

    for (int32_t i = 0; i < e->m->p->nslots; i++)
        if (e->m->p->slot[i].kind == LBR_SLOT_INPUT && e->m->p->slot[i].at > 0) bits |= 1u << e->m->p->slot[i].at;
    return bits;
}

static void head(lbr_emitter *e, const char *name, unsigned inputs)
{
    static const char thread[] = "static _Thread_local ";
    const lbr_maker *m = e->m;

    lbr_text_format(e->to, "static %sint %s(const %s t, const REAL *restrict x0",
                    m->nrecs < INLINED ? "inline __attribute__((always_inline)) " : "", name,
                    e->unit->own_times ? "REAL" : "double");
    for (int i = 1; i < 32; i++)
        if (inputs >> i & 1) lbr_text_format(e->to, ", const double *restrict x%d", i);
    lbr_text_put(e->to, ", REAL *restrict out, const lbr_kernel_data *restrict c)\n"
                        "{\n"
                        "    const double *restrict K = c->K;\n");
    for (int32_t i = 0; i < m->p->nslots; i++)
        if (m->p->slot[i].kind == LBR_SLOT_WORK)
            lbr_text_format(e->to, "    %sREAL w%d[%lld];\n", m->p->arrays > STACK ? thread : "", (int)i,
                            (long long)(slot_size(e, i) > 0 ? slot_size(e, i) : 1));
    if (m->p->scratch)
        lbr_text_format(e->to, "    %sdouble dense[%lld];\n", m->p->scratch > STACK ? thread : "",
                        (long long)m->p->scratch);
    lbr_text_put(e->to, "    (void)t, (void)x0, (void)K;\n");
    if (e->cut)
        lbr_text_format(e->to,
                        "    %sREAL R[%d];\n"
                        "    %sdouble N[%d];\n",
                        m->nvregs > STACK ? thread : "", (int)m->nvregs, m->nvregs > STACK ? thread : "",
                        (int)m->nvregs);
    for (int32_t v = 1; v < m->nvregs; v++) {
        const lbr_vreg *x = &m->vreg[v];
        int numbers;
        const char *slot;

        if (x->kind != LBR_VREG_IN) continue;
        slot = lbr_emit_slot(e, x->slot, &numbers);
        e->plain[v] = 1;
        if (e->cut) e->number[v] = (uint8_t)numbers, e->had[v] = 1, e->kept[v] = LBR_KEPT_INPUT;
        if (e->cut) continue;
        declare(e, v, numbers);
        lbr_text_format(e->to, "%s[%d];\n", slot, (int)x->address);
    }
}

/* What was computed in registers goes to where it belongs. */
static void tail(lbr_emitter *e)
{
    int numbers;

    for (int32_t v = 1; v < e->m->nvregs; v++) {
        const lbr_vreg *x = &e->m->vreg[v];

        if (x->kind == LBR_VREG_OUT)
            lbr_text_format(e->to, "    %s[%d] = %s;\n", lbr_emit_slot(e, x->slot, &numbers), (int)x->address,
                            lbr_emit_real(e, v));
    }
    lbr_emit_turn_back(e);
    lbr_text_put(e->to, "    return 0;\n}\n\n");
}

static lbr_status tables(lbr_emitter *e)
{
    lbr_maker *m = e->m;

    e->alias = lbr_arena_alloc(&m->temp, m->nvregs, sizeof *e->alias),
    e->constant = lbr_arena_alloc(&m->temp, m->nvregs, sizeof *e->constant);
    e->number = lbr_arena_alloc(&m->temp, m->nvregs, 1), e->plain = lbr_arena_alloc(&m->temp, m->nvregs, 1);
    e->data = lbr_arena_alloc(&m->temp, m->p->nslots + 1, sizeof *e->data),
    e->kept = lbr_arena_alloc(&m->temp, m->nvregs, 1);
    e->had = lbr_arena_alloc(&m->temp, m->nvregs, 1), e->taken = lbr_arena_alloc(&m->temp, m->nrecs + 1, 1),
    e->home = lbr_arena_alloc(&m->temp, m->nvregs, sizeof *e->home);
    e->turn = lbr_arena_alloc(&m->temp, m->p->nslots + 1, sizeof *e->turn),
    e->rows = lbr_arena_alloc(&m->temp, m->p->nslots + 1, sizeof *e->rows);
    e->cut = m->nrecs > LONG, e->strip = -1;
    if (!e->kept || !e->turn || !e->rows || !e->had || !e->taken || !e->home || !e->alias || !e->constant ||
        !e->number || !e->plain || !e->data)
        return lbr_maker_no_memory(m);
    for (int32_t i = 0; i < m->p->nslots; i++) e->data[i] = -1;
    return LBR_OK;
}

lbr_status lbr_emit_function(lbr_unit *u, const char *name, const lbr_dag *dag, const lbr_output *out, int nout,
                             int64_t shift, unsigned *inputs, lbr_message *message)
{
    lbr_routine p = { 0 };
    lbr_arena arena = { 0 };
    lbr_maker m = { .dag = dag, .message = message, .shift = shift, .p = &p, .keep = &arena };
    lbr_emitter e = { .unit = u, .to = &u->text, .m = &m };
    lbr_status status = dag->status ? lbr_fail(message, dag->status, "%s", dag->message.text)
                                    : lbr_maker_translate(&m, out, nout);

    if (!status) status = tables(&e);
    if (!status) {
        *inputs = parameters(&e);
        head(&e, name, *inputs), lbr_emit_turn(&e);
        lbr_emit_list(&e, m.prologue.first), lbr_emit_list(&e, m.main.first);
        tail(&e);
        status = u->text.status ? lbr_maker_no_memory(&m) : lbr_maker_link(&m); /* linked for the number of registers */
        u->loops |= e.strips > 0;
        if (!status && p.nscalar - p.nconstants > u->live) u->live = p.nscalar - p.nconstants;
    }
    lbr_arena_free(&m.temp), lbr_arena_free(&arena);
    return status;
}
