/* project.c - methods that are projected onto a manifold or onto invariants. SPDX-License-Identifier: BSD-3-Clause
 *
 *     project(standard, M)      a step of M, then the nearest point (HLW IV.4)
 *     project(symmetric, M)     away from it, a step of M, and back by as much (Hairer 2000; HLW V.4)
 *     project(post, M)          M goes on without; what one looks at is projected
 *     local(standard, M)        M in coordinates of the tangent space at the beginning of the step (HLW IV.5)
 *     local(symmetric, M)       at a point in the middle (HLW V.4)
 *
 * After M: names of invariants, and words that say more. */
#include "operators.h"
#include "stepper/surface.h"

#include <stdio.h>
#include <string.h>

enum { STANDARD, SYMMETRIC, POST, KINDS };
static const char *const kinds[KINDS] = { "standard", "symmetric", "post" };

static lbr_status no_memory(lbr_message *m) { return lbr_fail(m, LBR_ENOMEM, "out of memory while reading a method"); }

/* --- settings -------------------------------------------------------------------------------------------------------- */

enum { AT, ALONG, WEIGHTS };
static const struct { const char *key; int which; const char *value; int means; } settings[] = {
    { "at", AT, "ends", LBR_AT_ENDS }, { "at", AT, "midpoint", LBR_AT_MIDPOINT }, { "at", AT, "start", LBR_AT_START },
    { "along", ALONG, "gradients", LBR_ALONG_GRADIENTS }, { "along", ALONG, "positions", LBR_ALONG_POSITIONS }, { "along", ALONG, NULL, LBR_ALONG_GIVEN },
    { "weights", WEIGHTS, "none", LBR_WEIGHTS_NONE }, { "weights", WEIGHTS, "masses", LBR_WEIGHTS_MASSES }, { "weights", WEIGHTS, "velocities", LBR_WEIGHTS_VELOCITIES }, { "weights", WEIGHTS, NULL, LBR_WEIGHTS_GIVEN },
};                                                     /* NULL: any other name, of a quantity that the system observes */
enum { SETTINGS = sizeof settings / sizeof *settings };

static lbr_status no_setting(lbr_flattening *c, const lbr_expr *e)
{
    char values[120] = "";
    size_t n = 0;

    for (int i = 0; i < SETTINGS; i++)
        if (!strcmp(settings[i].key, e->key)) n += (size_t)snprintf(values + n, sizeof values - n, "%s%s", n ? ", " : "", settings[i].value ? settings[i].value : "a quantity of the system");
    if (n) return lbr_fail(c->m, LBR_EMETHOD, "'%s' of a projection is one of: %s", e->key, values);
    return lbr_fail(c->m, LBR_EMETHOD, "a projection has no setting '%.40s'; there are at, along and weights", e->key);
}

static lbr_status set(lbr_flattening *c, const lbr_expr *e, int kind, lbr_projection *how)
{
    if (how->local && strcmp(e->key, "weights")) return lbr_fail(c->m, LBR_EMETHOD, "local coordinates have no setting '%.40s'; there is weights", e->key);
    for (int i = 0; i < SETTINGS; i++) {
        if (strcmp(settings[i].key, e->key) || !e->name || e->has_args || e->k >= 0 || (settings[i].value && strcmp(settings[i].value, e->name))) continue;
        if (settings[i].which == AT && kind != SYMMETRIC) return lbr_fail(c->m, LBR_EMETHOD, "'at' says where a symmetric projection has its directions; a %s one has none to choose", kinds[kind]);
        if (settings[i].which == AT) how->at = (lbr_at)settings[i].means;
        else if (settings[i].which == ALONG) how->along = (lbr_along)settings[i].means, how->along_name = e->name;
        else how->weights = (lbr_weights)settings[i].means, how->weights_name = e->name;
        return LBR_OK;
    }
    return no_setting(c, e);
}

static lbr_status read_settings(lbr_flattening *c, lbr_expr *e, int kind, lbr_projection *how)
{
    const char **names = lbr_arena_alloc(c->arena, e->nargs, sizeof *names);
    lbr_status status = LBR_OK;

    if (!names) return no_memory(c->m);
    how->symmetric = kind == SYMMETRIC, how->names = names;
    for (int i = 2; i < e->nargs && !status; i++) {
        const lbr_expr *a = e->arg[i];

        if (a->key) status = set(c, a, kind, how);
        else if (!a->name || a->has_args || a->k >= 0) return lbr_flatten_misused(c, e->name);
        else names[how->n++] = a->name;
    }
    return status;
}

/* --- the operator ------------------------------------------------------------------------------------------------------ */

static int kind_of(const lbr_expr *e)
{
    int k = 0;

    while (k < KINDS && (!e->name || e->key || e->has_args || e->k >= 0 || strcmp(e->name, kinds[k]))) k++;
    return k;
}

lbr_status lbr_operator_project(lbr_flattening *c, lbr_expr *e, lbr_whole *out)
{
    int kind = e->nargs < 2 || e->arg[1]->key ? KINDS : kind_of(e->arg[0]);
    lbr_projection *how = lbr_arena_alloc(c->arena, 1, sizeof *how);
    lbr_base base = { .kind = LBR_BASE_PROJECTED, .projection = how, .claims = { LBR_SIZED, .name = e->name } };
    lbr_steps steps, one;
    lbr_status status;

    if (!how) return no_memory(c->m);
    how->local = !strcmp(e->name, "local");
    if (kind == KINDS || (how->local && kind == POST)) return lbr_flatten_misused(c, e->name);
    if ((status = read_settings(c, e, kind, how)) || (status = lbr_flatten_operand(c, e->arg[1], &steps))) return status;
    c->flat->projected |= 1 << kind;
    if (kind == POST) out->kernel = steps;
    else base.inner = steps;
    if ((status = lbr_flatten_base(c, base, &one))) return status;
    if (kind == POST) out->pre = out->post = one;            /* the first time it notes the levels, and changes nothing */
    else out->kernel = one;
    return LBR_OK;
}

/* --- without projections --------------------------------------------------------------------------------------------------- */

/* How many steps of other maps these are; entered, if to is there, with their bases renumbered. */
static int64_t spread(const lbr_flat *f, lbr_steps steps, int adjoint, lbr_dd by, const int32_t *number, lbr_step *to)
{
    int64_t n = 0;

    for (int64_t i = 0; i < steps.n; i++) {
        const lbr_step *s = &steps.step[adjoint ? steps.n - 1 - i : i];
        const lbr_base *b = &f->base[s->base];
        lbr_dd c = dd_mul(s->c, by);

        if (b->kind == LBR_BASE_PROJECTED) n += spread(f, b->inner, adjoint ^ s->adjoint, c, number, to ? to + n : NULL);
        else if (to) to[n++] = (lbr_step){ number[s->base], s->adjoint ^ adjoint, c };
        else n++;
    }
    return n;
}

lbr_status lbr_flat_unprojected(const lbr_flat *f, lbr_flat *plain, lbr_arena *arena, lbr_message *m)
{
    const lbr_steps *from[] = { &f->pre, &f->kernel, &f->post };
    lbr_steps *to[] = { &plain->pre, &plain->kernel, &plain->post };
    int32_t *number = lbr_arena_alloc(arena, f->nbases, sizeof *number);

    *plain = *f;
    plain->projected = 0, plain->nbases = 0;
    if (!number || !(plain->base = lbr_arena_alloc(arena, f->nbases, sizeof *plain->base))) return no_memory(m);
    for (int64_t i = 0; i < f->nbases; i++)
        if (f->base[i].kind != LBR_BASE_PROJECTED) number[i] = (int32_t)plain->nbases, plain->base[plain->nbases++] = f->base[i];
    for (int k = 0; k < 3; k++) {
        to[k]->n = spread(f, *from[k], 0, dd(1), number, NULL);
        if (!(to[k]->step = lbr_arena_alloc(arena, to[k]->n, sizeof *to[k]->step))) return no_memory(m);
        spread(f, *from[k], 0, dd(1), number, to[k]->step);
    }
    return LBR_OK;
}
