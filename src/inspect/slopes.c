/* slopes.c - derivatives of the field, of the force and of H' that a system gives, against differences.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "inspect.h"

#include <string.h>

static lbr_numbering state_from(int64_t from) { return (lbr_numbering){ LBR_NUMBERING_STATE, from, NULL }; }

/* A derivative at `at`, of v. */
static int applied(const lbr_mapping *d, double t, const double *v, double *out)
{
    return d->dfn(t, d->at, v, out, d->ctx);
}

static lbr_mapping derivative(lbr_inspection *z, const char *name, lbr_dfn dfn, int64_t n)
{
    return (lbr_mapping){
        .call = applied, .n = n, .m = n, .z = z, .name = name, .dfn = dfn, .ctx = z->b.s.ctx, .at = z->y
    };
}

/* --- first derivatives ----------------------------------------------------------------------------------------------
 */

static int64_t has_field_jvp(const lbr_inspection *z) { return z->b.s.field_jvp && z->b.field; }

static void field_jvp(lbr_inspection *z, int64_t k)
{
    int64_t n = z->b.s.dim;
    lbr_mapping f = lbr_mapping_fn(z, "field", z->b.field, z->b.ctx, n, n),
                d = derivative(z, "field_jvp", z->b.s.field_jvp, n);

    (void)k;
    lbr_inspect_derivative(z, &f, &d, z->y, state_from(0), state_from(0));
}

static int64_t has_force_jvp(const lbr_inspection *z) { return z->b.s.force_jvp && z->b.s.force && z->b.s.nq > 0; }

static void force_jvp(lbr_inspection *z, int64_t k)
{
    int64_t n = z->b.s.nq;
    lbr_mapping f = lbr_mapping_fn(z, "force", z->b.s.force, z->b.s.ctx, n, n),
                d = derivative(z, "force_jvp", z->b.s.force_jvp, n);

    (void)k;
    lbr_inspect_derivative(z, &f, &d, z->y, state_from(n), state_from(0));
}

/* --- H' -------------------------------------------------------------------------------------------------------------
 */

enum { SMALL = 24 }; /* components up to which H' is found by differences where a second derivative is wanted */
enum { BY_GRADIENT, BY_FORCE, BY_POISSON, BY_ENERGY, BY_FIELD };

static int momenta(const lbr_system *s, double t, const double *y, double *out)
{
    if (s->dHdp) return s->dHdp(t, y, out, s->ctx);
    if (!s->inverse_mass) return s->velocity(t, y + s->nq, out, s->ctx);
    for (int64_t i = 0; i < s->nq; i++) out[i] = s->inverse_mass[i] * y[s->nq + i];
    return 0;
}

/* By differences of H, one component after the other. */
static int by_energy(const lbr_mapping *f, double t, const double *y, double *out)
{
    lbr_inspection *z = f->z;
    lbr_mapping H = lbr_mapping_fn(z, "energy", z->b.s.energy, z->b.s.ctx, f->n, 1);
    double v[SMALL], error, now = z->t;
    int bad = 0;

    z->t = t;
    for (int64_t j = 0; j < f->n && !bad; j++) {
        memset(v, 0, sizeof v), v[j] = 1;
        bad = lbr_inspect_slope(z, &H, y, v, 0, 0.0625 * z->size[j], NULL, out + j, &error);
    }
    z->t = now;
    return bad;
}

static int gradient(const lbr_mapping *f, double t, const double *y, double *out)
{
    const lbr_system *s = &f->z->b.s;
    int64_t nq = s->nq;
    int bad;

    switch (f->item) {
    case BY_GRADIENT: return s->dHdq(t, y, out, s->ctx) || s->dHdp(t, y, out + nq, s->ctx);
    case BY_FORCE: bad = s->force(t, y, out, s->ctx) || momenta(s, t, y, out + nq); break;
    case BY_POISSON: return f->z->poisson.gradient(t, y, out, s->ctx);
    case BY_ENERGY: return by_energy(f, t, y, out);
    default:
        if (s->field(t, y, f->room, s->ctx)) return 1;
        bad = 0, memcpy(out, f->room + nq, (size_t)nq * sizeof *out),
        memcpy(out + nq, f->room, (size_t)nq * sizeof *out);
    }
    for (int64_t i = 0; i < nq; i++) out[i] = -out[i];
    return bad;
}

lbr_mapping lbr_inspect_gradient(lbr_inspection *z)
{
    const lbr_system *s = &z->b.s;
    lbr_mapping f = { .call = gradient, .n = s->dim, .m = s->dim, .z = z };

    if (s->nq > 0 && s->dHdq && s->dHdp) f.item = BY_GRADIENT, f.name = "dHdq and dHdp";
    else if (z->b.separable)
        f.item = BY_FORCE, f.name = s->inverse_mass ? "force and inverse_mass" : "force and velocity";
    else if (z->poisson.gradient) f.item = BY_POISSON, f.name = "poisson.gradient";
    else if (s->energy && s->dim <= SMALL) f.item = BY_ENERGY, f.name = "energy";
    else if (s->nq > 0 && s->field && !s->energy_changes) f.item = BY_FIELD, f.name = "field";
    else f.call = NULL;
    if (f.call && !(f.room = lbr_inspect_room(z, s->dim))) f.call = NULL;
    return f;
}

/* --- second and third derivatives of H -------------------------------------------------------------------------------
 */

static int64_t has_hessian(const lbr_inspection *z) { return z->b.s.hessian_vec != NULL; }

static void hessian(lbr_inspection *z, int64_t k)
{
    lbr_mapping f = lbr_inspect_gradient(z), d = derivative(z, "hessian_vec", z->b.s.hessian_vec, z->b.s.dim);

    (void)k;
    if (!f.call) {
        lbr_inspect_say(z, -1, "there is no gradient of H that could be differentiated");
        return;
    }
    lbr_inspect_derivative(z, &f, &d, z->y, state_from(0), state_from(0));
}

static int64_t has_third(const lbr_inspection *z) { return z->b.s.third && z->b.s.hessian_vec; }

static int hessian_along(const lbr_mapping *f, double t, const double *y, double *out)
{
    return f->z->b.s.hessian_vec(t, y, f->u, out, f->z->b.s.ctx);
}

static int third_along(const lbr_mapping *f, double t, const double *w, double *out)
{
    return f->z->b.s.third(t, f->at, f->u, w, out, f->z->b.s.ctx);
}

/* With v all axes where they are few, and some other directions. */
static void third(lbr_inspection *z, int64_t k)
{
    int64_t n = z->b.s.dim, axes = n * n <= LBR_INSPECT_PAIRS ? n : 0;
    double *v = lbr_inspect_room(z, n);
    lbr_mapping f = { .call = hessian_along, .n = n, .m = n, .z = z, .name = "hessian_vec", .u = v },
                d = { .call = third_along, .n = n, .m = n, .z = z, .name = "third", .at = z->y, .u = v };

    (void)k;
    for (int64_t j = 0; j < axes + 2 && v && !z->why.status && !z->settled; j++) {
        lbr_inspect_direction(z, 0, n, j, v);
        for (int64_t i = 0; i < n && j < axes; i++) v[i] = i == j;
        lbr_inspect_derivative(z, &f, &d, z->y, state_from(0), state_from(0));
    }
}

const lbr_inspector lbr_inspect_slopes[] = {
    { "field_jvp", "differences of field", has_field_jvp, NULL, field_jvp, LBR_ANYWHERE },
    { "force_jvp", "differences of force", has_force_jvp, NULL, force_jvp, LBR_ANYWHERE },
    { "hessian_vec", "differences of the gradient of H", has_hessian, NULL, hessian, LBR_ANYWHERE },
    { "third", "differences of hessian_vec", has_third, NULL, third, LBR_ANYWHERE },
    { 0 },
};
