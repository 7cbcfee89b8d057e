/* instance_choice.c - which instance of the templates a plan uses; what steppers say when equations are not solved.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "instances.h"
#include "solve/solve.h"

/* few: where a width that is not among its own is looked for. */
typedef struct set {
    lbr_isa isa;
    const lbr_instance *all;
    const lbr_positions *positions;
    const lbr_instance *few;
} set;
static const set sets[] = {
    { LBR_ISA_BASELINE, lbr_instances_baseline, lbr_positions_baseline, NULL },
#ifdef LBR_HAVE_V3
    { LBR_ISA_V3, lbr_instances_v3, lbr_positions_v3, NULL },
#endif
#ifdef LBR_HAVE_V4
    { LBR_ISA_V4, lbr_instances_v4, lbr_positions_v4, lbr_instances_v3 },
#endif
};

static const set *set_of(const lbr_setup *setup, const char **text)
{
    lbr_isa isa = lbr_isa_choose(setup->isa, text);
    const set *here = sets;

    while (here->isa != isa) here++; /* lbr_isa_there has been asked: it is in the list */
    return here;
}

static const lbr_instance *of_width(const lbr_instance *one, int64_t n)
{
    while (one->width && one->width != n) one++;
    return one;
}

const lbr_instance *lbr_instance_choose(lbr_setup *setup, int64_t n)
{
    const char *text;
    const set *s = set_of(setup, &text);
    const lbr_instance *one = of_width(s->all, n), *other = s->few ? of_width(s->few, n) : one;

    if (other->width) one = other;
    setup->instance = one->width ? lbr_arena_format(setup->arena, "%s, n = %d compiled in", text, (int)n)
                                 : lbr_arena_format(setup->arena, "%s, n at run time", text);
    return setup->instance ? one : NULL;
}

const lbr_positions *lbr_positions_choose(lbr_setup *setup, int64_t nq, int64_t stages)
{
    const char *text, *known = "";
    const lbr_positions *one = set_of(setup, &text)->positions;

    while ((one->width && one->width != nq) || (one->stages && one->stages != stages)) one++;
    if (one->stages) known = lbr_arena_format(setup->arena, one->width ? " and s = %d" : ", s = %d", (int)stages);
    if (!known) return NULL;
    setup->instance = one->width ? lbr_arena_format(setup->arena, "%s, n = %d%s compiled in", text, (int)nq, known)
                                 : lbr_arena_format(setup->arena, "%s, n at run time%s", text, known);
    return setup->instance ? one : NULL;
}

/* Doubles that a state may take for Newton's method where it may never be needed. */
#define ROOM_FOR_AUTO (INT64_C(1) << 23)

int lbr_newton_mode(const lbr_setup *setup, int64_t n)
{
    if (setup->solver == LBR_SOLVER_FIXED_POINT) return 0;
    if (setup->solver == LBR_SOLVER_NEWTON) return 1;
    return n <= LBR_SOLVE_MATRIX_MOST || lbr_solve_size(n, 1) <= ROOM_FOR_AUTO ? 2 : 0;
}

lbr_status lbr_work_unsolved(lbr_work *w, int64_t component, double change, int64_t iterations)
{
    const char *how = w->head->newton ? "Newton's method" : "iteration",
               *advice = w->setup->solver == LBR_SOLVER_FIXED_POINT ? " or solver = newton" : "";
    char name[64];

    w->component = component;
    lbr_system_component(&w->setup->sys.s, component, name, sizeof name);
    if (change < LBR_FAR)
        return lbr_fail(&w->message, LBR_ENOCONV,
                        "the implicit equations were not solved by %s: component %s still changes by %.3g, relatively, "
                        "after %lld iterations; try a smaller step%s",
                        how, name, change, (long long)iterations, advice);
    if (change < INFINITY)
        return lbr_fail(&w->message, LBR_ENOCONV,
                        "the implicit equations were not solved by %s: component %s runs away (%.3g, relatively, after "
                        "%lld iterations); try a smaller step%s",
                        how, name, change, (long long)iterations, advice);
    return lbr_fail(&w->message, LBR_ENOCONV,
                    "the implicit equations were not solved by %s: it came to where the system's functions are not "
                    "finite, seen in component %s after %lld iterations; try a smaller step%s",
                    how, name, (long long)iterations, advice);
}

lbr_status lbr_work_failing(lbr_work *w, const char *what, int on_the_way)
{
    return lbr_fail(&w->message, LBR_ECALLBACK, "the system's %s reported a failure%s", what,
                    on_the_way ? " at a place that the iteration of the implicit equations came to; try a smaller step"
                               : "");
}
