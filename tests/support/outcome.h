/* outcome.h - what becomes of steps of a model: the state, the counts, the largest errors, the failure.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef OUTCOME_H
#define OUTCOME_H
#include "modelled.h"

enum { MOST_WATCHED = 64 };

typedef struct outcome {
    lbr_status made, run;
    double *y, worst[MOST_WATCHED];
    lbr_stats stats;
    char message[512], kernel[16];
} outcome;

/* H and the invariants at the start. */
__attribute__((unused)) static void watch(const modelled *x, double *first)
{
    int64_t at = 0;

    if (x->s->energy) x->s->energy(x->m->t0, x->m->y0, first + at++, x->s->ctx);
    for (int k = 0; k < x->m->ninvariants; k++) {
        const lbr_invariant *v = x->s->invariants->item + k;

        v->value(x->m->t0, x->m->y0, first + at, v->ctx), at += v->len;
    }
}

__attribute__((unused)) static int64_t watched(const modelled *x)
{
    int64_t n = x->s->energy != NULL;

    for (int k = 0; k < x->m->ninvariants; k++) n += x->s->invariants->item[k].len;
    return n;
}

__attribute__((unused)) static void go(const modelled *x, const char *method, const lbr_options *options, double h,
                                       int64_t steps, outcome *o)
{
    lbr_plan *plan;
    double *first = calloc((size_t)watched(x) + 1, sizeof *first);

    memset(o, 0, sizeof *o);
    o->y = calloc((size_t)x->m->dim, sizeof *o->y);
    o->made = lbr_plan_create(&plan, method, x->s, options);
    if (!o->made) {
        snprintf(o->kernel, sizeof o->kernel, "%s", lbr_plan_kernel(plan));
        watch(x, first);
        o->run = lbr_start(plan, x->m->t0, h, x->m->y0);
        if (!o->run) lbr_state_watch(lbr_plan_state(plan), first, o->worst);
        if (!o->run) o->run = lbr_run(plan, steps, 0, NULL, NULL);
        lbr_read(plan, NULL, o->y);
        o->stats = *lbr_plan_stats(plan);
    }
    snprintf(o->message, sizeof o->message, "%s", lbr_plan_message(plan));
    lbr_plan_free(plan), free(first);
}

__attribute__((unused)) static int same(const outcome *a, const outcome *b, int64_t n)
{
    return a->made == b->made && a->run == b->run && !strcmp(a->message, b->message) &&
           !memcmp(a->y, b->y, (size_t)n * sizeof *a->y) && !memcmp(a->worst, b->worst, sizeof a->worst) &&
           !memcmp(&a->stats, &b->stats, sizeof a->stats);
}
#endif
