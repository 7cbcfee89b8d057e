/* test_lanes.c - many trajectories side by side: each with the bits that it has alone, or nearly.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Every small model of the gallery, with the methods in turn: compiling takes long, of a model with 24 components five
 * seconds. In make test every second one of up to 12 components. */
#define _DEFAULT_SOURCE
#include "support/modelled.h"
#include "support/share.h"

#include "ensemble/block.h"
#include "kernel/fuse_model.h"
#include "syntax/gallery.h"
#include "stepper/stepper.h"

/* Start k: near that of the model. */
static void start(const modelled *x, const double *size, int64_t k, double *y)
{
    for (int64_t i = 0; i < x->m->dim; i++) y[i] = x->m->y0[i] + (k ? 0.01 * size[i] * any(200 + k, i) : 0);
}

/* count trajectories of n steps (in two calls) in lanes, and one by one by the interpreter: how many differ; -1: no
 * lanes. */
static int64_t differ(const modelled *x, const modelled *k, const char *method, const lbr_options *o, double h,
                      int64_t count, int64_t n, int64_t *width, int64_t *failures)
{
    int64_t dim = x->m->dim, bad = 0;
    double *size = calloc((size_t)(dim * (count + 3)), sizeof *size), *all = size + dim, *y = all + dim * count,
           *z = y + dim;
    lbr_plan *alone = NULL, *plan = NULL;
    lbr_block_run *run = NULL;
    lbr_message m = { 0 };

    sizes(x->m, size);
    for (int64_t i = 0; i < count; i++) start(x, size, i, all + i * dim);
    if (lbr_plan_create(&alone, method, x->s, o) || lbr_plan_create(&plan, method, k->s, o) ||
        lbr_block_create(&run, plan, count, &m))
        bad = -1;
    else {
        *width = lbr_block_width(run);
        bad += lbr_block_start(run, x->m->t0, h, all, &m) || lbr_block_steps(run, n / 3, &m) ||
               lbr_block_steps(run, n - n / 3, &m);
        for (int64_t i = 0; i < count && !bad; i++) {
            int64_t steps;
            lbr_status status = lbr_start(alone, x->m->t0, h, all + i * dim), got = lbr_block_read(run, i, &steps, z);

            if (!status) status = lbr_run(alone, n, 0, NULL, NULL);
            lbr_read(alone, NULL, y);
            *failures += status != 0;
            bad += status != got || steps != lbr_state_count(lbr_plan_state(alone)) ||
                   memcmp(y, z, (size_t)dim * sizeof *y);
        }
    }
    if (m.text[0] && bad >= 0) printf("# %s\n", m.text);
    lbr_block_free(run), lbr_plan_free(alone), lbr_plan_free(plan), free(size);
    return bad;
}

typedef struct row {
    const char *method;
    int compensated;
} row;
static const row rows[] = { { "stormer-verlet", 0 }, { "kahan-li-6-9", 1 }, { "rk4", 0 }, { "kutta-38", 1 } };
enum { ROWS = sizeof rows / sizeof *rows };

/* With method `only`, or with all of them (-1). */
static void model(const char *name, const char *text, double h, int only, int *used)
{
    modelled x, k;
    int64_t bad = 0, width = 0, tried = 0, failures = 0;

    if (!ok((text ? open_text(&x, text) : open_model(&x, name)) &&
                (text ? open_text(&k, text) : open_model(&k, name)) && !lbr_kernels_enable(k.m, NULL),
            "%s: a system", name))
        return;
    for (size_t i = 0; i < ROWS; i++) {
        lbr_options o;
        int64_t d;

        if (only >= 0 && i != (size_t)only) continue;
        lbr_options_init(&o), o.compensated = rows[i].compensated, o.exact_lanes = 1;
        d = differ(&x, &k, rows[i].method, &o, h, 37, 20, &width, &failures);
        tried += d >= 0, bad += d > 0;
        if (d > 0) printf("# %s: %d\n", rows[i].method, (int)d);
    }
    *used += (int)tried;
    ok(!bad, "%s: %d methods in lanes, %d of them side by side, %d trajectories failed alike: the bits of one alone",
       name, (int)tried, (int)width, (int)failures);
    close_model(&x), close_model(&k);
}

/* Every instruction set has its own width; results do not know it. */
static void widths(void)
{
    static const int isas[] = { LBR_ISA_BASELINE, LBR_ISA_V3, LBR_ISA_V4 };
    modelled x, k;

    if (!ok(open_model(&x, "henon-heiles") && open_model(&k, "henon-heiles") && !lbr_kernels_enable(k.m, NULL),
            "a system"))
        return;
    for (int i = 0; i < 3; i++)
        for (int64_t count = 1; count < 70; count += 17) {
            int64_t width = 0, failures = 0, bad;
            lbr_options o;

            lbr_options_init(&o), o.isa = isas[i];
            if (!lbr_isa_there(isas[i])) continue;
            bad = differ(&x, &k, "kahan-li-8-17", &o, 0.1, count, 300, &width, &failures);
            ok(!bad && !failures, "isa %d, %d trajectories, width %d", i, (int)count, (int)width);
        }
    close_model(&x), close_model(&k);
}

/* Starts near a saddle: some escape, at different times, and stop there; the others do not notice. */
static void failing(void)
{
    static const char text[] = "canonical q, p\n"
                               "H = p^2/2 + q^2/2 - q^4/4\n"
                               "start q = 1, p = 0\n"
                               "run method = rk4, step = 1, steps = 1\n";
    modelled x, k;
    int64_t width, failures = 0, bad;

    if (!ok(open_text(&x, text) && open_text(&k, text) && !lbr_kernels_enable(k.m, NULL), "a system")) return;
    bad = differ(&x, &k, "stormer-verlet", NULL, 0.1, 90, 2000, &width, &failures);
    ok(!bad && failures > 9 && failures < 81, "%d of 90 fail, at the step where they fail alone; the others go on",
       (int)failures);
    close_model(&x), close_model(&k);
}

/* --- functions for all lanes at once ----------------------------------------------------------------------------- */

/* Where trajectory `which` of `count` ends under an instruction set; in lanes, or alone. 0: it does not run. */
static int ends(const modelled *x, int isa, int exact, int64_t count, int64_t which, int alone, double *y)
{
    int64_t dim = x->m->dim, done;
    double *size = calloc((size_t)(dim * (count + 1)), sizeof *size), *all = size + dim;
    lbr_plan *plan = NULL;
    lbr_block_run *run = NULL;
    lbr_message m = { 0 };
    lbr_options o;
    int good;

    lbr_options_init(&o), o.isa = isa, o.exact_lanes = exact;
    sizes(x->m, size);
    for (int64_t i = 0; i < count; i++) start(x, size, count == 1 ? which : i, all + i * dim);
    good = !lbr_plan_create(&plan, "stormer-verlet", x->s, &o);
    if (good && alone)
        good = !lbr_start(plan, x->m->t0, 0.01, all + which % count * dim) && !lbr_run(plan, 100, 0, NULL, NULL) &&
               !lbr_read(plan, NULL, y);
    else if (good)
        good = !lbr_block_create(&run, plan, count, &m) && !lbr_block_start(run, x->m->t0, 0.01, all, &m) &&
               !lbr_block_steps(run, 100, &m) && !lbr_block_read(run, count == 1 ? 0 : which, &done, y);
    if (m.text[0]) printf("# %s\n", m.text);
    lbr_block_free(run), lbr_plan_free(plan), free(size);
    return good;
}

static double apart(int64_t n, const double *a, const double *b)
{
    double worst = 0;

    for (int64_t i = 0; i < n; i++) worst = fmax(worst, fabs(a[i] - b[i]) / (1 + fabs(b[i])));
    return worst;
}

/* Without exact_lanes: near to what libm gives, and the same whatever the instruction set, the place and the number of
 * them. */
static void together(void)
{
    static const char text[] = "canonical q[3], p[3]\n"
                               "H = sq(p)/2 - cos(q[1]) + exp(sin(q[2])) + log(2 + q[3]^2) + tan(q[1]*q[2]/9)^2\n"
                               "start q = [0.3, 0.2, 0.1], p = [1, -0.5, 0.2]\n"
                               "run method = rk4, step = 1, steps = 1\n";
    static const int isas[] = { LBR_ISA_BASELINE, LBR_ISA_V3, LBR_ISA_V4 };
    modelled x;
    double alone[6], first[6], y[6];
    int bad = 0, differs = 0, tried = 0;

    if (!ok(open_text(&x, text) && !lbr_kernels_enable(x.m, NULL), "a system with functions")) return;
    for (int64_t k = 0; k < 33; k += 4) {
        ok(ends(&x, LBR_ISA_AUTO, 0, 1, k, 1, alone) && ends(&x, LBR_ISA_AUTO, 0, 33, k, 0, first) &&
               apart(6, first, alone) < 1e-14,
           "trajectory %d: %.1e from what libm gives", (int)k, apart(6, first, alone));
        differs += memcmp(first, alone, sizeof alone) != 0;
        bad += !ends(&x, LBR_ISA_AUTO, 1, 33, k, 0, y) || memcmp(y, alone, sizeof y);
        for (int i = 0; i < 3; i++)
            if (lbr_isa_there(isas[i]))
                bad += !ends(&x, isas[i], 0, 1, k, 0, y) || memcmp(y, first, sizeof y),
                    bad += !ends(&x, isas[i], 0, 50, k, 0, y) || memcmp(y, first, sizeof y), tried++;
    }
    ok(!bad && tried >= 9,
       "the same bits alone in a block and among 33 or 50, for all instruction sets (%d); with exact_lanes those of "
       "libm",
       tried);
    ok(differs > 0, "and not those of libm without it: %d of 9 trajectories", differs);
    close_model(&x);
}

int main(int argc, char **argv)
{
    const char *with_all = share(1, 0, 0) ? "henon-heiles kepler pendulum lorenz mathieu reversible-drift"
                                          : "henon-heiles mathieu";
    const lbr_gallery_item *item;
    int used = 0, number = 0, every = (int)share(1, 4, 4);

    for (int64_t i = 0; (item = lbr_gallery(i)); i++) {
        modelled x;
        int small;

        if (strcmp(item->kind, "model") || (argc > 1 && strcmp(argv[1], item->name))) continue;
        small = open_model(&x, item->name) && x.m->dim <= share(32, 12, 12), close_model(&x);
        if (small && (argc > 1 || strstr(with_all, item->name))) model(item->name, NULL, 0.01, -1, &used);
        else if (small && number++ % every == 0) model(item->name, NULL, 0.01, number / every % ROWS, &used);
    }
    if (argc > 1) return tap_done();
    ok(used > share(25, 8, 8), "%d methods and models in lanes", used);
    model("loops",
          "param n = 12\n"
          "canonical q[n], p[n]\n"
          "H = sq(p)/2 + sum(k = 1..n, q[k]^2*q[wrap(k + 1, n)]^2 + k*q[k]^4)\n"
          "start q[k = 1..n] = 1/k, p = 0.1\n"
          "run method = rk4, step = 1, steps = 1\n",
          0.01, -1, &used);
    widths();
    failing();
    together();
    return tap_done();
}
