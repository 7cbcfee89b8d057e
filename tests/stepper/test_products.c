/* test_products.c - Newton's method where a matrix would be too large: by products with the Jacobian (GMRES), in all
 * methods that solve equations. SPDX-License-Identifier: BSD-3-Clause */
#include "libration.h"
#include "support/share.h"
#include "support/tap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 12000 };

static double start[MOST], end[2][MOST];
static char message[600];
static lbr_stats stats;

/* --- systems ----------------------------------------------------------------------------------------------------- */

typedef struct ring {
    int64_t n;
    double k, bend; /* of springs; of the true derivative, by field_jvp */
    int64_t products, fails;
} ring;

/* All are drawn to a mean of all, each at its own rate: every entry of the Jacobian is there. */
static int drawn(double t, const double *y, double *f, void *ctx)
{
    const ring *r = ctx;
    double mean = 0;

    for (int64_t i = 0; i < r->n; i++) mean += y[i] / (double)r->n;
    for (int64_t i = 0; i < r->n; i++)
        f[i] = r->k * (mean * cos(t + (double)i) - y[i] * (1 + 0.5 * sin((double)i))) - y[i] * y[i] * y[i];
    return 0;
}

static int drawn_jvp(double t, const double *y, const double *v, double *out, void *ctx)
{
    ring *r = ctx;
    double mean = 0;

    for (int64_t i = 0; i < r->n; i++) mean += v[i] / (double)r->n;
    for (int64_t i = 0; i < r->n; i++)
        out[i] = r->k * (mean * cos(t + (double)i) - v[i] * (1 + 0.5 * sin((double)i))) - 3 * y[i] * y[i] * v[i];
    out[r->n / 2] *= r->bend;
    return ++r->products >= r->fails && r->fails;
}

/* Rates from 1 to n^2, and all in all of them. */
static int spread(double t, const double *y, double *f, void *ctx)
{
    const ring *r = ctx;
    double mean = 0;

    for (int64_t i = 0; i < r->n; i++) mean += y[i] / (double)r->n;
    for (int64_t i = 0; i < r->n; i++) f[i] = mean * cos((double)i) - (double)(i * i) * y[i];
    return (void)t, 0;
}

static int spread_jvp(double t, const double *y, const double *v, double *out, void *ctx)
{
    (void)y;
    return spread(t, v, out, ctx);
}

/* A chain of masses with springs k d + d^3, both ends held. */
static int chain_force(double t, const double *q, double *f, void *ctx)
{
    const ring *r = ctx;

    for (int64_t i = 0; i < r->n; i++) {
        double a = q[i] - (i > 0 ? q[i - 1] : 0), b = (i < r->n - 1 ? q[i + 1] : 0) - q[i];

        f[i] = r->k * (b - a) + (b * b * b - a * a * a);
    }
    return (void)t, 0;
}

static double ones[MOST];

static lbr_system full(ring *r, int given)
{
    lbr_system s = LBR_SYSTEM(.name = "full", .dim = r->n, .field = drawn, .ctx = r);

    if (given) s.field_jvp = drawn_jvp;
    return s;
}

static lbr_system chain(ring *r)
{
    return (lbr_system)LBR_SYSTEM(.name = "chain", .dim = 2 * r->n, .nq = r->n, .force = chain_force,
                                  .inverse_mass = ones, .ctx = r);
}

static void begin(int64_t n)
{
    for (int64_t i = 0; i < MOST; i++) start[i] = i < n ? 0.3 * sin((double)i / 7) : 0, ones[i] = 1;
}

static lbr_status run(const lbr_system *s, const char *method, const char *solver, int compensated, double h, int64_t n,
                      double *y)
{
    lbr_options o;
    lbr_plan *p = NULL;
    lbr_status status;

    lbr_options_init(&o);
    o.compensated = compensated, lbr_option_set(&o, "solver", solver);
    if (!(status = lbr_plan_create(&p, method, s, &o)) && !(status = lbr_start(p, 0, h, start)))
        status = lbr_run(p, n, 0, NULL, NULL);
    snprintf(message, sizeof message, "%s", status ? lbr_plan_message(p) : "");
    stats = lbr_plan_stats(p) ? *lbr_plan_stats(p) : (lbr_stats){ 0 };
    if (lbr_read(p, NULL, y)) y[0] = NAN;
    return lbr_plan_free(p), status;
}

static double apart(int64_t n)
{
    double most = 0, size = 0;

    for (int64_t i = 0; i < n; i++) {
        most = fmax(most, fabs(end[0][i] - end[1][i])), size = fmax(size, fabs(end[1][i]));
        if (isnan(end[0][i])) return NAN;
    }
    return most / size;
}

/* --- Runge-Kutta steps ------------------------------------------------------------------------------------------- */

static void like_a_matrix(void)
{
    static const char *const list[] = { "gauss:2", "radau-2a:3", "implicit-euler", "lobatto-3a:3" };

    for (int given = 0; given < 2; given++)
        for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
            ring r = { .n = k == 2 ? 620 : 320, .k = 100, .bend = 1 };
            lbr_system s = full(&r, given);

            if (!in_share((int64_t)k + given, 1, 4)) continue;
            begin(r.n);
            ok(run(&s, list[k], "fixed-point", 0, 0.1, 3, end[0]) == LBR_ENOCONV, "%s: too stiff for fixed points",
               list[k]);
            ok(!run(&s, list[k], "newton", 0, 0.1, 3, end[1]), "... a matrix does it");
            r.products = 0;
            ok(!run(&s, list[k], "auto", 0, 0.1, 3, end[0]), "... and products%s do it %s",
               given ? " with field_jvp" : " by differences", message);
            ok(apart(r.n) < 1e-13, "... with the same result, to %.2g", apart(r.n));
            ok((r.products > 0) == given && stats.jacobian > 0 && stats.jacobian <= 6, "... %lld Jacobians",
               (long long)stats.jacobian);
            ok(!run(&s, list[k], "auto", 1, 0.1, 3, end[0]) && apart(r.n) < 1e-13, "... also compensated");
        }
}

/* More rows than any matrix has, and a pair of tableaux; the results of sparse factors. */
static void too_many_rows(void)
{
    ring r = { .n = 5000, .k = 100, .bend = 1 }, c = { .n = 700, .k = 400 };
    lbr_system s = full(&r, 1), springs = chain(&c);
    lbr_sparsity all = { 0 };
    int64_t *row = malloc((size_t)(2 * c.n + 1) * sizeof *row), *col = malloc((size_t)(8 * c.n) * sizeof *col), at = 0;

    begin(r.n);
    ok(!run(&s, "gauss:2", "newton", 0, 0.1, 2, end[0]), "5000 components, a full Jacobian %s", message);
    ok(stats.jacobian == 2, "... one Jacobian for each step: %lld", (long long)stats.jacobian);
    if (!row || !col) return;
    for (int64_t i = 0; i < 2 * c.n; i++) {
        row[i] = at;
        if (i < c.n) col[at++] = c.n + i;
        else
            for (int64_t j = i - c.n - 1; j <= i - c.n + 1; j++)
                if (j >= 0 && j < c.n) col[at++] = j;
    }
    row[2 * c.n] = at;
    all = (lbr_sparsity){ .size = sizeof all, .n = 2 * c.n, .nnz = at, .row = row, .col = col };
    begin(c.n), springs.jacobian = &all;
    ok(!run(&springs, "gauss:3", "newton", 0, 0.1, 5, end[1]), "a stiff chain, sparse factors %s", message);
    springs.jacobian = NULL;
    ok(!run(&springs, "gauss:3", "auto", 0, 0.1, 5, end[0]), "... by products %s", message);
    ok(apart(2 * c.n) < 1e-12, "... the same result, to %.2g", apart(2 * c.n));
    ok(!run(&springs, "lobatto-3a-3b:3", "newton", 0, 0.05, 5, end[1]), "a pair of tableaux of 4200 rows %s", message);
    ok(!run(&springs, "lobatto-3a-3b:3", "auto", 0, 0.05, 5, end[0]), "... by itself, too %s", message);
    ok(apart(2 * c.n) < 1e-12, "... whichever way it comes to Newton's method, to %.2g", apart(2 * c.n));
    free(row), free(col);
}

/* --- others ------------------------------------------------------------------------------------------------------ */

/* Methods that are the same map, on a chain that is too stiff for fixed points. */
static void same_maps(void)
{
    static const struct {
        const char *method, *same;
        int64_t n;
    } list[] = {
        { "gauss-nystrom:2", "gauss:2", 350 },
        { "variational(midpoint)", "midpoint", 620 },
        { "variational(gauss:2)", "gauss:2", 320 },
    };

    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        ring r = { .n = list[k].n, .k = 400 };
        lbr_system s = chain(&r);

        begin(r.n);
        ok(!run(&s, list[k].same, "auto", 0, 0.15, 4, end[1]), "%s by products %s", list[k].same, message);
        ok(!run(&s, list[k].method, "newton", 0, 0.15, 4, end[0]), "%s %s", list[k].method, message);
        ok(apart(2 * r.n) < 1e-11, "... is the same map, to %.2g", apart(2 * r.n));
    }
}

/* --- products first, and then a matrix ---------------------------------------------------------------------------- */

static int in_pieces(const lbr_system *s, const char *method, const char *solver, double h, int64_t n, double *y)
{
    lbr_options o;
    lbr_plan *p = NULL;
    lbr_state *a = NULL, *b = NULL;
    size_t size;
    int bad;

    lbr_options_init(&o), lbr_option_set(&o, "solver", solver);
    bad = lbr_plan_create(&p, method, s, &o) || lbr_state_create(&a, p) || lbr_state_create(&b, p) ||
          lbr_state_start(a, 0, h, start);
    for (int64_t k = 0; k < n && !bad; k++) {
        const void *bytes;
        lbr_state *c = a;

        bad = lbr_state_run(a, 1, 0, NULL, NULL) || !(bytes = lbr_state_bytes(a, &size)) ||
              lbr_state_restore(b, bytes, size) || lbr_state_read(b, NULL, y);
        a = b, b = c;
    }
    lbr_state_free(a), lbr_state_free(b), lbr_plan_free(p);
    return bad;
}

/* How far y is from solving the equations of one step of the implicit Euler method, in units of what rounding of the
 * largest component does. */
static double off_euler(const lbr_system *s, double h, const double *y)
{
    static double f[MOST];
    double worst = 0;

    s->field(h, y, f, s->ctx);
    for (int64_t i = 0; i < s->dim; i++)
        worst = fmax(worst, fabs(y[i] - start[i] - h * f[i]) / (1 + h * (double)(i * i)));
    return worst;
}

static void large_matrices(void)
{
    ring r = { .n = 1100, .k = 100, .bend = 1 };
    lbr_system s = full(&r, 1),
               wide = LBR_SYSTEM(.name = "spread", .dim = r.n, .field = spread, .field_jvp = spread_jvp, .ctx = &r);

    begin(r.n);
    ok(!run(&s, "gauss:2", "newton", 0, 0.1, 3, end[1]), "1100 rows by Newton's method %s", message);
    ok(r.products < 1000, "... by %lld products, fewer than there are columns", (long long)r.products);
    ok(stats.jacobian == 3, "... and without a matrix that would have stayed: %lld Jacobians",
       (long long)stats.jacobian);
    ok(!run(&s, "gauss:2", "auto", 0, 0.1, 3, end[0]), "... as auto does %s", message);
    ok(apart(r.n) < 1e-13, "... with the same result, to %.2g", apart(r.n));
    ok(!run(&wide, "implicit-euler", "newton", 0, 0.1, 1, end[0]), "where products do not do it, a matrix does %s",
       message);
    ok(off_euler(&wide, 0.1, end[0]) < 1e-15, "... which solves the equations, to %.2g", off_euler(&wide, 0.1, end[0]));
    ok(stats.jacobian == 3, "... one Jacobian for products, one to look at, one for it: %lld",
       (long long)stats.jacobian);
    ok(!run(&wide, "implicit-euler", "newton", 0, 0.1, 3, end[1]), "... and the steps that follow %s", message);
    ok(stats.jacobian == 3, "... for which it stays: %lld Jacobians", (long long)stats.jacobian);
    ok(!in_pieces(&wide, "implicit-euler", "newton", 0.1, 3, end[0]), "... also after restarts");
    ok(!memcmp(end[0], end[1], (size_t)r.n * sizeof **end), "... with the same bits");
    r.n = 990, wide.dim = r.n;
    ok(!run(&wide, "implicit-euler", "newton", 0, 0.1, 1, end[0]), "990 rows are a matrix at once %s", message);
    ok(stats.jacobian == 1, "... %lld Jacobian", (long long)stats.jacobian);
}

/* --- restarts ---------------------------------------------------------------------------------------------------- */

static void restarts(void)
{
    ring r = { .n = 400, .k = 100, .bend = 1 };
    lbr_system s = full(&r, 0);

    begin(r.n), run(&s, "gauss:2", "auto", 0, 0.1, 6, end[1]);
    ok(!in_pieces(&s, "gauss:2", "auto", 0.1, 6, end[0]) && !memcmp(end[0], end[1], (size_t)r.n * sizeof **end),
       "a restart after every step changes no bit");
}

/* --- what is wrong ----------------------------------------------------------------------------------------------- */

static void wrong(void)
{
    ring r = { .n = 5000, .k = 100, .bend = 1.5 };
    lbr_system s = full(&r, 1);

    begin(r.n);
    ok(run(&s, "gauss:2", "newton", 0, 0.1, 2, end[0]) == LBR_EUNFIT && strstr(message, "field_jvp is not"), "%s",
       message);
    r.bend = 1, r.fails = 40, r.products = 0;
    ok(run(&s, "gauss:2", "newton", 0, 0.1, 2, end[0]) == LBR_ECALLBACK && strstr(message, "reported a failure"), "%s",
       message);
    s = (lbr_system)LBR_SYSTEM(.name = "spread", .dim = r.n, .field = spread, .ctx = &r);
    ok(run(&s, "gauss:2", "newton", 0, 0.1, 2, end[0]) == LBR_ENOCONV && strstr(message, "too many for a matrix") &&
           strstr(message, "lbr_system.jacobian"),
       "%s", message);
    ok(!memcmp(end[0], start, (size_t)r.n * sizeof *start), "... and the state is the last good one");
    ok(!run(&s, "gauss:2", "newton", 0, 1e-6, 2, end[0]), "... with a short step it is solved %s", message);
}

/* What methods that use no pattern say. */
static void without_patterns(void)
{
    static int64_t row[MOST], col[MOST];
    ring r = { .n = 2200, .k = 100, .bend = 1 }, c = { .n = 1100, .k = 400 };
    lbr_system s = LBR_SYSTEM(.name = "spread", .dim = r.n, .nq = c.n, .field = spread, .ctx = &r), springs = chain(&c);
    const lbr_sparsity diagonal = { .size = sizeof diagonal, .n = 2200, .nnz = 2200, .row = row, .col = col };

    begin(r.n);
    ok(run(&s, "lobatto-3a-3b:2", "newton", 0, 100, 2, end[0]) == LBR_ENOCONV &&
           strstr(message, "give the pattern of the Jacobian (lbr_system.jacobian) to a Runge-Kutta method"),
       "a pair of tableaux would not use a pattern: %s", message);
    s.jacobian = &diagonal;
    for (int64_t i = 0; i <= r.n; i++) row[i] = i, col[i] = i;
    ok(run(&s, "lobatto-3a-3b:2", "newton", 0, 100, 2, end[0]) == LBR_ENOCONV &&
           strstr(message, "which this system has"),
       "... and where there is one, others do: %s", message);
    springs.jacobian = &diagonal;
    ok(run(&springs, "gauss-nystrom:2", "newton", 0, 100, 2, end[0]) == LBR_ENOCONV &&
           strstr(message, "these use the pattern of the Jacobian"),
       "... as for a Nystrom method: %s", message);
}

int main(void)
{
    like_a_matrix();
    too_many_rows();
    same_maps();
    restarts();
    wrong();
    if (share(1, 1, 0)) large_matrices(); /* a thousand rows take long under sanitizers */
    if (share(1, 0, 0)) without_patterns();
    return tap_done();
}
