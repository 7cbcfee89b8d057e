/* part_step.c - a Runge-Kutta step of one part of the field, where its exact flow is not wanted (HLW II.5.9).
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The system is that of the plan with the part's field in place of its own. Parts other than the clock see the time at
 * rest. */
#include "rk.h"

/* The same tableau with all nodes at 0. */
static const lbr_tableau *at_rest(const lbr_tableau *t, lbr_arena *arena)
{
    lbr_tableau *out = lbr_arena_alloc(arena, 1, sizeof *out);
    lbr_dd *c = lbr_arena_alloc(arena, t->s, sizeof *c);

    if (!out || !c) return NULL;
    *out = *t, out->c = c;
    return out;
}

static lbr_status build(lbr_setup *set, lbr_atom *a, lbr_message *m)
{
    lbr_bound *part = lbr_arena_alloc(set->arena, 1, sizeof *part);
    const lbr_tableau *t = a->moves_time ? a->tableau : at_rest(a->tableau, set->arena);
    const lbr_rk *rk;
    lbr_status status;

    if (!part || !t) return lbr_fail(m, LBR_ENOMEM, "out of memory for the plan");
    *part = set->sys;
    part->field = lbr_bound_part_field(&set->sys, a->index), part->ctx = lbr_bound_part_ctx(&set->sys, a->index);
    part->forces = part->gradients = 0, part->fields = 1;
    part->separable = part->partitioned = 0;
    part->s.field_jvp = NULL;
    if ((status = lbr_rk_build(&rk, set, part, t, NULL, 0, m))) return status;
    a->constants = (void *)rk;
    a->slot = rk->slot;
    a->own = rk->own + (rk->is_explicit ? 0 : rk->sn);
    if (!rk->is_explicit) a->foretold = rk->sn, a->series = 1;
    return LBR_OK;
}

static void prepare(const lbr_atom *a, double h, double *slot) { lbr_rk_prepare(a->constants, h, slot); }

static lbr_status apply(lbr_work *w, const lbr_atom *a, const double *slot, double *own, double t, double h, double *y,
                        double *e)
{
    return lbr_atom_runge_kutta.apply(w, a, slot, own, t, h, y, e);
}

const lbr_atom_kind lbr_atom_part_step = { "step of a part", 0, build, prepare, apply, 1 };
