/* flow_rates.c - rates of variables in what is looked at: components of the field. SPDX-License-Identifier:
 * BSD-3-Clause
 *
 * While statements are read a rate is an input. What is looked at (sections, what is observed and measured) has the
 * field in its place; its nodes are made after those of the equations. */
#include "model_system.h"
#include "gradients.h"

static int has_rates(const lbr_model *m, uint32_t deps) { return (deps & m->dag.array[m->lo.rate].deps) != 0; }

/* The field, an array; -1 after an error. */
static int flow_of(lbr_model *m, lbr_message *message)
{
    lbr_functions *s = m->functions;
    int field;

    if (s->along) return s->along - 1;
    if (m->has_l && m->h < 0)
        return lbr_fail(message, LBR_EARG,
                        "a rate (') that is looked at needs an L that is quadratic in the velocities"),
               -1;
    if ((field = lbr_model_field(m)) >= 0 && s->system.constraints) field = lbr_constrained_field(m, field);
    if (field < 0)
        return lbr_fail(message, m->dag.status ? m->dag.status : LBR_ENOMEM, "%s",
                        m->dag.message.text[0] ? m->dag.message.text : "out of memory"),
               -1;
    return s->along = field + 1, field;
}

int lbr_flow_node(lbr_model *m, lbr_ref *node, lbr_message *message)
{
    int field;

    if (!has_rates(m, m->dag.node[*node].deps)) return 1;
    if ((field = flow_of(m, message)) < 0) return 0;
    *node = lbr_dag_replace(&m->dag, *node, m->lo.rate, field);
    return !m->dag.status || (lbr_fail(message, m->dag.status, "out of memory"), 0);
}

/* Entry k of what is written into an array; of one that is solved for, element k. */
static lbr_entry entry_of(lbr_dag *d, const lbr_array *a, int array, int64_t k)
{
    lbr_ref at;

    if (a->kind == LBR_ARRAY_MADE) return lbr_array_entry(d, a, k);
    at = lbr_dag_const(d, (double)k);
    return (lbr_entry){ 0, at, lbr_dag_load(d, array, at), 0 };
}

int lbr_flow_array(lbr_model *m, int *array, lbr_message *message)
{
    lbr_dag *d = &m->dag;
    const lbr_array from = d->array[*array];
    int64_t n = from.kind == LBR_ARRAY_MADE ? lbr_array_entries(&from) : from.size;
    int field, to;

    if (!has_rates(m, from.deps)) return 1;
    if ((field = flow_of(m, message)) < 0) return 0;
    if (*array == m->lo.rate) return *array = field, 1;
    to = lbr_dag_array(d, from.size);
    for (int64_t k = 0; k < n && !d->status; k++) {
        lbr_entry e = entry_of(d, &from, *array, k);

        e.value = lbr_dag_replace(d, e.value, m->lo.rate, field);
        lbr_dag_entry(d, to, e);
    }
    lbr_dag_close(d, to);
    *array = to;
    return !d->status ||
           (lbr_fail(message, d->status, "%s", d->message.text[0] ? d->message.text : "out of memory"), 0);
}
