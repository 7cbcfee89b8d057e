/* test_sequence_kernels.c - sequences of flows as machine code: the bits, counts, errors and failures of callbacks.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Every model of the gallery whose parts have flows, and models of each kind of flow, stepped through callbacks and by
 * a fused kernel: run at once, looked at, restarted in the middle under the other plan, watched at every step. make
 * test-long tries each with all methods of its list, make test with some of them, others for each model, so that none
 * is left out. */
#define _DEFAULT_SOURCE
#include "support/modelled.h"
#include "support/share.h"

#include "kernel/fuse_model.h"
#include "model/part_flows.h"
#include "syntax/gallery.h"
#include "stepper/kernel.h"

enum { STEPS = 60, MIDDLE = 23, MOST_WATCHED = 64, LOOKS = 2 };
#define COUNT(x) ((int)(sizeof(x) / sizeof *(x)))

/* Tables of our own: not symmetric; steps of nothing in it, so that parts do not come again as before; very much so. */
#define LIST(...)                                                                                            \
    {                                                                                                        \
        sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *), (const char *const[]) { __VA_ARGS__ } \
    }
static const lbr_method tables[] = {
    { .size = sizeof(lbr_method),
      .name = "lopsided",
      .form = "alternation",
      .order = 1,
      .b = LIST("1/3", "1/5", "1/4", "13/60") },
    { .size = sizeof(lbr_method),
      .name = "gaps",
      .form = "alternation",
      .order = 1,
      .b = LIST("1/2", "0", "1/4", "1/8", "0", "1/8") },
    { .size = sizeof(lbr_method),
      .name = "holes",
      .form = "alternation",
      .order = 1,
      .b = LIST("1/16", "1/16", "0", "1/16", "1/16", "1/16", "1/16", "0", "0", "1/16", "1/16", "0", "1/16", "0", "0",
                "0", "1/16", "1/16", "0", "1/16", "1/16", "0", "1/16", "0", "1/16", "1/16") },
    { .size = sizeof(lbr_method), .name = "thirds", .form = "composition", .order = 1, .b = LIST("1/3", "1/3", "1/3") },
};

typedef struct row {
    const char *method;
    int compensated;
} row;

/* --- one way ----------------------------------------------------------------------------------------------------- */

typedef struct outcome {
    lbr_status made, run, looked[LOOKS], watched, resumed;
    uint64_t seen[LOOKS];
    double *y, *restarted, *left, worst[MOST_WATCHED],
        first[MOST_WATCHED]; /* left: where it was while it was watched */
    lbr_stats stats;
    lbr_failure failure;
    char message[512], kernel[16];
} outcome;

static uint64_t hash(uint64_t h, const void *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) h = (h ^ ((const unsigned char *)bytes)[i]) * UINT64_C(1099511628211);
    return h;
}

static int observer(const lbr_view *view, void *ctx)
{
    uint64_t *h = ctx;

    *h = hash(hash(*h, &view->t, sizeof view->t), view->y, (size_t)view->dim * sizeof *view->y);
    return 0;
}

static void first_values(const modelled *x, double *first)
{
    int64_t at = 0;

    if (x->s->energy) x->s->energy(x->m->t0, x->m->y0, first + at++, x->s->ctx);
    for (int k = 0; k < x->m->ninvariants; k++) {
        const lbr_invariant *v = x->s->invariants->item + k;

        v->value(x->m->t0, x->m->y0, first + at, v->ctx), at += v->len;
    }
}

/* At once, with looks every step and every seven, watched. */
static void ways(const modelled *x, lbr_plan *plan, double h, outcome *o)
{
    static const int64_t every[LOOKS] = { 1, 7 };
    const lbr_failure *f;

    o->run = lbr_start(plan, x->m->t0, h, x->m->y0);
    if (!o->run) o->run = lbr_run(plan, STEPS, 0, NULL, NULL);
    snprintf(o->message, sizeof o->message, "%s", lbr_plan_message(plan));
    if ((f = lbr_state_failure(lbr_plan_state(plan)))) o->failure = *f;
    o->stats = *lbr_plan_stats(plan);
    lbr_read(plan, NULL, o->y);
    for (int i = 0; i < LOOKS; i++) {
        lbr_start(plan, x->m->t0, h, x->m->y0);
        o->looked[i] = lbr_run(plan, STEPS, every[i], observer, &o->seen[i]);
    }
    first_values(x, o->first);
    lbr_start(plan, x->m->t0, h, x->m->y0);
    lbr_state_watch(lbr_plan_state(plan), o->first, o->worst);
    o->watched = lbr_run(plan, STEPS, 0, NULL, NULL);
    lbr_read(plan, NULL, o->left);
    lbr_state_watch(lbr_plan_state(plan), NULL, NULL);
}

static void go(const modelled *x, const row *r, double h, outcome *o, lbr_plan **plan)
{
    lbr_options options;

    lbr_options_init(&options);
    options.compensated = r->compensated, options.methods = tables, options.nmethods = COUNT(tables);
    *o = (outcome){ .y = calloc((size_t)x->m->dim, sizeof *o->y),
                    .restarted = calloc((size_t)x->m->dim, sizeof *o->y),
                    .left = calloc((size_t)x->m->dim, sizeof *o->y) };
    o->made = lbr_plan_create(plan, r->method, x->s, &options);
    snprintf(o->message, sizeof o->message, "%s", lbr_plan_message(*plan));
    if (o->made) return;
    snprintf(o->kernel, sizeof o->kernel, "%s", lbr_plan_kernel(*plan));
    ways(x, *plan, h, o);
}

/* The first steps under one plan, the others under another. */
static void restart(const modelled *x, lbr_plan *one, lbr_plan *other, double h, outcome *o)
{
    lbr_state *a = lbr_plan_state(one), *b = NULL;
    const void *bytes = NULL;
    size_t size;

    o->resumed = lbr_state_start(a, x->m->t0, h, x->m->y0);
    if (!o->resumed) o->resumed = lbr_state_run(a, MIDDLE, 0, NULL, NULL);
    if (!o->resumed && (!(bytes = lbr_state_bytes(a, &size)) || lbr_state_create(&b, other))) o->resumed = LBR_ENOMEM;
    if (!o->resumed) o->resumed = lbr_state_restore(b, bytes, size);
    if (!o->resumed) o->resumed = lbr_state_run(b, STEPS - MIDDLE, 0, NULL, NULL);
    if (!o->resumed) o->resumed = lbr_state_read(b, NULL, o->restarted);
    lbr_state_free(b);
}

static int same(const outcome *a, const outcome *b, int64_t n)
{
    size_t bytes = (size_t)n * sizeof *a->y;

    return a->made == b->made && a->run == b->run && !strcmp(a->message, b->message) && !memcmp(a->y, b->y, bytes) &&
           !memcmp(a->restarted, b->restarted, bytes) && !memcmp(a->left, b->left, bytes) &&
           !memcmp(a->worst, b->worst, sizeof a->worst) && !memcmp(&a->stats, &b->stats, sizeof a->stats) &&
           !memcmp(a->looked, b->looked, sizeof a->looked) && !memcmp(a->seen, b->seen, sizeof a->seen) &&
           a->watched == b->watched && a->resumed == b->resumed && !memcmp(&a->failure, &b->failure, sizeof a->failure);
}

/* --- both ways --------------------------------------------------------------------------------------------------- */

static int fused, failed, unmade, kinds[3];

/* 1: not the same. Restarted both ways over. */
static int differ(const modelled *x, const modelled *k, const row *r, double h)
{
    outcome a, b;
    lbr_plan *callback, *kernel;
    int good;

    go(x, r, h, &a, &callback), go(k, r, h, &b, &kernel);
    if (!a.made && !b.made) restart(x, callback, kernel, h, &a), restart(k, kernel, callback, h, &b);
    good = same(&a, &b, x->m->dim) && (a.made || (!strcmp(b.kernel, "fused") && strcmp(a.kernel, "fused")));
    if (good && !a.made && !a.run) good = !a.resumed && !memcmp(a.y, a.restarted, (size_t)x->m->dim * sizeof *a.y);
    fused += !b.made && !strcmp(b.kernel, "fused"), failed += !a.made && a.run != LBR_OK, unmade += a.made != LBR_OK;
    if (!good)
        printf("# %s%s: %s: %s | %s: %s\n", r->method, r->compensated ? " compensated" : "", a.kernel, a.message,
               b.kernel, b.message);
    lbr_plan_free(callback), lbr_plan_free(kernel);
    free(a.y), free(b.y), free(a.restarted), free(b.restarted), free(a.left), free(b.left);
    return !good;
}

/* A model with a space in it is a text. */
static int opened(modelled *x, const char *model)
{
    static char text[4000];

    snprintf(text, sizeof text, "%s\nrun method = rk4, step = 1, steps = 1\n", model);
    return strchr(model, ' ') ? open_text(x, text) : open_model(x, model);
}

/* number: of the model; it has one of `of` rows in make test, beginning with another one for each model. */
static void compare(const char *name, const char *model, double h, const row *rows, int n, int number, int of)
{
    modelled x, k;
    lbr_kernels_report report = { 0 };
    int wrong = 0, before = fused;

    if (!ok(opened(&x, model) && opened(&k, model) && !lbr_kernels_enable(k.m, NULL), "%s: a system", name)) return;
    lbr_kernels_ask(k.m, LBR_COMPILE_WAIT, &report);
    for (int i = 0; i < n; i++)
        if (in_share(i + number, of, of)) wrong += differ(&x, &k, rows + i, h);
    for (int i = 0; i < x.m->nparts && x.f->flow; i++)
        if (x.f->part[i].flow) kinds[lbr_part_written(x.m, i).kind]++;
    ok(!wrong && !*report.message.text, "%s: %d methods fused, with the bits of callbacks %s", name, fused - before,
       report.message.text);
    close_model(&x), close_model(&k);
}

/* --- models ------------------------------------------------------------------------------------------------------ */

static const row few[] = { { "split(strang)", 0 },
                           { "split(strang)", 1 },
                           { "compose(suzuki:4, split(lie-trotter))", 0 },
                           { "adjoint(split(lie-trotter))", 0 } };

static const row abc[] = {
    { "split(lie-trotter, a, b, c)", 0 },
    { "split(lie-trotter, c, a, b)", 1 },
    { "split(strang, c, b, a)", 0 },
    { "split(strang, a, b)", 0 },
    { "split(strang, a)", 0 },
    { "split(lie-trotter, b)", 1 },
    { "split(lie-trotter, a, b, a)", 0 },
    { "split(lie-trotter, a, b, c, a, b)", 0 },
    { "split(lie-trotter, a, b, c, a, b)", 1 },
    { "split(strang, a, b, b, c, a)", 1 },
    { "split(lopsided)", 0 },
    { "split(lopsided)", 1 },
    { "split(gaps)", 0 },
    { "split(gaps)", 1 },
    { "compose(thirds, split(gaps))", 0 },
    { "adjoint(split(lopsided, b, a, c))", 0 },
    { "compose(triple-jump:6, split(strang))", 0 },
    { "compose(kahan-li-8-17, split(strang))", 1 },
    { "compose(effective-6-9, split(strang))", 0 },
    { "process(compose(effective-6-9, split(strang)), effective-6-9-processor)", 0 },
    { "process(split(strang, c, b, a), lopsided)", 1 },
    { "process(split(lie-trotter), lie-trotter)", 0 },
    { "compose(kahan-li-8-17, compose(kahan-li-8-17, split(lie-trotter)))", 0 },
};

#define QP "canonical q[2], p[2]\n"
static const struct {
    const char *name, *model;
    double h;
} own[] = {
    { "straight",
      "state x, y, z\n"
      "part a: x' = sin(z)/2, y' = cos(z)/2\n"
      "part b: y' = sin(x), z' = cos(x)\n"
      "part c: z' = sin(y), x' = cos(y)\n"
      "invariant C = x*y*z\n"
      "start x = 0.3, y = 0.2, z = 0.1",
      0.3 },
    { "straight, with t",
      "state x, y, z\n"
      "part a: x' = sin(t)*cos(z)\n"
      "part b: y' = cos(x)\n"
      "part c: z' = sin(y)/2 - t*cos(x)/4\n"
      "start x = 0.3, y = 0.2, z = 0.1",
      0.1 },
    { "Kepler's, linear, straight",
      QP "part a = sq(p)/2 - 1/norm(q)\n"
         "part b = 0.1*sq(q)^2/4\n"
         "part c = 0.01*(q[1]*p[2] - q[2]*p[1])\n"
         "invariant L = cross(q, p)\n"
         "start q = [1, 0], p = [0.1, 0.9]",
      0.1 },
    { "given by hand, with t",
      "canonical q, p\n"
      "part a = p^2/2\n"
      "part b = q^4/4\n"
      "part c = q*sin(t)\n"
      "flow a(s): q = q + s*p\n"
      "flow b(s): p = p - s*q^3\n"
      "start q = 1, p = 0.2",
      0.1 },
    { "one that rests",
      "state x, y\n"
      "part a: x' = 0*y\n"
      "part b: x' = -y, y' = x\n"
      "part c: y' = x^2\n"
      "flow a(s): x = x, y = y\n"
      "start x = 0.5, y = -0.25",
      0.1 },
};

/* More components than stay in local variables; than local arrays have. */
static const struct {
    const char *name, *model;
    double h;
} large[] = {
    { "fpu m=12", "use fpu: m = 12", 0.001 },
    { "fpu m=200", "use fpu: m = 200", 0.001 },
    { "schroedinger N=16", "use schroedinger: N = 16", 0.1 },
    { "chain of 300",
      "param n = 300\n"
      "canonical q[n], p[n]\n"
      "part a = sq(p)/2\n"
      "part b = sum(k = 1..n-1, (q[k+1] - q[k])^4/4) + sq(q)/2\n"
      "start q[k = 1..n] = sin(k), p = 0.1",
      0.05 },
};

/* With constraints: rattle.inc. The last one falls off the end of what its constraint allows. */
static const row rattle[] = { { "rattle", 0 },
                              { "rattle", 1 },
                              { "compose(suzuki:4, rattle)", 0 },
                              { "compose(triple-jump:4, lobatto-3a-3b:2)", 1 } };
static const struct {
    const char *name, *model;
    double h;
} constrained[] = {
    { "on a sphere",
      "canonical q[3], p[3]\n"
      "H = sq(p)/2 + q[3]*cos(t)\n"
      "constraint length = sq(q) - 1\n"
      "invariant Lz = q[1]*p[2] - q[2]*p[1]\n"
      "start q = [0.6, 0, -0.8], p = [0, 1, 0]",
      0.05 },
    { "a chain of 40",
      "param n = 40\n"
      "canonical q[n,3], p[n,3]\n"
      "H = sum(i = 1..n, sq(p[i])/(1 + i/n)) + sum(i = 1..n, q[i,3])\n"
      "constraint hook = sq(q[1]) - 1, link[i = 2..n] = sq(q[i] - q[i-1]) - 1\n"
      "start q[i = 1..n] = [i, 0, 0], p[i = 1..n] = [0, 0.1*i*(1 + i/n)/2, 0]",
      0.01 },
    { "a closed loop",
      "param n = 9\n"
      "canonical q[n,2], p[n,2]\n"
      "let a = 2*pi/n\n"
      "H = sq(p)/2 + sum(i = 1..n, q[i,1]^3/3)\n"
      "constraint link[i = 1..n-1] = sq(q[i+1] - q[i]) - 2 + 2*cos(a), closed = sq(q[1] - q[n]) - 2 + 2*cos(a)\n"
      "start q[i = 1..n] = [cos(i*a), sin(i*a)]",
      0.02 },
    { "a step too large",
      "canonical q[2], p[2]\n"
      "H = sq(p)/2\n"
      "constraint wave = q[2] - sin(9*q[1])\n"
      "start q = [0, 0], q' = [1, 9]",
      0.3 },
};

/* What fails on the way: a fall into the centre; a number that is none; one that is too large; a matrix without an
 * inverse; what is watched. */
static const struct {
    const char *name, *model;
    double h;
    const char *says;
} failing[] = {
    { "a fall",
      QP "part a = sq(p)/2 - 1/norm(q)\n"
         "part b = 1e-3*q[2]^2\n"
         "part c = 1e-3*q[1]\n"
         "start q = [1, 0], p = [0, 0]",
      0.05, "the flow of part 'a' reported" },
    { "a root",
      "canonical q, p\n"
      "part a = p^2/2\n"
      "part b = q*sqrt(q)\n"
      "part c = q^2/2\n"
      "start q = 1, p = -0.5",
      0.05, "component p became nan" },
    { "one root of forty",
      "param n = 40\n"
      "canonical q[n], p[n]\n"
      "part a = sq(p)/2\n"
      "part b = sum(k = 1..n, q[k]*sqrt(q[k]))\n"
      "part c = sq(q)/2\n"
      "start q[k = 1..n] = 2 - k/n, p = -0.5",
      0.05, "component p[" },
    { "growth",
      "state x, y\n"
      "part a: x' = y^2\n"
      "part b: x' = 400*x, y' = 300*y\n"
      "part c: y' = x/2\n"
      "start x = 1, y = 1",
      0.1, "the flow of part 'b' reported" },
    { "a matrix",
      "state x, y, z\n"
      "part a: z' = -1\n"
      "part b: x' = ([[z, 1], [0, 1]]^-1*[1, y])[1]\n"
      "part c: y' = z\n"
      "start x = 0, y = 0, z = 1.03125",
      0.0625, "the flow of part 'b' reported" },
    { "a logarithm",
      "state x, y\n"
      "part a: x' = -1\n"
      "part b: y' = x\n"
      "part c: x' = y*0.01\n"
      "invariant I = log(x)\n"
      "start x = 1, y = 0",
      0.05, NULL },
};

/* The rows of abc that a model's parts allow fail as they must: the sentence is that of callbacks (compare), and it is
 * this one. */
static void sentence(const char *name, const char *model, double h, const char *says)
{
    modelled k;
    outcome o;
    lbr_plan *plan;
    const row r = { "split(strang, a, b, c)", 0 };

    if (!opened(&k, model) || lbr_kernels_enable(k.m, NULL)) {
        ok(0, "%s: a system", name);
        return;
    }
    go(&k, &r, h, &o, &plan);
    if (says) ok(o.run < 0 && o.failure.step > 1 && strstr(o.message, says), "%s: %s", name, o.message);
    else ok(!o.run && o.watched == LBR_ENONFINITE, "%s: it can be run, but not be watched", name);
    lbr_plan_free(plan), free(o.y), free(o.restarted), free(o.left), close_model(&k);
}

static void gallery(const char *only)
{
    const lbr_gallery_item *item;
    int number = 0;

    for (int64_t i = 0; (item = lbr_gallery(i)); i++) {
        modelled x;
        int there = !strcmp(item->kind, "model") && (!only || !strcmp(only, item->name));

        if (!there) continue;
        if (open_model(&x, item->name) && x.s->parts && x.s->parts->count > 1)
            compare(item->name, item->name, 0.01, few, COUNT(few), number++, 4);
        close_model(&x);
    }
}

/* --- what is asked ----------------------------------------------------------------------------------------------- */

static struct {
    int asked, blind;
    unsigned uses;
    int64_t n, nparts, part[16];
    char name[32];
} spied;

static int spy(const lbr_kernel_request *r, lbr_kernel *kernel, void *ctx)
{
    spied.asked++, spied.blind += !(r->uses & LBR_USES_WATCH), spied.uses = r->uses, spied.n = r->n,
                                                               spied.nparts = r->nparts;
    snprintf(spied.name, sizeof spied.name, "%s", r->name);
    for (int64_t i = 0; i < r->nparts && i < COUNT(spied.part); i++) spied.part[i] = r->part[i];
    return r->uses & LBR_USES_WATCH;
}

static const lbr_inside spying = { spy };

static int asks(const lbr_system *s, const char *method, int compensated, int asked, unsigned uses, int64_t n,
                const int64_t *part)
{
    lbr_options o;
    lbr_plan *plan;
    int good;

    memset(&spied, 0, sizeof spied);
    lbr_options_init(&o), o.compensated = compensated, o.methods = tables, o.nmethods = COUNT(tables);
    good = !lbr_plan_create(&plan, method, s, &o) && !strcmp(lbr_plan_kernel(plan), "callback") &&
           spied.asked == asked && spied.uses == uses && spied.nparts == n;
    if (good && n)
        good = !strcmp(spied.name, "sequence.inc") && spied.n == s->dim && spied.blind == 1 &&
               !memcmp(spied.part, part, (size_t)n * sizeof *part);
    if (!good)
        printf("# %s: asked %d times, %d blind, for %s, uses %u, parts %d\n", method, spied.asked, spied.blind,
               spied.name, spied.uses, (int)spied.nparts);
    lbr_plan_free(plan);
    return good;
}

/* A period of the parts, and what is left; nothing where a step is not flows alone, or would be written out without an
 * end. */
static void questions(void)
{
    static const int64_t abcb[] = { 0, 1, 2, 1 }, cab[] = { 2, 0, 1 }, abc_ab[] = { 0, 1, 2, 0, 1 };
    char many[200] = "split(holes";
    modelled x;
    lbr_system s;

    if (!ok(opened(&x, own[0].model), "a system")) return;
    s = *x.s, s.inside = &spying;
    for (int i = 0; i < 20; i++) strcat(many, ", a, b, c");
    strcat(many, ")");
    ok(asks(&s, "split(strang)", 0, 2, LBR_USES_FLOWS, 4, abcb) &&
           asks(&s, "compose(kahan-li-8-17, split(strang))", 0, 2, LBR_USES_FLOWS, 4, abcb) &&
           asks(&s, "compose(thirds, split(lie-trotter, c, a, b))", 1, 2, LBR_USES_INCREMENTS, 3, cab) &&
           asks(&s, "split(lie-trotter, a, b, c, a, b)", 0, 2, LBR_USES_FLOWS, 5, abc_ab),
       "what is repeated is asked for once, and again without watching");
    ok(asks(&s, many, 0, 0, 0, 0, NULL), "a thousand pieces that do not repeat are not asked for");
    close_model(&x);
}

int main(int argc, char **argv)
{
    gallery(argc > 1 ? argv[1] : NULL);
    if (argc > 1) return tap_done();
    ok(fused >= share(40, 10, 10), "%d of them fused", fused);
    unmade = 0;
    for (int i = 0; i < COUNT(own); i++) compare(own[i].name, own[i].model, own[i].h, abc, COUNT(abc), i, 3);
    for (int i = 0; i < COUNT(large); i++) compare(large[i].name, large[i].model, large[i].h, few, COUNT(few), i, 2);
    for (int i = 0; i + 1 < COUNT(constrained); i++)
        compare(constrained[i].name, constrained[i].model, constrained[i].h, rattle, COUNT(rattle), i, 2);
    ok(failed == 0, "nothing has failed so far");
    compare(constrained[3].name, constrained[3].model, constrained[3].h, rattle, COUNT(rattle), 3, 2);
    ok(failed > 0, "steps that are too large fail alike");
    for (int i = 0; i < COUNT(failing); i++)
        compare(failing[i].name, failing[i].model, failing[i].h, abc, COUNT(abc), i, COUNT(failing)),
            sentence(failing[i].name, failing[i].model, failing[i].h, failing[i].says);
    ok(failed > share(60, 10, 10), "%d runs that failed did so alike", failed);
    ok(unmade == 0, "every method fits");
    ok(kinds[LBR_FLOW_CALLED] > 5 && kinds[LBR_FLOW_STRAIGHT] > 20 && kinds[LBR_FLOW_GIVEN] > 5,
       "%d flows called, %d straight, %d given by hand", kinds[LBR_FLOW_CALLED], kinds[LBR_FLOW_STRAIGHT],
       kinds[LBR_FLOW_GIVEN]);
    questions();
    return tap_done();
}
