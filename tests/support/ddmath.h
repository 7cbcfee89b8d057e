/* ddmath.h - elementary functions in double-double arithmetic, to about 29 digits; plain series, for tests.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DDMATH_H
#define DDMATH_H
#include "core/dd.h"

static const lbr_dd ddm_ln2 = { 0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56 },
                    ddm_pi = { 0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53 };

static inline lbr_dd ddm_half(lbr_dd a, int n) { return (lbr_dd){ ldexp(a.hi, -n), ldexp(a.lo, -n) }; }

/* exp(x) - 1 for |x| <= 0.4: a series of x/1024, then e <- 2 e + e^2. */
static inline lbr_dd ddm_expm1_small(lbr_dd x)
{
    lbr_dd r = ddm_half(x, 10), sum = r, term = r;

    for (int n = 2; n < 11; n++) term = dd_div(dd_mul(term, r), dd(n)), sum = dd_add(sum, term);
    for (int k = 0; k < 10; k++) sum = dd_add(dd_scale(2, sum), dd_mul(sum, sum));
    return sum;
}

static inline lbr_dd ddm_exp(lbr_dd x)
{
    double k = rint(x.hi / ddm_ln2.hi);
    lbr_dd e;

    if (!(fabs(x.hi) < 700)) return dd(exp(x.hi));
    e = dd_add(dd(1), ddm_expm1_small(dd_sub(x, dd_scale(k, ddm_ln2))));
    return (lbr_dd){ ldexp(e.hi, (int)k), ldexp(e.lo, (int)k) };
}

static inline lbr_dd ddm_expm1(lbr_dd x) { return fabs(x.hi) < 0.3 ? ddm_expm1_small(x) : dd_sub(ddm_exp(x), dd(1)); }

/* One step of Newton from the double: d = x exp(-y) - 1, log = y + d - d^2/2. */
static inline lbr_dd ddm_log(lbr_dd x)
{
    lbr_dd y = dd(log(x.hi)), d;

    if (!isfinite(y.hi)) return y;
    d = dd_sub(dd_mul(x, ddm_exp(dd_neg(y))), dd(1));
    return dd_add(y, dd_sub(d, ddm_half(dd_mul(d, d), 1)));
}

/* Reduced to |x| <= pi/4. */
static inline void ddm_sincos(lbr_dd x, lbr_dd *s, lbr_dd *c)
{
    double k = rint(x.hi / (ddm_pi.hi / 2));
    lbr_dd r = dd_sub(x, dd_scale(k, ddm_half(ddm_pi, 1))), term = dd(1), a = dd(0), b = dd(1), swap;

    for (int n = 1; n < 34; n++) {
        term = dd_div(dd_mul(term, r), dd(n));
        if (n & 1) a = n & 2 ? dd_sub(a, term) : dd_add(a, term);
        else b = n & 2 ? dd_sub(b, term) : dd_add(b, term);
    }
    for (int q = (int)(k - 4 * floor(k / 4)); q > 0; q--) swap = a, a = b, b = dd_neg(swap);
    *s = a, *c = b;
}

/* tan(atan(x) - y) = (x cos y - sin y)/(cos y + x sin y), from the double y. */
static inline lbr_dd ddm_atan(lbr_dd x)
{
    lbr_dd y = dd(atan(x.hi)), s, c, d;

    ddm_sincos(y, &s, &c);
    d = dd_div(dd_sub(dd_mul(x, c), s), dd_add(c, dd_mul(x, s)));
    return dd_add(y, d);
}

static inline lbr_dd ddm_atan2(lbr_dd y, lbr_dd x)
{
    if (dd_less(dd_abs(x), dd_abs(y))) { /* pi/2 - atan(x/y), for y < 0 with -pi/2 */
        lbr_dd r = dd_sub(ddm_half(ddm_pi, 1), ddm_atan(dd_div(x, dd_abs(y))));

        return y.hi < 0 ? dd_neg(r) : r;
    }
    if (x.hi >= 0) return x.hi == 0 ? dd(atan2(y.hi, x.hi)) : ddm_atan(dd_div(y, x));
    return dd_add(ddm_atan(dd_div(y, x)), y.hi < 0 ? dd_neg(ddm_pi) : ddm_pi);
}

static inline lbr_dd ddm_asin(lbr_dd x) { return ddm_atan2(x, dd_sqrt(dd_mul(dd_sub(dd(1), x), dd_add(dd(1), x)))); }
static inline lbr_dd ddm_acos(lbr_dd x) { return ddm_atan2(dd_sqrt(dd_mul(dd_sub(dd(1), x), dd_add(dd(1), x))), x); }

static inline lbr_dd ddm_sinh(lbr_dd x)
{
    lbr_dd e = ddm_expm1(x);
    return ddm_half(dd_add(e, dd_div(e, dd_add(dd(1), e))), 1);
}
static inline lbr_dd ddm_cosh(lbr_dd x)
{
    lbr_dd e = ddm_exp(x);
    return ddm_half(dd_add(e, dd_div(dd(1), e)), 1);
}
static inline lbr_dd ddm_tanh(lbr_dd x)
{
    lbr_dd e = ddm_expm1(dd_scale(2, x));
    return dd_div(e, dd_add(e, dd(2)));
}

static inline lbr_dd ddm_asinh(lbr_dd x)
{
    lbr_dd a = dd_abs(x), r = ddm_log(dd_add(a, dd_sqrt(dd_add(dd(1), dd_mul(a, a)))));

    return x.hi < 0 ? dd_neg(r) : r;
}

static inline lbr_dd ddm_acosh(lbr_dd x)
{
    return ddm_log(dd_add(x, dd_sqrt(dd_mul(dd_sub(x, dd(1)), dd_add(x, dd(1))))));
}
static inline lbr_dd ddm_atanh(lbr_dd x) { return ddm_half(ddm_log(dd_div(dd_add(dd(1), x), dd_sub(dd(1), x))), 1); }

/* exp(-x^2) times a series of terms of one sign. */
static inline lbr_dd ddm_erf(lbr_dd x)
{
    lbr_dd term = x, sum = x, xx = dd_scale(2, dd_mul(x, x));

    if (fabs(x.hi) > 6) return dd(erf(x.hi));
    for (int n = 1; n < 300; n++) term = dd_div(dd_mul(term, xx), dd(2 * n + 1)), sum = dd_add(sum, term);
    return dd_div(dd_mul(dd_scale(2, sum), ddm_exp(dd_neg(dd_mul(x, x)))), dd_sqrt(ddm_pi));
}

static inline lbr_dd ddm_cbrt(lbr_dd x)
{
    lbr_dd r = x.hi == 0 ? dd(0) : lbr_dd_root(dd_abs(x), 3);

    return x.hi < 0 ? dd_neg(r) : r;
}

static inline lbr_dd ddm_power(lbr_dd a, lbr_dd b)
{
    lbr_dd r;

    if (b.lo != 0 || b.hi != rint(b.hi) || fabs(b.hi) > 64)
        return a.hi == 0 ? dd(pow(a.hi, b.hi)) : ddm_exp(dd_mul(b, ddm_log(a)));
    r = dd_pow(a, (int)fabs(b.hi));
    return b.hi < 0 ? dd_div(dd(1), r) : r;
}

static inline lbr_dd ddm_floor(lbr_dd a)
{
    double f = floor(a.hi);

    return f == a.hi ? dd_norm(f, floor(a.lo)) : dd(f);
}

static inline lbr_dd ddm_mod(lbr_dd a, lbr_dd b) { return dd_sub(a, dd_mul(ddm_floor(dd_div(a, b)), b)); }
#endif
