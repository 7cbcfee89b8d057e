/* test_chains.c - chains of links, short and long: what grows with them, where they fail, and where there are too many.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support/manifolds.h"
#include "support/share.h"

#include <sys/resource.h>

/* A chain that is long enough for anything that grows with the square of its links, or adds up too much, to show. */
static void long_chain(void)
{
    modelled x;
    double y[6000];

    if (!ok(open_text(&x, "use chain: n = 1000, l = 1\n"), "a chain of 1000 links")) return;
    memcpy(y, x.m->y0, sizeof y);
    ok(!run(x.s, "rattle", NULL, 1e-3, 3, y), "runs");
    near(hypot(y[2997], hypot(y[2998], y[2999])), 1000, 1e-6, "and is still stretched out");
    close_model(&x);
}

/* Forces that end at t = 0.5: everything that is saved is what it was before the step that failed, to the bit, for
 * chains of all small sizes; in one call as step by step. */
static void failing(const char *method)
{
    for (int n = 1; n <= 8; n++) {
        char text[400];
        const void *one, *two;
        size_t size[2] = { 0 };
        lbr_plan *plan[2] = { NULL, NULL };
        modelled x;
        int good;

        snprintf(text, sizeof text,
                 "param n = %d\n"
                 "canonical q[n,3], p[n,3]\n"
                 "H = sq(p)/2 + sum(i = 1..n, q[i,3]) + sqrt(0.505 - t)*q[1,1]/100\n"
                 "constraint hook = sq(q[1]) - 1, link[i = 2..n] = sq(q[i] - q[i-1]) - 1\n"
                 "start q[i = 1..n] = [i, 0, 0], p[i = 1..n] = [0, i/10, 0]\n",
                 n);
        if (!ok(open_text(&x, text), "a chain of %d", n)) continue;
        good = !lbr_plan_create(&plan[0], method, x.s, NULL) && !lbr_plan_create(&plan[1], method, x.s, NULL) &&
               !lbr_start(plan[0], 0, 0.01, x.m->y0) && !lbr_start(plan[1], 0, 0.01, x.m->y0);
        while (good && !lbr_run(plan[0], 1, 0, NULL, NULL))
            good = lbr_state_count(lbr_plan_state(plan[0])) <= 51; /* some ask for the force at the end of a step */
        good = good && lbr_run(plan[1], 100, 0, NULL, NULL) && lbr_state_count(lbr_plan_state(plan[1])) >= 50;
        one = good ? lbr_state_bytes(lbr_plan_state(plan[0]), &size[0]) : NULL,
        two = good ? lbr_state_bytes(lbr_plan_state(plan[1]), &size[1]) : NULL;
        ok(one && two && size[0] == size[1] && !memcmp(one, two, size[0]),
           "%s, %d links: a force that is no number, and the state before it: %.60s", method, n,
           plan[1] ? lbr_plan_message(plan[1]) : "");
        lbr_plan_free(plan[0]), lbr_plan_free(plan[1]), close_model(&x);
    }
}

/* What is done in slices of constraints does not depend on how many there are: where a system does not say that it has
 * masses, there are none. A particle that no constraint knows, before the chain or behind it, falls. */
static int64_t moving;
static int same_as_momentum(double t, const double *p, double *v, void *ctx)
{
    return (void)t, (void)ctx, memcpy(v, p, (size_t)moving * sizeof *v), 0;
}

static void slices(void)
{
    static const int sizes[] = { 62, 63, 64, 65, 66, 127, 128, 129, 200 };

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int first = 0; first < 2; first++) {
            char text[500];
            double y[6 * 201], z[6 * 201], off = INFINITY, fallen = INFINITY;
            int n = sizes[i], at = first ? 0 : 3 * n;
            modelled x;

            snprintf(text, sizeof text,
                     "param n = %d\n"
                     "canonical %s, %s\n"
                     "H = (sq(p) + sq(v))/2 + sum(i = 1..n, q[i,3]) + u[3]\n"
                     "constraint hook = sq(q[1]) - 1, link[i = 2..n] = sq(q[i] - q[i-1]) - 1\n"
                     "start q[i = 1..n] = [i, 0, 0], p[i = 1..n] = [0, i/100, 0]\n",
                     n, first ? "u[3], v[3]" : "q[n,3], p[n,3]", first ? "q[n,3], p[n,3]" : "u[3], v[3]");
            if (ok(open_text(&x, text), "a chain of %d and a particle", n)) {
                lbr_system plain = *x.s;

                moving = x.m->nq, plain.inverse_mass = NULL, plain.velocity = same_as_momentum;
                memcpy(y, x.m->y0, (size_t)x.m->dim * sizeof *y), memcpy(z, y, (size_t)x.m->dim * sizeof *z);
                if (!run(x.s, "rattle", NULL, 0.01, 10, y) && !run(&plain, "rattle", NULL, 0.01, 10, z))
                    off = distance(x.m->dim, y, z), fallen = fabs(y[at + 2] + 0.005);
            }
            ok(off < 1e-11 && fallen < 1e-15,
               "%d links: %.1e from steps without slices, a particle %s them falls: %.1e", n, off,
               first ? "before" : "behind", fallen);
            close_model(&x);
        }
}

/* Pendulums that know nothing of each other, and a G that says so in n x 2n numbers, of which all but 2n are zero: each
 * moves like one alone, to rounding. */
typedef struct crowd {
    int64_t n;
} crowd;

static int crowd_force(double t, const double *q, double *f, void *ctx)
{
    (void)t, (void)q;
    for (int64_t i = 0; i < ((crowd *)ctx)->n; i++) f[2 * i] = 0, f[2 * i + 1] = -1;
    return 0;
}

static int crowd_g(double t, const double *q, double *g, void *ctx)
{
    (void)t;
    for (int64_t i = 0; i < ((crowd *)ctx)->n; i++) g[i] = q[2 * i] * q[2 * i] + q[2 * i + 1] * q[2 * i + 1] - 1;
    return 0;
}

static int crowd_G(double t, const double *q, double *G, void *ctx)
{
    int64_t n = ((crowd *)ctx)->n;

    (void)t;
    memset(G, 0, (size_t)(2 * n * n) * sizeof *G);
    for (int64_t i = 0; i < n; i++) G[2 * n * i + 2 * i] = 2 * q[2 * i], G[2 * n * i + 2 * i + 1] = 2 * q[2 * i + 1];
    return 0;
}

static int crowd_sparse_G(double t, const double *q, double *G, void *ctx)
{
    (void)t;
    for (int64_t i = 0; i < 2 * ((crowd *)ctx)->n; i++) G[i] = 2 * q[i];
    return 0;
}

static int crowd_velocity(double t, const double *p, double *v, void *ctx)
{
    return (void)t, memcpy(v, p, (size_t)(2 * ((crowd *)ctx)->n) * sizeof *v), 0;
}

enum { CROWD = 34 };
static double alone[CROWD][4]; /* how each of them moves without the others */

/* 0: with masses; 1: with a function for the velocity; 2: with masses and a pattern of G. n of them from `first` on;
 * the largest distance from those alone. */
static double apart(int first, int n, int way, double *y)
{
    static double ones[2 * CROWD];
    static int64_t row[CROWD + 1], col[2 * CROWD];
    crowd x = { n };
    lbr_constraints c = { .size = sizeof c,
                          .m = n,
                          .g = crowd_g,
                          .G = way == 2 ? crowd_sparse_G : crowd_G,
                          .nnz = way == 2 ? 2 * n : 0,
                          .row = way == 2 ? row : NULL,
                          .col = way == 2 ? col : NULL };
    lbr_system s = LBR_SYSTEM(.name = "crowd", .ctx = &x, .dim = 4 * n, .nq = 2 * n, .force = crowd_force,
                              .inverse_mass = way == 1 ? NULL : ones, .velocity = way == 1 ? crowd_velocity : NULL,
                              .constraints = &c);
    double off = 0;

    for (int i = 0; i < n; i++)
        ones[2 * i] = ones[2 * i + 1] = 1, row[i + 1] = 2 * i + 2, col[2 * i] = 2 * i, col[2 * i + 1] = 2 * i + 1;
    for (int i = 0; i < n; i++)
        y[2 * i] = sin(0.3 + 0.07 * (first + i)), y[2 * i + 1] = -cos(0.3 + 0.07 * (first + i)),
              y[2 * n + 2 * i] = y[2 * n + 2 * i + 1] = 0;
    if (run(&s, "rattle", NULL, 0.05, 40, y)) return INFINITY;
    for (int i = 0; i < n; i++)
        off = fmax(off, fmax(hypot(y[2 * i] - alone[i][0], y[2 * i + 1] - alone[i][1]),
                             hypot(y[2 * n + 2 * i] - alone[i][2], y[2 * n + 2 * i + 1] - alone[i][3])));
    return off;
}

static void side_by_side(void)
{
    static double y[4 * CROWD];

    for (int i = 0; i < CROWD; i++) apart(i, 1, 0, alone[i]);
    for (int n = 1; n <= CROWD; n++) {
        double dense = apart(0, n, 0, y), any = apart(0, n, 1, y), sparse = apart(0, n, 2, y);

        ok(dense < 1e-12 && any < 1e-12 && sparse < 1e-12 && hypot(alone[0][2], alone[0][3]) > 0.1,
           "%d pendulums side by side: %.1e, %.1e, %.1e from each alone", n, dense, any, sparse);
    }
}

/* 65 536 constraints that share a coordinate: S would have 2^31 products. Nothing is asked of the functions. */
static int64_t many_row[65537], many_col[131072];
static double many_mass[65537];
static int nothing(double t, const double *y, double *out, void *ctx)
{
    return (void)t, (void)y, (void)out, (void)ctx, -1;
}

static void too_many(void)
{
    lbr_constraints c = {
        .size = sizeof c, .m = 65536, .g = nothing, .G = nothing, .nnz = 131072, .row = many_row, .col = many_col
    };
    lbr_system s = LBR_SYSTEM(.name = "star", .dim = 2 * 65537, .nq = 65537, .force = nothing,
                              .inverse_mass = many_mass, .constraints = &c);
    lbr_plan *plan;
    lbr_status status;

    if (!SHARE_SANITIZED)
        setrlimit(RLIMIT_AS, &(struct rlimit){ 2000000000, 2000000000 }); /* where it is not refused */
    for (int i = 0; i < 65537; i++) many_mass[i] = 1, many_row[i] = 2 * i;
    for (int i = 0; i < 65536; i++) many_col[2 * i] = 0, many_col[2 * i + 1] = i + 1;
    status = lbr_plan_create(&plan, "rattle", &s, NULL);
    ok(status == LBR_EUNFIT && strstr(lbr_plan_message(plan), "too large"), "a star of 65536 constraints: %s",
       lbr_plan_message(plan));
    lbr_plan_free(plan);
}

int main(void)
{
    long_chain(), failing("rattle"), failing("shake"), failing("constrained-euler"), failing("lobatto-3a-3b:3"),
        side_by_side(), slices(), too_many();
    return tap_done();
}
