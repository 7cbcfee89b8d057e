/* nystrom_stepper.c - a Nystrom method on its own (stepper), and as a step of something larger (atom).
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * State: y, its low parts where sums are compensated, and for implicit methods the p' of the stages of the last step,
 * from which the next one's starting values come, with those of earlier steps. */
#include "foretold.h"
#include "nystrom_steps.h"

#include <string.h>

static int takes(const lbr_setup *set)
{
    const lbr_term *t = set->kernel.term;

    return set->pre.n == 0 && set->post.n == 0 && set->kernel.n == 1 && set->atom[t->atom].kind == &lbr_atom_nystrom &&
           t->c.hi == 1 && t->c.lo == 0;
}

static lbr_status build(lbr_setup *set, lbr_message *m)
{
    const lbr_nys *y = set->atom[set->kernel.term->atom].constants;
    int64_t n = set->sys.s.dim;

    (void)m;
    set->constants = (void *)y;
    set->grown = y->method->is_explicit ? 0 : lbr_starting_kept(y->starting, y->s * y->nq, n);
    set->nstate = n + (set->compensated ? n : 0) + (y->method->is_explicit ? 0 : y->s * y->nq + set->grown);
    set->nscratch = y->slot + y->own;
    set->watches = y->watches;
    return LBR_OK;
}

static lbr_nys_run run_of(lbr_work *w)
{
    const lbr_nys *y = w->setup->constants;
    int64_t n = w->setup->sys.s.dim;
    double *F = w->v + n * (w->setup->compensated ? 2 : 1);

    return (lbr_nys_run){ .nys = y,
                          .slot = w->scratch,
                          .own = w->scratch + y->slot,
                          .t0 = w->head->t0,
                          .h = w->head->h,
                          .y = w->v,
                          .e = w->setup->compensated ? w->v + n : NULL,
                          .F = F,
                          .earlier = F + y->s * y->nq,
                          .past = y->method->is_explicit ? NULL : w->v + w->setup->nstate - LBR_STARTING_STANDS,
                          .watch = w->watch };
}

static void prepare(lbr_work *w) { lbr_nys_prepare(w->setup->constants, w->head->h, w->scratch); }

static void start(lbr_work *w, const double *y) { memcpy(w->v, y, (size_t)w->setup->sys.s.dim * sizeof *y); }

static lbr_status advance(lbr_work *w, int64_t n)
{
    lbr_nys_run r = run_of(w);
    lbr_status status;

    if (n > 0 && !w->head->primed && (status = lbr_nys_begin(w, &r, w->head->t0))) return status;
    w->head->primed |= n > 0;
    return lbr_nys_steps(w, &r, w->head->n, n);
}

static lbr_status read_out(lbr_work *w, double *y)
{
    memcpy(y, w->v, (size_t)w->setup->sys.s.dim * sizeof *y);
    return LBR_OK;
}

const lbr_stepper lbr_stepper_nystrom = {
    .name = "nystrom",
    .layout = 1,
    .takes = takes,
    .build = build,
    .prepare = prepare,
    .start = start,
    .advance = advance,
    .read = read_out,
};

/* --- the atom ---------------------------------------------------------------------------------------------------- */

static lbr_status build_atom(lbr_setup *set, lbr_atom *a, lbr_message *m)
{
    const lbr_nys *y;
    lbr_status status = lbr_nys_build(&y, set, a->data, (int)a->index, takes(set), m);

    if (status) return status;
    a->constants = (void *)y;
    a->slot = y->slot;
    a->own = y->own + (y->method->is_explicit ? 0 : y->s * y->nq);
    if (!y->method->is_explicit) a->foretold = y->s * y->nq, a->series = 1;
    return LBR_OK;
}

static void prepare_atom(const lbr_atom *a, double h, double *slot) { lbr_nys_prepare(a->constants, h, slot); }

static lbr_status apply(lbr_work *w, const lbr_atom *a, const double *slot, double *own, double t, double h, double *y,
                        double *e)
{
    const lbr_nys *n = a->constants;
    lbr_nys_run r = { .nys = n, .slot = slot, .own = own, .t0 = t, .h = h, .y = y, .e = e, .F = own + n->own };
    lbr_foretold F;
    lbr_status status;

    if (n->method->is_explicit) return lbr_nys_steps(w, &r, 0, 1);
    F = lbr_foretold_next(w, n->s * n->nq, n->s * n->nq);
    r.foretold = lbr_foretell(&F, r.F);
    if (!r.foretold && (status = lbr_nys_begin(w, &r, t))) return status;
    if (!(status = lbr_nys_steps(w, &r, 0, 1))) lbr_foretold_keep(&F, r.F);
    return status;
}

const lbr_atom_kind lbr_atom_nystrom = { "nystrom", 0, build_atom, prepare_atom, apply, 0 };
