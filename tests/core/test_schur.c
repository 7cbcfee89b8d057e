/* test_schur.c - the real Schur form of tableaux and of random matrices. SPDX-License-Identifier: BSD-3-Clause */
#include "core/schur.h"
#include "support/patterns.h"
#include "support/tap.h"

enum { MOST = 24 };

static double A[MOST * MOST], Q[MOST * MOST], R[MOST * MOST], room[MOST];

/* |A - Q R Q^T| and |Q^T Q - I|, relative to |A|. */
static double residual(int n)
{
    double worst = 0, size = 0;

    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0, one = 0;

            for (int k = 0; k < n; k++) {
                double part = 0;

                for (int l = 0; l < n; l++) part += R[k * n + l] * Q[j * n + l];
                sum += Q[i * n + k] * part, one += Q[k * n + i] * Q[k * n + j];
            }
            size = fmax(size, fabs(A[i * n + j]));
            worst = fmax(worst, fmax(fabs(A[i * n + j] - sum), fabs(one - (i == j)) * size));
        }
    return worst / (size > 0 ? size : 1);
}

/* Triangles, and blocks of two with a complex pair only; in *pairs how many. */
static int is_form(int n, int *pairs)
{
    int good = 1;

    *pairs = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i - 1; j++) good &= R[i * n + j] == 0;
    for (int k = 0; k + 1 < n; k++) {
        const double *x = R + k * n + k, half = (x[0] - x[n + 1]) / 2;

        if (x[n] == 0) continue;
        good &= half * half + x[1] * x[n] < 0 && (k + 2 >= n || R[(k + 2) * n + k + 1] == 0);
        ++*pairs;
    }
    return good;
}

static void check(int n, const char *what, double tolerance, int expected)
{
    int pairs, failed = lbr_schur(n, A, Q, R, room);

    ok(!failed && residual(n) < tolerance, "%s, n = %d: A = Q R Q^T to %.1e", what, n, residual(n));
    ok(is_form(n, &pairs), "... where R is a triangle with blocks of two");
    if (expected >= 0) ok(pairs == expected, "... %d of them", pairs);
}

static void random_ones(void)
{
    for (int n = 1; n <= MOST; n++) {
        for (int i = 0; i < n * n; i++) A[i] = 2 * uniform() - 1;
        check(n, "random", 1e-13, -1);
    }
    for (int i = 0; i < 64; i++) A[i] = uniform() * exp(30 * uniform() - 15);
    check(8, "of many sizes", 1e-13, -1);
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) A[i * 8 + j] = 1.0 / (i + j + 1);
    check(8, "symmetric", 1e-13, 0);
    for (int i = 0; i < 64; i++) A[i] = i % 8 == (i / 8 + 1) % 8;
    check(8, "a permutation, which single shifts leave as it is", 1e-13, 3);
    memset(A, 0, sizeof A);
    check(5, "zero", 1e-13, 0);
}

/* Defective matrices: A itself where it is a triangle. */
static void triangles(void)
{
    int same = 1;

    for (int i = 0; i < 16; i++) A[i] = i / 4 == i % 4 ? 0.25 : i / 4 > i % 4 ? uniform() : 0;
    check(4, "one eigenvalue in a lower triangle", 1e-15, 0);
    for (int i = 0; i < 4; i++) same &= R[i * 5] == 0.25;
    ok(same, "... which stays what it is to the last digit");
    for (int i = 0; i < 16; i++) A[i] = i / 4 == i % 4 ? 0.25 : i / 4 < i % 4 ? uniform() : 0;
    check(4, "one eigenvalue in an upper triangle", 1e-15, 0);
}

/* Eigenvalues that are known: of the matrix with these numbers in its diagonal blocks, turned. */
static void known_ones(void)
{
    static const double pair[4] = { 0.25, -0.14433756729740643, 0.14433756729740643, 0.25 };
    double B[16] = { 0 };
    int pairs;

    B[0] = pair[0], B[1] = 4 * pair[1], B[4] = pair[2] / 4, B[5] = pair[3], B[10] = 0.5, B[15] = 0, B[2] = 3, B[7] = -1;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) A[i * 4 + j] = B[(3 - i) * 4 + 3 - j];
    ok(!lbr_schur(4, A, Q, R, room) && is_form(4, &pairs) && pairs == 1, "a pair, and two real eigenvalues");
    for (int k = 0; k + 1 < 4; k++)
        if (R[(k + 1) * 4 + k] != 0) {
            const double *x = R + k * 4 + k, half = (x[0] - x[5]) / 2;

            near((x[0] + x[5]) / 2, pair[0], 1e-14, "... the real part of the pair");
            near(sqrt(-half * half - x[1] * x[4]), pair[2], 1e-14, "... its imaginary part");
        }
}

static void no_numbers(void)
{
    for (int i = 0; i < 9; i++) A[i] = i;
    A[4] = NAN;
    ok(lbr_schur(3, A, Q, R, room), "what is no number has no form");
    A[4] = INFINITY;
    ok(lbr_schur(3, A, Q, R, room), "nor has what is infinite");
}

int main(void)
{
    random_ones();
    triangles();
    known_ones();
    no_numbers();
    return tap_done();
}
