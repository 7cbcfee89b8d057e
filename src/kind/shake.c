/* shake.c - SHAKE: Stormer's two-step formula with constraints. SPDX-License-Identifier: BSD-3-Clause
 *
 *     q_{n+1} - 2 q_n + q_{n-1} = -h^2 M^-1 (V_q(q_n) + G(q_n)^T L_n),   g(q_{n+1}) = 0,
 *     p_n = M (q_{n+1} - q_{n-1})/2h                                     (HLW VII.1.23)
 *
 * With the momenta ph = M (q_{n+1} - q_n)/h between: ph <- ph - h (V_q + G^T L), q <- q + h M^-1 ph. Positions are
 * those of RATTLE; momenta are not brought onto the manifold, and need the next position: reading makes half of the
 * next step. State: q, ph (p before the first step), L. */
#include "plan/kind.h"
#include "series/analyse.h"
#include "solve/solve.h"
#include "stepper/multipliers.h"

#include <math.h>
#include <string.h>

typedef struct step {
    lbr_work *w;
    const lbr_multipliers *mu;
    lbr_point at;
    double *F, *kick, *q1, *r, *L; /* force; h (F - G^T L), or half of it; new positions; residuals */
    const double *q, *p;
} step;

static lbr_status failed(step *z, const char *what)
{
    return lbr_fail(&z->w->message, LBR_ECALLBACK, "%s reported a failure", what);
}

/* kick = h by (F - G^T L) and q1 = q + h M^-1 (p + kick) with g(q1) = 0. */
static lbr_status kick(step *z, double t, double by)
{
    const lbr_multipliers *mu = z->mu;
    lbr_stats *stats = &z->w->head->stats;
    double h = z->w->head->h;
    lbr_iteration i = lbr_residuals_begin();
    lbr_course verdict;
    int64_t most = z->w->setup->max_iterations, k;
    lbr_status status;

    stats->force++;
    if (mu->sys->s.force(t, z->q, z->F, mu->sys->s.ctx)) return failed(z, "the force");
    if (lbr_constraint_G(mu, stats, t, z->q, z->at.G)) return failed(z, "the constraints' Jacobian");
    if ((status = lbr_point_factor(mu, &z->at, stats, t, z->q, &z->w->message))) return status;
    for (k = 1; k <= most; k++) {
        for (int64_t j = 0; j < mu->nq; j++) z->kick[j] = h * by * z->F[j];
        lbr_constraint_force(mu, z->at.G, z->L, -h * by, z->kick);
        for (int64_t j = 0; j < mu->nq; j++) z->q1[j] = z->q[j] + h * (mu->mass[j] * (z->p[j] + z->kick[j]));
        if (lbr_constraint_g(mu, stats, t + h, z->q1, z->r)) return failed(z, "a constraint");
        verdict = lbr_iteration_next(&i, lbr_constraint_scaled(mu, z->at.G, z->q1, z->r));
        lbr_count_iterations(stats, 1, k);
        if (verdict == LBR_IS_SETTLED) return LBR_OK;
        if (verdict == LBR_RUNS_AWAY) break;
        lbr_point_solve(mu, &z->at, z->r);
        for (int64_t j = 0; j < mu->m; j++) z->L[j] += z->r[j] / (h * h * by);
    }
    return lbr_fail(&z->w->message, LBR_ENOCONV,
                    "the constraints were not met after %lld iterations; try a smaller step",
                    (long long)(k < most ? k : most));
}

/* --- the stepper ------------------------------------------------------------------------------------------------- */

static lbr_status build_atom(lbr_setup *set, lbr_atom *a, lbr_message *m)
{
    const char *name = set->sys.s.name ? set->sys.s.name : "without a name";

    (void)a;
    if (!set->multipliers)
        return lbr_fail(
            m, LBR_EUNFIT,
            "shake is for systems with constraints, and system '%s' has none; stormer-verlet is for such systems",
            name);
    if (!set->multipliers->mass)
        return lbr_fail(m, LBR_EUNFIT,
                        "shake is for H = p^T M^-1 p/2 + V(q) with masses (force and inverse_mass), which system '%s' "
                        "does not give; rattle takes any H",
                        name);
    if (set->kernel.n != 1 || set->pre.n || set->post.n || set->kernel.term[0].c.hi != 1)
        return lbr_fail(
            m, LBR_EUNFIT,
            "shake is a scheme of two steps and cannot be composed; rattle, which has the same positions, can");
    if (set->compensated) return lbr_fail(m, LBR_EUNFIT, "shake has no compensated sums; rattle has");
    return LBR_OK;
}

static const lbr_atom_kind atom = { "shake", 0, build_atom, NULL, NULL, 0 };

static int takes(const lbr_setup *set)
{
    return set->kernel.n == 1 && set->atom[set->kernel.term[0].atom].kind == &atom;
}

static lbr_status build(lbr_setup *set, lbr_message *m)
{
    const lbr_multipliers *mu = set->multipliers;

    (void)m;
    set->nstate = 2 * mu->nq + mu->m;
    set->nscratch = 3 * mu->nq + 2 * mu->m + lbr_point_size(mu);
    set->instance = "masses";
    return LBR_OK;
}

static void prepare(lbr_work *w) { (void)w; }
static void start(lbr_work *w, const double *y)
{
    memcpy(w->v, y, (size_t)(2 * w->setup->multipliers->nq) * sizeof *y);
}

static step step_of(lbr_work *w)
{
    const lbr_multipliers *mu = w->setup->multipliers;
    double *s = w->scratch;
    step z = { .w = w,
               .mu = mu,
               .F = s,
               .kick = s + mu->nq,
               .q1 = s + 2 * mu->nq,
               .r = s + 3 * mu->nq,
               .L = w->v + 2 * mu->nq,
               .q = w->v,
               .p = w->v + mu->nq };

    lbr_point_place(mu, &z.at, s + 3 * mu->nq + 2 * mu->m);
    return z;
}

static lbr_status advance(lbr_work *w, int64_t n)
{
    step z = step_of(w);
    int64_t nq = z.mu->nq;
    lbr_status status = LBR_OK;

    for (int64_t k = w->head->n, end = k + n; k < end && !status; k++) {
        if ((status = kick(&z, lbr_time(w->head, k), w->head->primed ? 1 : 0.5))) break;
        for (int64_t j = 0; j < nq; j++) w->v[nq + j] += z.kick[j], w->v[j] = z.q1[j];
        w->head->primed = 1;
    }
    return status;
}

static lbr_status read_out(lbr_work *w, double *y)
{
    step z = step_of(w);
    int64_t nq = z.mu->nq;
    lbr_status status;

    memcpy(y, w->v, (size_t)(2 * nq) * sizeof *y);
    if (!w->head->primed) return LBR_OK;
    memcpy(z.r + z.mu->m, z.L, (size_t)z.mu->m * sizeof *z.L), z.L = z.r + z.mu->m;
    if ((status = kick(&z, lbr_time(w->head, w->head->n), 1))) return status;
    for (int64_t j = 0; j < nq; j++) y[nq + j] += z.kick[j] / 2;
    return LBR_OK;
}

static const lbr_stepper stepper = {
    .name = "shake",
    .layout = 1,
    .takes = takes,
    .build = build,
    .prepare = prepare,
    .start = start,
    .advance = advance,
    .read = read_out,
};

/* --- the kind ---------------------------------------------------------------------------------------------------- */

static lbr_status analyse(lbr_base *b, int adjoint, lbr_arena *arena, lbr_analysis *out, lbr_message *m)
{
    (void)b, (void)adjoint, (void)arena, (void)m;
    out->order = lbr_found_told(
        2, "its positions are those of RATTLE (HLW VII.1.24), its momenta are central differences of them");
    out->symmetric = lbr_found_told(1, "the formula is the same with q_{n+1} and q_{n-1} exchanged");
    out->symplectic = lbr_found_told(0, "its momenta are not on the manifold of constraints");
    return LBR_OK;
}

LBR_LIST(one, "1");

static const lbr_row rows[] = {
    { .m = { LBR_SIZED, .name = "shake", .family = "constrained", .form = "shake",
             .source = "HLW VII.1.23 (Ryckaert, Ciccotti & Berendsen 1977)",
             .about = "positions of RATTLE in two-step form; momenta off the manifold by O(h^2)", .b = LBR_TEXTS(one),
             .order = 2, .symmetric = 1, .digits = 31 } },
    LBR_END
};

/* One step of itself: there is nothing to choose. */
static lbr_status flatten(lbr_flattening *c, const lbr_method *claims, const lbr_numbers *x, lbr_whole *out)
{
    if (x->s != 1 || x->b[0].hi != 1 || x->b[0].lo != 0)
        return lbr_fail(c->m, LBR_EMETHOD, "table '%s': SHAKE has one coefficient b, which is 1", claims->name);
    return lbr_flatten_base(c, (lbr_base){ .kind = x->kind, .claims = *claims }, &out->kernel);
}

const lbr_kind lbr_kind_shake[] = { { .name = "shake",
                                      .rows = rows,
                                      .stepper = &stepper,
                                      .type = LBR_SCHEME,
                                      .list = "beta_alpha",
                                      .read = lbr_read_steps,
                                      .flatten = flatten,
                                      .needs = "constraints quadratic-kinetic constant-step",
                                      .explicitness = "never",
                                      .atom = &atom,
                                      .takes_constraints = 1,
                                      .analyse_one = analyse },
                                    { .name = NULL } };
