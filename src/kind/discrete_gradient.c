/* discrete_gradient.c - the step that methods with a discrete gradient share. SPDX-License-Identifier: BSD-3-Clause */
#include "discrete_gradient.h"
#include "stepper/gradient.h"
#include "stepper/foretold.h"
#include "stepper/implicit.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Formulas, from the cheapest on: points of Gauss on each of several pieces. */
static const struct {
    int points, pieces;
} levels[] = {
    { 2, 1 }, { 3, 1 }, { 4, 1 }, { 6, 1 }, { 8, 1 }, { 12, 1 }, { 16, 1 }, { 16, 2 }, { 16, 4 }, { 16, 8 }, { 16, 16 },
};
enum {
    LEVELS = sizeof levels / sizeof *levels,
    ARRAYS = 10,
    MOST_ITERATIONS = 100
}; /* ARRAYS: of dim doubles, beside the solver's */

/* In units of rounding: changes of H that are none; the most that changes of the step may be then. */
#define ROUNDING 8
#define NOISE    64

typedef struct formula {
    int64_t n;
    double *node, *weight;
} formula;

/* --- once -------------------------------------------------------------------------------------------------------- */

static int make_formula(int level, formula *f, lbr_arena *arena)
{
    int k = levels[level].points, pieces = levels[level].pieces;
    lbr_message why;
    lbr_method gauss;
    lbr_numbers x;

    f->n = (int64_t)k * pieces;
    f->node = lbr_arena_alloc(arena, f->n, sizeof *f->node),
    f->weight = lbr_arena_alloc(arena, f->n, sizeof *f->weight);
    if (!f->node || !f->weight || lbr_row_numbers(lbr_row_find("gauss"), k, &gauss, &x, arena, &why)) return -1;
    for (int p = 0; p < pieces; p++)
        for (int i = 0; i < k; i++)
            f->node[p * k + i] = (p + x.c[i].hi) / pieces, f->weight[p * k + i] = x.b[i].hi / pieces;
    return 0;
}

lbr_status lbr_discrete_gradient_build(lbr_setup *set, lbr_atom *a, lbr_message *m)
{
    const lbr_system *s = &set->sys.s;
    formula *all = lbr_arena_alloc(set->arena, LEVELS, sizeof *all);

    if (!s->energy || !lbr_gradient_known(&set->sys))
        return lbr_fail(m, LBR_EUNFIT,
                        "a discrete gradient needs H and its derivatives, in canonical variables or with a Poisson "
                        "structure, and no friction, "
                        "which system '%s' does not give; rk4, midpoint and gauss:s take any field",
                        s->name ? s->name : "without a name");
    for (int k = 0; all && k < LEVELS; k++)
        if (make_formula(k, &all[k], set->arena)) all = NULL;
    if (!all) return lbr_fail(m, LBR_ENOMEM, "out of memory for the plan");
    a->constants = all;
    a->own = ARRAYS * s->dim + lbr_solve_size(s->dim, lbr_newton_mode(set, s->dim));
    a->foretold = s->dim, a->series = 1;
    return LBR_OK;
}

/* --- a step ------------------------------------------------------------------------------------------------------ */

typedef struct step {
    lbr_chord c;
    lbr_discrete_gradient_fn *f;
    const formula *formula;
    int64_t split;
    double size[2]; /* of positions, and of momenta */
    double *mean, *more, *next;
    double rounding; /* changes of the mean that are none, in units */
    double moved;    /* what the last one did to the step */
} step;

static void use(step *z, int level)
{
    z->c.points = z->formula[level].n, z->c.node = z->formula[level].node, z->c.weight = z->formula[level].weight;
}

/* d = h B(y + d/2) gradb H(y, y + d). */
static int map(void *ctx, const double *d, double *out)
{
    step *z = ctx;
    lbr_chord *c = &z->c;

    if (z->f(c, d, z->mean)) return 1;
    for (int64_t i = 0; i < c->n; i++) c->x[i] = c->y[i] + d[i] / 2;
    if (lbr_gradient_turned(c->b, c->t, c->x, z->mean, out)) return 1;
    for (int64_t i = 0; i < c->n; i++) out[i] *= c->h;
    return 0;
}

/* By how much two means differ, b the better one, in units of rounding: in H, and (z->moved) in the step that they
 * make. -1: a callback failed. */
static double difference(step *z, const double *d, double *a, const double *b)
{
    lbr_chord *c = &z->c;
    double change = 0, size = 0;

    for (int64_t i = 0; i < c->n; i++) {
        a[i] = b[i] - a[i];
        change = fmax(change, fabs(a[i] * d[i])), size = fmax(size, fabs(b[i] * d[i]));
        c->x[i] = c->y[i] + d[i] / 2;
    }
    if (lbr_gradient_turned(c->b, c->t, c->x, a, c->g)) return -1;
    z->moved = 0;
    for (int64_t i = 0; i < c->n; i++)
        z->moved = fmax(z->moved, fabs(c->h * c->g[i]) / (DBL_EPSILON * fmax(z->size[i >= z->split], fabs(d[i]))));
    return change > 0 ? change / (DBL_EPSILON * size) : 0;
}

/* The first level, from `level` on, that does not change what the one before gives at this increment, so that its own
 * error is much less than that; the last one, if they all do. Changes that do not get smaller and do not move the step
 * are rounding, of derivatives of H that are small differences, say: that is known from then on. -1: a callback failed.
 */
static int enough(step *z, int level, const double *d)
{
    double *before = z->mean, *now = z->more, last = INFINITY, change;

    use(z, level - 1);
    if (z->f(&z->c, d, before)) return -1;
    for (;; level++) {
        double *swap = before;

        use(z, level);
        if (z->f(&z->c, d, now) || (change = difference(z, d, before, now)) < 0) return -1;
        if (change > last / 2 && z->moved <= NOISE) z->rounding = fmax(z->rounding, 4 * change);
        if ((change <= z->rounding && z->moved <= NOISE) || level + 1 == LEVELS) return level;
        last = change, before = now, now = swap;
    }
}

/* Iterates while the change of any component is more than rounding and gets smaller over two iterations: positions and
 * momenta take turns, small components count as well as large ones, and H would feel it if not. 1: it is the solution,
 * to rounding; 0: it is not, changes grow or fall slowly, and d is the best there was; -1: a callback failed. The rule
 * of solve/iteration.h, by which lbr_solve goes, would stop where the largest component does. */
static int iterate(step *z, double *d, double *next)
{
    double *last = z->mean + 4 * z->c.n, *before = last + z->c.n, *best = before + z->c.n, least = INFINITY;
    int active = 1, k = 0;

    for (int64_t i = 0; i < z->c.n; i++) last[i] = before[i] = INFINITY;
    for (; k < MOST_ITERATIONS && active; k++) {
        double all = 0;

        if (map(z, d, next)) return -1;
        active = 0;
        for (int64_t i = 0; i < z->c.n; i++) {
            double change = fabs(next[i] - d[i]);

            all = fmax(all, change / fmax(z->size[i >= z->split], fabs(d[i])));
            active |= change > DBL_EPSILON / 2 * fabs(z->c.y[i] + next[i]) && change < 0.95 * before[i];
            before[i] = last[i], last[i] = change;
        }
        if (all < least) least = all, memcpy(best, d, (size_t)z->c.n * sizeof *d);
        if (!(all <= 8 * fmax(least, LBR_EXACT))) break;
        memcpy(d, next, (size_t)z->c.n * sizeof *d);
    }
    if (least > LBR_EXACT && isfinite(least)) memcpy(d, best, (size_t)z->c.n * sizeof *d);
    lbr_count_iterations(z->c.stats, k, k);
    return least <= LBR_EXACT;
}

/* What components are compared with: how large they are, and what their own rounding does to the step, as a multiple of
 * it. */
static int sizes(step *z, const double *y, double *g0, double *g)
{
    lbr_chord *c = &z->c;
    double by = 0x1p-20;

    for (int64_t i = 0; i < c->n; i++) c->x[i] = y[i] + by * y[i];
    if (lbr_gradient_of_energy(c->b, c->stats, c->t, y, g0) || lbr_gradient_of_energy(c->b, c->stats, c->t, c->x, g))
        return -1;
    for (int64_t i = 0; i < c->n; i++) g[i] = (g[i] - g0[i]) / by;
    if (lbr_gradient_turned(c->b, c->t, y, g, g0)) return -1;
    for (int64_t i = 0; i < c->n; i++) {
        double of = fmax(fabs(y[i]), fabs(c->h * g0[i]));

        if (isfinite(of)) z->size[i >= z->split] = fmax(z->size[i >= z->split], of);
    }
    return 0;
}

static lbr_status failed(lbr_work *w)
{
    return lbr_fail(&w->message, LBR_ECALLBACK, "a derivative of H, or the Poisson structure, reported a failure");
}

/* d from the first iterate in `from`: by iteration, or, where that does not lead there, by the solver, which has
 * Newton's method. */
static lbr_status solve(lbr_work *w, step *z, const double *from, double *d, double *room)
{
    int64_t n = z->c.n;
    lbr_equation q = { .n = n,
                       .g = map,
                       .ctx = z,
                       .split = z->split,
                       .size = { z->size[0], z->size[1] },
                       .most = w->setup->max_iterations,
                       .newton = lbr_newton_mode(w->setup, n) };
    lbr_status status;

    memcpy(d, from, (size_t)n * sizeof *d);
    if (q.newton != 1 && iterate(z, d, z->next) > 0) return LBR_OK;
    if ((status = lbr_work_solve(w, &q, from, d, room, 0, "a derivative of H"))) return status;
    return iterate(z, d, z->next) < 0 ? failed(w) : LBR_OK;
}

/* first: the step of explicit Euler. d is room. */
static int explicit_euler(step *z, double *d, double *first)
{
    memset(d, 0, (size_t)z->c.n * sizeof *d);
    use(z, 0);
    return map(z, d, first);
}

/* The same with a formula, if `first` was foretold; where that leads nowhere, from the step of explicit Euler. */
static lbr_status solve_foretold(lbr_work *w, step *z, int level, int *told, double *first, double *d, double *room)
{
    lbr_status status;

    use(z, level);
    if (!(status = solve(w, z, first, d, room)) || !*told) return status;
    *told = 0;
    if (explicit_euler(z, d, first)) return failed(w);
    use(z, level);
    return solve(w, z, first, d, room);
}

/* d is solved for with the formula that is enough for the step of explicit Euler, and again with a better one, if that
 * is not enough. */
lbr_status lbr_discrete_gradient_apply(lbr_work *w, const lbr_atom *a, double *own, double t, double h, double *y,
                                       double *e, lbr_discrete_gradient_fn *f)
{
    const lbr_bound *b = &w->setup->sys;
    int64_t n = b->s.dim, nq = b->s.nq > 0 ? b->s.nq : n;
    double *d = own + 4 * n, *first = own + 9 * n, *room = own + ARRAYS * n;
    step z = { .c = { .b = b,
                      .stats = &w->head->stats,
                      .n = n,
                      .t = t + h / 2,
                      .h = h,
                      .y = y,
                      .adjoint = a->adjoint,
                      .x = own,
                      .g = own + n,
                      .extra = room + lbr_solve_size(n, lbr_newton_mode(w->setup, n)) },
               .f = f,
               .formula = a->constants,
               .split = nq,
               .mean = own + 2 * n,
               .more = own + 3 * n,
               .next = own + 5 * n,
               .rounding = ROUNDING };
    lbr_foretold series = lbr_foretold_next(w, n, nq);
    lbr_status status;
    int level, now, told;

    if (sizes(&z, y, z.mean, z.more)) return failed(w);
    if (explicit_euler(&z, d, first) || (now = enough(&z, 1, first)) < 0) return failed(w);
    if ((told = lbr_foretell(&series, d))) memcpy(first, d, (size_t)n * sizeof *d);
    do {
        level = now;
        if ((status = solve_foretold(w, &z, level, &told, first, d, room))) return status;
        if ((now = enough(&z, level, d)) < 0) return failed(w);
        memcpy(first, d, (size_t)n * sizeof *d);
    } while (now > level);
    if (z.moved > NOISE)
        return lbr_fail(&w->message, LBR_ENOCONV,
                        "the mean of grad H over the step keeps changing with %lld points: H is not smooth there, or "
                        "the step is too large",
                        (long long)z.formula[level].n);
    lbr_increment(n, y, e, d);
    lbr_foretold_keep(&series, d);
    return LBR_OK;
}

/* --- what such kinds share --------------------------------------------------------------------------------------- */

lbr_status lbr_discrete_gradient_operator(lbr_flattening *c, lbr_expr *e, lbr_whole *out)
{
    lbr_expr *which = e->nargs == 1 ? e->arg[0] : NULL;
    const char *form = which && which->name && !which->key && !which->has_args && which->k < 0
                           ? lbr_arena_format(c->arena, "discrete-gradient %s", which->name)
                           : NULL;
    const lbr_kind *kind = form ? lbr_kind_find(form) : NULL;

    if (!kind) return lbr_flatten_misused(c, e);
    return lbr_flatten_base(
        c,
        (lbr_base){ .kind = kind,
                    .claims = { LBR_SIZED, .name = e->name, .family = "discrete gradient",
                                .source = lbr_operator_of(e)->source, .about = lbr_operator_of(e)->about } },
        &out->kernel);
}

lbr_status lbr_discrete_gradient_analyse(const lbr_discrete_gradient_claims *claims, lbr_analysis *out)
{
    out->order = lbr_found_told(claims->order, claims->why_order);
    out->symmetric = lbr_found_told(claims->symmetric, claims->why_symmetric);
    out->symplectic = lbr_found_told(0, "it keeps H, which symplectic methods do not");
    return LBR_OK;
}

lbr_status lbr_discrete_gradient_describe(const lbr_flat *f, lbr_arena *arena, lbr_method_info *i, lbr_message *m)
{
    (void)f, (void)arena, (void)m;
    i->energy = 1;
    return LBR_OK;
}

lbr_status lbr_discrete_gradient_volume(const lbr_flat *f, int symplectic, lbr_arena *arena, lbr_finding *out,
                                        lbr_message *m)
{
    (void)f, (void)symplectic, (void)arena, (void)out, (void)m;
    return LBR_OK;
}
