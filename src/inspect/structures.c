/* structures.c - Poisson brackets and potentials of distances. SPDX-License-Identifier: BSD-3-Clause */
#include "inspect.h"

#include <string.h>

static const lbr_numbering state = { LBR_NUMBERING_STATE, 0, NULL };

/* --- y' = B(y) grad H -------------------------------------------------------------------------------------------- */

static int64_t has_gradient(const lbr_inspection *z) { return z->poisson.gradient && z->b.s.energy; }
static int64_t has_structure(const lbr_inspection *z) { return z->poisson.structure != NULL; }
static int64_t has_both(const lbr_inspection *z) { return z->poisson.structure && z->poisson.gradient && z->b.field; }

static int structure(const lbr_mapping *f, double t, const double *v, double *out)
{
    return f->z->poisson.structure(t, f->at, v, out, f->z->b.s.ctx);
}

static lbr_mapping structure_at(lbr_inspection *z)
{
    return (
        lbr_mapping){ .call = structure, .n = z->b.s.dim, .m = z->b.s.dim, .z = z, .name = "structure", .at = z->y };
}

static void gradient(lbr_inspection *z, int64_t k)
{
    int64_t n = z->b.s.dim;
    double *u = lbr_inspect_room(z, n);
    lbr_mapping given = lbr_mapping_fn(z, "gradient", z->poisson.gradient, z->b.s.ctx, n, n),
                H = lbr_mapping_fn(z, "energy", z->b.s.energy, z->b.s.ctx, n, 1),
                D = lbr_inspect_dot(z, "gradient", u, n);

    (void)k;
    if (u && !lbr_inspect_call(z, &given, z->y, u))
        lbr_inspect_derivative(z, &H, &D, z->y, (lbr_numbering){ 0 }, state);
}

/* Of many components some: the axes among which B is looked at. */
static void skew(lbr_inspection *z, int64_t k)
{
    int64_t n = z->b.s.dim, m = n < LBR_INSPECT_COLUMNS ? n : LBR_INSPECT_COLUMNS;
    double *M = lbr_inspect_room(z, m * m + 2 * n), *v = lbr_after(M, m * m), *out = lbr_after(v, n);
    lbr_mapping B = structure_at(z);

    (void)k;
    for (int64_t j = 0; j < m && M; j++) {
        memset(v, 0, (size_t)n * sizeof *v), v[j] = 1;
        if (lbr_inspect_call(z, &B, v, out)) return;
        for (int64_t i = 0; i < m; i++) M[i * m + j] = out[i];
    }
    if (M) lbr_inspect_symmetric(z, state, m, M, NULL, -1);
}

static void linear(lbr_inspection *z, int64_t k)
{
    int64_t n = z->b.s.dim;
    double *u = lbr_inspect_room(z, 6 * n), *v = lbr_after(u, n), *sum = lbr_after(v, n), *a = lbr_after(sum, n),
           *b = lbr_after(a, n), *off = lbr_after(b, n);
    lbr_mapping B = structure_at(z);

    (void)k;
    if (!u) return;
    for (int64_t i = 0; i < n; i++)
        u[i] = lbr_random_sign((uint64_t)i), v[i] = lbr_random_sign((uint64_t)(n + i)), sum[i] = u[i] + v[i];
    if (lbr_inspect_call(z, &B, u, a) || lbr_inspect_call(z, &B, v, b)) return;
    for (int64_t i = 0; i < n; i++) a[i] += b[i], off[i] = 0x1p-44 * (fabs(a[i]) + fabs(b[i]));
    if (!lbr_inspect_call(z, &B, sum, b)) lbr_inspect_compare(z, state, state, -1, n, b, a, off);
}

static void field(lbr_inspection *z, int64_t k)
{
    int64_t n = z->b.s.dim;
    double *u = lbr_inspect_room(z, 3 * n), *a = lbr_after(u, n), *f = lbr_after(a, n);
    lbr_mapping given = lbr_mapping_fn(z, "gradient", z->poisson.gradient, z->b.s.ctx, n, n), B = structure_at(z),
                F = lbr_mapping_fn(z, "field", z->b.field, z->b.ctx, n, n);

    (void)k;
    if (!u || lbr_inspect_call(z, &given, z->y, u) || lbr_inspect_call(z, &B, u, a)) return;
    if (!lbr_inspect_call(z, &F, z->y, f)) lbr_inspect_compare(z, state, state, -1, n, a, f, NULL);
}

/* --- V = sum_k V_k(|q_i - q_j|) ---------------------------------------------------------------------------------- */

static int64_t has_pairs(const lbr_inspection *z) { return z->pairs.count > 0 && z->pairs.slopes && z->b.s.force; }

static double apart(const lbr_pairs *p, int64_t k, int64_t i, const double *q)
{
    return q[p->first[k] + i] - (p->second[k] < 0 ? 0 : q[p->second[k] + i]);
}

/* Both arrays have room for as many numbers as the state has. */
static int sloped(const lbr_mapping *f, double t, const double *s, double *out)
{
    int bad = f->fn(t, s, f->room, f->ctx);

    memcpy(out, f->room, (size_t)f->m * sizeof *out);
    return bad;
}

static void pairs(lbr_inspection *z, int64_t k)
{
    const lbr_pairs *p = &z->pairs;
    int64_t nq = z->b.s.nq, room = p->count > z->b.s.dim ? p->count : z->b.s.dim;
    double *s = lbr_inspect_room(z, 3 * room + 3 * nq), *slope = lbr_after(s, room), *sum = lbr_after(slope, room),
           *f = lbr_after(sum, nq), *off = lbr_after(f, nq);
    lbr_mapping slopes = lbr_mapping_fn(z, "slopes", p->slopes, z->b.s.ctx, room, p->count),
                force = lbr_mapping_fn(z, "force", z->b.s.force, z->b.s.ctx, nq, nq);

    (void)k;
    if (!s) return;
    slopes.call = sloped, slopes.room = off + nq;
    for (int64_t j = 0; j < p->count; j++)
        for (int64_t i = 0; i < p->space; i++) s[j] += apart(p, j, i, z->y) * apart(p, j, i, z->y);
    if (lbr_inspect_call(z, &slopes, s, slope) || lbr_inspect_call(z, &force, z->y, f)) return;
    for (int64_t j = 0; j < p->count; j++)
        for (int64_t i = 0; i < p->space; i++) {
            double g = 2 * slope[j] * apart(p, j, i, z->y);

            sum[p->first[j] + i] -= g, off[p->first[j] + i] += 0x1p-48 * fabs(g);
            if (p->second[j] >= 0) sum[p->second[j] + i] += g, off[p->second[j] + i] += 0x1p-48 * fabs(g);
        }
    lbr_inspect_compare(z, (lbr_numbering){ LBR_NUMBERING_STATE, nq, NULL }, state, -1, nq, sum, f, off);
}

const lbr_inspector lbr_inspect_structures[] = {
    { "poisson.gradient", "differences of energy", has_gradient, NULL, gradient, LBR_ANYWHERE },
    { "poisson.structure", "skew symmetry", has_structure, NULL, skew, LBR_ANYWHERE },
    { "poisson.structure", "linearity", has_structure, NULL, linear, LBR_ANYWHERE },
    { "poisson", "field", has_both, NULL, field, LBR_ANYWHERE },
    { "pairs.slopes", "force", has_pairs, NULL, pairs, LBR_ANYWHERE },
    { 0 },
};
