/* blocks.c - many trajectories side by side: block kernels against vectors written by hand. SPDX-License-Identifier: BSD-3-Clause
 *
 * Hénon-Heiles by the composition (HLW V.3.7), given as a table of one's own. Uses the inside of the library. */
#define _DEFAULT_SOURCE
#include "bench.h"
#include "floors.h"

#include "ensemble/block.h"
#include "kernel/fuse.h"

enum { COUNT = 960, STEPS = 4096, ROUNDS = 40, STAGES = 6 };

/* Steps of symplectic Euler and, in turn, its adjoint: kicks first. */
static const char *const steps[] = { "0.082984406417405", "0.16231455076687", "0.23399525073150", "0.37087741497958", "-0.40993371990193", "0.059762097006575",
                                     "0.059762097006575", "-0.40993371990193", "0.37087741497958", "0.23399525073150", "0.16231455076687", "0.082984406417405" };
static const lbr_method own = { .size = sizeof own, .name = "blanes-moan", .form = LBR_PARTITIONED, .b = { 12, steps }, .order = 4, .symmetric = 1, .symplectic = 1, .digits = 13 };

static double seconds_by_hand(int64_t width)
{
    static _Alignas(64) double y[4 * 32];
    double A[STAGES], B[STAGES], t;

    for (int s = 0; s < STAGES; s++) A[s] = 0.1 * (atof(steps[2 * s]) + atof(steps[2 * s + 1])), B[s] = 0.1 * (atof(steps[2 * s + 1]) + atof(steps[(2 * s + 2) % 12]));
    for (int i = 0; i < 4 * 32; i++) y[i] = 0.1 + 0.001 * i / 128;
    t = now();
    for (int64_t k = 0; k < COUNT / width; k++)
        if (by_hand_lanes(width, STAGES, A, B, STEPS, y)) return -1;
    return (now() - t) * COUNT / (double)(COUNT / width * width);
}

int main(void)
{
    lbr_source source = { 0 };
    lbr_model *m = NULL;
    lbr_message message = { "" };
    lbr_options options;
    lbr_plan *plan = NULL;
    lbr_block_run *run = NULL;
    const lbr_system *s = NULL;
    static double y[4 * COUNT];
    double ours = 1e300, other = 1e300, alone = 1e300, t;

    lbr_options_init(&options), options.methods = &own, options.nmethods = 1;
    if (!lbr_source_open(&source, "henon-heiles") && !lbr_model_make(&m, &source, NULL, 0)) s = lbr_model_system(m, &message);
    if (!s || lbr_kernels_enable(m, NULL) || lbr_plan_create(&plan, "blanes-moan", s, &options) || lbr_block_create(&run, plan, COUNT, &message))
        return printf("no block kernel: %s %s\n", message.text, plan ? lbr_plan_message(plan) : ""), 1;
    for (int i = 0; i < 4 * COUNT; i++) y[i] = m->y0[i % 4] * (1 + 1e-3 * (i / 4) / COUNT);
    if (lbr_block_start(run, 0, 0.1, y, &message) || lbr_block_steps(run, 1, &message)) return printf("%s\n", message.text), 1;
    for (int r = 0; r < ROUNDS; r++) {
        t = now(), lbr_block_steps(run, STEPS, &message), ours = fmin(ours, now() - t);
        t = seconds_by_hand(lbr_block_width(run)), other = fmin(other, t < 0 ? NAN : t);
        if (!lbr_start(plan, 0, 0.1, m->y0)) t = now(), lbr_run(plan, STEPS, 0, NULL, NULL), alone = fmin(alone, (now() - t) * COUNT);
    }
    printf("Many trajectories side by side: Henon-Heiles, (V.3.7) as a table of one's own, %d trajectories [million steps of one trajectory per second and core]\n\n"
           "%d side by side: %.0f; vectors by hand, as many: %.0f; ratio %.3f (asked: 0.90 or more: %s); one trajectory alone: %.0f\n\n",
           COUNT, (int)lbr_block_width(run), 1e-6 * COUNT * STEPS / ours, 1e-6 * COUNT * STEPS / other, other / ours, other / ours >= 0.9 ? "yes" : "NO", 1e-6 * COUNT * STEPS / alone);
    lbr_block_free(run), lbr_plan_free(plan), lbr_model_free(m), lbr_source_free(&source);
    return 0;
}
