/* moser_veselov.c - Moser and Veselov's steps for reduced rigid bodies. Data only. SPDX-License-Identifier: BSD-3-Clause
 *
 * b: the torque's kick before the free step, and after it. */
#include "method.h"

static const char *const half[] = { "1/2", "1/2" }, *const before[] = { "1", "0" };

#define ROW(name_, kicks, order_, symmetric_, about_) \
    { .m = { LBR_SIZED, .name = name_, .family = "rigid body", .form = LBR_REDUCED_BODY, .source = "McLachlan & Scovel 1994, Sect. 6", .about = about_, \
             .b = LBR_TEXTS(kicks), .order = order_, .symmetric = symmetric_, .symplectic = 1, .digits = 31 }, NULL }

const lbr_row lbr_rows_moser_veselov[] = {
    ROW("moser-veselov", half, 2, 1, "for reduced rigid bodies: free ones keep all their invariants, heavy tops the Casimirs"),
    ROW("moser-veselov-euler", before, 1, 0, "the whole kick before the free step; its adjoint has it after"),
    LBR_END
};
