/* splitting_rkn_rows.c - splittings of H = T + V where T is quadratic in p: Runge-Kutta-Nystrom. Data only.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * For quadratic T the brackets with three V and one T vanish, which leaves fewer conditions (HLW III.2.3). Lists as in
 * splitting.c; a kick comes first where `kernel` is symplectic-euler, a drift where it is symplectic-euler-b. That
 * matters: the two letters are not alike here. */
#include "plan/kind.h"

#define LIST(name, ...) static const char *const name[] = { __VA_ARGS__ }

/* HLW V.3.7, SRKN_6^b of the paper. */
LIST(blanes_moan_rkn_4_6, "0.082984406417405609880173001359", "0.162314550766866130300834098584",
     "0.233995250731500546286482650475", "0.370877414979581103835962755696", "-0.409933719901928549652795044360",
     "0.059762097006575159349342538246");

/* SRKN_11^b of the paper: kicks over 0.0415, drifts over 0.1232, ... */
LIST(blanes_moan_rkn_6_11, "0.04146499851826282609513722548260573884104", "0.08176477742800817390486271451560211873683",
     "0.1163638944900579375524070273157661487948", "0.1741899033095000624475933633177724527558",
     "-0.2141960954136529565858688668892611566965", "0.08714688278823620155907889277273233089011",
     "-0.01189289848665579921726402694510627067654", "-0.2344388625754196485957582386690642067328",
     "0.2229274751547319550004656298077001355549", "0.1342813976411957391985632952400176618051",
     "0.1023885271457355086407829840512350467274");

/* SRKN_14^a of the paper: drifts over 0.0379, kicks over 0.0917, ... */
LIST(blanes_moan_rkn_6_14, "0.03785931984061094700162603309304186781009", "0.05385983278385135599674778496597518110665",
     "0.04877580031858592065130795364409898329009", "0.1352073696864195392101736130062031504601",
     "-0.1610752579529779576806515998106743475299", "0.1045408921200886553077851931608951708408",
     "0.2097005109513580939655024413191086181426", "-0.2047858221766464498438915046279014612319",
     "0.07464136265923065877036217724839086999188", "0.06911976450913120948494995997950161702639",
     "0.03729793586041116811118683829732984407481", "0.2912697578863929660600394361004421786549",
     "-0.3000640010149029291729106764753118558602", "0.1036525345284468221377723500989001832237");

#define ROW(name_, list, kernel_, quadratic_, digits_, source_, about_, aliases_) \
    {                                                                             \
        .m = {                                                                    \
            LBR_SIZED,                                                            \
            .name = name_,                                                        \
            .family = "splitting",                                                \
            .form = "alternation",                                                \
            .source = source_,                                                    \
            .about = about_,                                                      \
            .kernel = kernel_,                                                    \
            .half = 2,                                                            \
            .b = LBR_TEXTS(list),                                                 \
            .order = 4,                                                           \
            .order_quadratic = quadratic_,                                        \
            .symmetric = 1,                                                       \
            .symplectic = 1,                                                      \
            .digits = digits_,                                                    \
            .aliases = aliases_                                                   \
        }                                                                         \
    }

const lbr_row lbr_rows_splitting_rkn[] = {
    ROW("blanes-moan-rkn-4-6", blanes_moan_rkn_4_6, "symplectic-euler", 4, 29, "HLW V.3.7 (Blanes & Moan 2002)",
        "order 4, very small error for quadratic T", "srkn6b"),
    ROW("blanes-moan-rkn-6-11", blanes_moan_rkn_6_11, "symplectic-euler", 6, 30, "Blanes & Moan 2002, Table 3",
        "order 6 for quadratic T, kick first", "srkn11b"),
    ROW("blanes-moan-rkn-6-14", blanes_moan_rkn_6_14, "symplectic-euler-b", 6, 30, "Blanes & Moan 2002, Table 3",
        "order 6 for quadratic T, drift first", "srkn14a"),
    LBR_END
};
