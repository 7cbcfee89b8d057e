/* test_run_alloc.c - models and memory: nothing is allocated while stepping, and every allocation on the way there may
 * fail. SPDX-License-Identifier: BSD-3-Clause
 *
 * Linked with --wrap=malloc and its kin. */
#include "support/heap.h"
#include "support/tap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "execute/execute.h"
#include "runs/experiment.h"
#include "syntax/gallery.h"

#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

/* --- stepping ---------------------------------------------------------------------------------------------------- */

/* A text, or a model of the gallery, made ready. */
typedef struct ready {
    lbr_source source;
    lbr_experiment x;
    lbr_status status;
} ready;

static lbr_overrides nothing(void) { return (lbr_overrides){ .step = NAN, .time = NAN, .steps = -1, .every = -1 }; }

static const lbr_job *make_ready(ready *r, const char *text, lbr_overrides over)
{
    memset(r, 0, sizeof *r);
    r->status = strchr(text, '\n') ? lbr_source_text(&r->source, "m.lbr", text, strlen(text), NULL)
                                   : lbr_source_open(&r->source, text);
    if (!r->status) r->status = lbr_experiment_open(&r->x, &r->source, &over);
    if (!r->status) r->status = lbr_experiment_prepare(&r->x, 0);
    return r->status ? NULL : &r->x.run[0].job;
}

static void release(ready *r) { lbr_experiment_free(&r->x), lbr_source_free(&r->source); }

/* All that a run looks at. */
static int look(const lbr_view *v, void *ctx)
{
    static double out[1 << 16];
    const lbr_job *job = ctx;
    const lbr_system *s = job->system;
    int bad = s->energy && s->energy(v->t, v->y, out, s->ctx);

    for (int64_t i = 0; s->invariants && i < s->invariants->count; i++)
        bad |= s->invariants->item[i].value(v->t, v->y, out,
                                            s->invariants->item[i].ctx ? s->invariants->item[i].ctx : s->ctx);
    for (int64_t i = 0; i < job->nobserved; i++)
        bad |= job->observed[i].len <= COUNT(out) && job->observed[i].value(v->t, v->y, out, job->observed[i].ctx);
    return bad;
}

/* A part that is linear: its exponentials are made when a trajectory starts, not in its first step. */
static void linear_parts(void)
{
    static const char linear[] = "canonical q[3], p[3]\n"
                                 "part A = sq(p)/2 + 2*q[1]^2 + q[1]*q[2]\n"
                                 "part B = q[1]^4/4 + q[3]^4\n"
                                 "start q = [1, 0.5, 0.3]\n"
                                 "run method = split(strang, A, B), step = 0.05, time = 1\n";
    static const char *const method[] = { "split(strang, A, B)", "split(strang, B, A)",
                                          "compose(kahan-li-6-9, split(strang, A, B))", "split(mclachlan-4-5, A, B)" };

    for (int i = 0; i < COUNT(method); i++) {
        lbr_overrides over = nothing();
        ready r;
        lbr_plan *plan = NULL;
        const lbr_job *job;
        double y[6];
        long calls = -1, refused = 0;

        over.method = method[i], job = make_ready(&r, linear, over);
        if (job && !lbr_plan_create(&plan, job->method, job->system, &job->options)) {
            for (heap.calls = 0, heap.refuse = 1; lbr_start(plan, 0, 0.05, job->y0) == LBR_ENOMEM && refused < 1000;
                 heap.calls = 0)
                heap.refuse++, refused += strstr(lbr_plan_message(plan), "memory") != NULL;
            heap.refuse = 0;
            if (!lbr_start(plan, 0, 0.07, job->y0)) heap.calls = 0;
            if (!lbr_run(plan, 10, 1, look, (void *)job) && !lbr_read(plan, NULL, y)) calls = heap.calls;
        }
        ok(calls == 0 && refused >= 2,
           "%s with a linear part: %ld allocations in steps; a start says that %ld may be refused", method[i], calls,
           refused);
        lbr_plan_free(plan), release(&r);
    }
}

/* Allocations in steps from the first one on, twice as many as `steps`, looked at and not; -1: there is no such run. */
static long in_steps(const char *text, const char *method, const lbr_pair *set, int64_t steps)
{
    lbr_overrides over = nothing();
    ready r;
    lbr_plan *plan = NULL;
    const lbr_job *job;
    long calls = -1;

    over.method = method, over.set = set, over.nsets = set != NULL;
    job = make_ready(&r, text, over);
    if (job && !lbr_plan_create(&plan, job->method, job->system, &job->options) &&
        !lbr_start(plan, job->t0, job->h, job->y0)) {
        heap.calls = 0;
        if (!lbr_run(plan, steps, 1, look, (void *)job) && !lbr_run(plan, steps, 0, NULL, NULL)) calls = heap.calls;
    }
    lbr_plan_free(plan), release(&r);
    return calls;
}

#define PARTS                                                       \
    "param m = [1, 2]\n"                                            \
    "canonical q[2,2], p[2,2]\n"                                    \
    "part K = sum(i = 1..2, sq(p[i])/(2*m[i]) - m[i]/norm(q[i]))\n" \
    "part L = sq(q)/20\n"                                           \
    "part S = -dot(q[1], q[2])/100\n"                               \
    "start q = [[1, 0], [0, 2]], p = [[0, 1], [-1, 0]]\n"           \
    "run method = split(strang, K, L, S), step = 0.05, time = 1\n"
#define FLOWS                    \
    "canonical q, p\n"           \
    "part T = p^2/2\n"           \
    "part V = q^4/4\n"           \
    "flow T(s): q = q + s*p\n"   \
    "flow V(s): p = p - s*q^3\n" \
    "start q = 1\n"              \
    "run method = split(strang, T, V), step = 0.05, time = 1\n"
#define MATRIX                                       \
    "state A[3,3], y[3]\n"                           \
    "let S = A^T*A + identity(3)\n"                  \
    "A' = A - 2*A\n"                                 \
    "y' = S^-1*y + det(S)*cross(y, [1, 0, 0])/100\n" \
    "invariant I = trace(A)*0\n"                     \
    "observe e = eigenvalues(S), R = S*S\n"          \
    "start A = identity(3), y = [1, 2, 3]\n"         \
    "run method = gauss:2, step = 0.05, time = 1\n"

#define ROD                                                                                                       \
    "canonical q[2], p[2]\n"                                                                                      \
    "H = sq(p)/2 + q[2]\n"                                                                                        \
    "constraint length = sq(q) - 1\n"                                                                             \
    "observe T = 2*multiplier(length)\n"                                                                          \
    "section slack: T = 0\n"                                                                                      \
    "start q = [0.6, -0.8], p = [0.8, 0.5]\n"                                                                     \
    "run method = rattle, step = 0.05, time = 1, project_start = yes, record = [multiplier(length), q], until = " \
    "slack\n"

static void stepping(void)
{
    static const struct {
        const char *text, *method;
    } row[] = { { "pendulum", "stormer-verlet" },
                { "pendulum", "gauss:3" },
                { "kepler", "kahan-li-8-17" },
                { "double-pendulum", "gauss:2" },
                { "henon-heiles", "compose(suzuki:4, midpoint)" },
                { "schroedinger", "midpoint" },
                { "double-pendulum", "stormer-verlet" },
                { "modes", "midpoint" },
                { "ellipsoid", "rattle" },
                { PARTS, NULL },
                { PARTS, "gauss:2" },
                { FLOWS, NULL },
                { FLOWS, "compose(kahan-li-6-9, split(strang, T, V))" },
                { MATRIX, NULL },
                { MATRIX, "rk4" },
                { ROD, NULL },
                { ROD, "lobatto-3a-3b:3" } };
    lbr_pair big = { "n", "1000" };
    int models = 0, bad = 0;
    const lbr_gallery_item *g;

    for (int i = 0; i < COUNT(row); i++) {
        long calls = in_steps(row[i].text, row[i].method, NULL, 20);

        ok(calls == 0, "%.*s, %s: %ld allocations in 40 steps", (int)strcspn(row[i].text, "\n"), row[i].text,
           row[i].method ? row[i].method : "its own method", calls);
    }
    ok(in_steps("wisdom-holman", "midpoint", NULL, 1) == 0, "none in two steps that are almost too large");
    ok(in_steps("nbody", NULL, &big, 2) == 0, "none with 1000 bodies");
    for (int64_t i = 0; (g = lbr_gallery(i)); i++) {
        long calls;

        if (strcmp(g->kind, "model") || !strcmp(g->name, "nbody")) continue;
        calls = in_steps(g->name, NULL, NULL, 2);
        models += calls >= 0, bad += calls > 0;
        if (calls > 0) printf("# %s: %ld\n", g->name, calls);
    }
    ok(models > 30 && !bad, "none in %d models of the gallery, with their own methods", models);
}

/* --- on the way -------------------------------------------------------------------------------------------------- */

#define EVERYTHING                                                                                               \
    "title \"x\"\n"                                                                                              \
    "param n = 2, g = 1, s = 2\n"                                                                                \
    "canonical q[n], p[n]\n"                                                                                     \
    "let r = norm(q)\n"                                                                                          \
    "part T = sq(p)/2\n"                                                                                         \
    "part V = g*r^4/4\n"                                                                                         \
    "invariant L = cross(q, p)\n"                                                                                \
    "observe M = [[q[1], q[2]], [p[1], p[2]]], v = q'\n"                                                         \
    "let w = 2*v\n"                                                                                              \
    "observe speed = norm(w)\n"                                                                                  \
    "start q = [1, 0.5]\n"                                                                                       \
    "method five = composition [0.5, 0.5]\n"                                                                     \
    "method rk = butcher(A = [[1/2]], b = [1])\n"                                                                \
    "method ny = nystrom(A = [[1/4]], b = [1], c = [1/2], bbar = [1/2])\n"                                       \
    "method sp = splitting(a = [1/2, 1/2], b = [1])\n"                                                           \
    "method all = compose(five, sp)\n"                                                                           \
    "run method = all, step = g/20, time = 1, record = [M[1], H, q], compensated = yes, max_iterations = 5*10\n" \
    "run v[k = 1..2]: g = k, q = [k, 1], method = gauss:s\n"

/* The whole way of a run, to where it ends. LBR_ENOMEM where memory was refused and there is no other way. */
static const lbr_pair given[] = { { "s", "3" }, { "p", "[0.25, 0]" } };

static lbr_status whole_way(const char *text, int sets, int *good, double y[4])
{
    lbr_overrides over = nothing();
    ready r;
    lbr_result result;
    const lbr_job *job;
    lbr_status status;

    over.set = given, over.nsets = sets;
    job = make_ready(&r, text, over);
    status = r.status;
    if (status && !(strstr(r.x.message, "memory") || (r.source.message && strstr(r.source.message, "memory"))))
        *good = 0, printf("# says: %s\n", r.x.message[0]     ? r.x.message
                                          : r.source.message ? r.source.message
                                                             : "nothing");
    if (job) {
        lbr_job copy = *job;

        copy.keep = 1, copy.steps = 3;
        lbr_execute(&copy, &result), status = result.status;
        *good &= result.exit == (status == LBR_ENOMEM ? LBR_EXIT_MACHINE : LBR_EXIT_DONE);
        if (!status) memcpy(y, result.y, 4 * sizeof *y);
        lbr_result_free(&result);
    }
    release(&r);
    return status;
}

static void on_the_way(const char *text, int sets)
{
    long before = heap.live, n = 0, wrong = 0;
    double want[4] = { 0 }, y[4];
    int good = 1;

    ok(whole_way(text, sets, &good, want) == LBR_OK && good, "undisturbed");
    do {
        lbr_status status;

        heap.calls = heap.refused = 0, heap.refuse = ++n, good = 1;
        status = whole_way(text, sets, &good, y);
        heap.refuse = 0;
        good &= (status ? heap.refused && status == LBR_ENOMEM : !memcmp(y, want, sizeof y)) && heap.live == before;
        if (!good) printf("# allocation %ld: status %d, %ld blocks left\n", n, status, heap.live - before);
        wrong += !good, before = heap.live;
    } while (heap.refused && n < 5000 && wrong < 10);
    ok(!wrong && !heap.refused && n > 20,
       "each of %ld allocations may be refused: it ends with these words, or with the same bits", n - 1);
}

int main(void)
{
    stepping();
    linear_parts();
    on_the_way(EVERYTHING, 2);
    on_the_way(ROD, 0);
    return tap_done();
}
