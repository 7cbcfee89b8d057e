/* test_flows.c - exact flows of linear fields with constant coefficients. SPDX-License-Identifier: BSD-3-Clause
 *
 * Linked with --wrap=malloc and its kin. What is compared with a closed form is right to a few units of round-off; a
 * lost term of a series or a lost low part would be larger by orders of magnitude. */
#include "support/heap.h"
#include "support/tap.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/dd.h"
#include "core/expm.h"
#include "language/random.h"

static const double eps = 0x1p-53;
static double uniform(int64_t i) { return lbr_random(11, &i, 1); }
static lbr_message message;

/* The greatest difference, over the greatest value. */
static double apart(int64_t n, const double *x, const double *y)
{
    double worst = 0, size = 0;

    for (int64_t i = 0; i < n; i++) worst = fmax(worst, fabs(x[i] - y[i])), size = fmax(size, fabs(y[i]));
    return isnan(worst / size) ? INFINITY : worst / size;
}

/* --- exponentials ------------------------------------------------------------------------------------------------ */

static void closed_forms(void)
{
    static const double times[] = { 0x1p-40, 0x1p-20, 0.125, 1, -1, 6.25, 50, 50.5, -1000, 0x1p20, 0x1p30 };
    double worst = 0, shear[4] = { 0, 1, 0, 0 }, none[4] = { 0 }, b[2] = { 0.5, -3 }, F[9], c[3], want[4], s;

    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        for (double w = 1; w < 100; w *= 4) { /* w and w s are exact, so the library's sines are right */
            double A[4] = { 0, 1, -w * w, 0 }, h = w * times[i] / 2, half = sin(h);

            if (lbr_expm(2, A, NULL, times[i], F, NULL)) worst = INFINITY;
            want[0] = want[3] = -2 * half * half, want[1] = sin(2 * h) / w, want[2] = -w * sin(2 * h);
            for (int k = 0; k < 4; k++) worst = fmax(worst, fabs(F[k] - want[k]) / (fabs(want[k]) + 1e-290));
        }
    ok(worst < 4 * eps, "oscillators, element by element, to %.1f eps", worst / eps);
    ok(!lbr_expm(2, shear, b, 0.75, F, c) && F[0] == 0 && F[1] == 0.75 && F[2] == 0 && F[3] == 0, "a shear exactly");
    ok(c[0] == 0.375 - 3 * 0.28125 && c[1] == -2.25, "and what is added");
    ok(!lbr_expm(2, none, b, 3, F, c) && F[0] == 0 && F[1] == 0 && c[0] == 1.5 && c[1] == -9,
       "a constant field exactly");
    s = 1.5; /* far from normal: |sA| is a million, its eigenvalues are not */
    ok(!lbr_expm(2, (double[]){ -1, 1e6, 0, -2 }, NULL, s, F, NULL), "a matrix far from normal");
    near(F[1] / (1e6 * (exp(-s) - exp(-2 * s))), 1, 8 * eps, "its large element");
    near(F[0] / expm1(-s), 1, 4 * eps, "and the small ones");
    ok(!lbr_expm(3, (double[]){ 2, 1, 0, 0, 2, 1, 0, 0, 2 }, (double[]){ 0, 0, 1 }, s, F, c), "a Jordan block");
    near(F[2] / (s * s / 2 * exp(2 * s)), 1, 4 * eps, "its corner");
    near(c[2] / (expm1(2 * s) / 2), 1, 4 * eps, "its inhomogeneous part");
    ok(!lbr_expm(1, (double[]){ -3 }, (double[]){ 1 }, 0x1p-30, F, c), "a number");
    near(c[0] / (-expm1(-3 * 0x1p-30) / 3), 1, 4 * eps, "phi of something small");
    ok(lbr_expm(1, (double[]){ 1 }, NULL, 1000, F, NULL) && lbr_expm(1, (double[]){ NAN }, NULL, 1, F, NULL) &&
           lbr_expm(1, (double[]){ 1e300 }, NULL, 1e300, F, NULL),
       "what is not finite is an error");
}

static void orthogonal(int64_t n, double size, double tolerance)
{
    double *A = calloc((size_t)(n * n), sizeof *A), *F = calloc((size_t)(n * n), sizeof *F), worst = 0, most = 0;

    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < i; j++) A[i * n + j] = uniform(i * n + j) - 0.5, A[j * n + i] = -A[i * n + j];
    for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        for (int64_t j = 0; j < n; j++) sum += fabs(A[i * n + j]);
        most = fmax(most, sum);
    }
    if (lbr_expm(n, A, NULL, size / most, F, NULL)) worst = INFINITY;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++) {
            lbr_dd sum = dd(F[i * n + j] + F[j * n + i]); /* (1+F)(1+F)^T - 1 */
            for (int64_t k = 0; k < n; k++) sum = dd_add(sum, dd_prod(F[i * n + k], F[j * n + k]));
            worst = fmax(worst, fabs(sum.hi));
        }
    ok(worst < tolerance, "exp of a skew matrix, n = %d, norm %g: orthogonal to %.1e", (int)n, size, worst);
    free(A), free(F);
}

/* --- flows ------------------------------------------------------------------------------------------------------- */

/* n oscillators of frequencies sqrt(1 + i), positions and momenta interleaved in a scrambled order, all pushed by 1. */
static lbr_linear_flow *oscillators(int64_t n, int64_t scramble, lbr_status *status)
{
    lbr_triplet *A = malloc((size_t)(3 * n) * sizeof *A);
    double *b = calloc((size_t)(2 * n), sizeof *b);
    lbr_linear_flow *flow;

    for (int64_t i = 0; i < n; i++) {
        int64_t q = i * scramble % (2 * n), p = (n + i) * scramble % (2 * n);
        A[3 * i] = (lbr_triplet){ q, p, 0.5 }, A[3 * i + 1] = (lbr_triplet){ p, q, -1.0 - (double)i },
              A[3 * i + 2] = (lbr_triplet){ q, p, 0.5 };
        b[p] = 1;
    }
    *status = lbr_linear_flow_create(&flow, 2 * n, 3 * n, A, b, &message);
    free(A), free(b);
    return flow;
}

static void blocks(void)
{
    enum { N = 1000 };
    lbr_status status;
    lbr_linear_flow *flow = oscillators(N, 7, &status);
    static double y[2 * N], dy[2 * N], want[2 * N], back[2 * N];
    int failed;
    int64_t largest, count = flow ? lbr_linear_flow_blocks(flow, &largest) : 0;

    ok(!status && count == N && largest == 2, "a thousand oscillators are a thousand blocks");
    if (!flow) return;
    for (int64_t i = 0; i < 2 * N; i++) y[i] = uniform(i) - 0.5;
    for (int64_t i = 0; i < N; i++) {
        int64_t q = i * 7 % (2 * N), p = (N + i) * 7 % (2 * N);
        double w = sqrt(1.0 + (double)i), x = y[q] - 1 / (w * w), sine = sin(w * 0.5),
               half = -2 * sin(w * 0.25) * sin(w * 0.25);

        want[q] = half * x + sine * y[p] / w, want[p] = -w * sine * x + half * y[p];
    }
    failed = lbr_linear_flow_increment(flow, 0.5, y, dy);
    ok(!failed && apart(2 * N, dy, want) < 20 * eps, "their increments to %.1e", apart(2 * N, dy, want));
    memcpy(back, y, sizeof y);
    failed = lbr_linear_flow_apply(flow, 0.5, back) | lbr_linear_flow_apply(flow, -0.5, back);
    ok(!failed && apart(2 * N, back, y) < 100 * eps, "minus undoes it to %.1e", apart(2 * N, back, y));
    memcpy(back, y, sizeof y), memcpy(want, y, sizeof y);
    failed = lbr_linear_flow_apply(flow, 0.25, back) | lbr_linear_flow_apply(flow, 0.5, back) |
             lbr_linear_flow_apply(flow, 0.75, want);
    ok(!failed && apart(2 * N, back, want) < 100 * eps, "two flows are one to %.1e", apart(2 * N, back, want));
    ok(!lbr_linear_flow_increment(flow, 0, y, dy) && apart(2 * N, dy, y) == 1, "nothing happens in no time");
    lbr_linear_flow_free(flow);
}

static void refused(void)
{
    enum { N = 1100 };
    static lbr_triplet chain[N];
    static double y[N];
    lbr_linear_flow *flow;

    for (int i = 0; i < N - 1; i++) chain[i] = (lbr_triplet){ i, i + 1, 1 };
    ok(lbr_linear_flow_create(&flow, N, N - 1, chain, NULL, &message) == LBR_EUNFIT && !flow &&
           strstr(message.text, "1100 variables"),
       "a block that is too large: %s", message.text);
    chain[N / 2].value = 0;
    ok(!lbr_linear_flow_create(&flow, N, N - 1, chain, NULL, &message), "a zero in the middle makes two of it"),
        lbr_linear_flow_free(flow);
    ok(lbr_linear_flow_create(&flow, 3, N - 1, chain, NULL, &message) == LBR_EARG && !flow,
       "an element outside the matrix");
    ok(lbr_linear_flow_create(&flow, 2, 1, &(lbr_triplet){ -1, 0, 1 }, NULL, &message) == LBR_EARG && !flow,
       "one before it");
    ok(lbr_linear_flow_create(&flow, 2, 1, &(lbr_triplet){ 0, 0, INFINITY }, NULL, &message) == LBR_EARG && !flow,
       "an infinite one");
    ok(lbr_linear_flow_create(&flow, 1, 0, NULL, &(double){ NAN }, &message) == LBR_EARG && !flow,
       "an inhomogeneous part that is no number");
    ok(lbr_linear_flow_create(&flow, 0, 0, NULL, NULL, &message) == LBR_EARG && !flow, "no variables");
    if (lbr_linear_flow_create(&flow, 1, 1, &(lbr_triplet){ 0, 0, 1 }, NULL, &message)) return;
    ok(lbr_linear_flow_apply(flow, NAN, y) && lbr_linear_flow_apply(flow, 1000, y) && y[0] == 0,
       "a time for which there is no number");
    ok(!lbr_linear_flow_apply(flow, 1, y) && lbr_linear_flow_apply(flow, 1, &(double){ NAN }), "a value that is none");
    lbr_linear_flow_free(flow);
    lbr_linear_flow_free(NULL);
}

/* The coefficients are not rounded to double, so the radius makes a random walk: a bias of eps/4 per step would be
 * seen. */
static void long_run(void)
{
    double worst = 0;

    for (int k = 1; k <= 4; k++) {
        double y[2] = { 1, 0 };
        lbr_linear_flow *flow;

        if (lbr_linear_flow_create(&flow, 2, 2, (lbr_triplet[]){ { 0, 1, 1 }, { 1, 0, -1 } }, NULL, &message)) return;
        for (int i = 0; i < 1000000; i++) lbr_linear_flow_apply(flow, 0.3 * k, y);
        worst = fmax(worst, fabs(y[0] * y[0] + y[1] * y[1] - 1));
        lbr_linear_flow_free(flow);
    }
    ok(worst < 1e6 * eps / 50, "a million rotations keep the radius to %.1e", worst);
}

/* More times than are kept, from several threads: the bits of one thread alone. */
enum { TIMES = 80, SIZE = 12, THREADS = 4 };
typedef struct job {
    lbr_linear_flow *flow;
    int from;
    double dy[TIMES][SIZE];
    int failed;
} job;

static void *work(void *argument)
{
    job *j = argument;
    double y[SIZE];

    for (int i = 0; i < SIZE; i++) y[i] = uniform(i);
    for (int round = 0; round < 3; round++)
        for (int k = 0; k < TIMES; k++) {
            int i = (j->from + k) % TIMES;
            j->failed |= lbr_linear_flow_increment(j->flow, 0.01 * (i + 1), y, j->dy[i]);
        }
    return NULL;
}

static void threads(void)
{
    static job one, many[THREADS];
    pthread_t thread[THREADS];
    lbr_status status[2];
    int same = 1;

    one.flow = oscillators(SIZE / 2, 5, &status[0]), many[0].flow = oscillators(SIZE / 2, 5, &status[1]);
    if (!ok(!status[0] && !status[1], "flows for threads")) return;
    work(&one);
    for (int i = 0; i < THREADS; i++) {
        many[i].flow = many[0].flow, many[i].from = 23 * i;
        if (pthread_create(&thread[i], NULL, work, &many[i])) {
            ok(0, "a thread");
            return;
        }
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL), same &= !many[i].failed && !memcmp(many[i].dy, one.dy, sizeof one.dy);
    ok(same && !one.failed, "%d threads, %d times: the same bits", THREADS, TIMES);
    lbr_linear_flow_free(one.flow), lbr_linear_flow_free(many[0].flow);
}

static void kept(void)
{
    lbr_status status;
    lbr_linear_flow *flow = oscillators(2, 1, &status);
    double y[4] = { 1, 2, 3, 4 };
    long before, live = 0;

    if (!ok(!status && !lbr_linear_flow_prepare(flow, 0.1), "a flow prepared")) return;
    before = heap.calls, lbr_linear_flow_apply(flow, 0.1, y);
    ok(heap.calls == before, "what is prepared needs no more memory");
    for (int i = 0; i < 2000; i++) lbr_linear_flow_apply(flow, 0.1 + i, y), live = i == 1500 ? heap.live : live;
    ok(heap.live == live, "what is kept has an end");
    lbr_linear_flow_free(flow);
}

static void refusals(void)
{
    double y[4] = { 1, 2, 3, 4 }, saved[4];
    long live = heap.live, n = 0;
    int good = 1, failed;

    do {
        lbr_status status;
        lbr_linear_flow *flow;

        heap.calls = -2, heap.refuse = ++n; /* the test's own two do not count */
        flow = oscillators(2, 3, &status);
        memcpy(saved, y, sizeof y);
        failed = status == LBR_ENOMEM || lbr_linear_flow_apply(flow, 0.1, y);
        heap.refuse = 0;
        good &= (failed ? !memcmp(saved, y, sizeof y) : n > 5) && (status == LBR_OK || (status == LBR_ENOMEM && !flow));
        lbr_linear_flow_free(flow);
        good &= heap.live == live;
    } while (failed && n < 30);
    ok(good && !failed, "%ld allocations may fail", n - 1);
}

int main(void)
{
    closed_forms();
    orthogonal(20, 1, 8 * eps), orthogonal(20, 50, 8 * eps), orthogonal(140, 50, 300 * eps);
    blocks(), refused(), long_run(), threads(), kept(), refusals();
    return tap_done();
}
