/* test_ldl.c - sparse L D L^T: residuals, fill, rows that depend on others, against dense LU.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support/heap.h"
#include "support/patterns.h"
#include "support/tap.h"

#include "core/ldl.h"
#include "core/lu.h"

typedef lbr_status (*maker)(lbr_ldl *, int64_t, const int64_t *, const int64_t *, lbr_arena *);

/* A structure, values and a factorisation of them. */
typedef struct system_ {
    pattern p;
    lbr_arena arena;
    lbr_ldl ldl;
    double *S, *factor;
    int64_t failed;
} system_;

static void open_(system_ *s, pattern p, double margin, maker make)
{
    *s = (system_){ .p = p, .S = values_of(&p, margin) };
    if (make(&s->ldl, p.n, p.row, p.col, &s->arena)) exit(1);
    s->factor = malloc((size_t)(lbr_ldl_size(&s->ldl) + 1) * sizeof *s->factor);
    memset(s->factor, 0xff, (size_t)lbr_ldl_size(&s->ldl) * sizeof *s->factor);
    s->failed = lbr_ldl_factor(&s->ldl, s->S, s->factor);
}

static void close_(system_ *s) { lbr_arena_free(&s->arena), pattern_free(&s->p), free(s->S), free(s->factor); }

/* The largest |b - S x|, relative to the sum of the absolute values in its row; b random. S may be other values than
 * were factorised. */
static double residual(const system_ *s, const double *S)
{
    size_t n = (size_t)s->p.n;
    double *b = malloc(n * sizeof *b), *x = malloc(n * sizeof *x), *y = malloc(n * sizeof *y),
           *z = malloc(n * sizeof *z), *A = malloc((size_t)s->p.row[n] * sizeof *A), worst = 0;

    for (size_t i = 0; i < n; i++) x[i] = b[i] = uniform() - 0.5;
    lbr_ldl_solve(&s->ldl, s->factor, x);
    times(&s->p, S, x, y);
    for (int64_t e = 0; e < s->p.row[n]; e++) A[e] = fabs(S[e]);
    for (size_t i = 0; i < n; i++) x[i] = fabs(x[i]);
    times(&s->p, A, x, z);
    for (size_t i = 0; i < n; i++) worst = fmax(worst, isfinite(y[i]) ? fabs(b[i] - y[i]) / (fabs(b[i]) + z[i]) : 1);
    return free(b), free(x), free(y), free(z), free(A), worst;
}

/* A pattern with every pair of n joined with this probability. */
static pattern random_of(int64_t n, double probability)
{
    int64_t *ab = malloc((size_t)(n * n + 1) * sizeof *ab), edges = 0;
    pattern p;

    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < i; j++)
            if (uniform() < probability) ab[2 * edges] = i, ab[2 * edges++ + 1] = j;
    p = pattern_of(n, edges, ab);
    return free(ab), p;
}

/* Pairs at most w apart, each with this probability. */
static pattern holes_of(int64_t n, int64_t w, double probability)
{
    int64_t *ab = malloc((size_t)(2 * n * w + 1) * sizeof *ab), edges = 0;
    pattern p;

    for (int64_t i = 0; i < n; i++)
        for (int64_t j = i > w ? i - w : 0; j < i; j++)
            if (uniform() < probability) ab[2 * edges] = i, ab[2 * edges++ + 1] = j;
    p = pattern_of(n, edges, ab);
    return free(ab), p;
}

static pattern band_of(int64_t n, int64_t w) { return holes_of(n, w, 1); }

/* --- against dense LU -------------------------------------------------------------------------------------------- */

/* The distance of the two solutions, relative to the largest component. */
static double against_dense(const system_ *s)
{
    int64_t n = s->p.n, *pivot = malloc((size_t)n * sizeof *pivot);
    double *M = calloc((size_t)(n * n), sizeof *M), *x = malloc((size_t)n * sizeof *x),
           *y = malloc((size_t)n * sizeof *y), off = 0, size = 0;

    for (int64_t i = 0; i < n; i++) {
        x[i] = y[i] = uniform() - 0.5;
        for (int64_t e = s->p.row[i]; e < s->p.row[i + 1]; e++)
            M[i * n + s->p.col[e]] = M[s->p.col[e] * n + i] = s->S[e];
    }
    lbr_lu_factor(n, M, pivot), lbr_lu_solve(n, M, pivot, y);
    lbr_ldl_solve(&s->ldl, s->factor, x);
    for (int64_t i = 0; i < n; i++)
        off = fmax(off, isfinite(x[i]) ? fabs(x[i] - y[i]) : 1), size = fmax(size, fabs(y[i]));
    return free(pivot), free(M), free(x), free(y), off / size;
}

static void random_patterns(void)
{
    double worst = 0, left = 0;
    int64_t failed = 0;
    system_ s;

    for (int k = 0; k < 600; k++) {
        int64_t n = 1 + (int64_t)(uniform() * (k % 10 ? 30 : 120));
        double probability = k % 7 ? 3 * uniform() / (double)n : uniform();

        open_(&s, random_of(n, probability), 0.1, k % 2 ? lbr_ldl_make : lbr_ldl_make_blocks);
        failed += s.failed != -1;
        worst = fmax(worst, against_dense(&s)), left = fmax(left, residual(&s, s.S));
        close_(&s);
    }
    ok(!failed && worst < 2e-14, "600 random patterns: the solutions of dense LU to %.1e", worst);
    ok(left < 1e-15, "with residuals of %.1e", left);
    worst = 0;
    for (int k = 0; k < 60; k++) {
        open_(&s, band_of(1 + k, k % 11), 0.1, k % 3 ? lbr_ldl_make : lbr_ldl_make_blocks);
        failed += s.failed != -1 || (k % 3 && s.ldl.band != (k % 11 > 8 ? -1 : k % 11 < k ? k % 11 : k));
        failed += s.ldl.stored != s.p.row[s.p.n];
        worst = fmax(worst, against_dense(&s));
        close_(&s);
    }
    ok(!failed && worst < 2e-14, "bands: %.1e", worst);
    worst = 0;
    for (int k = 0; k < 60; k++) {
        open_(&s, holes_of(2 + k, 1 + k % 2, 0.8), 0.1, lbr_ldl_make);
        failed += s.failed != -1 || (k % 2 == 0 && (s.ldl.band < 0 || s.ldl.band > 1));
        worst = fmax(worst, against_dense(&s));
        close_(&s);
    }
    open_(&s, band_of(40, 39), 0.1, lbr_ldl_make);
    ok(s.failed == -1 && s.ldl.blocks == 1, "a full matrix is one block");
    close_(&s);
    ok(!failed && worst < 2e-14, "bands with gaps: %.1e", worst);
}

/* --- fill -------------------------------------------------------------------------------------------------------- */

/* One pattern with a bound for the entries of L. */
static void shape(const char *name, pattern p, int64_t band, double most)
{
    system_ s;
    double r, all = (double)p.row[p.n];
    int fits;

    open_(&s, p, 0.05, lbr_ldl_make);
    r = residual(&s, s.S);
    fits = s.ldl.band == band && (double)s.ldl.stored <= most * all;
    ok(s.failed == -1 && r < 2e-15 && fits, "%s of %lld: L has %.2f times the entries, residual %.1e", name,
       (long long)p.n, (double)s.ldl.stored / all, r);
    if (p.n > 1) {
        int64_t e = (int64_t)(uniform() * all);
        double old = s.S[e];

        s.S[e] *= 1 + 1e-6;
        ok(residual(&s, s.S) > 1e-12, "and one entry changed by a millionth is seen");
        s.S[e] = old;
    }
    close_(&s);
}

static void shapes(void)
{
    static const int64_t sizes[] = { 1, 2, 3, 17, 1000, 100000 };

    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        int64_t n = sizes[k];

        shape("chain", chain_of(n), n > 1, 1);
        if (n > 5) {
            shape("tree", tree_of(n, n), -1, 1);
            shape("long tree", tree_of(n, 3), -1, 1);
            shape("loop", loop_of(n), -1, 1.5);
        }
    }
    shape("cloth", cloth_of(4), -1, 1.7);
    shape("cloth", cloth_of(10), -1, 2.6);
    shape("cloth", cloth_of(40), -1, 5);
}

/* --- what cannot be solved --------------------------------------------------------------------------------------- */

/* Laplace's matrix of the graph: the rows add to nothing, so the one eliminated last depends on the others. */
static void laplacian(const pattern *p, double *S)
{
    memset(S, 0, (size_t)p->row[p->n] * sizeof *S);
    for (int64_t i = 0; i < p->n; i++)
        for (int64_t e = p->row[i]; e < p->row[i + 1] - 1; e++) {
            double a = 0.5 + uniform();

            S[e] = -a, S[p->row[i + 1] - 1] += a, S[p->row[p->col[e] + 1] - 1] += a;
        }
}

/* Other units for the equations: powers of two, so that the bits stay. */
static void rescale(const pattern *p, double *S)
{
    int *power = malloc((size_t)p->n * sizeof *power);

    for (int64_t i = 0; i < p->n; i++) power[i] = (int)(60 * uniform()) - 30;
    for (int64_t i = 0; i < p->n; i++)
        for (int64_t e = p->row[i]; e < p->row[i + 1]; e++) S[e] = ldexp(S[e], power[i] + power[p->col[e]]);
    free(power);
}

static void dependent(const char *name, pattern p, maker make)
{
    system_ s;
    int64_t i, e;

    open_(&s, p, 0.1, make);
    laplacian(&p, s.S);
    i = lbr_ldl_factor(&s.ldl, s.S, s.factor);
    ok(i >= 0 && i < p.n && (s.ldl.band < 2 || i == p.n - 1), "%s: the equation that depends on the others is %lld",
       name, (long long)i);
    rescale(&p, s.S);
    ok(lbr_ldl_factor(&s.ldl, s.S, s.factor) == i, "and in other units it is the same");
    e = i < 0 ? 0 : p.row[i + 1] - 1;
    s.S[e] *= 1 + 1e-6;
    ok(lbr_ldl_factor(&s.ldl, s.S, s.factor) == -1, "with a little more on its diagonal it does not");
    close_(&s);
}

/* Equation i twice: the second one depends on the first, whoever comes first. */
static void twice(maker make)
{
    static const int64_t row[] = { 0, 1, 3, 5, 9 }, col[] = { 0, 0, 1, 0, 2, 0, 1, 2, 3 };
    double S[] = { 4, 1, 3, 1, 5, 4, 1, 1, 4 }, factor[64];
    lbr_arena arena = { NULL };
    lbr_ldl ldl;
    int64_t i;

    ok(!make(&ldl, 4, row, col, &arena) && lbr_ldl_size(&ldl) <= 64, "four equations");
    i = lbr_ldl_factor(&ldl, S, factor);
    ok(i == 0 || i == 3, "of which the first and the last are the same: %lld", (long long)i);
    lbr_arena_free(&arena);
}

static void not_finite(const char *name, pattern p, maker make)
{
    static const double bad[] = { NAN, INFINITY, -INFINITY, 1e300 };
    system_ s;
    int64_t missed = 0, elsewhere = 0;

    open_(&s, p, 0.1, make);
    for (int64_t e = 0; e < p.row[p.n]; e++)
        for (int k = 0; k < 4; k++) {
            int64_t i = 0, found;
            double old = s.S[e];

            while (p.row[i + 1] <= e) i++;
            if (k == 3 && p.col[e] == i) continue; /* a large diagonal is none of our business */
            s.S[e] = bad[k];
            found = lbr_ldl_factor(&s.ldl, s.S, s.factor);
            missed += found < 0, elsewhere += found >= p.n || (p.col[e] == i && k < 3 && found != i);
            s.S[e] = old;
        }
    ok(!missed && !elsewhere,
       "%s: every entry that is not finite or far too large is reported, a diagonal by its own number", name);
    ok(lbr_ldl_factor(&s.ldl, s.S, s.factor) == -1 && residual(&s, s.S) < 1e-15, "and nothing of it stays");
    s.S[p.row[p.n] - 1] = 0;
    ok(lbr_ldl_factor(&s.ldl, s.S, s.factor) >= 0, "zero on the diagonal");
    close_(&s);
}

static void failures(void)
{
    dependent("chain", chain_of(50), lbr_ldl_make);
    dependent("band", band_of(50, 3), lbr_ldl_make);
    dependent("chain in blocks", chain_of(50), lbr_ldl_make_blocks);
    dependent("loop", loop_of(1000), lbr_ldl_make);
    dependent("cloth", cloth_of(12), lbr_ldl_make);
    dependent("tree", tree_of(300, 300), lbr_ldl_make);
    dependent("large tree", tree_of(100000, 100000), lbr_ldl_make);
    dependent("random", random_of(100, 0.1), lbr_ldl_make);
    twice(lbr_ldl_make);
    twice(lbr_ldl_make_blocks);
    not_finite("points", band_of(6, 0), lbr_ldl_make);
    not_finite("chain", chain_of(20), lbr_ldl_make);
    not_finite("chain in blocks", chain_of(20), lbr_ldl_make_blocks);
    not_finite("band", band_of(20, 4), lbr_ldl_make);
    not_finite("loop", loop_of(12), lbr_ldl_make);
    not_finite("tree", tree_of(30, 30), lbr_ldl_make);
    not_finite("cloth", cloth_of(5), lbr_ldl_make);
}

/* --- memory, bits ------------------------------------------------------------------------------------------------ */

static void memory(const char *name, pattern p)
{
    long before = heap.live, n = 0;
    int right = 1;

    do {
        lbr_arena arena = { NULL };
        lbr_ldl ldl;
        lbr_status status;

        heap.calls = heap.refused = 0, heap.refuse = ++n;
        status = lbr_ldl_make(&ldl, p.n, p.row, p.col, &arena);
        heap.refuse = 0;
        right &= status == (heap.refused ? LBR_ENOMEM : LBR_OK);
        lbr_arena_free(&arena);
        right &= heap.live == before;
    } while (heap.refused && right);
    ok(right && (n > 1 || !heap_wrapped()), "%s: each of %ld allocations may fail", name, n - 1);
    pattern_free(&p);
}

/* Made twice and factorised into other memory: the same bits; a structure of nothing is one. */
static void again(void)
{
    system_ a, b;
    lbr_arena arena = { NULL };
    lbr_ldl none;
    int64_t row[] = { 0 }, other = 0;

    pattern_seed = 7, open_(&a, cloth_of(15), 0.1, lbr_ldl_make);
    pattern_seed = 7, open_(&b, cloth_of(15), 0.1, lbr_ldl_make);
    ok(a.ldl.size == b.ldl.size &&
           !memcmp(a.ldl.index, b.ldl.index, (size_t)a.ldl.block[a.ldl.blocks].rows * sizeof *a.ldl.index),
       "the same order again");
    b.ldl.wide = 0;
    lbr_ldl_factor(&b.ldl, b.S, b.factor);
    for (int64_t k = 0; k < a.ldl.scratch; k++) other += memcmp(&a.factor[k], &b.factor[k], sizeof *a.factor) != 0;
    ok(!other, "and the same bits without vectors");
    pattern_seed = 8;
    close_(&a), close_(&b);
    ok(!lbr_ldl_make(&none, 0, row, row, &arena) && lbr_ldl_factor(&none, NULL, NULL) == -1, "no equations");
    lbr_ldl_solve(&none, NULL, NULL);
    ok(!lbr_ldl_make_blocks(&none, 0, row, row, &arena) && lbr_ldl_size(&none) == 0, "nor any blocks");
    lbr_arena_free(&arena);
}

int main(void)
{
    random_patterns();
    shapes();
    failures();
    memory("chain", chain_of(2000));
    memory("loop", loop_of(500));
    memory("tree", tree_of(500, 500));
    memory("cloth", cloth_of(8));
    again();
    return tap_done();
}
