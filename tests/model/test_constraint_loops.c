/* test_constraint_loops.c - families of constraints in loops against the same ones written out: patterns, values,
 * derivatives. SPDX-License-Identifier: BSD-3-Clause
 *
 * A range that depends on another index is written out; so k = 1..1, i = k..n is the written-out form of i = 1..n. */
#include "support/modelled.h"

typedef struct numbers {
    double *g, *G, *residual, *g2, *g2t;
} numbers;

static const double EPS = 0x1p-52;

/* Buffers are as long as they must be: sanitizers see what is beyond. */
static int run(const modelled *x, const double *y, const double *u, const double *v, const double *lambda, numbers *out)
{
    const lbr_constraints *c = x->s->constraints;
    size_t m = (size_t)c->m, n = (size_t)x->s->nq;
    double *q = malloc(3 * n * sizeof *q);
    int bad;

    out->g = malloc(m * sizeof *q), out->G = malloc((size_t)(c->nnz + 1) * sizeof *q),
    out->residual = malloc(2 * m * sizeof *q), out->g2 = malloc(m * sizeof *q), out->g2t = malloc(n * sizeof *q);
    memcpy(q, y, n * sizeof *q), memcpy(q + n, u, n * sizeof *q), memcpy(q + 2 * n, v, n * sizeof *q);
    bad = c->G(0, q + 0, out->G, x->s->ctx) || c->g(0, q, out->g, x->s->ctx) ||
          c->g2(0, q, q + n, q + 2 * n, out->g2, x->s->ctx) || c->g2t(0, q, lambda, q + 2 * n, out->g2t, x->s->ctx);
    bad |= lbr_function_call(0, y, out->residual, &x->f->residual);
    free(q);
    return bad;
}

static void drop(numbers *x) { free(x->g), free(x->G), free(x->residual), free(x->g2), free(x->g2t); }

/* The largest difference in units of eps times the scale: of each (each > 0: that array) or of the largest number. */
static double apart(const double *a, const double *b, int64_t n, const double *each)
{
    double worst = 0, most = 0;

    for (int64_t i = 0; i < n; i++) most = fmax(most, fabs(a[i]));
    for (int64_t i = 0; i < n; i++) {
        double scale = each ? fabs(each[i]) : most;

        if (a[i] != b[i]) worst = fmax(worst, scale > 0 ? fabs(a[i] - b[i]) / (EPS * scale) : HUGE_VAL);
    }
    return worst;
}

static int same_pattern(const lbr_constraints *a, const lbr_constraints *b)
{
    if (a->m != b->m || a->nnz != b->nnz || !a->row != !b->row) return 0;
    return !a->row || (!memcmp(a->row, b->row, (size_t)(a->m + 1) * sizeof *a->row) &&
                       !memcmp(a->col, b->col, (size_t)a->nnz * sizeof *a->col));
}

static void compare(const char *what, const modelled *a, const modelled *b, double most)
{
    int64_t m = a->s->constraints->m, dim = a->m->dim;
    double *size = calloc((size_t)(4 * dim + m), sizeof *size), *y = size + dim, *u = y + dim, *v = u + dim,
           *lambda = v + dim, t, worst[4] = { 0 };
    int bad = 0;

    sizes(a->m, size);
    for (int64_t i = 0; i < dim; i++) u[i] = any(11, i), v[i] = any(12, i);
    for (int64_t i = 0; i < m; i++) lambda[i] = any(13, i);
    for (int k = 0; k < 3; k++) {
        numbers p = { 0 }, q = { 0 };

        point(a->m, k, size, &t, y);
        bad |= run(a, y, u, v, lambda, &p) | run(b, y, u, v, lambda, &q);
        worst[0] = fmax(worst[0], apart(p.g, q.g, m, q.residual + m));
        worst[1] = fmax(worst[1], apart(p.G, q.G, a->s->constraints->nnz, q.G));
        worst[2] = fmax(worst[2], apart(p.residual, q.residual, 2 * m, NULL));
        worst[3] = fmax(worst[3], fmax(apart(p.g2, q.g2, m, NULL), apart(p.g2t, q.g2t, a->s->nq, NULL)));
        drop(&p), drop(&q);
    }
    ok(!bad && worst[0] <= most && worst[1] <= most && worst[2] <= 4 && worst[3] <= 4,
       "%s: g %.1f, G %.1f, its rounding %.1f, second derivatives %.1f units apart", what, worst[0], worst[1], worst[2],
       worst[3]);
    free(size);
}

/* entries: of g as loops; 0: it is written out too. */
static void pair(const char *what, const char *loops, const char *written, int entries, double most)
{
    modelled a, b = { 0 };

    if (ok(open_text(&a, loops) & open_text(&b, written), "%s", what)) {
        int na = a.m->dag.array[a.m->g].nentries, nb = b.m->dag.array[b.m->g].nentries;

        if (!ok(entries ? na == entries && nb == (int)b.m->m : na == (int)a.m->m, "%s: %s", what,
                entries ? "loops" : "written out"))
            printf("# %d and %d entries, %d constraints\n", na, nb, (int)a.m->m);
        ok(same_pattern(a.s->constraints, b.s->constraints), "%s: the same pattern, %d derivatives", what,
           (int)a.s->constraints->nnz);
        if (a.s->constraints->nnz == b.s->constraints->nnz) compare(what, &a, &b, most);
        else printf("# %d derivatives against %d\n", (int)a.s->constraints->nnz, (int)b.s->constraints->nnz);
    }
    close_model(&a), close_model(&b);
}

static void refused(const char *what, const char *text, const char *say)
{
    modelled x = { 0 };
    int made = !lbr_source_text(&x.source, "text", text, strlen(text), NULL) &&
               !lbr_model_make(&x.m, &x.source, NULL, 0);

    if (!ok(!made && x.source.message && strstr(x.source.message, say), "%s: %s", what, say))
        printf("# %s\n", x.source.message ? x.source.message : "made");
    close_model(&x);
}

#define RUN "\nrun method = rattle, step = 1, steps = 1\n"
#define POINTS(n)                \
    "param n = " #n "\n"         \
    "canonical q[n,3], p[n,3]\n" \
    "H = sq(p)/2\n"              \
    "start q[i = 1..n] = [i, sin(i), cos(i)], p = 0" RUN
#define LINE(n)                                                                        \
    "param n = " #n ", w[i = 1..n] = 1 + 0.1*sin(i), k[i = 1..n] = wrap(7*i + 3, n)\n" \
    "canonical q[n], p[n]\n"                                                           \
    "H = sq(p)/2\n"                                                                    \
    "start q[i = 1..n] = 2 + sin(i), p = 0" RUN

static void families(void)
{
    pair("chain n=300", POINTS(300) "constraint hook = sq(q[1]) - 1, link[i = 2..n] = sq(q[i] - q[i-1]) - 1\n",
         POINTS(300) "constraint hook = sq(q[1]) - 1, link[k = 1..1, i = k + 1..n] = sq(q[i] - q[i-1]) - 1\n", 2, 0);
    pair("cloth n=12",
         "param n = 12, a = 0.1\n"
         "canonical q[n,n,3], p[n,n,3]\n"
         "H = sq(p)/2\n"
         "start q[i = 1..n, j = 1..n] = [i*a, j*a, 0], p = 0" RUN
         "constraint warp[i = 2..n, j = 1..n] = sq(q[i,j] - q[i-1,j]) - a^2, weft[i = 1..n, j = 1..n-1] = sq(q[i,j+1] "
         "- q[i,j]) - a^2\n",
         "param n = 12, a = 0.1\n"
         "canonical q[n,n,3], p[n,n,3]\n"
         "H = sq(p)/2\n"
         "start q[i = 1..n, j = 1..n] = [i*a, j*a, 0], p = 0" RUN
         "constraint warp[k = 1..1, i = k + 1..n, j = 1..n] = sq(q[i,j] - q[i-1,j]) - a^2, weft[k = 1..1, i = k..n, j "
         "= 1..n-1] = sq(q[i,j+1] - q[i,j]) - a^2\n",
         2, 0);
    pair("a closed loop: in the last one columns change their order",
         POINTS(100) "constraint c[i = 1..n] = sq(q[wrap(i + 1, n)] - q[i]) - 1\n",
         POINTS(100) "constraint c[k = 1..1, i = k..n] = sq(q[wrap(i + 1, n)] - q[i]) - 1\n", 1, 0);
    pair("coefficients and neighbours from tables",
         LINE(90) "constraint c[i = 1..n] = w[i]*sin(q[i])*q[k[i]] - w[i]^2\n",
         LINE(90) "constraint c[j = 1..1, i = j..n] = w[i]*sin(q[i])*q[k[i]] - w[i]^2\n", 1, 2);
    pair("members that are vectors, a short range, one alone",
         POINTS(40) "constraint a = q[1,1] - 1, d[i = 2..n, s = 1..2] = [q[i,s]*q[i-1,3], sq(q[i])], b[i = 1..30, s = "
                    "1..3] = exp(q[i,s])*q[30,1]\n",
         POINTS(40) "constraint a = q[1,1] - 1, d[k = 1..1, i = k + 1..n, s = 1..2] = [q[i,s]*q[i-1,3], sq(q[i])], b[k "
                    "= 1..1, i = k..30, s = 1..3] = exp(q[i,s])*q[30,1]\n",
         1 + 4 + 3, 0);
    pair("a condition on the index", LINE(80) "constraint c[i = 1..n] = if(i > 1, q[i]*q[i-1], q[i]^3)\n",
         LINE(80) "constraint c[k = 1..1, i = k..n] = if(i > 1, q[i]*q[i-1], q[i]^3)\n", 1, 0);
    pair("columns that coincide in one member", LINE(80) "constraint c[i = 1..n] = q[i]*q[max(i - 1, 1)]\n",
         LINE(80) "constraint c[k = 1..1, i = k..n] = q[i]*q[max(i - 1, 1)]\n", 1, 0);
    pair("beside a long sum: dense", LINE(80) "constraint s = sum(j = 1..n, q[j]^2), c[i = 2..n] = q[i]*q[i-1]\n",
         LINE(80) "constraint s = sum(j = 1..n, q[j]^2), c[k = 1..1, i = k + 1..n] = q[i]*q[i-1]\n", 2, 0);
    pair("three indices, backwards",
         "param n = 9\n"
         "canonical q[n,n,n], p[n,n,n]\n"
         "H = sq(p)/2\n"
         "start q[i = 1..n, j = 1..n, l = 1..n] = sin(i + 2*j + 3*l), p = 0" RUN
         "constraint c[i = 1..n, j = 1..n, l = 2..n] = q[n + 1 - i,l,j]*q[1,l-1,j]\n",
         "param n = 9\n"
         "canonical q[n,n,n], p[n,n,n]\n"
         "H = sq(p)/2\n"
         "start q[i = 1..n, j = 1..n, l = 1..n] = sin(i + 2*j + 3*l), p = 0" RUN
         "constraint c[i = 1..n, j = i + 1 - i..n, l = 2..n] = q[n + 1 - i,l,j]*q[1,l-1,j]\n",
         8, 0);
}

static void written_out(void)
{
    pair("a triangle", POINTS(20) "constraint c[i = 1..6, j = i + 1..n] = q[i,1]*q[j,2]\n",
         POINTS(20) "constraint c[k = 1..1, i = k..6, j = i + 1..n] = q[i,1]*q[j,2]\n", 0, 0);
    pair("few members", LINE(64) "constraint c[i = 1..n] = q[i]^2\n",
         LINE(64) "constraint c[k = 1..1, i = k..n] = q[i]^2\n", 0, 0);
    pair("random numbers", LINE(80) "constraint c[i = 1..n] = q[i]*(1 + random(i))\n",
         LINE(80) "constraint c[k = 1..1, i = k..n] = q[i]*(1 + random(i))\n", 0, 0);
    pair("long sums", LINE(70) "constraint c[i = 1..n] = q[i]*sum(j = 1..n, q[j])\n",
         LINE(70) "constraint c[k = 1..1, i = k..n] = q[i]*sum(j = 1..n, q[j])\n", 0, 0);
    pair("a system to solve",
         LINE(70) "constraint c[i = 1..n] = det([[q[i], 1, 2, 3, 0], [3, 7, 4, 2, 1], [5, 6, 8, 1, 0], [1, 2, 5, 4, "
                  "2], [0, 1, 0, 2, q[1]]])\n",
         LINE(70) "constraint c[k = 1..1, i = k..n] = det([[q[i], 1, 2, 3, 0], [3, 7, 4, 2, 1], [5, 6, 8, 1, 0], [1, "
                  "2, 5, 4, 2], [0, 1, 0, 2, q[1]]])\n",
         0, 0);
}

static void errors(void)
{
    refused("an index that runs out", POINTS(100) "constraint c[i = 1..n] = sq(q[i + 1] - q[i]) - 1\n",
            "the index is 101, outside the range 1..100");
    refused("a name that is not there", POINTS(100) "constraint c[i = 1..n] = sq(q[i]) - r\n", "there is no name 'r'");
    refused("too many", POINTS(100) "constraint c[i = 1..n, j = 1..1000, k = 1..1000] = q[i,1]\n",
            "too many constraints");
    refused("t", POINTS(100) "constraint c[i = 1..n] = q[i,1] - t*i\n", "this one depends on t");
    refused(
        "a momentum, behind a family that is sound",
        POINTS(100) "let f[i = 1..n] = p[i,1]\n"
                    "constraint c[i = 1..n] = q[i,1], d[i = 1..n] = q[i,2] - f[i]\n",
        "text:7:48: a constraint is made of positions and attitudes only, and this one depends on the momentum 'p'");
}

int main(void)
{
    families();
    written_out();
    errors();
    return tap_done();
}
