/* test_fuse.c - steps compiled around a system's own functions: the same bits as through callbacks.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Systems that compile themselves (fused.h) answer what steppers ask; every method of the catalogue, and some of each
 * kind that can be made of them, must end where the callbacks of the same system end. In make test each method has one
 * of its systems, and a system of each structure half of the methods, half of these with compensated sums; make
 * test-long tries all. */
#include "support/fused.h"
#include "support/share.h"

enum { STEPS = 1000, DIM = 2 * LINKS };

static const char *const made[] = { "compose(kahan-li-8-17,midpoint)",
                                    "pair(rk4,kutta-38)",
                                    "pair(runge-midpoint,lobatto-3b:2)",
                                    "compose(yoshida-6-7,rk4)",
                                    "compose(triple-jump:4,gauss:2)",
                                    "adjoint(rk4)",
                                    "adjoint(kahan-li-6-9)",
                                    "process(rk4,lie-trotter)",
                                    "process(compose(effective-6-9,midpoint),effective-6-9-processor)" };
static const char *const few[] = { "explicit-euler",     "rk4",
                                   "trapezoidal",        "gauss:3",
                                   "bogacki-shampine",   "wide-explicit",
                                   "pair(rk4,kutta-38)", "pair(runge-midpoint,lobatto-3b:2)" };

/* Tables with zeros within and beside the diagonal; and one with more stages than loops are written out for. */
#define LIST(...)                                                                                            \
    {                                                                                                        \
        sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *), (const char *const[]) { __VA_ARGS__ } \
    }
static const lbr_method tables[] = {
    { .size = sizeof(lbr_method),
      .name = "bogacki-shampine",
      .form = "runge-kutta",
      .is_explicit = 1,
      .order = 3,
      .A = LIST("0", "0", "0", "0", "1/2", "0", "0", "0", "0", "3/4", "0", "0", "2/9", "1/3", "4/9", "0"),
      .b = LIST("2/9", "1/3", "4/9", "0") },
    { .size = sizeof(lbr_method),
      .name = "wide-explicit",
      .form = "runge-kutta",
      .is_explicit = 1,
      .order = 1,
      .A = LIST("0", "0", "0", "0", "0", "0", "0", "0", "0", "1/9", "0", "0", "0", "0", "0", "0", "0", "0", "1/9",
                "1/9", "0", "0", "0", "0", "0", "0", "0", "0", "0", "1/3", "0", "0", "0", "0", "0", "0", "1/9", "0",
                "0", "1/3", "0", "0", "0", "0", "0", "0", "0", "0", "0", "5/9", "0", "0", "0", "0", "1/3", "0", "0",
                "1/3", "0", "0", "0", "0", "0", "0", "0", "7/9", "0", "0", "0", "0", "0", "0", "1/9", "1/9", "1/9",
                "1/9", "1/9", "1/9", "1/9", "1/9", "0"),
      .b = LIST("1/9", "1/9", "1/9", "1/9", "1/9", "1/9", "1/9", "1/9", "1/9") },
};

static lbr_options options(const char *words)
{
    lbr_options o = options_of(words);

    o.methods = tables, o.nmethods = COUNT(tables);
    if (strstr(words, "brief")) o.max_iterations = 6;
    return o;
}

static int looker(const lbr_view *view, void *ctx) { return (*(int64_t *)ctx)++, view->y[0] != view->y[0]; }

static int is_at(lbr_state *s, int64_t dim, const double *want)
{
    double y[DIM];

    return !lbr_state_read(s, NULL, y) && same(y, want, dim);
}

/* One method on one system, both ways; where callbacks lead. */
typedef struct pair {
    lbr_plan *fused, *callback;
    double h, want[DIM];
} pair;

/* In one call; looked at every 1, 7, 1000 steps; and restarted from bytes in the middle, under the other plan too. */
static int everything(const selfmade *m, const pair *p)
{
    static const int64_t every[] = { 0, 1, 7, 1000 };
    lbr_state *s = lbr_plan_state(p->fused), *fresh = NULL, *foreign = NULL;
    int64_t dim = m->p.system.dim, seen = 0;
    const void *bytes;
    size_t size;
    int good = 1;

    for (int i = 0; i < COUNT(every); i++)
        good &= !lbr_state_start(s, m->p.t0, p->h, start_of(m)) &&
                !lbr_state_run(s, STEPS, every[i], every[i] ? looker : NULL, &seen) && is_at(s, dim, p->want);
    good = good && !lbr_state_start(s, m->p.t0, p->h, start_of(m)) && !lbr_state_run(s, 333, 0, NULL, NULL) &&
           (bytes = lbr_state_bytes(s, &size)) && !lbr_state_create(&fresh, p->fused) &&
           !lbr_state_restore(fresh, bytes, size) && !lbr_state_run(fresh, STEPS - 333, 0, NULL, NULL) &&
           is_at(fresh, dim, p->want) && !lbr_state_create(&foreign, p->callback) &&
           !lbr_state_restore(foreign, bytes, size) && !lbr_state_run(foreign, STEPS - 333, 0, NULL, NULL) &&
           is_at(foreign, dim, p->want);
    lbr_state_free(fresh), lbr_state_free(foreign);
    return good;
}

static lbr_status lead(const selfmade *m, pair *p)
{
    lbr_status status = lbr_start(p->callback, m->p.t0, p->h, start_of(m));

    if (!status) status = lbr_run(p->callback, STEPS, 0, NULL, NULL);
    return status ? status : lbr_read(p->callback, NULL, p->want);
}

/* Both plans, and where callbacks lead. 0: the method does not fit. */
static int prepare(selfmade *m, const char *method, const char *words, pair *p)
{
    lbr_options o = options(words);
    lbr_system plain = m->p.system;
    lbr_status status;

    plain.inside = NULL;
    *p = (pair){ 0 };
    status = lbr_plan_create(&p->callback, method, &plain, &o);
    if (status == LBR_EUNFIT) return 0;
    m->asked = 0;
    p->h = m->p.h;
    if (!status) status = lead(m, p);
    if (status == LBR_ENONFINITE) p->h /= 16, status = lead(m, p); /* what is explicit and simple needs small steps */
    if (status || lbr_plan_create(&p->fused, method, &m->p.system, &o)) {
        ok(0, "%s on %s %s can be run: %s %s", method, m->prefix, words, lbr_plan_message(p->callback),
           p->fused ? lbr_plan_message(p->fused) : "");
        return 0;
    }
    return 1;
}

static void finish(pair *p) { lbr_plan_free(p->fused), lbr_plan_free(p->callback); }

static int same_counts(const lbr_plan *a, const lbr_plan *b)
{
    return !memcmp(lbr_plan_stats(a), lbr_plan_stats(b), sizeof *lbr_plan_stats(a));
}

static int compared;

static int same_bits(selfmade *m, const char *method, const char *words)
{
    pair p;
    int good = 1;

    if (prepare(m, method, words, &p)) {
        good = m->asked > 0 && !strcmp(lbr_plan_kernel(p.fused), "fused") &&
               strstr(lbr_plan_steps(p.fused), "fused, ") && !strcmp(lbr_plan_kernel(p.callback), "callback") &&
               everything(m, &p);
        good = good && !lbr_start(p.fused, m->p.t0, p.h, start_of(m)) && !lbr_run(p.fused, STEPS, 0, NULL, NULL) &&
               same_counts(p.fused, p.callback);
        if (!good)
            printf("# not %s on %s %s: asked %d times, %s\n", method, m->prefix, words, m->asked,
                   lbr_plan_steps(p.fused));
        compared++;
    }
    finish(&p);
    return good;
}

/* Made of flows of parts: the systems here have none, and there is nothing to fuse. */
static int of_parts(const char *method)
{
    const lbr_method_info *info;
    int yes = !lbr_method_describe(&info, method) && strstr(info->needs, "parts");

    lbr_method_free(info);
    return yes;
}

/* The ways in which a method of the catalogue is tried; in make test the first that fits, beginning with another one
 * for each method. */
static int ways(const char *method, int number)
{
    static const struct {
        int system;
        const char *words;
    } way[] = { { HENON, "" }, { HENON, "compensated" }, { TOP, "" } };
    int good = 1, before = compared;

    for (int k = 0; k < COUNT(way) && (compared == before || share(1, 0, 0)); k++) {
        int w = (number + k) % COUNT(way);

        good &= same_bits(&systems[way[w].system], method, way[w].words);
    }
    return good;
}

static void catalogue(void)
{
    static methods all;

    methods_of_catalogue(&all);
    for (int i = 0; i < COUNT(made); i++) method_add(&all, "%s", made[i]);
    for (int i = 0; i < all.n; i++) {
        int before = compared, good;

        if (of_parts(all.text[i])) continue;
        good = ways(all.text[i], i);
        ok(good && compared > before,
           "%s: fused and callbacks give the same bits on a separable system and on a field (%d ways)", all.text[i],
           compared - before);
    }
}

static void structures(void)
{
    static const char *const steps[] = { "stormer-verlet",   "stormer-verlet-b",
                                         "symplectic-euler", "symplectic-euler-b",
                                         "kahan-li-6-9",     "process(effective-6-9,effective-6-9-processor)" };

    for (int i = 0; i < SELFMADE; i++) {
        selfmade *m = &systems[i];
        int good = 1, before = compared;

        for (int k = 0; k < COUNT(steps) + COUNT(few); k++) {
            const char *method = k < COUNT(steps) ? steps[k] : few[k - COUNT(steps)];

            if (in_share(i + k, 8, 8)) good &= same_bits(m, method, "");
            if (in_share(i + k + 4, 8, 8)) good &= same_bits(m, method, "compensated");
        }
        ok(good && compared > before + share(4, 1, 1),
           "%s, %lld components: the same bits whatever the masses, velocities, times and tables (%d ways)", m->prefix,
           (long long)m->p.system.dim, compared - before);
    }
}

/* Newton's method is none of the templates; where it takes over, the fused run must follow. From far out the orbit
 * comes to where the iteration needs more than is allowed. */
static void newton(void)
{
    selfmade m = systems[ORBIT];
    pair p;

    m.p.system.ctx = &m, m.p.h = 0.1;
    memcpy(m.p.y, (const double[]){ 1.6, 0, 0, 0.5 }, 4 * sizeof(double));
    if (prepare(&m, "gauss:2", "newton", &p))
        ok(m.asked == 0 && !strcmp(lbr_plan_kernel(p.fused), "callback"),
           "nothing is asked for where Newton's method does all");
    finish(&p);
    if (prepare(&m, "gauss:2", "brief", &p)) {
        int64_t met = lbr_plan_stats(p.callback)->iterations;

        ok(lbr_plan_stats(p.callback)->jacobian > 0,
           "the iteration fails where the orbit is fast, and Newton's method takes over");
        ok(everything(&m, &p), "and the bits are the same");
        ok(!lbr_start(p.fused, 0, p.h, m.p.y) && !lbr_run(p.fused, STEPS, 0, NULL, NULL) &&
               lbr_plan_stats(p.fused)->iterations == met,
           "and so are the counts");
        ok(!lbr_start(p.fused, 0, p.h, m.p.y) && !lbr_run(p.fused, 20, 0, NULL, NULL) &&
               lbr_plan_stats(p.fused)->jacobian == 0 && lbr_plan_stats(p.fused)->iterations > 0,
           "which does not happen at once");
    }
    finish(&p);
}

/* --- what is asked, and what may be answered --------------------------------------------------------------------- */

static void requests(void)
{
    static const struct {
        int system;
        const char *method, *file;
        unsigned uses;
        int64_t n;
    } row[] = {
        { HENON, "stormer-verlet", "driftkick.inc", LBR_USES_FORCE | LBR_USES_WATCH, 2 },
        { RELATIVE, "stormer-verlet", "driftkick.inc", LBR_USES_FORCE | LBR_USES_VELOCITY | LBR_USES_WATCH, 3 },
        { HENON, "rk4", "erk.inc", LBR_USES_FORCE | LBR_USES_WATCH, 4 },
        { RELATIVE, "gauss:2", "irk.inc", LBR_USES_FORCE | LBR_USES_VELOCITY | LBR_USES_WATCH, 6 },
        { HENON, "nystrom-5", "enystrom.inc", LBR_USES_FORCE | LBR_USES_WATCH, 2 },
        { HENON, "gauss-nystrom:2", "inystrom.inc", LBR_USES_FORCE | LBR_USES_WATCH, 2 },
        { TOP, "midpoint", "irk.inc", LBR_USES_FIELD | LBR_USES_WATCH, 3 },
        { TOP, "compose(strang,midpoint)", "irk.inc", LBR_USES_FIELD, 3 },
        { HENON, "process(effective-6-9,effective-6-9-processor)", "driftkick.inc", LBR_USES_FORCE, 2 },
        { ROPE, "stormer-verlet", "driftkick.inc", LBR_USES_FORCE | LBR_USES_WATCH, 0 },
    };

    for (int i = 0; i < COUNT(row); i++) {
        selfmade *m = &systems[row[i].system];
        lbr_plan *plan;

        m->asked = 0;
        lbr_plan_create(&plan, row[i].method, &m->p.system, NULL);
        ok(m->asked == 1 && m->uses == row[i].uses && m->n == row[i].n && !strcmp(m->name, row[i].file),
           "%s on %s asks once, for %s with the functions that it needs", row[i].method, m->prefix, row[i].file);
        lbr_plan_free(plan);
    }
}

static void answers(void)
{
    static const char *const method[] = { "stormer-verlet", "rk4", "gauss:2" };

    for (int i = 0; i < COUNT(method); i++) {
        selfmade *m = &systems[HENON];
        pair p;

        m->mood = REFUSING;
        if (prepare(m, method[i], "", &p))
            ok(m->asked == 1 && !strcmp(lbr_plan_kernel(p.fused), "callback") && everything(m, &p),
               "%s: a system that says no is run through its callbacks", method[i]);
        finish(&p);
        m->mood = BLIND, m->blind = 0;
        if (prepare(m, method[i], "", &p))
            ok(m->asked == 2 && m->blind == 1 && !strcmp(lbr_plan_kernel(p.fused), "fused") && everything(m, &p),
               "%s: one that cannot watch is asked again", method[i]);
        finish(&p);
        m->mood = WRONG;
        if (prepare(m, method[i], "", &p))
            ok(!everything(m, &p), "%s: a kernel whose force is wrong by 1e-15 is noticed", method[i]);
        finish(&p);
        m->mood = WILLING;
    }
}

/* A function that fails, and values that are not finite: the same failure at the same step. */
BOTH(
    fragile_text, static int fragile_force(double t, const double *q, double *f, void *ctx) {
        (void)t;
        f[0] = q[0] > 0.9 && FACTOR > 2 ? INFINITY : q[0] * FACTOR;
        return q[0] > 0.9 && FACTOR < 2;
    })

static void failures(void)
{
    static const char *const method[] = { "stormer-verlet", "stormer-verlet-b", "rk4", "gauss:2" };
    static selfmade m;

    for (int i = 0; i < 2 * COUNT(method); i++) {
        lbr_plan *a = NULL, *b = NULL;
        lbr_system plain;
        double y[2], z[2];
        int good;

        set_up(&m, "fragile", fragile_text,
               (problem){ LBR_SYSTEM(.dim = 2, .nq = 1, .force = fragile_force, .inverse_mass = problem_ones),
                          .h = 0.004, .y = { 0.01, 0.01 } });
        m.factor = i < COUNT(method) ? 1.5 : 2.5;
        plain = m.p.system, plain.inside = NULL;
        good = !lbr_plan_create(&a, method[i % COUNT(method)], &m.p.system, NULL) &&
               !lbr_plan_create(&b, method[i % COUNT(method)], &plain, NULL) && !lbr_start(a, 0, m.p.h, m.p.y) &&
               !lbr_start(b, 0, m.p.h, m.p.y) && lbr_run(a, 5000, 0, NULL, NULL) < 0 &&
               lbr_run(b, 5000, 0, NULL, NULL) < 0 && !strcmp(lbr_plan_message(a), lbr_plan_message(b)) &&
               lbr_state_count(lbr_plan_state(a)) == lbr_state_count(lbr_plan_state(b)) &&
               lbr_state_count(lbr_plan_state(a)) > 300 && !lbr_read(a, NULL, y) && !lbr_read(b, NULL, z) &&
               same(y, z, 2) && !strcmp(lbr_plan_kernel(a), "fused");
        ok(good, "%s: a force that %s ends the fused run where it ends the other, in the same words",
           method[i % COUNT(method)], i < COUNT(method) ? "fails" : "becomes infinite");
        if (!good) printf("# %s\n# %s\n", lbr_plan_message(a), lbr_plan_message(b));
        lbr_plan_free(a), lbr_plan_free(b);
    }
}

static void templates(void)
{
    static const char *const file[] = { "iteration.h", "args.h",  "scalar.inc", "field.inc",   "driftkick.inc",
                                        "erk.inc",     "irk.inc", "irk2.inc",   "inystrom.inc" };

    for (int i = 0; i < COUNT(file); i++)
        ok(lbr_template(file[i]) && strlen(lbr_template(file[i])) > 200 && !strstr(lbr_template(file[i]), "#include"),
           "%s is there as text, and includes nothing", file[i]);
    for (int i = COUNT(file) - 3; i < COUNT(file); i++)
        ok(strstr(lbr_template(file[i]), "SUB(solve)(FRAME_ARGS"), "%s has the frame that it includes", file[i]);
    ok(!strstr(lbr_template("erk.inc"), "FRAME_ARGS"), "and erk.inc has none");
    ok(!lbr_template("nothing.inc"), "what is not there is not there");
}

int main(void)
{
    make_systems();
    templates();
    requests();
    answers();
    failures();
    newton();
    structures();
    catalogue();
    ok(compared > share(400, 50, 50), "%d runs were compared, with %d kernels", compared, nkernels);
    return tap_done();
}
