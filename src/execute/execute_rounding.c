/* execute_rounding.c - what rounding does to a run, as a second one tells that rounds otherwise.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The second one begins where this call begins and goes along with the first, step by step. Where it cannot be made
 * there is no estimate, and a warning. */
#include "executing.h"
#include "core/watch.h"
#include "plan/plan_inside.h"

#include <math.h>
#include <stdio.h>

static void give_up(lbr_exec *e, const char *why)
{
    lbr_state_free(e->second.state), e->second.state = NULL;
    lbr_result_warn(e->result, "no estimate of rounding: %.300s", why);
}

/* A state under the run's plan with these bytes. */
static lbr_status adopt(lbr_exec *e, lbr_state *from)
{
    lbr_state *state = NULL;
    size_t size;
    const void *bytes = lbr_state_bytes(from, &size);
    lbr_status status = bytes ? lbr_state_create(&state, e->plan) : LBR_ENOMEM;

    if (!status) status = lbr_state_restore(state, bytes, size);
    if (status) return lbr_state_free(state), status;
    lbr_state_free(e->second.state);
    e->second.state = state;
    return LBR_OK;
}

int lbr_exec_rounding_open(lbr_exec *e)
{
    if (!e->job->roundoff) return 0;
    e->second.y = lbr_arena_alloc(&e->result->arena, e->sys.dim, sizeof *e->second.y);
    if (!e->second.y || adopt(e, e->state)) return lbr_exec_no_memory(e);
    e->second.seed = 1;
    return 0;
}

int lbr_exec_rounding_move(lbr_exec *e)
{
    return e->second.state && adopt(e, e->second.state) ? lbr_exec_no_memory(e) : 0;
}

/* As far as the run itself. */
void lbr_exec_rounding(lbr_exec *e)
{
    lbr_state *s = e->second.state;
    lbr_status status = LBR_OK;

    while (s && !status && lbr_state_count(s) < lbr_state_count(e->state)) {
        status = lbr_state_read(s, NULL, e->second.y);
        if (!status) status = lbr_state_run(s, 1, 0, NULL, NULL);
        if (!status) lbr_state_perturb(s, e->second.y, &e->second.seed);
    }
    if (status) give_up(e, lbr_state_message(s));
}

static void tell(lbr_exec *e, const lbr_rounding *r)
{
    const char *name = e->result->name;
    char energy[60] = "";

    if (!isnan(r->energy)) snprintf(energy, sizeof energy, ", and H by %.1g", r->energy);
    lbr_result_note(e->result, "%s%srounding has moved the state by about %.1g%s", name ? name : "", name ? ": " : "",
                    r->state, energy);
}

void lbr_exec_rounding_close(lbr_exec *e)
{
    lbr_rounding *to = &e->result->rounding;
    double t, H[2];

    if (e->second.state && !lbr_state_read(e->state, &t, e->result->y) &&
        !lbr_state_read(e->second.state, NULL, e->second.y)) {
        to->state = lbr_distance(e->sys.dim, e->result->y, e->second.y);
        if (e->sys.energy && !e->sys.energy(t, e->result->y, H, e->sys.ctx) &&
            !e->sys.energy(t, e->second.y, H + 1, e->sys.ctx))
            to->energy = fabs(H[0] - H[1]);
        tell(e, to);
    }
    lbr_state_free(e->second.state), e->second.state = NULL;
}
