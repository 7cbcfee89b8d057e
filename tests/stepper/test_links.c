/* test_links.c - RATTLE on many links through callbacks: coordinates taken together or one by one, in any order, in
 * slices. SPDX-License-Identifier: BSD-3-Clause
 *
 * A coordinate that nobody uses before all others moves the points away from where they could be taken together, and
 * must change no bit. */
#include "plan/plan_inside.h"
#include "stepper/multipliers.h"
#include "support/tap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINKS = 200, MOST = 3 * LINKS + 1, STEPS = 40 };

/* A chain that hangs from the origin, its links listed in an order of their own; `bad`: that one is NaN from the tenth
 * look on. */
typedef struct links {
    int n, d, pad, bad, looks;
    int which[LINKS];
    int64_t row[LINKS + 1], col[6 * LINKS];
    double mass[MOST], y[2 * MOST];
    lbr_constraints c;
} links;

static double at(const links *x, const double *q, int point, int k)
{
    return point < 0 ? 0 : q[x->pad + x->d * point + k];
}

static int force(double t, const double *q, double *f, void *ctx)
{
    const links *x = ctx;

    (void)t;
    for (int j = 0; j < x->pad; j++) f[j] = 0;
    for (int j = 0; j < x->n * x->d; j++) f[x->pad + j] = j % x->d ? -1 : -0.1 * q[x->pad + j];
    return 0;
}

static int g(double t, const double *q, double *r, void *ctx)
{
    links *x = ctx;

    (void)t;
    for (int i = 0; i < x->n; i++) {
        r[i] = -0.01;
        for (int k = 0; k < x->d; k++) {
            double u = at(x, q, x->which[i], k) - at(x, q, x->which[i] - 1, k);
            r[i] += u * u;
        }
    }
    if (x->bad >= 0 && ++x->looks >= 10) r[x->bad] = NAN;
    return 0;
}

static int G(double t, const double *q, double *out, void *ctx)
{
    const links *x = ctx;

    (void)t;
    for (int i = 0; i < x->n; i++, out += x->d) {
        for (int k = 0; k < x->d && x->which[i]; k++)
            out[k] = -2 * (at(x, q, x->which[i], k) - at(x, q, x->which[i] - 1, k));
        if (x->which[i]) out += x->d;
        for (int k = 0; k < x->d; k++) out[k] = 2 * (at(x, q, x->which[i], k) - at(x, q, x->which[i] - 1, k));
    }
    return 0;
}

/* Link number i is the one between points i*step mod n and the one before. */
static void build(links *x, int n, int d, int pad, int step, int even)
{
    int nq = n * d + pad, e = 0;

    memset(x, 0, sizeof *x), x->n = n, x->d = d, x->pad = pad, x->bad = -1;
    for (int i = 0; i < n; i++) {
        int point = x->which[i] = (int)((int64_t)i * step % n);

        for (int k = point ? -d : 0; k < d; k++) x->col[e++] = pad + d * point + k;
        x->row[i + 1] = e;
    }
    for (int j = 0; j < nq; j++) x->mass[j] = even || j < pad ? 1 : 1 + 0.5 * sin(j - pad);
    for (int i = 0; i < n; i++) x->y[pad + d * i] = 0.1 * (i + 1);
    x->c = (lbr_constraints){ .size = sizeof x->c, .m = n, .g = g, .G = G, .nnz = e, .row = x->row, .col = x->col };
}

/* The state after some steps, without the pad; how many coordinates are taken together, 0: it failed. */
static int after(links *x, const char *method, int compensated, double *y)
{
    int nq = x->n * x->d + x->pad, together;
    static double z[2 * MOST];
    lbr_system s = LBR_SYSTEM(.name = "links", .ctx = x, .dim = 2 * nq, .nq = nq, .force = force,
                              .inverse_mass = x->mass, .constraints = &x->c);
    lbr_options options;
    lbr_plan *plan;
    lbr_status status;

    lbr_options_init(&options), options.compensated = compensated;
    status = lbr_plan_create(&plan, method, &s, &options);
    if (status || (status = lbr_start(plan, 0, 1e-3, x->y)) || (status = lbr_run(plan, STEPS, 0, NULL, NULL)))
        printf("# %s\n", lbr_plan_message(plan));
    if (!status)
        lbr_read(plan, NULL, z), memcpy(y, z + x->pad, (size_t)(nq - x->pad) * sizeof *y),
            memcpy(y + nq - x->pad, z + nq + x->pad, (size_t)(nq - x->pad) * sizeof *y);
    together = status ? 0 : (int)plan->setup.multipliers->together;
    lbr_plan_free(plan);
    return together;
}

static double apart(const double *a, const double *b, int n)
{
    double most = 0;

    for (int i = 0; i < n; i++)
        if (!(fabs(a[i] - b[i]) <= most)) most = fabs(a[i] - b[i]);
    return most;
}

static const struct {
    int n, d, step, even, compensated;
    const char *method, *what;
} rows[] = {
    { 5, 3, 1, 1, 0, "rattle", "five links" },
    { LINKS, 3, 1, 1, 0, "rattle", "200 links" },
    { LINKS, 3, 1, 0, 1, "rattle", "200 links, masses, compensated" },
    { LINKS, 3, 71, 1, 0, "rattle", "links in any order" },
    { LINKS, 3, 71, 0, 0, "compose(suzuki:4, rattle)", "links in any order, masses, a composition" },
    { LINKS, 2, 1, 0, 0, "rattle", "in the plane, masses" },
    { LINKS, 2, 199, 1, 1, "rattle", "in the plane, backwards, compensated" },
};

int main(void)
{
    static links x;
    static double a[2 * MOST], b[2 * MOST], start[2 * MOST];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int n = 2 * rows[i].n * rows[i].d, together, alone;

        build(&x, rows[i].n, rows[i].d, 0, rows[i].step, rows[i].even), memcpy(start, x.y, sizeof start);
        together = after(&x, rows[i].method, rows[i].compensated, a);
        build(&x, rows[i].n, rows[i].d, 1, rows[i].step, rows[i].even),
            alone = after(&x, rows[i].method, rows[i].compensated, b);
        ok(together == rows[i].d && alone == 1 && !memcmp(a, b, (size_t)n * sizeof *a) && apart(a, start, n) > 1e-3,
           "%s: %d coordinates together have the bits of one by one", rows[i].what, rows[i].d);
        build(&x, rows[i].n, rows[i].d, 0, 1, rows[i].even);
        ok(after(&x, rows[i].method, rows[i].compensated, b) && apart(a, b, n) < 1e-9,
           "and differ from those in order by rounding: %.1e", apart(a, b, n));
    }
    for (int bad = 0; bad < LINKS; bad += 199) {
        build(&x, LINKS, 3, 0, 1, 1), x.bad = bad;
        ok(!after(&x, "rattle", 0, a), "a constraint that is not a number is noticed, be it the first or the last");
    }
    return tap_done();
}
