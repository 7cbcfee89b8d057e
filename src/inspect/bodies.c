/* bodies.c - rigid bodies: forces and torques against the field and the energy. SPDX-License-Identifier: BSD-3-Clause
 */
#include "inspect.h"

#include <string.h>

/* --- where they are ---------------------------------------------------------------------------------------------- */

static int64_t attitude(const lbr_bodies *b, int64_t i) { return b->attitude ? b->attitude[i] : 2 * b->nq + 4 * i; }
static int64_t angular(const lbr_bodies *b, int64_t i)
{
    return b->momentum ? b->momentum[i] : 2 * b->nq + 4 * b->n + 3 * i;
}

/* E(e) w/2, the rate of a quaternion that turns by w about its own axes (HLW VII.5.5). */
static void turning(const double *e, const double *w, double *out)
{
    out[0] = 0.5 * (-e[1] * w[0] - e[2] * w[1] - e[3] * w[2]);
    out[1] = 0.5 * (e[0] * w[0] - e[3] * w[1] + e[2] * w[2]);
    out[2] = 0.5 * (e[3] * w[0] + e[0] * w[1] - e[1] * w[2]);
    out[3] = 0.5 * (-e[2] * w[0] + e[1] * w[1] + e[0] * w[2]);
}

/* Whether all of them are inside the state. */
static int fits(const lbr_inspection *z)
{
    const lbr_bodies *b = &z->bodies;

    if (b->n < 1 || !b->inertia || b->nq < 0 || (b->nq && !b->inverse_mass) || 2 * b->nq > z->b.s.dim) return 0;
    for (int64_t i = 0; i < b->n; i++)
        if (attitude(b, i) < 0 || attitude(b, i) > z->b.s.dim - 4 || angular(b, i) < 0 ||
            angular(b, i) > z->b.s.dim - 3)
            return 0;
    return 1;
}

static void unit(double *e)
{
    double length = sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);

    for (int k = 0; k < 4 && length > 0; k++) e[k] /= length;
}

void lbr_inspect_unit(const lbr_inspection *z, double *y)
{
    if (z->bodies.size && fits(z))
        for (int64_t i = 0; i < z->bodies.n; i++) unit(y + attitude(&z->bodies, i));
}

/* --- rates ------------------------------------------------------------------------------------------------------- */

/* Forces and torques into `out`, nq + 3 n numbers. */
static int pushed(const lbr_inspection *z, double t, const double *y, double *out)
{
    const lbr_bodies *b = &z->bodies;

    memset(out, 0, (size_t)(b->nq + 3 * b->n) * sizeof *out);
    return b->forces ? b->forces(t, y, out, z->b.s.ctx) : 0;
}

int lbr_inspect_body_rates(lbr_inspection *z, double t, const double *y, double *out)
{
    const lbr_bodies *b = &z->bodies;
    int64_t nq = b->nq;
    double *f, w[3];

    if (!b->size || !fits(z)) return 1;
    if (!(f = lbr_mem_alloc((size_t)(nq + 3 * b->n) * sizeof *f)))
        return lbr_fail(&z->why, LBR_ENOMEM, "out of memory"), 1;
    if (pushed(z, t, y, f)) return lbr_mem_free(f), 1;
    memset(out, 0, (size_t)z->b.s.dim * sizeof *out);
    for (int64_t i = 0; i < nq; i++) out[i] = b->inverse_mass[i] * y[nq + i], out[nq + i] = f[i];
    for (int64_t i = 0; i < b->n; i++) {
        const double *m = y + angular(b, i), *torque = f + nq + 3 * i;
        double *rate = out + angular(b, i);

        for (int k = 0; k < 3; k++) w[k] = m[k] / b->inertia[3 * i + k];
        turning(y + attitude(b, i), w, out + attitude(b, i));
        for (int k = 0; k < 3; k++)
            rate[k] = m[(k + 1) % 3] * w[(k + 2) % 3] - m[(k + 2) % 3] * w[(k + 1) % 3] + torque[k];
    }
    lbr_mem_free(f);
    return 0;
}

static int rates(const lbr_mapping *f, double t, const double *x, double *out)
{
    return lbr_inspect_body_rates(f->z, t, x, out);
}

static int64_t has_bodies(const lbr_inspection *z) { return z->bodies.size != 0; }

static void against_field(lbr_inspection *z, int64_t k)
{
    int64_t n = z->b.s.dim;
    double *a = lbr_inspect_room(z, 2 * n);
    lbr_mapping given = { .call = rates, .n = n, .m = n, .z = z, .name = "forces" },
                field = lbr_mapping_fn(z, "field", z->b.field, z->b.ctx, n, n);
    lbr_numbering state = { LBR_NUMBERING_STATE, 0, NULL };

    (void)k;
    if (!fits(z)) {
        lbr_inspect_say(z, 0, "they lack their number, moments or masses, or are not inside the state");
        return;
    }
    if (!a || lbr_inspect_call(z, &given, z->y, a) || !z->b.field || lbr_inspect_call(z, &field, z->y, a + n)) return;
    lbr_inspect_compare(z, state, state, -1, n, a, a + n, NULL);
}

/* --- the energy -------------------------------------------------------------------------------------------------- */

/* How the energy changes along v, against what is given; `name`: the component that it is about. */
static void along(lbr_inspection *z, const double *v, double e, int64_t name, double given)
{
    lbr_mapping H = lbr_mapping_fn(z, "energy", z->b.s.energy, z->b.s.ctx, z->b.s.dim, 1);
    double slope, error;

    if (lbr_inspect_slope(z, &H, z->y, v, 0, e, &given, &slope, &error)) return;
    lbr_inspect_compare(z, (lbr_numbering){ LBR_NUMBERING_STATE, name, NULL }, (lbr_numbering){ 0 }, -1, 1, &given,
                        &slope, &error);
}

static int64_t has_energy(const lbr_inspection *z) { return z->bodies.size && z->b.s.energy; }

static void one_body(lbr_inspection *z, int64_t i, const double *f, double *v)
{
    const lbr_bodies *b = &z->bodies;
    int64_t at = angular(b, i);

    for (int k = 0; k < 3; k++) {
        double axis[3] = { k == 0, k == 1, k == 2 };

        memset(v, 0, (size_t)z->b.s.dim * sizeof *v), v[at + k] = 1;
        along(z, v, 0.0625 * z->size[at + k], at + k, z->y[at + k] / b->inertia[3 * i + k]);
        memset(v, 0, (size_t)z->b.s.dim * sizeof *v), turning(z->y + attitude(b, i), axis, v + attitude(b, i));
        along(z, v, 0.0625, at + k, -f[b->nq + 3 * i + k]);
    }
}

static void against_energy(lbr_inspection *z, int64_t k)
{
    const lbr_bodies *b = &z->bodies;
    int64_t n = z->b.s.dim, nq = b->nq;
    double *v = lbr_inspect_room(z, n + nq + 3 * b->n), *f = lbr_after(v, n);

    (void)k;
    if (!v || !fits(z) || pushed(z, z->t, z->y, f)) return;
    for (int64_t j = 0; j < nq; j++) {
        memset(v, 0, (size_t)n * sizeof *v), v[j] = 1;
        along(z, v, 0.0625 * z->size[j], nq + j, -f[j]);
        v[j] = 0, v[nq + j] = 1;
        along(z, v, 0.0625 * z->size[nq + j], j, b->inverse_mass[j] * z->y[nq + j]);
    }
    for (int64_t i = 0; i < b->n; i++) one_body(z, i, f, v);
}

const lbr_inspector lbr_inspect_bodies_rows[] = {
    { "bodies", "field", has_bodies, NULL, against_field, LBR_ANYWHERE },
    { "bodies", "differences of energy", has_energy, NULL, against_energy, LBR_ANYWHERE },
    { 0 },
};
