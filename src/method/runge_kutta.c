/* runge_kutta.c - Runge-Kutta methods. Data only. SPDX-License-Identifier: BSD-3-Clause
 *
 *     Y_i = y + h sum_j a_ij f(t + c_j h, Y_j),    y1 = y + h sum_i b_i f(t + c_i h, Y_i)      (HLW II.1.4)
 *
 * To add a method: its lists and one row. Tests, `libration methods` and the manual read this table. */
#include "method.h"

#define LIST(name, ...) static const char *const name[] = { __VA_ARGS__ }
#define TABLEAU(t) .A = LBR_TEXTS(t##_A), .b = LBR_TEXTS(t##_b)

LIST(explicit_euler_A, "0");
LIST(explicit_euler_b, "1");

LIST(implicit_euler_A, "1");
LIST(implicit_euler_b, "1");

LIST(midpoint_A, "1/2");
LIST(midpoint_b, "1");

LIST(trapezoidal_A, "0", "0", "1/2", "1/2");
LIST(trapezoidal_b, "1/2", "1/2");

LIST(rk4_A, "0",   "0",   "0", "0",
            "1/2", "0",   "0", "0",
            "0",   "1/2", "0", "0",
            "0",   "0",   "1", "0");
LIST(rk4_b, "1/6", "1/3", "1/3", "1/6");

/* P_s and its derivative at x in (-1, 1), by the three-term recursion. */
static void legendre(int s, lbr_dd x, lbr_dd *P, lbr_dd *dP)
{
    lbr_dd p = dd(1), q = x;

    for (int k = 2; k <= s; k++) {
        lbr_dd next = dd_div(dd_sub(dd_scale(2 * k - 1, dd_mul(x, q)), dd_scale(k - 1, p)), dd(k));
        p = q, q = next;
    }
    *P = q;
    *dP = dd_div(dd_scale(s, dd_sub(dd_mul(x, q), p)), dd_sub(dd_mul(x, x), dd(1)));
}

/* The i-th zero of P_s, ascending, by Newton from its asymptotic place. The middle one is exactly 0. */
static lbr_dd zero(int s, int i)
{
    lbr_dd x = dd(-cos(3.14159265358979323846 * (i + 0.75) / (s + 0.5))), P, dP;

    if (2 * i + 1 == s) return dd(0);
    for (int k = 0; k < 8; k++) {
        legendre(s, x, &P, &dP);
        x = dd_sub(x, dd_div(P, dP));
    }
    return x;
}

/* Shifted Legendre polynomials, normalised on [0, 1], at c = (1 + x)/2: W[k] = sqrt(2k+1) P_k(x). */
static void basis(int s, lbr_dd x, lbr_dd *W)
{
    lbr_dd p = dd(1), q = x;

    W[0] = dd(1);
    for (int k = 1; k < s; k++) {
        lbr_dd next = dd_div(dd_sub(dd_scale(2 * k + 1, dd_mul(x, q)), dd_scale(k, p)), dd(k + 1));
        W[k] = dd_mul(dd_sqrt(dd(2 * k + 1)), q);
        p = q, q = next;
    }
}

/* Gauss (HLW II.1.3): A = W X W^T B in the Legendre basis, where X is tridiagonal; B = diag(b), and c the shifted
 * zeros (Hairer & Wanner, Solving ODEs II, IV.5). No cancellation, and symplectic to the last digit. */
static int gauss(int s, lbr_method *claims, lbr_numbers *x, lbr_arena *arena)
{
    lbr_dd *W = lbr_arena_alloc(arena, s * s, sizeof *W);

    claims->order = 2 * s;
    claims->digits = s <= 6 ? 28 : 30;                          /* trees lose a few where there are thousands */
    x->s = s;
    x->A = lbr_arena_alloc(arena, s * s, sizeof *x->A);
    x->b = lbr_arena_alloc(arena, s, sizeof *x->b);
    x->c = lbr_arena_alloc(arena, s, sizeof *x->c);
    if (!W || !x->A || !x->b || !x->c) return -1;
    for (int i = 0; i < s; i++) {
        lbr_dd z = i < s / 2 ? zero(s, i) : dd_neg(zero(s, s - 1 - i)), sum = dd(0);

        x->c[i] = dd_scale(0.5, dd_add(dd(1), z));
        basis(s, z, W + i * s);
        for (int k = 0; k < s; k++) sum = dd_add(sum, dd_mul(W[i * s + k], W[i * s + k]));
        x->b[i] = dd_div(dd(1), sum);                          /* W^T B W = I */
    }
    for (int i = 0; i < s; i++)
        for (int j = 0; j < s; j++) {
            lbr_dd *w = W + i * s, *v = W + j * s, sum = dd(0.5);

            for (int k = 1; k < s; k++) {                      /* X[k][k-1] = -X[k-1][k] = 1/(2 sqrt(4k^2 - 1)) */
                lbr_dd xi = dd_div(dd(0.5), dd_sqrt(dd(4.0 * k * k - 1)));
                sum = dd_add(sum, dd_mul(xi, dd_sub(dd_mul(w[k], v[k - 1]), dd_mul(w[k - 1], v[k]))));
            }
            x->A[i * s + j] = dd_mul(x->b[j], sum);
        }
    return 0;
}

const lbr_row lbr_rows_runge_kutta[] = {
    { .m = { LBR_SIZED, .name = "explicit-euler", .family = "Runge-Kutta", .source = "HLW I.1.5", .about = "the simplest method; energy grows",
             TABLEAU(explicit_euler), .order = 1, .is_explicit = 1, .digits = 31, .aliases = "euler forward-euler" } },
    { .m = { LBR_SIZED, .name = "implicit-euler", .family = "Runge-Kutta", .source = "HLW I.1.6", .about = "adjoint of explicit Euler; energy falls",
             TABLEAU(implicit_euler), .order = 1, .free_entries = "A[1,1]", .digits = 31, .aliases = "backward-euler" } },
    { .m = { LBR_SIZED, .name = "midpoint", .family = "Runge-Kutta", .source = "HLW I.1.7", .about = "implicit midpoint rule, the one-stage Gauss method",
             TABLEAU(midpoint), .order = 2, .symmetric = 1, .symplectic = 1, .digits = 31, .aliases = "implicit-midpoint" } },
    { .m = { LBR_SIZED, .name = "trapezoidal", .family = "Runge-Kutta", .source = "HLW II.1.2", .about = "implicit trapezoidal rule, conjugate to the midpoint rule",
             TABLEAU(trapezoidal), .order = 2, .symmetric = 1, .digits = 31, .aliases = "trapezoid" } },
    { .m = { LBR_SIZED, .name = "rk4", .family = "Runge-Kutta", .source = "HLW II.1.8 (Kutta 1901)", .about = "the classical method of order 4",
             TABLEAU(rk4), .order = 4, .is_explicit = 1, .digits = 31, .aliases = "runge-kutta-4 kutta-4" } },
    { .m = { LBR_SIZED, .name = "gauss", .family = "Gauss", .source = "HLW II.1.3 (Kuntzmann 1961, Butcher 1964)", .about = "collocation at s Gauss points",
             .symmetric = 1, .symplectic = 1, .first = 1, .last = 16, .stride = 1 }, gauss },
    LBR_END
};
