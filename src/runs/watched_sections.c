/* watched_sections.c - which sections a run looks at: those that it ends at, and those whose events somebody asks for.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "experiment.h"
#include "model/section.h"

#include <stdio.h>
#include <string.h>

/* A section that somebody asks for. */
typedef struct lbr_wanted {
    int section, keep;
    struct lbr_wanted *next;
} lbr_wanted;

int lbr_section_named(lbr_lower *lo, const lbr_model *m, const char *name, lbr_place place)
{
    int k = lbr_model_section(m, name);
    const char *near = k < 0 ? lbr_model_section_near(m, name) : NULL;

    if (k < 0)
        lbr_lower_fail(lo, place,
                       near           ? "there is no section '%.60s'; did you mean '%.60s'?"
                       : m->nsections ? "there is no section '%.60s'"
                                      : "there is no section '%.60s': the model has none",
                       name, near);
    return k;
}

int lbr_section_want(lbr_experiment *x, int run, int k, int keep)
{
    lbr_trial *r = x->run + run;
    lbr_wanted *w = r->wanted;

    while (w && w->section != k) w = w->next;
    if (!w) {
        if (!(w = lbr_arena_alloc(&x->arena, 1, sizeof *w))) return 0;
        w->section = k, w->next = r->wanted, r->wanted = w;
    }
    w->keep |= keep;
    return 1;
}

int lbr_sections_want(lbr_experiment *x, int run, int keep)
{
    for (int k = 0; k < x->base->nsections; k++)
        if (!lbr_section_want(x, run, k, keep)) return 0;
    return 1;
}

int lbr_section_until(lbr_trial *r, const lbr_line *line, const lbr_item *item)
{
    lbr_lower *lo = &r->model->lo;
    lbr_reading before;

    r->until = 0;
    if (!item) return 1;
    before = lbr_lower_enter(lo, line, LBR_WHERE_AROUND);
    if (item->value && item->value->kind == LBR_NODE_NAME)
        r->until = lbr_section_named(lo, r->model, item->value->text, item->value->place) + 1;
    else
        lbr_lower_fail(lo, item->value ? item->value->first : item->target.place,
                       "expected the name of a section: until = cut");
    return !lbr_lower_leave(lo, &before);
}

static int attach(lbr_trial *r, lbr_cut *cut, int k, int keep, lbr_message *why)
{
    const lbr_section_code *s = lbr_section_functions(r->model, k, why);

    if (!s) return 0;
    *cut = (lbr_cut){ .at = lbr_section_of(s), .keep = keep, .stop = k == r->until - 1 };
    return 1;
}

lbr_status lbr_sections_attach(lbr_experiment *x, lbr_trial *r)
{
    lbr_message why = { 0 };
    int64_t n = 0;
    lbr_cut *cut;

    r->job.cut = NULL, r->job.ncuts = 0;
    if (r->until && !lbr_section_want(x, (int)(r - x->run), r->until - 1, 0)) return lbr_experiment_fail(x, LBR_ENOMEM);
    for (const lbr_wanted *w = r->wanted; w; w = w->next) n++;
    if (!n) return LBR_OK;
    if (!(cut = lbr_arena_alloc(&x->arena, n, sizeof *cut))) return lbr_experiment_fail(x, LBR_ENOMEM);
    r->job.cut = cut, r->job.ncuts = n;
    for (const lbr_wanted *w = r->wanted; w; w = w->next) /* those asked for first come first */
        if (!attach(r, cut + --n, w->section, w->keep, &why)) return lbr_experiment_refused(x, &why);
    return LBR_OK;
}
