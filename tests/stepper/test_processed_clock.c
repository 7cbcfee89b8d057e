/* test_processed_clock.c - a processor that moves the state on in time moves the clock on: forces that depend on t are
 * those of the same system with t as a coordinate. SPDX-License-Identifier: BSD-3-Clause */
#include "support/modelled.h"

static const char forced[] = "canonical q, p\nH = p^2/2 - cos(q) - q*cos(2*t)\nstart q = 1, p = 0.2\n";
static const char widened[] = "canonical q[2], p[2]\n"
                              "H = p[1]^2/2 + p[2] - cos(q[1]) - q[1]*cos(2*q[2])\n"
                              "start q = [1, 0], p = [0.2, 0]\n";

/* 20 steps; the first coordinate and its momentum. */
static int run(const lbr_system *s, const char *method, double *out)
{
    double y[4] = { 1, 0.2 };
    lbr_plan *plan;
    lbr_status status;

    if (s->dim == 4) y[1] = 0, y[2] = 0.2, y[3] = 0;
    status = lbr_plan_create(&plan, method, s, NULL);
    if (!status) status = lbr_start(plan, 0, 0.1, y);
    if (!status) status = lbr_run(plan, 20, 0, NULL, NULL);
    if (!status) status = lbr_read(plan, NULL, y);
    ok(!status, "%s, %d numbers: %s", method, (int)s->dim, status ? lbr_plan_message(plan) : "no failure");
    out[0] = y[0], out[1] = y[s->nq];
    lbr_plan_free(plan);
    return !status;
}

int main(void)
{
    static const char *const method[] = {
        "rk4",
        "process(rk4, lie-trotter)",
        "process(stormer-verlet, lie-trotter)",
        "process(stormer-verlet-b, lie-trotter)",
        "process(midpoint, lie-trotter)",
        "process(gauss:2, scale(0.5, rk4))",
        "process(effective-6-9, scale(0.3, stormer-verlet))",
        "adjoint(process(rk4, lie-trotter))",
        "process(effective-6-9, effective-6-9-processor)",
    };
    modelled clock, coordinate;

    if (!ok(open_text(&clock, forced) && open_text(&coordinate, widened), "two models")) return tap_done();
    for (size_t i = 0; i < sizeof method / sizeof *method; i++) {
        double a[2], b[2];

        if (!run(clock.s, method[i], a) || !run(coordinate.s, method[i], b)) continue;
        near(a[0], b[0], 1e-12, method[i]);
        near(a[1], b[1], 1e-12, method[i]);
    }
    close_model(&clock), close_model(&coordinate);
    return tap_done();
}
