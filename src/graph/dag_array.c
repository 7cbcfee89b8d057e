/* dag_array.c - arrays: given, constant, made by the program, solved for; and loads from them.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "dag_make.h"

#include <math.h>
#include <string.h>

enum { MOST_INPUT_BIT = 30, FEW_ZEROS = 64 }; /* that are written one by one */

/* The element a constant index names, or -1: no integer, or none of the array. */
static int64_t element(const lbr_dag *dag, int array, double index)
{
    return index >= 0 && index < (double)dag->array[array].size && index == floor(index) ? (int64_t)index : -1;
}

static int outside(lbr_dag *dag, int array, double index)
{
    if (element(dag, array, index) >= 0) return 0;
    lbr_dag_fail(dag, LBR_EARG, "element %g (from 0) of an array of %lld", index, (long long)dag->array[array].size);
    return 1;
}

/* Whether it is an array that can be read. */
static int readable(lbr_dag *dag, int array)
{
    if (dag->status) return 0;
    if (array >= 0 && array < dag->narrays && dag->array[array].born) return 1;
    lbr_dag_fail(dag, LBR_EARG, "an array is read that is not there or not complete");
    return 0;
}

static int append(lbr_dag *dag, lbr_array a)
{
    if (dag->status) return -1;
    if (a.size < 0) return lbr_dag_fail(dag, LBR_EARG, "an array of %lld elements", (long long)a.size), -1;
    if (!lbr_dag_room(dag, (void **)&dag->array, &dag->most_arrays, (int64_t)dag->narrays + 1, sizeof a)) return -1;
    a.born = a.kind == LBR_ARRAY_MADE ? 0 : dag->n;
    dag->array[dag->narrays] = a;
    return dag->narrays++;
}

int lbr_dag_input(lbr_dag *dag, int64_t size)
{
    int i = dag->ninputs;
    uint32_t bit = (uint32_t)LBR_DEP_INPUT << (i < MOST_INPUT_BIT ? i : MOST_INPUT_BIT);
    int array = append(dag, (lbr_array){ .kind = LBR_ARRAY_INPUT, .size = size, .input = i, .deps = bit });

    dag->ninputs += array >= 0;
    return array;
}

int lbr_dag_data(lbr_dag *dag, const double *data, int64_t size)
{
    return append(dag, (lbr_array){ .kind = LBR_ARRAY_DATA, .size = size, .data = data });
}

int lbr_dag_array(lbr_dag *dag, int64_t size)
{
    return append(dag, (lbr_array){ .kind = LBR_ARRAY_MADE, .size = size, .flat = 1 });
}

/* Room for one more entry; the arena keeps the old ones, half as many at most. */
static int more_entries(lbr_dag *dag, lbr_array *a)
{
    if (a->nentries < LBR_MOST_NODES && LBR_ROOM(dag->arena, a->entry, a->nentries, a->most, 1)) return 1;
    return lbr_dag_no_memory(dag), 0;
}

void lbr_dag_entry(lbr_dag *dag, int array, lbr_entry e)
{
    double index;
    int constant;

    if (dag->status) return;
    if (array < 0 || array >= dag->narrays || dag->array[array].kind != LBR_ARRAY_MADE || dag->array[array].born) {
        lbr_dag_fail(dag, LBR_EARG, "an array that is complete gets an entry");
        return;
    }
    if ((constant = lbr_dag_is_const(dag, e.index, &index)) && outside(dag, array, index)) return;
    if (!lbr_dag_within(dag, e.loop, dag->node[e.index].scope) ||
        !lbr_dag_within(dag, e.loop, dag->node[e.value].scope)) {
        lbr_dag_fail(dag, LBR_EARG, "an entry of an array uses an index that it does not stand in");
        return;
    }
    lbr_array *a = &dag->array[array];
    if (!more_entries(dag, a)) return;
    a->entry[a->nentries++] = e;
    a->flat &= e.loop == 0 && constant;
    a->deps |= dag->node[e.value].deps | dag->node[e.index].deps;
    for (int l = e.loop; l; l = dag->loop[l].parent)
        a->deps |= dag->node[dag->loop[l].lo].deps | dag->node[dag->loop[l].hi].deps;
}

/* --- flat arrays: element i is a node ---------------------------------------------------------------------------- */

static int64_t place(const lbr_dag *dag, const lbr_entry *e) { return (int64_t)dag->node[e->index].value; }

/* The entries by element, in their order: those of element i are list[first[i]] .. list[first[i + 1] - 1], from the
 * last `set` on. */
static void by_element(const lbr_dag *dag, const lbr_array *a, int32_t *first, int32_t *end, lbr_ref *list)
{
    int32_t sum = 0;

    for (int i = 0; i < a->nentries; i++) end[place(dag, &a->entry[i])]++;
    for (int64_t i = 0; i < a->size; i++) sum += end[i], first[i] = end[i] = sum - end[i];
    for (int i = 0; i < a->nentries; i++) {
        int64_t at = place(dag, &a->entry[i]);

        if (!a->entry[i].add) end[at] = first[at];
        list[end[at]++] = a->entry[i].value;
    }
}

static void flatten(lbr_dag *dag, lbr_array a, lbr_ref *element_of)
{
    size_t n = (size_t)a.size;
    int32_t *work = lbr_mem_alloc((2 * n + (size_t)a.nentries) * sizeof *work), *end;

    if (!work) {
        lbr_dag_no_memory(dag);
        return;
    }
    end = work + n;
    by_element(dag, &a, work, end, end + n);
    for (size_t i = 0; i < n; i++) element_of[i] = lbr_dag_sum(dag, end + n + work[i], end[i] - work[i]);
    lbr_mem_free(work);
}

void lbr_dag_close(lbr_dag *dag, int array)
{
    if (dag->status || array < 0 || dag->array[array].born) return;
    if (!dag->array[array].nentries && dag->array[array].size > FEW_ZEROS) dag->array[array].flat = 0;
    if (dag->array[array].flat) {
        lbr_ref *element_of = lbr_arena_alloc(dag->arena, dag->array[array].size, sizeof *element_of);

        if (!element_of) lbr_dag_no_memory(dag);
        else flatten(dag, dag->array[array], element_of);
        dag->array[array].element = element_of;
    }
    dag->array[array].born = dag->n;
}

void lbr_dag_known(lbr_dag *dag, int array, const double *data)
{
    lbr_array *a = &dag->array[array];

    a->kind = LBR_ARRAY_DATA, a->data = data, a->nentries = a->flat = 0, a->element = NULL;
}

/* A table of zeros is 0 at any index, so that what it multiplies drops out as it does where the sum is written out. */
static int all_zero(lbr_array *a)
{
    int64_t i = 0;

    if (a->kind != LBR_ARRAY_DATA || !a->size) return 0;
    if (a->zeros) return a->zeros == 1;
    while (i < a->size && a->data[i] == 0) i++;
    return a->zeros = i < a->size ? 2 : 1, i == a->size;
}

lbr_ref lbr_dag_load(lbr_dag *dag, int array, lbr_ref index)
{
    double value;

    if (!readable(dag, array)) return 0;
    if (lbr_dag_is_const(dag, index, &value)) {
        const lbr_array *a = &dag->array[array];

        if (outside(dag, array, value)) return 0;
        if (a->kind == LBR_ARRAY_DATA) return lbr_dag_const(dag, a->data[(int64_t)value]);
        if (a->element) return a->element[(int64_t)value];
        if (a->kind == LBR_ARRAY_MADE && !a->nentries) return lbr_dag_const(dag, 0);
        index = lbr_dag_const(dag, value + 0.0); /* -0 is 0 */
    }
    if (all_zero(&dag->array[array])) return 0;
    return lbr_dag_intern(dag, (lbr_dag_node){ .op = LBR_OP_LOAD, .a = index, .k = array });
}

/* --- linear algebra ---------------------------------------------------------------------------------------------- */

/* Whether array a is a matrix of rows x cols. */
static int fits(lbr_dag *dag, int a, int64_t rows, int64_t cols)
{
    if (!readable(dag, a)) return 0;
    if (rows > 0 && cols > 0 && rows <= INT32_MAX / cols && dag->array[a].size == rows * cols) return 1;
    lbr_dag_fail(dag, LBR_EARG, "an array of %lld elements is not a matrix of %lld by %lld",
                 (long long)dag->array[a].size, (long long)rows, (long long)cols);
    return 0;
}

int lbr_dag_solve(lbr_dag *dag, int a, int b, int64_t rows, int64_t cols, int transposed)
{
    if (!fits(dag, a, rows, rows) || !fits(dag, b, rows, cols)) return -1;
    return append(dag, (lbr_array){ .kind = LBR_ARRAY_SOLVE,
                                    .size = rows * cols,
                                    .a = a,
                                    .b = b,
                                    .rows = rows,
                                    .cols = cols,
                                    .transposed = !!transposed,
                                    .deps = dag->array[a].deps | dag->array[b].deps });
}

int lbr_dag_det(lbr_dag *dag, int a, int64_t rows)
{
    if (!fits(dag, a, rows, rows)) return -1;
    return append(
        dag,
        (lbr_array){
            .kind = LBR_ARRAY_DET, .size = 1, .a = a, .b = -1, .rows = rows, .cols = 1, .deps = dag->array[a].deps });
}

int lbr_dag_eigen(lbr_dag *dag, int a, int64_t rows)
{
    if (!fits(dag, a, rows, rows)) return -1;
    return append(dag, (lbr_array){ .kind = LBR_ARRAY_EIGEN,
                                    .size = rows,
                                    .a = a,
                                    .b = -1,
                                    .rows = rows,
                                    .cols = 1,
                                    .deps = dag->array[a].deps });
}
