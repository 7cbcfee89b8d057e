/* composed.c - tables for symmetric maps over maps that are not: noted, to be told. SPDX-License-Identifier: BSD-3-Clause */
#include "operators.h"

#include <string.h>

static lbr_status no_memory(lbr_flattening *c)
{
    return lbr_fail(c->m, LBR_ENOMEM, "out of memory while reading a method");
}

/* Whether a basic map is its own adjoint, as far as that is seen without algebra. -1: out of memory. */
static int self_adjoint(lbr_flattening *c, lbr_base *b)
{
    lbr_tableau *t = b->tableau ? lbr_tableau_adjoint(b->tableau, c->arena) : NULL;
    lbr_tableau *u = b->second ? lbr_tableau_adjoint(b->second, c->arena) : NULL;
    const lbr_nystrom *n = b->nystrom ? lbr_nystrom_adjoint(b->nystrom, c->arena) : NULL;

    if ((b->tableau && !t) || (b->second && !u) || (b->nystrom && !n)) return -1;
    switch (b->kind) {
    case LBR_BASE_RUNGE_KUTTA: case LBR_BASE_PAIR: case LBR_BASE_ADDITIVE: return t == b->tableau && u == b->second;
    case LBR_BASE_NYSTROM: return n == b->nystrom;
    case LBR_BASE_MAP: return b->map->symmetric;
    case LBR_BASE_RIGID: return 1;
    case LBR_BASE_DERIVED: return b->claims.symmetric;
    case LBR_BASE_EULER: case LBR_BASE_PARTS: case LBR_BASE_PROJECTED: break;
    }
    return 0;
}

/* Whether steps read the same backwards, each being its own adjoint or standing opposite to it.
 * -1: out of memory. */
static int palindrome(lbr_flattening *c, lbr_steps a)
{
    int64_t asked = -1;                                /* the base of which it is known */
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
    int same = x->form == LBR_COMPOSITION ? palindrome(c, map) : 1;

    c->flat->composed = NULL;
    if (same > 0) return LBR_OK;
    if (same < 0 || !(note = lbr_arena_alloc(c->arena, 1, sizeof *note))) return no_memory(c);
    *note = (lbr_composed){ .order = claims->order, .numbers = *x };
    c->flat->composed = note;
    return LBR_OK;
}

/* The operand of an operator that keeps its order; NULL: it is none of these. */
static const lbr_expr *operand(const lbr_expr *e)
{
    static const struct { const char *name;  int arg; } keeps[] = {
        { "adjoint", 0 }, { "tableau", 0 }, { "nystrom", 0 }, { "reduced", 0 }, { "project", 1 }, { "local", 1 } };

    for (size_t i = 0; e->name && i < sizeof keeps / sizeof *keeps; i++)
        if (!strcmp(e->name, keeps[i].name) && e->nargs > keeps[i].arg) return e->arg[keeps[i].arg];
    return NULL;
}

const lbr_expr *lbr_expr_composing(const lbr_expr *e)
{
    while (operand(e)) e = operand(e);
    return e->name && !strcmp(e->name, "compose") && e->nargs == 2 ? e : NULL;
}
