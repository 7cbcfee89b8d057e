/* gmres.c - restarted GMRES (Saad and Schultz, 1986). SPDX-License-Identifier: BSD-3-Clause
 *
 * In the space of b, A b, A A b, ... that x is looked for which makes |b - A x| least. An orthonormal basis V of the
 * space is made vector by vector, with A V_k = V_{k+1} H; rotations make a triangle of H as it grows, so that what is
 * left of b is known after each product. After RESTART vectors x is made, and all begins again with the rest of b. */
#include "gmres.h"

#include <math.h>
#include <string.h>

enum { RESTART = 40 };

/* V: RESTART + 1 vectors; H: by columns, of RESTART + 1 numbers each; what is left, turned; rotations; x so far. */
typedef struct room {
    double *V, *H, *left, *cosine, *sine, *x;
} room;

int64_t lbr_gmres_size(int64_t n) { return (RESTART + 2) * n + (RESTART + 1) * (RESTART + 3); }

static room room_of(int64_t n, double *work)
{
    room r = { .V = work };

    r.x = r.V + (RESTART + 1) * n;
    r.H = r.x + n;
    r.left = r.H + RESTART * (RESTART + 1);
    r.cosine = r.left + RESTART + 1;
    r.sine = r.cosine + RESTART;
    return r;
}

static double dot(int64_t n, const double *a, const double *b)
{
    double sum = 0;

    for (int64_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* The Euclidean norm; numbers whose squares are too large or too small for a double are taken by their size. */
static double norm(int64_t n, const double *a)
{
    double most = 0, sum = 0;

    for (int64_t i = 0; i < n; i++) most = fabs(a[i]) <= most ? most : fabs(a[i]);
    if (!(most > 0 && most < INFINITY)) return most;
    for (int64_t i = 0; i < n; i++) sum += a[i] / most * (a[i] / most);
    return most * sqrt(sum);
}

/* The next vector of the basis, and column k of H: what it has of those before, taken out twice, so that rounding
 * leaves nothing of them. 0: there is none, since A V_k lies in the space already. */
static int orthogonalise(int64_t n, const room *r, int64_t k)
{
    double *v = r->V + (k + 1) * n, *h = r->H + k * (RESTART + 1), before = norm(n, v), length;

    for (int64_t j = 0; j <= k; j++) h[j] = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int64_t j = 0; j <= k; j++) {
            const double *u = r->V + j * n, c = dot(n, u, v);

            h[j] += c;
            for (int64_t i = 0; i < n; i++) v[i] -= c * u[i];
        }
    h[k + 1] = length = norm(n, v);
    if (!(length > 0x1p-50 * before)) return h[k + 1] = 0;
    for (int64_t i = 0; i < n; i++) v[i] /= length;
    return 1;
}

/* The rotations so far turn column k of H; another one takes its last number away, and turns what is left. */
static void rotate(const room *r, int64_t k)
{
    double *h = r->H + k * (RESTART + 1), size;

    for (int64_t j = 0; j < k; j++) {
        double a = h[j], b = h[j + 1];

        h[j] = r->cosine[j] * a + r->sine[j] * b, h[j + 1] = r->cosine[j] * b - r->sine[j] * a;
    }
    size = hypot(h[k], h[k + 1]);
    r->cosine[k] = size > 0 ? h[k] / size : 0, r->sine[k] = size > 0 ? h[k + 1] / size : 1; /* 0: A is singular */
    h[k] = size, h[k + 1] = 0;
    r->left[k + 1] = -r->sine[k] * r->left[k], r->left[k] *= r->cosine[k];
}

/* x += the combination of the first k vectors that leaves least. A column without a pivot has no share. */
static void add_up(int64_t n, const room *r, int64_t k)
{
    double *c = r->left;

    for (int64_t j = k - 1; j >= 0; j--) {
        for (int64_t i = j + 1; i < k; i++) c[j] -= r->H[i * (RESTART + 1) + j] * c[i];
        c[j] = r->H[j * (RESTART + 1) + j] != 0 ? c[j] / r->H[j * (RESTART + 1) + j] : 0;
    }
    for (int64_t j = 0; j < k; j++)
        for (int64_t i = 0; i < n; i++) r->x[i] += c[j] * r->V[j * n + i];
}

/* One space, from V_0, which is what is left, not yet of length 1. *left becomes how much is left then. */
static lbr_gmres_outcome one_space(lbr_gmres *g, const room *r, double whole, double *left)
{
    int64_t n = g->n, k = 0, goes_on = 1;
    double size = norm(n, r->V);

    for (int64_t i = 0; i < n; i++) r->V[i] /= size;
    r->left[0] = size;
    while (k < RESTART && goes_on && g->products < g->most && !(fabs(r->left[k]) <= g->tolerance * whole)) {
        g->products++;
        if (g->product(g->ctx, r->V + k * n, r->V + (k + 1) * n)) return LBR_GMRES_FAILED;
        goes_on = orthogonalise(n, r, k), rotate(r, k), k++;
        if (!isfinite(r->left[k])) return LBR_GMRES_UNSOLVED;
    }
    *left = fabs(r->left[k]);
    add_up(n, r, k);
    return *left <= g->tolerance * whole ? LBR_GMRES_SOLVED : LBR_GMRES_UNSOLVED;
}

/* V_0 = b - A x. */
static int rest(lbr_gmres *g, const double *b, const room *r)
{
    g->products++;
    if (g->product(g->ctx, r->x, r->V)) return 1;
    for (int64_t i = 0; i < g->n; i++) r->V[i] = b[i] - r->V[i];
    return 0;
}

lbr_gmres_outcome lbr_gmres_solve(lbr_gmres *g, double *x, double *work)
{
    room r = room_of(g->n, work);
    double whole = norm(g->n, x), left = whole, before;
    lbr_gmres_outcome out = LBR_GMRES_SOLVED;

    g->products = 0, g->left = 0;
    if (whole == 0) return out;
    memset(r.x, 0, (size_t)g->n * sizeof *x), memcpy(r.V, x, (size_t)g->n * sizeof *x);
    if (!(whole < INFINITY)) return g->left = NAN, LBR_GMRES_UNSOLVED;
    do {
        before = left;
        out = one_space(g, &r, whole, &left);
        if (out != LBR_GMRES_UNSOLVED || g->products >= g->most) break;
        if (rest(g, x, &r)) out = LBR_GMRES_FAILED;
    } while (out == LBR_GMRES_UNSOLVED && left < 0.9 * before);
    g->left = left / whole;
    memcpy(x, r.x, (size_t)g->n * sizeof *x);
    return out;
}
