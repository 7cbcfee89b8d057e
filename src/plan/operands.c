/* operands.c - arguments of operators that are, or become, Runge-Kutta tableaux.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kind.h"

lbr_tableau *lbr_flatten_new_tableau(lbr_flattening *c, int64_t s, const lbr_dd *A, const lbr_dd *b,
                                     const lbr_dd *nodes)
{
    lbr_tableau *t = lbr_arena_alloc(c->arena, 1, sizeof *t);

    if (t) *t = (lbr_tableau){ s, 1, A, b, nodes };
    for (int64_t i = 0; t && i < s; i++)
        for (int64_t j = i; j < s; j++) t->is_explicit &= A[i * s + j].hi == 0;
    return t;
}

lbr_status lbr_flatten_one_tableau(lbr_flattening *c, const char *op, lbr_expr *e, lbr_tableau **t)
{
    int64_t before = c->flat->nbases;
    lbr_steps one;
    lbr_base *b;
    lbr_status status;

    if ((status = lbr_flatten_operand(c, e, &one))) return status;
    b = one.n ? &c->flat->base[one.step->base] : NULL;
    if (one.n != 1 || !b->tableau || b->second || one.step->c.hi != 1 || one.step->c.lo != 0)
        return lbr_fail(c->m, LBR_EMETHOD,
                        "'%s' takes Runge-Kutta methods; '%s' is not one (tableau(METHOD) makes one of a composition)",
                        op, e->name);
    *t = one.step->adjoint ? lbr_tableau_adjoint(b->tableau, c->arena) : b->tableau;
    c->flat->nbases = before;
    return *t ? LBR_OK : lbr_flatten_no_memory(c);
}

/* The tableaux of steps; LBR_EMETHOD where a step has none. */
static lbr_status tableaux_of(lbr_flattening *c, const char *op, const lbr_expr *e, lbr_steps steps, lbr_dd *by,
                              const lbr_tableau **part)
{
    int64_t s = 0;

    for (int64_t k = 0; k < steps.n; k++) {
        lbr_base *b = &c->flat->base[steps.step[k].base];

        if (!b->tableau || b->second)
            return lbr_fail(c->m, LBR_EMETHOD, "'%s' takes methods that are made of Runge-Kutta methods; '%s' is not",
                            op, e->name);
        if (steps.step[k].adjoint && !b->adjoint && !(b->adjoint = lbr_tableau_adjoint(b->tableau, c->arena)))
            return lbr_flatten_no_memory(c);
        by[k] = steps.step[k].c, part[k] = steps.step[k].adjoint ? b->adjoint : b->tableau;
        if ((s += part[k]->s) > LBR_TABLEAU_MOST)
            return lbr_fail(c->m, LBR_EMETHOD, "'%s' would have more than %d stages", op, LBR_TABLEAU_MOST);
    }
    return LBR_OK;
}

lbr_status lbr_flatten_as_tableau(lbr_flattening *c, const char *op, lbr_expr *e, lbr_tableau **t)
{
    int64_t before = c->flat->nbases;
    const lbr_tableau **part;
    lbr_steps one;
    lbr_dd *by;
    lbr_status status;

    if ((status = lbr_flatten_operand(c, e, &one))) return status;
    by = lbr_arena_alloc(c->arena, one.n, sizeof *by), part = lbr_arena_alloc(c->arena, one.n, sizeof *part);
    if (!by || !part) return lbr_flatten_no_memory(c);
    if ((status = tableaux_of(c, op, e, one, by, part))) return status;
    c->flat->nbases = before;
    return (*t = lbr_tableau_compose(one.n, by, part, c->arena)) ? LBR_OK : lbr_flatten_no_memory(c);
}
