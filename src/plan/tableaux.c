/* tableaux.c - Runge-Kutta tableaux of other tableaux, and the polynomials of collocation.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Integrals of Lagrange's polynomials are taken by Gauss' formula, which is exact for them, over their factors and not
 * over their coefficients: no digits are lost, but for those that the nodes themselves cost. */
#include "tableaux.h"
#include "core/quadrature.h"

#include <math.h>
#include <string.h>

static int room(lbr_numbers *x, int64_t s, lbr_arena *arena)
{
    x->s = s;
    x->A = lbr_arena_alloc(arena, s * s, sizeof *x->A);
    x->b = lbr_arena_alloc(arena, s, sizeof *x->b);
    x->c = lbr_arena_alloc(arena, s, sizeof *x->c);
    return x->A && x->b && x->c ? 0 : -1;
}

/* --- Lagrange's polynomials -------------------------------------------------------------------------------------- */

void lbr_lagrange_init(lbr_lagrange *l, int m, const lbr_dd *x)
{
    lbr_dd row[LBR_NODES_MOST];

    *l = (lbr_lagrange){ .m = m, .k = m > 1 ? (m + 1) / 2 : 1 };
    for (int i = 0; i < l->k; i++) lbr_quadrature_node(&lbr_gauss_points, l->k, i, l->g + i, l->w + i, row);
    for (int j = 0; j < m; j++) {
        lbr_dd d = dd(1);

        for (int k = 0; k < m; k++)
            if (k != j) d = dd_mul(d, dd_sub(x[j], x[k]));
        l->x[j] = x[j], l->d[j] = dd_div(dd(1), d);
    }
}

lbr_dd lbr_lagrange_value(const lbr_lagrange *l, int j, lbr_dd x)
{
    lbr_dd p = l->d[j];

    for (int k = 0; k < l->m; k++)
        if (k != j) p = dd_mul(p, dd_sub(x, l->x[k]));
    return p;
}

lbr_dd lbr_lagrange_integral(const lbr_lagrange *l, int j, lbr_dd from, lbr_dd to)
{
    lbr_dd h = dd_sub(to, from), sum = dd(0);

    for (int i = 0; i < l->k; i++)
        sum = dd_add(sum, dd_mul(l->w[i], lbr_lagrange_value(l, j, dd_add(from, dd_mul(l->g[i], h)))));
    return dd_mul(h, sum);
}

/* --- comparing --------------------------------------------------------------------------------------------------- */

static int same_list(int64_t n, const lbr_dd *a, const lbr_dd *b)
{
    return a && b ? !memcmp(a, b, (size_t)n * sizeof *a) : a == b;
}

int lbr_tableau_same(const lbr_tableau *a, const lbr_tableau *b)
{
    if (!a || !b) return a == b;
    return a->s == b->s && same_list(a->s * a->s, a->A, b->A) && same_list(a->s, a->b, b->b) &&
           same_list(a->s, a->c, b->c);
}

/* --- of other tableaux ------------------------------------------------------------------------------------------- */

static lbr_tableau *tableau(lbr_numbers *x, int64_t s, lbr_arena *arena)
{
    lbr_tableau *t = lbr_arena_alloc(arena, 1, sizeof *t);

    if (!t || room(x, s, arena)) return NULL;
    *t = (lbr_tableau){ s, 1, x->A, x->b, x->c };
    return t;
}

lbr_tableau *lbr_tableau_adjoint(lbr_tableau *t, lbr_arena *arena)
{
    int64_t s = t->s, same = 1;
    lbr_numbers x;
    lbr_tableau *out = tableau(&x, s, arena);

    if (!out) return NULL;
    for (int64_t i = 0; i < s; i++) {
        x.b[i] = t->b[s - 1 - i];
        x.c[i] = dd_sub(dd(1), t->c[s - 1 - i]);
        for (int64_t j = 0; j < s; j++) {
            lbr_dd a = dd_sub(t->b[s - 1 - j], t->A[(s - 1 - i) * s + s - 1 - j]);

            if (fabs(a.hi) < 1e-28) a = dd(0);
            x.A[i * s + j] = a;
            same &= fabs(dd_double(dd_sub(a, t->A[i * s + j]))) < 1e-26;
            out->is_explicit &= j < i || a.hi == 0;
        }
        same &= fabs(dd_double(dd_sub(x.b[i], t->b[i]))) < 1e-26;
        if (lbr_tableau_place(t, i).hi != t->c[i].hi) same &= fabs(dd_double(dd_sub(x.c[i], t->c[i]))) < 1e-12;
    }
    return same ? t : out;
}

/* Stage i of step c of a part, from stage `first` on: what has been done before, and a multiple of its own row. */
static void place(lbr_numbers *x, int64_t first, lbr_dd time, lbr_dd c, const lbr_tableau *part)
{
    int64_t S = x->s;

    for (int64_t i = 0; i < part->s; i++) {
        lbr_dd *row = x->A + (first + i) * S;

        for (int64_t k = 0; k < first; k++) row[k] = x->b[k];
        for (int64_t k = 0; k < part->s; k++) row[first + k] = dd_mul(c, part->A[i * part->s + k]);
        x->c[first + i] = dd_add(time, dd_mul(c, part->c[i]));
    }
    for (int64_t i = 0; i < part->s; i++) x->b[first + i] = dd_mul(c, part->b[i]);
}

lbr_tableau *lbr_tableau_compose(int64_t n, const lbr_dd *c, const lbr_tableau *const *part, lbr_arena *arena)
{
    int64_t s = 0, first = 0;
    lbr_dd time = dd(0);
    lbr_numbers x;
    lbr_tableau *out;

    for (int64_t k = 0; k < n; k++) s += part[k]->s;
    if (!(out = tableau(&x, s, arena))) return NULL;
    for (int64_t k = 0; k < n; k++) {
        place(&x, first, time, c[k], part[k]);
        out->is_explicit &= part[k]->is_explicit;
        time = dd_add(time, c[k]), first += part[k]->s;
    }
    return out;
}

lbr_status lbr_tableau_partner(const lbr_tableau *t, const char *name, lbr_tableau **out, lbr_arena *arena,
                               lbr_message *m)
{
    int64_t s = t->s;
    lbr_dd *A = lbr_arena_alloc(arena, s * s, sizeof *A), *c = lbr_arena_alloc(arena, s, sizeof *c);
    lbr_tableau *u = *out = lbr_arena_alloc(arena, 1, sizeof *u);

    if (!A || !c || !u) return lbr_fail(m, LBR_ENOMEM, "out of memory while reading a method");
    *u = (lbr_tableau){ s, 1, A, t->b, c };
    for (int64_t i = 0; i < s; i++) {
        if (t->b[i].hi == 0)
            return lbr_fail(
                m, LBR_EMETHOD,
                "'%s' has no symplectic partner: a^_ij = b_j - b_j a_ji/b_i divides by its weights, and b[%lld] is 0",
                name, (long long)i + 1);
        c[i] = dd(0);
        for (int64_t j = 0; j < s; j++) {
            lbr_dd a = dd_sub(t->b[j], dd_div(dd_mul(t->b[j], t->A[j * s + i]), t->b[i]));

            if (fabs(a.hi) < 1e-28) a = dd(0);
            A[i * s + j] = a;
            c[i] = dd_add(c[i], a);
            u->is_explicit &= j < i || a.hi == 0;
        }
        if (fabs(c[i].hi) < 1e-28) c[i] = dd(0);
    }
    return LBR_OK;
}
