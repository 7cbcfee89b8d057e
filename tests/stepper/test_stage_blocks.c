/* test_stage_blocks.c - implicit methods evaluate all stages in one call where a system can: the same bits, counts and
 * failures. SPDX-License-Identifier: BSD-3-Clause */
#include "support/tap.h"

#include <libration.h>

#include <math.h>
#include <string.h>

#define COUNT(x) ((int)(sizeof(x) / sizeof *(x)))

/* What was called, with how many states at most; the call from which on all fail. */
static int64_t single, blocks, widest, failing;

/* --- two oscillators, one driven; one by one, and side by side -----------------------------------------------------
 */

static void forces(double t, double a, double b, double *f)
{
    f[0] = -a / (1 + a * a) + 0.3 * b, f[1] = -b * b * b + 0.3 * a + sin(t);
}

static int force(double t, const double *q, double *f, void *ctx) { return single++, forces(t, q[0], q[1], f), 0; }

static int force_block(int64_t w, const double *t, const double *q, double *f, void *ctx)
{
    if (++blocks >= failing && failing) return 1;
    widest = w > widest ? w : widest;
    for (int64_t i = 0; i < w; i++) {
        double one[2];

        forces(t[i], q[i], q[w + i], one), f[i] = one[0], f[w + i] = one[1];
    }
    return 0;
}

/* --- a field -------------------------------------------------------------------------------------------------------
 */

static void rates(double t, double a, double b, double c, double *f)
{
    f[0] = b * c + sin(t), f[1] = -2 * a * c, f[2] = a * b / (1 + a * a);
}

static int field(double t, const double *y, double *f, void *ctx) { return single++, rates(t, y[0], y[1], y[2], f), 0; }

static int field_block(int64_t w, const double *t, const double *y, double *f, void *ctx)
{
    if (++blocks >= failing && failing) return 1;
    widest = w > widest ? w : widest;
    for (int64_t i = 0; i < w; i++) {
        double one[3];

        rates(t[i], y[i], y[w + i], y[2 * w + i], one);
        for (int k = 0; k < 3; k++) f[k * w + i] = one[k];
    }
    return 0;
}

/* --- runs ----------------------------------------------------------------------------------------------------------
 */

typedef struct outcome {
    lbr_status status;
    lbr_stats stats;
    double y[4];
    int64_t single, blocks, widest;
    int told; /* lbr_plan_steps says that stages are asked for together */
} outcome;

static outcome run(const lbr_system *s, const char *method, int compensated, int64_t fails)
{
    outcome o = { .y = { 0.4, -0.7, 0.9, 0.2 } };
    lbr_options options;
    lbr_plan *plan;

    lbr_options_init(&options), options.compensated = compensated;
    o.status = lbr_plan_create(&plan, method, s, &options);
    single = blocks = widest = 0, failing = fails;
    if (!o.status) o.status = lbr_start(plan, 0.25, 0.1, o.y);
    if (!o.status) o.status = lbr_run(plan, 100, 0, NULL, NULL);
    lbr_read(plan, NULL, o.y);
    if (lbr_plan_stats(plan)) o.stats = *lbr_plan_stats(plan);
    o.told = strstr(lbr_plan_steps(plan), "stages together") != NULL;
    o.single = single, o.blocks = blocks, o.widest = widest;
    lbr_plan_free(plan);
    return o;
}

static int same(const outcome *a, const outcome *b)
{
    return a->status == b->status && !memcmp(a->y, b->y, sizeof a->y) && !memcmp(&a->stats, &b->stats, sizeof a->stats);
}

static void compare(lbr_system *s, lbr_block_fn *block, lbr_block_fn fn, const char *method, int64_t stages)
{
    for (int compensated = 0; compensated < 2; compensated++) {
        outcome one, all, failed;

        *block = NULL, one = run(s, method, compensated, 0);
        *block = fn, all = run(s, method, compensated, 0);
        ok(!one.status && same(&one, &all), "%s on %s: the same bits and counts", method, s->name);
        ok(one.blocks == 0 && (stages > 1) == (all.blocks > 0) && all.widest == (stages > 1 ? stages : 0),
           "... %d blocks of %d states, %d single ones", (int)all.blocks, (int)all.widest, (int)all.single);
        ok(!one.told, "... without a block nothing is said of it");
        ok(all.told == (stages > 1), "... with one it is, where it is used");
        ok(all.single + stages * all.blocks == one.single, "... as many evaluations in all");
        if (stages < 2) continue;
        failed = run(s, method, compensated, all.blocks / 2);
        ok(failed.status == LBR_ECALLBACK && failed.stats.iterations < all.stats.iterations, "... a failure is one");
    }
}

int main(void)
{
    static const struct {
        const char *method;
        int64_t stages; /* that are solved for */
    } m[] = { { "gauss:2", 2 },      { "gauss:3", 3 },  { "gauss:8", 8 }, { "radau-2a:3", 3 },
              { "lobatto-3a:4", 3 }, { "midpoint", 1 }, { "rk4", 0 } };
    const double masses[] = { 1, 0.5 };
    lbr_system two = LBR_SYSTEM(.name = "two", .dim = 4, .nq = 2, .force = force, .inverse_mass = masses),
               three = LBR_SYSTEM(.name = "three", .dim = 3, .field = field);

    for (int i = 0; i < COUNT(m); i++) {
        compare(&two, &two.force_block, force_block, m[i].method, m[i].stages);
        compare(&three, &three.field_block, field_block, m[i].method, m[i].stages);
    }
    return tap_done();
}
