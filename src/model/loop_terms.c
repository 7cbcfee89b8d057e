/* loop_terms.c - the terms of a sum that is a loop, one after the other. SPDX-License-Identifier: BSD-3-Clause */
#include "loop_terms.h"
#include "language/lower.h"

#include <math.h>
#include <string.h>

int lbr_loop_terms_open(lbr_loop_terms *t, lbr_dag *d, lbr_ref sum)
{
    const lbr_dag_node n = d->node[sum];
    double lo, hi;

    *t = (lbr_loop_terms){ .dag = d, .loop = n.k, .body = n.a, .nloops = d->nloops };
    if (n.op != LBR_OP_SUM || d->loop[n.k].parent || !lbr_dag_is_const(d, d->loop[n.k].lo, &lo) ||
        !lbr_dag_is_const(d, d->loop[n.k].hi, &hi))
        return 0;
    t->lo = (int64_t)lo, t->hi = (int64_t)hi;
    if (lbr_reach_nodes(&t->reach, d, (lbr_interest){ .loop = n.k }, &n.a, 1)) return 0;
    t->image = lbr_mem_alloc((size_t)t->reach.n * sizeof *t->image);
    t->inside = lbr_mem_alloc((size_t)t->nloops * sizeof *t->inside);
    if (!t->image || !t->inside) d->status = lbr_fail(&d->message, LBR_ENOMEM, "out of memory");
    return !d->status;
}

void lbr_loop_terms_free(lbr_loop_terms *t)
{
    lbr_reach_free(&t->reach);
    lbr_mem_free(t->image), lbr_mem_free(t->inside);
}

static lbr_ref image_of(const lbr_loop_terms *t, lbr_ref a)
{
    int32_t place = lbr_reach_place(&t->reach, a);

    return place < 0 ? a : t->image[place];
}

/* As deep as loops are nested. What stands in the loop itself stands in none now. */
static int loop_of(lbr_loop_terms *t, int l)
{
    lbr_loop old = t->dag->loop[l];
    int parent;

    if (l == t->loop || !l) return 0;
    if (!t->inside[l]) {
        parent = loop_of(t, old.parent);
        t->inside[l] = 1 + lbr_dag_loop(t->dag, parent, image_of(t, old.lo), image_of(t, old.hi));
    }
    return t->inside[l] - 1;
}

static lbr_ref imaged(lbr_loop_terms *t, const lbr_dag_node *n, lbr_ref index)
{
    lbr_dag *d = t->dag;
    int loop;

    if (n->op == LBR_OP_INDEX && n->k == t->loop) return index;
    if (n->op == LBR_OP_LOAD) return lbr_dag_load(d, n->k, image_of(t, n->a));
    if (n->op == LBR_OP_INDEX || n->op >= LBR_OP_SUM) {
        loop = loop_of(t, n->k); /* loops may move */
        return n->op == LBR_OP_INDEX ? d->loop[loop].index : lbr_dag_reduce(d, (lbr_op)n->op, loop, image_of(t, n->a));
    }
    return lbr_dag_op(d, (lbr_op)n->op, image_of(t, n->a), image_of(t, n->b), image_of(t, n->c));
}

lbr_ref lbr_loop_term(lbr_loop_terms *t, int64_t i)
{
    lbr_ref index = lbr_dag_const(t->dag, (double)i);

    memset(t->inside, 0, (size_t)t->nloops * sizeof *t->inside);
    for (int32_t k = 0; k < t->reach.n && !t->dag->status; k++) {
        lbr_dag_node n = t->dag->node[t->reach.node[k]];

        t->image[k] = imaged(t, &n, index);
    }
    return t->dag->status ? 0 : image_of(t, t->body);
}

double lbr_loop_terms_most(const lbr_dag *d, lbr_ref sum)
{
    double most = 1;

    for (; d->node[sum].op == LBR_OP_SUM; sum = d->node[sum].a) {
        double from, to, other;

        lbr_index_range(d, d->loop[d->node[sum].k].lo, &from, &other);
        lbr_index_range(d, d->loop[d->node[sum].k].hi, &other, &to);
        most *= fmax(to - from + 1, 0);
    }
    return most;
}
