/* two_step.c - Stormer's two-step formula: positions only. SPDX-License-Identifier: BSD-3-Clause
 *
 *     q_{n+1} = 2 q_n - q_{n-1} + h^2 m f(t_n, q_n),    p_n = (q_{n+1} - q_{n-1})/(2 h m)           (HLW I.1.15)
 *     q_1 = q_0 + h m p_0 + h^2/2 m f(t_0, q_0)
 *
 * is Stormer-Verlet without its momenta: the same positions, but rounded to the size of q and not of the increments in
 * every step (HLW I, exercise 8). State: q_{n-1}, q_n and, where sums are compensated, the low parts of both; before
 * the first step q, p. Looking takes a force. */
#include "plan/kind.h"
#include "series/analyse.h"

#include <string.h>

static const lbr_atom_kind atom;

/* Two rows of positions: e, their low parts, or NULL. */
typedef struct rows {
    double *last, *now, *e_last, *e_now;
} rows;

static rows rows_of(int64_t nq, double *v, int compensated)
{
    return (rows){ v, v + nq, compensated ? v + 2 * nq : NULL, compensated ? v + 3 * nq : NULL };
}

static int force(lbr_work *w, double t, const double *q, double *f)
{
    const lbr_system *s = &w->setup->sys.s;

    w->head->stats.force++;
    return s->force(t, q, f, s->ctx);
}

/* q_0 and p_0 become q_0 and q_1. */
static void first(const lbr_system *s, rows r, double h, const double *f)
{
    for (int64_t i = 0; i < s->nq; i++) {
        double d = h * s->inverse_mass[i] * fma(h / 2, f[i], r.now[i]);

        r.now[i] = r.last[i];
        if (r.e_now) r.e_now[i] = r.e_last[i], lbr_compensate(&r.now[i], &r.e_now[i], d);
        else r.now[i] += d;
    }
}

/* q_{n+1}, and what it has lost. */
static double next(const rows *r, int64_t i, double a, double *e)
{
    double q = r->now[i];

    *e = 0;
    if (!r->e_now) return 2 * q - r->last[i] + a;
    *e = r->e_now[i];
    lbr_compensate(&q, e, ((r->now[i] - r->last[i]) + (r->e_now[i] - r->e_last[i])) + a);
    return q;
}

static void advance_rows(const lbr_system *s, rows r, double h, const double *f)
{
    for (int64_t i = 0; i < s->nq; i++) {
        double e, q = next(&r, i, h * h * s->inverse_mass[i] * f[i], &e);

        r.last[i] = r.now[i], r.now[i] = q;
        if (r.e_now) r.e_last[i] = r.e_now[i], r.e_now[i] = e;
    }
}

static void momenta(const lbr_system *s, const rows *r, double h, const double *f, double *p)
{
    for (int64_t i = 0; i < s->nq; i++) {
        double e, q = next(r, i, h * h * s->inverse_mass[i] * f[i], &e);

        p[i] = ((q - r->last[i]) + (r->e_now ? e - r->e_last[i] : 0)) / (2 * h * s->inverse_mass[i]);
    }
}

static lbr_status failed(lbr_work *w)
{
    return lbr_fail(&w->message, LBR_ECALLBACK, "the system's force reported a failure");
}

/* --- alone ------------------------------------------------------------------------------------------------------- */

static int takes(const lbr_setup *set)
{
    const lbr_term *t = set->kernel.term;

    return set->pre.n == 0 && set->post.n == 0 && set->kernel.n == 1 && set->atom[t->atom].kind == &atom &&
           t->c.hi == 1 && t->c.lo == 0;
}

static lbr_status build(lbr_setup *set, lbr_message *m)
{
    (void)m;
    set->nstate = set->sys.s.dim * (set->compensated ? 2 : 1);
    set->nscratch = set->sys.s.nq;
    set->instance = "functions of the system";
    return LBR_OK;
}

static void prepare(lbr_work *w) { (void)w; }

static void start(lbr_work *w, const double *y) { memcpy(w->v, y, (size_t)w->setup->sys.s.dim * sizeof *y); }

static lbr_status advance(lbr_work *w, int64_t n)
{
    const lbr_system *s = &w->setup->sys.s;
    rows r = rows_of(s->nq, w->v, w->setup->compensated);
    double *f = w->scratch;

    for (int64_t k = w->head->n, end = k + n; k < end; k++) {
        if (force(w, lbr_time(w->head, k), w->head->primed ? r.now : r.last, f)) return failed(w);
        if (w->head->primed) advance_rows(s, r, w->head->h, f);
        else first(s, r, w->head->h, f);
        w->head->primed = 1;
    }
    return LBR_OK;
}

static lbr_status read_out(lbr_work *w, double *y)
{
    const lbr_system *s = &w->setup->sys.s;
    rows r = rows_of(s->nq, w->v, w->setup->compensated);

    memcpy(y, w->v, (size_t)s->dim * sizeof *y);
    if (!w->head->primed) return LBR_OK;
    if (force(w, lbr_time(w->head, w->head->n), r.now, w->scratch)) return failed(w);
    memcpy(y, r.now, (size_t)s->nq * sizeof *y);
    momenta(s, &r, w->head->h, w->scratch, y + s->nq);
    return LBR_OK;
}

static const lbr_stepper stepper = {
    .name = "two_step",
    .layout = 1,
    .takes = takes,
    .build = build,
    .prepare = prepare,
    .start = start,
    .advance = advance,
    .read = read_out,
};

/* --- as a step of something larger: begin, step, read ------------------------------------------------------------ */

static lbr_status build_atom(lbr_setup *set, lbr_atom *a, lbr_message *m)
{
    const lbr_system *s = &set->sys.s;

    if (s->nq < 1 || !s->force || !s->inverse_mass)
        return lbr_fail(m, LBR_EUNFIT,
                        "stormer-two-step is for q'' = f(t, q): it needs force and inverse_mass, but system '%s' does "
                        "not give them; stormer-verlet takes any H",
                        s->name ? s->name : "without a name");
    a->own = 5 * s->nq;
    return LBR_OK;
}

static lbr_status apply(lbr_work *w, const lbr_atom *a, const double *slot, double *own, double t, double h, double *y,
                        double *e)
{
    const lbr_system *s = &w->setup->sys.s;
    int64_t nq = s->nq;
    rows r = rows_of(nq, own, e != NULL);
    double *f = own + 4 * nq;

    (void)a, (void)slot;
    memcpy(own, y, (size_t)s->dim * sizeof *y);
    if (e) memcpy(r.e_last, e, (size_t)nq * sizeof *e);
    if (force(w, t, r.last, f)) return failed(w);
    first(s, r, h, f);
    if (force(w, t + h, r.now, f)) return failed(w);
    memcpy(y, r.now, (size_t)nq * sizeof *y);
    momenta(s, &r, h, f, y + nq);
    for (int64_t i = 0; e && i < nq; i++) e[i] = r.e_now[i], e[nq + i] = 0;
    return LBR_OK;
}

static const lbr_atom_kind atom = { "two-step", 0, build_atom, NULL, apply, 0 };

/* --- the kind ---------------------------------------------------------------------------------------------------- */

/* Between p_n = (q_{n+1} - q_{n-1})/2h it is kick, drift, kick (HLW I.1.17). */
static lbr_status analyse(lbr_base *b, int adjoint, lbr_arena *arena, lbr_analysis *out, lbr_message *m)
{
    static const lbr_dd c[] = { { 0.5, 0 }, { 1, 0 }, { 0.5, 0 } };
    static const unsigned char kick[] = { 1, 0, 1 };
    lbr_order o;

    (void)b, (void)adjoint, (void)arena;
    if (lbr_trees_splitting(3, c, kick, 1, 4, out->tolerance, &o))
        return lbr_fail(m, LBR_ENOMEM, "out of memory while certifying");
    out->order = out->quadratic = lbr_found_order(&o, "trees");
    out->symmetric = lbr_found_small(lbr_palindrome_residual(3, c, kick), out->tolerance,
                                     "q_{n+1} and q_{n-1} have the same part in it; kick, drift, kick");
    out->symplectic = lbr_found_told(1, "with p_n = (q_{n+1} - q_{n-1})/2h it is kick, drift, kick (HLW I.1.17)");
    return LBR_OK;
}

LBR_LIST(one, "1");

static const lbr_row list[] = {
    { .m = { LBR_SIZED, .name = "stormer-two-step", .family = "partitioned", .form = "two-step", .source = "HLW I.1.15",
             .about = "positions only: for the study of round-off", .b = LBR_TEXTS(one), .order = 2, .symmetric = 1,
             .symplectic = 1, .digits = 31, .aliases = "verlet-two-step" } },
    LBR_END
};

/* b lists steps of the formula. */
const lbr_kind lbr_kind_two_step[] = { { .name = "two-step",
                                         .rows = list,
                                         .stepper = &stepper,
                                         .type = LBR_MAP,
                                         .list = "gamma",
                                         .read = lbr_read_steps,
                                         .needs = "quadratic-kinetic",
                                         .explicitness = "always",
                                         .atom = &atom,
                                         .analyse_one = analyse },
                                       { .name = NULL } };
