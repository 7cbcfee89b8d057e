/* rigid.c - splittings of the kinetic energy of rigid bodies, between half kicks. SPDX-License-Identifier: BSD-3-Clause
 *
 * b lists steps of the splitting, which is its own adjoint. */
#include "shared.h"
#include "stepper/body_steps.h"

#include <string.h>

LBR_LIST(one, "1");

#define ROW(name_, source_, about_) \
    {                               \
        .m = {                      \
            LBR_SIZED,              \
            .name = name_,          \
            .family = "rigid body", \
            .form = name_,          \
            .source = source_,      \
            .about = about_,        \
            .b = LBR_TEXTS(one),    \
            .order = 2,             \
            .symmetric = 1,         \
            .symplectic = 1,        \
            .is_explicit = 1,       \
            .digits = 31            \
        }                           \
    }

static const lbr_row rows[] = { ROW("three-rotations", "HLW VII.5.31 (McLachlan 1993, Reich 1994)",
                                    "rigid bodies: turns about the three axes, between half kicks"),
                                ROW("symmetric-rotation",
                                    "HLW VII.5.33 (Touma & Wisdom 1994, Dullweber, Leimkuhler & McLachlan 1997)",
                                    "rigid bodies: a symmetric one, and what is left of it, between half kicks"),
                                LBR_END };

/* --- of a system ------------------------------------------------------------------------------------------------- */

lbr_fn lbr_bind_energy(const lbr_bound *b, void **ctx)
{
    if (b->s.energy) return *ctx = b->s.ctx, b->s.energy;
    for (int64_t i = 0; b->s.invariants && i < b->s.invariants->count; i++) {
        const lbr_invariant *q = lbr_bound_invariant(b, i);

        if (!strcmp(q->name, "H") && q->len == 1) return *ctx = lbr_bound_invariant_ctx(b, i), q->value;
    }
    return NULL;
}

const char lbr_other_bodies[] = "is for rigid bodies with H = y^2/(2 I) + V(Q) and no joints, which are not those of";

lbr_status lbr_bind_no_bodies(lbr_plan *p, const char *why)
{
    return lbr_fail(&p->message, LBR_EUNFIT, "method '%s' %s system '%s'; gauss:s and rk4 take the field of any system",
                    p->flat.name, why, lbr_bind_system(p));
}

lbr_status lbr_bind_body(lbr_plan *p, const lbr_atom_kind *kind, int64_t index, int clock, lbr_dd c, lbr_program *to)
{
    if (kind == &lbr_atom_body_kick && !p->setup.rigid->b.forces) return LBR_OK;
    lbr_bind_step(p, to, (lbr_atom){ .kind = kind, .index = index, .other = clock, .moves_time = clock }, c);
    return LBR_OK;
}

/* Half a kick before; there and back, with what the time moves with in the middle; half a kick after. */
static lbr_status between_kicks(lbr_plan *p, const lbr_atom_kind *middle, int n, const int64_t *axis, lbr_dd c,
                                lbr_program *to)
{
    lbr_dd half = dd_mul(dd(0.5), c);
    lbr_status status = p->setup.sys.s.bodies ? lbr_rigid_make(&p->setup, &p->message)
                                              : lbr_bind_no_bodies(p, lbr_other_bodies);

    if (status) return status;
    lbr_bind_body(p, &lbr_atom_body_kick, 0, 0, half, to);
    for (int k = 0; k < n; k++) lbr_bind_body(p, &lbr_atom_body_axis, axis[k], 0, half, to);
    lbr_bind_body(p, middle, 0, 1, c, to);
    for (int k = n - 1; k >= 0; k--) lbr_bind_body(p, &lbr_atom_body_axis, axis[k], 0, half, to);
    return lbr_bind_body(p, &lbr_atom_body_kick, 0, 0, half, to);
}

/* HLW VII.5.31. */
static lbr_status bind_three(lbr_plan *p, lbr_base *b, const lbr_step *s, lbr_program *to)
{
    static const int64_t axis[] = { 2, 1 };

    (void)b;
    return between_kicks(p, &lbr_atom_body_axis, 2, axis, s->c, to);
}

/* HLW VII.5.33. */
static lbr_status bind_symmetric(lbr_plan *p, lbr_base *b, const lbr_step *s, lbr_program *to)
{
    static const int64_t axis[] = { 3 };

    (void)b;
    return between_kicks(p, &lbr_atom_body_symmetric, 1, axis, s->c, to);
}

static int64_t terms(const lbr_base *b, const lbr_system *system) { return (void)b, (void)system, 7; }

/* --- what is true of them ---------------------------------------------------------------------------------------- */

static int self_adjoint(const lbr_base *b, lbr_arena *arena) { return (void)b, (void)arena, 1; }

/* Exact flows there and back. */
static lbr_status analyse(const lbr_flat *f, const lbr_sequence *l, lbr_arena *arena, lbr_analysis *out, lbr_message *m)
{
    (void)f, (void)arena;
    return lbr_analyse_composed(l, 2, 1, 1, out, m);
}

#define KIND(name_, bind_)                                                                                 \
    .name = name_, .type = LBR_MAP, .list = "gamma", .read = lbr_read_steps, .self_adjoint = self_adjoint, \
    .needs = "rotation", .explicitness = "always", .bind = bind_, .terms = terms, .analyse = analyse

const lbr_kind lbr_kind_rigid[] = { { KIND("three-rotations", bind_three), .rows = rows },
                                    { KIND("symmetric-rotation", bind_symmetric) },
                                    { .name = NULL } };
