/* sequence.c - any sequence of one-step maps: compositions, splittings into parts, processed methods. SPDX-License-Identifier: BSD-3-Clause
 *
 * Where a step begins and ends with the flow of the same part, the two merge between steps: the last one is put off
 * until the next step or until one looks. State: y, and its low parts where sums are compensated. */
#include "stepper.h"

#include <string.h>

typedef struct piece { int32_t atom; lbr_dd c, time; int64_t slot; } piece;      /* one term and its slot in scratch */
typedef struct row { int64_t n; piece *piece; } row;
typedef struct place { int32_t atom; lbr_dd c; int64_t slot; } place;            /* a slot: one per atom and distinct step */

typedef struct constants {
    row pre, kernel, post;
    int merged;                                    /* the last piece of the kernel waits for the next step           */
    piece joint;                                   /* then: first and last in one                                    */
    int64_t nplaces;  place *place;
    int64_t own, copy;                             /* atoms' own scratch; a copy of the state for reading            */
} constants;

static int takes(const lbr_setup *set) { return (void)set, 1; }

/* The slot for this atom and step, made where there is none yet. */
static int64_t slot_for(const lbr_setup *set, constants *c, int32_t atom, lbr_dd step, int64_t *at)
{
    place *p = c->place;

    if (set->atom[atom].slot == 0) return *at;
    for (int64_t i = 0; i < c->nplaces; i++, p++)
        if (p->atom == atom && p->c.hi == step.hi && p->c.lo == step.lo) return p->slot;
    *p = (place){ atom, step, *at };
    c->nplaces++;
    *at += set->atom[atom].slot;
    return p->slot;
}

static int row_of(lbr_setup *set, constants *c, const lbr_program *p, row *r, int64_t *at)
{
    r->n = p->n;
    if (!(r->piece = lbr_arena_alloc(set->arena, p->n, sizeof *r->piece))) return -1;
    for (int64_t i = 0; i < p->n; i++) {
        const lbr_term *t = &p->term[i];
        r->piece[i] = (piece){ t->atom, t->c, t->time, slot_for(set, c, t->atom, t->c, at) };
    }
    return 0;
}

static lbr_status build(lbr_setup *set, lbr_message *m)
{
    constants *c = lbr_arena_alloc(set->arena, 1, sizeof *c);
    int64_t at = 0, own = 0, last = set->kernel.n - 1;

    if (c) c->place = lbr_arena_alloc(set->arena, set->pre.n + set->kernel.n + set->post.n + 1, sizeof *c->place);
    if (!c || !c->place || row_of(set, c, &set->pre, &c->pre, &at) || row_of(set, c, &set->kernel, &c->kernel, &at)
        || row_of(set, c, &set->post, &c->post, &at)) return lbr_fail(m, LBR_ENOMEM, "out of memory for the plan");
    if (last > 0 && c->kernel.piece[0].atom == c->kernel.piece[last].atom && set->atom[c->kernel.piece[0].atom].kind->flow) {
        c->merged = 1;
        c->joint = c->kernel.piece[0];
        c->joint.c = dd_add(c->joint.c, c->kernel.piece[last].c);
        c->joint.time = dd_sub(dd(0), set->atom[c->joint.atom].moves_time ? c->kernel.piece[last].c : dd(0));
        c->joint.slot = slot_for(set, c, c->joint.atom, c->joint.c, &at);
    }
    for (int64_t i = 0; i < set->natoms; i++) if (set->atom[i].own > own) own = set->atom[i].own;
    set->nstate = set->sys.s.dim * (set->compensated ? 2 : 1);
    c->own = at, at += own;
    c->copy = at, at += set->nstate;
    set->nscratch = at;
    set->constants = c;
    if (!set->instance) set->instance = "functions of the system";
    return LBR_OK;
}

static void prepare(lbr_work *w)
{
    const constants *c = w->setup->constants;

    for (int64_t i = 0; i < c->nplaces; i++) {
        const lbr_atom *a = &w->setup->atom[c->place[i].atom];
        if (a->kind->prepare) a->kind->prepare(a, dd_mul(c->place[i].c, dd(w->head->h)).hi, w->scratch + c->place[i].slot);
    }
}

static void start(lbr_work *w, const double *y) { memcpy(w->v, y, (size_t)w->setup->sys.s.dim * sizeof *y); }

static lbr_status apply(lbr_work *w, const piece *p, double t, double *v)
{
    const lbr_setup *set = w->setup;
    const constants *c = set->constants;
    const lbr_atom *a = &set->atom[p->atom];
    double h = w->head->h;

    return a->kind->apply(w, a, w->scratch + p->slot, w->scratch + c->own, t + dd_mul(p->time, dd(h)).hi, dd_mul(p->c, dd(h)).hi,
                          v, set->compensated ? v + set->sys.s.dim : NULL);
}

static lbr_status apply_row(lbr_work *w, const row *r, int64_t from, int64_t to, double t, double *v)
{
    lbr_status status = LBR_OK;

    for (int64_t i = from; i < to && !status; i++) status = apply(w, &r->piece[i], t, v);
    return status;
}

static lbr_status advance(lbr_work *w, int64_t n)
{
    const constants *c = w->setup->constants;
    lbr_status status = LBR_OK;

    for (int64_t k = w->head->n, end = k + n; k < end && !status; k++) {
        double t = lbr_time(w->head, k);

        if (!w->head->primed) status = apply_row(w, &c->pre, 0, c->pre.n, t, w->v);
        if (!status) status = apply(w, c->merged && w->head->primed ? &c->joint : &c->kernel.piece[0], t, w->v);
        if (!status) status = apply_row(w, &c->kernel, 1, c->kernel.n - c->merged, t, w->v);
        w->head->primed = 1;
    }
    return status;
}

static lbr_status read_out(lbr_work *w, double *y)
{
    const constants *c = w->setup->constants;
    double *v = w->scratch + c->copy;
    int64_t n = w->head->n;
    lbr_status status = LBR_OK;

    memcpy(v, w->v, (size_t)w->setup->nstate * sizeof *v);
    if (w->head->primed && c->merged) status = apply(w, &c->kernel.piece[c->kernel.n - 1], lbr_time(w->head, n - 1), v);
    if (w->head->primed && !status) status = apply_row(w, &c->post, 0, c->post.n, lbr_time(w->head, n), v);
    memcpy(y, v, (size_t)w->setup->sys.s.dim * sizeof *y);
    return status;
}

const lbr_stepper lbr_stepper_sequence = { "sequence", 1, takes, build, prepare, start, advance, read_out, NULL, NULL };
