/* pair.c - partitioned Runge-Kutta methods: one tableau for positions, one for momenta (HLW II.2).
 * SPDX-License-Identifier: BSD-3-Clause */
#include "shared.h"
#include "stepper/body_steps.h"
#include "stepper/constrained_pair.h"
#include "stepper/prk.h"

#include <math.h>

enum { PAIR_FLOWS = 64 }; /* stages up to which a pair may turn out to be kicks and drifts */

/* --- in method expressions --------------------------------------------------------------------------------------- */

lbr_status lbr_pair_flatten(lbr_flattening *c, const lbr_method *claims, const lbr_numbers *x, lbr_whole *out)
{
    lbr_base base = { .kind = x->kind,
                      .claims = *claims,
                      .tableau = lbr_flatten_new_tableau(c, x->s, x->A, x->b, x->c),
                      .second = lbr_flatten_new_tableau(c, x->s, x->A2, x->b2, x->c2) };

    return base.tableau && base.second ? lbr_flatten_base(c, base, &out->kernel) : lbr_flatten_no_memory(c);
}

static lbr_status pair(lbr_flattening *c, lbr_expr *e, lbr_whole *out)
{
    lbr_base base = { .kind = lbr_kind_find("pair"),
                      .claims = { LBR_SIZED, .name = e->name, .family = "partitioned", .source = "HLW II.2.2",
                                  .about = "one tableau for positions, one for momenta" } };
    lbr_status status;

    if (e->nargs != 2) return lbr_flatten_misused(c, e);
    return (status = lbr_flatten_two_tableaux(c, e, &base)) ? status : lbr_flatten_base(c, base, &out->kernel);
}

static lbr_status hager(lbr_flattening *c, lbr_expr *e, lbr_whole *out)
{
    lbr_base base = { .kind = lbr_kind_find("pair"),
                      .claims = { LBR_SIZED, .name = e->name, .family = "partitioned",
                                  .source = "HLW VI.10.6 (Hager 2000)",
                                  .about = "a tableau and its symplectic partner" } };
    lbr_status status;

    if (e->nargs != 1 || e->arg[0]->key) return lbr_flatten_misused(c, e);
    if ((status = lbr_flatten_one_tableau(c, e->name, e->arg[0], &base.tableau))) return status;
    if ((status = lbr_tableau_partner(base.tableau, e->arg[0]->name, &base.second, c->arena, c->m))) return status;
    return lbr_flatten_base(c, base, &out->kernel);
}

/* --- of a system ------------------------------------------------------------------------------------------------- */

/* Where the system has T(p) + V(q), an explicit symplectic pair is kicks and drifts (HLW VI.4.7); 0: it is not, or has
 * too many stages to ask. */
static int as_flows(lbr_plan *p, const lbr_tableau *q, const lbr_tableau *v, lbr_dd c, lbr_program *to)
{
    int64_t order[4 * PAIR_FLOWS],
        s = q->s, n = p->setup.sys.separable && s <= PAIR_FLOWS ? lbr_pair_flows(s, q->A, q->b, v->A, v->b, order) : 0;
    int32_t kick, drift;

    if (!n) return 0;
    kick = lbr_bind_atom(p, (lbr_atom){ .kind = &lbr_atom_kick });
    drift = lbr_bind_atom(p, (lbr_atom){ .kind = &lbr_atom_drift, .moves_time = 1 });
    for (int64_t k = 0; k < n; k++)
        lbr_bind_push(p, to, order[k] < s ? drift : kick,
                      dd_mul(order[k] < s ? q->b[order[k]] : v->b[order[k] - s], c));
    return 1;
}

/* RATTLE, and constrained Euler, on SO(3): forces by the weights of two stages, the discrete Moser-Veselov equations
 * between them. */
static lbr_status rigid_pair(lbr_plan *p, const lbr_tableau *q, const lbr_tableau *v, lbr_dd c, lbr_program *to)
{
    lbr_status status = lbr_rigid_make(&p->setup, &p->message);

    if (status) return status;
    if (q->s != 2 || v->A[1].hi != 0 || v->A[3].hi != 0)
        return lbr_bind_no_bodies(p, "does not know the rigid bodies of");
    lbr_bind_body(p, &lbr_atom_body_kick, 0, 0, dd_mul(v->b[0], c), to);
    lbr_bind_body(p, &lbr_atom_veselov, 0, 1, c, to);
    return lbr_bind_body(p, &lbr_atom_body_kick, 0, 0, dd_mul(v->b[1], c), to);
}

/* The same sentence as without a plan, and which pairs do. */
static lbr_status keeps(lbr_plan *p, const lbr_tableau *q, const lbr_tableau *v)
{
    lbr_message lacks;
    lbr_constrained_tableaux jay;
    lbr_status status = lbr_constrained_tableaux_make(&jay, q, v, &p->arena, &lacks);
    char some[LBR_OFFERED];

    if (status != LBR_EUNFIT) return status ? lbr_bind_no_memory(p) : LBR_OK;
    return lbr_fail(&p->message, status, LBR_JAY_LACKS "; %s do", lacks.text,
                    lbr_kinds_offer(LBR_OFFERS_CONSTRAINTS, some));
}

/* Both tableaux forth, or both adjoints. */
lbr_status lbr_pair_bind(lbr_plan *p, lbr_base *b, const lbr_step *s, lbr_program *to)
{
    const lbr_bound *sys = &p->setup.sys;
    const lbr_tableau *q = b->tableau, *v = b->second;
    lbr_status status;
    lbr_atom atom = { .kind = sys->s.constraints ? &lbr_atom_constrained : &lbr_atom_runge_kutta, .moves_time = 1 };

    if (lbr_bind_adjoints(p, b, s)) return lbr_bind_no_memory(p);
    if (s->adjoint) q = b->adjoint, v = b->second_adjoint;
    if (sys->s.bodies) return rigid_pair(p, q, v, s->c, to);
    if (lbr_has_rotations(&sys->s)) return lbr_bind_no_bodies(p, lbr_other_bodies);
    if (!sys->partitioned)
        return lbr_fail(&p->message, LBR_EUNFIT,
                        "method '%s' treats positions and momenta differently (it needs nq, with force and "
                        "inverse_mass or velocity, or with dHdq and dHdp, or with field), but system '%s' %s%s",
                        p->flat.name, lbr_bind_system(p), lbr_bound_lacks(sys),
                        sys->field ? "; rk4, midpoint and gauss:s fit any field" : "");
    if (!sys->s.constraints && as_flows(p, q, v, s->c, to)) return LBR_OK;
    if (sys->s.constraints && (status = keeps(p, q, v))) return status;
    atom.tableau = q, atom.second = v, atom.adjoint = q != b->tableau || v != b->second;
    lbr_bind_step(p, to, atom, s->c);
    return LBR_OK;
}

/* Kicks and drifts; three of a rigid body. */
int64_t lbr_pair_terms(const lbr_base *b, const lbr_system *system)
{
    (void)system;
    return b->second->s < 2 ? 3 : b->second->s <= PAIR_FLOWS ? 2 * b->second->s : 3;
}

static int field_alone(const lbr_base *b) { return (void)b, 1; }

/* --- what is true of it ------------------------------------------------------------------------------------------ */

lbr_status lbr_pair_describe(const lbr_flat *f, lbr_arena *arena, lbr_method_info *i, lbr_message *m)
{
    return lbr_describe_pair(f, 1, arena, i, m);
}

lbr_status lbr_pair_analyse(lbr_base *b, int adjoint, lbr_arena *arena, lbr_analysis *out, lbr_message *m)
{
    return lbr_analyse_two_tableaux(b, 0, adjoint, arena, out, m);
}

lbr_status lbr_pair_together(const lbr_sequence *l, lbr_base *b, lbr_arena *arena, lbr_analysis *out, lbr_message *m)
{
    return lbr_analyse_two_together(l, b, 0, arena, out, m);
}

static double larger(double a, lbr_dd x) { return fmax(a, fabs(x.hi)); }

/* The largest |x_i,j| of column j. */
static double column(const lbr_tableau *v, int64_t j)
{
    double most = 0;

    for (int64_t i = 0; i < v->s; i++) most = larger(most, v->A[i * v->s + j]);
    return most;
}

/* How well a_1j = 0, a_sj = b_j, the same weights and a^_is = 0 hold (Hairer 2003, (2.10); there A and A^ have each
 * other's names). For implicit Euler, whose multipliers act at stages 2..s, it is a^_i1 = 0. */
static double residual(const lbr_tableau *q, const lbr_tableau *v)
{
    int64_t s = q->s;
    double most = fmin(column(v, s - 1), column(v, 0));

    for (int64_t j = 0; j < s; j++) {
        most = larger(most, q->A[j]);
        most = larger(most, dd_sub(q->A[(s - 1) * s + j], q->b[j]));
        most = larger(most, dd_sub(q->b[j], v->b[j]));
    }
    return most;
}

static lbr_status one(const lbr_tableau *q, const lbr_tableau *v, double tolerance, lbr_arena *arena, lbr_finding *out,
                      lbr_message *m)
{
    lbr_message lacks;
    lbr_constrained_tableaux jay;
    lbr_status status = q && v ? lbr_constrained_tableaux_make(&jay, q, v, arena, &lacks) : LBR_ENOMEM;

    if (status == LBR_EUNFIT) return *out = lbr_found_told(0, lacks.text), LBR_OK;
    if (status) return lbr_fail(m, LBR_ENOMEM, "out of memory while certifying");
    *out = lbr_found_small(residual(q, v), tolerance,
                           "a_1j = 0, a_sj = b_j, a^_is = 0, A A^ invertible (Hairer 2003, 2.10)");
    return LBR_OK;
}

lbr_status lbr_pair_constraints(const lbr_flat *f, double tolerance, lbr_arena *arena, lbr_finding *out, lbr_message *m)
{
    lbr_base *b = f->base;
    int forth = 0, back = 0;
    lbr_status status = LBR_OK;

    for (int64_t k = 0; k < f->kernel.n; k++) *(f->kernel.step[k].adjoint ? &back : &forth) = 1;
    if (back)
        status = one(lbr_tableau_adjoint(b->tableau, arena), lbr_tableau_adjoint(b->second, arena), tolerance, arena,
                     out, m);
    if (!status && forth && (!back || out->value > 0)) status = one(b->tableau, b->second, tolerance, arena, out, m);
    return status;
}

static const lbr_operator operators[] = { { .name = "pair",
                                            .run = pair,
                                            .use = "pair(M, N) with two Runge-Kutta methods, M for positions, N for "
                                                   "momenta, such as pair(lobatto-3a:3, lobatto-3b:3)" },
                                          { .name = "hager",
                                            .run = hager,
                                            .use = "hager(M) with a Runge-Kutta method, such as hager(rk4): M for "
                                                   "positions and its symplectic partner for momenta" },
                                          { .name = NULL } };

static const char *const offers[] = { "lobatto-3a-3b:s", NULL };

const lbr_kind lbr_kind_pair[] = { { .name = "pair",
                                     .operators = operators,
                                     .type = LBR_MAP,
                                     .flatten = lbr_pair_flatten,
                                     .self_adjoint = lbr_tableaux_self_adjoint,
                                     .needs = "partition",
                                     .explicitness = "separable",
                                     .describe = lbr_pair_describe,
                                     .cost = lbr_tableaux_cost,
                                     .bind = lbr_pair_bind,
                                     .terms = lbr_pair_terms,
                                     .field_alone = field_alone,
                                     .takes_constraints = 1,
                                     .offers = { [LBR_OFFERS_CONSTRAINTS] = offers },
                                     .analyse_one = lbr_pair_analyse,
                                     .analyse_together = lbr_pair_together,
                                     .constraints = lbr_pair_constraints },
                                   { .name = NULL } };
