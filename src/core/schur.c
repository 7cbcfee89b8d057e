/* schur.c - the real Schur form by Francis' double shifts (Golub and Van Loan, Matrix Computations, 7.5).
 * SPDX-License-Identifier: BSD-3-Clause */
#include "schur.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { SWEEPS = 60, ODD = 10 }; /* per eigenvalue; every tenth one is shifted by another number */

typedef struct form {
    int64_t n;
    double *Q, *R;
} form;

/* v becomes that of the reflection I - 2 v v^T/(v^T v) which leaves of it only its first component. 0: nothing to do.
 */
static int householder(int64_t m, double *v)
{
    double size = 0, square = 0;

    for (int64_t i = 0; i < m; i++) size = fmax(size, fabs(v[i]));
    for (int64_t i = 1; i < m && size > 0; i++) square += v[i] / size * (v[i] / size);
    if (!(square > 0)) return 0;
    for (int64_t i = 0; i < m; i++) v[i] /= size;
    v[0] += copysign(sqrt(v[0] * v[0] + square), v[0]);
    return 1;
}

/* R becomes P R P, Q becomes Q P, where P reflects components k .. k + m - 1 by v. */
static void reflect(form *f, int64_t k, int64_t m, const double *v)
{
    int64_t n = f->n;
    double square = 0;

    for (int64_t i = 0; i < m; i++) square += v[i] * v[i];
    for (int64_t j = 0; j < n; j++) {
        double sum = 0;

        for (int64_t i = 0; i < m; i++) sum += v[i] * f->R[(k + i) * n + j];
        for (int64_t i = 0; i < m; i++) f->R[(k + i) * n + j] -= 2 * sum / square * v[i];
    }
    for (int64_t i = 0; i < 2 * n; i++) {
        double *x = (i < n ? f->R + i * n : f->Q + (i - n) * n) + k, sum = 0;

        for (int64_t j = 0; j < m; j++) sum += x[j] * v[j];
        for (int64_t j = 0; j < m; j++) x[j] -= 2 * sum / square * v[j];
    }
}

static void hessenberg(form *f, double *v)
{
    int64_t n = f->n;

    for (int64_t k = 0; k + 2 < n; k++) {
        for (int64_t i = k + 1; i < n; i++) v[i - k - 1] = f->R[i * n + k];
        if (!householder(n - k - 1, v)) continue;
        reflect(f, k + 1, n - k - 1, v);
        for (int64_t i = k + 2; i < n; i++) f->R[i * n + k] = 0;
    }
}

/* Where the part that ends with row `high` begins: above it R has a zero below its diagonal. */
static int64_t split(form *f, int64_t high)
{
    int64_t n = f->n, l = high;

    for (; l > 0; l--) {
        double size = fabs(f->R[(l - 1) * n + l - 1]) + fabs(f->R[l * n + l]);

        for (int64_t i = 0; i < n * n && size == 0; i++) size = fabs(f->R[i]);
        if (fabs(f->R[l * n + l - 1]) > DBL_EPSILON * size) continue;
        f->R[l * n + l - 1] = 0;
        break;
    }
    return l;
}

/* The last two rows of a part: a triangle if its eigenvalues are real. */
static void pair(form *f, int64_t k)
{
    int64_t n = f->n;
    double *x = f->R + k * n + k, p = (x[0] - x[n + 1]) / 2, q = p * p + x[1] * x[n], v[2];

    if (q < 0) return;
    v[0] = p + copysign(sqrt(q), p), v[1] = x[n];
    if (!householder(2, v)) return;
    reflect(f, k, 2, v);
    f->R[(k + 1) * n + k] = 0;
}

/* One double shift of rows low .. high, which are three or more. */
static void sweep(form *f, int64_t low, int64_t high, int odd)
{
    int64_t n = f->n;
    double *R = f->R, *a = R + low * n + low, *z = R + (high - 1) * n + high - 1, sum = z[0] + z[n + 1],
           product = z[0] * z[n + 1] - z[1] * z[n], v[3];

    if (odd) sum = 1.5 * (fabs(z[n]) + fabs(z[-1])), product = sum * sum / 2.25;
    v[0] = a[0] * a[0] + a[1] * a[n] - sum * a[0] + product;
    v[1] = a[n] * (a[0] + a[n + 1] - sum);
    v[2] = a[n] * a[2 * n + 1];
    for (int64_t k = low; k < high; k++) {
        int64_t m = k + 2 <= high ? 3 : 2;

        if (k > low)
            for (int64_t i = 0; i < m; i++) v[i] = R[(k + i) * n + k - 1];
        if (!householder(m, v)) continue;
        reflect(f, k, m, v);
        for (int64_t i = 1; i < m && k > low; i++) R[(k + i) * n + k - 1] = 0;
    }
}

/* A lower triangle is turned over. */
static int triangle(const double *A, form *f)
{
    int64_t n = f->n;

    for (int64_t i = 0; i < n; i++)
        for (int64_t j = i + 1; j < n; j++)
            if (A[i * n + j] != 0) return 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            f->Q[i * n + j] = i + j == n - 1, f->R[i * n + j] = A[(n - 1 - i) * n + n - 1 - j];
    return 1;
}

int lbr_schur(int64_t n, const double *A, double *Q, double *R, double *room)
{
    form f = { n, Q, R };
    int64_t sweeps = 0, l;

    for (int64_t i = 0; i < n * n; i++)
        if (!isfinite(A[i])) return 1;
    if (triangle(A, &f)) return 0;
    memcpy(R, A, (size_t)(n * n) * sizeof *R);
    for (int64_t i = 0; i < n * n; i++) Q[i] = i / n == i % n;
    hessenberg(&f, room);
    for (int64_t high = n - 1; high > 0;) {
        l = split(&f, high);
        if (l == high) high--, sweeps = 0;
        else if (l == high - 1) pair(&f, l), high -= 2, sweeps = 0;
        else if (++sweeps > SWEEPS) return 1;
        else sweep(&f, l, high, sweeps % ODD == 0);
    }
    return 0;
}
