/* random.c - random numbers as functions of a seed and indices. SPDX-License-Identifier: BSD-3-Clause */
#include "random.h"

#include <math.h>

void lbr_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4])
{
    uint32_t a = counter[0], b = counter[1], c = counter[2], d = counter[3], k = key[0], l = key[1];

    for (int round = 0; round < 10; round++, k += UINT32_C(0x9E3779B9), l += UINT32_C(0xBB67AE85)) {
        uint64_t x = UINT64_C(0xD2511F53) * a, y = UINT64_C(0xCD9E8D57) * c;

        a = (uint32_t)(y >> 32) ^ b ^ k, b = (uint32_t)y;
        c = (uint32_t)(x >> 32) ^ d ^ l, d = (uint32_t)x;
    }
    out[0] = a, out[1] = b, out[2] = c, out[3] = d;
}

double lbr_random(uint64_t seed, const int64_t *index, int n)
{
    uint32_t counter[4] = { 0 }, key[2] = { (uint32_t)seed, (uint32_t)(seed >> 32) }, out[4];
    uint64_t bits;

    if (n < 0 || n > LBR_RANDOM_INDICES) return NAN;
    for (int i = 0; i < n; i++) counter[i] = (uint32_t)(uint64_t)index[i];
    lbr_philox(counter, key, out);
    bits = (uint64_t)(out[0] >> 5) << 26 | out[1] >> 6;
    return (double)(bits | 1) * 0x1p-53; /* the last bit is set: neither 0 nor 1, and nothing is rounded */
}

/* --- the normal distribution ------------------------------------------------------------------------------------- */

/* A quotient of polynomials, lowest powers first. */
typedef struct quotient {
    double n[8], d[8];
} quotient;

/* Least-squares fits of our own, made in 60 digits. The first, of 0.140625 - w^2, is (x/w - sqrt(2 pi))/w^2 with w = u
 * - 1/2; the others, of r - from with r = sqrt(-log u), are x - sqrt(2) r. Relative to x they are right to 5e-18. */
static const quotient centre = {
    { 3.989120519383855216, 105.4865419516745677, 1062.885160446733866, 5102.187791571935674, 11899.57515094600993,
      12160.25463592061615, 3951.800701956996699, 45.95478625264599601 },
    { 1.0, 30.67929689098071182, 372.3258737451426911, 2274.493289930566602, 7362.745644913999501, 12173.04527441566266,
      8996.834756672055499, 2084.807641039165825 }
};
static const struct {
    double from;
    quotient fit;
} tails[] = {
    { 6.25,
      { { -0.3545078953538045134, -0.1441406862627076727, -0.02153539505108973534, -0.00146558388345460767,
          -0.00004586901567171671891, -5.880315303511655547e-7, -2.206749822693165069e-9, -3.423996962131097582e-13 },
        { 1.0, 0.5177985874599745065, 0.1042394157438221602, 0.0103100003137080395, 0.0005224787774526628231,
          0.00001290442176977133758, 1.332600774134900972e-7, 3.890437986915672749e-10 } } },
    { 3.0,
      { { -0.5771031548286838231, -1.068965504555754549, -0.8372478931709659236, -0.2869808479039931371,
          -0.04285144013893051319, -0.002530866026729007827, -0.00004349831130960864898, -3.608010693771786858e-8 },
        { 1.0, 2.062259102457565478, 1.832351710682656794, 0.7893550787985409977, 0.1697789322716496734,
          0.017535945974627712, 0.0007572582597966204196, 9.384228520347156685e-6 } } },
    { 1.4,
      { { -0.9034283855523734391, -1.596707933787020898, -1.084177250632555213, -0.37702321403115534,
          -0.07521515130655985761, -0.007757797886829435913, -0.0002680665560343970416, -4.958021612148263305e-7 },
        { 1.0, 2.155283700655870254, 1.854323832522365379, 0.8375783140466163044, 0.2209197968398158546,
          0.03433688034690218206, 0.002660176336199260985, 0.00006462857289372716267 } } }
};

static double value(const quotient *f, double x)
{
    double n = f->n[7], d = f->d[7];

    for (int i = 6; i >= 0; i--) n = fma(n, x, f->n[i]), d = fma(d, x, f->d[i]);
    return n / d;
}

/* -log x for 0 < x <= 1/8, where it is far from 0. x = 2^e (1 + z)/(1 - z), log of the fraction = 2 (z + z^3/3 + ...).
 * The library's logarithm would differ in the last bit from one machine to the next. */
static double minus_log(double x)
{
    static const double ln2[2] = { 0x1.62e42fefa38p-1,
                                   5.497923018708371174712e-14 }; /* the first has 42 bits: e times it is exact */
    double z, zz, sum = 0;
    int e;

    x = frexp(x, &e);
    if (x < 0.70710678118654752) x *= 2, e--;
    z = (x - 1) / (x + 1), zz = z * z;
    for (int n = 25; n >= 3; n -= 2) sum = fma(sum, zz, 1.0 / n);
    return -e * ln2[0] - (e * ln2[1] + 2 * fma(z * zz, sum, z));
}

/* The quantile of 1 - u for u <= 1/8. */
static double tail(double u)
{
    static const double root2[2] = { 1.4142135623730950488, -9.667293313452913e-17 };
    double r = sqrt(minus_log(u));
    int i = r >= tails[0].from ? 0 : r >= tails[1].from ? 1 : 2;

    return fma(r, root2[0], fma(r, root2[1], value(&tails[i].fit, r - tails[i].from)));
}

double lbr_normal_quantile(double u)
{
    static const double root2pi[2] = { 2.5066282746310005024, -1.8328579980459168e-16 };
    double w = u - 0.5, ww = w * w;

    if (!(u > 0 && u < 1)) return NAN;
    if (u < 0.125) return -tail(u);
    if (u > 0.875) return tail(1 - u);
    return fma(w, root2pi[0], w * fma(ww, value(&centre, 0.140625 - ww), root2pi[1]));
}

double lbr_normal(uint64_t seed, const int64_t *index, int n)
{
    return lbr_normal_quantile(lbr_random(seed, index, n));
}
