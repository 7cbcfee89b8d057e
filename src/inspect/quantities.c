/* quantities.c - gradients of invariants, and whether the solution keeps what is said to be kept.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "inspect.h"
#include "core/largest.h"
#include "core/lu.h"
#include "core/prolong_inside.h"

#include <string.h>

enum { MOST_CONSTRAINTS = 48 };

double lbr_inspect_time(const lbr_inspection *z, const double *f)
{
    double fast = 0;

    for (int64_t i = 0; i < z->b.s.dim; i++) fast = fmax(fast, fabs(f[i]) / z->size[i]);
    return fast > 0 ? 0.0625 / fast : 0.0625;
}

int lbr_inspect_is_bound(const lbr_inspection *z)
{
    return lbr_has_rotations(&z->b.s) || z->constraints.size || z->manifold.size || z->bodies.size;
}

/* --- rates on constraints ---------------------------------------------------------------------------------------- */

/* d/dt g(t, q) with q' = H_p: what vanishes on the manifold, too. room: 2 dim and the error. */
static int hidden(const lbr_mapping *f, double t, const double *y, double *out)
{
    lbr_inspection *z = f->z;
    lbr_mapping g = lbr_mapping_fn(z, "g", z->constraints.g, z->b.s.ctx, z->b.s.nq, f->m);
    double *v = f->room, *work = v + z->b.s.dim, *error = work + z->b.s.dim, now = z->t;
    int bad;

    if (lbr_bound_rate_q(&z->b, t, y, v, work)) return 1;
    memset(v + z->b.s.nq, 0, (size_t)z->b.s.nq * sizeof *v);
    z->t = t;
    bad = lbr_inspect_slope(z, &g, y, v, 1, lbr_inspect_time(z, v), NULL, out, error);
    z->t = now;
    return bad;
}

/* Whether y is on the constraints, with its rates; what is not is said. */
static int is_on(lbr_inspection *z, const lbr_mapping *r, double *value)
{
    double far = 0;

    if (z->constraints.g(z->t, z->y, value, z->b.s.ctx)) return 0;
    far = lbr_largest_or_nan(r->m, value);
    if (far <= 1e-6 && r->call(r, z->t, z->y, value)) return 0;
    far = fmax(far, lbr_largest_or_nan(r->m, value));
    if (!(far <= 1e-6))
        lbr_inspect_say(z, -1, "y is not on the constraints, so that nothing can be said of what is kept there");
    return far <= 1e-6;
}

/* f -= G^T lambda, so that the rates of g stay what they are. */
static int constrained(lbr_inspection *z, double *f)
{
    lbr_equations s = lbr_inspect_constraints(z);
    int64_t m = s.m, n = z->b.s.dim, nq = z->b.s.nq, *pivot;
    double *room = lbr_inspect_room(z, 2 * n + m + (m + 4) * m + n + nq + lbr_equations_size(&s) + m), *M, *a, *error,
           *v, *G, *e;
    lbr_mapping r = { .call = hidden, .n = n, .m = m, .z = z, .name = "g", .room = room };

    if (!room || !(pivot = lbr_arena_alloc(&z->scratch, m, sizeof *pivot))) return 1;
    M = room + 2 * n + m, a = M + m * m, error = a + m, e = error + m, v = e + m, G = v + n + nq;
    if (!is_on(z, &r, a) || s.G(z->t, z->y, G, z->b.s.ctx)) return 1;
    if (lbr_inspect_slope(z, &r, z->y, f, 1, lbr_inspect_time(z, f), NULL, a, error)) return 1;
    for (int64_t i = 0; i < m; i++) {
        double *column = G + lbr_equations_size(&s);

        memset(v, 0, (size_t)n * sizeof *v), memset(e, 0, (size_t)m * sizeof *e);
        e[i] = 1, lbr_equations_transposed(&s, G, e, v + nq);
        if (lbr_inspect_slope(z, &r, z->y, v, 0, lbr_inspect_time(z, v), NULL, column, error)) return 1;
        for (int64_t k = 0; k < m; k++) M[k * m + i] = column[k];
    }
    if (lbr_lu_factor(m, M, pivot)) return lbr_inspect_say(z, -1, "the constraints depend on one another at y"), 1;
    lbr_lu_solve(m, M, pivot, a);
    lbr_equations_transposed(&s, G, a, v);
    for (int64_t j = 0; j < nq; j++) f[nq + j] -= v[j];
    return 0;
}

int lbr_inspect_rates_at(lbr_inspection *z, double *f)
{
    const lbr_constraints *c = &z->constraints;
    lbr_equations s;

    if (z->b.field ? z->b.field(z->t, z->y, f, z->b.ctx) : lbr_inspect_body_rates(z, z->t, z->y, f)) return 1;
    if (lbr_bound_nonfinite(z->b.s.dim, f) >= 0) return 1;
    if (!c->size) return 0;
    if (!c->g || !c->G || c->m < 1 || !z->b.partitioned || c->m > MOST_CONSTRAINTS || lbr_prolonged_of(&z->b.s))
        return lbr_inspect_say(z, -1, "multipliers are not worked out here"), 1;
    s = lbr_inspect_constraints(z);
    return !lbr_equations_is_whole(&s) || constrained(z, f); /* which is told with G */
}

/* --- what is kept ------------------------------------------------------------------------------------------------ */

/* How large the terms are that make up the change; error += a small part of it. */
static int sizes(lbr_inspection *z, const lbr_mapping *F, const double *f, double *error)
{
    double *room = lbr_inspect_room(z, F->n + 2 * F->m), *v = room, *slope = lbr_after(v, F->n),
           *off = lbr_after(slope, F->m);
    int64_t most = F->n < LBR_INSPECT_COLUMNS ? F->n : LBR_INSPECT_COLUMNS;

    if (!room) return 1;
    for (int64_t k = 0; k < most; k++) {
        int64_t j = k * F->n / most;

        memset(v, 0, (size_t)F->n * sizeof *v), v[j] = f[j];
        if (f[j] == 0) continue;
        if (lbr_inspect_slope(z, F, z->y, v, 0, 0.0625 * z->size[j] / fabs(f[j]), NULL, slope, off)) return 1;
        for (int64_t i = 0; i < F->m; i++) error[i] += 0x1p-25 * fabs(slope[i]);
    }
    return 0;
}

void lbr_inspect_kept(lbr_inspection *z, const lbr_mapping *F, lbr_numbering rows)
{
    int64_t n = F->n, m = F->m;
    double *f = lbr_inspect_room(z, n + 3 * m), *change = lbr_after(f, n), *zero = lbr_after(change, m),
           *error = lbr_after(zero, m);

    if (!f || (z->at && lbr_inspect_is_bound(z)) || (!z->b.field && !z->bodies.size)) return;
    if (lbr_inspect_call(z, F, z->y, change) || lbr_inspect_rates_at(z, f)) return;
    if (lbr_inspect_slope(z, F, z->y, f, 1, lbr_inspect_time(z, f), zero, change, error) || sizes(z, F, f, error))
        return;
    for (int64_t i = 0; i < m && !z->why.status; i++) {
        z->compared++;
        if (fabs(change[i]) > 8 * error[i])
            lbr_inspect_wrong(z, rows, i, rows, -1, change[i], 0,
                              "its rate of change along solutions, which should be ");
    }
}

static int64_t has_energy(const lbr_inspection *z)
{
    return z->b.s.energy && !z->b.s.energy_changes && (z->b.field || z->bodies.size);
}

static const char *say_so(const lbr_inspection *z, int64_t row, int64_t column)
{
    return (void)z, (void)row, (void)column, "; if that is meant, let energy_changes say why";
}

static void energy_kept(lbr_inspection *z, int64_t k)
{
    lbr_mapping H = lbr_mapping_fn(z, "energy", z->b.s.energy, z->b.s.ctx, z->b.s.dim, 1);

    (void)k;
    z->remark = say_so, lbr_inspect_kept(z, &H, (lbr_numbering){ 0 }), z->remark = NULL;
}

/* --- invariants, and what else is observed ----------------------------------------------------------------------- */

static int64_t invariants(const lbr_inspection *z) { return z->b.s.invariants ? z->b.s.invariants->count : 0; }
static int64_t observed(const lbr_inspection *z) { return z->b.s.observed ? z->b.s.observed->count : 0; }
static const char *invariant_name(const lbr_inspection *z, int64_t k) { return z->invariant[k].name; }
static const char *observed_name(const lbr_inspection *z, int64_t k) { return z->observed[k].name; }

static lbr_mapping value_of(lbr_inspection *z, const lbr_invariant *q)
{
    return lbr_mapping_fn(z, "value", q->value, q->ctx ? q->ctx : z->b.s.ctx, z->b.s.dim, q->len);
}

static void invariant_kept(lbr_inspection *z, int64_t k)
{
    const lbr_invariant *q = &z->invariant[k];
    lbr_mapping F = value_of(z, q);

    lbr_inspect_kept(z, &F, (lbr_numbering){ LBR_NUMBERING_QUANTITY, 0, q });
}

static int gradient_times(const lbr_mapping *f, double t, const double *v, double *out)
{
    if (f->fn(t, f->at, f->room, f->ctx)) return 1;
    for (int64_t i = 0; i < f->m; i++) {
        out[i] = 0;
        for (int64_t j = 0; j < f->n; j++) out[i] += f->room[i * f->n + j] * v[j];
    }
    return 0;
}

static void gradient(lbr_inspection *z, const lbr_invariant *q)
{
    lbr_mapping F = value_of(z, q), whole = F, D = F;
    double *room = lbr_inspect_room(z, q->len * z->b.s.dim);

    if (!q->gradient || !room) return;
    whole.fn = q->gradient, whole.m = q->len * z->b.s.dim, whole.name = "gradient";
    D.call = gradient_times, D.fn = q->gradient, D.at = z->y, D.room = room, D.name = "gradient";
    if (lbr_inspect_call(z, &whole, z->y, room)) return;
    lbr_inspect_derivative(z, &F, &D, z->y, (lbr_numbering){ LBR_NUMBERING_QUANTITY, 0, q },
                           (lbr_numbering){ LBR_NUMBERING_STATE, 0, NULL });
}

static void invariant_gradient(lbr_inspection *z, int64_t k) { gradient(z, &z->invariant[k]); }
static void observed_gradient(lbr_inspection *z, int64_t k) { gradient(z, &z->observed[k]); }

static void observed_value(lbr_inspection *z, int64_t k)
{
    lbr_mapping F = value_of(z, &z->observed[k]);
    double *out = lbr_inspect_room(z, F.m);

    if (out && !lbr_inspect_call(z, &F, z->y, out)) z->compared += F.m;
}

const lbr_inspector lbr_inspect_quantities[] = {
    { "energy", "the field, along which it stays what it is", has_energy, NULL, energy_kept, LBR_ON_SOLUTION },
    { "invariants.%s", "the field, along which they stay what they are", invariants, invariant_name, invariant_kept,
      LBR_ON_SOLUTION },
    { "invariants.%s.gradient", "differences of value", invariants, invariant_name, invariant_gradient, LBR_ANYWHERE },
    { "observed.%s", "themselves when it is called again", observed, observed_name, observed_value, LBR_ANYWHERE },
    { "observed.%s.gradient", "differences of value", observed, observed_name, observed_gradient, LBR_ANYWHERE },
    { 0 },
};
