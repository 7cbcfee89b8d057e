/* runge_kutta_rows.c - Runge-Kutta methods. Data only. SPDX-License-Identifier: BSD-3-Clause
 *
 *     Y_i = y + h sum_j a_ij f(t + c_j h, Y_j),    y1 = y + h sum_i b_i f(t + c_i h, Y_i)      (HLW II.1.4)
 *
 * To add a method: its lists and one row. Tests, `libration methods` and the manual read this table. */
#include "plan/kind.h"

#define LIST(name, ...) static const char *const name[] = { __VA_ARGS__ }
#define TABLEAU(t)      .A = LBR_TEXTS(t##_A), .b = LBR_TEXTS(t##_b)

LIST(explicit_euler_A, "0");
LIST(explicit_euler_b, "1");

LIST(implicit_euler_A, "1");
LIST(implicit_euler_b, "1");

LIST(midpoint_A, "1/2");
LIST(midpoint_b, "1");

LIST(trapezoidal_A, "0", "0", "1/2", "1/2");
LIST(trapezoidal_b, "1/2", "1/2");

LIST(runge_trapezoidal_A, "0", "0", "1", "0");
LIST(runge_trapezoidal_b, "1/2", "1/2");

LIST(runge_midpoint_A, "0", "0", "1/2", "0");
LIST(runge_midpoint_b, "0", "1");

LIST(heun_3_A, "0", "0", "0", "1/3", "0", "0", "0", "2/3", "0");
LIST(heun_3_b, "1/4", "0", "3/4");

LIST(rk4_A, "0", "0", "0", "0", "1/2", "0", "0", "0", "0", "1/2", "0", "0", "0", "0", "1", "0");
LIST(rk4_b, "1/6", "1/3", "1/3", "1/6");

LIST(kutta_38_A, "0", "0", "0", "0", "1/3", "0", "0", "0", "-1/3", "1", "0", "0", "1", "-1", "1", "0");
LIST(kutta_38_b, "1/8", "3/8", "3/8", "1/8");

const lbr_row lbr_rows_runge_kutta[] = {
    { .m = { LBR_SIZED, .form = "runge-kutta", .name = "explicit-euler", .family = "Runge-Kutta", .source = "HLW I.1.5",
             .about = "the simplest method; energy grows", TABLEAU(explicit_euler), .order = 1, .is_explicit = 1,
             .digits = 31, .aliases = "euler forward-euler" } },
    { .m = { LBR_SIZED, .form = "runge-kutta", .name = "implicit-euler", .family = "Runge-Kutta", .source = "HLW I.1.6",
             .about = "adjoint of explicit Euler; energy falls", TABLEAU(implicit_euler), .order = 1,
             .free_entries = "A[1,1]", .digits = 31, .aliases = "backward-euler" } },
    { .m = { LBR_SIZED, .form = "runge-kutta", .name = "midpoint", .family = "Runge-Kutta", .source = "HLW I.1.7",
             .about = "implicit midpoint rule, the one-stage Gauss method", TABLEAU(midpoint), .order = 2,
             .symmetric = 1, .symplectic = 1, .digits = 31, .aliases = "implicit-midpoint" } },
    { .m = { LBR_SIZED, .form = "runge-kutta", .name = "trapezoidal", .family = "Runge-Kutta", .source = "HLW II.1.2",
             .about = "implicit trapezoidal rule, conjugate to the midpoint rule", TABLEAU(trapezoidal), .order = 2,
             .symmetric = 1, .digits = 31, .aliases = "trapezoid" } },
    { .m = { LBR_SIZED, .form = "runge-kutta", .name = "runge-trapezoidal", .family = "Runge-Kutta",
             .source = "HLW II.1.3 (Runge 1895)", .about = "the trapezoidal rule after a step of explicit Euler",
             TABLEAU(runge_trapezoidal), .order = 2, .is_explicit = 1, .digits = 31,
             .aliases = "explicit-trapezoidal heun-2 improved-euler" } },
    { .m = { LBR_SIZED, .form = "runge-kutta", .name = "runge-midpoint", .family = "Runge-Kutta",
             .source = "HLW II.1.3 (Runge 1895)", .about = "the midpoint rule after half a step of explicit Euler",
             TABLEAU(runge_midpoint), .order = 2, .is_explicit = 1, .digits = 31,
             .aliases = "explicit-midpoint modified-euler" } },
    { .m = { LBR_SIZED, .form = "runge-kutta", .name = "heun-3", .family = "Runge-Kutta", .source = "Heun 1900",
             .about = "three stages, order 3", TABLEAU(heun_3), .order = 3, .is_explicit = 1, .digits = 31 } },
    { .m = { LBR_SIZED, .form = "runge-kutta", .name = "rk4", .family = "Runge-Kutta",
             .source = "HLW II.1.8 (Kutta 1901)", .about = "the classical method of order 4", TABLEAU(rk4), .order = 4,
             .is_explicit = 1, .digits = 31, .aliases = "runge-kutta-4 kutta-4" } },
    { .m = { LBR_SIZED, .form = "runge-kutta", .name = "kutta-38", .family = "Runge-Kutta",
             .source = "HLW II.1.8 (Kutta 1901)", .about = "the 3/8 rule, of order 4", TABLEAU(kutta_38), .order = 4,
             .is_explicit = 1, .digits = 31, .aliases = "three-eighths kutta-3-8" } },
    LBR_END
};
