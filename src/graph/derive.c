/* derive.c - reverse mode: adjoints, from the result to the inputs. SPDX-License-Identifier: BSD-3-Clause
 *
 * The adjoint of a node is the derivative of f with respect to it, and stands where the node stands: in its loop. What
 * a node inside a loop contributes to one outside is summed over the loop. The adjoint of an array that the program
 * makes is an array that the program makes; elements are added to it wherever the array is read.
 *
 * Where f does not depend on a node because a branch is not taken, the adjoint is SELECT(condition, ..., 0) and stays
 * of this form until an input is reached: then no partial derivative of that branch, which may be infinite, is seen. */
#include "derive.h"

#include <string.h>

#include "dag_make.h"
#include "dag_walk.h"
#include "derive_rule.h"

typedef struct term {
    lbr_ref value;
    int32_t next;
} term;

typedef struct reverse {
    lbr_dag *dag;
    lbr_reach reach;
    int input, loop;                /* with respect to what; f stands in which loop */
    uint8_t *active, *array_active; /* what depends on the input, differentiably */
    int32_t *first, *last;          /* of each node, its terms: 1 + their places; 0: none */
    term *term;
    int32_t nterms, most_terms;
    lbr_ref *list;
    int32_t most_list;
    int32_t *bar; /* 1 + the adjoint of each array; 0: none */
    int at;       /* the array whose adjoint is being added to */
    lbr_entry *entry;
    int32_t nentries, most_entries;
} reverse;

static int is_active(const reverse *r, lbr_ref a)
{
    int32_t place = lbr_reach_place(&r->reach, a);

    return place >= 0 && r->active[place];
}

static int is_array_active(const reverse *r, int array)
{
    int32_t place = lbr_reach_array_place(&r->reach, array);

    return place >= 0 && r->array_active[place];
}

/* --- guards ------------------------------------------------------------------------------------------------------ */

/* x where a guard is open, 0 where it is closed. */
static lbr_ref as_guarded(lbr_dag *dag, lbr_ref guard, lbr_ref x)
{
    lbr_ref c = dag->node[guard].a;
    int first = lbr_dag_guard(dag, guard) == 1;

    return lbr_dag_op(dag, LBR_OP_SELECT, c, first ? x : 0, first ? 0 : x);
}

static lbr_ref condition_of(lbr_dag *dag, lbr_ref guard)
{
    lbr_ref c = dag->node[guard].a;

    return lbr_dag_guard(dag, guard) == 1 ? c : lbr_dag_op(dag, LBR_OP_NOT, c, 0, 0);
}

/* The sum of guarded terms with different conditions, under any of these. */
static lbr_ref any_of(lbr_dag *dag, lbr_ref sum, const lbr_ref *list, int32_t n)
{
    lbr_ref c;

    if (n < 2 || lbr_dag_guard(dag, sum)) return sum;
    for (int32_t i = 0; i < n; i++)
        if (!lbr_dag_guard(dag, list[i])) return sum;
    c = condition_of(dag, list[0]);
    for (int32_t i = 1; i < n; i++) c = lbr_dag_op(dag, LBR_OP_OR, c, condition_of(dag, list[i]), 0);
    return lbr_dag_op(dag, LBR_OP_SELECT, c, sum, 0);
}

/* Over a loop in which the condition changes: open if it is open at all. */
static lbr_ref summed(lbr_dag *dag, int loop, lbr_ref value)
{
    lbr_ref s = lbr_chain_sum(dag, loop, value), count;

    if (dag->status || !lbr_dag_guard(dag, value) || lbr_dag_guard(dag, s)) return s;
    count = lbr_dag_reduce(dag, LBR_OP_SUM, loop, as_guarded(dag, value, lbr_dag_const(dag, 1)));
    return lbr_dag_op(dag, LBR_OP_SELECT, count, s, 0);
}

/* --- terms ------------------------------------------------------------------------------------------------------- */

/* Where the adjoint of a node stands: in its loop, but never outside the loop of f. */
static int stands(const reverse *r, lbr_ref x)
{
    int scope = r->dag->node[x].scope;

    return lbr_dag_within(r->dag, r->loop, scope) ? r->loop : scope;
}

static int is_leaf(const reverse *r, lbr_ref x)
{
    return r->dag->node[x].op == LBR_OP_LOAD && r->dag->node[x].k == r->input;
}

/* A term of the adjoint of x, made inside a loop. */
static void give(reverse *r, lbr_ref x, lbr_ref value, int loop)
{
    lbr_dag *dag = r->dag;
    int32_t place = lbr_reach_place(&r->reach, x);
    int target = stands(r, x);

    if (!value || place < 0 || !r->active[place]) return;
    for (; loop != target && !dag->status; loop = dag->loop[loop].parent)
        value = is_leaf(r, x) ? lbr_chain_sum(dag, loop, value) : summed(dag, loop, value);
    if (!value || !lbr_dag_room(dag, (void **)&r->term, &r->most_terms, (int64_t)r->nterms + 1, sizeof *r->term))
        return;
    r->term[r->nterms++] = (term){ .value = value };
    if (r->last[place]) r->term[r->last[place] - 1].next = r->nterms;
    else r->first[place] = r->nterms;
    r->last[place] = r->nterms;
}

static lbr_ref adjoint(reverse *r, int32_t place)
{
    int32_t n = 0;
    lbr_ref sum;

    for (int32_t t = r->first[place]; t; t = r->term[t - 1].next) {
        if (!lbr_dag_room(r->dag, (void **)&r->list, &r->most_list, (int64_t)n + 1, sizeof *r->list)) return 0;
        r->list[n++] = r->term[t - 1].value;
    }
    n = lbr_chain_collect(r->dag, r->list, n);
    sum = lbr_dag_sum(r->dag, r->list, n);
    return r->dag->status ? 0 : is_leaf(r, r->reach.node[place]) ? sum : any_of(r->dag, sum, r->list, n);
}

/* An entry for the adjoint of array r->at. */
static void put(void *ctx, lbr_entry e)
{
    reverse *r = ctx;
    lbr_dag *dag = r->dag;
    int32_t place = lbr_reach_array_place(&r->reach, r->at);

    if (!e.value || dag->status || place < 0) return;
    if (r->at == r->input) {
        if (lbr_dag_room(dag, (void **)&r->entry, &r->most_entries, (int64_t)r->nentries + 1, sizeof e))
            r->entry[r->nentries++] = e;
        return;
    }
    if (!r->bar[place]) r->bar[place] = 1 + lbr_dag_array(dag, dag->array[r->at].size);
    lbr_dag_entry(dag, r->bar[place] - 1, e);
}

/* --- the sweep --------------------------------------------------------------------------------------------------- */

static void pass_node(reverse *r, int32_t place)
{
    lbr_ref y = r->reach.node[place], w = r->active[place] && r->first[place] ? adjoint(r, place) : 0;
    lbr_dag_node n = r->dag->node[y];
    const int32_t operand[3] = { n.a, n.b, n.c };

    if (!w) return;
    if (n.op == LBR_OP_LOAD) {
        r->at = n.k;
        put(r, (lbr_entry){ stands(r, y), n.a, w, 1 });
        return;
    }
    for (int i = 0; i < lbr_op_operands[n.op]; i++)
        if (is_active(r, operand[i]))
            give(r, operand[i], lbr_chain(r->dag, y, i, w), n.op >= LBR_OP_SUM ? n.k : stands(r, y));
}

/* If all entries of an adjoint are guarded: an array that is not 0 where one of the guards is open. -1 if not. */
static int open_elements(lbr_dag *dag, int bar)
{
    lbr_array b = dag->array[bar];
    int open;

    for (int i = 0; i < b.nentries; i++)
        if (!lbr_dag_guard(dag, b.entry[i].value)) return -1;
    open = lbr_dag_array(dag, b.size);
    for (int i = 0; i < b.nentries && !dag->status; i++) {
        lbr_entry e = b.entry[i];

        e.value = as_guarded(dag, e.value, lbr_dag_const(dag, 1));
        lbr_dag_entry(dag, open, e);
    }
    lbr_dag_close(dag, open);
    return open;
}

static void pass_made(reverse *r, lbr_array a, int bar)
{
    lbr_dag *dag = r->dag;
    int open = open_elements(dag, bar);

    for (int i = 0; i < a.nentries && !dag->status; i++) {
        lbr_ref w;

        if (!is_active(r, a.entry[i].value)) continue;
        w = lbr_dag_load(dag, bar, a.entry[i].index);
        if (open >= 0 && !lbr_dag_guard(dag, w))
            w = lbr_dag_op(dag, LBR_OP_SELECT, lbr_dag_load(dag, open, a.entry[i].index), w, 0);
        give(r, a.entry[i].value, w, a.entry[i].loop);
    }
}

static void pass_solved(reverse *r, int array, lbr_array a, int bar)
{
    lbr_dag *dag = r->dag;
    int w;

    if (a.kind == LBR_ARRAY_EIGEN) lbr_dag_fail(dag, LBR_EARG, "eigenvalues are not differentiated");
    r->at = a.a;
    if (a.kind == LBR_ARRAY_DET) lbr_chain_det_a(dag, array, bar, put, r);
    if (a.kind != LBR_ARRAY_SOLVE) return;
    if ((w = lbr_dag_solve(dag, a.a, bar, a.rows, a.cols, !a.transposed)) < 0) return;
    if (is_array_active(r, a.a)) lbr_chain_solve_a(dag, array, w, put, r);
    r->at = a.b;
    if (is_array_active(r, a.b)) lbr_chain_solve_b(dag, array, w, put, r);
}

/* All that reads the array has been passed. */
static void pass_array(reverse *r, int32_t place)
{
    int array = r->reach.array[place], bar = r->bar[place] - 1;
    lbr_array a = r->dag->array[array];

    if (bar < 0) return;
    lbr_dag_close(r->dag, bar);
    if (r->dag->status) return;
    if (a.kind == LBR_ARRAY_MADE) pass_made(r, a, bar);
    else pass_solved(r, array, a, bar);
}

static void sweep(reverse *r)
{
    int32_t array = r->reach.narrays - 1;

    for (int32_t i = r->reach.n - 1; i >= 0 && !r->dag->status; i--) {
        for (; array >= 0 && r->dag->array[r->reach.array[array]].born > r->reach.node[i]; array--)
            pass_array(r, array);
        pass_node(r, i);
    }
    for (; array >= 0 && !r->dag->status; array--) pass_array(r, array);
}

/* --- what depends on the input ----------------------------------------------------------------------------------- */

static int find_array(reverse *r, int array)
{
    int32_t place = lbr_reach_array_place(&r->reach, array);
    const lbr_array *a;
    int found;

    if (place < 0) return 0;
    if (r->array_active[place]) return r->array_active[place] == 1;
    a = &r->dag->array[array];
    found = array == r->input;
    for (int i = 0; i < a->nentries && !found; i++) found = is_active(r, a->entry[i].value);
    if (a->kind >= LBR_ARRAY_SOLVE) found = find_array(r, a->a) | (a->kind == LBR_ARRAY_SOLVE && find_array(r, a->b));
    r->array_active[place] = found ? 1 : 2;
    return found;
}

static void find_active(reverse *r)
{
    for (int32_t p = 0; p < r->reach.n; p++) {
        lbr_dag_node n = r->dag->node[r->reach.node[p]];
        const int32_t operand[3] = { n.a, n.b, n.c };

        if (n.op == LBR_OP_LOAD) r->active[p] = (uint8_t)find_array(r, n.k);
        else
            for (int i = 0; i < lbr_op_operands[n.op]; i++)
                if (lbr_chain_exists((lbr_op)n.op, i) && is_active(r, operand[i])) r->active[p] = 1;
    }
    for (int32_t p = 0; p < r->reach.narrays; p++) r->array_active[p] = r->array_active[p] == 1;
}

/* --- from outside ------------------------------------------------------------------------------------------------ */

static int room(reverse *r)
{
    size_t n = (size_t)r->reach.n, m = (size_t)r->reach.narrays;

    r->active = lbr_mem_alloc(n), r->array_active = lbr_mem_alloc(m);
    r->first = lbr_mem_alloc(2 * n * sizeof *r->first), r->bar = lbr_mem_alloc(m * sizeof *r->bar);
    if (r->active && r->array_active && r->first && r->bar) return r->last = r->first + n, 1;
    return lbr_dag_no_memory(r->dag), 0;
}

/* A stable sort by key[entry.loop], which is a loop. */
static void arrange(const lbr_entry *in, lbr_entry *out, int32_t n, const int32_t *key, int32_t *start, int32_t nloops)
{
    int32_t sum = 0;

    memset(start, 0, (size_t)nloops * sizeof *start);
    for (int32_t i = 0; i < n; i++) start[key[in[i].loop]]++;
    for (int32_t l = 0; l < nloops; l++) sum += start[l], start[l] = sum - start[l];
    for (int32_t i = 0; i < n; i++) out[start[key[in[i].loop]]++] = in[i];
}

/* The entries, those of one loop next to each other, and so those of one outermost loop. */
static lbr_entry *grouped(reverse *r)
{
    lbr_dag *dag = r->dag;
    int32_t nloops = dag->nloops, *own = lbr_mem_alloc(3 * (size_t)nloops * sizeof *own), *top;
    lbr_entry *out = lbr_arena_alloc(dag->arena, r->nentries, sizeof *out),
              *between = lbr_mem_alloc((size_t)r->nentries * sizeof *out);

    if (own && out && between) {
        top = own + nloops;
        for (int32_t l = 0; l < nloops; l++)
            own[l] = l, top[l] = dag->loop[l].level <= 1 ? l : top[dag->loop[l].parent];
        arrange(r->entry, between, r->nentries, own, top + nloops, nloops);
        arrange(between, out, r->nentries, top, top + nloops, nloops);
    } else lbr_dag_no_memory(dag);
    lbr_mem_free(own), lbr_mem_free(between);
    return out;
}

int lbr_partials(lbr_dag *dag, lbr_ref f, int loop, int input, lbr_entry **entry)
{
    reverse r = { .dag = dag, .input = input, .loop = loop };
    uint32_t deps;

    *entry = NULL;
    if (dag->status) return -1;
    if (input < 0 || dag->array[input].kind != LBR_ARRAY_INPUT)
        return lbr_dag_fail(dag, LBR_EARG, "derivatives are with respect to an input"), -1;
    if (!lbr_dag_within(dag, loop, dag->node[f].scope))
        return lbr_dag_fail(dag, LBR_EARG, "a derivative of a sum's term without its sum"), -1;
    deps = dag->array[input].deps;
    if ((!loop || !lbr_derive_inline(dag, &f, loop, deps)) &&
        !lbr_reach_nodes(&r.reach, dag, (lbr_interest){ .deps = deps }, &f, 1) && room(&r)) {
        find_active(&r);
        give(&r, f, lbr_dag_const(dag, 1), loop);
        sweep(&r);
        if (!dag->status) *entry = grouped(&r);
    }
    lbr_mem_free(r.active), lbr_mem_free(r.array_active), lbr_mem_free(r.first), lbr_mem_free(r.bar);
    lbr_mem_free(r.term), lbr_mem_free(r.list), lbr_mem_free(r.entry);
    lbr_reach_free(&r.reach);
    return dag->status ? -1 : r.nentries;
}

/* Whether all entries stand at constant places, no two at the same: then they are set, not added to 0. */
static int all_single(lbr_dag *dag, const lbr_entry *entry, int n, int64_t size)
{
    char *taken = lbr_mem_alloc((size_t)size);
    int single = 1;

    if (!taken) lbr_dag_no_memory(dag);
    for (int i = 0; i < n && single && taken; i++) {
        double index;

        single = entry[i].loop == 0 && lbr_dag_is_const(dag, entry[i].index, &index) && !taken[(int64_t)index];
        if (single) taken[(int64_t)index] = 1;
    }
    lbr_mem_free(taken);
    return single;
}

int lbr_gradient(lbr_dag *dag, lbr_ref f, int input)
{
    lbr_entry *entry;
    int n = lbr_partials(dag, f, 0, input, &entry), gradient = n < 0 ? -1 : lbr_dag_array(dag, dag->array[input].size);
    int single = gradient < 0 ? 0 : all_single(dag, entry, n, dag->array[input].size);

    for (int i = 0; i < n && !dag->status; i++) {
        entry[i].add = !single;
        lbr_dag_entry(dag, gradient, entry[i]);
    }
    lbr_dag_close(dag, gradient);
    return dag->status ? -1 : gradient;
}
