/* gradients.c - derivatives of quantities with several components, and of invariants.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "gradients.h"
#include "graph/derive.h"

enum { MOST = 4096 }; /* components of invariants whose derivatives are written out */

int64_t lbr_array_entries(const lbr_array *a) { return a->flat ? a->size : a->nentries; }
lbr_entry lbr_array_entry(lbr_dag *d, const lbr_array *a, int64_t i)
{
    return a->flat ? (lbr_entry){ 0, lbr_dag_const(d, (double)i), a->element[i], 0 } : a->entry[i];
}

int lbr_dense_jacobian(lbr_model *m, int array, int64_t columns)
{
    lbr_dag *d = &m->dag;
    const lbr_array a = d->array[array];
    int all = lbr_dag_array(d, a.size * columns);

    for (int64_t k = 0; k < lbr_array_entries(&a) && !d->status; k++) {
        lbr_entry from = lbr_array_entry(d, &a, k), *entry;
        lbr_ref first = lbr_dag_mul(d, from.index, lbr_dag_const(d, (double)columns));
        int n = lbr_partials(d, from.value, from.loop, m->lo.state, &entry);

        for (int e = 0; e < n; e++)
            entry[e].index = lbr_dag_add(d, entry[e].index, first), lbr_dag_entry(d, all, entry[e]);
    }
    lbr_dag_close(d, all);
    return d->status ? -1 : all;
}

/* ctx: the value, of which the derivative stands behind all values. */
static int call(double t, const double *y, double *out, void *ctx)
{
    const lbr_function *f = ctx;

    return lbr_function_call(t, y, out, (void *)f->gradient);
}

int lbr_functions_gradients(lbr_model *m, lbr_message *message)
{
    lbr_functions *s = m->functions;
    lbr_function *f = lbr_arena_alloc(&m->arena, m->ninvariants, sizeof *f);
    int64_t sum = 0;

    if (!f) return lbr_fail(message, LBR_ENOMEM, "out of memory"), 0;
    for (int k = 0; k < m->ninvariants; k++) {
        lbr_function *value = s->invariant_function + k;
        int array;

        if ((sum += value->len) > MOST || value->len * m->dim > LBR_MOST_COMPONENTS || m->dag.n > m->dag.limit / 16)
            break; /* by differences, then */
        array = value->array < 0 ? lbr_gradient(&m->dag, value->node, m->lo.state)
                                 : lbr_dense_jacobian(m, value->array, m->dim);
        if (!lbr_function_make(m, f + k, array, -1, 0, message)) return 0;
        value->gradient = f + k, s->invariant[k].gradient = call;
    }
    return 1;
}
