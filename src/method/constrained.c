/* constrained.c - methods for systems with constraints, as pairs of tableaux. Data only. SPDX-License-Identifier: BSD-3-Clause
 *
 * A is for the positions, Ahat for the momenta, with the weights b of both (Hairer 2003, (2.6)-(2.10); HLW VII.1). The first stage is the
 * beginning of the step, the last one its end; where multipliers act is said in stepper/jay.c. */
#include "method.h"

#define LIST(name, ...) static const char *const name[] = { __VA_ARGS__ }

LIST(whole_b, "1");
LIST(first_b, "1", "0");
LIST(first_A, "0", "0", "1", "0");
LIST(first_Ahat, "1", "0", "1", "0");
LIST(implicit_b, "0", "1");
LIST(implicit_A, "0", "0", "0", "1");
LIST(implicit_Ahat, "0", "1", "0", "1");
LIST(rattle_b, "1/2", "1/2");
LIST(rattle_A, "0", "0", "1/2", "1/2");
LIST(rattle_Ahat, "1/2", "0", "1/2", "0");

#define ROW(name_, list, order_, symmetric_, symplectic_, explicit_, free_, source_, about_) { .m = { LBR_SIZED, .name = name_, .family = "constrained", .form = LBR_CONSTRAINED, \
    .source = source_, .about = about_, .A = LBR_TEXTS(list##_A), .b = LBR_TEXTS(list##_b), .Ahat = LBR_TEXTS(list##_Ahat), \
    .order = order_, .symmetric = symmetric_, .symplectic = symplectic_, .is_explicit = explicit_, .free_entries = free_, .digits = 31 } }

const lbr_row lbr_rows_constrained[] = {
    ROW("rattle", rattle, 2, 1, 1, 1, NULL, "HLW VII.1.26 (Andersen 1983, Jay 1994, Reich 1993)", "Stormer-Verlet on the manifold of constraints, for any H"),
    ROW("constrained-euler", first, 1, 0, 1, 1, "Ahat[2,1]", "HLW VII.1.19, VII.1.20 (Reich 1993)", "symplectic Euler, p implicit, on the manifold of constraints"),
    ROW("constrained-implicit-euler", implicit, 1, 0, 0, 0, "Ahat[1,2] Ahat[2,2]", "HLW VII.1, after (1.22)", "implicit Euler with constraints: loses energy; a counter-example"),
    { .m = { LBR_SIZED, .name = "shake", .family = "constrained", .form = LBR_SHAKE, .source = "HLW VII.1.23 (Ryckaert, Ciccotti & Berendsen 1977)",
             .about = "positions of RATTLE in two-step form; momenta off the manifold by O(h^2)", .b = LBR_TEXTS(whole_b), .order = 2, .symmetric = 1, .digits = 31 } },
    LBR_END
};
