/* symplectic_euler.c - methods for q' = H_p, p' = -H_q made of symplectic Euler and its adjoint.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 *     Phi_h:   p1 = p - h H_q(p1, q),  q1 = q + h H_p(p1, q)       kick, then drift       (HLW I.1.9)
 *     Phi*_h:  q1 = q + h H_p(p, q1),  p1 = p - h H_q(p, q1)       drift, then kick
 *
 * b lists steps of Phi and, at odd places, of Phi*; zero steps are dropped. For H = T(p) + V(q) neighbours merge. */
#include "shared.h"

#include <math.h>

LBR_LIST(first, "1");
LBR_LIST(second, "0", "1");
LBR_LIST(both, "1/2", "1/2");
LBR_LIST(reverse, "0", "1/2", "1/2");

#define ROW(name_, list, order_, symmetric_, source_, about_, aliases_) \
    {                                                                   \
        .m = {                                                          \
            LBR_SIZED,                                                  \
            .name = name_,                                              \
            .family = "partitioned",                                    \
            .form = "partitioned",                                      \
            .source = source_,                                          \
            .about = about_,                                            \
            .b = LBR_TEXTS(list),                                       \
            .order = order_,                                            \
            .symmetric = symmetric_,                                    \
            .symplectic = 1,                                            \
            .digits = 31,                                               \
            .aliases = aliases_                                         \
        }                                                               \
    }

static const lbr_row rows[] = {
    ROW("symplectic-euler", first, 1, 0, "HLW I.1.9", "p implicit, q explicit: kick, then drift", "symplectic-euler-a"),
    ROW("symplectic-euler-b", second, 1, 0, "HLW I.1.9", "q implicit, p explicit: drift, then kick", NULL),
    ROW("stormer-verlet", both, 2, 1, "HLW I.1.17, II.2.1", "kick-drift-kick, one force per step",
        "verlet leapfrog velocity-verlet"),
    ROW("stormer-verlet-b", reverse, 2, 1, "HLW I.1.17, II.2.1", "drift-kick-drift, one force per step",
        "position-verlet"),
    LBR_END
};

/* --- in method expressions --------------------------------------------------------------------------------------- */

lbr_status lbr_flatten_euler(lbr_flattening *c, lbr_steps *out)
{
    return lbr_flatten_base(c, (lbr_base){ .kind = lbr_kind_find("partitioned") }, out);
}

lbr_status lbr_flatten_verlet(lbr_flattening *c, lbr_steps *out)
{
    lbr_dd b[2] = { dd(0.5), dd(0.5) };
    unsigned char adjoint[2] = { 1, 0 };
    lbr_steps one;
    lbr_status status = lbr_flatten_euler(c, &one);

    return status ? status : lbr_flatten_over(c, &(lbr_numbers){ .s = 2, .b = b, .adjoint = adjoint }, one, out);
}

static lbr_status flatten(lbr_flattening *c, const lbr_method *claims, const lbr_numbers *x, lbr_whole *out)
{
    lbr_steps one;
    lbr_status status = lbr_flatten_euler(c, &one);

    (void)claims;
    return status ? status : lbr_flatten_over(c, x, one, &out->kernel);
}

static lbr_status alternating(lbr_flattening *c, const lbr_method *row, lbr_steps *out)
{
    return (void)row, lbr_flatten_euler(c, out);
}

int lbr_alternation_stages(const lbr_numbers *x)
{
    int n = 0;

    for (int64_t k = 0; k < x->s; k++) n += x->b[k].hi != 0;
    return (n + 1) / 2;
}

/* --- of a system ------------------------------------------------------------------------------------------------- */

/* For H = T(p) + V(q) a step is a kick and a drift, of its adjoint a drift and a kick. */
static lbr_status bind(lbr_plan *p, lbr_base *b, const lbr_step *s, lbr_program *to)
{
    int32_t kick, drift;

    (void)b;
    if (!p->setup.sys.partitioned)
        return lbr_fail(&p->message, LBR_EUNFIT,
                        "method '%s' needs positions and momenta (nq, with force and inverse_mass or velocity, or with "
                        "dHdq and dHdp, or with field), but system '%s' %s%s",
                        p->flat.name, lbr_bind_system(p), lbr_bound_lacks(&p->setup.sys),
                        p->setup.sys.field ? "; rk4, midpoint, gauss:s and compose(TABLE, midpoint) fit any field"
                                           : "");
    if (!p->setup.sys.separable) {
        lbr_bind_step(p, to, (lbr_atom){ .kind = &lbr_atom_euler, .adjoint = s->adjoint, .moves_time = 1 }, s->c);
        return LBR_OK;
    }
    kick = lbr_bind_atom(p, (lbr_atom){ .kind = &lbr_atom_kick });
    drift = lbr_bind_atom(p, (lbr_atom){ .kind = &lbr_atom_drift, .moves_time = 1 });
    lbr_bind_push(p, to, s->adjoint ? drift : kick, s->c);
    lbr_bind_push(p, to, s->adjoint ? kick : drift, s->c);
    return LBR_OK;
}

static int64_t terms(const lbr_base *b, const lbr_system *system) { return (void)b, (void)system, 2; }
static int field_alone(const lbr_base *b) { return (void)b, 1; }
static int self_adjoint(const lbr_base *b, lbr_arena *arena) { return (void)b, (void)arena, 0; }

/* One force, where H = T(p) + V(q); the kick of a step is that of the adjoint before it. */
static double cost(const lbr_base *b, const lbr_step *s, const lbr_step *before, const lbr_system *system)
{
    (void)b;
    if (s->c.hi == 0 || (before && before->adjoint && !s->adjoint)) return 0;
    return system->force && (system->velocity || system->inverse_mass) ? 1 : LBR_GUESSED_ITERATIONS;
}

/* --- what is true of it ------------------------------------------------------------------------------------------ */

static lbr_status no_memory(lbr_message *m) { return lbr_fail(m, LBR_ENOMEM, "out of memory while certifying"); }

/* Steps of symplectic Euler (kick, drift) and its adjoint as merged kicks and drifts; flag: a kick. */
static int kicks_and_drifts(const lbr_sequence *l, lbr_arena *arena, lbr_sequence *out)
{
    if (lbr_sequence_new(arena, 2 * l->n, out)) return -1;
    for (int i = 0; i < l->n; i++)
        lbr_sequence_push(out, l->c[i], !l->flag[i]), lbr_sequence_push(out, l->c[i], l->flag[i]);
    return 0;
}

static lbr_status analyse(const lbr_flat *f, const lbr_sequence *l, lbr_arena *arena, lbr_analysis *out, lbr_message *m)
{
    int table = f->is_row && f->numbers.kind->table & LBR_COMPOSES;
    lbr_order o;
    lbr_status status;
    lbr_sequence kd;

    if (kicks_and_drifts(l, arena, &kd)) return no_memory(m);
    if ((status = table ? lbr_analyse_composition((int)f->numbers.s, f->numbers.b, NULL, 2, 1, out, m)
                        : lbr_analyse_composition(l->n, l->c, l->flag, 1, 0, out, m)))
        return status;
    if (out->order.value <= LBR_COLOURED_MOST && kd.n <= LBR_STEPS_MOST) {
        if (lbr_trees_splitting(kd.n, kd.c, kd.flag, 0, LBR_COLOURED_MOST, out->tolerance, &o)) return no_memory(m);
        out->order_again = lbr_found_order(&o, "trees");
        if (lbr_trees_splitting(kd.n, kd.c, kd.flag, 1, LBR_COLOURED_MOST, out->tolerance, &o)) return no_memory(m);
        out->quadratic = lbr_found_order(&o, "trees");
    }
    out->symmetric = lbr_found_small(lbr_palindrome_residual(kd.n, kd.c, kd.flag), out->tolerance,
                                     "kicks and drifts read the same backwards");
    out->symplectic = lbr_found_told(1, "a composition of symplectic maps (HLW VI.3)");
    return LBR_OK;
}

static lbr_status volume(const lbr_flat *f, int symplectic, lbr_arena *arena, lbr_finding *out, lbr_message *m)
{
    (void)f, (void)symplectic, (void)arena, (void)m;
    *out = lbr_found_told(LBR_VOLUME_PARTITIONED, "steps that change positions or momenta alone (HLW VI.9)");
    return LBR_OK;
}

const lbr_kind lbr_kind_symplectic_euler[] = { { .name = "partitioned",
                                                 .rows = rows,
                                                 .type = LBR_MAP,
                                                 .table = LBR_ALTERNATES,
                                                 .list = "beta_alpha",
                                                 .read = lbr_read_steps,
                                                 .flatten = flatten,
                                                 .alternating = alternating,
                                                 .stages = lbr_alternation_stages,
                                                 .self_adjoint = self_adjoint,
                                                 .needs = "partition",
                                                 .explicitness = "separable",
                                                 .cost = cost,
                                                 .bind = bind,
                                                 .terms = terms,
                                                 .field_alone = field_alone,
                                                 .analyse = analyse,
                                                 .volume = volume },
                                               { .name = NULL } };
