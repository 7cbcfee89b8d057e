/* test_chains.c - chains of links, short and long: what grows with them, where they fail, and where there are too many. SPDX-License-Identifier: BSD-3-Clause */
#include "manifolds.h"

#include <sys/resource.h>

#if defined __SANITIZE_ADDRESS__
enum { SANITIZED = 1 };
#elif defined __has_feature
#if __has_feature(address_sanitizer)
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif
#else
enum { SANITIZED = 0 };
#endif

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

/* Forces that end at t = 0.5: the state is what it was before the step that failed, to the bit, for chains of all small sizes. */
static void failing(void)
{
    for (int n = 1; n <= 8; n++) {
        char text[400];
        double y[48], want[48], t = 0;
        lbr_plan *plan = NULL;
        lbr_status status = LBR_EARG;
        modelled x;

        snprintf(text, sizeof text, "param n = %d\ncanonical q[n,3], p[n,3]\nH = sq(p)/2 + sum(i = 1..n, q[i,3]) + sqrt(0.505 - t)*q[1,1]/100\n"
                 "constraint hook = sq(q[1]) - 1, link[i = 2..n] = sq(q[i] - q[i-1]) - 1\nstart q[i = 1..n] = [i, 0, 0], p[i = 1..n] = [0, i/10, 0]\n", n);
        if (!ok(open_text(&x, text), "a chain of %d", n)) continue;
        memcpy(want, x.m->y0, (size_t)x.m->dim * sizeof *want);
        if (!run(x.s, "rattle", NULL, 0.01, 50, want) && !lbr_plan_create(&plan, "rattle", x.s, NULL) && !lbr_start(plan, 0, 0.01, x.m->y0)) status = lbr_run(plan, 100, 0, NULL, NULL);
        ok(status && plan && !lbr_read(plan, &t, y) && fabs(t - 0.5) < 1e-9 && !memcmp(y, want, (size_t)x.m->dim * sizeof *y), "%d links: a force that is no number, and the state before it: %.60s", n, lbr_plan_message(plan));
        lbr_plan_free(plan), close_model(&x);
    }
}

/* 65 536 constraints that share a coordinate: S would have 2^31 products. Nothing is asked of the functions. */
static int64_t many_row[65537], many_col[131072];
static double many_mass[65537];
static int nothing(double t, const double *y, double *out, void *ctx) { return (void)t, (void)y, (void)out, (void)ctx, -1; }

static void too_many(void)
{
    lbr_constraints c = { .size = sizeof c, .m = 65536, .g = nothing, .G = nothing, .nnz = 131072, .row = many_row, .col = many_col };
    lbr_system s = LBR_SYSTEM(.name = "star", .dim = 2 * 65537, .nq = 65537, .force = nothing, .inverse_mass = many_mass, .constraints = &c);
    lbr_plan *plan;
    lbr_status status;

    if (!SANITIZED) setrlimit(RLIMIT_AS, &(struct rlimit){ 2000000000, 2000000000 });          /* where it is not refused */
    for (int i = 0; i < 65537; i++) many_mass[i] = 1, many_row[i] = 2 * i;
    for (int i = 0; i < 65536; i++) many_col[2 * i] = 0, many_col[2 * i + 1] = i + 1;
    status = lbr_plan_create(&plan, "rattle", &s, NULL);
    ok(status == LBR_EUNFIT && strstr(lbr_plan_message(plan), "too large"), "a star of 65536 constraints: %s", lbr_plan_message(plan));
    lbr_plan_free(plan);
}

int main(void)
{
    long_chain(), failing(), too_many();
    return tap_done();
}
