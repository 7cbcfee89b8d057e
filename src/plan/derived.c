/* derived.c - maps made of more than rates: which one a row means. SPDX-License-Identifier: BSD-3-Clause */
#include "derived.h"

#include <string.h>

static int same(int64_t n, const lbr_dd *a, const lbr_dd *b) { return a && b ? !memcmp(a, b, (size_t)n * sizeof *a) : a == b; }

static int same_tableau(const lbr_tableau *a, const lbr_tableau *b)
{
    if (!a || !b) return a == b;
    return a->s == b->s && same(a->s * a->s, a->A, b->A) && same(a->s, a->b, b->b);
}

int lbr_derived_same(const lbr_derived *a, const lbr_derived *b)
{
    if (!a || !b) return a == b;
    return a->kind == b->kind && a->which == b->which && a->n == b->n && same(a->n, a->b, b->b) && same(a->n, a->c, b->c) && same_tableau(a->tableau, b->tableau);
}

lbr_derived lbr_derived_generating(const lbr_numbers *x)
{
    int first = x->form == LBR_GENERATING_S1, third = !x->c && x->s > (first ? 2 : 1);

    return (lbr_derived){ .kind = &lbr_atom_generating, .which = first ? 1 : 3, .n = x->s, .b = x->b, .c = x->c,
                          .needs = third ? "partition hessian third-derivatives" : x->c || x->s > 1 ? "partition hessian" : "partition" };
}

lbr_status lbr_flatten_derived(lbr_flattening *c, lbr_derived what, const lbr_method *claims, lbr_steps *out)
{
    lbr_derived *d = lbr_arena_alloc(c->arena, 1, sizeof *d);

    if (!d) return lbr_fail(c->m, LBR_ENOMEM, "out of memory while reading a method");
    *d = what;
    return lbr_flatten_base(c, (lbr_base){ .kind = LBR_BASE_DERIVED, .derived = d, .claims = *claims }, out);
}
