/* partitioned.c - methods for q' = H_p, p' = -H_q made of symplectic Euler and its adjoint. Data only. SPDX-License-Identifier: BSD-3-Clause
 *
 *     Phi_h:   p1 = p - h H_q(p1, q),  q1 = q + h H_p(p1, q)       kick, then drift       (HLW I.1.9)
 *     Phi*_h:  q1 = q + h H_p(p, q1),  p1 = p - h H_q(p, q1)       drift, then kick
 *
 * b lists steps of Phi and, at odd places, of Phi*; zero steps are dropped. For H = T(p) + V(q) neighbours merge. */
#include "method.h"

#define LIST(name, ...) static const char *const name[] = { __VA_ARGS__ }

LIST(first, "1");
LIST(second, "0", "1");
LIST(both, "1/2", "1/2");
LIST(reverse, "0", "1/2", "1/2");

#define ROW(name_, list, order_, symmetric_, source_, about_, aliases_) { .m = { LBR_SIZED, .name = name_, .family = "partitioned", .form = LBR_PARTITIONED, \
    .source = source_, .about = about_, .b = LBR_TEXTS(list), .order = order_, .symmetric = symmetric_, .symplectic = 1, .digits = 31, .aliases = aliases_ } }

const lbr_row lbr_rows_partitioned[] = {
    ROW("symplectic-euler", first, 1, 0, "HLW I.1.9", "p implicit, q explicit: kick, then drift", "symplectic-euler-a"),
    ROW("symplectic-euler-b", second, 1, 0, "HLW I.1.9", "q implicit, p explicit: drift, then kick", NULL),
    ROW("stormer-verlet", both, 2, 1, "HLW I.1.17, II.2.1", "kick-drift-kick, one force per step", "verlet leapfrog velocity-verlet"),
    ROW("stormer-verlet-b", reverse, 2, 1, "HLW I.1.17, II.2.1", "drift-kick-drift, one force per step", "position-verlet"),
    { .m = { LBR_SIZED, .name = "stormer-two-step", .family = "partitioned", .form = LBR_TWO_STEP, .source = "HLW I.1.15", .about = "positions only: for the study of round-off", .b = LBR_TEXTS(first),
             .order = 2, .symmetric = 1, .symplectic = 1, .digits = 31, .aliases = "verlet-two-step" }, NULL },
    LBR_END
};
