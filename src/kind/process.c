/* process.c - processed methods: effective order (HLW V.3.3). SPDX-License-Identifier: BSD-3-Clause
 *
 * process(kernel, processor) is chi o K o chi^-1: the kernel K is what is iterated, chi^-1 is done once at the start
 * and chi when one looks. */
#include "shared.h"

extern const lbr_row lbr_rows_processed[], lbr_rows_corrector[];

/* A multiple of a step, for processors. */
static lbr_status scale(lbr_flattening *c, lbr_expr *e, lbr_whole *out)
{
    lbr_steps one;
    lbr_dd by;
    lbr_status status;

    if (e->nargs != 2 || e->arg[0]->name || e->arg[0]->key || e->arg[1]->key || lbr_dd_read(e->arg[0]->number, &by))
        return lbr_flatten_misused(c, e);
    return (status = lbr_flatten_operand(c, e->arg[1], &one)) ? status
                                                              : lbr_flatten_multiple(c, one, 0, by, &out->kernel);
}

/* chi: a table over a map of the kernel, or any expression. */
static lbr_status processor(lbr_flattening *c, lbr_expr *op, lbr_steps *chi)
{
    lbr_expr *kernel = op->arg[0], *e = op->arg[1];
    lbr_method claims;
    lbr_numbers x;
    lbr_steps base;
    lbr_status status;

    if (e->name && e->has_args) return lbr_flatten_operand(c, e, chi);
    if ((status = lbr_flatten_table(c, op, e, LBR_PROCESSES | LBR_COMPOSES | LBR_SPLITS, &claims, &x))) return status;
    if ((status = lbr_flatten_inner(c, kernel, (x.kind->table & LBR_CORRECTS) != 0, &base))) return status;
    return lbr_flatten_over(c, &x, base, chi);
}

/* Before: chi^-1, the steps of chi undone from the last to the first. After: chi. (HLW V.3.16) */
static lbr_status process(lbr_flattening *c, lbr_expr *e, lbr_whole *out)
{
    lbr_status status;

    if (e->nargs != 2 || e->arg[0]->key || e->arg[1]->key) return lbr_flatten_misused(c, e);
    if ((status = lbr_flatten_operand(c, e->arg[0], &out->kernel)) || (status = processor(c, e, &out->post)))
        return status;
    return lbr_flatten_multiple(c, out->post, 1, dd(-1), &out->pre);
}

/* A table alone is no method. */
static lbr_status flatten(lbr_flattening *c, const lbr_method *claims, const lbr_numbers *x, lbr_whole *out)
{
    (void)x, (void)out;
    return lbr_fail(c->m, LBR_EMETHOD, "'%s' is a processor, not a method: write process(%s, %s)", claims->name,
                    claims->kernel ? claims->kernel : "KERNEL", claims->name);
}

static const lbr_operator operators[] = {
    { .name = "process",
      .run = process,
      .use = "process(KERNEL, PROCESSOR), such as process(effective-6-9, effective-6-9-processor)" },
    { .name = "scale",
      .run = scale,
      .no_method = 1,
      .use = "scale(NUMBER, METHOD), a multiple of a step, as in process(split(lie-trotter, A, B), scale(1/2, "
             "split(lie-trotter, A)))" },
    { .name = NULL }
};

#define PROCESSOR .type = LBR_TABLE, .list = "delta", .read = lbr_read_steps, .flatten = flatten

const lbr_kind lbr_kind_process[] = { { .name = "processor",
                                        .rows = lbr_rows_processed,
                                        .operators = operators,
                                        PROCESSOR,
                                        .table = LBR_PROCESSES | LBR_ANY_SUM,
                                        .needs = "partition",
                                        .explicitness = "separable" },
                                      { .name = "corrector",
                                        .rows = lbr_rows_corrector,
                                        PROCESSOR,
                                        .table = LBR_PROCESSES | LBR_CORRECTS | LBR_ALTERNATES | LBR_ANY_SUM,
                                        .needs = "parts",
                                        .explicitness = "always" },
                                      { .name = NULL } };
