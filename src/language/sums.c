/* sums.c - sum, prod, max, min over ranges: written out if short, loops if long.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "lower.h"

#include <math.h>
#include <string.h>

typedef struct sum {
    lbr_op op;
    const lbr_node *call;
    int nbinders;
    int unroll;   /* all of it */
    int loops;    /* so many ranges stay loops, whatever they are */
    lbr_ref most; /* no nodes beyond this one are made in writing it out; 0: any */
} sum;

typedef struct bounds {
    lbr_ref lo, hi;
    int fixed;
    double from, to;
} bounds;

static int bound(lbr_lower *lo, const lbr_node *node, lbr_ref *x)
{
    double v;

    *x = lbr_lower_scalar(lo, node);
    *x = *x < 0 ? -1 : lbr_fold(lo, *x, node->first);
    if (*x < 0) return 0;
    if (lo->dag->node[*x].deps)
        return lbr_lower_fail(lo, node->first, "the end of a range must be made of parameters, constants and indices"),
               0;
    if (lbr_dag_is_const(lo->dag, *x, &v) && (v != rint(v) || fabs(v) > 1e15))
        return lbr_lower_fail(lo, node->first, "the end of a range must be an integer, not %.17g", v), 0;
    return 1;
}

static int bounds_of(lbr_lower *lo, const lbr_node *binder, bounds *b)
{
    if (!bound(lo, binder->arg[0], &b->lo) || !bound(lo, binder->arg[1], &b->hi)) return 0;
    b->fixed = lbr_dag_is_const(lo->dag, b->lo, &b->from) && lbr_dag_is_const(lo->dag, b->hi, &b->to);
    return 1;
}

/* How many terms the ranges k.. have, as far as that is known; counting ends beyond `most`. -1: an error; most + 1:
 * many or unknown. */
static int64_t count(lbr_lower *lo, const sum *s, int k, int64_t most)
{
    int64_t n = 0;
    bounds b;

    if (k == s->nbinders) return 1;
    if (!bounds_of(lo, s->call->arg[k], &b)) return -1;
    if (!b.fixed || b.to - b.from >= (double)most) return most + 1;
    if (k == s->nbinders - 1) return b.to < b.from ? 0 : (int64_t)(b.to - b.from) + 1;
    for (double i = b.from; i <= b.to && n <= most; i++) {
        int64_t inner;

        if (!lbr_local_push(lo, s->call->arg[k]->text, lbr_value_number(lo, i), 1)) return -1;
        inner = count(lo, s, k + 1, most - n);
        lbr_local_pop(lo, 1);
        if (inner < 0) return -1;
        n += inner;
    }
    return n;
}

/* --- values of several terms ------------------------------------------------------------------------------------- */

static lbr_ref gathered(lbr_lower *lo, lbr_op op, lbr_ref *term, int64_t n, int left)
{
    lbr_dag *d = lo->dag;
    lbr_ref x = n ? term[0] : lbr_dag_const(d, op == LBR_OP_PROD);

    if (op == LBR_OP_SUM && !left) return lbr_dag_sum(d, term, n);
    for (int64_t k = 1; k < n; k++)
        x = op == LBR_OP_SUM    ? lbr_dag_add(d, x, term[k])
            : op == LBR_OP_PROD ? lbr_dag_mul(d, x, term[k])
                                : lbr_dag_op(d, op == LBR_OP_LARGEST ? LBR_OP_MAX : LBR_OP_MIN, x, term[k], 0);
    return x;
}

static lbr_ref terms_element(lbr_lower *lo, const lbr_value *v, const lbr_ref *index)
{
    lbr_ref *term = lbr_arena_alloc(lo->arena, v->nlist, sizeof *term);

    if (!term) {
        lo->dag->status = LBR_ENOMEM;
        return -1;
    }
    for (int64_t k = 0; k < v->nlist; k++)
        if ((term[k] = lbr_value_element(lo, v->list[k], index)) < 0) return -1;
    return gathered(lo, v->op, term, v->nlist, v->nindex);
}

/* A sum of arrays. At the index of another loop it is worked out as a whole, each element a sum of its own. */
static lbr_ref reduce_element(lbr_lower *lo, const lbr_value *v, const lbr_ref *index)
{
    lbr_dag *d = lo->dag;
    int fixed = 1, drawn = lo->at.drawn; /* written out: each element a sum of its own */
    lbr_ref x;

    for (int k = 0; k < v->shape.rank; k++) fixed &= lbr_dag_within(d, v->loop, d->node[index[k]].scope);
    if (fixed) return x = lbr_value_element(lo, v->a, index), x < 0 ? -1 : lbr_dag_reduce(d, v->op, v->loop, x);
    if (d->loop[v->loop].parent)
        return lo->at.failed = 1, d->status = LBR_EARG,
               lbr_fail(&d->message, LBR_EARG, "a sum of long arrays inside a long sum: name the inner one outside"),
               -1;
    lo->at.drawn = 1;
    {
        const lbr_value *whole = lbr_value_view(lo, lbr_value_store(lo, v), 0, &v->shape);

        lo->at.drawn = drawn;
        return whole ? lbr_value_element(lo, whole, index) : -1;
    }
}

static const lbr_value *written_out(lbr_lower *lo, const sum *s, const lbr_value **term, int64_t n, int left)
{
    lbr_value *v;

    if (!n) return lbr_value_number(lo, s->op == LBR_OP_PROD);
    v = lbr_value_open(lo, &term[0]->shape, terms_element);
    if (!v) return NULL;
    v->list = term, v->nlist = n, v->op = s->op, v->nindex = left, v->row = term[0]->row;
    return v->shape.rank ? v : lbr_value_scalar(lo, terms_element(lo, v, NULL));
}

/* --- the ranges, from the outside in ----------------------------------------------------------------------------- */

static const lbr_value *nest(lbr_lower *lo, const sum *s, int k, int *longest);

static const lbr_value *unrolled(lbr_lower *lo, const sum *s, int k, const bounds *b, int *longest)
{
    const lbr_node *binder = s->call->arg[k], *body = s->call->arg[s->nbinders];
    int64_t n = b->to < b->from ? 0 : (int64_t)(b->to - b->from) + 1;
    const lbr_value **term = lbr_arena_alloc(lo->arena, n + 1, sizeof *term);
    int inner = 0, one = 0; /* terms of the longest sum inside */

    if (!term) return lbr_lower_no_memory(lo);
    if (!n && s->op != LBR_OP_SUM && s->op != LBR_OP_PROD)
        return lbr_lower_fail(lo, binder->place, "%s over an empty range", s->call->text);
    for (int64_t i = 0; i < n; i++) {
        if (!lbr_local_push(lo, binder->text, lbr_value_number(lo, b->from + (double)i), 1)) return NULL;
        term[i] = nest(lo, s, k + 1, &one);
        lbr_local_pop(lo, 1);
        if (!term[i] || (s->most && lo->dag->n > s->most)) return NULL;
        if (one > inner) inner = one;
        if (!lbr_shape_equal(&term[i]->shape, &term[0]->shape) || term[i]->row != term[0]->row)
            return lbr_lower_fail(lo, body->first, "the terms of a sum must have equal shapes");
    }
    *longest = inner > n ? inner : n > 8 ? 9 : (int)n;
    return written_out(lo, s, term, n, inner > 8);
}

static const lbr_value *looped(lbr_lower *lo, const sum *s, int k, const bounds *b)
{
    const lbr_node *binder = s->call->arg[k];
    int outer = lo->at.loop, inner = 0, loop = lbr_dag_loop(lo->dag, outer, b->lo, b->hi);
    const lbr_value *body;
    lbr_value *v;

    lo->at.loop = loop;
    body = lbr_local_push(lo, binder->text, lbr_value_scalar(lo, lo->dag->loop[loop].index), 1)
               ? nest(lo, s, k + 1, &inner)
               : NULL;
    if (body) lbr_local_pop(lo, 1);
    lo->at.loop = outer;
    if (!body) return NULL;
    if (!body->shape.rank) return lbr_value_scalar(lo, lbr_dag_reduce(lo->dag, s->op, loop, body->node));
    v = lbr_value_open(lo, &body->shape, reduce_element);
    if (v) v->a = body, v->op = s->op, v->loop = loop, v->row = body->row;
    return v;
}

static const lbr_value *nest(lbr_lower *lo, const sum *s, int k, int *longest)
{
    bounds b;

    if (k == s->nbinders) {
        const lbr_value *v = lbr_lower_value(lo, s->call->arg[k]);

        if (v && v->shape.rank && s->op != LBR_OP_SUM)
            return lbr_lower_fail(lo, s->call->arg[k]->first, "%s is for numbers, not for %s: the shapes do not fit",
                                  s->call->text, lbr_shape_text(lo, v));
        return v;
    }
    if (!bounds_of(lo, s->call->arg[k], &b)) return NULL;
    if (b.fixed && k >= s->loops && (s->unroll || b.to - b.from < 8)) return unrolled(lo, s, k, &b, longest);
    *longest = 9;
    if (b.fixed && b.to - b.from >= LBR_MOST_EVALUATIONS)
        return lbr_lower_fail(lo, s->call->arg[k]->place,
                              "the range is too long: the limit is %d terms" LBR_RAISED(LBR_MOST_EVALUATIONS),
                              LBR_MOST_EVALUATIONS);
    return looped(lo, s, k, &b);
}

/* Whether an expression uses an index or argument that is bound outside of it. */
static int uses_local(const lbr_lower *lo, const lbr_node *node)
{
    if (node->kind == LBR_NODE_NAME)
        for (int i = lo->at.nlocals - 1; i >= lo->at.floor; i--)
            if (!strcmp(lo->local[i].name, node->text)) return 1;
    for (int k = 0; k < node->n; k++)
        if (uses_local(lo, node->arg[k])) return 1;
    return 0;
}

/* Tried: what is wrong is said where it is written out. NULL: it cannot be, or it makes too many nodes. */
static const lbr_value *tried(lbr_lower *lo, sum *s, int loops, int *longest)
{
    const lbr_lower before = *lo;
    const lbr_value *v;

    s->loops = loops, s->unroll = 0, s->most = loops < s->nbinders ? lo->dag->n + LBR_WRITTEN_OUT : 0;
    lo->quiet = 1;
    v = nest(lo, s, 0, longest);
    if (lo->at.failed || lo->asked || (s->most && lo->dag->n > s->most)) v = NULL;
    lo->quiet = before.quiet, lo->at.failed = 0;
    if (v || lo->dag->status) return v;
    lo->asked = 0, lo->nduties = before.nduties, lbr_local_pop_to(lo, before.at.nlocals), lo->at.loop = before.at.loop,
    lo->depth = before.depth;
    return NULL;
}

/* Written out if that makes few nodes; else as many of its ranges stay loops, from the outside in, as it takes. If
 * these cannot be (they say less than numbers do) it is written out after all. */
static const lbr_value *bounded(lbr_lower *lo, sum *s, int *longest)
{
    int nduties = lo->nduties, nlocals = lo->at.nlocals;
    const lbr_value *v;

    s->most = lo->dag->n + LBR_WRITTEN_OUT;
    v = nest(lo, s, 0, longest);
    if (lo->at.failed || lo->dag->status || lo->dag->n <= s->most) return v;
    lo->nduties = nduties, lbr_local_pop_to(lo, nlocals), v = NULL;
    for (int loops = 1; loops <= s->nbinders && !v && !lo->dag->status; loops++) v = tried(lo, s, loops, longest);
    if (v || lo->dag->status) return v;
    s->loops = 0, s->unroll = 1, s->most = 0;
    return nest(lo, s, 0, longest);
}

const lbr_value *lbr_call_sum(lbr_lower *lo, const lbr_node *node)
{
    sum s = { .call = node, .nbinders = node->n - 1 };
    int outer = lo->at.loop, drawn = lo->at.drawn, asked = lo->asked, nlocals = lo->at.nlocals, longest = 0;
    const lbr_value *v;
    int64_t n;

    s.op = !strcmp(node->text, "sum")    ? LBR_OP_SUM
           : !strcmp(node->text, "prod") ? LBR_OP_PROD
           : !strcmp(node->text, "max")  ? LBR_OP_LARGEST
                                         : LBR_OP_SMALLEST;
    if (lo->at.loop && !uses_local(lo, node)) lo->at.loop = 0; /* does not depend on where it stands: once, outside */
    lo->asked = 0;
    n = count(lo, &s, 0, LBR_UNROLLED);
    s.unroll = drawn || (n >= 0 && n <= LBR_UNROLLED);
    v = n < 0 ? NULL : s.unroll && !drawn && !lo->at.loop ? bounded(lo, &s, &longest) : nest(lo, &s, 0, &longest);
    if (v && lo->asked && !drawn) { /* random numbers at its indices; still asked: at those around it */
        s.unroll = lo->at.drawn = 1, lo->asked = 0;
        v = nest(lo, &s, 0, &longest);
        lo->at.drawn = drawn;
    }
    if (v && !v->shape.rank && !lo->at.loop) v = lbr_value_scalar(lo, lbr_fold(lo, v->node, node->first));
    lo->at.loop = outer, lbr_local_pop_to(lo, nlocals), lo->asked |= asked;
    return v;
}
