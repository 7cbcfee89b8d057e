/* test_faults.c - what fails on the way leaves everything as it was: allocations, callbacks, observers.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Linked with --wrap=malloc and its kin. A callback is made to fail at every point where the undisturbed run calls
 * it: for these arguments, so that it stays a pure function and the library cannot get around it by asking again. */
#include "support/bits.h"
#include "support/heap.h"

#include <stdlib.h>

/* A scenario under every failing allocation: LBR_ENOMEM each time until it passes, and nothing is left behind. */
typedef struct scenario {
    const char *text;
    const problem *p;
    const char *words;
    lbr_status (*run)(const struct scenario *, int *good);
} scenario;

/* How many allocations there are; 0 if one of them is not taken well. */
static long every_allocation(const scenario *s)
{
    long before = heap.live, n = 0;
    int good = 1;

    do {
        lbr_status status;

        heap.calls = heap.refused = 0, heap.refuse = ++n;
        status = s->run(s, &good);
        heap.refuse = 0;
        good &= status == (heap.refused ? LBR_ENOMEM : LBR_OK) && heap.live == before;
        if (!good) printf("# %s %s: allocation %ld, status %d\n", s->text, s->words, n, status);
    } while (heap.refused && good && n < 2000);
    return good && !heap.refused ? n - 1 : 0;
}

static int there(const char *message) { return message && *message; }

/* Everything in the life of a plan and of a state. */
static lbr_status life(const scenario *s, int *good)
{
    lbr_options o = options_of(s->words);
    lbr_state *state = NULL;
    lbr_plan *plan;
    double y[PROBLEM_DIM];
    size_t size;
    const void *bytes;
    lbr_status status = lbr_plan_create(&plan, s->text, &s->p->system, &o);

    if (status) *good &= !plan || (there(lbr_plan_message(plan)) && lbr_start(plan, 0, 1, s->p->y) == LBR_EARG);
    if (status) return lbr_plan_free(plan), status;
    if ((status = lbr_state_create(&state, plan))) *good &= !state;
    *good &= !lbr_start(plan, s->p->t0, s->p->h, s->p->y) && !lbr_run(plan, 3, 0, NULL, NULL) &&
             !lbr_read(plan, NULL, y);
    if (state) {
        bytes = lbr_state_bytes(lbr_plan_state(plan), &size);
        *good &= !lbr_state_restore(state, bytes, size) && !lbr_state_run(state, 2, 0, NULL, NULL) &&
                 !lbr_state_map(state, 0, s->p->h, y);
    }
    lbr_state_free(state);
    lbr_plan_free(plan);
    return status;
}

static lbr_status describe(const scenario *s, int *good)
{
    const lbr_method_info *info;
    lbr_status status = lbr_method_describe(&info, s->text);

    if (status) *good &= !info || there(info->message);
    lbr_method_free(info);
    return status;
}

static lbr_status inform(const scenario *s, int *good)
{
    const lbr_method_info *info = NULL;
    lbr_plan *plan;
    lbr_status status = lbr_plan_create(&plan, s->text, &s->p->system, NULL);

    if (!status && (status = lbr_plan_info(&info, plan))) *good &= !info || there(info->message);
    lbr_method_free(info);
    lbr_plan_free(plan);
    return status;
}

static lbr_status certify(const scenario *s, int *good)
{
    const lbr_certificate *c;
    lbr_status status = lbr_certify(&c, s->text, NULL);

    if (status) *good &= !c || there(c->message);
    lbr_certificate_free(c);
    return status;
}

static problem henon, relative, crossed, body, own, solar, tied;

/* Henon and Heiles on the unit circle. */
static int circle(double t, const double *q, double *g, void *ctx)
{
    return (void)t, (void)ctx, g[0] = q[0] * q[0] + q[1] * q[1] - 1, 0;
}
static int along(double t, const double *q, double *G, void *ctx)
{
    return (void)t, (void)ctx, G[0] = 2 * q[0], G[1] = 2 * q[1], 0;
}
static const lbr_constraints on_a_circle = { .size = sizeof on_a_circle, .m = 1, .g = circle, .G = along };

static problem constrained(void)
{
    problem p = henon_heiles();

    p.system.constraints = &on_a_circle, p.h = 0.05;
    p.y[0] = 0.6, p.y[1] = 0.8, p.y[2] = -0.4, p.y[3] = 0.3;
    return p;
}

static void allocations(void)
{
    const scenario list[] = {
        { "stormer-verlet", &henon, "", life },
        { "suzuki:10", &solar, "compensated", life },
        { "kahan-li-8-17", &crossed, "newton", life },
        { "process(effective-6-9,effective-6-9-processor)", &relative, "", life },
        { "rk4", &body, "", life },
        { "compose(suzuki:4,kahan)", &body, "", life },
        { "gauss:3", &crossed, "", life },
        { "gauss:16", &body, "newton", life },
        { "gauss:16", &solar, "fixed-point", life },
        { "compose(kahan-li-8-17,gauss:8)", &henon, "newton", life },
        { "compose(strang,adjoint(gauss:4))", &own, "compensated", life },
        { "collocation(1/4,5/6)", &crossed, "", life },
        { "tableau(compose(suzuki:4,adjoint(radau-2a:2)))", &henon, "compensated", life },
        { "split(strang,A,B,C)", &body, "", life },
        { "compose(sofroniou-spaletta-10-35,strang)", &own, "compensated", life },
        { "compose(suzuki:6,mine)", &own, "", life },
        { "adjoint(bare)", &own, "newton", life },
        { "reduced(rk4)", &tied, "", life },
        { "reduced(gauss:2)", &tied, "newton", life },
        { "compose(suzuki:4,reduced(stormer-verlet))", &tied, "compensated", life },
        { "rattle", &tied, "", life },
        { "lobatto-3a-3b:3", &tied, "compensated", life },
        { "compose(strang,constrained-euler)", &tied, "", life },
        { "reduced(rk4)", NULL, "", certify },
        { "adjoint(constrained-euler)", NULL, "", certify },
        { "compose(strang,constrained-euler)", NULL, "", describe },
        { "compose(yoshida-6-7, explicit-euler)", &henon, "", inform },
        { "split(strang,A,C)", &body, "", inform },
        { "gauss:9", NULL, "", describe },
        { "kahan-li-8-17", NULL, "", describe },
        { "compose(suzuki:6,adjoint(rk4))", NULL, "", describe },
        { "discontinuous-collocation(b1=1/8,bs=1/8,1/3,2/3)", NULL, "", describe },
        { "dirk(1/2,1/2,a1=0)", NULL, "", describe },
        { "adjoint(theta(1/3))", NULL, "", describe },
        { "tableau(compose(strang,radau-2a:2))", NULL, "", certify },
        { "compose(strang,implicit-euler)", NULL, "", certify },
        { "split(strang, A = midpoint, B)", NULL, "", describe },
        { "process(split(strang, A, B), wisdom-holman-corrector:6)", NULL, "", describe },
        { "compose(triple-jump:12, midpoint)", NULL, "", certify },
        { "process(split(lie-trotter, A, B), scale(1/2, split(lie-trotter, A)))", NULL, "", certify },
        { "split(strang, A = rk4, B)", NULL, "", certify },
        { "blanes-near-864-7", NULL, "", certify },
        { "blanes-moan-rkn-6-11", NULL, "", certify },
        { "rk4", NULL, "", certify },
        { "compose(yoshida-6-7,kahan)", NULL, "", certify },
        { "yoshida-6-7", NULL, "", certify },
        { "process(effective-6-9,effective-6-9-processor)", NULL, "", certify },
    };

    for (int i = 0; i < COUNT(list); i++) {
        long n = every_allocation(&list[i]);

        ok(n > 0, "%s%s%s: %ld allocations, each of which may fail", list[i].text, *list[i].words ? ", " : "",
           list[i].words, n);
    }
}

static void all_allocations(void)
{
    static const struct {
        const char *text;
        lbr_status (*run)(const scenario *, int *good);
    } what[] = {
        { "plans of all methods, alone and composed", life },
        { "descriptions of the catalogue", describe },
        { "certificates of the catalogue", certify },
    };
    static methods all;

    methods_of_catalogue(&all);
    for (int i = 0, n = all.n; i < n; i++) method_add(&all, "compose(strang,compose(lie-trotter,%.60s))", all.text[i]);
    for (int k = 0; k < COUNT(what); k++) {
        long n, sum = 0;
        int good = 1;

        for (int i = 0; i < all.n; i++) {
            if (what[k].run != life && (strstr(all.text[i], ":10") || strstr(all.text[i], "compose(")))
                continue; /* these take long */
            good &= (n = every_allocation(&(scenario){ all.text[i], &own, "newton", what[k].run })) > 0, sum += n;
        }
        ok(good, "%s: %ld allocations, each of which may fail", what[k].text, sum);
    }
}

/* Dimensions that no machine should be asked for. */
static void absurd(void)
{
    static const char *const method[] = { "rk4", "stormer-verlet", "gauss:16", "compose(kahan-li-8-17,midpoint)",
                                          "suzuki:10" };
    lbr_system big = LBR_SYSTEM(.name = "big", .dim = 1000000000, .nq = 500000000, .force = relativistic_force,
                                .velocity = relativistic_velocity);
    long before = heap.live;

    heap.most = 1 << 28;
    for (int i = 0; i < COUNT(method); i++) {
        lbr_plan *plan;
        lbr_status status = lbr_plan_create(&plan, method[i], &big, NULL);

        ok(status == LBR_ENOMEM && there(lbr_plan_message(plan)), "10^9 components, %s: %s", method[i],
           lbr_plan_message(plan));
        lbr_plan_free(plan);
    }
    heap.most = SIZE_MAX;
    ok(heap.live == before, "nothing is left behind");
}

static int look(const lbr_view *view, void *ctx) { return (void)ctx, view->y[0] != view->y[0]; }

/* Nothing is allocated once plan and states are there. */
static void stepping(void)
{
    const problem *const p[] = { &henon, &relative, &crossed, &body, &own, &solar };
    static methods all;
    int good = 1, tried = 0;

    methods_of_catalogue(&all);
    method_add(&all, "adjoint(mine)"), method_add(&all, "compose(strang,couple)"),
        method_add(&all, "split(strang,A,B,C)"), method_add(&all, "kahan"), method_add(&all, "moser-veselov");
    for (int i = 0; i < all.n * COUNT(p); i++) {
        const problem *q = p[i / all.n];
        double y[PROBLEM_DIM];
        const void *bytes;
        lbr_plan *plan;
        size_t size;

        memcpy(y, q->y, sizeof y);
        if (!lbr_plan_create(&plan, all.text[i % all.n], &q->system, NULL) &&
            lbr_map(plan, q->t0, q->h, y) != LBR_EUNFIT) { /* kahan: quadratic fields only */
            heap.calls = 0;
            good &= !lbr_start(plan, q->t0, q->h, q->y) && !lbr_run(plan, 12, 5, look, NULL) &&
                    !lbr_read(plan, NULL, y) && !lbr_map(plan, 0, -q->h, y) &&
                    (bytes = lbr_state_bytes(lbr_plan_state(plan), &size)) &&
                    !lbr_state_restore(lbr_plan_state(plan), bytes, size) && !lbr_run(plan, 2, 0, NULL, NULL);
            good &= lbr_run(plan, -1, 0, NULL, NULL) == LBR_EARG && heap.calls == 0;
            tried++;
        }
        lbr_plan_free(plan);
    }
    ok(good && tried > 150, "no allocation while stepping, reading, saving and restoring: %d methods and problems",
       tried);
}

/* --- faulty callbacks -------------------------------------------------------------------------------------------- */

enum { STEPS = 4 };

/* One case: a method on a problem, and where its undisturbed run leads. */
typedef struct trial {
    const char *method;
    const problem *p;
    const char *words;
    lbr_plan *plan;
    int implicit, around; /* around: another iteration may avoid the arguments */
    double want[STEPS + 1][PROBLEM_DIM];
} trial;

#define CASE(method_, p_, words_)                   \
    {                                               \
        .method = method_, .p = p_, .words = words_ \
    }

static double time_of(const trial *c, int64_t n) { return fma((double)n, c->p->h, c->p->t0); }
static lbr_status start(const trial *c, lbr_state *s) { return lbr_state_start(s, c->p->t0, c->p->h, c->p->y); }

static void undisturbed(trial *c)
{
    lbr_state *s = lbr_plan_state(c->plan);

    memset(&book, 0, sizeof book), memset(&fault, 0, sizeof fault);
    book.on = 1;
    start(c, s);
    for (book.step = 0;;) {
        book.reading = 1, lbr_state_read(s, NULL, c->want[book.step]), book.reading = 0;
        if (book.step == STEPS) break;
        book.step++;
        lbr_state_run(s, 1, 0, NULL, NULL);
    }
    c->implicit = lbr_plan_stats(c->plan)->iterations > 0;
    c->around = c->implicit && strcmp(c->words, "fixed-point starting=field"); /* a step may start in another way */
    book.on = 0;
}

/* With the fault gone: the state is the one at its count, and goes on as if nothing had been. */
static int unharmed(const trial *c, lbr_state *s)
{
    double y[PROBLEM_DIM], t;
    int64_t n = lbr_state_count(s);

    fault.mode = NONE;
    if (lbr_state_read(s, &t, y) || t != time_of(c, n) || !same(y, c->want[n], c->p->system.dim)) return 0;
    return !lbr_state_run(s, STEPS - n, 0, NULL, NULL) && !lbr_state_read(s, &t, y) &&
           same(y, c->want[STEPS], c->p->system.dim);
}

static int names(const char *message, int64_t step, double t)
{
    char a[32], b[32];

    snprintf(a, sizeof a, "step %lld ", (long long)step), snprintf(b, sizeof b, "t = %.17g", t);
    return strstr(message, a) && strstr(message, b);
}

static int right(const trial *c, lbr_status status)
{
    if (fault.kind == FAILS) return status == LBR_ECALLBACK;
    return status == LBR_ENONFINITE || (c->implicit && status == LBR_ENOCONV);
}

static int told(const trial *c, const entry *e, lbr_status status, const char *message)
{
    return printf("# %s: step %d, kind %d, status %d: %s\n", c->method, (int)e->step, fault.kind, status, message), 0;
}

/* The callback fails where the undisturbed run has made entry e, which is in step e->step. */
static int struck(const trial *c, const entry *e)
{
    lbr_state *s;
    double y[PROBLEM_DIM];
    lbr_status status;
    int good = !lbr_state_create(&s, c->plan);

    fault.mode = THESE, fault.key = e->key;
    status = start(c, s);
    if (e->step == 0) {
        good = right(c, status) && strstr(lbr_state_message(s), "start") &&
               lbr_state_read(s, NULL, y) == LBR_ENOTSTARTED;
        fault.mode = NONE;
        good = good && !start(c, s);
    } else {
        good = good && !status;
        status = lbr_state_run(s, STEPS, 0, NULL, NULL);
        if (c->around && !status)
            good = good && lbr_state_count(s) == STEPS && !lbr_state_read(s, NULL, y) &&
                   fabs(y[0] - c->want[STEPS][0]) < 1e-9 && !start(c, s);
        else
            good = good && right(c, status) && lbr_state_count(s) == e->step - 1 &&
                   names(lbr_state_message(s), e->step, time_of(c, e->step - 1));
    }
    good = (good || told(c, e, status, lbr_state_message(s))) && unharmed(c, s);
    lbr_state_free(s);
    return good;
}

/* A callback fails while one looks after step e->step. */
static int struck_reading(const trial *c, const entry *e)
{
    lbr_state *s = lbr_plan_state(c->plan);
    double y[PROBLEM_DIM] = { 42 };
    lbr_status status;
    int good = !start(c, s) && !lbr_state_run(s, e->step, 0, NULL, NULL);

    fault.mode = THESE, fault.key = e->key;
    status = lbr_state_read(s, NULL, y);
    good = good && right(c, status) && y[0] == 42 && names(lbr_state_message(s), e->step, time_of(c, e->step));
    good = unharmed(c, s) && good && !start(c, s) && !lbr_state_run(s, e->step - 1, 0, NULL, NULL);
    fault.mode = THESE;
    return good && right(c, lbr_state_run(s, 1, 1, look, NULL)) && unharmed(c, s);
}

/* Not a function of its arguments any more, but the state must be one of the good ones. */
static int struck_at(const trial *c, int mode, long at)
{
    lbr_state *s = lbr_plan_state(c->plan);
    lbr_status status;

    fault.mode = mode, fault.at = at, fault.calls = 0;
    status = start(c, s);
    if (!status && (status = lbr_state_run(s, STEPS, 0, NULL, NULL)) && !right(c, status)) return 0;
    if (status && mode == ON && lbr_state_run(s, 0, 0, NULL, NULL)) return 0;
    fault.mode = NONE;
    return (!status || lbr_state_count(s) < STEPS || !start(c, s)) && unharmed(c, s);
}

/* One step of a y in place, with the arguments of the first steps failing: y stays, and so does the trajectory. */
static int struck_mapping(const trial *c, const entry *e)
{
    lbr_state *s = lbr_plan_state(c->plan);
    double y[PROBLEM_DIM];
    lbr_status status;
    int good = !start(c, s) && !lbr_state_run(s, 2, 0, NULL, NULL);

    memcpy(y, c->p->y, sizeof y);
    fault.mode = THESE, fault.key = e->key;
    status = lbr_state_map(s, c->p->t0, c->p->h, y);
    good = good && (!status || (right(c, status) && there(lbr_state_message(s)) && same(y, c->p->y, c->p->system.dim)));
    return good && unharmed(c, s);
}

static void callbacks(void)
{
    static const char *const what[] = { "at each point", "when one looks", "in a single step",
                                        "once or for good, at each call" };
    trial list[] = {
        CASE("stormer-verlet", &henon, ""),
        CASE("stormer-two-step", &henon, ""),
        CASE("stormer-two-step", &solar, "compensated"),
        CASE("compose(triple-jump:4,stormer-two-step)", &henon, ""),
        CASE("stormer-verlet-b", &relative, ""),
        CASE("kahan-li-8-17", &relative, "compensated"),
        CASE("symplectic-euler", &solar, ""),
        CASE("process(effective-6-9,effective-6-9-processor)", &relative, ""),
        CASE("rk4", &body, ""),
        CASE("rk4", &crossed, "compensated"),
        CASE("gauss:3", &crossed, "fixed-point"),
        CASE("gauss:3", &crossed, "newton"),
        CASE("gauss:2", &body, "newton"),
        CASE("gauss:2", &body, "newton differences compensated"),
        CASE("trapezoidal", &henon, "fixed-point"),
        CASE("midpoint", &relative, ""),
        CASE("symplectic-euler", &crossed, "fixed-point starting=field"),
        CASE("stormer-verlet", &crossed, "newton"),
        CASE("split(strang,A,B,C)", &body, ""),
        CASE("lie-trotter", &own, "compensated"),
        CASE("mine", &own, ""),
        CASE("mine", &own, "compensated"),
        CASE("adjoint(mine)", &own, "fixed-point starting=field"),
        CASE("adjoint(bare)", &own, ""),
        CASE("compose(strang,couple)", &own, ""),
        CASE("compose(yoshida-6-7,midpoint)", &henon, "fixed-point"),
        CASE("compose(yoshida-6-7,midpoint)", &henon, "fixed-point starting=field"),
        CASE("process(rk4,lie-trotter)", &crossed, ""),
        CASE("process(midpoint,strang)", &body, "fixed-point starting=field"),
    };

    for (int i = 0; i < COUNT(list); i++) {
        trial *c = &list[i];
        lbr_system s = faulty(c->p);
        lbr_options o = options_of(c->words);
        int good[4] = { 1, 1, 1, 1 }, n[4] = { 0 };

        if (lbr_plan_create(&c->plan, c->method, &s, &o)) good[0] = 0;
        else undisturbed(c);
        for (fault.kind = 0; fault.kind < KINDS && good[0]; fault.kind++) {
            for (const entry *e = book.entry; e < book.entry + book.n; e++) {
                if (!e->first) continue;
                if (e->reading) good[1] &= struck_reading(c, e), n[1]++;
                else good[0] &= struck(c, e), n[0]++;
                if (e->step < 2 && !e->reading) good[2] &= struck_mapping(c, e), n[2]++;
            }
            for (long at = 1; at <= book.n && !c->around; at++)
                good[3] &= struck_at(c, ONCE, at) && struck_at(c, ON, at), n[3]++;
        }
        for (int k = 0; k < 4; k++)
            if (n[k] || k == 0)
                ok(good[k] && n[k], "%s on %s %s: a callback fails %s (%d)", c->method, s.name, c->words, what[k],
                   n[k]);
        lbr_plan_free(c->plan);
    }
}

/* Far out, in the middle and at the edges of the chunks in which steps are taken; one call of 600 steps. */
static void far_out(void)
{
    static const int64_t step[] = { 1, 2, 100, 255, 256, 257, 258, 512, 513, 600 };
    trial list[] = { CASE("stormer-verlet", &henon, ""), CASE("rk4", &body, ""),
                     CASE("gauss:2", &crossed, "fixed-point"), CASE("lie-trotter", &own, "") };

    for (int i = 0; i < COUNT(list) * COUNT(step); i++) {
        trial *c = &list[i / COUNT(step)];
        int64_t k = step[i % COUNT(step)];
        lbr_system s = faulty(c->p);
        lbr_options o = options_of(c->words);
        double before[PROBLEM_DIM], y[PROBLEM_DIM], end[PROBLEM_DIM];
        lbr_status status;
        int good;

        memset(&fault, 0, sizeof fault), book.n = 0;
        good = !lbr_plan_create(&c->plan, c->method, &s, &o) && !lbr_start(c->plan, c->p->t0, c->p->h / 8, c->p->y) &&
               !lbr_run(c->plan, k - 1, 0, NULL, NULL) && !lbr_read(c->plan, NULL, before);
        book.on = 1, good = good && !lbr_run(c->plan, 1, 0, NULL, NULL), book.on = 0;
        good = good && !lbr_run(c->plan, 600 - k, 0, NULL, NULL) && !lbr_read(c->plan, NULL, end);
        c->implicit = lbr_plan_stats(c->plan)->iterations > 0;
        good = good && !lbr_start(c->plan, c->p->t0, c->p->h / 8, c->p->y);
        fault.mode = THESE, fault.key = book.entry[book.n - 1].key, fault.kind = i % KINDS;
        status = lbr_run(c->plan, 600, 0, NULL, NULL);
        good = good && right(c, status) &&
               names(lbr_plan_message(c->plan), k, fma((double)(k - 1), c->p->h / 8, c->p->t0));
        fault.mode = NONE;
        good = good && !lbr_read(c->plan, NULL, y) && same(y, before, s.dim) &&
               lbr_state_count(lbr_plan_state(c->plan)) == k - 1;
        good = good && !lbr_run(c->plan, 600 - k + 1, 0, NULL, NULL) && !lbr_read(c->plan, NULL, y) &&
               same(y, end, s.dim);
        ok(good, "%s: step %d of 600 fails, and the rest follows later", c->method, (int)k);
        lbr_plan_free(c->plan);
    }
}

/* --- an observer that stops -------------------------------------------------------------------------------------- */

typedef struct stop {
    int64_t at;
    int looks;
    double y[PROBLEM_DIM];
} stop;

static int stopper(const lbr_view *view, void *ctx)
{
    stop *s = ctx;

    s->looks++;
    memcpy(s->y, view->y, (size_t)view->dim * sizeof *s->y);
    return view->n == s->at;
}

/* Looks at 0, every, 2 every, ..., STEPS; stopped at each of them. */
static int stopped(trial *c, int64_t every)
{
    lbr_state *s = lbr_plan_state(c->plan);
    int good = 1, looks = 0;

    for (int64_t at = 0; at <= STEPS; at++) {
        stop x = { .at = at };

        if (at % every && at < STEPS) continue;
        looks++;
        good &= !start(c, s) && lbr_state_run(s, STEPS, every, stopper, &x) == LBR_STOPPED && x.looks == looks &&
                lbr_state_count(s) == at;
        good &= same(x.y, c->want[at], c->p->system.dim) && unharmed(c, s);
        x.at = -1, x.looks = 0;
        good &= !start(c, s) && !lbr_state_run(s, at, every, stopper, &x) &&
                !lbr_state_run(s, STEPS - at, every, stopper, &x);
        good &= x.looks == 1 + STEPS / every + (STEPS % every != 0) && same(x.y, c->want[STEPS], c->p->system.dim);
    }
    return good;
}

static void observers(void)
{
    trial list[] = {
        CASE("stormer-verlet", &henon, ""),
        CASE("stormer-verlet-b", &relative, "compensated"),
        CASE("process(effective-6-9,effective-6-9-processor)", &henon, ""),
        CASE("rk4", &body, ""),
        CASE("gauss:3", &crossed, "newton"),
        CASE("split(strang,A,B,C)", &body, ""),
        CASE("compose(strang,mine)", &own, ""),
    };

    for (int i = 0; i < COUNT(list); i++) {
        lbr_options o = options_of(list[i].words);

        lbr_plan_create(&list[i].plan, list[i].method, &list[i].p->system, &o);
        undisturbed(&list[i]);
        ok(stopped(&list[i], 1) && stopped(&list[i], 3), "%s: stopped at every look, the state is the one looked at",
           list[i].method);
        lbr_plan_free(list[i].plan);
    }
}

int main(void)
{
    henon = henon_heiles(), relative = relativistic(), crossed = mixed(), body = rigid_body(), own = own_system(),
    solar = solar_system(), tied = constrained();
    allocations();
    all_allocations();
    absurd();
    stepping();
    callbacks();
    far_out();
    observers();
    ok(heap.live == 0, "every block has been freed");
    return tap_done();
}
