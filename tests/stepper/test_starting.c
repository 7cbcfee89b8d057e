/* test_starting.c - starting values of implicit steps (HLW VIII.6.1): their coefficients, their orders, and that
 * nothing but the number of iterations depends on them. SPDX-License-Identifier: BSD-3-Clause */
#include "stepper/starting.h"
#include "support/bits.h"
#include "support/tap.h"

#include <string.h>

static const char *const ways[] = { "field", "output", "one-call", "two-calls", "equistage", "two-step" };

/* --- coefficients of print, 20 digits (HLW VIII.6.6, VIII.6.9-6.11; mu as the book has it)
 * ------------------------------- */

/* Gauss' nodes and matrix by Newton's method and Lagrange's polynomials, in double-double. */
static void gauss(int s, lbr_dd *c, lbr_dd *A)
{
    for (int i = 0; i < s; i++) {
        lbr_dd x = dd(-cos(3.141592653589793 * (i + 0.75) / (s + 0.5))), P[20], d;

        for (int k = 0; k < 6; k++) {
            P[0] = dd(1), P[1] = x;
            for (int j = 1; j < s; j++)
                P[j + 1] = dd_div(dd_sub(dd_scale(2 * j + 1, dd_mul(x, P[j])), dd_scale(j, P[j - 1])), dd(j + 1));
            d = dd_div(dd_scale(s, dd_sub(dd_mul(x, P[s]), P[s - 1])), dd_sub(dd_mul(x, x), dd(1)));
            x = dd_sub(x, dd_div(P[s], d));
        }
        c[i] = dd_div(dd_add(x, dd(1)), dd(2));
    }
    for (int j = 0; j < s; j++) {
        lbr_dd l[20] = { { 1, 0 } };
        int n = 0;

        for (int k = 0; k < s; k++) {
            lbr_dd w = dd_sub(c[j], c[k]);

            if (k == j) continue;
            for (int i = ++n; i >= 0; i--)
                l[i] = dd_div(dd_sub(i > 0 && i <= n ? l[i - 1] : dd(0), i < n ? dd_mul(c[k], l[i]) : dd(0)), w);
        }
        for (int i = 0; i < s; i++) {
            lbr_dd sum = dd(0);

            for (int k = n; k >= 0; k--) sum = dd_mul(c[i], dd_add(sum, dd_div(l[k], dd(k + 1))));
            A[i * s + j] = sum;
        }
    }
}

typedef struct printed {
    int s, way;
    const char *last; /* of the last stage: beta_j, then nu_j */
} printed;
static const printed print[] = {
    { 2, LBR_STARTING_OUTPUT, "-0.32735026918962576451 2.1160254037844386468" },
    { 4, LBR_STARTING_OUTPUT,
      "-4.3883127819931243287 14.148795719875282305 -18.364078082882805377 10.534163300797673688" },
    { 6, LBR_STARTING_OUTPUT,
      "-45.95447907707329014 150.71499898344432086 -255.6810933035150056 310.12792113489154151 "
      "-259.20699775597060965 101.96588477532461904" },
    { 2, LBR_STARTING_ONE_CALL, "0.37283019448786771009 0.99533217305693082923 0.42051276705001434293" },
    { 4, LBR_STARTING_ONE_CALL,
      "0.015251412113018858329 0.94823995221126013383 -1.008059963870834581 1.502918287588650749 "
      "0.47221846775493112738" },
    { 6, LBR_STARTING_ONE_CALL,
      "-0.36069319455605264301 1.8894773166794420441 -3.6153602426303043772 7.1193501310778867479 "
      "-8.8699140000476272822 5.3807488279392089512 0.42262591863902257314" },
    { 2, LBR_STARTING_TWO_CALLS,
      "0.64176373425077300528 0.35308859965596012302 -0.085698316867356594904 0.36941208858307566491 "
      "0.51010902897236068395" },
    { 4, LBR_STARTING_TWO_CALLS,
      "2.6304604434874585787 -1.0278484036962282782 0.15355853346001222663 4.0830759610272683494 "
      "-1.5563947592959166725 -3.0752514468308534559 0.72296782764528553942" },
    { 6, LBR_STARTING_TWO_CALLS,
      "35.307771069919435641 -21.919438609608003655 13.985609674941457426 -1.4029835177170901487 "
      "-20.696419921383875388 61.996428504375942765 -22.16456879897809298 -43.708444925702182337 "
      "0.5682812812539846899" },
};

/* The largest relative error of what is printed. */
static double against_print(const printed *p, double spoilt)
{
    lbr_dd c[8], A[64], b[8], *S;
    lbr_arena arena = { 0 };
    lbr_starting *z;
    lbr_message m;
    const char *at = p->last;
    double worst = 0;
    int s = p->s;

    gauss(s, c, A);
    A[(s - 1) * s].hi += spoilt;
    if (lbr_starting_make(&z, p->way, s, c, A, 1, &arena, &m)) return INFINITY;
    S = lbr_starting_values(z, A, 0, &arena);
    for (int j = 0; j < s; j++) { /* Gauss: b_j = 2/((1 - x^2) P_s'(x)^2) */
        lbr_dd x = dd_sub(dd_scale(2, c[j]), dd(1)), P[20], d;

        P[0] = dd(1), P[1] = x;
        for (int k = 1; k < s; k++)
            P[k + 1] = dd_div(dd_sub(dd_scale(2 * k + 1, dd_mul(x, P[k])), dd_scale(k, P[k - 1])), dd(k + 1));
        d = dd_div(dd_scale(s, dd_sub(dd_mul(x, P[s]), P[s - 1])), dd_sub(dd_mul(x, x), dd(1)));
        b[j] = dd_div(dd(1), dd_mul(dd_sub(dd(1), dd_mul(x, x)), dd_mul(d, d)));
    }
    for (int j = 0; j < s + z->extras; j++) {
        char text[64];
        lbr_dd want, got = j < s ? dd_add(S[s * s + (s - 1) * s + j], b[j]) : z->nu[(s - 1) * z->extras + j - s];
        size_t n = strcspn(at, " ");

        memcpy(text, at, n), text[n] = 0, at += n + (at[n] == ' ');
        if (lbr_dd_read(text, &want)) return INFINITY;
        worst = fmax(worst, fabs(dd_sub(got, want).hi / want.hi));
    }
    lbr_arena_free(&arena);
    return worst;
}

static void coefficients(void)
{
    for (size_t i = 0; i < sizeof print / sizeof *print; i++) {
        double off = against_print(&print[i], 0);

        ok(off < 2e-19, "%s for %d stages is as printed, to %.2g", ways[print[i].way - 1], print[i].s, off);
    }
    ok(against_print(&print[0], 1e-13) > 1e-15, "and this would notice an entry that is wrong by 1e-13");
}

/* --- orders ------------------------------------------------------------------------------------------------------ */

static int kepler_field(double t, const double *y, double *f, void *ctx)
{
    double r2 = y[0] * y[0] + y[1] * y[1], g = -1 / (r2 * sqrt(r2));

    return (void)t, (void)ctx, f[0] = y[2], f[1] = y[3], f[2] = g * y[0], f[3] = g * y[1], 0;
}

/* After one revolution with N steps and one more, as for Fig. VIII.6.1. */
static double first_error(const char *method, const char *way, int N)
{
    lbr_system s = LBR_SYSTEM(.name = "kepler", .dim = 4, .field = kepler_field);
    double y[] = { 0.4, 0, 0, 2 }, error = NAN;
    char words[64];
    lbr_options o;
    lbr_plan *p;

    snprintf(words, sizeof words, "fixed-point starting=%s", way);
    o = options_of(words);
    if (!lbr_plan_create(&p, method, &s, &o) && !lbr_start(p, 0, 6.283185307179586 / N, y) &&
        !lbr_run(p, N + 1, 0, NULL, NULL))
        error = lbr_state_first_error(lbr_plan_state(p));
    lbr_plan_free(p);
    return error;
}

static void orders(void)
{
    static const struct {
        const char *method, *way;
        int N;
        double order;
    } row[] = {
        { "gauss:2", "field", 400, 2 },     { "gauss:2", "output", 400, 3 },    { "gauss:2", "one-call", 400, 4 },
        { "gauss:2", "two-calls", 300, 5 }, { "gauss:2", "two-step", 300, 4 },  { "gauss:2", "equistage", 800, 9 },
        { "gauss:4", "output", 300, 5 },    { "gauss:4", "one-call", 200, 6 },  { "gauss:4", "two-calls", 150, 7 },
        { "gauss:4", "two-step", 150, 6 },  { "gauss:4", "equistage", 800, 9 }, { "radau-2a:3", "one-call", 200, 5 },
        { "radau-2a:3", "output", 400, 4 },
    };

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        double a = first_error(row[i].method, row[i].way, row[i].N),
               b = first_error(row[i].method, row[i].way, 2 * row[i].N), found = log2(a / b);

        ok(found > row[i].order - 0.15 && (strstr(row[i].way, "step") || found < row[i].order + 0.35),
           "%s: %s is off by h^%.3g (%g)", row[i].method, row[i].way, found, row[i].order);
    }
}

/* --- nothing else depends on them -------------------------------------------------------------------------------- */

static double run(const char *method, const lbr_system *s, const char *words, const double *start, double h, int n,
                  double *y, int64_t *iterations)
{
    lbr_options o = options_of(words);
    lbr_plan *p;
    int bad = lbr_plan_create(&p, method, s, &o) || lbr_start(p, 0, h, start) || lbr_run(p, n, 0, NULL, NULL) ||
              lbr_read(p, NULL, y);

    if (bad) printf("# %s, %s: %s\n", method, words, lbr_plan_message(p));
    *iterations = bad ? -1 : lbr_plan_stats(p)->iterations;
    lbr_plan_free(p);
    return bad ? NAN : 0;
}

static int mixed_rate(double t, const double *y, double *f, void *ctx) /* H = p^2 (1 + q^2)/2 - cos q */
{
    (void)t, (void)ctx;
    return f[0] = y[1] * (1 + y[0] * y[0]), f[1] = -y[1] * y[1] * y[0] - sin(y[0]), 0;
}
static int hanging_force(double t, const double *q, double *f, void *ctx)
{
    return (void)t, (void)ctx, f[0] = -sin(q[0]), 0;
}

static void same_results(void)
{
    static const double one = 1;
    const lbr_system general = LBR_SYSTEM(.name = "mixed", .dim = 2, .nq = 1, .field = mixed_rate),
                     second = LBR_SYSTEM(.name = "pendulum", .dim = 2, .nq = 1, .force = hanging_force,
                                         .inverse_mass = &one);
    static const char *const known[] = { "gauss:1",         "gauss:3",      "gauss:6",         "radau-2a:3",
                                         "lobatto-3a-3b:3", "lobatto-3c:4", "gauss-nystrom:3", "lobatto-3a:4" };
    const double start[] = { 0.5, 0.8 };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        for (int k = 0; k < 4; k++) {
            const lbr_system *s = k % 2 || strstr(known[i], "nystrom") ? &second : &general;
            double y[2], want[2], worst = 0;
            int64_t n, least = INT64_MAX, most = 0;
            int tried = 0;
            char words[64];

            for (int w = 0; w < 6; w++) {
                int calls = w == 0 || w == 2 || w == 3;

                if (calls && (strstr(known[i], "3c") || strstr(known[i], "nystrom") || strstr(known[i], "-3b")))
                    continue;
                if (w == 3 && (strstr(known[i], "radau") || strstr(known[i], "3a"))) continue;
                snprintf(words, sizeof words, "%s compensated starting=%s", k < 2 ? "fixed-point" : "newton", ways[w]);
                if (isnan(run(known[i], s, words, start, 0.05, 300, tried ? y : want, &n))) worst = INFINITY;
                for (int l = 0; l < 2 && tried; l++) worst = fmax(worst, fabs(y[l] - want[l]));
                least = n < least ? n : least, most = n > most ? n : most;
                tried++;
            }
            ok(worst < 5e-14, "%s on %s by %s: from %d beginnings the same result, to %.2g", known[i], s->name,
               k < 2 ? "fixed points" : "Newton", tried, worst);
            ok(most > least, "... after %lld to %lld iterations", (long long)least, (long long)most);
        }
}

/* --- restarts: whatever starting values need is in the state
 * ---------------------------------------------------------- */

static int in_pieces(const char *method, const lbr_system *s, const char *words, const double *start, int n, double *y)
{
    lbr_options o = options_of(words);
    lbr_plan *p;
    lbr_state *a = NULL, *b = NULL;
    size_t size;
    int bad = lbr_plan_create(&p, method, s, &o) || lbr_state_create(&a, p) || lbr_state_create(&b, p) ||
              lbr_state_start(a, 0, 0.05, start);

    for (int k = 0; k < n && !bad; k++) {
        const void *bytes;
        lbr_state *c = a;

        bad = lbr_state_run(a, 1, 0, NULL, NULL) || !(bytes = lbr_state_bytes(a, &size)) ||
              lbr_state_restore(b, bytes, size);
        a = b, b = c;
    }
    bad = bad || lbr_state_read(a, NULL, y);
    lbr_state_free(a), lbr_state_free(b), lbr_plan_free(p);
    return bad;
}

static void restarts(void)
{
    static const double one = 1;
    const lbr_system general = LBR_SYSTEM(.name = "mixed", .dim = 2, .nq = 1, .field = mixed_rate),
                     second = LBR_SYSTEM(.name = "pendulum", .dim = 2, .nq = 1, .force = hanging_force,
                                         .inverse_mass = &one);
    const double start[] = { 0.5, 0.8 };

    for (int k = 0; k < 4; k++)
        for (int w = 0; w < 7; w++) {
            const lbr_system *s = k % 2 ? &second : &general;
            double y[2], z[2];
            int64_t its;
            char words[64];

            snprintf(words, sizeof words, "%s starting=%s", k < 2 ? "fixed-point" : "newton", w < 6 ? ways[w] : "auto");
            run("gauss:4", s, words, start, 0.05, 25, y, &its);
            ok(!in_pieces("gauss:4", s, words, start, 25, z) && !memcmp(y, z, sizeof y),
               "%s on %s: a restart after every step changes no bit", words, s->name);
        }
}

/* --- where Newton's method begins ----------------------------------------------------------------------------------
 */

/* One step of the midpoint rule has the stage (y1 - y0)/2. */
static double first_of_newton(const char *words, double *half, double *rest)
{
    const double start[] = { 0.4, 0, 0, 2 };
    lbr_system s = LBR_SYSTEM(.name = "kepler", .dim = 4, .field = kepler_field);
    lbr_options o = options_of(words);
    double y[4] = { 0 }, f[4], error = NAN, h = 0.05;
    lbr_plan *p;

    *half = *rest = 0;
    if (!lbr_plan_create(&p, "midpoint", &s, &o) && !lbr_start(p, 0, h, start) && !lbr_run(p, 1, 0, NULL, NULL) &&
        !lbr_read(p, NULL, y))
        error = lbr_state_first_error(lbr_plan_state(p));
    kepler_field(0, start, f, NULL);
    for (int l = 0; l < 4; l++) {
        *half = hypot(*half, (y[l] - start[l]) / 2);
        *rest = hypot(*rest, (y[l] - start[l] - h * f[l]) / 2);
    }
    lbr_plan_free(p);
    return error;
}

enum { BEADS = 24 };

/* Beads on a ring: every second spring is 2500 times as stiff as the others. */
static int beads_force(double t, const double *q, double *f, void *ctx)
{
    (void)t, (void)ctx;
    for (int i = 0; i < BEADS; i++) f[i] = -q[i] * q[i] * q[i];
    for (int i = 0; i < BEADS; i++) {
        double pull = (i % 2 ? 1 : 2500) * (q[(i + 1) % BEADS] - q[i]);

        f[i] += pull, f[(i + 1) % BEADS] -= pull;
    }
    return 0;
}

static int64_t of_beads(const char *method, const char *words, double h)
{
    double ones[BEADS], y[2 * BEADS], start[2 * BEADS];
    lbr_system s = LBR_SYSTEM(.name = "beads", .dim = 2 * BEADS, .nq = BEADS, .force = beads_force,
                              .inverse_mass = ones);
    int64_t n;

    for (int i = 0; i < BEADS; i++)
        ones[i] = 1, start[i] = 0.3 * sin(i) / 50 + 0.3 * cos(i / 2), start[BEADS + i] = 0.2 * cos(3 * i);
    run(method, &s, words, start, h, (int)(10 / h + 0.5), y, &n);
    return n;
}

static void newtons(void)
{
    static const struct {
        const char *method;
        double h;
    } row[] = { { "gauss:2", 0.05 }, { "gauss:2", 0.2 }, { "gauss:3", 0.05 } };
    double half, rest, error = first_of_newton("newton", &half, &rest);

    ok(fabs(error / half - 1) < 1e-12, "auto begins at y itself: %.15g is the stage, %.15g", error, half);
    error = first_of_newton("newton starting=field", &half, &rest);
    ok(fabs(error / rest - 1) < 1e-8, "... and where the field is asked for, there: %.15g, %.15g", error, rest);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const int64_t auto_s = of_beads(row[i].method, "newton", row[i].h),
                      field = of_beads(row[i].method, "newton starting=field", row[i].h);

        ok(auto_s > 0 && (double)auto_s < 1.08 * (double)field,
           "%s, h = %g: what is not foretold by far costs no iteration: %lld of auto, %lld from the field",
           row[i].method, row[i].h, (long long)auto_s, (long long)field);
    }
}

/* --- what is refused --------------------------------------------------------------------------------------------- */

static void refused(void)
{
    static const struct {
        const char *method, *way;
        int good;
        const char *says;
    } row[] = {
        { "lobatto-3a-3b:3", "one-call", 0, "one tableau|equistage" },
        { "lobatto-3a-3b:3", "field", 0, "one tableau" },
        { "lobatto-3c:3", "two-calls", 0, "collocation|gauss:s" },
        { "lobatto-3a:3", "two-calls", 0, "none at 0 and 1" },
        { "lobatto-3a:3", "one-call", 1, "" },
        { "radau-2a:3", "two-calls", 0, "none at 0 and 1" },
        { "rk4", "two-calls", 1, "" },                     /* it solves nothing */
        { "compose(suzuki:4, midpoint)", "field", 1, "" }, /* none is foretold */
    };
    lbr_options o;

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        lbr_system s = LBR_SYSTEM(.name = "mixed", .dim = 2, .nq = 1, .field = mixed_rate);
        lbr_plan *p;
        char words[64];
        int status;

        snprintf(words, sizeof words, "starting=%s", row[i].way), o = options_of(words);
        status = lbr_plan_create(&p, row[i].method, &s, &o);
        ok(row[i].good ? !status : status == LBR_EUNFIT && says(lbr_plan_message(p), row[i].says), "%s with %s: %s",
           row[i].method, row[i].way, status ? lbr_plan_message(p) : "taken");
        lbr_plan_free(p);
    }
    lbr_options_init(&o);
    ok(lbr_option_set(&o, "starting_values", "best") == LBR_EARG, "there is no best");
}

/* --- steps that are too long for them
 * --------------------------------------------------------------------------------- */

static int volterra(double t, const double *y, double *f, void *ctx)
{
    return (void)t, (void)ctx, f[0] = y[0] * (y[1] - 2), f[1] = y[1] * (1 - y[0]), 0;
}

/* Large steps have a second solution, with a negative number of animals: differences that grow must not lead there. */
static void too_long(void)
{
    const lbr_system s = LBR_SYSTEM(.name = "volterra", .dim = 2, .field = volterra);
    const double start[] = { 6, 2 };
    double y[2] = { 0 }, want[2] = { 0 };
    int64_t its, n;

    run("midpoint", &s, "starting=field", start, 0.25, 400, want, &n);
    run("midpoint", &s, "starting=equistage", start, 0.25, 400, y, &its);
    ok(n > 0 && its > 0, "with long steps there is a solution");
    ok(want[0] > 0 && want[1] > 0, "the one that is positive: (%g, %g)", want[0], want[1]);
    ok(fabs(y[0] - want[0]) < 1e-11 && fabs(y[1] - want[1]) < 1e-11, "and it is the same: (%g, %g)", y[0], y[1]);
    ok(its < n, "... in fewer iterations: %lld, %lld", (long long)its, (long long)n);
}

static int stopped(double t, const double *y, double *f, void *ctx) /* fast, then slow; beyond 11 it fails */
{
    (*(int *)ctx) += y[0] > 11;
    return f[0] = t < 1 ? 10 : 0.1, y[0] > 11;
}

/* Extrapolation may lead where there is nothing: then the step starts from its own beginning. */
static void over_the_edge(void)
{
    static const double start[] = { 0 };

    for (int w = 0; w < 6; w++) {
        int beyond = 0, bad;
        const lbr_system s = LBR_SYSTEM(.name = "stopped", .dim = 1, .field = stopped, .ctx = &beyond);
        double y[1];
        int64_t its;
        char words[64];

        snprintf(words, sizeof words, "starting=%s", ways[w]);
        bad = isnan(run("gauss:3", &s, words, start, 0.25, 12, y, &its));
        ok(!bad && fabs(y[0] - 10.2) < 1e-13, "%s: what is foretold wrongly is solved", ways[w]);
        ok(w == 0 ? !beyond : beyond > 0, "... after the field was asked %d times where it is not", beyond);
    }
}

int main(void)
{
    coefficients();
    orders();
    same_results();
    restarts();
    newtons();
    refused();
    too_long();
    over_the_edge();
    return tap_done();
}
