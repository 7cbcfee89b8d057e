/* test_sparse_newton.c - Newton's method with a pattern of the Jacobian: the same steps as without one, in few calls;
 * what it says of patterns and derivatives that are wrong. SPDX-License-Identifier: BSD-3-Clause */
#include "support/analysis.h"
#include "support/tap.h"

#include "stepper/rk_matrix.h"
#include "plan/plan_inside.h"

/* --- systems ----------------------------------------------------------------------------------------------------- */

enum { MOST = 100000 };

static int64_t calls, products;
static double bent = 1; /* of the true derivative, by field_jvp */

/* A chain of masses with springs k d + c d^3, both ends held: first half positions. */
typedef struct chain {
    int64_t n;
    double k, c;
} chain;

static int chain_force(double t, const double *q, double *f, void *ctx)
{
    const chain *x = ctx;

    (void)t, calls++;
    for (int64_t i = 0; i < x->n; i++) {
        double a = q[i] - (i > 0 ? q[i - 1] : 0), b = (i < x->n - 1 ? q[i + 1] : 0) - q[i];

        f[i] = x->k * (b - a) + x->c * (b * b * b - a * a * a);
    }
    return 0;
}

static int chain_field(double t, const double *y, double *f, void *ctx)
{
    const chain *x = ctx;

    memcpy(f, y + x->n, (size_t)x->n * sizeof *f);
    return chain_force(t, y, f + x->n, ctx);
}

static int chain_jvp(double t, const double *y, const double *v, double *out, void *ctx)
{
    const chain *x = ctx;

    (void)t, products++;
    for (int64_t i = 0; i < x->n; i++) {
        double a = y[i] - (i > 0 ? y[i - 1] : 0), b = (i < x->n - 1 ? y[i + 1] : 0) - y[i],
               da = v[i] - (i > 0 ? v[i - 1] : 0), db = (i < x->n - 1 ? v[i + 1] : 0) - v[i];

        out[i] = v[x->n + i];
        out[x->n + i] = x->k * (db - da) + 3 * x->c * (b * b * db - a * a * da);
    }
    out[x->n] *= bent;
    return 0;
}

/* u_t = u_xx/dx^2 + u (1 - u), a reaction that travels. */
static int heat_field(double t, const double *u, double *f, void *ctx)
{
    const chain *x = ctx;

    (void)t, calls++;
    for (int64_t i = 0; i < x->n; i++)
        f[i] = x->k * ((i > 0 ? u[i - 1] : 1) - 2 * u[i] + (i < x->n - 1 ? u[i + 1] : 0)) + u[i] * (1 - u[i]);
    return 0;
}

/* Neighbours in a line of n. */
static int64_t row[2 * MOST + 1], col[8 * MOST];
static lbr_sparsity neighbours(int64_t n)
{
    int64_t e = 0;

    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = i > 0 ? i - 1 : 0; j <= i + 1 && j < n; j++) col[e++] = j;
        row[i + 1] = e;
    }
    return (lbr_sparsity){ sizeof(lbr_sparsity), n, e, row, col, NULL };
}

/* The same below the masses. */
static lbr_sparsity with_momenta(int64_t n)
{
    int64_t e = 0;

    for (int64_t i = 0; i < n; i++) col[e++] = n + i, row[i + 1] = e;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = i > 0 ? i - 1 : 0; j <= i + 1 && j < n; j++) col[e++] = j;
        row[n + i + 1] = e;
    }
    return (lbr_sparsity){ sizeof(lbr_sparsity), 2 * n, e, row, col, NULL };
}

static double start[2 * MOST], end[2][2 * MOST], ones[MOST];
static lbr_stats stats;
static char message[600];

static void begin(int64_t n, int momenta)
{
    for (int64_t i = 0; i < n; i++) {
        double x = (double)(i + 1) / (double)(n + 1);

        start[i] = momenta ? 0.5 * sin(3 * x) * (1 - x) : exp(-30 * x * x), ones[i] = 1;
        if (momenta) start[n + i] = 0.3 * cos(5 * x);
    }
}

/* n steps; the state goes through a checkpoint in the middle if that is wanted. */
static lbr_status run(const lbr_system *s, const char *method, const char *words, double h, int64_t n, int restart,
                      double *y)
{
    lbr_options o = options_of(words);
    lbr_plan *plan;
    lbr_status status = lbr_plan_create(&plan, method, s, &o);

    if (!status) status = lbr_start(plan, 0, h, start);
    if (!status) status = lbr_run(plan, n / 2, 0, NULL, NULL);
    if (!status && restart) {
        size_t size;
        const void *bytes = lbr_state_bytes(lbr_plan_state(plan), &size);
        void *copy = memcpy(malloc(size), bytes, size);
        lbr_state *other;

        lbr_state_create(&other, plan);
        status = lbr_state_restore(other, copy, size);
        if (!status) status = lbr_state_run(other, n - n / 2, 0, NULL, NULL);
        lbr_state_read(other, NULL, y), stats = *lbr_state_stats(other);
        lbr_state_free(other), free(copy);
    } else if (!status) status = lbr_run(plan, n - n / 2, 0, NULL, NULL);
    snprintf(message, sizeof message, "%s", lbr_plan_message(plan));
    if (!restart && plan && lbr_plan_stats(plan)) lbr_read(plan, NULL, y), stats = *lbr_plan_stats(plan);
    lbr_plan_free(plan);
    return status;
}

/* --- the same steps ---------------------------------------------------------------------------------------------- */

/* How far the two results are apart. */
static double apart(int64_t n)
{
    double most = 0;

    for (int64_t i = 0; i < n; i++) most = fabs(end[0][i] - end[1][i]) <= most ? most : fabs(end[0][i] - end[1][i]);
    return most;
}

static void alike(const lbr_system *s, const char *what, double h, int64_t n, int64_t of)
{
    static const char *const methods[] = { "gauss:1",
                                           "gauss:2",
                                           "gauss:3",
                                           "gauss:4",
                                           "gauss:6",
                                           "gauss:11",
                                           "radau-2a:3",
                                           "lobatto-3a:4",
                                           "lobatto-3b:3",
                                           "lobatto-3c:3",
                                           "implicit-euler",
                                           "trapezoidal",
                                           "dirk(1/4, 1/2, 1/4)",
                                           "lobatto-3a-3b:3" };
    lbr_system without = *s;

    without.jacobian = NULL;
    for (int i = 0; i < (int)(sizeof methods / sizeof *methods); i++) {
        lbr_status a, b;
        int64_t with_it, jacobians;

        if (strstr(methods[i], "3a-3b") && !s->nq) continue;
        a = run(s, methods[i], "solver=newton", h, n, 0, end[0]);
        if (a) printf("# %s\n", message);
        with_it = stats.field + stats.force, jacobians = stats.jacobian;
        b = run(&without, methods[i], "solver=newton", h, n, 0, end[1]);
        if (b) printf("# %s\n", message);
        ok(!a && !b && distance(of, end[0], end[1]) < 4e-14, "%s, %s: with a pattern and without, to %.1e", what,
           methods[i], distance(of, end[0], end[1]));
        ok(with_it < stats.field + stats.force && jacobians > 0, "... with %lld calls and %lld", (long long)with_it,
           (long long)(stats.field + stats.force));
        ok(!run(s, methods[i], "solver=newton", h, n, 1, end[1]) && !memcmp(end[0], end[1], (size_t)of * 8),
           "... and the same bits after a restart");
    }
}

static void same_steps(void)
{
    enum { N = 40 };
    chain x = { N, 40, 30 }, heat = { N, 50, 0 };
    lbr_sparsity line = neighbours(N);
    lbr_system s = LBR_SYSTEM(.dim = 2 * N, .nq = N, .ctx = &x, .force = chain_force, .inverse_mass = ones,
                              .jacobian = &line),
               u = LBR_SYSTEM(.dim = N, .ctx = &heat, .field = heat_field, .jacobian = &line);

    begin(N, 1);
    alike(&s, "a chain by its force", 0.3, 12, 2 * N);
    begin(N, 0);
    alike(&u, "a reaction", 0.2, 12, N);
    line = with_momenta(N);
    s = LBR_SYSTEM(.dim = 2 * N, .ctx = &x, .field = chain_field, .jacobian = &line);
    begin(N, 1);
    alike(&s, "a chain by its field", 0.3, 12, 2 * N);
}

/* --- calls and cost ---------------------------------------------------------------------------------------------- */

static double numbers(const lbr_system *s, const char *method, double *products_each)
{
    lbr_options o = options_of("solver=newton");
    lbr_plan *plan;
    const lbr_rk *rk;
    double all;

    if (lbr_plan_create(&plan, method, s, &o)) return NAN;
    rk = plan->setup.constants;
    all = rk->matrix->sparse ? (double)rk->matrix->factors / (double)s->dim : NAN;
    *products_each = rk->matrix->lu.products / (double)s->dim;
    lbr_plan_free(plan);
    return all;
}

/* A chain whose springs are stiff: cost goes with its length. */
static void linear_cost(void)
{
    double each[4], work[4];
    int64_t used[4], its[4];

    for (int k = 0; k < 4; k++) {
        int64_t n = (int64_t)pow(10, 2 + k);
        chain x = { n, 1e4, 1e3 };
        lbr_sparsity line = neighbours(n);
        lbr_system s = LBR_SYSTEM(.dim = 2 * n, .nq = n, .ctx = &x, .force = chain_force, .inverse_mass = ones,
                                  .jacobian = &line);
        lbr_status status;

        begin(n, 1);
        each[k] = numbers(&s, "gauss:2", &work[k]);
        status = run(&s, "gauss:2", "solver=newton", 0.05, 4, 0, end[0]);
        used[k] = stats.force, its[k] = stats.iterations;
        ok(!status, "a stiff chain of %lld, %lld iterations%s%s", (long long)n, (long long)its[k], status ? ": " : "",
           status ? message : "");
    }
    ok(each[3] < 1.02 * each[1] && each[3] < 20, "numbers for each unknown: %.1f, %.1f, %.1f, %.1f", each[0], each[1],
       each[2], each[3]);
    ok(work[3] < 1.02 * work[1] && work[3] < 20, "products for each unknown: %.1f, %.1f, %.1f, %.1f", work[0], work[1],
       work[2], work[3]);
    ok(used[3] < 2 * used[0] && used[3] < 150, "calls: %lld, %lld, %lld, %lld", (long long)used[0], (long long)used[1],
       (long long)used[2], (long long)used[3]);
}

/* What the fixed point cannot do is Newton's by itself, also where the dense matrix would be too large. */
static void taking_over(void)
{
    enum { N = 3000 };
    chain x = { N, 1e4, 0 };
    lbr_sparsity line = neighbours(N);
    lbr_system s = LBR_SYSTEM(.dim = N, .ctx = &x, .field = heat_field, .jacobian = &line);

    begin(N, 0);
    ok(run(&s, "gauss:2", "solver=fixed-point", 0.1, 4, 0, end[0]) == LBR_ENOCONV, "a stiff reaction: %s", message);
    ok(!run(&s, "gauss:2", "", 0.1, 4, 0, end[0]), "Newton's method takes over%s", message);
    ok(stats.jacobian > 0 && stats.jacobian < 4, "... with %lld Jacobians", (long long)stats.jacobian);
    s.jacobian = NULL;
    ok(!run(&s, "gauss:2", "", 0.1, 4, 0, end[1]), "without a pattern by products with the Jacobian%s", message);
    ok(apart(N) < 5e-12, "... with the same result, to %.2g", apart(N));
}

/* --- what is wrong ----------------------------------------------------------------------------------------------- */

/* What lbr_system_check says of the pattern. */
static void checked(const lbr_system *s, int holds, const char *words)
{
    const lbr_system_report *r = NULL;
    lbr_defaults defaults = { sizeof defaults, 0, start, "midpoint", 0.1, 1 };
    lbr_system with_start = *s;
    lbr_status status;
    int named = 0;

    with_start.defaults = &defaults;
    status = lbr_system_check(&with_start, NULL, &r);
    ok(!status && (r->wrong == 0) == holds, "lbr_system_check: %d wrong", r ? (int)r->wrong : -1);
    for (int64_t i = 0; r && i < r->n; i++)
        if (strstr(r->finding[i]->what, "pattern"))
            named |= r->finding[i]->holds == holds && strstr(r->finding[i]->text, words);
    ok(named, "... and it names the pattern");
    lbr_system_report_free(r);
}

static void wrong_patterns(void)
{
    enum { N = 64 };
    static int64_t few_row[N + 1], few_col[N];
    chain x = { N, 50, 0 };
    lbr_sparsity line = neighbours(N), few = { sizeof few, N, N, few_row, few_col, NULL }, bad = line;
    lbr_system s = LBR_SYSTEM(.dim = N, .ctx = &x, .field = heat_field, .jacobian = &few);

    begin(N, 0);
    for (int64_t i = 0; i < N; i++) few_col[i] = i, few_row[i + 1] = i + 1;
    ok(run(&s, "gauss:2", "solver=newton", 0.1, 4, 0, end[0]) == LBR_EUNFIT && strstr(message, "pattern") &&
           strstr(message, "y[1]") && strstr(message, "lbr_system_check"),
       "a diagonal is not enough: %s", message);
    checked(&s, 0, "row y[2], column y[1]");
    s.jacobian = &line, checked(&s, 1, "");
    s.jacobian = &few;
    ok(!run(&s, "gauss:2", "solver=fixed-point", 0.001, 4, 0, end[0]), "where no matrix is needed nobody asks");
    s.jacobian = &bad;
    bad.n = N / 2;
    ok(run(&s, "gauss:2", "solver=newton", 0.1, 4, 0, end[0]) == LBR_EARG && strstr(message, "n = 32") &&
           strstr(message, "64"),
       "%s", message);
    bad = line, bad.row = NULL;
    ok(run(&s, "midpoint", "", 0.1, 4, 0, end[0]) == LBR_EARG && strstr(message, "row and col"), "%s", message);
    bad = line, bad.nnz--;
    ok(run(&s, "midpoint", "", 0.1, 4, 0, end[0]) == LBR_EARG && strstr(message, "end at nnz"), "%s", message);
    bad = line, bad.size = 8;
    ok(run(&s, "midpoint", "", 0.1, 4, 0, end[0]) == LBR_EARG && strstr(message, "size"), "%s", message);
    bad = line;
    col[4] = N;
    ok(run(&s, "midpoint", "", 0.1, 4, 0, end[0]) == LBR_EARG && strstr(message, "row 1 of the field's Jacobian"), "%s",
       message);
}

/* A derivative that is off by 1 % in one component. */
static void wrong_derivatives(void)
{
    enum { N = 40 };
    chain x = { N, 50, 10 };
    lbr_sparsity line = neighbours(N);
    lbr_system s = LBR_SYSTEM(.dim = 2 * N, .nq = N, .ctx = &x, .force = chain_force, .inverse_mass = ones,
                              .field_jvp = chain_jvp, .jacobian = &line);

    begin(N, 1);
    for (int dense = 0; dense < 2; dense++) {
        lbr_status status;

        s.jacobian = dense ? NULL : &line;
        products = 0, bent = 1;
        status = run(&s, "gauss:3", "solver=newton", 0.2, 6, 0, end[0]);
        ok(!status, "a right field_jvp%s: %lld products", dense ? "" : " with a pattern", (long long)products);
        ok(dense || products <= 6 * stats.jacobian + 1, "... few for each Jacobian");
        bent = 1.01;
        ok(run(&s, "gauss:3", "solver=newton", 0.2, 6, 0, end[0]) == LBR_EUNFIT && strstr(message, "field_jvp") &&
               strstr(message, "p[1]"),
           "a wrong one: %s", message);
        ok(!run(&s, "gauss:3", "solver=newton jacobian=differences", 0.2, 6, 0, end[0]), "... which need not be used");
        bent = 1;
    }
}

static int kink_field(double t, const double *y, double *f, void *ctx)
{
    (void)t, (void)ctx;
    for (int i = 0; i < 20; i++) f[i] = -100 * fmax(y[i], 0) - 0.5 * y[(i + 1) % 20];
    return 0;
}

/* The derivative of one side. */
static int kink_jvp(double t, const double *y, const double *v, double *out, void *ctx)
{
    (void)t, (void)ctx;
    for (int i = 0; i < 20; i++) out[i] = (y[i] > 0 ? -100 * v[i] : 0) - 0.5 * v[(i + 1) % 20];
    return 0;
}

static void kinks(void)
{
    lbr_system s = LBR_SYSTEM(.dim = 20, .field = kink_field, .field_jvp = kink_jvp);

    memset(start, 0, sizeof start), start[3] = 1;
    ok(!run(&s, "implicit-euler", "solver=newton", 0.1, 6, 0, end[0]), "a field with kinks, at them%s", message);
}

/* y' = y with a step for which I - h lambda is zero. */
static int growing(double t, const double *y, double *f, void *ctx)
{
    const chain *x = ctx;

    (void)t;
    for (int64_t i = 0; i < x->n; i++) f[i] = y[i];
    return 0;
}

static void singular(void)
{
    enum { N = 2000 };
    chain x = { N, 0, 0 };
    lbr_sparsity line = neighbours(N);
    lbr_system s = LBR_SYSTEM(.dim = N, .ctx = &x, .field = growing, .jacobian = &line);

    begin(N, 0);
    ok(run(&s, "implicit-euler", "solver=newton", 1, 4, 0, end[0]) == LBR_ENOCONV && strstr(message, "singular") &&
           strstr(message, "another step"),
       "%s", message);
    ok(!run(&s, "implicit-euler", "solver=newton", 0.5, 4, 0, end[0]), "... half of it is one");
    x.n = s.dim = 40, line = neighbours(40);
    ok(run(&s, "implicit-euler", "solver=newton", 1, 4, 0, end[0]) == LBR_ENOCONV && strstr(message, "singular"),
       "a small one: %s", message);
}

/* y' = J y with J = [a b; c 0] in pairs: where 1 - h a is tiny, rows have to change places. */
static int swapping(double t, const double *y, double *f, void *ctx)
{
    const chain *x = ctx;

    (void)t;
    for (int64_t i = 0; i < x->n; i += 2) f[i] = 2 * y[i] + y[i + 1], f[i + 1] = 3 * y[i];
    return 0;
}

static void tiny_pivots(void)
{
    enum { N = 2000 };
    chain x = { N, 0, 0 };
    lbr_sparsity line = neighbours(N);
    lbr_system s = LBR_SYSTEM(.dim = N, .ctx = &x, .field = swapping, .jacobian = &line);

    begin(N, 0);
    ok(run(&s, "implicit-euler", "solver=newton", 0.5, 1, 0, end[0]) == LBR_ENOCONV && strstr(message, "no pivot"),
       "a pivot of zero in a large system: %s", message);
    x.n = s.dim = 40, line = neighbours(40);
    ok(!run(&s, "implicit-euler", "solver=newton", 0.5, 1, 0, end[0]), "in a small one rows change places%s", message);
}

static void no_matrix(void)
{
    enum { N = 5000 };
    chain x = { N, 1, 0 };
    lbr_sparsity line = neighbours(N);
    lbr_system s = LBR_SYSTEM(.dim = N, .ctx = &x, .field = heat_field);

    begin(N, 0);
    ok(!run(&s, "gauss:2", "solver=newton", 0.1, 1, 0, end[0]), "too many components for a matrix%s", message);
    s.jacobian = &line;
    ok(!run(&s, "gauss:2", "solver=newton", 0.1, 1, 0, end[1]), "with a pattern there is one%s", message);
    ok(apart(N) < 1e-13, "... and the results are the same, to %.2g", apart(N));
}

int main(void)
{
    same_steps();
    linear_cost();
    taking_over();
    wrong_patterns();
    wrong_derivatives();
    kinks();
    singular();
    tiny_pivots();
    no_matrix();
    return tap_done();
}
