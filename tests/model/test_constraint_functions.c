/* test_constraint_functions.c - constraints of models as functions: values, the Jacobian on its pattern, second
 * derivatives, names. SPDX-License-Identifier: BSD-3-Clause
 *
 * Against differences of g in double-double, so that a wrong entry, or one that the pattern lacks, shows. */
#include "support/modelled.h"
#include "support/precise.h"

static const double STEP = 0x1p-30;

typedef struct place {
    modelled x;
    precise p;
    double *size, *y, *u, *v, *lambda, t;
    lbr_dd *at;
} place;

static void begin(place *e)
{
    size_t n = (size_t)e->x.m->dim, m = (size_t)e->x.m->m;

    precise_begin(&e->p, &e->x.m->dag);
    e->size = calloc(4 * n + m, sizeof *e->size), e->y = e->size + n, e->u = e->y + n, e->v = e->u + n,
    e->lambda = e->v + n;
    e->at = calloc(n, sizeof *e->at), e->p.input[0] = e->at;
    sizes(e->x.m, e->size);
    for (size_t i = 0; i < n; i++) e->u[i] = any(11, (int64_t)i), e->v[i] = any(12, (int64_t)i);
    for (size_t i = 0; i < m; i++) e->lambda[i] = any(13, (int64_t)i);
}

static void end(place *e) { precise_end(&e->p), free(e->size), free(e->at); }

/* g at q + a u + b v. */
static void g(place *e, double a, double b, lbr_dd *out)
{
    e->p.t = dd(e->t);
    for (int64_t i = 0; i < e->x.m->dim; i++)
        e->at[i] = dd_add(dd(e->y[i]), dd_add(dd_prod(a, e->u[i]), dd_prod(b, e->v[i])));
    precise_run(&e->p, e->x.f->g.array, -1, out);
}

/* By rows, columns ascending and none twice. */
static int sound(const lbr_constraints *c, int64_t nq)
{
    if (!c->row || !c->col) return !c->row && !c->col && c->nnz == c->m * nq; /* dense */
    if (c->row[0] != 0 || c->row[c->m] != c->nnz) return 0;
    for (int64_t i = 0; i < c->m; i++)
        for (int64_t k = c->row[i]; k < c->row[i + 1]; k++)
            if (c->col[k] < 0 || c->col[k] >= nq || (k > c->row[i] && c->col[k] <= c->col[k - 1])) return 0;
    return 1;
}

/* A dense g'(q) column by column against the pattern. Buffers are as long as they must be: sanitizers see what is
 * beyond. */
static double jacobian_error(place *e)
{
    const lbr_constraints *c = e->x.s->constraints;
    int64_t m = c->m, n = e->x.m->nq;
    double *G = malloc((size_t)(c->nnz ? c->nnz : 1) * sizeof *G), *q = malloc((size_t)n * sizeof *q),
           *dense = calloc((size_t)(m * n), sizeof *dense), worst = 0, most = 1e-300;
    lbr_dd *a = malloc((size_t)m * sizeof *a), *b = malloc((size_t)m * sizeof *b);

    memcpy(q, e->y, (size_t)n * sizeof *q);
    if (c->G(e->t, q, G, e->x.s->ctx)) worst = HUGE_VAL;
    for (int64_t i = 0; i < m; i++)
        for (int64_t k = c->row ? c->row[i] : i * n; k < (c->row ? c->row[i + 1] : i * n + n); k++)
            dense[i * n + (c->row ? c->col[k] : k - i * n)] += G[k];
    for (int64_t j = 0; j < n; j++) {
        memset(e->u, 0, (size_t)e->x.m->dim * sizeof *e->u), e->u[j] = 1;
        g(e, STEP, 0, a), g(e, -STEP, 0, b);
        for (int64_t i = 0; i < m; i++) {
            double want = dd_scale(0.5 / STEP, dd_sub(a[i], b[i])).hi;

            most = fmax(most, fabs(want)), worst = fmax(worst, fabs(want - dense[i * n + j]));
        }
    }
    for (int64_t i = 0; i < e->x.m->dim; i++) e->u[i] = any(11, i);
    free(G), free(q), free(dense), free(a), free(b);
    return worst / most;
}

/* g''(u, v) from four values; g2t . u = lambda . g''(u, v). */
static double second_error(place *e)
{
    const lbr_constraints *c = e->x.s->constraints;
    int64_t m = c->m, n = e->x.m->nq;
    double *g2 = malloc((size_t)m * sizeof *g2), *g2t = malloc((size_t)n * sizeof *g2t),
           *q = malloc((size_t)(3 * n) * sizeof *q), worst = 0, most = 1, sum[2] = { 0 };
    lbr_dd *x[4];

    for (int k = 0; k < 4; k++)
        x[k] = malloc((size_t)m * sizeof **x), g(e, k & 1 ? STEP : -STEP, k & 2 ? STEP : -STEP, x[k]);
    memcpy(q, e->y, (size_t)n * sizeof *q), memcpy(q + n, e->u, (size_t)n * sizeof *q),
        memcpy(q + 2 * n, e->v, (size_t)n * sizeof *q);
    if (c->g2(e->t, q, q + n, q + 2 * n, g2, e->x.s->ctx) || c->g2t(e->t, q, e->lambda, q + 2 * n, g2t, e->x.s->ctx))
        worst = HUGE_VAL;
    for (int64_t i = 0; i < m; i++) {
        double want = dd_scale(0.25 / (STEP * STEP), dd_sub(dd_add(x[0][i], x[3][i]), dd_add(x[1][i], x[2][i]))).hi;

        most = fmax(most, fabs(want)), worst = fmax(worst, fabs(want - g2[i])), sum[0] += e->lambda[i] * g2[i];
    }
    for (int64_t i = 0; i < n; i++) sum[1] += g2t[i] * e->u[i];
    worst = fmax(worst, fabs(sum[0] - sum[1]) / (double)m);
    for (int k = 0; k < 4; k++) free(x[k]);
    free(g2), free(g2t), free(q);
    return worst / most;
}

static void check(const char *what, const char *text, int64_t m, int64_t nnz, const char *names)
{
    place e = { 0 };
    double first = 0, second = 0, value = 0;
    char list[400] = "";

    if (!ok(text ? open_text(&e.x, text) : open_model(&e.x, what), "%s", what)) {
        close_model(&e.x);
        return;
    }
    if (ok(e.x.s->constraints && e.x.s->constraints->m == m && e.x.s->constraints->nnz == nnz &&
               sound(e.x.s->constraints, e.x.m->nq),
           "%s: %d constraints, %d derivatives", what, (int)m, (int)nnz)) {
        begin(&e);
        for (int k = 0; k < 3; k++) {
            double *out = malloc((size_t)m * sizeof *out);

            point(e.x.m, k, e.size, &e.t, e.y);
            if (e.x.s->constraints->g(e.t, e.y, out, e.x.s->ctx)) value = HUGE_VAL;
            for (int64_t i = 0; i < m && !k; i++) value = fmax(value, fabs(out[i]));
            first = fmax(first, jacobian_error(&e)), second = fmax(second, second_error(&e));
            free(out);
        }
        ok(value < 1e-8, "%s: they hold at the start (%.0e)", what, value);
        ok(first < 1e-14 && second < 1e-12, "%s: first derivatives %.0e, second %.0e", what, first, second);
        for (int64_t i = 0; i < m && strlen(list) < 300; i++)
            strcat(strcat(list, i ? " " : ""), e.x.s->constraints->names[i]);
        if (!ok(!strncmp(list, names, strlen(names)), "%s: names", what)) printf("# %s\n", list);
        end(&e);
    } else if (e.x.s->constraints) printf("# m %d nnz %d\n", (int)e.x.s->constraints->m, (int)e.x.s->constraints->nnz);
    close_model(&e.x);
}

#define RUN "\nrun method = rattle, step = 1, steps = 1\n"

int main(void)
{
    modelled x;

    check("spherical-pendulum", NULL, 1, 3, "length");
    check("chain", NULL, 10, 3 + 9 * 6, "hook link[2] link[3] link[4]");
    check("chain n=100", "use chain: n = 100\n", 100, 3 + 99 * 6, "hook link[2]");
    check("cloth n=4", "use cloth: n = 4\n", 4 + 12 + 12, 4 * 3 + 12 * 6 + 12 * 6,
          "rail[1] rail[2] rail[3] rail[4] warp[2,1] warp[2,2]");
    check("heavy-top-matrix", NULL, 6, 3 * 3 + 3 * 6, "orthogonal[1,1] orthogonal[2,1] orthogonal[2,2]");
    check("ellipsoid", NULL, 1, 3, "surface");
    check("two-bodies-on-a-sphere", NULL, 2, 6, "sphere_a sphere_b");
    check("double-spherical-pendulum", NULL, 2, 6, "joint1 joint2");
    check("vectors",
          "canonical q[3], p[3]\n"
          "H = sq(p)/2\n"
          "constraint c = [q[1]*q[2] - sin(q[3]), exp(q[3]) - 1], d[k = 2..3] = [q[1]^2, q[k]*q[1]]\n"
          "start q = [0, 0, 0]" RUN,
          6, 3 + 1 + 1 + 2 + 1 + 2, "c[1] c[2] d[2,1] d[2,2] d[3,1] d[3,2]");
    check("one that is linear, one that is constant",
          "canonical q[2], p[2]\n"
          "H = sq(p)/2\n"
          "constraint a = 2*q[1] - q[2], b = 0\n"
          "start q = 0" RUN,
          2, 2, "a b");
    check("a quotient and a root",
          "canonical q[3], p[3]\n"
          "H = sq(p)/2\n"
          "constraint r = norm(q) - 1, s = q[1]/q[2] - 0.75, k = q[1]*q[1]*q[1] + q[1] - q[1] - 0.216\n"
          "start q = [0.6, 0.8, 0], p = 0" RUN,
          3, 3 + 2 + 1, "r s k");
    check("long sums",
          "param n = 90\n"
          "canonical q[n], p[n]\n"
          "H = sq(p)/2\n"
          "constraint c = sum(i = 1..n, q[i]*(1 + q[wrap(i + 1, n)]^2)), d = q[7]*q[9]\n"
          "start q = 0" RUN,
          2, 92, "c d");
    check("long sums over every third",
          "param n = 90\n"
          "canonical q[3*n], p[3*n]\n"
          "H = sq(p)/2\n"
          "constraint c = sum(i = 1..n, q[3*i]*(1 + q[if(i < n, 3*i + 3, 3)]^2)), d = q[7]*q[9]\n"
          "start q = 0" RUN,
          2, 92, "c d");
    check("long sums over pairs",
          "param n = 80\n"
          "canonical x, px, q[n], p[n]\n"
          "H = sq(p)/2 + px^2\n"
          "constraint c = sum(i = 3..n, j = 1..i-2, q[i-j]*q[j]), d = x^2 + q[3]\n"
          "start q = 0" RUN,
          2, 79 + 2, "c d");
    if (ok(open_model(&x, "pendulum-cartesian"), "a manifold of state variables")) {
        double out[2];

        ok(!x.s->constraints && x.f->g.len == 2 && !lbr_function_call(0, x.m->y0, out, &x.f->g) &&
               fabs(out[0]) < 1e-15 && out[1] == 0,
           "is no constraint of the system, but can be looked at");
    }
    close_model(&x);
    return tap_done();
}
