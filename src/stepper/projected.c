/* projected.c - steps of any map, brought back onto a surface. SPDX-License-Identifier: BSD-3-Clause
 *
 * Standard: a step, then the projection (HLW IV.4, Algorithm 4.2). Symmetric: projected_symmetric.c. An atom without
 * steps is a projection alone, for when one looks; the first time it only notes the levels. */
#include "projected.h"
#include "solve/damped.h"

enum { NEWTON_MOST = 300 }; /* unknowns, for which there is room */

/* --- sizes ------------------------------------------------------------------------------------------------------- */

/* Unknowns of Newton's method: 0 where there is no room for it. */
static int64_t unknowns(const lbr_surface *s, const lbr_projected *p)
{
    return p->how->symmetric && s->n + s->m <= NEWTON_MOST ? s->n + s->m : 0;
}

static int64_t own_size(const lbr_projected_constants *c, const lbr_projected *p)
{
    const lbr_surface *s = &c->s;
    int64_t all = unknowns(s, p);

    return lbr_normal_size(s) + s->m * s->n + 5 * s->n + 2 * s->m + 4 * s->n +
           (c->tandem ? 2 * c->tandem->s * s->n : 0) + (all ? lbr_damped_size(all) + 2 * all : 0) + c->own;
}

static void place(lbr_projected_step *z, double *own)
{
    int64_t n = z->s->n, m = z->s->m;

    own = lbr_normal_place(z->s, &z->x, own);
    z->D0 = own, own += m * n;
    z->d = own, z->y1 = own + n, z->defect = own + 2 * n, z->other = own + 3 * n, z->plain = own + 4 * n, own += 5 * n;
    z->mu = own, z->step = own + m, own += 2 * m;
    z->from = own, z->to = own + 2 * n, own += 4 * n;
    if (z->c->tandem) z->K = own, z->L = own + z->c->tandem->s * n, own += 2 * z->c->tandem->s * n;
    if (unknowns(z->s, z->p)) z->newton = own, own += lbr_damped_size(n + m) + 2 * (n + m);
    z->inside = own;
}

/* One implicit tableau, solved by iteration. */
static const lbr_tableau *tandem_of(const lbr_setup *set, const lbr_projected *p)
{
    const lbr_atom *a = p->inner.n == 1 ? &set->atom[p->inner.term->atom] : NULL;

    return p->how->symmetric && a && a->kind == &lbr_atom_runge_kutta && !a->second && !a->tableau->is_explicit &&
                   set->solver != LBR_SOLVER_NEWTON
               ? a->tableau
               : NULL;
}

static lbr_status build(lbr_setup *set, lbr_atom *a, lbr_message *m)
{
    const lbr_projected *p = a->data;
    lbr_projected_constants *c = lbr_arena_alloc(set->arena, 1, sizeof *c);
    lbr_status status;

    if (!c || !(c->slot = lbr_arena_alloc(set->arena, p->inner.n, sizeof *c->slot)))
        return lbr_fail(m, LBR_ENOMEM, "out of memory for the projection");
    if ((status = lbr_surface_make(&c->s, set, p->how, m))) return status;
    for (int64_t i = 0; i < p->inner.n; i++) {
        const lbr_atom *in = &set->atom[p->inner.term[i].atom];

        c->slot[i] = a->slot, a->slot += in->slot;
        if (in->own > c->own) c->own = in->own;
        if (!p->how->symmetric) a->foretold += in->foretold, a->series += in->series; /* which they take one by one */
    }
    c->tandem = tandem_of(set, p), c->atom = set->atom;
    a->constants = c;
    a->own = own_size(c, p), a->kept = 1 + c->s.m;
    if (p->how->symmetric) a->foretold = c->s.n + c->s.m, a->series = 2; /* and none for those inside */
    if (c->tandem) a->foretold += c->tandem->s * c->s.n, a->series++;
    return LBR_OK;
}

static void prepare(const lbr_atom *a, double h, double *slot)
{
    const lbr_program *p = a->inner;
    const lbr_projected_constants *c = a->constants;

    for (int64_t i = 0; i < p->n; i++) {
        const lbr_atom *in = &c->atom[p->term[i].atom];

        if (in->kind->prepare) in->kind->prepare(in, dd_mul(p->term[i].c, dd(h)).hi, slot + c->slot[i]);
    }
}

/* --- all of them ------------------------------------------------------------------------------------------------- */

lbr_status lbr_projected_inner(lbr_projected_step *z, double *y, double *e)
{
    const lbr_program *p = &z->p->inner;
    lbr_status status = LBR_OK;

    for (int64_t i = 0; i < p->n && !status; i++) {
        const lbr_atom *a = &z->c->atom[p->term[i].atom];

        status = a->kind->apply(z->w, a, z->slot + z->c->slot[i], z->inside,
                                z->t + dd_mul(p->term[i].time, dd(z->h)).hi, dd_mul(p->term[i].c, dd(z->h)).hi, y, e);
    }
    return status;
}

/* What the invariants are is noted once, where a trajectory begins. */
static lbr_status levels(lbr_projected_step *z, double *kept)
{
    if (lbr_surface_value(z->s, &z->w->head->stats, z->t, z->y, NULL, z->level, z->x.room))
        return lbr_fail(&z->w->message, LBR_ECALLBACK, "what is projected onto reported a failure");
    for (int64_t i = 0; i < z->s->fixed; i++) z->level[i] = 0;
    *kept = 1;
    return lbr_surface_kept(z->s, z->t, z->h, z->y, z->x.room, &z->w->message);
}

static lbr_status apply(lbr_work *w, const lbr_atom *a, const double *slot, double *own, double t, double h, double *y,
                        double *e)
{
    const lbr_projected_constants *c = a->constants;
    double *kept = w->kept + a->kept_at;
    lbr_projected_step z = {
        .w = w, .p = a->data, .c = c, .s = &c->s, .slot = slot, .t = t, .h = h, .y = y, .e = e, .level = kept + 1
    };
    int first = *kept == 0;
    lbr_status status;

    place(&z, own);
    if (c->tandem) z.hc = dd_mul(z.p->inner.term->c, dd(h)).hi;
    if (first && (status = levels(&z, kept))) return status;
    if (!z.p->inner.n)
        return first
                   ? LBR_OK
                   : lbr_onto(z.s, &z.x, &w->head->stats, w->setup->max_iterations, t, z.level, y, e, z.d, &w->message);
    if (z.p->how->symmetric) {
        int64_t n = z.s->n, m = z.s->m;

        z.told[0] = lbr_foretold_next(w, m, m), z.told[1] = lbr_foretold_next(w, n, z.s->sys->s.nq);
        if (c->tandem) z.told[2] = lbr_foretold_next(w, c->tandem->s * n, c->tandem->s * n);
        if ((status = lbr_projected_symmetric(&z))) return status;
        lbr_increment(z.s->n, y, e, z.d);
        return LBR_OK;
    }
    if ((status = lbr_projected_inner(&z, y, e))) return status;
    return lbr_onto(z.s, &z.x, &w->head->stats, w->setup->max_iterations, a->moves_time ? t + h : t, z.level, y, e, z.d,
                    &w->message);
}

const lbr_atom_kind lbr_atom_projected = { "projected", 0, build, prepare, apply, 0 };
