/* block.c - many trajectories of one plan at once, in lanes. SPDX-License-Identifier: BSD-3-Clause
 *
 * A state of the plan is the bench: there a trajectory takes its first step (starting procedures are not for lanes), is
 * read, and repeats what has failed in its block. The last block is filled up with copies; so is the lane of a
 * trajectory that has failed. */
#include "block.h"

#include <string.h>

enum { CHUNK = 256, ALIGNMENT = 64 };

struct lbr_block_run {
    const lbr_plan *plan;
    lbr_state *bench;
    lbr_lanes lanes;
    int64_t count, W, blocks, size; /* size: numbers of a block */
    double *V, *kept;               /* all blocks; one as it was before a chunk */
    int64_t n, *failed_n;           /* steps done; of a trajectory that has failed, until then */
    int *status;                    /* of each trajectory */
    double *own;                    /* the saved doubles of those that have failed */
    int primed, started;
    double t0, h;
    lbr_arena arena;
};

int64_t lbr_block_width(const lbr_block_run *r) { return r->W; }

/* Number i of the saved doubles of lane L (stepper.h). */
static int64_t place(const lbr_block_run *r, int64_t i, int64_t L)
{
    const lbr_lanes *l = &r->lanes;

    return ((i / l->segment * l->groups + L / l->width) * l->segment + i % l->segment) * l->width + L % l->width;
}

static double *block_of(const lbr_block_run *r, int64_t k) { return r->V + k / r->W * r->size; }

static void put(lbr_block_run *r, int64_t k, const double *v)
{
    double *V = block_of(r, k);

    for (int64_t i = 0; i < r->plan->setup.nstate; i++) V[place(r, i, k % r->W)] = v[i];
}

static void get(const lbr_block_run *r, int64_t k, double *v)
{
    const double *V = block_of(r, k);

    for (int64_t i = 0; i < r->plan->setup.nstate; i++) v[i] = V[place(r, i, k % r->W)];
}

/* --- life -------------------------------------------------------------------------------------------------------- */

static lbr_status make(lbr_block_run *r, lbr_message *m)
{
    const lbr_setup *set = &r->plan->setup;
    lbr_status status;
    char *memory;

    if (!set->stepper->lanes) return lbr_fail(m, LBR_EUNFIT, "the %s stepper has no lanes", set->stepper->name);
    if ((status = set->stepper->lanes(set, &r->lanes, &r->arena, m))) return status;
    r->W = r->lanes.groups * r->lanes.width;
    r->blocks = (r->count + r->W - 1) / r->W, r->size = set->nstate * r->W;
    if (r->size > INT64_MAX / 16 / (r->blocks + 1))
        return lbr_fail(m, LBR_ENOMEM, "out of memory for %lld trajectories", (long long)r->count);
    memory = lbr_arena_alloc(&r->arena, (r->blocks + 1) * r->size + ALIGNMENT, sizeof *r->V);
    r->status = lbr_arena_alloc(&r->arena, r->count, sizeof *r->status),
    r->failed_n = lbr_arena_alloc(&r->arena, r->count, sizeof *r->failed_n);
    r->own = lbr_arena_alloc(&r->arena, r->count * set->nstate, sizeof *r->own);
    if (!memory || !r->status || !r->failed_n || !r->own || lbr_state_create(&r->bench, r->plan))
        return lbr_fail(m, LBR_ENOMEM, "out of memory for %lld trajectories", (long long)r->count);
    r->V = (double *)(void *)(((uintptr_t)memory + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
    r->kept = r->V + r->blocks * r->size;
    return LBR_OK;
}

lbr_status lbr_block_create(lbr_block_run **run, const lbr_plan *plan, int64_t count, lbr_message *m)
{
    lbr_block_run *r;
    lbr_status status;

    *run = NULL;
    if (!plan || !plan->setup.stepper || count < 1) return lbr_fail(m, LBR_EARG, "there is no plan, or no trajectory");
    if (!(r = lbr_mem_alloc(sizeof *r))) return lbr_fail(m, LBR_ENOMEM, "out of memory");
    r->plan = plan, r->count = count;
    if ((status = make(r, m))) lbr_block_free(r);
    else *run = r;
    return status;
}

void lbr_block_free(lbr_block_run *r)
{
    if (!r) return;
    lbr_state_free(r->bench);
    lbr_arena_free(&r->arena);
    lbr_mem_free(r);
}

/* --- the bench --------------------------------------------------------------------------------------------------- */

/* A trajectory whose saved doubles are v, after n steps, on the bench. */
static void lay(lbr_block_run *r, const double *v, int64_t n)
{
    lbr_work *w = &r->bench->work;

    w->head->n = n, w->head->primed = n > 0, w->head->t0 = r->t0, w->head->h = r->h;
    w->head->newton = w->head->matrix = 0, w->matrix_ready = 0;
    memcpy(w->v, v, (size_t)r->plan->setup.nstate * sizeof *v);
}

/* It has failed: its lane becomes a copy of one that has not, so that it disturbs nobody. */
static void retire(lbr_block_run *r, int64_t k, lbr_status status)
{
    int64_t first = k / r->W * r->W;

    r->status[k] = (int)status, r->failed_n[k] = r->bench->work.head->n;
    memcpy(r->own + k * r->plan->setup.nstate, r->bench->work.v, (size_t)r->plan->setup.nstate * sizeof *r->own);
    for (int64_t j = first; j < first + r->W && j < r->count; j++)
        if (!r->status[j]) {
            double *v = r->bench->work.v;

            get(r, j, v), put(r, k, v);
            return;
        }
}

/* One trajectory of a block, n steps from the state v. */
static void alone(lbr_block_run *r, int64_t k, int64_t n, const double *v)
{
    lbr_status status;

    lay(r, v, r->n);
    status = lbr_state_run(r->bench, n, 0, NULL, NULL);
    if (status) retire(r, k, status);
    else put(r, k, r->bench->work.v);
}

/* --- from outside ------------------------------------------------------------------------------------------------ */

lbr_status lbr_block_start(lbr_block_run *r, double t0, double h, const double *y, lbr_message *m)
{
    int64_t dim = r->plan->setup.sys.s.dim;

    r->started = 0;
    for (int64_t k = 0; k < r->count; k++) {
        lbr_status status = lbr_state_start(r->bench, t0, h, y + k * dim);

        if (status)
            return lbr_fail(m, status, "trajectory %lld: %.400s", (long long)k + 1, lbr_state_message(r->bench));
        put(r, k, r->bench->work.v), r->status[k] = 0;
    }
    r->t0 = t0, r->h = h, r->n = 0, r->primed = 0, r->started = 1;
    return LBR_OK;
}

/* Lanes of the last block that nobody has are copies of the last trajectory. */
static void fill_up(lbr_block_run *r)
{
    double *V = block_of(r, r->count - 1);

    for (int64_t L = (r->count - 1) % r->W + 1; L < r->W; L++)
        for (int64_t i = 0; i < r->plan->setup.nstate; i++) V[place(r, i, L)] = V[place(r, i, (r->count - 1) % r->W)];
}

static void first_step(lbr_block_run *r)
{
    double *v = r->kept;

    for (int64_t k = 0; k < r->count; k++) get(r, k, v), alone(r, k, 1, v);
    r->primed = 1, r->n = 1;
    fill_up(r);
}

/* n steps of a block; if that fails, of each of its trajectories. */
static void chunk(lbr_block_run *r, int64_t b, int64_t n)
{
    double *V = r->V + b * r->size, *v = r->own;
    int64_t first = b * r->W, last = first + r->W < r->count ? first + r->W : r->count, alive = 0;

    for (int64_t k = first; k < last; k++) alive += !r->status[k];
    if (!alive) return;
    memcpy(r->kept, V, (size_t)r->size * sizeof *V);
    if (!r->plan->setup.stepper->advance_lanes(&r->bench->work, &r->lanes, r->n, n, V) &&
        lbr_bound_nonfinite(r->size, V) < 0)
        return;
    memcpy(V, r->kept, (size_t)r->size * sizeof *V);
    for (int64_t k = first; k < last; k++) {
        if (r->status[k]) continue;
        v = r->own + k * r->plan->setup.nstate; /* not used before it fails */
        for (int64_t i = 0; i < r->plan->setup.nstate; i++) v[i] = r->kept[place(r, i, k - first)];
        alone(r, k, n, v);
    }
    for (int64_t k = first; k < last; k++) /* those that failed before a copy could be had */
        for (int64_t j = first; r->status[k] && j < last; j++)
            if (!r->status[j]) {
                get(r, j, r->bench->work.v), put(r, k, r->bench->work.v);
                break;
            }
    if (last == r->count) fill_up(r);
}

lbr_status lbr_block_steps(lbr_block_run *r, int64_t n, lbr_message *m)
{
    int64_t end = r->n + n;

    if (!r->started) return lbr_fail(m, LBR_ENOTSTARTED, "the trajectories have not been started");
    if (n < 0 || n > (INT64_C(1) << 53) - r->n)
        return lbr_fail(m, LBR_EARG, "%lld steps are asked for; counts go from 0 to 2^53 in all", (long long)n);
    if (n > 0 && !r->primed) first_step(r);
    lay(r, r->own, r->n); /* for the step size: scratch is prepared for it */
    r->plan->setup.stepper->prepare(&r->bench->work);
    r->bench->work.slot_h = r->bench->trial.slot_h = r->h;
    while (r->n < end) {
        int64_t k = end - r->n < CHUNK ? end - r->n : CHUNK;

        for (int64_t b = 0; b < r->blocks; b++) chunk(r, b, k);
        r->n += k;
    }
    return LBR_OK;
}

lbr_status lbr_block_read(lbr_block_run *r, int64_t k, int64_t *n, double *y)
{
    lbr_status status;

    if (k < 0 || k >= r->count || !r->started) return LBR_EARG;
    status = (lbr_status)r->status[k];
    if (n) *n = status ? r->failed_n[k] : r->n;
    if (!y) return status;
    if (status) memcpy(r->kept, r->own + k * r->plan->setup.nstate, (size_t)r->plan->setup.nstate * sizeof *y);
    else get(r, k, r->kept);
    lay(r, r->kept, status ? r->failed_n[k] : r->n);
    if (lbr_state_read(r->bench, NULL, y) && !status) status = LBR_ENONFINITE;
    return status;
}
