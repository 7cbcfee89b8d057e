/* test_gmres.c - linear systems by products: against dense factors, and where there is no solution.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "core/lu.h"
#include "solve/gmres.h"
#include "support/tap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 200 };

typedef struct matrix {
    int64_t n, calls, fails; /* the call that fails, or 0 */
    double a[MOST * MOST];
} matrix;

static matrix A;
static double work[100 * MOST + 4000];

static int product(void *ctx, const double *x, double *out)
{
    matrix *m = ctx;

    for (int64_t i = 0; i < m->n; i++) {
        out[i] = 0;
        for (int64_t j = 0; j < m->n; j++) out[i] += m->a[i * m->n + j] * x[j];
    }
    return ++m->calls == m->fails;
}

static uint64_t seed;
static double any(void) /* between -1 and 1 */
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)seed * 0x1p-63;
}

/* diagonal on it, and numbers of this size beside it. */
static void fill(int64_t n, double diagonal, double beside)
{
    A.n = n, A.calls = A.fails = 0;
    for (int64_t i = 0; i < n * n; i++) A.a[i] = beside * any() + (i % (n + 1) == 0 ? diagonal : 0);
}

static lbr_gmres asked(double tolerance, int64_t most)
{
    return (lbr_gmres){ .n = A.n, .product = product, .ctx = &A, .tolerance = tolerance, .most = most };
}

/* |b - A x| / |b| */
static double left(const double *b, const double *x)
{
    double r[MOST], sum = 0, whole = 0;

    product(&A, x, r);
    for (int64_t i = 0; i < A.n; i++) sum += (b[i] - r[i]) * (b[i] - r[i]), whole += b[i] * b[i];
    return sqrt(sum / whole);
}

static void general(int64_t n, double diagonal, double beside, int64_t at_most)
{
    double b[MOST], x[MOST], y[MOST], far = 0, size = 0;
    int64_t pivot[MOST];
    lbr_gmres g;
    lbr_gmres_outcome out;

    seed = (uint64_t)n, fill(n, diagonal, beside);
    for (int64_t i = 0; i < n; i++) x[i] = y[i] = b[i] = any();
    g = asked(1e-12, 1000), out = lbr_gmres_solve(&g, x, work);
    ok(out == LBR_GMRES_SOLVED, "n = %lld: solved", (long long)n);
    ok(g.products <= at_most, "... by %lld products", (long long)g.products);
    ok(A.calls == g.products, "... which are counted");
    ok(left(b, x) < 2e-12 && g.left <= 1e-12, "... as well as it says: %.2g, %.2g", left(b, x), g.left);
    lbr_lu_factor(n, A.a, pivot), lbr_lu_solve(n, A.a, pivot, y);
    for (int64_t i = 0; i < n; i++) far = fmax(far, fabs(x[i] - y[i])), size = fmax(size, fabs(y[i]));
    ok(far < 1e-10 * size, "... and it is what factors give, to %.2g", far / size);
}

static void tolerances(void)
{
    double b[MOST], x[MOST];
    int64_t last = 0;

    for (double tolerance = 0.1; tolerance > 1e-10; tolerance /= 100) {
        lbr_gmres g;

        seed = 5, fill(100, 1, 0.05);
        for (int64_t i = 0; i < A.n; i++) x[i] = b[i] = any();
        g = asked(tolerance, 1000);
        ok(lbr_gmres_solve(&g, x, work) == LBR_GMRES_SOLVED, "tolerance %g", tolerance);
        ok(left(b, x) < 1.01 * tolerance, "... %.2g is left", left(b, x));
        ok(g.products > last, "... after %lld products", (long long)g.products);
        last = g.products;
    }
}

/* Of a space that ends: as many products as there are different eigenvalues. */
static void small_spaces(void)
{
    double x[MOST], b[MOST];
    lbr_gmres g;

    fill(50, 3, 0);
    for (int64_t i = 0; i < A.n; i++) x[i] = b[i] = any();
    g = asked(1e-14, 100);
    ok(lbr_gmres_solve(&g, x, work) == LBR_GMRES_SOLVED && g.products == 1 && left(b, x) < 1e-14,
       "a multiple of the identity: one product");
    for (int64_t i = 0; i < A.n; i++) A.a[i * (A.n + 1)] = i % 3 + 1.0, x[i] = b[i];
    g = asked(1e-14, 100);
    ok(lbr_gmres_solve(&g, x, work) == LBR_GMRES_SOLVED && g.products == 3 && left(b, x) < 1e-13,
       "three eigenvalues: three");
    memset(x, 0, sizeof x), g = asked(1e-14, 100);
    ok(lbr_gmres_solve(&g, x, work) == LBR_GMRES_SOLVED && g.products == 0 && x[0] == 0, "b = 0: none");
    fill(1, 0.25, 0), x[0] = 8, g = asked(1e-14, 100);
    ok(lbr_gmres_solve(&g, x, work) == LBR_GMRES_SOLVED && x[0] == 32, "one unknown");
}

/* Numbers near the ends of what doubles hold. */
static void sizes(void)
{
    for (int k = -1; k <= 1; k += 2) {
        double scale = pow(2, 700.0 * k), x[MOST], b[MOST];
        lbr_gmres g;

        seed = 9, fill(30, 2, 0.1);
        for (int64_t i = 0; i < A.n; i++) b[i] = any(), x[i] = scale * b[i];
        g = asked(1e-10, 100);
        ok(lbr_gmres_solve(&g, x, work) == LBR_GMRES_SOLVED, "b of size %.1g", scale);
        for (int64_t i = 0; i < A.n; i++) x[i] /= scale;
        ok(left(b, x) < 1e-9, "... %.2g is left", left(b, x));
    }
}

static void without_solution(void)
{
    double x[MOST], b[MOST];
    lbr_gmres g;
    lbr_gmres_outcome out;

    fill(20, 1, 0), A.a[0] = 0;
    for (int64_t i = 0; i < A.n; i++) x[i] = b[i] = 1;
    g = asked(1e-10, 100), out = lbr_gmres_solve(&g, x, work);
    ok(out == LBR_GMRES_UNSOLVED, "a singular matrix is not solved with");
    ok(fabs(g.left - sqrt(1.0 / 20)) < 1e-9 && fabs(x[1] - 1) < 1e-9, "... %.3g is left, as little as can be", g.left);
    memset(A.a, 0, sizeof A.a), memcpy(x, b, sizeof x), g = asked(1e-10, 100);
    ok(lbr_gmres_solve(&g, x, work) == LBR_GMRES_UNSOLVED && g.left == 1 && g.products < 5, "nor with none at all");
    fill(100, 0, 1); /* eigenvalues on all sides of 0 */
    for (int64_t i = 0; i < A.n; i++) x[i] = b[i] = any();
    g = asked(1e-10, 60), out = lbr_gmres_solve(&g, x, work);
    ok(out == LBR_GMRES_UNSOLVED && g.products <= 60 && g.left > 0.01,
       "an end after so many products: %lld, %.2g is left", (long long)g.products, g.left);
    fill(30, 1, 0.1), memcpy(x, b, sizeof x), A.fails = 4, g = asked(1e-10, 100);
    ok(lbr_gmres_solve(&g, x, work) == LBR_GMRES_FAILED && A.calls == 4, "a product that fails ends it");
    fill(30, 1, 0.1), memcpy(x, b, sizeof x), A.a[7] = NAN, g = asked(1e-10, 100);
    ok(lbr_gmres_solve(&g, x, work) == LBR_GMRES_UNSOLVED, "and so does NaN in a product");
    fill(30, 1, 0.1), x[3] = NAN, g = asked(1e-10, 100);
    ok(lbr_gmres_solve(&g, x, work) == LBR_GMRES_UNSOLVED && !(g.left <= 1), "or in b");
}

int main(void)
{
    general(2, 1, 0.3, 2);
    general(10, 1, 0.1, 10);
    general(39, 1, 1, 80);
    general(150, 4, 0.5, 200);
    general(200, 20, 1, 200);
    tolerances();
    small_spaces();
    sizes();
    without_solution();
    return tap_done();
}
