/* reduced.c - methods on the differential equation under a system with constraints.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 *     q' = H_p,   p' = -H_q - G(q)^T lambda(q, p)                                                        (HLW VII.1.18)
 *
 * with the multipliers of (VII.1.11). Its solutions stay on the manifold, methods for it do not, and off the manifold
 * it is not Hamiltonian: what methods for constraints are compared with. */
#include "shared.h"
#include "stepper/multipliers.h"

#include <string.h>

enum { ROOM = 4096 }; /* doubles on the stack: plans are shared by threads, and a field has no other room */

typedef struct reduced {
    lbr_bound sys;
    const lbr_multipliers *mu;
} reduced;

static int fits(const lbr_base *b) { return b->kind->field_alone && b->kind->field_alone(b); }

int lbr_reducible(const lbr_flat *f)
{
    for (int64_t i = 0; i < f->nbases; i++)
        if (!fits(&f->base[i])) return 0;
    return 1;
}

static lbr_status run(lbr_flattening *c, lbr_expr *e, lbr_whole *out)
{
    lbr_status status;

    if (e->nargs != 1 || e->arg[0]->key) return lbr_flatten_misused(c, e);
    if ((status = lbr_flatten_operand(c, e->arg[0], &out->kernel))) return status;
    for (int64_t i = 0; i < out->kernel.n; i++)
        if (!fits(&c->flat->base[out->kernel.step[i].base]))
            return lbr_fail(c->m, LBR_EMETHOD,
                            "'reduced' takes methods that need a field alone, with no constraints and no parts: "
                            "Runge-Kutta methods, pairs, symplectic Euler and their compositions; '%s' is not one",
                            e->arg[0]->name);
    return lbr_flatten_around(c, lbr_kind_find("reduced"));
}

static int field(double t, const double *y, double *out, void *ctx)
{
    const reduced *r = ctx;
    double room[ROOM], *lambda;
    lbr_stats stats = { 0 };
    lbr_message message;
    lbr_point at;

    lambda = lbr_point_place(r->mu, &at, room);
    if (lbr_point_multipliers(r->mu, &at, &stats, t, y, lambda, &message)) return 1;
    memcpy(out, at.u, (size_t)(2 * r->mu->nq) * sizeof *out); /* H_p and -H_q are left there */
    lbr_constraint_force(r->mu, at.G, lambda, -1, out + r->mu->nq);
    return 0;
}

static lbr_status unfit(lbr_plan *p, const char *why)
{
    return lbr_fail(&p->message, LBR_EUNFIT,
                    "method '%s' eliminates the multipliers of constraints, and system '%s' %s", p->flat.name,
                    lbr_bind_system(p), why);
}

/* The same system to look at, but without anything that knows more than the field. */
static void replace(lbr_bound *b, reduced *r)
{
    lbr_system *s = &b->s;

    s->field = s->force = s->velocity = s->dHdq = s->dHdp = NULL, s->inverse_mass = NULL;
    s->jacobian = NULL, s->field_jvp = s->force_jvp = s->hessian_vec = NULL, s->field_block = s->force_block = NULL,
    s->third = NULL;
    s->constraints = NULL, s->parts = NULL, s->lagrangian = NULL, s->inside = NULL;
    b->separable = 0, b->partitioned = 1, b->drift = LBR_DRIFT_VELOCITY;
    b->field = field, b->ctx = r, b->fields = 1, b->forces = b->gradients = 0;
}

lbr_status lbr_reduce(lbr_plan *p)
{
    lbr_setup *set = &p->setup;
    reduced *r;
    lbr_status status;

    if (!lbr_reducible(&p->flat))
        return lbr_fail(
            &p->message, LBR_EMETHOD,
            "method '%s' mixes steps on the constraints with steps of 'reduced', which know nothing of them",
            p->flat.name);
    if (!set->sys.s.constraints) return unfit(p, "has none; write the method alone");
    if (!(r = lbr_arena_alloc(&p->arena, 1, sizeof *r)))
        return lbr_fail(&p->message, LBR_ENOMEM, "out of memory for the plan");
    if ((status = lbr_multipliers_make(set, &p->message)) ||
        (status = lbr_bound_init(&r->sys, &set->sys.s, &p->message)))
        return status;
    if (lbr_point_size(set->multipliers) + set->multipliers->m > ROOM)
        return unfit(p, "is too large for it: it is for examples, and rattle and lobatto-3a-3b:s take any size");
    if (set->multipliers->base) return unfit(p, "is prolonged, which it does not know");
    set->multipliers->sys = &r->sys;
    r->mu = set->multipliers;
    replace(&set->sys, r);
    return LBR_OK;
}

/* --- what is true of it ------------------------------------------------------------------------------------------ */

static lbr_status inside(const lbr_flat *f, lbr_flat *inner, lbr_arena *arena, lbr_message *m)
{
    (void)f, (void)inner, (void)arena, (void)m;
    return LBR_OK;
}

/* The equation under constraints is not Hamiltonian off the manifold and not T(p) + V(q): what is known of any field is
 * left. */
static lbr_status analyse(const lbr_flat *f, double tolerance, lbr_arena *arena, lbr_analysis *a, lbr_message *m)
{
    static const lbr_finding none = { .value = -1, .by = "theorem" };
    lbr_flat inner;
    lbr_status status;

    if ((status = lbr_flat_inside(f, &inner, arena, m)) || (status = lbr_analyse(&inner, tolerance, arena, a, m)))
        return status;
    a->order_again = a->quadratic = a->near = a->separable = a->symplectic_separable = a->conjugate = a->volume = none;
    a->symplectic = lbr_found_told(
        0, "the equation without multipliers is not Hamiltonian off the manifold (HLW VII.1.18)");
    a->constraints = lbr_found_told(0, "multipliers are eliminated, and numerical solutions drift off (HLW VII.1.18)");
    a->digits = lbr_found_digits(a);
    return LBR_OK;
}

static lbr_status describe(const lbr_flat *f, lbr_arena *arena, lbr_method_info *i, lbr_message *m)
{
    (void)f, (void)arena, (void)m;
    i->needs = "constraints", i->explicitness = strcmp(i->explicitness, "always") ? "never" : "always";
    i->symplectic = 0, i->order_quadratic = i->order, i->order_near = "", i->conjugate_symplectic = -1,
    i->volume_preserving = "", i->constraints = 0;
    return LBR_OK;
}

static const lbr_operator operators[] = { { .name = "reduced",
                                            .run = run,
                                            .keeps = 1,
                                            .use = "reduced(METHOD) with a method for fields, such as reduced(rk4): "
                                                   "constraints are differentiated and their multipliers eliminated" },
                                          { .name = NULL } };

const lbr_kind lbr_kind_reduced[] = { { .name = "reduced",
                                        .operators = operators,
                                        .prepare = lbr_reduce,
                                        .inside = inside,
                                        .analyse_around = analyse,
                                        .describe_around = describe },
                                      { .name = NULL } };
