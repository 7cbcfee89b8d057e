/* chain.c - RATTLE on hanging chains, trees and closed loops of rigid links: through callbacks, against a loop by hand with a tridiagonal matrix. SPDX-License-Identifier: BSD-3-Clause
 *
 * Time per link and step, and per link and Newton iteration, for n from 10 to 100 000 links. The loop by hand has the same matrix, start
 * and stopping rule as src/stepper/rattle.c; both then need the same iterations. */
#define _DEFAULT_SOURCE
#include "bench.h"

#include <float.h>
#include <string.h>

#define GRAVITY 9.81
enum { DIMENSIONS = 3, ROUNDS = 7 };
static const double link2 = 0.01;                        /* links of length 0.1 */

/* Link i joins point i with point parent[i], or with the origin (-1). A closed loop has one link more than points: its last one joins n - 1 with 0. */
typedef struct chain { int64_t n, m;  int64_t *a, *b, *row, *col;  double *mass, *y;  lbr_constraints c; } chain;

static int force(double t, const double *q, double *f, void *ctx)
{
    const chain *x = ctx;

    (void)t, (void)q;
    for (int64_t i = 0; i < x->n; i++) f[3 * i] = f[3 * i + 1] = 0, f[3 * i + 2] = -GRAVITY;
    return 0;
}

static double apart(const double *q, int64_t a, int64_t b, int k) { return q[3 * a + k] - (b < 0 ? 0 : q[3 * b + k]); }

static int g(double t, const double *q, double *r, void *ctx)
{
    const chain *x = ctx;

    (void)t;
    for (int64_t i = 0; i < x->m; i++) {
        double u = apart(q, x->a[i], x->b[i], 0), v = apart(q, x->a[i], x->b[i], 1), w = apart(q, x->a[i], x->b[i], 2);

        r[i] = u * u + v * v + w * w - link2;
    }
    return 0;
}

static int G(double t, const double *q, double *out, void *ctx)
{
    const chain *x = ctx;

    (void)t;
    for (int64_t i = 0; i < x->m; i++, out += 3)
        for (int k = 0; k < DIMENSIONS; k++) {
            double d = 2 * apart(q, x->a[i], x->b[i], k);
            int forth = x->b[i] > x->a[i];                 /* columns ascend */

            if (x->b[i] >= 0) out[k] = forth ? d : -d, out[k + 3] = forth ? -d : d;
            else out[k] = d;
            if (k == DIMENSIONS - 1 && x->b[i] >= 0) out += 3;
        }
    return 0;
}

static void link_up(chain *x, int64_t i, int64_t a, int64_t b)
{
    int64_t lower = b >= 0 && b < a ? b : a, upper = b >= 0 && b < a ? a : b, at = x->row[i];

    x->a[i] = a, x->b[i] = b;
    for (int k = 0; k < DIMENSIONS; k++) x->col[at++] = 3 * lower + k;
    for (int k = 0; upper >= 0 && k < DIMENSIONS; k++) x->col[at++] = 3 * upper + k;
    x->row[i + 1] = at;
}

/* 0: a chain, 1: a tree with two branches everywhere, 2: a closed loop. Stretched out, swung sideways. */
static chain made(int64_t n, int shape)
{
    size_t links = (size_t)n + 1;
    chain x = { .n = n, .m = shape == 2 ? n : n, .a = malloc(links * 8), .b = malloc(links * 8), .row = calloc(links + 1, 8), .col = malloc(6 * links * 8), .mass = malloc(24 * links), .y = calloc(6 * links, 8) };

    for (int64_t i = 0; i < n; i++) {
        int64_t parent = shape == 1 ? (i - 1) / 2 - (i == 0) : i - 1;
        double turn = 2 * 3.14159265358979323846 / (double)n, radius = 0.05 / sin(turn / 2), angle = shape == 1 ? 0.7 * (double)(i % 2) - 0.35 : 0;

        if (shape == 2) link_up(&x, i, i, i ? i - 1 : n - 1);
        else link_up(&x, i, i, i ? parent : -1);
        for (int k = 0; k < DIMENSIONS; k++) x.mass[3 * i + k] = 1;
        if (shape == 2) x.y[3 * i] = radius * cos(turn * (double)i), x.y[3 * i + 1] = radius * sin(turn * (double)i), x.y[3 * n + 3 * i + 2] = 0.1 * cos(turn * (double)i);
        else {
            x.y[3 * i] = (i ? x.y[3 * parent] : 0) + 0.1 * cos(angle), x.y[3 * i + 1] = (i ? x.y[3 * parent + 1] : 0) + 0.1 * sin(angle);
            x.y[3 * n + 3 * i + 2] = 0;
        }
    }
    x.c = (lbr_constraints){ .size = sizeof x.c, .m = x.m, .g = g, .G = G, .nnz = x.row[x.m], .row = x.row, .col = x.col };
    return x;
}

static void gone(chain *x) { free(x->a), free(x->b), free(x->row), free(x->col), free(x->mass), free(x->y); }

/* --- by hand -------------------------------------------------------------------------------------------------------------- */

typedef struct loop { double *d, *l, *c, *L, *r, *q1, *ph; int64_t iterations; } loop;        /* of the matrix: 1/d, l; links; multipliers */

static double between(const double *q, int64_t i, int k) { return q[3 * i + k] - (i ? q[3 * i - 3 + k] : 0); }

/* S of the links c = q_i - q_{i-1}: 8 c.c (4 c.c of the first), -4 c.c' beside it; L D L^T. */
static void matrix(loop *x, int64_t n, const double *q)
{
    double before = 0;

    for (int64_t i = 0; i < n; i++) {
        double s = 0, off = 0;

        for (int k = 0; k < 3; k++) {
            double c = between(q, i, k);

            s += c * c, off += i ? c * x->c[3 * i - 3 + k] : 0, x->c[3 * i + k] = c;
        }
        s *= i ? 8 : 4, off *= -4;
        x->l[i] = i ? off * x->d[i - 1] : 0, before = s - x->l[i] * off, x->d[i] = 1 / before;
    }
}

static void solve(const loop *x, int64_t n, double *r)
{
    for (int64_t i = 1; i < n; i++) r[i] -= x->l[i] * r[i - 1];
    r[n - 1] *= x->d[n - 1];
    for (int64_t i = n - 2; i >= 0; i--) r[i] = r[i] * x->d[i] - x->l[i + 1] * r[i + 1];
}

/* out = by (G^T L), where G has 2 c and -2 c. */
static inline double pull(const loop *x, int64_t n, int64_t i, int k, const double *L) { return 2 * (L[i] * x->c[3 * i + k] - (i + 1 < n ? L[i + 1] * x->c[3 * i + 3 + k] : 0)); }

static double rounding(const loop *x, int64_t i, double size)
{
    return DBL_EPSILON * size * (i ? 4 : 2) * (fabs(x->c[3 * i]) + fabs(x->c[3 * i + 1]) + fabs(x->c[3 * i + 2]));
}

static double worst_of(const loop *x, int64_t n, double size)
{
    double most = 0;

    for (int64_t i = 0; i < n; i++) {
        double unit = rounding(x, i, size);
        if (!(fabs(x->r[i]) <= most * unit)) most = fabs(x->r[i]) / unit;
    }
    return most;
}

static void by_hand(loop *x, int64_t n, double h, int64_t steps, double *q, double *p)
{
    matrix(x, n, q);
    for (int64_t s = 0; s < steps; s++) {
        double last = INFINITY, now = 0, size;

        for (int k = 0; k < 100; k++, last = now) {
            size = 0;
            for (int64_t i = 0; i < n; i++)
                for (int j = 0; j < 3; j++) {
                    double ph = h / 2 * ((j == 2 ? -GRAVITY : 0) - pull(x, n, i, j, x->L)), q1 = q[3 * i + j] + h * (p[3 * i + j] + ph);
                    x->ph[3 * i + j] = ph, x->q1[3 * i + j] = q1, size = fabs(q1) > size ? fabs(q1) : size;
                }
            for (int64_t i = 0; i < n; i++) {
                double u = between(x->q1, i, 0), v = between(x->q1, i, 1), w = between(x->q1, i, 2);
                x->r[i] = u * u + v * v + w * w - link2;
            }
            x->iterations++;
            now = worst_of(x, n, size);
            if (now <= 4 || (now >= last && now <= 1000)) break;
            solve(x, n, x->r);
            for (int64_t i = 0; i < n; i++) x->L[i] += 2 / (h * h) * x->r[i];
        }
        memcpy(q, x->q1, (size_t)(3 * n) * sizeof *q);
        matrix(x, n, q);
        for (int64_t i = 0; i < n; i++) x->ph[3 * i + 2] -= h / 2 * GRAVITY;
        for (int64_t i = 0; i < 3 * n; i++) p[i] += x->ph[i];
        for (int k = 0; k < 100; k++, last = now) {
            size = 0;
            if (!k) last = INFINITY;
            for (int64_t i = 0; i < 3 * n; i++) size = fabs(p[i]) > size ? fabs(p[i]) : size;
            for (int64_t i = 0; i < n; i++) {
                x->r[i] = 0;
                for (int j = 0; j < 3; j++) x->r[i] += 2 * x->c[3 * i + j] * between(p, i, j);
            }
            now = worst_of(x, n, size);
            if (now <= 4 || (now >= last && now <= 1000)) break;
            solve(x, n, x->r);
            for (int64_t i = 0; i < n; i++)
                for (int j = 0; j < 3; j++) p[3 * i + j] -= pull(x, n, i, j, x->r);
        }
    }
}

static loop loop_for(int64_t n)
{
    size_t b = (size_t)n * sizeof (double);
    return (loop){ malloc(b), malloc(b), malloc(3 * b), calloc((size_t)n, 8), malloc(b), malloc(3 * b), malloc(3 * b), 0 };
}

/* --- what is measured ------------------------------------------------------------------------------------------------------- */

typedef struct found { double ours, hand, per_iteration, iterations, difference;  const char *how; } found;

static found measure(int64_t n, int shape, double h)
{
    chain x = made(n, shape);
    lbr_system s = LBR_SYSTEM(.name = "chain", .ctx = &x, .dim = 6 * n, .nq = 3 * n, .force = force, .inverse_mass = x.mass, .constraints = &x.c);
    lbr_plan *plan = plan_or_exit("rattle", &s, NULL);
    int64_t steps = 2000000 / n > 2 ? 2000000 / n : 2;
    double *y = malloc((size_t)(12 * n) * sizeof *y), *z = y + 6 * n, t, per;
    loop l = loop_for(n);
    found f = { 1e300, 1e300, 1e300, 0, 0, lbr_plan_steps(plan) };

    if (steps > 2000) steps = 2000;
    for (int r = 0; r < ROUNDS; r++) {
        if (lbr_start(plan, 0, h, x.y)) printf("%s\n", lbr_plan_message(plan)), exit(1);
        t = now();
        if (lbr_run(plan, steps, 0, NULL, NULL)) printf("%s\n", lbr_plan_message(plan)), exit(1);
        per = 1e9 * (now() - t) / (double)(n * steps), f.ours = fmin(f.ours, per);
        f.iterations = (double)lbr_plan_stats(plan)->iterations / (double)steps, f.per_iteration = fmin(f.per_iteration, per / f.iterations);
        if (shape) continue;
        memcpy(z, x.y, (size_t)(6 * n) * sizeof *z), memset(l.L, 0, (size_t)n * sizeof *l.L), l.iterations = 0;
        t = now(), by_hand(&l, n, h, steps, z, z + 3 * n);
        f.hand = fmin(f.hand, 1e9 * (now() - t) / (double)(n * steps));
    }
    lbr_read(plan, NULL, y);
    for (int64_t i = 0; !shape && i < 6 * n; i++) f.difference = fmax(f.difference, fabs(y[i] - z[i]));
    if (!shape && fabs((double)l.iterations / (double)steps - f.iterations) > 0.01 * f.iterations) printf("iterations by hand: %.2f\n", (double)l.iterations / (double)steps);
    free(y), free(l.d), free(l.l), free(l.c), free(l.L), free(l.r), free(l.q1), free(l.ph);
    lbr_plan_free(plan), gone(&x);
    return f;
}

int main(void)
{
    static const char *const shape[] = { "chain", "tree", "loop" };
    static const struct { int64_t n; double h; } size[] = { { 10, 1e-4 }, { 100, 3e-4 }, { 1000, 1e-3 }, { 10000, 1e-3 }, { 100000, 1e-3 } };     /* short chains swing faster: about as many iterations */

    printf("RATTLE on links of unit masses: ns per link and step\n%-8s%10s%12s%10s%10s%14s%14s%14s\n", "", "links", "ours", "by hand", "ratio", "iterations", "per iteration", "difference");
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 5; i++) {
            found f;

            if (k == 2 && size[i].n > 10000) continue;      /* a large loop is nearly straight, and its matrix nearly singular */
            f = measure(size[i].n, k, size[i].h);
            printf("%-8s%10lld%12.1f", shape[k], (long long)size[i].n, f.ours);
            if (k) printf("%10s%10s", "-", "-"); else printf("%10.1f%10.2f", f.hand, f.ours / f.hand);
            printf("%14.2f%14.2f", f.iterations, f.per_iteration);
            if (k) printf("%14s\n", "-"); else printf("%14.1e\n", f.difference);
        }
    return 0;
}
