/* rk_newton.c - implicit Runge-Kutta steps by simplified Newton iteration. SPDX-License-Identifier: BSD-3-Clause
 *
 *     (I - h A x J) dZ = h A F(Z) - Z,    Z <- Z + dZ                            (HLW VIII.6.17, VIII.6.18)
 *
 * J is the Jacobian at one point, kept as long as that costs less than a new one; where that fails, in small systems,
 * each stage gets the Jacobian of its own place, anew in every iteration. The matrix is taken apart by the eigenvalues
 * of A (rk_apart.c): what rounding does to it there matters to the number of iterations only. The point and its time
 * are part of the state, the factorised matrix is not: a restored trajectory makes the same one again. */
#include "core/lu.h"
#include "rk_newton.h"
#include "rk_products.h"
#include "solve/solve.h"

#include <string.h>

/* An iteration is slow if its increment is more than SLOW times the one before. With an exact matrix that happens only
 * where there is no solution nearby, with an old one also where the solution has moved away: more than SLOW_MOST such
 * iterations, and another matrix is taken. */
#define SLOW 0.9
enum { SLOW_MOST = 4, SLOW_FULL = 24 }; /* with a new matrix each time, increments may grow for long, until all fits */

/* An iteration that contracts so well need not go on until its increments are rounding alone: where the next one would
 * be below LOST, relative to the unknowns, there is nothing in it. */
#define QUICK 0x1p-4
#define LOST  0x1p-66

/* The change of a component, relative to itself, that may come of rounding in factors. */
#define ROUNDED 0x1p-46

/* head->matrix: 0, or 1 more than what is known of the matrix at hand: the least number of iterations with it, and
 * COUNT times how many more there have been in all. */
enum { COUNT = 256 };

static int64_t size_of_M(const lbr_rk *rk)
{
    int64_t check = lbr_rk_check_room(rk);

    return rk->matrix->factors > check ? rk->matrix->factors : check;
}

int64_t lbr_rk_newton_size(const lbr_rk *rk) { return 6 * rk->n + rk->sn + rk->matrix->entries + size_of_M(rk); }

static lbr_newton_room room_of(const lbr_rk_run *q)
{
    const lbr_rk *rk = q->rk;
    lbr_newton_room m = { .Z = q->own, .R = q->own + rk->sn, .x = q->own + 4 * rk->sn };

    m.f = m.x + rk->n;
    m.place = m.f + rk->n;
    m.r = m.place + rk->n;
    m.more = m.r + rk->sn;
    m.J = m.more + 3 * rk->n;
    m.M = m.J + rk->matrix->entries;
    m.pivot = (int64_t *)(m.M + rk->sn * rk->sn);
    return m;
}

/* Columns of M that belong to stage j: delta_ij I - h a_ij J. */
static void fill(const lbr_rk_run *q, lbr_newton_room m, int64_t j)
{
    const lbr_rk_matrix *x = q->rk->matrix;
    int64_t n = q->rk->n, s = q->rk->s, N = q->rk->sn;

    for (int64_t i = 0; i < s; i++)
        for (int64_t l = 0; l < n; l++) {
            double a = lbr_rk_A(q, l)[i * s + j], *row = m.M + (i * n + l) * N + j * n;

            memset(row, 0, (size_t)n * sizeof *row);
            for (int64_t e = lbr_rk_entry(x, n, l), end = lbr_rk_entry(x, n, l + 1); e < end; e++)
                row[lbr_rk_column(x, n, l, e)] = -a * m.J[e];
            row[l] += i == j;
        }
}

static lbr_status no_pivot(lbr_work *w, const lbr_rk_run *q, int64_t component)
{
    char name[64];

    w->component = component;
    return lbr_fail(&w->message, LBR_ENOCONV,
                    "Newton's matrix of the stage equations is singular, or nearly so (no pivot for %s, component %lld "
                    "of %lld); try another step",
                    lbr_system_component(&q->rk->sys->s, component, name, sizeof name), (long long)component,
                    (long long)q->rk->n);
}

/* The whole matrix, with s n rows. */
static lbr_status factorise(lbr_work *w, const lbr_rk_run *q, lbr_newton_room m)
{
    int64_t singular = lbr_lu_factor(q->rk->sn, m.M, m.pivot);

    return singular ? no_pivot(w, q, (singular - 1) % q->rk->n) : LBR_OK;
}

/* M = I - h A x J with one J, at (t, y): simplified Newton. */
static lbr_status make_matrix(lbr_work *w, const lbr_rk_run *q, lbr_newton_room m, double t, const double *y)
{
    int first = w->head->stats.jacobian == 0;
    lbr_status status;
    int64_t bad;

    if (lbr_rk_by_products(w, q)) return lbr_rk_products_begin(w, q, t, y, m.J, first, m.M);
    status = lbr_rk_jacobian(w, q, t, y, m.J, m.more);
    if (!status && first) status = lbr_rk_jacobian_check(w, q, t, y, m.J, m.M);
    if (status) return status;
    if (q->rk->matrix->nrows) return (bad = lbr_rk_apart_factor(q, m.J, m.M)) < 0 ? LBR_OK : no_pivot(w, q, bad);
    for (int64_t j = 0; j < q->rk->s; j++) fill(q, m, j);
    return factorise(w, q, m);
}

/* Every stage with the J of its own place: full Newton. */
static lbr_status make_full_matrix(lbr_work *w, const lbr_rk_run *q, lbr_newton_room m, double t)
{
    const double *C = q->slot + q->rk->s;
    int64_t n = q->rk->n;
    lbr_status status = LBR_OK;

    for (int64_t j = 0; j < q->rk->s && !status; j++) {
        for (int64_t l = 0; l < n; l++) m.place[l] = q->y[l] + m.Z[j * n + l];
        if (!(status = lbr_rk_jacobian(w, q, t + C[j], m.place, m.J, m.more))) fill(q, m, j);
    }
    return status ? status : factorise(w, q, m);
}

/* Ways to get a matrix: the one of the saved point; a new one at the beginning of the step, at its middle; one for each
 * iteration: with s n rows, in small systems, or at the middle of the step as the iteration has it. */
enum way { AT_HAND, FRESH, MIDDLE, EACH };
enum { KEPT, FULL, RENEWED }; /* of solve() */

/* Where a new one is taken, and when. */
static const double *new_place(const lbr_rk_run *q, lbr_newton_room m, int way, double *t)
{
    const double *C = q->slot + q->rk->s;
    int64_t n = q->rk->n, best = 0;

    if (way != MIDDLE || !m.first) return q->y;
    for (int64_t i = 1; i < q->rk->s; i++)
        if (fabs(C[i] - q->h / 2) < fabs(C[best] - q->h / 2)) best = i;
    for (int64_t l = 0; l < n; l++) m.place[l] = q->y[l] + m.first[best * n + l];
    *t += C[best];
    return m.place;
}

static lbr_status matrix(lbr_work *w, const lbr_rk_run *q, lbr_newton_room m, double t, int way)
{
    lbr_status status;
    lbr_stats before = w->head->stats;

    if (way == AT_HAND) {
        if (w->matrix_ready) return LBR_OK;
        status = make_matrix(w, q, m, w->head->matrix_t, q->point);
        w->head->stats = before; /* made once already, before the restart */
    } else {
        const double *place = new_place(q, m, way, &t);

        status = make_matrix(w, q, m, t, place);
        if (q->point) memcpy(q->point, place, (size_t)q->rk->n * sizeof *q->point);
        w->head->matrix = q->point != NULL, w->head->matrix_t = t;
    }
    w->matrix_ready = !status && q->point;
    return status;
}

/* After a step: whether the matrix at hand, if it was not made for this step, has cost more iterations than its first
 * one by as much as a new one costs. */
static void judge(lbr_work *w, const lbr_rk_run *q, int made, int64_t its)
{
    int64_t known = w->head->matrix - 1, best = known % COUNT, lost = known / COUNT;

    if (known < 0) return;
    if (its >= COUNT) its = COUNT - 1;
    if (made) best = its, lost = 0;
    if (its > best) lost += its - best;
    else best = its;
    w->head->matrix = (double)(lost * q->rk->s) >= (lbr_rk_by_products(w, q) ? 0 : q->rk->matrix->price)
                          ? 0
                          : 1 + best + COUNT * lost;
}

/* Where the next increment, as they shrink, would be lost. How much they shrink is what the worse of the last two did,
 * unless the iteration began nearby: a single one may be small by accident. */
static int is_quick(const lbr_iteration *i, double before)
{
    double rate = fmax(i->now / i->last, i->last / before);

    return (i->n > 2 || (i->n == 2 && i->last <= LBR_ROUGH)) && rate <= QUICK && i->now * rate <= LOST;
}

/* F, which is that of the Z before the last increment, follows it along J: what is left is as small as the increment
 * that is not made. */
static int follow(lbr_work *w, const lbr_rk_run *q, lbr_newton_room m)
{
    int64_t n = q->rk->n;
    int bad = 0;

    for (int64_t i = 0; i < q->rk->s; i++)
        if (lbr_rk_by_products(w, q)) bad |= lbr_rk_products_add(w, q, m.J, m.r + i * n, q->F + i * n, m.M);
        else lbr_rk_matrix_add(q->rk->matrix, n, m.J, m.r + i * n, q->F + i * n);
    return bad;
}

/* r becomes the increment. 1; or 0: it is not known well enough, -1: a call failed. */
static int increment(lbr_work *w, const lbr_rk_run *q, lbr_newton_room m, int full)
{
    if (!full && lbr_rk_by_products(w, q)) {
        lbr_status status = lbr_rk_products_solve(w, q, m.J, m.r, m.M);

        return status == LBR_OK ? 1 : status == LBR_ENOCONV ? 0 : -1;
    }
    if (full || !q->rk->matrix->nrows) lbr_lu_solve(q->rk->sn, m.M, m.pivot, m.r);
    else lbr_rk_apart_solve(q, m.J, m.M, m.r, m.R, m.more);
    return 1;
}

/* An iteration on its way: what changes are compared with at least, how far off the equations were, the best rate of
 * contraction, the change before the last two, the changes of components by themselves, now and the time before; how
 * often it was slow, asked what rounding does, and waited for a component. */
typedef struct course {
    lbr_iteration i;
    double least[2], far, best, before, each, each_last;
    int slow, asked, waited;
} course;

/* At the end of an iteration, 1: is it the end for all components, too? One that is small beside others may not be
 * solved for when all changes are small; 2: as long as its changes shrink, the iteration goes on. 0: they do so slowly,
 * which another matrix would mend. Changes that do not shrink are what rounding in other components does. */
static int for_each(course *c, int kept)
{
    enum { WAITS = 4 };
    const double rate = c->each / c->each_last;

    if (!(c->each > ROUNDED && rate < LBR_SHRUNK && c->each * rate > LBR_EXACT)) return 1;
    return kept == KEPT && rate > 0.5 && c->waited++ > WAITS ? 0 : 2;
}

/* A matrix for the next iteration, if it gets its own. */
static lbr_status next_matrix(lbr_work *w, const lbr_rk_run *q, lbr_newton_room m, double t, int kept)
{
    lbr_newton_room here = m;

    here.first = m.Z;
    return kept == FULL ? make_full_matrix(w, q, m, t) : kept == RENEWED ? matrix(w, q, here, t, MIDDLE) : LBR_OK;
}

/* After a change. 1: it is at its end, and this is the solution as far as one can see; 0: there is none to be expected;
 * 2: it goes on, -1: a call failed. */
static int judged(lbr_work *w, const lbr_rk_run *q, lbr_newton_room m, double t, int kept, double change, course *c)
{
    c->before = c->i.last;
    switch (lbr_iteration_next(&c->i, change)) {
    case LBR_RUNS_AWAY: return 0;
    case LBR_IS_SETTLED: return lbr_newton_is_solved(w, q, m, t, c->far) ? for_each(c, kept) : 0;
    default: break;
    }
    if (c->i.n > 1) c->best = fmin(c->best, c->i.now / c->i.last);
    if (kept == KEPT && is_quick(&c->i, c->before) && lbr_newton_is_solved(w, q, m, t, c->far)) {
        const int end = for_each(c, kept);

        return end == 1 && follow(w, q, m) ? -1 : end;
    }
    if (c->i.now >= c->i.last && !c->asked++) { /* at once: a Newton iteration does not creep */
        c->i = lbr_newton_begin();
        return lbr_newton_rounding(w, q, m, t, c->least) ? -1 : 2;
    }
    c->slow += c->i.now > SLOW * c->i.last;
    if (c->slow > 1 && c->best <= QUICK && c->i.now <= LBR_EXACT && lbr_newton_is_solved(w, q, m, t, c->far))
        return 1; /* rounding creeps */
    return c->slow > (kept == KEPT ? SLOW_MOST : SLOW_FULL)
               ? lbr_iteration_small(&c->i) && lbr_newton_is_solved(w, q, m, t, c->far)
               : 2;
}

/* Iterates from the first iterate; kept: with what matrices; wary: only if it is near enough. 1: solved, 0: not, -1: a
 * call failed, -2: there is no first matrix, or its equations were not solved. A solution that is one only if rounding
 * is large is asked whether it is large there, too. */
static int solve(lbr_work *w, const lbr_rk_run *q, lbr_newton_room m, double t, int kept, int wary, double *change,
                 int64_t *its)
{
    course c = { .i = lbr_newton_begin(),
                 .least = { LBR_SMALLEST, LBR_SMALLEST },
                 .far = INFINITY,
                 .best = 1,
                 .before = INFINITY,
                 .each = INFINITY };
    int made, end = 2;

    if (m.first) memcpy(m.Z, m.first, (size_t)q->rk->sn * sizeof *m.Z);
    else memset(m.Z, 0, (size_t)q->rk->sn * sizeof *m.Z);
    for (*its = 1; *its <= w->setup->max_iterations; (*its)++) {
        if (lbr_newton_residual(w, q, m, t)) return -1;
        c.far = lbr_newton_off(q, m, c.least);
        if (!isfinite(c.far)) return *change = NAN, 0;
        if (next_matrix(w, q, m, t, kept)) return *its > 1 ? 0 : -2;
        if ((made = increment(w, q, m, kept == FULL)) < 1) return made < 0 ? -1 : -2;
        if (wary && *its == 1 && !lbr_newton_is_near(q, m)) return 0;
        c.each_last = c.each, c.each = lbr_newton_each_change(q, m);
        *change = lbr_newton_update(q, m, c.least);
        end = judged(w, q, m, t, kept, *change, &c);
        if (end == 1 && c.asked && (end = lbr_newton_as_large(w, q, m, t, c.least)) == 0)
            end = 2, c.i = lbr_newton_begin();
        if (end != 2) return end;
    }
    --*its;
    return lbr_iteration_small(&c.i) && lbr_newton_is_solved(w, q, m, t, c.far) && !c.asked;
}

/* sum_i d_i Z_i for component l; Z has the low part of y in it, of which the step wants one. */
static double weighted(const lbr_rk_run *q, lbr_newton_room m, const lbr_dd *d, int64_t l)
{
    int64_t n = q->rk->n, s = q->rk->s;
    lbr_dd all = dd(0);
    double sum = 0;

    for (int64_t i = 0; i < s && q->e; i++) all = dd_add(all, d[i]);
    if (q->e) sum = dd_sub(dd(1), all).hi * q->e[l];
    for (int64_t i = 0; i < s; i++) sum = fma(d[i].lo, m.Z[i * n + l], sum);
    for (int64_t i = 0; i < s; i++) sum = fma(d[i].hi, m.Z[i * n + l], sum);
    return sum;
}

static void finish(const lbr_work *w, const lbr_rk_run *q, lbr_newton_room m)
{
    const int stiff = lbr_newton_is_stiff(w, q, m);

    for (int64_t l = 0; l < q->rk->n; l++) {
        const lbr_dd *d = q->rk->matrix->weights[l >= q->rk->split];

        m.x[l] = stiff && d ? weighted(q, m, d, l) : lbr_newton_sum(q, lbr_rk_B(q, l), l);
    }
    lbr_add_whole(q->rk->n, q->y, q->e, m.x);
}

static int first_way(const lbr_work *w, const lbr_rk_run *q) { return q->point && w->head->matrix ? AT_HAND : FRESH; }

/* A step that is being tried, and what came of it. */
typedef struct attempt {
    int solved, refused, made; /* of solve(); a matrix was refused; another one was made */
    int64_t its;
    double change;
    lbr_status status;   /* of the last matrix */
    const double *first; /* where the last iteration began; NULL: at y itself */
} attempt;

/* Whether there is anything left to try, as long as there are no matrices: equations that products did not solve are
 * left to them. */
static int goes_on(const lbr_work *w, const lbr_rk_run *q, const attempt *a)
{
    if (a->solved == -2 && q->rk->matrix->products_first && lbr_rk_by_products(w, q)) return 0;
    return a->solved != 1 && a->status != LBR_EUNFIT;
}

/* One way after the other from the same first iterate, until one leads to a solution; wary: the first of them only. */
static void try_ways(lbr_work *w, const lbr_rk_run *q, lbr_newton_room m, double t, int way, int wary, attempt *a)
{
    const int full = q->rk->matrix->full && !lbr_rk_by_products(w, q);

    a->first = m.first;
    for (; way <= EACH && goes_on(w, q, a); way++) {
        if (way == MIDDLE && (full || !m.first)) continue;
        if (way == EACH) w->head->matrix = w->matrix_ready = 0;
        else if ((a->status = matrix(w, q, m, t, way))) {
            a->refused = 1;
            continue;
        }
        a->solved = solve(w, q, m, t, way < EACH ? KEPT : full ? FULL : RENEWED, wary, &a->change, &a->its);
        a->status = LBR_OK, a->made |= way != AT_HAND;
        lbr_count_iterations(&w->head->stats, a->its, a->its);
        if (wary) return;
    }
}

/* Newton's method takes steps that are long for the fastest motions of a system, and there several solutions may be
 * near. The one that is meant goes over into y as h goes to zero: it is looked for from y itself, where the first
 * iterate is that of a linearly implicit method, which stiff forces drive nowhere. What earlier steps foretell may be
 * nearer to another one: it is taken where it is a solution but for little, for steps that are not solved from y, and
 * for those who ask for it. Where it was far off in the last step it is not tried first in this one: that would take an
 * iteration, most often for nothing. */
static int64_t try_beginnings(lbr_work *w, const lbr_rk_run *q, lbr_newton_room m, double t, attempt *a, attempt *first)
{
    const int asked = w->setup->starting != LBR_STARTING_AUTO,
              told = lbr_rk_is_promising(q) && (q->past ? q->past[0] >= 0 : q->foretold);
    lbr_newton_room from_y = m;
    int64_t worst;

    from_y.first = NULL;
    if (!asked && told) try_ways(w, q, m, t, first_way(w, q), 1, a);
    if (goes_on(w, q, a)) try_ways(w, q, asked ? m : from_y, t, first_way(w, q), 0, a);
    *first = *a, worst = lbr_newton_worst(q->rk, m.r); /* what a message is about */
    if (goes_on(w, q, a)) try_ways(w, q, asked ? from_y : m, t, FRESH, 0, a);
    return worst;
}

/* From now on there is a matrix. Its Jacobian may be another one than that of products, and is looked at. */
static lbr_status begin_matrices(lbr_work *w, const lbr_rk_run *q, lbr_newton_room m, double t)
{
    lbr_status status;

    w->head->newton = LBR_NEWTON_WITH_MATRIX, w->head->matrix = w->matrix_ready = 0;
    status = lbr_rk_jacobian(w, q, t, q->y, m.J, m.more);
    return status ? status : lbr_rk_jacobian_check(w, q, t, q->y, m.J, m.M);
}

lbr_status lbr_rk_newton(lbr_work *w, const lbr_rk_run *q, int64_t k)
{
    lbr_newton_room m = room_of(q);
    double t = fma((double)k, q->h, q->t0);
    attempt a = { .change = NAN }, first;
    int64_t worst;

    if (lbr_rk_first(w, q, t, m.x, m.r)) return lbr_work_failing(w, lbr_bound_functions(q->rk->sys), 1);
    m.first = lbr_rk_nearer(w, q);
    worst = try_beginnings(w, q, m, t, &a, &first);
    if (a.solved != 1 && a.solved != -1 && a.status != LBR_EUNFIT && a.status != LBR_ECALLBACK &&
        q->rk->matrix->products_first && lbr_rk_by_products(w, q)) {
        a = (attempt){ .change = NAN, .status = begin_matrices(w, q, m, t) };
        if (a.status) return a.status;
        worst = try_beginnings(w, q, m, t, &a, &first);
    }
    if (a.status) return a.status;
    if (a.solved == -2 && (a.refused || lbr_rk_by_products(w, q))) return w->message.status;
    if (a.solved == -1) return lbr_work_failing(w, lbr_bound_functions(q->rk->sys), 1);
    if (a.solved != 1) return lbr_work_unsolved(w, worst, first.change, first.its);
    judge(w, q, a.made, a.its);
    lbr_rk_compare(w, q, m.Z, a.first, lbr_newton_was_far(q, m));
    finish(w, q, m);
    return LBR_OK;
}
