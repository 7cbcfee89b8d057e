/* test_sparse_lu.c - sparse LU, real and complex, against dense LU: solutions, fill, cost, pivots; colours of columns.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support/patterns.h"
#include "support/tap.h"

#include "core/complex.h"
#include "core/lu.h"
#include "core/sparse_lu.h"
#include "core/sparsity.h"

/* A square matrix by rows. */
typedef struct matrix {
    lbr_pattern p;
    int64_t *row, *col;
    double *value;
} matrix;

static matrix matrix_of(int64_t n, int64_t nnz)
{
    matrix m = { .row = calloc((size_t)n + 1, sizeof *m.row),
                 .col = malloc((size_t)(nnz + 1) * sizeof *m.col),
                 .value = malloc((size_t)(nnz + 1) * sizeof *m.value) };

    m.p = (lbr_pattern){ n, n, 0, m.row, m.col };
    return m;
}

static void put(matrix *m, int64_t c, double x) { m->col[m->p.nnz] = c, m->value[m->p.nnz++] = x; }
static void matrix_free(matrix *m) { free(m->row), free(m->col), free(m->value); }

/* Entries at random, with or without those on the diagonal. */
static matrix random_matrix(int64_t n, double density, int diagonal)
{
    matrix m = matrix_of(n, n * n);

    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++)
            if (uniform() < density || (diagonal && i == j)) put(&m, j, 2 * uniform() - 1);
        m.row[i + 1] = m.p.nnz;
    }
    return m;
}

/* Neighbours in a chain, in a grid of `wide` columns, in one direction of a ring. */
static matrix lattice(int64_t n, int64_t wide, int ring)
{
    matrix m = matrix_of(n, 6 * n);

    for (int64_t i = 0; i < n; i++) {
        if (wide > 1 && i >= wide) put(&m, i - wide, uniform());
        if (i > 0) put(&m, i - 1, uniform());
        put(&m, i, -2 * uniform());
        if (i < n - 1 && !ring) put(&m, i + 1, uniform());
        if (wide > 1 && i < n - wide) put(&m, i + wide, uniform());
        if (ring && i == 0) put(&m, n - 1, uniform());
        m.row[i + 1] = m.p.nnz;
    }
    return m;
}

/* The largest difference of a sparse solution of (I + z J) x = b from a dense one, relative to it. */
static double apart(const matrix *m, const lbr_sparse_lu *lu, double re, double im, int64_t *refused)
{
    int64_t n = m->p.n, *pivot = malloc((size_t)n * sizeof *pivot);
    double *M = calloc((size_t)(2 * n * n), sizeof *M), *x = malloc((size_t)(2 * n) * sizeof *x), z[2] = { re, im },
           *y = malloc((size_t)(2 * n) * sizeof *y),
           *factor = malloc((size_t)lbr_sparse_lu_size(lu, 1) * sizeof *factor), worst = 0, most = 0;

    memset(factor, 0xff, (size_t)lbr_sparse_lu_size(lu, 1) * sizeof *factor);
    for (int64_t i = 0; i < n; i++) {
        M[2 * (i * n + i)] = 1, x[2 * i] = uniform() - 0.5, x[2 * i + 1] = im != 0 ? uniform() - 0.5 : 0;
        for (int64_t e = m->row[i]; e < m->row[i + 1]; e++)
            for (int k = 0; k < 2; k++) M[2 * (i * n + m->col[e]) + k] += z[k] * m->value[e];
    }
    memcpy(y, x, (size_t)(2 * n) * sizeof *y);
    lbr_lu_complex_factor(n, M, pivot), lbr_lu_complex_solve(n, M, pivot, x);
    if (im != 0) {
        *refused = lbr_sparse_lu_complex_factor(lu, m->value, z, factor);
        if (*refused < 0) lbr_sparse_lu_complex_solve(lu, factor, y);
    } else {
        *refused = lbr_sparse_lu_factor(lu, m->value, re, factor);
        for (int64_t i = 0; i < n; i++) y[i] = y[2 * i];
        if (*refused < 0) lbr_sparse_lu_solve(lu, factor, y);
        for (int64_t i = n - 1; i >= 0; i--) y[2 * i] = y[i], y[2 * i + 1] = 0;
    }
    for (int64_t i = 0; i < 2 * n; i++) worst = fmax(worst, fabs(x[i] - y[i])), most = fmax(most, fabs(x[i]));
    free(M), free(x), free(y), free(factor), free(pivot);
    return *refused < 0 ? worst / most : 0;
}

static void against_dense(void)
{
    static const double density[] = { 0.02, 0.1, 0.5, 1 };

    for (int d = 0; d < 4; d++)
        for (int is_complex = 0; is_complex < 2; is_complex++) {
            double worst = 0;
            int refused = 0, bad;

            for (int64_t n = 1; n <= 40; n++) {
                matrix m = random_matrix(n, density[d], (int)(n % 2));
                lbr_arena arena = { NULL };
                lbr_sparse_lu lu;
                int64_t which;

                bad = lbr_sparse_lu_make(&lu, &m.p, INT64_MAX, &arena);
                if (!bad) worst = fmax(worst, apart(&m, &lu, -0.3, is_complex ? 0.7 : 0, &which));
                refused += bad || which >= 0;
                lbr_arena_free(&arena), matrix_free(&m);
            }
            ok(worst < 1e-10, "density %g, %s: sparse and dense solutions agree to %.1e", density[d],
               is_complex ? "complex" : "real", worst);
            ok(refused == 0, "... and none of 40 matrices is refused");
        }
}

/* No entry that is not wanted in a chain; in all that is one line, cost in proportion to its length. */
static void cost_of_lines(void)
{
    double per[2][4];

    for (int k = 0; k < 4; k++) {
        int64_t n = (int64_t)pow(10, 2 + k), which;
        matrix chain = lattice(n, 1, 0), ring = lattice(n, 1, 1);
        lbr_arena arena = { NULL };
        lbr_sparse_lu lu;

        ok(!lbr_sparse_lu_make(&lu, &chain.p, INT64_MAX, &arena) && lu.stored == n - 1, "a chain of %lld fills nothing",
           (long long)n);
        per[0][k] = lu.products / (double)n;
        if (n <= 1000) ok(apart(&chain, &lu, -0.1, 0.1, &which) < 1e-12 && which < 0, "... and is solved");
        ok(!lbr_sparse_lu_make(&lu, &ring.p, INT64_MAX, &arena) && lu.stored <= 2 * n, "a ring of %lld fills little",
           (long long)n);
        per[1][k] = lu.products / (double)n;
        if (n <= 1000) ok(apart(&ring, &lu, -0.1, 0.1, &which) < 1e-12 && which < 0, "... and is solved");
        lbr_arena_free(&arena), matrix_free(&chain), matrix_free(&ring);
    }
    for (int i = 0; i < 2; i++)
        ok(per[i][3] < 1.05 * per[i][1] && per[i][3] < 8, "products for each unknown of a %s: %.2f, %.2f, %.2f, %.2f",
           i ? "ring" : "chain", per[i][0], per[i][1], per[i][2], per[i][3]);
}

static void a_grid(void)
{
    matrix grid = lattice(900, 30, 0);
    lbr_arena arena = { NULL };
    lbr_sparse_lu lu;
    int64_t which;
    int bad = lbr_sparse_lu_make(&lu, &grid.p, INT64_MAX, &arena);

    ok(!bad && lu.stored < 900 * 16, "a grid of 30 x 30 has %lld entries, of 404550", (long long)lu.stored);
    ok(apart(&grid, &lu, -0.1, 0.1, &which) < 1e-12 && which < 0, "... and is solved");
    ok(!lbr_sparse_lu_make(&lu, &grid.p, 2000, &arena) && !lu.of, "with a limit there is no structure beyond it");
    lbr_arena_free(&arena), matrix_free(&grid);
}

/* I + z J for J = [0 a; b 0]: the second pivot is 1 - z^2 a b. */
static void small_pivots(void)
{
    matrix m = matrix_of(2, 2);
    lbr_arena arena = { NULL };
    lbr_sparse_lu lu;
    double factor[64], J[2], turned[] = { 0, 1 };

    m.row[1] = 1, m.row[2] = 2, put(&m, 1, 1), put(&m, 0, 1);
    lbr_sparse_lu_make(&lu, &m.p, INT64_MAX, &arena);
    J[0] = J[1] = 1;
    ok(lbr_sparse_lu_factor(&lu, J, 1, factor) >= 0, "a singular matrix is refused");
    J[1] = 1 - 1e-15;
    ok(lbr_sparse_lu_factor(&lu, J, 1, factor) >= 0, "so is one that is singular but for rounding");
    J[1] = 1 - 1e-9;
    ok(lbr_sparse_lu_factor(&lu, J, 1, factor) < 0, "one that is nearly singular is taken");
    J[0] = 1, J[1] = -1;
    ok(lbr_sparse_lu_complex_factor(&lu, J, turned, factor) >= 0, "a complex matrix that is singular is refused");
    J[0] = 1e9, J[1] = 0;
    ok(lbr_sparse_lu_factor(&lu, J, 1, factor) >= 0, "a pivot of 1e-9 of its row is refused");
    J[0] = 1e7, J[1] = 0;
    ok(lbr_sparse_lu_factor(&lu, J, 1, factor) < 0, "one of 1e-7 is taken");
    J[0] = 0, J[1] = 1e9;
    ok(lbr_sparse_lu_complex_factor(&lu, J, turned, factor) >= 0, "a complex pivot of 1e-9 of its column is refused");
    J[0] = NAN;
    ok(lbr_sparse_lu_factor(&lu, J, 1, factor) >= 0, "no number is no matrix");
    J[0] = INFINITY;
    ok(lbr_sparse_lu_complex_factor(&lu, J, turned, factor) >= 0, "nor is an infinite one");
    lbr_arena_free(&arena), matrix_free(&m);
}

/* No row with two columns of one colour. */
static int64_t colours_of(const matrix *m, int *proper)
{
    int64_t n = m->p.n, count = 0, *first = calloc((size_t)n + 1, sizeof *first), *at = calloc((size_t)n, sizeof *at),
            *row = calloc((size_t)(m->p.nnz + 1), sizeof *row), *colour = calloc((size_t)n, sizeof *colour);

    for (int64_t e = 0; e < m->p.nnz; e++) first[m->col[e] + 1]++;
    for (int64_t c = 0; c < n; c++) first[c + 1] += first[c];
    for (int64_t i = 0; i < n; i++)
        for (int64_t e = m->row[i]; e < m->row[i + 1]; e++) row[first[m->col[e]] + at[m->col[e]]++] = i;
    *proper = !lbr_pattern_colours(&m->p, first, row, colour, &count);
    for (int64_t i = 0; i < n; i++)
        for (int64_t e = m->row[i]; e < m->row[i + 1]; e++)
            for (int64_t x = m->row[i]; x < e; x++)
                *proper &= colour[m->col[x]] != colour[m->col[e]] && colour[m->col[e]] < count;
    free(first), free(at), free(row), free(colour);
    return count;
}

static void colours(void)
{
    matrix m;
    int proper;
    int64_t count;

    for (int64_t n = 1; n <= 200; n += 50) {
        m = lattice(n, 1, 0), count = colours_of(&m, &proper);
        ok(proper && count <= 3, "a chain of %lld has %lld colours", (long long)n, (long long)count);
        matrix_free(&m);
    }
    m = lattice(900, 30, 0), count = colours_of(&m, &proper);
    ok(proper && count <= 9, "a grid has %lld colours", (long long)count);
    matrix_free(&m);
    m = random_matrix(100, 0.05, 1), count = colours_of(&m, &proper);
    ok(proper && count < 60, "a random pattern has %lld colours", (long long)count);
    matrix_free(&m);
    m = random_matrix(100, 1, 1), count = colours_of(&m, &proper);
    ok(proper && count == 100, "a full one has as many as columns");
    matrix_free(&m);
}

int main(void)
{
    against_dense();
    cost_of_lines();
    a_grid();
    small_pivots();
    colours();
    return tap_done();
}
