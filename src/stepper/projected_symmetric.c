/* projected_symmetric.c - a step of any map with its symmetric projection. SPDX-License-Identifier: BSD-3-Clause
 *
 * Hairer 2000, (2.1)-(2.3); HLW V.4, Algorithm 4.1:
 *
 *     y^0 = y0 + D(y0)^T mu,   y^1 = Phi_h(y^0),   y1 = y^1 + D(y1)^T mu,   g(y1) = 0
 *
 * with the increment d = y1 - y0 and mu as unknowns: with the defect e = d - (D0 + D1)^T mu - (y^1 - y^0) they change
 * by
 *
 *     N step = G e - g,   mu += step,   d += (D0 + D1)^T step - e,   N = G (D0 + D1)^T.
 *
 * Where Phi is one implicit Runge-Kutta step, each iteration has one evaluation of its stages and no more: its
 * equations are solved in tandem. Any other Phi is applied anew each time. This takes the derivative of Phi for 1, and
 * that of D for 0: where steps are too large for that, Newton's method for e = 0, g = 0 goes on, with all derivatives
 * by differences. */
#include "projected.h"
#include "solve/damped.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef lbr_projected_step step;

/* Changes that no longer shrink are the end if they are below LBR_EXACT. Between that and LBR_NOISE they are if they
 * have shrunk in each iteration before, on the average, to so much of themselves. */
static const double fast = 0.3;

/* --- what the steps inside do ------------------------------------------------------------------------------------ */

/* defect -= Phi(y^0) - y^0. */
static lbr_status whole_step(step *z)
{
    int64_t n = z->s->n;
    double *y = z->to, *e = z->e ? z->to + n : NULL;
    lbr_status status;

    memcpy(z->to, z->from, (size_t)(2 * n) * sizeof *z->to);
    if ((status = lbr_projected_inner(z, y, e))) return status;
    for (int64_t j = 0; j < n; j++) z->defect[j] -= (y[j] - z->from[j]) + (e ? e[j] - z->from[n + j] : 0);
    return LBR_OK;
}

static lbr_status rates(step *z, int64_t i, const double *y, double *out)
{
    const lbr_bound *b = &z->w->setup->sys;

    if (b->field(z->t + z->c->tandem->c[i].hi * z->hc, y, out, b->ctx))
        return lbr_fail(&z->w->message, LBR_ECALLBACK, "the field reported a failure");
    return LBR_OK;
}

/* defect -= h sum b_i F(Y_i), with one evaluation of each stage from the last ones. */
static lbr_status one_sweep(step *z)
{
    const lbr_tableau *a = z->c->tandem;
    int64_t n = z->s->n, s = a->s;
    double h = z->hc, *swap;
    lbr_status status;

    lbr_bound_count(&z->w->setup->sys, &z->w->head->stats, s);
    for (int64_t i = 0; i < s; i++) {
        for (int64_t j = 0; j < n; j++) {
            double sum = 0;

            for (int64_t k = 0; k < s; k++) sum += a->A[i * s + k].hi * z->K[k * n + j];
            z->to[j] = z->from[j] + h * sum;
        }
        if ((status = rates(z, i, z->to, z->L + i * n))) return status;
        for (int64_t j = 0; j < n; j++) z->defect[j] -= h * a->b[i].hi * z->L[i * n + j];
    }
    swap = z->K, z->K = z->L, z->L = swap;
    return LBR_OK;
}

/* --- the symmetric projection ------------------------------------------------------------------------------------ */

static lbr_status failed(step *z, const char *what)
{
    return lbr_fail(&z->w->message, LBR_ECALLBACK, "%s reported a failure", what);
}

static double sum(const step *z, int64_t j, double d) { return z->y[j] + (z->e ? z->e[j] + d : d); }

/* Gradients and directions at the end; or both directions of the middle, or of the beginning. */
static lbr_status directions(step *z)
{
    const lbr_surface *s = z->s;
    lbr_stats *stats = &z->w->head->stats;
    double *at = z->y1, t = z->t + z->h;
    lbr_at whose = z->p->how->at;

    if (whose == LBR_AT_MIDPOINT) {
        at = z->to, t = z->t + z->h / 2;
        for (int64_t j = 0; j < s->n; j++) at[j] = sum(z, j, z->d[j] / 2);
    }
    if (lbr_surface_gradients(s, stats, t, at, z->x.G, z->x.room))
        return failed(z, "a derivative of what is projected onto");
    if (whose == LBR_AT_START) memcpy(z->x.D, z->D0, (size_t)(s->m * s->n) * sizeof *z->D0);
    else if (lbr_surface_directions(s, t, at, z->x.G, z->x.D, z->x.room))
        return failed(z, "what a projection moves along");
    if (whose == LBR_AT_MIDPOINT) memcpy(z->D0, z->x.D, (size_t)(s->m * s->n) * sizeof *z->D0);
    return LBR_OK;
}

/* y^0, multiplied by `by`, and with it the defect. */
static lbr_status defect(step *z, int tandem, double by)
{
    const lbr_surface *s = z->s;
    int64_t n = s->n;

    memset(z->defect, 0, (size_t)n * sizeof *z->defect);
    lbr_normal_move(s, z->D0, z->mu, 1, z->defect);
    memcpy(z->from, z->y, (size_t)n * sizeof *z->from);
    if (z->e) memcpy(z->from + n, z->e, (size_t)n * sizeof *z->from);
    lbr_increment(n, z->from, z->e && !tandem ? z->from + n : NULL, z->defect);
    lbr_normal_move(s, z->x.D, z->mu, 1, z->defect);
    for (int64_t j = 0; j < n; j++) z->from[j] *= by, z->defect[j] = z->d[j] - z->defect[j];
    return tandem ? one_sweep(z) : whole_step(z);
}

/* How iterations go. Changes are the largest of positions and of momenta; `now` is relative to y1, so that it is
 * large wherever all of one kind pass 0. */
typedef struct course {
    lbr_iteration state, residual; /* what is measured of each */
    double change[2], first;       /* the last changes; `now` of the first iteration */
    int stalled, n;
} course;

static double relative(const double *change, const double *size)
{
    return (change[0] > 0 ? change[0] / size[0] : change[0]) + (change[1] > 0 ? change[1] / size[1] : change[1]);
}

/* The sizes of positions and of momenta: what is added over the step, and the sum. */
static void sizes(const step *z, double *size)
{
    int64_t nq = z->s->sys->s.nq;
    const double *all[] = { z->y, z->y1, z->d };

    size[0] = size[1] = 0;
    for (int k = 0; k < 3; k++) {
        size[0] = lbr_larger_or_nan(size[0], lbr_largest_or_nan(nq, all[k]));
        size[1] = lbr_larger_or_nan(size[1], lbr_largest_or_nan(z->s->n - nq, all[k] + nq));
    }
}

/* Both unknowns change. */
static void improve(step *z, double *change)
{
    const lbr_surface *s = z->s;
    int64_t n = s->n, nq = s->sys->s.nq;

    change[0] = change[1] = 0;
    for (int64_t i = 0; i < s->m; i++) {
        double along = 0;

        for (int64_t j = 0; j < n; j++) along += z->x.G[i * n + j] * z->defect[j];
        z->step[i] = along - z->x.r[i];
    }
    lbr_normal_solve(s, &z->x, z->step);
    for (int64_t j = 0; j < n; j++) z->defect[j] = -z->defect[j];
    lbr_normal_move(s, z->D0, z->step, 1, z->defect), lbr_normal_move(s, z->x.D, z->step, 1, z->defect);
    for (int64_t i = 0; i < s->m; i++) z->mu[i] += z->step[i];
    for (int64_t j = 0; j < n; j++) {
        double *most = &change[j >= nq];

        z->d[j] += z->defect[j];
        *most = lbr_larger_or_nan(*most, fabs(z->defect[j]));
    }
}

/* The defect once more, of stages as they are. */
static lbr_status once_more(step *z, int tandem, double by)
{
    lbr_status status = defect(z, tandem, by);
    double *swap = z->K;

    if (tandem && !status) z->K = z->L, z->L = swap;
    return status;
}

/* What rounding does to d, a bound for each component, into z->other: by the equations, where numbers at the
 * beginning of the step change by 2^-50 of themselves; and by multipliers that are uncertain since the values of g are.
 * made: how large what the equations make of d is, positions and momenta.
 */
static lbr_status uncertain(step *z, int tandem, double made[2])
{
    const lbr_surface *s = z->s;
    int64_t n = s->n, nq = s->sys->s.nq;
    lbr_status status = once_more(z, tandem, 1);

    if (status) return status;
    memcpy(z->other, z->defect, (size_t)n * sizeof *z->other);
    for (int64_t j = 0; j < n; j++) made[j >= nq] = lbr_larger_or_nan(made[j >= nq], fabs(z->d[j] - z->defect[j]));
    if ((status = once_more(z, tandem, LBR_NUDGED))) return status;
    for (int64_t j = 0; j < n; j++) z->other[j] = fabs(z->defect[j] - z->other[j]);
    lbr_normal_uncertain(s, &z->x, z->D0, z->step, z->to, z->other);
    return LBR_OK;
}

/* The changes no longer shrink. Are they, and what is left of g, rounding? *yes. It excuses nothing far from a solution
 * (lbr_noise_size). */
static lbr_status only_rounding(step *z, int tandem, const course *c, int *yes)
{
    const lbr_surface *s = z->s;
    int64_t n = s->n, nq = s->sys->s.nq;
    double size[2], made[2] = { 0, 0 };
    lbr_status status;

    *yes = 0;
    sizes(z, size);
    if (lbr_normal_noise(s, &z->x, &z->w->head->stats, z->t + z->h, z->y1, size, z->level))
        return failed(z, "what is projected onto");
    for (int64_t i = 0; i < s->m; i++)
        if (!(fabs(z->x.r[i]) <= LBR_POOR * z->x.noise[i])) return LBR_OK;
    if ((status = uncertain(z, tandem, made))) return status;
    for (int k = 0; k < 2; k++) {
        double noise = k ? lbr_largest_or_nan(n - nq, z->other + nq) : lbr_largest_or_nan(nq, z->other);

        if (!lbr_is_far(noise, size[k], made[k])) size[k] = lbr_larger_or_nan(size[k], noise / DBL_EPSILON);
    }
    *yes = c->change[0] <= LBR_NOISE * size[0] && c->change[1] <= LBR_NOISE * size[1];
    return LBR_OK;
}

static void counted(step *z, int64_t k) { lbr_count_iterations(&z->w->head->stats, k, k); }

static lbr_status unsolved(step *z, int64_t k, const course *c)
{
    counted(z, k);
    if (!isfinite(c->residual.now) || !isfinite(c->state.now))
        return lbr_fail(
            &z->w->message, LBR_ENOCONV,
            "the equations of a projected step were not solved: their iteration ran away, beyond all finite "
            "numbers, after %lld iterations; try a smaller step",
            (long long)k);
    if (lbr_iteration_small(&c->residual))
        return lbr_fail(&z->w->message, LBR_ENOCONV,
                        "the equations of a projected step were not solved in %lld iterations: "
                        "the state still changes by %.3g, relatively; try a smaller step",
                        (long long)k, c->state.now);
    return lbr_fail(&z->w->message, LBR_ENOCONV,
                    "the equations of a projected step were not solved in %lld iterations: "
                    "what is projected onto is still off by %.3g units of rounding; try a smaller step",
                    (long long)k, c->residual.now);
}

/* Where an iteration converges slowly, it may well have a change that is not smaller than the last before it is at its
 * end. */
static int quick(const course *c) { return c->n < 3 || pow(c->state.last / c->first, 1.0 / (c->n - 2)) < fast; }

/* Is the end reached? *yes. */
static lbr_status ended(step *z, int tandem, course *c, int *yes)
{
    *yes = lbr_iteration_settled(&c->state) && lbr_iteration_settled(&c->residual) &&
           (c->state.now <= LBR_EXACT || quick(c));
    return *yes || !c->stalled ? LBR_OK : only_rounding(z, tandem, c, yes);
}

/* One iteration, and how it went; 0 where it runs away. */
static int advance(step *z, course *c)
{
    int64_t nq = z->s->sys->s.nq;
    double y1[2] = { lbr_largest_or_nan(nq, z->y1), lbr_largest_or_nan(z->s->n - nq, z->y1 + nq) }, size[2];

    improve(z, c->change);
    sizes(z, size);
    lbr_iteration_put(&c->state, relative(c->change, y1));
    if (!c->n++) c->first = c->state.now;
    c->stalled = lbr_iteration_stalls(&c->state);
    return relative(c->change, size) < LBR_FAR && !lbr_iteration_away(&c->residual);
}

/* --- with all derivatives ---------------------------------------------------------------------------------------- */

/* e and g for d and mu in one, and how large they are: changes of the state against the state, g in its own rounding.
 */
static int equations(void *ctx, const double *x, double *F, double *size)
{
    step *z = ctx;
    const lbr_surface *s = z->s;
    int64_t n = s->n, nq = s->sys->s.nq;
    lbr_stats *stats = &z->w->head->stats;
    double of[2], most[2];

    memcpy(z->d, x, (size_t)n * sizeof *x), memcpy(z->mu, x + n, (size_t)s->m * sizeof *x);
    for (int64_t j = 0; j < n; j++) z->y1[j] = sum(z, j, z->d[j]);
    if (directions(z) || lbr_surface_value(s, stats, z->t + z->h, z->y1, z->level, z->x.r, z->x.room) ||
        defect(z, 0, 1))
        return 1;
    memcpy(F, z->defect, (size_t)n * sizeof *F), memcpy(F + n, z->x.r, (size_t)s->m * sizeof *F);
    sizes(z, of);
    most[0] = lbr_largest_or_nan(nq, F), most[1] = lbr_largest_or_nan(n - nq, F + nq);
    *size = relative(most, of) + DBL_EPSILON * lbr_surface_scaled(s, z->y1, z->level, z->x.G, z->x.r);
    return 0;
}

static int allowed(const step *z) { return z->newton && z->w->setup->solver != LBR_SOLVER_FIXED_POINT; }

/* From d and mu as they are; the message stays that of the iteration that has failed, unless this helps. 0: it has. */
static lbr_status newton(step *z)
{
    const lbr_surface *s = z->s;
    int64_t n = s->n, nq = s->sys->s.nq, all = n + s->m;
    double *x = z->newton, *scale = x + all, size[2];
    lbr_damped q = { .n = all, .most = LBR_DAMPED_MOST, .F = equations, .ctx = z, .scale = scale };
    lbr_message why = z->w->message;
    int there;

    memcpy(z->y1, z->y, (size_t)n * sizeof *z->y1);
    sizes(z, size);
    for (int64_t j = 0; j < n; j++) scale[j] = size[j >= nq] > 0 ? size[j >= nq] : 1, x[j] = z->d[j];
    for (int64_t i = 0; i < s->m; i++) {
        double far = fmax(lbr_largest_or_nan(nq, z->D0 + i * n) / scale[0],
                          lbr_largest_or_nan(n - nq, z->D0 + i * n + nq) / scale[n - 1]);

        scale[n + i] = far > 0 ? 1 / far : 1, x[n + i] = z->mu[i];
    }
    there = !lbr_damped_newton(&q, x, scale + all) && q.size <= LBR_NOISE;
    counted(z, q.iterations);
    z->w->message = why;
    return there ? LBR_OK : LBR_ENOCONV;
}

/* --- the iteration ----------------------------------------------------------------------------------------------- */

/* From mu and d as they are. */
static lbr_status iterate(step *z, int tandem)
{
    const lbr_surface *s = z->s;
    lbr_stats *stats = &z->w->head->stats;
    course c = { .state = lbr_increments_begin(), .residual = lbr_residuals_begin() };
    int64_t most = z->w->setup->max_iterations;
    lbr_status status;
    int yes;

    for (int64_t k = 1; k <= most; k++) {
        for (int64_t j = 0; j < s->n; j++) z->y1[j] = sum(z, j, z->d[j]);
        if ((status = directions(z))) return status;
        if (lbr_surface_value(s, stats, z->t + z->h, z->y1, z->level, z->x.r, z->x.room))
            return failed(z, "what is projected onto");
        lbr_iteration_put(&c.residual, lbr_surface_scaled(s, z->y1, z->level, z->x.G, z->x.r));
        if ((status = ended(z, tandem, &c, &yes))) return status;
        if (yes) return counted(z, k), LBR_OK;
        if (k == 1 && (status = lbr_normal_factor(s, &z->x, z->D0, &z->w->message))) return status;
        if ((status = defect(z, tandem, 1))) return status;
        if (!advance(z, &c)) return unsolved(z, k, &c);
    }
    if (!lbr_iteration_small(&c.state) || !lbr_iteration_small(&c.residual)) return unsolved(z, most, &c);
    counted(z, most);
    return c.state.now > LBR_EXACT && allowed(z) ? newton(z) : LBR_OK; /* all but there, and slow */
}

/* The first guess: mu = 0 and no step at all, or what a step without projection gives. */
static lbr_status guess(step *z, int tandem)
{
    int64_t n = z->s->n;
    lbr_status status = LBR_OK;

    memset(z->mu, 0, (size_t)z->s->m * sizeof *z->mu), memset(z->d, 0, (size_t)n * sizeof *z->d);
    if (tandem) {
        lbr_bound_count(&z->w->setup->sys, &z->w->head->stats, 1);
        status = rates(z, 0, z->y, z->K);
        for (int64_t i = 1; i < z->c->tandem->s && !status; i++) memcpy(z->K + i * n, z->K, (size_t)n * sizeof *z->K);
        for (int64_t j = 0; j < n && !status; j++) z->d[j] = z->hc * z->K[j];
        return status;
    }
    memset(z->defect, 0, (size_t)n * sizeof *z->defect), memcpy(z->from, z->y, (size_t)n * sizeof *z->from);
    if (z->e) memcpy(z->from + n, z->e, (size_t)n * sizeof *z->from);
    if ((status = whole_step(z))) return status;
    for (int64_t j = 0; j < n; j++) z->d[j] = z->plain[j] = -z->defect[j];
    return LBR_OK;
}

/* What earlier steps tell; of d only what the projection makes of it, where stages are not solved for. 0: nothing. */
static int foretell(step *z, int tandem)
{
    int64_t n = z->s->n;

    if (tandem)
        return lbr_foretell(&z->told[2], z->K) && lbr_foretell(&z->told[1], z->d) && lbr_foretell(&z->told[0], z->mu);
    if (!lbr_foretell(&z->told[1], z->other) || !lbr_foretell(&z->told[0], z->mu)) return 0;
    for (int64_t j = 0; j < n; j++) z->d[j] = z->plain[j] + z->other[j];
    return 1;
}

static void keep(step *z, int tandem)
{
    for (int64_t j = 0; j < z->s->n; j++) z->other[j] = z->d[j] - (tandem ? 0 : z->plain[j]);
    lbr_foretold_keep(&z->told[0], z->mu), lbr_foretold_keep(&z->told[1], z->other);
    if (tandem) lbr_foretold_keep(&z->told[2], z->K);
}

/* The guess as it was, if there is one. */
static lbr_status guess_again(step *z, int tandem)
{
    if (tandem) return guess(z, 1);
    memcpy(z->d, z->plain, (size_t)z->s->n * sizeof *z->d), memset(z->mu, 0, (size_t)z->s->m * sizeof *z->mu);
    return LBR_OK;
}

/* From what is foretold, and where that leads nowhere, without. */
static lbr_status begin_and_iterate(step *z, int tandem)
{
    lbr_status status;

    if (!tandem && (status = guess(z, 0))) return status;
    status = foretell(z, tandem) ? iterate(z, tandem) : LBR_ENOCONV;
    if (status && !(status = guess_again(z, tandem))) status = iterate(z, tandem);
    if (!status) keep(z, tandem);
    return status;
}

lbr_status lbr_projected_symmetric(step *z)
{
    const lbr_surface *s = z->s;
    lbr_stats *stats = &z->w->head->stats;
    lbr_status status;

    if (lbr_surface_gradients(s, stats, z->t, z->y, z->x.G, z->x.room) ||
        lbr_surface_directions(s, z->t, z->y, z->x.G, z->D0, z->x.room))
        return failed(z, "a derivative of what is projected onto");
    if (z->c->tandem) {
        status = begin_and_iterate(z, 1);
        if (status != LBR_ENOCONV || z->w->setup->solver != LBR_SOLVER_AUTO) return status;
    }
    if ((status = begin_and_iterate(z, 0)) != LBR_ENOCONV || !allowed(z)) return status;
    return guess(z, 0) ? status : newton(z);
}
