/* code.c - programs from graphs, and the memory they run in. SPDX-License-Identifier: BSD-3-Clause */
#include "code_make.h"
#include "stepper/stepper.h"

#include <stdatomic.h>
#include <stdio.h>

/* What fits on the stack; memory that waits for the next call: the first block of a program is made with it, so that
 * stepping allocates nothing. Threads that run it at the same time make one more each, which then waits, too. */
enum { FRAME = 2048, SLOTS = 32, POOL = 32 };

struct lbr_code {
    lbr_routine p;
    lbr_arena arena;
    const lbr_code_machine *machine;
    int64_t work, block; /* doubles: for a run, for a block */
    int small;           /* both fit on the stack */
    lbr_native_fn native, aside;
    const struct lbr_kernel_data *data; /* aside: what is not used for a while */
    lbr_native_fn extended;
    const struct lbr_kernel_data *extended_data;
    const lbr_low *low; /* or NULL: there is no function in extended precision */
    _Atomic(void *) pool[POOL];
};

/* --- instruction sets -------------------------------------------------------------------------------------------- */

static const lbr_code_machine *machine_of(lbr_isa isa)
{
    switch (isa) {
#ifdef LBR_HAVE_V3
    case LBR_ISA_V3: return &lbr_code_machine_v3;
#endif
#ifdef LBR_HAVE_V4
    case LBR_ISA_V4: return &lbr_code_machine_v4;
#endif
    default: return &lbr_code_machine_baseline;
    }
}

int lbr_code_isa(lbr_code *code, int isa)
{
    const char *text;

    if (!lbr_isa_there(isa)) return -1;
    code->machine = machine_of(lbr_isa_choose(isa, &text));
    return 0;
}

/* --- making ------------------------------------------------------------------------------------------------------ */

/* What the instructions can say: 32 bits for sizes; a state that is read as a whole is not shifted. */
static lbr_status check(lbr_maker *m, const lbr_output *out, int nout)
{
    for (int i = 0; i < nout; i++) {
        int64_t size = out[i].array < 0 ? 1 : out[i].array < m->dag->narrays ? m->dag->array[out[i].array].size : -1;

        if (size < 0 || out[i].at < 0 || out[i].at > INT32_MAX - size ||
            (out[i].array < 0 && (out[i].node < 0 || out[i].node >= m->dag->n)))
            return lbr_maker_fail(m, LBR_EARG, "output %d of a function of the model is not there", i + 1);
        if (out[i].array < 0 && m->dag->node[out[i].node].scope)
            return lbr_maker_fail(m, LBR_EARG, "output %d of a function of the model depends on an index", i + 1);
        if (out[i].array >= 0 && !m->dag->array[out[i].array].born)
            return lbr_maker_fail(m, LBR_EARG, "output %d of a function of the model is not complete", i + 1);
        if (out[i].at + size > m->p->nout) m->p->nout = out[i].at + size;
    }
    for (int k = 0; k < m->dag->narrays; k++)
        if (m->dag->array[k].size > INT32_MAX / 4)
            return lbr_maker_fail(m, LBR_EARG, "an array of %lld elements is too large",
                                  (long long)m->dag->array[k].size);
    return LBR_OK;
}

/* Operands come before what is made of them, and arrays are complete before they are read: what came after the outputs,
 * as the settings of other runs, is of no concern. */
static void bound(lbr_maker *m, const lbr_output *out, int nout)
{
    for (int i = 0; i < nout; i++) {
        int32_t n = out[i].array < 0 ? out[i].node + 1 : m->dag->array[out[i].array].born;

        if (n > m->nodes) m->nodes = n;
        if (out[i].array >= m->arrays) m->arrays = out[i].array + 1;
    }
    for (int32_t k = m->dag->narrays - 1; k >= m->arrays; k--)
        if (m->dag->array[k].born && m->dag->array[k].born <= m->nodes) m->arrays = k + 1;
}

static lbr_status tables(lbr_maker *m)
{
    int64_t n = m->nodes;

    m->reg = lbr_arena_alloc(&m->temp, n, sizeof *m->reg), m->spread = lbr_arena_alloc(&m->temp, n, sizeof *m->spread);
    m->pin = lbr_arena_alloc(&m->temp, n, sizeof *m->pin), m->stamp = lbr_arena_alloc(&m->temp, n, sizeof *m->stamp);
    m->level = lbr_arena_alloc(&m->temp, n, sizeof *m->level);
    m->slot = lbr_arena_alloc(&m->temp, m->arrays, sizeof *m->slot);
    if (!m->reg || !m->spread || !m->pin || !m->stamp || !m->level || !m->slot ||
        !lbr_maker_room(m, (void **)&m->rec, 0, &m->most_recs, sizeof *m->rec) ||
        !lbr_maker_room(m, (void **)&m->vreg, 0, &m->most_vregs, sizeof *m->vreg))
        return lbr_maker_no_memory(m);
    m->nrecs = m->nvregs = 1; /* 0 is none */
    return LBR_OK;
}

lbr_status lbr_maker_translate(lbr_maker *m, const lbr_output *out, int nout)
{
    lbr_status s = check(m, out, nout);

    if (!s) bound(m, out, nout);
    if (!s) s = lbr_maker_need(m, out, nout);
    if (!s) s = tables(m);
    if (!s) s = lbr_maker_ranges(m);
    return s ? s : lbr_maker_top(m, out, nout);
}

/* Memory for one run; nothing of it is touched. */
static void *new_block(const lbr_code *code)
{
    int64_t doubles = code->work > code->block ? code->work : code->block;

    return lbr_mem_alloc(64 + (size_t)doubles * sizeof(double) + (size_t)code->p.nslots * sizeof(double *));
}

/* Its sizes, and the first block. */
static lbr_status settle(lbr_code *code, lbr_message *message)
{
    const lbr_routine *p = &code->p;
    void *first;

    lbr_code_isa(code, LBR_ISA_AUTO);
    code->work = (int64_t)LBR_WIDE * p->nwide + p->nscalar + p->arrays + p->scratch;
    code->block = p->wide ? (int64_t)LBR_LANES * p->nscalar : code->work + p->nstate + p->nout;
    code->small = code->work <= FRAME && code->block <= FRAME && p->nslots <= SLOTS && !p->ndense;
    if (code->small) return LBR_OK;
    if (!(first = new_block(code)))
        return lbr_fail(message, LBR_ENOMEM, "not enough memory for the program of a model");
    atomic_store(&code->pool[0], first);
    return LBR_OK;
}

lbr_status lbr_code_make(lbr_code **result, const lbr_dag *dag, const lbr_output *out, int nout, int64_t shift,
                         lbr_message *message)
{
    lbr_code *code = *result = NULL;
    lbr_maker m = { .dag = dag, .message = message, .shift = shift };
    lbr_output *now;
    lbr_dag part;
    lbr_status s;
    int found;

    if (dag->status) return lbr_fail(message, dag->status, "%s", dag->message.text);
    if (!(code = lbr_mem_alloc(sizeof *code)))
        return lbr_fail(message, LBR_ENOMEM, "not enough memory for the program of a model");
    m.p = &code->p, m.keep = &code->arena;
    now = lbr_arena_alloc(&m.temp, nout, sizeof *now),
    found = now ? lbr_code_extract(dag, out, nout, &m.temp, &part, now) : -1;
    if (found > 0) m.dag = &part, out = now;
    s = found < 0 ? lbr_maker_no_memory(&m) : lbr_maker_translate(&m, out, nout);
    if (!s) s = lbr_maker_link(&m);
    lbr_arena_free(&m.temp);
    if (!s) s = settle(code, message);
    if (s) return lbr_code_free(code), s;
    *result = code;
    return LBR_OK;
}

const lbr_routine *lbr_code_routine(const lbr_code *code) { return &code->p; }

void lbr_code_free(lbr_code *code)
{
    if (!code) return;
    for (int i = 0; i < POOL; i++) lbr_mem_free(atomic_load(&code->pool[i]));
    lbr_arena_free(&code->arena);
    lbr_mem_free(code);
}

lbr_code_size lbr_code_measure(const lbr_code *code)
{
    const lbr_routine *p = &code->p;

    return (lbr_code_size){ p->ninstr, p->nscalar + p->nwide, p->nloops,
                            p->ninstr * (int64_t)sizeof *p->instr + 8 * code->work };
}

/* --- memory ------------------------------------------------------------------------------------------------------ */

typedef struct memory {
    double *work, **slot;
    void *block;
} memory;

/* A free one, or a new one. Not zero, except the first time. */
static int take(lbr_code *code, memory *m)
{
    int64_t doubles = code->work > code->block ? code->work : code->block;

    for (int i = 0; i < POOL && !m->block; i++)
        if (atomic_load_explicit(&code->pool[i], memory_order_relaxed))
            m->block = atomic_exchange(&code->pool[i], NULL);
    if (!m->block && !(m->block = new_block(code))) return 0;
    m->work = (double *)(((uintptr_t)m->block + 63) / 64 * 64);
    m->slot = (double **)(void *)(m->work + doubles);
    return 1;
}

static void put_back(lbr_code *code, void *block)
{
    for (int i = 0; i < POOL && block; i++) {
        void *none = NULL;
        if (atomic_compare_exchange_strong(&code->pool[i], &none, block)) block = NULL;
    }
    lbr_mem_free(block);
}

/* --- running ----------------------------------------------------------------------------------------------------- */

/* Where arrays are: state and out given, the other inputs, the work memory. */
static void locate(const lbr_code *code, const memory *m, const double *state, const double *const *input, double *out)
{
    const lbr_routine *p = &code->p;
    double *arrays = m->work + (int64_t)LBR_WIDE * p->nwide + p->nscalar;

    for (int32_t i = 0; i < p->nslots; i++) {
        const lbr_slot *s = &p->slot[i];

        switch (s->kind) {
        case LBR_SLOT_INPUT: m->slot[i] = (double *)(s->at ? input[s->at] : state); break;
        case LBR_SLOT_DATA: m->slot[i] = (double *)s->data; break;
        case LBR_SLOT_WORK: m->slot[i] = arrays + s->at; break;
        case LBR_SLOT_OUT: m->slot[i] = out + s->at;
        }
    }
}

static int on_stack(lbr_code *code, double t, const double *const *input, double *out, double *left)
{
    _Alignas(64) double work[FRAME];
    double *slot[SLOTS];

    locate(code, &(memory){ work, slot, NULL }, code->p.nstate ? input[0] : NULL, input, out);
    return code->machine->run(&code->p, work, slot, t, left);
}

static int in_pool(lbr_code *code, double t, const double *const *input, double *out, double *left)
{
    memory m = { 0 };
    int status;

    if (!take(code, &m)) return -1;
    locate(code, &m, code->p.nstate ? input[0] : NULL, input, out);
    status = code->machine->run(&code->p, m.work, m.slot, t, left);
    put_back(code, m.block);
    return status;
}

void lbr_code_native(lbr_code *code, lbr_native_fn fn, const struct lbr_kernel_data *data)
{
    code->native = fn, code->aside = NULL, code->data = data;
}

void lbr_code_extended(lbr_code *code, lbr_native_fn fn, const struct lbr_kernel_data *data, const lbr_low *low)
{
    code->extended = fn, code->extended_data = data, code->low = low;
}

void lbr_code_interpret(lbr_code *code, int on)
{
    if (on && code->native) code->aside = code->native, code->native = NULL;
    if (!on && code->aside) code->native = code->aside, code->aside = NULL;
}

int lbr_code_run(lbr_code *code, double t, const double *const *input, double *out)
{
    if (code->low && code->low->y) return code->extended(t, input, out, code->extended_data);
    if (code->native) return code->native(t, input, out, code->data);
    return code->small ? on_stack(code, t, input, out, NULL) : in_pool(code, t, input, out, NULL);
}

/* --- counted ----------------------------------------------------------------------------------------------------- */

double lbr_op_weight(int op)
{
    int called = (op >= LBR_OP_CBRT && op <= LBR_OP_ERF) || op == LBR_OP_POW || op == LBR_OP_ATAN2 ||
                 op == LBR_OP_HYPOT || op == LBR_OP_MOD;

    return called ? 1 : 0.125;
}

double lbr_code_weight(const lbr_routine *p, const lbr_instr *in, const lbr_instr *end)
{
    double sum = 0;

    for (; in < end; in++) {
        sum += lbr_op_weight(in->op);
        if (in->op == LBR_CODE_ZERO || in->op == LBR_CODE_COPY) sum += in->c / 64.0;
        if (in->op == LBR_CODE_DENSE)
            sum += lbr_dense_cost(p->dense[in->a].kind, p->dense[in->a].rows, p->dense[in->a].cols);
        if (in->op == LBR_CODE_OPEN || in->op == LBR_CODE_STRIP) in = p->instr + in->c - 1;
    }
    return sum;
}

int lbr_code_run_within(lbr_code *code, double t, const double *const *input, double *out, double *left)
{
    if ((*left -= lbr_code_weight(&code->p, code->p.instr, code->p.instr + code->p.ninstr)) < 0) return LBR_CODE_SPENT;
    return code->small ? on_stack(code, t, input, out, left) : in_pool(code, t, input, out, left);
}

/* State by state: gathered, run, scattered. */
static int one_by_one(lbr_code *code, const memory *m, int64_t w, const double *t, const double *const *input,
                      double *out)
{
    const lbr_routine *p = &code->p;
    double *y = m->work + code->work, *f = y + p->nstate;
    int status = 0;

    locate(code, m, y, input, f);
    for (int64_t l = 0; l < w && !status; l++) {
        for (int64_t i = 0; i < p->nstate; i++) y[i] = input[0][i * w + l];
        for (int64_t i = 0; i < p->nout; i++) f[i] = out[i * w + l]; /* there may be gaps */
        status = code->machine->run(p, m->work, m->slot, t[l], NULL);
        for (int64_t i = 0; i < p->nout; i++) out[i * w + l] = f[i];
    }
    return status;
}

static int block(lbr_code *code, const memory *m, int64_t w, const double *t, const double *const *input, double *out)
{
    if (!code->p.wide) return one_by_one(code, m, w, t, input, out);
    for (int64_t l = 0; l < w; l += LBR_LANES) {
        locate(code, m, code->p.nstate ? input[0] + l : NULL, input, out + l);
        code->machine->block(&code->p, m->work, m->slot, t + l, w, w - l < LBR_LANES ? (int)(w - l) : LBR_LANES);
    }
    return 0;
}

static int block_on_stack(lbr_code *code, int64_t w, const double *t, const double *const *input, double *out)
{
    _Alignas(64) double work[FRAME];
    double *slot[SLOTS];

    return block(code, &(memory){ work, slot, NULL }, w, t, input, out);
}

int lbr_code_run_block(lbr_code *code, int64_t w, const double *t, const double *const *input, double *out)
{
    memory m = { 0 };
    int status;

    if (code->small) return block_on_stack(code, w, t, input, out);
    if (!take(code, &m)) return -1;
    status = block(code, &m, w, t, input, out);
    put_back(code, m.block);
    return status;
}
