/* kahan.c - Kahan's method for quadratic fields. Data only. SPDX-License-Identifier: BSD-3-Clause
 *
 * b lists steps of his map, which is its own adjoint. */
#include "method.h"

static const char *const one[] = { "1" };

const lbr_row lbr_rows_kahan[] = {
    { .m = { LBR_SIZED, .name = "kahan", .family = "linearly implicit", .form = LBR_QUADRATIC, .source = "HLW V.6.3 (Kahan 1993)", .about = "for quadratic fields: one linear system per step",
             .b = LBR_TEXTS(one), .order = 2, .symmetric = 1, .digits = 31 }, NULL },
    LBR_END
};
