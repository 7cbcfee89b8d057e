/* multiplier_values.c - the multipliers of a model's constraints at any state. SPDX-License-Identifier: BSD-3-Clause
 *
 * A run has them from its plan. Here they are for what is observed and measured, whose functions ask for them one after
 * the other at the same state: the last ones are kept. */
#include "model_system.h"
#include "stepper/multipliers.h"

#include <string.h>

typedef struct lbr_multiplied {
    lbr_setup set;
    lbr_point at;
    int known; /* lambda is that of t and y */
    double t, *y, *lambda;
} lbr_multiplied;

int lbr_multiplied_open(lbr_model *m, lbr_message *message)
{
    lbr_functions *s = m->functions;
    lbr_multiplied *z;
    lbr_status status;

    if (s->multiplied || !s->system.constraints) return 1;
    for (int k = 0; k < m->nvariables; k++)
        if (m->variable[k].kind == LBR_VAR_ATTITUDE) return 1; /* no method takes them yet */
    if (!(z = lbr_arena_alloc(&m->arena, 1, sizeof *z))) return lbr_fail(message, LBR_ENOMEM, "out of memory"), 0;
    z->set.arena = &m->arena;
    if ((status = lbr_bound_init(&z->set.sys, &s->system, message)) ||
        (status = lbr_multipliers_make(&z->set, message)))
        return status == LBR_ENOMEM ? 0 : (message->text[0] = 0, 1); /* plans say what is wrong: there are no values */
    z->y = lbr_arena_alloc(&m->arena, m->dim + m->m + lbr_point_size(z->set.multipliers), sizeof *z->y);
    if (!z->y) return lbr_fail(message, LBR_ENOMEM, "out of memory"), 0;
    z->lambda = z->y + m->dim;
    lbr_point_place(z->set.multipliers, &z->at, z->lambda + m->m);
    s->multiplied = z;
    return 1;
}

const double *lbr_multiplied_at(lbr_functions *s, double t, const double *y)
{
    lbr_multiplied *z = s->multiplied;
    size_t bytes = (size_t)s->system.dim * sizeof *y;
    lbr_stats stats = { 0 };
    lbr_message why;

    if (!z) return NULL;
    if (z->known && z->t == t && !memcmp(z->y, y, bytes)) return z->lambda;
    z->known = 0;
    if (lbr_point_multipliers(z->set.multipliers, &z->at, &stats, t, y, z->lambda, &why)) return NULL;
    z->known = 1, z->t = t;
    memcpy(z->y, y, bytes);
    return z->lambda;
}
