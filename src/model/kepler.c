/* kepler.c - the exact flow of the Kepler problem in universal variables. SPDX-License-Identifier: BSD-3-Clause
 *
 * With mu = k/m, v = p/m, eta = q.v and beta = 2 mu/r - v^2 (positive on ellipses), the variable X with dX = dt/r makes
 * everything entire functions of beta X^2: G1 = X - beta G3, G2 = X^2/2! - beta X^4/4! + ..., G3 = X^3/3! - beta X^5/5!
 * + ...; then
 *
 *     s = r G1 + eta G2 + mu G3,     r(s) = r + eta G1 + (mu - beta r) G2,     eta(s) = eta G0 + (mu - beta r) G1,
 *     q(s) = q - mu/r G2 q + (r G1 + eta G2) v,     v(s) = v - mu/(r r(s)) G1 q - mu/r(s) G2 v.
 *
 * Short steps are computed in double. Where that would lose digits (long arcs, or from far away to close by) the same
 * is done in double-double; there too only + - * / sqrt fma are used. Of s < 0 the mirror image is computed, so minus
 * undoes a step. */
#include "kepler.h"

#include <math.h>
#include <stddef.h>

#include "core/dd.h"

/* --- the equation of time ---------------------------------------------------------------------------------------- */

typedef struct arc {
    double excess, r, eta;
} arc; /* the time to X minus s, and its first two derivatives */
/* 0; 1: X is far too large; -1: not to be computed this way. */
typedef int curve(const void *orbit, double X, arc *a);

/* The X > 0 where the excess is 0; it grows with X. Laguerre's method for degree 5 (Conway 1986), which converges to
 * the third order and from afar, kept in the interval by bisection. 0, or -1. */
static int solve(curve *f, const void *orbit, double first, double most, double *X)
{
    double low = 0, high = most, x = first < most ? first : most / 2, next, step;
    arc a = { 0, 1, 0 };

    for (int i = 0; i < 300; i++, x = next) {
        int beyond = f(orbit, x, &a);

        if (beyond < 0) return -1;
        if (beyond || a.excess > 0) high = x;
        else low = x;
        step = -5 * a.excess / (a.r + sqrt(fabs(16 * a.r * a.r - 20 * a.excess * a.eta)));
        next = x + step;
        if (!beyond && fabs(step) <= 0x1p-26 * x) return *X = next, 0;
        if (beyond || !(next > low && next < high)) {
            next = isfinite(high) ? low + (high - low) / 2 : 2 * x;
            if (!(next > low && next < high)) return *X = x, beyond ? -1 : 0;
        }
    }
    return -1;
}

/* What the result is made of: dq = f q + g v, dv = df q + dg v. */
typedef struct factors {
    lbr_dd f, g, df, dg;
} factors;

/* 1/n! for n = 2, 3, ... */
static const lbr_dd inverse[] = { { 0x1p-1, 0 },
                                  { 0x1.5555555555555p-3, 0x1.5555555555555p-57 },
                                  { 0x1.5555555555555p-5, 0x1.5555555555555p-59 },
                                  { 0x1.1111111111111p-7, 0x1.1111111111111p-63 },
                                  { 0x1.6c16c16c16c17p-10, -0x1.f49f49f49f49fp-65 },
                                  { 0x1.a01a01a01a01ap-13, 0x1.a01a01a01a01ap-73 },
                                  { 0x1.a01a01a01a01ap-16, 0x1.a01a01a01a01ap-76 },
                                  { 0x1.71de3a556c734p-19, -0x1.c154f8ddc6cp-73 },
                                  { 0x1.27e4fb7789f5cp-22, 0x1.cbbc05b4fa99ap-76 },
                                  { 0x1.ae64567f544e4p-26, -0x1.c062e06d1f209p-80 },
                                  { 0x1.1eed8eff8d898p-29, -0x1.2aec959e14c06p-83 },
                                  { 0x1.6124613a86d09p-33, 0x1.f28e0cc748ebep-87 },
                                  { 0x1.93974a8c07c9dp-37, 0x1.05d6f8a2efd1fp-92 },
                                  { 0x1.ae7f3e733b81fp-41, 0x1.1d8656b0ee8cbp-97 },
                                  { 0x1.ae7f3e733b81fp-45, 0x1.1d8656b0ee8cbp-101 },
                                  { 0x1.952c77030ad4ap-49, 0x1.ac981465ddc6cp-103 },
                                  { 0x1.6827863b97d97p-53, 0x1.eec01221a8b0bp-107 },
                                  { 0x1.2f49b46814157p-57, 0x1.2650f61dbdcb4p-112 },
                                  { 0x1.e542ba4020225p-62, 0x1.ea72b4afe3c2fp-120 },
                                  { 0x1.71b8ef6dcf572p-66, -0x1.d043ae40c4647p-120 },
                                  { 0x1.0ce396db7f853p-70, -0x1.aebcdbd20331cp-124 },
                                  { 0x1.761b41316381ap-75, -0x1.3423c7d91404fp-130 },
                                  { 0x1.f2cf01972f578p-80, -0x1.9ada5fcc1ab14p-135 },
                                  { 0x1.3f3ccdd165fa9p-84, -0x1.58ddadf344487p-139 },
                                  { 0x1.88e85fc6a4e5ap-89, -0x1.71c37ebd1654p-143 },
                                  { 0x1.d1ab1c2dccea3p-94, 0x1.054d0c78aea14p-149 } };

/* --- short steps, in double -------------------------------------------------------------------------------------- */

typedef struct near_orbit {
    double r, eta, mu, beta, s;
} near_orbit;
typedef struct near_place {
    double G1, G2, g, time, r, eta;
} near_place;

static int near_at(const near_orbit *o, double X, near_place *a)
{
    enum { TERMS = 11 };
    double z = o->beta * X * X, c2 = 0, c3 = 0, G3, other = o->mu - o->beta * o->r;

    if (!(fabs(z) <= 2)) return -1; /* the series would be long and G0 lose digits */
    for (int n = TERMS - 1; n >= 0; n--) c2 = inverse[2 * n].hi - z * c2, c3 = inverse[2 * n + 1].hi - z * c3;
    G3 = X * X * X * c3;
    a->G2 = X * X * c2, a->G1 = X - o->beta * G3;
    a->g = o->r * a->G1 + o->eta * a->G2;
    a->time = a->g + o->mu * G3;
    a->r = o->r + (o->eta * a->G1 + other * a->G2);
    a->eta = o->eta * (1 - o->beta * a->G2) + other * a->G1;
    return 0;
}

static int near_curve(const void *orbit, double X, arc *out)
{
    const near_orbit *o = orbit;
    near_place a;

    if (near_at(o, X, &a)) return -1;
    *out = (arc){ a.time - o->s, a.r, a.eta };
    return 0;
}

/* 0; -1: to be done in double-double. */
static int near_flow(const near_orbit *o, factors *out)
{
    double X = o->s / o->r, bend = o->eta * X / (2 * o->r);
    near_place a;

    if (!(fabs(bend) < 1) || solve(near_curve, o, X * (fabs(bend) < 0.25 ? 1 - bend : 1), INFINITY, &X)) return -1;
    if (near_at(o, X, &a) || !(a.r > o->r / 8 && a.r < o->r * 8)) return -1;
    *out = (factors){ dd(-o->mu / o->r * a.G2), dd(a.g), dd(-o->mu / o->r * a.G1 / a.r), dd(-o->mu / a.r * a.G2) };
    return 0;
}

/* --- the rest, in double-double ---------------------------------------------------------------------------------- */

typedef struct far_orbit {
    lbr_dd r, eta, mu, beta, s;
} far_orbit;
typedef struct far_place {
    lbr_dd G1, G2, g, time, r, eta;
} far_place;

/* G1, G2, G3 from the series at X/2^n, doubled n times. 1: they are too large. */
static int far_functions(lbr_dd beta, lbr_dd X, lbr_dd *G1, lbr_dd *G2, lbr_dd *G3)
{
    enum { TERMS = 13 };
    lbr_dd z = dd_mul(beta, dd_mul(X, X)), c2 = dd(0), c3 = dd(0);
    int n = 0;

    if (!(fabs(z.hi) < 250000)) return 1;
    for (; fabs(z.hi) > 0.25; n++) z = dd_scale(0.25, z), X = dd_scale(0.5, X);
    for (int i = TERMS - 1; i >= 0; i--) {
        c2 = dd_sub(inverse[2 * i], dd_mul(z, c2));
        c3 = dd_sub(inverse[2 * i + 1], dd_mul(z, c3));
    }
    *G2 = dd_mul(dd_mul(X, X), c2);
    *G3 = dd_mul(dd_mul(dd_mul(X, X), X), c3);
    *G1 = dd_sub(X, dd_mul(beta, *G3));
    for (; n > 0; n--) {
        lbr_dd G0 = dd_sub(dd(1), dd_mul(beta, *G2));

        *G3 = dd_scale(2, dd_add(*G3, dd_mul(*G1, *G2)));
        *G2 = dd_scale(2, dd_mul(*G1, *G1));
        *G1 = dd_scale(2, dd_mul(G0, *G1));
    }
    return 0;
}

static int far_at(const far_orbit *o, lbr_dd X, far_place *a)
{
    lbr_dd G3, other = dd_sub(o->mu, dd_mul(o->beta, o->r));

    if (far_functions(o->beta, X, &a->G1, &a->G2, &G3)) return 1;
    a->g = dd_add(dd_mul(o->r, a->G1), dd_mul(o->eta, a->G2));
    a->time = dd_add(a->g, dd_mul(o->mu, G3));
    a->r = dd_add(o->r, dd_add(dd_mul(o->eta, a->G1), dd_mul(other, a->G2)));
    a->eta = dd_add(dd_sub(o->eta, dd_mul(dd_mul(o->beta, o->eta), a->G2)), dd_mul(other, a->G1));
    return 0;
}

static int far_curve(const void *orbit, double X, arc *out)
{
    const far_orbit *o = orbit;
    far_place a;

    if (far_at(o, dd(X), &a)) return 1;
    *out = (arc){ dd_sub(a.time, o->s).hi, a.r.hi, a.eta.hi };
    return !isfinite(out->excess) || !isfinite(out->r);
}

/* On an ellipse: s without whole periods; most becomes the X of one. -1: too many of them. */
static int reduce(far_orbit *o, double *most, double *periods)
{
    static const lbr_dd two_pi = { 0x1.921fb54442d18p+2, 0x1.1a62633145c07p-52 };
    lbr_dd X = dd_div(two_pi, dd_sqrt(o->beta)), period = dd_div(dd_mul(X, o->mu), o->beta);

    *most = X.hi * (1 + 0x1p-50);
    *periods = floor(o->s.hi / period.hi);
    if (!(*periods < 0x1p50)) return -1;
    o->s = dd_sub(o->s, dd_scale(*periods, period));
    if (o->s.hi < 0) o->s = dd_add(o->s, period);
    return 0;
}

/* `falls`: on a line, so that close to the centre means in it. */
static int far_flow(far_orbit o, int falls, factors *out)
{
    double x = o.s.hi / o.r.hi, most = INFINITY, periods = 0;
    lbr_dd X, nu;
    far_place a;

    if (o.beta.hi > 0) {
        if (reduce(&o, &most, &periods) || (falls && periods > 0)) return -1;
        x = o.s.hi * o.beta.hi / o.mu.hi;
    }
    if (!(o.s.hi > 0)) return *out = (factors){ dd(0), dd(0), dd(0), dd(0) }, 0;
    if (solve(far_curve, &o, x, most, &x)) return -1;
    X = dd(x);
    for (int i = 0; i < 2; i++) {
        if (far_at(&o, X, &a)) return -1;
        X = dd_add(X, dd_div(dd_sub(o.s, a.time), a.r));
    }
    if (far_at(&o, X, &a) || !(a.r.hi > 0) || (falls && !(a.g.hi > 0))) return -1;
    nu = dd_neg(dd_div(o.mu, o.r));
    *out = (factors){ dd_mul(nu, a.G2), a.g, dd_div(dd_mul(nu, a.G1), a.r), dd_neg(dd_div(dd_mul(o.mu, a.G2), a.r)) };
    return 0;
}

/* --- bodies ------------------------------------------------------------------------------------------------------ */

static lbr_dd dot(int64_t d, const double *x, const double *y)
{
    lbr_dd sum = dd(0);

    for (int64_t i = 0; i < d; i++) sum = dd_add(sum, dd_prod(x[i], y[i]));
    return sum;
}

/* Whether q and p are exactly on one line through the centre. */
static int on_a_line(int64_t d, const double *q, const double *p)
{
    int64_t j = 0;

    for (int64_t i = 1; i < d; i++)
        if (fabs(q[i]) > fabs(q[j])) j = i;
    for (int64_t i = 0; i < d; i++) {
        lbr_dd x = dd_prod(q[i], p[j]), y = dd_prod(q[j], p[i]);
        if (x.hi != y.hi || x.lo != y.lo) return 0;
    }
    return 1;
}

/* The factors of q and p over the time |s|; r, p2 and qp are |q|, |p|^2 and q.p. */
static int factors_of(int64_t d, double m, double k, double s, const double *q, const double *p, double r, double p2,
                      double qp, factors *out)
{
    double sign = s < 0 ? -1 : 1, mu = k / m;
    near_orbit o = { r, sign * qp / m, mu, 2 * mu / r - p2 / m / m, fabs(s) };
    int falls = k > 0 && on_a_line(d, q, p);

    if (near_flow(&o, out)) {
        lbr_dd M = dd_div(dd(k), dd(m)), R = dd_sqrt(dot(d, q, q)), v2 = dd_div(dd_div(dot(d, p, p), dd(m)), dd(m));
        far_orbit far = { R, dd_scale(sign, dd_div(dot(d, q, p), dd(m))), M, dd_sub(dd_div(dd_scale(2, M), R), v2),
                          dd(fabs(s)) };

        if (far_flow(far, falls, out)) return -1;
        out->g = dd_div(dd_scale(sign, out->g), dd(m)), out->df = dd_scale(sign * m, out->df);
        return 0;
    }
    if (falls && !(out->g.hi > 0)) return -1; /* it has been in the centre */
    out->g = dd(sign * out->g.hi / m), out->df = dd(sign * out->df.hi * m);
    return 0;
}

/* Checks, and what is too simple for the above. 0, or -1. */
static int find(int64_t d, double m, double k, double s, const double *q, const double *p, factors *out)
{
    double r2 = 0, p2 = 0, qp = 0, r, l;

    if (!(d > 0 && m > 0 && isfinite(m) && isfinite(k / m) && isfinite(s))) return -1;
    for (int64_t i = 0; i < d; i++) r2 += q[i] * q[i], p2 += p[i] * p[i], qp += q[i] * p[i];
    if (!(r2 > 1e-250 && r2 < 1e250 && p2 < 1e250)) return -1;
    r = sqrt(r2), l = sqrt(p2);
    *out = (factors){ dd(0), dd(s / m), dd(0), dd(0) };
    if (s != 0 && k != 0 && factors_of(d, m, k, s, q, p, r, p2, qp, out)) return -1;
    return fabs(out->f.hi) * r + fabs(out->g.hi) * l < 1e300 && fabs(out->df.hi) * r + fabs(out->dg.hi) * l < 1e300
               ? 0
               : -1;
}

/* base + a x + b y; rounded once where it matters. */
static double combine(double base, lbr_dd a, double x, lbr_dd b, double y)
{
    if (a.lo == 0 && b.lo == 0) return base + fma(a.hi, x, b.hi * y);
    return dd_double(dd_add(dd(base), dd_add(dd_scale(x, a), dd_scale(y, b))));
}

int lbr_kepler_flow(int64_t d, double m, double k, double s, double *q, double *p)
{
    factors F;

    if (find(d, m, k, s, q, p, &F)) return -1;
    for (int64_t i = 0; i < d; i++) {
        double x = q[i], y = p[i];
        q[i] = combine(x, F.f, x, F.g, y), p[i] = combine(y, F.df, x, F.dg, y);
    }
    return 0;
}

int lbr_kepler_increment(int64_t d, double m, double k, double s, const double *q, const double *p, double *dq,
                         double *dp)
{
    factors F;

    if (find(d, m, k, s, q, p, &F)) return -1;
    for (int64_t i = 0; i < d; i++)
        dq[i] = combine(0, F.f, q[i], F.g, p[i]), dp[i] = combine(0, F.df, q[i], F.dg, p[i]);
    return 0;
}
