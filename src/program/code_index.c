/* code_index.c - where an index points: its range over all iterations, and whether it goes in equal steps.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Rounding is monotone, so that the ends of a range, computed like the values, enclose them. */
#include "code_make.h"

#include <math.h>
#include <stdlib.h>

static const lbr_range unknown = { -INFINITY, INFINITY, 0 };

static lbr_range hull(double a, double b, double c, double d, int whole)
{
    lbr_range r = { fmin(fmin(a, b), fmin(c, d)), fmax(fmax(a, b), fmax(c, d)), whole };

    return isfinite(a) && isfinite(b) && isfinite(c) && isfinite(d) ? r : unknown;
}

static lbr_range ends(double a, double b, int whole) { return hull(a, b, a, b, whole); }
static lbr_range product(lbr_range x, lbr_range y)
{
    return hull(x.lo * y.lo, x.lo * y.hi, x.hi * y.lo, x.hi * y.hi, x.whole && y.whole);
}

static lbr_range fused(lbr_range x, lbr_range y, lbr_range z)
{
    lbr_range low = hull(fma(x.lo, y.lo, z.lo), fma(x.lo, y.hi, z.lo), fma(x.hi, y.lo, z.lo), fma(x.hi, y.hi, z.lo), 0);
    lbr_range high = hull(fma(x.lo, y.lo, z.hi), fma(x.lo, y.hi, z.hi), fma(x.hi, y.lo, z.hi), fma(x.hi, y.hi, z.hi),
                          0);

    return hull(low.lo, low.hi, high.lo, high.hi, x.whole && y.whole && z.whole);
}

static lbr_range quotient(lbr_range x, lbr_range y)
{
    if (!(y.lo > 0 || y.hi < 0)) return unknown;
    return hull(x.lo / y.lo, x.lo / y.hi, x.hi / y.lo, x.hi / y.hi, 0);
}

/* In [0, m), for integers [0, m - 1]. */
static lbr_range remainder_of(lbr_range x, lbr_range m)
{
    int whole = x.whole && m.whole;

    if (!(m.lo > 0) || !isfinite(m.hi) || !isfinite(x.lo) || !isfinite(x.hi)) return unknown;
    return (lbr_range){ 0, whole ? m.hi - 1 : m.hi, whole };
}

static lbr_range table(const lbr_array *a)
{
    lbr_range r = { INFINITY, -INFINITY, 1 };

    if (a->kind != LBR_ARRAY_DATA || !a->size) return unknown;
    for (int64_t i = 0; i < a->size; i++) {
        if (!isfinite(a->data[i])) return unknown;
        r.lo = fmin(r.lo, a->data[i]), r.hi = fmax(r.hi, a->data[i]), r.whole &= a->data[i] == floor(a->data[i]);
    }
    return r;
}

static lbr_range range(const lbr_maker *m, const lbr_dag_node *n, const lbr_range *tables)
{
    const lbr_range *r = m->range, x = r[n->a], y = r[n->b], z = r[n->c];
    const lbr_loop *l = &m->dag->loop[n->op == LBR_OP_INDEX ? n->k : 0];

    switch (n->op) {
    case LBR_OP_CONST: return ends(n->value, n->value, n->value == floor(n->value));
    case LBR_OP_INDEX: return ends(r[l->lo].lo, r[l->hi].hi, r[l->lo].whole);
    case LBR_OP_LOAD: return tables[n->k];
    case LBR_OP_NEG: return ends(-x.hi, -x.lo, x.whole);
    case LBR_OP_FLOOR: return ends(floor(x.lo), floor(x.hi), 1);
    case LBR_OP_ABS: return hull(fabs(x.lo), fabs(x.hi), fabs(x.lo), x.lo <= 0 && x.hi >= 0 ? 0 : fabs(x.hi), x.whole);
    case LBR_OP_ADD: return ends(x.lo + y.lo, x.hi + y.hi, x.whole && y.whole);
    case LBR_OP_SUB: return ends(x.lo - y.hi, x.hi - y.lo, x.whole && y.whole);
    case LBR_OP_MUL: return product(x, y);
    case LBR_OP_FMA: return fused(x, y, z);
    case LBR_OP_DIV: return quotient(x, y);
    case LBR_OP_MOD: return remainder_of(x, y);
    case LBR_OP_SELECT: return hull(y.lo, y.hi, z.lo, z.hi, y.whole && z.whole);
    case LBR_OP_MIN: return ends(fmin(x.lo, y.lo), fmin(x.hi, y.hi), x.whole && y.whole);
    case LBR_OP_MAX: return ends(fmax(x.lo, y.lo), fmax(x.hi, y.hi), x.whole && y.whole);
    case LBR_OP_LT:
    case LBR_OP_LE:
    case LBR_OP_EQ:
    case LBR_OP_AND:
    case LBR_OP_OR:
    case LBR_OP_NOT: return (lbr_range){ 0, 1, 1 };
    case LBR_OP_SIGN: return (lbr_range){ -1, 1, 1 };
    default: return unknown;
    }
}

lbr_status lbr_maker_ranges(lbr_maker *m)
{
    lbr_range *tables;

    if (!m->dynamic) return LBR_OK;
    tables = lbr_arena_alloc(&m->temp, m->arrays, sizeof *tables);
    m->range = lbr_arena_alloc(&m->temp, m->nodes, sizeof *m->range);
    if (!tables || !m->range) return lbr_maker_no_memory(m);
    for (int k = 0; k < m->arrays; k++) tables[k] = m->seen[k] ? table(&m->dag->array[k]) : unknown;
    for (lbr_ref n = 0; n < m->nodes; n++)
        if (m->need[n]) m->range[n] = range(m, &m->dag->node[n], tables);
    return LBR_OK;
}

/* --- equal steps ------------------------------------------------------------------------------------------------- */

enum { DEEP = 16 };
static const double MOST = 1e9; /* of everything: sums and products stay in int64_t */

static int small_integer(double x) { return x == floor(x) && fabs(x) <= MOST; }

/* A node from outside, taken as it is. */
static int outside(const lbr_maker *m, lbr_ref n, int64_t factor, lbr_affine *f)
{
    int i = 0;

    if (!m->range[n].whole || !(fabs(m->range[n].lo) <= MOST && fabs(m->range[n].hi) <= MOST)) return 0;
    while (i < f->n && f->node[i] != n) i++;
    if (i == 2) return 0;
    if (i == f->n) f->node[f->n] = n, f->factor[f->n++] = 0;
    return llabs(f->factor[i] += factor) <= (int64_t)MOST;
}

/* f += factor*node. What is from outside is taken apart too, if that can be: then indices that differ by constants are
 * seen to. */
static int collect(const lbr_maker *m, lbr_ref n, int64_t factor, int L, lbr_affine *f, int deep)
{
    const lbr_dag_node *x = &m->dag->node[n];
    const lbr_affine before = *f;
    double value;
    int side, good = 0;

    if (llabs(factor) > (int64_t)MOST || deep > DEEP) return 0;
    if (lbr_dag_is_const(m->dag, n, &value))
        return small_integer(value) && (f->offset += factor * (int64_t)value, llabs(f->offset) <= 1000000000000000);
    if (x->op == LBR_OP_INDEX && x->k == L) return f->stride += factor, llabs(f->stride) <= (int64_t)MOST;
    if (x->op == LBR_OP_NEG) good = collect(m, x->a, -factor, L, f, deep + 1);
    if (x->op == LBR_OP_ADD || x->op == LBR_OP_SUB)
        good = collect(m, x->a, factor, L, f, deep + 1) &&
               collect(m, x->b, x->op == LBR_OP_ADD ? factor : -factor, L, f, deep + 1);
    if (x->op == LBR_OP_MUL || x->op == LBR_OP_FMA) {
        side = lbr_dag_is_const(m->dag, x->a, &value) ? x->b : lbr_dag_is_const(m->dag, x->b, &value) ? x->a : -1;
        good = side >= 0 && small_integer(value) && collect(m, side, factor * (int64_t)value, L, f, deep + 1) &&
               (x->op == LBR_OP_MUL || collect(m, x->c, factor, L, f, deep + 1));
    }
    if (good || x->scope == L) return good;
    *f = before;
    return outside(m, n, factor, f);
}

int lbr_maker_affine(const lbr_maker *m, lbr_ref index, int L, lbr_affine *f)
{
    const lbr_range *r = &m->range[m->dag->loop[L].index];

    *f = (lbr_affine){ 0 };
    return r->whole && fabs(r->lo) <= MOST && fabs(r->hi) <= MOST && collect(m, index, 1, L, f, 0);
}

lbr_cell lbr_maker_cell(lbr_maker *m, int array, lbr_ref index, lbr_cell_kind kind)
{
    const lbr_array *a = &m->dag->array[array];
    int64_t shift = a->kind == LBR_ARRAY_INPUT && a->input == 0 ? m->shift : 0, reach;
    lbr_cell p = { .kind = kind, .slot = m->slot[array], .offset = -shift, .hi = a->size - 1 - shift };
    double value, lo, hi;

    if (kind == LBR_CELL_FIXED) lbr_dag_is_const(m->dag, index, &value), lo = hi = value;
    else lo = m->range[index].lo, hi = m->range[index].hi;
    lo -= (double)shift, hi -= (double)shift;
    p.checked = !(lo >= 0 && hi <= (double)p.hi);
    if (kind == LBR_CELL_FIXED) p.offset = p.checked ? 0 : (int64_t)lo;
    reach = hi < (double)p.hi ? (int64_t)fmax(hi, 0) : p.hi;
    if (a->kind == LBR_ARRAY_INPUT && a->input == 0 && reach >= m->p->nstate) m->p->nstate = reach + 1;
    return p;
}
