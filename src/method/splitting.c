/* splitting.c - compositions of a first-order map with its adjoint, for any number of parts. Data only. SPDX-License-Identifier: BSD-3-Clause
 *
 * b lists steps of Phi and, at odd places, of its adjoint (HLW II.4.6). split(table, A, B, ...) takes
 * Phi_h = flow of A over h, then of B, ... (HLW II.5); compose(table, map) any map with an adjoint. */
#include "method.h"

static const char *const once[] = { "1" }, *const halves[] = { "1/2", "1/2" };

#define ROW(name_, list, order_, symmetric_, source_, about_) { .m = { LBR_SIZED, .name = name_, .family = "splitting", .form = LBR_ALTERNATION, \
    .source = source_, .about = about_, .b = LBR_TEXTS(list), .order = order_, .symmetric = symmetric_, .symplectic = 1, .digits = 31 } }

const lbr_row lbr_rows_splitting[] = {
    ROW("lie-trotter", once, 1, 0, "HLW II.5.2 (Trotter 1959)", "the parts one after the other"),
    ROW("strang", halves, 2, 1, "HLW II.5.3 (Strang 1968, Marchuk 1968)", "the parts forth and back, half a step each"),
    LBR_END
};
