/* test_tangent.c - RATTLE on the tangent bundle (McLachlan & Scovel 1994, (9)-(12)) against rattle and
 * constrained-euler. SPDX-License-Identifier: BSD-3-Clause
 *
 * There momenta are vectors of TN, G p = 0, brought back by psi(q, p) = p - G^T (G G^T)^-1 G p. The positions are those
 * of the methods with multipliers, whose momenta have G H_p = 0; psi leads from these to those. Written here by hand
 * for the double spherical pendulum, with the mass matrix corrected. */
#include "support/modelled.h"
#include "libration.h"

#define ROD 0.8
static const double M1 = 1, M2 = 2; /* masses; rods of length 1 and ROD; gravity 1 */

static const char text[] = "param m1 = 1, m2 = 2\n"
                           "canonical a[3], pa[3], b[3], pb[3]\n"
                           "H = sq(pa - pb)/(2*m1) + sq(pb)/(2*m2) + m1*a[3] + m2*(a[3] + b[3])\n"
                           "constraint first = sq(a) - 1, second = sq(b) - 0.64\n"
                           "start a = [0.6, 0, -0.8], b = 0.8*[0, 0.6, -0.8], a' = [0, 0.3, 0], b' = [-0.2, 0, 0]\n";

static double dot(const double *x, const double *y) { return x[0] * y[0] + x[1] * y[1] + x[2] * y[2]; }

/* Each rod has its own constraint: G G^T is diagonal. */
static void psi(const double *q, double *p)
{
    for (int i = 0; i < 6; i += 3) {
        double by = dot(q + i, p + i) / dot(q + i, q + i);

        for (int k = 0; k < 3; k++) p[i + k] -= by * q[i + k];
    }
}

static void velocity(const double *p, double *v)
{
    for (int k = 0; k < 3; k++) v[k] = (p[k] - p[3 + k]) / M1, v[3 + k] = p[3 + k] / M2 - v[k];
}

static void kick(double h, double *p) { p[2] -= h * (M1 + M2), p[5] -= h * M2; }

/* Q = q + h grad T(p + sum mu_i q_i) with |Q_i| = l_i: Newton's method for both mu; p becomes what it is then. */
static int drift(double h, const double *q, double *p, double *Q)
{
    double mu[2] = { 0, 0 }, old[6], length[2] = { 1, ROD * ROD };

    memcpy(old, p, sizeof old);
    for (int n = 0; n < 50; n++) {
        double v[6], r[2], J[2][2], d[2], det;

        for (int i = 0; i < 6; i++) p[i] = old[i] + mu[i / 3] * q[i];
        velocity(p, v);
        for (int i = 0; i < 6; i++) Q[i] = q[i] + h * v[i];
        for (int i = 0; i < 2; i++) r[i] = dot(Q + 3 * i, Q + 3 * i) - length[i];
        for (int j = 0; j < 2; j++) {
            double e[6] = { 0 }, w[6];

            memcpy(e + 3 * j, q + 3 * j, 3 * sizeof *e), velocity(e, w);
            for (int i = 0; i < 2; i++) J[i][j] = 2 * h * dot(Q + 3 * i, w + 3 * i);
        }
        det = J[0][0] * J[1][1] - J[0][1] * J[1][0];
        d[0] = (r[0] * J[1][1] - r[1] * J[0][1]) / det, d[1] = (r[1] * J[0][0] - r[0] * J[1][0]) / det;
        mu[0] -= d[0], mu[1] -= d[1];
        if (fmax(fabs(d[0]), fabs(d[1])) < 1e-13) return 1;
    }
    return 0;
}

/* (11): half a kick, the constrained drift, half a kick, psi; (9): a kick first. */
static int by_hand(int rattle, double h, double *q, double *p)
{
    double Q[6];

    kick(rattle ? h / 2 : h, p);
    if (!drift(h, q, p, Q)) return 0;
    if (rattle) kick(h / 2, p);
    psi(Q, p);
    memcpy(q, Q, sizeof Q);
    return 1;
}

typedef struct path {
    double y[401][12];
} path;
static path seen;

static int follow(const lbr_view *v, void *ctx)
{
    return memcpy(((path *)ctx)->y[v->n], v->y, sizeof *((path *)ctx)->y), 0;
}

/* (12): psi(q, M (Q - q)) = h psi(q, p1), p1 being p after half a kick: no multiplier in it. */
static double without_multipliers(const double *y, const double *next, double h)
{
    double d[6], left[6], right[6], most = 0;

    for (int i = 0; i < 6; i++) d[i] = next[i] - y[i];
    for (int k = 0; k < 3; k++) left[3 + k] = M2 * (d[k] + d[3 + k]), left[k] = M1 * d[k] + left[3 + k];
    memcpy(right, y + 6, sizeof right), kick(h / 2, right);
    psi(y, left), psi(y, right);
    for (int i = 0; i < 6; i++) most = fmax(most, fabs(left[i] - h * right[i]));
    return most;
}

static void compare(const modelled *x, const char *method, int rattle, double h)
{
    double q[6], p[6], off = 0, turned = 0, apart = 0, twelve = 0, momentum = 0;
    lbr_plan *plan = NULL;
    int good = !lbr_plan_create(&plan, method, x->s, NULL) && !lbr_start(plan, 0, h, x->m->y0) &&
               !lbr_run(plan, 400, 1, follow, &seen);

    memcpy(q, x->m->y0, sizeof q), memcpy(p, x->m->y0 + 6, sizeof p), psi(q, p);
    for (int n = 1; n <= 400 && good; n++) {
        double r[6];

        good = by_hand(rattle, h, q, p);
        memcpy(r, seen.y[n] + 6, sizeof r), psi(seen.y[n], r);
        for (int i = 0; i < 6; i++)
            off = fmax(off, fabs(q[i] - seen.y[n][i])), turned = fmax(turned, fabs(p[i] - r[i])),
            apart = fmax(apart, fabs(p[i] - seen.y[n][6 + i]));
        momentum = fmax(momentum, fabs(q[0] * p[1] - q[1] * p[0] + q[3] * p[4] - q[4] * p[3] -
                                       (seen.y[0][0] * seen.y[0][7] - seen.y[0][1] * seen.y[0][6] +
                                        seen.y[0][3] * seen.y[0][10] - seen.y[0][4] * seen.y[0][9])));
        if (rattle) twelve = fmax(twelve, without_multipliers(seen.y[n - 1], seen.y[n], h));
    }
    ok(good && off < 1e-11, "%s has the positions of the formulas on TN: %.1e", method, off);
    ok(turned < 1e-11 && apart > 1e-2, "psi leads from its momenta to theirs (%.1e), which are others (%.1e)", turned,
       apart);
    ok(momentum < 1e-12, "the vertical momentum is kept in both: %.1e", momentum);
    if (rattle) ok(twelve < 1e-14, "its steps solve the equation without multipliers: %.1e", twelve);
    lbr_plan_free(plan);
}

int main(void)
{
    modelled x;

    if (!open_text(&x, text)) return 2;
    compare(&x, "rattle", 1, 0.02);
    compare(&x, "constrained-euler", 0, 0.02);
    close_model(&x);
    return tap_done();
}
