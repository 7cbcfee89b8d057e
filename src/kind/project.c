/* project.c - methods that are projected onto a manifold or onto invariants. SPDX-License-Identifier: BSD-3-Clause
 *
 *     project(standard, M)      a step of M, then the nearest point (HLW IV.4)
 *     project(symmetric, M)     away from it, a step of M, and back by as much (Hairer 2000; HLW V.4)
 *     project(post, M)          M goes on without; what one looks at is projected
 *     local(standard, M)        M in coordinates of the tangent space at the beginning of the step (HLW IV.5)
 *     local(symmetric, M)       at a point in the middle (HLW V.4)
 *
 * After M: names of invariants, and words that say more. */
#include "shared.h"
#include "stepper/surface.h"

#include <stdio.h>
#include <string.h>

enum { STANDARD, SYMMETRIC, POST, KINDS };
static const char *const kinds[KINDS] = { "standard", "symmetric", "post" };

/* --- settings ---------------------------------------------------------------------------------------------------- */

enum { AT, ALONG, WEIGHTS };
static const struct {
    const char *key;
    int which;
    const char *value;
    int means;
} settings[] = {
    { "at", AT, "ends", LBR_AT_ENDS },
    { "at", AT, "midpoint", LBR_AT_MIDPOINT },
    { "at", AT, "start", LBR_AT_START },
    { "along", ALONG, "gradients", LBR_ALONG_GRADIENTS },
    { "along", ALONG, "positions", LBR_ALONG_POSITIONS },
    { "along", ALONG, NULL, LBR_ALONG_GIVEN },
    { "weights", WEIGHTS, "none", LBR_WEIGHTS_NONE },
    { "weights", WEIGHTS, "masses", LBR_WEIGHTS_MASSES },
    { "weights", WEIGHTS, "velocities", LBR_WEIGHTS_VELOCITIES },
    { "weights", WEIGHTS, NULL, LBR_WEIGHTS_GIVEN },
}; /* NULL: any other name, of a quantity that the system observes */
enum { SETTINGS = sizeof settings / sizeof *settings };

static lbr_status no_setting(lbr_flattening *c, const lbr_expr *e)
{
    char values[120] = "";
    size_t n = 0;

    for (int i = 0; i < SETTINGS; i++)
        if (!strcmp(settings[i].key, e->key))
            n += (size_t)snprintf(values + n, sizeof values - n, "%s%s", n ? ", " : "",
                                  settings[i].value ? settings[i].value : "a quantity of the system");
    if (n) return lbr_fail(c->m, LBR_EMETHOD, "'%s' of a projection is one of: %s", e->key, values);
    return lbr_fail(c->m, LBR_EMETHOD, "a projection has no setting '%.40s'; there are at, along and weights", e->key);
}

static lbr_status set(lbr_flattening *c, const lbr_expr *e, int kind, lbr_projection *how)
{
    if (how->local && strcmp(e->key, "weights"))
        return lbr_fail(c->m, LBR_EMETHOD, "local coordinates have no setting '%.40s'; there is weights", e->key);
    for (int i = 0; i < SETTINGS; i++) {
        if (strcmp(settings[i].key, e->key) || !e->name || e->has_args || e->k >= 0 ||
            (settings[i].value && strcmp(settings[i].value, e->name)))
            continue;
        if (settings[i].which == AT && kind != SYMMETRIC)
            return lbr_fail(c->m, LBR_EMETHOD,
                            "'at' says where a symmetric projection has its directions; a %s one has none to choose",
                            kinds[kind]);
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

    if (!names) return lbr_flatten_no_memory(c);
    how->symmetric = kind == SYMMETRIC, how->names = names;
    for (int i = 2; i < e->nargs && !status; i++) {
        const lbr_expr *a = e->arg[i];

        if (a->key) status = set(c, a, kind, how);
        else if (!a->name || a->has_args || a->k >= 0) return lbr_flatten_misused(c, e);
        else names[how->n++] = a->name;
    }
    return status;
}

/* --- the operator ------------------------------------------------------------------------------------------------ */

static int kind_of(const lbr_expr *e)
{
    int k = 0;

    while (k < KINDS && (!e->name || e->key || e->has_args || e->k >= 0 || strcmp(e->name, kinds[k]))) k++;
    return k;
}

static lbr_status run(lbr_flattening *c, lbr_expr *e, lbr_whole *out)
{
    int kind = e->nargs < 2 || e->arg[1]->key ? KINDS : kind_of(e->arg[0]);
    lbr_projection *how = lbr_arena_alloc(c->arena, 1, sizeof *how);
    lbr_base base = { .kind = lbr_kind_find("project"), .own = how, .claims = { LBR_SIZED, .name = e->name } };
    lbr_steps steps, one;
    lbr_status status;

    if (!how) return lbr_flatten_no_memory(c);
    how->local = !strcmp(e->name, "local");
    if (kind == KINDS || (how->local && kind == POST)) return lbr_flatten_misused(c, e);
    if ((status = read_settings(c, e, kind, how)) || (status = lbr_flatten_operand(c, e->arg[1], &steps)))
        return status;
    how->post = kind == POST;
    if ((status = lbr_flatten_around(c, base.kind))) return status;
    if (kind == POST) out->kernel = steps;
    else base.inner = steps;
    if ((status = lbr_flatten_base(c, base, &one))) return status;
    if (kind == POST) out->pre = out->post = one; /* the first time it notes the levels, and changes nothing */
    else out->kernel = one;
    return LBR_OK;
}

/* --- of a system ------------------------------------------------------------------------------------------------- */

/* Constraints are eliminated first, where the method needs the field alone, unless reduced(...) does it anyway. */
static lbr_status prepare(lbr_plan *p)
{
    for (int i = 0; i < p->flat.naround; i++)
        if (p->flat.around[i]->prepare == lbr_reduce) return LBR_OK;
    return p->setup.sys.s.constraints && lbr_reducible(&p->flat) ? lbr_reduce(p) : LBR_OK;
}

/* The steps inside, or their adjoints, as a program of their own. */
static lbr_status bind_inside(lbr_plan *p, const lbr_base *b, int back, const lbr_projected **out)
{
    lbr_projected *x = lbr_arena_alloc(&p->arena, 1, sizeof *x);
    lbr_steps inner = { .n = b->inner.n, .step = lbr_arena_alloc(&p->arena, b->inner.n, sizeof *inner.step) };

    if (!x || !inner.step) return lbr_bind_no_memory(p);
    for (int64_t i = 0; i < inner.n; i++)
        inner.step[i] = b->inner.step[back ? inner.n - 1 - i : i], inner.step[i].adjoint ^= back;
    x->how = b->own, *out = x;
    return lbr_bind_program(p, inner, dd(0), &x->inner);
}

/* A symmetric projection of the adjoint is the adjoint of the projection. */
static lbr_status bind(lbr_plan *p, lbr_base *b, const lbr_step *s, lbr_program *to)
{
    const lbr_projection *how = b->own;
    int back = s->adjoint && how->symmetric;
    const lbr_projected *x = b->bound[back];
    lbr_status status;

    if (s->adjoint && (!how->symmetric || (how->at == LBR_AT_START && !how->local)))
        return lbr_fail(&p->message, LBR_EUNFIT,
                        "method '%s' needs the adjoint of %s, which is not known; symmetric ones have one",
                        p->flat.name,
                        how->symmetric ? "a projection with 'at = start'"
                        : how->local   ? "standard local coordinates"
                        : b->inner.n   ? "a standard projection"
                                       : "a projection when one looks");
    if (!x && (status = bind_inside(p, b, back, &x))) return status;
    b->bound[back] = x;
    lbr_bind_step(p, to,
                  (lbr_atom){ .kind = how->local ? &lbr_atom_local : &lbr_atom_projected,
                              .data = x,
                              .inner = &x->inner,
                              .adjoint = back,
                              .moves_time = x->inner.n > 0 },
                  s->c);
    return LBR_OK;
}

static int field_alone(const lbr_base *b) { return (void)b, 1; }
static int self_adjoint(const lbr_base *b, lbr_arena *arena) { return (void)b, (void)arena, 0; }

/* --- what is true of it ------------------------------------------------------------------------------------------ */

static int is_projection(const lbr_base *b) { return b->kind->bind == bind; }

/* How many steps of other maps these are; entered, if to is there, with their bases renumbered. */
static int64_t spread(const lbr_flat *f, lbr_steps steps, int adjoint, lbr_dd by, const int32_t *number, lbr_step *to)
{
    int64_t n = 0;

    for (int64_t i = 0; i < steps.n; i++) {
        const lbr_step *s = &steps.step[adjoint ? steps.n - 1 - i : i];
        const lbr_base *b = &f->base[s->base];
        lbr_dd c = dd_mul(s->c, by);

        if (is_projection(b)) n += spread(f, b->inner, adjoint ^ s->adjoint, c, number, to ? to + n : NULL);
        else if (to) to[n++] = (lbr_step){ number[s->base], s->adjoint ^ adjoint, c };
        else n++;
    }
    return n;
}

static lbr_status no_memory(lbr_message *m) { return lbr_fail(m, LBR_ENOMEM, "out of memory while reading a method"); }

static lbr_status inside(const lbr_flat *f, lbr_flat *plain, lbr_arena *arena, lbr_message *m)
{
    const lbr_steps *from[] = { &f->pre, &f->kernel, &f->post };
    lbr_steps *to[] = { &plain->pre, &plain->kernel, &plain->post };
    int32_t *number = lbr_arena_alloc(arena, f->nbases, sizeof *number);

    plain->nbases = 0;
    if (!number || !(plain->base = lbr_arena_alloc(arena, f->nbases, sizeof *plain->base))) return no_memory(m);
    for (int64_t i = 0; i < f->nbases; i++)
        if (!is_projection(&f->base[i])) number[i] = (int32_t)plain->nbases, plain->base[plain->nbases++] = f->base[i];
    for (int k = 0; k < 3; k++) {
        to[k]->n = spread(f, *from[k], 0, dd(1), number, NULL);
        if (!(to[k]->step = lbr_arena_alloc(arena, to[k]->n, sizeof *to[k]->step))) return no_memory(m);
        spread(f, *from[k], 0, dd(1), number, to[k]->step);
    }
    return LBR_OK;
}

/* Whether a projection names H. */
static int onto_energy(const lbr_flat *f)
{
    for (int64_t b = 0; b < f->nbases; b++) {
        const lbr_projection *how = is_projection(&f->base[b]) ? f->base[b].own : NULL;

        for (int64_t i = 0; how && i < how->n; i++)
            if (!strcmp(how->names[i], "H")) return 1;
    }
    return 0;
}

static lbr_status describe(const lbr_flat *f, lbr_arena *arena, lbr_method_info *i, lbr_message *m)
{
    lbr_analysis a;
    lbr_status status = lbr_analyse(f, lbr_flat_tolerance(f), arena, &a, m);

    if (status) return status;
    i->energy = onto_energy(f), i->order = a.order.value, i->symmetric = a.symmetric.value, i->digits = a.digits.value;
    i->symplectic = 0, i->conjugate_symplectic = -1, i->volume_preserving = "", i->order_near = "",
    i->order_quadratic = i->order;
    i->explicitness = "never", i->constraints = 1, i->source = "HLW IV.4, V.4 (Hairer 2000)",
    i->about = "projected onto constraints or invariants";
    return (i->needs = lbr_arena_format(arena, "%s manifold", i->needs))
               ? LBR_OK
               : lbr_fail(m, LBR_ENOMEM, "out of memory while describing a method");
}

/* A projection without names goes onto all invariants of the system, or, if there are none, onto H. */
static int keeps_energy(const lbr_plan *p)
{
    const lbr_bound *b = &p->setup.sys;
    int64_t n = b->s.invariants ? b->s.invariants->count : 0;

    if (b->s.constraints || b->s.manifold) return 0;
    for (int64_t i = 0; i < p->flat.nbases; i++)
        if (is_projection(&p->flat.base[i]) && ((const lbr_projection *)p->flat.base[i].own)->n) return 0;
    for (int64_t i = 0; i < n; i++)
        if (lbr_bound_invariant(b, i)->name && !strcmp(lbr_bound_invariant(b, i)->name, "H")) return 1;
    return !n && b->s.energy;
}

static const lbr_operator operators[] = {
    { .name = "project",
      .run = run,
      .keeps = 2,
      .use = "project(KIND, METHOD) or project(KIND, METHOD, INVARIANT, ..., WORD = VALUE) with standard, symmetric or "
             "post for KIND, such as "
             "project(symmetric, trapezoidal), project(standard, rk4, H, weights = velocities)" },
    { .name = "local",
      .run = run,
      .keeps = 2,
      .use = "local(KIND, METHOD) or local(KIND, METHOD, INVARIANT, ...) with standard or symmetric for KIND and a "
             "Runge-Kutta method, such as "
             "local(symmetric, trapezoidal)" },
    { .name = NULL }
};

const lbr_kind lbr_kind_project[] = { { .name = "project",
                                        .operators = operators,
                                        .self_adjoint = self_adjoint,
                                        .bind = bind,
                                        .field_alone = field_alone,
                                        .takes_constraints = 1,
                                        .prepare = prepare,
                                        .inside = inside,
                                        .analyse_around = lbr_project_analyse,
                                        .describe_around = describe,
                                        .on_manifold = 1,
                                        .keeps_energy = keeps_energy },
                                      { .name = NULL } };
