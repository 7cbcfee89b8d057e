/* surfaces.c - constraints and manifolds: patterns, Jacobians, second derivatives. SPDX-License-Identifier:
 * BSD-3-Clause */
#include "inspect.h"
#include "core/prolong_inside.h"

#include <stdio.h>
#include <string.h>

lbr_equations lbr_inspect_constraints(const lbr_inspection *z)
{
    const lbr_constraints *c = &z->constraints;

    return (lbr_equations){ { LBR_NUMBERING_CONSTRAINT, 0, NULL },
                            c->m,
                            z->b.s.nq > 0 ? z->b.s.nq : z->b.s.dim,
                            c->nnz,
                            c->g,
                            c->G,
                            c->row,
                            c->col,
                            "constraints" };
}

lbr_equations lbr_inspect_manifold(const lbr_inspection *z)
{
    const lbr_manifold *c = &z->manifold;

    return (lbr_equations){
        { LBR_NUMBERING_MANIFOLD, 0, NULL }, c->m, z->b.s.dim, c->nnz, c->g, c->G, c->row, c->col, "manifold"
    };
}

static int64_t row_at(const lbr_equations *s, int64_t i) { return s->row ? s->row[i] : i * s->n; }
static int64_t column_of(const lbr_equations *s, int64_t i, int64_t k) { return s->row ? s->col[k] : k - i * s->n; }

void lbr_equations_times(const lbr_equations *s, const double *G, const double *v, double *out)
{
    for (int64_t i = 0; i < s->m; i++) {
        out[i] = 0;
        for (int64_t k = row_at(s, i); k < row_at(s, i + 1); k++) out[i] += G[k] * v[column_of(s, i, k)];
    }
}

void lbr_equations_transposed(const lbr_equations *s, const double *G, const double *u, double *out)
{
    memset(out, 0, (size_t)s->n * sizeof *out);
    for (int64_t i = 0; i < s->m; i++)
        for (int64_t k = row_at(s, i); k < row_at(s, i + 1); k++) out[column_of(s, i, k)] += G[k] * u[i];
}

/* --- the pattern ----------------------------------------------------------------------------------------------------
 */

/* What is wrong in row i, in words; 0: nothing. */
static int row_fault(const lbr_equations *s, int64_t i, char *text, size_t size)
{
    if (s->row[i + 1] < s->row[i] || s->row[i + 1] > s->nnz)
        return snprintf(text, size, "row[%lld] is %lld after %lld; rows follow one another", (long long)i + 1,
                        (long long)s->row[i + 1], (long long)s->row[i]);
    for (int64_t k = s->row[i]; k < s->row[i + 1]; k++) {
        if (s->col[k] < 0 || s->col[k] >= s->n)
            return snprintf(text, size, "col[%lld] is %lld; columns go from 0 to %lld", (long long)k,
                            (long long)s->col[k], (long long)s->n - 1);
        if (k > s->row[i] && s->col[k] <= s->col[k - 1])
            return snprintf(text, size, "col[%lld] is %lld after %lld; in a row columns ascend", (long long)k,
                            (long long)s->col[k], (long long)s->col[k - 1]);
    }
    return 0;
}

static int fault(const lbr_equations *s, char *text, size_t size)
{
    if (!s->row) return 0;
    if (s->row[0] != 0 || s->row[s->m] != s->nnz)
        return snprintf(text, size, "row goes from %lld to %lld; it must go from 0 to nnz, which is %lld",
                        (long long)s->row[0], (long long)s->row[s->m], (long long)s->nnz);
    for (int64_t i = 0; i < s->m; i++)
        if (row_fault(s, i, text, size)) return 1;
    return 0;
}

int lbr_equations_is_whole(const lbr_equations *s)
{
    char text[200];

    return !fault(s, text, sizeof text);
}

/* What is wrong with it is said; 1: it can be used. */
static int whole(lbr_inspection *z, const lbr_equations *s)
{
    char text[200];

    if (!fault(s, text, sizeof text)) return 1;
    return lbr_inspect_say(z, 0, "%s", text), 0;
}

static int in_pattern(const lbr_equations *s, int64_t row, int64_t column)
{
    for (int64_t k = row_at(s, row); k < row_at(s, row + 1); k++)
        if (column_of(s, row, k) == column) return 1;
    return 0;
}

static const char *missing_in(const lbr_equations *s, int64_t row, int64_t column)
{
    return column >= 0 && !in_pattern(s, row, column) ? "; it is not in the pattern" : "";
}

static const char *missing_constraint(const lbr_inspection *z, int64_t row, int64_t column)
{
    lbr_equations s = lbr_inspect_constraints(z);

    return missing_in(&s, row, column);
}

static const char *missing_manifold(const lbr_inspection *z, int64_t row, int64_t column)
{
    lbr_equations s = lbr_inspect_manifold(z);

    return missing_in(&s, row, column);
}

/* --- G --------------------------------------------------------------------------------------------------------------
 */

static lbr_equations surface_of(const lbr_mapping *f)
{
    return f->item ? lbr_inspect_manifold(f->z) : lbr_inspect_constraints(f->z);
}

/* G v at `at`. */
static int jacobian(const lbr_mapping *f, double t, const double *v, double *out)
{
    lbr_equations s = surface_of(f);

    if (s.G(t, f->at, f->room, f->ctx)) return 1;
    return lbr_equations_times(&s, f->room, v, out), 0;
}

/* G u, and G^T u, as functions of the point. */
static int along(const lbr_mapping *f, double t, const double *x, double *out)
{
    lbr_equations s = surface_of(f);

    if (s.G(t, x, f->room, f->ctx)) return 1;
    return lbr_equations_times(&s, f->room, f->u, out), 0;
}

static int combined(const lbr_mapping *f, double t, const double *x, double *out)
{
    lbr_equations s = surface_of(f);

    if (s.G(t, x, f->room, f->ctx)) return 1;
    return lbr_equations_transposed(&s, f->room, f->u, out), 0;
}

static void first(lbr_inspection *z, const lbr_equations *s, int64_t item)
{
    lbr_numbering columns = { LBR_NUMBERING_STATE, 0, NULL };
    lbr_mapping g = lbr_mapping_fn(z, "g", s->g, z->b.s.ctx, s->n, s->m),
                G = lbr_mapping_fn(z, "G", s->G, z->b.s.ctx, s->n, whole(z, s) ? lbr_equations_size(s) : 0);
    double *room = lbr_inspect_room(z, lbr_equations_size(s));
    lbr_mapping D = { .call = jacobian,
                      .n = s->n,
                      .m = s->m,
                      .z = z,
                      .name = "G",
                      .ctx = z->b.s.ctx,
                      .at = z->y,
                      .room = room,
                      .item = item };

    if (z->settled || !room || lbr_inspect_call(z, &G, z->y, room)) return;
    z->remark = item ? missing_manifold : missing_constraint;
    lbr_inspect_derivative(z, &g, &D, z->y, s->rows, columns);
    z->remark = NULL;
}

static int64_t has_G(const lbr_inspection *z)
{
    return z->constraints.g && z->constraints.G && z->constraints.m > 0 && !lbr_prolonged_of(&z->b.s);
}

static void constraint_G(lbr_inspection *z, int64_t k)
{
    lbr_equations s = lbr_inspect_constraints(z);

    (void)k, first(z, &s, 0);
}

static int64_t has_manifold_G(const lbr_inspection *z) { return z->manifold.g && z->manifold.G && z->manifold.m > 0; }

static void manifold_G(lbr_inspection *z, int64_t k)
{
    lbr_equations s = lbr_inspect_manifold(z);

    (void)k, first(z, &s, 1);
}

/* --- second derivatives ----------------------------------------------------------------------------------------------
 */

static int second(const lbr_mapping *f, double t, const double *v, double *out)
{
    const lbr_constraints *c = &f->z->constraints;

    return (f->item ? c->g2t : c->g2)(t, f->at, f->u, v, out, f->ctx);
}

/* item: 1 for g2t. u: axes where these are few, and other directions. */
static void second_against(lbr_inspection *z, int64_t item)
{
    lbr_equations s = lbr_inspect_constraints(z);
    int64_t nu = item ? s.m : s.n, axes = nu * s.n <= LBR_INSPECT_PAIRS ? nu : 0;
    double *u = lbr_inspect_room(z, nu + lbr_equations_size(&s)), *room = lbr_after(u, nu);
    lbr_numbering columns = { LBR_NUMBERING_STATE, 0, NULL }, rows = item ? columns : s.rows;
    lbr_mapping F = { .call = item ? combined : along,
                      .n = s.n,
                      .m = item ? s.n : s.m,
                      .z = z,
                      .name = "G",
                      .ctx = z->b.s.ctx,
                      .u = u,
                      .room = room },
                D = { .call = second,
                      .n = s.n,
                      .m = F.m,
                      .z = z,
                      .name = item ? "g2t" : "g2",
                      .ctx = z->b.s.ctx,
                      .at = z->y,
                      .u = u,
                      .item = item };

    if (!u || !lbr_equations_is_whole(&s)) return; /* which is told with G */
    for (int64_t j = 0; j < axes + 2 && !z->why.status && !z->settled; j++) {
        for (int64_t i = 0; i < nu; i++) u[i] = j < axes ? i == j : lbr_random_sign((uint64_t)(131 * j + i));
        lbr_inspect_derivative(z, &F, &D, z->y, rows, columns);
    }
}

static int64_t has_g2(const lbr_inspection *z) { return has_G(z) && z->constraints.g2; }
static int64_t has_g2t(const lbr_inspection *z) { return has_G(z) && z->constraints.g2t; }
static void g2(lbr_inspection *z, int64_t k) { (void)k, second_against(z, 0); }
static void g2t(lbr_inspection *z, int64_t k) { (void)k, second_against(z, 1); }

/* --- solutions stay on a manifold ------------------------------------------------------------------------------------
 */

static int64_t has_manifold(const lbr_inspection *z) { return z->manifold.g && z->manifold.m > 0; }

static void manifold_kept(lbr_inspection *z, int64_t k)
{
    lbr_mapping g = lbr_mapping_fn(z, "g", z->manifold.g, z->b.s.ctx, z->b.s.dim, z->manifold.m);

    (void)k, lbr_inspect_kept(z, &g, (lbr_numbering){ LBR_NUMBERING_MANIFOLD, 0, NULL });
}

const lbr_inspector lbr_inspect_surfaces[] = {
    { "constraints.G", "differences of g", has_G, NULL, constraint_G, LBR_ANYWHERE },
    { "constraints.g2", "differences of G", has_g2, NULL, g2, LBR_ANYWHERE },
    { "constraints.g2t", "differences of G", has_g2t, NULL, g2t, LBR_ANYWHERE },
    { "manifold.G", "differences of g", has_manifold_G, NULL, manifold_G, LBR_ANYWHERE },
    { "manifold.g", "the field, along which it stays what it is", has_manifold, NULL, manifold_kept, LBR_ON_SOLUTION },
    { 0 },
};
