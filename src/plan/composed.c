/* composed.c - tables for symmetric maps over maps that are not: noted, to be told.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kind.h"

/* Whether a basic map is its own adjoint, as far as that is seen without algebra. -1: out of memory. */
static int self_adjoint(lbr_flattening *c, const lbr_base *b)
{
    return b->kind->self_adjoint ? b->kind->self_adjoint(b, c->arena) : b->claims.symmetric;
}

/* Whether steps read the same backwards, each being its own adjoint or standing opposite to it.
 * -1: out of memory. */
static int palindrome(lbr_flattening *c, lbr_steps a)
{
    int64_t asked = -1; /* the base of which it is known */
    int itself = 0, same = 1;

    for (int64_t i = 0; i < a.n && same > 0; i++) {
        const lbr_step *s = &a.step[i], *r = &a.step[a.n - 1 - i];

        same = s->base == r->base && dd_sub(s->c, r->c).hi == 0;
        if (!same || s->adjoint != r->adjoint) continue;
        if (s->base != asked) itself = self_adjoint(c, &c->flat->base[s->base]), asked = s->base;
        same = itself;
    }
    return same;
}

lbr_status lbr_flatten_composed(lbr_flattening *c, const lbr_method *claims, const lbr_numbers *x, lbr_steps map)
{
    lbr_composed *note;
    int same = x->kind->table & LBR_COMPOSES ? palindrome(c, map) : 1;

    c->flat->composed = NULL;
    if (same > 0) return LBR_OK;
    if (same < 0 || !(note = lbr_arena_alloc(c->arena, 1, sizeof *note))) return lbr_flatten_no_memory(c);
    *note = (lbr_composed){ .order = claims->order, .numbers = *x };
    c->flat->composed = note;
    return LBR_OK;
}

const lbr_expr *lbr_expr_composing(const lbr_expr *e)
{
    const lbr_operator *op;

    while ((op = lbr_operator_of(e)) && op->keeps > 0 && e->nargs >= op->keeps) e = e->arg[op->keeps - 1];
    return op && op->composes && e->nargs == 2 ? e : NULL;
}
