/* test_kepler.c - the exact flow of the Kepler problem: solutions in many digits, closed forms, the group, falls into
 * the centre. SPDX-License-Identifier: BSD-3-Clause */
#include "support/tap.h"

#include <math.h>
#include <string.h>

#include "core/dd.h"
#include "model/kepler.h"
#include "language/random.h"

static const double eps = 0x1p-53;
static double uniform(int64_t i) { return lbr_random(11, &i, 1); }

/* The greatest difference, over the greatest value. */
static double apart(int64_t n, const double *x, const double *y)
{
    double worst = 0, size = 0;

    for (int64_t i = 0; i < n; i++) worst = fmax(worst, fabs(x[i] - y[i])), size = fmax(size, fabs(y[i]));
    return isnan(worst / size) ? INFINITY : worst / size;
}

static double energy(int64_t d, double m, double k, const double *q, const double *p)
{
    lbr_dd qq = dd(0), pp = dd(0);

    for (int64_t i = 0; i < d; i++) qq = dd_add(qq, dd_prod(q[i], q[i])), pp = dd_add(pp, dd_prod(p[i], p[i]));
    return dd_double(dd_sub(dd_div(pp, dd(2 * m)), dd_div(dd(k), dd_sqrt(qq))));
}

/* Orbits from their pericentre, with the exact anomaly: e < 1, e = 1, e > 1, and repulsion. The semi-axis is 1 (of a
 * parabola the focal distance). */
typedef struct conic {
    double e, k;
    const char *name;
} conic;
static const conic conics[] = {
    { 0, 1, "circle" },
    { 0.0625, 1, "e = 1/16" },
    { 0.625, 1, "e = 5/8" },
    { 0.9990234375, 1, "e = 1023/1024" },
    { 1, 1, "parabola" },
    { 1.5, 1, "e = 3/2" },
    { 1.0009765625, 1, "e = 1025/1024" },
    { 20, 1, "e = 20" },
    { 1.5, -1, "repulsion, e = 3/2" },
    { 4, -1, "repulsion, e = 4" },
};

/* Time, place and speed at anomaly x (of an ellipse the eccentric one). */
static double on_conic(const conic *c, double x, double q[2], double v[2])
{
    double e = c->e, b = sqrt(fabs(1 - e * e)), r;

    if (e < 1)
        return r = 1 - e * cos(x), q[0] = cos(x) - e, q[1] = b * sin(x), v[0] = -sin(x) / r, v[1] = b * cos(x) / r,
               x - e * sin(x);
    if (e == 1)
        return r = 1 + x * x, q[0] = 1 - x * x, q[1] = 2 * x, v[0] = -sqrt(2) * x / r, v[1] = sqrt(2) / r,
               sqrt(2) * (x + x * x * x / 3);
    r = e * cosh(x) - c->k, q[0] = c->k * e - cosh(x), q[1] = b * sinh(x);
    if (c->k < 0) q[0] = -(cosh(x) + e);
    return v[0] = -sinh(x) / r, v[1] = b * cosh(x) / r, e * sinh(x) - c->k * x;
}

/* From every anomaly to every other one. The data are rounded, so the closed forms are only to be met as well as that
 * allows. */
static void on_orbits(const conic *c)
{
    static const double anomaly[] = { 1e-6, 0.1, 0.5, 1, 2, 3, -0.5, -3 };
    double worst = 0, drift = 0, momentum = 0;

    for (int i = 0; i < 64; i++) {
        double q[2], p[2], q1[2], p1[2], s0 = on_conic(c, anomaly[i % 8], q, p),
                                         s1 = on_conic(c, anomaly[i / 8], q1, p1), E, L, size, speed, slow;

        E = energy(2, 1, c->k, q, p), L = q[0] * p[1] - q[1] * p[0];
        size = 1 / hypot(q[0], q[1]) + 1 / hypot(q1[0], q1[1]) + fabs(E);
        speed = 1 + hypot(p1[0], p1[1]), slow = 1 + fabs(s0) + fabs(s1);
        if (lbr_kepler_flow(2, 1, c->k, s1 - s0, q, p)) worst = INFINITY;
        worst = fmax(worst, hypot(q[0] - q1[0], q[1] - q1[1]) / (slow * slow * size * speed));
        drift = fmax(drift, fabs(energy(2, 1, c->k, q, p) - E) / size);
        momentum = fmax(momentum, fabs(q[0] * p[1] - q[1] * p[0] - L) / (hypot(q[0], q[1]) * hypot(p[0], p[1])));
    }
    ok(worst < 600 * eps, "%s: closed forms to %.1f eps", c->name, worst / eps);
    ok(drift < 40 * eps, "%s: energy to %.1f eps", c->name, drift / eps);
    ok(momentum < 40 * eps, "%s: angular momentum to %.1f eps", c->name, momentum / eps);
}

/* Solved anew in 60 digits from these very numbers (m = 1): k, s, q, p before and after. */
static const struct {
    const char *name;
    double k, s, q[2], p[2], q1[2], p1[2];
} solved[] = {
    { "e = 0.6 from pericentre",
      1,
      1.25,
      { 0.4, 0 },
      { 0, 2 },
      { -0.85627457839322918005, 0.77328321971991531352 },
      { -0.83778259574417916085, -0.17769624461250514172 } },
    { "to half a period",
      1,
      3.1,
      { 0.4, 0 },
      { 0, 2 },
      { -1.5996621098545465298, 0.020794862768022089619 },
      { -0.016248045307914414114, -0.49989439594858237506 } },
    { "100 periods back",
      1,
      -630.5,
      { 0.4, 0 },
      { 0, 2 },
      { -1.417180448534312072, -0.46110553380033006484 },
      { 0.38675348529772865153, -0.43866384718727743821 } },
    { "a short step at e = 0.999",
      1,
      1e-05,
      { 0.001, 0 },
      { 0, 44.7 },
      { 0.00095157376475586044472, 0.00043989885545440225231 },
      { -9.3874091043392228789, 42.635149246393810187 } },
    { "out of e = 0.999",
      1,
      2.5,
      { 0.001, 0 },
      { 0, 44.7 },
      { -0.36692259002228266745, 0.030881655802039181908 },
      { -1.8762290198842898661, 0.036086790941543975286 } },
    { "into e = 0.999",
      1,
      3.14159,
      { -1.999, 0 },
      { 0, -0.0223718 },
      { 0.00099324444514704182602, -0.00017029511395577422078 },
      { 3.7786879377716871429, 44.377530951616358403 } },
    { "past e = 0.999",
      1,
      6,
      { -1.5, 0.01 },
      { -0.5, -0.02 },
      { -1.6753058343348211104, 0.0013404616938085056349 },
      { -0.33238887899230018442, -0.020625753657679278317 } },
    { "almost parabolic, bound",
      1,
      40,
      { 1, 0 },
      { 0, 1.41421356 },
      { -16.363357624086354197, 8.3338722222043151713 },
      { -0.32090741408978977974, 0.07701278998677870876 } },
    { "almost parabolic, free",
      1,
      -40,
      { 1, 0 },
      { 0, 1.41421357 },
      { -16.363358198198512265, -8.3338734421235560455 },
      { 0.32090744018012263906, 0.077012823885729974369 } },
    { "a parabola",
      2,
      7,
      { 1, 0 },
      { 0, 2 },
      { -4.7543185400318250066, 4.7976321409761399115 },
      { -0.7103058750547963381, 0.29610685195646345656 } },
    { "a parabola, inbound",
      2,
      30,
      { 1, -40 },
      { -0.1, 0.2 },
      { -1.998483721786600812, -33.370619508064883432 },
      { -0.099223108006781494608, 0.24461716198570560019 } },
    { "e = 1.5",
      1,
      0.25,
      { 1, 0 },
      { 0, 1.58113883 },
      { 0.96960112348678705274, 0.39134319614083285992 },
      { -0.23671343559174636201, 1.5351700833361636609 } },
    { "a hyperbola far out",
      1,
      100000.0,
      { 1, 0 },
      { 0.1, 2 },
      { -38155.391345094294676, 136549.45172768850758 },
      { -0.3815537795247338863, 1.3654416207535034943 } },
    { "a hyperbola from far to far",
      1,
      2000,
      { 1000, 0.5 },
      { -1, 0 },
      { 606.85556027870964134, -808.625960478590377 },
      { 0.60063331676538922509, -0.79951099474481680589 } },
    { "the same, into the pericentre",
      1,
      993.5,
      { 1000, 0.5 },
      { -1, 0 },
      { 1.7449642485650148638, 0.40681692123886754747 },
      { -1.4530978181628569428, -0.052233036131761943297 } },
    { "and beyond, much faster",
      1,
      0.5,
      { 100, 0.001 },
      { -400, 0 },
      { -99.992327869423629103, -1.2489529245915166575 },
      { -399.9687512167207313, -4.9998050073421281573 } },
    { "repulsion",
      -1,
      2,
      { 1, 0.5 },
      { -2, 0.25 },
      { -2.3954002708367226137, 2.7480456211186347991 },
      { -1.754716626404066504, 1.491208540377275018 } },
    { "repulsion, almost head on",
      -1,
      2000,
      { 1000, 1e-06 },
      { -1, 0 },
      { 988.83377300357023636, 0.0019786452134920821132 },
      { 0.99998870761463868014, 2.0019774040026548497e-6 } },
    { "repulsion, a short step",
      -3,
      0.01,
      { 0.1, 0.2 },
      { 1, -1 },
      { 0.11140697270860038136, 0.19267739534495958903 },
      { 1.2872225231338518307, -0.46658944004489235986 } },
    { "almost radial",
      1,
      1.5,
      { 1, 0 },
      { 0, 1e-09 },
      { 0.71138148955244277001, -6.4080865455234069223e-10 },
      { 0.9007946706000149366, 5.9428448070930532994e-10 } },
    { "almost radial, outwards",
      1,
      100,
      { 0.125, 0 },
      { 3.999, 0.001 },
      { 34.549072213455565032, 0.016305599847100234227 },
      { 0.22336216396346930615, 0.00010903488357940901816 } },
    { "a long period",
      1,
      1000000.0,
      { 1000, 0 },
      { 0, 0.03 },
      { 482.09144386741765934, -816.50990272529170133 },
      { 0.028703579709846008688, 0.01361410372811131549 } },
    { "strong, heavy",
      1000000.0,
      0.001,
      { 3, 4 },
      { 100, -200 },
      { 3.0876053934724684244, 3.7839331393546110196 },
      { 74.793549760288096253, -232.21432698876096706 } },
};

static void in_digits(void)
{
    for (size_t i = 0; i < sizeof solved / sizeof *solved; i++) {
        double q[2], p[2], x, y;
        int failed;

        memcpy(q, solved[i].q, sizeof q), memcpy(p, solved[i].p, sizeof p);
        failed = lbr_kepler_flow(2, 1, solved[i].k, solved[i].s, q, p);
        x = hypot(q[0] - solved[i].q1[0], q[1] - solved[i].q1[1]) / hypot(q[0], q[1]);
        y = hypot(p[0] - solved[i].p1[0], p[1] - solved[i].p1[1]) / hypot(p[0], p[1]);
        ok(!failed && x < 16 * eps && y < 16 * eps, "%s: position to %.1f eps, momentum to %.1f eps", solved[i].name,
           x / eps, y / eps);
    }
}

/* Random orbits in d dimensions, short and long times: minus undoes, two flows are one, the increment is the
 * difference. */
static void group(int64_t d, double m, double k)
{
    double undone = 0, parted = 0, differ = 0;
    int failed = 0;

    for (int64_t i = 0; i < 300; i++) {
        double q[4], p[4], q1[4], p1[4], q2[4], p2[4], dq[4], dp[4], s = 4 * (uniform(10 * i) - 0.5),
                                                                     t = 4 * (uniform(10 * i + 1) - 0.5), r = 0;

        for (int64_t j = 0; j < d; j++) q[j] = q1[j] = q2[j] = uniform(10 * i + 2 + j) + 0.5;
        for (int64_t j = 0; j < d; j++)
            p[j] = p1[j] = p2[j] = m * (d == 1 ? 3 : 1.5) * (uniform(10 * i + 6 + j) - (d == 1 ? 0 : 0.5));
        if (d == 1 && k > 0)
            s = fabs(s), t = fabs(t),
            p[0] = p1[0] = p2[0] = m * sqrt(2 * k / m / q[0]) * (1 + uniform(i)); /* out, and never back */
        failed |= lbr_kepler_increment(d, m, k, s, q, p, dq, dp) | lbr_kepler_flow(d, m, k, s, q1, p1);
        for (int64_t j = 0; j < d; j++)
            differ = fmax(differ, fmax(fabs(q[j] + dq[j] - q1[j]), fabs(p[j] + dp[j] - p1[j]) / m));
        for (int64_t j = 0; j < d; j++) r += q1[j] * q1[j];
        failed |= lbr_kepler_flow(d, m, k, t, q1, p1) | lbr_kepler_flow(d, m, k, s + t, q2, p2);
        if (d > 1 && r < 0.01) continue; /* rounded close to the centre: that is not the flow's error */
        parted = fmax(parted, apart(d, q1, q2));
        failed |= lbr_kepler_flow(d, m, k, -t, q1, p1) | lbr_kepler_flow(d, m, k, -s, q1, p1);
        undone = fmax(undone, apart(d, q1, q));
    }
    ok(!failed && undone < 3e-12 && parted < 3e-12, "d = %d, m = %g, k = %g: undone to %.1e, two in one to %.1e",
       (int)d, m, k, undone, parted);
    ok(differ < 64 * eps, "the increment is the difference to %.1e", differ);
}

/* J^T Omega J = Omega, by central differences. */
static void symplectic(double m, double k, double s)
{
    double J[4][4], worst = 0, h = 5e-5;

    for (int j = 0; j < 4; j++) {
        double y[4][4];
        static const double at[] = { 2, -2, 1, -1 };
        for (int i = 0; i < 4; i++) {
            double *z = y[i];
            z[0] = 0.8, z[1] = 0.3, z[2] = -0.2 * m, z[3] = 0.9 * m, z[j] += at[i] * h;
            if (lbr_kepler_flow(2, m, k, s, z, z + 2)) worst = INFINITY;
        }
        for (int i = 0; i < 4; i++) J[i][j] = (8 * (y[2][i] - y[3][i]) - (y[0][i] - y[1][i])) / (12 * h);
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            double x = J[0][i] * J[2][j] - J[2][i] * J[0][j] + J[1][i] * J[3][j] - J[3][i] * J[1][j];
            worst = fmax(worst, fabs(x - (j == i + 2) + (i == j + 2)));
        }
    ok(worst < 2e-9, "symplectic over s = %g with m = %g, k = %g to %.1e", s, m, k, worst);
}

/* The times at which libm's functions of exact arguments give the answer: a circle far away in time; very short times;
 * powers of 2. */
static void special(void)
{
    double q[2] = { 1, 0 }, p[2] = { 0, 1 }, dq[2], dp[2], worst = 0;

    for (double s = 1; s < 1e9; s *= -7) {
        q[0] = p[1] = 1, q[1] = p[0] = 0;
        if (lbr_kepler_flow(2, 1, 1, s, q, p)) worst = INFINITY;
        worst = fmax(worst, fmax(fabs(q[0] - cos(s)) + fabs(q[1] - sin(s)), fabs(p[0] + sin(s)) + fabs(p[1] - cos(s))));
    }
    ok(worst < 3 * eps, "a hundred million revolutions of a circle to %.1f eps", worst / eps);
    q[0] = p[1] = 1, q[1] = p[0] = worst = 0;
    for (double s = 1; s > 1e-60; s /= 3) {
        if (lbr_kepler_increment(2, 1, 1, s, q, p, dq, dp)) worst = INFINITY;
        worst = fmax(worst, fabs(dq[1] / sin(s) - 1) + fabs(dp[0] / -sin(s) - 1));
        worst = fmax(worst, fabs(dq[0] / (-2 * sin(s / 2) * sin(s / 2)) - 1) +
                                fabs(dp[1] / (-2 * sin(s / 2) * sin(s / 2)) - 1));
    }
    ok(worst < 24 * eps, "increments of short times, each relative to itself, to %.1f eps", worst / eps);
    for (int i = 0; i < 2; i++) {
        double s = i ? 7 : 0.3, Q[2] = { 0.8, 0.1 }, P[2] = { 0.1, 0.9 }, Q2[2] = { 0.8, 0.1 },
               P2[2] = { 0.2 * 8, 1.8 * 8 };
        ok(!lbr_kepler_flow(2, 1, 1, 2 * s, Q, P) && !lbr_kepler_flow(2, 8, 32, s, Q2, P2), "two pairs of bodies");
        ok(Q[0] == Q2[0] && Q[1] == Q2[1], "masses and charges that are powers of 2 scale positions exactly");
        ok(16 * P[0] == P2[0] && 16 * P[1] == P2[1], "and momenta");
    }
    q[0] = 1, q[1] = 2, p[0] = 3, p[1] = 4;
    ok(!lbr_kepler_flow(2, 4, 0, 2, q, p) && q[0] == 2.5 && q[1] == 4 && p[0] == 3 && p[1] == 4,
       "without a charge it goes straight on");
}

/* From rest at 1: r = (1 + cos x)/2, t = (x + sin x)/sqrt(8); in the centre at pi/sqrt(8). */
static void radial(void)
{
    double worst = 0, fall = acos(-1) / sqrt(8), q[3], p[3];
    int caught = 1;

    for (double x = -3; x <= 3; x += 0.125) {
        double s = (x + sin(x)) / sqrt(8), r = (1 + cos(x)) / 2, v = -sqrt(2) * tan(x / 2);
        q[0] = 1, p[0] = 0;
        if (lbr_kepler_flow(1, 1, 1, s, q, p)) worst = INFINITY;
        worst = fmax(worst, fmax(fabs(q[0] - r) / (1 + fabs(v)), fabs(p[0] - v) * r * r));
    }
    ok(worst < 60 * eps, "a fall in one dimension to %.1f eps", worst / eps);
    for (int i = 0; i < 6; i++) {
        double s = (double[]){ 1.0001, 1.9, 2.1, 3, 10, 1e6 }[i] * fall;
        for (int sign = -1; sign <= 1; sign += 2) {
            q[0] = -2, q[1] = 4, q[2] = -4, p[0] = p[1] = p[2] = 0; /* 6 times as far: 6^(3/2) times as long */
            caught &= lbr_kepler_flow(3, 1, 1, sign * s * 6 * sqrt(6), q, p) && q[0] == -2 && p[0] == 0;
        }
    }
    ok(caught, "who falls into the centre is not heard of again, whenever one looks");
    q[0] = 1, p[0] = 0, caught = !lbr_kepler_flow(1, 1, 1, 0.9999999 * fall, q, p) && q[0] > 0 && q[0] < 1e-3;
    ok(caught, "but is until then");
    q[0] = -0.5, p[0] = 1, caught = lbr_kepler_flow(1, 1, 1, 0.5, q, p) != 0;
    p[0] = -5, caught &= !lbr_kepler_flow(1, 1, 1, 1e3, q, p);
    ok(caught && q[0] < -100, "in one dimension from the left: into the centre, or away for good");
    q[0] = 1, p[0] = 2, ok(!lbr_kepler_flow(1, 1, -1, -5, q, p) && q[0] > 0, "repulsion turns back");
    near(energy(1, 1, -1, q, p), 3, 16 * eps, "with the energy it had");
    for (double L = 1e-3; L > 1e-30; L *= 1e-3) { /* almost radial: through the needle's eye and half-way back */
        q[0] = 1, q[1] = 0, p[0] = 0, p[1] = L;
        caught = lbr_kepler_flow(2, 1, 1, 1.5 * fall, q, p);
        ok(!caught && q[0] > 0.5 && fabs(energy(2, 1, 1, q, p) + 1) < 4 * eps + L * L, "angular momentum %.0e", L);
    }
}

static void impossible(void)
{
    static const struct {
        double m, k, s, q, p;
        const char *why;
    } bad[] = {
        { 1, 1, 1, 0, 1, "in the centre" },
        { 0, 1, 1, 1, 1, "no mass" },
        { -1, 1, 1, 1, 1, "a negative mass" },
        { 1, NAN, 1, 1, 1, "no charge" },
        { 1, 1, INFINITY, 1, 1, "no time" },
        { 1, 1, 1, NAN, 1, "no place" },
        { 1, 1, 1, 1, INFINITY, "no momentum" },
        { 1, 1, 1, 1e200, 1, "too far away" },
        { 1e-200, 0, 1e200, 1, 1, "a result that is too large" },
        { 1, 1e10, 1e15, 1e-3, 1, "more than 2^50 periods" },
    };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        double q[2] = { bad[i].q, 0 }, p[2] = { 0.25, bad[i].p }, x[4];
        int failed = lbr_kepler_flow(2, bad[i].m, bad[i].k, bad[i].s, q, p) &&
                     lbr_kepler_increment(2, bad[i].m, bad[i].k, bad[i].s, q, p, x, x + 2);
        ok(failed && p[0] == 0.25, "refused: %s", bad[i].why);
    }
    ok(lbr_kepler_flow(0, 1, 1, 1, NULL, NULL) == -1, "refused: no dimensions");
}

int main(void)
{
    in_digits();
    for (size_t i = 0; i < sizeof conics / sizeof *conics; i++) on_orbits(&conics[i]);
    for (int64_t d = 1; d <= 4; d++) group(d, 1, 1), group(d, 0.3, -2);
    group(3, 2.5, 0.7);
    symplectic(1, 1, 0.3), symplectic(1, 1, 5), symplectic(3, 2, -2), symplectic(0.5, -1, 2), symplectic(1, 0.1, 5);
    special(), radial(), impossible();
    return tap_done();
}
