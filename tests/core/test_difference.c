/* test_difference.c - derivatives by differences (core/difference.h). SPDX-License-Identifier: BSD-3-Clause */
#include "core/difference.h"
#include "support/tap.h"

#include <math.h>

typedef struct asked {
    int calls, fails; /* which call fails; 0: none */
    const double *where;
} asked;

/* (x^2, x y, y^3), and where it was asked. */
static int powers(void *ctx, const double *x, double *out)
{
    asked *a = ctx;

    a->where = x;
    out[0] = x[0] * x[0], out[1] = x[0] * x[1], out[2] = x[1] * x[1] * x[1];
    return ++a->calls == a->fails;
}

static void along(void)
{
    double x[2] = { 3, 5 }, v[2] = { 1, -2 }, at[2], out[3], other[3], e = lbr_central_step(5, 2);
    asked a = { 0 };

    ok(!lbr_central_difference(powers, &a, 2, 3, x, v, e, at, out, other) && a.calls == 2,
       "a difference asks twice for the function");
    ok(a.where == at, "at the place that it was given");
    near(out[0], 6, 1e-9, "a square has its derivative");
    near(out[1], -1, 1e-9, "a product has its own");
    near(out[2], -150, 1e-6, "a cube nearly: what is left out is e^2 v^3");
    ok(fabs(out[2] + 150 + 8 * e * e) < 1e-9, "and it is that");
    lbr_central_difference(powers, &a, 2, 3, x, v, 0.5, at, out, other);
    ok(out[0] == 6 && out[1] == -1 && out[2] == -150 - 8 * 0.25,
       "with large steps everything is exact to the last bit");
    for (int k = 1; k <= 2; k++) {
        a = (asked){ .fails = k };
        ok(lbr_central_difference(powers, &a, 2, 3, x, v, e, at, out, other) == 1 && a.calls == k,
           "a function that fails the %s time is told", k == 1 ? "first" : "second");
    }
}

static void column(void)
{
    double x[2] = { 3, 5 }, out[3], other[3];
    asked a = { 0 };

    ok(!lbr_central_column(powers, &a, 3, x, 1, 0.5, 1, out, other) && out[0] == 0 && out[1] == 3 && out[2] == 75.25,
       "by one component, with the distance that is told");
    ok(x[0] == 3 && x[1] == 5, "the state is what it was");
    lbr_central_column(powers, &a, 3, x, 1, 0.5, 2, out, other);
    ok(out[1] == 1.5, "with another distance the quotient is another");
    for (int k = 1; k <= 2; k++) {
        a = (asked){ .fails = k };
        ok(lbr_central_column(powers, &a, 3, x, 1, 0.5, 1, out, other) == 1 && a.calls == k && x[1] == 5,
           "and also after a function that fails the %s time", k == 1 ? "first" : "second");
    }
}

static void steps(void)
{
    ok(lbr_central_step(8, 2) == 4 * LBR_CENTRAL, "a step is relative to the state, and to the length of the vector");
    ok(lbr_central_step(0, 2) == LBR_CENTRAL / 2 && lbr_central_step(NAN, 1) == LBR_CENTRAL,
       "a state without a size is taken as one of size 1");
    /* Of exp at 1: ten times longer and ten times shorter steps are worse than the one that is taken. */
    double error[3];

    for (int k = 0; k < 3; k++) {
        double worst = 0;

        for (double x = 1; x < 2; x += 0x1p-7) {
            double e = lbr_central_step(x, 1) * pow(10, k - 1);

            worst = fmax(worst, fabs((exp(x + e) - exp(x - e)) / (2 * e) - exp(x)));
        }
        error[k] = worst;
    }
    ok(error[1] < error[0] / 1.5 && error[1] < error[2] / 10, "and it is the right one (errors %.2g, %.2g, %.2g)",
       error[0], error[1], error[2]);
}

int main(void)
{
    along();
    column();
    steps();
    return tap_done();
}
