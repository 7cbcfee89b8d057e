/* additive.c - a Runge-Kutta step with one tableau for each of two parts (HLW II.6, exercise 5).
 * SPDX-License-Identifier: BSD-3-Clause
 *
 *     Z_i = h sum_j (a_ij f(y + Z_j) + a^_ij g(y + Z_j)),    y <- y + h sum_i (b_i f(y + Z_i) + b^_i g(y + Z_i))
 *
 * It is the pair of tableaux applied to u' = f(u + v), v' = g(u + v) with y = u + v. Stage i sees t + c_i h, where c
 * belongs to the part with which the time moves. */
#include "shared.h"
#include "stepper/prk.h"
#include "core/largest.h"
#include "stepper/implicit.h"

#include <string.h>

/* Of the atom. slot: A, A2, B, B2, C times h. own: Z, two fields per stage, y + Z, and the solver's; Z has all
 * positions before all momenta. */
typedef struct parts {
    const lbr_atom *atom;
    int64_t s, n, split, nodes, *order;
    const lbr_dd *c; /* nodes; NULL: the time stands still */
    lbr_fn f[2];
    void *ctx[2];
} parts;

/* A step. */
typedef struct run {
    const parts *p;
    const double *slot, *y;
    double *F, *x, t;
    lbr_stats *stats;
} run;

static lbr_status build(lbr_setup *set, lbr_atom *a, lbr_message *m)
{
    const lbr_bound *b = &set->sys;
    int64_t s = a->tableau->s, n = b->s.dim, part[2] = { a->index, a->other };
    parts *p = lbr_arena_alloc(set->arena, 1, sizeof *p);

    if (p)
        *p = (parts){ .atom = a,
                      .s = s,
                      .n = n,
                      .split = b->s.nq > 0 ? b->s.nq : n,
                      .order = lbr_arena_alloc(set->arena, 2 * s, sizeof *p->order) };
    if (!p || !p->order) return lbr_fail(m, LBR_ENOMEM, "out of memory for the plan");
    p->nodes = lbr_pair_order(s, a->tableau->A, a->second->A, 0, p->order);
    if (a->moves_time) p->c = a->other == b->s.parts->clock ? a->second->c : a->tableau->c;
    for (int k = 0; k < 2; k++) p->f[k] = lbr_bound_part_field(b, part[k]), p->ctx[k] = lbr_bound_part_ctx(b, part[k]);
    a->constants = p;
    a->slot = 2 * s * s + 3 * s;
    a->own = 3 * s * n + n + (p->nodes ? 0 : lbr_solve_size(s * n, lbr_newton_mode(set, s * n)));
    if (!p->nodes) a->foretold = s * n, a->series = 1;
    return LBR_OK;
}

static double *times(double h, int64_t n, const lbr_dd *c, double *slot)
{
    for (int64_t i = 0; i < n; i++) slot[i] = c ? dd_mul(c[i], dd(h)).hi : 0;
    return slot + n;
}

static void prepare(const lbr_atom *a, double h, double *slot)
{
    const parts *p = a->constants;
    int64_t s = p->s;

    slot = times(h, s * s, a->tableau->A, slot), slot = times(h, s * s, a->second->A, slot);
    slot = times(h, s, a->tableau->b, slot), slot = times(h, s, a->second->b, slot);
    times(h, s, p->c, slot);
}

/* out = sum_j (a_j f_j + b_j g_j). Zeros stand for stages that may not be there yet. */
static void combine(const run *r, const double *a, const double *b, double *out)
{
    int64_t n = r->p->n;

    memset(out, 0, (size_t)n * sizeof *out);
    for (int64_t j = 0; j < r->p->s; j++) {
        const double *f = r->F + 2 * j * n, *g = f + n;

        if (a[j] != 0)
            for (int64_t l = 0; l < n; l++) out[l] = fma(a[j], f[l], out[l]);
        if (b[j] != 0)
            for (int64_t l = 0; l < n; l++) out[l] = fma(b[j], g[l], out[l]);
    }
}

/* Both fields of stage i at x = y + what is in x. */
static int evaluate(const run *r, int64_t i)
{
    const parts *p = r->p;
    const double *C = r->slot + 2 * p->s * p->s + 2 * p->s;
    double *f = r->F + 2 * i * p->n;

    for (int64_t l = 0; l < p->n; l++) r->x[l] = r->y[l] + r->x[l];
    r->stats->field += 2;
    return p->f[0](r->t + C[i], r->x, f, p->ctx[0]) | p->f[1](r->t + C[i], r->x, f + p->n, p->ctx[1]);
}

/* Where component l of stage i is in Z. */
static int64_t at(const parts *p, int64_t i, int64_t l)
{
    return l < p->split ? i * p->split + l : p->s * p->split + i * (p->n - p->split) + l - p->split;
}

static int stages(void *ctx, const double *Z, double *out)
{
    const run *r = ctx;
    const parts *p = r->p;
    int bad = 0;

    for (int64_t i = 0; i < p->s; i++) {
        for (int64_t l = 0; l < p->n; l++) r->x[l] = Z[at(p, i, l)];
        bad |= evaluate(r, i);
    }
    for (int64_t i = 0; i < p->s; i++) {
        combine(r, r->slot + i * p->s, r->slot + (p->s + i) * p->s, r->x);
        for (int64_t l = 0; l < p->n; l++) out[at(p, i, l)] = r->x[l];
    }
    return bad;
}

/* The fields are then those of the solution. */
static lbr_status solve(lbr_work *w, run *r, double *Z, double *work)
{
    const parts *p = r->p;
    int64_t unknowns = p->s * p->n;
    lbr_equation q = { .n = unknowns,
                       .g = stages,
                       .ctx = r,
                       .split = p->s * p->split,
                       .size = { lbr_largest(p->split, r->y), lbr_largest(p->n - p->split, r->y + p->split) },
                       .most = w->setup->max_iterations,
                       .newton = lbr_newton_mode(w->setup, unknowns) };
    lbr_status status;

    if ((status = lbr_work_solve_quietly(w, &q, NULL, Z, work)) == LBR_ENOCONV)
        return lbr_work_unsolved(w, q.worst % p->split + (q.worst < q.split ? 0 : p->split), q.change, q.iterations);
    for (int64_t i = 0; i < p->s && !status; i++) {
        for (int64_t l = 0; l < p->n; l++) r->x[l] = Z[at(p, i, l)];
        if (evaluate(r, i)) status = LBR_ECALLBACK;
    }
    return status;
}

static lbr_status apply(lbr_work *w, const lbr_atom *a, const double *slot, double *own, double t, double h, double *y,
                        double *e)
{
    const parts *p = a->constants;
    int64_t s = p->s, sn = s * p->n;
    run r = { p, slot, y, own + sn, own + 3 * sn, t, &w->head->stats };
    lbr_status status = p->nodes ? LBR_OK : solve(w, &r, own, own + 3 * sn + p->n);

    (void)h;
    for (int64_t k = 0; k < p->nodes && !status; k++) {
        int64_t i = p->order[k];

        combine(&r, slot + i * s, slot + (s + i) * s, r.x);
        if (evaluate(&r, i)) status = LBR_ECALLBACK;
    }
    if (status == LBR_ECALLBACK)
        return lbr_fail(&w->message, status, "the field of part '%s' or '%s' reported a failure",
                        lbr_bound_part(&w->setup->sys, a->index)->name, lbr_bound_part(&w->setup->sys, a->other)->name);
    if (status) return status;
    combine(&r, slot + 2 * s * s, slot + 2 * s * s + s, r.x);
    lbr_increment(p->n, y, e, r.x);
    return LBR_OK;
}

static const lbr_atom_kind atom = { "additive", 0, build, prepare, apply, 2 };

/* --- the kind ---------------------------------------------------------------------------------------------------- */

/* One part by one tableau, another part by another one; own: the names of the two. */
static lbr_status operate(lbr_flattening *c, lbr_expr *e, lbr_whole *out)
{
    const char **part = lbr_arena_alloc(c->arena, 2, sizeof *part);
    lbr_base base = { .kind = lbr_kind_find("additive"),
                      .own = part,
                      .claims = { LBR_SIZED, .name = e->name, .family = "additive", .source = "HLW II.6, exercise 5",
                                  .about = "one tableau for each of two parts" } };
    lbr_status status;

    if (!part) return lbr_flatten_no_memory(c);
    if (e->nargs != 4) return lbr_flatten_misused(c, e);
    if ((status = lbr_flatten_two_tableaux(c, e, &base))) return status;
    for (int k = 0; k < 2; k++) {
        const lbr_expr *name = e->arg[2 + k];

        if (!name->name || name->key || name->has_args || name->k >= 0) return lbr_flatten_misused(c, e);
        part[k] = name->name;
    }
    return lbr_flatten_base(c, base, &out->kernel);
}

static int same(const lbr_base *a, const lbr_base *b)
{
    const char *const *x = a->own, *const *y = b->own;

    return !strcmp(x[0], y[0]) && !strcmp(x[1], y[1]);
}

/* Two parts by their fields. The time moves with a part, as in a splitting. */
static lbr_status bind(lbr_plan *p, lbr_base *b, const lbr_step *s, lbr_program *to)
{
    const lbr_system *sys = &p->setup.sys.s;
    const char *const *name = b->own;
    const lbr_tableau *t = b->tableau, *u = b->second;
    int64_t part[2] = { 0, 0 };

    if (!sys->parts)
        return lbr_fail(&p->message, LBR_EUNFIT,
                        "method '%s' needs parts with fields of their own, but system '%s' has none", p->flat.name,
                        lbr_bind_system(p));
    for (int k = 0; k < 2; k++) {
        lbr_status status = lbr_bind_part(p, name[k], &part[k]);

        if (status) return status;
        if (!lbr_bound_part_field(&p->setup.sys, part[k]))
            return lbr_fail(&p->message, LBR_EUNFIT,
                            "method '%s' needs the field of part '%s' of system '%s', which is not known", p->flat.name,
                            name[k], lbr_bind_system(p));
    }
    if (lbr_bind_adjoints(p, b, s)) return lbr_bind_no_memory(p);
    if (s->adjoint) t = b->adjoint, u = b->second_adjoint;
    lbr_bind_step(p, to,
                  (lbr_atom){ .kind = &atom,
                              .index = part[0],
                              .other = part[1],
                              .tableau = t,
                              .second = u,
                              .adjoint = t != b->tableau || u != b->second,
                              .moves_time = part[0] == sys->parts->clock || part[1] == sys->parts->clock },
                  s->c);
    return LBR_OK;
}

static lbr_status describe(const lbr_flat *f, lbr_arena *arena, lbr_method_info *i, lbr_message *m)
{
    return lbr_describe_pair(f, 0, arena, i, m);
}

static lbr_status analyse(lbr_base *b, int adjoint, lbr_arena *arena, lbr_analysis *out, lbr_message *m)
{
    return lbr_analyse_two_tableaux(b, 1, adjoint, arena, out, m);
}

static lbr_status together(const lbr_sequence *l, lbr_base *b, lbr_arena *arena, lbr_analysis *out, lbr_message *m)
{
    return lbr_analyse_two_together(l, b, 1, arena, out, m);
}

static const lbr_operator operators[] = {
    { .name = "additive",
      .run = operate,
      .use = "additive(M, N, PART, PART) with two Runge-Kutta methods, one for each part, such as "
             "additive(lobatto-3a:2, lobatto-3b:2, A, B)" },
    { .name = NULL }
};

const lbr_kind lbr_kind_additive[] = { { .name = "additive",
                                         .operators = operators,
                                         .type = LBR_MAP,
                                         .same = same,
                                         .self_adjoint = lbr_tableaux_self_adjoint,
                                         .needs = "parts",
                                         .explicitness = "always",
                                         .describe = describe,
                                         .cost = lbr_tableaux_cost,
                                         .bind = bind,
                                         .analyse_one = analyse,
                                         .analyse_together = together },
                                       { .name = NULL } };
