/* bind.c - steps of basic maps become atoms of this system; neighbours that are flows of the same part merge.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kind.h"
#include "stepper/multipliers.h"

#include <math.h>

/* Coefficients of a processor that add up to less than this add up to nothing. */
#define NO_TIME 1e-20

#define ADDRESS(name) &lbr_stepper_##name,
static const lbr_stepper *const steppers[] = { LBR_STEPPERS(ADDRESS) };

lbr_status lbr_bind_no_memory(lbr_plan *p) { return lbr_fail(&p->message, LBR_ENOMEM, "out of memory for the plan"); }

const char *lbr_bind_system(const lbr_plan *p) { return p->setup.sys.s.name ? p->setup.sys.s.name : "without a name"; }

/* --- atoms ------------------------------------------------------------------------------------------------------- */

int32_t lbr_bind_atom(lbr_plan *p, lbr_atom a)
{
    lbr_setup *set = &p->setup;

    for (int64_t i = 0; i < set->natoms; i++) {
        const lbr_atom *b = &set->atom[i];
        if (a.kind == b->kind && a.index == b->index && a.other == b->other && a.tableau == b->tableau &&
            a.second == b->second && a.data == b->data && a.adjoint == b->adjoint)
            return (int32_t)i;
    }
    set->atom[set->natoms] = a;
    return (int32_t)set->natoms++;
}

/* A step of nothing is dropped. */
void lbr_bind_push(lbr_plan *p, lbr_program *to, int32_t atom, lbr_dd c)
{
    lbr_term *last = to->n > 0 ? &to->term[to->n - 1] : NULL;

    if (last && last->atom == atom && p->setup.atom[atom].kind->flow) last->c = dd_add(last->c, c);
    else to->term[to->n++] = (lbr_term){ .atom = atom, .c = c };
    last = &to->term[to->n - 1];
    if (fabs(last->c.hi) < 1e-28) to->n--;
}

void lbr_bind_step(lbr_plan *p, lbr_program *to, lbr_atom a, lbr_dd c) { lbr_bind_push(p, to, lbr_bind_atom(p, a), c); }

int lbr_bind_adjoints(lbr_plan *p, lbr_base *b, const lbr_step *s)
{
    if (!s->adjoint || b->adjoint) return 0;
    if (!(b->adjoint = lbr_tableau_adjoint(b->tableau, &p->arena))) return -1;
    return b->second && !(b->second_adjoint = lbr_tableau_adjoint(b->second, &p->arena)) ? -1 : 0;
}

/* One step of a basic map. */
static lbr_status bind(lbr_plan *p, lbr_base *b, const lbr_step *s, lbr_program *to)
{
    if (b->kind->bind) return b->kind->bind(p, b, s, to);
    lbr_bind_step(p, to, (lbr_atom){ .kind = b->kind->atom, .data = b->own, .adjoint = s->adjoint, .moves_time = 1 },
                  s->c);
    return LBR_OK;
}

/* --- programs ---------------------------------------------------------------------------------------------------- */

/* The most terms that one step becomes. */
static int64_t widest(const lbr_plan *p)
{
    int64_t most = 1;

    for (int64_t i = 0; i < p->flat.nbases; i++) {
        const lbr_base *b = &p->flat.base[i];
        int64_t n = b->kind->terms ? b->kind->terms(b, &p->setup.sys.s) : 1;

        if (n > most) most = n;
    }
    return most;
}

/* Methods that know nothing of constraints leave them. */
static lbr_status keeps(lbr_plan *p, const lbr_base *b)
{
    char some[LBR_OFFERED];

    if (!p->setup.sys.s.constraints || b->kind->takes_constraints) return LBR_OK;
    if (p->flat.is_row && p->flat.numbers.kind->table & LBR_COMPOSES)
        return lbr_fail(
            &p->message, LBR_EUNFIT,
            "method '%s' over its own map does not keep the constraints of system '%s'; write compose(%s, %s)",
            p->flat.name, lbr_bind_system(p), p->flat.name, lbr_kinds_offer_first(LBR_OFFERS_CONSTRAINTS));
    return lbr_fail(&p->message, LBR_EUNFIT, "method '%s' does not keep the constraints of system '%s'; %s do",
                    p->flat.name, lbr_bind_system(p), lbr_kinds_offer(LBR_OFFERS_CONSTRAINTS, some));
}

lbr_status lbr_bind_program(lbr_plan *p, lbr_steps steps, lbr_dd time, lbr_program *out)
{
    if (!(out->term = lbr_arena_alloc(&p->arena, steps.n * widest(p) + 1, sizeof *out->term)))
        return lbr_bind_no_memory(p);
    for (int64_t i = 0; i < steps.n; i++) {
        lbr_base *b = &p->flat.base[steps.step[i].base];
        lbr_status status = keeps(p, b);

        if (status || (status = bind(p, b, &steps.step[i], out))) return status;
    }
    out->begin = time;
    for (int64_t i = 0; i < out->n; i++) {
        out->term[i].time = time;
        if (p->setup.atom[out->term[i].atom].moves_time) time = dd_add(time, out->term[i].c);
    }
    out->end = fabs(time.hi) < NO_TIME ? dd(0) : time;
    return LBR_OK;
}

/* What comes before the first step, the step, what comes after the last one. Whatever moves the state on in time moves
 * the clock on: steps begin where the first of these ends, and so does the last one. */
static lbr_status bind_all(lbr_plan *p)
{
    lbr_setup *set = &p->setup;
    lbr_status status;

    if ((status = lbr_bind_program(p, p->flat.pre, dd(0), &set->pre))) return status;
    if ((status = lbr_bind_program(p, p->flat.kernel, set->pre.end, &set->kernel))) return status;
    return lbr_bind_program(p, p->flat.post, set->pre.end, &set->post);
}

/* That of a kind whose steps these are; else the first that takes them: the last one takes all. */
static const lbr_stepper *stepper_of(const lbr_plan *p)
{
    size_t k = 0;

    if (p->setup.extended) return &lbr_stepper_extended;
    for (int64_t i = 0; i < p->flat.nbases; i++) {
        const lbr_stepper *own = p->flat.base[i].kind->stepper;

        if (own && own->takes(&p->setup)) return own;
    }
    while (!steppers[k]->takes(&p->setup)) k++;
    return steppers[k];
}

static lbr_status prepare(lbr_plan *p)
{
    lbr_status status = LBR_OK;

    for (int i = 0; i < p->flat.naround && !status; i++)
        if (p->flat.around[i]->prepare) status = p->flat.around[i]->prepare(p);
    return status;
}

lbr_status lbr_bind(lbr_plan *p)
{
    lbr_setup *set = &p->setup;
    lbr_status status;

    if ((status = prepare(p))) return status;
    if (set->sys.s.constraints && (status = lbr_multipliers_make(set, &p->message))) return status;
    if (!(set->atom = lbr_arena_alloc(&p->arena, 2 * p->flat.nbases * widest(p), sizeof *set->atom)))
        return lbr_bind_no_memory(p);
    if ((status = bind_all(p))) return status;
    if (set->kernel.n == 0)
        return lbr_fail(&p->message, LBR_EMETHOD, "method '%s' does nothing: all its steps are zero", p->flat.name);
    for (int64_t i = 0; i < set->natoms && !set->extended; i++)
        if ((status = set->atom[i].kind->build(set, &set->atom[i], &p->message))) return status;
    set->stepper = stepper_of(p);
    set->low = set->compensated || set->extended ? set->sys.s.dim : 0;
    return set->stepper->build(set, &p->message);
}
