/* patterns.h - symmetric matrices of constraints: chains, trees, loops, cloths, and random ones.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEST_PATTERNS_H
#define TEST_PATTERNS_H
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A pattern as core/ldl.h takes it: the lower triangle by rows. */
typedef struct pattern {
    int64_t n, *row, *col;
} pattern;

static unsigned long long pattern_seed = 2024;
static inline double uniform(void)
{
    return (double)((pattern_seed = pattern_seed * 6364136223846793005ULL + 1442695040888963407ULL) >> 11) * 0x1p-53;
}

static inline int by_place(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* From edges (a, b), each once or more; the diagonal comes by itself. */
static inline pattern pattern_of(int64_t n, int64_t edges, const int64_t *ab)
{
    int64_t *key = malloc((size_t)(edges + n) * sizeof *key), count = 0;
    pattern p = { n, calloc((size_t)n + 1, sizeof *p.row), malloc((size_t)(edges + n) * sizeof *p.col) };

    for (int64_t e = 0; e < edges; e++) {
        int64_t a = ab[2 * e], b = ab[2 * e + 1];
        key[e] = (a > b ? a : b) * n + (a > b ? b : a);
    }
    for (int64_t i = 0; i < n; i++) key[edges + i] = i * n + i;
    qsort(key, (size_t)(edges + n), sizeof *key, by_place);
    for (int64_t e = 0; e < edges + n; e++)
        if (!e || key[e] != key[e - 1]) p.col[count++] = key[e] % n, p.row[key[e] / n + 1] = count;
    return free(key), p;
}

static inline void pattern_free(pattern *p) { free(p->row), free(p->col); }

/* Constraints that share a point: `ends` has the two points of each, -1 for one that is fixed. */
static inline pattern constraints_of(int64_t n, const int64_t *ends, int64_t points)
{
    int64_t *first = malloc((size_t)points * sizeof *first), *next = malloc((size_t)(2 * n) * sizeof *next), edges = 0,
            *ab;
    pattern p;

    for (int64_t i = 0; i < points; i++) first[i] = -1;
    for (int pass = 0; pass < 2; pass++) {
        if (pass) ab = malloc((size_t)(2 * edges + 1) * sizeof *ab), edges = 0;
        else ab = NULL;
        for (int64_t i = 0; i < points; i++) first[i] = -1;
        for (int64_t k = 0; k < 2 * n; k++) {
            if (ends[k] < 0) continue;
            for (int64_t other = first[ends[k]]; other >= 0; other = next[other], edges++)
                if (pass) ab[2 * edges] = k / 2, ab[2 * edges + 1] = other / 2;
            next[k] = first[ends[k]], first[ends[k]] = k;
        }
        if (pass) p = pattern_of(n, edges, ab);
        free(ab);
    }
    return free(first), free(next), p;
}

static inline pattern chain_of(int64_t n)
{
    int64_t *ends = malloc((size_t)(2 * n) * sizeof *ends);
    pattern p;

    for (int64_t i = 0; i < n; i++) ends[2 * i] = i - 1, ends[2 * i + 1] = i;
    p = constraints_of(n, ends, n);
    return free(ends), p;
}

/* Rods from the first of n points back to it. */
static inline pattern loop_of(int64_t n)
{
    int64_t *ends = malloc((size_t)(2 * n) * sizeof *ends);
    pattern p;

    for (int64_t i = 0; i < n; i++) ends[2 * i] = i, ends[2 * i + 1] = (i + 1) % n;
    p = constraints_of(n, ends, n);
    return free(ends), p;
}

/* Each point hangs by a rod from an earlier one, at most `reach` before it; rods in a random order. */
static inline pattern tree_of(int64_t n, int64_t reach)
{
    int64_t *ends = malloc((size_t)(2 * n) * sizeof *ends);
    pattern p;

    for (int64_t i = 0; i < n; i++)
        ends[2 * i] = i ? i - 1 - (int64_t)(uniform() * (double)(i < reach ? i : reach)) : -1, ends[2 * i + 1] = i;
    for (int64_t i = n - 1; i > 0; i--) {
        int64_t j = (int64_t)(uniform() * (double)(i + 1)), a = ends[2 * i], b = ends[2 * i + 1];
        ends[2 * i] = ends[2 * j], ends[2 * i + 1] = ends[2 * j + 1], ends[2 * j] = a, ends[2 * j + 1] = b;
    }
    p = constraints_of(n, ends, n);
    return free(ends), p;
}

/* models/cloth.lbr: rail, warp, weft. */
static inline pattern cloth_of(int64_t m)
{
    int64_t n = 0, *ends = malloc((size_t)(4 * m * m) * sizeof *ends);
    pattern p;

    for (int64_t j = 0; j < m; j++, n++) ends[2 * n] = -1, ends[2 * n + 1] = j;
    for (int64_t i = 1; i < m; i++)
        for (int64_t j = 0; j < m; j++, n++) ends[2 * n] = (i - 1) * m + j, ends[2 * n + 1] = i * m + j;
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < m - 1; j++, n++) ends[2 * n] = i * m + j, ends[2 * n + 1] = i * m + j + 1;
    p = constraints_of(n, ends, m * m);
    return free(ends), p;
}

/* Values off the diagonal in [-1/2, 1/2], and a diagonal that exceeds their sum by up to `margin`, in units of the row.
 */
static inline double *values_of(const pattern *p, double margin)
{
    double *S = calloc((size_t)p->row[p->n] + 1, sizeof *S);

    for (int64_t i = 0; i < p->n; i++) {
        double scale = exp(4 * uniform() - 2);

        S[p->row[i + 1] - 1] += margin * scale;
        for (int64_t e = p->row[i]; e < p->row[i + 1] - 1; e++) {
            S[e] = uniform() - 0.5;
            S[p->row[i + 1] - 1] += fabs(S[e]), S[p->row[p->col[e] + 1] - 1] += fabs(S[e]);
        }
    }
    return S;
}

/* y = S x. */
static inline void times(const pattern *p, const double *S, const double *x, double *y)
{
    memset(y, 0, (size_t)p->n * sizeof *y);
    for (int64_t i = 0; i < p->n; i++)
        for (int64_t e = p->row[i]; e < p->row[i + 1]; e++) {
            y[i] += S[e] * x[p->col[e]];
            if (p->col[e] != i) y[p->col[e]] += S[e] * x[i];
        }
}
#endif
