/* processed_rows.c - kernels and processors: effective order (HLW V.3.3). Data only.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * process(kernel, processor) is chi o K o chi^-1: the kernel K is what is iterated, chi^-1 is done once at the start
 * and chi when one looks. chi = Phi_{d_r h} o ... o Phi_{d_1 h}. */
#include "plan/kind.h"

/* Nine stages (a,a,b,a,c,a,b,a,a) that satisfy sum g = 1, sum g^3 = sum g^5 = 0: order 4, effective order 6. */
#define A "0.246047746847873495327651789795627939757"
static const char *const effective_6_9[] = { A, A, "-0.5514099052445534333689553365156259512334", A,
                                             "0.6265333294018658947719999342574842639249" };

/* (d1, d2, d3, -d1, -d2, -d3): sum d^k = 0 for odd k, and the conditions of HLW Theorem V.3.7. */
static const char *const effective_6_9_processor[] = {
    "0.3220233322333765403871078883607753682175",  "-0.1354725687674722491997216317475821520299",
    "-0.1865507634659042911873862566131932161876", "-0.3220233322333765403871078883607753682175",
    "0.1354725687674722491997216317475821520299",  "0.1865507634659042911873862566131932161876",
};

const lbr_row lbr_rows_processed[] = {
    { .m = { LBR_SIZED, .name = "effective-6-9", .family = "processed", .form = "composition", .half = 1,
             .source = "conditions of HLW V.3.3, solved here",
             .about = "kernel of order 4, effective order 6 with its processor", .b = LBR_TEXTS(effective_6_9),
             .order = 4, .symmetric = 1, .symplectic = 1, .digits = 30 } },
    { .m = { LBR_SIZED, .name = "effective-6-9-processor", .family = "processed", .form = "processor",
             .source = "conditions of HLW V.3.3, solved here", .about = "raises effective-6-9 to order 6",
             .b = LBR_TEXTS(effective_6_9_processor), .kernel = "effective-6-9", .order = 6, .symplectic = 1,
             .digits = 30 } },
    LBR_END
};
