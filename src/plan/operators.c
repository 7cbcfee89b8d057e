/* operators.c - operators on method expressions that make tableaux and pairs of them. SPDX-License-Identifier: BSD-3-Clause */
#include "derived.h"

#include <string.h>

static lbr_status no_memory(lbr_flattening *c) { return lbr_fail(c->m, LBR_ENOMEM, "out of memory while reading a method"); }

/* One tableau, made of numbers. */
lbr_status lbr_operator_made(lbr_flattening *c, lbr_expr *e, lbr_whole *out)
{
    lbr_method claims;
    lbr_numbers x;
    lbr_status status = lbr_tableau_make(e, &claims, &x, c->arena, c->m);

    return status ? status : lbr_flatten_tableau(c, &claims, &x, &out->kernel);
}

/* The tableaux of steps; LBR_EMETHOD where a step has none. */
static lbr_status tableaux_of(lbr_flattening *c, lbr_expr *e, lbr_steps steps, lbr_dd *by, const lbr_tableau **part)
{
    int64_t s = 0;

    for (int64_t k = 0; k < steps.n; k++) {
        lbr_base *b = &c->flat->base[steps.step[k].base];

        if (b->kind != LBR_BASE_RUNGE_KUTTA)
            return lbr_fail(c->m, LBR_EMETHOD, "'%s' takes methods that are made of Runge-Kutta methods; '%s' is not", e->name, e->arg[0]->name);
        if (steps.step[k].adjoint && !b->adjoint && !(b->adjoint = lbr_tableau_adjoint(b->tableau, c->arena))) return no_memory(c);
        by[k] = steps.step[k].c, part[k] = steps.step[k].adjoint ? b->adjoint : b->tableau;
        if ((s += part[k]->s) > LBR_TABLEAU_MOST) return lbr_fail(c->m, LBR_EMETHOD, "'%s' would have more than %d stages", e->name, LBR_TABLEAU_MOST);
    }
    return LBR_OK;
}

/* The bases of what is inside are of no use afterwards. */
lbr_status lbr_operator_tableau(lbr_flattening *c, lbr_expr *e, lbr_whole *out)
{
    lbr_base base = { .kind = LBR_BASE_RUNGE_KUTTA, .claims = { LBR_SIZED, .name = e->name, .family = "Runge-Kutta", .source = "HLW III.1.28", .about = "a composition as one tableau" } };
    int64_t before = c->flat->nbases;
    const lbr_tableau **part;
    lbr_steps one;
    lbr_dd *by;
    lbr_status status;

    if (e->nargs != 1 || e->arg[0]->key) return lbr_flatten_misused(c, "tableau");
    if ((status = lbr_flatten_operand(c, e->arg[0], &one))) return status;
    by = lbr_arena_alloc(c->arena, one.n, sizeof *by), part = lbr_arena_alloc(c->arena, one.n, sizeof *part);
    if (!by || !part) return no_memory(c);
    if ((status = tableaux_of(c, e, one, by, part))) return status;
    if (!(base.tableau = lbr_tableau_compose(one.n, by, part, c->arena))) return no_memory(c);
    c->flat->nbases = before;
    return lbr_flatten_base(c, base, &out->kernel);
}

/* One whole step of one tableau, or of its adjoint; the bases of what is inside are of no use afterwards. */
static lbr_status one_tableau(lbr_flattening *c, const char *op, lbr_expr *e, lbr_tableau **t)
{
    int64_t before = c->flat->nbases;
    lbr_steps one;
    lbr_base *b;
    lbr_status status;

    if (e->key) return lbr_flatten_misused(c, op);
    if ((status = lbr_flatten_operand(c, e, &one))) return status;
    b = one.n ? &c->flat->base[one.step->base] : NULL;
    if (one.n != 1 || b->kind != LBR_BASE_RUNGE_KUTTA || one.step->c.hi != 1 || one.step->c.lo != 0)
        return lbr_fail(c->m, LBR_EMETHOD, "'%s' takes Runge-Kutta methods; '%s' is not one (tableau(METHOD) makes one of a composition)", op, e->name);
    *t = one.step->adjoint ? lbr_tableau_adjoint(b->tableau, c->arena) : b->tableau;
    c->flat->nbases = before;
    return *t ? LBR_OK : no_memory(c);
}

/* The first two arguments: as many stages in both. */
static lbr_status two_tableaux(lbr_flattening *c, lbr_expr *e, lbr_base *base)
{
    lbr_status status;

    if ((status = one_tableau(c, e->name, e->arg[0], &base->tableau)) || (status = one_tableau(c, e->name, e->arg[1], &base->second))) return status;
    if (base->tableau->s == base->second->s) return LBR_OK;
    return lbr_fail(c->m, LBR_EMETHOD, "'%s' joins the stages of two tableaux, but '%s' has %lld and '%s' %lld of them", e->name, e->arg[0]->name, (long long)base->tableau->s,
                    e->arg[1]->name, (long long)base->second->s);
}

/* Positions by one tableau, momenta by another one. */
lbr_status lbr_operator_pair(lbr_flattening *c, lbr_expr *e, lbr_whole *out)
{
    lbr_base base = { .kind = LBR_BASE_PAIR, .claims = { LBR_SIZED, .name = e->name, .family = "partitioned", .source = "HLW II.2.2", .about = "one tableau for positions, one for momenta" } };
    lbr_status status;

    if (e->nargs != 2) return lbr_flatten_misused(c, "pair");
    return (status = two_tableaux(c, e, &base)) ? status : lbr_flatten_base(c, base, &out->kernel);
}

/* One part by one tableau, another part by another one. */
lbr_status lbr_operator_additive(lbr_flattening *c, lbr_expr *e, lbr_whole *out)
{
    lbr_base base = { .kind = LBR_BASE_ADDITIVE, .nparts = 2, .claims = { LBR_SIZED, .name = e->name, .family = "additive", .source = "HLW II.6, exercise 5", .about = "one tableau for each of two parts" } };
    lbr_status status;

    if (e->nargs != 4) return lbr_flatten_misused(c, "additive");
    if ((status = two_tableaux(c, e, &base))) return status;
    if (!(base.part = lbr_arena_alloc(c->arena, 2, sizeof *base.part))) return no_memory(c);
    for (int k = 0; k < 2; k++) {
        const lbr_expr *part = e->arg[2 + k];

        if (!part->name || part->key || part->has_args || part->k >= 0) return lbr_flatten_misused(c, "additive");
        base.part[k] = part->name;
    }
    return lbr_flatten_base(c, base, &out->kernel);
}

lbr_status lbr_operator_hager(lbr_flattening *c, lbr_expr *e, lbr_whole *out)
{
    lbr_base base = { .kind = LBR_BASE_PAIR, .claims = { LBR_SIZED, .name = e->name, .family = "partitioned", .source = "HLW VI.10.6 (Hager 2000)", .about = "a tableau and its symplectic partner" } };
    lbr_status status;

    if (e->nargs != 1) return lbr_flatten_misused(c, "hager");
    if ((status = one_tableau(c, "hager", e->arg[0], &base.tableau))) return status;
    if ((status = lbr_tableau_partner(base.tableau, e->arg[0]->name, &base.second, c->arena, c->m))) return status;
    return lbr_flatten_base(c, base, &out->kernel);
}

/* The discrete Lagrangian (HLW VI.6) that a method stands for: MacKay's for the trapezoidal rule, Galerkin's for any other tableau; the system's own. */
lbr_status lbr_operator_variational(lbr_flattening *c, lbr_expr *e, lbr_whole *out)
{
    lbr_derived d = { .kind = &lbr_atom_variational, .which = LBR_DISCRETE_OWN, .needs = "lagrangian" };
    lbr_method claims = { LBR_SIZED, .name = e->name };
    lbr_expr *of = e->nargs == 1 ? e->arg[0] : NULL;
    lbr_status status;

    if (!of || of->key || !of->name) return lbr_flatten_misused(c, "variational");
    if (!strcmp(of->name, "own") && !of->has_args && of->k < 0) return lbr_flatten_derived(c, d, &claims, &out->kernel);
    if ((status = one_tableau(c, "variational", of, &d.tableau)) || (status = lbr_tableau_partner(d.tableau, of->name, &d.second, c->arena, c->m))) return status;
    d.which = strcmp(of->name, "trapezoidal") ? LBR_DISCRETE_GALERKIN : LBR_DISCRETE_MACKAY;
    if (d.which == LBR_DISCRETE_MACKAY) d.tableau = d.second = NULL;
    return lbr_flatten_derived(c, d, &claims, &out->kernel);
}
