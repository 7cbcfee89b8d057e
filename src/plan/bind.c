/* bind.c - steps of basic maps become atoms of this system; neighbours that are flows of the same part merge. SPDX-License-Identifier: BSD-3-Clause */
#include "plan.h"
#include "stepper/bodies.h"
#include "stepper/multipliers.h"
#include "stepper/prk.h"
#include "stepper/surface.h"

#include <string.h>

enum { PAIR_FLOWS = 64 };                            /* stages up to which a pair may turn out to be kicks and drifts */

#define ADDRESS(name) &lbr_stepper_##name,
static const lbr_stepper *const steppers[] = { LBR_STEPPERS(ADDRESS) };

static lbr_status no_memory(lbr_plan *p) { return lbr_fail(&p->message, LBR_ENOMEM, "out of memory for the plan"); }

static const char *system_name(const lbr_plan *p) { return p->setup.sys.s.name ? p->setup.sys.s.name : "without a name"; }

/* The index of this atom among those of the plan, entered where it is new. */
static int32_t atom_index(lbr_setup *set, lbr_atom a)
{
    for (int64_t i = 0; i < set->natoms; i++) {
        const lbr_atom *b = &set->atom[i];
        if (a.kind == b->kind && a.index == b->index && a.other == b->other && a.tableau == b->tableau && a.second == b->second && a.map == b->map && a.derived == b->derived && a.projected == b->projected && lbr_nystrom_same(a.nystrom, b->nystrom) && a.adjoint == b->adjoint) return (int32_t)i;
    }
    set->atom[set->natoms] = a;
    return (int32_t)set->natoms++;
}

/* Appends; the same flow again only adds to its step, and a step of nothing is dropped. */
static void push(lbr_setup *set, lbr_program *to, int32_t atom, lbr_dd c)
{
    lbr_term *last = to->n > 0 ? &to->term[to->n - 1] : NULL;

    if (last && last->atom == atom && set->atom[atom].kind->flow) last->c = dd_add(last->c, c);
    else to->term[to->n++] = (lbr_term){ .atom = atom, .c = c };
    last = &to->term[to->n - 1];
    if (fabs(last->c.hi) < 1e-28) to->n--;
}

/* --- one step of each kind of basic map ------------------------------------------------------------------- */

static lbr_status euler(lbr_plan *p, lbr_base *b, const lbr_step *s, lbr_program *to)
{
    lbr_setup *set = &p->setup;
    int32_t kick, drift;

    (void)b;
    if (!set->sys.partitioned)
        return lbr_fail(&p->message, LBR_EUNFIT, "method '%s' needs positions and momenta (nq, with force and inverse_mass or velocity, or with dHdq and dHdp, or with field), "
                        "but system '%s' has no such partition; rk4, midpoint, gauss:s and compose(TABLE, midpoint) fit any field", p->flat.name, system_name(p));
    if (!set->sys.separable) {
        push(set, to, atom_index(set, (lbr_atom){ .kind = &lbr_atom_euler, .adjoint = s->adjoint, .moves_time = 1 }), s->c);
        return LBR_OK;
    }
    kick = atom_index(set, (lbr_atom){ .kind = &lbr_atom_kick });
    drift = atom_index(set, (lbr_atom){ .kind = &lbr_atom_drift, .moves_time = 1 });
    push(set, to, s->adjoint ? drift : kick, s->c);
    push(set, to, s->adjoint ? kick : drift, s->c);
    return LBR_OK;
}

static lbr_status runge_kutta(lbr_plan *p, lbr_base *b, const lbr_step *s, lbr_program *to)
{
    lbr_setup *set = &p->setup;
    lbr_tableau *t = b->tableau;

    if (!set->sys.field)
        return lbr_fail(&p->message, LBR_EUNFIT, "method '%s' needs the whole vector field, but system '%s' gives neither field nor force nor dHdq and dHdp%s",
                        p->flat.name, system_name(p), set->sys.s.lagrangian ? "; variational(gauss:s) takes its Lagrangian" : "");
    if (s->adjoint && !b->adjoint) b->adjoint = lbr_tableau_adjoint(t, &p->arena);
    if (s->adjoint && !(t = b->adjoint)) return no_memory(p);
    push(set, to, atom_index(set, (lbr_atom){ .kind = &lbr_atom_runge_kutta, .tableau = t, .adjoint = s->adjoint && t != b->tableau, .moves_time = 1 }), s->c);
    return LBR_OK;
}

/* Where the system has T(p) + V(q), an explicit symplectic pair is kicks and drifts (HLW VI.4.7); 0: it is not, or has too many stages to ask. */
static int as_flows(lbr_setup *set, const lbr_tableau *q, const lbr_tableau *v, lbr_dd c, lbr_program *to)
{
    int64_t order[4 * PAIR_FLOWS], s = q->s, n = set->sys.separable && s <= PAIR_FLOWS ? lbr_pair_flows(s, q->A, q->b, v->A, v->b, order) : 0;
    int32_t kick, drift;

    if (!n) return 0;
    kick = atom_index(set, (lbr_atom){ .kind = &lbr_atom_kick });
    drift = atom_index(set, (lbr_atom){ .kind = &lbr_atom_drift, .moves_time = 1 });
    for (int64_t k = 0; k < n; k++) push(set, to, order[k] < s ? drift : kick, dd_mul(order[k] < s ? q->b[order[k]] : v->b[order[k] - s], c));
    return 1;
}

/* Those of both tableaux, where the step asks for them; -1: out of memory. */
static int adjoints(lbr_plan *p, lbr_base *b, const lbr_step *s)
{
    if (s->adjoint && !b->adjoint) b->adjoint = lbr_tableau_adjoint(b->tableau, &p->arena), b->second_adjoint = lbr_tableau_adjoint(b->second, &p->arena);
    return s->adjoint && (!b->adjoint || !b->second_adjoint) ? -1 : 0;
}

/* Kicks and what moves attitudes between them. */
static lbr_status push_body(lbr_plan *p, const lbr_atom_kind *kind, int64_t index, int clock, lbr_dd c, lbr_program *to)
{
    if (kind == &lbr_atom_body_kick && !p->setup.rigid->b.forces) return LBR_OK;
    push(&p->setup, to, atom_index(&p->setup, (lbr_atom){ .kind = kind, .index = index, .other = clock, .moves_time = clock }), c);
    return LBR_OK;
}

static const char other_bodies[] = "is for rigid bodies with H = y^2/(2 I) + V(Q) and no joints, which are not those of";

static lbr_status no_bodies(lbr_plan *p, const char *why)
{
    return lbr_fail(&p->message, LBR_EUNFIT, "method '%s' %s system '%s'; gauss:s and rk4 take the field of any system", p->flat.name, why, system_name(p));
}

static int has_rotations(const lbr_system *s)
{
    for (int64_t k = 0; k < s->nblocks; k++)
        if (((const lbr_block *)((const char *)s->blocks + (size_t)k * s->blocks->size))->kind == LBR_ROTATION) return 1;
    return 0;
}

/* RATTLE, and constrained Euler, on SO(3): forces by the weights of two stages, the discrete Moser-Veselov equations between them. */
static lbr_status rigid_pair(lbr_plan *p, const lbr_tableau *q, const lbr_tableau *v, lbr_dd c, lbr_program *to)
{
    lbr_status status = lbr_rigid_make(&p->setup, &p->message);

    if (status) return status;
    if (q->s != 2 || v->A[1].hi != 0 || v->A[3].hi != 0) return no_bodies(p, "does not know the rigid bodies of");
    push_body(p, &lbr_atom_body_kick, 0, 0, dd_mul(v->b[0], c), to);
    push_body(p, &lbr_atom_veselov, 0, 1, c, to);
    return push_body(p, &lbr_atom_body_kick, 0, 0, dd_mul(v->b[1], c), to);
}

/* Splittings of the kinetic part, symmetric ones, between half kicks (HLW VII.5.31, VII.5.33). */
static lbr_status rigid(lbr_plan *p, lbr_base *b, const lbr_step *s, lbr_program *to)
{
    lbr_dd half = dd_mul(dd(0.5), s->c);
    lbr_status status;

    if (!p->setup.sys.s.bodies) return no_bodies(p, other_bodies);
    if ((status = lbr_rigid_make(&p->setup, &p->message))) return status;
    push_body(p, &lbr_atom_body_kick, 0, 0, half, to);
    if (b->rigid == LBR_RIGID_THREE) for (int k = 2; k > 0; k--) push_body(p, &lbr_atom_body_axis, k, 0, half, to);
    if (b->rigid == LBR_RIGID_SYMMETRIC) push_body(p, &lbr_atom_body_axis, 3, 0, half, to);
    push_body(p, b->rigid == LBR_RIGID_THREE ? &lbr_atom_body_axis : &lbr_atom_body_symmetric, 0, 1, s->c, to);
    if (b->rigid == LBR_RIGID_SYMMETRIC) push_body(p, &lbr_atom_body_axis, 3, 0, half, to);
    if (b->rigid == LBR_RIGID_THREE) for (int k = 1; k < 3; k++) push_body(p, &lbr_atom_body_axis, k, 0, half, to);
    return push_body(p, &lbr_atom_body_kick, 0, 0, half, to);
}

/* Both tableaux forth, or both adjoints. */
static lbr_status pair(lbr_plan *p, lbr_base *b, const lbr_step *s, lbr_program *to)
{
    lbr_setup *set = &p->setup;
    lbr_tableau *q = b->tableau, *v = b->second;

    if (set->sys.s.bodies) return adjoints(p, b, s) ? no_memory(p) : rigid_pair(p, s->adjoint ? b->adjoint : q, s->adjoint ? b->second_adjoint : v, s->c, to);
    if (has_rotations(&set->sys.s)) return no_bodies(p, other_bodies);
    if (!set->sys.partitioned)
        return lbr_fail(&p->message, LBR_EUNFIT, "method '%s' treats positions and momenta differently (it needs nq, with force and inverse_mass or velocity, or with dHdq and dHdp, or with field), "
                        "but system '%s' has no such partition; rk4, midpoint and gauss:s fit any field", p->flat.name, system_name(p));
    if (b->constrained && !set->sys.s.constraints)
        return lbr_fail(&p->message, LBR_EUNFIT, "method '%s' is for systems with constraints, and system '%s' has none; stormer-verlet, gauss:s and lobatto-3a-3b:s are for such systems", p->flat.name, system_name(p));
    if (adjoints(p, b, s)) return no_memory(p);
    if (s->adjoint) q = b->adjoint, v = b->second_adjoint;
    if (set->sys.s.constraints) {
        push(set, to, atom_index(set, (lbr_atom){ .kind = &lbr_atom_constrained, .tableau = q, .second = v, .adjoint = q != b->tableau || v != b->second, .moves_time = 1 }), s->c);
        return LBR_OK;
    }
    if (!as_flows(set, q, v, s->c, to))
        push(set, to, atom_index(set, (lbr_atom){ .kind = &lbr_atom_runge_kutta, .tableau = q, .second = v, .adjoint = q != b->tableau || v != b->second, .moves_time = 1 }), s->c);
    return LBR_OK;
}

/* y'' = g needs q' = M^-1 p, which inverse_mass says, and p' by a force, or by a field where g may have y' in it. */
static lbr_status nystrom(lbr_plan *p, lbr_base *b, const lbr_step *s, lbr_program *to)
{
    lbr_setup *set = &p->setup;
    const lbr_system *sys = &set->sys.s;
    const lbr_nystrom *n = s->adjoint ? lbr_nystrom_adjoint(b->nystrom, &p->arena) : b->nystrom;
    int masses = sys->nq > 0 && sys->inverse_mass, special = masses && sys->force;

    if (!n) return no_memory(p);
    if (!masses || (!special && !sys->field))
        return lbr_fail(&p->message, LBR_EUNFIT, "method '%s' is for q'' = g and needs positions whose rates are known to be q' = inverse_mass .* p, with a force or a field, but system '%s' %s; "
                        "rk4, midpoint and gauss:s take any field", p->flat.name, system_name(p), !sys->nq ? "has no partition" : !masses ? "gives no inverse_mass" : "gives neither");
    if (!special && !n->Ahat)
        return lbr_fail(&p->message, LBR_EUNFIT, "method '%s' is for q'' = g(t, q), but system '%s' gives a field in which p' may depend on p; nystrom-4-general, gauss-nystrom:s and nystrom(rk4) "
                        "are for q'' = g(t, q, q')", p->flat.name, system_name(p));
    push(set, to, atom_index(set, (lbr_atom){ .kind = &lbr_atom_nystrom, .nystrom = n, .index = !special, .moves_time = 1 }), s->c);
    return LBR_OK;
}

static int64_t part_index(const lbr_plan *p, const char *name)
{
    for (int64_t i = 0; i < p->setup.sys.s.parts->count; i++)
        if (!strcmp(lbr_bound_part(&p->setup.sys, i)->name, name)) return i;
    return -1;
}

static lbr_status no_flow(lbr_plan *p, int64_t i)
{
    const char *why = lbr_bound_part_missing(&p->setup.sys, i);

    return lbr_fail(&p->message, LBR_EUNFIT, "method '%s' needs the exact flow of part '%s' of system '%s', which is not known%s%s; rk4, midpoint and gauss:s take the whole field",
                    p->flat.name, lbr_bound_part(&p->setup.sys, i)->name, system_name(p), why ? ": " : "", why ? why : "");
}

static lbr_status no_field(lbr_plan *p, int64_t i)
{
    const char *name = lbr_bound_part(&p->setup.sys, i)->name, *why = lbr_bound_part_missing(&p->setup.sys, i);

    return lbr_fail(&p->message, LBR_EUNFIT, "method '%s' needs the field of part '%s' of system '%s', which is not given%s%s; the part's exact flow is taken if '%s' stands alone",
                    p->flat.name, name, system_name(p), why ? ": " : "", why ? why : "", name);
}

static lbr_status parts(lbr_plan *p, lbr_base *b, const lbr_step *s, lbr_program *to)
{
    lbr_setup *set = &p->setup;
    const lbr_parts *all = set->sys.s.parts;
    int64_t n;

    if (!all)
        return lbr_fail(&p->message, LBR_EUNFIT, "method '%s' needs parts with exact flows, but system '%s' has none; for H = T(p) + V(q) stormer-verlet is the same as split(strang)",
                        p->flat.name, system_name(p));
    n = b->nparts ? b->nparts : all->count;
    for (int64_t k = 0; k < n; k++) {
        int64_t j = s->adjoint ? n - 1 - k : k, i = b->nparts ? part_index(p, b->part[j]) : j;

        if (i < 0) return lbr_fail(&p->message, LBR_EUNFIT, "system '%s' has no part '%s'; its first part is '%s'", system_name(p), b->part[j], lbr_bound_part(&set->sys, 0)->name);
        if (b->nparts && b->by[j] && set->sys.s.constraints)
            return lbr_fail(&p->message, LBR_EUNFIT, "system '%s' has constraints, which a step of part '%s' by a method does not keep; rattle does", system_name(p), b->part[j]);
        if (b->nparts && b->by[j]) {
            const lbr_tableau *t = s->adjoint ? b->by_adjoint[j] : b->by[j];

            if (!lbr_bound_part_field(&set->sys, i)) return no_field(p, i);
            push(set, to, atom_index(set, (lbr_atom){ .kind = &lbr_atom_part_step, .index = i, .tableau = t, .adjoint = t != b->by[j], .moves_time = i == all->clock }), s->c);
            continue;
        }
        if (!lbr_bound_part(&set->sys, i)->flow) return no_flow(p, i);
        push(set, to, atom_index(set, (lbr_atom){ .kind = set->sys.s.constraints ? &lbr_atom_manifold_flow : &lbr_atom_flow, .index = i, .moves_time = i == all->clock }), s->c);
    }
    return LBR_OK;
}

/* Two parts by their fields. The time moves with a part, as in a splitting. */
static lbr_status additive(lbr_plan *p, lbr_base *b, const lbr_step *s, lbr_program *to)
{
    lbr_setup *set = &p->setup;
    const lbr_parts *all = set->sys.s.parts;
    lbr_tableau *t = b->tableau, *u = b->second;
    int64_t part[2] = { 0, 0 };

    if (!all) return lbr_fail(&p->message, LBR_EUNFIT, "method '%s' needs parts with fields of their own, but system '%s' has none", p->flat.name, system_name(p));
    for (int k = 0; k < 2; k++) {
        if ((part[k] = part_index(p, b->part[k])) < 0)
            return lbr_fail(&p->message, LBR_EUNFIT, "system '%s' has no part '%s'; its first part is '%s'", system_name(p), b->part[k], lbr_bound_part(&set->sys, 0)->name);
        if (!lbr_bound_part_field(&set->sys, part[k]))
            return lbr_fail(&p->message, LBR_EUNFIT, "method '%s' needs the field of part '%s' of system '%s', which is not known", p->flat.name, b->part[k], system_name(p));
    }
    if (adjoints(p, b, s)) return no_memory(p);
    if (s->adjoint) t = b->adjoint, u = b->second_adjoint;
    push(set, to, atom_index(set, (lbr_atom){ .kind = &lbr_atom_additive, .index = part[0], .other = part[1], .tableau = t, .second = u,
                                              .adjoint = t != b->tableau || u != b->second, .moves_time = part[0] == all->clock || part[1] == all->clock }), s->c);
    return LBR_OK;
}

static lbr_status user_map(lbr_plan *p, lbr_base *b, const lbr_step *s, lbr_program *to)
{
    const lbr_atom_kind *kind = s->adjoint && !b->map->adjoint ? &lbr_atom_inverse : &lbr_atom_map;
    int is_other = s->adjoint && b->map->adjoint != b->map->map;

    push(&p->setup, to, atom_index(&p->setup, (lbr_atom){ .kind = kind, .map = b->map, .adjoint = is_other, .moves_time = 1 }), s->c);
    return LBR_OK;
}

static lbr_status derived(lbr_plan *p, lbr_base *b, const lbr_step *s, lbr_program *to)
{
    const lbr_derived *d = b->derived;
    int adjoint = s->adjoint && !d->tableau;

    if (s->adjoint && d->tableau && !b->mirror) {           /* the adjoint is the map of another tableau */
        lbr_derived *other = lbr_arena_alloc(&p->arena, 1, sizeof *other);

        if (other) *other = *d;
        if (!other || !(other->tableau = lbr_tableau_adjoint(d->tableau, &p->arena)) || !(other->second = lbr_tableau_adjoint(d->second, &p->arena))) return no_memory(p);
        b->mirror = other->tableau == d->tableau ? d : other;
    }
    if (s->adjoint && d->tableau) d = b->mirror;
    push(&p->setup, to, atom_index(&p->setup, (lbr_atom){ .kind = d->kind, .derived = d, .adjoint = adjoint, .moves_time = 1 }), s->c);
    return LBR_OK;
}

static lbr_status program(lbr_plan *p, lbr_steps steps, lbr_program *out);

/* The steps inside, or their adjoints, as a program of their own; a symmetric projection of the adjoint is the adjoint of the projection. */
static lbr_status projected(lbr_plan *p, lbr_base *b, const lbr_step *s, lbr_program *to)
{
    int back = s->adjoint && b->projection->symmetric;
    lbr_projected *x = (lbr_projected *)b->projected[back];
    lbr_steps inner = { .n = b->inner.n };
    lbr_status status;

    if (s->adjoint && (!b->projection->symmetric || (b->projection->at == LBR_AT_START && !b->projection->local)))
        return lbr_fail(&p->message, LBR_EUNFIT, "method '%s' needs the adjoint of %s, which is not known; symmetric ones have one", p->flat.name,
                        b->projection->symmetric ? "a projection with 'at = start'" : b->projection->local ? "standard local coordinates" :
                        b->inner.n ? "a standard projection" : "a projection when one looks");
    if (!x) {
        if (!(x = lbr_arena_alloc(&p->arena, 1, sizeof *x)) || !(inner.step = lbr_arena_alloc(&p->arena, inner.n, sizeof *inner.step))) return no_memory(p);
        for (int64_t i = 0; i < inner.n; i++) inner.step[i] = b->inner.step[back ? inner.n - 1 - i : i], inner.step[i].adjoint ^= back;
        x->how = b->projection;
        if ((status = program(p, inner, &x->inner))) return status;
        b->projected[back] = x;
    }
    push(&p->setup, to, atom_index(&p->setup, (lbr_atom){ .kind = b->projection->local ? &lbr_atom_local : &lbr_atom_projected, .projected = x, .adjoint = back, .moves_time = x->inner.n > 0 }), s->c);
    return LBR_OK;
}

/* --- programs ------------------------------------------------------------------------------------------------ */

static lbr_status (*const bind_base[])(lbr_plan *, lbr_base *, const lbr_step *, lbr_program *) = {
    [LBR_BASE_EULER] = euler, [LBR_BASE_PARTS] = parts, [LBR_BASE_RUNGE_KUTTA] = runge_kutta, [LBR_BASE_MAP] = user_map, [LBR_BASE_PAIR] = pair, [LBR_BASE_ADDITIVE] = additive, [LBR_BASE_DERIVED] = derived, [LBR_BASE_NYSTROM] = nystrom, [LBR_BASE_PROJECTED] = projected, [LBR_BASE_RIGID] = rigid,
};

/* The most terms that one step becomes. */
static int64_t widest(const lbr_plan *p)
{
    int64_t n = 7;                                   /* kicks and turns of a rigid body */

    for (int64_t i = 0; i < p->flat.nbases; i++) {
        const lbr_base *b = &p->flat.base[i];

        if (b->nparts > n) n = b->nparts;
        if (b->second && b->second->s <= PAIR_FLOWS && 2 * b->second->s > n) n = 2 * b->second->s;
    }
    if (p->setup.sys.s.parts && p->setup.sys.s.parts->count > n) n = p->setup.sys.s.parts->count;
    return n;
}

/* Methods that know nothing of constraints leave them. */
static lbr_status keeps(lbr_plan *p, const lbr_base *b)
{
    const lbr_method *row = p->flat.is_row ? &p->flat.claims : NULL;

    if (!p->setup.sys.s.constraints || b->kind == LBR_BASE_PAIR || b->kind == LBR_BASE_PARTS || b->kind == LBR_BASE_MAP || b->kind == LBR_BASE_PROJECTED || (b->derived && b->derived->kind == &lbr_atom_shake)) return LBR_OK;
    if (row && row->form == LBR_COMPOSITION)
        return lbr_fail(&p->message, LBR_EUNFIT, "method '%s' over its own map does not keep the constraints of system '%s'; write compose(%s, rattle)", p->flat.name, system_name(p), p->flat.name);
    return lbr_fail(&p->message, LBR_EUNFIT, "method '%s' does not keep the constraints of system '%s'; rattle, lobatto-3a-3b:s, constrained-euler and compose(TABLE, rattle) do", p->flat.name, system_name(p));
}

static lbr_status program(lbr_plan *p, lbr_steps steps, lbr_program *out)
{
    lbr_dd time = dd(0);

    if (!(out->term = lbr_arena_alloc(&p->arena, steps.n * widest(p) + 1, sizeof *out->term))) return no_memory(p);
    for (int64_t i = 0; i < steps.n; i++) {
        lbr_base *b = &p->flat.base[steps.step[i].base];
        lbr_status status = keeps(p, b);

        if (status || (status = bind_base[b->kind](p, b, &steps.step[i], out))) return status;
    }
    for (int64_t i = 0; i < out->n; i++) {
        out->term[i].time = time;
        if (p->setup.atom[out->term[i].atom].moves_time) time = dd_add(time, out->term[i].c);
    }
    return LBR_OK;
}

lbr_status lbr_bind(lbr_plan *p)
{
    lbr_setup *set = &p->setup;
    lbr_status status;
    size_t k = 0;

    if ((p->flat.reduced || (p->flat.projected && set->sys.s.constraints && lbr_reducible(&p->flat))) && (status = lbr_reduce(p))) return status;
    if (set->sys.s.constraints && (status = lbr_multipliers_make(set, &p->message))) return status;
    if (!(set->atom = lbr_arena_alloc(&p->arena, 2 * p->flat.nbases * widest(p), sizeof *set->atom))) return no_memory(p);
    if ((status = program(p, p->flat.pre, &set->pre)) || (status = program(p, p->flat.kernel, &set->kernel))
        || (status = program(p, p->flat.post, &set->post))) return status;
    if (set->kernel.n == 0) return lbr_fail(&p->message, LBR_EMETHOD, "method '%s' does nothing: all its steps are zero", p->flat.name);
    for (int64_t i = 0; i < set->natoms; i++)
        if ((status = set->atom[i].kind->build(set, &set->atom[i], &p->message))) return status;
    while (!steppers[k]->takes(set)) k++;
    set->stepper = steppers[k];
    return set->stepper->build(set, &p->message);
}
