/* code_pattern.c - which components of the state each result of a program depends on. SPDX-License-Identifier:
 * BSD-3-Clause
 *
 * The program runs once with sets of components beside its numbers: what is read of the state is the set of that one
 * component, an operation has the union of its operands' sets. Numbers are needed for indices and for the bounds of
 * loops, which must not depend on the state or on time; where they do, nothing is known. Both branches of a selection
 * count. So a set has every component on which the result may depend, wherever the state is. */
#include "code_machine.h"
#include "code_pattern.h"
#include "graph/op.h"

#include <string.h>

/* A set by its number: 0 is empty, then the single ones, time being the one after the state, then those of the pool. */
typedef struct sets {
    int64_t single; /* so many */
    int32_t *pool;  /* elements */
    int64_t used, most, budget;
    int64_t *start; /* of set number single + 1 + k; it ends where the next one starts */
    int64_t count, most_starts;
    int32_t one[2];
    lbr_arena *arena;
    int lost, no_memory; /* nothing is known of it; there is no memory */
} sets;

static int64_t elements(sets *s, int32_t set, int32_t *one, const int32_t **list)
{
    if (set == 0) return 0;
    if (set <= s->single) return *one = set - 1, *list = one, 1;
    set -= (int32_t)s->single + 1;
    *list = s->pool + s->start[set];
    return s->start[set + 1] - s->start[set];
}

static int add_set(sets *s, int64_t length)
{
    if (!LBR_ROOM(s->arena, s->start, s->count ? s->count + 1 : 0, s->most_starts, 2)) return s->no_memory = 1, 0;
    if (s->used + length > s->budget || s->single + s->count + 2 > INT32_MAX) return s->lost = 1, 0;
    s->start[s->count] = s->used;
    s->used += length, s->count++;
    s->start[s->count] = s->used;
    return 1;
}

static int32_t join(sets *s, int32_t a, int32_t b)
{
    const int32_t *x = NULL, *y = NULL;
    int32_t *to;
    int64_t na, nb, n = 0;

    if (a == b || b == 0) return a;
    if (a == 0 || s->lost || s->no_memory) return b;
    na = elements(s, a, s->one, &x), nb = elements(s, b, s->one + 1, &y);
    if (!LBR_ROOM(s->arena, s->pool, s->used, s->most, na + nb)) return s->no_memory = 1, a;
    elements(s, a, s->one, &x), elements(s, b, s->one + 1, &y); /* the pool may have moved */
    to = s->pool + s->used;
    for (int64_t i = 0, j = 0; i < na || j < nb; n++) {
        if (j >= nb || (i < na && x[i] < y[j])) to[n] = x[i++];
        else if (i >= na || y[j] < x[i]) to[n] = y[j++];
        else to[n] = x[i++], j++;
    }
    s->budget -= n; /* also for what is not kept: this is work */
    if (n == na) return a;
    if (n == nb) return b;
    s->budget += n;
    return add_set(s, n) ? (int32_t)(s->single + s->count) : a;
}

/* --- the machine ------------------------------------------------------------------------------------------------- */

typedef struct value {
    double x;
    int32_t set;
} value;

typedef struct machine {
    const lbr_routine *p;
    value *S, *W, **slot; /* slot: arrays that are made, and results */
    int64_t shift;
    sets s;
} machine;

static void lose(machine *M) { M->s.lost = 1; }

static int32_t time_set(const machine *M) { return (int32_t)M->s.single; }

/* A number that must be the same for every state, such as an index. */
static double fixed(machine *M, const value *v)
{
    if (v->set || !(fabs(v->x) < 1e15)) return lose(M), 0;
    return v->x;
}

static value element(machine *M, int32_t slot, int64_t at)
{
    const lbr_slot *s = &M->p->slot[slot];

    switch (s->kind) {
    case LBR_SLOT_DATA: return (value){ s->data[at], 0 };
    case LBR_SLOT_INPUT:
        if (s->at || at + M->shift < 0 || at + M->shift >= M->s.single - 1) return lose(M), (value){ 0 };
        return (value){ 0, (int32_t)(1 + at + M->shift) };
    default: return M->slot[slot][at];
    }
}

static value *made(machine *M, int32_t slot) { return M->slot[slot]; }

/* The address of a place, in a strip's iteration i with W, outside with S; put: -1 where there is none, else the
 * nearest one is read. */
static int64_t address(machine *M, const lbr_cell *c, const value *file, int64_t i, int put)
{
    double at = (double)c->offset;

    if (c->kind == LBR_CELL_INDEX) at += fixed(M, file + c->reg[0]);
    if (c->kind == LBR_CELL_STRIDE) {
        at += (double)(c->stride * i);
        for (int k = 0; k < c->nregs; k++) at += (double)c->factor[k] * fixed(M, M->S + c->reg[k]);
    }
    if (M->s.lost) return -1;
    if (c->kind == LBR_CELL_FIXED) return c->offset;
    if (at < (double)c->lo) return put ? -1 : c->lo;
    if (at > (double)c->hi) return put ? -1 : c->hi;
    return (int64_t)at;
}

static void read_cell(machine *M, const lbr_cell *c, value *file, int64_t i, value *to)
{
    int64_t at = address(M, c, file, i, 0);

    if (at >= 0) *to = element(M, c->slot, at);
}

/* What a number becomes, and how many operands it has. */
/* clang-format off */
#define NUMBER_OF(op_, expression) case LBR_OP_##op_: return expression;
#define SIGNED_OF(op_, expression) case LBR_CODE_##op_: return expression;
/* clang-format on */
static double number(int op, double a, double b, double c)
{
    (void)b, (void)c;
    switch (op) {
        LBR_OP_NUMBERS(NUMBER_OF)
        LBR_OP_SIGNED(SIGNED_OF)
    default: return NAN;
    }
}

static int operands(int op)
{
    switch (op) {
    case LBR_CODE_MOV: return 1;
    case LBR_CODE_NMUL: return 2;
    case LBR_CODE_FMS:
    case LBR_CODE_FNMA:
    case LBR_CODE_FNMS: return 3;
    default: return op < LBR_OPS ? lbr_op_operands[op] : 0;
    }
}

/* a and b (for products that are added) are taken into e. */
static void take(machine *M, value *e, const value *a, const value *b, double x)
{
    e->x = x;
    e->set = join(&M->s, e->set, a->set);
    if (b) e->set = join(&M->s, e->set, b->set);
}

static void accumulate(machine *M, int op, value *e, const value *a, const value *b)
{
    switch (op) {
    case LBR_CODE_ACC_SUM:
    case LBR_CODE_PUT_ADD: take(M, e, a, NULL, e->x + a->x); break;
    case LBR_CODE_ACC_FMA:
    case LBR_CODE_PUT_FMA: take(M, e, a, b, fma(a->x, b->x, e->x)); break;
    case LBR_CODE_ACC_FNMA:
    case LBR_CODE_PUT_FNMA: take(M, e, a, b, fma(-a->x, b->x, e->x)); break;
    case LBR_CODE_ACC_PROD: take(M, e, a, NULL, e->x * a->x); break;
    case LBR_CODE_ACC_MAX: take(M, e, a, NULL, lbr_op_max(e->x, a->x)); break;
    case LBR_CODE_ACC_MIN: take(M, e, a, NULL, lbr_op_min(e->x, a->x)); break;
    default: *e = *a; /* PUT */
    }
}

/* Instructions that are alike in strips and outside. 0: it is another one. */
static int common(machine *M, const lbr_instr *in, value *file, int64_t i)
{
    const lbr_cell *place = M->p->place;
    int64_t at;

    switch (in->op) {
    case LBR_CODE_READ:
    case LBR_CODE_STRIDED: read_cell(M, &place[in->a], file, i, file + in->d); return 1;
    case LBR_CODE_PUT:
    case LBR_CODE_PUT_ADD:
    case LBR_CODE_PUT_FMA:
    case LBR_CODE_PUT_FNMA:
        at = address(M, &place[in->d], file, i, 1);
        if (at >= 0) accumulate(M, in->op, made(M, place[in->d].slot) + at, file + in->a, file + in->b);
        return 1;
    case LBR_CODE_ACC_SUM:
    case LBR_CODE_ACC_FMA:
    case LBR_CODE_ACC_FNMA:
    case LBR_CODE_ACC_PROD:
    case LBR_CODE_ACC_MAX:
    case LBR_CODE_ACC_MIN: accumulate(M, in->op, file + in->d, file + in->a, file + in->b); return 1;
    case LBR_OP_TIME: file[in->d] = (value){ 0, time_set(M) }; return 1;
    default: break;
    }
    if (!operands(in->op)) return 0;
    {
        const value *x[3] = { file + in->a, file + in->b, file + in->c };
        value to = { number(in->op, x[0]->x, x[1]->x, x[2]->x), 0 };

        for (int k = 0; k < operands(in->op); k++) to.set = join(&M->s, to.set, x[k]->set);
        file[in->d] = to;
    }
    return 1;
}

/* The number of iterations lo .. hi. */
static int64_t count(double lo, double hi) { return hi >= lo && hi - lo < 1e15 ? (int64_t)(hi - lo) + 1 : 0; }

/* The body of a strip, from `in` on, for iteration i. */
static void strip(machine *M, const lbr_instr *in, int64_t i)
{
    for (; in->op != LBR_CODE_LAST && !M->s.lost && !M->s.no_memory; in++) {
        if (in->op == LBR_OP_INDEX) M->W[in->d] = (value){ (double)i, 0 };
        else if (!common(M, in, M->W, i)) lose(M);
    }
}

/* All that goes in comes out everywhere. */
static void dense(machine *M, const lbr_dense *d)
{
    int64_t solve = d->kind == LBR_ARRAY_SOLVE, right = solve ? d->rows * d->cols : 0,
            n = solve                      ? right
                : d->kind == LBR_ARRAY_DET ? 1
                                           : d->rows;
    int32_t all = time_set(M); /* its numbers are not known here: no index may come from them */

    for (int64_t k = 0; k < d->rows * d->rows; k++) all = join(&M->s, all, element(M, d->a, k).set);
    for (int64_t k = 0; k < right; k++) all = join(&M->s, all, element(M, d->b, k).set);
    for (int64_t k = 0; k < n; k++) made(M, d->to)[k] = (value){ 0, all };
}

static const double
    before[] = { [LBR_KIND_SUM] = 0, [LBR_KIND_PROD] = 1, [LBR_KIND_MAX] = -INFINITY, [LBR_KIND_MIN] = INFINITY };

/* Moves and loops, outside of strips; the next instruction, or NULL at the end. */
static const lbr_instr *other(machine *M, const lbr_instr *in, int64_t *n)
{
    const lbr_routine *p = M->p;
    value *S = M->S;

    switch (in->op) {
    case LBR_CODE_GET: S[in->d] = element(M, in->a, in->b); break;
    case LBR_CODE_COPY_IN:
        for (int32_t k = 0; k < in->c; k++) S[in->d + k] = element(M, in->a, in->b + k);
        break;
    case LBR_CODE_COPY_OUT: memcpy(made(M, in->a) + in->b, S + in->d, (size_t)in->c * sizeof *S); break;
    case LBR_CODE_ZERO: memset(made(M, in->a), 0, (size_t)in->c * sizeof *S); break;
    case LBR_CODE_COPY:
        for (int32_t k = 0; k < in->c; k++) made(M, in->a)[k] = element(M, in->d, k);
        break;
    case LBR_CODE_FIRST:
    case LBR_CODE_START: S[in->d] = (value){ before[in->a], 0 }; break;
    case LBR_CODE_OPEN:
        S[in->d] = (value){ fixed(M, S + in->a), 0 };
        return count(S[in->d].x, fixed(M, S + in->b)) ? in + 1 : p->instr + in->c;
    case LBR_CODE_NEXT: S[in->d].x += 1; return S[in->d].x <= S[in->b].x ? p->instr + in->c : in + 1;
    case LBR_CODE_CLEAR: M->W[in->d] = (value){ before[in->a], 0 }; break;
    case LBR_CODE_SPREAD: M->W[in->d] = S[in->a]; break;
    case LBR_CODE_STRIP: {
        double lo = fixed(M, S + in->a), hi = fixed(M, S + in->b);

        *n = count(lo, hi);
        for (int64_t i = 0; i < *n && !M->s.lost && !M->s.no_memory; i++) strip(M, in + 1, (int64_t)lo + i);
        return p->instr + in->c;
    }
    case LBR_CODE_FINISH: S[in->d] = *n ? M->W[in->a] : (value){ 0 }; break;
    case LBR_CODE_DENSE: dense(M, &p->dense[in->a]); break;
    default: return NULL; /* END */
    }
    return in + 1;
}

static void run(machine *M)
{
    const lbr_instr *in = M->p->instr;
    int64_t n = 0;

    for (int32_t k = 0; k < M->p->nconstants; k++) M->S[k] = (value){ M->p->constant[k], 0 };
    while (in && !M->s.lost && !M->s.no_memory) in = common(M, in, M->S, 0) ? in + 1 : other(M, in, &n);
}

/* --- the pattern ------------------------------------------------------------------------------------------------- */

/* A pattern of a quarter of all entries helps nobody. */
enum { SMALL = 64, FULL = 4 };

static lbr_status collect(sets *s, int64_t n, int64_t m, const value *out, lbr_pattern *p, lbr_arena *arena)
{
    int64_t *row = lbr_arena_alloc(arena, m + 1, sizeof *row), *col, nnz = 0;
    const int32_t *list = NULL;
    int32_t one;

    for (int64_t i = 0; i < m; i++) nnz += elements(s, out[i].set, &one, &list);
    if (m >= SMALL && FULL * nnz > m * n) return LBR_OK;
    col = lbr_arena_alloc(arena, nnz, sizeof *col);
    if (!row || !col) return LBR_ENOMEM;
    nnz = 0;
    for (int64_t i = 0; i < m; i++) {
        int64_t length = elements(s, out[i].set, &one, &list);

        for (int64_t k = 0; k < length; k++)
            if (list[k] < n) col[nnz++] = list[k]; /* not time */
        row[i + 1] = nnz;
    }
    *p = (lbr_pattern){ m, n, nnz, row, col };
    return LBR_OK;
}

/* Registers, and arrays by their slots. */
static value *allot(machine *M, int64_t m, lbr_arena *temp)
{
    const lbr_routine *p = M->p;
    value *arrays = lbr_arena_alloc(temp, p->arrays + 1, sizeof *arrays),
          *out = lbr_arena_alloc(temp, m > p->nout ? m : p->nout, sizeof *out);

    M->S = lbr_arena_alloc(temp, p->nscalar + 1, sizeof *M->S);
    M->W = lbr_arena_alloc(temp, (int64_t)LBR_WIDE * p->nwide + 1, sizeof *M->W);
    M->slot = lbr_arena_alloc(temp, p->nslots + 1, sizeof *M->slot);
    if (!arrays || !out || !M->S || !M->W || !M->slot) return NULL;
    for (int32_t i = 0; i < p->nslots; i++) {
        if (p->slot[i].kind == LBR_SLOT_WORK) M->slot[i] = arrays + p->slot[i].at;
        if (p->slot[i].kind == LBR_SLOT_OUT) M->slot[i] = out + p->slot[i].at;
    }
    return out;
}

lbr_status lbr_code_pattern(const lbr_code *code, int64_t n, int64_t m, int64_t shift, lbr_pattern *out,
                            lbr_arena *arena)
{
    lbr_arena temp = { NULL };
    machine M = { .p = lbr_code_routine(code), .shift = shift };
    value *results;
    lbr_status status = LBR_OK;

    *out = (lbr_pattern){ 0 };
    if (n >= INT32_MAX / 4) return LBR_OK;
    M.s.single = n + 1;
    M.s.budget = (16 * n < 4000 ? 16 * n : 4000) * n + 100000;
    M.s.arena = &temp;
    if (!(results = allot(&M, m, &temp))) status = LBR_ENOMEM;
    else {
        run(&M);
        if (M.s.no_memory) status = LBR_ENOMEM;
        else if (!M.s.lost) status = collect(&M.s, n, m, results, out, arena);
    }
    lbr_arena_free(&temp);
    return status;
}
