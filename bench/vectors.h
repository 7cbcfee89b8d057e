/* vectors.h - numbers side by side, for loops written by hand: eight, or VECTOR_WIDTH = 4 of them.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_VECTORS_H
#define BENCH_VECTORS_H
#include <math.h>
#ifdef __AVX2__
    #include <immintrin.h>
#endif
#ifndef VECTOR_WIDTH
    #define VECTOR_WIDTH 8
#endif

#pragma GCC diagnostic ignored "-Wpsabi" /* all of this is inlined */
typedef double vec __attribute__((vector_size(8 * VECTOR_WIDTH)));

static inline vec all(double x) { return x - (vec){ 0 }; }
#if defined __AVX512F__ && VECTOR_WIDTH == 8
static inline vec vfma(vec a, vec b, vec c) { return _mm512_fmadd_pd(a, b, c); }
static inline vec vsqrt(vec a) { return _mm512_sqrt_pd(a); }
static inline vec vmax(vec a, vec b) { return _mm512_max_pd(a, b); }
static inline vec vabs(vec a) { return _mm512_abs_pd(a); }
#elif defined __AVX2__ && defined __FMA__ && VECTOR_WIDTH == 4
static inline vec vfma(vec a, vec b, vec c) { return _mm256_fmadd_pd(a, b, c); }
static inline vec vsqrt(vec a) { return _mm256_sqrt_pd(a); }
static inline vec vmax(vec a, vec b) { return _mm256_max_pd(a, b); }
static inline vec vabs(vec a) { return _mm256_andnot_pd(_mm256_set1_pd(-0.0), a); }
#else
static inline vec vfma(vec a, vec b, vec c)
{
    for (int i = 0; i < VECTOR_WIDTH; i++) c[i] = fma(a[i], b[i], c[i]);
    return c;
}
static inline vec vsqrt(vec a)
{
    for (int i = 0; i < VECTOR_WIDTH; i++) a[i] = sqrt(a[i]);
    return a;
}
static inline vec vmax(vec a, vec b)
{
    for (int i = 0; i < VECTOR_WIDTH; i++) a[i] = a[i] > b[i] ? a[i] : b[i];
    return a;
}
static inline vec vabs(vec a)
{
    for (int i = 0; i < VECTOR_WIDTH; i++) a[i] = fabs(a[i]);
    return a;
}
#endif

/* c / r^3 */
static inline vec weight(vec c, const vec *d, double soft2)
{
    vec r2 = vfma(d[0], d[0], vfma(d[1], d[1], vfma(d[2], d[2], all(soft2))));

    return c / (r2 * vsqrt(r2));
}
#endif
