/* volume.c - splittings that keep the volume of any flow that does. Data only. SPDX-License-Identifier: BSD-3-Clause
 *
 * b lists steps of the sweep over all components, from the first to the last (HLW VI.9.4), and, at odd places, of its adjoint (VI.9.5). */
#include "method.h"

static const char *const halves[] = { "1/2", "1/2" };

const lbr_row lbr_rows_volume[] = {
    { .m = { LBR_SIZED, .name = "feng-shang", .family = "volume", .form = LBR_VOLUME, .source = "HLW VI.9.4, VI.9.5 (Feng & Shang 1995)", .about = "keeps the volume of any field without divergence",
             .b = LBR_TEXTS(halves), .order = 2, .symmetric = 1, .digits = 31 }, NULL },
    LBR_END
};
