/* test_side_by_side.c - many copies of one system side by side: each goes its own way, whatever their number.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Steppers have instances for few components and take many in blocks, with a rest; each copy begins elsewhere, so that
 * an index that is wrong by one, or a rest that is forgotten, is seen. Explicit steps give the same bits. Implicit ones
 * are iterated until the slowest copy is done, and agree to round-off. */
#include "support/tap.h"

#include "support/problems.h"

enum { MOST = 19, STEPS = 4 };

/* H = p^2/(2 m) + 1 - cos q - 0.3 q cos t, `copies` times; m is 1, or differs, or T = sqrt(1 + p^2). */
typedef enum { UNIFORM, MASSES, VELOCITY, FIELD, HALVES, GRADIENT, FORMS } form; /* HALVES: a field with a partition */
typedef struct many {
    int64_t n;
    const double *m;
    form f;
} many;

static double speed(const many *s, int64_t i, double p) { return s->f == VELOCITY ? p / sqrt(1 + p * p) : s->m[i] * p; }
static int force(double t, const double *q, double *out, void *ctx)
{
    for (int64_t i = 0; i < ((many *)ctx)->n; i++) out[i] = 0.3 * cos(t) - sin(q[i]);
    return 0;
}
static int velocity(double t, const double *p, double *out, void *ctx)
{
    (void)t;
    for (int64_t i = 0; i < ((many *)ctx)->n; i++) out[i] = speed(ctx, i, p[i]);
    return 0;
}
static int dHdq(double t, const double *y, double *out, void *ctx)
{
    force(t, y, out, ctx);
    for (int64_t i = 0; i < ((many *)ctx)->n; i++) out[i] = -out[i];
    return 0;
}
static int dHdp(double t, const double *y, double *out, void *ctx)
{
    return velocity(t, y + ((many *)ctx)->n, out, ctx);
}
static int field(double t, const double *y, double *out, void *ctx)
{
    int64_t n = ((many *)ctx)->n;

    return velocity(t, y + n, out, ctx) | force(t, y, out + n, ctx);
}

static lbr_system system_of(many *s)
{
    lbr_system x = LBR_SYSTEM(.name = "copies", .dim = 2 * s->n, .nq = s->n, .ctx = s);

    if (s->f == FIELD || s->f == HALVES) x.field = field, x.nq = s->f == FIELD ? 0 : s->n;
    else if (s->f == GRADIENT) x.dHdq = dHdq, x.dHdp = dHdp;
    else x.force = force;
    if (s->f == VELOCITY) x.velocity = velocity;
    if (s->f == UNIFORM || s->f == MASSES) x.inverse_mass = s->m;
    return x;
}

static int run(many *s, const char *method, const lbr_options *o, double *y)
{
    lbr_system x = system_of(s);
    lbr_plan *plan;
    double t;
    int bad = lbr_plan_create(&plan, method, &x, o) || lbr_start(plan, 0.25, 0.125, y) ||
              lbr_run(plan, STEPS, 0, NULL, NULL) || lbr_read(plan, &t, y);

    lbr_plan_free(plan);
    return bad;
}

static void begin(form f, int64_t i, double *m, double *q, double *p)
{
    *m = f == UNIFORM ? 1 : 1 / (1 + 0.25 * (double)i), *q = 0.9 - 0.17 * (double)i, *p = 0.2 + 0.11 * (double)i;
}

/* The largest distance of a copy from one that has only a stranger beside it (alone, its mass would be one with the
 * step); -1: a run failed. */
static double apart(form f, int64_t n, const char *method, const lbr_options *o)
{
    double m[MOST], y[2 * MOST], two[2], z[4], worst = 0;

    for (int64_t i = 0; i < n; i++) begin(f, i, &m[i], &y[i], &y[n + i]);
    if (run(&(many){ n, m, f }, method, o, y)) return -1;
    for (int64_t i = 0; i < n; i++) {
        begin(f, i, &two[0], &z[0], &z[2]), begin(f, MOST, &two[1], &z[1], &z[3]);
        if (run(&(many){ 2, two, f }, method, o, z)) return -1;
        worst = fmax(worst, fmax(fabs(z[0] - y[i]), fabs(z[2] - y[n + i])));
    }
    return worst;
}

/* What compensated sums, giving the same H in another form, and another name of the method change in a few steps:
 * round-off. */
static double changed(form f, const char *method, const char *other)
{
    double m[MOST], y[2][2 * MOST], worst = 0;

    for (int c = 1; c >= 0; c--) {
        lbr_options o;

        lbr_options_init(&o);
        o.compensated = c;
        if (c == 0 && f >= FIELD) f = MASSES; /* the same H */
        for (int64_t i = 0; i < MOST; i++) begin(f, i, &m[i], &y[c][i], &y[c][MOST + i]);
        if (run(&(many){ MOST, m, f }, c ? method : other, &o, y[c])) return INFINITY;
    }
    for (int i = 0; i < 2 * MOST; i++) worst = fmax(worst, fabs(y[1][i] - y[0][i]));
    return worst;
}

int main(void)
{
    enum {
        ON_ALL = (1 << FORMS) - 1,
        ON_PAIRS = ON_ALL - (1 << FIELD),
        ON_PARTS = ON_PAIRS - (1 << GRADIENT) - (1 << HALVES),
        ON_SECOND = (1 << UNIFORM) + (1 << MASSES)
    };
    static const struct {
        const char *method;
        int forms, implicit;
    } row[] = {
        { "rk4", ON_ALL, 0 },
        { "kutta-38", ON_ALL, 0 },
        { "explicit-euler", ON_ALL, 0 },
        { "stormer-verlet", ON_PARTS, 0 },
        { "kahan-li-6-9", ON_PARTS, 0 },
        { "symplectic-euler", ON_PAIRS, 1 },
        { "symplectic-euler-b", ON_PAIRS, 1 },
        { "hager(rk4)", ON_PARTS, 0 },
        { "pair(explicit-euler, implicit-euler)", ON_PARTS, 0 },
        { "nystrom-5", ON_SECOND, 0 },
        { "verlet-nystrom", ON_SECOND, 0 },
        { "nystrom-4-general", ON_SECOND, 0 },
        { "gauss:1", ON_ALL, 1 },
        { "gauss:3", ON_ALL, 1 },
        { "lobatto-3a:3", ON_ALL, 1 },
        { "lobatto-3a-3b:3", ON_PAIRS, 1 },
        { "radau-2a:2", ON_ALL, 1 },
        { "gauss-nystrom:2", ON_SECOND, 1 },
        { "nystrom(lobatto-3a:3)", ON_SECOND, 1 },
        { "compose(triple-jump:4, midpoint)", ON_ALL, 1 },
        { "compose(triple-jump:4, gauss-nystrom:2)", ON_SECOND, 1 },
        { "compose(lie-trotter, nystrom-5)", ON_SECOND, 0 },
        { "generating-s1:1", ON_PAIRS - (1 << HALVES), 1 },
        { "adjoint(generating-s1:1)", ON_PAIRS - (1 << HALVES), 1 },
    };
    static const char *const names[FORMS] = { "masses 1", "masses", "velocity", "field", "field with partition",
                                              "gradient" };
    static const int64_t sizes[] = { 1, 3, 4, 5, 6, 7, 8, 9, 11, 16, 17, MOST };

    for (int r = 0; r < (int)(sizeof row / sizeof *row); r++)
        for (int f = 0; f < FORMS; f++) {
            if (row[r].forms >> f & 1) near(changed((form)f, row[r].method, row[r].method), 0, 1e-14, row[r].method);
            for (int c = 0; c < (row[r].implicit ? 3 : 2) && row[r].forms >> f & 1; c++) {
                lbr_options o;
                double worst = 0, one;
                int64_t at = 0;

                lbr_options_init(&o);
                o.compensated = c == 1, o.solver = c == 2 ? 2 : 0; /* 2: Newton */
                for (int s = f == MASSES; s < (int)(sizeof sizes / sizeof *sizes); s++)
                    if ((one = apart((form)f, sizes[s], row[r].method, &o)) > worst || one < 0)
                        worst = one < 0 ? INFINITY : one, at = sizes[s];
                ok(worst <= (row[r].implicit ? 1e-14 : 0), "%s, %s%s: copies go their own ways (%.2g%s%.0d)",
                   row[r].method, names[f],
                   c == 1 ? ", compensated"
                   : c    ? ", Newton"
                          : "",
                   worst, at ? " for n = " : "", (int)at);
            }
        }
    for (int f = 0; f < FORMS; f++)
        if (f != FIELD && f != HALVES)
            near(changed((form)f, "symplectic-euler", "generating-s1:1"), 0, 1e-14,
                 "the first generating function makes symplectic Euler");
    return tap_done();
}
