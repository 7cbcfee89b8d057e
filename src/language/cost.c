/* cost.c - how long an evaluation takes, before it is begun. SPDX-License-Identifier: BSD-3-Clause */
#include "lower.h"
#include "program/code.h"

#include <math.h>

/* A walk over everything an output is made of, each thing once. */
typedef struct walk {
    const lbr_dag *dag;
    char *seen, *seen_array;
    lbr_ref *stack;
    int64_t n;
    double *times; /* how often the body of a loop runs; 0: not yet known */
    double cost;
} walk;

/* From the ranges that its ends can have; where these say nothing the iterations are counted. */
static double times_of(walk *w, int loop)
{
    const lbr_loop *l = w->dag->loop + loop;
    double from, to, other, n;

    if (!loop || w->times[loop]) return loop ? w->times[loop] : 1;
    lbr_index_range(w->dag, l->lo, &from, &other), lbr_index_range(w->dag, l->hi, &other, &to);
    n = times_of(w, l->parent) * (to >= from ? to - from + 1 : 1e-9);
    if (!(n <= LBR_MOST_EVALUATIONS) && (other = lbr_loop_times(w->dag, loop)) >= 0) n = fmax(other, 1e-9);
    return w->times[loop] = n;
}

static void visit(walk *w, lbr_ref r)
{
    if (r < 0 || w->seen[r]) return;
    w->seen[r] = 1;
    w->stack[w->n++] = r; /* at most once each: as many as there are nodes */
}

static void visit_array(walk *w, int k)
{
    const lbr_array *a = w->dag->array + k;
    if (w->seen_array[k]) return;
    w->seen_array[k] = 1;
    if (a->kind == LBR_ARRAY_MADE) w->cost += (double)a->size / 64;
    w->cost += lbr_dense_cost(a->kind, a->rows, a->cols);
    for (int e = 0; e < a->nentries; e++) {
        visit(w, a->entry[e].value), visit(w, a->entry[e].index);
        for (int l = a->entry[e].loop; l; l = w->dag->loop[l].parent)
            visit(w, w->dag->loop[l].lo), visit(w, w->dag->loop[l].hi);
        w->cost += times_of(w, a->entry[e].loop) / 8;
    }
    if (a->kind == LBR_ARRAY_SOLVE || a->kind == LBR_ARRAY_DET || a->kind == LBR_ARRAY_EIGEN) visit_array(w, a->a);
    if (a->kind == LBR_ARRAY_SOLVE) visit_array(w, a->b);
}

static void look(walk *w, const lbr_dag_node *n)
{
    if (n->op == LBR_OP_CONST || n->op == LBR_OP_TIME) return;
    if (n->op == LBR_OP_LOAD) visit_array(w, n->k);
    if (n->op == LBR_OP_INDEX || n->op >= LBR_OP_SUM) visit(w, w->dag->loop[n->k].lo), visit(w, w->dag->loop[n->k].hi);
    if (n->op == LBR_OP_INDEX) return;
    visit(w, n->a), visit(w, n->b), visit(w, n->c);
    w->cost += lbr_op_weight(n->op) * times_of(w, n->op >= LBR_OP_SUM ? n->k : n->scope);
}

double lbr_cost(const lbr_dag *dag, int array, lbr_ref node)
{
    walk w = { .dag = dag };

    w.seen = lbr_mem_alloc((size_t)dag->n + (size_t)dag->narrays),
    w.stack = lbr_mem_alloc((size_t)dag->n * sizeof *w.stack);
    w.times = lbr_mem_alloc((size_t)dag->nloops * sizeof *w.times);
    if (w.seen && w.stack && w.times) {
        w.seen_array = w.seen + dag->n;
        if (array >= 0) visit_array(&w, array);
        else visit(&w, node);
        while (w.n) look(&w, dag->node + w.stack[--w.n]);
        w.cost += (double)dag->n / 8 + (double)dag->narrays; /* of making the program */
    } else w.cost = NAN;
    lbr_mem_free(w.seen), lbr_mem_free(w.stack), lbr_mem_free(w.times);
    return w.cost;
}

int lbr_affordable(lbr_dag *dag, int array, double times)
{
    double cost = array < 0 ? 0 : lbr_cost(dag, array, 0);

    if (isnan(cost) && !dag->status) dag->status = lbr_fail(&dag->message, LBR_ENOMEM, "out of memory");
    return cost * times <= LBR_MOST_EVALUATIONS;
}

int lbr_spend(lbr_lower *lo, double cost)
{
    if (!((double)lo->evaluations + cost <= LBR_MOST_EVALUATIONS)) return lo->evaluations = LBR_MOST_EVALUATIONS + 1, 0;
    lo->evaluations += (int64_t)cost;
    return 1;
}

lbr_status lbr_evaluate(lbr_lower *lo, int array, lbr_ref node, double t, const double *const *input, double *out,
                        lbr_message *message)
{
    double left;
    lbr_code *code;
    lbr_status status;
    int bad;

    if (!lbr_spend(lo, (double)lo->dag->n / 8 + (double)lo->dag->narrays))
        return LBR_EUNFIT; /* of making the program */
    if ((status = lbr_code_make(&code, lo->dag, &(lbr_output){ array, node, 0 }, 1, 0, message))) return status;
    left = (double)(LBR_MOST_EVALUATIONS - lo->evaluations);
    bad = lbr_code_run_within(code, t, input, out, &left);
    lbr_code_free(code);
    lo->evaluations = left < 0 ? LBR_MOST_EVALUATIONS + 1 : LBR_MOST_EVALUATIONS - (int64_t)left;
    return bad == LBR_CODE_SPENT ? LBR_EUNFIT : bad ? LBR_ENONFINITE : LBR_OK;
}
