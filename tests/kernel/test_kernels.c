/* test_kernels.c - models as machine code: the interpreter's bits, whatever the method; what compiles once.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Every model of the gallery with a method of each template, stepped by the interpreter and by a fused kernel: the same
 * state, the same counts, the same largest errors, the same failures. In make test a model has one method of its list
 * or a third of them, each model others; in make test-long all of them. */
#define _DEFAULT_SOURCE
#include "support/outcome.h"
#include "support/share.h"

#include "kernel/fuse_model.h"
#include "syntax/gallery.h"

enum { STEPS = 40 };

/* --- every model ------------------------------------------------------------------------------------------------- */

typedef struct row {
    const char *method;
    int compensated;
} row;

static const row few[] = { { "stormer-verlet", 0 },
                           { "rk4", 1 },
                           { "gauss:2", 0 },
                           { "stormer-verlet", 0 } }; /* two of them in turn for each model */
static const row many[] = { { "stormer-verlet-b", 0 }, { "symplectic-euler", 0 },
                            { "kahan-li-8-17", 1 },    { "compose(suzuki:4, symplectic-euler)", 0 },
                            { "explicit-euler", 0 },   { "rk4", 0 },
                            { "midpoint", 1 },         { "gauss:6", 0 },
                            { "lobatto-3a:3", 0 },     { "compose(kahan-li-6-9, midpoint)", 0 },
                            { "adjoint(rk4)", 0 },     { "split(strang)", 0 },
                            { "trapezoidal", 0 } };

/* number: of the model; it has one of `of` rows in make test, beginning with another one for each model. */
static void model(const char *name, const char *text, double h, const row *rows, int n, int number, int of, int *fused)
{
    modelled x, k;
    lbr_kernels_report report = { 0 };
    int good = 1, tried = 0;

    if (!ok((text ? open_text(&x, text) : open_model(&x, name)) &&
                (text ? open_text(&k, text) : open_model(&k, name)) && !lbr_kernels_enable(k.m, NULL),
            "%s: a system", name))
        return;
    lbr_kernels_ask(k.m, LBR_COMPILE_WAIT, &report);
    for (int i = 0; i < n; i++) {
        lbr_options options;
        outcome a, b;

        if (!in_share(i + number, 2 * of, 2 * of)) continue;
        lbr_options_init(&options), options.compensated = rows[i].compensated;
        go(&x, rows[i].method, &options, h, STEPS, &a), go(&k, rows[i].method, &options, h, STEPS, &b);
        tried += !a.made, *fused += !strcmp(b.kernel, "fused");
        if (!same(&a, &b, x.m->dim)) good = 0, printf("# %s: %s | %s\n", rows[i].method, a.message, b.message);
        free(a.y), free(b.y);
    }
    ok(good && !*report.message.text, "%s: the same bits, counts, errors, failures with %d methods; %d kernels %s",
       name, tried, report.kernels, report.message.text);
    close_model(&x), close_model(&k);
}

/* The functions themselves, for methods that nobody fuses. */
static void functions(const char *name, const char *method, double h)
{
    modelled x, k;
    lbr_kernels_report report = { 0 };
    outcome a, b;

    if (!ok(open_model(&x, name) && open_model(&k, name) && !lbr_kernels_enable(k.m, NULL), "%s: a system", name))
        return;
    k.m->functions->system.inside = NULL;
    lbr_kernels_functions(k.m, 0, &report);
    go(&x, method, NULL, h, STEPS, &a), go(&k, method, NULL, h, STEPS, &b);
    ok(report.functions && same(&a, &b, x.m->dim), "%s, %s: compiled functions have the same bits", name, method);
    free(a.y), free(b.y), close_model(&x), close_model(&k);
}

/* --- compiled once ----------------------------------------------------------------------------------------------- */

/* Models that differ in parameters have one text: how many kernels are compiled for all of them. */
static void sweep(void)
{
    static char text[400];
    int compiled = 0, kernels = 0, wrong = 0;

    for (int i = 0; i < 12; i++) {
        modelled x, k;
        lbr_kernels_report report = { 0 };
        outcome a, b;

        snprintf(text, sizeof text,
                 "param a = %.17g, n = 3, w[k = 1..n] = sqrt(a + k*%.17g)\n"
                 "canonical q[n], p[n]\n"
                 "H = sq(p)/2 + sum(k = 1..n, w[k]^2*q[k]^2/2) + a*q[1]^2*q[2] + exp(-a*q[3])\n"
                 "start q = 0.3, p = [0.1, 0, 0.2]\n"
                 "run method = rk4, step = 1, steps = 1\n",
                 0.37 + 0.11 * i, 1.3 - 0.07 * i);
        if (!open_text(&x, text) || !open_text(&k, text) || lbr_kernels_enable(k.m, NULL)) {
            wrong++;
            continue;
        }
        lbr_kernels_ask(k.m, LBR_COMPILE_WAIT, &report);
        go(&x, "stormer-verlet", NULL, 0.05, STEPS, &a), go(&k, "stormer-verlet", NULL, 0.05, STEPS, &b);
        wrong += !same(&a, &b, x.m->dim);
        compiled += report.compiled, kernels += report.kernels;
        free(a.y), free(b.y), close_model(&x), close_model(&k);
    }
    ok(!wrong && kernels == 12 && compiled <= 1,
       "12 models that differ in parameters: %d kernels, %d compiled now, each with its own bits", kernels, compiled);
}

int main(int argc, char **argv)
{
    const lbr_gallery_item *item;
    int fused = 0, number = 0;

    for (int64_t i = 0; (item = lbr_gallery(i)); i++) {
        if (strcmp(item->kind, "model") || (argc > 1 && strcmp(argv[1], item->name))) continue;
        if (!strcmp(item->name, "nbody")) model("nbody n=40", "use nbody: n = 40\n", 0.01, few, 3, 0, 2, &fused);
        else if (!strcmp(item->name, "lennard-jones-box"))
            model("lennard-jones-box n=27", "use lennard-jones-box: side = 3\n", 0.01, few, 3, 1, 2, &fused);
        else model(item->name, NULL, 0.01, few + number % 3, 2, 0, 2, &fused), number++;
    }
    if (argc > 1) return tap_done();
    ok(fused > share(60, 14, 14), "%d of them fused", fused);
    model("henon-heiles", NULL, 0.05, many, sizeof many / sizeof *many, 0, 3, &fused);
    model("outer-solar-system", NULL, 10, many, sizeof many / sizeof *many, 1, 3, &fused);
    model("rigid-body", NULL, 0.05, many, sizeof many / sizeof *many, 2, 3, &fused);
    model("forced",
          "canonical q[2], p[2]\n"
          "H = sqrt(1 + sq(p)) + sq(q)/2 + q[1]*sin(t)\n"
          "invariant P = p[1]*p[2], v = q\n"
          "start q = [1, 0.5], p = [0.2, 0.1]\n"
          "run method = rk4, step = 1, steps = 1\n",
          0.05, many, sizeof many / sizeof *many, 3, 3, &fused);
    model("a pole",
          "canonical q, p\n"
          "H = p^2/2 - 1/q\n"
          "start q = 1, p = -0.1\n"
          "run method = rk4, step = 1, steps = 1\n",
          0.05, many, sizeof many / sizeof *many, 4, 3, &fused);
    functions("rigid-body-poisson", "split(strang)", 0.05), functions("double-pendulum", "symplectic-euler", 0.01),
        functions("henon-heiles", "gauss:3", 0.1);
    sweep();
    return tap_done();
}
