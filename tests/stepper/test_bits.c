/* test_bits.c - the same bits however one looks, calls, restarts or divides the work (DESIGN.md section 6).
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Every method of the catalogue and a list of expressions, on every problem that it fits, with every option that
 * may influence bits: a *variant*. Each property below is asked of each variant (by make test-long; by make test under
 * sanitizers of the first variant of a method and of every fifth, of each method others).
 *
 * usage: test_bits [--print]     --print: nothing but lines "bits METHOD PROBLEM HASH", to compare builds */
#include "support/bits.h"
#include "support/model_bits.h"
#include "support/share.h"
#include "support/widened.h"

#include <pthread.h>
#include <stdlib.h>

static const char *const expressions[] = {
    "compose(kahan-li-8-17,midpoint)",
    "compose(yoshida-6-7,rk4)",
    "compose(triple-jump:4,gauss:2)",
    "compose(strang,implicit-euler)",
    "compose(strang,symplectic-euler)",
    "compose(lie-trotter,symplectic-euler-b)",
    "compose(kahan-li-6-9,strang)",
    "adjoint(rk4)",
    "adjoint(trapezoidal)",
    "adjoint(symplectic-euler)",
    "adjoint(kahan-li-6-9)",
    "adjoint(lie-trotter)",
    "hager(rk4)",
    "adjoint(hager(rk4))",
    "pair(explicit-euler,implicit-euler)",
    "adjoint(pair(explicit-euler,implicit-euler))",
    "compose(triple-jump:4,lobatto-3a-3b:3)",
    "additive(rk4,kutta-38,A,B)",
    "additive(lobatto-3a:3,lobatto-3b:3,A,B)",
    "adjoint(additive(rk4,kutta-38,B,A))",
    "split(strang,A,B,C)",
    "split(lie-trotter,C,A,B)",
    "split(strang,B,A)",
    "split(strang)",
    "mine",
    "bare",
    "couple",
    "even",
    "adjoint(mine)",
    "adjoint(bare)",
    "adjoint(couple)",
    "adjoint(even)",
    "compose(strang,mine)",
    "compose(strang,bare)",
    "compose(strang,couple)",
    "compose(yoshida-6-7,even)",
    "process(rk4,lie-trotter)",
    "process(mine,strang)",
    "process(compose(effective-6-9,midpoint),effective-6-9-processor)",
    "generating-s1:1",
    "adjoint(generating-s1:1)",
    "generating-s3:2",
    "kahan",
    "compose(suzuki:4,kahan)",
    "moser-veselov",
    "compose(suzuki:4,moser-veselov)",
    "stormer-two-step",
    "compose(suzuki:4,stormer-two-step)",
    "process(compose(effective-6-9,strang),effective-6-9-processor)",
    "adjoint(process(effective-6-9,effective-6-9-processor))",
};

enum { HENON, OWN, BODY, RELATIVISTIC, MIXED, PENDULUM, SOLAR, BACKWARDS, PROBLEMS };
enum { WORDS = 6, SHORT = 20, BRIEF = 5, WORK = 600, LONG = 600 };
static problem problems[PROBLEMS];
static const char *const words[WORDS] = { "",       "compensated",        "fixed-point",
                                          "newton", "newton compensated", "newton differences" };

static void make_problems(void)
{
    problem all[PROBLEMS] = { henon_heiles(), own_system(), rigid_body(),   relativistic(),
                              mixed(),        pendulum(),   solar_system(), own_system() };

    all[BACKWARDS].system.name = "own-backwards", all[BACKWARDS].h = -0.07;
    memcpy(problems, all, sizeof all);
}

typedef struct variant {
    const problem *p;
    const char *method, *words;
    lbr_options options;
    double h;
    int64_t n;                /* step, and steps of a short run */
    int libm;                 /* calls functions of a mathematical library */
    double want[PROBLEM_DIM]; /* where one undisturbed call leads */
} variant;

/* --- running ----------------------------------------------------------------------------------------------------- */

static lbr_status begin(const variant *v, lbr_state *s) { return lbr_state_start(s, v->p->t0, v->h, v->p->y); }

static int is_at(const variant *v, lbr_state *s, int64_t n, const double *want)
{
    double y[PROBLEM_DIM], t;

    return !lbr_state_read(s, &t, y) && same(y, want, v->p->system.dim) && lbr_state_count(s) == n &&
           t == fma((double)n, v->h, v->p->t0);
}

/* The rest of the short run in one call, then the comparison. */
static int arrives(const variant *v, lbr_state *s)
{
    return !lbr_state_run(s, v->n - lbr_state_count(s), 0, NULL, NULL) && is_at(v, s, v->n, v->want);
}

/* Where n steps lead in a state of their own. */
static int after(const variant *v, const lbr_plan *plan, double h, const double *start, int64_t n, double *y)
{
    lbr_state *s;
    int good = !lbr_state_create(&s, plan) && !lbr_state_start(s, v->p->t0, h, start) &&
               !lbr_state_run(s, n, 0, NULL, NULL) && !lbr_state_read(s, NULL, y);

    lbr_state_free(s);
    return good;
}

static int looker(const lbr_view *view, void *ctx) { return (*(int64_t *)ctx)++, view->y[0] != view->y[0]; }

/* --- properties: 1 if the bits are those wanted ------------------------------------------------------------------ */

static int looks(const variant *v, lbr_plan *plan)
{
    static const int64_t every[] = { 1, 7, 1000 };
    lbr_state *s = lbr_plan_state(plan);
    int good = 1;

    for (int i = 0; i < 3; i++) {
        int64_t seen = 0, due = 1 + v->n / every[i] + (v->n % every[i] != 0);

        good &= !begin(v, s) && !lbr_state_run(s, v->n, every[i], looker, &seen) && seen == due &&
                is_at(v, s, v->n, v->want);
    }
    return good;
}

static int calls(const variant *v, lbr_plan *plan)
{
    lbr_state *s = lbr_plan_state(plan);
    unsigned random = 12345;
    int good = !begin(v, s);

    for (int64_t k = 1; lbr_state_count(s) + k <= v->n; k++) good &= !lbr_state_run(s, k, 0, NULL, NULL);
    good &= arrives(v, s);
    good &= !begin(v, s);
    while (lbr_state_count(s) < v->n && good) {
        int64_t k = (random = random * 1103515245u + 12345u) / 65536 % 5, left = v->n - lbr_state_count(s);
        good &= !lbr_state_run(s, k < left ? k : left, 0, NULL, NULL);
    }
    return good && is_at(v, s, v->n, v->want);
}

/* At every step: the bytes go into a fresh state of another plan. */
static int restarts(const variant *v, lbr_plan *plan)
{
    lbr_state *s = lbr_plan_state(plan), *fresh;
    lbr_plan *other;
    int good = !lbr_plan_create(&other, v->method, &v->p->system, &v->options) && !begin(v, s);

    for (int64_t k = 0; k <= v->n && good; k++) {
        size_t size;
        const void *bytes = lbr_state_bytes(s, &size);

        good = bytes && !lbr_state_create(&fresh, other) && !lbr_state_restore(fresh, bytes, size) &&
               lbr_state_count(fresh) == k && arrives(v, fresh);
        good &= k == v->n || !lbr_state_run(s, 1, 0, NULL, NULL);
        lbr_state_free(fresh);
    }
    lbr_plan_free(other);
    return good && is_at(v, s, v->n, v->want);
}

static int reads(const variant *v, lbr_plan *plan)
{
    lbr_state *s = lbr_plan_state(plan);
    double y[PROBLEM_DIM];
    size_t size;
    int good = !begin(v, s);

    for (int64_t k = 0; k < v->n; k++)
        good &= !lbr_state_read(s, NULL, y) && lbr_state_bytes(s, &size) && !lbr_state_read(s, NULL, y) &&
                !lbr_state_run(s, 0, 1, looker, &(int64_t){ 0 }) && !lbr_state_run(s, 1, 0, NULL, NULL);
    return good && is_at(v, s, v->n, v->want);
}

/* Steps of another size, and of another y, taken in between with the same scratch. */
static int maps(const variant *v, lbr_plan *plan)
{
    static const double factor[] = { 0.25, -1, 1, 0.75 };
    lbr_state *s = lbr_plan_state(plan);
    double y[PROBLEM_DIM];
    int good = !begin(v, s);

    for (int64_t k = 0; k < v->n; k++) {
        memcpy(y, v->p->y, sizeof y);
        good &= !lbr_state_map(s, v->p->t0 + 1, factor[k % 4] * v->h, y) && !lbr_state_run(s, 1, 0, NULL, NULL);
    }
    return good && is_at(v, s, v->n, v->want);
}

/* An observer that takes steps of its own and saves; what it looks at stays what it was. */
static int meddler(const lbr_view *view, void *ctx)
{
    double y[PROBLEM_DIM], before[PROBLEM_DIM], t;
    size_t size, bytes = (size_t)view->dim * sizeof *y;

    memcpy(before, view->y, bytes), memcpy(y, view->y, bytes);
    return lbr_state_map(ctx, view->t, view->h / 3, y) || !same(view->y, before, view->dim) ||
           lbr_state_read(ctx, &t, y) || t != view->t || !same(y, before, view->dim) || !lbr_state_bytes(ctx, &size);
}

static int meddling(const variant *v, lbr_plan *plan)
{
    lbr_state *s = lbr_plan_state(plan);

    return !begin(v, s) && !lbr_state_run(s, v->n, 2, meddler, s) && is_at(v, s, v->n, v->want);
}

static int isas(const variant *v, lbr_plan *plan)
{
    int good = lbr_plan_steps(plan)[0] != 0;

    for (int isa = 1; isa <= 3; isa++) {
        variant w = *v;
        lbr_plan *other;
        lbr_status status;

        w.options.isa = isa;
        status = lbr_plan_create(&other, w.method, &w.p->system, &w.options);
        good &= status == LBR_OK || (isa > 1 && status == LBR_EUNFIT);
        if (!status) good &= !begin(&w, lbr_plan_state(other)) && arrives(&w, lbr_plan_state(other));
        lbr_plan_free(other);
    }
    return good;
}

/* Another trajectory under the same plan, step by step between ours; and a state that has been used before. */
static int company(const variant *v, lbr_plan *plan)
{
    double half = v->h / 2, want[PROBLEM_DIM], y[PROBLEM_DIM];
    lbr_state *a = lbr_plan_state(plan), *b;
    int good = !lbr_state_create(&b, plan) && after(v, plan, half, v->p->y, v->n, want);

    good = good && !begin(v, a) && !lbr_state_start(b, v->p->t0, half, v->p->y);
    for (int64_t k = 0; k < v->n && good; k++)
        good = !lbr_state_run(a, 1, 0, NULL, NULL) && !lbr_state_run(b, 1, 0, NULL, NULL);
    good = good && is_at(v, a, v->n, v->want) && !lbr_state_read(b, NULL, y) && same(y, want, v->p->system.dim);
    good = good && !begin(v, b) && arrives(v, b);
    lbr_state_free(b);
    return good;
}

typedef struct job {
    const variant *v;
    lbr_state *s;
    int good;
} job;
static void *work(void *ctx)
{
    job *j = ctx;
    return j->good = !begin(j->v, j->s) && arrives(j->v, j->s), NULL;
}

static int threads(const variant *v, lbr_plan *plan)
{
    job j[2] = { { v, lbr_plan_state(plan), 0 }, { v, NULL, 0 } };
    pthread_t other;

    if (lbr_state_create(&j[1].s, plan) || pthread_create(&other, NULL, work, &j[1])) return lbr_state_free(j[1].s), 0;
    work(&j[0]);
    pthread_join(other, NULL);
    lbr_state_free(j[1].s);
    return j[0].good && j[1].good;
}

/* Equality can fail: a step or a start that differs in the 14th digit. */
static int differs(const variant *v, lbr_plan *plan)
{
    double y[PROBLEM_DIM], start[PROBLEM_DIM], other = 1 + 0x1p-46;
    int good;

    memcpy(start, v->p->y, sizeof start);
    good = after(v, plan, other * v->h, start, v->n, y) && !same(y, v->want, v->p->system.dim);
    start[v->p->system.dim - 1] *= other;
    return good && after(v, plan, v->h, start, v->n, y) && !same(y, v->want, v->p->system.dim);
}

/* Over the edges of the chunks in which steps are taken. */
static int long_run(const variant *v, lbr_plan *plan)
{
    static const int64_t stop[] = { 1, 255, 257, 570 };
    lbr_state *s = lbr_plan_state(plan), *other;
    variant w = *v;
    int64_t seen = 0;
    int good = !lbr_state_create(&other, plan) && after(v, plan, w.h = v->h / 8, v->p->y, w.n = LONG, w.want);

    good = good && !begin(&w, s) && !lbr_state_run(s, LONG, 7, looker, &seen) && is_at(&w, s, LONG, w.want) &&
           !begin(&w, s);
    for (int i = 0; i < COUNT(stop) && good; i++) {
        size_t size;
        const void *bytes;

        good = !lbr_state_run(s, stop[i] - lbr_state_count(s), 0, NULL, NULL) && (bytes = lbr_state_bytes(s, &size)) &&
               !lbr_state_restore(other, bytes, size) && arrives(&w, other);
    }
    lbr_state_free(other);
    return good && arrives(&w, s);
}

/* --- fixed against run-time n ------------------------------------------------------------------------------------ */

static int uses(const lbr_plan *plan, const char *what) { return strstr(lbr_plan_steps(plan), what) != NULL; }

static int compared; /* how often there was an instance to compare with */

static int widths(const variant *v, lbr_plan *plan)
{
    lbr_system wide = widened(v->p);
    double y[2 * WIDE], x[PROBLEM_DIM];
    lbr_plan *other;
    int good = 1;

    if (v->p->system.dim > WIDE + 1 || !uses(plan, "compiled in"))
        return 1; /* run-time n already, or no template at all */
    put(&v->p->system, v->p->y, y);
    if (!lbr_plan_create(&other, v->method, &wide, &v->options)) {
        good = uses(other, "at run time") && !lbr_start(other, v->p->t0, v->h, y) &&
               !lbr_run(other, v->n, 0, NULL, NULL) && !lbr_read(other, NULL, y);
        pick(&v->p->system, y, x);
        good = good && same(x, v->want, v->p->system.dim);
        compared++;
    }
    lbr_plan_free(other);
    return good;
}

/* --- all of it --------------------------------------------------------------------------------------------------- */

static const struct {
    const char *text;
    int (*holds)(const variant *, lbr_plan *);
    int which;
} properties[] = {
    { "looks every 1, 7 and 1000 steps", looks, 2 }, /* which: 2 all variants, 1 the first problem's, 0 one will do */
    { "one call or many", calls, 2 },
    { "a restart at every step, under another plan", restarts, 2 },
    { "reading and saving between all steps", reads, 2 },
    { "single steps of other sizes in between", maps, 2 },
    { "an observer that takes steps of its own", meddling, 2 },
    { "every instruction set", isas, 2 },
    { "fixed and run-time n", widths, 2 },
    { "two states under one plan, and a used one", company, 2 },
    { "two threads under one plan", threads, 1 },
    { "looks, calls and restarts in a long run", long_run, 1 },
    { "other bits for another step or start", differs, 0 },
};

/* So many steps that the work stays small; the counts are those of one step. */
static int64_t length(const lbr_stats *stats, int64_t newton_rows)
{
    int64_t n = WORK / (stats->force + stats->gradient + stats->field + 1);

    return n < BRIEF || newton_rows > 10 ? BRIEF : n < SHORT ? n : SHORT;
}

/* Options are tried where they can matter, and solvers not on every problem. */
static int worth(const char *method, int i, int k, int implicit)
{
    if (k > 1 && (!implicit || i == RELATIVISTIC || i == PENDULUM || i == BACKWARDS)) return 0;
    if ((k == 2 && i != MIXED && i != SOLAR) || (k == 4 && i != MIXED && i != HENON)) return 0;
    if (i == SOLAR && strstr(words[k], "newton")) return !strcmp(method, "gauss:2");
    return problems[i].system.field_jvp || !strstr(words[k], "differences");
}

/* Fills one variant. LBR_EUNFIT: the method does not fit. */
static lbr_status variant_of(const char *method, int i, int k, int *implicit, variant *v)
{
    const problem *p = &problems[i];
    lbr_plan *plan;
    const lbr_stats *stats;
    lbr_status status;

    *v = (variant){ .p = p, .method = method, .words = words[k], .h = p->h, .options = options_of(words[k]) };
    status = lbr_plan_create(&plan, method, &p->system, &v->options);
    if (!status) status = begin(v, lbr_plan_state(plan));
    if (!status) status = lbr_run(plan, 1, 0, NULL, NULL);
    if (!status) {
        stats = lbr_plan_stats(plan);
        *implicit |= stats->iterations > 0;
        v->libm = i == PENDULUM || (i == BODY && stats->flow > 0);
        v->n = length(stats, strstr(words[k], "newton") ? p->system.dim : 0);
        if (!after(v, plan, v->h, p->y, v->n, v->want)) status = LBR_ENONFINITE;
    }
    if (status == LBR_EMETHOD && !p->system.nmaps) status = LBR_EUNFIT; /* names a map that only one system has */
    if (status && status != LBR_EUNFIT) printf("# %s on %s: %s\n", method, p->system.name, lbr_plan_message(plan));
    lbr_plan_free(plan);
    return status;
}

/* The variants of one method; -1 if one fails for another reason than that it does not fit. */
static int variants_of(const char *method, variant *v)
{
    int n = 0;

    for (int i = 0; i < PROBLEMS; i++) {
        int implicit = 0;

        for (int k = 0; k < WORDS; k++) {
            lbr_status status = worth(method, i, k, implicit) ? variant_of(method, i, k, &implicit, &v[n]) : LBR_EUNFIT;

            if (status && status != LBR_EUNFIT) return -1;
            n += !status;
        }
    }
    return n;
}

/* --- fixed-point iteration that fails on the way, so that Newton takes over: also then --------------------------- */

static int stiff_field(double t, const double *y, double *out, void *ctx)
{
    (void)ctx;
    out[0] = -(2 + 30 * t) * y[0] + y[1];
    out[1] = -y[1] + 0.1 * y[0] * y[0];
    return 0;
}

/* The same for a spring, whose positions alone are iterated. */
static int stiff_force(double t, const double *q, double *f, void *ctx)
{
    (void)ctx;
    f[0] = -(4 + 800 * t * t) * q[0], f[1] = q[0] * q[0] - 3 * q[1];
    return 0;
}

static const char *const there_and_back[] = { "2", "-2" };
static const lbr_method wide_processor = { .size = sizeof wide_processor,
                                           .name = "there-and-back",
                                           .form = "processor",
                                           .b = { 2, there_and_back } };

static void switch_over(const problem *stiff)
{
    static const char *const method[] = { "midpoint",
                                          "trapezoidal",
                                          "implicit-euler",
                                          "gauss:3",
                                          "compose(strang,implicit-euler)",
                                          "process(midpoint,there-and-back)" };

    for (int i = 0; i < COUNT(method); i++) {
        variant v = {
            .p = stiff, .method = method[i], .words = "", .h = stiff->h, .n = SHORT, .options = options_of("")
        };
        lbr_plan *plan;
        int64_t first;

        v.options.methods = &wide_processor, v.options.nmethods = 1;
        lbr_plan_create(&plan, method[i], &stiff->system, &v.options);
        begin(&v, lbr_plan_state(plan));
        lbr_run(plan, 1, 0, NULL, NULL), first = lbr_plan_stats(plan)->jacobian;
        lbr_run(plan, SHORT - 1, 0, NULL, NULL);
        lbr_read(plan, NULL, v.want);
        ok(first == 0 && lbr_plan_stats(plan)->jacobian > 0, "%s, %s: Newton's method takes over on the way", method[i],
           stiff->system.name);
        for (int k = 0; properties[k].which == 2; k++)
            ok(properties[k].holds(&v, plan), "%s, %s, Newton taking over: %s", method[i], stiff->system.name,
               properties[k].text);
        lbr_plan_free(plan);
    }
}

static void switching(void)
{
    const problem field = { LBR_SYSTEM(.name = "stiffening", .dim = 2, .field = stiff_field), .h = 0.1,
                            .y = { 1, 0.5 } };
    const problem force = { LBR_SYSTEM(.name = "stiffening spring", .dim = 4, .nq = 2, .force = stiff_force,
                                       .inverse_mass = problem_ones),
                            .h = 0.1, .y = { 1, 0.5, 0, 0 } };

    switch_over(&field), switch_over(&force);
}

static void print_bits(const variant *v)
{
    uint64_t hash = hash_of(HASH, v->want, (size_t)v->p->system.dim * sizeof *v->want);

    if (v->libm) return;
    printf("bits %s", v->method);
    for (const char *c = v->words; *c; c++) printf(c == v->words ? "+%c" : "%c", *c == ' ' ? '+' : *c);
    printf(" %s %016llx\n", v->p->system.name, (unsigned long long)hash);
}

/* number: of the method. */
static void all_properties(const char *method, int number, const variant *v, int n)
{
    int good[COUNT(properties)];

    for (int k = 0; k < COUNT(properties); k++) good[k] = 1;
    for (int i = 0; i < n; i++) {
        lbr_plan *plan;
        int which = i == 0 ? 0 : v[i].p == v[0].p ? 1 : 2;

        if (i > 0 && !in_share(i + number, 3, 12)) continue;
        lbr_plan_create(&plan, method, &v[i].p->system, &v[i].options);
        for (int k = 0; k < COUNT(properties); k++)
            if (properties[k].which >= which && !properties[k].holds(&v[i], plan))
                good[k] = 0,
                printf("# %s: not with %s, on %s %s\n", method, properties[k].text, v[i].p->system.name, v[i].words);
        lbr_plan_free(plan);
    }
    for (int k = 0; k < COUNT(properties); k++) ok(good[k], "%s: %s", method, properties[k].text);
}

static void print_all(const char *method, const variant *v, int n)
{
    for (int k = 0; k < n; k++) print_bits(&v[k]);
    if (n <= 0) printf("# %s fits no problem\n", method);
}

static void print_models(void)
{
    for (int64_t i = 0; lbr_gallery(i); i++)
        if (!strcmp(lbr_gallery(i)->kind, "model")) print_model(lbr_gallery(i));
}

int main(int argc, char **argv)
{
    static variant v[PROBLEMS * WORDS];
    static methods all;
    int print = argc > 1 && !strcmp(argv[1], "--print");

    make_problems();
    methods_of_catalogue(&all);
    for (int i = 0; i < COUNT(expressions); i++) method_add(&all, "%s", expressions[i]);
    for (int i = 0; i < all.n; i++) {
        int n = variants_of(all.text[i], v);

        if (print) print_all(all.text[i], v, n);
        else if (ok(n > 0, "%s fits a problem (%d ways)", all.text[i], n)) all_properties(all.text[i], i, v, n);
    }
    if (print) return print_models(), 0;
    ok(compared > share(100, 40, 10), "%d runs with a width compiled in were compared with run-time n", compared);
    switching();
    return tap_done();
}
