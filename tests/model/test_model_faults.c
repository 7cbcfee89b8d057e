/* test_model_faults.c - every allocation on the way from a text to a system fails once: an error, no leak, never a
 * lesser system. SPDX-License-Identifier: BSD-3-Clause
 *
 * Linked with --wrap=malloc and its kin. */
#include "support/modelled.h"
#include "support/heap.h"

/* All that a plan could notice. */
static uint64_t shape(const modelled *x)
{
    const lbr_system *s = x->s;
    uint64_t bits = 0;
    const void *has[] = { s->inverse_mass, s->constraints, s->parts, s->invariants };
    const int is[] = { s->field != 0,
                       s->energy != 0,
                       s->force != 0,
                       s->velocity != 0,
                       s->dHdq != 0,
                       s->dHdp != 0,
                       s->field_jvp != 0,
                       s->force_jvp != 0,
                       s->hessian_vec != 0,
                       s->field_block != 0,
                       s->force_block != 0,
                       s->constraints && s->constraints->g2t,
                       x->m->structure.autonomous };

    for (size_t k = 0; k < sizeof has / sizeof *has; k++) bits = 2 * bits + (has[k] != NULL);
    for (size_t k = 0; k < sizeof is / sizeof *is; k++) bits = 2 * bits + (uint64_t)is[k];
    for (int64_t k = 0; s->parts && k < s->parts->count; k++) bits = 2 * bits + (s->parts->part[k].flow != NULL);
    return bits;
}

/* 1: made; 0: refused with a sentence; -1: refused without one. */
static int attempt(const char *text, uint64_t *found)
{
    modelled x = { 0 };
    int made;

    if (lbr_source_text(&x.source, "text", text, strlen(text), NULL) || lbr_model_make(&x.m, &x.source, NULL, 0))
        made = x.source.message && strstr(x.source.message, "memory") ? 0 : -1;
    else if ((x.s = lbr_model_system(x.m, &x.message))) made = 1, *found = shape(&x);
    else made = strstr(x.message.text, "memory") ? 0 : -1;
    if (made < 0) printf("# %s | %s\n", x.source.message ? x.source.message : "", x.message.text);
    close_model(&x);
    return made;
}

static void every(const char *what, const char *text)
{
    uint64_t whole = 0, found;
    long calls, live = heap.live, lesser = 0, silent = 0, leaks = 0, failed = 0;

    heap.calls = heap.refuse = 0;
    if (!ok(attempt(text, &whole) == 1, "%s", what)) return;
    calls = heap.calls;
    for (long k = 1; k <= calls; k++) {
        int made;

        heap.calls = 0, heap.refuse = k, found = whole;
        made = attempt(text, &found);
        heap.refuse = 0;
        failed += made != 1, silent += made < 0, lesser += found != whole, leaks += heap.live != live, heap.live = live;
        if (made < 0 || found != whole) printf("# allocation %ld\n", k);
    }
    ok(!silent && failed > calls / 2, "%s: of %ld allocations that fail %ld are errors, in words", what, calls, failed);
    ok(!lesser, "%s: nothing is missing in what is made all the same", what);
    ok(!leaks, "%s: all memory comes back", what);
}

#define RUN "run method = rk4, step = 1, steps = 1\n"

int main(void)
{
    every("separable", "canonical q[2], p[2]\n"
                       "H = sq(p)/2 + q[1]^2*q[2]\n"
                       "invariant I = [q[1], p[1]]\n"
                       "observe a = q*2\n"
                       "start q = [1, 2]\n" RUN);
    every("masses and loops",
          "param n = 70, m[i = 1..n] = i\n"
          "canonical q[n], p[n]\n"
          "H = sum(i = 1..n, p[i]^2/(2*m[i])) + sum(i = 1..n, cos(q[i] - q[wrap(i + 1, n)]))\n" RUN);
    every("not separable", "canonical q, p\nH = p^2*(1 + q^2) - sin(t)*q\n" RUN);
    every("L and dissipation", "canonical q[2], p[2]\nL = sq(q')/2*(1 + q[1]^2) - q[2]\nrayleigh = sq(q')/9\n" RUN);
    every("linear, straight and Kepler's parts", "canonical q[2], p[2]\n"
                                                 "part A = sq(p)/2 + sq(q)/2\n"
                                                 "part B = q[1]^4\n"
                                                 "part K = sq(p)/2 - 1/norm(q)\n"
                                                 "start q = [1, 0]\n" RUN);
    every("columns, and a flow by hand", "state x[3,2]\n"
                                         "part A: x[i = 1..3, 2]' = x[i,1]^2\n"
                                         "part B: x[1,1]' = x[1,1]*x[2,1]\n"
                                         "flow B(s): x[1,1] = x[1,1]*exp(s*x[2,1])\n"
                                         "start x = 1\n" RUN);
    every("brackets", "state y[3]\n"
                      "poisson {y, y} = hat(y)\n"
                      "H = y[1]^2 + y[2]^2/2\n"
                      "invariant C = sq(y)\n"
                      "start y = [1, 2, 3]\n" RUN);
    every("constraints", "canonical q[2,2], p[2,2]\n"
                         "H = sq(p)/2\n"
                         "constraint c = sq(q[1]) - 1, d[i = 2..2] = sq(q[i] - q[1]) - 1\n"
                         "start q = [[1, 0], [2, 0]]\n" RUN);
    every("a family of constraints", "param n = 66\n"
                                     "canonical q[n], p[n]\n"
                                     "H = sq(p)/2\n"
                                     "constraint c[i = 1..n] = q[i]*q[wrap(i + 1, n)]\n"
                                     "start q = 0, p = 0\n" RUN);
    every("a partition", "state q[2], p[2]\npartition p\nq' = p\np' = -q\nstart q = 1\n" RUN);
    return tap_done();
}
