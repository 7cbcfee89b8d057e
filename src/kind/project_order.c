/* project_order.c - what is known of a projected method, from what is known of the method.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A projected map has the order of the map (HLW IV.4, V.4), and is symmetric where the map and the projection are.
 * Several steps of it are a composition, whose order follows from these two and from nothing else: that the steps
 * without projections may fit together better does not help. */
#include "shared.h"
#include "stepper/surface.h"

#include <math.h>

typedef struct search {
    const lbr_flat *f;
    lbr_arena *arena;
    lbr_message *m;
    double tolerance;
} search;

static const lbr_finding none = { .value = -1, .by = "theorem" };

static lbr_status no_memory(const search *z) { return lbr_fail(z->m, LBR_ENOMEM, "out of memory while certifying"); }

static lbr_status several(const search *z)
{
    return lbr_fail(
        z->m, LBR_EUNFIT,
        "'%s' mixes several basic maps, or projections with other maps; its order cannot be decided by words",
        z->f->name);
}

static int is_projection(const lbr_base *b) { return b->kind == lbr_kind_find("project"); }

static const lbr_base *base_of(const search *z, const lbr_step *s) { return &z->f->base[s->base]; }

/* A projection without steps of its own, as project(post, M) has it before and after. */
static int bare(const search *z, const lbr_step *s) { return is_projection(base_of(z, s)) && !base_of(z, s)->inner.n; }

static int any_projected(const search *z, lbr_steps a)
{
    for (int64_t i = 0; i < a.n; i++)
        if (is_projection(base_of(z, &a.step[i]))) return 1;
    return 0;
}

/* --- steps without projections ----------------------------------------------------------------------------------- */

static lbr_status plain(const search *z, lbr_steps a, lbr_analysis *out)
{
    lbr_flat some = *z->f;
    int32_t *number = lbr_arena_alloc(z->arena, z->f->nbases, sizeof *number);
    lbr_status status;

    lbr_flat_drop(&some, lbr_kind_find("project")), some.nbases = 0, some.pre.n = some.post.n = 0;
    some.base = lbr_arena_alloc(z->arena, z->f->nbases, sizeof *some.base);
    if (!number || !some.base || !(some.kernel.step = lbr_arena_alloc(z->arena, a.n, sizeof *some.kernel.step)))
        return no_memory(z);
    for (int64_t i = 0; i < z->f->nbases; i++) number[i] = -1;
    for (int64_t i = 0; i < a.n; i++) {
        int32_t *k = &number[a.step[i].base];

        if (*k < 0) *k = (int32_t)some.nbases, some.base[some.nbases++] = *base_of(z, &a.step[i]);
        some.kernel.step[i] = a.step[i], some.kernel.step[i].base = *k;
    }
    some.kernel.n = a.n;
    if (!(status = lbr_analyse(&some, z->tolerance, z->arena, out, z->m))) out->order_again = none;
    return status;
}

/* --- steps of one projected map ---------------------------------------------------------------------------------- */

typedef struct unit {
    lbr_steps inner; /* what is projected */
    const lbr_projection *how;
    int n; /* how often: each time, a multiple of h, and whether it is the adjoint */
    lbr_dd *c;
    unsigned char *adjoint;
} unit;

/* All steps are of one base. */
static int one_base(const search *z, lbr_steps a, unit *u)
{
    const lbr_base *b = base_of(z, a.step);

    u->inner = b->inner, u->how = b->own;
    for (int64_t i = 0; i < a.n; i++) {
        if (a.step[i].base != a.step->base) return 0;
        if (a.step[i].c.hi != 0) u->c[u->n] = a.step[i].c, u->adjoint[u->n++] = (unsigned char)a.step[i].adjoint;
    }
    return b->inner.n > 0;
}

/* Steps between two projections, again and again, as compose(TABLE, project(post, M)) has them: as if the projection
 * were a standard one, since the first of the two moves nothing that is on the surface. */
static int between(const search *z, lbr_steps a, unit *u)
{
    int64_t len = 1;
    lbr_dd first = dd(0);

    while (len < a.n && !bare(z, &a.step[len])) len++;
    if (!bare(z, a.step) || len + 1 > a.n || a.n % (len + 1) || len < 2) return 0;
    for (int64_t k = 0; k < a.n; k += len + 1) {
        lbr_dd c = dd(0);

        for (int64_t i = 1; i < len; i++) c = dd_add(c, a.step[k + i].c);
        if (!k) first = c;
        for (int64_t i = 0; i <= len; i++) {
            const lbr_step *s = &a.step[k + i], *r = &a.step[i];

            if (s->base != r->base || s->adjoint != r->adjoint ||
                fabs(dd_sub(dd_mul(s->c, first), dd_mul(r->c, c)).hi) > z->tolerance)
                return 0;
        }
        u->c[u->n] = c, u->adjoint[u->n++] = 0;
    }
    u->how = base_of(z, a.step)->own, u->inner.n = len - 1;
    if (!(u->inner.step = lbr_arena_alloc(z->arena, len - 1, sizeof *u->inner.step))) return -1;
    for (int64_t i = 1; i < len; i++)
        u->inner.step[i - 1] = a.step[i], u->inner.step[i - 1].c = dd_div(a.step[i].c, first);
    return 1;
}

static lbr_finding symmetry(const lbr_projection *how, const lbr_finding *of)
{
    if (!how->symmetric) return lbr_found_told(0, "a standard projection is not undone by a step back (HLW V.4)");
    if (how->at == LBR_AT_START && !how->local)
        return lbr_found_told(0, "a step back would have the directions of the end");
    return *of;
}

/* Steps of a map, from what is known of it. */
static lbr_status composed(const lbr_sequence *l, const lbr_analysis *of, lbr_analysis *out, lbr_message *m)
{
    lbr_finding digits;
    lbr_status status = lbr_analyse_composed(l, of->order.value, of->symmetric.value, of->symplectic.value, out, m);

    if (!status && (digits = lbr_found_digits(out)).value < of->digits.value) out->digits = digits;
    return status;
}

static lbr_status steps(const search *z, lbr_steps a, lbr_analysis *out)
{
    unit u = { .c = lbr_arena_alloc(z->arena, a.n, sizeof *u.c), .adjoint = lbr_arena_alloc(z->arena, a.n, 1) };
    lbr_analysis in;
    lbr_status status;
    int found;

    if (!u.c || !u.adjoint) return no_memory(z);
    if (!any_projected(z, a)) return plain(z, a, out);
    if (!(found = one_base(z, a, &u))) u.n = 0, found = between(z, a, &u);
    if (found < 0) return no_memory(z);
    if (!found) return several(z);
    if ((status = steps(z, u.inner, &in))) return status;
    in.symmetric = symmetry(u.how, &in.symmetric);
    *out = in;
    if (u.n == 1 && u.c->hi == 1 && u.c->lo == 0) return LBR_OK;
    return composed(&(lbr_sequence){ u.n, u.c, u.adjoint }, &in, out, z->m);
}

/* --- the whole --------------------------------------------------------------------------------------------------- */

/* What is projected when one looks changes no trajectory. */
static lbr_status whole(const search *z, lbr_steps *out)
{
    const lbr_flat *f = z->f;
    const lbr_steps *all[] = { &f->pre, &f->kernel, &f->post };

    if (f->pre.n == 1 && f->post.n == 1 && bare(z, f->pre.step) && bare(z, f->post.step))
        return *out = f->kernel, LBR_OK;
    if (!(out->step = lbr_arena_alloc(z->arena, f->pre.n + f->kernel.n + f->post.n, sizeof *out->step)))
        return no_memory(z);
    out->n = 0;
    for (int k = 0; k < 3; k++)
        for (int64_t i = 0; i < all[k]->n; i++) out->step[out->n++] = all[k]->step[i];
    return LBR_OK;
}

lbr_status lbr_project_analyse(const lbr_flat *f, double tolerance, lbr_arena *arena, lbr_analysis *out, lbr_message *m)
{
    search z = { f, arena, m, tolerance };
    lbr_steps all;
    lbr_status status = whole(&z, &all);

    if (status || (status = steps(&z, all, out))) return status;
    out->order_again = out->quadratic = out->near = out->separable = out->symplectic_separable = out->conjugate =
        out->volume = none;
    out->symplectic = lbr_found_told(0, "a projection is not symplectic in general (HLW IV.4)");
    out->is_explicit = lbr_found_told(0, "the projection is found by Newton's method");
    out->constraints = lbr_found_told(1, "they are projected onto (HLW IV.4)");
    return LBR_OK;
}
