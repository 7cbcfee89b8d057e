/* newton.c - stiff chains by gauss:2 and Newton's method with sparse factors, against a loop by hand.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The loop knows everything: masses are 1, the Jacobian of the force is a symmetric tridiagonal matrix, positions alone
 * are unknown, one matrix serves all steps. It has complex numbers of C, the library's starting values and its stopping
 * rule. The library calls the force, knows the pattern alone, and has as many unknowns again for momenta. */
#include "bench.h"

#include <complex.h>
#include <string.h>

enum { SIZES = 4, ROUNDS = 5 };
static const double stiff = 1e4, bent = 10, h = 0.05;

typedef struct chain {
    int64_t n;
    double *q, *p, *z[2], *f[2], *r[2], *d;
    complex double *l, *pivot, *x;
    double *a, *b; /* of the force's Jacobian: diagonal, neighbours */
} chain;

static int force(double t, const double *q, double *f, void *ctx)
{
    int64_t n = ((const chain *)ctx)->n;

    (void)t;
    for (int64_t i = 0; i < n; i++) {
        double u = q[i] - (i > 0 ? q[i - 1] : 0), v = (i < n - 1 ? q[i + 1] : 0) - q[i];

        f[i] = stiff * (v - u) + bent * (v * v * v - u * u * u);
    }
    return 0;
}

static double start(int64_t i, int64_t n, int momentum)
{
    double x = (double)(i + 1) / (double)(n + 1);

    return momentum ? 0.3 * cos(5 * x) : 0.5 * sin(3 * x) * (1 - x);
}

/* --- by hand ----------------------------------------------------------------------------------------------------- */

static void factorise(chain *c, complex double z)
{
    int64_t n = c->n;

    for (int64_t i = 0; i < n; i++) {
        double u = c->q[i] - (i > 0 ? c->q[i - 1] : 0), v = (i < n - 1 ? c->q[i + 1] : 0) - c->q[i];

        c->b[i] = stiff + 3 * bent * v * v, c->a[i] = -c->b[i] - stiff - 3 * bent * u * u;
    }
    for (int64_t i = 0; i < n; i++) {
        complex double pivot = 1 - z * c->a[i];

        if (i > 0) c->l[i] = -z * c->b[i - 1] * c->pivot[i - 1], pivot += c->l[i] * z * c->b[i - 1];
        c->pivot[i] = 1 / pivot;
    }
}

static void solve(const chain *c, complex double z)
{
    for (int64_t i = 1; i < c->n; i++) c->x[i] -= c->l[i] * c->x[i - 1];
    c->x[c->n - 1] *= c->pivot[c->n - 1];
    for (int64_t i = c->n - 2; i >= 0; i--) c->x[i] = (c->x[i] + z * c->b[i] * c->x[i + 1]) * c->pivot[i];
}

/* Constants of gauss:2 for q'' = f(q): A A, b A, c, and how f goes on from the step before. */
static const double A2[2][2] = { { 1. / 24, 1. / 8 - 0.14433756729740643 }, { 1. / 8 + 0.14433756729740643, 1. / 24 } };

/* One step; the iterations that it took. */
static int64_t step(chain *c, complex double mu, const double S[2][2], const double node[2])
{
    const double e[2] = { 0.25 + 0.14433756729740643, 0.25 - 0.14433756729740643 };
    complex double u = (mu - A2[0][0]) / A2[1][0], z = h * h * mu;
    double last = INFINITY, now = INFINITY;
    int64_t n = c->n, its = 0;

    for (int64_t i = 0; i < n; i++)
        for (int k = 0; k < 2; k++)
            c->z[k][i] = h * node[k] * c->p[i] + h * h * (S[k][0] * c->f[0][i] + S[k][1] * c->f[1][i]);
    for (int done = 0; !done && its < 100; its++) {
        double change = 0, size = 0;

        for (int k = 0; k < 2; k++) {
            for (int64_t i = 0; i < n; i++) c->d[i] = c->q[i] + c->z[k][i];
            force(0, c->d, c->f[k], c);
        }
        for (int64_t i = 0; i < n; i++) {
            for (int k = 0; k < 2; k++)
                c->r[k][i] = h * node[k] * c->p[i] + h * h * (A2[k][0] * c->f[0][i] + A2[k][1] * c->f[1][i]) -
                             c->z[k][i];
            c->x[i] = c->r[0][i] + u * c->r[1][i];
        }
        solve(c, z);
        for (int64_t i = 0; i < n; i++) {
            c->r[1][i] = cimag(c->x[i]) / cimag(u), c->r[0][i] = creal(c->x[i]) - creal(u) * c->r[1][i];
            for (int k = 0; k < 2; k++) {
                c->z[k][i] += c->r[k][i];
                change = fmax(change, fabs(c->r[k][i])), size = fmax(size, fabs(c->q[i]) + fabs(c->z[k][i]));
            }
        }
        last = now, now = change / size;
        done = its > 0 && ((now >= last && now < 1e-12) || (now < last / 16 && now * (now / last) < 0x1p-66));
    }
    for (int k = 0; k < 2; k++)
        for (int64_t i = 0; i < n; i++)
            c->f[k][i] += c->a[i] * c->r[k][i] + (i > 0 ? c->b[i - 1] * c->r[k][i - 1] : 0) +
                          (i < n - 1 ? c->b[i] * c->r[k][i + 1] : 0);
    for (int64_t i = 0; i < n; i++) {
        c->q[i] += h * c->p[i] + h * h * (e[0] * c->f[0][i] + e[1] * c->f[1][i]);
        c->p[i] += h / 2 * (c->f[0][i] + c->f[1][i]);
    }
    return its;
}

/* The line through f at the nodes, integrated twice from the end of the step to node k of the next. */
static void prolong(const double node[2], double S[2][2])
{
    for (int k = 0; k < 2; k++)
        for (int j = 0; j < 2; j++) {
            double other = node[1 - j], x = node[k];

            S[k][j] = (x * x / 2 * (1 - other) + x * x * x / 6) / (node[j] - other);
        }
}

static double by_hand(chain *c, int64_t steps, double *its)
{
    const double node[2] = { 0.5 - 0.28867513459481287, 0.5 + 0.28867513459481287 };
    complex double lambda = 0.25 + 0.14433756729740643 * I, mu = lambda * lambda;
    double S[2][2], t;

    prolong(node, S);
    for (int64_t i = 0; i < c->n; i++) c->q[i] = start(i, c->n, 0), c->p[i] = start(i, c->n, 1);
    force(0, c->q, c->f[0], c), memcpy(c->f[1], c->f[0], (size_t)c->n * sizeof *c->f[0]);
    t = now(), *its = 0;
    factorise(c, h * h * mu);
    for (int64_t k = 0; k < steps; k++) *its += (double)step(c, mu, (const double(*)[2])S, node);
    *its /= (double)steps;
    return (now() - t) / (double)steps / (double)(2 * c->n) * 1e9;
}

/* --- the library ------------------------------------------------------------------------------------------------- */

static double ours(chain *c, const lbr_sparsity *pattern, int64_t steps, double *its, double *y, double *made)
{
    int64_t n = c->n;
    double *one = malloc((size_t)n * sizeof *one), t;
    lbr_system s = LBR_SYSTEM(.name = "chain", .dim = 2 * n, .nq = n, .ctx = c, .force = force, .inverse_mass = one,
                              .jacobian = pattern);
    lbr_options o;
    lbr_plan *plan;

    for (int64_t i = 0; i < n; i++) one[i] = 1, y[i] = start(i, n, 0), y[n + i] = start(i, n, 1);
    lbr_options_init(&o), lbr_option_set(&o, "solver", "newton");
    t = now(), plan = plan_or_exit("gauss:2", &s, &o), *made = (now() - t) / (double)(2 * n) * 1e9;
    if (lbr_start(plan, 0, h, y)) exit(1);
    t = now();
    if (lbr_run(plan, steps, 0, NULL, NULL)) printf("%s\n", lbr_plan_message(plan)), exit(1);
    t = (now() - t) / (double)steps / (double)(2 * n) * 1e9;
    *its = (double)lbr_plan_stats(plan)->iterations / (double)steps;
    lbr_read(plan, NULL, y);
    lbr_plan_free(plan), free(one);
    return t;
}

static chain chain_of(int64_t n)
{
    chain c = { .n = n };
    double *all = calloc((size_t)(11 * n), sizeof *all);
    complex double *more = calloc((size_t)(3 * n), sizeof *more);

    c.q = all, c.p = all + n, c.d = all + 2 * n, c.a = all + 3 * n, c.b = all + 4 * n;
    for (int k = 0; k < 2; k++) c.z[k] = all + (5 + k) * n, c.f[k] = all + (7 + k) * n, c.r[k] = all + (9 + k) * n;
    c.l = more, c.pivot = more + n, c.x = more + 2 * n;
    return c;
}

int main(void)
{
    printf("gauss:2 by Newton's method on stiff chains: ns per component of the state and step, least of %d\n", ROUNDS);
    printf("%8s %10s %10s %8s %16s %12s %10s\n", "masses", "ours", "by hand", "ratio", "iterations", "an iteration",
           "plan (ns)");
    for (int k = 0; k < SIZES; k++) {
        int64_t n = (int64_t)pow(10, 2 + k), *row = calloc((size_t)(n + 1), sizeof *row), e = 0,
                steps = 2000000 / n + 5, *col = malloc((size_t)(3 * n) * sizeof *col);
        chain c = chain_of(n);
        double *y = malloc((size_t)(2 * n) * sizeof *y), a = INFINITY, b = INFINITY, apart = 0, its[2], made;
        lbr_sparsity pattern = { .size = sizeof pattern, .n = n, .row = row, .col = col };

        for (int64_t i = 0; i < n; row[++i] = e)
            for (int64_t j = i > 0 ? i - 1 : 0; j <= i + 1 && j < n; j++) col[e++] = j;
        pattern.nnz = e;
        for (int r = 0; r < ROUNDS; r++) {
            a = fmin(a, ours(&c, &pattern, 20, &its[0], y, &made)), b = fmin(b, by_hand(&c, 20, &its[1]));
            for (int64_t i = 0; i < n; i++)
                apart = fmax(apart, fmax(fabs(y[i] - c.q[i]), fabs(y[n + i] - c.p[i]) / 100));
            a = fmin(a, ours(&c, &pattern, steps, &its[0], y, &made)), b = fmin(b, by_hand(&c, steps, &its[1]));
        }
        printf("%8lld %10.1f %10.1f %8.2f %8.1f %7.1f %12.2f %10.0f%s\n", (long long)n, a, b, a / b, its[0], its[1],
               a / its[0] / (b / its[1]), made, apart < 1e-9 ? "" : "  (not the same steps)");
        free(row), free(col), free(y), free(c.q), free(c.l);
    }
    return 0;
}
