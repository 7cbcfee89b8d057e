/* special_functions.c - functions of the language that read their arguments themselves: if(c, a, b), read("FILE").
 * SPDX-License-Identifier: BSD-3-Clause */
#include "lower.h"
#include "syntax/data_file.h"

#include <math.h>
#include <string.h>

/* --- choice ------------------------------------------------------------------------------------------------------ */

static const lbr_value *branch(lbr_lower *lo, const lbr_node *node, lbr_ref guard)
{
    lbr_ref before = lo->at.guard;
    const lbr_value *v;

    lo->at.guard = lbr_dag_op(lo->dag, LBR_OP_AND, before, guard, 0);
    v = lbr_lower_value(lo, node);
    lo->at.guard = before;
    return v;
}

const lbr_value *lbr_lower_choice(lbr_lower *lo, const lbr_node *node)
{
    lbr_ref c = lbr_lower_condition(lo, node->arg[0]), one = lbr_dag_const(lo->dag, 1), taken;
    const lbr_value *a, *b;
    double known;

    if (c < 0) return NULL;
    if (lbr_dag_is_const(lo->dag, c, &known)) return lbr_lower_value(lo, node->arg[known != 0 ? 1 : 2]);
    taken = lo->dag->node[c].deps ? one : c; /* only what is known when loading excuses an index */
    a = branch(lo, node->arg[1], taken);
    b = a ? branch(lo, node->arg[2], taken == one ? one : lbr_dag_op(lo->dag, LBR_OP_NOT, c, 0, 0)) : NULL;
    if (!b) return NULL;
    if (!lbr_shape_equal(&a->shape, &b->shape) || a->row != b->row)
        return lbr_lower_fail(lo, node->arg[2]->first, "the two values of if must have equal shapes, not %s and %s",
                              lbr_shape_text(lo, a), lbr_shape_text(lo, b));
    a = lbr_value_choose(lo, c, a, b);
    if (!a || !lo->at.dialect || taken != one) return a; /* what is measured may be missing: then there is no value */
    c = lbr_condition_known(lo->dag, c), b = lbr_value_number(lo, NAN);
    return b ? lbr_value_choose(lo, c, a, b) : NULL;
}

/* --- tables ------------------------------------------------------------------------------------------------------ */

const lbr_value *lbr_lower_table(lbr_lower *lo, const lbr_node *node)
{
    const char *file = node->arg[0]->text;
    char *path;
    lbr_message message = { 0 };
    lbr_shape shape = { 2, { 0 } };
    double *data, *kept;

    if (node->arg[0]->kind != LBR_NODE_STRING)
        return lbr_lower_fail(lo, node->arg[0]->first, "read needs the name of a file in quotes");
    if (!(lo->at.where & LBR_WHERE_CONSTANT)) return lbr_lower_fail(lo, node->place, "read stands only in param");
    if (!lo->at.folder)
        return lbr_lower_fail(lo, node->place, "a model of the gallery, or a text without a folder, reads no files");
    if (!(path = lbr_source_path(lo->arena, lo->at.folder, file))) return lbr_lower_no_memory(lo);
    if (lbr_table_read(path, &data, shape.n, shape.n + 1, &message))
        return lbr_lower_refused(lo, node->arg[0]->first, &message);
    lo->data = lbr_hash(lbr_hash(lo->data, shape.n, 2 * sizeof *shape.n), data,
                        (size_t)lbr_shape_size(&shape) * sizeof *data);
    kept = lbr_shape_size(&shape) > LBR_MOST_COMPONENTS
               ? NULL
               : lbr_arena_alloc(lo->arena, lbr_shape_size(&shape), sizeof *kept);
    if (kept) memcpy(kept, data, (size_t)lbr_shape_size(&shape) * sizeof *kept);
    lbr_mem_free(data);
    return kept ? lbr_value_data(lo, kept, &shape)
                : lbr_lower_fail(lo, node->place,
                                 "the table is too large: the limit is %d numbers" LBR_RAISED(LBR_MOST_COMPONENTS),
                                 LBR_MOST_COMPONENTS);
}
