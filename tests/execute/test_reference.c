/* test_reference.c - reference solutions: against closed forms, and whether their error estimates are honest.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support/heap.h"
#include "support/tap.h"
#include "support/share.h"
#include "execute/reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A model with its first run done. */
typedef struct bench {
    lbr_source source;
    lbr_experiment x;
    const double *y;
    double error;
    lbr_message message;
    lbr_status status;
} bench;

static void run_it(bench *b, int i)
{
    if (lbr_experiment_prepare(&b->x, i)) printf("# %s\n", b->x.message), exit(1);
    b->x.run[i].job.keep = 1;
    lbr_execute(&b->x.run[i].job, &b->x.run[i].result);
    b->x.run[i].done = 1;
}

static void load(bench *b, const char *text)
{
    lbr_overrides over = { .step = NAN, .time = NAN, .steps = -1, .every = -1 };

    memset(b, 0, sizeof *b);
    if (lbr_source_text(&b->source, "mine", text, strlen(text), NULL)) printf("# %s\n", b->source.message), exit(1);
    if (lbr_experiment_open(&b->x, &b->source, &over)) printf("# %s\n", b->x.message), exit(1);
    run_it(b, 0);
}

static void solve(bench *b, const char *text)
{
    load(b, text);
    b->status = lbr_reference(&b->x, b->x.run, &b->y, &b->error, &b->message);
}

static void leave(bench *b) { lbr_experiment_free(&b->x), lbr_source_free(&b->source); }

static int64_t samples(const bench *b) { return b->x.run[0].result.nsamples; }
static int64_t dim(const bench *b) { return b->x.run[0].job.system->dim; }
static double time_of(const bench *b, int64_t i) { return b->x.run[0].result.sample[i * b->x.run[0].result.ncolumns]; }

/* --- closed forms: steps are powers of two, so that the times are exact ------------------------------------------ */

typedef void (*closed_form)(double t, double *y);

static void oscillation(double t, double *y) { y[0] = cos(t), y[1] = -sin(t); }
static void follows(double t, double *y) { y[0] = cos(t); }
static void rectified(double t, double *y)
{
    double n = floor(t / acos(-1));
    y[0] = 2 * n + 1 - cos(t - n * acos(-1));
}
static void growth(double t, double *y) { y[0] = exp(t); }
static void riccati(double t, double *y) { y[0] = 1 / (1 + t); }

/* q'' = -sin q from q = 0 with p = 1: q = 2 asin(k sn t), p = 2 k cn t, k = 1/2, by the arithmetic-geometric mean. */
static void pendulum(double t, double *y)
{
    double k = 0.5, a[8] = { 1 }, c[8] = { k }, b = sqrt(1 - k * k), phi;

    for (int n = 0; n < 7; n++) a[n + 1] = (a[n] + b) / 2, c[n + 1] = (a[n] - b) / 2, b = sqrt(a[n] * b);
    phi = 128 * a[7] * t;
    for (int n = 7; n > 0; n--) phi = (phi + asin(c[n] / a[n] * sin(phi))) / 2;
    y[0] = 2 * asin(k * sin(phi)), y[1] = 2 * k * cos(phi);
}

/* least: what the closed form itself is known to, or what may be missed without shame. */
static const struct {
    const char *name, *text;
    closed_form exact;
    double most, least;
} known[] = {
    { "an oscillator, 100",
      "canonical q, p\n"
      "H = (p^2 + q^2)/2\n"
      "start q = 1\n"
      "run method = stormer-verlet, step = 1/8, steps = 800\n",
      oscillation, 3e-14, 1e-15 },
    { "an oscillator, 10000",
      "canonical q, p\n"
      "H = (p^2 + q^2)/2\n"
      "start q = 1\n"
      "run method = stormer-verlet, step = 1/8, steps = 80000, every = 7\n",
      oscillation, 1e-12, 1e-15 },
    { "an oscillator back in time",
      "canonical q, p\n"
      "H = (p^2 + q^2)/2\n"
      "start q = 1\n"
      "run method = midpoint, step = -1/4, steps = 100, every = 3\n",
      oscillation, 3e-14, 1e-15 },
    { "an oscillator, only its end",
      "canonical q, p\n"
      "H = (p^2 + q^2)/2\n"
      "start q = 1\n"
      "run method = midpoint, step = 1/4, steps = 257, every = 1000\n",
      oscillation, 3e-14, 1e-15 },
    { "a pendulum",
      "canonical q, p\n"
      "H = p^2/2 - cos(q)\n"
      "start p = 1\n"
      "run method = stormer-verlet, step = 1/4, steps = 80\n",
      pendulum, 2e-13, 3e-14 },
    { "a stiff equation",
      "state y\n"
      "y' = -1000*(y - cos(t)) - sin(t)\n"
      "start y = 1\n"
      "run method = implicit-euler, step = 1/8, steps = 80\n",
      follows, 1e-13, 1e-15 },
    { "growth by e^16",
      "state y\n"
      "y' = y\n"
      "start y = 1\n"
      "run method = rk4, step = 1/8, steps = 128\n",
      growth, 1e-13, 1e-15 },
    { "a Riccati equation",
      "state y\n"
      "y' = -y^2\n"
      "start y = 1\n"
      "run method = rk4, step = 1/4, steps = 1000, every = 10\n",
      riccati, 1e-14, 1e-15 },
    { "a field with kinks",
      "state y\n"
      "y' = abs(sin(t))\n"
      "run method = rk4, step = 1/8, steps = 160\n",
      rectified, 1, 1e-15 },
    { "one step", "state y\ny' = y\nstart y = 1\nrun method = rk4, step = 1/8, steps = 1\n", growth, 1e-14, 1e-15 },
    { "no step", "state y\ny' = y\nstart y = 1\nrun method = rk4, step = 1/8, steps = 0\n", growth, 0, 0 },
};

static void against_closed_forms(void)
{
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        double truth = 0, y[2] = { 0 };
        bench b;

        solve(&b, known[k].text);
        for (int64_t i = 0; b.y && i < samples(&b); i++) {
            double d = 0, size = 0;

            known[k].exact(time_of(&b, i), y);
            for (int64_t c = 0; c < dim(&b); c++) d = hypot(d, y[c] - b.y[i * dim(&b) + c]), size = hypot(size, y[c]);
            truth = fmax(truth, d / fmax(1, size));
        }
        ok(!b.status && b.y, "%s: there is a reference %s", known[k].name, b.message.text);
        ok(truth <= 10 * b.error + known[k].least, "%s: it is as good as it says: %.2g, said %.2g", known[k].name,
           truth, b.error);
        ok(b.error <= known[k].most, "%s: and says so: at most %.2g", known[k].name, known[k].most);
        ok((b.error > LBR_REFERENCE_GOOD) == (b.message.text[0] != 0), "%s: a sentence if it is not good enough: %s",
           known[k].name, b.message.text);
        leave(&b);
    }
}

/* HLW (II.4.10): q(7.5) for e = 0.6. A coefficient of Gauss's method that were wrong by 1e-14 would be seen. */
static void kepler(void)
{
    static const double q[2] = { -0.82816440269077082, 0.77889809565863545 };
    static const char *const how[] = { "steps = 128, every = 1", "steps = 7, every = 7", "steps = 120, every = 32",
                                       "steps = 8192, every = 8192" };

    for (size_t k = 0; k < sizeof how / sizeof *how; k++) {
        char text[512];
        const double *y;
        bench b;

        snprintf(text, sizeof text,
                 "param e = 0.6\n"
                 "canonical q[2], p[2]\n"
                 "H = sq(p)/2 - 1/norm(q)\n"
                 "start q = [1 - e, 0], p = [0, sqrt((1 + e)/(1 - e))]\n"
                 "run method = stormer-verlet, time = 7.5, %s\n",
                 how[k]);
        solve(&b, text);
        y = b.y ? b.y + (samples(&b) - 1) * 4 : NULL;
        ok(y && hypot(y[0] - q[0], y[1] - q[1]) < fmin(10 * b.error + 1e-15, 2e-13) && b.error < 2e-13,
           "Kepler with %s: off by %.2g, said %.2g", how[k], y ? hypot(y[0] - q[0], y[1] - q[1]) : NAN, b.error);
        leave(&b);
    }
}

/* --- where there is none ----------------------------------------------------------------------------------------- */

static const struct {
    const char *name, *text, *says;
} without[] = {
    { "chaos",
      "state x, y, z\n"
      "x' = 10*(y - x), y' = x*(28 - z) - y, z' = x*y - 8*z/3\n"
      "start x = 1, y = 1, z = 1\n"
      "run method = rk4, step = 1/128, time = 100, every = 128\n",
      "differ by" },
    { "a fall into the centre",
      "canonical q[2], p[2]\n"
      "H = sq(p)/2 - 1/norm(q)\n"
      "start q = [1, 0]\n"
      "run method = rk4, step = 1/8, steps = 80\n",
      "no reference solution" },
    { "infinity in finite time",
      "state y\n"
      "y' = y^2\n"
      "start y = 1\n"
      "run method = rk4, step = 1/8, steps = 10\n",
      "no reference solution" },
};

static void where_there_is_none(void)
{
    for (size_t k = 0; k < sizeof without / sizeof *without; k++) {
        bench b;

        if (!in_share((int64_t)k, 1, 2)) continue; /* all sizes of steps are tried in vain */
        solve(&b, without[k].text);
        ok(!b.status && !(b.error <= LBR_REFERENCE_GOOD) && strstr(b.message.text, without[k].says),
           "%s: none, and a sentence: %s", without[k].name, b.message.text);
        leave(&b);
    }
}

static void refused(void)
{
    static const volatile sig_atomic_t stop = 1;
    bench b;

    load(&b, known[0].text);
    b.x.run[0].job.interrupt = &stop;
    ok(lbr_reference(&b.x, b.x.run, &b.y, &b.error, &b.message) == LBR_STOPPED && !b.y && b.message.text[0],
       "interrupted: %s", b.message.text);
    b.x.run[0].job.interrupt = NULL;
    ok(!lbr_reference(&b.x, b.x.run, &b.y, &b.error, &b.message) && b.y,
       "and then it is not kept as if there were none");
    b.x.run[0].done = 0;
    ok(lbr_reference(&b.x, b.x.run, &b.y, &b.error, &b.message) == LBR_EARG && !b.y && isinf(b.error), "not run: %s",
       b.message.text);
    b.x.run[0].done = 1;
    leave(&b);
}

/* --- what is kept ------------------------------------------------------------------------------------------------ */

static void kept(void)
{
    const double *y[5] = { NULL };
    double error;
    lbr_message m;
    bench b;

    load(&b, "param w = 1\n"
             "canonical q, p\n"
             "H = (p^2 + w^2*q^2)/2\n"
             "start q = 1\n"
             "run time = 8, step = 1/8, method = midpoint\n"
             "run a: method = stormer-verlet\nrun b: method = rk4\nrun c: w = 2\nrun d: q = 2\nrun e: every = 2\n");
    for (int i = 0; i < 5; i++) {
        if (i) run_it(&b, i);
        ok(!lbr_reference(&b.x, b.x.run + i, &y[i], &error, &m) && y[i] && error < 1e-13, "run %s has a reference",
           b.x.run[i].label);
    }
    ok(y[0] == y[1], "another method: the same solution");
    ok(y[0] != y[2] && y[0] != y[3] && y[0] != y[4], "another parameter, start or sampling: another one");
    near(y[2][64 * 2], cos(16), 1e-13, "with its parameter");
    near(y[3][64 * 2], 2 * cos(8), 1e-13, "with its start");
    near(y[4][32 * 2], cos(8), 1e-13, "with its samples");
    leave(&b);
}

/* --- failing allocations ----------------------------------------------------------------------------------------- */

static void memory(void)
{
    long before, all;
    int good = 1, leaks = 0;
    lbr_status status;
    bench b;

    load(&b, known[0].text);
    heap.calls = 0;
    lbr_reference(&b.x, b.x.run, &b.y, &b.error, &b.message);
    all = heap.calls;
    for (long k = 1; k <= all; k++) {
        b.x.references = NULL; /* forgotten; the memory stays with the experiment */
        heap.calls = 0, heap.refuse = k, before = heap.live;
        status = lbr_reference(&b.x, b.x.run, &b.y, &b.error, &b.message);
        good &= heap.calls < k ||
                (status == LBR_ENOMEM && !b.y && b.message.text[0]); /* fewer: the arena had room left */
        heap.refuse = 0;
        leaks += heap.live > before + 2; /* chunks of the arena */
    }
    ok(all > 5 && good && !leaks, "each of %ld failing allocations is told", all);
    leave(&b);
    ok(heap.live == 0, "and nothing leaks: %ld", heap.live);
}

int main(void)
{
    against_closed_forms();
    kepler();
    where_there_is_none();
    refused();
    kept();
    memory();
    return tap_done();
}
