/* value.c - values that give their elements when asked: scalars, views of arrays, lists, slices.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "lower.h"

#include <stdio.h>
#include <string.h>

enum { CACHED = 4096 }; /* elements of a value that are remembered */

int64_t lbr_shape_size(const lbr_shape *shape)
{
    int64_t n = 1;

    for (int k = 0; k < shape->rank; k++) n *= shape->n[k];
    return n;
}

int lbr_shape_equal(const lbr_shape *a, const lbr_shape *b)
{
    if (a->rank != b->rank) return 0;
    for (int k = 0; k < a->rank; k++)
        if (a->n[k] != b->n[k]) return 0;
    return 1;
}

char *lbr_shape_text(lbr_lower *lo, const lbr_value *v)
{
    char text[256] = "";
    size_t at = 0;

    if (v->condition) return lbr_arena_text(lo->arena, "a condition");
    if (!v->shape.rank) return lbr_arena_text(lo->arena, "a number");
    for (int k = 0; k < v->shape.rank; k++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%lld",
                               k        ? ","
                               : v->row ? "a row ["
                                        : "[",
                               (long long)v->shape.n[k]);
    snprintf(text + at, sizeof text - at, "]");
    return lbr_arena_text(lo->arena, text);
}

/* Nothing more is made: the graph says why. */
static lbr_ref exhausted(lbr_lower *lo, const char *what, int most)
{
    if (!lo->dag->status)
        lo->dag->status = lbr_fail(
            &lo->dag->message, LBR_EARG,
            "this text takes too long to read: the limit is %d %s, counted as often as they are used", most, what);
    return -1;
}

lbr_value *lbr_value_open(lbr_lower *lo, const lbr_shape *shape, lbr_element *element)
{
    lbr_value *v;

    if (++lo->values > LBR_MOST_VALUES) return exhausted(lo, "values", LBR_MOST_VALUES), NULL;
    v = lbr_arena_alloc(lo->arena, 1, sizeof *v);
    if (!v) return lbr_lower_no_memory(lo);
    if (shape) v->shape = *shape;
    v->element = element;
    v->loop = lo->at.loop;
    return v;
}

const lbr_value *lbr_value_new(lbr_lower *lo, const lbr_shape *shape, lbr_element *element)
{
    return lbr_value_open(lo, shape, element);
}

/* --- scalars and views ------------------------------------------------------------------------------------------- */

static lbr_ref scalar_element(lbr_lower *lo, const lbr_value *v, const lbr_ref *index) { return v->node; }

const lbr_value *lbr_value_scalar(lbr_lower *lo, lbr_ref node)
{
    lbr_value *v = node < 0 ? NULL : lbr_value_open(lo, NULL, scalar_element);

    if (v) v->node = node;
    return v;
}

const lbr_value *lbr_value_number(lbr_lower *lo, double x) { return lbr_value_scalar(lo, lbr_dag_const(lo->dag, x)); }

/* base + sum of (index - 1)*stride, the constants gathered. */
static lbr_ref place_of(lbr_lower *lo, const lbr_value *v, const lbr_ref *index)
{
    int64_t offset = v->offset;
    lbr_ref at = v->base;
    double x;

    for (int k = 0; k < v->shape.rank; k++) {
        offset -= v->stride[k];
        if (lbr_dag_is_const(lo->dag, index[k], &x)) offset += (int64_t)x * v->stride[k];
        else
            at = lbr_dag_add(lo->dag, at, lbr_dag_mul(lo->dag, index[k], lbr_dag_const(lo->dag, (double)v->stride[k])));
    }
    return lbr_dag_add(lo->dag, at, lbr_dag_const(lo->dag, (double)offset));
}

static lbr_ref view_element(lbr_lower *lo, const lbr_value *v, const lbr_ref *index)
{
    return lbr_dag_load(lo->dag, v->array, place_of(lo, v, index));
}

const lbr_value *lbr_value_view(lbr_lower *lo, int array, int64_t offset, const lbr_shape *shape)
{
    lbr_value *v = array < 0 ? NULL : lbr_value_open(lo, shape, view_element);
    int64_t stride = 1;

    if (!v) return NULL;
    v->array = array, v->offset = offset;
    for (int k = shape->rank - 1; k >= 0; k--) v->stride[k] = stride, stride *= shape->n[k];
    if (!shape->rank) return lbr_value_scalar(lo, lbr_dag_load(lo->dag, array, lbr_dag_const(lo->dag, (double)offset)));
    return v;
}

const lbr_value *lbr_value_data(lbr_lower *lo, const double *data, const lbr_shape *shape)
{
    if (!shape->rank) return lbr_value_number(lo, *data);
    return lbr_value_view(lo, lbr_dag_data(lo->dag, data, lbr_shape_size(shape)), 0, shape);
}

static int contiguous(const lbr_value *v)
{
    int64_t stride = 1;

    if (v->element != view_element) return 0;
    for (int k = v->shape.rank - 1; k >= 0; stride *= v->shape.n[k], k--)
        if (v->stride[k] != stride) return 0;
    return 1;
}

/* --- lists and slices -------------------------------------------------------------------------------------------- */

/* Among a few, by comparing: the only way inside a loop. */
static lbr_ref chosen(lbr_lower *lo, const lbr_value *v, const lbr_ref *index)
{
    lbr_dag *d = lo->dag;
    lbr_ref x = lbr_value_element(lo, v->list[v->nlist - 1], index + 1);

    for (int64_t k = v->nlist - 2; k >= 0; k--) {
        lbr_ref is = lbr_dag_op(d, LBR_OP_EQ, index[0], lbr_dag_const(d, (double)(k + 1)), 0);

        x = lbr_dag_op(d, LBR_OP_SELECT, is, lbr_value_element(lo, v->list[k], index + 1), x);
    }
    return x;
}

static lbr_ref list_element(lbr_lower *lo, const lbr_value *v, const lbr_ref *index)
{
    double x;

    if (lbr_dag_is_const(lo->dag, index[0], &x)) {
        int64_t k = (int64_t)x;

        return lbr_value_element(lo, v->list[k < 1 ? 0 : k > v->nlist ? v->nlist - 1 : k - 1], index + 1);
    }
    if (v->loop == 0) {
        const lbr_value *whole = lbr_value_view(lo, lbr_value_store(lo, v), 0, &v->shape);

        return whole ? lbr_value_element(lo, whole, index) : -1;
    }
    return chosen(lo, v, index);
}

const lbr_value *lbr_value_list(lbr_lower *lo, const lbr_value **item, int64_t n)
{
    lbr_shape shape = { item[0]->shape.rank + 1, { n } };
    lbr_value *v;

    memcpy(shape.n + 1, item[0]->shape.n, (size_t)item[0]->shape.rank * sizeof *shape.n);
    v = lbr_value_open(lo, &shape, list_element);
    if (v) v->list = item, v->nlist = n;
    return v;
}

static lbr_ref slice_element(lbr_lower *lo, const lbr_value *v, const lbr_ref *index)
{
    lbr_ref all[LBR_RANK];

    memcpy(all, v->index, (size_t)v->nindex * sizeof *all);
    memcpy(all + v->nindex, index, (size_t)v->shape.rank * sizeof *all);
    return lbr_value_element(lo, v->a, all);
}

const lbr_value *lbr_value_slice(lbr_lower *lo, const lbr_value *v, const lbr_ref *index, int n)
{
    lbr_shape rest = { v->shape.rank - n, { 0 } };
    lbr_value *slice;

    if (!rest.rank) return lbr_value_scalar(lo, lbr_value_element(lo, v, index));
    memcpy(rest.n, v->shape.n + n, (size_t)rest.rank * sizeof *rest.n);
    slice = lbr_value_open(lo, &rest, slice_element);
    if (!slice) return NULL;
    if (v->element == view_element) { /* a view of a view is a view */
        lbr_value head = *v;

        head.shape.rank = n;
        slice->element = view_element, slice->array = v->array, slice->base = place_of(lo, &head, index);
        memcpy(slice->stride, v->stride + n, (size_t)rest.rank * sizeof *rest.n);
        return slice;
    }
    slice->a = v, slice->nindex = n;
    memcpy(slice->index, index, (size_t)n * sizeof *index);
    return slice;
}

/* --- elements ---------------------------------------------------------------------------------------------------- */

/* The place of constant indices among all elements, or -1. */
static int64_t position(lbr_lower *lo, const lbr_value *v, const lbr_ref *index)
{
    int64_t at = 0;
    double x;

    for (int k = 0; k < v->shape.rank; k++) {
        if (!lbr_dag_is_const(lo->dag, index[k], &x) || x < 1 || x > (double)v->shape.n[k]) return -1;
        at = at * v->shape.n[k] + (int64_t)x - 1;
    }
    return at;
}

/* Elements at indices of loops: an expression that asks for one twice would otherwise take 2^n steps after n such
 * expressions. */
enum { RECENT = 8 };
typedef struct lbr_recent {
    struct {
        lbr_ref index[LBR_RANK], guard, value;
        int loop, drawn, used;
    } one[RECENT];
    int next;
} recent;

/* With flat: of all elements by rows number *index. */
static lbr_ref recent_element(lbr_lower *lo, const lbr_value *v, const lbr_ref *index, int flat)
{
    size_t bytes = (flat ? 1 : (size_t)v->shape.rank) * sizeof *index;
    int asked = lo->asked;
    recent *r = v->recent;
    lbr_ref x;

    for (int k = 0; r && k < RECENT; k++)
        if (r->one[k].used == 1 + flat && r->one[k].guard == lo->at.guard && r->one[k].loop == lo->at.loop &&
            r->one[k].drawn == lo->at.drawn && !memcmp(r->one[k].index, index, bytes))
            return r->one[k].value;
    lo->asked = 0;
    x = flat ? v->flat(lo, v, *index) : v->element(lo, v, index);
    if (!r && !(r = ((lbr_value *)v)->recent) && x >= 0)
        r = ((lbr_value *)v)->recent = lbr_arena_alloc(lo->arena, 1, sizeof *r);
    if (!r && x >= 0) {
        lo->dag->status = LBR_ENOMEM;
        return -1;
    }
    if (r && x >= 0 && !lo->asked) {
        int k = r->next++ % RECENT;

        r->one[k].guard = lo->at.guard, r->one[k].loop = lo->at.loop, r->one[k].drawn = lo->at.drawn,
        r->one[k].value = x, r->one[k].used = 1 + flat;
        memcpy(r->one[k].index, index, bytes);
    }
    lo->asked |= asked;
    return x;
}

lbr_ref lbr_value_element(lbr_lower *lo, const lbr_value *v, const lbr_ref *index)
{
    int64_t size, at;
    lbr_ref x;

    if (++lo->steps > LBR_MOST_STEPS) return exhausted(lo, "elements", LBR_MOST_STEPS);

    if (!v->shape.rank || v->element == view_element || v->element == list_element) return v->element(lo, v, index);
    size = lbr_shape_size(&v->shape), at = size <= CACHED ? position(lo, v, index) : -1;
    if (at < 0) return recent_element(lo, v, index, 0);
    if (!v->cache) ((lbr_value *)v)->cache = lbr_arena_alloc(lo->arena, size, sizeof *v->cache);
    if (!v->cache) {
        lo->dag->status = LBR_ENOMEM;
        return -1;
    }
    if (v->cache[at]) return v->cache[at] - 1;
    x = v->element(lo, v, index);
    v->cache[at] = x + 1;
    return x;
}

lbr_ref lbr_value_at(lbr_lower *lo, const lbr_value *v, int64_t k)
{
    lbr_ref index[LBR_RANK];

    for (int d = v->shape.rank - 1; d >= 0; d--) {
        index[d] = lbr_dag_const(lo->dag, (double)(k % v->shape.n[d] + 1));
        k /= v->shape.n[d];
    }
    return lbr_value_element(lo, v, index);
}

lbr_ref lbr_value_flat(lbr_lower *lo, const lbr_value *v, lbr_ref f)
{
    lbr_dag *d = lo->dag;
    lbr_ref index[LBR_RANK], one = lbr_dag_const(d, 1);
    double k;

    if (lbr_dag_is_const(d, f, &k)) return lbr_value_at(lo, v, (int64_t)k);
    if (!v->shape.rank) return v->node;
    if (++lo->steps > LBR_MOST_STEPS) return exhausted(lo, "elements", LBR_MOST_STEPS);
    if (v->flat) return recent_element(lo, v, &f, 1);
    if (contiguous(v))
        return lbr_dag_load(d, v->array,
                            lbr_dag_add(d, lbr_dag_add(d, v->base, f), lbr_dag_const(d, (double)v->offset)));
    for (int r = v->shape.rank - 1; r > 0; r--) {
        lbr_ref n = lbr_dag_const(d, (double)v->shape.n[r]),
                whole = lbr_dag_op(d, LBR_OP_FLOOR, lbr_dag_div(d, f, n), 0, 0);

        index[r] = lbr_dag_add(d, lbr_dag_sub(d, f, lbr_dag_mul(d, whole, n)), one);
        f = whole;
    }
    index[0] = lbr_dag_add(d, f, one);
    return lbr_value_element(lo, v, index);
}

/* --- all elements ------------------------------------------------------------------------------------------------ */

static void entries_from(lbr_lower *lo, const lbr_value *v, const lbr_value *target, int add, int d, lbr_ref *index)
{
    int outer = lo->at.loop, unroll;
    lbr_dag *g = lo->dag;

    if (d == v->shape.rank) {
        lbr_ref x = lbr_value_element(lo, v, index);

        if (x >= 0) lbr_dag_entry(g, target->array, (lbr_entry){ outer, place_of(lo, target, index), x, add });
        else lo->at.failed = 1;
        return;
    }
    unroll = v->shape.n[d] <= 8 || lo->at.drawn || lbr_shape_size(&v->shape) <= LBR_UNROLLED ||
             (!d && v->element == list_element);
    for (int64_t k = 1; unroll && k <= v->shape.n[d] && !g->status && !lo->at.failed; k++) {
        index[d] = lbr_dag_const(g, (double)k);
        entries_from(lo, v, target, add, d + 1, index);
    }
    if (unroll) return;
    lo->at.loop = lbr_dag_loop(g, outer, lbr_dag_const(g, 1), lbr_dag_const(g, (double)v->shape.n[d]));
    index[d] = g->loop[lo->at.loop].index;
    entries_from(lo, v, target, add, d + 1, index);
    lo->at.loop = outer;
}

void lbr_value_entries(lbr_lower *lo, const lbr_value *v, int array, int64_t offset, int add)
{
    lbr_value target = { .shape = v->shape, .array = array, .offset = offset };
    int64_t stride = 1;
    int outer = lo->at.loop;
    lbr_ref index[LBR_RANK] = { 0 };

    for (int k = v->shape.rank - 1; k >= 0; k--) target.stride[k] = stride, stride *= v->shape.n[k];
    lo->at.loop = 0;
    entries_from(lo, v, &target, add, 0, index);
    lo->at.loop = outer;
}

/* Made once with loops; where a random number was asked for at the index of a loop, again without. Every element is
 * worked out, whatever conditions we stand under. */
static int stored(lbr_lower *lo, const lbr_value *v)
{
    int drawn = lo->at.drawn, asked = lo->asked, array = lbr_dag_array(lo->dag, lbr_shape_size(&v->shape));
    lbr_ref guard = lo->at.guard;

    lo->asked = 0, lo->at.guard = lbr_dag_const(lo->dag, 1);
    lbr_value_entries(lo, v, array, 0, 0);
    if (lo->asked && !drawn) {
        lo->at.drawn = 1, lo->asked = 0;
        array = lbr_dag_array(lo->dag, lbr_shape_size(&v->shape));
        lbr_value_entries(lo, v, array, 0, 0);
    }
    lo->at.drawn = drawn, lo->asked |= asked, lo->at.guard = guard;
    lbr_dag_close(lo->dag, array);
    return lo->dag->status || lo->at.failed ? -1 : array;
}

int lbr_value_store(lbr_lower *lo, const lbr_value *v)
{
    lbr_value *w = (lbr_value *)v;

    if (contiguous(v) && !v->base && !v->offset && lo->dag->array[v->array].size == lbr_shape_size(&v->shape))
        return v->array;
    if (!w->stored) w->stored = stored(lo, v) + 1;
    return w->stored - 1;
}

lbr_ref lbr_value_dot(lbr_lower *lo, const lbr_value *a, const lbr_value *b)
{
    lbr_dag *d = lo->dag;
    int64_t n = lbr_shape_size(&a->shape);
    int outer = lo->at.loop;
    lbr_ref sum, term[LBR_UNROLLED];

    for (int64_t k = 0; k < n && n <= LBR_UNROLLED; k++) {
        lbr_ref x = lbr_value_at(lo, a, k), y = b ? lbr_value_at(lo, b, k) : 0;

        if (x < 0 || y < 0) return -1;
        term[k] = b ? lbr_dag_mul(d, x, y) : x;
    }
    if (n <= LBR_UNROLLED) return lbr_dag_sum(d, term, n);
    lo->at.loop = lbr_dag_loop(d, outer, lbr_dag_const(d, 0), lbr_dag_const(d, (double)(n - 1)));
    {
        lbr_ref f = d->loop[lo->at.loop].index, x = lbr_value_flat(lo, a, f), y = b ? lbr_value_flat(lo, b, f) : 0;

        sum = x < 0 || y < 0 ? -1 : lbr_dag_reduce(d, LBR_OP_SUM, lo->at.loop, b ? lbr_dag_mul(d, x, y) : x);
    }
    lo->at.loop = outer;
    return sum;
}
