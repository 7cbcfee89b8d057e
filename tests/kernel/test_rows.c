/* test_rows.c - kernels of implicit methods with stages side by side: the interpreter's bits, counts and failures.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Forces with divisions or roots, or of many components, which are what puts stages side by side
 * (kernel/fuse_model.c), each with something else: masses, time, a place where the force has no value, one where no
 * step is solved, a single component. */
#include "support/outcome.h"
#include "support/share.h"

#include "kernel/fuse_model.h"

#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))

static const struct {
    const char *about, *text;
    double h;
    int64_t steps;
    lbr_status ends;
} problem[] = {
    { "Kepler's problem", "canonical q[2], p[2]\nH = sq(p)/2 - 1/norm(q)\nstart q = [0.4, 0], p = [0, 2]\n", 0.05, 200,
      LBR_OK },
    { "masses and a force that depends on t",
      "canonical q[3], p[3]\nlet m = [1, 2.5, 0.3]\n"
      "H = p[1]^2/(2*m[1]) + p[2]^2/(2*m[2]) + p[3]^2/(2*m[3]) + sqrt(1 + sq(q))/(2 + sin(t)) - q[1]*cos(3*t)\n"
      "start q = [0.4, 0.1, -1], p = [0, 2, 0.3]\n",
      0.1, 150, LBR_OK },
    { "the same, without functions of libm",
      "canonical q[3], p[3]\nlet m = [1, 2.5, 0.3]\n"
      "H = p[1]^2/(2*m[1]) + p[2]^2/(2*m[2]) + p[3]^2/(2*m[3]) + sqrt(1 + sq(q))/(2 + t/(1 + t)) - q[1]*t/(2 + t)\n"
      "start q = [0.4, 0.1, -1], p = [0, 2, 0.3]\n",
      0.1, 150, LBR_OK },
    { "one component", "canonical q, p\nH = p^2/2 + sqrt(1 + q^2)\nstart q = 0.4, p = 2\n", 0.2, 300, LBR_OK },
    { "springs, without any division",
      "canonical q[6], p[6]\nH = sq(p)/2 + sum(i = 1..5, (q[i + 1] - q[i])^2/2 + (q[i + 1] - q[i])^4/4) + sq(q)/2\n"
      "start q = [0.4, 0.1, -1, 0.7, 0, 0.2], p = [0, 2, 0.3, 0, -1, 0.5]\n",
      0.1, 150, LBR_OK },
    { "a force without a value beyond a wall",
      "canonical q[2], p[2]\nH = sq(p)/2 - sqrt(4 - q[1]) + q[2]^2/(3 + q[1])\nstart q = [0.4, 0.2], p = [1, 0]\n", 0.1,
      200, LBR_ENOCONV },
    { "steps that are too large",
      "canonical q[2], p[2]\nH = sq(p)/2 + q[1]^4*sq(q)/(1 + q[2]^2)\nstart q = [1, 1], p = [0, 2]\n", 2.5, 200,
      LBR_ENOCONV },
};

static const char *const method[] = {
    "gauss:3",      "gauss:4", "gauss:5",      "gauss:8",  "radau-2a:3", "radau-1a:4", "lobatto-3c:3",       "gauss:12",
    "lobatto-3s:4", "gauss:2", "lobatto-3c:5", "gauss:16", "gauss:6",    "gauss:7",    "adjoint(radau-2a:5)"
};
static const char *const starting[] = { "auto", "field", "output", "one-call", "two-calls", "equistage", "two-step" };

/* Both ways, in one call and in two, and what a checkpoint of the kernel is for the interpreter. */
static int restarts(const modelled *plain, const modelled *fused, const char *m, const lbr_options *options, double h,
                    int64_t steps, const double *want)
{
    lbr_plan *a = NULL, *b = NULL;
    const void *bytes;
    double *y = calloc((size_t)plain->m->dim, sizeof *y);
    size_t size;
    int good;

    good = !lbr_plan_create(&a, m, plain->s, options) && !lbr_plan_create(&b, m, fused->s, options) &&
           !lbr_start(b, 0, h, plain->m->y0) && !lbr_run(b, steps / 3, 0, NULL, NULL) &&
           (bytes = lbr_state_bytes(lbr_plan_state(b), &size)) && !lbr_state_restore(lbr_plan_state(a), bytes, size) &&
           !lbr_run(a, steps - steps / 3, 0, NULL, NULL) && !lbr_run(b, steps - steps / 3, 0, NULL, NULL) &&
           !lbr_read(a, NULL, y) && !memcmp(y, want, (size_t)plain->m->dim * sizeof *y) && !lbr_read(b, NULL, y) &&
           !memcmp(y, want, (size_t)plain->m->dim * sizeof *y);
    lbr_plan_free(a), lbr_plan_free(b), free(y);
    return good;
}

static void way(int i, const modelled *plain, const modelled *fused, const char *m, const char *begin, int compensated,
                int *tried)
{
    double h = problem[i].h;
    int64_t n = problem[i].steps;
    lbr_options options;
    outcome a, b;

    lbr_options_init(&options), options.compensated = compensated;
    lbr_option_set(&options, "starting_values", begin), lbr_option_set(&options, "solver", "fixed-point");
    go(plain, m, &options, h, n, &a);
    if (!a.made) {
        go(fused, m, &options, h, n, &b), ++*tried;
        ok(same(&a, &b, plain->m->dim) && !strcmp(b.kernel, "fused") && a.run == problem[i].ends,
           "%s, %s, %s%s: the same bits, counts, failures %s", problem[i].about, m, begin,
           compensated ? ", compensated" : "", a.message);
        if (!a.run)
            ok(restarts(plain, fused, m, &options, h, n, a.y), "... also when it is interrupted and goes on elsewhere");
        free(b.y);
    }
    free(a.y);
}

int main(void)
{
    for (int i = 0; i < COUNT(problem); i++) {
        modelled plain, fused;
        lbr_kernels_report report = { 0 };
        int tried = 0, number = 3 * i;

        if (!ok(open_text(&plain, problem[i].text) && open_text(&fused, problem[i].text) &&
                    !lbr_kernels_enable(fused.m, NULL),
                "%s", problem[i].about))
            continue;
        lbr_kernels_ask(fused.m, LBR_COMPILE_WAIT, &report);
        for (int k = 0; k < COUNT(method); k++)
            for (int s = 0; s < COUNT(starting); s++)
                if (in_share(number++, 31, 53)) way(i, &plain, &fused, method[k], starting[s], number / 2 % 2, &tried);
        ok(tried > 0, "%s: %d ways", problem[i].about, tried);
        close_model(&plain), close_model(&fused);
    }
    return tap_done();
}
