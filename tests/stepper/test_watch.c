/* test_watch.c - H and the invariants watched at every step: inside compiled steps and from outside.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What lbr_state_watch finds must be, bit for bit, what an observer finds who looks at every step and measures. */
#include "support/fused.h"
#include "core/watch.h"
#include "support/heap.h"
#include "support/share.h"

enum { STEPS = 700, DIM = 2 * LINKS, MOST = 8 };

/* --- the reference: an observer ---------------------------------------------------------------------------------- */

typedef struct seen {
    const lbr_system *system;
    int64_t quantities;
    double first[MOST], worst[MOST];
} seen;

/* All quantities at (t, y); how many components. */
static int64_t values(const lbr_system *s, double t, const double *y, double *v)
{
    int64_t at = 0;

    if (s->energy) s->energy(t, y, v, s->ctx), at = 1;
    for (int64_t i = 0; s->invariants && i < s->invariants->count; at += s->invariants->item[i].len, i++)
        s->invariants->item[i].value(t, y, v + at, s->ctx);
    return at;
}

static int measure(const lbr_view *view, void *ctx)
{
    seen *w = ctx;
    double v[MOST];
    int64_t at = 0, k = 0;

    values(w->system, view->t, view->y, v);
    if (w->system->energy) w->worst[0] = fmax(w->worst[0], fabs(v[0] - w->first[0])), at = k = 1;
    for (int64_t i = 0; w->system->invariants && i < w->system->invariants->count;
         at += w->system->invariants->item[i].len, i++, k++)
        w->worst[k] = fmax(w->worst[k], lbr_distance(w->system->invariants->item[i].len, v + at, w->first + at));
    w->quantities = k;
    return 0;
}

static seen begin(const selfmade *m)
{
    seen w = { .system = &m->p.system };

    values(&m->p.system, m->p.t0, start_of(m), w.first);
    return w;
}

/* --- the same largest errors ------------------------------------------------------------------------------------- */

static int agrees(const seen *a, const seen *b) { return b->quantities > 0 && same(a->worst, b->worst, b->quantities); }

static int start(lbr_plan *plan, const selfmade *m) { return !lbr_start(plan, m->p.t0, m->p.h, start_of(m)); }

static int look_only(const lbr_view *view, void *ctx) { return (void)ctx, view->y[0] != view->y[0]; }

/* Watched in one call, in many, with looks between, and through a restart; the trajectory is what it was. */
static int watches(const selfmade *m, lbr_plan *plan, const seen *want, const double *y)
{
    static const int64_t every[] = { 0, 1, 7, 300 };
    lbr_state *s = lbr_plan_state(plan), *fresh = NULL;
    const void *bytes;
    double z[DIM];
    size_t size;
    seen w;
    int good = 1;

    for (int i = 0; i < COUNT(every) && good; i++) {
        w = begin(m);
        good = start(plan, m) && !lbr_state_watch(s, w.first, w.worst) &&
               !lbr_state_run(s, STEPS, every[i], every[i] ? look_only : NULL, NULL) && agrees(&w, want) &&
               !lbr_state_read(s, NULL, z) && same(y, z, m->p.system.dim);
    }
    w = begin(m);
    good = good && start(plan, m) && !lbr_state_watch(s, w.first, w.worst) && !lbr_state_run(s, 300, 0, NULL, NULL) &&
           (bytes = lbr_state_bytes(s, &size)) && !lbr_state_create(&fresh, plan) &&
           !lbr_state_restore(fresh, bytes, size) && !lbr_state_watch(fresh, w.first, w.worst) &&
           !lbr_state_run(fresh, STEPS - 300, 0, NULL, NULL) && agrees(&w, want);
    lbr_state_free(fresh);
    return good;
}

static int watched_inside;

static int both_ways(selfmade *m, const char *method, const char *words)
{
    lbr_options o = options_of(words);
    lbr_system plain = m->p.system;
    lbr_plan *fused = NULL, *callback = NULL;
    seen want = begin(m);
    double y[DIM];
    int good;

    plain.inside = NULL, m->blind = m->asked = 0;
    if (lbr_plan_create(&callback, method, &plain, &o) == LBR_EUNFIT) return lbr_plan_free(callback), 1;
    good = !lbr_plan_create(&fused, method, &m->p.system, &o) && start(callback, m) &&
           !lbr_run(callback, STEPS, 1, measure, &want) && !lbr_read(callback, NULL, y) && want.worst[0] > 0 &&
           watches(m, callback, &want, y) && watches(m, fused, &want, y);
    if (!good)
        printf("# not %s on %s %s: %s; %s\n", method, m->prefix, words, lbr_plan_message(callback),
               fused ? lbr_plan_message(fused) : "");
    watched_inside += m->asked > 0 && !m->blind;
    lbr_plan_free(fused), lbr_plan_free(callback);
    return good;
}

/* In make test half of the systems of each method, other ones where sums are compensated. */
static void all_ways(void)
{
    static const char *const method[] = {
        "stormer-verlet",
        "stormer-verlet-b",
        "symplectic-euler",
        "symplectic-euler-b",
        "yoshida-6-7",
        "adjoint(triple-jump:4)",
        "rk4",
        "pair(rk4,kutta-38)",
        "nystrom-4",
        "gauss-nystrom:2",
        "midpoint",
        "gauss:2",
        "gauss:6",
        "trapezoidal",
        "compose(strang,midpoint)",
        "compose(yoshida-6-7,rk4)",
        "process(effective-6-9,effective-6-9-processor)",
    };

    for (int i = 0; i < COUNT(method); i++) {
        int good = 1;

        for (int k = 0; k < SELFMADE; k++)
            if (in_share(i + k, 4, 8)) good &= both_ways(&systems[k], method[i], "");
        for (int k = 0; k < SELFMADE; k++)
            if ((i < 6 || k == ORBIT || k == TOP) && in_share(i + k + 2, 4, 8))
                good &= both_ways(&systems[k], method[i], "compensated");
        ok(good, "%s: the largest errors are those of an observer, to the last bit", method[i]);
    }
    ok(watched_inside > share(80, 15, 6), "%d times the kernel itself watched", watched_inside);
}

/* What is watched is to the last bit what is read, also where the low parts of coefficients say what that is: in kicks
 * and drifts that are large beside p and q, one step at a time. */
static void last_bits(void)
{
    static const char *const method[] = { "yoshida-6-7", "compose(suzuki:4,stormer-verlet)",
                                          "compose(yoshida-6-7,stormer-verlet)", "compose(suzuki:4,stormer-verlet-b)" };
    static const int which[] = { HENON, ORBIT, ORBIT, SPRINGS };
    static const double large[] = { 0.3, 2, 10, 0.3 };
    lbr_options o = options_of("compensated");

    for (int i = 0; i < COUNT(method) * COUNT(which); i++) {
        selfmade *m = &systems[which[i % COUNT(which)]];
        lbr_plan *plan;
        int bad = lbr_plan_create(&plan, method[i / COUNT(which)], &m->p.system, &o) ||
                  strcmp(lbr_plan_kernel(plan), "fused");

        for (int k = 0; k < 200 && !bad; k++) {
            seen w = { .system = &m->p.system }, want = w;
            double y[DIM], z[DIM];
            lbr_view view = { .y = z };

            for (int64_t l = 0; l < m->p.system.dim; l++)
                y[l] = (l < m->p.system.nq ? 1 : 0.01) * m->p.y[l] + 0.001 * k;
            values(w.system, 0, y, w.first), memcpy(want.first, w.first, sizeof want.first);
            bad = lbr_start(plan, 0, large[i % COUNT(which)] + 0.001 * k, y) ||
                  lbr_state_watch(lbr_plan_state(plan), w.first, w.worst) || lbr_run(plan, 1, 0, NULL, NULL) ||
                  lbr_read(plan, &view.t, z) || measure(&view, &want) || !agrees(&w, &want);
        }
        ok(!bad, "%s on %s: after each of 200 large steps what is watched is what is read", method[i / COUNT(which)],
           m->prefix);
        lbr_plan_free(plan);
    }
}

/* Newton's steps are watched too, also where it takes over in the middle of a chunk. */
static void newton(void)
{
    static const char *const words[] = { "newton", "newton compensated" };
    selfmade m;
    lbr_options o;
    lbr_plan *plan;
    seen want, w;
    int good;

    for (int i = 0; i < COUNT(words); i++) {
        for (int k = good = 0; k < SELFMADE; k++)
            good += both_ways(&systems[k], "gauss:2", words[i]) + both_ways(&systems[k], "gauss-nystrom:2", words[i]);
        ok(good == 2 * SELFMADE, "gauss:2 and gauss-nystrom:2 by %s are watched", words[i]);
    }
    for (int i = 0; i < 3; i++) { /* those after the first have t in their energy */
        lbr_options_init(&o), o.max_iterations = i ? 3 : 6;
        m = systems[i ? PUSHED : ORBIT], m.p.system.ctx = &m;
        if (!i) m.p.h = 0.1, memcpy(m.p.y, (const double[]){ 1.6, 0, 0, 0.5 }, 4 * sizeof(double));
        want = w = begin(&m);
        good = !lbr_plan_create(&plan, i < 2 ? "gauss:2" : "gauss-nystrom:2", &m.p.system, &o) && start(plan, &m) &&
               !lbr_run(plan, STEPS, 1, measure, &want) && lbr_plan_stats(plan)->jacobian > 0 && start(plan, &m) &&
               !lbr_state_watch(lbr_plan_state(plan), w.first, w.worst) && !lbr_run(plan, STEPS, 0, NULL, NULL) &&
               agrees(&w, &want);
        ok(good && !strcmp(lbr_plan_kernel(plan), "fused"), "so are steps after Newton's method has taken over %s",
           lbr_plan_message(plan));
        lbr_plan_free(plan);
    }
}

/* For and against: one step that is not seen, or a value that is off in its last bit, is noticed. */
static void bites(void)
{
    selfmade *m = &systems[ORBIT];
    seen want = begin(m), w = begin(m), off = begin(m);
    lbr_plan *plan;
    lbr_state *s;

    lbr_plan_create(&plan, "stormer-verlet", &m->p.system, NULL), s = lbr_plan_state(plan);
    ok(start(plan, m) && !lbr_run(plan, STEPS, 1, measure, &want), "a reference");
    off.first[0] = nextafter(off.first[0], 1);
    ok(start(plan, m) && !lbr_state_watch(s, off.first, off.worst) && !lbr_run(plan, STEPS, 0, NULL, NULL) &&
           !agrees(&off, &want),
       "another first value is noticed");
    m->mood = WRONG, lbr_plan_free(plan), lbr_plan_create(&plan, "stormer-verlet", &m->p.system, NULL),
    m->mood = WILLING, s = lbr_plan_state(plan);
    ok(start(plan, m) && !lbr_state_watch(s, w.first, w.worst) && !lbr_run(plan, STEPS, 0, NULL, NULL) &&
           !agrees(&w, &want),
       "a kernel that is slightly wrong is noticed");
    lbr_plan_free(plan);
}

/* --- on and off -------------------------------------------------------------------------------------------------- */

static void switching(int fused)
{
    selfmade *m = &systems[ORBIT];
    lbr_system plain = m->p.system;
    seen w = begin(m), before;
    lbr_plan *plan;
    lbr_state *s;
    double y[DIM];
    const char *how = fused ? "fused" : "callback";

    if (!fused) plain.inside = NULL;
    lbr_plan_create(&plan, "stormer-verlet", &plain, NULL), s = lbr_plan_state(plan);
    ok(!strcmp(lbr_plan_kernel(plan), how), "%s steps", how);
    ok(!lbr_state_watch(s, w.first, w.worst) && start(plan, m) && w.worst[0] == 0,
       "%s: watching can be asked for before the start, and a start changes nothing", how);
    ok(!lbr_run(plan, 100, 0, NULL, NULL) && w.worst[0] > 0 && w.worst[2] > 0, "%s: then errors are found", how);
    before = w;
    ok(!lbr_state_map(s, 0, 0.5, memcpy(y, m->p.y, sizeof m->p.y)) && !lbr_state_read(s, NULL, y) &&
           !memcmp(&w, &before, sizeof w),
       "%s: trial steps and reading are not watched", how);
    ok(!lbr_state_watch(s, NULL, NULL) && !lbr_run(plan, 2000, 0, NULL, NULL) && !memcmp(&w, &before, sizeof w),
       "%s: NULL, NULL ends it", how);
    w.worst[0] = 1e9;
    ok(!lbr_state_watch(s, w.first, w.worst) && !lbr_run(plan, 100, 0, NULL, NULL) && w.worst[0] == 1e9,
       "%s: what is larger stays", how);
    ok(lbr_state_watch(s, w.first, NULL) == LBR_EARG && says(lbr_state_message(s), "start|errors") &&
           lbr_state_watch(s, NULL, w.worst) == LBR_EARG,
       "%s: one without the other is refused", how);
    lbr_plan_free(plan);
}

static void nothing(void)
{
    lbr_system bare = systems[HENON].p.system;
    lbr_plan *plan;
    double x = 7;

    bare.energy = NULL;
    lbr_plan_create(&plan, "stormer-verlet", &bare, NULL);
    ok(!(systems[HENON].uses & LBR_USES_WATCH) && !lbr_start(plan, 0, 0.1, systems[HENON].p.y) &&
           !lbr_state_watch(lbr_plan_state(plan), &x, &x) && !lbr_run(plan, 600, 0, NULL, NULL) && x == 7,
       "where there is neither H nor an invariant nothing is watched");
    ok(lbr_state_watch(NULL, &x, &x) == LBR_EARG, "no state, no watching");
    lbr_plan_free(plan);
}

/* --- failures ---------------------------------------------------------------------------------------------------- */

/* A particle that goes out; what is watched ceases to be a number, or to be called, beyond some place. */
BOTH(
    leaving_text,
    static int leaving_force(double t, const double *q, double *f, void *ctx) {
        (void)t;
        f[0] = 0;
        return FACTOR == 5 && q[0] > 0.75;
    } static int leaving_energy(double t, const double *y, double *H, void *ctx) {
        (void)t;
        *H = y[1] * y[1] / 2 + (FACTOR == 1 && y[0] > 0.75 ? NAN : 0);
        return FACTOR == 2 && y[0] > 0.75;
    } static int leaving_pair(double t, const double *y, double *v, void *ctx) {
        (void)t;
        v[0] = y[1], v[1] = FACTOR == 3 && y[0] > 0.75   ? -INFINITY
                            : FACTOR == 4 && y[0] > 0.75 ? 1e308
                            : FACTOR == 4                ? -1e308
                            : FACTOR == 5                ? y[0]
                                                         : 0;
        return 0;
    })
static const lbr_invariant leaving_kept[] = {
    { .size = sizeof(lbr_invariant), .name = "pair", .len = 2, .value = leaving_pair }
};
static const lbr_invariants leaving_invariants = { sizeof(lbr_invariants), 1, leaving_kept };

static void leave(selfmade *m, double factor, int fused)
{
    set_up(m, "leaving", leaving_text,
           (problem){ LBR_SYSTEM(.dim = 2, .nq = 1, .force = leaving_force, .inverse_mass = problem_ones,
                                 .energy = leaving_energy, .invariants = &leaving_invariants),
                      .h = 0x1p-10, .y = { 0.25, 1 } });
    m->factor = factor;
    if (!fused) m->p.system.inside = NULL;
}

static void failure(double factor, const char *method, int fused, const char *part, int64_t watched)
{
    static selfmade m;
    lbr_plan *plan;
    lbr_state *s;
    const lbr_failure *f;
    double y[2], t, first[3], before, worst[2] = { 0, 0 };
    char step[64];

    leave(&m, factor, fused);
    values(&m.p.system, 0, m.p.y, first), first[1] += 0.125;
    lbr_plan_create(&plan, method, &m.p.system, NULL), s = lbr_plan_state(plan);
    start(plan, &m), lbr_state_watch(s, first, worst);
    lbr_state_run(s, 100, 0, NULL, NULL), before = worst[1];
    snprintf(step, sizeof step, "step 513 (t = %.17g): ", 513 * 0x1p-10);
    ok(lbr_state_run(s, 1000, 0, NULL, NULL) == LBR_ENONFINITE && says(lbr_state_message(s), step) &&
           says(lbr_state_message(s), part) && !strcmp(lbr_plan_kernel(plan), fused ? "fused" : "callback"),
       "%s, %s: %s", method, fused ? "fused" : "callback", lbr_state_message(s));
    f = lbr_state_failure(s);
    ok(f && f->step == 513 && f->t == 513 * 0x1p-10 && f->component == -1 && f->watched == watched,
       "and the failure is told to programs");
    ok(lbr_state_count(s) == 512 && !lbr_state_read(s, &t, y) && t == 0.5 && y[0] == 0.75,
       "the state is the last good one, and so are the errors");
    ok(before == 0.125 && worst[1] == before && isfinite(worst[0]), "and so are the errors");
    ok(!lbr_state_watch(s, NULL, NULL) && !lbr_state_run(s, 100, 0, NULL, NULL) && !lbr_state_failure(s),
       "it goes on if nothing is watched");
    lbr_plan_free(plan);
}

static void failures(void)
{
    static const char *const method[] = { "stormer-verlet", "stormer-verlet-b", "rk4", "midpoint",
                                          "compose(strang,rk4)" };

    for (int i = 0; i < COUNT(method); i++)
        for (int fused = 0; fused < 2; fused++) {
            failure(1, method[i], fused, "H became nan", 0);
            failure(2, method[i], fused, "H became nan", 0);
            failure(3, method[i], fused, "pair[2] became -inf", 2);
            failure(4, method[i], fused, "the error of pair became inf", 1);
        }
}

/* A chunk that fails for another reason is taken back; what it had found before counts once it is repeated, and only
 * then. */
static void repetition(const char *method, int fused)
{
    static selfmade m;
    seen want, w;
    lbr_plan *plan;
    lbr_state *s;
    int64_t n;

    leave(&m, 5, fused);
    lbr_plan_create(&plan, method, &m.p.system, NULL), s = lbr_plan_state(plan);
    want = w = begin(&m);
    start(plan, &m);
    while (!lbr_state_run(s, 1, 1, measure, &want) && lbr_state_count(s) < 5000)
        ;
    n = lbr_state_count(s);
    ok(n > 500 && n < 520, "%s, %s: the force fails in a chunk", method, fused ? "fused" : "callback");
    ok(start(plan, &m) && !lbr_state_watch(s, w.first, w.worst), "it is begun once more, and watched");
    ok(lbr_state_run(s, 5000, 0, NULL, NULL) == LBR_ECALLBACK && lbr_state_count(s) == n, "it ends at the same step");
    ok(agrees(&w, &want), "the largest errors are those up to there");
    ok(w.worst[1] == (double)n * 0x1p-10, "of the clock, too, each step counted once");
    lbr_plan_free(plan);
}

/* Every allocation refused in turn, while a fused plan is made and while watching is asked for. A first plan has the
 * kernel compiled, since starting the compiler needs memory of its own that no plan answers for. */
static void memory(const char *method)
{
    selfmade *m = &systems[ORBIT];
    lbr_plan *first = NULL;
    long n = 1, live;
    int good = !lbr_plan_create(&first, method, &m->p.system, NULL), done = 0;

    lbr_plan_free(first), live = heap.live;
    for (; !done && n < 1000; n++) {
        lbr_plan *plan = NULL;
        lbr_status status;
        seen w = begin(m);

        heap.calls = heap.refused = 0, heap.refuse = n;
        status = lbr_plan_create(&plan, method, &m->p.system, NULL);
        if (!status) status = lbr_state_watch(lbr_plan_state(plan), w.first, w.worst);
        heap.refuse = 0, done = !heap.refused;
        good &= heap.refused ? status == LBR_ENOMEM && (!plan || says(lbr_plan_message(plan), "memory"))
                             : !status && !strcmp(lbr_plan_kernel(plan), "fused");
        if (plan && lbr_plan_state(plan))
            good &= start(plan, m) && !lbr_run(plan, 300, 0, NULL, NULL) && (w.worst[0] > 0) == !status;
        lbr_plan_free(plan);
    }
    ok(good && done && n > 4 && heap.live == live,
       "%s: each of %ld allocations may be refused: that is said, and nothing is lost", method, n - 2);
}

int main(void)
{
    make_systems();
    switching(0), switching(1);
    nothing();
    last_bits();
    bites();
    newton();
    failures();
    for (int fused = 0; fused < 2; fused++)
        repetition("stormer-verlet", fused), repetition("stormer-verlet-b", fused), repetition("rk4", fused),
            repetition("midpoint", fused);
    all_ways();
    if (heap_wrapped()) memory("stormer-verlet"), memory("rk4"), memory("gauss:2"), memory("compose(strang,midpoint)");
    return tap_done();
}
