/* reproduce_cost.c - how much a run will cost, before it is made: steps times stages.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "reproduce.h"
#include "plan/kind.h"

#include <math.h>

/* The step before step i that does something, also over the end of the method; NULL: there is no other. */
static const lbr_step *before(lbr_steps all, int64_t i)
{
    for (int64_t k = 1; k < all.n; k++) {
        const lbr_step *s = &all.step[(i + all.n - k) % all.n];

        if (s->c.hi != 0) return s->base == all.step[i].base ? s : NULL;
    }
    return NULL;
}

/* Evaluations of one step of the method. */
static double per_step(const lbr_flat *f, const lbr_system *s)
{
    double n = 0;

    for (int64_t i = 0; i < f->kernel.n; i++) {
        const lbr_step *step = f->kernel.step + i;
        const lbr_base *base = f->base + step->base;

        n += base->kind->cost ? base->kind->cost(base, step, before(f->kernel, i), s) : 1;
    }
    return n;
}

double lbr_run_cost(const lbr_job *job)
{
    lbr_names names = { job->system->maps, job->system->nmaps, job->options.methods, job->options.nmethods };
    lbr_message why;
    lbr_arena arena = { 0 };
    lbr_flat flat = { 0 };
    double cost = NAN;

    if (!lbr_flatten(&flat, job->method, &names, 1, &arena, &why))
        cost = (double)job->steps * per_step(&flat, job->system) * (job->options.precision ? LBR_COST_EXTENDED : 1);
    lbr_arena_free(&arena);
    return cost;
}
