/* code_exec.c - the register machine running; compiled once per instruction set.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "code_machine.h"
#include "graph/op.h"

#include <string.h>

/* The operations of the graph, and those with a sign taken in. */
#define NUMBERS(X) LBR_OP_NUMBERS(X)
#define SIGNED(X)  LBR_OP_SIGNED(X)

/* What a sum or an element e becomes with a (and b). */
/* clang-format off */
#define TERMS(X) X(SUM, ADD, e + a) X(FMA, FMA, fma(a, b, e)) X(FNMA, FNMA, fma(-a, b, e))
#define OTHERS(X) X(PROD, e * a) X(MAX, lbr_op_max(e, a)) X(MIN, lbr_op_min(e, a))
/* clang-format on */

/* Before the first term: then a sum is its first term exactly, -0 included. */
static const double
    before[] = { [LBR_KIND_SUM] = -0.0, [LBR_KIND_PROD] = 1, [LBR_KIND_MAX] = -INFINITY, [LBR_KIND_MIN] = INFINITY };
static const double
    of_nothing[] = { [LBR_KIND_SUM] = 0, [LBR_KIND_PROD] = 1, [LBR_KIND_MAX] = NAN, [LBR_KIND_MIN] = NAN };

typedef struct machine {
    const lbr_routine *p;
    double *S, *W; /* registers */
    double *const *slot;
    int64_t lo, n; /* of a strip's loop: the first index, iterations */
    const double *t;
    int64_t w;
    int m; /* of a block */
} machine;

/* --- places ------------------------------------------------------------------------------------------------------ */

/* The address an index names; with skip, -1 if there is none, else the nearest one. */
static inline int64_t indexed(const lbr_cell *p, double index, int skip)
{
    double lo = (double)(p->lo - p->offset), hi = (double)(p->hi - p->offset);

    if (p->checked) {
        if (skip && !(index >= lo && index <= hi)) return -1;
        index = index >= lo ? index <= hi ? index : hi : lo;
    }
    return (int64_t)index + p->offset;
}

static inline int64_t strided(const lbr_cell *p, const double *S, int64_t i)
{
    int64_t at = p->offset + p->stride * i;

    for (int k = 0; k < p->nregs; k++) at += p->factor[k] * (int64_t)S[p->reg[k]];
    return at;
}

static inline int inside(const lbr_cell *p, int64_t at) { return at >= p->lo && at <= p->hi; }
static inline int all_inside(const lbr_cell *p, int64_t at, int m)
{
    return !p->checked || (inside(p, at) && inside(p, at + (m - 1) * p->stride));
}
static inline int64_t nearest(const lbr_cell *p, int64_t at) { return at < p->lo ? p->lo : at > p->hi ? p->hi : at; }

/* Eight numbers written as vectors: what is written in pieces cannot be read as a whole at once. */
typedef double four __attribute__((vector_size(32), may_alias));
#define EIGHT(d, f)                                                                       \
    do {                                                                                  \
        const four low_ = { f(0), f(1), f(2), f(3) }, high_ = { f(4), f(5), f(6), f(7) }; \
        ((four *)(d))[0] = low_, ((four *)(d))[1] = high_;                                \
    } while (0)

/* Lanes from i on, m of them; the others repeat the last one. */
static inline void load_strided(const machine *M, const lbr_instr *in, int half, int64_t i, int m)
{
    const lbr_cell *p = &M->p->place[in->a];
    double *d = M->W + in->d + half;
    int64_t at = strided(p, M->S, i), step = p->stride;
    const double *x = M->slot[p->slot];

    if (m < LBR_LANES || !all_inside(p, at, m)) {
        for (int l = 0; l < LBR_LANES; l++) d[l] = x[nearest(p, at + (l < m ? l : m - 1) * step)];
        return;
    }
    x += at;
#define ELEMENT(l) x[(l)*step]
    if (step == 1) memcpy(d, x, LBR_LANES * sizeof *d);
    else EIGHT(d, ELEMENT);
#undef ELEMENT
}

static inline void load_indexed(const machine *M, const lbr_cell *p, double *restrict d, int half)
{
    const double *x = M->slot[p->slot], *index = M->W + p->reg[0] + half;

#define ELEMENT(l) x[indexed(p, index[l], 0)]
    EIGHT(d, ELEMENT);
#undef ELEMENT
}

/* The addresses of m lanes, -1 for those to be left out. */
static inline void addresses(const machine *M, const lbr_cell *p, int half, int64_t i, int m, int64_t *at)
{
    int64_t first;

    if (p->kind == LBR_CELL_INDEX) {
        for (int l = 0; l < m; l++) at[l] = indexed(p, M->W[p->reg[0] + half + l], 1);
        return;
    }
    first = strided(p, M->S, i);
    for (int l = 0; l < m; l++) at[l] = p->checked && !inside(p, first + l * p->stride) ? -1 : first + l * p->stride;
}

/* --- lanes ------------------------------------------------------------------------------------------------------- */

#define INLINE     static inline __attribute__((always_inline))
#define ALIGNED(x) __builtin_assume_aligned(x, 64)
#define WIDE(r)    ALIGNED(M->W + (r)) /* the numbers of wide registers are multiples of 8 */

/* Unrolled before gcc's vectoriser has seen them, lanes would stay scalars; clang makes vectors of unrolled ones. */
#ifdef __clang__
    #define VECTORS
#else
    #define VECTORS _Pragma("GCC unroll 1")
#endif

/* Lanes from `half` on. One function for each operation: as parameters the pointers are known to be apart, and the loop
 * becomes vectors. */
#define LANES_NUMBER(op_, expression)                                                                     \
    INLINE void vector_##op_(double *restrict d, const double *restrict x, const double *restrict y,      \
                             const double *restrict z)                                                    \
    {                                                                                                     \
        d = ALIGNED(d), x = ALIGNED(x), y = ALIGNED(y), z = ALIGNED(z);                                   \
        VECTORS for (int l = 0; l < LBR_LANES; l++)                                                       \
        {                                                                                                 \
            const double a = x[l], b = y[l], c = z[l];                                                    \
            (void)b, (void)c;                                                                             \
            d[l] = expression;                                                                            \
        }                                                                                                 \
    }                                                                                                     \
    INLINE void lanes_##op_(const machine *M, const lbr_instr *in, int half)                              \
    {                                                                                                     \
        vector_##op_(M->W + in->d + half, M->W + in->a + half, M->W + in->b + half, M->W + in->c + half); \
    }
#define LANES_HOT_NUMBER(op_, expression) LANES_NUMBER(HOT_##op_, expression)
NUMBERS(LANES_NUMBER)
SIGNED(LANES_NUMBER)
LBR_HOT_LIST(LANES_HOT_NUMBER)

/* Eight lanes from `half` on are added to a sum: partial sums; up to eight iterations one after the other. */
#define PARTIAL(acc, put, expression)                                                                        \
    INLINE void partial_##acc(double *restrict r, const double *restrict x, const double *restrict y, int m) \
    {                                                                                                        \
        VECTORS for (int l = 0; l < m; l++)                                                                  \
        {                                                                                                    \
            const double e = r[l], a = x[l], b = y[l];                                                       \
            (void)b;                                                                                         \
            r[l] = expression;                                                                               \
        }                                                                                                    \
    }                                                                                                        \
    INLINE void sum_##acc(const machine *M, const lbr_instr *in, int half, int m)                            \
    {                                                                                                        \
        double *r = WIDE(in->d), *x = WIDE(in->a + half), *y = WIDE(in->b + half), e = r[0];                 \
        if (M->n > LBR_LANES && m == LBR_LANES) partial_##acc(r, x, y, LBR_LANES);                           \
        else if (M->n > LBR_LANES) partial_##acc(r, x, y, m);                                                \
        else {                                                                                               \
            for (int l = 0; l < m; l++) {                                                                    \
                const double a = x[l], b = y[l];                                                             \
                (void)b;                                                                                     \
                e = expression;                                                                              \
            }                                                                                                \
            r[0] = e;                                                                                        \
        }                                                                                                    \
    }
TERMS(PARTIAL)

/* An entry: m lanes in order. In equal steps and all there, or each to its address. */
#define PUT_LANE(at_, expression)                     \
    {                                                 \
        const double a = x[l], b = y[l], e = to[at_]; \
        (void)b;                                      \
        to[at_] = expression;                         \
    }
#define ENTRY(acc, put, expression)                                                          \
    static void put_##put(const machine *M, const lbr_instr *in, int half, int64_t i, int m) \
    {                                                                                        \
        const lbr_cell *p = &M->p->place[in->d];                                             \
        const double *x = WIDE(in->a + half), *y = WIDE(in->b + half);                       \
        double *to = M->slot[p->slot];                                                       \
        int64_t at[LBR_LANES], step = p->stride;                                             \
        at[0] = p->kind == LBR_CELL_STRIDE ? strided(p, M->S, i) : 0;                        \
        if (p->kind == LBR_CELL_STRIDE && all_inside(p, at[0], m)) {                         \
            to += at[0];                                                                     \
            if (m == LBR_LANES)                                                              \
                for (int l = 0; l < LBR_LANES; l++) PUT_LANE(l *step, expression)            \
            else                                                                             \
                for (int l = 0; l < m; l++) PUT_LANE(l *step, expression)                    \
            return;                                                                          \
        }                                                                                    \
        addresses(M, p, half, i, m, at);                                                     \
        for (int l = 0; l < m; l++)                                                          \
            if (at[l] >= 0) PUT_LANE(at[l], expression)                                      \
    }
TERMS(ENTRY)

static void put_lanes(const machine *M, const lbr_instr *in, int half, int64_t i, int m)
{
    const lbr_cell *p = &M->p->place[in->d];
    const double *x = WIDE(in->a + half);
    double *to = M->slot[p->slot];
    int64_t at[LBR_LANES];

    if (p->kind == LBR_CELL_FIXED && M->w) {
        for (int l = 0; l < m; l++) to[p->offset * M->w + l] = x[l];
        return;
    }
    addresses(M, p, half, i, m, at);
    for (int l = 0; l < m; l++)
        if (at[l] >= 0) to[at[l]] = x[l];
}

/* Rows of registers, of a block. */
static void copy_in(const machine *M, const lbr_instr *in)
{
    int64_t w = M->p->slot[in->a].at ? 0 : M->w; /* other inputs are shared by all */
    const double *x = M->slot[in->a] + in->b * (w ? w : 1);

    for (int32_t k = 0; k < in->c; k++) {
        double *d = WIDE(in->d + LBR_LANES * k);
        for (int l = 0; l < LBR_LANES; l++) d[l] = w ? x[k * w + (l < M->m ? l : M->m - 1)] : x[k];
    }
}

static void copy_out(const machine *M, const lbr_instr *in)
{
    double *x = M->slot[in->a] + in->b * M->w;

    for (int32_t k = 0; k < in->c; k++) {
        const double *d = WIDE(in->d + LBR_LANES * k);
        for (int l = 0; l < M->m; l++) x[k * M->w + l] = d[l];
    }
}

static inline void indices(double *d, int64_t i, int m)
{
#define ELEMENT(l) (double)(i + ((l) < m ? (l) : m - 1))
    EIGHT(d, ELEMENT);
#undef ELEMENT
}

#define STRIPS 1
#include "code_lanes.inc"
#define STRIPS 2
#include "code_lanes.inc"

static void run_block(const lbr_routine *p, double *work, double *const *slot, const double *t, int64_t w, int m)
{
    double *W = ALIGNED(work), time[LBR_LANES];
    machine M = { .p = p, .W = W, .slot = slot, .t = time, .w = w, .m = m };

    for (int l = 0; l < LBR_LANES; l++) time[l] = t[l < m ? l : m - 1];
    for (int32_t k = 0; k < p->nconstants; k++)
        for (int l = 0; l < LBR_LANES; l++) W[LBR_LANES * k + l] = p->constant[k];
    lanes_1(&M, p->wide, 0);
}

/* A loop of M->n iterations from lo on. */
static void strips(machine *M, const lbr_instr *in, int64_t lo)
{
    int64_t i = M->lo = lo;

    if (M->n >= 2 * LBR_LANES) i = lanes_2(M, in, i);
    if (i < lo + M->n) lanes_1(M, in, i);
}

/* --- scalars ----------------------------------------------------------------------------------------------------- */

/* The number of iterations lo .. hi; 0 unless it is a sensible one. */
static inline int64_t count(double lo, double hi)
{
    return hi - lo >= 0 && hi - lo < 1e15 ? (int64_t)(hi - lo) + 1 : 0;
}

static double finish(const double *r, int kind, int64_t n)
{
    if (n < 1) return of_nothing[kind];
    if (kind != LBR_KIND_SUM || n <= LBR_LANES) return r[0];
    return ((r[0] + r[4]) + (r[2] + r[6])) + ((r[1] + r[5]) + (r[3] + r[7]));
}

static inline int64_t put_address(const lbr_cell *p, const double *S)
{
    return p->kind == LBR_CELL_FIXED ? p->offset : indexed(p, S[p->reg[0]], 1);
}

static inline void put(const lbr_cell *p, const double *S, double *const *slot, double x)
{
    int64_t at = put_address(p, S);

    if (at >= 0) slot[p->slot][at] = x;
}

#define SAME(l) x
static inline void spread(double *d, double x)
{
    EIGHT(d, SAME);
    EIGHT(d + LBR_LANES, SAME);
}

/* clang-format off */
#define NUMBER(in, expression) { \
        const double a = S[(in)->a], b = S[(in)->b], c = S[(in)->c]; \
        (void)b, (void)c; \
        S[(in)->d] = expression; \
    }
#define SCALAR_NUMBER(op_, expression) case LBR_OP_##op_: NUMBER(in, expression) in++; break;
#define SCALAR_SIGNED(op_, expression) case LBR_CODE_##op_: NUMBER(in, expression) in++; break;
#define SCALAR_HOT(op_, expression) case LBR_HOT_##op_: \
        more = in->more; \
        do { NUMBER(in, expression) in++; } while (more--); break;
#define SCALAR_SUM(acc, put, expression) case LBR_CODE_ACC_##acc: SCALAR_OTHER_(expression)
#define SCALAR_OTHER(acc, expression) case LBR_CODE_ACC_##acc: SCALAR_OTHER_(expression)
#define SCALAR_OTHER_(expression) { \
        const double e = S[in->d], a = S[in->a], b = S[in->b];  (void)b; \
        S[in->d] = expression; \
        in++; \
    } break;
#define SCALAR_PUT(acc, put, expression) case LBR_CODE_PUT_##put: {                                                    \
        const lbr_cell *q = &p->place[in->d];                                                                          \
        int64_t at = put_address(q, S);                                                                                \
        if (at >= 0) { \
            const double e = slot[q->slot][at], a = S[in->a], b = S[in->b]; \
            (void)b; \
            slot[q->slot][at] = expression; \
        } \
        in++;                                                                                                          \
    } break;
/* clang-format on */

/* Loop `in` of n iterations begins: whether there are enough evaluations left for it. */
static int paid(const lbr_routine *p, const lbr_instr *in, int64_t n, double *left)
{
    return (*left -= (double)n * lbr_code_weight(p, in + 1, p->instr + in->c)) >= 0;
}

static int run(const lbr_routine *p, double *work, double *const *slot, double t, double *left)
{
    double *S = work + (int64_t)LBR_WIDE * p->nwide;
    machine m = { .p = p, .S = S, .W = work, .slot = slot }, *M = &m;
    const lbr_instr *in = p->instr;
    int more;

    for (int32_t k = 0; k < p->nconstants; k++) S[k] = p->constant[k];
    for (;;)
        if (in->hot < LBR_HOT) switch (in->hot) {
                LBR_HOT_LIST(SCALAR_HOT)
            }
        else switch (in->op) {
                NUMBERS(SCALAR_NUMBER)
                SIGNED(SCALAR_SIGNED)
                TERMS(SCALAR_SUM)
                TERMS(SCALAR_PUT)
                OTHERS(SCALAR_OTHER)
            case LBR_OP_TIME: S[in->d] = t, in++; break;
            case LBR_CODE_GET: S[in->d] = slot[in->a][in->b], in++; break;
            case LBR_CODE_READ:
                S[in->d] = slot[p->place[in->a].slot][indexed(&p->place[in->a], S[p->place[in->a].reg[0]], 0)], in++;
                break;
            case LBR_CODE_PUT: put(&p->place[in->d], S, slot, S[in->a]), in++; break;
            case LBR_CODE_COPY_IN:
                for (int32_t k = 0; k < in->c; k++) S[in->d + k] = slot[in->a][in->b + k];
                in++;
                break;
            case LBR_CODE_COPY_OUT:
                for (int32_t k = 0; k < in->c; k++) slot[in->a][in->b + k] = S[in->d + k];
                in++;
                break;
            case LBR_CODE_ZERO: memset(slot[in->a], 0, (size_t)in->c * sizeof *S), in++; break;
            case LBR_CODE_COPY: memcpy(slot[in->a], slot[in->d], (size_t)in->c * sizeof *S), in++; break;
            case LBR_CODE_FIRST: S[in->d] = of_nothing[in->a], in++; break;
            case LBR_CODE_START: S[in->d] = before[in->a], in++; break;
            case LBR_CODE_OPEN:
                if (left && !paid(p, in, count(S[in->a], S[in->b]), left)) return LBR_CODE_SPENT;
                S[in->d] = S[in->a], in = count(S[in->a], S[in->b]) ? in + 1 : p->instr + in->c;
                break;
            case LBR_CODE_NEXT: S[in->d] += 1, in = S[in->d] <= S[in->b] ? p->instr + in->c : in + 1; break;
            case LBR_CODE_CLEAR: spread(WIDE(in->d), before[in->a]), in++; break;
            case LBR_CODE_SPREAD: spread(WIDE(in->d), S[in->a]), in++; break;
            case LBR_CODE_STRIP:
                m.n = count(S[in->a], S[in->b]);
                if (left && !paid(p, in, m.n, left)) return LBR_CODE_SPENT;
                if (m.n > 0) strips(&m, in + 1, (int64_t)S[in->a]);
                in = p->instr + in->c;
                break;
            case LBR_CODE_FINISH: S[in->d] = finish(WIDE(in->a), in->b, m.n), in++; break;
            case LBR_CODE_DENSE:
                if (lbr_code_dense_run(p, in->a, S + p->nscalar + p->arrays, slot)) return -1;
                in++;
                break;
            default: return 0; /* END */
            }
}

#define PASTE_(a, b) a##b
#define PASTE(a, b)  PASTE_(a, b)
const lbr_code_machine PASTE(lbr_code_machine_, LBR_ISA) = { run, run_block };
