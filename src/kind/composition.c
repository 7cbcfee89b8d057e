/* composition.c - tables for symmetric maps, and methods made of other methods: compose, adjoint (HLW II.4).
 * SPDX-License-Identifier: BSD-3-Clause */
#include "shared.h"

extern const lbr_row lbr_rows_composition[];

/* Alone, over Verlet, drift first: same cost as kick first, and a smaller error more often than not. */
static lbr_status flatten(lbr_flattening *c, const lbr_method *claims, const lbr_numbers *x, lbr_whole *out)
{
    lbr_steps verlet;
    lbr_status status = lbr_flatten_verlet(c, &verlet);

    (void)claims;
    return status ? status : lbr_flatten_over(c, x, verlet, &out->kernel);
}

static lbr_status inner(lbr_flattening *c, const lbr_method *row, lbr_steps *out)
{
    return (void)row, lbr_flatten_verlet(c, out);
}

static lbr_status compose(lbr_flattening *c, lbr_expr *e, lbr_whole *out)
{
    lbr_method claims;
    lbr_numbers x;
    lbr_steps one;
    lbr_status status;

    if (e->nargs != 2 || e->arg[0]->key || e->arg[1]->key) return lbr_flatten_misused(c, e);
    if ((status = lbr_flatten_table(c, e, e->arg[0], LBR_COMPOSES | LBR_SPLITS, &claims, &x))) return status;
    if ((status = lbr_flatten_operand(c, e->arg[1], &one)) || (status = lbr_flatten_composed(c, &claims, &x, one)))
        return status;
    return lbr_flatten_over(c, &x, one, &out->kernel);
}

static lbr_status adjoint(lbr_flattening *c, lbr_expr *e, lbr_whole *out)
{
    lbr_steps one;
    lbr_status status;

    if (e->nargs != 1 || e->arg[0]->key) return lbr_flatten_misused(c, e);
    return (status = lbr_flatten_operand(c, e->arg[0], &one)) ? status
                                                              : lbr_flatten_multiple(c, one, 1, dd(1), &out->kernel);
}

static const lbr_operator operators[] = { { .name = "compose",
                                            .run = compose,
                                            .composes = 1,
                                            .use = "compose(TABLE, METHOD), such as compose(kahan-li-8-17, midpoint)" },
                                          { .name = "adjoint", .run = adjoint, .keeps = 1, .use = "adjoint(METHOD)" },
                                          { .name = NULL } };

const lbr_kind lbr_kind_composition[] = { { .name = "composition",
                                            .rows = lbr_rows_composition,
                                            .operators = operators,
                                            .type = LBR_TABLE,
                                            .table = LBR_COMPOSES,
                                            .list = "gamma",
                                            .read = lbr_read_steps,
                                            .flatten = flatten,
                                            .inner = inner },
                                          { .name = NULL } };
