/* two_tableaux.c - what kinds with one Runge-Kutta tableau or two have in common.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "shared.h"
#include "stepper/prk.h"

#include <stdio.h>

static lbr_status no_memory(lbr_message *m) { return lbr_fail(m, LBR_ENOMEM, "out of memory while certifying"); }

enum { SHOWN = 80 };

/* gauss:2 as it is written. */
static const char *spelt(const lbr_expr *e, char text[SHOWN])
{
    snprintf(text, SHOWN, e->k < 0 ? "%.60s" : "%.60s:%d", e->name, e->k);
    return text;
}

lbr_status lbr_flatten_two_tableaux(lbr_flattening *c, lbr_expr *e, lbr_base *base)
{
    lbr_tableau **to[] = { &base->tableau, &base->second };
    char name[2][SHOWN];

    for (int i = 0; i < 2; i++) {
        lbr_status status = e->arg[i]->key ? lbr_flatten_misused(c, e)
                                           : lbr_flatten_one_tableau(c, e->name, e->arg[i], to[i]);

        if (status) return status;
    }
    if (base->tableau->s == base->second->s) return LBR_OK;
    return lbr_fail(c->m, LBR_EMETHOD, "'%s' joins the stages of two tableaux, but '%s' has %lld and '%s' %lld of them",
                    e->name, spelt(e->arg[0], name[0]), (long long)base->tableau->s, spelt(e->arg[1], name[1]),
                    (long long)base->second->s);
}

int lbr_tableaux_self_adjoint(const lbr_base *b, lbr_arena *arena)
{
    lbr_tableau *t = lbr_tableau_adjoint(b->tableau, arena),
                *u = b->second ? lbr_tableau_adjoint(b->second, arena) : NULL;

    return !t || (b->second && !u) ? -1 : t == b->tableau && u == b->second;
}

double lbr_tableaux_cost(const lbr_base *b, const lbr_step *s, const lbr_step *before, const lbr_system *system)
{
    int follows = !b->second && b->tableau->is_explicit && !s->adjoint;

    (void)before, (void)system;
    return (double)b->tableau->s * (follows ? 1 : LBR_GUESSED_ITERATIONS);
}

/* Whether each stage of the pair, or of its adjoint, follows from those before; -1: out of memory. */
static int is_explicit(const lbr_base *b, int adjoint, int halves, lbr_arena *arena)
{
    const lbr_tableau *q = adjoint ? lbr_tableau_adjoint(b->tableau, arena) : b->tableau;
    const lbr_tableau *p = adjoint ? lbr_tableau_adjoint(b->second, arena) : b->second;
    int64_t *room = lbr_arena_alloc(arena, 4 * b->tableau->s, sizeof *room);

    return !room || !q || !p ? -1 : lbr_pair_order(q->s, q->A, p->A, halves, room) > 0;
}

lbr_status lbr_describe_pair(const lbr_flat *f, int halves, lbr_arena *arena, lbr_method_info *i, lbr_message *m)
{
    int forth = is_explicit(f->base, 0, halves, arena),
        back = lbr_flat_back(f) ? is_explicit(f->base, 1, halves, arena) : 1;

    if (forth < 0 || back < 0) return lbr_fail(m, LBR_ENOMEM, "out of memory while describing a method");
    if (!forth || !back) i->explicitness = "never";
    return LBR_OK;
}

lbr_status lbr_analyse_two_tableaux(lbr_base *b, int additive, int adjoint, lbr_arena *arena, lbr_analysis *out,
                                    lbr_message *m)
{
    lbr_tableau *q = b->tableau, *p = b->second;

    if (adjoint && (!(q = lbr_tableau_adjoint(q, arena)) || !(p = lbr_tableau_adjoint(p, arena)))) return no_memory(m);
    return lbr_analyse_pair(q, p, additive, arena, out, m);
}

/* All steps as one pair. */
lbr_status lbr_analyse_two_together(const lbr_sequence *l, lbr_base *b, int additive, lbr_arena *arena,
                                    lbr_analysis *out, lbr_message *m)
{
    const lbr_tableau *all[2], **part = lbr_arena_alloc(arena, l->n, sizeof *part);

    if (b->tableau->s * l->n > LBR_TOGETHER_MOST) return LBR_OK;
    for (int i = 0; i < 2; i++) {
        lbr_tableau *t = i ? b->second : b->tableau, *adjoint = lbr_tableau_adjoint(t, arena);

        if (!part || !adjoint) return no_memory(m);
        for (int k = 0; k < l->n; k++) part[k] = l->flag[k] ? adjoint : t;
        if (!(all[i] = lbr_tableau_compose(l->n, l->c, part, arena))) return no_memory(m);
    }
    return lbr_analyse_pair_symplectic(all[0], all[1], additive, arena, out, m);
}
