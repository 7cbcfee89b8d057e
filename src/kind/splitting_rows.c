/* splitting_rows.c - compositions of a first-order map with its adjoint, for any number of parts. Data only.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * b lists steps of Phi and, at odd places, of its adjoint (HLW II.4.6). split(table, A, B, ...) takes
 * Phi_h = flow of A over h, then of B, ... (HLW II.5); compose(table, map) any map with an adjoint. With two parts,
 * b_1, b_2, b_3, ... is the flow of A over b_1 h, of B over (b_1 + b_2) h, of A over (b_2 + b_3) h, ... (HLW II.5.8).
 * Alone, a table with `kernel` is over symplectic Euler: for H = T(p) + V(q), kicks and drifts in turn.
 *
 * Digits beyond the published ones were found by Newton's method on the order equations, along the shortest step. */
#include "plan/kind.h"

#define LIST(name, ...) static const char *const name[] = { __VA_ARGS__ }

LIST(once, "1");
LIST(halves, "1/2", "1/2");

/* Kicks 7/24, 3/4, -1/24 and drifts 2/3, -2/3, 1. */
LIST(ruth_3_3, "7/24", "3/8", "3/8", "-25/24", "1", "0");

/* HLW V.3.3 with the alpha that minimises (6 alpha - 1)^2 + 4 (1 - 6 alpha + 6 alpha^2)^2. */
LIST(mclachlan_2_2, "0.193183327503783573962899765026834035648121", "0.306816672496216426037100234973165964351879");

/* HLW V.3.6: (14 - r)/108, (146 + 5 r)/540, (-23 - 20 r)/270, (-2 + 10 r)/135, 1/5 with r = sqrt(19). */
LIST(mclachlan_4_5, "0.08926945422647524488669461126055911426725", "0.31073054577352475511330538873944088573275",
     "-0.408066588410420263128665332137749308084223", "0.308066588410420263128665332137749308084223", "1/5");

/* Table 2 of the paper, S with 6 stages: A over 0.0792, B over 0.2095, ... */
LIST(blanes_moan_4_6, "0.07920369643119566943366349588826887330802", "0.1303114101821663518404091441412321435941",
     "0.2228614958676076366406521674318889129363", "-0.3667132690474256449157672252884166385845",
     "0.3246481886897061095476569269858995998641", "0.1096884778767498774533854908411271088820");

/* Table 2 of the paper, S with 10 stages: A over 0.0503, B over 0.1488, ... */
LIST(blanes_moan_6_10, "0.05026276440039268602122165440207410940601", "0.09855368350065054589967935113350347947138",
     "0.3149606169276932691633843690003809595039", "-0.4473464826954769166122297955993208810784",
     "0.4924263724898749795811268477238343522401", "-0.4251187677976905214308689511312333053407",
     "0.2370639139781216066317404622123627628529", "0.1956024886000519908959275086711825352053",
     "0.3463581898507281439354872322618899611429", "-0.3627627792543457840854686786746739734034");

#define COMMON LBR_SIZED, .family = "splitting", .form = "alternation", .symplectic = 1
#define PARTS(name_, list, order_, symmetric_, source_, about_) \
    {                                                           \
        .m = {                                                  \
            COMMON,                                             \
            .name = name_,                                      \
            .source = source_,                                  \
            .about = about_,                                    \
            .b = LBR_TEXTS(list),                               \
            .order = order_,                                    \
            .order_near = #order_ "," #order_,                  \
            .symmetric = symmetric_,                            \
            .digits = 31                                        \
        }                                                       \
    }
#define ROW(name_, list, half_, order_, digits_, source_, about_, aliases_) \
    {                                                                       \
        .m = {                                                              \
            COMMON,                                                         \
            .name = name_,                                                  \
            .source = source_,                                              \
            .about = about_,                                                \
            .kernel = "symplectic-euler",                                   \
            .half = half_,                                                  \
            .b = LBR_TEXTS(list),                                           \
            .order = order_,                                                \
            .symmetric = half_ > 0,                                         \
            .digits = digits_,                                              \
            .aliases = aliases_                                             \
        }                                                                   \
    }

const lbr_row lbr_rows_splitting[] = {
    PARTS("lie-trotter", once, 1, 0, "HLW II.5.2 (Trotter 1959)", "the parts one after the other"),
    PARTS("strang", halves, 2, 1, "HLW II.5.3 (Strang 1968, Marchuk 1968)",
          "the parts forth and back, half a step each"),
    ROW("ruth-3-3", ruth_3_3, 0, 3, 31, "Ruth 1983", "the first one of order 3", "ruth3"),
    ROW("mclachlan-2-2", mclachlan_2_2, 2, 2, 31, "HLW V.3.3 (McLachlan 1995)",
        "least error of order 2 with two stages", NULL),
    ROW("mclachlan-4-5", mclachlan_4_5, 2, 4, 31, "HLW V.3.6 (McLachlan 1995)", "order 4, small error", NULL),
    ROW("blanes-moan-4-6", blanes_moan_4_6, 2, 4, 31, "Blanes & Moan 2002, Table 2", "order 4, very small error",
        "bm4"),
    ROW("blanes-moan-6-10", blanes_moan_6_10, 2, 6, 30, "Blanes & Moan 2002, Table 2", "order 6 with ten stages",
        "bm6"),
    LBR_END
};
