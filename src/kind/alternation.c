/* alternation.c - tables whose steps are, in turn, those of a map and of its adjoint (HLW II.4.6).
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * split(TABLE, A, B) and compose(TABLE, M) use them. Alone, such a table is over the partitioned method that its row
 * names, or over all parts. */
#include "shared.h"

extern const lbr_row lbr_rows_splitting[], lbr_rows_splitting_rkn[], lbr_rows_near_integrable[];

/* Over the map that its row names. */
static lbr_status over_kernel(lbr_flattening *c, const lbr_method *claims, const lbr_numbers *x, lbr_whole *out)
{
    const lbr_row *row = lbr_row_find(claims->kernel);
    lbr_method its;
    lbr_numbers y;
    lbr_whole inner = { .kernel = { 0 } };
    lbr_status status;

    if (!row || lbr_kind_of(&row->m) != lbr_kind_find("partitioned"))
        return lbr_fail(c->m, LBR_EMETHOD,
                        "table '%s' is to be over '%.60s', which is not a partitioned method of the catalogue",
                        claims->name, claims->kernel);
    if ((status = lbr_row_numbers(row, -1, &its, &y, c->arena, c->m)) ||
        (status = y.kind->flatten(c, &its, &y, &inner)))
        return status;
    return lbr_flatten_over(c, x, inner.kernel, &out->kernel);
}

static lbr_status flatten(lbr_flattening *c, const lbr_method *claims, const lbr_numbers *x, lbr_whole *out)
{
    lbr_steps one;
    lbr_status status;

    if (claims->kernel) return over_kernel(c, claims, x, out);
    return (status = lbr_flatten_all_parts(c, &one)) ? status : lbr_flatten_over(c, x, one, &out->kernel);
}

static lbr_status alternating(lbr_flattening *c, const lbr_method *row, lbr_steps *out)
{
    return row->kernel ? lbr_flatten_euler(c, out) : lbr_flatten_all_parts(c, out);
}

const lbr_kind lbr_kind_alternation[] = { { .name = "alternation",
                                            .rows = lbr_rows_splitting,
                                            .type = LBR_TABLE,
                                            .table = LBR_ALTERNATES | LBR_SPLITS,
                                            .list = "beta_alpha",
                                            .read = lbr_read_steps,
                                            .flatten = flatten,
                                            .alternating = alternating,
                                            .stages = lbr_alternation_stages },
                                          { .name = "splittings for quadratic T", .rows = lbr_rows_splitting_rkn },
                                          { .name = "near-integrable splittings", .rows = lbr_rows_near_integrable },
                                          { .name = NULL } };
