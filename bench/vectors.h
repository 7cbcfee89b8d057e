/* vectors.h - eight numbers at a time, for loops written by hand. SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_VECTORS_H
#define BENCH_VECTORS_H
#include <math.h>
#ifdef __AVX512F__
    #include <immintrin.h>
#endif

#pragma GCC diagnostic ignored "-Wpsabi" /* all of this is inlined */
typedef double v8 __attribute__((vector_size(64)));

static inline v8 all(double x) { return (v8){ x, x, x, x, x, x, x, x }; }
#ifdef __AVX512F__
static inline v8 vfma(v8 a, v8 b, v8 c) { return _mm512_fmadd_pd(a, b, c); }
static inline v8 vsqrt(v8 a) { return _mm512_sqrt_pd(a); }
static inline v8 vmax(v8 a, v8 b) { return _mm512_max_pd(a, b); }
static inline v8 vabs(v8 a) { return _mm512_abs_pd(a); }
#else
static inline v8 vfma(v8 a, v8 b, v8 c)
{
    for (int i = 0; i < 8; i++) c[i] = fma(a[i], b[i], c[i]);
    return c;
}
static inline v8 vsqrt(v8 a)
{
    for (int i = 0; i < 8; i++) a[i] = sqrt(a[i]);
    return a;
}
static inline v8 vmax(v8 a, v8 b)
{
    for (int i = 0; i < 8; i++) a[i] = a[i] > b[i] ? a[i] : b[i];
    return a;
}
static inline v8 vabs(v8 a)
{
    for (int i = 0; i < 8; i++) a[i] = fabs(a[i]);
    return a;
}
#endif

/* c / r^3 */
static inline v8 weight(v8 c, const v8 *d, double soft2)
{
    v8 r2 = vfma(d[0], d[0], vfma(d[1], d[1], vfma(d[2], d[2], all(soft2))));

    return c / (r2 * vsqrt(r2));
}
#endif
