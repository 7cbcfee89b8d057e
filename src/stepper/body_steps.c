/* body_steps.c - rigid bodies: kicks by forces and torques, and what moves attitudes.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 *     Q' = Q hat(y/I),   y' = y x (y/I) + torque(q, Q)          (HLW VII.5.9-5.12)
 *
 * with a unit quaternion for Q. The kinetic part is stepped by the discrete Moser-Veselov equations, which is RATTLE on
 * SO(3) (HLW VII.5.22, 5.23), or by exact flows of its parts (VII.5.3): turns about one axis of the body, and the
 * motion of a symmetric body. Positions that are there, too, move with the atom that moves the time. */
#include "body_steps.h"
#include "core/mem.h"
#include "solve/solve.h"

#include <math.h>
#include <string.h>

/* --- the system -------------------------------------------------------------------------------------------------- */

static lbr_status unfit(lbr_message *m, const char *why)
{
    return lbr_fail(m, LBR_EARG, "the rigid bodies of the system %s", why);
}

/* Whether one of n components from `from` on is somebody's already; from now on all are. */
static int taken(char *owned, int64_t from, int64_t n)
{
    int before = 0;

    for (int64_t i = from; i < from + n; i++) before |= owned[i], owned[i] = 1;
    return before;
}

/* Each component belongs to one thing alone. */
static lbr_status apart(lbr_setup *set, const lbr_rigid *r, lbr_message *m)
{
    char *owned = lbr_mem_alloc((size_t)set->sys.s.dim);
    lbr_status status = LBR_OK;

    if (!owned) return lbr_fail(m, LBR_ENOMEM, "out of memory for the rigid bodies");
    for (int64_t i = 0; i < r->b.n && !status; i++)
        if (taken(owned, r->e[i], 4) | taken(owned, r->y[i], 3))
            status = lbr_fail(m, LBR_EARG,
                              "the attitude or the momentum of body %lld is in components that are those of another "
                              "attitude or momentum",
                              (long long)i + 1);
    lbr_mem_free(owned);
    return status;
}

static lbr_status places(lbr_setup *set, lbr_rigid *r, lbr_message *m)
{
    const lbr_bodies *b = &r->b;
    int64_t *at = lbr_arena_alloc(set->arena, 2 * b->n, sizeof *at);

    if (!at) return lbr_fail(m, LBR_ENOMEM, "out of memory for the rigid bodies");
    for (int64_t i = 0; i < b->n; i++) {
        at[i] = b->attitude ? b->attitude[i] : 2 * b->nq + 4 * i,
        at[b->n + i] = b->momentum ? b->momentum[i] : 2 * b->nq + 4 * b->n + 3 * i;
        if (at[i] < 2 * b->nq || at[i] > set->sys.s.dim - 4 || at[b->n + i] < 2 * b->nq ||
            at[b->n + i] > set->sys.s.dim - 3)
            return unfit(m, "have places outside of the state");
    }
    r->e = at, r->y = at + b->n;
    return apart(set, r, m);
}

lbr_status lbr_rigid_make(lbr_setup *set, lbr_message *m)
{
    const lbr_bodies *b = set->sys.s.bodies;
    lbr_rigid *r;
    lbr_status status;

    if (set->rigid) return LBR_OK;
    if (!(r = lbr_arena_alloc(set->arena, 1, sizeof *r)))
        return lbr_fail(m, LBR_ENOMEM, "out of memory for the rigid bodies");
    memcpy(&r->b, b, b->size < sizeof *b ? b->size : sizeof *b);
    b = &r->b;
    if (b->n < 1 || !b->inertia) return unfit(m, "have no number or no moments of inertia");
    if (b->nq < 0 || (b->nq && (!b->inverse_mass || !b->forces)) || b->n > set->sys.s.dim / 7 ||
        b->nq > (set->sys.s.dim - 7 * b->n) / 2)
        return unfit(m, "do not fit the length of the state, or have positions without masses and forces");
    for (int64_t i = 0; i < 3 * b->n; i++)
        if (!(b->inertia[i] > 0 && isfinite(b->inertia[i])))
            return lbr_fail(m, LBR_EARG, "moment of inertia %lld of body %lld is %g; it must be positive",
                            (long long)(i % 3) + 1, (long long)(i / 3) + 1, b->inertia[i]);
    if ((status = places(set, r, m))) return status;
    set->rigid = r;
    return LBR_OK;
}

lbr_status lbr_rigid_start(const lbr_rigid *r, const double *y, lbr_message *m)
{
    for (int64_t i = 0; i < r->b.n; i++) {
        const double *e = y + r->e[i];
        double s = e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3];

        if (!(fabs(s - 1) < 2e-8))
            return lbr_fail(m, LBR_EARG, "the quaternion of body %lld has length %.9g; an attitude is one of length 1",
                            (long long)i + 1, sqrt(s));
    }
    return LBR_OK;
}

static lbr_status build(lbr_setup *set, lbr_atom *a, lbr_message *m)
{
    lbr_status status = lbr_rigid_make(set, m);

    if (!status) a->own = set->rigid->b.nq + 3 * set->rigid->b.n;
    return status;
}

/* --- forces ------------------------------------------------------------------------------------------------------ */

static lbr_status kick(lbr_work *w, const lbr_atom *a, const double *slot, double *own, double t, double h, double *y,
                       double *e)
{
    const lbr_rigid *r = w->setup->rigid;
    int64_t nq = r->b.nq;

    (void)a, (void)slot;
    if (!r->b.forces) return LBR_OK;
    w->head->stats.force++;
    if (r->b.forces(t, y, own, w->setup->sys.s.ctx))
        return lbr_fail(&w->message, LBR_ECALLBACK, "the forces on rigid bodies reported a failure");
    for (int64_t j = 0; j < nq + 3 * r->b.n; j++) own[j] *= h;
    lbr_increment(nq, y + nq, e ? e + nq : NULL, own);
    for (int64_t i = 0; i < r->b.n; i++) lbr_increment(3, y + r->y[i], e ? e + r->y[i] : NULL, own + nq + 3 * i);
    return LBR_OK;
}

const lbr_atom_kind lbr_atom_body_kick = { "torque", 1, build, NULL, kick, 0 };

/* --- attitudes --------------------------------------------------------------------------------------------------- */

/* q (1 + d, x): a turn; d = e0 - 1, without cancellation. The length, which rounding changes, is put right to first
 * order; low parts keep it by themselves. */
static void turn(double *q, double *low, double d, const double *x)
{
    double by[4] = { q[0] * d - q[1] * x[0] - q[2] * x[1] - q[3] * x[2],
                     q[1] * d + q[0] * x[0] + q[2] * x[2] - q[3] * x[1],
                     q[2] * d + q[0] * x[1] + q[3] * x[0] - q[1] * x[2],
                     q[3] * d + q[0] * x[2] + q[1] * x[1] - q[2] * x[0] },
           s;

    lbr_increment(4, q, low, by);
    if (low) return;
    s = 1.5 - 0.5 * (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int k = 0; k < 4; k++) q[k] *= s;
}

static void drift(const lbr_rigid *r, double h, double *y, double *e)
{
    int64_t nq = r->b.nq;

    for (int64_t j = 0; j < nq; j++) {
        if (e) lbr_compensate_product(&y[j], &e[j], h * r->b.inverse_mass[j], y[nq + j]);
        else y[j] += h * r->b.inverse_mass[j] * y[nq + j];
    }
}

/* h y = u + v, u = 2 e0 (I_k e_k), v = 2 ((I3 - I2) e2 e3, ...), |e| = 1 (HLW VII.5.24, with its factors of 2 put
 * right): e1, e2, e3 in turn, then e0. The new momentum is (u - v)/h. *its: iterations; 0: there is no solution, or
 * none was found. */
static int veselov_step(const double *I, double h, const double *y, double *x, double *d, double *v, int64_t most,
                        int64_t *its)
{
    double a = I[2] - I[1], b = I[0] - I[2], c = I[1] - I[0], half = h / 2, m1 = half * y[0], m2 = half * y[1],
           m3 = half * y[2];
    double e0 = 1, e1 = m1 / I[0], e2 = m2 / I[1], e3 = m3 / I[2];
    lbr_iteration i = lbr_increments_begin();

    i.small = nextafter(LBR_NOISE, 0); /* of unit quaternions, not relative; LBR_NOISE itself is too large */
    for (*its = 1; *its <= most; ++*its) {
        double n1 = (m1 - a * e2 * e3) / (e0 * I[0]), n2 = (m2 - b * e3 * n1) / (e0 * I[1]),
               n3 = (m3 - c * n1 * n2) / (e0 * I[2]), s = 1 - (n1 * n1 + n2 * n2 + n3 * n3), n0;

        if (!(s > 0)) return 0;
        n0 = sqrt(s);
        lbr_iteration_put(&i, fabs(n1 - e1) + fabs(n2 - e2) + fabs(n3 - e3) + fabs(n0 - e0));
        e0 = n0, e1 = n1, e2 = n2, e3 = n3;
        if (lbr_iteration_settled(&i)) break;
    }
    if (!lbr_iteration_small(&i)) return 0;
    x[0] = e1, x[1] = e2, x[2] = e3;
    *d = -(e1 * e1 + e2 * e2 + e3 * e3) / (1 + e0);
    v[0] = 2 * a * e2 * e3, v[1] = 2 * b * e3 * e1, v[2] = 2 * c * e1 * e2;
    return 1;
}

static lbr_status veselov(lbr_work *w, const lbr_atom *a, const double *slot, double *own, double t, double h,
                          double *y, double *e)
{
    const lbr_rigid *r = w->setup->rigid;
    lbr_stats *stats = &w->head->stats;

    (void)a, (void)slot, (void)own, (void)t;
    for (int64_t i = 0; i < r->b.n; i++) {
        double *m = y + r->y[i], x[3], d, v[3];
        int64_t its;
        int good = veselov_step(r->b.inertia + 3 * i, h, m, x, &d, v, w->setup->max_iterations, &its);

        lbr_count_iterations(stats, its, its);
        if (!good)
            return lbr_fail(&w->message, LBR_ENOCONV,
                            "the step of %g turns body %lld too far: the discrete Moser-Veselov equations have no "
                            "solution near; try a smaller step, or three-rotations",
                            h, (long long)i + 1);
        for (int k = 0; k < 3; k++) v[k] *= -2 / h;
        lbr_increment(3, m, e ? e + r->y[i] : NULL, v); /* (u - v)/h = y - 2 v/h */
        turn(y + r->e[i], e ? e + r->e[i] : NULL, d, x);
    }
    drift(r, h, y, e);
    return LBR_OK;
}

const lbr_atom_kind lbr_atom_veselov = { "Moser-Veselov", 0, build, NULL, veselov, 0 };

/* y turns by the angle `by` about its axis k: y_a' = y_b, y_b' = -y_a; the attitude with it. */
static void about(double *q, double *ql, double *y, double *yl, int k, double by)
{
    int a = (k + 1) % 3, b = (k + 2) % 3;
    double s = sin(by), c1 = -2 * sin(by / 2) * sin(by / 2), d[3] = { 0 }, x[3] = { 0 }, p = sin(by / 4);

    d[a] = c1 * y[a] + s * y[b], d[b] = c1 * y[b] - s * y[a];
    x[k] = sin(by / 2);
    lbr_increment(3, y, yl, d);
    turn(q, ql, -2 * p * p, x);
}

/* The flow of y_k^2/(2 I_k), index: k; other: 1 where positions move, too; with a second inertia, (1/I_1 - 1/I_2)
 * y_1^2/2 (index 3). */
static lbr_status axis(lbr_work *w, const lbr_atom *a, const double *slot, double *own, double t, double h, double *y,
                       double *e)
{
    const lbr_rigid *r = w->setup->rigid;
    int k = a->index == 3 ? 0 : (int)a->index;

    (void)slot, (void)own, (void)t;
    w->head->stats.flow++;
    for (int64_t i = 0; i < r->b.n; i++) {
        const double *I = r->b.inertia + 3 * i;
        double by = h * y[r->y[i] + k] * (a->index == 3 ? 1 / I[0] - 1 / I[1] : 1 / I[k]);

        about(y + r->e[i], e ? e + r->e[i] : NULL, y + r->y[i], e ? e + r->y[i] : NULL, k, by);
    }
    if (a->other) drift(r, h, y, e);
    return LBR_OK;
}

const lbr_atom_kind lbr_atom_body_axis = { "turn about an axis", 1, build, NULL, axis, 0 };

/* The flow of ((y1^2 + y2^2)/I2 + y3^2/I3)/2: the attitude turns by |y| h/I2 about y, then back by the angle by which y
 * turns about axis 3 (HLW VII.5.33). */
static lbr_status symmetric(lbr_work *w, const lbr_atom *a, const double *slot, double *own, double t, double h,
                            double *y, double *e)
{
    const lbr_rigid *r = w->setup->rigid;

    (void)a, (void)slot, (void)own, (void)t;
    w->head->stats.flow++;
    for (int64_t i = 0; i < r->b.n; i++) {
        const double *I = r->b.inertia + 3 * i;
        double *m = y + r->y[i], size = sqrt(m[0] * m[0] + m[1] * m[1] + m[2] * m[2]), half = size * h / (2 * I[1]),
               s = size > 0 ? sin(half) / size : 0, p = sin(half / 2), x[3] = { s * m[0], s * m[1], s * m[2] };

        turn(y + r->e[i], e ? e + r->e[i] : NULL, -2 * p * p, x);
        about(y + r->e[i], e ? e + r->e[i] : NULL, m, e ? e + r->y[i] : NULL, 2, h * m[2] * (1 / I[2] - 1 / I[1]));
    }
    drift(r, h, y, e);
    return LBR_OK;
}

const lbr_atom_kind lbr_atom_body_symmetric = { "symmetric body", 1, build, NULL, symmetric, 0 };
