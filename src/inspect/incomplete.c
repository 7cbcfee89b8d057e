/* incomplete.c - what is given by half: structs that lack a function, defaults that no run could begin with.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "inspect.h"
#include "core/prolong_inside.h"

/* --- structs ----------------------------------------------------------------------------------------------------- */

/* A prolonged system has constraints of its own kind. */
static int64_t odd_constraints(const lbr_inspection *z)
{
    const lbr_constraints *c = &z->constraints;

    return c->size && (!(c->g && c->G && c->m > 0) || lbr_prolonged_of(&z->b.s));
}

static void constraints(lbr_inspection *z, int64_t k)
{
    (void)k;
    if (lbr_prolonged_of(&z->b.s))
        lbr_inspect_say(z, -1, "those of a prolonged system are made of those that it prolongs");
    else lbr_inspect_say(z, 0, "constraints lack their number m, g or G");
}

static int64_t odd_manifold(const lbr_inspection *z)
{
    return z->manifold.size && !(z->manifold.g && z->manifold.m > 0);
}

static void manifold(lbr_inspection *z, int64_t k)
{
    (void)k, lbr_inspect_say(z, 0, "the manifold lacks its number m or g");
}

static int64_t odd_poisson(const lbr_inspection *z)
{
    return z->poisson.size && !(z->poisson.gradient && z->poisson.structure);
}

static void poisson(lbr_inspection *z, int64_t k)
{
    (void)k, lbr_inspect_say(z, 0, "it lacks %s",
                             z->poisson.gradient    ? "structure"
                             : z->poisson.structure ? "gradient"
                                                    : "gradient and structure");
}

static int64_t odd_lagrangian(const lbr_inspection *z)
{
    const lbr_lagrangian *L = &z->lagrangian;

    return L->size && (!L->dLdq != !L->dLdv || !L->D1 != !L->D2 || (!L->dLdq && !L->D1) || z->b.s.nq < 1);
}

static void lagrangian(lbr_inspection *z, int64_t k)
{
    const lbr_lagrangian *L = &z->lagrangian;

    (void)k;
    if (z->b.s.nq < 1) lbr_inspect_say(z, 0, "it needs positions, and the system's nq is 0");
    else if (!L->dLdq != !L->dLdv) lbr_inspect_say(z, 0, "it lacks %s", L->dLdq ? "dLdv" : "dLdq");
    else if (!L->D1 != !L->D2) lbr_inspect_say(z, 0, "it lacks %s", L->D1 ? "D2" : "D1");
    else lbr_inspect_say(z, 0, "it lacks its derivatives, dLdq and dLdv, or D1 and D2");
}

/* --- defaults ---------------------------------------------------------------------------------------------------- */

static int64_t odd_step(const lbr_inspection *z) { return !isfinite(z->defaults.step); }
static void step(lbr_inspection *z, int64_t k)
{
    (void)k, lbr_inspect_say(z, 0, "the step is %g; it must be finite, and 0 where there is none", z->defaults.step);
}

static int64_t odd_steps(const lbr_inspection *z) { return z->defaults.steps < 0; }
static void steps(lbr_inspection *z, int64_t k)
{
    (void)k, lbr_inspect_say(z, 0, "%lld steps; it must be 0 or more", (long long)z->defaults.steps);
}

const lbr_inspector lbr_inspect_incomplete[] = {
    { "constraints", "", odd_constraints, NULL, constraints, LBR_ONLY_THERE },
    { "manifold", "", odd_manifold, NULL, manifold, LBR_ONLY_THERE },
    { "poisson", "", odd_poisson, NULL, poisson, LBR_ONLY_THERE },
    { "lagrangian", "", odd_lagrangian, NULL, lagrangian, LBR_ONLY_THERE },
    { "defaults.step", "", odd_step, NULL, step, LBR_ONLY_THERE },
    { "defaults.steps", "", odd_steps, NULL, steps, LBR_ONLY_THERE },
    { 0 },
};
