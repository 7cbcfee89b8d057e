/* derive_forward.c - forward mode: derivatives in one direction, from the operands to the results.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "derive.h"

#include "dag_make.h"
#include "dag_walk.h"
#include "derive_rule.h"

enum { NOTHING = -2 }; /* the array of derivatives that are all 0 */

typedef struct forward {
    lbr_dag *dag;
    lbr_reach reach;
    lbr_ref *tangent; /* of each node reached */
    int32_t *array;   /* of each array reached: 3 + its array of derivatives */
    int input, v;     /* dx = v; -1: time, dt = 1 */
} forward;

static lbr_ref tangent_of(const forward *f, lbr_ref a)
{
    int32_t place = lbr_reach_place(&f->reach, a);

    return place < 0 ? 0 : f->tangent[place];
}

/* An element is set once, or added to: entries without a derivative are left out. */
static int made(const forward *f, int array)
{
    lbr_array a = f->dag->array[array];
    int fresh = NOTHING;

    for (int i = 0; i < a.nentries && !f->dag->status; i++) {
        lbr_entry e = a.entry[i];

        if (!(e.value = tangent_of(f, e.value))) continue;
        if (fresh == NOTHING) fresh = lbr_dag_array(f->dag, a.size);
        lbr_dag_entry(f->dag, fresh, e);
    }
    if (fresh != NOTHING) lbr_dag_close(f->dag, fresh);
    return f->dag->status ? -1 : fresh;
}

static int tangents(forward *f, int array);

static int solved(forward *f, int array)
{
    lbr_array a = f->dag->array[array];
    int da = tangents(f, a.a), db = a.kind == LBR_ARRAY_SOLVE ? tangents(f, a.b) : NOTHING;

    if (f->dag->status || (da == NOTHING && db == NOTHING)) return NOTHING;
    if (a.kind == LBR_ARRAY_SOLVE) return lbr_chain_solve(f->dag, array, da, db);
    if (a.kind == LBR_ARRAY_DET) return lbr_chain_det(f->dag, array, da);
    lbr_dag_fail(f->dag, LBR_EARG, "eigenvalues are not differentiated");
    return -1;
}

/* Called when something loads from the array: the derivatives of what it is made from are known then. */
static int tangents(forward *f, int array)
{
    int32_t place = lbr_reach_array_place(&f->reach, array);
    lbr_array_kind kind;
    int d;

    if (place < 0) return NOTHING;
    if (f->array[place]) return f->array[place] - 3;
    kind = f->dag->array[array].kind;
    d = kind == LBR_ARRAY_INPUT  ? (array == f->input ? f->v : NOTHING)
        : kind == LBR_ARRAY_DATA ? NOTHING
        : kind == LBR_ARRAY_MADE ? made(f, array)
                                 : solved(f, array);
    f->array[place] = 3 + d;
    return d;
}

static lbr_ref reduced(forward *f, lbr_ref y, lbr_dag_node n)
{
    lbr_ref d = tangent_of(f, n.a);

    return d ? lbr_chain_sum(f->dag, n.k, lbr_chain(f->dag, y, 0, d)) : 0;
}

static lbr_ref derivative(forward *f, lbr_ref y)
{
    lbr_dag_node n = f->dag->node[y];
    const int32_t operand[3] = { n.a, n.b, n.c };
    lbr_ref sum = 0;
    int d;

    if (n.op == LBR_OP_TIME) return f->input < 0 ? lbr_dag_const(f->dag, 1) : 0;
    if (n.op == LBR_OP_LOAD) return (d = tangents(f, n.k)) < 0 ? 0 : lbr_dag_load(f->dag, d, n.a);
    if (n.op >= LBR_OP_SUM) return reduced(f, y, n);
    for (int i = 0; i < lbr_op_operands[n.op]; i++) {
        lbr_ref d_i = tangent_of(f, operand[i]);

        if (d_i) sum = lbr_dag_add(f->dag, sum, lbr_chain(f->dag, y, i, d_i));
    }
    return sum;
}

static lbr_status begin(forward *f, lbr_dag *dag, int input, int v, const lbr_ref *node, int array)
{
    lbr_interest interest = { .deps = LBR_DEP_TIME };

    *f = (forward){ .dag = dag, .input = input, .v = v };
    if (dag->status) return dag->status;
    if (input >= 0) {
        if (v < 0 || dag->array[input].kind != LBR_ARRAY_INPUT || dag->array[v].size != dag->array[input].size ||
            !dag->array[v].born)
            return lbr_dag_fail(dag, LBR_EARG, "a direction is an array as long as the input"), dag->status;
        interest.deps = dag->array[input].deps;
    }
    if (node ? lbr_reach_nodes(&f->reach, dag, interest, node, 1) : lbr_reach_array(&f->reach, dag, interest, array))
        return dag->status;
    f->tangent = lbr_mem_alloc((size_t)f->reach.n * sizeof *f->tangent);
    f->array = lbr_mem_alloc((size_t)f->reach.narrays * sizeof *f->array);
    if (!f->tangent || !f->array) return lbr_dag_no_memory(dag), dag->status;
    for (int32_t i = 0; i < f->reach.n && !dag->status; i++) f->tangent[i] = derivative(f, f->reach.node[i]);
    return dag->status;
}

static void end(forward *f)
{
    lbr_mem_free(f->tangent), lbr_mem_free(f->array);
    lbr_reach_free(&f->reach);
}

static lbr_ref of_node(lbr_dag *dag, lbr_ref node, int input, int v)
{
    forward f;
    lbr_ref d = begin(&f, dag, input, v, &node, -1) ? 0 : tangent_of(&f, node);

    end(&f);
    return d;
}

lbr_ref lbr_directional(lbr_dag *dag, lbr_ref f, int input, int v) { return of_node(dag, f, input, v); }
lbr_ref lbr_time_derivative(lbr_dag *dag, lbr_ref f) { return of_node(dag, f, -1, -1); }

int lbr_directional_array(lbr_dag *dag, int array, int input, int v)
{
    forward f;
    int d = begin(&f, dag, input, v, NULL, array) ? -1 : tangents(&f, array);

    end(&f);
    return dag->status ? -1 : d;
}
