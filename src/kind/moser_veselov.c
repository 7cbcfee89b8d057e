/* moser_veselov.c - Moser and Veselov's step for reduced rigid bodies. SPDX-License-Identifier: BSD-3-Clause
 *
 * A free body in n dimensions, m' = m W - W m with m skew and W_ij = m_ij/(alpha_i + alpha_j), moves by (McLachlan &
 * Scovel 1994, 6.1)
 *
 *     omega^T J - J omega = h m,    M = omega m omega^T,        J = diag(alpha), omega orthogonal and near 1.
 *
 * omega = 1 + x, and x = s + a, s symmetric and a skew, is found by iteration (their Sect. 6.2; alpha_j - alpha_i is
 * misprinted there):
 *
 *     a_ij = (s_ij (alpha_j - alpha_i) - h m_ij)/(alpha_i + alpha_j),    s = -x^T x/2.
 *
 * In three dimensions m = hat(y), I_1 = alpha_2 + alpha_3 and so on. A heavy top has v beside it, v' = v x w, V = omega
 * v, and is kicked by the torque, which depends on v alone, before and after: RATTLE, reduced. */
#include "shared.h"
#include "solve/solve.h"

#include <string.h>

enum { MOST = 100, POINTS = 3 }; /* dimensions of a body; points where a field is looked at */

typedef struct body {
    int64_t n, top; /* dimensions; 1: with v beside m */
    int64_t matrix; /* 1: m as a matrix, 0: as three numbers */
    double *alpha, kick[2];
} body;

typedef struct room {
    double *m, *s, *x, *P, *f, *y;
} room;

static room room_of(const body *b, int64_t dim, double *own)
{
    int64_t k = b->n * b->n;

    return (room){ own, own + k, own + 2 * k, own + 3 * k, own + 4 * k, own + 4 * k + dim };
}

static const char *named(const lbr_setup *set) { return set->sys.s.name ? set->sys.s.name : "without a name"; }

/* --- the state and matrices -------------------------------------------------------------------------------------- */

static void hat(const double *y, double *m)
{
    m[0] = m[4] = m[8] = 0;
    m[7] = y[0], m[5] = -y[0], m[2] = y[1], m[6] = -y[1], m[3] = y[2], m[1] = -y[2];
}

static void skew_of(const body *b, const double *y, double *m)
{
    int64_t n = b->n;

    if (!b->matrix) {
        hat(y, m);
        return;
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) m[i * n + j] = (y[i * n + j] - y[j * n + i]) / 2;
}

/* P = A B. */
static void product(int64_t n, const double *A, const double *B, double *P)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            double sum = 0;

            for (int64_t k = 0; k < n; k++) sum = fma(A[i * n + k], B[k * n + j], sum);
            P[i * n + j] = sum;
        }
}

/* --- a free step ------------------------------------------------------------------------------------------------- */

/* One iteration; returns the largest change of x. */
static double iterate(const body *b, double h, const room *r)
{
    int64_t n = b->n;
    double change = 0, *s = r->s, *x = r->x;

    for (int64_t i = 0; i < n; i++)
        for (int64_t j = i; j < n; j++) {
            double a = i == j ? 0
                              : (s[i * n + j] * (b->alpha[j] - b->alpha[i]) - h * r->m[i * n + j]) /
                                    (b->alpha[i] + b->alpha[j]);
            double above = s[i * n + j] + a, below = s[i * n + j] - a, d = fabs(above - x[i * n + j]),
                   e = fabs(below - x[j * n + i]);

            x[i * n + j] = above, x[j * n + i] = below;
            change = d <= change ? change : d, change = e <= change ? change : e; /* NaN stays */
        }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = i; j < n; j++) {
            double sum = 0;

            for (int64_t k = 0; k < n; k++) sum = fma(x[k * n + i], x[k * n + j], sum);
            s[i * n + j] = s[j * n + i] = -sum / 2;
        }
    return change;
}

/* Of the largest element of x: 64 units of rounding, less than LBR_NOISE, since the elements of x are short sums, and
 * what the method keeps it keeps only as exactly as it has x. */
static const double small = 0x1p-46;

/* x from nothing on, until its changes are rounding and stop shrinking. */
static lbr_status solve(lbr_work *w, const body *b, double h, const room *r)
{
    int64_t nn = b->n * b->n;
    lbr_iteration i = lbr_increments_begin();
    lbr_course verdict = LBR_GOES_ON;
    double size = 0;

    i.far = 1e3; /* x + 1 is a rotation: a change that is larger is none on the way to it */
    memset(r->s, 0, (size_t)nn * sizeof *r->s), memset(r->x, 0, (size_t)nn * sizeof *r->x);
    for (int64_t k = 0; k < w->setup->max_iterations && verdict != LBR_RUNS_AWAY; k++) {
        double change = iterate(b, h, r);

        if (k == 0)
            for (int64_t j = 0; j < nn; j++) size = fmax(size, fabs(r->x[j]));
        lbr_count_iterations(&w->head->stats, 1, k + 1);
        i.small = small * size;
        if ((verdict = lbr_iteration_next(&i, change)) == LBR_IS_SETTLED) return LBR_OK;
    }
    if (verdict != LBR_RUNS_AWAY && lbr_iteration_small(&i)) return LBR_OK;
    return lbr_fail(&w->message, LBR_ENOCONV,
                    "the equation of Moser and Veselov's step was not solved with h = %.6g, where the body turns by "
                    "about %.2g in a step; try a smaller step",
                    h, size);
}

static lbr_status turn(lbr_work *w, const body *b, const room *r, double h, double *y, double *e)
{
    int64_t n = b->n;
    double d[3], *D = r->s;
    lbr_status status;

    skew_of(b, y, r->m);
    if ((status = solve(w, b, h, r))) return status;
    product(n, r->x, r->m, r->P); /* M - m = P - P^T + P x^T, P = x m */
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = i; j < n; j++) {
            double sum = 0;

            for (int64_t k = 0; k < n && i < j; k++) sum = fma(r->P[i * n + k], r->x[j * n + k], sum);
            D[i * n + j] = sum + (r->P[i * n + j] - r->P[j * n + i]), D[j * n + i] = -D[i * n + j];
        }
    if (b->matrix) return lbr_increment(n * n, y, e, D), LBR_OK;
    d[0] = D[7], d[1] = D[2], d[2] = D[3];
    lbr_increment(3, y, e, d);
    if (!b->top) return LBR_OK;
    for (int64_t i = 0; i < 3; i++) d[i] = fma(r->x[3 * i], y[3], fma(r->x[3 * i + 1], y[4], r->x[3 * i + 2] * y[5]));
    lbr_increment(3, y + 3, e ? e + 3 : NULL, d);
    return LBR_OK;
}

/* The torque is the rate of m where m is nothing. */
static lbr_status kick(lbr_work *w, const room *r, double t, double h, double *y, double *e)
{
    const lbr_bound *b = &w->setup->sys;

    if (h == 0) return LBR_OK;
    memset(r->y, 0, 3 * sizeof *r->y), memcpy(r->y + 3, y + 3, 3 * sizeof *r->y);
    lbr_bound_count(b, &w->head->stats, 1);
    if (b->field(t, r->y, r->f, b->ctx))
        return lbr_fail(&w->message, LBR_ECALLBACK, "the system's field reported a failure");
    for (int i = 0; i < 3; i++) r->f[i] *= h;
    lbr_increment(3, y, e, r->f);
    return LBR_OK;
}

/* --- what a body is ---------------------------------------------------------------------------------------------- */

static void cross(const double *a, const double *b, double *c)
{
    for (int k = 0; k < 3; k++) c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

/* The rates that a body with these alpha has at y, without its torque. */
static void rates(const body *b, const room *r, const double *y, double *f)
{
    int64_t n = b->n;
    double w[3];

    if (!b->matrix) {
        for (int k = 0; k < 3; k++) w[k] = y[k] / (b->alpha[(k + 1) % 3] + b->alpha[(k + 2) % 3]);
        cross(y, w, f);
        if (b->top) cross(y + 3, w, f + 3);
        return;
    }
    skew_of(b, y, r->m);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) r->s[i * n + j] = i == j ? 0 : r->m[i * n + j] / (b->alpha[i] + b->alpha[j]);
    product(n, r->m, r->s, r->P), product(n, r->s, r->m, r->x);
    for (int64_t i = 0; i < n * n; i++) f[i] = r->P[i] - r->x[i];
}

static lbr_status no_field(const lbr_setup *set, lbr_message *m)
{
    return lbr_fail(
        m, LBR_EUNFIT,
        "the field of system '%s' reported a failure where moser-veselov looks whether it is that of a rigid body",
        named(set));
}

/* How large the terms of the rates are, whatever cancels. */
static double terms(const body *b, int64_t dim, const double *y)
{
    double m = 0, all = 0, least = INFINITY;

    for (int64_t i = 0; i < dim; i++) all = fmax(all, fabs(y[i])), m = i < 3 || b->matrix ? fmax(m, fabs(y[i])) : m;
    for (int64_t i = 0; i < b->n; i++)
        for (int64_t j = 0; j < i; j++) least = fmin(least, b->alpha[i] + b->alpha[j]);
    return m * all / least;
}

/* Has the field at y this form? A torque along v would change m.v, which has no bracket that makes it. */
static lbr_status fits(const lbr_setup *set, const body *b, const room *r, double t, const double *y, double *want,
                       lbr_message *m)
{
    const lbr_bound *sys = &set->sys;
    int64_t n = sys->s.dim;
    double size = 0, torque[6] = { 0 }, along = 0;
    char name[64];

    rates(b, r, y, want);
    if (b->top) {
        double at[6] = { 0, 0, 0, y[3], y[4], y[5] };

        if (sys->field(t, at, torque, sys->ctx)) return no_field(set, m);
        for (int k = 0; k < 3; k++)
            want[k] += torque[k], along += torque[k] * y[3 + k], size = fmax(size, fabs(torque[k]) * fabs(y[3 + k]));
        if (!(fabs(along) <= 1e-10 * size))
            return lbr_fail(m, LBR_EUNFIT,
                            "the torque of system '%s' is not at right angles to v, as that of a potential is: "
                            "moser-veselov does not fit it; gauss:2 takes any field",
                            named(set));
    }
    if (sys->field(t, y, r->f, sys->ctx)) return no_field(set, m);
    size = terms(b, n, y);
    for (int64_t k = 0; k < 3; k++) size = fmax(size, fabs(torque[k]));
    for (int64_t i = 0; i < n; i++) {
        if (fabs(r->f[i] - want[i]) <= 1e-10 * size) continue;
        lbr_system_component(&sys->s, i, name, sizeof name);
        return lbr_fail(m, LBR_EUNFIT,
                        "moser-veselov is for rigid bodies, but the rate of %s is %.6g where that of a body with the "
                        "same moments of inertia is %.6g; gauss:2 takes any field",
                        name, r->f[i], want[i]);
    }
    return LBR_OK;
}

/* A matrix that is not skew is no momentum. */
static lbr_status skew(const lbr_setup *set, const body *b, const double *y, lbr_message *m)
{
    int64_t n = b->n;
    double size = 0;
    char name[64], other[64];

    for (int64_t i = 0; i < n * n && b->matrix; i++) size = fmax(size, fabs(y[i]));
    for (int64_t i = 0; i < n && b->matrix; i++)
        for (int64_t j = i; j < n; j++) {
            if (fabs(y[i * n + j] + y[j * n + i]) <= 1e-13 * size) continue;
            lbr_system_component(&set->sys.s, i * n + j, name, sizeof name),
                lbr_system_component(&set->sys.s, j * n + i, other, sizeof other);
            return lbr_fail(m, LBR_EARG, "the momentum of a rigid body is a skew matrix, but %s is %.6g and %s is %.6g",
                            name, y[i * n + j], other, y[j * n + i]);
        }
    return LBR_OK;
}

/* --- its moments of inertia -------------------------------------------------------------------------------------- */

/* The number of y, with a plus, that stands for the plane (i, j): element ij, or the axis at right angles. */
static void unit(const body *b, int64_t i, int64_t j, double *y)
{
    if (b->matrix) y[i * b->n + j] = 1, y[j * b->n + i] = -1;
    else y[3 - i - j] = 1;
}

/* alpha_i + alpha_j: 1/(2 H) at the unit momentum of that plane; of a top from v' = v x w, as its energy has more in
 * it. */
static lbr_status moment(const lbr_setup *set, const body *b, const room *r, int64_t i, int64_t j, double *out,
                         lbr_message *m)
{
    const lbr_bound *sys = &set->sys;
    void *ctx = NULL;
    lbr_fn H = lbr_bind_energy(sys, &ctx);
    int64_t k = 3 - i - j;
    double at, none;

    memset(r->y, 0, (size_t)sys->s.dim * sizeof *r->y);
    if (b->top) {
        r->y[k] = r->y[3 + (k + 1) % 3] = 1;
        if (sys->field(0, r->y, r->f, sys->ctx)) return no_field(set, m);
        *out = -1 / r->f[3 + (k + 2) % 3];
    } else {
        if (!H)
            return lbr_fail(m, LBR_EUNFIT,
                            "moser-veselov finds moments of inertia in the energy, but system '%s' gives neither "
                            "energy nor an invariant named H",
                            named(set));
        if (H(0, r->y, &none, ctx)) return no_field(set, m);
        unit(b, i, j, r->y);
        if (H(0, r->y, &at, ctx)) return no_field(set, m);
        *out = 1 / (2 * (at - none));
    }
    if (*out > 0 && *out < INFINITY) return LBR_OK;
    if (b->matrix)
        return lbr_fail(m, LBR_EUNFIT,
                        "moser-veselov is for rigid bodies, but in system '%s' alpha[%lld] + alpha[%lld], a moment of "
                        "inertia, is %.6g; it must be positive",
                        named(set), (long long)i + 1, (long long)j + 1, *out);
    return lbr_fail(
        m, LBR_EUNFIT,
        "moser-veselov is for rigid bodies, but moment of inertia %lld of system '%s' is %.6g; it must be positive",
        (long long)k + 1, named(set), *out);
}

/* alpha from the sums of three pairs; the other pairs have to agree. */
static lbr_status inertia(const lbr_setup *set, const body *b, const room *r, lbr_message *m)
{
    int64_t n = b->n;
    double sum, third, across;
    lbr_status status;

    for (int64_t i = 0; i < n; i++) {
        int64_t j = (i + 1) % n, k = (i + 2) % n;

        if ((status = moment(set, b, r, i, j, &sum, m)) || (status = moment(set, b, r, i, k, &third, m)) ||
            (status = moment(set, b, r, j, k, &across, m)))
            return status;
        b->alpha[i] = (sum + third - across) / 2;
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = i + 1; j < n; j++) {
            if ((status = moment(set, b, r, i, j, &sum, m))) return status;
            if (!(fabs(b->alpha[i] + b->alpha[j] - sum) <= 1e-10 * sum))
                return lbr_fail(m, LBR_EUNFIT,
                                "moser-veselov is for rigid bodies, whose moments of inertia are sums alpha_i + "
                                "alpha_j; that of (%lld, %lld) of system '%s' is %.6g, where the others make it %.6g",
                                (long long)i + 1, (long long)j + 1, named(set), sum, b->alpha[i] + b->alpha[j]);
        }
    return LBR_OK;
}

/* Numbers in (-1, 1) that are the same everywhere. */
static void anywhere(const body *b, int64_t dim, int k, double *y)
{
    uint32_t x = 12345u + (uint32_t)k;

    for (int64_t i = 0; i < dim; i++) x = 1664525u * x + 1013904223u, y[i] = (double)(x >> 8) * 0x1p-23 - 1;
    for (int64_t i = 0; i < b->n && b->matrix; i++)
        for (int64_t j = 0; j <= i; j++) y[i * b->n + j] = i == j ? 0 : -y[j * b->n + i];
}

static lbr_status known(const lbr_setup *set, const body *b, lbr_message *m)
{
    int64_t dim = set->sys.s.dim;
    double *own = lbr_arena_alloc(set->arena, 4 * b->n * b->n + 4 * dim, sizeof *own),
           *y = own + 4 * b->n * b->n + 2 * dim;
    lbr_status status;
    room r;

    if (!own) return lbr_fail(m, LBR_ENOMEM, "out of memory for the plan");
    r = room_of(b, dim, own);
    status = inertia(set, b, &r, m);
    for (int k = 0; k < POINTS && !status; k++) anywhere(b, dim, k, y), status = fits(set, b, &r, 0, y, y + dim, m);
    return status;
}

static lbr_status build(lbr_setup *set, lbr_atom *a, lbr_message *m)
{
    const lbr_system *s = &set->sys.s;
    const lbr_dd *kicks = a->data;
    int64_t n = 3;
    body *b;

    while (n * n < s->dim && n <= MOST) n++;
    if (!set->sys.field || s->nq || s->constraints || (s->dim != 3 && s->dim != 6 && (s->dim != n * n || n > MOST)))
        return lbr_fail(m, LBR_EUNFIT,
                        "moser-veselov is for reduced rigid bodies, given by a field: three numbers (y' = y x w), six "
                        "(m and v of a heavy top), or a skew n x n matrix, n from 3 to %d; system '%s' is none",
                        MOST, named(set));
    if (!(b = lbr_arena_alloc(set->arena, 1, sizeof *b)) ||
        !(b->alpha = lbr_arena_alloc(set->arena, n, sizeof *b->alpha)))
        return lbr_fail(m, LBR_ENOMEM, "out of memory for the plan");
    b->n = s->dim <= 6 ? 3 : n, b->top = s->dim == 6, b->matrix = s->dim > 6;
    for (int k = 0; k < 2; k++) b->kick[k] = kicks[a->adjoint ? 1 - k : k].hi;
    a->constants = b, a->own = 4 * b->n * b->n + 3 * s->dim;
    return known(set, b, m);
}

/* When a trajectory begins the field is looked at there, too: it may depend on t, or be something else elsewhere. */
static lbr_status apply(lbr_work *w, const lbr_atom *a, const double *slot, double *own, double t, double h, double *y,
                        double *e)
{
    const body *b = a->constants;
    int64_t dim = w->setup->sys.s.dim;
    room r = room_of(b, dim, own);
    lbr_status status = LBR_OK;

    (void)slot;
    if (!w->head->primed && !(status = skew(w->setup, b, y, &w->message)))
        status = fits(w->setup, b, &r, t, y, r.y + dim, &w->message);
    if (!status && b->top) status = kick(w, &r, t, b->kick[0] * h, y, e);
    if (!status) status = turn(w, b, &r, h, y, e);
    if (!status && b->top) status = kick(w, &r, t + h, b->kick[1] * h, y, e);
    return status;
}

static const lbr_atom_kind atom = { "Moser and Veselov's step", 0, build, NULL, apply, 0 };

/* --- what is true of it ------------------------------------------------------------------------------------------ */

/* The free step is symmetric and of order 2; with kicks b before and after it is a splitting. */
static lbr_status analyse(lbr_base *base, int adjoint, lbr_arena *arena, lbr_analysis *out, lbr_message *m)
{
    const lbr_dd *b = base->own;
    double one = fabs(dd_double(dd_sub(dd_add(b[0], b[1]), dd(1)))), even = fabs(dd_double(dd_sub(b[0], b[1])));

    (void)adjoint, (void)arena, (void)m;
    out->order = lbr_found_told(
        one > out->tolerance    ? 0
        : even > out->tolerance ? 1
                                : 2,
        "RATTLE, reduced: kicks around the free step, which is symmetric (McLachlan & Scovel 1994, 6.2)");
    out->order.residual = out->order.value == 2 ? fmax(one, even) : out->order.value ? one : 0;
    out->symmetric = lbr_found_small(even, out->tolerance, "the same kick before and after");
    out->symplectic = lbr_found_told(
        1, "a Poisson map for the bracket of so(n)* or se(3)* (McLachlan & Scovel 1994, Corollary 4)");
    return LBR_OK;
}

static lbr_status keeps_volume(const lbr_flat *f, int symplectic, lbr_arena *arena, lbr_finding *out, lbr_message *m)
{
    (void)f, (void)symplectic, (void)arena, (void)m;
    *out = lbr_found_told(LBR_VOLUME_ALWAYS,
                          "a Poisson map that keeps the Casimirs, on the duals of unimodular algebras");
    return LBR_OK;
}

/* --- the kind ---------------------------------------------------------------------------------------------------- */

LBR_LIST(half, "1/2", "1/2");
LBR_LIST(before, "1", "0");

#define ROW(name_, kicks, order_, symmetric_, about_)     \
    {                                                     \
        .m = {                                            \
            LBR_SIZED,                                    \
            .name = name_,                                \
            .family = "rigid body",                       \
            .form = "moser-veselov",                      \
            .source = "McLachlan & Scovel 1994, Sect. 6", \
            .about = about_,                              \
            .b = LBR_TEXTS(kicks),                        \
            .order = order_,                              \
            .symmetric = symmetric_,                      \
            .symplectic = 1,                              \
            .digits = 31                                  \
        }                                                 \
    }

static const lbr_row rows[] = {
    ROW("moser-veselov", half, 2, 1,
        "for reduced rigid bodies: free ones keep all their invariants, heavy tops the Casimirs"),
    ROW("moser-veselov-euler", before, 1, 0, "the whole kick before the free step; its adjoint has it after"), LBR_END
};

/* b: the torque's kick before the free step, and after it. */
static lbr_status flatten(lbr_flattening *c, const lbr_method *claims, const lbr_numbers *x, lbr_whole *out)
{
    if (x->s != 2)
        return lbr_fail(c->m, LBR_EMETHOD,
                        "table '%s': b has %lld entries; a rigid body is kicked twice, before and after its free step",
                        claims->name, (long long)x->s);
    return lbr_flatten_base(c, (lbr_base){ .kind = x->kind, .own = x->b, .claims = *claims }, &out->kernel);
}

static int same(const lbr_base *a, const lbr_base *b) { return !memcmp(a->own, b->own, 2 * sizeof(lbr_dd)); }

const lbr_kind lbr_kind_moser_veselov[] = { { .name = "moser-veselov",
                                              .rows = rows,
                                              .type = LBR_MAP,
                                              .list = "b",
                                              .read = lbr_read_steps,
                                              .flatten = flatten,
                                              .same = same,
                                              .needs = "reduced-body",
                                              .explicitness = "never",
                                              .atom = &atom,
                                              .analyse_one = analyse,
                                              .volume = keeps_volume },
                                            { .name = NULL } };
