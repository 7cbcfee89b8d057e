/* rigid.c - splittings of the kinetic energy of rigid bodies. Data only. SPDX-License-Identifier: BSD-3-Clause
 *
 * b lists steps of the splitting, which is its own adjoint. */
#include "method.h"

static const char *const one[] = { "1" };

#define ROW(name_, source_, about_) { .m = { LBR_SIZED, .name = name_, .family = "rigid body", .form = LBR_RIGID, .source = source_, .about = about_, .b = LBR_TEXTS(one), .order = 2, .symmetric = 1, .symplectic = 1, .is_explicit = 1, .digits = 31 } }

const lbr_row lbr_rows_rigid[] = {
    ROW("three-rotations", "HLW VII.5.31 (McLachlan 1993, Reich 1994)", "rigid bodies: turns about the three axes, between half kicks"),
    ROW("symmetric-rotation", "HLW VII.5.33 (Touma & Wisdom 1994, Dullweber, Leimkuhler & McLachlan 1997)", "rigid bodies: a symmetric one, and what is left of it, between half kicks"),
    LBR_END
};
