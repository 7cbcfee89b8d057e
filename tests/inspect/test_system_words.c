/* test_system_words.c - what lbr_system_check says of systems written by hand: each mistake in its words.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Linked with --wrap=malloc and its kin. */
#include "support/heap.h"
#include "support/tap.h"

#include <libration.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

/* --- a pendulum in the plane with a rod, every function of which can be told to be wrong ------------------------- */

/* ctx: what is wrong; NULL, "": nothing. */
static int is(void *ctx, const char *mistake) { return ctx && !strcmp(ctx, mistake); }

static int energy(double t, const double *y, double *H, void *ctx)
{
    (void)t;
    *H = 0.5 * (y[2] * y[2] + y[3] * y[3]) + y[1];
    return is(ctx, "energy fails");
}

static int force(double t, const double *q, double *f, void *ctx)
{
    f[0] = 0, f[1] = is(ctx, "force sign") ? 1 : -1;
    if (is(ctx, "force nan")) f[1] = NAN;
    if (is(ctx, "force writes more")) f[2] = 0;
    if (is(ctx, "force reads p")) f[0] = q[2] * 0;
    if (is(ctx, "force friction")) f[0] = -0.1 * q[0];
    return (void)t, 0;
}

static int g(double t, const double *q, double *out, void *ctx)
{
    (void)t;
    out[0] = q[0] * q[0] + q[1] * q[1] - 1;
    return is(ctx, "g fails");
}

static int G(double t, const double *q, double *out, void *ctx)
{
    static _Thread_local int calls;

    (void)t;
    out[0] = 2 * q[0], out[1] = (is(ctx, "G sign") ? -2 : 2) * q[1];
    if (is(ctx, "G varies")) out[0] += ++calls;
    return 0;
}

/* On a pattern that lacks the second column. */
static int G_short(double t, const double *q, double *out, void *ctx)
{
    return (void)t, (void)ctx, out[0] = 2 * q[0], 0;
}

static int g2(double t, const double *q, const double *u, const double *v, double *out, void *ctx)
{
    (void)t, (void)q;
    out[0] = 2 * u[0] * v[0] + (is(ctx, "g2") ? 1 : 2) * u[1] * v[1];
    return 0;
}

static const double one[] = { 1, 1 }, start[] = { 0.6, -0.8, 0.8, 0.6 };
static const lbr_defaults defaults = { .size = sizeof defaults, .y0 = start };
static const lbr_constraints rod = { .size = sizeof rod,
                                     .m = 1,
                                     .names = (const char *const[]){ "rod" },
                                     .g = g,
                                     .G = G,
                                     .g2 = g2 };

static lbr_system pendulum(const char *mistake)
{
    return LBR_SYSTEM(.name = "pendulum", .ctx = (void *)mistake, .dim = 4, .nq = 2, .energy = energy, .force = force,
                      .inverse_mass = one, .constraints = &rod, .defaults = &defaults);
}

/* --- asking ------------------------------------------------------------------------------------------------------ */

/* Whether a finding that holds (or not) has these words in its sentence, and is of `what`. */
static int said(const lbr_system *s, int holds, const char *what, const char *words)
{
    const lbr_system_report *r = NULL;
    lbr_status status = lbr_system_check(s, NULL, &r);
    int found = 0;

    for (int64_t i = 0; !status && i < r->n; i++) {
        const lbr_system_finding *f = r->finding[i];

        found |= f->holds == holds && f->size == sizeof *f && !strcmp(f->what, what) && strstr(f->text, words) != NULL;
    }
    for (int64_t i = 0; r && i < r->n && !found; i++) printf("# %2d %s\n", r->finding[i]->holds, r->finding[i]->text);
    lbr_system_report_free(r);
    return found;
}

static int64_t wrongs(const lbr_system *s)
{
    const lbr_system_report *r = NULL;
    lbr_status status = lbr_system_check(s, NULL, &r);
    int64_t n = status ? -1 : r->wrong;

    for (int64_t i = 0; n && r && i < r->n; i++)
        if (!r->finding[i]->holds) printf("# %s\n", r->finding[i]->text);
    return lbr_system_report_free(r), n;
}

static void by_mistake(void)
{
    static const struct {
        const char *mistake, *what, *words;
    } row[] = {
        { "force sign", "force", "force (by q[2]) is 1, but by differences of energy it is -1: the other sign" },
        { "force nan", "force", "force gives nan as number 2 of 2, leaves it out" },
        { "force writes more", "force", "force writes more than its 2 numbers" },
        { "force reads p", "force", "number 1 of 2, leaves it out, or reads behind its arguments" },
        { "force friction", "force", "differences of energy" },
        { "energy fails", "energy", "energy failed: it returned 1" },
        { "G sign", "constraints.G",
          "row rod, column q[2]) is 1.6, but by differences of g it is -1.6: the other sign" },
        { "G varies", "constraints.G", "G gives other numbers when it is called again with the same" },
        { "g fails", "constraints.G", "g failed: it returned 1" },
        { "g2", "constraints.g2", "row rod, column q[2]) is 1, but by differences of G it is 2" },
    };
    lbr_system s = pendulum(NULL);

    ok(wrongs(&s) == 0, "the pendulum is right");
    ok(said(&s, 1, "energy", "with the field, along which it stays"), "its energy is kept, by the rod too");
    ok(said(&s, 1, "constraints.G", "numbers agree with differences of g"), "its G is right, in words");
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        s = pendulum(row[i].mistake);
        ok(said(&s, 0, row[i].what, row[i].words), "%s: ...%s...", row[i].mistake, row[i].words);
    }
}

/* --- patterns ---------------------------------------------------------------------------------------------------- */

static void patterns(void)
{
    static const int64_t rows[] = { 0, 1 }, columns[] = { 0 }, outside[] = { 2 }, bad_rows[] = { 0, 2 };
    lbr_constraints c = rod;
    lbr_system s = pendulum(NULL);

    s.constraints = &c, c.G = G_short, c.g2 = NULL, c.nnz = 1, c.row = rows, c.col = columns;
    ok(said(&s, 0, "constraints.G",
            "row rod, column q[2]) is 0, but by differences of g it is -1.6; it is not in the pattern"),
       "an entry that the pattern lacks");
    c.col = outside;
    ok(said(&s, 0, "constraints.G", "col[0] is 2; columns go from 0 to 1"), "a column that is not there");
    c.col = columns, c.row = bad_rows;
    ok(said(&s, 0, "constraints.G", "row goes from 0 to 2; it must go from 0 to nnz, which is 1"),
       "rows that do not end at nnz");
    c = rod, c.G = NULL;
    ok(said(&s, 0, "constraints", "constraints lack their number m, g or G"), "no G");
}

/* --- what is given by half --------------------------------------------------------------------------------------- */

static int times(double t, const double *y, const double *v, double *out, void *ctx)
{
    return (void)t, (void)y, (void)ctx, out[0] = v[0], out[1] = v[1], out[2] = v[2], out[3] = v[3], 0;
}

static void halves(void)
{
    lbr_poisson poisson = { .size = sizeof poisson };
    lbr_lagrangian L = { .size = sizeof L };
    lbr_manifold manifold = { .size = sizeof manifold };
    lbr_defaults d = defaults;
    lbr_system s = pendulum(NULL);
    const lbr_system_report *r;
    lbr_status status;

    s.poisson = &poisson;
    ok(said(&s, 0, "poisson", "it lacks gradient and structure"), "an empty Poisson structure");
    poisson.structure = times;
    ok(said(&s, 0, "poisson", "it lacks gradient"), "one without a gradient");
    s.poisson = NULL, s.lagrangian = &L;
    ok(said(&s, 0, "lagrangian", "it lacks its derivatives"), "an empty Lagrangian");
    L.dLdq = times;
    ok(said(&s, 0, "lagrangian", "it lacks dLdv"), "one with a half");
    s.lagrangian = NULL, s.constraints = NULL, s.manifold = &manifold;
    ok(said(&s, 0, "manifold", "the manifold lacks its number m or g"), "an empty manifold, by its name");
    s = pendulum(NULL), s.defaults = &d, d.step = NAN;
    ok(said(&s, 0, "defaults.step", "the step is nan"), "a step that is none");
    d.step = 0.1, d.steps = -5;
    ok(said(&s, 0, "defaults.steps", "-5 steps"), "steps below 0");
    d.steps = 0, d.t0 = INFINITY;
    status = lbr_system_check(&s, NULL, &r);
    ok(status == LBR_EARG && r && strstr(r->message, "t0"), "no time to begin at: %s", r ? r->message : "");
    lbr_system_report_free(r);
}

/* --- what is kept ------------------------------------------------------------------------------------------------ */

static int damped(double t, const double *y, double *f, void *ctx)
{
    return (void)t, (void)ctx, f[0] = y[1], f[1] = -y[0] - 0.1 * y[1], 0;
}
static int square(double t, const double *y, double *out, void *ctx)
{
    return (void)t, (void)ctx, *out = 0.5 * (y[0] * y[0] + y[1] * y[1]), 0;
}

static void kept(void)
{
    static const lbr_invariant item = { .size = sizeof item, .name = "r", .len = 1, .value = square };
    static const lbr_invariants list = { sizeof list, 1, &item };
    lbr_system s = LBR_SYSTEM(.dim = 2, .field = damped, .energy = square, .defaults = &defaults);

    ok(said(&s, 0, "energy",
            "its rate of change along solutions, which should be 0; if that is meant, let energy_changes say why"),
       "friction takes energy, and nobody says so");
    s.energy_changes = "there is friction";
    ok(wrongs(&s) == 0, "somebody does");
    s.invariants = &list;
    ok(said(&s, 0, "invariants.r", "its rate of change along solutions, which should be 0"),
       "an invariant that is none");
}

/* --- flows and maps ---------------------------------------------------------------------------------------------- */

static int turned(double t, const double *y, double *f, void *ctx)
{
    return (void)t, (void)ctx, f[0] = y[1], f[1] = -y[0], 0;
}
static int rotation(double t, double h, double *y, void *ctx)
{
    double a = y[0], b = y[1];

    return (void)t, (void)ctx, y[0] = cos(h) * a + sin(h) * b, y[1] = cos(h) * b - sin(h) * a, 0;
}
static int euler(double t, double h, double *y, void *ctx)
{
    double a = y[0];

    return (void)t, (void)ctx, y[0] += h * y[1], y[1] -= h * a, 0;
}
static int too_far(double t, double h, double *y, void *ctx) { return rotation(t, 1.00001 * h, y, ctx); }
static int moved(double t, double h, const double *y, double *dy, void *ctx)
{
    double x[] = { y[0], y[1] };
    int bad = rotation(t, h, x, ctx);

    return dy[0] = x[0] - y[0], dy[1] = (x[1] - y[1]) * 1.00001, bad;
}

static void flows(void)
{
    lbr_part part = { .size = sizeof part, .name = "turn", .flow = rotation, .field = turned };
    const lbr_parts parts = { sizeof parts, 1, &part, 0 };
    lbr_system s = LBR_SYSTEM(.dim = 2, .nq = 1, .field = turned, .parts = &parts, .defaults = &defaults);

    ok(wrongs(&s) == 0, "a rotation is the flow of its field");
    part.flow = euler;
    ok(said(&s, 0, "parts.turn.flow", "but by two steps of half the length it is"), "a step of Euler's is no flow");
    part.flow = too_far;
    ok(said(&s, 0, "parts.turn.flow", "but by its field it is"), "one that goes 1e-5 too far");
    part.field = NULL;
    ok(said(&s, 0, "parts", "but by the field, which is their sum, it is"),
       "without a field of its own, the sum tells");
    part.flow = rotation, part.increment = moved;
    ok(said(&s, 0, "parts.turn.increment", "(p) is "), "an increment that is none");
    part.increment = NULL, part.flow = NULL;
    ok(said(&s, -1, "parts", "part 'turn' has neither a field nor a flow"), "a part of which nothing is known");
}

/* Of the pendulum's field, driven, by the rules of which these orders are known. */
static int swinging(double t, const double *y, double *f, void *ctx)
{
    return (void)ctx, f[0] = y[1], f[1] = -sin(y[0]) + 0.3 * cos(2 * t), 0;
}

/* With n stages of Runge's, Heun's and the classical method, of orders 2, 3 and 4. */
static int by_stages(double t, double h, double *y, int n)
{
    static const double c[][4] = { { 0, 0.5 }, { 0, 1.0 / 3, 2.0 / 3 }, { 0, 0.5, 0.5, 1 } },
                        b[][4] = { { 0, 1 }, { 0.25, 0, 0.75 }, { 1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6 } };
    double k[2] = { 0 }, sum[2] = { 0 }, stage[2];

    for (int i = 0; i < n; i++) {
        for (int j = 0; j < 2; j++) stage[j] = y[j] + h * c[n - 2][i] * k[j];
        swinging(t + h * c[n - 2][i], stage, k, NULL);
        for (int j = 0; j < 2; j++) sum[j] += b[n - 2][i] * k[j];
    }
    return y[0] += h * sum[0], y[1] += h * sum[1], 0;
}
static int runge_2(double t, double h, double *y, void *ctx) { return (void)ctx, by_stages(t, h, y, 2); }
static int heun_3(double t, double h, double *y, void *ctx) { return (void)ctx, by_stages(t, h, y, 3); }
static int runge_4(double t, double h, double *y, void *ctx) { return (void)ctx, by_stages(t, h, y, 4); }

/* Of order 2, but for the times of its stages. */
static int at_rest(double t, double h, double *y, void *ctx)
{
    double k[2], half[2];

    (void)ctx, swinging(t, y, k, NULL);
    half[0] = y[0] + h / 2 * k[0], half[1] = y[1] + h / 2 * k[1];
    return swinging(t, half, k, NULL), y[0] += h * k[0], y[1] += h * k[1], 0;
}

static void orders(const lbr_system *like, lbr_map_def *map)
{
    static const struct {
        lbr_map_fn map;
        int order;
        const char *name;
    } row[] = { { runge_2, 2, "Runge's" }, { heun_3, 3, "Heun's" }, { runge_4, 4, "the classical" } };
    lbr_system s = *like;

    s.field = swinging;
    for (int i = 0; i < 3; i++)
        for (map->order = 1; map->order < 6; map->order++) {
            int right = map->order <= row[i].order || row[i].order == 4;

            map->map = row[i].map;
            ok((wrongs(&s) == 0) == right, "%s method with order %d is %s", row[i].name, map->order,
               right ? "right" : "wrong");
            if (map->order > 1)
                ok(said(&s, right, "maps.mine.order", right ? "as far as order 4" : "show order "), "and it is said");
        }
    map->map = at_rest, map->order = 2;
    ok(said(&s, 0, "maps.mine.order", "show order 1"), "stages at the wrong times are found");
    map->order = 1;
    ok(wrongs(&s) == 0, "and are of order 1");
}

static void maps(void)
{
    lbr_map_def map = { .size = sizeof map,
                        .name = "mine",
                        .map = rotation,
                        .adjoint = rotation,
                        .order = 2,
                        .symmetric = 1,
                        .symplectic = 1 };
    lbr_system s = LBR_SYSTEM(.dim = 2, .nq = 1, .field = turned, .maps = &map, .nmaps = 1, .defaults = &defaults);

    ok(wrongs(&s) == 0, "a rotation has all that can be promised");
    ok(said(&s, 1, "maps.mine.symplectic", "agree"), "and it is said");
    map.map = euler, map.adjoint = NULL, map.symplectic = 0;
    ok(said(&s, 0, "maps.mine.symmetric", "but by going back with itself it is"), "Euler's method is not symmetric");
    map.symmetric = 0, map.symplectic = 1;
    ok(said(&s, 0, "maps.mine.symplectic", "dq ^ dp"), "nor symplectic");
    map.symplectic = 0, map.adjoint = euler;
    ok(said(&s, 0, "maps.mine.adjoint", "but by going back with the map it is"), "nor its own adjoint");
    map.adjoint = NULL;
    ok(said(&s, 0, "maps.mine.order", "order 2 is promised, and errors of steps that are halved show order 1"),
       "nor of order 2");
    map.order = 1;
    ok(wrongs(&s) == 0, "but it is a method");
    orders(&s, &map);
    map.map = too_far;
    ok(said(&s, 0, "maps.mine", "but by the field, for small h, it is"), "one that is not of the field");
    map.map = rotation, map.increment = moved;
    ok(said(&s, 0, "maps.mine.increment", "but by the map it is"), "an increment that is none");
}

/* --- discrete Lagrangians: L = q'^2/2 - q^2/2, by the trapezoidal rule ------------------------------------------- */

static int dLdq(double t, const double *q, const double *v, double *out, void *ctx)
{
    return (void)t, (void)v, (void)ctx, *out = -*q, 0;
}
static int dLdv(double t, const double *q, const double *v, double *out, void *ctx)
{
    return (void)t, (void)q, *out = is(ctx, "dLdv") ? 2 * *v : *v, 0;
}
static int D1(double t, double h, const double *a, const double *b, double *out, void *ctx)
{
    return (void)t, *out = -(*b - *a) / h - h / 2 * *a, *out *= is(ctx, "D1") ? 1.00001 : 1, 0;
}
static int D2(double t, double h, const double *a, const double *b, double *out, void *ctx)
{
    return (void)t, (void)ctx, *out = (*b - *a) / h - h / 2 * *b, 0;
}

static void lagrangians(void)
{
    static const lbr_lagrangian L = { sizeof L, dLdq, dLdv, D1, D2 };
    lbr_system s = LBR_SYSTEM(.dim = 2, .nq = 1, .field = turned, .lagrangian = &L, .defaults = &defaults);

    ok(wrongs(&s) == 0, "a discrete Lagrangian that is right");
    s.ctx = (void *)"D1";
    ok(said(&s, 0, "lagrangian.D1 and D2", "for small h, it is"), "one whose D1 is wrong by 1e-5");
    s.ctx = (void *)"dLdv";
    ok(said(&s, 0, "lagrangian.dLdv", "but by the momenta, with q' = H_p, it is"), "another L than that of H");
}

/* --- arguments, memory, threads ---------------------------------------------------------------------------------- */

static void arguments(void)
{
    const lbr_system_report *r = NULL;
    lbr_system s = pendulum(NULL), empty = LBR_SYSTEM(.dim = 0);
    const double bad[] = { 1, NAN, 0, 0 };
    lbr_status status;

    ok(lbr_system_check(&s, NULL, NULL) == LBR_EARG, "nowhere to put the report");
    status = lbr_system_check(NULL, NULL, &r);
    ok(status == LBR_EARG && r && *r->message, "no system: %s", r ? r->message : "");
    lbr_system_report_free(r), status = lbr_system_check(&empty, NULL, &r);
    ok(status == LBR_EARG && strstr(r->message, "dimension is 0"), "no dimension: %s", r->message);
    lbr_system_report_free(r), status = lbr_system_check(&s, bad, &r);
    ok(status == LBR_EARG && !strcmp(r->message, "component 2 of y is nan"), "y: %s", r->message);
    lbr_system_report_free(r), s.defaults = NULL, status = lbr_system_check(&s, NULL, &r);
    ok(status == LBR_EARG && strstr(r->message, "no start"), "no start: %s", r->message);
    lbr_system_report_free(r), status = lbr_system_check(&s, start, &r);
    ok(status == LBR_OK && r->size == sizeof *r && r->n > 0, "with a start of the caller");
    lbr_system_report_free(r), lbr_system_report_free(NULL);
}

static void few_words(void)
{
    lbr_system s = LBR_SYSTEM(.dim = 2);

    s.defaults = &defaults;
    ok(wrongs(&s) == 0, "a system that gives nothing has nothing wrong");
}

/* Each allocation of a check fails once; of many, some. */
static void memory_of(const char *name, const lbr_system *s)
{
    const lbr_system_report *r = NULL;
    long before, n = 0, step = 1;
    int good = heap_wrapped() && !lbr_system_check(s, NULL, &r); /* models keep what their flows need */

    lbr_system_report_free(r);
    before = heap.live;
    do {
        lbr_status status;

        r = NULL;
        heap.calls = heap.refused = 0, heap.refuse = n += step, step = n < 300 ? 1 : n / 20;
        status = lbr_system_check(s, NULL, &r);
        heap.refuse = 0;
        good &= status == (heap.refused ? LBR_ENOMEM : LBR_OK) && !(heap.refused && r);
        lbr_system_report_free(r);
        good &= heap.live == before;
    } while (heap.refused && good);
    ok(good && n > 50, "%s: memory that is gone is told, whenever it is: %ld calls", name, n);
}

static void memory(void)
{
    static const char *const model[] = {
        "spherical-pendulum", "rigid-body-poisson", "heavy-top", "double-pendulum", "oja", "modes", "damped-pendulum"
    };
    static const lbr_lagrangian L = { sizeof L, dLdq, dLdv, D1, D2 };
    static const lbr_map_def map = { sizeof map, "mine", rotation, rotation, moved, 2, 1, 1 };
    lbr_system rod_system = pendulum("G sign"),
               turning = LBR_SYSTEM(.dim = 2, .nq = 1, .field = turned, .lagrangian = &L, .maps = &map, .nmaps = 1,
                                    .defaults = &defaults);

    memory_of("a rod", &rod_system), memory_of("a map and a Lagrangian", &turning);
    for (size_t i = 0; i < sizeof model / sizeof *model; i++) {
        lbr_problem *problem;
        const lbr_system *s = lbr_problem_open(&problem, model[i]) ? NULL : lbr_problem_system(problem);

        if (ok(s != NULL, "there is %s", model[i])) memory_of(model[i], s);
        lbr_problem_free(problem);
    }
}

static void *checking(void *ctx)
{
    lbr_system s = pendulum("G sign");

    for (int i = 0; i < 20; i++) {
        const lbr_system_report *r = NULL;

        *(int64_t *)ctx += !lbr_system_check(&s, NULL, &r) && r->wrong > 0;
        lbr_system_report_free(r);
    }
    return NULL;
}

static void threads(void)
{
    pthread_t thread[4];
    int64_t found[4] = { 0 };
    int good = 1;

    for (int i = 0; i < 4; i++) good &= !pthread_create(&thread[i], NULL, checking, &found[i]);
    for (int i = 0; i < 4 && good; i++) pthread_join(thread[i], NULL);
    for (int i = 0; i < 4; i++) good &= found[i] == 20;
    ok(good, "four threads check at the same time");
}

/* --- other times ------------------------------------------------------------------------------------------------- */

/* A driven oscillator, H = p^2/2 + q^2/2 - q sin(t). */
static int driven_energy(double t, const double *y, double *H, void *ctx)
{
    *H = 0.5 * (y[0] * y[0] + y[1] * y[1]) - y[0] * (is(ctx, "energy at rest") ? 0 : sin(t));
    return 0;
}

static int driven_force(double t, const double *q, double *f, void *ctx)
{
    *f = -q[0] + sin(is(ctx, "other frequency") ? 2 * t : t);
    return is(ctx, "one time") && t != 0;
}

static int driven_field(double t, const double *y, double *f, void *ctx)
{
    f[0] = y[1], f[1] = -y[0] + (is(ctx, "field at rest") ? 0 : sin(t));
    return is(ctx, "one time") && t != 0;
}

static void other_times(void)
{
    static const double mass[] = { 1 }, y0[] = { 1, 0.5 };
    static const lbr_defaults at[] = { { .size = sizeof *at, .y0 = y0 },
                                       { .size = sizeof *at, .y0 = y0, .step = 0.1, .steps = 1000000 } };
    static const struct {
        const char *mistake, *what;
    } row[] = { { "field at rest", "force" }, { "energy at rest", "force" }, { "other frequency", "force" } };

    for (int k = 0; k < 2; k++) {
        lbr_system s = LBR_SYSTEM(.name = "driven", .dim = 2, .nq = 1, .energy = driven_energy, .force = driven_force,
                                  .field = driven_field, .inverse_mass = mass, .energy_changes = "it depends on t",
                                  .defaults = at + k);

        ok(wrongs(&s) == 0, "a driven oscillator is right");
        s.ctx = (void *)"one time";
        ok(wrongs(&s) == 0, "and so it is where it is for one time only");
        for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
            s.ctx = (void *)row[i].mistake;
            ok(said(&s, 0, row[i].what, "; at t = "), "%s: found at another time", row[i].mistake);
        }
    }
}

int main(void)
{
    by_mistake();
    patterns(), halves();
    kept();
    flows();
    maps();
    other_times();
    lagrangians();
    arguments();
    few_words();
    memory();
    threads();
    return tap_done();
}
