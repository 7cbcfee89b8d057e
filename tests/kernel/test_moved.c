/* test_moved.c - a trajectory that goes over to a kernel in the middle: the bits it has without.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What a run does when its kernel is ready (execute/execute_kernel.c): the state moves as bytes from a plan that is
 * interpreted to one that is fused, and what is watched goes with it. After 0, 1, 1023 and 1024 steps (chunks have
 * 1024), and back again. */
#define _DEFAULT_SOURCE
#include "support/modelled.h"

#include "kernel/fuse_model.h"

enum { STEPS = 2100, WATCHED = 8 };

typedef struct side {
    modelled x;
    lbr_plan *plan;
} side;
typedef struct seen {
    double y[64], worst[WATCHED];
    lbr_stats stats;
    int64_t n;
    lbr_status status;
} seen;

static int open_side(side *s, const char *text, const char *method, const lbr_options *options, int fused)
{
    *s = (side){ 0 };
    if (!open_text(&s->x, text) || (fused && lbr_kernels_enable(s->x.m, NULL)) ||
        lbr_plan_create(&s->plan, method, s->x.s, options))
        return 0;
    return !strcmp(lbr_plan_kernel(s->plan), fused ? "fused" : "callback");
}

static void close_side(side *s) { lbr_plan_free(s->plan), close_model(&s->x); }

/* `first` steps by one, the others by the other. */
static void go(side *one, side *other, int64_t first, seen *o)
{
    const lbr_model *m = one->x.m;
    lbr_state *s = lbr_plan_state(one->plan), *t = lbr_plan_state(other->plan);
    double start[WATCHED] = { 0 };
    const void *bytes;
    size_t size;

    memset(o, 0, sizeof *o);
    one->x.s->energy(m->t0, m->y0, start, one->x.s->ctx);
    o->status = lbr_state_start(s, m->t0, 0.05, m->y0);
    if (!o->status) o->status = lbr_state_watch(s, start, o->worst);
    if (!o->status) o->status = lbr_state_run(s, first, 0, NULL, NULL);
    bytes = lbr_state_bytes(s, &size);
    if (!o->status) o->status = lbr_state_restore(t, bytes, size);
    if (!o->status) o->status = lbr_state_watch(t, start, o->worst);
    if (!o->status) o->status = lbr_state_run(t, STEPS - first, 0, NULL, NULL);
    lbr_state_read(t, NULL, o->y);
    o->stats = *lbr_state_stats(t), o->n = lbr_state_count(t);
    lbr_state_watch(s, NULL, NULL), lbr_state_watch(t, NULL, NULL);
}

static void moved(const char *what, const char *text, const char *method, int compensated)
{
    static const int64_t after[] = { 0, 1, 1023, 1024, STEPS };
    lbr_options options;
    side plain, fused;
    seen alone, o;
    int good = 1;

    lbr_options_init(&options), options.compensated = compensated;
    if (ok(open_side(&plain, text, method, &options, 0) & open_side(&fused, text, method, &options, 1),
           "%s, %s: both plans", what, method)) {
        go(&plain, &plain, STEPS, &alone);
        for (int i = 0; i < (int)(sizeof after / sizeof *after); i++) {
            go(&plain, &fused, after[i], &o), good &= !memcmp(&o, &alone, sizeof o);
            go(&fused, &plain, after[i], &o), good &= !memcmp(&o, &alone, sizeof o);
        }
        ok(good && alone.worst[0] > 0,
           "%s, %s%s: moved to a kernel or back after 0, 1, 1023, 1024 steps, all bits and counts are the same", what,
           method, compensated ? ", compensated" : "");
    }
    close_side(&plain), close_side(&fused);
}

int main(void)
{
    static const char heiles[] = "canonical q[2], p[2]\n"
                                 "H = sq(p)/2 + sq(q)/2 + q[1]^2*q[2] - q[2]^3/3\n"
                                 "start q = [0, 0.1], p = [0.4, 0.2]\n"
                                 "run method = rk4, step = 1, steps = 1\n";
    static const char forced[] = "canonical q[2], p[2]\n"
                                 "H = sqrt(1 + sq(p)) + sq(q)/2 + q[1]*sin(t)/10\n"
                                 "start q = [1, 0.5], p = [0.2, 0.1]\n"
                                 "run method = rk4, step = 1, steps = 1\n";
    static const char chain[] = "param n = 24\n"
                                "canonical q[n], p[n]\n"
                                "H = sq(p)/2 + sum(i = 1..n - 1, (q[i + 1] - q[i])^2/2 + (q[i + 1] - q[i])^4/40)\n"
                                "start q[i = 1..n] = sin(i), p = 0\n"
                                "run method = rk4, step = 1, steps = 1\n";
    static const char *const method[] = {
        "stormer-verlet", "kahan-li-8-17", "rk4", "gauss:2", "gauss:6", "lobatto-3a:3"
    };

    for (int i = 0; i < (int)(sizeof method / sizeof *method); i++)
        for (int compensated = 0; compensated < 2; compensated++)
            moved("Henon-Heiles", heiles, method[i], compensated), moved("a chain", chain, method[i], compensated);
    moved("forced", forced, "rk4", 1), moved("forced", forced, "gauss:4", 0);
    return tap_done();
}
