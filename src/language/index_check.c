/* index_check.c - what must be known before anything runs: indices in their ranges, constants worked out.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "lower.h"
#include "program/code.h"
#include "graph/op.h"

#include <math.h>

typedef struct interval {
    double lo, hi;
    int whole;
} interval; /* whole: integers */
static const interval anything = { -INFINITY, INFINITY, 0 };

/* --- what values a node can have --------------------------------------------------------------------------------- */

/* Equal nodes are one: looked at again and again they would take for ever, so that only so many are looked at. */
enum { FUEL = 4000, MOST_LOOKED = 20000000 }; /* ... and iterations, in a whole model */

static interval range_of(const lbr_dag *d, lbr_ref r, int *fuel);

static interval product(interval a, interval b)
{
    double x[4] = { a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi };
    interval r = { x[0], x[0], a.whole && b.whole };

    for (int k = 0; k < 4; k++) {
        if (isnan(x[k])) return anything;
        r.lo = fmin(r.lo, x[k]), r.hi = fmax(r.hi, x[k]);
    }
    return r;
}

static interval range_of_pair(const lbr_dag *d, const lbr_dag_node *n, int *fuel)
{
    interval a = range_of(d, n->a, fuel), b = range_of(d, n->b, fuel);
    int whole = a.whole && b.whole;

    switch (n->op) {
    case LBR_OP_ADD: return (interval){ a.lo + b.lo, a.hi + b.hi, whole };
    case LBR_OP_SUB: return (interval){ a.lo - b.hi, a.hi - b.lo, whole };
    case LBR_OP_MUL: return product(a, b);
    case LBR_OP_DIV: return b.lo == b.hi && b.lo != 0 ? product(a, (interval){ 1 / b.lo, 1 / b.lo, 0 }) : anything;
    case LBR_OP_MIN: return (interval){ fmin(a.lo, b.lo), fmin(a.hi, b.hi), whole };
    case LBR_OP_MAX: return (interval){ fmax(a.lo, b.lo), fmax(a.hi, b.hi), whole };
    case LBR_OP_MOD: return b.lo > 0 ? (interval){ 0, whole ? b.hi - 1 : b.hi, whole } : anything;
    default: return anything;
    }
}

/* What stands in a table. */
static interval range_of_data(const lbr_array *a, int *fuel)
{
    interval r = { INFINITY, -INFINITY, 1 };

    if (a->kind != LBR_ARRAY_DATA || !a->size || a->size > 100000) return anything;
    *fuel -= (int)(a->size / 1000);
    for (int64_t i = 0; i < a->size; i++)
        r.lo = fmin(r.lo, a->data[i]), r.hi = fmax(r.hi, a->data[i]), r.whole &= a->data[i] == rint(a->data[i]);
    return r;
}

static interval range_of(const lbr_dag *d, lbr_ref r, int *fuel)
{
    const lbr_dag_node *n = d->node + r;
    interval a, b;

    if (--*fuel < 0) return anything;
    switch (n->op) {
    case LBR_OP_CONST: return (interval){ n->value, n->value, n->value == rint(n->value) };
    case LBR_OP_INDEX:
        a = range_of(d, d->loop[n->k].lo, fuel), b = range_of(d, d->loop[n->k].hi, fuel);
        return (interval){ a.lo, b.hi, a.whole };
    case LBR_OP_LOAD: return range_of_data(d->array + n->k, fuel);
    case LBR_OP_NEG: a = range_of(d, n->a, fuel); return (interval){ -a.hi, -a.lo, a.whole };
    case LBR_OP_FLOOR: a = range_of(d, n->a, fuel); return (interval){ floor(a.lo), floor(a.hi), 1 };
    case LBR_OP_FMA:
        a = product(range_of(d, n->a, fuel), range_of(d, n->b, fuel)), b = range_of(d, n->c, fuel);
        return (interval){ a.lo + b.lo, a.hi + b.hi, a.whole && b.whole };
    case LBR_OP_SELECT:
        a = range_of(d, n->b, fuel), b = range_of(d, n->c, fuel);
        return (interval){ fmin(a.lo, b.lo), fmax(a.hi, b.hi), a.whole && b.whole };
    default:
        return n->b || n->op == LBR_OP_MUL || n->op == LBR_OP_ADD || n->op == LBR_OP_SUB ? range_of_pair(d, n, fuel)
                                                                                         : anything;
    }
}

/* --- one iteration after the other ------------------------------------------------------------------------------- */

typedef struct walker {
    const lbr_dag *dag;
    lbr_lower *lo;
    double *index;
    int64_t steps;
} walker; /* index[loop]: now */

/* The value of a node made of constants and indices; NaN if it is not, or if too much was asked. */
static double value_of(walker *w, lbr_ref r, int depth)
{
    const lbr_dag *d = w->dag;
    const lbr_dag_node *n = d->node + r;
    double a, b, c;

    if (n->op == LBR_OP_CONST) return n->value;
    if (n->op == LBR_OP_INDEX) return w->index[n->k];
    if (depth > 400 || ++w->steps > LBR_MOST_EVALUATIONS) return NAN;
    a = value_of(w, n->a, depth + 1);
    b = n->op >= LBR_OP_ADD ? value_of(w, n->b, depth + 1) : 0;
    c = n->op == LBR_OP_FMA || n->op == LBR_OP_SELECT ? value_of(w, n->c, depth + 1) : 0;
    if (n->op == LBR_OP_LOAD) {
        const lbr_array *array = d->array + n->k;

        return array->kind == LBR_ARRAY_DATA && a >= 0 && a < (double)array->size ? array->data[(int64_t)a] : NAN;
    }
    switch (n->op) {
/* clang-format off */
#define CASE(op, expression) case LBR_OP_##op: return expression;
        /* clang-format on */
        LBR_OP_NUMBERS(CASE)
    default: return NAN;
    }
}

static int wrong(walker *w, const lbr_duty *duty)
{
    double x = value_of(w, duty->index, 0);
    char where[96] = "";

    if (value_of(w, duty->guard, 0) == 0) return 0;
    if (x == rint(x) && (duty->n < 0 || (x >= 1 && x <= (double)duty->n))) return 0;
    if (w->steps > LBR_MOST_EVALUATIONS)
        lbr_lower_fail_in(
            w->lo, duty->file, duty->place,
            "checking this index takes too long: the limit is %d evaluations" LBR_RAISED(LBR_MOST_EVALUATIONS),
            LBR_MOST_EVALUATIONS);
    else if (isnan(x))
        lbr_lower_fail_in(w->lo, duty->file, duty->place, "an index must be made of parameters, constants and indices");
    else if (x != rint(x))
        lbr_lower_fail_in(w->lo, duty->file, duty->place, "an index must be an integer, but is %.17g%s", x, where);
    else
        lbr_lower_fail_in(w->lo, duty->file, duty->place, "the index is %.0f, outside the range 1..%lld", x,
                          (long long)duty->n);
    return 1;
}

/* The loops of a path, the outermost first; level 0 is done. */
static int walk(walker *w, const lbr_duty *duty, const int *path, int n, int k)
{
    const lbr_loop *loop = w->lo->dag->loop + path[k];
    double from, to;

    if (k == n) return wrong(w, duty);
    from = value_of(w, loop->lo, 0), to = value_of(w, loop->hi, 0);
    for (double i = from; i <= to; i++) {
        w->index[path[k]] = i;
        if (++w->steps > LBR_MOST_EVALUATIONS) return wrong(w, duty);
        if (walk(w, duty, path, n, k + 1)) return 1;
    }
    return 0;
}

static int checked(walker *w, const lbr_duty *duty)
{
    const lbr_dag *d = w->lo->dag;
    int fuel = FUEL;
    interval r = range_of(d, duty->index, &fuel);
    int path[64] = { 0 }, n = d->loop[duty->loop].level;

    if (r.whole && (duty->n < 0 || (r.lo >= 1 && r.hi <= (double)duty->n))) return 1;
    if (n > 63) return lbr_lower_fail_in(w->lo, duty->file, duty->place, "more than 63 sums inside each other"), 0;
    for (int k = n, loop = duty->loop; k-- > 0; loop = d->loop[loop].parent) path[k] = loop;
    return !walk(w, duty, path, n, 0);
}

int lbr_check_duties(lbr_lower *lo)
{
    walker w = { lo->dag, lo, lbr_mem_alloc((size_t)lo->dag->nloops * sizeof(double) + 8), lo->evaluations };
    int good = w.index != NULL;

    if (!good) lbr_lower_no_memory(lo);
    for (int k = 0; k < lo->nduties && good; k++) good = checked(&w, lo->duty + k);
    lo->nduties = 0, lo->evaluations = w.steps;
    lbr_mem_free(w.index);
    return good;
}

/* --- the two doors ----------------------------------------------------------------------------------------------- */

static int promise(lbr_lower *lo, lbr_ref index, int64_t n, lbr_place place)
{
    if (!LBR_ROOM(lo->arena, lo->duty, lo->nduties, lo->most_duties, 1)) {
        lbr_lower_no_memory(lo);
        return 0;
    }
    {
        int a = lo->dag->node[index].scope, b = lo->dag->node[lo->at.guard].scope;

        lo->duty[lo->nduties++] = (lbr_duty){
            index, lo->at.guard, lo->dag->loop[a].level >= lo->dag->loop[b].level ? a : b, n, lo->at.file, place
        };
    }
    return 1;
}

int lbr_check_index(lbr_lower *lo, lbr_ref index, int64_t n, lbr_place place)
{
    double x;

    if (lo->dag->node[index].deps)
        return lbr_lower_fail(lo, place,
                              "an index must be made of parameters, constants and indices, not of variables"),
               0;
    if (!lbr_dag_is_const(lo->dag, index, &x)) return promise(lo, index, n, place);
    if (x != rint(x)) return lbr_lower_fail(lo, place, "an index must be an integer, but is %.17g", x), 0;
    if (x < 1 || x > (double)n)
        return lbr_lower_fail(lo, place, "the index is %.0f, outside the range 1..%lld", x, (long long)n), 0;
    return 1;
}

lbr_ref lbr_fold(lbr_lower *lo, lbr_ref node, lbr_place place)
{
    lbr_dag *d = lo->dag;
    lbr_message message = { 0 };
    lbr_status status;
    double x = NAN;

    if (lbr_dag_is_const(d, node, &x) || d->node[node].deps || d->node[node].scope) return node;
    if (!lbr_check_duties(lo)) return -1;
    status = lbr_evaluate(lo, -1, node, 0, NULL, &x, &message);
    if (status == LBR_EUNFIT)
        return lbr_lower_fail(lo, place,
                              "the constants of this text take too long: the limit is %d evaluations" LBR_RAISED(
                                  LBR_MOST_EVALUATIONS),
                              LBR_MOST_EVALUATIONS),
               -1;
    if (status && status != LBR_ENONFINITE) return lbr_lower_refused(lo, place, &message), -1;
    if (status || !isfinite(x)) return lbr_lower_fail(lo, place, "the value of this constant is not a number"), -1;
    return lbr_dag_const(d, x);
}

int lbr_value_constants(lbr_lower *lo, const lbr_value *v, double *out)
{
    int64_t n = lbr_shape_size(&v->shape);
    lbr_message message = { 0 };
    lbr_status status;
    int array, bad;

    if (!v->shape.rank) {
        lbr_ref x = lbr_fold(lo, v->node, (lbr_place){ 0, 0 });

        return x >= 0 && lbr_dag_is_const(lo->dag, x, out);
    }
    array = lbr_value_store(lo, v);
    if (array < 0 || lo->dag->array[array].deps || !lbr_spend(lo, (double)n) || !lbr_check_duties(lo)) return 0;
    status = lbr_evaluate(lo, array, 0, 0, NULL, out, &message);
    if (status == LBR_ENOMEM) lo->dag->status = status;
    bad = status != LBR_OK;
    for (int64_t k = 0; k < n && !bad; k++) bad = !isfinite(out[k]);
    return !bad;
}

void lbr_settle(lbr_lower *lo, int array)
{
    lbr_message message = { 0 };
    lbr_dag *d = lo->dag;
    int64_t n = array < 0 ? 0 : d->array[array].size, k = 0;
    double *out;
    lbr_status status;

    if (n <= LBR_UNROLLED || lo->at.failed || d->status || d->array[array].deps ||
        d->array[array].kind != LBR_ARRAY_MADE)
        return;
    if (!(out = lbr_arena_alloc(lo->arena, n, sizeof *out))) {
        lbr_lower_no_memory(lo);
        return;
    }
    if (!lbr_check_duties(lo)) return;
    status = lbr_evaluate(lo, array, 0, 0, NULL, out, &message);
    if (status == LBR_ENOMEM) lbr_lower_no_memory(lo);
    while (!status && k < n && isfinite(out[k])) k++;
    if (k == n) lbr_dag_known(d, array, out);
}

/* --- which elements an entry writes ------------------------------------------------------------------------------ */

static int visit_all(walker *w, const int *path, int n, int k, lbr_ref index, int (*visit)(int64_t, void *), void *ctx)
{
    const lbr_loop *loop = w->lo->dag->loop + path[k];
    double to, x;

    if (k == n) return x = value_of(w, index, 0), !isnan(x) && visit((int64_t)x, ctx);
    to = value_of(w, loop->hi, 0);
    for (double i = value_of(w, loop->lo, 0); i <= to; i++) {
        w->index[path[k]] = i;
        if (!visit_all(w, path, n, k + 1, index, visit, ctx)) return 0;
    }
    return 1;
}

int lbr_mark_index(int64_t at, void *marks)
{
    lbr_marks *x = marks;

    if (at >= 0 && at < x->n) x->mark[at] = 1;
    return 1;
}

int lbr_each_index(lbr_lower *lo, int loop, lbr_ref index, int (*visit)(int64_t at, void *ctx), void *ctx)
{
    const lbr_dag *d = lo->dag;
    walker w = { d, lo, lbr_mem_alloc((size_t)d->nloops * sizeof(double) + 8), 0 };
    int path[64] = { 0 }, n = d->loop[loop].level, good;

    if (!w.index) lo->dag->status = LBR_ENOMEM;
    if (!w.index || n > 63) return lbr_mem_free(w.index), 0;
    for (int k = n, l = loop; k-- > 0; l = d->loop[l].parent) path[k] = l;
    good = visit_all(&w, path, n, 0, index, visit, ctx);
    lo->evaluations += w.steps;
    lbr_mem_free(w.index);
    return good;
}

/* The iterations of all loops but the last of a path are gone through; NaN: an end of a range is no number that is
 * known here. */
static double iterations(walker *w, const int *path, int n, int k)
{
    const lbr_loop *loop = w->dag->loop + path[k];
    double from = value_of(w, loop->lo, 0), to = value_of(w, loop->hi, 0), sum = 0;

    if (!(fabs(to - from) < 1e15)) return NAN;
    if (k == n - 1) return to < from ? 0 : floor(to - from) + 1;
    for (double i = from; i <= to && !isnan(sum); i++) {
        if (++w->steps > MOST_LOOKED) return NAN;
        w->index[path[k]] = i;
        sum += iterations(w, path, n, k + 1);
    }
    return sum;
}

double lbr_loop_times(const lbr_dag *d, int loop)
{
    walker w = { d, NULL, lbr_mem_alloc((size_t)d->nloops * sizeof(double) + 8), 0 };
    int path[64] = { 0 }, n = d->loop[loop].level;
    double times = NAN;

    for (int k = n, l = loop; k-- > 0 && n <= 63; l = d->loop[l].parent) path[k] = l;
    if (w.index && n <= 63) times = iterations(&w, path, n, 0);
    lbr_mem_free(w.index);
    return isnan(times) ? -1 : times;
}

void lbr_index_range(const lbr_dag *dag, lbr_ref index, double *from, double *to)
{
    int fuel = FUEL;
    interval r = range_of(dag, index, &fuel);

    *from = r.lo, *to = r.hi;
}

/* --- the same, exactly ------------------------------------------------------------------------------------------- */

typedef struct hull {
    double lo, hi;
    lbr_lower *lower;
} hull;

/* Whether the interval of an index is what it says: one index of a loop, and operations that do not bend. */
static int is_plain(const lbr_dag *d, lbr_ref r, int *indices, int depth)
{
    const lbr_dag_node *n = d->node + r;
    const lbr_ref operand[3] = { n->a, n->b, n->c };
    int good = depth < 16;

    if (n->op == LBR_OP_CONST) return 1;
    if (n->op == LBR_OP_INDEX) return ++*indices == 1;
    if (n->op != LBR_OP_NEG && n->op != LBR_OP_ADD && n->op != LBR_OP_SUB && n->op != LBR_OP_MUL && n->op != LBR_OP_FMA)
        return 0;
    for (int k = 0; k < lbr_op_operands[n->op] && good; k++) good = is_plain(d, operand[k], indices, depth + 1);
    return good;
}

static int widen(int64_t at, void *ctx)
{
    hull *h = ctx;

    h->lo = fmin(h->lo, (double)at), h->hi = fmax(h->hi, (double)at);
    return ++h->lower->looked <= MOST_LOOKED;
}

void lbr_index_hull(lbr_lower *lo, lbr_ref index, double *from, double *to)
{
    int64_t evaluations = lo->evaluations; /* these are not the text's */
    hull h = { INFINITY, -INFINITY, lo };
    int indices = 0;

    lbr_index_range(lo->dag, index, from, to);
    if (is_plain(lo->dag, index, &indices, 0)) return;
    if (lbr_each_index(lo, lo->dag->node[index].scope, index, widen, &h)) *from = h.lo, *to = h.hi;
    lo->evaluations = evaluations;
}

int lbr_index_meets(lbr_lower *lo, lbr_ref index, double from, double to)
{
    double least, most;

    lbr_index_range(lo->dag, index, &least, &most);
    if (least < to && most >= from && !(least >= from && most < to)) lbr_index_hull(lo, index, &least, &most);
    return least < to && most >= from;
}
