/* plan.c - making a plan. SPDX-License-Identifier: BSD-3-Clause */
#include "plan_inside.h"
#include "core/rounding.h"

#include <string.h>

/* The most doubles in one state and its scratch. */
#define MOST_MEMORY (INT64_C(1) << 36)

/* Words, flags and counts within what the table of options says, or a sentence about the first that is not. */
static lbr_status in_range(const lbr_options *o, lbr_message *m)
{
    for (const lbr_option *row = lbr_option_next(NULL); row; row = lbr_option_next(row)) {
        const void *at = (const char *)o + row->offset;
        int64_t value = row->type == LBR_OPTION_COUNT ? *(const int64_t *)at : *(const int *)at;
        int64_t low = row->type == LBR_OPTION_COUNT, high = 1000000;
        size_t n;

        if (row->type != LBR_OPTION_COUNT)
            for (high = -1; lbr_text_word(row->values, (int)high + 1, &n);) high++;
        if (value < low || value > high)
            return lbr_fail(m, LBR_EARG, "option %s is %lld, which is not one of its values (%s)", row->name,
                            (long long)value, row->values);
    }
    return LBR_OK;
}

lbr_status lbr_tables_of(const lbr_options *o, lbr_arena *arena, const lbr_method **methods, lbr_message *m)
{
    lbr_status status;

    *methods = NULL;
    if (o->nmethods < 0 || (o->nmethods > 0 && (!o->methods || o->methods->size < offsetof(lbr_method, order))))
        return lbr_fail(m, LBR_EARG, "the options' methods have no sensible count or size");
    for (int64_t i = 0; i < o->nmethods; i++)
        if ((status = lbr_known(lbr_strided(o->methods, i), sizeof(lbr_method), "a table among the options' methods",
                                m)))
            return status;
    if ((*methods = lbr_full_array(arena, o->methods, o->nmethods, sizeof **methods))) return LBR_OK;
    return lbr_fail(m, LBR_ENOMEM, "out of memory");
}

static lbr_status take_options(lbr_plan *p, const lbr_options *given, lbr_names *names)
{
    lbr_map_def *maps;
    lbr_options o;
    lbr_status status;

    lbr_options_init(&o);
    if (given) {
        if (given->size < sizeof o.size || given->size > 4096)
            return lbr_fail(&p->message, LBR_EARG, "the options' size field is not set (use lbr_options_init)");
        if ((status = lbr_known(given, sizeof o, "the struct of options", &p->message))) return status;
        memcpy(&o, given, given->size < sizeof o ? given->size : sizeof o);
    }
    if ((status = in_range(&o, &p->message))) return status;
    if (o.jacobian == LBR_JACOBIAN_USER && !p->setup.sys.s.field_jvp)
        return lbr_fail(&p->message, LBR_EUNFIT,
                        "option jacobian = user needs the system's field_jvp, which is not there");
    if (!lbr_isa_there(o.isa))
        return lbr_fail(&p->message, LBR_EUNFIT,
                        "this machine or this build lacks the instruction set that option isa asks for");
    if ((status = lbr_tables_of(&o, &p->arena, &names->methods, &p->message))) return status;
    if (!(maps = lbr_full_array(&p->arena, p->setup.sys.s.maps, p->setup.sys.s.nmaps, sizeof *maps)))
        return lbr_fail(&p->message, LBR_ENOMEM, "out of memory");
    p->setup.sys.s.maps = maps;
    names->maps = maps, names->nmaps = p->setup.sys.s.nmaps, names->nmethods = o.nmethods;
    p->setup.extended = o.precision, p->setup.compensated = o.compensated && !o.precision; /* it needs no more digits */
    p->setup.solver = o.solver, p->setup.jacobian = o.jacobian, p->setup.isa = o.isa,
    p->setup.exact_lanes = o.exact_lanes;
    p->setup.max_iterations = o.max_iterations, p->setup.starting = o.starting_values;
    return LBR_OK;
}

static uint64_t hash_program(uint64_t d, const lbr_setup *set, const lbr_program *p)
{
    for (int64_t i = 0; i < p->n; i++) {
        const char *kind = set->atom[p->term[i].atom].kind->name;

        d = lbr_hash(d, kind, strlen(kind) + 1);
        d = lbr_hash(d, &p->term[i].atom, sizeof p->term[i].atom);
        d = lbr_hash(d, &p->term[i].c, sizeof p->term[i].c);
    }
    return lbr_hash(d, &p->n, sizeof p->n);
}

uint64_t lbr_plan_digest(const lbr_plan *p, int named, int older)
{
    const lbr_setup *set = &p->setup;
    int64_t shape[] = { set->sys.s.dim, set->sys.s.nq,       set->compensated, set->solver,
                        set->jacobian,  set->max_iterations, set->nstate,      set->stepper->layout };
    const char *name = set->sys.s.name ? set->sys.s.name : "";
    uint64_t d;

    if (older) shape[6] -= set->grown;
    d = lbr_hash(LBR_HASH, shape, sizeof shape);
    if (set->grown && !older) d = lbr_hash(d, &set->starting, sizeof set->starting);
    if (named) d = lbr_hash(d, name, strlen(name) + 1);
    d = lbr_hash(d, set->stepper->name, strlen(set->stepper->name) + 1);
    d = lbr_hash(d, p->flat.name, strlen(p->flat.name) + 1);
    d = hash_program(d, set, &set->pre);
    d = hash_program(d, set, &set->kernel);
    return hash_program(d, set, &set->post);
}

/* Double-double coefficients, compensated sums and every promise about bits are made for rounding to nearest, which is
 * how programs begin. */
static lbr_status rounding(lbr_message *m)
{
    const volatile double small = 0x1p-600, smaller = 0x1p-460;

    if (small * smaller == 0)
        return lbr_fail(m, LBR_EARG,
                        "the processor is set to take denormal numbers for zero (-ffast-math?); plans are made and run "
                        "with all of them");
    if (lbr_rounding_usual()) return LBR_OK;
    return lbr_fail(m, LBR_EARG,
                    "the processor is set to round upward, downward or towards zero; plans are made and run with "
                    "rounding to nearest: fesetround(FE_TONEAREST)");
}

static lbr_status make(lbr_plan *p, const char *method, const lbr_system *system, const lbr_options *options)
{
    lbr_setup *set = &p->setup;
    const char *name;
    lbr_names names;
    lbr_status status;

    set->arena = &p->arena;
    if ((status = rounding(&p->message))) return status;
    if ((status = lbr_bound_init(&set->sys, system, &p->message)) || (status = take_options(p, options, &names)))
        return status;
    if ((status = lbr_flatten(&p->flat, method, &names, 1, &p->arena, &p->message)) || (status = lbr_bind(p)) ||
        (status = lbr_partial(p)) || (status = lbr_dense_prepare(p)))
        return status;
    name = set->sys.s.name ? set->sys.s.name : "";
    if (set->nstate > MOST_MEMORY || set->nscratch > MOST_MEMORY)
        return lbr_fail(&p->message, LBR_ENOMEM, "method '%s' would need %.3g GB for one state", p->flat.name,
                        8e-9 * (double)(set->nstate + set->nscratch));
    p->digest = lbr_plan_digest(p, 0, 0), p->name = lbr_hash(LBR_HASH, name, strlen(name));
    p->steps = lbr_arena_format(&p->arena, "%s stepper (%s)", set->stepper->name, set->instance);
    if (!p->steps || lbr_state_create(&p->own, p))
        return lbr_fail(&p->message, LBR_ENOMEM, "out of memory for the plan's state");
    return LBR_OK;
}

lbr_status lbr_plan_create(lbr_plan **plan, const char *method, const lbr_system *system, const lbr_options *options)
{
    if (!plan) return LBR_EARG;
    return (*plan = lbr_mem_alloc(sizeof **plan)) ? make(*plan, method, system, options) : LBR_ENOMEM;
}

void lbr_plan_free(lbr_plan *p)
{
    if (!p) return;
    lbr_state_free(p->own);
    lbr_arena_free(&p->arena);
    lbr_mem_free(p);
}

const char *lbr_plan_message(const lbr_plan *p)
{
    if (!p) return lbr_status_text(LBR_ENOMEM);
    return p->message.text[0] || !p->own ? p->message.text : lbr_state_message(p->own);
}

const char *lbr_plan_method(const lbr_plan *p) { return p && p->flat.name ? p->flat.name : ""; }
const char *lbr_plan_kernel(const lbr_plan *p) { return p && p->setup.fused ? "fused" : "callback"; }
const char *lbr_plan_steps(const lbr_plan *p) { return p && p->steps ? p->steps : ""; }
lbr_state *lbr_plan_state(lbr_plan *p) { return p ? p->own : NULL; }

/* The plan's own state. A plan whose creation failed has none. */
lbr_status lbr_start(lbr_plan *p, double t0, double h, const double *y)
{
    return lbr_state_start(lbr_plan_state(p), t0, h, y);
}
lbr_status lbr_run(lbr_plan *p, int64_t n, int64_t every, lbr_observer f, void *ctx)
{
    return lbr_state_run(lbr_plan_state(p), n, every, f, ctx);
}
lbr_status lbr_read(lbr_plan *p, double *t, double *y) { return lbr_state_read(lbr_plan_state(p), t, y); }
lbr_status lbr_map(lbr_plan *p, double t, double h, double *y) { return lbr_state_map(lbr_plan_state(p), t, h, y); }
const lbr_stats *lbr_plan_stats(const lbr_plan *p) { return lbr_state_stats(p ? p->own : NULL); }
