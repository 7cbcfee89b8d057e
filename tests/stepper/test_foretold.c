/* test_foretold.c - first iterates of equations inside a step, foretold from the steps before: what is foretold
 * exactly, what it saves, that nothing but the number of iterations depends on it, and restarts.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "stepper/foretold.h"
#include "libration.h"
#include "support/modelled.h"

/* --- polynomials ------------------------------------------------------------------------------------------------- */

enum { UNKNOWNS = 5, SPLIT = 2, SETS = 8, HEAD = 8 };

/* Component i of the solution of step n: a polynomial of this degree, the second block 1000 times as large. */
static double polynomial(int degree, int i, int n)
{
    double x = 0;

    for (int k = degree; k >= 0; k--) x = x * n / 16.0 + (i + 1) / (k + 1.0) * (k % 2 ? -1 : 1);
    return x * (i < SPLIT ? 1 : 1000);
}

/* How far what is foretold is off after so many steps, relative to its size; INFINITY: nothing is foretold. */
static double off(const lbr_foretold *s, int degree, int steps)
{
    double x[UNKNOWNS], most = 0;

    for (int n = 0; n < steps; n++) {
        for (int i = 0; i < UNKNOWNS; i++) x[i] = polynomial(degree, i, n);
        lbr_foretold_keep(s, x);
    }
    if (!lbr_foretell(s, x)) return INFINITY;
    for (int i = 0; i < UNKNOWNS; i++) {
        double want = polynomial(degree, i, steps);

        most = fmax(most, fabs(x[i] - want) / fmax(1, fabs(want)));
    }
    return most;
}

static void polynomials(void)
{
    for (int degree = 0; degree <= 7; degree++) {
        double kept[HEAD + SETS * UNKNOWNS] = { 0 }, found;
        lbr_foretold s = { kept, UNKNOWNS, SPLIT, SETS };

        found = off(&s, degree, 16);
        ok(degree < 7 ? found < 1e-11 : found > 1e-7, "degree %d is foretold to %.2g", degree, found);
    }
}

static void little_is_known(void)
{
    double kept[HEAD + SETS * UNKNOWNS] = { 0 }, x[UNKNOWNS] = { 1, 2, 3, 4, 5 };
    lbr_foretold s = { kept, UNKNOWNS, SPLIT, SETS }, none = { NULL, UNKNOWNS, SPLIT, SETS };

    ok(!lbr_foretell(&s, x) && x[0] == 1, "nothing is foretold at the beginning");
    ok(off(&s, 1, 1) == INFINITY, "nor from one step");
    ok(off(&s, 0, 2) < 1e-15, "a constant is, from two");
    lbr_foretold_keep(&none, x);
    ok(!lbr_foretell(&none, x), "nothing is where there is no room");
    s.n = s.split = 3;
    ok(!lbr_foretell(&s, x), "nor from solutions with another number of unknowns");
    for (int n = 0; n < 40; n++) {
        for (int i = 0; i < 3; i++) x[i] = n % 2 ? 1 : -1;
        lbr_foretold_keep(&s, x);
    }
    ok(!lbr_foretell(&s, x), "nor from what goes up and down");
    for (int n = 0; n < 16; n++) {
        for (int i = 0; i < 3; i++) x[i] = 1 + 0x1p-10 * n;
        lbr_foretold_keep(&s, x);
    }
    ok(lbr_foretell(&s, x) && fabs(x[0] - 1 - 0x1p-6) < 1e-12, "but soon when it has become smooth");
}

/* A block that grows by this factor in each step, beside one that does not change: what is foretold of it, or 0. */
static double growing(double factor)
{
    double kept[HEAD + SETS * 2] = { 0 }, x[2] = { 0x1p-20, 1 };
    lbr_foretold s = { kept, 2, 1, SETS };

    for (int n = 0; n < 12; n++) x[0] *= factor, lbr_foretold_keep(&s, x);
    return lbr_foretell(&s, x) ? x[0] : 0;
}

static void turns(void)
{
    ok(fabs(growing(1.5) / (0x1p-20 * pow(1.5, 13)) - 1) < 1e-3, "what grows by a half in each step is foretold");
    ok(growing(1.9) != 0, "and so is what grows nearly twofold");
    ok(growing(3) == 0, "what would become more than twice as large is not");
    ok(growing(-0.5) == 0, "nor what changes its sign each time");
}

/* --- methods ----------------------------------------------------------------------------------------------------- */

#define AT        "start q = [0, 0.25], p = [0.34, 0.16]\n"
#define POTENTIAL "let U = sq(q)/2 + q[1]^2*q[2] - q[2]^3/3\n"
#define HEILES    "canonical q[2], p[2]\n" POTENTIAL "H = sq(p)/2 + U\nstart q = [0, 0.25], p = [0.34, 0.16]\n"
#define MIXED     "canonical q[2], p[2]\n" POTENTIAL "H = sq(p)/2*(1 + sq(q)) + U\n" AT
#define TWO                                                                         \
    "canonical q[2], p[2]\n" POTENTIAL "part A = U\npart B = sq(p)/2*(1 + sq(q))\n" \
    "start q = [0, 0.25], p = [0.34, 0.16]\n"

/* at_most: of the iterations that steps take which begin with what the field says. */
static const struct {
    const char *model, *method;
    double at_most;
} row[] = {
    { HEILES, "compose(kahan-li-6-9, midpoint)", 0.75 },
    { HEILES, "compose(suzuki:4, gauss:2)", 0.8 },
    { HEILES, "compose(triple-jump:4, lobatto-3a-3b:3)", 0.8 },
    { HEILES, "compose(triple-jump:4, gauss-nystrom:2)", 0.8 },
    { MIXED, "compose(suzuki:4, gauss:2)", 0.8 },
    { MIXED, "compose(suzuki:4, symplectic-euler)", 0.8 },
    { MIXED, "symplectic-euler", 0.8 },
    { MIXED, "adjoint(symplectic-euler)", 0.8 },
    { MIXED, "generating-s1:2", 0.8 },
    { MIXED, "generating-s3:2", 0.7 },
    { HEILES, "generating-s3:4", 0.7 },
    { HEILES, "variational(gauss:2)", 0.7 },
    { HEILES, "variational(trapezoidal)", 1 }, /* two iterations in any case */
    { HEILES, "discrete-gradient(gonzalez)", 0.8 },
    { HEILES, "discrete-gradient(mean)", 0.8 },
    { MIXED, "project(symmetric, midpoint)", 0.8 },
    { MIXED, "project(symmetric, rk4)", 0.9 },
    { MIXED, "project(standard, gauss:2)", 0.9 },
    { TWO, "split(strang, A, B = midpoint)", 0.85 },
    { TWO, "additive(lobatto-3a:2, lobatto-3b:2, A, B)", 0.75 },
};
enum { ROWS = sizeof row / sizeof *row };

static lbr_options options(const char *way, const char *solver)
{
    lbr_options o;

    lbr_options_init(&o);
    lbr_option_set(&o, "starting_values", way), lbr_option_set(&o, "solver", solver);
    return o;
}

static int64_t calls_of(const lbr_stats *s) { return s->force + s->field + s->gradient; }

/* y after n steps; iterations, or -1, and calls. */
static int64_t run(const modelled *x, const char *method, const lbr_options *o, double h, int n, double *y,
                   int64_t *calls)
{
    lbr_plan *p;
    int64_t its = -1;

    if (!lbr_plan_create(&p, method, x->s, o) && !lbr_start(p, 0, h, x->m->y0) && !lbr_run(p, n, 0, NULL, NULL) &&
        !lbr_read(p, NULL, y))
        its = lbr_plan_stats(p)->iterations;
    else printf("# %s: %s\n", method, lbr_plan_message(p));
    if (its >= 0) *calls = calls_of(lbr_plan_stats(p));
    lbr_plan_free(p);
    return its;
}

static double distance(const double *a, const double *b)
{
    double most = 0;

    for (int i = 0; i < 4; i++) most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

static void what_is_saved(const modelled *x, int k)
{
    lbr_options plain = options("field", "auto"), told = options("auto", "auto"), newton = options("auto", "newton");
    double want[4] = { 0 }, y[4] = { 1 }, z[4] = { 1 }, apart;
    int64_t before, now, without = run(x, row[k].method, &plain, 0.05, 200, want, &before),
                         with = run(x, row[k].method, &told, 0.05, 200, y, &now);

    ok(with > 0 && (double)with < row[k].at_most * (double)without, "%s: %lld iterations instead of %lld",
       row[k].method, (long long)with, (long long)without);
    ok(distance(y, want) < 4e-14, "... and the same result, to %.2g", distance(y, want));
    apart = run(x, row[k].method, &newton, 0.05, 200, z, &now) > 0 ? distance(z, want) : INFINITY;
    ok(apart < 1e-12, "... by Newton's method, too: %.2g", apart);
    without = run(x, row[k].method, &plain, 0.7, 60, want, &before),
    with = run(x, row[k].method, &told, 0.7, 60, y, &now);
    ok(with >= 0 && without >= 0 ? (double)now < 1.04 * (double)before : with == without,
       "... with long steps at most a few calls more: %lld, %lld", (long long)now, (long long)before);
}

/* The state is restored after every step. */
static int in_pieces(const modelled *x, const char *method, const lbr_options *o, int n, double *y)
{
    lbr_plan *p;
    lbr_state *a = NULL, *b = NULL;
    size_t size;
    int bad = lbr_plan_create(&p, method, x->s, o) || lbr_state_create(&a, p) || lbr_state_create(&b, p) ||
              lbr_state_start(a, 0, 0.05, x->m->y0);

    for (int k = 0; k < n && !bad; k++) {
        const void *bytes;
        lbr_state *c = a;

        bad = lbr_state_run(a, 1, 0, NULL, NULL) || !(bytes = lbr_state_bytes(a, &size)) ||
              lbr_state_restore(b, bytes, size) || lbr_state_read(b, NULL, y);
        a = b, b = c;
    }
    lbr_state_free(a), lbr_state_free(b), lbr_plan_free(p);
    return bad;
}

static void restarts(const modelled *x, int k)
{
    for (int compensated = 0; compensated < 2; compensated++) {
        lbr_options o = options("auto", "auto");
        double y[4] = { 0 }, z[4] = { 1 };
        int64_t calls;

        o.compensated = compensated;
        ok(run(x, row[k].method, &o, 0.05, 40, y, &calls) > 0 && !in_pieces(x, row[k].method, &o, 40, z) &&
               !memcmp(y, z, sizeof y),
           "... and a restart after every step changes no bit%s", compensated ? ", compensated" : "");
    }
}

static void methods(void)
{
    for (int k = 0; k < ROWS; k++) {
        modelled x;

        if (ok(open_text(&x, row[k].model), "a model for %s", row[k].method)) what_is_saved(&x, k), restarts(&x, k);
        close_model(&x);
    }
}

/* --- room -------------------------------------------------------------------------------------------------------- */

static int still(double t, const double *y, double *f, void *ctx) { return (void)t, (void)y, *f = 0, (void)ctx, 0; }

/* Bytes of a state. */
static size_t room(const char *method, int64_t dim, const char *way)
{
    lbr_system s = LBR_SYSTEM(.name = "still", .dim = dim, .field = still);
    lbr_options o = options(way, "fixed-point");
    lbr_plan *p = NULL;
    lbr_state *a = NULL;
    double *y = calloc((size_t)dim, sizeof *y);
    size_t size = 0;

    if (y && !lbr_plan_create(&p, method, &s, &o) && !lbr_state_create(&a, p) && !lbr_state_start(a, 0, 1, y))
        lbr_state_bytes(a, &size);
    lbr_state_free(a), lbr_plan_free(p), free(y);
    return size;
}

static void rooms(void)
{
    const char *method = "compose(kahan-li-8-17, midpoint)";
    size_t small = room(method, 10, "auto"), plain = room(method, 10, "field");

    ok(small - plain == (17 * (4 + 8 * 10)) * sizeof(double), "eight solutions at each of 17 places: %zu bytes",
       small - plain);
    small = room(method, 20000, "auto"), plain = room(method, 20000, "field");
    ok(small - plain == (17 * (4 + 6 * 20000)) * sizeof(double), "fewer in large systems");
    small = room(method, 200000, "auto"), plain = room(method, 200000, "field");
    ok(small == plain, "and none in very large ones");
}

/* --- what is foretold where there is nothing --------------------------------------------------------------------- */

static int stopped(double t, const double *y, double *f, void *ctx) /* fast, then slow; beyond 11 it fails */
{
    (*(int *)ctx) += y[0] > 11;
    return f[0] = t < 1 ? 10 : 0.1, y[0] > 11;
}

static void over_the_edge(void)
{
    static const double start[] = { 0 };
    int beyond = 0;
    lbr_system s = LBR_SYSTEM(.name = "stopped", .dim = 1, .field = stopped, .ctx = &beyond);
    lbr_options o = options("auto", "auto");
    lbr_plan *p;
    double y[1] = { 0 };
    int solved;

    solved = !lbr_plan_create(&p, "compose(suzuki:4, gauss:3)", &s, &o) && !lbr_start(p, 0, 0.5, start) &&
             !lbr_run(p, 6, 0, NULL, NULL) && !lbr_read(p, NULL, y);
    ok(solved && fabs(y[0] - 10.2) < 1e-13, "what is foretold wrongly is solved: %.17g %s", y[0], lbr_plan_message(p));
    lbr_plan_free(p);
    ok(beyond > 0, "... after the field was asked %d times where it is not", beyond);
}

int main(void)
{
    polynomials();
    little_is_known();
    turns();
    methods();
    rooms();
    over_the_edge();
    return tap_done();
}
