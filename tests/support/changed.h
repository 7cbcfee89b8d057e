/* changed.h - a system with one number of one function changed: a table of all the numbers that a system gives.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Of a function of the state a number is an output; of a derivative that is applied to directions it is an entry: row
 * `row`, and of its columns as many as it has directions. */
#ifndef TEST_CHANGED_H
#define TEST_CHANGED_H
#include <libration.h>

#include <math.h>
#include <string.h>

typedef enum {
    OF_FIELD,
    OF_ENERGY,
    OF_FORCE,
    OF_VELOCITY,
    OF_DHDQ,
    OF_DHDP,
    OF_MASS,
    OF_FIELD_JVP,
    OF_FORCE_JVP,
    OF_HESSIAN,
    OF_THIRD,
    OF_FIELD_BLOCK,
    OF_FORCE_BLOCK,
    OF_G,
    OF_G2,
    OF_G2T,
    OF_MANIFOLD_G,
    OF_INVARIANT,
    OF_FLOW,
    OF_INCREMENT,
    OF_PART_FIELD,
    OF_GRADIENT,
    OF_STRUCTURE,
    OF_SLOPES,
    OF_DLDQ,
    OF_DLDV,
    OF_TORQUES,
    OF_ALL
} changed_function;
static const char *const changed_name[] = { "field",
                                            "energy",
                                            "force",
                                            "velocity",
                                            "dHdq",
                                            "dHdp",
                                            "inverse_mass",
                                            "field_jvp",
                                            "force_jvp",
                                            "hessian_vec",
                                            "third",
                                            "field_block",
                                            "force_block",
                                            "constraints.G",
                                            "constraints.g2",
                                            "constraints.g2t",
                                            "manifold.G",
                                            "invariants.gradient",
                                            "parts.flow",
                                            "parts.increment",
                                            "parts.field",
                                            "poisson.gradient",
                                            "poisson.structure",
                                            "pairs.slopes",
                                            "lagrangian.dLdq",
                                            "lagrangian.dLdv",
                                            "bodies.forces" };

enum { CHANGED_MOST = 64 }; /* components */

/* The number: which one, and what it is multiplied by. */
typedef struct changed {
    const lbr_system *s; /* as it was */
    changed_function of;
    int64_t row, column, second;
    double factor;
    lbr_system system; /* as it is */
    lbr_constraints constraints;
    lbr_manifold manifold;
    lbr_invariant invariant[8];
    lbr_invariants invariants;
    lbr_part part[8];
    lbr_parts parts;
    lbr_poisson poisson;
    lbr_pairs pairs;
    lbr_lagrangian lagrangian;
    lbr_bodies bodies;
    double mass[CHANGED_MOST];
} changed;

#define CHANGED_FN(name, of_what, call)                                          \
    static int changed_##name(double t, const double *y, double *out, void *ctx) \
    {                                                                            \
        const changed *c = ctx;                                                  \
        const lbr_system *s = c->s;                                              \
        int bad = call;                                                          \
                                                                                 \
        if (c->of == of_what) out[c->row] *= c->factor;                          \
        return bad;                                                              \
    }
CHANGED_FN(field, OF_FIELD, s->field(t, y, out, s->ctx))
CHANGED_FN(energy, OF_ENERGY, s->energy(t, y, out, s->ctx))
CHANGED_FN(force, OF_FORCE, s->force(t, y, out, s->ctx))
CHANGED_FN(velocity, OF_VELOCITY, s->velocity(t, y, out, s->ctx))
CHANGED_FN(dHdq, OF_DHDQ, s->dHdq(t, y, out, s->ctx))
CHANGED_FN(dHdp, OF_DHDP, s->dHdp(t, y, out, s->ctx))
CHANGED_FN(g, OF_ALL, s->constraints->g(t, y, out, s->ctx))
CHANGED_FN(G, OF_G, s->constraints->G(t, y, out, s->ctx))
CHANGED_FN(h, OF_ALL, s->manifold->g(t, y, out, s->ctx))
CHANGED_FN(H, OF_MANIFOLD_G, s->manifold->G(t, y, out, s->ctx))
CHANGED_FN(gradient, OF_GRADIENT, s->poisson->gradient(t, y, out, s->ctx))
CHANGED_FN(slopes, OF_SLOPES, s->pairs->slopes(t, y, out, s->ctx))
CHANGED_FN(forces, OF_TORQUES, s->bodies->forces(t, y, out, s->ctx))
CHANGED_FN(value, OF_ALL, s->invariants->item[0].value(t, y, out, s->invariants->item[0].ctx))
CHANGED_FN(grown, OF_INVARIANT, s->invariants->item[0].gradient(t, y, out, s->invariants->item[0].ctx))
CHANGED_FN(part_field, OF_PART_FIELD, s->parts->part[0].field(t, y, out, s->parts->part[0].ctx))

/* Entry (row, column) of what is linear in v. */
#define CHANGED_DFN(name, of_what, call)                                                          \
    static int changed_##name(double t, const double *y, const double *v, double *out, void *ctx) \
    {                                                                                             \
        const changed *c = ctx;                                                                   \
        const lbr_system *s = c->s;                                                               \
        double axis[CHANGED_MOST] = { 0 }, column[CHANGED_MOST];                                  \
        int bad = call(t, y, v, out, s->ctx);                                                     \
                                                                                                  \
        if (c->of != of_what) return bad;                                                         \
        axis[c->column] = 1;                                                                      \
        bad = bad || call(t, y, axis, column, s->ctx);                                            \
        out[c->row] += (c->factor - 1) * column[c->row] * v[c->column];                           \
        return bad;                                                                               \
    }
CHANGED_DFN(field_jvp, OF_FIELD_JVP, s->field_jvp)
CHANGED_DFN(force_jvp, OF_FORCE_JVP, s->force_jvp)
CHANGED_DFN(hessian_vec, OF_HESSIAN, s->hessian_vec)
CHANGED_DFN(structure, OF_STRUCTURE, s->poisson->structure)

/* What depends on velocities, but is not linear in them: an output. */
#define CHANGED_LFN(name, of_what)                                                                \
    static int changed_##name(double t, const double *q, const double *v, double *out, void *ctx) \
    {                                                                                             \
        const changed *c = ctx;                                                                   \
        int bad = c->s->lagrangian->name(t, q, v, out, c->s->ctx);                                \
                                                                                                  \
        if (c->of == of_what) out[c->row] *= c->factor;                                           \
        return bad;                                                                               \
    }
CHANGED_LFN(dLdq, OF_DLDQ)
CHANGED_LFN(dLdv, OF_DLDV)

/* Entry (row; second, column) of what is bilinear. */
#define CHANGED_DDFN(name, of_what, call)                                                                          \
    static int changed_##name(double t, const double *y, const double *u, const double *v, double *out, void *ctx) \
    {                                                                                                              \
        const changed *c = ctx;                                                                                    \
        const lbr_system *s = c->s;                                                                                \
        double a[CHANGED_MOST] = { 0 }, b[CHANGED_MOST] = { 0 }, column[CHANGED_MOST];                             \
        int bad = call(t, y, u, v, out, s->ctx);                                                                   \
                                                                                                                   \
        if (c->of != of_what) return bad;                                                                          \
        a[c->second] = 1, b[c->column] = 1;                                                                        \
        bad = bad || call(t, y, a, b, column, s->ctx);                                                             \
        out[c->row] += (c->factor - 1) * column[c->row] * u[c->second] * v[c->column];                             \
        return bad;                                                                                                \
    }
CHANGED_DDFN(third, OF_THIRD, s->third)
CHANGED_DDFN(g2, OF_G2, s->constraints->g2)
CHANGED_DDFN(g2t, OF_G2T, s->constraints->g2t)

#define CHANGED_BLOCK(name, of_what)                                                               \
    static int changed_##name(int64_t w, const double *t, const double *y, double *out, void *ctx) \
    {                                                                                              \
        const changed *c = ctx;                                                                    \
        int bad = c->s->name(w, t, y, out, c->s->ctx);                                             \
                                                                                                   \
        for (int64_t k = 0; k < w && c->of == of_what; k++) out[c->row * w + k] *= c->factor;      \
        return bad;                                                                                \
    }
CHANGED_BLOCK(field_block, OF_FIELD_BLOCK)
CHANGED_BLOCK(force_block, OF_FORCE_BLOCK)

/* The first part alone. */
static int changed_flow(double t, double h, double *y, void *ctx)
{
    const changed *c = ctx;
    const lbr_part *p = &c->s->parts->part[0];
    double before = y[c->row];
    int bad = p->flow(t, h, y, p->ctx);

    if (c->of == OF_FLOW) y[c->row] = before + c->factor * (y[c->row] - before);
    return bad;
}

static int changed_increment(double t, double h, const double *y, double *dy, void *ctx)
{
    const changed *c = ctx;
    const lbr_part *p = &c->s->parts->part[0];
    int bad = p->increment(t, h, y, dy, p->ctx);

    if (c->of == OF_INCREMENT) dy[c->row] *= c->factor;
    return bad;
}

static int changed_prepare(double h, void *ctx)
{
    const lbr_part *p = &((changed *)ctx)->s->parts->part[0];

    return p->prepare ? p->prepare(h, p->ctx) : 0;
}

static void changed_structs(changed *c, const lbr_system *s)
{
    lbr_system *w = &c->system;

    if (s->constraints) {
        c->constraints = *s->constraints, w->constraints = &c->constraints;
        c->constraints.g = changed_g, c->constraints.G = changed_G;
        if (s->constraints->g2) c->constraints.g2 = changed_g2;
        if (s->constraints->g2t) c->constraints.g2t = changed_g2t;
    }
    if (s->manifold) {
        c->manifold = *s->manifold, w->manifold = &c->manifold, c->manifold.g = changed_h;
        if (s->manifold->G) c->manifold.G = changed_H;
    }
    if (s->poisson)
        c->poisson = (lbr_poisson){ sizeof c->poisson, changed_gradient, changed_structure }, w->poisson = &c->poisson;
    if (s->pairs) c->pairs = *s->pairs, c->pairs.slopes = changed_slopes, w->pairs = &c->pairs;
    if (s->lagrangian)
        c->lagrangian = (lbr_lagrangian){ .size = sizeof c->lagrangian, .dLdq = changed_dLdq, .dLdv = changed_dLdv },
        w->lagrangian = &c->lagrangian;
    if (s->bodies) {
        c->bodies = *s->bodies, w->bodies = &c->bodies;
        if (s->bodies->forces) c->bodies.forces = changed_forces;
    }
}

static void changed_lists(changed *c, const lbr_system *s)
{
    lbr_system *w = &c->system;

    if (s->invariants && s->invariants->count <= 8) {
        memcpy(c->invariant, s->invariants->item, (size_t)s->invariants->count * sizeof *c->invariant);
        c->invariant[0].value = changed_value, c->invariant[0].ctx = c;
        if (c->invariant[0].gradient) c->invariant[0].gradient = changed_grown;
        c->invariants = *s->invariants, c->invariants.item = c->invariant, w->invariants = &c->invariants;
    }
    if (s->parts && s->parts->count <= 8) {
        memcpy(c->part, s->parts->part, (size_t)s->parts->count * sizeof *c->part);
        c->part[0].ctx = c, c->part[0].prepare = changed_prepare;
        if (c->part[0].flow) c->part[0].flow = changed_flow;
        if (c->part[0].increment) c->part[0].increment = changed_increment;
        if (c->part[0].field) c->part[0].field = changed_part_field;
        c->parts = *s->parts, c->parts.part = c->part, w->parts = &c->parts;
    }
}

/* The system as it is, all of whose functions go through here; c->of then says what is changed. */
static void changed_open(changed *c, const lbr_system *s)
{
    memset(c, 0, sizeof *c);
    c->s = s, c->system = *s, c->system.ctx = c, c->of = OF_ALL, c->factor = 1;
#define CHANGED_PASS(name) \
    if (s->name) c->system.name = changed_##name
    CHANGED_PASS(field);
    CHANGED_PASS(energy);
    CHANGED_PASS(force);
    CHANGED_PASS(velocity);
    CHANGED_PASS(dHdq);
    CHANGED_PASS(dHdp);
    CHANGED_PASS(field_jvp);
    CHANGED_PASS(force_jvp);
    CHANGED_PASS(hessian_vec);
    CHANGED_PASS(third);
    CHANGED_PASS(field_block);
    CHANGED_PASS(force_block);
    changed_structs(c, s), changed_lists(c, s);
}

/* A number as it is at (t, y): 0 where there is none. */
static double changed_entry(changed *c, double t, const double *y)
{
    const lbr_system *s = c->s;
    const lbr_constraints *k = s->constraints;
    const lbr_part *p = s->parts ? &s->parts->part[0] : NULL;
    const lbr_invariant *q = s->invariants ? &s->invariants->item[0] : NULL;
    double a[CHANGED_MOST] = { 0 }, b[CHANGED_MOST] = { 0 }, out[1024] = { 0 }, x[CHANGED_MOST];

    a[c->column] = 1, b[c->second] = 1;
    memcpy(x, y, (size_t)s->dim * sizeof *x);
    switch (c->of) {
    case OF_FIELD:
    case OF_FIELD_BLOCK: s->field(t, y, out, s->ctx); break;
    case OF_ENERGY: s->energy(t, y, out, s->ctx); break;
    case OF_FORCE:
    case OF_FORCE_BLOCK: s->force(t, y, out, s->ctx); break;
    case OF_VELOCITY: s->velocity(t, y + s->nq, out, s->ctx); break;
    case OF_DHDQ: s->dHdq(t, y, out, s->ctx); break;
    case OF_DHDP: s->dHdp(t, y, out, s->ctx); break;
    case OF_MASS: return s->inverse_mass[c->row] * y[s->nq + c->row];
    case OF_FIELD_JVP: s->field_jvp(t, y, a, out, s->ctx); break;
    case OF_FORCE_JVP: s->force_jvp(t, y, a, out, s->ctx); break;
    case OF_HESSIAN: s->hessian_vec(t, y, a, out, s->ctx); break;
    case OF_THIRD: s->third(t, y, b, a, out, s->ctx); break;
    case OF_G: k->G(t, y, out, s->ctx); break;
    case OF_G2: k->g2(t, y, b, a, out, s->ctx); break;
    case OF_G2T: k->g2t(t, y, b, a, out, s->ctx); break;
    case OF_MANIFOLD_G: s->manifold->G(t, y, out, s->ctx); break;
    case OF_INVARIANT: q->gradient(t, y, out, q->ctx); break;
    case OF_FLOW:
    case OF_INCREMENT: return changed_prepare(0.01, c), p->flow(t, 0.01, x, p->ctx), 100 * (x[c->row] - y[c->row]);
    case OF_PART_FIELD: p->field(t, y, out, p->ctx); break;
    case OF_GRADIENT: s->poisson->gradient(t, y, out, s->ctx); break;
    case OF_STRUCTURE: s->poisson->structure(t, y, a, out, s->ctx); break;
    case OF_SLOPES: return 1;
    case OF_DLDQ: s->lagrangian->dLdq(t, y, y + s->nq, out, s->ctx); break;
    case OF_DLDV: s->lagrangian->dLdv(t, y, y + s->nq, out, s->ctx); break;
    case OF_TORQUES: s->bodies->forces(t, y, out, s->ctx); break;
    case OF_ALL: break;
    }
    return out[c->row];
}

/* How many rows, columns and second columns a function has; rows 0: it is not there. */
static void changed_extents(const lbr_system *s, changed_function of, int64_t n[3])
{
    const lbr_constraints *k = s->constraints;
    const lbr_part *p = s->parts ? &s->parts->part[0] : NULL;
    const lbr_invariant *q = s->invariants ? &s->invariants->item[0] : NULL;
    const lbr_manifold *f = s->manifold;
    int64_t dim = s->dim, nq = s->nq;
    const int64_t all[OF_ALL][3] = {
        [OF_FIELD] = { s->field ? dim : 0, 1, 1 },
        [OF_ENERGY] = { s->energy && (s->force || s->dHdq || s->poisson || s->bodies), 1, 1 },
        [OF_FORCE] = { s->force ? nq : 0, 1, 1 },
        [OF_VELOCITY] = { s->velocity ? nq : 0, 1, 1 },
        [OF_DHDQ] = { s->dHdq ? nq : 0, 1, 1 },
        [OF_DHDP] = { s->dHdp ? nq : 0, 1, 1 },
        [OF_MASS] = { s->inverse_mass && s->energy ? nq : 0, 1, 1 },
        [OF_FIELD_JVP] = { s->field_jvp ? dim : 0, dim, 1 },
        [OF_FORCE_JVP] = { s->force_jvp ? nq : 0, nq, 1 },
        [OF_HESSIAN] = { s->hessian_vec ? dim : 0, dim, 1 },
        [OF_THIRD] = { s->third ? dim : 0, dim, dim },
        [OF_FIELD_BLOCK] = { s->field_block ? dim : 0, 1, 1 },
        [OF_FORCE_BLOCK] = { s->force_block ? nq : 0, 1, 1 },
        [OF_G] = { k ? k->row ? k->nnz : k->m * nq : 0, 1, 1 },
        [OF_G2] = { k && k->g2 ? k->m : 0, nq, nq },
        [OF_G2T] = { k && k->g2t ? nq : 0, nq, k ? k->m : 1 },
        [OF_MANIFOLD_G] = { f && f->G ? f->row ? f->nnz : f->m * dim : 0, 1, 1 },
        [OF_INVARIANT] = { q && q->gradient ? q->len * dim : 0, 1, 1 },
        [OF_FLOW] = { p && p->flow ? dim : 0, 1, 1 },
        [OF_INCREMENT] = { p && p->flow && p->increment ? dim : 0, 1, 1 },
        [OF_PART_FIELD] = { p && p->field ? dim : 0, 1, 1 },
        [OF_GRADIENT] = { s->poisson ? dim : 0, 1, 1 },
        [OF_STRUCTURE] = { s->poisson ? dim : 0, dim, 1 },
        [OF_SLOPES] = { s->pairs ? s->pairs->count : 0, 1, 1 },
        [OF_DLDQ] = { s->lagrangian ? nq : 0, 1, 1 },
        [OF_DLDV] = { s->lagrangian ? nq : 0, 1, 1 },
        [OF_TORQUES] = { s->bodies && s->bodies->forces ? s->bodies->nq + 3 * s->bodies->n : 0, 1, 1 },
    };

    memcpy(n, all[of], sizeof all[of]);
}
#endif
