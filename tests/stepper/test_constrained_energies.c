/* test_constrained_energies.c - constraints where H is not p^T M^-1 p/2 + V(q): rates that depend on the time, that
 * vanish, of other sizes than positions. SPDX-License-Identifier: BSD-3-Clause */
#include "support/manifolds.h"

static const char *const methods[] = { "rattle", "lobatto-3a-3b:3", "constrained-euler", "compose(suzuki:4, rattle)" };
enum { METHODS = sizeof methods / sizeof *methods };

/* --- the time in H_p --------------------------------------------------------------------------------------------- */

/* Masses that change with time, not all in the same way: the velocity that a step ends with is on the manifold at the
 * end's time, and orders are kept. */
static void changing_masses(void)
{
    static const int order[METHODS] = { 2, 4, 1, 4 }, n[METHODS] = { 32, 16, 64, 16 };
    double exact[6], y[6];
    modelled x;

    if (!ok(open_text(&x, "canonical q[3], p[3]\n"
                          "H = (p[1]^2*(1 + sin(3*t)/2) + p[2]^2 + p[3]^2)/2 + q[3]\n"
                          "constraint length = sq(q) - 1\n"
                          "start q = [sin(1.3), 0, cos(1.3)], p = [0.3*cos(1.3), 0.65, -0.3*sin(1.3)]\n"),
            "changing masses"))
        return;
    memcpy(exact, x.m->y0, sizeof exact), run(x.s, "lobatto-3a-3b:8", NULL, 0.025, 40, exact);
    for (int i = 0; i < METHODS; i++) {
        double coarse = error_after(&x, methods[i], 1, n[i], exact),
               fine = error_after(&x, methods[i], 1, 2 * n[i], exact), off = NAN;

        ok(fabs(log2(coarse / fine) - order[i]) < 0.35, "%s has order %d where masses change: %.2f", methods[i],
           order[i], log2(coarse / fine));
        memcpy(y, x.m->y0, sizeof y);
        if (!run(x.s, methods[i], NULL, 1 / 32., 32, y))
            off = fabs(y[0] * y[3] * (1 + sin(3) / 2) + y[1] * y[4] + y[2] * y[5]);
        ok(off < 1e-15, "and ends with a velocity on the manifold: %.1e", off);
    }
    close_model(&x);
}

/* --- where all comes to rest ------------------------------------------------------------------------------------- */

/* Back from rest and to it again: of velocities nothing but rounding is left, in units of which they cannot be on the
 * manifold; of momenta there may be more, as in a magnetic field. */
static void rest_of(const char *what, const char *text, const double *still)
{
    static const char *const back[METHODS] = { "rattle", "lobatto-3a-3b:3", "adjoint(constrained-euler)",
                                               "compose(suzuki:4, rattle)" };
    modelled x;

    if (!ok(open_text(&x, text), "%s at rest", what)) return;
    for (int i = 0; i < METHODS; i++)
        for (int k = 1; k <= 20; k++) {
            double y[4], h = 0.001 * k, left = NAN;
            lbr_status status;

            memcpy(y, x.m->y0, sizeof y);
            status = run(x.s, back[i], NULL, -h, 10, y);
            if (!status) status = run(x.s, methods[i], NULL, h, 10, y);
            if (!status) left = hypot(y[2] - still[0], y[3] - still[1]);
            ok(left < 1e-11, "%s: %s comes to rest in steps of %g: %.1e is left", what, methods[i], h, left);
        }
    close_model(&x);
}

static void rest(void)
{
    rest_of("a pendulum",
            "canonical q[2], p[2]\n"
            "H = (p[1]^2 + p[2]^2*(1 + q[1]^2/3) + p[1]*p[2]*q[2]/2)/2 + q[2]\n"
            "constraint length = sq(q) - 1\n"
            "start q = [0.8, 0.6], p = [0, 0]\n",
            (double[]){ 0, 0 });
    rest_of("a charge",
            "canonical q[2], p[2]\n"
            "H = ((p[1] - 2 + q[2])^2 + (p[2] + 1)^2)/2 + q[2]\n"
            "constraint length = sq(q) - 1\n"
            "start q = [0.8, 0.6], p = [1.4, -1]\n",
            (double[]){ 1.4, -1 });
}

/* --- without second derivatives ---------------------------------------------------------------------------------- */

/* H_pp by differences: their size is that of p, whatever that of q. In units in which the pendulum is a million long
 * its steps take no more iterations. */
static void lengths(void)
{
    int64_t worst[2] = { 0, 0 };

    for (int k = 0; k < 2; k++) {
        char text[300];
        double l = k ? 1e6 : 1, y[6];
        lbr_system s;
        lbr_plan *plan = NULL;
        modelled x;

        snprintf(text, sizeof text,
                 "canonical q[3], p[3]\n"
                 "H = sqrt(1 + sq(p)) + q[3]/%g\n"
                 "constraint length = sq(q) - %g\n"
                 "start q = [%g, 0, 0], p = [0, 0.7, 0.5]\n",
                 l, l * l, l);
        if (!ok(open_text(&x, text), "a relativistic pendulum of length %g", l)) continue;
        s = *x.s, s.hessian_vec = NULL;
        if (ok(!lbr_plan_create(&plan, "lobatto-3a-3b:3", &s, NULL) && !lbr_start(plan, 0, l / 20, x.m->y0) &&
                   !lbr_run(plan, 50, 0, NULL, NULL) && !lbr_read(plan, NULL, y),
               "runs without second derivatives"))
            worst[k] = lbr_plan_stats(plan)->worst;
        lbr_plan_free(plan), close_model(&x);
    }
    ok(worst[0] > 3 && worst[1] <= worst[0] + 1, "%lld iterations at most, %lld in other units of length",
       (long long)worst[0], (long long)worst[1]);
}

/* One constraint among many coordinates: what is free stays as it would be alone, and so does what is not. */
static void few(void)
{
    modelled alone, among;
    double y[6], z[48];

    if (!ok(open_text(&alone, "canonical q[3], p[3]\n"
                              "H = sqrt(1 + sq(p)) + q[3]\n"
                              "constraint length = sq(q) - 1\n"
                              "start q = [1, 0, 0], p = [0, 0.7, 0.5]\n"),
            "alone"))
        return;
    if (ok(open_text(&among,
                     "canonical q[24], p[24]\n"
                     "H = sqrt(1 + p[1]^2 + p[2]^2 + p[3]^2) + q[3] + sum(i = 4..24, sqrt(1 + p[i]^2))\n"
                     "constraint length = q[1]^2 + q[2]^2 + q[3]^2 - 1\n"
                     "start q[1] = 1, q[i = 2..24] = 0, p[1] = 0, p[2] = 0.7, p[3] = 0.5, p[i = 4..24] = i/10\n"),
           "among others"))
        for (int i = 0; i < METHODS; i++)
            for (int seen = 0; seen < 2; seen++) {
                lbr_system a = *alone.s, b = *among.s;
                double d = 0;
                int good;

                if (!seen) a.hessian_vec = b.hessian_vec = NULL;
                memcpy(y, alone.m->y0, sizeof y), memcpy(z, among.m->y0, sizeof z);
                good = !run(&a, methods[i], NULL, 0.05, 20, y) && !run(&b, methods[i], NULL, 0.05, 20, z);
                for (int j = 0; j < 3; j++) d = fmax(d, fmax(fabs(y[j] - z[j]), fabs(y[3 + j] - z[24 + j])));
                for (int j = 3; j < 24; j++) d = fmax(d, fabs(z[j] - z[24 + j] / sqrt(1 + z[24 + j] * z[24 + j])));
                ok(good && d < 1e-13, "%s, a pendulum among 21 free coordinates%s: %.1e", methods[i],
                   seen ? "" : " without second derivatives", d);
            }
    close_model(&alone), close_model(&among);
}

int main(void)
{
    changing_masses(), rest(), lengths(), few();
    return tap_done();
}
