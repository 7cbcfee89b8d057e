/* partial.c - whether a step moves every part of the field, and as far as it should.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "plan_inside.h"

#include <math.h>

/* How far each part is moved, in steps; `by` multiplies all. 0: there is an atom that moves more than parts. */
static int moved(const lbr_setup *set, const lbr_program *of, double by, double *far)
{
    for (int64_t i = 0; i < of->n; i++) {
        const lbr_atom *a = &set->atom[of->term[i].atom];

        if (a->inner) {
            if (!moved(set, a->inner, by * of->term[i].c.hi, far)) return 0;
            continue;
        }
        if (!a->kind->parts) return 0;
        far[a->index] += by * of->term[i].c.hi;
        if (a->kind->parts > 1) far[a->other] += by * of->term[i].c.hi;
    }
    return 1;
}

static lbr_status no_memory(lbr_plan *p) { return lbr_fail(&p->message, LBR_ENOMEM, "out of memory for the plan"); }

lbr_status lbr_partial(lbr_plan *p)
{
    const lbr_parts *all = p->setup.sys.s.parts;
    const char *of = p->setup.sys.s.name ? p->setup.sys.s.name : "without a name";
    double *far = all ? lbr_arena_alloc(&p->arena, all->count, sizeof *far) : NULL;

    if (all && !far) return no_memory(p);
    if (!all || !moved(&p->setup, &p->setup.kernel, 1, far)) return LBR_OK;
    for (int64_t i = 0; i < all->count && !p->partial; i++) {
        const char *name = lbr_bound_part(&p->setup.sys, i)->name;

        if (fabs(far[i] - 1) < 1e-5) continue;
        if (far[i] == 0)
            p->partial = lbr_arena_format(&p->arena,
                                          "method '%s' leaves out part '%s' of system '%s', so that another field is "
                                          "integrated; split(TABLE) without names takes every part",
                                          p->flat.name, name, of);
        else
            p->partial = lbr_arena_format(
                &p->arena,
                "method '%s' moves part '%s' of system '%s' through %.6g of a step, so that "
                "another field is integrated; a part is named once, or split(TABLE) without names takes "
                "every part",
                p->flat.name, name, of, far[i]);
        if (!p->partial) return no_memory(p);
    }
    return LBR_OK;
}
