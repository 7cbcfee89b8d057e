/* model_assign.c - left sides with indices: q = ..., q[1] = ..., q[i = 1..n, 2] = ...
 * SPDX-License-Identifier: BSD-3-Clause */
#include "model_inside.h"

#include <math.h>
#include <string.h>

typedef struct assigning {
    const lbr_assignment *a;
    lbr_ref index[LBR_RANK];
    int unroll;
} assigning;

static lbr_ref spread_element(lbr_lower *lo, const lbr_value *v, const lbr_ref *index) { return v->node; }

/* The right side with the shape that is left of the variable. */
static const lbr_value *right_side(const lbr_assignment *a)
{
    lbr_lower *lo = &a->m->lo;
    const lbr_value *v = lbr_lower_value(lo, a->value);
    lbr_value left = { .shape = { .rank = a->variable->shape.rank - a->target->n } };

    if (!v) return NULL;
    memcpy(left.shape.n, a->variable->shape.n + a->target->n, (size_t)left.shape.rank * sizeof *left.shape.n);
    if (lbr_shape_equal(&v->shape, &left.shape) && !v->row) return v;
    if (a->spread && !v->shape.rank) {
        lbr_value *all = lbr_value_open(lo, &left.shape, spread_element);

        if (all) all->node = v->node;
        return all;
    }
    return lbr_lower_fail(lo, a->value->first, "the left side is %s, the right side %s: the shapes must be equal",
                          lbr_shape_text(lo, &left), lbr_shape_text(lo, v));
}

static void entries(lbr_lower *lo, const assigning *s, const lbr_value *v, lbr_ref *index, int d)
{
    const lbr_assignment *a = s->a;
    const lbr_shape *shape = &a->variable->shape;
    int rank = shape->rank, outer = lo->at.loop;
    lbr_dag *g = lo->dag;

    if (d == rank) {
        lbr_ref at = lbr_dag_const(g, (double)a->offset), stride = 0,
                x = lbr_value_element(lo, v, index + a->target->n);
        int64_t step = 1;

        for (int k = rank - 1; k >= 0; step *= shape->n[k], k--) {
            stride = lbr_dag_const(g, (double)step);
            at = lbr_dag_add(g, at, lbr_dag_mul(g, lbr_dag_sub(g, index[k], lbr_dag_const(g, 1)), stride));
        }
        if (x < 0) lo->at.failed = 1;
        else lbr_dag_entry(g, a->array, (lbr_entry){ outer, at, x, 0 });
        return;
    }
    if (shape->n[d] <= 8 || s->unroll || lbr_shape_size(&v->shape) <= LBR_UNROLLED) {
        for (int64_t k = 1; k <= shape->n[d] && !lo->at.failed && !g->status; k++)
            index[d] = lbr_dag_const(g, (double)k), entries(lo, s, v, index, d + 1);
        return;
    }
    lo->at.loop = lbr_dag_loop(g, outer, lbr_dag_const(g, 1), lbr_dag_const(g, (double)shape->n[d]));
    index[d] = g->loop[lo->at.loop].index;
    entries(lo, s, v, index, d + 1);
    lo->at.loop = outer;
}

/* The bounds of a range; 0 after an error. */
static int bounds(lbr_lower *lo, const lbr_node *binder, lbr_ref *from, lbr_ref *to)
{
    *from = lbr_lower_scalar(lo, binder->arg[0]);
    *to = *from < 0 ? -1 : lbr_lower_scalar(lo, binder->arg[1]);
    if (*to < 0) return 0;
    *from = lbr_fold(lo, *from, binder->arg[0]->first), *to = *from < 0 ? -1 : lbr_fold(lo, *to, binder->arg[1]->first);
    if (*to < 0) return 0;
    if (lo->dag->node[*from].deps || lo->dag->node[*to].deps)
        return lbr_lower_fail(lo, binder->first,
                              "the ends of a range must be made of parameters, constants and indices"),
               0;
    return 1;
}

static void indices(lbr_lower *lo, assigning *s, int k);

static void range(lbr_lower *lo, assigning *s, int k, const lbr_node *binder)
{
    int outer = lo->at.loop, nlocals = lo->at.nlocals;
    lbr_ref from, to;
    double a, b;

    if (!bounds(lo, binder, &from, &to)) return;
    if (lbr_dag_is_const(lo->dag, from, &a) && lbr_dag_is_const(lo->dag, to, &b) && (a != rint(a) || b != rint(b))) {
        lbr_lower_fail(lo, binder->first, "the ends of a range must be integers");
        return;
    }
    if (lbr_dag_is_const(lo->dag, from, &a) && lbr_dag_is_const(lo->dag, to, &b) && (s->unroll || b - a < 16)) {
        if (b - a > LBR_MOST_COMPONENTS) {
            lbr_lower_fail(lo, binder->place,
                           "the range is too long: the limit is %d components" LBR_RAISED(LBR_MOST_COMPONENTS),
                           LBR_MOST_COMPONENTS);
            return;
        }
        for (double i = a; i <= b && !lo->at.failed && !lo->dag->status; i++) {
            s->index[k] = lbr_dag_const(lo->dag, i);
            if (!lbr_check_index(lo, s->index[k], s->a->variable->shape.n[k], binder->first)) return;
            if (!lbr_local_push(lo, binder->text, lbr_value_scalar(lo, s->index[k]), 1)) return;
            indices(lo, s, k + 1);
            lbr_local_pop_to(lo, nlocals);
        }
        return;
    }
    lo->at.loop = lbr_dag_loop(lo->dag, outer, from, to);
    s->index[k] = lo->dag->loop[lo->at.loop].index;
    if (lbr_check_index(lo, s->index[k], s->a->variable->shape.n[k], binder->first) &&
        lbr_local_push(lo, binder->text, lbr_value_scalar(lo, s->index[k]), 1))
        indices(lo, s, k + 1);
    lo->at.loop = outer, lbr_local_pop_to(lo, nlocals);
}

static void indices(lbr_lower *lo, assigning *s, int k)
{
    const lbr_target *t = s->a->target;
    const lbr_value *v;

    if (lo->at.failed) return;
    if (k == t->n) {
        lbr_ref index[LBR_RANK];

        memcpy(index, s->index, sizeof index);
        if ((v = right_side(s->a))) entries(lo, s, v, index, k);
        return;
    }
    if (t->index[k]->kind == LBR_NODE_BINDER) {
        range(lo, s, k, t->index[k]);
        return;
    }
    s->index[k] = lbr_lower_scalar(lo, t->index[k]);
    s->index[k] = s->index[k] < 0 ? -1 : lbr_fold(lo, s->index[k], t->index[k]->first);
    if (s->index[k] < 0 || !lbr_check_index(lo, s->index[k], s->a->variable->shape.n[k], t->index[k]->first)) return;
    indices(lo, s, k + 1);
}

int lbr_model_assign(const lbr_assignment *a)
{
    lbr_lower *lo = &a->m->lo;
    assigning s = { .a = a };
    int nlocals = lo->at.nlocals, before;

    if (a->array < 0 || lo->dag->status) return lo->at.failed = 1, 0;
    before = lo->dag->array[a->array].nentries;
    if (a->target->n > a->variable->shape.rank) {
        lbr_lower_fail(lo, a->target->place, "too many indices for '%.60s'", a->variable->name);
        return 0;
    }
    lo->asked = 0;
    indices(lo, &s, 0);
    lbr_local_pop_to(lo, nlocals);
    if (lo->asked && !lo->at.failed) { /* random numbers at an index: written out */
        lo->dag->array[a->array].nentries = before;
        s.unroll = lo->at.drawn = 1, lo->asked = 0;
        indices(lo, &s, 0);
        lo->at.drawn = 0, lbr_local_pop_to(lo, nlocals);
    }
    return !lo->at.failed && !lo->dag->status;
}
