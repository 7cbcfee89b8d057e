/* execute_extended.c - a kernel of extended precision, beside steps in doubles. SPDX-License-Identifier: BSD-3-Clause
 *
 * Nothing else has its bits, so that a wrong last digit goes unnoticed; what is wrong by more than doubles know does
 * not. The first steps are made in doubles, too, by the interpreter, and once more from states that are off by 2^-40 of
 * the largest component. Four times what comes of that, and 2^-40 of the result, is allowed: as a rule thousands of
 * times the rounding of doubles. Where large terms cancel it is not: so what differs is looked at in two more places,
 * a tenth and as much as 1 away, and only a kernel that differs in all of them is refused. H and invariants are
 * compared in the same way. */
#include "executing.h"
#include "core/largest.h"
#include "kernel/compiler.h"
#include "plan/plan_inside.h"

#include <math.h>
#include <string.h>

enum { STEPS = 4, WAYS = 2, RUNS = 1 + WAYS, ALLOWED = 4 };
static const double off = 0x1p-40, nothing = 0x1p-30; /* a half of the state that is so small beside the other */

typedef struct beside {
    lbr_exec *e;
    lbr_plan *plain;
    double t, *y, *low, *here, *start[RUNS], *end[RUNS]; /* starts in doubles: as it is, and off; where they lead */
    double *value[RUNS], *known, *known_low;             /* a quantity at these starts; by the kernel */
    int64_t n, steps;
    lbr_message what; /* of the first difference */
} beside;

static void interpret(const lbr_exec *e, int on)
{
    if (e->job->native->interpret) e->job->native->interpret(e->job->native_ctx, on);
}

/* --- states ------------------------------------------------------------------------------------------------------ */

static int64_t longest(const lbr_exec *e)
{
    int64_t most = 1;

    for (int64_t i = 0; i < lbr_exec_invariants(e); i++)
        if (lbr_exec_invariant(e, i)->len > most) most = lbr_exec_invariant(e, i)->len;
    return most;
}

/* Positions and momenta have sizes of their own. */
static int64_t half(const beside *b) { return 2 * b->e->sys.nq == b->n ? b->e->sys.nq : b->n; }

/* How far places are from the state: of each component, and of the largest, or 1. */
enum { ITSELF, NEAR, FAR, PLACES };

/* Another place than the state of the run. */
static void move_to(beside *b, int place)
{
    double all = lbr_largest(b->n, b->y);
    uint64_t hash = lbr_hash(LBR_HASH, &place, sizeof place);

    for (int64_t i = 0; i < b->n && place; i++, hash = hash * UINT64_C(6364136223846793005) + 1442695040888963407) {
        double u = (double)(hash >> 11) * 0x1p-52 - 1;

        b->y[i] += u * (place == FAR ? fmax(all, 1) : 0.1 * (b->y[i] != 0 ? fabs(b->y[i]) : all));
    }
}

static void put_off(beside *b)
{
    double all = lbr_largest(b->n, b->y);
    uint64_t hash = lbr_hash(LBR_HASH, "off", 3);

    if (!(all > 0)) all = 1;
    for (int64_t i = 0, n = half(b); i < b->n; i++) {
        double size = lbr_largest(n, b->y + i / n * n), by = off * (size < nothing * all ? all : size);

        for (int k = 0; k < RUNS; k++, hash = hash * UINT64_C(6364136223846793005) + 1442695040888963407)
            b->start[k][i] = b->y[i] + (!k ? 0 : hash >> 63 ? by : -by);
    }
}

/* 0: no memory. */
static int open(beside *b)
{
    int64_t n = b->n, m = longest(b->e), at = 0;
    lbr_options options = b->e->job->options;
    lbr_system system = b->e->sys;

    if (!(b->y = lbr_mem_alloc((size_t)(3 * n + 2 * m + RUNS * (2 * n + m)) * sizeof *b->y))) return 0;
    b->low = b->y + n, b->here = b->y + 2 * n, b->known = b->y + 3 * n, b->known_low = b->known + m, at = 3 * n + 2 * m;
    for (int k = 0; k < RUNS; k++, at += 2 * n + m)
        b->start[k] = b->y + at, b->end[k] = b->y + at + n, b->value[k] = b->y + at + 2 * n;
    options.precision = 0, system.size = sizeof system, system.inside = NULL;
    return lbr_plan_create(&b->plain, b->e->job->method, &system, &options) != LBR_ENOMEM;
}

/* The kernel's steps, and those in doubles. 0: there are none, so that nothing can be said. */
static int advance(beside *b)
{
    lbr_exec *e = b->e;
    lbr_state *state = NULL;
    int good = !lbr_state_create(&state, e->plan) && !lbr_state_start(state, b->t, e->job->h, b->y) &&
               !lbr_state_run(state, b->steps, 0, NULL, NULL) && !lbr_state_read_both(state, NULL, b->here, b->low);

    lbr_state_free(state);
    put_off(b);
    interpret(e, 1);
    for (int k = 0; k < RUNS && good; k++)
        good = !lbr_start(b->plain, b->t, e->job->h, b->start[k]) && !lbr_run(b->plain, b->steps, 0, NULL, NULL) &&
               !lbr_read(b->plain, NULL, b->end[k]);
    interpret(e, 0);
    memset(b->low, 0, (size_t)b->n * sizeof *b->low);
    return good;
}

/* --- comparisons ------------------------------------------------------------------------------------------------- */

/* The number that is too far off, or -1. */
static int64_t differs(int64_t n, const double *here, double *const *there)
{
    double change = 0, size = lbr_largest(n, there[0]);

    for (int k = 1; k < RUNS; k++)
        for (int64_t i = 0; i < n; i++) change = fmax(change, fabs(there[k][i] - there[0][i]));
    for (int64_t i = 0; i < n; i++)
        if (fabs(here[i] - there[0][i]) > ALLOWED * change + off * size) return i;
    return -1;
}

static int found(beside *b, const char *name, double here, double there, int64_t steps)
{
    if (!b->what.text[0])
        lbr_fail(&b->what, LBR_EUNFIT, "%.60s = %.17g after %lld steps, and in doubles it is %.17g", name, here,
                 (long long)steps, there);
    return 1;
}

static int states_differ(beside *b)
{
    int64_t n = half(b);

    for (int64_t at = 0, i; at < b->n; at += n) {
        double *there[RUNS];

        for (int k = 0; k < RUNS; k++) there[k] = b->end[k] + at;
        if ((i = differs(n, b->here + at, there)) >= 0)
            return found(b, b->e->result->component[at + i], b->here[at + i], there[0][i], b->steps);
    }
    return 0;
}

static int values_differ(beside *b, const char *name, int64_t len, lbr_fn fn, void *ctx)
{
    int good;
    int64_t i;

    *b->e->known_low = (lbr_low){ .y = b->low, .out = b->known_low };
    good = !fn(b->t, b->y, b->known, ctx);
    *b->e->known_low = (lbr_low){ 0 };
    interpret(b->e, 1);
    for (int k = 0; k < RUNS && good; k++) good = !fn(b->t, b->start[k], b->value[k], ctx);
    interpret(b->e, 0);
    if (!good || (i = differs(len, b->known, b->value)) < 0) return 0;
    return found(b, name, b->known[i], b->value[0][i], 0);
}

/* Whether anything does, in a place; where there are no steps: whatever it was. */
static int differ(beside *b, int place)
{
    lbr_exec *e = b->e;
    int different;

    if (lbr_state_read_both(e->state, &b->t, b->y, b->low)) return 0;
    move_to(b, place);
    if (!advance(b)) return place != ITSELF;
    different = states_differ(b);
    if (e->sys.energy && !different) different = values_differ(b, "H", 1, e->sys.energy, e->sys.ctx);
    for (int64_t i = 0; i < lbr_exec_invariants(e) && !different; i++) {
        const lbr_invariant *v = lbr_exec_invariant(e, i);

        different = values_differ(b, v->name, v->len, v->value, v->ctx ? v->ctx : e->sys.ctx);
    }
    return different;
}

static int refused(beside *b)
{
    lbr_exec *e = b->e;

    e->job->native->judge(e->job->native_ctx, 0);
    return lbr_exec_end(e, LBR_EXIT_MACHINE, LBR_EUNFIT,
                        "no extended precision: a kernel made by the compiler '%.100s' has %s", lbr_compiler_name(),
                        b->what.text);
}

int lbr_exec_extended_first(lbr_exec *e)
{
    int64_t left = e->job->steps - lbr_state_count(e->state);
    beside b = { .e = e, .n = e->sys.dim, .steps = left < STEPS ? left : STEPS };
    int code = 0, place = ITSELF;

    if (!open(&b)) code = lbr_exec_no_memory(e);
    else if (b.plain) {
        while (place < PLACES && differ(&b, place)) place++;
        if (place == PLACES) code = refused(&b);
    }
    lbr_plan_free(b.plain);
    lbr_mem_free(b.y);
    return code;
}
