/* blocks.c - many trajectories side by side: block kernels against vectors written by hand.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Hénon-Heiles by the composition (HLW V.3.7), given as a table of one's own; the pendulum, with a sine in every step.
 * Uses the inside of the library. */
#define _DEFAULT_SOURCE
#include "bench.h"
#include "floors.h"

#include "ensemble/block.h"
#include "kernel/fuse_model.h"

enum { COUNT = 960, STEPS = 4096, ROUNDS = 40, STAGES = 6 };

/* Steps of symplectic Euler and, in turn, its adjoint: kicks first. */
static const char *const steps[] = {
    "0.082984406417405", "0.16231455076687",  "0.23399525073150",  "0.37087741497958",
    "-0.40993371990193", "0.059762097006575", "0.059762097006575", "-0.40993371990193",
    "0.37087741497958",  "0.23399525073150",  "0.16231455076687",  "0.082984406417405"
};
static const lbr_method own = { .size = sizeof own,
                                .name = "blanes-moan",
                                .form = "partitioned",
                                .b = { 12, steps },
                                .order = 4,
                                .symmetric = 1,
                                .symplectic = 1,
                                .digits = 13 };

static double seconds_by_hand(int64_t width)
{
    static _Alignas(64) double y[4 * 32];
    double A[STAGES], B[STAGES], t;

    for (int s = 0; s < STAGES; s++)
        A[s] = 0.1 * (atof(steps[2 * s]) + atof(steps[2 * s + 1])),
        B[s] = 0.1 * (atof(steps[2 * s + 1]) + atof(steps[(2 * s + 2) % 12]));
    for (int i = 0; i < 4 * 32; i++) y[i] = 0.1 + 0.001 * i / 128;
    t = now();
    for (int64_t k = 0; k < COUNT / width; k++)
        if (by_hand_lanes(width, STAGES, A, B, STEPS, y)) return -1;
    return (now() - t) * COUNT / (double)(COUNT / width * width);
}

/* --- a model in lanes -------------------------------------------------------------------------------------------- */

typedef struct laned {
    lbr_source source;
    lbr_model *m;
    lbr_plan *plan;
    lbr_block_run *run;
    double *y;
    lbr_message message;
} laned;

static int laned_open(laned *x, const char *model, const char *method, const lbr_options *options, double h)
{
    const lbr_system *s = NULL;

    *x = (laned){ .y = NULL };
    if (!lbr_source_open(&x->source, model) && !lbr_model_make(&x->m, &x->source, NULL, 0))
        s = lbr_model_system(x->m, &x->message);
    if (!s || lbr_kernels_enable(x->m, NULL) || lbr_plan_create(&x->plan, method, s, options) ||
        lbr_block_create(&x->run, x->plan, COUNT, &x->message) ||
        !(x->y = calloc((size_t)(COUNT * x->m->dim), sizeof *x->y)))
        return printf("no block kernel: %s %s\n", x->message.text, x->plan ? lbr_plan_message(x->plan) : ""), 0;
    for (int64_t i = 0; i < COUNT * x->m->dim; i++)
        x->y[i] = x->m->y0[i % x->m->dim] * (1 + 1e-3 * (double)(i / x->m->dim) / COUNT);
    if (lbr_block_start(x->run, 0, h, x->y, &x->message) || lbr_block_steps(x->run, 1, &x->message))
        return printf("%s\n", x->message.text), 0;
    return 1;
}

static void laned_close(laned *x)
{
    lbr_block_free(x->run), lbr_plan_free(x->plan), lbr_model_free(x->m), lbr_source_free(&x->source), free(x->y);
}

static double seconds_in_lanes(laned *x)
{
    double t = now();

    lbr_block_steps(x->run, STEPS, &x->message);
    return now() - t;
}

static double seconds_alone(laned *x, double h)
{
    double t;

    lbr_start(x->plan, 0, h, x->m->y0);
    t = now(), lbr_run(x->plan, STEPS, 0, NULL, NULL);
    return (now() - t) * COUNT;
}

#define MILLIONS(seconds) (1e-6 * COUNT * STEPS / (seconds))

/* --- what is measured -------------------------------------------------------------------------------------------- */

static void a_composition(void)
{
    lbr_options options;
    laned x;
    double ours = 1e300, other = 1e300, alone = 1e300, t;

    lbr_options_init(&options), options.methods = &own, options.nmethods = 1;
    if (laned_open(&x, "henon-heiles", "blanes-moan", &options, 0.1)) {
        for (int r = 0; r < ROUNDS; r++)
            ours = fmin(ours, seconds_in_lanes(&x)), t = seconds_by_hand(lbr_block_width(x.run)),
            other = fmin(other, t < 0 ? NAN : t), alone = fmin(alone, seconds_alone(&x, 0.1));
        printf("Henon-Heiles, (V.3.7) as a table of one's own\n"
               "%d side by side: %.0f; vectors by hand, as many: %.0f; ratio %.3f (asked: 0.90 or more: %s); one "
               "trajectory alone: %.0f\n"
               "\n",
               (int)lbr_block_width(x.run), MILLIONS(ours), MILLIONS(other), other / ours,
               other / ours >= 0.9 ? "yes" : "NO", MILLIONS(alone));
    }
    laned_close(&x);
}

/* One sine in each step: for all lanes at once, or libm's for one after the other. */
static void a_sine(void)
{
    lbr_options options;
    laned x, exact;
    double together = 1e300, one_by_one = 1e300, alone = 1e300;
    int open;

    lbr_options_init(&options);
    open = laned_open(&x, "pendulum", "stormer-verlet", &options, 0.1);
    options.exact_lanes = 1, open &= laned_open(&exact, "pendulum", "stormer-verlet", &options, 0.1);
    if (open) {
        for (int r = 0; r < ROUNDS / 4; r++)
            together = fmin(together, seconds_in_lanes(&x)), one_by_one = fmin(one_by_one, seconds_in_lanes(&exact)),
            alone = fmin(alone, seconds_alone(&x, 0.1));
        printf("Pendulum, Stormer-Verlet\n"
               "%d side by side: %.0f; with exact_lanes: %.0f (ratio %.1f); one trajectory alone: %.0f\n"
               "\n",
               (int)lbr_block_width(x.run), MILLIONS(together), MILLIONS(one_by_one), one_by_one / together,
               MILLIONS(alone));
    }
    laned_close(&x), laned_close(&exact);
}

int main(void)
{
    printf("Many trajectories side by side: %d of them [million steps of one trajectory per second and core]\n"
           "\n",
           COUNT);
    a_composition();
    a_sine();
    return 0;
}
