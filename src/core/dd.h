/* dd.h - double-double arithmetic: about 31 decimal digits, for coefficients and certificates.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A value is the unevaluated sum hi + lo with |lo| <= ulp(hi)/2. Needs strict IEEE arithmetic. */
#ifndef LBR_CORE_DD_H
#define LBR_CORE_DD_H
#include <math.h>
#include <stddef.h>

typedef struct {
    double hi, lo;
} lbr_dd;

static inline lbr_dd dd(double x) { return (lbr_dd){ x, 0 }; }

/* hi + lo exactly, for |hi| >= |lo|. */
static inline lbr_dd dd_norm(double hi, double lo)
{
    double s = hi + lo;
    return (lbr_dd){ s, lo - (s - hi) };
}

static inline lbr_dd dd_sum(double a, double b)
{
    double s = a + b, t = s - a;
    return (lbr_dd){ s, (a - (s - t)) + (b - t) };
}

static inline lbr_dd dd_prod(double a, double b)
{
    double p = a * b;
    return (lbr_dd){ p, fma(a, b, -p) };
}

static inline lbr_dd dd_neg(lbr_dd a) { return (lbr_dd){ -a.hi, -a.lo }; }

static inline lbr_dd dd_add(lbr_dd a, lbr_dd b)
{
    lbr_dd s = dd_sum(a.hi, b.hi), t = dd_sum(a.lo, b.lo);
    s = dd_norm(s.hi, s.lo + t.hi);
    return dd_norm(s.hi, s.lo + t.lo);
}

static inline lbr_dd dd_sub(lbr_dd a, lbr_dd b) { return dd_add(a, dd_neg(b)); }

static inline lbr_dd dd_mul(lbr_dd a, lbr_dd b)
{
    lbr_dd p = dd_prod(a.hi, b.hi);
    return dd_norm(p.hi, p.lo + fma(a.hi, b.lo, a.lo * b.hi));
}

static inline lbr_dd dd_scale(double a, lbr_dd b) { return dd_mul(dd(a), b); }

static inline lbr_dd dd_div(lbr_dd a, lbr_dd b)
{
    double q1 = a.hi / b.hi, q2, q3;
    lbr_dd r = dd_sub(a, dd_scale(q1, b));

    q2 = r.hi / b.hi;
    r = dd_sub(r, dd_scale(q2, b));
    q3 = r.hi / b.hi;
    return dd_add(dd_norm(q1, q2), dd(q3));
}

static inline lbr_dd dd_sqrt(lbr_dd a)
{
    if (!(a.hi > 0)) return dd(a.hi == 0 ? 0 : NAN);
    double x = sqrt(a.hi);
    lbr_dd r = dd_sub(a, dd_prod(x, x));

    lbr_dd y = dd_norm(x, r.hi / (2 * x));
    r = dd_sub(a, dd_mul(y, y)); /* a second Newton step: full precision */
    return dd_add(y, dd(r.hi / (2 * x)));
}

static inline lbr_dd dd_pow(lbr_dd a, int n)
{
    lbr_dd r = dd(1);
    for (; n > 0; n--) r = dd_mul(r, a);
    return r;
}

static inline lbr_dd dd_abs(lbr_dd a) { return a.hi < 0 ? dd_neg(a) : a; }
static inline int dd_less(lbr_dd a, lbr_dd b) { return a.hi < b.hi || (a.hi == b.hi && a.lo < b.lo); }
static inline double dd_double(lbr_dd a) { return a.hi + a.lo; }

/* a^(1/n) for a > 0. */
lbr_dd lbr_dd_root(lbr_dd a, int n);

/* Reads "-0.25", "1e-3", "1/6" or "-23/270"; 0 if text is exactly one such number, -1 otherwise. */
int lbr_dd_read(const char *text, lbr_dd *value);

enum { LBR_DD_TEXT = 48 };
/* The value with `digits` significant digits (at most 34) as plain decimal text that lbr_dd_read reads back. */
const char *lbr_dd_write(lbr_dd a, int digits, char text[LBR_DD_TEXT]);
#endif
