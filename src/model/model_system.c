/* model_system.c - the functions of a model, and the system that they make. SPDX-License-Identifier: BSD-3-Clause */
#include "model_system.h"
#include "graph/derive.h"
#include "gradients.h"
#include "structure.h"

#include <string.h>

/* --- functions --------------------------------------------------------------------------------------------------- */

int lbr_function_make(lbr_model *m, lbr_function *f, int array, lbr_ref node, int64_t shift, lbr_message *message)
{
    lbr_functions *s = m->functions;
    const lbr_dag *d = &m->dag;
    uint32_t deps;

    if (d->status || (array < 0 && node < 0))
        return lbr_fail(message, d->status ? d->status : LBR_ENOMEM, "%s",
                        d->message.text[0] ? d->message.text : "out of memory"),
               0;
    if (!LBR_ROOM(&m->arena, s->made, s->nmade, s->most_made, 1))
        return lbr_fail(message, LBR_ENOMEM, "out of memory"), 0;
    if (lbr_code_make(&f->code, d, &(lbr_output){ array, node, 0 }, 1, shift, message)) return 0;
    deps = array >= 0 ? d->array[array].deps : d->node[node].deps;
    f->array = array, f->node = node, f->len = array >= 0 ? d->array[array].size : 1, f->shift = shift;
    f->multiplied = deps & d->array[m->multiplier].deps ? m->functions : NULL;
    m->functions->made[m->functions->nmade++] = *f;
    return 1;
}

int lbr_function_tangent(lbr_model *m, lbr_function *f, int array, int direction, lbr_message *message)
{
    int tangent = array < 0 ? -1 : lbr_directional_array(&m->dag, array, m->lo.state, direction);

    if (tangent == -2) { /* it is constant: zero */
        tangent = lbr_dag_array(&m->dag, m->dag.array[array].size);
        lbr_dag_close(&m->dag, tangent);
    }
    return lbr_function_make(m, f, tangent, -1, 0, message);
}

int lbr_function_call(double t, const double *y, double *out, void *ctx)
{
    const lbr_function *f = ctx;
    const double *input[LBR_MODEL_INPUTS] = { y };

    if (f->multiplied && !(input[4] = lbr_multiplied_at(f->multiplied, t, y))) return -1;
    return lbr_code_run(f->code, t, input, out);
}

/* The system's callbacks; ctx: all functions. Input 0 is the state, input 1 the direction. */
#define OF_STATE(name)                                                         \
    static int call_##name(double t, const double *y, double *out, void *ctx)  \
    {                                                                          \
        const double *input[LBR_MODEL_INPUTS] = { y };                         \
                                                                               \
        return lbr_code_run(((lbr_functions *)ctx)->name.code, t, input, out); \
    }
OF_STATE(energy)
OF_STATE(force)
OF_STATE(velocity)
OF_STATE(dHdq)
OF_STATE(dHdp)
OF_STATE(field)
OF_STATE(gradient)

#define OF_DIRECTION(name)                                                                     \
    static int call_##name(double t, const double *y, const double *v, double *out, void *ctx) \
    {                                                                                          \
        const double *input[LBR_MODEL_INPUTS] = { y, v };                                      \
                                                                                               \
        return lbr_code_run(((lbr_functions *)ctx)->name.code, t, input, out);                 \
    }
OF_DIRECTION(field_jvp)
OF_DIRECTION(force_jvp)
OF_DIRECTION(hessian_vec)
OF_DIRECTION(structure)

/* Of positions and velocities. */
#define OF_VELOCITY(name)                                                                      \
    static int call_##name(double t, const double *q, const double *v, double *out, void *ctx) \
    {                                                                                          \
        const double *input[LBR_MODEL_INPUTS] = { q, NULL, v };                                \
                                                                                               \
        return lbr_code_run(((lbr_functions *)ctx)->name.code, t, input, out);                 \
    }
OF_VELOCITY(dLdq)
OF_VELOCITY(dLdv)

static int call_third(double t, const double *y, const double *v, const double *w, double *out, void *ctx)
{
    const double *input[LBR_MODEL_INPUTS] = { y, v, NULL, w };

    return lbr_code_run(((lbr_functions *)ctx)->third.code, t, input, out);
}

#define OF_BLOCK(name)                                                                                  \
    static int call_##name##_block(int64_t w, const double *t, const double *y, double *out, void *ctx) \
    {                                                                                                   \
        const double *input[LBR_MODEL_INPUTS] = { y };                                                  \
                                                                                                        \
        return lbr_code_run_block(((lbr_functions *)ctx)->name.code, w, t, input, out);                 \
    }
OF_BLOCK(field)
OF_BLOCK(force)

/* --- the state --------------------------------------------------------------------------------------------------- */

static int make_blocks(lbr_model *m)
{
    static const lbr_block_kind kind[] = { [LBR_VAR_POSITION] = LBR_POSITION,
                                           [LBR_VAR_MOMENTUM] = LBR_MOMENTUM,
                                           [LBR_VAR_STATE] = LBR_VECTOR,
                                           [LBR_VAR_ATTITUDE] = LBR_ROTATION,
                                           [LBR_VAR_ANGULAR] = LBR_VECTOR };
    lbr_functions *s = m->functions;
    int64_t at = 0;

    s->block = lbr_arena_alloc(&m->arena, m->nvariables, sizeof *s->block);
    if (!s->block) return 0;
    for (int n = 0; n < m->nvariables; n++) /* in the order of the state */
        for (int k = 0; k < m->nvariables; k++) {
            const lbr_variable *x = m->variable + k;

            if (x->offset != at) continue;
            s->block[n] = (lbr_block){ sizeof *s->block, x->name, kind[x->kind],
                                       x->shape.rank - 2 * (x->kind == LBR_VAR_ATTITUDE), x->shape.n };
            at += x->size;
            break;
        }
    s->system.blocks = s->block, s->system.nblocks = m->nvariables;
    return 1;
}

/* --- the equations ----------------------------------------------------------------------------------------------- */

/* The whole field. */
static int give_field(lbr_model *m, int field, lbr_message *message)
{
    m->functions->system.field = call_field, m->functions->system.field_block = call_field_block;
    return lbr_function_make(m, &m->functions->field, field, -1, 0, message);
}

/* q' = velocity(p), p' = force(q), in place of the whole field. */
static int give_separated(lbr_model *m, int velocity, int force, lbr_message *message)
{
    lbr_functions *s = m->functions;

    s->system.force = call_force, s->system.force_block = call_force_block, s->system.force_jvp = call_force_jvp;
    if (!lbr_function_make(m, &s->force, force, -1, 0, message) ||
        !lbr_function_tangent(m, &s->force_jvp, force, m->direction, message))
        return 0;
    if (!(s->system.inverse_mass = s->inverse_mass)) s->system.velocity = call_velocity;
    if (s->inverse_mass && !m->extended) return 1; /* of more digits than masses have: a function */
    return lbr_function_make(m, &s->velocity, velocity, -1, s->system.nq, message);
}

/* Rates of n components, added at array[at ..] with the velocities taken from `velocity`. */
static void add_rates(lbr_model *m, int array, int rates, int velocity)
{
    lbr_dag *d = &m->dag;
    int64_t n = m->nq;
    lbr_ref here = lbr_dag_const(d, (double)n);

    if (n > LBR_UNROLLED) {
        int loop = lbr_dag_loop(d, 0, 0, lbr_dag_const(d, (double)(n - 1)));
        lbr_ref i = d->loop[loop].index;

        lbr_dag_entry(d, array,
                      (lbr_entry){ loop, lbr_dag_add(d, i, here),
                                   lbr_dag_replace(d, lbr_dag_load(d, rates, i), m->lo.rate, velocity), 1 });
        return;
    }
    for (int64_t k = 0; k < n && !d->status; k++) {
        lbr_ref i = lbr_dag_const(d, (double)k);

        lbr_dag_entry(d, array,
                      (lbr_entry){ 0, lbr_dag_add(d, i, here),
                                   lbr_dag_replace(d, lbr_dag_load(d, rates, i), m->lo.rate, velocity), 1 });
    }
}

/* -dR/dq' added to p', with q' = dH/dp. */
static int damped(lbr_model *m, int field)
{
    lbr_dag *d = &m->dag;
    int rates = lbr_gradient(d, lbr_dag_neg(d, m->rayleigh), m->lo.rate),
        velocity = lbr_array_piece(&m->lo, field, 0, m->nq), wide, sum;

    if (rates < 0 || velocity < 0) return -1;
    wide = lbr_dag_array(d, m->dim); /* of the size of the input that it replaces */
    lbr_value_entries(&m->lo, lbr_value_view(&m->lo, velocity, 0, &(lbr_shape){ 1, { m->nq } }), wide, 0, 0);
    lbr_dag_close(d, wide);
    sum = lbr_dag_array(d, m->dim);
    for (int e = 0; sum >= 0 && e < d->array[field].nentries; e++) lbr_dag_entry(d, sum, d->array[field].entry[e]);
    add_rates(m, sum, rates, wide);
    lbr_dag_close(d, sum);
    return d->status ? -1 : sum;
}

/* From H: (H_p, -H_q), as little as is needed of it. */
static int make_canonical(lbr_model *m, lbr_message *message)
{
    lbr_functions *s = m->functions;
    lbr_dag *d = &m->dag;
    int64_t n = m->nq;
    int field = lbr_model_hamiltonian_field(m, m->h), gradient = lbr_gradient(d, m->h, m->lo.state), velocity, force;

    s->system.nq = n;
    s->system.hessian_vec = call_hessian_vec, s->system.field_jvp = call_field_jvp;
    if (field >= 0 && m->rayleigh >= 0) field = damped(m, field);
    if (!lbr_function_tangent(m, &s->hessian_vec, gradient, m->direction, message) ||
        !lbr_function_tangent(m, &s->field_jvp, field, m->direction, message))
        return 0;
    if (m->rayleigh >= 0) {
        m->structure.autonomous = !lbr_touches_time(d, field);
        if ((velocity = lbr_array_piece(&m->lo, field, 0, n)) < 0 ||
            !lbr_structure_masses(m, velocity, &s->inverse_mass))
            return lbr_function_make(m, &s->field, -1, -1, 0, message);
        s->system.inverse_mass = s->inverse_mass;
        return give_field(m, field, message);
    }
    velocity = lbr_array_piece(&m->lo, field, 0, n), force = lbr_array_piece(&m->lo, field, n, 2 * n);
    if (velocity < 0 || force < 0 || !lbr_structure_find(m, velocity, force, &s->inverse_mass))
        return lbr_function_make(m, &s->field, -1, -1, 0, message);
    if (m->structure.separable) return give_separated(m, velocity, force, message);
    s->system.dHdq = call_dHdq, s->system.dHdp = call_dHdp;
    return give_field(m, field, message) &&
           lbr_function_make(m, &s->dHdq, lbr_array_piece(&m->lo, gradient, 0, n), -1, 0, message) &&
           lbr_function_make(m, &s->dHdp, lbr_array_piece(&m->lo, gradient, n, 2 * n), -1, 0, message);
}

int lbr_model_field(lbr_model *m)
{
    lbr_dag *d = &m->dag;
    int field;

    if (m->nbrackets || m->has_h || m->has_l) {
        field = lbr_model_hamiltonian_field(m, m->h);
        return field >= 0 && m->rayleigh >= 0 && !m->nbrackets ? damped(m, field) : field;
    }
    if (!m->nparts) return m->rates;
    field = lbr_dag_array(d, m->dim);
    for (int k = 0; k < m->nparts; k++)
        for (int e = 0; field >= 0 && e < d->array[m->part[k].field].nentries; e++) {
            lbr_entry x = d->array[m->part[k].field].entry[e];

            x.add = 1;
            lbr_dag_entry(d, field, x);
        }
    lbr_dag_close(d, field);
    return d->status ? -1 : field;
}

static int make_rates(lbr_model *m, lbr_message *message)
{
    lbr_functions *s = m->functions;
    int64_t n = m->nfirst;
    int field = lbr_model_field(m), velocity, force;

    s->system.field_jvp = call_field_jvp;
    if (!lbr_function_tangent(m, &s->field_jvp, field, m->direction, message)) return 0;
    m->structure.autonomous = !lbr_touches_time(&m->dag, field);
    if (!n || m->dim != 2 * n) return give_field(m, field, message);
    s->system.nq = n; /* a partition into halves */
    velocity = lbr_array_piece(&m->lo, field, 0, n), force = lbr_array_piece(&m->lo, field, n, 2 * n);
    if (velocity < 0 || force < 0 || !lbr_structure_find(m, velocity, force, &s->inverse_mass))
        return lbr_function_make(m, &s->field, -1, -1, 0, message);
    if (!s->inverse_mass && !lbr_structure_masses(m, velocity, &s->inverse_mass))
        return lbr_function_make(m, &s->field, -1, -1, 0, message);
    if (m->structure.separable) return give_separated(m, velocity, force, message);
    s->system.inverse_mass = s->inverse_mass; /* q'' = g(t, q, q') */
    return give_field(m, field, message);
}

int lbr_model_turns(const lbr_model *m)
{
    for (int k = 0; k < m->nvariables; k++)
        if (m->variable[k].kind == LBR_VAR_ATTITUDE) return 1;
    return 0;
}

/* Rigid bodies, with or without positions: the field in quaternions. */
static int make_rigid(lbr_model *m, lbr_message *message)
{
    lbr_functions *s = m->functions;
    int field = lbr_model_hamiltonian_field(m, m->h);

    if (field >= 0 && m->rayleigh >= 0) field = damped(m, field);
    s->system.field_jvp = call_field_jvp;
    if (!lbr_function_tangent(m, &s->field_jvp, field, m->direction, message)) return 0;
    m->structure.autonomous = !lbr_touches_time(&m->dag, field);
    return give_field(m, field, message) && (m->rayleigh >= 0 || m->nconstraints || lbr_functions_bodies(m, message));
}

static int make_equations(lbr_model *m, lbr_message *message)
{
    lbr_functions *s = m->functions;

    if (m->has_l && m->h < 0) return s->system.nq = m->nq, 1; /* L alone (make_lagrangian) */
    if (m->has_h || m->has_l) {
        if (!lbr_function_make(m, &s->energy, -1, m->h, 0, message)) return 0;
        s->system.energy = call_energy;
        s->system.energy_of_time = m->dag.node[m->h].deps & LBR_DEP_TIME ? 1 : -1;
        if (m->rayleigh >= 0) s->system.energy_changes = "there is friction";
        if (s->system.energy_of_time > 0) s->system.energy_changes = "it depends on t";
    }
    if (lbr_model_turns(m) && (m->has_h || m->has_l)) return make_rigid(m, message);
    if ((m->has_h || m->has_l) && !m->nbrackets) return make_canonical(m, message);
    return make_rates(m, message);
}

/* --- quantities -------------------------------------------------------------------------------------------------- */

/* A value of any shape as a function: an array that holds it. */
static int make_quantity(lbr_model *m, lbr_function *f, const lbr_value *v, lbr_message *message)
{
    if (!v->shape.rank) return lbr_function_make(m, f, -1, v->node, 0, message);
    return lbr_function_make(m, f, lbr_value_store(&m->lo, v), -1, 0, message);
}

static int make_invariants(lbr_model *m, lbr_message *message)
{
    lbr_functions *s = m->functions;

    if (!m->ninvariants) return 1;
    s->invariant = lbr_arena_alloc(&m->arena, m->ninvariants, sizeof *s->invariant);
    s->invariant_function = lbr_arena_alloc(&m->arena, m->ninvariants, sizeof *s->invariant_function);
    if (!s->invariant || !s->invariant_function) return lbr_fail(message, LBR_ENOMEM, "out of memory"), 0;
    for (int k = 0; k < m->ninvariants; k++) {
        if (!make_quantity(m, s->invariant_function + k, m->invariant[k].value, message)) return 0;
        s->invariant[k] = (lbr_invariant){ sizeof *s->invariant,         m->invariant[k].name,
                                           s->invariant_function[k].len, lbr_function_call,
                                           s->invariant_function + k,    NULL };
    }
    s->invariants = (lbr_invariants){ sizeof s->invariants, m->ninvariants, s->invariant };
    s->system.invariants = &s->invariants;
    return 1;
}

/* What is observed has rates in it. */
static int is_rated(lbr_model *m, const lbr_named *q)
{
    const lbr_symbol *s = lbr_symbol_find(&m->lo, q->name);

    return s && s->mentions & LBR_MENTIONS_RATES;
}

/* These follow from the equations, and come when all functions of these are made. */
static int make_rated(lbr_model *m, lbr_message *message)
{
    for (int k = 0; k < m->nobserved; k++) {
        const lbr_value *v = m->observed[k].value;
        lbr_ref node = v->node;
        int array = -1;

        if (!is_rated(m, m->observed + k)) continue;
        if (v->shape.rank && (array = lbr_value_store(&m->lo, v)) < 0)
            return lbr_fail(message, LBR_ENOMEM, "out of memory"), 0;
        if (!(array < 0 ? lbr_flow_node(m, &node, message) : lbr_flow_array(m, &array, message)) ||
            !lbr_function_make(m, &m->functions->observed[k].f, array, array < 0 ? node : -1, 0, message))
            return 0;
    }
    return 1;
}

static int make_observed(lbr_model *m, lbr_message *message)
{
    lbr_functions *s = m->functions;

    s->observed = lbr_arena_alloc(&m->arena, m->nobserved + 1, sizeof *s->observed),
    s->quantity = lbr_arena_alloc(&m->arena, m->nobserved, sizeof *s->quantity);
    if (!s->observed || !s->quantity) return lbr_fail(message, LBR_ENOMEM, "out of memory"), 0;
    for (int k = 0; k < m->nobserved; k++) {
        lbr_observed *o = s->observed + k;

        *o = (lbr_observed){ .name = m->observed[k].name,
                             .shape = m->observed[k].value->shape,
                             .len = lbr_shape_size(&m->observed[k].value->shape) };
        if (!is_rated(m, m->observed + k) && !make_quantity(m, &o->f, m->observed[k].value, message)) return 0;
        s->quantity[k] = (lbr_invariant){
            .size = sizeof *s->quantity, .name = o->name, .len = o->len, .value = lbr_function_call, .ctx = &o->f
        };
    }
    s->quantities = (lbr_invariants){ sizeof s->quantities, m->nobserved, s->quantity };
    s->system.observed = m->nobserved ? &s->quantities : NULL;
    return 1;
}

const lbr_observed *lbr_model_observed(const lbr_model *m, int i)
{
    return m->functions && i < m->nobserved ? m->functions->observed + i : NULL;
}

/* H''': after everything else, so that no other function has other nodes because of it; and not where they become too
 * many. */
static int make_third(lbr_model *m, lbr_message *message)
{
    if (m->dag.n > m->dag.limit / 16) return 1;
    m->functions->system.third = call_third;
    return lbr_function_tangent(m, &m->functions->third, m->functions->hessian_vec.array, m->second, message);
}

/* y' = B(y) grad H, where brackets are given; canonical variables have their own. */
static int make_poisson(lbr_model *m, lbr_message *message)
{
    lbr_functions *s = m->functions;

    if (!lbr_function_make(m, &s->gradient, lbr_gradient(&m->dag, m->h, m->lo.state), -1, 0, message)) return 0;
    if (!lbr_function_make(m, &s->structure, lbr_model_structure(m), -1, 0, message)) return 0;
    s->poisson = (lbr_poisson){ .size = sizeof s->poisson, .gradient = call_gradient, .structure = call_structure };
    s->system.poisson = &s->poisson;
    return 1;
}

/* L's own derivatives, for variational methods. */
static int make_lagrangian(lbr_model *m, lbr_message *message)
{
    lbr_functions *s = m->functions;
    int dq = lbr_gradient(&m->dag, m->l, m->lo.state), dv = lbr_gradient(&m->dag, m->l, m->lo.rate),
        q = dq < 0 ? -1 : lbr_array_piece(&m->lo, dq, 0, m->nq);

    if (!lbr_function_make(m, &s->dLdq, q, -1, 0, message)) return 0;
    if (!lbr_function_make(m, &s->dLdv, dv < 0 ? -1 : lbr_array_piece(&m->lo, dv, 0, m->nq), -1, 0, message)) return 0;
    s->lagrangian = (lbr_lagrangian){ .size = sizeof s->lagrangian, .dLdq = call_dLdq, .dLdv = call_dLdv };
    s->system.lagrangian = &s->lagrangian;
    return 1;
}

/* --- all of it --------------------------------------------------------------------------------------------------- */

/* Multipliers follow from the equations: neither these nor invariants can be made of them. `first`: of the functions
 * that are looked at. */
static int unmultiplied(const lbr_model *m, int first, lbr_message *message)
{
    for (int k = first; k < m->functions->nmade; k++)
        if (m->functions->made[k].multiplied)
            return lbr_fail(message, LBR_EARG,
                            "a multiplier follows from the equations: H, rates, parts, constraints and invariants "
                            "cannot be made of one"),
                   0;
    return 1;
}

static int make_all(lbr_model *m, lbr_message *message)
{
    lbr_functions *s = m->functions;
    int made;

    if (!make_blocks(m)) return lbr_fail(message, LBR_ENOMEM, "out of memory"), 0;
    lbr_functions_pattern(s);
    if (!make_equations(m, message) || !make_invariants(m, message) || !unmultiplied(m, 0, message) ||
        !make_observed(m, message))
        return 0;
    made = s->nmade;
    if (m->nparts && !lbr_model_turns(m) && (!lbr_functions_parts(m, message) || !unmultiplied(m, made, message)))
        return 0;
    if (m->nconstraints && !lbr_functions_constraints(m, message)) return 0;
    if (s->hessian_vec.code && !make_third(m, message)) return 0;
    if (m->has_l && m->rayleigh < 0 && !lbr_model_turns(m) && !make_lagrangian(m, message)) return 0;
    if (m->ninvariants && !lbr_functions_gradients(m, message)) return 0;
    if (m->has_h && m->nbrackets && !make_poisson(m, message)) return 0;
    if (m->has_h && s->system.force && s->system.inverse_mass && !m->nconstraints && !lbr_functions_pairs(m, message))
        return 0;
    if (!make_rated(m, message)) return 0;
    if (m->dag.status)
        return lbr_fail(message, m->dag.status, "%s", m->dag.message.text[0] ? m->dag.message.text : "out of memory"),
               0;
    s->complete = 1;
    for (int k = 0; k < m->nobserved; k++)
        if (s->observed[k].f.multiplied && !lbr_multiplied_open(m, message)) return s->complete = 0;
    return 1;
}

const lbr_system *lbr_model_system(lbr_model *m, lbr_message *message)
{
    lbr_functions *s = m->functions;
    lbr_reading before;
    int good, ieee = m->dag.ieee;

    if (s && !s->complete)
        return lbr_fail(message, LBR_EARG, "the functions of this model could not be made before"), NULL;
    if (s) return &s->system;
    if (!(s = lbr_arena_alloc(&m->arena, 1, sizeof *s))) return lbr_fail(message, LBR_ENOMEM, "out of memory"), NULL;
    m->functions = s;
    s->system = (lbr_system){ .size = sizeof s->system, .name = m->source->name, .ctx = s, .dim = m->dim };
    before = lbr_model_enter(m), m->dag.ieee = 0; /* also if a measure is the first to ask */
    m->dag.unrounded = m->extended;
    good = make_all(m, message);
    lbr_lower_leave(&m->lo, &before), m->dag.ieee = ieee, m->dag.unrounded = 0;
    return good ? &s->system : NULL;
}

void lbr_functions_free(lbr_model *m)
{
    if (!m->functions) return;
    lbr_part_flows_free(m);
    for (int k = 0; k < m->functions->nmade; k++) lbr_code_free(m->functions->made[k].code);
    if (m->functions->kernels_free) m->functions->kernels_free(m->functions->kernels);
}
