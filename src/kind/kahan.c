/* kahan.c - Kahan's method for fields that are quadratic in y: one linear system in each step.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Each product y_i y_j becomes (y_i Y_j + Y_i y_j)/2, what is linear the mean of before and after (HLW V.6.3). With the
 * field's matrix
 *
 *     (I - h/2 f'(y)) (Y - y) = h f(y),
 *
 * which for a quadratic f is also Y = y + h (2 f((y + Y)/2) - f(y)/2 - f(Y)/2): symmetric. The time is taken in the
 * middle, where f has it. A central difference of a quadratic field is its derivative, however large the increment:
 * only rounding is lost. */
#include "plan/kind.h"
#include "series/analyse.h"
#include "core/lu.h"

#include <string.h>

enum { MOST = 20000 }; /* rows of the dense matrix */

typedef struct room {
    double *f, *x, *g, *d, *J, *M;
    int64_t *pivot;
} room;

static room room_of(int64_t n, double *own)
{
    return (room){
        own, own + n, own + 2 * n, own + 3 * n, own + 4 * n, own + (4 + n) * n, (int64_t *)(own + (4 + 2 * n) * n)
    };
}

static lbr_status build(lbr_setup *set, lbr_atom *a, lbr_message *m)
{
    const lbr_system *s = &set->sys.s;

    if (!set->sys.field)
        return lbr_fail(m, LBR_EUNFIT, "kahan needs the whole vector field, but system '%s' %s",
                        s->name ? s->name : "without a name", lbr_bound_lacks(&set->sys));
    if (s->dim > MOST)
        return lbr_fail(m, LBR_EUNFIT, "kahan would need a dense matrix with %lld rows; the limit is %d",
                        (long long)s->dim, MOST);
    a->own = (5 + 2 * s->dim) * s->dim;
    return LBR_OK;
}

static int field(lbr_work *w, double t, const double *y, double *out)
{
    const lbr_bound *b = &w->setup->sys;

    lbr_bound_count(b, &w->head->stats, 1);
    return b->field(t, y, out, b->ctx);
}

/* What may be added to component c of y: as much as there is, if there is anything. */
static double size_of(int64_t n, const double *y, int64_t c)
{
    double most = fabs(y[c]);

    for (int64_t i = 0; i < n && y[c] == 0; i++) most = fmax(most, fabs(y[i]));
    return most > 0 ? most : 1;
}

/* Column c of f'(y) into `out`. */
static int column(lbr_work *w, room r, double t, const double *y, int64_t c, int user, double *out)
{
    const lbr_system *s = &w->setup->sys.s;
    int64_t n = s->dim;
    double d = size_of(n, y, c), from = y[c] - d, to = y[c] + d;

    if (user) {
        memset(r.x, 0, (size_t)n * sizeof *r.x);
        r.x[c] = 1;
        return s->field_jvp(t, y, r.x, out, s->ctx);
    }
    memcpy(r.x, y, (size_t)n * sizeof *r.x);
    if (r.x[c] = to, field(w, t, r.x, out)) return 1;
    if (r.x[c] = from, field(w, t, r.x, r.g)) return 1;
    for (int64_t i = 0; i < n; i++) out[i] = (out[i] - r.g[i]) / (to - from);
    return 0;
}

/* Third differences of a quadratic field are nothing. Asked once, when a trajectory begins; where the field fails,
 * nothing is held against it. */
static lbr_status check(lbr_work *w, room r, double t, const double *y)
{
    static const double factor[] = { -3, 3, -1 }; /* of 2 u, u and nothing beside 3 u */
    const lbr_system *s = &w->setup->sys.s;
    int64_t n = s->dim;
    char name[64];

    for (int64_t i = 0; i < n; i++) r.d[i] = r.J[i] = 0;
    for (int k = 0; k < 4; k++) {
        for (int64_t i = 0; i < n; i++)
            r.x[i] = y[i] + (3 - k) * (i % 2 ? -0.125 : 0.125) * (1 + (double)(i % 5) / 8) * size_of(n, y, i);
        if (field(w, t, r.x, r.g)) return LBR_OK;
        for (int64_t i = 0; i < n; i++) r.d[i] += (k ? factor[k - 1] : 1) * r.g[i], r.J[i] += fabs(r.g[i]);
    }
    for (int64_t i = 0; i < n; i++) {
        if (!(fabs(r.d[i]) > 1e-11 * r.J[i])) continue;
        lbr_system_component(s, i, name, sizeof name);
        return lbr_fail(&w->message, LBR_EUNFIT,
                        "kahan is for fields that are quadratic in y, but the third difference of the rate of %s is "
                        "%.6g; midpoint and trapezoidal take any field",
                        name, r.d[i]);
    }
    return LBR_OK;
}

static lbr_status apply(lbr_work *w, const lbr_atom *a, const double *slot, double *own, double t, double h, double *y,
                        double *e)
{
    const lbr_bound *b = &w->setup->sys;
    int64_t n = b->s.dim, singular;
    room r = room_of(n, own);
    double middle = t + h / 2;
    int user = b->s.field_jvp && w->setup->jacobian != LBR_JACOBIAN_DIFFERENCES, bad;
    lbr_status status = w->head->primed ? LBR_OK : check(w, r, middle, y);

    (void)a, (void)slot;
    if (status) return status;
    bad = field(w, middle, y, r.f);
    for (int64_t c = 0; c < n && !bad; c++) bad = column(w, r, middle, y, c, user, r.J + c * n);
    w->head->stats.jacobian++;
    if (bad)
        return lbr_fail(&w->message, LBR_ECALLBACK, "the system's field%s reported a failure",
                        user ? " or field_jvp" : "");
    for (int64_t i = 0; i < n; i++) {
        r.d[i] = h * r.f[i];
        for (int64_t c = 0; c < n; c++) r.M[i * n + c] = (i == c) - h / 2 * r.J[c * n + i];
    }
    if ((singular = lbr_lu_factor(n, r.M, r.pivot)))
        return lbr_fail(
            &w->message, LBR_ENOCONV,
            "the matrix I - h/2 f'(y) of Kahan's method is singular (column %lld of %lld); try another step",
            (long long)singular, (long long)n);
    lbr_lu_solve(n, r.M, r.pivot, r.d);
    lbr_increment(n, y, e, r.d);
    return LBR_OK;
}

static const lbr_atom_kind atom = { "Kahan's step", 0, build, NULL, apply, 0 };

/* --- what is true of it ------------------------------------------------------------------------------------------ */

/* Where f is quadratic, 2 f((y + Y)/2) - f(y)/2 - f(Y)/2 is what Kahan makes of it: then it is this Runge-Kutta method.
 */
static lbr_status analyse(lbr_base *b, int adjoint, lbr_arena *arena, lbr_analysis *out, lbr_message *m)
{
    static const lbr_dd A[] = { { 0, 0 },     { 0, 0 },    { 0, 0 }, { -0.25, 0 }, { 1, 0 },
                                { -0.25, 0 }, { -0.5, 0 }, { 2, 0 }, { -0.5, 0 } };
    static const lbr_dd c[] = { { 0, 0 }, { 0.5, 0 }, { 1, 0 } };
    const lbr_tableau same = { 3, 0, A, A + 6, c };
    lbr_finding none = out->is_explicit;
    lbr_status status = lbr_analyse_tableau(&same, arena, out, m);

    (void)b, (void)adjoint;
    out->is_explicit = out->conjugate =
        none; /* a system is solved; what holds for all fields is less than what holds for these */
    return status;
}

/* --- the kind ---------------------------------------------------------------------------------------------------- */

LBR_LIST(one, "1");

static const lbr_row rows[] = { { .m = { LBR_SIZED, .name = "kahan", .family = "linearly implicit", .form = "kahan",
                                         .source = "HLW V.6.3 (Kahan 1993)",
                                         .about = "for quadratic fields: one linear system per step",
                                         .b = LBR_TEXTS(one), .order = 2, .symmetric = 1, .digits = 31 } },
                                LBR_END };

/* b lists steps of his map, which is its own adjoint. */
const lbr_kind lbr_kind_kahan[] = { { .name = "kahan",
                                      .rows = rows,
                                      .type = LBR_MAP,
                                      .list = "gamma",
                                      .read = lbr_read_steps,
                                      .needs = "field quadratic",
                                      .explicitness = "never",
                                      .atom = &atom,
                                      .analyse_one = analyse },
                                    { .name = NULL } };
