/* processing.c - operators on method expressions that split fields into parts and process kernels. SPDX-License-Identifier: BSD-3-Clause */
#include "operators.h"

#include <string.h>

#define FORM(name) (1u << LBR_##name)

static lbr_status no_memory(lbr_flattening *c) { return lbr_fail(c->m, LBR_ENOMEM, "out of memory while reading a method"); }

/* --- parts -------------------------------------------------------------------------------------------------- */

/* PART = METHOD: the tableau that steps a part. Its base is of no use afterwards. */
static lbr_status stepped_by(lbr_flattening *c, lbr_expr *e, lbr_tableau **by, lbr_tableau **adjoint)
{
    int64_t before = c->flat->nbases;
    lbr_expr inner = *e, *arg[1] = { &inner }, one = { .name = "split", .k = -1, .nargs = 1, .has_args = 1, .arg = arg };
    lbr_whole out = { .kernel = { 0 } };
    lbr_status status;

    inner.key = NULL;
    if ((status = lbr_operator_tableau(c, &one, &out))) return status;
    e->name = inner.name;
    *by = c->flat->base[out.kernel.step->base].tableau, c->flat->nbases = before;
    return (*adjoint = lbr_tableau_adjoint(*by, c->arena)) ? LBR_OK : no_memory(c);
}

/* Phi of split(TABLE, PART, PART = METHOD, ...): the parts one after the other. */
static lbr_status phi_of_parts(lbr_flattening *c, lbr_expr *e, lbr_steps *one)
{
    lbr_base base = { .kind = LBR_BASE_PARTS, .nparts = e->nargs - 1 };
    lbr_status status = LBR_OK;

    base.part = lbr_arena_alloc(c->arena, e->nargs, sizeof *base.part), base.by = lbr_arena_alloc(c->arena, e->nargs, sizeof *base.by);
    base.by_adjoint = lbr_arena_alloc(c->arena, e->nargs, sizeof *base.by_adjoint);
    if (!base.part || !base.by || !base.by_adjoint) return no_memory(c);
    for (int i = 1; i < e->nargs && !status; i++) {
        lbr_expr *part = e->arg[i];

        base.part[i - 1] = part->key ? part->key : part->name;
        if (!part->name || (!part->key && (part->has_args || part->k >= 0))) return lbr_flatten_misused(c, "split");
        if (part->key) status = stepped_by(c, part, &base.by[i - 1], &base.by_adjoint[i - 1]);
    }
    return status ? status : lbr_flatten_base(c, base, one);
}

lbr_status lbr_operator_split(lbr_flattening *c, lbr_expr *e, lbr_whole *out)
{
    lbr_numbers x;
    lbr_steps one;
    lbr_status status;

    if (e->nargs < 1 || e->arg[0]->key) return lbr_flatten_misused(c, "split");
    if ((status = lbr_flatten_table(c, "split", e->arg[0], FORM(ALTERNATION), &x)) || (status = phi_of_parts(c, e, &one))) return status;
    return lbr_flatten_over(c, &x, one, &out->kernel);
}

/* --- processing --------------------------------------------------------------------------------------------- */

/* A multiple of a step, for processors. */
lbr_status lbr_operator_scale(lbr_flattening *c, lbr_expr *e, lbr_whole *out)
{
    lbr_steps one;
    lbr_dd by;
    lbr_status status;

    if (e->nargs != 2 || e->arg[0]->name || e->arg[0]->key || e->arg[1]->key || lbr_dd_read(e->arg[0]->number, &by)) return lbr_flatten_misused(c, "scale");
    return (status = lbr_flatten_operand(c, e->arg[1], &one)) ? status : lbr_flatten_multiple(c, one, 0, by, &out->kernel);
}

/* The map that a kernel alternates with its adjoint: what correctors are made of. */
static lbr_status alternating_map(lbr_flattening *c, lbr_expr *e, lbr_steps *base)
{
    const lbr_row *row = e->name && !e->has_args ? lbr_row_find(e->name) : NULL;

    if (e->name && e->nargs > 0 && !strcmp(e->name, "split")) return phi_of_parts(c, e, base);
    if (row && (row->m.form == LBR_PARTITIONED || (row->m.form == LBR_ALTERNATION && row->m.kernel))) return lbr_flatten_base(c, (lbr_base){ .kind = LBR_BASE_EULER }, base);
    if (row && row->m.form == LBR_ALTERNATION) return lbr_flatten_base(c, (lbr_base){ .kind = LBR_BASE_PARTS }, base);
    return lbr_flatten_inner(c, e, base);
}

/* chi: a table over a map of the kernel, or any expression. */
static lbr_status processor(lbr_flattening *c, lbr_expr *kernel, lbr_expr *e, lbr_steps *chi)
{
    lbr_numbers x;
    lbr_steps base;
    lbr_status status;

    if (e->name && e->has_args) return lbr_flatten_operand(c, e, chi);
    if ((status = lbr_flatten_table(c, "process", e, FORM(PROCESSOR) | FORM(CORRECTOR) | FORM(COMPOSITION) | FORM(ALTERNATION), &x))) return status;
    if ((status = x.form == LBR_CORRECTOR ? alternating_map(c, kernel, &base) : lbr_flatten_inner(c, kernel, &base))) return status;
    return lbr_flatten_over(c, &x, base, chi);
}

/* Before: chi^-1, the steps of chi undone from the last to the first. After: chi. (HLW V.3.16) */
lbr_status lbr_operator_process(lbr_flattening *c, lbr_expr *e, lbr_whole *out)
{
    lbr_status status;

    if (e->nargs != 2 || e->arg[0]->key || e->arg[1]->key) return lbr_flatten_misused(c, "process");
    if ((status = lbr_flatten_operand(c, e->arg[0], &out->kernel)) || (status = processor(c, e->arg[0], e->arg[1], &out->post))) return status;
    return lbr_flatten_multiple(c, out->post, 1, dd(-1), &out->pre);
}
