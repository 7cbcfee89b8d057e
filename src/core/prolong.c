/* prolong.c - a system together with small changes of its state: tangent maps. SPDX-License-Identifier: BSD-3-Clause */
#include "prolong_inside.h"
#include "difference.h"
#include "largest.h"
#include "pattern.h"

#include <math.h>
#include <string.h>

enum { ROOM = 4096, LEAST = 5 }; /* doubles on the stack: callbacks have no other room; states at least in it */

/* --- derivatives of rates ---------------------------------------------------------------------------------------- */

typedef struct called {
    lbr_fn F;
    void *ctx;
    double t;
} called;

static int call(void *ctx, const double *x, double *out)
{
    const called *c = ctx;

    return c->F(c->t, x, out, c->ctx);
}

/* out (m) = F'(x) v by a central difference, F: n -> m numbers; room: n + m. */
static int difference(lbr_fn F, void *ctx, int64_t n, int64_t m, double t, const double *x, const double *v,
                      double *out, double *room)
{
    called c = { F, ctx, t };
    double length = lbr_largest(n, v), e = length > 0 ? lbr_central_step(lbr_largest(n, x), length) : 0;

    if (e == 0) return memset(out, 0, (size_t)m * sizeof *out), 0;
    return lbr_central_difference(call, &c, n, m, x, v, e, room, out, room + n);
}

/* The same, n numbers, as a sum over the components of v: slower, and linear in v to the last digits, so that equations
 * with it can be solved. room: 2 n. */
static int by_columns(const lbr_bound *b, double t, const double *x, const double *v, double *out, double *room)
{
    int64_t n = b->s.dim;
    called c = { b->field, b->ctx, t };
    double e = lbr_central_step(lbr_largest(n, x), 1), *z = room, *slopes = room + n, other[ROOM / LEAST];

    memcpy(z, x, (size_t)n * sizeof *z), memset(out, 0, (size_t)n * sizeof *out);
    for (int64_t j = 0; j < n; j++) {
        if (v[j] == 0) continue;
        if (lbr_central_column(call, &c, n, z, j, e, 2 * e, slopes, other)) return 1;
        for (int64_t i = 0; i < n; i++) out[i] += v[j] * slopes[i];
    }
    return 0;
}

static int force(double t, const double *X, double *out, void *ctx)
{
    const lbr_prolonged *p = ctx;
    const lbr_system *s = &p->base.s;
    int64_t n = s->nq;
    double room[ROOM];
    int bad = s->force(t, X, out, s->ctx);

    for (int64_t i = 1; i <= p->k && !bad; i++)
        bad = s->force_jvp ? s->force_jvp(t, X, X + i * n, out + i * n, s->ctx)
                           : difference(s->force, s->ctx, n, n, t, X, X + i * n, out + i * n, room);
    return bad;
}

/* f'(y) d, by what the system has. room: 2 dim. */
static int field_along(const lbr_bound *b, double t, const double *y, const double *d, double *out, double *room)
{
    int64_t nq = b->s.nq;

    if (b->s.field_jvp) return b->s.field_jvp(t, y, d, out, b->s.ctx);
    if (!b->s.hessian_vec && b->s.constraints) return by_columns(b, t, y, d, out, room);
    if (!b->s.hessian_vec) return difference(b->field, b->ctx, b->s.dim, b->s.dim, t, y, d, out, room);
    if (b->s.hessian_vec(t, y, d, room, b->s.ctx)) return 1;
    for (int64_t j = 0; j < nq; j++) out[j] = room[nq + j], out[nq + j] = -room[j];
    return 0;
}

/* State i of all, and back. Where there are positions, all of them come first, then all momenta. */
static void gather(const lbr_prolonged *p, const double *Y, int64_t i, double *y)
{
    int64_t nq = p->base.s.nq, n = nq > 0 ? nq : p->base.s.dim;

    memcpy(y, Y + i * n, (size_t)n * sizeof *y);
    if (nq > 0) memcpy(y + n, Y + (p->k + 1 + i) * n, (size_t)n * sizeof *y);
}

static void scatter(const lbr_prolonged *p, const double *y, int64_t i, double *Y)
{
    int64_t nq = p->base.s.nq, n = nq > 0 ? nq : p->base.s.dim;

    memcpy(Y + i * n, y, (size_t)n * sizeof *y);
    if (nq > 0) memcpy(Y + (p->k + 1 + i) * n, y + n, (size_t)n * sizeof *y);
}

static int field(double t, const double *Y, double *out, void *ctx)
{
    const lbr_prolonged *p = ctx;
    const lbr_bound *b = &p->base;
    int64_t n = b->s.dim;
    double room[ROOM], *y = room, *d = y + n, *f = d + n, *more = f + n;

    gather(p, Y, 0, y);
    if (b->field(t, y, f, b->ctx)) return 1;
    scatter(p, f, 0, out);
    for (int64_t i = 1; i <= p->k; i++) {
        gather(p, Y, i, d);
        if (field_along(b, t, y, d, f, more)) return 1;
        scatter(p, f, i, out);
    }
    return 0;
}

/* --- constraints ------------------------------------------------------------------------------------------------- */

/* Where row i of G begins; the column of an element. */
static int64_t row(const lbr_prolonged *p, int64_t i)
{
    return p->base.s.constraints->row ? p->base.s.constraints->row[i] : i * p->base.s.nq;
}
static int64_t column(const lbr_prolonged *p, int64_t k)
{
    return p->base.s.constraints->row ? p->base.s.constraints->col[k] : k % p->base.s.nq;
}

/* out = G v; out = G^T lambda. */
static void times(const lbr_prolonged *p, const double *G, const double *v, double *out)
{
    for (int64_t i = 0; i < p->base.s.constraints->m; i++) {
        out[i] = 0;
        for (int64_t k = row(p, i); k < row(p, i + 1); k++) out[i] += G[k] * v[column(p, k)];
    }
}

static void transposed(const lbr_prolonged *p, const double *G, const double *lambda, double *out)
{
    memset(out, 0, (size_t)p->base.s.nq * sizeof *out);
    for (int64_t i = 0; i < p->base.s.constraints->m; i++)
        for (int64_t k = row(p, i); k < row(p, i + 1); k++) out[column(p, k)] += G[k] * lambda[i];
}

/* G'(q) dq by differences: rounded, but the same for all that it is multiplied with, so that equations with it can be
 * solved. */
static int slope(const lbr_prolonged *p, double t, const double *q, const double *dq, double *out)
{
    const lbr_constraints *c = p->base.s.constraints;

    return difference(c->G, p->base.s.ctx, p->base.s.nq, row(p, c->m), t, q, dq, out, (double[2 * ROOM]){ 0 });
}

static int has_second(const lbr_constraints *c) { return c->size >= sizeof *c && c->g2 && c->g2t; }

int lbr_prolonged_curve(const lbr_prolonged *p, double t, const double *q, const double *dq, const double *v,
                        double *out)
{
    const lbr_constraints *c = p->base.s.constraints;
    double G[ROOM];

    if (has_second(c)) return c->g2(t, q, dq, v, out, p->base.s.ctx);
    if (slope(p, t, q, dq, G)) return 1;
    return times(p, G, v, out), 0;
}

int lbr_prolonged_bend(const lbr_prolonged *p, double t, const double *q, const double *lambda, const double *dq,
                       double *out)
{
    const lbr_constraints *c = p->base.s.constraints;
    double G[ROOM];

    if (has_second(c)) return c->g2t(t, q, lambda, dq, out, p->base.s.ctx);
    if (slope(p, t, q, dq, G)) return 1;
    return transposed(p, G, lambda, out), 0;
}

static int residuals(double t, const double *X, double *out, void *ctx)
{
    const lbr_prolonged *p = ctx;
    const lbr_constraints *c = p->base.s.constraints;
    double G[ROOM];

    if (c->g(t, X, out, p->base.s.ctx) || c->G(t, X, G, p->base.s.ctx)) return 1;
    for (int64_t i = 1; i <= p->k; i++) times(p, G, X + i * p->base.s.nq, out + i * c->m);
    return 0;
}

/* Marks the constraints of a prolonged system: steppers take their derivatives from the inside. */
static int no_matrix(double t, const double *X, double *out, void *ctx)
{
    return (void)t, (void)X, (void)out, (void)ctx, 1;
}

const lbr_prolonged *lbr_prolonged_of(const lbr_system *s)
{
    return s->constraints && s->constraints->G == no_matrix ? s->ctx : NULL;
}

/* --- making one -------------------------------------------------------------------------------------------------- */

static lbr_status checked(lbr_prolonged *p, int64_t k)
{
    const lbr_bound *b = &p->base;
    const lbr_constraints *c = b->s.constraints;
    int64_t elements;

    if (k < 1 || k > 1000)
        return lbr_fail(&p->why, LBR_EARG, "a system is prolonged by 1 to 1000 tangents, not by %lld", (long long)k);
    if (!b->field) return lbr_fail(&p->why, LBR_EUNFIT, "the system gives no rates that could be prolonged");
    if (c && (c->size < offsetof(lbr_constraints, g2) || c->m < 1 || !c->g || !c->G))
        return lbr_fail(&p->why, LBR_EARG, "the constraints of the system lack their number, g or G");
    if (c && c->m > b->s.nq)
        return lbr_fail(&p->why, LBR_EARG, "there are more constraints (%lld) than coordinates (%lld)", (long long)c->m,
                        (long long)b->s.nq);
    elements = !c ? 0 : c->row ? c->nnz : c->m * b->s.nq; /* neither is more than a state may have */
    if (LEAST * b->s.dim > ROOM || elements > ROOM || (c && c->m > ROOM / 4))
        return lbr_fail(
            &p->why, LBR_EUNFIT,
            "systems of more than %d components, or with more than %d derivatives of constraints, are not prolonged",
            ROOM / LEAST, ROOM);
    return c && c->row ? lbr_pattern_check(&(lbr_pattern){ c->m, b->s.nq, c->nnz, c->row, c->col }, "the constraints'",
                                           "positions", &p->why)
                       : LBR_OK;
}

/* Blocks of the system, or those that stand for none. *half: how many are of positions, all if there are none such; -1:
 * one is neither, or an attitude, which has no tangents of its own shape. */
static const lbr_block *blocks_of(lbr_prolonged *p, int64_t *n, int64_t *half)
{
    const lbr_system *s = &p->base.s;
    int64_t nq = p->base.partitioned ? s->nq : 0, length = nq ? nq : s->dim, done = 0;
    const lbr_block *given = s->nblocks > 0 ? s->blocks : NULL;
    lbr_block *all = lbr_arena_alloc(&p->names, given ? s->nblocks : 2, sizeof *all);
    int64_t *shape = lbr_arena_alloc(&p->names, 1, sizeof *shape);

    if (!all || !shape) return NULL;
    *shape = length, *n = given ? s->nblocks : nq ? 2 : 1, *half = nq ? -1 : *n;
    for (int64_t i = 0; i < *n; i++) {
        lbr_block own = { sizeof own, nq ? i ? "p" : "q" : "y", LBR_VECTOR, length > 1 || !nq, shape };

        if (given) own = *(const lbr_block *)lbr_strided(given, i), own.size = sizeof own;
        all[i] = own;
        if (own.kind == LBR_ROTATION) return *half = -1, all;
        done += lbr_block_length(&own);
        if (nq && done == nq) *half = i + 1;
    }
    return all;
}

/* Components of tangent i are named as those of the state, with d1., d2., ... before it. */
static lbr_status named(lbr_prolonged *p)
{
    int64_t n = 0, half = 0, to = 0;
    const lbr_block *one = blocks_of(p, &n, &half);
    lbr_block *all = one && half >= 0 ? lbr_arena_alloc(&p->names, (p->k + 1) * n, sizeof *all) : NULL;

    if (one && half < 0) return LBR_OK;
    for (int64_t from = 0, end = half; all && from < n; from = end, end = n)
        for (int64_t j = 0; j <= p->k; j++)
            for (int64_t i = from; i < end; i++) {
                lbr_block *x = all + to++;

                *x = one[i];
                if (j) x->name = lbr_arena_format(&p->names, "d%d.%s", (int)j, x->name ? x->name : "y");
                if (j && !x->name) return lbr_fail(&p->why, LBR_ENOMEM, "out of memory");
            }
    if (!all) return lbr_fail(&p->why, LBR_ENOMEM, "out of memory");
    p->s.blocks = all, p->s.nblocks = to;
    return LBR_OK;
}

static lbr_status filled(lbr_prolonged *p)
{
    const lbr_system *b = &p->base.s;
    int64_t k1 = p->k + 1;

    p->s = (lbr_system){
        .size = sizeof p->s, .name = b->name, .ctx = p, .dim = k1 * b->dim, .nq = p->base.partitioned ? k1 * b->nq : 0
    };
    if (p->base.separable && b->inverse_mass && !(b->field && (b->field_jvp || b->hessian_vec))) {
        if (!(p->mass = lbr_mem_alloc((size_t)(k1 * b->nq) * sizeof *p->mass)))
            return lbr_fail(&p->why, LBR_ENOMEM, "out of memory");
        for (int64_t i = 0; i < k1 * b->nq; i++) p->mass[i] = b->inverse_mass[i % b->nq];
        p->s.force = force, p->s.inverse_mass = p->mass;
    } else p->s.field = field;
    if (named(p)) return LBR_ENOMEM;
    if (!b->constraints) return LBR_OK;
    p->c = (lbr_constraints){ .size = sizeof p->c, .m = k1 * b->constraints->m, .g = residuals, .G = no_matrix };
    p->s.constraints = &p->c;
    return LBR_OK;
}

lbr_status lbr_prolong(const lbr_system **prolonged, const lbr_system *system, int64_t k)
{
    lbr_prolonged *p;
    lbr_status status;

    if (!prolonged) return LBR_EARG;
    *prolonged = NULL;
    if (!(p = lbr_mem_alloc(sizeof *p))) return LBR_ENOMEM;
    memset(p, 0, sizeof *p);
    *prolonged = &p->s;
    if ((status = lbr_bound_init(&p->base, system, &p->why)) || (status = checked(p, k))) return status;
    p->k = k;
    return filled(p);
}

const char *lbr_prolong_message(const lbr_system *prolonged)
{
    return prolonged ? ((const lbr_prolonged *)prolonged)->why.text : lbr_status_text(LBR_ENOMEM);
}

void lbr_prolong_free(const lbr_system *prolonged)
{
    lbr_prolonged *p = (lbr_prolonged *)prolonged;

    if (!p) return;
    lbr_mem_free(p->mass), lbr_arena_free(&p->names);
    lbr_mem_free(p);
}
