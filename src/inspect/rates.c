/* rates.c - the field and what it is made of, against each other and against the energy.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "inspect.h"
#include "core/largest.h"

#include <string.h>

/* --- who gives q', and who gives p' --------------------------------------------------------------------------------
 */

/* From the most special to the most general: each is compared with the next one that is there. */
enum { MASSES, VELOCITY, DHDP, FORCE, DHDQ, FIELD, GIVERS };
static const char *const giver_name[] = { "inverse_mass", "velocity", "dHdp", "force", "dHdq", "field" };

static int gives(const lbr_inspection *z, int k)
{
    const lbr_system *s = &z->b.s;
    const int has[] = { s->inverse_mass != NULL, s->velocity != NULL, s->dHdp != NULL,
                        s->force != NULL,        s->dHdq != NULL,     s->field != NULL };

    return s->nq > 0 && has[k];
}

/* q' or p' by giver `item`, at the whole state x; room: dim numbers. */
static int rate(const lbr_mapping *f, double t, const double *x, double *out)
{
    const lbr_system *s = &f->z->b.s;
    int64_t nq = s->nq;
    int bad = 0, half = f->at != NULL; /* of the field: which half */

    switch (f->item) {
    case MASSES:
        for (int64_t i = 0; i < nq; i++) out[i] = s->inverse_mass[i] * x[nq + i];
        return 0;
    case VELOCITY: return s->velocity(t, x + nq, out, s->ctx);
    case DHDP: return s->dHdp(t, x, out, s->ctx);
    case FORCE: return s->force(t, x, out, s->ctx);
    case DHDQ:
        bad = s->dHdq(t, x, out, s->ctx);
        for (int64_t i = 0; i < nq; i++) out[i] = -out[i];
        return bad;
    default:
        bad = s->field(t, x, f->room, s->ctx);
        memcpy(out, f->room + half * nq, (size_t)nq * sizeof *out);
        return bad;
    }
}

static lbr_mapping giver(lbr_inspection *z, int k, int momenta)
{
    return (lbr_mapping){ .call = rate,
                          .n = z->b.s.dim,
                          .m = z->b.s.nq,
                          .z = z,
                          .name = giver_name[k],
                          .item = k,
                          .at = momenta ? z->y : NULL,
                          .room = lbr_inspect_room(z, z->b.s.dim) };
}

/* The next giver of the same; GIVERS: there is none. */
static int next(const lbr_inspection *z, int k)
{
    int momenta = k >= FORCE;

    for (k++; k < GIVERS; k++)
        if (gives(z, k) && (momenta || k < FORCE || k == FIELD)) return k;
    return GIVERS;
}

static int64_t is_followed(const lbr_inspection *z, int k) { return gives(z, k) && next(z, k) < GIVERS; }

static void against_next(lbr_inspection *z, int k)
{
    int momenta = k >= FORCE, other = next(z, k);
    int64_t nq = z->b.s.nq;
    lbr_numbering rows = { LBR_NUMBERING_STATE, momenta ? nq : 0, NULL };
    lbr_mapping a = giver(z, k, momenta), b = giver(z, other, momenta);
    double *room = lbr_inspect_room(z, 2 * nq);

    z->against = giver_name[other];
    if (!room || lbr_inspect_call(z, &a, z->y, room) || lbr_inspect_call(z, &b, z->y, room + nq)) return;
    if (k == DHDQ)
        for (int64_t i = 0; i < 2 * nq; i++) room[i] = -room[i];
    lbr_inspect_compare(z, rows, rows, -1, nq, room, room + nq, NULL);
}

/* --- the energy ----------------------------------------------------------------------------------------------------
 */

/* The energy of positions or momenta alone: item is where these are in the state, of which room has a copy. u: with a
 * minus, as forces have it. */
static int energy_of(const lbr_mapping *f, double t, const double *x, double *out)
{
    memcpy(f->room, f->at, (size_t)f->z->b.s.dim * sizeof *f->room);
    memcpy(f->room + f->item, x, (size_t)f->n * sizeof *x);
    if (f->z->b.s.energy(t, f->room, out, f->z->b.s.ctx)) return 1;
    *out *= f->u ? -1 : 1;
    return 0;
}

static int64_t has_energy(const lbr_inspection *z, int k) { return gives(z, k) && z->b.s.energy && k != FIELD; }

static void against_energy(lbr_inspection *z, int k)
{
    int momenta = k >= FORCE;
    int64_t nq = z->b.s.nq, from = momenta ? 0 : nq; /* p' is what H says of q */
    lbr_mapping rates = giver(z, k, momenta);
    double *room = lbr_inspect_room(z, nq + z->b.s.dim);
    lbr_mapping H = { .call = energy_of,
                      .n = nq,
                      .m = 1,
                      .z = z,
                      .name = "energy",
                      .at = z->y,
                      .item = from,
                      .room = lbr_after(room, nq) };
    lbr_mapping D = lbr_inspect_dot(z, giver_name[k], room, nq);

    if (!room || lbr_inspect_call(z, &rates, z->y, room)) return;
    H.u = k == FORCE ? room : NULL;
    for (int64_t i = 0; i < nq && k == DHDQ; i++) room[i] = -room[i];
    lbr_inspect_derivative(z, &H, &D, z->y + from, (lbr_numbering){ 0 },
                           (lbr_numbering){ LBR_NUMBERING_STATE, from, NULL });
}

#define ROW(name, k)                                                                       \
    static int64_t name##_followed(const lbr_inspection *z) { return is_followed(z, k); }  \
    static int64_t name##_energy(const lbr_inspection *z) { return has_energy(z, k); }     \
    static void name##_next(lbr_inspection *z, int64_t i) { (void)i, against_next(z, k); } \
    static void name##_slope(lbr_inspection *z, int64_t i) { (void)i, against_energy(z, k); }
ROW(masses, MASSES)
ROW(velocity, VELOCITY)
ROW(dHdp, DHDP)
ROW(force, FORCE)
ROW(dHdq, DHDQ)

/* --- many states at once --------------------------------------------------------------------------------------------
 */

enum { LANES = 4 };

static int64_t has_field_block(const lbr_inspection *z) { return z->b.s.field_block && z->b.field; }
static int64_t has_force_block(const lbr_inspection *z) { return z->b.s.force_block && z->b.s.force; }

/* The block function, as one of the state of all lanes. */
static int of_block(const lbr_mapping *f, double t, const double *x, double *out)
{
    const lbr_system *s = &f->z->b.s;
    double times[LANES];

    for (int k = 0; k < LANES; k++) times[k] = t + 0.125 * k;
    return (f->item ? s->force_block : s->field_block)(LANES, times, x, out, s->ctx);
}

static void blocks(lbr_inspection *z, int of_force)
{
    int64_t n = of_force ? z->b.s.nq : z->b.s.dim;
    lbr_numbering rows = { LBR_NUMBERING_STATE, of_force ? n : 0, NULL };
    double *x = lbr_inspect_room(z, (2 * LANES + 3) * n), *out = lbr_after(x, LANES * n),
           *one = lbr_after(out, LANES * n), t = z->t;
    lbr_mapping block = { .call = of_block,
                          .n = LANES * n,
                          .m = LANES * n,
                          .z = z,
                          .item = of_force,
                          .name = of_force ? "force_block" : "field_block" };
    lbr_mapping single = of_force ? lbr_mapping_fn(z, "force", z->b.s.force, z->b.s.ctx, n, n)
                                  : lbr_mapping_fn(z, "field", z->b.field, z->b.ctx, n, n);

    if (!x) return;
    for (int64_t i = 0; i < n; i++)
        for (int k = 0; k < LANES; k++) x[i * LANES + k] = z->point[z->point[1] ? k % 2 : 0][i];
    if (lbr_inspect_call(z, &block, x, out)) return;
    for (int k = 0; k < LANES; k++) {
        z->t = t + 0.125 * k;
        for (int64_t i = 0; i < n; i++) one[n + i] = out[i * LANES + k];
        if (!lbr_inspect_call(z, &single, z->point[z->point[1] ? k % 2 : 0], one))
            lbr_inspect_compare(z, rows, rows, -1, n, one + n, one, NULL);
        z->t = t;
    }
}

static void field_blocks(lbr_inspection *z, int64_t k) { (void)k, blocks(z, 0); }
static void force_blocks(lbr_inspection *z, int64_t k) { (void)k, blocks(z, 1); }

/* --- the field itself -----------------------------------------------------------------------------------------------
 */

/* They can be called; with nothing to compare them with, that is all that can be said. Each has what it takes alone. */
static void called(lbr_inspection *z, const lbr_mapping *F, const double *x)
{
    double *out = lbr_inspect_room(z, F->m);

    if (out && !lbr_inspect_call(z, F, x, out)) z->compared += F->m;
}

static int64_t has_field(const lbr_inspection *z) { return z->b.field != NULL; }
static int64_t has_force(const lbr_inspection *z) { return gives(z, FORCE); }
static int64_t has_velocity(const lbr_inspection *z) { return gives(z, VELOCITY); }
static int64_t has_H(const lbr_inspection *z) { return z->b.s.energy != NULL; }

static void field_called(lbr_inspection *z, int64_t k)
{
    lbr_mapping F = lbr_mapping_fn(z, "field", z->b.field, z->b.ctx, z->b.s.dim, z->b.s.dim);

    (void)k, called(z, &F, z->y);
}

static void force_called(lbr_inspection *z, int64_t k)
{
    lbr_mapping F = lbr_mapping_fn(z, "force", z->b.s.force, z->b.s.ctx, z->b.s.nq, z->b.s.nq);

    (void)k, called(z, &F, z->y);
}

static void velocity_called(lbr_inspection *z, int64_t k)
{
    lbr_mapping F = lbr_mapping_fn(z, "velocity", z->b.s.velocity, z->b.s.ctx, z->b.s.nq, z->b.s.nq);

    (void)k, called(z, &F, z->y + z->b.s.nq);
}

static void energy_called(lbr_inspection *z, int64_t k)
{
    lbr_mapping F = lbr_mapping_fn(z, "energy", z->b.s.energy, z->b.s.ctx, z->b.s.dim, 1);

    (void)k, called(z, &F, z->y);
}

#define SAME "themselves when it is called again"
const lbr_inspector lbr_inspect_rates[] = {
    { "field", SAME, has_field, NULL, field_called, LBR_ANYWHERE },
    { "force", SAME, has_force, NULL, force_called, LBR_ANYWHERE },
    { "velocity", SAME, has_velocity, NULL, velocity_called, LBR_ANYWHERE },
    { "energy", SAME, has_H, NULL, energy_called, LBR_ANYWHERE },
    { "inverse_mass", "", masses_followed, NULL, masses_next, LBR_ANYWHERE },
    { "velocity", "", velocity_followed, NULL, velocity_next, LBR_ANYWHERE },
    { "dHdp", "", dHdp_followed, NULL, dHdp_next, LBR_ANYWHERE },
    { "force", "", force_followed, NULL, force_next, LBR_ANYWHERE },
    { "dHdq", "", dHdq_followed, NULL, dHdq_next, LBR_ANYWHERE },
    { "inverse_mass", "differences of energy", masses_energy, NULL, masses_slope, LBR_ANYWHERE },
    { "velocity", "differences of energy", velocity_energy, NULL, velocity_slope, LBR_ANYWHERE },
    { "dHdp", "differences of energy", dHdp_energy, NULL, dHdp_slope, LBR_ANYWHERE },
    { "force", "differences of energy", force_energy, NULL, force_slope, LBR_ANYWHERE },
    { "dHdq", "differences of energy", dHdq_energy, NULL, dHdq_slope, LBR_ANYWHERE },
    { "field_block", "field", has_field_block, NULL, field_blocks, LBR_ONLY_THERE },
    { "force_block", "force", has_force_block, NULL, force_blocks, LBR_ONLY_THERE },
    { 0 },
};
