/* reproduce_cost.c - how much a run will cost, before it is made: steps times stages. SPDX-License-Identifier: BSD-3-Clause */
#include "reproduce.h"
#include "plan/flatten.h"

#include <math.h>

/* For H = T(p) + V(q), where a step of symplectic Euler is a kick and a drift. */
static int explicit_euler_steps(const lbr_system *s) { return s->force && (s->velocity || s->inverse_mass); }

/* Kicks and drifts in their order; neighbours of a kind are one, also over the end of a step. */
typedef struct kicks { char first, last;  int64_t n; } kicks;

static void join(kicks *k, char atom)
{
    if (!k->first) k->first = atom;
    k->n += atom == 'k' && k->last != 'k', k->last = atom;
}

/* A step of symplectic Euler is a kick and a drift, its adjoint a drift and a kick. */
static void euler(kicks *k, const lbr_step *step)
{
    if (step->c.hi == 0) return;
    join(k, step->adjoint ? 'd' : 'k');
    join(k, step->adjoint ? 'k' : 'd');
}

/* Evaluations of one step of the method. */
static double per_step(const lbr_flat *f, const lbr_system *s)
{
    kicks k = { 0 };
    double n = 0;

    for (int64_t i = 0; i < f->kernel.n; i++) {
        const lbr_step *step = f->kernel.step + i;
        const lbr_base *base = f->base + step->base;

        switch (base->kind) {
        case LBR_BASE_EULER: euler(&k, step); break;
        case LBR_BASE_RUNGE_KUTTA: n += (double)base->tableau->s * (base->tableau->is_explicit && !step->adjoint ? 1 : LBR_GUESSED_ITERATIONS); break;
        case LBR_BASE_PAIR: case LBR_BASE_ADDITIVE: n += (double)base->tableau->s * LBR_GUESSED_ITERATIONS; break;
        case LBR_BASE_NYSTROM: n += (double)base->nystrom->s * (base->nystrom->is_explicit && !step->adjoint ? 1 : LBR_GUESSED_ITERATIONS); break;
        case LBR_BASE_PARTS: n += (double)(base->nparts ? base->nparts : s->parts ? s->parts->count : 1); break;
        default: n++;
        }
    }
    k.n -= k.n > 1 && k.first == 'k' && k.last == 'k';
    return n + (double)k.n * (explicit_euler_steps(s) ? 1 : LBR_GUESSED_ITERATIONS);
}

double lbr_run_cost(const lbr_job *job)
{
    lbr_names names = { job->system->maps, job->system->nmaps, job->options.methods, job->options.nmethods };
    lbr_message why;
    lbr_arena arena = { 0 };
    lbr_flat flat = { 0 };
    double cost = NAN;

    if (!lbr_flatten(&flat, job->method, &names, 1, &arena, &why)) cost = (double)job->steps * per_step(&flat, job->system);
    lbr_arena_free(&arena);
    return cost;
}
